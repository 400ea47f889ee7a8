#include "emit/emit_internal.h"

#include "base/file.h"
#include "base/json.h"
#include "base/vec.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/** An image being read; every function diagnoses and goes on, so that all problems show at once. */
typedef struct {
    const rk_json *json;
    const rk_catalog *catalog;
    rk_arena *arena;
    rk_image *image;
    RK_VEC(uint64_t) args;
    RK_VEC(rk_image_entry) entries;
    RK_VEC(rk_wait_item) items;
    bool ok;
    bool own;           /**< the catalog is the one that was written with the image */
    uint32_t *counters; /**< by op: its counter plus 1, 0: none */
} reader;

static void fail(reader *r, const char *where, const char *message)
{
    rk_json_fail(r->json, "RK-I001", where, "build the image again", "%s", message);
    r->ok = false;
}

static const char *at_index(reader *r, const char *member, size_t i)
{
    return rk_arena_printf(r->arena, "%s[%zu]", member, i);
}

static int64_t integer(reader *r, const cJSON *at, const char *where, const char *member,
                       int64_t least, int64_t most)
{
    int64_t value = least;
    if (!rk_json_int(&value, r->json, at, where, member)) {
        r->ok = false;
        return least;
    }
    if (value < least || value > most) {
        fail(r, rk_arena_printf(r->arena, "%s%s%s", where, *where ? "." : "", member),
             "the value is out of range");
        return least;
    }
    return value;
}

static const char *string(reader *r, const cJSON *at, const char *where, const char *member)
{
    const char *value = NULL;
    if (!rk_json_string(&value, r->json, at, where, member))
        r->ok = false;
    return value ? value : "";
}

/** The items of an array member, 0 when it is not there. */
static const cJSON *array(reader *r, const cJSON *at, const char *where, const char *member,
                          size_t *count)
{
    const cJSON *value = NULL;
    *count = 0;
    if (!rk_json_array(&value, r->json, at, where, member)) {
        r->ok = false;
        return NULL;
    }
    *count = (size_t)cJSON_GetArraySize(value);
    return value->child;
}

/** Numbers of an array, at most `room`; how many. */
static int numbers(reader *r, const cJSON *at, const char *where, const char *member,
                   int64_t *values, int room)
{
    size_t count = 0;
    const cJSON *c = array(r, at, where, member, &count);
    if (count > (size_t)room) {
        fail(r, where, "a list of numbers is too long");
        return 0;
    }
    for (size_t i = 0; i < count; i++, c = c->next) {
        if (!cJSON_IsNumber(c) || c->valuedouble < 0 || c->valuedouble > 9e15)
            fail(r, where, "a list holds something that is no size");
        else
            values[i] = (int64_t)c->valuedouble;
    }
    return (int)count;
}

static void read_device(reader *r)
{
    rk_device *device = RK_NEW(r->arena, rk_device);
    r->image->device = device;
    const cJSON *at = NULL;
    if (!rk_json_object(&at, r->json, r->json->root, "", "device")) {
        r->ok = false;
        return;
    }
    device->name = string(r, at, "device", "name");
    device->target = string(r, at, "device", "target");
    device->arch = string(r, at, "device", "arch");
    device->sms = (int)integer(r, at, "device", "sms", 1, 1 << 20);
}

