
#include "convert/facts/shared.h"
#include "convert/clang/ast.h"
#include "convert/clang/parse.h"
#include "convert/cuda/builtins.h"
#include "convert/facts/system.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <string.h>

/** A declaration statement as text, while it is taken apart. */
typedef struct {
    rk_analysis *analysis;
    rk_unit *unit;
    rk_function *f;
    size_t function;
    const rk_tokens *tokens;
    size_t first, last; /**< tokens of the statement, `last` being its `;` */
    size_t marker;      /**< the token that makes it shared */
} statement;

static rk_shared *find_shared(rk_function *f, size_t begin)
{
    for (size_t i = 0; i < f->shared.count; i++)
        if (f->shared.items[i].begin == begin)
            return &f->shared.items[i];
    return NULL;
}

/** Finds the statement's tokens; false when a macro makes it. */
static bool read_statement(statement *s, CXCursor cursor, CXCursor variable)
{
    unsigned begin, end;
    rk_ast_extent(cursor, &begin, &end);
    CXCursor attribute;
    if (!rk_ast_has_attribute(variable, CXCursor_CUDASharedAttr, &attribute))
        return false;
    const rk_where mark = rk_ast_expansion(s->unit, clang_getCursorLocation(attribute));
    const rk_where name = rk_ast_spelling(s->unit, clang_getCursorLocation(variable));
    const rk_where there = rk_ast_expansion(s->unit, clang_getCursorLocation(variable));
    if (mark.file != s->f->definition.file || name.file != mark.file || name.offset != there.offset)
        return false;
    s->tokens = &s->unit->files.items[mark.file]->tokens;
    s->first = rk_tokens_at(s->tokens, begin < mark.offset ? begin : mark.offset);
    s->marker = rk_tokens_at(s->tokens, mark.offset);
    s->last = s->first;
    while (s->last < s->tokens->count && !rk_token_is(s->tokens, s->last, ";")) {
        if (rk_token_is(s->tokens, s->last, "{") || rk_token_is(s->tokens, s->last, "(") ||
            rk_token_is(s->tokens, s->last, "["))
            s->last = rk_tokens_close(s->tokens, s->last);
        s->last++;
    }
    return s->last < s->tokens->count;
}

/** Joins the tokens of [from, to) but `marker` and the storage classes, spaced as in the source. */
static char *join(const statement *s, size_t from, size_t to)
{
    rk_str out = {.arena = s->unit->arena};
    size_t end = RK_NONE;
    for (size_t i = from; i < to; i++) {
        if (i == s->marker || rk_token_is(s->tokens, i, "static") ||
            rk_token_is(s->tokens, i, "extern"))
            continue;
        const rk_token *t = &s->tokens->items[i];
        if (t->kind == RK_TOKEN_DIRECTIVE)
            continue;
        if (end != RK_NONE && end != t->offset)
            rk_str_add(&out, " ");
        rk_str_addn(&out, s->tokens->text + t->offset, t->length);
        end = t->offset + t->length;
    }
    return rk_arena_strdup(s->unit->arena, rk_str_text(&out));
}

/* Local names in the types of shared arrays. */

typedef struct {
    const statement *s;
    rk_cursors locals;
} local_search;

static bool is_local(CXCursor declaration)
{
    CXCursor parent = clang_getCursorSemanticParent(declaration);
    const enum CXCursorKind kind = clang_getCursorKind(declaration);
    if (kind == CXCursor_ParmDecl || kind == CXCursor_TemplateTypeParameter ||
        kind == CXCursor_NonTypeTemplateParameter || kind == CXCursor_TemplateTemplateParameter)
        return false;
    if (kind == CXCursor_EnumConstantDecl)
        parent = clang_getCursorSemanticParent(parent);
    return rk_ast_is_function(clang_getCursorKind(parent));
}

