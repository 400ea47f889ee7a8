#include "convert/rkernel/rewrite.h"
#include "convert/cuda/builtins.h"
#include "convert/facts/shared.h"
#include "convert/facts/template_heads.h"

#include "convert/facts/undefined.h"

#include "convert/clang/expand.h"
#include "convert/facts/function_args.h"
#include "convert/facts/recorder.h"
#include "convert/facts/returns.h"
#include "convert/facts/specialised.h"
#include "convert/fission/fission.h"
#include "convert/rkernel/ambient.h"
#include "convert/unit/reserved.h"
#include "convert/unit/sources.h"

#include <ctype.h>
#include <string.h>

/* Ranks of insertions at one place. */
enum {
    RANK_FIRST = -9,
    RANK_SPLIT = -3,
    RANK_SPACE = -2,
    RANK_PART = -1,
    RANK_HEAD = 0,
    RANK_LINKAGE = 1,
    RANK_SPLIT_END = 2
};

static const rk_tokens *tokens_of(const rk_unit *unit, size_t file)
{
    return &unit->files.items[file]->tokens;
}

static void edit(rk_unit *unit, size_t file, size_t offset, size_t length, const char *text)
{
    rk_edits_add(&unit->files.items[file]->edits, offset, length, text);
}

static void insert(rk_unit *unit, size_t file, size_t offset, int rank, const char *text)
{
    rk_edits_insert(&unit->files.items[file]->edits, offset, rank, text);
}

/** Removes tokens [first, last] and the white space up to what follows on their line. */
static void remove_tokens(rk_unit *unit, size_t file, size_t first, size_t last)
{
    const rk_tokens *tokens = tokens_of(unit, file);
    const size_t begin = tokens->items[first].offset;
    size_t end = tokens->items[last].offset + tokens->items[last].length;
    while (end < tokens->size && (tokens->text[end] == ' ' || tokens->text[end] == '\t'))
        end++;
    edit(unit, file, begin, end - begin, "");
}

/* Template heads. */

/* Signatures. */

static bool is_bound(const rk_tokens *tokens, size_t i)
{
    return rk_token_is(tokens, i, "__launch_bounds__") || rk_token_is(tokens, i, "__maxnreg__");
}

/** `text` with `__global__` as `__device__`, and without `__host__` and launch bounds. */
static char *device_specifiers(const char *text, rk_arena *arena)
{
    const rk_tokens tokens = rk_lex(text, strlen(text), arena);
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < tokens.count; i++) {
        if (is_bound(&tokens, i) && rk_token_is(&tokens, i + 1, "(")) {
            i = rk_tokens_close(&tokens, i + 1);
            continue;
        }
        if (rk_token_is(&tokens, i, "__host__"))
            continue;
        rk_str_addf(&out, "%s%s", out.length ? " " : "",
                    rk_token_is(&tokens, i, "__global__") ? "__device__"
                                                          : rk_token_text(&tokens, i, arena));
    }
    return rk_arena_strdup(arena, rk_str_text(&out));
}

static void edit_specifier(rk_unit *unit, size_t file, size_t *i)
{
    const rk_tokens *tokens = tokens_of(unit, file);
    const rk_token *token = &tokens->items[*i];
    if (rk_token_is(tokens, *i, "__global__")) {
        edit(unit, file, token->offset, token->length, "__device__");
    } else if (rk_token_is(tokens, *i, "__host__")) {
        remove_tokens(unit, file, *i, *i);
    } else if (is_bound(tokens, *i) && rk_token_is(tokens, *i + 1, "(")) {
        const size_t close = rk_tokens_close(tokens, *i + 1);
        remove_tokens(unit, file, *i, close);
        *i = close;
    } else if (token->kind == RK_TOKEN_NAME) {
        const char *text = rk_sources_macro(unit, rk_token_text(tokens, *i, unit->arena));
        size_t last = *i;
        const char *expanded = rk_expand_head(unit, tokens, *i, &last);
        const rk_token *end = &tokens->items[last];
        if (expanded || (text && (strstr(text, "__global__") || strstr(text, "__launch_bounds__") ||
                                  strstr(text, "__host__"))))
            edit(unit, file, token->offset, end->offset + end->length - token->offset,
                 device_specifiers(expanded ? expanded : text, unit->arena));
        *i = last;
    }
}

