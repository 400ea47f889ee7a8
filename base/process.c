#include "base/process.h"

#include "base/file.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void rk_process_begin(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", stream ? O_RDONLY : O_WRONLY); /* the lowest free number */
    signal(SIGXFSZ, SIG_IGN);
    rk_file_note_reads();
    rk_temporary_guard();
}

int rk_process_end(int status, int failed)
{
    errno = 0;
    const bool flushed = fflush(stdout) == 0;
    if (flushed && !ferror(stdout))
        return status;
    fprintf(stderr, "standard output: error: cannot write it%s%s [RK-F003]\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return failed;
}
