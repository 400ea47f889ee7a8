#include "rkernel_lib/catalog/expr.h"

#include "base/set.h"
#include "base/str.h"
#include "base/vec.h"
#include "rkernel_lib/catalog/expr_internal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Deeper trees are refused, so that no input exhausts the stack. */
enum { MAX_DEPTH = 512 };

const rk_expr_op_info rk_expr_ops[RK_OP_COUNT] = {
    [RK_OP_PLUS] = {"+", RK_PREC_UNARY},
    [RK_OP_MINUS] = {"-", RK_PREC_UNARY},
    [RK_OP_NOT] = {"!", RK_PREC_UNARY},
    [RK_OP_BITNOT] = {"~", RK_PREC_UNARY},
    [RK_OP_OR] = {"||", 1},
    [RK_OP_AND] = {"&&", 2},
    [RK_OP_BITOR] = {"|", 3},
    [RK_OP_BITXOR] = {"^", 4},
    [RK_OP_BITAND] = {"&", 5},
    [RK_OP_EQ] = {"==", 6},
    [RK_OP_NE] = {"!=", 6},
    [RK_OP_LT] = {"<", 7},
    [RK_OP_LE] = {"<=", 7},
    [RK_OP_GT] = {">", 7},
    [RK_OP_GE] = {">=", 7},
    [RK_OP_SHL] = {"<<", 8},
    [RK_OP_SHR] = {">>", 8},
    [RK_OP_ADD] = {"+", 9},
    [RK_OP_SUB] = {"-", 9},
    [RK_OP_MUL] = {"*", 10},
    [RK_OP_DIV] = {"/", 10},
    [RK_OP_MOD] = {"%", 10},
};

/** Types by their spelling; the first of equal ones is how it is printed. */
static const rk_expr_type types[] = {
    {"bool", 1, false, false, true},
    {"char", 1, true, false, false},
    {"signed char", 1, true, false, false},
    {"unsigned char", 1, false, false, false},
    {"short", 2, true, false, false},
    {"unsigned short", 2, false, false, false},
    {"int", 4, true, false, false},
    {"unsigned", 4, false, false, false},
    {"unsigned int", 4, false, false, false},
    {"signed", 4, true, false, false},
    {"signed int", 4, true, false, false},
    {"long", 8, true, false, false},
    {"long int", 8, true, false, false},
    {"long long", 8, true, false, false},
    {"long long int", 8, true, false, false},
    {"unsigned long", 8, false, false, false},
    {"unsigned long int", 8, false, false, false},
    {"unsigned long long", 8, false, false, false},
    {"unsigned long long int", 8, false, false, false},
    {"size_t", 8, false, false, false},
    {"ptrdiff_t", 8, true, false, false},
    {"int8_t", 1, true, false, false},
    {"uint8_t", 1, false, false, false},
    {"int16_t", 2, true, false, false},
    {"uint16_t", 2, false, false, false},
    {"int32_t", 4, true, false, false},
    {"uint32_t", 4, false, false, false},
    {"int64_t", 8, true, false, false},
    {"uint64_t", 8, false, false, false},
    {"float", 4, true, true, false},
    {"double", 8, true, true, false},
};

static const rk_expr_type *type_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

typedef struct {
    const char *text, *at; /**< the whole expression, and what is left of it */
    const rk_expr_source *source;
    rk_arena *arena;
    rk_diag *diag;
    int depth;
    bool failed; /**< a diagnostic was given: only the first one is */
} parser;

static const rk_expr *parse_choice(parser *p);
static const rk_expr *parse_unary(parser *p);

static const rk_expr *fail(parser *p, const char *message)
{
    if (!p->failed)
        rk_diag_add(p->diag, RK_ERROR, "RK-E001", p->source->place, NULL,
                    "'%.200s' is no expression: %s at character %zu", p->text, message,
                    (size_t)(p->at - p->text) + 1);
    p->failed = true;
    return NULL;
}

