#include "convert/facts/reach.h"

#include "convert/clang/lower.h"
#include "convert/cuda/builtins.h"
#include "convert/facts/spin.h"
#include "convert/facts/system.h"

#include <string.h>

/** A call. */
typedef struct {
    rk_ir_id definition;
    bool polled; /**< it is in a loop that an atomic's result may keep going */
} arc;

/** A function that was looked into. */
typedef struct {
    rk_reach reach;
    RK_VEC(arc) arcs;
    size_t
        low; /**< of the rows that it leads to and that are open, the first, as in Tarjan's algorithm */
    bool open; /**< what it calls is not known yet */
} row;

/** A tree that was looked at. */
typedef struct {
    rk_ir_id root;
    size_t end; /**< of the text of its function */
} tree;

struct rk_reach_table {
    RK_VEC(row) rows;
    RK_VEC(size_t) row_of; /**< of each declaration, counted from 1; 0: none */
    RK_VEC(size_t) open;   /**< rows, in the order in which they were met */
    RK_VEC(tree) trees;
};

/** A text that is looked at. */
typedef struct text {
    rk_unit *unit;
    rk_ir *ir;
    rk_reach reach;
    rk_effects *to; /**< of `reach` */
    RK_VEC(arc) arcs;
    size_t end;
    rk_ir_id value;           /**< the initial value that it is; 0 of a function */
    const struct text *outer; /**< the text that runs it */
} text;

static struct rk_reach_table *table_of(rk_unit *unit)
{
    rk_ir *ir = rk_ir_of(unit);
    if (!ir->reach)
        ir->reach = RK_NEW(ir->arena, struct rk_reach_table);
    return ir->reach;
}

static void take_in(rk_effects *to, rk_effects from)
{
    to->does |= from.does;
    to->reads |= from.reads;
}

rk_effects rk_reach_all(rk_reach reach)
{
    take_in(&reach.own, reach.called);
    return reach.own;
}

/* Nodes. */

static bool is_operator(const rk_ir_decl *overloads)
{
    return rk_str_starts(overloads->name, "operator");
}

unsigned rk_reach_row(const rk_ir *ir, rk_ir_id function)
{
    const rk_ir_decl *d = rk_ir_decl_at(ir, function);
    return d->flags & RK_IR_SYSTEM ? rk_cuda_effects(rk_system_ir_space(ir, d), d->name)
                                   : rk_cuda_find(RK_IN_PLAIN, d->name)->does;
}

/** Whether the loop may go on for as long as that part of it says so. */
static bool may_poll(const rk_ir *ir, rk_ir_id loop, rk_ir_id part)
{
    const rk_ir_kind kind = rk_ir_kind_of(ir, loop);
    if (kind == RK_IR_WHILE || kind == RK_IR_DO)
        return true;
    return kind == RK_IR_FOR && (rk_ir_child_count(ir, loop) < 4 || rk_ir_next(ir, part));
}

static bool is_polled(const rk_ir *ir, rk_ir_id node)
{
    for (rk_ir_id parent; (parent = rk_ir_at(ir, node)->parent); node = parent)
        if (may_poll(ir, parent, node))
            return true;
    return false;
}

/** A function of CUDA's or of another library: what the table says. */
static void call_system(text *t, rk_ir_id node, const rk_ir_decl *function, unsigned does)
{
    bool grid = false;
    const bool group = rk_system_waits_by_namespace(t->ir, function, &grid);
    t->to->does |= (grid ? RK_EFFECT_GRID : 0) | (group ? RK_EFFECT_WAITS : 0);
    if (group || (rk_cuda_find(RK_IN_PLAIN, function->name)->does & RK_DOES_ASK))
        t->to->does |= RK_EFFECT_ASKS;
    if (does & RK_DOES_ATOMIC && !group)
        t->to->does |= RK_EFFECT_ATOMIC | (is_polled(t->ir, node) ? RK_EFFECT_POLLS : 0);
}

