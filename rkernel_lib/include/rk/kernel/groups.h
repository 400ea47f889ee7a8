#ifndef RK_GROUPS_H
#define RK_GROUPS_H

/*
 * Cooperative groups of an rTask (docs/convert.md, "Cooperative groups"): what `cooperative_groups::` becomes in
 * an rKernel. The toolkit's own groups are of the hardware's block, which is the whole vEU. These are made from
 * the context: a block is the rTask's threads, and tiles and coalesced groups are lanes of one warp, of which only
 * those of the rTask take part.
 *
 * A context `Ctx` has rank(), threads() and the operations that the shadows of CUDA's own functions use; its masks
 * are narrowed to the live lanes. Results are those of the toolkit's groups, in the order of its reductions too.
 */

#if defined(__CUDACC__) || defined(__CUDA__)
#define RK_GROUPS_CODE inline __device__
#else
#define RK_GROUPS_CODE inline
#endif

namespace rk__
{
namespace groups
{

/* Masks of lanes. */

#if defined(__CUDACC__) || defined(__CUDA__)
RK_GROUPS_CODE unsigned count_lanes(unsigned mask)
{
    return (unsigned)__popc(mask);
}
RK_GROUPS_CODE unsigned first_lane(unsigned mask)
{
    return (unsigned)__ffs((int)mask) - 1;
}
RK_GROUPS_CODE unsigned last_lane(unsigned mask)
{
    return 31 - (unsigned)__clz((int)mask);
}
#else
RK_GROUPS_CODE unsigned count_lanes(unsigned mask)
{
    return (unsigned)__builtin_popcount(mask);
}
RK_GROUPS_CODE unsigned first_lane(unsigned mask)
{
    return (unsigned)__builtin_ctz(mask);
}
RK_GROUPS_CODE unsigned last_lane(unsigned mask)
{
    return 31 - (unsigned)__builtin_clz(mask);
}
#endif

RK_GROUPS_CODE unsigned lanes_below(unsigned lane)
{
    return (1u << lane) - 1;
}

/** The lane of the mask that has the rank, which is less than the mask's count. */
RK_GROUPS_CODE unsigned lane_of_rank(unsigned mask, unsigned rank)
{
    if (mask == 0xFFFFFFFFu)
        return rank;
    for (; rank > 0; rank--)
        mask &= mask - 1;
    return first_lane(mask);
}

/** The bits of `set` at the lanes of `mask`, packed: bit i is that of rank i. */
RK_GROUPS_CODE unsigned pack_lanes(unsigned mask, unsigned set)
{
    unsigned packed = 0;
    for (unsigned rank = 0; mask; rank++, mask &= mask - 1)
        packed |= (set >> first_lane(mask) & 1) << rank;
    return packed;
}

/** The lanes of a warp that the rTask's block has; `rank` is that of a thread of the warp. */
RK_GROUPS_CODE unsigned lanes_of_block(unsigned rank, unsigned threads)
{
    const unsigned left = threads - rank / 32 * 32;
    return left >= 32 ? 0xFFFFFFFFu : lanes_below(left);
}

/** The lanes of the tile of that thread, in its warp; those beyond the block are left out. */
RK_GROUPS_CODE unsigned lanes_of_tile(unsigned rank, unsigned threads, unsigned size)
{
    const unsigned tile = size >= 32 ? 0xFFFFFFFFu : lanes_below(size) << rank % 32 / size * size;
    return tile & lanes_of_block(rank, threads);
}

/* Values of any type in the words that warps exchange. */

template <bool Small> struct word_type {
    typedef unsigned type;
};
template <> struct word_type<false> {
    typedef unsigned long long type;
};

/** `exchange(word)` for each word of the value. */
template <class T, class Exchange>
RK_GROUPS_CODE T exchange_words(const T &value, const Exchange &exchange)
{
    typedef typename word_type<(sizeof(T) <= 4)>::type word;
    enum { count = (sizeof(T) + sizeof(word) - 1) / sizeof(word) };
    word words[count] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (int i = 0; i < count; i++)
        words[i] = exchange(words[i]);
    T result(value);
    __builtin_memcpy((void *)&result, words, sizeof(T));
    return result;
}

/**
 * The context in the type of a function's parameter. It is deduced from the context itself, not from the group, so that
 * groups convert as they do without templates.
 */
template <class T> struct context_type {
    typedef T type;
};
template <class Ctx> using of = typename context_type<Ctx>::type;

template <class T> struct plain {
    typedef T type;
};
template <class T> struct plain<T &> {
    typedef T type;
};
template <class T> struct plain<const T> {
    typedef T type;
};
template <class T> struct plain<const T &> {
    typedef T type;
};

/* The groups. */

/** The rTask's threads: thread_block. */
template <class Ctx> class thread_block
{
  public:
    explicit RK_GROUPS_CODE thread_block(Ctx &context) : context_(&context)
    {
    }
    RK_GROUPS_CODE Ctx &context() const
    {
        return *context_;
    }

    RK_GROUPS_CODE void sync() const
    {
        context_->sync();
    }
    RK_GROUPS_CODE unsigned thread_rank() const
    {
        return context_->rank();
    }
    RK_GROUPS_CODE unsigned num_threads() const
    {
        return context_->threads();
    }
    RK_GROUPS_CODE unsigned size() const
    {
        return context_->threads();
    }
    RK_GROUPS_CODE dim3 thread_index() const
    {
        return dim3(context_->thread_idx());
    }
    RK_GROUPS_CODE dim3 group_index() const
    {
        return dim3(context_->block_idx());
    }
    RK_GROUPS_CODE dim3 group_dim() const
    {
        return context_->block_dim();
    }
    RK_GROUPS_CODE dim3 dim_threads() const
    {
        return context_->block_dim();
    }

  private:
    Ctx *context_;
};

/** Lanes of the calling thread's warp, it among them: what tiles and coalesced groups are. */
template <class Ctx> class lane_group
{
  public:
    RK_GROUPS_CODE lane_group(Ctx &context, unsigned mask, unsigned meta_rank, unsigned meta_size)
        : context_(&context), mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    RK_GROUPS_CODE Ctx &context() const
    {
        return *context_;
    }
    RK_GROUPS_CODE unsigned lanes() const
    {
        return mask_;
    }
    RK_GROUPS_CODE unsigned lane() const
    {
        return context_->rank() % 32;
    }

    RK_GROUPS_CODE void sync() const
    {
        context_->syncwarp(mask_);
    }
    RK_GROUPS_CODE unsigned meta_group_rank() const
    {
        return meta_rank_;
    }
    RK_GROUPS_CODE unsigned meta_group_size() const
    {
        return meta_size_;
    }
    RK_GROUPS_CODE int any(int predicate) const
    {
        return context_->ballot(mask_, predicate) != 0;
    }
    RK_GROUPS_CODE int all(int predicate) const
    {
        return context_->ballot(mask_, !predicate) == 0;
    }

    /** The value of a lane of the warp. */
    template <class T> RK_GROUPS_CODE T from_lane(const T &value, unsigned lane) const
    {
        return exchange_words(value, [this, lane](auto word) {
            return context_->shfl(mask_, word, (int)lane, 32);
        });
    }

  protected:
    Ctx *context_;
    unsigned mask_, meta_rank_, meta_size_;
};

/** Lanes that came here together, or a part of a group of lanes: coalesced_group. */
template <class Ctx> class coalesced_group : public lane_group<Ctx>
{
  public:
    RK_GROUPS_CODE coalesced_group(Ctx &context, unsigned mask, unsigned meta_rank = 0,
                                   unsigned meta_size = 1)
        : lane_group<Ctx>(context, mask, meta_rank, meta_size)
    {
    }

    RK_GROUPS_CODE unsigned num_threads() const
    {
        return count_lanes(this->mask_);
    }
    RK_GROUPS_CODE unsigned size() const
    {
        return count_lanes(this->mask_);
    }
    RK_GROUPS_CODE unsigned thread_rank() const
    {
        return count_lanes(this->mask_ & lanes_below(this->lane()));
    }

    template <class T> RK_GROUPS_CODE T shfl(const T &value, unsigned rank) const
    {
        return this->from_lane(value, lane_of_rank(this->mask_, rank % size()));
    }
    template <class T> RK_GROUPS_CODE T shfl_up(const T &value, unsigned delta) const
    {
        const unsigned rank = thread_rank();
        return shfl(value, rank >= delta ? rank - delta : rank);
    }
    template <class T> RK_GROUPS_CODE T shfl_down(const T &value, unsigned delta) const
    {
        const unsigned rank = thread_rank();
        return shfl(value, delta < size() - rank ? rank + delta : rank);
    }
    template <class T> RK_GROUPS_CODE T shfl_xor(const T &value, unsigned ranks) const
    {
        return shfl(value, thread_rank() ^ ranks);
    }
    RK_GROUPS_CODE unsigned ballot(int predicate) const
    {
        return pack_lanes(this->mask_, this->context_->ballot(this->mask_, predicate));
    }
    template <class T> RK_GROUPS_CODE unsigned match_any(T value) const
    {
        return pack_lanes(this->mask_, this->context_->match_any(this->mask_, value));
    }
    template <class T> RK_GROUPS_CODE unsigned match_all(T value, int &predicate) const
    {
        return pack_lanes(this->mask_, this->context_->match_all(this->mask_, value, &predicate));
    }
};

/** `Size` lanes one after the other, a power of 2: thread_block_tile. */
template <class Ctx, unsigned Size, class Parent = void>
class thread_block_tile : public lane_group<Ctx>
{
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile of an rTask has 1, 2, 4, 8, 16 or 32 threads");

