#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/str.h"
#include "base/vec.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder_fixture.h"

TestSuite(base, .init = folder_setup, .fini = folder_teardown);

static char *in_folder(const char *name)
{
    return rk_path_join(arena, folder, name);
}

/** Asserts that exactly one diagnostic was added, with this code, and forgets it. */
static void expect_code(const char *code)
{
    cr_assert_eq(rk_diag_count(diag), 1, "%s: %zu diagnostics", code, rk_diag_count(diag));
    cr_assert_str_eq(rk_diag_at(diag, 0)->code, code);
    diag = rk_diag_new(arena);
}

Test(base, arena_memory_is_zeroed_and_aligned)
{
    for (size_t size = 1; size < 5000; size = size * 3 + 1) {
        unsigned char *p = rk_arena_alloc(arena, size);
        cr_assert_eq((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            cr_assert_eq(p[i], 0);
        memset(p, 0xff, size);
    }
    rk_arena_reset(arena);
    unsigned char *again = rk_arena_alloc(arena, 4000);
    for (size_t i = 0; i < 4000; i++)
        cr_assert_eq(again[i], 0, "byte %zu is stale after a reset", i);
}

Test(base, arena_serves_sizes_beyond_a_chunk)
{
    enum { BIG = 64 << 20 };
    char *big = rk_arena_alloc(arena, BIG);
    big[0] = 'a';
    big[BIG - 1] = 'z';
    char *small = rk_arena_strdup(arena, "small");
    cr_assert_eq(big[0], 'a');
    cr_assert_eq(big[BIG - 1], 'z');
    cr_assert_str_eq(small, "small");
}

Test(base, vec_keeps_items_as_it_grows)
{
    RK_VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        *rk_push(arena, &v) = i;
    cr_assert_eq(v.count, 1000);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(v.items[i], i);
}

Test(base, str_appends_and_formats)
{
    rk_str s = {.arena = arena};
    cr_assert_str_eq(rk_str_text(&s), "");
    for (int i = 0; i < 200; i++)
        rk_str_addf(&s, "%d,", i);
    rk_str_add(&s, "end");
    rk_str_addn(&s, "!??", 1);
    cr_assert_eq(strlen(s.text), s.length);
    cr_assert(rk_str_starts(s.text, "0,1,2,"));
    cr_assert(rk_str_ends(s.text, "199,end!"));
}

Test(base, str_nearest_suggests_only_what_is_near)
{
    static const char *const names[] = {"wavefront", "base", "search"};
    cr_assert_str_eq(rk_str_nearest("wavefrnt", names, 3), "wavefront");
    cr_assert_str_eq(rk_str_nearest("bose", names, 3), "base");
    cr_assert_str_eq(rk_str_nearest("wvaefrotn", names, 3), "wavefront");
    cr_assert_str_eq(rk_str_nearest("bsae", names, 3), "base");
    cr_assert_null(rk_str_nearest("unrelated", names, 3));
    cr_assert_null(rk_str_nearest("", names, 3));
}

Test(base, diag_keeps_order_and_prints_places)
{
    rk_diag_add(diag, RK_WARNING, "RK-X001", (rk_place){.file = "a.cu", .line = 3, .column = 7},
                "do that", "this is %s", "so");
    rk_diag_add(diag, RK_ERROR, "RK-X002", rk_place_object(arena, "g.json", "node", "h1"), NULL,
                "wrong");
    cr_assert_eq(rk_diag_count(diag), 2);
    cr_assert_eq(rk_diag_count_of(diag, RK_ERROR), 1);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    rk_diag_print(diag, 0, out, false);
    fclose(out);
    cr_assert_str_eq(text,
                     "a.cu:3:7: warning: this is so [RK-X001]\n"
                     "  hint: do that\n"
                     "g.json: node 'h1': error: wrong [RK-X002]\n",
                     "%s", text);
    free(text);
}

/** Parses a text; the code of what is wrong with it, "" when nothing is. */
static const char *json_code(const char *text, size_t size)
{
    rk_json json;
    rk_diag *said = rk_diag_new(arena);
    bool good = rk_json_parse(&json, text, size, "x.json", NULL, arena, said);
    cr_expect_eq(good, rk_diag_count(said) == 0, "%s", text);
    return good ? "" : rk_diag_at(said, 0)->code;
}

Test(base, json_says_each_thing_once_and_whole)
{
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"{\"a\": 1, \"b\": {\"a\": 2}}", ""},
        {"{\"a\": 1, \"A\": 2}", ""},
        {"{\"a\": 1, \"b\": 2, \"a\": 1}", "RK-J006"},
        {"[[{\"b\": [{\"c\": 1, \"c\": 1}]}]]", "RK-J006"},
        {"{\"a\": 1, \"\\u0061\": 2}", "RK-J006"},
        {"{\"a\": \"x\\u0000y\"}", "RK-J007"},
        {"{\"a\\u0000b\": 1}", "RK-J007"},
        {"{\"a\": \"x\\\\u0000y\"}", ""},
        {"{\"a\": \"x\\\\\\u0000y\"}", "RK-J007"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(json_code(cases[i].text, strlen(cases[i].text)), cases[i].code, "%s",
                         cases[i].text);
    cr_expect_str_eq(json_code("{\"a\": \"x\0y\"}", 12), "RK-J001");
    rk_json json;
    const char twice[] = "{\"a\": [{}, {\"b\": {\"c\": 1, \"c\": 2}}]}";
    cr_expect(!rk_json_parse(&json, twice, strlen(twice), "x.json", NULL, arena, diag));
    cr_expect_str_eq(rk_diag_at(diag, 0)->place.object, "a[1].b");
}

Test(base, file_round_trip_and_replacement)
{
    char *path = in_folder("x");
    rk_bytes bytes;
    cr_assert(rk_file_write(path, "one", 3, diag));
    cr_assert(rk_file_write(path, "t\0o", 3, diag));
    cr_assert(rk_file_read(&bytes, path, arena, diag));
    cr_assert_eq(bytes.size, 3);
    cr_assert_arr_eq(bytes.data, "t\0o", 4);
    cr_assert(rk_file_write(path, NULL, 0, diag));
    cr_assert(rk_file_read(&bytes, path, arena, diag));
    cr_assert_eq(bytes.size, 0);
    cr_assert_str_eq(bytes.data, "");
}

Test(base, file_failures_have_codes_and_leave_nothing)
{
    rk_bytes bytes;
    cr_assert_not(rk_file_read(&bytes, in_folder("missing"), arena, diag));
    expect_code("RK-F001");
    cr_assert_not(rk_file_read(&bytes, folder, arena, diag));
    expect_code("RK-F002");
    cr_assert_not(rk_file_write(in_folder("no/such/folder"), "x", 1, diag));
    expect_code("RK-F003");
    cr_assert(rk_file_write(in_folder("plain"), "x", 1, diag));
    cr_assert_not(rk_file_mkdirs(in_folder("plain/sub"), diag));
    expect_code("RK-F004");
    mkdir(in_folder("taken"), 0777);
    cr_assert_not(rk_file_write(in_folder("taken"), "x", 1, diag));
    expect_code("RK-F003");
    char **names;
    size_t count;
    cr_assert(rk_file_list(&names, &count, folder, NULL, arena, diag));
    cr_assert_eq(count, 2, "a failed write left a file");
}

Test(base, file_folders_are_made_listed_and_removed)
{
    cr_assert(rk_file_mkdirs(in_folder("a/b/c"), diag));
    cr_assert(rk_file_mkdirs(in_folder("a/b/c"), diag));
    cr_assert(rk_file_write(in_folder("a/2.json"), "", 0, diag));
    cr_assert(rk_file_write(in_folder("a/1.json"), "", 0, diag));
    char **names;
    size_t count;
    cr_assert(rk_file_list(&names, &count, in_folder("a"), ".json", arena, diag));
    cr_assert_eq(count, 2);
    cr_assert_str_eq(names[0], "1.json");
    cr_assert_str_eq(names[1], "2.json");
    cr_assert(rk_file_remove(in_folder("a"), diag));
    cr_assert_not(rk_file_exists(in_folder("a")));
    cr_assert(rk_file_remove(in_folder("a"), diag));
}

Test(base, file_removal_does_not_follow_links)
{
    cr_assert(rk_file_mkdirs(in_folder("kept"), diag));
    cr_assert(rk_file_write(in_folder("kept/file"), "x", 1, diag));
    cr_assert(rk_file_mkdirs(in_folder("gone"), diag));
    cr_assert_eq(symlink(in_folder("kept"), in_folder("gone/link")), 0);
    cr_assert(rk_file_remove(in_folder("gone"), diag));
    cr_assert(rk_file_exists(in_folder("kept/file")));
}

/* What is written where something else is already. */

Test(base, file_write_keeps_links_rights_and_devices)
{
    struct stat info;
    rk_bytes bytes;
    const char *to = in_folder("kept"), *link = in_folder("link"),
               *dangling = in_folder("dangling");
    cr_assert(rk_file_write(to, "old", 3, diag));
    cr_assert_eq(chmod(to, 0640), 0);
    cr_assert_eq(symlink("kept", link), 0);
    cr_assert(rk_file_write(link, "new", 3, diag));
    cr_assert(lstat(link, &info) == 0 && S_ISLNK(info.st_mode), "the link was replaced");
    cr_assert(lstat(to, &info) == 0 && (info.st_mode & 07777) == 0640, "%o", info.st_mode);
    cr_assert(rk_file_read(&bytes, to, arena, diag));
    cr_assert_str_eq(bytes.data, "new");

    cr_assert_eq(symlink("not/yet", dangling),
                 0); /* leads to nothing: there it is made, or not at all */
    cr_assert_not(rk_file_write(dangling, "x", 1, diag));
    expect_code("RK-F003");
    cr_assert(rk_file_mkdirs(in_folder("not"), diag));
    cr_assert(rk_file_write(dangling, "x", 1, diag));
    cr_assert(lstat(in_folder("not/yet"), &info) == 0 && S_ISREG(info.st_mode));

    const char *pipe = in_folder("pipe");
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    const int end = open(pipe, O_RDWR); /* there is a reader */
    char got[4] = "";
    cr_assert(rk_file_write(pipe, "abc", 3, diag));
    cr_assert_eq(read(end, got, 3), 3);
    cr_assert_str_eq(got, "abc");
    close(end);
    cr_assert(lstat(pipe, &info) == 0 && S_ISFIFO(info.st_mode), "the pipe was replaced");
    cr_assert_not(rk_file_write("/dev/full", "x", 1, diag));
    expect_code("RK-F003");

    char **names;
    size_t count;
    cr_assert(rk_file_list(&names, &count, folder, NULL, arena, diag));
    cr_assert_eq(count, 5, "%zu entries: something temporary is left", count);
}

Test(base, file_names_stay_in_their_folder)
{
    static const char *const outer[] = {"",      "/etc/passwd", "..",     "../x",   "a/../../x",
                                        "a/..",  "./../x",      "a//..",  "out",    "out/passwd",
                                        "up/in", "dir",         "device", "a/../in"};
    static const char *const inner[] = {"in",  "./in",   "dir/in", "dir/same",
                                        "..a", "a..b/c", "missing"};
    cr_assert(rk_file_mkdirs(in_folder("top/dir"), diag));
    cr_assert(rk_file_write(in_folder("top/in"), "", 0, diag));
    cr_assert(rk_file_write(in_folder("top/dir/in"), "", 0, diag));
    cr_assert(rk_file_write(in_folder("in"), "", 0, diag));
    cr_assert_eq(symlink("/etc", in_folder("top/out")), 0);
    cr_assert_eq(symlink("..", in_folder("top/up")), 0);
    cr_assert_eq(symlink("../in", in_folder("top/dir/same")), 0);
    cr_assert_eq(mkfifo(in_folder("top/device"), 0600), 0);
    for (size_t i = 0; i < sizeof outer / sizeof *outer; i++) {
        cr_assert_null(rk_file_named(in_folder("top"), outer[i], (rk_place){0}, NULL, arena, diag),
                       "%s", outer[i]);
        expect_code("RK-F006");
    }
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        cr_assert_not_null(
            rk_file_named(in_folder("top"), inner[i], (rk_place){0}, NULL, arena, diag), "%s",
            inner[i]);
}

/** Replaces a folder of a file and a link out of it, after reading the file `read`, NULL: none. */
static bool replace_after(const char *name, const char *read)
{
    rk_bytes bytes;
    rk_folder f;
    const char *at = in_folder(name);
    cr_assert(rk_file_mkdirs(rk_path_join(arena, at, "deep"), diag));
    cr_assert(rk_file_write(rk_path_join(arena, at, "deep/weights"), "w", 1, diag));
    cr_assert_eq(symlink("../far", rk_path_join(arena, at, "link")), 0);
    cr_assert_eq(symlink(name, in_folder("again")), 0);
    cr_assert(!read || rk_file_read(&bytes, in_folder(read), arena, diag));
    cr_assert(rk_folder_begin(&f, in_folder("again/"), arena, diag));
    cr_assert(rk_file_write(rk_path_join(arena, f.temporary, "new"), "n", 1, diag));
    const bool replaced = rk_folder_commit(&f, arena, diag);
    cr_assert_not(rk_file_exists(f.temporary));
    cr_assert_eq(rk_file_exists(rk_path_join(arena, at, "new")), replaced);
    cr_assert_eq(rk_file_exists(rk_path_join(arena, at, "deep/weights")), !replaced);
    cr_assert_eq(unlink(in_folder("again")), 0, "links are followed, and stay");
    return replaced;
}

Test(base, folder_that_was_read_is_not_replaced)
{
    rk_file_note_reads();
    cr_assert(rk_file_write(in_folder("far"), "w", 1, diag));
    cr_assert(replace_after("none", NULL));
    cr_assert(replace_after("elsewhere", "far"));
    cr_assert_not(replace_after("direct", "direct/deep/weights"));
    expect_code("RK-F007");
    cr_assert_not(replace_after("behind", "again/deep/../deep/weights"));
    expect_code("RK-F007");
    cr_assert_not(replace_after("linked", "linked/link"));
    expect_code("RK-F007");
}

Test(base, path_parts)
{
    cr_assert_str_eq(rk_path_join(arena, "a", "b"), "a/b");
    cr_assert_str_eq(rk_path_join(arena, "a/", "b"), "a/b");
    cr_assert_str_eq(rk_path_join(arena, "a", "/b"), "/b");
    cr_assert_str_eq(rk_path_join(arena, ".", "b"), "b");
    cr_assert_str_eq(rk_path_dir(arena, "a/b/c.cu"), "a/b");
    cr_assert_str_eq(rk_path_dir(arena, "c.cu"), ".");
    cr_assert_str_eq(rk_path_dir(arena, "/c"), "/");
    cr_assert_str_eq(rk_path_base("a/b/c.rk.cu"), "c.rk.cu");
    cr_assert_str_eq(rk_path_stem(arena, "a/c.rk.cu"), "c.rk");
    cr_assert_str_eq(rk_path_stem(arena, "a/.hidden"), ".hidden");
}

Test(base, hash_is_xxhash64_and_chains)
{
    cr_assert_eq(rk_hash("", 0, 0), UINT64_C(0xef46db3751d8e999));
    cr_assert_neq(rk_hash("a", 1, 0), rk_hash("a", 1, 1));
}

static rk_json parse(const char *text)
{
    rk_json json;
    cr_assert(rk_json_parse(&json, text, strlen(text), "t.json", NULL, arena, diag));
    return json;
}

Test(base, json_reads_typed_members)
{
    rk_json j = parse("{\"s\": \"x\", \"i\": -7, \"d\": 2.5, \"b\": true, \"a\": [1], \"o\": {}}");
    const char *s;
    int64_t i;
    double d;
    bool b;
    const cJSON *c;
    cr_assert(rk_json_string(&s, &j, j.root, NULL, "s"));
    cr_assert_str_eq(s, "x");
    cr_assert(rk_json_int(&i, &j, j.root, NULL, "i"));
    cr_assert_eq(i, -7);
    cr_assert(rk_json_number(&d, &j, j.root, NULL, "d"));
    cr_assert_eq(d, 2.5);
    cr_assert(rk_json_bool_or(&b, &j, j.root, NULL, "b", false));
    cr_assert(b);
    cr_assert(rk_json_array(&c, &j, j.root, NULL, "a"));
    cr_assert(rk_json_object(&c, &j, j.root, NULL, "o"));
    cr_assert(rk_json_int_or(&i, &j, j.root, NULL, "absent", 9));
    cr_assert_eq(i, 9);
    cr_assert(rk_json_array_or(&c, &j, j.root, NULL, "absent"));
    cr_assert_null(c);
    cr_assert_eq(rk_diag_count(diag), 0);
}

Test(base, json_diagnoses_missing_and_wrong_members)
{
    rk_json j = parse("{\"s\": \"x\", \"d\": 2.5}");
    int64_t i;
    const cJSON *c;
    cr_assert_not(rk_json_int(&i, &j, j.root, "nodes[3]", "absent"));
    cr_assert_str_eq(rk_diag_at(diag, 0)->place.object, "nodes[3]");
    expect_code("RK-J003");
    j.diag = diag;
    cr_assert_not(rk_json_int(&i, &j, j.root, "nodes[3]", "d"));
    cr_assert_str_eq(rk_diag_at(diag, 0)->place.object, "nodes[3].d");
    expect_code("RK-J004");
    j.diag = diag;
    cr_assert_not(rk_json_array_or(&c, &j, j.root, NULL, "s"));
    expect_code("RK-J004");
}

Test(base, json_hands_out_nothing_of_the_wrong_type)
{
    rk_json j = parse("{\"o\": [1], \"a\": {}}");
    const cJSON *c = j.root;
    cr_assert_not(rk_json_object_or(&c, &j, j.root, NULL, "o"));
    cr_assert_null(c);
    c = j.root;
    cr_assert_not(rk_json_array(&c, &j, j.root, NULL, "a"));
    cr_assert_null(c);
}

Test(base, json_takes_no_more_memory_than_it_may)
{
    rk_str text = {.arena = arena};
    rk_str_add(&text, "[0");
    for (int i = 0; i < 40000; i++)
        rk_str_add(&text, ",0");
    rk_str_add(&text, "]");
    setenv("RK_JSON_MEMORY", "2", 1);
    rk_json json;
    cr_assert_not(rk_json_parse(&json, text.text, text.length, "t", NULL, arena, diag));
    cr_assert_str_eq(rk_diag_at(diag, 0)->code, "RK-J005");
    setenv("RK_JSON_MEMORY", "3", 1);
    cr_assert(rk_json_parse(&json, text.text, text.length, "t", NULL, arena, diag));
    cr_assert_eq(cJSON_GetArraySize(json.root), 40001);
}

Test(base, json_files_larger_than_that_are_not_read)
{
    const char *path = in_folder("large.json");
    cr_assert(rk_file_write(path, "0", 1, diag));
    cr_assert_eq(truncate(path, 1L << 40), 0); /* a hole */
    rk_json json;
    cr_assert_not(rk_json_read(&json, path, NULL, arena, diag));
    cr_assert_str_eq(rk_diag_at(diag, 0)->code, "RK-J005");
}

Test(base, running_out_of_memory_ends_with_a_status, .exit_code = 1)
{
    rk_arena_calloc(arena, SIZE_MAX, 2);
}

Test(base, json_syntax_errors_have_line_and_column)
{
    rk_json json;
    const char *text = "{\n  \"a\": 1,\n  oops\n}";
    cr_assert_not(rk_json_parse(&json, text, strlen(text), "t.json", NULL, arena, diag));
    cr_assert_eq(rk_diag_at(diag, 0)->place.line, 3);
    expect_code("RK-J001");
    cr_assert_not(rk_json_parse(&json, "", 0, "t.json", NULL, arena, diag));
    expect_code("RK-J001");
    cr_assert_not(rk_json_parse(&json, "{} x", 4, "t.json", NULL, arena, diag));
    expect_code("RK-J001");
}

Test(base, json_schema_is_checked)
{
    rk_json json;
    const char *text = "{\"schema\": \"rammer.graph/9\"}";
    cr_assert_not(rk_json_parse(&json, text, strlen(text), "t", "rammer.graph/1", arena, diag));
    expect_code("RK-J002");
    cr_assert_not(rk_json_parse(&json, "[]", 2, "t", "rammer.graph/1", arena, diag));
    expect_code("RK-J002");
    cr_assert(rk_json_parse(&json, text, strlen(text), "t", "rammer.graph/9", arena, diag));
}

Test(base, json_print_reads_back_the_same)
{
    const char *text =
        "{\n  \"name\": \"a\\\"b\\\\c\\n\\u0001\",\n  \"numbers\": [1, -2, 0.1, 1e+300, "
        "123456789012],\n  \"nested\": [\n    {\"x\": true, \"y\": null}\n  ]\n}\n";
    rk_json j = parse(text);
    char *printed = rk_json_print(j.root, arena);
    cr_assert_str_eq(printed, text, "%s", printed);
    cr_assert_str_eq(rk_json_print(parse(printed).root, arena), printed);
}
