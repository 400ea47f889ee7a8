#include "convert/sequence/sequence_graph.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** A tensor of the graph: what a buffer holds until the host sets it again, or a view of that. */
typedef struct {
    const char *name;
    size_t buffer;
    size_t of;      /**< the tensor that it is a view of, NONE */
    int64_t offset; /**< of a view, in elements */
    int64_t elements;
    bool content; /**< it is an input, or a node has written it */
    bool written; /**< by a node */
    bool used;    /**< by a node */
    bool input, output;
    bool unset; /**< an input that the program does not set */
} tensor;

/** A named operand of a node. */
typedef struct {
    const char *name;
    size_t tensor;
} operand;

typedef struct {
    const char *name, *kernel, *launcher;
    RK_VEC(operand) inputs, outputs;
    cJSON *attrs;
} node;

/** A launch that a kernel gets in the catalog. */
typedef struct {
    size_t kernel;
    rk_launch launch;
} added_launch;

typedef RK_VEC(const char *) phase_vec;

#define NONE RK_SEQUENCE_NONE

/** A graph on its way. */
typedef struct {
    rk_arena *arena;
    const rk_sequence *sequence;
    const rk_catalog *catalog;
    rk_dtype *dtypes; /**< of the buffers */
    size_t *current;  /**< tensor of each buffer */
    int *versions;    /**< tensors of each buffer so far */
    RK_VEC(tensor) tensors;
    RK_VEC(node) nodes;
    RK_VEC(added_launch) launches;
    bool copied_out; /**< the host has results */
    bool stopped;
    rk_place where;
    const char *why, *hint;
} maker;

bool rk_graph_copies(const rk_sequence *sequence)
{
    for (size_t i = 0; i < sequence->step_count; i++)
        if (sequence->steps[i].kind != RK_STEP_LAUNCH && sequence->steps[i].kind != RK_STEP_COPY_IN)
            return true;
    return false;
}

__attribute__((format(printf, 4, 5))) static bool stop(maker *m, const rk_step *step,
                                                       const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    m->why = rk_arena_vprintf(m->arena, format, args);
    va_end(args);
    m->stopped = true;
    m->where = step->place;
    m->hint = hint;
    return false;
}

/* Element types: what kernels take a buffer for. */

static bool set_dtype(maker *m, const rk_step *step, size_t buffer, rk_dtype dtype)
{
    if (m->dtypes[buffer] == RK_DTYPE_NONE)
        m->dtypes[buffer] = dtype;
    return dtype == RK_DTYPE_NONE || m->dtypes[buffer] == dtype ||
           stop(m, step, "a tensor has one element type",
                "'%s' is taken for %s here, and for %s before", m->sequence->buffers[buffer].name,
                rk_dtype_name(dtype), rk_dtype_name(m->dtypes[buffer]));
}

/** The kernel that a step launches: of those of one name, which have their sources in their ids, the one that is there. */
static const rk_kernel *kernel_of(const rk_catalog *catalog, const rk_step *step)
{
    const size_t length = strlen(step->kernel);
    const rk_kernel *found = rk_catalog_find(catalog, step->kernel);
    for (size_t i = 0; !found && step->defined.file && i < catalog->kernel_count; i++) {
        const rk_kernel *k = &catalog->kernels[i];
        if (strncmp(k->id, step->kernel, length) == 0 && k->id[length] == '@' &&
            k->line == step->defined.line &&
            strcmp(rk_path_base(k->source), rk_path_base(step->defined.file)) == 0)
            found = k;
    }
    return found;
}

static bool launch_dtypes(maker *m, const rk_step *step)
{
    const rk_kernel *kernel = kernel_of(m->catalog, step);
    if (!kernel || kernel->outcome == RK_REFUSED_KERNEL)
        return stop(m, step, NULL, "kernel '%s' is %s", step->kernel,
                    kernel ? "refused" : "not in the catalog");
    if (step->defined.file &&
        (kernel->line != step->defined.line ||
         strcmp(rk_path_base(kernel->source), rk_path_base(step->defined.file)) != 0))
        return stop(m, step, "give one of the two another name",
                    "kernel '%s' is that of %s:%d in the catalog", step->kernel, kernel->source,
                    kernel->line);
    if (kernel->param_count != step->arg_count)
        return stop(m, step, NULL, "the arguments of '%s' are not known", step->kernel);
    for (size_t i = 0; i < step->arg_count; i++) {
        const rk_param *p = &kernel->params[i];
        const size_t buffer = step->args[i].address.buffer;
        if (step->args[i].kind != RK_PASS_ADDRESS || buffer == NONE)
            continue;
        if (p->dtype == RK_DTYPE_NONE)
            return stop(m, step, "tensors are of numbers", "'%s' points to what is no number",
                        p->name);
        if (!set_dtype(m, step, buffer, p->dtype))
            return false;
    }
    return true;
}