static void call(text *t, rk_ir_id node, rk_ir_id function)
{
    const rk_ir_decl *d = rk_ir_decl_at(t->ir, function);
    if (rk_cuda_find(RK_IN_PLAIN, d->name)->does & RK_DOES_WAIT) {
        t->to->does |= RK_EFFECT_WAITS;
        return;
    }
    if (d->flags & RK_IR_SYSTEM) {
        call_system(t, node, d, rk_reach_row(t->ir, function));
        return;
    }
    const rk_ir_id definition = rk_ir_definition(t->ir, function);
    t->to->does |= d->flags & RK_IR_KERNEL ? RK_EFFECT_KERNEL : 0;
    t->to->does |= d->flags & RK_IR_VIRTUAL ? RK_EFFECT_BODILESS | RK_EFFECT_UNSEEN : 0;
    if (definition)
        *rk_push(t->ir->arena, &t->arcs) = (arc){definition, is_polled(t->ir, node)};
    else
        t->to->does |= RK_EFFECT_BODILESS | (d->flags & RK_IR_DEVICE ? RK_EFFECT_WAITS : 0);
}

static void call_overloads(text *t, rk_ir_id node, const rk_ir_decl *overloads)
{
    bool known = overloads->list < overloads->list_end;
    t->to->does |= known ? 0 : RK_EFFECT_UNSEEN;
    for (uint32_t i = overloads->list; i < overloads->list_end; i++) {
        const rk_ir_id one = t->ir->lists.items[i];
        if (rk_ir_is_function(rk_ir_decl_at(t->ir, one)->kind))
            call(t, node, one);
        else
            known = false;
    }
    t->to->does |= !known ? RK_EFFECT_CHOSEN : is_operator(overloads) ? 0 : RK_EFFECT_OVERLOADED;
}

/** `T(0)`, `a += b` and `f(a)` of types that depend on template arguments: their overloads are looked at. */
static bool is_dependent(const rk_ir *ir, rk_ir_id node)
{
    const rk_ir_id first = rk_ir_first(ir, node);
    bool good = rk_ir_kind_of(ir, first) == RK_IR_TYPE_NAME;
    RK_IR_EACH(ir, part, node)
    {
        const rk_ir_decl *overloads = rk_ir_target(ir, part);
        good |= overloads->kind == RK_IR_OVERLOADS && (part == first || is_operator(overloads));
    }
    return good;
}

static void look_at_call(text *t, rk_ir_id node)
{
    const rk_ir_kind kind = rk_ir_target(t->ir, node)->kind;
    if (rk_ir_is_function(kind)) /* that nothing names, unless its name is below */
        call(t, node, rk_ir_at(t->ir, node)->decl);
    else if (kind != RK_IR_OVERLOADS)
        t->to->does |=
            RK_EFFECT_UNSEEN | (is_dependent(t->ir, node) ? 0 : (unsigned)RK_EFFECT_UNNAMED);
}

static void look_at_name(text *t, rk_ir_id node)
{
    const rk_ir_decl *target = rk_ir_target(t->ir, node);
    if (rk_ir_is_function(target->kind))
        call(t, node, rk_ir_at(t->ir, node)->decl);
    const rk_cuda_name *builtin = target->kind == RK_IR_VARIABLE && target->flags & RK_IR_SYSTEM
                                      ? rk_builtin_find(target->name)
                                      : NULL;
    t->to->reads |= builtin ? builtin->use & RK_USE_PLACES : 0;
}

static bool is_volatile(const rk_ir *ir, rk_ir_id type)
{
    for (int depth = 0; depth < 4 && type; depth++) {
        const rk_ir_type *t = rk_ir_canonical(ir, type);
        if (t->is_volatile)
            return true;
        type = t->element ? t->element : t->pointee;
    }
    return false;
}

/** Whether a name stands for memory that other threads may see: not a local variable, unless it is a reference. */
static bool is_shared_name(const rk_ir *ir, const rk_ir_decl *target)
{
    return rk_ir_canonical(ir, target->type)->kind == RK_IR_TYPE_REFERENCE ||
           target->kind == RK_IR_FIELD ||
           (target->kind == RK_IR_VARIABLE &&
            (!rk_ir_is_local(ir, target) || target->flags & RK_IR_STATIC)) ||
           target->flags & RK_IR_SHARED;
}

