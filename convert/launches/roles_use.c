#include "base/str.h"
#include "convert/clang/ast.h"
#include "convert/clang/implicit.h"
#include "convert/launches/harvest_internal.h"
#include "convert/launches/roles_internal.h"

#include <string.h>

/** A local variable and the parameters whose memory it may lead to. */
typedef struct {
    CXCursor decl;
    rk_params leads_to;
} alias;

typedef enum { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE, ACCESS_BOTH } access;

/** The analysis of one function's body. */
typedef struct {
    rk_use_table *table;
    rk_arena *arena;
    rk_function_use *use;
    CXCursor params[RK_MAX_TRACKED];
    RK_VEC(alias) aliases;
    RK_VEC(CXCursor) bound; /**< declarations of structured bindings */
    bool grew;              /**< an alias was added in this round */
} analysis;

static rk_params points_to(analysis *an, CXCursor expr);
static rk_params memory_of(analysis *an, CXCursor lvalue);
static void visit(analysis *an, CXCursor node, access how);
static void flow(analysis *an, CXCursor target, CXCursor value);
static void visit_children(analysis *an, CXCursor node, access how);

static bool is_pointer(CXType type)
{
    CXType t = rk_h_plain_type(type);
    return t.kind == CXType_Pointer || clang_getArrayElementType(t).kind != CXType_Invalid;
}

static bool is_reference(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
}

static bool is_array(CXType type)
{
    return clang_getArrayElementType(rk_h_plain_type(type)).kind != CXType_Invalid;
}

static bool to_const(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    CXType pointee = is_array(t) ? clang_getArrayElementType(t) : clang_getPointeeType(t);
    return clang_isConstQualifiedType(clang_getCanonicalType(pointee)) != 0;
}

/** What a name stands for: of a structured binding its declaration, with which it shares what it leads to. */
static CXCursor variable_of(const analysis *an, CXCursor decl)
{
    for (size_t i = 0; clang_getCursorKind(decl) == CXCursor_UnexposedDecl && i < an->bound.count;
         i++) {
        unsigned at, begin, end;
        clang_getExpansionLocation(clang_getCursorLocation(decl), NULL, NULL, NULL, &at);
        rk_ast_extent(an->bound.items[i], &begin, &end);
        if (begin <= at && at < end)
            return an->bound.items[i];
    }
    return decl;
}

static rk_params of_variable(const analysis *an, CXCursor decl)
{
    rk_params all = 0;
    decl = variable_of(an, decl);
    for (size_t i = 0; i < an->use->count; i++)
        if (rk_h_same(an->params[i], decl))
            all |= (rk_params)1 << i;
    for (size_t i = 0; i < an->aliases.count; i++)
        if (rk_h_same(an->aliases.items[i].decl, decl))
            all |= an->aliases.items[i].leads_to;
    return all;
}

static void add_alias(analysis *an, CXCursor decl, rk_params leads_to)
{
    decl = variable_of(an, decl);
    if ((leads_to & ~of_variable(an, decl)) == 0)
        return;
    *rk_push(an->arena, &an->aliases) = (alias){.decl = decl, .leads_to = leads_to};
    an->grew = true;
}

static void mark(analysis *an, rk_params params, unsigned char use)
{
    for (size_t i = 0; i < an->use->count; i++)
        if (params >> i & 1)
            an->use->use[i] |= use;
}

static void mark_access(analysis *an, rk_params params, access how)
{
    static const unsigned char uses[] = {0, RK_READS, RK_WRITES, RK_READS | RK_WRITES};
    mark(an, params, uses[how]);
}

static bool is_cast(enum CXCursorKind kind)
{
    return kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
           kind == CXCursor_CXXReinterpretCastExpr || kind == CXCursor_CXXConstCastExpr ||
           kind == CXCursor_CXXFunctionalCastExpr || kind == CXCursor_CXXDynamicCastExpr;
}

/**
 * The operand of a cast or of a wrapper such as parentheses; false if the expression is neither.
 */