  public:
    RK_GROUPS_CODE thread_block_tile(Ctx &context, unsigned meta_rank, unsigned meta_size)
        : lane_group<Ctx>(context, lanes_of_tile(context.rank(), context.threads(), Size),
                          meta_rank, meta_size)
    {
    }
    template <class Other>
    RK_GROUPS_CODE thread_block_tile(const thread_block_tile<Ctx, Size, Other> &tile)
        : lane_group<Ctx>(tile)
    {
    }
    RK_GROUPS_CODE operator coalesced_group<Ctx>() const
    {
        return coalesced_group<Ctx>(*this->context_, this->mask_, this->meta_rank_,
                                    this->meta_size_);
    }

    static RK_GROUPS_CODE constexpr unsigned num_threads()
    {
        return Size;
    }
    static RK_GROUPS_CODE constexpr unsigned size()
    {
        return Size;
    }
    RK_GROUPS_CODE unsigned thread_rank() const
    {
        return this->context_->rank() % Size;
    }

    template <class T> RK_GROUPS_CODE T shfl(const T &value, int rank) const
    {
        return exchange_words(value, [this, rank](auto word) {
            return this->context_->shfl(this->mask_, word, rank, (int)Size);
        });
    }
    template <class T> RK_GROUPS_CODE T shfl_up(const T &value, unsigned delta) const
    {
        return exchange_words(value, [this, delta](auto word) {
            return this->context_->shfl_up(this->mask_, word, delta, (int)Size);
        });
    }
    template <class T> RK_GROUPS_CODE T shfl_down(const T &value, unsigned delta) const
    {
        return exchange_words(value, [this, delta](auto word) {
            return this->context_->shfl_down(this->mask_, word, delta, (int)Size);
        });
    }
    template <class T> RK_GROUPS_CODE T shfl_xor(const T &value, unsigned ranks) const
    {
        return exchange_words(value, [this, ranks](auto word) {
            return this->context_->shfl_xor(this->mask_, word, (int)ranks, (int)Size);
        });
    }
    RK_GROUPS_CODE unsigned ballot(int predicate) const
    {
        return this->context_->ballot(this->mask_, predicate) >> first_lane(this->mask_);
    }
    template <class T> RK_GROUPS_CODE unsigned match_any(T value) const
    {
        return this->context_->match_any(this->mask_, value) >> first_lane(this->mask_);
    }
    template <class T> RK_GROUPS_CODE unsigned match_all(T value, int &predicate) const
    {
        return this->context_->match_all(this->mask_, value, &predicate) >>
               first_lane(this->mask_);
    }
};

/** A group whose kind is known at run time: thread_group. */
template <class Ctx> class thread_group
{
  public:
    RK_GROUPS_CODE thread_group(const thread_block<Ctx> &block)
        : context_(&block.context()), mask_(0)
    {
    }
    RK_GROUPS_CODE thread_group(const lane_group<Ctx> &group)
        : context_(&group.context()), mask_(group.lanes())
    {
    }
    RK_GROUPS_CODE thread_group(Ctx &context, unsigned mask) : context_(&context), mask_(mask)
    {
    }
    RK_GROUPS_CODE Ctx &context() const
    {
        return *context_;
    }
    RK_GROUPS_CODE bool is_block() const
    {
        return mask_ == 0;
    }
    RK_GROUPS_CODE unsigned lanes() const
    {
        return mask_;
    }

    RK_GROUPS_CODE void sync() const
    {
        if (is_block())
            context_->sync();
        else
            context_->syncwarp(mask_);
    }
    RK_GROUPS_CODE unsigned long long num_threads() const
    {
        return is_block() ? context_->threads() : count_lanes(mask_);
    }
    RK_GROUPS_CODE unsigned long long size() const
    {
        return num_threads();
    }
    RK_GROUPS_CODE unsigned long long thread_rank() const
    {
        const unsigned rank = context_->rank();
        return is_block() ? rank : count_lanes(mask_ & lanes_below(rank % 32));
    }

  private:
    Ctx *context_;
    unsigned mask_; /**< 0 of a block */
};

/** All threads of the launch, which have ranks but no barrier: grid_group. */
template <class Ctx> class grid_group
{
  public:
    explicit RK_GROUPS_CODE grid_group(Ctx &context) : context_(&context)
    {
    }

    RK_GROUPS_CODE unsigned long long num_blocks() const
    {
        const dim3 grid = context_->grid_dim();
        return (unsigned long long)grid.x * grid.y * grid.z;
    }
    RK_GROUPS_CODE unsigned long long block_rank() const
    {
        const uint3 block = context_->block_idx();
        const dim3 grid = context_->grid_dim();
        return block.x + (unsigned long long)grid.x * (block.y + (unsigned long long)grid.y * block.z);
    }
    RK_GROUPS_CODE unsigned long long num_threads() const
    {
        return num_blocks() * context_->threads();
    }
    RK_GROUPS_CODE unsigned long long size() const
    {
        return num_threads();
    }
    RK_GROUPS_CODE unsigned long long thread_rank() const
    {
        return block_rank() * context_->threads() + context_->rank();
    }
    RK_GROUPS_CODE dim3 dim_blocks() const
    {
        return context_->grid_dim();
    }
    RK_GROUPS_CODE dim3 group_dim() const
    {
        return context_->grid_dim();
    }
    RK_GROUPS_CODE dim3 block_index() const
    {
        return dim3(context_->block_idx());
    }

  private:
    Ctx *context_;
};

/* Making groups. */

template <class Ctx> RK_GROUPS_CODE grid_group<Ctx> this_grid(Ctx &context)
{
    return grid_group<Ctx>(context);
}

template <class Ctx> RK_GROUPS_CODE thread_block<Ctx> this_thread_block(Ctx &context)
{
    return thread_block<Ctx>(context);
}
template <class Ctx> RK_GROUPS_CODE thread_block_tile<Ctx, 1> this_thread(Ctx &context)
{
    return thread_block_tile<Ctx, 1>(context, 0, 1);
}

template <unsigned Size, class Ctx>
RK_GROUPS_CODE thread_block_tile<Ctx, Size, thread_block<Ctx>>
tiled_partition(const thread_block<Ctx> &block)
{
    return thread_block_tile<Ctx, Size, thread_block<Ctx>>(
        block.context(), block.thread_rank() / Size, (block.size() + Size - 1) / Size);
}
template <unsigned Size, class Ctx, unsigned From, class Parent>
RK_GROUPS_CODE thread_block_tile<Ctx, Size, thread_block_tile<Ctx, From, Parent>>
tiled_partition(const thread_block_tile<Ctx, From, Parent> &tile)
{
    static_assert(Size <= From, "a tile is no larger than what it is a part of");
    return thread_block_tile<Ctx, Size, thread_block_tile<Ctx, From, Parent>>(
        tile.context(), tile.thread_rank() / Size, From / Size);
}

/** Ranks [k * size, (k + 1) * size) of a group of lanes are its part k. */
template <class Ctx>
RK_GROUPS_CODE coalesced_group<Ctx> tiled_partition(const coalesced_group<Ctx> &group,
                                                    unsigned size)
{
    const unsigned part = group.thread_rank() / size;
    unsigned mask = 0, rank = 0;
    for (unsigned left = group.lanes(); left; left &= left - 1)
        mask |= rank++ / size == part ? left & (0u - left) : 0;
    return coalesced_group<Ctx>(group.context(), mask, part, (group.size() + size - 1) / size);
}
template <class Ctx>
RK_GROUPS_CODE thread_group<Ctx> tiled_partition(const thread_block<Ctx> &block, unsigned size)
{
    return thread_group<Ctx>(block.context(),
                             lanes_of_tile(block.thread_rank(), block.size(), size));
}
template <class Ctx>
RK_GROUPS_CODE thread_group<Ctx> tiled_partition(const thread_group<Ctx> &group, unsigned size)
{
    if (group.is_block())
        return groups::tiled_partition(thread_block<Ctx>(group.context()), size);
    return groups::tiled_partition(coalesced_group<Ctx>(group.context(), group.lanes()), size);
}
template <class Ctx, unsigned From, class Parent>
RK_GROUPS_CODE thread_group<Ctx>
tiled_partition(const thread_block_tile<Ctx, From, Parent> &tile, unsigned size)
{
    return groups::tiled_partition(coalesced_group<Ctx>(tile.context(), tile.lanes()), size);
}

/** The lanes of the group that have the caller's label, in order of their first lanes. */
template <class Ctx, class Label>
RK_GROUPS_CODE coalesced_group<Ctx> same_label(const lane_group<Ctx> &group, Label label)
{
    Ctx &context = group.context();
    const unsigned mine = context.match_any(group.lanes(), label);
    const unsigned first = first_lane(mine);
    const unsigned leaders = context.ballot(group.lanes(), group.lane() == first);
    return coalesced_group<Ctx>(context, mine, count_lanes(leaders & lanes_below(first)),
                                count_lanes(leaders));
}
template <class Ctx>
RK_GROUPS_CODE coalesced_group<Ctx> binary_partition(const lane_group<Ctx> &group, bool side)
{
    Ctx &context = group.context();
    const unsigned there = context.ballot(group.lanes(), 1);
    const unsigned set = context.ballot(group.lanes(), side);
    if (set == there || set == 0)
        return coalesced_group<Ctx>(context, there);
    return coalesced_group<Ctx>(context, side ? set : there & ~set, side, 2);
}
template <class Ctx, class Label>
RK_GROUPS_CODE coalesced_group<Ctx> labeled_partition(const lane_group<Ctx> &group, Label label)
{
    return groups::same_label(group, label);
}
template <class Ctx, class T>
RK_GROUPS_CODE coalesced_group<Ctx> labeled_partition(const lane_group<Ctx> &group, T *label)
{
    return groups::same_label(group, (unsigned long long)label);
}
template <class Ctx>
RK_GROUPS_CODE coalesced_group<Ctx> labeled_partition(const lane_group<Ctx> &group, bool label)
{
    return groups::binary_partition(group, label);
}

/* Of any group. */

template <class Group> RK_GROUPS_CODE void sync(const Group &group)
{
    group.sync();
}
template <class Group>
RK_GROUPS_CODE auto thread_rank(const Group &group) -> decltype(group.thread_rank())
{
    return group.thread_rank();
}
template <class Group>
RK_GROUPS_CODE auto group_size(const Group &group) -> decltype(group.num_threads())
{
    return group.num_threads();
}

/** What `operator` returns for two values is taken to be of their type. */
template <class Ctx, unsigned Size, class Parent, class T, class Op>
RK_GROUPS_CODE typename plain<T>::type reduce(const thread_block_tile<Ctx, Size, Parent> &group,
                                              T &&value, Op &&op)
{
    typename plain<T>::type out = value;
    for (unsigned step = Size / 2; step > 0; step /= 2)
        out = op(out, group.shfl_xor(out, step));
    return out;
}

template <class Group, class T, class Op>
RK_GROUPS_CODE typename plain<T>::type inclusive_scan(const Group &group, T &&value, Op &&op)
{
    typename plain<T>::type out = value;
    const unsigned rank = group.thread_rank();
    for (unsigned step = 1; step < group.size(); step *= 2) {
        const typename plain<T>::type below = group.shfl_up(out, step);
        if (step <= rank)
            out = op(out, below);
    }
    return out;
}

template <class Ctx, class T, class Op>
RK_GROUPS_CODE typename plain<T>::type reduce(const coalesced_group<Ctx> &group, T &&value, Op &&op)
{
    if (group.lanes() == 0xFFFFFFFFu)
        return groups::reduce(thread_block_tile<Ctx, 32>(group.context(), 0, 1), value, op);
    return group.from_lane(groups::inclusive_scan(group, value, op), last_lane(group.lanes()));
}

/** A value-initialised T for rank 0. */
template <class Group, class T, class Op>
RK_GROUPS_CODE typename plain<T>::type exclusive_scan(const Group &group, T &&value, Op &&op)
{
    typedef typename plain<T>::type type;
    const type below = group.shfl_up(groups::inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? type() : below;
}

struct add {
    template <class T> RK_GROUPS_CODE T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <class Group, class T>
RK_GROUPS_CODE typename plain<T>::type inclusive_scan(const Group &group, T &&value)
{
    return groups::inclusive_scan(group, value, add());
}
template <class Group, class T>
RK_GROUPS_CODE typename plain<T>::type exclusive_scan(const Group &group, T &&value)
{
    return groups::exclusive_scan(group, value, add());
}

/* Copies. They are done at once by the group's threads, each its part; waiting is the group's barrier. */

template <class Group, class T>
RK_GROUPS_CODE void copy_elements(const Group &group, T *to, const T *from, unsigned long long count)
{
    for (unsigned long long i = group.thread_rank(); i < count; i += group.size())
        to[i] = from[i];
}
template <class Group>
RK_GROUPS_CODE void copy_elements(const Group &group, void *to, const void *from,
                                  unsigned long long count)
{
    groups::copy_elements(group, (unsigned char *)to, (const unsigned char *)from, count);
}
template <class T> struct element_size {
    static constexpr unsigned value = sizeof(T);
};
template <> struct element_size<void> {
    static constexpr unsigned value = 1;
};

/** `bytes` is a number, or what converts to one. */
template <class Group, class T, class Bytes>
RK_GROUPS_CODE void memcpy_async(const Group &group, T *to, const T *from, const Bytes &bytes)
{
    const unsigned long long size = (unsigned long long)bytes;
    const unsigned long long rest = size % element_size<T>::value;
    groups::copy_elements(group, to, from, size / element_size<T>::value);
    groups::copy_elements(group, (unsigned char *)to + (size - rest),
                  (const unsigned char *)from + (size - rest), rest);
}
/** Layouts count elements; the smaller one is copied. */
template <class Group, class To, class ToLayout, class From, class FromLayout>
RK_GROUPS_CODE void memcpy_async(const Group &group, To *to, const ToLayout &to_count,
                                 const From *from, const FromLayout &from_count)
{
    const unsigned long long t = (unsigned long long)to_count, f = (unsigned long long)from_count;
    groups::copy_elements(group, to, (const To *)from, t < f ? t : f);
}
template <class Group> RK_GROUPS_CODE void wait(const Group &group)
{
    group.sync();
}
template <unsigned Stages, class Group> RK_GROUPS_CODE void wait_prior(const Group &group)
{
    group.sync();
}

} // namespace groups
} // namespace rk__

#endif
