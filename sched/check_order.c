#include "base/vec.h"
#include "sched/check_internal.h"

#include <string.h>

/**
 * What a vEU has waited for: seen[u] steps of each vEU u are known to have finished. vEUs that waited
 * for the same share one, as far as that is seen. The entry of the vEU that made it is left 0 until a second one shares it:
 * each vEU knows its own steps anyway.
 */
enum {
    RECENT = 16,   /**< made last, of which another vEU may be able to share one */
    MERGE_STEP = 8 /**< seen has a multiple of as many entries */
};

typedef struct {
    uint32_t *seen;
    uint32_t maker;      /**< vEU; UINT32_MAX once its entry is set */
    uint32_t maker_done; /**< steps that it had done */
    uint32_t users;      /**< vEUs that are at it, and items that still refer to its steps */
    uint32_t number;     /**< unique, from 1; 0: not in use */
    uint64_t merged_in;  /**< the barrier-rTask that added it last */
} knowledge;

/** A vEU, or a counter, while the schedule is played. */
typedef struct {
    size_t entry;        /**< next one */
    uint32_t item;       /**< next item of the barrier-rTask there */
    uint32_t done;       /**< steps */
    uint32_t at;         /**< its knowledge; of a counter, what those know that it has counted */
    uint32_t pending;    /**< of a counter: items that have not been played */
    uint32_t blocked_on; /**< vEU that it waits for; UINT32_MAX: none */
    uint32_t needs;      /**< steps of that one */
    uint32_t waiters;    /**< first vEU that waits for it, UINT32_MAX: none */
    uint32_t next;       /**< next one that waits for the same */
    uint32_t wake;       /**< least step that any waiter needs */
} player;

/** Plays the entries of one rProgram after another, in one of the orders that the waits allow. */
typedef struct {
    rk_checker *c;
    const rk_rprogram *program;
    uint32_t index; /**< of the rProgram */
    uint32_t veus;
    player *players; /**< vEUs, then the rProgram's counters, which only count and wake */
    size_t player_capacity;
    uint32_t *counter_of; /**< by node: its player, 0: none; a node has one in all */
    uint32_t *ready;      /**< a stack of vEUs that may go on */
    uint32_t ready_count;
    uint64_t clock; /**< rTasks played */
    bool proving;   /**< keep knowledge and prove orders; else only find one order */
    bool good;
    RK_VEC(knowledge) known;
    RK_VEC(uint32_t) unused;                        /**< of known, to use again */
    uint32_t recent[RECENT], recent_number[RECENT]; /**< of known, and what it was then */
    uint32_t numbers;
    uint64_t barriers;    /**< barrier-rTasks passed */
    uint32_t width;       /**< veus rounded up to MERGE_STEP */
    uint32_t *merged;     /**< scratch: one knowledge */
    uint32_t *first_step; /**< by vEU: its first place in the next two */
    uint32_t *at;         /**< by step: the knowledge in effect */
    uint32_t *pending;    /**< by step: items that refer to it and have not been played */
    size_t step_capacity;
    uint64_t *checked; /**< by node: the vEU and rProgram whose first rTask has been proven */
} play;

/* Knowledge. */

static uint32_t new_knowledge(play *p)
{
    uint32_t id;
    if (p->unused.count) {
        id = p->unused.items[--p->unused.count];
    } else {
        id = (uint32_t)p->known.count;
        rk_push(p->c->scratch, &p->known)->seen = RK_NEW_ARRAY(p->c->scratch, uint32_t, p->width);
    }
    knowledge *k = &p->known.items[id];
    *k = (knowledge){.seen = k->seen, .maker = UINT32_MAX, .number = ++p->numbers};
    return id;
}

static void release(play *p, uint32_t id, uint32_t users)
{
    p->known.items[id].users -= users;
    if (p->known.items[id].users > 0)
        return;
    p->known.items[id].number = 0;
    *rk_push(p->c->scratch, &p->unused) = id;
}

