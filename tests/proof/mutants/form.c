#include "tests/proof/mutants/world.h"

/* What a schedule must be before it can be run, from the contracts in the headers. */

const rk_candidate *candidate_of(const subject *s, rk_id node)
{
    return &s->problem->candidates->nodes[node].items[s->schedule->selected[node]];
}

const model *model_of(const subject *s, rk_id node)
{
    return &s->models[node][s->schedule->selected[node]];
}

static bool selection_exists(const subject *s)
{
    if (s->schedule->node_count != s->problem->graph->node_count)
        return false;
    for (rk_id n = 0; n < s->schedule->node_count; n++)
        if (s->schedule->selected[n] >= s->problem->candidates->nodes[n].count)
            return false;
    return true;
}

/** Each rTask once; counts them by rProgram and node into `in`. */
static const char *count_rtasks(const subject *s, uint32_t (*in)[MOST_NODES])
{
    uint32_t seen[MOST_NODES] = {0};
    for (size_t p = 0; p < s->schedule->program_count; p++) {
        for (uint32_t v = 0; v < s->schedule->veu_count; v++) {
            const rk_veu_list *list = &s->schedule->programs[p].veus[v];
            for (size_t i = 0; i < list->count; i++) {
                rk_rtask t = list->entries[i].task;
                if (list->entries[i].wait_count)
                    continue;
                if (t.op >= s->schedule->node_count || t.index >= candidate_of(s, t.op)->rtasks)
                    return "an rTask does not exist";
                if (seen[t.op] >> t.index & 1)
                    return "an rTask runs twice";
                seen[t.op] |= 1u << t.index;
                in[p][t.op]++;
            }
        }
    }
    for (rk_id n = 0; n < s->schedule->node_count; n++)
        if (seen[n] != (1u << candidate_of(s, n)->rtasks) - 1)
            return "an rTask never runs";
    return NULL;
}

/** A counter is of a node that is counted nowhere else and runs in this rProgram as a whole. */
static const char *counters_count(const subject *s, uint32_t (*in)[MOST_NODES])
{
    bool counted[MOST_NODES] = {false};
    for (size_t p = 0; p < s->schedule->program_count; p++) {
        const rk_rprogram *program = &s->schedule->programs[p];
        for (size_t i = 0; i < program->counter_count; i++) {
            rk_id n = program->counters[i];
            if (n >= s->schedule->node_count || counted[n])
                return "a counter counts no node, or one that another counts";
            if (in[p][n] != candidate_of(s, n)->rtasks)
                return "a counter counts a node that does not run in its rProgram as a whole";
            counted[n] = true;
        }
    }
    return NULL;
}

/** A wait is for a step from 1 of a vEU, or for all that a counter counts. */
static const char *item_exists(const subject *s, const rk_rprogram *program, rk_wait_item item)
{
    if (item.veu < s->schedule->veu_count)
        return item.step == 0 ? "a wait for step 0" : NULL;
    uint32_t counter = item.veu - s->schedule->veu_count;
    if (counter >= program->counter_count)
        return "a wait for no vEU and no counter";
    uint32_t all = candidate_of(s, program->counters[counter])->rtasks;
    return item.step != all ? "a wait for part of a counter" : NULL;
}

static const char *waits_exist(const subject *s)
{
    for (size_t p = 0; p < s->schedule->program_count; p++) {
        const rk_rprogram *program = &s->schedule->programs[p];
        for (uint32_t v = 0; v < s->schedule->veu_count; v++) {
            for (size_t i = 0; i < program->veus[v].count; i++) {
                const rk_entry *e = &program->veus[v].entries[i];
                if (e->wait_count && (e->wait_first > program->wait_count ||
                                      e->wait_count > program->wait_count - e->wait_first))
                    return "a wait's list is not there";
                for (uint32_t k = 0; k < e->wait_count; k++) {
                    const char *wrong = item_exists(s, program, program->waits[e->wait_first + k]);
                    if (wrong)
                        return wrong;
                }
            }
        }
    }
    return NULL;
}

static int64_t divide_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/**
 * Blocks that one SM keeps, after the CUDA programming guide: registers are given to warps, each out
 * of one partition, and shared memory to blocks, both in whole units.
 */
static int64_t blocks_kept(const rk_device *d, int threads, int registers, int64_t shared)
{
    if (threads < 1 || threads > d->max_threads_per_block ||
        registers > d->max_registers_per_thread || shared < 0 || shared > d->shared_per_block)
        return 0;
    int64_t warps = divide_up(threads, d->warp);
    int64_t blocks = least(d->max_blocks_per_sm, d->max_threads_per_sm / d->warp / warps);
    int64_t unit = d->register_granularity;
    int64_t of_warp = divide_up((int64_t)registers * d->warp, unit) * unit;
    int64_t of_part = d->registers_per_sm / d->register_partitions;
    if (of_warp)
        blocks = least(blocks, of_part / of_warp * d->register_partitions / warps);
    unit = d->shared_granularity;
    int64_t of_block = divide_up(shared + d->shared_reserved, unit) * unit;
    return of_block ? least(blocks, d->shared_per_sm / of_block) : blocks;
}

