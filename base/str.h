#ifndef RK_BASE_STR_H
#define RK_BASE_STR_H

#include "base/arena.h"

#include <stdbool.h>

/** A growing text in an arena; `text` is NUL-terminated after the first append, NULL before it. */
typedef struct {
    rk_arena *arena; /**< set by the creator */
    char *text;      /**< owned by the arena; moves when it grows */
    size_t length;   /**< bytes without the NUL */
    size_t capacity; /**< bytes allocated */
} rk_str;

/** Appends formatted text. */
void rk_str_addf(rk_str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Appends `text`. */
void rk_str_add(rk_str *s, const char *text);

/** Appends `length` bytes. */
void rk_str_addn(rk_str *s, const char *text, size_t length);

/** The text so far, "" when empty. */
const char *rk_str_text(const rk_str *s);

bool rk_str_starts(const char *s, const char *prefix);
bool rk_str_ends(const char *s, const char *suffix);

/**
 * The entry of `names` closest to `name`, or NULL when none is near enough to suggest (edit distance
 * of at most a third of its length). For "did you mean" hints.
 */
const char *rk_str_nearest(const char *name, const char *const *names, size_t count);

#endif
