/*
 * readers FOLDER RUNS SEED [READER]: files that are changed by their structure, before every reader. FOLDER is what
 * readers.sh makes: one good file of each kind. Values of the JSON trees are replaced, moved, repeated and left out,
 * and lengths and hashes are made right again, so that a reader sees the change and no broken frame. A reader takes
 * the file without a word or refuses it with one; a schedule that is taken is planned and checked. Prints what breaks
 * that, and keeps the file as FOLDER/broken.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "emit/emit_internal.h"
#include "emit/image.h"
#include "rkernel_lib/catalog/binding.h"
#include "sched/check/check_schedule.h"
#include "sched/files/schedule_files.h"
#include "sched/machine/device.h"
#include "sched/memory/memory_plan.h"
#include "sched/model/model.h"
#include "sched/model/npy.h"
#include "sched/model/safetensors.h"
#include "sched/policies/policy.h"
#include "sched/profile/profile_file.h"
#include "tests/unit/sched_fixture.h"
#include "readers_onnx.h"
#ifdef FUZZ_CONVERT
#include "readers_database.h"
#endif

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_VALUES = 4096, MOST_SIZE = 1 << 20, SECONDS = 20 };

/** What is being read, for who looks into a crash. */
static struct {
    const char *folder, *reader;
    long run;
    uint64_t seed;
} current;
static uint64_t state;
static const rk_catalog *catalog;
static const fixture *made; /**< the problem of the schedules */

static size_t below(size_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return limit ? (size_t)(state >> 33) % limit : 0;
}

/* Texts. */

/** A copy with some bytes changed, left out, repeated or put in. */
static rk_bytes change_bytes(rk_bytes in, rk_arena *arena)
{
    static const char *const words[] = {"-1",    "0",    "4294967296", "9223372036854775808",
                                        "1e999", "\"",   "[",          "]",
                                        "}",     "../",  "\\u0000",    ",",
                                        "\n",    "0x1:", "w0",         "%s",
                                        "\xff",  "null"};
    rk_str out = {.arena = arena};
    const size_t at = below(in.size + 1),
                 cut = below(5) ? 0 : below(in.size - at < 9 ? in.size - at + 1 : 9);
    rk_str_addn(&out, in.data, at);
    switch (below(4)) {
    case 0:
        rk_str_add(&out, words[below(sizeof words / sizeof *words)]);
        break;
    case 1:
        rk_str_addn(&out, &(char){(char)below(256)}, 1);
        break;
    case 2:
        if (in.size) {
            const size_t from = below(in.size),
                         n = below(in.size - from < 32 ? in.size - from + 1 : 32);
            rk_str_addn(&out, in.data + from, n);
        }
        break;
    default:
        break;
    }
    if (at + cut < in.size)
        rk_str_addn(&out, in.data + at + cut, in.size - at - cut);
    rk_str_addn(&out, "", 0);
    return (rk_bytes){out.text, out.length};
}

/* Trees. */

typedef struct {
    cJSON *items[MOST_VALUES];
    size_t count;
} values;

static void list_values(values *all, cJSON *v)
{
    for (cJSON *c = v->child; c && all->count < MOST_VALUES; c = c->next) {
        all->items[all->count++] = c;
        list_values(all, c);
    }
}

static cJSON *parent_of(cJSON *root, const cJSON *child)
{
    for (cJSON *c = root->child; c; c = c->next) {
        cJSON *found = c == child ? root : parent_of(c, child);
        if (found)
            return found;
    }
    return NULL;
}

