#include "convert/facts/undefined.h"

#include "base/str.h"
#include "convert/clang/ast.h"
#include "convert/facts/undefined_operand.h"
#include "convert/facts/undefined_range.h"
#include "convert/unit/sources.h"

#include <stdlib.h>
#include <string.h>

/** A cursor and those around it. */
typedef struct node {
    CXCursor cursor;
    const struct node *up;
} node;

/** A variable of a template, by the place of its name. */
typedef struct {
    rk_where at;
    const char *type; /**< as the template's text has it */
} variable;

typedef struct {
    rk_unit *unit;
    rk_arena *arena;
    rk_last_file last;
    bool device;          /**< in device code */
    bool instance;        /**< of a template */
    CXCursor pattern;     /**< of the instance */
    rk_cursors instances; /**< that are met, each once */
    RK_VEC(rk_place) told;
    RK_VEC(variable) variables;
    RK_VEC(rk_range) texts;     /**< of functions for the device */
    RK_VEC(const char *) names; /**< of those, each */
    bool guess;                 /**< what is added is guessed */
    RK_VEC(CXCursor)
    overloaded; /**< arguments that become one of several integers in an instance */
} search;

static void look(search *s, CXCursor cursor, const node *up);

/* Expressions. */

/** A number's value as it is written; negative where it is none. */
static double literal(const search *s, CXCursor e)
{
    const CXCursor inner = rk_operand_stripped(e, s->arena);
    const enum CXCursorKind kind = clang_getCursorKind(inner);
    if (kind != CXCursor_FloatingLiteral && kind != CXCursor_IntegerLiteral)
        return -1;
    const rk_where at = rk_ast_spelling(s->unit, clang_getRangeStart(clang_getCursorExtent(inner)));
    return at.file == RK_NONE ? -1
                              : strtod(s->unit->files.items[at.file]->bytes.data + at.offset, NULL);
}

/** Whether an expression is made of integer literals alone: a wrong amount of those any compiler tells. */
static bool is_literals(CXCursor e, rk_arena *arena)
{
    const enum CXCursorKind kind = clang_getCursorKind(e);
    const rk_cursors children = rk_ast_children(e, arena);
    if (kind == CXCursor_IntegerLiteral || kind == CXCursor_UnaryExpr)
        return true;
    if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr &&
        kind != CXCursor_BinaryOperator && kind != CXCursor_UnaryOperator)
        return false;
    for (size_t i = 0; i < children.count; i++)
        if (!is_literals(children.items[i], arena))
            return false;
    return children.count > 0;
}

/** Whether an amount is less than 32 by its form: `n & 31`. */
static bool is_masked(const search *s, CXCursor amount)
{
    const CXCursor e = rk_operand_stripped(amount, s->arena);
    if (clang_getCursorKind(e) != CXCursor_BinaryOperator ||
        clang_getCursorBinaryOperatorKind(e) != CXBinaryOperator_And)
        return false;
    const rk_cursors operands = rk_ast_children(e, s->arena);
    for (size_t i = 0; i < operands.count; i++) {
        const double mask = literal(s, operands.items[i]);
        if (mask >= 0 && mask < 32)
            return true;
    }
    return false;
}

/* What is found. */

static void tell(search *s, CXCursor at, const char *what)
{
    const rk_place place = rk_ast_place(clang_getCursorLocation(at), s->arena);
    for (size_t i = 0; i < s->told.count; i++)
        if (s->told.items[i].line == place.line && s->told.items[i].column == place.column &&
            strcmp(s->told.items[i].file, place.file) == 0)
            return;
    *rk_push(s->arena, &s->told) = place;
    rk_diag_add(s->unit->diag, RK_WARNING, "RK-V221", place,
                "write it with a variable of its own, outside of macros",
                "%s here may be another on the CPU when it is out of range", what);
}

/**
 * Puts `before` and ")" around an operand. What a template's own text shows counts before what its instances do, which
 * must agree among each other.
 */
