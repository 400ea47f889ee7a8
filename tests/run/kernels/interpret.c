#include "tests/run/kernels/interpret.h"

#include <stdlib.h>
#include <string.h>

/*
 * All threads of a block go through each statement together: those that are not in it wait. That is one of the orders
 * that CUDA allows, and where a kernel has no races all orders give the same. What a kernel must not do is a
 * fault: a race, a shared element or a warp operation that is not there, a condition that is undefined.
 */

void interpret_fault(machine *m, const char *why)
{
    if (!m->o->fault)
        m->o->fault = why;
}

static void execute(machine *m, frame *f, const stmt *s, const set *active);

set interpret_holds(machine *m, const set *active, const vector *v, type t)
{
    set r = {{0}};
    EACH_THREAD (i, active) {
        if (!has(&v->defined, i))
            interpret_fault(m, "a condition is undefined");
        if (!value_unary(LNOT, t, v->v[i]))
            add(&r, i);
    }
    return r;
}

/* Expressions. */

static value built_in_value(const machine *m, built_in b, unsigned i)
{
    const unsigned *d = m->k->block;
    switch (b) {
    case THREAD:
        return i;
    case LANE:
        return i % 32;
    case WARP:
        return i / 32;
    case TID_X:
        return i % d[0];
    case TID_Y:
        return i / d[0] % d[1];
    case TID_Z:
        return i / d[0] / d[1];
    case FULL:
        return 0xffffffffu;
    default:
        break;
    }
    if (b <= BID_Z)
        return m->block[b - BID_X];
    return b <= BDIM_Z ? d[b - BDIM_X] : m->k->grid[b - GDIM_X];
}

