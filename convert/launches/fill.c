#include "base/str.h"
#include "convert/clang/ast.h"
#include "convert/launches/harvest_unit.h"
#include "rkernel_lib/catalog/expr.h"

#include <string.h>

/* What a launch passes, as expressions. */

/** A dimension; false with the reason when it is not known. */
static bool check_dimension(const rk_sym **out, rk_hunit *h, rk_harvested *item, rk_hv value,
                            const char *what)
{
    if (value.kind == RK_HV_SCALAR && rk_sym_has_status(value.sym)) {
        item->launch.reason =
            rk_arena_printf(h->arena, "%s: it depends on whether a CUDA call fails", what);
        return false;
    }
    if (value.kind == RK_HV_SCALAR) {
        *out = rk_sym_strip(value.sym);
        return true;
    }
    const char *why = value.kind == RK_HV_UNKNOWN ? value.reason : "it is no number";
    item->launch.reason = rk_arena_printf(h->arena, "%s: %s", what, why);
    return false;
}

static bool check_dim3(const rk_sym *out[3], rk_hunit *h, rk_harvested *item, rk_hv value,
                       const char *what)
{
    static const char *const names[] = {"x", "y", "z"};
    CXType none = clang_getCursorType(clang_getNullCursor());
    if (value.kind == RK_HV_SCALAR)
        value = rk_hv_dim3(h->arena, value.sym, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        rk_hv field = value;
        if (value.kind == RK_HV_OBJECT)
            field = rk_hv_scalar(rk_sym_name(
                h->arena, value.input, rk_arena_printf(h->arena, "%s.%s", value.name, names[i]),
                rk_ctype_unsigned));
        else if (value.kind == RK_HV_STRUCT)
            field = rk_hv_field_of(h->arena, value, names[i], none);
        if (!check_dimension(&out[i], h, item, field, what))
            return false;
    }
    return true;
}

/** Bytes of what a parameter points to; 1 for void. */
static int64_t parameter_element(const rk_hunit *h, const char *name)
{
    int n = clang_Cursor_getNumArguments(h->function);
    for (int i = 0; i < n; i++) {
        CXCursor parameter = clang_Cursor_getArgument(h->function, (unsigned)i);
        if (strcmp(rk_h_spelling(h->arena, parameter), name) != 0)
            continue;
        CXType type = clang_getCanonicalType(clang_getCursorType(parameter));
        CXType pointee = type.kind == CXType_Pointer ? clang_getPointeeType(type)
                                                     : clang_getArrayElementType(type);
        long long size = rk_ast_size_of(pointee);
        return size > 0 ? size : 1;
    }
    return 0;
}

static const rk_sym *pointer_argument(rk_hunit *h, rk_hv value)
{
    rk_ctype wide = {RK_CTYPE_INT, 8, true};
    if (!value.name)
        return rk_sym_int(h->arena, 0, wide);
    if (value.input)
        return NULL;
    if (rk_sym_is_int(value.sym, 0))
        return rk_sym_name(h->arena, NULL, value.name, wide);
    int64_t element = parameter_element(h, value.name);
    if (element <= 0 || value.element <= 0 || value.element % element != 0)
        return NULL;
    const rk_sym *offset = rk_sym_binary(h->arena, "*", rk_sym_convert(h->arena, value.sym, wide),
                                         rk_sym_int(h->arena, value.element / element, wide));
    return rk_sym_binary(h->arena, "+", rk_sym_name(h->arena, NULL, value.name, wide), offset);
}

/** An argument as an expression; NULL when it is none. */
static const rk_sym *argument(rk_hunit *h, rk_hv value)
{
    if (value.sym && rk_sym_has_status(value.sym))
        return NULL;
    switch (value.kind) {
    case RK_HV_SCALAR: {
        const rk_sym *e = value.sym;
        if (e->kind == RK_SYM_CAST && e->target.kind == RK_CTYPE_INT && e->target.bytes == 8)
            e = rk_sym_strip(e);
        return e;
    }
    case RK_HV_POINTER:
        return pointer_argument(h, value);
    case RK_HV_OBJECT:
        return rk_sym_name(h->arena, value.input, value.name, rk_ctype_int);
    default:
        return NULL;
    }
}