/** Whether the vEU can share k: what it knows, in p->merged, is the same but for its own steps. */
static bool can_share(const play *p, const knowledge *k, uint32_t veu)
{
    if (k->maker == veu || k->seen[veu] > p->players[veu].done)
        return false;
    if (k->maker != UINT32_MAX && p->merged[k->maker] > k->maker_done)
        return false;
    for (uint32_t u = 0; u < p->veus; u++)
        if (p->merged[u] != k->seen[u] && u != veu && u != k->maker)
            return false;
    return true;
}

static uint32_t intern(play *p, uint32_t veu)
{
    for (uint32_t i = 0; i < RECENT && p->recent_number[i]; i++) {
        knowledge *k = &p->known.items[p->recent[i]];
        if (k->number != p->recent_number[i] || !can_share(p, k, veu))
            continue;
        if (k->maker != UINT32_MAX)
            k->seen[k->maker] = p->merged[k->maker];
        k->maker = UINT32_MAX;
        return p->recent[i];
    }
    uint32_t id = new_knowledge(p);
    knowledge *k = &p->known.items[id];
    memcpy(k->seen, p->merged, p->veus * sizeof *k->seen);
    k->seen[veu] = 0;
    k->maker = veu;
    k->maker_done = p->players[veu].done;
    p->recent[k->number % RECENT] = id;
    p->recent_number[k->number % RECENT] = k->number;
    return id;
}

/** Raises each to the other's; whether any was raised. Steps are below 2^31, and compare faster so. */
static bool merge(uint32_t *restrict into, const uint32_t *restrict from, uint32_t count)
{
    int32_t raised = 0;
    for (uint32_t u = 0; u < count; u++) {
        int32_t theirs = (int32_t)from[u];
        int32_t own = (int32_t)into[u];
        raised |= theirs > own;
        into[u] = (uint32_t)(theirs > own ? theirs : own);
    }
    return raised != 0;
}

/** Adds what a vEU had done at a step, and what it knew then; true when that is new. */
static bool add_step(play *p, rk_wait_item item)
{
    if (p->merged[item.veu] >= item.step)
        return false;
    p->merged[item.veu] = item.step;
    knowledge *theirs = &p->known.items[p->at[p->first_step[item.veu] + item.step - 1]];
    if (theirs->merged_in != p->barriers)
        merge(p->merged, theirs->seen, p->width);
    theirs->merged_in = p->barriers;
    return true;
}

/** The same of all that a full counter has counted. */
static bool add_counter(play *p, uint32_t counter)
{
    const knowledge *theirs = &p->known.items[p->players[counter].at];
    return merge(p->merged, theirs->seen, p->width);
}

/** The items of a barrier-rTask have been played: what only they refer to can go. */
static void forget_items(play *p, const rk_entry *entry)
{
    for (uint32_t i = 0; i < entry->wait_count; i++) {
        rk_wait_item item = p->program->waits[entry->wait_first + i];
        if (item.veu >= p->veus) {
            if (--p->players[item.veu].pending == 0)
                release(p, p->players[item.veu].at, 1);
            continue;
        }
        uint32_t step = p->first_step[item.veu] + item.step - 1;
        p->pending[step]--;
        release(p, p->at[step], 1);
    }
}

/** The vEU has passed a barrier-rTask: adds what the vEUs waited for had done, and what they knew. */
static void pass_barrier(play *p, uint32_t veu, const rk_entry *entry)
{
    player *own = &p->players[veu];
    memcpy(p->merged, p->known.items[own->at].seen, p->veus * sizeof *p->merged);
    p->known.items[own->at].merged_in = ++p->barriers;
    bool grown = false;
    for (uint32_t i = 0; i < entry->wait_count; i++) {
        rk_wait_item item = p->program->waits[entry->wait_first + i];
        if (item.veu >= p->veus)
            grown = add_counter(p, item.veu) || grown;
        else if (item.veu != veu)
            grown = add_step(p, item) || grown;
    }
    if (grown) {
        uint32_t id = intern(p, veu);
        p->known.items[id].users++;
        release(p, own->at, 1);
        own->at = id;
    }
    forget_items(p, entry);
}

