// Clocks on the device: they never go back, go on while a thread sleeps, and count the same.
#include "check.h"

__global__ void measure(long long *took, int *backwards, const float *in, float *out)
{
    long long begin = clock64();
    clock_t small = clock();
    float sum = 0;
    for (int i = 0; i < 64; i++)
        sum += in[(threadIdx.x * 7 + i) % 96];
    out[threadIdx.x] = sum;
    __nanosleep(100);
    __syncthreads();
    long long end = clock64();
    if (end < begin || (int)(clock() - small) < 0)
        atomicAdd(backwards, 1);
    took[threadIdx.x] = end - begin;
}

/** Waits as long as `ticks` of clock() take, and gives how many of clock64() those are at least; whether clock() is
    what clock64() is between its reading before and after, modulo 2^32. */
__global__ void wait(clock_t ticks, long long *took, int *other)
{
    long long begin = clock64();
    clock_t start = clock();
    while (clock() - start < ticks)
        ;
    *took = clock64() - begin;

    long long before = clock64();
    unsigned between = (unsigned)clock() - (unsigned)before;
    *other = between > (unsigned long long)(clock64() - before);
}

int main()
{
    std::vector<float> in = check::values<float>(96, 65), want(96);
    check::buffer<float> device(in), out(96);
    check::buffer<long long> took(96);
    check::buffer<int> backwards(1);
    backwards.zero();
    measure<<<1, 96>>>(took, backwards, device, out);
    LAUNCH_OK();
    for (int i = 0; i < 96; i++)
        for (int j = 0; j < 64; j++)
            want[i] += in[(i * 7 + j) % 96];
    check::same("sums", out.get(), want);
    check::same("backwards", backwards.get()[0], 0);
    for (long long each : took.get())
        EXPECT(each > 0);
    check::buffer<int> other(1);
    wait<<<1, 1>>>(2000000, took, other);
    LAUNCH_OK();
    EXPECT(took.get()[0] >= 2000000);
    check::same("another clock", other.get()[0], 0);
    return check::done();
}
