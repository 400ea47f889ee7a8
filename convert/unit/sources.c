#include "convert/unit/sources.h"

#include "base/clock.h"
#include "convert/unit/collectives.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool rk_sources_is_system(const char *path, rk_arena *arena)
{
    static const char *const roots[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/"};
    char buffer[PATH_MAX];
    const char *real = realpath(path, buffer) ? buffer : path;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (rk_str_starts(real, roots[i]))
            return true;
    /* The toolkit, however the project names it: its folder, or one above, holds CUDA's own header. */
    const char *folder = real, *below;
    do {
        below = folder;
        folder = rk_path_dir(arena, below);
        if (rk_file_exists(rk_path_join(arena, folder, "cuda_runtime_api.h")))
            return true;
    } while (strlen(folder) > 1 && strcmp(folder, below) != 0);
    return false;
}

/** The file in the folders of the option -I or -iquote, which the compiler searches first. */
static char *search_folders(const rk_unit *unit, const char *name, const char *option)
{
    const rk_convert_options *options = unit->options;
    for (size_t i = 0; i < options->arg_count; i++) {
        if (!rk_str_starts(options->args[i], option))
            continue;
        const char *folder = options->args[i] + strlen(option);
        if (!*folder && i + 1 < options->arg_count)
            folder = options->args[i + 1];
        char *path = *folder ? rk_path_join(unit->arena, folder, name) : NULL;
        if (path && rk_file_exists(path) && !rk_file_is_dir(path))
            return path;
    }
    return NULL;
}

/** The project header that an include's operand names, NULL if it is none. */
static char *resolve(const rk_unit *unit, const char *from, const char *operand)
{
    const bool quoted = operand[0] == '"';
    if (!quoted && operand[0] != '<')
        return NULL;
    const char *end = strchr(operand + 1, quoted ? '"' : '>');
    if (!end)
        return NULL;
    const char *name = rk_arena_strndup(unit->arena, operand + 1, (size_t)(end - operand - 1));
    char *path = NULL;
    if (quoted) {
        path = rk_path_join(unit->arena, rk_path_dir(unit->arena, from), name);
        if (!rk_file_exists(path) || rk_file_is_dir(path))
            path = NULL;
    }
    if (path && rk_str_starts(path, rk_collectives_folder(unit)))
        return path; /* wherever we are installed */
    if (!path && quoted)
        path = search_folders(unit, name, "-iquote");
    if (!path)
        path = search_folders(unit, name, "-I");
    return path && !rk_sources_is_system(path, unit->arena) &&
                   !rk_collectives_is_library(path, name, unit->arena)
               ? path
               : NULL;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static rk_source_file *new_file(rk_unit *unit, const char *path, rk_bytes bytes)
{
    rk_source_file *file = RK_NEW(unit->arena, rk_source_file);
    file->path = rk_arena_strdup(unit->arena, path);
    struct stat status;
    if (stat(path, &status) == 0) {
        file->device = (uint64_t)status.st_dev;
        file->inode = (uint64_t)status.st_ino;
    }
    file->bytes = bytes;
    if (bytes.size >= 3 && memcmp(bytes.data, "\xef\xbb\xbf", 3) == 0) {
        /* A byte order mark may be at the start alone, where text of ours comes. */
        file->bytes = (rk_bytes){bytes.data + 3, bytes.size - 3};
        file->expanded = true;
    }
    for (size_t i = 0; i < unit->before.count; i++) {
        const rk_source_file *before = unit->before.items[i];
        if (!before->expanded || !same_file(before->path, path))
            continue;
        file->bytes = before->bytes;
        file->expanded = true;
    }
    file->tokens = rk_lex(file->bytes.data, file->bytes.size, unit->arena);
    file->edits.arena = unit->arena;
    *rk_push(unit->arena, &unit->files) = file;
    return file;
}

/** Whether the limits leave room for one more file of that size. */
static bool may_read(const rk_unit *unit, size_t size)
{
    enum {
        EACH = 1 + 2 * sizeof(rk_token)
    }; /* a byte, and a token of dense text in a vector that has grown */
    rk_read_limits *limits = unit->limits;
    if (!limits)
        return true;
    if (rk_seconds() > limits->deadline)
        limits->end = RK_READ_LATE;
    else if (size > SIZE_MAX / 2 / EACH ||
             rk_arena_size(unit->arena) + size * EACH > limits->memory)
        limits->end = RK_READ_LARGE;
    return limits->end == RK_READ_ALL;
}

/** The file's index, reading it if it is new; RK_NONE when it cannot be read. */
static size_t file_index(rk_unit *unit, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || S_ISDIR(status.st_mode))
        return RK_NONE;
    if (!S_ISREG(status.st_mode)) { /* which the compiler would read for ever */
        rk_diag_add(unit->diag, RK_ERROR, "RK-F002", rk_place_file(path), "include a file",
                    "cannot read the file: it is a device or a pipe");
        return RK_NONE;
    }
    for (size_t i = 0; i < unit->files.count; i++)
        if (unit->files.items[i]->device == (uint64_t)status.st_dev &&
            unit->files.items[i]->inode == (uint64_t)status.st_ino)
            return i;
    rk_bytes bytes;
    if (!may_read(unit, (size_t)status.st_size) ||
        !rk_file_read(&bytes, path, unit->arena, unit->diag))
        return RK_NONE;
    new_file(unit, path, bytes);
    return unit->files.count - 1;
}

/** Depth of braces, which every branch of a conditional starts with anew. */
typedef struct {
    int depth;
    RK_VEC(int) open; /**< depth at each #if that is open */
} braces;

static void braces_directive(braces *b, const char *name, rk_arena *arena)
{
    if (rk_str_starts(name, "if")) {
        *rk_push(arena, &b->open) = b->depth;
    } else if (strcmp(name, "endif") == 0) {
        if (b->open.count)
            b->open.count--;
    } else if (rk_str_starts(name, "el") && b->open.count) {
        b->depth = b->open.items[b->open.count - 1];
    }
}

static void find_includes(rk_unit *unit, size_t index)
{
    rk_source_file *file = unit->files.items[index];
    braces b = {0};
    for (size_t i = 0; i < file->tokens.count; i++) {
        b.depth += rk_token_is(&file->tokens, i, "{") - rk_token_is(&file->tokens, i, "}");
        if (file->tokens.items[i].kind != RK_TOKEN_DIRECTIVE)
            continue;
        const rk_directive d = rk_directive_of(&file->tokens, i, unit->arena);
        braces_directive(&b, d.name, unit->arena);
        if (strcmp(d.name, "include") != 0)
            continue;
        const char *path = resolve(unit, file->path, d.rest);
        const size_t target = path ? file_index(unit, path) : RK_NONE;
        *rk_push(unit->arena, &file->includes) = (rk_include){i, target, b.depth > 0};
        if (target != RK_NONE && b.depth > 0)
            unit->files.items[target]->nested = true;
    }
}

/** What a nested file includes is nested, too. */
static void spread_nested(rk_unit *unit)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->files.count; i++) {
            const rk_source_file *file = unit->files.items[i];
            for (size_t k = 0; file->nested && k < file->includes.count; k++) {
                const size_t target = file->includes.items[k].target;
                if (target == RK_NONE || unit->files.items[target]->nested)
                    continue;
                unit->files.items[target]->nested = changed = true;
            }
        }
    }
}

