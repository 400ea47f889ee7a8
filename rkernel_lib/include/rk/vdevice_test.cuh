#ifndef RK_VDEVICE_TEST_CUH
#define RK_VDEVICE_TEST_CUH

/* What the generated test.cu needs: reference values from files, and the comparison. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <string>
#include <vector>

namespace rk__
{

/** IEEE half precision and bfloat16 from their bits. */
inline double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023, sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}
inline double bfloat16_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

template <class T> double element(const char *bytes, size_t i)
{
    T value;
    memcpy(&value, bytes + i * sizeof(T), sizeof value);
    return (double)value;
}

/** How to read and compare elements of a type. */
struct element_type {
    const char *name;
    size_t bytes;
    double (*at)(const char *bytes, size_t i);
    double tolerance; /**< of the largest reference value; 0: the same bytes */
};

inline const element_type *find_element_type(const char *name)
{
    static const element_type types[] = {
        {"f32", 4, element<float>, 1e-4},
        {"f64", 8, element<double>, 1e-4},
        {"f16", 2, [](const char *b, size_t i) { return half_value(((const uint16_t *)b)[i]); },
         4e-3},
        {"bf16", 2,
         [](const char *b, size_t i) { return bfloat16_value(((const uint16_t *)b)[i]); }, 3e-2},
        {"i8", 1, element<int8_t>, 0},
        {"u8", 1, element<uint8_t>, 0},
        {"i16", 2, element<int16_t>, 0},
        {"u16", 2, element<uint16_t>, 0},
        {"i32", 4, element<int32_t>, 0},
        {"u32", 4, element<uint32_t>, 0},
        {"i64", 8, element<int64_t>, 0},
        {"u64", 8, element<uint64_t>, 0},
        {"bool", 1, element<uint8_t>, 0},
    };
    for (const element_type &type : types) {
        if (strcmp(type.name, name) == 0)
            return &type;
    }
    return nullptr;
}

/** Input and expected output values, from `<folder>/reference`. */
class reference_values
{
  public:
    explicit reference_values(const char *folder)
        : folder_(folder + std::string("/reference/")), weights_(folder + std::string("/weights.bin"))
    {
    }
    /** Of a member of a family, which has a folder of its own. */
    reference_values(const char *folder, int member) : reference_values(folder)
    {
        folder_ += std::to_string(member) + "/";
    }
    bool read_dims(int64_t *dims, size_t count) const
    {
        std::vector<char> bytes(count * sizeof *dims);
        const bool good = read_file(folder_ + "dims.bin", bytes);
        memcpy(dims, bytes.data(), bytes.size());
        return good;
    }
    void add_input(const char *name, const char *dtype, int rank, const int64_t *shape)
    {
        add_input(name, shape_bytes(dtype, rank, shape));
    }
    void add_output(const char *name, const char *dtype, int rank, const int64_t *shape)
    {
        add_output(name, dtype, shape_bytes(dtype, rank, shape));
    }
    void add_input(const char *name, size_t bytes)
    {
        inputs_.push_back(tensor(name, "", bytes));
    }
    void add_output(const char *name, const char *dtype, size_t bytes)
    {
        outputs_.push_back(tensor(name, dtype, bytes));
    }

    /** Reads all files; false with a message. */
    bool read()
    {
        return read_all(inputs_, "input", input_pointers_) &&
               read_all(outputs_, "output", output_pointers_);
    }
    const char *weights() const
    {
        return weights_.c_str();
    }
    const void *const *inputs() const
    {
        return input_pointers_.data();
    }
    void *const *outputs() const
    {
        return output_pointers_.data();
    }

    /** Compares what is in outputs() with the reference; prints a line for each output. */
    bool compare(int run) const
    {
        bool good = true;
        for (const tensor &output : outputs_)
            good = compare_one(output, run) && good;
        return good;
    }

  private:
    static size_t shape_bytes(const char *dtype, int rank, const int64_t *shape)
    {
        const element_type *type = find_element_type(dtype);
        size_t bytes = type ? type->bytes : 0;
        for (int d = 0; d < rank; d++)
            bytes *= (size_t)shape[d];
        return bytes;
    }

    struct tensor {
        tensor(const char *n, const char *d, size_t bytes)
            : name(n), dtype(d), expected(bytes), values(bytes)
        {
        }
        std::string name, dtype;
        std::vector<char> expected, values;
    };

    template <class Pointer>
    bool read_all(std::vector<tensor> &tensors, const char *kind, std::vector<Pointer> &pointers)
    {
        for (size_t i = 0; i < tensors.size(); i++) {
            std::string path = folder_ + kind + "_" + std::to_string(i) + ".bin";
            if (!read_file(path, tensors[i].expected))
                return false;
            tensors[i].values = tensors[i].expected;
            if (strcmp(kind, "output") == 0)
                memset(tensors[i].values.data(), 0xFF, tensors[i].values.size());
            pointers.push_back(tensors[i].values.data());
        }
        return true;
    }

    static bool read_file(const std::string &path, std::vector<char> &bytes)
    {
        FILE *file = fopen(path.c_str(), "rb");
        size_t size = file ? fread(bytes.data(), 1, bytes.size(), file) : 0;
        bool good = file && size == bytes.size() && fgetc(file) == EOF;
        if (!good)
            fprintf(stderr, "%s: no file of %zu bytes\n", path.c_str(), bytes.size());
        if (file)
            fclose(file);
        return good;
    }

    static bool compare_one(const tensor &output, int run)
    {
        const element_type *type = find_element_type(output.dtype.c_str());
        const char *got = output.values.data(), *expected = output.expected.data();
        size_t count = type ? output.values.size() / type->bytes : 0;
        double scale = 0, worst = 0;
        for (size_t i = 0; i < count; i++) {
            const double value = fabs(type->at(expected, i));
            scale = isfinite(value) ? fmax(scale, value) : scale;
        }
        for (size_t i = 0; i < count; i++) {
            double error = fabs(type->at(got, i) - type->at(expected, i));
            bool both_nan = isnan(type->at(got, i)) && isnan(type->at(expected, i));
            if (both_nan ||
                memcmp(got + i * type->bytes, expected + i * type->bytes, type->bytes) == 0)
                continue;
            worst = isnan(error) ? INFINITY : fmax(worst, error);
        }
        bool good = type && (type->tolerance > 0 ? worst <= type->tolerance * scale : worst == 0);
        printf("run %d, %s: largest error %g of a largest value %g: %s\n", run, output.name.c_str(),
               worst, scale, good ? "good" : "WRONG");
        return good;
    }

    std::string folder_, weights_;
    std::vector<tensor> inputs_, outputs_;
    std::vector<const void *> input_pointers_;
    std::vector<void *> output_pointers_;
};

/** How many members a family's reference has. */
inline int reference_members(const std::string &folder)
{
    for (int i = 0;; i++) {
        FILE *file = fopen((folder + "/reference/" + std::to_string(i) + "/dims.bin").c_str(), "rb");
        if (!file)
            return i;
        fclose(file);
    }
}

} // namespace rk__

#endif
