#include "convert/fission/fission.h"
#include "convert/text/edits.h"
#include "convert/text/lex.h"

#include <criterion/criterion.h>
#include <string.h>

static rk_arena *arena;

static void open_arena(void)
{
    arena = rk_arena_new();
}

static void close_arena(void)
{
    rk_arena_free(arena);
}

TestSuite(convert_lex, .init = open_arena, .fini = close_arena);
TestSuite(convert_edits, .init = open_arena, .fini = close_arena);

/** The tokens' texts, joined by a bar. */
static const char *tokens_of(const char *text)
{
    const rk_tokens tokens = rk_lex(text, strlen(text), arena);
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < tokens.count; i++)
        rk_str_addf(&out, "%s%s", i ? "|" : "", rk_token_text(&tokens, i, arena));
    return rk_str_text(&out);
}

Test(convert_lex, names_numbers_and_punctuation)
{
    cr_assert_str_eq(tokens_of("a<<<b, 1.5e-3f>>>(x->y::z);"),
                     "a|<|<|<|b|,|1.5e-3f|>|>|>|(|x|->|y|::|z|)|;");
    /* a comparison is no assignment */
    cr_assert_str_eq(tokens_of("a==b!=c<=d>=e=f"), "a|==|b|!=|c|<=|d|>=|e|=|f");
    cr_assert_str_eq(tokens_of("0x1'000 .5f [[nodiscard]]"), "0x1'000|.5f|[[|nodiscard|]]");
}

Test(convert_lex, comments_are_no_tokens)
{
    cr_assert_str_eq(tokens_of("a /* b */ c // d\ne"), "a|c|e");
    cr_assert_str_eq(tokens_of("a // b \\\n c\nd"), "a|d");
    cr_assert_str_eq(tokens_of("a /* never closed"), "a");
}

Test(convert_lex, literals_hide_what_is_in_them)
{
    cr_assert_str_eq(tokens_of("f(\"a // \\\" b\", '\"')"), "f|(|\"a // \\\" b\"|,|'\"'|)");
    cr_assert_str_eq(tokens_of("R\"x(a)\" b)x\" u8\"c\" L'd'"), "R\"x(a)\" b)x\"|u8\"c\"|L'd'");
    cr_assert_str_eq(tokens_of("\"open\nnext"), "\"open|next");
}

Test(convert_lex, a_directive_is_one_token)
{
    const char *text = "#define A(x) \\\n  x /* c\n */ + 1 // d\nint a; # not one";
    const rk_tokens tokens = rk_lex(text, strlen(text), arena);
    cr_assert_eq(tokens.items[0].kind, RK_TOKEN_DIRECTIVE);
    cr_assert_str_eq(rk_token_text(&tokens, 1, arena), "int");
    const char *include = "  #  include <a.h> // why\n";
    const rk_tokens one = rk_lex(include, strlen(include), arena);
    const rk_directive d = rk_directive_of(&one, 0, arena);
    cr_assert_str_eq(d.name, "include");
    cr_assert_str_eq(d.rest, "<a.h>");
    cr_assert_eq(include[d.rest_offset], '<');
}

Test(convert_lex, closes_brackets)
{
    const char *text = "f<g<(1 > 2)>, {3}>(a[b(c)], d) [[x]] <e;";
    const rk_tokens tokens = rk_lex(text, strlen(text), arena);
    const size_t angle = rk_tokens_close(&tokens, 1);
    cr_assert(rk_token_is(&tokens, angle, ">") && rk_token_is(&tokens, angle + 1, "("));
    const size_t round = rk_tokens_close(&tokens, angle + 1);
    cr_assert(rk_token_is(&tokens, round, ")") && rk_token_is(&tokens, round + 1, "[["));
    cr_assert(rk_token_is(&tokens, rk_tokens_close(&tokens, round + 1), "]]"));
    cr_assert_eq(rk_tokens_close(&tokens, tokens.count - 3), tokens.count,
                 "'<' before ';' is less");
}

