#include "emit/emit_internal.h"

#include <inttypes.h>

/*
 * The skeleton of a backend: copy this file to emit/<name>.c, rename the constant at its end, and the
 * build finds it. A backend turns a rk_image into a folder that stands alone, and may run one.
 *
 * What every backend must keep (docs/vdevice.md):
 * - an rTask starts when the entries before it on its vEU have ended and its waits are met;
 * - at its end all its writes are visible to whoever sees the vEU's step, and its shared memory is
 *   free;
 * - rPrograms run one after another, and a second run needs no clearing.
 *
 * This one writes a summary of the image as text.
 */

/** Counts what a vEU of the program does. */
static void add_veu(rk_str *text, const rk_image *image, uint32_t program, uint32_t veu)
{
    uint32_t tasks = 0, waits = 0;
    const rk_image_entry *entry = &image->entries[image->programs[program].veu_first[veu]];
    for (; entry->op != RK_IMAGE_END; entry++) {
        if (entry->op == RK_IMAGE_WAIT)
            waits++;
        else
            tasks++;
    }
    rk_str_addf(text, "    vEU %" PRIu32 ": %" PRIu32 " rTasks, %" PRIu32 " barrier-rTasks\n", veu,
                tasks, waits);
}

/**
 * Writes into request->dir, which exists and is empty. Checks what the backend needs of the image and
 * diagnoses all that is wrong, RK-M..., before it writes anything.
 */
static bool emit(const rk_emit_request *request, rk_arena *arena, rk_diag *diag)
{
    const rk_image *image = request->image;
    rk_str text = {.arena = arena};
    rk_str_addf(&text, "%s: %" PRIu32 " vEUs of %d threads, %zu kernels, %" PRId64 " bytes\n",
                image->name, image->veu_count, image->veu_threads, image->fn_count,
                image->memory_bytes);
    for (uint32_t i = 0; i < image->program_count; i++) {
        rk_str_addf(&text, "rProgram %" PRIu32 ": %" PRIu32 " steps\n", i,
                    image->programs[i].steps);
        for (uint32_t v = 0; v < image->veu_count; v++)
            add_veu(&text, image, i, v);
    }
    return rk_emit_file(request->dir, "summary.txt", &text, arena, diag);
}

/*
 * A backend that can run on this machine gives `.run` too; where it is NULL, `rammer run` says so. `.measure`
 * and what belongs to it are for `rammer profile`. `.device` is a descriptor of sched/machine/devices/, an own
 * one if none of them fits.
 */
const rk_backend rk_backend_null = {
    .name = "null",
    .summary = "a summary as text; the skeleton to copy for a new backend",
    .device = "cpu",
    .emit = emit,
    .run = NULL,
};