/** The token of the parameter list's `(` of a function whose name is at `name`. */
static size_t parameter_list(const rk_tokens *tokens, size_t name)
{
    size_t i = rk_tokens_at(tokens, name) + 1;
    if (rk_token_is(tokens, i - 1, "operator") && rk_token_is(tokens, i, "("))
        i += 2;
    if (rk_token_is(tokens, i, "<") && rk_tokens_close(tokens, i) < tokens->count)
        i = rk_tokens_close(tokens, i) + 1; /* of a specialisation */
    return i;
}

/** `__grid_constant__`, which is for __global__ functions only, or a macro of the project for it. */
static bool is_grid_constant(rk_unit *unit, const rk_tokens *tokens, size_t i)
{
    if (tokens->items[i].kind != RK_TOKEN_NAME)
        return false;
    const char *name = rk_token_text(tokens, i, unit->arena), *text = rk_sources_macro(unit, name);
    return strcmp(text ? text : name, "__grid_constant__") == 0;
}

static void edit_parameters(rk_unit *unit, const rk_declaration *d)
{
    const rk_tokens *tokens = tokens_of(unit, d->file);
    const size_t open = parameter_list(tokens, d->name);
    if (!rk_token_is(tokens, open, "("))
        return;
    const size_t at = tokens->items[open].offset + 1;
    const size_t close = rk_tokens_close(tokens, open);
    for (size_t i = open; i < close; i++)
        if (is_grid_constant(unit, tokens, i))
            remove_tokens(unit, d->file, i, i);
    if (rk_token_is(tokens, open + 1, ")"))
        insert(unit, d->file, at, RANK_HEAD, "rk__Ctx &rk__ctx");
    else if (rk_token_is(tokens, open + 1, "void") && rk_token_is(tokens, open + 2, ")"))
        edit(unit, d->file, tokens->items[open + 1].offset, 4, "rk__Ctx &rk__ctx");
    else
        insert(unit, d->file, at, RANK_HEAD, "rk__Ctx &rk__ctx, ");
}

/** `extern "C"` cannot be on a template: removes it, or closes its block around the function. */
static void edit_linkage(rk_unit *unit, const rk_function *f, const rk_declaration *d, size_t end)
{
    const rk_tokens *tokens = tokens_of(unit, d->file);
    const size_t i = rk_tokens_at(tokens, d->begin);
    if (i >= 2 && tokens->items[i - 1].kind == RK_TOKEN_STRING &&
        rk_token_is(tokens, i - 2, "extern")) {
        remove_tokens(unit, d->file, i - 2, i - 1);
    } else if (rk_token_is(tokens, i, "extern") && i + 1 < tokens->count &&
               tokens->items[i + 1].kind == RK_TOKEN_STRING) {
        remove_tokens(unit, d->file, i, i + 1);
    } else if (f->c_linkage) {
        insert(unit, d->file, d->begin, RANK_SPACE, "extern \"C++\" { ");
        insert(unit, d->file, end, RANK_LINKAGE, " }");
    }
}

/** Parameters that stand for functions become classes. */
static void edit_template(rk_unit *unit, const rk_function *f, size_t file, const rk_heads *h)
{
    const rk_tokens *tokens = tokens_of(unit, file);
    for (size_t i = h->open + 1, param = 0; i < h->close && param < f->params.count; param++) {
        const size_t end = rk_heads_param_end(tokens, i, h->close);
        if (f->params.items[param].is_class) {
            const size_t begin = tokens->items[i].offset;
            edit(unit, file, begin,
                 tokens->items[end - 1].offset + tokens->items[end - 1].length - begin,
                 rk_heads_param_text(tokens, &f->params.items[param], i, end, unit->arena));
        }
        i = end + 1;
    }
}

/** `template <> T f<int>(` becomes a class, whose function it is: specialised.h. */
static void edit_specialised(rk_unit *unit, const rk_function *f, const rk_heads *h)
{
    const size_t file = f->definition.file;
    const rk_tokens *tokens = tokens_of(unit, file);
    const size_t begin = tokens->items[h->open - 1].offset;
    const size_t name = rk_tokens_at(tokens, f->definition.name);
    edit(unit, file, begin, tokens->items[h->close].offset + 1 - begin,
         rk_arena_printf(unit->arena,
                         "template <> struct %s { static constexpr bool there = true; template "
                         "<class rk__Ctx> static",
                         rk_specialised_class(unit, f)));
    if (rk_token_is(tokens, name + 1, "<"))
        edit(unit, file, tokens->items[name + 1].offset,
             tokens->items[rk_tokens_close(tokens, name + 1)].offset + 1 -
                 tokens->items[name + 1].offset,
             "");
    insert(unit, file, f->end, RANK_LINKAGE, " };");
}

