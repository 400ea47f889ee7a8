#ifndef RK_CONVERT_UNIT_CONVERT_H
#define RK_CONVERT_UNIT_CONVERT_H

#include "rkernel_lib/catalog/catalog.h"

/** What is made of a source. */
typedef enum {
    RK_TARGET_CUDA, /**< rKernels for NVIDIA's GPUs */
    RK_TARGET_HIP,  /**< rKernels for AMD's GPUs */
    RK_TARGET_CPU   /**< a legacy program rewritten for the CPU */
} rk_target;

/** What a run of the converter is asked to do. */
typedef struct {
    const char *const *inputs; /**< .cu files, folders, which are searched for them, and
                                    compile_commands.json files, whose .cu entries are taken */
    size_t input_count;
    const char *output;  /**< the one converted file, or NULL */
    const char *out_dir; /**< where outputs and the catalog go, or NULL */
    bool in_place;       /**< each source is replaced by its output, and kept as SOURCE.orig */
    const char *catalog; /**< the catalog's path; NULL: catalog.json in out_dir */
    rk_target target;
    rk_barrier_form barrier; /**< by what barriers are made on NVIDIA's GPUs */
    bool drop_in;            /**< the whole program, its launches replaced by vDevices */
    size_t veus;             /**< drop_in: how many vEUs; 0: as many as the device holds */
    bool absolute;           /**< RK_TARGET_CPU: includes of headers that stay name them in full */
    bool entries;            /**< RK_TARGET_CPU: append rk_legacy_<function> shims */
    const char *kernels; /**< extended regular expression; other kernels are left out; or NULL */
    bool examine;        /**< analyse and report, write nothing */
    const char *const *allow; /**< codes of refusals that are warnings */
    size_t allow_count;
    bool strict;              /**< a warned kernel counts as refused */
    bool builtin_cuda;        /**< parse with our own stub headers */
    const char *cuda_path;    /**< the toolkit; NULL: look for one */
    bool no_cpu;              /**< do not compile the CPU library */
    const char *const *archs; /**< architectures to ask ptxas about: "sm_80" */
    size_t arch_count;
    const char *
        dump; /**< "analysis", "edits", "kernels", "ir" or "facts": printed instead of writing; or NULL */
    const char *const *args; /**< compiler arguments of the user; clang's, once a source is read */
    size_t arg_count;
    const char *database; /**< folder of a compile_commands.json with the arguments, or NULL */
    const char *build;    /**< a command that prints those of a build, run in the first folder; or NULL */
    size_t jobs;          /**< sources converted at a time; 0: one for each processor */
    unsigned seconds;     /**< that a source may take; 0: 600 */
    size_t megabytes;     /**< of memory that it may take; 0: 8192 */
    bool edits;           /**< the results hold the edits, for a report */
    const char *cache;    /**< folder of results, "none", or NULL: see rk_convert_run */
    const char *home;     /**< Rammer's share folder: parse/, include/ */
    /**
     * Called when a source begins and when one is done, and with NULL several times a second; or NULL. `share`: the part
     * of the work that is done, by the sizes of the sources: those that are under way count half, those whose results
     * were kept not at all.
     */
    void (*progress)(void *user, const char *what, size_t done, size_t total, double share);
    void *user;
    bool
        hold_signals; /**< a signal ends the run and not the process: the caller reports, and calls rk_signals_release */
} rk_convert_options;

/** A range of a file's text, from 1 and to the byte after the last; columns count bytes. */
typedef struct {
    const char *file; /**< as the compiler opens it */
    int line, column, end_line, end_column;
} rk_convert_range;

/** What became of a kernel of a source, launched or not. */
typedef struct {
    const char *name;       /**< with its namespaces */
    int line, column;       /**< of its name */
    rk_convert_range range; /**< its definition */
    rk_outcome outcome;
    const char *const *codes; /**< of its refusals and warnings */
    size_t code_count;
    const rk_diagnostic *problems; /**< those, with what to do */
    size_t problem_count;
    size_t instances; /**< in the catalog */
} rk_convert_kernel;

/** What became of a launch, for all that its function is instantiated and called with. */
typedef struct {
    const char *kernel; /**< its name */
    int line;
    unsigned offset;              /**< in its file; not kept in reports */
    const char *const *instances; /**< ids of the kernel's instances that it launches */
    size_t instance_count;
    bool
        open; /**< it launches an instance that is not known, too, or rests on what no expression says */
    bool unnamed; /**< not all instances that it launches are known */
    bool resolved;
    bool opaque; /**< grid, block or shared bytes rest on the result of a call, or on memory */
    const char *reason; /**< NULL when resolved */
    const char *grid,
        *block; /**< of the first way that is known, as expressions: "n / 32, 4"; or NULL */
    rk_convert_range range;
} rk_convert_launch;