static cJSON *new_value(const cJSON *old, rk_arena *arena)
{
    static const double numbers[] = {0,
                                     -1,
                                     1,
                                     2,
                                     7,
                                     2147483647,
                                     2147483648.0,
                                     4294967295.0,
                                     4294967296,
                                     9007199254740992.0,
                                     1e18,
                                     1e19,
                                     1e308,
                                     0.5,
                                     -2147483649.0,
                                     65536};
    static const char *const texts[] = {"",
                                        "x",
                                        "../x",
                                        "/dev/zero",
                                        "0",
                                        "-1",
                                        "f32",
                                        "none",
                                        "a + b",
                                        "1 << 62",
                                        "9223372036854775807",
                                        "f(a, b)",
                                        "(((",
                                        "1 / 0",
                                        "n % 0",
                                        "0x1000 0x2000"};
    if (cJSON_IsNumber(old) && below(2))
        return cJSON_CreateNumber(old->valuedouble + (below(2) ? 1 : -1));
    if (cJSON_IsString(old) && below(2)) {
        const rk_bytes text = {old->valuestring, strlen(old->valuestring)};
        return cJSON_CreateString(change_bytes(text, arena).data);
    }
    switch (below(8)) {
    case 0:
        return cJSON_CreateNull();
    case 1:
        return cJSON_CreateBool((int)below(2));
    case 2:
        return cJSON_CreateArray();
    case 3:
        return cJSON_CreateObject();
    case 4:
    case 5:
        return cJSON_CreateNumber(numbers[below(sizeof numbers / sizeof *numbers)]);
    default:
        return cJSON_CreateString(texts[below(sizeof texts / sizeof *texts)]);
    }
}

static void put_in_place(cJSON *parent, cJSON *old, cJSON *new)
{
    if (old->string && !new->string) {
        cJSON *named = cJSON_CreateObject();
        cJSON_AddItemToObject(named, old->string, new);
        cJSON_DetachItemViaPointer(named, new);
        cJSON_Delete(named);
    }
    cJSON_ReplaceItemViaPointer(parent, old, new);
}

/** One change to the tree. */
static void change_tree(cJSON *root, rk_arena *arena)
{
    static values all;
    all.count = 0;
    list_values(&all, root);
    if (!all.count)
        return;
    cJSON *v = all.items[below(all.count)], *other = all.items[below(all.count)];
    cJSON *parent = parent_of(root, v);
    switch (below(7)) {
    case 0:
        cJSON_Delete(cJSON_DetachItemViaPointer(parent, v));
        break;
    case 1: /* the same again, once or often */
        for (size_t n = below(4) ? 1 : below(40); n > 0; n--) {
            cJSON *copy = cJSON_Duplicate(v, true);
            if (cJSON_IsObject(parent))
                cJSON_AddItemToObject(parent, below(2) ? v->string : "again", copy);
            else
                cJSON_AddItemToArray(parent, copy);
        }
        break;
    case 2: { /* another value of the tree */
        cJSON *copy = cJSON_Duplicate(other, true);
        free(copy->string);
        copy->string = NULL;
        put_in_place(parent, v, copy);
        break;
    }
    case 3: /* another name */
        if (v->string && other->string) {
            cJSON *copy = cJSON_Duplicate(v, true);
            free(copy->string);
            copy->string = NULL;
            cJSON_AddItemToObject(parent, other->string, copy);
            cJSON_Delete(cJSON_DetachItemViaPointer(parent, v));
        }
        break;
    default:
        put_in_place(parent, v, new_value(v, arena));
        break;
    }
}

static rk_bytes change_json(rk_bytes in, bool image, rk_arena *arena)
{
    cJSON *root = cJSON_ParseWithLength(in.data, in.size);
    if (!root)
        return change_bytes(in, arena);
    for (size_t n = 1 + below(3); n > 0; n--)
        change_tree(root, arena);
    if (image && cJSON_HasObjectItem(root, "hash")) {
        cJSON_Delete(cJSON_DetachItemFromObjectCaseSensitive(root, "hash"));
        cJSON_AddStringToObject(root, "hash", rk_emit_tables_hash(root, arena));
    }
    char *printed = cJSON_PrintUnformatted(root);
    rk_bytes out = {rk_arena_strdup(arena, printed), strlen(printed)};
    cJSON_free(printed);
    cJSON_Delete(root);
    return below(8) ? out : change_bytes(out, arena);
}

