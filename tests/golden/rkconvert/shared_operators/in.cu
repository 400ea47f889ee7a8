// Dynamic shared memory behind a conversion, which cannot take the context.
template <class T> struct memory {
    __device__ operator T *()
    {
        extern __shared__ int bytes[];
        return reinterpret_cast<T *>(bytes);
    }
};
template <> struct memory<double> {
    __device__ operator double *()
    {
        extern __shared__ double doubles[];
        return doubles;
    }
};

template <class T> __global__ void reversed(const T *in, T *out, int n)
{
    T *all = memory<T>();
    if (threadIdx.x < n)
        all[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        out[threadIdx.x] = all[n - 1 - threadIdx.x];
}

// Arrays of its own come first in a vEU's buffer.
template <class T> __global__ void beside(const T *in, T *out, int n)
{
    __shared__ T last;
    T *all = memory<T>();
    if (threadIdx.x == 0)
        last = in[n - 1];
    if (threadIdx.x < n)
        all[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        out[threadIdx.x] = all[threadIdx.x] - last;
}

void run(const float *in, float *out, const double *from, double *to, int n)
{
    reversed<<<1, 128, n * sizeof(float)>>>(in, out, n);
    reversed<<<1, 128, n * sizeof(double)>>>(from, to, n);
    beside<<<1, 128, n * sizeof(float)>>>(in, out, n);
}
