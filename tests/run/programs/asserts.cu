// assert on the device: it says nothing while it holds; when it fails, that launch and every later call do.
#include <cassert>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "check.h"

__global__ void bounded(const int *values, int limit, int *out)
{
    int value = values[threadIdx.x];
    assert(value < limit && "value beyond its limit");
    __syncthreads();
    out[threadIdx.x] = 2 * value;
}

/** Whether the kernel has its own name. */
__global__ void named(int *same)
{
    const char *own = __func__, *want = "named";
    int i = 0;
    while (own[i] && own[i] == want[i])
        i++;
    *same = own[i] == want[i];
}

/** What `work` writes to stderr. */
template <class Work> static std::string told(Work work)
{
    FILE *file = tmpfile();
    fflush(stderr);
    int kept = dup(2);
    dup2(fileno(file), 2);
    work();
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    rewind(file);
    char text[1000] = "";
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    return std::string(text, size);
}

int main()
{
    std::vector<int> values = {5, 1, 4, 40, 3}, want;
    check::buffer<int> device(values), out(values.size());
    bounded<<<1, 5>>>(device, 41, out);
    LAUNCH_OK();
    for (int value : values)
        want.push_back(2 * value);
    check::same("doubled", out.get(), want);

    check::buffer<int> same(1);
    named<<<1, 1>>>(same);
    LAUNCH_OK();
    if (!getenv("RK_VEUS"))
        check::same("named", same.get()[0], 1);

    cudaError_t error;
    std::string text = told([&] {
        bounded<<<1, 5>>>(device, 40, out);
        error = cudaDeviceSynchronize();
    });
    EXPECT(error == cudaErrorAssert);
    EXPECT(text.find("value beyond its limit") != std::string::npos);
    EXPECT(text.find("block (0, 0, 0)") != std::string::npos || text.find("block: [0,0,0]") != std::string::npos);
    if (!getenv("RK_VEUS"))
        EXPECT(text.find("thread (3, 0, 0)") != std::string::npos || text.find("thread: [3,0,0]") != std::string::npos);
    EXPECT(cudaGetLastError() == cudaErrorAssert);
    // Such an error stays.
    EXPECT(cudaGetLastError() == cudaErrorAssert);
    int *more;
    EXPECT(cudaMalloc((void **)&more, 4) == cudaErrorAssert);
    return check::done();
}
