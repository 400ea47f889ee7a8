#include "library/include/rammer.h"

#include "base/json.h"
#include "base/str.h"
#include "emit/cpu.h"
#include "library/pipeline.h"
#include "library/version.h"

#include <locale.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct rammer_model {
    rk_arena *arena; /**< lives as long as the model */
    rk_arena *told;  /**< of the messages, reset by each call */
    rk_diag *diag;
    RK_VEC(rammer_message) messages; /**< in `told` */
    bool no_memory;                  /**< the only message is no_memory_message */

    rk_plan_options options;
    RK_VEC(rk_onnx_given) given;
    const char *home;
    int64_t threads;

    rk_subject subject;
    bool tried;              /**< options are settled */
    rk_cpu_vdevice *vdevice; /**< NULL: not loaded, or the target does not run here */
    rammer_tensor *inputs, *outputs;
    size_t input_count, output_count;
    rammer_dim *dims; /**< that are open */
    int64_t *values;  /**< of all dimensions, that are set */
    size_t dim_count;
    rammer_node *nodes; /**< one for each op of the image */
    size_t node_count;  /**< 0 before a profile */
};

const char *rammer_version(void)
{
    return RK_LIBRARY_VERSION;
}

/* Calls. */

static const rammer_message no_memory_message = {
    RAMMER_ERROR, "RK-L004", "there is not enough memory", NULL, NULL, NULL, 0, 0};

static void free_parts(rammer_model *model)
{
    rk_cpu_vdevice_free(model->vdevice);
    rk_arena_free(model->told);
    rk_arena_free(model->arena);
}

/** Hands the diagnostics on as messages. */
static void tell(rammer_model *model)
{
    _Static_assert(RAMMER_NOTE == (int)RK_NOTE && RAMMER_ERROR == (int)RK_ERROR, "the same scale");
    for (size_t i = 0; i < rk_diag_count(model->diag); i++) {
        const rk_diagnostic *d = rk_diag_at(model->diag, i);
        *rk_push(model->told, &model->messages) = (rammer_message){
            (rammer_severity)d->severity, d->code,         d->message,    d->hint,
            d->place.file,                d->place.object, d->place.line, d->place.column};
    }
}

/** What a call does, `what` being its arguments. */
typedef bool call(rammer_model *model, const void *what);

static void begin_messages(rammer_model *model)
{
    memset(&model->messages, 0, sizeof model->messages);
    model->no_memory = false;
    rk_arena_reset(model->told);
    model->diag = rk_diag_new(model->told);
}

/**
 * Makes a call in the "C" locale, whose numbers files have. Where memory runs out it is left in the middle: what it had
 * allocated lies in the model's arenas.
 */
static bool make_call(rammer_model *model, call *how, const void *what)
{
    jmp_buf escape, *const outer = rk_out_of_memory_escape;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    volatile bool good = false;
    if (setjmp(escape) == 0) {
        rk_out_of_memory_escape = &escape;
        begin_messages(model);
        good = how(model, what);
        tell(model);
    } else {
        rk_json_forget();
        model->no_memory = true;
    }
    rk_out_of_memory_escape = outer;
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return good;
}

static rk_tool tool_of(rammer_model *model)
{
    return (rk_tool){.arena = model->arena, .diag = model->diag, .home = model->home};
}

size_t rammer_message_count(const rammer_model *model)
{
    return model->no_memory ? 1 : model->messages.count;
}

const rammer_message *rammer_message_at(const rammer_model *model, size_t i)
{
    if (i >= rammer_message_count(model))
        return NULL;
    return model->no_memory ? &no_memory_message : &model->messages.items[i];
}

/* Making. */

/** Not a part of its caller, whose variables a jump might forget. */
__attribute__((noinline)) static bool make_parts(rammer_model *model)
{
    jmp_buf escape, *const outer = rk_out_of_memory_escape;
    volatile bool good = false;
    if (setjmp(escape) == 0) {
        rk_out_of_memory_escape = &escape;
        model->arena = rk_arena_new();
        model->told = rk_arena_new();
        model->diag = rk_diag_new(model->told);
        good = true;
    }
    rk_out_of_memory_escape = outer;
    return good;
}

rammer_model *rammer_model_new(void)
{
    rammer_model *model = calloc(1, sizeof *model);
    if (!model || make_parts(model))
        return model;
    rammer_model_free(model);
    return NULL;
}

