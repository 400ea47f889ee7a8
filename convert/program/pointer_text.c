#include "convert/program/drop_in.h"
#include "convert/program/program_internal.h"

#include <string.h>

/* Kernels by their addresses: where their names are values, and launches of what is no name of a kernel. */

static bool in_launch(const rk_program *program, rk_where at)
{
    for (size_t i = 0; i < program->callees.count; i++) {
        const rk_range *r = &program->callees.items[i];
        if (r->file == at.file && at.offset >= r->begin && at.offset < r->end)
            return true;
    }
    return false;
}

/** Whether the name is a template argument, or in a constant expression: nothing is called there. */
static bool is_constant(const rk_tokens *tokens, size_t begin)
{
    int closed = 0;
    for (size_t i = begin; i-- > 0;) {
        if (rk_token_is(tokens, i, ")") || rk_token_is(tokens, i, "]")) {
            i = rk_program_open_before(tokens, i);
            continue;
        }
        const bool list = i > 0 && rk_token_is(tokens, i, "{") &&
                          (rk_token_is(tokens, i - 1, "=") || rk_token_is(tokens, i - 1, ",") ||
                           rk_token_is(tokens, i - 1, "{"));
        closed += rk_token_is(tokens, i, ">");
        if (rk_token_is(tokens, i, "<") && closed-- == 0)
            return true;
        if (rk_token_is(tokens, i, "constexpr"))
            return true;
        if (rk_token_is(tokens, i, ";") || rk_token_is(tokens, i, "(") ||
            (rk_token_is(tokens, i, "{") && !list) || rk_token_is(tokens, i, "}"))
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

/** False for a name that stays as it is: a declaration's, a call's, the operand of `decltype`. */
bool rk_program_read_expression(rk_kernel_expression *out, const rk_tokens *t, size_t name)
{
    *out = (rk_kernel_expression){.tokens = t, .name = name, .end = name + 1};
    out->args = rk_token_is(t, out->end, "<") && rk_tokens_close(t, out->end) < t->count;
    if (out->args)
        out->end = rk_tokens_close(t, out->end) + 1;
    out->plain = rk_program_callee_begin(t, out->end);
    if (out->plain >= out->end || rk_token_is(t, out->end, "(") ||
        (out->plain > 0 && rk_token_is(t, out->plain - 1, "using")))
        return false;
    if (out->plain > 0 && rk_token_is(t, out->plain - 1, "::"))
        out->plain--;
    if (out->plain >= 2 && rk_token_is(t, out->plain - 1, "(") &&
        rk_token_is(t, out->plain - 2, "decltype"))
        return false;
    out->begin = out->plain;
    if (out->plain > 0 && takes_address(t, out->plain - 1))
        out->begin--;
    return true;
}

static void wrap(rk_program *program, const rk_stretch *s, const rk_kernel_expression *e, const char *before,
                 const char *after)
{
    const rk_token *last = &e->tokens->items[e->end - 1];
    rk_program_insert(program, s, e->tokens->items[e->begin].offset, 0, before);
    rk_program_insert(program, s, last->offset + last->length, 0, after);
}

/** For the CPU: the runtime gets to know the kernel. */
static void make_known(rk_program *program, const rk_stretch *s, const rk_kernel_expression *e,
                       const char *cast)
{
    if (is_constant(e->tokens, e->plain))
        return;
    const char *star = e->begin < e->plain ? "" : "*"; /* the name is the function, no pointer */
    wrap(program, s, e,
         cast ? rk_arena_printf(program->unit->arena, "%srk__::kernel(static_cast<%s>(", star, cast)
              : rk_arena_printf(program->unit->arena, "%srk__::kernel(", star),
         cast ? "))" : ")");
}

/** The type of a pointer to the kernel where the name alone does not say which is meant; NULL when it does, or none can. */
static const char *type_of(const rk_program *program, const rk_kernel_reference *reference,
                           const rk_kernel_expression *e, bool *known)
{
    const bool typed = !e->args && is_ambiguous(program, reference);
    *known = !typed || reference->type;
    return typed ? reference->type : NULL;
}

const char *rk_program_address(const rk_program *program, const rk_kernel_reference *reference,
                               const rk_kernel_expression *e, const char *suffix)
{
    rk_arena *arena = program->unit->arena;
    const rk_tokens *t = e->tokens;
    const size_t begin = t->items[e->plain].offset;
    const size_t name_end = t->items[e->name].offset + t->items[e->name].length;
    const size_t end = t->items[e->end - 1].offset + t->items[e->end - 1].length;
    const char *kernel = rk_arena_strndup(arena, t->text + begin, end - begin);
    bool known;
    const char *type = type_of(program, reference, e, &known);
    if (!type)
        type = rk_arena_printf(arena, "decltype(&%s)", kernel);
    return known ? rk_arena_printf(arena,
                                   "%srk__::drop_in_kernel<%s, &%s, &%.*s%s%.*s>::address()",
                                   e->begin < e->plain ? "" : "*", type, kernel,
                                   (int)(name_end - begin), t->text + begin, suffix,
                                   (int)(end - name_end), t->text + name_end)
                 : NULL;
}

static void edit_reference(rk_program *program, const rk_kernel_reference *reference)
{
    const rk_convert_options *options = program->unit->options;
    size_t name;
    rk_kernel_expression e;
    const rk_stretch *s = rk_program_stretch(program, reference->name, &name);
    if (!s || reference->called || in_launch(program, reference->name) ||
        !rk_program_read_expression(&e, &s->tokens, name))
        return;
    const char *suffix =
        options->drop_in ? rk_drop_in_suffix(program->unit, reference->name) : NULL;
    const char *address = suffix ? rk_program_address(program, reference, &e, suffix) : NULL;
    const size_t from = s->tokens.items[e.begin].offset;
    const rk_token *last = &s->tokens.items[e.end - 1];
    bool known;
    if (address)
        rk_program_edit(program, s, from, last->offset + last->length - from, address);
    else if (options->target == RK_TARGET_CPU)
        make_known(program, s, &e, type_of(program, reference, &e, &known));
}

/* Launches by the runtime's API. */

static bool is_launch_call(const rk_tokens *t, size_t i, rk_arena *arena)
{
    if (t->items[i].kind != RK_TOKEN_NAME || !rk_token_is(t, i + 1, "(") ||
        !(rk_cuda_find(RK_IN_PLAIN, rk_token_text(t, i, arena))->host & RK_HOST_LOOKED_UP))
        return false;
    const size_t before = rk_program_callee_begin(t, i + 1);
    return before == i && !(i > 0 && t->items[i - 1].kind == RK_TOKEN_NAME &&
                            !rk_token_is(t, i - 1, "return") && !rk_token_is(t, i - 1, "else"));
}

/** `cudaLaunchKernel(` becomes `rk__::drop_in_cudaLaunchKernel(`: on the CPU the runtime knows the launchers. */
static void edit_launch_calls(rk_program *program)
{
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        for (size_t k = 0; k < s->tokens.count; k++) {
            const size_t offset = s->tokens.items[k].offset;
            if (is_launch_call(&s->tokens, k, program->unit->arena) &&
                !rk_drop_in_is_device(program->unit, (rk_where){s->file, s->base + offset}))
                rk_program_insert(program, s, offset, 0, "rk__::drop_in_");
        }
    }
}

void rk_program_edit_references(rk_program *program)
{
    const rk_convert_options *options = program->unit->options;
    if (options->target != RK_TARGET_CPU && !options->drop_in)
        return;
    for (size_t i = 0; i < program->references.count; i++)
        edit_reference(program, &program->references.items[i]);
    if (options->target != RK_TARGET_CPU)
        edit_launch_calls(program);
}

/* Launches of pointers. */

/** A name of a kernel in a launch's callee; NULL when none is at the token. */
static const rk_kernel_reference *reference_at(const rk_program *program, const rk_stretch *s,
                                               size_t token)
{
    for (size_t i = 0; i < program->references.count; i++) {
        const rk_kernel_reference *r = &program->references.items[i];
        if (r->name.file == s->file && r->name.offset == s->base + s->tokens.items[token].offset)
            return r;
    }
    return NULL;
}

/** The text of tokens [begin, end), with kernels' addresses in it; NULL when one cannot be said, or is all of it. */
static const char *with_addresses(const rk_program *program, const rk_stretch *s, size_t begin,
                                  size_t end)
{
    const rk_tokens *t = &s->tokens;
    rk_str out = {.arena = program->unit->arena};
    size_t copied = t->items[begin].offset;
    for (size_t i = begin; i < end; i++) {
        const rk_kernel_reference *r = reference_at(program, s, i);
        rk_kernel_expression e;
        if (!r)
            continue;
        const char *suffix = rk_drop_in_suffix(program->unit, r->name);
        if (!suffix || !rk_program_read_expression(&e, t, i) || e.begin == begin || e.end >= end)
            return NULL;
        const char *address = rk_program_address(program, r, &e, suffix);
        if (!address)
            return NULL;
        rk_str_addn(&out, t->text + copied, t->items[e.begin].offset - copied);
        rk_str_add(&out, address);
        copied = t->items[e.end - 1].offset + t->items[e.end - 1].length;
        i = e.end - 1;
    }
    rk_str_addn(&out, t->text + copied, t->items[end].offset - copied);
    return rk_arena_strdup(out.arena, rk_str_text(&out));
}

bool rk_program_has_pointer(const rk_program *program, size_t file, size_t begin, size_t end)
{
    for (size_t i = 0; i < program->pointers.count; i++) {
        const rk_where at = program->pointers.items[i];
        if (at.file == file && at.offset >= begin && at.offset < end)
            return true;
    }
    return false;
}

const char *rk_program_pointer(const rk_program *program, const rk_stretch *s, size_t begin,
                               size_t end)
{
    const rk_tokens *t = &s->tokens;
    const size_t first = s->base + t->items[begin].offset, last = s->base + t->items[end].offset;
    const bool made = rk_token_is(t, end - 1, ")") || rk_token_is(t, end - 1, "]");
    if (rk_drop_in_is_device(program->unit, (rk_where){s->file, first}) ||
        (!made && !rk_program_has_pointer(program, s->file, first, last)))
        return NULL;
    return with_addresses(program, s, begin, end);
}
