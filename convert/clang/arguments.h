#ifndef RK_CONVERT_CLANG_ARGUMENTS_H
#define RK_CONVERT_CLANG_ARGUMENTS_H

#include "convert/unit/unit.h"

/* What libclang is given: CUDA's headers, ours, and the user's own arguments. */

/** What takes the place of __CUDA_ARCH__ in the parser's texts: a name of the same length (facts/branches.h). */
#define RK_DEVICE_ARCH "RK_CUDA_ARCH_"

/** Its value, a compute capability: the highest that is built for here. */
#define RK_DEVICE_ARCH_VALUE 900

/** Compiler arguments: ours, then the user's. */
typedef struct {
    const char *const *items;
    size_t count;
} rk_clang_args;

/** A user's arguments as clang has them, without those that only nvcc knows: what rk_convert_options.args has to be. */
rk_clang_args rk_parse_words(const char *const *args, size_t count, rk_arena *arena);

/**
 * The arguments of a run's sources, without the prelude itself; or those of the prelude, which
 * finds CUDA's own headers whatever the project calls its.
 */
rk_clang_args rk_parse_args(const rk_convert_options *options, bool prelude, rk_arena *arena);

/**
 * The toolkit's folder: the option's, $CUDA_PATH's, $CUDA_HOME's or the usual ones; NULL if none.
 */
const char *rk_parse_toolkit(const rk_convert_options *options, rk_arena *arena);

/**
 * The version of CUDA that the source is told, 1000 times the major and 10 times the minor one; in `other` whether that
 * is another than rk/cuda/cuda_version.h has, which what is compiled has to be told then.
 */
int rk_parse_cuda_version(bool *other, const rk_convert_options *options, rk_arena *arena);

/** That as the first line of what is compiled for the CPU (RK_DEFINES_VERSION); "" where it needs none. */
const char *rk_parse_version_line(const rk_convert_options *options, rk_arena *arena);

/** A file of share/rammer/parse. */
const char *rk_parse_file(const rk_convert_options *options, const char *name, rk_arena *arena);

#endif
