#include "convert/program/drop_in_internal.h"

#include "convert/clang/ast.h"
#include "convert/clang/parse.h"
#include "convert/launches/instantiated.h"
#include "convert/rkernel/conversion.h"
#include "convert/rkernel/decide.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <string.h>

/** Rounds of deciding and checking; each refuses at least one function. */
enum { MAX_ROUNDS = 12 };

/* What the analysis finds that does not matter here: the program's symbols, textures and other launches stay. */

static bool is_of_catalogs(const char *code)
{
    static const char *const codes[] = {"RK-V104", "RK-V125", "RK-V128",
                                        "RK-V202", "RK-V211", "RK-V212"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i], code) == 0)
            return true;
    return false;
}

static void forget_catalogs(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        size_t kept = 0;
        for (size_t p = 0; p < f->problems.count; p++)
            if (!is_of_catalogs(f->problems.items[p].code))
                f->problems.items[kept++] = f->problems.items[p];
        f->problems.count = kept;
    }
}

/** Whether `static` at a token begins a method of a class inside the function: its parameters are followed by a body. */
static bool is_method(const rk_tokens *tokens, size_t at)
{
    static const char *const ends[] = {"{", "const", "noexcept", "->"};
    while (at < tokens->count && !rk_token_is(tokens, at, "(")) {
        if (rk_token_is(tokens, at, "=") || rk_token_is(tokens, at, ";") ||
            rk_token_is(tokens, at, "{") || rk_token_is(tokens, at, "["))
            return false;
        at++;
    }
    const size_t behind = at < tokens->count ? rk_tokens_close(tokens, at) + 1 : tokens->count;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (behind < tokens->count && rk_token_is(tokens, behind, ends[i]))
            return true;
    return false;
}

/** A copy has static variables of its own, which the original would not share. */
static void refuse_statics(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
        if (!f->needs_context)
            continue;
        for (size_t t = rk_tokens_at(tokens, f->definition.end);
             t < tokens->count && tokens->items[t].offset < f->end; t++) {
            if (!rk_token_is(tokens, t, "static") || is_method(tokens, t) ||
                rk_token_is(tokens, t + 1, "constexpr") || rk_token_is(tokens, t + 1, "const") ||
                rk_token_is(tokens, t + 1, "__shared__") ||
                (t > 0 &&
                 (rk_token_is(tokens, t - 1, "__shared__") || rk_token_is(tokens, t - 1, "const") ||
                  rk_token_is(tokens, t - 1, "constexpr"))))
                continue;
            rk_problem_add(unit, i, RK_REFUSED, "RK-V126",
                           rk_sources_place(unit, f->definition.file, tokens->items[t].offset),
                           "declare it at file scope as a __device__ variable",
                           "'%s' has a static variable, which its rKernel would have again",
                           f->name);
        }
    }
}

/** The CPU has no counterpart of inline assembly in a copy. */
static void refuse_assembly(rk_unit *unit)
{
    for (size_t i = 0; unit->options->target == RK_TARGET_CPU && i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        for (size_t p = 0; p < f->problems.count; p++)
            if (strcmp(f->problems.items[p].code, "RK-V203") == 0)
                f->problems.items[p].severity = RK_REFUSED;
    }
}

/* Variables that have a kernel's name. */

typedef struct {
    rk_unit *unit;
    struct rk_drop_in *found;
} variable_search;

static bool is_kernel_name(const rk_unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->kernel && strcmp(unit->functions.items[i]->name, name) == 0)
            return true;
    for (size_t i = 0; i < unit->declared.count; i++)
        if (strcmp(unit->declared.items[i]->name, name) == 0)
            return true;
    return false;
}

static enum CXChildVisitResult find_variables(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    variable_search *s = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_isDeclaration(kind) && rk_ast_is_system(cursor))
        return CXChildVisit_Continue;
    if (kind != CXCursor_DeclRefExpr && kind != CXCursor_MemberRefExpr)
        return CXChildVisit_Recurse;
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target) || rk_ast_is_function(clang_getCursorKind(target)) ||
        !clang_isDeclaration(clang_getCursorKind(target)) ||
        clang_getCursorKind(target) == CXCursor_OverloadedDeclRef ||
        !is_kernel_name(s->unit, rk_ast_name(target, s->unit->arena)))
        return CXChildVisit_Recurse;
    *rk_push(s->unit->arena, &s->found->variables) =
        rk_ast_spelling(s->unit, clang_getCursorLocation(cursor));
    return CXChildVisit_Recurse;
}

/* The texts. */

