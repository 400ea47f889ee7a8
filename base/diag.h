#ifndef RK_BASE_DIAG_H
#define RK_BASE_DIAG_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

/** What a diagnostic means for the outcome of its input. */
typedef enum { RK_NOTE, RK_WARNING, RK_REFUSED, RK_ERROR } rk_severity;

/**
 * Where a diagnostic points: a file position, or a thing of a file such as a graph node ("node
 * 'h1'"), or both. Unknown parts are NULL or 0. Lines and columns count from 1, columns in bytes.
 */
typedef struct {
    const char *file;
    int line, column;
    const char *object; /**< e.g. "node 'h1'", "tensor 'x'", "kernel 'scan'" */
} rk_place;

/** One diagnostic. Strings belong to the rk_diag. */
typedef struct {
    rk_severity severity;
    const char *code; /**< stable, e.g. "RK-G003"; docs/codes.md lists them */
    rk_place place;
    const char *message; /**< one sentence, no full stop */
    const char *hint;    /**< what to do, or NULL */
} rk_diagnostic;

/** Collects the diagnostics of a run, in the order in which they were found. */
typedef struct rk_diag rk_diag;

/** A new, empty collector in `arena`. */
rk_diag *rk_diag_new(rk_arena *arena);

/**
 * Adds a diagnostic; `hint` may be NULL. All strings are copied. Returns false always, so that a
 * failing function can end with `return rk_diag_add(...)`.
 */
bool rk_diag_add(rk_diag *diag, rk_severity severity, const char *code, rk_place place,
                 const char *hint, const char *format, ...) __attribute__((format(printf, 6, 7)));

/** How many there are, and the i-th. */
size_t rk_diag_count(const rk_diag *diag);
const rk_diagnostic *rk_diag_at(const rk_diag *diag, size_t i);

/** How many of this severity there are. */
size_t rk_diag_count_of(const rk_diag *diag, rk_severity severity);

/**
 * Prints each as `file:line:col: error: message [code]` and an indented `hint:` line, in order, from
 * the `first`th on; in colour when `colour`.
 */
void rk_diag_print(const rk_diag *diag, size_t first, FILE *out, bool colour);

/** "note", "warning", "refused", "error" */
const char *rk_severity_name(rk_severity severity);

/** A place that is a file as a whole, and one that is a thing in it. */
rk_place rk_place_file(const char *file);
rk_place rk_place_object(rk_arena *arena, const char *file, const char *kind, const char *name);

#endif