static rk_image_io *read_ios(reader *r, const char *member, size_t *count)
{
    const cJSON *at = array(r, r->json->root, "", member, count);
    rk_image_io *ios = RK_NEW_ARRAY(r->arena, rk_image_io, *count);
    for (size_t i = 0; i < *count; i++, at = at->next) {
        const char *where = at_index(r, member, i);
        rk_image_io *io = &ios[i];
        io->name = string(r, at, where, "name");
        io->dtype = rk_dtype_of(string(r, at, where, "dtype"));
        io->rank = numbers(r, at, where, "shape", io->shape, RK_MAX_RANK);
        io->offset = integer(r, at, where, "offset", 0, INT64_MAX);
        io->bytes = integer(r, at, where, "bytes", 0, INT64_MAX);
        int64_t bytes = (int64_t)rk_dtype_size(io->dtype);
        for (int d = 0; d < io->rank; d++) {
            if (__builtin_mul_overflow(bytes, io->shape[d], &bytes))
                bytes = -1;
        }
        if (io->dtype == RK_DTYPE_NONE || bytes < 1 || bytes != io->bytes ||
            io->offset > r->image->memory_bytes || io->bytes > r->image->memory_bytes - io->offset)
            fail(r, where, "the tensor's size, type and place do not agree");
    }
    return ios;
}

static void read_fn(reader *r, rk_image_fn *fn, const cJSON *at, const char *where)
{
    const char *id = string(r, at, where, "kernel");
    const char *hash = string(r, at, where, "hash");
    fn->kernel = rk_catalog_find(r->catalog, id);
    if (!fn->kernel) {
        rk_json_fail(r->json, "RK-I002", where, "name the catalog that the image was built with",
                     "the catalog has no kernel '%s'", id);
        r->ok = false;
    } else if (strcmp(hash, fn->kernel->hash ? fn->kernel->hash : "") != 0) {
        rk_json_fail(r->json, "RK-I003", where, "build the image again",
                     "the catalog's kernel '%s' is not the one that the image was built with", id);
        r->ok = false;
    }
    const cJSON *library = cJSON_GetObjectItemCaseSensitive(at, "library");
    fn->library = r->own && cJSON_IsString(library) ? library->valuestring : NULL;
    fn->shared = integer(r, at, where, "shared", 0, INT32_MAX);
    if (numbers(r, at, where, "grid", fn->grid, 3) != 3 ||
        numbers(r, at, where, "block", fn->block, 3) != 3)
        fail(r, where, "a launch configuration has three dimensions");
    int64_t threads = rk_emit_volume(fn->block);
    if (threads < 1 || threads > r->image->veu_threads)
        fail(r, where, "the block does not fit the vEU");
    if (rk_emit_volume(fn->grid) < 1 || rk_emit_volume(fn->grid) > UINT32_MAX)
        fail(r, where, "the grid is empty or too large");
}

static void read_fns(reader *r)
{
    rk_image *image = r->image;
    const cJSON *at = array(r, r->json->root, "", "kernels", &image->fn_count);
    image->fns = RK_NEW_ARRAY(r->arena, rk_image_fn, image->fn_count);
    for (size_t i = 0; i < image->fn_count; i++, at = at->next)
        read_fn(r, &image->fns[i], at, at_index(r, "kernels", i));
}

static const char *skip_spaces(const char *text)
{
    while (*text == ' ')
        text++;
    return text;
}

/** Reads a number that ends at `end` or the text's end; moves behind it. */
static bool scan(const char **text, char end, int base, uint64_t *value)
{
    if (!isxdigit((unsigned char)**text))
        return false;
    char *after;
    *value = strtoull(*text, &after, base);
    if (*after != end && !(end == ' ' && *after == '\0'))
        return false;
    *text = *after ? after + 1 : after;
    return true;
}

static void read_args(reader *r, const rk_image_op *op, const char *text, const char *where)
{
    const rk_kernel *kernel = r->image->fns[op->fn].kernel;
    uint64_t memory = (uint64_t)r->image->memory_bytes;
    size_t count = 0;
    for (text = skip_spaces(text); *text; count++) {
        uint64_t slot;
        if (!scan(&text, ' ', 16, &slot)) {
            fail(r, where, "the arguments cannot be read");
            return;
        }
        *rk_push(r->arena, &r->args) = slot;
        if (kernel && count < kernel->param_count && kernel->params[count].pointer &&
            slot != UINT64_MAX && slot > memory)
            fail(r, where, "an argument points outside the memory");
    }
    if (kernel && count != kernel->param_count)
        fail(r, where, "the kernel has another number of parameters");
}

