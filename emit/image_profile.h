#ifndef RK_EMIT_IMAGE_PROFILE_H
#define RK_EMIT_IMAGE_PROFILE_H

#include "base/vec.h"
#include "emit/image.h"
#include "sched/profile/profile_file.h"

/** Work to measure and where it is from: a candidate of a node. */
typedef struct {
    rk_work work;
    const rk_graph *graph;
    rk_id node;
    const rk_candidate *candidate;
} rk_profile_subject;

typedef RK_VEC(rk_profile_subject) rk_profile_subjects;

/** Adds the work of all candidates; graph and candidates outlive the subjects. */
void rk_profile_subjects_add(rk_profile_subjects *to, const rk_graph *graph,
                             const rk_candidates *candidates, rk_arena *arena);

/** Orders them by residents, then as a profile is; of equal work the first is kept. */
void rk_profile_subjects_sort(rk_profile_subjects *subjects);

/**
 * One subject in an image: ops [first_op, first_op + copies), all the same work on buffers of their
 * own, so that as many vEUs as the device has find an rTask each that no other writes for. Buffers
 * start at 0 for each item: those of elements that are no floating-point numbers, which stay 0 (an
 * index that is 0 is never out of range), then those that are, from `float_begin` to `memory_bytes`.
 */
typedef struct {
    const rk_work *work;
    uint32_t fn;
    uint32_t first_op, copies;
    uint32_t rtasks; /**< of one copy */
    int64_t float_begin, memory_bytes;
} rk_profile_item;

/**
 * Work as an image without rPrograms, for whoever measures to fill in. Its vDevice has all vEUs that
 * the device keeps resident at the subjects' common number of residents.
 */
typedef struct {
    rk_image *image;
    rk_profile_item *items;
    size_t item_count;
} rk_profile_image;

/** Flattens subjects that have the same residents. */
rk_profile_image *rk_profile_image_build(const rk_profile_subject *subjects, size_t count,
                                         const rk_device *device, rk_arena *arena);

/**
 * An image of one item alone with one rProgram, in which each of the first `veus` vEUs runs `rounds`
 * rTasks of it and the others none. `veus` of 1 stays on one copy. With no item, an rProgram in which
 * nothing runs.
 */
rk_image *rk_profile_image_of(const rk_profile_image *from, const rk_profile_item *item,
                              uint32_t veus, uint32_t rounds, rk_arena *arena);

/**
 * Four bytes of what floating-point buffers are filled with: read as one number of 4 bytes, as two of 2
 * in either format, or with the next as one of 8, all are from 1/128 to 2, so that nothing overflows or
 * gets slow. `state` is the generator's.
 */
uint32_t rk_profile_fill(uint32_t *state);

#endif
