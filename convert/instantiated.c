#include "convert/instantiated.h"

#include "convert/harvest.h"
#include "convert/parse.h"
#include "convert/sources.h"

#include <stdlib.h>
#include <string.h>

/** Divides by zero in each instance, which has a name of its own to take the size of. */
static const char mark[] =
    " _Pragma(\"clang diagnostic push\") _Pragma(\"clang diagnostic warning \\\"-Wdivision-by-zero\\\"\") "
    "(void)(1 / (0 * sizeof __PRETTY_FUNCTION__)); _Pragma(\"clang diagnostic pop\") ";

static const char variable[] = "rk_instance_";

static bool has_unknown(const rk_unit *unit)
{
    const rk_harvest harvest = rk_harvest_launches(unit->tu, unit->arena);
    for (size_t i = 0; i < harvest.count; i++)
        if (!harvest.items[i].id)
            return true;
    return false;
}

/** A file's text with a mark in each kernel. */
static rk_bytes marked(const rk_program *program, size_t file)
{
    rk_arena *arena = program->unit->arena;
    const rk_bytes *source = &program->unit->files.items[file]->bytes;
    rk_edits edits = {.arena = arena};
    for (size_t i = 0; i < program->functions.count; i++) {
        const rk_device_text *f = &program->functions.items[i];
        if (f->kernel && f->stretch->file == file && !f->stretch->macro)
            rk_edits_insert(&edits, f->stretch->base + f->stretch->tokens.items[f->body].offset + 1,
                            0, mark);
    }
    size_t conflict[2], size;
    const char *text = rk_edits_apply(&edits, source->data, source->size, &size, conflict);
    return text ? (rk_bytes){(char *)text, size} : *source;
}

/** "ns::k<float, 3>" of "... template specialization 'ns::(anonymous namespace)::k<float, 3>' requested here". */
static const char *name_in(const char *note, rk_arena *arena)
{
    static const char before[] = "in instantiation of function template specialization '";
    static const char unnamed[] = "(anonymous namespace)::", after[] = "' requested";
    const char *end = strstr(note, after);
    if (!rk_str_starts(note, before) || !end)
        return NULL;
    rk_str out = {.arena = arena};
    for (const char *at = note + strlen(before); at < end;) {
        if (rk_str_starts(at, unnamed))
            at += strlen(unnamed);
        else
            rk_str_addn(&out, at++, 1);
    }
    return rk_str_text(&out);
}

static void add_name(rk_unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->listed.count; i++)
        if (strcmp(unit->listed.items[i].name, name) == 0)
            return;
    *rk_push(unit->arena, &unit->listed) = (rk_listed){.name = name};
}

/** The instances that the warnings of the marks name. */
static void read_names(rk_unit *unit)
{
    const unsigned count = clang_getNumDiagnostics(unit->tu);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->tu, i);
        const char *option = rk_ast_text(clang_getDiagnosticOption(diagnostic, NULL), unit->arena);
        CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
        const unsigned note_count =
            strcmp(option, "-Wdivision-by-zero") == 0 ? clang_getNumDiagnosticsInSet(notes) : 0;
        const char *name = NULL;
        for (unsigned k = 0; k < note_count && !name; k++) {
            CXDiagnostic note = clang_getDiagnosticInSet(notes, k);
            name =
                name_in(rk_ast_text(clang_getDiagnosticSpelling(note), unit->arena), unit->arena);
            clang_disposeDiagnostic(note);
        }
        if (name)
            add_name(unit, name);
        clang_disposeDiagnostic(diagnostic);
    }
}

bool rk_instantiated_list(rk_program *program)
{
    rk_unit *unit = program->unit;
    if (!has_unknown(unit))
        return true;
    rk_bytes *texts = RK_NEW_ARRAY(unit->arena, rk_bytes, unit->files.count);
    for (size_t i = 0; i < unit->files.count; i++)
        texts[i] = marked(program, i);
    if (!rk_parse_in_place(unit, texts))
        return false;
    read_names(unit);
    rk_str out = {.arena = unit->arena};
    for (size_t i = 0; i < unit->files.count; i++)
        texts[i] = unit->files.items[i]->bytes;
    rk_str_addn(&out, texts[0].data, texts[0].size);
    for (size_t i = 0; i < unit->listed.count; i++)
        rk_str_addf(&out, "\nstatic void *const %s%zu = (void *)&::%s;", variable, i,
                    unit->listed.items[i].name);
    rk_str_add(&out, "\n");
    texts[0] = (rk_bytes){out.text, out.length};
    return rk_parse_in_place(unit, texts);
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
    v->visit(v->analysis, reference, unit->listed.items[i].name);
    return CXChildVisit_Continue;
}

void rk_instantiated_each(rk_analysis *analysis, rk_instantiated_visit visit)
{
    visitor v = {analysis, visit};
    if (analysis->unit->listed.count)
        clang_visitChildren(clang_getTranslationUnitCursor(analysis->unit->tu), visit_variable, &v);
}

bool rk_instantiated_all(const rk_unit *unit, const rk_function *kernel)
{
    const char *name = rk_arena_printf(unit->arena, "%s%s<", kernel->scope, kernel->name);
    bool any = false;
    for (size_t i = 0; i < unit->listed.count; i++) {
        if (!rk_str_starts(unit->listed.items[i].name, name))
            continue;
        if (!unit->listed.items[i].shown)
            return false;
        any = true;
    }
    return any;
}
