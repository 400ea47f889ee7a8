#include "convert/program/drop_in.h"
#include "convert/program/program_internal.h"

#include <string.h>

/* Launches, by their text: in templates, macros and inactive branches alike. */

/** The token of the `>>>` that ends the configuration which starts at `i`; `count` if none does. */
static size_t configuration_end(const rk_tokens *tokens, size_t i)
{
    for (; i < tokens->count; i++) {
        if (rk_token_is(tokens, i, "(") || rk_token_is(tokens, i, "{") ||
            rk_token_is(tokens, i, "[")) {
            i = rk_tokens_close(tokens, i);
            continue;
        }
        if (rk_token_is(tokens, i, ";") || rk_token_is(tokens, i, ")"))
            break;
        if (rk_program_adjacent(tokens, i, ">"))
            return i;
    }
    return tokens->count;
}

/** A launch's tokens. */
typedef struct {
    size_t begin;       /**< of the kernel's expression */
    size_t open, close; /**< of `<<<` and `>>>` */
    size_t args, end;   /**< of the arguments' parentheses */
} launch;

static bool read_launch(launch *out, const rk_tokens *tokens, size_t open)
{
    out->open = open;
    out->begin = rk_program_callee_begin(tokens, open);
    out->close = configuration_end(tokens, open + 3);
    out->args = out->close + 3;
    if (out->close >= tokens->count || !rk_token_is(tokens, out->args, "("))
        return false;
    out->end = rk_tokens_close(tokens, out->args);
    return out->end < tokens->count && out->begin < open;
}

/** The last name of the kernel's expression, before any template arguments. */
static size_t last_name(const rk_tokens *tokens, const launch *l)
{
    size_t i = l->open;
    if (rk_token_is(tokens, i - 1, ">"))
        i = rk_program_open_before(tokens, i - 1);
    return i > l->begin && tokens->items[i - 1].kind == RK_TOKEN_NAME ? i - 1 : RK_NONE;
}

/** `k<<<c>>>(args)` becomes `(rk__::push_launch(c), k(args))`. */
static void edit_launch(rk_program *program, const rk_stretch *s, const launch *l)
{
    rk_arena *arena = program->unit->arena;
    const rk_tokens *t = &s->tokens;
    const size_t begin = t->items[l->begin].offset;
    const size_t open = t->items[l->open].offset;
    const size_t close = t->items[l->close].offset;
    const size_t name = last_name(t, l);
    const bool drop_in = program->unit->options->drop_in;
    const char *suffix =
        drop_in && name != RK_NONE
            ? rk_drop_in_suffix(program->unit, (rk_where){s->file, s->base + t->items[name].offset})
            : NULL;
    const rk_macro_kernel *macro =
        name == RK_NONE ? NULL : rk_program_macro_kernel(program, s, name);
    const char *pointer = macro            ? macro->named ? NULL : macro->param
                          : drop_in && !suffix ? rk_program_pointer(program, s, l->begin, l->open)
                                               : NULL;
    if (program->unit->options->target != RK_TARGET_CPU && !suffix && !pointer && !macro)
        return;
    const size_t name_end = name == RK_NONE ? open : t->items[name].offset + t->items[name].length;
    const char *callee =
        pointer ? rk_arena_printf(arena, "rk__::drop_in_launcher(%s)", pointer)
                : rk_arena_printf(arena, "%.*s%s%.*s", (int)(name_end - begin), t->text + begin,
                                  suffix ? suffix : "", (int)(open - name_end),
                                  t->text + name_end);
    rk_program_edit(program, s, begin, open + 3 - begin, "(rk__::push_launch(");
    rk_program_edit(program, s, close, 3, rk_arena_printf(arena, "), %s", callee));
    rk_program_insert(program, s, t->items[l->end].offset + 1, 0, ")");
    *rk_push(arena, &program->callees) = (rk_range){s->file, s->base + begin, s->base + open};
}

/**
 * A macro that ends with the configuration, so that the arguments follow where it is used:
 * `#define ON_ALL(k) k<<<1, 32>>>` becomes `(rk__::push_launch(1, 32), k)`. False when it is none.
 */