/** The types of all buffers; returns how many steps come before the first that has none. */
static size_t find_dtypes(maker *m)
{
    const rk_sequence *s = m->sequence;
    size_t steps = 0;
    for (; steps < s->step_count; steps++)
        if (s->steps[steps].kind == RK_STEP_LAUNCH && !launch_dtypes(m, &s->steps[steps]))
            break;
    for (int round = 0; round < 2; round++) /* what is only copied has the type of its copy */
        for (size_t i = 0; i < steps; i++) {
            const rk_step *step = &s->steps[i];
            if (step->kind != RK_STEP_COPY)
                continue;
            if (!set_dtype(m, step, step->to.buffer, m->dtypes[step->from.buffer]) ||
                !set_dtype(m, step, step->from.buffer, m->dtypes[step->to.buffer]))
                return i;
        }
    for (size_t i = 0; i < s->buffer_count; i++)
        if (m->dtypes[i] == RK_DTYPE_NONE)
            m->dtypes[i] = RK_U8;
    return steps;
}

/* Tensors. */

static int64_t elements_of(const maker *m, size_t buffer)
{
    return m->sequence->buffers[buffer].bytes / (int64_t)rk_dtype_size(m->dtypes[buffer]);
}

/** A new tensor for what the buffer holds from now on. */
static size_t new_version(maker *m, size_t buffer)
{
    const char *name = m->sequence->buffers[buffer].name;
    const int version = ++m->versions[buffer];
    tensor *t = rk_push(m->arena, &m->tensors);
    *t = (tensor){.name = version == 1 ? name : rk_arena_printf(m->arena, "%s~%d", name, version),
                  .buffer = buffer,
                  .of = NONE,
                  .elements = elements_of(m, buffer)};
    m->current[buffer] = m->tensors.count - 1;
    return m->current[buffer];
}

/** The tensor of the buffer from an offset on, `bytes` of it or, with -1, up to its end. */
static bool tensor_at(size_t *out, maker *m, const rk_step *step, rk_address at, int64_t bytes)
{
    const rk_buffer *buffer = &m->sequence->buffers[at.buffer];
    const int64_t size = (int64_t)rk_dtype_size(m->dtypes[at.buffer]);
    const size_t whole =
        m->current[at.buffer] == NONE ? new_version(m, at.buffer) : m->current[at.buffer];
    if (bytes < 0)
        bytes = buffer->bytes - at.offset;
    if (at.offset < 0 || bytes <= 0 || at.offset + bytes > buffer->bytes || at.offset % size ||
        (bytes % size && at.offset + bytes != buffer->bytes))
        return stop(m, step, NULL, "%lld bytes at byte %lld are no elements of '%s'",
                    (long long)bytes, (long long)at.offset, buffer->name);
    *out = whole;
    if (bytes / size == m->tensors.items[whole].elements)
        return true;
    const int64_t offset = at.offset / size, elements = bytes / size;
    for (size_t i = whole + 1; i < m->tensors.count; i++)
        if (m->tensors.items[i].of == whole && m->tensors.items[i].offset == offset &&
            m->tensors.items[i].elements == elements)
            return *out = i, true;
    const char *name = rk_arena_printf(m->arena, "%s[%lld:%lld]", m->tensors.items[whole].name,
                                       (long long)offset, (long long)(offset + elements));
    *rk_push(m->arena, &m->tensors) = (tensor){
        .name = name, .buffer = at.buffer, .of = whole, .offset = offset, .elements = elements};
    *out = m->tensors.count - 1;
    return true;
}

static tensor *base_of(maker *m, size_t t)
{
    return &m->tensors.items[m->tensors.items[t].of == NONE ? t : m->tensors.items[t].of];
}

