#include "rkconvert_bind.h"
#include "rkconvert_tool.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/vec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: rkconvert bind KERNEL --op OP [--catalog FILE|DIR] [--launcher F] [-o FILE]\n"
    "       rkconvert bind --check [KERNEL] [--catalog FILE|DIR]\n"
    "\n"
    "Writes the binding by which KERNEL, an id of the catalog (default: that of this folder), runs nodes of OP. Values\n"
    "for the launching function's parameters are looked for: those with which the kernel gives what the op's definition\n"
    "gives, on random shapes, extents of 1 and odd ones among them. What an rTask touches (\"access\") is left to you.\n"
    "FILE is <kernel>.bind.json beside the catalog by default, where `rammer --catalog` finds it.\n"
    "\n"
    "--check tries the bindings that lie beside the catalog in the same way.\n"
    "\n"
    "exit: 0; 1 nothing gives the op's results, or a binding does not; 2 usage or input errors\n";

enum { CASES = 3000, KEPT = 12, LEAST = 3, MOST_TRIES = 40000, MOST_VALUES = 40, MOST_PARAMS = 16 };

typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    const char *kernel, *op, *catalog, *launcher, *output;
    bool check;
    bind_world world;
    const rk_op *definition;
    const rk_launch *launch;
    RK_VEC(bind_case) cases;
} command;

static bool read_command(command *c, int argc, char **argv)
{
    for (int i = 1, taken; i < argc; i += taken) {
        const char *value = NULL;
        const char **into = NULL;
        const struct {
            const char *name;
            const char **to;
        } options[] = {{"--op", &c->op},
                       {"--catalog", &c->catalog},
                       {"--launcher", &c->launcher},
                       {"-o", &c->output}};
        taken = 0;
        for (size_t k = 0; !taken && k < sizeof options / sizeof *options; k++)
            if ((taken = rk_tool_option(&value, options[k].name, argc, argv, i)))
                into = options[k].to;
        if (taken && !value)
            return rk_diag_add(c->diag, RK_ERROR, "RK-U002", (rk_place){0}, NULL,
                               "%s needs a value", argv[i]);
        if (taken) {
            *into = value;
            continue;
        }
        taken = 1;
        if (strcmp(argv[i], "--check") == 0)
            c->check = true;
        else if (argv[i][0] == '-' || c->kernel)
            return rk_diag_add(c->diag, RK_ERROR, "RK-U001", (rk_place){0},
                               "see rkconvert bind --help", "'%s' is not expected here", argv[i]);
        else
            c->kernel = argv[i];
    }
    return c->check || (c->kernel && c->op) ||
           rk_diag_add(c->diag, RK_ERROR, "RK-U003", (rk_place){0}, "see rkconvert bind --help",
                       "name the kernel, and with --op what it computes");
}

/* What is bound. */

static bool find_op(command *c, const char *name)
{
    c->definition = rk_op_find(name);
    if (c->definition && c->definition->eval)
        return true;
    const char **names = RK_NEW_ARRAY(c->arena, const char *, rk_op_count + 1);
    for (size_t i = 0; i < rk_op_count; i++)
        names[i] = rk_ops[i]->name;
    const char *near = rk_str_nearest(name, names, rk_op_count);
    return rk_diag_add(c->diag, RK_ERROR, "RK-U004", (rk_place){0},
                       near ? rk_arena_printf(c->arena, "did you mean '%s'?", near)
                            : "`rammer list ops` shows what there is",
                       "unknown op '%s'", name);
}

