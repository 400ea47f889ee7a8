// spine_test <runs>: a vDevice of phrases alone (rk/gpu/vdevice_shapes.cuh), whose numbers of rTasks are its dimensions, 0 included, and new in
// each run. Each rTask looks whether all rTasks of all phrases that its own comes behind, through waits of others too, have been
// in this run, and leaves its mark.
#include <rk/vdevice.cuh>
#include <rk/vdevice_host.cuh>

#include <stdlib.h>

namespace
{

constexpr unsigned threads = 64, veus = 5, phrases = 8, most = 13, slots = 2 + 4;

// What each phrase waits for: a diamond, a chain behind one that is often empty, and two at once.
constexpr uint32_t waits[] = {0, 0, 1, 2, 3, 4, 5, 4, 6};
constexpr uint32_t wait_first[phrases + 1] = {0, 0, 1, 2, 4, 5, 6, 7, 9};

struct memory_layout {
    uint32_t run, wrong;
    uint32_t counts[phrases];
    uint32_t marks[phrases][most];
};

constexpr uint32_t behind(unsigned p)
{
    uint32_t set = 0;
    for (uint32_t w = wait_first[p]; w < wait_first[p + 1]; w++)
        set |= behind(waits[w]) | 1u << waits[w];
    return set;
}

__device__ void run_rtask(memory_layout *memory, uint32_t phrase, uint32_t before, uint32_t rtask)
{
    for (unsigned p = 0; p < phrases; p++)
        for (unsigned r = threadIdx.x; (before >> p & 1) && r < memory->counts[p]; r += threads)
            if (memory->marks[p][r] != memory->run)
                atomicAdd(&memory->wrong, 1u);
    if (threadIdx.x == 0)
        memory->marks[phrase][rtask] = memory->run;
}

struct functions {
    static __device__ void call(uint32_t, uint32_t rtask, const rk__::vdevice_args &arg)
    {
        run_rtask(arg[0], arg[1], arg[2], rtask);
    }
};

uint32_t entries[phrases + 1][4];
uint32_t items[sizeof waits / sizeof *waits][2];
uint64_t args[phrases * slots + phrases];
const uint32_t veu_first[veus] = {};
const uint32_t programs[1][2] = {{0, most}};
rk__::vdevice_dim dims[phrases];
const rk__::vdevice_shape no_shapes[1] = {};

void set_slots(const int64_t *values, uint64_t *to)
{
    for (unsigned p = 0; p < phrases; p++)
        rk__::vdevice_set_grid(to + p * slots, values[p], 1, 1);
}

const char *find_wrong(const int64_t *values)
{
    return values[0] == 7 ? "the first phrase has no 7 rTasks" : nullptr;
}

void set_extents(const int64_t *, rk__::vdevice_shape *)
{
}

void make_tables()
{
    for (unsigned p = 0; p < phrases; p++) {
        const uint32_t entry[4] = {0, wait_first[p], p * slots + 2, veus + p + 1};
        memcpy(entries[p], entry, sizeof entry);
        args[p * slots + 3] = p;
        args[p * slots + 4] = behind(p);
        dims[p] = {"count", 0, most};
    }
    const uint32_t end[4] = {rk__::vdevice_end, wait_first[phrases], 0, 0};
    memcpy(entries[phrases], end, sizeof end);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        items[i][0] = veus + waits[i];
        items[i][1] = most;
    }
}

bool run_once(rk__::vdevice_instance &vdevice, uint32_t run)
{
    memory_layout *memory = (memory_layout *)vdevice.memory();
    memory_layout host;
    int64_t values[phrases];
    host.run = run;
    host.wrong = 0;
    for (unsigned p = 0; p < phrases; p++) {
        const int drawn = rand();
        values[p] = drawn % 3 == 0 ? 0 : drawn / 3 % (most + 1);
        values[p] = p == 0 && values[p] == 7 ? 6 : values[p];
        host.counts[p] = (uint32_t)values[p];
    }
    if (!vdevice.set_dims(values) ||
        cudaMemcpy(memory, &host, offsetof(memory_layout, marks), cudaMemcpyHostToDevice) != cudaSuccess ||
        !vdevice.run(nullptr, nullptr) || cudaMemcpy(&host, memory, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    for (unsigned p = 0; p < phrases; p++)
        for (unsigned r = 0; r < host.counts[p]; r++)
            host.wrong += host.marks[p][r] != run;
    if (host.wrong)
        fprintf(stderr, "run %u: %u rTasks came too early, or never\n", run, host.wrong);
    return host.wrong == 0;
}

bool refuses(rk__::vdevice_instance &vdevice)
{
    int64_t values[phrases] = {};
    const bool unset = !vdevice.run(nullptr, nullptr);
    values[0] = 7;
    const bool wrong = !vdevice.set_dims(values) && strstr(vdevice.error(), "no 7");
    values[0] = most + 1;
    return unset && wrong && !vdevice.set_dims(values) && strstr(vdevice.error(), "is 14");
}

} // namespace

extern "C" __global__ void __launch_bounds__(threads, 1) spine(const rk__::vdevice_program program)
{
    rk__::vdevice_run_spine<functions, threads>(program);
}

int main(int argc, char **argv)
{
    make_tables();
    const void *const kernels[] = {reinterpret_cast<const void *>(spine)};
    const rk__::vdevice_shapes shapes = {dims, phrases, no_shapes, phrases * slots, set_slots, find_wrong, set_extents};
    const rk__::vdevice_plan plan = {
        "spine", "a100", veus, phrases, threads, 0, sizeof(memory_layout), 0, entries, phrases + 1, veu_first, items,
        sizeof items / sizeof *items, args, sizeof args / sizeof *args, programs, 1, kernels, 1, nullptr, 0, nullptr, 0,
        nullptr, nullptr, 0, &shapes};
    rk__::vdevice_instance vdevice(plan);
    if (!vdevice.create(nullptr) || !refuses(vdevice)) {
        fprintf(stderr, "%s\n", vdevice.error());
        return 2;
    }
    const int runs = argc > 1 ? atoi(argv[1]) : 10;
    for (int run = 1; run <= runs; run++) {
        if (!run_once(vdevice, (uint32_t)run)) {
            fprintf(stderr, "%s\n", vdevice.error());
            return 1;
        }
    }
    return 0;
}
