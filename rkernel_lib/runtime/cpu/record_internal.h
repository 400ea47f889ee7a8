#ifndef RK_RKERNEL_LIB_CPU_RECORD_INTERNAL_H
#define RK_RKERNEL_LIB_CPU_RECORD_INTERNAL_H

#include "rkernel_lib/include/rk/cuda/cuda_hooks.h"
#include "rkernel_lib/runtime/cpu/launch_record.h"

#include <stdio.h>

/** An allocation or symbol at one time. */
typedef struct {
    rk_cpu_memory memory;
    uint64_t hash;
} rk_record_state;

/** Allocations and symbols in the order of rk_cpu_memory_each. */
typedef struct {
    rk_record_state *items;
    size_t count, room;
} rk_record_states;

/** What a launch changed, as it was recorded. */
typedef struct {
    int kind;
    uint64_t serial, size, hash;
    int64_t offset; /**< in `contents`, -1 when it was not kept */
    char *name;     /**< of a symbol, else "-" */
    bool seen;
} rk_record_change;

/** A recorded launch. */
typedef struct {
    char *kernel;
    rk_record_change *changes;
    size_t count, room;
} rk_record_launch;

/** An allocation of the recorded run, so that pointers to it can be understood. */
typedef struct {
    int kind;
    uint64_t serial, base, size;
    char *name;
} rk_record_range;

/** A recorded run. */
typedef struct {
    rk_record_launch *launches;
    size_t launch_count, launch_room;
    rk_record_range *ranges;
    size_t range_count, range_room;
    FILE *contents;
    FILE *report;
    bool lost; /**< the programs launched different kernels: nothing more is compared */
} rk_record_run;

/** Reads the run of a folder; false with a message on stderr. */
bool rk_record_read(rk_record_run *run, const char *folder);

/** What is known of the launch that is compared. */
typedef struct {
    uint64_t number; /**< from 1 */
    const rk_cpu_launch_info *info;
    const char *why;
    rk_record_states *before, *after;
} rk_record_now;

/** Compares a launch and writes to the report what it found. */
void rk_record_compare(rk_record_run *run, const rk_record_now *now);

/** The state in a list of the same memory; NULL when there is none. */
const rk_record_state *rk_record_find(const rk_record_states *states, const rk_cpu_memory *memory);

/** RK_LAUNCHES: counts the launch; `why` it is no vDevice, or NULL, must stay. */
void rk_record_count(const rk_cpu_launch *launch, const char *why);

/** Makes room for one more item of `size` bytes; the runtime ends the program when memory is short. */
void *rk_record_grow(void *items, size_t count, size_t *room, size_t size);

/** Says that there is no memory for the record, and ends the program with status 1. */
_Noreturn void rk_record_no_memory(void);

#endif
