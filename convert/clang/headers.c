#include "convert/clang/headers.h"

#include "convert/clang/ast.h"
#include "convert/clang/headers_internal.h"
#include "convert/clang/included.h"
#include "convert/clang/pch.h"
#include "convert/clang/prelude.h"
#include "convert/unit/sources.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** The includes, as they are found. */
typedef struct {
    const rk_unit *unit;
    rk_str text;
    bool *seen;  /**< of the unit's files */
    bool costly; /**< some take longer to read than to load */
} search;

/** Size from which reading a header takes long. */
enum { LARGE = 1 << 16 };

/** Whether the file, and what it includes of the project, may be precompiled; notes them in `seen`. */
static bool is_plain(const rk_unit *unit, size_t index, bool *seen)
{
    static const char *const words[] = {"__global__", "__device__", "__CUDA_ARCH__"};
    const rk_source_file *file = unit->files.items[index];
    if (seen[index])
        return true;
    seen[index] = true;
    if (file->expanded || file->nested || !rk_headers_is_guarded(&file->tokens, unit->arena))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(file->bytes.data, file->bytes.size, words[i], strlen(words[i])))
            return false;
    for (size_t i = 0; i < file->includes.count; i++)
        if (file->includes.items[i].target != RK_NONE &&
            !is_plain(unit, file->includes.items[i].target, seen))
            return false;
    return true;
}

void rk_headers_choose(const rk_unit *unit)
{
    const size_t count = unit->files.count;
    for (size_t i = 1; i < count; i++) {
        bool *seen = RK_NEW_ARRAY(unit->arena, bool, count);
        if (unit->files.items[i]->bytes.size < LARGE || !is_plain(unit, i, seen))
            continue;
        for (size_t k = 0; k < count; k++)
            unit->files.items[k]->precompiled |= seen[k];
    }
}

/** Gathers from a file; false where something else comes, which ends the search. */
static bool gather(search *s, size_t index)
{
    const rk_source_file *file = s->unit->files.items[index];
    const bool guarded = rk_headers_is_guarded(&file->tokens, s->unit->arena);
    if (s->seen[index])
        return true;
    s->seen[index] = true;
    for (size_t i = guarded ? 2 : 0; i < file->tokens.count - (guarded ? 1 : 0); i++) {
        if (file->tokens.items[i].kind != RK_TOKEN_DIRECTIVE)
            return false;
        const rk_directive d = rk_directive_of(&file->tokens, i, s->unit->arena);
        if (strcmp(d.name, "pragma") == 0 && strcmp(d.rest, "once") == 0)
            continue;
        if (strcmp(d.name, "include") != 0 || !*d.rest || !strchr("<\"", *d.rest))
            return false;
        const char *operand = d.rest;
        const size_t target = rk_headers_target(&operand, s->unit, file, i);
        if (target != RK_NONE) {
            if (!gather(s, target))
                return false;
            continue;
        }
        rk_str_addf(&s->text, "#include %s\n", operand);
        s->costly |= !rk_headers_is_cheap(operand);
    }
    return true;
}

/** What -include and its like put before the source would be there twice. */
static bool has_texts_before(const rk_clang_args *args)
{
    for (size_t i = 0; i < args->count; i++)
        if (rk_str_starts(args->items[i], "-include") || rk_str_starts(args->items[i], "-imacros"))
            return true;
    return false;
}

static rk_clang_args with_prelude(const rk_clang_args *args, const char *pch, rk_arena *arena)
{
    RK_VEC(const char *) all = {0};
    for (size_t i = 0; i < args->count; i++)
        *rk_push(arena, &all) = args->items[i];
    *rk_push(arena, &all) = "-include-pch";
    *rk_push(arena, &all) = pch;
    return (rk_clang_args){all.items, all.count};
}

/** Whether an argument may name a file or a folder from the working directory: all but those that are known not to. */
static bool names_relatively(const char *arg)
{
    static const char *const joined[] = {"-I", "--cuda-path=", "-resource-dir="};
    static const char *const other[] = {"-D", "-U", "-W", "-std=", "-x",
                                        "-O", "-f", "-g", "-m",    "-nocuda"};
    static const char *const whole[] = {
        "--cuda-host-only", "-Xclang",      "-resource-dir", "-isystem", "-idirafter",
        "-iquote",          "-include-pch", "-pthread",      "-w",       "-nostdinc++"};
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
        if (rk_str_starts(arg, joined[i]))
            return arg[strlen(joined[i])] != '/';
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (rk_str_starts(arg, other[i]))
            return strchr(arg, '/') != NULL;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(arg, whole[i]) == 0)
            return false;
    return *arg != '/' && !rk_str_starts(arg, "-target-sdk-version=");
}

/**
 * What the precompiled form depends on; that its headers are as they were is looked at where it is used. The working
 * directory is part of it only where it can matter, so that runs in other ones find it.
 */
static uint64_t key_of(const rk_clang_args *args, const char *pch, const char *text,
                       rk_arena *arena)
{
    rk_str key = {.arena = arena};
    struct stat status = {0};
    stat(pch, &status);
    rk_str_addf(&key, "%s\n%jd\n", rk_ast_text(clang_getClangVersion(), arena),
                (intmax_t)status.st_mtime);
    bool relative = false;
    for (size_t i = 0; i < args->count; i++) {
        rk_str_addf(&key, "%s\n", args->items[i]);
        relative = relative || names_relatively(args->items[i]);
    }
    char *here = relative ? getcwd(NULL, 0) : NULL;
    rk_str_addf(&key, "%s\n", here ? here : "");
    free(here);
    rk_str_add(&key, text);
    return rk_hash(rk_str_text(&key), key.length, 0);
}

/** The precompiled form of a text after the prelude; NULL where it does not compile. */
static const char *open_text(const rk_unit *unit, const rk_clang_args *own, const char *text)
{
    rk_arena *arena = unit->arena;
    const rk_clang_args args = with_prelude(own, unit->pch, arena);
    const char *path = rk_pch_path(key_of(&args, unit->pch, text, arena), arena);
    const rk_pch_state state = path ? rk_pch_look(path) : RK_PCH_IMPOSSIBLE;
    if (state != RK_PCH_NONE)
        return state == RK_PCH_GOOD ? path : NULL;
    const char *stem = rk_arena_strndup(arena, path, strlen(path) - strlen(".pch"));
    const char *source = rk_arena_printf(arena, "%s.h", stem);
    rk_diag *unheard = rk_diag_new(arena);
    if (!rk_file_write(source, text, strlen(text), unheard))
        return NULL;
    if (rk_pch_build(path, source, &args, rk_included_is_plain, unit, arena))
        return path;
    rk_file_write(path, "", 0, unheard);
    return NULL;
}

const char *rk_headers_open(const rk_unit *unit)
{
    rk_arena *arena = unit->arena;
    const rk_clang_args own = rk_parse_args(unit->options, false, arena);
    if (!unit->pch || has_texts_before(&own))
        return NULL;
    const char *all = rk_headers_text(unit);
    const char *path = all ? open_text(unit, &own, all) : NULL;
    if (path)
        return path;
    search s = {.unit = unit,
                .text = {.arena = arena},
                .seen = RK_NEW_ARRAY(arena, bool, unit->files.count)};
    gather(&s, 0);
    return s.costly ? open_text(unit, &own, rk_str_text(&s.text)) : NULL;
}
