#include "rkernel_lib/catalog/expr.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    rk_arena *arena;
    rk_diag *diag;
} fixture;

static fixture fresh(void)
{
    rk_arena *arena = rk_arena_new();
    return (fixture){.arena = arena, .diag = rk_diag_new(arena)};
}

/** n = 1000, m = -7, h = 0.5, cfg.n = 12, p->q = 3 */
static bool known_name(void *user, rk_value *out, const char *name)
{
    (void)user;
    static const struct {
        const char *name;
        int64_t value;
    } names[] = {{"n", 1000}, {"m", -7},          {"cfg.n", 12},
                 {"p->q", 3}, {"big", INT64_MAX}, {"least", INT64_MIN}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0) {
            *out = rk_value_int(names[i].value);
            return true;
        }
    }
    *out = rk_value_real(0.5);
    return strcmp(name, "h") == 0;
}

/** count(a, ...) is the number of arguments; first(x) succeeds for a name only. */
static bool known_call(void *user, rk_value *out, const char *function, const rk_expr *const *args,
                       size_t arg_count)
{
    (void)user;
    *out = rk_value_int((int64_t)arg_count);
    if (strcmp(function, "first") == 0)
        return arg_count > 0 && rk_expr_name(args[0]);
    return strcmp(function, "count") == 0;
}

static const rk_env env = {.name = known_name, .call = known_call};

static void expect_int(const char *text, int64_t expected)
{
    fixture f = fresh();
    int64_t value = 0;
    bool ok = rk_expr_eval_int(&value, text, &env, rk_place_file("t"), f.arena, f.diag);
    cr_expect(ok, "'%s' has no value", text);
    cr_expect(value == expected, "'%s' is %lld and not %lld", text, (long long)value,
              (long long)expected);
    rk_arena_free(f.arena);
}

static void expect_real(const char *text, double expected)
{
    fixture f = fresh();
    const rk_expr *e = rk_expr_parse(text, rk_place_file("t"), f.arena, f.diag);
    rk_value value = {0};
    cr_assert(e && rk_expr_eval(&value, e, &env, f.diag), "'%s' has no value", text);
    cr_expect(value.is_real && value.d == expected, "'%s' is %.17g", text, value.d);
    rk_arena_free(f.arena);
}

/** The text has no integer value, for one reason with that code at the place given. */
static void expect_code(const char *text, const char *code)
{
    fixture f = fresh();
    int64_t value;
    rk_place place = {.file = "launch.json", .object = "grid[0]"};
    cr_expect_not(rk_expr_eval_int(&value, text, &env, place, f.arena, f.diag), "'%s'", text);
    cr_assert_eq(rk_diag_count(f.diag), 1, "'%s' gives %zu diagnostics", text,
                 rk_diag_count(f.diag));
    const rk_diagnostic *d = rk_diag_at(f.diag, 0);
    cr_expect_str_eq(d->code, code, "'%s': %s", text, d->message);
    cr_expect_str_eq(d->place.file, "launch.json");
    cr_expect_str_eq(d->place.object, "grid[0]");
    rk_arena_free(f.arena);
}

static void expect_print(const char *text, const char *expected)
{
    fixture f = fresh();
    const rk_expr *e = rk_expr_parse(text, rk_place_file("t"), f.arena, f.diag);
    cr_assert(e, "'%s' does not parse", text);
    const char *printed = rk_expr_print(e, f.arena);
    cr_expect_str_eq(printed, expected);
    const rk_expr *again = rk_expr_parse(printed, rk_place_file("t"), f.arena, f.diag);
    cr_assert(again, "'%s' does not parse again", printed);
    cr_expect_str_eq(rk_expr_print(again, f.arena), printed);
    rk_arena_free(f.arena);
}

Test(expr, integers_as_c_has_them)
{
    expect_int("(n + 255) / 256", 4);
    expect_int("m / 2", -3);
    expect_int("m % 3", -1);
    expect_int("7 / -2", -3);
    expect_int("7 % -2", 1);
    expect_int("1 - 2 - 3", -4);
    expect_int("2 * 3 + 4 * 5", 26);
    expect_int("100 / 10 / 5", 2);
    expect_int("- -1", 1);
    expect_int("-m", 7);
    expect_int("+m", -7);
    expect_int("~0", -1);
    expect_int("!n + !0", 1);
    expect_int("big + 0", INT64_MAX);
    expect_int("least / 1", INT64_MIN);
    expect_int("m * m", 49);
}

