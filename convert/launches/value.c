#include "base/str.h"
#include "base/vec.h"
#include "convert/clang/ast.h"
#include "convert/launches/harvest_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

CXCursor rk_h_definition(const rk_hrun *run, CXCursor function)
{
    const CXCursor own = clang_getCursorDefinition(function);
    return clang_Cursor_isNull(own) && run->defined ? run->defined(run, function) : own;
}

/** Whether two units declare one variable with these. */
static bool same_in_units(CXCursor a, CXCursor b)
{
    if (clang_Cursor_getTranslationUnit(a) == clang_Cursor_getTranslationUnit(b) ||
        clang_getCursorLinkage(a) != CXLinkage_External ||
        clang_getCursorLinkage(b) != CXLinkage_External)
        return false;
    CXString x = clang_getCursorUSR(a), y = clang_getCursorUSR(b);
    const bool same = strcmp(clang_getCString(x), clang_getCString(y)) == 0;
    clang_disposeString(x);
    clang_disposeString(y);
    return same;
}

bool rk_h_same(CXCursor a, CXCursor b)
{
    return clang_equalCursors(a, b) ||
           clang_equalCursors(clang_getCanonicalCursor(a), clang_getCanonicalCursor(b)) ||
           same_in_units(a, b);
}

bool rk_h_same_expression(CXCursor a, CXCursor b)
{
    return a.kind == b.kind && a.data[1] == b.data[1];
}

rk_hv rk_hv_unknown(rk_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *reason = rk_arena_vprintf(arena, format, args);
    va_end(args);
    return (rk_hv){.kind = RK_HV_UNKNOWN, .reason = reason};
}

rk_hv rk_hv_scalar(const rk_cexpr *sym)
{
    return (rk_hv){.kind = RK_HV_SCALAR, .sym = sym};
}

rk_hv rk_hv_dim3(rk_arena *arena, const rk_cexpr *x, const rk_cexpr *y, const rk_cexpr *z)
{
    static const char *const names[] = {"x", "y", "z"};
    const rk_cexpr *values[] = {x, y, z};
    rk_hv_field *fields = RK_NEW_ARRAY(arena, rk_hv_field, 3);
    for (int i = 0; i < 3; i++) {
        const rk_cexpr *value = values[i] ? values[i] : rk_cexpr_int(arena, 1, rk_ctype_unsigned);
        fields[i].name = names[i];
        fields[i].value = rk_hv_scalar(rk_cexpr_convert(arena, value, rk_ctype_unsigned));
        fields[i].next = i < 2 ? &fields[i + 1] : NULL;
    }
    return (rk_hv){.kind = RK_HV_STRUCT, .fields = fields};
}

CXType rk_h_plain_type(CXType type)
{
    if (type.kind == CXType_Invalid)
        return type; /* libclang dereferences it */
    return clang_getCanonicalType(clang_getNonReferenceType(type));
}

CXType rk_h_element_type(CXType type)
{
    return clang_getCanonicalType(clang_getArrayElementType(rk_h_plain_type(type)));
}

bool rk_h_is_function_pointer(CXType type)
{
    CXType t = rk_h_plain_type(type);
    if (t.kind != CXType_Pointer)
        return false;
    enum CXTypeKind kind = clang_getCanonicalType(clang_getPointeeType(t)).kind;
    return kind == CXType_FunctionProto || kind == CXType_FunctionNoProto;
}

/** The canonical type without references; an enumeration's underlying type. */
static CXType resolve(CXType type)
{
    CXType t = rk_h_plain_type(type);
    if (t.kind == CXType_Enum)
        t = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(t)));
    return t;
}

static rk_ctype scalar_type(CXType t)
{
    bool is_signed = false;
    switch (t.kind) {
    case CXType_Bool:
        return rk_ctype_bool;
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
    case CXType_WChar:
        is_signed = true;
        break;
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
    case CXType_Char16:
    case CXType_Char32:
        break;
    case CXType_Float:
        return (rk_ctype){RK_CTYPE_REAL, 4, true};
    case CXType_Double:
        return (rk_ctype){RK_CTYPE_REAL, 8, true};
    case CXType_Pointer:
    case CXType_NullPtr:
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
        return (rk_ctype){RK_CTYPE_POINTER, 8, false};
    default:
        return (rk_ctype){RK_CTYPE_OTHER, 0, false};
    }
    return (rk_ctype){RK_CTYPE_INT, (int)rk_ast_size_of(t), is_signed};
}

