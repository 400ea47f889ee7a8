#include "base/str.h"
#include "convert/clang/ast.h"
#include "convert/launches/harvest_unit.h"
#include "rkernel_lib/catalog/expr.h"

#include <string.h>

/* What a launch passes, as expressions. */

/** A number that no expression says, as an input of that name; `text` is what the source writes there. */
static const rk_cexpr *open_number(rk_hunit *h, const rk_harvested *item, const char *text,
                                   const char *name, const char *why)
{
    rk_hrun run = {.arena = h->arena};
    rk_cexpr_input *input = rk_hinput_new(&run, RK_INPUT_OPEN, item->site, text);
    input->why = why;
    return rk_cexpr_name(h->arena, input, name, rk_ctype_unsigned);
}

/** A dimension: what the value is, or an input that is called by its text. */
static const rk_cexpr *dimension(rk_hunit *h, const rk_harvested *item, rk_hv value,
                                 const char *text, const char *name)
{
    if (value.kind == RK_HV_SCALAR && !rk_cexpr_has_status(value.sym))
        return rk_cexpr_strip(value.sym);
    const char *why = value.kind == RK_HV_SCALAR    ? "it depends on whether a CUDA call fails"
                      : value.kind == RK_HV_UNKNOWN ? value.reason
                                                    : "it is no number";
    return open_number(h, item, text ? text : name, name, why);
}

/** Grid or block; `text` as the source writes it, `what` if it does not. */
static void dimensions(const rk_cexpr *out[3], rk_hunit *h, const rk_harvested *item, rk_hv value,
                       const char *text, const char *what)
{
    static const char *const names[] = {"x", "y", "z"};
    CXType none = clang_getCursorType(clang_getNullCursor());
    if (value.kind == RK_HV_SCALAR)
        value = rk_hv_dim3(h->arena, value.sym, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        rk_hv field = value;
        if (value.kind == RK_HV_OBJECT)
            field = rk_hv_scalar(rk_cexpr_name(
                h->arena, value.input, rk_arena_printf(h->arena, "%s.%s", value.name, names[i]),
                rk_ctype_unsigned));
        else if (value.kind == RK_HV_STRUCT)
            field = rk_hv_field_of(h->arena, value, names[i], none);
        out[i] =
            dimension(h, item, field, text, rk_arena_printf(h->arena, "%s.%s", what, names[i]));
    }
}

/** Bytes of what a parameter points to; 1 for void. */
static int64_t parameter_element(const rk_hunit *h, const char *name)
{
    int n = clang_Cursor_getNumArguments(h->function);
    for (int i = 0; i < n; i++) {
        CXCursor parameter = clang_Cursor_getArgument(h->function, (unsigned)i);
        if (strcmp(rk_ast_name(parameter, h->arena), name) != 0)
            continue;
        CXType type = clang_getCanonicalType(clang_getCursorType(parameter));
        CXType pointee = type.kind == CXType_Pointer ? clang_getPointeeType(type)
                                                     : clang_getArrayElementType(type);
        long long size = rk_ast_size_of(pointee);
        return size > 0 ? size : 1;
    }
    return 0;
}

static const rk_cexpr *pointer_argument(rk_hunit *h, rk_hv value)
{
    rk_ctype wide = {RK_CTYPE_INT, 8, true};
    if (!value.name)
        return rk_cexpr_int(h->arena, 0, wide);
    if (value.input)
        return NULL;
    if (rk_cexpr_is_int(value.sym, 0))
        return rk_cexpr_name(h->arena, NULL, value.name, wide);
    int64_t element = parameter_element(h, value.name);
    if (element <= 0 || value.element <= 0 || value.element % element != 0)
        return NULL;
    const rk_cexpr *offset =
        rk_cexpr_binary(h->arena, "*", rk_cexpr_convert(h->arena, value.sym, wide),
                        rk_cexpr_int(h->arena, value.element / element, wide));
    return rk_cexpr_binary(h->arena, "+", rk_cexpr_name(h->arena, NULL, value.name, wide), offset);
}

/** An argument as an expression; NULL when it is none. */
static const rk_cexpr *argument(rk_hunit *h, rk_hv value)
{
    if (value.sym && rk_cexpr_has_status(value.sym))
        return NULL;
    switch (value.kind) {
    case RK_HV_SCALAR: {
        const rk_cexpr *e = value.sym;
        if (e->kind == RK_CEXPR_CAST && e->target.kind == RK_CTYPE_INT && e->target.bytes == 8)
            e = rk_cexpr_strip(e);
        return e;
    }
    case RK_HV_POINTER:
        return pointer_argument(h, value);
    case RK_HV_OBJECT:
        return rk_cexpr_name(h->arena, value.input, value.name, rk_ctype_int);
    default:
        return NULL;
    }
}

