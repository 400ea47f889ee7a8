#ifndef RK_CONVERT_FACTS_REACH_H
#define RK_CONVERT_FACTS_REACH_H

#include "convert/clang/ir.h"

/*
 * What functions do, and all that they call: from the table of CUDA's names for what is CUDA's or a library's, from their
 * trees for all others. Each function is looked into once, and those that call each other get the same.
 */

typedef enum {
    RK_EFFECT_WAITS = 1 << 0,     /**< threads wait for each other, or may */
    RK_EFFECT_GRID = 1 << 1,      /**< with those of other blocks */
    RK_EFFECT_ASKS = 1 << 2,      /**< a library, or assembly, may read any of the built-ins */
    RK_EFFECT_RECURSIVE = 1 << 3, /**< it calls itself */
    RK_EFFECT_ATOMIC = 1 << 4,
    RK_EFFECT_POLLS = 1 << 5, /**< an atomic is in a loop, which its result may keep going */
    RK_EFFECT_SPINS = 1 << 6, /**< a loop waits for another thread by looking at memory: spin.h */
    RK_EFFECT_STEPS = 1 << 7, /**< it uses volatile memory that other threads may see */
    RK_EFFECT_VOLATILE = 1 << 8, /**< it names an object that is volatile */
    RK_EFFECT_ASSEMBLY = 1 << 9,
    RK_EFFECT_JUMPS = 1 << 10,    /**< `goto`, a label, `try`, a statement in an expression */
    RK_EFFECT_SCOPES = 1 << 11,   /**< a lambda or a type inside a function */
    RK_EFFECT_STATIC = 1 << 12,   /**< a static variable, not in shared memory */
    RK_EFFECT_KERNEL = 1 << 13,   /**< it launches or calls a kernel */
    RK_EFFECT_BODILESS = 1 << 14, /**< it calls a function whose body is not seen */
    RK_EFFECT_CHOSEN =
        1 << 15, /**< it calls what template arguments choose from more than is seen */
    RK_EFFECT_OVERLOADED = 1 << 16, /**< from functions that are seen, which are no operators */
    RK_EFFECT_UNNAMED =
        1 << 17, /**< it calls what nothing names, and what is no operator of a type to come */
    RK_EFFECT_UNSEEN = 1 << 18,    /**< it calls what only the run, or an instance, knows */
    RK_EFFECT_DEPENDENT = 1 << 19, /**< what operators and conversions are, arguments tell */
    RK_EFFECT_AMBIENT = 1 << 20    /**< of rk_reach_raw: it makes an rk__::ambient */
} rk_effect;

typedef struct {
    unsigned does;    /**< rk_effect bits */
    unsigned reads;   /**< RK_USE_PLACES that the text names */
    const char *raw;  /**< of rk_reach_raw: the first name that means the whole vEU; NULL without */
    const char *word; /**< the same of a library's assembly */
} rk_effects;

/** Of its own text, and of what that calls, at any depth; an initial value of a member counts as called. */
typedef struct {
    rk_effects own, called;
} rk_reach;

/** What a function does; zeros where no definition is seen. */
rk_reach rk_reach_of(rk_unit *unit, rk_ir_id function);

/**
 * What a function, or what it leads to in the project and in libraries, names that means the whole vEU: CUDA's own
 * built-ins, variables in shared memory. Asked apart, since few ask and libraries are large.
 */
rk_effects rk_reach_raw(rk_unit *unit, rk_ir_id function);

/** What a node does, without those below it. */
rk_reach rk_reach_at(rk_unit *unit, rk_ir_id node);

/** What a node and those below it do, or of rk_reach_raw, and what they call. */
rk_effects rk_reach_below(rk_unit *unit, rk_ir_id node, bool raw);

/** All of it. */
rk_effects rk_reach_all(rk_reach reach);

/** What the table says of a function that is called, rk_cuda_does bits; of one that is no library's, by its name alone. */
unsigned rk_reach_row(const rk_ir *ir, rk_ir_id function);

/** Calls `visit` for each node of what was looked into; `end` is where the text of the function ends. */
void rk_reach_each(rk_unit *unit, void (*visit)(void *user, rk_ir_id node, size_t end), void *user);

/** Whether an expression names volatile memory that other threads may see. */
bool rk_reach_is_step(const rk_ir *ir, rk_ir_id expression);

#endif
