/* libFuzzer over the expression parser, printer and evaluator. */
#include "targets.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rk_arena *arena = rk_arena_new();
    const char *text = rk_arena_strndup(arena, (const char *)data, size);
    if (!fuzz_expr(text, arena, rk_diag_new(arena)))
        abort();
    rk_arena_free(arena);
    return 0;
}
