/*
 * What libFuzzer does for a target, without its search: mutates SAMPLE... RUNS times, one after the other, with numbers
 * that follow from SEED, and gives each to the target, which ends the process where something is wrong.
 *
 *     fuzz_rewrite_plain RUNS SEED SAMPLE...
 */
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 6000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const unsigned runs = (unsigned)atoi(argv[1]), seed = (unsigned)atoi(argv[2]);
    const unsigned samples = (unsigned)argc - 3;
    static uint8_t data[MAX_SIZE + 1];
    for (unsigned i = 0; i < runs; i++) {
        rk_arena *arena = rk_arena_new();
        rk_bytes sample;
        const char *path = argv[3 + (i * 7919 + seed) % samples];
        if (!rk_file_read(&sample, path, arena, rk_diag_new(arena)))
            return 2;
        size_t size = sample.size < MAX_SIZE ? sample.size : MAX_SIZE;
        memcpy(data, sample.data, size);
        size = LLVMFuzzerCustomMutator(data, size, MAX_SIZE, seed * 1000003 + i);
        printf("%u %s\n", i, path);
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, size);
        rk_arena_free(arena);
    }
    return 0;
}
