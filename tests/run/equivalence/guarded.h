#ifndef RK_TESTS_EQUIVALENCE_GUARDED_H
#define RK_TESTS_EQUIVALENCE_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

/**
 * A buffer between two guards: what is written outside it shows in eq_guarded_intact, and what is read
 * outside it under AddressSanitizer.
 */
typedef struct {
    unsigned char *data; /**< `size` bytes, aligned to 256, plus `shift` */
    size_t size;
    size_t shift;
    unsigned char *whole; /**< guards included */
} eq_guarded;

/** Filled with 0xFF: in float, a NaN. Memory is the C library's and runs out with abort. */
eq_guarded eq_guarded_new(size_t size, size_t shift);
void eq_guarded_free(eq_guarded *buffer);

/** Whether both guards are as they were made. */
bool eq_guarded_intact(const eq_guarded *buffer);

#endif