/** What a node reads before anything has set it is an input, whatever the program had there. */
static void read_tensor(maker *m, node *n, const char *name, size_t t)
{
    tensor *base = base_of(m, t);
    if (!base->content) {
        base->input = base->content = true;
        base->unset = !m->sequence->buffers[base->buffer].parameter &&
                      !m->sequence->buffers[base->buffer].managed;
    }
    base->used = m->tensors.items[t].used = true;
    *rk_push(m->arena, &n->inputs) = (operand){name, t};
}

/** A node that writes what has contents updates it in place: it need not write all of it. */
static void write_tensor(maker *m, node *n, const char *name, size_t t, bool reads)
{
    tensor *base = base_of(m, t);
    if (reads || base->content || m->tensors.items[t].of != NONE)
        read_tensor(m, n, name, t);
    base = base_of(m, t);
    base->content = base->written = true;
    base->used = m->tensors.items[t].used = true;
    *rk_push(m->arena, &n->outputs) = (operand){name, t};
}

/* Nodes. */

static node *new_node(maker *m, const char *kernel, const char *launcher)
{
    const size_t length = strcspn(kernel, "<");
    const char *base = rk_arena_strndup(m->arena, kernel, length);
    int same = 1;
    for (size_t i = 0; i < m->nodes.count; i++)
        same += strncmp(m->nodes.items[i].kernel, base, length) == 0 &&
                strcspn(m->nodes.items[i].kernel, "<") == length;
    node *n = rk_push(m->arena, &m->nodes);
    *n = (node){.name = rk_arena_printf(m->arena, "%s.%d", base, same),
                .kernel = kernel,
                .launcher = launcher,
                .attrs = cJSON_CreateObject()};
    return n;
}

static const char *parameter_name(const maker *m, const rk_kernel *kernel, size_t i)
{
    return *kernel->params[i].name ? kernel->params[i].name
                                   : rk_arena_printf(m->arena, "argument_%zu", i + 1);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_launch(const rk_launch *a, const rk_launch *b)
{
    bool same = same_text(a->file, b->file) && a->line == b->line && a->arg_count == b->arg_count &&
                same_text(a->shared, b->shared);
    for (int i = 0; i < 3 && same; i++)
        same = same_text(a->grid[i], b->grid[i]) && same_text(a->block[i], b->block[i]);
    for (size_t i = 0; i < a->arg_count && same; i++)
        same = same_text(a->args[i], b->args[i]);
    return same;
}

/** The step's launch as a launch of its own, over the kernel's own parameters. */
static rk_launch describe(maker *m, const rk_step *step, const rk_kernel *kernel)
{
    rk_launch launch = {.file = step->place.file, .line = step->place.line, .resolved = true};
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = rk_arena_printf(m->arena, "%lld", (long long)step->grid[i]);
        launch.block[i] = rk_arena_printf(m->arena, "%lld", (long long)step->block[i]);
    }
    launch.shared = rk_arena_printf(m->arena, "%lld", (long long)step->shared);
    rk_param *params = RK_NEW_ARRAY(m->arena, rk_param, kernel->param_count + 1);
    const char **args = RK_NEW_ARRAY(m->arena, const char *, kernel->param_count + 1);
    for (size_t i = 0; i < kernel->param_count; i++) {
        const bool null =
            step->args[i].kind == RK_PASS_ADDRESS && step->args[i].address.buffer == NONE;
        args[i] = null ? "0" : parameter_name(m, kernel, i);
        if (null)
            continue;
        params[launch.param_count] = kernel->params[i];
        params[launch.param_count++].name = args[i];
    }
    launch.params = params;
    launch.args = args;
    launch.arg_count = kernel->param_count;
    return launch;
}

/** The name of the function that launches so: the host function and the line, and a number. */
static const char *launcher_of(maker *m, const rk_step *step, const rk_kernel *kernel)
{
    const size_t k = (size_t)(kernel - m->catalog->kernels);
    rk_launch launch = describe(m, step, kernel);
    int variants = 0;
    for (size_t i = 0; i < m->launches.count; i++) {
        const added_launch *a = &m->launches.items[i];
        if (a->kernel == k && same_launch(&a->launch, &launch))
            return a->launch.function;
        variants += a->kernel == k && a->launch.line == launch.line &&
                    same_text(a->launch.file, launch.file);
    }
    const char *name = rk_arena_printf(m->arena, "%s:%d", step->function, launch.line);
    launch.function = variants ? rk_arena_printf(m->arena, "%s/%d", name, variants + 1) : name;
    *rk_push(m->arena, &m->launches) = (added_launch){k, launch};
    return launch.function;
}

