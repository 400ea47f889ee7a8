#include "sched/simulate/simulate_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void start_next(simulation *s, uint32_t veu);

static uint32_t add_event(simulation *s, rk_sim_event event)
{
    if (!s->record)
        return RK_SIM_NONE;
    *rk_push(s->arena, &s->events) = event;
    return (uint32_t)s->events.count - 1;
}

static const rk_veu_list *list_of(const simulation *s, uint32_t veu)
{
    return &s->schedule->programs[s->program].veus[veu];
}

static void set_timer(simulation *s, uint32_t veu, double at)
{
    s->veus[veu].phase_end = at;
    rk_sim_heap_push(&s->timers, at, veu);
}

/* Waiting. */

/** Notes that the vEU goes on no sooner than `time`, because of that event. */
static void raise_until(veu_run *v, double time, uint32_t cause)
{
    if (time > v->until) {
        v->until = time;
        v->until_cause = cause;
    }
}

/** The vEU's barrier-rTask has all it waits for: it leaves when the last signal is there. */
static void leave_wait(simulation *s, uint32_t veu)
{
    veu_run *v = &s->veus[veu];
    v->phase = PHASE_SIGNAL;
    if (v->until > s->now) {
        set_timer(s, veu, v->until);
        return;
    }
    v->entry++;
    start_next(s, veu);
}

/** Puts the vEU into a list of those that wait for that many steps. */
static void block(veu_run *v, uint32_t veu, uint32_t step, uint32_t *waiters)
{
    v->phase = PHASE_BLOCKED;
    v->need_step = step;
    v->next_waiter = *waiters;
    *waiters = veu + 1;
}

/**
 * When what the item names had ended, on vEUs other than this one; false when it has not, and the vEU is in the list
 * of those that wait for it.
 */
static bool find_end(simulation *s, uint32_t veu, rk_wait_item need, step_end *end)
{
    const bool counts = need.veu >= s->schedule->veu_count;
    sim_counter *counter = counts ? &s->counters[need.veu - s->schedule->veu_count] : NULL;
    veu_run *other = counts ? NULL : &s->veus[need.veu];
    if ((counts ? counter->done : other->steps) < need.step) {
        block(&s->veus[veu], veu, need.step, counts ? &counter->waiters : &other->waiters);
        return false;
    }
    *end = !counts               ? s->ends[other->first_step + need.step - 1]
           : counter->veu == veu ? counter->other
                                 : counter->last;
    return true;
}

/**
 * Goes through the items of the vEU's barrier-rTask from where it stopped. An item that is not there
 * yet puts the vEU into the list of those that wait for that one; each item is seen once.
 */
static void scan_wait(simulation *s, uint32_t veu)
{
    veu_run *v = &s->veus[veu];
    const rk_entry *e = &list_of(s, veu)->entries[v->entry];
    const rk_wait_item *items = &s->schedule->programs[s->program].waits[e->wait_first];
    for (; v->item < e->wait_count; v->item++) {
        step_end end;
        if (items[v->item].step == 0 || items[v->item].veu == veu)
            continue;
        if (!find_end(s, veu, items[v->item], &end))
            return;
        if (end.time >= 0)
            raise_until(v, end.time + s->problem->device->signal_ns, end.event);
    }
    leave_wait(s, veu);
}

static void begin_wait(simulation *s, uint32_t veu)
{
    veu_run *v = &s->veus[veu];
    v->started = s->now;
    v->until = s->now;
    v->until_cause = v->last_event;
    v->item = 0;
    scan_wait(s, veu);
}

/** Wakes those of a list that wait for no more than `steps`. */
static void wake_waiters(simulation *s, uint32_t *waiters, uint32_t steps)
{
    uint32_t at = *waiters;
    *waiters = 0;
    while (at) {
        uint32_t w = at - 1;
        at = s->veus[w].next_waiter;
        if (s->veus[w].need_step <= steps) {
            scan_wait(s, w);
        } else {
            s->veus[w].next_waiter = *waiters;
            *waiters = w + 1;
        }
    }
}

/** An rTask of the counter's node has ended on a vEU: no sooner than any before. */
static void count_end(sim_counter *c, uint32_t veu, step_end end)
{
    if (c->veu != veu)
        c->other = c->last;
    c->last = end;
    c->veu = veu;
    c->done++;
}

/* rTasks. */

static void begin_work(simulation *s, uint32_t veu)
{
    veu_run *v = &s->veus[veu];
    rk_id op = list_of(s, veu)->entries[v->entry].task.op;
    v->phase = PHASE_FIXED;
    v->started = s->now;
    if (s->begun && s->begun[op] > s->now)
        s->begun[op] = s->now;
    set_timer(s, veu, s->now + s->costs[op].fixed_ns);
}