static bool inner_of(CXCursor *out, analysis *an, CXCursor expr)
{
    enum CXCursorKind kind = clang_getCursorKind(expr);
    if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr && !is_cast(kind))
        return false;
    rk_cursors c = rk_ast_children(expr, an->arena);
    for (size_t i = c.count; i-- > 0;) {
        *out = c.items[i];
        if (clang_isExpression(clang_getCursorKind(c.items[i])))
            return true;
    }
    return false;
}

static bool carries_pointer(CXType type)
{
    CXType t = rk_h_plain_type(type);
    return is_pointer(t) || t.kind == CXType_Record || t.kind == CXType_Unexposed ||
           t.kind == CXType_Dependent || t.kind == CXType_Auto;
}

static bool is_access(CXCursor expr)
{
    enum CXCursorKind kind = clang_getCursorKind(expr);
    return kind == CXCursor_ArraySubscriptExpr || kind == CXCursor_MemberRefExpr ||
           kind == CXCursor_CallExpr ||
           (kind == CXCursor_UnaryOperator &&
            clang_getCursorUnaryOperatorKind(expr) == CXUnaryOperator_Deref);
}

/** Where an expression leads, both found in one walk over it. */
typedef struct {
    rk_params points; /**< the memory that its value, a pointer, leads to */
    rk_params memory; /**< the memory that it is in, as an lvalue */
} lead;

static lead lead_of(analysis *an, CXCursor expr);

/** What the operands of an expression lead to, together. */
static lead operands(analysis *an, rk_cursors c)
{
    lead all = {0, 0};
    for (size_t i = 0; i < c.count; i++) {
        if (!clang_isExpression(clang_getCursorKind(c.items[i])))
            continue;
        const lead one = lead_of(an, c.items[i]);
        all.points |= one.points;
        all.memory |= one.memory;
    }
    return all;
}

static lead lead_of_unary(analysis *an, CXCursor expr, CXCursor operand)
{
    CXCursor root;
    const lead a = lead_of(an, operand);
    switch ((int)clang_getCursorUnaryOperatorKind(expr)) {
    case CXUnaryOperator_Deref:
        return (lead){a.points, a.points};
    case CXUnaryOperator_AddrOf:
        return (lead){a.memory | (rk_h_root(&root, an->arena, operand) ? of_variable(an, root) : 0),
                      0};
    default:
        return (lead){a.points, 0};
    }
}

/** An element or a member; a pointer out of an array or a struct leads where that leads. */
static lead lead_of_part(analysis *an, enum CXCursorKind kind, CXCursor whole)
{
    CXCursor inner;
    const lead a = lead_of(an, whole);
    const CXType type = clang_getCursorType(whole);
    const bool inside = kind == CXCursor_ArraySubscriptExpr
                            ? inner_of(&inner, an, whole) && is_array(clang_getCursorType(inner))
                            : !is_pointer(type) || is_array(type);
    return (lead){a.points | a.memory, inside ? a.memory : a.points};
}

/** As lead_of, of an expression that is no cast, for which only numbers are no pointers. */
static lead lead_of_plain(analysis *an, CXCursor expr)
{
    const enum CXCursorKind kind = clang_getCursorKind(expr);
    rk_cursors c = rk_ast_children(expr, an->arena);
    CXCursor decl;
    rk_params all;
    lead given;
    switch ((int)kind) {
    case CXCursor_DeclRefExpr:
        decl = variable_of(an, clang_getCursorReferenced(expr));
        all = of_variable(an, decl);
        return (lead){all, is_reference(clang_getCursorType(decl)) ? all : 0};
    case CXCursor_UnaryOperator:
        return c.count ? lead_of_unary(an, expr, c.items[0]) : (lead){0, 0};
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
        return c.count ? lead_of_part(an, kind, c.items[0]) : (lead){0, 0};
    case CXCursor_CallExpr: /* all that it was given by pointer or reference */
        given = operands(an, c);
        all = given.points | given.memory;
        return (lead){all, all};
    case CXCursor_ConditionalOperator:
        return operands(an, c);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
    case CXCursor_InitListExpr:
    case CXCursor_LambdaExpr:
        return (lead){operands(an, c).points, 0};
    default:
        return (lead){0, 0};
    }
}

