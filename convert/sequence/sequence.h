#ifndef RK_CONVERT_SEQUENCE_SEQUENCE_H
#define RK_CONVERT_SEQUENCE_SEQUENCE_H

#include "base/diag.h"
#include "rkernel_lib/catalog/catalog.h"

#include <clang-c/Index.h>

/** A value that the caller of the function gives: `n=1024`. */
typedef struct {
    const char *name;
    double value;
} rk_given;

/** Memory of the device that the function allocates, or gets as a parameter. */
typedef struct {
    const char *name; /**< of the variable that it is allocated for; distinct */
    int64_t bytes;    /**< -1: not known, of a parameter */
    int64_t element;  /**< bytes of what the variable points to, at least 1 */
    bool managed;     /**< the host reads and writes it, too */
    bool parameter;   /**< of the function */
    rk_place place;
} rk_buffer;

/** A place in a buffer. */
typedef struct {
    size_t buffer;  /**< RK_SEQUENCE_NONE: no device memory; of an argument, the null pointer */
    int64_t offset; /**< in bytes */
} rk_address;

#define RK_SEQUENCE_NONE SIZE_MAX

/** What a launch passes for a parameter. */
typedef struct {
    enum { RK_PASS_ADDRESS, RK_PASS_INT, RK_PASS_REAL } kind;
    rk_address address;
    int64_t i;
    double d;
} rk_pass;

typedef enum {
    RK_STEP_LAUNCH,   /**< a kernel */
    RK_STEP_COPY_IN,  /**< from the host */
    RK_STEP_COPY_OUT, /**< to the host */
    RK_STEP_COPY,     /**< on the device */
    RK_STEP_FILL      /**< cudaMemset */
} rk_step_kind;

/** One thing that the function has the device do. */
typedef struct {
    rk_step_kind kind;
    rk_place place;       /**< of the call */
    const char *function; /**< the host function that has it */
    rk_address to, from;  /**< of copies and fills */
    int64_t bytes;        /**< likewise */
    int64_t fill;         /**< the byte */
    const char *kernel;   /**< id of the instance, of a launch */
    rk_place defined;     /**< of the kernel; no file where no unit has its definition */
    int64_t grid[3], block[3], shared;
    const rk_pass *args;
    size_t arg_count;
} rk_step;

/** What a host function has the device do, in order. */
typedef struct {
    const char *function;
    const rk_buffer *buffers;
    size_t buffer_count;
    const rk_step *steps;
    size_t step_count;
    bool whole;       /**< false: what comes after the last step could not be followed */
    rk_place stopped; /**< where */
    const char *why, *hint;
} rk_sequence;

/** The sources of a program. */
typedef struct {
    const CXTranslationUnit *items;
    size_t count;
} rk_sequence_units;

/**
 * Follows a host function of the units, which are one program: `function`, or with NULL main, or the only
 * one that launches. Its scalar parameters have the given values; main is started without arguments.
 * Functions that it calls are followed where a unit has their bodies, loops turn by turn. Where what is done depends
 * on what is known only at run time, the sequence ends and says why. RK-V301 when there is no such
 * function, RK-V302 for given values that it does not take. Strings belong to the arena.
 */
bool rk_sequence_follow(rk_sequence *out, const rk_sequence_units *units, const char *function,
                        const rk_given *given, size_t given_count, rk_arena *arena, rk_diag *diag);

#endif
