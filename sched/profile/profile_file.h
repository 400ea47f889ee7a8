#ifndef RK_SCHED_PROFILE_PROFILE_FILE_H
#define RK_SCHED_PROFILE_PROFILE_FILE_H

#include "rkernel_lib/catalog/catalog.h"
#include "sched/profile/work.h"

#define RK_PROFILE_SCHEMA "rammer.profile/1"

/** Costs of a device that a profile measures; those of a descriptor with the same names (device.h). */
typedef enum {
    RK_COST_LAUNCH,
    RK_COST_GRAPH_LAUNCH,
    RK_COST_SIGNAL,
    RK_COST_RTASK_OVERHEAD,
    RK_COST_BARRIER, /**< one barrier of all threads of a vEU: in no descriptor */
    RK_COST_THREAD,
    RK_COST_DRAM_BANDWIDTH,
    RK_COST_L2_BANDWIDTH,
    RK_COST_MEMORY_LATENCY,
    RK_COST_L2_LATENCY,
    RK_COST_CLOCK,
    RK_COST_FLOPS, /**< f32 operations of a unit in a cycle */
    RK_COST_COUNT
} rk_cost_kind;

/** "launch_ns", ...: as the file and the descriptor have them. */
extern const char *const rk_cost_names[RK_COST_COUNT];

/** The measured times of one rTask of some work, without the device's rtask_overhead_ns. */
typedef struct {
    rk_work work;
    double busy_ns;  /**< all vEUs run rTasks of this work */
    double alone_ns; /**< one vEU does, the others idle */
} rk_profile_entry;

/** A profile: times measured on one device with one catalog's kernels. */
typedef struct rk_profile_file {
    const char *path;            /**< for diagnostics */
    const char *device;          /**< the descriptor's name */
    const char *device_hash;     /**< rk_profile_device_hash */
    const char *machine;         /**< the processor's own name, as it reports it */
    const char *measured;        /**< when, in UTC: "2026-11-21T12:00:00Z" */
    double costs[RK_COST_COUNT]; /**< in the descriptor's units; 0: not measured */
    rk_profile_entry *entries;   /**< ordered by rk_work_compare, each work once */
    size_t entry_count;
} rk_profile_file;

/**
 * 16 hex digits of what makes times comparable: the device's name, target, architecture, units and
 * limits, and for cores which processor this is. Its costs are not in it,
 * since a profile's own take their place.
 */
const char *rk_profile_device_hash(const rk_device *device, rk_arena *arena);

/** A cost of the descriptor; 0 for RK_COST_BARRIER, which it does not have. */
double rk_profile_device_cost(const rk_device *device, rk_cost_kind cost);

/** The device with the costs that the profile measured in place of the descriptor's. */
const rk_device *rk_profile_device(const rk_profile_file *file, const rk_device *device,
                                   rk_arena *arena);

/** Sorts the entries as a profile has them; of equal ones the first is kept. */
void rk_profile_sort(rk_profile_file *file);

/** Writes it; the same profile gives the same bytes. */
bool rk_profile_file_write(const rk_profile_file *file, const char *path, rk_arena *arena,
                           rk_diag *diag);

/**
 * JSON for programs that measure elsewhere and write the file there: the members of the file before
 * "machine", and those of an entry before "busy_ns", each an object without its closing brace.
 */
const char *rk_profile_file_head(const rk_device *device, rk_arena *arena);
const char *rk_profile_entry_head(const rk_work *work, rk_arena *arena);

/**
 * Reads a profile. NULL with RK-F..., RK-J... or RK-P001 (a time that is missing, not a number,
 * negative or zero, or work listed twice), all of them.
 */
const rk_profile_file *rk_profile_file_read(const char *path, rk_arena *arena, rk_diag *diag);

/** Whether the profile was measured on this device; RK-P002. */
bool rk_profile_fits_device(const rk_profile_file *file, const rk_device *device, rk_diag *diag);

/**
 * Whether the profile was measured on this device (RK-P002) and with this catalog's kernels (RK-P003:
 * for each that changed; or when it has none of them). Kernels that the profile lacks are fine.
 */
bool rk_profile_file_fits(const rk_profile_file *file, const rk_device *device,
                          const rk_catalog *catalog, rk_diag *diag);

#endif
