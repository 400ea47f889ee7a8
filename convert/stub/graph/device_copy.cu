// What a graph has for cudaMemcpy between buffers of the device, and for cudaMemset.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <typename T>
__global__ void device_copy(const T *from, T *to, long long n)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x)
        to[i] = from[i];
}

template <typename T>
__global__ void device_fill(T *to, int byte, long long n)
{
    unsigned char *bytes = reinterpret_cast<unsigned char *>(to);
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n * (long long)sizeof(T);
         i += (long long)gridDim.x * blockDim.x)
        bytes[i] = (unsigned char)byte;
}

#define LAUNCHERS(T, dtype)                                                                        \
    void device_copy_##dtype(const T *from, T *to, long long n)                                    \
    {                                                                                              \
        const long long blocks = (n + 1023) / 1024;                                                \
        device_copy<T><<<(unsigned)(blocks < 1024 ? blocks : 1024), 256>>>(from, to, n);           \
    }                                                                                              \
    void device_fill_##dtype(T *to, int byte, long long n)                                         \
    {                                                                                              \
        const long long blocks = (n + 1023) / 1024;                                                \
        device_fill<T><<<(unsigned)(blocks < 1024 ? blocks : 1024), 256>>>(to, byte, n);           \
    }

LAUNCHERS(float, f32)
LAUNCHERS(double, f64)
LAUNCHERS(__half, f16)
LAUNCHERS(__nv_bfloat16, bf16)
LAUNCHERS(signed char, i8)
LAUNCHERS(unsigned char, u8)
LAUNCHERS(short, i16)
LAUNCHERS(unsigned short, u16)
LAUNCHERS(int, i32)
LAUNCHERS(unsigned int, u32)
LAUNCHERS(long long, i64)
LAUNCHERS(unsigned long long, u64)
LAUNCHERS(bool, bool)
