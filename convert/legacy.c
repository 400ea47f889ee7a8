#include "convert/legacy.h"

#include "convert/analyze.h"
#include "convert/parse.h"
#include "convert/sources.h"

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

/** The token of the bracket that opens what `close` closes; parentheses in `<...>` count as one. */
static size_t open_before(const rk_tokens *tokens, size_t close)
{
    const bool angle = rk_token_is(tokens, close, ">");
    int depth = 0;
    size_t i = close + 1;
    do {
        i--;
        if (angle && rk_token_is(tokens, i, ")"))
            i = open_before(tokens, i);
        else
            depth += rk_token_is(tokens, i, angle ? ">" : ")") -
                     rk_token_is(tokens, i, angle ? "<" : "(");
    } while (i > 0 && depth > 0);
    return i;
}

/** The first token of the kernel's name, whose last is before `open`; `open` when there is none. */
static size_t callee_begin(const rk_tokens *tokens, size_t open)
{
    size_t i = open;
    if (i > 0 && rk_token_is(tokens, i - 1, ")"))
        return open_before(tokens, i - 1);
    if (i > 0 && rk_token_is(tokens, i - 1, ">"))
        i = open_before(tokens, i - 1);
    while (i > 0 && (tokens->items[i - 1].kind == RK_TOKEN_NAME ||
                     rk_token_is(tokens, i - 1, "::") || rk_token_is(tokens, i - 1, "."))) {
        const bool name = tokens->items[i - 1].kind == RK_TOKEN_NAME;
        if (name && i < open && tokens->items[i].kind == RK_TOKEN_NAME)
            break; /* `return k`, `else k` */
        i--;
    }
    return i;
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
        if (rk_token_is(tokens, i, ";"))
            break;
        if (adjacent(tokens, i, ">") && rk_token_is(tokens, i + 3, "("))
            return i;
    }
    return tokens->count;
}

/** Whether the arguments do something, which each thread's call would do again. */
static bool has_effects(const rk_tokens *tokens, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const bool twice =
            i + 1 < last && tokens->items[i + 1].offset == tokens->items[i].offset + 1;
        if ((rk_token_is(tokens, i, "+") && twice && rk_token_is(tokens, i + 1, "+")) ||
            (rk_token_is(tokens, i, "-") && twice && rk_token_is(tokens, i + 1, "-")))
            return true;
    }
    return false;
}

static void edit(rk_source_file *file, size_t offset, size_t length, const char *text)
{
    file->touched = true;
    rk_edits_add(&file->edits, offset, length, text);
}

/** `k<<<c>>>(args)` becomes `rk::launch(c, [&] { k(args); })`; `base` is added to offsets. */
static void rewrite_launch(rk_unit *unit, rk_source_file *file, const rk_tokens *tokens,
                           size_t base, size_t open)
{
    const size_t begin = callee_begin(tokens, open);
    const size_t end = configuration_end(tokens, open + 3);
    if (begin == open || end >= tokens->count)
        return;
    const size_t close = rk_tokens_close(tokens, end + 3);
    if (close >= tokens->count)
        return;
    if (has_effects(tokens, end + 4, close))
        rk_diag_add(unit->diag, RK_WARNING, "RK-V206", rk_place_file(file->path),
                    "compute the argument before the launch",
                    "an argument of a launch has an effect, which each thread would repeat");
    const size_t name = tokens->items[begin].offset;
    const size_t chevrons = tokens->items[open].offset;
    const size_t config = chevrons + 3;
    const size_t config_end = tokens->items[end].offset;
    const char *callee = rk_arena_strndup(unit->arena, tokens->text + name, chevrons - name);
    edit(file, base + name, config - name, "rk::launch(");
    edit(file, base + config_end, 3, rk_arena_printf(unit->arena, ", [&] { %s", callee));
    edit(file, base + tokens->items[close].offset, 1, "); })");
}

static void rewrite_launches(rk_unit *unit, rk_source_file *file, const rk_tokens *tokens,
                             size_t base)
{
    for (size_t i = 0; i < tokens->count; i++) {
        const rk_token *token = &tokens->items[i];
        if (token->kind == RK_TOKEN_DIRECTIVE) {
            const rk_tokens inner =
                rk_lex_directive(tokens->text + token->offset, token->length, unit->arena);
            rewrite_launches(unit, file, &inner, base + token->offset);
        } else if (adjacent(tokens, i, "<")) {
            rewrite_launch(unit, file, tokens, base, i);
        }
    }
}

/* Dynamic shared memory, by the analysis. */

/** The same declaration for the legacy runtime, which has no context. */
static const char *without_context(const char *text, rk_arena *arena)
{
    static const char context[] = "rk_ctx.template ";
    const char *at = strstr(text, context);
    if (!at)
        return text;
    return rk_arena_printf(arena, "%.*srk::%s", (int)(at - text), text, at + strlen(context));
}

