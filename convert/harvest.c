#include "convert/harvest.h"

#include "base/str.h"
#include "base/vec.h"
#include "convert/ast.h"
#include "convert/harvest_exec.h"
#include "convert/harvest_internal.h"
#include "convert/roles.h"

#include <stdlib.h>
#include <string.h>

/** Rounds from a wrapper to its callers, and from these to theirs. */
enum { MAX_ROUNDS = 8 };

typedef RK_VEC(rk_harvested) harvest_list;
typedef RK_VEC(CXCursor) cursor_list;

/** A launch that was come to, and the state of the program there. */
typedef struct {
    size_t item; /**< in `found` */
    rk_hlaunch parts;
    const rk_hpath *path;
    bool partial;
} pending;

/** A launch whose kernel, or more, is what a function or a lambda is called with. */
typedef struct {
    size_t item;     /**< in `found` */
    const char *usr; /**< of the function, "" for a lambda */
} open_launch;

/** The harvest of a unit. */
typedef struct {
    rk_arena *arena;
    harvest_list found;
    cursor_list queue;              /**< instances of templates still to be run */
    cursor_list patterns;           /**< templates, and methods of class templates, that launch */
    RK_VEC(const char *) seen;      /**< USRs of the functions that were run or are in the queue */
    RK_VEC(const char *) instanced; /**< USRs of the templates that have an instance in the unit */
    CXCursor function;              /**< being run */
    rk_roles params;                /**< its parameters */
    rk_hinputs *inputs;
    RK_VEC(pending) waiting; /**< launches of the function whose loops are not all run */
    cursor_list functions;   /**< with bodies, and no templates */
    RK_VEC(open_launch) open;
    RK_VEC(size_t) closed;            /**< of those, the ones that a call was found to make */
    RK_VEC(const char *) wrappers;    /**< USRs of the functions with open launches */
    size_t old_wrappers, wrapper_end; /**< those between are followed to their callers now */
    RK_VEC(const char *) inside;      /**< USRs of the calls that are being followed */
    bool following;                   /**< only launches in such calls are asked for */
} harvest;

static bool has_text(const char *const *items, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i], text) == 0)
            return true;
    return false;
}

static bool is_dependent(CXCursor function)
{
    if (clang_getCursorKind(function) == CXCursor_FunctionTemplate)
        return true;
    for (CXCursor up = clang_getCursorSemanticParent(function); rk_h_is_scope(up);
         up = clang_getCursorSemanticParent(up)) {
        enum CXCursorKind kind = clang_getCursorKind(up);
        if (kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization)
            return true;
    }
    return false;
}

static CXCursor definition_of(CXCursor cursor)
{
    CXCursor definition = clang_getCursorDefinition(cursor);
    return clang_Cursor_isNull(definition) ? cursor : definition;
}

/** Whether a definition is the text of a template, for some arguments, and not a specialisation of its own. */
static bool is_made_of(CXCursor own, CXCursor pattern)
{
    return clang_equalLocations(clang_getCursorLocation(own), clang_getCursorLocation(pattern));
}

/** The kernel that a function's declaration is an instance of: the template, unless specialised. */
static CXCursor kernel_of(CXCursor instance)
{
    CXCursor pattern = clang_getSpecializedCursorTemplate(instance);
    CXCursor own = definition_of(instance);
    if (clang_Cursor_isNull(pattern))
        return own;
    pattern = definition_of(pattern);
    return is_made_of(own, pattern) ? pattern : own;
}

