#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "rkernel_lib/catalog/catalog_internal.h"
#include "rkernel_lib/catalog/cpu_levels.h"
#include "rkernel_lib/catalog/expr.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/** Reads a catalog's tree; every function gives its diagnostics and goes on. */
typedef struct {
    const rk_json *json;
    rk_arena *arena;
    bool ok;
} reader;

static void fail(reader *r, const char *where, const char *member, const char *message)
{
    const char *at = member ? rk_arena_printf(r->arena, "%s.%s", where, member) : where;
    rk_json_fail(r->json, "RK-C001", at, NULL, "%s", message);
    r->ok = false;
}

/**
 * Members that this version does not know are errors: they would be lost when it is written again.
 */
static void only_members(reader *r, const cJSON *at, const char *where, const char *const *known)
{
    for (const cJSON *c = at->child; c; c = c->next) {
        size_t count = 0;
        bool found = false;
        for (; known[count]; count++)
            found = found || strcmp(known[count], c->string) == 0;
        const char *near = found ? NULL : rk_str_nearest(c->string, known, count);
        if (!found)
            rk_json_fail(r->json, "RK-C001", where,
                         near ? rk_arena_printf(r->arena, "did you mean '%s'?", near) : NULL,
                         "the member '%s' is not known", c->string);
        r->ok = r->ok && found;
    }
}

static const char *string(reader *r, const cJSON *at, const char *where, const char *member)
{
    const char *value = NULL;
    if (!rk_json_string(&value, r->json, at, where, member))
        r->ok = false;
    else if (*value == '\0')
        fail(r, where, member, "it is empty");
    return value ? value : "";
}

static const char *optional_string(reader *r, const cJSON *at, const char *where,
                                   const char *member)
{
    const char *value = NULL;
    if (!rk_json_string_or(&value, r->json, at, where, member, NULL))
        r->ok = false;
    return value;
}

static bool flag(reader *r, const cJSON *at, const char *where, const char *member)
{
    bool value = false;
    if (!rk_json_bool_or(&value, r->json, at, where, member, false))
        r->ok = false;
    return value;
}

/** An integer of at least `least`; absent: `otherwise`, or an error when that is negative. */
static int64_t integer(reader *r, const cJSON *at, const char *where, const char *member,
                       int64_t least, int64_t otherwise)
{
    int64_t value = least;
    bool read = otherwise < 0 ? rk_json_int(&value, r->json, at, where, member)
                              : rk_json_int_or(&value, r->json, at, where, member, otherwise);
    if (!read)
        r->ok = false;
    else if (value < least || value > INT_MAX)
        fail(r, where, member,
             rk_arena_printf(r->arena, "it is below %d or too large", (int)least));
    else
        return value;
    return least;
}

static const cJSON *array(reader *r, const cJSON *at, const char *where, const char *member,
                          bool required)
{
    const cJSON *value = NULL;
    bool read = required ? rk_json_array(&value, r->json, at, where, member)
                         : rk_json_array_or(&value, r->json, at, where, member);
    if (!read)
        r->ok = false;
    return read ? value : NULL;
}

static size_t length(const cJSON *items)
{
    return items ? (size_t)cJSON_GetArraySize(items) : 0;
}

/** The path of an array's item; false, with a diagnostic, when it is no object. */
static bool item_place(const char **where, reader *r, const cJSON *item, const char *above,
                       const char *member, size_t i)
{
    *where = rk_arena_printf(r->arena, "%s%s%s[%zu]", above, *above ? "." : "", member, i);
    if (cJSON_IsObject(item))
        return true;
    fail(r, *where, NULL, "expected an object");
    return false;
}