/** A counter counts an rTask that the vEU has just finished, and takes over what the vEU knew. */
static void count_rtask(play *p, uint32_t veu, uint32_t counter)
{
    player *own = &p->players[veu];
    player *to = &p->players[counter];
    to->done++;
    if (!p->proving || to->pending == 0)
        return;
    if (to->done == 1) {
        to->at = new_knowledge(p);
        p->known.items[to->at].users = 1;
        memset(p->known.items[to->at].seen, 0, p->width * sizeof *p->merged);
        to->item = 0;
    }
    knowledge *k = &p->known.items[to->at];
    const knowledge *theirs = &p->known.items[own->at];
    if (to->item != theirs->number)
        merge(k->seen, theirs->seen, p->width);
    to->item = theirs->number;
    if (own->done > k->seen[veu])
        k->seen[veu] = own->done;
}

/* Proofs. */

/** The rTask that is a vEU's `step`. */
static rk_rtask rtask_at(const play *p, uint32_t program, uint32_t veu, uint32_t step)
{
    const rk_veu_list *list = &p->c->schedule->programs[program].veus[veu];
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].wait_count == 0 && --step == 0)
            return list->entries[i].task;
    return (rk_rtask){0};
}

/** Explains: `task`, at the vEU's next step, does not come after rTask `first` of o->from. */
static void report_order(play *p, const rk_order *o, rk_rtask first, rk_spot missed, uint32_t veu,
                         rk_rtask task)
{
    rk_checker *c = p->c;
    const rk_graph *graph = c->problem->graph;
    const char *what = graph->tensors[o->tensor].name;
    if (o->other != RK_NO_ID)
        what = rk_arena_printf(c->scratch, "%s' and '%s", what, graph->tensors[o->other].name);
    const char *why = "which comes later on its own vEU";
    const char *hint = "it must come after that rTask";
    if (missed.program > p->index) {
        why = "which is in a later rProgram";
    } else if (missed.veu != veu) {
        uint32_t seen = p->known.items[p->players[veu].at].seen[missed.veu];
        why = seen ? rk_arena_printf(c->scratch, "and it has waited for %u steps of that vEU only",
                                     seen)
                   : "and it has waited for nothing of that vEU";
        hint = rk_arena_printf(c->scratch, "it must wait for step %u of vEU %u", missed.step,
                               missed.veu);
    }
    p->good = rk_checker_fail(
        c, o->other == RK_NO_ID ? 4 : 8, o->to, hint,
        "its rTask %u (rProgram %u, vEU %u, step %u) needs rTask %u of '%s' (rProgram %u, vEU %u, "
        "step %u) to have finished, %s; both touch '%s'",
        task.index, p->index, veu, p->players[veu].done + 1, first.index,
        graph->nodes[o->from].name, missed.program, missed.veu, missed.step, why, what);
}

/** Whether the step has finished when the vEU starts its next one; *seen: by what it has waited for. */
static bool is_before(const play *p, bool *seen, rk_spot spot, uint32_t veu)
{
    const knowledge *k = &p->known.items[p->players[veu].at];
    *seen = spot.program < p->index || (spot.program == p->index && k->seen[spot.veu] >= spot.step);
    return *seen ||
           (spot.program == p->index && spot.veu == veu && spot.step <= p->players[veu].done);
}

/** Whether all of o->from has finished when the vEU starts its next step; *missed is a part that not. */
static bool all_before(const play *p, rk_order *o, uint32_t veu, rk_span *missed)
{
    const rk_checker *c = p->c;
    uint32_t number = p->known.items[p->players[veu].at].number;
    if (o->proven == number)
        return true;
    bool by_all = true;
    for (uint32_t i = c->span_first[o->from]; i < c->span_first[o->from + 1]; i++) {
        const rk_span *span = &c->spans[i];
        bool seen;
        if (!is_before(p, &seen, (rk_spot){span->program, span->veu, span->last}, veu)) {
            *missed = *span;
            return false;
        }
        by_all = by_all && seen;
    }
    if (by_all)
        o->proven = number;
    return true;
}

