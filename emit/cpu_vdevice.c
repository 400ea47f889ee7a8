#include "emit/cpu.h"

#include "base/file.h"
#include "base/vec.h"
#include "emit/cpu_spine.h"
#include "emit/emit_internal.h"
#include "rkernel_lib/catalog/cpu_levels.h"
#include "rkernel_lib/catalog/files.h"
#include "rkernel_lib/runtime/cpu/executor.h"
#include "sched/simulate/trace_events.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MEMORY_ALIGN = 256 };

/** A shared object that is open. */
typedef struct {
    const char *path;
    void *handle;
} library;

struct rk_cpu_vdevice {
    const rk_image *image;
    unsigned char *memory; /**< image->memory_bytes, constants in place */
    RK_VEC(library) libraries;
    rk_cpu_spine *spine;   /**< of a family; else NULL */
    rk_executor *executor;
    bool clocked; /**< see rk_cpu_options */
    bool exact;
};

/* Loading. */

static rk_place kernel_place(const char *file, const rk_kernel *kernel, rk_arena *arena)
{
    return rk_place_object(arena, file, "kernel", kernel->id);
}

/** Whether the kernel's files have the hash that the image knows, if it knows one; RK-M108. */
static bool check_hash(const char *path, const rk_catalog *catalog, const rk_image_fn *fn,
                       rk_arena *arena, rk_diag *diag)
{
    const char *hash;
    if (!fn->library)
        return true;
    if (!rk_emit_library_hash(&hash, fn->kernel, catalog, arena, diag))
        return false;
    return strcmp(hash, fn->library) == 0 ||
           rk_diag_add(diag, RK_ERROR, "RK-M108", kernel_place(path, fn->kernel, arena),
                       "build the image again",
                       "the shared object was changed after the image was written");
}

/** Whether the file is a shared object for this machine; diagnoses RK-M102, RK-M103. */
static bool check_library(const char *path, const rk_kernel *kernel, rk_arena *arena, rk_diag *diag)
{
#if defined(__x86_64__)
    const Elf64_Half machine = EM_X86_64;
#else
    const Elf64_Half machine = EM_AARCH64;
#endif
    rk_place place = kernel_place(path, kernel, arena);
    if (!rk_file_exists(path))
        return rk_diag_add(
            diag, RK_ERROR, "RK-M102", place, "run rkconvert again on the kernels' sources",
            "the shared object of catalog entry %s (hash %s) is missing", kernel->id, kernel->hash);
    Elf64_Ehdr header = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, &header, sizeof header) : -1;
    if (file >= 0)
        close(file);
    if (size != (ssize_t)sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return rk_diag_add(diag, RK_ERROR, "RK-M103", place,
                           "run rkconvert again on the kernels' sources",
                           "the kernel's file is no shared object");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != machine)
        return rk_diag_add(diag, RK_ERROR, "RK-M103", place, "run rkconvert on this machine",
                           "the kernel's shared object is for another architecture (ELF machine "
                           "%d, here %d)",
                           header.e_machine, machine);
    return true;
}

/** The shared object that is run here: for the best level of this processor, or the one that all run. */
static const char *library_of(const rk_cpu_vdevice *vdevice, const rk_kernel *kernel,
                              rk_arena *arena)
{
    const unsigned levels = vdevice->exact ? 0 : kernel->cpu_levels & rk_cpu_levels_here();
    return levels ? rk_cpu_level_file(arena, kernel->cpu_library, rk_cpu_level_best(levels))
                  : kernel->cpu_library;
}

