#include "convert/text/lex.h"

#include "base/str.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

typedef RK_VEC(rk_token) token_vec;

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_name_part(char c)
{
    return is_name_start(c) || isdigit((unsigned char)c);
}

/** Length of a backslash and newline at `at`, 0 if there is none. */
static size_t splice(const char *text, size_t size, size_t at)
{
    if (at + 1 < size && text[at] == '\\' && text[at + 1] == '\n')
        return 2;
    if (at + 2 < size && text[at] == '\\' && text[at + 1] == '\r' && text[at + 2] == '\n')
        return 3;
    return 0;
}

/** The offset after the comment that starts at `at`; `at` itself when none does. */
static size_t skip_comment(const char *text, size_t size, size_t at)
{
    if (at + 1 >= size || text[at] != '/')
        return at;
    if (text[at + 1] == '*') {
        for (size_t i = at + 2; i + 1 < size; i++)
            if (text[i] == '*' && text[i + 1] == '/')
                return i + 2;
        return size;
    }
    if (text[at + 1] != '/')
        return at;
    while (at < size && text[at] != '\n') {
        const size_t joined = splice(text, size, at);
        at += joined ? joined : 1;
    }
    return at;
}

/** The offset after the quoted literal whose quote is at `at`; a newline ends a broken one. */
static size_t skip_quoted(const char *text, size_t size, size_t at)
{
    const char quote = text[at++];
    while (at < size && text[at] != quote && text[at] != '\n') {
        const size_t joined = splice(text, size, at);
        if (joined)
            at += joined;
        else
            at += text[at] == '\\' && at + 1 < size ? 2 : 1;
    }
    return at < size && text[at] == quote ? at + 1 : at;
}

/** The offset after R"delimiter(...)delimiter", whose quote is at `at`. */
static size_t skip_raw(const char *text, size_t size, size_t at)
{
    size_t open = at + 1;
    while (open < size && text[open] != '(' && open - at <= 17)
        open++;
    const size_t length = open - at - 1;
    for (size_t i = open; i + length + 1 < size; i++)
        if (text[i] == ')' && memcmp(text + i + 1, text + at + 1, length) == 0 &&
            text[i + 1 + length] == '"')
            return i + length + 2;
    return size;
}

/** The offset after the directive whose `#` is at `at`: the newline that ends it, or the end. */
static size_t skip_directive(const char *text, size_t size, size_t at)
{
    while (at < size && text[at] != '\n') {
        const size_t joined = splice(text, size, at);
        if (joined) {
            at += joined;
        } else if (text[at] == '/' && at + 1 < size && text[at + 1] == '*') {
            at = skip_comment(text, size, at);
        } else if (text[at] == '/' && at + 1 < size && text[at + 1] == '/') {
            at = skip_comment(text, size, at);
        } else if (text[at] == '"') {
            at = skip_quoted(text, size, at);
        } else {
            at++;
        }
    }
    return at;
}

static size_t skip_number(const char *text, size_t size, size_t at)
{
    while (at < size) {
        const char c = text[at];
        if ((c == '+' || c == '-') && strchr("eEpP", text[at - 1]))
            at++;
        else if (c == '\'' && at + 1 < size && is_name_part(text[at + 1]))
            at += 2;
        else if (is_name_part(c) || c == '.')
            at++;
        else
            break;
    }
    return at;
}

static bool is_raw_prefix(const char *text, size_t length)
{
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strlen(prefixes[i]) == length && memcmp(prefixes[i], text, length) == 0)
            return true;
    return false;
}

static bool is_string_prefix(const char *text, size_t length)
{
    return (length == 1 && strchr("LuU", text[0])) || (length == 2 && !memcmp(text, "u8", 2));
}

/** Reads a name, or a literal with a prefix that looks like one. */
static size_t name_or_literal(rk_token_kind *kind, const char *text, size_t size, size_t at)
{
    size_t end = at;
    while (end < size && is_name_part(text[end]))
        end++;
    *kind = RK_TOKEN_NAME;
    if (end >= size)
        return end;
    if (text[end] == '"' && is_raw_prefix(text + at, end - at)) {
        *kind = RK_TOKEN_STRING;
        return skip_raw(text, size, end);
    }
    if ((text[end] == '"' || text[end] == '\'') && is_string_prefix(text + at, end - at)) {
        *kind = text[end] == '"' ? RK_TOKEN_STRING : RK_TOKEN_CHAR;
        return skip_quoted(text, size, end);
    }
    return end;
}

static size_t punct_length(const char *text, size_t size, size_t at)
{
    static const char *const longer[] = {"...", "::", "->", "[[", "]]", "==", "!=", "<=", ">="};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        const size_t length = strlen(longer[i]);
        if (at + length <= size && memcmp(text + at, longer[i], length) == 0)
            return length;
    }
    return 1;
}

static size_t next_token(rk_token_kind *kind, const char *text, size_t size, size_t at)
{
    const char c = text[at];
    if (is_name_start(c))
        return name_or_literal(kind, text, size, at);
    if (isdigit((unsigned char)c) ||
        (c == '.' && at + 1 < size && isdigit((unsigned char)text[at + 1]))) {
        *kind = RK_TOKEN_NUMBER;
        return skip_number(text, size, at + 1);
    }
    if (c == '"' || c == '\'') {
        *kind = c == '"' ? RK_TOKEN_STRING : RK_TOKEN_CHAR;
        return skip_quoted(text, size, at);
    }
    *kind = RK_TOKEN_PUNCT;
    return at + punct_length(text, size, at);
}

