#include "convert/cuda/builtins.h"
#include "convert/facts/template_heads.h"
#include "convert/program/drop_in_internal.h"

#include "convert/clang/expand.h"
#include "convert/rkernel/decide.h"
#include "convert/rkernel/recheck.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/sources.h"

#include <string.h>

/** Which function is made from a kernel's declaration. */
typedef enum {
    LAUNCHER, /**< the host function of the same parameters */
    VDEVICE   /**< the kernel that runs the rTasks */
} form;

typedef struct {
    rk_unit *unit;
    const rk_function *f;
    const rk_declaration *d;
    const rk_tokens *tokens;
    form form;
    bool definition; /**< with names for all parameters */
    rk_edits edits;
} maker;

static void replace(maker *m, size_t offset, size_t length, const char *text)
{
    rk_edits_add(&m->edits, offset - m->d->begin, length, text);
}

static void remove_tokens(maker *m, size_t first, size_t last)
{
    const size_t begin = m->tokens->items[first].offset;
    size_t end = m->tokens->items[last].offset + m->tokens->items[last].length;
    while (m->tokens->text[end] == ' ')
        end++;
    replace(m, begin, end - begin, "");
}

/** An attribute of kernels with an argument list. */
static bool is_kernel_attribute(const rk_tokens *tokens, size_t i)
{
    return (rk_token_is(tokens, i, "__launch_bounds__") || rk_token_is(tokens, i, "__maxnreg__") ||
            rk_token_is(tokens, i, "__cluster_dims__") ||
            rk_token_is(tokens, i, "__block_size__")) &&
           rk_token_is(tokens, i + 1, "(");
}

static bool is_dropped(const maker *m, const rk_tokens *tokens, size_t i)
{
    if (rk_token_is(tokens, i, "__global__"))
        return true;
    return m->form == VDEVICE &&
           (rk_token_is(tokens, i, "static") || rk_token_is(tokens, i, "inline") ||
            rk_token_is(tokens, i, "__inline__") || rk_token_is(tokens, i, "__forceinline__") ||
            rk_token_is(tokens, i, "extern"));
}

/** A macro's text without what a launcher cannot have. */
static const char *specifiers(const maker *m, const char *text)
{
    rk_arena *arena = m->unit->arena;
    const rk_tokens tokens = rk_lex(text, strlen(text), arena);
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < tokens.count; i++) {
        if (is_kernel_attribute(&tokens, i))
            i = rk_tokens_close(&tokens, i + 1);
        else if (!is_dropped(m, &tokens, i))
            rk_str_addf(&out, "%s ", rk_token_text(&tokens, i, arena));
    }
    return rk_arena_strdup(arena, rk_str_text(&out));
}

/** Edits the specifiers between the template heads and the name. */
static void edit_specifiers(maker *m, size_t first)
{
    for (size_t i = first; i < m->tokens->count && m->tokens->items[i].offset < m->d->name; i++) {
        const rk_token *token = &m->tokens->items[i];
        if (is_kernel_attribute(m->tokens, i)) {
            const size_t close = rk_tokens_close(m->tokens, i + 1);
            remove_tokens(m, i, close);
            i = close;
        } else if (rk_token_is(m->tokens, i,
                               "[[")) { /* what comes before may not stand before it */
            const size_t close = rk_tokens_close(m->tokens, i);
            remove_tokens(m, i, close);
            i = close;
        } else if (is_dropped(m, m->tokens, i)) {
            remove_tokens(m, i, i);
        } else if (token->kind == RK_TOKEN_STRING && m->form == VDEVICE) {
            remove_tokens(m, i, i); /* extern "C" */
        } else if (token->kind == RK_TOKEN_NAME) {
            const char *text =
                rk_sources_macro(m->unit, rk_token_text(m->tokens, i, m->unit->arena));
            size_t last = i;
            const char *expanded = rk_expand_head(m->unit, m->tokens, i, &last);
            if (last > i)
                text = expanded ? expanded : "";
            const rk_token *end = &m->tokens->items[last];
            if (last > i ||
                (text && (strstr(text, "__global__") || strstr(text, "__launch_bounds__"))))
                replace(m, token->offset, end->offset + end->length - token->offset,
                        specifiers(m, text));
            i = last;
        }
    }
}

