#include "convert/run/catalog_join.h"
#include "convert/unit/sources.h"

#include <stdlib.h>
#include <string.h>

/** The instance of that id which is defined there. */
static size_t find(const rk_catalog_join *join, const char *id, const rk_place *place)
{
    for (size_t i = 0; i < join->kernels.count; i++) {
        const rk_place *there = &join->places.items[i];
        if (there->line == place->line && there->column == place->column &&
            strcmp(join->kernels.items[i].id, id) == 0 && strcmp(there->file, place->file) == 0)
            return i;
    }
    return RK_NONE;
}

/** Where the kernel is defined, as the record has it. */
static rk_place definition(const rk_kernel *kernel, const rk_convert_file *file)
{
    for (size_t i = 0; i < file->kernel_count; i++) {
        const rk_convert_kernel *k = &file->kernels[i];
        if (k->line == kernel->line && k->column == kernel->column &&
            rk_str_ends(k->name, kernel->name))
            return (rk_place){k->range.file, k->line, k->column, NULL};
    }
    return (rk_place){file->path, kernel->line, kernel->column, NULL};
}

static void add_launches_of(rk_kernel *kernel, const rk_kernel *other, rk_arena *arena)
{
    rk_launch *all = RK_NEW_ARRAY(arena, rk_launch, kernel->launch_count + other->launch_count + 1);
    size_t count = kernel->launch_count;
    if (count)
        memcpy(all, kernel->launches, count * sizeof *all);
    for (size_t i = 0; i < other->launch_count; i++) {
        const rk_launch *launch = &other->launches[i];
        bool known = false;
        for (size_t k = 0; k < kernel->launch_count && !known; k++)
            known = all[k].line == launch->line && strcmp(all[k].file, launch->file) == 0 &&
                    strcmp(all[k].function, launch->function) == 0;
        if (!known)
            all[count++] = *launch;
    }
    kernel->launches = all;
    kernel->launch_count = count;
}

bool rk_catalog_join_add(rk_catalog_join *join, const rk_record *record, rk_diag *diag)
{
    const rk_catalog *own = rk_catalog_parse(record->catalog, strlen(record->catalog),
                                             record->file.path, join->arena, diag);
    for (size_t i = 0; own && i < own->kernel_count; i++) {
        const rk_kernel *kernel = &own->kernels[i];
        rk_place place = definition(kernel, &record->file);
        place.file = rk_sources_real_path(place.file, join->arena);
        const size_t other = find(join, kernel->id, &place);
        if (other != RK_NONE) {
            add_launches_of(&join->kernels.items[other], kernel, join->arena);
            continue;
        }
        *rk_push(join->arena, &join->kernels) = *kernel;
        *rk_push(join->arena, &join->places) = place;
    }
    return own != NULL;
}

void rk_catalog_join_finish(rk_catalog_join *join)
{
    rk_catalog_tell_apart(join->kernels.items, join->kernels.count, join->arena);
}
