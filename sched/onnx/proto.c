#include "sched/onnx/proto.h"

#include <stddef.h>

/* The names are those of onnx.proto, against which a test holds numbers and kinds. */

#define ONE(number, kind, type, member)                                                            \
    {                                                                                              \
        number, #member, RK_WIRE_##kind, false, offsetof(type, member), NULL                       \
    }
#define ALL(number, kind, type, member)                                                            \
    {                                                                                              \
        number, #member, RK_WIRE_##kind, true, offsetof(type, member), NULL                        \
    }
#define ONE_OF(number, inner, type, member)                                                        \
    {                                                                                              \
        number, #member, RK_WIRE_MESSAGE, false, offsetof(type, member), &inner                    \
    }
#define ALL_OF(number, inner, type, member)                                                        \
    {                                                                                              \
        number, #member, RK_WIRE_MESSAGE, true, offsetof(type, member), &inner                     \
    }
/** A field whose member has another name than ONNX gives it. */
#define NAMED(number, name, inner, type, member)                                                   \
    {                                                                                              \
        number, name, RK_WIRE_MESSAGE, false, offsetof(type, member), &inner                       \
    }
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }
#define MESSAGE(ident, text, type, list)                                                           \
    static const rk_wire_message ident = {text, sizeof(type), list}

static const rk_wire_field entry_fields[] = {ONE(1, TEXT, rk_onnx_entry, key),
                                             ONE(2, TEXT, rk_onnx_entry, value), END};
MESSAGE(entry, "StringStringEntryProto", rk_onnx_entry, entry_fields);

static const rk_wire_field tensor_fields[] = {ALL(1, INT, rk_onnx_tensor, dims),
                                              ONE(2, INT, rk_onnx_tensor, data_type),
                                              ALL(4, FLOAT, rk_onnx_tensor, float_data),
                                              ALL(5, INT, rk_onnx_tensor, int32_data),
                                              ALL(6, BYTES, rk_onnx_tensor, string_data),
                                              ALL(7, INT, rk_onnx_tensor, int64_data),
                                              ONE(8, TEXT, rk_onnx_tensor, name),
                                              ONE(9, BYTES, rk_onnx_tensor, raw_data),
                                              ALL(10, DOUBLE, rk_onnx_tensor, double_data),
                                              ALL(11, INT, rk_onnx_tensor, uint64_data),
                                              ALL_OF(13, entry, rk_onnx_tensor, external_data),
                                              ONE(14, INT, rk_onnx_tensor, data_location),
                                              END};
const rk_wire_message rk_onnx_tensor_message = {"TensorProto", sizeof(rk_onnx_tensor),
                                                tensor_fields};

static const rk_wire_field sparse_fields[] = {
    ONE_OF(1, rk_onnx_tensor_message, rk_onnx_sparse, values),
    ONE_OF(2, rk_onnx_tensor_message, rk_onnx_sparse, indices), ALL(3, INT, rk_onnx_sparse, dims),
    END};
MESSAGE(sparse, "SparseTensorProto", rk_onnx_sparse, sparse_fields);

static const rk_wire_field dim_fields[] = {ONE(1, INT, rk_onnx_dim, dim_value),
                                           ONE(2, TEXT, rk_onnx_dim, dim_param), END};
MESSAGE(dimension, "Dimension", rk_onnx_dim, dim_fields);

static const rk_wire_field shape_fields[] = {ALL_OF(1, dimension, rk_onnx_shape, dim), END};
MESSAGE(shape_message, "TensorShapeProto", rk_onnx_shape, shape_fields);

static const rk_wire_field tensor_type_fields[] = {
    ONE(1, INT, rk_onnx_tensor_type, elem_type),
    ONE_OF(2, shape_message, rk_onnx_tensor_type, shape), END};
MESSAGE(tensor_type, "Tensor", rk_onnx_tensor_type, tensor_type_fields);

static const rk_wire_message type_message;
static const rk_wire_field inner_type_fields[] = {
    ONE_OF(1, type_message, rk_onnx_inner_type, elem_type), END};
MESSAGE(sequence_type, "Sequence", rk_onnx_inner_type, inner_type_fields);
MESSAGE(optional_type, "Optional", rk_onnx_inner_type, inner_type_fields);

static const rk_wire_field type_fields[] = {
    NAMED(1, "tensor_type", tensor_type, rk_onnx_type, tensor),
    NAMED(4, "sequence_type", sequence_type, rk_onnx_type, sequence),
    NAMED(9, "optional_type", optional_type, rk_onnx_type, optional), END};
