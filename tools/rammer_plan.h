#ifndef RK_TOOLS_RAMMER_PLAN_H
#define RK_TOOLS_RAMMER_PLAN_H

#include "rammer.h"

#include "emit/backend.h"
#include "sched/files/schedule_files.h"
#include "sched/model/model.h"
#include "sched/policies/policy.h"
#include "sched/profile/profile_file.h"
#include "sched/select/select.h"

/** The stages of a build, each of which can be dumped as text. */
typedef enum {
    RK_STAGE_GRAPH,
    RK_STAGE_CANDIDATES,
    RK_STAGE_SCHEDULE,
    RK_STAGE_SCHEDULE_BINARY,
    RK_STAGE_MEMORY,
    RK_STAGE_IMAGE,
    RK_STAGE_COUNT
} rk_stage;

extern const char *const rk_stage_names[RK_STAGE_COUNT];

/** What `build`, `run` and `check` let a user say about the way from a graph to an image. */
typedef struct {
    const char *target;   /**< backend; NULL: cpu */
    rk_texts catalogs;    /**< files or folders, each over those before and the shipped one */
    rk_texts bindings;    /**< folders, likewise */
    bool no_shipped;      /**< neither the shipped catalog nor its bindings */
    const char *device;   /**< name or file; NULL: the target's default */
    const char *policy;   /**< "name" or "name:option=n,..."; NULL: auto */
    const char *kernels;  /**< only kernels whose id contains it; NULL: all */
    const char *profile;  /**< file of measured times; NULL: the model alone */
    const char *schedule; /**< file to load instead of scheduling, NULL */
    int64_t veus;         /**< 0: as many as fit */
    rk_texts bind;        /**< "n=32" */
    bool anywhere;        /**< constants may lie outside the graph's folder */
    const rk_texts
        *given; /**< "x=x.npy", values that an ONNX model may need when it is built; NULL: none */
} rk_plan_options;

/** An option that sets `field`, in an option table of the struct `type`. */
#define RK_OPTION(kind, type, field, name, value, help)                                            \
    {                                                                                              \
        name, 0, RK_OPTION_##kind, value, offsetof(type, field), help                              \
    }

/** Of these the options that say where kernels and bindings are from. */
#define RK_LAYER_OPTIONS(type, at)                                                                 \
    RK_OPTION(TEXTS, type, at.catalogs, "catalog", "FILE|DIR",                                     \
              "a catalog with the bindings beside it, over the shipped ones and those before"),    \
        RK_OPTION(TEXTS, type, at.bindings, "bindings", "DIR",                                     \
                  "a folder of *.bind.json, over the shipped ones and those before"),              \
        RK_OPTION(FLAG, type, at.no_shipped, "no-shipped", NULL,                                   \
                  "without the shipped catalog and bindings")

/** The entries of an option table for the rk_plan_options at member `at` of `type`. */
#define RK_PLAN_OPTIONS(type, at)                                                                  \
    RK_OPTION(TEXT, type, at.target, "target", "NAME", "backend: cpu (default), cuda, null"),      \
        RK_OPTION(TEXT, type, at.device, "device", "NAME|FILE",                                    \
                  "device descriptor; default: the target's"),                                     \
        RK_OPTION(TEXT, type, at.policy, "policy", "NAME[:OPTION=N,...]",                          \
                  "scheduling policy; default: auto"),                                             \
        RK_OPTION(INT, type, at.veus, "veus", "N", "at most N vEUs; default: as many as fit"),     \
        RK_OPTION(TEXT, type, at.kernels, "kernels", "TEXT",                                       \
                  "prefer kernels whose id contains TEXT"),                                        \
        RK_OPTION(TEXTS, type, at.bind, "bind", "NAME=N", "value of a named dimension"),           \
        RK_OPTION(TEXTS, type, at.bind, "dim", "NAME=N", "the same"),                              \
        RK_OPTION(TEXT, type, at.schedule, "load-schedule", "FILE",                                \
                  "use this schedule, checked, in place of a policy"),                             \
        RK_OPTION(TEXT, type, at.profile, "profile", "FILE",                                       \
                  "measured times, of `rammer profile`; the model elsewhere"),                     \
        RK_OPTION(FLAG, type, at.anywhere, "constants-anywhere", NULL,                             \
                  "constants may lie outside the graph's folder"),                                 \
        RK_LAYER_OPTIONS(type, at)

