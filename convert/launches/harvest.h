#ifndef RK_CONVERT_LAUNCHES_HARVEST_H
#define RK_CONVERT_LAUNCHES_HARVEST_H

#include "rkernel_lib/catalog/catalog.h"

#include <clang-c/Index.h>

/**
 * One launch of one kernel instance. A launch site in a launcher template gives one for each
 * instantiation of the launcher that the unit shows. All strings belong to the arena; the cursors
 * live as long as the translation unit.
 */
typedef struct {
    /** The launch: the CallExpr of `<<<...>>>`, or of cudaLaunchKernel. */
    CXCursor site;
    /** Its declaration (FunctionDecl or FunctionTemplate), the definition where the unit has it; null
     * when the callee is not known. */
    CXCursor kernel;
    /** The FunctionDecl of the instance, whose body is instantiated where the unit needs it; that is
     * `kernel` for one that is no template; null when not known. */
    CXCursor instance;
    const char *kernel_usr;           /**< USR of `kernel`, "" when it is not known */
    const char *kernel_name;          /**< unqualified: "gemm"; as written when it is not known */
    const char *const *template_args; /**< canonical: constants evaluated, types without aliases */
    size_t template_arg_count;
    /** False: the callee or its template arguments depend on what is not in the unit. */
    bool instance_known;
    const char *id;   /**< "gemm<32, 8>", "gemm"; NULL when the instance is not known */
    unsigned offset;  /**< byte offset of the launch in `launch.file`, expansion side of macros */
    size_t order;     /**< how many were found before it */
    bool unreached;   /**< no way of its function leads to it */
    bool elsewhere;   /**< so it is, but another instance of its function makes this launch */
    rk_launch launch; /**< what it passes, or the reason why that is not known */
} rk_harvested;

/** All launches of a translation unit, in the order of their places. */
typedef struct {
    const rk_harvested *items;
    size_t count;
} rk_harvest;

/**
 * Finds every launch in the unit, except those whose function is defined in a system header: in
 * functions, methods, templates, lambdas and macros; `k<<<...>>>(...)` and cudaLaunchKernel.
 *
 * The expressions are over the parameters of the launching function (rk_launch.params), in the
 * syntax of rk_expr: a template parameter of a launcher is replaced by its argument, locals,
 * helpers, constants, enumerators, sizeof and dim3 by what they stand for. What an expression says
 * is what the program computes, C's conversions included; where that is not certain, because a
 * variable changes, a callee has no body, a type is dependent, the launch is unresolved and says
 * why. `file` names are as the unit has them. Never fails.
 */
rk_harvest rk_harvest_launches(CXTranslationUnit unit, rk_arena *arena);

/** An input of that kind that grid, block or shared bytes rest on; NULL if there is none. */
const rk_launch_input *rk_harvest_rests_on(const rk_launch *launch, rk_input_kind kind);

/** Fills what is known of the kernel that an expression names, from `kernel` to `id`; leaves the rest. */
void rk_harvest_kernel(rk_harvested *out, CXCursor reference, rk_arena *arena);

#endif
