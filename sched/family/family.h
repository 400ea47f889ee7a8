#ifndef RK_SCHED_FAMILY_FAMILY_H
#define RK_SCHED_FAMILY_FAMILY_H

#include "sched/model/model.h"
#include "sched/plan/schedule.h"
#include "sched/plan/spine.h"
#include "sched/select/select.h"

/** Bindings of a graph's open dimensions: all of them, or, where they are many, the corners and some drawn. */
typedef struct {
    size_t dims;     /**< values of one point */
    int64_t *values; /**< by point, then dimension */
    size_t count;
    bool all;
} rk_family_points;

/** Points up to which all are taken. */
enum { RK_FAMILY_ALL = 4096, RK_FAMILY_DRAWN = 1000 };

void rk_family_points_of(rk_family_points *out, const rk_graph *graph, rk_arena *arena);

/** What a family is made from. */
typedef struct {
    const rk_kernel_source *source;
    const rk_device *device;
    uint32_t max_veus; /**< 0: as many as the occupancy allows */
} rk_family_setting;

/**
 * The family of a validated graph with open dimensions: for each node the kernel that runs it at every point, of
 * several the one that takes least by the model at the powers of two and the ends of the range; nodes by their depth; waits
 * for whole nodes; memory for the most bytes. NULL with RK-S013 (no kernel runs a node at every point) and what
 * rk_candidates_of says.
 */
rk_family *rk_family_make(const rk_graph *graph, const rk_family_setting *setting, rk_arena *arena,
                          rk_diag *diag);

/** A family at one binding: an ordinary problem, in which each node has its kernel alone, and its schedule. */
typedef struct {
    rk_problem problem;
    rk_schedule *schedule;
} rk_member;

/**
 * The member at values[i] of dimension i. Nothing is chosen, ordered or placed: counts and arguments follow from the
 * chosen kernels' launches. False with RK-G019 (a value or check of the graph), or RK-S013 where a kernel does not run
 * its node there.
 */
bool rk_family_at(rk_member *out, const rk_family *family, const rk_family_setting *setting,
                  const int64_t *values, rk_arena *arena, rk_diag *diag);

/** The expressions of what is open in the launches; false with RK-S013 where something has none. */
bool rk_family_express(rk_family *family, const rk_family_setting *setting, rk_arena *arena,
                       rk_diag *diag);

/** The schedule of the problem of a member (rk_family_at makes it, too). */
rk_schedule *rk_family_schedule(const rk_family *family, const rk_problem *problem,
                                rk_arena *arena);

/* A family as a file beside its graph. */

/** Writes it; `bindings` are those it was made from. */
bool rk_family_write(const rk_family *family, const rk_bindings *bindings, const char *path,
                     rk_arena *arena, rk_diag *diag);

/** Of a family's file: the ranges for which its graph is read, and its device's name. */
typedef struct {
    rk_binding_dim *items;
    size_t count;
    const char *device;
} rk_family_ranges;
bool rk_family_read_ranges(rk_family_ranges *out, const char *path, rk_arena *arena, rk_diag *diag);

/** Reads it, for rk_check_family to prove. NULL with RK-J... or RK-I002 (a kernel that the catalog lacks). */
rk_family *rk_family_read(const char *path, const rk_graph *graph, const rk_catalog *catalog,
                          const rk_bindings *bindings, rk_arena *arena, rk_diag *diag);

/* Parts of rk_family_make. */

/** Places buffers by what phrases surely come after others at every binding. */
void rk_family_place(rk_family *family, rk_arena *arena);

/** By phrase, a set of phrases: those all of whose rTasks have ended before any of its own begins. */
uint64_t *rk_family_before(size_t *words, const rk_family *family, rk_arena *arena);

#endif