static bool read_files(rk_unit *unit)
{
    rk_bytes bytes;
    struct stat status;
    const bool there = stat(unit->path, &status) == 0;
    if (!may_read(unit, there && S_ISREG(status.st_mode) ? (size_t)status.st_size : 0) ||
        !rk_file_read(&bytes, unit->path, unit->arena, unit->diag))
        return false;
    new_file(unit, unit->path, bytes);
    const size_t errors = rk_diag_count_of(unit->diag, RK_ERROR);
    for (size_t i = 0; i < unit->files.count; i++)
        find_includes(unit, i);
    spread_nested(unit);
    return rk_diag_count_of(unit->diag, RK_ERROR) == errors && /* a header that is there was read */
           (!unit->limits || unit->limits->end == RK_READ_ALL);
}

bool rk_sources_read(rk_unit *unit)
{
    if (!read_files(unit))
        return false;
    if (!rk_collectives_stand_in(unit))
        return true;
    rk_sources_forget(unit);
    return read_files(unit);
}

size_t rk_sources_find(const rk_unit *unit, CXFile file)
{
    CXFileUniqueID id;
    if (!file || clang_getFileUniqueID(file, &id) != 0)
        return RK_NONE;
    for (size_t i = 0; i < unit->files.count; i++) {
        const rk_source_file *known = unit->files.items[i];
        if (known->device == (uint64_t)id.data[0] && known->inode == (uint64_t)id.data[1])
            return i;
    }
    return RK_NONE;
}