static void select_value(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector c, a, b;
    interpret_evaluate(m, f, e->a[0], active, &c);
    set known = {{0}}; /* an undefined condition gives an undefined value */
    EACH_THREAD (i, active)
        if (has(&c.defined, i))
            add(&known, i);
    const set yes = interpret_holds(m, &known, &c, e->a[0]->type), no = without(&known, &yes);
    interpret_evaluate(m, f, e->a[1], &yes, &a);
    interpret_evaluate(m, f, e->a[2], &no, &b);
    EACH_THREAD (i, &known) {
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
    interpret_evaluate(m, f, e->a[0], active, &a);
    const set yes = interpret_holds(m, active, &a, e->a[0]->type), no = without(active, &yes);
    const set *open = e->op == LAND ? &yes : &no;
    interpret_evaluate(m, f, e->a[1], open, &b);
    const set second = interpret_holds(m, open, &b, e->a[1]->type);
    EACH_THREAD (i, active) {
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
    return value_binary(out, e->op, t, value_convert(t, a[0]->type, v[0]),
                        value_convert(t, a[1]->type, v[1]));
}

static void operation_of(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector a[3];
    const unsigned count = e->kind == UNARY ? 1 : e->kind == BINARY ? 2 : 3;
    for (unsigned n = 0; n < count; n++)
        interpret_evaluate(m, f, e->a[n], active, &a[n]);
    EACH_THREAD (i, active) {
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
            interpret_fault(m, "an operator is undefined");
    }
}

static void cast(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    vector a;
    interpret_evaluate(m, f, e->a[0], active, &a);
    const type from = e->a[0]->type;
    EACH_THREAD (i, active)
        to->v[i] = e->op == OPERATORS ? value_convert(e->type, from, a.v[i])
                                      : value_round(e->type, from, e->op, a.v[i]);
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
        interpret_evaluate(m, caller, e->a[n], active, &a);
        EACH_THREAD (i, active)
            f->variables[n].v[i] = value_convert(g->variables.items[n].type, e->a[n]->type, a.v[i]);
        f->variables[n].defined = a.defined;
    }
    if (g->result) {
        vector r;
        interpret_evaluate(m, f, g->result, active, &r);
        EACH_THREAD (i, active)
            to->v[i] = value_convert(g->type, g->result->type, r.v[i]);
        to->defined = r.defined;
    } else {
        execute(m, f, g->body, active);
        *to = f->result;
    }
    free(f->variables);
    free(f);
}

void interpret_evaluate(machine *m, frame *f, const expr *e, const set *active, vector *to)
{
    memset(to, 0, sizeof *to);
    if (is_empty(active) && e->kind != MEET)
        return;
    switch (e->kind) {
    case VARIABLE:
        *to = f->variables[e->index];
        return;
    case SELECT:
        select_value(m, f, e, active, to);
        return;
    case CAST:
        cast(m, f, e, active, to);
        return;
    case ELEMENT:
        interpret_load(m, f, e, active, to);
        return;
    case CALL:
        call(m, f, e, active, to);
        return;
    case SHUFFLE:
    case VOTE:
    case MATCH:
    case REDUCE:
        interpret_warp(m, f, e, active, to);
        return;
    case MEET:
        interpret_meet(m, f, e, active, to);
        return;
    case BINARY:
        if (e->op == LAND || e->op == LOR) {
            logical(m, f, e, active, to);
            return;
        }
        operation_of(m, f, e, active, to);
        return;
    case UNARY:
    case TERNARY:
        operation_of(m, f, e, active, to);
        return;
    case POOL:
        interpret_evaluate(m, f, e->a[0], active, to);
        break;
    case CONSTANT:
    case TEMPLATE:
    case BUILTIN:
        to->defined = *active;
        break;
    }
    EACH_THREAD (i, active)
        to->v[i] = e->kind == CONSTANT   ? e->bits
                   : e->kind == TEMPLATE ? f->f->values[e->index]
                   : e->kind == BUILTIN  ? built_in_value(m, (built_in)e->index, i)
                                         : pool_value(e->type, (int)(to->v[i] % POOL_SIZE));
}

/* Statements. */

static void assign(machine *m, frame *f, int index, operation op, const vector *v, type from,
                   const set *active)
{
    vector *x = &f->variables[index];
    const type t = f->f->variables.items[index].type;
    EACH_THREAD (i, active) {
        bool defined = has(&v->defined, i) && (op == OPERATORS || has(&x->defined, i));
        x->v[i] = interpret_combined(op, t, x->v[i], from, v->v[i], &defined);
        drop(&x->defined, i);
        if (defined)
            add(&x->defined, i);
    }
}

static value shown(type t, value v)
{
    const bool no_number =
        t == F32 ? (v & 0x7fffffffu) > 0x7f800000u : t == F64 && v << 1 > 0xffe0000000000000u;
    return !no_number ? v
           : t == F32 ? 0x7fc00000u
                      : 0x7ff8000000000000u; /* which one it is, is not told */
}

static void see(machine *m, const frame *f, const stmt *s, const set *active)
{
    const unsigned b = m->block[0] + m->k->grid[0] * (m->block[1] + m->k->grid[1] * m->block[2]);
    const vector *v = &f->variables[s->index];
    EACH_THREAD (i, active) {
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
    EACH_THREAD (i, active) {
        counter->v[i] = 0;
        add(&counter->defined, i);
    }
    for (unsigned turns = 0; !is_empty(&in) && !m->o->fault; turns++) {
        vector v;
        if (s->kind == FOR) {
            interpret_evaluate(m, f, s->e, &in, &v);
            set more = {{0}};
            EACH_THREAD (i, &in) {
                if (!has(&v.defined, i))
                    interpret_fault(m, "the bound of a loop is undefined");
                if ((int64_t)counter->v[i] < (int64_t)v.v[i])
                    add(&more, i);
            }
            in = more;
        }
        f->continued = (set){{0}};
        execute(m, f, s->body, &in);
        in = without(&in, &f->broken);
        in = without(&in, &f->returned);
        set next = {{0}};
        EACH_THREAD (i, &in) {
            counter->v[i] += s->kind == FOR ? (value)s->slot : 1;
            if (s->kind == FOR || counter->v[i] < (value)s->slot)
                add(&next, i);
        }
        in = next;
        if (s->kind == WHILE && !is_empty(&in)) {
            interpret_evaluate(m, f, s->e, &in, &v);
            in = interpret_holds(m, &in, &v, s->e->type);
        }
        if (turns > 64)
            interpret_fault(m, "a loop that does not end");
    }
    f->broken = broken;
    f->continued = continued;
}

static void switch_over(machine *m, frame *f, const stmt *s, const set *active)
{
    vector v;
    interpret_evaluate(m, f, s->e, active, &v);
    set one = {{0}}, two = {{0}};
    EACH_THREAD (i, active) {
        if (!has(&v.defined, i))
            interpret_fault(m, "a condition is undefined");
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
    const type result = f->f->variables.items[s->index].type,
               parameter = f->f->variables.items[s->slot].type;
    interpret_evaluate(m, f, s->at, active, &arguments[0]);
    interpret_evaluate(m, f, s->more, active, &arguments[1]);
    for (int n = 0; n < 2; n++) {
        vector *r = n ? &second : &sum;
        const type from = n ? s->more->type : s->at->type;
        EACH_THREAD (i, active)
            f->variables[s->slot].v[i] = value_convert(parameter, from, arguments[n].v[i]);
        f->variables[s->slot].defined = arguments[n].defined;
        interpret_evaluate(m, f, s->e, active, r);
        EACH_THREAD (i, active)
            r->v[i] = value_convert(result, s->e->type, r->v[i]);
    }
    EACH_THREAD (i, active) {
        if (!value_binary(&sum.v[i], ADD, result, sum.v[i], second.v[i]) ||
            !has(&second.defined, i))
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
        interpret_evaluate(m, f, s->e, active, &v);
        EACH_THREAD (i, active) {
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
        EACH_THREAD (i, active)
            drop(&f->variables[s->index].defined, i);
        if (!s->e || (m->cut && m->cut->left_out[s->number]))
            break;
        interpret_evaluate(m, f, s->e, active, &v);
        assign(m, f, s->index, OPERATORS, &v, s->e->type, active);
        break;
    case ASSIGN:
        interpret_evaluate(m, f, s->e, active, &v);
        assign(m, f, s->index, s->op, &v, s->e->type, active);
        break;
    case DECLARE_ARRAY:
        EACH_THREAD (i, active)
            for (int n = 0; n < m->k->arrays.items[s->index].count; n++)
                *interpret_element(m, s->index, (value)n, i) = (element){.defined = s->slot};
        break;
    case STORE:
        interpret_store(m, f, s, active);
        break;
    case SEE:
        see(m, f, s, active);
        break;
    case IF: {
        interpret_evaluate(m, f, s->e, active, &v);
        const set yes = interpret_holds(m, active, &v, s->e->type), no = without(active, &yes);
        execute(m, f, s->body, &yes);
        execute(m, f, s->other, &no);
        break;
    }
    case FOR:
    case WHILE:
        loop(m, f, s, active);
        break;
    case SWITCH:
        switch_over(m, f, s, active);
        break;
    case BREAK:
        f->broken = united(&f->broken, active);
        break;
    case CONTINUE:
        f->continued = united(&f->continued, active);
        break;
    case RETURN:
        leave(m, f, s, active);
        break;
    case BARRIER:
        interpret_barrier(m, active);
        break;
    case SYNCWARP:
        interpret_syncwarp(m, f, s, active);
        break;
    case ATOMIC:
        interpret_atomic(m, f, s, active);
        break;
    case LAMBDA:
        lambda(m, f, s, active);
        break;
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
            memset(m->arrays[i], 0,
                   sizeof(element) * (size_t)a->count *
                       (a->memory == PER_THREAD ? m->k->threads : 1));
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
        EACH_THREAD (i, &m->live) {
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
            m->arrays[i][n] =
                (element){.v = cell_initial(&m->k->arrays.items[i], n), .defined = true};
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
