#include "ptx_memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * Global memory as PTX's memory model has it (docs/ptx.md). A block's stores wait in a buffer and leave in any order that
 * its releases and fences allow. Each warp knows, for each other warp, up to which of that one's steps it is ordered
 * behind (a vector clock, which releases publish and acquires join). A weak load of what its warp is not ordered behind
 * may be given the value before, and is a race.
 */

enum { BUFFER = 192, CELL_WORD = 4 };

/** What a release leaves at an address. */
typedef struct message {
    const unsigned char *at;
    uint32_t *gpu; /**< clocks for acquires at the GPU's scope; NULL */
    uint32_t *cta; /**< for those of the same block; NULL: as gpu */
    int slot;      /**< block that left it */
} message;

typedef struct {
    uint32_t unit, clock; /**< warp and its step; unit 0 is nobody, else one more than its number */
    int32_t line;
    uint8_t bytes;  /**< of the word */
    uint8_t strong; /**< 0 weak, else 1 + scope */
} access_mark;

/** One word of shared memory. */
typedef struct shared_word {
    access_mark wrote, read;
} shared_word;

/** One word of global memory. */
typedef struct {
    access_mark wrote, read; /**< last, as the threads issued it */
    uint32_t old;            /**< the word before the last store that left */
    uint32_t unit, clock;    /**< whose store that was */
} cell;

typedef struct {
    uint64_t number;
    unsigned char *to;
    uint64_t value;
    int bytes;
    uint32_t unit, clock;
    uint64_t behind; /**< those before this number that the fence covers leave first */
    uint64_t behind_met;
    message left;
    bool strong;
} pending;

typedef struct {
    pending *stores;
    int count;
    uint64_t number;
    uint8_t hint[256]; /**< how many stores there are to words of that hash */
} buffer;

typedef struct {
    uint32_t clock;
    bool dirty;                    /**< its block does not know what it knows */
    uint64_t met;                  /**< the buffer's number at its last barrier */
    uint64_t behind, behind_met;   /**< of its last fence at the GPU's scope */
    uint32_t *gpu, *cta;           /**< what its fences published; NULL */
    uint32_t *seen_gpu, *seen_cta; /**< what relaxed loads saw, for a fence */
} unit;

struct weak {
    ptx_machine *m;
    int warps, units;
    unit *of;
    uint32_t *clocks; /**< units times units */
    uint32_t *order;  /**< of fence.sc */
    buffer *buffers;  /**< by block */
    cell **cells;     /**< by range */
    int cell_count;
    message *messages; /**< open addressing */
    int message_room, message_count;
    uint64_t before; /**< value before an atomic */
};

static uint32_t *clocks_of(weak *w, uint32_t u)
{
    return w->clocks + (size_t)u * (size_t)w->units;
}

static void merge(const weak *w, uint32_t *to, const uint32_t *from)
{
    for (int k = 0; k < w->units; k++)
        to[k] = to[k] > from[k] ? to[k] : from[k];
}

static void *need(void *p)
{
    if (!p)
        abort();
    return p;
}

static uint32_t *copy_clocks(const weak *w, const uint32_t *from)
{
    uint32_t *to = need(malloc((size_t)w->units * sizeof *to));
    memcpy(to, from, (size_t)w->units * sizeof *to);
    return to;
}

weak *weak_new(ptx_machine *m)
{
    weak *w = need(calloc(1, sizeof *w));
    w->m = m;
    w->warps = m->blocks[0].warp_count;
    w->units = m->resident * w->warps;
    w->of = need(calloc((size_t)w->units, sizeof *w->of));
    w->clocks = need(calloc((size_t)w->units * (size_t)w->units, sizeof *w->clocks));
    w->order = need(calloc((size_t)w->units, sizeof *w->order));
    w->buffers = need(calloc((size_t)m->resident, sizeof *w->buffers));
    for (int b = 0; b < m->resident; b++)
        w->buffers[b].stores = need(calloc(BUFFER, sizeof(pending)));
    w->message_room = 1024;
    w->messages = need(calloc((size_t)w->message_room, sizeof *w->messages));
    return w;
}

