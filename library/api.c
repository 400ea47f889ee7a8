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
    rk_subject *subject = &model->subject;
    if (rk_subject_load(subject, rk_arena_strdup(model->arena, what), &model->options, &tool) !=
        RK_EXIT_GOOD)
        return false;
    const rk_cpu_options how = {.workers = (uint32_t)model->threads,
                                .exact = model->options.exact};
    if (runs_here(model)) {
        model->vdevice = rk_cpu_vdevice_new(subject->image, subject->catalog, &how, model->arena,
                                            model->diag);
        if (!model->vdevice)
            return false;
    }
    const rk_image *image = subject->image;
    model->nodes = RK_NEW_ARRAY(model->arena, rammer_node, image->op_count + 1);
    model->outputs = describe(image->outputs, image->output_count, model->arena);
    model->inputs = describe(image->inputs, image->input_count, model->arena);
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
        return rk_diag_add(model->diag, RK_ERROR, "RK-L005", (rk_place){0},
                           "save it, and build what is saved on a machine that has the device",
                           "the target '%s' does not run here", model->subject.plan.backend->name);
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
                                        .rtasks = fn->grid[0] * fn->grid[1] * fn->grid[2],
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
    return model->subject.plan.schedule ||
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
    const rk_emit_request request = {.image = plan->image,
                                     .catalog = plan->catalog,
                                     .dir = folder.temporary,
                                     .runtime_dir = rk_tool_share(&tool, "include")};
    cJSON *report = rk_plan_report(plan, &tool);
    const bool good = plan->backend->emit(&request, tool.arena, tool.diag) &&
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
    rk_plan_trace(&trace, &model->subject.plan, &tool);
    return rk_plan_view(&trace, what, &tool);
}

bool rammer_model_view(rammer_model *model, const char *path)
{
    return make_call(model, view, path);
}
