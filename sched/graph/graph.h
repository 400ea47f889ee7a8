#ifndef RK_SCHED_GRAPH_GRAPH_H
#define RK_SCHED_GRAPH_GRAPH_H

#include "base/diag.h"
#include "base/sym.h"
#include "base/vec.h"
#include "rkernel_lib/catalog/dtype.h"

#include <stdint.h>

#define RK_GRAPH_SCHEMA "rammer.graph/1"
/** The `data` of a constant whose elements are all 0. */
#define RK_GRAPH_ZEROS "zeros"

enum { RK_MAX_RANK = 8 };

/** The most elements of one tensor: sizes and offsets in bytes never overflow int64_t. */
#define RK_MAX_ELEMENTS (INT64_C(1) << 40)

/** Index of a tensor or node of a graph. */
typedef uint32_t rk_id;
#define RK_NO_ID UINT32_MAX

/**
 * A dense row-major tensor. It is a range of elements of a buffer: its own (`base` is itself), or
 * another tensor's (a view, as a time step of a sequence is). Dependencies follow the ranges.
 */
typedef struct {
    const char *name;
    rk_dtype dtype; /**< RK_DTYPE_NONE until shape inference, for an intermediate that gives none */
    int rank;
    int64_t shape
        [RK_MAX_RANK]; /**< each at least 1; of an open extent, where all dimensions are largest */
    rk_sym open
        [RK_MAX_RANK]; /**< extents that depend on open dimensions; NULL: the number in `shape` */
    bool shape_known;  /**< false until shape inference, for an intermediate that gives no shape */
    rk_id base;        /**< the tensor whose buffer it lies in; never itself a view */
    int64_t offset;    /**< of its first element in that buffer, in elements */
    const void
        *data; /**< constants: the elements, row-major; else NULL, in views of constants too */
    const char *data_ref; /**< constants: "file#name" as in the graph file, or NULL */
    bool
        zeros; /**< constants: all elements are 0, which no file holds and no memory is taken for */
    bool
        derived; /**< constants: a node's plan, which follows from it and is in no file (sched/ops/plan.h) */
} rk_tensor;

typedef enum { RK_ATTR_INT, RK_ATTR_REAL, RK_ATTR_STRING, RK_ATTR_INTS } rk_attr_type;

typedef struct {
    const char *name;
    rk_attr_type type;
    int64_t i;
    double d;
    const char *s;
    const int64_t *ints;
    size_t int_count;
    const rk_sym *open; /**< of `i`, or by number of `ints`: expressions over open dimensions, NULL for numbers; whose
                             value is that of the largest dimensions. NULL: none is open */
} rk_attr;

struct rk_op;

/** An rOperator: an op by name, or a catalog kernel called through its launching function. */
typedef struct {
    const char *name;
    const char *op_name;    /**< NULL when `kernel` is given */
    const struct rk_op *op; /**< set by validation; NULL when `kernel` is given */
    const char *kernel;     /**< instance id in the catalog, or NULL */
    const char *launcher;   /**< with `kernel`: the launching function, or NULL */
    const rk_id *inputs;    /**< RK_NO_ID for an optional operand left out */
    size_t input_count;
    const rk_id *outputs;
    size_t output_count;
    const char *const *input_names; /**< with `kernel`: the launcher's parameter of each operand */
    const char *const *output_names;
    const rk_attr *attrs; /**< with `kernel`: the launcher's scalar parameters */
    size_t attr_count;
} rk_node;

/**
 * Two extents that must be the same in each run, and that no bounds tell apart. What a run checks before all else: an
 * extent that an operator takes for another one is it.
 */
typedef struct {
    rk_sym left, right;
    const char *node;
} rk_extent_check;

typedef RK_VEC(rk_extent_check) rk_extent_checks;

/** The most operators that become one. */
enum { RK_MERGE_MOST = 8 };

/** An operator that was merged. */
typedef struct rk_merged {
    const char *name; /**< of the node */
    const char *parts[RK_MERGE_MOST];
    size_t count;
} rk_merged;

/**
 * A data-flow graph; once validated, nodes are in an order in which each follows those it depends
 * on. Each element of a buffer is written once, by a node, the caller (inputs) or the file
 * (constants); except that a node may update in place what it also reads. A buffer that some node
 * updates is read and written in the order in which the nodes are listed.
 */
typedef struct rk_graph {
    const char *name;
    const char *file; /**< where it was read from, for diagnostics; NULL if built */
    rk_arena *arena;  /**< holds everything in it */
    rk_tensor *tensors;
    size_t tensor_count, tensor_capacity;
    rk_node *nodes;
    size_t node_count, node_capacity;
    rk_id *inputs; /**< tensors given on each run */
    size_t input_count, input_capacity;
    rk_id *outputs; /**< tensors returned by each run */
    size_t output_count, output_capacity;
    const char **
        known; /**< inputs of an imported model whose values were given: constants, and inputs no more */
    size_t known_count;
    rk_syms
        *syms; /**< of its extents; dimensions without a value are those of shapes that are open */
    rk_extent_checks *checks; /**< what a run of an open graph checks first */
    const rk_merged *merged;  /**< operators that were merged (sched/passes/merge.h) */
    size_t merged_count;
} rk_graph;