static enum CXChildVisitResult find_locals(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    local_search *search = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_DeclRefExpr && kind != CXCursor_TypeRef)
        return CXChildVisit_Recurse;
    CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target) || !is_local(target))
        return CXChildVisit_Recurse;
    if (clang_getCursorKind(target) == CXCursor_EnumConstantDecl)
        target = clang_getCursorSemanticParent(target);
    *rk_push(search->s->unit->arena, &search->locals) = target;
    return CXChildVisit_Recurse;
}

static void add_hoist(rk_unit *unit, rk_function *f, const char *text)
{
    for (size_t i = 0; i < f->hoists.count; i++)
        if (strcmp(f->hoists.items[i], text) == 0)
            return;
    *rk_push(unit->arena, &f->hoists) = text;
}

/* Names that a type finds by what the body says with `using`. */

/** Whether the declaration is in a namespace that is not around the function. */
static bool is_elsewhere(CXCursor declaration, CXCursor function)
{
    const CXCursor parent = clang_getCursorSemanticParent(declaration);
    if (clang_getCursorKind(parent) != CXCursor_Namespace)
        return false;
    CXCursor around = clang_getCursorSemanticParent(function);
    while (!clang_Cursor_isNull(around) && !clang_isInvalid(clang_getCursorKind(around)) &&
           !clang_isTranslationUnit(clang_getCursorKind(around))) {
        if (clang_equalCursors(clang_getCanonicalCursor(around), clang_getCanonicalCursor(parent)))
            return false;
        around = clang_getCursorSemanticParent(around);
    }
    return true;
}

typedef struct {
    CXCursor function;
    bool found;
} elsewhere_search;