rk_ctype rk_h_ctype(CXType type)
{
    return scalar_type(resolve(type));
}

/** Bytes of what a pointer or array type points to; 0 when that is not known. */
static int64_t element_size(CXType type)
{
    CXType t = resolve(type);
    CXType element =
        t.kind == CXType_Pointer ? clang_getPointeeType(t) : clang_getArrayElementType(t);
    long long size = rk_ast_size_of(element);
    return size > 0 ? size : 0;
}

rk_hv rk_hv_of_input(rk_arena *arena, const rk_cexpr_input *input, const char *name, CXType type)
{
    rk_ctype t = rk_h_ctype(type);
    if (t.kind == RK_CTYPE_OTHER)
        return (rk_hv){.kind = RK_HV_OBJECT, .name = name, .input = input};
    if (t.kind != RK_CTYPE_POINTER)
        return rk_hv_scalar(rk_cexpr_name(arena, input, name, t));
    rk_hv pointer = {.kind = RK_HV_POINTER, .name = name, .input = input};
    pointer.element = element_size(type);
    pointer.sym = rk_cexpr_int(arena, 0, (rk_ctype){RK_CTYPE_INT, 8, true});
    return pointer;
}

rk_hv rk_hv_of_name(rk_arena *arena, const char *name, CXType type)
{
    return rk_hv_of_input(arena, NULL, name, type);
}

rk_hv rk_hv_field_of(rk_arena *arena, rk_hv value, const char *name, CXType type)
{
    if (value.kind == RK_HV_OBJECT)
        return rk_hv_of_input(arena, value.input, rk_arena_printf(arena, "%s.%s", value.name, name),
                              type);
    if (value.kind == RK_HV_STRUCT)
        for (const rk_hv_field *f = value.fields; f; f = f->next)
            if (strcmp(f->name, name) == 0)
                return f->value;
    return value.kind == RK_HV_UNKNOWN
               ? value
               : rk_hv_unknown(arena, "the member '%s' is not followed", name);
}

/** A struct with members of its own, as an array. */
static rk_hv_field *own_fields(size_t *count, rk_arena *arena, rk_hv *whole)
{
    *count = 0;
    for (const rk_hv_field *f = whole->fields; f; f = f->next)
        ++*count;
    rk_hv_field *copy = RK_NEW_ARRAY(arena, rk_hv_field, *count + 1);
    const rk_hv_field *from = whole->fields;
    for (size_t i = 0; i < *count; i++, from = from->next) {
        copy[i] = *from;
        copy[i].next = from->next ? &copy[i + 1] : NULL;
    }
    whole->fields = *count ? copy : NULL;
    return copy;
}

rk_hv rk_hv_with_field(rk_arena *arena, rk_hv whole, const char *name, rk_hv value)
{
    if (whole.kind != RK_HV_STRUCT)
        return rk_hv_unknown(arena, "the member '%s' of what is not followed is set", name);
    size_t count;
    rk_hv_field *fields = own_fields(&count, arena, &whole);
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            fields[i].value = value;
    return whole;
}

/** Of two values of one struct type. */
static rk_hv choose_fields(rk_arena *arena, const rk_cexpr *condition, rk_hv a, rk_hv b)
{
    size_t count;
    rk_hv_field *fields = own_fields(&count, arena, &a);
    const rk_hv_field *other = b.fields;
    for (size_t i = 0; i < count && other; i++, other = other->next)
        fields[i].value = rk_hv_choice(arena, condition, fields[i].value, other->value);
    return a;
}

/** Whether it may be called, or is no function at all. */
static bool is_function(rk_hv value)
{
    return value.kind == RK_HV_FUNCTION || value.kind == RK_HV_CASES ||
           (value.kind == RK_HV_POINTER && !value.name);
}

static bool is_same_function(rk_hv a, rk_hv b)
{
    CXCursor x = clang_getCursorReferenced(a.cursor), y = clang_getCursorReferenced(b.cursor);
    return clang_equalCursors(a.cursor, b.cursor) ||
           (clang_getCursorKind(x) != CXCursor_OverloadedDeclRef && clang_equalCursors(x, y));
}

