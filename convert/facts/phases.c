#include "convert/facts/phases.h"

#include "convert/clang/lower.h"
#include "convert/facts/pure.h"
#include "convert/facts/spread.h"
#include "convert/facts/walk.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <string.h>

/** A statement of the kernel's own block, up to the byte after its `;`. */
typedef struct {
    rk_ir_id node;
    size_t begin, end;
    bool barrier;
} statement;

/** A name of a local variable or type, or of a parameter. */
typedef struct {
    rk_ir_id target;
    size_t declared, at; /**< offsets */
    bool changes;        /**< it may get another value here */
} local_use;

/** A kernel that is to be split. */
typedef struct {
    rk_unit *unit;
    rk_ir *ir;
    size_t index;
    const rk_function *f;
    const rk_tokens *tokens;
    RK_VEC(statement) statements;
    RK_VEC(local_use) uses;
    RK_VEC(size_t) returns, barriers; /**< offsets, at any depth */
    bool whole;                       /**< something keeps it whole, and was said */
} splitting;

#define ELSEWHERE "keep it in global memory, or compute it again behind the barrier"

static void keep_whole(splitting *s, size_t at, const char *hint, const char *format,
                       const char *name)
{
    s->whole = true;
    rk_problem_add(s->unit, s->index, RK_REFUSED, "RK-V135",
                   rk_sources_place(s->unit, s->f->definition.file, at), hint, format, name);
}

/* What the kernel's text has. */

static void note_use(splitting *s, rk_ir_id node)
{
    const rk_ir_node *n = rk_ir_at(s->ir, node);
    const rk_ir_decl *target = rk_ir_target(s->ir, node);
    if (n->kind <= RK_IR_OTHER_DECLARATION || target->kind == RK_IR_NONE ||
        target->kind > RK_IR_OTHER_DECLARATION)
        return;
    const rk_where at = rk_ir_where(target->at);
    if (at.file == s->f->definition.file && at.offset > s->f->definition.name &&
        at.offset < s->f->end)
        *rk_push(s->unit->arena, &s->uses) =
            (local_use){n->decl, at.offset, n->expanded.at.offset, rk_pure_may_change(s->ir, node)};
}

static bool is_barrier(const splitting *s, rk_ir_id node)
{
    return rk_groups_is_grid_barrier(rk_lower_node_cursor(s->ir, node), s->unit->arena);
}

static void look(splitting *s, rk_ir_id body)
{
    rk_ir_id lambda_end = 0;
    for (rk_ir_id id = body; id < rk_ir_at(s->ir, body)->end; id++) {
        const rk_ir_node *n = rk_ir_at(s->ir, id);
        if (n->kind == RK_IR_RETURN && id >= lambda_end)
            *rk_push(s->unit->arena, &s->returns) = n->expanded.at.offset;
        else if (n->kind == RK_IR_CALL && is_barrier(s, id))
            *rk_push(s->unit->arena, &s->barriers) = n->expanded.at.offset;
        note_use(s, id);
        if (n->kind == RK_IR_LAMBDA && id >= lambda_end)
            lambda_end = n->end;
    }
}

static void read_statements(splitting *s, rk_ir_id body)
{
    RK_IR_EACH(s->ir, child, body)
    {
        const rk_ir_extent *at = &rk_ir_at(s->ir, child)->expanded;
        const size_t end = at->end.offset, next = rk_tokens_at(s->tokens, end);
        *rk_push(s->unit->arena, &s->statements) =
            (statement){child, at->begin.offset,
                        rk_token_is(s->tokens, next, ";") ? s->tokens->items[next].offset + 1 : end,
                        is_barrier(s, rk_ir_unwrap(s->ir, child))};
    }
}

/** Reads the kernel's definition; false when the unit does not show it. */
static bool read_kernel(splitting *s)
{
    const rk_declaration *d = &s->f->definition;
    const rk_ir_id project = rk_ir_project(s->ir);
    for (rk_ir_id id = project + 1; id < rk_ir_at(s->ir, project)->end; id++) {
        const rk_where at = rk_ir_where(rk_ir_target(s->ir, id)->at);
        if (!rk_ir_is_function(rk_ir_kind_of(s->ir, id)) || at.file != d->file ||
            at.offset != d->name)
            continue;
        const rk_ir_id root = rk_ir_body(s->ir, rk_ir_at(s->ir, id)->decl);
        const rk_ir_id body = rk_ir_child_of(s->ir, root, RK_IR_COMPOUND);
        read_statements(s, body);
        look(s, body);
        return true;
    }
    return false;
}

