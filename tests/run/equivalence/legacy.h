#ifndef RK_TESTS_EQUIVALENCE_LEGACY_H
#define RK_TESTS_EQUIVALENCE_LEGACY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The configuration of the last launch that a legacy launcher made on the CPU. */
typedef struct {
    uint32_t launches; /**< since eq_legacy_reset */
    uint32_t grid[3], block[3];
    uint64_t shared; /**< dynamic, bytes */
} eq_legacy_launch;

void eq_legacy_reset(void);
eq_legacy_launch eq_legacy_last(void);

/** The runtime's last error, NULL if there was none; forgets it. */
const char *eq_legacy_error(void);

#ifdef __cplusplus
}
#endif

#endif