void rammer_model_free(rammer_model *model)
{
    if (!model)
        return;
    free_parts(model);
    free(model);
}

/* Options. */

typedef enum { OPTION_TEXT, OPTION_TEXTS, OPTION_NUMBER, OPTION_FLAG } option_kind;

/** An option, and the member of the model that it sets. */
typedef struct {
    const char *name;
    option_kind kind;
    size_t offset;
} option;

#define OPTION(name, kind, member)                                                                 \
    {                                                                                              \
        name, OPTION_##kind, offsetof(rammer_model, member)                                        \
    }

static const option options[] = {
    OPTION("target", TEXT, options.target),
    OPTION("device", TEXT, options.device),
    OPTION("policy", TEXT, options.policy),
    OPTION("kernels", TEXT, options.kernels),
    OPTION("profile", TEXT, options.profile),
    OPTION("load-schedule", TEXT, options.schedule),
    OPTION("veus", NUMBER, options.veus),
    OPTION("dim", TEXTS, options.bind),
    OPTION("bind", TEXTS, options.bind),
    OPTION("catalog", TEXTS, options.catalogs),
    OPTION("bindings", TEXTS, options.bindings),
    OPTION("no-shipped", FLAG, options.no_shipped),
    OPTION("constants-anywhere", FLAG, options.anywhere),
    OPTION("exact", FLAG, options.exact),
    OPTION("threads", NUMBER, threads),
    OPTION("home", TEXT, home),
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

/** Whether the model is as it was made; RK-L003. */
static bool is_new(const rammer_model *model)
{
    return !model->tried || rk_diag_add(model->diag, RK_ERROR, "RK-L003", (rk_place){0},
                                        "make another model", "the model is loaded already");
}

/** Whether a model is there to be run; RK-L003. */
static bool is_loaded(const rammer_model *model)
{
    return model->inputs || rk_diag_add(model->diag, RK_ERROR, "RK-L003", (rk_place){0},
                                        "load a model first", "no model is loaded");
}

static const option *find_option(rammer_model *model, const char *name)
{
    const char *names[OPTION_COUNT];
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        names[i] = options[i].name;
        if (strcmp(names[i], name) == 0)
            return &options[i];
    }
    const char *near = rk_str_nearest(name, names, OPTION_COUNT);
    rk_diag_add(model->diag, RK_ERROR, "RK-L001", (rk_place){0},
                near ? rk_arena_printf(model->told, "did you mean '%s'?", near) : NULL,
                "a model has no option '%s'", name);
    return NULL;
}

static bool bad_value(const rammer_model *model, const option *o, const char *value,
                      const char *expected)
{
    return rk_diag_add(model->diag, RK_ERROR, "RK-L002", (rk_place){0}, NULL,
                       "the option '%s' does not take '%s': expected %s", o->name, value, expected);
}

static bool set_number(rammer_model *model, const option *o, const char *value)
{
    char *end;
    const long number = strtol(value, &end, 10);
    if (end == value || *end || number < 0 || number > INT32_MAX)
        return bad_value(model, o, value, "a whole number");
    *(int64_t *)((char *)model + o->offset) = number;
    return true;
}

static bool set_flag(rammer_model *model, const option *o, const char *value)
{
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        return bad_value(model, o, value, "1 or 0");
    *(bool *)((char *)model + o->offset) = *value == '1';
    return true;
}

static bool set(rammer_model *model, const void *what)
{
    const char *const *pair = what;
    const option *o = is_new(model) ? find_option(model, pair[0]) : NULL;
    if (!o)
        return false;
    if (o->kind == OPTION_NUMBER)
        return set_number(model, o, pair[1]);
    if (o->kind == OPTION_FLAG)
        return set_flag(model, o, pair[1]);
    if (!*pair[1])
        return bad_value(model, o, pair[1], "some text");
    const char *text = rk_arena_strdup(model->arena, pair[1]);
    void *member = (char *)model + o->offset;
    if (o->kind == OPTION_TEXT)
        *(const char **)member = text;
    else
        *rk_push(model->arena, (rk_texts *)member) = text;
    return true;
}

bool rammer_model_set(rammer_model *model, const char *name, const char *value)
{
    return make_call(model, set, (const char *const[]){name, value});
}

