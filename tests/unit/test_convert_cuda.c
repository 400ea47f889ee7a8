#include "base/file.h"
#include "convert/cuda/builtins.h"
#include "convert/text/lex.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdlib.h>
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

TestSuite(convert_cuda, .init = open_arena, .fini = close_arena);

static bool says_something(const rk_cuda_name *row)
{
    return row->does || row->host || row->is || row->use || row->refusal || row->group ||
           row->waits || row->graph || row->args[0] || row->expr || row->element;
}

Test(convert_cuda, rows_are_well_formed)
{
    size_t count;
    const rk_cuda_name *rows = rk_cuda_names(&count);
    for (size_t i = 0; i < count; i++) {
        const rk_cuda_name *row = &rows[i];
        const char *star = strchr(row->name, '*');
        cr_expect(row->name[0] && row->name[0] != '*' && (!star || !star[1]), "%s", row->name);
        cr_expect(row->in && row->in < RK_IN_MATRICES << 1, "%s is nowhere", row->name);
        cr_expect(says_something(row), "%s means nothing", row->name);
        cr_expect(!row->use || (row->text && row->in == RK_IN_PLAIN), "%s", row->name);
        cr_expect(!row->expr == !row->expr_args, "%s", row->name);
        cr_expect(!row->args[1] || row->args[0], "%s", row->name);
        cr_expect(!row->waits || (row->in & ~(unsigned)RK_IN_COOPERATIVE) == 0, "%s", row->name);
        cr_expect(!row->refusal || (strncmp(row->refusal->code, "RK-V", 4) == 0 &&
                                    *row->refusal->message && *row->refusal->hint),
                  "%s", row->name);
    }
}

Test(convert_cuda, rows_are_sorted_and_unique)
{
    size_t count;
    const rk_cuda_name *rows = rk_cuda_names(&count);
    for (size_t i = 1; i < count; i++) {
        const int order = strcmp(rows[i - 1].name, rows[i].name);
        cr_expect(order <= 0, "%s stands before %s", rows[i - 1].name, rows[i].name);
        cr_expect(order < 0 || !(rows[i - 1].in & rows[i].in), "%s is there twice", rows[i].name);
    }
}

/** A row takes the place of the prefix's that fits it too: what that says of all such names must be in it. */
Test(convert_cuda, rows_say_what_their_prefixes_say)
{
    size_t count;
    const rk_cuda_name *rows = rk_cuda_names(&count);
    const unsigned does =
        RK_DOES_WAIT | RK_DOES_READ | RK_DOES_TIME | RK_DOES_CHANGE | RK_DOES_ASK | RK_DOES_ATOMIC;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const size_t length = strlen(rows[k].name) - 1;
            if (i == k || rows[k].name[length] != '*' || !(rows[i].in & rows[k].in) ||
                strncmp(rows[i].name, rows[k].name, length) != 0)
                continue;
            cr_expect((rows[k].does & does & ~rows[i].does) == 0, "%s lacks what %s does",
                      rows[i].name, rows[k].name);
            cr_expect((rows[k].host & ~(rows[i].host | RK_HOST_ASK)) == 0, "%s lacks what %s does",
                      rows[i].name, rows[k].name);
        }
}

Test(convert_cuda, each_use_of_a_builtin_has_one_row)
{
    size_t count;
    const rk_cuda_name *rows = rk_cuda_names(&count);
    for (unsigned use = 1; use <= RK_USE_LDG; use <<= 1) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            found += rows[i].use == use;
        cr_expect_eq(found, 1, "use %u", use);
        cr_expect(rk_cuda_of_use((rk_use)use)->use == use);
    }
    cr_expect_null(rk_cuda_of_use(RK_USE_CONTEXT));
}

Test(convert_cuda, finds_the_longest_that_fits)
{
    cr_expect_str_eq(rk_cuda_find(RK_IN_PLAIN, "__shfl_sync")->name, "__shfl_sync");
    cr_expect_str_eq(rk_cuda_find(RK_IN_PLAIN, "__shfl_sync_old")->name, "__shfl*");
    cr_expect_str_eq(rk_cuda_find(RK_IN_PLAIN, "cudaMemcpy2DAsync")->name, "cudaMemcpy2DAsync*");
    cr_expect_str_eq(rk_cuda_find(RK_IN_PLAIN, "cudaMemcpy2D")->name, "cudaMemcpy*");
    cr_expect_str_eq(rk_cuda_find(RK_IN_PLAIN, "cuda")->name, "cuda*");
    cr_expect_str_eq(rk_cuda_find(RK_IN_PLAIN, "cud")->name, "");
    cr_expect_str_eq(rk_cuda_find(RK_IN_PLAIN, "")->name, "");
    cr_expect_str_eq(rk_cuda_find(RK_IN_LIBCU, "operator bool")->name, "operator *");
    cr_expect_str_eq(rk_cuda_find(RK_IN_LIBCU, "operator++")->name, "operator*");
    cr_expect_str_eq(rk_cuda_find_text(RK_IN_PLAIN, "__syncwarp()", 10)->name, "__syncwarp");
    cr_expect_str_eq(rk_cuda_find_text(RK_IN_PLAIN, "__syncwarp", 9)->name, "");
}

/** What is in the name, and means another thing: each of these was taken for CUDA's by a part of its name once. */
Test(convert_cuda, parts_of_names_mean_nothing)
{
    cr_expect_eq(rk_cuda_find(RK_IN_PLAIN, "diatomic")->does, 0);
    cr_expect_eq(rk_cuda_find(RK_IN_PLAIN, "clockwise")->does, 0);
    cr_expect_eq(rk_cuda_find(RK_IN_PLAIN, "countThreads")->host, 0);
    cr_expect_eq(rk_cuda_find(RK_IN_PLAIN, "isAsyncEngine")->host, 0);
    cr_expect_eq(rk_cuda_find(RK_IN_TYPES, "cudaErrorCounter")->is, 0);
    cr_expect_eq(rk_cuda_find(RK_IN_LIBCU, "awaited")->does & RK_DOES_WAIT, 0);
}

