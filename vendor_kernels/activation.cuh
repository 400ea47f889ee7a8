// Activation functions, and their numbers where a kernel takes one as an argument.
#pragma once

#include <cuda_runtime.h>

enum Activation { ACT_NONE = 0, ACT_RELU = 1, ACT_TANH = 2, ACT_SIGMOID = 3, ACT_GELU = 4 };

__device__ __forceinline__ float sigmoid(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

// The exact one, with erf.
__device__ __forceinline__ float gelu(float x)
{
    return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
}

// The approximation with tanh.
__device__ __forceinline__ float gelu_tanh(float x)
{
    const float inner = 0.79788456080286536f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
}

__device__ __forceinline__ float activate(float x, int activation)
{
    switch (activation) {
    case ACT_RELU:
        return fmaxf(x, 0.0f);
    case ACT_TANH:
        return tanhf(x);
    case ACT_SIGMOID:
        return sigmoid(x);
    case ACT_GELU:
        return gelu(x);
    default:
        return x;
    }
}