/** No buffer is passed twice where one of the two is written: a graph has no overlapping operands. */
static bool check_overlap(maker *m, const rk_step *step, const rk_kernel *kernel)
{
    for (size_t i = 0; i < step->arg_count; i++)
        for (size_t k = 0; k < i; k++) {
            const rk_pass *a = &step->args[i], *b = &step->args[k];
            const bool written =
                kernel->params[i].role != RK_ROLE_READ || kernel->params[k].role != RK_ROLE_READ;
            if (a->kind == RK_PASS_ADDRESS && b->kind == RK_PASS_ADDRESS && written &&
                a->address.buffer != NONE && a->address.buffer == b->address.buffer)
                return stop(m, step, "let the kernel write a buffer of its own",
                            "'%s' is passed as '%s' and as '%s', and written",
                            m->sequence->buffers[a->address.buffer].name, kernel->params[k].name,
                            kernel->params[i].name);
        }
    return true;
}

static bool add_launch(maker *m, const rk_step *step)
{
    const rk_kernel *kernel = kernel_of(m->catalog, step);
    size_t *tensors = RK_NEW_ARRAY(m->arena, size_t, step->arg_count + 1);
    if (!check_overlap(m, step, kernel))
        return false;
    for (size_t i = 0; i < step->arg_count; i++)
        if (step->args[i].kind == RK_PASS_ADDRESS && step->args[i].address.buffer != NONE &&
            !tensor_at(&tensors[i], m, step, step->args[i].address, -1))
            return false;
    node *n = new_node(m, kernel->id, launcher_of(m, step, kernel));
    for (size_t i = 0; i < step->arg_count; i++) {
        const rk_pass *p = &step->args[i];
        const char *name = parameter_name(m, kernel, i);
        const rk_role role = kernel->params[i].role;
        if (p->kind == RK_PASS_INT)
            cJSON_AddNumberToObject(n->attrs, name, (double)p->i);
        else if (p->kind == RK_PASS_REAL)
            cJSON_AddNumberToObject(n->attrs, name, p->d);
        else if (p->address.buffer == NONE)
            continue;
        else if (role == RK_ROLE_READ)
            read_tensor(m, n, name, tensors[i]);
        else
            write_tensor(m, n, name, tensors[i], role != RK_ROLE_WRITTEN);
    }
    return true;
}

/** A node that copies or fills: `from` is NONE where it fills. */
static void add_copy(maker *m, size_t from, size_t to, int64_t byte)
{
    static const char *const types[] = {
        [RK_F32] = "float",          [RK_F64] = "double",         [RK_F16] = "__half",
        [RK_BF16] = "__nv_bfloat16", [RK_I8] = "signed char",     [RK_U8] = "unsigned char",
        [RK_I16] = "short",          [RK_U16] = "unsigned short", [RK_I32] = "int",
        [RK_U32] = "unsigned int",   [RK_I64] = "long long",      [RK_U64] = "unsigned long long",
        [RK_BOOL] = "bool"};
    const rk_dtype dtype = m->dtypes[m->tensors.items[to].buffer];
    const char *what = from == NONE ? "device_fill" : "device_copy";
    node *n = new_node(m, rk_arena_printf(m->arena, "%s<%s>", what, types[dtype]),
                       rk_arena_printf(m->arena, "%s_%s", what, rk_dtype_name(dtype)));
    if (from == NONE)
        cJSON_AddNumberToObject(n->attrs, "byte", (double)byte);
    else
        read_tensor(m, n, "from", from);
    cJSON_AddNumberToObject(n->attrs, "n", (double)m->tensors.items[to].elements);
    write_tensor(m, n, "to", to, false);
}

static bool covers(const maker *m, const rk_step *step)
{
    return step->to.offset == 0 && step->bytes == m->sequence->buffers[step->to.buffer].bytes;
}

/** The tensor that a step sets: a new one where it sets all of the buffer. */
static bool target(size_t *out, maker *m, const rk_step *step)
{
    const size_t now = m->current[step->to.buffer];
    if (covers(m, step) && now != NONE && (m->tensors.items[now].content))
        return *out = new_version(m, step->to.buffer), true;
    return tensor_at(out, m, step, step->to, step->bytes);
}

