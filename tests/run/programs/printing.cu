// printf on the device: formats, arguments of all kinds, and threads that print in turn.
#include "check.h"

__global__ void formats(int *returned)
{
    returned[0] = printf("%d %5d|%-5d|%05d %u %x %X %o %c%%\n", -7, 42, 42, 42, 4000000000u, 255, 255, 8, 'c');
    returned[1] = printf("%lld %llu %hd %ld\n", -1ll << 40, 1ull << 63, (short)-3, 123456789012l);
    returned[2] = printf("%f %.3f %8.2f %e %g %g\n", 1.5f, 2.0 / 3, -3.14159, 12345.678, 1e-5, 100.0);
    returned[3] = printf("%s and %.2s|%6s|\n", "text", "cut", "wide");
    returned[4] = printf("none\n");
}

// Signs, alternate forms, widths and precisions of the arguments, sizes, pointers, and hexadecimal floats.
__global__ void more_formats(int *returned)
{
    returned[0] = printf("%+d % d %i %#x %#o %.3d %-+5d|\n", 5, 5, -6, 255, 8, 7, 9);
    returned[1] = printf("%*d|%-*d|%.*f|%*.*f|\n", 6, 42, 6, 42, 2, 3.14159, 9, 3, 2.71828);
    returned[2] = printf("%zu %lx %llx %hhd %hu %lu\n", (size_t)1 << 40, 0xabcdefl, ~0ull, (char)-3, (unsigned short)65535, 7ul);
    returned[3] = printf("%E %G %a %A %.0f %lf\n", 0.00012345, 1e20, 1.0, 0.5, 2.5, 1.25);
    returned[4] = printf("%p %5c|%-4s|%s\n", (void *)0x1234, 'x', "ab", blockDim.x > 100 ? "many" : "few");
}

__global__ void in_turn(int rounds)
{
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x == round)
            printf("thread %u of block (%u, %u) says %d\n", threadIdx.x, blockIdx.x, blockIdx.y, round * round);
        __syncthreads();
    }
}

int main()
{
    check::buffer<int> returned(5);
    formats<<<1, 1>>>(returned);
    LAUNCH_OK();
    check::same("arguments printed", returned.get(), std::vector<int>{9, 4, 6, 3, 0});
    more_formats<<<1, 1>>>(returned);
    LAUNCH_OK();
    check::same("more arguments printed", returned.get(), std::vector<int>{7, 9, 6, 6, 4});
    in_turn<<<1, 33>>>(4);
    LAUNCH_OK();
    in_turn<<<dim3(1, 1), 2>>>(2);
    LAUNCH_OK();
    return check::done();
}
