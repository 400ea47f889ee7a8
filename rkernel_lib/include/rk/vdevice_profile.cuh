#ifndef RK_VDEVICE_PROFILE_CUH
#define RK_VDEVICE_PROFILE_CUH

/*
 * What the program that `rammer profile --target cuda --emit` writes needs: it runs rTasks on vDevices
 * whose tables it makes as it goes, and writes their times, and what the vDevice itself costs, as a
 * profile. Every time is a difference between two runs of which one does more of the same, so that what
 * starting a kernel costs is in none of them.
 */

#include "vdevice_host.cuh"

#include <algorithm>
#include <array>
#include <string>
#include <time.h>
#include <vector>

namespace rk__
{

/** Work to measure: `copies` of the same grid, each with its own arguments and buffers. */
struct profile_item {
    const char *entry; /**< its entry in the profile, up to the times */
    uint32_t kernel, first_arg, params, copies, rtasks;
    size_t float_begin, memory_bytes; /**< what is before float_begin stays 0 */
};

/** Items that share a vDevice's size. */
struct profile_group {
    const char *name;
    uint32_t veus;
    int veu_threads;
    size_t veu_shared;
    const void *const *kernels; /**< a persistent kernel for each rKernel */
    size_t kernel_count;
    const uint64_t *args;
    size_t arg_count;
    const profile_item *items;
    size_t item_count;
};

/** The device that the profile is for. */
struct profile_device {
    const char *name;
    const char *head; /**< of the profile: its members up to "machine" */
    int sms, arch;    /**< 90 for sm_90 */
};

/** Threads of a vEU where it does not matter which. */
constexpr int profile_threads = 256;

struct profile_nothing {
    static __device__ void call(uint32_t, uint32_t, const vdevice_args &)
    {
    }
};

/** An rTask of as many barriers as its number says. */
struct profile_barriers {
    static __device__ void call(uint32_t, uint32_t rtask, const vdevice_args &)
    {
        for (uint32_t i = 0; i < rtask; i++)
            vdevice_barrier();
    }
};

template <class Functions>
__global__ void __launch_bounds__(profile_threads, 1)
    profile_vdevice(const vdevice_program program)
{
    vdevice_run<Functions, profile_threads>(program);
}

/* Templates, so that several sources may include them. */

template <class Functions> __global__ void profile_empty()
{
}

/** Numbers of moderate size in every floating-point format, as emit/image_profile.h has them. */
template <class Word> __global__ void profile_fill(Word *words, size_t count)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        const uint32_t bits = ((uint32_t)i * 1664525u + 1013904223u) * 2654435761u >> 8;
        words[i] = (0x3F80u | (bits >> 10 & 0x7F)) << 16 | 0x3C00u | (bits & 0x3FF);
    }
}

/** The tables of a vDevice of `programs` equal rPrograms. */
class profile_tables
{
  public:
    profile_tables(const char *name, uint32_t veus, int threads, size_t shared, const void *kernel)
        : kernel_(kernel)
    {
        plan_.name = name;
        plan_.device = "";
        plan_.veu_count = veus;
        plan_.veu_threads = threads;
        plan_.veu_shared = shared;
    }

    /** Ends the list of one vEU and begins the next one's. */
    void begin_veu()
    {
        if (!first_.empty())
            end_veu();
        first_.push_back((uint32_t)entries_.size());
        tasks_ = 0;
    }
    void add_rtask(uint32_t what, uint32_t rtask, uint32_t first_arg)
    {
        entries_.push_back({what, rtask, first_arg, 0});
        steps_ = std::max(steps_, ++tasks_);
    }
    /** Waits until `veu` has finished `step` rTasks. */
    void add_wait(uint32_t veu, uint32_t step)
    {
        entries_.push_back({vdevice_wait, 0, (uint32_t)items_.size(), 1});
        items_.push_back({veu, step});
    }

