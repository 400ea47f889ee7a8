#include "convert/cuda/builtins.h"
#include "convert/facts/walk.h"

#include "convert/facts/system.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <ctype.h>
#include <string.h>

/*
 * Inline assembly: what may not be in it, and named barriers, `bar.sync 1, 64;`. Their numbers are moved beyond those
 * of the runtime: literals in the text, operands by rk__::barrier_number (rk/gpu/cuda_barrier.cuh), which ends the program
 * for a number that cannot be moved. Without a number of threads they mean the whole
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

/** The number in `bar.sync 1, 64`, or the operand that has it in `bar.sync %0, %1`. */
typedef struct {
    bool operand;
    size_t begin, end; /**< of a literal number, in the text */
    long value;
} barrier_number;

/** Reads the number of the barrier at `at`; false for any other form. */
static bool read_number(const char *text, size_t at, barrier_number *out)
{
    static const char *const kinds[] = {"bar.sync", "bar.arrive"};
    size_t i = RK_NONE, name = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && i == RK_NONE; k++) {
        name = at + strlen(kinds[k]);
        if (strncmp(text + at, kinds[k], strlen(kinds[k])) == 0)
            i = skip_space(text, name);
    }
    if (i == RK_NONE || i == name)
        return false;
    out->operand = text[i] == '%';
    i += out->operand;
    if (!isdigit((unsigned char)text[i]))
        return false;
    out->begin = out->end = i;
    out->value = 0;
    while (isdigit((unsigned char)text[out->end]) && out->value <= LAST_BARRIER)
        out->value = out->value * 10 + (text[out->end++] - '0');
    return text[skip_space(text, out->end)] == ',' &&
           (out->operand || (out->value >= 1 && out->value + FIRST_FREE - 1 <= LAST_BARRIER));
}

/** The parentheses of an assembly statement's operand, counted from 0; false when it has no such. */
static bool operand_parentheses(const char *text, long operand, size_t *open, size_t *close,
                                rk_arena *arena)
{
    const rk_tokens tokens = rk_lex(text, strlen(text), arena);
    bool lists = false;
    for (size_t i = 1; i + 1 < tokens.count; i++) {
        lists |= rk_token_is(&tokens, i, ":") || rk_token_is(&tokens, i, "::");
        if (!lists || !rk_token_is(&tokens, i, "("))
            continue;
        if (tokens.items[i - 1].kind != RK_TOKEN_STRING)
            return false; /* a macro, which may be several operands */
        const size_t end = rk_tokens_close(&tokens, i);
        if (end >= tokens.count)
            return false;
        *open = tokens.items[i].offset + 1;
        *close = tokens.items[end].offset;
        if (operand-- == 0)
            return true;
        i = end;
    }
    return false;
}

/** Moves the barrier at `at` beyond those of the runtime; false when its number cannot be seen. */
static bool move_barrier(rk_walker *w, const char *text, rk_where statement, size_t at, bool edit)
{
    barrier_number n;
    size_t open = 0, close = 0;
    if (!read_number(text, at, &n) ||
        (n.operand && !operand_parentheses(text, n.value, &open, &close, w->unit->arena)))
        return false;
    if (edit && n.operand) {
        rk_walk_edit(w, statement.file, statement.offset + open, 0, "rk__::barrier_number(");
        rk_walk_edit(w, statement.file, statement.offset + close, 0, ")");
    } else if (edit) {
        rk_walk_edit(w, statement.file, statement.offset + n.begin, n.end - n.begin,
                     rk_arena_printf(w->unit->arena, "%ld", n.value + FIRST_FREE - 1));
    }
    return true;
}

/** The text with blanks for all that is not in quotes: names of operands are no instructions. */
static const char *instructions(const char *text, rk_arena *arena)
{
    char *out = rk_arena_strdup(arena, text);
    bool inside = false;
    for (char *c = strchr(out, '"') ? out : NULL; c && *c; c++) {
        const bool escaped = inside && *c == '\\' && c[1];
        if (*c == '"')
            inside = !inside;
        else if (!inside)
            *c = ' ';
        c += escaped;
    }
    return out;
}

bool rk_assembly_barriers(rk_walker *w, CXCursor cursor, const char *whole)
{
    const char *text = instructions(whole, w->unit->arena);
    const rk_where at = rk_ast_spelling(w->unit, clang_getCursorLocation(cursor));
    const rk_where outer = rk_ast_expansion(w->unit, clang_getCursorLocation(cursor));
    if (rk_assembly_next_barrier(text, 0) == RK_NONE)
        return true;
    if (at.file != outer.file || at.offset != outer.offset)
        return false;
    for (size_t i = rk_assembly_next_barrier(text, 0); i != RK_NONE;
         i = rk_assembly_next_barrier(text, i + 1))
        if (!move_barrier(w, whole, at, i, false))
            return false;
    for (size_t i = rk_assembly_next_barrier(text, 0); i != RK_NONE;
         i = rk_assembly_next_barrier(text, i + 1))
        move_barrier(w, whole, at, i, true);
    rk_walk_uses(w, RK_USE_CONTEXT | RK_USE_GROUP_SYNC, cursor, "bar.sync");
    rk_walk_event(w, RK_EVENT_BARRIER, cursor);
    w->f->does |= RK_TEXT_NAMED_BARRIERS;
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
    const char *all = rk_assembly_template(w->unit, cursor);
    const bool own = text && rk_assembly_has_barrier(instructions(text, w->unit->arena));
    const bool moved = text && rk_assembly_barriers(w, cursor, text);
    const char *word = text ? rk_assembly_word(instructions(text, w->unit->arena), moved)
                            : "text that cannot be seen";
    if (!word)
        word = rk_assembly_word(all, moved && own);
    if (word) {
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V106", rk_walk_place(w, cursor),
                       "use CUDA's own variables and functions for it",
                       "the assembly has '%s', which means the whole vEU in an rTask", word);
        return;
    }
    if (!w->unit->options->drop_in && rk_assembly_non_coherent(all))
        rk_assembly_make_coherent(w->unit, cursor);
    rk_problem_add(w->unit, w->function, RK_WARNING, "RK-V203", rk_walk_place(w, cursor), NULL,
                   "inline assembly is kept: this kernel is for the GPU only");
}
