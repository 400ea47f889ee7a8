#include "convert/sequence/sequence_internal.h"

#include "base/str.h"
#include "convert/clang/ast.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_system(CXCursor function)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(function)) != 0;
}

static bool body_of(CXCursor *out, rk_arena *arena, CXCursor function)
{
    rk_cursors c = rk_ast_children(function, arena);
    *out = c.count ? c.items[c.count - 1] : clang_getNullCursor();
    return c.count && clang_getCursorKind(*out) == CXCursor_CompoundStmt;
}

typedef struct {
    rk_arena *arena;
    const char *usr;
    CXCursor found;
} definition_search;

static enum CXChildVisitResult find_definition(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    definition_search *s = data;
    if (is_system(cursor))
        return CXChildVisit_Continue;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (!rk_ast_is_function(kind))
        return rk_ast_holds_declarations(kind) ? CXChildVisit_Recurse : CXChildVisit_Continue;
    if (!clang_isCursorDefinition(cursor) ||
        strcmp(rk_ast_text(clang_getCursorUSR(cursor), s->arena), s->usr) != 0)
        return CXChildVisit_Continue;
    s->found = cursor;
    return CXChildVisit_Break;
}

/** rk_hrun.defined: in another unit, for a function that units share. */
static CXCursor defined_elsewhere(const rk_hrun *run, CXCursor function)
{
    const rk_follow *f = run->user;
    definition_search s = {.arena = f->arena, .found = clang_getNullCursor()};
    if (is_system(function) || clang_getCursorLinkage(function) != CXLinkage_External)
        return s.found;
    s.usr = rk_ast_text(clang_getCursorUSR(function), f->arena);
    for (size_t i = 0; i < f->units->count && clang_Cursor_isNull(s.found); i++)
        if (f->units->items[i] != clang_Cursor_getTranslationUnit(function))
            clang_visitChildren(clang_getTranslationUnitCursor(f->units->items[i]), find_definition,
                                &s);
    return s.found;
}

static bool is_global(CXCursor variable)
{
    enum CXCursorKind kind = clang_getCursorKind(clang_getCursorSemanticParent(variable));
    return clang_getCursorKind(variable) == CXCursor_VarDecl &&
           (kind == CXCursor_TranslationUnit || kind == CXCursor_Namespace);
}

/** A function that cannot be seen may set any variable that it can reach. */
static void lose_globals(rk_follow *f, rk_hstate *state, const char *name)
{
    const char *reason = rk_arena_printf(f->arena, "may be set by '%s', which is not here", name);
    for (const rk_henv *e = state->env; e; e = e->next)
        if (is_global(e->variable) && !clang_isConstQualifiedType(clang_getCursorType(e->variable)))
            state->env = rk_henv_lose(f->arena, state->env, e->variable, false, reason);
}