/** The counter of a node, if it has one. */
static void read_counter(reader *r, size_t op, const cJSON *at, const char *where)
{
    if (!cJSON_GetObjectItemCaseSensitive(at, "counter"))
        return;
    int64_t most = (int64_t)r->image->op_count - 1;
    uint32_t counter = (uint32_t)integer(r, at, where, "counter", 0, most);
    r->counters[op] = counter + 1;
    if (counter >= r->image->counter_count)
        r->image->counter_count = counter + 1;
}

static void read_ops(reader *r)
{
    rk_image *image = r->image;
    const cJSON *at = array(r, r->json->root, "", "nodes", &image->op_count);
    r->counters = RK_NEW_ARRAY(r->arena, uint32_t, image->op_count + 1);
    image->ops = RK_NEW_ARRAY(r->arena, rk_image_op, image->op_count);
    for (size_t i = 0; i < image->op_count; i++, at = at->next) {
        const char *where = at_index(r, "nodes", i);
        rk_image_op *op = &image->ops[i];
        op->node = string(r, at, where, "node");
        op->fn = (uint32_t)integer(r, at, where, "kernel", 0, UINT32_MAX);
        op->first_arg = (uint32_t)r->args.count;
        const char *args = string(r, at, where, "args");
        read_counter(r, i, at, where);
        if (op->fn < image->fn_count)
            read_args(r, op, args, where);
        else
            fail(r, where, "there is no such kernel");
    }
}

static void read_waits(reader *r)
{
    rk_image *image = r->image;
    const cJSON *at = array(r, r->json->root, "", "waits", &image->wait_count);
    image->waits = RK_NEW_ARRAY(r->arena, rk_image_wait, image->wait_count);
    for (size_t i = 0; i < image->wait_count; i++, at = at->next) {
        const char *text = cJSON_IsString(at) ? skip_spaces(at->valuestring) : "";
        image->waits[i].first = (uint32_t)r->items.count;
        while (*text) {
            uint64_t veu, step;
            if (!scan(&text, ':', 10, &veu) || !scan(&text, ' ', 10, &step) ||
                veu >= (uint64_t)image->veu_count + image->counter_count || step > UINT32_MAX) {
                fail(r, at_index(r, "waits", i), "the wait cannot be read");
                break;
            }
            rk_wait_item item = {(uint32_t)veu, (uint32_t)step};
            *rk_push(r->arena, &r->items) = item;
        }
        image->waits[i].count = (uint32_t)r->items.count - image->waits[i].first;
    }
}

/** One entry of a list; false when it makes no sense. */
static bool read_entry(reader *r, const char **text, rk_image_entry *entry, uint32_t *tasks)
{
    const rk_image *image = r->image;
    uint64_t op, rtask;
    if (**text == 'w') {
        ++*text;
        *entry = (rk_image_entry){RK_IMAGE_WAIT, 0};
        if (!scan(text, ' ', 10, &op) || op >= image->wait_count)
            return false;
        entry->rtask = (uint32_t)op;
        return true;
    }
    if (!scan(text, ':', 10, &op) || !scan(text, ' ', 10, &rtask) || op >= image->op_count ||
        image->ops[op].fn >= image->fn_count ||
        rtask >= (uint64_t)rk_emit_volume(image->fns[image->ops[op].fn].grid))
        return false;
    *entry = (rk_image_entry){(uint32_t)op, (uint32_t)rtask};
    ++*tasks;
    return true;
}

static uint32_t read_list(reader *r, const char *text, const char *where)
{
    uint32_t tasks = 0;
    for (text = skip_spaces(text); *text;) {
        rk_image_entry entry = {0};
        if (!read_entry(r, &text, &entry, &tasks)) {
            fail(r, where, "the list of entries cannot be read, or names what is not there");
            break;
        }
        *rk_push(r->arena, &r->entries) = entry;
    }
    *rk_push(r->arena, &r->entries) = (rk_image_entry){RK_IMAGE_END, 0};
    return tasks;
}

