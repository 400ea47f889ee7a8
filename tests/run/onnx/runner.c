#include "base/file.h"
#include "base/str.h"
#include "emit/cpu.h"
#include "rkernel_lib/catalog/binding.h"
#include "rkernel_lib/catalog/catalog.h"
#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/onnx/import.h"
#include "sched/ops/op.h"
#include "sched/ops/scalar.h"
#include "sched/policies/policy.h"
#include "sched/select/select.h"

#include "operators.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * runner --damage SEED FOLDER: imports the tests' models, damaged at random.
 *
 * runner [--table FILE] [--definitions] CATALOG BINDINGS DEVICES KNOWN FOLDER...: runs the tests of ONNX that are folders with a
 * model.onnx and data sets beside it: through import, selection, a policy on several vEUs, the checker and the CPU's
 * vDevice; or by the operators' definitions alone. KNOWN lists those that fail, each with its reason: one that fails and
 * is not there is an error, and so is one that is there and does not fail.
 */

enum { VEUS = 3 };

typedef struct {
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const rk_device *device;
    bool definitions;
    operators *table; /**< of what the tests say; NULL: it is not asked for */
} world;

/** One test: why it failed, "" while it has not. */
typedef struct {
    const world *w;
    rk_arena *arena;
    rk_diag *diag;
    const char *folder;
    const rk_graph *graph; /**< NULL while it is not imported */
    bool constant; /**< all of its inputs became constants: the import computed its outputs */
    char reason[400];
} trial;

static bool fail(trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(trial *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!t->reason[0])
        vsnprintf(t->reason, sizeof t->reason, format, args);
    va_end(args);
    return false;
}

/** The first thing that was diagnosed. */
static bool diagnosed(trial *t, const char *stage)
{
    const char *text = rk_diag_count(t->diag) ? rk_diag_at(t->diag, 0)->message : "no word";
    return fail(t, "%s: %s", stage, text);
}

/** The tensors input_0.pb, ... or output_0.pb, ... of a data set. */
static bool read_set(rk_onnx_given **out, size_t *count, const char *set, const char *kind,
                     trial *t)
{
    *out = RK_NEW_ARRAY(t->arena, rk_onnx_given, 64);
    for (*count = 0; *count < 64; (*count)++) {
        const char *path = rk_arena_printf(t->arena, "%s/%s_%zu.pb", set, kind, *count);
        if (!rk_file_exists(path))
            return true;
        if (!rk_onnx_read_tensor(&(*out)[*count], path, t->arena, t->diag))
            return diagnosed(t, kind);
    }
    return true;
}

static bool near(double found, double expected, rk_dtype dtype)
{
    /* Of bf16 two of its steps, 2^-6, as ONNX's own runner has it. */
    const double relative = dtype == RK_BF16 ? 0x1p-6 : dtype == RK_F16 ? 1e-2 : 1e-3;
    if (isnan(expected) || isinf(expected))
        return (isnan(expected) && isnan(found)) || found == expected;
    return fabs(found - expected) <= 1e-5 * (rk_dtype_is_float(dtype) ? 1 : 0) +
                                         (rk_dtype_is_float(dtype) ? relative * fabs(expected) : 0);
}

static bool compare(trial *t, const char *name, const rk_tensor *have, const void *value,
                    const rk_onnx_given *expected)
{
    /* ONNX's tests hold bf16 as u16 of the same bits. */
    bool same =
        (have->dtype == expected->dtype || (have->dtype == RK_BF16 && expected->dtype == RK_U16)) &&
        have->rank == expected->rank;
    for (int d = 0; d < have->rank && same; d++)
        same = have->shape[d] == expected->shape[d];
    if (!same)
        return fail(t, "output %s has another type or shape", name);
    const bool real = rk_dtype_is_float(have->dtype);
    for (int64_t i = 0; i < rk_tensor_elements(have); i++) {
        const rk_domain domain = real ? RK_DOMAIN_F64 : RK_DOMAIN_I64;
        const rk_scalar a = rk_scalar_load(value, have->dtype, i, domain);
        const rk_scalar b = rk_scalar_load(expected->data, have->dtype, i, domain);
        if (real ? !near(a.d, b.d, have->dtype) : a.i != b.i)
            return fail(t, "output %s, element %lld: %.9g, not %.9g", name, (long long)i,
                        real ? a.d : (double)a.i, real ? b.d : (double)b.i);
    }
    return true;
}

