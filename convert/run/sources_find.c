#include "convert/run/sources_find.h"

#include "convert/clang/arguments.h"
#include "convert/run/build.h"
#include "convert/run/database.h"
#include "convert/unit/sources.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    const rk_convert_options *options;
    rk_arena *arena;
    rk_diag *diag;
    rk_database database;
    const char *told; /**< what told the database */
    RK_VEC(rk_source_input) inputs;
    RK_VEC(const char *) real; /**< of each input: its path without links */
} finder;

static const char *unique_stem(const finder *f, const char *path)
{
    const char *base = rk_path_stem(f->arena, path);
    const char *stem = base;
    for (int n = 2;; n++) {
        bool taken = false;
        for (size_t i = 0; i < f->inputs.count; i++)
            taken |= strcmp(f->inputs.items[i].stem, stem) == 0;
        if (!taken)
            return stem;
        stem = rk_arena_printf(f->arena, "%s_%d", base, n);
    }
}

/** Adds a source with its arguments: those of `entry`, or what is known of it, then the user's. */
static void add_input(finder *f, const char *path, const char *name, const rk_database_entry *entry)
{
    const char *flags = entry ? "compile_commands.json" : NULL;
    const char *real = rk_sources_real_path(path, f->arena);
    for (size_t i = 0; i < f->real.count; i++)
        if (strcmp(f->real.items[i], real) == 0)
            return;
    if (!entry && (entry = rk_database_find(&f->database, path, f->arena)))
        flags = f->told;
    const bool placed = entry != NULL;
    if (!entry && (entry = rk_makefile_find(path, f->arena)))
        flags = "Makefile";
    const size_t own = entry ? entry->arg_count : 0, users = f->options->arg_count;
    const char **args = RK_NEW_ARRAY(f->arena, const char *, own + users + 1);
    for (size_t i = 0; i < own; i++)
        args[i] = entry->args[i];
    for (size_t i = 0; i < users; i++)
        args[own + i] = f->options->args[i];
    const rk_clang_args words = rk_parse_words(args, own + users, f->arena);
    const char *stem = unique_stem(f, path);
    *rk_push(f->arena, &f->real) = real;
    *rk_push(f->arena, &f->inputs) =
        (rk_source_input){path, name, stem, words.items, words.count, flags, placed};
}

static bool is_link_to_folder(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && rk_file_is_dir(path);
}

static bool add_folder(finder *f, const char *path, const char *name)
{
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, path, NULL, f->arena, f->diag))
        return false;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        const char *below = rk_path_join(f->arena, path, names[i]);
        const char *as = rk_path_join(f->arena, name, names[i]);
        if (is_link_to_folder(below))
            continue; /* it might lead back here */
        if (rk_file_is_dir(below))
            ok &= names[i][0] == '.' || add_folder(f, below, as);
        else if (rk_str_ends(names[i], ".cu") && !rk_str_ends(names[i], ".rk.cu"))
            add_input(f, below, as, NULL);
    }
    return ok;
}

static bool add_database(finder *f, const char *path)
{
    rk_database database;
    if (!rk_database_read(&database, path, f->arena, f->diag))
        return false;
    const char *folder = rk_sources_real_path(rk_path_dir(f->arena, path), f->arena);
    const size_t length = strlen(folder);
    for (size_t i = 0; i < database.count; i++) {
        const rk_database_entry *e = &database.entries[i];
        const bool below = strncmp(e->real, folder, length) == 0 && e->real[length] == '/';
        add_input(f, e->path, below ? e->real + length + 1 : rk_path_base(e->path), e);
    }
    return true;
}

/** Reads what the options name: a compilation database, or a build's dry run in the first folder. */
static bool read_flags(finder *f)
{
    const rk_convert_options *o = f->options;
    f->told = o->build ? o->build : "compile_commands.json";
    if (!o->build)
        return !o->database ||
               rk_database_read(&f->database,
                                rk_path_join(f->arena, o->database, "compile_commands.json"),
                                f->arena, f->diag);
    const char *folder = ".";
    for (size_t i = o->input_count; i-- > 0;)
        if (rk_file_is_dir(o->inputs[i]))
            folder = o->inputs[i];
    return rk_build_read(&f->database, o->build, folder, f->arena, f->diag);
}