/** A call of a function without a body here: it must not get at memory of the device. */
static void call_unseen(rk_follow *f, rk_hrun *run, CXCursor call, CXCursor function,
                        rk_hstate *state)
{
    rk_cursors c = rk_ast_children(call, f->arena);
    const char *name = rk_ast_name(call, f->arena);
    for (size_t i = 1; i < c.count; i++) {
        rk_address a = rk_follow_address(f, rk_h_eval(run, state->env, c.items[i]));
        const rk_buffer *b = a.buffer == RK_SEQUENCE_NONE ? NULL : &f->buffers.items[a.buffer];
        if (b && !b->managed && rk_follow_certain(f, call, state))
            rk_follow_stop(
                f, call,
                "name the source that has it, too: what it does on the device cannot be seen",
                "'%s' is passed to '%s'", b->name, name);
    }
    if (!clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
        lose_globals(f, state, name);
}

static bool is_running(const rk_follow *f, CXCursor function)
{
    for (const rk_frame *up = f->frame; up; up = up->caller)
        if (clang_equalCursors(up->function, function))
            return true;
    return false;
}

/** The callee's parameters, set to what the call passes. */
static rk_hstate enter(rk_follow *f, rk_hrun *run, CXCursor call, CXCursor function,
                       const rk_hstate *state)
{
    rk_cursors c = rk_ast_children(call, f->arena);
    rk_hstate inner = {.env = state->env, .path = state->path, .partial = state->partial};
    const int count = clang_Cursor_getNumArguments(function);
    for (int i = 0; i < count; i++) {
        CXCursor parameter = clang_Cursor_getArgument(function, (unsigned)i);
        CXType type = clang_getCursorType(parameter);
        const bool given = (size_t)i + 1 < c.count;
        rk_hv value = given ? rk_h_eval(run, state->env, c.items[i + 1])
                            : rk_hv_unknown(f->arena, "a default argument");
        inner.env =
            rk_henv_bind(f->arena, inner.env, parameter, rk_hv_convert(f->arena, value, type));
    }
    return inner;
}

/** What a call leaves in the caller's variables: all that was set but the callee's own. */
static const rk_henv *leave(rk_follow *f, const rk_henv *env, const rk_henv *before,
                            CXCursor function)
{
    const rk_henv *first = before;
    rk_henv *last = NULL;
    for (; env != before; env = env->next) {
        if (clang_equalCursors(clang_getCursorSemanticParent(env->variable), function))
            continue;
        rk_henv *entry = RK_NEW(f->arena, rk_henv);
        *entry = *env;
        entry->next = before;
        if (last)
            last->next = entry;
        else
            first = entry;
        last = entry;
    }
    return first;
}

/** Runs the function in the caller's place. */
static rk_hv call_seen(rk_follow *f, rk_hrun *run, CXCursor call, CXCursor function, CXCursor body,
                       rk_hstate *state)
{
    const char *name = rk_ast_name(function, f->arena);
    const rk_henv *before = state->env;
    rk_hstate inner = enter(f, run, call, function, state);
    const rk_frame frame = {function, f->frame};
    rk_hrun own = *run;
    own.helper = true;
    own.returns = NULL;
    own.lost = false;
    own.loops = 0;
    f->frame = &frame;
    inner = rk_h_run(&own, body, inner);
    f->frame = frame.caller;
    run->results = own.results;
    const bool one_way = inner.exits <= 1 && inner.leaks == 0;
    state->env = one_way ? inner.env : rk_h_lose_changed(run, inner.env, body);
    if (inner.failed)
        state->ended = state->failed = true;
    if (inner.partial && !state->partial && !one_way)
        state->env = rk_h_lose_changed(run, state->env, body);
    state->env = leave(f, state->env, before, function);
    if (!own.returns)
        return rk_hv_unknown(f->arena, "'%s' returns nothing", name);
    inner.partial = inner.partial && !state->partial;
    return rk_hv_convert(f->arena, rk_h_returned(&own, &inner, name), clang_getCursorType(call));
}

/** rk_hrun.call */
static bool on_call(rk_hrun *run, CXCursor call, rk_hstate *state, rk_hv *value)
{
    rk_follow *f = run->user;
    CXCursor function = clang_getCursorReferenced(call);
    enum CXCursorKind kind = clang_getCursorKind(function);
    if (kind == CXCursor_Constructor && !f->stopped)
        rk_follow_object(f, run, call, state);
    if (f->stopped || (kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod))
        return false;
    const char *name = rk_ast_name(function, f->arena);
    if (rk_follow_cuda(f, run, call, name, state))
        return false;
    CXCursor definition = rk_h_definition(run, function), body;
    if (is_system(function) || clang_Cursor_isNull(definition) ||
        !body_of(&body, f->arena, definition)) {
        call_unseen(f, run, call, function, state);
        return false;
    }
    if (is_running(f, definition)) {
        if (rk_follow_certain(f, call, state))
            rk_follow_stop(f, call, NULL, "'%s' calls itself", name);
        return false;
    }
    *value = call_seen(f, run, call, definition, body, state);
    return true;
}

/* The function itself. */

typedef struct {
    rk_arena *arena;
    const char *wanted; /**< its name, or NULL */
    CXCursor main, named, launching;
    bool launches;
    RK_VEC(const char *) names; /**< of the functions that launch */
} search;

static enum CXChildVisitResult find_launch(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    CXCursor configuration;
    s->launches =
        rk_h_is_launch(s->arena, cursor, &configuration) || rk_h_is_launch_call(s->arena, cursor);
    return s->launches ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/** Whether two names are one but for their spaces. */
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/** An instance of a function template by its name and arguments: "rotary<float, 4>". */
static const char *instance_name(CXCursor function, rk_arena *arena)
{
    const int count = clang_Cursor_getNumTemplateArguments(function);
    rk_str name = {.arena = arena};
    rk_str_add(&name, rk_ast_name(function, arena));
    for (int i = 0; i < count; i++) {
        const unsigned k = (unsigned)i;
        rk_str_add(&name, i ? ", " : "<");
        if (clang_Cursor_getTemplateArgumentKind(function, k) == CXTemplateArgumentKind_Type)
            rk_str_add(&name, rk_ast_text(clang_getTypeSpelling(
                                              clang_Cursor_getTemplateArgumentType(function, k)),
                                          arena));
        else
            rk_str_addf(&name, "%lld", clang_Cursor_getTemplateArgumentValue(function, k));
    }
    rk_str_add(&name, count > 0 ? ">" : "");
    return rk_str_text(&name);
}

/** Finds the instance that is wanted where something names it. */
static enum CXChildVisitResult find_instance(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    CXCursor body, function = clang_getCursorReferenced(cursor);
    if (clang_isDeclaration(clang_getCursorKind(cursor)))
        function = cursor;
    if (clang_getCursorKind(function) == CXCursor_FunctionDecl && !is_system(function) &&
        clang_Cursor_getNumTemplateArguments(function) > 0 &&
        same_name(instance_name(function, s->arena), s->wanted) &&
        body_of(&body, s->arena, function)) {
        s->named = function;
        return CXChildVisit_Break;
    }
    return clang_isDeclaration(clang_getCursorKind(cursor)) && is_system(cursor)
               ? CXChildVisit_Continue
               : CXChildVisit_Recurse;
}

static enum CXChildVisitResult find_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    search *s = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor body;
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        return CXChildVisit_Recurse;
    if (kind != CXCursor_FunctionDecl || is_system(cursor) || !body_of(&body, s->arena, cursor))
        return CXChildVisit_Continue;
    const char *name = rk_ast_name(cursor, s->arena);
    if (s->wanted && strcmp(name, s->wanted) == 0)
        s->named = cursor;
    if (strcmp(name, "main") == 0)
        s->main = cursor;
    s->launches = false;
    clang_visitChildren(body, find_launch, s);
    if (s->launches) {
        *rk_push(s->arena, &s->names) = name;
        s->launching = cursor;
    }
    return CXChildVisit_Continue;
}

static bool choose(CXCursor *out, search *s, const char *path, rk_diag *diag)
{
    *out = s->wanted                       ? s->named
           : !clang_Cursor_isNull(s->main) ? s->main
           : s->names.count == 1           ? s->launching
                                           : clang_getNullCursor();
    if (!clang_Cursor_isNull(*out))
        return true;
    rk_str names = {.arena = s->arena};
    for (size_t i = 0; i < s->names.count; i++)
        rk_str_addf(&names, "%s%s", i ? ", " : "these launch kernels: ", s->names.items[i]);
    const char *hint =
        names.length ? rk_str_text(&names) : "no function of this file launches kernels";
    if (s->wanted && strchr(s->wanted, '<'))
        hint = "let the file name that instance: call it, or instantiate it";
    return s->wanted ? rk_diag_add(diag, RK_ERROR, "RK-V301", rk_place_file(path), hint,
                                   "there is no host function '%s'", s->wanted)
                     : rk_diag_add(diag, RK_ERROR, "RK-V301", rk_place_file(path), hint,
                                   "there is no main: name the host function with --function");
}

static const rk_given *given_for(const rk_given *given, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(given[i].name, name) == 0)
            return &given[i];
    return NULL;
}

