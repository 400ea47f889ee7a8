#define BIT(n) (1u << (n))
#define SQUARE(x) (int)x *x
#define STORE(to, x) to = x
#define TWICE(x) f(x) + f(x)
#define ROUNDED(x) ((int)((x) + 0.5f))
#if BIT(3) == 8
__device__ int f(int i)
{
    return i;
}
#endif
struct fields {
    int low : 5;
};
__device__ int g(float x)
{
    if (x > 0)
        return 1;
}
__global__ void k(int *o, float x, int n)
{
    fields s = {1};
    o[0] = BIT(n);
    o[1] = TWICE(x);
    s.low += x;
    o[2] = SQUARE(x);
    STORE(o[3], x);
    o[4] = ROUNDED(x) + g(x);
    o[5] = 1 << n % 32 << (n & 31) >> 3;
    o[n >> 4] += x;
    o[6] += s.low, o[7] = 2.5f;
}