/** Whether those rTasks of o->from have finished that share bytes with this one. */
static void prove_pairs(play *p, rk_order *o, uint32_t veu, rk_rtask task)
{
    rk_checker *c = p->c;
    rk_pairs *pairs = o->pairs;
    uint32_t number = p->known.items[p->players[veu].at].number;
    uint32_t list = rk_pairs_list(pairs, task.index);
    if (pairs->proven[list] == number)
        return;
    rk_pairs_find(c, pairs, task.index);
    const rk_spot *spots = &c->spots[c->spot_first[o->from]];
    bool by_all = true;
    for (uint32_t i = pairs->first[list]; i < pairs->end[list]; i++) {
        uint32_t before = pairs->before.items[i];
        bool seen;
        if (!is_before(p, &seen, spots[before], veu)) {
            report_order(p, o, (rk_rtask){o->from, before}, spots[before], veu, task);
            return;
        }
        by_all = by_all && seen;
    }
    if (by_all)
        pairs->proven[list] = number;
}

/** Whether the rTask's list has been proven for what the vEU knows. */
static bool is_proven(const play *p, const rk_pairs *pairs, uint32_t veu, rk_rtask task)
{
    return pairs->proven[rk_pairs_list(pairs, task.index)] ==
           p->known.items[p->players[veu].at].number;
}

/**
 * Proves one order for the vEU's next step, `task`. What holds for the node's first rTask on a vEU and
 * all of o->from holds for its later ones; boxes are compared where not all of o->from has finished.
 */
static void prove(play *p, rk_order *o, uint32_t veu, rk_rtask task, bool is_first)
{
    uint64_t list = (uint64_t)p->index * p->veus + veu + 1;
    bool by_boxes = o->pairs && !o->pairs->all;
    if (o->covered == list || (!by_boxes && !is_first) ||
        (by_boxes && is_proven(p, o->pairs, veu, task)))
        return;
    rk_span missed;
    if (all_before(p, o, veu, &missed)) {
        o->covered = list;
        return;
    }
    if (!o->pairs)
        o->pairs = rk_check_pairs(p->c, o);
    if (!o->pairs->all)
        prove_pairs(p, o, veu, task);
    else
        report_order(p, o, rtask_at(p, missed.program, missed.veu, missed.last),
                     (rk_spot){missed.program, missed.veu, missed.last}, veu, task);
}

/** Whether this is the first of the node's rTasks on this vEU; later ones know no less. */
static bool is_first(const play *p, rk_id op, uint32_t veu)
{
    const rk_checker *c = p->c;
    uint32_t low = c->span_first[op];
    uint32_t high = c->span_first[op + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const rk_span *s = &c->spans[middle];
        if (s->program < p->index || (s->program == p->index && s->veu < veu))
            low = middle + 1;
        else
            high = middle;
    }
    return c->spans[low].first == p->players[veu].done + 1;
}

static void play_rtask(play *p, uint32_t veu, rk_rtask task)
{
    rk_checker *c = p->c;
    player *own = &p->players[veu];
    if (!p->proving) {
        if (c->position[task.op] == 0)
            c->position[task.op] = p->clock + 1;
        p->clock++;
        own->done++;
        return;
    }
    uint64_t list = (uint64_t)p->index * p->veus + veu + 1;
    if (c->order_first[task.op] != c->order_first[task.op + 1]) {
        bool first = p->checked[task.op] != list && is_first(p, task.op, veu);
        for (uint32_t i = c->order_first[task.op]; i < c->order_first[task.op + 1]; i++)
            prove(p, &c->orders[i], veu, task, first);
    }
    p->checked[task.op] = list;
    uint32_t step = p->first_step[veu] + own->done;
    p->at[step] = own->at;
    p->known.items[own->at].users += p->pending[step];
    own->done++;
}

/* Playing. */

