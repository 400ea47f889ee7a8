#ifndef RK_RKERNEL_LIB_CPU_SETTINGS_H
#define RK_RKERNEL_LIB_CPU_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/** What the environment says about how launches run; read once. */
typedef struct {
    uint32_t workers;     /**< RK_WORKERS, else the processors */
    bool shuffled;        /**< RK_SHUFFLE is set */
    uint64_t seed;        /**< its value */
    bool fibers;          /**< RK_FIBERS is not 0 */
    uint32_t veus;        /**< RK_VEUS, else 0 */
    uint32_t veu_threads; /**< RK_VEU_THREADS, else 0 */
    uint32_t watchdog_s;  /**< RK_WATCHDOG's seconds, else 60; 0: never */
    bool watchdog_ends;   /**< it says abort */
} rk_cpu_settings;

const rk_cpu_settings *rk_cpu_settings_get(void);

#endif
