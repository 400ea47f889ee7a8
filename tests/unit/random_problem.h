#ifndef RK_TESTS_RANDOM_PROBLEM_H
#define RK_TESTS_RANDOM_PROBLEM_H

#include "sched/plan/candidate.h"
#include "sched_fixture.h"

/** A random graph and its costs; 0 for what is not wanted. */
typedef struct {
    size_t nodes;
    uint32_t rtasks_most; /**< of a node */
    size_t candidates;    /**< of a node, at most */
    bool bytes;           /**< rTasks stream */
} random_spec;

static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % n);
}

/** Each node reads one or two of the six tensors before it. */
static inline fixture *random_problem(uint64_t seed, int sms, random_spec spec)
{
    uint64_t state = seed * 2 + 1;
    fixture *f = fixture_new(sms);
    f->device->dram_bandwidth = 3;
    f->device->l2_bandwidth = 6;
    rk_id *tensors = RK_NEW_ARRAY(f->arena, rk_id, spec.nodes + 1);
    tensors[0] = fixture_tensor(f, "in", 1);
    rk_graph_input(f->graph, tensors[0]);
    for (size_t i = 0; i < spec.nodes; i++) {
        const char *name = rk_arena_printf(f->arena, "n%zu", i);
        uint32_t near = i + 1 < 6 ? (uint32_t)i + 1 : 6;
        rk_id a = tensors[i - random_below(&state, near)];
        rk_id b = tensors[i - random_below(&state, near)];
        tensors[i + 1] = fixture_tensor(f, name, 1);
        rk_graph_output(f->graph, tensors[i + 1]);
        rk_id n = fixture_node(f, name, a, a == b ? RK_NO_ID : b, tensors[i + 1],
                               1 + random_below(&state, spec.rtasks_most),
                               300 + random_below(&state, 4000));
        size_t more = spec.candidates > 1 ? random_below(&state, (uint32_t)spec.candidates) : 0;
        for (size_t c = 0; c < more; c++)
            fixture_candidate(f, n, 1 + random_below(&state, spec.rtasks_most),
                              300 + random_below(&state, 4000));
        bool cached = random_below(&state, 2);
        for (size_t c = 0; spec.bytes && c <= more; c++) {
            rk_candidate *k = (rk_candidate *)&f->candidates->nodes[n].items[c];
            k->parts.fixed_ns = 0.2 * k->rtask_ns;
            k->parts.stream_ns = 0.3 * k->rtask_ns;
            k->parts.bytes = 0.5 * k->rtask_ns * (1 + random_below(&state, 3));
            k->parts.from = cached ? RK_FROM_L2 : RK_FROM_MEMORY;
        }
    }
    fixture_problem(f);
    return f;
}

#endif
