#include "convert/facts/spin.h"
#include "convert/program/program_internal.h"

/*
 * Loops in device code that wait for another thread: each round lets the others run, whatever kind of read it looks at
 * memory by, and one that does nothing else tells the runtime where it waits (rk/cpu/cpu_cuda.h).
 */

/* What else is put around an expression or a statement is put inside of these. */
enum { ROUND = 1 << 26, AROUND = 1 << 27 };

static const char round_text[] = "rk__::wait_round()";

static void add_text(rk_unit *unit, rk_where at, int rank, const char *text)
{
    for (size_t i = 0; i < unit->waits.count; i++)
        if (unit->waits.items[i].at.file == at.file &&
            unit->waits.items[i].at.offset == at.offset && unit->waits.items[i].rank == rank)
            return;
    *rk_push(unit->arena, &unit->waits) = (rk_wait_text){at, rank, text};
}

/** The token where a node begins: in a file's own text, or in a macro's, but not in an argument of one. */
static const rk_stretch *begin_of(const rk_program *program, rk_ir_id node, size_t *token)
{
    const rk_ir_node *n = rk_ir_at(program->unit->ir, node);
    const rk_where at = rk_ir_where(n->spelled.begin), plain = rk_ir_where(n->expanded.begin);
    if (at.file == RK_NONE)
        return NULL;
    const rk_stretch *s = rk_program_stretch(program, at, token);
    const bool whole = s && s->base + s->tokens.items[*token].offset == at.offset;
    return whole && (s->macro || (at.file == plain.file && at.offset == plain.offset)) ? s : NULL;
}

static rk_where place_of(const rk_stretch *s, size_t token)
{
    return (rk_where){s->file, s->base + s->tokens.items[token].offset};
}

/** Before the condition, which is then evaluated behind it. */
static bool add_before(rk_program *program, rk_ir_id condition)
{
    size_t i;
    const rk_stretch *s = begin_of(program, condition, &i);
    if (!s || !rk_ir_is_expression(rk_ir_kind_of(program->unit->ir, condition)) || i < 2 ||
        !rk_token_is(&s->tokens, i - 1, "(") || !rk_token_is(&s->tokens, i - 2, "while"))
        return false; /* a macro may make the whole condition */
    add_text(program->unit, place_of(s, i), -ROUND,
             rk_arena_printf(program->unit->arena, "%s, ", round_text));
    return true;
}

/** In the body, where that is a block or empty. */
static void add_inside(rk_program *program, rk_ir_id body)
{
    size_t i;
    const rk_stretch *s = begin_of(program, body, &i);
    if (!s)
        return;
    rk_where at = place_of(s, i);
    if (rk_token_is(&s->tokens, i, ";")) {
        add_text(program->unit, at, -ROUND, round_text);
    } else if (rk_token_is(&s->tokens, i, "{")) {
        at.offset++;
        add_text(program->unit, at, -ROUND,
                 rk_arena_printf(program->unit->arena, " %s;", round_text));
    }
}

/** Whether what is before the loop may be an attribute of it, which nothing is to part it from. */
static bool is_attribute_before(const rk_tokens *t, size_t loop)
{
    if (rk_token_is(t, loop - 1, "]"))
        return true;
    if (!rk_token_is(t, loop - 1, ")"))
        return false;
    const size_t open = rk_program_open_before(t, loop - 1);
    return open > 0 &&
           (rk_token_is(t, open - 1, "_Pragma") || rk_token_is(t, open - 1, "__pragma") ||
            rk_token_is(t, open - 1, "__attribute__"));
}

/** Around a loop that stands in the text by itself: an object that lives as long as it waits. */
static void add_around(rk_program *program, rk_ir_id loop)
{
    size_t i, last;
    const rk_stretch *s = begin_of(program, loop, &i);
    const rk_ir_node *n = rk_ir_at(program->unit->ir, loop);
    const rk_where end = rk_ir_where(n->spelled.end), plain = rk_ir_where(n->expanded.end);
    if (!s || s->macro || i == 0 || end.file != s->file || plain.file != s->file ||
        end.offset != plain.offset || s->tokens.items[i - 1].kind == RK_TOKEN_DIRECTIVE ||
        is_attribute_before(&s->tokens, i))
        return;
    const rk_stretch *same =
        rk_program_stretch(program, (rk_where){end.file, end.offset - 1}, &last);
    if (same != s)
        return;
    if (!rk_token_is(&s->tokens, last, ";") && rk_token_is(&s->tokens, last + 1, ";"))
        last++;
    if (!rk_token_is(&s->tokens, last, ";") && !rk_token_is(&s->tokens, last, "}"))
        return;
    rk_where close = place_of(s, last);
    close.offset += s->tokens.items[last].length;
    add_text(program->unit, place_of(s, i), -AROUND, "{ const rk__::wait_loop rk__waits; ");
    add_text(program->unit, close, AROUND, " }");
}

void rk_program_add_wait(rk_program *program, rk_ir_id loop, size_t function_end)
{
    const rk_ir *ir = program->unit->ir;
    const rk_spin spin = rk_spin_look(program->unit, loop, function_end);
    if (spin == RK_SPIN_NONE)
        return;
    if (rk_ir_kind_of(ir, loop) == RK_IR_FOR ||
        !add_before(program, rk_ir_child_as(ir, loop, RK_IR_ROLE_CONDITION)))
        add_inside(program, rk_ir_child_as(ir, loop, RK_IR_ROLE_BODY));
    if (spin == RK_SPIN_WAITS)
        add_around(program, loop);
}

void rk_program_edit_waits(rk_unit *unit)
{
    for (size_t i = 0; i < unit->waits.count; i++) {
        const rk_wait_text *w = &unit->waits.items[i];
        unit->files.items[w->at.file]->touched = true;
        rk_edits_insert(&unit->files.items[w->at.file]->edits, w->at.offset, w->rank, w->text);
    }
}
