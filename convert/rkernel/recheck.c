#include "convert/rkernel/recheck.h"
#include "convert/facts/template_heads.h"

#include "convert/clang/ast.h"
#include "convert/clang/lower.h"
#include "convert/clang/parse.h"
#include "convert/clang/template_args.h"
#include "convert/facts/branches.h"
#include "convert/facts/reach.h"
#include "convert/facts/system.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <stdlib.h>
#include <string.h>

/* The text that is checked. */

/** The argument list of `__launch_bounds__` between two tokens; false if there is none. */
static bool bounds_between(const rk_unit *unit, const rk_tokens *tokens, size_t first, size_t last,
                           const char **threads, const char **blocks)
{
    *threads = *blocks = "0";
    for (size_t i = first; i < last; i++) {
        if (!rk_token_is(tokens, i, "__launch_bounds__") || !rk_token_is(tokens, i + 1, "("))
            continue;
        const size_t close = rk_tokens_close(tokens, i + 1);
        size_t comma = i + 2;
        for (int depth = 0; comma < close; comma++) {
            depth += rk_token_is(tokens, comma, "(") - rk_token_is(tokens, comma, ")");
            if (depth == 0 && rk_token_is(tokens, comma, ","))
                break;
        }
        const size_t begin = tokens->items[i + 1].offset + 1;
        const size_t end = tokens->items[comma].offset;
        *threads = rk_arena_strndup(unit->arena, tokens->text + begin, end - begin);
        if (comma < close)
            *blocks = rk_arena_strndup(unit->arena, tokens->text + end + 1,
                                       tokens->items[close].offset - end - 1);
        return true;
    }
    return false;
}

bool rk_check_bounds_text(rk_unit *unit, const rk_function *f, const char **threads,
                          const char **blocks)
{
    const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
    const size_t first = rk_tokens_at(tokens, f->definition.begin);
    const size_t last = rk_tokens_at(tokens, f->definition.end);
    if (bounds_between(unit, tokens, first, last, threads, blocks))
        return true;
    for (size_t i = first; i < last && tokens->items[i].offset < f->definition.name; i++) {
        const char *text = rk_sources_macro(unit, rk_token_text(tokens, i, unit->arena));
        if (!text || !strstr(text, "__launch_bounds__"))
            continue;
        const rk_tokens macro = rk_lex(text, strlen(text), unit->arena);
        return bounds_between(unit, &macro, 0, macro.count, threads, blocks);
    }
    return false;
}

/** Each file's output, with the launch bounds of its kernels as constants before them. */
static rk_bytes text_with_bounds(rk_unit *unit, size_t index)
{
    rk_source_file *file = unit->files.items[index];
    rk_edits edits = {.arena = unit->arena};
    for (size_t i = 0; i < file->edits.list.count; i++)
        *rk_push(unit->arena, &edits.list) = file->edits.list.items[i];
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        const char *threads, *blocks;
        if (f->definition.file != index || !f->kernel || f->refused || f->in_class ||
            !rk_check_bounds_text(unit, f, &threads, &blocks))
            continue;
        rk_edits_insert(&edits, f->definition.begin, -1,
                        rk_arena_printf(unit->arena,
                                        "%sstruct %s_rk__bounds { static constexpr long threads = "
                                        "(%s), blocks = (%s); }; ",
                                        rk_heads_own(unit, f, unit->arena), f->own_name, threads,
                                        blocks));
    }
    size_t conflict[2], size = 0;
    char *text = rk_edits_apply(&edits, file->bytes.data, file->bytes.size, &size, conflict);
    return text ? (rk_bytes){text, size} : file->output;
}

static bool has_bounds(rk_unit *unit, const rk_function *f)
{
    const char *threads, *blocks;
    return !f->in_class && rk_check_bounds_text(unit, f, &threads, &blocks);
}