    const vdevice_plan &finish(uint32_t programs, const uint64_t *args, size_t arg_count,
                               size_t memory_bytes)
    {
        while (first_.size() < plan_.veu_count)
            begin_veu();
        end_veu();
        const std::vector<uint32_t> lists = first_;
        for (uint32_t i = 0; i < programs; i++) {
            programs_.push_back({0, steps_});
            if (i > 0)
                first_.insert(first_.end(), lists.begin(), lists.end());
        }
        plan_.entries = reinterpret_cast<const uint32_t(*)[4]>(entries_.data());
        plan_.entry_count = entries_.size();
        plan_.veu_first = first_.data();
        plan_.items = reinterpret_cast<const uint32_t(*)[2]>(items_.data());
        plan_.item_count = items_.size();
        plan_.args = args;
        plan_.arg_count = arg_count;
        plan_.programs = reinterpret_cast<const uint32_t(*)[2]>(programs_.data());
        plan_.program_count = programs_.size();
        plan_.kernels = &kernel_;
        plan_.kernel_count = 1;
        plan_.memory_bytes = memory_bytes;
        return plan_;
    }

  private:
    void end_veu()
    {
        entries_.push_back({vdevice_end, 0, 0, 0});
    }

    vdevice_plan plan_ = {};
    const void *kernel_;
    std::vector<std::array<uint32_t, 4>> entries_;
    std::vector<std::array<uint32_t, 2>> items_, programs_;
    std::vector<uint32_t> first_;
    uint32_t steps_ = 0, tasks_ = 0;
};

/** Measures and writes; the functions that return times in ns return a negative one on failure. */
class profiler
{
  public:
    profiler(const profile_device &device, const profile_group *const *groups, size_t group_count)
        : device_(device), groups_(groups), group_count_(group_count)
    {
    }
    ~profiler()
    {
        if (stream_)
            cudaStreamDestroy(stream_);
    }
    profiler(const profiler &) = delete;
    profiler &operator=(const profiler &) = delete;

    /** The exit status. */
    int main(const char *path)
    {
        if (!check_device() || !measure_costs() || !measure_items() || !write(path)) {
            fprintf(stderr, "%s\n",
                    error_.empty() ? cudaGetErrorString(cudaGetLastError()) : error_.c_str());
            return 2;
        }
        printf("written to %s\n", path);
        return 0;
    }

  private:
    enum { SAMPLES = 21, FEW_ROUNDS = 8, MOST_ROUNDS = 512 };
    static constexpr double rounds_ns = 100e3, least_ns = 1;

    bool check_device()
    {
        cudaDeviceProp found;
        int at = 0;
        if (cudaGetDevice(&at) != cudaSuccess ||
            cudaGetDeviceProperties(&found, at) != cudaSuccess ||
            cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess)
            return false;
        machine_ = found.name;
        const int arch = 10 * found.major + found.minor;
        if (found.multiProcessorCount == device_.sms && arch == device_.arch)
            return true;
        error_ = "this device, " + machine_ + ", has " + std::to_string(found.multiProcessorCount) +
                 " SMs of sm_" + std::to_string(arch) + ", and '" + device_.name + "' " +
                 std::to_string(device_.sms) + " of sm_" + std::to_string(device_.arch) +
                 ": profile with the descriptor of this device";
        return false;
    }

    /** The lower quartile of the time of `enqueue`, ns. */
    template <class Enqueue> double time(const Enqueue &enqueue)
    {
        std::vector<double> samples;
        cudaEvent_t start, stop;
        if (cudaEventCreate(&start) != cudaSuccess || cudaEventCreate(&stop) != cudaSuccess)
            return -1;
        bool good = enqueue() && cudaStreamSynchronize(stream_) == cudaSuccess;
        for (int i = 0; good && i < SAMPLES; i++) {
            float milliseconds = 0;
            good = cudaEventRecord(start, stream_) == cudaSuccess && enqueue() &&
                   cudaEventRecord(stop, stream_) == cudaSuccess &&
                   cudaEventSynchronize(stop) == cudaSuccess &&
                   cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess;
            samples.push_back(1e6 * milliseconds);
        }
        cudaEventDestroy(start);
        cudaEventDestroy(stop);
        std::sort(samples.begin(), samples.end());
        return good ? samples[SAMPLES / 4] : -1;
    }