void rk_harvest_kernel(rk_harvested *out, CXCursor reference, rk_arena *arena)
{
    CXCursor target = clang_getCursorReferenced(reference);
    if (clang_getCursorKind(target) == CXCursor_OverloadedDeclRef) {
        out->kernel_name = rk_h_spelling(arena, target);
        if (clang_getNumOverloadedDecls(target) == 1)
            out->kernel = definition_of(clang_getOverloadedDecl(target, 0));
    } else {
        out->kernel = kernel_of(target);
    }
    if (clang_Cursor_isNull(out->kernel))
        return;
    out->kernel_name = rk_h_spelling(arena, out->kernel);
    out->kernel_usr = rk_h_text(arena, clang_getCursorUSR(out->kernel));
    if (clang_getCursorKind(target) != CXCursor_FunctionDecl &&
        clang_getCursorKind(target) != CXCursor_CXXMethod)
        return;
    bool template = clang_Cursor_getNumTemplateArguments(target) > 0;
    const char *const *args;
    size_t count;
    out->instance_known = rk_harvest_template_args(&args, &count, target, arena) || !template;
    out->instance = definition_of(target);
    if (!out->instance_known)
        return;
    out->template_args = args;
    out->template_arg_count = count;
    out->id =
        rk_arena_printf(arena, "%s%s", out->kernel_name, rk_harvest_join_args(args, count, arena));
}

/** A dimension; false with the reason when it is not known. */
static bool check_dimension(const rk_sym **out, harvest *h, rk_harvested *item, rk_hv value,
                            const char *what)
{
    if (value.kind == RK_HV_SCALAR && rk_sym_has_status(value.sym)) {
        item->launch.reason =
            rk_arena_printf(h->arena, "%s: it depends on whether a CUDA call fails", what);
        return false;
    }
    if (value.kind == RK_HV_SCALAR) {
        *out = rk_sym_strip(value.sym);
        return true;
    }
    const char *why = value.kind == RK_HV_UNKNOWN ? value.reason : "it is no number";
    item->launch.reason = rk_arena_printf(h->arena, "%s: %s", what, why);
    return false;
}

static bool check_dim3(const rk_sym *out[3], harvest *h, rk_harvested *item, rk_hv value,
                       const char *what)
{
    static const char *const names[] = {"x", "y", "z"};
    CXType none = clang_getCursorType(clang_getNullCursor());
    if (value.kind == RK_HV_SCALAR)
        value = rk_hv_dim3(h->arena, value.sym, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        rk_hv field = value;
        if (value.kind == RK_HV_OBJECT)
            field = rk_hv_scalar(rk_sym_name(
                h->arena, value.input, rk_arena_printf(h->arena, "%s.%s", value.name, names[i]),
                rk_ctype_unsigned));
        else if (value.kind == RK_HV_STRUCT)
            field = rk_hv_field_of(h->arena, value, names[i], none);
        if (!check_dimension(&out[i], h, item, field, what))
            return false;
    }
    return true;
}

/** Bytes of what a parameter points to; 1 for void. */
static int64_t parameter_element(const harvest *h, const char *name)
{
    int n = clang_Cursor_getNumArguments(h->function);
    for (int i = 0; i < n; i++) {
        CXCursor parameter = clang_Cursor_getArgument(h->function, (unsigned)i);
        if (strcmp(rk_h_spelling(h->arena, parameter), name) != 0)
            continue;
        CXType type = clang_getCanonicalType(clang_getCursorType(parameter));
        CXType pointee = type.kind == CXType_Pointer ? clang_getPointeeType(type)
                                                     : clang_getArrayElementType(type);
        long long size = rk_ast_size_of(pointee);
        return size > 0 ? size : 1;
    }
    return 0;
}

static const rk_sym *pointer_argument(harvest *h, rk_hv value)
{
    rk_ctype wide = {RK_CTYPE_INT, 8, true};
    if (!value.name)
        return rk_sym_int(h->arena, 0, wide);
    if (value.input)
        return NULL;
    if (rk_sym_is_int(value.sym, 0))
        return rk_sym_name(h->arena, NULL, value.name, wide);
    int64_t element = parameter_element(h, value.name);
    if (element <= 0 || value.element <= 0 || value.element % element != 0)
        return NULL;
    const rk_sym *offset = rk_sym_binary(h->arena, "*", rk_sym_convert(h->arena, value.sym, wide),
                                         rk_sym_int(h->arena, value.element / element, wide));
    return rk_sym_binary(h->arena, "+", rk_sym_name(h->arena, NULL, value.name, wide), offset);
}

