#ifndef RK_VDEVICE_BENCH_CUH
#define RK_VDEVICE_BENCH_CUH

/*
 * What the generated bench.cu needs: it times a vDevice against the same rKernels launched one by
 * one as ordinary kernels, and against those launches captured in a CUDA graph.
 */

#include "vdevice_host.cuh"

#include <algorithm>
#include <string>
#include <vector>

namespace rk__
{

/** The arguments of an ordinary launch, by value, as a kernel's parameters are. */
template <unsigned Count> class launch_args
{
  public:
    launch_args(unsigned char *memory, const uint64_t *slots) : memory_(memory)
    {
        memcpy(slots_, slots, sizeof slots_);
    }
    __device__ vdevice_arg operator[](unsigned i) const
    {
        return vdevice_arg(memory_, slots_[i]);
    }

  private:
    unsigned char *memory_;
    uint64_t slots_[Count];
};

/** Enqueues one node: rKernel `fn` with its whole grid. */
using launch_function = void (*)(uint32_t fn, unsigned char *memory, const uint64_t *slots,
                                 cudaStream_t stream);

struct launch_kernel {
    const void *function;
    size_t shared; /**< dynamic shared memory of its launches */
};

class vdevice_bench
{
  public:
    vdevice_bench(const vdevice_plan &plan, launch_function launch, const launch_kernel *kernels,
                  size_t kernel_count)
        : plan_(plan), instance_(plan), launch_(launch), kernels_(kernels),
          kernel_count_(kernel_count)
    {
    }

    /** Prints one `name value` line each; the exit status. */
    int main(const std::string &folder)
    {
        if (!instance_.create((folder + "/weights.bin").c_str())) {
            fprintf(stderr, "%s\n", instance_.error());
            return 2;
        }
        read_inputs(folder);
        bool good = prepare() && measure();
        if (!good)
            fprintf(stderr, "%s: %s\n", plan_.name,
                    *instance_.error() ? instance_.error()
                                       : cudaGetErrorString(cudaGetLastError()));
        if (graph_)
            cudaGraphExecDestroy(graph_);
        if (stream_)
            cudaStreamDestroy(stream_);
        return good ? 0 : 1;
    }

  private:
    enum { SAMPLES = 15, WARM_UP = 3, ROUNDS = 3 };
    static constexpr double sample_us = 20e3;

    /** With no reference the inputs are zero: the times are the same. */
    void read_inputs(const std::string &folder)
    {
        for (size_t i = 0; i < plan_.input_count; i++) {
            std::string path = folder + "/reference/input_" + std::to_string(i) + ".bin";
            std::vector<char> bytes(plan_.inputs[i].bytes);
            FILE *file = fopen(path.c_str(), "rb");
            if (file && fread(bytes.data(), 1, bytes.size(), file) != bytes.size())
                std::fill(bytes.begin(), bytes.end(), 0);
            if (file)
                fclose(file);
            inputs_.push_back(bytes);
        }
    }

    /**
     * Other inputs for each round, and memory in which nothing of a run before is left, so that a value that was read too
     * early is a wrong one: the inputs' elements move on by 8 bytes, which keeps indices in their range.
     */
    bool poison(size_t round)
    {
        bool good = cudaStreamSynchronize(stream_) == cudaSuccess &&
                    cudaMemset(instance_.memory() + plan_.constant_bytes, 0xFF,
                               plan_.memory_bytes - plan_.constant_bytes) == cudaSuccess;
        for (size_t i = 0; good && i < inputs_.size(); i++) {
            std::vector<char> bytes = inputs_[i];
            if (!bytes.empty() && bytes.size() % 8 == 0)
                std::rotate(bytes.begin(), bytes.begin() + 8 * round % bytes.size(), bytes.end());
            good = cudaMemcpy(instance_.input(i), bytes.data(), bytes.size(),
                              cudaMemcpyHostToDevice) == cudaSuccess;
        }
        return good && cudaDeviceSynchronize() == cudaSuccess;
    }

