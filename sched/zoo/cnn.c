#include "sched/zoo/cnn.h"

#include <math.h>
#include <stdarg.h>

enum { NAME_ROOM = 96 };

#define FORMAT_NAME(name, format)                                                                  \
    char name[NAME_ROOM];                                                                          \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        vsnprintf(name, sizeof(name), format, args);                                               \
        va_end(args);                                                                              \
    } while (0)

/** Adds a node with one output, named as the node; returns the output. */
static rk_id add_node(rk_zoo_cnn *net, const char *name, const char *op, const rk_id *inputs,
                      size_t count, rk_id *node)
{
    rk_id out = rk_zoo_value(net->b, "%s", name);
    rk_id id = rk_graph_node(net->b->graph, name, op, inputs, count, &out, 1);
    if (node)
        *node = id;
    return out;
}

/** A constant `name`.`part`. */
static rk_id weights_of(rk_zoo_cnn *net, const char *name, const char *part, float centre,
                        float bound, int rank, const int64_t *shape)
{
    char text[NAME_ROOM + 16];
    snprintf(text, sizeof text, "%s.%s", name, part);
    return rk_zoo_weights_about(net->b, text, centre, bound, rank, shape);
}

rk_zoo_map rk_zoo_image(rk_zoo_builder *b, const char *name, int64_t batch, int64_t channels,
                        int64_t height, int64_t width)
{
    rk_id id = rk_graph_tensor(b->graph, name, RK_F32, RK_SHAPE(batch, channels, height, width));
    rk_graph_input(b->graph, id);
    return (rk_zoo_map){id, batch, channels, height, width};
}

/** Padding before and after, and the extent that comes of it. */
typedef struct {
    int64_t before, after, out;
} span;

static span window_span(int64_t in, int64_t extent, int64_t stride, rk_zoo_pad pad)
{
    span s = {0};
    if (pad == RK_ZOO_SAME)
        s.before = s.after = (extent - 1) / 2;
    if (pad == RK_ZOO_SAME_END) {
        int64_t missing = ((in - 1) / stride) * stride + extent - in;
        s.before = missing > 0 ? missing / 2 : 0;
        s.after = missing > 0 ? missing - s.before : 0;
    }
    s.out = (in + s.before + s.after - extent) / stride + 1;
    return s;
}

/** Extents and steps of a window, by rows and columns. */
typedef struct {
    int64_t extent[2], stride[2];
    rk_zoo_pad pad;
} window;

/** The map that the window makes of this one; `pads` as the ops have them. */
static rk_zoo_map slide(rk_zoo_map map, const window *w, int64_t pads[4])
{
    span rows = window_span(map.height, w->extent[0], w->stride[0], w->pad);
    span cols = window_span(map.width, w->extent[1], w->stride[1], w->pad);
    pads[0] = rows.before;
    pads[1] = cols.before;
    pads[2] = rows.after;
    pads[3] = cols.after;
    map.height = rows.out;
    map.width = cols.out;
    return map;
}

static void set_window(rk_zoo_cnn *net, rk_id node, const window *w, const int64_t pads[4])
{
    rk_graph_attr_ints(net->b->graph, node, "strides", w->stride, 2);
    rk_graph_attr_ints(net->b->graph, node, "pads", pads, 4);
}

/** Adds a node that makes `out`, named as the node; returns it with its id. */
static rk_zoo_map add_map(rk_zoo_cnn *net, const char *name, const char *op, const rk_id *inputs,
                          size_t count, rk_zoo_map out, rk_id *node)
{
    out.id = rk_graph_tensor(net->b->graph, name, RK_F32,
                             RK_SHAPE(out.batch, out.channels, out.height, out.width));
    *node = rk_graph_node(net->b->graph, name, op, inputs, count, &out.id, 1);
    rk_zoo_count(net->b,
                 (double)out.batch * (double)out.channels * (double)out.height * (double)out.width);
    return out;
}

