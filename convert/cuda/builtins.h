#ifndef RK_CONVERT_CUDA_BUILTINS_H
#define RK_CONVERT_CUDA_BUILTINS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/str.h"

/* What a function reads or calls. */

/** Uses of CUDA's built-ins; the first ones have a row in builtins.c. */
typedef enum {
    RK_USE_THREAD_IDX = 1 << 0,
    RK_USE_BLOCK_IDX = 1 << 1,
    RK_USE_BLOCK_DIM = 1 << 2,
    RK_USE_GRID_DIM = 1 << 3,
    RK_USE_SYNC = 1 << 4,
    RK_USE_SYNC_COUNT = 1 << 5,
    RK_USE_SYNC_AND = 1 << 6,
    RK_USE_SYNC_OR = 1 << 7,
    RK_USE_SHFL = 1 << 8,
    RK_USE_SHFL_UP = 1 << 9,
    RK_USE_SHFL_DOWN = 1 << 10,
    RK_USE_SHFL_XOR = 1 << 11,
    RK_USE_BALLOT = 1 << 12,
    RK_USE_ANY = 1 << 13,
    RK_USE_ALL = 1 << 14,
    RK_USE_ACTIVEMASK = 1 << 15,
    RK_USE_SYNCWARP = 1 << 16,
    RK_USE_MATCH_ANY = 1 << 17,
    RK_USE_MATCH_ALL = 1 << 18,
    RK_USE_REDUCE_ADD = 1 << 19,
    RK_USE_REDUCE_MIN = 1 << 20,
    RK_USE_REDUCE_MAX = 1 << 21,
    RK_USE_REDUCE_AND = 1 << 22,
    RK_USE_REDUCE_OR = 1 << 23,
    RK_USE_REDUCE_XOR = 1 << 24,
    RK_USE_LDG = 1 << 25,
    RK_USE_GROUP_WARP =
        1 << 26, /**< a warp operation of a cooperative group of lanes, or on matrices */
    RK_USE_STATIC_SHARED = 1 << 27,
    RK_USE_DYNAMIC_SHARED = 1 << 28,
    RK_USE_CONTEXT = 1 << 29,   /**< names the context in its text */
    RK_USE_GROUP_SYNC = 1 << 30 /**< a barrier through cooperative groups */
} rk_use;

#define RK_USE_PLACES (RK_USE_THREAD_IDX | RK_USE_BLOCK_IDX | RK_USE_BLOCK_DIM | RK_USE_GRID_DIM)
#define RK_USE_BARRIERS                                                                            \
    (RK_USE_GROUP_SYNC | RK_USE_SYNC | RK_USE_SYNC_COUNT | RK_USE_SYNC_AND | RK_USE_SYNC_OR)
#define RK_USE_REDUCING (RK_USE_SYNC_COUNT | RK_USE_SYNC_AND | RK_USE_SYNC_OR)
#define RK_USE_WARPS (((RK_USE_LDG - 1) & ~(RK_USE_SHFL - 1)) | RK_USE_GROUP_WARP)

/** One of CUDA's built-in variables or functions, and the shadow that takes its place. */
typedef struct {
    const char *name;
    rk_use use;
    const char *member; /**< of the context, in an expression: "thread_idx()", "shfl" */
} rk_builtin;

/** The built-in of that name; NULL if there is none. The caller knows that it is CUDA's own. */
const rk_builtin *rk_builtin_find(const char *name);

/**
 * The shadows of `uses`, one after the other with a space before each, in a fixed order. What they name is qualified
 * or of the reserved spelling: they stand in the user's text, whose names and macros may be any others.
 */
char *rk_builtin_shadows(unsigned uses, rk_arena *arena);

/** The names of those of `uses`, a space before each. */
void rk_builtin_names(rk_str *out, unsigned uses);

/**
 * The lambda captures (", &name" each) that `uses` needs, the context's own first if it is used.
 */
char *rk_builtin_captures(unsigned uses, rk_arena *arena);

/** Why a name of CUDA's own or its libraries cannot stay in an rKernel, or what its user should know. */
typedef struct {
    rk_severity severity; /**< RK_REFUSED or RK_WARNING */
    const char *name;     /**< of a function, or a prefix that ends in `*` */
    const char *code, *message, *hint;
} rk_forbidden;

/** NULL if the name means nothing special. */
const rk_forbidden *rk_forbidden_find(const char *name);

#endif