Test(expr, shifts_and_bits)
{
    expect_int("1 << 10", 1024);
    expect_int("m >> 1", -4);
    expect_int("-1 << 3", -8);
    expect_int("n & 7 | 8 ^ 1", 9);
    expect_int("1 << 62", INT64_C(1) << 62);
    expect_int("least >> 63", -1);
    expect_int("1 | 2 == 2", 1);
    expect_int("6 & 3 == 3", 0);
}

Test(expr, logic_is_lazy)
{
    expect_int("0 && 1 / 0", 0);
    expect_int("1 || nothing", 1);
    expect_int("1 ? 2 : 1 / 0", 2);
    expect_int("0 ? 1 / 0 : 3", 3);
    expect_int("1 ? 2 : 3 ? 4 : 5", 2);
    expect_int("0 ? 2 : 0 ? 4 : 5", 5);
    expect_int("(1 ? 0 : 1) ? 4 : 5", 5);
    expect_int("n > 0 && m < 0 || 0", 1);
    expect_int("5 && 3", 1);
    expect_int("n >= 1000 == 1", 1);
    expect_int("3 > 2 > 1", 0);
    expect_int("1 < 2 < 3", 1);
    expect_int("h && 1", 1);
}

Test(expr, casts)
{
    expect_int("(unsigned)(m - 1)", 4294967288);
    expect_int("(unsigned char)300", 44);
    expect_int("(signed char)200", -56);
    expect_int("(short)70000", 4464);
    expect_int("(int)4294967295", -1);
    expect_int("(int)2.9", 2);
    expect_int("(int)-2.9", -2);
    expect_int("(bool)7 + (bool)0", 1);
    expect_int("(bool)0.25", 1);
    expect_int("(unsigned long long)n", 1000);
    expect_int("(std::size_t)n", 1000);
    expect_int("(const int)n", 1000);
    expect_int("static_cast<unsigned int>(-1)", 4294967295);
    expect_int("int(2.5) * 2", 4);
    expect_int("(unsigned)-1 / 2", 2147483647);
    expect_int("(long)big", INT64_MAX);
    expect_int("(size_t)n * 4", 4000);
    expect_real("(float)16777217", 16777216);
    expect_real("(double)16777217", 16777217);
    expect_real("(float)0.1", (double)0.1f);
}

Test(expr, sizeof_is_the_abi_s)
{
    expect_int("sizeof(float) + sizeof(double)", 12);
    expect_int("sizeof (unsigned long)", 8);
    expect_int("sizeof(char *)", 8);
    expect_int("sizeof(const float **)", 8);
    expect_int("n * sizeof(int16_t)", 2000);
}

Test(expr, literals)
{
    expect_int("0x1F + 0b101 + 017 + 1'000u", 31 + 5 + 15 + 1000);
    expect_int("42ULL + 1l + 2Lu", 45);
    expect_int("true + false + nullptr", 1);
    expect_int("9223372036854775807", INT64_MAX);
    expect_real("1e3", 1000);
    expect_real(".5", 0.5);
    expect_real("2.", 2);
    expect_real("0.1f", (double)0.1f);
    expect_real("0x1p-3", 0.125);
    expect_real("1e-5", 1e-5);
}

Test(expr, reals)
{
    expect_real("n / 256.0", 3.90625);
    expect_real("h + 1", 1.5);
    expect_real("-h", -0.5);
    expect_int("1.5 < 2 && 2 == 2.0", 1);
    expect_int("(unsigned)ceil(n / 256.0)", 4);
    expect_real("floor(-1.5) + round(1.5) + trunc(-1.5)", -1);
    expect_real("sqrt(16) + rsqrt(0.25)", 6);
    expect_real("pow(2, 10) + log2(8) + exp(0) + log(1)", 1028);
}

Test(expr, functions)
{
    expect_int("min(3, m) + max(3, m)", -4);
    expect_int("std::min(3, 4)", 3);
    expect_real("max(1, 2.5)", 2.5);
    expect_real("min(1, 2.5)", 1);
    expect_int("abs(m)", 7);
    expect_real("abs(-h)", 0.5);
    expect_int("ceil_div(n, 256)", 4);
    expect_int("ceil_div(-7, 2)", -3);
    expect_int("ceil_div(7, -2)", -3);
    expect_int("ceil_div(-8, -3)", 3);
    expect_int("or_shifted(36, 4)", 36 | 18 | 9 | 4);
    expect_int("or_shifted(-36, 64)", -1);
    expect_int("count(1, n, dim(x))", 3);
    expect_int("count()", 0);
    expect_int("first(anything, 1)", 2);
}

