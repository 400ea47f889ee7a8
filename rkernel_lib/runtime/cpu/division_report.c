/*
 * With --check=memory and --check=all compilers ask before each division of integers whether it is one by zero
 * (-fsanitize=integer-divide-by-zero), and call what is here; the division then has its value (divide.c).
 */
#include "rkernel_lib/runtime/cpu/launch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXIT_STATUS = 66 };

static atomic_uint told;

/** A program that divided by zero ends with a status that a script sees. */
static void leave(void)
{
    if (atomic_load(&told) == 0)
        return;
    fflush(NULL);
    _exit(EXIT_STATUS);
}

void rk_cpu_check_divisions(void);

void rk_cpu_check_divisions(void)
{
    if (rk_cpu_divisions_checked)
        return;
    rk_cpu_divisions_checked = true;
    atexit(leave);
}

static void tell(const char *file, unsigned line, unsigned column)
{
    char where[512];
    atomic_fetch_add(&told, 1);
    rk_cpu_grid_where(where, sizeof where);
    fprintf(stderr, "rammer: %s:%u:%u: division by zero%s\n", file, line, column, where);
}

/* The sanitizer's runtime, which comes with AddressSanitizer's, tells each place once and calls this. */

void __ubsan_on_report(void);
void __ubsan_get_current_report_data(const char **kind, const char **message, const char **file,
                                     unsigned *line, unsigned *column, char **memory)
    __attribute__((weak));

void __ubsan_on_report(void)
{
    const char *kind, *message, *file = NULL;
    char *memory;
    unsigned line, column;
    if (!__ubsan_get_current_report_data)
        return;
    __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &memory);
    tell(file ? file : "?", line, column);
}

/* Without that runtime, as with --check=all, this is called in its place. */

/** What compilers say of a place. `column` is all ones when it was told. */
typedef struct {
    const char *file;
    uint32_t line;
    _Atomic uint32_t column;
} place;

/* As gcc knows it, where sanitizers are on. */
void __ubsan_handle_divrem_overflow(void *where, void *left, void *right);

__attribute__((weak)) void __ubsan_handle_divrem_overflow(void *where, void *left, void *right)
{
    place *const at = where;
    (void)left;
    (void)right;
    const uint32_t column = atomic_exchange(&at->column, UINT32_MAX);
    if (column != UINT32_MAX)
        tell(at->file, at->line, column);
}
