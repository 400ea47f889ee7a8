#include "tests/run/kernels/interpret.h"

/** The lanes of thread i's warp that are active with it. */
static unsigned lanes_with(const machine *m, const set *active, unsigned i)
{
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < 32 && i / 32 * 32 + lane < m->k->threads; lane++)
        lanes |= (unsigned)has(active, i / 32 * 32 + lane) << lane;
    return lanes;
}

/**
 * Thread i goes to an element. What lanes of one warp do is in order where a barrier of the warp lies between, or, with
 * volatile memory, where they went together to what came first: those that were elsewhere then may be late or early.
 */
static void check_race(machine *m, const array *a, element *x, unsigned i, const set *active, bool writes, bool adds)
{
    const unsigned warp = i / 32, now = m->time, own = m->warp_time[warp], lane = 1u << (i & 31);
    const unsigned with = a->is_volatile ? lanes_with(m, active, i) : 0;
    const bool met_writer =
        x->written < now || x->writer == i ||
        (x->writer / 32 == warp && (x->written_in_warp < own || x->written_with & lane));
    const bool met_reader =
        x->read < now ||
        (!x->many &&
         (x->reader == i || (x->reader / 32 == warp && (x->read_in_warp < own || x->read_with & lane))));
    if (!met_writer && !(adds && x->added))
        interpret_fault(m, "a race");
    if (writes && !met_reader)
        interpret_fault(m, "a race");
    if (writes) {
        x->writer = i;
        x->written = now;
        x->written_in_warp = own;
        x->written_with = with;
        x->added = adds;
    } else {
        const bool again = x->read == now && x->reader / 32 == warp && x->read_in_warp == own;
        if (x->read < now)
            x->many = false;
        else if (x->reader != i)
            x->many = x->many || x->reader / 32 != warp || !a->is_volatile;
        x->read_with = again ? x->read_with & with : with;
        x->reader = i;
        x->read = now;
        x->read_in_warp = own;
    }
}

element *interpret_element(machine *m, int index, value at, unsigned i)
{
    const array *a = &m->k->arrays.items[index];
    if (at >= (value)a->count) {
        interpret_fault(m, "an index is out of bounds");
        return NULL;
    }
    return &m->arrays[index][a->memory == PER_THREAD ? (value)i * (value)a->count + at : at];
}

void interpret_load(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    const array *a = &m->k->arrays.items[e->index];
    vector at;
    interpret_evaluate(m, f, e->a[0], active, &at);
    EACH_THREAD (i, active) {
        if (!has(&at.defined, i))
            interpret_fault(m, "an index is undefined");
        element *x = interpret_element(m, e->index, at.v[i], i);
        if (!x)
            return;
        if (a->memory != PER_THREAD)
            check_race(m, a, x, i, active, false, false);
        to->v[i] = x->v;
        if (x->defined)
            add(&to->defined, i);
    }
}

value interpret_combined(operation op, type t, value old, type from, value v, bool *defined)
{
    if (op == OPERATORS)
        return value_convert(t, from, v);
    if (op == SHL || op == SHR) {
        const type p = type_promoted(t);
        return value_convert(t, p, value_shift(op, p, value_convert(p, t, old), v));
    }
    const type c = type_common(t, from);
    value r = 0;
    if (!value_binary(&r, op, c, value_convert(c, t, old), value_convert(c, from, v)))
        *defined = false;
    return value_convert(t, c, r);
}

void interpret_store(machine *m, frame *f, const stmt *s, const set *active)
{
    const array *a = &m->k->arrays.items[s->index];
    vector at, v;
    interpret_evaluate(m, f, s->at, active, &at);
    interpret_evaluate(m, f, s->e, active, &v);
    EACH_THREAD (i, active) /* all read before any writes, as a warp does */
        if (!has(&at.defined, i))
            interpret_fault(m, "an index is undefined");
    value results[MOST_THREADS];
    bool defined[MOST_THREADS];
    EACH_THREAD (i, active) {
        element *x = interpret_element(m, s->index, at.v[i], i);
        if (!x)
            return;
        defined[i] = has(&v.defined, i) && (s->op == OPERATORS || x->defined);
        results[i] = interpret_combined(s->op, a->type, x->v, s->e->type, v.v[i], &defined[i]);
        if (s->op != OPERATORS && a->memory != PER_THREAD)
            check_race(m, a, x, i, active, false, false);
    }
    EACH_THREAD (i, active) {
        element *x = interpret_element(m, s->index, at.v[i], i);
        if (a->memory != PER_THREAD)
            check_race(m, a, x, i, active, true, false);
        x->v = results[i];
        x->defined = defined[i];
    }
}

void interpret_atomic(machine *m, frame *f, const stmt *s, const set *active)
{
    const array *a = &m->k->arrays.items[s->index];
    vector at, v;
    interpret_evaluate(m, f, s->at, active, &at);
    interpret_evaluate(m, f, s->e, active, &v);
    EACH_THREAD (i, active) {
        element *x = interpret_element(m, s->index, at.v[i], i);
        if (!x || !has(&at.defined, i) || !has(&v.defined, i) || !x->defined) {
            interpret_fault(m, "an atomic is undefined");
            return;
        }
        if (a->memory != CELLS)
            check_race(m, a, x, i, active, true, true);
        if (s->slot >= 0) {
            f->variables[s->slot].v[i] =
                value_convert(f->f->variables.items[s->slot].type, a->type, x->v);
            add(&f->variables[s->slot].defined, i);
        }
        bool defined = true;
        const value new = value_convert(a->type, s->e->type, v.v[i]);
        if (s->way == INCREMENT)
            x->v = x->v >= new ? 0 : x->v + 1;
        else
            x->v = interpret_combined(s->op, a->type, x->v, a->type, new, &defined);
    }
}