    double time_plan(const vdevice_plan &plan, size_t float_begin)
    {
        vdevice_instance instance(plan);
        if (!instance.create(nullptr)) {
            error_ = instance.error();
            return -1;
        }
        const size_t words = (plan.memory_bytes - float_begin) / sizeof(uint32_t);
        if (words)
            profile_fill<<<1024, 256, 0, stream_>>>(
                reinterpret_cast<uint32_t *>(instance.memory() + float_begin), words);
        const double ns = time([&] { return instance.launch(stream_); });
        if (ns < 0 && *instance.error())
            error_ = instance.error();
        return ns;
    }

    /* Items. */

    double time_item(const profile_group &group, const profile_item &item, uint32_t veus,
                     uint32_t rounds)
    {
        profile_tables tables(group.name, group.veus, group.veu_threads, group.veu_shared,
                              group.kernels[item.kernel]);
        const uint32_t copies = veus > 1 ? item.copies : 1;
        for (uint32_t v = 0; v < veus; v++) {
            tables.begin_veu();
            for (uint32_t i = 0; i < rounds; i++) {
                const uint64_t task = (v + (uint64_t)i * veus) % ((uint64_t)copies * item.rtasks);
                tables.add_rtask(item.kernel, (uint32_t)(task % item.rtasks),
                                 item.first_arg + (uint32_t)(task / item.rtasks) * item.params);
            }
        }
        return time_plan(tables.finish(1, group.args, group.arg_count, item.memory_bytes),
                         item.float_begin);
    }

    double time_rtask(const profile_group &group, const profile_item &item, uint32_t veus)
    {
        const double few = time_item(group, item, veus, FEW_ROUNDS);
        const double wanted = few > 0 ? FEW_ROUNDS * rounds_ns / few : (double)FEW_ROUNDS;
        const uint32_t rounds = (uint32_t)std::min(std::max(wanted, 4.0), (double)MOST_ROUNDS);
        const double less = few < 0 ? -1 : time_item(group, item, veus, rounds);
        const double more = less < 0 ? -1 : time_item(group, item, veus, 2 * rounds);
        return more < 0 ? -1 : std::max((more - less) / rounds - overhead_, least_ns);
    }

    bool measure_items()
    {
        for (size_t g = 0; g < group_count_; g++) {
            const profile_group &group = *groups_[g];
            for (size_t i = 0; i < group.item_count; i++) {
                fprintf(stderr, "\rmeasuring %zu of %zu (%s) ", i + 1, group.item_count,
                        group.name);
                const double busy = time_rtask(group, group.items[i], group.veus);
                const double alone = busy < 0 ? -1 : time_rtask(group, group.items[i], 1);
                if (alone < 0)
                    return false;
                char times[96];
                snprintf(times, sizeof times, ",\"busy_ns\":%.3f,\"alone_ns\":%.3f}", busy, alone);
                entries_.push_back(group.items[i].entry + std::string(times));
            }
        }
        fputc('\n', stderr);
        return true;
    }

    /* What the vDevice costs. */

    /** A vDevice of one vEU on each SM, with `rounds` rTasks of number `rtask` on each of `veus`. */
    template <class Functions>
    double time_rounds(uint32_t veus, uint32_t rounds, uint32_t rtask, uint32_t programs = 1)
    {
        profile_tables tables("costs", (uint32_t)device_.sms, profile_threads, 0,
                              reinterpret_cast<const void *>(profile_vdevice<Functions>));
        for (uint32_t v = 0; v < veus; v++) {
            tables.begin_veu();
            for (uint32_t i = 0; i < rounds; i++)
                tables.add_rtask(0, rtask, 0);
        }
        return time_plan(tables.finish(programs, nullptr, 0, 0), 0);
    }

    /** Two vEUs whose rTasks wait for each other in turn: 2 * rounds signals. */
    double time_relay(uint32_t rounds)
    {
        profile_tables tables("signals", (uint32_t)device_.sms, profile_threads, 0,
                              reinterpret_cast<const void *>(profile_vdevice<profile_nothing>));
        for (uint32_t v = 0; v < 2; v++) {
            tables.begin_veu();
            for (uint32_t i = 0; i < rounds; i++) {
                if (i + v > 0)
                    tables.add_wait(1 - v, i + v);
                tables.add_rtask(0, 0, 0);
            }
        }
        return time_plan(tables.finish(1, nullptr, 0, 0), 0);
    }

