#include "convert/program/program_internal.h"

#include <string.h>

/*
 * nvcc compiles a source twice, and only the device's time defines __CUDA_ARCH__. Here it is compiled
 * once. So the name is replaced by its value where text is for the device alone, and is not defined
 * elsewhere.
 */

#define ARCH "__CUDA_ARCH__"

/** What rk/cuda/cuda_version.h says it is. */
static const char arch_value[] = "RK_CUDA_ARCH";

/** Replaces the name in a stretch's tokens [from, to): a value, and 1 for `defined(name)`. */
static void replace_arch(rk_program *program, const rk_stretch *s, size_t from, size_t to)
{
    const rk_tokens *t = &s->tokens;
    for (size_t i = from; i < to; i++) {
        if (!rk_token_is(t, i, ARCH))
            continue;
        size_t first = i, last = i;
        if (i > 1 && rk_token_is(t, i - 1, "(") && rk_token_is(t, i - 2, "defined")) {
            first = i - 2;
            last = i + 1;
        } else if (i > 0 && rk_token_is(t, i - 1, "defined")) {
            first = i - 1;
        }
        const size_t begin = t->items[first].offset;
        rk_program_edit(program, s, begin, t->items[last].offset + t->items[last].length - begin,
                        first == i ? arch_value : "1");
    }
}

/** Whether a directive decides by the name which text is there. */
static bool asks_arch(const rk_stretch *s)
{
    const rk_tokens *t = &s->tokens;
    if (!s->macro || !(rk_token_is(t, 0, "if") || rk_token_is(t, 0, "elif") ||
                       rk_token_is(t, 0, "ifdef") || rk_token_is(t, 0, "ifndef")))
        return false;
    for (size_t i = 1; i < t->count; i++)
        if (rk_token_is(t, i, ARCH))
            return true;
    return false;
}

static void answer(rk_program *program, const rk_stretch *s)
{
    const rk_tokens *t = &s->tokens;
    const bool ifdef = rk_token_is(t, 0, "ifdef"), ifndef = rk_token_is(t, 0, "ifndef");
    if (!ifdef && !ifndef) {
        replace_arch(program, s, 1, t->count);
        return;
    }
    const size_t begin = t->items[0].offset, end = t->items[1].offset + t->items[1].length;
    rk_program_edit(program, s, begin, end - begin, ifdef ? "if 1" : "if 0");
}

static bool inside(const rk_program *program, const rk_stretch *s, bool device_only)
{
    for (size_t i = 0; i < program->functions.count; i++) {
        const rk_device_text *f = &program->functions.items[i];
        const rk_tokens *t = &f->stretch->tokens;
        if (f->stretch->file == s->file && !f->stretch->macro && (!device_only || !f->host) &&
            t->items[f->params].offset < s->base && s->base < t->items[f->body_end].offset)
            return true;
    }
    return false;
}

/* Conditionals around whole functions. */

/** The text between one directive of a conditional and the next. */
typedef struct {
    size_t begin, end; /**< tokens of the file */
    bool device;       /**< it has functions for the device alone */
    bool other;        /**< it has anything else */
} branch;

/** Whether all of a branch's tokens belong to functions for the device alone, and whether any does. */
static void look(const rk_program *program, const rk_stretch *file, branch *b)
{
    const rk_tokens *t = &file->tokens;
    size_t i = b->begin;
    while (i < b->end) {
        const size_t offset = t->items[i].offset;
        size_t after = RK_NONE;
        for (size_t k = 0; k < program->functions.count && after == RK_NONE; k++) {
            const rk_device_text *f = &program->functions.items[k];
            if (f->stretch != file || f->host || f->body_end >= b->end)
                continue;
            size_t head = f->params;
            while (head > b->begin && !rk_token_is(t, head - 1, ";") &&
                   !rk_token_is(t, head - 1, "}") && t->items[head - 1].kind != RK_TOKEN_DIRECTIVE)
                head--;
            if (head <= i && t->items[f->body_end].offset >= offset)
                after = f->body_end + 1;
        }
        b->device |= after != RK_NONE;
        b->other |= after == RK_NONE && t->items[i].kind != RK_TOKEN_DIRECTIVE;
        i = after == RK_NONE ? i + 1 : after;
    }
}

static const rk_stretch *directive_stretch(const rk_program *program, const rk_stretch *file,
                                           size_t token)
{
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        if (s->macro && s->file == file->file && s->base == file->tokens.items[token].offset)
            return s;
    }
    return NULL;
}

