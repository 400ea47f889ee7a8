#ifndef RK_TESTS_MUTANTS_WORLD_H
#define RK_TESTS_MUTANTS_WORLD_H

#include "tests/proof/mutants/explorer.h"

/* The abstract memory of one subject: which rTasks touch which bytes, and what they should find. */

enum {
    MOST_WORDS = 2048, /**< of 4 bytes */
    MOST_CELLS = 128,
    MOST_TENSORS = 32, /**< of a graph */
    MOST_SEGMENTS = 128,
    GIVEN = 255 /**< in place of a node, plus 1: the caller or the file wrote it */
};

/** Words that the same rTasks touch in the same way. */
typedef struct {
    uint32_t reads, writes;       /**< rTasks, as sets of their numbers */
    uint8_t buffer[MOST_NODES];   /**< by node: the tensor whose buffer it is for it, plus 1 */
    uint8_t expected[MOST_NODES]; /**< by node: the node, plus 1, that wrote it last before */
    uint8_t initial, last;        /**< who wrote it before the first node, and in the end */
    bool kept;                    /**< it is an output's */
    uint8_t segment;              /**< words that the same operands hold, without a gap */
    uint32_t word;                /**< one of them */
} cell;

typedef struct {
    const subject *s;
    rk_arena *arena;
    uint32_t rtask_count;
    uint32_t first_rtask[MOST_NODES + 1]; /**< rTask r of node n is number first_rtask[n] + r */
    uint8_t node_of[MOST_RTASKS];
    cell cells[MOST_CELLS]; /**< without those that cannot go wrong */
    size_t cell_count;
    /** By segment and node: the buffers of which it has an operand there, as a set of tensors. */
    uint32_t used[MOST_SEGMENTS][MOST_NODES];
    uint32_t conflicts[MOST_RTASKS]; /**< rTasks of other nodes at common bytes, one writing */
} world;

/** The candidate that runs a node, and what it does. */
const rk_candidate *candidate_of(const subject *s, rk_id node);
const model *model_of(const subject *s, rk_id node);

/** What a schedule must be before it can be run; SAFE, MALFORMED, NOT_RESIDENT or MISPLACED. */
finding look_at_form(const subject *s, const char **what, rk_arena *arena);

/** For a subject that look_at_form finds SAFE. */
world *world_new(const subject *s, rk_arena *arena);

#endif
