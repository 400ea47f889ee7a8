#include "rkernel_lib/runtime/cpu/executor_internal.h"

/* Where vEUs are in their lists, which are tables of entries, or follow from phrases. */

uint32_t rk_executor_rtasks(const rk_executor_op *op)
{
    return op->grid[0] * op->grid[1] * op->grid[2];
}

rk_executor_place rk_executor_begin(const rk_executor_plan *plan, const rk_executor_program *program,
                                    uint32_t veu)
{
    return (rk_executor_place){plan->phrases ? 0 : program->veu_first[veu], RK_EXECUTOR_WAIT};
}

/** The vEU's first rTask of the phrase, which may be none of it. */
static uint32_t first_rtask(const rk_executor_plan *plan, const rk_executor_phrase *phrase,
                            uint32_t veu)
{
    return veu >= phrase->origin ? veu - phrase->origin : veu + plan->veu_count - phrase->origin;
}

rk_executor_entry rk_executor_entry_at(const rk_executor_plan *plan, rk_executor_place *place,
                                       uint32_t veu)
{
    if (!plan->phrases)
        return plan->entries[place->cursor];
    for (; place->cursor < plan->phrase_count; place->cursor++, place->rtask = RK_EXECUTOR_WAIT) {
        const rk_executor_phrase *phrase = &plan->phrases[place->cursor];
        const uint32_t count = rk_executor_rtasks(&plan->ops[phrase->op]);
        uint32_t rtask = place->rtask;
        if (rtask == RK_EXECUTOR_WAIT) {
            rtask = first_rtask(plan, phrase, veu);
            if (phrase->wait && (rtask < count || rtask == 0))
                return (rk_executor_entry){RK_EXECUTOR_WAIT, phrase->wait - 1};
            place->rtask = rtask;
        }
        if (rtask < count)
            return (rk_executor_entry){phrase->op, rtask};
        if (rtask == 0)
            return (rk_executor_entry){RK_EXECUTOR_COUNT, phrase->op};
    }
    return (rk_executor_entry){RK_EXECUTOR_END, 0};
}

void rk_executor_pass(const rk_executor_plan *plan, rk_executor_place *place,
                      const rk_executor_entry *entry, uint32_t veu)
{
    if (!plan->phrases)
        place->cursor++;
    else if (entry->op == RK_EXECUTOR_WAIT)
        place->rtask = first_rtask(plan, &plan->phrases[place->cursor], veu);
    else
        place->rtask += plan->veu_count;
}
