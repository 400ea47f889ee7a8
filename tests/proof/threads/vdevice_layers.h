#ifndef RK_TESTS_THREADS_LAYERS_H
#define RK_TESTS_THREADS_LAYERS_H

#include "rkernel_lib/runtime/cpu/executor.h"

#include <stdlib.h>
#include <string.h>

/*
 * A hand-made vDevice program for tests: LAYERS ops of TASKS rTasks. Each rTask of a layer reads all values
 * of the layer before and writes its own, so that every layer waits for all vEUs; rTasks move from vEU
 * to vEU between layers. Values are kept from run to run, and layer 0 reads the last layer's.
 */

enum { LAYERS = 24, TASKS = 7, LAYER_MOST_VEUS = 8 };

typedef struct {
    uint64_t values[LAYERS][TASKS];
    uint64_t args[LAYERS][2]; /**< values before, values written */
    rk_executor_op ops[LAYERS];
    rk_executor_entry entries[LAYERS * (TASKS + LAYER_MOST_VEUS) + 2 * LAYER_MOST_VEUS];
    rk_executor_wait waits[LAYERS * LAYER_MOST_VEUS];
    rk_executor_item items[LAYERS * LAYER_MOST_VEUS * LAYER_MOST_VEUS];
    uint32_t veu_first[2][LAYER_MOST_VEUS];
    rk_executor_program programs[2];
    rk_executor_plan plan;
} layers;

static inline uint64_t layers_next(const uint64_t *before, uint32_t task)
{
    uint64_t sum = task + 1;
    for (uint32_t i = 0; i < TASKS; i++)
        sum = sum * 31 + before[i];
    return sum;
}

static inline void layers_kernel(const rk_cpu_call *call)
{
    const uint64_t *before = (const uint64_t *)(uintptr_t)call->args[0];
    uint64_t *now = (uint64_t *)(uintptr_t)call->args[1];
    now[call->rtask] = layers_next(before, call->rtask);
}

/** The values after `runs` runs, from the definition. */
static inline void layers_expect(uint64_t last[TASKS], uint32_t runs)
{
    memset(last, 0, TASKS * sizeof *last);
    for (uint32_t layer = 0; layer < runs * LAYERS; layer++) {
        uint64_t next[TASKS];
        for (uint32_t i = 0; i < TASKS; i++)
            next[i] = layers_next(last, i);
        memcpy(last, next, sizeof next);
    }
}

/** Adds a layer's entries of one vEU; `done` counts the rTasks of each vEU before the layer. */
static inline void layers_add(layers *l, uint32_t layer, uint32_t veu, const uint32_t *done)
{
    rk_executor_plan *p = &l->plan;
    bool waits = false;
    for (uint32_t other = 0; other < p->veu_count; other++)
        waits = waits || (other != veu && done[other] > 0);
    if (waits) {
        l->entries[p->entry_count++] =
            (rk_executor_entry){RK_EXECUTOR_WAIT, (uint32_t)p->wait_count};
        rk_executor_wait *wait = &l->waits[p->wait_count++];
        *wait = (rk_executor_wait){.first = (uint32_t)p->item_count};
        for (uint32_t other = 0; other < p->veu_count; other++) {
            if (other == veu || done[other] == 0)
                continue;
            l->items[p->item_count++] = (rk_executor_item){other, done[other]};
            wait->count++;
        }
    }
    for (uint32_t task = 0; task < TASKS; task++) {
        if ((task + layer) % p->veu_count == veu)
            l->entries[p->entry_count++] = (rk_executor_entry){layer, task};
    }
}

/** rTasks of a vEU in layers [first, layer). */
static inline uint32_t layers_done(uint32_t first, uint32_t layer, uint32_t veu, uint32_t veus)
{
    uint32_t count = 0;
    for (; first < layer; first++) {
        for (uint32_t task = 0; task < TASKS; task++)
            count += (task + first) % veus == veu;
    }
    return count;
}

static inline void layers_program(layers *l, uint32_t index, uint32_t first, uint32_t last)
{
    rk_executor_plan *p = &l->plan;
    uint32_t steps = 0;
    for (uint32_t veu = 0; veu < p->veu_count; veu++) {
        l->veu_first[index][veu] = (uint32_t)p->entry_count;
        for (uint32_t layer = first; layer < last; layer++) {
            uint32_t done[LAYER_MOST_VEUS];
            for (uint32_t other = 0; other < p->veu_count; other++)
                done[other] = layers_done(first, layer, other, p->veu_count);
            layers_add(l, layer, veu, done);
        }
        l->entries[p->entry_count++] = (rk_executor_entry){RK_EXECUTOR_END, 0};
        uint32_t mine = layers_done(first, last, veu, p->veu_count);
        steps = mine > steps ? mine : steps;
    }
    l->programs[index] = (rk_executor_program){l->veu_first[index], steps};
}

/** Two rPrograms, of two thirds and one third of the layers. */
static inline void layers_make(layers *l, uint32_t veus)
{
    memset(l, 0, sizeof *l);
    for (uint32_t i = 0; i < LAYERS; i++) {
        l->args[i][0] = (uintptr_t)l->values[(i + LAYERS - 1) % LAYERS];
        l->args[i][1] = (uintptr_t)l->values[i];
        l->ops[i] = (rk_executor_op){.entry = layers_kernel,
                                     .grid = {TASKS, 1, 1},
                                     .block = {1, 1, 1},
                                     .args = l->args[i],
                                     .name = "layer"};
    }
    l->plan = (rk_executor_plan){.veu_count = veus,
                                 .veu_threads = 32,
                                 .ops = l->ops,
                                 .op_count = LAYERS,
                                 .entries = l->entries,
                                 .waits = l->waits,
                                 .items = l->items,
                                 .programs = l->programs,
                                 .program_count = 2};
    layers_program(l, 0, 0, LAYERS * 2 / 3);
    layers_program(l, 1, LAYERS * 2 / 3, LAYERS);
}

#endif
