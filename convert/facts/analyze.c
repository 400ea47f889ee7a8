#include "convert/facts/analyze.h"

#include "convert/clang/template_args.h"
#include "convert/facts/initial_values.h"
#include "convert/facts/phases.h"
#include "convert/facts/scopes.h"
#include "convert/facts/template_heads.h"
#include "convert/facts/walk.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <ctype.h>
#include <string.h>

/** The offset after the last `;`, `{`, `}` or directive before `offset`, brackets skipped. */
static size_t statement_floor(const rk_tokens *tokens, size_t offset)
{
    size_t i = rk_tokens_at(tokens, offset);
    while (i > 0) {
        i--;
        if (tokens->items[i].kind == RK_TOKEN_DIRECTIVE || rk_token_is(tokens, i, ";") ||
            rk_token_is(tokens, i, "{") || rk_token_is(tokens, i, "}"))
            return tokens->items[i].offset + tokens->items[i].length;
    }
    return 0;
}

static bool is_attribute(enum CXCursorKind kind)
{
    return clang_isAttribute(kind) || kind == CXCursor_UnexposedAttr;
}

/** Where the brackets around the place begin, as of `[[maybe_unused]]`: an attribute's own place is in them. */
static size_t attribute_begin(const rk_tokens *tokens, size_t floor, size_t place)
{
    for (size_t i = rk_tokens_at(tokens, floor);
         i < tokens->count && tokens->items[i].offset < place; i++) {
        const bool square = rk_token_is(tokens, i, "[[");
        if (!square && !rk_token_is(tokens, i, "__attribute__"))
            continue;
        const size_t close = rk_tokens_close(tokens, square ? i : i + 1);
        if (close < tokens->count && tokens->items[close].offset > place)
            return tokens->items[i].offset;
        i = close;
    }
    return place;
}

/** The heads of the classes around it come before a member template's own. */
static size_t heads_begin(const rk_tokens *tokens, size_t floor, size_t begin)
{
    for (size_t i = rk_tokens_at(tokens, floor);
         i < tokens->count && tokens->items[i].offset < begin; i++) {
        const rk_heads heads = rk_heads_read(tokens, tokens->items[i].offset);
        if (heads.count && heads.next < tokens->count && tokens->items[heads.next].offset > begin)
            return tokens->items[i].offset;
    }
    return begin;
}

/** Fills place and extent of a declaration; false when its text is not plainly there. */
static bool read_declaration(const rk_unit *unit, rk_declaration *out, CXCursor cursor)
{
    const rk_where at = rk_ast_expansion(unit, clang_getCursorLocation(cursor));
    const rk_where spelled = rk_ast_spelling(unit, clang_getCursorLocation(cursor));
    out->file = at.file;
    out->name = at.offset;
    if (at.file == RK_NONE)
        return false;
    const rk_tokens *tokens = &unit->files.items[at.file]->tokens;
    const size_t floor = statement_floor(tokens, at.offset);
    unsigned begin, end;
    rk_ast_extent(cursor, &begin, &end);
    out->begin = begin;
    out->end = end;
    if (clang_getCursorKind(cursor) == CXCursor_FunctionTemplate)
        out->begin = heads_begin(tokens, floor, begin);
    if (clang_getCursorKind(cursor) == CXCursor_FunctionTemplate &&
        !rk_token_is(tokens, rk_tokens_at(tokens, begin), "template")) /* parameters are `auto` */
        out->begin = tokens->items[rk_tokens_at(tokens, floor)].offset;
    const rk_cursors children = rk_ast_children(cursor, unit->arena);
    for (size_t i = 0; i < children.count; i++) {
        if (!is_attribute(clang_getCursorKind(children.items[i])))
            continue;
        const rk_where a = rk_ast_expansion(unit, clang_getCursorLocation(children.items[i]));
        if (a.file == at.file && a.offset >= floor && a.offset < out->begin)
            out->begin = a.offset;
    }
    out->begin = attribute_begin(tokens, floor, out->begin);
    /* `__host__` leaves no attribute that libclang shows for some declarations. */
    size_t first = rk_tokens_at(tokens, out->begin);
    while (first > 0 && tokens->items[first - 1].offset >= floor &&
           (rk_token_is(tokens, first - 1, "__host__") ||
            rk_token_is(tokens, first - 1, "__forceinline__") ||
            rk_token_is(tokens, first - 1, "__noinline__") ||
            rk_token_is(tokens, first - 1, "static") || rk_token_is(tokens, first - 1, "inline")))
        out->begin = tokens->items[--first].offset;
    return spelled.file == at.file && spelled.offset == at.offset;
}

