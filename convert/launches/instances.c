#include "convert/launches/instances.h"
#include "convert/clang/ast.h"
#include "convert/clang/template_args.h"
#include "convert/facts/analyze.h"
#include "convert/facts/function_args.h"
#include "convert/launches/harvest.h"
#include "convert/launches/instantiated.h"
#include "convert/launches/roles.h"
#include "convert/unit/problems.h"

#include <ctype.h>
#include <string.h>

typedef RK_VEC(const char *) text_vec;
typedef RK_VEC(rk_harvested) harvested_vec;

/** Names of kernels in the body that stands for phases. */
typedef struct {
    rk_arena *arena;
    rk_cursors names;
} name_search;

/** The i-th template argument of a body, as its part takes it; NULL if it has no name. */
static const char *part_argument(const rk_unit *unit, const rk_body *body, size_t i)
{
    rk_arena *arena = unit->arena;
    const rk_function *f = unit->functions.items[body->function];
    const char *text = NULL;
    for (size_t k = 0; !text && k < body->by_param.count; k++) {
        if (body->by_param.items[k].param != i)
            continue;
        const rk_function *to = unit->functions.items[body->by_param.items[k].callee];
        text = rk_arena_printf(arena, "%s%s", to->scope,
                               f->params.items[i].is_class ? rk_function_args_class(to, arena)
                                                           : to->name);
    }
    return text ? text : rk_template_arg(body->cursor, (unsigned)i, arena);
}

/** The class of a method's part, "tile<float, 32>::" of a class template's; NULL when it has no name. */
static const char *class_scope(const rk_unit *unit, const rk_function *f, const rk_body *body)
{
    if (!f->class_template)
        return f->scope;
    const CXCursor class = clang_getCursorSemanticParent(body->cursor);
    const CXType type = clang_getCanonicalType(clang_getCursorType(class));
    const char *text = rk_ast_type_text(type, unit->arena);
    return type.kind == CXType_Record && !strchr(text, '(')
               ? rk_arena_printf(unit->arena, "%s::", text)
               : NULL;
}

/** The part of a body's own static shared memory, for its template arguments. */
static const char *part_type(const rk_unit *unit, const rk_function *f, const rk_body *body)
{
    rk_arena *arena = unit->arena;
    const char *scope = f->in_class ? class_scope(unit, f, body) : f->spaces_prefix;
    const int count = f->is_template ? clang_Cursor_getNumTemplateArguments(body->cursor) : 0;
    if (count < 0 || !scope)
        return NULL;
    text_vec args = {0};
    for (int i = 0; i < count && (size_t)i < f->params.count; i++) {
        if (!*f->params.items[i].name)
            continue;
        const char *argument = part_argument(unit, body, (size_t)i);
        if (!argument)
            return NULL;
        *rk_push(arena, &args) = argument;
    }
    return rk_arena_printf(arena, "%s%s%s", scope, f->part,
                           rk_template_args_join(args.items, args.count, arena));
}

static void add_part(rk_arena *arena, text_vec *parts, const char *part)
{
    for (size_t i = 0; i < parts->count; i++)
        if (strcmp(parts->items[i], part) == 0)
            return;
    *rk_push(arena, parts) = part;
}

/** Adds the parts of a body and of all that it calls. False when one cannot be named. */
static bool add_parts(rk_analysis *analysis, text_vec *parts, bool *seen, size_t index)
{
    if (seen[index])
        return true;
    seen[index] = true;
    const rk_body *body = &analysis->bodies.items[index];
    const rk_function *f = analysis->unit->functions.items[body->function];
    if (f->part) {
        const char *part = part_type(analysis->unit, f, body);
        if (!part)
            return false;
        add_part(analysis->unit->arena, parts, part);
    }
    for (size_t i = 0; i < f->file_parts.count; i++)
        add_part(analysis->unit->arena, parts, f->file_parts.items[i]);
    for (size_t i = 0; i < body->callees.count; i++)
        if (!add_parts(analysis, parts, seen, body->callees.items[i]))
            return false;
    return true;
}

