#include "tests/run/kernels/kernel.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kernels --seed S [--first N] [--count N] [--leave-out N,...] --source FILE --results FILE\n"
    "               [--entries FILE]\n"
    "\n"
    "Makes random CUDA kernels, interprets them, and writes a program of them and what it has to find:\n"
    "  rkconvert cc -I tests/run/kernels FILE -o program && ./program RESULTS\n"
    "With --entries the same host code is written that runs the kernels of a catalog: entries.h.\n"
    "A kernel depends on the seed and its own number alone. --leave-out leaves statements of all kernels out; with\n"
    "--statements the number that the first kernel has is printed and nothing is written.\n";

typedef struct {
    uint64_t seed;
    int first, count;
    cuts cut;
    bool statements;
    const char *source, *results, *entries;
    RK_VEC(const kernel *) kernels;
    RK_VEC(outcome) outcomes;
    rk_arena *arena;
    int attempts;
} command;

static void write_words(FILE *out, const value *v, size_t count)
{
    fwrite(v, sizeof *v, count, out);
}

static void write_word(FILE *out, value v)
{
    write_words(out, &v, 1);
}

static void write_outcome(FILE *out, const kernel *k, const outcome *o)
{
    const size_t threads = (size_t)k->threads * k->blocks;
    write_word(out, threads);
    write_word(out, k->arrays.count);
    for (size_t i = 0; i < threads; i++)
        write_word(out, o->seen[i]);
    write_words(out, o->out, threads * SLOTS);
    for (size_t i = 0; i < k->arrays.count; i++) {
        const array *a = &k->arrays.items[i];
        write_word(out, a->memory == CELLS ? type_bits(a->type) / 8 : 0);
        for (int n = 0; a->memory == CELLS && n < CELL_COUNT; n++)
            write_word(out, cell_initial(a, n));
        if (a->memory == CELLS)
            write_words(out, &o->cells[i * CELL_COUNT], CELL_COUNT);
    }
}

/** Tries until a kernel is defined; one from which statements are left out must be by itself. */
static bool make(command *c, int number, bool whole)
{
    for (int attempt = 0; attempt < 200; attempt++) {
        kernel *k = kernel_make(c->seed, number, attempt, c->arena);
        outcome o;
        c->attempts++;
        kernel_interpret(&o, k, NULL, c->arena);
        if (getenv("KERNELS_FAULTS"))
            fprintf(stderr, "%d: %s\n", number, o.fault ? o.fault : "good");
        if (o.fault)
            continue;
        if (!whole) {
            kernel_interpret(&o, k, &c->cut, c->arena);
            if (o.fault) {
                fprintf(stderr, "kernels: then it is not defined: %s\n", o.fault);
                return false;
            }
        }
        *rk_push(c->arena, &c->kernels) = k;
        *rk_push(c->arena, &c->outcomes) = o;
        return true;
    }
    fprintf(stderr, "kernels: no attempt at kernel %d is defined\n", number);
    return false;
}

static bool write_files(const command *c)
{
    FILE *source = fopen(c->source, "w"), *results = fopen(c->results, "wb");
    if (!source || !results) {
        perror(source ? c->results : c->source);
        return false;
    }
    program_print(c->kernels.items, c->kernels.count, &c->cut, false, source);
    for (type t = 0; t < TYPES; t++)
        for (int i = 0; i < POOL_SIZE; i++)
            write_word(results, pool_value(t, i));
    for (size_t i = 0; i < c->kernels.count; i++)
        write_outcome(results, c->kernels.items[i], &c->outcomes.items[i]);
    const bool good = !ferror(source) && !ferror(results);
    return fclose(source) == 0 && fclose(results) == 0 && good;
}

/** The host's part alone, which runs kernels by a catalog's entries. */
static bool write_entries(const command *c)
{
    FILE *out = c->entries ? fopen(c->entries, "w") : NULL;
    if (!c->entries)
        return true;
    if (!out) {
        perror(c->entries);
        return false;
    }
    program_print(c->kernels.items, c->kernels.count, &c->cut, true, out);
    const bool good = !ferror(out);
    return fclose(out) == 0 && good;
}

static bool read_cuts(command *c, const char *text)
{
    for (char *end; *text; text = end + (*end == ',')) {
        const unsigned long n = strtoul(text, &end, 10);
        if (end == text || n >= sizeof c->cut.left_out)
            return false;
        c->cut.left_out[n] = true;
    }
    return true;
}

static bool read_command(command *c, int argc, char **argv)
{
    c->count = 200;
    for (int i = 1; i < argc; i++) {
        const char *text = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--statements") == 0) {
            c->statements = true;
            continue;
        }
        if (strcmp(argv[i], "--seed") == 0)
            c->seed = strtoull(text, NULL, 10);
        else if (strcmp(argv[i], "--first") == 0)
            c->first = atoi(text);
        else if (strcmp(argv[i], "--count") == 0)
            c->count = atoi(text);
        else if (strcmp(argv[i], "--source") == 0)
            c->source = text;
        else if (strcmp(argv[i], "--entries") == 0)
            c->entries = text;
        else if (strcmp(argv[i], "--results") == 0)
            c->results = text;
        else if (strcmp(argv[i], "--leave-out") != 0 || !read_cuts(c, text))
            return false;
        i++;
    }
    return c->count > 0 && ((c->source && c->results) || c->statements);
}

int main(int argc, char **argv)
{
    command c = {.arena = rk_arena_new()};
    if (!read_command(&c, argc, argv)) {
        fputs(help, stderr);
        return 2;
    }
    const bool whole = !memchr(c.cut.left_out, 1, sizeof c.cut.left_out);
    bool good = true;
    for (int i = 0; good && i < c.count; i++)
        good = make(&c, c.first + i, whole);
    if (good && c.statements)
        printf("%d\n", c.kernels.items[0]->statements);
    else if (good)
        good = write_files(&c) && write_entries(&c);
    rk_arena_free(c.arena);
    return good ? 0 : 1;
}