/** Calls of all converted instances, and what the catalog asks about them. */
static char *calls_text(rk_unit *unit)
{
    rk_str out = {.arena = unit->arena};
    rk_str_addf(&out, "namespace %s {\n", unit->space);
    for (size_t i = 0; i < unit->instances.count; i++) {
        const rk_instance *instance = &unit->instances.items[i];
        const rk_function *f = unit->functions.items[instance->function];
        if (f->refused)
            continue;
        const char *call = rk_rewrite_instance(unit, instance);
        rk_str_addf(&out, "__device__ void rk__check_%zu(rk__parse::context &rk__ctx", i);
        for (size_t k = 0; k < instance->type_count; k++)
            rk_str_addf(&out, ", rk__parse::id<%s> rk__a%zu", instance->types[k], k);
        rk_str_addf(&out, ") { %s(rk__ctx", call);
        for (size_t k = 0; k < instance->type_count; k++)
            rk_str_addf(&out, ", rk__a%zu", k);
        rk_str_add(&out, "); }\n");
        if (instance->frame)
            rk_str_addf(&out,
                        "constexpr long rk__size_%zu = sizeof(%s), rk__align_%zu = alignof(%s);\n"
                        "using rk__frame_%zu = %s;\n",
                        i, instance->frame, i, instance->frame, i, instance->frame);
        if (has_bounds(unit, f)) {
            const char *bounds =
                rk_arena_printf(unit->arena, "%s%s_rk__bounds%s", f->spaces_prefix, f->own_name,
                                rk_rewrite_named_args(unit, instance));
            rk_str_addf(&out,
                        "constexpr long rk__threads_%zu = %s::threads, rk__blocks_%zu = "
                        "%s::blocks;\n",
                        i, bounds, i, bounds);
        }
    }
    rk_str_addf(&out, "} // namespace %s\n", unit->space);
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

static rk_bytes *check_texts(rk_unit *unit)
{
    rk_bytes *texts = RK_NEW_ARRAY(unit->arena, rk_bytes, unit->files.count);
    for (size_t i = 0; i < unit->files.count; i++)
        texts[i] = text_with_bounds(unit, i);
    rk_str all = {.arena = unit->arena};
    rk_str_addn(&all, texts[0].data, texts[0].size);
    rk_str_add(&all, rk_rewrite_tail(unit));
    rk_str_add(&all, calls_text(unit));
    texts[0] = (rk_bytes){all.text, all.length};
    return texts;
}

/* Errors in it. */

/** The offset in the source that an offset of the edited text comes from. */
static size_t source_offset(const rk_source_file *file, size_t offset)
{
    size_t at = 0, made = 0;
    for (size_t i = 0; i < file->edits.list.count; i++) {
        const rk_edit *e = &file->edits.list.items[i];
        if (made + (e->offset - at) >= offset)
            break;
        made += e->offset - at + strlen(e->text);
        at = e->offset + e->length;
        if (made >= offset)
            return at;
    }
    return at + (offset > made ? offset - made : 0);
}

/** The function whose text holds the place; RK_NONE if none does. */
static size_t function_at(const rk_unit *unit, size_t file, size_t offset)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (f->definition.file == file && offset >= f->definition.begin && offset < f->end)
            return i;
    }
    return RK_NONE;
}

static size_t file_named(const rk_unit *unit, const char *path)
{
    for (size_t i = 0; i < unit->files.count; i++)
        if (path && strcmp(rk_path_base(path), unit->files.items[i]->out_name) == 0)
            return i;
    return RK_NONE;
}

static void refuse_converted(rk_unit *unit, const char *message)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->kernel && !unit->functions.items[i]->refused)
            rk_problem_add(unit, i, RK_REFUSED, "RK-V123", unit->functions.items[i]->place,
                           "write the kernel more plainly, and report it to us",
                           "the converted text does not compile: %s", message);
}

/** The instance whose check the error is in, by the line of the check's own text. */
static bool refuse_instance(rk_unit *unit, const rk_bytes *text, size_t offset, const char *message)
{
    const char *line = text->data + rk_line_begin(text->data, offset);
    const char *mark = strstr(line, "rk__check_");
    const char *end = strchr(line, '\n');
    if (!mark || (end && mark > end))
        mark = strstr(line, "rk__size_");
    if (!mark || (end && mark > end))
        mark = strstr(line, "rk__threads_");
    if (!mark || (end && mark > end))
        return false;
    const size_t i = strtoul(strpbrk(mark, "0123456789"), NULL, 10);
    if (i >= unit->instances.count)
        return false;
    const size_t function = unit->instances.items[i].function;
    rk_problem_add(unit, function, RK_REFUSED, "RK-V123", unit->functions.items[function]->place,
                   "write the kernel more plainly, and report it to us",
                   "the converted text does not compile: %s", message);
    return true;
}

