#include "sched/policies/policy.h"
#include "sched/simulate/trace.h"
#include "sched_fixture.h"

#include "base/file.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

/** A run of two rTasks on two vEUs, then of one that waits for both: 2000, 1100, 600 and 600 ns. */
static rk_trace chain(fixture *f)
{
    rk_id x = fixture_tensor(f, "x", 1);
    rk_graph_input(f->graph, x);
    rk_id y = fixture_tensor(f, "y", 2);
    rk_id z = fixture_tensor(f, "z", 1);
    rk_graph_output(f->graph, z);
    fixture_node(f, "a \"1\"</script>", x, RK_NO_ID, y, 2, 1000);
    fixture_node(f, "b", y, RK_NO_ID, z, 1, 500);
    fixture_problem(f);
    rk_schedule *schedule =
        rk_schedule_run(rk_policy_find("wavefront"), &f->problem, f->arena, f->diag);
    cr_assert(schedule);
    rk_trace trace = {.schedule = schedule,
                      .problem = &f->problem,
                      .sim = rk_simulate(schedule, &f->problem, true, f->arena)};
    rk_bound_find(&trace.bound, &f->problem, schedule->veu_count);
    return trace;
}

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    cr_assert(found, "%s", name);
    return found;
}

Test(trace, chrome_has_each_rtask_with_its_name_and_time)
{
    fixture *f = fixture_new(2);
    rk_trace trace = chain(f);
    rk_str out = {.arena = f->arena};
    rk_trace_chrome(&out, &trace);
    cJSON *root = cJSON_Parse(rk_str_text(&out));
    cr_assert(root);
    int named = 0, work = 0;
    const cJSON *event;
    cJSON_ArrayForEach (event, member(root, "traceEvents")) {
        const char *name = member(event, "name")->valuestring;
        const cJSON *kind = cJSON_GetObjectItemCaseSensitive(event, "cat");
        named += strcmp(name, "a \"1\"</script>") == 0;
        if (!kind || strcmp(kind->valuestring, "work") != 0)
            continue;
        work++;
        if (strcmp(name, "b") == 0) {
            cr_expect_float_eq(member(event, "ts")->valuedouble, 3.7, 1e-9);
            cr_expect_float_eq(member(event, "dur")->valuedouble, 0.6, 1e-9);
        }
    }
    cr_expect_eq(named, 2);
    cr_expect_eq(work, 3);
    cJSON_Delete(root);
    fixture_free(f);
}

Test(trace, gantt_shows_launch_work_and_waits_in_their_columns)
{
    fixture *f = fixture_new(2);
    rk_trace trace = chain(f);
    rk_str out = {.arena = f->arena};
    rk_trace_gantt(&out, &trace, 16, 43);
    const char *text = rk_str_text(&out);
    /* A column is 100 ns: 20 of launch, 11 of a's rTasks, 6 of the signal, 6 of b. */
    cr_expect(strstr(text, " ||||||||||||||||||||###########......######\n"), "%s", text);
    cr_expect(strstr(text, " ||||||||||||||||||||###########\n"), "%s", text);
    cr_expect(strstr(text, "4.30 us"), "%s", text);
    fixture_free(f);
}

Test(trace, gantt_merges_vEUs_into_the_rows_there_are)
{
    fixture *f = fixture_new(2);
    rk_trace trace = chain(f);
    rk_str out = {.arena = f->arena};
    rk_trace_gantt(&out, &trace, 1, 43);
    const char *text = rk_str_text(&out);
    cr_expect(strstr(text, "vEUs 0-1"), "%s", text);
    /* b has one of two vEUs: half of the time is work. */
    cr_expect(strstr(text, "###########......------\n"), "%s", text);
    fixture_free(f);
}

Test(trace, the_pages_data_is_json_that_ends_no_script)
{
    fixture *f = fixture_new(2);
    rk_trace trace = chain(f);
    rk_str out = {.arena = f->arena};
    rk_trace_view(&out, &trace);
    cr_expect_not(strchr(rk_str_text(&out), '<'));
    cJSON *root = cJSON_Parse(rk_str_text(&out));
    cr_assert(root);
    cr_expect_eq(cJSON_GetArraySize(member(root, "nodes")), 2);
    cr_expect_eq((size_t)cJSON_GetArraySize(member(root, "events")), trace.sim->event_count);
    const cJSON *wait = cJSON_GetArrayItem(member(root, "waits"), 0);
    cr_expect_eq(cJSON_GetArraySize(member(root, "waits")), 1);
    cr_expect_eq(cJSON_GetArraySize(wait), 5);
    cr_expect_eq(cJSON_GetArrayItem(wait, 2)->valueint, 2);
    cr_expect_str_eq(member(cJSON_GetArrayItem(member(root, "nodes"), 0), "name")->valuestring,
                     "a \"1\"</script>");
    cJSON_Delete(root);
    fixture_free(f);
}