Test(expr, names_with_members)
{
    expect_int("cfg.n + p->q", 15);
    expect_code("cfg.m", "RK-E002");
    expect_code("ns::n", "RK-E002");
}

Test(expr, malformed)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "1 +",
                                        "(1",
                                        "1)",
                                        "1 2",
                                        "a b",
                                        "* 3",
                                        "1 ? 2",
                                        "1 ? : 3",
                                        "f(1,",
                                        "f(,)",
                                        "f(1 2)",
                                        "1.0.0",
                                        "0x",
                                        "0b2",
                                        "08",
                                        "1u8",
                                        "12abc",
                                        "1e",
                                        "int",
                                        "int x",
                                        "(int)",
                                        "sizeof",
                                        "sizeof x",
                                        "sizeof(x)",
                                        "sizeof(3)",
                                        "static_cast(1)",
                                        "a = 3",
                                        "a ++",
                                        "++a",
                                        "--a",
                                        "a[1]",
                                        "'a'",
                                        "\"s\"",
                                        "1 <> 2",
                                        "@",
                                        "n\x80",
                                        "a.",
                                        "a->",
                                        "1..2",
                                        "static_cast<x>(1)",
                                        "a ; b",
                                        "n ? 1 : ",
                                        "1e999",
                                        "18446744073709551615",
                                        "0xffffffffffffffff",
                                        "1,2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_code(texts[i], "RK-E001");
}

Test(expr, deep_nesting_is_refused)
{
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH + 2);
    memset(text, '(', DEPTH);
    text[DEPTH] = '1';
    memset(text + DEPTH + 1, ')', DEPTH);
    text[2 * DEPTH + 1] = '\0';
    expect_code(text, "RK-E001");
    memset(text, '-', DEPTH);
    for (int i = 1; i < DEPTH; i += 2)
        text[i] = ' ';
    expect_code(text, "RK-E001");
    for (int i = 0; i < DEPTH; i++)
        text[i] = i % 2 ? '+' : '1';
    text[DEPTH] = '1';
    text[DEPTH + 1] = '\0';
    expect_code(text, "RK-E001");
    free(text);
}

Test(expr, unknown_names_and_functions)
{
    expect_code("n + nothing", "RK-E002");
    expect_code("unheard(1)", "RK-E002");
    expect_code("first(1)", "RK-E002");
    expect_code("min(1, 2, 3)", "RK-E002");
    expect_code("abs()", "RK-E002");
}

Test(expr, division_by_zero)
{
    expect_code("n / 0", "RK-E003");
    expect_code("n % (m + 7)", "RK-E003");
    expect_code("1.0 / 0", "RK-E003");
    expect_code("ceil_div(1, 0)", "RK-E003");
}

