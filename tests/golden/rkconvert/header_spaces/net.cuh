#ifndef NET_CUH
#define NET_CUH
namespace net
{
struct Shape {
    int n;
};
template <class T> inline __device__ T add(T value, T *address);
template <> inline __device__ float add(float value, float *address)
{
    return atomicAdd(address, value);
}
namespace detail
{
inline __device__ float half(float x) { return x / 2; }
} // namespace detail
} // namespace net
#endif
