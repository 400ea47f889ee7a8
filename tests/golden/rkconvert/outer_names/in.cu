// Names from the outermost scope on behind a `>`, and calls of `operator ()` by that name.
struct item {
    int v;
};
namespace proto
{
struct item {
    int v;
};
}
struct arena {
    template <class T> __device__ static T make(int v);
};
template <> __device__ ::item arena::make<::item>(int v)
{
    return {v};
}
template <>::proto::item __device__ arena::make<::proto::item>(int v)
{
    return {v + 1};
}
#define SAYS [[maybe_unused]]
SAYS ::item *last(::proto::item *p);
struct maker {
    SAYS ::proto::item *first(int n);
};
SAYS ::proto::item *maker ::first(int n)
{
    return nullptr;
}
template <class T> struct list {
    static const int size = 3;
};
const int limit = 2;

struct twice {
    int by;
    __device__ int operator()(int a, int n) const
    {
        return a * by + n + threadIdx.x;
    }
    template <class T> __device__ int operator()(T *a) const
    {
        return operator()(*a, 1) + this->operator()(*a, 2);
    }
};

__global__ void k(int *y)
{
    twice t{2};
    int n = t(y) + t.operator()(1, 2) + t.template operator()<int>(y);
    y[threadIdx.x] = n + (list<int>::size > ::limit) + (n >::limit) + (n < 4 && n > ::limit) +
                     arena::make<::item>(1).v + arena::make<::proto::item>(1).v;
}

void go(int *y)
{
    k<<<1, 32>>>(y);
}