/* Frames. */

static void put_number(char *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (char)(value >> (8 * i));
}

/** A prefix of `fixed` bytes whose last `length_bytes` are the length of a head, the head, and data. */
static rk_bytes framed(const char *prefix, size_t fixed, size_t length_bytes, rk_bytes head,
                       rk_bytes data, rk_arena *arena)
{
    const size_t kept = below(6) ? data.size : below(data.size + 1);
    rk_bytes out = {rk_arena_alloc(arena, fixed + head.size + kept + 1), fixed + head.size + kept};
    memcpy(out.data, prefix, fixed);
    put_number(out.data + fixed - length_bytes, head.size + (below(12) ? 0 : below(1000)),
               length_bytes);
    memcpy(out.data + fixed, head.data, head.size);
    memcpy(out.data + fixed + head.size, data.data, kept);
    return out;
}

static rk_bytes change_safetensors(rk_bytes in, rk_arena *arena)
{
    uint64_t length;
    memcpy(&length, in.data, sizeof length);
    const rk_bytes head = {in.data + 8, (size_t)length},
                   data = {in.data + 8 + length, in.size - 8 - (size_t)length};
    return framed(in.data, 8, 8, change_json(head, false, arena), data, arena);
}

static rk_bytes change_npy(rk_bytes in, rk_arena *arena)
{
    const size_t length = (unsigned char)in.data[8] + 256u * (unsigned char)in.data[9];
    const rk_bytes head = {in.data + 10, length},
                   data = {in.data + 10 + length, in.size - 10 - length};
    return framed(in.data, 10, 2, change_bytes(head, arena), data, arena);
}

/** Words of the binary schedule, under a hash that is right. */
static rk_bytes change_words(rk_bytes in, rk_arena *arena)
{
    static const uint32_t words[] = {0, 1, 2, 3, 255, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 20};
    enum { HEAD = 48, HASH_AT = 16 };
    rk_bytes out = {rk_arena_copy(arena, in.data, in.size + 1), in.size};
    for (size_t n = 1 + below(3); n > 0 && out.size > HEAD + 4; n--) {
        const size_t at = HEAD + below(out.size - HEAD - 4);
        if (below(3))
            put_number(out.data + at, words[below(sizeof words / sizeof *words)], 4);
        else
            out.data[at] = (char)below(256);
    }
    if (!below(6))
        out.size = HEAD + below(out.size - HEAD);
    put_number(out.data + HASH_AT, rk_hash(out.data + HEAD, out.size - HEAD, 0), 8);
    return out;
}

/* Readers: each gives whether it took the file. */

static bool read_graph(const char *path, rk_arena *arena, rk_diag *diag)
{
    return rk_graph_read(path, NULL, 0, arena, diag) != NULL;
}

static bool read_catalog(const char *path, rk_arena *arena, rk_diag *diag)
{
    return rk_catalog_read(path, arena, diag) != NULL;
}

static bool read_bindings(const char *path, rk_arena *arena, rk_diag *diag)
{
    return rk_bindings_read(rk_path_dir(arena, path), catalog, arena, diag) != NULL;
}

static bool read_device(const char *path, rk_arena *arena, rk_diag *diag)
{
    return rk_device_read(path, NULL, arena, diag) != NULL;
}

static bool read_profile(const char *path, rk_arena *arena, rk_diag *diag)
{
    return rk_profile_file_read(path, arena, diag) != NULL;
}

static bool read_safetensors(const char *path, rk_arena *arena, rk_diag *diag)
{
    return rk_safetensors_read(path, arena, diag) != NULL;
}

static bool read_npy(const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_npy npy;
    return rk_npy_read(&npy, path, arena, diag);
}

