#include "sched/check/known.h"

/** A vEU, a chain or a counter, while the schedule is played. */
typedef struct {
    size_t entry;        /**< next one */
    uint32_t item;       /**< next item of the barrier-rTask there */
    uint32_t done;       /**< steps */
    uint32_t blocked_on; /**< player that it waits for; UINT32_MAX: none */
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
    player
        *players; /**< vEUs, then chains, then the rProgram's counters: these only count and wake */
    uint32_t
        chains; /**< nodes whose rTask r waits for those below r: `done` counts them, in any rProgram */
    rk_id *chained;       /**< their nodes */
    uint32_t *chain_of;   /**< by node: its player, 0: none */
    uint32_t *counter_of; /**< by node: its player, 0: none; a node has one in all */
    uint32_t *ready;      /**< a stack of vEUs that may go on */
    uint32_t ready_count;
    uint64_t clock;  /**< rTasks played */
    rk_known *known; /**< what vEUs come after; NULL: orders are not proven, one is only found */
    bool good;
} play;

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
        uint32_t seen = rk_known_steps(p->known, veu, missed.veu);
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

typedef bool comes_after(rk_known *known, uint32_t veu, rk_spot spot);

/** Whether the vEU's next step comes after all of o->from; *missed is a part that it does not. */
static bool all_before(play *p, const rk_order *o, uint32_t veu, comes_after *after,
                       rk_span *missed)
{
    const rk_checker *c = p->c;
    for (uint32_t i = c->span_first[o->from]; i < c->span_first[o->from + 1]; i++) {
        const rk_span *span = &c->spans[i];
        if (!after(p->known, veu, (rk_spot){span->program, span->veu, span->last})) {
            *missed = *span;
            return false;
        }
    }
    rk_known_note(p->known, veu, o->from);
    return true;
}