/** An argument as an expression; NULL when it is none. */
static const rk_sym *argument(harvest *h, rk_hv value)
{
    if (value.sym && rk_sym_has_status(value.sym))
        return NULL;
    switch (value.kind) {
    case RK_HV_SCALAR: {
        const rk_sym *e = value.sym;
        if (e->kind == RK_SYM_CAST && e->target.kind == RK_CTYPE_INT && e->target.bytes == 8)
            e = rk_sym_strip(e);
        return e;
    }
    case RK_HV_POINTER:
        return pointer_argument(h, value);
    case RK_HV_OBJECT:
        return rk_sym_name(h->arena, value.input, value.name, rk_ctype_int);
    default:
        return NULL;
    }
}

/** The conjunction of a path's conditions, the outermost first. */
static const rk_sym *conjunction(harvest *h, const rk_hpath *path)
{
    if (!path)
        return NULL;
    const rk_sym *outer = conjunction(h, path->next);
    return outer ? rk_sym_binary(h->arena, "&&", outer, path->condition) : path->condition;
}

static void set_place(harvest *h, rk_harvested *item, CXCursor call)
{
    CXFile file;
    unsigned line, column, offset;
    clang_getExpansionLocation(clang_getCursorLocation(call), &file, &line, &column, &offset);
    item->site = call;
    item->offset = offset;
    item->kernel = item->instance = clang_getNullCursor();
    item->kernel_usr = "";
    item->kernel_name = "";
    item->launch.file = rk_h_text(h->arena, clang_getFileName(file));
    item->launch.line = (int)line;
    item->launch.function = rk_h_function_name(h->arena, h->function);
    item->launch.params = h->params.params;
    item->launch.param_count = h->params.count;
}

static CXCursor function_of(rk_hv callee)
{
    return callee.kind == RK_HV_FUNCTION ? callee.cursor : clang_getNullCursor();
}

