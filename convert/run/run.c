#include "convert/unit/convert.h"

#include "base/set.h"
#include "convert/clang/parse.h"
#include "convert/clang/pch.h"
#include "convert/clang/prelude.h"
#include "convert/rkernel/cpu_library.h"
#include "convert/run/cache.h"
#include "convert/run/catalog_join.h"
#include "convert/run/tree_dump.h"
#include "convert/run/workers.h"
#include "convert/unit/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALLEST = 4096 };

/** A source on its way. */
typedef struct {
    rk_job job;
    rk_scan scan;
    const char *record; /**< where its record is or will be */
    const char *kept;   /**< where the cache keeps it, or NULL */
    double size;        /**< what it is taken to cost: its bytes, and a little for any */
    bool cached, done;
    bool own_headers; /**< a source before it makes other texts of the headers that they share */
    rk_worker_result end;
} source;

/** A file that the run has written. */
typedef struct {
    const char *path;
    uint64_t hash;
} written;

/** A precompiled prelude, by the arguments that it is for. */
typedef struct {
    const char *args, *path; /**< NULL: it cannot be made */
} prelude;

/** A source that is not converted: whether that is a failure the others tell, which may include it. */
typedef struct {
    size_t source, file; /**< indices */
    rk_diag *diag;
} failure;

/** A run of the converter. */
typedef struct {
    const rk_convert_options *options;
    rk_arena *arena;
    rk_diag *diag;
    rk_source_inputs inputs;
    rk_tree *tree;
    rk_output_names names;
    rk_cache cache;
    rk_workers *workers;
    rk_worker_limits limits;
    uint64_t runtime;
    const char *folder; /**< of the run, removed at its end */
    RK_VEC(prelude) preludes;
    source *sources;
    size_t ended, cached;
    RK_VEC(rk_convert_file) files;
    RK_VEC(written) written;
    rk_set headers; /**< whose texts are counted */
    rk_set told;    /**< kernels and launches of headers that are in the results */
    rk_catalog_join join;
    RK_VEC(failure) failures;
    bool any, ok;
    rk_str dump;
} run;

/* Before: what each source needs. */

/** Where the whole program of a source goes, or would go; NULL for what goes by its kernels. */
static const char *program_output(const run *r, const rk_source_input *input)
{
    const rk_convert_options *o = r->options;
    if (o->output || !(o->target == RK_TARGET_CPU || o->drop_in))
        return o->output;
    const char *from = o->out_dir ? input->name : input->path;
    const char *folder = rk_path_dir(r->arena, from);
    const char *name = rk_arena_printf(r->arena, "%s%s", rk_path_stem(r->arena, from),
                                       o->target == RK_TARGET_CPU ? ".rk.cpp" : ".rk.cu");
    return rk_path_join(r->arena, o->out_dir ? rk_path_join(r->arena, o->out_dir, folder) : folder,
                        name);
}

static const char *open_prelude(run *r, const rk_convert_options *options)
{
    const rk_clang_args args = rk_parse_args(options, true, r->arena);
    rk_str all = {.arena = r->arena};
    for (size_t i = 0; i < args.count; i++)
        rk_str_addf(&all, "%s\n", args.items[i]);
    for (size_t i = 0; i < r->preludes.count; i++)
        if (strcmp(r->preludes.items[i].args, rk_str_text(&all)) == 0)
            return r->preludes.items[i].path;
    const char *path = rk_prelude_open(options, r->arena);
    *rk_push(r->arena, &r->preludes) = (prelude){rk_str_text(&all), path};
    return path;
}

/** The counts of the source and of the headers that no source before it has. */
static rk_convert_counts count_texts(run *r, const rk_scan *scan)
{
    rk_convert_counts all = scan->text;
    for (size_t i = 0; i < scan->header_count; i++) {
        const rk_scan_header *h = &scan->headers[i];
        if (!rk_set_add(&r->headers, h->real))
            continue;
        all.kernels += h->text.kernels;
        all.launches += h->text.launches;
    }
    return all;
}

