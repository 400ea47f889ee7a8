#include "base/str.h"
#include "convert/launches/harvest_internal.h"
#include "convert/launches/roles_internal.h"

#include <string.h>

/** C++'s own types by their canonical names. */
static const struct {
    const char *name;
    rk_dtype dtype;
} dtypes[] = {{"float", RK_F32},        {"double", RK_F64},        {"_Float16", RK_F16},
              {"__bf16", RK_BF16},      {"char", RK_I8},           {"signed char", RK_I8},
              {"unsigned char", RK_U8}, {"short", RK_I16},         {"unsigned short", RK_U16},
              {"int", RK_I32},          {"unsigned int", RK_U32},  {"long", RK_I64},
              {"long long", RK_I64},    {"unsigned long", RK_U64}, {"unsigned long long", RK_U64},
              {"bool", RK_BOOL}};

/** Of CUDA's vectors and numbers that of their elements. */
static rk_dtype dtype_of_name(const char *name)
{
    const char *element = rk_cuda_find(RK_IN_TYPES, name)->element;
    name = element ? element : name;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtypes[i].name, name) == 0)
            return dtypes[i].dtype;
    return RK_DTYPE_NONE;
}

static CXType element_of(CXType type)
{
    for (;;) {
        type = rk_h_plain_type(type);
        if (type.kind == CXType_Pointer)
            type = clang_getPointeeType(type);
        else if (clang_getArrayElementType(type).kind != CXType_Invalid)
            type = clang_getArrayElementType(type);
        else
            return clang_getUnqualifiedType(type);
    }
}

rk_dtype rk_roles_dtype(CXType type)
{
    CXType element = element_of(type);
    if (element.kind == CXType_Enum)
        element =
            clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(element)));
    CXString text = clang_getTypeSpelling(element);
    const char *name = clang_getCString(text);
    rk_dtype dtype = dtype_of_name(rk_str_starts(name, "struct ") ? name + 7 : name);
    clang_disposeString(text);
    return dtype;
}

rk_dtype rk_roles_dtype_of(rk_arena *arena, const char *text)
{
    if (rk_str_starts(text, "const "))
        text += strlen("const ");
    size_t n = strcspn(text, "*&[");
    while (n > 0 && text[n - 1] == ' ')
        n--;
    return dtype_of_name(rk_arena_strndup(arena, text, n));
}
