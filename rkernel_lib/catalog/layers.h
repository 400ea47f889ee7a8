#ifndef RK_RKERNEL_LIB_CATALOG_LAYERS_H
#define RK_RKERNEL_LIB_CATALOG_LAYERS_H

#include "rkernel_lib/catalog/binding.h"
#include "rkernel_lib/catalog/catalog.h"

/* Catalogs and bindings over others: what a later layer has stands in for what is below it. */

/**
 * The kernels of both, each file where it is: those of `top` are known by a name of the layer's (mounts). A kernel of
 * `top` stands in for the one of its id; where their sources differ the note RK-C003 says so.
 */
const rk_catalog *rk_catalog_layer(const rk_catalog *base, const rk_catalog *top, rk_arena *arena,
                                   rk_diag *diag);

/**
 * The bindings of both. Those of `top` of an op, kernel and launcher stand in for all below that are of the same; the
 * note RK-B006 says so where they differ.
 */
const rk_bindings *rk_bindings_layer(const rk_bindings *base, const rk_bindings *top,
                                     rk_arena *arena, rk_diag *diag);

/**
 * Those of `bindings`, which were read against `of`, whose kernel is still the same in `catalog`: what a binding says of
 * a kernel need not hold for another of its name.
 */
const rk_bindings *rk_bindings_under(const rk_bindings *bindings, const rk_catalog *of,
                                     const rk_catalog *catalog, rk_arena *arena);

#endif
