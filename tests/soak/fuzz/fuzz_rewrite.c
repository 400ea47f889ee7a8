/*
 * libFuzzer over the rewriter: mutated CUDA sources are parsed, analysed, rewritten and checked, to
 * rKernels and to a drop-in program. Holds: no crash, a diagnostic whenever a source is refused, and a
 * source in which nothing is converted comes out as it went in. The mutator works on tokens, so that
 * much of what it makes still parses.
 *
 * RAMMER_HOME is the share folder whose parse/ holds our stub headers.
 */
#include "base/file.h"
#include "convert/clang/parse.h"
#include "convert/clang/prelude.h"
#include "convert/program/program.h"
#include "convert/rkernel/conversion.h"
#include "targets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

bool fuzz_fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    return false;
}

/** The source's path, in a folder that lasts as long as the process. */
static const char *source_path(void)
{
    static char path[4096];
    const char *base = getenv("TMPDIR");
    if (!path[0]) {
        snprintf(path, sizeof path - 8, "%s/rk_fuzz_XXXXXX", base && *base ? base : "/tmp");
        if (!mkdtemp(path))
            abort();
        strcat(path, "/in.cu");
    }
    return path;
}

static rk_unit *new_unit(const rk_convert_options *options, const char *pch, rk_arena *arena,
                         rk_diag *diag)
{
    rk_unit *unit = RK_NEW(arena, rk_unit);
    unit->arena = arena;
    unit->diag = diag;
    unit->options = options;
    unit->path = source_path();
    unit->catalog_source = unit->stem = unit->ident = "in";
    unit->space = "rk__in";
    unit->pch = pch;
    unit->names = RK_NEW(arena, rk_output_names);
    return unit;
}

static bool any_converted(const rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->reached)
            return true;
    return false;
}

static bool convert(const rk_convert_options *options, bool program, const uint8_t *data,
                    size_t size)
{
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    static const char *pch; /* made once */
    static bool asked;
    if (!asked)
        pch = rk_prelude_open(options, rk_arena_new());
    asked = true;
    rk_unit *unit = new_unit(options, pch, arena, diag);
    const bool converted = program ? rk_program_convert(unit) : rk_unit_convert(unit);
    rk_parse_close(unit);
    bool good = converted || rk_diag_count(diag) || fuzz_fail("refused without a diagnostic");
    if (converted && !program && !any_converted(unit)) {
        const rk_bytes own = unit->files.items[0]->bytes;
        good = good && ((own.size == size && memcmp(own.data, data, size) == 0) ||
                        fuzz_fail("the source was changed"));
    }
    rk_arena_free(arena);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rk_convert_options options = {.builtin_cuda = true, .home = getenv("RAMMER_HOME")};
    FILE *file = fopen(source_path(), "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
    options.output = "out.cu";
    if (!convert(&options, false, data, size))
        abort();
    options.drop_in = true;
    options.target = RK_TARGET_CPU;
    if (!convert(&options, true, data, size))
        abort();
    return 0;
}

/* The mutator. */

static const char *const words[] = {"__syncthreads()",
                                    "__syncwarp()",
                                    "threadIdx.x",
                                    "blockIdx.y",
                                    "blockDim",
                                    "gridDim.z",
                                    "__shared__",
                                    "extern",
                                    "return;",
                                    "if (threadIdx.x)",
                                    "{",
                                    "}",
                                    "(",
                                    ")",
                                    ";",
                                    "__global__",
                                    "__device__",
                                    "template <int N>",
                                    "<<<1, 32>>>",
                                    "int",
                                    "float *",
                                    "const",
                                    "for (;;)",
                                    "while (n--)",
                                    "#define M threadIdx",
                                    "M",
                                    "auto f = [&] {",
                                    "struct S {",
                                    "operator()",
                                    "static",
                                    "__launch_bounds__(64)",
                                    "volatile",
                                    "atomicAdd(&x, 1)",
                                    "__shfl_sync(~0u, x, 0)",
                                    "x",
                                    "n",
                                    "0",
                                    "1",
                                    "asm(\"bar.sync 0;\")",
                                    "goto l; l:",
                                    "#if 0",
                                    "#endif",
                                    "/*",
                                    "\"",
                                    "R\"(",
                                    "__ldg(p)",
                                    "dim3",
                                    "namespace a {",
                                    "using T = int;",
                                    "<"};

/** Replaces `removed` bytes at `at`; returns the new size, the old one when there is no room. */
static size_t replace(uint8_t *data, size_t size, size_t max, size_t at, size_t removed,
                      const char *text, size_t added)
{
    if (size - removed + added > max)
        return size;
    memmove(data + at + added, data + at + removed, size - at - removed);
    memcpy(data + at, text, added);
    return size - removed + added;
}

static unsigned next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/** Changes one token or a few: out, twice, elsewhere, or for a word. */
static size_t change(uint8_t *data, size_t size, size_t max, unsigned *state, rk_arena *arena)
{
    const char *copy = rk_arena_strndup(arena, (const char *)data, size);
    const rk_tokens tokens = rk_lex(copy, strlen(copy), arena);
    if (tokens.count == 0)
        return replace(data, size, max, 0, 0, words[0], strlen(words[0]));
    const rk_token *a = &tokens.items[next(state) % tokens.count];
    const rk_token *b = &tokens.items[next(state) % tokens.count];
    const char *word = words[next(state) % (sizeof words / sizeof *words)];
    const size_t end = b->offset + b->length;
    const size_t span = end > a->offset && end - a->offset < 200 ? end - a->offset : a->length;
    switch (next(state) % 5) {
    case 0:
        return replace(data, size, max, a->offset, span, "", 0);
    case 1:
        return replace(data, size, max, b->offset, 0, copy + a->offset, span);
    case 2:
        return replace(data, size, max, a->offset, a->length, word, strlen(word));
    case 3:
        return replace(data, size, max, a->offset, 0, word, strlen(word));
    default:
        return replace(data, size, max, a->offset, a->length, copy + b->offset, b->length);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    rk_arena *arena = rk_arena_new();
    unsigned state = seed;
    for (unsigned i = next(&state) % 3 + 1; i > 0; i--)
        size = change(data, size, max, &state, arena);
    rk_arena_free(arena);
    return size;
}