/** Bytes of a tensor; -1 when its type, rank or shape is none. */
static int64_t bytes_of(rammer_type type, int rank, const int64_t *shape)
{
    int64_t elements = 1;
    if ((int)type < 0 || (int)type >= (int)RK_DTYPE_COUNT || rank < 0 || rank > RK_MAX_RANK)
        return -1;
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 0 || (shape[i] && elements > RK_MAX_ELEMENTS / shape[i]))
            return -1;
        elements *= shape[i];
    }
    return elements * (int64_t)rk_dtype_size((rk_dtype)type);
}

static bool give(rammer_model *model, const void *what)
{
    _Static_assert((int)RAMMER_F32 == (int)RK_F32 && (int)RAMMER_I8 == (int)RK_I8 &&
                       (int)RAMMER_I64 == (int)RK_I64 && (int)RAMMER_U2 == (int)RK_U2 &&
                       (int)RAMMER_MAX_RANK == (int)RK_MAX_RANK,
                   "the same types");
    const rk_onnx_given *given = what;
    const int64_t bytes = bytes_of((rammer_type)given->dtype, given->rank, given->shape);
    if (!is_new(model))
        return false;
    if (bytes < 0)
        return rk_diag_add(model->diag, RK_ERROR, "RK-L002", (rk_place){0}, NULL,
                           "the value of '%s' has no such type or shape", given->name);
    rk_onnx_given *copy = rk_push(model->arena, &model->given);
    *copy = *given;
    copy->name = rk_arena_strdup(model->arena, given->name);
    copy->data = rk_arena_copy(model->arena, given->data, (size_t)bytes);
    return true;
}

bool rammer_model_give(rammer_model *model, const char *name, rammer_type type, int rank,
                       const int64_t *shape, const void *data)
{
    rk_onnx_given given = {.name = name, .dtype = (rk_dtype)type, .rank = rank, .data = data};
    for (int i = 0; i < rank && i < RK_MAX_RANK; i++)
        given.shape[i] = shape[i];
    return make_call(model, give, &given);
}

/* Loading. */

static rammer_tensor *describe(const rk_image_io *io, size_t count, rk_arena *arena)
{
    rammer_tensor *tensors = RK_NEW_ARRAY(arena, rammer_tensor, count + 1);
    for (size_t i = 0; i < count; i++)
        tensors[i] = (rammer_tensor){.name = io[i].name,
                                     .type = (rammer_type)io[i].dtype,
                                     .rank = io[i].rank,
                                     .shape = io[i].shape,
                                     .bytes = (size_t)io[i].bytes};
    return tensors;
}

/** Of other values of the dimensions. */
static void describe_again(rammer_tensor *tensors, const rk_image_io *io, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tensors[i].bytes = (size_t)io[i].bytes;
}

/** The graph whose dimensions are open; NULL where none are. */
static const rk_graph *open_graph(const rammer_model *model)
{
    return model->subject.plan.spine ? model->subject.plan.family->graph : NULL;
}

static void describe_dims(rammer_model *model)
{
    const rk_graph *graph = open_graph(model);
    model->dim_count = graph ? rk_syms_dim_count(graph->syms) : 0;
    model->dims = RK_NEW_ARRAY(model->arena, rammer_dim, model->dim_count + 1);
    model->values = RK_NEW_ARRAY(model->arena, int64_t, RK_SYM_DIMS);
    for (size_t d = 0; d < model->dim_count; d++) {
        const rk_sym_range r = rk_syms_dim_range(graph->syms, d);
        model->dims[d] = (rammer_dim){rk_syms_dim_name(graph->syms, d), r.low, r.high, r.high};
        model->values[d] = r.high;
    }
}

/** Whether the target of the image is this machine. */
static bool runs_here(const rammer_model *model)
{
    const rk_backend *backend = model->subject.plan.backend;
    return !backend || backend->run;
}