/** An array's strings; a null gives NULL when it may stand there. */
static const char *const *strings(reader *r, const cJSON *items, const char *where, size_t *count,
                                  bool nulls)
{
    *count = length(items);
    const char **all = RK_NEW_ARRAY(r->arena, const char *, *count + 1);
    size_t i = 0;
    for (const cJSON *c = items ? items->child : NULL; c; c = c->next, i++) {
        bool null = nulls && cJSON_IsNull(c);
        all[i] = cJSON_IsString(c) ? c->valuestring : null ? NULL : "";
        if (!cJSON_IsString(c) && !null)
            fail(r, rk_arena_printf(r->arena, "%s[%zu]", where, i), NULL, "expected a string");
    }
    return all;
}

static int one_of(reader *r, const char *value, const char *where, const char *member,
                  const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], value) == 0)
            return (int)i;
    if (*value)
        fail(r, where, member, rk_arena_printf(r->arena, "'%.80s' is none of its values", value));
    return 0;
}

static rk_dtype read_dtype(reader *r, const cJSON *at, const char *where)
{
    const char *name = string(r, at, where, "dtype");
    rk_dtype dtype = rk_dtype_of(name);
    if (dtype == RK_DTYPE_NONE && *name && strcmp(name, "none") != 0)
        fail(r, where, "dtype", rk_arena_printf(r->arena, "'%.80s' is no dtype", name));
    return dtype;
}

static rk_param read_param(reader *r, const cJSON *at, const char *where, bool roles)
{
    static const char *const known[] = {"name", "type", "dtype", "pointer", "role", NULL};
    only_members(r, at, where, known);
    rk_param p = {.type = string(r, at, where, "type"), .dtype = read_dtype(r, at, where)};
    if (!rk_json_string(&p.name, r->json, at, where, "name"))
        r->ok = false;
    p.name = p.name ? p.name : "";
    p.pointer = flag(r, at, where, "pointer");
    p.role = p.pointer ? RK_ROLE_BOTH : RK_ROLE_SCALAR;
    if (!roles)
        return p;
    p.role = (rk_role)one_of(r, string(r, at, where, "role"), where, "role", rk_catalog_roles,
                             RK_ROLE_ACCUMULATED + 1);
    if (p.pointer == (p.role == RK_ROLE_SCALAR))
        fail(r, where, "role",
             "a pointer's role is not scalar, and no other parameter has another");
    return p;
}

static const rk_param *read_params(reader *r, const cJSON *at, const char *above, size_t *count,
                                   bool roles)
{
    const cJSON *items = array(r, at, above, "params", true);
    rk_param *params = RK_NEW_ARRAY(r->arena, rk_param, length(items) + 1);
    *count = 0;
    for (const cJSON *c = items ? items->child : NULL; c; c = c->next, ++*count) {
        const char *where;
        if (item_place(&where, r, c, above, "params", *count))
            params[*count] = read_param(r, c, where, roles);
        else
            params[*count].name = params[*count].type = "";
    }
    return params;
}

static void read_uses(rk_uses *out, reader *r, const cJSON *at, const char *above)
{
    static const char *const known[] = {
        "dims",          "barrier",        "reduce",     "early_return", "warp", "atomics",
        "float_atomics", "dynamic_shared", "host_state", "barrier_form", "ordered", NULL};
    const cJSON *uses = NULL;
    if (!rk_json_object(&uses, r->json, at, above, "uses")) {
        r->ok = false;
        return;
    }
    const char *where = rk_arena_printf(r->arena, "%s.uses", above);
    only_members(r, uses, where, known);
    out->dims = (int)integer(r, uses, where, "dims", 1, -1);
    if (out->dims > 3)
        fail(r, where, "dims", "it is more than 3");
    out->barrier = flag(r, uses, where, "barrier");
    out->reduce = flag(r, uses, where, "reduce");
    out->early_return = flag(r, uses, where, "early_return");
    out->warp = flag(r, uses, where, "warp");
    out->atomics = flag(r, uses, where, "atomics");
    out->float_atomics = flag(r, uses, where, "float_atomics");
    out->dynamic_shared = flag(r, uses, where, "dynamic_shared");
    out->host_state = flag(r, uses, where, "host_state");
    out->ordered = flag(r, uses, where, "ordered");
    const char *form = optional_string(r, uses, where, "barrier_form");
    if (form && !rk_barrier_form_of(&out->form, form))
        fail(r, where, "barrier_form",
             rk_arena_printf(r->arena, "'%.80s' is none of its values", form));
}

