#ifndef RK_SCHED_MACHINE_DEVICE_H
#define RK_SCHED_MACHINE_DEVICE_H

#include "base/diag.h"

#include <stdint.h>

#define RK_DEVICE_SCHEMA "rammer.device/1"

/**
 * A device, from sched/machine/devices/<name>.json. Times are nanoseconds, bandwidths bytes a nanosecond
 * (GB/s). Every cost has its source in the file, under "sources"; one without is refused. One of
 * target "bsp" may have no L2, and gives 0.
 */
typedef struct {
    const char *name;
    const char *target; /**< the backend that it is for, by name */
    /**
     * Its units are cores of this machine, and not SMs of a GPU ("units": "core"; so are those of target
     * "cpu" unless the file says otherwise): sms, l2_bytes and memory_bytes may be 0, which are then found
     * here; kernels run that are compiled for this machine, and registers do not count; a core runs a
     * block's threads one after another.
     */
    bool cores;
    const char *arch;   /**< "sm_90"; "x86-64" */
    /** The architecture whose compiled resources stand in for those of arch, or NULL. */
    const char *resources;
    int sms;            /**< physical units that a vEU maps to */
    int max_threads_per_sm;
    int max_threads_per_block;
    int max_blocks_per_sm;
    int warp;                 /**< threads of a warp */
    int64_t registers_per_sm; /**< 32-bit registers */
    int register_granularity; /**< registers are allocated to a warp in units of this */
    int register_partitions;  /**< parts of the SM, each with its share of the registers */
    int max_registers_per_thread;
    int64_t shared_per_sm;      /**< bytes */
    int64_t shared_per_block;   /**< bytes, opt-in maximum */
    int64_t shared_reserved;    /**< bytes that the system takes of each block */
    int64_t shared_granularity; /**< bytes that a block's shared memory is rounded up to */
    int64_t l2_bytes;
    int64_t memory_bytes;
    double dram_bandwidth, l2_bandwidth;     /**< of the device */
    double memory_latency_ns, l2_latency_ns; /**< of one dependent load */
    double clock_ghz;
    double flops_per_sm_cycle; /**< f32 operations of one SM in one cycle */
    double launch_ns;          /**< from one kernel of a stream to the next */
    double graph_launch_ns;    /**< likewise inside a captured graph */
    double signal_ns;          /**< from one vEU's step to another's barrier-rTask leaving */
    double rtask_overhead_ns;  /**< table entry, end barrier and step of one rTask */
    double thread_ns;          /**< emulating one thread of a block that synchronises; 0 on GPUs */
} rk_device;

/**
 * Reads a descriptor: a file when `name` ends in ".json", else `folder/<name>.json`. NULL with
 * RK-F..., RK-J..., RK-D001 (a missing or absurd value, all of them), RK-D002 (unknown device, with
 * the nearest name).
 */
const rk_device *rk_device_read(const char *name, const char *folder, rk_arena *arena,
                                rk_diag *diag);

/** What one rTask needs of the unit it runs on. */
typedef struct {
    int threads;    /**< of its block */
    int registers;  /**< of one thread */
    int64_t shared; /**< bytes, static and dynamic */
} rk_demand;

/** What serves either demand: the larger of each. */
rk_demand rk_demand_larger(rk_demand a, rk_demand b);

/**
 * How many blocks of `demand` one SM keeps resident (CUDA programming guide, occupancy): limited by
 * blocks, threads, registers at allocation granularity, and shared memory with the reserved part. 0
 * when one block does not fit; *limit then names what is too small.
 */
int rk_device_occupancy(const rk_device *device, rk_demand demand, const char **limit);

#endif