void weak_free(weak *w)
{
    if (!w)
        return;
    for (int u = 0; u < w->units; u++) {
        free(w->of[u].gpu);
        free(w->of[u].cta);
        free(w->of[u].seen_gpu);
        free(w->of[u].seen_cta);
    }
    for (int b = 0; b < w->m->resident; b++) {
        for (int k = 0; k < w->buffers[b].count; k++) {
            free(w->buffers[b].stores[k].left.gpu);
            free(w->buffers[b].stores[k].left.cta);
        }
        free(w->buffers[b].stores);
    }
    for (int k = 0; k < w->message_room; k++) {
        free(w->messages[k].gpu);
        free(w->messages[k].cta);
    }
    for (int r = 0; r < w->cell_count; r++)
        free(w->cells[r]);
    free(w->cells);
    free(w->messages);
    free(w->buffers);
    free(w->order);
    free(w->clocks);
    free(w->of);
    free(w);
}

static uint32_t unit_of(const weak *w, const warp *p)
{
    return (uint32_t)(p->block->slot * w->warps + p->index);
}

void weak_block_begin(weak *w, block *b)
{
    for (int k = 0; k < w->warps; k++) {
        const uint32_t u = (uint32_t)(b->slot * w->warps + k);
        unit *of = &w->of[u];
        free(of->gpu);
        free(of->cta);
        free(of->seen_gpu);
        free(of->seen_cta);
        *of = (unit){.clock = of->clock + 1};
        memset(clocks_of(w, u), 0, (size_t)w->units * sizeof(uint32_t));
        clocks_of(w, u)[u] = of->clock;
    }
}

/* Messages. */

static message *find_message(weak *w, const unsigned char *at, bool make)
{
    if (make && 2 * w->message_count >= w->message_room) {
        message *old = w->messages;
        const int room = w->message_room;
        w->message_room *= 2;
        w->message_count = 0;
        w->messages = need(calloc((size_t)w->message_room, sizeof *w->messages));
        for (int k = 0; k < room; k++)
            if (old[k].at)
                *find_message(w, old[k].at, true) = old[k];
        free(old);
    }
    size_t k = ((uintptr_t)at >> 2) * 2654435761u % (size_t)w->message_room;
    while (w->messages[k].at && w->messages[k].at != at)
        k = (k + 1) % (size_t)w->message_room;
    if (!w->messages[k].at) {
        if (!make)
            return NULL;
        w->message_count++;
        w->messages[k] = (message){.at = at};
    }
    return &w->messages[k];
}

/** Replaces what is at an address; `from` gives its clocks away. */
static void set_message(weak *w, const unsigned char *at, message *from)
{
    message *to = find_message(w, at, from->gpu || from->cta);
    if (!to)
        return;
    free(to->gpu);
    free(to->cta);
    to->gpu = from->gpu;
    to->cta = from->cta;
    to->slot = from->slot;
    from->gpu = from->cta = NULL;
}

/** A load has read what carries a message. */
static void receive(weak *w, const warp *by, const message *from, semantics sem, scope s)
{
    if (!from || sem == SEM_WEAK)
        return;
    const uint32_t u = unit_of(w, by);
    const bool own = from->slot == by->block->slot;
    const uint32_t *clocks = own && from->cta ? from->cta : from->gpu;
    if (!clocks || (!own && s < SCOPE_GPU))
        return;
    if (sem == SEM_ACQUIRE || sem == SEM_ACQ_REL || sem == SEM_SC) {
        merge(w, clocks_of(w, u), clocks);
        w->of[u].dirty = true;
        return;
    }
    uint32_t **seen = own ? &w->of[u].seen_cta : &w->of[u].seen_gpu;
    if (!*seen)
        *seen = copy_clocks(w, clocks);
    else
        merge(w, *seen, clocks);
}

/** What a store or atomic leaves. */
static message to_leave(weak *w, const warp *by, semantics sem, scope s)
{
    const uint32_t u = unit_of(w, by);
    message out = {.slot = by->block->slot};
    unit *of = &w->of[u];
    if (sem == SEM_RELEASE || sem == SEM_ACQ_REL || sem == SEM_SC) {
        out.cta = copy_clocks(w, clocks_of(w, u));
        if (s >= SCOPE_GPU)
            out.gpu = copy_clocks(w, clocks_of(w, u));
        clocks_of(w, u)[u] = ++of->clock;
    } else if (sem == SEM_RELAXED) {
        if (of->gpu && s >= SCOPE_GPU)
            out.gpu = copy_clocks(w, of->gpu);
        if (of->cta)
            out.cta = copy_clocks(w, of->cta);
    }
    return out;
}

