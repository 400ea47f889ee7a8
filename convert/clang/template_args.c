#include "convert/clang/template_args.h"

#include "base/str.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* What functions and instances of templates are called. */

const char *rk_template_function_name(rk_arena *arena, CXCursor function)
{
    const char *name = rk_ast_name(function, arena);
    const char *const *args;
    size_t count;
    if (rk_template_args(&args, &count, function, arena))
        name = rk_arena_printf(arena, "%s%s", name, rk_template_args_join(args, count, arena));
    for (CXCursor up = clang_getCursorSemanticParent(function);
         rk_ast_is_scope(clang_getCursorKind(up)); up = clang_getCursorSemanticParent(up)) {
        const char *scope = rk_ast_text(clang_getCursorDisplayName(up), arena);
        if (*scope && !clang_Cursor_isAnonymous(up))
            name = rk_arena_printf(arena, "%s::%s", scope, name);
    }
    return name;
}

static const char *enumerator(rk_arena *arena, CXCursor enumeration, long long value)
{
    const rk_cursors c = rk_ast_children(enumeration, arena);
    const char *scope = rk_ast_named(
        rk_ast_text(clang_getTypeSpelling(clang_getCursorType(enumeration)), arena), arena);
    for (size_t i = 0; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_EnumConstantDecl &&
            clang_getEnumConstantDeclValue(c.items[i]) == value)
            return rk_arena_printf(arena, "%s::%s", scope, rk_ast_name(c.items[i], arena));
    return rk_arena_printf(arena, "(%s)%lld", scope, value);
}

/** The type of the i-th parameter of a template. */
static CXType parameter_type(rk_arena *arena, CXCursor pattern, unsigned i)
{
    const rk_cursors c = rk_ast_children(pattern, arena);
    for (size_t k = 0; k < c.count; k++) {
        enum CXCursorKind kind = clang_getCursorKind(c.items[k]);
        bool parameter = kind == CXCursor_TemplateTypeParameter ||
                         kind == CXCursor_NonTypeTemplateParameter ||
                         kind == CXCursor_TemplateTemplateParameter;
        if (parameter && i-- == 0)
            return clang_getCanonicalType(clang_getCursorType(c.items[k]));
    }
    return clang_getCursorType(clang_getNullCursor());
}

/** The type of the i-th template parameter of an instance, where it is that of another parameter its argument. */
static CXType argument_type(rk_arena *arena, CXCursor instance, unsigned i)
{
    static const char parameter[] = "type-parameter-0-"; /* as the compiler calls it */
    const CXType type = parameter_type(arena, clang_getSpecializedCursorTemplate(instance), i);
    const char *name = rk_ast_text(clang_getTypeSpelling(type), arena);
    const unsigned of = strncmp(name, parameter, strlen(parameter)) == 0
                            ? (unsigned)strtoul(name + strlen(parameter), NULL, 10)
                            : i;
    if (of >= i ||
        clang_Cursor_getTemplateArgumentKind(instance, of) != CXTemplateArgumentKind_Type)
        return type;
    return clang_getCanonicalType(clang_Cursor_getTemplateArgumentType(instance, of));
}

/** A number that C++ reads as that value: the smallest has no literal, and large ones are unsigned. */
static const char *number_text(rk_arena *arena, bool is_signed, CXCursor instance, unsigned i)
{
    const long long value = clang_Cursor_getTemplateArgumentValue(instance, i);
    const unsigned long long bits = clang_Cursor_getTemplateArgumentUnsignedValue(instance, i);
    if (!is_signed)
        return rk_arena_printf(arena, bits > LLONG_MAX ? "%lluu" : "%llu", bits);
    return value == LLONG_MIN ? rk_arena_printf(arena, "(-%lld-1)", LLONG_MAX)
                              : rk_arena_printf(arena, "%lld", value);
}

/** Whether a printed argument can be written in code: a lambda's type, or another without a name, cannot. */
static bool has_spelling(const char *text)
{
    return !strstr(text, "(lambda") && !strstr(text, "(unnamed") && !strstr(text, "(anonymous");
}

/** The end of the argument that begins there: the comma after it, or what closes the list. */
static const char *argument_end(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += strchr("<([{", *at) != NULL;
        depth -= strchr(">)]}", *at) != NULL;
        if (depth < 0 || (depth == 0 && *at == ','))
            break;
    }
    return at;
}

