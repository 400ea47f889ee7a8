#include "tests/run/kernels/make.h"

#include <string.h>

stmt *make_stmt(maker *m, list *l, stmt_kind kind, int index, expr *e)
{
    stmt *s = RK_NEW(m->arena, stmt);
    *s =
        (stmt){.kind = kind, .number = m->k->statements++, .index = index, .op = OPERATORS, .e = e};
    *l->end = s;
    l->end = &s->next;
    m->budget--;
    return s;
}

int make_variable_of(maker *m, type t, const char *prefix)
{
    function *f = current(m);
    const int index = (int)f->variables.count;
    variable *v = rk_push(m->arena, &f->variables);
    v->type = t;
    v->alias = f->spelling == TEMPLATED && t == f->alias && chance(m, 60);
    snprintf(v->name, sizeof v->name, "%s%d", prefix, index);
    return index;
}

void make_see(maker *m, list *l, int index)
{
    if (m->function != 0 || m->slots >= SLOTS)
        return;
    stmt *s = make_stmt(m, l, SEE, index, NULL);
    s->slot = m->slots++;
    var_of(m, index)->unseen = false;
}

static array *array_of(maker *m, size_t i)
{
    return &m->k->arrays.items[m->arrays.items[i]];
}

static void set_phases(maker *m, phase to)
{
    for (size_t i = 0; i < m->arrays.count; i++)
        if (array_of(m, i)->memory != PER_THREAD)
            array_of(m, i)->phase = to;
}

static void make_barrier(maker *m, list *l)
{
    make_stmt(m, l, BARRIER, 0, NULL);
    set_phases(m, CLEAN);
}

/* Variables. */

static unsigned demands(maker *m, const place *p)
{
    return (p->warp ? 0 : ALONE) | (m->diet.vague && chance(m, 50) ? 0 : DEFINED);
}

static void make_declaration(maker *m, list *l, const place *p)
{
    const type t = pick_type(m);
    if (m->diet.vague && chance(m, 20)) {
        const int v = make_variable_of(m, t, "v");
        var_of(m, v)->vague = true;
        make_stmt(m, l, DECLARE, v, NULL);
        *rk_push(m->arena, &m->visible) = v;
        return;
    }
    const bool uniform = p->block && chance(m, 25);
    /* The value may be of another type, so that the declaration converts it. */
    expr *e = make_expr(m, p, chance(m, 75) ? t : pick_type(m), 2,
                        demands(m, p) | (uniform ? UNIFORM | DEFINED : 0));
    const int v = make_variable_of(m, t, "v");
    var_of(m, v)->vague = expr_is_vague(m, e);
    var_of(m, v)->uniform = uniform;
    make_stmt(m, l, DECLARE, v, e);
    var_of(m, v)->unseen = true;
    *rk_push(m->arena, &m->visible) = v;
    if (p->depth || chance(m, 30))
        make_see(m, l, v);
}

static int pick_assigned(maker *m, const place *p)
{
    for (unsigned tries = 0; tries < 8 && m->visible.count; tries++) {
        const int i = m->visible.items[pick(m, (unsigned)m->visible.count)];
        const variable *v = var_of(m, i);
        if (!v->constant && !(v->uniform && !p->block))
            return i;
    }
    return -1;
}

static void make_assignment(maker *m, list *l, const place *p)
{
    static const operation compound[] = {ADD, SUB, MUL, XOR, OR, AND, SHL, SHR};
    const int i = pick_assigned(m, p);
    if (i < 0)
        return;
    const bool uniform = var_of(m, i)->uniform, number = type_is_float(var_of(m, i)->type);
    const type t = chance(m, 70) ? var_of(m, i)->type : pick_type(m);
    operation op = OPERATORS;
    if (chance(m, 40))
        op = compound[pick(m, number || type_is_float(t) ? 3 : 8)];
    const unsigned must = demands(m, p) | (uniform ? UNIFORM | DEFINED : 0);
    const bool shifts = op == SHL || op == SHR;
    expr *e = shifts ? make_amount(m, p, var_of(m, i)->type, 2, must) : make_expr(m, p, t, 2, must);
    variable *v = var_of(m, i);
    if (expr_is_vague(m, e))
        v->vague = true;
    else if (p->depth == 0 && op == OPERATORS)
        v->vague = false;
    make_stmt(m, l, ASSIGN, i, e)->op = op;
    v->unseen = true;
    if (chance(m, 30))
        make_see(m, l, i);
}