/** Checks that an expression's names are parameters of the launching function, or inputs. */
typedef struct {
    reader *r;
    const rk_launch *launch;
    const char *where;
} name_check;

static void check_name(void *user, const char *name)
{
    const name_check *check = user;
    for (size_t i = 0; i < check->launch->input_count; i++)
        if (strcmp(check->launch->inputs[i].name, name) == 0)
            return;
    size_t n = strcspn(name, ".-:"); /* cfg.n is a member of the parameter cfg */
    for (size_t i = 0; i < check->launch->param_count; i++) {
        const char *param = check->launch->params[i].name;
        if (strlen(param) == n && strncmp(param, name, n) == 0)
            return;
    }
    fail(check->r, check->where, NULL,
         rk_arena_printf(check->r->arena, "'%.80s' is neither a parameter of '%.80s' nor an input",
                         name, check->launch->function));
}

static void check_expression(reader *r, const rk_launch *launch, const char *text,
                             const char *where)
{
    rk_place place = {.file = r->json->file, .object = where};
    const rk_expr *e = rk_expr_parse(text, place, r->arena, r->json->diag);
    name_check check = {.r = r, .launch = launch, .where = where};
    if (e)
        rk_expr_names(e, check_name, &check);
    else
        r->ok = false;
}

static void read_dimensions(const char *out[3], reader *r, const cJSON *at, const rk_launch *launch,
                            const char *above, const char *member)
{
    const cJSON *items = array(r, at, above, member, true);
    const char *where = rk_arena_printf(r->arena, "%s.%s", above, member);
    size_t count;
    const char *const *all = strings(r, items, where, &count, false);
    if (items && count != 3)
        fail(r, where, NULL, "expected three expressions");
    for (size_t i = 0; i < 3; i++) {
        out[i] = count == 3 ? all[i] : "1";
        check_expression(r, launch, out[i], rk_arena_printf(r->arena, "%s[%zu]", where, i));
    }
}

static rk_launch_input read_input(reader *r, const cJSON *at, const char *where)
{
    static const char *const known[] = {"name",  "kind",  "of",   "file", "line",
                                        "first", "again", "next", "why",  NULL};
    only_members(r, at, where, known);
    rk_launch_input input = {.name = string(r, at, where, "name"),
                             .of = string(r, at, where, "of"),
                             .file = string(r, at, where, "file"),
                             .line = (int)integer(r, at, where, "line", 1, -1)};
    const char *kind = string(r, at, where, "kind");
    while (input.kind < RK_INPUT_KINDS && strcmp(rk_input_kind_name(input.kind), kind) != 0)
        input.kind++;
    if (input.kind == RK_INPUT_KINDS)
        fail(r, where, "kind", rk_arena_printf(r->arena, "'%.80s' is no kind of input", kind));
    input.first = optional_string(r, at, where, "first");
    input.again = optional_string(r, at, where, "again");
    input.next = optional_string(r, at, where, "next");
    input.why = optional_string(r, at, where, "why");
    return input;
}

static void check_loops(reader *r, const rk_launch *launch, const char *where)
{
    for (size_t i = 0; i < launch->input_count; i++) {
        const rk_launch_input *input = &launch->inputs[i];
        const char *const texts[] = {input->first, input->again, input->next};
        for (size_t k = 0; k < 3; k++)
            if (texts[k])
                check_expression(r, launch, texts[k],
                                 rk_arena_printf(r->arena, "%s.inputs[%zu]", where, i));
            else if (input->kind == RK_INPUT_LOOP || input->kind == RK_INPUT_AFTER)
                fail(r, where, NULL, "a loop variable has 'first', 'again' and 'next'");
    }
}

