/*
 * A library to preload: fails one call of the C library in rammer or rkconvert, as it fails when memory, the disk or the
 * processes are used up.
 *
 *   FAULT_SITES=FILE   appends a line "function stack" for each place that is called from, the first time that it is
 *   FAULT_ORDER=FILE   appends a line "fsync PATH" or "rename FROM TO" for each of these calls
 *   FAULT_AT="function stack"  fails the first call from that place, in whichever process of the command makes it
 *
 * A place is the return addresses in the command's own code, the innermost FAULT_DEPTH (3) of them; calls that
 * libclang makes for itself are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES = 24, MOST_SITES = 1 << 16, LINE = 160 };

/** A range of addresses. */
typedef struct {
    uintptr_t begin, end;
} range;

static struct {
    bool on;
    range own, foreign[16]; /**< the command, and libraries whose calls are left alone */
    size_t foreign_count;
    int depth, log;
    const char *at;
    uint64_t *seen; /**< hashes of sites that were told, shared by all processes */
    int *failed;    /**< likewise */
} state;
static _Thread_local bool inside;

static int note_library(struct dl_phdr_info *info, size_t size, void *user)
{
    static const char *const foreign[] = {"libclang", "libLLVM", "libstdc++", "ld-linux", "libgcc"};
    (void)size, (void)user;
    range r = {UINTPTR_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD)
            continue;
        r.begin = begin < r.begin ? begin : r.begin;
        r.end = begin + p->p_memsz > r.end ? begin + p->p_memsz : r.end;
    }
    if (!info->dlpi_name || !*info->dlpi_name)
        state.own = state.own.end ? state.own : r;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (info->dlpi_name && strstr(info->dlpi_name, foreign[i]) && state.foreign_count < 16)
            state.foreign[state.foreign_count++] = r;
    return 0;
}

static bool is_in(range r, const void *address)
{
    return (uintptr_t)address >= r.begin && (uintptr_t)address < r.end;
}