    /** `count` empty kernels that follow each other in a captured graph. */
    double time_graph(int count)
    {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        bool good =
            cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
        for (int i = 0; good && i < count; i++)
            profile_empty<profile_nothing><<<device_.sms, profile_threads, 0, stream_>>>();
        good = cudaStreamEndCapture(stream_, &graph) == cudaSuccess && good;
        good = good && cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess;
        const double ns =
            good ? time([&] { return cudaGraphLaunch(exec, stream_) == cudaSuccess; }) : -1;
        if (exec)
            cudaGraphExecDestroy(exec);
        if (graph)
            cudaGraphDestroy(graph);
        return ns;
    }

    /** Adds a cost, unless it drowned in noise; false when a run failed. */
    bool add_cost(const char *name, double less, double more, double times, double off = 0)
    {
        if (less < 0 || more < 0)
            return false;
        const double ns = (more - less) / times - off;
        char text[96];
        snprintf(text, sizeof text, "%s\"%s\":%.3f", costs_.empty() ? "" : ",", name, ns);
        if (ns >= least_ns)
            costs_ += text;
        return true;
    }

    bool measure_costs()
    {
        enum { ROUNDS = 256, PROGRAMS = 65, BARRIERS = 16 };
        const uint32_t all = (uint32_t)device_.sms;
        const double less = time_rounds<profile_nothing>(all, ROUNDS, 0);
        const double more = less < 0 ? -1 : time_rounds<profile_nothing>(all, 2 * ROUNDS, 0);
        if (more < 0)
            return false;
        overhead_ = std::max((more - less) / ROUNDS, 0.0);
        return add_cost("launch_ns", time_rounds<profile_nothing>(0, 0, 0),
                        time_rounds<profile_nothing>(0, 0, 0, PROGRAMS), PROGRAMS - 1) &&
               add_cost("graph_launch_ns", time_graph(1), time_graph(PROGRAMS), PROGRAMS - 1) &&
               (all < 2 || add_cost("signal_ns", time_relay(ROUNDS), time_relay(2 * ROUNDS),
                                    2 * ROUNDS, overhead_)) &&
               add_cost("rtask_overhead_ns", less, more, ROUNDS) &&
               add_cost("barrier_ns", time_rounds<profile_barriers>(all, ROUNDS, 1),
                        time_rounds<profile_barriers>(all, ROUNDS, 1 + BARRIERS),
                        ROUNDS * BARRIERS);
    }

    /** Writes beside the file and renames, so that a reader never sees half of it. */
    bool write(const char *path)
    {
        char when[32];
        const time_t now = ::time(nullptr);
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
        const std::string temporary = std::string(path) + ".tmp";
        FILE *file = fopen(temporary.c_str(), "w");
        bool good = file != nullptr;
        if (good)
            fprintf(file, "%s,\n\"machine\":\"%s\",\n\"measured\":\"%s\",\n\"costs\":{%s},\n",
                    device_.head, machine_.c_str(), when, costs_.c_str());
        if (good)
            fputs("\"entries\":[", file);
        for (size_t i = 0; good && i < entries_.size(); i++)
            fprintf(file, "%s\n%s", i ? "," : "", entries_[i].c_str());
        if (good)
            fputs("\n]}\n", file);
        good = file && !ferror(file);
        good = (file && fclose(file) == 0) && good;
        good = good && rename(temporary.c_str(), path) == 0;
        if (!good)
            error_ = std::string("cannot write ") + path;
        return good;
    }

    const profile_device &device_;
    const profile_group *const *groups_;
    size_t group_count_;
    cudaStream_t stream_ = nullptr;
    double overhead_ = 0;
    std::string machine_, costs_, error_;
    std::vector<std::string> entries_;
};

} // namespace rk__

#endif
