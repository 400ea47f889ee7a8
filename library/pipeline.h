#ifndef RK_LIBRARY_PIPELINE_H
#define RK_LIBRARY_PIPELINE_H

#include "library/tool.h"

#include "base/json.h"
#include "emit/backend.h"
#include "emit/family_image.h"
#include "sched/family/family.h"
#include "sched/files/schedule_files.h"
#include "sched/memory/reuse.h"
#include "sched/model/model.h"
#include "sched/onnx/import.h"
#include "sched/policies/policy.h"
#include "sched/profile/profile_file.h"
#include "sched/select/select.h"
#include "sched/simulate/trace.h"

/* The way from a model to an image, stage by stage: what the commands and librammer do. */

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
    rk_texts bind;        /**< "n=32", "n=1..512" */
    rk_texts member;      /**< "n=17": of a range, the member to plan */
    bool exact;           /**< no bytes that are of this processor or its libraries alone */
    bool open;            /**< of a family all members, to be run without a rebuild: a spine */
    bool anywhere;        /**< constants may lie outside the graph's folder */
    const rk_texts
        *given; /**< "x=x.npy", values that an ONNX model may need when it is built; NULL: none */
    const rk_onnx_given *values; /**< more of these, in memory */
    size_t value_count;
} rk_plan_options;

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
    rk_tries tries;        /**< what the policy tried */
    rk_family *family;     /**< of a graph with open dimensions, else NULL */
    rk_spine *spine;       /**< of a family for a target that emits it or whose members all are asked for, else NULL */
    size_t family_points;  /**< values of these at which it was proved */
    bool family_all;       /**< which are all that there are */
    rk_reuse reuse;        /**< what waits for the sake of memory were added to the schedule */
    rk_schedule *schedule; /**< of a family, one member's, or NULL */
    const rk_memory *memory;
    rk_image *image;
} rk_plan;

/**
 * Reads the graph, a file or a folder with a graph.json, and takes it through the stages up to `last`. The checker runs between memory and
 * image, always. RK_EXIT_GOOD, RK_EXIT_USAGE for an unknown name, or RK_EXIT_REFUSED.
 */
int rk_plan_make(rk_plan *out, const char *graph, const rk_plan_options *options, rk_stage last,
                 rk_tool *tool);

/**
 * Reads a model, ONNX or graph.json, by the `bind`, `given`, `values` and `anywhere` of the options. Of given values of
 * an ONNX model those that are no inputs of the graph any more became constants of it.
 */
rk_graph *rk_plan_read(const char *path, const rk_plan_options *options, rk_tool *tool);

/** Parses "n=32" and "n=1..512". */
bool rk_plan_dims(rk_binding_dim **dims, const rk_texts *texts, rk_tool *tool);

/**
 * Makes and proves the family of the plan's graph, which has open dimensions, and plans the member that the options ask
 * for, if they do.
 */
bool rk_plan_family(rk_plan *plan, const rk_plan_options *options, rk_tool *tool);

/** Plans the member of the plan's family at values[i] of dimension i, checked, up to its image. */
bool rk_plan_member(rk_plan *out, const rk_plan *plan, const rk_plan_options *options,
                    const int64_t *values, rk_tool *tool);

/** The values of all open dimensions, from texts as "n=17"; RK-U002 where one is missing. */
bool rk_plan_values(int64_t *values, const rk_graph *graph, const rk_texts *texts, rk_tool *tool);

/** RK_EXIT_GOOD, or RK_EXIT_USAGE with RK-U002 for a family without a member, which is no plan to run or to show. */
int rk_plan_has_member(const rk_plan *plan, rk_tool *tool);

/**
 * Loads the family that a folder of `build` holds, and plans the member at the options' values, or, where these ask for all
 * members, makes its spine and proves it.
 */
bool rk_plan_load_family(rk_plan *plan, const char *dir, const rk_plan_options *options,
                         rk_tool *tool);

/** Writes a folder that rk_plan_load_family reads. */
bool rk_plan_write_family(const rk_plan *plan, const char *dir, rk_tool *tool);

/** What a build says of itself: no times, so that the same input gives the same report. */
cJSON *rk_plan_report(const rk_plan *plan, rk_tool *tool);

/** Writes a page of the graph, the timeline and the waits, simulated; RK-U012. */
bool rk_plan_view(const rk_trace *trace, const char *path, rk_tool *tool);

/** What a schedule does when it is played on its device. */
void rk_plan_trace(rk_trace *out, const rk_plan *plan, rk_tool *tool);

/** A folder that was built, or a model that was planned. */
typedef struct {
    rk_plan plan; /**< of a model; all NULL when it was built before */
    const rk_catalog *catalog;
    const rk_graph *graph; /**< NULL when it was built before */
    const rk_image *image;
    const char *dir; /**< of input/ and expected/ */
} rk_subject;

/**
 * Reads a folder with an image in it, or plans a model: a file, or a folder with graph.json. RK-U007 when it is none of
 * these, RK-U009 for options of a plan with a built folder.
 */
int rk_subject_load(rk_subject *out, const char *path, const rk_plan_options *options,
                    rk_tool *tool);

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

#endif
