#include "base/file.h"
#include "base/str.h"
#include "chain_fixture.h"
#include "sched/check/check_schedule.h"
#include "sched/files/schedule_files.h"
#include "sched/memory/memory_plan.h"
#include "sched/policies/policy.h"
#include "sched/simulate/simulate.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Schedules as files: text, then the binary form. */

static const char *write_file(fixture *f, const rk_schedule *s)
{
    const char *folder = rk_file_temporary("rammer_schedule", f->arena, f->diag);
    cr_assert(folder);
    const char *path = rk_path_join(f->arena, folder, "schedule");
    cr_assert(rk_schedule_write(s, &f->problem, path, f->arena, f->diag));
    return path;
}

static const char *code_of(const rk_diag *diag)
{
    return rk_diag_count(diag) ? rk_diag_at(diag, 0)->code : "none";
}

Test(schedule_file, reading_gives_what_was_written)
{
    static const char *const policies[] = {"base", "wavefront"};
    for (size_t i = 0; i < 2; i++) {
        fixture *f = chain(5, 17);
        rk_schedule *s =
            rk_schedule_run(rk_policy_find(policies[i]), &f->problem, f->arena, f->diag);
        const char *path = write_file(f, s);
        rk_schedule *back = rk_schedule_read(path, &f->problem, f->arena, f->diag);
        cr_assert(back);
        expect_equal(s, back);
        cr_expect_eq(back->veu_count, s->veu_count);
        cr_expect_eq(back->veu_threads, s->veu_threads);
        cr_expect_eq(back->veu_shared, s->veu_shared);
        cr_expect_eq(back->blocks_per_sm, s->blocks_per_sm);
        cr_expect_str_eq(back->policy, s->policy);
        cr_expect(memcmp(back->selected, s->selected, s->node_count * sizeof *s->selected) == 0);
        rk_file_remove(rk_path_dir(f->arena, path), f->diag);
        fixture_free(f);
    }
}

/** Replaces the first `from` in the file by `to`. */
static void edit(fixture *f, const char *path, const char *from, const char *to)
{
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, path, f->arena, f->diag));
    char *at = strstr(bytes.data, from);
    cr_assert(at, "no %s in the file", from);
    rk_str text = {.arena = f->arena};
    rk_str_addn(&text, bytes.data, (size_t)(at - bytes.data));
    rk_str_add(&text, to);
    rk_str_add(&text, at + strlen(from));
    cr_assert(rk_file_write(path, text.text, text.length, f->diag));
}

/** Edits the schedule of a chain on 2 vEUs; returns the first code of reading and checking it. */
static const char *code_after(const char *from, const char *to)
{
    static char code[16];
    fixture *f = chain(2, 2);
    rk_schedule *s = rk_schedule_run(rk_policy_find("wavefront"), &f->problem, f->arena, f->diag);
    const char *path = write_file(f, s);
    edit(f, path, from, to);
    rk_schedule *back = rk_schedule_read(path, &f->problem, f->arena, f->diag);
    if (back) {
        const rk_memory *m = rk_memory_plan(&f->problem, back, f->arena);
        cr_expect(!rk_check(back, m, &f->problem, f->arena, f->diag), "%s -> %s", from, to);
    }
    strncpy(code, code_of(f->diag), sizeof code - 1);
    rk_file_remove(rk_path_dir(f->arena, path), f->diag);
    fixture_free(f);
    return code;
}