/** What the text of a source says, without a parser. */
typedef struct {
    size_t kernels, launches;
} rk_convert_counts;

/** A replacement in a source's text, for readers. */
typedef struct {
    size_t file; /**< index in rk_convert_file.edited */
    size_t offset, length;
    const char *text;
} rk_convert_edit;

/** What became of a source. */
typedef struct {
    const char *path;
    bool parsed;
    const char *reason; /**< why not, or NULL */
    const char *
        part_of; /**< of what is not parsed by itself: a source that includes it. It is no failure then */
    const char *flags; /**< where its arguments come from: "compile_commands.json", "Makefile", a command; or NULL */
    const char *const *outputs; /**< files written for it */
    size_t output_count;
    const rk_convert_kernel *kernels;
    size_t kernel_count;
    const rk_convert_launch *launches;
    size_t launch_count;
    rk_convert_counts text; /**< of the source and of those headers that no source before it has */
    const char *const *edited; /**< files that were edited: the source, its headers */
    size_t edited_count;
    const rk_convert_edit *edits; /**< of those, in order */
    size_t edit_count;
} rk_convert_file;

/** What a run did. */
typedef struct {
    const rk_convert_file *files;
    size_t file_count;
    const char *catalog; /**< path that was written, or NULL */
    const char *dump;    /**< the text asked for with `dump`, or NULL */
    size_t cached;       /**< sources whose results were kept from an earlier run */
    size_t input_count; /**< sources that there are; more than files where a signal ended the run */
} rk_convert_result;

/**
 * Converts the inputs: parses, analyses, rewrites, checks the result by parsing it again, and
 * writes outputs and catalog, each atomically. One file's failure does not stop the others.
 * Diagnoses RK-V0xx (errors), RK-V1xx (refusals), RK-V2xx (warnings); docs/codes/convert.md lists
 * them. False when there is an error; refusals are no errors.
 *
 * Each source is parsed in a process of its own, `jobs` at a time: one that crashes, or takes more time or memory
 * than it may, is an error of that source alone (RK-V007 to RK-V009). What comes out does not depend on `jobs`.
 * The result of each source is kept in `cache`, by a hash of the source, its project headers, the arguments and
 * the tool; NULL is a folder of the user's cache where there is more than one source. A signal that ends the
 * process leaves no partial file; what was done by then is in the cache, failures too: those of a limit for runs of the
 * same limits, those of a header that is not there until it is.
 */
bool rk_convert_run(rk_convert_result *out, const rk_convert_options *options, rk_arena *arena,
                    rk_diag *diag);

/**
 * What the passes over our own tree find in the one that a text holds (--dump ir), without a parser: as --dump facts of
 * its source. NULL with RK-F00x or RK-V010.
 */
const char *rk_convert_load_ir(const char *path, rk_arena *arena, rk_diag *diag);

/** 0 all converted or warned, 1 some refused (warned too with `strict`), 2 an error. */
int rk_convert_exit_code(const rk_convert_result *result, const rk_convert_options *options,
                         const rk_diag *diag);

/** Counts of all files. */
typedef struct {
    size_t files, parsed, parts, kernels, outcome[3], launches, resolved, opaque, open;
    rk_convert_counts text;
} rk_convert_totals;

rk_convert_totals rk_convert_sum(const rk_convert_result *result);

/** One line for each file, one for each code with how many kernels have it, and a table of totals. */
void rk_convert_report_text(const rk_convert_result *result, FILE *out);

/** The same for tools, {"files": [...], "totals": {...}}: schema convert-report. */
char *rk_convert_report_json(const rk_convert_result *result, const rk_diag *diag, rk_arena *arena);

/** One line for each kernel and launch. */
char *rk_convert_report_csv(const rk_convert_result *result, rk_arena *arena);

/**
 * One page that needs nothing else: counts, kernels and launches by code, each source with its edits marked.
 * `home` is Rammer's share folder. NULL when the page that is filled in is not there (RK-F00x).
 */
char *rk_convert_report_html(const rk_convert_result *result, const rk_diag *diag, const char *home,
                             rk_arena *arena, rk_diag *out);

/** What --allow takes: refusals that a promise of the user's makes warnings. */
typedef struct {
    const char *code;
    const char *promise; /**< what the user says is so */
    const char *then;    /**< what becomes of the kernel */
} rk_convert_allowable;

/** All of them; ends with a NULL code. */
extern const rk_convert_allowable rk_convert_allowables[];

/** Whether the options take back refusals of that code, so that they are warnings. */
bool rk_convert_allows(const rk_convert_options *options, const char *code);

#endif
