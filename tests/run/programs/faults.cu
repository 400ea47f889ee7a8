// Faults of kernels: the device's error for each is told by the next call and stays until the device is reset, while
// the program goes on. AddressSanitizer, which tells of memory faults by itself, ends the program.
#include "check.h"

#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__ // gcc
#define FAULTS_END_IT
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) // clang
#define FAULTS_END_IT
#endif
#endif

enum fault { NOWHERE, STACK, TRAP };

__device__ int deep(volatile int *out, int depth)
{
    volatile int frame[1024];
    frame[depth & 1023] = depth;
    return depth <= 0 ? *out : deep(out, depth - 1) + frame[depth & 1023];
}

__global__ void fail_plainly(fault how, int *wrong)
{
    if (threadIdx.x != 5)
        return;
    if (how == NOWHERE)
        *wrong = 1;
    else if (how == TRAP)
        __trap();
}

__global__ void fail_waiting(fault how, int *wrong, int *out)
{
    __syncthreads();
    if (threadIdx.x == 5 && blockIdx.x == 1) {
        if (how == STACK)
            *out = deep(out, 1 << 20);
        else
            *wrong = 1;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void good(int *out)
{
    out[threadIdx.x] = 7;
}

// Runs `launch`, which must fail with `code`, and sees that the error stays until the device is reset.
template <class Launch> static void check_fault(const char *what, cudaError_t code, Launch launch)
{
    int *out, *more;
    CUDA_OK(cudaMalloc(&out, 128 * sizeof(int)));
    launch(out);
    check::same(what, (int)cudaDeviceSynchronize(), (int)code);
    EXPECT(cudaPeekAtLastError() == code && cudaGetLastError() == code && cudaGetLastError() == code);
    EXPECT(cudaMalloc(&more, 4) == code && cudaStreamSynchronize(0) == code);
    EXPECT(cudaMemset(out, 0, 4) == code && cudaFree(out) == code);
    CUDA_OK(cudaDeviceReset());
    EXPECT(cudaGetLastError() == cudaSuccess);
    check::buffer<int> anew(32);
    good<<<1, 32>>>(anew);
    LAUNCH_OK();
    check::same("after it", anew.get(), std::vector<int>(32, 7));
}

int main()
{
    EXPECT(freopen("/dev/null", "w", stderr) != nullptr); // where they are told
    check_fault("__trap", cudaErrorLaunchFailure, [=](int *out) { fail_plainly<<<1, 32>>>(TRAP, out); });
#ifndef FAULTS_END_IT
    int *const nowhere = (int *)16;
    check_fault("an address that is none", cudaErrorIllegalAddress,
                [=](int *out) { fail_plainly<<<1, 32>>>(NOWHERE, nowhere); });
    check_fault("one between barriers", cudaErrorIllegalAddress,
                [=](int *out) { fail_waiting<<<4, 32>>>(NOWHERE, nowhere, out); });
    check_fault("the stack", cudaErrorHardwareStackError, [=](int *out) { fail_waiting<<<4, 32>>>(STACK, out, out); });
#endif
    return check::done();
}
