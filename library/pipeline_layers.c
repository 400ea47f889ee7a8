#include "library/pipeline.h"

#include "rkernel_lib/catalog/layers.h"

#include <dlfcn.h>
#include <string.h>

/** What is there so far: catalogs and bindings, each layer over those before. */
typedef struct {
    const rk_catalog *catalog;
    const rk_bindings *bindings;
} layers;

/** Puts bindings of a folder over those that there are. */
static bool add_bindings(layers *l, const char *folder, rk_tool *tool)
{
    const rk_bindings *own = rk_bindings_read(folder, l->catalog, tool->arena, tool->diag);
    if (own)
        l->bindings = rk_bindings_layer(l->bindings, own, tool->arena, tool->diag);
    return own != NULL;
}

/** Puts a catalog over what there is, and the bindings that lie beside it. */
static bool add_catalog(layers *l, const char *path, rk_tool *tool)
{
    if (rk_file_is_dir(path))
        path = rk_path_join(tool->arena, path, "catalog.json");
    const rk_catalog *top = rk_catalog_read(path, tool->arena, tool->diag);
    if (!top)
        return false;
    const rk_catalog *before = l->catalog;
    l->catalog = before->kernel_count || before->mount_count
                     ? rk_catalog_layer(before, top, tool->arena, tool->diag)
                     : top;
    l->bindings = rk_bindings_under(l->bindings, before, l->catalog, tool->arena);
    return add_bindings(l, *top->folder ? top->folder : ".", tool);
}

/** The shipped catalog, with the bindings that are shipped with it. Without one there are the user's alone. */
static bool add_shipped(layers *l, const rk_plan_options *options, rk_tool *tool)
{
    const char *path = rk_tool_share(tool, "catalog/catalog.json");
    if (options->catalogs.count && !rk_file_exists(path))
        return true;
    l->catalog = rk_catalog_read(path, tool->arena, tool->diag);
    return l->catalog && add_bindings(l, rk_tool_share(tool, "bindings"), tool);
}

/** Whether the machine has the library whose products are tiles of a catalog for the CPU. */
static bool has_products(const char *folder, rk_tool *tool)
{
    bool (*there)(void) = NULL;
    void *library = dlopen(rk_path_join(tool->arena, folder, "cpu/products.so"), RTLD_NOW);
    void *symbol = library ? dlsym(library, "rk_products_there") : NULL;
    memcpy(&there, &symbol, sizeof there);
    return there && there();
}

/** Puts those tiles over the shipped catalog, for a CPU whose bytes may be its own. */
static bool add_products(layers *l, const rk_plan_options *options, rk_tool *tool)
{
    const char *folder = rk_tool_share(tool, "products");
    const bool cpu = !options->target || strcmp(options->target, "cpu") == 0;
    return !cpu || options->exact || !has_products(folder, tool) || add_catalog(l, folder, tool);
}

bool rk_plan_layers(const rk_catalog **catalog, const rk_bindings **bindings,
                    const rk_plan_options *options, rk_tool *tool)
{
    static const rk_catalog no_catalog = {.folder = ""};
    static const rk_bindings no_bindings = {0};
    layers l = {&no_catalog, &no_bindings};
    bool good = options->no_shipped ||
                (add_shipped(&l, options, tool) && add_products(&l, options, tool));
    for (size_t i = 0; good && i < options->catalogs.count; i++)
        good = add_catalog(&l, options->catalogs.items[i], tool);
    for (size_t i = 0; good && i < options->bindings.count; i++)
        good = add_bindings(&l, options->bindings.items[i], tool);
    *catalog = good ? l.catalog : NULL;
    *bindings = good ? l.bindings : NULL;
    return good;
}
