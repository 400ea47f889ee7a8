#ifndef RK_CONVERT_FISSION_FISSION_INTERNAL_H
#define RK_CONVERT_FISSION_FISSION_INTERNAL_H

#include "convert/clang/ast.h"
#include "convert/cuda/builtins.h"
#include "convert/fission/fission.h"

/** What a statement becomes. */
typedef enum {
    RK_PART_INSIDE,  /**< of a loop over threads */
    RK_PART_OUTSIDE, /**< stays once for the block: the same for all threads */
    RK_PART_BARRIER,
    RK_PART_GROUP /**< declares a thread_block, which nothing but barriers uses */
} rk_part_kind;

/** A statement that is not split further. */
typedef struct {
    CXCursor cursor;
    size_t first, last; /**< tokens */
    rk_part_kind kind;
    size_t level; /**< the list of statements that it is one of */
    size_t run;   /**< the loop over threads that it is in; RK_NONE without */
    bool returns; /**< a thread may return in it */
} rk_part;

/** A statement around a barrier: what its `if`, `for`, `while` or `do` evaluates, once for the block. */
typedef struct {
    CXCursor statement;
    CXCursor init, condition, step; /**< null when not there */
} rk_head;

/** How a variable of the kernel's own survives barriers. */
typedef enum {
    RK_LIVES_HERE,    /**< it does not: one loop over threads has all its uses */
    RK_LIVES_UNIFORM, /**< the same for all threads, and declared once for the block */
    RK_LIVES_AGAIN,   /**< declared again in each loop that uses it */
    RK_LIVES_KEPT     /**< kept for each thread */
} rk_lives;

/** A parameter, or a variable declared by a part or a head. */
typedef struct {
    CXCursor cursor;
    const char *name;
    size_t at;   /**< offset of its name */
    size_t part; /**< that declares it; RK_NONE: a parameter, or a head's */
    bool parameter;
    bool scalar; /**< of arithmetic, enumeration or pointer type, whatever the template arguments */
    bool fixed;  /**< shared memory or a constant: declared once, by itself */
    bool written, leaked;  /**< assigned to; used in a way that may change it */
    size_t init, init_end; /**< tokens of its initialiser; equal without */
    rk_lives lives;
} rk_kept_variable;

typedef enum { RK_USED_READ, RK_USED_WRITTEN, RK_USED_LEAKED } rk_used;

typedef struct {
    size_t variable, at; /**< offset of the name after macros are expanded */
    size_t part;         /**< RK_NONE: in a head */
    rk_used how;
} rk_variable_use;

/** A kernel on its way to its second form. */
typedef struct {
    rk_unit *unit;
    rk_arena *arena;
    CXCursor kernel, body;
    size_t file;
    const rk_tokens *tokens; /**< of the file */
    size_t open, close;      /**< the body's braces, as tokens */
    bool helper_waits;
    unsigned reads;          /**< RK_USE_PLACES of its own text */
    RK_VEC(size_t) barriers; /**< offsets of calls of barriers */
    RK_VEC(size_t) groups;   /**< and of this_thread_block */
    RK_VEC(rk_part) parts;   /**< in order */
    RK_VEC(rk_head) heads;
    RK_VEC(rk_kept_variable) variables; /**< in order */
    RK_VEC(rk_variable_use) uses;
    size_t levels, runs;
    const char *why; /**< the first reason against fission; NULL without */
    int line;        /**< of that */
} rk_fission;

/** Keeps the first reason against fission. Always false. */
bool rk_fission_refuse(rk_fission *f, CXCursor at, const char *why);

/** look.c: finds the barriers. False when something in the kernel rules fission out. */
bool rk_fission_look(rk_fission *f);

/** shape.c: splits the body into parts and heads. */
bool rk_fission_split(rk_fission *f);

/** Offset of a cursor's first byte, and of the one after its last. */
size_t rk_fission_begin(CXCursor cursor);
size_t rk_fission_end(CXCursor cursor);

/** The part that holds an offset; RK_NONE for none. */
size_t rk_fission_part_at(const rk_fission *f, size_t offset);

/** variables.c: the variables that parts declare and how they are used. */
bool rk_fission_find_variables(rk_fission *f);

/** The variable that a name refers to; RK_NONE for another's. */
size_t rk_fission_variable_of(const rk_fission *f, CXCursor reference);

/** uniform.c: tells parts apart, forms the loops, decides how variables live. */
bool rk_fission_decide(rk_fission *f);

/** block_text.c: the second form: types and edits of the plan. */
bool rk_fission_write(rk_fission *f, rk_fission_plan *plan);

#endif
