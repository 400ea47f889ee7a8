#include "base/file.h"
#include "tests/device/protocol/sample.h"

/*
 * emit_sample <kernels folder> <runtime folder> <out>: emits the sample for cuda, for the checks of
 * its PTX and for a GPU machine.
 */
int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: emit_sample <kernels folder> <runtime folder> <out>\n");
        return 2;
    }
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    const rk_catalog *catalog = sample_catalog(arena, argv[1]);
    const rk_image *image = sample_image(arena, catalog);
    rk_emit_request request = {.image = image,
                               .catalog = catalog,
                               .dir = argv[3],
                               .runtime_dir = argv[2],
                               .references = sample_reference(arena, image),
                               .reference_count = 1};
    bool good =
        rk_file_mkdirs(argv[3], diag) && rk_backend_find("cuda")->emit(&request, arena, diag);
    rk_diag_print(diag, 0, stderr, false);
    rk_arena_free(arena);
    return good ? 0 : 1;
}
