#include "rkernel_lib/cpu/fault.h"

#include "rkernel_lib/cpu/fiber.h"
#include "rkernel_lib/cpu/launch.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { REPORTED_ELSEWHERE = 1 };
#else
enum { REPORTED_ELSEWHERE = 0 };
#endif

enum { ALTERNATE_BYTES = 64 << 10 };

static struct sigaction before_segv, before_bus;

/** Asan comes with the program when the runtime was compiled without it. */
extern void __asan_init(void) __attribute__((weak));

static void say(const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(STDERR_FILENO, text, length);
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
}

/** Says what happened, then lets it happen again under the handler that was there before. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    char text[1024];
    const size_t length = rk_cpu_grid_describe_fault(text, sizeof text, info->si_addr);
    say(text, length);
    sigaction(number, number == SIGSEGV ? &before_segv : &before_bus, NULL);
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
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