/** Names the parameters that have none, and leaves the default values to the launcher. */
static void edit_parameters(maker *m, size_t open, size_t close)
{
    int depth = 0;
    for (size_t i = open + 1; i < close; i++) {
        if (rk_token_is(m->tokens, i, "__grid_constant__"))
            remove_tokens(m, i, i);
        if (rk_token_is(m->tokens, i, "(") || rk_token_is(m->tokens, i, "[") ||
            rk_token_is(m->tokens, i, "{")) {
            i = rk_tokens_close(m->tokens, i);
            continue;
        }
        depth += rk_token_is(m->tokens, i, "<") - rk_token_is(m->tokens, i, ">");
        if (m->form != VDEVICE || depth > 0 || !rk_token_is(m->tokens, i, "="))
            continue;
        size_t last = i;
        while (last + 1 < close && !rk_token_is(m->tokens, last + 1, ",")) {
            last++;
            if (rk_token_is(m->tokens, last, "(") || rk_token_is(m->tokens, last, "{"))
                last = rk_tokens_close(m->tokens, last);
        }
        remove_tokens(m, i, last);
        i = last;
    }
    for (size_t i = 0; m->definition && i < m->f->parameters.count; i++)
        if (!*m->f->parameters.items[i].name)
            rk_edits_insert(&m->edits, m->f->parameters.items[i].end - m->d->begin, 0,
                            rk_arena_printf(m->unit->arena, " rk__a%zu", i));
    if (m->form != VDEVICE)
        return;
    const rk_token *token = &m->tokens->items[open];
    if (rk_token_is(m->tokens, open + 1, "void") && open + 2 == close)
        remove_tokens(m, open + 1, open + 1);
    rk_edits_insert(&m->edits, token->offset + 1 - m->d->begin, 0,
                    m->f->parameters.count ? "rk__::drop_in_grid rk__grid, "
                                           : "rk__::drop_in_grid rk__grid");
}

/** The edited declaration up to the end of its parameter list; NULL when it has none to see. */
static const char *signature(maker *m, const char *suffix)
{
    rk_arena *arena = m->unit->arena;
    m->tokens = &m->unit->files.items[m->d->file]->tokens;
    m->edits = (rk_edits){.arena = arena};
    size_t first = rk_tokens_at(m->tokens, m->d->begin);
    while (rk_token_is(m->tokens, first, "template") && rk_token_is(m->tokens, first + 1, "<"))
        first = rk_tokens_close(m->tokens, first + 1) + 1;
    const size_t name = rk_tokens_at(m->tokens, m->d->name);
    size_t open = name + 1;
    if (rk_token_is(m->tokens, open, "<"))
        open = rk_tokens_close(m->tokens, open) + 1;
    if (!rk_token_is(m->tokens, open, "("))
        return NULL;
    const size_t close = rk_tokens_close(m->tokens, open);
    if (close >= m->tokens->count)
        return NULL;
    if (m->form == LAUNCHER && m->tokens->items[first].offset > m->d->begin)
        rk_edits_insert(&m->edits, m->tokens->items[first].offset - m->d->begin, -1,
                        "__attribute__((used)) "); /* other sources launch its instances */
    edit_specifiers(m, first);
    edit_parameters(m, open, close);
    if (m->form == VDEVICE &&
        m->f->specialisation) { /* a kernel of its own name: it may be static */
        remove_tokens(m, rk_tokens_at(m->tokens, m->d->begin), first - 1);
        if (open > name + 1)
            remove_tokens(m, name + 1, open - 1);
    }
    const size_t after = m->tokens->items[name].offset + m->tokens->items[name].length;
    rk_edits_insert(&m->edits, after - m->d->begin, 0, suffix);
    if (m->form == VDEVICE) {
        const char *threads = "1024", *blocks = "0";
        rk_check_bounds_text(m->unit, m->f, &threads, &blocks);
        if (strcmp(threads, "0") == 0)
            threads = "1024";
        rk_edits_insert(
            &m->edits, m->tokens->items[first].offset - m->d->begin, -1,
            rk_arena_printf(arena, "static __global__ __launch_bounds__(rk__::drop_in_bound(%s)) ",
                            threads));
    }
    size_t size, conflict[2];
    return rk_edits_apply(&m->edits, m->tokens->text + m->d->begin,
                          m->tokens->items[close].offset + 1 - m->d->begin, &size, conflict);
}

