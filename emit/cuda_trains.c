#include "emit/cuda_internal.h"

#include <string.h>

/*
 * Trains: operators of which rTask r of each stands directly behind rTask r of the one before, on the same vEU, and
 * nobody waits for any but the last. The table has one entry for all of them, which is one step.
 */

/** Of each operator, what its entries say. */
typedef struct {
    uint32_t next;   /**< the operator directly behind each of its rTasks */
    uint32_t rtasks; /**< of these, how many there are */
    bool alone;      /**< some have another one behind them, or none, or are waited for */
} neighbour;

bool *rk_cuda_awaited(const rk_image *image, size_t program, rk_arena *arena)
{
    const size_t row = (size_t)image->programs[program].steps + 1;
    bool *awaited = RK_NEW_ARRAY(arena, bool, image->veu_count * row);
    for (uint32_t v = 0; v < image->veu_count; v++) {
        const rk_image_entry *e = rk_cuda_list(image, program, v);
        for (; e->op != RK_IMAGE_END; e++) {
            const rk_image_wait wait = e->op == RK_IMAGE_WAIT ? image->waits[e->rtask] : (rk_image_wait){0};
            for (uint32_t i = wait.first; i < wait.first + wait.count; i++) {
                if (image->items[i].veu < image->veu_count)
                    awaited[image->items[i].veu * row + image->items[i].step] = true;
            }
        }
    }
    return awaited;
}

/** Looks at one vEU's list, whose row of `awaited` it is given. */
static void look_at_list(neighbour *ops, const rk_image_entry *e, const bool *awaited)
{
    for (uint32_t done = 0; e->op != RK_IMAGE_END; e++) {
        if (e->op == RK_IMAGE_WAIT)
            continue;
        neighbour *own = &ops[e->op];
        const rk_image_entry behind = e[1];
        if (awaited[++done] || behind.op >= RK_IMAGE_END || behind.rtask != e->rtask ||
            (own->rtasks > 0 && own->next != behind.op))
            own->alone = true;
        own->next = behind.op;
        own->rtasks++;
    }
}

/** Whether each rTask of the operator has that of `own->next` behind it, and they can be one entry. */
static bool is_followed(const rk_image *image, const neighbour *own, size_t op)
{
    const rk_image_fn *fn = &image->fns[image->ops[op].fn];
    if (own->alone || own->rtasks == 0 || image->ops[op].signal)
        return false;
    const rk_image_fn *next = &image->fns[image->ops[own->next].fn];
    return rk_emit_volume(fn->grid) == own->rtasks && rk_emit_volume(next->grid) == own->rtasks &&
           !fn->kernel->uses.ordered && !next->kernel->uses.ordered;
}

/** Cuts trains into those of RK_TRAIN_MOST operators; the first of each comes from `is_behind`. */
static void cut_trains(uint32_t *next, const bool *is_behind, size_t ops)
{
    for (size_t head = 0; head < ops; head++) {
        uint32_t count = 1;
        for (uint32_t at = (uint32_t)head; !is_behind[head] && next[at] != RK_IMAGE_END;) {
            const uint32_t then = next[at];
            if (count == RK_TRAIN_MOST)
                next[at] = RK_IMAGE_END;
            count = count == RK_TRAIN_MOST ? 1 : count + 1;
            at = then;
        }
    }
}

/** By operator, that which runs behind it in the same entry, or RK_IMAGE_END. */
static uint32_t *find_next(const rk_image *image, rk_arena *arena)
{
    neighbour *ops = RK_NEW_ARRAY(arena, neighbour, image->op_count + 1);
    uint32_t *next = RK_NEW_ARRAY(arena, uint32_t, image->op_count + 1);
    bool *is_behind = RK_NEW_ARRAY(arena, bool, image->op_count + 1);
    for (size_t p = 0; p < image->program_count; p++) {
        const bool *awaited = rk_cuda_awaited(image, p, arena);
        for (uint32_t v = 0; v < image->veu_count; v++)
            look_at_list(ops, rk_cuda_list(image, p, v),
                         awaited + v * ((size_t)image->programs[p].steps + 1));
    }
    for (size_t op = 0; op < image->op_count; op++) {
        next[op] = is_followed(image, &ops[op], op) ? ops[op].next : RK_IMAGE_END;
        if (next[op] != RK_IMAGE_END)
            is_behind[next[op]] = true;
    }
    cut_trains(next, is_behind, image->op_count);
    return next;
}

