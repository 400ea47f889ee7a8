#include "convert/harvest.h"

#include "base/str.h"
#include "base/vec.h"
#include "convert/ast.h"
#include "convert/harvest_internal.h"
#include "convert/roles.h"

#include <stdlib.h>
#include <string.h>

typedef RK_VEC(rk_harvested) harvest_list;
typedef RK_VEC(CXCursor) cursor_list;

/** A launch that was come to, and the state of the program there. */
typedef struct {
    size_t item; /**< in `found` */
    rk_hlaunch parts;
    const rk_hpath *path;
    bool partial;
} pending;

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
} harvest;

static bool has_text(const char *const *items, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i], text) == 0)
            return true;
    return false;
}

static bool is_scope(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_Namespace || kind == CXCursor_StructDecl ||
           kind == CXCursor_ClassDecl || kind == CXCursor_ClassTemplate ||
           kind == CXCursor_ClassTemplatePartialSpecialization || kind == CXCursor_UnionDecl;
}

/** "gemm<32, 8>", "M<float>::go": qualified, with the arguments of an instance. */
static const char *function_name(rk_arena *arena, CXCursor function)
{
    const char *name = rk_h_spelling(arena, function);
    const char *const *args;
    size_t count;
    if (rk_harvest_template_args(&args, &count, function, arena)) {
        rk_str text = {.arena = arena};
        rk_str_addf(&text, "%s<", name);
        for (size_t i = 0; i < count; i++)
            rk_str_addf(&text, "%s%s", i ? ", " : "", args[i]);
        rk_str_add(&text, ">");
        name = text.text;
    }
    for (CXCursor up = clang_getCursorSemanticParent(function); is_scope(up);
         up = clang_getCursorSemanticParent(up)) {
        const char *scope = rk_h_text(arena, clang_getCursorDisplayName(up));
        if (*scope && !clang_Cursor_isAnonymous(up))
            name = rk_arena_printf(arena, "%s::%s", scope, name);
    }
    return name;
}

static const char *enumerator(rk_arena *arena, CXCursor enumeration, long long value)
{
    rk_hchildren c = rk_h_children(arena, enumeration);
    const char *scope = rk_ast_named(
        rk_h_text(arena, clang_getTypeSpelling(clang_getCursorType(enumeration))), arena);
    for (size_t i = 0; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_EnumConstantDecl &&
            clang_getEnumConstantDeclValue(c.items[i]) == value)
            return rk_arena_printf(arena, "%s::%s", scope, rk_h_spelling(arena, c.items[i]));
    return rk_arena_printf(arena, "(%s)%lld", scope, value);
}

/** The type of the i-th parameter of a template. */
static CXType parameter_type(rk_arena *arena, CXCursor pattern, unsigned i)
{
    rk_hchildren c = rk_h_children(arena, pattern);
    for (size_t k = 0; k < c.count; k++) {
        enum CXCursorKind kind = clang_getCursorKind(c.items[k]);
        bool parameter = kind == CXCursor_TemplateTypeParameter ||
                         kind == CXCursor_NonTypeTemplateParameter ||
                         kind == CXCursor_TemplateTemplateParameter;
        if (parameter && i-- == 0)
            return clang_getCanonicalType(clang_getCursorType(c.items[k]));
    }
    return clang_getCursorType(clang_getNullCursor());
}

static const char *constant_text(rk_arena *arena, CXType type, CXCursor instance, unsigned i)
{
    long long value = clang_Cursor_getTemplateArgumentValue(instance, i);
    if (type.kind == CXType_Bool)
        return value ? "true" : "false";
    if (type.kind == CXType_Enum)
        return enumerator(arena, clang_getTypeDeclaration(type), value);
    if (type.kind == CXType_UInt || type.kind == CXType_ULong || type.kind == CXType_ULongLong)
        return rk_arena_printf(arena, "%llu",
                               clang_Cursor_getTemplateArgumentUnsignedValue(instance, i));
    return rk_arena_printf(arena, "%lld", value);
}

const char *rk_harvest_template_arg(CXCursor instance, unsigned i, rk_arena *arena)
{
    switch (clang_Cursor_getTemplateArgumentKind(instance, i)) {
    case CXTemplateArgumentKind_Type: {
        CXType type = clang_getCanonicalType(clang_Cursor_getTemplateArgumentType(instance, i));
        const char *text = rk_h_text(arena, clang_getTypeSpelling(type));
        const bool unnamed = strchr(text, '(') && strstr(text, " at "); /* a lambda, too */
        return unnamed ? NULL : rk_ast_named(text, arena);
    }
    case CXTemplateArgumentKind_Integral: {
        CXCursor pattern = clang_getSpecializedCursorTemplate(instance);
        return constant_text(arena, parameter_type(arena, pattern, i), instance, i);
    }
    case CXTemplateArgumentKind_NullPtr:
        return "nullptr";
    default:
        return NULL;
    }
}

