#include "base/str.h"
#include "base/vec.h"
#include "convert/launches/harvest_internal.h"

#include <string.h>

/** Helpers nested deeper than this are not followed. */
enum { MAX_HELPER_DEPTH = 16 };

/** Folds what the compiler can. */
static bool constant(rk_hv *out, rk_arena *arena, CXCursor expr)
{
    rk_ctype type = rk_h_ctype(clang_getCursorType(expr));
    bool number = type.kind != RK_CTYPE_POINTER && type.kind != RK_CTYPE_OTHER;
    CXEvalResult result = number ? clang_Cursor_Evaluate(expr) : NULL;
    if (!result)
        return false;
    CXEvalResultKind kind = clang_EvalResult_getKind(result);
    bool folded = true;
    if (kind == CXEval_Int && type.kind != RK_CTYPE_REAL) {
        long long value = clang_EvalResult_getAsLongLong(result);
        bool beyond = type.bytes == 8 && !type.is_signed && value < 0;
        *out = beyond ? rk_hv_unknown(arena, "a constant is beyond 63 bits")
                      : rk_hv_scalar(rk_cexpr_int(arena, value, type));
    } else if (kind == CXEval_Float && type.kind == RK_CTYPE_REAL) {
        *out = rk_hv_scalar(rk_cexpr_real(arena, clang_EvalResult_getAsDouble(result), type));
    } else {
        folded = false;
    }
    clang_EvalResult_dispose(result);
    return folded;
}

static rk_hv function_value(CXCursor expr)
{
    return (rk_hv){.kind = RK_HV_FUNCTION, .cursor = expr};
}

static const rk_henv *globals_of(const rk_henv *env)
{
    return env ? env->globals : NULL;
}

/** The rk_cuda_is bits of a class or an enumeration of the toolkit. */
static unsigned is_of(CXType type)
{
    CXString name = clang_getCursorSpelling(clang_getTypeDeclaration(rk_h_plain_type(type)));
    const unsigned is = rk_cuda_find(RK_IN_TYPES, clang_getCString(name))->is;
    clang_disposeString(name);
    return is;
}

bool rk_h_is_dim3(CXType type)
{
    return (is_of(type) & RK_IS_DIMENSIONS) != 0;
}

/** Whether a value of the type can be an input: a number, a pointer, an object whose type is known. */
static bool can_be_input(CXType type)
{
    return rk_h_ctype(type).kind != RK_CTYPE_OTHER || rk_h_plain_type(type).kind == CXType_Record;
}

/** A variable outside of the function, as an input. */
static rk_hv outer_variable(rk_hrun *run, const rk_henv *env, CXCursor decl, CXCursor at)
{
    rk_arena *arena = run->arena;
    CXType type = clang_getCursorType(decl);
    const char *name = rk_ast_name(decl, arena);
    if (!run->inputs)
        return rk_hv_unknown(arena, "'%s' is a variable outside of the function", name);
    if (!can_be_input(type))
        return rk_hv_unknown(arena, "the type of '%s' is not known", name);
    const rk_input_kind kind = is_of(type) & RK_IS_PROPERTIES ? RK_INPUT_DEVICE : RK_INPUT_GLOBAL;
    const char *key = rk_ast_text(clang_getCursorUSR(decl), arena);
    return rk_hv_of_input(arena, rk_hinput_of(run, kind, at, name, key, globals_of(env)), name,
                          type);
}

static bool is_number(CXType type)
{
    rk_ctype t = rk_h_ctype(type);
    return t.kind != RK_CTYPE_OTHER && t.kind != RK_CTYPE_POINTER;
}

/** A constant array of functions, or of structs. */
static bool is_constant_list(CXType type)
{
    CXType element = rk_h_element_type(type);
    return (rk_h_is_function_pointer(element) || element.kind == CXType_Record) &&
           clang_isConstQualifiedType(clang_getCanonicalType(type)); /* of the elements, that is */
}

/** What a variable, or a member of one, is called. */
static const char *lvalue_name(rk_arena *arena, CXCursor expr)
{
    const CXCursor e = rk_h_unwrap(arena, expr);
    const rk_cursors c = rk_ast_children(e, arena);
    const char *name = rk_ast_name(e, arena);
    return clang_getCursorKind(e) == CXCursor_MemberRefExpr && c.count > 0
               ? rk_arena_printf(arena, "%s.%s", lvalue_name(arena, c.items[0]), name)
           : clang_getCursorKind(e) == CXCursor_DeclRefExpr ? name
                                                            : rk_h_source(arena, expr);
}

