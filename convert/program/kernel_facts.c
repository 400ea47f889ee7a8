#include "convert/cuda/builtins.h"
#include "convert/program/program_internal.h"

#include "convert/clang/ast.h"
#include "convert/clang/implicit.h"
#include "convert/facts/system.h"
#include "convert/unit/sources.h"

#include <string.h>

/** A function definition that was looked into. */
typedef struct {
    CXCursor cursor;
    unsigned hash;
    bool waits, grid_sync;
    bool steps; /**< it has accesses to volatile memory */
    bool
        unseen; /**< it calls what the AST does not name: a function of a template argument, a pointer */
    bool
        dependent; /**< what its operators, constructors and conversions are depends on template arguments */
    unsigned reads;
    bool open; /**< it is being looked into: who meets it again is recursive */
} seen;

typedef struct {
    rk_program *program;
    rk_unit *unit;
    RK_VEC(seen) seen;
    CXFile last_file;
    size_t last_index;
    /* what functions do that are no kernels, and so what one may do that is not seen */
    bool helper_waits, helper_reads;
    bool operator_waits, operator_reads; /**< the same of operators, constructors and their like */
} reader;

/* What a function's text and all that it calls do. */

typedef struct {
    reader *r;
    seen sum;
    size_t end; /**< of its text */
    unsigned own_reads, callee_reads;
    bool has_scopes;
} look;

static size_t look_into(reader *r, CXCursor definition);

static void use_function(look *l, CXCursor target)
{
    rk_arena *arena = l->r->unit->arena;
    const char *name = rk_ast_name(target, arena);
    if (rk_system_waits_by_name(name)) {
        l->sum.waits = true;
        return;
    }
    if (rk_ast_is_system(target)) {
        const bool group = rk_system_waits_by_namespace(target, &l->sum.grid_sync, arena);
        l->sum.waits |= group;
        if (group || rk_str_starts(name, "__assert")) /* which says what thread it is */
            l->callee_reads |= RK_USE_PLACES;
        return;
    }
    const CXCursor definition = clang_getCursorDefinition(target);
    if (clang_Cursor_isNull(definition)) {
        l->sum.waits |= rk_ast_has_attribute(target, CXCursor_CUDADeviceAttr, NULL);
        return;
    }
    const size_t callee = look_into(l->r, definition);
    const seen *s = &l->r->seen.items[callee];
    l->sum.waits |= s->waits || s->open;
    l->sum.grid_sync |= s->grid_sync;
    l->sum.steps |= s->steps;
    l->sum.unseen |= s->unseen || clang_CXXMethod_isVirtual(target);
    l->sum.dependent |= s->dependent;
    l->sum.reads |= s->reads;
    l->callee_reads |= s->reads;
}

static void use_variable(look *l, CXCursor target)
{
    if (!rk_ast_is_system(target))
        return;
    const rk_builtin *builtin = rk_builtin_find(rk_ast_name(target, l->r->unit->arena));
    if (builtin && (builtin->use & RK_USE_PLACES)) {
        l->sum.reads |= builtin->use;
        l->own_reads |= builtin->use;
    }
}

