#ifndef TESTS_CUDA_CHECK_H
#define TESTS_CUDA_CHECK_H

#include <stdio.h>

/** Failures so far: what main returns. */
static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)
#define GOOD(call) CHECK((call) == cudaSuccess)

#endif
