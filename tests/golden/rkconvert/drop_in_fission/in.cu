__global__ void reversed(const float *in, float *out, int n)
{
    extern __shared__ float s[];
    int me = threadIdx.x, left = blockDim.x;
    float sum = 0, last[2];
    s[me] = in[me];
#pragma unroll
    for (int i = 0; i < n; i++) {
        __syncthreads(); // all are there
        last[i % 2] = s[left - 1 - me];
        if (last[0] < 0)
            return;
        sum += last[i % 2];
    }
    out[me] = sum;
}

__global__ void uneven(float *out, int n)
{
    if (threadIdx.x < 5)
        __syncthreads();
    out[threadIdx.x] = n;
}

__global__ void plain(float *out)
{
    out[threadIdx.x] = 1;
}

// A vDevice runs the second form of `reversed` on a vEU, too.
int main()
{
    float *p;
    cudaMalloc(&p, 32 * sizeof *p);
    reversed<<<1, 32, 128>>>(p, p, 2);
    uneven<<<1, 32>>>(p, 3);
    plain<<<1, 32>>>(p);
    return 0;
}
