#include "convert/clang/declared.h"

#include "convert/clang/ast.h"
#include "convert/unit/reserved.h"
#include "convert/unit/sources.h"

#include <string.h>

typedef struct {
    rk_unit *unit;
    const bool *changed;
    bool deep; /**< the text pastes words: functions are looked into */
    bool ok;
} look;

static bool pastes(const rk_unit *unit)
{
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_tokens *t = &unit->files.items[f]->tokens;
        for (size_t i = 0; i < t->count; i++)
            if (t->items[i].kind == RK_TOKEN_DIRECTIVE &&
                memmem(t->text + t->items[i].offset, t->items[i].length, "##", 2))
                return true;
    }
    return false;
}

static void check_name(look *l, CXCursor declaration, rk_where at)
{
    const CXString spelling = clang_getCursorSpelling(declaration);
    const char *name = clang_getCString(spelling);
    if (name && rk_name_is_reserved(name))
        l->ok = rk_diag_add(l->unit->diag, RK_ERROR, "RK-V138",
                            rk_sources_place(l->unit, at.file, at.offset), RK_RESERVED_HINT,
                            "macros or options make '%s', a reserved name, which converted text "
                            "has itself",
                            rk_arena_strdup(l->unit->arena, name));
    clang_disposeString(spelling);
}

static bool is_of_device(CXCursor variable)
{
    return rk_ast_has_attribute(variable, CXCursor_CUDADeviceAttr, NULL) ||
           rk_ast_has_attribute(variable, CXCursor_CUDAConstantAttr, NULL) ||
           rk_ast_has_attribute(variable, CXCursor_CUDASharedAttr, NULL);
}

/** Functions of the runtime are C's, and an archive's symbol gives way to a program's, a function's or a variable's. */
static void check_symbol(look *l, CXCursor declaration, rk_where at)
{
    const enum CXCursorKind kind = clang_getCursorKind(declaration);
    if ((kind != CXCursor_FunctionDecl && kind != CXCursor_VarDecl) ||
        !clang_isCursorDefinition(declaration) ||
        clang_getCursorLinkage(declaration) != CXLinkage_External || is_of_device(declaration))
        return;
    const CXString mangled = clang_Cursor_getMangling(declaration);
    const char *name = clang_getCString(mangled);
    if (name && strncmp(name, "rk_", 3) == 0)
        l->ok = rk_diag_add(l->unit->diag, RK_ERROR, "RK-V138",
                            rk_sources_place(l->unit, at.file, at.offset),
                            "make it static, put it into a namespace or rename it: the CPU "
                            "runtime's own symbols begin so",
                            "the program defines the symbol '%s', which may be the runtime's",
                            rk_arena_strdup(l->unit->arena, name));
    clang_disposeString(mangled);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    look *l = data;
    const CXSourceLocation place = clang_getCursorLocation(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_Location_isInSystemHeader(place))
        return CXChildVisit_Continue;
    const rk_where at = rk_ast_expansion(l->unit, place);
    if (at.file == RK_NONE || l->changed[at.file])
        return CXChildVisit_Continue;
    if (clang_isDeclaration(kind)) {
        check_name(l, cursor, at);
        if (l->unit->options->target == RK_TARGET_CPU)
            check_symbol(l, cursor, at);
    }
    const bool holds = kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
                       kind == CXCursor_UnexposedDecl;
    return holds || l->deep ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

bool rk_declared_check(rk_unit *unit, const bool *changed)
{
    look l = {.unit = unit, .changed = changed, .deep = pastes(unit), .ok = true};
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), visit, &l);
    return l.ok;
}