/** A template that has specialisations asks for them first. */
static void edit_question(rk_unit *unit, const rk_function *f)
{
    const size_t file = f->definition.file;
    const char *question = f->is_template ? rk_specialised_question(unit, f) : NULL;
    if (!question)
        return;
    insert(unit, file, f->definition.begin, RANK_PART,
           rk_arena_printf(unit->arena,
                           "%sstruct %s_rk__special { static constexpr bool there = false; };\n",
                           rk_heads_own(unit, f, unit->arena), f->name));
    insert(unit, file, f->definition.end + 1, RANK_PART, question);
    insert(unit, file, f->end - 1, RANK_LINKAGE, "} ");
}

/** `template <> void k<int>(` of a kernel becomes a template of its own name, with the context's type. */
static void edit_kernel_special(rk_unit *unit, const rk_declaration *d, const rk_heads *h)
{
    const rk_tokens *tokens = tokens_of(unit, d->file);
    const size_t name = rk_tokens_at(tokens, d->name);
    insert(unit, d->file, tokens->items[h->close].offset, RANK_HEAD, "class rk__Ctx");
    if (rk_token_is(tokens, name + 1, "<")) {
        const size_t begin = tokens->items[name + 1].offset;
        edit(unit, d->file, begin,
             tokens->items[rk_tokens_close(tokens, name + 1)].offset + 1 - begin, "");
    }
}

/** A kernel that others share the name of gets its own; a drop-in's copy has it already. */
static void edit_name(rk_unit *unit, const rk_function *f, const rk_declaration *d)
{
    if (!unit->options->drop_in && strcmp(f->own_name, f->name) != 0)
        edit(unit, d->file, d->name, strlen(f->name), f->own_name);
}

static void edit_specifiers(rk_unit *unit, const rk_declaration *d)
{
    const rk_tokens *tokens = tokens_of(unit, d->file);
    for (size_t i = rk_heads_read(tokens, d->begin).next;
         i < tokens->count && tokens->items[i].offset < d->name; i++)
        edit_specifier(unit, d->file, &i);
}

static void edit_signature(rk_unit *unit, const rk_function *f, const rk_declaration *d, size_t end)
{
    const rk_tokens *tokens = tokens_of(unit, d->file);
    const rk_heads h = rk_heads_read(tokens, d->begin);
    edit_name(unit, f, d);
    if (f->specialisation && f->kernel && h.count) {
        edit_kernel_special(unit, d, &h);
    } else if (f->specialisation && h.count) {
        edit_specialised(unit, f, &h);
    } else if (f->is_template && h.count) {
        edit_template(unit, f, d->file, &h);
        insert(unit, d->file, tokens->items[h.close].offset, RANK_HEAD, ", class rk__Ctx");
    } else {
        insert(unit, d->file, h.count ? tokens->items[h.next].offset : d->begin, RANK_HEAD,
               "template <class rk__Ctx> ");
    }
    edit_linkage(unit, f, d, end);
    edit_specifiers(unit, d);
    edit_parameters(unit, d);
}

/* Bodies. */

static char *indentation(const rk_tokens *tokens, size_t offset, rk_arena *arena)
{
    const size_t begin = rk_line_begin(tokens->text, offset);
    size_t end = begin;
    while (end < offset && (tokens->text[end] == ' ' || tokens->text[end] == '\t'))
        end++;
    return rk_arena_strndup(arena, tokens->text + begin, end - begin);
}

/** The struct of the function's shared memory, with the names that the body's `using` found for it. */
static const char *part_text(const rk_unit *unit, const rk_function *f, const char *fields)
{
    rk_arena *arena = unit->arena;
    const char *text = rk_arena_printf(arena, "%sstruct %s { %s};", rk_heads_own(unit, f, arena),
                                       f->part, fields);
    if (f->in_class && f->access) /* a kernel's frame is to name it */
        return rk_arena_printf(arena, "public: %s %s:", text, f->access);
    if (!f->opened.count)
        return text;
    rk_str opened = {.arena = arena};
    for (size_t i = 0; i < f->opened.count; i++)
        rk_str_addf(&opened, "%s ", f->opened.items[i]);
    return rk_arena_printf(arena, "namespace %s_in { %s%s } using %s_in::%s;", f->part,
                           rk_str_text(&opened), text, f->part, f->part);
}

