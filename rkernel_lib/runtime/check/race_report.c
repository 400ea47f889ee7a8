#include "rkernel_lib/runtime/check/sanitizer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_REPORTS = 100, PLACE_BYTES = 512, EXIT_STATUS = 66 };

static struct {
    uintptr_t a, b;
} told[MOST_REPORTS];
static uint32_t told_count;
static atomic_uint wanted = RK_CHECK_RACES | RK_CHECK_UNWRITTEN;

void rk_check_want(uint32_t what)
{
    atomic_store_explicit(&wanted, what, memory_order_relaxed);
}

static bool is_wanted(uint32_t what)
{
    return atomic_load_explicit(&wanted, memory_order_relaxed) & what;
}

/** Faults of a checking mode end the program with a status that a script sees. */
static void leave(void)
{
    if (told_count == 0)
        return;
    fprintf(stderr, "rammer: %u problem%s found\n", told_count, told_count == 1 ? "" : "s");
    fflush(NULL);
    _exit(EXIT_STATUS);
}

__attribute__((constructor)) static void at_exit(void)
{
    atexit(leave);
}

/** Whether these two places are new. */
static bool is_new(uintptr_t a, uintptr_t b)
{
    const uintptr_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint32_t i = 0; i < told_count; i++)
        if (told[i].a == low && told[i].b == high)
            return false;
    if (told_count == MOST_REPORTS)
        return false;
    told[told_count].a = low;
    told[told_count++].b = high;
    return true;
}

/** A line of addr2line that is of the program, not of the headers that implement CUDA. */
static bool of_program(const char *line)
{
    return line[0] != '?' && !strstr(line, "/rk/cpu_") && !strstr(line, "/rk/cuda_") &&
           !strstr(line, "/rk/shim/");
}

extern const char __executable_start[] __attribute__((weak, visibility("hidden")));

/** Where the program itself is loaded, whose name dladdr has only as it was called. */
static uintptr_t program_base(void)
{
    return (uintptr_t)__executable_start;
}

/** Starts `addr2line -i -e file address`, and gives what it prints; NULL when it cannot. */
static FILE *start_addr2line(pid_t *out, const char *file, const char *address)
{
    const char *const words[] = {"addr2line", "-i", "-e", file, address, NULL};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&streams, ends[1], 1);
    posix_spawn_file_actions_addopen(&streams, 2, "/dev/null", O_WRONLY, 0);
    const bool started =
        posix_spawnp(out, words[0], &streams, NULL, (char *const *)(uintptr_t)words, environ) == 0;
    posix_spawn_file_actions_destroy(&streams);
    close(ends[1]);
    FILE *lines = started ? fdopen(ends[0], "r") : NULL;
    if (!lines)
        close(ends[0]);
    if (started && !lines)
        waitpid(*out, NULL, 0);
    return lines;
}

/** Writes file:line of an address, or the object and the offset in it. */
static void place_of(char out[PLACE_BYTES], uintptr_t pc)
{
    Dl_info info;
    if (!dladdr((void *)pc, &info) || !info.dli_fname) {
        snprintf(out, PLACE_BYTES, "address 0x%lx", (unsigned long)pc);
        return;
    }
    const uintptr_t base = (uintptr_t)info.dli_fbase;
    char name[PLACE_BYTES / 2], address[32], line[PLACE_BYTES];
    ssize_t length = readlink("/proc/self/exe", name, sizeof name - 1);
    const bool program = length > 0 && base == program_base();
    name[length > 0 ? length : 0] = '\0';
    const char *file = program ? name : info.dli_fname;
    snprintf(out, PLACE_BYTES, "%s+0x%lx", file, (unsigned long)(pc - base));
    snprintf(address, sizeof address, "0x%lx", (unsigned long)(pc - base - 1));
    pid_t child;
    FILE *lines = start_addr2line(&child, file, address);
    while (lines && fgets(line, sizeof line, lines)) {
        line[strcspn(line, "\n")] = '\0';
        char *note = strstr(line, " (discriminator");
        if (note)
            *note = '\0';
        if (!of_program(line))
            continue;
        snprintf(out, PLACE_BYTES, "%s", line);
        break;
    }
    if (lines) {
        fclose(lines);
        waitpid(child, NULL, 0);
    }
}

static void tell_thread(const rk_check_access *access)
{
    const uint32_t *b = rk_check_launch->block, *g = rk_check_launch->grid;
    const uint32_t t = access->thread, r = access->block;
    char place[PLACE_BYTES];
    place_of(place, access->pc);
    fprintf(stderr, "  %s: thread (%u, %u, %u) of block (%u, %u, %u) %s%s\n", place, t % b[0],
            t / b[0] % b[1], t / b[0] / b[1], r % g[0], r / g[0] % g[1], r / g[0] / g[1],
            access->kind & RK_CHECK_ATOMIC ? "atomically " : "",
            access->kind & RK_CHECK_WRITE ? "writes" : "reads");
}

static void tell_kernel(const char *what, const void *address, bool shared)
{
    const rk_cpu_site *site = &rk_check_launch->site;
    fprintf(stderr, "%s:%u: kernel %s: %s %s memory at %p\n", site->file, site->line, site->name,
            what, shared ? "shared" : "global", address);
}

void rk_check_report_race(const void *address, const rk_check_access *now,
                          const rk_check_access *before, bool shared)
{
    if (!is_wanted(RK_CHECK_RACES) || !is_new(now->pc, before->pc))
        return;
    tell_kernel("race on", address, shared);
    tell_thread(before);
    tell_thread(now);
    if (before->block != now->block)
        fputs("  nothing orders the two blocks: make both accesses atomic, or use two launches\n",
              stderr);
    else if (before->thread / RK_CPU_WARP == now->thread / RK_CPU_WARP)
        fputs("  nothing orders the two threads: put __syncwarp() or __syncthreads() in between\n",
              stderr);
    else
        fputs("  nothing orders the two threads: put __syncthreads() in between\n", stderr);
}

void rk_check_report_unwritten(const void *address, const rk_check_access *now)
{
    if (!is_wanted(RK_CHECK_UNWRITTEN) || !is_new(now->pc, 0))
        return;
    tell_kernel("a read of unwritten", address, true);
    tell_thread(now);
    fputs("  no thread of the block wrote it before: initialise it, then __syncthreads()\n",
          stderr);
}
