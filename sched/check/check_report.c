#include "sched/check/check_internal.h"

#include <stdarg.h>

/** Reports of one code that are shown. */
enum { SHOWN_MOST = 8 };

const rk_candidate *rk_checker_candidate(const rk_checker *c, rk_id node)
{
    return &c->problem->candidates->nodes[node].items[c->schedule->selected[node]];
}

bool rk_checker_fail(rk_checker *c, int code, rk_id node, const char *hint, const char *format, ...)
{
    if (c->reported[code]++ >= SHOWN_MOST)
        return false;
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const rk_graph *graph = c->problem->graph;
    rk_place place = {.file = graph->file, .object = "schedule"};
    if (node != RK_NO_ID)
        place = rk_place_object(c->scratch, graph->file, "node", graph->nodes[node].name);
    return rk_diag_add(c->diag, RK_ERROR, rk_arena_printf(c->scratch, "RK-K%03d", code), place,
                       hint, "%s", message);
}

void rk_checker_count_hidden(rk_checker *c)
{
    for (int code = 0; code < RK_CHECK_CODES; code++)
        if (c->reported[code] > SHOWN_MOST)
            rk_diag_add(c->diag, RK_NOTE, rk_arena_printf(c->scratch, "RK-K%03d", code),
                        (rk_place){.file = c->problem->graph->file, .object = "schedule"}, NULL,
                        "and %zu more like these", c->reported[code] - SHOWN_MOST);
}
