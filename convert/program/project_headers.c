#include "convert/clang/parse.h"
#include "convert/program/program_internal.h"
#include "convert/unit/sources.h"

#include <string.h>

/** Libraries of the toolkit that Debian packages for a CPU, by the folder of their headers. */
static const struct {
    const char *folder;
    const char *package;
} packages[] = {{"thrust/", "libthrust-dev"}};

/** A search for headers of the toolkit that the CPU has no counterpart of. */
typedef struct {
    rk_program *program;
    const char *shims;
    bool ok;
} search;

/** "curand.h" of `<curand.h>`; NULL when the operand is a macro. */
static const char *operand_name(const char *operand, rk_arena *arena)
{
    if (operand[0] != '<' && operand[0] != '"')
        return NULL;
    return rk_arena_strndup(arena, operand + 1, strcspn(operand + 1, ">\""));
}

/** Whether the header lies in a CUDA toolkit: below a folder that has CUDA's own. */
static bool in_toolkit(CXFile file, const char *name, rk_arena *arena)
{
    const char *path = rk_ast_text(clang_getFileName(file), arena);
    const size_t length = strlen(path), tail = strlen(name);
    if (tail >= length || strcmp(path + length - tail, name) != 0)
        return false;
    const char *folder = rk_arena_strndup(arena, path, length - tail);
    return rk_file_exists(rk_path_join(arena, folder, "cuda_runtime_api.h")) ||
           rk_file_exists(rk_path_join(arena, folder, "../cuda_runtime_api.h"));
}

/** The package that headers of this name are in; NULL for none. */
static const char *package_of(const char *name)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strncmp(name, packages[i].folder, strlen(packages[i].folder)) == 0)
            return packages[i].package;
    return NULL;
}

static void visit(CXFile included, CXSourceLocation *stack, unsigned length, CXClientData data)
{
    search *s = data;
    const rk_unit *unit = s->program->unit;
    if (length == 0)
        return;
    size_t i;
    const rk_where at = rk_ast_spelling(unit, stack[0]);
    if (at.file == RK_NONE)
        return;
    const rk_tokens *tokens = &unit->files.items[at.file]->tokens;
    i = rk_tokens_at(tokens, at.offset);
    if (i >= tokens->count || tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
        return;
    const char *name = operand_name(rk_directive_of(tokens, i, unit->arena).rest, unit->arena);
    if (!name)
        return;
    const char *package = package_of(name);
    const char *folder = package ? "/usr/include" : s->shims;
    if (rk_file_exists(rk_path_join(unit->arena, folder, name)) ||
        !in_toolkit(included, name, unit->arena))
        return;
    s->ok = rk_diag_add(unit->diag, RK_ERROR, "RK-V132",
                        rk_sources_place(unit, at.file, tokens->items[i].offset),
                        package ? rk_arena_printf(unit->arena, "apt-get install %s", package)
                                : "leave out what uses it, or build that part with another library",
                        "'%s' of the CUDA toolkit has no counterpart on a CPU", name);
}

bool rk_program_check_headers(rk_program *program)
{
    const char *include =
        rk_path_join(program->unit->arena, program->unit->options->home, "include");
    search s = {program, rk_path_join(program->unit->arena, include, "rk/shim"), true};
    clang_getInclusions(program->unit->tu, visit, &s);
    return s.ok;
}
