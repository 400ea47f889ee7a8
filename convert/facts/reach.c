#include "convert/facts/reach_internal.h"

#include "convert/clang/lower.h"

#include <string.h>

/** A function that was looked into. */
typedef struct {
    rk_reach reach;
    RK_VEC(rk_reach_arc) arcs;
    size_t low; /**< the first open row that it leads to, as in Tarjan's algorithm */
    bool open;  /**< what it calls is not known yet */
} row;

/** A tree that was looked at. */
typedef struct {
    rk_ir_id root;
    size_t end; /**< of the text of its function */
} tree;

struct rk_reach_table {
    rk_unit *unit;
    rk_arena *arena;
    bool raw; /**< for rk_reach_raw, and so of libraries' functions too */
    RK_VEC(row) rows;
    RK_VEC(size_t) row_of; /**< of each declaration, counted from 1; 0: none */
    RK_VEC(size_t) open;   /**< rows, in the order in which they were met */
    RK_VEC(tree) trees;
};

static struct rk_reach_table *table_of(rk_unit *unit, bool raw)
{
    rk_ir *ir = rk_ir_of(unit);
    struct rk_reach_table **table = &ir->reach[raw];
    if (!*table) {
        *table = RK_NEW(ir->arena, struct rk_reach_table);
        (*table)->unit = unit;
        (*table)->arena = ir->arena;
        (*table)->raw = raw;
    }
    return *table;
}

static void take_in(rk_effects *to, rk_effects from)
{
    to->does |= from.does;
    to->reads |= from.reads;
    to->raw = to->raw ? to->raw : from.raw;
    to->word = to->word ? to->word : from.word;
}

rk_effects rk_reach_all(rk_reach reach)
{
    take_in(&reach.own, reach.called);
    return reach.own;
}

/* Texts. */

static void look_at_implicit(rk_reach_text *t, rk_ir_id node);

static void look(rk_reach_text *t, rk_ir_id node)
{
    look_at_implicit(t, node);
    if (t->raw)
        rk_reach_look_raw(t, node);
    else
        rk_reach_look(t, node);
}

/** Looks at a tree's nodes from one to before another. */
static void look_at(rk_reach_text *t, rk_ir_id from, rk_ir_id end)
{
    for (rk_ir_id id = from; id < end; id++)
        look(t, id);
}

/** The initial value of a member, unless it is on its way: it may make an object of its own class. */
static void look_at_value(rk_reach_text *t, rk_ir_id root)
{
    for (const rk_reach_text *around = t; around; around = around->outer)
        if (around->value == root)
            return;
    rk_reach_text value = {
        .unit = t->unit, .ir = t->ir, .raw = t->raw, .of = t->of, .value = root, .outer = t};
    value.to = &value.reach.called;
    *rk_push(t->ir->arena, &table_of(t->unit, t->raw)->trees) = (tree){root, 0};
    look_at(&value, root, rk_ir_at(t->ir, root)->end);
    take_in(&t->reach.called, value.reach.called);
    for (size_t a = 0; a < value.arcs.count; a++)
        *rk_push(t->ir->arena, &t->arcs) = value.arcs.items[a];
}

/** Takes in what runs at a node without being named there. */
static void look_at_implicit(rk_reach_text *t, rk_ir_id node)
{
    uint32_t first, end;
    rk_ir_implicit(t->ir, node, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        if (t->ir->implicit.items[i].decl)
            (t->raw ? rk_reach_call_raw : rk_reach_call)(t, node, t->ir->implicit.items[i].decl);
        else
            look_at_value(t, rk_ir_implicit_value(t->ir, i));
    }
}

/* Functions. */

static void solve(struct rk_reach_table *table, size_t index);

/** The row of a definition, which is new where it was not asked for. */
static size_t row_of(struct rk_reach_table *table, rk_ir_id definition)
{
    rk_ir *ir = table->unit->ir;
    while (table->row_of.count <= definition)
        rk_push(table->arena, &table->row_of);
    if (table->row_of.items[definition])
        return table->row_of.items[definition] - 1;
    const size_t index = table->rows.count;
    rk_push(table->arena, &table->rows);
    table->row_of.items[definition] = index + 1;
    const rk_ir_id root = rk_ir_body(ir, definition);
    const rk_ir_node *n = rk_ir_at(ir, root);
    rk_reach_text t = {.unit = table->unit,
                       .ir = ir,
                       .raw = table->raw,
                       .of = rk_ir_decl_at(ir, definition),
                       .end = n->expanded.end.offset};
    t.to = &t.reach.own;
    *rk_push(table->arena, &table->trees) = (tree){root, t.end};
    look_at(&t, root + 1, n->end);
    table->rows.items[index].reach = t.reach;
    memcpy(&table->rows.items[index].arcs, &t.arcs, sizeof t.arcs);
    solve(table, index);
    return index;
}

