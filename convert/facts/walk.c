#include "convert/facts/walk.h"
#include "convert/cuda/builtins.h"

#include "convert/clang/implicit.h"
#include "convert/clang/lower.h"
#include "convert/facts/analyze.h"
#include "convert/facts/initial_values.h"
#include "convert/facts/look_back.h"
#include "convert/facts/shared.h"
#include "convert/facts/spin.h"
#include "convert/facts/system.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <string.h>

static void visit(rk_walker *w, CXCursor cursor);

static enum CXChildVisitResult visit_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    visit(data, cursor);
    return CXChildVisit_Continue;
}

static void visit_children(rk_walker *w, CXCursor cursor)
{
    *rk_push(w->unit->arena, &w->above) = cursor;
    clang_visitChildren(cursor, visit_child, w);
    w->above.count--;
}

/* Built-ins and CUDA's own functions. */

/**
 * The dimension that the text reads of the built-in whose name is there; 3 when it is not plain.
 */
static int dimension_of(const rk_walker *w, CXCursor cursor)
{
    const rk_where at = rk_ast_spelling(w->unit, clang_getCursorLocation(cursor));
    if (at.file == RK_NONE)
        return 3;
    const rk_source_file *file = w->unit->files.items[at.file];
    const char *text = file->bytes.data;
    size_t i = at.offset;
    while (i < file->bytes.size && (text[i] == '_' || (text[i] >= 'A' && text[i] <= 'z')))
        i++;
    if (text[i] != '.' || text[i + 1] < 'x' || text[i + 1] > 'z')
        return 3;
    return text[i + 1] - 'x' + 1;
}

static void use_builtin(rk_walker *w, const rk_cuda_name *builtin, CXCursor cursor)
{
    if (rk_values_outside(w, cursor))
        rk_values_use(w, builtin, cursor);
    else
        rk_walk_uses(w, builtin->use, cursor, builtin->name);
    if (builtin->use & (RK_USE_THREAD_IDX | RK_USE_BLOCK_IDX)) {
        const int dims = dimension_of(w, cursor);
        w->f->dims = dims > w->f->dims ? dims : w->f->dims;
    }
    if (builtin->use & RK_USE_BARRIERS)
        rk_walk_event(w, RK_EVENT_BARRIER, cursor);
    if (builtin->use & RK_USE_WARPS)
        rk_walk_event(w, RK_EVENT_WARP, cursor);
}

static void use_system_function(rk_walker *w, CXCursor cursor, CXCursor target, const char *name,
                                bool overloaded)
{
    const unsigned space = rk_system_space(target, w->unit->arena);
    if (space & RK_IN_COOPERATIVE) {
        rk_groups_function(w, cursor, target, name);
        return;
    }
    const rk_cuda_namespace *all = rk_cuda_namespace_of(space);
    if (all && all->use) {
        rk_walk_uses(w, all->use, cursor, name);
        return;
    }
    const rk_cuda_name *builtin = rk_builtin_find(name);
    if (builtin) {
        use_builtin(w, builtin, cursor);
        return;
    }
    if (space == RK_IN_PTX) {
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V106", rk_walk_place(w, cursor),
                       "use CUDA's own variables and functions for it",
                       "'%s' is an instruction, and may mean the whole vEU", name);
        return;
    }
    const rk_cuda_name *row = rk_cuda_find(RK_IN_PLAIN, name);
    const rk_cuda_refusal *forbidden = row->refusal;
    if (forbidden) {
        rk_problem_add(w->unit, w->function, forbidden->severity, forbidden->code,
                       rk_walk_place(w, cursor), forbidden->hint, "%s ('%s')", forbidden->message,
                       name);
        return;
    }
    w->f->does |= row->does & RK_DOES_FENCE ? RK_TEXT_FENCES : 0;
    const char *used = overloaded ? NULL : rk_walk_library(w, target);
    if (used)
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V121", rk_walk_place(w, cursor),
                       "write the operation out, so that it can be given the rTask's threads",
                       "'%s' of a library uses '%s' by itself", name, used);
}

/* References. */