static void add_text(rk_drop_in_texts *out, rk_unit *unit, size_t file, size_t offset,
                     size_t function, const char *text)
{
    const rk_source_file *source = unit->files.items[file];
    *rk_push(unit->arena, out) = (rk_drop_in_text){
        .file = file,
        .offset = offset,
        .function = function,
        .text = rk_arena_printf(unit->arena, "\n%s\n#line %d \"%s\"\n", text,
                                rk_sources_place(unit, file, offset).line, source->path)};
}

static bool has_launcher(const rk_function *f)
{
    return f->kernel && !f->no_launcher && !f->from_macro && !f->method && !f->local_class;
}

static void make_launcher(rk_drop_in_texts *out, rk_unit *unit, size_t index, const char *copy,
                          bool cpu)
{
    rk_function *f = unit->functions.items[index];
    for (size_t d = 0; d < f->others.count; d++) {
        const char *text = rk_drop_in_launcher_declaration(unit, f, &f->others.items[d]);
        if (text)
            add_text(out, unit, f->others.items[d].file, f->others.items[d].end + 1, index, text);
    }
    const char *text = rk_drop_in_launcher(unit, index, cpu);
    if (text)
        add_text(out, unit, f->definition.file, f->end, index,
                 rk_arena_printf(unit->arena, "%s%s", copy, text));
    else
        f->no_launcher = true;
}

static bool has_text_at(const rk_drop_in_texts *texts, size_t file, size_t offset)
{
    for (size_t i = 0; i < texts->count; i++)
        if (texts->items[i].file == file && texts->items[i].offset == offset)
            return true;
    return false;
}

/** Declares the parts that stand for shared arrays at file scope, each once, where the arrays are. */
static void make_parts(rk_drop_in_texts *out, rk_unit *unit, size_t index)
{
    const rk_function *f = unit->functions.items[index];
    for (size_t i = 0; i < f->file_edits.count; i++) {
        const rk_text_edit *e = &f->file_edits.items[i];
        if (!has_text_at(out, e->file, e->offset + e->length))
            add_text(out, unit, e->file, e->offset + e->length, index, e->text);
    }
}

static void make_function(rk_drop_in_texts *out, rk_unit *unit, size_t index, bool cpu)
{
    const rk_function *f = unit->functions.items[index];
    const char *copy = "";
    if (f->needs_context && f->reached && !f->refused) {
        copy = rk_drop_in_copy(unit, index, cpu);
        make_parts(out, unit, index);
        for (size_t d = 0; !f->kernel && d < f->others.count; d++) {
            const char *text = rk_drop_in_copy_declaration(unit, index, &f->others.items[d]);
            if (text)
                add_text(out, unit, f->others.items[d].file, f->others.items[d].end + 1, index,
                         text);
        }
        if (!copy)
            return;
        if (!f->kernel)
            add_text(out, unit, f->definition.file, f->end, index, copy);
    }
    if (has_launcher(f))
        make_launcher(out, unit, index, copy, cpu);
}

/** Whether tokens [first, last] name a kernel that has launchers; `at` is its name. */
static bool names_launched(const rk_unit *unit, const rk_tokens *tokens, size_t first, size_t last,
                           size_t *at)
{
    for (size_t i = first; i <= last; i++)
        for (size_t k = 0; k < unit->functions.count; k++)
            if (has_launcher(unit->functions.items[k]) &&
                rk_token_is(tokens, i, unit->functions.items[k]->name)) {
                *at = i;
                return true;
            }
    return false;
}

