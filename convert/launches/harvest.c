#include "convert/launches/harvest.h"

#include "base/str.h"
#include "convert/clang/ast.h"
#include "convert/clang/template_args.h"
#include "convert/launches/execute.h"
#include "convert/launches/harvest_unit.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    rk_hunit *h;
    rk_hcursors sites;
    bool references; /**< also queue the instances of templates that the body uses */
} body_scan;

static bool in_system_header(CXCursor cursor)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)) != 0;
}

static bool is_lambda(rk_arena *arena, CXCursor class)
{
    return strstr(rk_ast_text(clang_getTypeSpelling(clang_getCursorType(class)), arena),
                  "(lambda") != NULL;
}

static void note_instance(rk_hunit *h, CXCursor reference)
{
    CXCursor target = clang_getCursorReferenced(reference);
    enum CXCursorKind kind = clang_getCursorKind(target);
    if (kind == CXCursor_CXXMethod && is_lambda(h->arena, clang_getCursorSemanticParent(target)))
        return; /* followed where it is called */
    bool function =
        kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_Constructor;
    CXCursor pattern =
        function ? clang_getSpecializedCursorTemplate(target) : clang_getNullCursor();
    if (clang_Cursor_isNull(pattern) || in_system_header(target))
        return;
    const char *usr = rk_ast_text(clang_getCursorUSR(target), h->arena);
    const char *pattern_usr = rk_ast_text(clang_getCursorUSR(pattern), h->arena);
    if (!rk_hunit_has_text(h->instanced.items, h->instanced.count, pattern_usr))
        *rk_push(h->arena, &h->instanced) = pattern_usr;
    const CXCursor own = rk_hunit_definition(target);
    if (rk_hunit_is_made_of(own, rk_hunit_definition(pattern)) &&
        !rk_hunit_has_text(h->seen.items, h->seen.count, usr)) {
        *rk_push(h->arena, &h->seen) = usr;
        *rk_push(h->arena, &h->queue) = own;
    }
}

static enum CXChildVisitResult scan_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    body_scan *scan = data;
    CXCursor configuration;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CallExpr && (rk_h_is_launch(scan->h->arena, cursor, &configuration) ||
                                      rk_h_is_launch_call(scan->h->arena, cursor)))
        *rk_push(scan->h->arena, &scan->sites) = cursor;
    if (scan->references && (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
                             kind == CXCursor_CallExpr))
        note_instance(scan->h, cursor);
    return CXChildVisit_Recurse;
}

static void visit_function(rk_hunit *h, CXCursor function, bool pattern)
{
    CXCursor body;
    if (!rk_hunit_body(&body, h->arena, function))
        return;
    body_scan scan = {.h = h, .references = !pattern && !rk_hunit_is_dependent(function)};
    if (scan.references)
        *rk_push(h->arena, &h->functions) = function;
    clang_visitChildren(function, scan_body, &scan);
    if (scan.sites.count == 0)
        return;
    if (rk_hunit_is_dependent(function) && !pattern)
        *rk_push(h->arena, &h->patterns) = function;
    else
        rk_hunit_run(h, function, body, &scan.sites);
}

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    (void)parent;
    rk_hunit *h = data;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
        if (!in_system_header(cursor))
            visit_function(h, cursor, false);
        return CXChildVisit_Continue;
    case CXCursor_VarDecl: {
        body_scan scan = {.h = h, .references = true};
        if (!in_system_header(cursor))
            clang_visitChildren(cursor, scan_body, &scan);
        return CXChildVisit_Continue;
    }
    default:
        break;
    }
    return rk_ast_holds_declarations(clang_getCursorKind(cursor)) && !in_system_header(cursor)
               ? CXChildVisit_Recurse
               : CXChildVisit_Continue;
}

static void run_patterns(rk_hunit *h)
{
    for (size_t i = 0; i < h->patterns.count; i++) {
        const char *usr = rk_ast_text(clang_getCursorUSR(h->patterns.items[i]), h->arena);
        if (!rk_hunit_has_text(h->instanced.items, h->instanced.count, usr))
            visit_function(h, h->patterns.items[i], true);
    }
}

static int compare(const void *left, const void *right)
{
    const rk_harvested *a = left, *b = right;
    int order = strcmp(a->launch.file, b->launch.file);
    if (order == 0)
        order = (a->offset > b->offset) - (a->offset < b->offset);
    if (order == 0)
        order = strcmp(a->launch.function, b->launch.function);
    if (order == 0)
        order = strcmp(a->id ? a->id : "", b->id ? b->id : "");
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

static bool is_one_launch(const rk_harvested *a, const rk_harvested *b)
{
    return a->offset == b->offset && strcmp(a->launch.file, b->launch.file) == 0;
}

/** What one instance of a launcher does not come to and another does; launches in order of their places. */
static void mark_elsewhere(rk_harvested *items, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        bool reached = false;
        for (end = first; end < count && is_one_launch(&items[first], &items[end]); end++)
            reached |= !items[end].unreached;
        for (size_t i = first; i < end; i++)
            items[i].elsewhere = reached && items[i].unreached;
    }
}

rk_harvest rk_harvest_launches(CXTranslationUnit unit, rk_arena *arena)
{
    rk_hunit h = {.arena = arena, .tu = unit, .inputs = rk_hinputs_new(arena)};
    clang_visitChildren(clang_getTranslationUnitCursor(unit), visit_declaration, &h);
    for (size_t i = 0; i < h.queue.count; i++)
        visit_function(&h, h.queue.items[i], false);
    run_patterns(&h);
    rk_hopen_follow(&h);
    if (h.found.count)
        qsort(h.found.items, h.found.count, sizeof *h.found.items, compare);
    mark_elsewhere(h.found.items, h.found.count);
    return (rk_harvest){.items = h.found.items, .count = h.found.count};
}
