#include "convert/rkernel/analysis.h"

#include "convert/clang/lower.h"
#include "convert/facts/analyze.h"
#include "convert/facts/reach.h"
#include "convert/launches/instances.h"
#include "convert/rkernel/decide.h"
#include "convert/unit/problems.h"

/**
 * Lanes of a warp may exchange values by volatile memory without a __syncwarp(), as programs did before there was one. A
 * library for the CPU runs them one after another. Where a loop waits for another rTask, volatile memory is what it looks at.
 */
static void find_steps(const rk_analysis *analysis)
{
    rk_unit *unit = analysis->unit;
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        const CXCursor cursor = analysis->cursors.items[i];
        if (!f->kernel || clang_Cursor_isNull(cursor))
            continue;
        const rk_ir_id kernel = rk_lower_declaration(rk_ir_of(unit), cursor);
        const unsigned does = rk_reach_all(rk_reach_of(unit, kernel)).does;
        if ((does & RK_EFFECT_STEPS) && !(does & RK_EFFECT_SPINS))
            rk_problem_add(unit, i, RK_WARNING, "RK-V223", f->place,
                           "order them by __syncwarp(), or run the program by rkconvert cc",
                           "lanes may exchange values by its volatile memory: no CPU library");
    }
}

void rk_analyze(rk_unit *unit)
{
    const rk_convert_options *o = unit->options;
    rk_analysis *analysis = rk_facts_find(unit);
    if (o->out_dir && !o->no_cpu && !o->drop_in && o->target == RK_TARGET_CUDA)
        find_steps(analysis);
    rk_instances_collect(analysis);
    rk_decide(unit);
    rk_instances_name(analysis); /* may refuse */
    rk_decide(unit);
    rk_instances_roles(analysis);
    rk_facts_recursion(analysis);
}
