#include "convert/facts/reach.h"
#include "convert/program/program_internal.h"

/*
 * Steps: volatile memory in device code, which programs from before __syncwarp exchange values with between the
 * lanes of a warp. Each access becomes a point where the lanes that are there together wait for each other.
 */

static bool is_any(const rk_tokens *t, size_t i, const char *const *texts, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (rk_token_is(t, i, texts[k]))
            return true;
    return false;
}

/** Whether a token begins an operand, so that parentheses before it are a cast. */
static bool begins_operand(const rk_tokens *t, size_t i)
{
    static const char *const begins[] = {"(", "*", "&", "~", "!"};
    return i < t->count && (t->items[i].kind == RK_TOKEN_NAME ||
                            is_any(t, i, begins, sizeof begins / sizeof *begins));
}

/** The token after the operand that begins at `i` in a macro's text; RK_NONE for what is not plainly one. */
static size_t after_operand(const rk_tokens *t, size_t i)
{
    while (rk_token_is(t, i, "*") || rk_token_is(t, i, "&"))
        i++;
    if (rk_token_is(t, i, "(")) {
        const size_t after = rk_tokens_close(t, i) + 1;
        if (after > t->count)
            return RK_NONE;
        if (begins_operand(t, after))
            return after_operand(t, after);
        i = after;
    } else if (i < t->count && t->items[i].kind == RK_TOKEN_NAME) {
        i++;
    } else {
        return RK_NONE;
    }
    while (i < t->count) {
        if (rk_token_is(t, i, "["))
            i = rk_tokens_close(t, i) + 1;
        else if (rk_token_is(t, i, ".") || rk_token_is(t, i, "->"))
            i += 2;
        else
            break;
    }
    static const char *const others[] = {"(", "::", "#"};
    return i > t->count || is_any(t, i, others, sizeof others / sizeof *others) ? RK_NONE : i;
}

/**
 * Where an expression stands in the text, or in the text of a macro, of which libclang shows the first byte alone; an
 * argument of a macro is left alone, since it may be made a string of. False when it is in no one place.
 */
static bool find_text(const rk_program *program, rk_ir_id expression, rk_range *out)
{
    const rk_ir_node *n = rk_ir_at(program->unit->ir, expression);
    const rk_where begin = rk_ir_where(n->spelled.begin), end = rk_ir_where(n->spelled.end);
    const rk_where begin_at = rk_ir_where(n->expanded.begin), end_at = rk_ir_where(n->expanded.end);
    if (begin.file == RK_NONE)
        return false;
    *out = (rk_range){begin.file, begin.offset, end.offset};
    if (begin.offset == begin_at.offset && begin.file == begin_at.file)
        return end.file == begin.file && end.offset == end_at.offset && end.file == end_at.file;
    size_t i;
    const rk_stretch *s = rk_program_stretch(program, begin, &i);
    const size_t after = s && s->macro ? after_operand(&s->tokens, i) : RK_NONE;
    if (after == RK_NONE ||
        (rk_token_is(&s->tokens, after, "<") && after == i + 1 &&
         !rk_token_is(&s->tokens, i, rk_ir_target(program->unit->ir, expression)->name)))
        return false; /* the last may be `const_cast<T>(...)`, `vars<T>::flag` */
    out->end = s->base + s->tokens.items[after - 1].offset + s->tokens.items[after - 1].length;
    return true;
}

void rk_program_add_step(rk_program *program, rk_ir_id expression)
{
    rk_unit *unit = program->unit;
    rk_volatile_access step = {0};
    if (!rk_reach_is_step(unit->ir, expression) || !find_text(program, expression, &step.text))
        return;
    step.bits = rk_ir_target(unit->ir, expression)->flags & RK_IR_BIT_FIELD;
    for (size_t i = 0; i < unit->steps.count; i++) {
        const rk_range *old = &unit->steps.items[i].text;
        if (old->file == step.text.file && old->begin == step.text.begin)
            return;
    }
    *rk_push(unit->arena, &unit->steps) = step;
}

void rk_program_edit_steps(rk_unit *unit, size_t file, size_t begin, size_t end)
{
    enum { INNER = 1 << 24 }; /* rank: what else is put around an expression is put around this */
    rk_source_file *source = unit->files.items[file];
    for (size_t i = 0; i < unit->steps.count; i++) {
        const rk_volatile_access *step = &unit->steps.items[i];
        if (step->text.file != file || step->text.begin < begin || step->text.end > end)
            continue;
        source->touched = true;
        rk_edits_insert(&source->edits, step->text.begin, INNER,
                        step->bits ? "(rk__::step(), " : "rk__::in_step(");
        rk_edits_insert(&source->edits, step->text.end, -INNER, ")");
    }
}
