#ifndef RK_SCHED_ONNX_IMPORT_INTERNAL_H
#define RK_SCHED_ONNX_IMPORT_INTERNAL_H

#include "base/vec.h"
#include "sched/graph/names.h"
#include "sched/onnx/import.h"
#include "sched/onnx/proto.h"
#include "sched/ops/op.h"

/** A value that could not be made: what needs it is left out, without a word. */
#define RK_ONNX_LOST (RK_NO_ID - 1)

/** Names of values: of a graph, a subgraph or a function's body. */
typedef struct rk_onnx_scope {
    rk_names names;
    struct rk_onnx_scope *outer; /**< of a subgraph; NULL: none */
    const rk_onnx_node
        *caller; /**< of a function's body: the node whose attributes its nodes refer to */
    struct rk_onnx_scope *caller_scope;
    const rk_onnx_function *function;
} rk_onnx_scope;

/** An import. */
typedef struct {
    rk_graph *graph;
    rk_arena *arena;
    rk_diag *diag;
    const char *file;
    const rk_onnx_model *model;
    const rk_onnx_options *options;
    int64_t opset; /**< of the nodes that are being lowered */
    size_t depth;  /**< of functions and subgraphs */
    size_t nodes;  /**< lowered so far, those of loops counted each time */
    bool *bound;   /**< by input of the graph: its given value was used */
    size_t made;   /**< tensors that were named so far */
    bool good;
} rk_onnx_importer;

/** A node that is being lowered. */
typedef struct {
    rk_onnx_importer *im;
    const rk_onnx_node *node;
    rk_onnx_scope *scope;
    const rk_id *in; /**< RK_NO_ID for what is left out */
    size_t in_count;
    rk_id *out; /**< for the rule to set; RK_NO_ID where nobody asks for it */
    size_t out_count;
    rk_attr attrs[16]; /**< of the rOperator that is being made */
    size_t attr_count;
    const char *name; /**< of it in messages */
} rk_onnx_call;

/** How an operator is lowered, from an opset on; one of a family's table. */
typedef struct rk_onnx_rule {
    const char *op;
    bool (*lower)(rk_onnx_call *c);
    const char *a, *b; /**< what rules of one function differ in */
} rk_onnx_rule;

/** Bodies in bodies, and references to references, up to which a model is read. */
enum { RK_ONNX_DEEPEST = 64 };

/** A family: the rules of one file. */
typedef struct rk_onnx_family {
    const rk_onnx_rule *rules; /**< ended by a NULL op */
} rk_onnx_family;

extern const rk_onnx_family *const rk_onnx_families[];
extern const size_t rk_onnx_family_count;

const rk_onnx_rule *rk_onnx_rule_find(const char *op);