bool rk_reach_is_step(const rk_ir *ir, rk_ir_id expression)
{
    const rk_ir_node *n = rk_ir_at(ir, expression);
    const rk_ir_type *type = rk_ir_canonical(ir, n->type);
    if (!type->is_volatile || type->element)
        return false;
    switch ((int)n->kind) {
    case RK_IR_SUBSCRIPT:
    case RK_IR_C_CAST: /* to a reference: values are not volatile */
    case RK_IR_CONST_CAST:
    case RK_IR_STATIC_CAST:
    case RK_IR_REINTERPRET_CAST:
        return true;
    case RK_IR_UNARY:
        return n->op == RK_IR_OP_DEREF;
    case RK_IR_MEMBER:
    case RK_IR_NAME:
        return is_shared_name(ir, rk_ir_target(ir, expression));
    case RK_IR_CALL: {
        const rk_ir_type *function = rk_ir_type_at(ir, rk_ir_target(ir, expression)->type);
        return rk_ir_canonical(ir, function->result)->kind == RK_IR_TYPE_REFERENCE;
    }
    default:
        return false;
    }
}

/** What the kind of a node says by itself. */
static unsigned effects_of_kind(const text *t, rk_ir_id node)
{
    switch ((int)rk_ir_kind_of(t->ir, node)) {
    case RK_IR_ASSEMBLY:
    case RK_IR_MS_ASSEMBLY:
        return RK_EFFECT_ASSEMBLY | RK_EFFECT_WAITS | RK_EFFECT_ASKS;
    case RK_IR_GOTO:
    case RK_IR_INDIRECT_GOTO:
    case RK_IR_LABEL:
    case RK_IR_TRY:
    case RK_IR_STATEMENT_EXPRESSION:
        return RK_EFFECT_JUMPS;
    case RK_IR_LAMBDA:
    case RK_IR_STRUCT:
    case RK_IR_CLASS:
    case RK_IR_UNION:
    case RK_IR_ENUM:
        return RK_EFFECT_SCOPES;
    case RK_IR_VARIABLE: {
        const uint32_t flags = rk_ir_target(t->ir, node)->flags;
        return flags & RK_IR_STATIC && !(flags & RK_IR_SHARED) ? RK_EFFECT_STATIC : 0;
    }
    case RK_IR_WHILE:
    case RK_IR_DO:
    case RK_IR_FOR:
        return rk_spin_look(t->unit, node, t->end) != RK_SPIN_NONE ? RK_EFFECT_SPINS : 0;
    default:
        return 0;
    }
}

static void look_at_node(text *t, rk_ir_id node);

/** The initial value of a member, unless it is on its way: it may make an object of its own class. */
static void look_at_value(text *t, rk_ir_id root)
{
    for (const text *around = t; around; around = around->outer)
        if (around->value == root)
            return;
    text value = {.unit = t->unit, .ir = t->ir, .value = root, .outer = t};
    value.to = &value.reach.called;
    *rk_push(t->ir->arena, &table_of(t->unit)->trees) = (tree){root, 0};
    for (rk_ir_id id = root; id < rk_ir_at(t->ir, root)->end; id++)
        look_at_node(&value, id);
    take_in(&t->reach.called, value.reach.called);
    for (size_t a = 0; a < value.arcs.count; a++)
        *rk_push(t->ir->arena, &t->arcs) = value.arcs.items[a];
}

/** What runs at a node without being named there. */
static void look_at_implicit(text *t, rk_ir_id node)
{
    uint32_t first, end;
    rk_ir_implicit(t->ir, node, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        if (t->ir->implicit.items[i].decl)
            call(t, node, t->ir->implicit.items[i].decl);
        else
            look_at_value(t, rk_ir_implicit_value(t->ir, i));
    }
}

static void look_at_node(text *t, rk_ir_id node)
{
    const rk_ir_node *n = rk_ir_at(t->ir, node);
    const rk_ir_type_kind type = rk_ir_type_of(t->ir, node)->kind;
    const bool dependent = type == RK_IR_TYPE_DEPENDENT || type == RK_IR_TYPE_UNEXPOSED;
    look_at_implicit(t, node);
    t->to->does |= effects_of_kind(t, node) | (dependent ? RK_EFFECT_DEPENDENT : 0) |
                   (is_volatile(t->ir, n->type) ? RK_EFFECT_VOLATILE : 0) |
                   (rk_reach_is_step(t->ir, node) ? RK_EFFECT_STEPS : 0);
    if (n->kind == RK_IR_CALL)
        look_at_call(t, node);
    else if (n->kind == RK_IR_NAME || n->kind == RK_IR_MEMBER)
        look_at_name(t, node);
    else if (n->kind == RK_IR_OVERLOADS)
        call_overloads(t, node, rk_ir_target(t->ir, node));
}

