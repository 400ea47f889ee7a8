#include "convert/cuda/builtins.h"
#include "convert/facts/system.h"
#include "convert/facts/walk.h"
#include "convert/unit/problems.h"

#include <ctype.h>
#include <string.h>

/*
 * Cooperative groups: each name of `cooperative_groups` becomes one of `rk__::groups` (rk/kernel/groups.h), whose types
 * have the context for their first argument. What a group's operation does depends on its threads: those of a block
 * meet at a barrier, lanes at a warp operation.
 */

bool rk_groups_is_name(const char *name)
{
    const rk_cuda_namespace *all = rk_cuda_namespace_find(name);
    return (all && all->in == RK_IN_GROUPS) ||
           (rk_cuda_find(RK_IN_GROUPS, name)->is & RK_IS_GROUP_WORD);
}

static rk_cuda_group kind_of_class(CXCursor declaration, rk_arena *arena)
{
    if (clang_Cursor_isNull(declaration) ||
        !rk_system_in_namespace(declaration, RK_IN_GROUPS, arena))
        return RK_GROUP_NONE;
    return rk_cuda_find(RK_IN_GROUPS, rk_ast_name(declaration, arena))->group;
}

/** The kind of a group by its type; RK_GROUP_ANY when a template argument decides it. */
static rk_cuda_group kind_of_type(CXType type, rk_arena *arena)
{
    CXType at = clang_getCanonicalType(type);
    while (at.kind == CXType_LValueReference || at.kind == CXType_RValueReference ||
           at.kind == CXType_Pointer)
        at = clang_getCanonicalType(clang_getPointeeType(at));
    if (at.kind == CXType_Unexposed || at.kind == CXType_Dependent || at.kind == CXType_Invalid)
        return RK_GROUP_ANY;
    return kind_of_class(clang_getTypeDeclaration(at), arena);
}

/** The kind of the group that an expression is, without the conversions to its base classes. */
static rk_cuda_group kind_of_expression(CXCursor expression, rk_arena *arena)
{
    for (;;) {
        const rk_cuda_group kind = kind_of_type(clang_getCursorType(expression), arena);
        if (kind != RK_GROUP_NONE && kind != RK_GROUP_ANY)
            return kind;
        const rk_cursors children = rk_ast_children(expression, arena);
        if (clang_getCursorKind(expression) != CXCursor_UnexposedExpr || children.count != 1)
            return kind;
        expression = children.items[0];
    }
}

/** The group that a name is called on, or called with. */
static rk_cuda_group kind_at(const rk_walker *w, CXCursor cursor)
{
    rk_arena *arena = w->unit->arena;
    if (clang_getCursorKind(cursor) == CXCursor_MemberRefExpr) {
        const rk_cursors children = rk_ast_children(cursor, arena);
        return children.count ? kind_of_expression(children.items[0], arena) : RK_GROUP_ANY;
    }
    for (size_t i = w->above.count; i-- > 0;) {
        const CXCursor around = w->above.items[i];
        const enum CXCursorKind kind = clang_getCursorKind(around);
        if (kind == CXCursor_CallExpr)
            return clang_Cursor_getNumArguments(around) > 0
                       ? kind_of_expression(clang_Cursor_getArgument(around, 0), arena)
                       : RK_GROUP_ANY;
        if (kind != CXCursor_UnexposedExpr && kind != CXCursor_DeclRefExpr &&
            kind != CXCursor_MemberRefExpr)
            break;
    }
    return RK_GROUP_ANY;
}

/** One refusal of a code for each function is enough: where there is one group there are many uses. */
static void refuse(rk_walker *w, CXCursor cursor, const char *code, const char *hint,
                   const char *message, const char *name)
{
    for (size_t i = 0; i < w->f->problems.count; i++)
        if (strcmp(w->f->problems.items[i].code, code) == 0)
            return;
    rk_problem_add(w->unit, w->function, RK_REFUSED, code, rk_walk_place(w, cursor), hint, message,
                   name);
}

static void refuse_name(rk_walker *w, CXCursor cursor, const char *name)
{
    refuse(w, cursor, "RK-V107", "use the block's group, tiles of up to 32 threads or the shuffles",
           "'%s' of cooperative groups is not handled", name);
}

