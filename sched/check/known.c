#include "sched/check/known.h"

#include <string.h>

/** Steps (low, high] of a vEU. */
typedef struct {
    uint32_t low, high;
} window;

/** What one vEU knows of each other one in this rProgram. */
typedef struct {
    uint32_t program; /**< index plus 1 of the rProgram that the rest is about */
    uint32_t *seen;   /**< by vEU: steps that this one is known to come after */
    window
        *added; /**< by vEU: those of them whose own waits have been added to `seen`; NULL: none */
} view;

struct rk_known {
    const rk_checker *c;
    const rk_rprogram *program;
    uint32_t index; /**< of the rProgram */
    uint32_t veus;
    view *views;     /**< by vEU */
    uint32_t *done;  /**< by vEU: steps played */
    uint32_t *first; /**< by vEU: the place of its first step in the next two */
    uint32_t *entry; /**< by step: its entry in the vEU's list */
    uint32_t *time;  /**< by step: steps played before it; UINT32_MAX: it has not been played */
    size_t capacity;
    uint32_t clock;   /**< steps played */
    size_t words;     /**< 64-bit words of a set of vEUs */
    uint64_t *noted;  /**< by node, a set: vEUs whose next step comes after all of it */
    uint64_t *spread; /**< by node, a set: vEUs that have all of a counted node in `seen` */
};

rk_known *rk_known_new(const rk_checker *c)
{
    uint32_t veus = c->schedule->veu_count;
    size_t words = ((size_t)veus + 63) / 64;
    rk_known *k = RK_NEW(c->scratch, rk_known);
    *k = (rk_known){.c = c, .veus = veus, .words = words};
    k->views = RK_NEW_ARRAY(c->scratch, view, veus);
    k->done = RK_NEW_ARRAY(c->scratch, uint32_t, veus);
    k->first = RK_NEW_ARRAY(c->scratch, uint32_t, veus);
    k->noted = RK_NEW_ARRAY(c->scratch, uint64_t, c->schedule->node_count *words + 1);
    k->spread = RK_NEW_ARRAY(c->scratch, uint64_t, c->schedule->node_count *words + 1);
    return k;
}

void rk_known_begin(rk_known *k, uint32_t program)
{
    k->index = program;
    k->program = &k->c->schedule->programs[program];
    k->clock = 0;
    size_t steps = 0;
    for (uint32_t w = 0; w < k->veus; w++)
        steps += k->program->veus[w].count;
    if (steps > k->capacity) {
        k->capacity = 2 * steps;
        k->entry = RK_NEW_ARRAY(k->c->scratch, uint32_t, k->capacity);
        k->time = RK_NEW_ARRAY(k->c->scratch, uint32_t, k->capacity);
    }
    uint32_t at = 0;
    for (uint32_t w = 0; w < k->veus; w++) {
        const rk_veu_list *list = &k->program->veus[w];
        k->done[w] = 0;
        k->first[w] = at;
        for (size_t i = 0; i < list->count; i++)
            if (list->entries[i].wait_count == 0)
                k->entry[at++] = (uint32_t)i;
    }
    if (at > 0)
        memset(k->time, 0xff, at * sizeof *k->time);
}

void rk_known_play(rk_known *k, uint32_t veu)
{
    k->time[k->first[veu] + k->done[veu]++] = k->clock++;
}

/* Nodes. */

static bool test(const rk_known *k, const uint64_t *sets, rk_id node, uint32_t veu)
{
    return sets[node * k->words + veu / 64] >> (veu % 64) & 1;
}

static void set(const rk_known *k, uint64_t *sets, rk_id node, uint32_t veu)
{
    sets[node * k->words + veu / 64] |= UINT64_C(1) << (veu % 64);
}

void rk_known_note(rk_known *k, uint32_t veu, rk_id node)
{
    set(k, k->noted, node, veu);
}

bool rk_known_noted(const rk_known *k, uint32_t veu, rk_id node)
{
    return test(k, k->noted, node, veu);
}

/* Waits. */

static void raise(view *v, uint32_t veu, uint32_t step)
{
    if (v->seen[veu] < step)
        v->seen[veu] = step;
}

/** Until its first wait in an rProgram a vEU knows of no other one, and has no view. */
static void begin_view(const rk_known *k, view *v)
{
    if (!v->seen)
        v->seen = RK_NEW_ARRAY(k->c->scratch, uint32_t, k->veus);
    memset(v->seen, 0, k->veus * sizeof *v->seen);
    if (v->added)
        memset(v->added, 0, k->veus * sizeof *v->added);
    v->program = k->index + 1;
}