static enum CXChildVisitResult find_elsewhere(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    elsewhere_search *search = data;
    const CXCursor target = clang_getCursorReferenced(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    if (kind == CXCursor_OverloadedDeclRef)
        for (unsigned i = 0; i < clang_getNumOverloadedDecls(target); i++)
            search->found |= is_elsewhere(clang_getOverloadedDecl(target, i), search->function);
    else if (kind == CXCursor_NamespaceAlias)
        search->found |= is_local(target);
    else if (!clang_Cursor_isNull(target) && !clang_isInvalid(kind))
        search->found |= is_elsewhere(target, search->function);
    return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

typedef struct {
    const statement *s;
    unsigned at; /**< where the declaration begins */
} using_search;

/** Takes each `using` of the blocks around the declaration, and before it, along. */
static enum CXChildVisitResult find_using(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    const using_search *search = data;
    const statement *s = search->s;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    unsigned begin, end;
    rk_ast_extent(cursor, &begin, &end);
    if (begin >= search->at)
        return CXChildVisit_Break;
    if (kind == CXCursor_CompoundStmt && end <= search->at)
        return CXChildVisit_Continue;
    if (kind != CXCursor_UsingDirective && kind != CXCursor_UsingDeclaration &&
        kind != CXCursor_NamespaceAlias)
        return clang_isStatement(kind) ? CXChildVisit_Recurse : CXChildVisit_Continue;
    const char *text =
        rk_arena_printf(s->unit->arena, "%.*s;", (int)(end - begin), s->tokens->text + begin);
    for (size_t i = 0; i < s->f->opened.count; i++)
        if (strcmp(s->f->opened.items[i], text) == 0)
            return CXChildVisit_Continue;
    *rk_push(s->unit->arena, &s->f->opened) = text;
    return CXChildVisit_Continue;
}

/** Notes what of the body's `using` the declaration's types are found by. */
static void note_opened(const statement *s, CXCursor variable)
{
    const CXCursor function = s->analysis->cursors.items[s->function];
    elsewhere_search search = {.function = function};
    clang_visitChildren(variable, find_elsewhere, &search);
    using_search take = {s, (unsigned)s->tokens->items[s->first].offset};
    if (search.found)
        clang_visitChildren(function, find_using, &take);
}

/** `static constexpr int N = M + 1;` for a local constant, from its text. */
static const char *constant_text(const statement *s, unsigned begin, unsigned end, CXCursor local)
{
    const rk_where name = rk_ast_spelling(s->unit, clang_getCursorLocation(local));
    const char *text = s->tokens->text;
    rk_str type = {.arena = s->unit->arena};
    bool plain = true;
    for (size_t i = rk_tokens_at(s->tokens, begin);
         i < s->tokens->count && s->tokens->items[i].offset < name.offset; i++) {
        if (rk_token_is(s->tokens, i, "=") || rk_token_is(s->tokens, i, ","))
            plain = false;
        if (!rk_token_is(s->tokens, i, "const") && !rk_token_is(s->tokens, i, "constexpr") &&
            !rk_token_is(s->tokens, i, "static"))
            rk_str_addf(&type, "%s ", rk_token_text(s->tokens, i, s->unit->arena));
    }
    return rk_arena_printf(s->unit->arena, "static constexpr %s%.*s;",
                           plain ? rk_str_text(&type) : "auto ", (int)(end - name.offset),
                           text + name.offset);
}

/** Copies what the local names stand for into the part, innermost first; false if it cannot. */
static bool hoist(statement *s, CXCursor from)
{
    local_search search = {.s = s};
    clang_visitChildren(from, find_locals, &search);
    for (size_t i = 0; i < search.locals.count; i++) {
        const CXCursor local = search.locals.items[i];
        const enum CXCursorKind kind = clang_getCursorKind(local);
        unsigned begin, end;
        rk_ast_extent(local, &begin, &end);
        const rk_where at = rk_ast_spelling(s->unit, clang_getCursorLocation(local));
        if (at.file != s->f->definition.file || begin > at.offset || end < at.offset ||
            !hoist(s, local))
            return false;
        if (kind == CXCursor_VarDecl)
            add_hoist(s->unit, s->f, constant_text(s, begin, end, local));
        else if (kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl ||
                 kind == CXCursor_EnumDecl)
            add_hoist(s->unit, s->f,
                      rk_arena_printf(s->unit->arena, "%.*s;", (int)(end - begin),
                                      s->tokens->text + begin));
        else
            return false;
    }
    return true;
}

static bool has_locals(const statement *s, CXCursor cursor)
{
    local_search search = {.s = s};
    clang_visitChildren(cursor, find_locals, &search);
    return search.locals.count > 0;
}

static enum CXChildVisitResult find_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    bool *found = data;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr) {
        const CXCursor target = clang_getCursorReferenced(cursor);
        *found |= clang_getCursorKind(target) == CXCursor_ParmDecl;
    }
    return *found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/** Whether the type is of a parameter of the function, as in `decltype(in[0] + 0)`. */
static bool has_parameter(CXCursor variable)
{
    bool found = false;
    clang_visitChildren(variable, find_parameter, &found);
    return found;
}

/** Whether a `#define` inside the function before the statement could be in its text. */
static bool has_local_macros(const statement *s)
{
    const size_t begin = s->f->definition.end;
    for (size_t i = rk_tokens_at(s->tokens, begin); i < s->first; i++)
        if (s->tokens->items[i].kind == RK_TOKEN_DIRECTIVE &&
            strcmp(rk_directive_of(s->tokens, i, s->unit->arena).name, "define") == 0)
            return true;
    return false;
}

/** The member by its canonical type: "float As[16][17];". NULL when that has no such name. */
static const char *canonical_field(const statement *s, CXCursor variable, const char *name)
{
    rk_arena *arena = s->unit->arena;
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    rk_str dims = {.arena = arena};
    while (type.kind == CXType_ConstantArray) {
        rk_str_addf(&dims, "[%lld]", clang_getArraySize(type));
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    }
    const CXCursor record = clang_getTypeDeclaration(type);
    if (!clang_Cursor_isNull(record) && is_local(record))
        return NULL;
    const char *text = rk_ast_type_text(type, arena);
    return strchr(text, '(') ? NULL
                             : rk_arena_printf(arena, "%s %s%s;", text, name, rk_str_text(&dims));
}

/**
 * Arrays are aligned to 16 bytes, as in practice CUDA's are: kernels read them as float4. Scalars
 * are not, so that a part is no larger than it must be. More is the type's own.
 */
static bool needs_alignment(CXCursor variable)
{
    const CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    return (type.kind == CXType_ConstantArray || type.kind == CXType_DependentSizedArray) &&
           (rk_ast_size_of(type) < 0 || clang_Type_getAlignOf(type) <= 16);
}

static bool name_taken(const rk_function *f, const char *name)
{
    for (size_t i = 0; i < f->shared.count; i++)
        for (size_t m = 0; m < f->shared.items[i].members.count; m++)
            if (strcmp(f->shared.items[i].members.items[m], name) == 0)
                return true;
    return false;
}

/** The members as the statement has them; `variables` are its children. */
static const char *whole_statement(const statement *s, const rk_cursors *variables)
{
    const char *text = rk_arena_printf(s->unit->arena, "%s;", join(s, s->first, s->last));
    for (size_t i = 0; i < variables->count; i++)
        if (clang_getCursorKind(variables->items[i]) == CXCursor_VarDecl &&
            needs_alignment(variables->items[i]))
            return rk_arena_printf(s->unit->arena, "alignas(16) %s", text);
    return text;
}

/** Gives each variable a member of a name that no other statement has; whether one is another. */
static bool name_members(statement *s, rk_shared *shared, const rk_cursors *variables)
{
    rk_arena *arena = s->unit->arena;
    bool renamed = false;
    for (size_t i = 0; i < variables->count; i++) {
        const char *name = rk_ast_name(variables->items[i], arena);
        const char *member = name;
        for (int n = 2; name_taken(s->f, member); n++) {
            member = rk_arena_printf(arena, "%s_%d", name, n);
            renamed = true;
        }
        *rk_push(arena, &shared->names) = name;
        *rk_push(arena, &shared->members) = member;
    }
    return renamed;
}

/** The members by their canonical types; NULL when one depends on template parameters. */
static const char *canonical_fields(const statement *s, const rk_shared *shared,
                                    const rk_cursors *variables)
{
    rk_arena *arena = s->unit->arena;
    rk_str fields = {.arena = arena};
    for (size_t i = 0; i < variables->count; i++) {
        const CXCursor variable = variables->items[i];
        if (rk_ast_size_of(clang_getCursorType(variable)) < 0)
            return NULL;
        const char *field = canonical_field(s, variable, shared->members.items[i]);
        if (!field)
            return NULL;
        rk_str_addf(&fields, "%s%s%s", i ? " " : "",
                    needs_alignment(variable) ? "alignas(16) " : "", field);
    }
    return rk_arena_strdup(arena, rk_str_text(&fields));
}

static bool declare_static(statement *s, rk_shared *shared, CXCursor cursor)
{
    const rk_cursors children = rk_ast_children(cursor, s->unit->arena);
    rk_cursors variables = {0};
    bool plain = !has_local_macros(s), of_parameter = false;
    for (size_t i = 0; i < children.count; i++) {
        if (clang_getCursorKind(children.items[i]) != CXCursor_VarDecl)
            continue;
        *rk_push(s->unit->arena, &variables) = children.items[i];
        of_parameter |= has_parameter(children.items[i]);
        plain &= !has_locals(s, children.items[i]) && !of_parameter;
    }
    const bool renamed = name_members(s, shared, &variables);
    if (plain && !renamed) {
        shared->fields = whole_statement(s, &variables);
        return true;
    }
    shared->fields = canonical_fields(s, shared, &variables);
    if (shared->fields)
        return true;
    if (renamed || of_parameter || has_local_macros(s))
        return false;
    for (size_t i = 0; i < variables.count; i++)
        if (!hoist(s, variables.items[i]))
            return false;
    shared->fields = whole_statement(s, &variables);
    return true;
}

/** Skips `__align__(16)` and `alignas(16)`: dynamic memory is aligned for any type of CUDA's. */
static size_t skip_alignment(const rk_tokens *tokens, size_t i)
{
    if ((rk_token_is(tokens, i, "__align__") || rk_token_is(tokens, i, "alignas") ||
         rk_token_is(tokens, i, "__attribute__")) &&
        rk_token_is(tokens, i + 1, "("))
        return rk_tokens_close(tokens, i + 1) + 1;
    return i;
}

/** What the pointer is that takes the place of `extern __shared__ T name[]`; false when the declarator is another. */
static bool dynamic_pointer(const statement *s, rk_shared *shared, const char *name)
{
    rk_arena *arena = s->unit->arena;
    rk_str type = {.arena = arena};
    size_t i = s->first;
    for (;;) {
        const size_t skipped = skip_alignment(s->tokens, i);
        if (skipped != i) {
            i = skipped;
            continue;
        }
        if (i >= s->last || rk_token_is(s->tokens, i, "("))
            return false;
        if (rk_token_is(s->tokens, i, name))
            break;
        const char *text = join(s, i, i + 1);
        if (*text)
            rk_str_addf(&type, "%s%s", type.length && strcmp(text, "::") ? " " : "", text);
        i++;
    }
    if (!rk_token_is(s->tokens, i + 1, "[") || !rk_token_is(s->tokens, i + 2, "]"))
        return false;
    const char *rest = join(s, i + 3, s->last);
    if (strchr(rest, ',') || strchr(rest, '='))
        return false;
    shared->declares = rk_arena_printf(arena, "%s *%s", *rest ? "auto" : rk_str_text(&type), name);
    shared->type = rk_arena_printf(arena, "<%s%s>", rk_str_text(&type), rest);
    return true;
}

const char *rk_shared_pointer(const rk_shared *shared, bool context, rk_arena *arena)
{
    return rk_arena_printf(arena, "%s = %s%s();", shared->declares,
                           context ? "rk__ctx.template dynamic_shared" : "rk__::bare_shared",
                           shared->type);
}

/** Whether the compiler found that something would have to initialise the variable. */
static bool is_initialised(const rk_unit *unit, CXCursor variable)
{
    const CXSourceLocation at = clang_getCursorLocation(variable);
    const unsigned count = clang_getNumDiagnostics(unit->tu);
    bool found = false;
    for (unsigned i = 0; i < count && !found; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->tu, i);
        found = clang_equalLocations(clang_getDiagnosticLocation(diagnostic), at) &&
                rk_str_starts(rk_ast_text(clang_getDiagnosticSpelling(diagnostic), unit->arena),
                              RK_PARSE_INITIALISED);
        clang_disposeDiagnostic(diagnostic);
    }
    return found;
}

