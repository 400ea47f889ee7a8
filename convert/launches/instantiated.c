#include "convert/launches/instantiated.h"

#include "convert/clang/parse.h"
#include "convert/clang/template_args.h"
#include "convert/launches/harvest_internal.h"
#include "convert/unit/sources.h"

#include <stdlib.h>
#include <string.h>

/** Divides by zero in each instance, which has a name of its own to take the size of. */
#define DIVISION "/ (0 * sizeof __PRETTY_FUNCTION__)"
static const char mark[] =
    " _Pragma(\"clang diagnostic push\") _Pragma(\"clang diagnostic warning \\\"-Wdivision-by-zero\\\"\") "
    "(void)(1 " DIVISION "); _Pragma(\"clang diagnostic pop\") ";

static const char variable[] = "rk__instance_";

/* Which templates are marked. */

/** A function of the project with a body. */
typedef struct {
    const char *name;
    CXCursor cursor;
    rk_where body;  /**< its `{`, RK_NONE where there is no place for a mark */
    bool dependent; /**< a template, or a member of a class template */
    bool kernel;
    bool launches; /**< kernels, itself or by what it names */
    RK_VEC(const char *) names;
} candidate;

typedef struct {
    rk_unit *unit;
    RK_VEC(candidate) items;
    rk_last_file last;
} candidates;

static enum CXChildVisitResult note_names(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    candidates *c = data;
    candidate *own = &c->items.items[c->items.count - 1];
    rk_arena *arena = c->unit->arena;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CallExpr:
        own->launches |=
            (rk_cuda_find(RK_IN_PLAIN, rk_ast_name(cursor, arena))->host & RK_HOST_CONFIGURE) != 0;
        break;
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
    case CXCursor_OverloadedDeclRef:
    case CXCursor_MemberRef:
        *rk_push(arena, &own->names) = rk_ast_name(cursor, arena);
        break;
    default:
        break;
    }
    return CXChildVisit_Recurse;
}

static void add_candidate(candidates *c, CXCursor function, bool in_template)
{
    rk_arena *arena = c->unit->arena;
    const rk_cursors children = rk_ast_children(function, arena);
    const CXCursor body =
        children.count ? children.items[children.count - 1] : clang_getNullCursor();
    if (clang_getCursorKind(body) != CXCursor_CompoundStmt)
        return;
    rk_where at = rk_ast_spelling(c->unit, clang_getRangeStart(clang_getCursorExtent(body)));
    if (at.file != RK_NONE && c->unit->files.items[at.file]->bytes.data[at.offset] != '{')
        at.file = RK_NONE;
    *rk_push(arena, &c->items) = (candidate){
        .name = rk_ast_name(function, arena),
        .cursor = function,
        .body = at,
        .dependent = in_template || clang_getCursorKind(function) == CXCursor_FunctionTemplate,
        .kernel = rk_ast_has_attribute(function, CXCursor_CUDAGlobalAttr, NULL)};
    clang_visitChildren(function, note_names, c);
}

static bool is_class_template(CXCursor cursor)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization;
}

static enum CXChildVisitResult find_candidates(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    candidates *c = data;
    if (!rk_sources_ours(c->unit, cursor, &c->last))
        return CXChildVisit_Continue;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (rk_ast_holds_declarations(kind))
        return CXChildVisit_Recurse;
    if (!rk_ast_is_function(kind))
        return CXChildVisit_Continue;
    bool in_template = false;
    for (CXCursor up = clang_getCursorSemanticParent(cursor);
         clang_isDeclaration(clang_getCursorKind(up)); up = clang_getCursorSemanticParent(up))
        in_template |= is_class_template(up);
    add_candidate(c, cursor, in_template);
    return CXChildVisit_Continue;
}

static bool has_name(const candidate *one, const char *const *names, size_t count)
{
    for (size_t i = 0; i < one->names.count; i++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(one->names.items[i], names[k]) == 0)
                return true;
    return false;
}

/** A function that names a kernel, or a function that launches, may launch too. */
static void follow_names(candidates *c)
{
    RK_VEC(const char *) names = {0};
    size_t before;
    for (size_t i = 0; i < c->items.count; i++)
        if (c->items.items[i].kernel || c->items.items[i].launches)
            *rk_push(c->unit->arena, &names) = c->items.items[i].name;
    do {
        before = names.count;
        for (size_t i = 0; i < c->items.count; i++) {
            candidate *one = &c->items.items[i];
            if (one->launches || one->kernel || !has_name(one, names.items, names.count))
                continue;
            one->launches = true;
            *rk_push(c->unit->arena, &names) = one->name;
        }
    } while (names.count > before);
}

static bool has_place(const candidate *one)
{
    return one->dependent && (one->kernel || one->launches) && one->body.file != RK_NONE;
}

