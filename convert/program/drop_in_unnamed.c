#include "convert/program/drop_in_internal.h"

#include "convert/clang/lower.h"
#include "convert/cuda/cuda_names.h"
#include "convert/facts/reach.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <string.h>

/*
 * Instances of kernels that no launch in the text shows, those with lambdas as arguments among them: their copy in a
 * drop-in is of the same template, so that they need no more than that nothing in their arguments' code asks for the
 * context. Code that does is refused: no call could pass it there.
 */

/** Whether a name in a text means code that needs the context, or may. */
static bool name_asks(const rk_unit *unit, const char *name)
{
    const rk_cuda_name *row = rk_cuda_find(RK_IN_PLAIN, name);
    if (row->use || row->text || strcmp(name, "asm") == 0 || strcmp(name, "__asm__") == 0)
        return true;
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if ((f->needs_context || f->ambient) && !f->kernel && strcmp(f->name, name) == 0)
            return true;
    }
    return false;
}

/** Whether a method needs the context, or an operator, whose calls have no name. */
static bool methods_ask(const rk_unit *unit, bool operators)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (!f->kernel && (f->needs_context || f->ambient) &&
            strcmp(f->scope, f->spaces_prefix) != 0 &&
            (!operators || rk_str_starts(f->name, "operator")))
            return true;
    }
    return false;
}

/** Whether the text of a lambda has a name that asks: what a template's dependent calls may mean is only a name. */
static bool text_asks(const rk_unit *unit, const rk_ir_node *lambda)
{
    const rk_where begin = rk_ir_where(lambda->expanded.begin);
    const rk_where end = rk_ir_where(lambda->expanded.end);
    if (begin.file == RK_NONE || begin.file != end.file)
        return true;
    const rk_tokens *t = &unit->files.items[begin.file]->tokens;
    for (size_t i = rk_tokens_at(t, begin.offset); i < t->count && t->items[i].offset < end.offset;
         i++)
        if (t->items[i].kind == RK_TOKEN_NAME && name_asks(unit, rk_token_text(t, i, unit->arena)))
            return true;
    return false;
}

/** Whether a lambda asks, or what it calls; one that launches is the host's. */
static bool lambda_asks(rk_unit *unit, rk_ir_id node)
{
    const rk_effects all = rk_reach_below(unit, node, false);
    if (all.does & RK_EFFECT_KERNEL)
        return false;
    const rk_effects raw = rk_reach_below(unit, node, true);
    return raw.raw || raw.word || text_asks(unit, rk_ir_at(unit->ir, node));
}

/** Whether the instance's name has the lambda, "(lambda at f.cu:3:5)", by its line. */
static bool names_lambda(const rk_unit *unit, const char *name, const rk_ir_node *lambda)
{
    const rk_where at = rk_ir_where(lambda->expanded.begin);
    const rk_place place = rk_sources_place(unit, at.file, at.offset);
    return at.file == RK_NONE ||
           strstr(name, rk_arena_printf(unit->arena, "%s:%d:", rk_path_base(place.file),
                                        place.line)) != NULL;
}

/** Whether the function is a template or in a class that is one: what its lambdas call may be the lambdas of others. */
static bool in_template(const rk_ir *ir, rk_ir_id function)
{
    for (rk_ir_id id = function; id; id = rk_ir_decl_at(ir, id)->parent) {
        const rk_ir_kind kind = rk_ir_decl_at(ir, id)->kind;
        if (kind == RK_IR_FUNCTION_TEMPLATE || kind == RK_IR_CLASS_TEMPLATE ||
            kind == RK_IR_PARTIAL_SPECIALISATION)
            return true;
    }
    return false;
}

/** Whether a lambda, or what is made of it, gets a name, which others may capture. */
static bool is_kept(const rk_ir *ir, rk_ir_id lambda)
{
    rk_ir_id up = rk_ir_at(ir, lambda)->parent;
    while (up && rk_ir_kind_of(ir, up) != RK_IR_VARIABLE && rk_ir_kind_of(ir, up) != RK_IR_COMPOUND)
        up = rk_ir_at(ir, up)->parent;
    return up && rk_ir_kind_of(ir, up) == RK_IR_VARIABLE;
}

/** What the lambdas of one function of the host do. */
typedef struct {
    bool named; /**< the instance's name has one of them */
    bool own;   /**< such a one asks, or one that has a name in the function */
    bool asks;  /**< one of them does */
} lambdas;

