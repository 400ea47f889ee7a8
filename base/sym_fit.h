#ifndef RK_BASE_SYM_FIT_H
#define RK_BASE_SYM_FIT_H

#include "base/sym.h"

/** The most dimensions of a table that rk_sym_fit takes. */
enum { RK_SYM_FIT_DIMS = 4 };

/** Bindings of all of a table's dimensions. */
typedef struct {
    const int64_t *values; /**< by point, then dimension */
    size_t count;
} rk_sym_points;

/**
 * The polynomial of the least degree, up to 3, and with whole factors that is numbers[p] at each point p: a number where
 * all are the same. Else one that is another where a dimension is least: strides of one element are 0, say. NULL where
 * there is none, or the points do not tell it from others.
 */
rk_sym rk_sym_fit(rk_syms *syms, const rk_sym_points *points, const int64_t *numbers);

#endif