static void add(search *s, CXCursor operand, const rk_range *at, const char *before,
                const char *what)
{
    for (size_t i = 0; i < s->unit->undefined.count; i++) {
        rk_undefined *old = &s->unit->undefined.items[i];
        if (old->at.file != at->file || old->at.begin != at->begin || old->at.end != at->end ||
            strncmp(old->before, before, strcspn(before, "<(")) != 0)
            continue;
        if (strcmp(old->before, before) != 0 && old->instance)
            tell(s, operand, what);
        old->guessed &= s->guess;
        return;
    }
    *rk_push(s->arena, &s->unit->undefined) =
        (rk_undefined){.at = *at, .before = before, .instance = s->instance, .guessed = s->guess};
}

static bool is_explicit(CXCursor cursor)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
           kind == CXCursor_CXXFunctionalCastExpr;
}

static const char conversion[] = "the conversion of a floating value to an integer";

/** The result of a function template as its text has it; NULL where that does not name a type. */
static const char *result_name(const search *s, const node *n)
{
    for (; n; n = n->up)
        if (clang_getCursorKind(n->cursor) == CXCursor_LambdaExpr)
            return NULL;
    if (clang_Cursor_isNull(s->pattern))
        return NULL;
    const char *text =
        rk_ast_text(clang_getTypeSpelling(clang_getCursorResultType(s->pattern)), s->arena);
    return *text && !strstr(text, "auto") && !strstr(text, "decltype") && !strstr(text, "(") ? text
                                                                                             : NULL;
}

static void note_variable(search *s, CXCursor cursor)
{
    const char *type = rk_ast_text(clang_getTypeSpelling(clang_getCursorType(cursor)), s->arena);
    *rk_push(s->arena, &s->variables) =
        (variable){rk_ast_spelling(s->unit, clang_getCursorLocation(cursor)), type};
}

static const char *variable_type(const search *s, CXCursor cursor)
{
    const rk_where at = rk_ast_spelling(s->unit, clang_getCursorLocation(cursor));
    for (size_t i = 0; i < s->variables.count; i++)
        if (s->variables.items[i].at.file == at.file &&
            s->variables.items[i].at.offset == at.offset)
            return strstr(s->variables.items[i].type, "auto") ? NULL : s->variables.items[i].type;
    return NULL;
}

/** The member that a constructor's list gives a value: `value(v)`. */
static const char *member_before(const search *s, const rk_range *at)
{
    const rk_tokens *t = &s->unit->files.items[at->file]->tokens;
    const size_t i = rk_tokens_at(t, at->begin);
    return i >= 2 && t->items[i - 2].kind == RK_TOKEN_NAME
               ? rk_arena_printf(s->arena, "decltype(this->%s)", rk_token_text(t, i - 2, s->arena))
               : NULL;
}

static bool is_assignment(CXCursor cursor)
{
    return clang_getCursorKind(cursor) == CXCursor_BinaryOperator &&
           clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign;
}

/** What an operand in an instance becomes, as the template's text can say it: it differs from instance to instance. */
static const char *named_target(const search *s, const node *cast, const rk_range *operand)
{
    const CXCursor up = cast->up ? cast->up->cursor : clang_getNullCursor();
    const enum CXCursorKind kind = clang_getCursorKind(up);
    if (kind == CXCursor_VarDecl || kind == CXCursor_FieldDecl)
        return variable_type(s, up);
    if (kind == CXCursor_Constructor)
        return member_before(s, operand);
    return kind == CXCursor_ReturnStmt ? result_name(s, cast) : NULL;
}

static bool is_bit_field(const search *s, CXCursor e)
{
    return clang_Cursor_isBitField(clang_getCursorReferenced(rk_operand_stripped(e, s->arena))) !=
           0;
}

/** An assignment whose left side may be an integer and whose right side may not. */
static void add_place(search *s, CXCursor assignment)
{
    const CXCursor left = rk_ast_children(assignment, s->arena).items[0];
    rk_range at;
    if (!is_bit_field(s, left) && rk_undefined_range(s->unit, left, RK_OPERAND_LEFT, &at))
        add(s, left, &at, " ::rk__::rk__in(", conversion);
    else
        tell(s, left, conversion);
}

