#include "tests/proof/mutants/world.h"

#include <assert.h>
#include <string.h>

/** All words, and by buffer what each element holds as the nodes run one after another. */
typedef struct {
    world *w;
    cell words[MOST_WORDS];
    uint8_t holds[MOST_TENSORS][16];
    uint32_t operands[MOST_WORDS]; /**< by word: the operands that hold it, as a set */
} survey;

/** What a survey does with one element that an rTask touches. */
typedef void visitor(survey *v, uint32_t rtask, rk_id node, rk_id tensor, int64_t element);

/** Visits the elements of a use that are inside every dimension's range. */
static void visit_use(survey *v, visitor *visit, uint32_t rtask, rk_id node, const use *u)
{
    const world *w = v->w;
    const model *m = model_of(w->s, node);
    int index = (int)(rtask - w->first_rtask[node]);
    int bx = index % m->grid_x;
    int by = index / m->grid_x;
    int64_t count = rk_tensor_elements(&w->s->problem->graph->tensors[u->tensor]);
    for (int64_t e = 0; e < count; e++) {
        int64_t rest = e;
        bool inside = true;
        for (int d = u->rank; d-- > 0;) {
            const span *s = &u->dims[d];
            int64_t at = rest % s->extent;
            int64_t first = s->at + (int64_t)bx * s->by_x + (int64_t)by * s->by_y;
            rest /= s->extent;
            inside = inside &&
                     (s->length == 0 || (at >= first && at < first + s->length + bx * s->grow));
        }
        if (inside)
            visit(v, rtask, node, u->tensor, e);
    }
}

static void visit_node(survey *v, visitor *visit, rk_id node, bool writes)
{
    const model *m = model_of(v->w->s, node);
    for (uint32_t r = v->w->first_rtask[node]; r < v->w->first_rtask[node + 1]; r++)
        for (size_t i = 0; i < m->use_count; i++)
            if (writes ? m->uses[i].write : m->uses[i].read)
                visit_use(v, visit, r, node, &m->uses[i]);
}

static cell *word_of(survey *v, rk_id tensor, int64_t element)
{
    size_t word = (size_t)(v->w->s->memory->offsets[tensor] / 4 + element);
    assert(word < MOST_WORDS);
    v->words[word].word = (uint32_t)word;
    return &v->words[word];
}

static uint8_t *held(survey *v, rk_id tensor, int64_t element)
{
    const rk_tensor *t = &v->w->s->problem->graph->tensors[tensor];
    return &v->holds[t->base][t->offset + element];
}

static void note(survey *v, cell *c, rk_id node, rk_id tensor, int64_t element)
{
    c->buffer[node] = (uint8_t)(v->w->s->problem->graph->tensors[tensor].base + 1);
    c->expected[node] = *held(v, tensor, element);
}

static void visit_read(survey *v, uint32_t rtask, rk_id node, rk_id tensor, int64_t element)
{
    cell *c = word_of(v, tensor, element);
    c->reads |= 1u << rtask;
    note(v, c, node, tensor, element);
}

static void visit_write(survey *v, uint32_t rtask, rk_id node, rk_id tensor, int64_t element)
{
    cell *c = word_of(v, tensor, element);
    c->writes |= 1u << rtask;
    note(v, c, node, tensor, element);
}

static void replace(survey *v, uint32_t rtask, rk_id node, rk_id tensor, int64_t element)
{
    (void)rtask;
    *held(v, tensor, element) = (uint8_t)(node + 1);
}

static void fill_given(survey *v)
{
    const rk_graph *g = v->w->s->problem->graph;
    for (rk_id t = 0; t < g->tensor_count; t++) {
        bool given = g->tensors[t].base == t && g->tensors[t].data;
        for (size_t i = 0; i < g->input_count; i++)
            given = given || g->inputs[i] == t;
        for (int64_t e = 0; given && e < rk_tensor_elements(&g->tensors[t]); e++) {
            *held(v, t, e) = GIVEN;
            word_of(v, t, e)->initial = GIVEN;
        }
    }
}

static void note_outputs(survey *v)
{
    const rk_graph *g = v->w->s->problem->graph;
    for (size_t i = 0; i < g->output_count; i++) {
        for (int64_t e = 0; e < rk_tensor_elements(&g->tensors[g->outputs[i]]); e++) {
            cell *c = word_of(v, g->outputs[i], e);
            c->kept = true;
            c->last = *held(v, g->outputs[i], e);
        }
    }
}

