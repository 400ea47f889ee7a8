#include "convert/cuda/builtins.h"
#include "convert/facts/undefined.h"
#include "convert/fission/fission_internal.h"

#include "convert/unit/sources.h"

#include <string.h>

/** The braces of the body, and the file that they are in; false for a macro's. */
static bool find_body(rk_fission *f)
{
    const rk_cursors children = rk_ast_children(f->kernel, f->arena);
    size_t i = children.count;
    while (i > 0 && clang_getCursorKind(children.items[i - 1]) != CXCursor_CompoundStmt)
        i--;
    if (i == 0)
        return false;
    f->body = children.items[i - 1];
    const rk_where at =
        rk_ast_spelling(f->unit, clang_getRangeStart(clang_getCursorExtent(f->body)));
    if (at.file == RK_NONE)
        return false;
    f->file = at.file;
    f->tokens = &f->unit->files.items[at.file]->tokens;
    f->open = rk_tokens_at(f->tokens, at.offset);
    if (!rk_token_is(f->tokens, f->open, "{") || at.offset != rk_fission_begin(f->body))
        return false;
    f->close = rk_tokens_close(f->tokens, f->open);
    return f->close < f->tokens->count;
}

/** Reasons that the text alone gives. */
static bool check_text(rk_fission *f)
{
    const rk_cursors children = rk_ast_children(f->kernel, f->arena);
    for (size_t i = 0; i < children.count; i++) {
        const CXType type = clang_getCursorType(children.items[i]);
        if (clang_getCursorKind(children.items[i]) == CXCursor_ParmDecl &&
            strstr(rk_ast_text(clang_getTypeSpelling(type), f->arena), "..."))
            return rk_fission_refuse(f, f->kernel, "it has a pack of parameters");
    }
    for (size_t i = f->open; i < f->close; i++) {
        if (rk_token_is(f->tokens, i, "_Pragma"))
            return rk_fission_refuse(f, f->kernel, "_Pragma in its body");
        if (f->tokens->items[i].kind == RK_TOKEN_DIRECTIVE &&
            !rk_str_starts(rk_directive_of(f->tokens, i, f->arena).name, "pragma"))
            return rk_fission_refuse(f, f->kernel, "a preprocessor directive in its body");
    }
    return true;
}

static void plan_kernel(rk_unit *unit, CXCursor kernel, bool helper_waits)
{
    rk_fission f = {
        .unit = unit, .arena = unit->arena, .kernel = kernel, .helper_waits = helper_waits};
    if (!find_body(&f))
        return;
    rk_fission_plan *plan = RK_NEW(unit->arena, rk_fission_plan);
    const rk_token *open = &f.tokens->items[f.open];
    *plan = (rk_fission_plan){.body = {f.file, open->offset},
                              .begin = open->offset + open->length,
                              .end = f.tokens->items[f.close].offset,
                              .edits = {.arena = unit->arena}};
    const bool good = check_text(&f) && rk_fission_look(&f) && rk_fission_split(&f) &&
                      rk_fission_find_variables(&f) && rk_fission_decide(&f) &&
                      rk_fission_write(&f, plan);
    plan->why = good ? NULL : f.why;
    plan->line = f.line;
    plan->reads = f.reads;
    *rk_push(unit->arena, &unit->fissions) = plan;
}

typedef struct {
    rk_unit *unit;
    bool helper_waits;
} finder;

static enum CXChildVisitResult find_kernels(CXCursor cursor, CXCursor parent, CXClientData data)
{
    const finder *all = data;
    if (clang_isTranslationUnit(clang_getCursorKind(parent)) && rk_ast_is_system(cursor))
        return CXChildVisit_Continue;
    if (!rk_ast_is_function(clang_getCursorKind(cursor)))
        return CXChildVisit_Recurse;
    if (clang_isCursorDefinition(cursor) &&
        rk_ast_has_attribute(cursor, CXCursor_CUDAGlobalAttr, NULL))
        plan_kernel(all->unit, cursor, all->helper_waits);
    return CXChildVisit_Continue;
}

void rk_fission_find(rk_unit *unit, bool helper_waits)
{
    finder all = {unit, helper_waits};
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), find_kernels, &all);
}

rk_fission_plan *rk_fission_of(const rk_unit *unit, size_t file, size_t offset)
{
    for (size_t i = 0; i < unit->fissions.count; i++)
        if (unit->fissions.items[i]->body.file == file &&
            unit->fissions.items[i]->body.offset == offset)
            return unit->fissions.items[i];
    return NULL;
}

/** Whether the second form has another text where the edit is. */
static bool is_replaced(const rk_fission_plan *plan, const rk_edit *e)
{
    for (size_t i = 0; i < plan->edits.list.count; i++) {
        const rk_edit *p = &plan->edits.list.items[i];
        const size_t end = p->offset + p->length;
        if (e->length ? p->offset <= e->offset && e->offset + e->length <= end
                      : p->offset < e->offset && e->offset < end)
            return true;
    }
    return false;
}

const char *rk_fission_text(rk_unit *unit, rk_fission_plan *plan, unsigned uses)
{
    const rk_source_file *file = unit->files.items[plan->body.file];
    if (plan->why)
        return NULL;
    rk_edits all = {.arena = unit->arena};
    for (size_t i = 0; i < plan->edits.list.count; i++) {
        *rk_push(unit->arena, &all.list) = plan->edits.list.items[i];
        all.list.items[i].offset -= plan->begin;
    }
    rk_edits own = {.arena = unit->arena};
    for (size_t i = 0; i < file->edits.list.count; i++)
        *rk_push(unit->arena, &own.list) = file->edits.list.items[i];
    rk_undefined_edit(unit, &own, plan->body.file, plan->begin, plan->end);
    for (size_t i = 0; i < own.list.count; i++) {
        rk_edit e = own.list.items[i];
        if (e.offset < plan->begin || e.offset >= plan->end || e.entry || is_replaced(plan, &e))
            continue;
        e.offset -= plan->begin;
        *rk_push(unit->arena, &all.list) = e;
    }
    size_t conflict[2], size;
    const char *text = rk_edits_apply(&all, file->bytes.data + plan->begin, plan->end - plan->begin,
                                      &size, conflict);
    if (!text) {
        plan->why = "its text is edited where it would be split";
        return NULL;
    }
    rk_str out = {.arena = unit->arena};
    rk_str_add(&out, rk_builtin_shadows(uses, unit->arena));
    rk_str_addn(&out, text, size);
    return rk_str_text(&out);
}

void rk_fission_print(const rk_fission_plan *plan, bool waits, rk_str *out)
{
    if (!waits)
        rk_str_add(out, "loop\n");
    else if (!plan)
        rk_str_add(out, "fibers: it comes from a macro, or the source has errors\n");
    else if (plan->why)
        rk_str_addf(out, "fibers: line %d: %s\n", plan->line, plan->why);
    else
        rk_str_add(out, "fission\n");
}

void rk_fission_print_rkernels(const rk_unit *unit, rk_str *out)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (!f->kernel)
            continue;
        rk_str_addf(out, "%s:%d: %s%s: ", f->place.file, f->place.line, f->scope, f->name);
        if (f->refused || f->no_launcher || f->left_out)
            rk_str_add(out, "no rKernel\n");
        else
            rk_fission_print(rk_fission_of(unit, f->definition.file, f->definition.end),
                             (f->reach & (RK_USE_BARRIERS | RK_USE_WARPS)) != 0, out);
    }
}
