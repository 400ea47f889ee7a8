#include "sched/schedule/builder_internal.h"

#include <assert.h>

/** What the knowledge of the vEUs waited for may cost one wait: comparisons of step counts. */
enum { MERGED_MOST = 2048 };
/** Items of a wait up to which it is searched for ones that others imply. */
enum { SEARCHED_MOST = 16 };
/** Items of a wait from which its list is shared with other vEUs that wait for the same. */
enum { SHARED_LEAST = 8 };
/** vEUs of an op from which its rTasks are counted, for one item of a wait instead of one for each. */
enum { COUNTED_LEAST = 2 };
/** rTasks of an op that a wait always names one by one. */
enum { NAMED_MOST = 3 };

/* Ranges of one op in a row. */

/** How the rTasks of a range are waited for. */
enum { BY_NAME, BY_STEPS, BY_COUNTER };

static size_t group_end(const rk_rtask_range *ranges, size_t count, size_t i)
{
    size_t end = i + 1;
    while (end < count && ranges[end].op == ranges[i].op)
        end++;
    return end;
}

static bool is_whole(const op_state *state, const rk_rtask_range *range)
{
    return range->count == RK_ALL_RTASKS || (range->first == 0 && range->count >= state->rtasks);
}

/** Whether all of the op can be waited for in place of some, and some in place of all. */
static void find_choice(bool *all, bool *some, const rk_builder *b, const rk_rtask_range *ranges,
                        size_t i, size_t end)
{
    const op_state *state = &b->ops[ranges[i].op];
    if (is_whole(state, &ranges[i])) {
        *all = true;
        *some = false;
        return;
    }
    uint64_t rtasks = 0;
    for (size_t k = i; k < end; k++)
        rtasks += ranges[k].count;
    bool placed = state->program == b->work.program && state->appended == state->rtasks;
    *all = placed && rtasks > NAMED_MOST;
    *some = !placed || rtasks <= RK_NAMED_LIMIT || state->spread <= RK_NAMED_LIMIT;
}

/** When all of the op's rTasks have ended and their signals reached `veu`. */
static double all_ready(const rk_builder *b, const op_state *state, uint32_t veu)
{
    if (state->program != b->work.program)
        return 0;
    double end = rk_last_end_elsewhere(&state->last, veu);
    return end < 0 ? 0 : end + b->problem->device->signal_ns;
}

/** When those of the ranges have. */
static double some_ready(const rk_builder *b, const rk_rtask_range *ranges, size_t count,
                         uint32_t veu)
{
    const op_state *state = &b->ops[ranges->op];
    double latest = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t last = ranges[i].first + ranges[i].count;
        for (uint32_t r = ranges[i].first; r < last && r < state->rtasks; r++) {
            const spot *s = &state->spots[r];
            if (s->step && s->program == b->work.program && s->veu != veu && s->end > latest)
                latest = s->end;
        }
    }
    return latest > 0 ? latest + b->problem->device->signal_ns : 0;
}

double rk_builder_ready(const rk_builder *b, uint32_t veu, const rk_rtask_range *ranges,
                        size_t count)
{
    double ready = b->work.veus[veu].end;
    for (size_t i = 0, end; i < count; i = end) {
        end = group_end(ranges, count, i);
        if (knows(b, veu, ranges[i].op))
            continue;
        bool all;
        bool some;
        find_choice(&all, &some, b, ranges, i, end);
        double t = all ? all_ready(b, &b->ops[ranges[i].op], veu) : ready + 1;
        if (t > ready && some)
            t = some_ready(b, &ranges[i], end - i, veu);
        ready = t > ready ? t : ready;
    }
    return ready;
}

/**
 * Fills b->ways: for each range how the vEU waits for it. All of an op at once where that is the only
 * way, and where the vEU could start no sooner for having waited for some.
 */
