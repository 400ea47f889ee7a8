#include "ptx_lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool begins_word(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/** "::" joins what it stands between, as in shared::cta. */
static const char *word_end(const char *p)
{
    const bool directive = *p == '.'; /* these may stand close together: .reg.b32 */
    p++;
    for (;;) {
        if (directive && *p == '.')
            return p;
        if (begins_word(*p) || isdigit((unsigned char)*p))
            p++;
        else if (p[0] == ':' && p[1] == ':' && begins_word(p[2]))
            p += 2;
        else
            return p;
    }
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/** A number begins at `p`, with a digit. Returns where it ends. */
static const char *number(lex_token *token, const char *p)
{
    const char *end = p;
    const bool hex_float =
        p[0] == '0' && p[1] && strchr("fFdD", p[1]) && isxdigit((unsigned char)p[2]);
    if (hex_float) {
        token->float_bytes = p[1] == 'f' || p[1] == 'F' ? 4 : 8;
        token->value = (int64_t)strtoull(p + 2, (char **)&end, 16);
        return end;
    }
    if (p[0] == '0' && (p[1] == 'b' || p[1] == 'B')) {
        token->value = (int64_t)strtoull(p + 2, (char **)&end, 2);
    } else {
        token->value = (int64_t)strtoull(p, (char **)&end, 0);
        if (*end == '.' || ((*end == 'e' || *end == 'E') && p[1] != 'x')) {
            token->value = (int64_t)bits_of(strtod(p, (char **)&end));
            token->float_bytes = 8;
            return end;
        }
    }
    return *end == 'U' ? end + 1 : end;
}

/** Past spaces and comments. */
static const char *skip(const char *p, int *line)
{
    for (;;) {
        if (isspace((unsigned char)*p)) {
            *line += *p++ == '\n';
        } else if (p[0] == '/' && p[1] == '/') {
            while (*p && *p != '\n')
                p++;
        } else if (p[0] == '/' && p[1] == '*') {
            for (p += 2; *p && !(p[0] == '*' && p[1] == '/'); p++)
                *line += *p == '\n';
            p += *p ? 2 : 0;
        } else {
            return p;
        }
    }
}

/** One word at `p`, which is none of a space and a comment. NULL for none. */
static const char *one(lex_token *token, const char *p, rk_arena *arena)
{
    const char *end = p;
    if (begins_word(*p)) {
        token->kind = LEX_WORD;
        end = word_end(p);
    } else if (isdigit((unsigned char)*p)) {
        token->kind = LEX_NUMBER;
        end = number(token, p);
    } else if (*p == '"') {
        token->kind = LEX_STRING;
        end = strchr(p + 1, '"');
        if (!end)
            return NULL;
        end++;
    } else if (*p && strchr(",;:{}()[]@!|+-*=<>~", *p)) {
        token->kind = LEX_PUNCTUATION;
        token->mark = *p;
        return p + 1;
    } else {
        return NULL;
    }
    token->text = rk_arena_strndup(arena, p, (size_t)(end - p));
    return end;
}

lex_token *lex_all(const char *text, rk_arena *arena, int *line)
{
    size_t count = 0, room = 1024;
    lex_token *tokens = malloc(room * sizeof *tokens), *result = NULL;
    *line = 1;
    for (const char *p = skip(text, line); tokens; p = skip(p, line)) {
        if (count == room) {
            lex_token *more = realloc(tokens, 2 * room * sizeof *tokens);
            if (!more)
                break;
            tokens = more;
            room *= 2;
        }
        tokens[count] = (lex_token){.line = *line};
        if (!*p) {
            result = rk_arena_copy(arena, tokens, (count + 1) * sizeof *tokens);
            break;
        }
        p = one(&tokens[count++], p, arena);
        if (!p)
            break;
    }
    free(tokens);
    return result;
}
