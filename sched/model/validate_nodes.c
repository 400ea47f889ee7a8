#include "sched/model/validate_internal.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

/** What an op's operand list asks for. */
typedef struct {
    size_t least, most;
} arity;

static arity arity_of(const char *const *names)
{
    arity a = {0, 0};
    for (; *names; names++) {
        bool repeated = rk_str_ends(*names, "...");
        a.least += !rk_str_ends(*names, "?");
        a.most = repeated ? SIZE_MAX : a.most + 1;
    }
    return a;
}

static const char *list_of(rk_graph_check *check, const char *const *names)
{
    rk_str text = {.arena = check->scratch};
    for (size_t i = 0; names[i]; i++)
        rk_str_addf(&text, "%s%s", i ? ", " : "", names[i]);
    return rk_str_text(&text);
}

/** Whether one of the required operands is left out. */
static bool leaves_out(const char *const *names, const rk_id *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == RK_NO_ID && !rk_str_ends(*names, "?"))
            return true;
        if (!rk_str_ends(*names, "..."))
            names++;
    }
    return false;
}

static bool check_operands(rk_graph_check *check, const rk_node *node, const char *what,
                           const char *const *names, const rk_id *ids, size_t count)
{
    arity a = arity_of(names);
    if (count >= a.least && count <= a.most && !leaves_out(names, ids, count))
        return true;
    rk_check_fail(check, "RK-G006", "node", node->name,
                  rk_arena_printf(check->scratch, "its %ss are: %s", what, list_of(check, names)),
                  count >= a.least && count <= a.most ? "%s leaves out a required %s, of %zu"
                                                      : "%s does not take this number of %ss: %zu",
                  node->op->name, what, count);
    return false;
}

static const char *type_name(rk_attr_type type)
{
    static const char *const names[] = {"an integer", "a real number", "a string",
                                        "a list of integers"};
    return names[type];
}

static const rk_attr_spec *spec_of(const struct rk_op *op, const char *name)
{
    for (const rk_attr_spec *spec = op->attrs; spec && spec->name; spec++)
        if (strcmp(spec->name, name) == 0)
            return spec;
    return NULL;
}

static const char *nearest_attr(rk_graph_check *check, const struct rk_op *op, const char *name)
{
    RK_VEC(const char *) names = {0};
    for (const rk_attr_spec *spec = op->attrs; spec && spec->name; spec++)
        *rk_push(check->scratch, &names) = spec->name;
    return rk_check_nearest(check, name, names.items, names.count);
}

static bool fail_attr(rk_graph_check *check, const rk_node *node, const char *hint,
                      const char *message)
{
    rk_check_fail(check, "RK-G007", "node", node->name, hint, "%s", message);
    return false;
}

/** Integers that a JSON number holds exactly. */
#define LARGEST_INT (INT64_C(1) << 53)

static bool in_range(const rk_attr *attr)
{
    if (attr->type == RK_ATTR_REAL)
        return isfinite(attr->d);
    if (attr->type == RK_ATTR_INT)
        return attr->i >= -LARGEST_INT && attr->i <= LARGEST_INT;
    for (size_t i = 0; attr->type == RK_ATTR_INTS && i < attr->int_count; i++)
        if (attr->ints[i] < -LARGEST_INT || attr->ints[i] > LARGEST_INT)
            return false;
    return true;
}

/** Attributes of any node: each once, numbers in range. */
static bool check_attr_values(rk_graph_check *check, const rk_node *node)
{
    bool good = true;
    for (size_t i = 0; i < node->attr_count; i++) {
        const rk_attr *attr = &node->attrs[i];
        if (rk_node_attr(node, attr->name) != attr)
            good = fail_attr(
                check, node, "give it once",
                rk_arena_printf(check->scratch, "the attribute '%s' is given twice", attr->name));
        if (!in_range(attr))
            good = fail_attr(check, node, NULL,
                             rk_arena_printf(check->scratch,
                                             "the attribute '%s' is no finite number, or an "
                                             "integer beyond 2^53",
                                             attr->name));
        if (node->kernel && attr->type != RK_ATTR_INT && attr->type != RK_ATTR_REAL)
            good = fail_attr(check, node, NULL,
                             rk_arena_printf(check->scratch,
                                             "'%s' is %s, and a kernel takes numbers only",
                                             attr->name, type_name(attr->type)));
    }
    return good;
}

