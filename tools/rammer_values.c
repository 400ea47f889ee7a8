#include "rammer_plan.h"

#include "base/file.h"
#include "base/str.h"
#include "sched/model/npy.h"
#include "sched/ops/scalar.h"
#include "sched/zoo/zoo.h"

#include <math.h>
#include <string.h>

rk_tensor rk_values_tensor(const rk_image_io *io)
{
    rk_tensor tensor = {
        .name = io->name, .dtype = io->dtype, .rank = io->rank, .shape_known = true};
    memcpy(tensor.shape, io->shape, sizeof tensor.shape);
    return tensor;
}

static const rk_image_io *find_input(const rk_image *image, const char *name, size_t length)
{
    for (size_t i = 0; i < image->input_count; i++)
        if (strlen(image->inputs[i].name) == length &&
            memcmp(image->inputs[i].name, name, length) == 0)
            return &image->inputs[i];
    return NULL;
}

/** Whether an input of an ONNX model of that name is a constant of the graph, by its value or unused. */
static bool became_constant(const rk_graph *graph, const char *name, size_t length)
{
    for (size_t i = 0; graph && i < graph->known_count; i++)
        if (strlen(graph->known[i]) == length && memcmp(graph->known[i], name, length) == 0)
            return true;
    return false;
}

/** Checks that each "x=file" names an input. */
static bool check_given(const rk_input_source *source, const rk_image *image, rk_tool *tool)
{
    const rk_texts *given = &source->given;
    bool good = true;
    for (size_t i = 0; i < given->count; i++) {
        const char *text = given->items[i];
        size_t length = strcspn(text, "=");
        if (text[length] == '=' &&
            (find_input(image, text, length) || became_constant(source->graph, text, length)))
            continue;
        rk_str names = {.arena = tool->arena};
        for (size_t j = 0; j < image->input_count; j++)
            rk_str_addf(&names, "%s%s", j ? ", " : "the inputs are: ", image->inputs[j].name);
        good = rk_diag_add(tool->diag, RK_ERROR, "RK-U006", (rk_place){0}, names.text,
                           "--input '%s' names no input of '%s'; write it as x=x.npy", text,
                           image->name);
    }
    return good;
}

/** The file that gives an input, NULL when none does. */
static const char *input_file(const rk_image_io *io, const rk_input_source *source, rk_tool *tool)
{
    size_t length = strlen(io->name);
    for (size_t i = 0; i < source->given.count; i++) {
        const char *text = source->given.items[i];
        if (strncmp(text, io->name, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    char *beside = source->dir ? rk_npy_path(tool->arena, source->dir, io->name) : NULL;
    return beside && rk_file_exists(beside) ? beside : NULL;
}

static const void *make_input(const rk_image_io *io, const rk_input_source *source, rk_tool *tool)
{
    rk_tensor tensor = rk_values_tensor(io);
    const char *file = input_file(io, source, tool);
    if (file)
        return rk_npy_read_tensor(file, &tensor, tool->arena, tool->diag);
    void *data = rk_arena_alloc(tool->arena, (size_t)io->bytes);
    if (io->dtype == RK_F32)
        rk_zoo_uniform(data, (size_t)rk_tensor_elements(&tensor), 1.0f, (uint64_t)source->seed,
                       io->name);
    return data;
}

bool rk_values_make(rk_values *out, const rk_image *image, const rk_input_source *source,
                    rk_tool *tool)
{
    if (!check_given(source, image, tool))
        return false;
    out->inputs = RK_NEW_ARRAY(tool->arena, const void *, image->input_count + 1);
    out->outputs = RK_NEW_ARRAY(tool->arena, void *, image->output_count + 1);
    bool good = true;
    for (size_t i = 0; i < image->input_count; i++) {
        out->inputs[i] = make_input(&image->inputs[i], source, tool);
        good = out->inputs[i] && good;
    }
    for (size_t i = 0; i < image->output_count; i++)
        out->outputs[i] = rk_arena_alloc(tool->arena, (size_t)image->outputs[i].bytes);
    return good;
}

/** Element `i` as a double; exact for all types but 64-bit integers, which are compared first. */
static double element(const void *data, rk_dtype dtype, int64_t i)
{
    return rk_scalar_load(data, dtype, i, RK_DOMAIN_F64).d;
}

void rk_values_compare(rk_comparison *out, const rk_image_io *io, const void *value,
                       const void *reference, double tolerance)
{
    *out = (rk_comparison){0};
    size_t size = rk_dtype_size(io->dtype);
    int64_t count = io->bytes / (int64_t)size;
    for (int64_t i = 0; i < count; i++) {
        double a = element(value, io->dtype, i);
        double b = element(reference, io->dtype, i);
        double error = fabs(a - b);
        bool same = memcmp((const char *)value + (size_t)i * size,
                           (const char *)reference + (size_t)i * size, size) == 0;
        if (same || (isnan(a) && isnan(b)))
            error = 0;
        else if (isnan(error))
            error = INFINITY;
        else if (error == 0 && !rk_dtype_is_float(io->dtype))
            error = 1;
        if (error > out->error) {
            out->error = error;
            out->worst = i;
        }
        if (isfinite(b) && fabs(b) > out->largest)
            out->largest = fabs(b);
    }
    double allowed = rk_dtype_is_float(io->dtype) ? tolerance * fmax(1, out->largest) : 0;
    out->good = out->error <= allowed;
}
