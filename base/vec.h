#ifndef RK_BASE_VEC_H
#define RK_BASE_VEC_H

#include "base/arena.h"

/**
 * A growing array in an arena: `RK_VEC(int) v = {0}; *rk_push(arena, &v) = 7;`.
 * Items move when it grows: keep indices, not pointers.
 */
#define RK_VEC(type)                                                                               \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, capacity;                                                                    \
    }

/** Address of a new, zeroed last item. */
#define rk_push(arena, vec)                                                                        \
    (rk_vec_grow((arena), (void **)&(vec)->items, (vec)->count, &(vec)->capacity,                  \
                 sizeof *(vec)->items),                                                            \
     &(vec)->items[(vec)->count++])

/** Ensures room for one more item; called by rk_push. */
void rk_vec_grow(rk_arena *arena, void **items, size_t count, size_t *capacity, size_t item_size);

#endif
