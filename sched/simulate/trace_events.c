#include "sched/simulate/trace_events.h"

#include <string.h>

void rk_trace_text(rk_str *out, const char *text)
{
    rk_str_add(out, "\"");
    for (const char *p = text; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            rk_str_addf(out, "\\%c", c);
        else if (c < ' ' || c == '<' || c == 0x7f)
            rk_str_addf(out, "\\u%04x", (unsigned)c);
        else
            rk_str_addn(out, p, 1);
    }
    rk_str_add(out, "\"");
}

static void add_thread_name(rk_str *out, uint32_t thread, const char *name)
{
    rk_str_addf(out,
                ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"args\":{"
                "\"name\":\"%s\"}}",
                thread, name);
    rk_str_addf(out,
                ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"args\":{"
                "\"sort_index\":%u}}",
                thread, thread);
}

void rk_trace_begin(rk_str *out, const rk_trace_run *run)
{
    rk_str_addf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"times\":\"%s\",\"device\":", run->times);
    rk_trace_text(out, run->device);
    if (run->policy) {
        rk_str_add(out, ",\"policy\":");
        rk_trace_text(out, run->policy);
    }
    rk_str_add(out, "},\"traceEvents\":[\n"
                    "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{\"name\":");
    rk_trace_text(out, run->graph);
    rk_str_add(out, "}}");
    add_thread_name(out, 0, "launches");
    for (uint32_t v = 0; v < run->veus; v++)
        add_thread_name(out, v + 1, rk_arena_printf(out->arena, "vEU %u", v));
}

void rk_trace_add(rk_str *out, const rk_trace_event *event)
{
    const uint32_t thread = strcmp(event->kind, "launch") == 0 ? 0 : event->veu + 1;
    rk_str_add(out, ",\n{\"name\":");
    rk_trace_text(out, event->node ? event->node : event->kind);
    rk_str_addf(out, ",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":0,\"tid\":%u,\"ts\":%.4f,\"dur\":%.4f", event->kind, thread,
                event->start / 1000, (event->end - event->start) / 1000);
    rk_str_addf(out, ",\"args\":{\"rprogram\":%u", event->program);
    if (event->node) {
        rk_str_addf(out, ",\"rtask\":%u,\"kernel\":", event->rtask);
        rk_trace_text(out, event->kernel);
    }
    rk_str_add(out, "}}");
}

void rk_trace_end(rk_str *out)
{
    rk_str_add(out, "\n]}\n");
}