static void edit_shared(rk_unit *unit, const rk_function *f)
{
    const size_t file = f->definition.file;
    rk_arena *arena = unit->arena;
    rk_str fields = {.arena = arena};
    const char *part =
        f->part ? rk_arena_printf(arena, "%s%s", f->part, rk_heads_own_args(f, arena)) : NULL;
    for (size_t i = 0; i < f->hoists.count; i++)
        rk_str_addf(&fields, "%s ", f->hoists.items[i]);
    for (size_t i = 0; i < f->shared.count; i++) {
        const rk_shared *s = &f->shared.items[i];
        rk_str inplace = {.arena = arena};
        for (size_t k = 0; !s->dynamic && k < s->names.count; k++)
            rk_str_addf(&inplace, "%sauto &%s = rk__ctx.template shared<%s>().%s;", k ? " " : "",
                        s->names.items[k], part, s->members.items[k]);
        edit(unit, file, s->begin, s->end - s->begin,
             s->dynamic
                 ? rk_rewrite_leading(
                       unit, file,
                       rk_shared_pointer(s, !(f->does & RK_TEXT_BARE_SHARED) || f->ambient, arena))
                 : rk_str_text(&inplace));
        if (!s->dynamic)
            rk_str_addf(&fields, "%s ", rk_rewrite_leading(unit, file, s->fields));
    }
    if (part)
        insert(unit, file, f->definition.begin, RANK_PART,
               rk_arena_printf(arena, "%s\n%s", part_text(unit, f, rk_str_text(&fields)),
                               indentation(tokens_of(unit, file), f->definition.begin, arena)));
}

/** Whether an earlier call is of the same loop: its begin and its end may both need the context. */
static bool is_range_edited(const rk_unit *unit, const rk_function *f, size_t call)
{
    for (size_t i = 0; i < call; i++)
        if (f->calls.items[i].range &&
            unit->functions.items[f->calls.items[i].callee]->needs_context &&
            f->calls.items[i].name.file == f->calls.items[call].name.file &&
            f->calls.items[i].name.offset == f->calls.items[call].name.offset)
            return true;
    return false;
}

static void edit_calls(rk_unit *unit, const rk_function *f)
{
    for (size_t i = 0; i < f->calls.count; i++) {
        const rk_call *call = &f->calls.items[i];
        const rk_function *to = unit->functions.items[call->callee];
        if (!to->needs_context || to->kernel)
            continue;
        if (call->argument && call->param == RK_NONE)
            edit(unit, call->name.file, call->name.offset, strlen(to->name),
                 rk_function_args_class(to, unit->arena));
        if (!call->editable)
            continue;
        if (call->range) {
            if (!is_range_edited(unit, f, i)) {
                insert(unit, call->name.file, call->name.offset, RANK_HEAD,
                       "rk__::ranged(rk__ctx, ");
                insert(unit, call->name.file, call->open, RANK_HEAD, ")");
            }
            continue;
        }
        const rk_bytes *text = &unit->files.items[call->name.file]->bytes;
        size_t next = call->open + 1;
        while (next < text->size &&
               (isspace((unsigned char)text->data[next]) || text->data[next] == '\\'))
            next++;
        const bool empty = next < text->size && text->data[next] == ')';
        const char *context = call->value ? "rk__::ambient().rk__self()" : "rk__ctx";
        insert(unit, call->name.file, call->open + 1, RANK_HEAD,
               rk_arena_printf(unit->arena, "%s%s", context, empty ? "" : ", "));
        if (call->param != RK_NONE)
            insert(unit, call->name.file, call->open, RANK_HEAD, "()");
    }
}

static bool has_comma(const rk_tokens *tokens, size_t begin, size_t end)
{
    int depth = 0;
    for (size_t i = rk_tokens_at(tokens, begin); i < tokens->count && tokens->items[i].offset < end;
         i++) {
        depth += rk_token_is(tokens, i, "(") - rk_token_is(tokens, i, ")");
        if (depth == 0 && rk_token_is(tokens, i, ","))
            return true;
    }
    return false;
}

