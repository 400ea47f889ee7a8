#include "rkernel_lib/catalog/catalog.h"

#include "base/file.h"
#include "base/json.h"
#include "base/vec.h"
#include "rkernel_lib/catalog/catalog_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const rk_kernel *rk_catalog_find(const rk_catalog *catalog, const char *id)
{
    if (catalog->kernel_count == 0)
        return NULL;
    const rk_kernel key = {.id = id};
    return bsearch(&key, catalog->kernels, catalog->kernel_count, sizeof *catalog->kernels,
                   rk_catalog_compare_kernels);
}

const rk_launch *rk_kernel_launch(const rk_kernel *kernel, const char *function)
{
    if (!function)
        return kernel->launch_count == 1 ? &kernel->launches[0] : NULL;
    for (size_t i = 0; i < kernel->launch_count; i++)
        if (strcmp(kernel->launches[i].function, function) == 0)
            return &kernel->launches[i];
    return NULL;
}

static int compare_launches(const void *left, const void *right)
{
    const rk_launch *a = left, *b = right;
    int order = strcmp(a->file, b->file);
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    return order ? order : strcmp(a->function, b->function);
}

/** Adds to `kernel` the launches that only `other` has. */
static void merge_launches(rk_kernel *kernel, const rk_kernel *other, rk_arena *arena)
{
    RK_VEC(rk_launch) all = {0};
    for (size_t i = 0; i < kernel->launch_count; i++)
        *rk_push(arena, &all) = kernel->launches[i];
    for (size_t i = 0; i < other->launch_count; i++) {
        bool known = false;
        for (size_t j = 0; j < kernel->launch_count && !known; j++)
            known = compare_launches(&other->launches[i], &kernel->launches[j]) == 0;
        if (!known)
            *rk_push(arena, &all) = other->launches[i];
    }
    if (all.count > kernel->launch_count)
        qsort(all.items, all.count, sizeof *all.items, compare_launches);
    kernel->launches = all.items;
    kernel->launch_count = all.count;
}

/** The way from the folder `to` down to the folder `from`, "" when they are one; NULL when there is none. */
static const char *way_down(const char *to, const char *from, rk_arena *arena)
{
    char real_from[PATH_MAX], real_to[PATH_MAX];
    if (strcmp(from, to) == 0)
        return "";
    if (!realpath(*from ? from : ".", real_from) || !realpath(*to ? to : ".", real_to))
        return NULL;
    const size_t length = strcmp(real_to, "/") == 0 ? 0 : strlen(real_to);
    if (strncmp(real_from, real_to, length) != 0 ||
        (real_from[length] != '/' && real_from[length] != '\0'))
        return NULL;
    return rk_arena_strdup(arena, real_from + length + (real_from[length] == '/'));
}

bool rk_catalog_is_below(const rk_catalog *catalog, const char *folder)
{
    rk_arena *scratch = rk_arena_new();
    const bool below = way_down(folder, catalog->folder, scratch) != NULL;
    rk_arena_free(scratch);
    return below;
}

static rk_kernel rebased(const rk_kernel *kernel, const char *way, rk_arena *arena)
{
    rk_kernel copy = *kernel;
    if (copy.rkernel_file)
        copy.rkernel_file = rk_path_join(arena, way, copy.rkernel_file);
    if (copy.cpu_library)
        copy.cpu_library = rk_path_join(arena, way, copy.cpu_library);
    return copy;
}

/** Of an id without what tells it from others of its name. */
static size_t name_length(const char *id)
{
    return strcspn(id, "@#");
}

static int compare_names(const rk_kernel *a, const rk_kernel *b)
{
    const size_t x = name_length(a->id), y = name_length(b->id);
    const int order = strncmp(a->id, b->id, x < y ? x : y);
    return order ? order : (x > y) - (x < y);
}

static int by_name(const void *a, const void *b)
{
    const rk_kernel *x = *(rk_kernel *const *)a, *y = *(rk_kernel *const *)b;
    const int order = compare_names(x, y);
    return order ? order : strcmp(x->source, y->source);
}

static void mark(rk_kernel *k, bool content, rk_arena *arena)
{
    const char *with = content ? rk_arena_printf(arena, "@%s#%.8s", k->source, k->hash)
                               : rk_arena_printf(arena, "@%s", k->source);
    if (k->phase_of)
        k->phase_of = rk_arena_printf(arena, "%.*s%s", (int)name_length(k->phase_of), k->phase_of,
                                      with);
    k->id = rk_arena_printf(arena, "%.*s%s", (int)name_length(k->id), k->id, with);
}

void rk_catalog_tell_apart(rk_kernel *kernels, size_t count, rk_arena *arena)
{
    rk_kernel **all = RK_NEW_ARRAY(arena, rk_kernel *, count + 1);
    for (size_t i = 0; i < count; i++)
        all[i] = &kernels[i];
    qsort(all, count, sizeof *all, by_name);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && compare_names(all[end], all[first]) == 0;)
            end++;
        for (size_t i = first; end > first + 1 && i < end; i++) {
            const bool before = i > first && strcmp(all[i - 1]->source, all[i]->source) == 0;
            const bool after = i + 1 < end && strcmp(all[i + 1]->source, all[i]->source) == 0;
            mark(all[i], before || after, arena);
        }
    }
}

/** The kernel of `all` that is the same: its text is, and its id, or its name and its source. */
static rk_kernel *find_same(rk_kernel *all, size_t count, const rk_kernel *kernel)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].hash, kernel->hash) == 0 &&
            (strcmp(all[i].id, kernel->id) == 0 || (compare_names(&all[i], kernel) == 0 &&
                                                    strcmp(all[i].source, kernel->source) == 0)))
            return &all[i];
    return NULL;
}

const rk_catalog *rk_catalog_merge(const rk_catalog *a, const rk_catalog *b, rk_arena *arena,
                                   rk_diag *diag)
{
    RK_VEC(rk_kernel) all = {0};
    const char *way = way_down(a->folder, b->folder, arena);
    bool ok = way != NULL;
    if (!ok)
        rk_diag_add(diag, RK_ERROR, "RK-F006", rk_place_file(b->folder),
                    "copy the catalog with its files, and merge the copy",
                    "the folder is not in '%s', where the names of the other catalog start",
                    a->folder);
    for (size_t i = 0; i < a->kernel_count; i++)
        *rk_push(arena, &all) = a->kernels[i];
    for (size_t i = 0; i < b->kernel_count; i++) {
        const rk_kernel *theirs = &b->kernels[i];
        rk_kernel *ours = find_same(all.items, a->kernel_count, theirs);
        if (!ours)
            *rk_push(arena, &all) = rebased(theirs, way ? way : "", arena);
        else
            merge_launches(ours, theirs, arena);
    }
    if (!ok)
        return NULL;
    rk_catalog_tell_apart(all.items, all.count, arena);
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, rk_catalog_compare_kernels);
    rk_catalog *merged = RK_NEW(arena, rk_catalog);
    *merged = (rk_catalog){.folder = a->folder, .kernels = all.items, .kernel_count = all.count};
    const char *text = rk_catalog_print(merged, arena);
    merged->hash = rk_hash(text, strlen(text), 0);
    return merged;
}
