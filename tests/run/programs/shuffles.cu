// All four shuffles at every width, for types of 2 to 8 bytes, and with masks of some lanes.
#include <cuda_fp16.h>

#include "check.h"

constexpr unsigned FULL = 0xffffffffu;
enum kind { INDEX, UP, DOWN, XOR, KINDS };

template <class T> __device__ T shuffle(int how, T value, int by, int width)
{
    switch (how) {
    case INDEX:
        return __shfl_sync(FULL, value, by, width);
    case UP:
        return __shfl_up_sync(FULL, value, (unsigned)by, width);
    case DOWN:
        return __shfl_down_sync(FULL, value, (unsigned)by, width);
    default:
        return __shfl_xor_sync(FULL, value, by, width);
    }
}

// The lane that a shuffle reads from.
static int source(int how, int lane, int by, int width)
{
    int first = lane / width * width;
    switch (how) {
    case INDEX:
        return first + (by & (width - 1));
    case UP:
        return lane - by >= first ? lane - by : lane;
    case DOWN:
        return lane + by < first + width ? lane + by : lane;
    default:
        return (lane ^ by) < first + width ? lane ^ by : lane;
    }
}

template <class T> __global__ void shuffle_all(const T *values, T *out, int how, int by, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = shuffle(how, values[i], by, width);
}

template <class T> static void check_type(const char *name, std::vector<T> values)
{
    check::buffer<T> device(values), out(values.size());
    for (int how = 0; how < KINDS; how++)
        for (int width = 1; width <= 32; width *= 2)
            for (int by : {0, 1, 3, 17, 31}) {
                shuffle_all<T><<<2, 64>>>(device, out, how, by, width);
                std::vector<T> got = out.get(), want(values.size());
                for (size_t i = 0; i < want.size(); i++)
                    want[i] = values[i / 32 * 32 + source(how, (int)i % 32, by, width)];
                check::same(name, got, want);
            }
    LAUNCH_OK();
}

// Each third of the lanes in turn passes its values around among itself, by half precision on the way.
__global__ void thirds(const float *values, float *out)
{
    unsigned lane = threadIdx.x % 32, third = lane % 3, mask = 0;
    for (unsigned i = third; i < 32; i += 3)
        mask |= 1u << i;
    __half value = __float2half(values[threadIdx.x]);
    for (unsigned turn = 0; turn < 3; turn++)
        if (turn == third) {
            int next = lane + 3 < 32 ? (int)lane + 3 : (int)third;
            value = __shfl_sync(mask, value, next);
        }
    out[threadIdx.x] = __half2float(value);
}

// A source lane that differs from thread to thread.
__global__ void reversed(const double *values, double *out)
{
    int lane = threadIdx.x & 31;
    double once = __shfl_sync(FULL, values[threadIdx.x], 31 - lane);
    out[threadIdx.x] = once + __shfl_sync(FULL, values[threadIdx.x], lane * 7);
}

int main()
{
    check_type("int", check::values<int>(128, 23));
    check_type("unsigned", check::values<unsigned>(128, 24));
    check_type("float", check::values<float>(128, 25));
    check_type("double", check::values<double>(128, 26));
    std::vector<long long> large = check::values<long long>(128, 27);
    for (long long &value : large)
        value *= -12345678901ll;
    check_type("long long", large);
    std::vector<unsigned long> longs = check::values<unsigned long>(128, 28);
    for (unsigned long &value : longs)
        value <<= 37;
    check_type("unsigned long", longs);

    std::vector<float> values = check::values<float>(64, 29), want(64);
    check::buffer<float> device(values), out(64);
    thirds<<<1, 64>>>(device, out);
    LAUNCH_OK();
    for (int i = 0; i < 64; i++)
        want[i] = values[i / 32 * 32 + (i % 32 + 3 < 32 ? i % 32 + 3 : i % 32 % 3)];
    check::same("thirds", out.get(), want);

    std::vector<double> reals = check::values<double>(96, 30), want_reals(96);
    check::buffer<double> device_reals(reals), out_reals(96);
    reversed<<<1, 96>>>(device_reals, out_reals);
    LAUNCH_OK();
    for (int i = 0; i < 96; i++)
        want_reals[i] = reals[i / 32 * 32 + 31 - i % 32] + reals[i / 32 * 32 + i % 32 * 7 % 32];
    check::same("reversed", out_reals.get(), want_reals);
    return check::done();
}
