#ifndef TESTS_UNIT_DEPTH_H
#define TESTS_UNIT_DEPTH_H

#include <stdint.h>
#include <stdlib.h>

/** How many random cases a test tries: all of them where RK_TEST_FULL is set, as `tools/test.sh --full` does. */
static inline uint64_t rk_depth(uint64_t usual, uint64_t full)
{
    return getenv("RK_TEST_FULL") ? full : usual;
}

#endif
