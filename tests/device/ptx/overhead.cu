// overhead <what> <n>: n rTasks that do nothing, on one vEU of one warp, whose lists are made here: `plain` ones, ones that are awaited by
// somebody (`awaited`), ones that are counted as well (`counted`), or each behind a wait that is satisfied (`waits`).
#include <rk/vdevice.cuh>
#include <rk/vdevice_host.cuh>

#include <stdlib.h>

#include <vector>

struct functions {
    static __device__ void call(uint32_t fn, uint32_t, const rk__::vdevice_args &)
    {
        switch (fn) {
        case 0:
            asm volatile("// nothing");
            break;
        default:
            break;
        }
    }
};

__global__ void __launch_bounds__(32) overhead(const rk__::vdevice_program program)
{
    rk__::vdevice_run<functions, 32>(program);
}

int main(int argc, char **argv)
{
    const char *what = argc == 3 ? argv[1] : "";
    const uint32_t n = argc == 3 ? (uint32_t)atoi(argv[2]) : 0;
    const uint64_t args[] = {n | (uint64_t)1 << 32, 1, 0};
    const uint32_t awaited = strcmp(what, "plain") == 0 ? 0 : rk__::vdevice_awaited;
    const uint32_t counter = strcmp(what, "counted") == 0 ? 2 : 0;
    std::vector<rk__::vdevice_entry> entries;
    std::vector<rk__::vdevice_item> items;
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(what, "waits") == 0) {
            entries.push_back({rk__::vdevice_wait, 0, (uint32_t)items.size(), 1});
            items.push_back({0, i});
        }
        entries.push_back({awaited, i, 2, counter});
    }
    entries.push_back({rk__::vdevice_end, 0, 0, 0});
    items.push_back({0, 0});
    const uint32_t first[] = {0}, programs[][2] = {{0, n}};
    const void *const kernels[] = {reinterpret_cast<const void *>(overhead)};
    rk__::vdevice_plan plan = {};
    plan.name = "overhead";
    plan.veu_count = 1;
    plan.counter_count = 1;
    plan.veu_threads = 32;
    plan.memory_bytes = 4;
    plan.entries = reinterpret_cast<const uint32_t(*)[4]>(entries.data());
    plan.entry_count = entries.size();
    plan.veu_first = first;
    plan.items = reinterpret_cast<const uint32_t(*)[2]>(items.data());
    plan.item_count = items.size();
    plan.args = args;
    plan.arg_count = 3;
    plan.programs = programs;
    plan.program_count = 1;
    plan.kernels = kernels;
    plan.kernel_count = 1;
    rk__::vdevice_instance instance(plan);
    if (!instance.create(nullptr) || !instance.run(nullptr, nullptr)) {
        fprintf(stderr, "%s\n", instance.error());
        return 1;
    }
    return 0;
}
