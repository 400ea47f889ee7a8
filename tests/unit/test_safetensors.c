#include "graph_fixture.h"

#include "sched/model/safetensors.h"

TestSuite(safetensors, .init = fixture_setup, .fini = fixture_teardown);

/** Parses a header and `size` bytes of elements, each its own index. */
static const rk_safetensors *parse(const char *header, size_t size)
{
    size_t length = strlen(header);
    unsigned char *file = rk_arena_alloc(arena, 8 + length + size);
    for (int i = 0; i < 8; i++)
        file[i] = (unsigned char)((uint64_t)length >> 8 * i);
    memcpy(file + 8, header, length);
    for (size_t i = 0; i < size; i++)
        file[8 + length + i] = (unsigned char)i;
    return rk_safetensors_parse(file, 8 + length + size, "w.safetensors", arena, diag);
}

static void refused(const char *code, const char *header, size_t size)
{
    cr_expect_null(parse(header, size), "%s", header);
    expect_only(code);
    diag = rk_diag_new(arena);
}

Test(safetensors, a_file)
{
    const rk_safetensors *file =
        parse("{\"__metadata__\":{\"format\":\"pt\"},"
              "\"b\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[2,10]},"
              "\"a\":{\"dtype\":\"I16\",\"shape\":[],\"data_offsets\":[0,2]},"
              "\"empty\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[10,10]}}   ",
              10);
    cr_assert_not_null(file, "%s", said(0));
    cr_expect_eq(file->count, 3);
    const rk_safetensor *b = rk_safetensors_find(file, "b");
    cr_assert_not_null(b);
    cr_expect_eq(b->dtype, RK_F32);
    cr_expect_eq(b->rank, 2);
    cr_expect_eq(b->shape[0], 2);
    cr_expect_eq(b->bytes, 8);
    cr_expect_eq((uintptr_t)b->data % 4, 0);
    cr_expect_eq(((const unsigned char *)b->data)[0], 2);
    cr_expect_eq(rk_safetensors_find(file, "a")->rank, 0);
    cr_expect_null(rk_safetensors_find(file, "c"));
}

Test(safetensors, an_empty_file)
{
    const rk_safetensors *file = parse("{}", 0);
    cr_assert_not_null(file);
    cr_expect_null(rk_safetensors_find(file, "a"));
}

Test(safetensors, what_is_written_is_read_back)
{
    unsigned char data[64];
    for (int i = 0; i < 64; i++)
        data[i] = (unsigned char)(255 - i);
    rk_safetensor items[RK_DTYPE_COUNT];
    for (int i = 0; i < RK_DTYPE_COUNT; i++)
        items[i] =
            (rk_safetensor){.name = rk_arena_printf(arena, "t \"%d\"", i),
                            .dtype = (rk_dtype)i,
                            .rank = i % 3,
                            .shape = {2, 3},
                            .data = data,
                            .bytes = rk_dtype_size((rk_dtype)i) * (size_t)(i % 3 == 0   ? 1
                                                                           : i % 3 == 1 ? 2
                                                                                        : 6)};
    char *path = in_folder("w.safetensors");
    cr_assert(rk_safetensors_write(path, items, RK_DTYPE_COUNT, diag));
    const rk_safetensors *file = rk_safetensors_read(path, arena, diag);
    cr_assert_not_null(file, "%s", said(0));
    cr_assert_eq(file->count, RK_DTYPE_COUNT);
    for (int i = 0; i < RK_DTYPE_COUNT; i++) {
        const rk_safetensor *t = rk_safetensors_find(file, items[i].name);
        cr_assert_not_null(t);
        cr_expect_eq(t->dtype, rk_dtype_stored((rk_dtype)i));
        cr_expect_eq(t->rank, i % 3);
        cr_expect_arr_eq(t->shape, items[i].shape, (size_t)t->rank * sizeof(int64_t));
        cr_expect_eq(t->bytes, items[i].bytes);
        cr_expect_arr_eq(t->data, data, t->bytes);
    }
}

Test(safetensors, the_headers_length)
{
    cr_expect_null(rk_safetensors_parse("1234567", 7, "w", arena, diag));
    cr_expect_null(rk_safetensors_parse("\x03\0\0\0\0\0\0\0{}", 10, "w", arena, diag));
    cr_expect_null(
        rk_safetensors_parse("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10, "w", arena, diag));
    cr_expect_eq(count_code("RK-T001"), 3);
    cr_expect_eq(rk_diag_count(diag), 3);
}

Test(safetensors, the_header_is_json)
{
    refused("RK-J001", "{\"a\":", 0);
    refused("RK-J001", "", 0);
    refused("RK-T002", "[]", 0);
}

Test(safetensors, members)
{
    refused("RK-T002", "{\"a\":3}", 0);
    refused("RK-T002", "{\"a\":{\"shape\":[],\"data_offsets\":[0,4]}}", 4);
    refused("RK-T002", "{\"a\":{\"dtype\":7,\"shape\":[],\"data_offsets\":[0,4]}}", 4);
    refused("RK-T002", "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4],\"more\":1}}",
            4);
    refused("RK-T002", "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0]}}", 4);
    refused("RK-T002", "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,0]}}", 4);
    refused("RK-T002", "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[-4,0]}}", 4);
    refused("RK-T002", "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,1e300]}}", 4);
}

Test(safetensors, element_types_that_tensors_lack)
{
    refused("RK-T003", "{\"a\":{\"dtype\":\"C64\",\"shape\":[],\"data_offsets\":[0,8]}}", 8);
    refused("RK-T003", "{\"a\":{\"dtype\":\"f32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4);
}

Test(safetensors, impossible_shapes)
{
    static const char *const shapes[] = {
        "[-1]",  "[1.5]", "[\"1\"]", "[1,1,1,1,1,1,1,1,1]", "[9007199254740992,9007199254740992]",
        "[1e18]"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        refused("RK-T004",
                rk_arena_printf(arena,
                                "{\"a\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[0,4]}}",
                                shapes[i]),
                4);
}

Test(safetensors, offsets_that_do_not_match)
{
    refused("RK-T005", "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4);
    refused("RK-T005", "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}", 4);
}

Test(safetensors, every_byte_is_used_once)
{
    static const char two[] = "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                              "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[%d,%d]}}";
    refused("RK-T006", rk_arena_printf(arena, two, 0, 4), 4);
    refused("RK-T006", rk_arena_printf(arena, two, 2, 6), 6);
    refused("RK-T006", rk_arena_printf(arena, two, 8, 12), 12);
    refused("RK-T006", rk_arena_printf(arena, two, 4, 8), 9);
}

Test(safetensors, two_of_one_name)
{
    refused("RK-J006",
            "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
            "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}",
            8);
}

Test(safetensors, every_truncation_is_refused)
{
    char *path = in_folder("w.safetensors");
    rk_safetensor item = {
        .name = "a", .dtype = RK_F32, .rank = 1, .shape = {2}, .data = "12345678", .bytes = 8};
    cr_assert(rk_safetensors_write(path, &item, 1, diag));
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, path, arena, diag));
    for (size_t size = 0; size < bytes.size; size++) {
        char *copy = malloc(size ? size : 1);
        memcpy(copy, bytes.data, size);
        cr_expect_null(rk_safetensors_parse(copy, size, "w", arena, diag), "%zu bytes", size);
        free(copy);
    }
    cr_expect_eq(rk_diag_count(diag), bytes.size);
}