    /** Whether both ways give the same bytes, round by round. */
    bool compare(bool *same)
    {
        *same = true;
        for (size_t round = 0; round < ROUNDS; round++) {
            if (!poison(round) || !one_by_one())
                return false;
            const std::vector<char> expected = outputs();
            if (!poison(round) || !instance_.launch(stream_))
                return false;
            *same = outputs() == expected && *same;
        }
        return cudaGetLastError() == cudaSuccess;
    }

    bool prepare()
    {
        bool good = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess;
        for (size_t i = 0; good && i < kernel_count_; i++) {
            if (kernels_[i].shared > 48 * 1024)
                good = cudaFuncSetAttribute(kernels_[i].function,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            (int)kernels_[i].shared) == cudaSuccess;
        }
        return good && capture();
    }

    bool one_by_one()
    {
        for (size_t i = 0; i < plan_.launch_count; i++)
            launch_(plan_.launches[i][0], instance_.memory(), plan_.args + plan_.launches[i][1],
                    stream_);
        return cudaPeekAtLastError() == cudaSuccess;
    }

    bool capture()
    {
        cudaGraph_t graph = nullptr;
        bool good =
            cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
        good = good && one_by_one();
        good = cudaStreamEndCapture(stream_, &graph) == cudaSuccess && good;
        good = good && cudaGraphInstantiateWithFlags(&graph_, graph, 0) == cudaSuccess;
        if (graph)
            cudaGraphDestroy(graph);
        return good;
    }

    std::vector<char> outputs()
    {
        std::vector<char> all;
        cudaStreamSynchronize(stream_);
        for (size_t i = 0; i < plan_.output_count; i++) {
            size_t at = all.size();
            all.resize(at + plan_.outputs[i].bytes);
            cudaMemcpy(all.data() + at, instance_.output(i), plan_.outputs[i].bytes,
                       cudaMemcpyDeviceToHost);
        }
        return all;
    }

    /** Microseconds of `count` runs in one go. */
    template <class Run> double time(const Run &run, int count)
    {
        cudaEvent_t start, stop;
        float milliseconds = -1;
        if (cudaEventCreate(&start) != cudaSuccess || cudaEventCreate(&stop) != cudaSuccess)
            return -1;
        bool good = cudaEventRecord(start, stream_) == cudaSuccess;
        for (int i = 0; good && i < count; i++)
            good = run();
        good = cudaEventRecord(stop, stream_) == cudaSuccess && good;
        good = cudaEventSynchronize(stop) == cudaSuccess && good &&
               cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess;
        cudaEventDestroy(start);
        cudaEventDestroy(stop);
        return good ? 1e3 * milliseconds : -1;
    }

    /** Median time of a run in microseconds; negative on failure. */
    template <class Run> double median(const Run &run)
    {
        double warm = time(run, WARM_UP);
        if (warm < 0)
            return warm;
        int count = std::max(1, (int)(sample_us * WARM_UP / std::max(warm, 1.0)));
        std::vector<double> samples;
        for (int i = 0; i < SAMPLES; i++) {
            double us = time(run, count);
            if (us < 0)
                return us;
            samples.push_back(us / count);
        }
        std::sort(samples.begin(), samples.end());
        return samples[SAMPLES / 2];
    }

    bool measure()
    {
        bool same = false;
        if (!compare(&same))
            return false;
        double single = median([this] { return one_by_one(); });
        double graph = median([this] { return cudaGraphLaunch(graph_, stream_) == cudaSuccess; });
        double vdevice = median([this] { return instance_.launch(stream_); });
        if (single < 0 || graph < 0 || vdevice < 0)
            return false;
        printf("nodes %zu\nrprograms %zu\nveus %u\n", plan_.launch_count, plan_.program_count,
               plan_.veu_count);
        printf("vdevice_us %.3f\none_by_one_us %.3f\ngraph_us %.3f\n", vdevice, single, graph);
        printf("same_bytes %s\n", same ? "yes" : "no");
        return true;
    }

    const vdevice_plan &plan_;
    vdevice_instance instance_;
    launch_function launch_;
    const launch_kernel *kernels_;
    size_t kernel_count_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t graph_ = nullptr;
    std::vector<std::vector<char>> inputs_;
};

} // namespace rk__

#endif
