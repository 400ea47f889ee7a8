#include "base/file.h"

#include "base/str.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of temporary files. */

/** `path`, `mark` and a random end, in a length that file systems take. */
static char *random_name(const char *path, char mark, rk_arena *arena)
{
    enum { LONGEST = 200 };
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        bits = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)path;
    const char *base = rk_path_base(path);
    return rk_arena_printf(arena, "%.*s%.*s%c%012llx", (int)(base - path), path, LONGEST, base,
                           mark, (unsigned long long)(bits >> 16));
}

static const char *temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

/** Makes a folder that this process removes at its end. NULL with errno set. */
static char *make_temporary(const char *path, char mark, mode_t mode, rk_arena *arena)
{
    char *name = random_name(path, mark, arena);
    rk_temporary_add(name);
    if (mkdir(name, mode) == 0)
        return name;
    const int reason = errno;
    rk_temporary_drop(name);
    errno = reason;
    return NULL;
}

char *rk_file_temporary(const char *name, rk_arena *arena, rk_diag *diag)
{
    const char *folder = temporary_folder();
    char *made = make_temporary(rk_path_join(arena, folder, name), '-', 0700, arena);
    if (!made)
        rk_diag_add(diag, RK_ERROR, "RK-F004", rk_place_file(folder),
                    "set TMPDIR to a folder that can be written", "cannot make a folder in it: %s",
                    strerror(errno));
    return made;
}

/* What stands on a disk even when the machine stops. */

/** Waits until a file or folder is on its disk; what cannot be waited for, a pipe for one, is good. */
static bool sync_path(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == EACCES; /* written without a right to read */
    const bool good = fsync(file) == 0 || errno == EINVAL || errno == EROFS || errno == ENOSYS;
    const int reason = errno;
    close(file);
    errno = reason;
    return good;
}

static bool sync_tree(const char *path, rk_arena *arena)
{
    char **names;
    size_t count;
    bool good = true;
    if (rk_file_is_dir(path)) {
        if (!rk_file_list(&names, &count, path, NULL, arena, rk_diag_new(arena)))
            return false;
        for (size_t i = 0; good && i < count; i++)
            good = sync_tree(rk_path_join(arena, path, names[i]), arena);
    }
    return good && sync_path(path);
}

/* Single files. */

/** The path behind links, the last of which may lead to nothing yet. NULL with errno set. */
static char *follow_links(const char *path, rk_arena *arena)
{
    char real[PATH_MAX], to[PATH_MAX];
    for (int links = 0; links < 40; links++) {
        if (realpath(path, real))
            return rk_arena_strdup(arena, real);
        if (errno != ENOENT)
            return NULL;
        const ssize_t length = readlink(path, to, sizeof to - 1);
        if (length < 0)
            return rk_arena_strdup(arena, path);
        to[length] = '\0';
        path = rk_path_join(arena, rk_path_dir(arena, path), to);
    }
    errno = ELOOP;
    return NULL;
}

/** The standard stream that the file is, which has a place of its own to go on from; -1: none. */
static int stream_of(const struct stat *file)
{
    for (int stream = 1; stream <= 2; stream++) {
        struct stat info;
        if (fstat(stream, &info) == 0 && info.st_dev == file->st_dev && info.st_ino == file->st_ino)
            return stream;
    }
    return -1;
}

static bool fail(const char *path, int reason, rk_diag *diag)
{
    return rk_diag_add(diag, RK_ERROR, "RK-F003", rk_place_file(path),
                       "check that the folder exists, is writable and has room",
                       "cannot write the file: %s", strerror(reason));
}

