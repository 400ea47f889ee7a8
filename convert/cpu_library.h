#ifndef RK_CONVERT_CPU_LIBRARY_H
#define RK_CONVERT_CPU_LIBRARY_H

#include "convert/convert_internal.h"

/**
 * Compilations of converted sources into shared objects, at most one for each processor at a time.
 */
typedef struct rk_cpu_jobs rk_cpu_jobs;

rk_cpu_jobs *rk_cpu_jobs_new(const rk_convert_options *options, const char *folder, rk_arena *arena,
                             rk_diag *diag);

/**
 * Compiles `<folder>/<source>` ("gemm.rk.cpu.cpp") into `<folder>/cpu/<hash>.so`, unless it is
 * there: the hash is over `texts`, the runtime's headers, the compiler and its flags. Returns the
 * job's number.
 */
size_t rk_cpu_jobs_start(rk_cpu_jobs *jobs, const char *source, const rk_bytes *texts,
                         size_t text_count);

/** Waits for all. */
void rk_cpu_jobs_wait(rk_cpu_jobs *jobs);

/**
 * The library of a job, relative to the folder; NULL when the compiler refused it, for which
 * RK-V204 is diagnosed once, by rk_cpu_jobs_wait.
 */
const char *rk_cpu_jobs_library(const rk_cpu_jobs *jobs, size_t job);

#endif
