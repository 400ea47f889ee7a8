// Stands in for the toolkit's headers.
__device__ inline void __mbarrier_init(unsigned long long *barrier, unsigned count) {}
namespace cuda {
template <int Scope> class barrier
{
public:
    barrier() = default;
    ~barrier() {}
    __device__ friend void init(barrier *b, int count) { b->expected_ = count; }
    __device__ void arrive_and_wait() {}

private:
    int expected_ = 0;
};
template <int Scope, int Stages> struct pipeline_shared_state {
    barrier<Scope> filled[Stages], emptied[Stages];
};
namespace ptx {
__device__ inline void fence_proxy_async() {}
} // namespace ptx
} // namespace cuda