/** A conversion of a floating value: `n` is what it gives, `from` what it takes. */
static void add_conversion(search *s, const node *n, CXCursor from)
{
    const CXType to = clang_getCursorType(n->cursor);
    const double value = literal(s, from);
    if (value >= 0 && value < 128)
        return;
    const node *cast = is_explicit(n->cursor)                ? n
                       : n->up && is_explicit(n->up->cursor) ? n->up
                                                             : NULL;
    rk_range at;
    if (s->instance && !cast && n->up && is_assignment(n->up->cursor)) {
        add_place(s, n->up->cursor);
        return;
    }
    if (!(cast ? rk_undefined_cast_operand(s->unit, cast->cursor, from, &at)
               : rk_undefined_range(s->unit, from, RK_OPERAND_WHOLE, &at))) {
        tell(s, from, conversion);
        return;
    }
    const char *name = rk_operand_whole_name(to, s->arena), *text = NULL;
    if (cast && (s->instance || rk_undefined_in_macro(s->unit, &at)))
        text = rk_undefined_cast_type(s->unit, cast->cursor, &at);
    else if (s->instance)
        text = named_target(s, n, &at);
    CXCursor inner = from;
    while (clang_getCursorKind(inner) == CXCursor_UnexposedExpr)
        inner = rk_operand_last_expression(inner, s->arena);
    const CXCursor function = clang_getCursorReferenced(inner);
    const bool by_class = clang_getCursorKind(inner) == CXCursor_CallExpr &&
                          clang_getCursorKind(function) == CXCursor_ConversionFunction;
    if (by_class && rk_ast_is_system(function))
        return; /* halves convert themselves */
    if (by_class)
        add(s, from, &at,
            rk_arena_printf(s->arena, " ::rk__::rk__to_from<%s, %s>(", text ? text : name,
                            rk_ast_text(clang_getTypeSpelling(
                                            clang_getCanonicalType(clang_getCursorType(from))),
                                        s->arena)),
            conversion);
    else
        add(s, from, &at, rk_arena_printf(s->arena, " ::rk__::rk__to<%s>(", text ? text : name),
            conversion);
}

/** A cast whose type or operand depends on template arguments, as the text has it. */
static void add_dependent_cast(search *s, const node *n, CXCursor from)
{
    const enum CXCursorKind kind = clang_getCursorKind(rk_operand_stripped(from, s->arena));
    rk_range at;
    if (kind == CXCursor_InitListExpr || kind == CXCursor_LambdaExpr || literal(s, from) >= 0 ||
        !rk_undefined_cast_operand(s->unit, n->cursor, from, &at))
        return;
    const char *text = rk_undefined_cast_type(s->unit, n->cursor, &at);
    if (text && !strpbrk(text, "&*(") && strcmp(text, "void") != 0)
        add(s, from, &at, rk_arena_printf(s->arena, " ::rk__::rk__to<%s>(", text), conversion);
}

static void look_at_cast(search *s, const node *n)
{
    const CXType to = clang_getCursorType(n->cursor);
    const CXCursor from = rk_operand_last_expression(n->cursor, s->arena);
    if (clang_Cursor_isNull(from))
        return;
    const CXType type = clang_getCursorType(from);
    if (rk_operand_is_whole(to) && rk_operand_is_floating(type))
        add_conversion(s, n, from);
    else if (is_explicit(n->cursor) && (rk_operand_is_dependent(to) || rk_operand_is_whole(to)) &&
             (rk_operand_is_dependent(type) || rk_operand_is_floating(type)))
        add_dependent_cast(s, n, from);
}

/**
 * What a template's own text says may be a floating value that becomes an integer: one of those depends on the
 * template's arguments, or both do. rk__to gives what turns out to be anything else as it is.
 */
static bool may_truncate(search *s, CXType to, CXType from)
{
    const bool unknown = rk_operand_is_dependent(clang_getCanonicalType(from));
    s->guess = unknown && rk_operand_is_dependent(to);
    return s->guess || (rk_operand_is_dependent(to) && rk_operand_is_floating(from)) ||
           (rk_operand_is_whole(to) && unknown);
}

