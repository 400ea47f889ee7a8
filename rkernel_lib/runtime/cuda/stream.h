#ifndef RK_RKERNEL_LIB_CUDA_STREAM_H
#define RK_RKERNEL_LIB_CUDA_STREAM_H

/* Streams, events and what is captured from them. */

#include "rkernel_lib/runtime/cuda/stream_graph.h"

typedef struct rk_capture rk_capture;

/** Nodes that the next one depends on. */
typedef struct {
    cudaGraphNode_t *items;
    size_t count;
} rk_node_set;

/** A graph that is being recorded. Freed when the origin's capture ends. */
struct rk_capture {
    cudaGraph_t graph;
    cudaStream_t origin;
    cudaStreamCaptureMode mode;
    unsigned long long id;
    bool ours;    /**< the graph was made for it, and is not the caller's */
    bool invalid; /**< a call that cannot be captured was made */
    rk_capture *next;
};

struct CUstream_st {
    unsigned int flags;
    int priority;
    unsigned long long id;
    cudaLaunchAttributeValue window; /**< kept for who asks: caches are the processor's */
    enum cudaSynchronizationPolicy policy;
    rk_capture *capture; /**< NULL unless recording */
    rk_node_set after;   /**< while recording: what this stream has done last */
    struct CUstream_st *next;
};

struct CUevent_st {
    unsigned int flags;
    bool recorded;
    uint64_t time;               /**< ns, when it was recorded */
    unsigned long long captured; /**< id of the capture that recorded it last, 0 for none */
    rk_node_set after;           /**< in that capture */
};

/** The stream behind a handle, of the calling thread for cudaStreamPerThread; NULL when there is none. */
struct CUstream_st *rk_stream_find(cudaStream_t handle);

#endif
