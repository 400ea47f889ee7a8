#include "sched/select/fitting.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool rk_fitting_fail(rk_fitting *f, rk_misfit misfit, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->misfit = misfit;
    f->reason = rk_arena_strdup(f->scratch, text);
    return false;
}

/** Whether `name` is the declared operand, "b?" and "x..." included; *index is of "x_2" that 2. */
static bool names_operand(const char *declared, const char *name, size_t *index)
{
    size_t length = strcspn(declared, "?.");
    *index = 0;
    if (strncmp(declared, name, length) != 0)
        return false;
    const char *rest = name + length;
    if (*rest == '\0')
        return true;
    if (declared[length] != '.' || *rest != '_' || rest[1] < '0' || rest[1] > '9')
        return false;
    char *end;
    *index = strtoul(rest + 1, &end, 10);
    return *end == '\0';
}

static int find_in(const char *const *declared, size_t count, const char *name)
{
    for (size_t i = 0; declared && declared[i]; i++) {
        size_t more;
        if (names_operand(declared[i], name, &more))
            return i + more < count ? (int)(i + more) : RK_NO_SLOT;
    }
    return RK_NO_SLOT;
}

static int find_given(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; names && i < count; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return (int)i;
    return RK_NO_SLOT;
}

int rk_slot_find(const rk_op_call *call, const char *name)
{
    const rk_node *node = call->node;
    int in = node->op ? find_in(node->op->inputs, call->in_count, name)
                      : find_given(node->input_names, call->in_count, name);
    if (in != RK_NO_SLOT)
        return in;
    int out = node->op ? find_in(node->op->outputs, call->out_count, name)
                       : find_given(node->output_names, call->out_count, name);
    return out == RK_NO_SLOT ? RK_NO_SLOT : (int)call->in_count + out;
}

const rk_tensor *rk_slot_tensor(const rk_op_call *call, int slot)
{
    if (slot == RK_NO_SLOT)
        return NULL;
    size_t i = (size_t)slot;
    return i < call->in_count ? call->in[i] : call->out[i - call->in_count];
}

/** The node's attribute, else the op's default in *spec; false when there is neither. */
static bool find_attr(const rk_attr **given, const rk_attr_spec **spec, const rk_node *node,
                      const char *name)
{
    *given = rk_node_attr(node, name);
    *spec = NULL;
    for (const rk_attr_spec *s = node->op ? node->op->attrs : NULL; s && s->name; s++)
        if (strcmp(s->name, name) == 0)
            *spec = s;
    return *given || *spec;
}

static bool attr_value(rk_value *out, const rk_node *node, const char *name)
{
    const rk_attr *given;
    const rk_attr_spec *spec;
    if (!find_attr(&given, &spec, node, name))
        return false;
    rk_attr_type type = given ? given->type : spec->type;
    if (type == RK_ATTR_INT)
        *out = rk_value_int(given ? given->i : spec->i);
    else if (type == RK_ATTR_REAL)
        *out = rk_value_real(given ? given->d : spec->d);
    return type == RK_ATTR_INT || type == RK_ATTR_REAL;
}

static bool constant_value(rk_value *out, const char *name)
{
    bool zero =
        strcmp(name, "false") == 0 || strcmp(name, "NULL") == 0 || strcmp(name, "nullptr") == 0;
    *out = rk_value_int(!zero);
    return zero || strcmp(name, "true") == 0;
}

/** An environment: names of the op, or of the launching function. */
typedef struct {
    rk_fitting *f;
    rk_diag *diag;
    bool address; /**< a pointer counts as 0, so that the value is the offset from it */
    const rk_launch_input *loop; /**< one that is being run through, or NULL */
    rk_value now;                /**< its variable's value */
} scope;

static bool operand_name(void *user, rk_value *out, const char *name)
{
    const scope *s = user;
    const rk_op_call *call = s->f->call;
    int slot = rk_slot_find(call, name);
    if (slot != RK_NO_SLOT) {
        *out = rk_value_int(!s->address && rk_slot_tensor(call, slot));
        return true;
    }
    if (attr_value(out, call->node, name) || constant_value(out, name))
        return true;
    rk_dtype dtype = rk_dtype_of(name);
    *out = rk_value_int(dtype);
    return dtype != RK_DTYPE_NONE;
}

static rk_env env_of(scope *s);

static bool int_argument(int64_t *out, scope *s, const rk_expr *e)
{
    rk_env env = env_of(s);
    rk_value v;
    if (!rk_expr_eval(&v, e, &env, s->diag) || v.is_real)
        return false;
    *out = v.i;
    return true;
}

static bool ask_dim(rk_value *out, scope *s, const rk_tensor *t, const rk_expr *const *args,
                    size_t count)
{
    int64_t i;
    if (!t || count != 2 || !int_argument(&i, s, args[1]))
        return false;
    i = i < 0 ? i + t->rank : i;
    if (i < 0 || i >= t->rank)
        return rk_diag_add(s->diag, RK_ERROR, "RK-S001", (rk_place){0}, NULL,
                           "tensor '%s' of rank %d has no dimension %lld", t->name, t->rank,
                           (long long)i);
    *out = rk_value_int(t->shape[i]);
    out->open = t->open[i] != NULL;
    out->sym = t->open[i];
    return true;
}

