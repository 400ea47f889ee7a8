#ifndef RK_CONVERT_VERIFY_INTERNAL_H
#define RK_CONVERT_VERIFY_INTERNAL_H

#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "convert/verify.h"

/** A program that ran. */
typedef struct {
    bool timed_out;
    int status; /**< of exit, or 128 and the signal */
    rk_bytes out, err;
} rk_verify_run;

typedef RK_VEC(const char *) rk_verify_words;

/**
 * Runs a program, `words` being its argv and a NULL, with "NAME=value" added to the environment, its output in files of `folder`, no input, for
 * at most `timeout` seconds. False with RK-V151 when it cannot be started.
 */
bool rk_verify_start(rk_verify_run *run, const char *program, const rk_verify_words *words,
                     const rk_verify_words *environment, const char *folder, unsigned timeout,
                     rk_arena *arena, rk_diag *diag);

/** A buffer that differs at a launch. */
typedef struct {
    unsigned long long launch;
    const char *kernel,
        *buffer; /**< name of a parameter or symbol, "" when no parameter points to it */
    int kind;
    unsigned long long serial, bytes;
    const char *index, *type, *theirs, *mine; /**< NULL when there are no values */
    const char *why;                          /**< then, why not */
    unsigned long long count;                 /**< of elements that differ */
    double distance;
} rk_verify_difference;

/** Launches of a kernel that were one thing. */
typedef struct {
    const char *kernel, *why; /**< why: NULL for vDevices */
    unsigned long long launches;
} rk_verify_kernel;

/** What the recorder reported. */
typedef struct {
    unsigned long long launches, vdevices;
    bool complete; /**< the program came to its end */
    unsigned long long recorded;
    const char *other_kernel, *own_kernel; /**< of the first launch that is another one; or NULL */
    unsigned long long other_launch;
    RK_VEC(rk_verify_difference) differences, order;
    RK_VEC(rk_verify_kernel) kernels;
} rk_verify_report;

/** Reads a report; an empty one when the file is not there. */
void rk_verify_read(rk_verify_report *report, const char *path, rk_arena *arena);

/** How two programs' outputs differ. */
typedef struct {
    size_t line; /**< the first one, from 1; 0: none */
    const char *theirs, *mine;
    size_t varying; /**< lines that differ between runs of the original, too */
    size_t timings; /**< lines that differ and tell a time or a rate */
} rk_verify_text;

/** Compares `mine` with one run of the original; `others` are its other runs. */
rk_verify_text rk_verify_compare(rk_bytes theirs, rk_bytes mine, const rk_bytes *others,
                                 size_t other_count, rk_arena *arena);

/** One run of the drop-in, beside the original's. */
typedef struct {
    unsigned veus;
    rk_verify_run run;
    rk_verify_report report;
    rk_verify_text out, err;
    bool same;
} rk_verify_result;

/** Whether an order-dependent buffer of floating-point numbers differs by more than the tolerance. */
bool rk_verify_is_over(const rk_verify_difference *d, double tolerance);

/** Whether an order-dependent buffer of floating-point numbers differs by more than the tolerance. */
bool rk_verify_is_over(const rk_verify_difference *d, double tolerance);

/** Prints the summary. */
void rk_verify_print(const rk_verify_result *results, size_t count, const rk_verify_run *original,
                     double tolerance, bool json, FILE *out, rk_arena *arena);

#endif