static bool add_copy_in(maker *m, const rk_step *step)
{
    const size_t buffer = step->to.buffer;
    const size_t now = m->current[buffer];
    if (m->copied_out)
        return stop(m, step, "let a function of its own do what comes before: --function",
                    "'%s' is set by the host after it has seen results",
                    m->sequence->buffers[buffer].name);
    size_t to;
    if (now != NONE && m->tensors.items[now].written && !covers(m, step))
        return stop(m, step, NULL, "the host sets a part of '%s', which a kernel has written",
                    m->sequence->buffers[buffer].name);
    if (!covers(m, step) ? !tensor_at(&to, m, step, (rk_address){buffer, 0}, -1)
                         : !target(&to, m, step))
        return false;
    m->tensors.items[to].input = m->tensors.items[to].content = true;
    return true;
}

/** Whether a later step writes what the buffer holds now. */
static bool is_written_later(const maker *m, size_t step, size_t last)
{
    const rk_step *steps = m->sequence->steps;
    const size_t buffer = steps[step].from.buffer;
    for (size_t i = step + 1; i < last; i++) {
        const bool into = steps[i].kind != RK_STEP_LAUNCH && steps[i].kind != RK_STEP_COPY_OUT &&
                          steps[i].to.buffer == buffer;
        if (into)
            return !covers(m, &steps[i]);
        const rk_kernel *kernel =
            steps[i].kind == RK_STEP_LAUNCH ? kernel_of(m->catalog, &steps[i]) : NULL;
        for (size_t a = 0; kernel && a < steps[i].arg_count; a++)
            if (steps[i].args[a].kind == RK_PASS_ADDRESS &&
                steps[i].args[a].address.buffer == buffer && kernel->params[a].role != RK_ROLE_READ)
                return true;
    }
    return false;
}

static void add_copy_out(maker *m, size_t step, size_t last)
{
    const rk_step *s = &m->sequence->steps[step];
    const size_t now = m->current[s->from.buffer];
    m->copied_out = true;
    if (now == NONE || !m->tensors.items[now].written)
        return; /* what the host has put there itself */
    size_t result = now;
    if (is_written_later(m, step, last)) {
        result = new_version(m, s->from.buffer);
        m->current[s->from.buffer] = now;
        add_copy(m, now, result, 0);
    }
    m->tensors.items[result].output = true;
}

static bool add_copy_step(maker *m, const rk_step *step)
{
    size_t from = NONE, to;
    if (step->kind == RK_STEP_COPY && step->from.buffer == step->to.buffer)
        return stop(m, step, NULL, "it copies inside of '%s'",
                    m->sequence->buffers[step->to.buffer].name);
    if (step->kind == RK_STEP_COPY && !tensor_at(&from, m, step, step->from, step->bytes))
        return false;
    if (!target(&to, m, step))
        return false;
    add_copy(m, from, to, step->fill);
    return true;
}

static void add_steps(maker *m, size_t last)
{
    for (size_t i = 0; i < last; i++) {
        const rk_step *step = &m->sequence->steps[i];
        bool good = true;
        if (step->kind == RK_STEP_LAUNCH)
            good = add_launch(m, step);
        else if (step->kind == RK_STEP_COPY_IN)
            good = add_copy_in(m, step);
        else if (step->kind == RK_STEP_COPY_OUT)
            add_copy_out(m, i, last);
        else
            good = add_copy_step(m, step);
        if (!good)
            return;
    }
}

/** Parameters and managed memory that kernels wrote; with nothing else, all that no node reads. */
static void find_outputs(maker *m)
{
    bool any = false;
    for (size_t i = 0; i < m->sequence->buffer_count; i++) {
        const rk_buffer *b = &m->sequence->buffers[i];
        tensor *t = m->current[i] == NONE ? NULL : &m->tensors.items[m->current[i]];
        if (t && t->written && (b->parameter || b->managed))
            t->output = true;
    }
    for (size_t i = 0; i < m->tensors.count; i++)
        any |= m->tensors.items[i].output;
    for (size_t i = 0; !any && i < m->tensors.count; i++)
        m->tensors.items[i].output = m->tensors.items[i].of == NONE && m->tensors.items[i].written;
}

/* Writing. */

