#include "sched/schedule/builder_internal.h"

#include <assert.h>
#include <string.h>

/* vEUs by when they are free. */

void rk_builder_retime(workspace *work, uint32_t veu)
{
    rk_earliest_set(&work->earliest, veu, work->veus[veu].end);
}

static void workspace_reset(const rk_builder *b, workspace *work, uint32_t program)
{
    work->program = program;
    work->makespan = 0;
    work->empty = true;
    work->run++;
    memset(work->veus, 0, b->veus * sizeof *work->veus);
    rk_earliest_init(&work->earliest, b->veus, work->earliest.end);
}

static void workspace_init(const rk_builder *b, workspace *work)
{
    size_t veus = b->veus;
    work->veus = RK_NEW_ARRAY(b->scratch, veu_state, veus);
    work->known = RK_NEW_ARRAY(b->scratch, uint32_t, veus * b->width);
    work->row_run = RK_NEW_ARRAY(b->scratch, uint64_t, veus);
    work->earliest.end = rk_arena_alloc(b->scratch, rk_earliest_bytes(b->veus));
}

/** A set of lists for one more rProgram, the one that a trial gave back if there is one. */
static void add_program(rk_builder *b)
{
    if (b->program_count == b->program_capacity) {
        size_t capacity = b->program_capacity ? 2 * b->program_capacity : 8;
        rk_rprogram *grown = RK_NEW_ARRAY(b->scratch, rk_rprogram, capacity);
        if (b->program_count)
            memcpy(grown, b->programs, b->program_count * sizeof *grown);
        b->programs = grown;
        b->program_capacity = capacity;
    }
    rk_rprogram *program = &b->programs[b->program_count++];
    if (b->program_count > b->program_made) {
        program->veus = RK_NEW_ARRAY(b->arena, rk_veu_list, b->veus);
        b->program_made = b->program_count;
    }
    for (uint32_t i = 0; i < b->veus; i++)
        program->veus[i].count = 0;
    program->wait_count = program->counter_count = 0;
    b->shared_count = 0;
}

rk_builder *rk_builder_new(const rk_problem *problem, uint32_t veus, rk_arena *arena)
{
    rk_arena *scratch = rk_arena_new();
    rk_builder *b = RK_NEW(scratch, rk_builder);
    *b = (rk_builder){.arena = arena, .scratch = scratch, .problem = problem, .veus = veus};
    b->words = (veus + 63) / 64;
    b->width = (veus + ROW_STEP - 1) / ROW_STEP * ROW_STEP;
    size_t ops = problem->graph->node_count;
    b->ops = RK_NEW_ARRAY(scratch, op_state, ops);
    b->selected = RK_NEW_ARRAY(arena, uint32_t, ops + 1);
    b->knowers = RK_NEW_ARRAY(scratch, uint64_t, ops * b->words);
    b->need = RK_NEW_ARRAY(scratch, rk_wait_item, veus);
    b->need_end = RK_NEW_ARRAY(scratch, double, veus);
    b->need_at = RK_NEW_ARRAY(scratch, uint32_t, veus);
    b->trial.rows = RK_NEW_ARRAY(scratch, uint32_t, (size_t)veus * b->width);
    workspace_init(b, &b->work);
    workspace_init(b, &b->other);
    add_program(b);
    workspace_reset(b, &b->work, 1);
    return b;
}

/* Trials. */

void rk_builder_save_op(rk_builder *b, rk_id op)
{
    trial *t = &b->trial;
    op_state *state = &b->ops[op];
    if (!t->active || state->saved == t->number)
        return;
    size_t at = t->ops.count * b->words;
    *rk_push(b->scratch, &t->ops) = (saved_op){op, *state};
    if (at + b->words > t->knowers_capacity) {
        size_t capacity = 2 * (at + b->words) + 64;
        uint64_t *grown = RK_NEW_ARRAY(b->scratch, uint64_t, capacity);
        if (at)
            memcpy(grown, t->knowers, at * sizeof *grown);
        t->knowers = grown;
        t->knowers_capacity = capacity;
    }
    memcpy(&t->knowers[at], knowers_of(b, op), b->words * sizeof *t->knowers);
    state->saved = t->number;
}