/** The range of a loop, where its text can be edited. */
static bool range_text(const rk_walker *w, CXCursor loop, rk_where *begin, size_t *end)
{
    const CXSourceRange extent = clang_getCursorExtent(rk_implicit_range(loop, w->unit->arena));
    const rk_where last = rk_ast_spelling(w->unit, clang_getRangeEnd(extent));
    *begin = rk_ast_spelling(w->unit, clang_getRangeStart(extent));
    *end = last.offset;
    return begin->file != RK_NONE && begin->file == last.file &&
           rk_ast_expansion(w->unit, clang_getRangeStart(extent)).offset == begin->offset &&
           rk_ast_expansion(w->unit, clang_getRangeEnd(extent)).offset == last.offset;
}

static void use_function(rk_walker *w, CXCursor cursor, CXCursor target, rk_where at,
                         bool overloaded)
{
    const char *name = rk_ast_name(target, w->unit->arena);
    if (rk_cuda_find(RK_IN_PLAIN, name)->host & RK_HOST_CONFIGURE) {
        w->f->launches = true;
        if (rk_walk_in_device_code(w))
            rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V103", rk_walk_place(w, cursor),
                           "launch the inner kernel from the host",
                           "dynamic parallelism cannot be part of an rTask");
        return;
    }
    if (!rk_system_is_function(target, name))
        rk_walk_use(w, cursor, target, at, overloaded);
    else if (rk_walk_in_device_code(w))
        use_system_function(w, cursor, target, name, overloaded);
}

/** Shared arrays become local names, which the lambdas around must then capture. */
static void capture_shared(rk_walker *w, const char *name)
{
    for (size_t i = 0; i < w->lambdas.count; i++) {
        rk_lambda *lambda = &w->f->lambdas.items[w->lambdas.items[i]];
        bool known = false;
        for (size_t k = 0; k < lambda->names.count; k++)
            known |= strcmp(lambda->names.items[k], name) == 0;
        if (!known)
            *rk_push(w->unit->arena, &lambda->names) = name;
    }
}

/** Whether nothing can change the variable: `constexpr` may make an array const, or its elements. */
static bool is_constant(CXCursor variable)
{
    CXType type = clang_getCursorType(variable);
    bool fixed = clang_isConstQualifiedType(type);
    for (; type.kind == CXType_ConstantArray; fixed |= clang_isConstQualifiedType(type))
        type = clang_getArrayElementType(type);
    return fixed;
}

static void use_global(rk_walker *w, CXCursor cursor, CXCursor target)
{
    const char *name = rk_ast_name(target, w->unit->arena);
    const bool constant = rk_ast_has_attribute(target, CXCursor_CUDAConstantAttr, NULL);
    const bool device = rk_ast_has_attribute(target, CXCursor_CUDADeviceAttr, NULL);
    if (rk_ast_has_attribute(target, CXCursor_CUDASharedAttr, NULL)) {
        rk_shared_at_file_scope(w->analysis, w->function, target, rk_walk_place(w, cursor));
        rk_walk_uses(w,
                     clang_Cursor_getStorageClass(target) == CX_SC_Extern ? RK_USE_DYNAMIC_SHARED
                                                                          : RK_USE_STATIC_SHARED,
                     cursor, name);
        capture_shared(w, name);
        return;
    }
    if (!constant && !device)
        return;
    const CXCursor definition = clang_getCursorDefinition(target);
    if (clang_Cursor_isNull(definition) && !w->unit->options->drop_in && rk_walk_in_device_code(w))
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V110", rk_walk_place(w, cursor),
                       "convert a file that includes both sources",
                       "the definition of '%s' cannot be seen from here", name);
    if (!clang_Cursor_isNull(definition))
        target = definition;
    const bool initialised = !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(target));
    const bool fixed = is_constant(target);
    if (initialised) /* whether it keeps its value is known when all host code was seen */
        *rk_push(w->unit->arena, &w->analysis->symbol_uses) =
            (rk_symbol_use){w->function, target, rk_walk_place(w, cursor), name};
    if (initialised && (constant || fixed))
        return;
    if (initialised) {
        *rk_push(w->unit->arena, &w->f->kept) = name;
        rk_problem_add(w->unit, w->function, RK_WARNING, "RK-V202", rk_walk_place(w, cursor),
                       "see that it is back to its first value when the kernel ends",
                       "'%s' keeps its value from one run to the next", name);
    } else {
        rk_problem_add(w->unit, w->function, RK_WARNING, "RK-V212", rk_walk_place(w, cursor),
                       RK_SYMBOL_HINT, RK_SYMBOL_MESSAGE, name);
    }
}