/** How reading the source and its headers ended. */
static rk_worker_end prepare(run *r, size_t index)
{
    source *s = &r->sources[index];
    const rk_source_input *input = &r->inputs.items[index];
    const rk_worker_end end =
        rk_scan_source(&s->scan, input, r->options, r->limits, r->tree, &r->names, r->arena);
    s->job = (rk_job){.input = input,
                      .options = *r->options,
                      .names = &r->names,
                      .runtime = r->runtime,
                      .own_headers = s->own_headers || r->options->output || r->options->in_place,
                      .folder = rk_arena_printf(r->arena, "%s/%zu", r->folder, index)};
    s->job.options.args = s->scan.args;
    s->job.options.arg_count = s->scan.arg_count;
    s->job.options.output = r->options->in_place ? input->path : program_output(r, input);
    s->kept = s->scan.whole ? rk_cache_path(&r->cache, &s->job, &s->scan, r->arena) : NULL;
    s->record = rk_arena_printf(r->arena, "%s/%zu.record", r->folder, index);
    return end;
}

/* The work of a process. */

static void convert_source(void *user)
{
    const source *s = user;
    rk_arena *arena = rk_arena_new();
    rk_record record;
    clang_toggleCrashRecovery(0);         /* a crash is ours to tell */
    setenv("LIBCLANG_NOTHREADS", "1", 1); /* it parses on this thread's stack, which is large */
    if (rk_file_mkdirs(s->job.folder, rk_diag_new(arena)))
        setenv("TMPDIR", s->job.folder, 1); /* of compilers, which a signal may end */
    rk_job_run(&record, &s->job, arena);
    rk_diag *diag = rk_diag_new(arena);
    if (rk_record_write(&record, s->record, arena, diag))
        return;
    rk_diag_print(diag, 0, stderr, false);
    _exit(EXIT_FAILURE);
}

/** Starts the source's process, unless its record is kept. */
static void begin(run *r, size_t index)
{
    source *s = &r->sources[index];
    s->end = (rk_worker_result){.id = index, .end = prepare(r, index)};
    if (s->end.end != RK_WORKER_DONE) {
        s->done = true;
        r->ended++;
        return;
    }
    rk_arena *scratch = rk_arena_new();
    rk_record record;
    const char *limit = s->kept ? rk_cache_limit_path(s->kept, r->limits, r->arena) : NULL;
    s->cached = rk_cache_read(&record, s->kept, &s->job, scratch);
    if (!s->cached && rk_cache_read(&record, limit, &s->job, scratch)) {
        s->cached = true;
        s->kept = limit;
    }
    rk_arena_free(scratch);
    if (s->cached) {
        s->record = s->kept;
        s->done = true;
        r->cached++;
        r->ended++;
        return;
    }
    s->job.pch = open_prelude(r, &s->job.options);
    if (rk_workers_start(r->workers, index, convert_source, s))
        return;
    s->done = true;
    s->end = (rk_worker_result){.id = index, .end = RK_WORKER_CRASHED};
    r->ended++;
    rk_diag_add(r->diag, RK_ERROR, "RK-V007", rk_place_file(s->job.input->path),
                "give it fewer with -j", "no process for this file: %s", strerror(errno));
}

/* After: what becomes of a record. */

static bool same_bytes(const char *path, rk_bytes bytes, rk_arena *scratch)
{
    rk_bytes there;
    return rk_file_is_regular(path) && rk_file_read(&there, path, scratch, rk_diag_new(scratch)) &&
           there.size == bytes.size && memcmp(there.data, bytes.data, bytes.size) == 0;
}

static const written *find_written(const run *r, const char *path)
{
    for (size_t i = 0; i < r->written.count; i++)
        if (strcmp(r->written.items[i].path, path) == 0)
            return &r->written.items[i];
    return NULL;
}

/** Whether one of the outputs is there with another text, from a source before: macros made a header another. */
static bool differs(const run *r, const rk_record *record)
{
    for (size_t i = 0; i < record->output_count; i++) {
        const rk_output *o = &record->outputs[i];
        const written *there = o->there ? NULL : find_written(r, o->path);
        if (there && there->hash != rk_hash(o->bytes.data, o->bytes.size, 0))
            return true;
    }
    return false;
}