/**
 * Whether a variable is, or is an array of, what libcu++ has for threads to meet in shared memory: its
 * constructors do nothing there, init() and make_pipeline() do. `own` says of a barrier, which nothing
 * ends but the kernel; the last thread that leaves a pipeline ends it.
 */
static bool is_meeting(CXCursor variable, bool *own, rk_arena *arena)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    const CXCursor declaration = clang_getTypeDeclaration(type);
    const unsigned is = rk_cuda_find(RK_IN_LIBCU, rk_ast_name(declaration, arena))->is;
    *own = (is & RK_IS_BARRIER) != 0;
    return (is & RK_IS_MEETING) && rk_ast_is_system(declaration) &&
           rk_system_in_namespace(declaration, RK_IN_LIBCU, arena);
}

/** The kernel's barriers count it among their waits, and end behind all else that it does. */
static void declare_meeting(rk_unit *unit, size_t function, rk_place place, const char *name)
{
    rk_function *f = unit->functions.items[function];
    if (!f->kernel) {
        rk_problem_add(unit, function, RK_REFUSED, "RK-V122", place,
                       "declare it in the kernel, and pass a reference to it",
                       "'%s', a barrier in shared memory, is declared in a helper", name);
        return;
    }
    f->meets = true;
    f->uses |= RK_USE_GROUP_SYNC;
    *rk_push(unit->arena, &f->events) = (rk_event){.kind = RK_EVENT_BARRIER, .at = f->end - 1};
}

