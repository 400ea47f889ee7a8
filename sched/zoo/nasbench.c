#include "sched/zoo/cnn.h"

#include <string.h>

/*
 * NAS-Bench-101 (Ying et al., 2019): networks of its search space. A cell is a directed acyclic
 * graph of at most 7 vertices and 9 edges; the vertices between input and output are a 3x3 or a 1x1
 * convolution, or 3x3 max pooling. The network is a 3x3 convolution to 128 channels and three
 * stacks of three cells, with pooling and twice the channels from the second on.
 *
 * Member `index` of the family is the index-th cell of a seeded sequence: 7 vertices, each edge
 * present with probability 1/2, each operation uniform; vertices that are not between input and
 * output are taken away; cells with more than 9 edges, or with no path, are drawn again, and so are
 * those equal to an earlier one under some renumbering of the vertices. That is exact: cells are
 * compared by the smallest of their codes over all orders of the operations.
 */

enum { BATCH, SIZE, CLASSES, INDEX, CHANNELS, NORM };
enum { MOST_VERTICES = 7, MOST_EDGES = 9, MOST_INDEX = 100000 };

static const rk_zoo_param params[] = {
    {"batch", 1, 1, 1024, "images"},
    {"size", 32, 4, 1024, "height and width of an image"},
    {"classes", 10, 1, 65536, "size of the result"},
    {"index", 0, 0, MOST_INDEX, "which of the seed's distinct cells"},
    {"channels", 128, 8, 1024, "of the first stack"},
    {"norm", 0, 0, 1, "1: batch norm and relu as nodes; 0: folded into the convolutions"},
    {0},
};

typedef enum { CONV3X3, CONV1X1, MAXPOOL3X3 } operation;

/** A cell: vertex 0 is the input, the last one the output. */
typedef struct {
    int vertices;
    operation op[MOST_VERTICES];
    uint8_t to[MOST_VERTICES]; /**< bit j: an edge to vertex j, which is higher */
} cell;

/** What a series keeps: the cells so far, and their codes in a hash table. */
typedef struct {
    rk_zoo_random random;
    RK_VEC(cell) cells;
    uint64_t *codes; /**< open addressing; 0 is none */
    size_t slots;
} sequence;

static uint8_t reachable(const cell *c, bool backwards)
{
    int last = c->vertices - 1;
    uint8_t seen = (uint8_t)(1u << (backwards ? last : 0));
    for (int step = 0; step < last; step++)
        for (int i = 0; i < last; i++)
            if (backwards ? (c->to[i] & seen) != 0 : (seen >> i & 1) != 0)
                seen = (uint8_t)(seen | (backwards ? 1u << i : c->to[i]));
    return seen;
}

/** Keeps the vertices between input and output; false when there is no path. */
static bool prune(cell *c)
{
    uint8_t keep = reachable(c, false) & reachable(c, true);
    cell out = {0};
    if (!(keep & 1) || !(keep >> (c->vertices - 1) & 1))
        return false;
    int place[MOST_VERTICES] = {0};
    for (int i = 0; i < c->vertices; i++)
        if (keep >> i & 1)
            place[i] = out.vertices++;
    for (int i = 0; i < c->vertices; i++)
        for (int j = i + 1; j < c->vertices && (keep >> i & 1); j++)
            if ((keep >> j & 1) && (c->to[i] >> j & 1))
                out.to[place[i]] |= (uint8_t)(1u << place[j]);
    for (int i = 0; i < c->vertices; i++)
        if (keep >> i & 1)
            out.op[place[i]] = c->op[i];
    *c = out;
    return true;
}

static int edges_of(const cell *c)
{
    int count = 0;
    for (int i = 0; i < c->vertices; i++)
        count += __builtin_popcount(c->to[i]);
    return count;
}

/** Operations and edges, vertex i of the cell being number place[i]; injective, and never 0. */
static uint64_t code_of(const cell *c, const int *place)
{
    uint64_t edges = 0;
    uint64_t ops = 0;
    for (int i = 0; i < c->vertices; i++) {
        for (int j = i + 1; j < c->vertices; j++)
            if (c->to[i] >> j & 1)
                edges |= UINT64_C(1) << (place[i] * MOST_VERTICES + place[j]);
        if (i > 0 && i < c->vertices - 1)
            ops |= (uint64_t)c->op[i] << 2 * (place[i] - 1);
    }
    return edges << 13 | ops << 3 | (uint64_t)c->vertices;
}

