#ifndef RK_SCHED_OPS_PLAN_H
#define RK_SCHED_OPS_PLAN_H

#include "base/vec.h"
#include "sched/ops/op_operands.h"
#include "sched/ops/scalar.h"

/*
 * Plans. The general operators (Map, Move, Reduce, Contract, Pick, Put, ...) are loops over extents with a stride an
 * operand, in any number of dimensions and of any type. One kernel of each interprets its plan: numbers that follow from
 * the node's attributes and its operands' shapes and types, and lie in memory beside the operands, as an input "plan"
 * that rk_graph_validate adds and no file has.
 *
 * A plan is 64-bit integers: the number of its lists, then where each begins and how long it is, then the lists.
 */

/** The most loops of one plan. */
enum { RK_PLAN_LOOPS = 16 };

/** Lists of a plan that is being made. */
typedef struct rk_plan_lists {
    rk_arena *arena;
    struct {
        const int64_t *items;
        size_t count;
    } lists[16];
    size_t count;
} rk_plan_lists;

/** Adds a list, which is copied when the plan is made. */
void rk_plan_add(rk_plan_lists *plan, const int64_t *items, size_t count);

/** Adds {domain, type of each declared input but the plan, -1 for none..., type of each output}. */
void rk_plan_types(rk_plan_lists *plan, const rk_op_call *call, rk_domain domain);

/** Adds the attribute's list; `otherwise` for each of `count` elements where it is not given. */
void rk_plan_attr(rk_plan_lists *plan, const rk_op_call *call, const char *attr, size_t count,
                  int64_t otherwise);

/** Gives the node its plan, as the constant that is its last operand. */
bool rk_op_make_plan(rk_graph *graph, rk_node *node, rk_diag *diag);

/* What the definitions of these operators share. */

/** Loops, and the offset of an operand as they go. */
typedef struct {
    size_t loops;
    const int64_t *extents;
    int64_t index[RK_PLAN_LOOPS];
} rk_loops;

/** Steps to the next index, row-major; false after the last. */
bool rk_loops_next(rk_loops *loops);

/** Sum of index[d] * strides[d]. */
int64_t rk_loops_at(const rk_loops *loops, const int64_t *strides);

/**
 * The attribute's list, with `count` elements; where it is not given, `otherwise` for each of them, in the graph's
 * arena. NULL with RK-G008 when it has another number.
 */
const int64_t *rk_op_list(const rk_op_call *call, const char *attr, size_t count, int64_t otherwise,
                          rk_diag *diag);

/** Reads "shape", sets the output's shape, and "extents", whose product is the same (default: the shape). */
bool rk_op_nest(const int64_t **extents, size_t *loops, const rk_op_call *call, rk_dtype dtype,
                rk_diag *diag);

/** A list of loops, of extents at least 1. RK-G008. */
bool rk_op_extents(const int64_t **extents, size_t *loops, const rk_op_call *call, const char *attr,
                   rk_diag *diag);

/** The least and largest of a sum of index[d] * strides[d]; added to what is there. False on overflow. */
bool rk_nest_range(int64_t range[2], const int64_t *extents, const int64_t *strides, size_t loops);

/** RK-G008 unless offset + range lies within the elements of input `i`. */
bool rk_op_inside(const rk_op_call *call, size_t i, int64_t offset, const int64_t range[2],
                  rk_diag *diag);

/** The attribute "dtype", else the type; RK-G009. */
bool rk_op_dtype(rk_dtype *out, const rk_op_call *call, rk_dtype otherwise, rk_diag *diag);

/** The index of the attribute's word among `words`, NULL-terminated; -1 with RK-G007. */
int rk_op_word(const rk_op_call *call, const char *attr, const char *const *words, rk_diag *diag);

/** That of a validated call. */
int rk_op_word_of(const rk_op_call *call, const char *attr, const char *const *words);

#define RK_LIST(text)                                                                              \
    {                                                                                              \
        .name = text, .type = RK_ATTR_INTS                                                         \
    }
#define RK_NUMBER(text, value)                                                                     \
    {                                                                                              \
        .name = text, .type = RK_ATTR_INT, .i = value                                              \
    }
#define RK_WORD(text, value)                                                                       \
    {                                                                                              \
        .name = text, .type = RK_ATTR_STRING, .s = value                                           \
    }

#endif
