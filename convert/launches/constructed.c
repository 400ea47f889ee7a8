#include "base/vec.h"
#include "convert/launches/harvest_internal.h"

#include <string.h>

/* Objects that constructors make, and members of the object whose method runs. */

typedef struct {
    rk_arena *arena;
    RK_VEC(CXCursor) fields;
} field_list;

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
    field_list *list = data;
    *rk_push(list->arena, &list->fields) = field;
    return CXVisit_Continue;
}

static enum CXChildVisitResult find_base(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(bool *)data |= clang_getCursorKind(c) == CXCursor_CXXBaseSpecifier;
    return CXChildVisit_Continue;
}

bool rk_h_is_own_member(rk_arena *arena, CXCursor lvalue)
{
    const CXCursor e = rk_h_unwrap(arena, lvalue);
    const rk_cursors c = rk_ast_children(e, arena);
    return clang_getCursorKind(e) == CXCursor_MemberRefExpr &&
           clang_getCursorKind(clang_getCursorReferenced(e)) == CXCursor_FieldDecl &&
           (c.count == 0 ||
            clang_getCursorKind(rk_h_unwrap(arena, c.items[0])) == CXCursor_CXXThisExpr);
}

bool rk_h_field_initialiser(CXCursor *out, rk_arena *arena, CXCursor field)
{
    const rk_cursors c = rk_ast_children(field, arena);
    const bool array = clang_getArrayElementType(clang_getCursorType(field)).kind != CXType_Invalid;
    if (c.count == 0 || array || clang_Cursor_isBitField(field))
        return false;
    *out = c.items[c.count - 1];
    return clang_isExpression(clang_getCursorKind(*out));
}

/** The expression of a constructor's own list for a member; false if it has none. */
static bool listed(CXCursor *out, rk_cursors c, CXCursor field)
{
    for (size_t i = 0; i + 1 < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_MemberRef &&
            rk_h_same(clang_getCursorReferenced(c.items[i]), field)) {
            *out = c.items[i + 1];
            return clang_isExpression(clang_getCursorKind(*out));
        }
    return false;
}

/** The members before the constructor's body. */
static const rk_henv *initialised(rk_hrun *inner, const rk_henv *env, rk_cursors c,
                                  const field_list *list)
{
    rk_arena *arena = inner->arena;
    for (size_t i = 0; i < list->fields.count; i++) {
        const CXCursor field = list->fields.items[i];
        const CXType type = clang_getCursorType(field);
        const char *missing = rk_arena_printf(arena, "'%s' is not set", rk_ast_name(field, arena));
        rk_hv value = rk_h_expand(arena, rk_hv_unknown(arena, "%s", missing), type, missing);
        CXCursor init;
        if (listed(&init, c, field) || rk_h_field_initialiser(&init, arena, field))
            value = rk_hv_convert(arena, rk_h_eval(inner, env, init), type);
        else if (rk_h_is_dim3(type))
            value = rk_hv_dim3(arena, NULL, NULL, NULL);
        if (rk_h_ctype(type).kind == RK_CTYPE_OTHER && value.kind == RK_HV_SCALAR)
            value =
                rk_hv_unknown(arena, "the type of '%s' is not known", rk_ast_name(field, arena));
        env = rk_henv_bind(arena, env, field, value);
    }
    return env;
}

/** The new object's members after the body. */
static rk_hv members_of(rk_arena *arena, const rk_henv *env, const field_list *list)
{
    const size_t count = list->fields.count;
    rk_hv_field *fields = RK_NEW_ARRAY(arena, rk_hv_field, count + 1);
    for (size_t i = 0; i < count; i++) {
        const rk_henv *entry = rk_henv_find(env, list->fields.items[i]);
        fields[i].name = rk_ast_name(list->fields.items[i], arena);
        fields[i].value =
            entry ? entry->value
                  : rk_hv_unknown(arena,
                                  "'%s' changes in a constructor in a way that is not followed",
                                  fields[i].name);
        fields[i].next = i + 1 < count ? &fields[i + 1] : NULL;
    }
    return (rk_hv){.kind = RK_HV_STRUCT, .fields = count ? fields : NULL};
}

rk_hv rk_h_made_object(rk_hrun *run, const rk_henv *env, CXCursor constructor, const CXCursor *args,
                       size_t count, CXType type)
{
    rk_arena *arena = run->arena;
    const rk_hv unknown = rk_hv_unknown(arena, "a constructor is not followed");
    const CXType t = rk_h_plain_type(type);
    const CXCursor definition = clang_getCursorDefinition(constructor);
    field_list list = {.arena = arena};
    bool base = false;
    if (t.kind != CXType_Record || clang_Cursor_isNull(definition) || run->depth > 8)
        return unknown;
    const rk_cursors c = rk_ast_children(definition, arena);
    const bool body =
        c.count > 0 && clang_getCursorKind(c.items[c.count - 1]) == CXCursor_CompoundStmt;
    clang_visitChildren(clang_getTypeDeclaration(t), find_base, &base);
    clang_Type_visitFields(t, add_field, &list);
    if (base || list.fields.count == 0 || (!body && count > 0) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(clang_getTypeDeclaration(t))))
        return unknown;
    rk_hrun inner = {.arena = arena, .helper = true, .making = true, .depth = run->depth + 1};
    inner.inputs = run->inputs;
    inner.root = RK_NEW(arena, char);
    rk_hstate state = {.env = env};
    size_t next = 0;
    for (size_t i = 0; i < c.count; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_ParmDecl)
            continue;
        CXCursor init =
            next < count ? args[next++] : clang_Cursor_getVarDeclInitializer(c.items[i]);
        rk_hv value = clang_Cursor_isNull(init) ? unknown : rk_h_eval(run, env, init);
        state.env = rk_henv_bind(arena, state.env, c.items[i],
                                 rk_hv_convert(arena, value, clang_getCursorType(c.items[i])));
    }
    state.env = initialised(&inner, state.env, c, &list);
    if (body)
        state = rk_h_run(&inner, c.items[c.count - 1], state);
    return state.ended || inner.returns || inner.lost ? unknown
                                                      : members_of(arena, state.env, &list);
}
