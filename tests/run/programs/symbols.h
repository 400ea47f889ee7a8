/* Declared here, defined behind the kernel that reads them. */
#pragma once

extern __device__ int declared[4];
extern __managed__ int declared_managed;
extern __constant__ float declared_constant[2];
__device__ int plus(int value, int by = 5);

class account
{
    int value;

public:
    __host__ __device__ explicit account(int v) : value(v)
    {
    }
    __device__ friend int times(const account &a, int n);
    friend int total(const account &a);
};
__device__ int times(const account &a, int n = 2);

namespace limits
{
extern __device__ int most;
struct range {
    __device__ int wide(int by = 3) const;
};
}