static lead lead_of(analysis *an, CXCursor expr)
{
    CXCursor inner;
    lead a;
    if (inner_of(&inner, an, expr)) {
        a = lead_of(an, inner);
        a.points |= is_array(clang_getCursorType(inner)) ? a.memory : 0;
    } else {
        a = lead_of_plain(an, expr);
    }
    /* Of numbers only one that holds a pointer's bits and was not read from memory may lead on. */
    const CXType type = rk_h_plain_type(clang_getCursorType(expr));
    if (!carries_pointer(type) &&
        (is_access(expr) || rk_ast_size_of(type) != 8 || type.kind == CXType_Double))
        a.points = 0;
    return a;
}

/** The memory that a pointer's value leads to; an integer's, where a pointer was cast to it. */
static rk_params points_to(analysis *an, CXCursor expr)
{
    return lead_of(an, expr).points;
}

/** The memory that an lvalue is in, as the parameters that lead there. */
static rk_params memory_of(analysis *an, CXCursor lvalue)
{
    return lead_of(an, lvalue).memory;
}

/** Any use is possible of what a value leads to, unless it is a pointer to const. */
static void mark_unknown(analysis *an, CXCursor expr)
{
    CXType type = clang_getCursorType(expr);
    bool reads = clang_getCanonicalType(type).kind == CXType_Pointer && to_const(type);
    mark(an, points_to(an, expr), reads ? RK_READS : RK_ANYHOW);
}

/** What a pointer or array leads to. */
static CXType pointee_of(CXCursor expr)
{
    const CXType type = rk_h_plain_type(clang_getCursorType(expr));
    return is_array(type) ? clang_getArrayElementType(type) : clang_getPointeeType(type);
}

static bool atomic_call(analysis *an, const char *name, rk_cursors c, bool discarded)
{
    const unsigned does = rk_cuda_find(RK_IN_PLAIN, name)->does;
    if (!(does & RK_DOES_ATOMIC) || c.count < 3)
        return false;
    bool sum = (does & RK_DOES_SUM) != 0;
    rk_dtype dtype = rk_roles_dtype(clang_getCursorType(c.items[1]));
    rk_params target = points_to(an, c.items[1]);
    an->use->atomics = true;
    if (dtype == RK_DTYPE_NONE || rk_dtype_is_float(dtype))
        an->use->float_atomics = true;
    mark(an, target, sum && discarded ? RK_ADDS : RK_READS | RK_WRITES);
    for (size_t i = 1; i < c.count; i++)
        visit(an, c.items[i], i == 1 ? ACCESS_NONE : ACCESS_READ);
    return true;
}

/** A library function that reads or writes through its first arguments. */
static bool library_call(analysis *an, const char *name, rk_cursors c)
{
    const unsigned char *args = rk_cuda_find(RK_IN_PLAIN, name)->args;
    if (!args[0] || c.count < 2)
        return false;
    mark(an, points_to(an, c.items[1]), args[0]);
    if (c.count > 2)
        mark(an, points_to(an, c.items[2]), args[1]);
    if (c.count > 2 && args[1] &&
        rk_roles_holds_pointer(pointee_of(rk_h_unwrap(an->arena, c.items[2])), an->arena))
        flow(an, c.items[1], c.items[2]);
    for (size_t k = 1; k < c.count; k++)
        visit(an, c.items[k], ACCESS_READ);
    return true;
}

