#ifndef RK_CONVERT_TEXT_LEX_H
#define RK_CONVERT_TEXT_LEX_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    RK_TOKEN_NAME, /**< identifiers and keywords */
    RK_TOKEN_NUMBER,
    RK_TOKEN_STRING, /**< raw ones too, with prefix and suffix */
    RK_TOKEN_CHAR,
    RK_TOKEN_PUNCT,    /**< one character, apart from `::`, `->`, `[[`, `]]` and `...` */
    RK_TOKEN_DIRECTIVE /**< a whole preprocessor line with its continuations, without the newline */
} rk_token_kind;

/** A token of a source text, by its place in it. */
typedef struct {
    rk_token_kind kind;
    size_t offset, length;
} rk_token;

/** A source text and its tokens in order; comments and white space are what lies between them. */
typedef struct {
    const char *text;
    size_t size;
    const rk_token *items;
    size_t count;
} rk_tokens;

/**
 * Splits C++ text into tokens. Nothing is preprocessed: inactive branches are tokens too. Broken
 * text (an unterminated comment or string) gives tokens up to its end. `text` must outlive the
 * result.
 */
rk_tokens rk_lex(const char *text, size_t size, rk_arena *arena);

/** As rk_lex, of the text inside a directive: its first character is `#`, which is skipped. */
rk_tokens rk_lex_directive(const char *text, size_t size, rk_arena *arena);

/** Index of the first token that ends after `offset`; `count` when there is none. */
size_t rk_tokens_at(const rk_tokens *tokens, size_t offset);

/** Whether token `i` exists and its text is `text`. */
bool rk_token_is(const rk_tokens *tokens, size_t i, const char *text);

/** The token's text, copied. */
char *rk_token_text(const rk_tokens *tokens, size_t i, rk_arena *arena);

/**
 * The index of the bracket that closes the `(`, `[`, `{` or `<` at `open`; `count` if there is
 * none. For `<` the search ends without success at `;`, `{` or an unmatched closing bracket.
 */
size_t rk_tokens_close(const rk_tokens *tokens, size_t open);

/** What a directive is and its operand: name "include", rest "<cuda_runtime.h>". Arena strings. */
typedef struct {
    const char *name;   /**< "" for a null directive */
    const char *rest;   /**< without comments at its end and surrounding white space */
    size_t rest_offset; /**< of `rest` in the source text */
} rk_directive;

rk_directive rk_directive_of(const rk_tokens *tokens, size_t i, rk_arena *arena);

/** Whether each #if that begins in [begin, end) ends there. */
bool rk_tokens_balanced(const rk_tokens *tokens, size_t begin, size_t end, rk_arena *arena);

/** Offset of the first byte of the line that holds `offset`, and of the byte after its newline. */
size_t rk_line_begin(const char *text, size_t offset);
size_t rk_line_end(const char *text, size_t size, size_t offset);

#endif
