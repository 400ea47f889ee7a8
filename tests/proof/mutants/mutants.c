#include "sched/check/check_schedule.h"
#include "sched/memory/reuse.h"
#include "tests/proof/mutants/mutate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * mutants [--count N] [--seed S] [--full]: the checker against the explorer, on N mutants of valid
 * schedules. They must agree on each, and what the checker says of a pair of rTasks must be so. With
 * --full the explorer also tries the orders that it leaves out as equal. Prints a table; status 1 when
 * they disagree.
 */

enum { TURNS = 3, /* of the classes on one schedule */ SHOWN_MOST = 3 };

typedef struct {
    size_t safe, accepted;
    size_t unsafe, rejected;
    size_t found[FINDINGS];
} tally;

typedef struct {
    tally tallies[32];
    size_t count, instances, programs, counted;
    size_t reused; /**< schedules with waits for the sake of memory */
    size_t pairs;  /**< explanations that were looked at */
    size_t wrong;
    bool full;       /**< run the full search, too */
    bool first;      /**< the first disagreement is the last */
    rk_arena *arena; /**< of one mutant */
} campaign;

/* What is printed of a disagreement. */

static void print_use(const rk_graph *g, const use *u)
{
    printf(" %s%s '%s'", u->read ? "reads" : "", u->write ? "writes" : "",
           g->tensors[u->tensor].name);
    for (int d = 0; d < u->rank; d++)
        printf("[%d%+d*bx%+d*by, +%d%+d*bx of %d]", u->dims[d].at, u->dims[d].by_x, u->dims[d].by_y,
               u->dims[d].length, u->dims[d].grow, u->dims[d].extent);
}

static void print_nodes(const subject *s)
{
    const rk_graph *g = s->problem->graph;
    for (rk_id n = 0; n < g->node_count; n++) {
        if (s->schedule->selected[n] >= s->problem->candidates->nodes[n].count)
            continue;
        const model *m = &s->models[n][s->schedule->selected[n]];
        printf("  %s, %d x %d:", g->nodes[n].name, m->grid_x, m->grid_y);
        for (size_t i = 0; i < m->use_count; i++)
            print_use(g, &m->uses[i]);
        printf("\n");
    }
    for (rk_id t = 0; t < g->tensor_count; t++)
        printf("  '%s' at %" PRId64 ", %" PRId64 " bytes\n", g->tensors[t].name,
               s->memory->offsets[t], rk_tensor_bytes(&g->tensors[t]));
}

static void print_entry(const rk_rprogram *p, const rk_entry *e, uint32_t veus)
{
    if (e->wait_count == 0) {
        printf(" %u.%u", e->task.op, e->task.index);
        return;
    }
    printf(" [");
    for (uint32_t k = 0; k < e->wait_count && e->wait_first + k < p->wait_count; k++) {
        rk_wait_item item = p->waits[e->wait_first + k];
        bool counter = item.veu >= veus;
        printf("%s%s%u:%u", k ? " " : "", counter ? "c" : "", item.veu - (counter ? veus : 0),
               item.step);
    }
    printf("]");
}

static void print_schedule(const subject *s)
{
    for (size_t p = 0; p < s->schedule->program_count; p++) {
        const rk_rprogram *program = &s->schedule->programs[p];
        printf("  rProgram %zu, counters", p);
        for (size_t i = 0; i < program->counter_count; i++)
            printf(" %u", program->counters[i]);
        printf("\n");
        for (uint32_t v = 0; v < s->schedule->veu_count; v++) {
            printf("    vEU %u:", v);
            for (size_t i = 0; i < program->veus[v].count; i++)
                print_entry(program, &program->veus[v].entries[i], s->schedule->veu_count);
            printf("\n");
        }
    }
}

static void disagree(campaign *c, const subject *s, const char *what, const char *witness,
                     const rk_diag *diag)
{
    if (c->wrong++ >= SHOWN_MOST)
        return;
    printf("%s\n  explorer: %s\n", what, witness);
    print_nodes(s);
    print_schedule(s);
    fflush(stdout);
    rk_diag_print(diag, 0, stdout, false);
    printf("\n");
}

/* What the checker says of a pair of rTasks. */

typedef struct {
    rk_rtask task;
    uint32_t program, veu, step;
} said;

static rk_id find_node(const rk_graph *g, const char *name)
{
    for (rk_id n = 0; n < g->node_count; n++)
        if (strcmp(g->nodes[n].name, name) == 0)
            return n;
    return RK_NO_ID;
}