/** Plans the graph, proves the plan and makes its image. */
static rk_image *plan(const rk_graph *graph, trial *t)
{
    const world *w = t->w;
    const rk_profile *profile = rk_profile_measured(NULL, w->device, t->arena);
    rk_candidates *candidates = (rk_candidates *)rk_candidates_find(
        graph, w->catalog, w->bindings, w->device, profile, NULL, t->arena, t->diag);
    if (!candidates) {
        diagnosed(t, "selection");
        return NULL;
    }
    rk_edge *edges;
    size_t edge_count;
    rk_graph_edges(&edges, &edge_count, graph, t->arena);
    const rk_problem problem = {.graph = graph,
                                .candidates = candidates,
                                .device = w->device,
                                .edges = edges,
                                .edge_count = edge_count,
                                .max_veus = VEUS};
    rk_schedule *schedule =
        rk_schedule_run(rk_policy_find("wavefront"), &problem, t->arena, t->diag);
    const rk_memory *memory = schedule ? rk_memory_plan(&problem, schedule, t->arena) : NULL;
    if (!schedule || !rk_check(schedule, memory, &problem, t->arena, t->diag)) {
        diagnosed(t, "schedule");
        return NULL;
    }
    return rk_image_build(schedule, memory, &problem, t->arena);
}

/** Outputs by the vDevice. */
static bool run_vdevice(void **outputs, const rk_graph *graph, const void *const *inputs, trial *t)
{
    rk_image *image = plan(graph, t);
    double seconds;
    if (!image)
        return false;
    rk_cpu_vdevice *vdevice = rk_cpu_vdevice_new(image, t->w->catalog, NULL, t->arena, t->diag);
    if (!vdevice)
        return diagnosed(t, "vDevice");
    for (size_t i = 0; i < graph->output_count; i++)
        outputs[i] = rk_arena_alloc(t->arena, (size_t)image->outputs[i].bytes + 1);
    const bool good = rk_cpu_vdevice_run(vdevice, inputs, outputs, &seconds, t->diag);
    rk_cpu_vdevice_free(vdevice);
    return good || diagnosed(t, "run");
}

/** Outputs by the operators' definitions. */
static bool run_definitions(void **outputs, const rk_graph *graph, const void *const *inputs,
                            trial *t)
{
    void **buffers = RK_NEW_ARRAY(t->arena, void *, graph->tensor_count + 1);
    for (size_t i = 0; i < graph->input_count; i++)
        buffers[graph->inputs[i]] = (void *)inputs[i];
    if (!rk_graph_eval(buffers, graph, t->arena, t->diag))
        return diagnosed(t, "definitions");
    for (size_t i = 0; i < graph->output_count; i++)
        outputs[i] = buffers[graph->outputs[i]];
    return true;
}

/** The names of the model's inputs go to the tensors of the data set, which often have none. */
static bool name_inputs(rk_onnx_given *inputs, size_t count, const char *model, trial *t);

