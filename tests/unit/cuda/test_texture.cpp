/* Texture and surface objects against the formulas of the CUDA programming guide. */

#include "expect.h"

#include <cuda_runtime.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

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

/* Every shape of surface, x counting bytes; what lies outside is zero or the nearest, and a fault where it traps. */
static void shapes()
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
    const struct {
        cudaExtent extent;
        unsigned flags;
    } made[] = {{{5, 0, 0}, 0},
                {{5, 0, 3}, cudaArrayLayered},
                {{5, 4, 3}, cudaArrayLayered},
                {{5, 4, 3}, 0}};
    for (const auto &m : made) {
        cudaArray_t array;
        GOOD(cudaMalloc3DArray(&array, &format, m.extent, m.flags | cudaArraySurfaceLoadStore));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaSurfaceObject_t s;
        GOOD(cudaCreateSurfaceObject(&s, &resource));
        const bool layered = m.flags != 0, flat = m.extent.height == 0;
        for (short z = 0; z < short(m.extent.depth ? m.extent.depth : 1); z++)
            for (short y = 0; y < short(flat ? 1 : m.extent.height); y++)
                for (short x = 0; x < 5; x++) {
                    const short value = short(x + 10 * y + 100 * z);
                    if (flat)
                        layered ? surf1DLayeredwrite(value, s, x * 2, z)
                                : surf1Dwrite(value, s, x * 2);
                    else
                        layered ? surf2DLayeredwrite(value, s, x * 2, y, z)
                                : surf3Dwrite(value, s, x * 2, y, z);
                }
        if (flat)
            CHECK((layered ? surf1DLayeredread<short>(s, 6, 2) : surf1Dread<short>(s, 6)) ==
                  (layered ? 203 : 3));
        else
            CHECK((layered ? surf2DLayeredread<short>(s, 8, 3, 1)
                           : surf3Dread<short>(s, 8, 3, 1)) == 134);
        CHECK(surf1Dread<short>(s, -2, cudaBoundaryModeZero) == 0);
        CHECK(surf1Dread<short>(s, -2, cudaBoundaryModeClamp) == 0);
        CHECK(surf1Dread<short>(s, 200, cudaBoundaryModeClamp) == 4);
        if (!flat && !layered) {
            CHECK(surf3Dread<short>(s, 2, 9, -1, cudaBoundaryModeClamp) == 31);
            CHECK(surf3Dread<short>(s, 2, 1, 3, cudaBoundaryModeZero) == 0);
            surf3Dwrite(short(-1), s, 2, 1, 3, cudaBoundaryModeZero);
            CHECK(surf3Dread<short>(s, 2, 1, 2) == 211);
        }
        GOOD(cudaDestroySurfaceObject(s));
        GOOD(cudaFreeArray(array));
    }
}

/** A cubemap of `layers` times six faces of 2x2 texels, each numbered as it lies in memory. */
static cudaTextureObject_t make_cube(cudaArray_t *array, unsigned layers)
{
    std::vector<float> values(layers * 24);
    std::iota(values.begin(), values.end(), 0.0f);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaExtent extent = make_cudaExtent(2, 2, layers * 6);
    GOOD(cudaMalloc3DArray(array, &format, extent,
                           cudaArrayCubemap | (layers > 1 ? cudaArrayLayered : 0)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(values.data(), 8, 2, 2);
    copy.dstArray = *array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = *array;
    cudaTextureDesc texture = {};
    texture.normalizedCoords = 1;
    texture.filterMode = cudaFilterModeLinear;
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t object = 0;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    return object;
}

/** Each face's texel where s and t of the guide's table are -1/2 and 1/2: column 0 of row 1. */
static void cubemaps()
{
    static const float directions[6][3] = {{1, -.5f, .5f},   {-1, -.5f, -.5f}, {-.5f, 1, .5f},
                                           {-.5f, -1, -.5f}, {-.5f, -.5f, 1},  {.5f, -.5f, -1}};
    cudaArray_t array;
    cudaTextureObject_t object = make_cube(&array, 1);
    for (int face = 0; face < 6; face++) {
        const float *d = directions[face];
        CHECK(texCubemap<float>(object, d[0], d[1], d[2]) == float(4 * face + 2));
        CHECK(texCubemap<float>(object, 3 * d[0], 3 * d[1], 3 * d[2]) == float(4 * face + 2));
    }
    CHECK(texCubemap<float>(object, 0, 0, 1) == 4 * 4 + 1.5f);
    GOOD(cudaDestroyTextureObject(object));
    GOOD(cudaFreeArray(array));
    object = make_cube(&array, 3);
    float value;
    texCubemapLayered(&value, object, -1, -.5f, -.5f, 2);
    CHECK(value == 24 * 2 + 4 + 2);
    CHECK(texCubemapLayered<float>(object, -1, -.5f, -.5f, 9) == 24 * 2 + 4 + 2);
    GOOD(cudaDestroyTextureObject(object));
    GOOD(cudaFreeArray(array));
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 3, 6), cudaArrayCubemap) ==
          cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 2, 12), cudaArrayCubemap) ==
          cudaErrorInvalidValue);
}

int main()
{
    modes();
    plane();
    formats();
    surfaces();
    shapes();
    cubemaps();
    return failures != 0;
}
