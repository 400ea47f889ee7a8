#ifndef RK_BASE_JSON_H
#define RK_BASE_JSON_H

#include "base/diag.h"

#include <stdint.h>

#include <cjson/cJSON.h>

/**
 * A JSON document being read: its tree, and what is needed to point at a value by its path, such as
 * `graph.json: nodes[3].inputs[0]`. Freed with the arena, not by the caller.
 */
typedef struct {
    const char *file; /**< for diagnostics */
    cJSON *root;
    rk_arena *arena;
    rk_diag *diag;
} rk_json;

/**
 * Reads and parses `path`, and checks that its "schema" is `schema` (e.g. "rammer.graph/1"; NULL: do
 * not look). Diagnoses RK-F001.., RK-J001 (no JSON, with line and column), RK-J002 (schema),
 * RK-J006 (an object has a member twice), RK-J007 (a text has the character 0 in it), RK-J005 (the file, or
 * its tree, takes more memory than the environment's RK_JSON_MEMORY, in megabytes, or 4096).
 */
bool rk_json_read(rk_json *out, const char *path, const char *schema, rk_arena *arena,
                  rk_diag *diag);

/** As rk_json_read, from text; `file` names it in diagnostics. */
bool rk_json_parse(rk_json *out, const char *text, size_t size, const char *file,
                   const char *schema, rk_arena *arena, rk_diag *diag);

/*
 * Typed members of object `at`, whose path is `where` ("nodes[3]"). `rk_json_<type>` requires the
 * member (RK-J003 missing, RK-J004 wrong type); the `_or` forms give a default when it is absent and
 * still diagnose a wrong type. Strings live as long as the arena.
 */
bool rk_json_string(const char **out, const rk_json *json, const cJSON *at, const char *where,
                    const char *member);
bool rk_json_string_or(const char **out, const rk_json *json, const cJSON *at, const char *where,
                       const char *member, const char *otherwise);
bool rk_json_int(int64_t *out, const rk_json *json, const cJSON *at, const char *where,
                 const char *member);
bool rk_json_int_or(int64_t *out, const rk_json *json, const cJSON *at, const char *where,
                    const char *member, int64_t otherwise);
bool rk_json_number(double *out, const rk_json *json, const cJSON *at, const char *where,
                    const char *member);
bool rk_json_number_or(double *out, const rk_json *json, const cJSON *at, const char *where,
                       const char *member, double otherwise);
bool rk_json_bool_or(bool *out, const rk_json *json, const cJSON *at, const char *where,
                     const char *member, bool otherwise);
bool rk_json_array(const cJSON **out, const rk_json *json, const cJSON *at, const char *where,
                   const char *member);
/** NULL when absent. */
bool rk_json_array_or(const cJSON **out, const rk_json *json, const cJSON *at, const char *where,
                      const char *member);
bool rk_json_object(const cJSON **out, const rk_json *json, const cJSON *at, const char *where,
                    const char *member);
/** NULL when absent. */
bool rk_json_object_or(const cJSON **out, const rk_json *json, const cJSON *at, const char *where,
                       const char *member);

/** Adds a diagnostic at `where` in the document; returns false. */
bool rk_json_fail(const rk_json *json, const char *code, const char *where, const char *hint,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/**
 * Writes `root` to `path` atomically, two-space indents, keys in the order in which they were added,
 * short arrays of scalars on one line, a newline at the end.
 */
bool rk_json_write(const char *path, const cJSON *root, rk_arena *arena, rk_diag *diag);

/** The text that rk_json_write writes. */
char *rk_json_print(const cJSON *root, rk_arena *arena);

/** After rk_out_of_memory_escape was taken: no document is being read any more. */
void rk_json_forget(void);

#endif
