// The vector types: how they are made, laid out, aligned, moved and reinterpreted.
#include "check.h"

__host__ __device__ inline float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__host__ __device__ inline float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__global__ void add(const float4 *a, const float4 *b, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

// Scalars moved four at a time, through a pointer of another type.
__global__ void move(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        reinterpret_cast<float4 *>(out)[i] = __ldg(reinterpret_cast<const float4 *>(in) + i);
    if (i < n % 4)
        out[n / 4 * 4 + i] = in[n / 4 * 4 + i];
}

__global__ void mixed(uchar4 *pixels, const float3 *points, double2 *out, short4 *small, longlong2 *large)
{
    __shared__ float3 staged[32];
    int i = threadIdx.x;
    staged[i] = points[i];
    __syncthreads();
    float3 other = staged[blockDim.x - 1 - i];
    out[i] = make_double2(dot(staged[i], other), other.z);
    uchar4 pixel = pixels[i];
    pixel = make_uchar4(pixel.w, pixel.z, (unsigned char)(pixel.y + 200), pixel.x);
    pixels[i] = pixel;
    small[i] = make_short4((short)-i, (short)(i * 1000), 3, -4);
    large[i] = {i * 10000000000ll, -i};
}

template <class T> __global__ void layout(unsigned *out)
{
    out[0] = sizeof(T);
    out[1] = alignof(T);
}

template <class T> static void check_layout(const char *name, unsigned size, unsigned align)
{
    check::buffer<unsigned> out(2);
    layout<T><<<1, 1>>>(out);
    LAUNCH_OK();
    check::same(name, out.get(), {size, align});
    check::same(name, std::vector<unsigned>{sizeof(T), alignof(T)}, {size, align});
}

static std::vector<float> flat(const std::vector<float4> &values)
{
    std::vector<float> all;
    for (float4 v : values)
        all.insert(all.end(), {v.x, v.y, v.z, v.w});
    return all;
}

static void check_mixed()
{
    const int n = 27;
    std::vector<float> numbers = check::values<float>(3 * n, 46);
    std::vector<float3> points(n);
    std::vector<uchar4> pixels(n);
    for (int i = 0; i < n; i++) {
        points[i] = make_float3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
        pixels[i] = make_uchar4((unsigned char)i, (unsigned char)(2 * i), (unsigned char)(3 * i), (unsigned char)(9 * i));
    }
    check::buffer<uchar4> device_pixels(pixels);
    check::buffer<float3> device_points(points);
    check::buffer<double2> out(n);
    check::buffer<short4> small(n);
    check::buffer<longlong2> large(n);
    mixed<<<1, n>>>(device_pixels, device_points, out, small, large);
    LAUNCH_OK();
    std::vector<double> got, want;
    std::vector<uchar4> got_pixels = device_pixels.get();
    std::vector<double2> got_out = out.get();
    std::vector<short4> got_small = small.get();
    std::vector<longlong2> got_large = large.get();
    for (int i = 0; i < n; i++) {
        float3 p = points[i], q = points[n - 1 - i];
        got.insert(got.end(), {got_out[i].x, got_out[i].y, (double)got_pixels[i].x, (double)got_pixels[i].y,
                               (double)got_pixels[i].z, (double)got_pixels[i].w, (double)got_small[i].x,
                               (double)got_small[i].y, (double)got_small[i].w, (double)got_large[i].x,
                               (double)got_large[i].y});
        want.insert(want.end(), {(double)(p.x * q.x + p.y * q.y + p.z * q.z), q.z, (double)(9 * i % 256),
                                 (double)(3 * i % 256), (double)((2 * i + 200) % 256), (double)i, (double)-i,
                                 (double)(short)(i * 1000), -4.0, i * 1e10, (double)-i});
    }
    check::same("mixed", got, want, 1e-6);
}

int main()
{
    const int n = 301;
    std::vector<float> a = check::values<float>(4 * n, 47), b = check::values<float>(4 * n, 48), want(4 * n);
    std::vector<float4> wide_a(n), wide_b(n);
    for (int i = 0; i < n; i++) {
        wide_a[i] = make_float4(a[4 * i], a[4 * i + 1], a[4 * i + 2], a[4 * i + 3]);
        wide_b[i] = make_float4(b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]);
    }
    check::buffer<float4> device_a(wide_a), device_b(wide_b), sum(n);
    add<<<check::blocks_for(n, 96), 96>>>(device_a, device_b, sum, n);
    LAUNCH_OK();
    for (int i = 0; i < 4 * n; i++)
        want[i] = a[i] + b[i];
    check::same("sums", flat(sum.get()), want);

    a.resize(1003);
    check::buffer<float> from(a), to(a.size());
    move<<<check::blocks_for(a.size() / 4 + 1, 64), 64>>>(from, to, (int)a.size());
    LAUNCH_OK();
    check::same("moved", to.get(), a);
    check_mixed();

    check_layout<float3>("float3", 12, 4);
    check_layout<float4>("float4", 16, 16);
    check_layout<double2>("double2", 16, 16);
    check_layout<uchar4>("uchar4", 4, 4);
    check_layout<short2>("short2", 4, 4);
    check_layout<ushort3>("ushort3", 6, 2);
    check_layout<int2>("int2", 8, 8);
    check_layout<longlong2>("longlong2", 16, 16);
    check_layout<dim3>("dim3", 12, 4);
    return check::done();
}
