#include "rkernel_lib/runtime/check/sanitizer.h"

#include <stdlib.h>
#include <string.h>

/*
 * Order between blocks: what one did before a fence and then an atomic, or an atomic that releases, is before
 * what another does after its own atomic on the same address.
 */

enum { BUCKETS = 4096 };

struct place;

/** The first `count` releases of a place. */
typedef struct {
    struct place *place;
    uint32_t count;
} prefix;

/**
 * A block's release: covers earlier epochs, all of the thread's own, what `clocks` says of this epoch, and what the
 * thread knew of other blocks.
 */
typedef struct {
    uint32_t block, epoch, thread;
    uint32_t *clocks; /**< by thread of the block; NULL when none met another in this epoch */
    prefix *knew;     /**< owned, as `clocks` is */
    uint32_t knew_count;
} release;

/** An address that blocks touch atomically. */
typedef struct place {
    uintptr_t address;
    uint32_t serial;
    release *log;
    uint32_t count, room;
    uint64_t search;   /**< the last one that came by */
    uint32_t searched; /**< the releases that it went through */
    struct place *next;
} place;

/** A thread of the calling OS thread's block knows the first `count` releases of a place. */
typedef struct {
    prefix what;
    uint32_t epoch, clock, thread;
} acquire;

static place *places[BUCKETS];
static _Thread_local struct {
    acquire *items;
    uint32_t count, room;
} known;

void rk_check_begin_across(void)
{
    known.count = 0;
}

static void *more(void *items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room ? *room * 2 : 16;
    void *grown = realloc(items, *room * size);
    if (!grown)
        rk_check_no_memory();
    return grown;
}

static bool covers(const release *r, const rk_check_access *before)
{
    if (r->block != before->block || before->epoch > r->epoch)
        return false;
    return before->epoch < r->epoch || before->thread == r->thread ||
           (r->clocks && before->clock <= r->clocks[before->thread]);
}

/** Whether one of the releases, or what their threads knew, covers `before`. */
static bool prefix_covers(const prefix *all, const rk_check_access *before, uint64_t search)
{
    place *p = all->place;
    uint32_t k = p->search == search ? p->searched : 0;
    p->search = search;
    p->searched = all->count > k ? all->count : k;
    for (; k < all->count; k++) {
        const release *r = &p->log[k];
        if (covers(r, before))
            return true;
        for (uint32_t i = 0; i < r->knew_count; i++)
            if (prefix_covers(&r->knew[i], before, search))
                return true;
    }
    return false;
}

static bool is_known(const acquire *a, uint32_t thread)
{
    return rk_check_knows(thread, a->thread, a->epoch, a->clock);
}

bool rk_check_ordered_across(const rk_check_access *before, uint32_t thread)
{
    static uint64_t searches;
    const uint64_t search = ++searches;
    for (uint32_t i = 0; i < known.count; i++)
        if (is_known(&known.items[i], thread) &&
            prefix_covers(&known.items[i].what, before, search))
            return true;
    return false;
}

/** The record of an address in this launch; under the lock. */
static place *place_at(uintptr_t address)
{
    place **bucket = &places[(address >> 2) % BUCKETS];
    place *p = *bucket;
    while (p && p->address != address)
        p = p->next;
    if (!p) {
        p = calloc(1, sizeof *p);
        if (!p)
            rk_check_no_memory();
        p->address = address;
        p->next = *bucket;
        *bucket = p;
    }
    if (p->serial != rk_check_serial) {
        for (uint32_t i = 0; i < p->count; i++) {
            free(p->log[i].clocks);
            free(p->log[i].knew);
        }
        p->serial = rk_check_serial;
        p->count = 0;
    }
    return p;
}

/**
 * The first epoch that the thread's release does not cover: that of its own fence, or the one after the last in
 * which all threads made one, if all have met since.
 */
static uint32_t released(uint32_t thread)
{
    const uint32_t *fence = rk_check_known.fence;
    uint32_t all = fence[0];
    for (uint32_t t = 1; t < rk_check_now.threads; t++)
        all = fence[t] < all ? fence[t] : all;
    if (all > 0 && all < rk_check_now.epoch && all + 1 > fence[thread])
        return all + 1;
    return fence[thread];
}

/** What the thread knows of the others since all met; NULL for nothing. */
static uint32_t *clocks_of(uint32_t thread)
{
    const size_t bytes = rk_check_now.threads * sizeof(uint32_t);
    if (!rk_check_known.met || rk_check_known.fence[thread] != rk_check_now.epoch)
        return NULL;
    uint32_t *clocks = malloc(bytes);
    if (!clocks)
        rk_check_no_memory();
    return memcpy(clocks, rk_check_known.seen + (size_t)thread * rk_check_now.threads, bytes);
}

void rk_check_acquire_across(uintptr_t address, uint32_t thread)
{
    place *p = place_at(address);
    if (p->count == 0)
        return;
    const acquire now = {{p, p->count}, rk_check_now.epoch, rk_check_known.clock[thread], thread};
    uint32_t i = known.count;
    while (i > 0 && (known.items[i - 1].what.place != p || known.items[i - 1].thread != thread))
        i--;
    acquire *last = i > 0 ? &known.items[i - 1] : NULL;
    if (last && last->what.count == now.what.count)
        return; /* others may have learned of it since then */
    if (last && last->epoch == now.epoch && last->clock == now.clock) {
        *last = now;
        return;
    }
    known.items = more(known.items, known.count, &known.room, sizeof *known.items);
    known.items[known.count++] = now;
}

/** Keeps what the thread knows of other blocks by other places: those who acquire here know this one's. */
static void keep_known(release *r, const place *here, uint32_t thread)
{
    for (uint32_t i = 0; i < known.count; i++)
        r->knew_count += known.items[i].what.place != here && is_known(&known.items[i], thread);
    if (r->knew_count == 0)
        return;
    r->knew = malloc(r->knew_count * sizeof *r->knew);
    if (!r->knew)
        rk_check_no_memory();
    r->knew_count = 0;
    for (uint32_t i = 0; i < known.count; i++)
        if (known.items[i].what.place != here && is_known(&known.items[i], thread))
            r->knew[r->knew_count++] = known.items[i].what;
}

void rk_check_release_across(uintptr_t address, uint32_t thread)
{
    if (!rk_check_known.fence[thread])
        return;
    place *p = place_at(address);
    release r = {.block = rk_check_now.index,
                 .epoch = released(thread),
                 .thread = thread,
                 .clocks = clocks_of(thread)};
    keep_known(&r, p, thread);
    p->log = more(p->log, p->count, &p->room, sizeof *p->log);
    p->log[p->count++] = r;
}