static const char *linkage(const maker *m)
{
    const size_t i = rk_tokens_at(m->tokens, m->d->begin);
    return i >= 2 && m->tokens->items[i - 1].kind == RK_TOKEN_STRING &&
                   rk_token_is(m->tokens, i - 2, "extern")
               ? "extern \"C\" "
               : "";
}

const char *rk_drop_in_launcher_declaration(rk_unit *unit, const rk_function *f,
                                            const rk_declaration *d)
{
    maker m = {.unit = unit, .f = f, .d = d};
    const char *text = signature(&m, "_rk__launch");
    return text ? rk_arena_printf(unit->arena, "%s%s;", linkage(&m), text) : NULL;
}

/** "a, n, rest..." with `before` and `after` around each name. */
static const char *each_parameter(const rk_function *f, const char *first, const char *before,
                                  const char *after, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    rk_str_add(&out, first);
    for (size_t i = 0; i < f->parameters.count; i++) {
        const rk_parameter *p = &f->parameters.items[i];
        const char *name = *p->name ? p->name : rk_arena_printf(arena, "rk__a%zu", i);
        rk_str_addf(&out, "%s%s%s%s%s", out.length ? ", " : "", before, name, after,
                    p->pack ? "..." : "");
    }
    return rk_arena_strdup(arena, rk_str_text(&out));
}

/** The kernel as its launcher names it: "k<T, N>". */
static const char *kernel_name(const rk_unit *unit, const rk_function *f, const char *suffix)
{
    const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
    const size_t i = rk_tokens_at(tokens, f->definition.name);
    const char *args = rk_heads_own_args(f, unit->arena);
    if (f->specialisation && rk_token_is(tokens, i + 1, "<")) {
        const size_t begin = tokens->items[i + 1].offset;
        const size_t close = rk_tokens_close(tokens, i + 1);
        args = rk_arena_strndup(unit->arena, tokens->text + begin,
                                tokens->items[close].offset + 1 - begin);
    }
    return rk_arena_printf(unit->arena, "%s%s%s", f->name, suffix, args);
}

/** A form of the kernel that is the drop-in's own: "k_rk__<T, N>", and "k_rk__2_rk__" of an explicit specialisation. */
static const char *form_name(const rk_unit *unit, const rk_function *f, const char *suffix)
{
    return rk_arena_printf(unit->arena, "%s%s%s", f->own_name, suffix,
                           f->specialisation ? "" : rk_heads_own_args(f, unit->arena));
}

static const char *site(const rk_function *f, rk_arena *arena)
{
    return rk_arena_printf(arena, "{\"%s%s\", \"%s\", %d, \"%s\"}", f->scope, f->name,
                           f->place.file, f->place.line, each_parameter(f, "", "", "", arena));
}

/** The codes for which a kernel is refused: "RK-V107 RK-V104". */
static const char *codes(const rk_unit *unit, size_t function)
{
    const rk_unit_problem **problems;
    const size_t count = rk_decide_problems(&problems, unit, function);
    rk_str out = {.arena = unit->arena};
    for (size_t i = 0; i < count; i++)
        if (problems[i]->severity == RK_REFUSED &&
            (!out.length || !strstr(rk_str_text(&out), problems[i]->code)))
            rk_str_addf(&out, "%s%s", out.length ? " " : "", problems[i]->code);
    return out.length ? rk_arena_strdup(unit->arena, rk_str_text(&out)) : "left out";
}

static const char *uses(const rk_function *f, rk_arena *arena)
{
    return rk_arena_printf(arena, "%d, %d, %d, %d", (f->reach & RK_USE_BARRIERS) != 0,
                           (f->reach & RK_USE_REDUCING) != 0, f->early_return, f->warp_returns);
}