Test(schedule_file, edits_are_found)
{
    cr_expect_str_eq(code_after("0.0 ", ""), "RK-K001");
    cr_expect_str_eq(code_after("0.0 ", "0.0 0.0 "), "RK-K002");
    cr_expect_str_eq(code_after("0.0 ", "0.0 0.7 "), "RK-K003");
    cr_expect_str_eq(code_after("0.0 ", "9.0 "), "RK-K003");
    cr_expect_str_eq(code_after("\"veus\": 2", "\"veus\": 3"), "RK-S006");
    cr_expect_str_eq(code_after("0.0 ", "0.0-1 "), "RK-K002");
    cr_expect_str_eq(code_after("0.0 ", "0.0-4000000000 "), "RK-S007");
    cr_expect_str_eq(code_after("0.0 ", "@0+999 0.0 "), "RK-K005");
    cr_expect_str_eq(code_after("0.0 ", "spam "), "RK-S007");
    cr_expect_str_eq(code_after("0.0 ", "99999999999.0 "), "RK-S007");
    cr_expect_str_eq(
        code_after("\"programs\": [", "\"programs\": [{\"waits\": [], \"veus\": [\"\", \"\"]},"),
        "RK-S007");
    cr_expect_str_eq(code_after("\"veu_threads\": 128", "\"veu_threads\": 64"), "RK-K007");
    cr_expect_str_eq(code_after("\"veu_shared\": 1024", "\"veu_shared\": 1023"), "RK-K007");
    cr_expect_str_eq(code_after("\"blocks_per_sm\": 1", "\"blocks_per_sm\": 2"), "RK-K007");
    cr_expect_str_eq(code_after("\"kernel\": \"made\"", "\"kernel\": \"other\""), "RK-S006");
    cr_expect_str_eq(code_after("rammer.schedule/1", "rammer.schedule/9"), "RK-J002");
    cr_expect_str_eq(code_after("\"form\": \"vdevice\"", "\"form\": \"kernels\""), "RK-J004");
    cr_expect_str_eq(code_after("\"form\": \"vdevice\"", "\"form\": 1"), "RK-J004");
    cr_expect_str_eq(code_after("\"makespan_ns\": ", "\"makespan_ns\": -1"), "RK-J004");
    cr_expect_str_eq(code_after("\"makespan_ns\": ", "\"makespan_ns\": 1e999"), "RK-J004");
    cr_expect_str_eq(code_after("\"candidate\": 0", "\"candidate\": -1"), "RK-J004");
    cr_expect_str_eq(code_after("\"candidate\": 0", "\"candidate\": 4294967296"), "RK-J004");
    cr_expect_str_eq(code_after("\"candidate\": 0", "\"candidate\": 0, \"candidate\": 0"),
                     "RK-J006");
    cr_expect_str_eq(code_after("\"policy\": ", "\"policy\": \"x\", \"policy\": "), "RK-J006");
    cr_expect_str_eq(code_after("\"kernel\": \"made", "\"kernel\": \"made\\u0000more"), "RK-J007");
    cr_expect_str_eq(code_after("\"grid\": [2", "\"grid\": [2.5"), "RK-J004");
}

/** A policy's options make its form, which both kinds of file say. */
Test(schedule_file, a_schedule_is_read_in_the_form_in_which_it_was_made)
{
    static const struct {
        const char *policy;
        int64_t options[RK_POLICY_MAX_OPTIONS];
        rk_run_form form;
    } cases[] = {{"wavefront", {0}, RK_RUNS_AS_VDEVICE},
                 {"wavefront", {0, 0, 1}, RK_RUNS_AS_LAUNCHES},
                 {"base", {0}, RK_RUNS_AS_LAUNCHES},
                 {"graph", {0}, RK_RUNS_AS_GRAPH}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture *f = chain(4, 3);
        f->problem.options = cases[i].options;
        rk_schedule *s =
            rk_schedule_run(rk_policy_find(cases[i].policy), &f->problem, f->arena, f->diag);
        const char *path = write_file(f, s);
        const char *binary = rk_arena_printf(f->arena, "%s.bin", path);
        cr_assert(rk_schedule_write(s, &f->problem, binary, f->arena, f->diag));
        const char *const files[] = {path, binary};
        for (size_t k = 0; k < 2; k++) {
            const rk_schedule *back = rk_schedule_read(files[k], &f->problem, f->arena, f->diag);
            cr_assert(back);
            cr_expect_eq(back->form, cases[i].form, "%s", cases[i].policy);
            cr_expect_float_eq(rk_simulate_time(back, &f->problem),
                               rk_simulate_time(s, &f->problem), 1e-6);
        }
        rk_file_remove(rk_path_dir(f->arena, path), f->diag);
        fixture_free(f);
    }
}

Test(schedule_file, another_graph_or_device_is_refused)
{
    fixture *f = chain(2, 2);
    rk_schedule *s = rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag);
    const char *path = write_file(f, s);
    f->device->name = "other";
    cr_expect(!rk_schedule_read(path, &f->problem, f->arena, f->diag));
    cr_expect_str_eq(code_of(f->diag), "RK-S006");
    fixture *other = fixture_new(2);
    rk_id x = fixture_tensor(other, "x", 1);
    rk_graph_input(other->graph, x);
    fixture_node(other, "a", x, RK_NO_ID, fixture_tensor(other, "a", 1), 2, 1000);
    fixture_problem(other);
    cr_expect(!rk_schedule_read(path, &other->problem, other->arena, other->diag));
    cr_expect_str_eq(code_of(other->diag), "RK-S006");
    rk_file_remove(rk_path_dir(f->arena, path), f->diag);
    fixture_free(other);
    fixture_free(f);
}

/* The binary form. */

static const char *write_binary(fixture *f, const rk_schedule *s)
{
    const char *path = rk_arena_printf(f->arena, "%s.bin", write_file(f, s));
    cr_assert(rk_schedule_write(s, &f->problem, path, f->arena, f->diag));
    return path;
}

