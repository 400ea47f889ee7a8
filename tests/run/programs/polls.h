// What programs of kernels that wait by polling share: each kernel leaves its mark for every block, within a limit of time.
#ifndef POLLS_H
#define POLLS_H

#include "check.h"

#include <unistd.h>

// What a wait that goes on for ever does to a test: it ends it soon.
static void limit()
{
    alarm(60);
}

using kernel = void (*)(int *, int *);

// Each block leaves 1, or what `want` says.
static void run(const char *name, kernel k, int blocks, int threads, int want = 1)
{
    check::buffer<int> flag(std::vector<int>(64, 0)), out(std::vector<int>(64, 0));
    k<<<blocks, threads>>>(flag, out);
    LAUNCH_OK();
    std::vector<int> left(64, 0);
    std::fill_n(left.begin(), blocks, want);
    std::vector<int> got = out.get();
    if (want != 1)
        std::fill(got.begin() + blocks, got.end(), 0);
    check::same(name, got, left);
}

#define RUN(k, ...) run(#k, k, __VA_ARGS__)

#endif
