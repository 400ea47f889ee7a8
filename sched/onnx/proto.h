#ifndef RK_SCHED_ONNX_PROTO_H
#define RK_SCHED_ONNX_PROTO_H

#include "base/vec.h"
#include "sched/onnx/wire.h"

/* ONNX's messages, as onnx.proto has them, with the fields that the import looks at. */

typedef struct {
    uint64_t seen;
    const char *key, *value;
} rk_onnx_entry;

typedef struct {
    uint64_t seen;
    RK_VEC(int64_t) dims;
    int64_t data_type;
    RK_VEC(float) float_data;
    RK_VEC(int64_t) int32_data, int64_data, uint64_data;
    RK_VEC(double) double_data;
    RK_VEC(rk_slice) string_data;
    const char *name;
    rk_slice raw_data;
    RK_VEC(rk_onnx_entry *) external_data;
    int64_t data_location; /**< 1: external_data says where */
} rk_onnx_tensor;

typedef struct {
    uint64_t seen;
    rk_onnx_tensor *values, *indices;
    RK_VEC(int64_t) dims;
} rk_onnx_sparse;

typedef struct {
    uint64_t seen;
    int64_t dim_value;
    const char *dim_param;
} rk_onnx_dim;

/** Whether a dimension has a number, and not a name or nothing. */
enum { RK_ONNX_DIM_VALUE = 1 };

typedef struct {
    uint64_t seen;
    RK_VEC(rk_onnx_dim *) dim;
} rk_onnx_shape;

typedef struct {
    uint64_t seen;
    int64_t elem_type;
    rk_onnx_shape *shape; /**< NULL: not said */
} rk_onnx_tensor_type;

struct rk_onnx_type;
typedef struct {
    uint64_t seen;
    struct rk_onnx_type *elem_type;
} rk_onnx_inner_type;

typedef struct rk_onnx_type {
    uint64_t seen;
    rk_onnx_tensor_type *tensor;
    rk_onnx_inner_type *sequence, *optional;
} rk_onnx_type;

typedef struct {
    uint64_t seen;
    const char *name;
    rk_onnx_type *type;
} rk_onnx_value;

struct rk_onnx_graph;

/** The values of AttributeProto.type. */
typedef enum {
    RK_ONNX_FLOAT = 1,
    RK_ONNX_INT,
    RK_ONNX_STRING,
    RK_ONNX_TENSOR,
    RK_ONNX_GRAPH,
    RK_ONNX_FLOATS,
    RK_ONNX_INTS,
    RK_ONNX_STRINGS
} rk_onnx_attr_type;

typedef struct {
    uint64_t seen;
    const char *name, *ref_attr_name;
    int64_t type;
    float f;
    int64_t i;
    rk_slice s;
    rk_onnx_tensor *t;
    struct rk_onnx_graph *g;
    RK_VEC(float) floats;
    RK_VEC(int64_t) ints;
    RK_VEC(rk_slice) strings;
    rk_onnx_sparse *sparse_tensor;
} rk_onnx_attr;

typedef struct {
    uint64_t seen;
    RK_VEC(const char *) input, output;
    const char *name, *op_type, *domain;
    RK_VEC(rk_onnx_attr *) attribute;
} rk_onnx_node;

typedef struct rk_onnx_graph {
    uint64_t seen;
    RK_VEC(rk_onnx_node *) node;
    const char *name;
    RK_VEC(rk_onnx_tensor *) initializer;
    RK_VEC(rk_onnx_sparse *) sparse_initializer;
    RK_VEC(rk_onnx_value *) input, output, value_info;
} rk_onnx_graph;

typedef struct {
    uint64_t seen;
    const char *domain;
    int64_t version;
} rk_onnx_opset;

typedef struct {
    uint64_t seen;
    const char *name, *domain;
    RK_VEC(const char *) input, output, attribute;
    RK_VEC(rk_onnx_attr *) attribute_proto;
    RK_VEC(rk_onnx_node *) node;
    RK_VEC(rk_onnx_opset *) opset_import;
} rk_onnx_function;

typedef struct {
    uint64_t seen;
    int64_t ir_version;
    RK_VEC(rk_onnx_opset *) opset_import;
    const char *producer_name;
    rk_onnx_graph *graph;
    RK_VEC(rk_onnx_function *) functions;
} rk_onnx_model;

extern const rk_wire_message rk_onnx_model_message, rk_onnx_tensor_message;
/** All messages, NULL-terminated: for the test that holds them against onnx.proto. */
extern const rk_wire_message *const rk_onnx_messages[];

#endif
