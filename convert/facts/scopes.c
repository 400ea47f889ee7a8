#include "convert/facts/scopes.h"

#include "convert/unit/sources.h"
#include "convert/unit/spaces.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    rk_unit *unit;
    rk_last_file last;
    const char *path; /**< of the namespace that is visited: "a::b", "" for the global one */
} collector;

/** Whether what is in the scope has its name in the scope around it. */
static bool is_transparent(CXCursor cursor)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl ||
           (kind == CXCursor_Namespace && clang_Cursor_isAnonymous(cursor)) ||
           (kind == CXCursor_EnumDecl && !clang_EnumDecl_isScoped(cursor));
}

static bool is_type(enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
    case CXCursor_ClassTemplate:
    case CXCursor_TypedefDecl:
    case CXCursor_TypeAliasDecl:
    case CXCursor_TypeAliasTemplateDecl:
    case CXCursor_Namespace:
    case CXCursor_NamespaceAlias:
        return true;
    default:
        return false;
    }
}

/* The project's names. */

static void add_global(rk_unit *unit, CXCursor cursor)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    const CXCursor parent = clang_getCursorSemanticParent(cursor);
    const char *name = rk_ast_name(cursor, unit->arena);
    const bool member = rk_ast_is_scope(clang_getCursorKind(parent)) && !is_transparent(parent);
    if (*name && !member) /* of another scope, by its qualified name */
        *rk_push(unit->arena, &unit->globals) = (rk_global){.name = name,
                                                            .function = rk_ast_is_function(kind),
                                                            .type = is_type(kind),
                                                            .space = kind == CXCursor_Namespace};
}

/** Whether the type is the same in every source: it is not the project's, whose namespaces differ. */
static bool is_common(CXType type)
{
    type = clang_getCanonicalType(type);
    for (;;) {
        CXType of = clang_getArrayElementType(type);
        if (of.kind == CXType_Invalid)
            of = clang_getPointeeType(type);
        if (of.kind == CXType_Invalid)
            break;
        type = clang_getCanonicalType(of);
    }
    const CXCursor declared = clang_getTypeDeclaration(type);
    return clang_getCursorKind(declared) == CXCursor_NoDeclFound || rk_ast_is_system(declared);
}

/** Whether it is a declaration of a device variable of global scope that says `extern`. */
static bool is_external(CXCursor cursor)
{
    return clang_getCursorKind(cursor) == CXCursor_VarDecl &&
           clang_Cursor_getStorageClass(cursor) == CX_SC_Extern &&
           (rk_ast_has_attribute(cursor, CXCursor_CUDADeviceAttr, NULL) ||
            rk_ast_has_attribute(cursor, CXCursor_CUDAConstantAttr, NULL)) &&
           clang_getCursorKind(clang_getCursorSemanticParent(cursor)) == CXCursor_TranslationUnit &&
           is_common(clang_getCursorType(cursor));
}

static rk_range range_of(const rk_unit *unit, CXCursor cursor)
{
    unsigned begin, end;
    rk_ast_extent(cursor, &begin, &end);
    return (rk_range){rk_ast_expansion(unit, clang_getCursorLocation(cursor)).file, begin, end};
}

static enum CXChildVisitResult collect_globals(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *c = data;
    if (!rk_sources_ours(c->unit, cursor, &c->last))
        return CXChildVisit_Continue;
    if (clang_isDeclaration(clang_getCursorKind(cursor)))
        add_global(c->unit, cursor);
    if (is_external(cursor))
        *rk_push(c->unit->arena, &c->unit->external) = range_of(c->unit, cursor);
    return is_transparent(cursor) ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const rk_global *)a)->name, ((const rk_global *)b)->name);
}

/** Sorts them and makes one of all declarations of a name. */
static void sort_globals(rk_unit *unit)
{
    size_t kept = 0;
    if (!unit->globals.count)
        return;
    qsort(unit->globals.items, unit->globals.count, sizeof *unit->globals.items, by_name);
    for (size_t i = 1; i < unit->globals.count; i++) {
        const rk_global *g = &unit->globals.items[i];
        rk_global *last = &unit->globals.items[kept];
        if (strcmp(last->name, g->name) != 0) {
            unit->globals.items[++kept] = *g;
            continue;
        }
        last->function |= g->function;
        last->type |= g->type;
        last->space |= g->space;
    }
    unit->globals.count = kept + 1;
}

static rk_global *find_global(const rk_unit *unit, const char *name)
{
    const rk_global key = {.name = name};
    return unit->globals.count ? bsearch(&key, unit->globals.items, unit->globals.count,
                                         sizeof *unit->globals.items, by_name)
                               : NULL;
}

