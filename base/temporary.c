#include "base/temporary.h"

#include "base/file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char **items;
    size_t count, capacity;
} names;
static int channel = -1; /**< to the process that cleans up */
static pid_t owner, cleaner;

static void add_name(const char *path)
{
    if (names.count == names.capacity) {
        const size_t capacity = names.capacity ? 2 * names.capacity : 16;
        char **items = realloc(names.items, capacity * sizeof *items);
        if (!items)
            return; /* it is not removed when this process is killed, and nothing else */
        names.items = items;
        names.capacity = capacity;
    }
    char *copy = strdup(path);
    if (copy)
        names.items[names.count++] = copy;
}

static void drop_name(const char *path)
{
    for (size_t i = names.count; i-- > 0;) {
        if (strcmp(names.items[i], path) != 0)
            continue;
        free(names.items[i]);
        names.items[i] = names.items[--names.count];
        return;
    }
}

/** Tells the cleaning process; one message is one packet. */
static void tell(char what, const char *path)
{
    struct iovec parts[] = {{&what, 1}, {(char *)(uintptr_t)path, strlen(path) + 1}};
    const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    while (channel >= 0 && sendmsg(channel, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

void rk_temporary_add(const char *path)
{
    pthread_mutex_lock(&lock);
    add_name(path);
    tell('+', path);
    pthread_mutex_unlock(&lock);
}

void rk_temporary_drop(const char *path)
{
    pthread_mutex_lock(&lock);
    drop_name(path);
    tell('-', path);
    pthread_mutex_unlock(&lock);
}

bool rk_temporary_holds(const char *path)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < names.count && !found; i++) {
        const size_t length = strlen(names.items[i]);
        found = strncmp(path, names.items[i], length) == 0 && path[length] == '/';
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/**
 * Removes what is left. Compilers that a killed process had started may write for another moment, so that a
 * folder is not empty at once.
 */
static void remove_left(void)
{
    for (int tries = 0; names.count && tries < 200; tries++) {
        const struct timespec pause = {0, 50000000};
        if (tries)
            nanosleep(&pause, NULL);
        for (size_t i = names.count; i-- > 0;)
            if (rk_file_remove_all(names.items[i]))
                drop_name(names.items[i]);
    }
}

/** The process that cleans up: it listens until every process that could tell it something has ended. */
static _Noreturn void clean(int from)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    char packet[65536];
    setsid();
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    if (from > 0)
        close_range(0, (unsigned)from - 1, 0);
    close_range((unsigned)from + 1, ~0U, 0);
    for (ssize_t n; (n = recv(from, packet, sizeof packet - 1, 0)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        packet[n] = '\0';
        if (*packet == '+')
            add_name(packet + 1);
        else
            drop_name(packet + 1);
    }
    remove_left();
    _exit(0);
}

/** At a normal end, what is left is removed before this process is gone. */
static void finish(void)
{
    if (getpid() != owner)
        return;
    shutdown(channel, SHUT_WR);
    while (waitpid(cleaner, NULL, 0) < 0 && errno == EINTR)
        ;
}

void rk_temporary_guard(void)
{
    int ends[2];
    if (channel >= 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    cleaner = fork();
    if (cleaner == 0)
        clean(ends[1]);
    close(ends[1]);
    if (cleaner < 0) {
        close(ends[0]);
        return;
    }
    /* Out of this process's group before there is anything to remove: who kills the group may come before its setsid. */
    setpgid(cleaner, cleaner);
    channel = ends[0];
    owner = getpid();
    atexit(finish);
}
