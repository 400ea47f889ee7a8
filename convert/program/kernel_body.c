#include "convert/cuda/builtins.h"
#include "convert/fission/fission.h"
#include "convert/program/program_internal.h"

#include "convert/unit/sources.h"

#include <string.h>

/* Kernels: one function, which launches itself. */

rk_kernel_facts *rk_program_facts_of(const rk_program *program, const rk_device_text *f)
{
    const size_t body = f->stretch->base + f->stretch->tokens.items[f->body].offset;
    for (size_t i = 0; i < program->kernels.count; i++) {
        rk_kernel_facts *facts = &program->kernels.items[i];
        if (facts->body.file == f->stretch->file && facts->body.offset == body)
            return facts;
    }
    return NULL;
}

/* Names of parameters, by the text. */

static bool is_type_word(const rk_tokens *tokens, size_t i)
{
    static const char *const words[] = {
        "const",  "volatile",     "unsigned",   "signed",  "int",      "char",
        "short",  "long",         "float",      "double",  "bool",     "void",
        "struct", "class",        "enum",       "union",   "typename", "auto",
        "size_t", "__restrict__", "__restrict", "restrict"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (rk_token_is(tokens, i, words[k]))
            return true;
    return false;
}

/** Whether tokens [from, name) can be a type, so that a name follows it and is not part of it. */
static bool has_type(const rk_tokens *tokens, size_t from, size_t name)
{
    if (name > from && rk_token_is(tokens, name - 1, "::"))
        return false;
    for (size_t i = from; i < name; i++) {
        const rk_token *t = &tokens->items[i];
        if (t->kind == RK_TOKEN_NAME && !rk_token_is(tokens, i, "const") &&
            !rk_token_is(tokens, i, "volatile") && !rk_token_is(tokens, i, "struct") &&
            !rk_token_is(tokens, i, "class") && !rk_token_is(tokens, i, "enum") &&
            !rk_token_is(tokens, i, "typename") && !rk_token_is(tokens, i, "__grid_constant__"))
            return true;
    }
    return false;
}

/** The parameter's name in tokens [from, to); NULL when it has none. */
static const char *param_name(const rk_tokens *tokens, size_t from, size_t to, rk_arena *arena)
{
    size_t name = RK_NONE;
    bool pack = false;
    for (size_t i = from; i < to; i++) {
        if (rk_token_is(tokens, i, "="))
            break;
        pack |= rk_token_is(tokens, i, "...") && !rk_token_is(tokens, i - 1, "sizeof");
        if (rk_token_is(tokens, i, "<") || rk_token_is(tokens, i, "[")) {
            const size_t close = rk_tokens_close(tokens, i);
            i = close < to ? close : i;
        } else if (rk_token_is(tokens, i, "(")) { /* a pointer to a function: `(*name)(int)` */
            const size_t close = rk_tokens_close(tokens, i);
            if (i + 2 < to && rk_token_is(tokens, i + 1, "*")) {
                name = i + 2;
                break;
            }
            i = close < to ? close : i;
        } else if (tokens->items[i].kind == RK_TOKEN_NAME) {
            name = i;
        }
    }
    if (name == RK_NONE || tokens->items[name].kind != RK_TOKEN_NAME ||
        is_type_word(tokens, name) || !has_type(tokens, from, name))
        return NULL;
    const char *text = rk_token_text(tokens, name, arena);
    return pack ? rk_arena_printf(arena, "%s...", text) : text;
}

/** "A, n": the parameters that have names. */
static char *param_list(rk_program *program, const rk_device_text *f, const rk_kernel_facts *facts)
{
    rk_arena *arena = program->unit->arena;
    rk_str out = {.arena = arena};
    const rk_tokens *t = &f->stretch->tokens;
    if (facts && !f->stretch->macro) {
        for (size_t i = 0; i < facts->params.count; i++)
            if (*facts->params.items[i])
                rk_str_addf(&out, "%s%s", out.length ? ", " : "", facts->params.items[i]);
        return rk_arena_strdup(arena, rk_str_text(&out));
    }
    if (f->macro_head)
        return rk_arena_strdup(arena, "");
    size_t from = f->params + 1;
    for (size_t i = from; i <= f->params_end; i++) {
        if (i == f->params_end || rk_token_is(t, i, ",")) {
            const char *name = param_name(t, from, i, arena);
            if (name)
                rk_str_addf(&out, "%s%s", out.length ? ", " : "", name);
            from = i + 1;
        } else if (rk_token_is(t, i, "(") || rk_token_is(t, i, "<") || rk_token_is(t, i, "[") ||
                   rk_token_is(t, i, "{")) {
            const size_t close = rk_tokens_close(t, i);
            i = close < f->params_end ? close : i;
        }
    }
    return rk_arena_strdup(arena, rk_str_text(&out));
}

/* The launch. */

static const char *quoted(const char *text, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    rk_str_add(&out, "\"");
    for (; *text; text++)
        rk_str_addf(&out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    rk_str_add(&out, "\"");
    return rk_str_text(&out);
}

/** "rk__::kernel_site{...}"; in a macro the names are not known. */
static const char *site(const rk_program *program, const rk_device_text *f,
                        const rk_kernel_facts *facts, const char *params)
{
    rk_arena *arena = program->unit->arena;
    const char *names = quoted(params, arena);
    if (f->stretch->macro || f->macro_head || f->name == RK_NONE)
        return rk_arena_printf(arena, "rk__::kernel_site{__func__, __FILE__, __LINE__, %s}", names);
    const char *name = facts ? facts->name : rk_token_text(&f->stretch->tokens, f->name, arena);
    const rk_place place = rk_program_place(program, f->stretch, f->name);
    return rk_arena_printf(arena, "rk__::kernel_site{%s, %s, %d, %s}", quoted(name, arena),
                           quoted(place.file, arena), place.line, names);
}

const char *rk_program_kernel_flags(const rk_program *program, const rk_kernel_facts *facts)
{
    if (!facts || !program->parsed)
        return facts && facts->grid_sync ? "rk__::kernel_waits | rk__::kernel_grid_sync"
                                         : "rk__::kernel_waits";
    const bool shadowed = !facts->helpers_read && !facts->has_scopes;
    if (facts->grid_sync)
        return "rk__::kernel_waits | rk__::kernel_grid_sync";
    if (facts->waits)
        return shadowed ? "rk__::kernel_waits | rk__::kernel_shadowed" : "rk__::kernel_waits";
    return shadowed ? "rk__::kernel_shadowed" : "0";
}

/** The built-ins that the body reads, as constants that the compiler can see through. */
static const char *shadows(const rk_program *program, const rk_kernel_facts *facts)
{
    static const struct {
        rk_use use;
        const char *text;
    } all[] = {{RK_USE_THREAD_IDX, " const ::uint3 threadIdx = rk__at.threadIdx;"},
               {RK_USE_BLOCK_IDX, " const ::uint3 blockIdx = rk__at.blockIdx;"},
               {RK_USE_BLOCK_DIM, " const ::dim3 blockDim = rk__at.blockDim;"},
               {RK_USE_GRID_DIM, " const ::dim3 gridDim = rk__at.gridDim;"}};
    rk_str out = {.arena = program->unit->arena};
    if (!facts || facts->has_scopes || !program->parsed)
        return "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (facts->reads & all[i].use)
            rk_str_add(&out, all[i].text);
    return rk_str_text(&out);
}

/** In a lambda these would name that. */
static void edit_names(rk_program *program, const rk_device_text *f, const char *name)
{
    const rk_tokens *t = &f->stretch->tokens;
    for (size_t i = f->body; i < f->body_end; i++)
        if (rk_token_is(t, i, "__func__") || rk_token_is(t, i, "__FUNCTION__"))
            rk_program_edit(program, f->stretch, t->items[i].offset, t->items[i].length, name);
}

/** The first argument of `__launch_bounds__` among tokens [i, end); NULL when it is not there. */
static const char *bound_between(const rk_tokens *t, size_t i, size_t end, rk_arena *arena)
{
    while (i < end && !(rk_token_is(t, i, "__launch_bounds__") && rk_token_is(t, i + 1, "(")))
        i++;
    if (i >= end)
        return NULL;
    const size_t close = rk_tokens_close(t, i + 1);
    size_t last = i + 2;
    while (last < close && !rk_token_is(t, last, ",")) {
        if (rk_token_is(t, last, "(") || rk_token_is(t, last, "<"))
            last = rk_tokens_close(t, last) < close ? rk_tokens_close(t, last) : last;
        last++;
    }
    if (close >= t->count || last == i + 2)
        return NULL;
    const size_t begin = t->items[i + 2].offset;
    return rk_arena_strndup(arena, t->text + begin, t->items[last].offset - begin);
}

/** The most threads of a block that the kernel's definition allows, as C++; "0" for any. */
static const char *bound(const rk_program *program, const rk_device_text *f)
{
    rk_arena *arena = program->unit->arena;
    const rk_tokens *t = &f->stretch->tokens;
    size_t first = f->params;
    while (first > 0 && !rk_token_is(t, first - 1, ";") && !rk_token_is(t, first - 1, "{") &&
           !rk_token_is(t, first - 1, "}") && t->items[first - 1].kind != RK_TOKEN_DIRECTIVE)
        first--;
    const char *text = f->macro_head ? NULL : bound_between(t, first, f->params, arena);
    for (size_t i = first; !f->macro_head && !text && i < f->params; i++) {
        const char *macro = t->items[i].kind == RK_TOKEN_NAME
                                ? rk_sources_macro(program->unit, rk_token_text(t, i, arena))
                                : NULL;
        if (!macro || !strstr(macro, "__launch_bounds__"))
            continue;
        const rk_tokens tokens = rk_lex(macro, strlen(macro), arena);
        text = bound_between(&tokens, 0, tokens.count, arena);
    }
    return text ? text : "0";
}

/** What the kernel says of itself before it launches; "" when there is nothing. */
static const char *limits(const rk_program *program, const rk_device_text *f,
                          const rk_kernel_facts *facts)
{
    const char *threads = bound(program, f);
    const char *shared = facts && facts->shared && program->parsed ? facts->shared : "";
    if (strcmp(threads, "0") == 0 && !*shared)
        return "";
    return rk_arena_printf(program->unit->arena, " rk__::kernel_limits(%s, {%s});", threads,
                           shared);
}

static void edit_kernel(rk_program *program, const rk_device_text *f)
{
    rk_arena *arena = program->unit->arena;
    const rk_tokens *t = &f->stretch->tokens;
    const rk_kernel_facts *facts = rk_program_facts_of(program, f);
    const char *params = param_list(program, f, facts);
    const char *local = shadows(program, facts);
    rk_source_file *file = program->unit->files.items[f->stretch->file];
    file->touched = true;
    rk_edits_enter(
        &file->edits, f->stretch->base + t->items[f->body].offset + 1, 0,
        rk_arena_printf(arena,
                        "%s rk__::run_kernel<%s>(%s, rk__::kernel_args(%s), [=](%s) mutable {%s",
                        limits(program, f, facts), rk_program_kernel_flags(program, facts),
                        site(program, f, facts, params), params,
                        *local ? "rk__::built_ins rk__at" : "", local));
    rk_program_insert(program, f->stretch, t->items[f->body_end].offset, 0, "}); ");
    if (f->name != RK_NONE && !f->stretch->macro && !f->macro_head)
        edit_names(program, f, quoted(rk_token_text(t, f->name, arena), arena));
}

/** Whether a kernel's body, as the AST has it, is that of a function that the text shows. */
static bool is_found(const rk_program *program, const rk_kernel_facts *facts)
{
    for (size_t i = 0; i < program->functions.count; i++)
        if (rk_program_facts_of(program, &program->functions.items[i]) == facts)
            return program->functions.items[i].kernel;
    return false;
}

bool rk_program_edit_kernels(rk_program *program)
{
    bool ok = true;
    for (size_t i = 0; i < program->kernels.count; i++) {
        const rk_kernel_facts *facts = &program->kernels.items[i];
        if (!is_found(program, facts))
            ok = rk_diag_add(program->unit->diag, RK_ERROR, "RK-V134",
                             rk_sources_place(program->unit, facts->body.file, facts->body.offset),
                             "write its head out: `__global__ void` and its name and parameters",
                             "macros make the kernel '%s' in a way that its text does not show",
                             facts->name);
    }
    for (size_t i = 0; i < program->functions.count; i++)
        if (program->functions.items[i].kernel)
            edit_kernel(program, &program->functions.items[i]);
    return ok;
}

/* The second form of those that wait. */

static rk_fission_plan *plan_of(const rk_program *program, const rk_kernel_facts *facts)
{
    return program->parsed && facts && facts->waits && !facts->grid_sync
               ? rk_fission_of(program->unit, facts->body.file, facts->body.offset)
               : NULL;
}

static void edit_parts(rk_program *program, const rk_device_text *f)
{
    const rk_kernel_facts *facts = rk_program_facts_of(program, f);
    rk_fission_plan *plan = plan_of(program, facts);
    const unsigned thread = RK_USE_THREAD_IDX;
    const char *text = plan ? rk_fission_text(program->unit, plan, plan->reads & ~thread) : NULL;
    if (!text)
        return;
    const char *path = program->unit->files.items[f->stretch->file]->path;
    rk_str out = {.arena = program->unit->arena};
    rk_str_addf(&out,
                "}, rk__::kept_types<%s>(), [=](rk__::legacy_block<%s> &rk__block) mutable { auto "
                "&rk__ctx = rk__block; (void)rk__ctx; using rk__thread = "
                "rk__::legacy_block<%s>::rk__thread;\n#line %d \"%s\"\n",
                plan->types, rk_program_kernel_flags(program, facts),
                rk_program_kernel_flags(program, facts),
                rk_program_place(program, f->stretch, f->body).line, path);
    rk_str_add(&out, text);
    rk_str_addf(&out, "\n#line %d \"%s\"\n",
                rk_program_place(program, f->stretch, f->body_end).line, path);
    rk_program_insert(program, f->stretch, plan->end, -1, rk_str_text(&out));
}

void rk_program_edit_parts(rk_program *program)
{
    for (size_t i = 0; i < program->functions.count; i++)
        if (program->functions.items[i].kernel)
            edit_parts(program, &program->functions.items[i]);
}

void rk_program_print_kernels(const rk_program *program, rk_str *out)
{
    for (size_t i = 0; i < program->kernels.count; i++) {
        const rk_kernel_facts *k = &program->kernels.items[i];
        const rk_place place = rk_sources_place(program->unit, k->body.file, k->body.offset);
        rk_str_addf(out, "%s:%d: %s: ", place.file, place.line, k->name);
        rk_fission_print(plan_of(program, k), k->waits, out);
    }
}
