#ifndef RK_VDEVICE_SHAPES_CUH
#define RK_VDEVICE_SHAPES_CUH

/*
 * What a vDevice with open dimensions decides on the host before a run: its operators' grids and arguments, and the extents of
 * its inputs and outputs, by functions that were written with it. Part of vdevice_host.cuh.
 */

#include <stddef.h>
#include <stdint.h>

namespace rk__
{

/** A dimension and the values that the vDevice was proved for. */
struct vdevice_dim {
    const char *name;
    int64_t low, high;
};

/** Of an input or output; behind its rank extents are 1. */
struct vdevice_shape {
    int rank;
    size_t element_bytes;
    int64_t extents[8];

    size_t bytes() const
    {
        size_t product = element_bytes;
        for (int64_t extent : extents)
            product *= (size_t)extent;
        return product;
    }
};

/** The functions get one value for each dimension, inside its range. */
struct vdevice_shapes {
    const vdevice_dim *dims;
    size_t dim_count;
    const vdevice_shape *largest; /**< of the inputs, then of the outputs */
    uint32_t spine;               /**< where the phrases' words begin, behind all arguments */
    void (*set_slots)(const int64_t *values, uint64_t *slots);
    /** What is wrong with the values, as a sentence; null: nothing. */
    const char *(*find_wrong)(const int64_t *values);
    void (*set_extents)(const int64_t *values, vdevice_shape *shapes);
};

/** An integer as extents are worked out: / rounds towards minus infinity, and % is never negative. */
class vdevice_extent
{
  public:
    vdevice_extent(int64_t value) : value_(value)
    {
    }
    int64_t value() const
    {
        return value_;
    }
    /** The low `bytes` of it, as a slot holds them. */
    uint64_t bits(size_t bytes) const
    {
        return bytes >= 8 ? (uint64_t)value_ : (uint64_t)value_ & (((uint64_t)1 << 8 * bytes) - 1);
    }
    vdevice_extent operator-() const
    {
        return -value_;
    }
    friend vdevice_extent operator+(vdevice_extent a, vdevice_extent b)
    {
        return a.value_ + b.value_;
    }
    friend vdevice_extent operator-(vdevice_extent a, vdevice_extent b)
    {
        return a.value_ - b.value_;
    }
    friend vdevice_extent operator*(vdevice_extent a, vdevice_extent b)
    {
        return a.value_ * b.value_;
    }
    friend vdevice_extent operator%(vdevice_extent a, vdevice_extent b)
    {
        const int64_t rest = a.value_ % b.value_;
        return rest < 0 ? rest + b.value_ : rest;
    }
    friend vdevice_extent operator/(vdevice_extent a, vdevice_extent b)
    {
        return (a.value_ - (a % b).value_) / b.value_;
    }
    template <class... Rest> friend vdevice_extent min(vdevice_extent a, vdevice_extent b, Rest... rest)
    {
        const vdevice_extent least = a.value_ < b.value_ ? a : b;
        if constexpr (sizeof...(rest) > 0)
            return min(least, rest...);
        else
            return least;
    }
    template <class... Rest> friend vdevice_extent max(vdevice_extent a, vdevice_extent b, Rest... rest)
    {
        const vdevice_extent most = a.value_ > b.value_ ? a : b;
        if constexpr (sizeof...(rest) > 0)
            return max(most, rest...);
        else
            return most;
    }

  private:
    int64_t value_;
};

/** A grid as two slots. */
inline void vdevice_set_grid(uint64_t *slots, vdevice_extent x, vdevice_extent y, vdevice_extent z)
{
    slots[0] = x.bits(4) | y.bits(4) << 32;
    slots[1] = z.bits(4);
}

/** Of each phrase the number of its rTasks, and the vEU that runs the first: the one behind that of the last before it. */
inline void vdevice_set_spine(uint64_t *spine, const uint64_t *slots, const uint32_t (*phrases)[4], size_t count,
                              uint32_t veus)
{
    uint64_t origin = 0;
    for (size_t p = 0; p < count; p++) {
        const uint64_t *grid = slots + phrases[p][2] - 2;
        const uint64_t rtasks = (uint32_t)grid[0] * (grid[0] >> 32) * grid[1];
        spine[p] = rtasks | origin << 32;
        origin = (origin + rtasks) % veus;
    }
}

} // namespace rk__

#endif