static void read_inputs(rk_launch *launch, reader *r, const cJSON *at, const char *where)
{
    if (!cJSON_HasObjectItem(at, "inputs"))
        return;
    const cJSON *items = array(r, at, where, "inputs", true);
    rk_launch_input *inputs =
        RK_NEW_ARRAY(r->arena, rk_launch_input, (size_t)cJSON_GetArraySize(items) + 1);
    const cJSON *c;
    cJSON_ArrayForEach (c, items) {
        inputs[launch->input_count] = read_input(
            r, c, rk_arena_printf(r->arena, "%s.inputs[%zu]", where, launch->input_count));
        launch->input_count++;
    }
    launch->inputs = inputs;
    check_loops(r, launch, where);
}

static void read_configuration(rk_launch *launch, reader *r, const cJSON *at, const char *where)
{
    read_inputs(launch, r, at, where);
    read_dimensions(launch->grid, r, at, launch, where, "grid");
    read_dimensions(launch->block, r, at, launch, where, "block");
    launch->shared = string(r, at, where, "shared");
    if (*launch->shared)
        check_expression(r, launch, launch->shared, rk_arena_printf(r->arena, "%s.shared", where));
    const char *args_where = rk_arena_printf(r->arena, "%s.args", where);
    const cJSON *args = array(r, at, where, "args", true);
    launch->args = strings(r, args, args_where, &launch->arg_count, true);
    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i])
            check_expression(r, launch, launch->args[i],
                             rk_arena_printf(r->arena, "%s[%zu]", args_where, i));
    launch->stream = optional_string(r, at, where, "stream");
    launch->when = optional_string(r, at, where, "when");
    launch->when_partial = flag(r, at, where, "when_partial");
    if (launch->when)
        check_expression(r, launch, launch->when, rk_arena_printf(r->arena, "%s.when", where));
}

static rk_launch read_launch(reader *r, const cJSON *at, const char *where)
{
    static const char *const known[] = {"function",     "file",   "line",   "params", "unresolved",
                                        "grid",         "block",  "shared", "args",   "when",
                                        "when_partial", "inputs", "stream", NULL};
    only_members(r, at, where, known);
    rk_launch launch = {.function = string(r, at, where, "function"),
                        .file = string(r, at, where, "file"),
                        .line = (int)integer(r, at, where, "line", 1, -1)};
    launch.params = read_params(r, at, where, &launch.param_count, false);
    launch.reason = optional_string(r, at, where, "unresolved");
    launch.resolved = launch.reason == NULL;
    if (launch.resolved)
        read_configuration(&launch, r, at, where);
    else if (cJSON_HasObjectItem(at, "grid") || cJSON_HasObjectItem(at, "args"))
        fail(r, where, NULL, "an unresolved launch has no configuration");
    return launch;
}

static void read_launches(rk_kernel *kernel, reader *r, const cJSON *at, const char *above)
{
    const cJSON *items = array(r, at, above, "launches", true);
    rk_launch *launches = RK_NEW_ARRAY(r->arena, rk_launch, length(items) + 1);
    size_t n = 0;
    for (const cJSON *c = items ? items->child : NULL; c; c = c->next, n++) {
        const char *where;
        launches[n] = (rk_launch){.function = "", .file = ""};
        if (!item_place(&where, r, c, above, "launches", n))
            continue;
        launches[n] = read_launch(r, c, where);
        if (launches[n].resolved && launches[n].arg_count != kernel->param_count)
            fail(r, where, "args", "expected one argument for each parameter of the kernel");
    }
    kernel->launches = launches;
    kernel->launch_count = n;
}

