#include "rkernel_lib/runtime/cuda/copy.h"

#include <string.h>

/** Bytes from the first to one past the last of a side. */
static size_t reach(const rk_box_side *side, size_t width, size_t height, size_t depth)
{
    return (depth - 1) * side->slice + (height - 1) * side->pitch + width;
}

cudaError_t rk_box_check(const rk_box *box, enum cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (box->width == 0 || box->height == 0 || box->depth == 0)
        return cudaSuccess;
    if (box->height > 1 && (box->width > box->to.pitch || box->width > box->from.pitch))
        return cudaErrorInvalidPitchValue;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const size_t to = reach(&box->to, box->width, box->height, box->depth);
    const size_t from = reach(&box->from, box->width, box->height, box->depth);
    return rk_memory_good(box->to.data, to, to_device) &&
                   rk_memory_good(box->from.data, from, from_device)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

void rk_box_run(void *data)
{
    const rk_box *box = data;
    for (size_t z = 0; z < box->depth; z++)
        for (size_t y = 0; y < box->height; y++)
            if (box->width > 0)
                memmove(box->to.data + z * box->to.slice + y * box->to.pitch,
                        box->from.data + z * box->from.slice + y * box->from.pitch, box->width);
}

cudaError_t rk_box_copy(const rk_box *box, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error = rk_box_check(box, kind);
    if (error == cudaSuccess)
        error = rk_stream_do(stream, cudaGraphNodeTypeMemcpy, rk_box_run, box, sizeof *box);
    return rk_cuda_report(error);
}

static rk_box flat_box(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                       size_t height)
{
    return (rk_box){.to = {.data = to, .pitch = to_pitch},
                    .from = {.data = (unsigned char *)(uintptr_t)from, .pitch = from_pitch},
                    .width = width,
                    .height = height,
                    .depth = 1};
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    const rk_box box = flat_box(to, bytes, from, bytes, bytes, 1);
    return rk_box_copy(&box, kind, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, 0);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    if (to_device != 0 || from_device != 0)
        return rk_cuda_report(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, 0);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    if (width > to_pitch || width > from_pitch)
        return rk_cuda_report(cudaErrorInvalidPitchValue);
    const rk_box box = flat_box(to, to_pitch, from, from_pitch, width, height);
    return rk_box_copy(&box, kind, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, 0);
}

/** One side of a 3-D copy, from its position on; `element` is what a pitched side's extent counts. */
static bool side_of(rk_box_side *side, cudaArray_const_t array,
                    const struct cudaPitchedPtr *pitched, struct cudaPos at)
{
    if ((array != NULL) == (pitched->ptr != NULL))
        return false;
    *side = array ? (rk_box_side){array->data, array->pitch, array->slice}
                  : (rk_box_side){pitched->ptr, pitched->pitch, pitched->pitch * pitched->ysize};
    side->data += at.x * (array ? array->element : 1) + at.y * side->pitch + at.z * side->slice;
    return true;
}

/** Whether a box of this size at a place lies in an array. */
static bool in_array(cudaArray_const_t array, struct cudaPos at, const struct cudaExtent *extent)
{
    if (!array)
        return true;
    const size_t height = array->extent.height ? array->extent.height : 1;
    const size_t depth = array->extent.depth ? array->extent.depth : 1;
    return at.x + extent->width <= array->extent.width && at.y + extent->height <= height &&
           at.z + extent->depth <= depth;
}

cudaError_t rk_box_of(rk_box *box, const struct cudaMemcpy3DParms *copy)
{
    if (!side_of(&box->to, copy->dstArray, &copy->dstPtr, copy->dstPos) ||
        !side_of(&box->from, copy->srcArray, &copy->srcPtr, copy->srcPos))
        return cudaErrorInvalidValue;
    cudaArray_const_t array = copy->dstArray ? copy->dstArray : copy->srcArray;
    if (copy->srcArray && copy->dstArray && copy->srcArray->element != copy->dstArray->element)
        return cudaErrorInvalidValue;
    if (!in_array(copy->srcArray, copy->srcPos, &copy->extent) ||
        !in_array(copy->dstArray, copy->dstPos, &copy->extent))
        return cudaErrorInvalidValue;
    box->width = copy->extent.width * (array ? array->element : 1);
    box->height = copy->extent.height;
    box->depth = copy->extent.depth;
    return cudaSuccess;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
{
    rk_box box;
    const cudaError_t error = copy ? rk_box_of(&box, copy) : cudaErrorInvalidValue;
    return error == cudaSuccess ? rk_box_copy(&box, copy->kind, stream) : rk_cuda_report(error);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
    return cudaMemcpy3DAsync(copy, 0);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *copy, cudaStream_t stream)
{
    if (!copy || copy->srcDevice != 0 || copy->dstDevice != 0)
        return rk_cuda_report(copy ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    const struct cudaMemcpy3DParms plain = {
        copy->srcArray, copy->srcPos, copy->srcPtr, copy->dstArray,
        copy->dstPos,   copy->dstPtr, copy->extent, cudaMemcpyDeviceToDevice};
    return cudaMemcpy3DAsync(&plain, stream);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy)
{
    return cudaMemcpy3DPeerAsync(copy, 0);
}

cudaError_t rk_fill_check(const rk_fill *fill)
{
    if (fill->element != 1 && fill->element != 2 && fill->element != 4)
        return cudaErrorInvalidValue;
    if (fill->width == 0 || fill->height == 0 || fill->depth == 0)
        return cudaSuccess;
    const size_t width = fill->width * fill->element;
    if (fill->height > 1 && width > fill->to.pitch)
        return cudaErrorInvalidPitchValue;
    return rk_memory_good(fill->to.data, reach(&fill->to, width, fill->height, fill->depth), true)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

void rk_fill_run(void *data)
{
    const rk_fill *fill = data;
    for (size_t z = 0; z < fill->depth; z++)
        for (size_t y = 0; y < fill->height; y++) {
            unsigned char *row = fill->to.data + z * fill->to.slice + y * fill->to.pitch;
            if (fill->element == 1)
                memset(row, (int)(fill->value & 0xff), fill->width);
            else
                for (size_t x = 0; x < fill->width; x++)
                    memcpy(row + x * fill->element, &fill->value, fill->element);
        }
}

static cudaError_t fill_bytes(const rk_box_side *to, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    const rk_fill fill = {.to = *to,
                          .width = extent.width,
                          .height = extent.height,
                          .depth = extent.depth,
                          .value = (uint32_t)value & 0xff,
                          .element = 1};
    cudaError_t error = rk_fill_check(&fill);
    if (error == cudaSuccess)
        error = rk_stream_do(stream, cudaGraphNodeTypeMemset, rk_fill_run, &fill, sizeof fill);
    return rk_cuda_report(error);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    return fill_bytes(&(rk_box_side){memory, bytes, bytes}, value, make_cudaExtent(bytes, 1, 1),
                      stream);
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    return cudaMemsetAsync(memory, value, bytes, 0);
}

cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return fill_bytes(&(rk_box_side){memory, pitch, pitch * height}, value,
                      make_cudaExtent(width, height, 1), stream);
}

cudaError_t cudaMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(memory, pitch, value, width, height, 0);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    return fill_bytes(&(rk_box_side){memory.ptr, memory.pitch, memory.pitch * memory.ysize}, value,
                      extent, stream);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(memory, value, extent, 0);
}

/* Symbols: a symbol's handle is its address. */

/** The symbol's bytes from `offset` on; NULL when it is none or lacks them. */
static unsigned char *in_symbol(const void *symbol, size_t bytes, size_t offset)
{
    rk_cpu_memory memory;
    if (!rk_cpu_memory_look(&memory, symbol) || memory.kind < RK_CPU_MEMORY_SYMBOL ||
        memory.base != symbol || offset > memory.size || bytes > memory.size - offset)
        return NULL;
    return (unsigned char *)memory.base + offset;
}

static cudaError_t symbol_error(const void *symbol)
{
    return in_symbol(symbol, 0, 0) ? cudaErrorInvalidValue : cudaErrorInvalidSymbol;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    unsigned char *to = in_symbol(symbol, bytes, offset);
    if (!to || kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
        return rk_cuda_report(to ? cudaErrorInvalidMemcpyDirection : symbol_error(symbol));
    return cudaMemcpyAsync(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, 0);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const unsigned char *from = in_symbol(symbol, bytes, offset);
    if (!from || kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
        return rk_cuda_report(from ? cudaErrorInvalidMemcpyDirection : symbol_error(symbol));
    return cudaMemcpyAsync(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, 0);
}

cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
    *out = in_symbol(symbol, 0, 0);
    return rk_cuda_report(*out ? cudaSuccess : cudaErrorInvalidSymbol);
}

cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol)
{
    rk_cpu_memory memory;
    const bool good = in_symbol(symbol, 0, 0) && rk_cpu_memory_look(&memory, symbol);
    *out = good ? memory.size : 0;
    return rk_cuda_report(good ? cudaSuccess : cudaErrorInvalidSymbol);
}