/** The simulated run as a file of measured times, with `from` replaced by `to`, and what reading it gives. */
static const rk_measured *measure(fixture *f, rk_trace *trace, const char *from, const char *to)
{
    rk_str text = {.arena = f->arena}, edited = {.arena = f->arena};
    rk_trace_chrome(&text, trace);
    const char *whole = rk_str_text(&text), *mark = strstr(whole, "simulated"), *at = mark + strlen("simulated");
    rk_str_addf(&edited, "%.*smeasured", (int)(mark - whole), whole);
    const char *found = strstr(at, from);
    cr_assert(found);
    rk_str_addf(&edited, "%.*s%s%s", (int)(found - at), at, to, found + strlen(from));
    char *path = rk_arena_printf(f->arena, "/tmp/rk_trace_%d.json", (int)getpid());
    cr_assert(rk_file_write(path, edited.text, edited.length, f->diag));
    rk_measured *out = RK_NEW(f->arena, rk_measured);
    const bool good = rk_measured_read(out, path, trace->schedule, &f->problem, f->arena, f->diag);
    unlink(path);
    return good ? out : NULL;
}

Test(trace, measured_times_are_of_the_schedules_rtasks)
{
    fixture *f = fixture_new(2);
    rk_trace trace = chain(f);
    trace.measured = measure(f, &trace, "\"ph\"", "\"ph\"");
    cr_assert(trace.measured);
    /* The launch, 2000 ns, is not among them. */
    cr_expect_float_eq(trace.measured->end_ns, 2300, 1e-6);
    size_t work = 0;
    for (size_t i = 0; i < trace.measured->count; i++)
        work += trace.measured->events[i].kind == RK_SIM_WORK;
    cr_expect_eq(work, 3);
    rk_str out = {.arena = f->arena};
    rk_trace_view(&out, &trace);
    cJSON *root = cJSON_Parse(rk_str_text(&out));
    cr_expect_eq((size_t)cJSON_GetArraySize(member(member(root, "measured"), "events")), trace.measured->count);
    cJSON_Delete(root);
    fixture_free(f);
}

Test(trace, measured_times_of_another_schedule_are_refused)
{
    static const char *const edits[][2] = {{"\"name\":\"b\"", "\"name\":\"c\""},
                                           {"\"rtask\":1", "\"rtask\":2"},
                                           {"\"cat\":\"work\"", "\"cat\":\"else\""},
                                           {"\"cat\":\"wait\"", "\"cat\":\"work\",\"x\":1"},
                                           {"\"ph\":\"X\",\"pid\":0,\"tid\":1", "\"ph\":\"X\",\"pid\":0,\"tid\":3"},
                                           {"\"dur\":0.6", "\"dur\":-1"}};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        fixture *f = fixture_new(2);
        rk_trace trace = chain(f);
        cr_expect_null(measure(f, &trace, edits[i][0], edits[i][1]), "%s", edits[i][1]);
        fixture_free(f);
    }
}

/** A run of two nodes of two rTasks each, of which each vEU runs one of both, without a wait. */
Test(trace, rtasks_that_are_one_entry_of_a_table_have_one_time)
{
    fixture *f = fixture_new(2);
    rk_id x = fixture_tensor(f, "x", 1), y = fixture_tensor(f, "y", 2), z = fixture_tensor(f, "z", 2);
    rk_graph_input(f->graph, x);
    rk_graph_output(f->graph, z);
    fixture_node(f, "a", x, RK_NO_ID, y, 2, 1000);
    fixture_node(f, "b", x, RK_NO_ID, z, 2, 500);
    fixture_problem(f);
    rk_schedule *schedule = rk_schedule_run(rk_policy_find("wavefront"), &f->problem, f->arena, f->diag);
    cr_assert(schedule);
    rk_trace trace = {.schedule = schedule, .problem = &f->problem, .sim = rk_simulate(schedule, &f->problem, true, f->arena)};
    rk_bound_find(&trace.bound, &f->problem, schedule->veu_count);
    cr_assert(measure(f, &trace, "\"ph\"", "\"ph\""));
    const rk_measured *m = measure(f, &trace, "\"name\":\"b\",\"cat\":\"work\"", "\"name\":\"b\",\"cat\":\"else\"");
    cr_assert(m);
    cr_expect_eq(m->count, 4);
    size_t none = 0;
    for (size_t i = 0; i < m->count; i++)
        none += m->events[i].start == m->events[i].end && m->events[i].task.op == 1;
    cr_expect_eq(none, 1);
    fixture_free(f);
}

Test(trace, the_picture_shows_each_run_and_ends_no_element)
{
    fixture *f = fixture_new(2);
    rk_trace trace = chain(f);
    rk_str alone = {.arena = f->arena}, both = {.arena = f->arena};
    rk_trace_svg(&alone, &trace);
    cr_expect(strstr(rk_str_text(&alone), "simulated: 4.3 us"));
    cr_expect_not(strstr(rk_str_text(&alone), "measured"));
    trace.measured = measure(f, &trace, "\"ph\"", "\"ph\"");
    rk_trace_svg(&both, &trace);
    cr_expect(strstr(rk_str_text(&both), "measured on"));
    cr_expect_not(strstr(rk_str_text(&both), "</script>"));
    fixture_free(f);
}