/** Tells what is read of a variable, and where: another way through the function may not come there. */
static const char *key_at(rk_arena *arena, CXCursor expr, const char *name)
{
    unsigned line;
    clang_getExpansionLocation(clang_getCursorLocation(expr), NULL, &line, NULL, NULL);
    return rk_arena_printf(arena, "%s:%u", name, line);
}

/**
 * A variable, or a member of one, that no expression says is an input by what the source calls it. Not in a helper,
 * whose call is one, and not in a lambda before it is called.
 */
static rk_hv open_value(rk_hrun *run, const rk_henv *env, CXCursor expr, rk_hv value)
{
    CXCursor root;
    CXType type = clang_getCursorType(expr);
    if (value.kind != RK_HV_UNKNOWN || !run->inputs || run->helper || run->uncalled ||
        rk_h_ctype(type).kind == RK_CTYPE_POINTER || !can_be_input(type) ||
        !rk_h_root(&root, run->arena, expr))
        return value;
    const rk_henv *entry = rk_henv_find(env, root);
    const char *of = lvalue_name(run->arena, expr);
    const char *key = key_at(run->arena, expr, of);
    rk_cexpr_input *input = entry && !entry->escaped
                                ? rk_hinput_of(run, RK_INPUT_OPEN, expr, of, key, entry)
                                : rk_hinput_new(run, RK_INPUT_OPEN, expr, of);
    input->why = value.reason;
    return rk_hv_of_input(run->arena, input, of, type);
}

static rk_hv variable(rk_hrun *run, const rk_henv *env, CXCursor decl, CXCursor at)
{
    const rk_henv *entry = rk_henv_find(env, decl);
    if (entry)
        return open_value(run, env, at, entry->value);
    CXCursor definition = clang_getCursorDefinition(decl);
    CXCursor init =
        clang_Cursor_getVarDeclInitializer(clang_Cursor_isNull(definition) ? decl : definition);
    CXType type = clang_getCursorType(decl);
    bool initialised = !clang_Cursor_isNull(init) && rk_h_is_global(decl);
    bool constant = clang_isConstQualifiedType(type) || is_constant_list(type);
    bool plain = rk_h_is_dim3(type) || rk_h_is_function_pointer(type) || is_number(type);
    rk_hv value = {.kind = RK_HV_UNKNOWN};
    if (!clang_Cursor_isNull(init) &&
        (constant || (plain && initialised && rk_h_never_changes(run, decl))))
        value = rk_hv_convert(run->arena, rk_h_eval(run, NULL, init), type);
    return value.kind != RK_HV_UNKNOWN ? value : outer_variable(run, env, decl, at);
}

/** What depends on a template parameter of a launcher that no instance is known of. */
static rk_hv template_value(rk_hrun *run, CXCursor expr, const char *name)
{
    CXType type = clang_getCursorType(expr);
    if (!run->inputs || rk_h_ctype(type).kind == RK_CTYPE_OTHER)
        return rk_hv_unknown(run->arena, "it depends on the template parameter '%s'", name);
    const char *of = rk_h_source(run->arena, expr);
    rk_cexpr_input *input = rk_hinput_of(run, RK_INPUT_TEMPLATE, expr, of, of, NULL);
    return rk_hv_of_input(run->arena, input, of, type);
}

static rk_hv reference(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_cursors c = rk_ast_children(expr, run->arena);
    CXCursor decl = clang_getCursorReferenced(expr);
    switch (clang_getCursorKind(decl)) {
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl:
        return variable(run, env, decl, expr);
    case CXCursor_EnumConstantDecl:
        return rk_hv_scalar(rk_cexpr_int(run->arena, clang_getEnumConstantDeclValue(decl),
                                         rk_h_ctype(clang_getCursorType(expr))));
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_OverloadedDeclRef:
        return function_value(expr);
    case CXCursor_NonTypeTemplateParameter:
        return template_value(run, expr, rk_ast_name(decl, run->arena));
    default:
        break;
    }
    if (c.count == 1) /* a template parameter, replaced by its argument */
        return rk_h_eval(run, env, c.items[0]);
    return rk_hv_unknown(run->arena, "'%s' is not followed", rk_ast_name(expr, run->arena));
}

