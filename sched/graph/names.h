#ifndef RK_SCHED_GRAPH_NAMES_H
#define RK_SCHED_GRAPH_NAMES_H

#include "sched/graph/graph.h"

/** A map from names to ids, open addressing; keys are not copied. */
typedef struct {
    const char **keys; /**< NULL: free */
    rk_id *ids;
    size_t mask; /**< slots less one */
} rk_names;

/** An empty map with room for `count` names. */
void rk_names_init(rk_names *names, size_t count, rk_arena *arena);
/** Adds a name and returns RK_NO_ID, or returns the id that has it already. */
rk_id rk_names_add(rk_names *names, const char *key, rk_id id);
/** RK_NO_ID when there is none. */
rk_id rk_names_find(const rk_names *names, const char *key);

#endif