/* Whether it can be split at all. */

static size_t last_barrier(const splitting *s)
{
    size_t last = RK_NONE;
    for (size_t i = 0; i < s->statements.count; i++)
        if (s->statements.items[i].barrier)
            last = i;
    return last;
}

/** Whether a macro makes the statement and a neighbour of it. */
static bool is_crowded(const splitting *s, size_t i)
{
    const statement *all = s->statements.items;
    return (i > 0 && all[i].begin < all[i - 1].end) ||
           (i + 1 < s->statements.count && all[i + 1].begin < all[i].end);
}

static bool is_from_macro(const splitting *s, size_t i)
{
    const statement *st = &s->statements.items[i];
    const rk_where spelled = rk_ir_where(rk_ir_at(s->ir, st->node)->spelled.begin);
    return spelled.file != s->f->definition.file || spelled.offset != st->begin;
}

static void check_barriers(splitting *s)
{
    for (size_t b = 0; b < s->barriers.count; b++) {
        const size_t at = s->barriers.items[b];
        size_t i = 0;
        while (i < s->statements.count && s->statements.items[i].end <= at)
            i++;
        if (i == s->statements.count || !s->statements.items[i].barrier)
            keep_whole(s, at, "let the host launch what it parts, in a loop or branch of its own",
                       "'%s' has a grid-wide barrier in a loop, a branch or a lambda, where it "
                       "cannot be split",
                       s->f->name);
        else if (is_from_macro(s, i) || is_crowded(s, i))
            keep_whole(s, at, "write the call out",
                       "a macro makes the grid-wide barrier where '%s' would be split", s->f->name);
    }
}

static bool is_named_anywhere(const rk_unit *unit, const char *name)
{
    for (size_t f = 0; f < unit->files.count; f++)
        for (size_t i = 0; i < unit->files.items[f]->tokens.count; i++)
            if (rk_token_is(&unit->files.items[f]->tokens, i, name))
                return true;
    return false;
}

static const char *phase_name(const splitting *s, size_t phase)
{
    return rk_arena_printf(s->unit->arena, "%s_phase%zu", s->f->name, phase);
}

static void check_head(splitting *s, size_t phases)
{
    const rk_function *f = s->f;
    const rk_tokens *tokens = s->tokens;
    bool plain = rk_token_is(tokens, rk_tokens_at(tokens, f->definition.name), f->name);
    for (size_t i = rk_tokens_at(tokens, f->definition.begin);
         i < tokens->count && tokens->items[i].offset < f->definition.end; i++)
        plain &= tokens->items[i].kind != RK_TOKEN_DIRECTIVE;
    for (size_t i = 0; i < f->params.count; i++)
        plain &= *f->params.items[i].name != '\0';
    if (!plain || f->from_macro || f->has_goto)
        keep_whole(s, f->definition.name,
                   "write its head out, without #if, with a name for each template parameter, and "
                   "use no goto",
                   "'%s' cannot be split: its head or its jumps are not plain text", f->name);
    for (size_t i = 0; i < s->unit->functions.count; i++) {
        const rk_function *other = s->unit->functions.items[i];
        if (other != f && other->kernel && strcmp(other->name, f->name) == 0)
            keep_whole(s, f->definition.name, "give it a name of its own",
                       "'%s' cannot be split: another kernel has its name", f->name);
    }
    for (size_t i = 0; i < phases; i++)
        if (is_named_anywhere(s->unit, phase_name(s, i)))
            keep_whole(s, f->definition.name, "rename what has that name",
                       "'%s' is there already, and would be a phase", phase_name(s, i));
}

/* What a phase has of those before it. */