/** The callee where the AST has not chosen one yet, and there is only one. */
static CXCursor callee_of(analysis *an, CXCursor call, rk_cursors c)
{
    CXCursor function = clang_getCursorReferenced(call);
    if (!clang_Cursor_isNull(function) || c.count == 0)
        return function;
    rk_cursors inner = rk_ast_children(rk_h_unwrap(an->arena, c.items[0]), an->arena);
    for (size_t i = 0; i < inner.count; i++)
        if (clang_getCursorKind(inner.items[i]) == CXCursor_OverloadedDeclRef &&
            clang_getNumOverloadedDecls(inner.items[i]) == 1)
            return clang_getOverloadedDecl(inner.items[i], 0);
    return function;
}

static const char *callee_name(analysis *an, CXCursor call, rk_cursors c)
{
    const char *name = rk_ast_name(call, an->arena);
    if (*name || c.count == 0)
        return name;
    rk_cursors inner = rk_ast_children(rk_h_unwrap(an->arena, c.items[0]), an->arena);
    return inner.count ? rk_ast_name(inner.items[0], an->arena) : name;
}

/** The arguments of a call of a function whose body is known. */
static void known_call(analysis *an, const rk_function_use *use, CXCursor function,
                       const CXCursor *args, size_t count)
{
    int n = clang_Cursor_getNumArguments(function);
    for (size_t i = 0; i < count; i++) {
        bool known = n >= 0 && i < (size_t)n;
        CXType type = known ? clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)i))
                            : clang_getCursorType(args[i]);
        bool reference = !known || is_reference(type);
        unsigned char done = use->done && i < use->count ? use->use[i] : RK_ANYHOW;
        mark(an, points_to(an, args[i]) | (reference ? memory_of(an, args[i]) : 0), done);
        visit(an, args[i], reference ? ACCESS_NONE : ACCESS_READ);
    }
    an->use->atomics = an->use->atomics || use->atomics;
    an->use->float_atomics = an->use->float_atomics || use->float_atomics;
}

static void unknown_call(analysis *an, CXCursor function, const CXCursor *args, size_t count)
{
    int n = clang_Cursor_isNull(function) ? -1 : clang_Cursor_getNumArguments(function);
    for (size_t i = 0; i < count; i++) {
        CXType type = n >= 0 && i < (size_t)n
                          ? clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)i))
                          : clang_getCursorType(args[i]);
        if (is_reference(type))
            visit(an, args[i], to_const(type) ? ACCESS_READ : ACCESS_BOTH);
        else
            visit(an, args[i], n < 0 ? ACCESS_BOTH : ACCESS_READ);
        mark_unknown(an, args[i]);
    }
}

/** The operands of a call without its callee, which stands second in `a + b`. */
static CXCursor *arguments_of(analysis *an, rk_cursors c, size_t *count)
{
    size_t callee = 0;
    if (c.count > 1 &&
        rk_str_starts(rk_ast_name(rk_h_unwrap(an->arena, c.items[1]), an->arena), "operator"))
        callee = 1;
    CXCursor *args = RK_NEW_ARRAY(an->arena, CXCursor, c.count + 1);
    *count = 0;
    for (size_t i = 0; i < c.count; i++)
        if (i != callee)
            args[(*count)++] = c.items[i];
    return args;
}

/** A lambda's body has been visited where it was written, with the variables that it captures. */
static bool is_lambda(rk_arena *arena, CXType type)
{
    const char *name = rk_ast_text(clang_getTypeSpelling(clang_getCanonicalType(type)), arena);
    return strstr(name, "(lambda at ") != NULL;
}

/** What a method may do to its object and to what that holds. */
static void visit_object(analysis *an, CXCursor function, CXCursor callee, const CXCursor *args,
                         size_t count)
{
    rk_cursors object = rk_ast_children(callee, an->arena);
    if (count && is_lambda(an->arena, clang_getCursorType(args[0])))
        return;
    if (clang_getCursorKind(callee) == CXCursor_MemberRefExpr && object.count) {
        bool reads = clang_CXXMethod_isConst(function) != 0;
        mark(an, memory_of(an, callee), reads ? RK_READS : RK_ANYHOW);
        mark(an, points_to(an, object.items[0]), RK_ANYHOW);
        visit(an, object.items[0], ACCESS_NONE);
    } else if (count) {
        mark(an, points_to(an, args[0]) | memory_of(an, args[0]), RK_ANYHOW);
    }
}

