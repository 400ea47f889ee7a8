#include "convert/program/program_internal.h"

/*
 * Steps: volatile memory in device code, which programs from before __syncwarp exchange values with between the
 * lanes of a warp. Each access becomes a point where the lanes that are there together wait for each other.
 */

/** Whether an expression names volatile memory that other threads may see. */
static bool names_volatile(CXCursor cursor)
{
    const CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    if (!clang_isVolatileQualifiedType(type) ||
        clang_getArrayElementType(type).kind != CXType_Invalid)
        return false;
    const CXCursor target = clang_getCursorReferenced(cursor);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_ArraySubscriptExpr:
        return true;
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Deref;
    case CXCursor_MemberRefExpr:
        return clang_getCursorKind(target) == CXCursor_FieldDecl &&
               !clang_Cursor_isBitField(target);
    case CXCursor_DeclRefExpr:
        return rk_ast_has_attribute(target, CXCursor_CUDASharedAttr, NULL);
    default:
        return false;
    }
}

/** Whether a place is in the text as it stands, and not made by a macro. */
static bool is_written(const rk_unit *unit, CXSourceLocation at, rk_where *out)
{
    const rk_where written = rk_ast_spelling(unit, at);
    *out = rk_ast_expansion(unit, at);
    return written.file == out->file && written.offset == out->offset && out->file != RK_NONE;
}

bool rk_program_add_step(rk_program *program, CXCursor cursor)
{
    rk_unit *unit = program->unit;
    rk_where begin, end;
    if (!names_volatile(cursor))
        return false;
    const CXSourceRange range = clang_getCursorExtent(cursor);
    if (!is_written(unit, clang_getRangeStart(range), &begin) ||
        !is_written(unit, clang_getRangeEnd(range), &end) || begin.file != end.file)
        return false;
    for (size_t i = 0; i < unit->steps.count; i++)
        if (unit->steps.items[i].file == begin.file && unit->steps.items[i].begin == begin.offset)
            return true;
    *rk_push(unit->arena, &unit->steps) = (rk_range){begin.file, begin.offset, end.offset};
    return true;
}

void rk_program_edit_steps(rk_unit *unit, size_t file, size_t begin, size_t end)
{
    enum { INNER = 1 << 24 }; /* rank: what else is put around an expression is put around this */
    rk_source_file *source = unit->files.items[file];
    for (size_t i = 0; i < unit->steps.count; i++) {
        const rk_range *step = &unit->steps.items[i];
        if (step->file != file || step->begin < begin || step->end > end)
            continue;
        source->touched = true;
        rk_edits_insert(&source->edits, step->begin, INNER, "rk__::in_step(");
        rk_edits_insert(&source->edits, step->end, -INNER, ")");
    }
}
