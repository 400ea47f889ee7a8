#ifndef RK_EMIT_FAMILY_IMAGE_H
#define RK_EMIT_FAMILY_IMAGE_H

#include "emit/image.h"
#include "sched/family/family.h"

/** A slot of an operator's arguments: the low `bytes` of fixed + scale * sym, or `fixed` where nothing is open. */
typedef struct {
    uint64_t fixed;
    rk_sym sym; /**< NULL: nothing is open */
    int64_t scale;
    size_t bytes;
} rk_spine_slot;

/** A plan of a general operator: a constant whose 64-bit words depend on the dimensions where they have an expression. */
typedef struct {
    rk_id tensor;
    const rk_sym *words; /**< NULL: as in the image's constants */
    size_t count;
} rk_spine_plan;

/**
 * A family as a backend sees it: the tables of one member, of which kernels, blocks, shared memory and places hold for
 * all, and what depends on the dimensions as expressions. A phrase that another waits for has a counter of its own, which
 * all its rTasks together advance by `steps`.
 */
typedef struct rk_spine {
    const rk_family *family;
    const rk_image *image; /**< where all dimensions are largest; its lists are not used */
    rk_spine_slot *slots;  /**< as image->args */
    rk_spine_plan *plans;  /**< those that depend on the dimensions */
    size_t plan_count;
    uint32_t *counters;    /**< by phrase: its counter, plus 1; 0: nobody waits for it */
    uint32_t counter_count;
    uint32_t steps; /**< S: no less than the rTasks of any phrase at any binding */
} rk_spine;

/**
 * NULL with RK-M005 where a node may have more rTasks than are counted, or a word of its plan is no polynomial of the
 * dimensions, and what rk_family_at says. Plans are fitted at some values; rk_spine_check looks at others.
 */
rk_spine *rk_spine_build(const rk_family *family, const rk_family_setting *setting, rk_arena *arena,
                         rk_diag *diag);

/** Part of rk_spine_build. */
bool rk_spine_set_plans(rk_spine *spine, rk_arena *arena, rk_diag *diag);

/** The plan that this constant is; NULL where it is none, or is the same for all values. */
const rk_spine_plan *rk_spine_plan_of(const rk_spine *spine, rk_id tensor);

/** The value of a slot where dimension i is values[i]. */
uint64_t rk_spine_slot_at(const rk_spine_slot *slot, const int64_t *values);

/**
 * Whether the member runs as the spine says there: the same block and shared memory for each node, and slots and grids
 * that are the member's own. RK-M005 for each node that does not.
 */
bool rk_spine_check(const rk_spine *spine, const int64_t *values, const rk_member *member,
                    rk_diag *diag);

#endif
