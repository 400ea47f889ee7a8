#include "graph_fixture.h"

#include "sched/model/npy.h"

#include <math.h>

TestSuite(npy, .init = fixture_setup, .fini = fixture_teardown);

/** A file with that header's text, padded to `length` bytes, and `size` bytes of elements. */
static bool parse(rk_npy *out, int version, const char *header, size_t length, size_t size)
{
    size_t start = version == 1 ? 10 : 12;
    unsigned char *file = rk_arena_alloc(arena, start + length + size);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[8] = (unsigned char)length;
    file[9] = (unsigned char)(length >> 8);
    memset(file + start, ' ', length);
    memcpy(file + start, header, strlen(header));
    for (size_t i = 0; i < size; i++)
        file[start + length + i] = (unsigned char)i;
    return rk_npy_parse(out, file, start + length + size, "x.npy", arena, diag);
}

static void refused(const char *code, const char *header, size_t size)
{
    rk_npy npy;
    cr_expect_not(parse(&npy, 1, header, 118, size), "%s", header);
    expect_only(code);
    diag = rk_diag_new(arena);
}

Test(npy, what_numpy_writes)
{
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}",
        "{ 'fortran_order' : False , 'descr' : '<f4' , 'shape' : ( 2 , 3 , ) , }\n"};
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < 3; i++) {
            rk_npy npy;
            cr_assert(parse(&npy, version, headers[i], 118, 24), "%s: %s", headers[i], said(0));
            cr_expect_eq(npy.dtype, RK_F32);
            cr_expect_eq(npy.rank, 2);
            cr_expect_eq(npy.shape[0], 2);
            cr_expect_eq(npy.shape[1], 3);
            cr_expect_eq(npy.bytes, 24);
            cr_expect_eq(((const unsigned char *)npy.data)[23], 23);
            cr_expect_eq((uintptr_t)npy.data % 4, 0);
        }
}

