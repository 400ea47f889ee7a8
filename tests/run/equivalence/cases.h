#ifndef RK_TESTS_EQUIVALENCE_CASES_H
#define RK_TESTS_EQUIVALENCE_CASES_H

#include "base/json.h"
#include "sched/graph/graph.h"

/** An operand of a case. */
typedef struct {
    const char
        *name;    /**< of a kernel without an op: the launching function's parameter; else NULL */
    bool present; /**< false: an optional operand left out */
    bool output;  /**< of a kernel without an op; outputs of an op are inferred */
    rk_dtype dtype;
    int rank;
    int64_t shape[RK_MAX_RANK];
    double low, high; /**< inputs: values are drawn from [low, high] */
    bool nonfinite;   /**< some are infinities and NaNs */
} eq_operand;

/** One node on which a kernel is tried. */
typedef struct {
    const char *where; /**< "groups[2].cases[0]" */
    const eq_operand *operands;
    size_t operand_count;
    const cJSON *attrs; /**< attributes of the op, or scalars of the launching function; or NULL */
    double tolerance;   /**< |result - oracle| <= tolerance * (1 + |oracle|) */
    bool unaligned;     /**< buffers begin 4 bytes off an aligned address */
} eq_case;

/** Kernel instances that are tried on the same cases. */
typedef struct {
    const char *const *kernels;
    size_t kernel_count;
    const char *op;        /**< NULL: a kernel that no op is bound to */
    const char *launcher;  /**< without an op: the launching function */
    const char *reference; /**< without an op: name of the oracle (references.h) */
    const eq_case *cases;
    size_t case_count;
} eq_group;

typedef struct {
    const eq_group *groups;
    size_t count;
} eq_cases;

/** Reads the table of cases. False with RK-F... or RK-J.... */
bool eq_cases_read(eq_cases *out, const char *path, rk_arena *arena, rk_diag *diag);

/** Builds the graph of one node that a case describes; NULL with the diagnostics of the graph. */
rk_graph *eq_case_graph(const eq_group *group, const char *kernel, const eq_case *c,
                        rk_arena *arena, rk_diag *diag);

#endif
