#ifndef RK_BASE_TEMPORARY_H
#define RK_BASE_TEMPORARY_H

#include <stdbool.h>

/*
 * Files and folders that must not outlive this process. Processes that it forks share them: nothing is removed
 * while one of them lives.
 */

/** Notes `path` before it is made. */
void rk_temporary_add(const char *path);

/** It is put in its place, or removed. */
void rk_temporary_drop(const char *path);

/** Whether rk_file_protect was called for the file of that absolute path. */
bool rk_file_is_protected(const char *path);

/** Whether `path` lies in a noted folder, by its name. */
bool rk_temporary_holds(const char *path);

/** Starts the process that removes what is left; without it nothing is removed. For rk_process_begin. */
void rk_temporary_guard(void);

#endif