/** The functions that a value may be, each under a condition more, before `rest`. */
static const rk_hv_case *add_cases(rk_arena *arena, const rk_cexpr *condition, bool known,
                                   rk_hv value, const rk_hv_case *rest)
{
    rk_hv_case only = {.when = rk_cexpr_int(arena, 1, rk_ctype_bool), .function = value};
    if (value.kind == RK_HV_POINTER)
        return rest;
    const rk_hv_case *from = value.kind == RK_HV_CASES ? value.cases : &only;
    rk_hv_case *first = NULL, *last = NULL;
    for (; from; from = from->next) {
        rk_hv_case *copy = RK_NEW(arena, rk_hv_case);
        *copy = (rk_hv_case){.function = from->function, .next = rest};
        if (known && from->when)
            copy->when = rk_cexpr_binary(arena, "&&", condition, from->when);
        if (last)
            last->next = copy;
        first = first ? first : copy;
        last = copy;
    }
    return first;
}

static rk_hv choose_function(rk_arena *arena, const rk_cexpr *condition, rk_hv a, rk_hv b)
{
    if (a.kind == RK_HV_FUNCTION && b.kind == RK_HV_FUNCTION && is_same_function(a, b))
        return a;
    const bool known = condition != NULL;
    const rk_cexpr *otherwise = known ? rk_cexpr_negate(arena, condition) : NULL;
    const rk_hv_case *second = add_cases(arena, otherwise, known, b, NULL);
    return (rk_hv){.kind = RK_HV_CASES, .cases = add_cases(arena, condition, known, a, second)};
}

/** Longer expressions are of no use to anyone, and double in each turn of a loop. */
enum { MAX_NODES = 1000 };

static bool is_too_long(rk_hv value)
{
    return value.kind == RK_HV_SCALAR && rk_cexpr_exceeds(value.sym, MAX_NODES);
}

rk_hv rk_hv_choice(rk_arena *arena, const rk_cexpr *condition, rk_hv a, rk_hv b)
{
    const bool functions =
        is_function(a) && is_function(b) && (a.kind != RK_HV_POINTER || b.kind != RK_HV_POINTER);
    if (functions && (!condition || condition->kind != RK_CEXPR_INT))
        return choose_function(arena, condition, a, b);
    if (!condition)
        return rk_hv_unknown(arena, "it changes in a way that is not followed");
    if (condition->kind == RK_CEXPR_INT)
        return condition->i ? a : b;
    if (a.kind == RK_HV_UNKNOWN)
        return a;
    if (b.kind == RK_HV_UNKNOWN)
        return b;
    if (a.kind != b.kind)
        return rk_hv_unknown(arena, "a variable is one thing or another");
    if (is_too_long(a) || is_too_long(b) || rk_cexpr_exceeds(condition, MAX_NODES))
        return rk_hv_unknown(arena, "it is an expression that is too long");
    bool names = a.input == b.input &&
                 (a.name == b.name || (a.name && b.name && strcmp(a.name, b.name) == 0));
    switch (a.kind) {
    case RK_HV_SCALAR:
        return rk_hv_scalar(rk_cexpr_choice(arena, condition, a.sym, b.sym));
    case RK_HV_POINTER:
        if (!names || (a.name && a.element != b.element))
            break;
        a.sym = rk_cexpr_choice(arena, condition, a.sym, b.sym);
        return a;
    case RK_HV_STRUCT:
        return choose_fields(arena, condition, a, b);
    case RK_HV_OBJECT:
        if (names)
            return a;
        break;
    default:
        break;
    }
    return rk_hv_unknown(arena, "a pointer or object is one of several");
}

/** A pointer converted to a type with elements of another size: the offset must come out even. */
static rk_hv convert_pointer(rk_arena *arena, rk_hv value, CXType type)
{
    int64_t size = element_size(type);
    if (!value.name || size == value.element)
        return value;
    if (rk_cexpr_is_int(value.sym, 0)) {
        value.element = size;
        return value;
    }
    if (size <= 0 || value.element <= 0 || value.element % size != 0)
        return rk_hv_unknown(arena, "a pointer is cast to another type after it was moved");
    rk_ctype wide = {RK_CTYPE_INT, 8, true};
    value.sym = rk_cexpr_binary(arena, "*", rk_cexpr_convert(arena, value.sym, wide),
                                rk_cexpr_int(arena, value.element / size, wide));
    value.element = size;
    return value;
}