static rk_hv given_value(rk_arena *arena, double value, CXType type)
{
    const rk_ctype t = rk_h_ctype(type);
    const rk_cexpr *sym = t.kind == RK_CTYPE_REAL ? rk_cexpr_real(arena, value, t)
                                                  : rk_cexpr_int(arena, (int64_t)value, t);
    return rk_hv_scalar(sym);
}

static bool is_stream(CXType type, rk_arena *arena)
{
    const CXType plain = clang_getUnqualifiedType(clang_getCanonicalType(type));
    return rk_str_ends(rk_ast_text(clang_getTypeSpelling(plain), arena), "CUstream_st *");
}

/** A parameter's value: given, a buffer, or its name. */
static rk_hv parameter_value(rk_follow *f, CXCursor parameter, const char *name, bool of_main,
                             const rk_given *given)
{
    CXType type = clang_getCursorType(parameter);
    rk_hv value = rk_hv_of_name(f->arena, name, type);
    if (is_stream(type,
                  f->arena)) /* what is given to one is done in its order, as on the default one */
        return rk_hv_scalar(rk_cexpr_int(f->arena, 0, rk_h_ctype(type)));
    if (value.kind == RK_HV_SCALAR && (given || of_main))
        return given_value(f->arena, given ? given->value : 1, type);
    if (value.kind != RK_HV_POINTER || of_main)
        return value;
    const int64_t element = value.element > 0 ? value.element : 1;
    const rk_buffer buffer = {.name = name,
                              .bytes = given ? (int64_t)given->value * element : -1,
                              .element = element,
                              .parameter = true,
                              .place = rk_ast_place(clang_getCursorLocation(parameter), f->arena)};
    value.name = rk_follow_buffer(f, buffer);
    return value;
}

