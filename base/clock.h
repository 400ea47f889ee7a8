#ifndef RK_BASE_CLOCK_H
#define RK_BASE_CLOCK_H

/** Seconds on a clock that only goes on, from some time before. */
double rk_seconds(void);

#endif
