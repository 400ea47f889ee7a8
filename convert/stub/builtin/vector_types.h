#ifndef RK_PARSE_VECTOR_TYPES_H
#define RK_PARSE_VECTOR_TYPES_H

#include "host_defines.h"

#define RK_PARSE_VECTOR(T, name, align2, align4)                                                   \
    struct name##1 {                                                                               \
        T x;                                                                                       \
    };                                                                                             \
    struct __align__(align2) name##2 {                                                             \
        T x, y;                                                                                    \
    };                                                                                             \
    struct name##3 {                                                                               \
        T x, y, z;                                                                                 \
    };                                                                                             \
    struct __align__(align4) name##4 {                                                             \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    __host__ __device__ name##1 make_##name##1(T);                                                 \
    __host__ __device__ name##2 make_##name##2(T, T);                                              \
    __host__ __device__ name##3 make_##name##3(T, T, T);                                           \
    __host__ __device__ name##4 make_##name##4(T, T, T, T);

RK_PARSE_VECTOR(signed char, char, 2, 4)
RK_PARSE_VECTOR(unsigned char, uchar, 2, 4)
RK_PARSE_VECTOR(short, short, 4, 8)
RK_PARSE_VECTOR(unsigned short, ushort, 4, 8)
RK_PARSE_VECTOR(int, int, 8, 16)
RK_PARSE_VECTOR(unsigned, uint, 8, 16)
RK_PARSE_VECTOR(long, long, 16, 16)
RK_PARSE_VECTOR(unsigned long, ulong, 16, 16)
RK_PARSE_VECTOR(long long, longlong, 16, 16)
RK_PARSE_VECTOR(unsigned long long, ulonglong, 16, 16)
RK_PARSE_VECTOR(float, float, 8, 16)
RK_PARSE_VECTOR(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
        : x(a), y(b), z(c)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

#endif
