#ifndef RK_SCHED_ONNX_WIRE_H
#define RK_SCHED_ONNX_WIRE_H

#include "base/diag.h"

#include <stdint.h>

/*
 * Protobuf's wire format, read by a table of fields into structs. Bytes stay where the file is mapped; what is
 * allocated is bounded by a multiple of the file's size, and depth by RK_WIRE_DEPTH.
 */

/** Messages within messages. */
enum { RK_WIRE_DEPTH = 100 };

/** Bytes of the file. */
typedef struct {
    const char *data;
    size_t size;
} rk_slice;

/** What a field holds, and the type of the struct's member; of a repeated one, of the items of an RK_VEC of it. */
typedef enum {
    RK_WIRE_INT,    /**< int64_t; of int32, int64 and enums */
    RK_WIRE_FLOAT,  /**< float */
    RK_WIRE_DOUBLE, /**< double */
    RK_WIRE_TEXT,   /**< const char *, "" when it is not there */
    RK_WIRE_BYTES,  /**< rk_slice */
    RK_WIRE_MESSAGE /**< a pointer to its struct, NULL when it is not there */
} rk_wire_kind;

struct rk_wire_message;

typedef struct {
    uint32_t number; /**< 0 ends a list */
    const char *name;
    rk_wire_kind kind;
    bool repeated;
    size_t offset; /**< of the member */
    const struct rk_wire_message *message;
} rk_wire_field;

/** A message. The first member of its struct is `uint64_t seen`: bit i: the i-th field was there. */
typedef struct rk_wire_message {
    const char *name;
    size_t size; /**< of the struct */
    const rk_wire_field *fields;
} rk_wire_message;

/**
 * Reads `bytes` into a new struct of `message`. Fields that the table does not have are skipped. NULL with RK-O001
 * at the byte in `file` where the format breaks.
 */
void *rk_wire_read(const rk_wire_message *message, rk_slice bytes, const char *file,
                   rk_arena *arena, rk_diag *diag);

#endif