/** The statement with the launcher's name in place of the kernel's, and no attributes of kernels. */
static const char *for_launcher(const rk_unit *unit, const rk_tokens *tokens, size_t first,
                                size_t last, size_t name)
{
    rk_str out = {.arena = unit->arena};
    for (size_t i = first; i <= last; i++) {
        if (rk_token_is(tokens, i, "__launch_bounds__")) {
            i = rk_tokens_close(tokens, i + 1);
            continue;
        }
        if (rk_token_is(tokens, i, "__global__"))
            continue;
        rk_str_addf(&out, "%s%s%s", out.length ? " " : "", rk_token_text(tokens, i, unit->arena),
                    i == name ? "_rk__launch" : "");
    }
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

/** Explicit instantiations and using-declarations of kernels are the launchers' as well. */
static void make_statements(rk_drop_in_texts *out, rk_unit *unit, size_t file)
{
    const rk_tokens *tokens = &unit->files.items[file]->tokens;
    for (size_t i = 0; i < tokens->count; i++) {
        const bool instance =
            rk_token_is(tokens, i, "template") && !rk_token_is(tokens, i + 1, "<");
        if (!instance && !rk_token_is(tokens, i, "using"))
            continue;
        size_t last = i, name;
        bool plain = true;
        while (last < tokens->count && !rk_token_is(tokens, last, ";")) {
            plain &= !rk_token_is(tokens, last, "=") && !rk_token_is(tokens, last, "{");
            last++;
        }
        const size_t first = i > 0 && rk_token_is(tokens, i - 1, "extern") ? i - 1 : i;
        if (last < tokens->count && plain && names_launched(unit, tokens, i, last, &name) &&
            (instance || name + 1 == last))
            add_text(out, unit, file, tokens->items[last].offset + 1, RK_NONE,
                     for_launcher(unit, tokens, first, last, name));
        i = last;
    }
}

void rk_drop_in_make(rk_drop_in_texts *out, rk_unit *unit, bool cpu)
{
    out->count = 0;
    for (size_t i = 0; i < unit->functions.count; i++)
        make_function(out, unit, i, cpu);
    for (size_t i = 0; i < unit->declared.count; i++) {
        const rk_function *f = unit->declared.items[i];
        const char *text = rk_drop_in_launcher_declaration(unit, f, &f->definition);
        if (text)
            add_text(out, unit, f->definition.file, f->definition.end + 1, RK_NONE, text);
    }
    for (size_t i = 0; i < unit->files.count; i++)
        make_statements(out, unit, i);
}

/** Kernels of one name share what a launch by that name becomes. */
static void share_launchers(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        for (size_t k = 0; k < unit->functions.count; k++) {
            rk_function *f = unit->functions.items[i];
            const rk_function *other = unit->functions.items[k];
            if (f->kernel && other->kernel && !has_launcher(other) &&
                strcmp(f->name, other->name) == 0)
                f->no_launcher = true;
        }
}

static size_t problem_count(const rk_unit *unit)
{
    size_t count = 0;
    for (size_t i = 0; i < unit->functions.count; i++)
        count += unit->functions.items[i]->problems.count + unit->functions.items[i]->no_launcher;
    return count;
}

bool rk_drop_in_prepare(rk_unit *unit, bool parsed)
{
    unit->drop_in = RK_NEW(unit->arena, struct rk_drop_in);
    unit->drop_in->parsed = parsed;
    variable_search search = {unit, unit->drop_in};
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), find_variables, &search);
    rk_leave_out(unit);
    refuse_assembly(unit);
    rk_decide(unit);
    rk_drop_in_refuse_unnamed(unit);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        bool clean = true;
        rk_decide(unit);
        refuse_statics(unit);
        forget_catalogs(unit);
        rk_decide(unit);
        share_launchers(unit);
        const size_t before = problem_count(unit);
        rk_drop_in_make(&unit->drop_in->texts, unit, false);
        if (problem_count(unit) != before)
            continue;
        if (!rk_drop_in_check(&clean, unit))
            return false;
        if (!clean)
            continue;
        rk_drop_in_make(&unit->drop_in->texts, unit, unit->options->target == RK_TARGET_CPU);
        return true;
    }
    return rk_diag_add(unit->diag, RK_ERROR, "RK-V003", rk_place_file(unit->path),
                       "report this file to us", "the conversion does not come to an end");
}

void rk_drop_in_edit(rk_unit *unit)
{
    const rk_drop_in_texts *texts = &unit->drop_in->texts;
    for (size_t i = 0; i < texts->count; i++) {
        const rk_drop_in_text *t = &texts->items[i];
        unit->files.items[t->file]->touched = true;
        rk_edits_insert(&unit->files.items[t->file]->edits, t->offset, 9, t->text);
    }
}

/* Launches. */

bool rk_drop_in_is_device(const rk_unit *unit, rk_where at)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if ((f->kernel || f->device) && f->definition.file == at.file &&
            at.offset >= f->definition.begin && at.offset < f->end)
            return true;
    }
    return false;
}

const char *rk_drop_in_suffix(const rk_unit *unit, rk_where name)
{
    const rk_bytes *text = &unit->files.items[name.file]->bytes;
    const struct rk_drop_in *d = unit->drop_in;
    for (size_t i = 0; i < d->variables.count; i++)
        if (d->variables.items[i].file == name.file && d->variables.items[i].offset == name.offset)
            return NULL;
    if (rk_drop_in_is_device(unit, name))
        return NULL;
    const rk_tokens token =
        rk_lex(text->data + name.offset,
               text->size - name.offset < 256 ? text->size - name.offset : 256, unit->arena);
    bool found = false;
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (!f->kernel || !rk_token_is(&token, 0, f->name))
            continue;
        if (!has_launcher(f))
            return NULL;
        found = true;
    }
    for (size_t i = 0; i < unit->declared.count; i++)
        found |= rk_token_is(&token, 0, unit->declared.items[i]->name);
    return found ? "_rk__launch" : NULL;
}
