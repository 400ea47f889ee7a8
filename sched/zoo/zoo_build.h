#ifndef RK_SCHED_ZOO_ZOO_BUILD_H
#define RK_SCHED_ZOO_ZOO_BUILD_H

#include "base/vec.h"
#include "sched/zoo/zoo.h"

/* What the models share: graphs of f32 tensors, written in few words. */

/** Values for a constant, uniform in [centre - bound, centre + bound). */
typedef struct {
    rk_id tensor;
    float centre, bound;
} rk_zoo_fill;

/** A model being built; its constants are zeros until rk_zoo_fill_weights. */
struct rk_zoo_builder {
    rk_graph *graph;
    uint64_t seed;
    RK_VEC(rk_zoo_fill) fills;
    double elements; /**< so far, as far as rk_zoo_weights and rk_zoo_count were told */
    void *memo;      /**< what a family keeps from one member to the next; NULL at first */
    rk_arena *memo_arena;
};

/** Counts elements of a tensor whose shape is inferred later; rk_zoo_build refuses too many. */
void rk_zoo_count(rk_zoo_builder *b, double elements);

/** A generator of the builder's seed and a name: the same numbers on every machine. */
rk_zoo_random rk_zoo_random_of(const rk_zoo_builder *b, const char *name);

/** A shape, as an argument: RK_SHAPE(2, 3). */
#define RK_SHAPE(...)                                                                              \
    ((int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))), (const int64_t[])           \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/** Whether tensors of `elements` f32 are within RK_ZOO_MAX_BYTES; RK-Z002 when not. */
bool rk_zoo_check_size(const char *model, double elements, rk_diag *diag);

/** An f32 constant of seeded values in [-bound, bound). */
rk_id rk_zoo_weights(rk_zoo_builder *b, const char *name, float bound, int rank,
                     const int64_t *shape);

/** As rk_zoo_weights, shifted to [centre - bound, centre + bound). */
rk_id rk_zoo_weights_about(rk_zoo_builder *b, const char *name, float centre, float bound, int rank,
                           const int64_t *shape);

/** Gives the constants their values, each from the seed and its own name (rk_zoo_uniform). */
void rk_zoo_fill_weights(rk_zoo_builder *b);

/** An f32 intermediate with its shape inferred; the name is printf's. */
rk_id rk_zoo_value(rk_zoo_builder *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** A view of all of `of`, or of what the shape takes from its start, named as printf does. */
rk_id rk_zoo_view(rk_zoo_builder *b, rk_id of, int rank, const int64_t *shape, const char *format,
                  ...) __attribute__((format(printf, 5, 6)));

/** The elements of a constant, by its name; one that the model has. */
const float *rk_zoo_constant(const rk_graph *graph, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
