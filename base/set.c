#include "base/set.h"

#include "base/file.h"

#include <string.h>

/** The slot that has the text, or the empty one where it belongs. */
static const char **slot_of(const rk_set *set, const char *text)
{
    size_t i = (size_t)rk_hash(text, strlen(text), 0);
    for (;; i++) {
        const char **slot = &set->slots[i & (set->capacity - 1)];
        if (!*slot || strcmp(*slot, text) == 0)
            return slot;
    }
}

static void grow(rk_set *set)
{
    const rk_set old = *set;
    set->capacity = old.capacity ? 2 * old.capacity : 16;
    set->slots = RK_NEW_ARRAY(set->arena, const char *, set->capacity);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i])
            *slot_of(set, old.slots[i]) = old.slots[i];
}

bool rk_set_add(rk_set *set, const char *text)
{
    if (2 * set->count >= set->capacity)
        grow(set);
    const char **slot = slot_of(set, text);
    if (*slot)
        return false;
    *slot = text;
    set->count++;
    return true;
}
