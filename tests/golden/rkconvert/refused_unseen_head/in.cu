// Statements that libclang does not show: in the head of a `switch`, and in that of a loop over a range.
#define CHOOSE(name, value) switch (int name = value; name & 1)

__device__ int parity()
{
    switch (int i = threadIdx.x; i & 1) {
    case 0:
        return 1;
    default:
        return 2;
    }
}

__global__ void helped(int *x) { x[0] = parity(); }

__global__ void meets(int *x)
{
    switch (__syncthreads(); x[0]) {
    case 0:
        x[threadIdx.x] = 1;
    }
}

__global__ void by_macro(int *x)
{
    CHOOSE(i, threadIdx.x) {
    case 0:
        x[i] = 1;
    }
}

__global__ void loops(int *x)
{
    const int steps[] = {1, 2};
    for (int i = threadIdx.x; int step : steps)
        x[i] += step;
}

// These are seen.
__global__ void good(int *x)
{
    const int steps[] = {1, 2};
    if (int i = threadIdx.x; i & 1)
        x[i] = 1;
    for (int step : steps)
        switch ([=] { int a = step; return a & 1; }()) {
        case 0:
            for (int i = 0; i < 2; i++)
                x[threadIdx.x] += i;
        }
}
