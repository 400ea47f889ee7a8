#pragma once
#include "u.h"
template <class T, class U = decltype(later(1))> struct Named {};
template <class T> struct Tile {
    T v[4];
    __device__ T sum() const;
    template <class U> __device__ U scaled(U by) const;
    struct Inner {
        T x;
    };
    __device__ Inner inner(int i) const;
    template <class U> Tile &assign(const U *from);
};
template <class T> __device__ T row_sum(const Tile<T> &t);
template <class T> __global__ void tiles(T *y);
#include "t-inl.cuh"