void rk_builder_save_veu(rk_builder *b, uint32_t veu)
{
    trial *t = &b->trial;
    veu_state *state = &b->work.veus[veu];
    if (!t->active || t->switched || state->saved == t->number)
        return;
    const uint32_t *row = row_of(b, veu);
    *rk_push(b->scratch, &t->veus) =
        (saved_veu){veu, current(b)->veus[veu].count, *state, row != NULL};
    if (row)
        memcpy(&t->rows[(size_t)veu * b->width], row, b->width * sizeof *row);
    state->saved = t->number;
}

void rk_trial_begin(rk_builder *b)
{
    assert(!b->trial.active);
    trial *t = &b->trial;
    t->active = true;
    t->switched = false;
    t->number++;
    t->items = b->items.count;
    t->programs = b->program_count;
    t->waits = current(b)->wait_count;
    t->counters = current(b)->counter_count;
    t->done = b->done;
    t->makespan = b->work.makespan;
    t->empty = b->work.empty;
    t->ops.count = t->veus.count = 0;
}

void rk_trial_commit(rk_builder *b)
{
    assert(b->trial.active);
    b->trial.active = false;
}

/** Forgets where the rTasks of entries [from, count) are, and drops the entries. */
static void cut_entries(rk_builder *b, rk_veu_list *list, size_t from)
{
    for (size_t i = from; i < list->count; i++)
        if (list->entries[i].wait_count == 0)
            b->ops[list->entries[i].task.op].spots[list->entries[i].task.index].step = 0;
    list->count = from;
}

void rk_trial_rollback(rk_builder *b)
{
    trial *t = &b->trial;
    assert(t->active);
    for (size_t p = t->programs; p < b->program_count; p++)
        for (uint32_t i = 0; i < b->veus; i++)
            cut_entries(b, &b->programs[p].veus[i], 0);
    b->program_count = t->programs;
    if (t->switched) {
        workspace kept = b->other;
        b->other = b->work;
        b->work = kept;
    }
    for (size_t i = 0; i < t->veus.count; i++) {
        const saved_veu *s = &t->veus.items[i];
        cut_entries(b, &current(b)->veus[s->veu], s->entries);
        b->work.veus[s->veu] = s->state;
        if (s->row)
            memcpy(row_to_write(b, s->veu), &t->rows[(size_t)s->veu * b->width],
                   b->width * sizeof *t->rows);
        else
            b->work.row_run[s->veu] = 0;
        rk_builder_retime(&b->work, s->veu);
    }
    for (size_t i = 0; i < t->ops.count; i++) {
        const saved_op *s = &t->ops.items[i];
        b->ops[s->op] = s->state;
        memcpy(knowers_of(b, s->op), &t->knowers[i * b->words], b->words * sizeof *t->knowers);
    }
    b->items.count = t->items;
    current(b)->wait_count = t->waits;
    current(b)->counter_count = t->counters;
    b->done = t->done;
    b->work.makespan = t->makespan;
    b->work.empty = t->empty;
    b->shared_count = 0;
    t->active = false;
}

/* Appending. */

uint32_t rk_builder_veus(const rk_builder *b)
{
    return b->veus;
}

const uint32_t *rk_builder_selected(const rk_builder *b)
{
    return b->selected;
}

void rk_select(rk_builder *b, rk_id op, uint32_t candidate)
{
    op_state *state = &b->ops[op];
    assert(candidate < b->problem->candidates->nodes[op].count && state->program == 0);
    const rk_candidate *all = b->problem->candidates->nodes[op].items;
    if (!state->spots) {
        size_t most = 0;
        for (size_t i = 0; i < b->problem->candidates->nodes[op].count; i++)
            most = all[i].rtasks > most ? all[i].rtasks : most;
        state->spots = RK_NEW_ARRAY(b->scratch, spot, most);
    }
    rk_builder_save_op(b, op);
    state->selected = true;
    b->selected[op] = candidate;
    state->rtasks = all[candidate].rtasks;
    state->ns = all[candidate].rtask_ns + b->problem->device->rtask_overhead_ns;
}

