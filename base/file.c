#include "base/file.h"

#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

bool rk_file_read(rk_bytes *out, const char *path, rk_arena *arena, rk_diag *diag)
{
    *out = (rk_bytes){0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return rk_diag_add(diag, RK_ERROR, errno == ENOENT ? "RK-F001" : "RK-F002",
                           rk_place_file(path), "check the path and its permissions",
                           "cannot read the file: %s", strerror(errno));
    struct stat info;
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
        fclose(file);
        return rk_diag_add(diag, RK_ERROR, "RK-F002", rk_place_file(path), "name a file",
                           "cannot read the file: it is a folder");
    }
    rk_str text = {.arena = arena};
    if (S_ISREG(info.st_mode) && info.st_size > 0) {
        text.capacity = (size_t)info.st_size + 1;
        text.text = rk_arena_alloc(arena, text.capacity);
    }
    char chunk[65536];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
        rk_str_addn(&text, chunk, n);
    int failed = ferror(file);
    fclose(file);
    if (failed)
        return rk_diag_add(diag, RK_ERROR, "RK-F002", rk_place_file(path), NULL,
                           "cannot read the file to its end");
    rk_str_addn(&text, "", 0);
    *out = (rk_bytes){.data = text.text, .size = text.length};
    return true;
}

static bool write_all(FILE *file, const void *data, size_t size)
{
    bool good = size == 0 || fwrite(data, 1, size, file) == size;
    good = fflush(file) == 0 && good;
    return fclose(file) == 0 && good;
}

bool rk_file_write(const char *path, const void *data, size_t size, rk_diag *diag)
{
    size_t length = strlen(path) + 8;
    char *temporary = malloc(length);
    if (!temporary)
        rk_out_of_memory();
    snprintf(temporary, length, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool good = file && write_all(file, data, size);
    if (good) {
        mode_t mask = umask(0);
        umask(mask);
        good = chmod(temporary, 0666 & ~mask) == 0 && rename(temporary, path) == 0;
    }
    int reason = errno;
    if (!good && descriptor >= 0)
        unlink(temporary);
    free(temporary);
    if (!good)
        rk_diag_add(diag, RK_ERROR, "RK-F003", rk_place_file(path),
                    "check that the folder exists, is writable and has room",
                    "cannot write the file: %s", strerror(reason));
    return good;
}

bool rk_file_mkdirs(const char *path, rk_diag *diag)
{
    char *partial = strdup(path);
    if (!partial)
        rk_out_of_memory();
    bool good = true;
    for (char *p = partial + 1; good; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        good = mkdir(partial, 0777) == 0 || (errno == EEXIST && rk_file_is_dir(partial));
        *p = kept;
        if (kept == '\0')
            break;
    }
    int reason = errno;
    free(partial);
    if (!good)
        rk_diag_add(diag, RK_ERROR, "RK-F004", rk_place_file(path), NULL,
                    "cannot make the folder: %s", strerror(reason));
    return good;
}

char *rk_file_temporary(const char *name, rk_arena *arena, rk_diag *diag)
{
    const char *base = getenv("TMPDIR");
    char *path = rk_arena_printf(arena, "%s/%s-XXXXXX", base && *base ? base : "/tmp", name);
    if (mkdtemp(path))
        return path;
    rk_diag_add(diag, RK_ERROR, "RK-F004", rk_place_file(base && *base ? base : "/tmp"),
                "set TMPDIR to a folder that can be written", "cannot make a folder in it: %s",
                strerror(errno));
    return NULL;
}

bool rk_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool rk_file_is_dir(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool rk_file_copy(const char *to, const char *from, rk_arena *arena, rk_diag *diag)
{
    rk_bytes bytes;
    return rk_file_read(&bytes, from, arena, diag) &&
           rk_file_write(to, bytes.data, bytes.size, diag);
}

/** Removes what `path` names; `folder` entries first. Returns false with errno set. */
static bool remove_tree(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return errno == ENOENT;
    if (!S_ISDIR(info.st_mode))
        return unlink(path) == 0;
    DIR *dir = opendir(path);
    if (!dir)
        return false;
    bool good = true;
    for (struct dirent *e; good && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        size_t length = strlen(path) + strlen(e->d_name) + 2;
        char *child = malloc(length);
        if (!child)
            rk_out_of_memory();
        snprintf(child, length, "%s/%s", path, e->d_name);
        good = remove_tree(child);
        free(child);
    }
    closedir(dir);
    return good && rmdir(path) == 0;
}

bool rk_file_remove(const char *path, rk_diag *diag)
{
    return remove_tree(path) || rk_diag_add(diag, RK_ERROR, "RK-F005", rk_place_file(path), NULL,
                                            "cannot remove it: %s", strerror(errno));
}

char *rk_path_join(rk_arena *arena, const char *dir, const char *name)
{
    if (!dir || !*dir || strcmp(dir, ".") == 0 || name[0] == '/')
        return rk_arena_strdup(arena, name);
    return rk_arena_printf(arena, "%s%s%s", dir, rk_str_ends(dir, "/") ? "" : "/", name);
}

char *rk_path_dir(rk_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return rk_arena_strdup(arena, ".");
    return rk_arena_strndup(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

const char *rk_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *rk_path_stem(rk_arena *arena, const char *path)
{
    const char *base = rk_path_base(path);
    const char *dot = strrchr(base, '.');
    return rk_arena_strndup(arena, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool rk_file_list(char ***names, size_t *count, const char *dir, const char *suffix,
                  rk_arena *arena, rk_diag *diag)
{
    *names = NULL;
    *count = 0;
    DIR *d = opendir(dir);
    if (!d)
        return rk_diag_add(diag, RK_ERROR, errno == ENOENT ? "RK-F001" : "RK-F002",
                           rk_place_file(dir), "check the path and its permissions",
                           "cannot read the folder: %s", strerror(errno));
    RK_VEC(char *) found = {0};
    for (struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (!suffix || rk_str_ends(e->d_name, suffix))
            *rk_push(arena, &found) = rk_arena_strdup(arena, e->d_name);
    }
    closedir(d);
    if (found.count)
        qsort(found.items, found.count, sizeof *found.items, by_name);
    *names = found.items;
    *count = found.count;
    return true;
}

uint64_t rk_hash(const void *data, size_t size, uint64_t seed)
{
    return XXH64(data, size, seed);
}