static void read_resources(rk_kernel *kernel, reader *r, const cJSON *at, const char *above)
{
    static const char *const known[] = {"arch", "registers", "shared", "spill_bytes", NULL};
    const cJSON *items = array(r, at, above, "resources", false);
    rk_resources *all = RK_NEW_ARRAY(r->arena, rk_resources, length(items) + 1);
    size_t n = 0;
    for (const cJSON *c = items ? items->child : NULL; c; c = c->next, n++) {
        const char *where;
        all[n].arch = "";
        if (!item_place(&where, r, c, above, "resources", n))
            continue;
        only_members(r, c, where, known);
        all[n].arch = string(r, c, where, "arch");
        all[n].registers = (int)integer(r, c, where, "registers", 0, -1);
        all[n].shared = (int)integer(r, c, where, "shared", 0, -1);
        all[n].spill_bytes = (int)integer(r, c, where, "spill_bytes", 0, -1);
    }
    kernel->resources = all;
    kernel->resource_count = n;
}

static rk_diagnostic read_diagnostic(reader *r, const cJSON *at, const char *where)
{
    static const char *const known[] = {"severity", "code",    "file", "line", "column",
                                        "object",   "message", "hint", NULL};
    static const char *const severities[] = {"note", "warning", "refused", "error"};
    only_members(r, at, where, known);
    rk_diagnostic d = {.code = string(r, at, where, "code"),
                       .message = string(r, at, where, "message"),
                       .hint = optional_string(r, at, where, "hint")};
    d.severity = (rk_severity)one_of(r, string(r, at, where, "severity"), where, "severity",
                                     severities, sizeof severities / sizeof *severities);
    d.place.file = optional_string(r, at, where, "file");
    d.place.object = optional_string(r, at, where, "object");
    d.place.line = (int)integer(r, at, where, "line", 0, 0);
    d.place.column = (int)integer(r, at, where, "column", 0, 0);
    return d;
}

static void read_diagnostics(rk_kernel *kernel, reader *r, const cJSON *at, const char *above)
{
    const cJSON *items = array(r, at, above, "diagnostics", false);
    rk_diagnostic *all = RK_NEW_ARRAY(r->arena, rk_diagnostic, length(items) + 1);
    size_t n = 0;
    for (const cJSON *c = items ? items->child : NULL; c; c = c->next, n++) {
        const char *where;
        if (item_place(&where, r, c, above, "diagnostics", n))
            all[n] = read_diagnostic(r, c, where);
    }
    kernel->diagnostics = all;
    kernel->diagnostic_count = n;
}

static const char *relative_path(reader *r, const cJSON *at, const char *where, const char *member)
{
    const char *path = string(r, at, where, member);
    if (*path && !rk_path_is_inner(path))
        fail(r, where, member,
             "expected a path in the catalog's folder, relative and without '..'");
    return path;
}

/** A member that may be missing: an object with no other members than `known`, and its place; or NULL. */
static const cJSON *optional_object(const char **where, reader *r, const cJSON *at,
                                    const char *above, const char *member, const char *const *known)
{
    const cJSON *object = NULL;
    if (!rk_json_object_or(&object, r->json, at, above, member))
        r->ok = false;
    if (!object)
        return NULL;
    *where = rk_arena_printf(r->arena, "%s.%s", above, member);
    only_members(r, object, *where, known);
    return object;
}

/** Whether the kernel is a call of a library on the CPU, which nobody converted. */
static bool is_library(const cJSON *at)
{
    const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(at, "cpu");
    const char *threads = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(cpu, "threads"));
    return threads && strcmp(threads, rk_catalog_threads[RK_CPU_LIBRARY]) == 0;
}

