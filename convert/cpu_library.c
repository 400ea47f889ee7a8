#include "convert/cpu_library.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    const char *source;
    const char *library; /**< relative to the folder */
    const char *partial; /**< what the compiler writes */
    const char *log;     /**< its messages */
    pid_t pid;           /**< 0 when it does not run */
    bool failed;
} job;

struct rk_cpu_jobs {
    const rk_convert_options *options;
    const char *folder;
    rk_arena *arena;
    rk_diag *diag;
    RK_VEC(const char *) command; /**< the compiler and its flags */
    uint64_t hash;                /**< of the command and of the runtime's headers */
    RK_VEC(job) jobs;
    size_t running, limit;
};

static void add_words(rk_cpu_jobs *jobs, const char *text)
{
    while (text && *text) {
        const size_t length = strcspn(text, " ");
        if (length)
            *rk_push(jobs->arena, &jobs->command) = rk_arena_strndup(jobs->arena, text, length);
        text += length + (text[length] == ' ');
    }
}

/** Adds the runtime's headers to the hash: a new runtime needs new libraries. */
static uint64_t hash_folder(rk_cpu_jobs *jobs, const char *folder, uint64_t hash)
{
    rk_diag *unheard = rk_diag_new(jobs->arena);
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, folder, NULL, jobs->arena, unheard))
        return hash;
    for (size_t i = 0; i < count; i++) {
        const char *path = rk_path_join(jobs->arena, folder, names[i]);
        rk_bytes bytes;
        hash = rk_hash(names[i], strlen(names[i]), hash);
        if (rk_file_is_dir(path))
            hash = hash_folder(jobs, path, hash);
        else if (rk_file_read(&bytes, path, jobs->arena, unheard))
            hash = rk_hash(bytes.data, bytes.size, hash);
    }
    return hash;
}

rk_cpu_jobs *rk_cpu_jobs_new(const rk_convert_options *options, const char *folder, rk_arena *arena,
                             rk_diag *diag)
{
    static const char *const flags[] = {"-x",    "c++",     "-std=c++17",        "-O2",
                                        "-fPIC", "-shared", "-ffp-contract=off", "-fno-fast-math",
                                        "-w"};
    rk_cpu_jobs *jobs = RK_NEW(arena, rk_cpu_jobs);
    jobs->options = options;
    jobs->folder = folder;
    jobs->arena = arena;
    jobs->diag = diag;
    const char *compiler = getenv("CXX");
    add_words(jobs, compiler && *compiler ? compiler : "c++");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *rk_push(arena, &jobs->command) = flags[i];
    add_words(jobs, getenv("CXXFLAGS"));
    for (size_t i = 0; i < jobs->command.count; i++)
        jobs->hash =
            rk_hash(jobs->command.items[i], strlen(jobs->command.items[i]) + 1, jobs->hash);
    const char *include = rk_path_join(arena, options->home, "include");
    jobs->hash = hash_folder(jobs, include, jobs->hash);
    *rk_push(arena, &jobs->command) = "-I";
    *rk_push(arena, &jobs->command) = include;
    *rk_push(arena, &jobs->command) = "-I";
    *rk_push(arena, &jobs->command) = rk_path_join(arena, include, "rk/shim");
    /* Reports name a kernel's place; where the folder happens to be is no part of that. */
    *rk_push(arena, &jobs->command) = rk_arena_printf(arena, "-ffile-prefix-map=%s/=", folder);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    jobs->limit = processors > 1 ? (size_t)processors : 1;
    return jobs;
}

