#include "convert/facts/system.h"
#include "convert/program/program_internal.h"
#include "convert/unit/sources.h"

typedef struct {
    const rk_unit *unit;
    bool ok;
} search;

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        return CXChildVisit_Recurse;
    const rk_where at = rk_ast_expansion(s->unit, clang_getCursorLocation(cursor));
    if (kind != CXCursor_VarDecl || at.file == RK_NONE ||
        !rk_system_is_texture(clang_getCursorType(cursor), s->unit->arena))
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
