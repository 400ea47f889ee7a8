#include "tests/run/kernels/make.h"

expr *make_vote(maker *m, int way, expr *mask, expr *predicate)
{
    expr *e = make_node(m, VOTE, way == BALLOT ? U32 : I32);
    e->way = way;
    e->a[0] = mask;
    e->a[1] = predicate;
    return e;
}

expr *make_shuffle(maker *m, const place *p, int way, expr *of, expr *lane, unsigned width)
{
    expr *e = make_node(m, SHUFFLE, of->type);
    e->way = way;
    e->bits = width;
    e->a[0] = p->warp;
    e->a[1] = of;
    e->a[2] = lane;
    return e;
}

static expr *any_shuffle(maker *m, const place *p, type t, int depth)
{
    static const unsigned widths[] = {32, 32, 16, 8, 4, 2, 1};
    const int way = (int)pick(m, 4);
    expr *lane;
    if (way == INDEXED) /* taken modulo the width */
        lane = chance(m, 30) ? make_constant(m, I32, pick(m, 32))
                             : make_expr(m, p, I32, depth - 1, DEFINED | ALONE);
    else
        lane = chance(m, 50) ? make_constant(m, U32, (value)1 << pick(m, 5))
                             : make_constant(m, U32, pick(m, 32));
    if (way != INDEXED && chance(m, 30))
        lane = make_binary(m, AND, make_expr(m, p, U32, depth - 1, DEFINED | ALONE),
                           make_constant(m, U32, 31));
    return make_shuffle(m, p, way, make_expr(m, p, t, depth - 1, ALONE), lane, widths[pick(m, 7)]);
}

expr *make_warp(maker *m, const place *p, type t, int depth)
{
    const unsigned way = pick(m, 10);
    if (t < I32 || way < 5 || type_is_float(t) || type_bits(t) == 64)
        return t < I32 ? NULL : any_shuffle(m, p, t, depth);
    if (way < 7)
        return t == U32 ? make_vote(m, BALLOT, p->warp, make_condition(m, p, DEFINED | ALONE))
                        : make_vote(m, chance(m, 50) ? ANY : ALL, p->warp,
                                    make_condition(m, p, DEFINED | ALONE));
    expr *e = make_node(m, way == 7 && t == U32 ? MATCH : REDUCE, t);
    static const operation reductions[] = {ADD, MIN, MAX, AND, OR, XOR};
    e->op = reductions[pick(m, t == U32 ? 6 : 3)];
    e->way = chance(m, 50) ? ANY : ALL;
    e->a[0] = p->warp;
    e->a[1] = make_expr(m, p, t, depth - 1, DEFINED | ALONE);
    if (e->kind == MATCH && chance(m, 80)) /* so that some are the same */
        e->a[1] = make_binary(m, AND, e->a[1], make_constant(m, t, 3));
    return e;
}

/* Idioms. */

static int declared(maker *m, list *l, type t, const char *prefix, expr *e)
{
    const int v = make_variable_of(m, t, prefix);
    make_stmt(m, l, DECLARE, v, e);
    var_of(m, v)->vague = !e;
    return v;
}

/** A variable that only lanes of some kind set, and then gets from them. */
static void make_join(maker *m, list *l, const place *p)
{
    const type t = type_promoted(pick_type(m));
    const int v = declared(m, l, t, "join", NULL);
    const bool leads = chance(m, 50);
    expr *leader = chance(m, 50) ? make_constant(m, I32, pick(m, 4)) : NULL;
    if (!leader) { /* the first lane that is there */
        const int there =
            declared(m, l, U32, "there", make_vote(m, BALLOT, p->warp, make_constant(m, I32, 1)));
        leader = make_binary(m, SUB, make_unary(m, FFS, I32, make_variable(m, there)),
                             make_constant(m, I32, 1));
    }
    stmt *s = make_stmt(m, l, IF, 0,
                        leads ? make_binary(m, EQ, make_built_in(m, LANE), leader)
                              : make_condition(m, p, DEFINED | ALONE));
    list body = {NULL, &s->body};
    place inside = *p;
    inside.block = false;
    inside.warp = NULL;
    make_stmt(m, &body, ASSIGN, v, make_expr(m, &inside, t, 2, ALONE));
    expr *from = leads ? leader
                       : make_binary(m, AND, make_expr(m, p, I32, 1, DEFINED | ALONE),
                                     make_constant(m, I32, 31));
    make_stmt(m, l, ASSIGN, v, make_shuffle(m, p, INDEXED, make_variable(m, v), from, 32));
    *rk_push(m->arena, &m->visible) = v;
    make_see(m, l, v);
}