static void visit_call(analysis *an, CXCursor call, bool discarded)
{
    rk_cursors c = rk_ast_children(call, an->arena);
    CXCursor function = callee_of(an, call, c);
    enum CXCursorKind kind = clang_getCursorKind(function);
    const char *name = callee_name(an, call, c);
    if (c.count == 0 || atomic_call(an, name, c, discarded) || library_call(an, name, c))
        return;
    if (kind == CXCursor_Constructor) { /* what it keeps is followed as an alias of the object */
        const bool keeps = rk_roles_only_keeps(function, an->arena);
        for (size_t i = 0; i < c.count; i++) {
            visit(an, c.items[i], ACCESS_READ);
            if (!keeps)
                mark_unknown(an, c.items[i]);
        }
        return;
    }
    size_t count;
    CXCursor *args = arguments_of(an, c, &count);
    if (strcmp(name, "operator=") == 0 && count == 2) {
        if (!rk_ast_is_system(function) && !clang_CXXMethod_isDefaulted(function))
            mark(an, points_to(an, args[0]),
                 RK_ANYHOW); /* the project's own writes what it likes */
        visit(an, args[0], discarded ? ACCESS_WRITE : ACCESS_BOTH);
        visit(an, args[1], ACCESS_READ);
        flow(an, args[0], args[1]);
        return;
    }
    bool method = kind == CXCursor_CXXMethod && !clang_CXXMethod_isStatic(function);
    if (method)
        visit_object(an, function, rk_h_unwrap(an->arena, c.items[0]), args, count);
    bool infix = method && rk_str_starts(name, "operator") && count &&
                 clang_equalCursors(args[0], c.items[0]);
    const rk_function_use *use =
        !method && !clang_Cursor_isNull(function) ? rk_roles_use(an->table, function) : NULL;
    if (use)
        known_call(an, use, function, args, count);
    else
        unknown_call(an, function, args + infix, count - infix);
}

static bool is_global(CXCursor variable)
{
    enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(variable));
    return parent == CXCursor_TranslationUnit || parent == CXCursor_Namespace ||
           parent == CXCursor_StructDecl || parent == CXCursor_ClassDecl;
}

/** An assignment of a pointer, or of what holds one, makes the target lead where the value does. */
static void flow(analysis *an, CXCursor target, CXCursor value)
{
    CXCursor root;
    rk_params leads_to = points_to(an, value);
    if (leads_to == 0)
        return;
    if (rk_h_root(&root, an->arena, target) && !is_global(root))
        add_alias(an, root, leads_to);
    else if (rk_roles_holds_pointer(clang_getCursorType(value), an->arena))
        mark(an, leads_to, RK_ANYHOW);
}

static void visit_variable(analysis *an, CXCursor decl)
{
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    if (clang_Cursor_isNull(init))
        return;
    CXType type = clang_getCursorType(decl);
    bool reference = is_reference(type);
    visit(an, init, reference ? ACCESS_NONE : ACCESS_READ);
    if (reference)
        add_alias(an, decl, memory_of(an, init) | points_to(an, init));
    else
        add_alias(an, decl, points_to(an, init));
    if (rk_roles_has_destructor(type, an->arena))
        mark(an, of_variable(an, decl), RK_ANYHOW);
}

/** `auto [a, b] = init`, whose names lead where the whole does. */
static void visit_bindings(analysis *an, CXCursor decl)
{
    const rk_cursors c = rk_ast_children(decl, an->arena);
    bool known = false;
    for (size_t i = 0; i < an->bound.count; i++)
        known |= rk_h_same(an->bound.items[i], decl);
    if (!known)
        *rk_push(an->arena, &an->bound) = decl;
    for (size_t i = 0; i < c.count; i++) {
        const lead from = lead_of(an, c.items[i]);
        const bool reference = is_reference(clang_getCursorType(decl));
        visit(an, c.items[i], reference ? ACCESS_NONE : ACCESS_READ);
        add_alias(an, decl, from.points | (reference ? from.memory : 0));
    }
}

