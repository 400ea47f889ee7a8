extern __shared__ float whole[];
extern "C" {
extern __shared__ __align__(16) char aligned[];
}
#define DYNAMIC(T, name) extern __shared__ T name[]

template <class T> struct shared_memory {
    __device__ operator T *()
    {
        extern __shared__ int raw[];
        return (T *)raw;
    }
};
__device__ float helper(int i) { return whole[i]; }
template <class T> __global__ void typed(T *a)
{
    __shared__ alignas(16) T fixed[32];
    extern __align__(8) __shared__ volatile T x[];
    extern __shared__ unsigned char rows[][4][2];
    DYNAMIC(T, y);
    static __shared__ int counter;
    T *z = shared_memory<T>();
    fixed[threadIdx.x] = x[0] + y[0] + z[0] + rows[0][1][1];
    counter = 0;
    __syncthreads();
    a[threadIdx.x] = fixed[31 - threadIdx.x] + counter;
}
__global__ void at_file_scope(float *a)
{
    whole[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = helper(threadIdx.x) + aligned[0];
}
__global__ void hides(float *whole) { whole[0] = 1; }
void host(float *a) { typed<float><<<1, 32, 1024>>>(a); at_file_scope<<<1, 32, 128>>>(a); hides<<<1, 1>>>(a); }