static bool find_kernel(command *c, const char *id, const char *launcher)
{
    const rk_catalog *catalog = c->world.catalog;
    const char **ids = RK_NEW_ARRAY(c->arena, const char *, catalog->kernel_count + 1);
    for (size_t i = 0; i < catalog->kernel_count; i++)
        ids[i] = catalog->kernels[i].id;
    c->world.kernel = rk_catalog_find(catalog, id);
    const char *near = c->world.kernel ? NULL : rk_str_nearest(id, ids, catalog->kernel_count);
    if (!c->world.kernel)
        return rk_diag_add(c->diag, RK_ERROR, "RK-B001", rk_place_file(catalog->folder),
                           near ? rk_arena_printf(c->arena, "did you mean '%s'?", near) : NULL,
                           "the catalog has no kernel '%s'", id);
    const rk_place place = rk_place_object(c->arena, catalog->folder, "kernel", id);
    if (!c->world.kernel->cpu_library)
        return rk_diag_add(c->diag, RK_ERROR, "RK-M101", place, "convert it without --no-cpu",
                           "it is not compiled for the CPU, on which bindings are tried");
    c->launch = rk_kernel_launch(c->world.kernel, launcher);
    if (c->launch && c->launch->resolved && c->launch->param_count <= MOST_PARAMS)
        return true;
    return rk_diag_add(c->diag, RK_ERROR, "RK-B002", place,
                       "name a function that launches the kernel once with --launcher",
                       c->launch ? "the launch by '%s' is not resolved"
                                 : "no single launch of it is known%s",
                       c->launch ? c->launch->function : "");
}

static bool is_stream(const rk_param *param)
{
    return strstr(param->type, "cudaStream_t") || strstr(param->type, "CUstream");
}

/** Whether the launching function's pointer goes where the kernel writes. */
static bool is_written(const command *c, const rk_param *param)
{
    const size_t length = strlen(param->name);
    for (size_t i = 0; i < c->launch->arg_count && i < c->world.kernel->param_count; i++) {
        const char *arg = c->launch->args[i];
        if (arg && strncmp(arg, param->name, length) == 0 &&
            !strchr("_.", arg[length] ? arg[length] : '+'))
            return c->world.kernel->params[i].role != RK_ROLE_READ;
    }
    return false;
}

/** Types of the op's operands: those of the kernel's pointers, which read and write in the op's order. */
static void find_types(const command *c, rk_dtype *types)
{
    size_t inputs = 0, outputs = 0, at[2] = {0, 0};
    while (c->definition->inputs[inputs])
        inputs++;
    while (c->definition->outputs[outputs])
        outputs++;
    for (size_t i = 0; i < inputs + outputs; i++)
        types[i] = RK_F32;
    for (size_t i = 0; i < c->launch->param_count; i++) {
        const rk_param *p = &c->launch->params[i];
        if (!p->pointer || is_stream(p) || p->dtype == RK_DTYPE_NONE)
            continue;
        const bool written = is_written(c, p);
        const size_t slot = at[written]++;
        if (slot < (written ? outputs : inputs))
            types[written ? inputs + slot : slot] = p->dtype;
    }
}

/** Random cases, those of one key together, and of each key the first few. */
static void make_cases(command *c)
{
    rk_dtype types[2 * BIND_MOST_OPERANDS];
    find_types(c, types);
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        bind_case one;
        size_t same = 0;
        if (!bind_case_make(&one, c->definition, types, seed, c->arena))
            continue;
        for (size_t i = 0; i < c->cases.count; i++)
            same += strcmp(c->cases.items[i].key, one.key) == 0;
        if (same < KEPT)
            *rk_push(c->arena, &c->cases) = one;
    }
}

/* Values. */

typedef RK_VEC(const char *) text_vec;

/** A case whose extents are large and differ, which tells expressions apart, of this key. */
static const bind_case *first_of(const command *c, const char *key)
{
    for (size_t i = 0; i < c->cases.count; i++)
        if (strcmp(c->cases.items[i].key, key) == 0)
            return &c->cases.items[i];
    return NULL;
}

static const rk_tensor *operand(const bind_case *test, size_t slot)
{
    return slot < test->call.in_count ? test->call.in[slot]
                                      : test->call.out[slot - test->call.in_count];
}

static const char *operand_name(const command *c, const bind_case *test, size_t slot)
{
    return slot < test->call.in_count
               ? bind_operand_name(c->definition->inputs[slot], c->arena)
               : bind_operand_name(c->definition->outputs[slot - test->call.in_count], c->arena);
}

