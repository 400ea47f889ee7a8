#ifndef RK_EMIT_CPU_H
#define RK_EMIT_CPU_H

#include "base/str.h"
#include "emit/backend.h"

/**
 * An image ready to run on this machine: its kernels' shared objects loaded, the vDevice's memory and
 * worker threads made. For those who run more than once; rk_backend.run makes one for a single run.
 */
typedef struct rk_cpu_vdevice rk_cpu_vdevice;

typedef struct {
    /** OS threads, the caller's included; 0: $RK_CPU_WORKERS, else one for each vEU but no more than
        processors. */
    uint32_t workers;
    uint32_t first_base; /**< initial value of the steps, see rk_executor_options */
    bool exact;          /**< kernels that fuse no operations: the same bytes on every processor */
    bool clocked;        /**< the time of rk_cpu_vdevice_run is rk_executor_processor_ns */
    const struct rk_spine *spine; /**< of a family, whose image it is: for all values of its dimensions; or NULL */
} rk_cpu_options;

/**
 * Makes a vDevice; `options` may be NULL. Its tables lie in `arena`, and the image must outlive it. NULL
 * with RK-M101 (kernel not compiled for the CPU), RK-M102 (shared object missing), RK-M103 (made for
 * another machine, or cannot be loaded), RK-M104 (entry missing), RK-M105 (an op does not fit the vEU), RK-M109
 * (a kernel that is a library's, for exact bytes),
 * all at once, or RK-M107 (broken tables, memory or threads short).
 */
rk_cpu_vdevice *rk_cpu_vdevice_new(const rk_image *image, const rk_catalog *catalog,
                                   const rk_cpu_options *options, rk_arena *arena, rk_diag *diag);

/** Whether its kernels can be loaded and fit its vEUs: as rk_cpu_vdevice_new, without making one. */
bool rk_cpu_check(const rk_image *image, const rk_catalog *catalog, rk_arena *arena, rk_diag *diag);

/**
 * Runs it: inputs[i] and outputs[i] are the image's, row-major. `seconds`, if not NULL, gets the time of
 * the vDevice itself. False with RK-M106 when an rTask failed: node, rTask and what is known.
 */
bool rk_cpu_vdevice_run(rk_cpu_vdevice *vdevice, const void *const *inputs, void *const *outputs,
                        double *seconds, rk_diag *diag);

/**
 * As rk_cpu_vdevice_run, without the schedule: the same rKernels one node at a time, all its rTasks on
 * the worker threads and a join after each, as launches one by one would be. The same bytes come out.
 */
bool rk_cpu_vdevice_run_one_by_one(rk_cpu_vdevice *vdevice, const void *const *inputs,
                                   void *const *outputs, double *seconds, rk_diag *diag);

/**
 * As rk_cpu_vdevice_run, and adds what began and ended when to `trace`, measured, in the Trace Event Format
 * (sched/simulate/trace_events.h). RK-M107 where memory for them is short.
 */
bool rk_cpu_vdevice_run_traced(rk_cpu_vdevice *vdevice, const void *const *inputs,
                               void *const *outputs, rk_str *trace, rk_diag *diag);

/** As rk_cpu_vdevice_run_one_by_one, and op_ns[i] gets the time of the image's op i. */
bool rk_cpu_vdevice_profile(rk_cpu_vdevice *vdevice, const void *const *inputs,
                            void *const *outputs, double *op_ns, rk_diag *diag);

/**
 * Of a family: sets the open dimensions for the runs that follow, which are the largest before. RK-G019 where they cannot
 * have these values.
 */
bool rk_cpu_vdevice_set_dims(rk_cpu_vdevice *vdevice, const int64_t *values, rk_diag *diag);

/** The image's inputs and outputs, of a family with the dimensions that are set. */
const rk_image_io *rk_cpu_vdevice_inputs(const rk_cpu_vdevice *vdevice);
const rk_image_io *rk_cpu_vdevice_outputs(const rk_cpu_vdevice *vdevice);

/** OS threads that it uses. */
uint32_t rk_cpu_vdevice_workers(const rk_cpu_vdevice *vdevice);

void rk_cpu_vdevice_free(rk_cpu_vdevice *vdevice);

#endif