/* What no text names. */

/* What runs where no text names it. */

typedef struct {
    rk_walker *w;
    CXCursor from;
} implicit_use;

/** A member's initial value, which runs where the object is made. */
static void use_member_value(rk_walker *w, CXCursor from, CXCursor value)
{
    for (size_t i = 0; i < w->inside.count; i++)
        if (clang_equalCursors(w->inside.items[i], value))
            return; /* it makes an object of its own class */
    const CXCursor *outer = w->member;
    *rk_push(w->unit->arena, &w->inside) = value;
    w->member = outer ? outer : &from;
    w->values++;
    visit(w, value);
    w->values--;
    w->member = outer;
    w->inside.count--;
}

static void use_implicit(CXCursor found, void *data)
{
    implicit_use *use = data;
    rk_walker *w = use->w;
    const char *name = rk_ast_name(found, w->unit->arena);
    if (clang_isExpression(clang_getCursorKind(found))) {
        use_member_value(w, use->from, found);
        return;
    }
    const size_t before = w->f->calls.count;
    use_function(w, use->from, found, (rk_where){RK_NONE, 0}, false);
    if (w->f->calls.count == before || clang_getCursorKind(use->from) != CXCursor_CXXForRangeStmt ||
        (strcmp(name, "begin") != 0 && strcmp(name, "end") != 0))
        return;
    rk_call *call = &w->f->calls.items[before];
    call->range = w->unit->functions.items[call->callee]->method &&
                  range_text(w, use->from, &call->name, &call->open);
    call->editable = call->range;
}

static void use_unnamed(rk_walker *w, CXCursor cursor)
{
    implicit_use use = {w, cursor};
    if (rk_walk_in_device_code(w))
        rk_implicit_find(cursor, w->unit->arena, use_implicit, &use);
}

static void use_variable(rk_walker *w, CXCursor cursor, CXCursor target)
{
    const char *name = rk_ast_name(target, w->unit->arena);
    const enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(target));
    if (!rk_walk_in_device_code(w)) {
        if (rk_ast_has_attribute(target, CXCursor_CUDAConstantAttr, NULL) ||
            rk_ast_has_attribute(target, CXCursor_CUDADeviceAttr, NULL))
            *rk_push(w->unit->arena, &w->analysis->host_symbols) = target;
        return;
    }
    /* An `extern` array in a function has the file for its parent. */
    const rk_where at = rk_ast_expansion(w->unit, clang_getCursorLocation(target));
    if (rk_ast_is_function(parent) || (at.file == w->f->definition.file &&
                                       at.offset > w->f->definition.end && at.offset < w->f->end)) {
        if (rk_ast_has_attribute(target, CXCursor_CUDASharedAttr, NULL))
            capture_shared(w, name);
        return;
    }
    if (rk_ast_is_system(target)) {
        const rk_cuda_name *builtin = rk_builtin_find(name);
        if (builtin)
            use_builtin(w, builtin, cursor);
        return;
    }
    if (rk_system_is_texture(clang_getCursorType(target), w->unit->arena))
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V104", rk_walk_place(w, cursor),
                       "read the buffer through a pointer",
                       "'%s' is a texture or surface reference", name);
    else
        use_global(w, cursor, target);
}

static void use_overloads(rk_walker *w, CXCursor cursor)
{
    const unsigned count = clang_getNumOverloadedDecls(cursor);
    for (unsigned i = 0; i < count; i++) {
        const CXCursor target = clang_getOverloadedDecl(cursor, i);
        if (rk_ast_is_function(clang_getCursorKind(target)))
            use_function(w, cursor, target,
                         rk_ast_spelling(w->unit, clang_getCursorLocation(cursor)), count > 1);
    }
}