/** A value that is read through a pointer or from an array. */
static rk_hv memory_value(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_arena *arena = run->arena;
    CXType type = clang_getCursorType(expr);
    if (!run->inputs || !can_be_input(type))
        return rk_hv_unknown(arena, "'%s' is read from memory", rk_h_source(arena, expr));
    const char *of = rk_h_source(arena, expr);
    rk_cexpr_input *input =
        rk_hinput_of(run, RK_INPUT_MEMORY, expr, of, of, env ? env->memory : NULL);
    return rk_hv_of_input(arena, input, of, type);
}

/** An element of a list of functions, or of structs; anything else is read from memory. */
static rk_hv subscript(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_arena *arena = run->arena;
    rk_cursors c = rk_ast_children(expr, arena);
    CXType type = clang_getCursorType(expr);
    rk_hv element;
    if (rk_h_pointer_element(&element, run, env, expr))
        return element;
    if (c.count != 2 ||
        !(rk_h_is_function_pointer(type) || rk_h_plain_type(type).kind == CXType_Record))
        return memory_value(run, env, expr);
    rk_hv list = rk_h_eval(run, env, c.items[0]), index = rk_h_eval(run, env, c.items[1]);
    if (list.kind != RK_HV_ARRAY || index.kind != RK_HV_SCALAR)
        return memory_value(run, env, expr);
    rk_hv value = {.kind = RK_HV_POINTER, .sym = rk_cexpr_int(arena, 0, rk_ctype_int)};
    if (list.fields && list.fields->value.kind == RK_HV_STRUCT)
        value = list.fields->value;
    int64_t i = 0;
    for (const rk_hv_field *f = list.fields; f; f = f->next, i++) {
        rk_hv equal =
            rk_h_binary(arena, "==", index, rk_hv_scalar(rk_cexpr_int(arena, i, rk_ctype_int)));
        if (equal.kind != RK_HV_SCALAR ||
            (f->value.kind != RK_HV_FUNCTION && f->value.kind != RK_HV_STRUCT))
            return memory_value(run, env, expr);
        value = rk_hv_choice(arena, equal.sym, f->value, value);
    }
    return value;
}

/** A member of the object whose method this is. */
static rk_hv own_member(rk_hrun *run, const rk_henv *env, CXCursor expr, CXCursor decl)
{
    rk_arena *arena = run->arena;
    CXType type = clang_getCursorType(expr);
    const char *name = rk_arena_printf(arena, "this->%s", rk_ast_name(expr, arena));
    const rk_henv *entry = rk_henv_find(env, decl);
    if (entry)
        return open_value(run, env, expr, entry->value);
    if (run->making || !run->inputs || !can_be_input(type))
        return rk_hv_unknown(arena, "'%s' is a member of the object", name);
    const char *key = rk_ast_text(clang_getCursorUSR(decl), arena);
    rk_cexpr_input *input =
        rk_hinput_of(run, RK_INPUT_MEMBER, expr, name, *key ? key : name, globals_of(env));
    return rk_hv_of_input(arena, input, name, type);
}

static rk_hv member(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_arena *arena = run->arena;
    CXCursor decl = clang_getCursorReferenced(expr);
    const char *name = rk_ast_name(expr, arena);
    if (clang_getCursorKind(decl) == CXCursor_VarDecl)
        return variable(run, env, decl, expr);
    rk_cursors c = rk_ast_children(expr, arena);
    if (c.count == 0 || clang_getCursorKind(c.items[0]) == CXCursor_CXXThisExpr)
        return own_member(run, env, expr, decl);
    if (rk_h_ctype(clang_getCursorType(c.items[0])).kind == RK_CTYPE_POINTER)
        return memory_value(run, env, expr);
    rk_hv object = rk_h_eval(run, env, c.items[0]);
    return open_value(run, env, expr,
                      rk_hv_field_of(arena, object, name, clang_getCursorType(expr)));
}

static bool is_operand(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return clang_isExpression(kind) || kind == CXCursor_UnexposedStmt;
}

/** The last child that is an expression: a cast's operand. */
static bool operand_of(CXCursor *out, rk_arena *arena, CXCursor expr)
{
    rk_cursors c = rk_ast_children(expr, arena);
    for (size_t i = c.count; i-- > 0;) {
        if (is_operand(c.items[i])) {
            *out = c.items[i];
            return true;
        }
    }
    return false;
}