/** A value that becomes what a template's own text names: `T x = f;`, `x = f;`, `return f;`. */
static void look_at_target(search *s, CXCursor from, CXType to, const char *type)
{
    rk_range at;
    while (clang_getCursorKind(from) == CXCursor_InitListExpr ||
           (clang_getCursorKind(from) == CXCursor_UnexposedExpr &&
            clang_getCursorType(from).kind == CXType_Invalid)) { /* `T x(f)`, `T x{f}` */
        const rk_cursors values = rk_ast_children(from, s->arena);
        if (values.count != 1)
            return;
        from = values.items[0];
    }
    if (clang_getCursorKind(from) != CXCursor_PackExpansionExpr &&
        may_truncate(s, to, clang_getCursorType(from)) && !strstr(type, "auto") &&
        rk_undefined_range(s->unit, from, RK_OPERAND_WHOLE, &at))
        add(s, from, &at, rk_arena_printf(s->arena, " ::rk__::rk__to<%s>(", type), conversion);
}

static const char *type_name(const search *s, CXType type)
{
    return rk_operand_is_whole(type) ? rk_operand_whole_name(type, s->arena)
                                     : rk_ast_text(clang_getTypeSpelling(type), s->arena);
}

/** What a template's own text shows: instances that libclang does not show have it, too. */
static void look_at_template(search *s, const node *n)
{
    const CXCursor cursor = n->cursor, from = rk_operand_last_expression(cursor, s->arena);
    const CXType type = clang_getCursorType(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    const node *function = n;
    if (clang_Cursor_isNull(from))
        return;
    if (kind == CXCursor_VarDecl ||
        (kind == CXCursor_FieldDecl && !clang_Cursor_isBitField(cursor)))
        look_at_target(s, from, type, type_name(s, type));
    if (is_assignment(cursor) &&
        may_truncate(s, clang_getCursorType(rk_ast_children(cursor, s->arena).items[0]),
                     clang_getCursorType(from)))
        add_place(s, cursor);
    if (kind != CXCursor_ReturnStmt)
        return;
    while (function && !rk_ast_is_function(clang_getCursorKind(function->cursor)) &&
           clang_getCursorKind(function->cursor) != CXCursor_LambdaExpr)
        function = function->up;
    const CXType result =
        clang_getCursorResultType(function ? function->cursor : clang_getNullCursor());
    if (function)
        look_at_target(s, from, result, type_name(s, result));
}

static void look_at_shift(search *s, CXCursor left, CXCursor right, const char *before)
{
    static const char what[] = "the result of a shift";
    const CXType type = clang_getCursorType(left);
    rk_range at;
    if ((!rk_operand_is_whole(type) && !rk_operand_is_dependent(type) &&
         clang_getCanonicalType(type).kind != CXType_Bool) ||
        is_literals(right, s->arena) || is_masked(s, right))
        return;
    if (rk_undefined_range(s->unit, left, RK_OPERAND_LEFT, &at))
        add(s, left, &at, before, what);
    else
        tell(s, left, what);
}

static void look_at_operator(search *s, CXCursor cursor)
{
    const enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
    const rk_cursors sides = rk_ast_children(cursor, s->arena);
    if (sides.count != 2)
        return;
    const CXCursor left = sides.items[0], right = sides.items[1];
    const bool shifts = op == CXBinaryOperator_ShlAssign || op == CXBinaryOperator_ShrAssign;
    const CXType type = clang_getCursorType(left), by = clang_getCursorType(right);
    const bool truncates =
        clang_getCursorKind(cursor) == CXCursor_CompoundAssignOperator &&
        rk_operand_is_whole(type) &&
        (rk_operand_is_floating(by) ||
         (rk_operand_is_dependent(clang_getCanonicalType(by)) && !is_bit_field(s, left)));
    if ((truncates || (shifts && !is_literals(right, s->arena) && !is_masked(s, right))) &&
        is_bit_field(s, left))
        tell(s, left, "what is assigned to a bit-field");
    else if (op == CXBinaryOperator_Shl || op == CXBinaryOperator_Shr)
        look_at_shift(s, left, right, " ::rk__::rk__bits(");
    else if (shifts)
        look_at_shift(s, left, right, " ::rk__::rk__in(");
    else if (truncates) {
        rk_range at;
        if (rk_undefined_range(s->unit, left, RK_OPERAND_LEFT, &at))
            add(s, left, &at, " ::rk__::rk__in(", conversion);
        else
            tell(s, left, conversion);
    }
}

/**
 * An operator in a template's own text that is a call as long as its operands' types are not known: where an overloaded one
 * is in sight, as those of halves are.
 */
static void look_at_unresolved(search *s, CXCursor call)
{
    static const char *const shifts[] = {"<<=", ">>=", "<<", ">>"};
    static const char *const others[] = {"+=", "-=", "*=", "/="};
    const rk_cursors parts = rk_ast_children(call, s->arena);
    rk_range at;
    if (parts.count != 3 ||
        !rk_operand_is_dependent(clang_getCanonicalType(clang_getCursorType(call))) ||
        !rk_undefined_range(s->unit, parts.items[0], RK_OPERAND_LEFT, &at) ||
        is_bit_field(s, parts.items[0]))
        return;
    const char *sign = s->unit->files.items[at.file]->bytes.data + at.end;
    sign += strspn(sign, " \t\r\n");
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++)
        if (rk_str_starts(sign, shifts[i])) {
            look_at_shift(s, parts.items[0], parts.items[2],
                          i < 2 ? " ::rk__::rk__in(" : " ::rk__::rk__bits(");
            return;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (rk_str_starts(sign, others[i]) &&
            rk_operand_is_whole(clang_getCursorType(parts.items[0])))
            add(s, parts.items[0], &at, " ::rk__::rk__in(", conversion);
}

/** What a call in a template's own text names; a reference to all of its functions where they are several. */
static CXCursor called(const search *s, CXCursor call)
{
    const rk_cursors parts = rk_ast_children(call, s->arena);
    if (parts.count == 0)
        return clang_getNullCursor();
    CXCursor name = rk_operand_stripped(parts.items[0], s->arena);
    if (clang_getCursorKind(name) == CXCursor_DeclRefExpr) {
        const rk_cursors inner = rk_ast_children(name, s->arena);
        for (size_t i = 0; i < inner.count; i++)
            if (clang_getCursorKind(inner.items[i]) == CXCursor_OverloadedDeclRef)
                name = inner.items[i];
    }
    return clang_getCursorKind(name) == CXCursor_OverloadedDeclRef
               ? name
               : clang_getCursorReferenced(name);
}

/** Which functions a call may be of, one after the other; a null cursor after the last. */
static CXCursor candidate(CXCursor named, unsigned i)
{
    if (clang_getCursorKind(named) != CXCursor_OverloadedDeclRef)
        return i ? clang_getNullCursor() : named;
    return i < clang_getNumOverloadedDecls(named) ? clang_getOverloadedDecl(named, i)
                                                  : clang_getNullCursor();
}

/** The type of a function's parameter; invalid where it has none. */
static CXType parameter_type(const search *s, CXCursor function, size_t parameter)
{
    const rk_cursors all = rk_ast_children(function, s->arena);
    for (size_t i = 0; i < all.count; i++)
        if (clang_getCursorKind(all.items[i]) == CXCursor_ParmDecl && parameter-- == 0)
            return clang_getCursorType(all.items[i]);
    return clang_getCursorType(clang_getNullCursor());
}

/**
 * The integer that a floating argument becomes whichever of the functions it is; in `several` whether that is more than one
 * type. Invalid where one takes a floating value or any type: then that one is called.
 */
static CXType whole_parameter(const search *s, CXCursor named, size_t parameter, bool *several)
{
    CXType whole = clang_getCursorType(clang_getNullCursor());
    *several = false;
    for (unsigned i = 0; !clang_Cursor_isNull(candidate(named, i)); i++) {
        const CXType type = parameter_type(s, candidate(named, i), parameter);
        if (rk_operand_is_floating(type) || rk_operand_is_dependent(type))
            return clang_getCursorType(clang_getNullCursor());
        if (!rk_operand_is_whole(type))
            continue;
        *several |= whole.kind != CXType_Invalid &&
                    !clang_equalTypes(clang_getCanonicalType(whole), clang_getCanonicalType(type));
        whole = type;
    }
    return whole;
}

/** Arguments of a call whose types are not known before the instance: `take(v)`, where take(int) is in sight. */
static void look_at_arguments(search *s, CXCursor call)
{
    const CXCursor named = called(s, call);
    const rk_cursors parts = rk_ast_children(call, s->arena);
    if (clang_Cursor_isNull(named) ||
        !rk_operand_is_dependent(clang_getCanonicalType(clang_getCursorType(call))))
        return;
    for (size_t i = 1; i < parts.count; i++) {
        bool several;
        const CXType to = whole_parameter(s, named, i - 1, &several);
        if (to.kind == CXType_Invalid)
            continue;
        if (!several)
            look_at_target(s, parts.items[i], to, rk_operand_whole_name(to, s->arena));
        else if (rk_operand_is_dependent(clang_getCursorType(parts.items[i])))
            *rk_push(s->arena, &s->overloaded) = parts.items[i];
    }
}

/* The walk. */

static bool has_head_word(const search *s, CXCursor function, const char *word)
{
    const rk_where at =
        rk_ast_spelling(s->unit, clang_getRangeStart(clang_getCursorExtent(function)));
    if (at.file == RK_NONE)
        return false;
    const rk_tokens *t = &s->unit->files.items[at.file]->tokens;
    for (size_t i = rk_tokens_at(t, at.offset);
         i < t->count && !rk_token_is(t, i, "{") && !rk_token_is(t, i, ";"); i++)
        if (rk_token_is(t, i, word))
            return true;
    return false;
}

/** Whether an instance is of text within a function for the device: of a lambda with `auto` parameters. */
static bool is_within(const search *s, CXCursor instance)
{
    const rk_where at =
        rk_ast_spelling(s->unit, clang_getRangeStart(clang_getCursorExtent(instance)));
    for (size_t i = 0; i < s->texts.count; i++)
        if (s->texts.items[i].file == at.file && s->texts.items[i].begin < at.offset &&
            at.offset < s->texts.items[i].end)
            return true;
    return false;
}

/** Whether it is a template's own text, or a member's of a class template. */
static bool is_pattern(CXCursor cursor)
{
    for (; !clang_Cursor_isNull(cursor) && !clang_isInvalid(clang_getCursorKind(cursor));
         cursor = clang_getCursorSemanticParent(cursor)) {
        const enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind == CXCursor_FunctionTemplate || kind == CXCursor_ClassTemplate ||
            kind == CXCursor_ClassTemplatePartialSpecialization)
            return true;
    }
    return false;
}