static void choose_ways(rk_builder *b, uint32_t veu, const rk_rtask_range *ranges, size_t count)
{
    double start = rk_builder_ready(b, veu, ranges, count);
    for (size_t i = 0, end; i < count; i = end) {
        end = group_end(ranges, count, i);
        const op_state *state = &b->ops[ranges[i].op];
        bool all;
        bool some;
        find_choice(&all, &some, b, ranges, i, end);
        bool counted = state->program == b->work.program && state->appended == state->rtasks &&
                       state->spread >= COUNTED_LEAST;
        bool whole = all && (!some || all_ready(b, state, veu) <= start);
        for (size_t k = i; k < end; k++)
            b->ways[k] = !whole ? BY_NAME : counted ? BY_COUNTER : BY_STEPS;
    }
}

/* Waiting. */

static void need_step(rk_builder *b, uint32_t veu, uint32_t step, double end)
{
    uint32_t at = b->need_at[veu];
    if (at == 0) {
        b->need[b->need_count] = (rk_wait_item){veu, step};
        b->need_end[b->need_count] = end;
        b->need_at[veu] = (uint32_t)++b->need_count;
    } else if (step > b->need[at - 1].step) {
        b->need[at - 1].step = step;
        b->need_end[at - 1] = end;
    }
}

/** Fills `need` from the ranges, without ops that the vEU has waited for and those that are counted. */
static void gather(rk_builder *b, uint32_t veu, const rk_rtask_range *ranges, size_t count)
{
    b->need_count = 0;
    for (size_t i = 0; i < count; i++) {
        const op_state *state = &b->ops[ranges[i].op];
        if (b->ways[i] == BY_COUNTER || knows(b, veu, ranges[i].op))
            continue;
        if (b->ways[i] == BY_NAME) {
            uint32_t last = ranges[i].first + ranges[i].count;
            for (uint32_t r = ranges[i].first; r < last && r < state->rtasks; r++) {
                const spot *s = &state->spots[r];
                if (s->step && s->program == b->work.program)
                    need_step(b, s->veu, s->step, s->end);
            }
        } else if (state->program == b->work.program) {
            for (uint32_t at = state->last_steps; at; at = b->items.items[at - 1].next) {
                const last_step *s = &b->items.items[at - 1];
                need_step(b, s->veu, s->step, s->end);
            }
        }
    }
    for (size_t i = 0; i < b->need_count; i++)
        b->need_at[b->need[i].veu] = 0;
}

/** Whether `veu` knew, when it began its rTask `step`, that `other` had done `done` steps. */
static bool implies(const rk_builder *b, uint32_t veu, uint32_t step, uint32_t other, uint32_t done)
{
    const uint32_t *row = row_of(b, veu);
    return row && b->work.veus[veu].barrier <= step && row[other] >= done;
}

static bool is_implied(const rk_builder *b, size_t item)
{
    for (size_t j = 0; j < b->need_count; j++)
        if (j != item &&
            implies(b, b->need[j].veu, b->need[j].step, b->need[item].veu, b->need[item].step))
            return true;
    return false;
}

/** Copies what must be waited for to `kept`, and when that is done to *until; returns how many. */
static size_t reduce(rk_builder *b, uint32_t veu, rk_wait_item *kept, double *until)
{
    const uint32_t *row = row_of(b, veu);
    bool search = b->need_count <= SEARCHED_MOST;
    size_t count = 0;
    for (size_t i = 0; i < b->need_count; i++) {
        rk_wait_item item = b->need[i];
        if (item.veu == veu || (row && row[item.veu] >= item.step) || (search && is_implied(b, i)))
            continue;
        kept[count++] = item;
        if (b->need_end[i] > *until)
            *until = b->need_end[i];
    }
    return count;
}

static uint32_t push_waits(rk_builder *b, const rk_wait_item *items, size_t count)
{
    rk_rprogram *program = current(b);
    while (program->wait_count + count > program->wait_capacity)
        rk_vec_grow(b->arena, (void **)&program->waits, program->wait_capacity,
                    &program->wait_capacity, sizeof *items);
    memcpy(&program->waits[program->wait_count], items, count * sizeof *items);
    program->wait_count += count;
    return (uint32_t)(program->wait_count - count);
}

