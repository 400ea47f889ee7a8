#include "convert/cc/link.h"

#include <string.h>

/** A library of CUDA's, and what stands in for it. */
typedef struct {
    const char *name;
    const char *archive; /**< of ours, "librk_cublas.a"; NULL when the runtime has it */
    const char *needs;   /**< a library of the system that the archive needs, or NULL */
} library;

static const library libraries[] = {
    {"cudart", NULL, NULL},
    {"cudart_static", NULL, NULL},
    {"cudadevrt", NULL, NULL},
    {"cuda", NULL, NULL},
    {"nvToolsExt", NULL, NULL},
    {"culibos", NULL, NULL},
    {"cublas", "librk_cublas.a", "-lopenblas"},
    {"cublas_static", "librk_cublas.a", "-lopenblas"},
    {"cublasLt", "librk_cublas.a", "-lopenblas"},
    {"curand", NULL, NULL},
    {"curand_static", NULL, NULL},
};

/** CUDA's other libraries, by how their names begin. */
static const char *const others[] = {"cufft", "cusparse", "cusolver", "cudnn", "nccl",    "nvrtc",
                                     "npp",   "nvjpeg",   "nvblas",   "cupti", "cutensor"};

/** The folder of the archives: lib beside the share folder's parent, under one of its usual names. */
static const char *library_folder(const rk_cc_options *options, rk_arena *arena)
{
    static const char *const names[] = {"lib", "lib64", "lib/x86_64-linux-gnu",
                                        "lib/aarch64-linux-gnu"};
    const char *prefix = rk_path_dir(arena, rk_path_dir(arena, options->home));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *folder = rk_path_join(arena, prefix, names[i]);
        if (rk_file_exists(rk_path_join(arena, folder, "librk_rkernel.a")))
            return folder;
    }
    return NULL;
}

typedef struct {
    rk_cc_words *command;
    const char *folder;
    rk_arena *arena;
    rk_diag *diag;
    bool ok;
} linker;

static void add(linker *l, const char *word)
{
    *rk_push(l->arena, l->command) = word;
}

static void refuse(linker *l, const char *name)
{
    l->ok = rk_diag_add(l->diag, RK_ERROR, "RK-V141", (rk_place){0},
                        "leave out what uses it, or build that part with another library",
                        "-l%s has no counterpart on a CPU", name);
}

/** A part of Rammer that was not built or not installed. */
static bool missing(linker *l, const char *archive)
{
    return rk_diag_add(l->diag, RK_ERROR, "RK-V142", rk_place_file(l->folder),
                       strcmp(archive, "librk_cublas.a") == 0
                           ? "install OpenBLAS, and build or install Rammer again"
                           : "build or install Rammer again",
                       "a part of the CPU runtime is not there: %s", archive);
}

/** Adds the counterpart of a library; false when the library is not CUDA's. */
static bool add_library(linker *l, const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const library *known = &libraries[i];
        if (strcmp(known->name, name) != 0)
            continue;
        if (!known->archive)
            return true;
        const char *path = rk_path_join(l->arena, l->folder, known->archive);
        if (!rk_file_exists(path))
            l->ok = missing(l, known->archive);
        add(l, path);
        if (known->needs)
            add(l, known->needs);
        return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (rk_str_starts(name, others[i])) {
            refuse(l, name);
            return true;
        }
    return false;
}

/** libcudart.so and the like, given by path. */
static const char *library_of_path(const char *path, rk_arena *arena)
{
    const char *base = rk_path_base(path);
    if (!rk_str_starts(base, "lib") || !(strstr(base, ".so") || rk_str_ends(base, ".a")))
        return NULL;
    return rk_arena_strndup(arena, base + 3, strcspn(base + 3, "."));
}

static void add_word(linker *l, const rk_cc_options *options, const char *const *objects,
                     const char *word)
{
    for (size_t i = 0; i < options->inputs.count; i++)
        if (options->inputs.items[i].path == word && objects[i]) {
            add(l, objects[i]);
            return;
        }
    const char *name = rk_str_starts(word, "-l") ? word + 2 : library_of_path(word, l->arena);
    if (!name || !add_library(l, name))
        add(l, word);
}

bool rk_cc_add_link(rk_cc_words *command, const rk_cc_options *options, const char *const *objects,
                    rk_arena *arena, rk_diag *diag)
{
    static const char *const runtime[] = {"librk_check.a", "librk_cuda.a", "librk_rkernel.a"};
    linker l = {command, library_folder(options, arena), arena, diag, true};
    if (!l.folder)
        return rk_diag_add(diag, RK_ERROR, "RK-V142", rk_place_file(options->home),
                           "install Rammer, or set RAMMER_HOME to its share/rammer",
                           "the CPU runtime is not there: no librk_rkernel.a");
    for (size_t i = 0; i < options->link.count; i++)
        add_word(&l, options, objects, options->link.items[i]);
    const bool checks = options->check > RK_CC_CHECK_MEMORY;
    add(&l, "-Wl,--start-group");
    for (size_t i = checks ? 0 : 1; i < sizeof runtime / sizeof *runtime; i++) {
        const char *path = rk_path_join(arena, l.folder, runtime[i]);
        if (!rk_file_exists(path))
            l.ok = missing(&l, runtime[i]);
        add(&l, path);
    }
    add(&l, "-Wl,--end-group");
    static const char *const system[] = {"-lpthread", "-ldl", "-lm"};
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        add(&l, system[i]);
    return l.ok;
}