bool rk_harvest_template_args(const char *const **args, size_t *count, CXCursor instance,
                              rk_arena *arena)
{
    int n = clang_Cursor_getNumTemplateArguments(instance);
    *count = 0;
    *args = NULL;
    if (n <= 0)
        return false;
    const char **texts = RK_NEW_ARRAY(arena, const char *, (size_t)n);
    for (int i = 0; i < n; i++) {
        texts[i] = rk_harvest_template_arg(instance, (unsigned)i, arena);
        if (!texts[i])
            return false;
    }
    *args = texts;
    *count = (size_t)n;
    return true;
}

static CXCursor definition_of(CXCursor cursor)
{
    CXCursor definition = clang_getCursorDefinition(cursor);
    return clang_Cursor_isNull(definition) ? cursor : definition;
}

/** The kernel that a function's declaration is an instance of: the template, unless specialised. */
static CXCursor kernel_of(CXCursor instance)
{
    CXCursor pattern = clang_getSpecializedCursorTemplate(instance);
    CXCursor own = definition_of(instance);
    if (clang_Cursor_isNull(pattern))
        return own;
    pattern = definition_of(pattern);
    bool implicit =
        clang_equalLocations(clang_getCursorLocation(own), clang_getCursorLocation(pattern));
    return implicit ? pattern : own;
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
    rk_str id = {.arena = arena};
    rk_str_add(&id, out->kernel_name);
    for (size_t i = 0; i < count; i++)
        rk_str_addf(&id, "%s%s", i ? ", " : "<", args[i]);
    rk_str_add(&id, count ? ">" : "");
    out->id = id.text;
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
    item->launch.function = function_name(h->arena, h->function);
    item->launch.params = h->params.params;
    item->launch.param_count = h->params.count;
}

/** A stream as the source writes it; NULL for the default one. */
static const char *stream_text(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_hv value = rk_h_eval(run, env, expr);
    bool none = (value.kind == RK_HV_POINTER && !value.name) ||
                (value.kind == RK_HV_SCALAR && rk_sym_is_int(value.sym, 0));
    const char *text = none ? NULL : rk_h_source(run->arena, expr);
    return text && *text ? text : NULL;
}

static rk_hlaunch arrow_launch(rk_hrun *run, CXCursor call, CXCursor configuration,
                               const rk_henv *env)
{
    rk_hchildren c = rk_h_children(run->arena, call);
    rk_hchildren k = rk_h_children(run->arena, configuration);
    rk_hv none = rk_hv_unknown(run->arena, "the configuration is not followed");
    rk_hlaunch p = {.callee = rk_h_eval(run, env, c.items[0])};
    p.grid = k.count > 1 ? rk_h_eval(run, env, k.items[1]) : none;
    p.block = k.count > 2 ? rk_h_eval(run, env, k.items[2]) : none;
    p.shared = k.count > 3 ? rk_h_eval(run, env, k.items[3]) : none;
    p.stream = k.count > 4 ? stream_text(run, env, k.items[4]) : NULL;
    p.args = RK_NEW_ARRAY(run->arena, rk_hv, c.count + 1);
    for (size_t i = 1; i < c.count; i++)
        if (!clang_equalCursors(c.items[i], configuration))
            p.args[p.arg_count++] = rk_h_eval(run, env, c.items[i]);
    return p;
}

/** The elements of a list of arguments' addresses. */
static void listed_arguments(rk_hlaunch *p, rk_arena *arena, rk_hv list)
{
    size_t count = 0;
    for (const rk_hv_field *f = list.fields; list.kind == RK_HV_ARRAY && f; f = f->next)
        count++;
    p->args = RK_NEW_ARRAY(arena, rk_hv, count + 1);
    for (const rk_hv_field *f = list.fields; p->arg_count < count; f = f->next)
        p->args[p->arg_count++] = f->value;
}

/**
 * cudaLaunchKernelExC(&config, function, arguments) and cudaLaunchKernelEx(&config, kernel,
 * argument...). Attributes, such as clusters, are not followed: there must be none.
 */
static rk_hlaunch extended_launch(rk_hrun *run, CXCursor call, const rk_henv *env)
{
    rk_hchildren c = rk_h_children(run->arena, call);
    rk_hv none = rk_hv_unknown(run->arena, "a launch attribute list is not followed");
    rk_hlaunch p = {.callee = none, .grid = none, .block = none, .shared = none};
    CXCursor variable;
    if (c.count < 3)
        return p;
    p.callee = rk_h_eval(run, env, c.items[2]);
    const bool listed = strcmp(rk_h_spelling(run->arena, call), "cudaLaunchKernelExC") == 0;
    if (listed && c.count > 3)
        listed_arguments(&p, run->arena, rk_h_eval(run, env, c.items[3]));
    p.args = listed ? p.args : RK_NEW_ARRAY(run->arena, rk_hv, c.count + 1);
    for (size_t i = 3; i < c.count && !listed; i++)
        p.args[p.arg_count++] = rk_h_eval(run, env, c.items[i]);
    if (!rk_h_address_operand(&variable, run->arena, c.items[1]))
        return p;
    CXType type = clang_getCursorType(clang_getNullCursor());
    rk_hv config = rk_h_eval(run, env, variable);
    rk_hv attributes = rk_hv_field_of(run->arena, config, "numAttrs", type);
    if (attributes.kind != RK_HV_SCALAR || !rk_sym_is_int(attributes.sym, 0))
        return p;
    p.grid = rk_hv_field_of(run->arena, config, "gridDim", type);
    p.block = rk_hv_field_of(run->arena, config, "blockDim", type);
    p.shared = rk_hv_field_of(run->arena, config, "dynamicSmemBytes", type);
    rk_hv stream = rk_hv_field_of(run->arena, config, "stream", type);
    p.stream = stream.kind == RK_HV_POINTER ? stream.name : NULL;
    return p;
}

