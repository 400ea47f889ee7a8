#ifndef RK_CATALOG_CATALOG_H
#define RK_CATALOG_CATALOG_H

#include "base/diag.h"
#include "rkernel_lib/catalog/dtype.h"

#include <stdint.h>

#define RK_CATALOG_SCHEMA "rammer.catalog/1"

/** What a kernel does with a parameter, as the converter infers it from the code. */
typedef enum {
    RK_ROLE_SCALAR,     /**< passed by value */
    RK_ROLE_READ,       /**< only read through */
    RK_ROLE_WRITTEN,    /**< only written through */
    RK_ROLE_BOTH,       /**< read and written */
    RK_ROLE_ACCUMULATED /**< added to with atomics: needs an initial value */
} rk_role;

typedef struct {
    const char *name;
    const char *type; /**< as C++ spells it without `restrict`, e.g. "const float *" */
    rk_dtype dtype;   /**< of the scalar, or of what the pointer points to */
    bool pointer;
    rk_role role;
} rk_param;

/** By what a kernel's barriers are made on a GPU (docs/vdevice.md, "Barriers"). */
typedef enum {
    RK_BARRIER_AUTO,  /**< each case has its own */
    RK_BARRIER_NAMED, /**< hardware barriers with a number and a count of threads alone */
    RK_BARRIER_CG,    /**< the toolkit's cooperative groups */
    RK_BARRIER_FORMS
} rk_barrier_form;

/** "auto", "named", "cg"; "?" for none of them. */
const char *rk_barrier_form_name(rk_barrier_form form);

/** The form of that name; false for none. */
bool rk_barrier_form_of(rk_barrier_form *out, const char *name);

/** How a CPU runs the threads of a kernel's block (docs/cpu.md). */
typedef enum {
    RK_CPU_LOOP,    /**< one after another: none waits */
    RK_CPU_FISSION, /**< in loops between their barriers */
    RK_CPU_FIBERS,
    RK_CPU_LIBRARY /**< it has none: an rTask is a call of a library, in code that nobody converted */
} rk_cpu_threads;

/** The barrier cases of the rKernel contract are chosen from these and the block and vEU sizes. */
typedef struct {
    bool barrier;       /**< __syncthreads or a helper that calls it */
    bool reduce;        /**< __syncthreads_count, _and or _or */
    bool early_return;  /**< a return that a barrier may follow */
    bool warp;          /**< shuffles, votes, match, reduce, __syncwarp */
    bool atomics;       /**< any atomic */
    bool float_atomics; /**< atomics on floating point: results depend on the order */
    bool dynamic_shared;
    bool
        host_state; /**< textures, or __constant__ and __device__ variables that the host sets: no graph
                          can give these */
    bool ordered; /**< an rTask waits for lower-numbered ones of its launch: these begin before it */
    rk_barrier_form form; /**< asked for; of kernels with barriers */
    int dims;             /**< 1..3: the highest dimension of threadIdx or blockIdx that it reads */
} rk_uses;

/** What an input of a launch is. */
typedef enum {
    RK_INPUT_GLOBAL,   /**< a variable outside of the function, or a static one */
    RK_INPUT_MEMBER,   /**< a member of the object whose method launches */
    RK_INPUT_MEMORY,   /**< a value read through a pointer or from an array */
    RK_INPUT_DEVICE,   /**< a property of the device */
    RK_INPUT_CALL,     /**< the result of a host function, or what it leaves in a variable */
    RK_INPUT_TEMPLATE, /**< it depends on a template parameter that is open here */
    RK_INPUT_LOOP,     /**< a variable of a loop around the launch: one launch for each value */
    RK_INPUT_AFTER,    /**< what such a variable is when its loop, which comes before, is done */
    RK_INPUT_OPEN, /**< what no expression says: a variable that changes in ways that are not followed */
    RK_INPUT_KINDS
} rk_input_kind;

/**
 * A value that a launch depends on beside the parameters of its function. Its name stands for the
 * value when the program comes to `line`; a member of a struct follows in the name ("prop.warpSize").
 */
typedef struct {
    const char *name; /**< unique among the launch's inputs and parameters */
    rk_input_kind kind;
    const char *of; /**< as the source writes it: "atoi(argv[1])" */
    const char *file;
    int line;
    /** RK_INPUT_LOOP, RK_INPUT_AFTER: the first value, the condition to go on, the next value, over the names. */
    const char *first, *again, *next;
    const char *why; /**< RK_INPUT_OPEN: why no expression says it; else NULL */
} rk_launch_input;

/** One launch site `kernel<<<grid, block, shared>>>(args)`; expressions over `params` and `inputs`. */
typedef struct {
    const char *function; /**< the launching host function */
    const char *file;
    int line;
    bool resolved;
    const char *reason;     /**< why not resolved, else NULL */
    const rk_param *params; /**< of the launching function */
    size_t param_count;
    const rk_launch_input
        *inputs; /**< other values that it depends on: a binding gives them */
    size_t input_count;
    const char *grid[3], *block[3], *shared; /**< NULL when not resolved */
    const char *const *args; /**< one for each kernel parameter; a pointer's is a parameter's name,
                                  or `name + expression`. NULL for an argument that is none of these
                                  (a buffer that the function allocates, a global): no binding takes
                                  such a launch */
    size_t arg_count;
    const char *stream; /**< as the source writes it, NULL: the default one */
    const char *when;   /**< condition under which the function reaches the launch, NULL: always */
    bool when_partial;  /**< it also depends on what is no expression of the parameters: `when` is
                            necessary, not sufficient. A binding needs a condition of its own */
} rk_launch;

