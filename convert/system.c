#include "convert/analyze.h"

#include <string.h>

bool rk_system_in_namespace(CXCursor declaration, const char *name, rk_arena *arena)
{
    CXCursor parent = clang_getCursorSemanticParent(declaration);
    for (; !clang_isTranslationUnit(clang_getCursorKind(parent)) &&
           !clang_isInvalid(clang_getCursorKind(parent));
         parent = clang_getCursorSemanticParent(parent))
        if (clang_getCursorKind(parent) == CXCursor_Namespace &&
            strcmp(rk_ast_name(parent, arena), name) == 0)
            return true;
    return false;
}

bool rk_system_is_function(CXCursor function, const char *name)
{
    return rk_ast_is_system(function) || ((rk_builtin_find(name) || rk_str_starts(name, "__nvvm") ||
                                           rk_str_starts(name, "__builtin")) &&
                                          clang_Cursor_isNull(clang_getCursorDefinition(function)));
}

/* What CUDA's own headers reach. */

typedef struct {
    rk_analysis *analysis;
    const char *found;
} system_search;

static bool raw_name(const char *name)
{
    static const char *const prefixes[] = {"__nvvm_read_ptx_sreg_tid",
                                           "__nvvm_read_ptx_sreg_ctaid",
                                           "__nvvm_read_ptx_sreg_ntid",
                                           "__nvvm_read_ptx_sreg_nctaid",
                                           "__nvvm_bar",
                                           "__nvvm_shfl",
                                           "__nvvm_vote",
                                           "__nvvm_match",
                                           "__nvvm_redux"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (rk_str_starts(name, prefixes[i]))
            return true;
    return false;
}

bool rk_walk_is_raw(CXCursor declaration, const char *name)
{
    const enum CXCursorKind kind = clang_getCursorKind(declaration);
    const enum CXCursorKind parent =
        clang_getCursorKind(clang_getCursorSemanticParent(declaration));
    if (kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate)
        return raw_name(name) || rk_builtin_find(name);
    return kind == CXCursor_VarDecl && rk_builtin_find(name) && !rk_ast_is_function(parent);
}

/** What a library's assembly does that means the whole vEU, NULL if nothing. */
static const char *raw_assembly(const system_search *search, CXCursor statement)
{
    const rk_unit *unit = search->analysis->unit;
    const CXSourceRange range = clang_getCursorExtent(statement);
    CXFile file, last;
    unsigned begin, end;
    size_t size;
    clang_getSpellingLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getSpellingLocation(clang_getRangeEnd(range), &last, NULL, NULL, &end);
    const char *text = file && clang_File_isEqual(file, last)
                           ? clang_getFileContents(unit->tu, file, &size)
                           : NULL;
    if (!text || begin >= end || end > size)
        return "asm";
    return rk_walk_assembly(rk_arena_strndup(unit->arena, text + begin, end - begin), false);
}

static enum CXChildVisitResult search_system(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    system_search *search = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_GCCAsmStmt) {
        search->found = raw_assembly(search, cursor);
        return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
    }
    if (kind != CXCursor_DeclRefExpr && kind != CXCursor_MemberRefExpr && kind != CXCursor_CallExpr)
        return CXChildVisit_Recurse;
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target))
        return CXChildVisit_Recurse;
    rk_arena *arena = search->analysis->unit->arena;
    const char *name = rk_ast_name(target, arena);
    if (rk_walk_is_raw(target, name))
        search->found = name;
    else if (rk_ast_is_function(clang_getCursorKind(target)))
        search->found = rk_walk_system(search->analysis, target);
    return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

const char *rk_walk_system(rk_analysis *analysis, CXCursor function)
{
    rk_arena *arena = analysis->unit->arena;
    CXCursor definition = clang_getCursorDefinition(function);
    if (clang_Cursor_isNull(definition))
        return NULL;
    const unsigned hash = clang_hashCursor(definition);
    for (size_t i = 0; i < analysis->system_seen.count; i++)
        if (analysis->system_seen.items[i] == hash)
            return analysis->system_use.items[i];
    const size_t index = analysis->system_seen.count;
    *rk_push(arena, &analysis->system_seen) = hash;
    *rk_push(arena, &analysis->system_use) = NULL;
    system_search search = {.analysis = analysis};
    clang_visitChildren(definition, search_system, &search);
    analysis->system_use.items[index] = search.found;
    return search.found;
}
