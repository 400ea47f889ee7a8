#include "rkernel_lib/catalog/binding.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/vec.h"
#include "rkernel_lib/catalog/expr.h"

#include <string.h>

typedef RK_VEC(rk_binding) binding_list;

/** One binding being read. */
typedef struct {
    const rk_json *json;
    rk_arena *arena;
    const char *where; /**< "bindings[3]" */
    bool ok;
} reader;

static void fail(reader *r, const char *code, const char *hint, const char *message)
{
    rk_json_fail(r->json, code, r->where, hint, "%s", message);
    r->ok = false;
}

static const char *required(reader *r, const cJSON *at, const char *member)
{
    const char *value = NULL;
    if (!rk_json_string(&value, r->json, at, r->where, member))
        r->ok = false;
    else if (*value == '\0')
        fail(r, "RK-B004", NULL, rk_arena_printf(r->arena, "\"%s\" is empty", member));
    return value ? value : "";
}

static void only_members(reader *r, const cJSON *at, const char *const *known, size_t count)
{
    for (const cJSON *c = at->child; c; c = c->next) {
        bool found = false;
        for (size_t i = 0; i < count && !found; i++)
            found = strcmp(known[i], c->string) == 0;
        const char *near = found ? NULL : rk_str_nearest(c->string, known, count);
        if (!found)
            fail(r, "RK-B004", near ? rk_arena_printf(r->arena, "did you mean '%s'?", near) : NULL,
                 rk_arena_printf(r->arena, "the member '%s' is not known", c->string));
    }
}

static const rk_expr *expression(reader *r, const char *text, const char *member)
{
    rk_place place = {.file = r->json->file,
                      .object = rk_arena_printf(r->arena, "%s.%s", r->where, member)};
    const rk_expr *e = rk_expr_parse(text, place, r->arena, r->json->diag);
    r->ok = r->ok && e;
    return e;
}

static bool is_stream(const rk_param *param)
{
    return strstr(param->type, "cudaStream_t") || strstr(param->type, "CUstream");
}

static const rk_param *find_param(const rk_launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->param_count; i++)
        if (strcmp(launch->params[i].name, name) == 0)
            return &launch->params[i];
    return NULL;
}

static void unknown_param(reader *r, const rk_launch *launch, const char *name)
{
    const char **names = RK_NEW_ARRAY(r->arena, const char *, launch->param_count + 1);
    for (size_t i = 0; i < launch->param_count; i++)
        names[i] = launch->params[i].name;
    const char *near = rk_str_nearest(name, names, launch->param_count);
    fail(r, "RK-B003", near ? rk_arena_printf(r->arena, "did you mean '%s'?", near) : NULL,
         rk_arena_printf(r->arena, "'%s' has no parameter '%s'", launch->function, name));
}

/** What stands for a value: an expression, or a constant of JSON's own; NULL for a list or an object. */
static const char *value_text(const cJSON *item, rk_arena *arena)
{
    if (cJSON_IsString(item))
        return item->valuestring;
    if (cJSON_IsNull(item))
        return "nullptr";
    if (cJSON_IsBool(item))
        return cJSON_IsTrue(item) ? "true" : "false";
    if (!cJSON_IsNumber(item))
        return NULL;
    char *printed = cJSON_PrintUnformatted(item);
    const char *text = rk_arena_strdup(arena, printed);
    cJSON_free(printed);
    return text;
}

static bool is_null(const char *value)
{
    return strcmp(value, "nullptr") == 0 || strcmp(value, "NULL") == 0 || strcmp(value, "0") == 0;
}

static void read_arg(reader *r, rk_binding_arg *out, const cJSON *item, const char *name,
                     const char *of, const rk_launch *launch)
{
    const char *text = value_text(item, r->arena);
    *out = (rk_binding_arg){.param = name, .value = text ? text : ""};
    if (!text) {
        fail(r, "RK-B003", "give an expression as a string, a number, true, false or null",
             rk_arena_printf(r->arena, "the value of '%s' is a list or an object", item->string));
        return;
    }
    char *member = rk_arena_printf(r->arena, "%s.%s", of, item->string);
    const rk_expr *value = expression(r, text, member);
    const rk_param *param = launch ? find_param(launch, name) : NULL;
    if (launch && !param)
        unknown_param(r, launch, name);
    if (value && param && param->pointer && !is_stream(param) && !is_null(text) &&
        !rk_expr_name(value))
        fail(r, "RK-B003", "name an operand of the op, or give null",
             rk_arena_printf(r->arena, "'%s' is a pointer and '%s' is no operand", param->name,
                             text));
    if (value && param && !param->pointer && cJSON_IsNull(item))
        fail(r, "RK-B003", "give it a value",
             rk_arena_printf(r->arena, "'%s' is no pointer, and cannot be null", param->name));
}