/** at(list, index, otherwise): an element of a list attribute. */
static bool ask_at(rk_value *out, scope *s, const rk_expr *const *args, size_t count)
{
    const char *name = rk_expr_name(args[0]);
    const rk_attr *given;
    const rk_attr_spec *spec;
    int64_t i;
    int64_t otherwise;
    if (count != 3 || !name || !find_attr(&given, &spec, s->f->call->node, name) ||
        !int_argument(&i, s, args[1]) || !int_argument(&otherwise, s, args[2]))
        return false;
    bool there = given && given->type == RK_ATTR_INTS && i >= 0 && (size_t)i < given->int_count;
    *out = rk_value_int(there ? given->ints[i] : otherwise);
    return true;
}

/** is(attribute, word): whether a text attribute is that word. */
static bool ask_is(rk_value *out, scope *s, const rk_expr *const *args, size_t count)
{
    const char *name = rk_expr_name(args[0]);
    const char *word = count == 2 ? rk_expr_name(args[1]) : NULL;
    const rk_attr *given;
    const rk_attr_spec *spec;
    if (!name || !word || !find_attr(&given, &spec, s->f->call->node, name))
        return false;
    const char *value = given ? given->s : spec->s;
    *out = rk_value_int(value && strcmp(value, word) == 0);
    return true;
}

static bool operand_call(void *user, rk_value *out, const char *function,
                         const rk_expr *const *args, size_t count)
{
    scope *s = user;
    if (count == 0)
        return false;
    if (strcmp(function, "at") == 0)
        return ask_at(out, s, args, count);
    if (strcmp(function, "is") == 0)
        return ask_is(out, s, args, count);
    const char *name = rk_expr_name(args[0]);
    int slot = name ? rk_slot_find(s->f->call, name) : RK_NO_SLOT;
    const rk_tensor *t = rk_slot_tensor(s->f->call, slot);
    if (strcmp(function, "has") == 0 && name) {
        *out = rk_value_int(t != NULL);
        return count == 1;
    }
    if (slot == RK_NO_SLOT)
        return false;
    if (strcmp(function, "dim") == 0)
        return ask_dim(out, s, t, args, count);
    if (count != 1)
        return false;
    if (strcmp(function, "rank") == 0)
        *out = rk_value_int(t ? t->rank : 0);
    else if (strcmp(function, "size") == 0 && t && rk_tensor_is_open(t))
        *out = (rk_value){
            .i = rk_tensor_elements(t), .open = true, .sym = rk_tensor_size(s->f->call->graph, t)};
    else if (strcmp(function, "size") == 0)
        *out = rk_value_int(t ? rk_tensor_elements(t) : 0);
    else if (strcmp(function, "dtype") == 0)
        *out = rk_value_int(t ? t->dtype : RK_DTYPE_NONE);
    else
        return false;
    return true;
}

static rk_env env_of(scope *s)
{
    return (rk_env){
        .user = s, .syms = s->f->call->graph->syms, .name = operand_name, .call = operand_call};
}

/** Turns a failed evaluation into the reason why the kernel does not fit. */
static bool evaluation_fails(rk_fitting *f, const rk_diag *diag, const char *text)
{
    const char *why = rk_diag_count(diag) ? rk_diag_at(diag, 0)->message : "it has no value";
    return rk_fitting_fail(f, RK_MISFIT_CONDITION, "'%s' cannot be computed: %s", text, why);
}

static bool evaluate(rk_value *out, rk_fitting *f, const char *text, bool address,
                     rk_env (*make)(scope *))
{
    rk_diag *diag = rk_diag_new(f->scratch);
    scope s = {.f = f, .diag = diag, .address = address};
    rk_env env = make(&s);
    const rk_expr *e = rk_parsed_get(f->parsed, text, diag);
    return (e && rk_expr_eval(out, e, &env, diag)) || evaluation_fails(f, diag, text);
}

bool rk_fitting_operand_value(rk_value *out, rk_fitting *f, const char *text)
{
    return evaluate(out, f, text, false, env_of);
}

static const rk_param *launch_param(const rk_fitting *f, const char *name)
{
    for (size_t i = 0; i < f->launch->param_count; i++)
        if (strcmp(f->launch->params[i].name, name) == 0)
            return &f->launch->params[i];
    return NULL;
}

static const char *bound_value(const rk_fitting *f, const char *param)
{
    for (size_t i = 0; i < f->binding->arg_count; i++)
        if (strcmp(f->binding->args[i].param, param) == 0)
            return f->binding->args[i].value;
    return NULL;
}

