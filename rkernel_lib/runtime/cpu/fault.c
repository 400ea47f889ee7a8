#include "rkernel_lib/runtime/cpu/fault.h"

#include "rkernel_lib/runtime/cpu/fiber.h"
#include "rkernel_lib/runtime/cpu/launch.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { REPORTED_ELSEWHERE = 1 };
#else
enum { REPORTED_ELSEWHERE = 0 };
#endif

enum { ALTERNATE_BYTES = 64 << 10 };

static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

_Thread_local void (*rk_cpu_fault_teller)(int number, const void *address);

/** The handlers that were there before. */
static struct sigaction before[NUMBERS];

/** Asan comes with the program when the runtime was compiled without it. */
extern void __asan_init(void) __attribute__((weak));

/**
 * A kernel's fault ends its grid, as on the GPU, with the error that CUDA has for it: the handler is left for where
 * the block began, on a stack of its own. Outside of kernels it happens again under the handler that was there before.
 */
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    rk_cpu_grid_fault(number, info->si_addr);
    if (rk_cpu_fault_teller)
        rk_cpu_fault_teller(number, info->si_addr);
    for (int i = 0; i < NUMBERS; i++)
        if (numbers[i] == number)
            sigaction(number, &before[i], NULL);
}

static void install(void)
{
    /* Not blocked meanwhile, since the handler may be left without a return. */
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &action, &before[i]);
}

void rk_cpu_fault_watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local char alternate[ALTERNATE_BYTES];
    static _Thread_local int watched;
    if (REPORTED_ELSEWHERE || __asan_init || watched)
        return;
    watched = 1;
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    sigaltstack(&stack, NULL);
    pthread_once(&once, install);
}
