#include "convert/run/cache.h"

#include "convert/clang/pch.h"

#include "convert/clang/parse.h"

#include "base/str.h"
#include "base/vec.h"

#include <clang-c/CXString.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

enum { DAYS_KEPT = 30 };

typedef struct {
    uint64_t half[2];
} key;

static void add_bytes(key *k, const void *data, size_t size)
{
    for (size_t i = 0; i < 2; i++)
        k->half[i] = rk_hash(data, size, k->half[i] + i + 1);
}

static void add_text(key *k, const char *text)
{
    add_bytes(k, text ? text : "\1", text ? strlen(text) + 1 : 2);
}

static void add_file(key *k, const char *path, rk_arena *arena)
{
    rk_bytes bytes;
    if (rk_file_read(&bytes, path, arena, rk_diag_new(arena)))
        add_bytes(k, bytes.data, bytes.size);
}

static void add_folder(key *k, const char *folder, rk_arena *arena)
{
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, folder, NULL, arena, rk_diag_new(arena)))
        return;
    for (size_t i = 0; i < count; i++) {
        const char *path = rk_path_join(arena, folder, names[i]);
        add_text(k, names[i]);
        if (rk_file_is_dir(path))
            add_folder(k, path, arena);
        else
            add_file(k, path, arena);
    }
}

/** What the toolkit is: its path, and when its main header was made. */
static void add_toolkit(key *k, const rk_convert_options *options, rk_arena *arena)
{
    const char *toolkit = rk_parse_toolkit(options, arena);
    struct stat status = {0};
    add_text(k, toolkit);
    if (toolkit)
        stat(rk_path_join(arena, toolkit, "include/cuda_runtime.h"), &status);
    const int64_t stamp[] = {(int64_t)status.st_size, (int64_t)status.st_mtime};
    add_bytes(k, stamp, sizeof stamp);
}

/**
 * All options, so that a new one counts unless it is named here: texts by what they say, and not those that no record
 * depends on or that the key has otherwise. The bytes between fields count, too; where they differ, nothing is found.
 */
static void add_options(key *k, const rk_convert_options *options)
{
    rk_convert_options rest;
    memcpy(&rest, options, sizeof rest);
    const char **const texts[] = {&rest.out_dir, &rest.kernels, &rest.dump};
    const char *const **const lists[] = {&rest.archs, &rest.allow};
    const size_t counts[] = {rest.arch_count, rest.allow_count};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        add_text(k, *texts[i]);
        *texts[i] = NULL;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (size_t n = 0; n < counts[i]; n++)
            add_text(k, (*lists[i])[n]);
        *lists[i] = NULL;
    }
    rest.inputs = rest.args = NULL;
    rest.input_count = rest.arg_count = rest.jobs = rest.megabytes = rest.seconds = 0;
    rest.output = rest.catalog = rest.cuda_path = rest.database = rest.build = NULL;
    rest.cache = rest.home = NULL;
    rest.strict = rest.edits = rest.hold_signals = false;
    rest.progress = NULL;
    rest.user = NULL;
    add_bytes(k, &rest, sizeof rest);
}

rk_cache rk_cache_open(const rk_convert_options *options, bool several, uint64_t runtime,
                       rk_arena *arena)
{
    rk_cache cache = {.folder = options->cache};
    const char *own = rk_cache_folder(arena);
    if (!options->cache && several && own)
        cache.folder = rk_path_join(arena, own, "convert");
    if (!cache.folder || strcmp(cache.folder, "none") == 0 ||
        !rk_file_mkdirs(cache.folder, rk_diag_new(arena)) || access(cache.folder, W_OK) != 0)
        return (rk_cache){0};
    rk_arena *scratch = rk_arena_new();
    key k = {0};
    CXString clang = clang_getClangVersion();
    add_text(&k, clang_getCString(clang));
    clang_disposeString(clang);
    add_file(&k, "/proc/self/exe", scratch); /* the tool's version, to the bit */
    add_folder(&k, rk_path_join(scratch, options->home, "parse"), scratch);
    add_bytes(&k, &runtime, sizeof runtime);
    add_toolkit(&k, options, scratch);
    add_options(&k, options);
    rk_arena_free(scratch);
    cache.run[0] = k.half[0];
    cache.run[1] = k.half[1];
    return cache;
}

