#include "base/file.h"

#include "base/str.h"
#include "base/temporary.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

/* What was read. */

/** Whether an absolute path is `folder` or lies in it, by their names alone. */
static bool is_in(const char *path, const char *folder)
{
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static struct {
    pthread_mutex_t lock;
    bool wanted;
    char **items; /**< absolute paths, links followed in all or in all but the last part */
    size_t count, capacity;
} noted = {.lock = PTHREAD_MUTEX_INITIALIZER};

void rk_file_note_reads(void)
{
    noted.wanted = true;
}

/** Adds `folder/name`. Out of memory ends the process: an input that is not known could be removed. */
static void note(const char *folder, const char *name)
{
    char *path;
    if (noted.count == noted.capacity) {
        noted.capacity = noted.capacity ? 2 * noted.capacity : 64;
        noted.items = realloc(noted.items, noted.capacity * sizeof *noted.items);
    }
    if (!noted.items || asprintf(&path, "%s%s%s", folder, *name ? "/" : "", name) < 0)
        rk_out_of_memory();
    noted.items[noted.count++] = path;
}

static void note_read(const char *path)
{
    char real[PATH_MAX], folder[PATH_MAX];
    if (!noted.wanted)
        return;
    const char *base = rk_path_base(path);
    const int length = (int)(base - path);
    char *above = NULL;
    pthread_mutex_lock(&noted.lock);
    if (realpath(path, real))
        note(real, "");
    if (asprintf(&above, "%.*s", length ? length : 1, length ? path : ".") >= 0 &&
        realpath(above, folder))
        note(folder, base);
    free(above);
    pthread_mutex_unlock(&noted.lock);
}

const char *rk_file_read_in(const char *folder)
{
    char real[PATH_MAX];
    const char *found = NULL;
    if (!realpath(folder, real))
        return NULL;
    pthread_mutex_lock(&noted.lock);
    for (size_t i = 0; i < noted.count && !found; i++)
        found = is_in(noted.items[i], real) ? noted.items[i] : NULL;
    pthread_mutex_unlock(&noted.lock);
    return found;
}

static struct {
    char **items; /**< absolute, links followed */
    size_t count;
} protected;

void rk_file_protect(const char *path)
{
    char *real = path ? realpath(path, NULL) : NULL;
    if (!real)
        return;
    protected.items = realloc(protected.items, (protected.count + 1) * sizeof *protected.items);
    if (!protected.items)
        rk_out_of_memory();
    protected.items[protected.count++] = real;
}

bool rk_file_is_protected(const char *path)
{
    for (size_t i = 0; i < protected.count; i++)
        if (strcmp(protected.items[i], path) == 0)
            return true;
    return false;
}

/* Reading. */

/** Bytes that are taken of what is no regular file and may have no end. */
enum { MOST_STREAMED = 1 << 28 };

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
    const bool regular = S_ISREG(info.st_mode);
    if (regular && info.st_size > 0) {
        text.capacity = (size_t)info.st_size + 1;
        text.text = rk_arena_alloc(arena, text.capacity);
    }
    char chunk[65536];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0 &&
           (regular || text.length < MOST_STREAMED))
        rk_str_addn(&text, chunk, n);
    const bool endless = n > 0;
    int failed = ferror(file);
    fclose(file);
    note_read(path);
    if (endless)
        return rk_diag_add(diag, RK_ERROR, "RK-F002", rk_place_file(path), "name a file",
                           "it is a stream that does not end within %d MB", MOST_STREAMED >> 20);
    if (failed)
        return rk_diag_add(diag, RK_ERROR, "RK-F002", rk_place_file(path), NULL,
                           "cannot read the file to its end");
    rk_str_addn(&text, "", 0);
    *out = (rk_bytes){.data = text.text, .size = text.length};
    return true;
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

bool rk_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool rk_file_is_dir(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool rk_file_is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool rk_file_remove_all(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return errno == ENOENT;
    if (!S_ISDIR(info.st_mode))
        return unlink(path) == 0 || errno == ENOENT;
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT;
    bool good = true;
    for (struct dirent *e; good && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        char *child;
        good = asprintf(&child, "%s/%s", path, e->d_name) >= 0;
        if (!good)
            break;
        good = rk_file_remove_all(child);
        free(child);
    }
    closedir(dir);
    return good && (rmdir(path) == 0 || errno == ENOENT);
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

bool rk_path_is_inner(const char *name)
{
    if (!*name || *name == '/')
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strcmp(part, "..") == 0 || strncmp(part, "../", 3) == 0)
            return false;
    }
    return true;
}

char *rk_file_named(const char *folder, const char *name, rk_place place, const char *hint,
                    rk_arena *arena, rk_diag *diag)
{
    hint = hint ? hint : "put the file into the folder of the one that names it";
    char real[PATH_MAX], real_folder[PATH_MAX];
    struct stat info;
    if (!rk_path_is_inner(name)) {
        rk_diag_add(diag, RK_ERROR, "RK-F006", place, hint,
                    "the file name '%s' is not relative, or has a '..'", name);
        return NULL;
    }
    char *path = rk_path_join(arena, folder, name);
    if (!realpath(path, real) || !realpath(*folder ? folder : ".", real_folder))
        return path;
    if (!is_in(real, real_folder))
        rk_diag_add(diag, RK_ERROR, "RK-F006", place, hint,
                    "the file '%s' is a link that leaves the folder, to '%s'", name, real);
    else if (stat(real, &info) == 0 && !S_ISREG(info.st_mode))
        rk_diag_add(diag, RK_ERROR, "RK-F006", place, hint, "'%s' is no regular file", name);
    else
        return path;
    return NULL;
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
