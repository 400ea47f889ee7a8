#include "base/vec.h"

#include <string.h>

void rk_vec_grow(rk_arena *arena, void **items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return;
    size_t grown = *capacity ? *capacity * 2 : 8;
    void *moved = rk_arena_calloc(arena, grown, item_size);
    if (count)
        memcpy(moved, *items, count * item_size);
    *items = moved;
    *capacity = grown;
}
