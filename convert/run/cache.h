#ifndef RK_CONVERT_RUN_CACHE_H
#define RK_CONVERT_RUN_CACHE_H

#include "convert/run/job.h"
#include "convert/run/scan.h"

/** Records kept from run to run, each in a file named by what it depends on. */
typedef struct {
    const char *folder; /**< NULL: nothing is kept */
    uint64_t run[2];    /**< hash of what all sources share: tool, headers of ours, options */
} rk_cache;

/** The cache that the options ask for; `several` sources have one by default. */
rk_cache rk_cache_open(const rk_convert_options *options, bool several, uint64_t runtime,
                       rk_arena *arena);

/** Where the record of a source is, or will be. NULL without a cache. */
const char *rk_cache_path(const rk_cache *cache, const rk_job *job, const rk_scan *scan,
                          rk_arena *arena);

/** Where it is kept that a source passed a limit; for runs of the same limits. */
const char *rk_cache_limit_path(const char *path, rk_worker_limits limits, rk_arena *arena);

/**
 * Reads the record, if it is there and each file that it relies on is, and none that it failed for the lack of. Marks it
 * as used.
 */
bool rk_cache_read(rk_record *out, const char *path, const rk_job *job, rk_arena *arena);

/** Removes records of a default cache that were not used for 30 days. */
void rk_cache_prune(const rk_cache *cache, const rk_convert_options *options, rk_arena *arena);

#endif
