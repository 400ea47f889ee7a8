#include "rkernel_lib/catalog/binding_access.h"

#include "base/vec.h"
#include "rkernel_lib/catalog/expr_internal.h"

#include <string.h>

/** Values that an expression may keep at a time; none that a person writes needs as many. */
enum { DEEPEST = 64 };

/** An instruction: what stands for operators is rk_expr_op, after these. */
enum { PUSH_VALUE = RK_OP_COUNT, PUSH_INDEX, CHOOSE, LEAST, MOST, CEIL_DIV, NEGATE, INVERT };

typedef struct {
    int what;
    int64_t value; /**< of PUSH_VALUE; PUSH_INDEX: 0, 1, 2 */
} step;

struct rk_block_expr {
    const step *steps; /**< in postfix order */
    size_t count;
    unsigned uses;
};

typedef struct {
    const rk_env *env;
    rk_arena *arena;
    rk_diag *diag;
    RK_VEC(step) steps;
    unsigned uses;
} compiler;

static const char *const index_names[] = {"bx", "by", "bz"};

static void find_index(void *user, const char *name)
{
    unsigned *uses = user;
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(name, index_names[i]) == 0)
            *uses |= 1U << i;
}

static unsigned uses_of(const rk_expr *e)
{
    unsigned uses = 0;
    rk_expr_names(e, find_index, &uses);
    return uses;
}

static bool fail(const compiler *c, const rk_expr *e, const char *code, const char *what)
{
    return rk_diag_add(c->diag, RK_ERROR, code, e->source->place, NULL, "%s in '%.200s'", what,
                       e->source->text);
}

static void emit(compiler *c, int what, int64_t value)
{
    *rk_push(c->arena, &c->steps) = (step){what, value};
}

static bool compile(compiler *c, const rk_expr *e);

static bool compile_constant(compiler *c, const rk_expr *e)
{
    rk_value v;
    if (!rk_expr_eval(&v, e, c->env, c->diag))
        return false;
    if (v.is_real)
        return fail(c, e, "RK-E005", "a real number where a block index is used");
    emit(c, PUSH_VALUE, v.i);
    return true;
}

static bool compile_args(compiler *c, const rk_expr *e, size_t count)
{
    if (e->arg_count != count)
        return fail(c, e, "RK-E002", "a wrong number of arguments");
    for (size_t i = 0; i < count; i++)
        if (!compile(c, e->args[i]))
            return false;
    return true;
}

static bool compile_call(compiler *c, const rk_expr *e)
{
    static const struct {
        const char *name;
        int what;
    } known[] = {{"min", LEAST}, {"max", MOST}, {"ceil_div", CEIL_DIV}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(e->text, known[i].name) != 0)
            continue;
        if (!compile_args(c, e, 2))
            return false;
        emit(c, known[i].what, 0);
        return true;
    }
    return fail(c, e, "RK-E002", "a function that takes no block index");
}

static bool compile_choice(compiler *c, const rk_expr *e)
{
    rk_value v;
    if (!uses_of(e->args[0]))
        return rk_expr_eval(&v, e->args[0], c->env, c->diag) &&
               compile(c, (v.is_real ? v.d != 0 : v.i != 0) ? e->args[1] : e->args[2]);
    if (!compile_args(c, e, 3))
        return false;
    emit(c, CHOOSE, 0);
    return true;
}

static bool is_bitwise(rk_expr_op op)
{
    return op == RK_OP_BITNOT || op == RK_OP_BITOR || op == RK_OP_BITXOR || op == RK_OP_BITAND ||
           op == RK_OP_SHL || op == RK_OP_SHR;
}

static bool compile_unary(compiler *c, const rk_expr *e)
{
    if (!compile(c, e->args[0]))
        return false;
    if (is_bitwise(e->op))
        return fail(c, e, "RK-E002", "an operator that takes no block index");
    if (e->op != RK_OP_PLUS)
        emit(c, e->op == RK_OP_NOT ? INVERT : NEGATE, 0);
    return true;
}

