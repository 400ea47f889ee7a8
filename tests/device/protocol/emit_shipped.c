#include "base/file.h"
#include "base/str.h"
#include "rkernel_lib/catalog/catalog.h"
#include "rkernel_lib/catalog/expr.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * emit_shipped <catalog.json> <out>: for each converted file of a catalog a `<stem>.cu` with a vDevice
 * for each of its kernel instances and for each block that its launches come to. Its vEU has 256
 * threads, or as many as the block, and all the registers that it asks for. Prints how often each
 * barrier case arises.
 */
enum { VEU_THREADS = 256, WARP = 32, CASES = 4 };

typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    rk_str text;
    int vdevices;
    int by_case[CASES + 1];
} writer;

/** All names of a launching function have the same value: small sizes, then large ones. */
static bool same_value(void *user, rk_value *out, const char *name)
{
    (void)name;
    *out = rk_value_int(*(const int64_t *)user);
    return true;
}

static bool block_at(int64_t block[3], const rk_launch *launch, int64_t size, writer *w)
{
    const rk_env env = {.user = &size, .name = same_value};
    for (int d = 0; d < 3; d++) {
        if (!rk_expr_eval_int(&block[d], launch->block[d], &env, (rk_place){0}, w->arena, w->diag))
            return false;
    }
    return true;
}

/** As rk__::cuda_select_barrier has it. */
static int barrier_case(const rk_kernel *kernel, int64_t n, int64_t v)
{
    if (kernel->uses.early_return)
        return 4;
    if (n == v)
        return 1;
    if (n <= WARP)
        return 3;
    return n % WARP == 0 ? 2 : 4;
}

static const char *flag(bool value)
{
    return value ? "true" : "false";
}

static void add_config(writer *w, const rk_kernel *kernel, const int64_t block[3], int64_t veu)
{
    const rk_uses *uses = &kernel->uses;
    rk_str_addf(
        &w->text,
        "\n// %s\nstruct config_%d {\n"
        "    static constexpr unsigned grid_x = 60, grid_y = 7, grid_z = 3;\n"
        "    static constexpr unsigned block_x = %" PRId64 ", block_y = %" PRId64
        ", block_z = %" PRId64 ";\n"
        "    static constexpr unsigned veu_threads = %" PRId64 ";\n"
        "    static constexpr bool barrier = %s, reduce = %s, early_return = %s, warp = %s;\n"
        "    using Frame = %s;\n};\n",
        kernel->id, w->vdevices, block[0], block[1], block[2], veu, flag(uses->barrier),
        flag(uses->reduce), flag(uses->early_return), flag(uses->warp),
        kernel->rkernel_frame ? kernel->rkernel_frame : "void");
}

/** In the form that the cuda backend writes. */
static void add_vdevice(writer *w, const rk_kernel *kernel, const int64_t block[3])
{
    const int64_t n = block[0] * block[1] * block[2];
    const int64_t veu = n <= VEU_THREADS ? VEU_THREADS : (n + WARP - 1) / WARP * WARP;
    if (kernel->uses.barrier || kernel->uses.reduce)
        w->by_case[barrier_case(kernel, n, veu)]++;
    add_config(w, kernel, block, veu);
    rk_str_addf(&w->text,
                "struct functions_%d {\n"
                "    static __device__ void call(uint32_t, uint32_t rtask, const rk__::vdevice_args "
                "&arg)\n    {\n"
                "        rk__::cuda_context<config_%d> context(rtask);\n"
                "        if (context.active()) {\n            %s(context",
                w->vdevices, w->vdevices, kernel->rkernel_symbol);
    for (size_t i = 0; i < kernel->param_count; i++)
        rk_str_addf(&w->text, ", arg[%zu]", i);
    rk_str_addf(&w->text,
                ");\n%s        } else {\n            context.finish();\n        }\n    }\n};\n"
                "extern \"C\" __global__ void __launch_bounds__(%" PRId64 ", 1)\n"
                "    shipped_vdevice_%d(const rk__::vdevice_program program)\n{\n"
                "    rk__::vdevice_run<functions_%d, %" PRId64 ">(program);\n}\n",
                kernel->uses.early_return ? "" : "            context.finish();\n", veu,
                w->vdevices, w->vdevices, veu);
    w->vdevices++;
}

static bool add_kernel(writer *w, const rk_kernel *kernel)
{
    static const int64_t sizes[] = {8, 200, 4096};
    enum { MOST = 64 };
    int64_t seen[MOST][3];
    size_t count = 0;
    for (size_t l = 0; l < kernel->launch_count; l++) {
        for (size_t s = 0; kernel->launches[l].resolved && s < sizeof sizes / sizeof *sizes; s++) {
            int64_t block[3];
            if (count == MOST || !block_at(block, &kernel->launches[l], sizes[s], w))
                return false;
            size_t i = 0;
            while (i < count && memcmp(seen[i], block, sizeof block) != 0)
                i++;
            if (i < count)
                continue;
            memcpy(seen[count++], block, sizeof block);
            add_vdevice(w, kernel, block);
        }
    }
    if (count == 0)
        fprintf(stderr, "%s: no launch of it is resolved\n", kernel->id);
    return count > 0;
}

static bool write_source(writer *w, const rk_catalog *catalog, const char *file, const char *to)
{
    w->text = (rk_str){.arena = w->arena};
    rk_str_addf(&w->text, "#include <rk/rkernel.h>\n#include <rk/vdevice.cuh>\n\n#include \"%s\"\n",
                file);
    bool good = true;
    for (size_t i = 0; i < catalog->kernel_count; i++) {
        const rk_kernel *kernel = &catalog->kernels[i];
        if (kernel->rkernel_file && strcmp(kernel->rkernel_file, file) == 0)
            good = add_kernel(w, kernel) && good;
    }
    const char *name = rk_arena_printf(w->arena, "%.*s.cu", (int)strcspn(file, "."), file);
    const char *text = rk_str_text(&w->text);
    return rk_file_write(rk_path_join(w->arena, to, name), text, strlen(text), w->diag) && good;
}

static bool write_sources(writer *w, const char *path, const char *to)
{
    const rk_catalog *catalog = rk_catalog_read(path, w->arena, w->diag);
    bool good = catalog && rk_file_mkdirs(to, w->diag);
    for (size_t i = 0; good && i < catalog->kernel_count; i++) {
        const char *file = catalog->kernels[i].rkernel_file;
        size_t first = 0;
        while (first < i && (!file || !catalog->kernels[first].rkernel_file ||
                             strcmp(file, catalog->kernels[first].rkernel_file) != 0))
            first++;
        if (file && first == i)
            good = write_source(w, catalog, file, to) && good;
    }
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: emit_shipped <catalog.json> <out>\n");
        return 2;
    }
    rk_arena *arena = rk_arena_new();
    writer w = {.arena = arena, .diag = rk_diag_new(arena)};
    const bool good = write_sources(&w, argv[1], argv[2]);
    rk_diag_print(w.diag, 0, stderr, false);
    printf("%d vDevices; with a barrier", w.vdevices);
    bool each = true;
    for (int c = 1; c <= CASES; c++) {
        printf(", case %d: %d", c, w.by_case[c]);
        each = each && w.by_case[c] > 0;
    }
    printf("\n");
    if (good && !each)
        fprintf(stderr, "the shipped kernels do not come to each barrier case\n");
    rk_arena_free(arena);
    return good && each ? 0 : 1;
}
