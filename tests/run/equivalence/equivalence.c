/*
 * A kernel three ways on random inputs: the legacy kernel on the CPU through its launching function,
 * the rKernel through the catalog, and the definition in plain C. Legacy kernel and rKernel give the
 * same bytes, on vEUs of any size, and both meet the definition.
 *
 *   equivalence [--library FILE] --kernel ID CATALOG BINDINGS DEVICES CASES
 *   equivalence CATALOG BINDINGS DEVICES CASES
 *
 * The second form only looks for kernel instances and bindings without a case. Exit: 0, 1 when
 * something differs, 2 when the test could not be made.
 */

#include "trial.h"

#include "base/file.h"

#include <string.h>

enum { SAME = 0, DIFFERENT = 1, BROKEN = 2 };

typedef struct {
    eq_world world;
    eq_cases cases;
    const char *only;   /**< kernel instance, NULL for the look at what has no case */
    bool *kernel_tried; /**< by index in the catalog */
    bool *binding_used; /**< by index in the bindings */
    rk_arena *arena;    /**< of the run */
    rk_diag *diag;
    int failures, trials;
} session;

static bool read_world(session *s, char *const *paths)
{
    char *catalog = rk_path_join(s->arena, paths[0], "catalog.json");
    s->world.catalog = rk_catalog_read(catalog, s->arena, s->diag);
    if (!s->world.catalog)
        return false;
    s->world.bindings = rk_bindings_read(paths[1], s->world.catalog, s->arena, s->diag);
    s->world.device = rk_device_read("h100", paths[2], s->arena, s->diag);
    s->kernel_tried = RK_NEW_ARRAY(s->arena, bool, s->world.catalog->kernel_count + 1);
    if (s->world.bindings)
        s->binding_used = RK_NEW_ARRAY(s->arena, bool, s->world.bindings->count + 1);
    return s->world.bindings && s->world.device &&
           eq_cases_read(&s->cases, paths[3], s->arena, s->diag);
}

/** Tries a case through one binding, or without one. Returns whether the kernel applies. */
static bool try_binding(session *s, eq_trial *trial, const rk_binding *binding)
{
    if (!eq_trial_fit(trial, binding))
        return false;
    s->trials++;
    if (binding)
        s->binding_used[binding - s->world.bindings->items] = true;
    if (s->only)
        s->failures += eq_trial_run(trial);
    return true;
}

static void try_case(session *s, const eq_group *group, const rk_kernel *kernel, const eq_case *c)
{
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    bool applies = false;
    const char *reason = "no binding";
    for (size_t b = 0; b < s->world.bindings->count || !group->op; b++) {
        const rk_binding *binding = group->op ? &s->world.bindings->items[b] : NULL;
        if (binding &&
            (strcmp(binding->kernel, kernel->id) != 0 || strcmp(binding->op, group->op) != 0))
            continue;
        eq_trial trial = {.world = &s->world,
                          .group = group,
                          .c = c,
                          .kernel = kernel,
                          .arena = arena,
                          .diag = diag};
        if (try_binding(s, &trial, binding))
            applies = true;
        else if (trial.fit.reason)
            reason = trial.fit.reason;
        if (!binding)
            break;
    }
    if (!applies) {
        printf("%s, %s: does not apply: %s\n", kernel->id, c->where, reason);
        rk_diag_print(diag, 0, stdout, false);
        s->failures++;
    }
    rk_arena_free(arena);
}

static void try_group(session *s, const eq_group *group)
{
    for (size_t k = 0; k < group->kernel_count; k++) {
        if (s->only && strcmp(s->only, group->kernels[k]) != 0)
            continue;
        const rk_kernel *kernel = rk_catalog_find(s->world.catalog, group->kernels[k]);
        if (!kernel) {
            printf("the catalog has no kernel '%s'\n", group->kernels[k]);
            s->failures++;
            continue;
        }
        s->kernel_tried[kernel - s->world.catalog->kernels] = true;
        for (size_t c = 0; c < group->case_count; c++)
            try_case(s, group, kernel, &group->cases[c]);
    }
}

static void look_for_untried(session *s)
{
    for (size_t i = 0; i < s->world.catalog->kernel_count; i++) {
        const rk_kernel *kernel = &s->world.catalog->kernels[i];
        if (s->kernel_tried[i] && kernel->outcome != RK_REFUSED_KERNEL)
            continue;
        printf("'%s' %s\n", kernel->id, s->kernel_tried[i] ? "was refused" : "has no case");
        s->failures++;
    }
    for (size_t i = 0; i < s->world.bindings->count; i++) {
        const rk_binding *b = &s->world.bindings->items[i];
        if (s->binding_used[i])
            continue;
        printf("%s %s: no case uses it\n", b->place.file, b->place.object);
        s->failures++;
    }
}

static int usage(void)
{
    fputs("usage: equivalence [--library FILE] [--kernel ID] CATALOG BINDINGS DEVICES CASES\n",
          stderr);
    return BROKEN;
}

static int run(session *s)
{
    for (size_t g = 0; g < s->cases.count; g++)
        try_group(s, &s->cases.groups[g]);
    if (!s->only)
        look_for_untried(s);
    if (s->trials == 0) {
        puts("nothing was tried");
        return BROKEN;
    }
    printf("%d trials, %d failures\n", s->trials, s->failures);
    return s->failures ? DIFFERENT : SAME;
}

int main(int argc, char **argv)
{
    session s = {.arena = rk_arena_new()};
    s.diag = rk_diag_new(s.arena);
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--kernel") == 0)
            s.only = argv[i + 1];
        else if (strcmp(argv[i], "--library") == 0)
            s.world.library = argv[i + 1];
        else
            return usage();
    }
    if (argc - i != 4)
        return usage();
    int status = BROKEN;
    if (read_world(&s, argv + i))
        status = run(&s);
    rk_diag_print(s.diag, 0, stderr, false);
    rk_arena_free(s.arena);
    return status;
}
