#include "convert/rkernel/cpu_library.h"

#include "convert/cc/cpu_flags.h"
#include "rkernel_lib/catalog/cpu_levels.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_words(rk_cc_words *out, const char *text, rk_arena *arena)
{
    while (text && *text) {
        const size_t length = strcspn(text, " ");
        if (length)
            *rk_push(arena, out) = rk_arena_strndup(arena, text, length);
        text += length + (text[length] == ' ');
    }
}

bool rk_cpu_library_levels_are_known(rk_diag *diag)
{
    static const char *const words[] = {"", "native", "all", "base"};
    const char *wanted = getenv("RK_CPU_LEVELS");
    for (size_t i = 0; wanted && i < sizeof words / sizeof *words; i++)
        if (strcmp(wanted, words[i]) == 0)
            return true;
    return !wanted || rk_diag_add(diag, RK_ERROR, "RK-V014", (rk_place){0},
                                  "give native, all or base, or leave it out",
                                  "RK_CPU_LEVELS is '%s'", wanted);
}

unsigned rk_cpu_library_levels(void)
{
    const char *wanted = getenv("RK_CPU_LEVELS");
    if (wanted && strcmp(wanted, "base") == 0)
        return 0;
    if (wanted && strcmp(wanted, "all") == 0)
        return rk_cpu_levels_all();
    const unsigned here = rk_cpu_levels_here();
    return here ? 1u << rk_cpu_level_best(here) : 0;
}

/** The compiler and its flags, those of a level after the others; RK_CPU_LEVELS is none. */
static rk_cc_words command(unsigned level, rk_arena *arena)
{
    static const char *const flags[] = {"-x", "c++", "-std=c++17", "-O3", "-fPIC", "-w"};
    rk_cc_words compiler = {0}, words = {0};
    const char *given = getenv("CXX");
    add_words(&compiler, given && *given ? given : "c++", arena);
    for (size_t i = 0; i < compiler.count; i++)
        *rk_push(arena, &words) = compiler.items[i];
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *rk_push(arena, &words) = flags[i];
    add_words(&words, getenv("CXXFLAGS"), arena);
    rk_cpu_flags(&words, &compiler, arena);
    if (level < RK_CPU_LEVELS) {
        *rk_push(arena, &words) = rk_arena_printf(arena, "-march=%s", rk_cpu_level_names[level]);
        *rk_push(arena, &words) = "-ffp-contract=fast";
        *rk_push(arena, &words) = "-fno-trapping-math"; /* lanes compute what a condition leaves out */
        *rk_push(arena, &words) = "-DRK_CPU_FUSED";     /* rk/cpu/cpu_math_fused.h */
    }
    return words;
}

static uint64_t hash_folder(const char *folder, uint64_t hash, rk_arena *arena)
{
    rk_diag *unheard = rk_diag_new(arena);
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, folder, NULL, arena, unheard))
        return hash;
    for (size_t i = 0; i < count; i++) {
        const char *path = rk_path_join(arena, folder, names[i]);
        rk_bytes bytes;
        hash = rk_hash(names[i], strlen(names[i]), hash);
        if (rk_file_is_dir(path))
            hash = hash_folder(path, hash, arena);
        else if (rk_file_read(&bytes, path, arena, unheard))
            hash = rk_hash(bytes.data, bytes.size, hash);
    }
    return hash;
}

uint64_t rk_cpu_library_hash(const rk_convert_options *options, rk_arena *arena)
{
    const unsigned levels = rk_cpu_library_levels();
    uint64_t hash = rk_hash(&levels, sizeof levels, 0);
    for (unsigned level = 0; level <= RK_CPU_LEVELS; level++) {
        const rk_cc_words words = command(level, arena);
        for (size_t i = 0; i < words.count; i++)
            hash = rk_hash(words.items[i], strlen(words.items[i]) + 1, hash);
    }
    rk_arena *scratch = rk_arena_new();
    hash = hash_folder(rk_path_join(arena, options->home, "include"), hash, scratch);
    rk_arena_free(scratch);
    return hash;
}