/** The open shared object of a kernel; NULL with a diagnostic. */
static void *open_library(rk_cpu_vdevice *vdevice, const rk_catalog *catalog, const rk_image_fn *fn,
                          rk_arena *arena, rk_diag *diag)
{
    const rk_kernel *kernel = fn->kernel;
    if (vdevice->exact && kernel->cpu_threads == RK_CPU_LIBRARY) {
        rk_diag_add(diag, RK_ERROR, "RK-M109", kernel_place(NULL, kernel, arena),
                    "build the image again, with --exact",
                    "the kernel is a product of this machine's BLAS, whose bytes are its own");
        return NULL;
    }
    if (!kernel->cpu_library || !kernel->cpu_entry) {
        rk_diag_add(diag, RK_ERROR, "RK-M101", kernel_place(NULL, kernel, arena),
                    "run rkconvert again without leaving out the CPU",
                    "the catalog has no CPU code for the kernel");
        return NULL;
    }
    const char *path =
        rk_catalog_file(catalog, library_of(vdevice, kernel, arena), arena, diag);
    if (!path)
        return NULL;
    for (size_t i = 0; i < vdevice->libraries.count; i++) {
        if (strcmp(vdevice->libraries.items[i].path, path) == 0)
            return vdevice->libraries.items[i].handle;
    }
    if (!check_library(path, kernel, arena, diag) || !check_hash(path, catalog, fn, arena, diag))
        return NULL;
    /* A name without a slash would be searched for elsewhere. */
    const char *exact = strchr(path, '/') ? path : rk_arena_printf(arena, "./%s", path);
    void *handle = dlopen(exact, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        rk_diag_add(diag, RK_ERROR, "RK-M103", kernel_place(path, kernel, arena),
                    "run rkconvert again on this machine",
                    "the kernel's shared object cannot be loaded: %s", dlerror());
        return NULL;
    }
    *rk_push(arena, &vdevice->libraries) = (library){path, handle};
    return handle;
}

static rk_cpu_entry find_entry(rk_cpu_vdevice *vdevice, const rk_catalog *catalog,
                               const rk_image_fn *fn, rk_arena *arena, rk_diag *diag)
{
    const rk_kernel *kernel = fn->kernel;
    void *handle = open_library(vdevice, catalog, fn, arena, diag);
    if (!handle)
        return NULL;
    rk_cpu_entry entry;
    void *symbol = dlsym(handle, kernel->cpu_entry);
    _Static_assert(sizeof entry == sizeof symbol, "POSIX: functions have addresses like objects");
    memcpy(&entry, &symbol, sizeof entry);
    if (!entry)
        rk_diag_add(
            diag, RK_ERROR, "RK-M104",
            kernel_place(rk_catalog_path(catalog, kernel->cpu_library, arena), kernel, arena),
            "run rkconvert again on the kernel's source", "the shared object has no entry '%s'",
            kernel->cpu_entry);
    return entry;
}

/** Whether rTasks of the function fit the image's vEUs; RK-M105. */
static bool check_fn(const rk_image *image, const rk_image_fn *fn, rk_arena *arena, rk_diag *diag)
{
    int64_t rtasks = rk_emit_volume(fn->grid), threads = rk_emit_volume(fn->block);
    if (rtasks >= 1 && rtasks < RK_IMAGE_END && threads >= 1 && threads <= image->veu_threads &&
        fn->shared >= 0 && fn->shared <= UINT32_MAX)
        return true;
    return rk_diag_add(diag, RK_ERROR, "RK-M105", kernel_place(NULL, fn->kernel, arena),
                       "build the schedule again",
                       "%lld rTasks of %lld threads and %lld bytes of dynamic shared memory do not "
                       "fit vEUs of %d threads",
                       (long long)rtasks, (long long)threads, (long long)fn->shared,
                       image->veu_threads);
}

bool rk_cpu_check(const rk_image *image, const rk_catalog *catalog, rk_arena *arena, rk_diag *diag)
{
    rk_cpu_vdevice loaded = {.image = image};
    bool good = true;
    for (size_t i = 0; i < image->fn_count; i++) {
        const rk_image_fn *fn = &image->fns[i];
        const bool found = find_entry(&loaded, catalog, fn, arena, diag) != NULL;
        good = check_fn(image, fn, arena, diag) && found && good;
    }
    rk_cpu_vdevice_free(&loaded);
    return good;
}

/* From the image's tables to the executor's. */

/** A kernel parameter's slot: offsets become addresses. */
static uint64_t resolve_arg(const rk_cpu_vdevice *vdevice, const rk_param *param, uint64_t slot)
{
    if (!param->pointer)
        return slot;
    return slot == UINT64_MAX ? 0 : (uint64_t)(uintptr_t)(vdevice->memory + slot);
}

