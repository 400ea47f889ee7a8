// stress_test <runs>: runs of one vDevice back to back, in memory that is poisoned before each, on two inputs in turn that differ in
// each element: with the first the outputs are those of reference/, with the second always the same. MODEL is the folder's name.
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#include TEXT(MODEL.cu)

#include <rk/vdevice_test.cuh>

#include <stdlib.h>

#define JOINED(a, b) a##b
#define NAMED(a, b) JOINED(a, b)
namespace model = NAMED(MODEL, _device);

namespace
{

using bytes = std::vector<char>;

bool put_inputs(rk__::vdevice_instance &vdevice, const void *const *inputs, bool moved)
{
    bool good = true;
    for (size_t i = 0; i < model::plan.input_count; i++) {
        const size_t size = model::plan.inputs[i].bytes;
        bytes values((const char *)inputs[i], (const char *)inputs[i] + size);
        for (size_t at = 0; moved && at + 4 <= size; at += 4)
            memcpy(&values[at], (const char *)inputs[i] + (at + 4) % (size / 4 * 4), 4);
        good = cudaMemcpy(vdevice.input(i), values.data(), size, cudaMemcpyHostToDevice) == cudaSuccess && good;
    }
    return good;
}

#ifdef RK_WATCHDOG
/** A run by the API's way, which says what was overdue. */
int run_watched(rk__::vdevice_instance &vdevice, rk__::reference_values &values)
{
    if (vdevice.run(values.inputs(), values.outputs()))
        return values.compare(0) && vdevice.write_trace("trace.json") ? 0 : 1;
    fprintf(stderr, "%s\n", vdevice.error());
    return 1;
}
#endif

bool run_once(rk__::vdevice_instance &vdevice, const void *const *inputs, int run)
{
    const size_t constants = model::plan.constant_bytes;
    return cudaMemset(vdevice.memory() + constants, run % 4 < 2 ? 0xFF : 0x71, model::plan.memory_bytes - constants) ==
               cudaSuccess &&
           put_inputs(vdevice, inputs, run % 2) && vdevice.launch(nullptr) && cudaDeviceSynchronize() == cudaSuccess;
}

bool take_outputs(rk__::vdevice_instance &vdevice, std::vector<bytes> &outputs)
{
    outputs.assign(model::plan.output_count, bytes());
    bool good = true;
    for (size_t i = 0; i < outputs.size(); i++) {
        outputs[i].resize(model::plan.outputs[i].bytes);
        good = cudaMemcpy(outputs[i].data(), vdevice.output(i), outputs[i].size(), cudaMemcpyDeviceToHost) == cudaSuccess &&
               good;
    }
    return good;
}

} // namespace

int main(int argc, char **argv)
{
    rk__::reference_values values(".");
    for (size_t i = 0; i < model::plan.input_count; i++)
        values.add_input("input", model::plan.inputs[i].bytes);
    for (size_t i = 0; i < model::plan.output_count; i++)
        values.add_output("output", "f32", model::plan.outputs[i].bytes);
    rk__::vdevice_instance vdevice(model::plan);
    if (!values.read() || !vdevice.create("weights.bin")) {
        fprintf(stderr, "%s\n", vdevice.error());
        return 2;
    }
#ifdef RK_WATCHDOG
    return run_watched(vdevice, values);
#endif
    std::vector<bytes> first[2];
    for (int run = 0; run < (argc > 1 ? atoi(argv[1]) : 4); run++) {
        std::vector<bytes> outputs;
        if (!run_once(vdevice, values.inputs(), run) || !take_outputs(vdevice, outputs)) {
            fprintf(stderr, "run %d: %s\n", run, vdevice.error());
            return 1;
        }
        if (run < 2)
            first[run] = outputs;
        for (size_t i = 0; i < outputs.size(); i++)
            memcpy(values.outputs()[i], outputs[i].data(), outputs[i].size());
        if (outputs != first[run % 2] || (run % 2 == 0 && !values.compare(run))) {
            printf("run %d: WRONG\n", run);
            return 1;
        }
    }
    if (first[0] == first[1]) {
        printf("both inputs give the same\n");
        return 1;
    }
    return 0;
}
