// Texture objects over linear memory, pitched memory and arrays: points and linear filtering, normalised
// coordinates, and every way to address what is outside.
#include <cstring>

#include "check.h"

__global__ void fetch(cudaTextureObject_t from, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<int>(from, n - 1 - i);
}

__global__ void sample(cudaTextureObject_t from, const float2 *places, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2D<float>(from, places[i].x, places[i].y);
}

__global__ void sample_pixels(cudaTextureObject_t from, float4 *out, int width)
{
    out[threadIdx.y * width + threadIdx.x] = tex2D<float4>(from, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

static cudaTextureDesc description(cudaTextureAddressMode address, cudaTextureFilterMode filter, bool normalized)
{
    cudaTextureDesc made;
    std::memset(&made, 0, sizeof(made));
    made.addressMode[0] = made.addressMode[1] = address;
    made.filterMode = filter;
    made.readMode = cudaReadModeElementType;
    made.normalizedCoords = normalized;
    return made;
}

static cudaTextureObject_t make_texture(const cudaResourceDesc &resource, const cudaTextureDesc &how)
{
    cudaTextureObject_t made = 0;
    CUDA_OK(cudaCreateTextureObject(&made, &resource, &how, nullptr));
    return made;
}

static void check_fetch()
{
    const int n = 333;
    std::vector<int> values = check::values<int>(n, 52), want(values.rbegin(), values.rend());
    check::buffer<int> device(values), out(n);
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (int *)device;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = n * sizeof(int);
    cudaTextureObject_t made = make_texture(resource, description(cudaAddressModeClamp, cudaFilterModePoint, false));
    fetch<<<check::blocks_for(n, 64), 64>>>(made, out, n);
    LAUNCH_OK();
    check::same("fetched", out.get(), want);
    CUDA_OK(cudaDestroyTextureObject(made));
}

constexpr int WIDTH = 8, HEIGHT = 4;

// The index of a texel along one side, or -1 for the border, by the mode's rule.
static int texel(int at, int size, cudaTextureAddressMode mode)
{
    if (at >= 0 && at < size)
        return at;
    switch (mode) {
    case cudaAddressModeClamp:
        return at < 0 ? 0 : size - 1;
    case cudaAddressModeWrap:
        return (at % size + size) % size;
    case cudaAddressModeMirror: {
        int in_pair = (at % (2 * size) + 2 * size) % (2 * size);
        return in_pair < size ? in_pair : 2 * size - 1 - in_pair;
    }
    default:
        return -1;
    }
}

static float expected(const std::vector<float> &image, float2 place, const cudaTextureDesc &how)
{
    float x = place.x * (how.normalizedCoords ? WIDTH : 1), y = place.y * (how.normalizedCoords ? HEIGHT : 1);
    auto at = [&](int column, int row) {
        int i = texel(column, WIDTH, how.addressMode[0]), j = texel(row, HEIGHT, how.addressMode[1]);
        return i < 0 || j < 0 ? 0.0f : image[j * WIDTH + i];
    };
    if (how.filterMode == cudaFilterModePoint)
        return at((int)std::floor(x), (int)std::floor(y));
    float left = std::floor(x - 0.5f), top = std::floor(y - 0.5f), a = x - 0.5f - left, b = y - 0.5f - top;
    int i = (int)left, j = (int)top;
    return (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) + a * b * at(i + 1, j + 1);
}

// Places a quarter of a texel apart, from outside on one side to outside on the other.
static std::vector<float2> places(bool normalized)
{
    std::vector<float2> made;
    for (int y = -10; y < 4 * HEIGHT + 10; y++)
        for (int x = -10; x < 4 * WIDTH + 10; x++)
            made.push_back(make_float2((x + 0.5f) / 4 / (normalized ? WIDTH : 1), (y + 0.5f) / 4 / (normalized ? HEIGHT : 1)));
    return made;
}

static void check_sampling(const char *name, const cudaResourceDesc &resource, const std::vector<float> &image,
                           const cudaTextureDesc &how)
{
    std::vector<float2> at = places(how.normalizedCoords);
    check::buffer<float2> device(at);
    check::buffer<float> out(at.size());
    cudaTextureObject_t made = make_texture(resource, how);
    sample<<<check::blocks_for(at.size(), 128), 128>>>(made, device, out, (int)at.size());
    LAUNCH_OK();
    std::vector<float> want;
    for (float2 place : at)
        want.push_back(expected(image, place, how));
    check::same(name, out.get(), want, 1e-5);
    CUDA_OK(cudaDestroyTextureObject(made));
}

static void check_array()
{
    std::vector<float> image = check::values<float>(WIDTH * HEIGHT, 53);
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CUDA_OK(cudaMallocArray(&array, &channel, WIDTH, HEIGHT));
    CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, image.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT,
                                cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
        check_sampling("clamp", resource, image, description(cudaAddressModeClamp, filter, false));
        check_sampling("border", resource, image, description(cudaAddressModeBorder, filter, false));
        check_sampling("clamp, normalised", resource, image, description(cudaAddressModeClamp, filter, true));
        check_sampling("wrap", resource, image, description(cudaAddressModeWrap, filter, true));
        check_sampling("mirror", resource, image, description(cudaAddressModeMirror, filter, true));
    }
    CUDA_OK(cudaFreeArray(array));
}

static void check_pitched()
{
    std::vector<float> image = check::values<float>(WIDTH * HEIGHT, 54);
    float *memory;
    size_t pitch;
    CUDA_OK(cudaMallocPitch((void **)&memory, &pitch, WIDTH * sizeof(float), HEIGHT));
    CUDA_OK(cudaMemcpy2D(memory, pitch, image.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT,
                         cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {memory, cudaCreateChannelDesc<float>(), WIDTH, HEIGHT, pitch};
    check_sampling("pitched", resource, image, description(cudaAddressModeClamp, cudaFilterModeLinear, false));
    CUDA_OK(cudaFree(memory));
}

// Bytes that are read as floats between 0 and 1.
static void check_pixels()
{
    std::vector<uchar4> pixels;
    std::vector<float> want, got;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        pixels.push_back(make_uchar4((unsigned char)i, (unsigned char)(255 - i), (unsigned char)(8 * i), 255));
        want.insert(want.end(), {(float)i / 255, (float)(255 - i) / 255, (float)(8 * i % 256) / 255, 1});
    }
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    CUDA_OK(cudaMallocArray(&array, &channel, WIDTH, HEIGHT));
    CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, pixels.data(), WIDTH * sizeof(uchar4), WIDTH * sizeof(uchar4), HEIGHT,
                                cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = description(cudaAddressModeClamp, cudaFilterModePoint, false);
    how.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t made = make_texture(resource, how);
    check::buffer<float4> out(WIDTH * HEIGHT);
    sample_pixels<<<1, dim3(WIDTH, HEIGHT)>>>(made, out, WIDTH);
    LAUNCH_OK();
    for (float4 p : out.get())
        got.insert(got.end(), {p.x, p.y, p.z, p.w});
    check::same("pixels", got, want, 1e-6);
    CUDA_OK(cudaDestroyTextureObject(made));
    CUDA_OK(cudaFreeArray(array));
}

int main()
{
    check_fetch();
    check_array();
    check_pitched();
    check_pixels();
    return check::done();
}
