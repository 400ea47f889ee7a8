#include "convert/cuda/builtins.h"
#include "convert/program/program_internal.h"

#include "convert/clang/lower.h"
#include "convert/facts/system.h"

#include <string.h>

/** A function definition that was looked into. */
typedef struct {
    bool waits, grid_sync;
    bool steps; /**< it has accesses to volatile memory */
    bool
        unseen; /**< it calls what the AST does not name: a function of a template argument, a pointer */
    bool
        dependent; /**< what its operators, constructors and conversions are depends on template arguments */
    unsigned reads;
    bool open; /**< it is being looked into: who meets it again is recursive */
} seen;

typedef struct {
    rk_program *program;
    rk_unit *unit;
    rk_ir *ir;
    RK_VEC(seen) seen;
    RK_VEC(size_t)
    seen_as; /**< of each declaration of the tree, its place in `seen` counted from 1, or 0 */
    /* what functions do that are no kernels, and so what one may do that is not seen */
    bool helper_waits, helper_reads;
    bool operator_waits, operator_reads; /**< the same of operators, constructors and their like */
} reader;

/* What a function's text and all that it calls do. */

typedef struct {
    reader *r;
    seen sum;
    size_t end; /**< of its text */
    unsigned own_reads, callee_reads;
    bool has_scopes;
} look;

static size_t look_into(reader *r, rk_ir_id definition);

static void use_function(look *l, rk_ir_id function)
{
    rk_ir *ir = l->r->ir;
    const rk_ir_decl *target = rk_ir_decl_at(ir, function);
    if (rk_system_waits_by_name(target->name)) {
        l->sum.waits = true;
        return;
    }
    if (target->flags & RK_IR_SYSTEM) {
        const bool group = rk_system_waits_by_namespace(ir, target, &l->sum.grid_sync);
        l->sum.waits |= group;
        if (group || (rk_cuda_find(RK_IN_PLAIN, target->name)->does & RK_DOES_ASK))
            l->callee_reads |= RK_USE_PLACES;
        return;
    }
    const rk_ir_id definition = rk_ir_definition(ir, function);
    if (!definition) {
        l->sum.waits |= (target->flags & RK_IR_DEVICE) != 0;
        return;
    }
    const size_t callee = look_into(l->r, definition);
    const seen *s = &l->r->seen.items[callee];
    l->sum.waits |= s->waits || s->open;
    l->sum.grid_sync |= s->grid_sync;
    l->sum.steps |= s->steps;
    l->sum.unseen |= s->unseen || (target->flags & RK_IR_VIRTUAL);
    l->sum.dependent |= s->dependent;
    l->sum.reads |= s->reads;
    l->callee_reads |= s->reads;
}

