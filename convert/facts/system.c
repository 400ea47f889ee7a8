#include "convert/facts/system.h"
#include "convert/clang/ast.h"
#include "convert/cuda/builtins.h"

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
    bool
        meeting; /**< it is in libcu++, whose barriers and copies are those of the threads that are there */
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

typedef void (*location_of)(CXSourceLocation, CXFile *, unsigned *, unsigned *, unsigned *);

/** The text of a file from a place on. */
static rk_bytes text_from(const rk_unit *unit, CXSourceLocation location, location_of where)
{
    CXFile file;
    unsigned begin;
    size_t size;
    where(location, &file, NULL, NULL, &begin);
    const char *text = file ? clang_getFileContents(unit->tu, file, &size) : NULL;
    return text && begin < size ? (rk_bytes){(char *)(uintptr_t)(text + begin), size - begin}
                                : (rk_bytes){NULL, 0};
}

/** The text up to the parenthesis that closes the first one, which is soon; NULL without. */
static const char *parenthesised(rk_bytes from, rk_arena *arena)
{
    const size_t size = from.size < 4096 ? from.size : 4096;
    const rk_tokens tokens = rk_lex(from.data, size, arena);
    for (size_t i = 0; i < tokens.count; i++) {
        if (!rk_token_is(&tokens, i, "("))
            continue;
        const size_t close = rk_tokens_close(&tokens, i);
        return close < tokens.count ? rk_arena_strndup(arena, from.data, tokens.items[close].offset)
                                    : NULL;
    }
    return NULL;
}

/**
 * What a library's assembly does that means the whole vEU, NULL if nothing. Where a macro makes it, its
 * text is in the macro's body, and what the macro puts there in the macro's use.
 */
static const char *raw_assembly(const system_search *search, CXCursor statement)
{
    const rk_unit *unit = search->analysis->unit;
    const CXSourceLocation start = clang_getRangeStart(clang_getCursorExtent(statement));
    const location_of places[] = {clang_getSpellingLocation, clang_getExpansionLocation};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
        const rk_bytes from = text_from(unit, start, places[i]);
        const char *text = from.data ? parenthesised(from, unit->arena) : NULL;
        found = text ? rk_assembly_word(text, false) : "asm";
    }
    return found;
}

/**
 * A method by which a library asks the group that it was given who is there, or waits for it. The
 * rTask's own group takes the other's place.
 */
static bool is_of_given_group(CXCursor target, const char *name, rk_arena *arena)
{
    static const char *const asked[] = {"size", "num_threads", "thread_rank", "sync"};
    if (clang_getCursorKind(target) != CXCursor_CXXMethod ||
        !rk_system_in_namespace(target, "cooperative_groups", arena))
        return false;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (strcmp(asked[i], name) == 0)
            return true;
    return false;
}

static enum CXChildVisitResult search_system(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    system_search *search = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_GCCAsmStmt && search->meeting)
        return CXChildVisit_Recurse;
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
    if (search->meeting && is_of_given_group(target, name, arena))
        return CXChildVisit_Recurse;
    if (rk_walk_is_raw(target, name))
        search->found = name;
    else if (rk_ast_is_function(clang_getCursorKind(target)))
        search->found = rk_walk_system(search->analysis, target);
    return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/** The function's entry in the list; RK_NONE when it was not looked into. */
static size_t known_system(const rk_analysis *analysis, CXCursor definition, unsigned hash)
{
    for (size_t i = 0; i < analysis->system.count; i++)
        if (analysis->system.items[i].hash == hash &&
            clang_equalCursors(analysis->system.items[i].definition, definition))
            return i;
    return RK_NONE;
}

/**
 * Ends the search that began at entry `first`. Functions that call each other reach the same, but one of them was asked
 * while another was open, and may not know: what found nothing is looked into again when it is asked.
 */
static void settle_system(rk_analysis *analysis, size_t first)
{
    size_t kept = first;
    for (size_t i = first; analysis->system_cut && i < analysis->system.count; i++)
        if (analysis->system.items[i].use)
            analysis->system.items[kept++] = analysis->system.items[i];
    if (analysis->system_cut && analysis->system.items[first].use)
        analysis->system.count = kept;
    analysis->system_cut = false;
}

const char *rk_walk_system(rk_analysis *analysis, CXCursor function)
{
    rk_arena *arena = analysis->unit->arena;
    CXCursor definition = clang_getCursorDefinition(function);
    if (clang_Cursor_isNull(definition))
        return NULL;
    const unsigned hash = clang_hashCursor(definition);
    const size_t known = known_system(analysis, definition, hash);
    if (known != RK_NONE) {
        analysis->system_cut |= analysis->system.items[known].open;
        return analysis->system.items[known].use;
    }
    const size_t index = analysis->system.count;
    const bool first = index == 0 || !analysis->system.items[analysis->system_open].open;
    if (first)
        analysis->system_open = index;
    *rk_push(arena, &analysis->system) = (rk_system_function){definition, hash, NULL, true};
    system_search search = {.analysis = analysis,
                            .meeting = rk_system_in_namespace(definition, "cuda", arena)};
    clang_visitChildren(definition, search_system, &search);
    analysis->system.items[index].use = search.found;
    analysis->system.items[index].open = false;
    if (first)
        settle_system(analysis, index);
    return search.found;
}

/** Device functions of CUDA's own that have no body to look into, by what they do. */
bool rk_system_waits_by_name(const char *name)
{
    static const char *const prefixes[] = {
        "__syncthreads", "__syncwarp",           "__shfl",       "__any",        "__all",
        "__ballot",      "__activemask",         "__match_",     "__reduce",     "__nvvm_bar",
        "__nvvm_shfl",   "__nvvm_vote",          "__nvvm_match", "__nvvm_redux", "__barrier_sync",
        "__nanosleep",   "cudaDeviceSynchronize"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (rk_str_starts(name, prefixes[i]))
            return true;
    return false;
}

/** Libraries whose functions work together across threads. */
bool rk_system_waits_by_namespace(const rk_ir *ir, const rk_ir_decl *function, bool *grid_sync)
{
    static const char *const spaces[] = {"cooperative_groups", "nvcuda", "cub"};
    const char *name = function->name;
    if (rk_ir_in_namespace(ir, function, "cooperative_groups"))
        *grid_sync |= strcmp(name, "this_grid") == 0 || strcmp(name, "this_multi_grid") == 0 ||
                      strcmp(rk_ir_decl_at(ir, function->parent)->name, "grid_group") == 0;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (rk_ir_in_namespace(ir, function, spaces[i]))
            return true;
    return rk_ir_in_namespace(ir, function, "cuda") &&
           (strstr(name, "wait") || strstr(name, "arrive") || strstr(name, "barrier") ||
            strcmp(name, "load") == 0 || rk_str_starts(name, "operator "));
}