/**
 * The i-th template argument as the compiler prints it, which it does for packs, templates and functions
 * too: "<int, float>" for a pack, without the brackets where the source wrote the arguments. NULL if it has
 * no spelling.
 */
static const char *printed_arg(CXCursor instance, unsigned i, rk_arena *arena)
{
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(instance);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_FullyQualifiedName, 1);
    const char *text = rk_ast_text(clang_getCursorPrettyPrinted(instance, policy), arena);
    clang_PrintingPolicy_dispose(policy);
    const char *name = rk_arena_printf(arena, "%s<", rk_ast_name(instance, arena));
    const bool pack =
        clang_Cursor_getTemplateArgumentKind(instance, i) == CXTemplateArgumentKind_Pack;
    const char *at = strstr(rk_ast_named(text, arena), name);
    if (!at)
        return NULL;
    const char *end = argument_end(at += strlen(name));
    for (; i > 0 && *end == ','; i--)
        end = argument_end(at = end + 2);
    if (i > 0)
        return pack ? "" : NULL;
    while (pack && *at != '<' && *end == ',')
        end = argument_end(end + 2);
    const size_t brackets = pack && *at == '<';
    at = rk_arena_strndup(arena, at + brackets, (size_t)(end - at) - 2 * brackets);
    return has_spelling(at) ? at : NULL;
}

static const char *constant_text(rk_arena *arena, CXCursor instance, unsigned i)
{
    const CXType type = argument_type(arena, instance, i);
    const long long value = clang_Cursor_getTemplateArgumentValue(instance, i);
    switch (type.kind) {
    case CXType_Bool:
        return value ? "true" : "false";
    case CXType_Enum:
        return enumerator(arena, clang_getTypeDeclaration(type), value);
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_Char16:
    case CXType_Char32:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
        return number_text(arena, false, instance, i);
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
        return number_text(arena, true, instance, i);
    case CXType_WChar:
        return number_text(arena, (wchar_t)-1 < 0, instance, i);
    case CXType_Int128:
    case CXType_UInt128:
        return NULL; /* libclang shows half of it */
    default:
        return printed_arg(instance, i,
                           arena); /* of `auto`, with its type; or of a dependent one */
    }
}

const char *rk_template_arg(CXCursor instance, unsigned i, rk_arena *arena)
{
    switch (clang_Cursor_getTemplateArgumentKind(instance, i)) {
    case CXTemplateArgumentKind_Type: {
        CXType type = clang_getCanonicalType(clang_Cursor_getTemplateArgumentType(instance, i));
        const char *text = rk_ast_text(clang_getTypeSpelling(type), arena);
        const bool unnamed = strchr(text, '(') && strstr(text, " at "); /* a lambda, too */
        return unnamed ? NULL : rk_ast_named(text, arena);
    }
    case CXTemplateArgumentKind_Integral:
        return constant_text(arena, instance, i);
    case CXTemplateArgumentKind_NullPtr:
        return "nullptr";
    case CXTemplateArgumentKind_Declaration:
    case CXTemplateArgumentKind_Template:
    case CXTemplateArgumentKind_Pack:
        return printed_arg(instance, i, arena);
    default:
        return NULL;
    }
}

const char *rk_template_args_join(const char *const *args, size_t count, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < count; i++)
        if (*args[i])
            rk_str_addf(&out, "%s%s", out.length ? ", " : "", args[i]);
    return count ? rk_arena_printf(arena, "<%s>", rk_str_text(&out)) : "";
}

bool rk_template_args(const char *const **args, size_t *count, CXCursor instance, rk_arena *arena)
{
    int n = clang_Cursor_getNumTemplateArguments(instance);
    *count = 0;
    *args = NULL;
    if (n <= 0)
        return false;
    const char **texts = RK_NEW_ARRAY(arena, const char *, (size_t)n);
    for (int i = 0; i < n; i++) {
        texts[i] = rk_template_arg(instance, (unsigned)i, arena);
        if (!texts[i])
            return false;
    }
    *args = texts;
    *count = (size_t)n;
    return true;
}

int rk_template_args_named(const char *const **out, CXCursor function, rk_arena *arena)
{
    size_t count;
    *out = NULL;
    if (clang_Cursor_getNumTemplateArguments(function) < 0)
        return -1;
    return rk_template_args(out, &count, function, arena) ? (int)count : RK_AST_NO_NAMES;
}