/** Expressions that a scalar may be: extents, numbers of elements and of rows, attributes, 1 and 0. */
static text_vec values_for(command *c, const bind_case *test, bool real)
{
    text_vec out = {0};
    for (const rk_attr_spec *a = c->definition->attrs; a && a->name; a++)
        if (a->type == (real ? RK_ATTR_REAL : RK_ATTR_INT))
            *rk_push(c->arena, &out) = a->name;
    for (size_t s = 0; !real && s < test->call.in_count + test->call.out_count; s++) {
        const rk_tensor *t = operand(test, s);
        const char *name = t ? operand_name(c, test, s) : NULL;
        if (!t)
            continue;
        *rk_push(c->arena, &out) = rk_arena_printf(c->arena, "size(%s)", name);
        if (t->rank > 2)
            *rk_push(c->arena, &out) =
                rk_arena_printf(c->arena, "size(%s) / dim(%s, -1)", name, name);
        for (int d = 0; t->rank > 1 && d < t->rank; d++)
            *rk_push(c->arena, &out) = rk_arena_printf(c->arena, "dim(%s, %d)", name, d);
    }
    *rk_push(c->arena, &out) = "1";
    *rk_push(c->arena, &out) = "0";
    return out;
}

/** What each parameter of the launching function may be. */
typedef struct {
    text_vec of[MOST_PARAMS];
    size_t tries;
} choices;

static choices choices_for(command *c, const bind_case *test)
{
    choices out = {.tries = 1};
    for (size_t i = 0; i < c->launch->param_count; i++) {
        const rk_param *p = &c->launch->params[i];
        text_vec *of = &out.of[i];
        if (is_stream(p))
            *rk_push(c->arena, of) = "0";
        else if (!p->pointer)
            *of = values_for(c, test, rk_dtype_is_float(p->dtype));
        for (size_t s = 0;
             p->pointer && !is_stream(p) && s < test->call.in_count + test->call.out_count; s++) {
            const rk_tensor *t = operand(test, s);
            if (t && t->dtype == p->dtype && (s >= test->call.in_count) == is_written(c, p))
                *rk_push(c->arena, of) = operand_name(c, test, s);
        }
        if (p->pointer && !is_written(c, p) && !is_stream(p))
            *rk_push(c->arena, of) = "nullptr";
        out.tries = of->count && out.tries < MOST_TRIES ? out.tries * of->count : out.tries;
    }
    return out;
}

/** The binding of a try: which of its choices each parameter is, as digits of a number. */
static rk_binding binding_of(command *c, const choices *from, size_t number, const char *when,
                             rk_arena *arena)
{
    rk_binding_arg *args = RK_NEW_ARRAY(arena, rk_binding_arg, c->launch->param_count + 1);
    for (size_t i = 0; i < c->launch->param_count; i++) {
        const text_vec *of = &from->of[i];
        args[i] = (rk_binding_arg){c->launch->params[i].name,
                                   of->count ? of->items[number % of->count] : "0"};
        number = of->count ? number / of->count : number;
    }
    return (rk_binding){.op = c->definition->name,
                        .kernel = c->world.kernel->id,
                        .launcher = c->launch->function,
                        .when = when,
                        .args = args,
                        .arg_count = c->launch->param_count};
}

/** Whether one operand is named twice, or one that is there is not named: not what a person means. */
static bool odd(const rk_binding *b, const command *c, const bind_case *test)
{
    for (size_t s = 0; s < test->call.in_count + test->call.out_count; s++) {
        size_t times = 0;
        const char *name = operand_name(c, test, s);
        for (size_t i = 0; i < b->arg_count; i++)
            times += c->launch->params[i].pointer && strcmp(b->args[i].value, name) == 0;
        if (times != (operand(test, s) != NULL))
            return true;
    }
    return false;
}

/* Tries, in a process of their own: what a wrong value makes of a kernel may end it. */

/** What a process that tries has come to. */
typedef struct {
    volatile size_t at, found; /**< found: the try that is good, plus 1 */
} place;

/** Whether the results show anything of the extents: where there is one element, any size that is 1 will do. */
static bool tells(const bind_case *test)
{
    return rk_tensor_elements(operand(test, test->call.in_count)) > 1;
}