static lambdas look_at_lambdas(rk_unit *unit, const char *name, rk_ir_id function)
{
    rk_ir *ir = unit->ir;
    lambdas all = {0};
    const rk_ir_id body = rk_ir_body(ir, function);
    for (rk_ir_id k = body + 1; body && k < rk_ir_at(ir, body)->end; k++) {
        if (rk_ir_kind_of(ir, k) != RK_IR_LAMBDA)
            continue;
        const bool named = names_lambda(unit, name, rk_ir_at(ir, k));
        const bool asks = lambda_asks(unit, k);
        all.named |= named;
        all.asks |= asks;
        all.own |= asks && (named || is_kept(ir, k));
    }
    return all;
}

/**
 * Whether the instance's lambdas do, or those beside them, which they may have captured: all lambdas of the host's code
 * where a template has one of them.
 */
static bool lambdas_ask(rk_unit *unit, const char *name)
{
    rk_ir *ir = rk_ir_of(unit);
    const rk_ir_id project = rk_ir_project(ir);
    bool found = false, template = false, any = false, own = false;
    for (rk_ir_id id = project + 1; id < rk_ir_at(ir, project)->end; id++) {
        const rk_ir_node *n = rk_ir_at(ir, id);
        if (!rk_ir_is_function(n->kind) || !n->decl ||
            rk_ir_decl_at(ir, n->decl)->flags & (RK_IR_DEVICE | RK_IR_KERNEL))
            continue;
        const lambdas all = look_at_lambdas(unit, name, n->decl);
        found |= all.named;
        template |= all.named &&in_template(ir, n->decl);
        own |= all.named && all.own;
        any |= all.asks;
    }
    return own || ((template || !found) && any);
}

/** Whether a listed instance, "ns::k<float, 3>", is one of the kernel. */
static bool is_instance(const char *name, const rk_function *kernel)
{
    const size_t length = strcspn(name, "<");
    const size_t own = strlen(kernel->name);
    return name[length] && length >= own && strncmp(name + length - own, kernel->name, own) == 0 &&
           (length == own || name[length - own - 1] == ':');
}

/** Whether a name in an instance's arguments is one of the language's, or of CUDA's types. */
static bool is_plain(const char *name)
{
    static const char *const plain[] = {"void",  "bool",  "char",   "short",    "int",
                                        "long",  "float", "double", "unsigned", "signed",
                                        "const", "true",  "false"};
    bool known = rk_str_starts(name, "__");
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        known |= strcmp(name, plain[i]) == 0;
    return known;
}

/** Whether the arguments of an instance, "ns::k<float, (lambda at f.cu:3:5)>", may bring code that asks. */
static bool arguments_ask(rk_unit *unit, const char *name)
{
    const bool lambda = strstr(name, "(lambda") != NULL;
    if (lambda && (methods_ask(unit, true) || lambdas_ask(unit, name)))
        return true;
    const rk_tokens t = rk_lex(name, strlen(name), unit->arena);
    for (size_t k = rk_tokens_at(&t, strcspn(name, "<")); k < t.count; k++) {
        if (rk_token_is(&t, k, "(") && rk_token_is(&t, k + 1, "lambda"))
            k = rk_tokens_close(&t, k);
        else if (t.items[k].kind == RK_TOKEN_NAME) {
            const char *word = rk_token_text(&t, k, unit->arena);
            if (!is_plain(word) && (methods_ask(unit, false) || name_asks(unit, word)))
                return true;
        }
    }
    return false;
}

/** Whether an instance of the kernel that no launch shows may; `*any`: one is listed. */
static bool instance_asks(rk_unit *unit, const rk_function *kernel, bool *any)
{
    bool asks = false;
    for (size_t i = 0; i < unit->listed.count; i++) {
        const rk_listed *l = &unit->listed.items[i];
        if (!is_instance(l->name, kernel))
            continue;
        *any = true;
        asks = asks || (!l->shown && arguments_ask(unit, l->name));
    }
    return asks;
}

void rk_drop_in_refuse_unnamed(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        bool unnamed = false, any = false;
        for (size_t k = 0; k < unit->launches.count; k++)
            unnamed |= unit->launches.items[k].unnamed &&
                       strcmp(unit->launches.items[k].kernel, f->name) == 0;
        if (unnamed && f->kernel && f->is_template && (instance_asks(unit, f, &any) || !any))
            rk_problem_add(unit, i, RK_REFUSED, "RK-V127", f->place,
                           "call device code that asks for threads or synchronises from the kernel",
                           "'%s' has instances that no launch shows, as those for lambdas, and "
                           "code that they may call needs the rTask's context",
                           f->name);
    }
}
