// cuRAND's generators on the device: Philox against its published definition, and the distribution of others.
#include <curand_kernel.h>

#include "check.h"

__global__ void philox(unsigned long long seed, unsigned *out, int each)
{
    unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, rank, 0, &state);
    for (int i = 0; i < each; i++)
        out[rank * each + i] = curand(&state);
}

__global__ void uniform(float *out, int each)
{
    unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(99, rank, 0, &state);
    for (int i = 0; i < each; i++)
        out[rank * each + i] = curand_uniform(&state);
}

__global__ void seed_all(curandState *states)
{
    unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(1234, rank, 0, states + rank);
}

// States kept in memory from launch to launch.
__global__ void normal(curandState *states, float *out, int each)
{
    unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state = states[rank];
    for (int i = 0; i < each; i++)
        out[rank * each + i] = curand_normal(&state);
    states[rank] = state;
}

// Philox4x32-10 (Salmon and others, 2011): four words from a counter and a key.
static void philox_words(uint32_t (&words)[4], uint64_t key)
{
    uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * words[0], b = (uint64_t)0xCD9E8D57u * words[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ words[1] ^ low, (uint32_t)b, (uint32_t)(a >> 32) ^ words[3] ^ high,
                            (uint32_t)a};
        std::copy(next, next + 4, words);
        low += 0x9E3779B9u;
        high += 0xBB67AE85u;
    }
}

// The n-th word of a subsequence.
static uint32_t philox_word(uint64_t seed, uint32_t subsequence, uint32_t n)
{
    uint32_t words[4] = {n / 4, 0, subsequence, 0};
    philox_words(words, seed);
    return words[n % 4];
}

static void check_moments(const std::vector<float> &values, double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (float value : values) {
        sum += value;
        squares += (double)value * value;
    }
    double got = sum / (double)values.size();
    check::same("mean", got, mean, 0.03);
    check::same("deviation", std::sqrt(squares / (double)values.size() - got * got), deviation, 0.03);
}

int main()
{
    const int blocks = 3, threads = 50, each = 11, n = blocks * threads * each;
    const uint64_t seed = 0x123456789abcull;
    check::buffer<unsigned> words(n);
    philox<<<blocks, threads>>>(seed, words, each);
    LAUNCH_OK();
    std::vector<unsigned> want(n);
    for (int i = 0; i < n; i++)
        want[i] = philox_word(seed, (uint32_t)(i / each), (uint32_t)(i % each));
    check::same("philox", words.get(), want);

    check::buffer<float> reals(n);
    uniform<<<blocks, threads>>>(reals, each);
    LAUNCH_OK();
    std::vector<float> want_reals(n);
    for (int i = 0; i < n; i++)
        want_reals[i] =
            (float)((philox_word(99, (uint32_t)(i / each), (uint32_t)(i % each)) + 0.5) / 4294967296.0);
    check::same("uniform", reals.get(), want_reals, 1e-6);
    check_moments(reals.get(), 0.5, std::sqrt(1.0 / 12));

    const int many = 64;
    check::buffer<curandState> states(128);
    check::buffer<float> first(128 * many), second(128 * many);
    seed_all<<<2, 64>>>(states);
    normal<<<2, 64>>>(states, first, many);
    normal<<<2, 64>>>(states, second, many);
    LAUNCH_OK();
    check_moments(first.get(), 0, 1);
    check_moments(second.get(), 0, 1);
    EXPECT(first.get() != second.get());
    return check::done();
}