static bool passes(command *c, const rk_binding *b, const char *key)
{
    bool any = false;
    for (size_t i = 0; i < c->cases.count; i++) {
        if (key && strcmp(c->cases.items[i].key, key) != 0)
            continue;
        const bind_end end = bind_try(&c->world, b, &c->cases.items[i]);
        if (end == BIND_OTHER || (key && !b->when && end == BIND_UNFIT))
            return false;
        any |= end == BIND_SAME && tells(&c->cases.items[i]);
    }
    return any;
}

static void try_from(command *c, place *p, const choices *from, const char *key, const char *when)
{
    const bind_case *test = first_of(c, key);
    for (; p->at < from->tries && p->at < MOST_TRIES; p->at++) {
        rk_arena *scratch = rk_arena_new();
        const rk_binding b = binding_of(c, from, p->at, when, scratch);
        alarm(5);
        if (!odd(&b, c, test) && passes(c, &b, key)) {
            p->found = p->at + 1;
            _exit(0);
        }
        rk_arena_free(scratch);
    }
    _exit(0);
}

/** The first try with which the cases of the key, under the condition, all give the op's results; 0: none. */
static size_t search(command *c, const choices *from, const char *key, const char *when)
{
    place *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 0;
    *p = (place){0, 0};
    for (bool again = true; again; p->at++) {
        int status = 0;
        fflush(NULL);
        const pid_t pid = fork();
        if (pid == 0)
            try_from(c, p, from, key, when);
        again = pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
    }
    const size_t found = p->found;
    munmap(p, sizeof *p);
    return found;
}

/** Whether a binding gives the op's results on one case; a process that ends is none. */
static bind_end try_alone(command *c, const rk_binding *b, const bind_case *test)
{
    int status = 0;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(10);
        _exit((int)bind_try(&c->world, b, test));
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return BIND_OTHER;
    return (bind_end)WEXITSTATUS(status);
}

/* The binding that is written. */

/** `size(A) == size(C)` of all operands with the first output: what an elementwise kernel needs. */
static const char *same_sizes(const command *c, const bind_case *test)
{
    rk_str out = {.arena = c->arena};
    const char *result = operand_name(c, test, test->call.in_count);
    for (size_t s = 0; s < test->call.in_count; s++)
        if (operand(test, s))
            rk_str_addf(&out, "%ssize(%s) == size(%s)", out.length ? " && " : "",
                        operand_name(c, test, s), result);
    return rk_str_text(&out);
}

/** The types of the operands that the binding names, and the defaults of attributes that it does not. */
static void add_conditions(rk_str *out, const command *c, const rk_binding *b,
                           const bind_case *test)
{
    for (size_t s = 0; s < test->call.in_count; s++)
        if (operand(test, s))
            rk_str_addf(out, "%sdtype(%s) == %s", out->length ? " && " : "",
                        operand_name(c, test, s), rk_dtype_name(operand(test, s)->dtype));
    for (size_t s = 0; s < test->call.in_count; s++)
        if (strchr(c->definition->inputs[s], '?'))
            rk_str_addf(out, " && %shas(%s)", operand(test, s) ? "" : "!",
                        operand_name(c, test, s));
    for (const rk_attr_spec *a = c->definition->attrs; a && a->name; a++) {
        bool used = false;
        for (size_t i = 0; i < b->arg_count; i++)
            used |= strcmp(b->args[i].value, a->name) == 0;
        if (used)
            continue;
        if (a->type == RK_ATTR_INT)
            rk_str_addf(out, " && %s == %lld", a->name, (long long)a->i);
        else if (a->type == RK_ATTR_REAL)
            rk_str_addf(out, " && %s == %.17g", a->name, a->d);
        else if (a->type == RK_ATTR_STRING && a->s && *a->s)
            rk_str_addf(out, " && is(%s, %s)", a->name, a->s);
        else if (a->type == RK_ATTR_INTS)
            rk_str_addf(out, " && at(%s, 0, -987654321) == -987654321", a->name);
    }
}

/** A condition that holds of the key's ranks alone. */
static const char *ranks_of(const command *c, const bind_case *test)
{
    rk_str out = {.arena = c->arena};
    for (size_t s = 0; s < test->call.in_count; s++)
        if (operand(test, s))
            rk_str_addf(&out, "%srank(%s) == %d", out.length ? " && " : "",
                        operand_name(c, test, s), operand(test, s)->rank);
    return rk_str_text(&out);
}