static bool write_outputs(run *r, const rk_record *record, rk_arena *scratch)
{
    for (size_t i = 0; i < record->output_count; i++) {
        const rk_output *o = &record->outputs[i];
        if (o->there || find_written(r, o->path))
            continue;
        *rk_push(r->arena, &r->written) =
            (written){rk_arena_strdup(r->arena, o->path), rk_hash(o->bytes.data, o->bytes.size, 0)};
        if (same_bytes(o->path, o->bytes, scratch))
            continue;
        const char *backup = rk_arena_printf(scratch, "%s.orig", o->path);
        if (r->options->in_place && rk_file_exists(o->path) && !rk_file_exists(backup) &&
            strcmp(o->path, record->file.path) == 0 &&
            !rk_file_copy(backup, o->path, scratch, r->diag))
            return false;
        if (!rk_file_mkdirs(rk_path_dir(scratch, o->path), r->diag) ||
            !rk_file_write(o->path, o->bytes.data, o->bytes.size, r->diag))
            return false;
    }
    return true;
}

/** Whether this is of a header, and a source before told the same. */
static bool is_told(run *r, const rk_convert_file *file, const rk_convert_range *range,
                    const char *what)
{
    if (!range->file || strcmp(range->file, file->path) == 0)
        return false;
    const char *key =
        rk_arena_printf(r->arena, "%s:%d:%d:%s", rk_sources_real_path(range->file, r->arena),
                        range->line, range->column, what);
    return !rk_set_add(&r->told, key);
}

/** Leaves out the kernels and launches of headers that are told already. */
static void tell_once(run *r, rk_convert_file *file)
{
    rk_convert_kernel *kernels = RK_NEW_ARRAY(r->arena, rk_convert_kernel, file->kernel_count + 1);
    rk_convert_launch *launches = RK_NEW_ARRAY(r->arena, rk_convert_launch, file->launch_count + 1);
    size_t kept = 0, kept_launches = 0;
    for (size_t i = 0; i < file->kernel_count; i++) {
        const rk_convert_kernel *k = &file->kernels[i];
        rk_str what = {.arena = r->arena};
        rk_str_add(&what, k->name);
        for (size_t c = 0; c < k->code_count; c++)
            rk_str_addf(&what, " %s", k->codes[c]);
        if (!is_told(r, file, &k->range, rk_str_text(&what)))
            kernels[kept++] = *k;
    }
    for (size_t i = 0; i < file->launch_count; i++)
        if (!is_told(r, file, &file->launches[i].range, file->launches[i].kernel))
            launches[kept_launches++] = file->launches[i];
    file->kernels = kernels;
    file->kernel_count = kept;
    file->launches = launches;
    file->launch_count = kept_launches;
}

/** Kernels that the text has and the parser did not see: a macro is missing. */
static void tell_lost(run *r, const source *s, const rk_record *record)
{
    const size_t in_text = s->scan.text.kernels;
    const bool program = r->options->target == RK_TARGET_CPU || r->options->drop_in ||
                         r->options->kernels || rk_tree_dump_is(r->options->dump);
    if (!record->file.parsed || !in_text || record->file.kernel_count || program)
        return;
    const char *guard = s->scan.guard;
    rk_diag_add(r->diag, RK_WARNING, "RK-V219", rk_place_file(record->file.path),
                guard ? rk_arena_printf(
                            r->arena, "they stand under a condition on '%s': give -D%s after `--`",
                            guard, guard)
                      : "give the macros of its own build after `--`, as -DGPU",
                "the text has %zu kernels, and the parser sees none", in_text);
}

static void tell_end(run *r, const source *s, rk_diag *diag)
{
    const rk_place place = rk_place_file(s->job.input->path);
    const rk_worker_result *end = &s->end;
    if (end->end == RK_WORKER_TIME)
        rk_diag_add(diag, RK_ERROR, "RK-V008", place, "give it more with --timeout",
                    "this file took more than %u seconds", r->limits.seconds);
    else if (end->end == RK_WORKER_MEMORY)
        rk_diag_add(diag, RK_ERROR, "RK-V009", place, "give it more with --memory",
                    "this file needs more than %zu MB of memory", r->limits.megabytes);
    else
        rk_diag_add(diag, RK_ERROR, "RK-V007", place,
                    "report this file to us; the others are not affected",
                    end->signal ? "the process that converted this file crashed: %s"
                                : "the process that converted this file ended itself%s",
                    end->signal ? strsignal(end->signal) : "");
}

