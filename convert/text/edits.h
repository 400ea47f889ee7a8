#ifndef RK_CONVERT_TEXT_EDITS_H
#define RK_CONVERT_TEXT_EDITS_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>

/** Replace `length` bytes at `offset` by `text`. A length of 0 inserts before that byte. */
typedef struct {
    size_t offset, length;
    const char *text;
    int rank;   /**< order among insertions at one offset: lower comes first, then as added */
    bool entry; /**< what a function does first, which its form for a whole block has of its own */
} rk_edit;

/** The edits of one file, in any order until they are applied. */
typedef struct {
    rk_arena *arena;
    RK_VEC(rk_edit) list;
} rk_edits;

/** Adds an edit; one that is there already, byte for byte, is added once. `text` is copied. */
void rk_edits_add(rk_edits *edits, size_t offset, size_t length, const char *text);

/** As rk_edits_add, of length 0, with a rank; the same insertion at the same rank is added once. */
void rk_edits_insert(rk_edits *edits, size_t offset, int rank, const char *text);

/** As rk_edits_insert, of what a function does first. */
void rk_edits_enter(rk_edits *edits, size_t offset, int rank, const char *text);

/**
 * Applies all edits to `text` at once. NULL when two overlap, whose indices in `list` are then in
 * `conflict`; an insertion at the border of a replacement does not overlap it.
 */
char *rk_edits_apply(rk_edits *edits, const char *text, size_t size, size_t *out_size,
                     size_t conflict[2]);

/** One line for each edit, in order: offset, length, old and new text quoted as C does. */
void rk_edits_print(rk_edits *edits, const char *text, rk_str *out);

#endif