/** Notes the vEU's last rTask, of this op; items from before a trial stay as they are. */
static void note_step(rk_builder *b, op_state *state, rk_id op, uint32_t veu)
{
    veu_state *v = &b->work.veus[veu];
    if (v->last_item && v->last_op == op) {
        if (!b->trial.active || v->last_item > b->trial.items) {
            b->items.items[v->last_item - 1].step = v->steps;
            b->items.items[v->last_item - 1].end = v->end;
            return;
        }
    }
    *rk_push(b->scratch, &b->items) = (last_step){veu, v->steps, v->end, state->last_steps};
    state->last_steps = v->last_item = (uint32_t)b->items.count;
    state->spread++;
    v->last_op = op;
}

void rk_builder_push(rk_builder *b, uint32_t veu, rk_entry entry)
{
    rk_veu_list *list = &current(b)->veus[veu];
    rk_vec_grow(b->arena, (void **)&list->entries, list->count, &list->capacity, sizeof entry);
    list->entries[list->count++] = entry;
}

void rk_append(rk_builder *b, rk_rtask task, uint32_t veu)
{
    op_state *state = &b->ops[task.op];
    assert(state->selected && task.index < state->rtasks && veu < b->veus);
    rk_builder_save_op(b, task.op);
    rk_builder_save_veu(b, veu);
    veu_state *v = &b->work.veus[veu];
    v->end += state->ns;
    v->steps++;
    if (state->program != b->work.program) {
        state->program = b->work.program;
        state->last_steps = state->appended = state->spread = state->counter = 0;
        state->last = RK_NO_END;
    }
    state->appended++;
    if (state->known) {
        memset(knowers_of(b, task.op), 0, b->words * sizeof *b->knowers);
        state->known = false;
    }
    note_step(b, state, task.op, veu);
    rk_last_end_note(&state->last, veu, v->end);
    state->spots[task.index] = (spot){b->work.program, veu, v->steps, v->end};
    rk_builder_push(b, veu, (rk_entry){.task = task});
    rk_builder_retime(&b->work, veu);
    if (v->end > b->work.makespan)
        b->work.makespan = v->end;
    b->work.empty = false;
}

void rk_begin_rprogram(rk_builder *b)
{
    if (b->work.empty)
        return;
    b->done += b->problem->device->launch_ns + b->work.makespan;
    if (b->trial.active && !b->trial.switched) {
        workspace kept = b->work;
        b->work = b->other;
        b->other = kept;
        b->trial.switched = true;
    }
    add_program(b);
    workspace_reset(b, &b->work, (uint32_t)b->program_count);
}

void rk_builder_credit(rk_builder *b, const char *by)
{
    b->by = rk_arena_strdup(b->arena, by);
}

/* Questions. */

double rk_builder_veu_end(const rk_builder *b, uint32_t veu)
{
    return b->work.veus[veu].end;
}

double rk_builder_time(const rk_builder *b)
{
    return b->work.empty ? 0 : b->problem->device->launch_ns + b->work.makespan;
}

rk_schedule *rk_builder_finish(rk_builder *b)
{
    assert(!b->trial.active);
    rk_schedule *schedule = RK_NEW(b->arena, rk_schedule);
    size_t ops = b->problem->graph->node_count;
    schedule->veu_count = b->veus;
    schedule->by = b->by;
    schedule->node_count = ops;
    schedule->selected = b->selected;
    schedule->program_count = b->program_count - b->work.empty;
    schedule->programs =
        rk_arena_copy(b->arena, b->programs, schedule->program_count * sizeof *b->programs);
    schedule->makespan_ns = b->done + rk_builder_time(b);
    rk_arena_free(b->scratch);
    return schedule;
}