static void end_work(simulation *s, uint32_t veu)
{
    veu_run *v = &s->veus[veu];
    rk_rtask task = list_of(s, veu)->entries[v->entry].task;
    v->work += s->now - v->started;
    v->last_event = add_event(s, (rk_sim_event){.kind = RK_SIM_WORK,
                                                .program = s->program,
                                                .veu = veu,
                                                .entry = v->entry,
                                                .task = task,
                                                .start = v->started,
                                                .end = s->now,
                                                .cause = v->last_event});
    s->ends[v->first_step + v->steps] = (step_end){s->now, v->last_event};
    v->steps++;
    v->entry++;
    wake_waiters(s, &v->waiters, v->steps);
    const uint32_t counter = s->counter_of[task.op];
    if (counter) {
        sim_counter *c = &s->counters[counter - 1];
        count_end(c, veu, (step_end){s->now, v->last_event});
        wake_waiters(s, &c->waiters, c->done);
    }
    for (uint32_t at = s->kernels ? rk_sim_kernel_end(s, task.op, v->last_event) : 0; at;) {
        const uint32_t woken = at - 1;
        at = s->veus[woken].next_waiter;
        start_next(s, woken);
    }
    start_next(s, veu);
}

/** Starts the vEU's next entry, if it has one. */
static void start_next(simulation *s, uint32_t veu)
{
    veu_run *v = &s->veus[veu];
    const rk_veu_list *list = list_of(s, veu);
    while (s->kernels && v->entry < list->count && list->entries[v->entry].wait_count)
        v->entry++;
    if (v->entry == list->count) {
        v->phase = PHASE_DONE;
        v->ended = s->now;
        return;
    }
    if (list->entries[v->entry].wait_count)
        begin_wait(s, veu);
    else if (!s->kernels || rk_sim_kernel_ready(s, veu, list->entries[v->entry].task.op))
        begin_work(s, veu);
}

static void end_wait(simulation *s, uint32_t veu)
{
    veu_run *v = &s->veus[veu];
    v->wait += s->now - v->started;
    v->last_event = add_event(s, (rk_sim_event){.kind = RK_SIM_WAIT,
                                                .program = s->program,
                                                .veu = veu,
                                                .entry = v->entry,
                                                .start = v->started,
                                                .end = s->now,
                                                .cause = v->until_cause});
    if (s->kernels) {
        begin_work(s, veu);
        return;
    }
    v->entry++;
    start_next(s, veu);
}

static void on_timer(simulation *s, uint32_t veu)
{
    veu_run *v = &s->veus[veu];
    if (v->phase == PHASE_SIGNAL) {
        end_wait(s, veu);
        return;
    }
    assert(v->phase == PHASE_FIXED);
    const op_cost *cost = &s->costs[list_of(s, veu)->entries[v->entry].task.op];
    if (cost->stream == NOT_STREAMING) {
        end_work(s, veu);
    } else {
        v->phase = PHASE_STREAM;
        rk_sim_stream_begin(s, cost->stream, veu, cost->stream_ns);
    }
}

/* rPrograms. */

static void begin_program(simulation *s, uint32_t program)
{
    const rk_rprogram *p = &s->schedule->programs[program];
    uint32_t launch = add_event(s, (rk_sim_event){.kind = RK_SIM_LAUNCH,
                                                  .program = program,
                                                  .veu = RK_SIM_NONE,
                                                  .start = s->now,
                                                  .end = s->now + s->problem->device->launch_ns,
                                                  .cause = s->last_ended});
    s->now += s->problem->device->launch_ns;
    s->program = program;
    size_t steps = 0;
    for (uint32_t i = 0; i < s->schedule->veu_count; i++) {
        s->veus[i] = (veu_run){.last_event = launch, .first_step = steps};
        steps += p->veus[i].count;
    }
    if (steps > s->ends_made) {
        s->ends_made = 2 * steps;
        s->ends = RK_NEW_ARRAY(s->scratch, step_end, s->ends_made);
    }
    if (p->counter_count > s->counters_made) {
        s->counters_made = 2 * p->counter_count;
        s->counters = RK_NEW_ARRAY(s->scratch, sim_counter, s->counters_made);
    }
    for (uint32_t i = 0; i < p->counter_count; i++) {
        s->counters[i] = (sim_counter){.veu = RK_SIM_NONE, .last.time = -1, .other.time = -1};
        s->counter_of[p->counters[i]] = i + 1;
    }
    for (uint32_t i = 0; i < s->schedule->veu_count; i++)
        start_next(s, i);
}