static rk_expr *node(parser *p, rk_expr_kind kind, const rk_expr *const *args, size_t count)
{
    rk_expr *e = RK_NEW(p->arena, rk_expr);
    e->kind = kind;
    e->source = p->source;
    e->args = RK_NEW_ARRAY(p->arena, const rk_expr *, count ? count : 1);
    e->arg_count = count;
    for (size_t i = 0; i < count; i++) {
        e->args[i] = args[i];
        if (args[i]->depth > e->depth)
            e->depth = args[i]->depth;
    }
    if (++e->depth > MAX_DEPTH) {
        fail(p, "it is nested too deeply");
        return NULL;
    }
    return e;
}

static void skip_space(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/** Length of the word at `s`, 0 if there is none. */
static size_t word_length(const char *s)
{
    size_t n = 0;
    if (is_name_start(*s))
        while (is_name_char(s[n]))
            n++;
    return n;
}

/** Takes `text` if it comes next. */
static bool take(parser *p, const char *text)
{
    skip_space(p);
    size_t n = strlen(text);
    if (strncmp(p->at, text, n) != 0)
        return false;
    p->at += n;
    return true;
}

/** Takes the word `text` if it comes next as a whole. */
static bool take_word(parser *p, const char *text)
{
    skip_space(p);
    size_t n = word_length(p->at);
    if (n != strlen(text) || strncmp(p->at, text, n) != 0)
        return false;
    p->at += n;
    return true;
}

/** The type whose words come next, without moving when there is none. */
static const rk_expr_type *take_type(parser *p)
{
    const char *start = p->at;
    char name[64] = "";
    for (;;) {
        if (take_word(p, "const") || take(p, "std::"))
            continue;
        skip_space(p);
        size_t n = word_length(p->at);
        char longer[sizeof name];
        int length =
            snprintf(longer, sizeof longer, "%s%s%.*s", name, *name ? " " : "", (int)n, p->at);
        if (n == 0 || length < 0 || (size_t)length >= sizeof longer || !type_of(longer))
            break;
        memcpy(name, longer, sizeof name);
        p->at += n;
    }
    const rk_expr_type *type = type_of(name);
    if (!type)
        p->at = start;
    return type;
}

static const rk_expr *cast_node(parser *p, const rk_expr_type *type, const rk_expr *operand)
{
    rk_expr *e = operand ? node(p, RK_EXPR_CAST, &operand, 1) : NULL;
    if (e)
        e->type = type;
    return e;
}

/** `expression )` */
static const rk_expr *parse_closed(parser *p)
{
    const rk_expr *inner = parse_choice(p);
    if (inner && !take(p, ")"))
        return fail(p, "expected ')'");
    return inner;
}

static bool is_integer_suffix(const char *s, size_t n)
{
    static const char *const suffixes[] = {"", "u", "l", "ul", "lu", "ll", "ull", "llu", "z", "uz"};
    char lower[4] = "";
    if (n > 3)
        return false;
    for (size_t i = 0; i < n; i++)
        lower[i] = (char)tolower((unsigned char)s[i]);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffixes[i], lower) == 0)
            return true;
    return false;
}

/** A literal's characters without digit separators; *length counts those of the source. */
static char *literal_text(const parser *p, size_t *length)
{
    size_t n = 0;
    bool hex = p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
    for (;; n++) {
        char c = p->at[n];
        char exponent = (char)tolower((unsigned char)(n ? p->at[n - 1] : '\0'));
        bool sign = (c == '+' || c == '-') && exponent == (hex ? 'p' : 'e');
        bool separator = c == '\'' && is_name_char(p->at[n + 1]);
        if (!is_name_char(c) && c != '.' && !sign && !separator)
            break;
    }
    char *text = rk_arena_alloc(p->arena, n + 1);
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        if (p->at[i] != '\'')
            text[used++] = p->at[i];
    *length = n;
    return text;
}

static const rk_expr *parse_real(parser *p, const char *text, size_t length)
{
    char *end;
    double d = strtod(text, &end);
    bool single = *end == 'f' || *end == 'F';
    if (single) {
        end++;
        d = (double)(float)d;
    }
    if (*end || !isfinite(d))
        return fail(p, "a malformed number");
    rk_expr *e = node(p, RK_EXPR_REAL, NULL, 0);
    e->d = d;
    p->at += length;
    return e;
}