static void use_reference(look *l, CXCursor cursor)
{
    const CXCursor target = clang_getCursorReferenced(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    if (rk_ast_is_function(kind))
        use_function(l, target);
    else if (kind == CXCursor_VarDecl)
        use_variable(l, target);
}

/** Whether a lambda captures what it names, local shadows of the built-ins among it. */
static bool captures_all(const reader *r, CXCursor lambda)
{
    size_t i;
    const rk_where at =
        rk_ast_spelling(r->unit, clang_getRangeStart(clang_getCursorExtent(lambda)));
    const rk_stretch *s = rk_program_stretch(r->program, at, &i);
    return s && rk_token_is(&s->tokens, i, "[") &&
           (rk_token_is(&s->tokens, i + 1, "&") || rk_token_is(&s->tokens, i + 1, "=")) &&
           (rk_token_is(&s->tokens, i + 2, "]") || rk_token_is(&s->tokens, i + 2, ","));
}

/** A call whose function the AST does not name. */
static void use_call(look *l, CXCursor cursor)
{
    const CXCursor target = clang_getCursorReferenced(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    if (rk_ast_is_function(kind))
        use_function(l, target);
    else if (kind != CXCursor_OverloadedDeclRef)
        l->sum.unseen = true;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data);

static void use_implicit(CXCursor found, void *data)
{
    look *l = data;
    if (!clang_isExpression(clang_getCursorKind(found))) {
        use_function(l, found);
        return;
    }
    look value = {.r = l->r}; /* what it reads is outside of the kernel's text */
    visit(found, found, &value);
    clang_visitChildren(found, visit, &value);
    l->sum.waits |= value.sum.waits;
    l->sum.grid_sync |= value.sum.grid_sync;
    l->sum.unseen |= value.sum.unseen;
    l->sum.reads |= value.sum.reads;
    l->callee_reads |= value.own_reads | value.callee_reads;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    look *l = data;
    rk_implicit_find(cursor, l->r->unit->arena, use_implicit, l);
    const enum CXTypeKind type = clang_getCanonicalType(clang_getCursorType(cursor)).kind;
    l->sum.dependent |= type == CXType_Dependent || type == CXType_Unexposed;
    if (rk_program_add_step(l->r->program, cursor))
        l->sum.steps = l->sum.waits = true;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_LambdaExpr:
        l->has_scopes |= !captures_all(l->r, cursor);
        break;
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
        l->has_scopes = true;
        break;
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
        use_reference(l, cursor);
        break;
    case CXCursor_OverloadedDeclRef: {
        const unsigned count = clang_getNumOverloadedDecls(cursor);
        for (unsigned i = 0; i < count; i++)
            if (rk_ast_is_function(clang_getCursorKind(clang_getOverloadedDecl(cursor, i))))
                use_function(l, clang_getOverloadedDecl(cursor, i));
        l->sum.unseen |= count == 0;
        break;
    }
    case CXCursor_CallExpr:
        use_call(l, cursor);
        break;
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_ForStmt:
        l->sum.waits |= rk_program_add_wait(l->r->program, cursor, l->end);
        break;
    case CXCursor_GCCAsmStmt:
        l->sum.waits = true;
        l->callee_reads |= RK_USE_PLACES;
        break;
    default:
        break;
    }
    return CXChildVisit_Recurse;
}

static size_t find_seen(const reader *r, CXCursor definition, unsigned hash)
{
    for (size_t i = 0; i < r->seen.count; i++)
        if (r->seen.items[i].hash == hash &&
            clang_equalCursors(r->seen.items[i].cursor, definition))
            return i;
    return RK_NONE;
}

static look look_at(reader *r, CXCursor definition)
{
    unsigned begin, end;
    rk_ast_extent(definition, &begin, &end);
    look l = {.r = r, .end = end};
    clang_visitChildren(definition, visit, &l);
    return l;
}

static size_t look_into(reader *r, CXCursor definition)
{
    const unsigned hash = clang_hashCursor(definition);
    const size_t known = find_seen(r, definition, hash);
    if (known != RK_NONE)
        return known;
    const size_t index = r->seen.count;
    *rk_push(r->unit->arena, &r->seen) = (seen){.cursor = definition, .hash = hash, .open = true};
    const look l = look_at(r, definition);
    r->seen.items[index] = l.sum;
    r->seen.items[index].reads |= l.callee_reads;
    r->seen.items[index].cursor = definition;
    r->seen.items[index].hash = hash;
    return index;
}

/* Declarations. */

static const char *qualified(const rk_unit *unit, CXCursor declaration, bool *reachable)
{
    const char *name = rk_ast_name(declaration, unit->arena);
    const char *angle = strchr(name, '<');
    if (angle && strncmp(name, "operator", 8) != 0)
        name = rk_arena_strndup(unit->arena, name, (size_t)(angle - name));
    for (CXCursor p = clang_getCursorSemanticParent(declaration);
         !clang_Cursor_isNull(p) && !clang_isTranslationUnit(clang_getCursorKind(p)) &&
         !clang_isInvalid(clang_getCursorKind(p));
         p = clang_getCursorSemanticParent(p)) {
        const enum CXCursorKind kind = clang_getCursorKind(p);
        if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
            continue;
        if (kind != CXCursor_Namespace)
            *reachable = false;
        if (clang_Cursor_isAnonymous(p) || rk_ast_is_function(kind))
            continue;
        name = rk_arena_printf(unit->arena, "%s::%s", rk_ast_name(p, unit->arena), name);
    }
    return name;
}

static bool find_body(const reader *r, CXCursor function, rk_where *out)
{
    const rk_cursors children = rk_ast_children(function, r->unit->arena);
    for (size_t i = children.count; i-- > 0;) {
        if (clang_getCursorKind(children.items[i]) != CXCursor_CompoundStmt)
            continue;
        *out =
            rk_ast_spelling(r->unit, clang_getRangeStart(clang_getCursorExtent(children.items[i])));
        return out->file != RK_NONE;
    }
    return false;
}

static bool is_pack(const rk_unit *unit, CXCursor parameter)
{
    return rk_str_ends(
        rk_ast_text(clang_getTypeSpelling(clang_getCursorType(parameter)), unit->arena), "...");
}

static void read_params(rk_unit *unit, rk_kernel_facts *facts, CXCursor kernel)
{
    const rk_cursors children = rk_ast_children(kernel, unit->arena);
    facts->params.count = 0;
    for (size_t i = 0; i < children.count; i++) {
        if (clang_getCursorKind(children.items[i]) != CXCursor_ParmDecl)
            continue;
        const char *name = rk_ast_name(children.items[i], unit->arena);
        *rk_push(unit->arena, &facts->params) = *name && is_pack(unit, children.items[i])
                                                    ? rk_arena_printf(unit->arena, "%s...", name)
                                                    : name;
    }
}

/* Static shared memory. */

typedef struct {
    rk_unit *unit;
    rk_str parts;
} shared_parts;

/** Whether something below names what is declared in a function: no text outside of it can. */
static enum CXChildVisitResult find_local(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    const CXCursor target = clang_getCursorReferenced(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    const enum CXCursorKind owner = clang_getCursorKind(clang_getCursorSemanticParent(target));
    bool *local = data;
    *local |= !clang_isInvalid(kind) && kind != CXCursor_NonTypeTemplateParameter &&
              kind != CXCursor_TemplateTypeParameter &&
              kind != CXCursor_TemplateTemplateParameter && rk_ast_is_function(owner);
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult add_shared(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    shared_parts *s = data;
    if (clang_getCursorKind(cursor) != CXCursor_VarDecl ||
        !rk_ast_has_attribute(cursor, CXCursor_CUDASharedAttr, NULL) ||
        clang_Cursor_getStorageClass(cursor) == CX_SC_Extern)
        return CXChildVisit_Recurse;
    const CXType type = clang_getCursorType(cursor);
    const long long bytes = rk_ast_size_of(type), align = clang_Type_getAlignOf(type);
    const char *comma = s->parts.length ? ", " : "";
    bool local = false;
    clang_visitChildren(cursor, find_local, &local);
    if (bytes > 0 && align > 0) {
        rk_str_addf(&s->parts, "%s{%lld, %lld}", comma, bytes, align);
    } else if (!local) {
        const char *text = rk_ast_text(clang_getTypeSpelling(type), s->unit->arena);
        if (!strchr(text, '(')) /* no name: "(unnamed struct at ...)" */
            rk_str_addf(&s->parts, "%s{sizeof(%s), alignof(%s)}", comma, text, text);
    }
    return CXChildVisit_Continue;
}

static const char *shared_of(rk_unit *unit, CXCursor kernel)
{
    shared_parts s = {.unit = unit, .parts = {.arena = unit->arena}};
    clang_visitChildren(kernel, add_shared, &s);
    return rk_arena_strdup(unit->arena, rk_str_text(&s.parts));
}

/** Adds a kernel's facts to those of its text, which a macro may use more than once. */
static void add_kernel(reader *r, CXCursor kernel)
{
    rk_where body;
    if (!find_body(r, kernel, &body))
        return;
    rk_kernel_facts *facts = NULL;
    for (size_t i = 0; i < r->program->kernels.count; i++) {
        rk_kernel_facts *old = &r->program->kernels.items[i];
        if (old->body.file == body.file && old->body.offset == body.offset)
            facts = old;
    }
    if (!facts) {
        bool reachable;
        facts = rk_push(r->unit->arena, &r->program->kernels);
        *facts = (rk_kernel_facts){.body = body, .name = qualified(r->unit, kernel, &reachable)};
    }
    const look l = look_at(r, kernel);
    facts->waits |= l.sum.waits || l.sum.grid_sync || (l.sum.unseen && r->helper_waits) ||
                    (l.sum.dependent && r->operator_waits);
    facts->grid_sync |= l.sum.grid_sync;
    if (l.sum.steps)
        *rk_push(r->unit->arena, &r->unit->stepped) = body;
    facts->helpers_read |= l.callee_reads || (l.sum.unseen && r->helper_reads) ||
                           (l.sum.dependent && r->operator_reads);
    facts->reads |= l.own_reads;
    facts->has_scopes |= l.has_scopes;
    const char *shared = shared_of(r->unit, kernel);
    /* A macro that makes several kernels has one text for all. */
    facts->shared = !facts->shared || strcmp(facts->shared, shared) == 0 ? shared : "";
    read_params(r->unit, facts, kernel);
}

static bool is_kernel(CXCursor function)
{
    if (!rk_ast_is_function(clang_getCursorKind(function)))
        return false;
    if (rk_ast_has_attribute(function, CXCursor_CUDAGlobalAttr, NULL))
        return true;
    const CXCursor pattern = clang_getSpecializedCursorTemplate(function);
    return !clang_Cursor_isNull(pattern) &&
           rk_ast_has_attribute(pattern, CXCursor_CUDAGlobalAttr, NULL);
}

static void add_symbol(reader *r, CXCursor variable)
{
    static const struct {
        enum CXCursorKind attribute;
        const char *kind;
    } kinds[] = {{CXCursor_CUDAConstantAttr, "RK_CPU_MEMORY_CONSTANT"},
                 {CXCursor_CUDADeviceAttr, "RK_CPU_MEMORY_SYMBOL"}};
    bool reachable = true;
    const char *name = qualified(r->unit, variable, &reachable);
    if (!reachable || !*rk_ast_name(variable, r->unit->arena) ||
        clang_Cursor_getStorageClass(variable) == CX_SC_Extern ||
        !clang_isCursorDefinition(variable))
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!rk_ast_has_attribute(variable, kinds[i].attribute, NULL))
            continue;
        *rk_push(r->unit->arena, &r->program->symbols) = (rk_device_symbol){name, kinds[i].kind};
        return;
    }
}

/* References to kernels. */

static void add_reference(reader *r, CXCursor cursor, CXCursor target, bool called)
{
    rk_arena *arena = r->unit->arena;
    const rk_where at = rk_ast_spelling(r->unit, clang_getCursorLocation(cursor));
    if (at.file == RK_NONE)
        return;
    for (size_t i = 0; i < r->program->references.count; i++) {
        rk_kernel_reference *old = &r->program->references.items[i];
        if (old->name.file == at.file && old->name.offset == at.offset) {
            old->called |= called;
            return;
        }
    }
    bool reachable;
    const CXCursor pattern = clang_getSpecializedCursorTemplate(target);
    const bool open = clang_getCursorKind(target) == CXCursor_FunctionTemplate;
    *rk_push(arena, &r->program->references) = (rk_kernel_reference){
        .name = at,
        .kernel = qualified(r->unit, target, &reachable),
        .type = open ? NULL
                     : rk_arena_printf(arena, "std::decay_t<%s>",
                                       rk_ast_type_text(clang_getCursorType(target), arena)),
        .deduced = clang_getCursorKind(pattern) == CXCursor_FunctionTemplate,
        .called = called};
}

static bool in_project(reader *r, CXCursor cursor)
{
    CXFile file;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    if (file != r->last_file) {
        r->last_file = file;
        r->last_index = rk_sources_find(r->unit, file);
    }
    return r->last_index != RK_NONE;
}

/** Whether text may call the function without its name. */
static bool is_operator(const reader *r, CXCursor function)
{
    const enum CXCursorKind kind = clang_getCursorKind(function);
    const enum CXCursorKind of =
        kind == CXCursor_FunctionTemplate ? clang_getTemplateCursorKind(function) : kind;
    return of == CXCursor_Constructor || of == CXCursor_Destructor ||
           of == CXCursor_ConversionFunction ||
           rk_str_starts(rk_ast_name(function, r->unit->arena), "operator");
}

/** First pass: whether any function for the device waits that is no kernel. */
static enum CXChildVisitResult find_helpers(CXCursor cursor, CXCursor parent, CXClientData data)
{
    reader *r = data;
    if (clang_isTranslationUnit(clang_getCursorKind(parent)) && !in_project(r, cursor))
        return CXChildVisit_Continue;
    if (!rk_ast_is_function(clang_getCursorKind(cursor)))
        return CXChildVisit_Recurse;
    if (clang_isCursorDefinition(cursor) && !is_kernel(cursor) &&
        rk_ast_has_attribute(cursor, CXCursor_CUDADeviceAttr, NULL)) {
        const size_t helper = look_into(r, cursor);
        const bool waits = r->seen.items[helper].waits, reads = r->seen.items[helper].reads != 0;
        r->helper_waits |= waits;
        r->helper_reads |= reads;
        if (is_operator(r, cursor)) {
            r->operator_waits |= waits;
            r->operator_reads |= reads;
        }
    }
    return CXChildVisit_Recurse;
}

/** Where the visit is. */
typedef struct {
    reader *r;
    RK_VEC(CXCursor) above; /**< outermost first */
} place;

/** Whether the name is what a call calls: the first child of the call, implicit casts between. */
static bool is_callee(const place *p, CXCursor cursor)
{
    CXCursor child = cursor;
    for (size_t i = p->above.count; i-- > 0;) {
        const CXCursor parent = p->above.items[i];
        const enum CXCursorKind kind = clang_getCursorKind(parent);
        const rk_cursors children = rk_ast_children(parent, p->r->unit->arena);
        if (children.count == 0 || !clang_equalCursors(children.items[0], child))
            return false;
        if (kind == CXCursor_CallExpr)
            return true;
        if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr &&
            kind != CXCursor_MemberRefExpr)
            return false;
        child = parent;
    }
    return false;
}