static const char *fits(const subject *s)
{
    const rk_device *d = s->problem->device;
    const rk_schedule *schedule = s->schedule;
    int registers = 0;
    for (rk_id n = 0; n < schedule->node_count; n++) {
        rk_demand need = candidate_of(s, n)->demand;
        if (need.threads > schedule->veu_threads || need.shared > schedule->veu_shared)
            return "an rTask needs more than a vEU has";
        registers = need.registers > registers ? need.registers : registers;
    }
    if (s->memory->total_bytes > d->memory_bytes)
        return "the memory is too small";
    int64_t kept = blocks_kept(d, schedule->veu_threads, registers, schedule->veu_shared);
    if (schedule->veu_count < 1 || kept * d->sms < schedule->veu_count)
        return "not all vEUs are resident";
    if (schedule->blocks_per_sm < 1 || schedule->blocks_per_sm > kept)
        return "too many vEUs are to share a unit";
    return NULL;
}

static bool is_fixed(const rk_graph *g, rk_id base)
{
    bool fixed = g->tensors[base].data != NULL;
    for (size_t i = 0; i < g->input_count; i++)
        fixed = fixed || g->tensors[g->inputs[i]].base == base;
    for (size_t i = 0; i < g->output_count; i++)
        fixed = fixed || g->tensors[g->outputs[i]].base == base;
    return fixed;
}

static bool overlap(const subject *s, rk_id a, rk_id b)
{
    const rk_tensor *t = s->problem->graph->tensors;
    const int64_t *at = s->memory->offsets;
    return t[a].base != t[b].base && at[a] < at[b] + rk_tensor_bytes(&t[b]) &&
           at[b] < at[a] + rk_tensor_bytes(&t[a]);
}

/** What the caller or the file fills or reads shares memory with nothing that is used. */
static const char *fixed_apart(const subject *s)
{
    const rk_graph *g = s->problem->graph;
    for (rk_id t = 0; t < g->tensor_count; t++) {
        if (g->tensors[t].base != t || !is_fixed(g, t))
            continue;
        for (rk_id u = 0; u < g->tensor_count; u++)
            if (g->tensors[u].base == u && is_fixed(g, u) && overlap(s, t, u))
                return "two buffers of the caller share memory";
        for (rk_id n = 0; n < g->node_count; n++) {
            for (size_t i = 0; i < g->nodes[n].input_count; i++)
                if (overlap(s, t, g->nodes[n].inputs[i]))
                    return "an operand shares memory with a buffer of the caller";
            if (overlap(s, t, g->nodes[n].outputs[0]))
                return "a result shares memory with a buffer of the caller";
        }
    }
    return NULL;
}

/** A launch's operands that are different buffers share no memory: no kernel is written for that. */
static const char *operands_apart(const subject *s)
{
    const rk_graph *g = s->problem->graph;
    for (rk_id n = 0; n < g->node_count; n++) {
        const rk_node *node = &g->nodes[n];
        for (size_t i = 0; i < node->input_count; i++) {
            if (overlap(s, node->inputs[i], node->outputs[0]))
                return "an operand shares memory with the result";
            for (size_t k = 0; k < i; k++)
                if (overlap(s, node->inputs[i], node->inputs[k]))
                    return "two operands of a node share memory";
        }
    }
    return NULL;
}

static const char *memory_holds(const subject *s)
{
    const rk_graph *g = s->problem->graph;
    for (rk_id t = 0; t < g->tensor_count; t++) {
        const rk_tensor *tensor = &g->tensors[t];
        int64_t at = s->memory->offsets[t];
        bool constant = tensor->base == t && tensor->data;
        int64_t size = constant ? s->memory->constant_bytes : s->memory->total_bytes;
        if (at < 0 || at + rk_tensor_bytes(tensor) > size)
            return "a tensor is outside the memory";
        if (at != s->memory->offsets[tensor->base] + 4 * tensor->offset)
            return "a view is not in its buffer";
    }
    return NULL;
}

finding look_at_form(const subject *s, const char **what, rk_arena *arena)
{
    *what = "a kernel that does not exist";
    if (!selection_exists(s))
        return MALFORMED;
    uint32_t(*in)[MOST_NODES] = rk_arena_calloc(arena, s->schedule->program_count + 1, sizeof *in);
    if ((*what = count_rtasks(s, in)) || (*what = counters_count(s, in)) ||
        (*what = waits_exist(s)))
        return MALFORMED;
    if ((*what = fits(s)))
        return NOT_RESIDENT;
    if ((*what = memory_holds(s)) || (*what = fixed_apart(s)) || (*what = operands_apart(s)))
        return MISPLACED;
    return SAFE;
}
