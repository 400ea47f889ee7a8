#include "sched/zoo/cnn.h"

/*
 * RandWire (Xie et al., 2019) in the regular regime, as the IOS paper schedules it: four stages
 * that are Watts-Strogatz graphs, of 16, 32, 32 and 32 nodes, K = 4, P = 0.75, and 154 channels in
 * the first. A node sums what it reads, and is a relu, a separable convolution and a batch norm;
 * the sums are not weighted. The wiring comes from the seed.
 */

enum { BATCH, SIZE, CLASSES, CHANNELS, NODES, NORM };

static const rk_zoo_param params[] = {
    {"batch", 1, 1, 1024, "images"},
    {"size", 224, 32, 1024, "height and width of an image"},
    {"classes", 1000, 1, 65536, "size of the result"},
    {"channels", 154, 2, 1024, "of the first stage; each later one has twice as many"},
    {"nodes", 32, 6, 512, "of a stage; the first has half as many"},
    {"norm", 0, 0, 1, "1: batch norm and relu as nodes; 0: folded into the convolutions"},
    {0},
};

/** An undirected graph; edges go from the lower node to the higher. */
typedef struct {
    int64_t count;
    bool *edge; /**< [count][count], symmetric */
} wiring;

static bool *edge(const wiring *w, int64_t a, int64_t b)
{
    return &w->edge[a * w->count + b];
}

static void connect(const wiring *w, int64_t a, int64_t b, bool on)
{
    *edge(w, a, b) = *edge(w, b, a) = on;
}

/** Moves the edge from `a` to `b` to a node that `a` has none to. */
static void rewire(const wiring *w, rk_zoo_random *random, int64_t a, int64_t b)
{
    int64_t vacant = 0;
    for (int64_t i = 0; i < w->count; i++)
        vacant += i != a && !*edge(w, a, i);
    if (vacant == 0)
        return;
    int64_t pick = (int64_t)rk_zoo_random_below(random, (uint64_t)vacant);
    for (int64_t i = 0; i < w->count; i++)
        if (i != a && !*edge(w, a, i) && pick-- == 0) {
            connect(w, a, b, false);
            connect(w, a, i, true);
            return;
        }
}

/** A ring of K neighbours, each edge to the higher ones rewired with probability P. */
static wiring watts_strogatz(int64_t count, rk_zoo_random *random, rk_arena *arena)
{
    enum { HALF_K = 2 };
    wiring w = {count, RK_NEW_ARRAY(arena, bool, (size_t)(count * count))};
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 1; j <= HALF_K; j++)
            connect(&w, i, (i + j) % count, true);
    for (int64_t j = 1; j <= HALF_K; j++)
        for (int64_t i = 0; i < count; i++)
            if (rk_zoo_random_below(random, 4) < 3)
                rewire(&w, random, i, (i + j) % count);
    return w;
}

/** Whether `to` reads `from`; the stage's end, `count`, reads those that no node does. */
static bool reads(const wiring *w, int64_t from, int64_t to)
{
    if (to < w->count)
        return *edge(w, from, to);
    for (int64_t k = from + 1; k < w->count; k++)
        if (*edge(w, from, k))
            return false;
    return true;
}

/** The sum of the maps that `node` reads; no channels when it reads none. */
static rk_zoo_map gather(rk_zoo_cnn *net, const wiring *w, const rk_zoo_map *maps, int64_t node,
                         const char *name)
{
    rk_zoo_map sum = {0};
    int terms = 0;
    for (int64_t i = 0; i < node; i++) {
        if (!reads(w, i, node))
            continue;
        sum = terms == 0 ? maps[i] : rk_zoo_add(net, sum, maps[i], "%s.sum%d", name, terms);
        terms++;
    }
    return sum;
}

static rk_zoo_map add_operation(rk_zoo_cnn *net, rk_zoo_map x, int64_t channels, int64_t stride,
                                const char *name)
{
    rk_zoo_conv depth = {
        .filters = x.channels, .kh = 3, .stride = stride, .groups = x.channels, .bare = true};
    rk_zoo_conv point = {.filters = channels, .kh = 1};
    x = rk_zoo_relu(net, x, "%s.relu", name);
    x = rk_zoo_convolve(net, x, &depth, "%s.depth", name);
    return rk_zoo_convolve(net, x, &point, "%s.point", name);
}

static rk_zoo_map stage(rk_zoo_cnn *net, rk_zoo_map x, int index, int64_t count, int64_t channels)
{
    char name[48];
    snprintf(name, sizeof name, "stage%d", index);
    rk_zoo_random random = rk_zoo_random_of(net->b, name);
    rk_arena *arena = net->b->graph->arena;
    wiring w = watts_strogatz(count, &random, arena);
    rk_zoo_map *maps = RK_NEW_ARRAY(arena, rk_zoo_map, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "stage%d.%lld", index, (long long)i);
        rk_zoo_map in = gather(net, &w, maps, i, name);
        bool first = in.channels == 0;
        maps[i] = add_operation(net, first ? x : in, channels, first ? 2 : 1, name);
    }
    snprintf(name, sizeof name, "stage%d.out", index);
    return gather(net, &w, maps, count, name);
}

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    rk_zoo_cnn net = {b, values[NORM] != 0};
    int64_t channels = values[CHANNELS];
    (void)diag;
    rk_zoo_map x = rk_zoo_image(b, "x", values[BATCH], 3, values[SIZE], values[SIZE]);
    rk_zoo_conv stem = {.filters = channels / 2, .kh = 3, .stride = 2};
    x = rk_zoo_convolve(&net, x, &stem, "stem");
    for (int i = 0; i < 4; i++)
        x = stage(&net, x, i + 1, i == 0 ? values[NODES] / 2 : values[NODES], channels << i);
    x = rk_zoo_relu(&net, x, "last.relu");
    x = rk_zoo_convolve(&net, x, &(rk_zoo_conv){.filters = 1280, .kh = 1, .relu = true}, "last");
    rk_id features = rk_zoo_global_pool(&net, x, "pool");
    rk_zoo_classify(&net, rk_zoo_dense(&net, features, 1280, values[CLASSES], false, "dense"));
    return true;
}

const rk_zoo_model rk_zoo_randwire = {
    .name = "randwire",
    .summary = "RandWire, seeded Watts-Strogatz stages, as in the IOS paper",
    .params = params,
    .build = build,
};
