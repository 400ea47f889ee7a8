/*
 * Kernels for test_cpu_entry.c, included twice: as legacy CUDA, and in the form that rkconvert writes.
 * KERNEL(name, parameters) begins a kernel; ENTER follows its brace, and ENTER_WAITS where its threads
 * wait for each other; SHARED(name, type, part, size)
 * declares a static shared array, DYNAMIC(type, name) names the dynamic one.
 */

KERNEL(place, int *out, int n)
{
    ENTER
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    if (i >= n)
        return;
    out[i] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z +
             1000000 * (blockIdx.x + 7 * blockIdx.y + 49 * blockIdx.z);
}

KERNEL(saxpy, const float *x, float *y, float a, int n)
{
    ENTER
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i] * rsqrtf(1.0f + fabsf(x[i])) + __expf(-x[i] * x[i]);
}

/* Any block size: a tree over shared memory, then the first warp. */
KERNEL(block_sum, const float *x, float *out, int n)
{
    ENTER
    ENTER_WAITS
    SHARED(partial, float, sum_part, 1024);
    int threads = blockDim.x, t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * threads + t; i < n; i += gridDim.x * threads)
        sum += x[i];
    partial[t] = sum;
    __syncthreads();
    int size = threads;
    for (; size > 32; size = (size + 1) / 2) {
        int half = (size + 1) / 2;
        if (t + half < size)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    LEAVE(t >= 32);
    float v = partial[t];
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_down_sync(0xffffffffu, v, step);
        if (t + step < size)
            v += other;
    }
    if (t == 0)
        out[blockIdx.x] = v;
}

/* Returns before and between barriers. */
KERNEL(leavers, int *out, int limit)
{
    ENTER
    ENTER_WAITS
    DYNAMIC(int, seen);
    int t = threadIdx.x;
    seen[t] = -1;
    __syncthreads();
    if (t % 5 == 4)
        return;
    seen[t] = t;
    int many = __syncthreads_count(t % 2);
    if (t >= limit)
        return;
    int all = __syncthreads_and(t < limit);
    int some = __syncthreads_or(t == 1);
    int next = seen[(t + 4) % blockDim.x];
    out[blockIdx.x * blockDim.x + t] = many * 100000 + all * 10000 + some * 1000 + next;
}

KERNEL(warps, unsigned *out, int n)
{
    ENTER
    ENTER_WAITS
    unsigned t = threadIdx.x, lane = t % warpSize, sum = 0;
    (void)n;
    sum = sum * 31 + __shfl_sync(0xffffffffu, t, lane + 3, 8);
    sum = sum * 31 + __shfl_up_sync(0xffffffffu, t, 2, 16);
    sum = sum * 31 + __shfl_xor_sync(0xffffffffu, t, 5);
    sum = sum * 31 + __ballot_sync(0xffffffffu, t % 3 == 0);
    sum = sum * 31 + __any_sync(0xffffffffu, t == 40) + 2 * __all_sync(0xffffffffu, t < 64);
    sum = sum * 31 + __match_any_sync(0xffffffffu, t % 4);
    int same;
    sum = sum * 31 + __match_all_sync(0xffffffffu, t / 32, &same);
    sum = sum * 31 + same;
    sum = sum * 31 + __reduce_add_sync(0xffffffffu, t) + __reduce_max_sync(0xffffffffu, t);
    sum = sum * 31 + (unsigned)__reduce_min_sync(0xffffffffu, -(int)t);
    double d = __shfl_down_sync(0xffffffffu, 0.25 * t, 1);
    sum = sum * 31 + (unsigned)(4 * d);
    if (lane % 2)
        sum = sum * 31 + __activemask();
    __syncwarp();
    out[blockIdx.x * blockDim.x + t] = sum;
}

KERNEL(histogram, const int *x, unsigned *bins, float *total, int n)
{
    ENTER
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(&bins[x[i] & 7], 1u);
    atomicMax(&bins[8], (unsigned)x[i]);
    atomicInc(&bins[9], 4u);
    atomicAdd(total, 0.5f);
    unsigned old = bins[10], seen;
    do {
        seen = old;
        old = atomicCAS(&bins[10], seen, seen + 2);
    } while (old != seen);
}

KERNEL(halves, const __half *x, __half *y, float *z, int n)
{
    ENTER
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 both = __halves2half2(x[i], __float2half(1.5f));
    y[i] = __hadd(__low2half(both) * __high2half(both), __int2half_rn(i));
    float4 v = make_float4(__half2float(y[i]), 1, 2, 3);
    z[i] = v.x + v.y * v.z - v.w;
}

KERNEL(stuck, int *out)
{
    ENTER
    ENTER_WAITS
    if (threadIdx.x % 2)
        __syncthreads();
    else
        __syncwarp();
    out[threadIdx.x] = 1;
}
