#ifndef RK_CONVERT_VERIFY_VERIFY_INTERNAL_H
#define RK_CONVERT_VERIFY_VERIFY_INTERNAL_H

#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "convert/verify/verify.h"

/** A program that ran. */
typedef struct {
    bool timed_out;
    int status; /**< of exit, or 128 and the signal */
    rk_bytes out, err;
} rk_verify_run;

typedef RK_VEC(const char *) rk_verify_words;

/**
 * Runs a program, `words` being its argv and a NULL, with "NAME=value" added to the environment, its output
 * in files of `folder`, no input, for at most `timeout` seconds. False with RK-V151 when it cannot be
 * started.
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
    double distance;                          /**< the largest, relative */
    bool permuted;                            /**< both have the same elements, in another order */
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
    RK_VEC(rk_verify_difference) found;
    RK_VEC(rk_verify_kernel) kernels;
} rk_verify_report;

/** Reads a report; an empty one when the file is not there. */
void rk_verify_read(rk_verify_report *report, const char *path, rk_arena *arena);

/** How two programs' outputs differ. */
typedef struct {
    size_t line; /**< the first one, from 1; 0: none */
    const char *theirs, *mine;
    size_t varying; /**< lines that differ between runs of the original, too */
} rk_verify_text;

/**
 * Compares `mine` with one run of the original; `others` are its other runs. Numbers may differ by
 * `tolerance`, relative.
 */
rk_verify_text rk_verify_compare(rk_bytes theirs, rk_bytes mine, const rk_bytes *others,
                                 size_t other_count, double tolerance, rk_arena *arena);

/* The original. */

/**
 * Runs of the original: as it is, then with random orders; RK_VERIFY_RUNS, and more while a difference of
 * the drop-in may come of the order alone.
 */
enum { RK_VERIFY_RUNS = 3, RK_VERIFY_MOST_RUNS = 7 };

/** A buffer that differs at a launch between runs of the original, and in which ways. */
typedef struct {
    unsigned long long launch, serial;
    int kind;
    bool number;   /**< always of floating-point numbers, which differ by at most `distance` */
    bool permuted; /**< always with the same elements, in another order */
    double distance;
} rk_verify_varying;

/** In order of launch, kind and serial number. */
typedef RK_VEC(rk_verify_varying) rk_verify_varyings;

typedef struct {
    rk_verify_run runs[RK_VERIFY_MOST_RUNS];
    rk_verify_report reports[RK_VERIFY_MOST_RUNS]; /**< of the runs with random orders, from 1 */
    size_t count;
    rk_verify_varyings varying;
    /* Where the runs differ: more in the order of the first. What differs in these, too, no order explains. */
    rk_verify_run again[RK_VERIFY_MOST_RUNS];
    rk_verify_report again_reports[RK_VERIFY_MOST_RUNS];
    size_t again_count;
    rk_verify_varyings again_varying;
} rk_verify_original;

/** Adds what a run reported that differs from the first. */
void rk_verify_vary(rk_verify_varyings *out, const rk_verify_report *report, rk_arena *arena);

/** Whether the original's runs with random orders differ from the first: in a buffer, or in the launches. */
bool rk_verify_varies(const rk_verify_original *o);

/* Comparing. */

/** What a buffer of the drop-in that is not that of the original's first run is. */
typedef enum {
    RK_VERIFY_DIFFERENT, /**< the original's runs do not differ so */
    RK_VERIFY_NEAR, /**< numbers that vary in all runs or were built in another way, within the tolerance */
    RK_VERIFY_PERMUTED, /**< elements whose order varies in all runs, and nothing else */
    RK_VERIFY_UNJUDGED  /**< the original's runs differ by more than these two */
} rk_verify_verdict;

/** Buffers of one kernel and name with a verdict other than RK_VERIFY_DIFFERENT. */
typedef struct {
    rk_verify_verdict verdict;
    const rk_verify_difference *first;
    unsigned long long launches;
    double distance; /**< the largest */
} rk_verify_order;

/** One run of the drop-in, or of either program built in another way, beside the original's. */
typedef struct {
    unsigned veus;       /**< 0: as it is */
    const char *another; /**< compiler and options of the other way; NULL: the original's own */
    bool ordered;        /**< blocks and threads run in the order of the original's first run */
    rk_verify_run run;
    rk_verify_report report;
    rk_verify_text out, err;
    RK_VEC(rk_verify_difference) different;
    RK_VEC(rk_verify_order) order;
    bool status_varies, launches_vary; /**< in the original: they are not compared */
    bool same;
} rk_verify_result;

/** Says whether the run is the same as the original's, and in what it is not; may be called again. */
void rk_verify_judge(rk_verify_result *r, const rk_verify_original *o, double tolerance,
                     rk_arena *arena);

/** Whether the buffer is of floating-point numbers. */
bool rk_verify_is_number(const rk_verify_difference *d);

/** Prints the summary. */
void rk_verify_print(const rk_verify_result *results, size_t count, const rk_verify_run *original,
                     double tolerance, bool json, FILE *out);

#endif