static const rk_expr *parse_number(parser *p)
{
    size_t length;
    const char *text = literal_text(p, &length);
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    if (strpbrk(text, hex ? ".pP" : ".eE"))
        return parse_real(p, text, length);
    char *end;
    errno = 0;
    long long value = binary ? strtoll(text + 2, &end, 2) : strtoll(text, &end, 0);
    if (errno == ERANGE)
        return fail(p, "a number beyond 64 bits");
    if (end == text || !is_integer_suffix(end, strlen(end)))
        return fail(p, "a malformed number");
    rk_expr *e = node(p, RK_EXPR_INT, NULL, 0);
    e->i = value;
    p->at += length;
    return e;
}

static const rk_expr *parse_sizeof(parser *p)
{
    if (!take(p, "("))
        return fail(p, "expected '(' after sizeof");
    const rk_expr_type *type = take_type(p);
    if (!type)
        return fail(p, "sizeof takes an arithmetic type");
    bool pointer = false;
    while (take(p, "*"))
        pointer = true;
    if (!take(p, ")"))
        return fail(p, "expected ')'");
    rk_expr *e = node(p, RK_EXPR_SIZEOF, NULL, 0);
    e->text = pointer ? rk_arena_printf(p->arena, "%s *", type->name) : type->name;
    e->i = pointer ? 8 : type->bytes;
    return e;
}

static const rk_expr *parse_call(parser *p, const char *function)
{
    RK_VEC(const rk_expr *) args = {0};
    if (!take(p, ")")) {
        do {
            const rk_expr *arg = parse_choice(p);
            if (!arg)
                return NULL;
            *rk_push(p->arena, &args) = arg;
        } while (take(p, ","));
        if (!take(p, ")"))
            return fail(p, "expected ',' or ')'");
    }
    rk_expr *e = node(p, RK_EXPR_CALL, args.items, args.count);
    if (e)
        e->text = function;
    return e;
}

/** An identifier with its qualifiers and members: `n`, `cfg.n`, `cfg->n`, `ns::n`. */
static const char *take_name(parser *p)
{
    const char *start = p->at;
    for (;;) {
        p->at += word_length(p->at);
        size_t joint = *p->at == '.' ? 1 : 0;
        if (strncmp(p->at, "->", 2) == 0 || strncmp(p->at, "::", 2) == 0)
            joint = 2;
        if (joint == 0 || word_length(p->at + joint) == 0)
            break;
        p->at += joint;
    }
    return rk_arena_strndup(p->arena, start, (size_t)(p->at - start));
}

static const rk_expr *parse_static_cast(parser *p)
{
    const rk_expr_type *type = take(p, "<") ? take_type(p) : NULL;
    if (!type || !take(p, ">") || !take(p, "("))
        return fail(p, "static_cast takes an arithmetic type");
    return cast_node(p, type, parse_closed(p));
}

static bool is_reserved(const char *name)
{
    static const char *const words[] = {"sizeof", "static_cast", "true", "false", "nullptr"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return type_of(name) != NULL;
}

static const rk_expr *parse_word(parser *p)
{
    if (take_word(p, "sizeof"))
        return parse_sizeof(p);
    if (take_word(p, "static_cast"))
        return parse_static_cast(p);
    bool yes = take_word(p, "true");
    if (yes || take_word(p, "false") || take_word(p, "nullptr")) {
        rk_expr *e = node(p, RK_EXPR_INT, NULL, 0);
        e->i = yes;
        return e;
    }
    const rk_expr_type *type = take_type(p);
    if (type)
        return take(p, "(") ? cast_node(p, type, parse_closed(p)) : fail(p, "a type is no value");
    const char *name = take_name(p);
    if (take(p, "(")) {
        while (rk_str_starts(name, "std::"))
            name += strlen("std::");
        return is_reserved(name) ? fail(p, "that is no function") : parse_call(p, name);
    }
    rk_expr *e = node(p, RK_EXPR_NAME, NULL, 0);
    e->text = name;
    return e;
}

static const rk_expr *parse_primary(parser *p)
{
    skip_space(p);
    char c = *p->at;
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)p->at[1])))
        return parse_number(p);
    if (is_name_start(c))
        return parse_word(p);
    if (take(p, "(")) {
        const char *inside = p->at;
        const rk_expr_type *type = take_type(p);
        if (type && take(p, ")"))
            return cast_node(p, type, parse_unary(p));
        p->at = inside;
        return parse_closed(p);
    }
    return fail(p, c ? "expected a value" : "it ends early");
}

