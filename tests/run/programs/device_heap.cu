// Memory that kernels take and give back themselves, functions of C's library on the device, and loads and stores
// with cache hints of every width.
#include <cstring>

#include "check.h"

struct node {
    int value;
    node *next;
};

class shape
{
  public:
    __device__ explicit shape(float side) : side_(side)
    {
    }
    __device__ virtual ~shape()
    {
    }
    __device__ virtual float area() const
    {
        return side_ * side_;
    }

  protected:
    float side_;
};

class triangle : public shape
{
  public:
    using shape::shape;
    __device__ float area() const override
    {
        return side_ * side_ / 2;
    }
};

// Lists that one kernel makes and another one takes apart.
__global__ void make_lists(node **heads, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    node *head = nullptr;
    for (int k = 0; k <= i % 5; k++) {
        node *made = (node *)malloc(sizeof(node));
        made->value = i + k;
        made->next = head;
        head = made;
    }
    heads[i] = head;
}

__global__ void sum_lists(node **heads, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    while (node *head = heads[i]) {
        sum += head->value;
        heads[i] = head->next;
        free(head);
    }
    out[i] = sum;
}

__global__ void areas(float *out)
{
    shape *made = threadIdx.x % 2 ? new triangle((float)threadIdx.x) : new shape((float)threadIdx.x);
    out[threadIdx.x] = made->area();
    delete made;
    int *many = new int[threadIdx.x + 1];
    memset(many, 0, (threadIdx.x + 1) * sizeof(int));
    many[threadIdx.x] = 2;
    int copy[1];
    memcpy(copy, many + threadIdx.x, sizeof(int));
    out[threadIdx.x] += copy[0] + many[0];
    delete[] many;
}

template <class T> __global__ void hinted(const T *in, T *out)
{
    int i = threadIdx.x;
    out[6 * i] = __ldg(in + i);
    __stcg(out + 6 * i + 1, __ldcg(in + i));
    __stcs(out + 6 * i + 2, __ldcs(in + i));
    __stwb(out + 6 * i + 3, __ldca(in + i));
    __stwt(out + 6 * i + 4, __ldcv(in + i));
    out[6 * i + 5] = __ldlu(in + i);
}

template <class T> static void check_hinted(const char *name, T (*make)(int))
{
    std::vector<T> in, want;
    for (int i = 0; i < 32; i++) {
        in.push_back(make(i));
        want.insert(want.end(), 6, make(i));
    }
    check::buffer<T> device(in), out(want.size());
    hinted<<<1, 32>>>((const T *)(T *)device, (T *)out);
    LAUNCH_OK();
    const std::vector<T> got = out.get();
    EXPECT(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)) == 0);
    check::same(name, got.size(), want.size());
}

int main()
{
    const int n = 300;
    check::buffer<node *> heads(n);
    check::buffer<int> sums(n);
    std::vector<int> want;
    make_lists<<<5, 64>>>(heads, n);
    sum_lists<<<5, 64>>>(heads, sums, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++) {
        const int length = i % 5 + 1;
        want.push_back(length * i + length * (length - 1) / 2);
    }
    check::same("lists", sums.get(), want);

    check::buffer<float> sizes(64);
    areas<<<1, 64>>>(sizes);
    LAUNCH_OK();
    std::vector<float> want_sizes;
    for (int i = 0; i < 64; i++)
        want_sizes.push_back((float)(i * i) / (i % 2 ? 2 : 1) + (i == 0 ? 4 : 2));
    check::same("areas", sizes.get(), want_sizes);

    check_hinted<char>("char", [](int i) { return (char)(i - 9); });
    check_hinted<short>("short", [](int i) { return (short)(i * 1000); });
    check_hinted<int>("int", [](int i) { return i * 100003; });
    check_hinted<unsigned long long>("long long", [](int i) { return (unsigned long long)i << 50; });
    check_hinted<float2>("float2", [](int i) { return make_float2((float)i, -0.5f); });
    check_hinted<double>("double", [](int i) { return i / 3.0; });
    check_hinted<int4>("int4", [](int i) { return make_int4(i, -i, i * i, 7); });
    check_hinted<uchar4>("uchar4", [](int i) { return make_uchar4((unsigned char)i, 1, 2, 3); });
    return check::done();
}