/** Whether the group has nothing for an rTask; then it is refused. */
static bool refuse_kind(rk_walker *w, CXCursor cursor, rk_cuda_group kind)
{
    if (kind == RK_GROUP_GRIDS)
        refuse(w, cursor, "RK-V101",
               "launch the part after the grid-wide barrier as a kernel of its own",
               "grid-wide synchronisation cannot be part of an rTask%s", "");
    else if (kind == RK_GROUP_CLUSTER)
        refuse(w, cursor, "RK-V102", "write the kernel without clusters",
               "a thread block cluster cannot be part of an rTask%s", "");
    return kind == RK_GROUP_GRIDS || kind == RK_GROUP_CLUSTER;
}

bool rk_groups_is_grid_barrier(CXCursor call, rk_arena *arena)
{
    const CXCursor target = clang_getCursorReferenced(call);
    if (clang_getCursorKind(call) != CXCursor_CallExpr || clang_Cursor_isNull(target) ||
        !rk_system_in_namespace(target, RK_IN_COOPERATIVE, arena) ||
        !(rk_cuda_find(RK_IN_COOPERATIVE, rk_ast_name(target, arena))->does & RK_DOES_MEET))
        return false;
    const rk_cursors children = rk_ast_children(call, arena);
    if (clang_getCursorKind(clang_getCursorSemanticParent(target)) == CXCursor_Namespace)
        return clang_Cursor_getNumArguments(call) == 1 &&
               kind_of_expression(clang_Cursor_getArgument(call, 0), arena) == RK_GROUP_GRID;
    if (!children.count || clang_getCursorKind(children.items[0]) != CXCursor_MemberRefExpr)
        return false;
    const rk_cursors object = rk_ast_children(children.items[0], arena);
    return object.count && kind_of_expression(object.items[0], arena) == RK_GROUP_GRID;
}

/* Texts. */

/** Where the name that ends at `offset` begins with its qualifiers: of `cg::` before `sync`. */
static size_t qualified_begin(const rk_bytes *text, size_t offset)
{
    size_t begin = offset;
    for (;;) {
        size_t i = begin;
        while (i > 0 && (text->data[i - 1] == ' ' || text->data[i - 1] == '\t'))
            i--;
        if (i < 2 || text->data[i - 1] != ':' || text->data[i - 2] != ':')
            return begin;
        begin = i -= 2;
        while (i > 0 && (isalnum((unsigned char)text->data[i - 1]) || text->data[i - 1] == '_'))
            i--;
        begin = i;
    }
}

/** A name with its qualifiers in a text. */
typedef struct {
    size_t file, begin, end;
    char next; /**< the first character after it that is no space */
    size_t at; /**< its offset */
} name_text;

/** Finds the name where it was written; false when a macro makes it. */
static bool find_name(name_text *out, const rk_unit *unit, CXCursor cursor, const char *name)
{
    const rk_where at = rk_ast_spelling(unit, clang_getCursorLocation(cursor));
    const size_t length = strlen(name);
    if (at.file == RK_NONE)
        return false;
    const rk_bytes *text = &unit->files.items[at.file]->bytes;
    if (at.offset + length >= text->size || strncmp(text->data + at.offset, name, length) != 0 ||
        isalnum((unsigned char)text->data[at.offset + length]) ||
        text->data[at.offset + length] == '_')
        return false;
    *out = (name_text){at.file, qualified_begin(text, at.offset), at.offset + length, '\0', 0};
    out->at = out->end;
    while (out->at < text->size && isspace((unsigned char)text->data[out->at]))
        out->at++;
    out->next = out->at < text->size ? text->data[out->at] : '\0';
    return true;
}

/* Functions. */

/** A tile of several warps has barriers of its own, which a vEU has not. */
static bool is_wide(CXCursor target, const char *name)
{
    const rk_cuda_name *row = rk_cuda_find(RK_IN_GROUPS, name);
    return (row->is & RK_IS_TILED) && row->group == RK_GROUP_NONE &&
           clang_Cursor_getNumTemplateArguments(target) > 0 &&
           clang_Cursor_getTemplateArgumentKind(target, 0) == CXTemplateArgumentKind_Integral &&
           clang_Cursor_getTemplateArgumentUnsignedValue(target, 0) > 32;
}

