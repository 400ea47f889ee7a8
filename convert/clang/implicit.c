#include "convert/clang/implicit.h"

#include <string.h>

typedef struct {
    rk_arena *arena;
    rk_implicit_found found;
    void *data;
    rk_cursors *
        classes; /**< those that were looked at: a class may have its own template's instances in it */
} finder;

/** The class of the project that a type is, or is an array of; its pattern for an instance. */
static CXCursor class_of(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray || type.kind == CXType_DependentSizedArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    const CXCursor definition = rk_ast_class_text(clang_getTypeDeclaration(type));
    switch (clang_getCursorKind(definition)) {
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_ClassTemplate:
    case CXCursor_ClassTemplatePartialSpecialization:
        return rk_ast_is_system(definition) ? clang_getNullCursor() : definition;
    default:
        return clang_getNullCursor();
    }
}

/** What making an object of the class and ending it runs, the constructor that is chosen apart. */
static void find_of_class(const finder *f, CXCursor class)
{
    if (clang_Cursor_isNull(class) || !rk_ast_add(f->classes, class, f->arena))
        return;
    const rk_cursors members = rk_ast_children(class, f->arena);
    for (size_t i = 0; i < members.count; i++) {
        const CXCursor member = members.items[i];
        const enum CXCursorKind kind = clang_getCursorKind(member);
        if (kind == CXCursor_Destructor)
            f->found(member, f->data);
        if (kind != CXCursor_FieldDecl && kind != CXCursor_CXXBaseSpecifier)
            continue;
        find_of_class(f, class_of(clang_getCursorType(member)));
        const rk_cursors parts = rk_ast_children(member, f->arena);
        for (size_t k = 0; k < parts.count && kind == CXCursor_FieldDecl; k++)
            if (clang_isExpression(clang_getCursorKind(parts.items[k])))
                f->found(parts.items[k], f->data);
    }
}

static bool is_method(CXCursor cursor)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_CXXMethod || kind == CXCursor_FunctionTemplate ||
           kind == CXCursor_FunctionDecl;
}

/** The functions of these names in a class and its bases, else those around the class; the last that was found. */
static CXCursor find_named(const finder *f, CXCursor class, const char *const *names)
{
    CXCursor last = clang_getNullCursor();
    const CXCursor places[] = {class, clang_getCursorSemanticParent(class)};
    if (clang_Cursor_isNull(class) || !rk_ast_add(f->classes, class, f->arena))
        return last;
    for (size_t p = 0; p < 2 && clang_Cursor_isNull(last); p++) {
        const rk_cursors members = rk_ast_children(places[p], f->arena);
        for (size_t i = 0; i < members.count; i++) {
            const char *name = rk_ast_name(members.items[i], f->arena);
            for (const char *const *n = names; *n && is_method(members.items[i]); n++)
                if (strcmp(name, *n) == 0)
                    f->found(last = members.items[i], f->data);
            if (clang_getCursorKind(members.items[i]) == CXCursor_CXXBaseSpecifier)
                find_named(f, class_of(clang_getCursorType(members.items[i])), names);
        }
    }
    return last;
}

CXCursor rk_implicit_range(CXCursor loop, rk_arena *arena)
{
    const rk_cursors parts = rk_ast_children(loop, arena);
    for (size_t i = 0; i < parts.count; i++)
        if (clang_isExpression(clang_getCursorKind(parts.items[i])))
            return parts.items[i];
    return clang_getNullCursor();
}

static void find_of_loop(const finder *f, CXCursor loop)
{
    static const char *const ends[] = {"begin", "end", NULL};
    static const char *const steps[] = {"operator++", "operator*",
                                        "operator!=", "operator==", NULL};
    const CXCursor range = rk_implicit_range(loop, f->arena);
    if (clang_Cursor_isNull(range))
        return;
    const CXCursor begin = find_named(f, class_of(clang_getCursorType(range)), ends);
    f->classes->count = 0;
    if (!clang_Cursor_isNull(begin))
        find_named(f, class_of(clang_getCursorResultType(begin)), steps);
}

void rk_implicit_find(CXCursor cursor, rk_arena *arena, rk_implicit_found found, void *data)
{
    rk_cursors classes = {0};
    const finder f = {arena, found, data, &classes};
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CXXForRangeStmt)
        find_of_loop(&f, cursor);
    else if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl || kind == CXCursor_CallExpr ||
             kind == CXCursor_InitListExpr || kind == CXCursor_CXXFunctionalCastExpr ||
             kind == CXCursor_CompoundLiteralExpr)
        find_of_class(&f, class_of(clang_getCursorType(cursor)));
    else if (kind == CXCursor_CXXNewExpr)
        find_of_class(&f, class_of(clang_getPointeeType(clang_getCursorType(cursor))));
}
