// Classes on the device: methods that use the built-in variables and barriers, objects by value and in memory,
// inheritance, operators, recursion, and pointers to device functions.
#include "check.h"

struct span {
    int *data;
    int size;
    __host__ __device__ int &operator[](int i) const
    {
        return data[i];
    }
    __device__ int own_index() const
    {
        return blockIdx.x * blockDim.x + threadIdx.x;
    }
    __device__ bool has_own() const
    {
        return own_index() < size;
    }
};

struct fraction {
    int over, under;
    __host__ __device__ friend fraction operator+(fraction a, fraction b)
    {
        return fraction{a.over * b.under + b.over * a.under, a.under * b.under}.reduced();
    }
    __host__ __device__ fraction reduced() const
    {
        int divisor = common(over, under);
        return {over / divisor, under / divisor};
    }
    // Recursive.
    __host__ __device__ static int common(int a, int b)
    {
        return b == 0 ? (a == 0 ? 1 : a) : common(b, a % b);
    }
};

class exchange
{
  public:
    __device__ explicit exchange(int *slots) : slots(slots)
    {
    }
    __device__ int with(int partner, int value) const
    {
        slots[threadIdx.x] = value;
        meet();
        int other = slots[partner];
        meet();
        return other;
    }

  protected:
    __device__ static void meet()
    {
        __syncthreads();
    }
    int *slots;
};

class mirror : public exchange
{
  public:
    using exchange::exchange;
    __device__ int operator()(int value) const
    {
        return with(blockDim.x - 1 - threadIdx.x, value);
    }
};

__global__ void fill(span to)
{
    if (to.has_own())
        to[to.own_index()] = 10 * to.own_index();
}

__global__ void mirrored(span values)
{
    __shared__ int slots[64];
    mirror other(slots);
    int value = values[values.own_index()];
    values[values.own_index()] = value + 2 * other(value);
}

__global__ void add(const fraction *a, const fraction *b, fraction *out)
{
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ int negate(int x)
{
    return -x;
}

using function = int (*)(int);
__device__ function functions[2] = {fibonacci, negate};

__global__ void call(int *out)
{
    out[threadIdx.x] = functions[threadIdx.x % 2](threadIdx.x);
}

// A class in a function has no static variables, only functions.
__global__ void local_class(int *out)
{
    struct step {
        static __device__ int after(int i)
        {
            return 3 * i + 1;
        }
    };
    out[threadIdx.x] = step::after(threadIdx.x);
}

int main()
{
    const int n = 5 * 64;
    check::buffer<int> out(n);
    std::vector<int> want(n);
    span whole = {out, n};
    fill<<<4, 96>>>(whole);
    mirrored<<<5, 64>>>({out, n});
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        want[i] = 10 * i + 20 * (i / 64 * 64 + 63 - i % 64);
    check::same("mirrored", out.get(), want);

    std::vector<fraction> a, b;
    for (int i = 1; i < 31; i++) {
        a.push_back({i, i + 5});
        b.push_back({2 * i, 3 * i + 1});
    }
    check::buffer<fraction> device_a(a), device_b(b), sums(a.size());
    add<<<1, 30>>>(device_a, device_b, sums);
    LAUNCH_OK();
    std::vector<fraction> got = sums.get();
    for (size_t i = 0; i < got.size(); i++) {
        int over = a[i].over * b[i].under + b[i].over * a[i].under, under = a[i].under * b[i].under, divisor = 1;
        for (int j = 1; j <= under; j++)
            divisor = over % j == 0 && under % j == 0 ? j : divisor;
        check::same("sums", std::vector<int>{got[i].over, got[i].under}, {over / divisor, under / divisor});
    }

    check::buffer<int> called(14);
    call<<<1, 14>>>(called);
    LAUNCH_OK();
    check::same("called", called.get(), {0, -1, 1, -3, 3, -5, 8, -7, 21, -9, 55, -11, 144, -13});

    check::buffer<int> stepped(4);
    local_class<<<1, 4>>>(stepped);
    LAUNCH_OK();
    check::same("stepped", stepped.get(), {1, 4, 7, 10});
    return check::done();
}
