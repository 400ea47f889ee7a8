/* CUDA's own defines texture references' functions with intrinsics that clang does not have. */