static void edit_leaves(rk_unit *unit, const rk_function *f)
{
    for (size_t i = 0; i < f->events.count; i++) {
        const rk_event *e = &f->events.items[i];
        if (!e->leaves)
            continue;
        const size_t file = f->definition.file;
        const bool comma = has_comma(tokens_of(unit, file), e->condition, e->condition_end);
        insert(unit, file, e->condition, RANK_HEAD, comma ? "rk__ctx.leave((" : "rk__ctx.leave(");
        insert(unit, file, e->condition_end, RANK_LINKAGE, comma ? "))" : ")");
    }
}

/** The place behind what a return in a kernel calls, `return f(x);`; RK_NONE of one that calls nothing. */
static size_t returned_end(const rk_unit *unit, const rk_event *e)
{
    size_t i, from;
    const rk_tokens tokens = rk_walk_tokens(unit, e->word, &i, &from);
    const size_t first = i + 1;
    for (i = first; i < tokens.count && !rk_token_is(&tokens, i, ";"); i++) {
        if (rk_token_is(&tokens, i, "(") || rk_token_is(&tokens, i, "{") ||
            rk_token_is(&tokens, i, "["))
            i = rk_tokens_close(&tokens, i);
        else if (rk_token_is(&tokens, i, "}") || rk_token_is(&tokens, i, ")"))
            break;
    }
    i = i < tokens.count ? i : tokens.count;
    if (i == first)
        return RK_NONE;
    return from + tokens.items[i - 1].offset + tokens.items[i - 1].length;
}

/**
 * Where a barrier or a warp operation may follow a return, each way out of the kernel says so itself,
 * before the compiler joins the threads of a warp that left with those that stay
 * (rk/gpu/cuda_barrier.cuh, rk/gpu/cuda_warp.cuh).
 */
static void edit_exits(rk_unit *unit, const rk_function *f)
{
    const char *text = rk_returns_exit(f);
    if (!text)
        return;
    const char *word = rk_arena_printf(unit->arena, "return %s", text);
    for (size_t i = 0; i < f->events.count; i++) {
        const rk_event *e = &f->events.items[i];
        if (e->kind != RK_EVENT_RETURN)
            continue;
        const size_t end = returned_end(unit, e);
        if (end == RK_NONE)
            edit(unit, e->word.file, e->word.offset, strlen("return"), word);
        else
            insert(unit, e->word.file, end, RANK_LINKAGE,
                   rk_arena_printf(unit->arena, ", %s", text));
    }
    insert(unit, f->definition.file, f->end - 1, RANK_HEAD,
           rk_arena_printf(unit->arena, "%s; ", text));
}

/** Captures what the lambda's text now finds in the function around it. */
static void edit_lambda(rk_unit *unit, const rk_function *f, const rk_lambda *lambda)
{
    const rk_tokens *tokens = tokens_of(unit, f->definition.file);
    const size_t open = rk_tokens_at(tokens, lambda->open);
    if (!rk_token_is(tokens, open, "["))
        return;
    const bool reference =
        rk_token_is(tokens, open + 1, "&") &&
        (rk_token_is(tokens, open + 2, "]") || rk_token_is(tokens, open + 2, ","));
    const bool copy = rk_token_is(tokens, open + 1, "=");
    unsigned uses = lambda->uses;
    for (size_t i = 0; i < lambda->callees.count; i++)
        if (unit->functions.items[lambda->callees.items[i]]->needs_context)
            uses |= RK_USE_CONTEXT;
    if (reference)
        return;
    if (copy)
        uses &= RK_USE_CONTEXT | RK_USE_STATIC_SHARED | RK_USE_DYNAMIC_SHARED;
    rk_str captures = {.arena = unit->arena};
    rk_str_add(&captures, rk_builtin_captures(uses, unit->arena));
    for (size_t i = 0; i < lambda->names.count; i++)
        rk_str_addf(&captures, ", &%s", lambda->names.items[i]);
    const char *text = rk_str_text(&captures);
    const size_t close = rk_tokens_close(tokens, open);
    if (!*text || close >= tokens->count)
        return;
    insert(unit, f->definition.file, tokens->items[close].offset, RANK_HEAD,
           close == open + 1 ? text + 2 : text);
}