/** Why one node must follow another: `from` before `to`, through the buffer of `base`. */
typedef enum { RK_RAW, RK_WAR, RK_WAW } rk_hazard;
typedef struct {
    rk_id from, to; /**< nodes, from < to in graph order */
    rk_hazard hazard;
} rk_edge;

/* Building. Names are copied; ids are stable until validation, which may reorder the nodes. */

rk_graph *rk_graph_new(rk_arena *arena, const char *name);
/** Adds a tensor with its own buffer; rank 0 is a scalar. */
rk_id rk_graph_tensor(rk_graph *graph, const char *name, rk_dtype dtype, int rank,
                      const int64_t *shape);
/** Adds a tensor whose shape is inferred. */
rk_id rk_graph_tensor_inferred(rk_graph *graph, const char *name, rk_dtype dtype);
/** Adds a view of `of` (itself a view or not) starting `offset` elements in. */
rk_id rk_graph_view(rk_graph *graph, const char *name, rk_id of, int rank, const int64_t *shape,
                    int64_t offset);
/** Adds a constant; `data` is not copied and must live as long as the graph. */
rk_id rk_graph_constant(rk_graph *graph, const char *name, rk_dtype dtype, int rank,
                        const int64_t *shape, const void *data);
/** Adds a constant whose elements are all 0; it takes neither memory nor room in a weights file. */
rk_id rk_graph_constant_zeros(rk_graph *graph, const char *name, rk_dtype dtype, int rank,
                              const int64_t *shape);
/** `bytes` zeros, which may not be written; shared by all who ask, valid until the program ends. */
const void *rk_graph_zeros(size_t bytes);
/** Adds a node that runs `op`; attributes are added to the returned node with the calls below. */
rk_id rk_graph_node(rk_graph *graph, const char *name, const char *op, const rk_id *inputs,
                    size_t input_count, const rk_id *outputs, size_t output_count);
/**
 * Adds a node that calls a catalog kernel: `node` has its name, kernel, launcher, and operands with
 * their parameters' names, all of which are copied; attributes are added with the calls below.
 */
rk_id rk_graph_kernel_node(rk_graph *graph, const rk_node *node);
void rk_graph_attr_int(rk_graph *graph, rk_id node, const char *name, int64_t value);
void rk_graph_attr_real(rk_graph *graph, rk_id node, const char *name, double value);
void rk_graph_attr_string(rk_graph *graph, rk_id node, const char *name, const char *value);
void rk_graph_attr_ints(rk_graph *graph, rk_id node, const char *name, const int64_t *values,
                        size_t count);
void rk_graph_input(rk_graph *graph, rk_id tensor);
void rk_graph_output(rk_graph *graph, rk_id tensor);

/* Open extents: expressions over named dimensions, of which a number is a case. */

/** Number `i` of an attribute of integers; of a single one number 0. */
rk_sym rk_attr_number(const rk_graph *graph, const rk_attr *attr, size_t i);
/** Extent `d` of a tensor of the graph. */
rk_sym rk_tensor_extent(const rk_graph *graph, const rk_tensor *tensor, int d);
/** Sets extent `d`, and its largest value. False where that is none that a tensor can have. */
bool rk_tensor_set_extent(const rk_graph *graph, rk_tensor *tensor, int d, rk_sym extent);
/** Whether an extent of it is open. */
bool rk_tensor_is_open(const rk_tensor *tensor);
/** The product of its extents; NULL where it is too large. */
rk_sym rk_tensor_size(const rk_graph *graph, const rk_tensor *tensor);
/** Whether a tensor of it is open. */
bool rk_graph_is_open(const rk_graph *graph);
/** Notes that two extents are to be the same; false when they never are. */
bool rk_graph_same_extents(const rk_graph *graph, const char *node, rk_sym a, rk_sym b);
/** Whether the dimensions may have these values; RK-G019 as of rk_graph_at. */
bool rk_graph_takes(const rk_graph *graph, const int64_t *values, rk_diag *diag);
/**
 * The graph with dimension i of its syms bound to values[i]: an ordinary one, which shares names, nodes and data with it.
 * NULL with RK-G019 where a value is out of its range or a check of the graph does not hold.
 */
rk_graph *rk_graph_at(const rk_graph *graph, const int64_t *values, rk_arena *arena, rk_diag *diag);

/* Queries. */

/** Whether the shape is one that a tensor can have; says what is wrong in *problem otherwise. */
bool rk_shape_valid(const char **problem, int rank, const int64_t *shape);

int64_t rk_tensor_elements(const rk_tensor *tensor);
int64_t rk_tensor_bytes(const rk_tensor *tensor);
/** RK_NO_ID when there is none. Looks at all names: not for a loop over tensors. */
rk_id rk_graph_find_tensor(const rk_graph *graph, const char *name);
const rk_attr *rk_node_attr(const rk_node *node, const char *name);

#endif