rk_hv rk_hv_convert(rk_arena *arena, rk_hv value, CXType type)
{
    rk_ctype t = rk_h_ctype(type);
    if (value.kind == RK_HV_SCALAR) {
        if (t.kind == RK_CTYPE_POINTER && rk_cexpr_is_int(value.sym, 0))
            return (rk_hv){.kind = RK_HV_POINTER, .sym = value.sym};
        if (t.kind == RK_CTYPE_POINTER || t.kind == RK_CTYPE_OTHER)
            return rk_hv_unknown(arena, "a number is turned into a pointer or an object");
        return rk_hv_scalar(rk_cexpr_convert(arena, value.sym, t));
    }
    if (value.kind != RK_HV_POINTER)
        return value;
    if (t.kind == RK_CTYPE_POINTER)
        return convert_pointer(arena, value, type);
    if (t.kind == RK_CTYPE_BOOL && !value.name)
        return rk_hv_scalar(rk_cexpr_int(arena, 0, t));
    if (t.kind == RK_CTYPE_BOOL && rk_cexpr_is_int(value.sym, 0)) {
        rk_ctype wide = {RK_CTYPE_INT, 8, true};
        return rk_hv_scalar(
            rk_cexpr_binary(arena, "!=", rk_cexpr_name(arena, value.input, value.name, wide),
                            rk_cexpr_int(arena, 0, wide)));
    }
    return rk_hv_unknown(arena, "a pointer's bits are used as a number");
}

static int rank(rk_ctype t)
{
    return t.kind == RK_CTYPE_BOOL ? 0 : t.bytes;
}

/** C's integer promotions and usual arithmetic conversions. */
static rk_ctype common_type(rk_ctype a, rk_ctype b)
{
    if (a.kind == RK_CTYPE_REAL || b.kind == RK_CTYPE_REAL) {
        rk_ctype real = {RK_CTYPE_REAL, 4, true};
        if ((a.kind == RK_CTYPE_REAL && a.bytes == 8) || (b.kind == RK_CTYPE_REAL && b.bytes == 8))
            real.bytes = 8;
        return real;
    }
    if (rank(a) < 4)
        a = rk_ctype_int;
    if (rank(b) < 4)
        b = rk_ctype_int;
    if (a.bytes != b.bytes)
        return a.bytes > b.bytes ? a : b;
    return a.is_signed ? b : a;
}

static rk_hv pointer_binary(rk_arena *arena, const char *op, rk_hv a, rk_hv b)
{
    bool equality = strcmp(op, "==") == 0 || strcmp(op, "!=") == 0;
    if (b.kind == RK_HV_POINTER && a.kind != RK_HV_POINTER && *op == '+')
        return pointer_binary(arena, op, b, a);
    if (b.kind == RK_HV_SCALAR && (strcmp(op, "+") == 0 || strcmp(op, "-") == 0)) {
        rk_ctype wide = {RK_CTYPE_INT, 8, true};
        a.sym = rk_cexpr_binary(arena, op, rk_cexpr_convert(arena, a.sym, wide),
                                rk_cexpr_convert(arena, b.sym, wide));
        return a.sym ? a : rk_hv_unknown(arena, "pointer arithmetic that is not followed");
    }
    if (equality && a.kind == RK_HV_POINTER && b.kind == RK_HV_POINTER && (!a.name || !b.name)) {
        rk_hv other = a.name ? a : b;
        const rk_cexpr *set = rk_cexpr_int(arena, 0, rk_ctype_bool);
        if (other.name && !rk_cexpr_is_int(other.sym, 0))
            return rk_hv_unknown(arena, "a moved pointer is compared with null");
        if (other.name)
            set = rk_cexpr_binary(
                arena, "!=",
                rk_cexpr_name(arena, other.input, other.name, (rk_ctype){RK_CTYPE_INT, 8, true}),
                rk_cexpr_int(arena, 0, (rk_ctype){RK_CTYPE_INT, 8, true}));
        return rk_hv_scalar(*op == '=' ? rk_cexpr_negate(arena, set) : set);
    }
    return rk_hv_unknown(arena, "an operation on pointers that is not followed");
}