/** The case of a train that begins with the operator: the same as another's whose operators have the same cases. */
static uint32_t case_of_train(rk_cuda_plan *plan, const uint32_t *next, uint32_t op)
{
    rk_cuda_train train = {0};
    for (; op != RK_IMAGE_END; op = next[op])
        train.cases[train.count++] = plan->fn_case[plan->image->ops[op].fn];
    size_t i = 0;
    while (i < plan->train_count && (plan->trains[i].count != train.count ||
                                     memcmp(plan->trains[i].cases, train.cases, sizeof train.cases) != 0))
        i++;
    if (i == plan->train_count)
        plan->trains[plan->train_count++] = train;
    return (uint32_t)(plan->case_count + i);
}

/** By step of one vEU's list, 0 included, into `entries`: how many of its table's entries have ended by then. */
static void count_entries(uint32_t *entries, const rk_cuda_plan *plan, const rk_image_entry *e)
{
    uint32_t step = 0, count = 0;
    for (; e->op != RK_IMAGE_END; e++) {
        if (e->op == RK_IMAGE_WAIT)
            continue;
        count += plan->op_case[e->op] != RK_CUDA_BEHIND;
        entries[++step] = count;
    }
}

static uint32_t *find_item_steps(const rk_cuda_plan *plan, rk_arena *arena)
{
    const rk_image *image = plan->image;
    uint32_t *steps = RK_NEW_ARRAY(arena, uint32_t, image->item_count + 1);
    for (size_t i = 0; i < image->item_count; i++)
        steps[i] = image->items[i].step;
    for (size_t p = 0; p < image->program_count; p++) {
        rk_arena *scratch = rk_arena_new();
        const size_t row = (size_t)image->programs[p].steps + 1;
        uint32_t *entries = RK_NEW_ARRAY(scratch, uint32_t, image->veu_count * row);
        for (uint32_t v = 0; v < image->veu_count; v++)
            count_entries(entries + v * row, plan, rk_cuda_list(image, p, v));
        for (uint32_t v = 0; v < image->veu_count; v++) {
            for (const rk_image_entry *e = rk_cuda_list(image, p, v); e->op != RK_IMAGE_END; e++) {
                const rk_image_wait wait =
                    e->op == RK_IMAGE_WAIT ? image->waits[e->rtask] : (rk_image_wait){0};
                for (uint32_t i = wait.first; i < wait.first + wait.count; i++)
                    if (image->items[i].veu < image->veu_count)
                        steps[i] = entries[image->items[i].veu * row + image->items[i].step];
            }
        }
        rk_arena_free(scratch);
    }
    return steps;
}

void rk_cuda_plan_trains(rk_cuda_plan *plan, rk_arena *arena)
{
    const rk_image *image = plan->image;
    plan->next = find_next(image, arena);
    plan->head = RK_NEW_ARRAY(arena, uint32_t, image->op_count + 1);
    plan->trains = RK_NEW_ARRAY(arena, rk_cuda_train, image->op_count + 1);
    bool *is_behind = RK_NEW_ARRAY(arena, bool, image->op_count + 1);
    for (size_t op = 0; op < image->op_count; op++)
        if (plan->next[op] != RK_IMAGE_END)
            is_behind[plan->next[op]] = true;
    size_t at = 0;
    for (uint32_t head = 0; head < image->op_count; head++) {
        if (is_behind[head])
            continue;
        plan->op_case[head] = plan->next[head] == RK_IMAGE_END
                                  ? plan->fn_case[image->ops[head].fn]
                                  : case_of_train(plan, plan->next, head);
        for (uint32_t op = head; op != RK_IMAGE_END; op = plan->next[op]) {
            plan->arg_order[at++] = op;
            plan->head[op] = head;
            plan->op_case[op] = op == head ? plan->op_case[op] : RK_CUDA_BEHIND;
        }
    }
    rk_cuda_place_args(plan);
    plan->item_steps = find_item_steps(plan, arena);
}
