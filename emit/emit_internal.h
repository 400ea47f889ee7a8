#ifndef RK_EMIT_INTERNAL_H
#define RK_EMIT_INTERNAL_H

#include "base/json.h"
#include "base/str.h"
#include "emit/backend.h"

/* What the files of emit/ share. */

#define RK_IMAGE_FILE "image.json"
#define RK_WEIGHTS_FILE "weights.bin"

/** Hash of the constants, 16 hex digits: ties weights.bin to its image.json. */
const char *rk_emit_constants_hash(const rk_image *image, rk_arena *arena);

/** A hash as 16 hex digits. */
const char *rk_emit_hash_text(uint64_t hash, rk_arena *arena);

/** Sets the hash over a kernel's shared objects for the CPU; NULL where it has none. */
bool rk_emit_library_hash(const char **out, const rk_kernel *kernel, const rk_catalog *catalog,
                          rk_arena *arena, rk_diag *diag);

/** Hash of an image file's tree without its member "hash", 16 hex digits. */
const char *rk_emit_tables_hash(const cJSON *root, rk_arena *arena);

/** `text` as a C identifier: other characters become '_', and one is put before a digit. */
char *rk_emit_identifier(rk_arena *arena, const char *text);

/** `text` as a C string literal, quotes included. */
char *rk_emit_string(rk_arena *arena, const char *text);

/** The slot of any argument: a pointer's is where it points to, UINT64_MAX for null. */
uint64_t rk_image_arg(const rk_param *param, const rk_kernel_arg *arg, const rk_memory *memory,
                      const rk_graph *graph);

/** Threads of a block, and rTasks of a grid. */
int64_t rk_emit_volume(const int64_t size[3]);

/** Shared memory of a function: its frame, rounded up to 16 bytes, and the dynamic part behind. */
int64_t rk_emit_shared(const rk_image_fn *fn);

/** Largest rk_emit_shared of the image's functions, and at least what the schedule says. */
int64_t rk_emit_veu_shared(const rk_image *image);

/** Writes `text` to `dir/name`. */
bool rk_emit_file(const char *dir, const char *name, const rk_str *text, rk_arena *arena,
                  rk_diag *diag);

/**
 * Copies the converted files of the image's kernels to `to`, and with each the files that it includes
 * by a quoted name and that lie in the catalog's folder, at any depth.
 */
bool rk_emit_copy_kernels(const rk_image *image, const rk_catalog *catalog, const char *to,
                          rk_arena *arena, rk_diag *diag);

/**
 * Copies to `dir`/include/rk the runtime's headers that the files under `dir` include as <rk/...>, and
 * those that these include, at any depth: all but the ones in the folders `others` ("cpu/", ..., to NULL),
 * the parts of other targets, which the preprocessor leaves out. Call it when `dir` has all sources.
 */
bool rk_emit_copy_runtime(const char *dir, const char *runtime_dir, const char *const *others,
                          rk_arena *arena, rk_diag *diag);

/**
 * The image's converted files, each once, and for each the names of the macros that it defines, so
 * that one file's do not meet another's. In the order of its functions, but files with a header that
 * was not converted come last: a function there is in the global namespace, where a call with an
 * argument of type float4 in an earlier file, which has its own copy, would find it too.
 */
typedef struct {
    const char *file; /**< relative to the catalog's folder */
    const char *const *macros;
    size_t macro_count;
} rk_emit_source;
bool rk_emit_sources(rk_emit_source **out, size_t *count, const rk_image *image,
                     const rk_catalog *catalog, rk_arena *arena, rk_diag *diag);

/**
 * Writes `dir/reference`: input_<i>.bin, output_<i>.bin and index.json; nothing when there is none. Of a family each member
 * has a folder in it, `0`, `1`, ..., with the values of the dimensions, as 64-bit integers, in dims.bin.
 */
bool rk_emit_references(const rk_emit_request *request, rk_arena *arena, rk_diag *diag);

#endif
