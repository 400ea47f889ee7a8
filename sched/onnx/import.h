#ifndef RK_SCHED_ONNX_IMPORT_H
#define RK_SCHED_ONNX_IMPORT_H

#include "sched/model/model.h"

/** A value of an input that is known before the model is imported. */
typedef struct {
    const char *name;
    rk_dtype dtype;
    int rank;
    int64_t shape[RK_MAX_RANK];
    const void *data;
} rk_onnx_given;

typedef struct {
    const rk_binding_dim
        *dims; /**< values of named dimensions, or ranges of those that stay open */
    size_t dim_count;
    const rk_onnx_given *
        given; /**< they give shapes that the model leaves open; and values, where a shape follows from one */
    size_t given_count;
    bool
        varies; /**< it is lowered for other values of its dimensions, too: what holds at some of them only spares no node */
} rk_onnx_options;

/** Whether the file is to be read as ONNX: by its name. */
bool rk_onnx_is(const char *path);

/**
 * Reads an ONNX model of opset 7 or newer, and lowers it to a valid graph. Weights stay where the file is mapped. An
 * input whose value a shape follows from (the shape of a Reshape, ...) must be given, and becomes a constant. NULL with
 * all that is wrong or not supported: RK-O001 no ONNX, RK-O002 no sound model, RK-O003 what is not supported, RK-O004 an
 * operator that its attributes or operands do not fit, RK-O005 a dimension without a number, RK-O006 a value that must
 * be given, RK-G018 a model that is not one graph for all values of its open dimensions, RK-F....
 */
rk_graph *rk_onnx_import(const char *path, const rk_onnx_options *options, rk_arena *arena,
                         rk_diag *diag);

/** The names of the inputs that have no initializer, in the model's order. */
bool rk_onnx_input_names(const char ***names, size_t *count, const char *path, rk_arena *arena,
                         rk_diag *diag);

/** Reads a file that holds one tensor (TensorProto), as tests of ONNX come with. */
bool rk_onnx_read_tensor(rk_onnx_given *out, const char *path, rk_arena *arena, rk_diag *diag);

#endif