static void check_all_bound(reader *r, const rk_binding *b, const rk_launch *launch)
{
    for (size_t i = 0; i < launch->param_count; i++) {
        const rk_param *param = &launch->params[i];
        size_t times = 0;
        for (size_t j = 0; j < b->arg_count; j++)
            times += strcmp(b->args[j].param, param->name) == 0;
        const bool none = is_stream(param) || (param->dtype == RK_DTYPE_NONE && !param->pointer);
        if (times != 1 && !(times == 0 && none)) /* an object has no value; an expression of it fails */
            fail(r, "RK-B003", "give each parameter of the launching function one value",
                 rk_arena_printf(r->arena, "the parameter '%s' of '%s' is bound %zu times",
                                 param->name, launch->function, times));
    }
}

/** The members of a binding that give values, and what is in front of the parameters' names that they are for. */
static const struct {
    const char *member, *prefix;
} values[] = {{"args", ""}, {"inputs", ""}, {"kernel_args", "kernel."}};
enum { VALUES = sizeof values / sizeof *values };

static void read_args(reader *r, rk_binding *b, const cJSON *at, const rk_launch *launch)
{
    RK_VEC(rk_binding_arg) all = {0};
    for (size_t i = 0; i < VALUES; i++) {
        const cJSON *args = NULL;
        if (i > 0 && !cJSON_GetObjectItemCaseSensitive(at, values[i].member))
            continue;
        if (!rk_json_object(&args, r->json, at, r->where, values[i].member)) {
            r->ok = false;
            continue;
        }
        for (const cJSON *c = args->child; c; c = c->next) {
            const char *param = rk_arena_printf(r->arena, "%s%s", values[i].prefix, c->string);
            read_arg(r, rk_push(r->arena, &all), c, param, values[i].member, launch);
        }
    }
    b->args = all.items;
    b->arg_count = all.count;
    if (launch)
        check_all_bound(r, b, launch);
}

/** The kernel if the catalog has it converted, else NULL. */
static const rk_kernel *converted(const rk_catalog *catalog, const char *id)
{
    const rk_kernel *kernel = rk_catalog_find(catalog, id);
    return kernel && kernel->outcome != RK_REFUSED_KERNEL ? kernel : NULL;
}

static const rk_kernel *find_kernel(reader *r, const rk_binding *b, const rk_catalog *catalog)
{
    const rk_kernel *kernel = converted(catalog, b->kernel);
    if (kernel || *b->kernel == '\0')
        return kernel;
    if (rk_catalog_find(catalog, b->kernel)) {
        fail(r, "RK-B001", "see the diagnostics of the conversion",
             rk_arena_printf(r->arena, "the kernel '%s' was refused by the converter", b->kernel));
        return NULL;
    }
    const char **ids = RK_NEW_ARRAY(r->arena, const char *, catalog->kernel_count + 1);
    for (size_t i = 0; i < catalog->kernel_count; i++)
        ids[i] = catalog->kernels[i].id;
    const char *near = rk_str_nearest(b->kernel, ids, catalog->kernel_count);
    fail(r, "RK-B001", near ? rk_arena_printf(r->arena, "did you mean '%s'?", near) : NULL,
         rk_arena_printf(r->arena, "the catalog has no kernel '%s'", b->kernel));
    return NULL;
}

static bool gives(const cJSON *at, const char *member, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(at, member), name);
}

/** The first of the launch's inputs that has no value yet. A loop's last value is computed. */
static const rk_launch_input *open_input(const rk_launch *launch)
{
    for (size_t i = 0; i < launch->input_count; i++)
        if (launch->inputs[i].kind != RK_INPUT_AFTER)
            return &launch->inputs[i];
    return NULL;
}

/** The parameter of the kernel that the launch gives what is no expression; NULL when there is none. */
static const char *open_argument(const rk_kernel *kernel, const rk_launch *launch)
{
    for (size_t i = 0; i < launch->arg_count; i++)
        if (!launch->args[i])
            return i < kernel->param_count ? kernel->params[i].name : "...";
    return NULL;
}