rk_hv rk_h_binary(rk_arena *arena, const char *op, rk_hv a, rk_hv b)
{
    if (a.kind == RK_HV_UNKNOWN)
        return a;
    if (b.kind == RK_HV_UNKNOWN)
        return b;
    if (a.kind == RK_HV_POINTER || b.kind == RK_HV_POINTER)
        return pointer_binary(arena, op, a, b);
    if (a.kind != RK_HV_SCALAR || b.kind != RK_HV_SCALAR)
        return rk_hv_unknown(arena, "an operation '%s' on objects", op);
    if (is_too_long(a) || is_too_long(b))
        return rk_hv_unknown(arena, "it is an expression that is too long");
    const rk_cexpr *x = a.sym, *y = b.sym;
    bool shift = strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0;
    if (shift) {
        x = rk_cexpr_convert(arena, x, common_type(x->type, rk_ctype_int));
    } else if (strcmp(op, "&&") != 0 && strcmp(op, "||") != 0) {
        rk_ctype common = common_type(x->type, y->type);
        x = rk_cexpr_convert(arena, x, common);
        y = rk_cexpr_convert(arena, y, common);
    }
    const rk_cexpr *result = rk_cexpr_binary(arena, op, x, y);
    return result ? rk_hv_scalar(result) : rk_hv_unknown(arena, "the operation '%s'", op);
}

bool rk_h_is_global(CXCursor variable)
{
    return clang_getCursorKind(variable) == CXCursor_FieldDecl ||
           (clang_getCursorKind(variable) == CXCursor_VarDecl &&
            clang_Cursor_hasVarDeclGlobalStorage(variable) == 1);
}

static rk_henv *add_entry(rk_arena *arena, const rk_henv *env, CXCursor variable, rk_hv value)
{
    rk_henv *entry = RK_NEW(arena, rk_henv);
    *entry = (rk_henv){.variable = variable, .value = value, .next = env};
    entry->globals = env ? env->globals : NULL;
    entry->memory = env ? env->memory : NULL;
    return entry;
}

const rk_henv *rk_henv_bind(rk_arena *arena, const rk_henv *env, CXCursor variable, rk_hv value)
{
    return add_entry(arena, env, variable, value);
}

const rk_henv *rk_henv_touch(rk_arena *arena, const rk_henv *env, bool globals)
{
    rk_henv *entry = add_entry(arena, env, clang_getNullCursor(), (rk_hv){.kind = RK_HV_UNKNOWN});
    entry->memory = entry;
    if (globals)
        entry->globals = entry;
    return entry;
}

const rk_henv *rk_henv_find(const rk_henv *env, CXCursor variable)
{
    const rk_henv *globals = env ? env->globals : NULL;
    const bool global = rk_h_is_global(variable);
    for (; env; env = env->next)
        if (rk_h_same(env->variable, variable))
            return global && env->globals != globals ? NULL : env;
    return NULL;
}

const rk_henv *rk_henv_set(rk_arena *arena, const rk_henv *env, CXCursor variable, rk_hv value)
{
    const rk_henv *old = rk_henv_find(env, variable);
    rk_henv *entry = add_entry(arena, env, variable, value);
    entry->escaped = old && old->escaped;
    if (entry->escaped)
        entry->value =
            rk_hv_unknown(arena, "the address of '%s' is taken", rk_ast_name(variable, arena));
    return entry;
}

const rk_henv *rk_henv_lose(rk_arena *arena, const rk_henv *env, CXCursor variable, bool escaped,
                            const char *reason)
{
    if (rk_h_is_global(variable))
        return rk_henv_touch(arena, env, true);
    const char *name = rk_ast_name(variable, arena);
    rk_hv unknown = rk_hv_unknown(arena, "'%s' %s", name, reason);
    rk_henv *entry = add_entry(arena, env, variable, unknown);
    const rk_henv *old = rk_henv_find(env, variable);
    entry->escaped = escaped || (old && old->escaped);
    return entry;
}

CXCursor rk_h_unwrap(rk_arena *arena, CXCursor cursor)
{
    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr)
            return cursor;
        rk_cursors c = rk_ast_children(cursor, arena);
        if (c.count != 1)
            return cursor;
        cursor = c.items[0];
    }
}