const rk_global *rk_scopes_global(const rk_unit *unit, const char *name, size_t length)
{
    size_t low = 0, high = unit->globals.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const rk_global *g = &unit->globals.items[middle];
        int order = strncmp(name, g->name, length);
        if (order == 0)
            order = g->name[length] ? -1 : 0;
        if (order == 0)
            return g;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* What system headers have of the same names. */

static bool is_ours(const collector *c, const char *path)
{
    for (size_t i = 0; i < c->unit->spaces.count; i++)
        if (strcmp(c->unit->spaces.items[i], path) == 0)
            return true;
    return false;
}

static void add_both(rk_unit *unit, const char *path)
{
    for (size_t i = 0; i < unit->both.count; i++)
        if (strcmp(unit->both.items[i], path) == 0)
            return;
    *rk_push(unit->arena, &unit->both) = path;
}

static enum CXChildVisitResult find_system(CXCursor cursor, CXCursor parent, CXClientData data);

/** A namespace of a system header: of those that the project opens, too, what is inside. */
static void visit_space(collector *c, CXCursor cursor, const char *name)
{
    const char *around = c->path;
    const char *path = *around ? rk_arena_printf(c->unit->arena, "%s::%s", around, name)
                               : rk_arena_strdup(c->unit->arena, name);
    if (!is_ours(c, path) || strcmp(path, "std") == 0)
        return;
    add_both(c->unit, path);
    c->path = path;
    clang_visitChildren(cursor, find_system, c);
    c->path = around;
}

static enum CXChildVisitResult find_system(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *c = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
        return CXChildVisit_Recurse;
    if (*c->path ? kind != CXCursor_Namespace : !clang_isDeclaration(kind))
        return CXChildVisit_Continue;
    if (rk_sources_ours(c->unit, cursor, &c->last))
        return CXChildVisit_Continue;
    const CXString spelling = clang_getCursorSpelling(cursor);
    const char *name = clang_getCString(spelling);
    rk_global *g = *c->path ? NULL : find_global(c->unit, name);
    if (g) {
        g->system = true;
        g->device |= rk_ast_has_attribute(cursor, CXCursor_CUDADeviceAttr, NULL);
    }
    if (kind == CXCursor_Namespace && *name)
        visit_space(c, cursor, name);
    clang_disposeString(spelling);
    return CXChildVisit_Continue;
}

/** Namespaces that the project opens by a library's macro, whose text does not show them. */
static enum CXChildVisitResult find_opened(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *c = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    const char *name = rk_ast_name(cursor, c->unit->arena);
    if (!rk_sources_ours(c->unit, cursor, &c->last) || kind != CXCursor_Namespace || !*name)
        return kind == CXCursor_LinkageSpec ? CXChildVisit_Recurse : CXChildVisit_Continue;
    const char *around = c->path;
    c->path = *around ? rk_arena_printf(c->unit->arena, "%s::%s", around, name) : name;
    if (!is_ours(c, c->path))
        *rk_push(c->unit->arena, &c->unit->spaces) = c->path;
    clang_visitChildren(cursor, find_opened, c);
    c->path = around;
    return CXChildVisit_Continue;
}

static void find_overloads(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        if (f->method || f->special || f->c_linkage || *f->spaces || f->local_class)
            continue;
        const rk_global *g = find_global(unit, f->name);
        f->overloads = g && g->device;
    }
}

/* Specialisations of templates of system headers, which belong to the namespace of those. */

static bool specialises_system(CXCursor cursor)
{
    const CXCursor template = clang_getSpecializedCursorTemplate(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    return !clang_Cursor_isNull(template) && clang_isDeclaration(kind) &&
           rk_ast_is_system(template);
}

typedef struct {
    const rk_unit *unit;
    bool found;
} search;

static enum CXChildVisitResult find_specialised(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    s->found = specialises_system(cursor);
    if (s->found)
        return CXChildVisit_Break;
    return clang_getCursorKind(cursor) == CXCursor_Namespace ? CXChildVisit_Recurse
                                                             : CXChildVisit_Continue;
}

static enum CXChildVisitResult find_outside(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *c = data;
    if (!rk_sources_ours(c->unit, cursor, &c->last))
        return CXChildVisit_Continue;
    search s = {.unit = c->unit, .found = specialises_system(cursor)};
    const bool space = clang_getCursorKind(cursor) == CXCursor_Namespace;
    if (space) {
        const rk_global *g = find_global(c->unit, rk_ast_name(cursor, c->unit->arena));
        s.found = g && strcmp(g->name, "std") == 0;
        if (g && g->system && !s.found)
            clang_visitChildren(cursor, find_specialised, &s);
    }
    if (s.found)
        *rk_push(c->unit->arena, &c->unit->outside) = range_of(c->unit, cursor);
    return clang_getCursorKind(cursor) == CXCursor_LinkageSpec ? CXChildVisit_Recurse
                                                               : CXChildVisit_Continue;
}

void rk_scopes_find(rk_analysis *analysis)
{
    rk_unit *unit = analysis->unit;
    collector c = {.unit = unit, .path = ""};
    const CXCursor all = clang_getTranslationUnitCursor(unit->tu);
    clang_visitChildren(all, collect_globals, &c);
    sort_globals(unit);
    rk_spaces_find(unit);
    clang_visitChildren(all, find_opened, &c);
    clang_visitChildren(all, find_system, &c);
    find_overloads(unit);
    clang_visitChildren(all, find_outside, &c);
}
