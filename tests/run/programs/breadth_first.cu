// A graph searched breadth first: the frontier is a queue that atomics fill, until a round adds nothing.
#include "check.h"

__device__ int next_size;

__global__ void expand(const int *first_edge, const int *edges, int *distance, const int *frontier, int size, int *next,
                       int round)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
        int node = frontier[i];
        for (int edge = first_edge[node]; edge < first_edge[node + 1]; edge++)
            if (atomicCAS(&distance[edges[edge]], -1, round) == -1)
                next[atomicAdd(&next_size, 1)] = edges[edge];
    }
}

int main()
{
    const int nodes = 3001;
    std::vector<int> first_edge = {0}, edges;
    check::numbers from(74);
    for (int node = 0; node < nodes; node++) {
        for (unsigned i = from.below(4); i > 0; i--)
            edges.push_back((int)from.below(nodes));
        edges.push_back(std::min(node + 7, nodes - 1));
        first_edge.push_back((int)edges.size());
    }

    std::vector<int> want(nodes, -1), queue = {0};
    want[0] = 0;
    for (size_t i = 0; i < queue.size(); i++)
        for (int edge = first_edge[queue[i]]; edge < first_edge[queue[i] + 1]; edge++)
            if (want[edges[edge]] < 0) {
                want[edges[edge]] = want[queue[i]] + 1;
                queue.push_back(edges[edge]);
            }

    std::vector<int> unreached(nodes, -1);
    unreached[0] = 0;
    check::buffer<int> device_first(first_edge), device_edges(edges), distance(unreached), a(nodes), b(nodes);
    a.zero();
    int *frontier = a, *next = b;
    for (int round = 1, size = 1; size > 0; round++) {
        int none = 0;
        CUDA_OK(cudaMemcpyToSymbol(next_size, &none, sizeof(none)));
        expand<<<5, 64>>>(device_first, device_edges, distance, frontier, size, next, round);
        LAUNCH_OK();
        CUDA_OK(cudaMemcpyFromSymbol(&size, next_size, sizeof(size)));
        std::swap(frontier, next);
    }
    check::same("distance", distance.get(), want);
    return check::done();
}
