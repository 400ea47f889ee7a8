/*
 * fuzz TARGET RUNS SEED SAMPLE...: feeds mutated samples to a reader and checks what must hold of
 * any input: no crash, a diagnostic whenever it is refused, and a stable meaning when it is taken.
 * TARGET is expr (each line of a sample is one), catalog or bindings. Prints the input that breaks
 * a rule.
 */
#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "rkernel_lib/catalog/binding.h"
#include "targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_INPUT = 1 << 16 };

typedef struct {
    uint64_t state; /**< of the random numbers */
    char data[MAX_INPUT + 1];
    size_t size;
    const char *folder; /**< for the readers of files */
} fuzzer;

typedef struct {
    const char *data;
    size_t size;
} sample;

typedef RK_VEC(sample) sample_list;

static uint64_t next(fuzzer *fz)
{
    fz->state ^= fz->state << 13;
    fz->state ^= fz->state >> 7;
    fz->state ^= fz->state << 17;
    return fz->state;
}

static size_t below(fuzzer *fz, size_t limit)
{
    return limit ? (size_t)(next(fz) % limit) : 0;
}

static void replace(fuzzer *fz, size_t at, size_t removed, const char *text, size_t added)
{
    if (fz->size - removed + added > MAX_INPUT)
        return;
    memmove(fz->data + at + added, fz->data + at + removed, fz->size - at - removed);
    memcpy(fz->data + at, text, added);
    fz->size += added - removed;
}

static void mutate(fuzzer *fz, const sample *other)
{
    static const char *const words[] = {"(",       ")",    "(unsigned)", "9223372036854775807",
                                        "-1",      "0",    "0x",         "1e999",
                                        "?",       ":",    "<<",         ">>",
                                        "/",       "%",    "&&",         "sizeof(",
                                        "std::",   "n",    "cfg.n",      "min(",
                                        ",",       "\"",   "{",          "}",
                                        "[",       "]",    "null",       "true",
                                        "\\u0000", "\"\"", ": ",         "1.5",
                                        "\xff",    "'",    "ceil_div(",  "static_cast<int>("};
    size_t at = below(fz, fz->size + 1), left = fz->size - at;
    size_t some = below(fz, left < 16 ? left + 1 : 16);
    const char *word = words[below(fz, sizeof words / sizeof *words)];
    char byte = (char)next(fz);
    switch (next(fz) % 7) {
    case 0:
        replace(fz, at, some, "", 0);
        break;
    case 1:
        replace(fz, at, 0, word, strlen(word));
        break;
    case 2:
        replace(fz, at, some, word, strlen(word));
        break;
    case 3:
        replace(fz, at, left ? 1 : 0, &byte, 1);
        break;
    case 4: { /* a piece of itself again */
        char piece[64];
        size_t from = below(fz, fz->size + 1), n = below(fz, sizeof piece);
        n = n < fz->size - from ? n : fz->size - from;
        memcpy(piece, fz->data + from, n);
        replace(fz, at, 0, piece, n);
        break;
    }
    case 5: { /* a piece of another */
        size_t from = below(fz, other->size + 1), n = below(fz, other->size - from + 1);
        replace(fz, at, some, other->data + from, n < 256 ? n : 256);
        break;
    }
    default:
        if (left)
            fz->data[at] = (char)(fz->data[at] ^ (1 << (byte & 7)));
        break;
    }
}

static bool check_expr(fuzzer *fz, rk_arena *arena, rk_diag *diag)
{
    fz->data[fz->size] = '\0';
    return fuzz_expr(fz->data, arena, diag);
}