/** `if (c) return;`, whose threads are in no phase behind it either. */
static bool is_exit(const splitting *s, const statement *st)
{
    if (rk_ir_kind_of(s->ir, st->node) != RK_IR_IF || rk_ir_child_count(s->ir, st->node) != 2)
        return false;
    rk_ir_id then = rk_ir_child(s->ir, st->node, 1);
    if (rk_ir_kind_of(s->ir, then) == RK_IR_COMPOUND && rk_ir_child_count(s->ir, then) == 1)
        then = rk_ir_first(s->ir, then);
    return rk_ir_kind_of(s->ir, then) == RK_IR_RETURN;
}

static void check_returns(splitting *s)
{
    const statement *last = &s->statements.items[last_barrier(s)];
    for (size_t r = 0; r < s->returns.count; r++) {
        const size_t at = s->returns.items[r];
        bool repeated = at > last->begin;
        for (size_t i = 0; i < s->statements.count && !repeated; i++) {
            const statement *st = &s->statements.items[i];
            repeated = st->begin <= at && at < st->end && is_exit(s, st) &&
                       rk_pure_expression(s->unit, rk_ir_first(s->ir, st->node));
        }
        if (!repeated)
            keep_whole(
                s, at,
                "write it as `if (c) return;` in the kernel's own block, with a condition of "
                "parameters and built-ins",
                "a thread of '%s' that returns here would be in the phases behind the "
                "grid-wide barrier",
                s->f->name);
    }
}

/** Whether a declaration means the same wherever it stands: of a type, a function, a name. */
static bool is_timeless(const splitting *s, rk_ir_id declaration)
{
    switch ((int)rk_ir_kind_of(s->ir, declaration)) {
    case RK_IR_STRUCT:
    case RK_IR_CLASS:
    case RK_IR_UNION:
    case RK_IR_ENUM:
    case RK_IR_FUNCTION:
    case RK_IR_TYPEDEF:
    case RK_IR_TYPE_ALIAS:
    case RK_IR_NAMESPACE_ALIAS:
    case RK_IR_USING_NAMESPACE:
    case RK_IR_USING:
    case RK_IR_STATIC_ASSERT:
        return true;
    default:
        return false;
    }
}

/** Whether a declaration statement declares variables, structured bindings too. */
static bool declares_variables(const splitting *s, const statement *st)
{
    RK_IR_EACH(s->ir, child, st->node)
    if (!is_timeless(s, child))
        return true;
    return false;
}

static bool within(const statement *st, size_t at)
{
    return st->begin <= at && at < st->end;
}

/** Whether the phase's text, or a statement that it repeats, names what the statement declares. */
static bool is_named(const splitting *s, size_t i, size_t barrier, size_t end, const bool *repeated)
{
    for (size_t u = 0; u < s->uses.count; u++) {
        const local_use *use = &s->uses.items[u];
        if (!within(&s->statements.items[i], use->declared))
            continue;
        if (use->at >= s->statements.items[barrier].end && use->at < end)
            return true;
        for (size_t k = i + 1; k < barrier; k++)
            if (repeated[k] && within(&s->statements.items[k], use->at))
                return true;
    }
    return false;
}

/** Refuses a variable whose value the repeated declaration would not give. */
static void check_variable(splitting *s, rk_ir_id variable, size_t barrier)
{
    const size_t limit = s->statements.items[barrier].begin;
    const char *name = rk_ir_decl_at(s->ir, variable)->name;
    const bool shared = rk_ir_decl_at(s->ir, variable)->flags & RK_IR_SHARED;
    for (size_t u = 0; u < s->uses.count; u++) {
        const local_use *use = &s->uses.items[u];
        if (use->at >= limit || use->target != variable)
            continue;
        if (shared)
            keep_whole(
                s, use->at, "keep it in global memory; or declare another array behind the barrier",
                "'%s', in shared memory, is used on both sides of a grid-wide barrier", name);
        else if (use->changes)
            keep_whole(s, use->at, "make it const if it keeps its value; else " ELSEWHERE,
                       "'%s' may change here, and is used behind a grid-wide barrier", name);
        if (shared || use->changes)
            return;
    }
}

/** The text of tokens in [begin, end) on one line; `old` as `name`. */
static void add_line(const splitting *s, rk_str *out, size_t begin, size_t end, size_t old,
                     const char *name)
{
    const rk_tokens *tokens = s->tokens;
    const size_t first = rk_tokens_at(tokens, begin);
    for (size_t i = first; i < tokens->count && tokens->items[i].offset < end; i++) {
        const rk_token *t = &tokens->items[i];
        if (i > first && t[-1].offset + t[-1].length < t->offset)
            rk_str_add(out, " ");
        if (t->offset == old)
            rk_str_add(out, name);
        else
            rk_str_addf(out, "%.*s", (int)t->length, tokens->text + t->offset);
    }
}