/** Whether all of a launch is known, with what the binding gives; diagnoses it when not. */
static bool usable(reader *r, const rk_binding *b, const rk_kernel *kernel, const rk_launch *launch)
{
    size_t same = 0;
    for (size_t i = 0; i < kernel->launch_count; i++)
        same += strcmp(kernel->launches[i].function, launch->function) == 0;
    const rk_launch_input *input = open_input(launch);
    const char *argument = open_argument(kernel, launch);
    const char *hint = "bind a function that launches the kernel once, from its own parameters";
    const char *problem = NULL;
    if (!launch->resolved) {
        problem = rk_arena_printf(r->arena, "unresolved: %s", launch->reason);
    } else if (same > 1) {
        problem = "not the only one of this kernel in that function";
    } else if (input && input->kind == RK_INPUT_LOOP) {
        problem = rk_arena_printf(r->arena, "made once for each value of '%s'", input->name);
    } else if (input) {
        problem = rk_arena_printf(r->arena, "made with more than its parameters: '%s', which is %s",
                                  input->name, input->of);
        hint = rk_arena_printf(r->arena, "give its value: \"inputs\": {\"%s\": ...}", input->name);
    } else if (argument) {
        problem = rk_arena_printf(r->arena,
                                  "given something for '%s' that is no parameter of that function",
                                  argument);
        hint =
            rk_arena_printf(r->arena, "say what it is: \"kernel_args\": {\"%s\": ...}", argument);
    } else if (launch->when_partial && !b->when) {
        problem = "made under conditions that are no expressions of its parameters";
        hint = "say when it is right to make it: \"when\"";
    }
    if (problem)
        fail(r, "RK-B002", hint,
             rk_arena_printf(r->arena, "the launch of '%s' by '%s' (%s:%d) is %s", kernel->id,
                             launch->function, launch->file, launch->line, problem));
    return !problem;
}

/**
 * The launch as the binding makes it: inputs that it gives are parameters, and so is, as `kernel.<name>`, what it gives
 * for a parameter of the kernel to which the launch passes no expression.
 */
static const rk_launch *given_launch(reader *r, const cJSON *at, const rk_kernel *kernel,
                                     const rk_launch *launch)
{
    RK_VEC(rk_param) params = {0};
    RK_VEC(rk_launch_input) inputs = {0};
    const char **args = RK_NEW_ARRAY(r->arena, const char *, launch->arg_count + 1);
    for (size_t i = 0; i < launch->param_count; i++)
        *rk_push(r->arena, &params) = launch->params[i];
    for (size_t i = 0; i < launch->input_count; i++) {
        const rk_launch_input *input = &launch->inputs[i];
        if (input->kind == RK_INPUT_LOOP || !gives(at, "inputs", input->name))
            *rk_push(r->arena, &inputs) = *input;
        else
            *rk_push(r->arena, &params) = (rk_param){.name = input->name, .type = ""};
    }
    for (size_t i = 0; i < launch->arg_count; i++) {
        args[i] = launch->args[i];
        if (args[i] || i >= kernel->param_count ||
            !gives(at, "kernel_args", kernel->params[i].name))
            continue;
        args[i] = rk_arena_printf(r->arena, "kernel.%s", kernel->params[i].name);
        rk_param *param = rk_push(r->arena, &params);
        *param = kernel->params[i];
        param->name = args[i];
    }
    rk_launch *given = rk_arena_copy(r->arena, launch, sizeof *launch);
    given->params = params.items;
    given->param_count = params.count;
    given->inputs = inputs.items;
    given->input_count = inputs.count;
    given->args = args;
    return given;
}

const rk_launch *rk_binding_launch(const rk_binding *binding, const rk_kernel *kernel)
{
    return binding->launch ? binding->launch : rk_kernel_launch(kernel, binding->launcher);
}

