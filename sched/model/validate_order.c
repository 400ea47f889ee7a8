#include "sched/model/validate_internal.h"

#include "base/str.h"

#include <string.h>

/** Whether what is found about this tensor was said before, in other words. */
static bool excused(const rk_graph_check *check, rk_id node, rk_id tensor)
{
    return check->bad_tensors[tensor] ||
           (check->graph->tensors[tensor].base < check->graph->tensor_count &&
            check->bad_tensors[check->graph->tensors[tensor].base]) ||
           (node != RK_NO_ID && check->bad_nodes[node]);
}

static bool is_node_output(const rk_graph_check *check, rk_id node, rk_id tensor)
{
    const rk_node *n = &check->graph->nodes[node];
    for (size_t i = 0; i < n->output_count; i++)
        if (n->outputs[i] == tensor)
            return true;
    return false;
}

static void report_unwritten(void *user, rk_id node, rk_id tensor)
{
    rk_graph_check *check = user;
    if (excused(check, node, tensor))
        return;
    const char *name = rk_check_tensor_name(check, tensor);
    if (node == RK_NO_ID)
        rk_check_fail(check, "RK-G013", "tensor", name,
                      "let a node write it, all of it where it has views",
                      "it is an output of the graph, and nothing writes it");
    else if (is_node_output(check, node, tensor))
        rk_check_fail(check, "RK-G013", "node", rk_check_node_name(check, node),
                      "list the node that writes it first before, or let this one write another",
                      "it reads '%s', which it is itself to write", name);
    else
        rk_check_fail(check, "RK-G013", "node", rk_check_node_name(check, node),
                      "make it an input or a constant, or let a node write all of it",
                      "it reads '%s', and nothing writes %s before", name,
                      check->graph->tensors[tensor].base == tensor ? "it" : "those elements");
}

static void report_overwrites(void *user, rk_id node, rk_id tensor, rk_id earlier)
{
    rk_graph_check *check = user;
    if (excused(check, node, tensor))
        return;
    const char *name = rk_check_tensor_name(check, tensor);
    const char *hint = "let each write a tensor of its own";
    if (node == RK_NO_ID)
        rk_check_fail(check, "RK-G004", "tensor", name, "keep one of the two",
                      "it is an input of the graph, and overlaps another input or a constant");
    else if (earlier == RK_NO_ID)
        rk_check_fail(check, "RK-G004", "node", rk_check_node_name(check, node), hint,
                      "it writes '%s', which is an input or a constant", name);
    else
        rk_check_fail(check, "RK-G004", "node", rk_check_node_name(check, node), hint,
                      "it writes '%s', and so does the node '%s'", name,
                      rk_check_node_name(check, earlier));
}

/** A constant is never written, not even by a node that also reads it. */
static void check_constants(rk_graph_check *check)
{
    const rk_graph *graph = check->graph;
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t o = 0; o < graph->nodes[n].output_count; o++) {
            rk_id id = graph->nodes[n].outputs[o];
            if (id >= graph->tensor_count || excused(check, (rk_id)n, id) ||
                !graph->tensors[graph->tensors[id].base].data)
                continue;
            report_overwrites(check, (rk_id)n, id, RK_NO_ID);
            check->bad_tensors[id] = 1;
        }
}

/** The edges by the node they leave, and how many enter each. */
typedef struct {
    size_t *first; /**< by node: its edges are to[first[n]] .. to[first[n + 1]] */
    rk_id *to;
    uint32_t *entering;
} successors;

static successors index_edges(const rk_edge_list *edges, size_t nodes, rk_arena *arena)
{
    successors s = {.first = RK_NEW_ARRAY(arena, size_t, nodes + 1),
                    .to = RK_NEW_ARRAY(arena, rk_id, edges->count),
                    .entering = RK_NEW_ARRAY(arena, uint32_t, nodes)};
    for (size_t e = 0; e < edges->count; e++) {
        s.first[edges->items[e].from + 1]++;
        s.entering[edges->items[e].to]++;
    }
    for (size_t n = 0; n < nodes; n++)
        s.first[n + 1] += s.first[n];
    size_t *next = rk_arena_copy(arena, s.first, (nodes + 1) * sizeof *next);
    for (size_t e = 0; e < edges->count; e++)
        s.to[next[edges->items[e].from]++] = edges->items[e].to;
    return s;
}

/** A binary heap of nodes, the first listed on top. */
typedef struct {
    rk_id *items;
    size_t count;
} heap;

static void heap_push(heap *h, rk_id node)
{
    size_t i = h->count++;
    for (; i > 0 && h->items[(i - 1) / 2] > node; i = (i - 1) / 2)
        h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = node;
}

