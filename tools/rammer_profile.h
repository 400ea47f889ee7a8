#ifndef RK_TOOLS_RAMMER_PROFILE_H
#define RK_TOOLS_RAMMER_PROFILE_H

#include "rammer_plan.h"
#include "sched/profile/profile_file.h"

/** What `rammer profile` lets a user say. */
typedef struct {
    rk_plan_options plan;
    const char *output; /**< profile to write */
    const char *emit;   /**< folder to write */
    double seconds;
} rk_profile_options;

/**
 * `rammer profile compare FILE`, the arguments: the analytic model against what was measured. An exit
 * status.
 */
int rk_profile_compare(const rk_texts *arguments, const rk_profile_options *options, rk_tool *tool);

/** Prints the measured costs beside the descriptor's. */
void rk_profile_print_costs(const rk_profile_file *file, const rk_device *device, rk_tool *tool);

#endif
