#ifndef RK_RKERNEL_LIB_CUDA_HANDLES_H
#define RK_RKERNEL_LIB_CUDA_HANDLES_H

#include <stdbool.h>

/*
 * Handles that programs hold, in a table: whether one is alive is asked of it, and never of the memory behind a
 * handle that may be freed.
 */

typedef enum {
    RK_HANDLE_NONE,
    RK_HANDLE_STREAM,
    RK_HANDLE_EVENT,
    RK_HANDLE_GRAPH,
    RK_HANDLE_NODE,
    RK_HANDLE_INSTANCE
} rk_handle_kind;

/** Notes a new handle, not NULL; false when memory is short. */
bool rk_handle_add(const void *handle, rk_handle_kind kind);

/** Whether it is one of that kind, and alive. */
bool rk_handle_is(const void *handle, rk_handle_kind kind);

/** Forgets it; fine if it is not there. */
void rk_handle_drop(const void *handle);

#endif