static bool read_image(const char *path, rk_arena *arena, rk_diag *diag)
{
    return rk_image_read(rk_path_dir(arena, path), catalog, arena, diag) != NULL;
}

static bool read_schedule(const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_schedule_setting setting;
    rk_diag *unheard = rk_diag_new(arena);
    rk_schedule_read_setting(&setting, path, arena, unheard);
    const rk_schedule *s = rk_schedule_read(path, &made->problem, arena, diag);
    if (s)
        rk_check(s, rk_memory_plan(&made->problem, s, arena), &made->problem, arena, unheard);
    return s != NULL;
}

#ifdef FUZZ_CONVERT
/** A text of rows: some of its numbers become others, of the text or of another size. */
static rk_bytes change_rows(rk_bytes in, rk_arena *arena)
{
    static const char *const others[] = {"0", "1", "-1", "4294967295", "18446744073709551616", ""};
    static const char digits[] = "0123456789";
    for (size_t n = 1 + below(3); n > 0; n--) {
        const char *text = rk_arena_strndup(arena, in.data, in.size);
        const size_t at = below(in.size), from = below(in.size);
        const size_t begin = at + strcspn(text + at, digits);
        const size_t other = from + strcspn(text + from, digits);
        const size_t length = strspn(text + begin, digits);
        const char *put = below(3)
                              ? rk_arena_strndup(arena, text + other, strspn(text + other, digits))
                              : others[below(sizeof others / sizeof *others)];
        const char *whole =
            rk_arena_printf(arena, "%.*s%s%s", (int)begin, text, put, text + begin + length);
        in = (rk_bytes){(char *)(uintptr_t)whole, strlen(whole)};
    }
    return below(8) ? in : change_bytes(in, arena);
}
#endif

static rk_bytes change_onnx(rk_bytes in, rk_arena *arena)
{
    return change_message(in, below, arena);
}

static const struct {
    const char *name,
        *sample; /**< the sample is the file's name, in a folder of the reader's own */
    bool (*read)(const char *path, rk_arena *arena, rk_diag *diag);
    rk_bytes (*change)(rk_bytes in, rk_arena *arena); /**< NULL: it is JSON */
} readers[] = {
    {"graph", "graph.json", read_graph, NULL},
    {"catalog", "catalog.json", read_catalog, NULL},
    {"bindings", "x.bind.json", read_bindings, NULL},
    {"device", "device.json", read_device, NULL},
    {"profile", "profile.json", read_profile, NULL},
    {"schedule", "schedule.json", read_schedule, NULL},
    {"schedule_binary", "schedule.bin", read_schedule, change_words},
    {"image", "image.json", read_image, NULL},
    {"safetensors", "weights.safetensors", read_safetensors, change_safetensors},
    {"npy", "x.npy", read_npy, change_npy},
    {"onnx", "model.onnx", read_onnx, change_onnx},
#ifdef FUZZ_CONVERT
    {"database", "compile_commands.json", read_database, NULL},
    {"tree", "tree.ir", read_tree, change_rows},
#endif
};
enum { READERS = sizeof readers / sizeof *readers };

/** A crash or a run without end: the run and its seed are said, and the file stays. */
static void tell(int sent)
{
    char text[200];
    const int n =
        snprintf(text, sizeof text, "readers: signal %d in '%s', run %ld of seed %" PRIu64 "\n",
                 sent, current.reader, current.run, current.seed);
    (void)!write(STDERR_FILENO, text, (size_t)n);
    signal(sent, SIG_DFL);
    raise(sent);
}

