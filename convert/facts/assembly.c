#include "convert/cuda/builtins.h"
#include "convert/facts/walk.h"

#include "convert/facts/system.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <ctype.h>
#include <string.h>

/*
 * Inline assembly: what may not be in it, and named barriers, `bar.sync 1, 64;`. Their numbers are literals and so
 * are moved beyond those of the runtime (rk/cuda_barrier.cuh). Without a number of threads they mean the whole
 * hardware block, which is the vEU's.
 */

/** Hardware barriers are 0 to 15; an rTask's own are 3 to 15, and a legacy kernel's 0 is its block's. */
enum { FIRST_FREE = 3, LAST_BARRIER = 15 };

/** Skips blanks, also those that the string writes as an escape. */
static size_t skip_space(const char *text, size_t i)
{
    for (;;) {
        if (text[i] == ' ' || text[i] == '\t')
            i++;
        else if (text[i] == '\\' && text[i + 1] == 't')
            i += 2;
        else
            return i;
    }
}

/** The literal number of `bar.sync 1, 64`: where it is and its value; false for any other form. */
static bool read_number(const char *text, size_t at, size_t *begin, size_t *end, long *value)
{
    static const char *const kinds[] = {"bar.sync", "bar.arrive"};
    size_t i = RK_NONE, name = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && i == RK_NONE; k++) {
        name = at + strlen(kinds[k]);
        if (strncmp(text + at, kinds[k], strlen(kinds[k])) == 0)
            i = skip_space(text, name);
    }
    if (i == RK_NONE || i == name || !isdigit((unsigned char)text[i]))
        return false;
    *begin = *end = i;
    *value = 0;
    while (isdigit((unsigned char)text[*end]) && *value <= LAST_BARRIER)
        *value = *value * 10 + (text[(*end)++] - '0');
    return text[skip_space(text, *end)] == ',' && *value >= 1 &&
           *value + FIRST_FREE - 1 <= LAST_BARRIER;
}

bool rk_assembly_barriers(rk_walker *w, CXCursor cursor, const char *text)
{
    const rk_where at = rk_ast_spelling(w->unit, clang_getCursorLocation(cursor));
    const rk_where outer = rk_ast_expansion(w->unit, clang_getCursorLocation(cursor));
    size_t begin, end;
    long value;
    if (rk_assembly_next_barrier(text, 0) == RK_NONE)
        return true;
    if (at.file != outer.file || at.offset != outer.offset)
        return false;
    for (size_t i = rk_assembly_next_barrier(text, 0); i != RK_NONE;
         i = rk_assembly_next_barrier(text, i + 1))
        if (!read_number(text, i, &begin, &end, &value))
            return false;
    for (size_t i = rk_assembly_next_barrier(text, 0); i != RK_NONE;
         i = rk_assembly_next_barrier(text, i + 1)) {
        read_number(text, i, &begin, &end, &value);
        rk_walk_edit(w, at.file, at.offset + begin, end - begin,
                     rk_arena_printf(w->unit->arena, "%ld", value + FIRST_FREE - 1));
    }
    rk_walk_uses(w, RK_USE_CONTEXT | RK_USE_GROUP_SYNC, cursor, "bar.sync");
    rk_walk_event(w, RK_EVENT_BARRIER, cursor);
    w->f->named_barriers = true;
    return true;
}

/** The text of a statement where it was written; the line of the macro when one makes it. */
static const char *statement_text(rk_walker *w, CXCursor cursor)
{
    const rk_where at = rk_ast_spelling(w->unit, clang_getCursorLocation(cursor));
    if (at.file == RK_NONE)
        return NULL;
    const rk_source_file *file = w->unit->files.items[at.file];
    const size_t i = rk_tokens_at(&file->tokens, at.offset);
    if (i < file->tokens.count && file->tokens.items[i].kind == RK_TOKEN_DIRECTIVE)
        return rk_token_text(&file->tokens, i, w->unit->arena);
    unsigned begin, end;
    rk_ast_extent(cursor, &begin, &end);
    return begin < end && end <= file->bytes.size
               ? rk_arena_strndup(w->unit->arena, file->bytes.data + begin, end - begin)
               : NULL;
}

void rk_assembly_look(rk_walker *w, CXCursor cursor)
{
    const char *text = statement_text(w, cursor);
    const bool moved = text && rk_assembly_barriers(w, cursor, text);
    const char *word = text ? rk_assembly_word(text, moved) : "text that cannot be seen";
    if (word) {
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V106", rk_walk_place(w, cursor),
                       "use CUDA's own variables and functions for it",
                       "the assembly has '%s', which means the whole vEU in an rTask", word);
        return;
    }
    rk_problem_add(w->unit, w->function, RK_WARNING, "RK-V203", rk_walk_place(w, cursor), NULL,
                   "inline assembly is kept: this kernel is for the GPU only");
}