/** v = f(a) + f(b), f a lambda that copies what it names. */
static void make_lambda(maker *m, list *l, const place *p)
{
    const type t = type_promoted(pick_type(m)), from = pick_type(m);
    expr *a = make_expr(m, p, from, 2, DEFINED | ALONE),
         *b = make_expr(m, p, from, 2, DEFINED | ALONE);
    const int parameter = make_variable_of(m, from, "p");
    *rk_push(m->arena, &m->visible) = parameter;
    const place inside = {.depth = p->depth + 1};
    expr *e = make_expr(m, &inside, t, 2, DEFINED | ALONE);
    m->visible.count--;
    const int v = make_variable_of(m, t, "v");
    stmt *s = make_stmt(m, l, LAMBDA, v, e);
    s->slot = parameter;
    s->at = a;
    s->more = b;
    s->way = (int)pick(m, 2);
    *rk_push(m->arena, &m->visible) = v;
    make_see(m, l, v);
}

/** A function that all threads of the block call. */
static void make_block_call(maker *m, list *l, const place *p)
{
    for (int i = 1; i < (int)m->k->functions.count; i++) {
        if (!m->k->functions.items[i].meets || i == m->function || chance(m, 20))
            continue;
        expr *e = make_node(m, CALL, m->k->functions.items[i].type);
        e->index = i;
        for (int a = 0; a < m->k->functions.items[i].parameter_count; a++)
            e->a[a] = make_expr(m, p, m->k->functions.items[i].variables.items[a].type, 2, DEFINED);
        const int v = make_variable_of(m, e->type, "v");
        var_of(m, v)->vague = true;
        make_stmt(m, l, DECLARE, v, e);
        *rk_push(m->arena, &m->visible) = v;
        make_see(m, l, v);
        return;
    }
}

/** A barrier that counts. */
static void make_meeting(maker *m, list *l, const place *p)
{
    expr *e = make_node(m, MEET, I32);
    e->way = (int)pick(m, 3);
    e->a[0] = make_condition(m, p, DEFINED | ALONE);
    const int v = make_variable_of(m, I32, "met");
    var_of(m, v)->constant = true;
    make_stmt(m, l, DECLARE, v, e);
    set_phases(m, CLEAN);
    *rk_push(m->arena, &m->visible) = v;
    make_see(m, l, v);
}

/* Memory. */