/**
 * The entry for a wait that needs all of `need` but the vEU's own part. vEUs that wait for the same
 * rTasks share one list, stored twice in a row: the part from one item up to its second copy is the
 * list without it. So a wait of V vEUs for V vEUs takes 2 V items and not V * V.
 */
static rk_entry shared_list(rk_builder *b, uint32_t veu)
{
    size_t n = b->need_count;
    if (b->shared_count != n ||
        memcmp(&current(b)->waits[b->shared_first], b->need, n * sizeof *b->need) != 0) {
        b->shared_first = push_waits(b, b->need, n);
        push_waits(b, b->need, n);
        b->shared_count = (uint32_t)n;
    }
    for (uint32_t i = 0; i < n; i++)
        if (b->need[i].veu == veu)
            return (rk_entry){.wait_first = b->shared_first + i + 1, .wait_count = (uint32_t)n - 1};
    return (rk_entry){.wait_first = b->shared_first, .wait_count = (uint32_t)n};
}

/** Steps of ROW_STEP vEUs; they are below 2^31, and compare faster with a sign. */
typedef int32_t lanes
    __attribute__((vector_size(ROW_STEP * sizeof(int32_t)), aligned(4), may_alias));

/** Raises each step of a row to that of another. */
static void raise_row(uint32_t *row, const uint32_t *other, uint32_t width)
{
    for (uint32_t u = 0; u < width; u += ROW_STEP) {
        lanes own = *(const lanes *)&row[u];
        lanes theirs = *(const lanes *)&other[u];
        lanes more = theirs > own;
        *(lanes *)&row[u] = (theirs & more) | (own & ~more);
    }
}

/** Adds to what the vEU knows: the items, and what the vEUs waited for knew then. */
static void learn(rk_builder *b, uint32_t veu, const rk_wait_item *items, size_t count)
{
    uint32_t *row = row_to_write(b, veu);
    bool merge = count * b->veus <= MERGED_MOST;
    for (size_t i = 0; i < count; i++) {
        uint32_t from = items[i].veu;
        if (items[i].step > row[from])
            row[from] = items[i].step;
        const uint32_t *theirs = row_of(b, from);
        if (!merge || !theirs || b->work.veus[from].barrier > items[i].step)
            continue;
        raise_row(row, theirs, b->width);
    }
}

/** Notes that the vEU has waited for all of the op. */
static void mark_op(rk_builder *b, uint32_t veu, rk_id op)
{
    op_state *state = &b->ops[op];
    if (state->program != b->work.program || knows(b, veu, op))
        return;
    rk_builder_save_op(b, op);
    state->known = true;
    knowers_of(b, op)[veu / 64] |= UINT64_C(1) << (veu % 64);
}

static void mark_known(rk_builder *b, uint32_t veu, const rk_rtask_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (b->ways[i] != BY_NAME)
            mark_op(b, veu, ranges[i].op);
}

/** The op's counter in this rProgram, as a wait names it. */
static uint32_t counter_of(rk_builder *b, rk_id op)
{
    op_state *state = &b->ops[op];
    rk_rprogram *program = current(b);
    if (state->counter == 0) {
        rk_builder_save_op(b, op);
        rk_vec_grow(b->arena, (void **)&program->counters, program->counter_count,
                    &program->counter_capacity, sizeof op);
        program->counters[program->counter_count++] = op;
        state->counter = (uint32_t)program->counter_count;
    }
    return b->veus + state->counter - 1;
}

