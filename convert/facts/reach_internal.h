#ifndef RK_CONVERT_FACTS_REACH_INTERNAL_H
#define RK_CONVERT_FACTS_REACH_INTERNAL_H

#include "base/vec.h"
#include "convert/facts/reach.h"

/** A call. */
typedef struct {
    rk_ir_id definition;
    bool polled; /**< it is in a loop that an atomic's result may keep going */
} rk_reach_arc;

/** A text that is looked at: a function's, or an initial value of a member. */
typedef struct rk_reach_text {
    rk_unit *unit;
    rk_ir *ir;
    bool raw;             /**< for rk_reach_raw */
    const rk_ir_decl *of; /**< the function */
    rk_reach reach;
    rk_effects *to; /**< of `reach` */
    RK_VEC(rk_reach_arc) arcs;
    size_t end;
    rk_ir_id value;                    /**< the initial value that it is; 0 of a function */
    const struct rk_reach_text *outer; /**< the text that runs it */
} rk_reach_text;

/** reach_text.c: takes in what a node does. */
void rk_reach_look(rk_reach_text *t, rk_ir_id node);
/** The call of a function at a node, which need not name it. */
void rk_reach_call(rk_reach_text *t, rk_ir_id node, rk_ir_id function);

/** reach_raw.c: the same for rk_reach_raw. */
void rk_reach_look_raw(rk_reach_text *t, rk_ir_id node);
void rk_reach_call_raw(rk_reach_text *t, rk_ir_id node, rk_ir_id function);

#endif
