// What libclang does not show, or what no text calls: none of it is left out silently.
#include <cuda_runtime.h>

__global__ void add(const float *x, float *y)
{
    y[threadIdx.x] += x[threadIdx.x];
}

static int launch(float *x, float *y)
{
    add<<<1, 32>>>(x, y);
    return 1;
}

struct guard {
    float *x, *y;
    guard(float *x, float *y) : x(x), y(y)
    {
    }
    ~guard()
    {
        launch(y, x);
    }
};
struct outer {
    guard inner;
    outer(float *x, float *y) : inner(x, y)
    {
    }
};
struct timer {
    cudaEvent_t event;
    timer()
    {
        cudaEventCreate(&event);
    }
    ~timer()
    {
        cudaEventDestroy(event);
    }
};

void destructs(float *x, float *y)
{
    {
        outer o(x, y);
        add<<<1, 32>>>(x, y);
    }
    add<<<1, 32>>>(x, y);
}

void in_a_head(float *x, float *y)
{
    add<<<1, 32>>>(x, y);
    switch (launch(y, x); sizeof *x) {
    case 4:
        add<<<1, 32>>>(x, y);
    }
}

void in_a_loops_head(float *x, float *y)
{
    add<<<1, 32>>>(x, y);
    const int twice[] = {1, 2};
    for (int n = launch(y, x); int i : twice)
        add<<<1, 32>>>(x, y);
}

// These are whole: two launches each.
void is_static(float *x, float *y)
{
    static int once = launch(y, x);
    add<<<1, 32>>>(x, y);
}

void measures(float *x, float *y)
{
    timer t;
    add<<<1, 32>>>(x, y);
    add<<<1, 32>>>(y, x);
}
