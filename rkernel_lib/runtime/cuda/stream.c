#include "rkernel_lib/runtime/cuda/stream.h"

#include "rkernel_lib/runtime/cuda/handles.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

/** Guards streams' list, captures and the graphs that they record. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUstream_st *streams;
static rk_capture *captures;
static unsigned long long last_stream = 2, last_capture;

static struct CUstream_st legacy = {.id = 1};
static _Thread_local struct CUstream_st per_thread = {.id = 2};
static _Thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

struct CUstream_st *rk_stream_find(cudaStream_t handle)
{
    if (!handle || handle == cudaStreamLegacy)
        return &legacy;
    if (handle == cudaStreamPerThread)
        return &per_thread;
    return rk_handle_is(handle, RK_HANDLE_STREAM) ? handle : NULL;
}

bool rk_cuda_stream_valid(cudaStream_t stream)
{
    return rk_stream_find(stream) != NULL;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/** success when there is such a stream and, unless `ends` is set, the device works. */
static cudaError_t check(const struct CUstream_st *stream)
{
    return rk_cuda_report(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* Node sets. */

static bool set_add(rk_node_set *set, const cudaGraphNode_t *nodes, size_t count)
{
    cudaGraphNode_t *items = realloc(set->items, (set->count + count + 1) * sizeof *items);
    if (!items)
        return false;
    set->items = items;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < set->count && set->items[at] != nodes[i])
            at++;
        set->items[at] = nodes[i];
        set->count += at == set->count;
    }
    return true;
}

static void set_clear(rk_node_set *set)
{
    free(set->items);
    *set = (rk_node_set){0};
}

/* Streams. */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned int flags, int priority)
{
    if (!out || (flags & ~(unsigned)cudaStreamNonBlocking))
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = NULL;
    if (rk_cuda_broken())
        return rk_cuda_report(cudaSuccess);
    struct CUstream_st *stream = calloc(1, sizeof *stream);
    if (!stream || !rk_handle_add(stream, RK_HANDLE_STREAM)) {
        free(stream);
        return rk_cuda_report(cudaErrorMemoryAllocation);
    }
    stream->flags = flags;
    stream->priority = priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                       : priority > LEAST_PRIORITY  ? LEAST_PRIORITY
                                                    : priority;
    pthread_mutex_lock(&lock);
    stream->id = ++last_stream;
    stream->next = streams;
    streams = stream;
    pthread_mutex_unlock(&lock);
    *out = stream;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned int flags)
{
    return cudaStreamCreateWithPriority(out, flags, LEAST_PRIORITY);
}

cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return cudaStreamCreateWithFlags(out, cudaStreamDefault);
}

static void leave(struct CUstream_st *stream, const rk_capture *capture)
{
    if (stream->capture != capture)
        return;
    stream->capture = NULL;
    set_clear(&stream->after);
}

/** Lets all streams go that record into it, and forgets it. The lock is held. */
static void close_capture(rk_capture *capture)
{
    for (struct CUstream_st *s = streams; s; s = s->next)
        leave(s, capture);
    leave(&per_thread, capture);
    rk_capture **place = &captures;
    while (*place != capture)
        place = &(*place)->next;
    *place = capture->next;
}

/** A capture ends without a graph when its origin goes; one that a stream only joined goes on. */
cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    struct CUstream_st *stream = rk_stream_find(handle);
    if (!stream || stream == &legacy || stream == &per_thread)
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    rk_capture *capture =
        stream->capture && stream->capture->origin == stream ? stream->capture : NULL;
    if (capture)
        close_capture(capture);
    struct CUstream_st **place = &streams;
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    pthread_mutex_unlock(&lock);
    if (capture && capture->ours)
        cudaGraphDestroy(capture->graph);
    free(capture);
    set_clear(&stream->after);
    rk_handle_drop(stream);
    free(stream);
    return rk_cuda_report(cudaSuccess);
}