/** Reads "its rTask 1 (...) needs rTask 0 of 'n0' (...)"; false for another kind of message. */
static bool read_pair(said *later, said *earlier, const rk_diagnostic *d, const rk_graph *g)
{
    char node[16] = "";
    char of[16] = "";
    int read = sscanf(d->message,
                      "its rTask %u (rProgram %u, vEU %u, step %u) needs rTask %u of '%15[^']' "
                      "(rProgram %u, vEU %u, step %u) to have finished",
                      &later->task.index, &later->program, &later->veu, &later->step,
                      &earlier->task.index, of, &earlier->program, &earlier->veu, &earlier->step);
    if (read != 9 || sscanf(d->place.object, "node '%15[^']'", node) != 1)
        return false;
    later->task.op = find_node(g, node);
    earlier->task.op = find_node(g, of);
    return true;
}

/** Whether the rTask is where it is said to be. */
static bool is_there(const rk_schedule *s, const said *at)
{
    if (at->program >= s->program_count || at->veu >= s->veu_count)
        return false;
    const rk_veu_list *list = &s->programs[at->program].veus[at->veu];
    uint32_t step = 0;
    for (size_t i = 0; i < list->count; i++) {
        step += list->entries[i].wait_count == 0;
        if (step == at->step)
            return list->entries[i].wait_count == 0 && list->entries[i].task.op == at->task.op &&
                   list->entries[i].task.index == at->task.index;
    }
    return false;
}

/** The hint names what to wait for, where waiting can help. */
static bool hint_fits(const char *hint, const said *later, const said *earlier)
{
    uint32_t step;
    uint32_t veu;
    bool waits = sscanf(hint, "it must wait for step %u of vEU %u", &step, &veu) == 2;
    if (earlier->program == later->program && earlier->veu != later->veu)
        return waits && step == earlier->step && veu == earlier->veu;
    return !waits;
}

/** Both rTasks are there, meet in memory, and some interleaving runs the later one first. */
static bool is_true(const subject *s, const said *later, const said *earlier, const char *hint)
{
    return is_there(s->schedule, later) && is_there(s->schedule, earlier) &&
           conflict(s, later->task, earlier->task) && may_precede(s, later->task, earlier->task) &&
           hint_fits(hint, later, earlier);
}

/** Explanations of a rejection whose form is good. */
static void look_at_pairs(campaign *c, const subject *s, const rk_diag *diag)
{
    for (size_t i = 0; i < rk_diag_count(diag); i++) {
        said later, earlier;
        const rk_diagnostic *d = rk_diag_at(diag, i);
        if (!read_pair(&later, &earlier, d, s->problem->graph))
            continue;
        c->pairs++;
        if (!is_true(s, &later, &earlier, d->hint))
            disagree(c, s, "the explanation is not so", d->message, diag);
    }
}

/* The campaign. */

/** Looks at one subject; `t` is of its class, NULL for what was not changed. */
static void compare(campaign *c, const subject *s, tally *t, const char *title)
{
    const char *witness = "";
    rk_diag *diag = rk_diag_new(c->arena);
    finding found = explore(s, false, &witness, c->arena);
    const char *other = "";
    if (c->full && (explore(s, true, &other, c->arena) == SAFE) != (found == SAFE))
        disagree(c, s, "the full search finds otherwise", other, diag);
    bool accepted = rk_check(s->schedule, s->memory, s->problem, c->arena, diag);
    if (accepted != (found == SAFE) || (!t && found != SAFE))
        disagree(c, s,
                 rk_arena_printf(c->arena, "%s: %s, and the checker %s it", title,
                                 finding_names[found], accepted ? "accepts" : "rejects"),
                 witness, diag);
    if (found == RACE || found == WRONG_VALUE)
        look_at_pairs(c, s, diag);
    if (!t)
        return;
    t->found[found]++;
    t->safe += found == SAFE;
    t->accepted += found == SAFE && accepted;
    t->unsafe += found != SAFE;
    t->rejected += found != SAFE && !accepted;
    c->count++;
}

static bool is_over(const campaign *c)
{
    return c->first && c->wrong > 0;
}

static void try_mutants(campaign *c, const instance *in, const rk_schedule *schedule,
                        const rk_memory *memory, rng *r, size_t most)
{
    for (size_t i = 0; i < TURNS * mutation_count && c->count < most && !is_over(c); i++) {
        rk_arena_reset(c->arena);
        const mutation *kind = &mutations[i % mutation_count];
        mutant *m = mutant_new(in, schedule, memory, c->arena);
        if (!kind->change(m, r))
            continue;
        subject s = mutant_subject(m);
        compare(c, &s, &c->tallies[i % mutation_count],
                rk_arena_printf(c->arena, "instance %zu, %s, %s", c->instances, schedule->policy,
                                kind->name));
    }
}