Test(npy, element_types)
{
    static const struct {
        const char *descr;
        rk_dtype dtype;
    } types[] = {{"<f4", RK_F32},  {"<f8", RK_F64},  {"<f2", RK_F16}, {"<V2", RK_BF16},
                 {"|V2", RK_BF16}, {"|i1", RK_I8},   {"|u1", RK_U8},  {"<i2", RK_I16},
                 {"<u2", RK_U16},  {"<i4", RK_I32},  {"<u4", RK_U32}, {"<i8", RK_I64},
                 {"<u8", RK_U64},  {"|b1", RK_BOOL}, {">i1", RK_I8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        rk_npy npy;
        char *header = rk_arena_printf(
            arena, "{'descr': '%s', 'fortran_order': False, 'shape': (3,)}", types[i].descr);
        cr_assert(parse(&npy, 1, header, 118, 3 * rk_dtype_size(types[i].dtype)), "%s: %s", header,
                  said(0));
        cr_expect_eq(npy.dtype, types[i].dtype, "%s", header);
    }
}

Test(npy, a_scalar_has_no_dimensions)
{
    rk_npy npy;
    cr_assert(parse(&npy, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 60, 8));
    cr_expect_eq(npy.rank, 0);
    cr_expect_eq(npy.bytes, 8);
}

Test(npy, elements_at_odd_places_are_aligned)
{
    rk_npy npy;
    cr_assert(parse(&npy, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", 57, 8));
    cr_expect_eq((uintptr_t)npy.data % 8, 0);
    cr_expect_eq(((const unsigned char *)npy.data)[7], 7);
}

Test(npy, what_is_written_is_read_back)
{
    for (int dtype = 0; dtype < RK_DTYPE_COUNT; dtype++)
        for (int rank = 0; rank <= RK_MAX_RANK; rank++) {
            int64_t shape[RK_MAX_RANK] = {3, 1, 2, 1, 1, 2, 1, 1};
            unsigned char data[12 * 8];
            size_t bytes = rk_dtype_size((rk_dtype)dtype);
            for (int i = 0; i < rank; i++)
                bytes *= (size_t)shape[i];
            for (size_t i = 0; i < bytes; i++)
                data[i] = (unsigned char)(i * 7);
            char *path = in_folder("a.npy");
            cr_assert(rk_npy_write(path, (rk_dtype)dtype, rank, shape, data, diag));
            rk_npy npy;
            cr_assert(rk_npy_read(&npy, path, arena, diag), "%s", said(0));
            cr_expect_eq(npy.dtype, rk_dtype_stored((rk_dtype)dtype));
            cr_expect_eq(npy.rank, rank);
            cr_expect_arr_eq(npy.shape, shape, (size_t)rank * sizeof *shape);
            cr_expect_eq(npy.bytes, bytes);
            cr_expect_arr_eq(npy.data, data, bytes);
        }
}

Test(npy, the_written_header_is_numpys)
{
    char *path = in_folder("a.npy");
    cr_assert(rk_npy_write(path, RK_F32, SHAPE(2), (float[]){1, 2}, diag));
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, path, arena, diag));
    static const char expected[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    cr_expect_eq(bytes.size, 128 + 8);
    cr_expect_arr_eq(bytes.data, "\x93NUMPY\x01\x00\x76\x00", 10);
    cr_expect_arr_eq(bytes.data + 10, expected, strlen(expected));
    cr_expect_eq(bytes.data[127], '\n');
}

Test(npy, a_missing_file)
{
    rk_npy npy;
    cr_expect_not(rk_npy_read(&npy, in_folder("none.npy"), arena, diag));
    expect_only("RK-F001");
}

Test(npy, other_files)
{
    rk_npy npy;
    cr_expect_not(rk_npy_parse(&npy, "PK\3\4 and so on", 14, "x.npz", arena, diag));
    expect_only("RK-N001");
    diag = rk_diag_new(arena);
    cr_expect_not(parse(&npy, 4, "{}", 118, 0));
    expect_only("RK-N001");
    diag = rk_diag_new(arena);
    cr_expect_not(rk_npy_parse(&npy, "\x93NUMPY\x02\x00\x01\x00", 10, "x.npy", arena, diag));
    expect_only("RK-N002");
}

Test(npy, broken_headers)
{
    static const char *const headers[] = {
        "",
        "[]",
        "{",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} more",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'extra': 1}",
        "{'descr': '<f4', 'fortran_order': maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
        "{'descr' '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        refused("RK-N002", headers[i], 4);
}

Test(npy, element_types_that_tensors_lack)
{
    refused("RK-N003", "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4);
    refused("RK-N003", "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8);
    refused("RK-N003", "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8);
    refused("RK-N003", "{'descr': '', 'fortran_order': False, 'shape': (1,)}", 8);
    refused("RK-N003", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4);
}

Test(npy, fortran_order)
{
    refused("RK-N004", "{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", 4);
}

Test(npy, impossible_shapes)
{
    static const char *const shapes[] = {"(0,)", "(1,1,1,1,1,1,1,1,1)", "(99999999999999999999,)",
                                         "(4294967296, 4294967296)", "(9223372036854775807, 2)"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        refused("RK-N005",
                rk_arena_printf(arena, "{'descr': '<f4', 'fortran_order': False, 'shape': %s}",
                                shapes[i]),
                4);
}

Test(npy, the_wrong_size)
{
    refused("RK-N006", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 7);
    refused("RK-N006", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9);
    refused("RK-N006", "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}", 4);
}

Test(npy, every_truncation_is_refused)
{
    char *path = in_folder("a.npy");
    cr_assert(rk_npy_write(path, RK_I16, SHAPE(2, 3), (int16_t[6]){0}, diag));
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, path, arena, diag));
    for (size_t size = 0; size < bytes.size; size++) {
        rk_npy npy;
        char *copy = malloc(size ? size : 1);
        memcpy(copy, bytes.data, size);
        cr_expect_not(rk_npy_parse(&npy, copy, size, "x.npy", arena, diag), "%zu bytes", size);
        free(copy);
    }
    cr_expect_eq(rk_diag_count(diag), bytes.size);
}

Test(npy, the_value_of_a_tensor)
{
    char *path = in_folder("a.npy");
    rk_tensor tensor = {.name = "x", .dtype = RK_F32, .rank = 2, .shape = {2, 1}};
    cr_assert(rk_npy_write(path, RK_F32, SHAPE(2, 1), (float[]){1, 2}, diag));
    const float *value = rk_npy_read_tensor(path, &tensor, arena, diag);
    cr_assert_not_null(value);
    cr_expect(value[1] == 2);
    tensor.shape[1] = 2;
    cr_expect_null(rk_npy_read_tensor(path, &tensor, arena, diag));
    tensor.shape[1] = 1;
    tensor.dtype = RK_I32;
    cr_expect_null(rk_npy_read_tensor(path, &tensor, arena, diag));
    cr_expect_eq(count_code("RK-N007"), 2);
    cr_expect_eq(rk_diag_count(diag), 2);
}

Test(npy, the_file_of_a_tensor)
{
    cr_expect_str_eq(rk_npy_path(arena, "input", "h.0_x-1"), "input/h.0_x-1.npy");
    cr_expect_str_eq(rk_npy_path(arena, "d", "a/b:0"), "d/a%2Fb%3A0.npy");
    cr_expect_str_eq(rk_npy_path(arena, "d", "..%"), "d/%2E.%25.npy");
}
