#include "convert/clang/arguments.h"

#include "convert/clang/nvcc_options.h"
#include "convert/unit/defines.h"
#include "convert/unit/sources.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef RK_VEC(const char *) arg_vec;

/** Clang's own headers, beside the library; libclang does not look there by itself. */
static const char *resource_dir(rk_arena *arena)
{
    Dl_info info;
    char real[PATH_MAX];
    if (dladdr((const void *)(uintptr_t)&clang_createIndex, &info) &&
        realpath(info.dli_fname, real)) {
        const char *dir = rk_path_dir(arena, real);
        const char *beside = rk_path_join(arena, dir, "clang/19");
        if (rk_file_is_dir(beside))
            return beside;
    }
    return "/usr/lib/llvm-19/lib/clang/19";
}

const char *rk_parse_toolkit(const rk_convert_options *options, rk_arena *arena)
{
    if (options->builtin_cuda)
        return NULL;
    const char *const places[] = {options->cuda_path, getenv("CUDA_PATH"), getenv("CUDA_HOME"),
                                  "/usr/local/cuda",  "/usr/lib/cuda",     "/opt/cuda"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i] && *places[i] &&
            rk_file_exists(rk_path_join(arena, places[i], "include/cuda_runtime.h")))
            return places[i];
    return NULL;
}

const char *rk_parse_file(const rk_convert_options *options, const char *name, rk_arena *arena)
{
    return rk_path_join(arena, rk_path_join(arena, options->home, "parse"), name);
}

/** The number that the header defines the name as; 0 if it does not. */
static int defined_in(const char *header, const char *name)
{
    rk_arena *scratch = rk_arena_new();
    rk_bytes text;
    int value = 0;
    if (rk_file_read(&text, header, scratch, rk_diag_new(scratch))) {
        const char *define = rk_arena_printf(scratch, "#define %s ", name);
        const char *at = strstr(text.data, define);
        value = at ? (int)strtol(at + strlen(define), NULL, 10) : 0;
    }
    rk_arena_free(scratch);
    return value;
}

int rk_parse_cuda_version(bool *other, const rk_convert_options *options, rk_arena *arena)
{
    const char *toolkit = rk_parse_toolkit(options, arena);
    const int ours = defined_in(
        rk_path_join(arena, options->home, "include/rk/cuda/cuda_version.h"), "RK_CUDA_VERSION");
    const int theirs = toolkit
                           ? defined_in(rk_path_join(arena, toolkit, "include/cuda_runtime_api.h"),
                                        "CUDART_VERSION")
                           : 0;
    *other = theirs && theirs != ours;
    return theirs ? theirs : ours;
}

const char *rk_parse_version_line(const rk_convert_options *options, rk_arena *arena)
{
    bool other;
    const int version = rk_parse_cuda_version(&other, options, arena);
    return other ? rk_arena_printf(arena, RK_DEFINES_VERSION "%d\n", version) : "";
}

/** Whether the toolkit's headers lie in the system's own folder, which must stay behind C++'s. */
static bool is_searched(const char *toolkit, rk_arena *arena)
{
    return strcmp(rk_sources_real_path(rk_path_join(arena, toolkit, "include"), arena),
                  "/usr/include") == 0;
}

static void add_toolkit(arg_vec *args, const rk_convert_options *options, rk_arena *arena)
{
    const char *toolkit = rk_parse_toolkit(options, arena);
    bool other;
    const int version = rk_parse_cuda_version(&other, options, arena);
    if (other)
        *rk_push(arena, args) = rk_arena_printf(arena, "-DRK_CUDA_VERSION=%d", version);
    if (toolkit) {
        *rk_push(arena, args) = rk_arena_printf(arena, "--cuda-path=%s", toolkit);
        *rk_push(arena, args) = "-isystem";
        *rk_push(arena, args) = rk_parse_file(options, "toolkit", arena);
        *rk_push(arena, args) = "-isystem";
        *rk_push(arena, args) = rk_path_join(arena, toolkit, "include/cccl");
        if (!is_searched(toolkit, arena)) {
            *rk_push(arena, args) = "-isystem";
            *rk_push(arena, args) = rk_path_join(arena, toolkit, "include");
        }
    } else {
        *rk_push(arena, args) = "-nocudainc";
        *rk_push(arena, args) = "-Xclang";
        *rk_push(arena, args) = "-target-sdk-version=12.0";
        *rk_push(arena, args) = "-DRK_PARSE_BUILTIN";
        *rk_push(arena, args) = "-isystem";
        *rk_push(arena, args) = rk_parse_file(options, "builtin", arena);
    }
    *rk_push(arena, args) = "-isystem";
    *rk_push(arena, args) = rk_parse_file(options, "check", arena);
    *rk_push(arena, args) = "-isystem"; /* of the runtime, what a converted text needs as it is */
    *rk_push(arena, args) = rk_path_join(arena, options->home, "include");
    *rk_push(arena, args) = "-idirafter";
    *rk_push(arena, args) = rk_parse_file(options, "after", arena);
    *rk_push(arena, args) = "-idirafter"; /* behind an installed PyTorch's */
    *rk_push(arena, args) = rk_path_join(arena, options->home, "include/rk/torch");
}

/** Whether it says where headers are or defines macros, which the prelude does not heed. */
static bool about_headers(const char *arg, bool *skip)
{
    static const char *const joined[] = {"-I", "-D", "-U"};
    static const char *const apart[] = {"-isystem", "-iquote", "-idirafter", "-include"};
    *skip = false;
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        if (!rk_str_starts(arg, joined[i]))
            continue;
        *skip = arg[2] == '\0';
        return true;
    }
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        if (strcmp(arg, apart[i]) != 0)
            continue;
        *skip = true;
        return true;
    }
    return false;
}

rk_clang_args rk_parse_words(const char *const *args, size_t count, rk_arena *arena)
{
    arg_vec words = {0};
    for (size_t i = 0; i < count; i++) {
        const bool passed = strcmp(args[i], "-Xclang") == 0;
        const char *both[2] = {args[i], NULL};
        const size_t taken = passed ? 0 : rk_cc_for_parser(both, args, count, i, arena);
        if (taken == 0) {
            both[0] = args[i];
            both[1] = NULL;
        }
        for (size_t k = 0; k < 2 && both[k]; k++)
            *rk_push(arena, &words) = both[k];
        if (passed && i + 1 < count)
            *rk_push(arena, &words) = args[++i];
        i += taken > 1;
    }
    return (rk_clang_args){words.items, words.count};
}

rk_clang_args rk_parse_args(const rk_convert_options *options, bool prelude, rk_arena *arena)
{
    static const char *const fixed[] = {"-xcuda",           "--cuda-host-only", "-nocudalib",
                                        "-Xclang",          "-fno-cxx-modules", "-Wno-everything",
                                        "-ferror-limit=50", "-resource-dir"};
    arg_vec args = {0};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        *rk_push(arena, &args) = fixed[i];
    *rk_push(arena, &args) = resource_dir(arena);
    add_toolkit(&args, options, arena);
    for (size_t i = 0; i < options->arg_count; i++) {
        bool value;
        const bool headers = about_headers(options->args[i], &value);
        if (!(prelude && headers))
            *rk_push(arena, &args) = options->args[i];
        if (value && !prelude && i + 1 < options->arg_count)
            *rk_push(arena, &args) = options->args[i + 1];
        i += value;
    }
    if (!prelude)
        *rk_push(arena, &args) =
            rk_arena_printf(arena, "-D%s=%d", RK_DEVICE_ARCH, RK_DEVICE_ARCH_VALUE);
    return (rk_clang_args){args.items, args.count};
}
