#ifndef RK_CONVERT_RUN_RECORD_H
#define RK_CONVERT_RUN_RECORD_H

#include "base/file.h"
#include "base/json.h"
#include "convert/unit/unit.h"

/**
 * All that the conversion of one source gives: what its process hands back, and what a cache keeps.
 * `file.outputs` are the outputs' paths.
 */
typedef struct {
    rk_convert_file file;
    bool ok;
    const rk_diagnostic *diagnostics;
    size_t diagnostic_count;
    const rk_output *outputs;
    size_t output_count;
    const char *catalog; /**< text of a catalog of its kernels, or NULL */
    const char *dump;    /**< or NULL */
} rk_record;

/** Writes it atomically. */
bool rk_record_write(const rk_record *record, const char *path, rk_arena *arena, rk_diag *diag);

/** Reads it; false, without a diagnostic, when it is not there or not whole. */
bool rk_record_read(rk_record *out, const char *path, rk_arena *arena);

/** A copy of what is known of a source in another arena, with its edits or without. */
rk_convert_file rk_record_keep(const rk_convert_file *file, bool edits, rk_arena *arena);

/** A file of a report as JSON, without its edits; a diagnostic as JSON. The caller deletes them. */
cJSON *rk_report_file(const rk_convert_file *file);
cJSON *rk_report_diagnostic(const rk_diagnostic *diagnostic);

#endif