/** Whether the parts have one of that function, for any arguments. */
static bool has_part(const text_vec *parts, const char *part)
{
    const size_t length = strlen(part);
    for (size_t i = 0; i < parts->count; i++)
        if (strncmp(parts->items[i], part, length) == 0 &&
            (parts->items[i][length] == '\0' || parts->items[i][length] == '<'))
            return true;
    return false;
}

/** Whether they have one of that method of a class template, for any arguments. */
static bool has_member_part(const text_vec *parts, const char *part)
{
    for (size_t i = 0; i < parts->count; i++)
        if (strstr(parts->items[i], part))
            return true;
    return false;
}

/**
 * Adds the parts of what only the device's compilation calls, which has no bodies here. False when one
 * depends on template arguments.
 */
static bool add_device_parts(const rk_unit *unit, text_vec *parts, bool *seen, size_t function)
{
    if (seen[function])
        return true;
    seen[function] = true;
    const rk_function *f = unit->functions.items[function];
    if (f->part) {
        const char *part = rk_arena_printf(unit->arena, "%s%s",
                                           f->in_class ? f->scope : f->spaces_prefix, f->part);
        const bool known = has_part(parts, part);
        if (!known && f->is_template)
            return false;
        if (f->class_template && !has_member_part(parts, f->part))
            return false;
        if (!known && !f->class_template)
            *rk_push(unit->arena, parts) = part;
    }
    for (size_t i = 0; i < f->file_parts.count; i++)
        add_part(unit->arena, parts, f->file_parts.items[i]);
    for (size_t i = 0; i < f->calls.count; i++)
        if (!add_device_parts(unit, parts, seen, f->calls.items[i].callee))
            return false;
    return true;
}

static void read_types(rk_unit *unit, rk_instance *instance, CXCursor kernel)
{
    const int count = clang_Cursor_getNumArguments(kernel);
    if (count <= 0)
        return;
    const char **types = RK_NEW_ARRAY(unit->arena, const char *, (size_t)count);
    size_t *sizes = RK_NEW_ARRAY(unit->arena, size_t, (size_t)count);
    for (int i = 0; i < count; i++) {
        const CXType type = clang_getCursorType(clang_Cursor_getArgument(kernel, (unsigned)i));
        types[i] = rk_ast_type_text(type, unit->arena);
        const long long size = rk_ast_size_of(type);
        sizes[i] = size < 0 ? SIZE_MAX : (size_t)size;
    }
    instance->types = types;
    instance->sizes = sizes;
    instance->type_count = (size_t)count;
}

static rk_instance *find_instance(rk_unit *unit, const char *id)
{
    for (size_t i = 0; i < unit->instances.count; i++)
        if (strcmp(unit->instances.items[i].id, id) == 0)
            return &unit->instances.items[i];
    return NULL;
}

static bool has_instance(const rk_unit *unit, size_t function)
{
    for (size_t i = 0; i < unit->instances.count; i++)
        if (unit->instances.items[i].function == function)
            return true;
    return false;
}

/** The body that an instance is; the function's own for one that is no template. */
static size_t instance_body(rk_analysis *analysis, size_t function, CXCursor kernel)
{
    if (!analysis->unit->functions.items[function]->is_template)
        return rk_analysis_body(analysis, analysis->cursors.items[function], function);
    const CXCursor definition = clang_getCursorDefinition(kernel);
    if (clang_Cursor_isNull(definition) ||
        clang_getCursorKind(definition) == CXCursor_FunctionTemplate)
        return RK_NONE;
    return rk_analysis_body(analysis, definition, function);
}

