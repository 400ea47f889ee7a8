#include "convert/program/program_internal.h"
#include "convert/unit/sources.h"

#include <string.h>

typedef struct {
    const rk_unit *unit;
    bool ok;
} search;

/** Whether a type is CUDA's `texture<...>` or `surface<...>`, or an array of such. */
static bool is_reference(CXType type, rk_arena *arena)
{
    CXType at = clang_getCanonicalType(type);
    while (at.kind == CXType_ConstantArray)
        at = clang_getCanonicalType(clang_getArrayElementType(at));
    const CXCursor class = clang_getTypeDeclaration(at);
    if (at.kind != CXType_Record || !rk_ast_is_system(class))
        return false;
    const char *name = rk_ast_name(class, arena);
    return strcmp(name, "texture") == 0 || strcmp(name, "surface") == 0;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        return CXChildVisit_Recurse;
    const rk_where at = rk_ast_expansion(s->unit, clang_getCursorLocation(cursor));
    if (kind != CXCursor_VarDecl || at.file == RK_NONE ||
        !is_reference(clang_getCursorType(cursor), s->unit->arena))
        return CXChildVisit_Continue;
    s->ok = rk_diag_add(s->unit->diag, RK_ERROR, "RK-V104",
                        rk_sources_place(s->unit, at.file, at.offset),
                        "make a texture object, as CUDA 12 and later ask for, or read the buffer "
                        "through a pointer",
                        "'%s' is a texture or surface reference, which has no counterpart on a CPU",
                        rk_ast_name(cursor, s->unit->arena));
    return CXChildVisit_Continue;
}

bool rk_program_check_textures(const rk_program *program)
{
    search s = {program->unit, true};
    clang_visitChildren(clang_getTranslationUnitCursor(program->unit->tu), visit, &s);
    return s.ok;
}
