#include "tests/run/kernels/interpret.h"

#include <string.h>

static unsigned source_lane(const expr *e, unsigned lane, uint32_t given)
{
    const unsigned width = (unsigned)e->bits, first = lane & ~(width - 1), last = first + width - 1;
    unsigned from = lane;
    given &= 31;
    if (e->way == INDEXED)
        return first + (given & (width - 1));
    if (e->way == UP)
        return lane >= first + given ? lane - given : lane;
    from = e->way == DOWN ? lane + given : lane ^ given;
    return from <= last ? from : lane;
}

/** The mask of each thread, all lanes of which must be here with the same one. */
static void check_masks(machine *m, const set *active, const vector *mask)
{
    EACH_THREAD (i, active) {
        const uint32_t here = lanes(active, i / 32), own = (uint32_t)mask->v[i];
        if (!has(&mask->defined, i) || !(own >> (i % 32) & 1) ||
            (own & lanes(&m->live, i / 32) & ~here))
            interpret_fault(m, "a mask names lanes that are not here");
        for (unsigned l = 0; l < 32; l++)
            if (own & here & 1u << l && (uint32_t)mask->v[i / 32 * 32 + l] != own)
                interpret_fault(m, "masks differ");
    }
}

static void shuffle(machine *m, const expr *e, const set *active, const vector *a, vector *to)
{
    EACH_THREAD (i, active) {
        const unsigned from = i / 32 * 32 + source_lane(e, i % 32, (uint32_t)a[2].v[i]);
        if (!has(&a[2].defined, i))
            interpret_fault(m, "a lane is undefined");
        to->v[i] = a[1].v[from];
        if (from < m->k->threads && has(active, from) && (uint32_t)a[0].v[i] >> (from % 32) & 1 &&
            has(&a[1].defined, from))
            add(&to->defined, i);
    }
}

/** Combines the values of the lanes of `group`, for thread `i`. */
static value combine(const expr *e, type t, uint32_t group, const vector *v, unsigned i)
{
    const unsigned first = i / 32 * 32;
    uint32_t same = 0, set_lanes = 0;
    value r = v->v[i];
    for (unsigned l = 0; l < 32; l++) {
        if (!(group >> l & 1))
            continue;
        same |= (uint32_t)(v->v[first + l] == v->v[i]) << l;
        set_lanes |= (uint32_t)!value_unary(LNOT, t, v->v[first + l]) << l;
        if (e->kind == REDUCE && first + l != i)
            value_binary(&r, e->op, t, r, v->v[first + l]);
    }
    if (e->kind == MATCH)
        return e->way == ANY || same == group ? same : 0;
    if (e->kind == VOTE)
        return e->way == BALLOT ? set_lanes : e->way == ANY ? set_lanes != 0 : set_lanes == group;
    return r;
}

void interpret_warp(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector a[3];
    for (unsigned n = 0; n < (e->kind == SHUFFLE ? 3 : 2); n++)
        interpret_evaluate(m, f, e->a[n], active, &a[n]);
    check_masks(m, active, &a[0]);
    if (e->kind == SHUFFLE) {
        shuffle(m, e, active, a, to);
        return;
    }
    EACH_THREAD (i, active) {
        const uint32_t group = (uint32_t)a[0].v[i] & lanes(active, i / 32);
        if (!has(&a[1].defined, i))
            interpret_fault(m, "what all lanes see is undefined");
        to->v[i] = combine(e, e->a[1]->type, group, &a[1], i);
        add(&to->defined, i);
    }
}

void interpret_barrier(machine *m, const set *active)
{
    if (memcmp(active, &m->live, sizeof *active) != 0)
        interpret_fault(m, "a barrier that some threads do not reach");
    m->time++;
}

void interpret_meet(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector a;
    interpret_evaluate(m, f, e->a[0], active, &a);
    const set true_in = interpret_holds(m, active, &a, e->a[0]->type);
    value count = 0, all = 0;
    EACH_THREAD (i, active) {
        all++;
        count += has(&true_in, i);
    }
    interpret_barrier(m, active);
    EACH_THREAD (i, active) {
        to->v[i] = e->way == BALLOT ? count : e->way == ANY ? count != 0 : count == all;
        add(&to->defined, i);
    }
}

void interpret_syncwarp(machine *m, frame *f, const stmt *s, const set *active)
{
    vector mask;
    interpret_evaluate(m, f, s->e, active, &mask);
    check_masks(m, active, &mask);
    EACH_THREAD (i, active) {
        const uint32_t live = lanes(&m->live, i / 32);
        if (((uint32_t)mask.v[i] & live) == live)
            m->warp_time[i / 32]++;
    }
}