/** What a declaration declares; of structured bindings `[a, b]`. */
static const char *declared_name(const splitting *s, rk_ir_id declaration)
{
    const char *name = rk_ir_target(s->ir, declaration)->name;
    rk_str bindings = {.arena = s->unit->arena};
    if (*name)
        return name;
    size_t open = rk_tokens_at(s->tokens, rk_ir_at(s->ir, declaration)->expanded.begin.offset);
    while (open < s->tokens->count && !rk_token_is(s->tokens, open, "["))
        open++;
    const size_t close = rk_tokens_close(s->tokens, open);
    if (close < s->tokens->count)
        add_line(s, &bindings, s->tokens->items[open].offset, s->tokens->items[close].offset + 1,
                 RK_NONE, "");
    return rk_str_text(&bindings);
}

/** Whether the declaration gives a variable the same value again. */
static bool is_fixed(const splitting *s, rk_ir_id variable)
{
    const uint32_t flags = rk_ir_target(s->ir, variable)->flags;
    const rk_ir_type *type = rk_ir_type_of(s->ir, variable);
    if (rk_ir_kind_of(s->ir, variable) != RK_IR_VARIABLE)
        return false;
    if (!(flags & RK_IR_SHARED) &&
        (flags & RK_IR_STATIC || type->is_volatile || type->kind == RK_IR_TYPE_REFERENCE ||
         type->kind == RK_IR_TYPE_RVALUE_REFERENCE))
        return false;
    RK_IR_EACH(s->ir, part, variable)
    if (rk_ir_is_expression(rk_ir_kind_of(s->ir, part)) && !rk_pure_expression(s->unit, part))
        return false;
    return true;
}

static void check_declaration(splitting *s, rk_ir_id variable, size_t barrier)
{
    if (!is_fixed(s, variable))
        keep_whole(
            s, rk_ir_at(s->ir, variable)->expanded.at.offset, ELSEWHERE,
            "'%s' is used behind a grid-wide barrier, and is not of parameters and built-ins "
            "alone",
            declared_name(s, variable));
    else
        check_variable(s, rk_ir_at(s->ir, variable)->decl, barrier);
}

/** Parameters that the phase names have what the launch gave. */
static void check_parameters(splitting *s, size_t barrier, size_t end, const bool *repeated)
{
    for (size_t u = 0; u < s->uses.count; u++) {
        const local_use *use = &s->uses.items[u];
        bool here = use->at >= s->statements.items[barrier].end && use->at < end;
        for (size_t k = 0; k < barrier && !here; k++)
            here = repeated[k] && within(&s->statements.items[k], use->at);
        if (here && rk_ir_decl_at(s->ir, use->target)->kind == RK_IR_PARAMETER &&
            use->declared < s->f->definition.end)
            check_variable(s, use->target, barrier);
    }
}

static void add_head(const splitting *s, rk_str *out, const char *name)
{
    const rk_declaration *d = &s->f->definition;
    add_line(s, out, d->begin, d->end, d->name, name);
}

static bool has_directive(const splitting *s, const statement *st)
{
    for (size_t i = rk_tokens_at(s->tokens, st->begin);
         i < s->tokens->count && s->tokens->items[i].offset < st->end; i++)
        if (s->tokens->items[i].kind == RK_TOKEN_DIRECTIVE)
            return true;
    return false;
}

