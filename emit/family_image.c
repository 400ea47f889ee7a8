#include "emit/family_image.h"

#include "emit/emit_internal.h"

#include <string.h>

static int64_t largest_volume(const rk_open_launch *launch)
{
    int64_t volume = 1;
    for (int i = 0; i < 3; i++) {
        const int64_t high = rk_sym_bounds(launch->grid[i]).high;
        volume = high > INT32_MAX / volume ? INT32_MAX : volume * high;
    }
    return volume;
}

static bool set_steps(rk_spine *spine, rk_diag *diag)
{
    const rk_family *family = spine->family;
    for (size_t p = 0; p < family->phrase_count; p++) {
        const rk_id op = family->phrases[p].op;
        const int64_t most = largest_volume(&family->launches[op]);
        if (most >= INT32_MAX)
            return rk_diag_add(
                diag, RK_ERROR, "RK-M005",
                (rk_place){.file = family->graph->file, .object = family->graph->nodes[op].name},
                "narrow the range of the open dimensions, or take larger tiles",
                "it may have more rTasks than a counter counts, 2^31");
        if (most > spine->steps)
            spine->steps = (uint32_t)most;
    }
    return true;
}

static void set_counters(rk_spine *spine, rk_arena *arena)
{
    const rk_family *family = spine->family;
    spine->counters = RK_NEW_ARRAY(arena, uint32_t, family->phrase_count + 1);
    for (size_t i = 0; i < family->wait_count; i++)
        if (!spine->counters[family->waits[i]])
            spine->counters[family->waits[i]] = ++spine->counter_count;
}

static rk_spine_slot make_slot(const rk_param *param, rk_sym sym, uint64_t at_largest,
                               const int64_t *largest, const rk_tensor *tensor)
{
    int64_t number;
    if (!sym || (param->pointer && !tensor) || rk_sym_is_number(sym, &number))
        return (rk_spine_slot){.fixed = at_largest};
    if (!param->pointer)
        return (rk_spine_slot){0, sym, 1, rk_dtype_size(param->dtype)};
    const int64_t scale = (int64_t)rk_dtype_size(tensor->dtype);
    return (rk_spine_slot){at_largest - (uint64_t)(scale * rk_sym_eval(sym, largest)), sym, scale,
                           sizeof(uint64_t)};
}

static void set_slots(rk_spine *spine, const rk_member *member, const int64_t *largest,
                      rk_arena *arena)
{
    const rk_image *image = spine->image;
    spine->slots = RK_NEW_ARRAY(arena, rk_spine_slot, image->arg_count + 1);
    for (size_t n = 0; n < image->op_count; n++) {
        const rk_candidate *c = &member->problem.candidates->nodes[n].items[0];
        const rk_open_launch *launch = &spine->family->launches[n];
        for (size_t j = 0; j < c->kernel->param_count; j++) {
            const size_t at = image->ops[n].first_arg + j;
            const rk_id tensor = c->args[j].tensor;
            spine->slots[at] =
                make_slot(&c->kernel->params[j], launch->args[j], image->args[at], largest,
                          tensor == RK_NO_ID ? NULL : &member->problem.graph->tensors[tensor]);
        }
    }
}

rk_spine *rk_spine_build(const rk_family *family, const rk_family_setting *setting, rk_arena *arena,
                         rk_diag *diag)
{
    rk_spine *spine = RK_NEW(arena, rk_spine);
    int64_t largest[RK_SYM_DIMS];
    rk_member member;
    spine->family = family;
    for (size_t d = 0; d < rk_syms_dim_count(family->graph->syms); d++)
        largest[d] = rk_syms_dim_range(family->graph->syms, d).high;
    if (!rk_family_at(&member, family, setting, largest, arena, diag) || !set_steps(spine, diag))
        return NULL;
    spine->image = rk_image_build(member.schedule, &family->memory, &member.problem, arena);
    set_counters(spine, arena);
    set_slots(spine, &member, largest, arena);
    return rk_spine_set_plans(spine, arena, diag) ? spine : NULL;
}

uint64_t rk_spine_slot_at(const rk_spine_slot *slot, const int64_t *values)
{
    if (!slot->sym)
        return slot->fixed;
    const uint64_t value = slot->fixed + (uint64_t)(slot->scale * rk_sym_eval(slot->sym, values));
    return slot->bytes >= sizeof value ? value : value & ((UINT64_C(1) << (8 * slot->bytes)) - 1);
}

/** Whether a constant of the member, a plan of a general operator, has the words that the spine makes. */
static bool same_constant(const rk_spine *spine, const int64_t *values, const rk_member *member,
                          rk_id id)
{
    const rk_tensor *here = &member->problem.graph->tensors[id];
    const rk_tensor *there = &spine->family->graph->tensors[id];
    if (!here->derived)
        return true;
    if (rk_tensor_bytes(here) != rk_tensor_bytes(there))
        return false;
    const rk_spine_plan *plan = rk_spine_plan_of(spine, id);
    if (!plan)
        return memcmp(here->data, there->data, (size_t)rk_tensor_bytes(here)) == 0;
    const int64_t *now = here->data, *fixed = there->data;
    bool same = true;
    for (size_t i = 0; i < plan->count && same; i++)
        same = now[i] == (plan->words[i] ? rk_sym_eval(plan->words[i], values) : fixed[i]);
    return same;
}

/** Whether node n's launch there is what the spine's tables make of it; what is not, in words. */
static const char *find_difference(const rk_spine *spine, const int64_t *values,
                                   const rk_member *member, size_t n)
{
    const rk_candidate *c = &member->problem.candidates->nodes[n].items[0];
    const rk_image_op *op = &spine->image->ops[n];
    const rk_image_fn *fn = &spine->image->fns[op->fn];
    const rk_open_launch *launch = &spine->family->launches[n];
    if (c->kernel != fn->kernel || c->shared != fn->shared ||
        memcmp(c->block, fn->block, sizeof c->block) != 0)
        return "the block or the shared memory of its kernel depends on the open dimensions";
    for (int i = 0; i < 3; i++)
        if (rk_sym_eval(launch->grid[i], values) != c->grid[i])
            return "its grid is not what its expressions say";
    for (size_t j = 0; j < c->kernel->param_count; j++) {
        const uint64_t slot = rk_image_arg(&c->kernel->params[j], &c->args[j],
                                           &spine->family->memory, member->problem.graph);
        if (slot != rk_spine_slot_at(&spine->slots[op->first_arg + j], values))
            return "an argument of its kernel depends on the open dimensions and has no expression";
        if (c->args[j].tensor != RK_NO_ID && !same_constant(spine, values, member, c->args[j].tensor))
            return "the plan that its kernel interprets is not what its expressions say";
    }
    return NULL;
}

bool rk_spine_check(const rk_spine *spine, const int64_t *values, const rk_member *member,
                    rk_diag *diag)
{
    bool good = true;
    for (size_t n = 0; n < spine->image->op_count; n++) {
        const char *difference = find_difference(spine, values, member, n);
        if (difference)
            good = rk_diag_add(diag, RK_ERROR, "RK-M005",
                               (rk_place){.file = spine->family->graph->file,
                                          .object = spine->family->graph->nodes[n].name},
                               "build one member, with --at, or leave the kernel out", "%s",
                               difference);
    }
    return good;
}
