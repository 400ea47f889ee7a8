#ifndef RK_SCHED_SIMULATE_TRACE_EVENTS_H
#define RK_SCHED_SIMULATE_TRACE_EVENTS_H

#include "base/str.h"

#include <stdint.h>

/*
 * The Trace Event Format, which Perfetto and chrome://tracing open: a complete event for each launch, rTask and wait, a
 * thread for each vEU and one for launches, times in microseconds. Simulated and measured runs are written alike, so
 * that they can be read beside each other; rk/gpu/vdevice_trace.cuh writes the same on a GPU.
 */

/** What a run is of. */
typedef struct {
    const char *times; /**< "simulated" or "measured" */
    const char *graph, *device;
    const char *policy; /**< NULL: not known */
    uint32_t veus;
} rk_trace_run;

/** One event. Times are in ns since the run's start. */
typedef struct {
    const char *kind; /**< "launch", "work" or "wait" */
    uint32_t program, veu;
    const char *node, *kernel; /**< of work */
    uint32_t rtask;
    double start, end;
} rk_trace_event;

/** A text in quotes, escaped, with `<` as well, so that it may stand inside HTML. */
void rk_trace_text(rk_str *out, const char *text);

void rk_trace_begin(rk_str *out, const rk_trace_run *run);
void rk_trace_add(rk_str *out, const rk_trace_event *event);
void rk_trace_end(rk_str *out);

#endif
