#include "convert/rkernel/resources.h"

#include "convert/clang/parse.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/defines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool rk_resources_parse(rk_resources *out, const bool *wanted, size_t count, const char *log)
{
    bool *seen = calloc(count ? count : 1, sizeof *seen);
    if (!seen)
        rk_out_of_memory();
    for (const char *at = strstr(log, "entry function '"); at;
         at = strstr(at + 1, "entry function '")) {
        const char *name = strstr(at, "rk__probe_");
        if (!name)
            break;
        const size_t i = strtoul(name + strlen("rk__probe_"), NULL, 10);
        const char *next = strstr(at + 1, "entry function '");
        const char *spill = strstr(at, " bytes spill stores");
        const char *used = strstr(at, "Used ");
        if (i >= count || !used || (next && used > next))
            continue;
        seen[i] = true;
        out[i].registers = (int)strtol(used + strlen("Used "), NULL, 10);
        while (spill && spill > at && spill[-1] != ' ')
            spill--;
        out[i].spill_bytes = spill && spill < used ? (int)strtol(spill, NULL, 10) : 0;
        const char *end = strchr(used, '\n');
        const char *smem = strstr(used, " bytes smem");
        while (smem && smem > used && smem[-1] != ' ')
            smem--;
        out[i].shared = smem && (!end || smem < end) ? (int)strtol(smem, NULL, 10) : 0;
    }
    bool all = true;
    for (size_t i = 0; i < count; i++)
        all &= !wanted[i] || seen[i];
    free(seen);
    return all;
}

/** One ordinary kernel for each converted instance. */
static char *probes_text(const rk_unit *unit, const char *source, bool *wanted)
{
    rk_str out = {.arena = unit->arena};
    rk_str_addf(&out, "#include \"%s\"\nnamespace %s {\n", source, unit->space);
    for (size_t i = 0; i < unit->instances.count; i++) {
        const rk_instance *instance = &unit->instances.items[i];
        wanted[i] = !unit->functions.items[instance->function]->refused;
        if (!wanted[i])
            continue;
        rk_str_add(&out, "extern \"C\" __global__ void ");
        if (instance->max_threads > 0)
            rk_str_addf(&out, "__launch_bounds__(%lld) ", (long long)instance->max_threads);
        rk_str_addf(&out, "rk__probe_%zu(", i);
        for (size_t k = 0; k < instance->type_count; k++)
            rk_str_addf(&out, "%s%s rk__a%zu", k ? ", " : "",
                        rk_arena_printf(unit->arena, "rk__id<%s>", instance->types[k]), k);
        rk_str_addf(&out, ")\n{\n    rk__::cuda_launch_context<%s> rk__ctx;\n    %s(rk__ctx",
                    instance->frame ? instance->frame : "void",
                    rk_rewrite_instance(unit, instance));
        for (size_t k = 0; k < instance->type_count; k++)
            rk_str_addf(&out, ", rk__a%zu", k);
        rk_str_add(&out, ");\n}\n");
    }
    rk_str_add(&out, "}\n");
    return rk_arena_printf(
        unit->arena,
        "%stemplate <class rk__T> struct rk__same { using rk__type "
        "= rk__T; };\ntemplate <class rk__T> using rk__id = typename rk__same<rk__T>::rk__type;\n%s",
        rk_defines_around(unit, "#include <rk/rkernel.h>\n"), rk_str_text(&out));
}

/** Runs a command with its output in a file; its exit status, -1 when it could not be run. */
static int run(const char *const *argv, const char *log)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (file >= 0) {
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
        }
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        fprintf(stderr, "error: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *first_line(const char *log, rk_arena *arena)
{
    const char *mark = strstr(log, "error");
    const char *at = mark ? log + rk_line_begin(log, (size_t)(mark - log)) : log;
    return rk_arena_strndup(arena, at, strcspn(at, "\n"));
}

static bool measure(rk_unit *unit, const char *folder, const char *file, const char *arch,
                    rk_resources *out, const bool *wanted)
{
    rk_arena *arena = unit->arena;
    const char *toolkit = rk_parse_toolkit(unit->options, arena);
    const char *beside = toolkit ? rk_path_join(arena, toolkit, "bin/nvcc") : NULL;
    const char *log = rk_arena_printf(arena, "%s.log", file);
    const char *const argv[] = {beside && rk_file_exists(beside) ? beside : "nvcc",
                                "-std=c++17",
                                "-cubin",
                                "-Xptxas=-v",
                                rk_arena_printf(arena, "-arch=%s", arch),
                                "-I",
                                folder,
                                "-I",
                                rk_path_join(arena, unit->options->home, "include"),
                                "-isystem",
                                rk_path_join(arena, unit->options->home, "include/rk/torch"),
                                "-o",
                                rk_arena_printf(arena, "%s.cubin", file),
                                file,
                                NULL};
    const int status = run(argv, log);
    rk_bytes text = {.data = rk_arena_strdup(arena, "")};
    rk_file_read(&text, log, arena, rk_diag_new(arena));
    unlink(log);
    unlink(argv[12]);
    if (status == 0 && rk_resources_parse(out, wanted, unit->instances.count, text.data))
        return true;
    return rk_diag_add(unit->diag, RK_WARNING, "RK-V207", rk_place_file(unit->path),
                       "install the CUDA toolkit, or name it with --cuda-path",
                       "no resources for %s: %s", arch, first_line(text.data, arena));
}

void rk_resources_measure(rk_unit *unit, const char *folder, const char *source)
{
    rk_arena *arena = unit->arena;
    const size_t count = unit->instances.count, archs = unit->options->arch_count;
    char *work = rk_path_join(arena, folder, "probe");
    if (count == 0 || !rk_file_mkdirs(work, unit->diag))
        return;
    bool *wanted = RK_NEW_ARRAY(arena, bool, count);
    const char *text = probes_text(unit, source, wanted);
    const char *file = rk_path_join(arena, work, "probe.cu");
    bool ok = rk_file_write(file, text, strlen(text), unit->diag);
    for (size_t i = 0; i < count; i++)
        unit->instances.items[i].resources = RK_NEW_ARRAY(arena, rk_resources, archs);
    for (size_t a = 0; a < archs && ok; a++) {
        rk_resources *all = RK_NEW_ARRAY(arena, rk_resources, count);
        ok = measure(unit, folder, file, unit->options->archs[a], all, wanted);
        for (size_t i = 0; ok && i < count; i++) {
            rk_instance *instance = &unit->instances.items[i];
            if (!wanted[i])
                continue;
            all[i].arch = unit->options->archs[a];
            all[i].shared += (int)instance->frame_size;
            instance->resources[instance->resource_count++] = all[i];
        }
    }
    rk_file_remove(work, unit->diag);
}
