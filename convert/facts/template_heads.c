#include "convert/facts/template_heads.h"

/** The token after a requires-clause whose first operand is at `i`: operands in `(...)`, or names with arguments. */
static size_t requires_end(const rk_tokens *tokens, size_t i)
{
    for (; i < tokens->count; i += 2) { /* `&&` and `||` are two tokens each */
        while (rk_token_is(tokens, i, "::") || rk_token_is(tokens, i + 1, "::"))
            i++;
        if (rk_token_is(tokens, i + 1, "<") && !rk_token_is(tokens, i, "("))
            i++;
        i = rk_token_is(tokens, i, "(") || rk_token_is(tokens, i, "<")
                ? rk_tokens_close(tokens, i) + 1
                : i + 1;
        if (!rk_token_is(tokens, i, "&") && !rk_token_is(tokens, i, "|"))
            break;
    }
    return i;
}

rk_heads rk_heads_read(const rk_tokens *tokens, size_t begin)
{
    rk_heads h = {.next = rk_tokens_at(tokens, begin)};
    while (rk_token_is(tokens, h.next, "template") && rk_token_is(tokens, h.next + 1, "<")) {
        h.open = h.next + 1;
        h.close = rk_tokens_close(tokens, h.open);
        if (h.close >= tokens->count)
            break;
        h.count++;
        h.next = h.close + 1;
        if (rk_token_is(tokens, h.next, "requires"))
            h.next = requires_end(tokens, h.next + 1);
    }
    return h;
}

size_t rk_heads_param_end(const rk_tokens *tokens, size_t i, size_t close)
{
    int depth = 0;
    for (; i < close; i++) {
        depth += rk_token_is(tokens, i, "(") || rk_token_is(tokens, i, "<");
        depth -= rk_token_is(tokens, i, ")") || rk_token_is(tokens, i, ">");
        if (depth == 0 && rk_token_is(tokens, i, ","))
            break;
    }
    return i;
}

const char *rk_heads_param_text(const rk_tokens *tokens, const rk_template_param *param,
                                size_t first, size_t end, rk_arena *arena)
{
    const size_t begin = tokens->items[first].offset;
    return param->is_class ? rk_arena_printf(arena, "class %s", param->name)
                           : rk_arena_strndup(arena, tokens->text + begin,
                                              tokens->items[end - 1].offset +
                                                  tokens->items[end - 1].length - begin);
}

char *rk_heads_own_args(const rk_function *f, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < f->params.count; i++)
        if (*f->params.items[i].name)
            rk_str_addf(&out, "%s%s%s", out.length ? ", " : "<", f->params.items[i].name,
                        f->params.items[i].pack ? "..." : "");
    if (out.length)
        rk_str_add(&out, ">");
    return rk_arena_strdup(arena, rk_str_text(&out));
}

char *rk_heads_own(const rk_unit *unit, const rk_function *f, rk_arena *arena)
{
    if (!f->is_template)
        return rk_arena_strdup(arena, "");
    const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
    const rk_heads h = rk_heads_read(tokens, f->definition.begin);
    rk_str out = {.arena = arena};
    size_t param = 0;
    for (size_t i = h.open + 1; h.count && i < h.close; param++) {
        const size_t first = i;
        i = rk_heads_param_end(tokens, i, h.close);
        if (param < f->params.count && *f->params.items[param].name)
            rk_str_addf(&out, "%s%s", out.length ? ", " : "template <",
                        rk_heads_param_text(tokens, &f->params.items[param], first, i, arena));
        i++;
    }
    if (out.length)
        rk_str_add(&out, "> ");
    return rk_arena_strdup(arena, rk_str_text(&out));
}