static const rk_wire_message type_message = {"TypeProto", sizeof(rk_onnx_type), type_fields};

static const rk_wire_field value_fields[] = {ONE(1, TEXT, rk_onnx_value, name),
                                             ONE_OF(2, type_message, rk_onnx_value, type), END};
MESSAGE(value, "ValueInfoProto", rk_onnx_value, value_fields);

static const rk_wire_message graph_message;
static const rk_wire_field attr_fields[] = {ONE(1, TEXT, rk_onnx_attr, name),
                                            ONE(2, FLOAT, rk_onnx_attr, f),
                                            ONE(3, INT, rk_onnx_attr, i),
                                            ONE(4, BYTES, rk_onnx_attr, s),
                                            ONE_OF(5, rk_onnx_tensor_message, rk_onnx_attr, t),
                                            ONE_OF(6, graph_message, rk_onnx_attr, g),
                                            ALL(7, FLOAT, rk_onnx_attr, floats),
                                            ALL(8, INT, rk_onnx_attr, ints),
                                            ALL(9, BYTES, rk_onnx_attr, strings),
                                            ONE(20, INT, rk_onnx_attr, type),
                                            ONE(21, TEXT, rk_onnx_attr, ref_attr_name),
                                            ONE_OF(22, sparse, rk_onnx_attr, sparse_tensor),
                                            END};
MESSAGE(attr, "AttributeProto", rk_onnx_attr, attr_fields);

static const rk_wire_field node_fields[] = {ALL(1, TEXT, rk_onnx_node, input),
                                            ALL(2, TEXT, rk_onnx_node, output),
                                            ONE(3, TEXT, rk_onnx_node, name),
                                            ONE(4, TEXT, rk_onnx_node, op_type),
                                            ALL_OF(5, attr, rk_onnx_node, attribute),
                                            ONE(7, TEXT, rk_onnx_node, domain),
                                            END};
MESSAGE(node, "NodeProto", rk_onnx_node, node_fields);

static const rk_wire_field graph_fields[] = {
    ALL_OF(1, node, rk_onnx_graph, node),
    ONE(2, TEXT, rk_onnx_graph, name),
    ALL_OF(5, rk_onnx_tensor_message, rk_onnx_graph, initializer),
    ALL_OF(11, value, rk_onnx_graph, input),
    ALL_OF(12, value, rk_onnx_graph, output),
    ALL_OF(13, value, rk_onnx_graph, value_info),
    ALL_OF(15, sparse, rk_onnx_graph, sparse_initializer),
    END};
static const rk_wire_message graph_message = {"GraphProto", sizeof(rk_onnx_graph), graph_fields};

static const rk_wire_field opset_fields[] = {ONE(1, TEXT, rk_onnx_opset, domain),
                                             ONE(2, INT, rk_onnx_opset, version), END};
MESSAGE(opset, "OperatorSetIdProto", rk_onnx_opset, opset_fields);

static const rk_wire_field function_fields[] = {ONE(1, TEXT, rk_onnx_function, name),
                                                ALL(4, TEXT, rk_onnx_function, input),
                                                ALL(5, TEXT, rk_onnx_function, output),
                                                ALL(6, TEXT, rk_onnx_function, attribute),
                                                ALL_OF(7, node, rk_onnx_function, node),
                                                ALL_OF(9, opset, rk_onnx_function, opset_import),
                                                ONE(10, TEXT, rk_onnx_function, domain),
                                                ALL_OF(11, attr, rk_onnx_function, attribute_proto),
                                                END};
MESSAGE(function, "FunctionProto", rk_onnx_function, function_fields);

static const rk_wire_field model_fields[] = {
    ONE(1, INT, rk_onnx_model, ir_version),         ONE(2, TEXT, rk_onnx_model, producer_name),
    ONE_OF(7, graph_message, rk_onnx_model, graph), ALL_OF(8, opset, rk_onnx_model, opset_import),
    ALL_OF(25, function, rk_onnx_model, functions), END};
const rk_wire_message rk_onnx_model_message = {"ModelProto", sizeof(rk_onnx_model), model_fields};

const rk_wire_message *const rk_onnx_messages[] = {&entry,
                                                   &rk_onnx_tensor_message,
                                                   &sparse,
                                                   &dimension,
                                                   &shape_message,
                                                   &tensor_type,
                                                   &sequence_type,
                                                   &optional_type,
                                                   &type_message,
                                                   &value,
                                                   &attr,
                                                   &node,
                                                   &graph_message,
                                                   &opset,
                                                   &function,
                                                   &rk_onnx_model_message,
                                                   NULL};