static bool edit_open_launch(rk_program *program, const rk_stretch *s, const launch *l)
{
    rk_arena *arena = program->unit->arena;
    const rk_tokens *t = &s->tokens;
    if (!s->macro || l->begin >= l->open || l->close >= t->count || l->args != t->count)
        return false;
    const size_t begin = t->items[l->begin].offset, open = t->items[l->open].offset;
    const char *callee = rk_arena_strndup(arena, t->text + begin, open - begin);
    rk_program_edit(program, s, begin, open + 3 - begin, "(rk__::push_launch(");
    rk_program_edit(program, s, t->items[l->close].offset, 3,
                    rk_arena_printf(arena, "), %s)", callee));
    *rk_push(arena, &program->callees) = (rk_range){s->file, s->base + begin, s->base + open};
    return true;
}

static bool refuse(const rk_program *program, const rk_stretch *s, size_t token)
{
    return rk_diag_add(program->unit->diag, RK_ERROR, "RK-V130",
                       rk_program_place(program, s, token),
                       "write kernel<<<grid, block>>>(arguments) out in one place",
                       "the parts of this launch are not in one place");
}

/* A macro that is only a configuration: `#define ON(g, b) <<<g, b>>>`, used as `k ON(1, 32)(args)`. */

static bool is_configuration_macro(const rk_stretch *s, size_t open)
{
    const rk_tokens *t = &s->tokens;
    if (!s->macro || !rk_token_is(t, 0, "define"))
        return false;
    const size_t before = rk_token_is(t, 2, "(") ? rk_tokens_close(t, 2) + 1 : 2;
    return before == open && configuration_end(t, open + 3) + 3 == t->count;
}

/** `k ON(1, 32)(args)` becomes `(rk__::push_launch ON(1, 32), k(args))`, ON being `(g, b)`. */
static void edit_macro_launch(rk_program *program, const rk_stretch *s, size_t at)
{
    rk_arena *arena = program->unit->arena;
    const rk_tokens *t = &s->tokens;
    const size_t begin = rk_program_callee_begin(t, at);
    const size_t close = rk_token_is(t, at + 1, "(") ? rk_tokens_close(t, at + 1) : at;
    const size_t args = close + 1;
    if (begin == at || !rk_token_is(t, args, "("))
        return;
    const size_t end = rk_tokens_close(t, args);
    if (end >= t->count)
        return;
    const size_t from = t->items[begin].offset, to = t->items[at].offset;
    const char *callee = rk_arena_strndup(arena, t->text + from, to - from);
    rk_program_edit(program, s, from, to - from, "(rk__::push_launch ");
    rk_program_insert(program, s, t->items[args].offset, 0, rk_arena_printf(arena, ", %s", callee));
    rk_program_insert(program, s, t->items[end].offset + 1, 0, ")");
    *rk_push(arena, &program->callees) = (rk_range){s->file, s->base + from, s->base + to};
}

static void edit_macro_launches(rk_program *program, const char *name)
{
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        for (size_t k = 1; k < s->tokens.count; k++)
            if (rk_token_is(&s->tokens, k, name) &&
                !(s->macro && k == 1 && rk_token_is(&s->tokens, 0, "define")))
                edit_macro_launch(program, s, k);
    }
}

static void edit_configuration(rk_program *program, const rk_stretch *s, size_t open)
{
    const rk_tokens *t = &s->tokens;
    const size_t close = configuration_end(t, open + 3);
    rk_program_edit(program, s, t->items[open].offset, 3, "(");
    rk_program_edit(program, s, t->items[close].offset, 3, ")");
    edit_macro_launches(program, rk_token_text(t, 1, program->unit->arena));
}

bool rk_program_edit_launches(rk_program *program)
{
    bool ok = true;
    const bool cpu = program->unit->options->target == RK_TARGET_CPU;
    if (program->unit->options->drop_in)
        rk_program_edit_macro_kernels(program);
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        for (size_t k = 0; k < s->tokens.count; k++) {
            launch l;
            if (!rk_program_adjacent(&s->tokens, k, "<"))
                continue;
            if (read_launch(&l, &s->tokens, k))
                edit_launch(program, s, &l);
            else if (cpu && is_configuration_macro(s, k))
                edit_configuration(program, s, k);
            else if (cpu && !edit_open_launch(program, s, &l))
                ok = refuse(program, s, k);
            k += 2;
        }
    }
    return ok;
}