/** Sets where the file will stand and what is there. False with errno set. */
static bool find_place(rk_replacement *r, const char *path, rk_arena *arena)
{
    struct stat info;
    *r = (rk_replacement){.path = path, .stream = -1};
    const bool exists = stat(path, &info) == 0;
    if (!exists && errno != ENOENT)
        return false;
    if (exists && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return false;
    }
    r->stream = exists ? stream_of(&info) : -1;
    r->straight = r->stream >= 0 || (exists && !S_ISREG(info.st_mode));
    r->final = r->straight ? rk_arena_strdup(arena, path) : follow_links(path, arena);
    if (!exists || r->straight)
        return r->final != NULL;
    r->kept = true;
    r->mode = info.st_mode & 0777;
    r->user = info.st_uid;
    r->group = info.st_gid;
    return r->final && access(path, W_OK) == 0;
}

bool rk_replace_begin(rk_replacement *r, const char *path, rk_arena *arena, rk_diag *diag)
{
    if (!find_place(r, path, arena))
        return fail(path, errno, diag);
    if (r->kept && rk_file_is_protected(r->final))
        return rk_diag_add(diag, RK_ERROR, "RK-F007", rk_place_file(path), "write to another file",
                           "the output would replace an input of the command");
    const char *base = rk_path_base(path);
    r->temporary = random_name(
        r->straight ? rk_path_join(arena, temporary_folder(), base) : r->final, '.', arena);
    rk_temporary_add(r->temporary);
    return true;
}

/** Gives the temporary file the rights and the owner of the one that it replaces. */
static bool keep_rights(const rk_replacement *r)
{
    struct stat made;
    if (!r->kept)
        return true;
    if (stat(r->temporary, &made) != 0)
        return false;
    if (made.st_uid != r->user || made.st_gid != r->group)
        (void)!chown(r->temporary, r->user, r->group); /* only root may give files away */
    /* A program can be run by those who could read what it replaces. */
    const mode_t run = made.st_mode & (r->mode & 0444) >> 2;
    return chmod(r->temporary, r->mode | run) == 0;
}

