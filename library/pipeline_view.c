#include "library/pipeline.h"

#include "base/str.h"

#include <string.h>

void rk_plan_trace(rk_trace *out, const rk_plan *plan, rk_tool *tool)
{
    *out = (rk_trace){.schedule = plan->schedule,
                      .problem = &plan->problem,
                      .sim = rk_simulate(plan->schedule, &plan->problem, true, tool->arena)};
    rk_bound_find(&out->bound, &plan->problem, plan->schedule->veu_count);
}

/* The page carries a mark, in place of which the data go. */
bool rk_plan_view(const rk_trace *trace, const char *path, rk_tool *tool)
{
    static const char mark[] = "/*data*/";
    rk_bytes page;
    if (!rk_file_read(&page, rk_tool_share(tool, "view.html"), tool->arena, tool->diag))
        return false;
    const char *text = rk_arena_strndup(tool->arena, page.data, page.size);
    const char *at = strstr(text, mark);
    if (!at)
        return rk_diag_add(tool->diag, RK_ERROR, "RK-U012",
                           rk_place_file(rk_tool_share(tool, "view.html")), "install it again",
                           "the page has no place for the data");
    rk_str out = {.arena = tool->arena};
    rk_str_addn(&out, text, (size_t)(at - text));
    rk_trace_view(&out, trace);
    rk_str_add(&out, at + strlen(mark));
    return rk_file_write(path, out.text, out.length, tool->diag);
}
