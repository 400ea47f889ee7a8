#ifndef RK_VDEVICE_TRACE_CUH
#define RK_VDEVICE_TRACE_CUH

/*
 * Writes the times that a vDevice built with -DRK_TRACE took of its last run, in the Trace Event Format as `rammer view --trace`
 * does for simulated ones: a thread for each vEU, an event for each entry of its list. Part of vdevice_host.cuh.
 */

#include <vector>

namespace rk__
{

/** A JSON string. */
inline void vdevice_write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *p = text; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < ' ' || c == '<' || c == 0x7f)
            fprintf(file, "\\u%04x", (unsigned)c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

/** Thread 0 is for launches, which are not measured. */
inline void vdevice_write_head(FILE *file, const vdevice_plan &plan)
{
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"times\":\"measured\",\"device\":", file);
    vdevice_write_text(file, plan.device);
    fputs("},\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{\"name\":", file);
    vdevice_write_text(file, plan.name);
    fputs("}}", file);
    for (uint32_t v = 0; v < plan.veu_count; v++)
        fprintf(file,
                ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"args\":{\"name\":\"vEU %u\"}}"
                ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"args\":{\"sort_index\":%u}}",
                v + 1, v, v + 1, v + 1);
}

/** Calls `visit(program, veu, entry)` for each entry but the ends of lists. */
template <class Visit> void vdevice_each_entry(const vdevice_plan &plan, const Visit &visit)
{
    for (size_t p = 0; p < plan.program_count; p++) {
        for (uint32_t v = 0; v < plan.veu_count; v++) {
            for (size_t e = plan.veu_first[p * plan.veu_count + v]; plan.entries[e][0] != vdevice_end; e++)
                visit(p, v, e);
        }
    }
}

inline bool vdevice_instance::write_trace(const char *path)
{
    const vdevice_current current(device_);
    if (plan_.shapes)
        return fail("%s: times are taken by entry, and with open dimensions all vEUs share one list", plan_.name);
    std::vector<uint64_t> times(2 * plan_.entry_count);
    if (!check(cudaDeviceSynchronize(), "end the run") ||
        !check(cudaMemcpy(times.data(), times_, times.size() * sizeof times[0], cudaMemcpyDeviceToHost),
               "read the times"))
        return false;
    uint64_t first = ~(uint64_t)0;
    vdevice_each_entry(plan_, [&](size_t, uint32_t, size_t e) { first = times[2 * e] < first ? times[2 * e] : first; });
    FILE *file = fopen(path, "w");
    if (!file)
        return fail("%s: cannot write %s", plan_.name, path);
    vdevice_write_head(file, plan_);
    vdevice_each_entry(plan_, [&](size_t program, uint32_t veu, size_t e) {
        const bool waits = plan_.entries[e][0] == vdevice_wait;
        fputs(",\n{\"name\":", file);
        vdevice_write_text(file, waits ? "wait" : node_of(plan_.entries[e]));
        fprintf(file, ",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":0,\"tid\":%u,\"ts\":%.4f,\"dur\":%.4f,\"args\":{\"rprogram\":%zu",
                waits ? "wait" : "work", veu + 1, (double)(times[2 * e] - first) / 1000,
                (double)(times[2 * e + 1] - times[2 * e]) / 1000, program);
        if (!waits)
            fprintf(file, ",\"rtask\":%u", plan_.entries[e][1]);
        fputs("}}", file);
    });
    fputs("\n]}\n", file);
    return fclose(file) == 0 || fail("%s: cannot write %s", plan_.name, path);
}

} // namespace rk__

#endif