/** The compiler's first error, without the folder. */
static const char *first_error(const rk_cpu_jobs *jobs, const char *log)
{
    rk_bytes bytes;
    if (!rk_file_read(&bytes, log, jobs->arena, rk_diag_new(jobs->arena)))
        return "the compiler could not be run";
    const char *mark = strstr(bytes.data, "rror: ");
    if (!mark)
        return bytes.size ? rk_arena_strndup(jobs->arena, bytes.data, strcspn(bytes.data, "\n"))
                          : "the compiler failed without a message";
    const size_t begin = rk_line_begin(bytes.data, (size_t)(mark - bytes.data));
    const char *line =
        rk_arena_strndup(jobs->arena, bytes.data + begin, strcspn(bytes.data + begin, "\n"));
    const size_t folder = strlen(jobs->folder);
    return strncmp(line, jobs->folder, folder) == 0 && line[folder] == '/' ? line + folder + 1
                                                                           : line;
}

static void finish(rk_cpu_jobs *jobs, job *j, int status)
{
    const char *final = rk_path_join(jobs->arena, jobs->folder, j->library);
    j->pid = 0;
    jobs->running--;
    j->failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0 || rename(j->partial, final) != 0;
    if (j->failed) {
        unlink(j->partial);
        rk_diag_add(jobs->diag, RK_WARNING, "RK-V204",
                    rk_place_file(rk_path_join(jobs->arena, jobs->folder, j->source)),
                    "its kernels run on the GPU only; the CPU runtime lacks what they use",
                    "no CPU library: %s", first_error(jobs, j->log));
    }
    unlink(j->log);
}

static void wait_one(rk_cpu_jobs *jobs)
{
    int status;
    const pid_t pid = waitpid(-1, &status, 0);
    for (size_t i = 0; i < jobs->jobs.count; i++)
        if (pid > 0 && jobs->jobs.items[i].pid == pid)
            finish(jobs, &jobs->jobs.items[i], status);
}

/** Runs the compiler, its messages going to the job's log. */
static pid_t run(const rk_cpu_jobs *jobs, const job *j, const char *source)
{
    const size_t count = jobs->command.count;
    const char **argv = RK_NEW_ARRAY(jobs->arena, const char *, count + 4);
    memcpy(argv, jobs->command.items, count * sizeof *argv);
    argv[count] = "-o";
    argv[count + 1] = j->partial;
    argv[count + 2] = source;
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    const int log = open(j->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
    }
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    fprintf(stderr, "error: cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

size_t rk_cpu_jobs_start(rk_cpu_jobs *jobs, const char *source, const rk_bytes *texts,
                         size_t text_count)
{
    rk_arena *arena = jobs->arena;
    uint64_t hash = rk_hash(source, strlen(source), jobs->hash);
    for (size_t i = 0; i < text_count; i++)
        hash = rk_hash(texts[i].data, texts[i].size, hash);
    const size_t index = jobs->jobs.count;
    *rk_push(arena, &jobs->jobs) =
        (job){.source = source, .library = rk_arena_printf(arena, "cpu/%016" PRIx64 ".so", hash)};
    job *j = &jobs->jobs.items[index];
    const char *final = rk_path_join(arena, jobs->folder, j->library);
    if (rk_file_exists(final))
        return index;
    if (!rk_file_mkdirs(rk_path_join(arena, jobs->folder, "cpu"), jobs->diag)) {
        j->failed = true;
        return index;
    }
    j->partial = rk_arena_printf(arena, "%s.%jd", final, (intmax_t)getpid());
    j->log = rk_arena_printf(arena, "%s.log", j->partial);
    while (jobs->running >= jobs->limit)
        wait_one(jobs);
    fflush(NULL);
    j->pid = run(jobs, j, rk_path_join(arena, jobs->folder, source));
    jobs->running += j->pid > 0;
    j->failed = j->pid < 0;
    return index;
}

void rk_cpu_jobs_wait(rk_cpu_jobs *jobs)
{
    while (jobs->running)
        wait_one(jobs);
}

const char *rk_cpu_jobs_library(const rk_cpu_jobs *jobs, size_t index)
{
    return jobs->jobs.items[index].failed ? NULL : jobs->jobs.items[index].library;
}
