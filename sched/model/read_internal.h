#ifndef RK_SCHED_MODEL_READ_INTERNAL_H
#define RK_SCHED_MODEL_READ_INTERNAL_H

#include "base/json.h"
#include "sched/graph/names.h"
#include "sched/model/model.h"
#include "sched/model/validate_internal.h"

/** A name for a dimension, from the file's "dims" or the caller. */
typedef struct {
    const char *name;
    int64_t value, most; /**< a range where they differ */
    bool bound; /**< false: declared, without a value */
    bool used;  /**< by a shape, or declared */
} rk_read_dim;

/** A tensor of the file: its place in it, and the tensor that it is a view of. */
typedef struct {
    const cJSON *entry;
    const char *where; /**< path of the entry */
    rk_id of;          /**< RK_NO_ID: no view */
} rk_read_tensor;

/** A graph file being read. What fails is marked, and reading goes on. */
typedef struct {
    rk_json json;
    rk_graph *graph;
    rk_arena *arena; /**< the graph's */
    RK_VEC(rk_read_dim) dims;
    RK_VEC(rk_read_tensor) tensors; /**< by tensor */
    RK_VEC(const char *) names;     /**< of the tensors, for hints */
    rk_names ids;                   /**< of the tensors */
    RK_VEC(unsigned char) bad_nodes;
    unsigned char *bad_tensors;
    int hints; /**< "did you mean" hints given: each looks at all names */
    bool anywhere; /**< constants may lie anywhere */
    bool good;
} rk_graph_reader;

/** Adds an error at a tensor or node; returns false. */
bool rk_read_fail(rk_graph_reader *reader, const char *code, const char *kind, const char *name,
                  const char *hint, const char *format, ...) __attribute__((format(printf, 6, 7)));

/** Diagnoses members other than `known`, NULL-terminated (RK-G015). */
void rk_read_members(rk_graph_reader *reader, const cJSON *object, const char *where,
                     const char *const *known);

/** The "dims" of the file and the caller's, which come first. */
void rk_read_dims(rk_graph_reader *reader, const rk_binding_dim *given, size_t count);
/** After the tensors: what the caller bound and no shape uses (RK-G012). */
void rk_read_check_dims(rk_graph_reader *reader, const rk_binding_dim *given, size_t count);

void rk_read_tensors(rk_graph_reader *reader);

/** The tensor of that name; RK_NO_ID with RK-G002 at the object that names it. */
rk_id rk_read_find(rk_graph_reader *reader, const char *kind, const char *object,
                   const char *tensor);

#endif
