#include "convert/facts/system.h"
#include "convert/clang/ast.h"
#include "convert/cuda/builtins.h"

#include <string.h>

/** The space of a name that was in `space`, with one more namespace around it: the outermost that is known. */
static unsigned put_in(unsigned space, const char *name)
{
    const rk_cuda_namespace *around = rk_cuda_namespace_find(name);
    return around && space != RK_IN_PTX ? around->in : space;
}

unsigned rk_system_space(CXCursor declaration, rk_arena *arena)
{
    unsigned space = RK_IN_PLAIN;
    CXCursor parent = clang_getCursorSemanticParent(declaration);
    const enum CXCursorKind kind = clang_getCursorKind(parent);
    const bool member = rk_ast_is_scope(kind) && kind != CXCursor_Namespace;
    for (; !clang_isTranslationUnit(clang_getCursorKind(parent)) &&
           !clang_isInvalid(clang_getCursorKind(parent));
         parent = clang_getCursorSemanticParent(parent))
        if (clang_getCursorKind(parent) == CXCursor_Namespace)
            space = put_in(space, rk_ast_name(parent, arena));
    return space == RK_IN_GROUPS && member ? RK_IN_GROUP : space;
}

unsigned rk_system_ir_space(const rk_ir *ir, const rk_ir_decl *decl)
{
    unsigned space = RK_IN_PLAIN;
    const rk_ir_kind kind = rk_ir_decl_at(ir, decl->parent)->kind;
    const bool member = decl->parent && kind != RK_IR_NAMESPACE && !rk_ir_is_function(kind);
    for (rk_ir_id at = decl->parent; at; at = rk_ir_decl_at(ir, at)->parent)
        if (rk_ir_decl_at(ir, at)->kind == RK_IR_NAMESPACE)
            space = put_in(space, rk_ir_decl_at(ir, at)->name);
    return space == RK_IN_GROUPS && member ? RK_IN_GROUP : space;
}

bool rk_system_in_namespace(CXCursor declaration, unsigned spaces, rk_arena *arena)
{
    return (rk_system_space(declaration, arena) & spaces) != 0;
}

const rk_cuda_name *rk_system_token(const rk_tokens *tokens, size_t i)
{
    const bool name = i < tokens->count && tokens->items[i].kind == RK_TOKEN_NAME;
    return rk_cuda_find_text(RK_IN_PLAIN, name ? tokens->text + tokens->items[i].offset : "",
                             name ? tokens->items[i].length : 0);
}

bool rk_system_is_function(CXCursor function, const char *name)
{
    return rk_ast_is_system(function) ||
           ((rk_cuda_find(RK_IN_PLAIN, name)->host & RK_HOST_DECLARED) &&
            clang_Cursor_isNull(clang_getCursorDefinition(function)));
}

bool rk_walk_is_raw(CXCursor declaration, const char *name)
{
    const enum CXCursorKind kind = clang_getCursorKind(declaration);
    const enum CXCursorKind parent =
        clang_getCursorKind(clang_getCursorSemanticParent(declaration));
    if (kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate)
        return (rk_cuda_find(RK_IN_PLAIN, name)->does & RK_DOES_RAW) != 0;
    return kind == CXCursor_VarDecl && rk_builtin_find(name) && !rk_ast_is_function(parent);
}

bool rk_system_is_raw(const rk_ir *ir, const rk_ir_decl *d)
{
    if (d->kind == RK_IR_FUNCTION || d->kind == RK_IR_FUNCTION_TEMPLATE)
        return (rk_cuda_find(RK_IN_PLAIN, d->name)->does & RK_DOES_RAW) != 0;
    return d->kind == RK_IR_VARIABLE && rk_builtin_find(d->name) && !rk_ir_is_local(ir, d);
}

typedef void (*location_of)(CXSourceLocation, CXFile *, unsigned *, unsigned *, unsigned *);

/** The text of a file from a place on. */
static rk_bytes text_from(const rk_unit *unit, CXSourceLocation location, location_of where)
{
    CXFile file;
    unsigned begin;
    size_t size;
    where(location, &file, NULL, NULL, &begin);
    const char *text = file ? clang_getFileContents(unit->tu, file, &size) : NULL;
    return text && begin < size ? (rk_bytes){(char *)(uintptr_t)(text + begin), size - begin}
                                : (rk_bytes){NULL, 0};
}

/** The text up to the parenthesis that closes the first one, which is soon; NULL without. */
static const char *parenthesised(rk_bytes from, rk_arena *arena)
{
    const size_t size = from.size < 4096 ? from.size : 4096;
    const rk_tokens tokens = rk_lex(from.data, size, arena);
    for (size_t i = 0; i < tokens.count; i++) {
        if (!rk_token_is(&tokens, i, "("))
            continue;
        const size_t close = rk_tokens_close(&tokens, i);
        return close < tokens.count ? rk_arena_strndup(arena, from.data, tokens.items[close].offset)
                                    : NULL;
    }
    return NULL;
}

/* Where a macro makes it, its text is in the macro's body, and what the macro puts there in the macro's use. */
const char *rk_system_assembly(const rk_unit *unit, CXCursor statement)
{
    const CXSourceLocation start = clang_getRangeStart(clang_getCursorExtent(statement));
    const location_of places[] = {clang_getSpellingLocation, clang_getExpansionLocation};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
        const rk_bytes from = text_from(unit, start, places[i]);
        const char *text = from.data ? parenthesised(from, unit->arena) : NULL;
        found = text ? rk_assembly_word(text, false) : "asm";
        if (!found && !unit->options->drop_in && rk_assembly_non_coherent(text))
            found = "ld.global.nc";
    }
    return found;
}

bool rk_system_waits_by_namespace(const rk_ir *ir, const rk_ir_decl *function, bool *grid_sync)
{
    const char *class = rk_ir_decl_at(ir, function->parent)->name;
    const unsigned space = rk_system_ir_space(ir, function);
    const rk_cuda_namespace *all = rk_cuda_namespace_of(space);
    const unsigned does = rk_cuda_find(space, function->name)->does;
    *grid_sync |=
        (space & RK_IN_COOPERATIVE) &&
        ((does & RK_DOES_GRID) || (rk_cuda_find(RK_IN_GROUPS, class)->does & RK_DOES_GRID));
    return all && ((does | all->does) & RK_DOES_WAIT);
}

bool rk_system_is_texture(CXType type, rk_arena *arena)
{
    CXType at = clang_getCanonicalType(type);
    while (at.kind == CXType_ConstantArray)
        at = clang_getCanonicalType(clang_getArrayElementType(at));
    const CXCursor class = clang_getTypeDeclaration(at);
    return at.kind == CXType_Record && rk_ast_is_system(class) &&
           (rk_cuda_find(RK_IN_TYPES, rk_ast_name(class, arena))->is & RK_IS_TEXTURE);
}