static bool load(rammer_model *model, const void *what)
{
    rk_tool tool = tool_of(model);
    if (!is_new(model))
        return false;
    model->tried = true;
    model->options.values = model->given.items;
    model->options.value_count = model->given.count;
    model->options.open = true;
    rk_subject *subject = &model->subject;
    if (rk_subject_load(subject, rk_arena_strdup(model->arena, what), &model->options, &tool) !=
        RK_EXIT_GOOD)
        return false;
    const rk_cpu_options how = {.workers = (uint32_t)model->threads,
                                .exact = model->options.exact,
                                .spine = subject->plan.spine};
    if (runs_here(model)) {
        model->vdevice = rk_cpu_vdevice_new(subject->image, subject->catalog, &how, model->arena,
                                            model->diag);
        if (!model->vdevice)
            return false;
    }
    const rk_image *image = subject->image;
    model->nodes = RK_NEW_ARRAY(model->arena, rammer_node, image->op_count + 1);
    const rk_cpu_vdevice *vdevice = model->vdevice;
    model->outputs = describe(vdevice ? rk_cpu_vdevice_outputs(vdevice) : image->outputs,
                              image->output_count, model->arena);
    model->inputs = describe(vdevice ? rk_cpu_vdevice_inputs(vdevice) : image->inputs,
                             image->input_count, model->arena);
    describe_dims(model);
    model->input_count = image->input_count;
    model->output_count = image->output_count;
    return true;
}

bool rammer_model_load(rammer_model *model, const char *path)
{
    return make_call(model, load, path);
}

size_t rammer_model_input_count(const rammer_model *model)
{
    return model->input_count;
}

size_t rammer_model_output_count(const rammer_model *model)
{
    return model->output_count;
}

const rammer_tensor *rammer_model_input(const rammer_model *model, size_t i)
{
    return i < model->input_count ? &model->inputs[i] : NULL;
}

const rammer_tensor *rammer_model_output(const rammer_model *model, size_t i)
{
    return i < model->output_count ? &model->outputs[i] : NULL;
}

unsigned rammer_model_threads(const rammer_model *model)
{
    return model->vdevice ? rk_cpu_vdevice_workers(model->vdevice) : 0;
}

unsigned rammer_model_veus(const rammer_model *model)
{
    return model->subject.image ? model->subject.image->veu_count : 0;
}

/* Open dimensions. */

size_t rammer_model_dim_count(const rammer_model *model)
{
    return model->dim_count;
}

const rammer_dim *rammer_model_dim(const rammer_model *model, size_t i)
{
    return i < model->dim_count ? &model->dims[i] : NULL;
}

static bool no_vdevice(const rammer_model *model)
{
    return rk_diag_add(model->diag, RK_ERROR, "RK-L005", (rk_place){0},
                       "save it, and build what is saved on a machine that has the device",
                       "the target '%s' does not run here", model->subject.plan.backend->name);
}

static bool set_dims(rammer_model *model, const void *what)
{
    const int64_t *values = what;
    if (!is_loaded(model))
        return false;
    if (model->dim_count == 0)
        return true;
    if (!model->vdevice)
        return no_vdevice(model);
    if (!rk_cpu_vdevice_set_dims(model->vdevice, values, model->diag))
        return false;
    for (size_t d = 0; d < model->dim_count; d++)
        model->dims[d].value = model->values[d] = values[d];
    describe_again(model->inputs, rk_cpu_vdevice_inputs(model->vdevice), model->input_count);
    describe_again(model->outputs, rk_cpu_vdevice_outputs(model->vdevice), model->output_count);
    return true;
}

bool rammer_model_set_dims(rammer_model *model, const int64_t *values)
{
    return make_call(model, set_dims, values);
}

/** The value of dimension d of a range at which an expression that rises with it, the others being set, is `wanted`. */
static bool solve(int64_t *values, size_t d, const rammer_dim *dim, rk_sym sym, int64_t wanted)
{
    int64_t low = dim->low, high = dim->high;
    while (low < high) {
        values[d] = low + (high - low) / 2;
        if (rk_sym_eval(sym, values) < wanted)
            low = values[d] + 1;
        else
            high = values[d];
    }
    values[d] = low;
    return rk_sym_eval(sym, values) == wanted;
}

/** The one dimension that an expression depends on and that is not known; dim_count where there is none, or more. */
static size_t unknown_of(const rammer_model *model, rk_sym sym, const bool *known)
{
    size_t found = model->dim_count;
    for (size_t d = 0; d < model->dim_count; d++) {
        const rk_sym_direction how = rk_sym_monotone(sym, d);
        if (known[d] || how == RK_SYM_CONSTANT)
            continue;
        if (found < model->dim_count || how != RK_SYM_RISES)
            return model->dim_count;
        found = d;
    }
    return found;
}