static bool keeps_catalog(const run *r)
{
    const rk_convert_options *o = r->options;
    return !o->examine && !o->dump && o->target != RK_TARGET_CPU && !o->drop_in &&
           (o->catalog || o->out_dir);
}

static void copy_diagnostics(rk_diag *to, const rk_diagnostic *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rk_diag_add(to, from[i].severity, from[i].code, from[i].place, from[i].hint, "%s",
                    from[i].message);
}

/** Notes that a source failed; what was found of it is told in the end. */
static rk_diag *add_failure(run *r, const source *s)
{
    rk_diag *diag = rk_diag_new(r->arena);
    *rk_push(r->arena, &r->failures) = (failure){(size_t)(s - r->sources), r->files.count, diag};
    return diag;
}

/** Keeps for later runs that the source's process came to its end by a limit. A killed one may do better. */
static void keep_end(const run *r, const source *s, const rk_diag *diag, rk_arena *scratch)
{
    const rk_diagnostic *d = rk_diag_at(diag, 0);
    const rk_record record = {
        .file = {.path = s->job.input->path}, .diagnostics = d, .diagnostic_count = 1};
    if (s->kept && s->end.end != RK_WORKER_CRASHED)
        rk_record_write(&record, rk_cache_limit_path(s->kept, r->limits, scratch), scratch,
                        rk_diag_new(scratch));
}

static void take_record(run *r, source *s, const rk_record *record, rk_arena *scratch)
{
    copy_diagnostics(record->file.parsed ? r->diag : add_failure(r, s), record->diagnostics,
                     record->diagnostic_count);
    rk_convert_file *file = rk_push(r->arena, &r->files);
    *file = rk_record_keep(&record->file, r->options->edits, r->arena);
    file->flags = s->job.input->flags;
    file->text = count_texts(r, &s->scan);
    tell_lost(r, s, record);
    tell_once(r, file);
    bool ok = record->ok;
    if (ok && record->dump)
        rk_str_add(&r->dump, record->dump);
    if (ok && !write_outputs(r, record, scratch)) {
        file->output_count = 0;
        ok = false;
    }
    if (ok && record->catalog && keeps_catalog(r))
        ok = rk_catalog_join_add(&r->join, record, r->diag);
    r->any |= ok;
    r->ok &= ok || !record->file.parsed;
}

/**
 * Takes what became of a source; sources are taken in their order. False when it must be converted again, with texts
 * of its headers that are its own.
 */
static bool finish(run *r, size_t index)
{
    source *s = &r->sources[index];
    rk_arena *scratch = rk_arena_new();
    rk_record record;
    bool again = false;
    if (s->end.end == RK_WORKER_DONE && rk_record_read(&record, s->record, scratch)) {
        again = !s->job.own_headers && differs(r, &record);
        if (!again)
            take_record(r, s, &record, scratch);
    } else {
        rk_diag *diag = add_failure(r, s);
        tell_end(r, s, diag);
        keep_end(r, s, diag, scratch);
        *rk_push(r->arena, &r->files) = (rk_convert_file){.path = s->job.input->path,
                                                          .flags = s->job.input->flags,
                                                          .text = count_texts(r, &s->scan)};
    }
    if (!s->cached)
        rk_file_remove(s->record, rk_diag_new(scratch));
    rk_file_remove(s->job.folder, rk_diag_new(scratch));
    rk_arena_free(scratch);
    if (again) {
        r->ended--;
        r->cached -= s->cached;
        *s = (source){.own_headers = true};
    }
    return !again;
}