/** What ends the kernel's barriers in shared memory, behind the block that is its body. */
static const char *meeting_end(const rk_unit *unit, const rk_function *f)
{
    rk_str out = {.arena = unit->arena};
    rk_str_add(&out, "} rk__::end_barriers(rk__ctx");
    for (size_t i = 0; i < f->shared.count; i++)
        for (size_t k = 0; f->shared.items[i].barrier && k < f->shared.items[i].names.count; k++)
            rk_str_addf(&out, ", rk__ctx.template shared<%s%s>().%s", f->part,
                        rk_heads_own_args(f, unit->arena), f->shared.items[i].members.items[k]);
    rk_str_add(&out, "); ");
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

static void edit_file_shared(rk_unit *unit, const rk_function *f)
{
    for (size_t i = 0; i < f->file_edits.count; i++)
        edit(unit, f->file_edits.items[i].file, f->file_edits.items[i].offset,
             f->file_edits.items[i].length, f->file_edits.items[i].text);
}

static void edit_body(rk_unit *unit, const rk_function *f)
{
    rk_str entry = {.arena = unit->arena};
    rk_str_add(&entry, rk_ambient_entry(f));
    if (f->does & RK_TEXT_NAMED_BARRIERS)
        rk_str_add(&entry, " rk__ctx.whole_warps();");
    rk_str_add(&entry, rk_builtin_shadows(f->uses, unit->arena));
    if (f->meets) {
        rk_str_add(&entry, " rk__::begin_barriers(); {");
        insert(unit, f->definition.file, f->end - 1, RANK_HEAD, meeting_end(unit, f));
    }
    if (entry.length) {
        rk_source_file *file = unit->files.items[f->definition.file];
        file->touched = true;
        rk_edits_enter(&file->edits, f->definition.end + 1, RANK_HEAD, rk_str_text(&entry));
    }
    for (size_t i = 0; i < f->file_shared.count; i++)
        insert(unit, f->definition.file, f->definition.end + 1, RANK_LINKAGE,
               rk_arena_printf(unit->arena, " %s", f->file_shared.items[i]));
    edit_shared(unit, f);
    edit_calls(unit, f);
    edit_leaves(unit, f);
    edit_exits(unit, f);
    for (size_t i = 0; i < f->lambdas.count; i++)
        edit_lambda(unit, f, &f->lambdas.items[i]);
    for (size_t i = 0; i < f->edits.count; i++)
        edit(unit, f->edits.items[i].file, f->edits.items[i].offset, f->edits.items[i].length,
             f->edits.items[i].text);
}

bool rk_rewrite_split(rk_unit *unit, const rk_function *f, bool lines)
{
    const size_t file = f->definition.file, end = f->end - 1;
    rk_fission_plan *plan = f->kernel && !f->meets && (f->reach & (RK_USE_BARRIERS | RK_USE_WARPS))
                                ? rk_fission_of(unit, file, f->definition.end)
                                : NULL;
    const unsigned uses = f->uses & ((RK_USE_PLACES | RK_USE_LDG) & ~(unsigned)RK_USE_THREAD_IDX);
    const char *text = plan ? rk_fission_text(unit, plan, uses) : NULL;
    if (!text)
        return false;
    rk_arena *arena = unit->arena;
    const char *line = lines ? rk_arena_printf(arena, "\n#line %d \"%s\"\n",
                                               rk_sources_place(unit, file, f->definition.end).line,
                                               unit->files.items[file]->path)
                             : "";
    rk_str out = {.arena = arena};
    rk_str_addf(&out,
                "\n#ifdef RK_CPU_SPLIT\nif constexpr (rk__::is_block<rk__Ctx>) { auto &rk__block = "
                "rk__ctx; (void)rk__block; using rk__thread = typename rk__Ctx::rk__thread;");
    if (*plan->types)
        rk_str_addf(&out,
                    " if constexpr (!rk__::kept_types<%s>::plain) rk__ctx.need_fibers(); else {",
                    plan->types);
    rk_str_addf(&out, "%s%s%s } else\n#endif\n{%s", line, text, *plan->types ? "}" : "", line);
    insert(unit, file, f->definition.end + 1, RANK_SPLIT, rk_str_text(&out));
    insert(unit, file, end, RANK_SPLIT_END, "} ");
    return true;
}

/** An rKernel's parameters may be written by others meanwhile: `restrict` is no longer true. */
static void edit_restrict(rk_unit *unit, const rk_function *f)
{
    const rk_tokens *tokens = tokens_of(unit, f->definition.file);
    for (size_t i = rk_tokens_at(tokens, f->definition.begin);
         i < tokens->count && tokens->items[i].offset < f->end; i++) {
        if (tokens->items[i].kind != RK_TOKEN_NAME)
            continue;
        const char *macro = NULL;
        bool found = rk_token_is(tokens, i, "__restrict__") || rk_token_is(tokens, i, "__restrict");
        if (!found)
            macro = rk_sources_macro(unit, rk_token_text(tokens, i, unit->arena));
        found |= macro && (strcmp(macro, "__restrict__") == 0 || strcmp(macro, "__restrict") == 0);
        if (found)
            edit(unit, f->definition.file, tokens->items[i].offset, tokens->items[i].length, "");
    }
}

void rk_rewrite_definition(rk_unit *unit, const rk_function *f)
{
    edit_restrict(unit, f);
    if (f->ambient) {
        edit_specifiers(unit, &f->definition);
        edit_body(unit, f);
        return;
    }
    if (f->does & RK_TEXT_BARE_SHARED)
        edit_shared(unit, f);
    if (!f->needs_context) {
        edit_calls(unit, f);
        return;
    }
    edit_signature(unit, f, &f->definition, f->end);
    if (f->has_class)
        insert(unit, f->definition.file, f->end, RANK_LINKAGE,
               rk_function_args_text(f, unit->arena));
    edit_body(unit, f);
    edit_question(unit, f);
}

void rk_rewrite_declaration(rk_unit *unit, const rk_function *f, const rk_declaration *d)
{
    if (f->ambient) {
        edit_specifiers(unit, d);
        return;
    }
    edit_signature(unit, f, d, d->end + 1);
    for (size_t i = 0; i < f->other_edits.count; i++) {
        const rk_text_edit *e = &f->other_edits.items[i];
        if (e->file == d->file && e->offset >= d->begin && e->offset < d->end)
            edit(unit, e->file, e->offset, e->length, e->text);
    }
}

/** Values ask by themselves, whoever reaches them. */
static void edit_values(rk_unit *unit, const rk_text_edit *edits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        edit(unit, edits[i].file, edits[i].offset, edits[i].length, edits[i].text);
}

void rk_rewrite_functions(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        if (f->removed || !f->reached)
            continue;
        rk_rewrite_definition(unit, f);
        if (f->needs_context)
            edit_file_shared(unit, f);
        f->split = !(f->reach_does & RK_TEXT_ASKS) && rk_rewrite_split(unit, f, unit->lines);
        for (size_t k = 0; (f->needs_context || f->ambient) && k < f->others.count; k++)
            rk_rewrite_declaration(unit, f, &f->others.items[k]);
    }
    for (size_t i = 0; i < unit->functions.count; i++)
        if (!unit->functions.items[i]->removed)
            edit_values(unit, unit->functions.items[i]->value_edits.items,
                        unit->functions.items[i]->value_edits.count);
    edit_values(unit, unit->value_edits.items, unit->value_edits.count);
}

