#ifndef RK_CONVERT_CLANG_AST_H
#define RK_CONVERT_CLANG_AST_H

#include "convert/unit/unit.h"

/** The string, copied, and libclang's disposed of. */
const char *rk_ast_text(CXString string, rk_arena *arena);

/** The cursor's spelling, copied. */
const char *rk_ast_name(CXCursor cursor, rk_arena *arena);

/** File, line and column, expansion side of macros; `file` is NULL for no place. */
rk_place rk_ast_place(CXSourceLocation location, rk_arena *arena);

/** Where a location is after macro expansion, and where its text was written. */
rk_where rk_ast_expansion(const rk_unit *unit, CXSourceLocation location);
rk_where rk_ast_spelling(const rk_unit *unit, CXSourceLocation location);

/**
 * Expansion-side offset of the first byte and of the one after the last, in the file of the first.
 */
void rk_ast_extent(CXCursor cursor, unsigned *begin, unsigned *end);

typedef RK_VEC(CXCursor) rk_cursors;

/** The cursor's direct children. */
rk_cursors rk_ast_children(CXCursor cursor, rk_arena *arena);

/**
 * The class whose text an instance's members come from: its template's, or its own for an explicit specialisation and
 * for one that is no instance. Null without a definition.
 */
CXCursor rk_ast_class_text(CXCursor class);

/** Adds a cursor to a set; false when it was there. */
bool rk_ast_add(rk_cursors *set, CXCursor cursor, rk_arena *arena);

/** Whether the declaration is in a system header, or has no place because it is built in. */
bool rk_ast_is_system(CXCursor declaration);

/** FunctionDecl, FunctionTemplate and the kinds of methods. */
bool rk_ast_is_function(enum CXCursorKind kind);

/** Whether it gives what stands in it a part of its name: a namespace, a class or a template of one. */
bool rk_ast_is_scope(enum CXCursorKind kind);

/** Whether declarations stand in it: a scope or `extern "C"`, which libclang may show as an unexposed declaration. */
bool rk_ast_holds_declarations(enum CXCursorKind kind);

/** Whether a direct child is an attribute of this kind; NULL `found` is fine. */
bool rk_ast_has_attribute(CXCursor declaration, enum CXCursorKind kind, CXCursor *found);

/** A name as code writes it: with "(anonymous namespace)::" left out. */
const char *rk_ast_named(const char *text, rk_arena *arena);

/** The same of a type's spelling, and without `restrict`. */
const char *rk_ast_type_named(const char *text, rk_arena *arena);

/** Canonical spelling without `restrict`, with "(anonymous namespace)::" left out. */
const char *rk_ast_type_text(CXType type, rk_arena *arena);

/**
 * Bytes of a type; negative where it has none: dependent, incomplete, or of a broken expression, for
 * which libclang's own answer crashes.
 */
long long rk_ast_size_of(CXType type);

#endif