/** RK-O003: it is not supported; `hint` says what would help. Returns false. */
bool rk_onnx_refuse(rk_onnx_call *c, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** RK-O004: the node is wrong. Returns false. */
bool rk_onnx_wrong(rk_onnx_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** RK-O004 unless the first `count` operands are given. */
bool rk_onnx_needs(rk_onnx_call *c, size_t count);
/** Sets the first output; false when it could not be made. */
bool rk_onnx_done(rk_onnx_call *c, rk_id out);

/* Attributes. */

const rk_onnx_attr *rk_onnx_attr_of(const rk_onnx_call *c, const char *name);
int64_t rk_onnx_int(const rk_onnx_call *c, const char *name, int64_t otherwise);
double rk_onnx_real(const rk_onnx_call *c, const char *name, double otherwise);
const char *rk_onnx_text(const rk_onnx_call *c, const char *name, const char *otherwise);
/** NULL with *count 0 when it is not there. */
const int64_t *rk_onnx_ints(const rk_onnx_call *c, const char *name, size_t *count);

/* Operands. */

bool rk_onnx_has(const rk_onnx_call *c, size_t i);
/** The tensor of an id; it moves when tensors are added. */
rk_tensor *rk_onnx_tensor_of(const rk_onnx_call *c, rk_id id);
rk_tensor *rk_onnx_in(const rk_onnx_call *c, size_t i);
/** What the caller says of the input of that name, or NULL. */
const rk_onnx_given *rk_onnx_given_of(const rk_onnx_importer *im, const char *name);
/** Whether it has a value: a constant, or an input whose value is given. */
const void *rk_onnx_data(const rk_onnx_call *c, rk_id id);
/** The integers of operand `i`, which must be known; RK-O006. */
bool rk_onnx_known(int64_t **values, size_t *count, rk_onnx_call *c, size_t i, const char *what);
/** The axis, negative ones from the end; RK-O004. */
bool rk_onnx_axis(int *out, rk_onnx_call *c, int64_t axis, int rank);
/** The axes of operand 1, or before opset 13 of the attribute, as a set of bits; `given`: whether there are any. */
bool rk_onnx_axes(uint32_t *axes, bool *given, rk_onnx_call *c, int rank);

/** joins.c: lets parts of Joins be written where these want them, and leaves the Joins nothing to do. */
void rk_onnx_place_joins(rk_graph *graph, rk_arena *arena);

/* Making rOperators. Attributes are given before; RK_ONNX_LOST where one does not fit. */

void rk_onnx_with_ints(rk_onnx_call *c, const char *name, const int64_t *values, size_t count);
void rk_onnx_with_int(rk_onnx_call *c, const char *name, int64_t value);
void rk_onnx_with_real(rk_onnx_call *c, const char *name, double value);
void rk_onnx_with_text(rk_onnx_call *c, const char *name, const char *value);
bool rk_onnx_emit(rk_id *outs, size_t out_count, rk_onnx_call *c, const char *op, const rk_id *in,
                  size_t in_count);
rk_id rk_onnx_emit_one(rk_onnx_call *c, const char *op, const rk_id *in, size_t in_count);

/** A Map of up to four operands (RK_NO_ID: none); dtype RK_DTYPE_NONE: that of `a`. `compute` NULL: by the operands. */
rk_id rk_onnx_map(rk_onnx_call *c, const char *expr, rk_dtype dtype, const char *compute, rk_id a,
                  rk_id b, rk_id d, rk_id e);
rk_id rk_onnx_map1(rk_onnx_call *c, const char *expr, rk_id a);
rk_id rk_onnx_map2(rk_onnx_call *c, const char *expr, rk_id a, rk_id b);
rk_id rk_onnx_cast(rk_onnx_call *c, rk_id x, rk_dtype dtype);
/** The same elements under another shape. */
rk_id rk_onnx_reshape(rk_onnx_call *c, rk_id x, int rank, const int64_t *shape);
/** A constant; its elements are copied. */
rk_id rk_onnx_constant(rk_onnx_call *c, rk_dtype dtype, int rank, const int64_t *shape,
                       const void *data);
rk_id rk_onnx_integers(rk_onnx_call *c, const int64_t *values, size_t count);
/** A constant without dimensions, of that type. */
rk_id rk_onnx_scalar(rk_onnx_call *c, rk_dtype dtype, double value);

/** Elements by strides: y of `shape` is x[offset + index * strides]. */
rk_id rk_onnx_strided(rk_onnx_call *c, rk_id x, int rank, const int64_t *shape,
                      const int64_t *strides, int64_t offset);
rk_id rk_onnx_transpose(rk_onnx_call *c, rk_id x, const int64_t *perm);
/** Elements [begin, begin + count) of an axis. */
rk_id rk_onnx_slice(rk_onnx_call *c, rk_id x, int axis, int64_t begin, int64_t count);
rk_id rk_onnx_broadcast(rk_onnx_call *c, rk_id x, int rank, const int64_t *shape);
/** Pads (begins, then ends) by the mode of Move; `fill` may be RK_NO_ID. */
rk_id rk_onnx_pad(rk_onnx_call *c, rk_id x, const int64_t *pads, const char *mode, rk_id fill);
rk_id rk_onnx_concat(rk_onnx_call *c, const rk_id *parts, size_t count, int axis);
/** Over the axes that are set in `axes`; they stay with an extent of 1 when `keep`. */
rk_id rk_onnx_reduce(rk_onnx_call *c, rk_id x, const char *kind, uint32_t axes, bool keep);
/** The sum over the last dimension of a and the one before it of b, as numpy's matmul. */
rk_id rk_onnx_matmul(rk_onnx_call *c, rk_id a, rk_id b, rk_dtype dtype);

/** Row-major strides of a shape. */
void rk_onnx_row_major(int64_t *strides, int rank, const int64_t *shape);

/** Lowers the nodes of a graph's or function's body in a scope; false when some were not. */
bool rk_onnx_lower_nodes(rk_onnx_importer *im, rk_onnx_node *const *nodes, size_t count,
                         rk_onnx_scope *scope);
/** A scope with the graph's initializers. */
rk_onnx_scope *rk_onnx_scope_new(rk_onnx_importer *im, const rk_onnx_graph *graph,
                                 rk_onnx_scope *outer, size_t more);
rk_id rk_onnx_lookup(const rk_onnx_scope *scope, const char *name);
void rk_onnx_define(rk_onnx_scope *scope, const char *name, rk_id id);

/** A tensor of the file as a constant; its elements stay in the file where they can. False with a diagnostic. */
bool rk_onnx_take_tensor(rk_onnx_given *out, const rk_onnx_tensor *tensor, const char *file,
                         rk_arena *arena, rk_diag *diag);
/** How many elements it has; 0 is possible. */
int64_t rk_onnx_given_elements(const rk_onnx_given *given);
rk_dtype rk_onnx_dtype(int64_t data_type);
/** As rk_shape_valid, but that dimensions may be 0: of constants that operators' lists are, which no graph keeps. */
bool rk_onnx_shape_valid(const char **problem, int rank, const int64_t *shape);
/** rk_onnx_import of dimensions that each have one value. */
rk_graph *rk_onnx_import_bound(const char *path, const rk_onnx_options *options, rk_arena *arena,
                               rk_diag *diag);
/** Computes the node here from its operands, constants all: its outputs become constants. */
bool rk_onnx_fold(const rk_op_call *call, rk_arena *arena);
/** Maps a file; its bytes stay until the program ends. RK-F001, RK-F002. */
bool rk_onnx_map_file(rk_slice *out, const char *path, rk_arena *arena, rk_diag *diag);

#endif