Test(expr, overflow)
{
    static const char *const texts[] = {"big + 1",
                                        "least - 1",
                                        "big * 2",
                                        "-least",
                                        "abs(least)",
                                        "least / -1",
                                        "least % -1",
                                        "1 << 63",
                                        "2 << 62",
                                        "1 << 64",
                                        "1 << -1",
                                        "1 >> 64",
                                        "(unsigned long)-1",
                                        "(size_t)m",
                                        "(int)1e10",
                                        "(unsigned)-1.5",
                                        "(long)1e19",
                                        "1e308 * 10",
                                        "rsqrt(0)",
                                        "sqrt(-1)",
                                        "log(0)",
                                        "ceil_div(least, -1)",
                                        "(float)1e300"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_code(texts[i], "RK-E004");
}

Test(expr, integers_are_needed)
{
    static const char *const texts[] = {"1.5",
                                        "h",
                                        "h % 2",
                                        "1.0 << 1",
                                        "~h",
                                        "1.5 & 1",
                                        "n / 2.0",
                                        "ceil_div(1.5, 2)",
                                        "or_shifted(h, 2)"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_code(texts[i], "RK-E005");
}

Test(expr, prints_minimally)
{
    expect_print("((n)+(255))/(256)", "(n + 255) / 256");
    expect_print("1-(2-3)", "1 - (2 - 3)");
    expect_print("(1-2)-3", "1 - 2 - 3");
    expect_print("a&&(b||c)", "a && (b || c)");
    expect_print("(a?b:c)?d:e", "(a ? b : c) ? d : e");
    expect_print("a?b:(c?d:e)", "a ? b : c ? d : e");
    expect_print("-(-a)", "- -a");
    expect_print("!(a==b)", "!(a == b)");
    expect_print("~(unsigned)(a+1)", "~(unsigned)(a + 1)");
    expect_print("(int)x*2", "(int)x * 2");
    expect_print("(int)(x*2)", "(int)(x * 2)");
    expect_print("std::max( a , b )", "max(a, b)");
    expect_print("sizeof( float )", "sizeof(float)");
    expect_print("2.0*0.5", "2.0 * 0.5");
    expect_print("1e30", "1e+30");
    expect_print("a<<(b+1)", "a << b + 1");
    expect_print("(a<<b)+1", "(a << b) + 1");
    expect_print("f()", "f()");
    expect_print("a % (b * c)", "a % (b * c)");
}

static void collect(void *user, const char *name)
{
    char *all = user;
    strcat(all, name);
    strcat(all, " ");
}

Test(expr, names_once_in_order)
{
    fixture f = fresh();
    char names[64] = "";
    const rk_expr *e =
        rk_expr_parse("b + a * dim(x, a) + (b ? c.d : 0)", rk_place_file("t"), f.arena, f.diag);
    rk_expr_names(e, collect, names);
    cr_expect_str_eq(names, "b a x c.d ");
    cr_expect_null(rk_expr_name(e));
    cr_expect_str_eq(rk_expr_name(rk_expr_parse(" (n) ", rk_place_file("t"), f.arena, f.diag)),
                     "n");
    rk_arena_free(f.arena);
}

Test(expr, no_environment)
{
    fixture f = fresh();
    int64_t value;
    cr_expect(rk_expr_eval_int(&value, "2 + 2", NULL, rk_place_file("t"), f.arena, f.diag));
    cr_expect_eq(value, 4);
    cr_expect_not(rk_expr_eval_int(&value, "n", NULL, rk_place_file("t"), f.arena, f.diag));
    cr_expect_not(rk_expr_eval_int(&value, "f()", NULL, rk_place_file("t"), f.arena, f.diag));
    cr_expect_eq(rk_diag_count(f.diag), 2);
    rk_arena_free(f.arena);
}

/** Random expressions mean the same after printing. */
static void grow(char *out, unsigned *seed, int depth)
{
    static const char *const binary[] = {"+", "-", "*",  "/",  "%",  "<<", ">>", "&",
                                         "|", "^", "&&", "||", "==", "!=", "<",  ">="};
    *seed = *seed * 1103515245u + 12345u;
    unsigned pick = *seed >> 16;
    if (depth == 0 || pick % 5 == 0) {
        sprintf(out + strlen(out), "%s", pick % 2 ? "n" : pick % 3 ? "3" : "m");
    } else if (pick % 7 == 0) {
        strcat(out, pick % 2 ? "-(" : "(unsigned)(");
        grow(out, seed, depth - 1);
        strcat(out, ")");
    } else {
        strcat(out, "(");
        grow(out, seed, depth - 1);
        sprintf(out + strlen(out), " %s ", binary[pick % (sizeof binary / sizeof *binary)]);
        grow(out, seed, depth - 1);
        strcat(out, ")");
    }
}

Test(expr, printing_keeps_the_value)
{
    unsigned seed = 7;
    int valued = 0;
    for (int i = 0; i < 3000; i++) {
        fixture f = fresh();
        char text[8192] = "";
        grow(text, &seed, 5);
        rk_value a = {0}, b = {0};
        const rk_expr *e = rk_expr_parse(text, rk_place_file("t"), f.arena, f.diag);
        cr_assert(e, "%s", text);
        const char *printed = rk_expr_print(e, f.arena);
        const rk_expr *again = rk_expr_parse(printed, rk_place_file("t"), f.arena, f.diag);
        cr_assert(again, "%s", printed);
        bool first = rk_expr_eval(&a, e, &env, f.diag),
             second = rk_expr_eval(&b, again, &env, f.diag);
        cr_assert(first == second && (!first || a.i == b.i), "%s\n%s", text, printed);
        valued += first;
        rk_arena_free(f.arena);
    }
    cr_expect(valued > 500, "only %d expressions had values", valued);
}
