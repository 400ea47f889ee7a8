#ifndef RK_CONVERT_CC_JOBS_H
#define RK_CONVERT_CC_JOBS_H

#include "convert/cc/cc.h"

/**
 * Work in processes of its own, at most one for each processor at a time. What each writes to stdout and
 * stderr comes out whole, in the order in which the jobs were added.
 */
typedef struct rk_cc_jobs rk_cc_jobs;

/** `folder` is for their output until it is shown. */
rk_cc_jobs *rk_cc_jobs_new(const char *folder, rk_arena *arena);

/** Adds `work(user)`, whose result is the process's exit status. */
void rk_cc_jobs_add(rk_cc_jobs *jobs, int (*work)(void *user), void *user);

/** Waits for all; returns the status of the first that failed, 0 when none did. */
int rk_cc_jobs_wait(rk_cc_jobs *jobs);

/**
 * Runs a command and waits: its exit status, 127 with a message when it cannot be started, 128 plus the
 * signal that ended it.
 */
int rk_cc_execute(const rk_cc_words *command, rk_arena *arena);

/** The command as a shell would take it. */
char *rk_cc_quote(const rk_cc_words *command, rk_arena *arena);

/**
 * Removes `folder` with all in it when a signal ends this process, after ending the jobs. NULL for no
 * folder any more.
 */
void rk_cc_guard(const char *folder);

#endif
