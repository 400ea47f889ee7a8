#ifndef RK_BASE_PROCESS_H
#define RK_BASE_PROCESS_H

/**
 * What `main` of a command does first, while it has one thread. Standard streams that are closed become
 * unusable instead of free for the next file; a file that grows over a limit is an error of the write and no
 * signal; and a small process is started that removes temporary files when this one ends without doing so, by
 * whatever signal.
 */
void rk_process_begin(void);

/**
 * What `main` ends with: `status`, or `failed`, after a sentence on standard error, when what was printed could
 * not be written.
 */
int rk_process_end(int status, int failed);

#endif
