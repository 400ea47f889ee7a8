#include "rkernel_lib/runtime/check/sanitizer.h"

#include <stdlib.h>

enum { PAGE = 4096, WORDS = PAGE / RK_CHECK_WORD };

/** What is known of a word of the program's memory. */
typedef struct {
    rk_check_access writes[2], reads[2];
    uint64_t owner;  /**< the block that wrote it, as shared memory */
    uint32_t serial; /**< of the launch that the accesses are of */
    uint8_t written; /**< bytes that the owner wrote */
} word;

typedef struct page {
    uintptr_t number;
    word words[WORDS];
} page;

/** By number, open addressing; a power of two, at most half full. */
static page **pages;
static size_t room, used;

static size_t slot_of(page *const *table, size_t size, uintptr_t number)
{
    size_t i = (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (size - 1);
    while (table[i] && table[i]->number != number)
        i = (i + 1) & (size - 1);
    return i;
}

static void grow(void)
{
    const size_t size = room ? room * 2 : 1024;
    page **table = calloc(size, sizeof *table);
    if (!table)
        rk_check_no_memory();
    for (size_t i = 0; i < room; i++)
        if (pages[i])
            table[slot_of(table, size, pages[i]->number)] = pages[i];
    free(pages);
    pages = table;
    room = size;
}

static word *word_at(uintptr_t address)
{
    const uintptr_t number = address / PAGE;
    if (used * 2 >= room)
        grow();
    page **slot = &pages[slot_of(pages, room, number)];
    if (!*slot) {
        *slot = calloc(1, sizeof **slot);
        if (!*slot)
            rk_check_no_memory();
        (*slot)->number = number;
        used++;
    }
    return &(*slot)->words[address % PAGE / RK_CHECK_WORD];
}

static bool within(const void *address, const unsigned char *begin, const unsigned char *end)
{
    const unsigned char *at = address;
    return at >= begin && at < end;
}

static bool plain_write(const rk_check_access *access)
{
    return (access->kind & (RK_CHECK_WRITE | RK_CHECK_ATOMIC)) == RK_CHECK_WRITE;
}

/** Compares with one access that was before. */
static void compare(const void *address, const rk_check_access *now, const rk_check_access *before,
                    bool shared)
{
    if ((before->bytes & now->bytes) == 0 || !(plain_write(before) || plain_write(now)) ||
        (shared && before->block != rk_check_now.index) || rk_check_ordered(before, now->thread))
        return;
    rk_check_report_race(address, now, before, shared);
}

static bool same_thread(const rk_check_access *a, const rk_check_access *b)
{
    return a->block == b->block && a->thread == b->thread;
}

/** Keeps the last write to each byte, as far as two records can. */
static void keep_write(word *w, const rk_check_access *now)
{
    const bool first = (w->writes[0].bytes & ~now->bytes) == 0 || same_thread(&w->writes[0], now);
    if (!first)
        w->writes[1] = w->writes[0];
    w->writes[0] = *now;
}

/** Keeps the last read, and one from another warp or block, so that a later write finds one that is not its own. */
static void keep_read(word *w, const rk_check_access *now)
{
    rk_check_access *last = &w->reads[0];
    const bool apart =
        last->bytes && (last->block != now->block || last->epoch == now->epoch) &&
        (last->block != now->block || last->thread / RK_CPU_WARP != now->thread / RK_CPU_WARP);
    if (apart || (last->bytes && !w->reads[1].bytes && !same_thread(last, now)))
        w->reads[1] = *last;
    *last = *now;
}

static void check_written(word *w, const void *address, const rk_check_access *now)
{
    if (w->owner != rk_check_now.owner) {
        w->owner = rk_check_now.owner;
        w->written = 0;
    }
    if (now->kind & RK_CHECK_WRITE) {
        if ((now->kind & RK_CHECK_ATOMIC) && (now->bytes & ~w->written))
            rk_check_report_unwritten(address, now);
        w->written |= now->bytes;
    } else if (now->bytes & ~w->written) {
        rk_check_report_unwritten(address, now);
        w->written |= now->bytes;
    }
}

static void check_word(uintptr_t at, rk_check_access *now, bool shared)
{
    word *w = word_at(at);
    const void *address = (const void *)at;
    if (w->serial != rk_check_serial) {
        w->serial = rk_check_serial;
        w->writes[0].bytes = w->writes[1].bytes = w->reads[0].bytes = w->reads[1].bytes = 0;
    }
    if (shared)
        check_written(w, address, now);
    for (int i = 0; i < 2; i++) {
        compare(address, now, &w->writes[i], shared);
        if (now->kind & RK_CHECK_WRITE)
            compare(address, now, &w->reads[i], shared);
    }
    if (now->kind & RK_CHECK_WRITE)
        keep_write(w, now);
    else
        keep_read(w, now);
}

/** Whether an access is one of a kernel's thread to memory that others see. */
static bool is_watched(const void *address)
{
    const rk_check_state *state = &rk_check_now;
    return state->block && !state->inside && rk_cpu_block_running(state->block) &&
           !rk_cpu_block_owns(state->block, address) && !rk_check_ignored(address) &&
           rk_cpu_block_thread(state->block) < state->threads;
}

static bool is_shared(const void *address)
{
    const rk_check_state *state = &rk_check_now;
    return within(address, state->buffer, state->buffer_end) ||
           within(address, state->statics, state->statics_end);
}

/** Compares and remembers an access that is watched; under the lock. */
static void check_words(const void *address, size_t size, uint32_t kind, uintptr_t pc)
{
    const rk_check_state *state = &rk_check_now;
    const uint32_t thread = rk_cpu_block_thread(state->block);
    const bool shared = is_shared(address);
    rk_check_access now = {.pc = pc,
                           .block = state->index,
                           .epoch = state->epoch,
                           .clock = rk_check_known.clock[thread],
                           .thread = (uint16_t)thread,
                           .kind = (uint8_t)kind};
    for (uintptr_t at = (uintptr_t)address, end = at + size; at < end;) {
        const uintptr_t word_begin = at / RK_CHECK_WORD * RK_CHECK_WORD;
        uintptr_t stop = word_begin + RK_CHECK_WORD;
        if (stop > end)
            stop = end;
        now.bytes = (uint8_t)(((1u << (stop - word_begin)) - 1) & ~((1u << (at - word_begin)) - 1));
        check_word(at, &now, shared);
        at = stop;
    }
}

void rk_check_access_memory(const void *address, size_t size, uint32_t kind, uintptr_t pc)
{
    if (!is_watched(address))
        return;
    rk_check_lock();
    check_words(address, size, kind, pc);
    rk_check_unlock();
}

void rk_check_forget(const void *memory, size_t size)
{
    const rk_check_state *state = &rk_check_now;
    if (!state->block || state->inside || room == 0)
        return;
    rk_check_lock();
    const uintptr_t begin = (uintptr_t)memory, end = begin + size;
    for (uintptr_t at = begin / RK_CHECK_WORD * RK_CHECK_WORD; at < end; at += RK_CHECK_WORD) {
        page *p = pages[slot_of(pages, room, at / PAGE)];
        if (p)
            p->words[at % PAGE / RK_CHECK_WORD].serial = 0;
    }
    rk_check_unlock();
}

bool rk_check_atomic_begin(const void *address, size_t size, uint32_t kind, uintptr_t pc)
{
    if (!is_watched(address))
        return false;
    rk_check_lock();
    check_words(address, size, kind | RK_CHECK_ATOMIC, pc);
    return true;
}

void rk_check_atomic_end(const void *address, rk_check_did did, int order)
{
    const bool acquires = order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
    const bool releases = order >= __ATOMIC_RELEASE;
    const uint32_t thread = rk_cpu_block_thread(rk_check_now.block);
    const uintptr_t at = (uintptr_t)address;
    const bool shared = is_shared(address);
    if (did != RK_CHECK_STORED) {
        rk_check_acquire(at, thread, acquires);
        if (!shared)
            rk_check_acquire_across(at, thread);
    }
    if (did != RK_CHECK_LOADED) {
        if (releases)
            rk_check_known.fence[thread] = rk_check_now.epoch;
        rk_check_release(at, thread, releases, did == RK_CHECK_STORED);
        if (!shared)
            rk_check_release_across(at, thread);
    }
    rk_check_unlock();
}
