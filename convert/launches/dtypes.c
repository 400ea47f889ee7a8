#include "base/str.h"
#include "convert/launches/harvest_internal.h"
#include "convert/launches/roles_internal.h"

#include <string.h>

/** Element types by their canonical C++ names; vectors by the type of their elements. */
static const struct {
    const char *name;
    rk_dtype dtype;
} dtypes[] = {{"float", RK_F32},
              {"double", RK_F64},
              {"__half", RK_F16},
              {"half", RK_F16},
              {"_Float16", RK_F16},
              {"__nv_bfloat16", RK_BF16},
              {"char", RK_I8},
              {"signed char", RK_I8},
              {"unsigned char", RK_U8},
              {"short", RK_I16},
              {"unsigned short", RK_U16},
              {"int", RK_I32},
              {"unsigned int", RK_U32},
              {"long", RK_I64},
              {"long long", RK_I64},
              {"unsigned long", RK_U64},
              {"unsigned long long", RK_U64},
              {"bool", RK_BOOL},
              {"float1", RK_F32},
              {"float2", RK_F32},
              {"float3", RK_F32},
              {"float4", RK_F32},
              {"double2", RK_F64},
              {"__half2", RK_F16},
              {"__nv_bfloat162", RK_BF16},
              {"int2", RK_I32},
              {"int3", RK_I32},
              {"int4", RK_I32},
              {"uint2", RK_U32},
              {"uint3", RK_U32},
              {"uint4", RK_U32}};

static rk_dtype dtype_of_name(const char *name)
{
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
