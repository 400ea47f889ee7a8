#ifndef RK_CONVERT_PROGRAM_DROP_IN_INTERNAL_H
#define RK_CONVERT_PROGRAM_DROP_IN_INTERNAL_H

#include "convert/program/drop_in.h"

/** Text that goes into a file, after the definition or declaration that it belongs to. */
typedef struct {
    size_t file, offset;
    size_t function; /**< index in unit->functions, RK_NONE of a kernel that is only declared */
    bool line_own;   /**< it begins and ends lines of its own */
    const char *text;
} rk_drop_in_text;

typedef RK_VEC(rk_drop_in_text) rk_drop_in_texts;

/** What rk_drop_in_prepare leaves in the unit for rk_drop_in_edit and rk_drop_in_suffix. */
struct rk_drop_in {
    rk_drop_in_texts texts;
    bool parsed;                /**< the source has no errors of its own */
    RK_VEC(rk_where) variables; /**< names of variables that are called as a kernel is */
};

/** The name of the function's copy: "f_rk"; an operator keeps its own. */
const char *rk_drop_in_name(const rk_unit *unit, size_t function);

/**
 * The copy of a function's definition with the context parameter, for the CPU or for CUDA. NULL when it needs an edit of text that
 * is neither in the function nor in a macro: the function gets the problem RK-V115.
 */
const char *rk_drop_in_copy(rk_unit *unit, size_t function, bool cpu);

/** The same of one of its declarations, with its `;`. */
const char *rk_drop_in_copy_declaration(rk_unit *unit, size_t function, const rk_declaration *d);

/** The launcher's declaration for one of the kernel's, with its `;`; `f` may be only declared. */
const char *rk_drop_in_launcher_declaration(rk_unit *unit, const rk_function *f,
                                            const rk_declaration *d);

/**
 * The launcher's definition, which follows the kernel's and, unless it is refused, its copy's; for CUDA
 * with the vDevice's own kernel.
 */
const char *rk_drop_in_launcher(rk_unit *unit, size_t function, bool cpu);

/** Parses the result; what does not compile there or still reaches CUDA's own gets a problem. */
bool rk_drop_in_check(bool *clean, rk_unit *unit);

/** Refuses kernels with instances that no launch shows, whose arguments' code may need the context: RK-V127. */
void rk_drop_in_refuse_unnamed(rk_unit *unit);

/** The texts that are inserted, for the CPU or for CUDA. */
void rk_drop_in_make(rk_drop_in_texts *out, rk_unit *unit, bool cpu);

#endif