__attribute__((constructor)) static void begin(void)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n < 0 ? 0 : n] = '\0';
    const char *base = strrchr(path, '/');
    if (!base || (strcmp(base, "/rammer") != 0 && strcmp(base, "/rkconvert") != 0))
        return;
    void *frame;
    inside = true;
    backtrace(&frame, 1); /* it allocates the first time */
    dl_iterate_phdr(note_library, NULL);
    state.depth = getenv("FAULT_DEPTH") ? atoi(getenv("FAULT_DEPTH")) : 3;
    state.at = getenv("FAULT_AT");
    state.log = getenv("FAULT_SITES")
                    ? open(getenv("FAULT_SITES"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                    : -1;
    char *shared = mmap(NULL, MOST_SITES * sizeof(uint64_t) + 64, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    state.seen = (uint64_t *)(shared + 64);
    state.failed = (int *)shared;
    state.on = shared != MAP_FAILED && (state.log >= 0 || state.at);
    inside = false;
}

/** Writes the site of the caller; false for calls that are left alone. */
static bool site_of(char line[LINE], const char *function)
{
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    int length = snprintf(line, LINE, "%s ", function), own = 0;
    for (int i = 2; i < count && own < state.depth; i++) {
        for (size_t k = 0; own == 0 && k < state.foreign_count; k++)
            if (is_in(state.foreign[k], frames[i]))
                return false;
        if (is_in(state.own, frames[i])) {
            length += snprintf(line + length, (size_t)(LINE - length), "%s%lx", own ? "," : "",
                               (unsigned long)((uintptr_t)frames[i] - state.own.begin));
            own++;
        }
    }
    return own > 0;
}

static bool is_new(const char *line)
{
    uint64_t hash = 1469598103934665603u;
    for (; *line; line++)
        hash = (hash ^ (unsigned char)*line) * 1099511628211u;
    hash += hash == 0;
    for (size_t i = hash;; i++) {
        uint64_t *slot = &state.seen[i % MOST_SITES], old = 0;
        if (__atomic_compare_exchange_n(slot, &old, hash, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
        if (old == hash)
            return false;
    }
}

/** Whether this call is the one to fail. */
__attribute__((noinline)) static bool fails(const char *function)
{
    if (!state.on || inside)
        return false;
    if (state.at && (__atomic_load_n(state.failed, __ATOMIC_RELAXED) ||
                     strncmp(state.at, function, strlen(function)) != 0))
        return false;
    char line[LINE + 2];
    inside = true;
    const bool counted = site_of(line, function);
    bool fail = false;
    if (counted && state.at)
        fail = strcmp(line, state.at) == 0 &&
               __atomic_exchange_n(state.failed, 1, __ATOMIC_RELAXED) == 0;
    else if (counted && is_new(line)) {
        strcat(line, "\n");
        if (write(state.log, line, strlen(line)) < 0)
            abort();
    }
    inside = false;
    return fail;
}

#define NEXT(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))
#define WRAP(type, name, params, args, error, result)                                              \
    type name params;                                                                              \
    type name params                                                                               \
    {                                                                                              \
        static __typeof__(&name) next;                                                             \
        if (!next)                                                                                 \
            next = NEXT(name);                                                                     \
        if (fails(#name " ")) {                                                                    \
            errno = error;                                                                         \
            return result;                                                                         \
        }                                                                                          \
        return next args;                                                                          \
    }

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t size)
{
    return fails("malloc ") ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails("calloc ") ? (errno = ENOMEM, NULL) : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails("realloc ") ? (errno = ENOMEM, NULL) : __libc_realloc(old, size);
}

WRAP(void *, aligned_alloc, (size_t align, size_t size), (align, size), ENOMEM, NULL)
WRAP(void *, mmap, (void *at, size_t size, int prot, int flags, int fd, off_t offset),
     (at, size, prot, flags, fd, offset), ENOMEM, MAP_FAILED)
WRAP(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size), ENOSPC, -1)

/** Notes a call whose order counts. */
static void note_order(const char *call, const char *path, const char *to)
{
    char line[2 * 4096 + 32];
    const char *log = getenv("FAULT_ORDER");
    const int length = snprintf(line, sizeof line, "%s %s %s\n", call, path, to);
    const int file = log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file >= 0 && (length <= 0 || write(file, line, (size_t)length) != length))
        abort();
    if (file >= 0)
        close(file);
}

int fsync(int fd)
{
    static __typeof__(&fsync) next;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    path[n < 0 ? 0 : n] = '\0';
    note_order("fsync", path, "");
    if (!next)
        next = NEXT(fsync);
    return fails("fsync ") ? (errno = EIO, -1) : next(fd);
}

int rename(const char *from, const char *to)
{
    static __typeof__(&rename) next;
    note_order("rename", from, to);
    if (!next)
        next = NEXT(rename);
    return fails("rename ") ? (errno = EIO, -1) : next(from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    static __typeof__(&renameat2) next;
    note_order("rename", from, to);
    if (!next)
        next = NEXT(renameat2);
    return fails("renameat2 ") ? (errno = EIO, -1) : next(a, from, b, to, flags);
}

WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), ENOSPC, -1)
WRAP(char *, mkdtemp, (char *path), (path), ENOSPC, NULL)
WRAP(int, mkostemp, (char *path, int flags), (path, flags), ENOSPC, -1)
WRAP(int, mkstemp, (char *path), (path), ENOSPC, -1)
WRAP(int, pipe2, (int ends[2], int flags), (ends, flags), EMFILE, -1)
WRAP(pid_t, fork, (void), (), EAGAIN, -1)

/** The disk is full: the stream knows. */
static void spoil(FILE *file)
{
    enum { ERROR_SEEN = 0x20 }; /* of glibc's _flags */
    file->_flags |= ERROR_SEEN;
    errno = ENOSPC;
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *file)
{
    static __typeof__(&fwrite) next;
    if (!next)
        next = NEXT(fwrite);
    if (!fails("fwrite "))
        return next(data, size, count, file);
    spoil(file);
    return 0;
}

int fflush(FILE *file)
{
    static __typeof__(&fflush) next;
    if (!next)
        next = NEXT(fflush);
    if (!file || !fails("fflush "))
        return next(file);
    spoil(file);
    return EOF;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user)
{
    static __typeof__(&pthread_create) next;
    if (!next)
        next = NEXT(pthread_create);
    return fails("pthread_create ") ? EAGAIN : next(thread, attributes, run, user);
}
