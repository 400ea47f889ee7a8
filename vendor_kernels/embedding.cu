// Gathering by index, of which an embedding is the case of axis 0. An index below 0 counts from the
// end.
#include "common.cuh"

template <class Index>
__device__ __forceinline__ int resolve(Index index, int extent)
{
    return (int)(index < 0 ? index + extent : index);
}

// A block for each index copies one row of the table.
template <class Index>
__global__ void embedding_rows(const float *__restrict__ table, const Index *__restrict__ indices,
                               float *__restrict__ out, int extent, int width)
{
    __shared__ int row;
    if (threadIdx.x == 0)
        row = resolve(indices[blockIdx.x], extent);
    __syncthreads();
    const float *from = table + (size_t)row * width;
    float *to = out + (size_t)blockIdx.x * width;
    const bool aligned = is_aligned16(from) && is_aligned16(to);
    for (int i = threadIdx.x * 4; i < width; i += blockDim.x * 4) {
        const int left = width - i;
        const float4 v = load4(from + i, left, aligned);
        if (aligned && left >= 4) {
            *reinterpret_cast<float4 *>(to + i) = v;
        } else {
            to[i] = v.x;
            if (left > 1)
                to[i + 1] = v.y;
            if (left > 2)
                to[i + 2] = v.z;
            if (left > 3)
                to[i + 3] = v.w;
        }
    }
}

// A thread for each element of [outer, indices, inner], from a table [outer, extent, inner].
template <class Index>
__global__ void gather(const float *__restrict__ table, const Index *__restrict__ indices,
                       float *__restrict__ out, int elements, int extent, int count, int inner)
{
    GRID_STRIDE_LOOP(e, elements) {
        const int i = e % inner;
        const int index = e / inner % count;
        const int o = e / inner / count;
        const int row = resolve(indices[index], extent);
        out[e] = table[((size_t)o * extent + row) * inner + i];
    }
}

void launch_embedding_i32(const float *table, const int *indices, float *out, int count, int extent,
                          int width, cudaStream_t stream)
{
    embedding_rows<int><<<count, 64, 0, stream>>>(table, indices, out, extent, width);
}

void launch_embedding_i64(const float *table, const long long *indices, float *out, int count,
                          int extent, int width, cudaStream_t stream)
{
    embedding_rows<long long><<<count, 64, 0, stream>>>(table, indices, out, extent, width);
}

void launch_gather_i32(const float *table, const int *indices, float *out, int outer, int extent,
                       int count, int inner, cudaStream_t stream)
{
    const int elements = outer * count * inner;
    gather<int><<<ceil_div(elements, 128), 128, 0, stream>>>(table, indices, out, elements, extent,
                                                             count, inner);
}

void launch_gather_i64(const float *table, const long long *indices, float *out, int outer,
                       int extent, int count, int inner, cudaStream_t stream)
{
    const int elements = outer * count * inner;
    gather<long long><<<ceil_div(elements, 128), 128, 0, stream>>>(table, indices, out, elements,
                                                                   extent, count, inner);
}