/* Functions. */

static void solve(rk_unit *unit, size_t index);

/** The row of a definition, which is new where it was not asked for. */
static size_t row_of(rk_unit *unit, rk_ir_id definition)
{
    struct rk_reach_table *table = table_of(unit);
    while (table->row_of.count <= definition)
        rk_push(unit->ir->arena, &table->row_of);
    size_t *at = &table->row_of.items[definition];
    if (*at)
        return *at - 1;
    *at = table->rows.count + 1;
    const rk_ir_id root = rk_ir_body(unit->ir, definition);
    const rk_ir_node *n = rk_ir_at(unit->ir, root);
    text t = {.unit = unit, .ir = unit->ir, .end = n->expanded.end.offset};
    const size_t index = table->rows.count;
    rk_push(unit->ir->arena, &table->rows);
    *rk_push(unit->ir->arena, &table->trees) = (tree){root, t.end};
    t.to = &t.reach.own;
    for (rk_ir_id id = root + 1; id < n->end; id++)
        look_at_node(&t, id);
    table->rows.items[index].reach = t.reach;
    memcpy(&table->rows.items[index].arcs, &t.arcs, sizeof t.arcs);
    solve(unit, index);
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
    bool recursive = table->open.count - first > 1;
    for (size_t a = 0; a < table->rows.items[index].arcs.count; a++)
        recursive |=
            table->row_of.items[table->rows.items[index].arcs.items[a].definition] == index + 1;
    all.does |= recursive ? RK_EFFECT_RECURSIVE : 0;
    for (size_t i = first; i < table->open.count; i++) {
        row *r = &table->rows.items[table->open.items[i]];
        r->open = false;
        if (recursive)
            r->reach.called = all;
    }
    table->open.count = first;
}

static void solve(rk_unit *unit, size_t index)
{
    struct rk_reach_table *table = table_of(unit);
    size_t low = index;
    table->rows.items[index].open = true;
    table->rows.items[index].low = index;
    *rk_push(unit->ir->arena, &table->open) = index;
    for (size_t a = 0; a < table->rows.items[index].arcs.count; a++) {
        const arc to = table->rows.items[index].arcs.items[a];
        const size_t callee = row_of(unit, to.definition);
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

rk_reach rk_reach_of(rk_unit *unit, rk_ir_id function)
{
    const rk_ir_id definition = rk_ir_definition(rk_ir_of(unit), function);
    const size_t at = definition ? row_of(unit, definition) : 0; /* which may move the rows */
    return definition ? table_of(unit)->rows.items[at].reach : (rk_reach){0};
}

rk_reach rk_reach_at(rk_unit *unit, rk_ir_id node)
{
    text t = {.unit = unit, .ir = rk_ir_of(unit)};
    rk_ir_id root = node;
    while (rk_ir_at(t.ir, root)->parent)
        root = rk_ir_at(t.ir, root)->parent;
    t.end = rk_ir_at(t.ir, root)->expanded.end.offset;
    t.to = &t.reach.own;
    look_at_node(&t, node);
    for (size_t a = 0; a < t.arcs.count; a++)
        take_arc(&t.reach, rk_reach_all(rk_reach_of(unit, t.arcs.items[a].definition)),
                 t.arcs.items[a].polled);
    return t.reach;
}

void rk_reach_each(rk_unit *unit, void (*visit)(void *user, rk_ir_id node, size_t end), void *user)
{
    const struct rk_reach_table *table = table_of(unit);
    for (size_t i = 0; i < table->trees.count; i++)
        for (rk_ir_id id = table->trees.items[i].root;
             id < rk_ir_at(unit->ir, table->trees.items[i].root)->end; id++)
            visit(user, id, table->trees.items[i].end);
}
