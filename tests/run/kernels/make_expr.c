#include "tests/run/kernels/make.h"

unsigned pick(maker *m, unsigned below)
{
    uint64_t x = m->state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (unsigned)((x ^ x >> 31) >> 20) % below;
}

bool chance(maker *m, unsigned percent)
{
    return pick(m, 100) < percent;
}

function *current(maker *m)
{
    return &m->k->functions.items[m->function];
}

variable *var_of(maker *m, int index)
{
    return &current(m)->variables.items[index];
}

type pick_type(maker *m)
{
    static const struct {
        type type;
        unsigned weight;
    } all[] = {{I32, 30}, {U32, 24}, {F32, 14}, {I8, 4},  {U8, 6},
               {I16, 4},  {U16, 4},  {I64, 6},  {U64, 6}, {F64, 5}};
    for (;;) {
        unsigned at = pick(m, 103), i = 0;
        while (at >= all[i].weight)
            at -= all[i++].weight;
        const type t = all[i].type;
        if ((t == F32 && !m->diet.floats) || (t == F64 && !m->diet.doubles) ||
            (type_bits(t) == 64 && t != F64 && !m->diet.wide))
            continue;
        return t;
    }
}

type pick_integer(maker *m)
{
    const type t = pick_type(m);
    return t >= I32 && !type_is_float(t) ? t : chance(m, 50) ? I32 : U32;
}

/* Nodes. */

expr *make_node(maker *m, expr_kind kind, type t)
{
    expr *e = RK_NEW(m->arena, expr);
    *e = (expr){.kind = kind, .type = t, .op = OPERATORS};
    return e;
}

expr *make_constant(maker *m, type t, value v)
{
    expr *e = make_node(m, CONSTANT, t);
    e->bits = v;
    return e;
}

expr *make_variable(maker *m, int index)
{
    expr *e = make_node(m, VARIABLE, var_of(m, index)->type);
    e->index = index;
    return e;
}

expr *make_built_in(maker *m, built_in b)
{
    expr *e = make_node(m, BUILTIN, b <= WARP ? I32 : U32);
    e->index = (int)b;
    return e;
}

expr *make_unary(maker *m, operation op, type t, expr *a)
{
    expr *e = make_node(m, UNARY, t);
    e->op = op;
    e->a[0] = a;
    return e;
}

expr *make_cast(maker *m, type t, expr *a)
{
    expr *e = make_node(m, CAST, t);
    e->a[0] = a;
    return e;
}

expr *make_binary(maker *m, operation op, expr *a, expr *b)
{
    const bool compares = op >= LT && op <= LOR, shifts = op == SHL || op == SHR;
    expr *e = make_node(m, BINARY,
                        compares ? I32
                        : shifts ? type_promoted(a->type)
                                 : type_common(a->type, b->type));
    e->op = op;
    e->a[0] = a;
    e->a[1] = b;
    return e;
}

bool expr_is_vague(maker *m, const expr *e)
{
    if (e->kind == VARIABLE)
        return var_of(m, e->index)->vague;
    if (e->kind == SHUFFLE)
        return true;
    if (e->kind == ELEMENT && !m->k->arrays.items[e->index].filled)
        return true;
    for (int i = 0; i < MOST_ARGS; i++)
        if (e->a[i] && expr_is_vague(m, e->a[i]))
            return true;
    return false;
}

/* Leaves. */

static expr *make_literal(maker *m, type t)
{
    static const int small[] = {0,  1,  2,   3,   5,   7,   8,   13,   16, 31, 32, 33,
                                63, 64, 100, 127, 128, 200, 255, 1000, -1, -2, -7, -128};
    if (type_is_float(t))
        return make_constant(m, t, pool_value(t, (int)pick(m, POOL_SIZE)));
    if (chance(m, 25))
        return make_constant(m, t, pool_value(t, (int)pick(m, POOL_SIZE)));
    return make_constant(
        m, t, value_convert(t, I32, (value)(int64_t)small[pick(m, sizeof small / sizeof *small)]));
}