Test(convert_cuda, spaces_are_apart)
{
    cr_expect_eq(rk_cuda_find(RK_IN_PLAIN, "load")->does, 0);
    cr_expect(rk_cuda_find(RK_IN_LIBCU, "load")->does & RK_DOES_WAIT);
    cr_expect_not(rk_cuda_find(RK_IN_STD, "load")->does & RK_DOES_WAIT);
    cr_expect_eq(rk_cuda_find(RK_IN_GROUP, "sync")->waits, RK_WAITS_GROUP);
    cr_expect_eq(rk_cuda_find(RK_IN_GROUP, "reduce")->waits, RK_WAITS_UNKNOWN);
    cr_expect_eq(rk_cuda_namespace_find("cub")->in, RK_IN_CUB);
    cr_expect_null(rk_cuda_namespace_find("thrust"));
    cr_expect_eq(rk_cuda_namespace_of(RK_IN_GROUP)->in, RK_IN_GROUPS);
    cr_expect_null(rk_cuda_namespace_of(RK_IN_PLAIN));
}

/* No other text of the converter is compared with a name of the table. */

/** Whether the string token stands where text is compared: in a comparing call, or in a list. */
static bool is_compared(const rk_tokens *t, size_t i)
{
    static const char *const calls[] = {"strcmp",        "strncmp",     "strstr",     "memmem",
                                        "rk_str_starts", "rk_str_ends", "rk_token_is"};
    size_t depth = 0;
    if (i > 0 && rk_token_is(t, i - 1, "="))
        return false; /* a value that is written */
    while (i-- > 0) {
        if (rk_token_is(t, i, ")") || rk_token_is(t, i, "}") || rk_token_is(t, i, "]")) {
            depth++;
        } else if (depth > 0) {
            depth -= rk_token_is(t, i, "(") || rk_token_is(t, i, "{") || rk_token_is(t, i, "[");
        } else if (rk_token_is(t, i, "(")) {
            for (size_t k = 0; i > 0 && k < sizeof calls / sizeof *calls; k++)
                if (rk_token_is(t, i - 1, calls[k]))
                    return true;
            return false;
        } else if (rk_token_is(t, i, "{")) {
            return i > 0 && !rk_token_is(t, i - 1, ")") && !rk_token_is(t, i - 1, "else");
        } else if (rk_token_is(t, i, ";")) {
            return false;
        }
    }
    return false;
}

/** Whether the table has the name, as it is or as a prefix: "__shfl" of "__shfl*". */
static bool in_table(const char *name, size_t length)
{
    size_t count;
    const rk_cuda_name *rows = rk_cuda_names(&count);
    for (size_t i = 0; i < count; i++) {
        const size_t own = strcspn(rows[i].name, "*");
        if (own == length && strncmp(rows[i].name, name, length) == 0)
            return true;
    }
    return rk_cuda_namespace_find(rk_arena_strndup(arena, name, length)) != NULL;
}

/** Strings that are words of something else, which CUDA happens to have too. */
static bool is_other_word(const char *path, const char *word)
{
    static const struct {
        const char *part, *word;                     /**< NULL: all words of these files */
    } others[] = {{"/convert/ptx/", NULL},           /* instructions */
                  {"/facts/assembly_words.c", NULL}, /* the same */
                  {"/facts/spin.c", "nanosleep"},
                  {"/facts/spin.c", "clock"},
                  {"/facts/spin.c", "globaltimer"},
                  {"/launches/cexpr.c", "min"}, /* functions of rk_expr */
                  {"/launches/cexpr.c", "max"},
                  {"/clang/headers_look.c", "signal"}, /* a header */
                  {"/clang/nvcc_options.c", "all"},    /* of an option */
                  {"/rkernel/cpu_library.c", "all"},   /* of an environment variable */
                  {"/cc/link.c", "cuda"},              /* a library */
                  {"/facts/scopes.c", "std"},          /* C++'s, that nobody opens again */
                  {"", "operator"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(path, others[i].part) && (!others[i].word || strcmp(word, others[i].word) == 0))
            return true;
    return false;
}

static int look_at(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)at;
    rk_bytes bytes;
    if (kind != FTW_F || !strstr(path, ".c") || path[strlen(path) - 1] != 'c' ||
        strstr(path, "/convert/cuda/") || strstr(path, "/convert/stub/"))
        return 0;
    cr_assert(rk_file_read(&bytes, path, arena, rk_diag_new(arena)), "%s", path);
    const rk_tokens tokens = rk_lex(bytes.data, bytes.size, arena);
    for (size_t i = 0; i < tokens.count; i++) {
        const rk_token *t = &tokens.items[i];
        if (bytes.data[t->offset] != '"' || t->length < 3 || !is_compared(&tokens, i) ||
            !in_table(bytes.data + t->offset + 1, t->length - 2))
            continue;
        const char *word = rk_arena_strndup(arena, bytes.data + t->offset + 1, t->length - 2);
        cr_expect(is_other_word(path, word),
                  "%s compares with \"%s\": ask convert/cuda/cuda_names.h", path, word);
    }
    return 0;
}

Test(convert_cuda, only_the_table_has_names_of_cuda)
{
    const char *root = getenv("RK_SOURCE");
    cr_assert_not_null(root);
    cr_assert_eq(nftw(rk_arena_printf(arena, "%s/convert", root), look_at, 16, FTW_PHYS), 0);
}