/**
 * A function of the namespace hides those of its name in system headers, which it overloads where it was: each is
 * declared beside it where device code can call some. Others, as `pipe` of <unistd.h>, nvcc may not see.
 */
static void declare_overloads(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        const char *text = rk_arena_printf(unit->arena, "using ::%s; ", f->name);
        if (!f->overloads || f->removed)
            continue;
        insert(unit, f->definition.file, f->definition.begin, RANK_SPACE, text);
        for (size_t k = 0; k < f->others.count; k++)
            insert(unit, f->others.items[k].file, f->others.items[k].begin, RANK_SPACE, text);
    }
}

/** A name in the output folder: the header's own, after "rk.". In place each folder keeps its own. */
static const char *choose_name(rk_unit *unit, const rk_source_file *file)
{
    rk_arena *arena = unit->arena;
    const char *base = rk_path_base(file->path);
    if (unit->own_headers)
        base = rk_arena_printf(arena, "%s.rk.%s", unit->stem, base);
    if (unit->options->in_place)
        return base;
    const char *name = rk_sources_output_name(unit->names, base, file->path, arena);
    return unit->own_headers ? name : rk_arena_printf(arena, "rk.%s", name);
}

static void name_files(rk_unit *unit)
{
    for (size_t i = 1; i < unit->files.count; i++)
        unit->files.items[i]->out_name = choose_name(unit, unit->files.items[i]);
}