/** What a name in an expression over operands refers to, if it is one pointer. */
typedef struct {
    const rk_fitting *f;
    int slot;
    bool in_launch; /**< names are the launching function's */
} pointer_search;

static void visit_name(void *user, const char *name)
{
    pointer_search *search = user;
    const rk_fitting *f = search->f;
    if (!search->in_launch) {
        int slot = rk_slot_find(f->call, name);
        search->slot = slot == RK_NO_SLOT ? search->slot : slot;
        return;
    }
    const rk_param *param = launch_param(f, name);
    if (!param || !param->pointer)
        return;
    if (!f->binding) {
        search->slot = rk_slot_find(f->call, name);
        return;
    }
    const char *value = bound_value(f, name);
    search->slot = value ? rk_slot_find(f->call, value) : RK_NO_SLOT;
    if (value && search->slot == RK_NO_SLOT) {
        search->in_launch = false;
        const rk_expr *e = rk_parsed_get(f->parsed, value, rk_diag_new(f->scratch));
        if (e)
            rk_expr_names(e, visit_name, search);
        search->in_launch = true;
    }
}

static rk_env launch_env_of(scope *s);

/** What a loop before the launch leaves in its variable: it is run through. */
static bool after_loop(rk_value *out, const scope *s, const char *name)
{
    enum { MOST_STEPS = 1 << 20 };
    const rk_launch_input *input = NULL;
    for (size_t i = 0; i < s->f->launch->input_count; i++)
        if (strcmp(s->f->launch->inputs[i].name, name) == 0)
            input = &s->f->launch->inputs[i];
    if (!input || input->kind != RK_INPUT_AFTER || input == s->loop)
        return false;
    const rk_expr *first = rk_parsed_get(s->f->parsed, input->first, s->diag);
    const rk_expr *again = rk_parsed_get(s->f->parsed, input->again, s->diag);
    const rk_expr *next = rk_parsed_get(s->f->parsed, input->next, s->diag);
    scope inner = *s;
    rk_env env = launch_env_of(&inner);
    if (!first || !again || !next || !rk_expr_eval(&inner.now, first, &env, s->diag))
        return false;
    inner.loop = input;
    for (int step = 0; step < MOST_STEPS; step++) {
        rk_value goes_on, then;
        if (!rk_expr_eval(&goes_on, again, &env, s->diag))
            return false;
        if (goes_on.is_real ? goes_on.d == 0 : goes_on.i == 0) {
            *out = inner.now;
            return true;
        }
        if (!rk_expr_eval(&then, next, &env, s->diag))
            return false;
        inner.now = then;
    }
    return rk_diag_add(s->diag, RK_ERROR, "RK-S001", (rk_place){0}, NULL,
                       "the loop over '%s' before the launch does not end", name);
}

/** Value of a launch parameter: what the binding or the node gives for it. */
static bool launch_name(void *user, rk_value *out, const char *name)
{
    const scope *s = user;
    rk_fitting *f = s->f;
    const rk_param *param = launch_param(f, name);
    if (s->loop && strcmp(s->loop->name, name) == 0) {
        *out = s->now;
        return true;
    }
    if (!param)
        return after_loop(out, s, name) || constant_value(out, name);
    if (param->pointer && !s->address) {
        pointer_search search = {.f = f, .slot = RK_NO_SLOT, .in_launch = true};
        visit_name(&search, name);
        *out = rk_value_int(rk_slot_tensor(f->call, search.slot) != NULL);
        return true;
    }
    if (!f->binding) {
        *out = rk_value_int(0);
        return param->pointer || attr_value(out, f->call->node, name);
    }
    const char *value = bound_value(f, name);
    if (value && evaluate(out, f, value, param->pointer, env_of))
        return true;
    if (f->reason)
        rk_diag_add(s->diag, RK_ERROR, "RK-S001", (rk_place){0}, NULL, "%s", f->reason);
    return false;
}

static rk_env launch_env_of(scope *s)
{
    return (rk_env){.user = s, .syms = s->f->call->graph->syms, .name = launch_name};
}

bool rk_fitting_launch_value(rk_value *out, rk_fitting *f, const char *text)
{
    return evaluate(out, f, text, false, launch_env_of);
}

int rk_fitting_slot(const rk_fitting *f, const char *text)
{
    const rk_expr *e = rk_parsed_get(f->parsed, text, rk_diag_new(f->scratch));
    pointer_search search = {.f = f, .slot = RK_NO_SLOT, .in_launch = true};
    if (e)
        rk_expr_names(e, visit_name, &search);
    return rk_slot_tensor(f->call, search.slot) ? search.slot : RK_NO_SLOT;
}

bool rk_fitting_pointer(int *slot, rk_value *offset, rk_fitting *f, const char *text)
{
    *offset = rk_value_int(0);
    if (!evaluate(offset, f, text, true, launch_env_of))
        return false;
    *slot = rk_fitting_slot(f, text);
    if (offset->is_real)
        *offset = rk_value_int(0);
    return true;
}