static void add_instance(rk_analysis *analysis, size_t function, CXCursor kernel, const char *id,
                         const char *const *args, size_t arg_count)
{
    rk_unit *unit = analysis->unit;
    const size_t body = instance_body(analysis, function, kernel);
    rk_function *f = unit->functions.items[function];
    if (body == RK_NONE) {
        rk_problem_add(unit, function, RK_REFUSED, "RK-V125", f->place,
                       "launch it where all of its template arguments are known",
                       "the instance '%s' is not made by any launch in this file", id);
        return;
    }
    const CXCursor cursor = analysis->bodies.items[body].cursor;
    rk_instance *instance = rk_push(unit->arena, &unit->instances);
    *instance = (rk_instance){.function = function, .id = id, .args = args, .arg_count = arg_count};
    read_types(unit, instance, cursor);
    *rk_push(unit->arena, &analysis->instances) = cursor;
    *rk_push(unit->arena, &analysis->instance_bodies) = body;
}

/** The rKernel's arguments: where a function takes the context, the class that stands for it. */
static void name_args(rk_analysis *analysis, size_t i)
{
    const rk_unit *unit = analysis->unit;
    rk_instance *instance = &unit->instances.items[i];
    const rk_function *f = unit->functions.items[instance->function];
    const rk_body *body = &analysis->bodies.items[analysis->instance_bodies.items[i]];
    const char **args = RK_NEW_ARRAY(unit->arena, const char *, instance->arg_count + 1);
    for (size_t k = 0; k < instance->arg_count; k++) {
        const bool is_class = k < f->params.count && f->params.items[k].is_class;
        args[k] = is_class ? part_argument(unit, body, k) : instance->args[k];
    }
    instance->out_args = args;
}

/** Names the parts of an instance's frame; how depends on what takes the context. */
static void name_parts(rk_analysis *analysis, size_t i)
{
    rk_unit *unit = analysis->unit;
    rk_instance *instance = &unit->instances.items[i];
    name_args(analysis, i);
    text_vec parts = {0};
    bool *seen = RK_NEW_ARRAY(unit->arena, bool, analysis->bodies.count);
    bool *called = RK_NEW_ARRAY(unit->arena, bool, unit->functions.count);
    if (!add_parts(analysis, &parts, seen, analysis->instance_bodies.items[i]) ||
        (unit->device_seen && !add_device_parts(unit, &parts, called, instance->function)))
        rk_problem_add(unit, instance->function, RK_REFUSED, "RK-V119",
                       unit->functions.items[instance->function]->place,
                       "use types and integers as template arguments",
                       "the shared memory of '%s' depends on arguments that have no name",
                       instance->id);
    instance->parts = parts.items;
    instance->part_count = parts.count;
}

void rk_instances_roles(rk_analysis *analysis)
{
    rk_unit *unit = analysis->unit;
    for (size_t i = 0; i < unit->instances.count; i++) {
        rk_instance *instance = &unit->instances.items[i];
        const CXCursor kernel = analysis->instances.items[i];
        const rk_roles roles =
            unit->functions.items[instance->function]->refused
                ? rk_roles_of_signature(kernel, instance->args, instance->arg_count, unit->arena)
                : rk_roles_infer(kernel, instance->args, instance->arg_count, unit->arena);
        instance->params = roles.params;
        instance->atomics = roles.atomics;
        instance->float_atomics = roles.float_atomics;
    }
}

/** The instance's id: a kernel of a namespace has its scope in it, "a::gemm<32>". */
static const char *instance_id(const rk_unit *unit, size_t function, const char *name)
{
    return rk_arena_printf(unit->arena, "%s%s", unit->functions.items[function]->scope, name);
}

/**
 * The same of an overload whose id another kernel has: "gemm<32>(float *, int)". `instance` is a cursor of the kernel
 * with these arguments.
 */
static const char *own_id(rk_unit *unit, size_t function, const char *name, CXCursor instance)
{
    const char *id = instance_id(unit, function, name);
    const rk_instance *other = find_instance(unit, id);
    if (!other || other->function == function)
        return id;
    rk_str out = {.arena = unit->arena};
    const int count = clang_Cursor_getNumArguments(instance);
    for (int i = 0; i < count; i++)
        rk_str_addf(
            &out, "%s%s", i ? ", " : "",
            rk_ast_type_text(clang_getCursorType(clang_Cursor_getArgument(instance, (unsigned)i)),
                             unit->arena));
    return rk_arena_printf(unit->arena, "%s(%s)", id, rk_str_text(&out));
}

