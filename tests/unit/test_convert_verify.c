#include "convert/cc/cc.h"
#include "convert/verify/verify_internal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/** A report of the recorder with one difference in buffer `serial` of launch 3. */
static rk_verify_report report_of(unsigned long long serial, const char *type, double distance,
                                  bool permuted, rk_arena *arena)
{
    rk_verify_report r = {.launches = 5, .recorded = 5, .complete = true};
    *rk_push(arena, &r.found) = (rk_verify_difference){.launch = 3,
                                                       .kernel = "k",
                                                       .buffer = "to",
                                                       .serial = serial,
                                                       .type = type,
                                                       .distance = distance,
                                                       .permuted = permuted};
    return r;
}

/** Whether a drop-in with `mine` is the same as an original whose second run differed by `theirs`. */
static bool is_same(rk_verify_report theirs, rk_verify_report mine, rk_arena *arena)
{
    rk_verify_original o = {.count = 2};
    rk_verify_result r = {.report = mine};
    o.reports[1] = theirs;
    rk_verify_vary(&o.varying, &theirs, arena);
    rk_verify_judge(&r, &o, 1e-4, arena);
    cr_expect_eq(r.same, r.different.count == 0);
    return r.same;
}

Test(verify, buffers_are_judged_by_what_the_runs_of_the_original_share)
{
    rk_arena *arena = rk_arena_new();
    const rk_verify_report near = report_of(1, "f4", 1e-6, false, arena);
    const rk_verify_report far = report_of(1, "f4", 0.5, false, arena);
    const rk_verify_report permuted = report_of(1, "i4", 1, true, arena);
    const rk_verify_report other = report_of(1, "i4", 1, false, arena);
    cr_expect(is_same(near, near, arena));
    cr_expect_not(is_same(near, far, arena));
    cr_expect(is_same(far, far, arena), "not judged");
    cr_expect(is_same(permuted, permuted, arena));
    cr_expect_not(is_same(permuted, other, arena));
    cr_expect(is_same(other, other, arena), "not judged");
    cr_expect_not(is_same(report_of(2, "i4", 1, false, arena), other, arena), "another buffer");
    cr_expect_not(is_same(near, report_of(1, "f4", INFINITY, false, arena), arena));
    rk_arena_free(arena);
}

Test(verify, another_compiler_may_round_otherwise)
{
    rk_arena *arena = rk_arena_new();
    rk_verify_original o = {.count = 2};
    const rk_verify_report near = report_of(1, "f4", 1e-6, false, arena);
    o.reports[1] = (rk_verify_report){.launches = 5, .recorded = 5, .complete = true};
    rk_verify_result r = {.report = near};
    rk_verify_judge(&r, &o, 1e-4, arena);
    cr_expect_not(r.same, "of the original's own compiler");
    r.another = "g++ -O0";
    rk_verify_judge(&r, &o, 1e-4, arena);
    cr_expect(r.same && r.order.count == 1);
    r.report = report_of(1, "f4", 1e-3, false, arena);
    rk_verify_judge(&r, &o, 1e-4, arena);
    cr_expect_not(r.same);
    r.report = report_of(1, "i4", 1e-6, false, arena);
    rk_verify_judge(&r, &o, 1e-4, arena);
    cr_expect_not(r.same, "no floating-point number");
    rk_arena_free(arena);
}

static rk_cc_other_way other_way(const char *option, const char *compiler, rk_arena *arena)
{
    const char *words[] = {"a.cu", option};
    rk_cc_options options;
    cr_assert(rk_cc_read(&options, words, option ? 2 : 1, arena, rk_diag_new(arena)));
    setenv("CXX", compiler, 1);
    return rk_cc_find_other_way(&options, arena);
}

Test(verify, the_other_way_has_another_compiler_and_optimisation)
{
    rk_arena *arena = rk_arena_new();
    setenv("PATH", "/usr/bin:/bin", 1);
    cr_expect_str_eq(other_way(NULL, "g++", arena).optimisation, "-O0");
    cr_expect_str_eq(other_way("-O1", "g++", arena).optimisation, "-O0");
    cr_expect_str_eq(other_way("-O0", "g++", arena).optimisation, "-O2");
    cr_expect_str_eq(other_way(NULL, "ccache /usr/bin/clang++-19", arena).compiler, "g++");
    const char *clang = other_way(NULL, "/usr/bin/g++", arena).compiler;
    cr_expect(clang == NULL || strncmp(clang, "clang++", 7) == 0);
    setenv("PATH", "/nowhere", 1);
    cr_expect_null(other_way(NULL, "clang++", arena).compiler);
    rk_arena_free(arena);
}

static rk_bytes text(const char *t)
{
    return (rk_bytes){.data = (char *)(uintptr_t)t, .size = strlen(t)};
}

Test(verify, only_lines_that_vary_in_the_original_are_left_out)
{
    rk_arena *arena = rk_arena_new();
    const rk_bytes others[] = {text("time: 2 ms\nok\n")};
    rk_verify_text t =
        rk_verify_compare(text("time: 1 ms\nok\n"), text("time: 3 ms\nok\n"), others, 1, 0, arena);
    cr_expect(t.line == 0 && t.varying == 1);
    t = rk_verify_compare(text("time: 2 ms\nok\n"), text("time: 3 ms\nok\n"), others, 1, 0, arena);
    cr_expect(t.line == 1, "the original always said 2 ms");
    t = rk_verify_compare(text("time: 1 ms\nok\n"), text("time: 3 ms\n"), others, 1, 0, arena);
    cr_expect(t.line == 2);
    t = rk_verify_compare(text("sum: 1.00001, nan\n"), text("sum: 1.00002, nan\n"), NULL, 0, 1e-4,
                          arena);
    cr_expect(t.line == 0);
    t = rk_verify_compare(text("sum: 1.00001\n"), text("sum: 1.001\n"), NULL, 0, 1e-4, arena);
    cr_expect(t.line == 1);
    t = rk_verify_compare(text("sum: 1 a\n"), text("sum: 1 b\n"), NULL, 0, 1e-4, arena);
    cr_expect(t.line == 1);
    rk_arena_free(arena);
}

Test(verify, status_and_launches_are_compared_unless_they_vary)
{
    rk_arena *arena = rk_arena_new();
    rk_verify_original o = {.count = 2};
    rk_verify_result r = {.run.status = 1};
    rk_verify_judge(&r, &o, 1e-4, arena);
    cr_expect_not(r.same);
    o.runs[1].status = 1;
    rk_verify_judge(&r, &o, 1e-4, arena);
    cr_expect(r.same);
    r.report.launches = 1;
    rk_verify_judge(&r, &o, 1e-4, arena);
    cr_expect_not(r.same, "one launch more than the original");
    o.reports[1].own_kernel = "k";
    rk_verify_judge(&r, &o, 1e-4, arena);
    cr_expect(r.same);
    rk_arena_free(arena);
}