/** All that a build makes on its way; what is past the last stage done is NULL. */
typedef struct {
    const rk_backend *backend;
    const rk_policy *policy;
    const int64_t *policy_options; /**< as rk_problem has them */
    const rk_graph *given;         /**< as it was read */
    const rk_graph *graph; /**< that, or from the schedule on the one with operators merged */
    const rk_catalog *catalog;
    const rk_device *device;        /**< with the costs of the profile, if there is one */
    const rk_profile_file *profile; /**< NULL: the model alone */
    rk_schedule_setting made;       /**< what a loaded schedule was made for */
    rk_kernel_source source;
    const rk_candidates *candidates;
    rk_problem problem;
    rk_tries tries; /**< what the policy tried */
    rk_schedule *schedule;
    const rk_memory *memory;
    rk_image *image;
} rk_plan;

/**
 * Reads the graph and takes it through the stages up to `last`. The checker runs between memory and
 * image, always. RK_EXIT_GOOD, RK_EXIT_USAGE for an unknown name, or RK_EXIT_REFUSED.
 */
int rk_plan_make(rk_plan *out, const char *graph, const rk_plan_options *options, rk_stage last,
                 rk_tool *tool);

/** Parses "n=32" options. */
bool rk_plan_dims(rk_binding_dim **dims, const rk_texts *texts, rk_tool *tool);

/**
 * Reads an ONNX model as a graph. Of `given`, "x=x.npy", those that are no inputs of the graph any more became
 * constants of it.
 */
rk_graph *rk_plan_read_onnx(const char *path, const rk_binding_dim *dims, size_t dim_count,
                            const rk_texts *given, rk_tool *tool);

/** Writes a stage as text to `path`, a file. */
bool rk_plan_dump(const rk_plan *plan, rk_stage stage, const char *path, rk_tool *tool);

/**
 * Which of the rTasks' times that the schedule uses are measured and which modelled, as in "of 12 nodes
 * measured, of 3 modelled"; NULL without a profile.
 */
const char *rk_plan_sources(const rk_plan *plan, rk_tool *tool);

/** "12 nodes became 4", or NULL when no operators were merged. */
const char *rk_plan_merged(const rk_plan *plan, rk_tool *tool);

/** The stage of that name, or RK_STAGE_COUNT with RK-U004. */
rk_stage rk_stage_find(const char *name, rk_tool *tool);

/** The shipped catalog and bindings with those over it that the options name. */
bool rk_plan_layers(const rk_catalog **catalog, const rk_bindings **bindings,
                    const rk_plan_options *options, rk_tool *tool);

/**
 * The policy that "name" or "name:option=n,option=n" names, and its options in order, in the tool's
 * arena. NULL with RK-U004 (unknown policy or option) or RK-U002 (a value out of range, or none).
 */
const rk_policy *rk_plan_policy(const int64_t **options, const char *text, rk_tool *tool);

/** The backend of that name, or NULL with RK-U004. */
const rk_backend *rk_plan_backend(const char *name, rk_tool *tool);

/* Values of an image's inputs and outputs. */

/** One buffer for each input and each output of an image. */
typedef struct {
    const void **inputs;
    void **outputs;
} rk_values;

/** Where inputs come from, first that has it: `given`, `dir`/<name>.npy, values from the seed. */
typedef struct {
    rk_texts given;  /**< "x=x.npy" */
    const char *dir; /**< NULL: none */
    int64_t seed;
    const rk_graph
        *graph; /**< NULL, or of an ONNX model: what it has as constants may be given too */
} rk_input_source;

/** Reads or makes the inputs, and allocates the outputs. RK-U006: `given` names no input. */
bool rk_values_make(rk_values *out, const rk_image *image, const rk_input_source *source,
                    rk_tool *tool);

/** How an output differs from its reference. */
typedef struct {
    double error;   /**< largest absolute difference; infinite where one is no number */
    double largest; /**< largest absolute value of the reference, infinities apart */
    int64_t worst;  /**< element of the largest difference */
    bool good;      /**< error <= tolerance * max(1, largest) */
} rk_comparison;

void rk_values_compare(rk_comparison *out, const rk_image_io *io, const void *value,
                       const void *reference, double tolerance);

/** A tensor with an image input's or output's name, type and shape. */
rk_tensor rk_values_tensor(const rk_image_io *io);

#endif
