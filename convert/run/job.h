#ifndef RK_CONVERT_RUN_JOB_H
#define RK_CONVERT_RUN_JOB_H

#include "convert/run/record.h"
#include "convert/run/sources_find.h"

/** The conversion of one source, which is the work of a process. */
typedef struct {
    const rk_source_input *input;
    rk_convert_options options; /**< the run's, with the source's arguments and its output */
    const char *pch;            /**< precompiled prelude, or NULL */
    rk_output_names *names;     /**< of the project's headers in the output folder */
    bool own_headers;           /**< what becomes of headers is for this source alone */
    uint64_t runtime;           /**< rk_cpu_library_hash */
    const char *folder;         /**< a new one, for files of its own */
} rk_job;

/** Converts it. What it found is in `out`, the diagnostics too; nothing but `folder` is written to. */
void rk_job_run(rk_record *out, const rk_job *job, rk_arena *arena);

/** Whether a source is what --in-place made of one. */
bool rk_job_is_converted(const char *path, rk_arena *arena);

#endif