static rk_hv construct_dim3(rk_hrun *run, const rk_henv *env, const CXCursor *args, size_t count)
{
    const rk_cexpr *values[3] = {NULL, NULL, NULL};
    for (size_t i = 0; i < count; i++) {
        rk_hv value = rk_h_eval(run, env, args[i]);
        if (count == 1 && (value.kind == RK_HV_STRUCT || value.kind == RK_HV_OBJECT))
            return value;
        if (value.kind == RK_HV_UNKNOWN)
            return value;
        if (value.kind != RK_HV_SCALAR || i >= 3)
            return rk_hv_unknown(run->arena, "a dim3 is made in a way that is not followed");
        values[i] = value.sym;
    }
    return rk_hv_dim3(run->arena, values[0], values[1], values[2]);
}

typedef struct {
    rk_arena *arena;
    RK_VEC(CXCursor) fields;
    bool plain; /**< no base classes, no constructors */
} record_fields;

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
    record_fields *r = data;
    *rk_push(r->arena, &r->fields) = field;
    return CXVisit_Continue;
}

static enum CXChildVisitResult find_constructor(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(c);
    if (kind == CXCursor_Constructor || kind == CXCursor_CXXBaseSpecifier)
        ((record_fields *)data)->plain = false;
    return CXChildVisit_Continue;
}

/** A braced list for a struct that has nothing but fields. */
static rk_hv construct_fields(rk_hrun *run, const rk_henv *env, const CXCursor *args, size_t count,
                              CXType type)
{
    CXType t = rk_h_plain_type(type);
    record_fields r = {.arena = run->arena, .plain = t.kind == CXType_Record};
    if (r.plain) {
        clang_visitChildren(clang_getTypeDeclaration(t), find_constructor, &r);
        clang_Type_visitFields(t, add_field, &r);
    }
    if (!r.plain || count > r.fields.count)
        return rk_hv_unknown(run->arena, "an object is made in a way that is not followed");
    rk_hv_field *fields = RK_NEW_ARRAY(run->arena, rk_hv_field, r.fields.count + 1);
    for (size_t i = 0; i < r.fields.count; i++) {
        CXType field_type = clang_getCursorType(r.fields.items[i]);
        rk_hv zero = rk_h_is_dim3(field_type)
                         ? rk_hv_dim3(run->arena, NULL, NULL, NULL)
                         : rk_hv_scalar(rk_cexpr_int(run->arena, 0, rk_ctype_int));
        fields[i].name = rk_ast_name(r.fields.items[i], run->arena);
        CXCursor init;
        const bool own = rk_h_field_initialiser(&init, run->arena, r.fields.items[i]);
        const bool given = i < count && (!own || rk_ast_children(args[i], run->arena).count > 0 ||
                                         clang_getCursorKind(args[i]) != CXCursor_UnexposedExpr);
        rk_hv value = given ? rk_h_eval(run, env, args[i])
                      : own ? rk_h_eval(run, NULL, init)
                            : zero;
        fields[i].value = rk_hv_convert(run->arena, value, field_type);
        fields[i].next = i + 1 < r.fields.count ? &fields[i + 1] : NULL;
    }
    return (rk_hv){.kind = RK_HV_STRUCT, .fields = r.fields.count ? fields : NULL};
}

static rk_hv construct_array(rk_hrun *run, const rk_henv *env, CXCursor list, const CXCursor *args,
                             size_t count)
{
    rk_hv_field *fields = RK_NEW_ARRAY(run->arena, rk_hv_field, count + 1);
    for (size_t i = 0; i < count; i++) {
        CXCursor e = rk_h_unwrap(run->arena, args[i]);
        while (clang_getCursorKind(e) == CXCursor_CStyleCastExpr && operand_of(&e, run->arena, e))
            e = rk_h_unwrap(run->arena, e);
        rk_cursors c = rk_ast_children(e, run->arena);
        bool address =
            clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf && c.count == 1;
        fields[i].name = "";
        rk_hv value = rk_h_eval(run, env, address ? c.items[0] : e);
        fields[i].value = address || value.kind == RK_HV_FUNCTION || value.kind == RK_HV_STRUCT
                              ? value
                              : rk_hv_unknown(run->arena, "an element is no variable's address");
        fields[i].next = i + 1 < count ? &fields[i + 1] : NULL;
    }
    return (rk_hv){.kind = RK_HV_ARRAY, .fields = count ? fields : NULL, .cursor = list};
}

