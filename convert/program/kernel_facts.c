#include "convert/cuda/builtins.h"
#include "convert/program/program_internal.h"

#include "convert/clang/lower.h"
#include "convert/facts/reach.h"

#include <string.h>

typedef struct {
    rk_program *program;
    rk_unit *unit;
    rk_ir *ir;
    RK_VEC(rk_ir_id) open; /**< the trees around the one that is visited, with it */
    /* what functions do that are no kernels, and so what one may do that is not seen */
    bool helper_waits, helper_reads;
    bool operator_waits, operator_reads; /**< the same of operators, constructors and their like */
} reader;

/** Whether text that does this may wait: steps do, of which the program has some. */
static bool waits(const reader *r, unsigned does)
{
    return does & (RK_EFFECT_WAITS | RK_EFFECT_RECURSIVE | RK_EFFECT_SPINS) ||
           (does & RK_EFFECT_STEPS && r->unit->steps.count);
}

static bool reads(rk_effects e)
{
    return e.reads || e.does & RK_EFFECT_ASKS;
}

/** Whether a lambda captures what it names, local shadows of the built-ins among it. */
static bool captures_all(const reader *r, const rk_ir_node *lambda)
{
    size_t i;
    const rk_stretch *s = rk_program_stretch(r->program, rk_ir_where(lambda->spelled.begin), &i);
    return s && rk_token_is(&s->tokens, i, "[") &&
           (rk_token_is(&s->tokens, i + 1, "&") || rk_token_is(&s->tokens, i + 1, "=")) &&
           (rk_token_is(&s->tokens, i + 2, "]") || rk_token_is(&s->tokens, i + 2, ","));
}

/** Whether a kernel has lambdas or classes inside, to which its shadows of the built-ins do not come. */
static bool has_scopes(const reader *r, rk_ir_id root)
{
    const rk_ir_node *n = rk_ir_at(r->ir, root);
    for (rk_ir_id id = root + 1; id < n->end; id++) {
        const rk_ir_node *node = rk_ir_at(r->ir, id);
        if (node->kind == RK_IR_STRUCT || node->kind == RK_IR_CLASS ||
            (node->kind == RK_IR_LAMBDA && !captures_all(r, node)))
            return true;
    }
    return false;
}

/* Declarations. */

/** A declaration's name with its namespaces and classes; `*reachable` becomes false inside a class or function. */
static const char *qualified(const reader *r, const rk_ir_decl *declaration, bool *reachable)
{
    rk_arena *arena = r->unit->arena;
    const char *name = declaration->name;
    const char *angle = strchr(name, '<');
    if (angle && strncmp(name, "operator", 8) != 0)
        name = rk_arena_strndup(arena, name, (size_t)(angle - name));
    for (rk_ir_id id = declaration->parent; id; id = rk_ir_decl_at(r->ir, id)->parent) {
        const rk_ir_decl *p = rk_ir_decl_at(r->ir, id);
        if (p->kind == RK_IR_LINKAGE || p->kind == RK_IR_OTHER_DECLARATION)
            continue;
        if (p->kind != RK_IR_NAMESPACE)
            *reachable = false;
        if (!(p->flags & RK_IR_ANONYMOUS) && !rk_ir_is_function(p->kind))
            name = rk_arena_printf(arena, "%s::%s", p->name, name);
    }
    return name;
}

static void read_params(reader *r, rk_kernel_facts *facts, rk_ir_id kernel)
{
    facts->params.count = 0;
    RK_IR_EACH(r->ir, part, kernel)
    {
        if (rk_ir_kind_of(r->ir, part) != RK_IR_PARAMETER)
            continue;
        const char *name = rk_ir_target(r->ir, part)->name;
        const bool pack =
            rk_str_ends(rk_ir_type_at(r->ir, rk_ir_at(r->ir, part)->type)->text, "...");
        *rk_push(r->unit->arena, &facts->params) =
            *name && pack ? rk_arena_printf(r->unit->arena, "%s...", name) : name;
    }
}

/* Static shared memory. */