/** The conjunction of a path's conditions, the outermost first. */
static const rk_sym *conjunction(rk_hunit *h, const rk_hpath *path)
{
    if (!path)
        return NULL;
    const rk_sym *outer = conjunction(h, path->next);
    return outer ? rk_sym_binary(h->arena, "&&", outer, path->condition) : path->condition;
}
/** Drops the configuration, for a reason that is set unless one is there. */
static void leave_unresolved(rk_harvested *item, const char *reason)
{
    rk_launch *launch = &item->launch;
    launch->resolved = false;
    launch->grid[0] = launch->grid[1] = launch->grid[2] = NULL;
    launch->block[0] = launch->block[1] = launch->block[2] = launch->shared = NULL;
    if (!launch->reason)
        launch->reason = reason;
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

static void print_launch(rk_hunit *h, rk_launch *launch, const rk_sym *const *all)
{
    rk_hnames *names = rk_hnames_new(h->arena, launch->params, launch->param_count);
    const char **texts = RK_NEW_ARRAY(h->arena, const char *, AT_ARGS + launch->arg_count);
    for (size_t i = 0; i < AT_ARGS; i++)
        if (all[i])
            rk_hnames_add(names, all[i]);
    const char *broken = rk_hnames_broken(names);
    for (size_t i = AT_ARGS; i < AT_ARGS + launch->arg_count && !broken; i++) {
        rk_hnames *tried = rk_hnames_new(h->arena, NULL, 0);
        if (all[i])
            rk_hnames_add(tried, all[i]);
        if (all[i] && !rk_hnames_broken(tried))
            rk_hnames_add(names, all[i]);
        texts[i] = all[i] && !rk_hnames_broken(tried) ? rk_hnames_print(names, all[i]) : NULL;
        texts[i] = texts[i] && is_read(texts[i]) ? texts[i] : NULL;
    }
    bool deep = false;
    for (size_t i = 0; i < AT_ARGS && !broken; i++) {
        texts[i] = all[i] ? rk_hnames_print(names, all[i]) : NULL;
        deep |= texts[i] && !is_read(texts[i]);
    }
    for (size_t i = 0; i < 3 && !broken; i++) {
        launch->grid[i] = texts[AT_GRID + i];
        launch->block[i] = texts[AT_BLOCK + i];
    }
    launch->shared = texts[AT_SHARED];
    launch->when = texts[AT_WHEN];
    launch->args = &texts[AT_ARGS];
    launch->resolved = !broken && !deep;
    if (deep)
        launch->reason = "its configuration is an expression that is nested too deeply";
    else if (broken)
        launch->reason = rk_arena_printf(
            h->arena, "'%s' changes in a loop in a way that is not followed", broken);
    else
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
    const rk_sym **all = RK_NEW_ARRAY(h->arena, const rk_sym *, AT_ARGS + count);
    bool ok = check_dim3(&all[AT_GRID], h, item, p->grid, "grid") &&
              check_dim3(&all[AT_BLOCK], h, item, p->block, "block") &&
              check_dimension(&all[AT_SHARED], h, item, p->shared, "shared memory");
    launch->when_partial = at->partial;
    launch->stream = p->stream;
    if (!ok || launch->reason || !*item->kernel_name) {
        leave_unresolved(item, unknown_kernel(h, &p->callee));
        return;
    }
    all[AT_WHEN] = conjunction(h, at->path);
    for (size_t i = 0; i < count && i < p->arg_count; i++)
        all[AT_ARGS + i] = argument(h, p->args[i]);
    launch->arg_count = count;
    print_launch(h, launch, all);
    if (!launch->resolved)
        leave_unresolved(item, NULL);
}