Test(convert_lex, finds_tokens_by_offset)
{
    const char *text = "ab  cd";
    const rk_tokens tokens = rk_lex(text, strlen(text), arena);
    cr_assert_eq(rk_tokens_at(&tokens, 1), 0);
    cr_assert_eq(rk_tokens_at(&tokens, 2), 1);
    cr_assert_eq(rk_tokens_at(&tokens, 5), 1);
    cr_assert_eq(rk_tokens_at(&tokens, 6), 2);
    cr_assert_not(rk_token_is(&tokens, 2, "cd"));
}

Test(convert_edits, applies_once_in_order)
{
    rk_edits edits = {.arena = arena};
    const char *text = "one two three";
    rk_edits_add(&edits, 8, 5, "3");
    rk_edits_insert(&edits, 4, 1, "B");
    rk_edits_insert(&edits, 4, 0, "A");
    rk_edits_insert(&edits, 4, 1, "C");
    rk_edits_insert(&edits, 4, 1, "C");
    rk_edits_add(&edits, 4, 3, "2");
    rk_edits_add(&edits, 0, 4, "");
    rk_edits_insert(&edits, 13, 0, "!");
    size_t conflict[2], size;
    const char *out = rk_edits_apply(&edits, text, strlen(text), &size, conflict);
    cr_assert_str_eq(out, "ABC2 3!");
    cr_assert_eq(size, strlen("ABC2 3!"));
}

Test(convert_edits, keeps_what_is_not_edited)
{
    rk_edits edits = {.arena = arena};
    const char text[] = "a\0b\r\n\tc";
    rk_edits_add(&edits, 2, 1, "B");
    size_t conflict[2], size;
    const char *out = rk_edits_apply(&edits, text, sizeof text - 1, &size, conflict);
    cr_assert_eq(size, sizeof text - 1);
    cr_assert_arr_eq(out, "a\0B\r\n\tc", size);
}

Test(convert_edits, rejects_overlaps)
{
    const struct {
        size_t a, a_length, b, b_length;
        bool good;
    } cases[] = {{0, 3, 2, 2, false}, {0, 3, 3, 2, true},  {0, 4, 1, 0, false}, {2, 2, 2, 0, true},
                 {0, 2, 2, 0, true},  {0, 2, 0, 1, false}, {9, 3, 0, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_edits edits = {.arena = arena};
        rk_edits_add(&edits, cases[i].a, cases[i].a_length, "x");
        rk_edits_add(&edits, cases[i].b, cases[i].b_length, "y");
        size_t conflict[2] = {7, 7}, size;
        const char *out = rk_edits_apply(&edits, "0123456789", 10, &size, conflict);
        cr_assert_eq(out != NULL, cases[i].good, "case %zu", i);
        cr_assert(out || conflict[1] < edits.list.count);
    }
}

Test(convert_edits, prints_what_it_does)
{
    rk_edits edits = {.arena = arena};
    rk_str out = {.arena = arena};
    rk_edits_add(&edits, 2, 2, "\"\n");
    rk_edits_insert(&edits, 0, 0, "x");
    rk_edits_print(&edits, "abcd", &out);
    cr_assert_str_eq(rk_str_text(&out), "0+0 \"\" -> \"x\"\n2+2 \"cd\" -> \"\\\"\\n\"\n");
}

/** The form for a whole block begins with its own shadows: the other's are left out, and no other edit that stands there. */
Test(convert_edits, only_the_entry_is_left_out)
{
    static char text[] = "{x = 1;}";
    rk_source_file file = {.bytes = {text, strlen(text)}, .edits = {.arena = arena}};
    rk_edits_enter(&file.edits, 1, 0, "entry ");
    rk_edits_insert(&file.edits, 1, 0, "kept ");
    rk_unit unit = {.arena = arena};
    *rk_push(arena, &unit.files) = &file;
    rk_fission_plan plan = {.begin = 1, .end = 7, .edits = {.arena = arena}};
    cr_assert_str_eq(rk_fission_text(&unit, &plan, 0), "kept x = 1;");

    size_t conflict[2], size;
    cr_assert_str_eq(rk_edits_apply(&file.edits, text, strlen(text), &size, conflict),
                     "{entry kept x = 1;}");
}
