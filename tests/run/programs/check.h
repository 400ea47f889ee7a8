// What the programs of this folder share: checked calls, buffers on the device, numbers, and the comparison of
// a result with its reference. The first wrong thing is printed and ends the program with status 1.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <vector>

// A call of the runtime that must succeed.
#define CUDA_OK(call) check::succeeded((call), #call, __LINE__)
// A launch just made, and all that it did.
#define LAUNCH_OK() (CUDA_OK(cudaGetLastError()), CUDA_OK(cudaDeviceSynchronize()))
// A condition of the host.
#define EXPECT(condition) check::holds((condition), #condition, __LINE__)

namespace check
{
// Whether this is built with --check.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

// How many values were compared so far.
inline std::atomic<size_t> compared = 0;

// Ends the program; what AddressSanitizer does at an exit can lose output that was not written yet.
[[noreturn]] inline void stop()
{
    fflush(stdout);
    exit(1);
}

inline void succeeded(cudaError_t code, const char *call, int line)
{
    if (code != cudaSuccess) {
        printf("line %d: %s: %s\n", line, call, cudaGetErrorString(code));
        stop();
    }
}

inline void holds(bool condition, const char *text, int line)
{
    compared++;
    if (!condition) {
        printf("line %d: not so: %s\n", line, text);
        stop();
    }
}

// Each value equal to its reference or, with a tolerance, within that of it, absolute for references below
// one and relative above.
template <class T>
void same(const char *what, const std::vector<T> &got, const std::vector<T> &want, double tolerance = 0)
{
    if (got.size() != want.size()) {
        printf("%s: %zu values instead of %zu\n", what, got.size(), want.size());
        stop();
    }
    for (size_t i = 0; i < got.size(); i++) {
        bool good = got[i] == want[i];
        if (!good && tolerance > 0) {
            double scale = std::fmax(1.0, std::fabs((double)want[i]));
            good = std::fabs((double)got[i] - (double)want[i]) <= tolerance * scale;
        }
        if (!good) {
            printf("%s[%zu] is %.9g instead of %.9g\n", what, i, (double)got[i], (double)want[i]);
            stop();
        }
    }
    compared += got.size();
}

template <class T> void same(const char *what, T got, T want, double tolerance = 0)
{
    same(what, std::vector<T>{got}, std::vector<T>{want}, tolerance);
}

// The last line of a program: what main returns.
inline int done()
{
    printf("ok: %zu values\n", compared.load());
    return compared == 0;
}

// Device memory that is freed with its owner.
template <class T> class buffer
{
  public:
    explicit buffer(size_t size) : count(size)
    {
        CUDA_OK(cudaMalloc((void **)&memory, size * sizeof(T)));
    }
    explicit buffer(const std::vector<T> &from) : buffer(from.size())
    {
        put(from);
    }
    explicit buffer(std::initializer_list<T> from) : buffer(std::vector<T>(from))
    {
    }
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;
    ~buffer()
    {
        cudaFree(memory);
    }
    void put(const std::vector<T> &from)
    {
        CUDA_OK(cudaMemcpy(memory, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const
    {
        std::vector<T> to(count);
        CUDA_OK(cudaMemcpy(to.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
        return to;
    }
    void zero()
    {
        CUDA_OK(cudaMemset(memory, 0, count * sizeof(T)));
    }
    operator T *() const
    {
        return memory;
    }
    size_t size() const
    {
        return count;
    }

  private:
    T *memory = nullptr;
    size_t count;
};

// Numbers that are the same in every run.
class numbers
{
  public:
    explicit numbers(uint32_t seed) : state(seed * 2654435761u + 1)
    {
    }
    uint32_t next()
    {
        state = state * 1664525u + 1013904223u;
        return (state >> 16) ^ (state << 5);
    }
    // Whole numbers from 0 to below the limit.
    uint32_t below(uint32_t limit)
    {
        return (next() >> 3) % limit;
    }
    // Multiples of 1/64 in [-1, 1): sums and products of a few are exact.
    float coarse()
    {
        return (float)((int)below(128) - 64) / 64;
    }

  private:
    uint32_t state;
};

// Values of coarse(), or whole numbers below 1000 where T is an integer.
template <class T> std::vector<T> values(size_t count, uint32_t seed)
{
    numbers from(seed);
    std::vector<T> made(count);
    for (T &value : made)
        value = std::is_integral<T>::value ? (T)from.below(1000) : (T)from.coarse();
    return made;
}

constexpr int blocks_for(size_t elements, int threads)
{
    return (int)((elements + threads - 1) / threads);
}
} // namespace check
