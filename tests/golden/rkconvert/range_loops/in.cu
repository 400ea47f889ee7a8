#include <cuda_runtime.h>

/* A loop over the grid's elements: begin() reads built-ins, in a lambda's body and for a range with a name, too. */
struct step_iterator {
    int at, step;
    __device__ int operator*() const { return at; }
    __device__ void operator++() { at += step; }
    __device__ bool operator!=(const step_iterator &end) const { return at < end.at; }
};

template <class Index> struct grid_range {
    Index count;
    __device__ step_iterator begin() const
    {
        return {int(threadIdx.x + blockIdx.x * blockDim.x), int(blockDim.x * gridDim.x)};
    }
    __device__ step_iterator end() const { return {int(count), int(gridDim.x)}; }
};

struct plain_range {
    int count;
    __device__ step_iterator begin() const { return {0, 1}; }
    __device__ step_iterator end() const { return {count, 1}; }
};

__global__ void scale(float *y, int n, float factor)
{
    for (auto i : grid_range<int>{n})
        y[i] *= factor;
    const grid_range<long> again{n};
    auto add = [&](float by) {
        for (int i : again)
            y[i] += by;
    };
    for (int k : plain_range{2})
        add((float)k);
}

void launch(float *y, int n) { scale<<<4, 128>>>(y, n, 2.0f); }