/** Runs the rProgram's events in order of time; those of one time in the order of their vEUs. */
static void play(simulation *s)
{
    for (;;) {
        double at;
        uint32_t stream;
        double next = rk_sim_stream_next(s, &stream);
        if (s->timers.count && s->timers.items[0].key <= next)
            at = s->timers.items[0].key;
        else if (stream != NOT_STREAMING)
            at = next;
        else
            break;
        rk_sim_stream_advance(s, at, at == next ? stream : NOT_STREAMING);
        while (s->timers.count && s->timers.items[0].key <= s->now)
            on_timer(s, rk_sim_heap_pop(&s->timers));
        uint32_t veu;
        while (rk_sim_stream_ended(s, &veu))
            end_work(s, veu);
    }
}

static double overhead_of(const simulation *s)
{
    return s->schedule->form == RK_RUNS_AS_VDEVICE ? s->problem->device->rtask_overhead_ns : 0;
}

static void end_program(simulation *s)
{
    double overhead = overhead_of(s);
    double latest = -1;
    for (uint32_t i = 0; i < s->schedule->veu_count; i++) {
        const veu_run *v = &s->veus[i];
        assert(v->phase == PHASE_DONE);
        s->times.overhead_ns += v->steps * overhead;
        s->times.work_ns += v->work - v->steps * overhead;
        s->times.wait_ns += v->wait;
        s->times.idle_ns += s->now - v->ended;
        if (v->ended > latest) {
            latest = v->ended;
            s->last_ended = v->last_event;
        }
    }
    s->times.launch_ns += s->problem->device->launch_ns * s->schedule->veu_count;
    const rk_rprogram *p = &s->schedule->programs[s->program];
    for (size_t i = 0; i < p->counter_count; i++)
        s->counter_of[p->counters[i]] = 0;
}

/** How many rTasks of a kernel that has the device to itself run where one vEU would; kernels' occupancy is their own. */
static double crowd(rk_candidate *kernel, const rk_device *d, rk_run_form form, uint32_t veus)
{
    const rk_candidate given = *kernel;
    const int own = rk_device_occupancy(d, kernel->demand, NULL);
    if (form == RK_RUNS_AS_VDEVICE)
        return 1;
    const uint32_t each = (kernel->rtasks + (uint32_t)d->sms - 1) / (uint32_t)d->sms;
    if (kernel->needs.residents && own > 0)
        kernel->needs.residents = each < (uint32_t)own ? (int)each : own;
    const double slots = (double)d->sms * (own > given.residents ? own : given.residents);
    return ceil(kernel->rtasks / (double)veus) / ceil(kernel->rtasks / slots);
}

static void find_costs(simulation *s)
{
    size_t nodes = s->schedule->node_count;
    s->costs = RK_NEW_ARRAY(s->scratch, op_cost, nodes + 1);
    memset(s->pools, 0, sizeof s->pools);
    for (size_t i = 0; i < nodes; i++) {
        rk_candidate c = s->problem->candidates->nodes[i].items[s->schedule->selected[i]];
        const double crowded =
            crowd(&c, s->problem->device, s->schedule->form, s->schedule->veu_count);
        if (s->memory || crowded > 1)
            c.parts = rk_candidate_parts(&c, s->problem->device, s->memory ? s->memory[i] : 0);
        bool streams = c.parts.stream_ns > 0 && c.parts.bytes > 0;
        double alone =
            rk_simulate_alone(&c, s->problem->device) - s->problem->device->rtask_overhead_ns;
        s->costs[i] =
            (op_cost){.fixed_ns = overhead_of(s) + (streams ? c.parts.fixed_ns : alone) / crowded,
                      .stream_ns = c.parts.stream_ns / crowded,
                      .stream = NOT_STREAMING};
        if (streams)
            s->costs[i].stream =
                rk_sim_stream_add(s, c.parts.from, c.parts.bytes / s->costs[i].stream_ns);
    }
    rk_sim_streams_sort(s);
}

/** The critical path backwards: each event's cause, and which part of the time it was. */
static void find_path(rk_sim *out, const simulation *s)
{
    size_t length = 0;
    for (uint32_t at = s->last_ended; at != RK_SIM_NONE; at = s->events.items[at].cause)
        length++;
    out->critical = RK_NEW_ARRAY(s->arena, uint32_t, length + 1);
    out->critical_count = length;
    double overhead = overhead_of(s);
    for (uint32_t at = s->last_ended; at != RK_SIM_NONE; at = s->events.items[at].cause) {
        const rk_sim_event *e = &s->events.items[at];
        double before = e->cause == RK_SIM_NONE ? 0 : s->events.items[e->cause].end;
        out->critical[--length] = at;
        if (e->kind == RK_SIM_LAUNCH) {
            out->path.launch_ns += e->end - before;
        } else if (e->kind == RK_SIM_WAIT) {
            out->path.wait_ns += e->end - before;
        } else {
            out->path.overhead_ns += overhead;
            out->path.work_ns += e->end - before - overhead;
        }
    }
    out->path.makespan_ns = s->now;
}