const char *rk_h_instance_id(rk_arena *arena, rk_hv callee)
{
    rk_harvested item = {.kernel = clang_getNullCursor()};
    CXCursor reference = function_of(callee);
    if (!clang_Cursor_isNull(reference))
        rk_harvest_kernel(&item, reference, arena);
    return item.id;
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

/** Drops the configuration, for a reason that is set unless one is there. */
static void leave_unresolved(rk_harvested *item, const char *reason)
{
    rk_launch *launch = &item->launch;
    launch->resolved = false;
    launch->grid[0] = launch->grid[1] = launch->grid[2] = NULL;
    launch->block[0] = launch->block[1] = launch->block[2] = launch->shared = NULL;
    if (!launch->reason)
        launch->reason = reason;
}

/** The expressions of a launch: grid, block, shared bytes, condition, arguments. */
enum { AT_GRID, AT_BLOCK = 3, AT_SHARED = 6, AT_WHEN, AT_ARGS };

static void print_launch(harvest *h, rk_launch *launch, const rk_sym *const *all)
{
    rk_hnames *names = rk_hnames_new(h->arena, launch->params, launch->param_count);
    const char **texts = RK_NEW_ARRAY(h->arena, const char *, AT_ARGS + launch->arg_count);
    for (size_t i = 0; i < AT_ARGS; i++)
        if (all[i])
            rk_hnames_add(names, all[i]);
    const char *broken = rk_hnames_broken(names);
    for (size_t i = AT_ARGS; i < AT_ARGS + launch->arg_count && !broken; i++) {
        rk_hnames *tried = rk_hnames_new(h->arena, NULL, 0);
        if (all[i])
            rk_hnames_add(tried, all[i]);
        if (all[i] && !rk_hnames_broken(tried))
            rk_hnames_add(names, all[i]);
        texts[i] = all[i] && !rk_hnames_broken(tried) ? rk_hnames_print(names, all[i]) : NULL;
    }
    for (size_t i = 0; i < AT_ARGS && !broken; i++)
        texts[i] = all[i] ? rk_hnames_print(names, all[i]) : NULL;
    for (size_t i = 0; i < 3 && !broken; i++) {
        launch->grid[i] = texts[AT_GRID + i];
        launch->block[i] = texts[AT_BLOCK + i];
    }
    launch->shared = texts[AT_SHARED];
    launch->when = texts[AT_WHEN];
    launch->args = &texts[AT_ARGS];
    launch->resolved = !broken;
    if (broken)
        launch->reason = rk_arena_printf(
            h->arena, "'%s' changes in a loop in a way that is not followed", broken);
    else
        launch->inputs = rk_hnames_inputs(&launch->input_count, names);
}

static const char *unknown_kernel(const harvest *h, const rk_hv *callee)
{
    return callee->name     ? rk_arena_printf(h->arena, "the kernel is '%s', which is not followed",
                                              callee->name)
           : callee->reason ? rk_arena_printf(h->arena, "the kernel: %s", callee->reason)
                            : "the kernel is not known";
}

static void fill(harvest *h, rk_harvested *item, const pending *at)
{
    rk_launch *launch = &item->launch;
    const rk_hlaunch *p = &at->parts;
    int wanted = clang_Cursor_isNull(item->instance) ? (int)p->arg_count
                                                     : clang_Cursor_getNumArguments(item->instance);
    size_t count = wanted < 0 ? p->arg_count : (size_t)wanted;
    const rk_sym **all = RK_NEW_ARRAY(h->arena, const rk_sym *, AT_ARGS + count);
    bool ok = check_dim3(&all[AT_GRID], h, item, p->grid, "grid") &&
              check_dim3(&all[AT_BLOCK], h, item, p->block, "block") &&
              check_dimension(&all[AT_SHARED], h, item, p->shared, "shared memory");
    launch->when_partial = at->partial;
    launch->stream = p->stream;
    if (!ok || launch->reason || !*item->kernel_name) {
        leave_unresolved(item, unknown_kernel(h, &p->callee));
        return;
    }
    all[AT_WHEN] = conjunction(h, at->path);
    for (size_t i = 0; i < count && i < p->arg_count; i++)
        all[AT_ARGS + i] = argument(h, p->args[i]);
    launch->arg_count = count;
    print_launch(h, launch, all);
    if (!launch->resolved)
        leave_unresolved(item, NULL);
}

/** Whether it is, or has, a value that is not known. */
static bool has_unknown(rk_hv value)
{
    bool found = value.kind == RK_HV_UNKNOWN;
    for (const rk_hv_field *f = value.fields; f && value.kind == RK_HV_STRUCT && !found;
         f = f->next)
        found = has_unknown(f->value);
    return found;
}

static bool is_same_place(const rk_harvested *a, const rk_harvested *b)
{
    return a->offset == b->offset && strcmp(a->launch.file, b->launch.file) == 0;
}

/** Whether an open launch is this one, made by a call that is followed. */
static bool is_made_by(const harvest *h, const open_launch *o, const rk_harvested *item)
{
    const bool lambda =
        !*o->usr && h->following; /* those were followed as their functions were run */
    return !lambda && has_text(h->inside.items, h->inside.count, o->usr) &&
           is_same_place(&h->found.items[o->item], item);
}

/** Notes the open launches that this one stands for; whether there are any. */
static bool note_followed(harvest *h, const rk_harvested *item)
{
    bool any = false;
    for (size_t i = 0; i < h->open.count; i++) {
        if (!is_made_by(h, &h->open.items[i], item))
            continue;
        *rk_push(h->arena, &h->closed) = i;
        any = true;
    }
    return any;
}

/** Notes that what a launch does depends on what its function, or a lambda, is called with. */
static void note_open(harvest *h, const rk_hrun *run, size_t item, const rk_hlaunch *p)
{
    const bool parameter = (p->callee.kind == RK_HV_POINTER || p->callee.kind == RK_HV_OBJECT) &&
                           p->callee.name && !p->callee.input;
    const bool lambda =
        run->uncalled && (p->callee.kind != RK_HV_FUNCTION || has_unknown(p->grid) ||
                          has_unknown(p->block) || has_unknown(p->shared));
    if (!parameter && !lambda)
        return;
    const char *usr = lambda ? "" : rk_h_text(h->arena, clang_getCursorUSR(h->function));
    *rk_push(h->arena, &h->open) = (open_launch){item, usr};
    if (parameter && !has_text(h->wrappers.items, h->wrappers.count, usr))
        *rk_push(h->arena, &h->wrappers) = usr;
    if (parameter)
        h->found.items[item].launch.reason = rk_arena_printf(
            h->arena, "the kernel is the parameter '%s', and no call of '%s' here tells which",
            p->callee.name, h->found.items[item].launch.function);
}

/** A template in a list, of which the parser tells no instance. */
static bool is_open_template(const harvest *h, CXCursor reference)
{
    return !clang_Cursor_isNull(reference) && !is_dependent(h->function) &&
           clang_getCursorKind(clang_getCursorReferenced(reference)) == CXCursor_OverloadedDeclRef;
}

/** A launch of one kernel. */
static void add_launch(rk_hrun *run, CXCursor call, const rk_hlaunch *parts, const rk_hstate *state)
{
    harvest *h = run->user;
    CXCursor configuration;
    rk_hlaunch p = *parts;
    rk_harvested found = {.id = NULL}, *item = &found;
    set_place(h, item, call);
    if (!note_followed(h, item) && (h->following || h->inside.count > 0))
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

    note_open(h, run, index, &p);
    *rk_push(h->arena, &h->waiting) = (pending){index, p, state->path, state->partial};
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
        if (c->when && rk_sym_is_int(c->when, 0))
            continue;
        if (c->when)
            rk_hx_push_condition(run, &here, c->when);
        else
            here.partial = true;
        add_launch(run, call, &one, &here);
    }
}

