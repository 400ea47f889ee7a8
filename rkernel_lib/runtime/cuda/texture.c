#include "rkernel_lib/include/rk/cuda/cuda_texture.h"
#include "rkernel_lib/runtime/cuda/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTURE = 0x54455854, SURFACE = 0x53555246 };

/** A texture or surface: what a handle points to. */
typedef struct {
    uint32_t magic;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaChannelFormatDesc format;
    const unsigned char *data;
    size_t element, pitch, slice;
    size_t extent[3]; /**< at least 1 each; of a layered array without the layers */
    size_t layers;    /**< 0 when not layered; of a cubemap the faces, six for each layer */
    bool cube;
    int channels;
} object;

static cudaError_t open_array(object *o, cudaArray_const_t array)
{
    if (!array)
        return cudaErrorInvalidValue;
    const bool layered = (array->flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
    o->cube = (array->flags & cudaArrayCubemap) != 0;
    o->format = array->format;
    o->data = array->data;
    o->pitch = array->pitch;
    o->slice = array->slice;
    o->extent[0] = array->extent.width;
    o->extent[1] = array->extent.height ? array->extent.height : 1;
    o->extent[2] = layered || !array->extent.depth ? 1 : array->extent.depth;
    o->layers = layered ? array->extent.depth : 0;
    return cudaSuccess;
}

static cudaError_t open_resource(object *o)
{
    const struct cudaResourceDesc *r = &o->resource;
    cudaError_t error = cudaSuccess;
    o->extent[1] = o->extent[2] = 1;
    switch (r->resType) {
    case cudaResourceTypeArray:
        error = open_array(o, r->res.array.array);
        break;
    case cudaResourceTypeLinear:
        o->format = r->res.linear.desc;
        o->data = r->res.linear.devPtr;
        o->extent[0] =
            rk_format_size(&o->format) ? r->res.linear.sizeInBytes / rk_format_size(&o->format) : 0;
        break;
    case cudaResourceTypePitch2D:
        o->format = r->res.pitch2D.desc;
        o->data = r->res.pitch2D.devPtr;
        o->extent[0] = r->res.pitch2D.width;
        o->extent[1] = r->res.pitch2D.height;
        o->pitch = r->res.pitch2D.pitchInBytes;
        break;
    default:
        return cudaErrorNotSupported;
    }
    if (error != cudaSuccess)
        return error;
    o->element = rk_format_size(&o->format);
    if (o->element == 0)
        return cudaErrorInvalidChannelDescriptor;
    o->channels = (int)(o->element * 8) / o->format.x;
    return o->data && o->extent[0] > 0 && o->extent[1] > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

/** Whether it is an integer format that is read as it is. */
static bool reads_integers(const object *o)
{
    return o->format.f != cudaChannelFormatKindFloat &&
           o->texture.readMode == cudaReadModeElementType;
}

static cudaError_t check_texture(const object *o)
{
    const struct cudaTextureDesc *t = &o->texture;
    if (t->filterMode == cudaFilterModeLinear && reads_integers(o))
        return cudaErrorInvalidFilterSetting;
    if (t->readMode == cudaReadModeNormalizedFloat && o->format.x == 32 &&
        o->format.f != cudaChannelFormatKindFloat)
        return cudaErrorInvalidNormSetting;
    if (t->sRGB || t->seamlessCubemap || t->mipmapFilterMode == cudaFilterModeLinear)
        return cudaErrorNotSupported;
    return cudaSuccess;
}

static cudaError_t create(unsigned long long *out, uint32_t magic,
                          const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *texture)
{
    if (!out || !resource)
        return cudaErrorInvalidValue;
    *out = 0;
    object *o = calloc(1, sizeof *o);
    if (!o)
        return cudaErrorMemoryAllocation;
    o->magic = magic;
    o->resource = *resource;
    if (texture)
        o->texture = *texture;
    cudaError_t error = open_resource(o);
    if (error == cudaSuccess && texture)
        error = check_texture(o);
    if (error == cudaSuccess)
        *out = (unsigned long long)(uintptr_t)o;
    else
        free(o);
    return error;
}

static object *find(unsigned long long handle, uint32_t magic)
{
    object *o = (object *)(uintptr_t)handle;
    return o && o->magic == magic ? o : NULL;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view)
{
    if (view)
        return rk_cuda_report(cudaErrorNotSupported);
    return rk_cuda_report(texture ? create(out, TEXTURE, resource, texture)
                                  : cudaErrorInvalidValue);
}

static cudaError_t destroy(unsigned long long handle, uint32_t magic)
{
    object *o = find(handle, magic);
    if (handle && !o)
        return rk_cuda_report(cudaErrorInvalidValue);
    free(o);
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    return destroy(texture, TEXTURE);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out,
                                             cudaTextureObject_t texture)
{
    const object *o = find(texture, TEXTURE);
    if (o)
        *out = o->resource;
    return rk_cuda_report(o ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out,
                                            cudaTextureObject_t texture)
{
    const object *o = find(texture, TEXTURE);
    if (o)
        *out = o->texture;
    return rk_cuda_report(o ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out,
                                    const struct cudaResourceDesc *resource)
{
    if (!resource || resource->resType != cudaResourceTypeArray)
        return rk_cuda_report(cudaErrorInvalidValue);
    return rk_cuda_report(create(out, SURFACE, resource, NULL));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    return destroy(surface, SURFACE);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out,
                                             cudaSurfaceObject_t surface)
{
    const object *o = find(surface, SURFACE);
    if (o)
        *out = o->resource;
    return rk_cuda_report(o ? cudaSuccess : cudaErrorInvalidValue);
}

/* Texels. */

static float half_to_float(uint16_t half)
{
    const int exponent = half >> 10 & 0x1f;
    const int significand = half & 0x3ff;
    float value;
    if (exponent == 0x1f)
        value = significand ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexpf((float)significand, -24);
    else
        value = ldexpf((float)(significand + 0x400), exponent - 25);
    return half & 0x8000 ? -value : value;
}

/** Reads one channel, sign-extended when the format is signed. */
static int32_t integer_channel(const object *o, const unsigned char *place)
{
    const bool is_signed = o->format.f == cudaChannelFormatKindSigned;
    uint32_t bits = 0;
    memcpy(&bits, place, (size_t)o->format.x / 8);
    if (is_signed && o->format.x == 8)
        return (int8_t)bits;
    if (is_signed && o->format.x == 16)
        return (int16_t)bits;
    return (int32_t)bits;
}

static float float_channel(const object *o, const unsigned char *place)
{
    uint16_t half;
    float value;
    if (o->format.f != cudaChannelFormatKindFloat) {
        const bool is_signed = o->format.f == cudaChannelFormatKindSigned;
        const float most = (float)((1 << (o->format.x - is_signed)) - 1);
        value = (float)integer_channel(o, place) / most;
        return value < -1.0f ? -1.0f : value;
    }
    if (o->format.x == 16) {
        memcpy(&half, place, sizeof half);
        return half_to_float(half);
    }
    memcpy(&value, place, sizeof value);
    return value;
}

static rk_texel load(const object *o, const unsigned char *place)
{
    rk_texel texel = {0};
    for (int c = 0; c < o->channels; c++, place += o->format.x / 8)
        if (reads_integers(o))
            texel.integers[c] = integer_channel(o, place);
        else
            texel.floats[c] = float_channel(o, place);
    return texel;
}

static rk_texel border(const object *o)
{
    rk_texel texel = {0};
    for (int c = 0; c < o->channels; c++) {
        texel.floats[c] = o->texture.borderColor[c];
        texel.integers[c] = (int32_t)o->texture.borderColor[c];
    }
    return texel;
}

/** Address mode of a dimension: the repeating ones are for normalised coordinates only. */
static enum cudaTextureAddressMode mode_of(const object *o, int dimension)
{
    const enum cudaTextureAddressMode mode = o->texture.addressMode[dimension];
    const bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    return repeats && !o->texture.normalizedCoords && !o->cube ? cudaAddressModeClamp : mode;
}

/** Brings an index into [0, count); false for the border. */
static bool wrap_index(long *index, const object *o, int dimension)
{
    const long count = (long)o->extent[dimension];
    long i = *index;
    switch (mode_of(o, dimension)) {
    case cudaAddressModeWrap:
        i %= count;
        i += i < 0 ? count : 0;
        break;
    case cudaAddressModeMirror:
        i %= 2 * count;
        i += i < 0 ? 2 * count : 0;
        i = i < count ? i : 2 * count - 1 - i;
        break;
    case cudaAddressModeBorder:
        if (i < 0 || i >= count)
            return false;
        break;
    default:
        i = i < 0 ? 0 : i >= count ? count - 1 : i;
    }
    *index = i;
    return true;
}

static rk_texel texel_at(const object *o, const long index[3], int dimensions, int layer)
{
    long at[3] = {0, 0, 0};
    for (int d = 0; d < dimensions; d++) {
        at[d] = index[d];
        if (!wrap_index(&at[d], o, d))
            return border(o);
    }
    size_t slice = (size_t)at[2];
    if (o->layers > 0)
        slice = layer < 0 ? 0 : (size_t)layer >= o->layers ? o->layers - 1 : (size_t)layer;
    return load(o,
                o->data + slice * o->slice + (size_t)at[1] * o->pitch + (size_t)at[0] * o->element);
}

/** A coordinate in texels, kept where an index can hold it. */
static float in_texels(const object *o, float x, int dimension)
{
    const float most = 1073741824.0f;
    const float texels =
        o->texture.normalizedCoords || o->cube ? x * (float)o->extent[dimension] : x;
    return !(texels > -most) ? -most : texels > most ? most : texels;
}

static const object *texture_of(cudaTextureObject_t handle)
{
    const object *o = find(handle, TEXTURE);
    if (!o)
        rk_cuda_device_fault(cudaErrorInvalidTexture, "a texture fetch from no texture object");
    return o;
}

/**
 * The texel that a coordinate, in texels, lies in. The guide mirrors coordinates and not indices: in a mirrored
 * period a border between texels belongs to the one below it.
 */
static long point_index(const object *o, float x, int dimension)
{
    const float whole = floorf(x), period = floorf(x / (float)o->extent[dimension]);
    const bool mirrored =
        mode_of(o, dimension) == cudaAddressModeMirror && fmodf(period, 2.0f) != 0.0f;
    return (long)whole - (mirrored && x == whole);
}

rk_texel rk_texture_read(cudaTextureObject_t handle, const rk_texture_point *point)
{
    const object *o = texture_of(handle);
    const int dimensions = point->dimensions;
    long base[3] = {0, 0, 0};
    float weight[3];
    const bool linear = o->texture.filterMode == cudaFilterModeLinear;
    for (int d = 0; d < dimensions; d++) {
        const float x = in_texels(o, point->at[d], d) - (linear ? 0.5f : 0.0f);
        base[d] = linear ? (long)floorf(x) : point_index(o, x, d);
        weight[d] = floorf((x - floorf(x)) * 256.0f + 0.5f) / 256.0f;
    }
    if (!linear)
        return texel_at(o, base, dimensions, point->layer);
    rk_texel sum = {0};
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        long index[3];
        float share = 1;
        for (int d = 0; d < dimensions; d++) {
            const int upper = corner >> d & 1;
            index[d] = base[d] + upper;
            share *= upper ? weight[d] : 1 - weight[d];
        }
        if (share == 0)
            continue;
        const rk_texel texel = texel_at(o, index, dimensions, point->layer);
        for (int c = 0; c < o->channels; c++)
            sum.floats[c] += share * texel.floats[c];
    }
    return sum;
}

/** The point of a face that a direction meets, by the table of the CUDA programming guide. */
static rk_texture_point face_point(const float direction[3])
{
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    rk_texture_point point = {.dimensions = 2};
    float s, t, m;
    if (ax >= ay && ax >= az) {
        point.layer = x < 0;
        m = ax, s = x < 0 ? z : -z, t = -y;
    } else if (ay >= az) {
        point.layer = 2 + (y < 0);
        m = ay, s = x, t = y < 0 ? -z : z;
    } else {
        point.layer = 4 + (z < 0);
        m = az, s = z < 0 ? -x : x, t = -y;
    }
    point.at[0] = (s / m + 1) / 2;
    point.at[1] = (t / m + 1) / 2;
    return point;
}

rk_texel rk_texture_cube(cudaTextureObject_t handle, const float direction[3], int layer)
{
    const object *o = texture_of(handle);
    const int layers = (int)(o->layers / 6);
    if (!o->cube) {
        rk_cuda_device_fault(cudaErrorInvalidTexture, "a cubemap fetch from another texture");
        return (rk_texel){0};
    }
    rk_texture_point point = face_point(direction);
    point.layer += 6 * (layer < 0 ? 0 : layer >= layers ? layers - 1 : layer);
    return rk_texture_read(handle, &point);
}

rk_texel rk_texture_fetch(cudaTextureObject_t handle, int index)
{
    const object *o = texture_of(handle);
    if (index < 0 || (size_t)index >= o->extent[0])
        return (rk_texel){0};
    return load(o, o->data + (size_t)index * o->element);
}

rk_texel rk_texture_gather(cudaTextureObject_t handle, float x, float y, int component)
{
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const object *o = texture_of(handle);
    rk_texel result = {0};
    const long left = (long)floorf(in_texels(o, x, 0) - 0.5f);
    const long top = (long)floorf(in_texels(o, y, 1) - 0.5f);
    for (int i = 0; i < 4; i++) {
        const long index[3] = {left + order[i][0], top + order[i][1], 0};
        const rk_texel texel = texel_at(o, index, 2, -1);
        result.floats[i] = texel.floats[component & 3];
        result.integers[i] = texel.integers[component & 3];
    }
    return result;
}

/* Surfaces. */

static bool clamp_place(long *at, long size, long room, enum cudaSurfaceBoundaryMode mode)
{
    if (*at >= 0 && *at <= room - size)
        return true;
    if (mode == cudaBoundaryModeClamp)
        *at = *at < 0 ? 0 : room - size;
    return mode == cudaBoundaryModeClamp;
}

void *rk_surface_at(cudaSurfaceObject_t handle, int x, int y, int z, size_t bytes,
                    enum cudaSurfaceBoundaryMode mode)
{
    const object *o = find(handle, SURFACE);
    if (!o) {
        rk_cuda_device_fault(cudaErrorInvalidSurface, "a surface access to no surface object");
        return NULL;
    }
    const size_t depth = o->layers ? o->layers : o->extent[2];
    long at[3] = {x, y, z};
    const bool inside = clamp_place(&at[0], (long)bytes, (long)o->pitch, mode) &
                        clamp_place(&at[1], 1, (long)o->extent[1], mode) &
                        clamp_place(&at[2], 1, (long)depth, mode);
    if (!inside && mode == cudaBoundaryModeTrap)
        rk_cuda_device_fault(cudaErrorLaunchFailure, "a surface access outside of the surface");
    if (!inside)
        return NULL;
    return (unsigned char *)(uintptr_t)o->data + (size_t)at[2] * o->slice +
           (size_t)at[1] * o->pitch + (size_t)at[0];
}