/** Keeps what a process has ended with, before those in front of it have: a run that is killed begins again from there. */
static void keep_record(const source *s)
{
    rk_arena *scratch = rk_arena_new();
    rk_record record;
    if (s->kept && s->end.end == RK_WORKER_DONE && rk_record_read(&record, s->record, scratch))
        rk_file_copy(s->kept, s->record, scratch, rk_diag_new(scratch));
    rk_arena_free(scratch);
}

/** A source that includes this one, NULL if none does. */
static const char *includer(const run *r, size_t index)
{
    const char *real = rk_sources_real_path(r->inputs.items[index].path, r->arena);
    for (size_t i = 0; i < r->inputs.count; i++)
        for (size_t k = 0; i != index && k < r->sources[i].scan.header_count; k++)
            if (strcmp(r->sources[i].scan.headers[k].real, real) == 0)
                return r->inputs.items[i].path;
    return NULL;
}

/** Tells what became of sources that are not converted. One that another includes is a part of that one. */
static void tell_failures(run *r)
{
    for (size_t i = 0; i < r->failures.count; i++) {
        const failure *f = &r->failures.items[i];
        rk_convert_file *file = &r->files.items[f->file];
        const size_t count = rk_diag_count(f->diag);
        for (size_t k = 0; k < count && !file->reason; k++)
            if (rk_diag_at(f->diag, k)->severity == RK_ERROR)
                file->reason = rk_arena_printf(r->arena, "%s [%s]", rk_diag_at(f->diag, k)->message,
                                               rk_diag_at(f->diag, k)->code);
        file->part_of = includer(r, f->source);
        if (file->part_of)
            continue;
        if (count)
            copy_diagnostics(r->diag, rk_diag_at(f->diag, 0), count);
        r->ok = false;
    }
}

/** Once a signal has come: the results that are there, in their order. */
static void finish_rest(run *r, size_t taken)
{
    for (; taken < r->inputs.count; taken++)
        if (r->sources[taken].done)
            finish(r, taken);
}

static void find_sizes(run *r)
{
    for (size_t i = 0; i < r->inputs.count; i++) {
        struct stat info;
        const bool there = stat(r->inputs.items[i].path, &info) == 0;
        r->sources[i].size = SMALLEST + (there ? (double)info.st_size : 0);
    }
}

/** The part of the work that is done: see rk_convert_options.progress. */
static double share_done(const run *r)
{
    double done = 0, all = 0;
    for (size_t i = 0; i < r->inputs.count; i++) {
        const source *s = &r->sources[i];
        all += s->cached ? 0 : s->size;
        done += s->cached || !s->job.input ? 0 : s->done ? s->size : s->size / 2;
    }
    return all > 0 ? done / all : 1;
}

static void tell(const run *r, const char *what)
{
    if (r->options->progress)
        r->options->progress(r->options->user, what, r->ended, r->inputs.count, share_done(r));
}

static void idle(void *user)
{
    tell(user, NULL);
}

static void show(const run *r, size_t index)
{
    tell(r, r->inputs.items[index].path);
}

static void convert_all(run *r)
{
    const size_t count = r->inputs.count;
    size_t next = 0, taken = 0;
    bool again = false; /* the next that is to be taken */
    while (taken < count && !rk_signals_pending()) {
        if ((again || next < count) && !rk_workers_full(r->workers)) {
            const size_t index = again ? taken : next++;
            again = false;
            show(r, index);
            begin(r, index);
        } else if (!r->sources[taken].done) {
            rk_worker_result end;
            if (!rk_workers_wait(&end, r->workers))
                break;
            r->sources[end.id].end = end;
            r->sources[end.id].done = true;
            keep_record(&r->sources[end.id]);
            r->ended++;
            show(r, end.id);
        }
        while (taken < next && r->sources[taken].done && !again) {
            again = !finish(r, taken);
            taken += !again;
        }
    }
    rk_workers_stop(r->workers);
    if (rk_signals_pending())
        finish_rest(r, taken);
    tell_failures(r);
}

/* A run. */

static void set_limits(run *r)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const rk_convert_options *o = r->options;
    r->limits.limit = o->jobs ? o->jobs : processors > 1 ? (size_t)processors : 1;
    r->limits.seconds = o->seconds ? o->seconds : 600;
    r->limits.megabytes = o->megabytes ? o->megabytes : 8192;
    r->limits.idle = idle;
    r->limits.user = r;
    r->workers = rk_workers_new(r->limits, r->arena);
}