/* Words. */

static cell *cells_at(run *c, const unsigned char *p)
{
    weak *w = c->m->weak;
    const ptx_range *range = c->last;
    const uint64_t a = (uint64_t)(uintptr_t)p;
    for (int r = 0; !range || a < range->low || a >= range->high; r++) {
        if (r == c->m->range_count)
            return NULL;
        range = &c->m->ranges[r];
    }
    const int index = (int)(range - c->m->ranges);
    if (index >= w->cell_count) {
        w->cells = need(realloc(w->cells, (size_t)(index + 1) * sizeof *w->cells));
        memset(w->cells + w->cell_count, 0, (size_t)(index + 1 - w->cell_count) * sizeof *w->cells);
        w->cell_count = index + 1;
    }
    const uint64_t base = range->low & ~(uint64_t)3;
    if (!w->cells[index])
        w->cells[index] =
            need(calloc((size_t)((range->high - base) / CELL_WORD + 2), sizeof(cell)));
    return w->cells[index] + (a - base) / CELL_WORD;
}

static bool ordered(weak *w, uint32_t u, uint32_t other, uint32_t clock)
{
    return other == 0 || other - 1 == u || clocks_of(w, u)[other - 1] >= clock;
}

static uint8_t bytes_in(const unsigned char *p, int bytes, int word)
{
    const int first = (int)((uintptr_t)p & 3), n = bytes > 4 ? 4 : bytes;
    (void)word;
    return (uint8_t)(((1 << n) - 1) << first);
}

/** Whether two accesses are both strong and include each other's thread. */
static bool both_strong(const weak *w, uint32_t u, const access_mark *a, uint8_t strong)
{
    if (!a->strong || !strong)
        return false;
    const bool same_block = (a->unit - 1) / (uint32_t)w->warps == u / (uint32_t)w->warps;
    return same_block || (a->strong > SCOPE_GPU && strong > SCOPE_GPU);
}

static void check_race_in(run *c, const insn *i, int lane, const access_mark *other,
                          const access_mark *own, const char *what, const char *where)
{
    weak *w = c->m->weak;
    const uint32_t u = own->unit - 1;
    if (!other->unit || !(other->bytes & own->bytes) || ordered(w, u, other->unit, other->clock) ||
        both_strong(w, u, other, own->strong))
        return;
    const int slot = (int)(other->unit - 1) / w->warps;
    ptx_fail(c, i, 1u << lane,
             "a race%s: %s at line %d by warp %d of block %u, and nothing orders the two", where, what,
             other->line, (int)(other->unit - 1) % w->warps, c->m->blocks[slot].linear);
}

static void check_race(run *c, const insn *i, int lane, const access_mark *other,
                       const access_mark *own, const char *what)
{
    check_race_in(c, i, lane, other, own, what, "");
}

static access_mark mark_of(run *c, const insn *i, const unsigned char *p, const access_form *f)
{
    weak *w = c->m->weak;
    const uint32_t u = unit_of(w, c->w);
    return (access_mark){.unit = u + 1,
                         .clock = w->of[u].clock,
                         .line = i->source ? i->source->line : 0,
                         .bytes = bytes_in(p, f->bytes, 0),
                         .strong = f->sem == SEM_WEAK ? 0 : (uint8_t)(1 + f->scope)};
}

/* The buffer. */

static uint8_t hash(const unsigned char *p)
{
    return (uint8_t)(((uintptr_t)p >> 3) * 2654435761u >> 12);
}

static bool overlaps(const pending *s, const unsigned char *p, int bytes)
{
    return s->to < p + bytes && p < s->to + s->bytes;
}

/** Whether store `k` must wait for store `j`, which is older. */
static bool waits_for(const weak *w, const pending *k, const pending *j)
{
    (void)w;
    return overlaps(j, k->to, k->bytes) ||
           (j->number < k->behind && (j->unit == k->unit || j->number < k->behind_met));
}