/** The conjunction of a path's conditions, the outermost first. */
static const rk_cexpr *conjunction(rk_hunit *h, const rk_hpath *path)
{
    if (!path)
        return NULL;
    const rk_cexpr *outer = conjunction(h, path->next);
    return outer ? rk_cexpr_binary(h->arena, "&&", outer, path->condition) : path->condition;
}
/** The expressions of a launch: grid, block, shared bytes, condition, arguments. */
enum { AT_GRID, AT_BLOCK = 3, AT_SHARED = 6, AT_WHEN, AT_ARGS };

/** Whether who reads the catalog takes the text as an expression: one that is nested too deeply is none. */
static bool is_read(const char *text)
{
    rk_arena *scratch = rk_arena_new();
    const bool read =
        rk_expr_parse(text, rk_place_file(NULL), scratch, rk_diag_new(scratch)) != NULL;
    rk_arena_free(scratch);
    return read;
}

static bool is_printed(const rk_hunit *h, const rk_cexpr *e)
{
    rk_hnames *names = rk_hnames_new(h->arena, NULL, 0);
    rk_hnames_add(names, e);
    return is_read(rk_hnames_print(names, e));
}

/** What is nested too deeply for a reader of the catalog is open. */
static void cut_deep(rk_hunit *h, const rk_harvested *item, const rk_cexpr **all)
{
    static const char *const names[] = {"grid.x",  "grid.y",  "grid.z", "block.x",
                                        "block.y", "block.z", "shared"};
    for (size_t i = 0; i < AT_WHEN; i++)
        if (!is_printed(h, all[i]))
            all[i] = open_number(h, item, names[i], names[i],
                                 "it is an expression that is nested too deeply");
}

static void print_launch(rk_hunit *h, rk_harvested *item, const rk_cexpr **all)
{
    rk_launch *launch = &item->launch;
    rk_hnames *names = rk_hnames_new(h->arena, launch->params, launch->param_count);
    const size_t count = AT_ARGS + launch->arg_count;
    const char **texts = RK_NEW_ARRAY(h->arena, const char *, count);
    cut_deep(h, item, all);
    for (size_t i = 0; i < count; i++)
        if (all[i] && (i < AT_WHEN || is_printed(h, all[i])))
            rk_hnames_add(names, all[i]);
        else
            all[i] = i == AT_WHEN && all[i] ? (launch->when_partial = true, NULL) : NULL;
    for (size_t i = 0; i < count; i++)
        texts[i] = all[i] ? rk_hnames_print(names, all[i]) : NULL;
    for (size_t i = 0; i < 3; i++) {
        launch->grid[i] = texts[AT_GRID + i];
        launch->block[i] = texts[AT_BLOCK + i];
    }
    launch->shared = texts[AT_SHARED];
    launch->when = texts[AT_WHEN];
    launch->args = &texts[AT_ARGS];
    launch->resolved = true;
    launch->inputs = rk_hnames_inputs(&launch->input_count, names);
}

static const char *unknown_kernel(const rk_hunit *h, const rk_hv *callee)
{
    return callee->name     ? rk_arena_printf(h->arena, "the kernel is '%s', which is not followed",
                                              callee->name)
           : callee->reason ? rk_arena_printf(h->arena, "the kernel: %s", callee->reason)
                            : "the kernel is not known";
}

void rk_hunit_fill(rk_hunit *h, rk_harvested *item, const rk_hpending *at)
{
    rk_launch *launch = &item->launch;
    const rk_hlaunch *p = &at->parts;
    int wanted = clang_Cursor_isNull(item->instance) ? (int)p->arg_count
                                                     : clang_Cursor_getNumArguments(item->instance);
    size_t count = wanted < 0 ? p->arg_count : (size_t)wanted;
    const rk_cexpr **all = RK_NEW_ARRAY(h->arena, const rk_cexpr *, AT_ARGS + count);
    launch->when_partial = at->partial;
    launch->stream = p->stream;
    if (launch->reason || !*item->kernel_name) {
        launch->reason = launch->reason ? launch->reason : unknown_kernel(h, &p->callee);
        return;
    }
    dimensions(&all[AT_GRID], h, item, p->grid, p->texts[0], "grid");
    dimensions(&all[AT_BLOCK], h, item, p->block, p->texts[1], "block");
    all[AT_SHARED] = dimension(h, item, p->shared, p->texts[2], "shared");
    all[AT_WHEN] = conjunction(h, at->path);
    for (size_t i = 0; i < count && i < p->arg_count; i++)
        all[AT_ARGS + i] = argument(h, p->args[i]);
    launch->arg_count = count;
    print_launch(h, item, all);
}