/** Whether those rTasks of o->from have finished that share bytes with this one. */
static void prove_pairs(play *p, const rk_order *o, uint32_t veu, rk_rtask task)
{
    const rk_spot *spots = &p->c->spots[p->c->spot_first[o->from]];
    uint64_t proven = (uint64_t)p->index * p->veus + veu + 1;
    for (size_t k = 0; k < o->pairs->count; k++) {
        rk_pairs_part *part = &o->pairs->parts[k];
        uint32_t list = rk_common_list(part->common, task.index);
        if (part->proven[list] == proven)
            continue;
        size_t count;
        const uint32_t *before = rk_common_find(&count, p->c, part->common, task.index);
        for (size_t i = 0; i < count; i++) {
            if (!rk_known_after(p->known, veu, spots[before[i]])) {
                report_order(p, o, (rk_rtask){o->from, before[i]}, spots[before[i]], veu, task);
                return;
            }
        }
        part->proven[list] = proven;
    }
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

/** Whether all of a node ran in earlier rPrograms. */
static bool has_ended(const play *p, rk_id node)
{
    const rk_checker *c = p->c;
    return c->spans[c->span_first[node + 1] - 1].program < p->index;
}

/**
 * Proves one order for the vEU's next step, `task`. What holds for the node's first rTask on a vEU and
 * all of o->from holds for its later ones; boxes are compared where the vEU has not waited itself for
 * all of o->from.
 */
static void prove(play *p, rk_order *o, uint32_t veu, rk_rtask task)
{
    if (rk_known_noted(p->known, veu, o->from) || has_ended(p, o->from))
        return;
    bool by_boxes = o->pairs && !o->pairs->all;
    if (!by_boxes && !is_first(p, task.op, veu))
        return;
    rk_span missed;
    if (!o->pairs) {
        if (all_before(p, o, veu, rk_known_waited, &missed))
            return;
        o->pairs = rk_check_pairs(p->c, o);
    }
    if (!o->pairs->all)
        prove_pairs(p, o, veu, task);
    else if (!all_before(p, o, veu, rk_known_after, &missed))
        report_order(p, o, rtask_at(p, missed.program, missed.veu, missed.last),
                     (rk_spot){missed.program, missed.veu, missed.last}, veu, task);
}

static void play_rtask(play *p, uint32_t veu, rk_rtask task)
{
    rk_checker *c = p->c;
    player *own = &p->players[veu];
    if (!p->known) {
        if (c->position[task.op] == 0)
            c->position[task.op] = p->clock + 1;
        p->clock++;
        own->done++;
        return;
    }
    for (uint32_t i = c->order_first[task.op]; i < c->order_first[task.op + 1]; i++)
        prove(p, &c->orders[i], veu, task);
    rk_known_play(p->known, veu);
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

static uint32_t first_counter(const play *p)
{
    return p->veus + p->chains;
}

/** Counts an rTask for the player, 0 for none, and wakes who waits for that. */
static void count_rtask(play *p, uint32_t with)
{
    if (with && ++p->players[with].done >= p->players[with].wake)
        wake(p, with);
}

/**
 * Whether the rTask can end: one of an ordered operator may wait for any of those below it, so it is taken to end
 * behind all of them. What a kernel does is less than that, and every schedule whose play ends so ends.
 */
static bool may_end(const play *p, rk_rtask task)
{
    const uint32_t chain = p->chain_of[task.op];
    return !chain || p->players[chain].done >= task.index;
}

/** Plays a vEU until its end or a wait that does not hold yet. */
static void play_veu(play *p, uint32_t veu)
{
    player *own = &p->players[veu];
    const rk_veu_list *list = &p->program->veus[veu];
    for (; own->entry < list->count; own->entry++) {
        const rk_entry *entry = &list->entries[own->entry];
        if (entry->wait_count == 0) {
            if (!may_end(p, entry->task)) {
                block(p, veu, p->chain_of[entry->task.op], entry->task.index);
                return;
            }
            play_rtask(p, veu, entry->task);
            if (own->done >= own->wake)
                wake(p, veu);
            count_rtask(p, p->chain_of[entry->task.op]);
            count_rtask(p, p->counter_of[entry->task.op]);
            continue;
        }
        for (; own->item < entry->wait_count; own->item++) {
            rk_wait_item item = p->program->waits[entry->wait_first + own->item];
            const uint32_t on = item.veu < p->veus ? item.veu : item.veu + p->chains;
            if (p->players[on].done < item.step) {
                block(p, veu, on, item.step);
                return;
            }
        }
        own->item = 0;
        if (p->known)
            rk_known_wait(p->known, veu, entry);
    }
}

/** The node that a blocked vEU waits for: of its chain or counter. */
static rk_id awaited_node(const play *p, uint32_t veu)
{
    const uint32_t on = p->players[veu].blocked_on;
    return on < first_counter(p) ? p->chained[on - p->veus]
                                 : p->program->counters[on - first_counter(p)];
}

/** Where the lowest rTask is that the chain, which a vEU is blocked on, has not counted. */
static rk_spot next_of_chain(const play *p, uint32_t on)
{
    return p->c->spots[p->c->spot_first[p->chained[on - p->veus]] + p->players[on].done];
}

/** What keeps a blocked vEU waiting: a vEU, also where it waits for a chain or counter. */
static uint32_t blocker(const play *p, uint32_t veu)
{
    const rk_checker *c = p->c;
    uint32_t on = p->players[veu].blocked_on;
    if (on < p->veus)
        return on;
    if (on < first_counter(p))
        return next_of_chain(p, on).veu;
    rk_id node = awaited_node(p, veu);
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
        const uint32_t waiter = at;
        const player *w = &p->players[at];
        at = blocker(p, at);
        const char *what =
            w->blocked_on < p->veus
                ? rk_arena_printf(scratch, "step %u", w->needs)
                : rk_arena_printf(scratch, "an rTask of '%s'",
                                  p->c->problem->graph->nodes[awaited_node(p, waiter)].name);
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

/** Says so where an ordered operator's rTask waits for one of a later rProgram. */
static bool report_later(play *p, uint32_t veu)
{
    const uint32_t on = p->players[veu].blocked_on;
    if (on < p->veus || on >= first_counter(p) || next_of_chain(p, on).program == p->index)
        return false;
    p->good = rk_checker_fail(
        p->c, 6, awaited_node(p, veu), "its rTasks are ordered: each begins behind those below it",
        "its rTask %u, on vEU %u of rProgram %u, may wait for rTask %u, which is in rProgram %u",
        p->players[veu].needs, veu, p->index, p->players[on].done, next_of_chain(p, on).program);
    return true;
}

static void report_blocked(play *p)
{
    for (uint32_t w = 0; w < p->veus; w++)
        if (p->players[w].blocked_on != UINT32_MAX && report_later(p, w))
            return;
    for (uint32_t w = 0; w < p->veus; w++)
        if (p->players[w].blocked_on != UINT32_MAX) {
            report_cycle(p, w);
            return;
        }
}

static void play_program(play *p, uint32_t index)
{
    p->index = index;
    p->program = &p->c->schedule->programs[index];
    const uint32_t counters = first_counter(p);
    for (uint32_t w = 0; w < counters + p->program->counter_count; w++)
        p->players[w] = (player){
            .done = w >= p->veus && w < counters ? p->players[w].done : 0,
            .blocked_on = UINT32_MAX,
            .waiters = UINT32_MAX,
            .wake = UINT32_MAX,
        };
    for (uint32_t i = 0; i < p->program->counter_count; i++)
        p->counter_of[p->program->counters[i]] = counters + i;
    if (p->known)
        rk_known_begin(p->known, index);
    p->ready_count = 0;
    for (uint32_t w = p->veus; w-- > 0;)
        p->ready[p->ready_count++] = w;
    while (p->ready_count > 0)
        play_veu(p, p->ready[--p->ready_count]);
    report_blocked(p);
}

/** Gives each ordered operator its chain, and the players room. */
static void set_up_players(play *p)
{
    const rk_schedule *s = p->c->schedule;
    rk_arena *scratch = p->c->scratch;
    p->chained = RK_NEW_ARRAY(scratch, rk_id, s->node_count + 1);
    p->chain_of = RK_NEW_ARRAY(scratch, uint32_t, s->node_count + 1);
    for (rk_id node = 0; node < s->node_count; node++)
        if (rk_candidate_is_ordered(rk_checker_candidate(p->c, node))) {
            p->chained[p->chains] = node;
            p->chain_of[node] = p->veus + p->chains++;
        }
    size_t counters = 0;
    for (size_t i = 0; i < s->program_count; i++)
        if (s->programs[i].counter_count > counters)
            counters = s->programs[i].counter_count;
    p->players = RK_NEW_ARRAY(scratch, player, first_counter(p) + counters + 1);
}

static bool play_all(rk_checker *c, bool proving)
{
    uint32_t veus = c->schedule->veu_count;
    play p = {.c = c,
              .veus = veus,
              .known = proving ? rk_known_new(c) : NULL,
              .good = true,
              .counter_of = RK_NEW_ARRAY(c->scratch, uint32_t, c->schedule->node_count + 1),
              .ready = RK_NEW_ARRAY(c->scratch, uint32_t, veus)};
    set_up_players(&p);
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