/** Namespaces and classes around a declaration: "a::B::", and the namespaces alone: "a". */
static void read_scope(rk_unit *unit, rk_function *f, CXCursor cursor)
{
    rk_arena *arena = unit->arena;
    const char *scope = "", *spaces = "", *prefix = "";
    CXCursor parent = clang_getCursorSemanticParent(cursor);
    for (; !clang_isTranslationUnit(clang_getCursorKind(parent)) && !clang_Cursor_isNull(parent) &&
           !clang_isInvalid(clang_getCursorKind(parent));
         parent = clang_getCursorSemanticParent(parent)) {
        const enum CXCursorKind kind = clang_getCursorKind(parent);
        const char *name = rk_ast_name(parent, arena);
        if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
            continue;
        if (rk_ast_is_function(kind)) {
            f->local_class = true;
            continue;
        }
        if (kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization)
            f->class_template = true;
        if (kind == CXCursor_Namespace) {
            if (clang_Cursor_isAnonymous(parent))
                name = "";
            if (*name)
                prefix = rk_arena_printf(arena, "%s::%s", name, prefix);
            spaces = *spaces ? rk_arena_printf(arena, "%s %s", *name ? name : "-", spaces)
                     : *name ? name
                             : "-";
        }
        if (*name && strchr(name, '(') == NULL)
            scope = rk_arena_printf(arena, "%s::%s", name, scope);
    }
    f->scope = scope;
    f->spaces = spaces;
    f->spaces_prefix = prefix;
}

static void read_attributes(rk_function *f, CXCursor cursor)
{
    f->kernel = rk_ast_has_attribute(cursor, CXCursor_CUDAGlobalAttr, NULL);
    f->device = rk_ast_has_attribute(cursor, CXCursor_CUDADeviceAttr, NULL);
    f->host =
        rk_ast_has_attribute(cursor, CXCursor_CUDAHostAttr, NULL) || (!f->kernel && !f->device);
}

static bool head_has(const rk_unit *unit, const rk_declaration *d, const char *word)
{
    const rk_tokens *tokens = &unit->files.items[d->file]->tokens;
    for (size_t i = rk_tokens_at(tokens, d->begin);
         i < tokens->count && tokens->items[i].offset < d->name; i++)
        if (rk_token_is(tokens, i, word))
            return true;
    return false;
}

static void read_kind(const rk_unit *unit, rk_function *f, CXCursor cursor)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    const enum CXCursorKind of =
        kind == CXCursor_FunctionTemplate ? clang_getTemplateCursorKind(cursor) : kind;
    f->is_template = kind == CXCursor_FunctionTemplate;
    f->method = of == CXCursor_CXXMethod;
    f->is_static = f->method && clang_CXXMethod_isStatic(cursor);
    f->is_virtual = f->method && clang_CXXMethod_isVirtual(cursor);
    const enum CX_CXXAccessSpecifier access = clang_getCXXAccessSpecifier(cursor);
    f->access = access == CX_CXXPrivate     ? "private"
                : access == CX_CXXProtected ? "protected"
                                            : NULL;
    f->special = of == CXCursor_Constructor || of == CXCursor_Destructor ||
                 of == CXCursor_ConversionFunction ||
                 (strncmp(f->name, "operator", 8) == 0 && strcmp(f->name, "operator()") != 0 &&
                  !isalnum((unsigned char)f->name[8]) && f->name[8] != '_');
    f->specialisation = !f->is_template && kind != CXCursor_Constructor &&
                        !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(cursor)) &&
                        !f->class_template;
    f->in_class =
        clang_equalCursors(clang_getCursorLexicalParent(cursor),
                           clang_getCursorSemanticParent(cursor)) &&
        (f->method || f->special) &&
        clang_getCursorKind(clang_getCursorSemanticParent(cursor)) != CXCursor_TranslationUnit &&
        clang_getCursorKind(clang_getCursorSemanticParent(cursor)) != CXCursor_Namespace;
    f->is_constexpr =
        head_has(unit, &f->definition, "constexpr") || head_has(unit, &f->definition, "consteval");
}

/** Where the body is; false when a macro makes it. */
static bool read_body(const rk_unit *unit, rk_function *f, CXCursor cursor)
{
    const rk_cursors children = rk_ast_children(cursor, unit->arena);
    for (size_t i = children.count; i-- > 0;) {
        if (clang_getCursorKind(children.items[i]) != CXCursor_CompoundStmt)
            continue;
        unsigned begin, end;
        rk_ast_extent(children.items[i], &begin, &end);
        const rk_bytes *text = &unit->files.items[f->definition.file]->bytes;
        f->definition.end = begin;
        f->end = end;
        return begin < end && end <= text->size && text->data[begin] == '{' &&
               text->data[end - 1] == '}';
    }
    return false;
}

