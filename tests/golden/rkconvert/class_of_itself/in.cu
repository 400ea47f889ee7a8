#include <cuda_runtime.h>
// Classes that have an instance of their own template for a base or a member.
template <class T> struct list;
template <> struct list<int> {
    int last;
    __device__ list(int v) : last(v) {}
};
template <class T> struct list : list<int> {
    T value;
    __device__ list(int v) : list<int>(v), value(v) {}
    __device__ ~list() {}
};
template <class T> struct tree;
template <> struct tree<char> {
    char c;
};
template <class T> struct tree {
    T value;
    tree<int> *left;
    tree<char> right;
};
template <class T> struct ring;
template <> struct ring<int> {
    int v;
};
template <class T> struct other {
    ring<int> r;
};
template <class T> struct ring {
    other<T> o;
    T v;
};
template <int N> struct counts;
template <> struct counts<0> {
    int *zero;
};
template <int N> struct counts : counts<N - 1> {
    int n;
};
struct pair_of {
    int x;
    __device__ __host__ pair_of(const pair_of &a, int n) : x(n > 0 ? pair_of(a, n - 1).x : a.x) {}
    __device__ __host__ pair_of(int n) : x(n) {}
};
__global__ void k(int *x, tree<float> t, ring<float> r, counts<40> c)
{
    list<float> l(x[threadIdx.x]);
    pair_of p(pair_of(3), 2);
    x[threadIdx.x] = l.last + p.x + t.right.c + r.o.r.v + c.n;
}
void launch(int *x, tree<float> t, ring<float> r, counts<40> c)
{
    pair_of p(pair_of(1), 1);
    k<<<p.x, 32>>>(x, t, r, c);
}