/** The file's other text, which its CPU library is compiled from. */
static bool apply_for_cpu(rk_unit *unit, rk_source_file *file)
{
    rk_edits all = {.arena = unit->arena};
    size_t conflict[2], index = 0;
    while (unit->files.items[index] != file)
        index++;
    for (size_t i = 0; i < file->edits.list.count; i++)
        *rk_push(unit->arena, &all.list) = file->edits.list.items[i];
    rk_undefined_edit(unit, &all, index, 0, file->bytes.size);
    file->cpu.data =
        rk_edits_apply(&all, file->bytes.data, file->bytes.size, &file->cpu.size, conflict);
    return file->cpu.data || rk_diag_add(unit->diag, RK_ERROR, "RK-V003", rk_place_file(file->path),
                                         "report this file to us", "two edits for the CPU overlap");
}

static bool apply(rk_unit *unit, rk_source_file *file)
{
    size_t conflict[2];
    file->output.data = rk_edits_apply(&file->edits, file->bytes.data, file->bytes.size,
                                       &file->output.size, conflict);
    if (file->output.data)
        return apply_for_cpu(unit, file);
    const rk_edit *a = &file->edits.list.items[conflict[0]];
    const rk_edit *b = &file->edits.list.items[conflict[1]];
    const size_t index = file == unit->files.items[0] ? 0 : RK_NONE;
    rk_place place = index == 0 ? rk_sources_place(unit, 0, b->offset) : rk_place_file(file->path);
    return rk_diag_add(unit->diag, RK_ERROR, "RK-V003", place, "report this file to us",
                       "two edits overlap: '%s' at %zu and '%s' at %zu", a->text, a->offset,
                       b->text, b->offset);
}

/** Whether some text of the project asks for the line or the file that it is in. */
static bool asks_for_lines(const rk_unit *unit)
{
    static const char *const words[] = {"__LINE__", "__FILE__", "source_location"};
    for (size_t i = 0; i < unit->files.count; i++) {
        const rk_source_file *file = unit->files.items[i];
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (memmem(file->bytes.data, file->bytes.size, words[w], strlen(words[w])))
                return true;
        for (size_t k = 0; k < file->tokens.count; k++)
            if (rk_token_is(&file->tokens, k, "assert"))
                return true;
    }
    return false;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/** After each edit that shifts what follows: the line of it in the project's own file. */
static void mark_lines(rk_unit *unit, size_t file)
{
    rk_source_file *source = unit->files.items[file];
    for (size_t i = 0; i < source->edits.list.count; i++) {
        rk_edit *e = &source->edits.list.items[i];
        const size_t length = strlen(e->text), end = e->offset + e->length;
        const size_t at = rk_tokens_at(&source->tokens, end);
        if (end >= source->bytes.size || rk_str_starts(e->text, "#if 0 ") ||
            count_lines(e->text, length) ==
                count_lines(source->bytes.data + e->offset, e->length) ||
            (at < source->tokens.count && source->tokens.items[at].kind == RK_TOKEN_DIRECTIVE &&
             source->tokens.items[at].offset < end))
            continue;
        e->text = rk_arena_printf(unit->arena, "%s%s#line %d \"%s\"\n", e->text,
                                  length && e->text[length - 1] == '\n' ? "" : "\n",
                                  rk_sources_place(unit, file, end).line, source->path);
    }
}

bool rk_rewrite(rk_unit *unit)
{
    unit->lines = asks_for_lines(unit);
    for (size_t i = 0; i < unit->files.count; i++) {
        unit->files.items[i]->touched = true;
        unit->files.items[i]->edits.list.count = 0;
    }
    rk_rewrite_functions(unit);
    declare_overloads(unit);
    name_files(unit);
    bool ok = rk_rewrite_layout(unit);
    rk_edits_insert(&unit->files.items[0]->edits, 0, RANK_FIRST, rk_rewrite_head(unit));
    for (size_t i = 0; i < unit->files.count; i++)
        ok &= rk_reserved_macros(unit, unit->files.items[i]);
    for (size_t i = 0; unit->lines && i < unit->files.count; i++)
        mark_lines(unit, i);
    for (size_t i = 0; ok && i < unit->files.count; i++)
        ok &= apply(unit, unit->files.items[i]);
    return ok;
}