/** Finds dimensions by extents that depend on one of them that is not known yet; whether any was. */
static bool find_dims(int64_t *values, bool *known, const rammer_model *model,
                      const int64_t *const *shapes)
{
    const rk_graph *graph = open_graph(model);
    bool found = false;
    for (size_t i = 0; i < model->input_count; i++) {
        const rk_tensor *tensor = &graph->tensors[graph->inputs[i]];
        for (int k = 0; k < tensor->rank; k++) {
            const size_t d =
                tensor->open[k] ? unknown_of(model, tensor->open[k], known) : model->dim_count;
            if (d < model->dim_count &&
                solve(values, d, &model->dims[d], tensor->open[k], shapes[i][k]))
                found = known[d] = true;
        }
    }
    return found;
}

/** Says what an extent is to be: the range that it has, or what it is by other extents. */
static bool refuse_extent(const rammer_model *model, size_t i, int k, int64_t given,
                          int64_t expected)
{
    const rk_graph *graph = open_graph(model);
    const rk_sym sym = graph->tensors[graph->inputs[i]].open[k];
    const rk_place place = rk_place_object(model->told, NULL, "input", model->inputs[i].name);
    const char *text = sym ? rk_sym_text(sym, model->told) : NULL;
    if (!sym)
        return rk_diag_add(model->diag, RK_ERROR, "RK-L008", place, NULL,
                           "its extent %d is %lld, and must be %lld", k, (long long)given,
                           (long long)expected);
    const rk_sym_range r = rk_sym_bounds(sym);
    if (given < r.low || given > r.high)
        return rk_diag_add(model->diag, RK_ERROR, "RK-L008", place,
                           "load the model for a range that has it",
                           "its extent %d is %lld, and '%s' is from %lld to %lld", k,
                           (long long)given, text, (long long)r.low, (long long)r.high);
    return rk_diag_add(model->diag, RK_ERROR, "RK-L008", place,
                       "give inputs whose extents agree",
                       "its extent %d is %lld, and '%s' is %lld by other extents", k,
                       (long long)given, text, (long long)expected);
}

/** Whether all extents are what the dimensions make of them. */
static bool fit_shapes(const rammer_model *model, const int64_t *values,
                       const int64_t *const *shapes)
{
    const rk_graph *graph = open_graph(model);
    bool good = true;
    for (size_t i = 0; i < model->input_count; i++) {
        const rk_tensor *tensor = &graph->tensors[graph->inputs[i]];
        for (int k = 0; k < tensor->rank; k++) {
            const int64_t expected =
                tensor->open[k] ? rk_sym_eval(tensor->open[k], values) : tensor->shape[k];
            if (shapes[i][k] != expected)
                good = refuse_extent(model, i, k, shapes[i][k], expected);
        }
    }
    return good;
}

static bool set_shapes(rammer_model *model, const void *what)
{
    const int64_t *const *shapes = what;
    int64_t values[RK_SYM_DIMS];
    bool known[RK_SYM_DIMS] = {false};
    if (!is_loaded(model))
        return false;
    if (model->dim_count == 0)
        return true;
    memcpy(values, model->values, model->dim_count * sizeof *values);
    while (find_dims(values, known, model, shapes))
        ;
    if (!fit_shapes(model, values, shapes))
        return false;
    return memcmp(values, model->values, model->dim_count * sizeof *values) == 0 ||
           set_dims(model, values);
}

bool rammer_model_set_shapes(rammer_model *model, const int64_t *const *shapes)
{
    return make_call(model, set_shapes, shapes);
}

/* Running. */

typedef struct {
    const void *const *inputs;
    void *const *outputs;
} buffers;

static bool missing(const rammer_model *model, const char *what, const rammer_tensor *tensor)
{
    return rk_diag_add(model->diag, RK_ERROR, "RK-L006",
                       rk_place_object(model->told, NULL, what, tensor->name), NULL,
                       "there is no buffer for its %zu bytes", tensor->bytes);
}

static bool can_run(const rammer_model *model, const buffers *b)
{
    if (!is_loaded(model))
        return false;
    if (!model->vdevice)
        return no_vdevice(model);
    bool good = true;
    for (size_t i = 0; i < model->input_count; i++)
        if (model->inputs[i].bytes && !(b->inputs && b->inputs[i]))
            good = missing(model, "input", &model->inputs[i]);
    for (size_t i = 0; i < model->output_count; i++)
        if (model->outputs[i].bytes && !(b->outputs && b->outputs[i]))
            good = missing(model, "output", &model->outputs[i]);
    return good;
}

static bool run(rammer_model *model, const void *what)
{
    const buffers *b = what;
    return can_run(model, b) &&
           rk_cpu_vdevice_run(model->vdevice, b->inputs, b->outputs, NULL, model->diag);
}