bool rk_sources_inputs(rk_source_inputs *out, const rk_convert_options *options, rk_arena *arena,
                       rk_diag *diag)
{
    finder f = {.options = options, .arena = arena, .diag = diag};
    bool ok = read_flags(&f);
    for (size_t i = 0; ok && i < options->input_count; i++) {
        const char *path = options->inputs[i];
        if (rk_file_is_dir(path))
            ok &= add_folder(&f, path, "");
        else if (rk_str_ends(path, ".json"))
            ok &= add_database(&f, path);
        else
            add_input(&f, path, path[0] == '/' ? rk_path_base(path) : path, NULL);
    }
    *out = (rk_source_inputs){f.inputs.items, f.inputs.count};
    if (ok && f.inputs.count == 0)
        return rk_diag_add(diag, RK_ERROR, "RK-V006", rk_place_file(options->inputs[0]),
                           "name a folder that holds .cu files", "there is no .cu file to convert");
    return ok;
}

/* Headers of the tree. */

/** A header: its path, and the same from its last component on, which orders the list. */
typedef struct {
    const char *path, *base;
} header;

struct rk_tree {
    rk_arena *arena;
    RK_VEC(header) headers; /**< ordered by base, then by path */
};

static bool is_header(const char *name)
{
    static const char *const ends[] = {".h",   ".hpp", ".cuh", ".hh",  ".hxx", ".inl",
                                       ".inc", ".cu",  ".ipp", ".tcc", ".tpp", ".cui"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (rk_str_ends(name, ends[i]))
            return true;
    return false;
}

static void add_headers(rk_tree *tree, const char *folder)
{
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, folder, NULL, tree->arena, rk_diag_new(tree->arena)))
        return;
    for (size_t i = 0; i < count; i++) {
        const char *path = rk_path_join(tree->arena, folder, names[i]);
        if (names[i][0] == '.' || is_link_to_folder(path))
            continue;
        if (rk_file_is_dir(path))
            add_headers(tree, path);
        else if (is_header(names[i]))
            *rk_push(tree->arena, &tree->headers) = (header){path, rk_path_base(path)};
    }
}

static int by_base(const void *a, const void *b)
{
    const header *x = a, *y = b;
    const int order = strcmp(x->base, y->base);
    return order ? order : strcmp(x->path, y->path);
}

rk_tree *rk_tree_open(const rk_convert_options *options, rk_arena *arena)
{
    rk_tree *tree = NULL;
    for (size_t i = 0; i < options->input_count; i++) {
        if (!rk_file_is_dir(options->inputs[i]))
            continue;
        if (!tree)
            tree = RK_NEW(arena, rk_tree);
        tree->arena = arena;
        add_headers(tree, options->inputs[i]);
    }
    if (tree && tree->headers.count)
        qsort(tree->headers.items, tree->headers.count, sizeof *tree->headers.items, by_base);
    return tree;
}

/** How many leading components two paths share. */
static size_t shared_components(const char *a, const char *b)
{
    size_t shared = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        shared += a[i] == '/';
    return shared;
}

const char *rk_tree_folder(const rk_tree *tree, const char *operand, const char *from,
                           rk_arena *arena)
{
    if (operand[0] == '.' || operand[0] == '/')
        return NULL;
    const char *base = rk_path_base(operand), *end = rk_arena_printf(arena, "/%s", operand);
    size_t low = 0, high = tree->headers.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(tree->headers.items[middle].base, base) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const char *best = NULL;
    size_t nearest = 0;
    for (; low < tree->headers.count && strcmp(tree->headers.items[low].base, base) == 0; low++) {
        const char *path = tree->headers.items[low].path;
        const size_t shared = shared_components(path, from);
        if (!rk_str_ends(path, end) || (best && shared <= nearest))
            continue;
        best = path;
        nearest = shared;
    }
    return best ? rk_arena_strndup(arena, best, strlen(best) - strlen(end)) : NULL;
}
