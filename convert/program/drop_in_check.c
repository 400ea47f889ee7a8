#include "convert/program/drop_in_internal.h"

#include "convert/clang/ast.h"
#include "convert/clang/parse.h"
#include "convert/clang/template_args.h"
#include "convert/rkernel/recheck.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/defines.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <stdlib.h>
#include <string.h>

/** A file's text with the insertions, and where each begins in it. */
typedef struct {
    rk_bytes text;
    RK_VEC(size_t) order;  /**< indices of the insertions */
    RK_VEC(size_t) begins; /**< offsets in `text` */
} result;

/** The insertions of a file in order of their offsets. */
static void sort_texts(result *r, const rk_unit *unit, size_t file)
{
    const rk_drop_in_texts *all = &unit->drop_in->texts;
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].file != file)
            continue;
        *rk_push(unit->arena, &r->order) = i;
        for (size_t k = r->order.count - 1;
             k > 0 && all->items[r->order.items[k - 1]].offset > all->items[i].offset; k--) {
            r->order.items[k] = r->order.items[k - 1];
            r->order.items[k - 1] = i;
        }
    }
}

static void put_together(result *r, rk_unit *unit, size_t file)
{
    const rk_bytes *source = &unit->files.items[file]->bytes;
    rk_str out = {.arena = unit->arena};
    size_t done = 0;
    sort_texts(r, unit, file);
    if (file == 0)
        rk_str_add(&out, rk_defines_around(unit, "#include <rk/drop_in.cuh>\n"));
    for (size_t i = 0; i < r->order.count; i++) {
        const rk_drop_in_text *t = &unit->drop_in->texts.items[r->order.items[i]];
        rk_str_addn(&out, source->data + done, t->offset - done);
        done = t->offset;
        *rk_push(unit->arena, &r->begins) = out.length;
        rk_str_add(&out, t->text);
    }
    rk_str_addn(&out, source->data + done, source->size - done);
    r->text = (rk_bytes){out.text, out.length};
}

/** Calls of the rKernels of all instances. */
static char *calls_text(rk_unit *unit)
{
    rk_str out = {.arena = unit->arena};
    rk_str_add(&out, "\n");
    for (size_t i = 0; i < unit->instances.count; i++) {
        const rk_instance *instance = &unit->instances.items[i];
        const rk_function *f = unit->functions.items[instance->function];
        if (f->refused)
            continue;
        rk_str_addf(&out, "__device__ void rk__check_%zu(rk__parse::context &rk__ctx", i);
        for (size_t k = 0; k < instance->type_count; k++)
            rk_str_addf(&out, ", rk__parse::id<%s> rk__a%zu", instance->types[k], k);
        rk_str_addf(&out, ") { %s%s", f->scope, rk_drop_in_name(unit, instance->function));
        rk_str_addf(&out, "%s(rk__ctx",
                    rk_template_args_join(
                        instance->args, f->specialisation ? 0 : instance->arg_count, unit->arena));
        for (size_t k = 0; k < instance->type_count; k++)
            rk_str_addf(&out, ", rk__a%zu", k);
        rk_str_add(&out, "); }\n");
    }
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

/* Errors. */

/** The function whose inserted text holds the place; RK_NONE when it is in none. */
static size_t function_at(const rk_unit *unit, const result *r, size_t offset)
{
    for (size_t i = r->order.count; i-- > 0;) {
        const rk_drop_in_text *t = &unit->drop_in->texts.items[r->order.items[i]];
        if (offset >= r->begins.items[i] && offset < r->begins.items[i] + strlen(t->text))
            return t->function;
    }
    return RK_NONE;
}

/** The instance whose check the error is in. */
static size_t instance_at(const rk_unit *unit, const result *r, size_t offset)
{
    const size_t begin = rk_line_begin(r->text.data, offset);
    const char *line = rk_arena_strndup(unit->arena, r->text.data + begin,
                                        rk_line_end(r->text.data, r->text.size, offset) - begin);
    const char *mark = strstr(line, "rk__check_");
    const size_t i = mark ? strtoul(mark + strlen("rk__check_"), NULL, 10) : RK_NONE;
    return mark && i < unit->instances.count ? unit->instances.items[i].function : RK_NONE;
}

/** Takes what the error is in out of the drop-in: first the rKernel, then the launcher. */
static bool blame(rk_unit *unit, size_t function, const char *message)
{
    rk_function *f = function == RK_NONE ? NULL : unit->functions.items[function];
    if (!f || f->no_launcher)
        return false;
    if (f->refused)
        f->no_launcher = true;
    else
        rk_problem_add(unit, function, RK_REFUSED, "RK-V123", f->place,
                       "write it more plainly, and report it to us",
                       "the converted text does not compile: %s", message);
    return true;
}

static bool blame_all(rk_unit *unit, const char *message)
{
    bool any = false;
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->kernel)
            any |= blame(unit, i, message);
    return any;
}