/** The smallest code over all orders of the vertices from `from` to the last but one. */
static void smallest(uint64_t *least, const cell *c, int *place, int from)
{
    int last = c->vertices - 1;
    if (from >= last) {
        uint64_t code = code_of(c, place);
        *least = code < *least ? code : *least;
        return;
    }
    for (int i = from; i < last; i++) {
        int swap = place[from];
        place[from] = place[i];
        place[i] = swap;
        smallest(least, c, place, from + 1);
        place[i] = place[from];
        place[from] = swap;
    }
}

static uint64_t canonical(const cell *c)
{
    int place[MOST_VERTICES];
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < MOST_VERTICES; i++)
        place[i] = i;
    smallest(&least, c, place, 1);
    return least;
}

/** Whether the code is new; it is kept. */
static bool keep_code(sequence *s, uint64_t code)
{
    size_t at = (size_t)(code * UINT64_C(0x9E3779B97F4A7C15)) % s->slots;
    for (; s->codes[at]; at = (at + 1) % s->slots)
        if (s->codes[at] == code)
            return false;
    s->codes[at] = code;
    return true;
}

static cell draw(rk_zoo_random *random)
{
    cell c = {.vertices = MOST_VERTICES};
    for (int i = 0; i < MOST_VERTICES; i++)
        for (int j = i + 1; j < MOST_VERTICES; j++)
            c.to[i] |= (uint8_t)(rk_zoo_random_below(random, 2) << j);
    for (int i = 1; i < MOST_VERTICES - 1; i++)
        c.op[i] = (operation)rk_zoo_random_below(random, 3);
    return c;
}

static sequence *sequence_of(rk_zoo_builder *b)
{
    sequence *s = b->memo;
    if (!s) {
        s = b->memo = RK_NEW(b->memo_arena, sequence);
        s->random = rk_zoo_random_of(b, "nasbench");
        s->slots = 4 * (size_t)MOST_INDEX;
        s->codes = RK_NEW_ARRAY(b->memo_arena, uint64_t, s->slots);
    }
    return s;
}

/** Cell `index` of the sequence; the space has over 400,000, so there are enough. */
static cell cell_at(rk_zoo_builder *b, int64_t index)
{
    sequence *s = sequence_of(b);
    while (s->cells.count <= (size_t)index) {
        cell c = draw(&s->random);
        if (prune(&c) && edges_of(&c) <= MOST_EDGES && keep_code(s, canonical(&c)))
            *rk_push(b->memo_arena, &s->cells) = c;
    }
    return s->cells.items[index];
}

/**
 * Channels of each vertex: those that the output reads share its channels, the first ones taking
 * what is left over; others have as many as the widest of those that read them.
 */
static void share_channels(int64_t *channels, const cell *c, int64_t in, int64_t out)
{
    int last = c->vertices - 1;
    int sharers = 0;
    memset(channels, 0, MOST_VERTICES * sizeof *channels);
    channels[0] = in;
    channels[last] = out;
    for (int i = 1; i < last; i++)
        sharers += c->to[i] >> last & 1;
    int64_t left = sharers ? out % sharers : 0;
    for (int i = 1; i < last; i++)
        if (c->to[i] >> last & 1)
            channels[i] = out / sharers + (left-- > 0);
    for (int i = last - 1; i > 0; i--)
        for (int j = i + 1; j < last && !(c->to[i] >> last & 1); j++)
            if ((c->to[i] >> j & 1) && channels[j] > channels[i])
                channels[i] = channels[j];
}

/** The network, and the names of the cell being built. */
typedef struct {
    rk_zoo_cnn net;
    char name[40];
} network;

static rk_zoo_map conv(network *n, rk_zoo_map x, int64_t filters, int64_t extent, const char *what,
                       int vertex)
{
    rk_zoo_conv c = {.filters = filters, .kh = extent, .relu = true};
    return rk_zoo_convolve(&n->net, x, &c, "%s.%s%d", n->name, what, vertex);
}