/** Follows calls of lambdas, and of functions that are called with kernels. */
static void on_call(rk_hrun *run, CXCursor call, const rk_hstate *state)
{
    harvest *h = run->user;
    const char *usr = "";
    if (!rk_h_is_lambda_call(run, call, state->env)) {
        CXCursor function = clang_getCursorReferenced(call);
        usr =
            clang_Cursor_isNull(function) ? "" : rk_h_text(h->arena, clang_getCursorUSR(function));
        size_t i = 0;
        while (i < h->wrapper_end && strcmp(h->wrappers.items[i], usr) != 0)
            i++;
        if (i == h->wrapper_end || (i < h->old_wrappers && h->inside.count == 0) ||
            has_text(h->inside.items, h->inside.count, usr))
            return;
    }
    *rk_push(h->arena, &h->inside) = usr;
    rk_hstate here = *state;
    if (!clang_Cursor_isNull(run->whole) && rk_h_same_expression(run->whole, call))
        here.env = run->before;
    rk_h_enter_call(run, call, &here);
    h->inside.count--;
}

typedef struct {
    harvest *h;
    cursor_list sites;
    bool references; /**< also queue the instances of templates that the body uses */
} body_scan;

static bool in_system_header(CXCursor cursor)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)) != 0;
}

static bool is_lambda(rk_arena *arena, CXCursor class)
{
    return strstr(rk_h_text(arena, clang_getTypeSpelling(clang_getCursorType(class))), "(lambda") !=
           NULL;
}

