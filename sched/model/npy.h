#ifndef RK_SCHED_MODEL_NPY_H
#define RK_SCHED_MODEL_NPY_H

#include "sched/graph/graph.h"

/** An array of a NumPy `.npy` file: row-major, little-endian. */
typedef struct {
    rk_dtype dtype;
    int rank;
    int64_t shape[RK_MAX_RANK];
    const void *data; /**< aligned for its elements */
    size_t bytes;
} rk_npy;

/**
 * Reads a `.npy` file of format 1, 2 or 3 in C order. bf16, which NumPy lacks, is its two-byte void
 * type `V2`, as ml_dtypes has it. False with RK-F..., RK-N001 (no .npy file), RK-N002 (header),
 * RK-N003 (element type), RK-N004 (Fortran order), RK-N005 (shape) or RK-N006 (the data's size).
 */
bool rk_npy_read(rk_npy *out, const char *path, rk_arena *arena, rk_diag *diag);

/** As rk_npy_read, from bytes that live as long as `out`; `file` names them in diagnostics. */
bool rk_npy_parse(rk_npy *out, const void *bytes, size_t size, const char *file, rk_arena *arena,
                  rk_diag *diag);

/** Writes an array as `.npy` 1.0, the bytes NumPy itself would write. False with RK-F003. */
bool rk_npy_write(const char *path, rk_dtype dtype, int rank, const int64_t *shape,
                  const void *data, rk_diag *diag);

/**
 * Reads the value of a tensor, and checks that dtype and shape are the tensor's: RK-N007 where they
 * are not. NULL on failure.
 */
const void *rk_npy_read_tensor(const char *path, const rk_tensor *tensor, rk_arena *arena,
                               rk_diag *diag);

/**
 * `dir/<name>.npy`, where a tensor's value is kept. Characters of the name other than letters,
 * digits, '_', '-' and '.' become %XX, as does a leading '.': any name is one
 * file of that folder.
 */
char *rk_npy_path(rk_arena *arena, const char *dir, const char *name);

#endif
