#include "sched/simulate/simulate_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool comes_before(heap_item a, heap_item b)
{
    return a.key < b.key || (a.key == b.key && a.veu < b.veu);
}

void rk_sim_heap_push(veu_heap *heap, double key, uint32_t veu)
{
    heap_item item = {key, veu};
    size_t at = heap->count++;
    for (; at > 0 && comes_before(item, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = item;
}

uint32_t rk_sim_heap_pop(veu_heap *heap)
{
    uint32_t veu = heap->items[0].veu;
    heap_item last = heap->items[--heap->count];
    size_t at = 0;
    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && comes_before(heap->items[child + 1], heap->items[child]))
            child++;
        if (!comes_before(heap->items[child], last))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = last;
    return veu;
}

uint32_t rk_sim_stream_add(simulation *s, rk_pool from, double demand)
{
    stream_pool *pool = &s->pools[from];
    pool->bandwidth = rk_pool_rate(s->problem->device, from);
    for (uint32_t i = 0; i < pool->classes.count; i++)
        if (pool->classes.items[i].demand == demand)
            return RK_POOLS * i + from;
    *rk_push(s->scratch, &pool->classes) = (stream_class){.demand = demand, .speed = 1};
    return RK_POOLS * (uint32_t)(pool->classes.count - 1) + from;
}

static int by_demand(const void *a, const void *b)
{
    double x = ((const stream_class *)a)->demand;
    double y = ((const stream_class *)b)->demand;
    return (x > y) - (x < y);
}

/** Where the class of that demand is once the classes are sorted. */
static uint32_t place_of(const stream_pool *pool, double demand)
{
    size_t low = 0;
    for (size_t high = pool->classes.count; low + 1 < high;) {
        size_t middle = (low + high) / 2;
        if (pool->classes.items[middle].demand <= demand)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

void rk_sim_streams_sort(simulation *s)
{
    double *demands[RK_POOLS];
    for (int p = 0; p < RK_POOLS; p++) {
        stream_pool *pool = &s->pools[p];
        size_t count = pool->classes.count;
        demands[p] = RK_NEW_ARRAY(s->scratch, double, count + 1);
        pool->active = RK_NEW_ARRAY(s->scratch, uint32_t, count + 1);
        for (size_t i = 0; i < count; i++) {
            demands[p][i] = pool->classes.items[i].demand;
            pool->classes.items[i].heap.items =
                RK_NEW_ARRAY(s->scratch, heap_item, s->schedule->veu_count + 1);
        }
        if (count)
            qsort(pool->classes.items, count, sizeof *pool->classes.items, by_demand);
    }
    for (size_t i = 0; i < s->schedule->node_count; i++) {
        uint32_t stream = s->costs[i].stream;
        if (stream != NOT_STREAMING)
            s->costs[i].stream =
                RK_POOLS * place_of(&s->pools[stream % RK_POOLS],
                                    demands[stream % RK_POOLS][stream / RK_POOLS]) +
                stream % RK_POOLS;
    }
}

void rk_sim_stream_begin(simulation *s, uint32_t stream, uint32_t veu, double ns)
{
    stream_pool *pool = &s->pools[stream % RK_POOLS];
    uint32_t index = stream / RK_POOLS;
    stream_class *c = &pool->classes.items[index];
    if (c->heap.count == 0) {
        c->virtual = 0;
        size_t at = pool->active_count++;
        for (; at > 0 && pool->active[at - 1] > index; at--)
            pool->active[at] = pool->active[at - 1];
        pool->active[at] = index;
    }
    rk_sim_heap_push(&c->heap, c->virtual + ns, veu);
    pool->dirty = true;
}

/** Max-min fairness: classes in order of their demand, each with an equal share of what is left. */
static void share(stream_pool *pool)
{
    size_t streams = 0;
    for (size_t i = 0; i < pool->active_count; i++)
        streams += pool->classes.items[pool->active[i]].heap.count;
    double left = pool->bandwidth;
    for (size_t i = 0; i < pool->active_count; i++) {
        stream_class *c = &pool->classes.items[pool->active[i]];
        double equal = left / (double)streams;
        double given = c->demand < equal ? c->demand : equal;
        c->speed = given / c->demand;
        left -= given * (double)c->heap.count;
        streams -= c->heap.count;
    }
    pool->dirty = false;
}

double rk_sim_stream_next(simulation *s, uint32_t *stream)
{
    double next = INFINITY;
    *stream = NOT_STREAMING;
    for (uint32_t p = 0; p < RK_POOLS; p++) {
        stream_pool *pool = &s->pools[p];
        if (pool->dirty)
            share(pool);
        for (size_t i = 0; i < pool->active_count; i++) {
            const stream_class *c = &pool->classes.items[pool->active[i]];
            double left = c->heap.items[0].key - c->virtual;
            double at = s->now + (left > 0 ? left / c->speed : 0);
            if (at < next) {
                next = at;
                *stream = RK_POOLS * pool->active[i] + p;
            }
        }
    }
    return next;
}

void rk_sim_stream_advance(simulation *s, double at, uint32_t ending)
{
    double passed = at - s->now;
    for (uint32_t p = 0; p < RK_POOLS; p++) {
        stream_pool *pool = &s->pools[p];
        for (size_t i = 0; i < pool->active_count; i++) {
            stream_class *c = &pool->classes.items[pool->active[i]];
            c->virtual += passed * c->speed;
            if (ending == RK_POOLS * pool->active[i] + p)
                c->virtual = c->heap.items[0].key;
        }
    }
    s->now = at;
}

bool rk_sim_stream_ended(simulation *s, uint32_t *veu)
{
    for (uint32_t p = 0; p < RK_POOLS; p++) {
        stream_pool *pool = &s->pools[p];
        for (size_t i = 0; i < pool->active_count; i++) {
            stream_class *c = &pool->classes.items[pool->active[i]];
            if (c->heap.items[0].key > c->virtual)
                continue;
            *veu = rk_sim_heap_pop(&c->heap);
            pool->dirty = true;
            if (c->heap.count == 0) {
                pool->active_count--;
                memmove(&pool->active[i], &pool->active[i + 1],
                        (pool->active_count - i) * sizeof *pool->active);
            }
            return true;
        }
    }
    return false;
}