static rk_hv construct_pointers(rk_hrun *run, const rk_henv *env, const CXCursor *args,
                                size_t count, CXType type)
{
    const rk_hv null = {.kind = RK_HV_POINTER, .sym = rk_cexpr_int(run->arena, 0, rk_ctype_int)};
    rk_hv *values = RK_NEW_ARRAY(run->arena, rk_hv, count + 1);
    for (size_t i = 0; i < count; i++)
        values[i] = rk_h_eval(run, env, args[i]);
    return rk_h_pointer_array(run->arena, type, values, count, null);
}

static rk_hv expand_field(rk_arena *arena, rk_hv value, CXCursor field, const char *missing)
{
    CXType type = clang_getCursorType(field);
    const char *name = rk_ast_name(field, arena);
    bool cpp = clang_getCursorLanguage(field) == CXLanguage_CPlusPlus;
    if (missing && rk_h_is_dim3(type) && cpp)
        return rk_hv_dim3(arena, NULL, NULL, NULL);
    if (missing || value.kind == RK_HV_UNKNOWN)
        return rk_h_expand(arena, rk_hv_unknown(arena, "%s", missing ? missing : value.reason),
                           type, missing);
    return rk_hv_field_of(arena, value, name, type);
}

rk_hv rk_h_expand(rk_arena *arena, rk_hv value, CXType type, const char *missing)
{
    CXType t = rk_h_plain_type(type);
    record_fields r = {.arena = arena, .plain = t.kind == CXType_Record};
    if (value.kind == RK_HV_UNKNOWN && rk_h_is_pointer_array(t))
        return rk_h_pointer_array(arena, t, NULL, 0, value);
    if (value.kind == RK_HV_STRUCT || !r.plain)
        return value;
    clang_Type_visitFields(t, add_field, &r);
    if (r.fields.count == 0)
        return value;
    rk_hv_field *fields = RK_NEW_ARRAY(arena, rk_hv_field, r.fields.count);
    for (size_t i = 0; i < r.fields.count; i++) {
        fields[i].name = rk_ast_name(r.fields.items[i], arena);
        fields[i].value = expand_field(arena, value, r.fields.items[i], missing);
        fields[i].next = i + 1 < r.fields.count ? &fields[i + 1] : NULL;
    }
    return (rk_hv){.kind = RK_HV_STRUCT, .fields = fields};
}

rk_hv rk_h_construct(rk_hrun *run, const rk_henv *env, CXCursor expr, CXType type)
{
    rk_cursors c = rk_ast_children(expr, run->arena);
    CXCursor *args = RK_NEW_ARRAY(run->arena, CXCursor, c.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < c.count; i++)
        if (is_operand(c.items[i]))
            args[count++] = c.items[i];
    if (rk_h_is_dim3(type))
        return construct_dim3(run, env, args, count);
    if (clang_getCursorKind(expr) != CXCursor_InitListExpr) {
        const CXCursor made = clang_getCursorReferenced(expr);
        const bool own = clang_getCursorKind(made) == CXCursor_Constructor;
        const bool copies = clang_CXXConstructor_isCopyConstructor(made) ||
                            clang_CXXConstructor_isMoveConstructor(made);
        rk_hv only = count == 1 ? rk_h_eval(run, env, args[0]) : (rk_hv){.kind = RK_HV_UNKNOWN};
        bool copied = only.kind == RK_HV_STRUCT || only.kind == RK_HV_OBJECT ||
                      only.kind == RK_HV_LAMBDA; /* a copy */
        if (copied && (!own || copies || only.kind == RK_HV_LAMBDA))
            return only;
        return own ? rk_h_made_object(run, env, made, args, count, type)
                   : rk_hv_unknown(run->arena, "a constructor is not followed");
    }
    rk_ctype t = rk_h_ctype(type);
    if (rk_h_is_pointer_array(type))
        return construct_pointers(run, env, args, count, type);
    if (t.kind == RK_CTYPE_POINTER)
        return construct_array(run, env, expr, args, count);
    if (t.kind == RK_CTYPE_OTHER)
        return construct_fields(run, env, args, count, type);
    if (count == 0)
        return rk_hv_convert(run->arena, rk_hv_scalar(rk_cexpr_int(run->arena, 0, rk_ctype_int)),
                             type);
    return rk_hv_convert(run->arena, rk_h_eval(run, env, args[0]), type);
}