/** Each thread writes an element, and after a barrier reads another's. */
static void make_exchange(maker *m, list *l, const place *p)
{
    if (!m->arrays.count)
        return;
    const size_t i = pick(m, (unsigned)m->arrays.count);
    const int index = m->arrays.items[i];
    array *a = array_of(m, i);
    if (a->memory == PER_THREAD) {
        stmt *s = make_stmt(m, l, STORE, index, make_expr(m, p, a->type, 2, demands(m, p)));
        s->at = make_constant(m, I32, pick(m, (unsigned)a->count));
        a->filled &= !expr_is_vague(m, s->e);
        return;
    }
    if (a->phase != CLEAN && a->phase != OWN) {
        if (!p->block)
            return;
        make_barrier(m, l);
    }
    stmt *s = make_stmt(m, l, STORE, index, NULL);
    s->e = make_expr(m, p, a->type, 2, demands(m, p));
    s->at = a->backwards ? make_binary(m, SUB, make_constant(m, I32, m->k->threads - 1),
                                       make_built_in(m, THREAD))
                         : make_built_in(m, THREAD);
    if (a->phase == OTHERS) /* what is stored has read it */
        a->phase = DIRTY;
    else
        a->phase = OWN;
    if (!p->block)
        return;
    a->filled = !expr_is_vague(m, s->e);
    if (chance(m, 80))
        make_barrier(m, l);
    if (a->phase != CLEAN || chance(m, 20))
        return;
    a->phase = OTHERS;
    expr *e = make_node(m, ELEMENT, a->type);
    e->index = index;
    expr *from = chance(m, 60) ? make_binary(m, ADD, make_built_in(m, THREAD),
                                             make_constant(m, U32, 1 + pick(m, 40)))
                               : make_expr(m, p, U32, 2, DEFINED | ALONE);
    e->a[0] = make_binary(m, REM, make_cast(m, U32, from), make_constant(m, U32, m->k->threads));
    const int v = make_variable_of(m, a->type, "got");
    var_of(m, v)->vague = !a->filled;
    make_stmt(m, l, DECLARE, v, e);
    *rk_push(m->arena, &m->visible) = v;
    make_see(m, l, v);
}

static value bound_of(const array *a)
{
    return a->type == U32 ? 1000 : 0;
}

static void make_atomic(maker *m, list *l, const place *p)
{
    for (int i = (int)pick(m, (unsigned)m->k->arrays.count + 1); i < (int)m->k->arrays.count; i++) {
        array *a = &m->k->arrays.items[i];
        const bool shared = a->memory != CELLS;
        if (a->op == OPERATORS || (shared && (a->owner != m->function || !a->filled)) ||
            (!shared && m->function != 0))
            continue;
        if (shared && a->phase != CLEAN && a->phase != ATOMICS) {
            if (!p->block)
                return;
            make_barrier(m, l);
        }
        expr *at = make_expr(m, p, U32, 2, DEFINED | ALONE);
        expr *e = a->way == INCREMENT ? make_constant(m, a->type, bound_of(a))
                                      : make_expr(m, p, a->type, 2, DEFINED | ALONE);
        if (shared && a->phase != CLEAN && a->phase != ATOMICS)
            return; /* what is added has read it */
        if (shared)
            a->phase = ATOMICS;
        stmt *s = make_stmt(m, l, ATOMIC, i, e);
        s->op = a->op;
        s->way = a->way;
        s->slot = -1;
        const unsigned free = shared ? 0 : 1; /* cell 0 is for make_aggregate */
        s->at = make_binary(m, REM, at, make_constant(m, U32, (value)a->count - free));
        if (free)
            s->at = make_binary(m, ADD, s->at, make_constant(m, U32, free));
        return;
    }
}

/* Control flow. */

static void make_inside(maker *m, stmt **body, const place *p, int count)
{
    list l = {NULL, body};
    const size_t visible = m->visible.count, arrays = m->arrays.count;
    make_statements(m, &l, p, count);
    m->visible.count = visible;
    m->arrays.count = arrays;
}

/** What a condition leaves of the place: all of it when it is the same for all threads. */
static place below(const place *p, bool uniform)
{
    place inside = *p;
    inside.depth++;
    if (!uniform) {
        inside.breakable =
            p->breakable && !p->block && !p->warp; /* else the loop is for all of them */
        inside.block = false;
        inside.warp = NULL;
    }
    return inside;
}

static void make_if(maker *m, list *l, const place *p)
{
    const bool uniform = p->block && chance(m, 35);
    expr *e = make_condition(m, p, DEFINED | ALONE | (uniform ? UNIFORM : 0));
    stmt *s = make_stmt(m, l, IF, 0, e);
    const place inside = below(p, uniform);
    make_inside(m, &s->body, &inside, 1 + (int)pick(m, 2));
    if (chance(m, 35))
        make_inside(m, &s->other, &inside, 1);
}