static void block(play *p, uint32_t veu, uint32_t on, uint32_t step)
{
    player *own = &p->players[veu];
    player *other = &p->players[on];
    own->blocked_on = on;
    own->needs = step;
    own->next = other->waiters;
    other->waiters = veu;
    if (step < other->wake)
        other->wake = step;
}

static void wake(play *p, uint32_t veu)
{
    player *own = &p->players[veu];
    uint32_t waiter = own->waiters;
    own->waiters = UINT32_MAX;
    own->wake = UINT32_MAX;
    while (waiter != UINT32_MAX) {
        player *w = &p->players[waiter];
        uint32_t next = w->next;
        if (w->needs <= own->done) {
            w->blocked_on = UINT32_MAX;
            p->ready[p->ready_count++] = waiter;
        } else {
            block(p, waiter, veu, w->needs);
        }
        waiter = next;
    }
}

/** Plays a vEU until its end or a wait that does not hold yet. */
static void play_veu(play *p, uint32_t veu)
{
    player *own = &p->players[veu];
    const rk_veu_list *list = &p->program->veus[veu];
    for (; own->entry < list->count; own->entry++) {
        const rk_entry *entry = &list->entries[own->entry];
        if (entry->wait_count == 0) {
            play_rtask(p, veu, entry->task);
            if (own->done >= own->wake)
                wake(p, veu);
            uint32_t counter = p->counter_of[entry->task.op];
            if (counter)
                count_rtask(p, veu, counter);
            if (counter && p->players[counter].done >= p->players[counter].wake)
                wake(p, counter);
            continue;
        }
        for (; own->item < entry->wait_count; own->item++) {
            rk_wait_item item = p->program->waits[entry->wait_first + own->item];
            if (p->players[item.veu].done < item.step) {
                block(p, veu, item.veu, item.step);
                return;
            }
        }
        own->item = 0;
        if (p->proving)
            pass_barrier(p, veu, entry);
    }
}

/** What keeps a blocked vEU waiting: a vEU, also where it waits for a counter. */
static uint32_t blocker(const play *p, uint32_t veu)
{
    const rk_checker *c = p->c;
    uint32_t on = p->players[veu].blocked_on;
    if (on < p->veus)
        return on;
    rk_id node = p->program->counters[on - p->veus];
    uint32_t i = c->span_first[node];
    while (p->players[c->spans[i].veu].done >= c->spans[i].last)
        i++;
    return c->spans[i].veu;
}

/** Names the vEUs that wait for each other. All that is blocked leads into such a ring. */
static void report_cycle(play *p, uint32_t veu)
{
    for (uint32_t i = 0; i < p->veus; i++)
        veu = blocker(p, veu);
    rk_arena *scratch = p->c->scratch;
    char *ring = rk_arena_printf(scratch, "vEU %u (after %u rTasks)", veu, p->players[veu].done);
    uint32_t at = veu;
    for (int shown = 0; shown < 4; shown++) {
        const player *w = &p->players[at];
        at = blocker(p, at);
        const char *what =
            w->blocked_on < p->veus
                ? rk_arena_printf(scratch, "step %u", w->needs)
                : rk_arena_printf(
                      scratch, "an rTask of '%s'",
                      p->c->problem->graph->nodes[p->program->counters[w->blocked_on - p->veus]]
                          .name);
        ring = rk_arena_printf(scratch, "%s waits for %s of vEU %u (after %u)", ring, what, at,
                               p->players[at].done);
        if (at == veu)
            break;
        ring = rk_arena_printf(scratch, "%s, which", ring);
    }
    p->good = rk_checker_fail(p->c, 6, RK_NO_ID, "drop one of these waits or move its rTask",
                              "rProgram %u never ends: %s%s", p->index, ring,
                              at == veu ? "" : " is in a longer ring");
}

