constexpr int spend(long n)
{
    int s = 0;
    for (long i = 0; i < n; i++)
        s += i & 1;
    return s;
}
static_assert(spend(4000000000L) > 0, "");
__global__ void slow() {}
