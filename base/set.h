#ifndef RK_BASE_SET_H
#define RK_BASE_SET_H

#include "base/arena.h"

#include <stdbool.h>

/** Texts, each once, in an arena: `rk_set seen = {.arena = arena};`. */
typedef struct {
    rk_arena *arena; /**< set by the creator */
    const char **slots;
    size_t count, capacity; /**< texts, and slots: a power of two, or 0 */
} rk_set;

/** Whether the text is new; it is kept as it is, not copied. */
bool rk_set_add(rk_set *set, const char *text);

#endif
