#include "rkernel_lib/runtime/cuda/copy.h"

#include <stdlib.h>

size_t rk_format_size(const struct cudaChannelFormatDesc *format)
{
    const int bits = format->x;
    const int rest[3] = {format->y, format->z, format->w};
    size_t count = 1;
    if (bits != 8 && bits != 16 && bits != 32)
        return 0;
    if (format->f != cudaChannelFormatKindSigned && format->f != cudaChannelFormatKindUnsigned &&
        (format->f != cudaChannelFormatKindFloat || bits == 8))
        return 0;
    for (int i = 0; i < 3; i++) {
        if (rest[i] != 0 && (rest[i] != bits || count != (size_t)i + 1))
            return 0;
        count += rest[i] != 0;
    }
    return count == 3 ? 0 : count * (size_t)bits / 8;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    const struct cudaChannelFormatDesc format = {x, y, z, w, kind};
    return format;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned int flags)
{
    const unsigned known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;
    if (!out || !format)
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = NULL;
    const size_t element = rk_format_size(format);
    if (element == 0)
        return rk_cuda_report(cudaErrorInvalidChannelDescriptor);
    if (flags & ~known)
        return rk_cuda_report(cudaErrorInvalidValue);
    if ((flags & cudaArrayCubemap) &&
        (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0 ||
         (extent.depth > 6 && !(flags & cudaArrayLayered))))
        return rk_cuda_report(cudaErrorInvalidValue);
    if (extent.width == 0 ||
        (extent.depth > 0 && extent.height == 0 && !(flags & cudaArrayLayered)))
        return rk_cuda_report(cudaErrorInvalidValue);
    const size_t rows = extent.height ? extent.height : 1, slices = extent.depth ? extent.depth : 1;
    cudaArray_t array = malloc(sizeof *array);
    if (!array)
        return rk_cuda_report(cudaErrorMemoryAllocation);
    *array = (struct cudaArray){.format = *format,
                                .extent = extent,
                                .flags = flags,
                                .element = element,
                                .pitch = extent.width * element,
                                .slice = extent.width * element * rows};
    array->data = rk_memory_new(array->slice * slices, RK_CPU_MEMORY_ARRAY);
    if (!array->data) {
        free(array);
        return rk_cuda_report(cudaErrorMemoryAllocation);
    }
    *out = array;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned int flags)
{
    return cudaMalloc3DArray(out, format, make_cudaExtent(width, height, 0), flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    if (!array)
        return rk_cuda_report(cudaSuccess);
    const cudaError_t error = rk_memory_free(array->data, RK_CPU_MEMORY_ARRAY, RK_CPU_MEMORY_ARRAY);
    free(array);
    return rk_cuda_report(error);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    if (!array)
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *out, cudaArray_const_t array)
{
    if (!array || !out)
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = array->format;
    return rk_cuda_report(cudaSuccess);
}

/* Copies of rows; x and width count bytes. */

/** A side of a copy inside an array; false when the rows do not lie in it. */
static bool array_side(rk_box_side *side, cudaArray_const_t array, size_t x, size_t y, size_t width,
                       size_t height)
{
    if (!array)
        return false;
    const size_t rows = array->extent.height ? array->extent.height : 1;
    *side = (rk_box_side){array->data + y * array->pitch + x, array->pitch, array->slice};
    return width <= array->pitch && x <= array->pitch - width && height <= rows &&
           y <= rows - height;
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    rk_box box = {.from = {.data = (unsigned char *)(uintptr_t)from, .pitch = pitch},
                  .width = width,
                  .height = height,
                  .depth = 1};
    if (!array_side(&box.to, to, x, y, width, height))
        return rk_cuda_report(cudaErrorInvalidValue);
    return rk_box_copy(&box, kind, stream);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, 0);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    rk_box box = {.to = {.data = to, .pitch = pitch}, .width = width, .height = height, .depth = 1};
    if (!array_side(&box.from, from, x, y, width, height))
        return rk_cuda_report(cudaErrorInvalidValue);
    return rk_box_copy(&box, kind, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, 0);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    rk_box box = {.width = width, .height = height, .depth = 1};
    if (!array_side(&box.to, to, to_x, to_y, width, height) ||
        !array_side(&box.from, from, from_x, from_y, width, height))
        return rk_cuda_report(cudaErrorInvalidValue);
    return rk_box_copy(&box, kind, 0);
}

/* The forms without a pitch go on from row to row: rows of an array touch. */

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    if (!to)
        return rk_cuda_report(cudaErrorInvalidValue);
    const rk_box box = {.to = {.data = to->data + y * to->pitch + x},
                        .from = {.data = (unsigned char *)(uintptr_t)from},
                        .width = bytes,
                        .height = 1,
                        .depth = 1};
    return rk_box_copy(&box, kind, 0);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    if (!from)
        return rk_cuda_report(cudaErrorInvalidValue);
    const rk_box box = {.to = {.data = to},
                        .from = {.data = from->data + y * from->pitch + x},
                        .width = bytes,
                        .height = 1,
                        .depth = 1};
    return rk_box_copy(&box, kind, 0);
}