static const rk_expr *parse_unary_here(parser *p)
{
    skip_space(p);
    for (rk_expr_op op = RK_OP_PLUS; op <= RK_OP_BITNOT; op++) {
        const char *text = rk_expr_ops[op].text;
        if (*p->at != *text)
            continue;
        if ((op == RK_OP_PLUS || op == RK_OP_MINUS) && p->at[1] == *text)
            return fail(p, "++ and -- have no place here");
        p->at++;
        const rk_expr *operand = parse_unary(p);
        rk_expr *e = operand ? node(p, RK_EXPR_UNARY, &operand, 1) : NULL;
        if (e)
            e->op = op;
        return e;
    }
    return parse_primary(p);
}

static const rk_expr *parse_unary(parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return fail(p, "it is nested too deeply");
    const rk_expr *e = parse_unary_here(p);
    p->depth--;
    return e;
}

/** The binary operator that comes next, RK_OP_COUNT if none does; longest match first. */
static rk_expr_op peek_binary(parser *p, size_t *length)
{
    skip_space(p);
    rk_expr_op found = RK_OP_COUNT;
    *length = 0;
    for (rk_expr_op op = RK_OP_OR; op < RK_OP_COUNT; op++) {
        size_t n = strlen(rk_expr_ops[op].text);
        if (n > *length && strncmp(p->at, rk_expr_ops[op].text, n) == 0) {
            found = op;
            *length = n;
        }
    }
    return found;
}

static const rk_expr *parse_binary(parser *p, int least)
{
    const rk_expr *left = parse_unary(p);
    while (left) {
        size_t length;
        rk_expr_op op = peek_binary(p, &length);
        if (op == RK_OP_COUNT || rk_expr_ops[op].precedence < least)
            break;
        p->at += length;
        const rk_expr *right = parse_binary(p, rk_expr_ops[op].precedence + 1);
        const rk_expr *both[] = {left, right};
        rk_expr *e = right ? node(p, RK_EXPR_BINARY, both, 2) : NULL;
        if (e)
            e->op = op;
        left = e;
    }
    return left;
}

static const rk_expr *parse_choice_here(parser *p)
{
    const rk_expr *condition = parse_binary(p, 1);
    if (!condition || !take(p, "?"))
        return condition;
    const rk_expr *yes = parse_choice(p);
    if (!yes)
        return NULL;
    if (!take(p, ":"))
        return fail(p, "expected ':'");
    const rk_expr *no = parse_choice(p);
    const rk_expr *all[] = {condition, yes, no};
    return no ? node(p, RK_EXPR_CHOICE, all, 3) : NULL;
}

static const rk_expr *parse_choice(parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return fail(p, "it is nested too deeply");
    const rk_expr *e = parse_choice_here(p);
    p->depth--;
    return e;
}

const rk_expr *rk_expr_parse(const char *text, rk_place place, rk_arena *arena, rk_diag *diag)
{
    rk_expr_source *source = RK_NEW(arena, rk_expr_source);
    *source = (rk_expr_source){.text = rk_arena_strdup(arena, text), .place = place};
    source->place.file = place.file ? rk_arena_strdup(arena, place.file) : NULL;
    source->place.object = place.object ? rk_arena_strdup(arena, place.object) : NULL;
    parser p = {.text = source->text, .at = source->text, .source = source};
    p.arena = arena;
    p.diag = diag;
    const rk_expr *e = parse_choice(&p);
    skip_space(&p);
    if (e && *p.at)
        return fail(&p, "expected an operator");
    return p.failed ? NULL : e;
}

const char *rk_expr_name(const rk_expr *expr)
{
    return expr->kind == RK_EXPR_NAME ? expr->text : NULL;
}

/** A walk over an expression and the names that it has met. */
typedef struct {
    rk_set seen;
    void (*visit)(void *user, const char *name);
    void *user;
} name_walk;