/** A name that stands for a declaration: DeclRefExpr, MemberRefExpr. */
static void use_reference(rk_walker *w, CXCursor cursor)
{
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target))
        return;
    const enum CXCursorKind kind = clang_getCursorKind(target);
    if (kind == CXCursor_OverloadedDeclRef)
        return; /* comes as a child */
    if (kind == CXCursor_VarDecl)
        use_variable(w, cursor, target);
    else if (kind == CXCursor_FieldDecl && rk_walk_in_device_code(w))
        rk_groups_field(w, cursor, target);
    else if (rk_ast_is_function(kind) &&
             strcmp(rk_ast_name(target, w->unit->arena), "operator()") != 0)
        use_function(w, cursor, target, rk_ast_spelling(w->unit, clang_getCursorLocation(cursor)),
                     false);
}

/** Calls that no name stands for: of functors, and constructors. */
static void use_call(rk_walker *w, CXCursor cursor)
{
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target) || !rk_ast_is_function(clang_getCursorKind(target)))
        return;
    if (clang_getCursorKind(target) == CXCursor_Constructor) {
        use_function(w, cursor, target, (rk_where){RK_NONE, 0}, false);
        return;
    }
    if (strcmp(rk_ast_name(target, w->unit->arena), "operator()") != 0)
        return;
    const rk_cursors children = rk_ast_children(cursor, w->unit->arena);
    rk_where open = {RK_NONE, 0};
    if (children.count)
        open =
            rk_ast_spelling(w->unit, clang_getRangeEnd(clang_getCursorExtent(children.items[0])));
    const rk_tokens *tokens =
        open.file == RK_NONE ? NULL : &w->unit->files.items[open.file]->tokens;
    if (tokens) {
        const size_t token = rk_tokens_at(tokens, open.offset);
        if (rk_token_is(tokens, token, "("))
            open.offset = tokens->items[token].offset;
        else
            open.file = RK_NONE;
    }
    use_function(w, cursor, target, open, false);
}

/* Statements. */

static bool only_returns(CXCursor statement, CXCursor ret, rk_arena *arena)
{
    if (clang_equalCursors(statement, ret))
        return true;
    if (clang_getCursorKind(statement) != CXCursor_CompoundStmt)
        return false;
    const rk_cursors children = rk_ast_children(statement, arena);
    return children.count == 1 && clang_equalCursors(children.items[0], ret);
}

/** Whether a return is all that an `if` in the function's own block does when its condition holds. */
static bool is_top_level(rk_walker *w, CXCursor ret, rk_event *event)
{
    size_t i = w->above.count;
    if (i > 0 && clang_getCursorKind(w->above.items[i - 1]) == CXCursor_CompoundStmt)
        i--;
    if (i < 3 || clang_getCursorKind(w->above.items[i - 1]) != CXCursor_IfStmt ||
        clang_getCursorKind(w->above.items[i - 2]) != CXCursor_CompoundStmt || i - 2 != 1)
        return false;
    const CXCursor statement = w->above.items[i - 1];
    const rk_cursors children = rk_ast_children(statement, w->unit->arena);
    if (children.count < 2 || !only_returns(children.items[1], ret, w->unit->arena) ||
        clang_getCursorKind(children.items[0]) == CXCursor_DeclStmt ||
        clang_getCursorKind(children.items[0]) == CXCursor_VarDecl)
        return false;
    const rk_where at = rk_ast_spelling(w->unit, clang_getCursorLocation(statement));
    if (at.file != w->f->definition.file || at.offset != rk_walk_offset(w, statement))
        return false;
    const rk_tokens *tokens = &w->unit->files.items[at.file]->tokens;
    const size_t open = rk_tokens_at(tokens, at.offset) + 1;
    if (rk_ast_children(ret, w->unit->arena).count >
        0) /* what it calls comes before the thread leaves */
        return false;
    if (!rk_token_is(tokens, open - 1, "if") || !rk_token_is(tokens, open, "("))
        return false;
    const size_t close = rk_tokens_close(tokens, open);
    if (close >= tokens->count)
        return false;
    event->condition = tokens->items[open].offset + 1;
    event->condition_end = tokens->items[close].offset;
    return true;
}