static void use_variable(look *l, const rk_ir_decl *target)
{
    const rk_cuda_name *builtin =
        target->flags & RK_IR_SYSTEM ? rk_builtin_find(target->name) : NULL;
    if (builtin && (builtin->use & RK_USE_PLACES)) {
        l->sum.reads |= builtin->use;
        l->own_reads |= builtin->use;
    }
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

static void look_at_node(look *l, rk_ir_id node);

/** What runs at a node without being named there; a value of a member reads outside of the kernel's text. */
static void use_implicit(look *l, rk_ir_id node)
{
    rk_ir *ir = l->r->ir;
    uint32_t first, end;
    rk_ir_implicit(ir, node, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        if (ir->implicit.items[i].decl) {
            use_function(l, ir->implicit.items[i].decl);
            continue;
        }
        look value = {.r = l->r};
        const rk_ir_id root = rk_ir_implicit_value(ir, i);
        for (rk_ir_id id = root; id < rk_ir_at(ir, root)->end; id++)
            look_at_node(&value, id);
        l->sum.waits |= value.sum.waits;
        l->sum.grid_sync |= value.sum.grid_sync;
        l->sum.unseen |= value.sum.unseen;
        l->sum.reads |= value.sum.reads;
        l->callee_reads |= value.own_reads | value.callee_reads;
    }
}

static void use_overloads(look *l, const rk_ir_decl *overloads)
{
    const rk_ir *ir = l->r->ir;
    for (uint32_t i = overloads->list; i < overloads->list_end; i++)
        if (rk_ir_is_function(rk_ir_decl_at(ir, ir->lists.items[i])->kind))
            use_function(l, ir->lists.items[i]);
    l->sum.unseen |= overloads->list == overloads->list_end;
}

static void look_at_node(look *l, rk_ir_id node)
{
    const rk_ir *ir = l->r->ir;
    const rk_ir_node *n = rk_ir_at(ir, node);
    const rk_ir_decl *target = rk_ir_target(ir, node);
    use_implicit(l, node);
    const rk_ir_type_kind type = rk_ir_type_of(ir, node)->kind;
    l->sum.dependent |= type == RK_IR_TYPE_DEPENDENT || type == RK_IR_TYPE_UNEXPOSED;
    if (rk_program_add_step(l->r->program, node))
        l->sum.steps = l->sum.waits = true;
    switch ((int)n->kind) {
    case RK_IR_LAMBDA:
        l->has_scopes |= !captures_all(l->r, n);
        break;
    case RK_IR_STRUCT:
    case RK_IR_CLASS:
        l->has_scopes = true;
        break;
    case RK_IR_NAME:
    case RK_IR_MEMBER:
        if (rk_ir_is_function(target->kind))
            use_function(l, n->decl);
        else if (target->kind == RK_IR_VARIABLE)
            use_variable(l, target);
        break;
    case RK_IR_OVERLOADS:
        use_overloads(l, target);
        break;
    case RK_IR_CALL: /* of a function that nothing names, unless its name is below */
        if (rk_ir_is_function(target->kind))
            use_function(l, n->decl);
        else if (target->kind != RK_IR_OVERLOADS)
            l->sum.unseen = true;
        break;
    case RK_IR_WHILE:
    case RK_IR_DO:
    case RK_IR_FOR:
        l->sum.waits |= rk_program_add_wait(l->r->program, node, l->end);
        break;
    case RK_IR_ASSEMBLY:
        l->sum.waits = true;
        l->callee_reads |= RK_USE_PLACES;
        break;
    default:
        break;
    }
}

static look look_at(reader *r, rk_ir_id definition)
{
    const rk_ir_id root = rk_ir_body(r->ir, definition);
    const rk_ir_node *n = rk_ir_at(r->ir, root);
    look l = {.r = r, .end = n->expanded.end.offset};
    for (rk_ir_id id = root + 1; id < n->end; id++)
        look_at_node(&l, id);
    return l;
}

static size_t look_into(reader *r, rk_ir_id definition)
{
    while (r->seen_as.count <= definition)
        rk_push(r->unit->arena, &r->seen_as);
    if (r->seen_as.items[definition])
        return r->seen_as.items[definition] - 1;
    const size_t index = r->seen.count;
    *rk_push(r->unit->arena, &r->seen) = (seen){.open = true};
    r->seen_as.items[definition] = index + 1;
    const look l = look_at(r, definition);
    r->seen.items[index] = l.sum;
    r->seen.items[index].reads |= l.callee_reads;
    return index;
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
    const look l = look_at(r, kernel);
    facts->waits |= l.sum.waits || l.sum.grid_sync || (l.sum.unseen && r->helper_waits) ||
                    (l.sum.dependent && r->operator_waits);
    facts->grid_sync |= l.sum.grid_sync;
    if (l.sum.steps)
        *rk_push(r->unit->arena, &r->unit->stepped) = body;
    facts->helpers_read |= l.callee_reads || (l.sum.unseen && r->helper_reads) ||
                           (l.sum.dependent && r->operator_reads);
    facts->reads |= l.own_reads;
    facts->has_scopes |= l.has_scopes;
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

/** Whether text may call the function without its name. */
static bool is_operator(const rk_ir_decl *function)
{
    return function->of == RK_IR_CONSTRUCTOR || function->of == RK_IR_DESTRUCTOR ||
           function->of == RK_IR_CONVERSION || rk_str_starts(function->name, "operator");
}

/** First pass: whether any function for the device waits that is no kernel. */
static void look_at_helper(reader *r, rk_ir_id node)
{
    const rk_ir_id function = rk_ir_at(r->ir, node)->decl;
    const rk_ir_decl *d = rk_ir_decl_at(r->ir, function);
    if (!rk_ir_is_function(d->kind) || !(d->flags & RK_IR_DEFINED) || !(d->flags & RK_IR_DEVICE) ||
        is_kernel(r, function))
        return;
    const size_t helper = look_into(r, function);
    const bool waits = r->seen.items[helper].waits, reads = r->seen.items[helper].reads != 0;
    r->helper_waits |= waits;
    r->helper_reads |= reads;
    r->operator_waits |= waits && is_operator(d);
    r->operator_reads |= reads && is_operator(d);
}

/** Second pass: kernels, symbols, and names of kernels. */
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
    for (uint32_t i = target->list; n->kind == RK_IR_OVERLOADS && i < target->list_end; i++)
        add_reference(r, node, ir->lists.items[i]);
}

/** Each node of the project, in the order of its text; functions with their bodies. */
static void for_each(reader *r, rk_ir_id root, void (*visit)(reader *r, rk_ir_id node))
{
    for (rk_ir_id id = root + 1; id < rk_ir_at(r->ir, root)->end; id++) {
        const rk_ir_node *n = rk_ir_at(r->ir, id);
        visit(r, id);
        if (rk_ir_is_function(n->kind) && n->end == id + 1 &&
            rk_ir_target(r->ir, id)->flags & RK_IR_DEFINED)
            for_each(r, rk_ir_body(r->ir, n->decl), visit);
    }
}

void rk_program_read_facts(rk_program *program)
{
    reader r = {.program = program, .unit = program->unit, .ir = rk_ir_of(program->unit)};
    const rk_ir_id project = rk_ir_project(r.ir);
    for_each(&r, project, look_at_helper);
    program->helper_waits = r.helper_waits;
    for_each(&r, project, look_for_facts);
}
