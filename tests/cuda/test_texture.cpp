/* Texture and surface objects against the formulas of the CUDA programming guide. */

#include "check.h"

#include <cuda_runtime.h>

#include <cmath>
#include <cstring>

static cudaTextureObject_t make(const float *values, unsigned width, unsigned height,
                                cudaArray_t *array, cudaTextureAddressMode mode, bool linear,
                                bool normalized)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    GOOD(cudaMallocArray(array, &format, width, height));
    GOOD(cudaMemcpy2DToArray(*array, 0, 0, values, width * 4, width * 4, height ? height : 1,
                             cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = *array;
    cudaTextureDesc texture = {};
    texture.addressMode[0] = texture.addressMode[1] = mode;
    texture.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    texture.normalizedCoords = normalized;
    texture.borderColor[0] = 9;
    cudaTextureObject_t object = 0;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    return object;
}

static float read_at(cudaTextureAddressMode mode, bool linear, bool normalized, float x)
{
    const float values[4] = {10, 20, 40, 80};
    cudaArray_t array;
    const cudaTextureObject_t object = make(values, 4, 0, &array, mode, linear, normalized);
    const float value = tex1D<float>(object, x);
    GOOD(cudaDestroyTextureObject(object));
    GOOD(cudaFreeArray(array));
    return value;
}

static void modes()
{
    CHECK(read_at(cudaAddressModeClamp, false, false, 1.9f) == 20);
    CHECK(read_at(cudaAddressModeClamp, false, false, -3) == 10);
    CHECK(read_at(cudaAddressModeClamp, false, false, 17) == 80);
    CHECK(read_at(cudaAddressModeBorder, false, false, 4.5f) == 9);
    CHECK(read_at(cudaAddressModeWrap, false, true, 1.3f) == 20);
    CHECK(read_at(cudaAddressModeWrap, false, true, -0.2f) == 80);
    CHECK(read_at(cudaAddressModeMirror, false, true, 1.1f) == 80);
    CHECK(read_at(cudaAddressModeMirror, false, true, -0.3f) == 20);
    CHECK(read_at(cudaAddressModeWrap, false, false, 5) == 80); /* wraps only normalised ones */
    CHECK(read_at(cudaAddressModeClamp, true, false, 1.5f) == 20);
    CHECK(read_at(cudaAddressModeClamp, true, false, 2.0f) == 30);
    CHECK(read_at(cudaAddressModeClamp, true, false, 1.5f + 1.0f / 512) == 20 + 20 / 256.0f);
    CHECK(read_at(cudaAddressModeClamp, true, false, 1.5f + 1.0f / 1024) == 20);
    CHECK(read_at(cudaAddressModeBorder, true, false, 0) == 9.5f);
    CHECK(read_at(cudaAddressModeWrap, true, true, 0) == 45);
}

static void plane()
{
    const float values[6] = {1, 2, 3, 11, 12, 13};
    cudaArray_t array;
    const cudaTextureObject_t object =
        make(values, 3, 2, &array, cudaAddressModeClamp, true, false);
    CHECK(tex2D<float>(object, 1.0f, 1.0f) == 6.5f);
    float value;
    tex2D(&value, object, 2.5f, 1.5f);
    CHECK(value == 13);
    const float4 four = tex2Dgather<float4>(object, 1.0f, 1.0f);
    CHECK(four.x == 11 && four.y == 12 && four.z == 2 && four.w == 1);
    GOOD(cudaDestroyTextureObject(object));
    GOOD(cudaFreeArray(array));
}

static void formats()
{
    unsigned char *d;
    const unsigned char bytes[8] = {0, 255, 128, 51, 7, 8, 9, 10};
    GOOD(cudaMalloc(&d, 8));
    GOOD(cudaMemcpy(d, bytes, 8, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d;
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.linear.sizeInBytes = 8;
    cudaTextureDesc texture = {};
    cudaTextureObject_t object;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    const uchar4 raw = tex1Dfetch<uchar4>(object, 1);
    CHECK(raw.x == 7 && raw.w == 10);
    CHECK(tex1Dfetch<uchar4>(object, 2).x == 0);
    GOOD(cudaDestroyTextureObject(object));
    texture.readMode = cudaReadModeNormalizedFloat;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    const float4 f = tex1Dfetch<float4>(object, 0);
    CHECK(f.x == 0 && f.y == 1 && f.w == 51 / 255.0f);
    GOOD(cudaDestroyTextureObject(object));
    texture.readMode = cudaReadModeElementType;
    texture.filterMode = cudaFilterModeLinear;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr) ==
          cudaErrorInvalidFilterSetting);
    GOOD(cudaFree(d));
}

static void surfaces()
{
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    GOOD(cudaMallocArray(&array, &format, 4, 2, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    GOOD(cudaCreateSurfaceObject(&surface, &resource));
    surf2Dwrite(77, surface, 3 * 4, 1);
    CHECK(surf2Dread<int>(surface, 12, 1) == 77);
    CHECK(surf2Dread<int>(surface, 16, 1, cudaBoundaryModeZero) == 0);
    CHECK(surf2Dread<int>(surface, 400, 5, cudaBoundaryModeClamp) == 77);
    GOOD(cudaDestroySurfaceObject(surface));
    GOOD(cudaFreeArray(array));
}

int main()
{
    modes();
    plane();
    formats();
    surfaces();
    return failures != 0;
}