/** What stands in the place of a barrier: the end of a phase, and the next one's beginning. */
static const char *phase_begin(splitting *s, size_t barrier, size_t end, const char *name)
{
    rk_arena *arena = s->unit->arena;
    bool *repeated = RK_NEW_ARRAY(arena, bool, s->statements.count + 1);
    for (size_t i = barrier; i-- > 0;) {
        const statement *st = &s->statements.items[i];
        const bool declares = rk_ir_kind_of(s->ir, st->node) == RK_IR_DECLARE;
        repeated[i] =
            is_exit(s, st) ||
            (declares && (!declares_variables(s, st) || is_named(s, i, barrier, end, repeated)));
        if (repeated[i] && (is_crowded(s, i) || has_directive(s, st)))
            keep_whole(
                s, st->begin, "write it out",
                "a macro or directive makes what '%s' would repeat behind a grid-wide barrier",
                s->f->name);
        if (!declares || !repeated[i])
            continue;
        RK_IR_EACH(s->ir, child, st->node)
        if (!is_timeless(s, child))
            check_declaration(s, child, barrier);
    }
    check_parameters(s, barrier, end, repeated);
    rk_str out = {.arena = arena};
    rk_str_add(&out, "} ");
    add_head(s, &out, name);
    rk_str_add(&out, " {");
    for (size_t i = 0; i < barrier; i++)
        if (repeated[i]) {
            rk_str_add(&out, " ");
            add_line(s, &out, s->statements.items[i].begin, s->statements.items[i].end, RK_NONE,
                     "");
        }
    for (size_t i = s->statements.items[barrier].begin; i < s->statements.items[barrier].end; i++)
        if (s->tokens->text[i] == '\n')
            rk_str_add(&out, "\n");
    return rk_str_text(&out);
}

/** The kernel that stands for its phases, so that its launches and instances have a name and make theirs. */
static const char *stand_in(const splitting *s, size_t phases)
{
    rk_str out = {.arena = s->unit->arena};
    rk_str args = {.arena = s->unit->arena};
    for (size_t i = 0; i < s->f->params.count; i++)
        rk_str_addf(&args, "%s%s%s", i ? ", " : "<", s->f->params.items[i].name,
                    s->f->params.items[i].pack ? "..." : "");
    add_head(s, &out, s->f->name);
    rk_str_add(&out, " {");
    for (size_t i = 0; i < phases; i++)
        rk_str_addf(&out, " (void)&%s%s%s;", phase_name(s, i), rk_str_text(&args),
                    args.length ? ">" : "");
    rk_str_add(&out, " }");
    return rk_str_text(&out);
}

static void drop_refusals(rk_function *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->problems.count; i++)
        if (strcmp(f->problems.items[i].code, "RK-V101") != 0)
            f->problems.items[kept++] = f->problems.items[i];
    f->problems.count = kept;
}

/** What takes the place of each barrier; `count` is of phases. */
static const char **phase_begins(splitting *s, size_t *count)
{
    const statement *all = s->statements.items;
    RK_VEC(const char *) begins = {0};
    for (size_t i = 0; i < s->statements.count; i++) {
        size_t next = i + 1;
        while (next < s->statements.count && !all[next].barrier)
            next++;
        const size_t end = next < s->statements.count ? all[next].begin : s->f->end;
        if (!all[i].barrier)
            continue;
        const char *text = phase_begin(s, i, end, phase_name(s, begins.count + 1));
        *rk_push(s->unit->arena, &begins) = text;
    }
    *count = begins.count + 1;
    return begins.items;
}

/** Adds the edits that split the kernel; 0 when it stays whole, else the number of its phases. */
static size_t split_kernel(rk_unit *unit, size_t index, rk_edits *edits)
{
    rk_function *f = unit->functions.items[index];
    splitting s = {.unit = unit,
                   .ir = rk_ir_of(unit),
                   .index = index,
                   .f = f,
                   .tokens = &unit->files.items[f->definition.file]->tokens};
    if (!read_kernel(&s) || !s.barriers.count)
        return 0;
    drop_refusals(f);
    check_barriers(&s);
    if (s.whole)
        return 0;
    check_returns(&s);
    size_t phases;
    const char **begins = phase_begins(&s, &phases);
    check_head(&s, phases);
    if (s.whole)
        return 0;
    rk_edits_add(edits, f->definition.name, strlen(f->name), phase_name(&s, 0));
    for (size_t i = 0; i < s.statements.count; i++) {
        const statement *st = &s.statements.items[i];
        if (st->barrier)
            rk_edits_add(edits, st->begin, st->end - st->begin, *begins++);
    }
    rk_edits_insert(edits, f->end, 0, stand_in(&s, phases));
    return phases;
}