static void note_instance(harvest *h, CXCursor reference)
{
    CXCursor target = clang_getCursorReferenced(reference);
    enum CXCursorKind kind = clang_getCursorKind(target);
    if (kind == CXCursor_CXXMethod && is_lambda(h->arena, clang_getCursorSemanticParent(target)))
        return; /* followed where it is called */
    bool function =
        kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_Constructor;
    CXCursor pattern =
        function ? clang_getSpecializedCursorTemplate(target) : clang_getNullCursor();
    if (clang_Cursor_isNull(pattern) || in_system_header(target))
        return;
    const char *usr = rk_h_text(h->arena, clang_getCursorUSR(target));
    const char *pattern_usr = rk_h_text(h->arena, clang_getCursorUSR(pattern));
    if (!has_text(h->instanced.items, h->instanced.count, pattern_usr))
        *rk_push(h->arena, &h->instanced) = pattern_usr;
    const CXCursor own = definition_of(target);
    if (is_made_of(own, definition_of(pattern)) && !has_text(h->seen.items, h->seen.count, usr)) {
        *rk_push(h->arena, &h->seen) = usr;
        *rk_push(h->arena, &h->queue) = own;
    }
}

static enum CXChildVisitResult scan_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    body_scan *scan = data;
    CXCursor configuration;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CallExpr && (rk_h_is_launch(scan->h->arena, cursor, &configuration) ||
                                      rk_h_is_launch_call(scan->h->arena, cursor)))
        *rk_push(scan->h->arena, &scan->sites) = cursor;
    if (scan->references && (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
                             kind == CXCursor_CallExpr))
        note_instance(scan->h, cursor);
    return CXChildVisit_Recurse;
}

/** Adds, as unresolved, the launches that the run did not come to. */
static void add_unreached(harvest *h, const cursor_list *sites, size_t first)
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
            callee = rk_h_eval(&run, NULL, rk_h_children(h->arena, sites->items[i]).items[0]);
        if (callee.kind == RK_HV_FUNCTION)
            rk_harvest_kernel(item, callee.cursor, h->arena);
        item->launch.reason = "the launch is never reached";
    }
}

static bool body_of(CXCursor *out, rk_arena *arena, CXCursor function)
{
    rk_hchildren c = rk_h_children(arena, function);
    for (size_t i = c.count; i-- > 0;) {
        enum CXCursorKind kind = clang_getCursorKind(c.items[i]);
        *out = c.items[i];
        if (kind == CXCursor_CompoundStmt || kind == CXCursor_CXXTryStmt)
            return true;
    }
    return false;
}

/** Runs one function that launches, with its parameters as names. */
static void run_function(harvest *h, CXCursor function, CXCursor body, const cursor_list *sites)
{
    rk_hstate state = {0};
    rk_hchildren c = rk_h_children(h->arena, function);
    h->function = function;
    h->params = rk_roles_of_signature(function, NULL, 0, h->arena);
    for (size_t i = 0; i < c.count; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_ParmDecl)
            continue;
        const char *name = rk_h_spelling(h->arena, c.items[i]);
        CXType type = clang_getCursorType(c.items[i]);
        if (*name)
            state.env =
                rk_henv_set(h->arena, state.env, c.items[i], rk_hv_of_name(h->arena, name, type));
    }
    rk_hrun run = {
        .arena = h->arena, .launch = on_launch, .enter = on_call, .user = h, .inputs = h->inputs};
    size_t first = h->found.count;
    run.root = RK_NEW(h->arena, char);
    rk_h_run(&run, body, state);
    for (size_t i = 0; i < h->waiting.count; i++)
        fill(h, &h->found.items[h->waiting.items[i].item], &h->waiting.items[i]);
    h->waiting.count = 0;
    if (!h->following)
        add_unreached(h, sites, first);
}

