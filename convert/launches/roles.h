#ifndef RK_CONVERT_LAUNCHES_ROLES_H
#define RK_CONVERT_LAUNCHES_ROLES_H

#include "rkernel_lib/catalog/catalog.h"

#include <clang-c/Index.h>

/** What the body of a kernel does with its parameters. All strings belong to the arena. */
typedef struct {
    const rk_param *params; /**< in the order of the kernel's declaration */
    size_t count;
    bool atomics;       /**< any atomic, in the kernel or in a helper that it reaches */
    bool float_atomics; /**< an atomic on floating point, or on a type that is not known */
} rk_roles;

/**
 * Infers each parameter's role and element type from the AST of `kernel`, a FunctionDecl or a
 * FunctionTemplate whose definition is in the unit. `args` are the canonical template arguments of
 * the instance (rk_harvested.template_args), which are put for the template's parameters in the
 * types; none for a kernel that is no template.
 *
 * Aliases are followed through local pointers, references, pointer arithmetic, casts, arrays' and
 * structs' members, lambdas and helpers whose body is in the unit. The answer errs on one side: a
 * pointer that goes where it cannot be followed is RK_ROLE_BOTH, or RK_ROLE_READ where the pointee
 * is const. Never fails; a kernel without a body gives the conservative roles.
 */
rk_roles rk_roles_infer(CXCursor kernel, const char *const *args, size_t arg_count,
                        rk_arena *arena);

/**
 * The parameters of a function with types and element types, roles scalar or both: what rk_launch
 * holds of the launching function.
 */
rk_roles rk_roles_of_signature(CXCursor function, const char *const *args, size_t arg_count,
                               rk_arena *arena);

/**
 * The element type of a scalar, pointer, reference or array type; RK_DTYPE_NONE for other types.
 */
rk_dtype rk_roles_dtype(CXType type);

#endif