/** What ptxas reports for one architecture. */
typedef struct {
    const char *arch; /**< "sm_80" */
    int registers, shared, spill_bytes;
} rk_resources;

typedef enum { RK_CONVERTED, RK_WARNED, RK_REFUSED_KERNEL } rk_outcome;

/** One kernel instance: a kernel, or a kernel template with one set of arguments. */
typedef struct {
    const char *id; /**< unique in the catalog: "gemm<32, 8>" */
    const char *name;
    const char *const *template_args;
    size_t template_arg_count;
    const char *source; /**< the legacy file */
    int line, column;
    const char *hash; /**< of the source that the rKernel depends on, 16 hex digits */
    const char
        *phase_of; /**< id of the kernel with grid-wide barriers that it is a phase of, or NULL */
    int phase;     /**< which one, from 0: they run in this order, each with the launch's grid */
    rk_outcome outcome;
    const char *rkernel_file;   /**< relative to the catalog's folder, e.g. "gemm.rk.cu" */
    const char *rkernel_symbol; /**< e.g. "rk__in_gemm::gemm<32, 8>" */
    const char *rkernel_frame;  /**< type of its static shared memory, NULL if it has none */
    int64_t static_shared;      /**< sizeof(rkernel_frame), 0 if none */
    int64_t static_align;       /**< its alignment, at least 1 */
    const char *cpu_library;    /**< relative path of the shared object, NULL if not compiled */
    unsigned cpu_levels;        /**< for which it has others beside it (cpu_levels.h) */
    const char *cpu_entry;      /**< symbol of the CPU entry (rk_cpu.h) */
    rk_cpu_threads cpu_threads; /**< of the compiled form */
    const rk_param *params;
    size_t param_count;
    rk_uses uses;
    int max_threads; /**< from __launch_bounds__, 0 if none */
    int min_blocks;  /**< likewise */
    const rk_launch *launches;
    size_t launch_count;
    const rk_resources *resources; /**< one for each architecture that was compiled */
    size_t resource_count;
    const rk_diagnostic *diagnostics; /**< those of the conversion */
    size_t diagnostic_count;
} rk_kernel;

/** Where the files of a layer are whose names begin with `name` and a slash. */
typedef struct {
    const char *name, *folder;
} rk_catalog_mount;

/** A catalog: kernel instances ordered by id. */
typedef struct {
    const char *folder; /**< the folder of the file; relative paths start here */
    const rk_kernel *kernels;
    size_t kernel_count;
    uint64_t hash;                  /**< of the file's bytes */
    const rk_catalog_mount *mounts; /**< of a catalog that was layered (layers.h) */
    size_t mount_count;
} rk_catalog;

/** Reads a catalog. NULL with RK-F..., RK-J... or RK-C001 (inconsistent entry). */
const rk_catalog *rk_catalog_read(const char *path, rk_arena *arena, rk_diag *diag);

/** As rk_catalog_read, from its text; `path` names it in diagnostics and says where its folder is. */
const rk_catalog *rk_catalog_parse(const char *text, size_t size, const char *path, rk_arena *arena,
                                   rk_diag *diag);

/** The text that rk_catalog_write writes. */
char *rk_catalog_print(const rk_catalog *catalog, rk_arena *arena);

/** Writes it; the same catalog gives the same bytes. */
bool rk_catalog_write(const rk_catalog *catalog, const char *path, rk_arena *arena, rk_diag *diag);

/** Whether the catalog lies in the folder or below it: its files have names there. */
bool rk_catalog_is_below(const rk_catalog *catalog, const char *folder);

/**
 * Gives each of several kernels of one name an id of its own: `name@source`, or `name@source#hash` where one source has
 * several. Ids that say so already are made anew, so that neither the order nor the number of steps counts.
 */
void rk_catalog_tell_apart(rk_kernel *kernels, size_t count, rk_arena *arena);

/**
 * The kernels of both, with names of files as from a's folder, which b's is in or below (RK-F006). A kernel that both have gets
 * the launches of both; others of one name are told apart. NULL on failure.
 */
const rk_catalog *rk_catalog_merge(const rk_catalog *a, const rk_catalog *b, rk_arena *arena,
                                   rk_diag *diag);

/** The instance with that id, NULL if there is none. */
const rk_kernel *rk_catalog_find(const rk_catalog *catalog, const char *id);

/**
 * The first launch by that function, NULL if there is none; NULL function: the only launch, if it
 * is the only one.
 */
const rk_launch *rk_kernel_launch(const rk_kernel *kernel, const char *function);

const char *rk_role_name(rk_role role);
const char *rk_input_kind_name(rk_input_kind kind);
const char *rk_outcome_name(rk_outcome outcome);

#endif