static cJSON *names_json(const maker *m, bool outputs)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < m->tensors.count; i++) {
        const tensor *t = &m->tensors.items[i];
        if (t->used && (outputs ? t->output : t->input))
            cJSON_AddItemToArray(list, cJSON_CreateString(t->name));
    }
    return list;
}

static cJSON *tensors_json(const maker *m)
{
    cJSON *all = cJSON_CreateObject();
    for (size_t i = 0; i < m->tensors.count; i++) {
        const tensor *t = &m->tensors.items[i];
        if (!t->used)
            continue;
        cJSON *one = cJSON_AddObjectToObject(all, t->name);
        if (t->of != NONE)
            cJSON_AddStringToObject(one, "of", m->tensors.items[t->of].name);
        else
            cJSON_AddStringToObject(one, "dtype", rk_dtype_name(m->dtypes[t->buffer]));
        cJSON *shape = cJSON_AddArrayToObject(one, "shape");
        cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)t->elements));
        if (t->of != NONE)
            cJSON_AddNumberToObject(one, "offset", (double)t->offset);
    }
    return all;
}

static void add_operands(cJSON *to, const char *member, const maker *m, const operand *items,
                         size_t count)
{
    cJSON *object = cJSON_AddObjectToObject(to, member);
    for (size_t i = 0; i < count; i++)
        cJSON_AddStringToObject(object, items[i].name, m->tensors.items[items[i].tensor].name);
}

static cJSON *nodes_json(const maker *m)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < m->nodes.count; i++) {
        const node *n = &m->nodes.items[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        cJSON_AddStringToObject(one, "name", n->name);
        cJSON_AddStringToObject(one, "kernel", n->kernel);
        cJSON_AddStringToObject(one, "launcher", n->launcher);
        add_operands(one, "inputs", m, n->inputs.items, n->inputs.count);
        add_operands(one, "outputs", m, n->outputs.items, n->outputs.count);
        cJSON_AddItemToObject(one, "attrs", n->attrs);
    }
    return list;
}

static char *print(const maker *m, const char *name)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "rammer.graph/1");
    cJSON_AddStringToObject(root, "name", name);
    cJSON_AddItemToObject(root, "tensors", tensors_json(m));
    cJSON_AddItemToObject(root, "nodes", nodes_json(m));
    cJSON_AddItemToObject(root, "inputs", names_json(m, false));
    cJSON_AddItemToObject(root, "outputs", names_json(m, true));
    char *text = rk_json_print(root, m->arena);
    cJSON_Delete(root);
    return text;
}

/** The catalog with the launches that were added. */
static const rk_catalog *extend(const maker *m)
{
    rk_catalog *out = RK_NEW(m->arena, rk_catalog);
    rk_kernel *kernels = RK_NEW_ARRAY(m->arena, rk_kernel, m->catalog->kernel_count + 1);
    *out = *m->catalog;
    out->kernels = kernels;
    for (size_t k = 0; k < m->catalog->kernel_count; k++) {
        RK_VEC(rk_launch) launches = {0};
        kernels[k] = m->catalog->kernels[k];
        for (size_t i = 0; i < kernels[k].launch_count; i++)
            *rk_push(m->arena, &launches) = kernels[k].launches[i];
        for (size_t i = 0; i < m->launches.count; i++)
            if (m->launches.items[i].kernel == k)
                *rk_push(m->arena, &launches) = m->launches.items[i].launch;
        kernels[k].launches = launches.items;
        kernels[k].launch_count = launches.count;
    }
    return out;
}

static const char *const *tensor_names(size_t *count, const maker *m,
                                       bool (*wanted)(const tensor *))
{
    const char **names = RK_NEW_ARRAY(m->arena, const char *, m->tensors.count + 1);
    *count = 0;
    for (size_t i = 0; i < m->tensors.count; i++)
        if (m->tensors.items[i].used && wanted(&m->tensors.items[i]))
            names[(*count)++] = m->tensors.items[i].name;
    return names;
}

static bool is_input(const tensor *t)
{
    return t->input;
}

static bool is_output(const tensor *t)
{
    return t->output;
}

static bool is_unset(const tensor *t)
{
    return t->input && t->unset;
}

static bool is_used(const tensor *t)
{
    return t->used;
}