void rk_shared_declare(rk_analysis *analysis, size_t body, CXCursor cursor, CXCursor variable)
{
    const size_t function = analysis->bodies.items[body].function;
    rk_unit *unit = analysis->unit;
    rk_function *f = unit->functions.items[function];
    statement s = {.analysis = analysis, .unit = unit, .f = f, .function = function};
    const rk_place place = rk_ast_place(clang_getCursorLocation(variable), unit->arena);
    const char *name = rk_ast_name(variable, unit->arena);
    if (!read_statement(&s, cursor, variable)) {
        *rk_push(unit->arena, &unit->macro_uses) =
            rk_ast_expansion(unit, clang_getCursorLocation(variable));
        rk_problem_add(unit, function, RK_REFUSED, "RK-V115", place, "write the declaration out",
                       "a macro declares the shared array '%s'", name);
        return;
    }
    const size_t begin = s.tokens->items[s.first].offset;
    if (find_shared(f, begin))
        return;
    if ((f->is_template || f->class_template) && !analysis->bodies.items[body].pattern) {
        rk_problem_add(unit, function, RK_REFUSED, "RK-V119", place,
                       "declare it in the function's own block",
                       "the shared array '%s' is only there for some arguments", name);
        return;
    }
    bool own;
    const bool meeting = is_meeting(variable, &own, unit->arena);
    if (meeting) {
        declare_meeting(unit, function, place, name);
        if (!own && f->is_template && rk_ast_size_of(clang_getCursorType(variable)) >= 0)
            rk_problem_add(
                unit, function, RK_REFUSED, "RK-V122", place,
                "make its type depend on a template parameter, as the stages' number can",
                "'%s' keeps clang from making instances of '%s'", name, f->name);
    } else if (is_initialised(unit, variable)) {
        rk_problem_add(unit, function, RK_REFUSED, "RK-V119", place,
                       "give its type no constructor that does something",
                       "'%s', in shared memory, has a constructor, which CUDA does not run", name);
        return;
    }
    rk_shared shared = {.begin = begin,
                        .end = s.tokens->items[s.last].offset + 1,
                        .barrier = meeting && own,
                        .dynamic = clang_Cursor_getStorageClass(variable) == CX_SC_Extern};
    bool done = true;
    if (shared.dynamic) {
        *rk_push(unit->arena, &shared.names) = name;
        done = dynamic_pointer(&s, &shared, name);
    } else {
        done = declare_static(&s, &shared, cursor);
    }
    if (done && !shared.dynamic)
        note_opened(&s, variable);
    if (!done || (f->in_class && f->opened.count))
        rk_problem_add(unit, function, RK_REFUSED, "RK-V119", place,
                       "declare its type outside of the function, in a plain declaration",
                       "the declaration of the shared array '%s' cannot be moved", name);
    *rk_push(unit->arena, &f->shared) = shared;
}

