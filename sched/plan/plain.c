#include "base/vec.h"
#include "sched/plan/schedule.h"

#include <string.h>

/** The last step on each vEU of the rTasks that a counter counts. */
typedef struct {
    uint32_t first, count; /**< into the items; count 0: not looked up yet */
} counted;

typedef struct {
    const rk_schedule *from;
    const rk_rprogram *program;
    rk_rprogram *to;
    uint32_t *counter_of; /**< by node, index plus 1 */
    counted *counted;     /**< by counter */
    rk_arena *arena;
} rewriting;

static void add_item(rewriting *r, rk_wait_item item)
{
    rk_vec_grow(r->arena, (void **)&r->to->waits, r->to->wait_count, &r->to->wait_capacity,
                sizeof item);
    r->to->waits[r->to->wait_count++] = item;
}

/** Fills r->counted, in one walk over the rProgram. */
static void look_up(rewriting *r, rk_arena *scratch)
{
    size_t counters = r->program->counter_count;
    typedef RK_VEC(rk_wait_item) item_list;
    item_list *lists = RK_NEW_ARRAY(scratch, item_list, counters + 1);
    for (uint32_t w = 0; w < r->from->veu_count; w++) {
        uint32_t step = 0;
        for (size_t i = 0; i < r->program->veus[w].count; i++) {
            const rk_entry *e = &r->program->veus[w].entries[i];
            uint32_t counter = e->wait_count ? 0 : r->counter_of[e->task.op];
            step += e->wait_count == 0;
            if (counter == 0)
                continue;
            item_list *list = &lists[counter - 1];
            if (list->count == 0 || list->items[list->count - 1].veu != w)
                *rk_push(scratch, list) = (rk_wait_item){w, step};
            list->items[list->count - 1].step = step;
        }
    }
    for (size_t c = 0; c < counters; c++) {
        r->counted[c] = (counted){(uint32_t)r->to->wait_count, (uint32_t)lists[c].count};
        for (size_t i = 0; i < lists[c].count; i++)
            add_item(r, lists[c].items[i]);
    }
}

/** The barrier-rTask with steps only. */
static rk_entry rewrite(rewriting *r, rk_entry entry)
{
    const rk_wait_item *items = &r->program->waits[entry.wait_first];
    uint32_t veus = r->from->veu_count;
    if (entry.wait_count == 1 && items[0].veu >= veus)
        return (rk_entry){.wait_first = r->counted[items[0].veu - veus].first,
                          .wait_count = r->counted[items[0].veu - veus].count};
    bool counts = false;
    for (uint32_t i = 0; i < entry.wait_count; i++)
        counts = counts || items[i].veu >= veus;
    if (!counts)
        return entry;
    uint32_t first = (uint32_t)r->to->wait_count;
    for (uint32_t i = 0; i < entry.wait_count; i++) {
        if (items[i].veu < veus)
            add_item(r, items[i]);
        counted c = items[i].veu < veus ? (counted){0} : r->counted[items[i].veu - veus];
        for (uint32_t k = 0; k < c.count; k++)
            add_item(r, r->to->waits[c.first + k]);
    }
    return (rk_entry){.wait_first = first, .wait_count = (uint32_t)r->to->wait_count - first};
}

static void rewrite_program(rewriting *r)
{
    rk_arena *scratch = rk_arena_new();
    *r->to = (rk_rprogram){.veus = RK_NEW_ARRAY(r->arena, rk_veu_list, r->from->veu_count)};
    for (size_t i = 0; i < r->program->wait_count; i++)
        add_item(r, r->program->waits[i]);
    for (size_t i = 0; i < r->program->counter_count; i++)
        r->counter_of[r->program->counters[i]] = (uint32_t)i + 1;
    r->counted = RK_NEW_ARRAY(scratch, counted, r->program->counter_count + 1);
    look_up(r, scratch);
    for (uint32_t w = 0; w < r->from->veu_count; w++) {
        const rk_veu_list *list = &r->program->veus[w];
        rk_veu_list *to = &r->to->veus[w];
        to->count = to->capacity = list->count;
        to->entries = RK_NEW_ARRAY(r->arena, rk_entry, list->count + 1);
        for (size_t i = 0; i < list->count; i++)
            to->entries[i] =
                list->entries[i].wait_count ? rewrite(r, list->entries[i]) : list->entries[i];
    }
    for (size_t i = 0; i < r->program->counter_count; i++)
        r->counter_of[r->program->counters[i]] = 0;
    rk_arena_free(scratch);
}

const rk_schedule *rk_schedule_plain(const rk_schedule *schedule, rk_arena *arena)
{
    size_t counters = 0;
    for (size_t p = 0; p < schedule->program_count; p++)
        counters += schedule->programs[p].counter_count;
    if (counters == 0)
        return schedule;
    rk_schedule *plain = RK_NEW(arena, rk_schedule);
    *plain = *schedule;
    plain->programs = RK_NEW_ARRAY(arena, rk_rprogram, schedule->program_count);
    rewriting r = {.from = schedule,
                   .counter_of = RK_NEW_ARRAY(arena, uint32_t, schedule->node_count + 1),
                   .arena = arena};
    for (size_t p = 0; p < schedule->program_count; p++) {
        r.program = &schedule->programs[p];
        r.to = &plain->programs[p];
        rewrite_program(&r);
    }
    return plain;
}