/** The parameters of a function template. */
static void read_template(rk_unit *unit, rk_function *f, CXCursor cursor)
{
    const rk_cursors children = rk_ast_children(cursor, unit->arena);
    for (size_t i = 0; i < children.count; i++) {
        const enum CXCursorKind kind = clang_getCursorKind(children.items[i]);
        if (kind != CXCursor_TemplateTypeParameter && kind != CXCursor_NonTypeTemplateParameter &&
            kind != CXCursor_TemplateTemplateParameter)
            continue;
        unsigned begin, end;
        rk_ast_extent(children.items[i], &begin, &end);
        const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
        bool pack = false;
        for (size_t t = rk_tokens_at(tokens, begin);
             t < tokens->count && tokens->items[t].offset < end; t++)
            pack |= rk_token_is(tokens, t, "...");
        *rk_push(unit->arena, &f->params) =
            (rk_template_param){.name = rk_ast_name(children.items[i], unit->arena), .pack = pack};
    }
}

/** Whether every parameter fits one slot of a call by its entry. */
static bool fits_slots(CXCursor function)
{
    const int count = clang_Cursor_getNumArguments(function);
    for (int i = 0; i < count; i++) {
        const CXType type = clang_getCanonicalType(
            clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)i)));
        const bool scalar = type.kind == CXType_Pointer || type.kind == CXType_Enum ||
                            (type.kind >= CXType_Bool && type.kind <= CXType_Double);
        if (!scalar || rk_ast_size_of(type) > 8)
            return false;
    }
    return count >= 0;
}

/** The parameters of a kernel, which its launcher hands on. */
static void read_parameters(rk_unit *unit, rk_function *f, CXCursor cursor)
{
    const rk_cursors children = rk_ast_children(cursor, unit->arena);
    const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
    for (size_t i = 0; i < children.count; i++) {
        if (clang_getCursorKind(children.items[i]) != CXCursor_ParmDecl)
            continue;
        unsigned begin, end;
        rk_ast_extent(children.items[i], &begin, &end);
        rk_parameter p = {.name = rk_ast_name(children.items[i], unit->arena), .end = end};
        for (size_t t = rk_tokens_at(tokens, begin);
             t < tokens->count && tokens->items[t].offset < end; t++) {
            p.pack |= rk_token_is(tokens, t, "...") && !rk_token_is(tokens, t - 1, "sizeof");
            if (rk_token_is(tokens, t, "=")) {
                p.end = tokens->items[t].offset;
                break;
            }
        }
        *rk_push(unit->arena, &f->parameters) = p;
    }
}

static void add_function(rk_analysis *analysis, CXCursor cursor)
{
    rk_unit *unit = analysis->unit;
    rk_function *f = RK_NEW(unit->arena, rk_function);
    const bool plain = read_declaration(unit, &f->definition, cursor);
    if (f->definition.file == RK_NONE)
        return;
    const size_t known = rk_analysis_function(analysis, cursor);
    if (known != RK_NONE && clang_Cursor_isNull(analysis->cursors.items[known])) {
        analysis->cursors.items[known] = cursor; /* another translation unit had it */
        return;
    }
    const char *name = rk_ast_name(cursor, unit->arena);
    const char *angle = strncmp(name, "operator", 8) == 0 ? NULL : strchr(name, '<');
    f->name = angle ? rk_arena_strndup(unit->arena, name, (size_t)(angle - name)) : name;
    f->own_name = f->name;
    f->place = rk_ast_place(clang_getCursorLocation(cursor), unit->arena);
    read_scope(unit, f, cursor);
    read_attributes(f, cursor);
    const enum CXCursorKind around = clang_getCursorKind(clang_getCursorLexicalParent(cursor));
    f->c_linkage = around == CXCursor_LinkageSpec || around == CXCursor_UnexposedDecl;
    read_kind(unit, f, cursor);
    rk_phases_mark(unit, f);
    f->end = f->definition.end;
    f->slots = fits_slots(cursor);
    if (f->is_template)
        read_template(unit, f, cursor);
    if (f->kernel || f->is_template)
        read_parameters(unit, f, cursor);
    f->specialises = RK_NONE;
    const bool body = read_body(unit, f, cursor);
    f->from_macro = !plain || !body;
    *rk_push(unit->arena, &unit->functions) = f;
    rk_analysis_add(analysis, unit->functions.count - 1, cursor);
}

