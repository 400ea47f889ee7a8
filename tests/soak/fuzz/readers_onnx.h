#ifndef RK_FUZZ_READERS_ONNX_H
#define RK_FUZZ_READERS_ONNX_H

#include "base/diag.h"
#include "base/file.h"

/** Whether an ONNX model is imported. */
bool read_onnx(const char *path, rk_arena *arena, rk_diag *diag);

/**
 * A copy of a message of protobuf's with one field, at any depth, left out, repeated, moved, nested or of another value,
 * number or kind; the lengths around it are right. `below` gives random numbers.
 */
rk_bytes change_message(rk_bytes in, size_t (*below)(size_t limit), rk_arena *arena);

#endif
