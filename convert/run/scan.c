#include "convert/run/scan.h"

#include "base/clock.h"
#include "convert/clang/parse.h"
#include "convert/facts/system.h"
#include "convert/unit/sources.h"

#include <string.h>

/** Rounds of looking for folders: a header that was found may include others. */
enum { MAX_ROUNDS = 8 };

/* Counts. */

/** Whether a `__global__` at `i` begins a definition: a body comes before a `;`. */
static bool defines(const rk_tokens *tokens, size_t i)
{
    for (i++; i < tokens->count; i++) {
        if (rk_token_is(tokens, i, ";") || rk_token_is(tokens, i, "}"))
            return false;
        if (rk_token_is(tokens, i, "{"))
            return true;
        if (rk_token_is(tokens, i, "(") && (i = rk_tokens_close(tokens, i)) >= tokens->count)
            return false;
    }
    return false;
}

static bool is_chevron(const rk_tokens *tokens, size_t i)
{
    const rk_token *t = tokens->items;
    return rk_token_is(tokens, i, "<") && rk_token_is(tokens, i + 1, "<") &&
           rk_token_is(tokens, i + 2, "<") && t[i + 1].offset == t[i].offset + 1 &&
           t[i + 2].offset == t[i].offset + 2;
}

static bool is_launch_call(const rk_tokens *tokens, size_t i)
{
    return (rk_system_token(tokens, i)->host & RK_HOST_LAUNCH) && rk_token_is(tokens, i + 1, "(");
}

rk_convert_counts rk_scan_count(const rk_tokens *tokens)
{
    rk_convert_counts counts = {0};
    for (size_t i = 0; i < tokens->count; i++) {
        counts.kernels += rk_token_is(tokens, i, "__global__") && defines(tokens, i);
        counts.launches += is_chevron(tokens, i) || is_launch_call(tokens, i);
    }
    return counts;
}

/** The macro of the outermost `#ifdef` or `#if defined` around the first `__global__`; NULL if none. */
static const char *find_guard(const rk_tokens *tokens, rk_arena *arena)
{
    RK_VEC(const char *) open = {0};
    for (size_t i = 0; i < tokens->count; i++) {
        if (rk_token_is(tokens, i, "__global__"))
            break;
        if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
            continue;
        const rk_directive d = rk_directive_of(tokens, i, arena);
        const char *name = strcmp(d.name, "ifdef") == 0        ? d.rest
                           : rk_str_starts(d.rest, "defined(") ? d.rest + strlen("defined(")
                           : rk_str_starts(d.rest, "defined ") ? d.rest + strlen("defined ")
                                                               : NULL;
        if (rk_str_starts(d.name, "if"))
            *rk_push(arena, &open) =
                name ? rk_arena_strndup(arena, name, strcspn(name, " )&|\t")) : NULL;
        else if (rk_str_starts(d.name, "el") && open.count)
            open.items[open.count - 1] = NULL;
        else if (strcmp(d.name, "endif") == 0 && open.count)
            open.count--;
    }
    for (size_t i = 0; i < open.count; i++)
        if (open.items[i])
            return open.items[i];
    return NULL;
}

/* Folders of headers. */

/** Whether the compiler finds it by itself. */
static bool is_systems(const char *operand, const rk_convert_options *options, rk_arena *arena)
{
    const char *toolkit = rk_parse_toolkit(options, arena);
    const char *const folders[] = {"/usr/include",
                                   "/usr/local/include",
                                   "/usr/include/x86_64-linux-gnu",
                                   "/usr/include/aarch64-linux-gnu",
                                   toolkit ? rk_path_join(arena, toolkit, "include") : NULL,
                                   toolkit ? rk_path_join(arena, toolkit, "include/cccl") : NULL,
                                   rk_parse_file(options, "builtin", arena)};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (folders[i] && rk_file_exists(rk_path_join(arena, folders[i], operand)))
            return true;
    return false;
}

typedef RK_VEC(const char *) arg_vec;

static bool has_folder(const arg_vec *args, const char *argument)
{
    for (size_t i = 0; i < args->count; i++)
        if (strcmp(args->items[i], argument) == 0)
            return true;
    return false;
}