static void cover(survey *v, rk_id node, rk_id tensor, bool numbered)
{
    const subject *s = v->w->s;
    size_t first = (size_t)s->memory->offsets[tensor] / 4;
    size_t count = (size_t)rk_tensor_elements(&s->problem->graph->tensors[tensor]);
    for (size_t i = 0; i < count; i++)
        if (numbered)
            v->w->used[v->words[first + i].segment][node] |=
                1u << s->problem->graph->tensors[tensor].base;
        else
            v->operands[first + i] |= 1u << tensor;
}

/** Notes which operands hold which words; once these are numbered, the buffers of each segment. */
static void cover_all(survey *v, bool numbered)
{
    const rk_graph *g = v->w->s->problem->graph;
    for (rk_id n = 0; n < g->node_count; n++) {
        for (size_t i = 0; i < g->nodes[n].input_count; i++)
            cover(v, n, g->nodes[n].inputs[i], numbered);
        cover(v, n, g->nodes[n].outputs[0], numbered);
    }
}

/** Numbers the segments: of the bytes of one, two buffers are used one after the other. */
static void find_segments(survey *v)
{
    cover_all(v, false);
    uint8_t segment = 0;
    for (size_t i = 1; i < MOST_WORDS; i++) {
        segment = (uint8_t)(segment + (v->operands[i] != v->operands[i - 1]));
        v->words[i].segment = segment;
    }
    assert(segment < MOST_SEGMENTS);
    cover_all(v, true);
}

static bool same(const cell *a, const cell *b)
{
    return a->segment == b->segment && a->reads == b->reads && a->writes == b->writes &&
           a->initial == b->initial && a->kept == b->kept && a->last == b->last &&
           memcmp(a->buffer, b->buffer, sizeof a->buffer) == 0 &&
           memcmp(a->expected, b->expected, sizeof a->expected) == 0;
}

/** Adds the word's cell unless there is one, or no two nodes touch it, or none writes it. */
static void keep_cell(world *w, const cell *c)
{
    rk_id nodes = 0;
    for (rk_id n = 0; n < MOST_NODES; n++)
        nodes += c->buffer[n] != 0;
    if (nodes < 2 || c->writes == 0)
        return;
    for (size_t i = 0; i < w->cell_count; i++)
        if (same(&w->cells[i], c))
            return;
    assert(w->cell_count < MOST_CELLS);
    w->cells[w->cell_count++] = *c;
}

static void find_conflicts(world *w)
{
    for (uint32_t r = 0; r < w->rtask_count; r++) {
        rk_id node = w->node_of[r];
        uint32_t own = 0;
        for (uint32_t o = w->first_rtask[node]; o < w->first_rtask[node + 1]; o++)
            own |= 1u << o;
        for (size_t i = 0; i < w->cell_count; i++) {
            const cell *c = &w->cells[i];
            if (c->writes >> r & 1)
                w->conflicts[r] |= c->reads | c->writes;
            else if (c->reads >> r & 1)
                w->conflicts[r] |= c->writes;
        }
        w->conflicts[r] &= ~own;
    }
}

world *world_new(const subject *s, rk_arena *arena)
{
    static survey v;
    size_t nodes = s->schedule->node_count;
    world *w = RK_NEW(arena, world);
    w->s = s;
    w->arena = arena;
    for (rk_id n = 0; n < nodes; n++) {
        w->first_rtask[n + 1] = w->first_rtask[n] + candidate_of(s, n)->rtasks;
        assert(w->first_rtask[n + 1] <= MOST_RTASKS);
        memset(&w->node_of[w->first_rtask[n]], (int)n, candidate_of(s, n)->rtasks);
    }
    w->rtask_count = w->first_rtask[nodes];
    memset(&v, 0, sizeof v);
    v.w = w;
    fill_given(&v);
    for (rk_id n = 0; n < nodes; n++) {
        visit_node(&v, visit_read, n, false);
        visit_node(&v, visit_write, n, true);
        visit_node(&v, replace, n, true);
    }
    note_outputs(&v);
    find_segments(&v);
    for (size_t i = 0; i < MOST_WORDS; i++)
        if (v.words[i].writes)
            keep_cell(w, &v.words[i]);
    find_conflicts(w);
    return w;
}
