/*
 * Loads a model and runs it once on inputs of zeros: what a program that links librammer writes.
 *
 *   cc run_model.c $(pkg-config --cflags --libs rammer) -o run_model && ./run_model model.onnx n=128
 */
#include <rammer.h>

#include <stdio.h>
#include <stdlib.h>

static void print_messages(const rammer_model *model)
{
    const rammer_message *m;
    for (size_t i = 0; (m = rammer_message_at(model, i)); i++) {
        fprintf(stderr, "%s: %s%s%s [%s]\n", m->file ? m->file : "", m->object ? m->object : "",
                m->object ? ": " : "", m->message, m->code);
        if (m->hint)
            fprintf(stderr, "  hint: %s\n", m->hint);
    }
}

static void print_tensor(const rammer_tensor *t)
{
    printf("%s [", t->name);
    for (int i = 0; i < t->rank; i++)
        printf("%s%lld", i ? ", " : "", (long long)t->shape[i]);
    printf("] %zu bytes\n", t->bytes);
}

/** Zeroed buffers for all inputs, or all outputs. */
static void **make_buffers(const rammer_model *model, size_t count,
                           const rammer_tensor *(*tensor)(const rammer_model *, size_t))
{
    void **buffers = calloc(count + 1, sizeof *buffers);
    for (size_t i = 0; buffers && i < count; i++) {
        print_tensor(tensor(model, i));
        buffers[i] = calloc(tensor(model, i)->bytes + 1, 1);
    }
    return buffers;
}

static void free_buffers(void **buffers, size_t count)
{
    for (size_t i = 0; buffers && i < count; i++)
        free(buffers[i]);
    free(buffers);
}

static bool load(rammer_model *model, int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (!rammer_model_set(model, "dim", argv[i]))
            return false;
    return rammer_model_load(model, argv[1]);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: run_model MODEL [NAME=N]...\n");
        return 2;
    }
    rammer_model *model = rammer_model_new();
    if (!model)
        return 1;
    bool good = load(model, argc, argv);
    if (good) {
        const size_t in = rammer_model_input_count(model), out = rammer_model_output_count(model);
        void **inputs = make_buffers(model, in, rammer_model_input);
        void **outputs = make_buffers(model, out, rammer_model_output);
        good = rammer_model_run(model, (const void *const *)inputs, outputs);
        if (good)
            printf("ran on %u vEUs with %u threads\n", rammer_model_veus(model),
                   rammer_model_threads(model));
        free_buffers(inputs, in);
        free_buffers(outputs, out);
    }
    print_messages(model);
    rammer_model_free(model);
    return good ? 0 : 1;
}
