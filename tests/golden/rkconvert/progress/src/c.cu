// The compiler counts for a while.
constexpr int count(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i & 1;
    return sum;
}
static_assert(count(STEPS) == STEPS / 2, "");
__global__ void c(float *x) { x[threadIdx.x] = 1; }
