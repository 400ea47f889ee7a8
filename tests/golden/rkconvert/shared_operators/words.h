#pragma once
struct header_words {
    __device__ operator int *()
    {
        extern __shared__ int all[];
        return all;
    }
};