static void use_return(rk_walker *w, CXCursor cursor)
{
    if (w->lambdas.count || w->values)
        return;
    const size_t before = w->f->events.count;
    rk_walk_event(w, RK_EVENT_RETURN, cursor);
    if (w->f->events.count == before)
        return;
    rk_event *event = &w->f->events.items[before];
    event->top_level = is_top_level(w, cursor, event);
    event->word = rk_ast_spelling(w->unit, clang_getCursorLocation(cursor));
}

static void check_spin(rk_walker *w, CXCursor loop)
{
    rk_ir *ir = rk_ir_of(w->unit);
    if (!rk_walk_in_device_code(w) ||
        rk_spin_look(w->unit, rk_lower_cursor(ir, loop), w->f->end) == RK_SPIN_NONE)
        return;
    const rk_where at = {w->f->definition.file, rk_walk_offset(w, loop)};
    if (w->f->kernel && rk_look_back(ir, rk_lower_cursor(ir, w->above.items[0]), at))
        rk_problem_add(w->unit, w->function, RK_WARNING, "RK-V105", rk_walk_place(w, loop),
                       "see that each block does what others wait for, and that its flags are "
                       "cleared before each run",
                       "the loop waits for lower-numbered blocks: rTasks begin in their order");
    else
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V105", rk_walk_place(w, loop),
                       "split the kernel where it waits; where it is for lower-numbered blocks "
                       "alone, say so: --allow RK-V105",
                       "the loop waits for another thread, which may be in an rTask that has "
                       "not begun");
}

/** Refuses a statement in the head of a `switch` or of a loop over a range, which libclang does not show. */
static void check_head(rk_walker *w, CXCursor statement)
{
    const rk_where at = rk_ast_spelling(w->unit, clang_getCursorLocation(statement));
    size_t i, from;
    if (at.file == RK_NONE || !rk_walk_in_device_code(w))
        return;
    const rk_tokens tokens = rk_walk_tokens(w->unit, at, &i, &from);
    const size_t close = rk_token_is(&tokens, i + 1, "(") ? rk_tokens_close(&tokens, i + 1) : 0;
    for (i += 2; i < close && i < tokens.count; i++) {
        if (rk_token_is(&tokens, i, "(") || rk_token_is(&tokens, i, "{"))
            i = rk_tokens_close(&tokens, i);
        else if (rk_token_is(&tokens, i, ";"))
            rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V137", rk_walk_place(w, statement),
                           "write it before the statement",
                           "what stands before the `;` in this head cannot be seen");
    }
}

static void visit_loop(rk_walker *w, CXCursor cursor)
{
    check_spin(w, cursor);
    if (clang_getCursorKind(cursor) == CXCursor_CXXForRangeStmt)
        check_head(w, cursor);
    const bool outermost = w->loop_end == 0;
    if (outermost) {
        unsigned begin, end;
        rk_ast_extent(cursor, &begin, &end);
        w->loop_begin = begin;
        w->loop_end = end;
    }
    visit_children(w, cursor);
    if (outermost)
        w->loop_begin = w->loop_end = 0;
}

static void visit_lambda(rk_walker *w, CXCursor cursor)
{
    if (w->values) { /* nothing to capture: its text asks by itself */
        visit_children(w, cursor);
        return;
    }
    unsigned begin, end;
    rk_ast_extent(cursor, &begin, &end);
    size_t index = RK_NONE;
    for (size_t i = 0; i < w->f->lambdas.count; i++)
        if (w->f->lambdas.items[i].open == begin)
            index = i;
    if (index == RK_NONE) {
        index = w->f->lambdas.count;
        *rk_push(w->unit->arena, &w->f->lambdas) = (rk_lambda){.open = begin, .end = end};
    }
    *rk_push(w->unit->arena, &w->lambdas) = index;
    visit_children(w, cursor);
    w->lambdas.count--;
}