/** Matches an attribute to its spec; *attr is changed where an integer stands for a real. */
static bool check_attr(rk_graph_check *check, const rk_node *node, rk_attr *attr)
{
    const rk_attr_spec *spec = spec_of(node->op, attr->name);
    if (!spec)
        return fail_attr(check, node, nearest_attr(check, node->op, attr->name),
                         rk_arena_printf(check->scratch, "%s has no attribute '%s'", node->op->name,
                                         attr->name));
    if (spec->type == RK_ATTR_REAL && attr->type == RK_ATTR_INT)
        *attr = (rk_attr){.name = attr->name, .type = RK_ATTR_REAL, .d = (double)attr->i};
    if (spec->type == attr->type)
        return true;
    return fail_attr(check, node, NULL,
                     rk_arena_printf(check->scratch, "the attribute '%s' of %s is %s, not %s",
                                     attr->name, node->op->name, type_name(spec->type),
                                     type_name(attr->type)));
}

static bool check_attrs(rk_graph_check *check, rk_node *node)
{
    bool good = check_attr_values(check, node);
    if (!node->op)
        return good;
    rk_attr *attrs =
        rk_arena_copy(check->graph->arena, node->attrs, node->attr_count * sizeof *attrs);
    for (size_t i = 0; i < node->attr_count; i++)
        good = check_attr(check, node, &attrs[i]) && good;
    node->attrs = attrs;
    for (const rk_attr_spec *spec = node->op->attrs; spec && spec->name; spec++)
        if (spec->required && !rk_node_attr(node, spec->name))
            good = fail_attr(check, node, NULL,
                             rk_arena_printf(check->scratch, "%s needs the attribute '%s', %s",
                                             node->op->name, spec->name, type_name(spec->type)));
    return good;
}

static bool ids_there(rk_graph_check *check, const rk_node *node, const rk_id *ids, size_t count,
                      const char *what, bool optional)
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] < check->graph->tensor_count || (optional && ids[i] == RK_NO_ID))
            continue;
        rk_check_fail(check, "RK-G002", "node", node->name, NULL,
                      "%s %zu is a tensor that is not there", what, i);
        return false;
    }
    return true;
}

static bool find_op(rk_graph_check *check, rk_node *node)
{
    node->op = node->op_name ? rk_op_find(node->op_name) : NULL;
    if (node->op || node->kernel)
        return true;
    if (!node->op_name) {
        rk_check_fail(check, "RK-G005", "node", node->name, NULL,
                      "it names neither an op nor a kernel");
        return false;
    }
    const char **names = RK_NEW_ARRAY(check->scratch, const char *, rk_op_count);
    for (size_t i = 0; i < rk_op_count; i++)
        names[i] = rk_ops[i]->name;
    const char *near = rk_check_nearest(check, node->op_name, names, rk_op_count);
    rk_check_fail(check, "RK-G005", "node", node->name,
                  near ? near : "`rammer list ops` shows them", "there is no op '%s'",
                  node->op_name);
    return false;
}

static bool check_node(rk_graph_check *check, rk_node *node)
{
    bool good = ids_there(check, node, node->inputs, node->input_count, "input", true);
    good = ids_there(check, node, node->outputs, node->output_count, "output", false) && good;
    if (!find_op(check, node))
        return false;
    if (node->op) {
        good = check_operands(check, node, "input", node->op->inputs, node->inputs,
                              node->input_count) &&
               good;
        good = check_operands(check, node, "output", node->op->outputs, node->outputs,
                              node->output_count) &&
               good;
    }
    return check_attrs(check, node) && good;
}

void rk_check_nodes(rk_graph_check *check)
{
    for (size_t n = 0; n < check->graph->node_count; n++)
        if (!check->bad_nodes[n] && !check_node(check, &check->graph->nodes[n]))
            check->bad_nodes[n] = 1;
}