/** An input of the type: its index is cut by what prints it and what interprets it. */
static expr *make_pool(maker *m, const place *p, type t, unsigned must)
{
    expr *e = make_node(m, POOL, t);
    if (must & UNIFORM)
        e->a[0] = make_constant(m, I32, pick(m, POOL_SIZE));
    else
        e->a[0] = chance(m, 60)
                      ? make_binary(m, ADD, make_built_in(m, THREAD),
                                    make_constant(m, I32, pick(m, POOL_SIZE)))
                      : make_expr(m, p, chance(m, 50) ? I32 : U32, 1, must | DEFINED | ALONE);
    return e;
}

static expr *make_own_built_in(maker *m, unsigned must)
{
    static const built_in same[] = {BID_X, BDIM_X, GDIM_X, BID_Y, BDIM_Y},
                          own[] = {THREAD, LANE, TID_X, TID_Y, TID_Z, THREAD, WARP};
    return make_built_in(m, must & UNIFORM || chance(m, 20) ? same[pick(m, 5)] : own[pick(m, 7)]);
}

/** A variable that may stand here, or -1; of the type when one is there. */
static int find_variable(maker *m, type t, unsigned must)
{
    int found = -1;
    for (unsigned tries = 0; tries < 12 && m->visible.count; tries++) {
        const int i = m->visible.items[pick(m, (unsigned)m->visible.count)];
        const variable *v = var_of(m, i);
        if ((must & DEFINED && v->vague) || (must & UNIFORM && !v->uniform))
            continue;
        found = i;
        if (v->type == t)
            break;
    }
    return found;
}

/** An element of an array that the thread may read here, or NULL. */
static expr *make_element(maker *m, type t, unsigned must)
{
    if (must & UNIFORM || !m->arrays.count)
        return NULL;
    const int i = m->arrays.items[pick(m, (unsigned)m->arrays.count)];
    array *a = &m->k->arrays.items[i];
    if (a->type != t || (must & DEFINED && !a->filled))
        return NULL;
    expr *e = make_node(m, ELEMENT, t);
    e->index = i;
    expr *moved = make_binary(m, ADD, make_built_in(m, THREAD), make_constant(m, I32, pick(m, 40)));
    if (a->memory == PER_THREAD) {
        e->a[0] = chance(m, 50)
                      ? make_constant(m, I32, pick(m, (unsigned)a->count))
                      : make_binary(m, REM, moved, make_constant(m, I32, (value)a->count));
    } else if (a->filled && (a->phase == CLEAN || a->phase == OTHERS)) {
        a->phase = OTHERS;
        e->a[0] = make_binary(m, REM, moved, make_constant(m, I32, m->k->threads));
    } else if (a->phase == OWN || a->phase == CLEAN) {
        a->phase = OWN;
        e->a[0] = a->backwards ? make_binary(m, SUB, make_constant(m, I32, m->k->threads - 1),
                                             make_built_in(m, THREAD))
                               : make_built_in(m, THREAD);
    } else {
        return NULL;
    }
    return e;
}

static expr *make_leaf(maker *m, const place *p, type t, int depth, unsigned must)
{
    expr *e = NULL;
    const unsigned way = pick(m, 100);
    const function *f = current(m);
    if (way < 45) {
        const int v = find_variable(m, t, must);
        e = v >= 0 ? make_variable(m, v) : NULL;
    } else if (way < 55) {
        e = make_element(m, t, must);
    } else if (way < 68 && !f->result && m->function == 0 && depth >= 0) {
        e = make_pool(m, p, t, must);
    } else if (way < 80 && p) {
        e = make_own_built_in(m, must);
    } else if (way < 86 && f->spelling == TEMPLATED) {
        e = make_node(m, TEMPLATE, f->value_types[0]);
        e->index = (int)pick(m, TEMPLATE_VALUES);
        e->type = f->value_types[e->index];
    }
    if (!e)
        return make_literal(m, t);
    return e->type == t ? e : make_cast(m, t, e);
}

/* Operators. */