/** Lanes in two groups, or those that find a condition true, with a mask of their own. */
static void make_masked(maker *m, list *l, const place *p)
{
    place inside = *p;
    inside.block = inside.breakable = false;
    inside.depth++;
    expr *condition;
    if (p->warp->kind == BUILTIN && chance(m, 30)) {
        const unsigned half = 1u << pick(m, 5);
        condition = make_binary(m, LT, make_built_in(m, LANE), make_constant(m, I32, half));
        inside.warp = make_constant(m, U32, (1u << half) - 1);
    } else {
        const int c = declared(m, l, I32, "here", make_condition(m, p, DEFINED | ALONE));
        const int mask =
            declared(m, l, U32, "mask", make_vote(m, BALLOT, p->warp, make_variable(m, c)));
        var_of(m, c)->constant = var_of(m, mask)->constant = true;
        condition = make_variable(m, c);
        inside.warp = make_variable(m, mask);
    }
    stmt *s = make_stmt(m, l, IF, 0, condition);
    list body = {NULL, &s->body};
    const size_t visible = m->visible.count;
    make_statements(m, &body, &inside, 1 + (int)pick(m, 2));
    m->visible.count = visible;
    if (chance(m, 40))
        make_stmt(m, l, SYNCWARP, 0, p->warp);
}

/** One lane of a warp counts for all: where its lanes' numbers begin depends on the order of warps, their sum not. */
static void make_aggregate(maker *m, list *l, const place *p)
{
    int cells = -1;
    for (size_t i = 0; i < m->k->arrays.count; i++)
        if (m->k->arrays.items[i].memory == CELLS && m->k->arrays.items[i].op == ADD &&
            m->k->arrays.items[i].type == U32)
            cells = (int)i;
    if (cells < 0)
        return;
    const int base = declared(m, l, U32, "base", NULL);
    const int there =
        declared(m, l, U32, "there", make_vote(m, BALLOT, p->warp, make_constant(m, I32, 1)));
    expr *leader = make_binary(m, SUB, make_unary(m, FFS, I32, make_variable(m, there)),
                               make_constant(m, I32, 1));
    stmt *s = make_stmt(m, l, IF, 0, make_binary(m, EQ, make_built_in(m, LANE), leader));
    list body = {NULL, &s->body};
    stmt *add = make_stmt(m, &body, ATOMIC, cells, make_constant(m, U32, 32));
    add->op = ADD;
    add->slot = base;
    add->at = make_constant(m, I32, 0); /* cell 0 is for this alone: make.c */
    make_stmt(m, l, ASSIGN, base, make_shuffle(m, p, INDEXED, make_variable(m, base), leader, 32));
    /* As many of each warp, and of another lane. */
    expr *last = make_binary(m, SUB, make_constant(m, I32, 31),
                             make_unary(m, CLZ, I32, make_variable(m, there)));
    s = make_stmt(m, l, IF, 0, make_binary(m, EQ, make_built_in(m, LANE), last));
    body.end = &s->body;
    stmt *sum = make_stmt(m, &body, ATOMIC, cells, make_variable(m, base));
    sum->op = ADD;
    sum->slot = -1;
    sum->at = make_constant(m, I32, 1); /* one for all that count there, in any order */
}

/** A tree in a volatile array without barriers, as it was written before warps had them. */
static void make_volatile_tree(maker *m, list *l, const place *p)
{
    for (size_t i = 0; i < m->arrays.count; i++) {
        const int index = m->arrays.items[i];
        array *a = &m->k->arrays.items[index];
        if (!a->is_volatile || !p->block || p->loops || m->k->threads < 32)
            continue;
        if (a->phase != CLEAN && a->phase != OWN)
            make_stmt(m, l, BARRIER, 0, NULL);
        stmt *own = make_stmt(m, l, STORE, index, make_expr(m, p, a->type, 2, DEFINED | ALONE));
        own->at = make_built_in(m, THREAD);
        make_stmt(m, l, BARRIER, 0, NULL);
        stmt *s = make_stmt(
            m, l, IF, 0, make_binary(m, LT, make_built_in(m, THREAD), make_constant(m, I32, 32)));
        list body = {NULL, &s->body};
        for (unsigned d = m->k->threads >= 64 ? 32 : 16; d; d >>= 1) {
            expr *e = make_node(m, ELEMENT, a->type);
            e->index = index;
            e->a[0] = make_binary(m, ADD, make_built_in(m, THREAD), make_constant(m, I32, d));
            stmt *add = make_stmt(m, &body, STORE, index, e);
            add->at = make_built_in(m, THREAD);
            add->op = type_is_float(a->type) || chance(m, 60) ? ADD : XOR;
        }
        make_stmt(m, l, BARRIER, 0, NULL);
        for (size_t k = 0; k < m->arrays.count; k++)
            m->k->arrays.items[m->arrays.items[k]].phase = CLEAN;
        a->filled =
            false; /* not with lanes that have returned, or in a block of less than two warps */
        expr *root = make_node(m, ELEMENT, a->type);
        root->index = index;
        root->a[0] = make_constant(m, I32, pick(m, 4) ? 0 : pick(m, 32));
        a->phase = OTHERS;
        const int v = declared(m, l, a->type, "tree", root);
        var_of(m, v)->vague = true;
        *rk_push(m->arena, &m->visible) = v;
        make_see(m, l, v);
        return;
    }
}

bool make_idiom(maker *m, list *l, const place *p)
{
    if (m->diet.volatiles && p->block && chance(m, 40)) {
        make_volatile_tree(m, l, p);
        return true;
    }
    if (!p->warp)
        return false;
    const unsigned way = pick(m, 10);
    if (way < 5 && m->diet.vague)
        make_join(m, l, p);
    else if (way < 7 && m->diet.atomics && m->function == 0)
        make_aggregate(m, l, p);
    else
        make_masked(m, l, p);
    return true;
}