static bool check_given(CXCursor function, const rk_given *given, size_t count, rk_arena *arena,
                        rk_diag *diag)
{
    bool good = true;
    const int n = clang_Cursor_getNumArguments(function);
    for (size_t i = 0; i < count; i++) {
        bool taken = false;
        for (int k = 0; k < n && !taken; k++)
            taken = strcmp(rk_ast_name(clang_Cursor_getArgument(function, (unsigned)k), arena),
                           given[i].name) == 0;
        if (!taken)
            good = rk_diag_add(
                diag, RK_ERROR, "RK-V302", rk_ast_place(clang_getCursorLocation(function), arena),
                "--set gives values of its parameters, and of pointers the number of elements",
                "'%s' has no parameter '%s'", rk_ast_name(function, arena), given[i].name);
    }
    return good;
}

/** Notes the name of what holds a buffer: a variable, a member of one, or an element: "d_0". */
static void name_buffers(const rk_follow *f, const char **names, const char *name, rk_hv value)
{
    const rk_address a = rk_follow_address(f, value);
    if (a.buffer != RK_SEQUENCE_NONE && a.offset == 0)
        names[a.buffer] = name;
    for (const rk_hv_field *p = value.fields; p && value.kind == RK_HV_STRUCT; p = p->next)
        name_buffers(f, names, rk_h_part_name(f->arena, name, p->name), p->value);
}

/** Names buffers for the function's own variables that hold them, the first that did. */
static void rename_buffers(rk_follow *f, CXCursor function, const rk_henv *env)
{
    const char **names = RK_NEW_ARRAY(f->arena, const char *, f->buffers.count + 1);
    for (; env; env = env->next)
        if (clang_equalCursors(clang_getCursorSemanticParent(env->variable), function))
            name_buffers(f, names, rk_ast_name(env->variable, f->arena), env->value);
    for (size_t i = 0; i < f->buffers.count; i++) {
        const char *name = names[i] ? names[i] : f->buffers.items[i].name;
        f->buffers.items[i].name = "";
        f->buffers.items[i].name = rk_follow_distinct(f, name);
    }
}

static void run_function(rk_follow *f, CXCursor function, const rk_given *given, size_t given_count)
{
    rk_hrun run = {.arena = f->arena,
                   .launch = rk_follow_launch,
                   .call = on_call,
                   .defined = defined_elsewhere,
                   .user = f};
    rk_hstate state = {0};
    const bool of_main = strcmp(rk_ast_name(function, f->arena), "main") == 0;
    const int n = clang_Cursor_getNumArguments(function);
    for (int i = 0; i < n; i++) {
        CXCursor parameter = clang_Cursor_getArgument(function, (unsigned)i);
        const char *name = rk_ast_name(parameter, f->arena);
        state.env = rk_henv_set(
            f->arena, state.env, parameter,
            parameter_value(f, parameter, name, of_main, given_for(given, given_count, name)));
    }
    const rk_frame frame = {function, NULL};
    CXCursor body;
    f->frame = &frame;
    if (body_of(&body, f->arena, function))
        state = rk_h_run(&run, body, state);
    rename_buffers(f, function, state.env);
}

bool rk_sequence_follow(rk_sequence *out, const rk_sequence_units *units, const char *function,
                        const rk_given *given, size_t given_count, rk_arena *arena, rk_diag *diag)
{
    search s = {.arena = arena,
                .wanted = function,
                .main = clang_getNullCursor(),
                .named = clang_getNullCursor(),
                .launching = clang_getNullCursor()};
    const char *path = rk_ast_text(clang_getTranslationUnitSpelling(units->items[0]), arena);
    for (size_t i = 0; i < units->count; i++)
        clang_visitChildren(clang_getTranslationUnitCursor(units->items[i]), find_function, &s);
    for (size_t i = 0; function && clang_Cursor_isNull(s.named) && i < units->count; i++)
        clang_visitChildren(clang_getTranslationUnitCursor(units->items[i]), find_instance, &s);
    CXCursor chosen;
    if (!choose(&chosen, &s, path, diag) || !check_given(chosen, given, given_count, arena, diag))
        return false;
    rk_follow f = {.arena = arena, .units = units};
    run_function(&f, chosen, given, given_count);
    *out = (rk_sequence){.function = instance_name(chosen, arena),
                         .buffers = f.buffers.items,
                         .buffer_count = f.buffers.count,
                         .steps = f.steps.items,
                         .step_count = f.steps.count,
                         .whole = !f.stopped,
                         .stopped = f.where,
                         .why = f.why,
                         .hint = f.hint};
    return true;
}