/** Adds the folders of what the unit's files include and nobody found; whether there is a new one. */
static bool add_folders(arg_vec *args, rk_unit *unit, const rk_tree *tree, rk_arena *arena)
{
    bool more = false;
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_source_file *file = unit->files.items[f];
        for (size_t k = 0; k < file->includes.count; k++) {
            const rk_include *include = &file->includes.items[k];
            if (include->target != RK_NONE)
                continue;
            const rk_directive d = rk_directive_of(&file->tokens, include->token, unit->arena);
            const size_t length = *d.rest ? strcspn(d.rest + 1, "\">") : 0;
            const char *operand = rk_arena_strndup(unit->arena, d.rest + (length > 0), length);
            if (!length || is_systems(operand, unit->options, unit->arena))
                continue;
            const char *folder = rk_tree_folder(tree, operand, file->path, unit->arena);
            if (!folder)
                continue;
            const char *argument = rk_arena_printf(arena, "-I%s", folder);
            if (has_folder(args, argument))
                continue;
            *rk_push(arena, args) = argument;
            more = true;
        }
    }
    return more;
}

static rk_unit *read_unit(const rk_source_input *input, const rk_convert_options *options,
                          rk_read_limits *limits, rk_arena *scratch)
{
    rk_unit *unit = RK_NEW(scratch, rk_unit);
    unit->arena = scratch;
    unit->diag = rk_diag_new(scratch);
    unit->options = options;
    unit->path = input->path;
    unit->limits = limits;
    return rk_sources_read(unit) ? unit : NULL;
}

static void add_hash(rk_scan *out, const void *data, size_t size)
{
    for (size_t i = 0; i < 2; i++)
        out->hash[i] = rk_hash(data, size, out->hash[i] + i);
}

/** Names and hashes the unit's files, and counts what is in them. */
static void describe(rk_scan *out, const rk_unit *unit, rk_output_names *names, rk_arena *arena)
{
    rk_scan_header *headers = RK_NEW_ARRAY(arena, rk_scan_header, unit->files.count);
    for (size_t i = 0; i < unit->files.count; i++) {
        const rk_source_file *file = unit->files.items[i];
        const rk_convert_counts counts = rk_scan_count(&file->tokens);
        add_hash(out, file->path, strlen(file->path) + 1);
        add_hash(out, file->bytes.data, file->bytes.size);
        if (i == 0) {
            out->text = counts;
            continue;
        }
        const char *name =
            rk_sources_output_name(names, rk_path_base(file->path), file->path, arena);
        add_hash(out, name, strlen(name) + 1);
        headers[out->header_count++] =
            (rk_scan_header){rk_sources_real_path(file->path, arena), counts};
    }
    out->headers = headers;
    if (out->text.kernels) {
        const char *guard = find_guard(&unit->files.items[0]->tokens, unit->arena);
        out->guard = guard ? rk_arena_strdup(arena, guard) : NULL;
    }
}

rk_worker_end rk_scan_source(rk_scan *out, const rk_source_input *input,
                             const rk_convert_options *options, rk_worker_limits limits,
                             const rk_tree *tree, rk_output_names *names, rk_arena *arena)
{
    static const rk_worker_end ends[] = {RK_WORKER_DONE, RK_WORKER_TIME, RK_WORKER_MEMORY};
    rk_read_limits reading = {.deadline = rk_seconds() + limits.seconds,
                              .memory = limits.megabytes << 20};
    arg_vec args = {0};
    *out = (rk_scan){.args = input->args, .arg_count = input->arg_count};
    for (size_t i = 0; i < input->arg_count; i++)
        *rk_push(arena, &args) = input->args[i];
    rk_arena *scratch = rk_arena_new();
    rk_convert_options own = *options;
    rk_unit *unit = NULL;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        own.args = args.items;
        own.arg_count = args.count;
        unit = read_unit(input, &own, &reading, scratch);
        if (!unit || !tree || input->placed || !add_folders(&args, unit, tree, arena))
            break;
    }
    out->whole = unit != NULL;
    if (unit)
        describe(out, unit, names, arena);
    out->args = args.items;
    out->arg_count = args.count;
    rk_arena_free(scratch);
    return ends[reading.end];
}