static void note_text(search *s, CXCursor function)
{
    const CXSourceRange range = clang_getCursorExtent(function);
    const rk_where begin = rk_ast_expansion(s->unit, clang_getRangeStart(range));
    const rk_where end = rk_ast_expansion(s->unit, clang_getRangeEnd(range));
    *rk_push(s->arena, &s->texts) = (rk_range){begin.file, begin.offset, end.offset};
    *rk_push(s->arena, &s->names) =
        is_pattern(function) ? rk_ast_text(clang_getCursorSpelling(function), s->arena) : NULL;
}

/** Functions for the device; `constexpr` ones may be used there. */
static bool is_device(const search *s, CXCursor function)
{
    return rk_ast_has_attribute(function, CXCursor_CUDADeviceAttr, NULL) ||
           rk_ast_has_attribute(function, CXCursor_CUDAGlobalAttr, NULL) ||
           has_head_word(s, function, "constexpr");
}

/** A function whose end may be reached without a result gets some. */
static void look_at_end(search *s, CXCursor function)
{
    const CXType result = clang_getCanonicalType(clang_getCursorResultType(function));
    const rk_cursors parts = rk_ast_children(function, s->arena);
    if (parts.count == 0 || result.kind == CXType_Void || result.kind == CXType_Invalid ||
        result.kind == CXType_LValueReference || result.kind == CXType_RValueReference ||
        rk_operand_is_dependent(result) || clang_getCursorKind(function) == CXCursor_Constructor ||
        clang_getCursorKind(function) == CXCursor_Destructor)
        return;
    const CXCursor body = parts.items[parts.count - 1];
    const rk_cursors all = rk_ast_children(body, s->arena);
    if (clang_getCursorKind(body) != CXCursor_CompoundStmt ||
        (all.count && clang_getCursorKind(all.items[all.count - 1]) == CXCursor_ReturnStmt))
        return;
    const CXCursor text = s->instance ? s->pattern : function;
    const char *spelled =
        rk_ast_text(clang_getTypeSpelling(clang_getCursorResultType(text)), s->arena);
    const rk_where end = rk_ast_spelling(s->unit, clang_getRangeEnd(clang_getCursorExtent(body)));
    const rk_where use = rk_ast_expansion(s->unit, clang_getRangeEnd(clang_getCursorExtent(body)));
    if (end.file == RK_NONE || end.file != use.file || end.offset != use.offset ||
        s->unit->files.items[end.file]->bytes.data[end.offset - 1] != '}' ||
        strstr(spelled, "auto") || strstr(spelled, "decltype"))
        return;
    const rk_range at = {end.file, end.offset - 1, end.offset - 1};
    add(s, body, &at,
        s->instance ? rk_arena_printf(s->arena, " return ::rk__::rk__unset_as<%s>(); ", spelled)
                    : " return ::rk__::rk__unset(); ",
        "the result");
}

