#ifndef RK_CONVERT_RUN_SCAN_H
#define RK_CONVERT_RUN_SCAN_H

#include "convert/run/sources_find.h"
#include "convert/run/workers.h"

/** A project header, and what the text of it says. */
typedef struct {
    const char *real; /**< its path without links */
    rk_convert_counts text;
} rk_scan_header;

/** What the text of a source and of its project headers says, before any parsing. */
typedef struct {
    const char *const *args; /**< the source's, with -I of the folders that were found */
    size_t arg_count;
    rk_convert_counts text; /**< of the source alone */
    const rk_scan_header *headers;
    size_t header_count;
    const char *guard; /**< the macro that the first kernel stands under, NULL if none */
    uint64_t hash[2];  /**< of all texts, their paths and their names in the output folder */
    bool whole;        /**< all that is there was read, and the hash tells the source from others */
} rk_scan;

/**
 * Reads a source and its project headers, within the time and the memory of `limits`. Includes that nothing resolves are looked for in `tree`, which may be
 * NULL; names in the output folder are given to headers in `names`, in `arena`. Gives RK_WORKER_TIME or
 * RK_WORKER_MEMORY when a limit is passed. A source that cannot be read is done; its conversion says so.
 */
rk_worker_end rk_scan_source(rk_scan *out, const rk_source_input *input,
                             const rk_convert_options *options, rk_worker_limits limits,
                             const rk_tree *tree, rk_output_names *names, rk_arena *arena);

/** Kernels that the text defines, and launches: `<<<` and calls of cudaLaunchKernel and its kind. */
rk_convert_counts rk_scan_count(const rk_tokens *tokens);

#endif
