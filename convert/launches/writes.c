#include "base/vec.h"
#include "convert/launches/harvest_internal.h"

/* Whether functions change what is outside of them. */

typedef struct {
    rk_arena *arena;
    RK_VEC(CXCursor) seen; /**< functions that are being looked at, or were */
    bool writes;
} writes_scan;

static void scan_function(writes_scan *scan, CXCursor function);

/** Whether an lvalue is, or is part of, a variable of the function itself. */
static bool is_own(rk_arena *arena, CXCursor lvalue)
{
    CXCursor root;
    if (!rk_h_root(&root, arena, lvalue) || rk_h_is_global(root))
        return false;
    enum CXTypeKind kind = clang_getCursorType(root).kind;
    return kind != CXType_LValueReference && kind != CXType_RValueReference;
}

static void scan_call(writes_scan *scan, CXCursor call)
{
    CXCursor function = clang_getCursorReferenced(call);
    if (clang_Cursor_isNull(function)) {
        scan->writes = true;
        return;
    }
    if (!clang_Location_isInSystemHeader(clang_getCursorLocation(function))) {
        scan_function(scan, function);
        return;
    }
    rk_cursors c = rk_ast_children(call, scan->arena);
    for (size_t i = 1; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_DeclRefExpr &&
            rk_h_by_reference(function, i - 1, true) && !is_own(scan->arena, c.items[i]))
            scan->writes = true;
    CXCursor callee = c.count ? rk_h_unwrap(scan->arena, c.items[0]) : clang_getNullCursor();
    if (clang_getCursorKind(function) == CXCursor_CXXMethod && !clang_CXXMethod_isConst(function) &&
        !is_own(scan->arena, callee))
        scan->writes = true;
}

static enum CXChildVisitResult scan_node(CXCursor node, CXCursor parent, CXClientData data)
{
    (void)parent;
    writes_scan *scan = data;
    CXCursor configuration;
    enum CXCursorKind kind = clang_getCursorKind(node);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(node);
    bool step = kind == CXCursor_UnaryOperator && op >= CXUnaryOperator_PostInc &&
                op <= CXUnaryOperator_PreDec;
    bool assigns = kind == CXCursor_CompoundAssignOperator ||
                   (kind == CXCursor_BinaryOperator &&
                    clang_getCursorBinaryOperatorKind(node) == CXBinaryOperator_Assign);
    if (step || assigns || op == CXUnaryOperator_AddrOf) {
        rk_cursors c = rk_ast_children(node, scan->arena);
        bool own = c.count > 0 && is_own(scan->arena, c.items[0]);
        CXCursor named = c.count ? clang_getCursorReferenced(c.items[0]) : clang_getNullCursor();
        bool function = op == CXUnaryOperator_AddrOf && kind == CXCursor_UnaryOperator &&
                        clang_getCursorKind(named) == CXCursor_FunctionDecl;
        scan->writes = scan->writes || (!own && !function);
    } else if (kind == CXCursor_CallExpr && !rk_h_is_launch(scan->arena, node, &configuration)) {
        scan_call(scan, node);
    }
    return scan->writes ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static void scan_function(writes_scan *scan, CXCursor function)
{
    CXCursor definition = clang_getCursorDefinition(function);
    if (clang_Cursor_isNull(definition)) {
        CXCursor pattern = clang_getSpecializedCursorTemplate(function);
        definition = clang_Cursor_isNull(pattern) ? pattern : clang_getCursorDefinition(pattern);
    }
    if (clang_Cursor_isNull(definition)) {
        scan->writes = clang_getCursorKind(function) != CXCursor_Constructor;
        return;
    }
    for (size_t i = 0; i < scan->seen.count; i++)
        if (clang_equalCursors(scan->seen.items[i], definition))
            return;
    *rk_push(scan->arena, &scan->seen) = definition;
    clang_visitChildren(definition, scan_node, scan);
}

bool rk_h_may_write(rk_hrun *run, CXCursor function)
{
    int known = run->inputs ? rk_hinputs_writes(run->inputs, function) : -1;
    if (known >= 0)
        return known != 0;
    writes_scan scan = {.arena = run->arena};
    scan_function(&scan, function);
    if (run->inputs)
        rk_hinputs_set_writes(run->inputs, function, scan.writes);
    return scan.writes;
}

typedef struct {
    CXCursor variable;
    bool changes;
} change_scan;

/** Anything but a load of it, or of a member of it, may change a variable. */
static enum CXChildVisitResult scan_use(CXCursor node, CXCursor parent, CXClientData data)
{
    change_scan *scan = data;
    enum CXCursorKind kind = clang_getCursorKind(node), above = clang_getCursorKind(parent);
    if (clang_isDeclaration(kind) && clang_Location_isInSystemHeader(clang_getCursorLocation(node)))
        return CXChildVisit_Continue;
    bool read = above == CXCursor_UnexposedExpr || above == CXCursor_UnaryExpr;
    if (kind == CXCursor_MemberRefExpr && read)
        return clang_getCursorKind(clang_getCursorReferenced(node)) == CXCursor_FieldDecl
                   ? CXChildVisit_Continue
                   : CXChildVisit_Recurse;
    if (kind == CXCursor_DeclRefExpr &&
        rk_h_same(clang_getCursorReferenced(node), scan->variable) && !read) {
        scan->changes = true;
        return CXChildVisit_Break;
    }
    return CXChildVisit_Recurse;
}

bool rk_h_never_changes(rk_hrun *run, CXCursor variable)
{
    enum CXLinkageKind linkage = clang_getCursorLinkage(variable);
    if (linkage == CXLinkage_External || linkage == CXLinkage_UniqueExternal || !run->inputs)
        return false;
    int known = rk_hinputs_constant(run->inputs, variable);
    if (known >= 0)
        return known != 0;
    change_scan scan = {.variable = variable};
    CXTranslationUnit unit = clang_Cursor_getTranslationUnit(variable);
    clang_visitChildren(clang_getTranslationUnitCursor(unit), scan_use, &scan);
    rk_hinputs_set_constant(run->inputs, variable, !scan.changes);
    return !scan.changes;
}