/** What is called along an arc, once that is known. */
static void take_arc(rk_reach *to, rk_effects callee, bool polled)
{
    take_in(&to->called, callee);
    to->called.does |= polled && callee.does & RK_EFFECT_ATOMIC ? RK_EFFECT_POLLS : 0;
}

/** Ends a component of functions that call each other: all of them do what any does. */
static void close_component(struct rk_reach_table *table, size_t index)
{
    rk_effects all = {0};
    size_t first = table->open.count;
    do
        take_in(&all, rk_reach_all(table->rows.items[table->open.items[--first]].reach));
    while (table->open.items[first] != index);
    const row *root = &table->rows.items[index];
    bool recursive = table->open.count - first > 1;
    for (size_t a = 0; a < root->arcs.count; a++)
        recursive |= table->row_of.items[root->arcs.items[a].definition] == index + 1;
    all.does |= recursive ? RK_EFFECT_RECURSIVE : 0;
    for (size_t i = first; i < table->open.count; i++) {
        row *r = &table->rows.items[table->open.items[i]];
        r->open = false;
        if (recursive)
            r->reach.called = all;
    }
    table->open.count = first;
}

static void solve(struct rk_reach_table *table, size_t index)
{
    size_t low = index;
    table->rows.items[index].open = true;
    table->rows.items[index].low = index;
    *rk_push(table->arena, &table->open) = index;
    for (size_t a = 0; a < table->rows.items[index].arcs.count; a++) {
        const rk_reach_arc to = table->rows.items[index].arcs.items[a];
        const size_t callee = row_of(table, to.definition); /* which may move the rows */
        const row *r = &table->rows.items[callee];
        if (r->open)
            low = r->low < low ? r->low : low;
        else
            take_arc(&table->rows.items[index].reach, rk_reach_all(r->reach), to.polled);
    }
    table->rows.items[index].low = low;
    if (low == index)
        close_component(table, index);
}

static rk_reach reach_of(rk_unit *unit, bool raw, rk_ir_id function)
{
    struct rk_reach_table *table = table_of(unit, raw);
    const rk_ir_id definition = rk_ir_definition(unit->ir, function);
    const size_t index = definition ? row_of(table, definition) : 0; /* which may move the rows */
    return definition ? table->rows.items[index].reach : (rk_reach){0};
}

rk_reach rk_reach_of(rk_unit *unit, rk_ir_id function)
{
    return reach_of(unit, false, function);
}

rk_effects rk_reach_raw(rk_unit *unit, rk_ir_id function)
{
    return rk_reach_all(reach_of(unit, true, function));
}

rk_reach rk_reach_at(rk_unit *unit, rk_ir_id node)
{
    rk_reach_text t = {.unit = unit, .ir = rk_ir_of(unit)};
    rk_ir_id root = node;
    while (rk_ir_at(t.ir, root)->parent)
        root = rk_ir_at(t.ir, root)->parent;
    t.end = rk_ir_at(t.ir, root)->expanded.end.offset;
    t.to = &t.reach.own;
    look(&t, node);
    for (size_t a = 0; a < t.arcs.count; a++)
        take_arc(&t.reach, rk_reach_all(rk_reach_of(unit, t.arcs.items[a].definition)),
                 t.arcs.items[a].polled);
    return t.reach;
}

rk_effects rk_reach_below(rk_unit *unit, rk_ir_id node, bool raw)
{
    rk_reach_text t = {.unit = unit, .ir = rk_ir_of(unit), .raw = raw};
    t.to = &t.reach.own;
    look_at(&t, node, rk_ir_at(t.ir, node)->end);
    for (size_t a = 0; a < t.arcs.count; a++)
        take_arc(&t.reach, rk_reach_all(reach_of(unit, raw, t.arcs.items[a].definition)),
                 t.arcs.items[a].polled);
    return rk_reach_all(t.reach);
}

void rk_reach_each(rk_unit *unit, void (*visit)(void *user, rk_ir_id node, size_t end), void *user)
{
    const struct rk_reach_table *table = table_of(unit, false);
    for (size_t i = 0; i < table->trees.count; i++) {
        const tree at = table->trees.items[i];
        for (rk_ir_id id = at.root; id < rk_ir_at(unit->ir, at.root)->end; id++)
            visit(user, id, at.end);
    }
}