static void take_error(rk_unit *unit, const rk_bytes *texts, CXDiagnostic diagnostic)
{
    CXFile file;
    unsigned offset;
    clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, NULL, NULL, &offset);
    const char *path = file ? rk_ast_text(clang_getFileName(file), unit->arena) : NULL;
    const char *message = rk_ast_text(clang_getDiagnosticSpelling(diagnostic), unit->arena);
    const size_t index = file_named(unit, path);
    if (getenv("RK_CHECK_DEBUG"))
        fprintf(
            stderr, "check: %s\n",
            rk_ast_text(clang_formatDiagnostic(diagnostic, clang_defaultDiagnosticDisplayOptions()),
                        unit->arena));
    if (index != RK_NONE) {
        const size_t at = source_offset(unit->files.items[index], offset);
        const size_t function = function_at(unit, index, at);
        if (function != RK_NONE && !unit->functions.items[function]->removed) {
            rk_problem_add(unit, function, RK_REFUSED, "RK-V123", rk_sources_place(unit, index, at),
                           "write it more plainly, and report it to us",
                           "the converted text does not compile here: %s", message);
            return;
        }
        if (index == 0 && refuse_instance(unit, &texts[0], offset, message))
            return;
    }
    refuse_converted(unit, message);
}

static bool take_errors(rk_unit *unit, const rk_bytes *texts)
{
    bool clean = true;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit->tu); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->tu, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            clean = false;
            take_error(unit, texts, diagnostic);
        }
        clang_disposeDiagnostic(diagnostic);
    }
    return clean;
}

/* What is reachable from an instance. */

void rk_check_reach(rk_unit *unit, size_t index, CXCursor check)
{
    const size_t function = unit->instances.items[index].function;
    const unsigned asks = RK_TEXT_ASKS;
    bool may_ask = true; /* its frame is what an rk__::ambient reads, or there is none to be made */
    for (size_t i = 0; i < unit->functions.count; i++)
        may_ask &= !(unit->functions.items[i]->reach_does & asks);
    may_ask |= (unit->functions.items[function]->reach_does & asks) != 0;
    const rk_effects all = rk_reach_raw(unit, rk_lower_declaration(rk_ir_of(unit), check));
    const bool ambient = !may_ask && all.does & RK_EFFECT_AMBIENT;
    if (all.raw || ambient)
        rk_problem_add(unit, function, RK_REFUSED, "RK-V117",
                       unit->functions.items[function]->place,
                       "name it plainly in the kernel, or pass it as a parameter",
                       "'%s' is still CUDA's own after the conversion, where the kernel gets to it",
                       all.raw ? all.raw : "rk__::ambient");
}

/* What the catalog asks. */

typedef struct {
    rk_unit *unit;
    CXCursor *checks;
    bool in_space;
} collector;

static bool numbered(const char *name, const char *prefix, size_t *index)
{
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return false;
    *index = strtoul(name + length, NULL, 10);
    return true;
}