static rk_zoo_map normalise(rk_zoo_cnn *net, rk_zoo_map x, bool relu, const char *name)
{
    static const char *const parts[] = {"scale", "shift", "mean", "var"};
    static const float centres[] = {1.0F, 0.0F, 0.0F, 1.0F};
    char text[NAME_ROOM + 16];
    rk_id in[5] = {x.id};
    for (int i = 0; i < 4; i++)
        in[i + 1] = weights_of(net, name, parts[i], centres[i], 0.5F, 1, &x.channels);
    snprintf(text, sizeof text, "%s.norm", name);
    rk_id node;
    x = add_map(net, text, "BatchNormalization", in, 5, x, &node);
    if (relu)
        x = rk_zoo_relu(net, x, "%s.relu", name);
    return x;
}

static rk_zoo_map convolve(rk_zoo_cnn *net, rk_zoo_map x, const rk_zoo_conv *conv, const char *name)
{
    rk_graph *graph = net->b->graph;
    int64_t kw = conv->kw ? conv->kw : conv->kh;
    int64_t groups = conv->groups ? conv->groups : 1;
    int64_t inputs = x.channels / groups;
    bool norm = net->norm && !conv->plain && !conv->bare;
    float bound = (float)(sqrt(3.0) / sqrt((double)(inputs * conv->kh * kw)));
    rk_id in[3] = {x.id};
    rk_id node;
    in[1] = weights_of(net, name, "w", 0.0F, bound, RK_SHAPE(conv->filters, inputs, conv->kh, kw));
    if (!norm && !conv->bare)
        in[2] = weights_of(net, name, "b", 0.0F, 0.1F, 1, &conv->filters);
    int64_t stride = conv->stride ? conv->stride : 1;
    int64_t pads[4];
    window w = {{conv->kh, kw}, {stride, conv->stride_w ? conv->stride_w : stride}, conv->pad};
    rk_zoo_map out = slide(x, &w, pads);
    out.channels = conv->filters;
    out = add_map(net, name, "Conv", in, norm || conv->bare ? 2 : 3, out, &node);
    set_window(net, node, &w, pads);
    if (groups > 1)
        rk_graph_attr_int(graph, node, "group", groups);
    if (conv->relu && !norm)
        rk_graph_attr_string(graph, node, "activation", "relu");
    return norm ? normalise(net, out, conv->relu, name) : out;
}

rk_zoo_map rk_zoo_convolve(rk_zoo_cnn *net, rk_zoo_map x, const rk_zoo_conv *conv,
                           const char *format, ...)
{
    FORMAT_NAME(name, format);
    return convolve(net, x, conv, name);
}

rk_zoo_map rk_zoo_relu(rk_zoo_cnn *net, rk_zoo_map x, const char *format, ...)
{
    FORMAT_NAME(name, format);
    rk_id node;
    return add_map(net, name, "Relu", &x.id, 1, x, &node);
}

rk_zoo_map rk_zoo_normalise(rk_zoo_cnn *net, rk_zoo_map x, bool relu, const char *format, ...)
{
    FORMAT_NAME(name, format);
    return normalise(net, x, relu, name);
}

rk_zoo_map rk_zoo_pool(rk_zoo_cnn *net, const char *op, rk_zoo_map x, int64_t extent,
                       int64_t stride, rk_zoo_pad pad, const char *format, ...)
{
    FORMAT_NAME(name, format);
    rk_id node;
    int64_t pads[4];
    window w = {{extent, extent}, {stride, stride}, pad};
    x = add_map(net, name, op, &x.id, 1, slide(x, &w, pads), &node);
    rk_graph_attr_ints(net->b->graph, node, "kernel_shape", w.extent, 2);
    set_window(net, node, &w, pads);
    return x;
}

