#include "convert/launches/execute.h"
#include "convert/launches/harvest_unit.h"

#include <string.h>

bool rk_hunit_is_dependent(CXCursor function)
{
    if (clang_getCursorKind(function) == CXCursor_FunctionTemplate)
        return true;
    for (CXCursor up = clang_getCursorSemanticParent(function);
         rk_ast_is_scope(clang_getCursorKind(up)); up = clang_getCursorSemanticParent(up)) {
        enum CXCursorKind kind = clang_getCursorKind(up);
        if (kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization)
            return true;
    }
    return false;
}

CXCursor rk_hunit_definition(CXCursor cursor)
{
    CXCursor definition = clang_getCursorDefinition(cursor);
    return clang_Cursor_isNull(definition) ? cursor : definition;
}

bool rk_hunit_is_made_of(CXCursor own, CXCursor pattern)
{
    return clang_equalLocations(clang_getCursorLocation(own), clang_getCursorLocation(pattern));
}

/** The kernel that a function's declaration is an instance of: the template, unless specialised. */
static CXCursor kernel_of(CXCursor instance)
{
    CXCursor pattern = clang_getSpecializedCursorTemplate(instance);
    CXCursor own = rk_hunit_definition(instance);
    if (clang_Cursor_isNull(pattern))
        return own;
    pattern = rk_hunit_definition(pattern);
    return rk_hunit_is_made_of(own, pattern) ? pattern : own;
}

void rk_harvest_kernel(rk_harvested *out, CXCursor reference, rk_arena *arena)
{
    CXCursor target = clang_getCursorReferenced(reference);
    if (clang_getCursorKind(target) == CXCursor_OverloadedDeclRef) {
        out->kernel_name = rk_ast_name(target, arena);
        if (clang_getNumOverloadedDecls(target) == 1)
            out->kernel = rk_hunit_definition(clang_getOverloadedDecl(target, 0));
    } else {
        out->kernel = kernel_of(target);
    }
    if (clang_Cursor_isNull(out->kernel))
        return;
    out->kernel_name = rk_ast_name(out->kernel, arena);
    out->kernel_usr = rk_ast_text(clang_getCursorUSR(out->kernel), arena);
    if (clang_getCursorKind(target) != CXCursor_FunctionDecl &&
        clang_getCursorKind(target) != CXCursor_CXXMethod)
        return;
    bool template = clang_Cursor_getNumTemplateArguments(target) > 0;
    const char *const *args;
    size_t count;
    out->instance_known = rk_template_args(&args, &count, target, arena) || !template;
    out->instance = rk_hunit_definition(target);
    if (!out->instance_known)
        return;
    out->template_args = args;
    out->template_arg_count = count;
    out->id =
        rk_arena_printf(arena, "%s%s", out->kernel_name, rk_template_args_join(args, count, arena));
}

static void set_place(rk_hunit *h, rk_harvested *item, CXCursor call)
{
    CXFile file;
    unsigned line, column, offset;
    clang_getExpansionLocation(clang_getCursorLocation(call), &file, &line, &column, &offset);
    item->site = call;
    item->offset = offset;
    item->kernel = item->instance = clang_getNullCursor();
    item->kernel_usr = "";
    item->kernel_name = "";
    item->launch.file = rk_ast_text(clang_getFileName(file), h->arena);
    item->launch.line = (int)line;
    item->launch.function = rk_template_function_name(h->arena, h->function);
    item->launch.params = h->params.params;
    item->launch.param_count = h->params.count;
}

static CXCursor function_of(rk_hv callee)
{
    return callee.kind == RK_HV_FUNCTION ? callee.cursor : clang_getNullCursor();
}

CXCursor rk_h_instance(rk_arena *arena, rk_hv callee)
{
    rk_harvested item = {.kernel = clang_getNullCursor(), .instance = clang_getNullCursor()};
    CXCursor reference = function_of(callee);
    if (!clang_Cursor_isNull(reference))
        rk_harvest_kernel(&item, reference, arena);
    return item.id ? item.instance : clang_getNullCursor();
}

/**
 * An argument of cudaLaunchKernel has the type of the variable; the kernel's must be the same size.
 */
static void drop_unknown_count(rk_harvested *item, rk_hlaunch *p)
{
    int wanted =
        clang_Cursor_isNull(item->instance) ? -1 : clang_Cursor_getNumArguments(item->instance);
    if (wanted >= 0 && p->arg_count != (size_t)wanted)
        p->arg_count = 0;
}

/** A template in a list, of which the parser tells no instance. */
static bool is_open_template(const rk_hunit *h, CXCursor reference)
{
    return !clang_Cursor_isNull(reference) && !rk_hunit_is_dependent(h->function) &&
           clang_getCursorKind(clang_getCursorReferenced(reference)) == CXCursor_OverloadedDeclRef;
}

