#ifndef RK_SCHED_SIMULATE_TRACE_H
#define RK_SCHED_SIMULATE_TRACE_H

#include "base/str.h"
#include "sched/simulate/bound.h"
#include "sched/simulate/measured.h"
#include "sched/simulate/simulate.h"

/** A simulated run, with its events, and what it is a run of. */
typedef struct {
    const rk_schedule *schedule;
    const rk_problem *problem;
    const rk_sim *sim; /**< rk_simulate with events */
    rk_bound bound;
    const rk_measured *measured; /**< a real run of the same schedule to lay beside it, or NULL */
} rk_trace;

/**
 * Adds the run in the Trace Event Format, which Perfetto and chrome://tracing open: a complete event
 * for each launch, rTask and wait, a thread for each vEU, times in microseconds.
 */
void rk_trace_chrome(rk_str *out, const rk_trace *trace);

/**
 * Adds the run as text, at most `rows` rows of neighbouring vEUs and `columns` columns of equal time.
 * A character says what most of its cell was: work, overhead, waiting or nothing.
 */
void rk_trace_gantt(rk_str *out, const rk_trace *trace, unsigned rows, unsigned columns);

/** Adds the timeline as an SVG picture, the measured one below: at most 40 of the vEUs, evenly chosen. */
void rk_trace_svg(rk_str *out, const rk_trace *trace);

/**
 * Adds the run, the graph and the waits as one JSON object, which tools/view.html draws. Nothing in
 * it ends an HTML script element.
 */
void rk_trace_view(rk_str *out, const rk_trace *trace);

#endif