/** The instance of what was harvested, which is made if it is new; NULL when it cannot be. */
static rk_instance *instance_of(rk_analysis *analysis, const rk_harvested *item)
{
    rk_unit *unit = analysis->unit;
    if (!item->id || clang_Cursor_isNull(item->kernel) || clang_Cursor_isNull(item->instance))
        return NULL;
    const CXCursor definition = clang_getCursorDefinition(item->kernel);
    if (clang_Cursor_isNull(definition))
        return NULL;
    const size_t function = rk_analysis_function(analysis, definition);
    if (function == RK_NONE || !unit->functions.items[function]->kernel)
        return NULL;
    const char *id = own_id(unit, function, item->id, item->instance);
    if (!find_instance(unit, id))
        add_instance(analysis, function, item->instance, id, item->template_args,
                     item->template_arg_count);
    rk_instance *instance = find_instance(unit, id);
    return instance && instance->function == function ? instance : NULL;
}

static enum CXChildVisitResult find_names(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    name_search *s = data;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        *rk_push(s->arena, &s->names) = cursor;
    return CXChildVisit_Recurse;
}

/** What was harvested; of a kernel that was split, the same of each of its phases. */
static harvested_vec parts_of(const rk_analysis *analysis, const rk_harvested *item)
{
    rk_arena *arena = analysis->unit->arena;
    harvested_vec parts = {0};
    name_search search = {.arena = arena};
    if (item->id && !clang_Cursor_isNull(item->kernel) && !clang_Cursor_isNull(item->instance)) {
        const CXCursor definition = clang_getCursorDefinition(item->kernel);
        const size_t function =
            clang_Cursor_isNull(definition) ? RK_NONE : rk_analysis_function(analysis, definition);
        if (function != RK_NONE && analysis->unit->functions.items[function]->phased)
            clang_visitChildren(clang_getCursorDefinition(item->instance), find_names, &search);
    }
    for (size_t i = 0; i < search.names.count; i++) {
        rk_harvested *part = rk_push(arena, &parts);
        *part = *item;
        rk_harvest_kernel(part, search.names.items[i], arena);
    }
    if (!parts.count)
        *rk_push(arena, &parts) = *item;
    return parts;
}

static void add_listed(rk_analysis *analysis, CXCursor reference)
{
    rk_harvested item = {.kernel = clang_getNullCursor(), .instance = clang_getNullCursor()};
    rk_harvest_kernel(&item, reference, analysis->unit->arena);
    const harvested_vec parts = parts_of(analysis, &item);
    for (size_t i = 0; i < parts.count; i++)
        instance_of(analysis, &parts.items[i]);
}

/** What is reported of a launch in the text, which is harvested for each way that it is come to. */
static rk_convert_launch *reported(rk_unit *unit, const rk_harvested *item)
{
    for (size_t i = 0; i < unit->launches.count; i++) {
        rk_convert_launch *l = &unit->launches.items[i];
        if (l->offset == item->offset && strcmp(l->range.file, item->launch.file) == 0 &&
            strcmp(l->kernel, item->kernel_name) == 0)
            return l;
    }
    rk_convert_launch *out = rk_push(unit->arena, &unit->launches);
    *out = (rk_convert_launch){.kernel = item->kernel_name,
                               .line = item->launch.line,
                               .offset = item->offset,
                               .resolved = true,
                               .range = {.file = item->launch.file}};
    return out;
}

/** Three dimensions without those at the end that are 1; NULL when they are not known. */
static const char *dimensions_text(rk_arena *arena, const char *const values[3])
{
    if (!values[0])
        return NULL;
    if (strcmp(values[2], "1") != 0)
        return rk_arena_printf(arena, "%s, %s, %s", values[0], values[1], values[2]);
    return strcmp(values[1], "1") != 0 ? rk_arena_printf(arena, "%s, %s", values[0], values[1])
                                       : values[0];
}