static enum CXChildVisitResult find_facts(CXCursor cursor, CXCursor parent, CXClientData data)
{
    place *p = data;
    reader *r = p->r;
    if (clang_isTranslationUnit(clang_getCursorKind(parent)) && !in_project(r, cursor))
        return CXChildVisit_Continue;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (rk_ast_is_function(kind)) {
        if (clang_isCursorDefinition(cursor) && is_kernel(cursor))
            add_kernel(r, cursor);
    } else if (kind == CXCursor_VarDecl) {
        add_symbol(r, cursor);
    } else if (kind == CXCursor_DeclRefExpr) {
        const CXCursor target = clang_getCursorReferenced(cursor);
        if (is_kernel(target))
            add_reference(r, cursor, target, is_callee(p, cursor));
    } else if (kind == CXCursor_OverloadedDeclRef) {
        for (unsigned i = 0; i < clang_getNumOverloadedDecls(cursor); i++)
            if (is_kernel(clang_getOverloadedDecl(cursor, i)))
                add_reference(r, cursor, clang_getOverloadedDecl(cursor, i), is_callee(p, cursor));
    }
    *rk_push(r->unit->arena, &p->above) = cursor;
    clang_visitChildren(cursor, find_facts, p);
    p->above.count--;
    return CXChildVisit_Continue;
}

void rk_program_read_facts(rk_program *program)
{
    reader r = {.program = program, .unit = program->unit, .last_index = RK_NONE};
    place p = {.r = &r};
    const CXCursor all = clang_getTranslationUnitCursor(program->unit->tu);
    clang_visitChildren(all, find_helpers, &r);
    program->helper_waits = r.helper_waits;
    clang_visitChildren(all, find_facts, &p);
}