cudaError_t rk_stream_refuse_capture(void)
{
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&lock);
    for (rk_capture *c = captures; c; c = c->next)
        if (c->mode == cudaStreamCaptureModeGlobal && thread_mode != cudaStreamCaptureModeRelaxed) {
            c->invalid = true;
            error = cudaErrorStreamCaptureUnsupported;
        }
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    struct CUstream_st *stream = rk_stream_find(handle);
    if (stream && stream->capture) {
        stream->capture->invalid = true;
        return rk_cuda_report(cudaErrorStreamCaptureUnsupported);
    }
    return check(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaDeviceSynchronize(void)
{
    return rk_cuda_report(rk_stream_refuse_capture());
}

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags)
{
    const struct CUstream_st *stream = rk_stream_find(handle);
    *flags = stream ? stream->flags : 0;
    return check(stream);
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    const struct CUstream_st *stream = rk_stream_find(handle);
    *priority = stream ? stream->priority : 0;
    return check(stream);
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
    const struct CUstream_st *stream = rk_stream_find(handle);
    *id = stream ? stream->id : 0;
    return check(stream);
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
    *device = 0;
    return check(rk_stream_find(handle));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value)
{
    struct CUstream_st *stream = rk_stream_find(handle);
    if (!stream)
        return check(stream);
    if (attribute == cudaLaunchAttributeAccessPolicyWindow)
        stream->window = *value;
    else if (attribute == cudaLaunchAttributeSynchronizationPolicy)
        stream->policy = value->syncPolicy;
    else if (attribute == cudaLaunchAttributePriority)
        stream->priority = value->priority;
    else
        return rk_cuda_report(cudaErrorInvalidValue);
    return check(stream);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue *value)
{
    const struct CUstream_st *stream = rk_stream_find(handle);
    if (!stream)
        return check(stream);
    if (attribute == cudaLaunchAttributeAccessPolicyWindow)
        *value = stream->window;
    else if (attribute == cudaLaunchAttributeSynchronizationPolicy)
        value->syncPolicy = stream->policy;
    else if (attribute == cudaLaunchAttributePriority)
        value->priority = stream->priority;
    else
        return rk_cuda_report(cudaErrorInvalidValue);
    return check(stream);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    struct CUstream_st *target = rk_stream_find(to);
    const struct CUstream_st *source = rk_stream_find(from);
    if (target && source) {
        target->window = source->window;
        target->policy = source->policy;
    }
    return check(target && source ? source : NULL);
}

/* Work. */