static rk_executor_op make_op(const rk_cpu_vdevice *vdevice, const rk_image_op *from,
                              const rk_cpu_entry *entries, rk_arena *arena)
{
    const rk_image_fn *fn = &vdevice->image->fns[from->fn];
    const rk_kernel *kernel = fn->kernel;
    uint64_t *args = RK_NEW_ARRAY(arena, uint64_t, kernel->param_count + 1);
    for (size_t i = 0; i < kernel->param_count; i++)
        args[i] =
            resolve_arg(vdevice, &kernel->params[i], vdevice->image->args[from->first_arg + i]);
    rk_executor_op op = {.entry = entries[from->fn],
                         .dynamic_shared = (uint32_t)fn->shared,
                         .args = args,
                         .signal = from->signal,
                         .ordered = kernel->uses.ordered,
                         .name = from->node};
    for (int i = 0; i < 3; i++) {
        op.grid[i] = (uint32_t)fn->grid[i];
        op.block[i] = (uint32_t)fn->block[i];
    }
    return op;
}

static rk_executor_op *make_ops(const rk_cpu_vdevice *vdevice, const rk_cpu_entry *entries,
                                      rk_arena *arena)
{
    const rk_image *image = vdevice->image;
    rk_executor_op *ops = RK_NEW_ARRAY(arena, rk_executor_op, image->op_count + 1);
    for (size_t i = 0; i < image->op_count; i++)
        ops[i] = make_op(vdevice, &image->ops[i], entries, arena);
    return ops;
}

static rk_executor_plan make_plan(const rk_cpu_vdevice *vdevice, const rk_executor_op *ops,
                                  rk_arena *arena)
{
    _Static_assert(RK_EXECUTOR_WAIT == RK_IMAGE_WAIT && RK_EXECUTOR_END == RK_IMAGE_END,
                   "both tables mark barrier-rTasks and ends alike");
    const rk_image *image = vdevice->image;
    rk_executor_entry *rows = RK_NEW_ARRAY(arena, rk_executor_entry, image->entry_count + 1);
    for (size_t i = 0; i < image->entry_count; i++)
        rows[i] = (rk_executor_entry){image->entries[i].op, image->entries[i].rtask};
    rk_executor_wait *waits = RK_NEW_ARRAY(arena, rk_executor_wait, image->wait_count + 1);
    for (size_t i = 0; i < image->wait_count; i++)
        waits[i] = (rk_executor_wait){image->waits[i].first, image->waits[i].count};
    rk_executor_item *items = RK_NEW_ARRAY(arena, rk_executor_item, image->item_count + 1);
    for (size_t i = 0; i < image->item_count; i++)
        items[i] = (rk_executor_item){image->items[i].veu, image->items[i].step};
    rk_executor_program *programs =
        RK_NEW_ARRAY(arena, rk_executor_program, image->program_count + 1);
    for (size_t i = 0; i < image->program_count; i++)
        programs[i] = (rk_executor_program){image->programs[i].veu_first, image->programs[i].steps};
    return (rk_executor_plan){.veu_count = image->veu_count,
                              .counter_count = image->counter_count,
                              .veu_threads = (uint32_t)image->veu_threads,
                              .veu_shared = (uint64_t)rk_emit_veu_shared(image),
                              .ops = ops,
                              .op_count = image->op_count,
                              .entries = rows,
                              .entry_count = image->entry_count,
                              .waits = waits,
                              .wait_count = image->wait_count,
                              .items = items,
                              .item_count = image->item_count,
                              .programs = programs,
                              .program_count = image->program_count};
}

/* The vDevice. */

static bool make_memory(rk_cpu_vdevice *vdevice, rk_diag *diag)
{
    const rk_image *image = vdevice->image;
    size_t size = ((size_t)image->memory_bytes / MEMORY_ALIGN + 1) * MEMORY_ALIGN;
    vdevice->memory = aligned_alloc(MEMORY_ALIGN, size);
    if (!vdevice->memory)
        return rk_diag_add(diag, RK_ERROR, "RK-M107", (rk_place){0}, NULL,
                           "no memory for the vDevice's %zu bytes", size);
    memset(vdevice->memory, 0, size);
    if (image->constant_bytes)
        memcpy(vdevice->memory, image->constants, (size_t)image->constant_bytes);
    return true;
}