static bool save_catalog(run *r, rk_convert_result *out)
{
    if (!keeps_catalog(r) || !r->any)
        return true;
    const rk_convert_options *o = r->options;
    out->catalog = o->catalog ? o->catalog : rk_path_join(r->arena, o->out_dir, "catalog.json");
    return rk_file_mkdirs(rk_path_dir(r->arena, out->catalog), r->diag) &&
           rk_catalog_save(&r->join.kernels, out->catalog, r->arena, r->diag);
}

/** Takes along the bindings that lie beside the sources: with the catalog they are a layer for `rammer --catalog`. */
static bool copy_bindings(run *r)
{
    const char *to = r->options->out_dir;
    bool ok = true;
    for (size_t i = 0; to && keeps_catalog(r) && i < r->inputs.count; i++) {
        const rk_source_input *input = &r->inputs.items[i];
        const char *stem = rk_path_join(r->arena, rk_path_dir(r->arena, input->path),
                                        rk_path_stem(r->arena, input->path));
        const char *from = rk_arena_printf(r->arena, "%s.bind.json", stem);
        const char *name = rk_arena_printf(r->arena, "%s.bind.json", input->stem);
        if (rk_file_is_regular(from))
            ok &= rk_file_mkdirs(to, r->diag) &&
                  rk_file_copy(rk_path_join(r->arena, to, name), from, r->arena, r->diag);
    }
    return ok;
}

static void close_run(run *r)
{
    for (size_t i = 0; i < r->preludes.count; i++)
        rk_pch_close(r->preludes.items[i].path, false);
    rk_pch_prune(r->arena);
    rk_file_remove(r->folder, r->diag);
}

bool rk_convert_run(rk_convert_result *out, const rk_convert_options *options, rk_arena *arena,
                    rk_diag *diag)
{
    run r = {.options = options, .arena = arena, .diag = diag, .ok = true};
    r.dump.arena = r.join.arena = r.headers.arena = r.told.arena = arena;
    *out = (rk_convert_result){0};
    if (!rk_cpu_library_levels_are_known(diag) ||
        !rk_sources_inputs(&r.inputs, options, arena, diag) ||
        !(r.folder = rk_file_temporary("rkconvert", arena, diag)))
        return false;
    for (size_t i = 0; i < r.inputs.count && !options->in_place; i++)
        rk_file_protect(r.inputs.items[i].path);
    rk_signals_hold();
    set_limits(&r);
    r.tree = rk_tree_open(options, arena);
    r.runtime = rk_cpu_library_hash(options, arena);
    r.cache = rk_cache_open(options, r.inputs.count > 1, r.runtime, arena);
    r.sources = RK_NEW_ARRAY(arena, source, r.inputs.count);
    find_sizes(&r);
    convert_all(&r);
    rk_catalog_join_finish(&r.join);
    if (!rk_signals_pending()) {
        r.ok &= save_catalog(&r, out) && copy_bindings(&r);
        rk_cache_prune(&r.cache, options, arena);
    }
    close_run(&r);
    if (!options->hold_signals)
        rk_signals_release();
    out->input_count = r.inputs.count;
    out->files = r.files.items;
    out->file_count = r.files.count;
    out->cached = r.cached;
    out->dump = options->dump ? rk_arena_strdup(arena, rk_str_text(&r.dump)) : NULL;
    return r.ok && rk_diag_count_of(diag, RK_ERROR) == 0;
}

int rk_convert_exit_code(const rk_convert_result *result, const rk_convert_options *options,
                         const rk_diag *diag)
{
    if (rk_diag_count_of(diag, RK_ERROR))
        return 2;
    for (size_t i = 0; i < result->file_count; i++)
        for (size_t k = 0; k < result->files[i].kernel_count; k++) {
            const rk_outcome outcome = result->files[i].kernels[k].outcome;
            if (outcome == RK_REFUSED_KERNEL || (options->strict && outcome == RK_WARNED))
                return 1;
        }
    return 0;
}
