#ifndef RK_CONVERT_UNIT_COLLECTIVES_H
#define RK_CONVERT_UNIT_COLLECTIVES_H

#include "convert/unit/unit.h"

/*
 * CUB's collectives of blocks and warps read threadIdx and have barriers in text that is not the project's. Plain CUDA
 * code of ours stands in for them, rk/cub/, which is read as headers of the project: `cub::BlockReduce` becomes
 * `rk_cub::BlockReduce`, and `#include <cub/block/block_reduce.cuh>` names that.
 */

/**
 * Puts the texts of files that name such collectives, with those edits, into the files' bytes, which are marked expanded;
 * the sources then have to be read again. False when there is nothing to do.
 */
bool rk_collectives_stand_in(rk_unit *unit);

/** The folder of the headers that stand in. */
const char *rk_collectives_folder(const rk_unit *unit);

/** Whether the path is of CUB's own copy, by the file that says which it is beside `name`, "cub/x.cuh", in its folder. */
bool rk_collectives_is_library(const char *path, const char *name, rk_arena *arena);

#endif
