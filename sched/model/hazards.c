
#include "sched/model/validate_internal.h"
#include <stdlib.h>
#include <string.h>

/** Where a tensor begins or ends. */
typedef struct {
    rk_id buffer;
    int64_t at;
} cut;

static int compare_cuts(const void *a, const void *b)
{
    const cut *x = a;
    const cut *y = b;
    if (x->buffer != y->buffer)
        return x->buffer < y->buffer ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/** The two ends of a tensor; one piece of a buffer of its own where its range makes no sense. */
static void ends_of(cut ends[2], const rk_graph *graph, rk_id id)
{
    const rk_tensor *tensor = &graph->tensors[id];
    const char *problem;
    ends[0] = (cut){id, 0};
    ends[1] = (cut){id, 1};
    if (!tensor->shape_known || !rk_shape_valid(&problem, tensor->rank, tensor->shape) ||
        tensor->base >= graph->tensor_count || tensor->offset < 0 ||
        tensor->offset > RK_MAX_ELEMENTS)
        return;
    ends[0] = (cut){tensor->base, tensor->offset};
    ends[1] = (cut){tensor->base, tensor->offset + rk_tensor_elements(tensor)};
}

static uint32_t index_of(const cut *cuts, size_t count, cut key)
{
    const cut *found = bsearch(&key, cuts, count, sizeof key, compare_cuts);
    return (uint32_t)(found - cuts);
}

void rk_pieces_build(rk_pieces *out, const rk_graph *graph, rk_arena *arena)
{
    size_t n = graph->tensor_count;
    *out = (rk_pieces){.first = RK_NEW_ARRAY(arena, uint32_t, n),
                       .last = RK_NEW_ARRAY(arena, uint32_t, n),
                       .buffer = RK_NEW_ARRAY(arena, rk_id, n)};
    if (n == 0)
        return;
    cut *cuts = RK_NEW_ARRAY(arena, cut, 2 * n);
    for (size_t i = 0; i < n; i++)
        ends_of(&cuts[2 * i], graph, (rk_id)i);
    qsort(cuts, 2 * n, sizeof *cuts, compare_cuts);
    for (size_t i = 0; i < 2 * n; i++)
        if (i == 0 || compare_cuts(&cuts[i], &cuts[out->count - 1]) != 0)
            cuts[out->count++] = cuts[i];
    for (size_t i = 0; i < n; i++) {
        cut ends[2];
        ends_of(ends, graph, (rk_id)i);
        out->first[i] = index_of(cuts, out->count, ends[0]);
        out->last[i] = index_of(cuts, out->count, ends[1]);
        out->buffer[i] = ends[0].buffer;
    }
}

/** Writers of a piece that are not nodes. */
#define NOBODY RK_NO_ID
#define GIVEN (RK_NO_ID - 1)

/** A node that read a piece since its last write; `next` is an index plus 1, 0 ends the list. */
typedef struct {
    rk_id node;
    uint32_t next;
} reader;

typedef struct {
    const rk_graph *graph;
    const rk_pieces *pieces;
    const rk_hazard_report *report; /**< may be NULL */
    rk_arena *arena;
    rk_edge_list *edges;
    rk_id *writer;          /**< by piece: its last writer */
    rk_id *read_by;         /**< by piece: the node that last read it */
    uint32_t *readers;      /**< by piece: its readers since the last write, as reader.next */
    unsigned char *ordered; /**< by buffer: the order of the list holds */
    RK_VEC(reader) pool;
} walk;

static void add_edge(walk *w, rk_id from, rk_id to, rk_hazard hazard)
{
    if (from == to)
        return;
    if (w->edges->count) {
        const rk_edge *last = &w->edges->items[w->edges->count - 1];
        if (last->from == from && last->to == to && last->hazard == hazard)
            return;
    }
    *rk_push(w->arena, w->edges) = (rk_edge){from, to, hazard};
}

static void report_unwritten(const walk *w, rk_id node, rk_id tensor)
{
    if (w->report && w->report->unwritten)
        w->report->unwritten(w->report->user, node, tensor);
}

static void report_overwrites(const walk *w, rk_id node, rk_id tensor, rk_id earlier)
{
    if (w->report && w->report->overwrites)
        w->report->overwrites(w->report->user, node, tensor, earlier == GIVEN ? RK_NO_ID : earlier);
}

static bool is_tensor(const rk_graph *graph, rk_id id)
{
    return id < graph->tensor_count;
}

static bool overlap(const rk_pieces *pieces, rk_id a, rk_id b)
{
    return pieces->first[a] < pieces->last[b] && pieces->first[b] < pieces->last[a];
}

/** Marks the buffers that some node reads and writes at the same place. */
static void mark_updated(walk *w)
{
    for (size_t n = 0; n < w->graph->node_count; n++) {
        const rk_node *node = &w->graph->nodes[n];
        for (size_t o = 0; o < node->output_count; o++)
            for (size_t i = 0; i < node->input_count; i++) {
                rk_id out = node->outputs[o];
                rk_id in = node->inputs[i];
                if (is_tensor(w->graph, out) && is_tensor(w->graph, in) &&
                    overlap(w->pieces, in, out))
                    w->ordered[w->pieces->buffer[out]] = 1;
            }
    }
}

/** Gives the tensor's pieces to `by`; reports the first that another has. */
static void claim(walk *w, rk_id tensor, rk_id by)
{
    bool reported = false;
    for (uint32_t p = w->pieces->first[tensor]; p < w->pieces->last[tensor]; p++) {
        if (w->writer[p] != NOBODY && !reported) {
            report_overwrites(w, by == GIVEN ? RK_NO_ID : by, tensor, w->writer[p]);
            reported = true;
        }
        w->writer[p] = by;
    }
}

static void claim_given(walk *w)
{
    const rk_graph *graph = w->graph;
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (graph->tensors[i].data)
            claim(w, (rk_id)i, GIVEN);
    for (size_t i = 0; i < graph->input_count; i++)
        if (is_tensor(graph, graph->inputs[i]))
            claim(w, graph->inputs[i], GIVEN);
}

/** In buffers whose every element is written once, the writers are known before the walk. */
static void claim_outputs(walk *w)
{
    for (size_t n = 0; n < w->graph->node_count; n++) {
        const rk_node *node = &w->graph->nodes[n];
        for (size_t o = 0; o < node->output_count; o++) {
            rk_id out = node->outputs[o];
            if (is_tensor(w->graph, out) && !w->ordered[w->pieces->buffer[out]])
                claim(w, out, (rk_id)n);
        }
    }
}

static void read_tensor(walk *w, rk_id node, rk_id tensor)
{
    bool reported = false;
    bool ordered = node != RK_NO_ID && w->ordered[w->pieces->buffer[tensor]];
    for (uint32_t p = w->pieces->first[tensor]; p < w->pieces->last[tensor]; p++) {
        if (w->writer[p] == NOBODY && !reported) {
            report_unwritten(w, node, tensor);
            reported = true;
        }
        if (node != RK_NO_ID && w->writer[p] != NOBODY && w->writer[p] != GIVEN)
            add_edge(w, w->writer[p], node, RK_RAW);
        if (!ordered || w->read_by[p] == node)
            continue;
        w->read_by[p] = node;
        *rk_push(w->arena, &w->pool) = (reader){node, w->readers[p]};
        w->readers[p] = (uint32_t)w->pool.count;
    }
}

static void write_tensor(walk *w, rk_id node, rk_id tensor)
{
    bool reported = false;
    for (uint32_t p = w->pieces->first[tensor]; p < w->pieces->last[tensor]; p++) {
        if (w->writer[p] != NOBODY && w->read_by[p] != node && !reported) {
            report_overwrites(w, node, tensor, w->writer[p]);
            reported = true;
        }
        if (w->writer[p] != NOBODY && w->writer[p] != GIVEN)
            add_edge(w, w->writer[p], node, RK_WAW);
        for (uint32_t r = w->readers[p]; r; r = w->pool.items[r - 1].next)
            add_edge(w, w->pool.items[r - 1].node, node, RK_WAR);
        w->readers[p] = 0;
        w->writer[p] = node;
    }
}

static int rank_of(rk_hazard hazard)
{
    return hazard == RK_RAW ? 0 : hazard == RK_WAW ? 1 : 2;
}

static int compare_edges(const void *a, const void *b)
{
    const rk_edge *x = a;
    const rk_edge *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return rank_of(x->hazard) - rank_of(y->hazard);
}

/** Sorts the edges from the `first`th on, all into one node, and keeps one for each pair. */
static void finish_edges(rk_edge_list *edges, size_t first)
{
    if (edges->count - first < 2)
        return;
    qsort(edges->items + first, edges->count - first, sizeof *edges->items, compare_edges);
    size_t kept = first + 1;
    for (size_t i = first + 1; i < edges->count; i++)
        if (edges->items[i].from != edges->items[kept - 1].from)
            edges->items[kept++] = edges->items[i];
    edges->count = kept;
}

static void walk_node(walk *w, rk_id id)
{
    const rk_node *node = &w->graph->nodes[id];
    size_t first = w->edges->count;
    for (size_t i = 0; i < node->input_count; i++)
        if (is_tensor(w->graph, node->inputs[i]))
            read_tensor(w, id, node->inputs[i]);
    for (size_t o = 0; o < node->output_count; o++) {
        rk_id out = node->outputs[o];
        if (is_tensor(w->graph, out) && w->ordered[w->pieces->buffer[out]])
            write_tensor(w, id, out);
    }
    finish_edges(w->edges, first);
}

void rk_hazards_find(rk_edge_list *edges, const rk_graph *graph, const rk_pieces *pieces,
                     bool listed, const rk_hazard_report *report, rk_arena *arena)
{
    walk w = {.graph = graph,
              .pieces = pieces,
              .report = report,
              .arena = arena,
              .edges = edges,
              .writer = RK_NEW_ARRAY(arena, rk_id, pieces->count),
              .read_by = RK_NEW_ARRAY(arena, rk_id, pieces->count),
              .readers = RK_NEW_ARRAY(arena, uint32_t, pieces->count),
              .ordered = RK_NEW_ARRAY(arena, unsigned char, graph->tensor_count)};
    for (size_t p = 0; p < pieces->count; p++)
        w.writer[p] = w.read_by[p] = NOBODY;
    claim_given(&w);
    if (listed && graph->tensor_count)
        memset(w.ordered, 1, graph->tensor_count);
    else
        mark_updated(&w);
    claim_outputs(&w);
    for (size_t n = 0; n < graph->node_count; n++)
        walk_node(&w, (rk_id)n);
    for (size_t i = 0; i < graph->output_count; i++)
        if (is_tensor(graph, graph->outputs[i]))
            read_tensor(&w, RK_NO_ID, graph->outputs[i]);
}

void rk_graph_edges(rk_edge **edges, size_t *count, const rk_graph *graph, rk_arena *arena)
{
    rk_arena *scratch = rk_arena_new();
    rk_pieces pieces;
    rk_pieces_build(&pieces, graph, scratch);
    rk_edge_list found = {0};
    rk_hazards_find(&found, graph, &pieces, true, NULL, scratch);
    *edges = rk_arena_copy(arena, found.items, found.count * sizeof *found.items);
    *count = found.count;
    rk_arena_free(scratch);
}
