#ifndef RK_SCHED_MODEL_SAFETENSORS_H
#define RK_SCHED_MODEL_SAFETENSORS_H

#include "sched/graph/graph.h"

/** One tensor of a safetensors file. */
typedef struct {
    const char *name;
    rk_dtype dtype;
    int rank;
    int64_t shape[RK_MAX_RANK]; /**< as the file says; an extent may be 0 */
    const void *data;           /**< aligned for its elements */
    size_t bytes;
} rk_safetensor;

typedef struct {
    const char *file;
    const rk_safetensor *items; /**< ordered by name */
    size_t count;
} rk_safetensors;

/**
 * Reads a safetensors file: eight bytes with the header's length, a JSON header, the elements. NULL
 * with RK-F..., RK-J001 (the header is no JSON), RK-J006 (two tensors of one name), RK-T001 (too short, or the header's length),
 * RK-T002 (a member missing, unknown or of the wrong type), RK-T003 (element type), RK-T004
 * (shape), RK-T005 (the offsets do not match dtype and shape), RK-T006 (the elements overlap, leave
 * a gap or end elsewhere than the file).
 */
const rk_safetensors *rk_safetensors_read(const char *path, rk_arena *arena, rk_diag *diag);

/** As rk_safetensors_read, from bytes that stay valid; `file` names them in diagnostics. */
const rk_safetensors *rk_safetensors_parse(const void *bytes, size_t size, const char *file,
                                           rk_arena *arena, rk_diag *diag);

/** The tensor of that name, NULL if there is none. */
const rk_safetensor *rk_safetensors_find(const rk_safetensors *file, const char *name);

/**
 * Writes tensors, in the order given, one right after another as the format asks; the first is at a
 * multiple of 64 bytes. Names are distinct.
 */
bool rk_safetensors_write(const char *path, const rk_safetensor *items, size_t count,
                          rk_diag *diag);

#endif