/** Each file's text with a mark in each of the templates. */
static rk_bytes *marked(const candidates *c)
{
    rk_unit *unit = c->unit;
    rk_bytes *texts = RK_NEW_ARRAY(unit->arena, rk_bytes, unit->files.count);
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_bytes *source = &unit->files.items[f]->bytes;
        rk_edits edits = {.arena = unit->arena};
        for (size_t i = 0; i < c->items.count; i++) {
            const rk_where at = c->items.items[i].body;
            bool known = false; /* one text of a macro is many functions' */
            for (size_t k = 0; k < edits.list.count; k++)
                known |= edits.list.items[k].offset == at.offset + 1;
            if (has_place(&c->items.items[i]) && at.file == f && !known)
                rk_edits_insert(&edits, at.offset + 1, 0, mark);
        }
        size_t conflict[2], size;
        const char *text = rk_edits_apply(&edits, source->data, source->size, &size, conflict);
        texts[f] = text ? (rk_bytes){(char *)text, size} : *source;
    }
    return texts;
}

/** Whether the text of some file instantiates explicitly: `template` without a parameter list. */
static bool instantiates(const rk_unit *unit)
{
    static const char word[] = "template";
    for (size_t f = 0; f < unit->files.count; f++) {
        const char *at = unit->files.items[f]->bytes.data;
        const char *const end = at + unit->files.items[f]->bytes.size;
        while ((at = memmem(at, (size_t)(end - at), word, strlen(word)))) {
            at += strlen(word);
            const size_t space = strspn(at, " \t\r\n\\");
            if (space && at[space] != '<')
                return true;
        }
    }
    return false;
}

/* What the compiler says. */

/** "ns::k<float, 3>" of "... '(anonymous namespace)::k<float, 3>' requested here". */
static const char *name_in(const char *note, rk_arena *arena)
{
    static const char *const before[] = {"in instantiation of function template specialization '",
                                         "in instantiation of member function '"};
    const char *end = strstr(note, "' requested");
    for (size_t i = 0; end && i < sizeof before / sizeof *before; i++)
        if (rk_str_starts(note, before[i])) {
            note += strlen(before[i]);
            return rk_ast_named(rk_arena_strndup(arena, note, (size_t)(end - note)), arena);
        }
    return NULL;
}

static void add_name(rk_unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->listed.count; i++)
        if (strcmp(unit->listed.items[i].name, name) == 0)
            return;
    *rk_push(unit->arena, &unit->listed) = (rk_listed){.name = name};
}

/** Whether a diagnostic's place is that of the division in a mark. */
static bool is_at_mark(const rk_unit *unit, const rk_bytes *texts, CXDiagnostic diagnostic)
{
    const size_t length = strlen(DIVISION);
    const rk_where at = rk_ast_spelling(unit, clang_getDiagnosticLocation(diagnostic));
    return at.file != RK_NONE && at.offset + length <= texts[at.file].size &&
           memcmp(texts[at.file].data + at.offset, DIVISION, length) == 0;
}

/** The name of the instance that a mark's warning is of; NULL where no note says it in words that are known. */
static const char *name_of(CXDiagnostic diagnostic, rk_arena *arena)
{
    CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
    const char *name = NULL;
    for (unsigned k = 0; k < clang_getNumDiagnosticsInSet(notes) && !name; k++) {
        CXDiagnostic note = clang_getDiagnosticInSet(notes, k);
        name = name_in(rk_ast_text(clang_getDiagnosticSpelling(note), arena), arena);
        clang_disposeDiagnostic(note);
    }
    return name;
}

/**
 * The instances that the warnings of the marks name. False with RK-V003 where one does not, which would be lost. What
 * another diagnostic of the same instance said before it is not said again.
 */
static bool read_names(rk_unit *unit, const rk_bytes *texts)
{
    const unsigned count = clang_getNumDiagnostics(unit->tu);
    const char *last = NULL;
    bool all = true;
    for (unsigned i = 0; i < count && all; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->tu, i);
        const char *option = rk_ast_text(clang_getDiagnosticOption(diagnostic, NULL), unit->arena);
        const char *said = name_of(diagnostic, unit->arena);
        const bool division = strcmp(option, "-Wdivision-by-zero") == 0;
        const bool marked = division && is_at_mark(unit, texts, diagnostic);
        last = said ? said : last;
        if (division && (said || (marked && last)))
            add_name(unit, said ? said : last);
        all = !marked || last;
        if (!all)
            rk_diag_add(unit->diag, RK_ERROR, "RK-V003",
                        rk_ast_place(clang_getDiagnosticLocation(diagnostic), unit->arena),
                        "report this file to us, and which libclang this is",
                        "libclang does not say in words that are known which instance this is");
        clang_disposeDiagnostic(diagnostic);
    }
    return all;
}