static rk_id heap_pop(heap *h)
{
    rk_id top = h->items[0];
    rk_id last = h->items[--h->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < h->count; i = child) {
        if (child + 1 < h->count && h->items[child + 1] < h->items[child])
            child++;
        if (h->items[child] >= last)
            break;
        h->items[i] = h->items[child];
    }
    h->items[i] = last;
    return top;
}

/** Fills order[] with the nodes that have a place, and returns how many. */
static size_t sort_nodes(rk_id *order, const successors *s, size_t nodes, rk_arena *arena)
{
    heap ready = {.items = RK_NEW_ARRAY(arena, rk_id, nodes)};
    size_t placed = 0;
    for (size_t n = 0; n < nodes; n++)
        if (s->entering[n] == 0)
            heap_push(&ready, (rk_id)n);
    while (ready.count) {
        rk_id n = heap_pop(&ready);
        order[placed++] = n;
        for (size_t e = s->first[n]; e < s->first[n + 1]; e++)
            if (--s->entering[s->to[e]] == 0)
                heap_push(&ready, s->to[e]);
    }
    return placed;
}

enum { SHOWN_OF_CYCLE = 8 };

/**
 * Finds a cycle among the nodes without a place: each has a predecessor without one, so going back
 * meets it. Fills cycle[] backwards from its first listed node, and returns the length.
 */
static size_t find_cycle(rk_id *cycle, const rk_edge_list *edges, const unsigned char *placed,
                         size_t nodes, rk_arena *scratch)
{
    rk_id *before = RK_NEW_ARRAY(scratch, rk_id, nodes);
    unsigned char *seen = RK_NEW_ARRAY(scratch, unsigned char, nodes);
    rk_id at = 0;
    for (size_t e = 0; e < edges->count; e++) {
        const rk_edge *edge = &edges->items[e];
        if (placed[edge->from] || placed[edge->to])
            continue;
        at = edge->to;
        before[at] = edge->from;
    }
    for (; !seen[at]; at = before[at])
        seen[at] = 1;
    rk_id start = at;
    for (rk_id n = before[at]; n != at; n = before[n])
        start = n < start ? n : start;
    size_t length = 0;
    rk_id n = start;
    do {
        cycle[length++] = n;
        n = before[n];
    } while (n != start);
    return length;
}

static void report_cycle(rk_graph_check *check, const rk_edge_list *edges,
                         const unsigned char *placed)
{
    size_t nodes = check->graph->node_count;
    rk_id *cycle = RK_NEW_ARRAY(check->scratch, rk_id, nodes);
    size_t length = find_cycle(cycle, edges, placed, nodes, check->scratch);
    rk_str text = {.arena = check->scratch};
    for (size_t i = 0; i < length && i < SHOWN_OF_CYCLE; i++)
        rk_str_addf(&text, "'%s' -> ", rk_check_node_name(check, cycle[i ? length - i : 0]));
    rk_str_addf(&text, "%s'%s'", length > SHOWN_OF_CYCLE ? "... -> " : "",
                rk_check_node_name(check, cycle[0]));
    rk_check_fail(check, "RK-G003", "node", rk_check_node_name(check, cycle[0]),
                  "break it: a step of a loop needs tensors of its own",
                  "nodes depend on each other in a cycle: %s", rk_str_text(&text));
}

/** Moves the nodes to their places; those without one follow in their old order. */
static void place_nodes(rk_graph_check *check, rk_id *order, const unsigned char *placed)
{
    rk_graph *graph = check->graph;
    size_t count = check->ordered;
    for (size_t n = 0; n < graph->node_count; n++)
        if (!placed[n])
            order[count++] = (rk_id)n;
    rk_node *nodes = rk_arena_copy(check->scratch, graph->nodes, count * sizeof *nodes);
    unsigned char *bad = rk_arena_copy(check->scratch, check->bad_nodes, count);
    for (size_t i = 0; i < count; i++) {
        graph->nodes[i] = nodes[order[i]];
        check->bad_nodes[i] = bad[order[i]];
    }
}

void rk_check_order(rk_graph_check *check)
{
    rk_graph *graph = check->graph;
    size_t nodes = graph->node_count;
    check_constants(check);
    rk_pieces pieces;
    rk_pieces_build(&pieces, graph, check->scratch);
    rk_hazard_report report = {check, report_unwritten, report_overwrites};
    rk_edge_list edges = {0};
    rk_hazards_find(&edges, graph, &pieces, false, &report, check->scratch);

    successors s = index_edges(&edges, nodes, check->scratch);
    rk_id *order = RK_NEW_ARRAY(check->scratch, rk_id, nodes);
    unsigned char *placed = RK_NEW_ARRAY(check->scratch, unsigned char, nodes);
    check->ordered = sort_nodes(order, &s, nodes, check->scratch);
    for (size_t i = 0; i < check->ordered; i++)
        placed[order[i]] = 1;
    if (check->ordered < nodes)
        report_cycle(check, &edges, placed);
    place_nodes(check, order, placed);
}