bool rk_sources_ours(const rk_unit *unit, CXCursor cursor, rk_last_file *last)
{
    CXFile file;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    if (file != last->file)
        *last = (rk_last_file){file, rk_sources_find(unit, file) != RK_NONE};
    return last->ours;
}

/** Lists every object-like macro of the project's files, each name's first definition first. */
static void list_macros(rk_unit *unit)
{
    unit->macros_listed = true;
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_source_file *file = unit->files.items[f];
        for (size_t i = 0; i < file->tokens.count; i++) {
            if (file->tokens.items[i].kind != RK_TOKEN_DIRECTIVE)
                continue;
            const rk_directive d = rk_directive_of(&file->tokens, i, unit->arena);
            const size_t length = strcspn(d.rest, " \t(");
            if (strcmp(d.name, "define") == 0 && d.rest[length] != '(' && d.rest[length] != '\0')
                *rk_push(unit->arena, &unit->macros) =
                    (rk_macro){rk_arena_strndup(unit->arena, d.rest, length),
                               d.rest + length + strspn(d.rest + length, " \t")};
        }
    }
}

const char *rk_sources_real_path(const char *path, rk_arena *arena)
{
    char real[PATH_MAX];
    return rk_arena_strdup(arena, realpath(path, real) ? real : path);
}

static bool is_taken(const rk_output_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i].name, name) == 0)
            return true;
    return false;
}

const char *rk_sources_output_name(rk_output_names *names, const char *base, const char *path,
                                   rk_arena *arena)
{
    const char *real = rk_sources_real_path(path, arena);
    const char *name = base;
    size_t wanted = 0; /* the base, by other files */
    for (size_t i = 0; i < names->count; i++) {
        const rk_output_name *n = &names->items[i];
        if (strcmp(n->base, base) != 0)
            continue;
        if (strcmp(n->path, real) == 0)
            return n->name;
        wanted++;
    }
    while (wanted ? is_taken(names, name = rk_arena_printf(arena, "%zu.%s", wanted + 1, base))
                  : is_taken(names, name))
        wanted++;
    *rk_push(arena, names) =
        (rk_output_name){rk_arena_strdup(arena, name), real, rk_arena_strdup(arena, base)};
    return name;
}

const char *rk_sources_macro(rk_unit *unit, const char *name)
{
    if (!unit->macros_listed)
        list_macros(unit);
    for (size_t i = 0; i < unit->macros.count; i++)
        if (strcmp(unit->macros.items[i].name, name) == 0)
            return unit->macros.items[i].text;
    return NULL;
}

rk_place rk_sources_place(const rk_unit *unit, size_t file, size_t offset)
{
    if (file == RK_NONE)
        return rk_place_file(unit->path);
    const rk_source_file *source = unit->files.items[file];
    int line = 1;
    for (size_t i = 0; i < offset && i < source->bytes.size; i++)
        line += source->bytes.data[i] == '\n';
    const size_t begin = rk_line_begin(source->bytes.data, offset);
    return (rk_place){source->path, line, (int)(offset - begin) + 1, NULL};
}

void rk_sources_forget(rk_unit *unit)
{
    unit->before = unit->files;
    memset((char *)unit + offsetof(rk_unit, files), 0, sizeof *unit - offsetof(rk_unit, files));
}