/** The compiler's first error, without the folder. */
static const char *first_error(const char *folder, const char *log, rk_arena *arena)
{
    rk_bytes bytes;
    if (!rk_file_read(&bytes, log, arena, rk_diag_new(arena)))
        return "the compiler could not be run";
    const char *mark = strstr(bytes.data, "rror: ");
    if (!mark)
        return bytes.size ? rk_arena_strndup(arena, bytes.data, strcspn(bytes.data, "\n"))
                          : "the compiler failed without a message";
    const size_t begin = rk_line_begin(bytes.data, (size_t)(mark - bytes.data));
    const char *line =
        rk_arena_strndup(arena, bytes.data + begin, strcspn(bytes.data + begin, "\n"));
    const size_t length = strlen(folder);
    return strncmp(line, folder, length) == 0 && line[length] == '/' ? line + length + 1 : line;
}

/** Runs the compiler in the folder, its messages going to `log`; whether that went well. */
static bool run(rk_cc_words *words, const char *folder, const char *log, rk_arena *arena)
{
    *rk_push(arena, words) = NULL;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (file >= 0) {
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
        }
        if (chdir(folder) == 0)
            execvp(words->items[0], (char *const *)(uintptr_t)words->items);
        fprintf(stderr, "error: cannot run %s: %s\n", words->items[0], strerror(errno));
        _exit(127);
    }
    int status = -1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/**
 * Makes `<folder>/library.so`. An object comes first, and all is named from within the folder: reports name a kernel's
 * place, of which where the folder happens to be is no part, and compilers' caches find what they have.
 */
static bool compile(const rk_unit *unit, unsigned level, const char *folder, const char *source,
                    const char *log)
{
    rk_arena *arena = unit->arena;
    rk_cc_words object = command(level, arena), library = {0};
    char *real = realpath(rk_path_join(arena, unit->options->home, "include"), NULL);
    const char *include = real ? rk_arena_strdup(arena, real) : "";
    free(real);
    const char *const last[] = {
        "-I",        include,
        "-I",        rk_path_join(arena, include, "rk/shim"),
        "-idirafter", rk_path_join(arena, include, "rk/torch"),
        "-c",        source,
        "-o",        "library.o"};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        *rk_push(arena, &object) = last[i];
    const char *map = rk_arena_printf(arena, "-Wl,--version-script=%s/rk/cpu_library.map", include);
    const char *const link[] = {"-x", "none", "-shared", map, "library.o", "-o", "library.so"};
    const rk_cc_words words = command(level, arena);
    for (size_t i = 0; i < words.count; i++)
        *rk_push(arena, &library) = words.items[i];
    for (size_t i = 0; i < sizeof link / sizeof *link; i++)
        *rk_push(arena, &library) = link[i];
    return run(&object, folder, log, arena) && run(&library, folder, log, arena);
}

/** Makes the library at out->path, unless it is there; a level that is RK_CPU_LEVELS is none. */
static bool make(rk_output *out, const rk_unit *unit, unsigned level, const char *folder,
                 const char *source)
{
    rk_arena *arena = unit->arena;
    if (rk_file_exists(out->path)) {
        out->there = true;
        return true;
    }
    const char *made = rk_path_join(arena, folder, "library.so");
    const char *log = rk_path_join(arena, folder, "library.log");
    if (compile(unit, level, folder, source, log) &&
        rk_file_read(&out->bytes, made, arena, unit->diag))
        return true;
    return rk_diag_add(unit->diag, RK_WARNING, "RK-V204",
                       rk_place_file(rk_path_join(arena, unit->options->out_dir, source)),
                       "its kernels run on the GPU only; the CPU runtime lacks what they use",
                       "no CPU library: %s", first_error(folder, log, arena));
}

bool rk_cpu_library(rk_output *out, const rk_unit *unit, const char *folder, const char *source,
                    uint64_t runtime, const rk_bytes *texts, size_t text_count, unsigned levels)
{
    rk_arena *arena = unit->arena;
    uint64_t hash = rk_hash(source, strlen(source), runtime);
    for (size_t i = 0; i < text_count; i++)
        hash = rk_hash(texts[i].data, texts[i].size, hash);
    const char *name = rk_arena_printf(arena, "cpu/%016" PRIx64 ".so", hash);
    *out = (rk_output){.path = rk_path_join(arena, unit->options->out_dir, name)};
    bool good = make(out, unit, RK_CPU_LEVELS, folder, source);
    rk_output *next = out;
    for (unsigned i = 0; good && levels >> i; i++) {
        if (!(levels >> i & 1))
            continue;
        *++next = (rk_output){.path = rk_cpu_level_file(arena, out->path, i)};
        good = make(next, unit, i, folder, source);
    }
    return good;
}