/** Notes an instance whose text is the project's, of a function. */
static void meet(search *s, CXCursor declaration)
{
    if (clang_Cursor_isNull(declaration) || clang_isInvalid(clang_getCursorKind(declaration)))
        return;
    const CXCursor pattern = clang_getSpecializedCursorTemplate(declaration);
    if (clang_Cursor_isNull(pattern) || rk_ast_is_system(pattern))
        return;
    CXCursor definition = clang_getCursorDefinition(declaration);
    if (clang_Cursor_isNull(definition))
        definition = declaration; /* a lambda's has none, and its body all the same */
    for (size_t i = 0; i < s->instances.count; i++)
        if (clang_equalCursors(s->instances.items[i], definition))
            return;
    *rk_push(s->arena, &s->instances) = definition;
}

static void look_inside(search *s, CXCursor cursor, const node *up)
{
    const node n = {cursor, up};
    const rk_cursors children = rk_ast_children(cursor, s->arena);
    for (size_t i = 0; i < children.count; i++)
        look(s, children.items[i], &n);
}

static void look_as(search *s, CXCursor cursor, const node *up, bool device)
{
    const bool before = s->device;
    if (device && !s->instance)
        note_text(s, cursor);
    s->device |= device;
    look_inside(s, cursor, up);
    s->device = before;
}