/** A loop over a range: its variable is of what the range has, and leads where that does. */
static void visit_range_loop(analysis *an, CXCursor loop)
{
    const CXCursor range = rk_implicit_range(loop, an->arena);
    const rk_cursors c = rk_ast_children(loop, an->arena);
    const lead from = lead_of(an, range);
    const bool array = is_array(clang_getCursorType(range));
    mark(an, from.memory | (array ? 0 : from.points), RK_READS);
    for (size_t i = 0; i < c.count; i++) {
        if (clang_getCursorKind(c.items[i]) == CXCursor_UnexposedDecl)
            visit_bindings(an, c.items[i]);
        if (clang_isDeclaration(clang_getCursorKind(c.items[i])))
            add_alias(an, c.items[i], from.points | from.memory);
        else
            visit(an, c.items[i], ACCESS_NONE);
    }
}

/** A lambda: its own variables, `[p = x]`, its captures and its body. */
static void visit_lambda(analysis *an, CXCursor lambda)
{
    const rk_cursors c = rk_ast_children(lambda, an->arena);
    for (size_t i = 0; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_VariableRef)
            visit_variable(an, clang_getCursorReferenced(c.items[i]));
    visit_children(an, lambda, ACCESS_NONE);
}

static void visit_unary(analysis *an, CXCursor node, CXCursor operand, access how)
{
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(node);
    if (op == CXUnaryOperator_Deref) {
        mark_access(an, points_to(an, operand), how);
        visit(an, operand, ACCESS_READ);
    } else if (op == CXUnaryOperator_AddrOf) {
        visit(an, operand, ACCESS_NONE);
    } else {
        bool step = op >= CXUnaryOperator_PostInc && op <= CXUnaryOperator_PreDec;
        visit(an, operand, step ? ACCESS_BOTH : ACCESS_READ);
    }
}

static void visit_member(analysis *an, CXCursor base, access how)
{
    CXType type = clang_getCursorType(base);
    bool arrow = is_pointer(type) && !is_array(type);
    if (arrow)
        mark_access(an, points_to(an, base), how);
    visit(an, base, arrow ? ACCESS_READ : how);
}

static void visit_children(analysis *an, CXCursor node, access how)
{
    rk_cursors c = rk_ast_children(node, an->arena);
    for (size_t i = 0; i < c.count; i++) {
        bool statement = clang_isStatement(clang_getCursorKind(node)) != 0;
        visit(an, c.items[i], statement ? ACCESS_NONE : how);
    }
}

static void visit_assembly(analysis *an, CXCursor node)
{
    rk_cursors c = rk_ast_children(node, an->arena);
    for (size_t i = 0; i < c.count; i++)
        mark(an, points_to(an, c.items[i]) | memory_of(an, c.items[i]), RK_ANYHOW);
}

static bool is_assignment(CXCursor node)
{
    return clang_getCursorKind(node) == CXCursor_BinaryOperator &&
           clang_getCursorBinaryOperatorKind(node) == CXBinaryOperator_Assign;
}

static void visit_expression(analysis *an, CXCursor node, access how)
{
    enum CXCursorKind kind = clang_getCursorKind(node);
    rk_cursors c = rk_ast_children(node, an->arena);
    if (c.count == 0)
        return;
    if (kind == CXCursor_UnaryOperator) {
        visit_unary(an, node, c.items[0], how);
    } else if (kind == CXCursor_ArraySubscriptExpr && c.count == 2) {
        mark_access(an, memory_of(an, node), how);
        visit(an, c.items[0], ACCESS_READ);
        visit(an, c.items[1], ACCESS_READ);
    } else if (kind == CXCursor_MemberRefExpr) {
        visit_member(an, c.items[0], how);
    } else if (kind == CXCursor_CompoundAssignOperator && c.count == 2) {
        visit(an, c.items[0], ACCESS_BOTH);
        visit(an, c.items[1], ACCESS_READ);
    } else if (is_assignment(node) && c.count == 2) {
        visit(an, c.items[0], how == ACCESS_READ ? ACCESS_BOTH : ACCESS_WRITE);
        visit(an, c.items[1], ACCESS_READ);
        flow(an, c.items[0], c.items[1]);
    } else {
        visit_children(an, node, ACCESS_READ);
    }
}

