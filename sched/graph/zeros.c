#include "sched/graph/graph.h"

#include <pthread.h>
#include <sys/mman.h>

/** The largest range so far; smaller ones that were handed out stay where they are. */
static struct {
    pthread_mutex_t lock;
    const void *at;
    size_t size;
} zeros = {.lock = PTHREAD_MUTEX_INITIALIZER};

/** A mapping that may only be read costs address space, and no memory. */
static const void *map(size_t size)
{
    const void *at =
        mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        rk_out_of_memory();
    return at;
}

const void *rk_graph_zeros(size_t bytes)
{
    enum { LEAST = 1 << 24 };
    pthread_mutex_lock(&zeros.lock);
    if (bytes > zeros.size || !zeros.at) {
        zeros.size = bytes > 2 * zeros.size ? bytes : 2 * zeros.size;
        zeros.size = zeros.size > LEAST ? zeros.size : LEAST;
        zeros.at = map(zeros.size);
    }
    const void *at = zeros.at;
    pthread_mutex_unlock(&zeros.lock);
    return at;
}

rk_id rk_graph_constant_zeros(rk_graph *graph, const char *name, rk_dtype dtype, int rank,
                              const int64_t *shape)
{
    rk_id id = rk_graph_tensor(graph, name, dtype, rank, shape);
    rk_tensor *tensor = &graph->tensors[id];
    double bytes = (double)rk_dtype_size(dtype);
    for (int i = 0; i < rank; i++)
        bytes *= (double)shape[i];
    bool sensible = bytes > 0 && bytes <= (double)RK_MAX_ELEMENTS * (double)rk_dtype_size(dtype);
    tensor->zeros = true;
    tensor->data = rk_graph_zeros(sensible ? (size_t)bytes : 1);
    return id;
}