/** $RK_CPU_WORKERS, 0 when it is not set to a number. */
static uint32_t workers_wanted(void)
{
    const char *text = getenv("RK_CPU_WORKERS");
    long value = text ? strtol(text, NULL, 10) : 0;
    return value > 0 && value <= INT_MAX ? (uint32_t)value : 0;
}

static bool load(rk_cpu_vdevice *vdevice, const rk_catalog *catalog, const rk_cpu_options *options,
                 rk_arena *arena, rk_diag *diag)
{
    const rk_image *image = vdevice->image;
    rk_cpu_entry *entries = RK_NEW_ARRAY(arena, rk_cpu_entry, image->fn_count + 1);
    bool good = true;
    vdevice->exact = options && options->exact;
    for (size_t i = 0; i < image->fn_count; i++) {
        const rk_image_fn *fn = &image->fns[i];
        entries[i] = find_entry(vdevice, catalog, fn, arena, diag);
        good = check_fn(image, fn, arena, diag) && entries[i] && good;
    }
    if (!good || !make_memory(vdevice, diag))
        return false;

    rk_executor_op *ops = make_ops(vdevice, entries, arena);
    rk_executor_plan plan = make_plan(vdevice, ops, arena);
    if (options && options->spine) {
        vdevice->spine = rk_cpu_spine_new(options->spine, ops, vdevice->memory, arena);
        rk_cpu_spine_plan(&plan, vdevice->spine);
    }
    rk_executor_options wanted = {.workers = workers_wanted()};
    if (options) {
        wanted.workers = options->workers ? options->workers : wanted.workers;
        wanted.first_base = options->first_base;
        wanted.clocked = vdevice->clocked = options->clocked;
    }
    rk_executor_fault fault;
    vdevice->executor = rk_executor_new(&plan, &wanted, &fault);
    return vdevice->executor || rk_diag_add(diag, RK_ERROR, "RK-M107", rk_place_file(image->name),
                                            NULL, "cannot make the vDevice: %s", fault.message);
}

rk_cpu_vdevice *rk_cpu_vdevice_new(const rk_image *image, const rk_catalog *catalog,
                                   const rk_cpu_options *options, rk_arena *arena, rk_diag *diag)
{
    rk_cpu_vdevice *vdevice = RK_NEW(arena, rk_cpu_vdevice);
    vdevice->image = image;
    if (load(vdevice, catalog, options, arena, diag))
        return vdevice;
    rk_cpu_vdevice_free(vdevice);
    return NULL;
}

void rk_cpu_vdevice_free(rk_cpu_vdevice *vdevice)
{
    if (!vdevice)
        return;
    rk_executor_free(vdevice->executor);
    free(vdevice->memory);
    for (size_t i = 0; i < vdevice->libraries.count; i++)
        dlclose(vdevice->libraries.items[i].handle);
}

bool rk_cpu_vdevice_set_dims(rk_cpu_vdevice *vdevice, const int64_t *values, rk_diag *diag)
{
    return rk_cpu_spine_set(vdevice->spine, values, diag);
}

const rk_image_io *rk_cpu_vdevice_inputs(const rk_cpu_vdevice *vdevice)
{
    return vdevice->spine ? rk_cpu_spine_inputs(vdevice->spine) : vdevice->image->inputs;
}

const rk_image_io *rk_cpu_vdevice_outputs(const rk_cpu_vdevice *vdevice)
{
    return vdevice->spine ? rk_cpu_spine_outputs(vdevice->spine) : vdevice->image->outputs;
}