rk_zoo_map rk_zoo_pad_map(rk_zoo_cnn *net, rk_zoo_map x, const int64_t before[3],
                          const int64_t after[3], const char *format, ...)
{
    FORMAT_NAME(name, format);
    int64_t pads[8] = {0, before[0], before[1], before[2], 0, after[0], after[1], after[2]};
    rk_id node;
    rk_zoo_map out = {.batch = x.batch,
                      .channels = x.channels + before[0] + after[0],
                      .height = x.height + before[1] + after[1],
                      .width = x.width + before[2] + after[2]};
    out = add_map(net, name, "Pad", &x.id, 1, out, &node);
    rk_graph_attr_ints(net->b->graph, node, "pads", pads, 8);
    return out;
}

rk_zoo_map rk_zoo_add(rk_zoo_cnn *net, rk_zoo_map x, rk_zoo_map y, const char *format, ...)
{
    FORMAT_NAME(name, format);
    rk_id node;
    return add_map(net, name, "Add", (const rk_id[]){x.id, y.id}, 2, x, &node);
}

static rk_zoo_map concat(rk_zoo_cnn *net, const rk_zoo_map *maps, size_t count, const char *name)
{
    rk_id inputs[RK_ZOO_CONCAT];
    rk_zoo_map out = maps[0];
    rk_id node;
    if (count == 1)
        return out;
    out.channels = 0;
    for (size_t i = 0; i < count; i++) {
        inputs[i] = maps[i].id;
        out.channels += maps[i].channels;
    }
    out = add_map(net, name, "Concat", inputs, count, out, &node);
    rk_graph_attr_int(net->b->graph, node, "axis", 1);
    return out;
}

rk_zoo_map rk_zoo_concat(rk_zoo_cnn *net, const rk_zoo_map *maps, size_t count, const char *format,
                         ...)
{
    FORMAT_NAME(name, format);
    rk_zoo_map *level =
        rk_arena_copy(net->b->graph->arena, maps, (count ? count : 1) * sizeof *maps);
    for (int depth = 0; count > RK_ZOO_CONCAT; depth++) {
        size_t groups = (count + RK_ZOO_CONCAT - 1) / RK_ZOO_CONCAT;
        for (size_t i = 0; i < groups; i++) {
            char part[NAME_ROOM + 48];
            size_t from = i * RK_ZOO_CONCAT;
            size_t size = count - from < RK_ZOO_CONCAT ? count - from : RK_ZOO_CONCAT;
            snprintf(part, sizeof part, "%s.%d.%zu", name, depth, i);
            level[i] = concat(net, level + from, size, part);
        }
        count = groups;
    }
    return concat(net, level, count, name);
}

rk_id rk_zoo_global_pool(rk_zoo_cnn *net, rk_zoo_map x, const char *name)
{
    char text[NAME_ROOM + 16];
    rk_graph *graph = net->b->graph;
    rk_id pooled = rk_graph_tensor(graph, name, RK_F32, RK_SHAPE(x.batch, x.channels, 1, 1));
    rk_graph_node(graph, name, "GlobalAveragePool", &x.id, 1, &pooled, 1);
    snprintf(text, sizeof text, "%s.matrix", name);
    return rk_graph_view(graph, text, pooled, RK_SHAPE(x.batch, x.channels), 0);
}

rk_id rk_zoo_dense(rk_zoo_cnn *net, rk_id x, int64_t from, int64_t to, bool relu, const char *name)
{
    char text[NAME_ROOM + 16];
    rk_id node;
    float bound = (float)(1.0 / sqrt((double)from));
    rk_id w = weights_of(net, name, "w", 0.0F, bound, RK_SHAPE(to, from));
    rk_id bias = weights_of(net, name, "b", 0.0F, bound, 1, &to);
    rk_id out = add_node(net, name, "Gemm", (const rk_id[]){x, w, bias}, 3, &node);
    rk_graph_attr_int(net->b->graph, node, "transB", 1);
    snprintf(text, sizeof text, "%s.relu", name);
    return relu ? add_node(net, text, "Relu", &out, 1, NULL) : out;
}

void rk_zoo_classify(rk_zoo_cnn *net, rk_id logits)
{
    rk_graph_output(net->b->graph, add_node(net, "y", "Softmax", &logits, 1, NULL));
}
