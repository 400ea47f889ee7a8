#ifndef RK_SCHED_PLAN_MEMORY_LAYOUT_H
#define RK_SCHED_PLAN_MEMORY_LAYOUT_H

#include <stdint.h>

/**
 * Where each buffer lies in the vDevice's one block of memory. Constants come first, in [0,
 * constant_bytes); offsets are multiples of 256.
 */
typedef struct {
    int64_t *offsets; /**< by tensor; a view has its base's offset plus its own */
    int64_t constant_bytes;
    int64_t total_bytes;
} rk_memory;

/** What a buffer of so many bytes takes. */
static inline int64_t rk_memory_aligned(int64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

#endif