/** The same schedule, or one with more counters that is as safe. */
static const rk_schedule *count_more(const instance *in, const rk_schedule *schedule,
                                     const rk_memory *memory, rng *r)
{
    for (uint32_t i = pick(r, 6); i > 0; i--) {
        mutant *m = mutant_new(in, schedule, memory, in->f->arena);
        const char *witness;
        if (!count_instead(m, r))
            continue;
        subject s = mutant_subject(m);
        if (explore(&s, false, &witness, in->f->arena) == SAFE)
            schedule = m->schedule;
    }
    return schedule;
}

static void try_instance(campaign *c, rng *r, size_t most)
{
    rk_arena_reset(c->arena);
    instance *in = instance_new(r);
    rk_schedule *made = instance_schedule(in, (uint32_t)c->instances, r);
    if (made) {
        rk_reuse reuse;
        made = rk_memory_reuse(&reuse, &in->f->problem, made, in->f->arena);
        c->reused += reuse.waits > 0;
        const rk_schedule *schedule = made;
        const rk_memory *memory = rk_memory_plan(&in->f->problem, schedule, in->f->arena);
        schedule = count_more(in, schedule, memory, r);
        subject s = mutant_subject(mutant_new(in, schedule, memory, c->arena));
        compare(c, &s, NULL,
                rk_arena_printf(c->arena, "instance %zu, %s, as it was made", c->instances,
                                schedule->policy));
        c->programs += schedule->program_count;
        for (size_t p = 0; p < schedule->program_count; p++)
            c->counted += schedule->programs[p].counter_count;
        try_mutants(c, in, schedule, memory, r, most);
    }
    c->instances++;
    fixture_free(in->f);
}

static void print_table(const campaign *c)
{
    printf("| mutants | unsafe | killed | safe | accepted | unsafe because |\n");
    printf("| --- | --- | --- | --- | --- | --- |\n");
    tally all = {0};
    for (size_t i = 0; i <= mutation_count; i++) {
        const tally *t = i < mutation_count ? &c->tallies[i] : &all;
        printf("| %s | %zu | %.2f%% | %zu | %.2f%% |",
               i < mutation_count ? mutations[i].name : "all", t->unsafe,
               t->unsafe ? 100. * (double)t->rejected / (double)t->unsafe : 100., t->safe,
               t->safe ? 100. * (double)t->accepted / (double)t->safe : 100.);
        for (int f = SAFE + 1, first = 1; f < FINDINGS; f++) {
            if (t->found[f])
                printf("%s %s %zu", first ? "" : ",", finding_names[f], t->found[f]);
            first = first && !t->found[f];
            all.found[f] += t == &all ? 0 : t->found[f];
        }
        printf(" |\n");
        all.safe += t->safe;
        all.accepted += t->accepted;
        all.unsafe += t->unsafe;
        all.rejected += t->rejected;
    }
    printf("\n%zu mutants of %zu schedules (%zu with waits for memory), with %zu rPrograms and %zu "
           "counters; %zu explanations looked at.\n",
           c->count, c->instances, c->reused, c->programs, c->counted, c->pairs);
}

static bool parse(int argc, char **argv, campaign *c, size_t *most, rng *r)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--full") == 0)
            c->full = true;
        else if (strcmp(argv[i], "--first") == 0)
            c->first = true;
        else if (i + 1 < argc && strcmp(argv[i], "--count") == 0)
            *most = strtoull(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            r->state = strtoull(argv[++i], NULL, 10);
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    size_t most = 30000;
    rng r = {1};
    campaign c = {0};
    if (!parse(argc, argv, &c, &most, &r)) {
        fprintf(stderr, "usage: mutants [--count N] [--seed S] [--full] [--first]\n");
        return 2;
    }
    c.arena = rk_arena_new();
    while (c.count < most && !is_over(&c))
        try_instance(&c, &r, most);
    print_table(&c);
    bool absent = false;
    for (size_t i = 0; i < mutation_count; i++) {
        if (c.tallies[i].unsafe + c.tallies[i].safe > 0 || most < 10000)
            continue;
        printf("no mutant of class '%s'\n", mutations[i].name);
        absent = true;
    }
    if (c.wrong)
        printf("%zu disagreements.\n", c.wrong);
    rk_arena_free(c.arena);
    return c.wrong > 0 || absent;
}
