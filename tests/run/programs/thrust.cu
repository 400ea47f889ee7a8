// Thrust between kernels of our own: its algorithms on device vectors, on memory of cudaMalloc, on a stream, and
// within a kernel.
// flags: --extended-lambda
#include <thrust/copy.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "check.h"

struct square {
    __host__ __device__ long long operator()(int value) const
    {
        return (long long)value * value;
    }
};

__global__ void add_index(int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] += i;
}

// Each thread sorts a row of its own.
__global__ void sort_rows(int *values, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        thrust::sort(thrust::seq, values + row * columns, values + (row + 1) * columns);
}

static std::vector<int> numbers_of(const thrust::device_vector<int> &from)
{
    std::vector<int> to(from.size());
    thrust::copy(from.begin(), from.end(), to.begin());
    return to;
}

static void vectors(const std::vector<int> &values)
{
    const int n = (int)values.size();
    thrust::host_vector<int> host(values.begin(), values.end());
    thrust::device_vector<int> device = host, order(n);
    thrust::sequence(order.begin(), order.end());
    thrust::stable_sort_by_key(device.begin(), device.end(), order.begin());

    std::vector<int> want_order(n);
    for (int i = 0; i < n; i++)
        want_order[i] = i;
    std::stable_sort(want_order.begin(), want_order.end(), [&](int a, int b) { return values[a] < values[b]; });
    check::same("order", numbers_of(order), want_order);

    add_index<<<check::blocks_for(n, 128), 128>>>(thrust::raw_pointer_cast(device.data()), n);
    LAUNCH_OK();
    std::vector<int> want(n);
    long long squares = 0;
    for (int i = 0; i < n; i++) {
        want[i] = values[want_order[i]] + i;
        squares += (long long)want[i] * want[i];
    }
    check::same("sorted and shifted", numbers_of(device), want);
    std::vector<int> copied(n);
    CUDA_OK(cudaMemcpy(copied.data(), thrust::raw_pointer_cast(device.data()), n * sizeof(int), cudaMemcpyDeviceToHost));
    check::same("copied", copied, want);
    thrust::device_ptr<int> last = thrust::device_malloc<int>(1);
    CUDA_OK(cudaMemcpy(thrust::raw_pointer_cast(last), &want[n - 1], sizeof(int), cudaMemcpyHostToDevice));
    check::same("last", (int)*last, want[n - 1]);
    thrust::device_free(last);
    check::same("sum of squares",
                thrust::transform_reduce(device.begin(), device.end(), square(), 0LL, thrust::plus<long long>()),
                squares);
}

static void pointers(std::vector<int> values)
{
    const int n = (int)values.size();
    check::buffer<int> device(values), kept(values.size());
    cudaStream_t stream;
    CUDA_OK(cudaStreamCreate(&stream));
    add_index<<<check::blocks_for(n, 64), 64, 0, stream>>>(device, n);
    thrust::device_ptr<int> first((int *)device), to((int *)kept);
    thrust::inclusive_scan(thrust::cuda::par.on(stream), first, first + n, first);
    const int factor = 3;
    thrust::transform(thrust::device, first, first + n, thrust::counting_iterator<int>(0), first,
                      [=] __device__(int sum, int i) { return sum - factor * i; });
    const auto end = thrust::copy_if(first, first + n, to, [] __device__(int value) { return value % 2 == 0; });
    CUDA_OK(cudaStreamDestroy(stream));

    std::vector<int> even;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += values[i] + i;
        values[i] = sum - factor * i;
        if (values[i] % 2 == 0)
            even.push_back(values[i]);
    }
    check::same("scanned", device.get(), values);
    std::vector<int> got = kept.get();
    got.resize(end - to);
    check::same("even ones", got, even);
}

static void within_a_kernel(std::vector<int> values, int columns)
{
    const int rows = (int)values.size() / columns;
    check::buffer<int> device(values);
    sort_rows<<<check::blocks_for(rows, 32), 32>>>(device, rows, columns);
    LAUNCH_OK();
    for (int row = 0; row < rows; row++)
        std::sort(values.begin() + row * columns, values.begin() + (row + 1) * columns);
    check::same("rows", device.get(), values);
}

int main()
{
    vectors(check::values<int>(5003, 1));
    pointers(check::values<int>(1777, 2));
    within_a_kernel(check::values<int>(70 * 19, 3), 19);
    return check::done();
}
