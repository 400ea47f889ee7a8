#include "convert/facts/last_block.h"

#include "convert/facts/spread.h"
#include "convert/facts/system.h"
#include "convert/unit/problems.h"

#include <string.h>

/** A kernel's text at any depth. */
typedef struct {
    rk_unit *unit;
    rk_reached functions;
    const char *counter; /**< the first one, NULL if there is none */
    bool kept;           /**< it is a variable that keeps its value */
    bool set_back;
} search;

static const rk_tokens *tokens_of(const search *s, size_t index)
{
    return &s->unit->files.items[s->unit->functions.items[index]->definition.file]->tokens;
}

/** Whether a counter is added to here, and what it was before is used. */
static bool counts(const rk_tokens *tokens, size_t i)
{
    return (rk_system_token(tokens, i)->does & RK_DOES_COUNT) && rk_token_is(tokens, i + 1, "(") &&
           i > 0 && !rk_token_is(tokens, i - 1, ";") && !rk_token_is(tokens, i - 1, "{") &&
           !rk_token_is(tokens, i - 1, "}") && !rk_token_is(tokens, i - 1, ")");
}

/** The token of the variable behind an argument: `&c`, `c`, `&c[i]`. */
static size_t variable_at(const rk_tokens *tokens, size_t i)
{
    while (rk_token_is(tokens, i, "&") || rk_token_is(tokens, i, "("))
        i++;
    return i < tokens->count && tokens->items[i].kind == RK_TOKEN_NAME ? i : RK_NONE;
}

static bool is_zero(const rk_tokens *tokens, size_t i)
{
    return rk_token_is(tokens, i, "0") || rk_token_is(tokens, i, "0u") ||
           rk_token_is(tokens, i, "0U");
}

/** `atomicInc(&c, n - 1)` is back at 0 after n blocks. */
static bool wraps(const rk_tokens *tokens, size_t i)
{
    const size_t close = rk_tokens_close(tokens, i + 1);
    return (rk_system_token(tokens, i)->does & RK_DOES_WRAP) && close < tokens->count &&
           rk_token_is(tokens, close - 1, "1") && rk_token_is(tokens, close - 2, "-");
}

/** `c = 0`, `*c = 0`, `c[i] = 0`, `atomicExch(&c, 0)`. */
static bool sets_back(const rk_tokens *tokens, size_t i, const char *counter)
{
    if ((rk_system_token(tokens, i)->does & RK_DOES_EXCHANGE) && rk_token_is(tokens, i + 1, "(")) {
        const size_t variable = variable_at(tokens, i + 2);
        const size_t close = rk_tokens_close(tokens, i + 1);
        return variable != RK_NONE && rk_token_is(tokens, variable, counter) &&
               close < tokens->count && is_zero(tokens, close - 1);
    }
    if (!rk_token_is(tokens, i, counter))
        return false;
    if (rk_token_is(tokens, i + 1, "["))
        i = rk_tokens_close(tokens, i + 1);
    return rk_token_is(tokens, i + 1, "=") && is_zero(tokens, i + 2);
}

/** A text that is not to be shown twice: visits the tokens of all functions of the search. */
static void each_token(search *s, void (*visit)(search *s, const rk_tokens *tokens, size_t i))
{
    for (size_t k = 0; k < s->unit->functions.count; k++) {
        const rk_function *f = s->unit->functions.items[k];
        const rk_tokens *tokens = tokens_of(s, k);
        for (size_t i = s->functions.seen[k] ? rk_tokens_at(tokens, f->definition.end)
                                             : tokens->count;
             i < tokens->count && tokens->items[i].offset < f->end; i++)
            visit(s, tokens, i);
    }
}

static bool keeps(const search *s, const char *name)
{
    for (size_t k = 0; k < s->unit->functions.count; k++) {
        const rk_function *f = s->unit->functions.items[k];
        for (size_t i = 0; s->functions.seen[k] && i < f->kept.count; i++)
            if (strcmp(f->kept.items[i], name) == 0)
                return true;
    }
    return false;
}

static void find_counter(search *s, const rk_tokens *tokens, size_t i)
{
    if (!counts(tokens, i))
        return;
    const size_t variable = variable_at(tokens, i + 2);
    if (variable == RK_NONE)
        return;
    const char *name = rk_token_text(tokens, variable, s->unit->arena);
    const bool kept = keeps(s, name);
    if (s->counter && !(kept && !s->kept))
        return;
    s->counter = name;
    s->kept = kept;
    s->set_back = wraps(tokens, i);
}

static void find_reset(search *s, const rk_tokens *tokens, size_t i)
{
    s->set_back |= sets_back(tokens, i, s->counter);
}

void rk_last_block(rk_unit *unit, size_t kernel)
{
    const rk_function *f = unit->functions.items[kernel];
    if (!(f->reach_does & RK_TEXT_FENCES))
        return;
    search s = {.unit = unit, .functions = rk_reached_from(unit, kernel, false)};
    each_token(&s, find_counter);
    if (!s.counter)
        return;
    each_token(&s, find_reset);
    if (s.kept && !s.set_back)
        rk_problem_add(unit, kernel, RK_REFUSED, "RK-V128", f->place,
                       "set it to 0 in the last block, or pass it as a parameter",
                       "'%s' finds its last block with '%s', which nothing sets back for the next "
                       "run",
                       f->name, s.counter);
    else
        rk_problem_add(unit, kernel, RK_WARNING, "RK-V201", f->place,
                       s.set_back ? "none, if it begins at 0" : "see that it is 0 before each run",
                       s.set_back ? "'%s' finds its last block with '%s', and sets that back"
                                  : "'%s' finds its last block with '%s'",
                       f->name, s.counter);
}