static void leave(run *c, buffer *b, int k)
{
    weak *w = c->m->weak;
    pending s = b->stores[k];
    for (int at = 0; at < s.bytes; at += CELL_WORD) {
        cell *word = cells_at(c, s.to + at);
        if (word) {
            memcpy(&word->old, (void *)((uintptr_t)(s.to + at) & ~(uintptr_t)3), 4);
            word->unit = s.unit + 1;
            word->clock = s.clock;
        }
    }
    memcpy(s.to, &s.value, (size_t)s.bytes);
    set_message(w, s.to, &s.left);
    b->hint[hash(s.to)]--;
    memmove(&b->stores[k], &b->stores[k + 1], (size_t)(--b->count - k) * sizeof s);
}

/** Store `k` leaves, those before that it waits for first. */
static void force(run *c, buffer *b, int k)
{
    const uint64_t number = b->stores[k].number;
    for (int j = 0; b->stores[k].number == number && j < k;) {
        if (waits_for(c->m->weak, &b->stores[k], &b->stores[j])) {
            const int before = b->count;
            force(c, b, j);
            k -= before - b->count;
            j = 0;
        } else {
            j++;
        }
    }
    leave(c, b, k);
}

static bool may_leave(const weak *w, const buffer *b, int k)
{
    for (int j = 0; j < k; j++)
        if (waits_for(w, &b->stores[k], &b->stores[j]))
            return false;
    return true;
}

static void drain_some(run *c, buffer *b, int tries)
{
    for (; tries > 0 && b->count; tries--) {
        const int k = (int)(ptx_random(c->m) % (uint32_t)b->count);
        if (may_leave(c->m->weak, b, k))
            leave(c, b, k);
    }
}

static run context(weak *w, block *b)
{
    return (run){.m = w->m, .b = b, .w = b->warps};
}

void weak_drain_some(weak *w, block *b)
{
    run c = context(w, b);
    buffer *of = &w->buffers[b->slot];
    /* Now and then all of it: what nobody waits for comes at last. */
    drain_some(&c, of, ptx_random(w->m) % 16 == 0 ? 2 * of->count : 2);
}

void weak_block_end(weak *w, block *b)
{
    run c = context(w, b);
    buffer *of = &w->buffers[b->slot];
    while (of->count)
        leave(&c, of, 0);
}

/** All stores that a fence or release of this warp covers leave. */
static void drain_covered(run *c)
{
    weak *w = c->m->weak;
    buffer *b = &w->buffers[c->b->slot];
    const uint32_t u = unit_of(w, c->w);
    for (int k = 0; k < b->count;) {
        const pending *s = &b->stores[k];
        if (s->unit == u || s->number < w->of[u].met) {
            force(c, b, k);
            k = 0;
        } else {
            k++;
        }
    }
}

/* Accesses. */

/** A weak load may be given what was there before a store that it is not ordered behind. */
static void make_stale(run *c, const insn *i, int lane, const unsigned char *p,
                       const access_form *f, void *value)
{
    weak *w = c->m->weak;
    const uint32_t u = unit_of(w, c->w);
    cell *word = cells_at(c, p);
    if (!word || f->sem != SEM_WEAK)
        return;
    if (f->nc && c->m->options.races && word->wrote.unit)
        ptx_fail(c, i, 1u << lane, "a non-coherent load of what line %d of this kernel writes",
                 word->wrote.line);
    const bool other =
        word->unit && (word->unit - 1) / (uint32_t)w->warps != u / (uint32_t)w->warps;
    const bool late = f->nc ? word->unit != 0 : other && !ordered(w, u, word->unit, word->clock);
    if (!late || f->bytes > 4 || ptx_random(c->m) % 2)
        return;
    memcpy(value, (unsigned char *)&word->old + ((uintptr_t)p & 3), (size_t)f->bytes);
    c->m->stale++;
}