/** cudaLaunchKernel(function, grid, block, arguments, shared, stream) */
static rk_hlaunch call_launch(rk_hrun *run, CXCursor call, const rk_henv *env)
{
    rk_hchildren c = rk_h_children(run->arena, call);
    rk_hv none = rk_hv_unknown(run->arena, "the configuration is not followed");
    rk_hlaunch p = {.callee = none, .grid = none, .block = none, .shared = none};
    if (strncmp(rk_h_spelling(run->arena, call), "cudaLaunchKernelEx", 18) == 0)
        return extended_launch(run, call, env);
    if (c.count < 6)
        return p;
    p.callee = rk_h_eval(run, env, c.items[1]);
    p.grid = rk_h_eval(run, env, c.items[2]);
    p.block = rk_h_eval(run, env, c.items[3]);
    p.shared = rk_h_eval(run, env, c.items[5]);
    p.stream = c.count > 6 ? stream_text(run, env, c.items[6]) : NULL;
    listed_arguments(&p, run->arena, rk_h_eval(run, env, c.items[4]));
    return p;
}

rk_hlaunch rk_h_launch_parts(rk_hrun *run, CXCursor call, const rk_henv *env)
{
    CXCursor configuration;
    return rk_h_is_launch(run->arena, call, &configuration)
               ? arrow_launch(run, call, configuration, env)
               : call_launch(run, call, env);
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
    if (!ok || !*item->kernel_name) {
        leave_unresolved(item, "the kernel is not known");
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

static void on_launch(rk_hrun *run, CXCursor call, const rk_hstate *state)
{
    harvest *h = run->user;
    CXCursor configuration;
    bool arrows = rk_h_is_launch(run->arena, call, &configuration);
    rk_hlaunch p = rk_h_launch_parts(run, call, state->env);
    rk_harvested *item = rk_push(h->arena, &h->found);
    set_place(h, item, call);
    CXCursor reference = function_of(p.callee);
    if (!clang_Cursor_isNull(reference))
        rk_harvest_kernel(item, reference, h->arena);
    else if (arrows)
        item->kernel_name = "";
    if (!arrows)
        drop_unknown_count(item, &p);
    *rk_push(h->arena, &h->waiting) = (pending){h->found.count - 1, p, state->path, state->partial};
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

static void note_instance(harvest *h, CXCursor reference)
{
    CXCursor target = clang_getCursorReferenced(reference);
    enum CXCursorKind kind = clang_getCursorKind(target);
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
    if (!has_text(h->seen.items, h->seen.count, usr)) {
        *rk_push(h->arena, &h->seen) = usr;
        *rk_push(h->arena, &h->queue) = definition_of(target);
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
    rk_hrun run = {.arena = h->arena, .launch = on_launch, .user = h, .inputs = h->inputs};
    size_t first = h->found.count;
    run.root = RK_NEW(h->arena, char);
    rk_h_run(&run, body, state);
    for (size_t i = 0; i < h->waiting.count; i++)
        fill(h, &h->found.items[h->waiting.items[i].item], &h->waiting.items[i]);
    h->waiting.count = 0;
    add_unreached(h, sites, first);
}

static bool is_dependent(CXCursor function)
{
    if (clang_getCursorKind(function) == CXCursor_FunctionTemplate)
        return true;
    for (CXCursor up = clang_getCursorSemanticParent(function); is_scope(up);
         up = clang_getCursorSemanticParent(up)) {
        enum CXCursorKind kind = clang_getCursorKind(up);
        if (kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization)
            return true;
    }
    return false;
}

static void visit_function(harvest *h, CXCursor function, bool pattern)
{
    CXCursor body;
    if (!body_of(&body, h->arena, function))
        return;
    body_scan scan = {.h = h, .references = !pattern && !is_dependent(function)};
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
    bool scope = is_scope(cursor) || clang_getCursorKind(cursor) == CXCursor_LinkageSpec ||
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
    if (h.found.count)
        qsort(h.found.items, h.found.count, sizeof *h.found.items, compare);
    return (rk_harvest){.items = h.found.items, .count = h.found.count};
}