static rk_hv address_of(rk_hrun *run, const rk_henv *env, CXCursor operand)
{
    CXCursor e = rk_h_unwrap(run->arena, operand);
    rk_cursors c = rk_ast_children(e, run->arena);
    if (clang_getCursorKind(e) == CXCursor_ArraySubscriptExpr && c.count == 2)
        return rk_h_binary(run->arena, "+", rk_h_eval(run, env, c.items[0]),
                           rk_h_eval(run, env, c.items[1]));
    if (clang_getCursorKind(e) == CXCursor_DeclRefExpr) {
        rk_hv value = reference(run, env, e);
        if (value.kind == RK_HV_FUNCTION)
            return value;
    }
    return rk_hv_unknown(run->arena, "the address of a variable");
}

static rk_hv unary(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_arena *arena = run->arena;
    rk_cursors c = rk_ast_children(expr, arena);
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(expr);
    if (c.count != 1)
        return rk_hv_unknown(arena, "an operator that is not followed");
    if (kind == CXUnaryOperator_AddrOf)
        return address_of(run, env, c.items[0]);
    rk_hv value = rk_h_eval(run, env, c.items[0]);
    if (kind == CXUnaryOperator_Deref)
        return value.kind == RK_HV_FUNCTION || value.kind == RK_HV_CASES
                   ? value
                   : memory_value(run, env, expr);
    char op = kind == CXUnaryOperator_Plus    ? '+'
              : kind == CXUnaryOperator_Minus ? '-'
              : kind == CXUnaryOperator_LNot  ? '!'
              : kind == CXUnaryOperator_Not   ? '~'
                                              : '\0';
    if (value.kind == RK_HV_UNKNOWN)
        return value;
    if (value.kind != RK_HV_SCALAR || op == '\0')
        return rk_hv_unknown(arena, "an operator whose effect is not followed here");
    const rk_cexpr *result = rk_cexpr_unary(arena, op, value.sym);
    return result ? rk_hv_scalar(result) : rk_hv_unknown(arena, "the operator '%c'", op);
}

static rk_hv binary(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_arena *arena = run->arena;
    rk_cursors c = rk_ast_children(expr, arena);
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(expr);
    if (c.count != 2 || kind > CXBinaryOperator_Assign)
        return kind == CXBinaryOperator_Comma && c.count == 2
                   ? rk_h_eval(run, env, c.items[1])
                   : rk_hv_unknown(arena, "an assignment inside an expression");
    if (kind == CXBinaryOperator_Assign)
        return rk_hv_convert(arena, rk_h_eval(run, env, c.items[1]), clang_getCursorType(expr));
    const char *op = rk_ast_text(clang_getBinaryOperatorKindSpelling(kind), arena);
    rk_hv a = rk_h_eval(run, env, c.items[0]);
    bool logical = kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr;
    if (logical && a.kind == RK_HV_SCALAR && a.sym->kind == RK_CEXPR_INT &&
        (a.sym->i != 0) == (kind == CXBinaryOperator_LOr))
        return rk_hv_scalar(rk_cexpr_convert(arena, a.sym, rk_ctype_bool));
    return rk_h_binary(arena, op, a, rk_h_eval(run, env, c.items[1]));
}

static rk_hv conditional(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_cursors c = rk_ast_children(expr, run->arena);
    if (c.count != 3)
        return rk_hv_unknown(run->arena, "a conditional that is not followed");
    rk_hv condition =
        rk_hv_convert(run->arena, rk_h_eval(run, env, c.items[0]), clang_getCursorType(c.items[0]));
    if (condition.kind == RK_HV_UNKNOWN)
        return condition;
    if (condition.kind != RK_HV_SCALAR)
        return rk_hv_unknown(run->arena, "a condition on a pointer or an object");
    const rk_cexpr *test = rk_cexpr_convert(run->arena, condition.sym, rk_ctype_bool);
    rk_hv a = rk_h_eval(run, env, c.items[1]), b = rk_h_eval(run, env, c.items[2]);
    CXType type = clang_getCursorType(expr);
    if (rk_h_ctype(type).kind == RK_CTYPE_OTHER && a.kind == RK_HV_SCALAR)
        return rk_hv_unknown(run->arena, "the type of a conditional is not known");
    return rk_hv_choice(run->arena, test, rk_hv_convert(run->arena, a, type),
                        rk_hv_convert(run->arena, b, type));
}