static void read_constant(rk_unit *unit, CXCursor cursor, const char *name)
{
    size_t i;
    int64_t *to = NULL;
    if (numbered(name, "rk__size_", &i))
        to = &unit->instances.items[i].frame_size;
    else if (numbered(name, "rk__align_", &i))
        to = &unit->instances.items[i].frame_align;
    else if (numbered(name, "rk__threads_", &i))
        to = &unit->instances.items[i].max_threads;
    else if (numbered(name, "rk__blocks_", &i))
        to = &unit->instances.items[i].min_blocks;
    if (!to)
        return;
    CXEvalResult value = clang_Cursor_Evaluate(cursor);
    *to = value ? clang_EvalResult_getAsLongLong(value) : 0;
    clang_EvalResult_dispose(value);
}

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *c = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace) {
        const bool ours = strcmp(rk_ast_name(cursor, c->unit->arena), c->unit->space) == 0;
        return ours ? CXChildVisit_Recurse : CXChildVisit_Continue;
    }
    size_t i;
    const char *name = rk_ast_name(cursor, c->unit->arena);
    if (kind == CXCursor_FunctionDecl && numbered(name, "rk__check_", &i))
        c->checks[i] = cursor;
    else if (kind == CXCursor_VarDecl)
        read_constant(c->unit, cursor, name);
    else if (kind == CXCursor_TypeAliasDecl && numbered(name, "rk__frame_", &i))
        c->unit->instances.items[i].frame_type =
            rk_ast_type_text(clang_getTypedefDeclUnderlyingType(cursor), c->unit->arena);
    return CXChildVisit_Continue;
}

typedef struct {
    CXCursor found;
    const char *name;
    rk_arena *arena;
} call_search;

static enum CXChildVisitResult find_call(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    call_search *s = data;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
        return CXChildVisit_Recurse;
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (strcmp(rk_ast_name(target, s->arena), s->name) != 0)
        return CXChildVisit_Recurse;
    s->found = target;
    return CXChildVisit_Break;
}

/** Symbol and types, as names that hold outside of the source's namespace. */
static void read_names(rk_unit *unit, rk_instance *instance, CXCursor check)
{
    rk_arena *arena = unit->arena;
    const rk_function *f = unit->functions.items[instance->function];
    call_search s = {.found = clang_getNullCursor(), .name = f->own_name, .arena = arena};
    clang_visitChildren(check, find_call, &s);
    const char *const *args = NULL;
    const int count =
        clang_Cursor_isNull(s.found) ? -1 : rk_template_args_named(&args, s.found, arena);
    const char **symbol_args = RK_NEW_ARRAY(arena, const char *, instance->arg_count + 1);
    for (size_t i = 0; i < instance->arg_count; i++)
        symbol_args[i] = (int)i < count ? args[i] : instance->out_args[i];
    instance->symbol = rk_arena_printf(
        arena, "%s::%s%s%s", unit->space, f->scope, f->own_name,
        rk_template_args_join(symbol_args, f->specialisation ? 0 : instance->arg_count, arena));
    const int params = clang_Cursor_isNull(s.found) ? 0 : clang_Cursor_getNumArguments(s.found);
    rk_param *copies = RK_NEW_ARRAY(arena, rk_param, instance->type_count);
    for (size_t i = 0; i < instance->type_count; i++) {
        copies[i] = instance->params[i];
        if ((int)i + 1 < params)
            copies[i].type = rk_ast_type_text(
                clang_getCursorType(clang_Cursor_getArgument(s.found, (unsigned)i + 1)), arena);
    }
    instance->params = copies;
}

/** Checks the texts as one of the two compilations sees them. */
static bool check_texts_as(bool *clean, rk_unit *unit, const rk_bytes *texts)
{
    if (!rk_parse_texts(unit, texts))
        return false;
    *clean = take_errors(unit, texts);
    if (!*clean)
        return true;
    collector c = {.unit = unit,
                   .checks = RK_NEW_ARRAY(unit->arena, CXCursor, unit->instances.count)};
    for (size_t i = 0; i < unit->instances.count; i++)
        c.checks[i] = clang_getNullCursor();
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), collect, &c);
    for (size_t i = 0; i < unit->instances.count; i++) {
        if (clang_Cursor_isNull(c.checks[i]))
            continue;
        const rk_function *f = unit->functions.items[unit->instances.items[i].function];
        const size_t before = f->problems.count;
        rk_check_reach(unit, i, c.checks[i]);
        *clean &= f->problems.count == before;
        read_names(unit, &unit->instances.items[i], c.checks[i]);
    }
    return true;
}

bool rk_check_unit(bool *clean, rk_unit *unit)
{
    *clean = true;
    const rk_bytes *texts = check_texts(unit);
    if (unit->device_seen && !check_texts_as(clean, unit, rk_device_texts(unit, texts)))
        return false;
    return !*clean || check_texts_as(clean, unit, texts);
}