/** Whether a kernel reaches accesses that are steps of a warp; see volatile_steps.c. */
static bool is_stepped(const rk_unit *unit, const rk_function *f)
{
    for (size_t i = 0; i < unit->stepped.count; i++)
        if (unit->stepped.items[i].file == f->definition.file &&
            unit->stepped.items[i].offset == f->definition.end)
            return true;
    return false;
}

/** The launcher's body for the CPU; the kernel itself takes the configuration that was pushed. */
static const char *body_for_cpu(rk_unit *unit, size_t function)
{
    rk_arena *arena = unit->arena;
    const rk_function *f = unit->functions.items[function];
    const char *args = each_parameter(f, "", "", "", arena);
    if (f->refused)
        return rk_arena_printf(arena, "rk__::drop_in_keep(\"%s\", \"%s\"); %s(%s);", f->name,
                               codes(unit, function), kernel_name(unit, f, ""), args);
    const bool waits = (f->reach & (RK_USE_BARRIERS | RK_USE_WARPS)) != 0 || is_stepped(unit, f);
    const char *threads, *blocks;
    const char *limits = rk_check_bounds_text(unit, f, &threads, &blocks)
                             ? rk_arena_printf(arena, "rk__::kernel_limits(%s, {}); ", threads)
                             : "";
    const char *own = f->is_template /* another source may take its address */
                          ? rk_arena_printf(arena, "rk__::drop_in_instance<%s>(%s); ",
                                            each_parameter(f, "", "decltype(", ")", arena),
                                            kernel_name(unit, f, ""))
                          : "";
    return rk_arena_printf(
        arena,
        "%s%srk__::drop_in_run<%d, %d%s>(rk__::kernel_site%s, rk__::kernel_args(%s), "
        "[=](auto &rk__ctx) { %s(%s); }, %zu);",
        limits, own, waits, f->split,
        rk_decide_is_ordered(unit, function) ? ", 1" : "", site(f, arena), args, form_name(unit, f, "_rk__"),
        each_parameter(f, "rk__ctx", "", "", arena), unit->options->veus);
}

static const char *body_for_cuda(rk_unit *unit, size_t function)
{
    rk_arena *arena = unit->arena;
    const rk_function *f = unit->functions.items[function];
    const char *types = each_parameter(f, "", "decltype(rk__::value(", "))", arena);
    const char *args = each_parameter(f, "", "", "", arena);
    if (f->refused)
        return rk_arena_printf(
            arena, "rk__::drop_in_call<%s>::keep(rk__::drop_in_site%s, \"%s\", %s%s%s);", types,
            site(f, arena), codes(unit, function), kernel_name(unit, f, ""), *args ? ", " : "",
            args);
    return rk_arena_printf(arena,
                           "rk__::drop_in_call<%s>::run(rk__::drop_in_site%s, %zu, %s, %s%s%s);",
                           types, site(f, arena), unit->options->veus, kernel_name(unit, f, ""),
                           form_name(unit, f, "_rk__vdevice"), *args ? ", " : "", args);
}

static const char *vdevice(rk_unit *unit, const rk_function *f)
{
    rk_arena *arena = unit->arena;
    maker m = {.unit = unit, .f = f, .d = &f->definition, .form = VDEVICE, .definition = true};
    const char *text =
        signature(&m, rk_arena_printf(arena, "%s_rk__vdevice", f->own_name + strlen(f->name)));
    if (!text)
        return "";
    return rk_arena_printf(
        arena, "%s\n{ rk__::drop_in_run<%s>(rk__grid, [&](auto &rk__ctx) { %s(%s); }); }\n", text,
        uses(f, arena), form_name(unit, f, "_rk__"), each_parameter(f, "rk__ctx", "", "", arena));
}

const char *rk_drop_in_launcher(rk_unit *unit, size_t function, bool cpu)
{
    const rk_function *f = unit->functions.items[function];
    maker m = {.unit = unit, .f = f, .d = &f->definition, .definition = true};
    const char *text = signature(&m, "_rk__launch");
    if (!text)
        return NULL;
    return rk_arena_printf(unit->arena, "%s%s%s\n{ %s }\n",
                           cpu || f->refused ? "" : vdevice(unit, f), linkage(&m), text,
                           cpu ? body_for_cpu(unit, function) : body_for_cuda(unit, function));
}
