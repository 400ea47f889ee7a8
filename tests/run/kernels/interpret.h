#ifndef TESTS_KERNELS_INTERPRET_H
#define TESTS_KERNELS_INTERPRET_H

#include "tests/run/kernels/kernel.h"

/* Shared by interpret.c, interpret_memory.c and interpret_warp.c. */

typedef struct {
    uint64_t w[MOST_THREADS / 64];
} set;

typedef struct {
    value v[MOST_THREADS];
    set defined;
} vector;

static inline bool has(const set *s, unsigned i)
{
    return s->w[i / 64] >> (i % 64) & 1;
}

static inline void add(set *s, unsigned i)
{
    s->w[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void drop(set *s, unsigned i)
{
    s->w[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static inline bool is_empty(const set *s)
{
    return !(s->w[0] | s->w[1] | s->w[2] | s->w[3]);
}

static inline set without(const set *a, const set *b)
{
    set r;
    for (unsigned i = 0; i < MOST_THREADS / 64; i++)
        r.w[i] = a->w[i] & ~b->w[i];
    return r;
}

static inline set united(const set *a, const set *b)
{
    set r;
    for (unsigned i = 0; i < MOST_THREADS / 64; i++)
        r.w[i] = a->w[i] | b->w[i];
    return r;
}

/** The lanes of a warp that are in the set. */
static inline uint32_t lanes(const set *s, unsigned warp)
{
    return (uint32_t)(s->w[warp / 2] >> (warp % 2 * 32));
}

/** Each thread of the set. */
#define EACH_THREAD(i, s)                                                                          \
    for (unsigned i = 0; i < m->k->threads; i++)                                                   \
        if (has(s, i))

/** Who was at an element since when: to find races. Times count barriers. */
typedef struct {
    value v;
    bool defined;
    unsigned writer, written,
        written_in_warp; /**< the thread, the block's and its warp's times; 0: nobody yet */
    unsigned reader, read, read_in_warp; /**< a thread, or ... */
    bool many, added;                    /**< several, of several warps; the writer was an atomic */
    unsigned written_with, read_with; /**< lanes of the warp that were at the last write, and at all reads since then */
} element;

typedef struct {
    const kernel *k;
    const cuts *cut;
    outcome *o;
    unsigned block[3];
    bool first;       /**< the first time: finds what is defined */
    set live;         /**< threads that have not returned from the kernel */
    element **arrays; /**< of each array; PER_THREAD ones have `count` for each thread */
    unsigned time, warp_time[MOST_THREADS / 32];
} machine;

typedef struct {
    const function *f;
    int number;
    vector *variables;
    vector result;
    set returned, broken, continued;
} frame;

void interpret_fault(machine *m, const char *why);
void interpret_evaluate(machine *m, frame *f, const expr *e, const set *active, vector *to);
/** The threads for which a condition holds; all must know it. */
set interpret_holds(machine *m, const set *active, const vector *v, type t);

/* interpret_memory.c */

void interpret_load(machine *m, frame *f, const expr *e, const set *active, vector *to);
void interpret_store(machine *m, frame *f, const stmt *s, const set *active);
void interpret_atomic(machine *m, frame *f, const stmt *s, const set *active);
/** The element that thread `i` means, or NULL. */
element *interpret_element(machine *m, int index, value at, unsigned i);
/** `old op v` as C++ converts it, in the type of `old`; `defined` becomes false where it is not. */
value interpret_combined(operation op, type t, value old, type from, value v, bool *defined);

/* interpret_warp.c */

void interpret_warp(machine *m, frame *f, const expr *e, const set *active, vector *to);
void interpret_meet(machine *m, frame *f, const expr *e, const set *active, vector *to);
void interpret_barrier(machine *m, const set *active);
void interpret_syncwarp(machine *m, frame *f, const stmt *s, const set *active);

#endif