/** Whether something below names what is declared in a function: no text outside of it can. */
static bool names_local(const rk_ir *ir, rk_ir_id variable)
{
    for (rk_ir_id id = variable + 1; id < rk_ir_at(ir, variable)->end; id++) {
        const rk_ir_decl *target = rk_ir_target(ir, id);
        if (target->kind != RK_IR_NONE && target->kind != RK_IR_VALUE_PARAMETER &&
            target->kind != RK_IR_TYPE_PARAMETER && target->kind != RK_IR_TEMPLATE_PARAMETER &&
            rk_ir_is_local(ir, target))
            return true;
    }
    return false;
}

static void add_shared(rk_str *parts, const rk_ir *ir, rk_ir_id variable)
{
    const rk_ir_type *type = rk_ir_type_at(ir, rk_ir_at(ir, variable)->type);
    const char *comma = parts->length ? ", " : "";
    if (type->size > 0)
        rk_str_addf(parts, "%s{%lld, %lld}", comma, (long long)type->size, (long long)type->align);
    else if (!names_local(ir, variable) &&
             !strchr(type->text, '(')) /* no name: "(unnamed struct at ...)" */
        rk_str_addf(parts, "%s{sizeof(%s), alignof(%s)}", comma, type->text, type->text);
}

static const char *shared_of(reader *r, rk_ir_id kernel)
{
    const rk_ir *ir = r->ir;
    rk_str parts = {.arena = r->unit->arena};
    for (rk_ir_id id = kernel + 1; id < rk_ir_at(ir, kernel)->end; id++) {
        const uint32_t flags = rk_ir_target(ir, id)->flags;
        if (rk_ir_kind_of(ir, id) != RK_IR_VARIABLE || !(flags & RK_IR_SHARED) ||
            flags & RK_IR_EXTERN)
            continue;
        add_shared(&parts, ir, id);
        id = rk_ir_at(ir, id)->end - 1;
    }
    return rk_arena_strdup(r->unit->arena, rk_str_text(&parts));
}

/** The facts of the text whose `{` is there, which a macro may use for more than one kernel. */
static rk_kernel_facts *facts_of(reader *r, rk_where body, rk_ir_id kernel)
{
    for (size_t i = 0; i < r->program->kernels.count; i++) {
        rk_kernel_facts *old = &r->program->kernels.items[i];
        if (old->body.file == body.file && old->body.offset == body.offset)
            return old;
    }
    bool reachable;
    rk_kernel_facts *facts = rk_push(r->unit->arena, &r->program->kernels);
    *facts = (rk_kernel_facts){.body = body,
                               .name = qualified(r, rk_ir_decl_at(r->ir, kernel), &reachable)};
    return facts;
}

/** Adds a kernel's facts to those of its text. */
static void add_kernel(reader *r, rk_ir_id kernel)
{
    const rk_ir_id root = rk_ir_body(r->ir, kernel);
    const rk_ir_id block = rk_ir_child_as(r->ir, root, RK_IR_ROLE_BODY);
    const rk_where body = rk_ir_where(rk_ir_at(r->ir, block)->spelled.begin);
    if (!block || body.file == RK_NONE)
        return;
    rk_kernel_facts *facts = facts_of(r, body, kernel);
    const rk_reach reach = rk_reach_of(r->unit, kernel);
    const unsigned does = rk_reach_all(reach).does;
    facts->waits |= waits(r, does) || does & RK_EFFECT_GRID ||
                    (does & RK_EFFECT_UNSEEN && r->helper_waits) ||
                    (does & RK_EFFECT_DEPENDENT && r->operator_waits);
    facts->grid_sync |= (does & RK_EFFECT_GRID) != 0;
    if (does & RK_EFFECT_STEPS && r->unit->steps.count)
        *rk_push(r->unit->arena, &r->unit->stepped) = body;
    facts->helpers_read |= reads(reach.called) || reach.own.does & RK_EFFECT_ASKS ||
                           (does & RK_EFFECT_UNSEEN && r->helper_reads) ||
                           (does & RK_EFFECT_DEPENDENT && r->operator_reads);
    facts->reads |= reach.own.reads;
    facts->has_scopes |= has_scopes(r, root);
    const char *shared = shared_of(r, root);
    /* A macro that makes several kernels has one text for all. */
    facts->shared = !facts->shared || strcmp(facts->shared, shared) == 0 ? shared : "";
    read_params(r, facts, root);
}

