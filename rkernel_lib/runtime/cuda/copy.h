#ifndef RK_RKERNEL_LIB_CUDA_COPY_H
#define RK_RKERNEL_LIB_CUDA_COPY_H

/* Copies and fills of boxes of bytes. */

#include "rkernel_lib/runtime/cuda/internal.h"

/** One side of a copy. */
typedef struct {
    unsigned char *data;
    size_t pitch, slice; /**< bytes from row to row and from slice to slice */
} rk_box_side;

typedef struct {
    rk_box_side to, from;
    size_t width, height, depth; /**< bytes, rows, slices */
} rk_box;

/** Copies a box on a stream, checking both sides against what is known of their memory. */
cudaError_t rk_box_copy(const rk_box *box, enum cudaMemcpyKind kind, cudaStream_t stream);

/** The box that such a copy means. */
cudaError_t rk_box_of(rk_box *box, const struct cudaMemcpy3DParms *copy);

/** Checks a copy for a graph node and leaves its work. */
cudaError_t rk_box_check(const rk_box *box, enum cudaMemcpyKind kind);
void rk_box_run(void *box);

typedef struct {
    rk_box_side to;
    size_t width, height, depth; /**< elements, rows, slices */
    uint32_t value;
    uint32_t element; /**< bytes: 1, 2 or 4 */
} rk_fill;

cudaError_t rk_fill_check(const rk_fill *fill);
void rk_fill_run(void *fill);

#endif
