#include "sched/profile/profile_file.h"

#include <math.h>
#include <stdlib.h>

struct rk_profile {
    const rk_device *device;
    const rk_profile_file *file; /**< NULL: the model alone */
};

const rk_profile *rk_profile_model(const rk_device *device, rk_arena *arena)
{
    return rk_profile_measured(NULL, device, arena);
}

const rk_profile *rk_profile_measured(const rk_profile_file *file, const rk_device *device,
                                      rk_arena *arena)
{
    rk_profile *profile = RK_NEW(arena, rk_profile);
    *profile = (rk_profile){.device = device, .file = file};
    return profile;
}

static int by_work(const void *key, const void *entry)
{
    return rk_work_compare(key, &((const rk_profile_entry *)entry)->work);
}

/** The entry of that work, NULL if it was not measured. */
static const rk_profile_entry *find(const rk_profile_file *file, const rk_work *work)
{
    if (!file || file->entry_count == 0)
        return NULL;
    return bsearch(work, file->entries, file->entry_count, sizeof *file->entries, by_work);
}

/**
 * Sets the parts of a measured rTask such that its time alone and its time among busy neighbours, each
 * with its share of the bandwidth, are the measured ones. What part of it waits for nobody is the
 * model's guess.
 */
static double measured_parts(rk_rtask_parts *parts, const rk_profile_entry *entry,
                             const rk_device *device)
{
    double busy = fmax(entry->busy_ns, entry->alone_ns);
    double fixed = fmin(parts->fixed_ns, entry->alone_ns);
    parts->fixed_ns = fixed;
    parts->stream_ns = entry->alone_ns - fixed;
    parts->bytes = (busy - fixed) * rk_pool_share(device, entry->work.residents, parts->from);
    return busy;
}

void rk_profile_rtask(rk_candidate *candidate, const rk_profile *profile, const rk_op_call *call)
{
    rk_arena *scratch = rk_arena_new();
    rk_work work;
    rk_work_of(&work, call, candidate, scratch);
    const rk_profile_entry *entry = find(profile->file, &work);
    candidate->rtask_ns = rk_work_model(&candidate->parts, &work, profile->device);
    candidate->source = entry ? RK_MEASURED : RK_MODELLED;
    candidate->needs = (rk_rtask_needs){0};
    if (entry)
        candidate->rtask_ns = measured_parts(&candidate->parts, entry, profile->device);
    else
        rk_work_needs(&candidate->needs, &work, profile->device);
    rk_arena_free(scratch);
}