static void look(search *s, CXCursor cursor, const node *up)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    const node n = {cursor, up};
    if (rk_ast_is_function(kind)) {
        if (is_device(s, cursor))
            look_at_end(s, cursor);
        look_as(s, cursor, up, is_device(s, cursor));
        return;
    }
    if (kind == CXCursor_LambdaExpr) {
        look_as(s, cursor, up, has_head_word(s, cursor, "__device__"));
        return;
    }
    if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr || kind == CXCursor_CallExpr)
        meet(s, clang_getCursorReferenced(cursor));
    if (kind == CXCursor_FieldDecl && !s->device) { /* any class may be used on the device */
        s->device = true;
        note_text(s, cursor);
        look(s, cursor, up);
        s->device = false;
        return;
    }
    if ((kind == CXCursor_VarDecl || kind == CXCursor_FieldDecl) && s->device && !s->instance)
        note_variable(s, cursor);
    if (s->device && !s->instance)
        look_at_template(s, &n);
    s->guess = false;
    if (s->device && (kind == CXCursor_UnexposedExpr || is_explicit(cursor)))
        look_at_cast(s, &n);
    else if (s->device &&
             (kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator))
        look_at_operator(s, cursor);
    else if (s->device && !s->instance && kind == CXCursor_CallExpr) {
        look_at_unresolved(s, cursor);
        look_at_arguments(s, cursor);
        s->guess = false;
    }
    look_inside(s, cursor, up);
}

static enum CXChildVisitResult look_at_file(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    if (rk_sources_ours(s->unit, cursor, &s->last))
        look(s, cursor, NULL);
    return CXChildVisit_Continue;
}

