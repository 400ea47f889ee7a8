#include "sched/family/family.h"

#include "base/vec.h"
#include "sched/model/model.h"

#include <string.h>

/** A kernel that may run a node: at how many points it does, and what it takes there. */
typedef struct {
    rk_family_choice choice;
    size_t points;
    double ns; /**< summed over the points that are weighed */
    rk_demand demand;
} option;

typedef RK_VEC(option) option_list;

typedef struct {
    rk_family *family;
    const rk_family_setting *setting;
    rk_family_points points;
    option_list *options; /**< by node */
    rk_arena *arena, *scratch;
    rk_diag *diag;
} maker;

/* Choosing kernels. */

static bool is_choice(const rk_candidate *c, const rk_family_choice *choice)
{
    return c->kernel == choice->kernel && c->binding == choice->binding;
}

/** Powers of two and the ends of the range: of several dimensions, all of them. */
static bool is_weighed(const maker *m, const int64_t *point)
{
    for (size_t d = 0; d < m->points.dims; d++) {
        const rk_sym_range r = rk_syms_dim_range(m->family->graph->syms, d);
        if ((point[d] & (point[d] - 1)) != 0 && point[d] != r.low && point[d] != r.high)
            return false;
    }
    return true;
}

static void note_option(maker *m, option_list *list, const rk_candidate *c, bool weighed)
{
    size_t i = 0;
    while (i < list->count && !is_choice(c, &list->items[i].choice))
        i++;
    if (i == list->count)
        *rk_push(m->scratch, list) = (option){.choice = {c->kernel, c->binding}};
    option *o = &list->items[i];
    o->points++;
    o->demand = rk_demand_larger(o->demand, c->demand);
    const double units = (double)m->setting->device->sms * c->residents;
    if (weighed)
        o->ns += c->rtask_ns * ((double)c->rtasks > units ? (double)c->rtasks / units : 1);
}

/** Tries all kernels at every point. */
static bool find_options(maker *m)
{
    const rk_graph *graph = m->family->graph;
    rk_arena *point_arena = rk_arena_new();
    bool good = true;
    for (size_t p = 0; p < m->points.count && good; p++) {
        const int64_t *point = &m->points.values[p * m->points.dims];
        const rk_graph *at = rk_graph_bind(graph, point, point_arena, m->diag);
        const rk_candidates *found =
            at ? rk_candidates_of(at, m->setting->source, m->setting->device, point_arena, m->diag)
               : NULL;
        good = found != NULL;
        for (size_t n = 0; good && n < graph->node_count; n++)
            for (size_t k = 0; k < found->nodes[n].count; k++)
                note_option(m, &m->options[n], &found->nodes[n].items[k], is_weighed(m, point));
        rk_arena_reset(point_arena);
    }
    rk_arena_free(point_arena);
    return good;
}

/** Of each node the cheapest kernel that runs it at every point. */
static bool choose(maker *m, rk_demand *demand)
{
    const rk_graph *graph = m->family->graph;
    rk_family_choice *choices = RK_NEW_ARRAY(m->arena, rk_family_choice, graph->node_count + 1);
    bool good = true;
    for (size_t n = 0; n < graph->node_count; n++) {
        const option *best = NULL;
        for (size_t i = 0; i < m->options[n].count; i++) {
            const option *o = &m->options[n].items[i];
            if (o->points == m->points.count && (!best || o->ns < best->ns))
                best = o;
        }
        if (!best) {
            good = rk_diag_add(m->diag, RK_ERROR, "RK-S013",
                               rk_place_object(m->arena, graph->file, "node", graph->nodes[n].name),
                               "narrow the range, or bind the dimension",
                               "no one kernel runs it at every value of the open dimensions");
            continue;
        }
        choices[n] = best->choice;
        *demand = rk_demand_larger(*demand, best->demand);
    }
    m->family->choices = choices;
    return good;
}

