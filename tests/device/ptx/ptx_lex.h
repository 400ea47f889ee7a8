#ifndef RK_TESTS_PTX_LEX_H
#define RK_TESTS_PTX_LEX_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/** PTX's words. An opcode with its modifiers is one word, a directive begins with its dot. */
typedef enum { LEX_END, LEX_WORD, LEX_NUMBER, LEX_STRING, LEX_PUNCTUATION } lex_kind;

typedef struct {
    lex_kind kind;
    const char *text; /**< of a word or string; of a number as written */
    char mark;        /**< of punctuation */
    int64_t value;    /**< of a number: an integer, or a floating-point number's bits */
    int float_bytes;  /**< 4 or 8 of a floating-point number, else 0 */
    int line;
} lex_token;

/** The words of a text, ended by LEX_END; comments are none. NULL at a character that PTX does not have: *line. */
lex_token *lex_all(const char *text, rk_arena *arena, int *line);

#endif
