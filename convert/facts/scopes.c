#include "convert/facts/scopes.h"

#include "convert/unit/sources.h"

#include <stdlib.h>
#include <string.h>

/** A name with the scopes around it, and a file that declares it. */
typedef struct {
    const char *name;
    size_t file;
} declared_name;

typedef struct {
    rk_analysis *analysis;
    RK_VEC(declared_name) names;
    rk_last_file last;
} collector;

static bool is_constexpr(const rk_analysis *analysis, CXCursor function)
{
    const size_t index = rk_analysis_function(analysis, clang_getCursorDefinition(function));
    return index != RK_NONE && analysis->unit->functions.items[index]->is_constexpr;
}

/** Whether device code may mean the declaration. */
static bool is_for_device(const rk_analysis *analysis, CXCursor cursor)
{
    static const enum CXCursorKind memory[] = {CXCursor_CUDADeviceAttr, CXCursor_CUDAConstantAttr,
                                               CXCursor_CUDASharedAttr};
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_VarDecl:
        for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
            if (rk_ast_has_attribute(cursor, memory[i], NULL))
                return true;
        return clang_isConstQualifiedType(clang_getCanonicalType(clang_getCursorType(cursor)));
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
    case CXCursor_ClassTemplate:
    case CXCursor_ClassTemplatePartialSpecialization:
    case CXCursor_TypedefDecl:
    case CXCursor_TypeAliasDecl:
    case CXCursor_TypeAliasTemplateDecl:
        return true;
    default:
        return rk_ast_is_function(clang_getCursorKind(cursor)) &&
               (rk_ast_has_attribute(cursor, CXCursor_CUDADeviceAttr, NULL) ||
                rk_ast_has_attribute(cursor, CXCursor_CUDAGlobalAttr, NULL) ||
                is_constexpr(analysis, cursor));
    }
}

/** The name that is declared, of a member the outermost class's: "a::b". NULL without one, as in an unnamed namespace. */
static const char *qualified_name(CXCursor cursor, rk_arena *arena)
{
    const char *name = NULL;
    for (; clang_isDeclaration(clang_getCursorKind(cursor));
         cursor = clang_getCursorSemanticParent(cursor)) {
        const enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
            continue;
        const bool space = kind == CXCursor_Namespace;
        const char *own = rk_ast_name(cursor, arena);
        if (clang_Cursor_isAnonymous(cursor) || (!name && space) || !*own)
            return NULL;
        name = space ? rk_arena_printf(arena, "%s::%s", own, name) : own;
    }
    return name;
}

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *c = data;
    const rk_unit *unit = c->analysis->unit;
    if (!rk_sources_ours(unit, cursor, &c->last))
        return CXChildVisit_Continue;
    if (is_for_device(c->analysis, cursor)) {
        const char *name = qualified_name(cursor, unit->arena);
        const size_t file = rk_sources_find(unit, c->last.file);
        if (name)
            *rk_push(unit->arena, &c->names) = (declared_name){name, file};
    }
    return rk_ast_holds_declarations(clang_getCursorKind(cursor)) ? CXChildVisit_Recurse
                                                                  : CXChildVisit_Continue;
}

static int by_name(const void *a, const void *b)
{
    const declared_name *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->file > y->file) - (x->file < y->file);
}

static void add_link(rk_unit *unit, size_t a, size_t b)
{
    for (size_t i = 0; i < unit->links.count; i++)
        if (unit->links.items[i].a == a && unit->links.items[i].b == b)
            return;
    *rk_push(unit->arena, &unit->links) = (rk_link){a, b};
}

/* What the functions of system headers are called. */

static bool may_overload(const rk_function *f)
{
    return f->device && !f->method && !f->special && !f->c_linkage && !*f->spaces &&
           !f->local_class;
}

static enum CXChildVisitResult find_overloads(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *c = data;
    rk_unit *unit = c->analysis->unit;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
        return CXChildVisit_Recurse;
    if ((!rk_ast_is_function(kind) && kind != CXCursor_UsingDeclaration) ||
        rk_sources_ours(unit, cursor, &c->last))
        return CXChildVisit_Continue;
    const CXString spelling = clang_getCursorSpelling(cursor);
    const char *name = clang_getCString(spelling);
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        if (!f->overloads && may_overload(f) && strcmp(f->name, name) == 0)
            f->overloads = true;
    }
    clang_disposeString(spelling);
    return CXChildVisit_Continue;
}

void rk_scopes_find(rk_analysis *analysis)
{
    rk_unit *unit = analysis->unit;
    collector c = {.analysis = analysis};
    const CXCursor all = clang_getTranslationUnitCursor(unit->tu);
    clang_visitChildren(all, collect, &c);
    if (c.names.count)
        qsort(c.names.items, c.names.count, sizeof *c.names.items, by_name);
    for (size_t i = 1; i < c.names.count; i++) {
        const declared_name *a = &c.names.items[i - 1], *b = &c.names.items[i];
        if (a->file != b->file && strcmp(a->name, b->name) == 0)
            add_link(unit, a->file, b->file);
    }
    bool any = false;
    for (size_t i = 0; i < unit->functions.count; i++)
        any |= may_overload(unit->functions.items[i]);
    if (any)
        clang_visitChildren(all, find_overloads, &c);
}