static void add_waits(rk_walker *w, CXCursor cursor, const char *name, rk_cuda_waits waits,
                      rk_cuda_group kind)
{
    if (kind == RK_GROUP_GRID && waits != RK_WAITS_NOT)
        refuse(w, cursor, "RK-V101",
               "launch the part after the grid-wide barrier as a kernel of its own",
               "grid-wide synchronisation cannot be part of an rTask%s", "");
    const bool block = waits == RK_WAITS_GROUP && (kind == RK_GROUP_BLOCK || kind == RK_GROUP_ANY);
    const bool lanes =
        waits == RK_WAITS_LANES ||
        (waits == RK_WAITS_GROUP && (kind == RK_GROUP_LANES || kind == RK_GROUP_ANY));
    if (block) {
        rk_walk_uses(w, RK_USE_CONTEXT | RK_USE_GROUP_SYNC, cursor, name);
        rk_walk_event(w, RK_EVENT_BARRIER, cursor);
    }
    if (lanes) {
        rk_walk_uses(w, RK_USE_CONTEXT | RK_USE_GROUP_WARP, cursor, name);
        rk_walk_event(w, RK_EVENT_WARP, cursor);
    }
}

static void use_member(rk_walker *w, CXCursor cursor, const char *name)
{
    const rk_cuda_group kind = kind_at(w, cursor);
    if (refuse_kind(w, cursor, kind))
        return;
    const rk_cuda_waits waits = rk_cuda_find(RK_IN_GROUP, name)->waits;
    if (waits != RK_WAITS_UNKNOWN)
        add_waits(w, cursor, name, waits, kind);
    else
        refuse_name(w, cursor, name);
}

static void use_free_function(rk_walker *w, CXCursor cursor, CXCursor target, const char *name)
{
    const rk_cuda_name *function = rk_cuda_find(RK_IN_GROUPS, name);
    const rk_cuda_group kind = kind_at(w, cursor);
    if (refuse_kind(w, cursor, kind))
        return;
    if (function->waits == RK_WAITS_UNKNOWN) {
        refuse_name(w, cursor, name);
        return;
    }
    if (is_wide(target, name)) {
        refuse_name(w, cursor, "a tile of more than 32 threads");
        return;
    }
    name_text at;
    if (!find_name(&at, w->unit, cursor, name) || (function->text && at.next != '(')) {
        refuse(w, cursor, "RK-V115", "write the call out", "%s() is called through a macro", name);
        return;
    }
    add_waits(w, cursor, name, function->waits, kind);
    rk_walk_uses(w, RK_USE_CONTEXT, cursor, name);
    if (!function->text) {
        rk_walk_edit(w, at.file, at.begin, at.end - at.begin,
                     rk_arena_printf(w->unit->arena, "rk__::groups::%s", name));
        return;
    }
    const rk_bytes *text = &w->unit->files.items[at.file]->bytes;
    size_t after = at.at + 1;
    while (after < text->size && isspace((unsigned char)text->data[after]))
        after++;
    if (text->data[after] != ')')
        refuse_name(w, cursor, "the memory of tiles of more than 32 threads");
    else
        rk_walk_edit(w, at.file, at.begin, at.at + 1 - at.begin, function->text);
}

void rk_groups_function(rk_walker *w, CXCursor cursor, CXCursor target, const char *name)
{
    const CXCursor parent = clang_getCursorSemanticParent(target);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    if (refuse_kind(w, cursor, rk_cuda_find(RK_IN_GROUPS, name)->group))
        return;
    if (clang_getCursorKind(parent) == CXCursor_Namespace) {
        use_free_function(w, cursor, target, name);
        return;
    }
    /* What no name stands for: of groups and operators, copied and converted. */
    if (kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
        kind == CXCursor_ConversionFunction || rk_str_starts(name, "operator"))
        return;
    use_member(w, cursor, name);
}

/* Types. */

/**
 * The edit of a type's name; false when its text is not plainly there. A parameter's type says nothing of the context, see
 * rk/kernel/groups.h.
 */
