// Runs what emit_vendor wrote: its vDevice twice, in poisoned memory, and compares each output with its definition.
#include "vendor.cu"

#include <rk/vdevice_test.cuh>

namespace
{

struct expectation {
    double tolerance; // |result - expected| <= tolerance * (1 + |expected|)
    int before;       // the byte that it is filled with
    std::vector<char> values;
};

bool read_expectations(std::vector<expectation> &all)
{
    FILE *lines = fopen("outputs.txt", "r");
    for (int i = 0; lines && i < vendor_output_count; i++) {
        expectation e;
        e.values.resize(vendor_outputs[i].bytes);
        FILE *values = fopen(("reference/output_" + std::to_string(i) + ".bin").c_str(), "rb");
        if (!values || fread(e.values.data(), 1, e.values.size(), values) != e.values.size() ||
            fscanf(lines, "%lf %d", &e.tolerance, &e.before) != 2)
            return false;
        fclose(values);
        all.push_back(e);
    }
    return lines && fclose(lines) == 0;
}

bool near_enough(double got, double want, double tolerance)
{
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= tolerance * (1 + fabs(want));
}

bool compare(const vendor_tensor &output, const expectation &e, const std::vector<char> &got)
{
    const rk__::element_type *type = rk__::find_element_type(output.dtype);
    if (type->tolerance == 0) {
        const bool same = memcmp(got.data(), e.values.data(), got.size()) == 0;
        if (!same)
            printf("%s: WRONG\n", output.name);
        return same;
    }
    // Results of 16 bits are near when they are rounded to neighbours.
    const double tolerance = type->bytes == 2 ? 0.01 : e.tolerance;
    for (size_t i = 0; i < got.size() / type->bytes; i++) {
        const double g = type->at(got.data(), i), w = type->at(e.values.data(), i);
        if (near_enough(g, w, tolerance))
            continue;
        printf("%s: element %zu is %.9g and not %.9g: WRONG\n", output.name, i, g, w);
        return false;
    }
    return true;
}

bool run_once(rk__::vdevice_instance &vdevice, const std::vector<expectation> &all)
{
    const size_t constants = vendor_device::plan.constant_bytes;
    bool good = cudaMemset(vdevice.memory() + constants, 0xFF,
                           vendor_device::plan.memory_bytes - constants) == cudaSuccess;
    for (int i = 0; i < vendor_output_count; i++)
        good = cudaMemset(vdevice.output((size_t)i), all[(size_t)i].before, vendor_outputs[i].bytes) ==
                   cudaSuccess &&
               good;
    good = vdevice.launch(nullptr) && cudaDeviceSynchronize() == cudaSuccess && good;
    for (int i = 0; good && i < vendor_output_count; i++) {
        std::vector<char> got(vendor_outputs[i].bytes);
        good = cudaMemcpy(got.data(), vdevice.output((size_t)i), got.size(), cudaMemcpyDeviceToHost) ==
               cudaSuccess;
        good = compare(vendor_outputs[i], all[(size_t)i], got) && good;
    }
    return good;
}

} // namespace

int main()
{
    std::vector<expectation> all;
    rk__::vdevice_instance vdevice(vendor_device::plan);
    if (!read_expectations(all) || !vdevice.create("weights.bin")) {
        fprintf(stderr, "cannot begin: %s\n", vdevice.error());
        return 2;
    }
    bool good = true;
    for (int run = 0; good && run < 2; run++)
        good = run_once(vdevice, all);
    if (*vdevice.error())
        fprintf(stderr, "%s\n", vdevice.error());
    printf("%d outputs: %s\n", (int)vendor_output_count, good ? "good" : "WRONG");
    return good ? 0 : 1;
}
