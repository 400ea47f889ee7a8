#ifndef RK_RANGED_H
#define RK_RANGED_H

/*
 * `for (int i : range)` where begin() or end() of the range needs the rTask's context, which becomes
 * `for (int i : rk__::ranged(rk__ctx, range))`.
 */

#if defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#define RK_RANGED_CODE inline __device__
#else
#define RK_RANGED_CODE inline
#endif

namespace rk__
{

template <class Context, class Range>
RK_RANGED_CODE auto range_begin(Context &context, Range &range, int)
    -> decltype(range.begin(context))
{
    return range.begin(context);
}
template <class Context, class Range>
RK_RANGED_CODE auto range_begin(Context &, Range &range, long) -> decltype(range.begin())
{
    return range.begin();
}
template <class Context, class Range>
RK_RANGED_CODE auto range_end(Context &context, Range &range, int) -> decltype(range.end(context))
{
    return range.end(context);
}
template <class Context, class Range>
RK_RANGED_CODE auto range_end(Context &, Range &range, long) -> decltype(range.end())
{
    return range.end();
}

/** A range with the context of the thread; `Range` is a reference where it is not a temporary. */
template <class Context, class Range> struct ranged_view {
    Context &context;
    Range range;

    RK_RANGED_CODE auto begin()
    {
        return range_begin(context, range, 0);
    }
    RK_RANGED_CODE auto end()
    {
        return range_end(context, range, 0);
    }
};

template <class Context, class Range>
RK_RANGED_CODE ranged_view<Context, Range> ranged(Context &context, Range &&range)
{
    return {context, static_cast<Range &&>(range)};
}

} // namespace rk__

#endif
