#include "convert/clang/ast.h"
#include "convert/launches/harvest_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* Members of structs, and elements of arrays of pointers, which are followed as members "0", "1" and so on. */

enum { MAX_ELEMENTS = 64 };

static bool is_data_pointer(CXType type)
{
    const CXType pointee = clang_getPointeeType(type);
    return type.kind == CXType_Pointer && pointee.kind != CXType_Void &&
           !rk_h_is_function_pointer(type);
}

bool rk_h_is_pointer_array(CXType type)
{
    const CXType t = rk_h_plain_type(type);
    return t.kind == CXType_ConstantArray && clang_getArraySize(t) <= MAX_ELEMENTS &&
           is_data_pointer(rk_h_element_type(t));
}

static const char *element_name(rk_arena *arena, int64_t i)
{
    return rk_arena_printf(arena, "%" PRId64, i);
}

rk_hv rk_h_pointer_array(rk_arena *arena, CXType type, const rk_hv *values, size_t count,
                         rk_hv others)
{
    const size_t size = (size_t)clang_getArraySize(rk_h_plain_type(type));
    const CXType element = rk_h_element_type(type);
    rk_hv_field *fields = RK_NEW_ARRAY(arena, rk_hv_field, size + 1);
    for (size_t i = 0; i < size; i++) {
        fields[i].name = element_name(arena, (int64_t)i);
        fields[i].value = i < count ? rk_hv_convert(arena, values[i], element) : others;
        fields[i].next = i + 1 < size ? &fields[i + 1] : NULL;
    }
    return (rk_hv){.kind = RK_HV_STRUCT, .fields = size ? fields : NULL};
}

/** The name of the element that an index means; false where the index is not known. */
static bool index_name(const char **name, rk_hrun *run, const rk_henv *env, CXCursor index)
{
    const rk_hv value = rk_h_eval(run, env, index);
    if (value.kind != RK_HV_SCALAR || value.sym->kind != RK_CEXPR_INT)
        return false;
    *name = element_name(run->arena, value.sym->i);
    return true;
}

bool rk_h_part(CXCursor *whole, const char **name, rk_hrun *run, const rk_henv *env,
               CXCursor lvalue)
{
    const enum CXCursorKind kind = clang_getCursorKind(lvalue);
    const rk_cursors c = rk_ast_children(lvalue, run->arena);
    *whole = c.count ? rk_h_unwrap(run->arena, c.items[0]) : clang_getNullCursor();
    *name = rk_ast_name(lvalue, run->arena);
    if (kind == CXCursor_MemberRefExpr)
        return c.count > 0 &&
               clang_getCursorKind(clang_getCursorReferenced(lvalue)) == CXCursor_FieldDecl;
    return kind == CXCursor_ArraySubscriptExpr && c.count == 2 &&
           rk_h_is_pointer_array(clang_getCursorType(*whole)) &&
           index_name(name, run, env, c.items[1]);
}

const char *rk_h_part_name(rk_arena *arena, const char *whole, const char *name)
{
    return isdigit((unsigned char)*name) ? rk_arena_printf(arena, "%s_%s", whole, name) : name;
}

bool rk_h_pointer_element(rk_hv *out, rk_hrun *run, const rk_henv *env, CXCursor subscript)
{
    const rk_cursors c = rk_ast_children(subscript, run->arena);
    const char *name;
    if (c.count != 2 || !is_data_pointer(rk_h_plain_type(clang_getCursorType(subscript))))
        return false;
    const rk_hv array = rk_h_eval(run, env, c.items[0]);
    if (array.kind != RK_HV_STRUCT || !index_name(&name, run, env, c.items[1]))
        return false;
    *out = rk_hv_field_of(run->arena, array, name, clang_getCursorType(subscript));
    return true;
}