/** Reads the statement at file scope that declares the variable; false when a macro makes it. */
static bool read_file_statement(statement *s, CXCursor variable)
{
    rk_unit *unit = s->unit;
    const rk_where at = rk_ast_spelling(unit, clang_getCursorLocation(variable));
    const rk_where outer = rk_ast_expansion(unit, clang_getCursorLocation(variable));
    unsigned begin, end;
    CXCursor mark;
    rk_ast_extent(variable, &begin, &end);
    if (at.file == RK_NONE || at.file != outer.file || at.offset != outer.offset ||
        !rk_ast_has_attribute(variable, CXCursor_CUDASharedAttr, &mark))
        return false;
    const rk_where marker = rk_ast_expansion(unit, clang_getCursorLocation(mark));
    if (marker.file != at.file)
        return false;
    s->tokens = &unit->files.items[at.file]->tokens;
    s->first = rk_tokens_at(s->tokens, begin < marker.offset ? begin : marker.offset);
    s->marker = rk_tokens_at(s->tokens, marker.offset);
    s->last = rk_tokens_at(s->tokens, at.offset);
    while (s->last < s->tokens->count && !rk_token_is(s->tokens, s->last, ";"))
        s->last++;
    while (s->first > 0 && (rk_token_is(s->tokens, s->first - 1, "static") ||
                            rk_token_is(s->tokens, s->first - 1, "__device__")))
        s->first--;
    return s->last < s->tokens->count;
}

