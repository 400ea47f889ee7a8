#ifndef RK_TESTS_THREADS_PHRASES_H
#define RK_TESTS_THREADS_PHRASES_H

#include "vdevice_layers.h"

/*
 * The layers as phrases, each of which waits for the one before: how many of a layer's rTasks there are changes from run
 * to run, none included. What is not run keeps its value.
 */

enum { PHRASE_STEPS = LAYERS * TASKS };

typedef struct {
    layers layers;
    rk_executor_phrase phrases[LAYERS];
    uint32_t counts[LAYERS];
} phrased;

static inline void phrases_make(phrased *p, uint32_t veus)
{
    layers *l = &p->layers;
    layers_make(l, veus);
    for (uint32_t i = 0; i < LAYERS; i++) {
        l->items[2 * i] = (rk_executor_item){veus + i, 1};
        l->items[2 * i + 1] = (rk_executor_item){veus + i, PHRASE_STEPS - TASKS + 1};
        l->items[2 * LAYERS + i] = (rk_executor_item){veus + i, PHRASE_STEPS};
        l->waits[i] = (rk_executor_wait){2 * LAYERS + i, 1};
        l->ops[i].signal = 2 * i + 1;
        p->phrases[i] = (rk_executor_phrase){.op = i, .wait = i};
    }
    l->programs[0] = (rk_executor_program){.steps = PHRASE_STEPS};
    l->plan.entries = NULL;
    l->plan.entry_count = 0;
    l->plan.phrases = p->phrases;
    l->plan.phrase_count = LAYERS;
    l->plan.counter_count = LAYERS;
    l->plan.wait_count = LAYERS;
    l->plan.item_count = 3 * LAYERS;
    l->plan.program_count = 1;
}

/** Other counts and origins. */
static inline void phrases_set(phrased *p, uint32_t seed)
{
    layers *l = &p->layers;
    for (uint32_t i = 0, origin = 0; i < LAYERS; i++) {
        const uint32_t count = (seed * 7 + i * i + seed / (i + 1)) % (TASKS + 1);
        p->counts[i] = l->ops[i].grid[0] = count;
        p->phrases[i].origin = origin % l->plan.veu_count;
        l->items[2 * i + 1].step = PHRASE_STEPS - count + (count > 0);
        origin += count;
    }
}

/** One run on `values`, from the definition. */
static inline void phrases_expect(uint64_t values[LAYERS][TASKS], const phrased *p)
{
    for (uint32_t i = 0; i < LAYERS; i++)
        for (uint32_t t = 0; t < p->counts[i]; t++)
            values[i][t] = layers_next(values[(i + LAYERS - 1) % LAYERS], t);
}

#endif