/** The first channels of a map: without a copy where they are one range. */
static rk_zoo_map first_channels(network *n, rk_zoo_map x, int64_t channels, int from, int to)
{
    if (x.channels == channels)
        return x;
    if (x.batch > 1)
        return rk_zoo_pad_map(&n->net, x, (const int64_t[]){0, 0, 0},
                              (const int64_t[]){channels - x.channels, 0, 0}, "%s.cut%d.%d",
                              n->name, from, to);
    x.channels = channels;
    x.id = rk_zoo_view(n->net.b, x.id, RK_SHAPE(x.batch, channels, x.height, x.width),
                       "%s.cut%d.%d", n->name, from, to);
    return x;
}

/** The sum of all that the vertex reads, the cell's input projected to its channels. */
static rk_zoo_map read_vertex(network *n, const cell *c, const rk_zoo_map *maps,
                              const int64_t *channels, int vertex)
{
    rk_zoo_map sum = {0};
    int terms = 0;
    for (int i = 0; i < vertex; i++) {
        if (!(c->to[i] >> vertex & 1))
            continue;
        rk_zoo_map term = i == 0 ? conv(n, maps[0], channels[vertex], 1, "project", vertex)
                                 : first_channels(n, maps[i], channels[vertex], i, vertex);
        sum = terms == 0 ? term
                         : rk_zoo_add(&n->net, sum, term, "%s.sum%d.%d", n->name, vertex, terms);
        terms++;
    }
    return sum;
}

static rk_zoo_map operate(network *n, operation op, rk_zoo_map x, int64_t channels, int vertex)
{
    if (op == MAXPOOL3X3)
        return rk_zoo_pool(&n->net, "MaxPool", x, 3, 1, RK_ZOO_SAME, "%s.pool%d", n->name, vertex);
    return conv(n, x, channels, op == CONV3X3 ? 3 : 1, "conv", vertex);
}

static rk_zoo_map add_cell(network *n, const cell *c, rk_zoo_map x, int64_t out)
{
    int64_t channels[MOST_VERTICES];
    rk_zoo_map maps[MOST_VERTICES] = {x};
    rk_zoo_map joined[MOST_VERTICES];
    size_t count = 0;
    int last = c->vertices - 1;
    share_channels(channels, c, x.channels, out);
    for (int i = 1; i < last; i++) {
        rk_zoo_map in = read_vertex(n, c, maps, channels, i);
        maps[i] = operate(n, c->op[i], in, channels[i], i);
        if (c->to[i] >> last & 1)
            joined[count++] = maps[i];
    }
    if (count == 0)
        return conv(n, x, out, 1, "project", last);
    rk_zoo_map result = rk_zoo_concat(&n->net, joined, count, "%s.concat", n->name);
    if (!(c->to[0] >> last & 1))
        return result;
    return rk_zoo_add(&n->net, result, conv(n, x, out, 1, "project", last), "%s.out", n->name);
}

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    network n = {.net = {b, values[NORM] != 0}, .name = "stem"};
    cell c = cell_at(b, values[INDEX]);
    int64_t channels = values[CHANNELS];
    (void)diag;
    rk_zoo_map x = rk_zoo_image(b, "x", values[BATCH], 3, values[SIZE], values[SIZE]);
    x = conv(&n, x, channels, 3, "conv", 0);
    for (int stack = 0; stack < 3; stack++, channels *= 2) {
        if (stack > 0)
            x = rk_zoo_pool(&n.net, "MaxPool", x, 2, 2, RK_ZOO_VALID, "stack%d.pool", stack);
        for (int i = 0; i < 3; i++) {
            snprintf(n.name, sizeof n.name, "cell%d.%d", stack, i);
            x = add_cell(&n, &c, x, channels);
        }
    }
    rk_id features = rk_zoo_global_pool(&n.net, x, "pool");
    rk_zoo_classify(&n.net,
                    rk_zoo_dense(&n.net, features, x.channels, values[CLASSES], false, "dense"));
    return true;
}

const rk_zoo_model rk_zoo_nasbench = {
    .name = "nasbench",
    .summary = "networks of the NAS-Bench-101 search space, by seed and index",
    .params = params,
    .build = build,
};
