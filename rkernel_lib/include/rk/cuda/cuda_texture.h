#ifndef RK_CUDA_TEXTURE_H
#define RK_CUDA_TEXTURE_H

/*
 * Texture and surface functions of device code, by texture and surface objects. The filter is the one
 * that the CUDA programming guide defines, with weights of 8 fraction bits. Arrays have one mip level.
 */

#include "../cpu/cpu_device.h"
#include "cuda_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a texture is read. */
typedef struct {
    float at[3];
    int dimensions;
    int layer; /**< of a layered array, -1 for none */
} rk_texture_point;

/** What was read: `integers` for integer formats read as they are, else `floats`. */
typedef struct {
    float floats[4];
    int32_t integers[4];
} rk_texel;

rk_texel rk_texture_read(cudaTextureObject_t texture, const rk_texture_point *point);

/** Of a cubemap, in a direction; `layer` is 0 where it is not layered. */
rk_texel rk_texture_cube(cudaTextureObject_t texture, const float direction[3], int layer);

/** Element `index` of linear memory; zeros outside. */
rk_texel rk_texture_fetch(cudaTextureObject_t texture, int index);

/** Component `component` of the four texels that a linear filter would read, in CUDA's order. */
rk_texel rk_texture_gather(cudaTextureObject_t texture, float x, float y, int component);

/**
 * Where `bytes` bytes of a surface are, x counting bytes; NULL outside when the mode is zero. An access
 * outside that traps is a fault of the running thread.
 */
void *rk_surface_at(cudaSurfaceObject_t surface, int x, int y, int z, size_t bytes,
                    enum cudaSurfaceBoundaryMode mode);

#ifdef __cplusplus
}

#include "../cpu/cpu_host.h"

#include <cstring>

namespace rk__ {

template <class T> inline T texel_as(const rk_texel &texel)
{
    using element = typename vector_of<T>::type;
    element values[4] = {};
    for (int i = 0; i < vector_of<T>::count; i++)
        values[i] = std::is_floating_point_v<element> ? element(texel.floats[i])
                                                      : element(texel.integers[i]);
    T result;
    std::memcpy(static_cast<void *>(&result), values, sizeof result);
    return result;
}

template <class T>
inline T texture(cudaTextureObject_t object, int dimensions, float x, float y = 0, float z = 0,
                 int layer = -1)
{
    const rk_texture_point point = {{x, y, z}, dimensions, layer};
    return texel_as<T>(rk_texture_read(object, &point));
}

template <class T> inline T cubemap(cudaTextureObject_t object, float x, float y, float z, int layer)
{
    const float direction[3] = {x, y, z};
    return texel_as<T>(rk_texture_cube(object, direction, layer));
}

} // namespace rk__

/** Each function also as the form that gives its result through a pointer. */
#define RK_CUDA_TEXTURE(name, parameters, ...)                                                     \
    template <class T> inline T name parameters                                                    \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    template <class T, class... A>                                                                 \
    inline auto name(T *result, A... arguments) -> decltype((void)name<T>(arguments...))           \
    {                                                                                              \
        *result = name<T>(arguments...);                                                           \
    }

RK_CUDA_TEXTURE(tex1Dfetch, (cudaTextureObject_t object, int x),
                rk__::texel_as<T>(rk_texture_fetch(object, x)))
RK_CUDA_TEXTURE(tex1D, (cudaTextureObject_t object, float x), rk__::texture<T>(object, 1, x))
RK_CUDA_TEXTURE(tex1DLod, (cudaTextureObject_t object, float x, float),
                rk__::texture<T>(object, 1, x))
RK_CUDA_TEXTURE(tex1DLayered, (cudaTextureObject_t object, float x, int layer),
                rk__::texture<T>(object, 1, x, 0, 0, layer))
RK_CUDA_TEXTURE(tex2D, (cudaTextureObject_t object, float x, float y),
                rk__::texture<T>(object, 2, x, y))
RK_CUDA_TEXTURE(tex2DLod, (cudaTextureObject_t object, float x, float y, float),
                rk__::texture<T>(object, 2, x, y))