/** A lambda's operator and a constructor have no address; a type without a name cannot be written. */
static bool has_address(const char *name)
{
    return !strstr(name, "(lambda") && !strstr(name, "(unnamed") && !strstr(name, "(anonymous") &&
           !strstr(name, ")::");
}

/** Whether the harvest shows an instance of that name: as a kernel, or as what launches. */
static bool is_known(const rk_harvest *harvest, const char *name, rk_arena *arena)
{
    for (size_t i = 0; i < harvest->count; i++) {
        const rk_harvested *item = &harvest->items[i];
        if (strcmp(item->launch.function, name) == 0 ||
            (item->id && !clang_Cursor_isNull(item->instance) &&
             strcmp(rk_template_function_name(arena, item->instance), name) == 0))
            return true;
    }
    return false;
}

/** Whether the harvest shows all that is listed, and knows what each launch launches. */
static bool is_complete(const rk_unit *unit, const rk_harvest *harvest)
{
    for (size_t i = 0; i < harvest->count; i++)
        if (!harvest->items[i].id)
            return false;
    for (size_t i = 0; i < unit->listed.count; i++)
        if (!is_known(harvest, unit->listed.items[i].name, unit->arena))
            return false;
    return true;
}

/** Parses the source with the variables after its end. */
static bool parse_with_variables(rk_unit *unit)
{
    rk_bytes *texts = RK_NEW_ARRAY(unit->arena, rk_bytes, unit->files.count);
    rk_str out = {.arena = unit->arena};
    for (size_t i = 0; i < unit->files.count; i++)
        texts[i] = unit->files.items[i]->bytes;
    rk_str_addn(&out, texts[0].data, texts[0].size);
    for (size_t i = 0; i < unit->listed.count; i++)
        if (has_address(unit->listed.items[i].name))
            rk_str_addf(&out, "\nstatic const auto %s%zu = &::%s;", variable, i,
                        unit->listed.items[i].name);
    rk_str_add(&out, "\n");
    texts[0] = (rk_bytes){out.text, out.length};
    return rk_parse_in_place(unit, texts);
}

bool rk_instantiated_list(rk_unit *unit)
{
    candidates c = {.unit = unit};
    bool templates = false, launchers = false;
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), find_candidates, &c);
    follow_names(&c);
    for (size_t i = 0; i < c.items.count; i++) {
        templates |= c.items.items[i].dependent && c.items.items[i].kernel;
        launchers |= c.items.items[i].dependent && c.items.items[i].launches;
    }
    if (!templates && !launchers)
        return true;
    const rk_harvest harvest = rk_harvest_launches(unit->tu, unit->arena);
    if (!launchers && !instantiates(unit) && is_complete(unit, &harvest))
        return true;
    const CXTranslationUnit shown = unit->tu;
    const CXIndex index = unit->index;
    unit->tu = NULL;
    unit->index = NULL;
    const rk_bytes *texts = marked(&c);
    const bool ok = rk_parse_in_place(unit, texts) && read_names(unit, texts);
    const bool complete = ok && is_complete(unit, &harvest);
    rk_parse_close(unit);
    unit->tu = shown;
    unit->index = index;
    return ok && (complete || parse_with_variables(unit));
}

typedef struct {
    rk_analysis *analysis;
    rk_instantiated_visit visit;
} visitor;

static enum CXChildVisitResult find_reference(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_DeclRefExpr)
        return CXChildVisit_Recurse;
    *(CXCursor *)data = cursor;
    return CXChildVisit_Break;
}

static enum CXChildVisitResult visit_variable(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    const visitor *v = data;
    rk_unit *unit = v->analysis->unit;
    if (clang_getCursorKind(cursor) != CXCursor_VarDecl)
        return CXChildVisit_Continue;
    const char *name = rk_ast_name(cursor, unit->arena);
    if (!rk_str_starts(name, variable))
        return CXChildVisit_Continue;
    const size_t i = strtoul(name + strlen(variable), NULL, 10);
    CXCursor reference = clang_getNullCursor();
    clang_visitChildren(cursor, find_reference, &reference);
    if (i >= unit->listed.count || clang_Cursor_isNull(reference) ||
        clang_getCursorKind(clang_getCursorReferenced(reference)) != CXCursor_FunctionDecl)
        return CXChildVisit_Continue;
    unit->listed.items[i].shown = true;
    v->visit(v->analysis, reference);
    return CXChildVisit_Continue;
}

void rk_instantiated_each(rk_analysis *analysis, rk_instantiated_visit visit)
{
    visitor v = {analysis, visit};
    if (analysis->unit->listed.count)
        clang_visitChildren(clang_getTranslationUnitCursor(analysis->unit->tu), visit_variable, &v);
}
