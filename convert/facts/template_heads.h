#ifndef RK_CONVERT_FACTS_TEMPLATE_HEADS_H
#define RK_CONVERT_FACTS_TEMPLATE_HEADS_H

#include "convert/unit/unit.h"

/* The `template <...>` in front of a declaration, as text. */

typedef struct {
    size_t count;       /**< template heads before the declaration */
    size_t open, close; /**< the last one's brackets, as tokens */
    size_t next;        /**< the token after it */
} rk_heads;

/** The template heads in front of the declaration that begins at offset `begin`. */
rk_heads rk_heads_read(const rk_tokens *tokens, size_t begin);

/** The token after the template parameter that begins at `i`: a comma or the head's end. */
size_t rk_heads_param_end(const rk_tokens *tokens, size_t i, size_t close);

/** What takes the place of a template parameter's tokens [first, end). */
const char *rk_heads_param_text(const rk_tokens *tokens, const rk_template_param *param,
                                size_t first, size_t end, rk_arena *arena);

/** "<TILE, Ts...>": the function's own template parameters as arguments; "" if none has a name. */
char *rk_heads_own_args(const rk_function *f, rk_arena *arena);

/**
 * "template <int TILE, class... Ts> ": its template head without unnamed parameters; "" if none.
 */
char *rk_heads_own(const rk_unit *unit, const rk_function *f, rk_arena *arena);

#endif