static const rk_launch *find_launch(reader *r, const rk_binding *b, const cJSON *at,
                                    const rk_kernel *kernel)
{
    const rk_launch *launch = rk_kernel_launch(kernel, b->launcher);
    if (launch) {
        const rk_launch *given = given_launch(r, at, kernel, launch);
        return usable(r, b, kernel, given) ? given : NULL;
    }
    const char **names = RK_NEW_ARRAY(r->arena, const char *, kernel->launch_count + 1);
    for (size_t i = 0; i < kernel->launch_count; i++)
        names[i] = kernel->launches[i].function;
    const char *near =
        b->launcher ? rk_str_nearest(b->launcher, names, kernel->launch_count) : NULL;
    fail(r, "RK-B002",
         near          ? rk_arena_printf(r->arena, "did you mean '%s'?", near)
         : b->launcher ? NULL
                       : "name the launching function: \"launcher\"",
         b->launcher ? rk_arena_printf(r->arena, "'%s' is not launched by a function '%s'",
                                       kernel->id, b->launcher)
                     : rk_arena_printf(r->arena, "'%s' has %zu launches and not one", kernel->id,
                                       kernel->launch_count));
    return NULL;
}

static const rk_param *find_kernel_param(const rk_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->param_count; i++)
        if (strcmp(kernel->params[i].name, name) == 0)
            return &kernel->params[i];
    return NULL;
}

/** Names that an access uses, against those that it may use. */
typedef struct {
    reader *r;
    const rk_launch *launch;
    const char *param;
    bool block; /**< bx, by and bz are known; nx, ny and nz always are */
} name_check;

static void check_name(void *user, const char *name)
{
    const name_check *check = user;
    bool of_block = name[0] && name[1] >= 'x' && name[1] <= 'z' && name[2] == '\0';
    if (of_block && name[0] == 'n')
        return;
    if (of_block && name[0] == 'b' ? check->block : find_param(check->launch, name) != NULL)
        return;
    fail(check->r, "RK-B005",
         "use the launching function's parameters, nx, ny, nz and, in ranges, bx, by, bz",
         rk_arena_printf(check->r->arena, "the access to '%s' uses '%s'", check->param, name));
}

static const rk_expr *access_expression(reader *r, const cJSON *text, const name_check *names)
{
    if (!cJSON_IsString(text)) {
        fail(r, "RK-B005", "write numbers as strings, they are expressions",
             rk_arena_printf(r->arena, "the access to '%s' has something that is no string",
                             names->param));
        return NULL;
    }
    const char *member = rk_arena_printf(r->arena, "access.%s", names->param);
    const rk_expr *e = expression(r, text->valuestring, member);
    if (e && names->launch)
        rk_expr_names(e, check_name, (void *)(uintptr_t)names);
    return e;
}

static void read_access(reader *r, rk_binding_access *out, const cJSON *item,
                        const rk_kernel *kernel, const rk_launch *launch)
{
    size_t count = cJSON_IsArray(item) ? (size_t)cJSON_GetArraySize(item) : 0;
    *out = (rk_binding_access){.param = item->string};
    const rk_param *param = kernel ? find_kernel_param(kernel, item->string) : NULL;
    if (kernel && (!param || !param->pointer))
        fail(r, "RK-B005", "name a parameter of the kernel",
             rk_arena_printf(r->arena, "'%s' has no pointer '%s'", kernel->id, item->string));
    if (count < 1 || count > RK_MOST_SPANS) {
        fail(r, "RK-B005", "give an array of [extent, first, end], for 1 to 8 dimensions",
             rk_arena_printf(r->arena, "the access to '%s' has %s dimensions", item->string,
                             count ? "too many" : "no"));
        return;
    }
    rk_binding_span *dims = RK_NEW_ARRAY(r->arena, rk_binding_span, count);
    out->dims = dims;
    out->dim_count = count;
    for (size_t d = 0; d < count; d++) {
        const cJSON *dim = cJSON_GetArrayItem(item, (int)d);
        int parts = cJSON_IsArray(dim) ? cJSON_GetArraySize(dim) : 0;
        if (parts != 1 && parts != 3) {
            fail(r, "RK-B005", "write [extent], or [extent, first, end]",
                 rk_arena_printf(r->arena, "dimension %zu of the access to '%s' is no range", d,
                                 item->string));
            continue;
        }
        name_check names = {r, launch, item->string, false};
        dims[d].extent = access_expression(r, cJSON_GetArrayItem(dim, 0), &names);
        names.block = true;
        if (parts == 3) {
            dims[d].first = access_expression(r, cJSON_GetArrayItem(dim, 1), &names);
            dims[d].end = access_expression(r, cJSON_GetArrayItem(dim, 2), &names);
        }
    }
}