/** A call of a library function that rk_expr knows; false when it is none. */
static bool library_call(rk_hv *out, rk_arena *arena, CXCursor function, CXType result,
                         const rk_hv *args, size_t count)
{
    rk_ctype type = rk_h_ctype(result);
    if (!clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
        return false;
    const rk_cuda_name *row = rk_cuda_find(RK_IN_PLAIN, rk_ast_name(function, arena));
    if (!row->expr || (size_t)row->expr_args != count)
        return false;
    for (size_t j = 0; j < count; j++)
        if (args[j].kind != RK_HV_SCALAR)
            return false;
    if (type.kind == RK_CTYPE_REAL && type.bytes == 4 && !row->expr_exact)
        return false;
    const rk_cexpr *a = rk_cexpr_convert(arena, args[0].sym, type);
    const rk_cexpr *b = count == 2 ? rk_cexpr_convert(arena, args[1].sym, type) : NULL;
    rk_ctype wide = type.kind == RK_CTYPE_REAL ? (rk_ctype){RK_CTYPE_REAL, 8, true} : type;
    const rk_cexpr *call = rk_cexpr_call(arena, row->expr, a, b, wide);
    *out = rk_hv_scalar(rk_cexpr_convert(arena, call, type));
    return true;
}

static CXCursor definition_of(CXCursor function)
{
    CXCursor definition = clang_getCursorDefinition(function);
    return clang_Cursor_isNull(definition) ? function : definition;
}

/** What a call gives that is not followed, as an input. */
static rk_hv call_result(rk_hrun *run, CXCursor expr)
{
    rk_arena *arena = run->arena;
    CXType type = clang_getCursorType(expr);
    const char *name = rk_ast_name(expr, arena);
    if (!*name || !run->inputs || !can_be_input(type))
        return rk_hv_unknown(arena, "it is the result of a call of '%s'", *name ? name : "?");
    rk_cexpr_input *input = rk_hinput_new(run, RK_INPUT_CALL, expr, rk_h_source(arena, expr));
    return rk_hv_of_input(arena, input, name, type);
}

static rk_hv call(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_arena *arena = run->arena;
    CXType type = clang_getCursorType(expr);
    CXCursor function = clang_getCursorReferenced(expr);
    enum CXCursorKind kind = clang_getCursorKind(function);
    bool unnamed = kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod;
    if (kind == CXCursor_Constructor || (rk_h_is_dim3(type) && unnamed))
        return rk_h_construct(run, env, expr, type);
    for (const rk_hresult *r = run->results; r; r = r->next)
        if (rk_h_same_expression(r->call, expr))
            return r->value;
    if (is_of(type) & RK_IS_STATUS)
        return rk_hv_scalar(rk_cexpr_status(arena));
    const char *name = rk_ast_name(expr, arena);
    if (kind != CXCursor_FunctionDecl)
        return call_result(run, expr);
    rk_cursors c = rk_ast_children(expr, arena);
    size_t count = c.count > 0 ? c.count - 1 : 0;
    rk_hv *args = RK_NEW_ARRAY(arena, rk_hv, count + 1);
    for (size_t i = 0; i < count; i++)
        args[i] = rk_h_eval(run, env, c.items[i + 1]);
    rk_hv value;
    if (library_call(&value, arena, function, type, args, count))
        return value;
    if (run->depth >= MAX_HELPER_DEPTH)
        return rk_hv_unknown(arena, "'%s' calls itself", name);
    value = rk_h_call_value(run, env, definition_of(function), args, count);
    return value.kind == RK_HV_UNKNOWN && run->inputs ? call_result(run, expr)
                                                      : rk_hv_convert(arena, value, type);
}

/** An expression that stands for its one operand, converted to its type. */
static rk_hv wrapped(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    CXCursor operand;
    CXType type = clang_getCursorType(expr);
    if (!operand_of(&operand, run->arena, expr))
        return rk_hv_unknown(run->arena, "an expression that is not followed");
    if (rk_h_is_dim3(type) && clang_getCursorKind(expr) != CXCursor_UnexposedExpr &&
        clang_getCursorKind(expr) != CXCursor_ParenExpr)
        return rk_h_construct(run, env, expr, type);
    rk_hv value = rk_h_eval(run, env, operand);
    if (value.kind == RK_HV_FUNCTION || value.kind == RK_HV_CASES || value.kind == RK_HV_LAMBDA)
        return value;
    rk_ctype t = rk_h_ctype(type);
    if (t.kind == RK_CTYPE_OTHER && value.kind == RK_HV_SCALAR)
        return rk_hv_unknown(run->arena, "a type is not known here");
    return rk_hv_convert(run->arena, value, type);
}

rk_hv rk_h_eval(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_hv value;
    if (constant(&value, run->arena, expr))
        return value;
    switch (clang_getCursorKind(expr)) {
    case CXCursor_DeclRefExpr:
        return reference(run, env, expr);
    case CXCursor_MemberRefExpr:
        return member(run, env, expr);
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        return wrapped(run, env, expr);
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_GNUNullExpr:
        return (rk_hv){.kind = RK_HV_POINTER, .sym = rk_cexpr_int(run->arena, 0, rk_ctype_int)};
    case CXCursor_UnaryOperator:
        return unary(run, env, expr);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return binary(run, env, expr);
    case CXCursor_ConditionalOperator:
        return conditional(run, env, expr);
    case CXCursor_CallExpr:
        return call(run, env, expr);
    case CXCursor_InitListExpr:
        return rk_h_construct(run, env, expr, clang_getCursorType(expr));
    case CXCursor_ArraySubscriptExpr:
        return subscript(run, env, expr);
    case CXCursor_LambdaExpr:
        return (rk_hv){.kind = RK_HV_LAMBDA, .cursor = expr, .made = env};
    case CXCursor_UnaryExpr:
        return template_value(run, expr, rk_h_source(run->arena, expr));
    default:
        break;
    }
    return rk_hv_unknown(run->arena, "an expression of a kind that is not followed");
}

/** Whether a condition only says that an earlier return was not taken. */
static bool is_implied(rk_arena *arena, const rk_hreturn *earlier, const rk_hpath *conjunct)
{
    for (; earlier; earlier = earlier->next)
        if (earlier->path && earlier->path->next == conjunct->next &&
            rk_cexpr_equal(rk_cexpr_negate(arena, earlier->path->condition), conjunct->condition))
            return true;
    return false;
}

/** The condition of a return, given that none before it was taken. */
static const rk_cexpr *return_condition(rk_arena *arena, const rk_hreturn *r)
{
    const rk_cexpr *when = rk_cexpr_int(arena, 1, rk_ctype_bool);
    for (const rk_hpath *p = r->path; p; p = p->next)
        if (!is_implied(arena, r->next, p))
            when = rk_cexpr_binary(arena, "&&", p->condition, when);
    return when;
}

rk_hv rk_h_returned(rk_hrun *run, const rk_hstate *end, const char *name)
{
    if (!run->returns || run->lost || !end->ended || end->partial)
        return rk_hv_unknown(run->arena, "the result of '%s' is not followed", name);
    rk_hv value = run->returns->value;
    for (const rk_hreturn *r = run->returns->next; r; r = r->next)
        value = rk_hv_choice(run->arena, return_condition(run->arena, r), r->value, value);
    return value;
}

rk_hv rk_h_call_value(rk_hrun *run, const rk_henv *env, CXCursor function, const rk_hv *args,
                      size_t count)
{
    rk_arena *arena = run->arena;
    const char *name = rk_ast_name(function, arena);
    rk_cursors c = rk_ast_children(function, arena);
    bool body = c.count > 0 && clang_getCursorKind(c.items[c.count - 1]) == CXCursor_CompoundStmt;
    if (!body)
        return rk_hv_unknown(arena, "it is the result of '%s', whose body is not here", name);
    rk_hstate state = {.env = env};
    size_t n = 0;
    for (size_t i = 0; i < c.count; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_ParmDecl || n >= count)
            continue;
        CXType type = clang_getCursorType(c.items[i]);
        state.env =
            rk_henv_set(arena, state.env, c.items[i], rk_hv_convert(arena, args[n++], type));
    }
    rk_hrun inner = {.arena = arena, .helper = true, .depth = run->depth + 1};
    inner.inputs = run->inputs;
    inner.root = RK_NEW(arena, char);
    state = rk_h_run(&inner, c.items[c.count - 1], state);
    return rk_h_returned(&inner, &state, name);
}