typedef struct {
    size_t same, other;
} count;

/** Which keys a binding holds for, as a condition on ranks; NULL for all of them. `tried` counts the good cases. */
static const char *ranks_that_hold(command *c, const rk_binding *b, count *tried)
{
    rk_str out = {.arena = c->arena};
    bool every = true;
    for (size_t i = 0; i < c->cases.count; i++) {
        const char *key = c->cases.items[i].key;
        count of = {0, 0};
        if (first_of(c, key) != &c->cases.items[i])
            continue;
        for (size_t k = i; k < c->cases.count; k++) {
            if (strcmp(c->cases.items[k].key, key) != 0)
                continue;
            const bind_end end = try_alone(c, b, &c->cases.items[k]);
            of.same += end == BIND_SAME;
            of.other += end == BIND_OTHER;
        }
        every &= of.other == 0;
        if (of.other || !of.same)
            continue;
        tried->same += of.same;
        rk_str_addf(&out, "%s%s", out.length ? " || " : "", ranks_of(c, &c->cases.items[i]));
    }
    return every ? NULL : rk_str_text(&out);
}

static bool write_binding(command *c, const rk_binding *b)
{
    rk_bytes nothing;
    const char *path = c->output;
    if (!path) {
        char *name = rk_arena_strdup(c->arena, b->kernel);
        name[strcspn(name, "< ,>")] = '\0';
        path = rk_path_join(c->arena, *c->world.catalog->folder ? c->world.catalog->folder : ".",
                            rk_arena_printf(c->arena, "%s.bind.json", name));
    }
    if (rk_file_exists(path) && rk_file_read(&nothing, path, c->arena, rk_diag_new(c->arena)))
        return rk_diag_add(c->diag, RK_ERROR, "RK-U005", rk_place_file(path),
                           "name another file with -o, or remove it", "the file is there already");
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", RK_BINDING_SCHEMA);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "bindings"), o);
    cJSON_AddStringToObject(o, "op", b->op);
    cJSON_AddStringToObject(o, "kernel", b->kernel);
    cJSON_AddStringToObject(o, "launcher", b->launcher);
    cJSON_AddStringToObject(o, "when", b->when);
    cJSON *args = cJSON_AddObjectToObject(o, "args");
    for (size_t i = 0; i < b->arg_count; i++)
        if (strcmp(b->args[i].value, "nullptr") == 0)
            cJSON_AddNullToObject(args, b->args[i].param);
        else if (!is_stream(&c->launch->params[i]))
            cJSON_AddStringToObject(args, b->args[i].param, b->args[i].value);
    bool good = rk_json_write(path, root, c->arena, c->diag);
    cJSON_Delete(root);
    if (good)
        printf("written to %s\n", path);
    return good;
}

/** Keys in the order in which they are searched: matrices first, which most kernels are of, then higher ranks. */
static int key_order(const char *key)
{
    int highest = 0, lowest = 9;
    for (; *key; key++) {
        if (*key < '1' || *key > '9')
            continue;
        highest = *key - '0' > highest ? *key - '0' : highest;
        lowest = *key - '0' < lowest ? *key - '0' : lowest;
    }
    return highest == 2 && lowest == 2 ? 0 : 1 + 10 * (4 - lowest) + (4 - highest);
}

static int by_key(const void *a, const void *b)
{
    const bind_case *x = a, *y = b;
    const int order = key_order(x->key) - key_order(y->key);
    return order ? order : strcmp(x->key, y->key);
}

/** Completes what was found: the weakest condition under which it holds, and on how many shapes it did. */
static bool finish(command *c, rk_binding *b, const bind_case *test, const char *sizes)
{
    count tried = {0, 0};
    rk_str when = {.arena = c->arena};
    add_conditions(&when, c, b, test);
    if (sizes)
        rk_str_addf(&when, " && %s", sizes);
    b->when = rk_str_text(&when);
    const char *ranks = ranks_that_hold(c, b, &tried);
    if (ranks)
        b->when = rk_arena_printf(c->arena, "%s && (%s)", b->when, ranks);
    printf("%s by %s: as the op's definition on %zu random shapes\n", b->op, b->kernel, tried.same);
    for (size_t i = 0; i < b->arg_count; i++)
        if (!is_stream(&c->launch->params[i]))
            printf("  %s = %s\n", b->args[i].param, b->args[i].value);
    printf("  when %s\n", b->when);
    return write_binding(c, b);
}

