#include "convert/launches/roles.h"

#include "base/str.h"
#include "convert/launches/harvest_internal.h"
#include "convert/launches/roles_internal.h"

#include <ctype.h>
#include <string.h>

/** Names of a template's parameters and the arguments that stand for them. */
typedef struct {
    const char *names[RK_MAX_TRACKED];
    const char *const *args;
    size_t count;
} substitution;

static substitution substitution_of(rk_arena *arena, CXCursor function, const char *const *args,
                                    size_t count)
{
    substitution s = {.args = args};
    rk_cursors c = rk_ast_children(function, arena);
    for (size_t i = 0; i < c.count && s.count < count && s.count < RK_MAX_TRACKED; i++) {
        enum CXCursorKind kind = clang_getCursorKind(c.items[i]);
        if (kind == CXCursor_TemplateTypeParameter || kind == CXCursor_NonTypeTemplateParameter ||
            kind == CXCursor_TemplateTemplateParameter)
            s.names[s.count++] = rk_ast_name(c.items[i], arena);
    }
    return s;
}

/** The type's text with arguments for template parameters, and without `restrict`. */
static const char *type_text(rk_arena *arena, CXType type, const substitution *s)
{
    const char *p = rk_ast_text(clang_getTypeSpelling(type), arena);
    rk_str out = {.arena = arena};
    while (*p) {
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        const char *word = rk_arena_strndup(arena, p, n ? n : 1);
        p += n ? n : 1;
        if (strcmp(word, "__restrict") == 0 || strcmp(word, "__restrict__") == 0 ||
            strcmp(word, "restrict") == 0)
            continue;
        for (size_t i = 0; i < s->count; i++)
            if (strcmp(word, s->names[i]) == 0)
                word = s->args[i];
        rk_str_add(&out, word);
    }
    while (out.length && out.text[out.length - 1] == ' ')
        out.text[--out.length] = '\0';
    return rk_str_text(&out);
}

static bool is_pointer(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    return t.kind == CXType_Pointer || clang_getArrayElementType(t).kind != CXType_Invalid;
}

static bool points_to_const(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    CXType pointee =
        t.kind == CXType_Pointer ? clang_getPointeeType(t) : clang_getArrayElementType(t);
    return clang_isConstQualifiedType(clang_getCanonicalType(pointee)) != 0;
}

static rk_param parameter(rk_arena *arena, CXCursor decl, const substitution *s)
{
    CXType type = clang_getCursorType(decl);
    rk_param p = {.name = rk_ast_name(decl, arena), .type = type_text(arena, type, s)};
    p.dtype = rk_roles_dtype(type);
    if (p.dtype == RK_DTYPE_NONE && s->count)
        p.dtype = rk_roles_dtype_of(arena, p.type);
    p.pointer = is_pointer(type);
    p.role = p.pointer ? RK_ROLE_BOTH : RK_ROLE_SCALAR;
    return p;
}

rk_roles rk_roles_of_signature(CXCursor function, const char *const *args, size_t arg_count,
                               rk_arena *arena)
{
    substitution s = substitution_of(arena, function, args, arg_count);
    rk_cursors c = rk_ast_children(function, arena);
    rk_param *params = RK_NEW_ARRAY(arena, rk_param, c.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_ParmDecl)
            params[count++] = parameter(arena, c.items[i], &s);
    return (rk_roles){.params = params, .count = count};
}

/**
 * The role that the uses of a pointer's memory make; what is not known goes by the pointer's type.
 */
static rk_role role_of(unsigned char use, bool constant)
{
    if (use & RK_ANYHOW)
        use = (unsigned char)((use & ~RK_ANYHOW) | RK_READS | (constant ? 0 : RK_WRITES));
    switch (use) {
    case 0: /* never used: as good as read */
    case RK_READS:
        return RK_ROLE_READ;
    case RK_WRITES:
        return RK_ROLE_WRITTEN;
    case RK_ADDS:
        return RK_ROLE_ACCUMULATED;
    default:
        return RK_ROLE_BOTH;
    }
}

rk_roles rk_roles_infer(CXCursor kernel, const char *const *args, size_t arg_count, rk_arena *arena)
{
    rk_roles roles = rk_roles_of_signature(kernel, args, arg_count, arena);
    rk_use_table table = {.arena = arena};
    const rk_function_use *use = rk_roles_use(&table, kernel);
    rk_param *params = rk_arena_copy(arena, roles.params, (roles.count + 1) * sizeof *params);
    rk_cursors c = rk_ast_children(kernel, arena);
    size_t n = 0;
    for (size_t i = 0; i < c.count; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_ParmDecl)
            continue;
        rk_param *p = &params[n];
        bool constant = points_to_const(clang_getCursorType(c.items[i]));
        if (p->pointer && use && n < RK_MAX_TRACKED)
            p->role = role_of(use->use[n], constant);
        else if (p->pointer && constant)
            p->role = RK_ROLE_READ;
        n++;
    }
    roles.params = params;
    roles.atomics = use && use->atomics;
    roles.float_atomics = use && use->float_atomics;
    return roles;
}