static bool edit_type(rk_text_edit *out, const rk_unit *unit, CXCursor cursor, const char *name,
                      bool parameter)
{
    name_text at;
    if (!find_name(&at, unit, cursor, name))
        return false;
    const bool template = (rk_cuda_find(RK_IN_GROUPS, name)->is & RK_IS_TILED) != 0;
    if (template && at.next != '<')
        return false;
    *out =
        (rk_text_edit){.file = at.file,
                       .offset = at.begin,
                       .length = (template ? at.at + 1 : at.end) - at.begin,
                       .text = rk_arena_printf(unit->arena, "rk__::groups::%s<%s%s", name,
                                               parameter ? "rk__::groups::of<rk__Ctx>" : "rk__Ctx",
                                               template ? ", " : ">")};
    return true;
}

/** A type of another name that stands for a group. */
static bool is_alias(const rk_walker *w, CXCursor target)
{
    const enum CXCursorKind kind = clang_getCursorKind(target);
    if (kind != CXCursor_TypedefDecl && kind != CXCursor_TypeAliasDecl &&
        kind != CXCursor_TypeAliasTemplateDecl)
        return false;
    const rk_where at = rk_ast_expansion(w->unit, clang_getCursorLocation(target));
    const bool local = at.file == w->f->definition.file && at.offset > w->f->definition.begin &&
                       at.offset < w->f->end;
    if (local)
        return false; /* its own text is edited */
    const CXType type = clang_getCanonicalType(clang_getCursorType(target));
    return type.kind == CXType_Record &&
           kind_of_class(clang_getTypeDeclaration(type), w->unit->arena) != RK_GROUP_NONE;
}

void rk_groups_type(rk_walker *w, CXCursor cursor)
{
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target))
        return;
    const char *name = rk_ast_name(target, w->unit->arena);
    if (is_alias(w, target)) {
        refuse(w, cursor, "RK-V107", "name the group's type itself",
               "'%s' is another name of a cooperative group", name);
        return;
    }
    if (!rk_system_in_namespace(target, RK_IN_COOPERATIVE, w->unit->arena) ||
        (rk_cuda_find(RK_IN_GROUPS, name)->is & RK_IS_OPERATOR))
        return;
    const rk_cuda_group kind = kind_of_class(target, w->unit->arena);
    name_text at;
    if (refuse_kind(w, cursor, kind) || !find_name(&at, w->unit, cursor, name))
        return;
    const bool parameter =
        w->above.count &&
        clang_getCursorKind(w->above.items[w->above.count - 1]) == CXCursor_ParmDecl;
    rk_text_edit edit;
    if (kind == RK_GROUP_NONE || !edit_type(&edit, w->unit, cursor, name, parameter)) {
        refuse_name(w, cursor, name);
        return;
    }
    rk_walk_uses(w, RK_USE_CONTEXT, cursor, name);
    rk_walk_edit(w, edit.file, edit.offset, edit.length, edit.text);
}

void rk_groups_field(rk_walker *w, CXCursor cursor, CXCursor field)
{
    const CXType type = clang_getCanonicalType(clang_getCursorType(field));
    if (type.kind == CXType_Record &&
        kind_of_class(clang_getTypeDeclaration(type), w->unit->arena) != RK_GROUP_NONE)
        refuse(w, cursor, "RK-V107", "pass the group as a parameter",
               "'%s', a cooperative group, is a member of a class",
               rk_ast_name(field, w->unit->arena));
}

typedef struct {
    rk_unit *unit;
    rk_function *f;
} declaration_search;

static enum CXChildVisitResult find_types(CXCursor cursor, CXCursor parent, CXClientData data)
{
    declaration_search *s = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_TypeRef && kind != CXCursor_TemplateRef)
        return CXChildVisit_Recurse;
    const CXCursor target = clang_getCursorReferenced(cursor);
    const rk_cuda_group group = kind_of_class(target, s->unit->arena);
    rk_text_edit edit;
    if ((group == RK_GROUP_BLOCK || group == RK_GROUP_LANES || group == RK_GROUP_ANY ||
         group == RK_GROUP_GRID) &&
        edit_type(&edit, s->unit, cursor, rk_ast_name(target, s->unit->arena),
                  clang_getCursorKind(parent) == CXCursor_ParmDecl))
        *rk_push(s->unit->arena, &s->f->other_edits) = edit;
    return CXChildVisit_Recurse;
}

void rk_groups_declaration(rk_analysis *analysis, size_t function, CXCursor declaration)
{
    declaration_search s = {analysis->unit, analysis->unit->functions.items[function]};
    clang_visitChildren(declaration, find_types, &s);
}