/** A launch of one kernel. */
static void add_launch(rk_hrun *run, CXCursor call, const rk_hlaunch *parts, const rk_hstate *state)
{
    rk_hunit *h = run->user;
    CXCursor configuration;
    rk_hlaunch p = *parts;
    rk_harvested found = {.id = NULL}, *item = &found;
    set_place(h, item, call);
    if (!rk_hopen_note_followed(h, item) && (h->following || h->inside.count > 0))
        return;
    item = rk_push(h->arena, &h->found);
    *item = found;
    CXCursor reference = function_of(p.callee);
    if (!clang_Cursor_isNull(reference))
        rk_harvest_kernel(item, reference, h->arena);
    if (is_open_template(h, reference))
        item->launch.reason = rk_arena_printf(
            h->arena, "the template arguments of '%s' are not told where it is listed",
            item->kernel_name);
    if (!rk_h_is_launch(run->arena, call, &configuration))
        drop_unknown_count(item, &p);
    const size_t index = h->found.count - 1;

    rk_hopen_note(h, run, index, &p);
    *rk_push(h->arena, &h->waiting) = (rk_hpending){index, p, state->path, state->partial};
}

/** Each kernel that a launch may be of is one launch, under its condition. */
static void on_launch(rk_hrun *run, CXCursor call, const rk_hstate *state)
{
    rk_hlaunch p = rk_h_launch_parts(run, call, state->env);
    if (p.callee.kind != RK_HV_CASES) {
        add_launch(run, call, &p, state);
        return;
    }
    for (const rk_hv_case *c = p.callee.cases; c; c = c->next) {
        rk_hstate here = *state;
        rk_hlaunch one = p;
        one.callee = c->function;
        if (c->when && rk_cexpr_is_int(c->when, 0))
            continue;
        if (c->when)
            rk_hx_push_condition(run, &here, c->when);
        else
            here.partial = true;
        add_launch(run, call, &one, &here);
    }
}

/** Adds, as unresolved, the launches that the run did not come to. */
static void add_unreached(rk_hunit *h, const rk_hcursors *sites, size_t first)
{
    size_t last = h->found.count;
    for (size_t i = 0; i < sites->count; i++) {
        bool found = false;
        for (size_t j = first; j < last && !found; j++)
            found = rk_h_same_expression(h->found.items[j].site, sites->items[i]);
        if (found)
            continue;
        rk_harvested *item = rk_push(h->arena, &h->found);
        set_place(h, item, sites->items[i]);
        rk_hrun run = {.arena = h->arena};
        CXCursor configuration;
        rk_hv callee = {.kind = RK_HV_UNKNOWN};
        if (rk_h_is_launch(h->arena, sites->items[i], &configuration))
            callee = rk_h_eval(&run, NULL, rk_ast_children(sites->items[i], h->arena).items[0]);
        if (callee.kind == RK_HV_FUNCTION)
            rk_harvest_kernel(item, callee.cursor, h->arena);
        item->launch.reason = "the launch is never reached";
        item->unreached = true;
    }
}

bool rk_hunit_body(CXCursor *out, rk_arena *arena, CXCursor function)
{
    rk_cursors c = rk_ast_children(function, arena);
    for (size_t i = c.count; i-- > 0;) {
        enum CXCursorKind kind = clang_getCursorKind(c.items[i]);
        *out = c.items[i];
        if (kind == CXCursor_CompoundStmt || kind == CXCursor_CXXTryStmt)
            return true;
    }
    return false;
}

void rk_hunit_run(rk_hunit *h, CXCursor function, CXCursor body, const rk_hcursors *sites)
{
    rk_hstate state = {0};
    rk_cursors c = rk_ast_children(function, h->arena);
    h->function = function;
    h->params = rk_roles_of_signature(function, NULL, 0, h->arena);
    for (size_t i = 0; i < c.count; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_ParmDecl)
            continue;
        const char *name = rk_ast_name(c.items[i], h->arena);
        CXType type = clang_getCursorType(c.items[i]);
        if (*name)
            state.env =
                rk_henv_set(h->arena, state.env, c.items[i], rk_hv_of_name(h->arena, name, type));
    }
    rk_hrun run = {.arena = h->arena,
                   .launch = on_launch,
                   .enter = rk_hopen_on_call,
                   .user = h,
                   .inputs = h->inputs};
    size_t first = h->found.count;
    run.root = RK_NEW(h->arena, char);
    rk_h_run(&run, body, state);
    for (size_t i = 0; i < h->waiting.count; i++)
        rk_hunit_fill(h, &h->found.items[h->waiting.items[i].item], &h->waiting.items[i]);
    h->waiting.count = 0;
    if (!h->following)
        add_unreached(h, sites, first);
}