static void visit_result(analysis *an, CXCursor call, access how)
{
    CXType type = clang_getCursorResultType(clang_getCursorReferenced(call));
    visit_call(an, call, how == ACCESS_NONE);
    if (is_reference(type))
        mark_access(an, memory_of(an, call), how);
}

/** Visits an expression or statement; `how`: what is done with its value's memory. */
static void visit(analysis *an, CXCursor node, access how)
{
    CXCursor inner;
    switch (clang_getCursorKind(node)) {
    case CXCursor_VarDecl:
        visit_variable(an, node);
        return;
    case CXCursor_CallExpr:
        visit_result(an, node, how);
        return;
    case CXCursor_DeclRefExpr:
        mark_access(an, memory_of(an, node), how);
        return;
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt:
        visit_assembly(an, node);
        return;
    case CXCursor_ConditionalOperator:
        visit_children(an, node, how);
        return;
    case CXCursor_UnexposedDecl:
        visit_bindings(an, node);
        return;
    case CXCursor_CXXForRangeStmt:
        visit_range_loop(an, node);
        return;
    case CXCursor_LambdaExpr:
        visit_lambda(an, node);
        return;
    default:
        break;
    }
    if (inner_of(&inner, an, node)) {
        bool decays = is_array(clang_getCursorType(inner)) && !is_array(clang_getCursorType(node));
        visit(an, inner, decays ? ACCESS_NONE : how);
    } else {
        visit_expression(an, node, how);
    }
}

static bool body_of(CXCursor *out, rk_cursors c)
{
    for (size_t i = c.count; i-- > 0;) {
        *out = c.items[i];
        if (clang_getCursorKind(c.items[i]) == CXCursor_CompoundStmt)
            return true;
    }
    return false;
}

static CXCursor with_body(rk_arena *arena, CXCursor function)
{
    CXCursor body, definition = clang_getCursorDefinition(function);
    if (clang_Cursor_isNull(definition))
        definition = function;
    CXCursor pattern = clang_getSpecializedCursorTemplate(definition);
    if (!body_of(&body, rk_ast_children(definition, arena)) && !clang_Cursor_isNull(pattern)) {
        CXCursor written = clang_getCursorDefinition(pattern);
        return clang_Cursor_isNull(written) ? pattern : written;
    }
    return definition;
}

static void analyse(rk_use_table *table, rk_function_use *use, CXCursor function, CXCursor body)
{
    analysis an = {.table = table, .arena = table->arena, .use = use};
    rk_cursors c = rk_ast_children(function, table->arena);
    for (size_t i = 0; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_ParmDecl && use->count < RK_MAX_TRACKED)
            an.params[use->count++] = c.items[i];
    do {
        an.grew = false;
        visit(&an, body, ACCESS_NONE);
    } while (an.grew);
    use->done = true;
}

const rk_function_use *rk_roles_use(rk_use_table *table, CXCursor function)
{
    CXCursor body, definition = with_body(table->arena, function);
    if (!body_of(&body, rk_ast_children(definition, table->arena)))
        return NULL;
    const char *usr = rk_ast_text(clang_getCursorUSR(definition), table->arena);
    for (size_t i = 0; i < table->functions.count; i++)
        if (strcmp(table->functions.items[i]->usr, usr) == 0)
            return table->functions.items[i];
    rk_function_use *use = RK_NEW(table->arena, rk_function_use);
    use->usr = usr;
    *rk_push(table->arena, &table->functions) = use;
    analyse(table, use, definition, body);
    return use;
}