static void report_launch(rk_unit *unit, const rk_harvested *item, const char *id)
{
    rk_convert_launch *l = reported(unit, item);
    text_vec ids = {0};
    bool known = !id;
    for (size_t i = 0; i < l->instance_count; i++) {
        *rk_push(unit->arena, &ids) = l->instances[i];
        known |= id && strcmp(l->instances[i], id) == 0;
    }
    if (!known)
        *rk_push(unit->arena, &ids) = id;
    l->instances = ids.items;
    l->instance_count = ids.count;
    const rk_launch_input *open = rk_harvest_rests_on(&item->launch, RK_INPUT_OPEN);
    const char *reason = item->launch.reason;
    if (open)
        reason = rk_arena_printf(unit->arena, "open: '%s' (%s:%d): %s", open->name, open->file,
                                 open->line, open->why);
    l->open |= !item->id || open;
    l->unnamed |= !item->id;
    l->grid = l->grid ? l->grid : dimensions_text(unit->arena, item->launch.grid);
    l->block = l->block ? l->block : dimensions_text(unit->arena, item->launch.block);
    l->resolved &= (item->launch.resolved && !open) || item->elsewhere;
    l->opaque |= rk_harvest_rests_on(&item->launch, RK_INPUT_CALL) ||
                 rk_harvest_rests_on(&item->launch, RK_INPUT_MEMORY);
    l->reason = l->reason || item->elsewhere ? l->reason : reason;
}

static void attach_launch(rk_instance *instance, const rk_launch *launch, rk_arena *arena)
{
    rk_launch *launches = RK_NEW_ARRAY(arena, rk_launch, instance->launch_count + 1);
    if (instance->launch_count)
        memcpy(launches, instance->launches, instance->launch_count * sizeof *launches);
    launches[instance->launch_count] = *launch;
    instance->launches = launches;
    instance->launch_count++;
}

/** Adds a launch to its instance, or to those of its phases. */
static void add_launch(rk_analysis *analysis, const rk_harvested *item)
{
    rk_unit *unit = analysis->unit;
    const harvested_vec parts = parts_of(analysis, item);
    for (size_t i = 0; i < parts.count; i++) {
        rk_instance *instance = instance_of(analysis, &parts.items[i]);
        report_launch(unit, item, instance ? instance->id : parts.items[i].id);
        if (instance)
            attach_launch(instance, &item->launch, unit->arena);
    }
}

void rk_instances_collect(rk_analysis *analysis)
{
    rk_unit *unit = analysis->unit;
    const rk_harvest harvest = rk_harvest_launches(unit->tu, unit->arena);
    for (size_t i = 0; i < harvest.count; i++)
        add_launch(analysis, &harvest.items[i]);
    rk_instantiated_each(analysis, add_listed);
    /* A kernel that nothing here launches is still one that a graph may name. */
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (!f->kernel || f->is_template || f->class_template || f->left_out ||
            clang_Cursor_isNull(analysis->cursors.items[i]))
            continue;
        const CXCursor cursor = analysis->cursors.items[i];
        const char *const *args = NULL;
        const int count =
            f->specialisation ? rk_template_args_named(&args, cursor, unit->arena) : 0;
        const char *name = rk_arena_printf(
            unit->arena, "%s%s", f->name,
            rk_template_args_join(args, count > 0 ? (size_t)count : 0, unit->arena));
        if (f->specialisation && (count <= 0 || has_instance(unit, i)))
            continue;
        const char *id = own_id(unit, i, name, cursor);
        if (!find_instance(unit, id))
            add_instance(analysis, i, cursor, id, args, (size_t)count);
    }
    rk_analysis_walk(analysis);
}

void rk_instances_name(rk_analysis *analysis)
{
    for (size_t i = 0; i < analysis->unit->instances.count; i++)
        name_parts(analysis, i);
}