/** A kernel that another unit defines. */
static void add_declared(rk_unit *unit, CXCursor cursor)
{
    rk_function *f = RK_NEW(unit->arena, rk_function);
    read_attributes(f, cursor);
    if (!f->kernel || !read_declaration(unit, &f->definition, cursor))
        return;
    f->name = rk_ast_name(cursor, unit->arena);
    f->place = rk_ast_place(clang_getCursorLocation(cursor), unit->arena);
    for (size_t i = 0; i < unit->declared.count; i++)
        if (unit->declared.items[i]->definition.file == f->definition.file &&
            unit->declared.items[i]->definition.name == f->definition.name)
            return;
    *rk_push(unit->arena, &unit->declared) = f;
}

/** The one function that a class template makes its friend, which libclang does not lead to; RK_NONE if there is none. */
static size_t befriended(const rk_analysis *analysis, CXCursor cursor)
{
    rk_unit *unit = analysis->unit;
    if (clang_equalCursors(clang_getCursorLexicalParent(cursor),
                           clang_getCursorSemanticParent(cursor)))
        return RK_NONE;
    rk_function *friend = RK_NEW(unit->arena, rk_function);
    read_scope(unit, friend, cursor);
    const bool is_template = clang_getCursorKind(cursor) == CXCursor_FunctionTemplate;
    size_t found = RK_NONE;
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (f->is_template != is_template || f->specialisation ||
            strcmp(f->name, rk_ast_name(cursor, unit->arena)) != 0 ||
            strcmp(f->scope, friend->scope) != 0)
            continue;
        if (found != RK_NONE)
            return RK_NONE;
        found = i;
    }
    return found;
}

static void add_declaration(rk_analysis *analysis, CXCursor cursor)
{
    rk_unit *unit = analysis->unit;
    CXCursor definition = clang_getCursorDefinition(cursor);
    const size_t index = clang_Cursor_isNull(definition)
                             ? befriended(analysis, cursor)
                             : rk_analysis_function(analysis, definition);
    if (clang_Cursor_isNull(definition) && index == RK_NONE)
        add_declared(unit, cursor);
    rk_declaration d;
    if (index == RK_NONE || !read_declaration(unit, &d, cursor))
        return;
    *rk_push(unit->arena, &unit->functions.items[index]->others) = d;
    rk_groups_declaration(analysis, index, cursor);
}

/** One pass over the project's declarations: definitions first, then what declares them. */
typedef struct {
    rk_analysis *analysis;
    bool definitions;
    rk_last_file last;
} gatherer;

static enum CXChildVisitResult gather(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    gatherer *g = data;
    if (!rk_sources_ours(g->analysis->unit, cursor, &g->last))
        return CXChildVisit_Continue;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (rk_ast_is_function(kind)) {
        const bool definition = clang_isCursorDefinition(cursor);
        if (definition && g->definitions)
            add_function(g->analysis, cursor);
        else if (!definition && !g->definitions)
            add_declaration(g->analysis, cursor);
        return CXChildVisit_Continue;
    }
    if (kind == CXCursor_FieldDecl && g->definitions)
        rk_values_field(g->analysis->unit, cursor);
    return rk_ast_holds_declarations(kind) || kind == CXCursor_FriendDecl ? CXChildVisit_Recurse
                                                                          : CXChildVisit_Continue;
}

/** Host code that names a device variable may change it, which the rKernel's own does not follow. */
static void warn_host_symbols(rk_analysis *analysis)
{
    for (size_t i = 0; i < analysis->symbol_uses.count; i++) {
        const rk_symbol_use *use = &analysis->symbol_uses.items[i];
        for (size_t k = 0; k < analysis->host_symbols.count; k++)
            if (clang_equalCursors(clang_getCanonicalCursor(use->variable),
                                   clang_getCanonicalCursor(analysis->host_symbols.items[k])))
                rk_problem_add(analysis->unit, use->function, RK_WARNING, "RK-V212", use->place,
                               RK_SYMBOL_HINT, RK_SYMBOL_MESSAGE, use->name);
    }
}

/** Names the structs of shared memory, each its own. */
static void name_parts(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        bool any = false;
        for (size_t s = 0; s < f->shared.count; s++)
            any |= !f->shared.items[s].dynamic;
        if (!any)
            continue;
        const char *base = strncmp(f->name, "operator", 8) == 0 ? "call" : f->name;
        f->part = rk_arena_printf(unit->arena, "%s_rk__shared", base);
        int n = 1;
        for (size_t k = 0; k < i; k++) {
            const rk_function *other = unit->functions.items[k];
            if (other->part && strcmp(other->part, f->part) == 0) {
                f->part = rk_arena_printf(unit->arena, "%s_rk__shared_%d", base, ++n);
                k = RK_NONE; /* looks again from the first */
            }
        }
    }
}

