#include "convert/program/drop_in.h"
#include "convert/program/program_internal.h"

#include <string.h>

/* Launches, by their text: in templates, macros and inactive branches alike. */

static bool adjacent(const rk_tokens *tokens, size_t i, const char *text)
{
    for (size_t k = 0; k < 3; k++)
        if (!rk_token_is(tokens, i + k, text) ||
            (k && tokens->items[i + k].offset != tokens->items[i].offset + k))
            return false;
    return true;
}

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
        if (adjacent(tokens, i, ">"))
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
    const char *suffix =
        program->unit->options->drop_in && name != RK_NONE
            ? rk_drop_in_suffix(program->unit, (rk_where){s->file, s->base + t->items[name].offset})
            : NULL;
    if (program->unit->options->target != RK_TARGET_CPU && !suffix)
        return;
    const size_t name_end = name == RK_NONE ? open : t->items[name].offset + t->items[name].length;
    const char *callee =
        rk_arena_printf(arena, "%.*s%s%.*s", (int)(name_end - begin), t->text + begin,
                        suffix ? suffix : "", (int)(open - name_end), t->text + name_end);
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
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        for (size_t k = 0; k < s->tokens.count; k++) {
            launch l;
            if (!adjacent(&s->tokens, k, "<"))
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

/* References to kernels that are no launches. */

static bool in_launch(const rk_program *program, rk_where at)
{
    for (size_t i = 0; i < program->callees.count; i++) {
        const rk_range *r = &program->callees.items[i];
        if (r->file == at.file && at.offset >= r->begin && at.offset < r->end)
            return true;
    }
    return false;
}

/** Whether the name is a template argument, or in a constant expression: it cannot be wrapped there. */
static bool is_constant(const rk_tokens *tokens, size_t begin)
{
    int closed = 0;
    for (size_t i = begin; i-- > 0;) {
        if (rk_token_is(tokens, i, ")") || rk_token_is(tokens, i, "]")) {
            i = rk_program_open_before(tokens, i);
            continue;
        }
        closed += rk_token_is(tokens, i, ">");
        if (rk_token_is(tokens, i, "<") && closed-- == 0)
            return true;
        if (rk_token_is(tokens, i, "constexpr"))
            return true;
        if (rk_token_is(tokens, i, ";") || rk_token_is(tokens, i, "(") ||
            rk_token_is(tokens, i, "{") || rk_token_is(tokens, i, "}"))
            return false;
    }
    return false;
}

static bool is_operand(const rk_tokens *tokens, size_t i)
{
    return tokens->items[i].kind == RK_TOKEN_NAME || tokens->items[i].kind == RK_TOKEN_NUMBER ||
           rk_token_is(tokens, i, ")") || rk_token_is(tokens, i, "]");
}

/** Whether `&` at `i` takes an address; after `)` it may, since casts end so, and never is a bit's `and`. */
static bool takes_address(const rk_tokens *tokens, size_t i)
{
    return rk_token_is(tokens, i, "&") &&
           (i == 0 || rk_token_is(tokens, i - 1, ")") || !is_operand(tokens, i - 1) ||
            rk_token_is(tokens, i - 1, "return"));
}

/** Whether the name alone does not say which kernel is meant. */
static bool is_ambiguous(const rk_program *program, const rk_kernel_reference *reference)
{
    size_t same = 0;
    for (size_t i = 0; i < program->kernels.count; i++)
        same += strcmp(program->kernels.items[i].name, reference->kernel) == 0;
    return reference->deduced || same > 1;
}

static void edit_reference(rk_program *program, const rk_kernel_reference *reference)
{
    size_t name;
    const rk_stretch *s = rk_program_stretch(program, reference->name, &name);
    if (!s || reference->called || in_launch(program, reference->name))
        return;
    const rk_tokens *t = &s->tokens;
    size_t end = name + 1;
    const bool args = rk_token_is(t, end, "<") && rk_tokens_close(t, end) < t->count;
    if (args)
        end = rk_tokens_close(t, end) + 1;
    size_t begin = rk_program_callee_begin(t, end);
    if (begin >= end || rk_token_is(t, end, "(") || is_constant(t, begin) ||
        (begin > 0 && rk_token_is(t, begin - 1, "using")))
        return;
    if (begin > 0 && rk_token_is(t, begin - 1, "::"))
        begin--;
    if (begin > 0 && takes_address(t, begin - 1))
        begin--;
    const char *cast = !args && is_ambiguous(program, reference) ? reference->type : NULL;
    rk_program_insert(
        program, s, t->items[begin].offset, 0,
        cast ? rk_arena_printf(program->unit->arena, "rk__::kernel(static_cast<%s>(", cast)
             : "rk__::kernel(");
    rk_program_insert(program, s, t->items[end - 1].offset + t->items[end - 1].length, 0,
                      cast ? "))" : ")");
}

void rk_program_edit_references(rk_program *program)
{
    for (size_t i = 0; i < program->references.count; i++)
        edit_reference(program, &program->references.items[i]);
}