void weak_load(run *c, const insn *i, int lane, const unsigned char *from, const access_form *f,
               void *to)
{
    weak *w = c->m->weak;
    buffer *b = &w->buffers[c->b->slot];
    cell *word = cells_at(c, from);
    const message *message = f->sem == SEM_WEAK ? NULL : find_message(w, from, false);
    memcpy(to, from, (size_t)f->bytes);
    for (int at = 0; word && at < f->bytes; at += CELL_WORD, word++) {
        const access_mark own = mark_of(c, i, from, f);
        if (c->m->options.races)
            check_race(c, i, lane, &word->wrote, &own, "it is written");
        word->read = own;
    }
    if (!c->m->options.weak) {
        receive(w, c->w, message, f->sem, f->scope);
        return;
    }
    make_stale(c, i, lane, from, f, to);
    if (b->count && (f->bytes > 8 || b->hint[hash(from)] || b->hint[hash(from + 8)] ||
                     b->hint[hash(from - 8)])) {
        for (int k = 0; k < b->count; k++) {
            const pending *s = &b->stores[k];
            for (int n = 0; overlaps(s, from, f->bytes) && n < s->bytes; n++)
                if (s->to + n >= from && s->to + n < from + f->bytes)
                    ((unsigned char *)to)[s->to + n - from] = ((const unsigned char *)&s->value)[n];
            if (s->to == from)
                message = &s->left;
        }
    }
    receive(w, c->w, message, f->sem, f->scope);
}

void weak_store(run *c, const insn *i, int lane, unsigned char *to, const access_form *f,
                const void *value)
{
    weak *w = c->m->weak;
    buffer *b = &w->buffers[c->b->slot];
    const uint32_t u = unit_of(w, c->w);
    cell *word = cells_at(c, to);
    const access_mark own = mark_of(c, i, to, f);
    for (int at = 0; word && at < f->bytes; at += CELL_WORD, word++) {
        if (c->m->options.races) {
            if (memcmp(to, value, (size_t)f->bytes) != 0)
                check_race(c, i, lane, &word->wrote, &own, "it is also written");
            check_race(c, i, lane, &word->read, &own, "it is read");
        }
        word->wrote = own;
    }
    pending s = {.number = ++b->number,
                 .to = to,
                 .bytes = f->bytes,
                 .unit = u,
                 .clock = own.clock,
                 .behind = w->of[u].behind,
                 .behind_met = w->of[u].behind_met,
                 .strong = f->sem != SEM_WEAK};
    memcpy(&s.value, value, (size_t)(f->bytes < 8 ? f->bytes : 8));
    s.left = to_leave(w, c->w, f->sem, f->scope);
    if (f->sem == SEM_RELEASE && f->scope >= SCOPE_GPU) {
        s.behind = s.number;
        s.behind_met = w->of[u].met;
    }
    if (!c->m->options.weak || f->bytes > 8 || !cells_at(c, to)) {
        memcpy(to, value, (size_t)f->bytes);
        set_message(w, to, &s.left);
        return;
    }
    if (b->count == BUFFER)
        drain_some(c, b, 8);
    if (b->count == BUFFER)
        force(c, b, 0);
    b->hint[hash(to)]++;
    b->stores[b->count++] = s;
}

void weak_atomic_begin(run *c, const insn *i, int lane, unsigned char *p, const access_form *f)
{
    weak *w = c->m->weak;
    buffer *b = &w->buffers[c->b->slot];
    cell *word = cells_at(c, p);
    const uint32_t u = unit_of(w, c->w);
    const bool releases = f->sem == SEM_RELEASE || f->sem == SEM_ACQ_REL;
    if (releases && f->scope >= SCOPE_GPU)
        drain_covered(c);
    for (int k = 0; k < b->count;) {
        const pending *s = &b->stores[k];
        const bool fenced =
            s->number < w->of[u].behind && (s->unit == u || s->number < w->of[u].behind_met);
        if (overlaps(s, p, f->bytes) || fenced) {
            force(c, b, k);
            k = 0;
        } else {
            k++;
        }
    }
    receive(w, c->w, find_message(w, p, false), f->sem == SEM_RELEASE ? SEM_RELAXED : f->sem,
            f->scope);
    w->before = 0;
    memcpy(&w->before, p, (size_t)(f->bytes < 8 ? f->bytes : 8));
    const access_mark own = mark_of(c, i, p, f);
    if (word && c->m->options.races) {
        check_race(c, i, lane, &word->wrote, &own, "it is written");
        check_race(c, i, lane, &word->read, &own, "it is read");
    }
    if (word)
        word->wrote = own;
}