static void make_switch(maker *m, list *l, const place *p)
{
    const bool uniform = p->block && chance(m, 20);
    place inside = below(p, uniform);
    inside.breakable = false;
    stmt *s = make_stmt(
        m, l, SWITCH, 0,
        make_expr(m, p, chance(m, 50) ? I32 : U8, 2, DEFINED | ALONE | (uniform ? UNIFORM : 0)));
    s->slot = chance(m, 40);
    make_inside(m, &s->body, &inside, 1);
    make_inside(m, &s->other, &inside, 1);
}

static void make_loop(maker *m, list *l, const place *p)
{
    const bool uniform = p->block && chance(m, 60), turns = chance(m, 35);
    const size_t visible = m->visible.count;
    place inside = below(p, uniform);
    inside.loops++;
    inside.breakable = true;
    const unsigned must = DEFINED | ALONE | (uniform ? UNIFORM : 0);
    const int counter = make_variable_of(m, I32, "i");
    var_of(m, counter)->constant = true;
    var_of(m, counter)->uniform = uniform;
    stmt *s = make_stmt(m, l, turns ? WHILE : FOR, counter, NULL);
    if (turns && p->warp && !uniform && chance(m, 40)) { /* as long as any lane wants to */
        inside.warp = p->warp;
        inside.breakable = false;
        s->e = make_vote(m, ANY, p->warp, make_condition(m, p, DEFINED | ALONE));
    } else if (turns) {
        s->e = make_condition(m, p, must);
    } else {
        s->e = make_binary(
            m, ADD, make_binary(m, AND, make_expr(m, p, I32, 2, must), make_constant(m, I32, 3)),
            make_constant(m, I32, 1));
    }
    s->slot = 1 + (int)pick(m, 4);
    list body = {NULL, &s->body};
    *rk_push(m->arena, &m->visible) = counter;
    if (uniform && m->diet.barriers && m->arrays.count && chance(m, 70))
        make_barrier(m, &body);
    else
        set_phases(m, DIRTY);
    make_statements(m, &body, &inside, 1 + (int)pick(m, 3));
    m->visible.count = visible;
    set_phases(m, DIRTY);
}

static void make_way_out(maker *m, list *l, const place *p)
{
    const bool may_leave = m->function == 0 ? m->diet.returns : !current(m)->meets;
    const bool leaves = may_leave && (!p->breakable || chance(m, 30));
    if (!leaves && !p->breakable)
        return;
    stmt *s = make_stmt(m, l, IF, 0, NULL);
    if (leaves)
        s->e = make_binary(
            m, EQ,
            make_binary(m, AND, make_expr(m, p, I32, 2, DEFINED | ALONE), make_constant(m, I32, 7)),
            make_constant(m, I32, pick(m, 8)));
    else
        s->e = make_condition(m, p, DEFINED | ALONE | (p->block ? UNIFORM : 0));
    if (!leaves && !p->block && p->warp) { /* of a loop that the warp goes through together */
        s->e = make_vote(m, ANY, p->warp, s->e);
    }
    list body = {NULL, &s->body};
    expr *result =
        leaves && m->function ? make_expr(m, p, current(m)->type, 1, DEFINED | ALONE) : NULL;
    make_stmt(m, &body, leaves ? RETURN : chance(m, 50) ? BREAK : CONTINUE, 0, result);
}

