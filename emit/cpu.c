#include "emit/cpu.h"

#include "base/file.h"
#include "base/vec.h"
#include "emit/cpu_machine.h"
#include "emit/cpu_profile.h"
#include "emit/emit_internal.h"
#include "rkernel_lib/catalog/cpu_levels.h"
#include "rkernel_lib/catalog/files.h"

#include <stdlib.h>
#include <string.h>

/*
 * The CPU backend. A catalog's kernels were compiled once, at import; the image's tables are executed
 * as they are (rkernel_lib/runtime/cpu/executor.h). An emitted folder holds the image, its weights, the shared
 * objects and the part of the catalog that names them.
 */

static int by_id(const void *a, const void *b)
{
    const rk_kernel *x = a, *y = b;
    return strcmp(x->id, y->id);
}

/** Copies a shared object to a name that is free, or has the same bytes; else `taken`. */
static bool copy_file(bool *taken, const char *name, const char *to, const rk_emit_request *request,
                      rk_arena *arena, rk_diag *diag)
{
    rk_bytes bytes, there;
    const char *from = rk_catalog_file(request->catalog, name, arena, diag);
    if (!from || !rk_file_read(&bytes, from, arena, diag))
        return false;
    if (!rk_file_exists(to))
        return rk_file_write(to, bytes.data, bytes.size, diag);
    if (!rk_file_read(&there, to, arena, diag))
        return false;
    *taken = there.size != bytes.size || memcmp(there.data, bytes.data, bytes.size) != 0;
    return true;
}

/** Copies the shared objects beside the image, and names the copies; objects of one name each get one of their own. */
static bool copy_library(rk_kernel *kernel, const rk_emit_request *request, rk_arena *arena,
                         rk_diag *diag)
{
    const rk_file_names from = rk_catalog_libraries(kernel, arena);
    const char *base = rk_path_base(kernel->cpu_library);
    bool good = true, taken = true;
    for (unsigned other = 0; good && taken; other++) {
        const char *name = other ? rk_arena_printf(arena, "%u-%s", other, base) : base;
        kernel->cpu_library = rk_path_join(arena, "cpu", name);
        const rk_file_names to = rk_catalog_libraries(kernel, arena);
        taken = false;
        for (size_t i = 0; good && !taken && i < from.count; i++)
            good = copy_file(&taken, from.items[i], rk_path_join(arena, request->dir, to.items[i]),
                             request, arena, diag);
    }
    return good;
}

/** Writes the kernels that the image uses and a catalog of them. */
static bool write_catalog(rk_catalog *out, const rk_emit_request *request, rk_arena *arena,
                          rk_diag *diag)
{
    const rk_image *image = request->image;
    rk_kernel *kernels = RK_NEW_ARRAY(arena, rk_kernel, image->fn_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < image->fn_count; i++)
        kernels[i] = *image->fns[i].kernel;
    if (image->fn_count)
        qsort(kernels, image->fn_count, sizeof *kernels, by_id);
    for (size_t i = 0; i < image->fn_count; i++) {
        if (count == 0 || strcmp(kernels[count - 1].id, kernels[i].id) != 0)
            kernels[count++] = kernels[i];
    }
    bool good = rk_file_mkdirs(rk_path_join(arena, request->dir, "cpu"), diag);
    for (size_t i = 0; good && i < count; i++)
        good = copy_library(&kernels[i], request, arena, diag);
    *out = (rk_catalog){.folder = request->dir, .kernels = kernels, .kernel_count = count};
    return good &&
           rk_catalog_write(out, rk_path_join(arena, request->dir, "catalog.json"), arena, diag);
}

/** Writes image.json, weights.bin, cpu/<hash>.so and catalog.json. */
static bool emit(const rk_emit_request *request, rk_arena *arena, rk_diag *diag)
{
    const rk_image *image = request->image;
    rk_catalog beside;
    return rk_cpu_check(image, request->catalog, arena, diag) &&
           write_catalog(&beside, request, arena, diag) &&
           rk_image_write(image, &beside, request->dir, arena, diag) &&
           rk_emit_references(request, arena, diag);
}

static bool run(const rk_image *image, const rk_catalog *catalog, const void *const *inputs,
                void *const *outputs, double *seconds, rk_arena *arena, rk_diag *diag)
{
    rk_cpu_vdevice *vdevice = rk_cpu_vdevice_new(image, catalog, NULL, arena, diag);
    bool good = vdevice && rk_cpu_vdevice_run(vdevice, inputs, outputs, seconds, diag);
    rk_cpu_vdevice_free(vdevice);
    return good;
}

static bool measure_costs(double costs[RK_COST_COUNT], const rk_device *device, rk_diag *diag)
{
    rk_cpu_machine_costs(costs, device);
    return rk_cpu_profile_costs(costs, device, diag);
}

const rk_backend rk_backend_cpu = {
    .name = "cpu",
    .summary = "this machine: vEUs are threads, the table is executed directly",
    .device = "cpu",
    .emit = emit,
    .run = run,
    .measure_costs = measure_costs,
    .measure = rk_cpu_profile_items,
};