static void walk_names(name_walk *walk, const rk_expr *e)
{
    for (size_t i = 0; i < e->arg_count; i++)
        walk_names(walk, e->args[i]);
    if (e->kind == RK_EXPR_NAME && rk_set_add(&walk->seen, e->text))
        walk->visit(walk->user, e->text);
}

void rk_expr_names(const rk_expr *expr, void (*visit)(void *user, const char *name), void *user)
{
    rk_arena *scratch = rk_arena_new();
    name_walk walk = {.seen.arena = scratch, .visit = visit, .user = user};
    walk_names(&walk, expr);
    rk_arena_free(scratch);
}

static int precedence_of(const rk_expr *e)
{
    switch (e->kind) {
    case RK_EXPR_CHOICE:
        return RK_PREC_CHOICE;
    case RK_EXPR_BINARY:
    case RK_EXPR_UNARY:
        return rk_expr_ops[e->op].precedence;
    case RK_EXPR_CAST:
        return RK_PREC_UNARY;
    default:
        return RK_PREC_PRIMARY;
    }
}

static void print(rk_str *out, const rk_expr *e);

/** Prints an operand, in parentheses where it binds less tightly than `least`. */
static void print_operand(rk_str *out, const rk_expr *e, int least)
{
    bool parentheses = precedence_of(e) < least;
    rk_str_add(out, parentheses ? "(" : "");
    print(out, e);
    rk_str_add(out, parentheses ? ")" : "");
}

static void print_real(rk_str *out, double d)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, d);
        if (strtod(text, NULL) == d)
            break;
    }
    rk_str_add(out, text);
    if (!strpbrk(text, ".e"))
        rk_str_add(out, ".0");
}

static void print_unary(rk_str *out, const rk_expr *e)
{
    const rk_expr *operand = e->args[0];
    bool sign = e->op == RK_OP_PLUS || e->op == RK_OP_MINUS;
    bool again = sign && operand->kind == RK_EXPR_UNARY && operand->op == e->op;
    rk_str_addf(out, "%s%s", rk_expr_ops[e->op].text, again ? " " : "");
    print_operand(out, operand, RK_PREC_UNARY);
}

static void print_call(rk_str *out, const rk_expr *e)
{
    rk_str_addf(out, "%s(", e->text);
    for (size_t i = 0; i < e->arg_count; i++) {
        rk_str_add(out, i ? ", " : "");
        print(out, e->args[i]);
    }
    rk_str_add(out, ")");
}

static void print(rk_str *out, const rk_expr *e)
{
    switch (e->kind) {
    case RK_EXPR_INT:
        rk_str_addf(out, "%lld", (long long)e->i);
        break;
    case RK_EXPR_REAL:
        print_real(out, e->d);
        break;
    case RK_EXPR_NAME:
        rk_str_add(out, e->text);
        break;
    case RK_EXPR_CALL:
        print_call(out, e);
        break;
    case RK_EXPR_CAST:
        rk_str_addf(out, "(%s)", e->type->name);
        print_operand(out, e->args[0], RK_PREC_UNARY);
        break;
    case RK_EXPR_SIZEOF:
        rk_str_addf(out, "sizeof(%s)", e->text);
        break;
    case RK_EXPR_UNARY:
        print_unary(out, e);
        break;
    case RK_EXPR_BINARY:
        print_operand(out, e->args[0], rk_expr_ops[e->op].precedence);
        rk_str_addf(out, " %s ", rk_expr_ops[e->op].text);
        print_operand(out, e->args[1], rk_expr_ops[e->op].precedence + 1);
        break;
    case RK_EXPR_CHOICE:
        print_operand(out, e->args[0], 1);
        rk_str_add(out, " ? ");
        print(out, e->args[1]);
        rk_str_add(out, " : ");
        print(out, e->args[2]);
        break;
    }
}

char *rk_expr_print(const rk_expr *expr, rk_arena *arena)
{
    rk_str text = {.arena = arena};
    print(&text, expr);
    return text.text;
}

rk_value rk_value_int(int64_t i)
{
    return (rk_value){.i = i};
}

rk_value rk_value_real(double d)
{
    return (rk_value){.is_real = true, .d = d};
}