static void make_statement(maker *m, list *l, const place *p)
{
    const diet *d = &m->diet;
    const bool deep = p->depth >= 3;
    switch (pick(m, 16)) {
    case 0:
    case 1:
    case 2:
        make_declaration(m, l, p);
        break;
    case 3:
    case 4:
        make_assignment(m, l, p);
        break;
    case 5:
    case 6:
        make_exchange(m, l, p);
        break;
    case 7:
        if (!deep)
            make_if(m, l, p);
        break;
    case 8:
        if (!deep)
            make_loop(m, l, p);
        break;
    case 9:
    case 10:
        if (d->warps && !deep)
            make_idiom(m, l, p);
        break;
    case 11:
        if (d->atomics)
            make_atomic(m, l, p);
        break;
    case 12:
        make_way_out(m, l, p);
        break;
    case 13:
        if (d->lambdas)
            make_lambda(m, l, p);
        else if (p->block && d->barriers && d->warps)
            make_meeting(m, l, p);
        break;
    case 14:
        if (p->block && d->barriers && chance(m, 60))
            make_block_call(m, l, p);
        else if (!deep)
            make_switch(m, l, p);
        break;
    default:
        if (p->block && d->barriers && chance(m, 40))
            make_barrier(m, l);
        else
            make_assignment(m, l, p);
    }
}

void make_statements(maker *m, list *l, const place *p, int count)
{
    for (int i = 0; i < count && m->budget > 0; i++)
        make_statement(m, l, p);
}

/* Functions. */

static void make_header(maker *m, function *f)
{
    f->spelling = (spelling)pick(m, SPELLINGS);
    f->type = pick_type(m);
    f->alias = pick_type(m);
    f->parameter_count = 1 + (int)pick(m, 2);
    static const type values[] = {U8, I16, I32, U16, U32, I8};
    for (int i = 0; i < TEMPLATE_VALUES; i++) {
        f->value_types[i] = values[pick(m, 6)];
        f->values[i] = pool_value(f->value_types[i], (int)pick(m, POOL_SIZE));
    }
}

static void make_parameters(maker *m)
{
    const int count = current(m)->parameter_count;
    m->visible.count = 0;
    m->arrays.count = 0;
    for (int i = 0; i < count; i++)
        *rk_push(m->arena, &m->visible) = make_variable_of(m, pick_type(m), "a");
}

/** Good until the next one is made. */
static array *make_array(maker *m, memory where, type t, int count)
{
    const int index = (int)m->k->arrays.count;
    array *a = rk_push(m->arena, &m->k->arrays);
    *a = (array){.memory = where, .type = t, .count = count, .owner = m->function, .op = OPERATORS};
    snprintf(a->name, sizeof a->name, "%c%d", "sdlc"[where], index);
    return a;
}

static void add_shared(maker *m, memory where)
{
    static const operation atomics[] = {ADD, MIN, MAX, AND, OR, XOR};
    const type t = pick_type(m);
    const int spare = (int)pick(m, 8);
    array *a = make_array(m, where, t, (int)m->k->threads + spare);
    a->backwards = chance(m, 25);
    if (where == STATIC_SHARED && chance(m, 25)) {
        a->columns = 3 + (int)pick(m, 31);
        a->count = (a->count + a->columns - 1) / a->columns * a->columns;
    } else if (m->diet.volatiles && t >= I32) {
        a->is_volatile = true;
        a->backwards = false;
        a->count = (int)m->k->threads + 64;
    } else if (m->diet.atomics && (t == I32 || t == U32)) {
        a->op = atomics[pick(m, 6)];
    }
    *rk_push(m->arena, &m->arrays) = (int)m->k->arrays.count - 1;
}

/** How often an expression names a parameter. */
static int count_uses(const expr *e, int parameter)
{
    int count = e->kind == VARIABLE && e->index == parameter;
    for (int i = 0; i < MOST_ARGS; i++)
        count += e->a[i] ? count_uses(e->a[i], parameter) : 0;
    return count;
}

/** Whether it shifts, or converts numbers to integers. */
static bool has_edges(const expr *e)
{
    bool edges = e->kind == BINARY && (e->op == SHL || e->op == SHR);
    edges |= e->kind == CAST && type_is_float(e->a[0]->type) && !type_is_float(e->type);
    for (int i = 0; i < MOST_ARGS; i++)
        edges = edges || (e->a[i] && has_edges(e->a[i]));
    return edges;
}

