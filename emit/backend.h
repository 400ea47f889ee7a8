#ifndef RK_EMIT_BACKEND_H
#define RK_EMIT_BACKEND_H

#include "emit/image.h"

/** Reference values beside an emitted folder: for each input and output of the image, its bytes. */
typedef struct {
    const void *const *inputs;
    const void *const *outputs;
} rk_reference;

typedef struct {
    const rk_image *image;
    const rk_catalog *catalog;
    const char *dir;               /**< an existing, empty folder to write into */
    const char *runtime_dir;       /**< where the runtime headers are */
    const rk_reference *reference; /**< NULL: none yet */
} rk_emit_request;

/** A backend. One file of emit/ defines one; emit/null.c is the skeleton to copy. */
typedef struct {
    const char *name;
    const char *summary;
    /** Writes a folder that stands alone. False with diagnostics RK-M.... */
    bool (*emit)(const rk_emit_request *request, rk_arena *arena, rk_diag *diag);
    /**
     * Runs the image on this machine; NULL where a backend cannot. `inputs[i]` and `outputs[i]` are the
     * image's, row-major. `seconds`, if not NULL, gets the run's time without loading.
     */
    bool (*run)(const rk_image *image, const rk_catalog *catalog, const void *const *inputs,
                void *const *outputs, double *seconds, rk_arena *arena, rk_diag *diag);
} rk_backend;

extern const rk_backend *const rk_backends[];
extern const size_t rk_backend_count;
const rk_backend *rk_backend_find(const char *name);

#endif
