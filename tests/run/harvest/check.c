/*
 * check CATALOG CONFIGURATIONS UNKNOWN: compares what a program launched, as RK_RECORD keeps it, with the launches that
 * were harvested from its source.
 *
 * A harvested launch explains one that was made when nothing contradicts: the parameters and inputs that it
 * passes on as they are get the values that the kernel was given, and each of grid, block, shared bytes,
 * condition and integer arguments that can be computed from these is what it was. What depends on values that the
 * kernel is not given stays open, and is counted. Each launch must be explained, unless it may be an
 * unresolved one: of its kernel, or of UNKNOWN ones, whose kernel
 * is not known or not in the catalog.
 */
#include "rkernel_lib/catalog/catalog.h"
#include "rkernel_lib/catalog/expr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 64 };

/** A launch that was made. */
typedef struct {
    long long size[7]; /**< grid, block, shared bytes */
    char kernel[256];
    const char *args[MAX_ARGS]; /**< hexadecimal, "-" for none */
    size_t arg_count;
} made;

typedef struct {
    const rk_kernel *kernel;
    const rk_launch *launch;
    const made *made;
    rk_arena *arena;
    size_t compared, open;
} trial;

static bool argument_value(rk_value *out, const trial *t, size_t i)
{
    if (i >= t->made->arg_count || i >= t->kernel->param_count || t->made->args[i][0] == '-')
        return false;
    const uint64_t bits = strtoull(t->made->args[i], NULL, 16);
    switch (t->kernel->params[i].dtype) {
    case RK_I8:
        *out = rk_value_int((int8_t)bits);
        return true;
    case RK_I16:
        *out = rk_value_int((int16_t)bits);
        return true;
    case RK_I32:
        *out = rk_value_int((int32_t)bits);
        return true;
    case RK_U8:
    case RK_U16:
    case RK_U32:
    case RK_I64:
    case RK_U64:
    case RK_BOOL:
        *out = rk_value_int((int64_t)bits);
        return true;
    default:
        return false;
    }
}

/** rk_env.name: a name that is passed on as an argument. */
static bool name_value(void *user, rk_value *out, const char *name)
{
    const trial *t = user;
    for (size_t i = 0; i < t->launch->arg_count; i++)
        if (t->launch->args[i] && strcmp(t->launch->args[i], name) == 0 && argument_value(out, t, i))
            return true;
    return false;
}

/** 1: `text` computes to `wanted`; 0: to something else; -1: it cannot be computed. */
static int agrees(trial *t, const char *text, const rk_value *wanted)
{
    rk_diag *unheard = rk_diag_new(t->arena);
    const rk_env env = {.user = t, .name = name_value};
    const rk_expr *e = rk_expr_parse(text, rk_place_file("check"), t->arena, unheard);
    rk_value value;
    if (!e || !rk_expr_eval(&value, e, &env, unheard)) {
        t->open++;
        return -1;
    }
    t->compared++;
    if (value.is_real)
        value.i = (int64_t)value.d;
    return wanted ? value.i == wanted->i : value.i != 0;
}

static bool explains(trial *t)
{
    const rk_launch *l = t->launch;
    const char *const texts[] = {l->grid[0],  l->grid[1],  l->grid[2], l->block[0],
                                 l->block[1], l->block[2], l->shared};
    for (size_t i = 0; i < 7; i++) {
        const rk_value wanted = rk_value_int(t->made->size[i]);
        if (agrees(t, texts[i], &wanted) == 0)
            return false;
    }
    if (l->when && !l->when_partial && agrees(t, l->when, NULL) == 0)
        return false;
    for (size_t i = 0; i < l->arg_count; i++) {
        rk_value wanted;
        if (l->args[i] && !t->kernel->params[i].pointer && argument_value(&wanted, t, i) &&
            agrees(t, l->args[i], &wanted) == 0)
            return false;
    }
    return true;
}

static bool read_made(made *out, char *line)
{
    char *save, *word = strtok_r(line, " \n", &save);
    for (size_t i = 0; i < 7 && word; i++, word = strtok_r(NULL, " \n", &save))
        out->size[i] = strtoll(word, NULL, 10);
    if (!word)
        return false;
    word[strcspn(word, "<")] = '\0';
    for (char *scope = strstr(word, "::"); scope; scope = strstr(word, "::"))
        word = scope + 2;
    snprintf(out->kernel, sizeof out->kernel, "%s", word);
    for (out->arg_count = 0; out->arg_count < MAX_ARGS; out->arg_count++) {
        out->args[out->arg_count] = strtok_r(NULL, " \n", &save);
        if (!out->args[out->arg_count])
            break;
    }
    return true;
}

typedef struct {
    size_t launches, unresolved, unseen, compared, open;
} counts;

/** Whether some harvested launch explains it; counts what it took. */
static bool check_made(counts *n, const rk_catalog *catalog, const made *m, bool unknown,
                       rk_arena *arena)
{
    bool unresolved = unknown, seen = false;
    trial best = {0};
    for (size_t i = 0; i < catalog->kernel_count; i++) {
        const rk_kernel *kernel = &catalog->kernels[i];
        for (size_t k = 0; strcmp(kernel->name, m->kernel) == 0 && k < kernel->launch_count; k++) {
            trial t = {kernel, &kernel->launches[k], m, arena, 0, 0};
            seen = true;
            unresolved = unresolved || !t.launch->resolved;
            if (t.launch->resolved && explains(&t) && t.compared >= best.compared)
                best = t;
        }
    }
    n->launches++;
    n->compared += best.compared;
    n->open += best.open;
    n->unresolved += !best.launch && unresolved;
    n->unseen += !seen;
    return best.launch || unresolved || !seen;
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    const rk_catalog *catalog = rk_catalog_read(arguments[1], arena, diag);
    FILE *in = fopen(arguments[2], "r");
    static char line[1 << 16];
    counts n = {0};
    int status = catalog && in ? 0 : 2;
    while (status != 2 && fgets(line, sizeof line, in)) {
        made m = {0};
        if (!read_made(&m, line) || check_made(&n, catalog, &m, atoi(arguments[3]) > 0, arena))
            continue;
        printf("no launch of '%s' in the source is <<<%lldx%lldx%lld, %lldx%lldx%lld, %lld>>>\n",
               m.kernel, m.size[0], m.size[1], m.size[2], m.size[3], m.size[4], m.size[5],
               m.size[6]);
        status = 1;
    }
    printf("%zu launches: %zu expressions as they were, %zu open; %zu may be unresolved ones, %zu of kernels "
           "that no catalog has\n",
           n.launches, n.compared, n.open, n.unresolved, n.unseen);
    if (in)
        fclose(in);
    rk_arena_free(arena);
    return status;
}