static void read_rkernel(rk_kernel *kernel, reader *r, const cJSON *at, const char *above)
{
    static const char *const known[] = {"file",          "symbol",       "frame",
                                        "static_shared", "static_align", NULL};
    const char *where;
    const cJSON *rkernel = optional_object(&where, r, at, above, "rkernel", known);
    kernel->static_align = 1;
    if (!rkernel) {
        if (kernel->outcome != RK_REFUSED_KERNEL && !is_library(at))
            fail(r, above, NULL, "a converted kernel needs an rkernel");
        return;
    }
    kernel->rkernel_file = relative_path(r, rkernel, where, "file");
    kernel->rkernel_symbol = string(r, rkernel, where, "symbol");
    kernel->rkernel_frame = optional_string(r, rkernel, where, "frame");
    kernel->static_shared = integer(r, rkernel, where, "static_shared", 0, -1);
    kernel->static_align = integer(r, rkernel, where, "static_align", 1, -1);
    if ((kernel->static_align & (kernel->static_align - 1)) != 0)
        fail(r, where, "static_align", "it is no power of two");
    if (!kernel->rkernel_frame && kernel->static_shared)
        fail(r, where, "static_shared", "shared memory without a frame");
}

static void read_cpu(rk_kernel *kernel, reader *r, const cJSON *at, const char *above)
{
    static const char *const known[] = {"library", "levels", "entry", "threads", NULL};
    const char *where;
    const cJSON *cpu = optional_object(&where, r, at, above, "cpu", known);
    if (!cpu)
        return;
    kernel->cpu_library = relative_path(r, cpu, where, "library");
    const cJSON *levels = array(r, cpu, where, "levels", false);
    size_t count;
    const char *const *names = strings(r, levels, where, &count, false);
    for (size_t i = 0; i < count; i++)
        kernel->cpu_levels |=
            1u << one_of(r, names[i], where, "levels", rk_cpu_level_names, RK_CPU_LEVELS);
    kernel->cpu_entry = string(r, cpu, where, "entry");
    const char *threads = optional_string(r, cpu, where, "threads");
    if (threads)
        kernel->cpu_threads = (rk_cpu_threads)one_of(r, threads, where, "threads",
                                                     rk_catalog_threads, RK_CPU_LIBRARY + 1);
    else if (kernel->uses.barrier || kernel->uses.warp)
        kernel->cpu_threads = RK_CPU_FIBERS;
}

static void read_phase(rk_kernel *kernel, reader *r, const cJSON *at, const char *above)
{
    static const char *const known[] = {"of", "index", NULL};
    const char *where;
    const cJSON *phase = optional_object(&where, r, at, above, "phase", known);
    if (!phase)
        return;
    kernel->phase_of = string(r, phase, where, "of");
    kernel->phase = (int)integer(r, phase, where, "index", 0, -1);
}

/** Whether the first `own` bytes of the id are what the name and the arguments say, after the namespaces. */
static bool says(const char *id, size_t own, const char *name)
{
    const size_t said = strlen(name);
    const bool scoped = own > said + 2 && strncmp(id + own - said - 2, "::", 2) == 0;
    return own >= said && strncmp(id + own - said, name, said) == 0 && (own == said || scoped);
}

/**
 * The id must say what the name and the arguments say; that of an overload has its parameters' types behind it, and one
 * that several sources have its source, as "k<2>@a/k.cu".
 */
static void check_id(reader *r, const rk_kernel *kernel, const char *where)
{
    rk_str id = {.arena = r->arena};
    rk_str_add(&id, kernel->name);
    for (size_t i = 0; i < kernel->template_arg_count; i++)
        rk_str_addf(&id, "%s%s", i ? ", " : "<", kernel->template_args[i]);
    rk_str_add(&id, kernel->template_arg_count ? ">" : "");
    const size_t own = strcspn(kernel->id, "@");
    bool ok = says(kernel->id, own, rk_str_text(&id));
    for (size_t i = 0; i < own && !ok && kernel->id[own - 1] == ')'; i++)
        ok = kernel->id[i] == '(' && says(kernel->id, i, rk_str_text(&id));
    if (*kernel->id && *kernel->name && !ok)
        fail(r, where, "id", "it does not match the name and the template arguments");
}

static void check_hash(reader *r, const rk_kernel *kernel, const char *where)
{
    size_t digits = 0;
    while (isxdigit((unsigned char)kernel->hash[digits]))
        digits++;
    if (digits != 16 || kernel->hash[digits])
        fail(r, where, "hash", "expected 16 hexadecimal digits");
}