static void rewrite_shared(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        rk_source_file *file = unit->files.items[f->definition.file];
        for (size_t s = 0; s < f->shared.count; s++)
            if (f->shared.items[s].dynamic && f->shared.items[s].inplace)
                edit(file, f->shared.items[s].begin,
                     f->shared.items[s].end - f->shared.items[s].begin,
                     without_context(f->shared.items[s].inplace, unit->arena));
        for (size_t s = 0; s < f->file_shared.count; s++) {
            file->touched = true;
            rk_edits_insert(&file->edits, f->definition.end + 1, 0,
                            rk_arena_printf(unit->arena, " %s",
                                            without_context(f->file_shared.items[s], unit->arena)));
        }
    }
}

/* Entries. */

static bool is_entry(const rk_unit *unit, size_t index)
{
    const rk_function *f = unit->functions.items[index];
    if (!f->launches || f->kernel || f->device || f->is_template || f->method || f->special ||
        !f->slots || f->class_template || strcmp(f->name, "main") == 0)
        return false;
    for (size_t i = 0; i < unit->functions.count; i++)
        if (i != index && strcmp(unit->functions.items[i]->name, f->name) == 0)
            return false;
    return true;
}

static void add_entries(rk_unit *unit, rk_str *out)
{
    bool any = false;
    for (size_t i = 0; i < unit->functions.count; i++) {
        if (!is_entry(unit, i))
            continue;
        if (!any)
            rk_str_add(out,
                       "\n#include <utility>\n"
                       "namespace {\n"
                       "template <class R, class... A, std::size_t... I>\n"
                       "void rk_legacy_call(R (*function)(A...), const std::uint64_t *slots, "
                       "std::index_sequence<I...>)\n"
                       "{\n"
                       "    (void)slots;\n"
                       "    function(rk::legacy_slot<A>(slots, I)...);\n"
                       "}\n"
                       "template <class R, class... A>\n"
                       "void rk_legacy_call(R (*function)(A...), const std::uint64_t *slots)\n"
                       "{\n"
                       "    rk_legacy_call(function, slots, std::index_sequence_for<A...>());\n"
                       "}\n"
                       "} // namespace\n");
        any = true;
        const rk_function *f = unit->functions.items[i];
        rk_str_addf(out,
                    "extern \"C\" void rk_legacy_%s(const std::uint64_t *slots)\n{\n"
                    "    rk_legacy_call(%s%s, slots);\n}\n",
                    f->name, f->spaces_prefix, f->name);
    }
}

/* Files. */

/** Headers with edits are written beside the output, and included from there. */
static void redirect(rk_unit *unit)
{
    const char *stem =
        rk_path_stem(unit->arena, unit->options->output ? unit->options->output : unit->path);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->files.count; i++) {
            rk_source_file *file = unit->files.items[i];
            for (size_t k = 0; k < file->includes.count; k++) {
                const rk_include *include = &file->includes.items[k];
                if (include->target == RK_NONE || !unit->files.items[include->target]->touched)
                    continue;
                rk_source_file *to = unit->files.items[include->target];
                to->out_name = rk_arena_printf(unit->arena, "%s.%s", stem, rk_path_base(to->path));
                const rk_directive d = rk_directive_of(&file->tokens, include->token, unit->arena);
                rk_edits_add(&file->edits, d.rest_offset, strlen(d.rest),
                             rk_arena_printf(unit->arena, "\"%s\"", to->out_name));
                changed |= !file->touched;
                file->touched = true;
            }
        }
    }
}

static bool apply(rk_unit *unit, rk_source_file *file, const char *tail)
{
    size_t conflict[2], size;
    const char *text =
        rk_edits_apply(&file->edits, file->bytes.data, file->bytes.size, &size, conflict);
    if (!text)
        return rk_diag_add(unit->diag, RK_ERROR, "RK-V003", rk_place_file(file->path),
                           "report this file to us", "two edits overlap");
    rk_str out = {.arena = unit->arena};
    rk_str_addn(&out, text, size);
    rk_str_add(&out, tail);
    file->output = (rk_bytes){out.text, out.length};
    return true;
}

bool rk_legacy_convert(rk_unit *unit)
{
    if (!rk_sources_read(unit) || !rk_parse_source(unit))
        return false;
    rk_analyze(unit);
    for (size_t i = 0; i < unit->files.count; i++)
        rewrite_launches(unit, unit->files.items[i], &unit->files.items[i]->tokens, 0);
    rewrite_shared(unit);
    redirect(unit);
    rk_source_file *source = unit->files.items[0];
    rk_edits_insert(&source->edits, 0, -1, "#include <rk/cpu_cuda.h>\n");
    rk_str tail = {.arena = unit->arena};
    if (unit->options->entries)
        add_entries(unit, &tail);
    bool ok = true;
    for (size_t i = 0; i < unit->files.count; i++)
        if (i == 0 || unit->files.items[i]->touched)
            ok &= apply(unit, unit->files.items[i], i == 0 ? rk_str_text(&tail) : "");
    return ok;
}
