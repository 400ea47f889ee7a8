#include "rkernel_lib/runtime/cpu/fault.h"

#include "rkernel_lib/runtime/cpu/divide.h"

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

static _Thread_local rk_cpu_fault_handler *told;
static _Thread_local rk_cpu_fault_in_kernel *in_kernel;

/** The handlers that were there before. */
static struct sigaction before[NUMBERS];

/** Asan comes with the program when the runtime was compiled without it. */
extern void __asan_init(void) __attribute__((weak));

/** On a stack of its own. What the thread's handler leaves happens again under the one that was there before. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    if (number == SIGFPE && in_kernel && in_kernel() && rk_cpu_divide(context))
        return;
    if (told)
        told(number, info->si_addr);
    for (int i = 0; i < NUMBERS; i++)
        if (numbers[i] == number)
            sigaction(number, &before[i], NULL);
}

/** Of AddressSanitizer's all but divisions stay. */
static void install(void)
{
    const bool elsewhere = REPORTED_ELSEWHERE || __asan_init;
    /* Not blocked meanwhile, since the handler may be left without a return. */
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < NUMBERS; i++)
        if (numbers[i] == SIGFPE || !elsewhere)
            sigaction(numbers[i], &action, &before[i]);
}

void rk_cpu_fault_watch(rk_cpu_fault_handler *handler, rk_cpu_fault_in_kernel *kernel)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local char alternate[ALTERNATE_BYTES];
    static _Thread_local int watched;
    told = handler;
    in_kernel = kernel;
    if (watched)
        return;
    watched = 1;
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    if (!REPORTED_ELSEWHERE && !__asan_init)
        sigaltstack(&stack, NULL);
    pthread_once(&once, install);
}