/** The variable's namespaces, "a::b::"; NULL when it is in something else. */
static const char *variable_scope(CXCursor variable, rk_arena *arena)
{
    const char *scope = "";
    CXCursor parent = clang_getCursorSemanticParent(variable);
    for (; !clang_isTranslationUnit(clang_getCursorKind(parent));
         parent = clang_getCursorSemanticParent(parent)) {
        if (clang_getCursorKind(parent) != CXCursor_Namespace)
            return NULL;
        if (!clang_Cursor_isAnonymous(parent))
            scope = rk_arena_printf(arena, "%s::%s", rk_ast_name(parent, arena), scope);
    }
    return scope;
}

/**
 * A static array at file scope is one for each block, whichever functions name it: its statement becomes
 * a part of its own. NULL when it declares more than that array.
 */
static const char *file_part(const statement *s, CXCursor variable, const char *name)
{
    rk_arena *arena = s->unit->arena;
    const char *scope = variable_scope(variable, arena);
    const size_t file = rk_ast_spelling(s->unit, clang_getCursorLocation(variable)).file;
    if (!scope)
        return NULL;
    for (size_t i = s->first; i < s->last; i++) {
        if (rk_token_is(s->tokens, i, "[") || rk_token_is(s->tokens, i, "("))
            i = rk_tokens_close(s->tokens, i);
        else if (rk_token_is(s->tokens, i, ",") || rk_token_is(s->tokens, i, "=") ||
                 rk_token_is(s->tokens, i, "{") || rk_token_is(s->tokens, i, "<"))
            return NULL;
    }
    size_t from = s->first;
    while (rk_token_is(s->tokens, from, "static") || rk_token_is(s->tokens, from, "__device__"))
        from++;
    const char *text =
        rk_arena_printf(arena, "struct %s_rk__shared { %s%s; };", name,
                        needs_alignment(variable) ? "alignas(16) " : "", join(s, from, s->last));
    const rk_token *first = &s->tokens->items[s->first], *last = &s->tokens->items[s->last];
    *rk_push(arena, &s->f->file_edits) =
        (rk_text_edit){file, first->offset, last->offset + last->length - first->offset, text};
    const char *part = rk_arena_printf(arena, "%s%s_rk__shared", scope, name);
    *rk_push(arena, &s->f->file_parts) = part;
    return rk_arena_printf(arena, "auto &%s = rk__ctx.template shared<%s>().%s;", name, part, name);
}

void rk_shared_at_file_scope(rk_analysis *analysis, size_t function, CXCursor variable,
                             rk_place place)
{
    rk_unit *unit = analysis->unit;
    rk_function *f = unit->functions.items[function];
    const char *name = rk_ast_name(variable, unit->arena);
    statement s = {.analysis = analysis, .unit = unit, .f = f, .function = function};
    for (size_t i = 0; i < f->file_names.count; i++)
        if (strcmp(f->file_names.items[i], name) == 0)
            return;
    *rk_push(unit->arena, &f->file_names) = name;
    const bool dynamic = clang_Cursor_getStorageClass(variable) == CX_SC_Extern;
    const char *text = NULL;
    rk_shared shared = {0};
    const bool there = read_file_statement(&s, variable);
    if (there && !dynamic)
        text = file_part(&s, variable, name);
    else if (there && dynamic_pointer(&s, &shared, name))
        text = rk_shared_pointer(&shared, true, unit->arena);
    if (text)
        *rk_push(unit->arena, &f->file_shared) = text;
    else
        rk_problem_add(unit, function, RK_REFUSED, "RK-V119", place,
                       "declare it in the function that uses it",
                       "the shared array '%s' at file scope cannot be moved", name);
}