static rk_tokens lex(const char *text, size_t size, size_t at, bool directives, rk_arena *arena)
{
    token_vec tokens = {0};
    bool line_start = directives;
    while (at < size) {
        const size_t comment = skip_comment(text, size, at);
        const size_t joined = splice(text, size, at);
        if (comment != at || joined) {
            at = joined ? at + joined : comment;
            continue;
        }
        if (isspace((unsigned char)text[at])) {
            line_start = directives && (line_start || text[at] == '\n');
            at++;
            continue;
        }
        rk_token *token = rk_push(arena, &tokens);
        token->offset = at;
        if (line_start && text[at] == '#') {
            token->kind = RK_TOKEN_DIRECTIVE;
            at = skip_directive(text, size, at);
        } else {
            at = next_token(&token->kind, text, size, at);
        }
        token->length = at - token->offset;
        line_start = false;
    }
    return (rk_tokens){text, size, tokens.items, tokens.count};
}

rk_tokens rk_lex(const char *text, size_t size, rk_arena *arena)
{
    return lex(text, size, 0, true, arena);
}

rk_tokens rk_lex_directive(const char *text, size_t size, rk_arena *arena)
{
    return lex(text, size, 1, false, arena);
}

size_t rk_tokens_at(const rk_tokens *tokens, size_t offset)
{
    size_t low = 0, high = tokens->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tokens->items[middle].offset + tokens->items[middle].length <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool rk_token_is(const rk_tokens *tokens, size_t i, const char *text)
{
    if (i >= tokens->count)
        return false;
    const size_t length = strlen(text);
    return tokens->items[i].length == length &&
           memcmp(tokens->text + tokens->items[i].offset, text, length) == 0;
}

char *rk_token_text(const rk_tokens *tokens, size_t i, rk_arena *arena)
{
    if (i >= tokens->count)
        return rk_arena_strdup(arena, "");
    return rk_arena_strndup(arena, tokens->text + tokens->items[i].offset, tokens->items[i].length);
}

/** +1 for an opening bracket, -1 for a closing one; doubled ones count twice. */
static int bracket(const rk_tokens *tokens, size_t i)
{
    if (tokens->items[i].kind != RK_TOKEN_PUNCT)
        return 0;
    const char *c = tokens->text + tokens->items[i].offset;
    const int depth = tokens->items[i].length == 2 ? 2 : 1;
    if (strchr("([{", *c))
        return depth;
    return strchr(")]}", *c) ? -depth : 0;
}

static size_t close_angle(const rk_tokens *tokens, size_t open)
{
    int angles = 0, others = 0;
    for (size_t i = open; i < tokens->count; i++) {
        others += bracket(tokens, i);
        if (others < 0 || (others == 0 && rk_token_is(tokens, i, ";")))
            return tokens->count;
        if (others > 0)
            continue;
        angles += rk_token_is(tokens, i, "<");
        angles -= rk_token_is(tokens, i, ">");
        if (angles == 0)
            return i;
    }
    return tokens->count;
}

size_t rk_tokens_close(const rk_tokens *tokens, size_t open)
{
    if (rk_token_is(tokens, open, "<"))
        return close_angle(tokens, open);
    int depth = 0;
    for (size_t i = open; i < tokens->count; i++) {
        depth += bracket(tokens, i);
        if (depth <= 0)
            return i;
    }
    return tokens->count;
}

/** Where a comment in the directive's operand starts; `end` if none does. */
static size_t operand_end(const char *text, size_t at, size_t end)
{
    while (at < end) {
        if (text[at] == '"')
            at = skip_quoted(text, end, at);
        else if (text[at] == '/' && at + 1 < end && (text[at + 1] == '/' || text[at + 1] == '*'))
            return at;
        else
            at++;
    }
    return end;
}

rk_directive rk_directive_of(const rk_tokens *tokens, size_t i, rk_arena *arena)
{
    const char *text = tokens->text;
    size_t at = tokens->items[i].offset + 1;
    size_t end = tokens->items[i].offset + tokens->items[i].length;
    while (at < end && (isspace((unsigned char)text[at]) || skip_comment(text, end, at) != at))
        at = isspace((unsigned char)text[at]) ? at + 1 : skip_comment(text, end, at);
    const size_t name = at;
    while (at < end && is_name_part(text[at]))
        at++;
    const char *name_text = rk_arena_strndup(arena, text + name, at - name);
    while (at < end && isspace((unsigned char)text[at]))
        at++;
    end = operand_end(text, at, end);
    while (end > at && isspace((unsigned char)text[end - 1]))
        end--;
    return (rk_directive){name_text, rk_arena_strndup(arena, text + at, end - at), at};
}

bool rk_tokens_balanced(const rk_tokens *tokens, size_t begin, size_t end, rk_arena *arena)
{
    int depth = 0;
    for (size_t i = rk_tokens_at(tokens, begin); i < tokens->count && tokens->items[i].offset < end;
         i++) {
        if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
            continue;
        const char *name = rk_directive_of(tokens, i, arena).name;
        if (depth == 0 && (rk_str_starts(name, "el") || strcmp(name, "endif") == 0))
            return false;
        depth += rk_str_starts(name, "if") - (strcmp(name, "endif") == 0);
    }
    return depth == 0;
}

size_t rk_line_begin(const char *text, size_t offset)
{
    while (offset > 0 && text[offset - 1] != '\n')
        offset--;
    return offset;
}

size_t rk_line_end(const char *text, size_t size, size_t offset)
{
    while (offset < size && text[offset] != '\n')
        offset++;
    return offset < size ? offset + 1 : offset;
}