/** Numbers the steps of this rProgram and counts the items that refer to each. */
static void begin_steps(play *p)
{
    size_t steps = 0;
    for (uint32_t w = 0; w < p->veus; w++) {
        p->first_step[w] = (uint32_t)steps;
        for (size_t i = 0; i < p->program->veus[w].count; i++)
            steps += p->program->veus[w].entries[i].wait_count == 0;
    }
    if (steps > p->step_capacity) {
        p->step_capacity = 2 * steps;
        p->at = RK_NEW_ARRAY(p->c->scratch, uint32_t, p->step_capacity);
        p->pending = RK_NEW_ARRAY(p->c->scratch, uint32_t, p->step_capacity);
    }
    if (steps)
        memset(p->pending, 0, steps * sizeof *p->pending);
    for (uint32_t w = 0; w < p->veus; w++) {
        const rk_veu_list *list = &p->program->veus[w];
        for (size_t i = 0; i < list->count; i++) {
            const rk_wait_item *items = p->program->waits + list->entries[i].wait_first;
            for (uint32_t k = 0; k < list->entries[i].wait_count; k++) {
                if (items[k].veu < p->veus)
                    p->pending[p->first_step[items[k].veu] + items[k].step - 1]++;
                else
                    p->players[items[k].veu].pending++;
            }
        }
    }
}

/** At an rProgram's start no vEU has seen anything of it. */
static void begin_knowledge(play *p)
{
    p->unused.count = 0;
    for (uint32_t i = 0; i < p->known.count; i++)
        *rk_push(p->c->scratch, &p->unused) = i;
    uint32_t nothing = new_knowledge(p);
    memset(p->known.items[nothing].seen, 0, p->veus * sizeof *p->merged);
    p->known.items[nothing].users = p->veus;
    memset(p->recent_number, 0, sizeof p->recent_number);
    for (uint32_t w = 0; w < p->veus; w++)
        p->players[w].at = nothing;
}

static void play_program(play *p, uint32_t index)
{
    p->index = index;
    p->program = &p->c->schedule->programs[index];
    size_t players = p->veus + p->program->counter_count;
    if (players > p->player_capacity) {
        p->player_capacity = 2 * players;
        p->players = RK_NEW_ARRAY(p->c->scratch, player, p->player_capacity);
    }
    for (size_t w = 0; w < players; w++)
        p->players[w] =
            (player){.blocked_on = UINT32_MAX, .waiters = UINT32_MAX, .wake = UINT32_MAX};
    for (uint32_t i = 0; i < p->program->counter_count; i++)
        p->counter_of[p->program->counters[i]] = p->veus + i;
    if (p->proving) {
        begin_steps(p);
        begin_knowledge(p);
    }
    p->ready_count = 0;
    for (uint32_t w = p->veus; w-- > 0;)
        p->ready[p->ready_count++] = w;
    while (p->ready_count > 0)
        play_veu(p, p->ready[--p->ready_count]);
    for (uint32_t w = 0; w < p->veus; w++) {
        if (p->players[w].blocked_on != UINT32_MAX) {
            report_cycle(p, w);
            return;
        }
    }
}

static bool play_all(rk_checker *c, bool proving)
{
    uint32_t veus = c->schedule->veu_count;
    uint32_t width = (veus + MERGE_STEP - 1) / MERGE_STEP * MERGE_STEP;
    play p = {.c = c,
              .veus = veus,
              .width = width,
              .proving = proving,
              .good = true,
              .counter_of = RK_NEW_ARRAY(c->scratch, uint32_t, c->schedule->node_count + 1),
              .ready = RK_NEW_ARRAY(c->scratch, uint32_t, veus),
              .merged = RK_NEW_ARRAY(c->scratch, uint32_t, width),
              .first_step = RK_NEW_ARRAY(c->scratch, uint32_t, veus),
              .checked = RK_NEW_ARRAY(c->scratch, uint64_t, c->schedule->node_count + 1)};
    for (uint32_t i = 0; i < c->schedule->program_count; i++)
        play_program(&p, i);
    return p.good;
}

bool rk_check_cycles(rk_checker *c)
{
    c->position = RK_NEW_ARRAY(c->scratch, uint64_t, c->schedule->node_count + 1);
    return play_all(c, false);
}

bool rk_check_prove_orders(rk_checker *c)
{
    return play_all(c, true);
}
