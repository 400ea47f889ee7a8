#include "convert/clang/included.h"

#include "base/str.h"
#include "convert/clang/ast.h"
#include "convert/unit/collectives.h"
#include "convert/unit/sources.h"

#include <string.h>

/** The files of a translation unit that are being looked through. */
typedef struct {
    CXTranslationUnit tu;
    const rk_unit *unit;
    rk_diag *diag; /**< where what is found is told, or NULL */
    size_t lost, left; /**< headers with device code, libraries with kernels */
} search;

/** Whether the text has one of the tokens `name`, or a launch; what a macro makes of it apart. */
static bool has(const rk_tokens *tokens, const char *name)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (rk_token_is(tokens, i, name) ||
            (rk_token_is(tokens, i, "<") && rk_token_is(tokens, i + 1, "<") &&
             rk_token_is(tokens, i + 2, "<")))
            return true;
    return false;
}

/** Whether the path is of Rammer, of the system or of a library of CUDA's, which chooses its own headers by macros. */
static bool is_library(const char *path, const rk_unit *unit)
{
    const char *cub = strstr(path, "/cub/");
    return rk_str_starts(path, unit->options->home) || rk_sources_is_system(path, unit->arena) ||
           strstr(path, "/thrust/") ||
           (cub && rk_collectives_is_library(path, cub + 1, unit->arena));
}

static void look(CXFile file, CXSourceLocation *stack, unsigned depth, void *user)
{
    search *s = user;
    rk_arena *arena = s->unit->arena;
    if (depth == 0 || rk_sources_find(s->unit, file) != RK_NONE)
        return;
    size_t size = 0;
    const char *path = rk_ast_text(clang_getFileName(file), arena);
    const char *text = is_library(path, s->unit) ? NULL : clang_getFileContents(s->tu, file, &size);
    if (!text)
        return;
    const bool apart = clang_Location_isInSystemHeader(clang_getLocationForOffset(s->tu, file, 0));
    const rk_tokens tokens = rk_lex(text, size, arena);
    if (!has(&tokens, "__global__") && (apart || !has(&tokens, "__device__")))
        return;
    (*(apart ? &s->left : &s->lost))++;
    const rk_place place = rk_ast_place(stack[0], arena);
    if (s->diag && apart)
        rk_diag_add(s->diag, RK_WARNING, "RK-V222", place,
                    "give its folder with -I if it is the project's",
                    "'%s' has kernels or launches, which are not converted: it is found as a "
                    "library's, by -isystem",
                    path);
    else if (s->diag)
        rk_diag_add(s->diag, RK_ERROR, "RK-V013", place,
                    "include it by its name between quotes or <>, and give its folder with -I",
                    "'%s' has device code, and is included in a way that is not followed", path);
}

bool rk_included_is_plain(CXTranslationUnit tu, const rk_unit *unit)
{
    search s = {.tu = tu, .unit = unit};
    clang_getInclusions(tu, look, &s);
    return s.lost + s.left == 0;
}

bool rk_included_check(rk_unit *unit)
{
    search s = {.tu = unit->tu, .unit = unit, .diag = unit->diag};
    clang_getInclusions(unit->tu, look, &s);
    return s.lost == 0;
}