/** A good schedule for the fixture, in both forms; it uses waits, counters and several rPrograms. */
static bool make_schedules(const char *folder, rk_arena *arena, rk_diag *diag)
{
    fixture *f = fixture_new(2);
    const rk_id x = fixture_tensor(f, "x", 1), a = fixture_tensor(f, "a", 1),
                b = fixture_tensor(f, "b", 1);
    rk_graph_input(f->graph, x);
    fixture_node(f, "first", x, RK_NO_ID, a, 4, 1000);
    fixture_node(f, "second", a, RK_NO_ID, b, 4, 1000);
    rk_graph_output(f->graph, b);
    fixture_problem(f);
    made = f;
    const rk_schedule *s =
        rk_schedule_run(rk_policy_find("wavefront"), &f->problem, f->arena, f->diag);
    if (!s)
        return false;
    return rk_file_mkdirs(rk_path_join(arena, folder, "schedule"), diag) &&
           rk_file_mkdirs(rk_path_join(arena, folder, "schedule_binary"), diag) &&
           rk_schedule_write(s, &f->problem, rk_path_join(arena, folder, "schedule/schedule.json"),
                             arena, diag) &&
           rk_schedule_write(s, &f->problem,
                             rk_path_join(arena, folder, "schedule_binary/schedule.bin"), arena,
                             diag);
}

/** Writes it without the care for the disk that rk_file_write takes. */
static void put(const char *path, rk_bytes bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

static bool fuzz(size_t which, long runs, rk_arena *arena)
{
    rk_arena *scratch = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    const char *folder = rk_path_join(arena, current.folder, readers[which].name);
    const char *path = rk_path_join(arena, folder, readers[which].sample);
    rk_bytes sample;
    if (readers[which].read == read_onnx && !rk_file_exists(path)) {
        printf("%-16s no model of ONNX's tests is installed\n", readers[which].name);
        return true;
    }
    if (!rk_file_read(&sample, path, arena, diag)) {
        rk_diag_print(diag, 0, stderr, false);
        return false;
    }
    long taken = 0;
    bool good = true;
    const double begin = rk_seconds();
    current.reader = readers[which].name;
    for (long i = 0; i < runs && good; i++) {
        state = (current.seed * 1000003 + (uint64_t)which) * 1000003 +
                (uint64_t)i; /* each run stands alone */
        below(1);
        current.run = i;
        rk_bytes bytes = sample;
        if (i > 0)
            bytes = readers[which].change
                        ? readers[which].change(sample, scratch)
                        : change_json(sample, readers[which].read == read_image, scratch);
        put(path, bytes);
        rk_diag *said = rk_diag_new(scratch);
        alarm(SECONDS);
        const bool read = readers[which].read(path, scratch, said);
        alarm(0);
        taken += read;
        good = read == (rk_diag_count_of(said, RK_ERROR) == 0) && (read || i > 0);
        if (!good) {
            fprintf(stderr, "%s, run %ld of seed %" PRIu64 ": %s\n", current.reader, i,
                    current.seed,
                    i == 0 ? "the sample is refused"
                    : read ? "taken with an error"
                           : "refused without an error");
            rk_diag_print(said, 0, stderr, false);
            put(rk_path_join(arena, current.folder, "broken"), bytes);
        }
        rk_arena_reset(scratch);
    }
    put(path, sample);
    rk_arena_free(scratch);
    printf("%-16s %8ld files, %8ld taken, %6.1f s\n", current.reader, runs, taken,
           rk_seconds() - begin);
    return good;
}

int main(int argc, char **argv)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGALRM};
    if (argc < 4) {
        fprintf(stderr, "usage: readers FOLDER RUNS SEED [READER]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], tell);
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    current.folder = argv[1];
    current.seed = strtoull(argv[3], NULL, 10);
    catalog = rk_catalog_read(rk_path_join(arena, argv[1], "all.json"), arena, diag);
    bool good = catalog && make_schedules(argv[1], arena, diag);
    rk_diag_print(diag, 0, stderr, false);
    for (size_t i = 0; i < READERS && good; i++)
        if (argc < 5 || strcmp(argv[4], readers[i].name) == 0)
            good = fuzz(i, strtol(argv[2], NULL, 10), arena);
    rk_arena_free(arena);
    return good ? 0 : 1;
}
