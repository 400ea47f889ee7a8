#ifndef RK_SCHED_OPS_WINDOW_H
#define RK_SCHED_OPS_WINDOW_H

#include "sched/ops/op_operands.h"

/** Spatial dimensions that convolutions and pools take, and how each is padded and stepped. */
enum { RK_WINDOW_DIMS = 3 };

/**
 * A window that slides over the spatial dimensions of NC... data. Fewer than three dimensions are
 * the last ones; those before have one element, a window of one and no padding.
 */
typedef struct {
    int64_t in[RK_WINDOW_DIMS], out[RK_WINDOW_DIMS], kernel[RK_WINDOW_DIMS];
    int64_t stride[RK_WINDOW_DIMS], pad[RK_WINDOW_DIMS], dilation[RK_WINDOW_DIMS];
    int64_t in_size, out_size, kernel_size; /**< elements of one plane, and of the window */
} rk_window;

/**
 * The window of a node whose first operand is the data, [N, C, ...] of 1 to 3 spatial dimensions,
 * with the ONNX attributes strides, pads (begins, then ends) and, where the op has it, dilations.
 * `kernel` has one extent for each spatial dimension. False with RK-G008 when the window does not
 * fit.
 */
bool rk_window_of(rk_window *out, const rk_op_call *call, const int64_t *kernel, bool dilated,
                  rk_diag *diag);

/**
 * Offset in the input plane of element `k` of the window whose output is element `o`, both
 * row-major; -1 in the padding.
 */
int64_t rk_window_at(const rk_window *window, int64_t o, int64_t k);

#endif
