#ifndef RK_EMIT_BACKEND_H
#define RK_EMIT_BACKEND_H

#include "emit/image.h"
#include "emit/image_profile.h"

struct rk_spine;

/** Reference values beside an emitted folder: for each input and output of the image, its bytes. */
typedef struct {
    const rk_image *image;
    const void *const *inputs;
    const void *const *outputs;
    const int64_t *dims; /**< of a member of a family: the value of each dimension; else NULL */
} rk_reference;

typedef struct {
    const rk_image *image;
    const struct rk_spine *spine; /**< of a family, whose image this is (emit/family_image.h); NULL: a plan of fixed extents */
    const rk_catalog *catalog;
    const char *dir;                /**< an existing, empty folder to write into */
    const char *runtime_dir;        /**< where the runtime headers are */
    const rk_reference *references; /**< of a family several, of different members */
    size_t reference_count;
} rk_emit_request;

/** How this machine is measured. */
typedef struct {
    double seconds; /**< to spend on all items together; each is measured a few times at least */
    /** Called before each measurement, when that part of all is `done`; NULL: never. */
    void (*progress)(void *user, double done, const rk_profile_item *item);
    void *user;
} rk_measure_options;

/** What a program that measures on a GPU is made of. */
typedef struct {
    rk_profile_image *const *images; /**< of one device, each with other residents */
    size_t image_count;
    const rk_device *device;
    const rk_catalog *catalog;
    const char *dir;         /**< an existing, empty folder to write into */
    const char *runtime_dir; /**< where the runtime headers are */
} rk_measure_request;

/** A backend. One file of emit/ defines one; emit/null.c is the skeleton to copy. */
typedef struct {
    const char *name;
    const char *summary;
    const char *device; /**< the descriptor that is planned for unless the user names one */
    /** Writes a folder that stands alone. False with diagnostics RK-M.... */
    bool (*emit)(const rk_emit_request *request, rk_arena *arena, rk_diag *diag);
    bool families; /**< whether it emits plans with a spine */
    /**
     * Runs the image on this machine; NULL where a backend cannot. `inputs[i]` and `outputs[i]` are the
     * image's, row-major. `seconds`, if not NULL, gets the run's time without loading.
     */
    bool (*run)(const rk_image *image, const rk_catalog *catalog, const void *const *inputs,
                void *const *outputs, double *seconds, rk_arena *arena, rk_diag *diag);

    /* For `rammer profile`; all NULL where nothing is measured. Here: both of the next two. */

    /** What the vDevice itself costs on this machine; what cannot be told from noise stays 0. */
    bool (*measure_costs)(double costs[RK_COST_COUNT], const rk_device *device, rk_diag *diag);
    /**
     * Measures the items on this machine: entries[i] is item i's, and spreads[i] by how much of it its
     * slowest batch took longer. `overhead_ns`, the cost of an rTask that does nothing, is taken off.
     */
    bool (*measure)(rk_profile_entry *entries, double *spreads, const rk_profile_image *image,
                    const rk_catalog *catalog, double overhead_ns,
                    const rk_measure_options *options, rk_diag *diag);
    /** Elsewhere: writes a program that measures there and writes the profile. */
    bool (*emit_measure)(const rk_measure_request *request, rk_arena *arena, rk_diag *diag);
} rk_backend;

extern const rk_backend *const rk_backends[];
extern const size_t rk_backend_count;
const rk_backend *rk_backend_find(const char *name);

#endif
