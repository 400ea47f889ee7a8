#ifndef RK_WARP_RETURNS_H
#define RK_WARP_RETURNS_H

namespace rk__
{

/**
 * Part of the frame of a kernel in which lanes return anywhere before a warp operation: what the lanes
 * of each warp tell each other (rk/gpu/cuda_warp.cuh). The CPU's runtime sees threads return by itself.
 */
struct warp_returns {
    unsigned rk_left[32];    /**< bit l of [w]: lane l of warp w has returned */
    unsigned rk_arrived[32]; /**< the same: it is at a warp operation that not all lanes have reached */
};

} // namespace rk__

#endif
