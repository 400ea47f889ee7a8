#ifndef RK_CONVERT_SEQUENCE_SEQUENCE_INTERNAL_H
#define RK_CONVERT_SEQUENCE_SEQUENCE_INTERNAL_H

#include "base/vec.h"
#include "convert/launches/harvest_internal.h"
#include "convert/sequence/sequence.h"

/** A function being followed, and who called it. */
typedef struct rk_frame {
    CXCursor function;
    const struct rk_frame *caller;
} rk_frame;

/** A host function on its way. */
typedef struct {
    rk_arena *arena;
    const rk_sequence_units *units;
    RK_VEC(rk_buffer) buffers;
    RK_VEC(rk_step) steps;
    const rk_frame *frame;
    bool computed; /**< a kernel was launched since the host last waited for the device */
    bool
        waited; /**< the host has waited for kernels: it may have read and written managed memory */
    bool stopped;
    rk_place where;
    const char *why, *hint;
} rk_follow;

/** Ends the sequence at a call; the first stop counts. */
void rk_follow_stop(rk_follow *f, CXCursor call, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Whether the call is reached for certain; stops otherwise. */
bool rk_follow_certain(rk_follow *f, CXCursor call, const rk_hstate *state);

/** Stops at a call of a constructor where objects of its class launch or copy when they begin or end. */
void rk_follow_object(rk_follow *f, rk_hrun *run, CXCursor call, const rk_hstate *state);

/** The name, or with a number behind it where another buffer has it. */
const char *rk_follow_distinct(const rk_follow *f, const char *name);

/** A new buffer for a variable of that name; returns its name, made distinct. */
const char *rk_follow_buffer(rk_follow *f, rk_buffer buffer);

/** The device memory that a value points to; its buffer is RK_SEQUENCE_NONE where it is none. */
rk_address rk_follow_address(const rk_follow *f, rk_hv value);

/** A new step at this call. */
rk_step *rk_follow_step(rk_follow *f, CXCursor call, rk_step_kind kind);

/** A call of CUDA's runtime, by its name; false when it is none that does something on the device. */
bool rk_follow_cuda(rk_follow *f, rk_hrun *run, CXCursor call, const char *name, rk_hstate *state);

/** A launch of any kind. */
void rk_follow_launch(rk_hrun *run, CXCursor call, const rk_hstate *state);

#endif