Test(schedule_file, the_binary_form_gives_the_same)
{
    fixture *f = chain(5, 17);
    rk_schedule *s = rk_schedule_run(rk_policy_find("wavefront"), &f->problem, f->arena, f->diag);
    const char *path = write_binary(f, s);
    rk_schedule *back = rk_schedule_read(path, &f->problem, f->arena, f->diag);
    cr_assert(back);
    expect_equal(s, back);
    cr_assert_gt(s->programs[0].counter_count, 0);
    cr_expect_eq(back->programs[0].counter_count, s->programs[0].counter_count);
    cr_expect_eq(back->makespan_ns, s->makespan_ns);
    const rk_memory *m = rk_memory_plan(&f->problem, back, f->arena);
    cr_expect(rk_check(back, m, &f->problem, f->arena, f->diag));
    rk_file_remove(rk_path_dir(f->arena, path), f->diag);
    fixture_free(f);
}

/** A schedule's binary file, and a copy of what is in it. */
typedef struct {
    fixture *f;
    const char *path;
    char *data;
    size_t size;
} binary_file;

static binary_file begin_binary(void)
{
    fixture *f = chain(3, 4);
    rk_schedule *s = rk_schedule_run(rk_policy_find("wavefront"), &f->problem, f->arena, f->diag);
    const char *path = write_binary(f, s);
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, path, f->arena, f->diag));
    return (binary_file){f, path, rk_arena_copy(f->arena, bytes.data, bytes.size), bytes.size};
}

/** Reads the first `size` bytes of the copy as a file. */
static rk_schedule *read_bytes(const binary_file *b, size_t size, rk_diag *diag)
{
    cr_assert(rk_file_write(b->path, b->data, size, diag));
    return rk_schedule_read(b->path, &b->f->problem, b->f->arena, diag);
}

static void end_binary(binary_file *b)
{
    rk_file_remove(rk_path_dir(b->f->arena, b->path), b->f->diag);
    fixture_free(b->f);
}

Test(schedule_file, a_binary_file_that_was_cut_or_changed_is_refused)
{
    binary_file b = begin_binary();
    for (size_t i = 8; i < b.size; i++) {
        b.data[i] = (char)(b.data[i] ^ 4);
        rk_diag *diag = rk_diag_new(b.f->arena);
        cr_expect(!read_bytes(&b, b.size, diag), "byte %zu", i);
        cr_expect(strncmp(code_of(diag), "RK-S00", 6) == 0, "byte %zu: %s", i, code_of(diag));
        b.data[i] = (char)(b.data[i] ^ 4);
    }
    for (size_t size = 8; size < b.size; size += 7) {
        rk_diag *diag = rk_diag_new(b.f->arena);
        cr_expect(!read_bytes(&b, size, diag), "%zu bytes", size);
        cr_expect_str_eq(code_of(diag), "RK-S008", "%zu bytes", size);
    }
    end_binary(&b);
}

/** Makes the hash in a binary file's header the one of what follows. */
static void hash_again(char *data, size_t size)
{
    uint64_t hash = rk_hash(data + 48, size - 48, 0);
    for (int i = 0; i < 8; i++)
        data[16 + i] = (char)(hash >> (8 * i));
}

Test(schedule_file, a_binary_file_that_was_edited_with_its_hash_is_checked)
{
    binary_file b = begin_binary();
    size_t unread = 0;
    size_t unproven = 0;
    for (size_t i = 48; i < b.size; i++) {
        b.data[i] = (char)(b.data[i] ^ 1);
        hash_again(b.data, b.size);
        rk_diag *diag = rk_diag_new(b.f->arena);
        rk_schedule *back = read_bytes(&b, b.size, diag);
        unread += back == NULL;
        cr_expect(back || strncmp(code_of(diag), "RK-S00", 6) == 0, "byte %zu", i);
        if (back && !rk_check(back, rk_memory_plan(&b.f->problem, back, b.f->arena), &b.f->problem,
                              b.f->arena, diag)) {
            unproven++;
            cr_expect(strncmp(code_of(diag), "RK-K00", 6) == 0, "byte %zu", i);
        }
        b.data[i] = (char)(b.data[i] ^ 1);
    }
    cr_expect_gt(unread, 100, "counts, launches and texts");
    cr_expect_gt(unproven, 20, "entries and waits");
    end_binary(&b);
}

Test(schedule_file, a_binary_file_for_another_device_is_refused)
{
    binary_file b = begin_binary();
    b.f->device->shared_per_sm--;
    cr_expect(!rk_schedule_read(b.path, &b.f->problem, b.f->arena, b.f->diag));
    cr_expect_str_eq(code_of(b.f->diag), "RK-S006");
    end_binary(&b);
}