static bool run_set(const char *model, const char *set, trial *t)
{
    rk_onnx_given *inputs, *expected;
    size_t input_count, output_count;
    if (!read_set(&inputs, &input_count, set, "input", t) ||
        !read_set(&expected, &output_count, set, "output", t) ||
        !name_inputs(inputs, input_count, model, t))
        return false;
    const rk_onnx_options options = {.given = inputs, .given_count = input_count};
    const rk_graph *graph = rk_onnx_import(model, &options, t->arena, t->diag);
    if (!graph)
        return diagnosed(t, "import");
    t->graph = graph;
    const void **values = RK_NEW_ARRAY(t->arena, const void *, graph->input_count + 1);
    for (size_t i = 0; i < graph->input_count; i++)
        for (size_t k = 0; k < input_count; k++)
            if (strcmp(inputs[k].name, graph->tensors[graph->inputs[i]].name) == 0)
                values[i] = inputs[k].data;
    for (size_t i = 0; i < graph->input_count; i++)
        if (!values[i])
            return fail(t, "there is no value of input %s", graph->tensors[graph->inputs[i]].name);
    if (output_count == 0 || output_count > graph->output_count)
        return fail(t, "it has %zu outputs, not %zu", graph->output_count, output_count);
    void **outputs = RK_NEW_ARRAY(t->arena, void *, graph->output_count + 1);
    t->constant = t->constant || (graph->input_count == 0 && input_count > 0);
    if (!(t->w->definitions ? run_definitions : run_vdevice)(outputs, graph, values, t))
        return false;
    for (size_t i = 0; i < output_count; i++) {
        const rk_tensor *tensor = &graph->tensors[graph->outputs[i]];
        if (!compare(t, tensor->name, tensor, outputs[i], &expected[i]))
            return false;
    }
    return true;
}

static bool name_inputs(rk_onnx_given *inputs, size_t count, const char *model, trial *t)
{
    const char **names;
    size_t named;
    if (!rk_onnx_input_names(&names, &named, model, t->arena, t->diag))
        return diagnosed(t, "import");
    if (count > named)
        return fail(t, "there are more values than inputs");
    for (size_t i = 0; i < count; i++)
        inputs[i].name = names[i];
    return true;
}

static bool run_test(trial *t)
{
    const char *model = rk_arena_printf(t->arena, "%s/model.onnx", t->folder);
    bool good = true;
    for (int set = 0; good; set++) {
        const char *folder = rk_arena_printf(t->arena, "%s/test_data_set_%d", t->folder, set);
        if (!rk_file_is_dir(folder))
            return set > 0 || fail(t, "there is no data set");
        good = run_set(model, folder, t);
    }
    return false;
}