static bool compile(compiler *c, const rk_expr *e)
{
    if (!uses_of(e))
        return compile_constant(c, e);
    switch (e->kind) {
    case RK_EXPR_NAME:
        emit(c, PUSH_INDEX, e->text[1] - 'x');
        return true;
    case RK_EXPR_CALL:
        return compile_call(c, e);
    case RK_EXPR_UNARY:
        return compile_unary(c, e);
    case RK_EXPR_BINARY:
        if (is_bitwise(e->op))
            return fail(c, e, "RK-E002", "an operator that takes no block index");
        if (!compile_args(c, e, 2))
            return false;
        emit(c, (int)e->op, 0);
        return true;
    case RK_EXPR_CHOICE:
        return compile_choice(c, e);
    default:
        return fail(c, e, "RK-E002", "an operation that takes no block index");
    }
}

const rk_block_expr *rk_block_expr_compile(const rk_expr *expr, const rk_env *env, rk_arena *arena,
                                           rk_diag *diag)
{
    compiler c = {.env = env, .arena = arena, .diag = diag, .uses = uses_of(expr)};
    if (expr->depth + 2 > DEEPEST) {
        fail(&c, expr, "RK-E001", "more than 60 levels");
        return NULL;
    }
    if (!compile(&c, expr))
        return NULL;
    rk_block_expr *result = RK_NEW(arena, rk_block_expr);
    *result = (rk_block_expr){c.steps.items, c.steps.count, c.uses};
    return result;
}

unsigned rk_block_expr_uses(const rk_block_expr *expr)
{
    return expr->uses;
}

static bool divide(int64_t *out, int what, int64_t a, int64_t b)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *out = what == RK_OP_MOD ? a % b : a / b;
    if (what == CEIL_DIV && a % b != 0 && (a > 0) == (b > 0))
        ++*out;
    return true;
}

static bool compute(int64_t *out, int what, int64_t a, int64_t b)
{
    switch (what) {
    case RK_OP_ADD:
        return !__builtin_add_overflow(a, b, out);
    case RK_OP_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case RK_OP_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case RK_OP_DIV:
    case RK_OP_MOD:
    case CEIL_DIV:
        return divide(out, what, a, b);
    case LEAST:
        *out = a < b ? a : b;
        return true;
    case MOST:
        *out = a > b ? a : b;
        return true;
    case RK_OP_OR:
        *out = a || b;
        return true;
    case RK_OP_AND:
        *out = a && b;
        return true;
    case RK_OP_EQ:
        *out = a == b;
        return true;
    case RK_OP_NE:
        *out = a != b;
        return true;
    case RK_OP_LT:
        *out = a < b;
        return true;
    case RK_OP_LE:
        *out = a <= b;
        return true;
    case RK_OP_GT:
        *out = a > b;
        return true;
    default:
        *out = a >= b;
        return true;
    }
}

bool rk_block_expr_eval(int64_t *out, const rk_block_expr *expr, const int64_t block[3])
{
    int64_t stack[DEEPEST];
    size_t top = 0;
    for (size_t i = 0; i < expr->count; i++) {
        const step *s = &expr->steps[i];
        if (s->what == PUSH_VALUE) {
            stack[top++] = s->value;
        } else if (s->what == PUSH_INDEX) {
            stack[top++] = block[s->value];
        } else if (s->what == INVERT) {
            stack[top - 1] = !stack[top - 1];
        } else if (s->what == NEGATE) {
            if (__builtin_sub_overflow((int64_t)0, stack[top - 1], &stack[top - 1]))
                return false;
        } else if (s->what == CHOOSE) {
            top -= 2;
            stack[top - 1] = stack[top - 1] ? stack[top] : stack[top + 1];
        } else {
            top--;
            if (!compute(&stack[top - 1], s->what, stack[top - 1], stack[top]))
                return false;
        }
    }
    *out = stack[0];
    return true;
}
