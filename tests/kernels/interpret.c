#include "tests/kernels/kernel.h"

#include <stdlib.h>
#include <string.h>

/*
 * All threads of a block go through each statement together: those that are not in it wait. That is one of the orders
 * that CUDA allows, and where a kernel has no races all orders give the same. What a kernel must not do is a
 * fault: a race, a shared element or a warp operation that is not there, a condition that is undefined.
 */

typedef struct {
    uint64_t w[MOST_THREADS / 64];
} set;

typedef struct {
    value v[MOST_THREADS];
    set defined;
} vector;

static bool has(const set *s, unsigned i)
{
    return s->w[i / 64] >> (i % 64) & 1;
}

static void add(set *s, unsigned i)
{
    s->w[i / 64] |= (uint64_t)1 << (i % 64);
}

static void drop(set *s, unsigned i)
{
    s->w[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static bool is_empty(const set *s)
{
    return !(s->w[0] | s->w[1] | s->w[2] | s->w[3]);
}

static set without(const set *a, const set *b)
{
    set r;
    for (unsigned i = 0; i < MOST_THREADS / 64; i++)
        r.w[i] = a->w[i] & ~b->w[i];
    return r;
}

static set united(const set *a, const set *b)
{
    set r;
    for (unsigned i = 0; i < MOST_THREADS / 64; i++)
        r.w[i] = a->w[i] | b->w[i];
    return r;
}

/** The lanes of a warp that are in the set. */
static uint32_t lanes(const set *s, unsigned warp)
{
    return (uint32_t)(s->w[warp / 2] >> (warp % 2 * 32));
}

#define EACH(i, s) (unsigned i = 0; i < m->k->threads; i++) if (has((s), i))

/** Who was at an element since when: to find races. Times count barriers. */
typedef struct {
    value v;
    bool defined;
    unsigned writer, written, written_in_warp;  /**< the thread, the block's and its warp's times; 0: nobody yet */
    unsigned reader, read, read_in_warp;        /**< a thread, or ... */
    bool many, added;                           /**< several, of several warps; the writer was an atomic */
} element;

typedef struct {
    const kernel *k;
    const cuts *cut;
    outcome *o;
    unsigned block[3];
    bool first; /**< the first time: finds what is defined */
    set live;   /**< threads that have not returned from the kernel */
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

static void fault(machine *m, const char *why)
{
    if (!m->o->fault)
        m->o->fault = why;
}

static void evaluate(machine *m, frame *f, const expr *e, const set *active, vector *to);
static void execute(machine *m, frame *f, const stmt *s, const set *active);

/** The threads for which a condition holds; all must know it. */
static set holds(machine *m, const set *active, const vector *v, type t)
{
    set r = {{0}};
    for EACH(i, active) {
        if (!has(&v->defined, i))
            fault(m, "a condition is undefined");
        if (!value_unary(LNOT, t, v->v[i]))
            add(&r, i);
    }
    return r;
}

/* Memory. */

static void check_race(machine *m, const array *a, element *x, unsigned i, bool writes, bool adds)
{
    const unsigned warp = i / 32, now = m->time, own = m->warp_time[warp];
    const bool met_writer = x->written < now || x->writer == i ||
                            (x->writer / 32 == warp && (x->written_in_warp < own || a->is_volatile));
    const bool met_reader = x->read < now || (!x->many && (x->reader == i || (x->reader / 32 == warp &&
                                                                              (x->read_in_warp < own || a->is_volatile))));
    if (!met_writer && !(adds && x->added))
        fault(m, "a race");
    if (writes && !met_reader)
        fault(m, "a race");
    if (writes) {
        x->writer = i;
        x->written = now;
        x->written_in_warp = own;
        x->added = adds;
    } else {
        if (x->read < now)
            x->many = false;
        else if (x->reader != i)
            x->many = x->many || x->reader / 32 != warp || !a->is_volatile;
        x->reader = i;
        x->read = now;
        x->read_in_warp = own;
    }
}

/** The element that thread `i` means, or NULL. */
static element *find_element(machine *m, int index, value at, unsigned i)
{
    const array *a = &m->k->arrays.items[index];
    if (at >= (value)a->count) {
        fault(m, "an index is out of bounds");
        return NULL;
    }
    return &m->arrays[index][a->memory == PER_THREAD ? (value)i * (value)a->count + at : at];
}

static void load(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    const array *a = &m->k->arrays.items[e->index];
    vector at;
    evaluate(m, f, e->a[0], active, &at);
    for EACH(i, active) {
        if (!has(&at.defined, i))
            fault(m, "an index is undefined");
        element *x = find_element(m, e->index, at.v[i], i);
        if (!x)
            return;
        if (a->memory != PER_THREAD)
            check_race(m, a, x, i, false, false);
        to->v[i] = x->v;
        if (x->defined)
            add(&to->defined, i);
    }
}

/** `old op v` as C++ converts it, in the type of `old`. */
static value combined(machine *m, operation op, type t, value old, type from, value v, bool *defined)
{
    if (op == OPERATORS)
        return value_convert(t, from, v);
    if (op == SHL || op == SHR) {
        const type p = type_promoted(t);
        return value_convert(t, p, value_shift(op, p, value_convert(p, t, old), v));
    }
    (void)m;
    const type c = type_common(t, from);
    value r = 0;
    if (!value_binary(&r, op, c, value_convert(c, t, old), value_convert(c, from, v)))
        *defined = false;
    return value_convert(t, c, r);
}

static void store(machine *m, frame *f, const stmt *s, const set *active)
{
    const array *a = &m->k->arrays.items[s->index];
    vector at, v;
    evaluate(m, f, s->at, active, &at);
    evaluate(m, f, s->e, active, &v);
    for EACH(i, active) /* all read before any writes, as a warp does */
        if (!has(&at.defined, i))
            fault(m, "an index is undefined");
    value results[MOST_THREADS];
    bool defined[MOST_THREADS];
    for EACH(i, active) {
        element *x = find_element(m, s->index, at.v[i], i);
        if (!x)
            return;
        defined[i] = has(&v.defined, i) && (s->op == OPERATORS || x->defined);
        results[i] = combined(m, s->op, a->type, x->v, s->e->type, v.v[i], &defined[i]);
        if (s->op != OPERATORS && a->memory != PER_THREAD)
            check_race(m, a, x, i, false, false);
    }
    for EACH(i, active) {
        element *x = find_element(m, s->index, at.v[i], i);
        if (a->memory != PER_THREAD)
            check_race(m, a, x, i, true, false);
        x->v = results[i];
        x->defined = defined[i];
    }
}

static void make_atomic(machine *m, frame *f, const stmt *s, const set *active)
{
    const array *a = &m->k->arrays.items[s->index];
    vector at, v;
    evaluate(m, f, s->at, active, &at);
    evaluate(m, f, s->e, active, &v);
    for EACH(i, active) {
        element *x = find_element(m, s->index, at.v[i], i);
        if (!x || !has(&at.defined, i) || !has(&v.defined, i) || !x->defined) {
            fault(m, "an atomic is undefined");
            return;
        }
        if (a->memory != CELLS)
            check_race(m, a, x, i, true, true);
        if (s->slot >= 0) {
            f->variables[s->slot].v[i] = value_convert(f->f->variables.items[s->slot].type, a->type, x->v);
            add(&f->variables[s->slot].defined, i);
        }
        bool defined = true;
        const value new = value_convert(a->type, s->e->type, v.v[i]);
        if (s->way == INCREMENT)
            x->v = x->v >= new ? 0 : x->v + 1;
        else
            x->v = combined(m, s->op, a->type, x->v, a->type, new, &defined);
    }
}

/* Warps. */

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
    for EACH(i, active) {
        const uint32_t here = lanes(active, i / 32), own = (uint32_t)mask->v[i];
        if (!has(&mask->defined, i) || !(own >> (i % 32) & 1) || (own & lanes(&m->live, i / 32) & ~here))
            fault(m, "a mask names lanes that are not here");
        for (unsigned l = 0; l < 32; l++)
            if (own & here & 1u << l && (uint32_t)mask->v[i / 32 * 32 + l] != own)
                fault(m, "masks differ");
    }
}

static void shuffle(machine *m, const expr *e, const set *active, const vector *a, vector *to)
{
    for EACH(i, active) {
        const unsigned from = i / 32 * 32 + source_lane(e, i % 32, (uint32_t)a[2].v[i]);
        if (!has(&a[2].defined, i))
            fault(m, "a lane is undefined");
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

static void warp_operation(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector a[3];
    for (unsigned n = 0; n < (e->kind == SHUFFLE ? 3 : 2); n++)
        evaluate(m, f, e->a[n], active, &a[n]);
    check_masks(m, active, &a[0]);
    if (e->kind == SHUFFLE) {
        shuffle(m, e, active, a, to);
        return;
    }
    for EACH(i, active) {
        const uint32_t group = (uint32_t)a[0].v[i] & lanes(active, i / 32);
        if (!has(&a[1].defined, i))
            fault(m, "what all lanes see is undefined");
        to->v[i] = combine(e, e->a[1]->type, group, &a[1], i);
        add(&to->defined, i);
    }
}

static void pass_barrier(machine *m, const set *active)
{
    if (memcmp(active, &m->live, sizeof *active) != 0)
        fault(m, "a barrier that some threads do not reach");
    m->time++;
}

static void meet(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector a;
    evaluate(m, f, e->a[0], active, &a);
    const set true_in = holds(m, active, &a, e->a[0]->type);
    value count = 0, all = 0;
    for EACH(i, active) {
        all++;
        count += has(&true_in, i);
    }
    pass_barrier(m, active);
    for EACH(i, active) {
        to->v[i] = e->way == BALLOT ? count : e->way == ANY ? count != 0 : count == all;
        add(&to->defined, i);
    }
}

/* Expressions. */

static value built_in_value(const machine *m, built_in b, unsigned i)
{
    const unsigned *d = m->k->block;
    switch (b) {
    case THREAD: return i;
    case LANE: return i % 32;
    case WARP: return i / 32;
    case TID_X: return i % d[0];
    case TID_Y: return i / d[0] % d[1];
    case TID_Z: return i / d[0] / d[1];
    case FULL: return 0xffffffffu;
    default: break;
    }
    if (b <= BID_Z)
        return m->block[b - BID_X];
    return b <= BDIM_Z ? d[b - BDIM_X] : m->k->grid[b - GDIM_X];
}

static void select_value(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector c, a, b;
    evaluate(m, f, e->a[0], active, &c);
    set known = {{0}}; /* an undefined condition gives an undefined value */
    for EACH(i, active)
        if (has(&c.defined, i))
            add(&known, i);
    const set yes = holds(m, &known, &c, e->a[0]->type), no = without(&known, &yes);
    evaluate(m, f, e->a[1], &yes, &a);
    evaluate(m, f, e->a[2], &no, &b);
    for EACH(i, &known) {
        const vector *from = has(&yes, i) ? &a : &b;
        to->v[i] = from->v[i];
        if (has(&from->defined, i))
            add(&to->defined, i);
    }
}

/** && and ||: the second operand is evaluated where the first leaves it open. */
static void logical(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector a, b;
    evaluate(m, f, e->a[0], active, &a);
    const set yes = holds(m, active, &a, e->a[0]->type), no = without(active, &yes);
    const set *open = e->op == LAND ? &yes : &no;
    evaluate(m, f, e->a[1], open, &b);
    const set second = holds(m, open, &b, e->a[1]->type);
    for EACH(i, active) {
        to->v[i] = has(open, i) ? has(&second, i) : e->op == LOR;
        add(&to->defined, i);
    }
}

static bool operate(value *out, const expr *e, const value *v)
{
    const expr *const *a = (const expr *const *)e->a;
    if (e->kind == UNARY) {
        const bool keeps = e->op == CLZ || e->op == POPC || e->op == FFS || e->op == LNOT;
        const type t = keeps ? type_promoted(a[0]->type) : e->type;
        *out = value_unary(e->op, t, value_convert(t, a[0]->type, v[0]));
        return true;
    }
    if (e->kind == TERNARY) {
        value c[3];
        for (int i = 0; i < 3; i++)
            c[i] = value_convert(e->type, a[i]->type, v[i]);
        *out = value_ternary(e->op, c[0], c[1], c[2], e->type);
        return true;
    }
    if (e->op == SHL || e->op == SHR) {
        *out = value_shift(e->op, e->type, value_convert(e->type, a[0]->type, v[0]), v[1]);
        return true;
    }
    const type t = type_common(a[0]->type, a[1]->type);
    return value_binary(out, e->op, t, value_convert(t, a[0]->type, v[0]), value_convert(t, a[1]->type, v[1]));
}

static void operation_of(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector a[3];
    const unsigned count = e->kind == UNARY ? 1 : e->kind == BINARY ? 2 : 3;
    for (unsigned n = 0; n < count; n++)
        evaluate(m, f, e->a[n], active, &a[n]);
    for EACH(i, active) {
        value v[3] = {0};
        bool defined = true;
        for (unsigned n = 0; n < count; n++) {
            defined &= has(&a[n].defined, i);
            v[n] = a[n].v[i];
        }
        if (!defined)
            continue;
        if (operate(&to->v[i], e, v))
            add(&to->defined, i);
        else
            fault(m, "an operator is undefined");
    }
}

static void cast(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector a;
    evaluate(m, f, e->a[0], active, &a);
    const type from = e->a[0]->type;
    for EACH(i, active)
        to->v[i] = e->op == OPERATORS ? value_convert(e->type, from, a.v[i]) : value_round(e->type, from, e->op, a.v[i]);
    to->defined = a.defined;
}

static void call(machine *m, frame *caller, const expr *e, const set *active, vector *to)
{
    const function *g = &m->k->functions.items[e->index];
    frame *f = calloc(1, sizeof *f);
    f->f = g;
    f->number = e->index;
    f->variables = calloc(g->variables.count + 1, sizeof *f->variables);
    for (int n = 0; n < g->parameter_count; n++) {
        vector a;
        evaluate(m, caller, e->a[n], active, &a);
        for EACH(i, active)
            f->variables[n].v[i] = value_convert(g->variables.items[n].type, e->a[n]->type, a.v[i]);
        f->variables[n].defined = a.defined;
    }
    if (g->result) {
        vector r;
        evaluate(m, f, g->result, active, &r);
        for EACH(i, active)
            to->v[i] = value_convert(g->type, g->result->type, r.v[i]);
        to->defined = r.defined;
    } else {
        execute(m, f, g->body, active);
        *to = f->result;
    }
    free(f->variables);
    free(f);
}

static void evaluate(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    memset(to, 0, sizeof *to);
    if (is_empty(active) && e->kind != MEET)
        return;
    switch (e->kind) {
    case VARIABLE: *to = f->variables[e->index]; return;
    case SELECT: select_value(m, f, e, active, to); return;
    case CAST: cast(m, f, e, active, to); return;
    case ELEMENT: load(m, f, e, active, to); return;
    case CALL: call(m, f, e, active, to); return;
    case SHUFFLE:
    case VOTE:
    case MATCH:
    case REDUCE: warp_operation(m, f, e, active, to); return;
    case MEET: meet(m, f, e, active, to); return;
    case BINARY:
        if (e->op == LAND || e->op == LOR) {
            logical(m, f, e, active, to);
            return;
        }
        operation_of(m, f, e, active, to);
        return;
    case UNARY:
    case TERNARY: operation_of(m, f, e, active, to); return;
    case POOL: evaluate(m, f, e->a[0], active, to); break;
    case CONSTANT:
    case TEMPLATE:
    case BUILTIN: to->defined = *active; break;
    }
    for EACH(i, active)
        to->v[i] = e->kind == CONSTANT   ? e->bits
                   : e->kind == TEMPLATE ? f->f->values[e->index]
                   : e->kind == BUILTIN  ? built_in_value(m, (built_in)e->index, i)
                                         : pool_value(e->type, (int)(to->v[i] % POOL_SIZE));
}

/* Statements. */

static void assign(machine *m, frame *f, int index, operation op, const vector *v, type from, const set *active)
{
    vector *x = &f->variables[index];
    const type t = f->f->variables.items[index].type;
    for EACH(i, active) {
        bool defined = has(&v->defined, i) && (op == OPERATORS || has(&x->defined, i));
        x->v[i] = combined(m, op, t, x->v[i], from, v->v[i], &defined);
        drop(&x->defined, i);
        if (defined)
            add(&x->defined, i);
    }
}

static value shown(type t, value v)
{
    const bool no_number = t == F32 ? (v & 0x7fffffffu) > 0x7f800000u : t == F64 && v << 1 > 0xffe0000000000000u;
    return !no_number ? v : t == F32 ? 0x7fc00000u : 0x7ff8000000000000u; /* which one it is, is not told */
}

static void see(machine *m, const frame *f, const stmt *s, const set *active)
{
    const unsigned b = m->block[0] + m->k->grid[0] * (m->block[1] + m->k->grid[1] * m->block[2]);
    const vector *v = &f->variables[s->index];
    for EACH(i, active) {
        const unsigned at = b * m->k->threads + i;
        uint64_t *out = &m->o->out[at * SLOTS + (unsigned)s->slot];
        if (m->first && !has(&v->defined, i))
            m->o->seen[at] &= ~(1u << s->slot);
        if (!m->first && m->o->seen[at] >> s->slot & 1)
            *out = *out * 33 + shown(f->f->variables.items[s->index].type, v->v[i]);
    }
}

static void loop(machine *m, frame *f, const stmt *s, const set *active)
{
    const set broken = f->broken, continued = f->continued;
    vector *counter = &f->variables[s->index];
    set in = *active;
    f->broken = (set){{0}};
    for EACH(i, active) {
        counter->v[i] = 0;
        add(&counter->defined, i);
    }
    for (unsigned turns = 0; !is_empty(&in) && !m->o->fault; turns++) {
        vector v;
        if (s->kind == FOR) {
            evaluate(m, f, s->e, &in, &v);
            set more = {{0}};
            for EACH(i, &in)
                if ((int64_t)counter->v[i] < (int64_t)v.v[i])
                    add(&more, i);
            in = more;
        }
        f->continued = (set){{0}};
        execute(m, f, s->body, &in);
        in = without(&in, &f->broken);
        in = without(&in, &f->returned);
        set next = {{0}};
        for EACH(i, &in) {
            counter->v[i] += s->kind == FOR ? (value)s->slot : 1;
            if (s->kind == FOR || counter->v[i] < (value)s->slot)
                add(&next, i);
        }
        in = next;
        if (s->kind == WHILE && !is_empty(&in)) {
            evaluate(m, f, s->e, &in, &v);
            in = holds(m, &in, &v, s->e->type);
        }
        if (turns > 64)
            fault(m, "a loop that does not end");
    }
    f->broken = broken;
    f->continued = continued;
}

static void switch_over(machine *m, frame *f, const stmt *s, const set *active)
{
    vector v;
    evaluate(m, f, s->e, active, &v);
    set one = {{0}}, two = {{0}};
    for EACH(i, active) {
        if (!has(&v.defined, i))
            fault(m, "a condition is undefined");
        if ((v.v[i] & 3) == 1)
            add(&one, i);
        else if ((v.v[i] & 3) == 2 || (v.v[i] & 3) == 3)
            add(&two, i);
    }
    execute(m, f, s->body, &one);
    if (s->slot)
        two = united(&one, &two);
    execute(m, f, s->other, &two);
}

static void lambda(machine *m, frame *f, const stmt *s, const set *active)
{
    vector sum, second, arguments[2];
    const type result = f->f->variables.items[s->index].type, parameter = f->f->variables.items[s->slot].type;
    evaluate(m, f, s->at, active, &arguments[0]);
    evaluate(m, f, s->more, active, &arguments[1]);
    for (int n = 0; n < 2; n++) {
        vector *r = n ? &second : &sum;
        const type from = n ? s->more->type : s->at->type;
        for EACH(i, active)
            f->variables[s->slot].v[i] = value_convert(parameter, from, arguments[n].v[i]);
        f->variables[s->slot].defined = arguments[n].defined;
        evaluate(m, f, s->e, active, r);
        for EACH(i, active)
            r->v[i] = value_convert(result, s->e->type, r->v[i]);
    }
    for EACH(i, active) {
        if (!value_binary(&sum.v[i], ADD, result, sum.v[i], second.v[i]) || !has(&second.defined, i))
            drop(&sum.defined, i);
    }
    assign(m, f, s->index, OPERATORS, &sum, result, active);
}

static void leave(machine *m, frame *f, const stmt *s, const set *active)
{
    if (f->number == 0) {
        m->live = without(&m->live, active);
    } else {
        vector v;
        evaluate(m, f, s->e, active, &v);
        for EACH(i, active) {
            f->result.v[i] = value_convert(f->f->type, s->e->type, v.v[i]);
            if (has(&v.defined, i))
                add(&f->result.defined, i);
        }
    }
    f->returned = united(&f->returned, active);
}

static void step(machine *m, frame *f, const stmt *s, const set *active)
{
    vector v;
    switch (s->kind) {
    case DECLARE:
        for EACH(i, active)
            drop(&f->variables[s->index].defined, i);
        if (!s->e || (m->cut && m->cut->left_out[s->number]))
            break;
        evaluate(m, f, s->e, active, &v);
        assign(m, f, s->index, OPERATORS, &v, s->e->type, active);
        break;
    case ASSIGN:
        evaluate(m, f, s->e, active, &v);
        assign(m, f, s->index, s->op, &v, s->e->type, active);
        break;
    case DECLARE_ARRAY:
        for EACH(i, active)
            for (int n = 0; n < m->k->arrays.items[s->index].count; n++)
                *find_element(m, s->index, (value)n, i) = (element){.defined = s->slot};
        break;
    case STORE: store(m, f, s, active); break;
    case SEE: see(m, f, s, active); break;
    case IF: {
        evaluate(m, f, s->e, active, &v);
        const set yes = holds(m, active, &v, s->e->type), no = without(active, &yes);
        execute(m, f, s->body, &yes);
        execute(m, f, s->other, &no);
        break;
    }
    case FOR:
    case WHILE: loop(m, f, s, active); break;
    case SWITCH: switch_over(m, f, s, active); break;
    case BREAK: f->broken = united(&f->broken, active); break;
    case CONTINUE: f->continued = united(&f->continued, active); break;
    case RETURN: leave(m, f, s, active); break;
    case BARRIER: pass_barrier(m, active); break;
    case SYNCWARP:
        evaluate(m, f, s->e, active, &v);
        check_masks(m, active, &v);
        for EACH(i, active)
            if (((uint32_t)v.v[i] & lanes(&m->live, i / 32)) == lanes(&m->live, i / 32))
                m->warp_time[i / 32]++;
        break;
    case ATOMIC: make_atomic(m, f, s, active); break;
    case LAMBDA: lambda(m, f, s, active); break;
    }
}

static void execute(machine *m, frame *f, const stmt *s, const set *active)
{
    for (; s && !m->o->fault; s = s->next) {
        set now = without(active, &f->returned);
        now = without(&now, &f->broken);
        now = without(&now, &f->continued);
        if (is_empty(&now))
            return;
        if (m->cut && m->cut->left_out[s->number] && s->kind != DECLARE && s->kind != DECLARE_ARRAY)
            continue;
        step(m, f, s, &now);
    }
}

/* Kernels. */

static void clear_block(machine *m)
{
    for (size_t i = 0; i < m->k->arrays.count; i++) {
        const array *a = &m->k->arrays.items[i];
        if (a->memory != CELLS)
            memset(m->arrays[i], 0, sizeof(element) * (size_t)a->count * (a->memory == PER_THREAD ? m->k->threads : 1));
    }
    m->time = 1;
    for (unsigned i = 0; i < MOST_THREADS / 32; i++)
        m->warp_time[i] = 1;
    m->live = (set){{0}};
    for (unsigned i = 0; i < m->k->threads; i++)
        add(&m->live, i);
}

static void run_block(machine *m)
{
    const function *g = &m->k->functions.items[0];
    frame *f = calloc(1, sizeof *f);
    f->f = g;
    f->variables = calloc(g->variables.count + 1, sizeof *f->variables);
    clear_block(m);
    for (int n = 0; n < g->parameter_count; n++)
        for EACH(i, &m->live) {
            f->variables[n].v[i] = m->k->arguments[n];
            add(&f->variables[n].defined, i);
        }
    const set all = m->live;
    execute(m, f, g->body, &all);
    free(f->variables);
    free(f);
}

static void run_grid(machine *m)
{
    const unsigned *g = m->k->grid;
    for (size_t i = 0; i < m->k->arrays.count; i++)
        for (int n = 0; m->k->arrays.items[i].memory == CELLS && n < CELL_COUNT; n++)
            m->arrays[i][n] = (element){.v = cell_initial(&m->k->arrays.items[i], n), .defined = true};
    for (unsigned b = 0; b < m->k->blocks && !m->o->fault; b++) {
        m->block[0] = b % g[0];
        m->block[1] = b / g[0] % g[1];
        m->block[2] = b / g[0] / g[1];
        run_block(m);
    }
}

void kernel_interpret(outcome *o, const kernel *k, const cuts *cut, rk_arena *arena)
{
    const size_t threads = (size_t)k->threads * k->blocks;
    machine m = {.k = k, .cut = cut, .o = o, .first = true};
    *o = (outcome){.seen = RK_NEW_ARRAY(arena, uint32_t, threads),
                   .out = RK_NEW_ARRAY(arena, uint64_t, threads * SLOTS),
                   .cells = RK_NEW_ARRAY(arena, value, CELL_COUNT * (k->arrays.count + 1))};
    memset(o->seen, 0xff, threads * sizeof *o->seen);
    m.arrays = RK_NEW_ARRAY(arena, element *, k->arrays.count + 1);
    for (size_t i = 0; i < k->arrays.count; i++)
        m.arrays[i] = RK_NEW_ARRAY(arena, element,
                                   (size_t)k->arrays.items[i].count *
                                       (k->arrays.items[i].memory == PER_THREAD ? k->threads : 1));
    run_grid(&m);
    m.first = false;
    if (!o->fault)
        run_grid(&m);
    for (size_t i = 0; i < k->arrays.count; i++)
        for (int n = 0; k->arrays.items[i].memory == CELLS && n < CELL_COUNT; n++)
            o->cells[i * CELL_COUNT + (size_t)n] = m.arrays[i][n].v;
}
