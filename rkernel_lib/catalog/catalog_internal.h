#ifndef RK_CATALOG_CATALOG_INTERNAL_H
#define RK_CATALOG_CATALOG_INTERNAL_H

#include "rkernel_lib/catalog/catalog.h"

/** The names of the enumerators in the file, in their order. */
extern const char *const rk_catalog_roles[RK_ROLE_ACCUMULATED + 1];
extern const char *const rk_catalog_outcomes[RK_REFUSED_KERNEL + 1];
extern const char *const rk_catalog_threads[RK_CPU_LIBRARY + 1];

/** Orders kernels by id, for qsort. */
int rk_catalog_compare_kernels(const void *a, const void *b);

#endif