/** Adds a node to what the stream records. The lock is held; owns `work`. */
static cudaError_t record(struct CUstream_st *stream, enum cudaGraphNodeType type,
                          rk_cuda_work work, cudaGraphNode_t *out)
{
    rk_capture *capture = stream->capture;
    cudaGraphNode_t node = NULL;
    if (capture && !capture->invalid)
        node = rk_graph_add(capture->graph, type, work, stream->after.items, stream->after.count);
    else if (work.drop)
        work.drop(work.data);
    if (!node)
        return capture && !capture->invalid ? cudaErrorMemoryAllocation
                                            : cudaErrorStreamCaptureInvalidated;
    stream->after.count = 0;
    *out = node;
    return set_add(&stream->after, &node, 1) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/** Whether a capture goes on that work of the legacy stream would have to wait for. */
static bool legacy_conflict(void)
{
    bool conflict = false;
    pthread_mutex_lock(&lock);
    for (rk_capture *c = captures; c; c = c->next)
        if (!(c->origin->flags & cudaStreamNonBlocking)) {
            c->invalid = true;
            conflict = true;
        }
    pthread_mutex_unlock(&lock);
    return conflict;
}

bool rk_cuda_capturing(cudaStream_t handle)
{
    const struct CUstream_st *stream = rk_stream_find(handle);
    return stream && stream->capture;
}

cudaError_t rk_cuda_capture(cudaStream_t handle, const rk_cuda_launch *launch, rk_cuda_work work)
{
    cudaGraphNode_t node = NULL;
    pthread_mutex_lock(&lock);
    const cudaError_t error = record(rk_stream_find(handle), cudaGraphNodeTypeKernel, work, &node);
    if (node) {
        node->params.kernel =
            (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)launch->function,
                                          .gridDim = launch->grid,
                                          .blockDim = launch->block,
                                          .sharedMemBytes = (unsigned)launch->shared,
                                          .kernelParams = launch->args};
        node->has_params = true;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t rk_stream_do(cudaStream_t handle, enum cudaGraphNodeType type, void (*run)(void *data),
                         const void *data, size_t size)
{
    struct CUstream_st *stream = rk_stream_find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (rk_cuda_broken())
        return cudaSuccess; /* rk_cuda_report gives the sticky error */
    if (stream == &legacy && captures && legacy_conflict())
        return cudaErrorStreamCaptureImplicit;
    void *copy = malloc(size);
    if (!copy)
        return cudaErrorMemoryAllocation;
    memcpy(copy, data, size);
    if (!stream->capture) {
        run(copy);
        free(copy);
        return cudaSuccess;
    }
    cudaGraphNode_t node;
    const rk_cuda_work work = {.run = run, .drop = free, .data = copy};
    pthread_mutex_lock(&lock);
    const cudaError_t error = record(stream, type, work, &node);
    pthread_mutex_unlock(&lock);
    return error;
}

typedef struct {
    cudaStream_t stream;
    cudaHostFn_t function;
    cudaStreamCallback_t callback;
    void *user;
} host_call;

static void run_host(void *data)
{
    const host_call *call = data;
    if (call->function)
        call->function(call->user);
    else
        call->callback(call->stream, cudaSuccess, call->user);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    const host_call call = {.stream = stream, .function = function, .user = user};
    if (!function)
        return rk_cuda_report(cudaErrorInvalidValue);
    return rk_cuda_report(
        rk_stream_do(stream, cudaGraphNodeTypeHost, run_host, &call, sizeof call));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                                  unsigned int flags)
{
    const host_call call = {.stream = stream, .callback = callback, .user = user};
    if (!callback || flags != 0)
        return rk_cuda_report(cudaErrorInvalidValue);
    if (rk_cuda_capturing(stream))
        return rk_cuda_report(cudaErrorStreamCaptureUnsupported);
    return rk_cuda_report(
        rk_stream_do(stream, cudaGraphNodeTypeHost, run_host, &call, sizeof call));
}

static void run_nothing(void *data)
{
    (void)data;
}

/** Records an allocation or a release of memory that the node's graph holds. */
static cudaError_t capture_memory(cudaStream_t handle, enum cudaGraphNodeType type, void *memory,
                                  void (*drop)(void *))
{
    cudaGraphNode_t node = NULL;
    const rk_cuda_work work = {.run = run_nothing, .drop = drop, .data = memory};
    pthread_mutex_lock(&lock);
    const cudaError_t error = record(rk_stream_find(handle), type, work, &node);
    if (node)
        node->memory = memory;
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    if (!out || !rk_cuda_stream_valid(stream))
        return rk_cuda_report(out ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    *out = NULL;
    if (rk_cuda_broken() || bytes == 0)
        return rk_cuda_report(cudaSuccess);
    *out = rk_memory_new(bytes, RK_CPU_MEMORY_DEVICE);
    if (!*out || !rk_cuda_capturing(stream))
        return rk_cuda_report(*out ? cudaSuccess : cudaErrorMemoryAllocation);
    rk_memory_hold(*out);
    return rk_cuda_report(
        capture_memory(stream, cudaGraphNodeTypeMemAlloc, *out, rk_memory_release));
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    if (!rk_cuda_stream_valid(stream))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    if (!memory)
        return rk_cuda_report(cudaSuccess);
    if (rk_cuda_capturing(stream))
        return rk_cuda_report(capture_memory(stream, cudaGraphNodeTypeMemFree, memory, NULL));
    return rk_cuda_report(rk_memory_free(memory, RK_CPU_MEMORY_DEVICE, RK_CPU_MEMORY_DEVICE));
}

/* Events. */

static bool is_event(cudaEvent_t event)
{
    return rk_handle_is(event, RK_HANDLE_EVENT);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned int flags)
{
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!out || (flags & ~known))
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = NULL;
    if (rk_cuda_broken())
        return rk_cuda_report(cudaSuccess);
    cudaEvent_t event = calloc(1, sizeof *event);
    if (!event || !rk_handle_add(event, RK_HANDLE_EVENT)) {
        free(event);
        return rk_cuda_report(cudaErrorMemoryAllocation);
    }
    event->flags = flags;
    *out = event;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!is_event(event))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    rk_handle_drop(event);
    set_clear(&event->after);
    free(event);
    return rk_cuda_report(cudaSuccess);
}

static void run_event(void *data)
{
    cudaEvent_t event = *(cudaEvent_t *)data;
    event->time = now();
    event->recorded = true;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned int flags)
{
    struct CUstream_st *stream = rk_stream_find(handle);
    if (!stream || !is_event(event))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    if (stream->capture && !(flags & cudaEventRecordExternal)) {
        pthread_mutex_lock(&lock);
        event->captured = stream->capture->id;
        event->after.count = 0;
        const bool good = set_add(&event->after, stream->after.items, stream->after.count);
        pthread_mutex_unlock(&lock);
        return rk_cuda_report(good ? cudaSuccess : cudaErrorMemoryAllocation);
    }
    if (!stream->capture)
        event->captured = 0;
    return rk_cuda_report(
        rk_stream_do(handle, cudaGraphNodeTypeEventRecord, run_event, &event, sizeof event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    if (!is_event(event))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    return rk_cuda_report(event->captured ? cudaErrorCapturedEvent : cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return cudaEventQuery(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    if (!milliseconds)
        return rk_cuda_report(cudaErrorInvalidValue);
    if (!is_event(from) || !is_event(to) || !from->recorded || !to->recorded ||
        ((from->flags | to->flags) & cudaEventDisableTiming))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)((double)(int64_t)(to->time - from->time) * 1e-6);
    return rk_cuda_report(cudaSuccess);
}

/** The capture with this id; NULL when it has ended. The lock is held. */
static rk_capture *find_capture(unsigned long long id)
{
    rk_capture *c = captures;
    while (c && c->id != id)
        c = c->next;
    return c;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int flags)
{
    struct CUstream_st *stream = rk_stream_find(handle);
    if (!stream || !is_event(event))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    if (event->captured == 0 || (flags & cudaEventWaitExternal))
        return rk_cuda_report(stream->capture && event->recorded && !(flags & cudaEventWaitExternal)
                                  ? cudaErrorStreamCaptureIsolation
                                  : cudaSuccess);
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&lock);
    rk_capture *capture = find_capture(event->captured);
    if (!capture)
        error = cudaErrorCapturedEvent;
    else if (stream == &legacy)
        error = cudaErrorStreamCaptureImplicit;
    else if (stream->capture && stream->capture != capture)
        error = cudaErrorStreamCaptureMerge;
    else if (!set_add(&stream->after, event->after.items, event->after.count))
        error = cudaErrorMemoryAllocation;
    else
        stream->capture = capture;
    pthread_mutex_unlock(&lock);
    return rk_cuda_report(error);
}

/* Capture. */

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          cudaStreamCaptureMode mode)
{
    (void)edges; /* ports only let a kernel start early */
    struct CUstream_st *stream = rk_stream_find(handle);
    if (!stream || !graph || (count && !dependencies) ||
        (unsigned)mode > cudaStreamCaptureModeRelaxed)
        return rk_cuda_report(cudaErrorInvalidValue);
    if (stream == &legacy)
        return rk_cuda_report(cudaErrorStreamCaptureUnsupported);
    if (stream->capture)
        return rk_cuda_report(cudaErrorIllegalState);
    rk_capture *capture = calloc(1, sizeof *capture);
    if (!capture || !set_add(&stream->after, dependencies, count)) {
        free(capture);
        return rk_cuda_report(cudaErrorMemoryAllocation);
    }
    *capture = (rk_capture){.graph = graph, .origin = stream, .mode = mode};
    pthread_mutex_lock(&lock);
    capture->id = ++last_capture;
    capture->next = captures;
    captures = capture;
    stream->capture = capture;
    pthread_mutex_unlock(&lock);
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    cudaGraph_t graph;
    cudaError_t error = cudaGraphCreate(&graph, 0);
    if (error != cudaSuccess)
        return error;
    error = cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, mode);
    if (error != cudaSuccess)
        cudaGraphDestroy(graph);
    else
        rk_stream_find(stream)->capture->ours = true;
    return error;
}

/** Whether each stream that joined is waited for by the origin: it has done nothing since. */
static bool joined(const rk_capture *capture)
{
    for (size_t i = 0; i < capture->graph->count; i++) {
        cudaGraphNode_t node = capture->graph->nodes[i];
        bool waited = false;
        for (size_t k = 0; k < capture->origin->after.count; k++)
            waited = waited || capture->origin->after.items[k] == node;
        for (size_t k = i + 1; k < capture->graph->count && !waited; k++)
            for (size_t d = 0; d < capture->graph->nodes[k]->after_count; d++)
                waited = waited || capture->graph->nodes[k]->after[d] == node;
        if (!waited && capture->ours)
            return false;
    }
    return true;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *out)
{
    struct CUstream_st *stream = rk_stream_find(handle);
    if (!stream || !out)
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = NULL;
    rk_capture *capture = stream->capture;
    if (!capture)
        return rk_cuda_report(cudaErrorIllegalState);
    if (capture->origin != stream)
        return rk_cuda_report(cudaErrorStreamCaptureUnmatched);
    pthread_mutex_lock(&lock);
    const cudaError_t error = capture->invalid   ? cudaErrorStreamCaptureInvalidated
                              : !joined(capture) ? cudaErrorStreamCaptureUnjoined
                                                 : cudaSuccess;
    close_capture(capture);
    pthread_mutex_unlock(&lock);
    if (error == cudaSuccess)
        *out = capture->graph;
    else if (capture->ours)
        cudaGraphDestroy(capture->graph);
    free(capture);
    return rk_cuda_report(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus *status)
{
    const struct CUstream_st *stream = rk_stream_find(handle);
    *status = !stream || !stream->capture ? cudaStreamCaptureStatusNone
              : stream->capture->invalid  ? cudaStreamCaptureStatusInvalidated
                                          : cudaStreamCaptureStatusActive;
    return check(stream);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode)
{
    const cudaStreamCaptureMode old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return rk_cuda_report(cudaSuccess);
}
