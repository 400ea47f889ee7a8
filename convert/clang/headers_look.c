#include "convert/clang/headers_internal.h"

#include "convert/unit/sources.h"

#include <inttypes.h>
#include <string.h>

bool rk_headers_is_cheap(const char *operand)
{
    static const char *const known[] = {
        "cuda.h",         "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h",
        "driver_types.h", "vector_types.h", "device_functions.h", "math_constants.h"};
    static const char *const c[] = {"assert", "ctype",   "errno",  "fcntl",  "float",  "inttypes",
                                    "limits", "locale",  "malloc", "math",   "memory", "signal",
                                    "stdarg", "stdbool", "stddef", "stdint", "stdio",  "stdlib",
                                    "string", "strings", "time",   "unistd", "getopt", "omp"};
    const size_t length = strcspn(operand + 1, "\">.");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(operand + 1, known[i], strlen(known[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        if (length == strlen(c[i]) && strncmp(operand + 1, c[i], length) == 0)
            return strncmp(operand + 1 + length, ".h", 2) == 0;
    return rk_str_starts(operand + 1, "sys/");
}

bool rk_headers_is_guarded(const rk_tokens *tokens, rk_arena *arena)
{
    if (tokens->count < 3 || tokens->items[0].kind != RK_TOKEN_DIRECTIVE ||
        tokens->items[1].kind != RK_TOKEN_DIRECTIVE ||
        tokens->items[tokens->count - 1].kind != RK_TOKEN_DIRECTIVE)
        return false;
    const rk_directive first = rk_directive_of(tokens, 0, arena);
    const rk_directive second = rk_directive_of(tokens, 1, arena);
    const char *rest = second.rest + strspn(second.rest, " \t");
    return strcmp(first.name, "ifndef") == 0 && strcmp(second.name, "define") == 0 &&
           strncmp(rest, first.rest, strcspn(rest, " \t")) == 0 &&
           first.rest[strcspn(rest, " \t")] == '\0' &&
           strcmp(rk_directive_of(tokens, tokens->count - 1, arena).name, "endif") == 0;
}

size_t rk_headers_target(const char **operand, const rk_unit *unit, const rk_source_file *file,
                         size_t token)
{
    size_t target = RK_NONE;
    for (size_t i = 0; i < file->includes.count && target == RK_NONE; i++)
        if (file->includes.items[i].token == token)
            target = file->includes.items[i].target;
    const rk_source_file *to = target == RK_NONE ? NULL : unit->files.items[target];
    if (!to || !to->precompiled)
        return target;
    *operand = rk_arena_printf(unit->arena, "\"%s\" /* %016" PRIx64 " */",
                               rk_sources_real_path(to->path, unit->arena),
                               rk_hash(to->bytes.data, to->bytes.size, 0));
    return RK_NONE;
}