static rk_kernel read_kernel(reader *r, const cJSON *at, const char *where)
{
    static const char *const known[] = {
        "id",       "name",      "template_args", "source",  "line", "column",      "hash",
        "cpu",      "params",    "outcome",       "rkernel", "uses", "max_threads", "min_blocks",
        "launches", "resources", "diagnostics",   "phase",   NULL};
    only_members(r, at, where, known);
    rk_kernel k = {.id = string(r, at, where, "id"),
                   .name = string(r, at, where, "name"),
                   .source = string(r, at, where, "source"),
                   .line = (int)integer(r, at, where, "line", 1, -1),
                   .column = (int)integer(r, at, where, "column", 1, -1),
                   .hash = string(r, at, where, "hash")};
    k.template_args =
        strings(r, array(r, at, where, "template_args", true),
                rk_arena_printf(r->arena, "%s.template_args", where), &k.template_arg_count, false);
    k.outcome = (rk_outcome)one_of(r, string(r, at, where, "outcome"), where, "outcome",
                                   rk_catalog_outcomes, RK_REFUSED_KERNEL + 1);
    k.max_threads = (int)integer(r, at, where, "max_threads", 0, 0);
    k.min_blocks = (int)integer(r, at, where, "min_blocks", 0, 0);
    check_id(r, &k, where);
    check_hash(r, &k, where);
    read_phase(&k, r, at, where);
    read_rkernel(&k, r, at, where);
    k.params = read_params(r, at, where, &k.param_count, true);
    read_uses(&k.uses, r, at, where);
    read_cpu(&k, r, at, where);
    read_launches(&k, r, at, where);
    read_resources(&k, r, at, where);
    read_diagnostics(&k, r, at, where);
    return k;
}

static void check_unique(reader *r, const rk_catalog *catalog)
{
    for (size_t i = 1; i < catalog->kernel_count; i++)
        if (strcmp(catalog->kernels[i - 1].id, catalog->kernels[i].id) == 0)
            fail(r, "kernels", NULL,
                 rk_arena_printf(r->arena, "the id '%s' is there twice", catalog->kernels[i].id));
}

static void read_kernels(rk_catalog *catalog, reader *r)
{
    static const char *const known[] = {"schema", "kernels", NULL};
    only_members(r, r->json->root, "", known);
    const cJSON *items = array(r, r->json->root, "", "kernels", true);
    rk_kernel *kernels = RK_NEW_ARRAY(r->arena, rk_kernel, length(items) + 1);
    size_t n = 0;
    for (const cJSON *c = items ? items->child : NULL; c; c = c->next, n++) {
        const char *where;
        kernels[n].id = "";
        if (item_place(&where, r, c, "", "kernels", n))
            kernels[n] = read_kernel(r, c, where);
    }
    qsort(kernels, n, sizeof *kernels, rk_catalog_compare_kernels);
    catalog->kernels = kernels;
    catalog->kernel_count = n;
    if (r->ok)
        check_unique(r, catalog);
}

const rk_catalog *rk_catalog_parse(const char *text, size_t size, const char *path, rk_arena *arena,
                                   rk_diag *diag)
{
    rk_json json;
    if (!rk_json_parse(&json, text, size, rk_arena_strdup(arena, path), RK_CATALOG_SCHEMA, arena,
                       diag))
        return NULL;
    rk_catalog *catalog = RK_NEW(arena, rk_catalog);
    catalog->folder = rk_path_dir(arena, path);
    catalog->hash = rk_hash(text, size, 0);
    reader r = {.json = &json, .arena = arena, .ok = true};
    read_kernels(catalog, &r);
    return r.ok ? catalog : NULL;
}

const rk_catalog *rk_catalog_read(const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_bytes bytes;
    return rk_file_read(&bytes, path, arena, diag)
               ? rk_catalog_parse(bytes.data, bytes.size, path, arena, diag)
               : NULL;
}