/** Adds the counters to wait for behind the `count` items of `kept`, and when they are full to *until. */
static size_t add_counters(rk_builder *b, uint32_t veu, const rk_rtask_range *ranges,
                           size_t range_count, rk_wait_item *kept, size_t count, double *until)
{
    for (size_t i = 0; i < range_count; i++) {
        const op_state *state = &b->ops[ranges[i].op];
        if (b->ways[i] != BY_COUNTER || knows(b, veu, ranges[i].op))
            continue;
        double end = rk_last_end_elsewhere(&state->last, veu);
        *until = end > *until ? end : *until;
        kept[count++] = (rk_wait_item){counter_of(b, ranges[i].op), state->rtasks};
        mark_op(b, veu, ranges[i].op);
    }
    return count;
}

/** The entry for the items of `kept`, of which the first `steps` are of vEUs. */
static rk_entry wait_entry(rk_builder *b, uint32_t veu, const rk_wait_item *kept, size_t steps,
                           size_t count)
{
    bool own = false;
    for (size_t i = 0; i < b->need_count; i++)
        own = own || b->need[i].veu == veu;
    if (steps == count && count >= SHARED_LEAST && count == b->need_count - own)
        return shared_list(b, veu);
    return (rk_entry){.wait_first = push_waits(b, kept, count), .wait_count = (uint32_t)count};
}

void rk_wait(rk_builder *b, rk_rtask task, uint32_t veu, const rk_rtask_range *ranges, size_t count)
{
    (void)task;
    assert(veu < b->veus);
    if (b->veus + count > b->kept_capacity) {
        b->kept_capacity = 2 * (b->veus + count);
        b->kept = RK_NEW_ARRAY(b->scratch, rk_wait_item, b->kept_capacity);
        b->ways = RK_NEW_ARRAY(b->scratch, unsigned char, b->kept_capacity);
    }
    choose_ways(b, veu, ranges, count);
    gather(b, veu, ranges, count);
    double until = -1;
    size_t steps = reduce(b, veu, b->kept, &until);
    size_t left = add_counters(b, veu, ranges, count, b->kept, steps, &until);
    if (left > 0) {
        rk_builder_save_veu(b, veu);
        rk_builder_push(b, veu, wait_entry(b, veu, b->kept, steps, left));
        if (steps > 0)
            learn(b, veu, b->kept, steps);
        veu_state *v = &b->work.veus[veu];
        v->barrier = v->steps + 1;
        until += b->problem->device->signal_ns;
        if (until > v->end) {
            v->end = until;
            rk_builder_retime(&b->work, veu);
        }
    }
    mark_known(b, veu, ranges, count);
}

/* Where to go. */

/** The vEU of the rTask that ends last of those that the group waits for; UINT32_MAX: none is here. */
static uint32_t last_veu(const rk_builder *b, const rk_rtask_range *ranges, size_t count)
{
    const op_state *state = &b->ops[ranges->op];
    bool all;
    bool some;
    find_choice(&all, &some, b, ranges, 0, count);
    if (!some)
        return state->program == b->work.program ? state->last.veu : UINT32_MAX;
    uint32_t veu = UINT32_MAX;
    double latest = -1;
    for (size_t i = 0; i < count; i++) {
        uint32_t last = ranges[i].first + ranges[i].count;
        for (uint32_t r = ranges[i].first; r < last && r < state->rtasks; r++) {
            const spot *s = &state->spots[r];
            if (s->step && s->program == b->work.program && s->end > latest) {
                latest = s->end;
                veu = s->veu;
            }
        }
    }
    return veu;
}

uint32_t rk_builder_earliest(const rk_builder *b, const rk_rtask_range *ranges, size_t count)
{
    /* All vEUs get the signals at the same time, but for those that the last rTasks run on. */
    uint32_t best = rk_earliest_veu(&b->work.earliest);
    double start = rk_builder_ready(b, best, ranges, count);
    for (size_t i = 0, end; i < count && start > b->work.veus[best].end; i = end) {
        end = group_end(ranges, count, i);
        uint32_t veu = last_veu(b, &ranges[i], end - i);
        if (veu == UINT32_MAX)
            continue;
        double t = rk_builder_ready(b, veu, ranges, count);
        if (t < start) {
            start = t;
            best = veu;
        }
    }
    return best;
}