/** A type whose common one with `t` is `t`. */
static type narrower(maker *m, type t)
{
    for (unsigned tries = 0; tries < 4; tries++) {
        const type other = pick_type(m);
        if (type_common(t, other) == t)
            return other;
    }
    return t;
}

static expr *make_arithmetic(maker *m, const place *p, type t, int depth, unsigned must)
{
    static const operation integers[] = {ADD, SUB, MUL, AND, OR, XOR, ADD, XOR},
                           floats[] = {ADD, SUB, MUL, DIV};
    const operation op = type_is_float(t) ? floats[pick(m, 4)] : integers[pick(m, 8)];
    expr *a = make_expr(m, p, t, depth - 1, must);
    expr *b = make_expr(m, p, narrower(m, t), depth - 1, must);
    return chance(m, 80) ? make_binary(m, op, a, b) : make_binary(m, op, b, a);
}

/** Divisors are 1 to 16. */
static expr *make_quotient(maker *m, const place *p, type t, int depth, unsigned must)
{
    expr *a = make_expr(m, p, t, depth - 1, must);
    expr *b = make_expr(m, p, t, depth - 2, must);
    b = make_binary(m, ADD, make_binary(m, AND, b, make_constant(m, t, 15)),
                    make_constant(m, t, 1));
    return make_binary(m, chance(m, 50) ? DIV : REM, a, b);
}

/** Whether compilers know the value, those of calls left aside. */
static bool is_constant(const expr *e)
{
    if (e->kind == VARIABLE || e->kind == BUILTIN || e->kind == POOL || e->kind == ELEMENT)
        return false;
    for (int i = 0; i < MOST_ARGS; i++)
        if (e->a[i] && !is_constant(e->a[i]))
            return false;
    return e->kind <= CALL;
}

/** Amounts out of range are PTX's matter, but for those that nvcc itself knows: it takes them for undefined. */
expr *make_amount(maker *m, const place *p, type shifted, int depth, unsigned must)
{
    const unsigned bits = type_bits(type_promoted(shifted));
    if (chance(m, 50))
        return make_constant(m, I32, pick(m, bits));
    expr *e = make_expr(m, p, chance(m, 50) ? I32 : U32, depth, must);
    return is_constant(e) ? make_binary(m, AND, e, make_constant(m, I32, bits - 1)) : e;
}

static expr *make_shift(maker *m, const place *p, type t, int depth, unsigned must)
{
    expr *a = make_expr(m, p, t == I32 && chance(m, 30) ? U8 : t, depth - 1, must);
    return make_binary(m, chance(m, 50) ? SHL : SHR, a,
                       make_amount(m, p, a->type, depth - 1, must));
}

static expr *make_comparison(maker *m, const place *p, int depth, unsigned must)
{
    const type t = pick_type(m);
    expr *a = make_expr(m, p, t, depth - 1, must);
    return make_binary(m, LT + pick(m, 6), a, make_expr(m, p, narrower(m, t), depth - 1, must));
}

expr *make_condition(maker *m, const place *p, unsigned must)
{
    if (chance(m, 20)) {
        expr *a = make_comparison(m, p, 1, must);
        return make_binary(m, chance(m, 50) ? LAND : LOR, a,
                           make_comparison(m, p, 1, must | ALONE));
    }
    if (chance(m, 30) && !(must & UNIFORM) && p)
        return make_binary(m, chance(m, 50) ? LT : NE,
                           make_built_in(m, chance(m, 50) ? THREAD : LANE),
                           make_constant(m, I32, pick(m, 33)));
    return make_comparison(m, p, 2, must);
}

static expr *make_selection(maker *m, const place *p, type t, int depth, unsigned must)
{
    expr *e = make_node(m, SELECT, t);
    e->a[0] = make_condition(m, p, must | ALONE);
    e->a[1] = make_expr(m, p, t, depth - 1, must | ALONE);
    e->a[2] = make_expr(m, p, t, depth - 1, must | ALONE);
    return e;
}