/** What became of an error. */
typedef enum {
    NOT_OURS, /**< the source's own, in text that did not change, or none to nvcc */
    TAKEN,    /**< what holds it was taken out */
    STUCK     /**< nothing is left to take out */
} outcome;

static outcome take_error(rk_unit *unit, const result *results, CXDiagnostic diagnostic)
{
    CXFile file;
    unsigned offset;
    clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, NULL, NULL, &offset);
    const char *message = rk_ast_text(clang_getDiagnosticSpelling(diagnostic), unit->arena);
    if (getenv("RK_CHECK_DEBUG"))
        fprintf(
            stderr, "check: %s\n",
            rk_ast_text(clang_formatDiagnostic(diagnostic, clang_defaultDiagnosticDisplayOptions()),
                        unit->arena));
    if (rk_parse_is_harmless(message))
        return NOT_OURS;
    const size_t index = rk_sources_find(unit, file);
    if (index != RK_NONE &&
        (blame(unit, function_at(unit, &results[index], offset), message) ||
         (index == 0 && blame(unit, instance_at(unit, &results[0], offset), message))))
        return TAKEN;
    if (!unit->drop_in->parsed || rk_parse_is_harmless(message))
        return NOT_OURS;
    return blame_all(unit, message) ? TAKEN : STUCK;
}

/** False when an error cannot be taken out. */
static bool take_errors(bool *clean, rk_unit *unit, const result *results)
{
    bool stuck = false;
    *clean = true;
    const unsigned count = clang_getNumDiagnostics(unit->tu);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->tu, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            const outcome became = take_error(unit, results, diagnostic);
            *clean &= became == NOT_OURS;
            stuck |= became == STUCK;
        }
        clang_disposeDiagnostic(diagnostic);
    }
    return *clean || !stuck;
}

static enum CXChildVisitResult check_instances(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    rk_unit *unit = data;
    const char *name = rk_ast_name(cursor, unit->arena);
    if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl && rk_str_starts(name, "rk__check_"))
        rk_check_reach(unit, strtoul(name + strlen("rk__check_"), NULL, 10), cursor);
    return CXChildVisit_Continue;
}

bool rk_drop_in_check(bool *clean, rk_unit *unit)
{
    result *results = RK_NEW_ARRAY(unit->arena, result, unit->files.count);
    rk_bytes *texts = RK_NEW_ARRAY(unit->arena, rk_bytes, unit->files.count);
    for (size_t i = 0; i < unit->files.count; i++) {
        put_together(&results[i], unit, i);
        if (i == 0) {
            const char *calls = calls_text(unit);
            results[0].text.data = rk_arena_printf(unit->arena, "%.*s%s", (int)results[0].text.size,
                                                   results[0].text.data, calls);
            results[0].text.size += strlen(calls);
        }
        texts[i] = results[i].text;
    }
    if (!rk_parse_in_place(unit, texts))
        return false;
    if (!take_errors(clean, unit, results))
        return rk_diag_add(unit->diag, RK_ERROR, "RK-V003", rk_place_file(unit->path),
                           "report this file to us", "the drop-in does not compile");
    if (!*clean)
        return true;
    size_t before = 0, after = 0;
    for (size_t i = 0; i < unit->functions.count; i++)
        before += unit->functions.items[i]->problems.count;
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), check_instances, unit);
    for (size_t i = 0; i < unit->functions.count; i++)
        after += unit->functions.items[i]->problems.count;
    *clean = before == after;
    return true;
}
