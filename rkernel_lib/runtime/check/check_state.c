#include "rkernel_lib/runtime/check/sanitizer.h"

#include <pthread.h>
#include <unistd.h>

/* What the files of the check share: where the calling thread is, and what it knows. */

_Thread_local rk_check_state rk_check_now;
_Thread_local rk_check_clocks rk_check_known;
uint32_t rk_check_serial;
const rk_cpu_launch *rk_check_launch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void rk_check_no_memory(void)
{
    static const char message[] = "rammer: out of memory for the check of races\n";
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(1); /* at once: what runs at exit may want memory, too */
}

void rk_check_lock(void)
{
    pthread_mutex_lock(&lock);
    rk_check_now.inside = true;
}

void rk_check_unlock(void)
{
    rk_check_now.inside = false;
    pthread_mutex_unlock(&lock);
}

bool rk_check_knows(uint32_t thread, uint32_t other, uint32_t epoch, uint32_t clock)
{
    return other == thread || epoch < rk_check_now.epoch ||
           clock <= rk_check_known.seen[(size_t)thread * rk_check_now.threads + other];
}