/**
 * Makes the signals of the nodes that the rProgram counts: all their rTasks are among the entries from
 * `first` on. S is at least their number; tasks[veu_count + counter] becomes S.
 */
static void add_signals(reader *r, rk_image_program *program, size_t first, uint32_t *tasks,
                        const char *where)
{
    rk_image *image = r->image;
    if (image->counter_count == 0)
        return;
    uint32_t *met = RK_NEW_ARRAY(r->arena, uint32_t, image->op_count + 1);
    for (size_t i = first; i < r->entries.count; i++)
        if (r->entries.items[i].op < image->op_count && r->counters[r->entries.items[i].op])
            met[r->entries.items[i].op]++;
    for (size_t op = 0; op < image->op_count; op++)
        program->steps = met[op] > program->steps ? met[op] : program->steps;
    for (size_t op = 0; op < image->op_count; op++) {
        if (met[op] == 0)
            continue;
        uint32_t cell = image->veu_count + r->counters[op] - 1;
        if (tasks[cell] || met[op] != rk_emit_volume(image->fns[image->ops[op].fn].grid)) {
            fail(r, where, "a counter is not of one node with all its rTasks");
            return;
        }
        tasks[cell] = program->steps;
        *rk_push(r->arena, &r->items) = (rk_wait_item){cell, 1};
        *rk_push(r->arena, &r->items) = (rk_wait_item){cell, program->steps - met[op] + 1};
        image->ops[op].signal = (uint32_t)r->items.count - 1;
    }
}

/** A wait for a step that never comes would hang the vDevice. */
static void check_waits(reader *r, size_t first_entry, const uint32_t *tasks, const char *where)
{
    for (size_t i = first_entry; i < r->entries.count; i++) {
        const rk_image_entry *e = &r->entries.items[i];
        if (e->op != RK_IMAGE_WAIT || e->rtask >= r->image->wait_count)
            continue;
        const rk_image_wait *wait = &r->image->waits[e->rtask];
        for (uint32_t j = 0; j < wait->count; j++) {
            const rk_wait_item *item = &r->items.items[wait->first + j];
            bool counter = item->veu >= r->image->veu_count;
            if (counter ? item->step != tasks[item->veu] : item->step > tasks[item->veu]) {
                fail(r, where, "a wait is for a step that the vEU never reaches");
                return;
            }
        }
    }
}

static void read_program(reader *r, rk_image_program *program, const cJSON *at, const char *where)
{
    uint32_t veus = r->image->veu_count;
    size_t count = 0, first = r->entries.count;
    const cJSON *list = array(r, at, where, "veus", &count);
    program->veu_first = RK_NEW_ARRAY(r->arena, uint32_t, veus);
    if (count != veus) {
        fail(r, where, "there must be one list for each vEU");
        return;
    }
    uint32_t *tasks = RK_NEW_ARRAY(r->arena, uint32_t, (size_t)veus + r->image->counter_count);
    for (uint32_t v = 0; v < veus; v++, list = list->next) {
        program->veu_first[v] = (uint32_t)r->entries.count;
        tasks[v] = read_list(r, cJSON_IsString(list) ? list->valuestring : "?", where);
        if (tasks[v] > program->steps)
            program->steps = tasks[v];
    }
    add_signals(r, program, first, tasks, where);
    check_waits(r, first, tasks, where);
}

static void read_programs(reader *r)
{
    rk_image *image = r->image;
    const cJSON *at = array(r, r->json->root, "", "programs", &image->program_count);
    image->programs = RK_NEW_ARRAY(r->arena, rk_image_program, image->program_count);
    for (size_t i = 0; i < image->program_count; i++, at = at->next)
        read_program(r, &image->programs[i], at, at_index(r, "programs", i));
}

