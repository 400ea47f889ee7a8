#include "convert/sequence/sequence_internal.h"

#include "convert/clang/ast.h"
#include "convert/launches/roles_internal.h"

/* Objects, whose constructors and destructors are not followed: those that a graph would miss. */

/** A search for launches and copies, through the bodies of functions. */
typedef struct {
    rk_follow *f;
    rk_hrun *run;
    int depth;
    bool found;
} work_search;

static enum CXChildVisitResult find_work(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    work_search *s = data;
    rk_arena *arena = s->f->arena;
    CXCursor configuration;
    const CXCursor function = clang_getCursorReferenced(cursor);
    if (rk_h_is_launch(arena, cursor, &configuration) || rk_h_is_launch_call(arena, cursor)) {
        s->found = true;
    } else if (clang_getCursorKind(cursor) == CXCursor_CallExpr && !clang_Cursor_isNull(function)) {
        const CXCursor definition = rk_h_definition(s->run, function);
        s->found = (rk_h_host(arena, function) & RK_HOST_COPY) != 0;
        if (!s->found && s->depth < 8 && !clang_Cursor_isNull(definition) &&
            !clang_Location_isInSystemHeader(clang_getCursorLocation(definition))) {
            work_search inner = {s->f, s->run, s->depth + 1, false};
            clang_visitChildren(definition, find_work, &inner);
            s->found = inner.found;
        }
    }
    return s->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/** Whether a constructor or destructor of the class, a base or a member launches or copies. */
/** `seen`: classes that were asked; a template may have an instance of its own in it. */
static bool class_works(rk_follow *f, rk_hrun *run, CXCursor class, rk_cursors *seen)
{
    if (!rk_ast_add(seen, class, f->arena))
        return false;
    const rk_cursors c = rk_ast_children(class, f->arena);
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(class)))
        return false;
    for (size_t i = 0; i < c.count; i++) {
        const enum CXCursorKind kind = clang_getCursorKind(c.items[i]);
        work_search s = {.f = f, .run = run};
        if (kind == CXCursor_Constructor || kind == CXCursor_Destructor)
            clang_visitChildren(rk_h_definition(run, c.items[i]), find_work, &s);
        else if (kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier)
            s.found = class_works(f, run, rk_roles_class(clang_getCursorType(c.items[i])), seen);
        if (s.found)
            return true;
    }
    return false;
}

void rk_follow_object(rk_follow *f, rk_hrun *run, CXCursor call, const rk_hstate *state)
{
    const CXCursor class = rk_roles_class(clang_getCursorType(call));
    rk_cursors seen = {0};
    if (class_works(f, run, class, &seen) && rk_follow_certain(f, call, state))
        rk_follow_stop(
            f, call, "let functions do it that are called by their names",
            "objects of '%s' launch or copy when they begin or end, which is not followed",
            rk_ast_name(class, f->arena));
}
