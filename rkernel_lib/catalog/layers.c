#include "rkernel_lib/catalog/layers.h"

#include "base/file.h"
#include "base/vec.h"
#include "rkernel_lib/catalog/catalog_internal.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Catalogs. */

/** The name under which a layer's files are known in the whole: the same for the same catalog. */
static const char *mount_name(const rk_catalog *layer, rk_arena *arena)
{
    char real[PATH_MAX];
    const char *folder = *layer->folder ? layer->folder : ".";
    return rk_arena_printf(arena, "%s-%016" PRIx64,
                           realpath(folder, real) ? rk_path_base(real) : "catalog", layer->hash);
}

static const char *below(const char *mount, const char *name, rk_arena *arena)
{
    return name ? rk_path_join(arena, mount, name) : NULL;
}

static void tell_override(const rk_catalog *layer, const rk_kernel *kernel, const rk_kernel *before,
                          rk_arena *arena, rk_diag *diag)
{
    rk_diag_add(
        diag, RK_NOTE, "RK-C003", rk_place_object(arena, layer->folder, "kernel", kernel->id),
        "bindings of the layers below are not for it: `rkconvert bind` writes one that is",
        "it stands in for another of that name, of %s, line %d", before->source, before->line);
}

const rk_catalog *rk_catalog_layer(const rk_catalog *base, const rk_catalog *top, rk_arena *arena,
                                   rk_diag *diag)
{
    const char *name = mount_name(top, arena);
    RK_VEC(rk_kernel) all = {0};
    for (size_t i = 0; i < base->kernel_count; i++)
        if (!rk_catalog_find(top, base->kernels[i].id))
            *rk_push(arena, &all) = base->kernels[i];
    for (size_t i = 0; i < top->kernel_count; i++) {
        rk_kernel *kernel = rk_push(arena, &all);
        *kernel = top->kernels[i];
        kernel->rkernel_file = below(name, kernel->rkernel_file, arena);
        kernel->cpu_library = below(name, kernel->cpu_library, arena);
        const rk_kernel *before = rk_catalog_find(base, kernel->id);
        if (before && strcmp(before->hash, kernel->hash) != 0)
            tell_override(top, kernel, before, arena, diag);
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, rk_catalog_compare_kernels);
    rk_catalog_mount *mounts = RK_NEW_ARRAY(arena, rk_catalog_mount, base->mount_count + 1);
    if (base->mount_count)
        memcpy(mounts, base->mounts, base->mount_count * sizeof *mounts);
    mounts[base->mount_count] = (rk_catalog_mount){name, top->folder};
    rk_catalog *whole = RK_NEW(arena, rk_catalog);
    *whole = (rk_catalog){.folder = base->folder,
                          .kernels = all.items,
                          .kernel_count = all.count,
                          .mounts = mounts,
                          .mount_count = base->mount_count + 1};
    whole->hash = rk_hash(&top->hash, sizeof top->hash, base->hash);
    return whole;
}

/* Bindings. */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_use(const rk_binding *a, const rk_binding *b)
{
    return strcmp(a->op, b->op) == 0 && strcmp(a->kernel, b->kernel) == 0 &&
           same_text(a->launcher, b->launcher);
}

static bool equal(const rk_binding *a, const rk_binding *b)
{
    bool same = same_use(a, b) && same_text(a->when, b->when) && a->arg_count == b->arg_count &&
                a->access_count == b->access_count;
    for (size_t i = 0; same && i < a->arg_count; i++)
        same = strcmp(a->args[i].param, b->args[i].param) == 0 &&
               strcmp(a->args[i].value, b->args[i].value) == 0;
    return same;
}

/** The first binding of the layer that is of the same op, kernel and launcher; NULL if there is none. */
static const rk_binding *replacement(const rk_bindings *top, const rk_binding *of)
{
    for (size_t i = 0; i < top->count; i++)
        if (same_use(&top->items[i], of))
            return &top->items[i];
    return NULL;
}

/** Whether one of the layer's bindings is this one, word for word. */
static bool repeats(const rk_bindings *top, const rk_binding *of)
{
    for (size_t i = 0; i < top->count; i++)
        if (equal(&top->items[i], of))
            return true;
    return false;
}

const rk_bindings *rk_bindings_layer(const rk_bindings *base, const rk_bindings *top,
                                     rk_arena *arena, rk_diag *diag)
{
    RK_VEC(rk_binding) all = {0};
    const rk_binding *told = NULL;
    for (size_t i = 0; i < base->count; i++) {
        const rk_binding *b = &base->items[i], *by = replacement(top, b);
        if (!by)
            *rk_push(arena, &all) = *b;
        if (!by || by == told || repeats(top, b))
            continue;
        told = by;
        rk_diag_add(diag, RK_NOTE, "RK-B006", by->place, NULL,
                    "%s by '%s' is bound here, and no longer as in %s", by->op, by->kernel,
                    b->place.file);
    }
    for (size_t i = 0; i < top->count; i++)
        *rk_push(arena, &all) = top->items[i];
    rk_bindings *whole = RK_NEW(arena, rk_bindings);
    *whole = (rk_bindings){all.items, all.count};
    return whole;
}

const rk_bindings *rk_bindings_under(const rk_bindings *bindings, const rk_catalog *of,
                                     const rk_catalog *catalog, rk_arena *arena)
{
    RK_VEC(rk_binding) kept = {0};
    for (size_t i = 0; i < bindings->count; i++) {
        const rk_kernel *before = rk_catalog_find(of, bindings->items[i].kernel);
        const rk_kernel *now = rk_catalog_find(catalog, bindings->items[i].kernel);
        if (before && now && strcmp(before->hash, now->hash) == 0)
            *rk_push(arena, &kept) = bindings->items[i];
    }
    rk_bindings *whole = RK_NEW(arena, rk_bindings);
    *whole = (rk_bindings){kept.items, kept.count};
    return whole;
}