/** An image stands by the catalog that lies beside it; against another, kernels are compared by their own hashes. */
static void check_catalog(reader *r, const char *dir)
{
    const cJSON *hash = cJSON_GetObjectItemCaseSensitive(r->json->root, "catalog");
    const char *own = rk_emit_hash_text(r->catalog->hash, r->arena);
    r->own = cJSON_IsString(hash) && strcmp(hash->valuestring, own) == 0;
    if (hash && !r->own && rk_catalog_is_below(r->catalog, dir))
        fail(r, "catalog", "the catalog beside the image was changed after it was written");
}

static void read_constants(reader *r, const char *dir, rk_diag *diag)
{
    rk_bytes bytes;
    const rk_place place = rk_place_file(r->json->file);
    const char *path = rk_file_named(dir, RK_WEIGHTS_FILE, place, NULL, r->arena, diag);
    if (!path || !rk_file_read(&bytes, path, r->arena, diag)) {
        r->ok = false;
        return;
    }
    r->image->constants = bytes.data;
    const char *hash = string(r, r->json->root, "", "constants");
    if ((int64_t)bytes.size != r->image->constant_bytes ||
        strcmp(hash, rk_emit_constants_hash(r->image, r->arena)) != 0) {
        rk_diag_add(diag, RK_ERROR, "RK-I001", rk_place_file(path), "build the image again",
                    "these are not the weights of the image beside them");
        r->ok = false;
    }
}

/**
 * Whether the tables are as they were written: what a kernel does with other arguments, or without
 * a wait, cannot be told from them. Takes the hash out of the tree.
 */
static void check_hash(reader *r, cJSON *root)
{
    cJSON *hash = cJSON_DetachItemFromObjectCaseSensitive(root, "hash");
    if (!cJSON_IsString(hash) ||
        strcmp(hash->valuestring, rk_emit_tables_hash(root, r->arena)) != 0)
        fail(r, "hash", "the image was changed after it was written");
}

static void read_sizes(reader *r)
{
    const cJSON *root = r->json->root;
    rk_image *image = r->image;
    image->name = string(r, root, "", "name");
    image->veu_count = (uint32_t)integer(r, root, "", "veu_count", 1, 1 << 20);
    image->veu_threads = (int)integer(r, root, "", "veu_threads", 1, 1 << 20);
    image->veu_shared = integer(r, root, "", "veu_shared", 0, INT32_MAX);
    image->blocks_per_sm = (int)integer(r, root, "", "blocks_per_sm", 1, 1 << 20);
    image->memory_bytes = integer(r, root, "", "memory_bytes", 0, INT64_MAX);
    image->constant_bytes = integer(r, root, "", "constant_bytes", 0, image->memory_bytes);
}

rk_image *rk_image_read(const char *dir, const rk_catalog *catalog, rk_arena *arena, rk_diag *diag)
{
    rk_json json;
    const char *path = rk_path_join(arena, dir, RK_IMAGE_FILE);
    if (!rk_json_read(&json, path, RK_IMAGE_SCHEMA, arena, diag))
        return NULL;
    rk_image *image = RK_NEW(arena, rk_image);
    reader r = {.json = &json, .catalog = catalog, .arena = arena, .image = image, .ok = true};
    read_sizes(&r);
    read_device(&r);
    image->inputs = read_ios(&r, "inputs", &image->input_count);
    image->outputs = read_ios(&r, "outputs", &image->output_count);
    check_catalog(&r, dir);
    read_fns(&r);
    read_ops(&r);
    read_waits(&r);
    read_programs(&r);
    read_constants(&r, dir, diag);
    image->args = r.args.items;
    image->arg_count = r.args.count;
    image->entries = r.entries.items;
    image->entry_count = r.entries.count;
    image->items = r.items.items;
    image->item_count = r.items.count;
    if (r.ok)
        check_hash(&r, json.root);
    return r.ok ? image : NULL;
}
