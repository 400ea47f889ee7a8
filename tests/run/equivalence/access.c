#include "trial.h"

#include <stdlib.h>
#include <string.h>

/** rTasks that are tried one by one; of more than these, as many spread evenly. */
enum { TRIED_MOST = 40, POISONS = 3 };

/** What lies where an rTask must not look: large, large and negative, and not a number. */
static const unsigned char poisons[POISONS] = {0x71, 0xF1, 0xFF};

/** By slot, a byte for each element: whether the rTask may touch it. */
typedef struct {
    bool **read, **written;
    bool **covered; /**< written by any rTask so far */
} marks;

static int64_t elements_of(const eq_trial *trial, size_t slot)
{
    const rk_tensor *t = rk_slot_tensor(&trial->call, (int)slot);
    return t ? rk_tensor_elements(t) : 0;
}

static bool **new_marks(const eq_trial *trial)
{
    bool **all = RK_NEW_ARRAY(trial->arena, bool *, trial->slots);
    for (size_t s = 0; s < trial->slots; s++)
        all[s] = RK_NEW_ARRAY(trial->arena, bool, (size_t)elements_of(trial, s) + 1);
    return all;
}

static void mark_box(bool *marked, const rk_access *access, const rk_interval *box, int d,
                     int64_t at)
{
    if (d == access->rank) {
        marked[at] = true;
        return;
    }
    for (int64_t i = box[d].first; i < box[d].end; i++)
        mark_box(marked, access, box, d + 1, at * access->dims[d].extent + i);
}

/** Marks what the rTask may touch through one parameter. */
static void mark_param(const eq_trial *trial, bool **marked, size_t param, uint32_t rtask)
{
    const rk_kernel_arg *arg = &trial->candidate.args[param];
    const rk_access *access = trial->candidate.access[param];
    const int64_t *grid = trial->candidate.grid;
    int64_t block[3] = {rtask % grid[0], rtask / grid[0] % grid[1], rtask / grid[0] / grid[1]};
    rk_interval box[RK_MAX_RANK];
    if (!access)
        memset(marked[arg->tensor], true, (size_t)elements_of(trial, arg->tensor));
    else if (rk_access_box(box, access, block))
        mark_box(marked[arg->tensor] + arg->offset, access, box, 0, 0);
}

static void mark_rtask(const eq_trial *trial, marks *m, uint32_t rtask)
{
    for (size_t s = 0; s < trial->slots; s++) {
        memset(m->read[s], 0, (size_t)elements_of(trial, s));
        memset(m->written[s], 0, (size_t)elements_of(trial, s));
    }
    for (size_t p = 0; p < trial->kernel->param_count; p++) {
        const rk_param *param = &trial->kernel->params[p];
        if (!param->pointer || trial->candidate.args[p].tensor == RK_NO_ID)
            continue;
        if (param->role != RK_ROLE_WRITTEN || trial->accumulates)
            mark_param(trial, m->read, p, rtask);
        if (param->role != RK_ROLE_READ)
            mark_param(trial, m->written, p, rtask);
    }
    for (size_t s = trial->call.in_count; s < trial->slots; s++)
        for (int64_t i = 0; i < elements_of(trial, s); i++)
            m->covered[s][i] = m->covered[s][i] || m->written[s][i];
}

/**
 * Puts poison wherever the rTask may not read; outputs are poison, of another kind so that a copy of an
 * input's is no output left alone, but where they are added to.
 */
static void poison(const eq_trial *trial, const marks *m, int kind)
{
    for (size_t s = 0; s < trial->slots; s++) {
        bool input = s < trial->call.in_count;
        const eq_guarded *b = input ? &trial->inputs[s] : &trial->result[s];
        if (!b->whole)
            continue;
        size_t size = b->size / (size_t)elements_of(trial, s);
        unsigned char byte = poisons[input ? (kind + 1) % POISONS : kind];
        for (int64_t i = 0; i < elements_of(trial, s); i++) {
            unsigned char *at = b->data + (size_t)i * size;
            if (input && m->read[s][i])
                memcpy(at, (const unsigned char *)trial->originals[s] + (size_t)i * size, size);
            else
                memset(at, trial->accumulates && m->written[s][i] ? 0 : byte, size);
        }
    }
}

/** Compares one rTask's outputs with those of its first run, and with poison outside its box. */
static void compare(eq_trial *trial, const marks *m, uint32_t rtask, unsigned char byte,
                    unsigned char **first)
{
    for (size_t s = trial->call.in_count; s < trial->slots; s++) {
        const eq_guarded *b = &trial->result[s];
        size_t size = b->size / (size_t)elements_of(trial, s);
        const char *name = rk_slot_tensor(&trial->call, (int)s)->name;
        for (size_t i = 0; i < b->size && trial->failures == 0; i++) {
            bool inside = m->written[s][i / size];
            if (!inside && b->data[i] != byte)
                eq_trial_fail(trial, "access: rTask %u writes element %zu of '%s', outside its box",
                              rtask, i / size, name);
            bool left = b->data[i] == byte && first[s][i] == poisons[0];
            if (inside && !left && b->data[i] != first[s][i])
                eq_trial_fail(trial,
                              "access: rTask %u: element %zu of '%s' depends on what is outside "
                              "the boxes that it reads",
                              rtask, i / size, name);
        }
    }
}

static void try_rtask(eq_trial *trial, const marks *m, uint32_t veu_threads, uint32_t rtask,
                      unsigned char **first)
{
    for (int k = 0; k < POISONS && trial->failures == 0; k++) {
        poison(trial, m, k);
        eq_run_rtasks(trial, veu_threads, rtask, 1, false);
        for (size_t s = trial->call.in_count; s < trial->slots && k == 0; s++)
            memcpy(first[s], trial->result[s].data, trial->result[s].size);
        compare(trial, m, rtask, poisons[k], first);
    }
}

void eq_check_access(eq_trial *trial, uint32_t veu_threads)
{
    uint32_t rtasks = trial->candidate.rtasks;
    uint32_t step = (rtasks + TRIED_MOST - 1) / TRIED_MOST;
    marks m = {new_marks(trial), new_marks(trial), new_marks(trial)};
    unsigned char **first = RK_NEW_ARRAY(trial->arena, unsigned char *, trial->slots);
    trial->result = RK_NEW_ARRAY(trial->arena, eq_guarded, trial->slots);
    for (size_t s = trial->call.in_count; s < trial->slots; s++) {
        size_t size = trial->legacy[s].size;
        trial->result[s] = eq_guarded_new(size, trial->c->unaligned ? 4 : 0);
        first[s] = rk_arena_alloc(trial->arena, size);
    }
    for (uint32_t r = 0; r < rtasks && trial->failures == 0; r++) {
        mark_rtask(trial, &m, r);
        if (r % step == 0 || r + 1 == rtasks)
            try_rtask(trial, &m, veu_threads, r, first);
    }
    for (size_t s = trial->call.in_count; s < trial->slots; s++)
        for (int64_t i = 0; i < elements_of(trial, s) && trial->failures == 0; i++)
            if (!m.covered[s][i])
                eq_trial_fail(trial, "access: element %lld of '%s' is in no rTask's box",
                              (long long)i, rk_slot_tensor(&trial->call, (int)s)->name);
}
