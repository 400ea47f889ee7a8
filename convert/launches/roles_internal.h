#ifndef RK_CONVERT_LAUNCHES_ROLES_INTERNAL_H
#define RK_CONVERT_LAUNCHES_ROLES_INTERNAL_H

#include "base/vec.h"
#include "convert/cuda/cuda_names.h"
#include "convert/launches/roles.h"

/** Sets of parameters, by index; functions with more than 64 are treated conservatively. */
typedef uint64_t rk_params;

enum { RK_MAX_TRACKED = 64 };

/** How memory behind a pointer is used; RK_ANYHOW: perhaps in any way that its type allows. */
enum { RK_READS = RK_ARG_READS, RK_WRITES = RK_ARG_WRITES, RK_ADDS = 4, RK_ANYHOW = 8 };

/** What a function does with the memory behind its parameters. */
typedef struct {
    const char *usr;
    bool done; /**< false while it is being found: a recursive call is taken to do anything */
    size_t count;
    unsigned char use[RK_MAX_TRACKED];
    bool atomics, float_atomics;
} rk_function_use;

/** The functions seen so far. */
typedef struct {
    rk_arena *arena;
    RK_VEC(rk_function_use *) functions;
} rk_use_table;

/** The uses of `function`, NULL when its body is not in the unit. */
const rk_function_use *rk_roles_use(rk_use_table *table, CXCursor function);

/** The class that a type is, as it is written: a template's own text for an instance of it. */
CXCursor rk_roles_class(CXType type);

/** Whether a value of the type is a pointer or holds one; a type that depends on a template's arguments does not. */
bool rk_roles_holds_pointer(CXType type, rk_arena *arena);

/** Whether a destructor that is written somewhere runs at the end of an object of the type. */
bool rk_roles_has_destructor(CXType type, rk_arena *arena);

/** Whether a constructor does no more with what it is given than keep it in the object. */
bool rk_roles_only_keeps(CXCursor constructor, rk_arena *arena);

/** The dtype behind a type's text: "const float *" gives f32. */
rk_dtype rk_roles_dtype_of(rk_arena *arena, const char *text);

#endif