/** The line of the test in the list of those that fail, or NULL. */
static const char *known_reason(const char *list, const char *name, rk_arena *arena)
{
    const size_t length = strlen(name);
    for (const char *line = list; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            return rk_arena_strndup(arena, line, strcspn(line, "\n"));
    }
    return NULL;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/** Damages the bytes at a random place: a bit, a byte, a part that is left out or there twice, the end. */
static size_t damage(char *bytes, size_t size, uint64_t *random)
{
    const size_t at = next_random(random) % size;
    const size_t length = next_random(random) % (size - at < 40 ? size - at : 40) + 1;
    switch (next_random(random) % 6) {
    case 0:
        bytes[at] = (char)(bytes[at] ^ 1 << next_random(random) % 8);
        return size;
    case 1:
        bytes[at] = (char)next_random(random);
        return size;
    case 2:
        memset(bytes + at, 0xff, length);
        return size;
    case 3:
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    case 4:
        memmove(bytes + at + length, bytes + at, size - at);
        return size + length;
    default:
        return at + 1;
    }
}

/** Imports damaged copies of a model: each is a graph or an error, in bounded memory. */
static bool try_damaged(const char *model, const char *copy, uint64_t *random, size_t *refused)
{
    enum { ROUNDS = 1, MOST_BYTES = 512 << 20 };
    bool good = true;
    for (int i = 0; i < ROUNDS && good; i++) {
        rk_arena *arena = rk_arena_new();
        rk_diag *diag = rk_diag_new(arena);
        rk_bytes whole;
        const rk_onnx_options options = {0};
        if (rk_file_read(&whole, model, arena, diag) && whole.size) {
            char *bytes = rk_arena_alloc(arena, whole.size + 64);
            memcpy(bytes, whole.data, whole.size);
            const size_t size = damage(bytes, whole.size, random);
            FILE *file = fopen(copy, "wb");
            good = file && fwrite(bytes, 1, size, file) == size;
            if (file)
                fclose(file);
            const rk_graph *graph = good ? rk_onnx_import(copy, &options, arena, diag) : NULL;
            *refused += !graph;
            good = good && (graph || rk_diag_count_of(diag, RK_ERROR) > 0) &&
                   rk_arena_size(arena) < MOST_BYTES;
        }
        if (!good)
            printf("FAIL %s: damaged, it is neither read nor refused in bounded memory\n", model);
        rk_arena_free(arena);
    }
    return good;
}

/** --damage SEED FOLDER: every model of the folder, damaged. */
static int damage_folder(uint64_t seed, const char *folder)
{
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    char **names;
    size_t count, refused = 0;
    bool good = true;
    char *scratch = rk_file_temporary("onnx", arena, diag);
    if (!scratch || !rk_file_list(&names, &count, folder, NULL, arena, diag) || count == 0)
        return 77;
    const char *copy = rk_path_join(arena, scratch, "damaged.onnx");
    for (size_t i = 0; i < count; i++)
        good = try_damaged(rk_arena_printf(arena, "%s/%s/model.onnx", folder, names[i]), copy,
                           &seed, &refused) &&
               good;
    printf("%zu models, %zu damaged ones refused\n", count, refused);
    rk_file_remove(scratch, diag);
    rk_arena_free(arena);
    return !good || refused == 0;
}

typedef struct {
    size_t good, all;
    size_t constant; /**< of the good ones, those whose outputs the import computed */
} counts;

/** Runs the tests of a folder; how many were not as the list says. */
static size_t run_folder(const char *folder, const world *w, const char *list, counts *n)
{
    rk_arena *arena = rk_arena_new();
    char **names;
    size_t count, odd = 0;
    if (!rk_file_list(&names, &count, folder, NULL, arena, rk_diag_new(arena)))
        return 1;
    rk_arena *scratch = rk_arena_new();
    for (size_t i = 0; i < count; i++) {
        rk_arena_reset(scratch);
        trial t = {.w = w, .arena = scratch, .diag = rk_diag_new(scratch)};
        t.folder = rk_path_join(scratch, folder, names[i]);
        const bool passed = run_test(&t);
        if (w->table)
            operators_note(w->table, rk_path_join(scratch, t.folder, "model.onnx"), t.graph,
                           passed);
        const char *known = known_reason(list, names[i], scratch);
        n->good += passed;
        n->constant += passed && t.constant;
        n->all++;
        if (!passed && !known)
            printf("FAIL %s: %s\n", names[i], t.reason);
        if (passed && known)
            printf("NO LONGER FAILS %s\n", known);
        odd += passed == (known != NULL);
        fflush(stdout);
    }
    rk_arena_free(scratch);
    rk_arena_free(arena);
    return odd;
}

int main(int argc, char **argv)
{
    world w = {0};
    if (argc > 1 && strcmp(argv[1], "--definitions") == 0) {
        w.definitions = true;
        argv++;
        argc--;
    }
    const char *table = NULL;
    if (argc > 2 && strcmp(argv[1], "--table") == 0) {
        table = argv[2];
        argv += 2;
        argc -= 2;
    }
    if (argc == 4 && strcmp(argv[1], "--damage") == 0)
        return damage_folder(strtoull(argv[2], NULL, 10), argv[3]);
    if (argc < 6)
        return 2;
    if (!rk_file_is_dir(argv[5]))
        return 77;
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    rk_bytes list;
    w.catalog = rk_catalog_read(rk_path_join(arena, argv[1], "catalog.json"), arena, diag);
    w.bindings = w.catalog ? rk_bindings_read(argv[2], w.catalog, arena, diag) : NULL;
    w.device = rk_device_read("cpu", argv[3], arena, diag);
    if (!w.bindings || !w.device || !rk_file_read(&list, argv[4], arena, diag)) {
        rk_diag_print(diag, 0, stderr, false);
        return 2;
    }
    size_t odd = 0;
    w.table = table ? operators_new(arena) : NULL;
    for (int i = 5; i < argc; i++) {
        counts n = {0};
        odd += run_folder(argv[i], &w, list.data, &n);
        printf("%s: %zu of %zu tests pass, of which %zu have no input that is not known\n",
               rk_path_base(argv[i]), n.good, n.all, n.constant);
    }
    const bool held = !table || operators_hold(w.table, table);
    rk_arena_free(arena);
    return odd != 0 || !held;
}
