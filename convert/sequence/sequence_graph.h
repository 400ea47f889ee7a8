#ifndef RK_CONVERT_SEQUENCE_SEQUENCE_GRAPH_H
#define RK_CONVERT_SEQUENCE_SEQUENCE_GRAPH_H

#include "convert/sequence/sequence.h"

/** Launchers of the kernels that a graph has for copies and fills on the device: file name. */
#define RK_GRAPH_COPIES "device_copy.cu"

/** A graph made of a sequence. */
typedef struct {
    const rk_catalog
        *catalog; /**< the one given, with a launch for each way that a step launches */
    char *json;   /**< graph.json */
    size_t nodes, tensors;
    const char *const *inputs;
    size_t input_count;
    const char *const *outputs;
    size_t output_count;
    const char *const *unset; /**< inputs that the program does not set before it reads them */
    size_t unset_count;
    bool whole; /**< as rk_sequence.whole, for what of it could be expressed */
    rk_place stopped;
    const char *why, *hint;
} rk_graph_made;

/** Whether the graph of this sequence needs the kernels of RK_GRAPH_COPIES. */
bool rk_graph_copies(const rk_sequence *sequence);

/**
 * The graph of a sequence: buffers become tensors, launches nodes that name their kernel, and the
 * roles of the kernel's parameters edges. What is copied from the host is an input, what is copied to
 * it an output; a function's own parameters are outputs when a kernel writes them. A buffer that the
 * host sets again is a tensor of its own from there on. What cannot be expressed ends the graph.
 * Diagnoses RK-V303 for parameters whose number of elements is not given, RK-V304 when no step is
 * left.
 */
bool rk_graph_make(rk_graph_made *out, const rk_sequence *sequence, const char *name,
                   const rk_catalog *catalog, rk_arena *arena, rk_diag *diag);

#endif
