#include "rkernel_lib/catalog/files.h"

#include "base/str.h"
#include "rkernel_lib/catalog/cpu_levels.h"

#include <ctype.h>
#include <string.h>

bool rk_file_names_hold(const rk_file_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0)
            return true;
    }
    return false;
}

/* Directives. */

/** The rest of a line behind `# word`, or NULL when the line is no such directive. */
static const char *directive(const char *line, const char *word)
{
    line += strspn(line, " \t");
    if (*line != '#')
        return NULL;
    line++;
    line += strspn(line, " \t");
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || isalnum((unsigned char)line[length]))
        return NULL;
    line += length;
    return line + strspn(line, " \t");
}

char *rk_directive_quoted(rk_arena *arena, const char *rest)
{
    if (*rest == '"') {
        size_t length = strcspn(rest + 1, "\"\n");
        return rest[1 + length] == '"' ? rk_arena_strndup(arena, rest + 1, length) : NULL;
    }
    size_t length = 0;
    while (isalnum((unsigned char)rest[length]) || rest[length] == '_')
        length++;
    return length ? rk_arena_strndup(arena, rest, length) : NULL;
}

void rk_find_directives(rk_file_names *names, const char *text, const char *word,
                        rk_directive_name *name_of, rk_arena *arena)
{
    while (text) {
        const char *rest = directive(text, word);
        char *name = rest ? name_of(arena, rest) : NULL;
        if (name && !rk_file_names_hold(names, name))
            *rk_push(arena, names) = name;
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
}

/* Files. */

/** The folder of the layer that has the name, which then goes on from there. */
static const char *folder_of(const rk_catalog *catalog, const char **name)
{
    for (size_t i = 0; i < catalog->mount_count; i++) {
        const rk_catalog_mount *m = &catalog->mounts[i];
        const size_t length = strlen(m->name);
        if (strncmp(*name, m->name, length) != 0 || (*name)[length] != '/')
            continue;
        *name += length + 1;
        return m->folder;
    }
    return catalog->folder;
}

const char *rk_catalog_path(const rk_catalog *catalog, const char *name, rk_arena *arena)
{
    const char *folder = folder_of(catalog, &name);
    return rk_path_join(arena, folder, name);
}

char *rk_catalog_file(const rk_catalog *catalog, const char *name, rk_arena *arena, rk_diag *diag)
{
    const char *folder = folder_of(catalog, &name);
    const rk_place place = rk_place_object(arena, folder, "file", name);
    return rk_file_named(folder, name, place, NULL, arena, diag);
}

/** `dir/name` without "." and, where something stands before it, "..": "a" and "../b/c.h" are "b/c.h". */
static char *normal_path(rk_arena *arena, const char *dir, const char *name)
{
    rk_file_names parts = {0};
    rk_str path = {.arena = arena};
    const char *all = rk_path_join(arena, dir, name);
    for (size_t length; *all; all += length + (all[length] == '/')) {
        length = strcspn(all, "/");
        const char *part = rk_arena_strndup(arena, all, length);
        const bool up = strcmp(part, "..") == 0;
        if (up && parts.count && strcmp(parts.items[parts.count - 1], "..") != 0)
            parts.count--;
        else if (length && strcmp(part, ".") != 0)
            *rk_push(arena, &parts) = part;
    }
    for (size_t i = 0; i < parts.count; i++)
        rk_str_addf(&path, "%s%s", i ? "/" : "", parts.items[i]);
    return rk_arena_strdup(arena, rk_str_text(&path));
}

bool rk_catalog_includes(rk_file_names *names, const char *file, const rk_catalog *catalog,
                         rk_arena *arena, rk_diag *diag)
{
    rk_bytes text;
    rk_file_names includes = {0};
    const char *path = rk_catalog_file(catalog, file, arena, diag);
    if (!path || !rk_file_read(&text, path, arena, diag))
        return false;
    rk_find_directives(&includes, text.data, "include", rk_directive_quoted, arena);
    const char *rest = file; /* the name in its layer, which no include leaves */
    folder_of(catalog, &rest);
    bool good = true;
    for (size_t i = 0; good && i < includes.count; i++) {
        const char *name = includes.items[i];
        if (*name != '/')
            name = rk_arena_printf(arena, "%.*s%s", (int)(rest - file), file,
                                   normal_path(arena, rk_path_dir(arena, rest), name));
        if (rk_file_names_hold(names, name) || strcmp(name, file) == 0 ||
            !rk_file_exists(rk_catalog_path(catalog, name, arena)))
            continue; /* a header of the toolkit, or of nobody */
        *rk_push(arena, names) = name;
        good = rk_catalog_includes(names, name, catalog, arena, diag);
    }
    return good;
}

rk_file_names rk_catalog_libraries(const rk_kernel *kernel, rk_arena *arena)
{
    rk_file_names all = {0};
    if (kernel->cpu_library)
        *rk_push(arena, &all) = kernel->cpu_library;
    for (unsigned i = 0; kernel->cpu_library && kernel->cpu_levels >> i; i++)
        if (kernel->cpu_levels >> i & 1)
            *rk_push(arena, &all) = rk_cpu_level_file(arena, kernel->cpu_library, i);
    return all;
}

bool rk_catalog_copy_file(const char *file, const rk_catalog *catalog, const char *to,
                          rk_arena *arena, rk_diag *diag)
{
    const char *target = rk_path_join(arena, to, file);
    const char *from = rk_catalog_file(catalog, file, arena, diag);
    return from && rk_file_mkdirs(rk_path_dir(arena, target), diag) &&
           rk_file_copy(target, from, arena, diag);
}

bool rk_catalog_copy_files(const rk_catalog *catalog, const char *to, rk_arena *arena,
                           rk_diag *diag)
{
    rk_file_names names = {0};
    bool good = rk_file_mkdirs(to, diag);
    for (size_t i = 0; good && i < catalog->kernel_count; i++) {
        const rk_kernel *kernel = &catalog->kernels[i];
        const rk_file_names libraries = rk_catalog_libraries(kernel, arena);
        for (size_t k = 0; k < libraries.count; k++)
            if (!rk_file_names_hold(&names, libraries.items[k]))
                *rk_push(arena, &names) = libraries.items[k];
        const char *text = kernel->rkernel_file;
        if (!text || rk_file_names_hold(&names, text))
            continue;
        *rk_push(arena, &names) = text;
        good = rk_catalog_includes(&names, text, catalog, arena, diag);
    }
    for (size_t i = 0; good && i < names.count; i++)
        good = rk_catalog_copy_file(names.items[i], catalog, to, arena, diag);
    return good;
}