static bool asks(const rk_function *f)
{
    for (size_t i = 0; f->kernel && !f->phased && i < f->problems.count; i++)
        if (strcmp(f->problems.items[i].code, "RK-V101") == 0)
            return true;
    return false;
}

bool rk_phases_split(rk_unit *unit)
{
    bool any = false;
    if (unit->options->drop_in)
        return false;
    for (size_t file = 0; file < unit->files.count; file++) {
        rk_source_file *source = unit->files.items[file];
        rk_edits edits = {.arena = unit->arena};
        for (size_t i = 0; i < unit->functions.count; i++) {
            const rk_function *f = unit->functions.items[i];
            const size_t phases =
                f->definition.file == file && asks(f) ? split_kernel(unit, i, &edits) : 0;
            if (phases)
                *rk_push(unit->arena, &unit->phased) = (rk_phased){f->name, f->scope, phases};
        }
        any |= rk_sources_expand(source, &edits);
    }
    return any;
}

/* The phases. */

/** The number behind "name_phase"; RK_NONE for the name itself, the count for another. */
static size_t phase_of_name(const rk_phased *p, const char *name, rk_arena *arena)
{
    if (strcmp(name, p->name) == 0)
        return RK_NONE;
    size_t i = 0;
    while (i < p->count && strcmp(name, rk_arena_printf(arena, "%s_phase%zu", p->name, i)) != 0)
        i++;
    return i;
}

void rk_phases_mark(const rk_unit *unit, rk_function *f)
{
    for (size_t i = 0; f->kernel && i < unit->phased.count; i++) {
        const rk_phased *p = &unit->phased.items[i];
        const size_t phase = phase_of_name(p, f->name, unit->arena);
        if (phase == p->count || strcmp(p->scope, f->scope) != 0)
            continue;
        f->phased = p;
        f->phase = phase;
        f->left_out = phase == RK_NONE;
    }
}

/** The variables that keep their value and that the function reaches, a space on both sides of each. */
static const char *kept_by(const rk_unit *unit, size_t index)
{
    rk_str out = {.arena = unit->arena};
    const rk_reached all = rk_reached_from(unit, index, false);
    for (size_t k = 0; k < all.list.count; k++) {
        const rk_function *f = unit->functions.items[all.list.items[k]];
        for (size_t i = 0; i < f->kept.count; i++)
            rk_str_addf(&out, " %s ", f->kept.items[i]);
    }
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

/** The first name of a list of kept_by that is in another. */
static const char *common(const char *a, const char *b, rk_arena *arena)
{
    for (const char *at = a; *at; at = strchr(at + 1, ' ') + 1) {
        const char *name = rk_arena_strndup(arena, at, strcspn(at + 1, " ") + 2);
        if (strstr(b, name))
            return rk_arena_strndup(arena, name + 1, strlen(name) - 2);
    }
    return NULL;
}

static void decide_pair(rk_unit *unit, size_t a, size_t b)
{
    const char *name = common(kept_by(unit, a), kept_by(unit, b), unit->arena);
    const size_t pair[] = {a, b};
    for (size_t i = 0; name && i < 2; i++)
        rk_problem_add(unit, pair[i], RK_REFUSED, "RK-V135", unit->functions.items[pair[i]]->place,
                       "pass it as a parameter, by which a graph orders the phases",
                       "'%s' keeps its value from one phase to another", name);
}

void rk_phases_decide(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (!f->phased || f->phase == RK_NONE)
            continue;
        rk_problem_add(unit, i, RK_WARNING, "RK-V101", f->place,
                       "run all of its phases, one after another, with the launch's grid and block",
                       "'%s' is split at its grid-wide barriers: this is a phase of it",
                       f->phased->name);
        for (size_t k = i + 1; k < unit->functions.count; k++)
            if (unit->functions.items[k]->phased == f->phased &&
                unit->functions.items[k]->phase != RK_NONE)
                decide_pair(unit, i, k);
    }
}

const char *rk_phases_of(const rk_unit *unit, const rk_instance *instance)
{
    const rk_function *f = unit->functions.items[instance->function];
    if (!f->phased || f->phase == RK_NONE)
        return NULL;
    return rk_arena_printf(unit->arena, "%s%s%s", f->scope, f->phased->name,
                           instance->id + strlen(f->scope) + strlen(f->name));
}