static void play_all(simulation *s)
{
    s->now = 0;
    s->last_ended = RK_SIM_NONE;
    s->times = (rk_sim_times){0};
    s->timers.count = 0;
    s->kernels = NULL;
    if (s->schedule->form == RK_RUNS_AS_STREAMS || s->schedule->form == RK_RUNS_AS_GRAPH)
        rk_sim_kernels_init(s);
    find_costs(s);
    for (size_t p = 0; p < s->schedule->program_count; p++) {
        begin_program(s, (uint32_t)p);
        play(s);
        end_program(s);
    }
    s->times.makespan_ns = s->now;
}

typedef struct {
    double at;
    rk_id node;
} start;

static int by_start(const void *a, const void *b)
{
    const start *x = a;
    const start *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/** From where nodes are served, by the order in which they start when the schedule is played once. */
static const double *find_memory(simulation *s)
{
    const size_t nodes = s->schedule->node_count;
    double *memory = RK_NEW_ARRAY(s->scratch, double, nodes + 1);
    start *starts = RK_NEW_ARRAY(s->scratch, start, nodes + 1);
    rk_id *order = RK_NEW_ARRAY(s->scratch, rk_id, nodes + 1);
    s->begun = RK_NEW_ARRAY(s->scratch, double, nodes + 1);
    for (size_t i = 0; i < nodes; i++)
        s->begun[i] = INFINITY;
    play_all(s);
    for (rk_id i = 0; i < nodes; i++)
        starts[i] = (start){s->begun[i], i};
    qsort(starts, nodes, sizeof *starts, by_start);
    for (size_t i = 0; i < nodes; i++)
        order[i] = starts[i].node;
    rk_residency_of_order(memory, s->problem->candidates->residency, order);
    s->begun = NULL;
    return memory;
}

static void run(simulation *s, const rk_schedule *schedule, const rk_problem *problem, bool record,
                rk_arena *arena)
{
    *s = (simulation){
        .schedule = schedule, .problem = problem, .arena = arena, .scratch = rk_arena_new()};
    s->counter_of = RK_NEW_ARRAY(s->scratch, uint32_t, schedule->node_count + 1);
    s->veus = RK_NEW_ARRAY(s->scratch, veu_run, schedule->veu_count);
    s->timers.items = RK_NEW_ARRAY(s->scratch, heap_item, schedule->veu_count + 1);
    if (schedule->node_count && rk_candidates_depend_on_order(problem->candidates))
        s->memory = find_memory(s);
    s->record = record;
    play_all(s);
}

const rk_sim *rk_simulate(const rk_schedule *schedule, const rk_problem *problem, bool events,
                          rk_arena *arena)
{
    simulation s;
    run(&s, schedule, problem, events, arena);
    rk_sim *out = RK_NEW(arena, rk_sim);
    out->veus = schedule->veu_count;
    out->times = s.times;
    if (s.now > 0)
        out->utilisation = s.times.work_ns / (s.now * schedule->veu_count);
    if (events) {
        out->events = s.events.items;
        out->event_count = s.events.count;
        find_path(out, &s);
    }
    rk_arena_free(s.scratch);
    return out;
}

double rk_simulate_time(const rk_schedule *schedule, const rk_problem *problem)
{
    simulation s;
    run(&s, schedule, problem, false, NULL);
    rk_arena_free(s.scratch);
    return s.now;
}

double rk_simulate_parts(const rk_rtask_parts *parts, double rtask_ns, const rk_device *device)
{
    bool split = parts->stream_ns > 0 || parts->fixed_ns > 0;
    return device->rtask_overhead_ns + (split ? parts->fixed_ns + parts->stream_ns : rtask_ns);
}

double rk_simulate_launched(const rk_candidate *candidate, const rk_device *device, uint32_t veus)
{
    rk_candidate c = *candidate;
    const double crowded = crowd(&c, device, RK_RUNS_AS_LAUNCHES, veus);
    if (crowded > 1)
        c.parts = rk_candidate_parts(&c, device, 0);
    return (rk_simulate_alone(&c, device) - device->rtask_overhead_ns) / crowded;
}

double rk_simulate_alone(const rk_candidate *candidate, const rk_device *device)
{
    return rk_simulate_parts(&candidate->parts, candidate->rtask_ns, device);
}

double rk_simulate_least(const rk_candidates *candidates, rk_id node, uint32_t candidate,
                         const rk_device *device)
{
    const rk_candidate *c = &candidates->nodes[node].items[candidate];
    rk_rtask_parts parts =
        rk_candidate_parts(c, device, rk_candidates_least_memory(candidates, node));
    return rk_simulate_parts(&parts, c->rtask_ns, device);
}
