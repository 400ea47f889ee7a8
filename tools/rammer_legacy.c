#include "rammer_legacy.h"

#include "base/str.h"
#include "emit/image.h"

#include <dlfcn.h>
#include <string.h>

/** A launching function, with a slot for each of its parameters. */
typedef void rk_legacy_entry(const uint64_t *slots);
typedef int synchronize(void);

struct rk_legacy {
    const char *file;
    void *library;
    synchronize *wait;
    const rk_catalog *catalog;
    rk_arena *arena;
};

rk_legacy *rk_legacy_open(const char *file, const rk_catalog *catalog, rk_arena *arena,
                          rk_diag *diag)
{
    rk_legacy *legacy = RK_NEW(arena, rk_legacy);
    *legacy = (rk_legacy){.file = file, .catalog = catalog, .arena = arena};
    const char *path = strchr(file, '/') ? file : rk_arena_printf(arena, "./%s", file);
    legacy->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!legacy->library) {
        rk_diag_add(diag, RK_ERROR, "RK-U013", rk_place_file(file),
                    "make it by `rkconvert cc --entries -shared mine.cu -o mine.so`",
                    "the library cannot be opened: %s", dlerror());
        return NULL;
    }
    *(void **)&legacy->wait = dlsym(legacy->library, "cudaDeviceSynchronize");
    return legacy;
}

static const rk_id *find_operand(const char *name, const char *const *names, const rk_id *tensors,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return &tensors[i];
    return NULL;
}

/** A parameter's slot: the address of the tensor that it is given, null for none, or a scalar's bits. */
static uint64_t slot_of(const rk_node *node, const rk_param *p, void *const *buffers)
{
    const rk_id *tensor = find_operand(p->name, node->input_names, node->inputs, node->input_count);
    if (!tensor)
        tensor = find_operand(p->name, node->output_names, node->outputs, node->output_count);
    if (p->pointer)
        return tensor && *tensor != RK_NO_ID ? (uint64_t)(uintptr_t)buffers[*tensor] : 0;
    for (size_t i = 0; i < node->attr_count; i++) {
        const rk_attr *a = &node->attrs[i];
        const bool real = a->type == RK_ATTR_REAL;
        const rk_kernel_arg arg = {.tensor = RK_NO_ID,
                                   .real = real ? a->d : (double)a->i,
                                   .integer = real ? (int64_t)a->d : a->i};
        if (strcmp(a->name, p->name) == 0)
            return rk_image_scalar(p, &arg);
    }
    return 0;
}

bool rk_legacy_eval(void *user, const rk_graph *graph, const rk_node *node, void *const *buffers,
                    rk_diag *diag)
{
    const rk_legacy *legacy = user;
    const rk_kernel *kernel = rk_catalog_find(legacy->catalog, node->kernel);
    const rk_launch *launch = kernel ? rk_kernel_launch(kernel, node->launcher) : NULL;
    rk_legacy_entry *entry = NULL;
    if (launch)
        *(void **)&entry = dlsym(legacy->library,
                                 rk_arena_printf(legacy->arena, "rk__legacy_%s", launch->function));
    if (!entry)
        return rk_diag_add(
            diag, RK_ERROR, "RK-U013",
            rk_place_object(legacy->arena, graph->file, "node", node->name),
            "give the library of its source: rkconvert cc --entries -shared",
            "'%s' has no function '%s' that is neither a template, a method nor overloaded, and "
            "launches kernel '%s'",
            legacy->file, launch ? launch->function : node->launcher ? node->launcher : "?",
            node->kernel);
    uint64_t *slots = RK_NEW_ARRAY(legacy->arena, uint64_t, launch->param_count + 1);
    for (size_t i = 0; i < launch->param_count; i++)
        slots[i] = slot_of(node, &launch->params[i], buffers);
    entry(slots);
    if (!legacy->wait || legacy->wait() == 0)
        return true;
    return rk_diag_add(diag, RK_ERROR, "RK-U013",
                       rk_place_object(legacy->arena, graph->file, "node", node->name), NULL,
                       "its legacy kernel failed");
}