/**
 * A conditional outside of functions whose text is all for the device: the device's answer is right for it.
 * Anything else keeps the host's, since host code may need it.
 */
static void decide_conditional(rk_program *program, const rk_stretch *file, size_t at)
{
    rk_arena *arena = program->unit->arena;
    const rk_tokens *t = &file->tokens;
    RK_VEC(size_t) marks = {0};
    int depth = 0;
    *rk_push(arena, &marks) = at;
    for (size_t i = at + 1; i < t->count && depth >= 0; i++) {
        if (t->items[i].kind != RK_TOKEN_DIRECTIVE)
            continue;
        const char *name = rk_directive_of(t, i, arena).name;
        if (depth == 0 && (rk_str_starts(name, "el") || strcmp(name, "endif") == 0))
            *rk_push(arena, &marks) = i;
        depth += rk_str_starts(name, "if") ? 1 : strcmp(name, "endif") == 0 ? -1 : 0;
    }
    bool device = false, other = false;
    for (size_t i = 0; i + 1 < marks.count; i++) {
        branch b = {.begin = marks.items[i] + 1, .end = marks.items[i + 1]};
        look(program, file, &b);
        device |= b.device;
        other |= b.other;
    }
    if (!device || other)
        return;
    for (size_t i = 0; i < marks.count; i++) {
        const rk_stretch *s = directive_stretch(program, file, marks.items[i]);
        if (s && asks_arch(s))
            answer(program, s);
    }
}

static const rk_stretch *whole_file(const rk_program *program, size_t file)
{
    for (size_t i = 0; i < program->stretches.count; i++)
        if (!program->stretches.items[i]->macro && program->stretches.items[i]->file == file)
            return program->stretches.items[i];
    return NULL;
}

static void edit_arch(rk_program *program)
{
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        if (!asks_arch(s))
            continue;
        if (inside(program, s, true)) {
            answer(program, s);
        } else if (!rk_token_is(&s->tokens, 0, "elif") && !inside(program, s, false)) {
            const rk_stretch *file = whole_file(program, s->file);
            decide_conditional(program, file, rk_tokens_at(&file->tokens, s->base));
        }
    }
    for (size_t i = 0; i < program->functions.count; i++) {
        const rk_device_text *f = &program->functions.items[i];
        if (!f->host)
            replace_arch(program, f->stretch, f->body, f->body_end);
    }
}

/* `k << <1, 2 >> >(a)`, as formatters leave launches: nvcc takes it, clang does not. */

static bool apart(const rk_tokens *tokens, size_t i, const char *text)
{
    for (size_t k = 0; k < 3; k++)
        if (!rk_token_is(tokens, i + k, text))
            return false;
    return tokens->items[i + 2].offset != tokens->items[i].offset + 2 &&
           tokens->items[i + 1].offset == tokens->items[i].offset + 1;
}

static void join(rk_program *program, const rk_stretch *s, size_t i, const char *text)
{
    const size_t begin = s->tokens.items[i].offset;
    rk_program_edit(program, s, begin, s->tokens.items[i + 2].offset + 1 - begin, text);
}

static void edit_chevrons(rk_program *program, const rk_stretch *s)
{
    const rk_tokens *t = &s->tokens;
    for (size_t i = 0; i < t->count; i++) {
        if (!apart(t, i, "<"))
            continue;
        join(program, s, i, "<<<");
        for (size_t k = i + 3; k < t->count && !rk_token_is(t, k, ";"); k++) {
            if (!apart(t, k, ">") || !rk_token_is(t, k + 3, "("))
                continue;
            join(program, s, k, ">>>");
            break;
        }
    }
}

bool rk_program_prepare(rk_program *program)
{
    bool any = false;
    rk_unit *unit = program->unit;
    if (unit->options->target == RK_TARGET_CPU)
        edit_arch(program);
    for (size_t i = 0; i < program->stretches.count; i++)
        edit_chevrons(program, program->stretches.items[i]);
    for (size_t i = 0; i < unit->files.count; i++) {
        rk_source_file *file = unit->files.items[i];
        if (!file->touched)
            continue;
        size_t conflict[2], size;
        char *text =
            rk_edits_apply(&file->edits, file->bytes.data, file->bytes.size, &size, conflict);
        file->edits.list.count = 0;
        if (!text)
            continue;
        file->bytes = (rk_bytes){text, size};
        file->tokens = rk_lex(text, size, unit->arena);
        any = true;
    }
    return any;
}