/** As many vEUs as stay resident with the most demanding kernel at any point. */
static bool size_vdevice(maker *m, rk_demand demand)
{
    const rk_device *device = m->setting->device;
    const char *limit;
    const int blocks = rk_device_occupancy(device, demand, &limit);
    int64_t veus = (int64_t)blocks * device->sms;
    if (m->setting->max_veus && veus > m->setting->max_veus)
        veus = m->setting->max_veus;
    if (veus < 1 || m->family->graph->node_count == 0)
        return rk_diag_add(m->diag, RK_ERROR, "RK-S005", rk_place_file(m->family->graph->file),
                           "take smaller kernels, or another device",
                           "no vEU fits device '%s', or the graph has no nodes", device->name);
    m->family->veu_count = (uint32_t)veus;
    m->family->veu_threads = demand.threads;
    m->family->veu_shared = demand.shared;
    m->family->blocks_per_sm = (int)((veus + device->sms - 1) / device->sms);
    return true;
}

/* The spine. */

/** By node, how many others come before it one after another. */
static uint32_t *depths(const rk_edge *edges, size_t count, size_t nodes, rk_arena *arena)
{
    uint32_t *depth = RK_NEW_ARRAY(arena, uint32_t, nodes + 1);
    for (size_t i = 0; i < count; i++)
        if (depth[edges[i].from] + 1 > depth[edges[i].to])
            depth[edges[i].to] = depth[edges[i].from] + 1;
    return depth;
}

/** A phrase that waits for those nodes that no other of them waits for already. */
static void add_phrase(maker *m, rk_id node, const rk_edge *edges, size_t count,
                       const uint32_t *phrase_of)
{
    rk_family *family = m->family;
    size_t words;
    const uint64_t *before = rk_family_before(&words, family, m->scratch);
    RK_VEC(uint32_t) waits = {family->waits, family->wait_count, family->wait_count};
    rk_phrase *phrase = &family->phrases[family->phrase_count];
    *phrase = (rk_phrase){.op = node, .wait_first = (uint32_t)family->wait_count};
    for (size_t i = 0; i < count; i++) {
        const uint32_t p = phrase_of[edges[i].from];
        bool implied = false;
        for (size_t k = 0; k < count && !implied; k++)
            implied = before[phrase_of[edges[k].from] * words + p / 64] >> (p % 64) & 1;
        if (!implied) {
            *rk_push(m->arena, &waits) = p;
            phrase->wait_count++;
        }
    }
    family->waits = waits.items;
    family->wait_count = waits.count;
    family->phrase_count++;
}

/** Nodes by their depth, each behind those that it depends on. */
static void make_spine(maker *m)
{
    rk_family *family = m->family;
    const size_t n = family->graph->node_count;
    rk_edge *edges;
    size_t edge_count;
    rk_graph_edges(&edges, &edge_count, family->graph, m->scratch);
    const uint32_t *depth = depths(edges, edge_count, n, m->scratch);
    uint32_t *phrase_of = RK_NEW_ARRAY(m->scratch, uint32_t, n + 1);
    size_t *first = RK_NEW_ARRAY(m->scratch, size_t, n + 2);
    for (size_t i = 0; i < edge_count; i++)
        first[edges[i].to + 1]++;
    for (size_t i = 0; i <= n; i++)
        first[i + 1] += first[i];
    family->phrases = RK_NEW_ARRAY(m->arena, rk_phrase, n + 1);
    for (uint32_t level = 0; family->phrase_count < n; level++)
        for (rk_id i = 0; i < n; i++)
            if (depth[i] == level) {
                phrase_of[i] = (uint32_t)family->phrase_count;
                add_phrase(m, i, edges + first[i], first[i + 1] - first[i], phrase_of);
            }
}

rk_family *rk_family_make(const rk_graph *graph, const rk_family_setting *setting, rk_arena *arena,
                          rk_diag *diag)
{
    maker m = {.family = RK_NEW(arena, rk_family),
               .setting = setting,
               .arena = arena,
               .scratch = rk_arena_new(),
               .diag = diag};
    rk_demand demand = {0};
    m.family->graph = graph;
    m.family->device = setting->device->name;
    m.options = RK_NEW_ARRAY(m.scratch, option_list, graph->node_count + 1);
    rk_family_points_of(&m.points, graph, m.scratch);
    const bool good = find_options(&m) && choose(&m, &demand) && size_vdevice(&m, demand);
    if (good) {
        make_spine(&m);
        rk_family_place(m.family, arena);
    }
    rk_arena_free(m.scratch);
    return good && rk_family_express(m.family, setting, arena, diag) ? m.family : NULL;
}