static const char *put(fuzzer *fz, rk_arena *arena, const char *name)
{
    const char *path = rk_path_join(arena, fz->folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(fz->data, 1, fz->size, file) != fz->size || fclose(file) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    return path;
}

static bool check_catalog(fuzzer *fz, rk_arena *arena, rk_diag *diag)
{
    const char *path = put(fz, arena, "catalog.json");
    const rk_catalog *catalog = rk_catalog_read(path, arena, diag);
    if (!catalog)
        return rk_diag_count(diag) > 0 || fuzz_fail("refused without a diagnostic");
    if (rk_diag_count(diag) > 0)
        return fuzz_fail("taken with a diagnostic");
    const char *copy = rk_path_join(arena, fz->folder, "copy.json");
    const char *third = rk_path_join(arena, fz->folder, "third.json");
    if (!rk_catalog_write(catalog, copy, arena, diag))
        return fuzz_fail("what was read is not written");
    const rk_catalog *again = rk_catalog_read(copy, arena, diag);
    if (!again || !rk_catalog_write(again, third, arena, diag))
        return fuzz_fail("what was written is not read");
    rk_bytes one, two;
    if (!rk_file_read(&one, copy, arena, diag) || !rk_file_read(&two, third, arena, diag))
        return false;
    return (one.size == two.size && memcmp(one.data, two.data, one.size) == 0) ||
           fuzz_fail("it is written in two ways");
}

static bool check_bindings(fuzzer *fz, rk_arena *arena, rk_diag *diag)
{
    static const rk_param params[] = {{"W", "const float *", RK_F32, true, RK_ROLE_READ},
                                      {"m", "int", RK_I32, false, RK_ROLE_SCALAR}};
    static const char *const args[] = {"W", "m"};
    static const rk_launch launch = {.function = "launch",
                                     .file = "g.cu",
                                     .line = 1,
                                     .resolved = true,
                                     .params = params,
                                     .param_count = 2,
                                     .args = args,
                                     .arg_count = 2};
    static const rk_kernel kernel = {.id = "gemv", .launches = &launch, .launch_count = 1};
    static const rk_catalog catalog = {.folder = ".", .kernels = &kernel, .kernel_count = 1};
    put(fz, arena, "x.bind.json");
    const rk_bindings *all = rk_bindings_read(fz->folder, &catalog, arena, diag);
    return (all != NULL) == (rk_diag_count(diag) == 0) ||
           fuzz_fail("taken with a diagnostic, or refused without");
}

typedef bool (*check)(fuzzer *fz, rk_arena *arena, rk_diag *diag);

static check find_check(const char *target)
{
    static const struct {
        const char *name;
        check run;
    } checks[] = {{"expr", check_expr}, {"catalog", check_catalog}, {"bindings", check_bindings}};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (strcmp(checks[i].name, target) == 0)
            return checks[i].run;
    return NULL;
}

/** A file as one sample, or each of its lines as one. */
static void add_samples(sample_list *list, rk_bytes bytes, bool lines, rk_arena *arena)
{
    const char *end = bytes.data + bytes.size;
    for (const char *p = bytes.data; p < end;) {
        const char *stop = lines ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        stop = stop ? stop : end;
        *rk_push(arena, list) = (sample){.data = p, .size = (size_t)(stop - p)};
        p = stop + 1;
    }
}

static bool run(fuzzer *fz, check target, const sample_list *samples, long runs)
{
    rk_arena *arena = rk_arena_new();
    bool ok = true;
    for (long i = 0; i < runs && ok; i++) {
        const sample *s = &samples->items[below(fz, samples->count)];
        const sample *other = &samples->items[below(fz, samples->count)];
        fz->size = s->size < MAX_INPUT ? s->size : MAX_INPUT;
        memcpy(fz->data, s->data, fz->size);
        size_t changes = (size_t)i < samples->count ? 0 : 1 + below(fz, 6);
        for (size_t k = 0; k < changes; k++)
            mutate(fz, other);
        ok = target(fz, arena, rk_diag_new(arena));
        rk_arena_reset(arena);
        if (!ok)
            fprintf(stderr, "run %ld, %zu bytes:\n%.*s\n", i, fz->size, (int)fz->size, fz->data);
    }
    rk_arena_free(arena);
    return ok;
}

int main(int argc, char **argv)
{
    static fuzzer fz;
    check target = argc > 4 ? find_check(argv[1]) : NULL;
    if (!target) {
        fprintf(stderr, "usage: fuzz expr|catalog|bindings RUNS SEED SAMPLE...\n");
        return 2;
    }
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    const char *base = getenv("TMPDIR");
    fz.folder = mkdtemp(rk_arena_printf(arena, "%s/rk_fuzz_XXXXXX", base && *base ? base : "/tmp"));
    fz.state = strtoull(argv[3], NULL, 10) * 2 + 1;
    sample_list samples = {0};
    bool ok = fz.folder != NULL;
    for (int i = 4; i < argc && ok; i++) {
        rk_bytes bytes;
        ok = rk_file_read(&bytes, argv[i], arena, diag);
        if (ok)
            add_samples(&samples, bytes, target == check_expr, arena);
    }
    ok = ok && samples.count && run(&fz, target, &samples, strtol(argv[2], NULL, 10));
    rk_diag_print(diag, 0, stderr, false);
    if (fz.folder)
        rk_file_remove(fz.folder, diag);
    rk_arena_free(arena);
    return ok ? 0 : 1;
}