/**
 * Whether a macro of the expression is converted wholly: RK-V221 tells that shifts and conversions in macros, and in
 * arguments that they repeat, may stay as C++ has them.
 */
static bool may_be_macro(const function *f)
{
    for (int i = 0; i < f->parameter_count; i++)
        if (count_uses(f->result, i) > 1)
            return false;
    return !has_edges(f->result) && (type_is_float(f->type) || !type_is_float(f->result->type));
}

/** A function of its parameters alone, or one that reads the built-ins, too, or whose body all threads run. */
static void make_helper(maker *m)
{
    m->function = (int)m->k->functions.count;
    rk_push(m->arena, &m->k->functions);
    make_header(m, current(m));
    make_parameters(m);
    if (!m->diet.helpers || chance(m, 50)) {
        expr *e = make_expr(m, NULL, current(m)->type, 2, DEFINED | ALONE);
        current(m)->result = e;
        if (current(m)->spelling == MACRO && !may_be_macro(current(m)))
            current(m)->spelling = PLAIN;
        return;
    }
    if (current(m)->spelling == MACRO)
        current(m)->spelling = TEMPLATED;
    const bool meets = m->diet.barriers && chance(m, 70);
    for (unsigned i = meets ? 1 + pick(m, 2) : 0; i; i--)
        add_shared(m, STATIC_SHARED);
    place p = {
        .block = meets, .warp = meets && m->diet.warps ? make_built_in(m, FULL) : NULL, .depth = 1};
    stmt *top = NULL;
    list l = {NULL, &top};
    current(m)->meets = meets;
    if (meets)
        make_barrier(m, &l);
    m->budget = 5;
    make_statements(m, &l, &p, 1 + (int)pick(m, 3));
    expr *e = make_expr(m, &p, current(m)->type, 2, ALONE);
    make_stmt(m, &l, RETURN, 0, e);
    current(m)->body = top;
}

/* The kernel. */

static void make_shape(maker *m)
{
    static const unsigned shapes[][3] = {
        {33, 1, 1}, {64, 1, 1}, {7, 5, 1},  {3, 5, 7},  {1, 1, 1},   {96, 1, 1}, {31, 1, 1},
        {32, 1, 1}, {16, 4, 1}, {32, 2, 1}, {5, 1, 13}, {100, 1, 1}, {11, 3, 2}, {128, 1, 1},
        {32, 1, 1}, {64, 1, 1}, {9, 9, 1},  {65, 1, 1}, {1, 37, 1},  {4, 4, 4}};
    static const unsigned grids[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1},
                                        {2, 2, 1}, {1, 1, 2}, {5, 1, 1}};
    kernel *k = m->k;
    memcpy(k->block, shapes[pick(m, sizeof shapes / sizeof *shapes)], sizeof k->block);
    memcpy(k->grid, grids[pick(m, sizeof grids / sizeof *grids)], sizeof k->grid);
    k->threads = k->block[0] * k->block[1] * k->block[2];
    k->blocks = k->grid[0] * k->grid[1] * k->grid[2];
    k->bounds = chance(m, 20);
}

/** A third of the kernels have nothing that keeps them from fission, a few not even barriers. */
static void make_diet(maker *m)
{
    const unsigned kind = pick(m, 10);
    diet *d = &m->diet;
    d->floats = chance(m, 75);
    d->doubles = d->floats && chance(m, 40);
    d->wide = chance(m, 50);
    d->returns = chance(m, 60);
    d->vague = chance(m, 70);
    d->barriers = kind > 1;
    d->warps = kind > 4;
    d->helpers = kind > 4 ? chance(m, 60) : chance(m, 15);
    d->lambdas = kind > 4 && chance(m, 40);
    d->atomics = chance(m, 40);
    d->volatiles = kind > 4 && chance(m, 25);
}

