// Textures of one to three dimensions and of layers: points and linear filtering in every way to address what is
// outside, at texels' exact borders too, and the formats of their texels. The references are the formulas of the
// programming guide, "Texture Fetching".
#include <cuda_fp16.h>

#include <cstring>

#include "check.h"

constexpr int NX = 4, NY = 2, NZ = 8; // powers of two, so that no coordinate is rounded
enum form { LINE, LINES, PLANE, PLANES, SPACE, FORMS };

struct shape {
    const char *name;
    int dimensions;
    bool layered;
};
static const shape shapes[FORMS] = {
    {"1D", 1, false}, {"1D, layered", 1, true}, {"2D", 2, false}, {"2D, layered", 2, true}, {"3D", 3, false}};

struct place {
    float x, y, z;
    int layer;
};

__global__ void sample(cudaTextureObject_t from, form of, const place *places, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    place p = places[i];
    switch (of) {
    case LINE:
        out[i] = tex1D<float>(from, p.x);
        break;
    case LINES:
        out[i] = tex1DLayered<float>(from, p.x, p.layer);
        break;
    case PLANE:
        out[i] = tex2D<float>(from, p.x, p.y);
        break;
    case PLANES:
        out[i] = tex2DLayered<float>(from, p.x, p.y, p.layer);
        break;
    default:
        out[i] = tex3D<float>(from, p.x, p.y, p.z);
    }
}

struct axis {
    int size;
    cudaTextureAddressMode mode;
};

// The texel of an index that may lie outside; -1 for the border. Wrapped and mirrored ones repeat.
static int texel(int i, axis a)
{
    if (a.mode == cudaAddressModeWrap)
        return (i % a.size + a.size) % a.size;
    if (a.mode == cudaAddressModeMirror) {
        int in_pair = (i % (2 * a.size) + 2 * a.size) % (2 * a.size);
        return in_pair < a.size ? in_pair : 2 * a.size - 1 - in_pair;
    }
    if (a.mode == cudaAddressModeBorder)
        return i < 0 || i >= a.size ? -1 : i;
    return std::min(std::max(i, 0), a.size - 1);
}

// A point's texel: a mirrored coordinate is 1 - frac(x) where floor(x) is odd.
static int nearest(float x, bool normalised, axis a)
{
    if (!normalised)
        return texel((int)std::floor(x), a);
    if (a.mode == cudaAddressModeMirror) {
        float whole = std::floor(x), part = x - whole;
        if (std::fmod(whole, 2) != 0)
            part = 1 - part;
        return std::min((int)std::floor(part * a.size), a.size - 1);
    }
    return texel((int)std::floor(x * a.size), a);
}

static const float border_colour = 7.5f;

struct reference {
    const std::vector<float> &image;
    int dimensions, layers;
    bool normalised, linear;
    axis axes[3];

    float at(const int *index, int layer) const
    {
        int place = layers ? std::min(std::max(layer, 0), layers - 1) : 0;
        for (int d = dimensions - 1; d >= 0; d--) {
            if (index[d] < 0)
                return border_colour;
            place = place * axes[d].size + index[d];
        }
        return image[place];
    }

    float operator()(const place &p) const
    {
        const float x[3] = {p.x, p.y, p.z};
        int index[3] = {0, 0, 0};
        if (!linear) {
            for (int d = 0; d < dimensions; d++)
                index[d] = nearest(x[d], normalised, axes[d]);
            return at(index, p.layer);
        }
        float sum = 0;
        for (int corner = 0; corner < 1 << dimensions; corner++) {
            float share = 1;
            for (int d = 0; d < dimensions; d++) {
                const float b = x[d] * (normalised ? axes[d].size : 1) - 0.5f;
                const float weight = std::nearbyint((b - std::floor(b)) * 256) / 256; // 8 bits of fraction
                const int upper = corner >> d & 1;
                index[d] = texel((int)std::floor(b) + upper, axes[d]);
                share *= upper ? weight : 1 - weight;
            }
            sum += share * at(index, p.layer);
        }
        return sum;
    }
};

static cudaTextureDesc description(cudaTextureAddressMode mode, bool linear, bool normalised)
{
    cudaTextureDesc made;
    std::memset(&made, 0, sizeof(made));
    for (cudaTextureAddressMode &m : made.addressMode)
        m = mode;
    made.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    made.normalizedCoords = normalised;
    for (float &c : made.borderColor)
        c = border_colour;
    return made;
}

static cudaTextureObject_t make_texture(cudaArray_t array, const cudaTextureDesc &how)
{
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t made = 0;
    CUDA_OK(cudaCreateTextureObject(&made, &resource, &how, nullptr));
    return made;
}

