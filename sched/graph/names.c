#include "sched/graph/names.h"
#include "base/file.h"

#include <string.h>

void rk_names_init(rk_names *names, size_t count, rk_arena *arena)
{
    size_t slots = 16;
    while (slots < count * 2)
        slots *= 2;
    names->keys = RK_NEW_ARRAY(arena, const char *, slots);
    names->ids = RK_NEW_ARRAY(arena, rk_id, slots);
    names->mask = slots - 1;
}

/** The slot that holds the key, or the free one where it would go. */
static size_t slot_of(const rk_names *names, const char *key)
{
    size_t slot = (size_t)rk_hash(key, strlen(key), 0) & names->mask;
    while (names->keys[slot] && strcmp(names->keys[slot], key) != 0)
        slot = (slot + 1) & names->mask;
    return slot;
}

rk_id rk_names_add(rk_names *names, const char *key, rk_id id)
{
    size_t slot = slot_of(names, key);
    if (names->keys[slot])
        return names->ids[slot];
    names->keys[slot] = key;
    names->ids[slot] = id;
    return RK_NO_ID;
}

rk_id rk_names_find(const rk_names *names, const char *key)
{
    size_t slot = slot_of(names, key);
    return names->keys[slot] ? names->ids[slot] : RK_NO_ID;
}