void weak_atomic_end(run *c, const insn *i, int lane, unsigned char *p, const access_form *f)
{
    weak *w = c->m->weak;
    cell *word = cells_at(c, p);
    (void)i;
    (void)lane;
    if (word) {
        word->old = (uint32_t)w->before;
        word->unit = unit_of(w, c->w) + 1;
        word->clock = w->of[word->unit - 1].clock;
    }
    /* Reading and writing in one continues what a release before it began. */
    message left = to_leave(w, c->w, f->sem, f->scope);
    if (!left.gpu && !left.cta)
        return;
    const message *before = find_message(w, p, false);
    if (before && before->gpu && left.gpu)
        merge(w, left.gpu, before->gpu);
    if (before && before->gpu && !left.gpu)
        left.gpu = copy_clocks(w, before->gpu);
    if (before && before->cta && left.cta && before->slot == left.slot)
        merge(w, left.cta, before->cta);
    if (left.gpu && left.cta)
        merge(w, left.cta, left.gpu);
    set_message(w, p, &left);
}

struct shared_word *weak_shared_new(size_t bytes)
{
    return calloc(bytes / CELL_WORD + 1, sizeof(shared_word));
}

void weak_shared_begin(block *b)
{
    memset(b->shared_words, 0, (b->shared_bytes / CELL_WORD + 1) * sizeof *b->shared_words);
}

void weak_shared(run *c, const insn *i, int lane, const unsigned char *p, const access_form *f, bool write,
                 const void *value)
{
    const block *b = c->b;
    if (!b->shared_words || p < b->shared || p >= b->shared + b->shared_bytes)
        return;
    shared_word *word = b->shared_words + (size_t)(p - b->shared) / CELL_WORD;
    const access_mark own = mark_of(c, i, p, f);
    for (int at = 0; at < f->bytes; at += CELL_WORD, word++) {
        const bool changes = write && (!value || memcmp(p, value, (size_t)f->bytes) != 0);
        if (!write || changes)
            check_race_in(c, i, lane, &word->wrote, &own, "it is written", " in shared memory");
        if (changes)
            check_race_in(c, i, lane, &word->read, &own, "it is read", " in shared memory");
        *(write ? &word->wrote : &word->read) = own;
    }
}

void weak_fence(run *c, semantics sem, scope s)
{
    weak *w = c->m->weak;
    const uint32_t u = unit_of(w, c->w);
    unit *of = &w->of[u];
    uint32_t *clocks = clocks_of(w, u);
    if (of->seen_cta)
        merge(w, clocks, of->seen_cta);
    if (of->seen_gpu && s >= SCOPE_GPU)
        merge(w, clocks, of->seen_gpu);
    of->dirty = true;
    if (sem == SEM_SC && s >= SCOPE_GPU) {
        drain_covered(c);
        merge(w, clocks, w->order);
        merge(w, w->order, clocks);
    }
    if (s >= SCOPE_GPU) {
        of->behind = w->buffers[c->b->slot].number + 1;
        of->behind_met = of->met;
        free(of->gpu);
        of->gpu = copy_clocks(w, clocks);
    }
    free(of->cta);
    of->cta = copy_clocks(w, clocks);
    clocks[u] = ++of->clock;
}

void weak_meet(weak *w, block *b, const uint32_t *lanes)
{
    const uint32_t first = (uint32_t)(b->slot * w->warps);
    bool dirty = false, all = true;
    uint32_t *sum = need(calloc((size_t)w->units, sizeof *sum));
    for (int k = 0; k < w->warps; k++) {
        dirty |= lanes[k] && w->of[first + (uint32_t)k].dirty;
        all &= lanes[k] || !b->warps[k].live;
    }
    const size_t from = dirty ? 0 : first, to = dirty ? (size_t)w->units : first + (size_t)w->warps;
    for (int k = 0; k < w->warps; k++) {
        const uint32_t *clocks = clocks_of(w, first + (uint32_t)k);
        for (size_t n = from; lanes[k] && n < to; n++)
            sum[n] = sum[n] > clocks[n] ? sum[n] : clocks[n];
    }
    for (int k = 0; k < w->warps; k++) {
        unit *of = &w->of[first + (uint32_t)k];
        if (!lanes[k])
            continue;
        memcpy(clocks_of(w, first + (uint32_t)k) + from, sum + from, (to - from) * sizeof *sum);
        clocks_of(w, first + (uint32_t)k)[first + (uint32_t)k] = ++of->clock;
        of->met = w->buffers[b->slot].number + 1;
        of->dirty = dirty && !all;
    }
    free(sum);
}