const char *rk_cache_path(const rk_cache *cache, const rk_job *job, const rk_scan *scan,
                          rk_arena *arena)
{
    if (!cache->folder)
        return NULL;
    key k = {{cache->run[0], cache->run[1]}};
    const char *const texts[] = {job->input->path, job->input->name, job->input->stem,
                                 job->options.output};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(&k, texts[i]);
    for (size_t i = 0; i < job->options.arg_count; i++)
        add_text(&k, job->options.args[i]);
    add_bytes(&k, &job->own_headers, sizeof job->own_headers);
    add_bytes(&k, scan->hash, sizeof scan->hash);
    return rk_arena_printf(arena, "%s/%016" PRIx64 "%016" PRIx64 ".record", cache->folder,
                           k.half[0], k.half[1]);
}

const char *rk_cache_limit_path(const char *path, rk_worker_limits limits, rk_arena *arena)
{
    const size_t stem = strlen(path) - strlen(".record");
    return rk_arena_printf(arena, "%.*s-%u-%zu.record", (int)stem, path, limits.seconds,
                           limits.megabytes);
}

/** Whether the header is in a folder where the compiler would look for it. */
static bool is_there(const char *header, const rk_diagnostic *d, const rk_job *job, rk_arena *arena)
{
    static const char *const options[] = {"-I", "-isystem", "-iquote", "-idirafter"};
    RK_VEC(const char *) folders = {0};
    const char *toolkit = rk_parse_toolkit(&job->options, arena);
    *rk_push(arena, &folders) = "/usr/include";
    *rk_push(arena, &folders) = "/usr/local/include";
    *rk_push(arena, &folders) = rk_path_dir(arena, d->place.file ? d->place.file : "");
    if (toolkit)
        *rk_push(arena, &folders) = rk_path_join(arena, toolkit, "include");
    for (size_t i = 0; i < job->options.arg_count; i++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            const char *arg = job->options.args[i];
            if (!rk_str_starts(arg, options[k]))
                continue;
            arg += strlen(options[k]);
            if (*arg || i + 1 < job->options.arg_count)
                *rk_push(arena, &folders) = *arg ? arg : job->options.args[i + 1];
        }
    for (size_t i = 0; i < folders.count; i++)
        if (rk_file_exists(rk_path_join(arena, folders.items[i], header)))
            return true;
    return false;
}

/** Whether it failed for the lack of a header that has come since. */
static bool is_mended(const rk_record *record, const rk_job *job, rk_arena *arena)
{
    for (size_t i = 0; !record->ok && i < record->diagnostic_count; i++) {
        const rk_diagnostic *d = &record->diagnostics[i];
        const char *begin = strchr(d->message, '\'');
        const char *end = begin ? strchr(begin + 1, '\'') : NULL;
        if (end && strstr(end, "file not found") &&
            is_there(rk_arena_strndup(arena, begin + 1, (size_t)(end - begin - 1)), d, job, arena))
            return true;
    }
    return false;
}

bool rk_cache_read(rk_record *out, const char *path, const rk_job *job, rk_arena *arena)
{
    if (!path || !rk_record_read(out, path, arena) || is_mended(out, job, arena))
        return false;
    for (size_t i = 0; i < out->output_count; i++)
        if (out->outputs[i].there && !rk_file_exists(out->outputs[i].path))
            return false;
    utime(path, NULL);
    return true;
}

void rk_cache_prune(const rk_cache *cache, const rk_convert_options *options, rk_arena *arena)
{
    char **names;
    size_t count;
    if (!cache->folder || options->cache ||
        !rk_file_list(&names, &count, cache->folder, ".record", arena, rk_diag_new(arena)))
        return;
    const time_t oldest = time(NULL) - (time_t)DAYS_KEPT * 24 * 3600;
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        const char *path = rk_path_join(arena, cache->folder, names[i]);
        if (stat(path, &status) == 0 && status.st_mtime < oldest)
            unlink(path);
    }
}
