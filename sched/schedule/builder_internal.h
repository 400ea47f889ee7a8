#ifndef RK_SCHED_SCHEDULE_BUILDER_INTERNAL_H
#define RK_SCHED_SCHEDULE_BUILDER_INTERNAL_H

#include "base/vec.h"
#include "sched/schedule/builder.h"
#include "sched/schedule/earliest.h"
#include "sched/schedule/last_end.h"

#include <string.h>

/* What the files of the builder share. */

enum { ROW_STEP = 4 };

/** Where an rTask was appended; step 0: nowhere. */
typedef struct {
    uint32_t program, veu, step;
    double end;
} spot;

/** The last rTask of an op on a vEU, one or more for each vEU; a list, latest appended first. */
typedef struct {
    uint32_t veu, step;
    double end;
    uint32_t next; /**< index plus 1, 0 at the end */
} last_step;

/** An op and where its rTasks of the latest rProgram are. */
typedef struct {
    bool selected;
    uint32_t rtasks;
    double ns;           /**< of one rTask, overhead included */
    uint32_t program;    /**< index plus 1 of the rProgram that the rest is about; 0: none */
    uint32_t last_steps; /**< into items, index plus 1 */
    uint32_t appended;   /**< rTasks in that rProgram */
    uint32_t spread;     /**< length of the list at last_steps: about the number of its vEUs */
    uint32_t counter;    /**< of that rProgram, index plus 1; 0: none */
    bool known;          /**< whether any bit in rk_builder.knowers is set */
    rk_last_end last;
    spot *spots;    /**< by rTask index */
    uint64_t saved; /**< the trial in which it was saved last */
} op_state;

typedef struct {
    double end;                  /**< when it is free */
    uint32_t steps;              /**< rTasks appended */
    uint32_t barrier;            /**< the step of the rTask after its last barrier-rTask */
    uint32_t last_op, last_item; /**< op of the last rTask, and its last_step, index plus 1 */
    uint64_t saved;
} veu_state;

/** What is known of the rProgram being built. */
typedef struct {
    uint32_t program; /**< its index plus 1 */
    double makespan;
    bool empty;
    veu_state *veus;
    uint32_t *known;   /**< known[w * width + u]: steps of u that w has waited for, in valid rows */
    uint64_t *row_run; /**< a row is valid, not all 0, when this is `run` */
    uint64_t run;
    rk_earliest earliest; /**< by veus[].end */
} workspace;

typedef struct {
    rk_id op;
    op_state state;
} saved_op;

typedef struct {
    uint32_t veu;
    size_t entries;
    veu_state state;
    bool row;
} saved_veu;

/** The trial in progress and what it takes back. */
typedef struct {
    bool active, switched; /**< switched: it has begun an rProgram */
    uint64_t number;
    size_t items, programs, waits, counters;
    double done, makespan;
    bool empty;
    RK_VEC(saved_op) ops;
    RK_VEC(saved_veu) veus;
    uint64_t *knowers; /**< copies, in the order of ops */
    size_t knowers_capacity;
    uint32_t *rows; /**< copies of rows of known, by vEU */
} trial;

struct rk_builder {
    rk_arena *arena;   /**< of the schedule */
    rk_arena *scratch; /**< its own */
    const rk_problem *problem;
    uint32_t veus;
    uint32_t width; /**< entries of a row of known: veus, rounded up to ROW_STEP */
    size_t words;   /**< 64-bit words of a set of vEUs */
    op_state *ops;
    uint32_t *selected; /**< by op: its candidate */
    uint64_t *knowers;  /**< by op, a set: vEUs that have waited for all its rTasks */
    RK_VEC(last_step) items;
    rk_rprogram *programs;
    const char *by;                                       /**< of the schedule */
    size_t program_count, program_made, program_capacity; /**< made: with lists to use again */
    double done;           /**< time of the rPrograms that have ended */
    workspace work, other; /**< of the rProgram being built; the one kept by a trial, or unused */
    trial trial;
    /* Of one wait: the last rTask of each vEU among the ranges, in order of appearance. */
    rk_wait_item *need;
    double *need_end;
    uint32_t *need_at; /**< by vEU: its place in need, plus 1 */
    size_t need_count;
    rk_wait_item *kept;  /**< what is left of one wait */
    unsigned char *ways; /**< by range of one wait: how */
    size_t kept_capacity;
    /* The last list that was stored twice over, so that each vEU's part without itself is in it. */
    uint32_t shared_first, shared_count;
};

static inline rk_rprogram *current(const rk_builder *b)
{
    return &b->programs[b->work.program - 1];
}

static inline uint64_t *knowers_of(const rk_builder *b, rk_id op)
{
    return &b->knowers[op * b->words];
}

static inline bool knows(const rk_builder *b, uint32_t veu, rk_id op)
{
    return b->ops[op].known && (knowers_of(b, op)[veu / 64] >> (veu % 64) & 1);
}

/** A row of known to read: NULL when all of it is 0. */
static inline const uint32_t *row_of(const rk_builder *b, uint32_t veu)
{
    const workspace *work = &b->work;
    return work->row_run[veu] == work->run ? &work->known[(size_t)veu * b->width] : NULL;
}

static inline uint32_t *row_to_write(rk_builder *b, uint32_t veu)
{
    workspace *work = &b->work;
    uint32_t *row = &work->known[(size_t)veu * b->width];
    if (work->row_run[veu] != work->run)
        memset(row, 0, b->width * sizeof *row);
    work->row_run[veu] = work->run;
    return row;
}

/** Notes that the vEU is free at another time. */
void rk_builder_retime(workspace *work, uint32_t veu);

/** Keep an op and a vEU as they are, for the trial in progress to go back to. */
void rk_builder_save_op(rk_builder *b, rk_id op);
void rk_builder_save_veu(rk_builder *b, uint32_t veu);

void rk_builder_push(rk_builder *b, uint32_t veu, rk_entry entry);

#endif
