#include "convert/launches/execute.h"

#include <string.h>

/* Functions that never return: those that say so, and those whose every way ends in a call of one, or throws. */

/** Calls of calls that are looked into. */
enum { MAX_DEPTH = 6 };

static bool says_so(rk_arena *arena, CXCursor call)
{
    if (rk_h_host(arena, call) & RK_HOST_END)
        return true;
    CXType type = clang_getCursorType(clang_getCursorReferenced(call));
    return strstr(rk_ast_text(clang_getTypeSpelling(type), arena), "noreturn") != NULL;
}

static enum CXChildVisitResult find_way_out(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    const enum CXCursorKind kind = clang_getCursorKind(c);
    if (kind == CXCursor_LambdaExpr)
        return CXChildVisit_Continue;
    *(bool *)data |= kind == CXCursor_ReturnStmt || kind == CXCursor_GotoStmt ||
                     kind == CXCursor_IndirectGotoStmt || kind == CXCursor_CXXCatchStmt;
    return CXChildVisit_Recurse;
}

static bool call_ends(rk_hrun *run, CXCursor call, int depth);

/** Whether no way goes past a statement without a way out of its function. */
static bool statement_ends(rk_hrun *run, CXCursor stmt, int depth)
{
    const CXCursor e = rk_h_unwrap(run->arena, stmt);
    const rk_cursors c = rk_ast_children(e, run->arena);
    switch (clang_getCursorKind(e)) {
    case CXCursor_CompoundStmt:
        for (size_t i = 0; i < c.count; i++)
            if (statement_ends(run, c.items[i], depth))
                return true;
        return false;
    case CXCursor_IfStmt: /* the last two are its branches where there are three */
        return c.count == 3 && statement_ends(run, c.items[1], depth) &&
               statement_ends(run, c.items[2], depth);
    case CXCursor_CXXThrowExpr:
        return true;
    case CXCursor_CallExpr:
        return call_ends(run, e, depth);
    default:
        return false;
    }
}

static bool function_ends(rk_hrun *run, CXCursor function, int depth)
{
    const CXCursor definition = clang_getCursorDefinition(function);
    if (clang_Cursor_isNull(definition) || depth >= MAX_DEPTH ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(definition)) ||
        clang_CXXMethod_isVirtual(function))
        return false;
    const int known = run->inputs ? rk_hinputs_ends(run->inputs, definition) : -1;
    if (known >= 0)
        return known != 0;
    const rk_cursors c = rk_ast_children(definition, run->arena);
    bool out = false;
    clang_visitChildren(definition, find_way_out, &out);
    const bool ends = !out && c.count > 0 && statement_ends(run, c.items[c.count - 1], depth + 1);
    if (run->inputs && depth == 0)
        rk_hinputs_set_ends(run->inputs, definition, ends);
    return ends;
}

static bool call_ends(rk_hrun *run, CXCursor call, int depth)
{
    const CXCursor function = clang_getCursorReferenced(call);
    const enum CXCursorKind kind = clang_getCursorKind(function);
    return says_so(run->arena, call) ||
           ((kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod) &&
            function_ends(run, function, depth));
}

bool rk_hx_never_returns(rk_hrun *run, CXCursor call)
{
    return call_ends(run, call, 0);
}