/** Outer operands come before inner ones that begin where they do. */
static int compare(const void *a, const void *b)
{
    const rk_range *x = &((const rk_undefined *)a)->at, *y = &((const rk_undefined *)b)->at;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

/** Whether an instance of the function with this text was met. */
static bool is_met(const search *s, const rk_range *text)
{
    for (size_t i = 0; i < s->instances.count; i++) {
        const CXCursor pattern = clang_getSpecializedCursorTemplate(s->instances.items[i]);
        const CXCursor definition = clang_getCursorDefinition(pattern);
        const rk_where at = rk_ast_expansion(
            s->unit,
            clang_getCursorLocation(clang_Cursor_isNull(definition) ? pattern : definition));
        if (at.file == text->file && text->begin <= at.offset && at.offset < text->end)
            return true;
    }
    return false;
}

static bool names(const search *s, const rk_range *text, const char *name)
{
    const rk_tokens *t = &s->unit->files.items[text->file]->tokens;
    for (size_t i = rk_tokens_at(t, text->begin); i < t->count && t->items[i].offset < text->end;
         i++)
        if (rk_token_is(t, i, name))
            return true;
    return false;
}

/**
 * Which of `texts` an instance may be made of that libclang does not show: those of which it shows none, as of the destructor of
 * a class template, and those that such text names.
 */
static bool *hidden_texts(const search *s)
{
    bool *hidden = RK_NEW_ARRAY(s->arena, bool, s->texts.count + 1);
    for (size_t i = 0; i < s->texts.count; i++) /* instances in other text are shown */
        hidden[i] = s->names.items[i] && !is_met(s, &s->texts.items[i]);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < s->texts.count; i++)
            for (size_t k = 0; s->names.items[i] && k < s->texts.count && !hidden[i]; k++)
                if (hidden[k] && names(s, &s->texts.items[k], s->names.items[i]))
                    hidden[i] = more = true;
    }
    return hidden;
}

/** Tells of arguments in text of which instances are hidden: others say what they convert to. */
static void tell_overloaded(search *s, const bool *hidden)
{
    for (size_t i = 0; i < s->overloaded.count; i++) {
        const CXCursor argument = s->overloaded.items[i];
        const rk_where at =
            rk_ast_expansion(s->unit, clang_getRangeStart(clang_getCursorExtent(argument)));
        for (size_t k = 0; k < s->texts.count; k++) {
            const rk_range *text = &s->texts.items[k];
            if (hidden[k] && text->file == at.file && text->begin <= at.offset &&
                at.offset < text->end)
                tell(s, argument, conversion);
        }
    }
}

/** Leaves out what was guessed where instances say it. */
static void drop_guesses(search *s)
{
    bool any = s->overloaded.count > 0;
    for (size_t i = 0; i < s->unit->undefined.count; i++)
        any |= s->unit->undefined.items[i].guessed;
    const bool *hidden = any ? hidden_texts(s) : NULL;
    tell_overloaded(s, hidden);
    size_t kept = 0;
    for (size_t i = 0; i < s->unit->undefined.count; i++) {
        const rk_undefined *u = &s->unit->undefined.items[i];
        bool keep = !u->guessed;
        for (size_t k = 0; k < s->texts.count && !keep; k++) {
            const rk_range *text = &s->texts.items[k];
            keep = hidden[k] && text->file == u->at.file && text->begin <= u->at.begin &&
                   u->at.end <= text->end;
        }
        if (keep)
            s->unit->undefined.items[kept++] = *u;
    }
    s->unit->undefined.count = kept;
}

void rk_undefined_find(rk_unit *unit)
{
    search s = {.unit = unit, .arena = unit->arena, .pattern = clang_getNullCursor()};
    unit->undefined.count = 0;
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), look_at_file, &s);
    s.instance = true;
    for (size_t i = 0; i < s.instances.count; i++) { /* more are met meanwhile */
        const CXCursor instance = s.instances.items[i];
        s.pattern = clang_getSpecializedCursorTemplate(instance);
        const bool device = is_device(&s, s.pattern);
        if (device)
            look_at_end(&s, instance);
        look_as(&s, instance, NULL, device || is_within(&s, instance));
    }
    drop_guesses(&s);
    if (unit->undefined.count)
        qsort(unit->undefined.items, unit->undefined.count, sizeof *unit->undefined.items, compare);
}