bool rammer_model_run(rammer_model *model, const void *const *inputs, void *const *outputs)
{
    return make_call(model, run, &(buffers){inputs, outputs});
}

/** The rTasks of op i with the dimensions that are set. */
static int64_t rtasks_of(const rammer_model *model, size_t i)
{
    const rk_spine *spine = model->subject.plan.spine;
    const rk_image *image = model->subject.image;
    const rk_image_fn *fn = &image->fns[image->ops[i].fn];
    int64_t rtasks = 1;
    for (int k = 0; k < 3; k++)
        rtasks *= spine ? rk_sym_eval(spine->family->launches[i].grid[k], model->values)
                        : fn->grid[k];
    return rtasks;
}

static bool profile(rammer_model *model, const void *what)
{
    const buffers *b = what;
    const rk_image *image = model->subject.image;
    model->node_count = 0;
    if (!can_run(model, b))
        return false;
    double *op_ns = RK_NEW_ARRAY(model->told, double, image->op_count + 1);
    if (!rk_cpu_vdevice_profile(model->vdevice, b->inputs, b->outputs, op_ns, model->diag))
        return false;
    for (size_t i = 0; i < image->op_count; i++) {
        const rk_image_fn *fn = &image->fns[image->ops[i].fn];
        model->nodes[i] = (rammer_node){.name = image->ops[i].node,
                                        .kernel = fn->kernel->id,
                                        .rtasks = rtasks_of(model, i),
                                        .seconds = op_ns[i] * 1e-9};
    }
    model->node_count = image->op_count;
    return true;
}

bool rammer_model_profile(rammer_model *model, const void *const *inputs, void *const *outputs)
{
    return make_call(model, profile, &(buffers){inputs, outputs});
}

size_t rammer_model_node_count(const rammer_model *model)
{
    return model->node_count;
}

const rammer_node *rammer_model_node(const rammer_model *model, size_t i)
{
    return i < model->node_count ? &model->nodes[i] : NULL;
}

/* Keeping. */

/** Whether there is a plan of the model; RK-L003, RK-L007. */
static bool is_planned(const rammer_model *model)
{
    if (!is_loaded(model))
        return false;
    return model->subject.plan.schedule || model->subject.plan.spine ||
           rk_diag_add(model->diag, RK_ERROR, "RK-L007", rk_place_file(model->subject.dir),
                       "load the model that it was built from",
                       "the folder was built before, and holds no plan to keep");
}

static bool save(rammer_model *model, const void *what)
{
    rk_tool tool = tool_of(model);
    rk_folder folder;
    tool.arena = model->told;
    if (!is_planned(model) || !rk_output_begin(&folder, what, &tool))
        return false;
    const rk_plan *plan = &model->subject.plan;
    const rk_emit_request request = {.image = model->subject.image,
                                     .spine = plan->spine,
                                     .catalog = plan->catalog,
                                     .dir = folder.temporary,
                                     .runtime_dir = rk_tool_share(&tool, "include")};
    cJSON *report = rk_plan_report(plan, &tool);
    const bool graph = plan->spine && (!plan->backend || plan->backend->run); /* which is played as it is */
    const bool good = (graph ? rk_plan_write_family(plan, folder.temporary, &tool)
                             : plan->backend->emit(&request, tool.arena, tool.diag)) &&
                      rk_json_write(rk_path_join(tool.arena, folder.temporary, "rammer.json"),
                                    report, tool.arena, tool.diag);
    cJSON_Delete(report);
    if (!good)
        rk_folder_abandon(&folder, tool.diag);
    return good && rk_folder_commit(&folder, tool.arena, tool.diag);
}

bool rammer_model_save(rammer_model *model, const char *dir)
{
    return make_call(model, save, dir);
}

static bool view(rammer_model *model, const void *what)
{
    rk_tool tool = tool_of(model);
    rk_trace trace;
    tool.arena = model->told;
    if (!is_planned(model))
        return false;
    rk_plan member = model->subject.plan;
    if (member.spine && !rk_plan_member(&member, &model->subject.plan, &model->options,
                                        model->values, &tool))
        return false;
    rk_plan_trace(&trace, &member, &tool);
    return rk_plan_view(&trace, what, &tool);
}

bool rammer_model_view(rammer_model *model, const char *path)
{
    return make_call(model, view, path);
}