uint32_t rk_cpu_vdevice_workers(const rk_cpu_vdevice *vdevice)
{
    return rk_executor_workers(vdevice->executor);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/** How the ops are run, and who is told how long each took, or each entry: NULL, nobody. */
typedef struct {
    bool one_by_one;
    double *op_ns;
    rk_executor_spans *spans; /**< by worker */
} run_way;

static bool run_with(rk_cpu_vdevice *vdevice, run_way way, const void *const *inputs,
                     void *const *outputs, double *seconds, rk_diag *diag)
{
    const rk_image *image = vdevice->image;
    const rk_image_io *in = rk_cpu_vdevice_inputs(vdevice), *out = rk_cpu_vdevice_outputs(vdevice);
    for (size_t i = 0; i < image->input_count; i++)
        memcpy(vdevice->memory + in[i].offset, inputs[i], (size_t)in[i].bytes);
    double start = seconds_now();
    rk_executor_fault fault;
    const bool good = way.one_by_one
                          ? rk_executor_run_one_by_one(vdevice->executor, way.op_ns, &fault)
                          : rk_executor_run_timed(vdevice->executor, way.spans, &fault);
    if (seconds)
        *seconds = vdevice->clocked ? rk_executor_processor_ns(vdevice->executor) * 1e-9
                                    : seconds_now() - start;
    if (!good) {
        rk_arena *scratch = rk_arena_new();
        rk_diag_add(diag, RK_ERROR, "RK-M106", rk_place_object(scratch, NULL, "node", fault.op),
                    "compare the kernel with the original: rkconvert --target cpu",
                    "rTask %u failed: %s", fault.rtask, fault.message);
        rk_arena_free(scratch);
        return false;
    }
    for (size_t i = 0; i < image->output_count; i++)
        memcpy(outputs[i], vdevice->memory + out[i].offset, (size_t)out[i].bytes);
    return true;
}

bool rk_cpu_vdevice_run(rk_cpu_vdevice *vdevice, const void *const *inputs, void *const *outputs,
                        double *seconds, rk_diag *diag)
{
    return run_with(vdevice, (run_way){0}, inputs, outputs, seconds, diag);
}

bool rk_cpu_vdevice_run_one_by_one(rk_cpu_vdevice *vdevice, const void *const *inputs,
                                   void *const *outputs, double *seconds, rk_diag *diag)
{
    return run_with(vdevice, (run_way){.one_by_one = true}, inputs, outputs, seconds, diag);
}

bool rk_cpu_vdevice_profile(rk_cpu_vdevice *vdevice, const void *const *inputs,
                            void *const *outputs, double *op_ns, rk_diag *diag)
{
    const run_way way = {.one_by_one = true, .op_ns = op_ns};
    return run_with(vdevice, way, inputs, outputs, NULL, diag);
}

static void add_spans(rk_str *trace, const rk_image *image, const rk_executor_spans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        const rk_executor_span *span = &spans->items[i];
        rk_trace_event event = {.kind = "wait", .program = span->program, .veu = span->veu, .start = span->begin, .end = span->end};
        if (span->entry.op != RK_EXECUTOR_WAIT) {
            event.kind = "work";
            event.node = image->ops[span->entry.op].node;
            event.kernel = image->fns[image->ops[span->entry.op].fn].kernel->id;
            event.rtask = span->entry.rtask;
        }
        rk_trace_add(trace, &event);
    }
}

bool rk_cpu_vdevice_run_traced(rk_cpu_vdevice *vdevice, const void *const *inputs,
                               void *const *outputs, rk_str *trace, rk_diag *diag)
{
    const rk_image *image = vdevice->image;
    const uint32_t workers = rk_cpu_vdevice_workers(vdevice);
    rk_executor_spans *spans = RK_NEW_ARRAY(trace->arena, rk_executor_spans, workers);
    bool good = run_with(vdevice, (run_way){.spans = spans}, inputs, outputs, NULL, diag);
    rk_trace_begin(trace, &(rk_trace_run){.times = "measured", .graph = image->name, .device = "this CPU",
                                          .veus = image->veu_count});
    for (uint32_t i = 0; i < workers; i++) {
        add_spans(trace, image, &spans[i]);
        if (good && spans[i].lost)
            good = rk_diag_add(diag, RK_ERROR, "RK-M107", rk_place_file(image->name), NULL, "no memory for the times of a run");
        free(spans[i].items);
    }
    rk_trace_end(trace);
    return good;
}
