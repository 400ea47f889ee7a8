#include "convert/clang/ast.h"

#include "convert/unit/sources.h"

#include <string.h>

const char *rk_ast_text(CXString string, rk_arena *arena)
{
    const char *text = clang_getCString(string);
    const char *copy = rk_arena_strdup(arena, text ? text : "");
    clang_disposeString(string);
    return copy;
}

const char *rk_ast_name(CXCursor cursor, rk_arena *arena)
{
    return rk_ast_text(clang_getCursorSpelling(cursor), arena);
}

rk_place rk_ast_place(CXSourceLocation location, rk_arena *arena)
{
    CXFile file;
    unsigned line, column;
    clang_getExpansionLocation(location, &file, &line, &column, NULL);
    if (!file)
        return (rk_place){0};
    return (rk_place){rk_ast_text(clang_getFileName(file), arena), (int)line, (int)column, NULL};
}

rk_where rk_ast_expansion(const rk_unit *unit, CXSourceLocation location)
{
    CXFile file;
    unsigned offset;
    clang_getExpansionLocation(location, &file, NULL, NULL, &offset);
    return (rk_where){rk_sources_find(unit, file), offset};
}

rk_where rk_ast_spelling(const rk_unit *unit, CXSourceLocation location)
{
    CXFile file;
    unsigned offset;
    clang_getSpellingLocation(location, &file, NULL, NULL, &offset);
    return (rk_where){rk_sources_find(unit, file), offset};
}

void rk_ast_extent(CXCursor cursor, unsigned *begin, unsigned *end)
{
    const CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getExpansionLocation(clang_getRangeStart(range), NULL, NULL, NULL, begin);
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL, end);
}

typedef struct {
    rk_cursors *out;
    rk_arena *arena;
} collector;

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    collector *to = data;
    *rk_push(to->arena, to->out) = cursor;
    return CXChildVisit_Continue;
}

rk_cursors rk_ast_children(CXCursor cursor, rk_arena *arena)
{
    rk_cursors out = {0};
    collector to = {&out, arena};
    clang_visitChildren(cursor, collect, &to);
    return out;
}

CXCursor rk_ast_class_text(CXCursor class)
{
    const CXCursor own = clang_getCursorDefinition(class);
    const CXCursor pattern = clang_getCursorDefinition(clang_getSpecializedCursorTemplate(class));
    if (clang_Cursor_isNull(pattern))
        return own;
    /* What the compiler instantiates is where the template is, and what the user specialises is not. */
    return !clang_Cursor_isNull(own) && !clang_equalLocations(clang_getCursorLocation(own),
                                                              clang_getCursorLocation(pattern))
               ? own
               : pattern;
}

bool rk_ast_add(rk_cursors *set, CXCursor cursor, rk_arena *arena)
{
    for (size_t i = 0; i < set->count; i++)
        if (clang_equalCursors(set->items[i], cursor))
            return false;
    *rk_push(arena, set) = cursor;
    return true;
}

bool rk_ast_is_system(CXCursor declaration)
{
    const CXSourceLocation location = clang_getCursorLocation(declaration);
    CXFile file;
    clang_getExpansionLocation(location, &file, NULL, NULL, NULL);
    return !file || clang_Location_isInSystemHeader(location);
}

bool rk_ast_is_function(enum CXCursorKind kind)
{
    return kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
           kind == CXCursor_CXXMethod || kind == CXCursor_Constructor ||
           kind == CXCursor_Destructor || kind == CXCursor_ConversionFunction;
}

bool rk_ast_is_scope(enum CXCursorKind kind)
{
    return kind == CXCursor_Namespace || kind == CXCursor_StructDecl ||
           kind == CXCursor_ClassDecl || kind == CXCursor_ClassTemplate ||
           kind == CXCursor_ClassTemplatePartialSpecialization || kind == CXCursor_UnionDecl;
}

bool rk_ast_holds_declarations(enum CXCursorKind kind)
{
    return rk_ast_is_scope(kind) || kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl;
}

typedef struct {
    enum CXCursorKind kind;
    CXCursor found;
    bool yes;
} attribute_search;

static enum CXChildVisitResult find_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    attribute_search *search = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CompoundStmt)
        return CXChildVisit_Break;
    if (kind != search->kind)
        return CXChildVisit_Continue;
    search->found = cursor;
    search->yes = true;
    return CXChildVisit_Break;
}

bool rk_ast_has_attribute(CXCursor declaration, enum CXCursorKind kind, CXCursor *found)
{
    attribute_search search = {.kind = kind};
    clang_visitChildren(declaration, find_attribute, &search);
    if (search.yes && found)
        *found = search.found;
    return search.yes;
}

static void remove_all(char *text, const char *what)
{
    const size_t length = strlen(what);
    for (char *at = strstr(text, what); at; at = strstr(at, what))
        memmove(at, at + length, strlen(at + length) + 1);
}

const char *rk_ast_named(const char *text, rk_arena *arena)
{
    char *copy = rk_arena_strdup(arena, text);
    remove_all(copy, "(anonymous namespace)::");
    return copy;
}

const char *rk_ast_type_named(const char *text, rk_arena *arena)
{
    char *copy = rk_arena_strdup(arena, text);
    remove_all(copy, "(anonymous namespace)::");
    remove_all(copy, " __restrict");
    remove_all(copy, "__restrict");
    return copy;
}

const char *rk_ast_type_text(CXType type, rk_arena *arena)
{
    return rk_ast_type_named(
        rk_ast_text(clang_getTypeSpelling(clang_getCanonicalType(type)), arena), arena);
}

long long rk_ast_size_of(CXType type)
{
    if (type.kind == CXType_Invalid)
        return -1;
    switch (clang_getCanonicalType(type).kind) {
    case CXType_Invalid:
    case CXType_Unexposed:
    case CXType_Overload:
    case CXType_Dependent:
        return -1;
    default:
        return clang_Type_getSizeOf(type);
    }
}