static void visit_variable(rk_walker *w, CXCursor cursor)
{
    if (!rk_walk_in_device_code(w))
        return;
    const char *name = rk_ast_name(cursor, w->unit->arena);
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl &&
        rk_ast_has_attribute(cursor, CXCursor_CUDASharedAttr, NULL)) {
        const bool dynamic = clang_Cursor_getStorageClass(cursor) == CX_SC_Extern;
        if (dynamic && w->f->special && !w->local_class)
            w->f->does |= RK_TEXT_BARE_SHARED;
        else
            rk_walk_uses(w, dynamic ? RK_USE_DYNAMIC_SHARED : RK_USE_STATIC_SHARED, cursor, name);
        rk_shared_declare(w->analysis, w->body, w->above.items[w->above.count - 1], cursor);
        return;
    }
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl &&
        clang_Cursor_getStorageClass(cursor) == CX_SC_Static && !is_constant(cursor))
        rk_problem_add(w->unit, w->function, RK_WARNING, "RK-V202", rk_walk_place(w, cursor),
                       "see that it is back to its first value when the kernel ends",
                       "'%s' keeps its value from one run to the next", name);
}

/** A default argument is another text than the function that it is of. */
static void visit_parameter(rk_walker *w, CXCursor cursor, bool values_only)
{
    const rk_cursors parts = rk_ast_children(cursor, w->unit->arena);
    *rk_push(w->unit->arena, &w->above) = cursor;
    for (size_t i = 0; i < parts.count; i++) {
        const bool value = clang_isExpression(clang_getCursorKind(parts.items[i]));
        w->values += value;
        if (value || !values_only)
            visit(w, parts.items[i]);
        w->values -= value;
    }
    w->above.count--;
}

static void visit(rk_walker *w, CXCursor cursor)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    use_unnamed(w, cursor);
    switch (kind) {
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt:
        visit_loop(w, cursor);
        return;
    case CXCursor_LabelStmt:
        check_spin(w, cursor);
        break;
    case CXCursor_LambdaExpr:
        visit_lambda(w, cursor);
        return;
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
        w->local_class++;
        w->values++;
        visit_children(w, cursor);
        w->values--;
        w->local_class--;
        return;
    case CXCursor_SwitchStmt:
        check_head(w, cursor);
        break;
    case CXCursor_ReturnStmt:
        use_return(w, cursor);
        break;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
        w->f->has_goto = true;
        break;
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt:
        if (rk_walk_in_device_code(w))
            rk_assembly_look(w, cursor);
        break;
    case CXCursor_VarDecl:
        visit_variable(w, cursor);
        break;
    case CXCursor_ParmDecl:
        visit_variable(w, cursor);
        visit_parameter(w, cursor, false);
        return;
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
        if (rk_walk_in_device_code(w))
            rk_indirect_look(w, cursor);
        use_reference(w, cursor);
        break;
    case CXCursor_OverloadedDeclRef:
        use_overloads(w, cursor);
        break;
    case CXCursor_TypeRef:
    case CXCursor_TemplateRef:
        if (rk_walk_in_device_code(w))
            rk_groups_type(w, cursor);
        break;
    case CXCursor_CallExpr:
        if (rk_walk_in_device_code(w))
            rk_indirect_look(w, cursor);
        use_call(w, cursor);
        break;
    default:
        break;
    }
    visit_children(w, cursor);
}

/** Default arguments are in another declaration than the definition. */
static void visit_defaults(rk_walker *w, CXCursor declaration)
{
    const rk_cursors parts = rk_ast_children(declaration, w->unit->arena);
    for (size_t i = 0; i < parts.count; i++)
        if (clang_getCursorKind(parts.items[i]) == CXCursor_ParmDecl)
            visit_parameter(w, parts.items[i], true);
}

void rk_walk(rk_analysis *analysis, size_t body)
{
    const rk_body *at = &analysis->bodies.items[body];
    rk_walker w = {.analysis = analysis,
                   .unit = analysis->unit,
                   .f = analysis->unit->functions.items[at->function],
                   .body = body,
                   .function = at->function};
    visit_children(&w, at->cursor);
    const CXCursor first = clang_getCanonicalCursor(w.analysis->bodies.items[body].cursor);
    if (w.analysis->bodies.items[body].pattern &&
        !clang_equalCursors(first, w.analysis->bodies.items[body].cursor))
        visit_defaults(&w, first);
}