// Array of a form, and its texels.
static cudaArray_t make_array(form of, std::vector<float> &image)
{
    const shape &s = shapes[of];
    const int height = s.dimensions > 1 ? NY : 0, depth = s.dimensions > 2 || s.layered ? NZ : 0;
    image = check::values<float>(NX * std::max(height, 1) * std::max(depth, 1), 60 + of);
    const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CUDA_OK(cudaMalloc3DArray(&array, &channel, make_cudaExtent(NX, height, depth),
                              s.layered ? cudaArrayLayered : cudaArrayDefault));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(image.data(), NX * sizeof(float), NX, std::max(height, 1));
    copy.dstArray = array;
    copy.extent = make_cudaExtent(NX, std::max(height, 1), std::max(depth, 1));
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_OK(cudaMemcpy3D(&copy));
    return array;
}

// Places an eighth of a texel apart along x, from two periods before to two after: borders and centres are among
// them; y and z go the same way more coarsely.
static std::vector<place> places(const shape &s, bool normalised)
{
    std::vector<place> made;
    for (int z = -5; z < (s.dimensions > 2 ? 2 * NZ + 5 : -4); z += 3)
        for (int y = -5; y < (s.dimensions > 1 ? 2 * NY + 5 : -4); y += 2)
            for (int x = -16 * NX; x <= 24 * NX; x++)
                made.push_back({x / 8.0f / (normalised ? NX : 1), y / 2.0f / (normalised ? NY : 1),
                                z / 2.0f / (normalised ? NZ : 1), s.layered ? (x & 15) - 4 : 0});
    return made;
}

static void check_shape(form of)
{
    const shape &s = shapes[of];
    std::vector<float> image;
    cudaArray_t array = make_array(of, image);
    for (auto mode : {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror})
        for (bool linear : {false, true})
            for (bool normalised : {false, true}) {
                const bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
                const auto used = repeats && !normalised ? cudaAddressModeClamp : mode;
                const std::vector<place> at = places(s, normalised);
                const reference want = {image,  s.dimensions, s.layered ? NZ : 0,
                                        normalised, linear, {{NX, used}, {NY, used}, {NZ, used}}};
                check::buffer<place> device(at);
                check::buffer<float> out(at.size());
                cudaTextureObject_t made = make_texture(array, description(mode, linear, normalised));
                sample<<<check::blocks_for(at.size(), 128), 128>>>(made, of, device, out, (int)at.size());
                LAUNCH_OK();
                std::vector<float> wanted;
                for (const place &p : at)
                    wanted.push_back(want(p));
                check::same(s.name, out.get(), wanted, linear ? 1e-5 : 0);
                CUDA_OK(cudaDestroyTextureObject(made));
            }
    CUDA_OK(cudaFreeArray(array));
}

template <class T> __global__ void read_texels(cudaTextureObject_t from, T *out)
{
    out[threadIdx.x] = tex1D<T>(from, threadIdx.x + 0.5f);
}

// Texels of type T read as U.
template <class T, class U> static std::vector<U> read_as(const std::vector<T> &texels, const cudaChannelFormatDesc &channel,
                                                          cudaTextureReadMode mode)
{
    cudaArray_t array;
    CUDA_OK(cudaMallocArray(&array, &channel, texels.size()));
    CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), texels.size() * sizeof(T), texels.size() * sizeof(T), 1,
                                cudaMemcpyHostToDevice));
    cudaTextureDesc how = description(cudaAddressModeClamp, false, false);
    how.readMode = mode;
    cudaTextureObject_t made = make_texture(array, how);
    check::buffer<U> out(texels.size());
    read_texels<U><<<1, (unsigned)texels.size()>>>(made, out);
    LAUNCH_OK();
    CUDA_OK(cudaDestroyTextureObject(made));
    CUDA_OK(cudaFreeArray(array));
    return out.get();
}

static void check_formats()
{
    const auto normalised = cudaReadModeNormalizedFloat;
    const auto plain = cudaReadModeElementType;
    check::same("signed char", read_as<signed char, float>({-128, -127, 0, 64, 127}, cudaCreateChannelDesc<signed char>(), normalised),
                {-1, -1, 0, 64 / 127.0f, 1});
    check::same("unsigned short",
                read_as<unsigned short, float>({0, 1, 65535}, cudaCreateChannelDesc<unsigned short>(), normalised),
                {0, 1 / 65535.0f, 1});
    check::same("short", read_as<short, float>({-32768, -32767, 32767}, cudaCreateChannelDesc<short>(), normalised), {-1, -1, 1});
    check::same("short as it is", read_as<short, short>({-32768, -1, 9}, cudaCreateChannelDesc<short>(), plain), {-32768, -1, 9});
    check::same("unsigned", read_as<unsigned, unsigned>({0, 0xffffffffu, 5}, cudaCreateChannelDesc<unsigned>(), plain),
                {0, 0xffffffffu, 5});
    check::same("half", read_as<unsigned short, float>({0x3c00, 0xc100, 0x0001, 0x7bff}, cudaCreateChannelDescHalf(), plain),
                {1, -2.5f, 0x1p-24f, 65504});
}

int main()
{
    for (int of = 0; of < FORMS; of++)
        check_shape((form)of);
    check_formats();
    return check::done();
}
