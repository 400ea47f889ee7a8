#ifndef RK_TOOLS_RAMMER_PLAN_H
#define RK_TOOLS_RAMMER_PLAN_H

#include "rammer_commands.h"

#include "library/pipeline.h"

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
        RK_OPTION(TEXTS, type, at.bind, "dim", "NAME=N|LOW..HIGH",                                 \
                  "the same; with a range it stays open"),                                         \
        RK_OPTION(TEXTS, type, at.member, "at", "NAME=N",                                          \
                  "of an open dimension, the value to plan"),                                      \
        RK_OPTION(TEXT, type, at.schedule, "load-schedule", "FILE",                                \
                  "use this schedule, checked, in place of a policy"),                             \
        RK_OPTION(TEXT, type, at.profile, "profile", "FILE",                                       \
                  "measured times, of `rammer profile`; the model elsewhere"),                     \
        RK_OPTION(FLAG, type, at.exact, "exact", NULL,                                             \
                  "the same bytes on every CPU: no fused operations, no BLAS"),                    \
        RK_OPTION(FLAG, type, at.anywhere, "constants-anywhere", NULL,                             \
                  "constants may lie outside the graph's folder"),                                 \
        RK_LAYER_OPTIONS(type, at)

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