static expr *make_conversion(maker *m, const place *p, type t, int depth, unsigned must)
{
    const type from = pick_type(m);
    expr *e = make_cast(m, t, make_expr(m, p, from, depth - 1, must));
    if (type_is_float(from) && t >= I32 && t <= U64 && chance(m, 40))
        e->op = RZ + pick(m, 4);
    return e;
}

static expr *make_call(maker *m, const place *p, type t, int depth, unsigned must)
{
    for (int i = 1; i < (int)m->k->functions.count; i++) {
        const function *f = &m->k->functions.items[i];
        if (i == m->function || f->type != t || f->meets || (must & UNIFORM && !f->result) ||
            chance(m, 30))
            continue;
        expr *e = make_node(m, CALL, t);
        e->index = i;
        for (int a = 0; a < m->k->functions.items[i].parameter_count; a++)
            e->a[a] =
                make_expr(m, p, m->k->functions.items[i].variables.items[a].type, depth - 1, must);
        return e;
    }
    return NULL;
}

static expr *make_function(maker *m, const place *p, type t, int depth, unsigned must)
{
    static const operation numbers[] = {ABS, SQRT, TRUNC, FLOOR, RINT, NEG};
    const type any = pick_integer(m);
    expr *x = make_expr(m, p, t, depth - 1, must);
    const unsigned way = pick(m, 9);
    if (way < 2)
        return make_binary(m, way ? MIN : MAX, x, make_expr(m, p, t, depth - 1, must));
    if (type_is_float(t) && way > 2)
        return make_unary(m, numbers[pick(m, 6)], t, x);
    if ((type_is_float(t) && way == 2) || (t == U32 && way < 5)) {
        expr *e = make_node(m, TERNARY, t);
        e->op = type_is_float(t) ? FMA : way == 2 ? BYTE_PERM : way == 3 ? FUNNEL_L : FUNNEL_R;
        e->a[0] = x;
        e->a[1] = make_expr(m, p, t, depth - 1, must);
        e->a[2] = make_expr(m, p, t, depth - 2, must);
        return e;
    }
    if (way == 5)
        return make_binary(m, MULHI, x, make_expr(m, p, t, depth - 1, must));
    if (t == I32 && way < 5) /* int __clz(int), __popcll(unsigned long long), ... */
        return make_unary(m,
                          way == 2   ? CLZ
                          : way == 3 ? POPC
                                     : FFS,
                          t, make_expr(m, p, any, depth - 1, must));
    if (way == 6)
        return make_unary(m, type_is_signed(t) ? ABS : BREV, t, x);
    return make_unary(m, way == 7 ? NEG : NOT, t, x);
}

static expr *make_operation(maker *m, const place *p, type t, int depth, unsigned must)
{
    const unsigned way = pick(m, 100);
    expr *e = NULL;
    if (way < 12)
        return make_selection(m, p, t, depth, must);
    if (way < 26)
        return make_conversion(m, p, t, depth, must);
    if (way < 34 && p)
        e = make_call(m, p, t, depth, must);
    else if (way < 46 && p && p->warp && !(must & (UNIFORM | ALONE)))
        e = make_warp(m, p, t, depth);
    if (e && !(must & DEFINED && expr_is_vague(m, e)))
        return e;
    if (t < I32)
        return make_conversion(m, p, t, depth, must);
    if (way < 60)
        return make_function(m, p, t, depth, must);
    if (!type_is_float(t) && way < 68)
        return make_shift(m, p, t, depth, must);
    if (!type_is_float(t) && way < 73)
        return make_quotient(m, p, t, depth, must);
    if (t == I32 && way < 80)
        return chance(m, 15)
                   ? make_unary(m, LNOT, I32, make_expr(m, p, pick_integer(m), depth - 1, must))
                   : make_condition(m, p, must);
    return make_arithmetic(m, p, t, depth, must);
}

expr *make_expr(maker *m, const place *p, type t, int depth, unsigned must)
{
    if (depth <= 0 || chance(m, 20))
        return make_leaf(m, p, t, depth, must);
    return make_operation(m, p, t, depth, must);
}