void rk_known_wait(rk_known *k, uint32_t veu, const rk_entry *entry)
{
    view *v = &k->views[veu];
    if (v->program != k->index + 1)
        begin_view(k, v);
    for (uint32_t i = 0; i < entry->wait_count; i++) {
        rk_wait_item item = k->program->waits[entry->wait_first + i];
        if (item.veu < k->veus)
            raise(v, item.veu, item.step);
        else
            set(k, k->noted, k->program->counters[item.veu - k->veus], veu);
    }
}

/** Adds what a barrier-rTask waited for, on whichever vEU, to what this one knows. */
static void add_items(rk_known *k, uint32_t veu, const rk_entry *entry)
{
    const rk_checker *c = k->c;
    view *v = &k->views[veu];
    for (uint32_t i = 0; i < entry->wait_count; i++) {
        rk_wait_item item = k->program->waits[entry->wait_first + i];
        if (item.veu < k->veus) {
            raise(v, item.veu, item.step);
            continue;
        }
        rk_id node = k->program->counters[item.veu - k->veus];
        if (test(k, k->spread, node, veu))
            continue;
        set(k, k->spread, node, veu);
        for (uint32_t s = c->span_first[node]; s < c->span_first[node + 1]; s++)
            raise(v, c->spans[s].veu, c->spans[s].last);
    }
}

static void add_step(rk_known *k, uint32_t veu, uint32_t other, uint32_t step)
{
    const rk_entry *entries = k->program->veus[other].entries;
    for (uint32_t i = k->entry[k->first[other] + step - 1]; i > 0 && entries[i - 1].wait_count; i--)
        add_items(k, veu, &entries[i - 1]);
}

/**
 * Adds the waits of those steps of `other` that were played after `since` and that the vEU comes after,
 * its own next step included; false when that has been done.
 */
static bool add_waits(rk_known *k, uint32_t veu, uint32_t other, int64_t since)
{
    window *added = &k->views[veu].added[other];
    const uint32_t *time = &k->time[k->first[other]];
    uint32_t last = other == veu ? k->done[veu] + 1 : k->views[veu].seen[other];
    bool any = false;
    if (added->high < last) {
        uint32_t step = last;
        for (; step > added->high && time[step - 1] > since; step--) {
            add_step(k, veu, other, step);
            any = true;
        }
        if (step > added->high)
            added->low = step;
        added->high = last;
    }
    for (; added->low > 0 && time[added->low - 1] > since; added->low--) {
        add_step(k, veu, other, added->low);
        any = true;
    }
    return any;
}

/** Adds all that was played after `since`, until `step` of `other` is among it. */
static bool find(rk_known *k, uint32_t veu, uint32_t other, uint32_t step, int64_t since)
{
    view *v = &k->views[veu];
    if (!v->added)
        v->added = RK_NEW_ARRAY(k->c->scratch, window, k->veus);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < k->veus; i++) {
            uint32_t next = veu + i < k->veus ? veu + i : veu + i - k->veus;
            more = add_waits(k, veu, next, since) || more;
            if (v->seen[other] >= step)
                return true;
        }
    }
    return false;
}

/* Questions. */

bool rk_known_waited(rk_known *k, uint32_t veu, rk_spot spot)
{
    if (spot.program != k->index)
        return spot.program < k->index;
    if (spot.veu == veu)
        return spot.step <= k->done[veu];
    return k->views[veu].program == k->index + 1 && k->views[veu].seen[spot.veu] >= spot.step;
}

bool rk_known_after(rk_known *k, uint32_t veu, rk_spot spot)
{
    if (rk_known_waited(k, veu, spot))
        return true;
    if (spot.program != k->index || spot.veu == veu || k->views[veu].program != k->index + 1 ||
        k->done[spot.veu] < spot.step)
        return false;
    uint32_t since = k->time[k->first[spot.veu] + spot.step - 1];
    return find(k, veu, spot.veu, spot.step, since);
}

uint32_t rk_known_steps(rk_known *k, uint32_t veu, uint32_t other)
{
    if (k->views[veu].program != k->index + 1)
        return 0;
    find(k, veu, other, UINT32_MAX, -1);
    return k->views[veu].seen[other];
}