/** Every parameter that a step names has a size. */
static bool check_sizes(const rk_sequence *s, rk_diag *diag)
{
    bool good = true;
    for (size_t i = 0; i < s->buffer_count; i++) {
        bool used = s->buffers[i].bytes >= 0;
        for (size_t k = 0; k < s->step_count && !used; k++) {
            const rk_step *step = &s->steps[k];
            bool named = step->to.buffer == i || step->from.buffer == i;
            for (size_t a = 0; a < step->arg_count && !named; a++)
                named = step->args[a].kind == RK_PASS_ADDRESS && step->args[a].address.buffer == i;
            if (!named)
                continue;
            good = rk_diag_add(diag, RK_ERROR, "RK-V303", s->buffers[i].place,
                               "give the number of its elements: --set NAME=NUMBER",
                               "the size of '%s' is not known", s->buffers[i].name);
            used = true;
        }
    }
    return good;
}

/** The phases of the kernel of that id, in order; none of one that was not split. */
static phase_vec phases_of(const rk_catalog *catalog, const char *id, rk_arena *arena)
{
    phase_vec out = {0};
    for (bool found = true; found;) {
        found = false;
        for (size_t k = 0; k < catalog->kernel_count; k++) {
            const rk_kernel *kernel = &catalog->kernels[k];
            if (!kernel->phase_of || strcmp(kernel->phase_of, id) != 0 ||
                kernel->phase != (int)out.count)
                continue;
            *rk_push(arena, &out) = kernel->id;
            found = true;
        }
    }
    return out;
}

/** The sequence with a launch of each phase where a kernel is launched that was split. */
static const rk_sequence *with_phases(const rk_sequence *sequence, const rk_catalog *catalog,
                                      rk_arena *arena)
{
    RK_VEC(rk_step) steps = {0};
    rk_sequence *out = RK_NEW(arena, rk_sequence);
    for (size_t i = 0; i < sequence->step_count; i++) {
        const rk_step *step = &sequence->steps[i];
        phase_vec phases = {0};
        if (step->kind == RK_STEP_LAUNCH)
            phases = phases_of(catalog, step->kernel, arena);
        if (!phases.count)
            *rk_push(arena, &steps) = *step;
        for (size_t p = 0; p < phases.count; p++) {
            rk_step *one = rk_push(arena, &steps);
            *one = *step;
            one->kernel = phases.items[p];
            if (p > 0) /* the first phase is where the kernel was */
                one->defined = (rk_place){0};
        }
    }
    *out = *sequence;
    out->steps = steps.items;
    out->step_count = steps.count;
    return out;
}

bool rk_graph_make(rk_graph_made *out, const rk_sequence *sequence, const char *name,
                   const rk_catalog *catalog, rk_arena *arena, rk_diag *diag)
{
    if (!check_sizes(sequence, diag))
        return false;
    sequence = with_phases(sequence, catalog, arena);
    const size_t buffers = sequence->buffer_count;
    maker m = {.arena = arena,
               .sequence = sequence,
               .catalog = catalog,
               .dtypes = RK_NEW_ARRAY(arena, rk_dtype, buffers + 1),
               .current = RK_NEW_ARRAY(arena, size_t, buffers + 1),
               .versions = RK_NEW_ARRAY(arena, int, buffers + 1)};
    for (size_t i = 0; i < buffers; i++) {
        m.dtypes[i] = RK_DTYPE_NONE;
        m.current[i] = NONE;
    }
    add_steps(&m, find_dtypes(&m));
    find_outputs(&m);
    *out = (rk_graph_made){.catalog = extend(&m), .nodes = m.nodes.count};
    tensor_names(&out->tensors, &m, is_used);
    out->inputs = tensor_names(&out->input_count, &m, is_input);
    out->outputs = tensor_names(&out->output_count, &m, is_output);
    out->unset = tensor_names(&out->unset_count, &m, is_unset);
    out->whole = sequence->whole && !m.stopped;
    out->stopped = m.stopped ? m.where : sequence->stopped;
    out->why = m.stopped ? m.why : sequence->why;
    out->hint = m.stopped ? m.hint : sequence->hint;
    out->json = print(&m, name);
    return m.nodes.count ||
           rk_diag_add(diag, RK_ERROR, "RK-V304",
                       out->why ? out->stopped : (rk_place){.file = NULL}, out->hint,
                       "'%s' launches nothing that a graph can have%s%s", sequence->function,
                       out->why ? ": " : "", out->why ? out->why : "");
}
