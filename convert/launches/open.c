#include "convert/launches/execute.h"
#include "convert/launches/harvest_unit.h"

#include <string.h>

/* Launches whose kernel or configuration is what their function is called with. */

/** Whether it is, or has, a value that is not known. */
static bool has_unknown(rk_hv value)
{
    bool found = value.kind == RK_HV_UNKNOWN;
    for (const rk_hv_field *f = value.fields; f && value.kind == RK_HV_STRUCT && !found;
         f = f->next)
        found = has_unknown(f->value);
    return found;
}

static bool is_same_place(const rk_harvested *a, const rk_harvested *b)
{
    return a->offset == b->offset && strcmp(a->launch.file, b->launch.file) == 0;
}

/** Whether an open launch is this one, made by a call that is followed. */
static bool is_made_by(const rk_hunit *h, const rk_hopen *o, const rk_harvested *item)
{
    const bool lambda =
        !*o->usr && h->following; /* those were followed as their functions were run */
    return !lambda && rk_hunit_has_text(h->inside.items, h->inside.count, o->usr) &&
           is_same_place(&h->found.items[o->item], item);
}

bool rk_hopen_note_followed(rk_hunit *h, const rk_harvested *item)
{
    bool any = false;
    for (size_t i = 0; i < h->open.count; i++) {
        if (!is_made_by(h, &h->open.items[i], item))
            continue;
        *rk_push(h->arena, &h->closed) = (rk_hclosed){i, h->found.count};
        any = true;
    }
    return any;
}

static bool is_parameter(const rk_hunit *h, const char *name)
{
    const size_t length = strcspn(name, ".-[");
    for (size_t i = 0; i < h->params.count; i++)
        if (strncmp(h->params.params[i].name, name, length) == 0 &&
            h->params.params[i].name[length] == '\0')
            return true;
    return false;
}

/** Whether a grid or a block is a parameter of the function, in some dimension. */
static bool is_passed(const rk_hunit *h, rk_hv value)
{
    const rk_cexpr *e = value.kind == RK_HV_SCALAR ? value.sym : NULL;
    while (e && e->kind == RK_CEXPR_CAST)
        e = e->a[0];
    if (e)
        return e->kind == RK_CEXPR_NAME && !e->input && is_parameter(h, e->text);
    if (value.kind == RK_HV_OBJECT)
        return !value.input && is_parameter(h, value.name);
    for (const rk_hv_field *f = value.fields; f && value.kind == RK_HV_STRUCT; f = f->next)
        if (is_passed(h, f->value))
            return true;
    return false;
}

static bool is_kernel_passed(const rk_hlaunch *p)
{
    return (p->callee.kind == RK_HV_POINTER || p->callee.kind == RK_HV_OBJECT) && p->callee.name &&
           !p->callee.input;
}

void rk_hopen_note(rk_hunit *h, const rk_hrun *run, size_t item, const rk_hlaunch *p)
{
    const bool known = p->callee.kind == RK_HV_FUNCTION;
    rk_hopen open = {.item = item, .function = h->function, .usr = ""};
    if (run->uncalled &&
        (!known || has_unknown(p->grid) || has_unknown(p->block) || has_unknown(p->shared)))
        open.kind = RK_HOPEN_LAMBDA;
    else if (is_kernel_passed(p))
        open.kind = RK_HOPEN_KERNEL;
    else if (known && (is_passed(h, p->grid) || is_passed(h, p->block)))
        open.kind = RK_HOPEN_CONFIGURATION;
    else
        return;
    if (open.kind != RK_HOPEN_LAMBDA)
        open.usr = rk_ast_text(clang_getCursorUSR(h->function), h->arena);
    *rk_push(h->arena, &h->open) = open;
    if (*open.usr && !rk_hunit_has_text(h->wrappers.items, h->wrappers.count, open.usr))
        *rk_push(h->arena, &h->wrappers) = open.usr;
    if (is_kernel_passed(p))
        h->found.items[item].launch.reason = rk_arena_printf(
            h->arena, "the kernel is the parameter '%s', and no call of '%s' here tells which",
            p->callee.name, h->found.items[item].launch.function);
}

/** Whether a call passes a lambda whose text is known to a function of the project. */
static bool passes_lambda(rk_hrun *run, CXCursor call, const rk_henv *env)
{
    const CXCursor function = clang_getCursorDefinition(clang_getCursorReferenced(call));
    if (clang_Cursor_isNull(function) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
        return false;
    const int count = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < count; i++) {
        const CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        const char *type =
            rk_ast_text(clang_getTypeSpelling(clang_getCursorType(argument)), run->arena);
        if (strstr(type, "(lambda") && rk_h_eval(run, env, argument).kind == RK_HV_LAMBDA)
            return true;
    }
    return false;
}

/** Whether the call is of a function whose callers are followed now, or were and this is in one that is. */
static bool is_of_wrapper(const rk_hunit *h, const char *usr)
{
    for (size_t i = h->inside.count ? 0 : h->old_wrappers; i < h->wrapper_end; i++)
        if (strcmp(h->wrappers.items[i], usr) == 0)
            return true;
    return false;
}

size_t rk_hopen_followed_calls(const rk_hunit *h, const char *usr, CXSourceLocation place,
                               bool *known)
{
    size_t count = 0;
    *known = false;
    for (size_t i = 0; i < h->followed.count; i++) {
        if (strcmp(h->followed.items[i].usr, usr) != 0)
            continue;
        count++;
        *known |= clang_equalLocations(h->followed.items[i].place, place) != 0;
    }
    return count;
}

static void note_call(rk_hunit *h, const char *usr, CXCursor call)
{
    bool known;
    const CXSourceLocation place = clang_getCursorLocation(call);
    rk_hopen_followed_calls(h, usr, place, &known);
    if (*usr && !known)
        *rk_push(h->arena, &h->followed) = (rk_hfollowed){usr, place};
}

void rk_hopen_on_call(rk_hrun *run, CXCursor call, const rk_hstate *state)
{
    rk_hunit *h = run->user;
    const char *usr = "";
    rk_hstate here = *state;
    if (!clang_Cursor_isNull(run->whole) && rk_h_same_expression(run->whole, call))
        here.env = run->before;
    if (!rk_h_is_lambda_call(run, call, state->env)) {
        usr = rk_ast_text(clang_getCursorUSR(clang_getCursorReferenced(call)), h->arena);
        if (!is_of_wrapper(h, usr) && !passes_lambda(run, call, here.env))
            return;
        if (rk_hunit_has_text(h->inside.items, h->inside.count, usr)) {
            *rk_push(h->arena, &h->recursive) = usr;
            return;
        }
    }
    *rk_push(h->arena, &h->inside) = usr;
    if (rk_h_enter_call(run, call, &here))
        note_call(h, usr, call);
    h->inside.count--;
}

bool rk_hunit_has_text(const char *const *items, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i], text) == 0)
            return true;
    return false;
}