static void add_kernel_arrays(maker *m)
{
    if (m->diet.barriers) {
        for (unsigned i = 1 + pick(m, 3); i; i--)
            add_shared(m, STATIC_SHARED);
        for (unsigned i = chance(m, 50) ? 1 + pick(m, 3) : 0; i; i--)
            add_shared(m, DYNAMIC_SHARED);
    }
    for (size_t i = 0; i < m->k->arrays.count; i++) {
        array *a = &m->k->arrays.items[i];
        if (a->memory != DYNAMIC_SHARED)
            continue;
        const unsigned size = type_bits(a->type) / 8;
        a->offset = (m->k->dynamic_bytes + size - 1) / size * size;
        m->k->dynamic_bytes = a->offset + size * (unsigned)a->count;
    }
    static const operation atomics[] = {ADD, MIN, MAX, AND, OR, XOR, ADD};
    for (unsigned i = m->diet.atomics ? 1 + pick(m, 3) : 0; i; i--) {
        const unsigned kind = pick(m, 10);
        array *a = make_array(m, CELLS, kind < 6 ? U32 : kind < 8 ? I32 : U64, CELL_COUNT);
        a->op = atomics[pick(m, 7)];
        if (a->type == U32 && a->op == XOR)
            a->way = INCREMENT;
        else if (kind % 3 == 0)
            a->way = CAS_LOOP;
    }
}

static void add_locals(maker *m, list *l)
{
    if (chance(m, 25)) {
        array *a = make_array(m, PER_THREAD, pick_type(m), 2 + (int)pick(m, 6));
        const int index = (int)m->k->arrays.count - 1;
        stmt *s = make_stmt(m, l, DECLARE_ARRAY, index, NULL);
        s->slot = chance(m, 60);
        a->filled = s->slot;
        a->phase = OWN;
        *rk_push(m->arena, &m->arrays) = index;
    }
    for (unsigned i = m->diet.vague && chance(m, 20) ? 3 : 0; i; i--) {
        const int v = make_variable_of(m, pick_type(m), "m.v");
        var_of(m, v)->member = var_of(m, v)->vague = true;
        var_of(m, v)->alias = false;
        *rk_push(m->arena, &m->visible) = v;
    }
}

static void make_body(maker *m)
{
    stmt *top = NULL;
    list l = {NULL, &top};
    m->budget = 18;
    add_locals(m, &l);
    place p = {.block = true, .warp = m->diet.warps ? make_built_in(m, FULL) : NULL};
    make_statements(m, &l, &p, 4 + (int)pick(m, 6));
    for (size_t i = 0; i < m->visible.count; i++)
        if (var_of(m, m->visible.items[i])->unseen)
            make_see(m, &l, m->visible.items[i]);
    current(m)->body = top;
}

kernel *kernel_make(uint64_t seed, int number, int attempt, rk_arena *arena)
{
    maker m = {.k = RK_NEW(arena, kernel), .arena = arena};
    m.state = seed * 0x2545f4914f6cdd1du + ((uint64_t)(unsigned)number << 20) +
              (uint64_t)(unsigned)attempt;
    m.k->number = number;
    for (int i = 0; i < 4; i++)
        pick(&m, 2);
    m.state ^= m.state << 31; /* neighbours have nothing in common */
    rk_push(arena, &m.k->functions);
    make_shape(&m);
    make_diet(&m);
    make_header(&m, current(&m));
    for (unsigned i = pick(&m, 3); i; i--)
        make_helper(&m);
    m.function = 0;
    current(&m)->parameter_count = 1 + (int)pick(&m, MOST_PARAMETERS);
    if (current(&m)->spelling != TEMPLATED)
        current(&m)->spelling = PLAIN;
    make_parameters(&m);
    for (int i = 0; i < current(&m)->parameter_count; i++) {
        variable *v = var_of(&m, i);
        v->uniform = v->constant = chance(&m, 70);
        m.k->arguments[i] = pool_value(v->type, (int)pick(&m, POOL_SIZE));
    }
    add_kernel_arrays(&m);
    make_body(&m);
    return m.k;
}