static bool is_kernel(const reader *r, rk_ir_id function)
{
    const rk_ir_decl *d = rk_ir_decl_at(r->ir, function);
    return rk_ir_is_function(d->kind) &&
           (d->flags | rk_ir_decl_at(r->ir, d->pattern)->flags) & RK_IR_KERNEL;
}

static void add_symbol(reader *r, const rk_ir_decl *variable)
{
    bool reachable = true;
    const char *name = qualified(r, variable, &reachable);
    if (!reachable || !*variable->name || variable->flags & RK_IR_EXTERN ||
        !(variable->flags & RK_IR_DEFINED) || !(variable->flags & (RK_IR_CONSTANT | RK_IR_DEVICE)))
        return;
    *rk_push(r->unit->arena, &r->program->symbols) = (rk_device_symbol){
        name, variable->flags & RK_IR_CONSTANT ? "RK_CPU_MEMORY_CONSTANT" : "RK_CPU_MEMORY_SYMBOL"};
}

/* References to kernels. */

/** Whether the name is what a call calls: the first child of the call, implicit casts between. */
static bool is_callee(const rk_ir *ir, rk_ir_id name)
{
    for (rk_ir_id child = name, parent; (parent = rk_ir_at(ir, child)->parent); child = parent) {
        const rk_ir_kind kind = rk_ir_kind_of(ir, parent);
        if (rk_ir_first(ir, parent) != child)
            return false;
        if (kind == RK_IR_CALL)
            return true;
        if (kind != RK_IR_OTHER_EXPRESSION && kind != RK_IR_PAREN && kind != RK_IR_MEMBER)
            return false;
    }
    return false;
}

static void add_reference(reader *r, rk_ir_id node, rk_ir_id kernel)
{
    rk_arena *arena = r->unit->arena;
    const rk_where at = rk_ir_where(rk_ir_at(r->ir, node)->spelled.at);
    if (at.file == RK_NONE || !is_kernel(r, kernel))
        return;
    const bool called = is_callee(r->ir, node);
    for (size_t i = 0; i < r->program->references.count; i++) {
        rk_kernel_reference *old = &r->program->references.items[i];
        if (old->name.file == at.file && old->name.offset == at.offset) {
            old->called |= called;
            return;
        }
    }
    bool reachable;
    const rk_ir_decl *target = rk_ir_decl_at(r->ir, kernel);
    const char *type = rk_ir_canonical(r->ir, target->type)->text;
    *rk_push(arena, &r->program->references) = (rk_kernel_reference){
        .name = at,
        .kernel = qualified(r, target, &reachable),
        .type = target->kind == RK_IR_FUNCTION_TEMPLATE
                    ? NULL
                    : rk_arena_printf(arena, "std::decay_t<%s>", rk_ast_type_named(type, arena)),
        .deduced = rk_ir_decl_at(r->ir, target->pattern)->kind == RK_IR_FUNCTION_TEMPLATE,
        .called = called};
}

/** A name of what is no function, and is called. */
static void add_pointer(reader *r, rk_ir_id node)
{
    const rk_where at = rk_ir_where(rk_ir_at(r->ir, node)->spelled.at);
    const rk_ir_kind kind = rk_ir_target(r->ir, node)->kind;
    if (at.file != RK_NONE && !rk_ir_is_function(kind) && kind != RK_IR_OVERLOADS &&
        is_callee(r->ir, node))
        *rk_push(r->unit->arena, &r->program->pointers) = at;
}

/** Whether text may call the function without its name. */
static bool is_operator(const rk_ir_decl *function)
{
    return function->of == RK_IR_CONSTRUCTOR || function->of == RK_IR_DESTRUCTOR ||
           function->of == RK_IR_CONVERSION || rk_str_starts(function->name, "operator");
}

