#ifndef TABLES_H
#define TABLES_H
#ifdef __cplusplus
extern "C" {
#endif
#include "plain.h"
#ifdef __cplusplus
}
#endif
extern __constant__ float weights[4];
extern __device__ Pair pairs[2];
struct Key {
    int x;
};
namespace lib
{
struct Value {
    int v;
};
__device__ inline int weigh(Value v) { return v.v * 3; }
template <class T> __device__ int weigh_all(T t) { return weigh(t); }
namespace
{
__device__ inline int hidden() { return 11; }
__device__ int counted = __COUNTER__;
} // namespace
} // namespace lib
namespace std
{
template <> struct hash<Key> {
    size_t operator()(Key k) const { return k.x; }
};
template <> struct numeric_limits<Key> {
    __host__ __device__ static constexpr int max() { return 77; }
};
} // namespace std
#endif