static void read_accesses(reader *r, rk_binding *b, const cJSON *at, const rk_kernel *kernel,
                          const rk_launch *launch)
{
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(at, "access");
    if (!items)
        return;
    if (!cJSON_IsObject(items)) {
        fail(r, "RK-B005", NULL, "\"access\" is no object");
        return;
    }
    size_t count = (size_t)cJSON_GetArraySize(items);
    rk_binding_access *all = RK_NEW_ARRAY(r->arena, rk_binding_access, count + 1);
    size_t n = 0;
    for (const cJSON *c = items->child; c; c = c->next)
        read_access(r, &all[n++], c, kernel, launch);
    b->access = all;
    b->access_count = n;
}

/** `kernel`: one of those that the binding is for; NULL: as it says. */
static rk_binding read_binding(reader *r, const cJSON *at, const char *kernel_id,
                               const rk_catalog *catalog)
{
    static const char *const known[] = {"op",     "kernel",      "launcher", "when", "args",
                                        "inputs", "kernel_args", "access"};
    only_members(r, at, known, sizeof known / sizeof *known);
    rk_binding b = {.op = required(r, at, "op"),
                    .kernel = required(r, at, "kernel"),
                    .place = {.file = r->json->file, .object = r->where}};
    if (kernel_id)
        b.kernel = kernel_id;
    if (!rk_json_string_or(&b.launcher, r->json, at, r->where, "launcher", NULL) ||
        !rk_json_string_or(&b.when, r->json, at, r->where, "when", NULL))
        r->ok = false;
    if (b.when)
        expression(r, b.when, "when");
    const rk_kernel *kernel = find_kernel(r, &b, catalog);
    const rk_launch *launch = kernel ? find_launch(r, &b, at, kernel) : NULL;
    b.launch = launch;
    read_args(r, &b, at, launch);
    read_accesses(r, &b, at, kernel, launch);
    return b;
}

/** Adds a binding, one for each kernel of a name that several sources have: the scheduler chooses among them. */
static void read_bindings(binding_list *out, reader *r, const cJSON *at, const rk_catalog *catalog)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(at, "kernel"));
    const size_t length = name ? strlen(name) : 0, before = out->count;
    for (size_t i = 0; length && !rk_catalog_find(catalog, name) && i < catalog->kernel_count;
         i++) {
        const rk_kernel *k = &catalog->kernels[i];
        if (strncmp(k->id, name, length) == 0 && k->id[length] == '@' &&
            k->outcome != RK_REFUSED_KERNEL)
            *rk_push(r->arena, out) = read_binding(r, at, k->id, catalog);
    }
    if (out->count == before)
        *rk_push(r->arena, out) = read_binding(r, at, NULL, catalog);
}

static bool read_file(binding_list *out, const char *path, const rk_catalog *catalog,
                      rk_arena *arena, rk_diag *diag)
{
    static const char *const known[] = {"schema", "bindings"};
    rk_json json;
    const cJSON *items;
    if (!rk_json_read(&json, path, RK_BINDING_SCHEMA, arena, diag))
        return false;
    reader file = {.json = &json, .arena = arena, .where = "", .ok = true};
    only_members(&file, json.root, known, sizeof known / sizeof *known);
    if (!rk_json_array(&items, &json, json.root, "", "bindings"))
        return false;
    bool ok = file.ok;
    size_t i = 0;
    for (const cJSON *c = items->child; c; c = c->next, i++) {
        reader r = {.json = &json, .arena = arena, .ok = true};
        r.where = rk_arena_printf(arena, "bindings[%zu]", i);
        if (!cJSON_IsObject(c)) {
            fail(&r, "RK-B004", NULL, "expected an object");
        } else {
            read_bindings(out, &r, c, catalog);
        }
        ok = ok && r.ok;
    }
    return ok;
}

const rk_bindings *rk_bindings_read(const char *folder, const rk_catalog *catalog, rk_arena *arena,
                                    rk_diag *diag)
{
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, folder, ".bind.json", arena, diag))
        return NULL;
    binding_list list = {0};
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        ok = read_file(&list, rk_path_join(arena, folder, names[i]), catalog, arena, diag) && ok;
    if (!ok)
        return NULL;
    rk_bindings *all = RK_NEW(arena, rk_bindings);
    *all = (rk_bindings){.items = list.items, .count = list.count};
    return all;
}
