#pragma once
#include "t.cuh"
#include <cstddef>
template <class T> __device__ T Tile<T>::sum() const { return v[0] + v[1] + v[2] + v[3]; }
template <class T> template <class U> __device__ U Tile<T>::scaled(U by) const { return U(sum()) * by; }
template <class T> __device__ typename Tile<T>::Inner Tile<T>::inner(int i) const { return {v[i]}; }
template <class T>
template <class U>
Tile<T> &Tile<T>::assign(const U *from)
{
    for (T &x : v)
        x = *from++;
    return *this;
}
template <class T> __device__ T row_sum(const Tile<T> &t) { return t.sum() + t.template scaled<float>(2.f) + t.inner(1).x; }
template <class T> __global__ void tiles(T *y)
{
    Tile<T> t = {{T(threadIdx.x), 1, 2, 3}};
    y[threadIdx.x] += row_sum(t);
}
