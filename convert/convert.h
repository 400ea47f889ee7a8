#ifndef RK_CONVERT_CONVERT_H
#define RK_CONVERT_CONVERT_H

#include "rkernel_lib/catalog.h"

/** What a run of the converter is asked to do. */
typedef struct {
    const char *const *inputs; /**< .cu files and folders, which are searched for .cu files */
    size_t input_count;
    const char *output;    /**< the one converted file, or NULL */
    const char *out_dir;   /**< where outputs and the catalog go, or NULL */
    const char *catalog;   /**< the catalog's path; NULL: catalog.json in out_dir */
    bool target_cpu;       /**< rewrite a legacy program for the CPU instead */
    bool drop_in;          /**< the whole program, its launches replaced by vDevices */
    size_t veus;           /**< drop_in: how many vEUs; 0: as many as the device holds */
    bool absolute;         /**< target_cpu: includes of headers that stay name them in full */
    bool entries;          /**< target_cpu: append rk_legacy_<function> shims */
    const char *kernels;   /**< extended regular expression; other kernels are left out; or NULL */
    bool examine;          /**< analyse and report, write nothing */
    bool strict;           /**< a warned kernel counts as refused */
    bool builtin_cuda;     /**< parse with our own stub headers */
    const char *cuda_path; /**< the toolkit; NULL: look for one */
    bool no_cpu;           /**< do not compile the CPU library */
    const char *const *archs; /**< architectures to ask ptxas about: "sm_80" */
    size_t arch_count;
    const char *dump;        /**< "analysis", "edits" or "kernels": printed instead of writing; or NULL */
    const char *const *args; /**< compiler arguments of the user */
    size_t arg_count;
    const char *home; /**< Rammer's share folder: parse/, include/ */
    void (*progress)(void *user, const char *what, size_t done, size_t total); /**< or NULL */
    void *user;
} rk_convert_options;

/** What became of a kernel of a source, launched or not. */
typedef struct {
    const char *name; /**< with its namespaces */
    int line, column;
    rk_outcome outcome;
    const char *const *codes; /**< of its refusals and warnings */
    size_t code_count;
    size_t instances; /**< in the catalog */
} rk_convert_kernel;

/** What became of a launch. */
typedef struct {
    const char *kernel;
    int line;
    bool resolved;
    const char *reason; /**< NULL when resolved */
} rk_convert_launch;

/** What became of a source. */
typedef struct {
    const char *path;
    bool parsed;
    const char *const *outputs; /**< files written for it */
    size_t output_count;
    const rk_convert_kernel *kernels;
    size_t kernel_count;
    const rk_convert_launch *launches;
    size_t launch_count;
    size_t bytes_edited;
} rk_convert_file;

/** What a run did. */
typedef struct {
    const rk_convert_file *files;
    size_t file_count;
    const char *catalog; /**< path that was written, or NULL */
    const char *dump;    /**< the text asked for with `dump`, or NULL */
} rk_convert_result;

/**
 * Converts the inputs: parses, analyses, rewrites, checks the result by parsing it again, and
 * writes outputs and catalog, each atomically. One file's failure does not stop the others.
 * Diagnoses RK-V0xx (errors), RK-V1xx (refusals), RK-V2xx (warnings); docs/codes/convert.md lists
 * them. False when there is an error; refusals are no errors.
 */
bool rk_convert_run(rk_convert_result *out, const rk_convert_options *options, rk_arena *arena,
                    rk_diag *diag);

/** 0 all converted or warned, 1 some refused (warned too with `strict`), 2 an error. */
int rk_convert_exit_code(const rk_convert_result *result, const rk_convert_options *options,
                         const rk_diag *diag);

/** One line for each file and kernel, and a table of totals. */
void rk_convert_report_text(const rk_convert_result *result, FILE *out);

/** The same for tools: {"files": [...], "totals": {...}}. */
char *rk_convert_report_json(const rk_convert_result *result, const rk_diag *diag, rk_arena *arena);

#endif