/** Adds what waiting and stepping text gets. */
static void add_texts(void *user, rk_ir_id node, size_t end)
{
    const reader *r = user;
    rk_program_add_step(r->program, node);
    if (rk_ir_is_loop(rk_ir_kind_of(r->ir, node)))
        rk_program_add_wait(r->program, node, end);
}

static bool is_for_device(const reader *r, rk_ir_id node)
{
    const rk_ir_decl *d = rk_ir_target(r->ir, node);
    return rk_ir_is_function(d->kind) && d->flags & RK_IR_DEFINED &&
           (d->flags & RK_IR_DEVICE || is_kernel(r, rk_ir_at(r->ir, node)->decl));
}

/** First pass: looks into what is for the device. */
static void look_into(reader *r, rk_ir_id node)
{
    if (is_for_device(r, node))
        rk_reach_of(r->unit, rk_ir_at(r->ir, node)->decl);
}

/** Second pass: whether any function for the device waits that is no kernel. */
static void look_at_helper(reader *r, rk_ir_id node)
{
    const rk_ir_id function = rk_ir_at(r->ir, node)->decl;
    if (!is_for_device(r, node) || is_kernel(r, function))
        return;
    const rk_effects all = rk_reach_all(rk_reach_of(r->unit, function));
    const bool operator= is_operator(rk_ir_decl_at(r->ir, function));
    r->helper_waits |= waits(r, all.does);
    r->helper_reads |= reads(all);
    r->operator_waits |= operator&& waits(r, all.does);
    r->operator_reads |= operator&& reads(all);
}

/** Third pass: kernels, symbols, and names of kernels. */
static void look_for_facts(reader *r, rk_ir_id node)
{
    const rk_ir *ir = r->ir;
    const rk_ir_node *n = rk_ir_at(ir, node);
    const rk_ir_decl *target = rk_ir_target(ir, node);
    if (rk_ir_is_function(n->kind) && target->flags & RK_IR_DEFINED && is_kernel(r, n->decl))
        add_kernel(r, n->decl);
    else if (n->kind == RK_IR_VARIABLE)
        add_symbol(r, target);
    else if (n->kind == RK_IR_NAME)
        add_reference(r, node, n->decl);
    if (n->kind == RK_IR_NAME || n->kind == RK_IR_MEMBER)
        add_pointer(r, node);
    for (uint32_t i = target->list; n->kind == RK_IR_OVERLOADS && i < target->list_end; i++)
        add_reference(r, node, ir->lists.items[i]);
}

/** Each node of the project, in the order of its text; functions with their bodies. */
static void for_each(reader *r, rk_ir_id root, void (*visit)(reader *r, rk_ir_id node))
{
    *rk_push(r->unit->arena, &r->open) = root;
    for (rk_ir_id id = root + 1; id < rk_ir_at(r->ir, root)->end; id++) {
        const rk_ir_node *n = rk_ir_at(r->ir, id);
        visit(r, id);
        if (!rk_ir_is_function(n->kind) || n->end != id + 1 ||
            !(rk_ir_target(r->ir, id)->flags & RK_IR_DEFINED))
            continue;
        const rk_ir_id body = rk_ir_body(r->ir, n->decl);
        bool open = false; /* as no compiler makes it, but a text that is read may be */
        for (size_t i = 0; i < r->open.count; i++)
            open |= r->open.items[i] == body;
        if (!open)
            for_each(r, body, visit);
    }
    r->open.count--;
}

void rk_program_read_facts(rk_program *program)
{
    reader r = {.program = program, .unit = program->unit, .ir = rk_ir_of(program->unit)};
    const rk_ir_id project = rk_ir_project(r.ir);
    for_each(&r, project, look_into);
    rk_reach_each(r.unit, add_texts, &r);
    for_each(&r, project, look_at_helper);
    program->helper_waits = r.helper_waits;
    for_each(&r, project, look_for_facts);
}