static bool write_all(int file, const char *data, size_t size)
{
    while (size) {
        const ssize_t n = write(file, data, size < 1 << 30 ? size : 1 << 30);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

/** Writes to what is no file: a device, a pipe, or what standard output or error goes to. */
static bool write_straight(const rk_replacement *r, const void *data, size_t size)
{
    if (r->stream >= 0) {
        FILE *out = r->stream == 1 ? stdout : stderr;
        return fflush(out) == 0 && write_all(r->stream, data, size);
    }
    const int file = open(r->final, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    const bool written = file >= 0 && write_all(file, data, size);
    const int reason = errno;
    const bool closed = file < 0 || close(file) == 0;
    if (!written)
        errno = reason;
    return written && closed;
}

void rk_replace_abandon(rk_replacement *r)
{
    unlink(r->temporary);
    rk_temporary_drop(r->temporary);
}

/** Puts the temporary file in its place. False with errno set. */
static bool put(const rk_replacement *r, rk_arena *arena)
{
    const bool lasting = !rk_temporary_holds(r->final);
    return keep_rights(r) && (!lasting || sync_path(r->temporary)) &&
           rename(r->temporary, r->final) == 0 &&
           (!lasting || sync_path(rk_path_dir(arena, r->final)));
}

bool rk_replace_commit(rk_replacement *r, rk_arena *arena, rk_diag *diag)
{
    rk_bytes bytes;
    bool good;
    if (r->straight) {
        if (!rk_file_read(&bytes, r->temporary, arena, diag)) {
            rk_replace_abandon(r);
            return false;
        }
        good = write_straight(r, bytes.data, bytes.size);
    } else {
        good = put(r, arena);
    }
    const int reason = errno;
    rk_replace_abandon(r);
    return good || fail(r->path, reason, diag);
}

/** Makes the temporary file; one that replaces a file is at first for this user alone. */
static bool write_temporary(const rk_replacement *r, const void *data, size_t size)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    const int file = open(r->temporary, flags, r->kept ? 0600 : 0666);
    const bool written = file >= 0 && write_all(file, data, size);
    const int reason = errno;
    const bool closed = file < 0 || close(file) == 0;
    if (!written)
        errno = reason;
    return written && closed;
}

bool rk_file_write(const char *path, const void *data, size_t size, rk_diag *diag)
{
    rk_replacement r;
    rk_arena *scratch = rk_arena_new();
    bool good = rk_replace_begin(&r, path, scratch, diag);
    if (good && r.straight) {
        rk_temporary_drop(r.temporary);
        good = write_straight(&r, data, size) || fail(path, errno, diag);
    } else if (good && write_temporary(&r, data, size)) {
        good = rk_replace_commit(&r, scratch, diag);
    } else if (good) {
        const int reason = errno;
        rk_replace_abandon(&r);
        good = fail(path, reason, diag);
    }
    rk_arena_free(scratch);
    return good;
}

/* Folders. */

static bool fail_folder(const rk_folder *f, int reason, rk_diag *diag)
{
    return rk_diag_add(diag, RK_ERROR, "RK-F004", rk_place_file(f->path), NULL,
                       "cannot make the folder: %s", strerror(reason));
}

bool rk_folder_begin(rk_folder *f, const char *path, rk_arena *arena, rk_diag *diag)
{
    struct stat info;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    *f = (rk_folder){.path = rk_arena_strndup(arena, path, length)};
    f->final = follow_links(f->path, arena);
    if (!f->final)
        return fail_folder(f, errno, diag);
    const bool exists = stat(f->final, &info) == 0;
    if (exists && !S_ISDIR(info.st_mode))
        return rk_diag_add(diag, RK_ERROR, "RK-F004", rk_place_file(f->path), "name a folder",
                           "cannot make the folder: there is something else of that name");
    if (!rk_file_mkdirs(rk_path_dir(arena, f->final), diag))
        return false;
    f->temporary = make_temporary(f->final, '.', 0777, arena);
    if (f->temporary && exists)
        (void)!chmod(f->temporary, info.st_mode & 0777);
    return f->temporary || fail_folder(f, errno, diag);
}

/**
 * Exchanges the new folder and the old one; where the file system cannot, the old one goes aside first, and is
 * there under its other name if the machine stops in between.
 */
static bool exchange(const rk_folder *f, rk_arena *arena)
{
    if (rename(f->temporary, f->final) == 0 ||
        renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->final, RENAME_EXCHANGE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    const char *aside = random_name(f->final, '.', arena);
    if (rename(f->final, aside) != 0)
        return false;
    if (rename(f->temporary, f->final) == 0)
        return rk_file_remove_all(aside);
    const int reason = errno;
    rename(aside, f->final);
    errno = reason;
    return false;
}

bool rk_folder_commit(const rk_folder *f, rk_arena *arena, rk_diag *diag)
{
    const char *read = rk_file_read_in(f->final);
    bool good =
        !read || rk_diag_add(diag, RK_ERROR, "RK-F007", rk_place_file(f->path),
                             "write to another folder, or move that file",
                             "replacing the folder would remove '%s', which was read", read);
    if (good && !(sync_tree(f->temporary, arena) && exchange(f, arena) &&
                  sync_path(rk_path_dir(arena, f->final))))
        good = rk_diag_add(diag, RK_ERROR, "RK-F004", rk_place_file(f->path), NULL,
                           "cannot put the folder in its place: %s", strerror(errno));
    return rk_folder_abandon(f, diag) && good;
}

bool rk_folder_abandon(const rk_folder *f, rk_diag *diag)
{
    return rk_file_remove(f->temporary, diag); /* after the exchange: what was replaced */
}

bool rk_file_copy(const char *to, const char *from, rk_arena *arena, rk_diag *diag)
{
    rk_bytes bytes;
    return rk_file_read(&bytes, from, arena, diag) &&
           rk_file_write(to, bytes.data, bytes.size, diag);
}

bool rk_file_remove(const char *path, rk_diag *diag)
{
    const bool removed = rk_file_remove_all(path);
    const int reason = errno;
    if (removed) /* else whoever cleans up when this process has ended tries once more */
        rk_temporary_drop(path);
    return removed || rk_diag_add(diag, RK_ERROR, "RK-F005", rk_place_file(path), NULL,
                                  "cannot remove it: %s", strerror(reason));
}