static void visit_function(harvest *h, CXCursor function, bool pattern)
{
    CXCursor body;
    if (!body_of(&body, h->arena, function))
        return;
    body_scan scan = {.h = h, .references = !pattern && !is_dependent(function)};
    if (scan.references)
        *rk_push(h->arena, &h->functions) = function;
    clang_visitChildren(function, scan_body, &scan);
    if (scan.sites.count == 0)
        return;
    if (is_dependent(function) && !pattern)
        *rk_push(h->arena, &h->patterns) = function;
    else
        run_function(h, function, body, &scan.sites);
}

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    (void)parent;
    harvest *h = data;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
        if (!in_system_header(cursor))
            visit_function(h, cursor, false);
        return CXChildVisit_Continue;
    case CXCursor_VarDecl: {
        body_scan scan = {.h = h, .references = true};
        if (!in_system_header(cursor))
            clang_visitChildren(cursor, scan_body, &scan);
        return CXChildVisit_Continue;
    }
    default:
        break;
    }
    bool scope = rk_h_is_scope(cursor) || clang_getCursorKind(cursor) == CXCursor_LinkageSpec ||
                 clang_getCursorKind(cursor) == CXCursor_UnexposedDecl;
    return scope && !in_system_header(cursor) ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

static void run_patterns(harvest *h)
{
    for (size_t i = 0; i < h->patterns.count; i++) {
        const char *usr = rk_h_text(h->arena, clang_getCursorUSR(h->patterns.items[i]));
        if (!has_text(h->instanced.items, h->instanced.count, usr))
            visit_function(h, h->patterns.items[i], true);
    }
}

typedef struct {
    const harvest *h;
    bool found;
} call_search;

static enum CXChildVisitResult find_wrapper_call(CXCursor node, CXCursor parent, CXClientData data)
{
    (void)parent;
    call_search *search = data;
    const harvest *h = search->h;
    CXCursor function = clang_getCursorReferenced(node);
    if (clang_getCursorKind(node) != CXCursor_CallExpr || clang_Cursor_isNull(function))
        return CXChildVisit_Recurse;
    search->found = has_text(h->wrappers.items + h->old_wrappers, h->wrapper_end - h->old_wrappers,
                             rk_h_text(h->arena, clang_getCursorUSR(function)));
    return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/** Follows functions that launch what they are called with to those that call them, and these to theirs. */
static void follow_callers(harvest *h)
{
    h->following = true;
    for (int round = 0; round < MAX_ROUNDS && h->old_wrappers < h->wrappers.count; round++) {
        h->wrapper_end = h->wrappers.count;
        for (size_t i = 0; i < h->functions.count; i++) {
            CXCursor function = h->functions.items[i], body;
            call_search search = {.h = h};
            clang_visitChildren(function, find_wrapper_call, &search);
            if (search.found && body_of(&body, h->arena, function))
                run_function(h, function, body, NULL);
        }
        h->old_wrappers = h->wrapper_end;
    }
}

/** Open launches give way to those that calls make of them. */
static void drop_followed(harvest *h)
{
    bool *drop = RK_NEW_ARRAY(h->arena, bool, h->found.count + 1);
    size_t kept = 0;
    for (size_t i = 0; i < h->closed.count; i++)
        drop[h->open.items[h->closed.items[i]].item] = true;
    for (size_t i = 0; i < h->found.count; i++)
        if (!drop[i])
            h->found.items[kept++] = h->found.items[i];
    h->found.count = kept;
}

static int compare(const void *left, const void *right)
{
    const rk_harvested *a = left, *b = right;
    int order = strcmp(a->launch.file, b->launch.file);
    if (order == 0)
        order = (a->offset > b->offset) - (a->offset < b->offset);
    if (order == 0)
        order = strcmp(a->launch.function, b->launch.function);
    return order ? order : strcmp(a->id ? a->id : "", b->id ? b->id : "");
}

rk_harvest rk_harvest_launches(CXTranslationUnit unit, rk_arena *arena)
{
    harvest h = {.arena = arena, .inputs = rk_hinputs_new(arena)};
    clang_visitChildren(clang_getTranslationUnitCursor(unit), visit_declaration, &h);
    for (size_t i = 0; i < h.queue.count; i++)
        visit_function(&h, h.queue.items[i], false);
    run_patterns(&h);
    follow_callers(&h);
    drop_followed(&h);
    if (h.found.count)
        qsort(h.found.items, h.found.count, sizeof *h.found.items, compare);
    return (rk_harvest){.items = h.found.items, .count = h.found.count};
}