static bool bind(command *c)
{
    const char *last = NULL;
    make_cases(c);
    if (c->cases.count)
        qsort(c->cases.items, c->cases.count, sizeof *c->cases.items, by_key);
    for (int elementwise = 0; elementwise < 2; elementwise++, last = NULL)
        for (size_t i = 0; i < c->cases.count; i++) {
            const bind_case *test = &c->cases.items[i];
            if (last && strcmp(last, test->key) == 0)
                continue;
            last = test->key;
            const char *sizes = elementwise ? same_sizes(c, test) : NULL;
            const choices from = choices_for(c, test);
            const size_t found = search(c, &from, test->key, sizes);
            if (!found)
                continue;
            rk_binding b = binding_of(c, &from, found - 1, NULL, c->arena);
            return finish(c, &b, test, sizes);
        }
    const choices from = {.tries = 1};
    rk_binding frame = binding_of(c, &from, 0, "false", c->arena);
    rk_diag_add(
        c->diag, RK_ERROR, "RK-B008",
        rk_place_object(c->arena, c->world.catalog->folder, "kernel", c->world.kernel->id),
        "give the values in the file that was written, and its condition, and try it with --check",
        "no values of '%s' were found with which it is %s", c->launch->function,
        c->definition->name);
    write_binding(c, &frame);
    return false;
}

/* Bindings that are there. */

static bool check(command *c)
{
    const rk_bindings *all =
        rk_bindings_read(*c->world.catalog->folder ? c->world.catalog->folder : ".",
                         c->world.catalog, c->arena, c->diag);
    bool good = all != NULL;
    for (size_t i = 0; all && i < all->count; i++) {
        const rk_binding *b = &all->items[i];
        count tried = {0, 0};
        if (c->kernel && strcmp(c->kernel, b->kernel) != 0)
            continue;
        if (!find_op(c, b->op) || !find_kernel(c, b->kernel, b->launcher)) {
            good = false;
            continue;
        }
        c->cases.count = 0;
        make_cases(c);
        for (size_t k = 0; k < c->cases.count; k++) {
            const bind_end end = try_alone(c, b, &c->cases.items[k]);
            tried.same += end == BIND_SAME;
            tried.other += end == BIND_OTHER;
        }
        printf("%s by %s: %zu of %zu random shapes\n", b->op, b->kernel, tried.same,
               tried.same + tried.other);
        if (tried.other || !tried.same)
            good = rk_diag_add(c->diag, RK_ERROR, "RK-B007", b->place,
                               tried.other
                                   ? "correct the values or the condition"
                                   : "its condition holds for none of the shapes that were tried",
                               "'%s' does not give the results of %s", b->kernel, b->op);
    }
    return good;
}

int rk_tool_bind(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    rk_arena *arena = rk_arena_new();
    command c = {.arena = arena, .diag = rk_diag_new(arena)};
    int status = 2;
    if (read_command(&c, argc, argv)) {
        const char *path = c.catalog ? c.catalog : "catalog.json";
        if (rk_file_is_dir(path))
            path = rk_path_join(arena, path, "catalog.json");
        c.world.catalog = rk_catalog_read(path, arena, c.diag);
        c.world.device = rk_device_read("cpu", rk_path_join(arena, rk_tool_home(arena), "devices"),
                                        arena, c.diag);
        if (c.world.catalog && c.world.device &&
            (c.check || (find_op(&c, c.op) && find_kernel(&c, c.kernel, c.launcher))))
            status = (c.check ? check(&c) : bind(&c)) ? 0 : 1;
    }
    rk_diag_print(c.diag, 0, stderr, isatty(STDERR_FILENO));
    rk_arena_free(arena);
    return status;
}