/** Whether kernel `b` is named before `a`: headers come before their source, on which their text must not depend. */
static bool is_named_before(const rk_unit *unit, size_t a, size_t b)
{
    const size_t file = unit->functions.items[a]->definition.file;
    const size_t other = unit->functions.items[b]->definition.file;
    return (file == 0) == (other == 0) ? b < a : file == 0;
}

/** Overloads of a kernel and its explicit specialisations have one name: each but the first gets its own. */
static void name_kernels(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        int n = 1;
        for (size_t k = 0; f->kernel && k < unit->functions.count; k++)
            n += k != i && unit->functions.items[k]->kernel && is_named_before(unit, i, k) &&
                 strcmp(unit->functions.items[k]->name, f->name) == 0 &&
                 strcmp(unit->functions.items[k]->scope, f->scope) == 0;
        if (n > 1)
            f->own_name = rk_arena_printf(unit->arena, "%s_rk__%d", f->name, n);
    }
}

/** The templates that explicit specialisations are of, and for which arguments. */
static void find_specialised(rk_analysis *analysis)
{
    rk_unit *unit = analysis->unit;
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        const CXCursor cursor = analysis->cursors.items[i];
        if (!f->specialisation || clang_Cursor_isNull(cursor))
            continue;
        const CXCursor of = clang_getCursorDefinition(clang_getSpecializedCursorTemplate(cursor));
        f->specialises = clang_Cursor_isNull(of) ? RK_NONE : rk_analysis_function(analysis, of);
        const char *const *args;
        const int count = rk_template_args_named(&args, cursor, unit->arena);
        rk_str out = {.arena = unit->arena};
        for (int k = 0; k < count; k++)
            rk_str_addf(&out, "%s%s", k ? ", " : "<", args[k]);
        f->special_args = count > 0 ? rk_arena_printf(unit->arena, "%s>", rk_str_text(&out)) : NULL;
    }
}

/** Whether calls lead from one body to the other; `seen` has `mark` for those that were looked at. */
static bool leads(const rk_analysis *analysis, size_t from, size_t to, size_t *seen, size_t mark)
{
    const rk_body *body = &analysis->bodies.items[from];
    for (size_t i = 0; i < body->callees.count; i++) {
        const size_t next = body->callees.items[i];
        if (next == to)
            return true;
        if (seen[next] == mark)
            continue;
        seen[next] = mark;
        if (leads(analysis, next, to, seen, mark))
            return true;
    }
    return false;
}

/* A template that calls itself with other arguments ends when its instances do. */
void rk_facts_recursion(const rk_analysis *analysis)
{
    const size_t count = analysis->bodies.count;
    size_t *seen = RK_NEW_ARRAY(analysis->unit->arena, size_t, count);
    for (size_t i = 0; i < count; i++) {
        const rk_body *body = &analysis->bodies.items[i];
        rk_function *f = analysis->unit->functions.items[body->function];
        const bool instance = !body->pattern || !(f->is_template || f->class_template);
        f->recursive |= (f->kernel || f->device) && instance && leads(analysis, i, i, seen, i + 1);
    }
}

void rk_analysis_walk(rk_analysis *analysis)
{
    for (; analysis->walked < analysis->bodies.count; analysis->walked++)
        rk_walk(analysis, analysis->walked);
}

/** Finds and walks the translation unit's functions. */
static rk_analysis *look(rk_unit *unit)
{
    rk_analysis *analysis = rk_analysis_new(unit);
    gatherer g = {.analysis = analysis, .definitions = true};
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), gather, &g);
    g = (gatherer){.analysis = analysis};
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), gather, &g);
    find_specialised(analysis);
    for (size_t i = 0; i < unit->functions.count; i++)
        if (!clang_Cursor_isNull(analysis->cursors.items[i]))
            rk_analysis_body(analysis, analysis->cursors.items[i], i);
    rk_analysis_walk(analysis);
    warn_host_symbols(analysis);
    return analysis;
}

void rk_facts_find_part(rk_unit *unit)
{
    rk_facts_recursion(look(unit));
}

rk_analysis *rk_facts_find(rk_unit *unit)
{
    rk_analysis *analysis = look(unit);
    name_parts(unit);
    name_kernels(unit);
    rk_scopes_find(analysis);
    return analysis;
}
