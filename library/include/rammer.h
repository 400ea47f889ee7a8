#ifndef RAMMER_H
#define RAMMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * librammer: loads a model, or plans one, and runs it on this machine. What stands here is stable: functions keep their
 * meaning, structs that the library hands out only grow at their ends, enumerators keep their numbers.
 *
 * A function that can fail returns false, or NULL, and the model holds what there is to say: all problems at once.
 * Nothing prints, exits or aborts. A process that runs out of memory while a model is loaded gets RK-L004.
 *
 * Threads: different models may be used by different threads at the same time, one model by one thread at a time. A run
 * works with as many threads as the option `threads` says, the caller's among them, which sleep between runs.
 * For the length of a run the handlers of SIGSEGV, SIGBUS, SIGFPE and SIGILL tell which kernel failed; faults elsewhere go
 * to the handlers that were there before.
 */

typedef struct rammer_model rammer_model;

/** "0.1.0" */
const char *rammer_version(void);

/** A model that is still empty; NULL when there is no memory for it. */
rammer_model *rammer_model_new(void);
/** NULL is fine. */
void rammer_model_free(rammer_model *model);

/* What there is to say. */

typedef enum {
    RAMMER_NOTE = 0,
    RAMMER_WARNING = 1,
    RAMMER_REFUSED = 2,
    RAMMER_ERROR = 3
} rammer_severity;

/** One problem, or remark. Where nothing is known, text is NULL, and line and column are 0. */
typedef struct {
    rammer_severity severity;
    const char *code;    /**< stable, as "RK-O003": docs/codes.md has them all */
    const char *message; /**< one sentence */
    const char *hint;    /**< what to do */
    const char *file;
    const char *object; /**< a thing in the file, as "node 'h1'" */
    int line, column;   /**< from 1 */
} rammer_message;

/** Messages of the last call for this model, until the next one that can fail. */
size_t rammer_message_count(const rammer_model *model);
/** NULL past the last. */
const rammer_message *rammer_message_at(const rammer_model *model, size_t i);

/* Loading. */

/**
 * Sets an option of the model to be loaded, by the name that it has in `rammer run --help`:
 *   dim=NAME=N (or bind), catalog=FILE|DIR, bindings=DIR   any number of times
 *   target, device, policy, kernels, profile, load-schedule   text
 *   veus=N, threads=N                                          numbers
 *   no-shipped, constants-anywhere, exact                      "1" or "0"
 *   home=DIR   where the catalog and the devices of Rammer are; else $RAMMER_HOME, else beside the library
 * RK-L001 for another name, RK-L002 for a value that it does not take, RK-L003 when the model is loaded.
 */
bool rammer_model_set(rammer_model *model, const char *name, const char *value);

/** Types of elements. */
typedef enum {
    RAMMER_F32 = 0,
    RAMMER_F64 = 1,
    RAMMER_F16 = 2,
    RAMMER_BF16 = 3,
    RAMMER_I8 = 4,
    RAMMER_U8 = 5,
    RAMMER_I16 = 6,
    RAMMER_U16 = 7,
    RAMMER_I32 = 8,
    RAMMER_U32 = 9,
    RAMMER_I64 = 10,
    RAMMER_U64 = 11,
    RAMMER_BOOL = 12,
    /* One element a byte. */
    RAMMER_F8E4M3 = 13,
    RAMMER_F8E4M3UZ = 14,
    RAMMER_F8E5M2 = 15,
    RAMMER_F8E5M2UZ = 16,
    RAMMER_F8E8M0 = 17,
    RAMMER_F4E2M1 = 18,
    RAMMER_I4 = 19,
    RAMMER_U4 = 20,
    RAMMER_I2 = 21,
    RAMMER_U2 = 22
} rammer_type;

enum { RAMMER_MAX_RANK = 8 };

/**
 * Says, before the model is loaded, what an input's value is: for an ONNX model with shapes that follow from it. It
 * becomes a constant; the data are copied.
 */
bool rammer_model_give(rammer_model *model, const char *name, rammer_type type, int rank,
                       const int64_t *shape, const void *data);

/**
 * Loads an ONNX model (by its name: *.onnx), a graph.json, a folder with one, or a folder that `rammer build` wrote. All
 * but the last are planned here, which can take seconds.
 */
bool rammer_model_load(rammer_model *model, const char *path);

/* What was loaded; all empty before. With open dimensions, shapes are of the values that are set. */

/** An input or output: dense, row-major. */
typedef struct {
    const char *name;
    rammer_type type;
    int rank;
    const int64_t *shape;
    size_t bytes;
} rammer_tensor;

size_t rammer_model_input_count(const rammer_model *model);
size_t rammer_model_output_count(const rammer_model *model);
/** In the model's order; NULL past the last. */
const rammer_tensor *rammer_model_input(const rammer_model *model, size_t i);
const rammer_tensor *rammer_model_output(const rammer_model *model, size_t i);

/* Open dimensions: those that the option `dim` gave a range, as n=1..128. One plan is for all their values. */

/** A dimension: a name, the range that the model was planned for, and the value that is set. */
typedef struct {
    const char *name;
    int64_t low, high, value;
} rammer_dim;

/** Dimensions that are open; 0 for a model of fixed shapes. */
size_t rammer_model_dim_count(const rammer_model *model);
/** NULL past the last. */
const rammer_dim *rammer_model_dim(const rammer_model *model, size_t i);

/**
 * Sets the open dimensions, values[i] of dimension i, for all runs that follow; a model that was loaded has the largest.
 * Nothing is planned or built. RK-G019 where the model does not take these values; then it keeps those before.
 */
bool rammer_model_set_dims(rammer_model *model, const int64_t *values);

/**
 * Sets the open dimensions to what inputs of these shapes have: shapes[i] are the extents of input i, as many as its rank.
 * RK-L008 where an extent is not the input's, with what it is to be; RK-G019 as of rammer_model_set_dims.
 */
bool rammer_model_set_shapes(rammer_model *model, const int64_t *const *shapes);

/** The threads and vEUs that a run works with. */
unsigned rammer_model_threads(const rammer_model *model);
unsigned rammer_model_veus(const rammer_model *model);

/* Running. Buffers are the caller's, in this machine's memory, one for each input and output. */

/** Runs the model once. RK-L005 when its target does not run here, RK-L006 when a buffer is missing, RK-M106. */
bool rammer_model_run(rammer_model *model, const void *const *inputs, void *const *outputs);

/** What took how long in rammer_model_profile. */
typedef struct {
    const char *name;   /**< the node's */
    const char *kernel; /**< the kernel's id in the catalog */
    int64_t rtasks;
    double seconds; /**< measured on this machine */
} rammer_node;

/**
 * Runs the model's kernels one by one, each on all threads with a join after it, and measures them. The outputs are
 * those of a run.
 */
bool rammer_model_profile(rammer_model *model, const void *const *inputs, void *const *outputs);
/** What the last profile measured, in the order of the runs. */
size_t rammer_model_node_count(const rammer_model *model);
const rammer_node *rammer_model_node(const rammer_model *model, size_t i);

/* Keeping. For models that were planned here; RK-L007 for others. */

/** Writes a folder as `rammer build` does, which rammer_model_load takes, or of another target. */
bool rammer_model_save(rammer_model *model, const char *dir);
/** Writes one HTML page: the graph, the timeline on the device, simulated, and the waits. */
bool rammer_model_view(rammer_model *model, const char *path);

#ifdef __cplusplus
}
#endif

#endif