RK_CUDA_TEXTURE(tex2DLayered, (cudaTextureObject_t object, float x, float y, int layer),
                rk__::texture<T>(object, 2, x, y, 0, layer))
RK_CUDA_TEXTURE(tex2Dgather, (cudaTextureObject_t object, float x, float y, int component = 0),
                rk__::texel_as<T>(rk_texture_gather(object, x, y, component)))
RK_CUDA_TEXTURE(tex3D, (cudaTextureObject_t object, float x, float y, float z),
                rk__::texture<T>(object, 3, x, y, z))
RK_CUDA_TEXTURE(tex3DLod, (cudaTextureObject_t object, float x, float y, float z, float),
                rk__::texture<T>(object, 3, x, y, z))
RK_CUDA_TEXTURE(texCubemap, (cudaTextureObject_t object, float x, float y, float z),
                rk__::cubemap<T>(object, x, y, z, 0))
RK_CUDA_TEXTURE(texCubemapLod, (cudaTextureObject_t object, float x, float y, float z, float),
                rk__::cubemap<T>(object, x, y, z, 0))
RK_CUDA_TEXTURE(texCubemapLayered,
                (cudaTextureObject_t object, float x, float y, float z, int layer),
                rk__::cubemap<T>(object, x, y, z, layer))
RK_CUDA_TEXTURE(texCubemapLayeredLod,
                (cudaTextureObject_t object, float x, float y, float z, int layer, float),
                rk__::cubemap<T>(object, x, y, z, layer))
#undef RK_CUDA_TEXTURE

namespace rk__ {

template <class T>
inline T surface_read(cudaSurfaceObject_t surface, int x, int y, int z,
                      cudaSurfaceBoundaryMode mode)
{
    T value = {};
    if (const void *place = rk_surface_at(surface, x, y, z, sizeof value, mode))
        std::memcpy(static_cast<void *>(&value), place, sizeof value);
    return value;
}
template <class T>
inline void surface_write(const T &value, cudaSurfaceObject_t surface, int x, int y, int z,
                          cudaSurfaceBoundaryMode mode)
{
    if (void *place = rk_surface_at(surface, x, y, z, sizeof value, mode))
        std::memcpy(place, static_cast<const void *>(&value), sizeof value);
}

} // namespace rk__

#define RK_CUDA_SURFACE(name, coordinates, ...)                                                    \
    template <class T>                                                                             \
    inline T name##read(cudaSurfaceObject_t surface, RK_CUDA_LIST coordinates,                     \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                       \
    {                                                                                              \
        return rk__::surface_read<T>(surface, __VA_ARGS__, mode);                                    \
    }                                                                                              \
    template <class T>                                                                             \
    inline void name##read(T *result, cudaSurfaceObject_t surface, RK_CUDA_LIST coordinates,       \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                    \
    {                                                                                              \
        *result = rk__::surface_read<T>(surface, __VA_ARGS__, mode);                                 \
    }                                                                                              \
    template <class T>                                                                             \
    inline void name##write(T value, cudaSurfaceObject_t surface, RK_CUDA_LIST coordinates,        \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                   \
    {                                                                                              \
        rk__::surface_write<T>(value, surface, __VA_ARGS__, mode);                                   \
    }
#define RK_CUDA_LIST(...) __VA_ARGS__
RK_CUDA_SURFACE(surf1D, (int x), x, 0, 0)
RK_CUDA_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
RK_CUDA_SURFACE(surf2D, (int x, int y), x, y, 0)
RK_CUDA_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
RK_CUDA_SURFACE(surf3D, (int x, int y, int z), x, y, z)
RK_CUDA_SURFACE(surfCubemap, (int x, int y, int face), x, y, face)
RK_CUDA_SURFACE(surfCubemapLayered, (int x, int y, int face_of_layer), x, y, face_of_layer)
#undef RK_CUDA_LIST
#undef RK_CUDA_SURFACE

#endif

#endif
