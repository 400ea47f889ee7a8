// Values of template parameters, as each type has them.
#include <cuda_runtime.h>
enum class small : unsigned char { low, high = 200 };
enum plain { minus = -3, none };
namespace ns {
enum class wide : long long { least = -9223372036854775807LL - 1 };
}
template <unsigned char V> __global__ void uchar(int *x) { *x = V; }
template <signed char V> __global__ void schar(int *x) { *x = V; }
template <char V> __global__ void chars(int *x) { *x = V; }
template <unsigned short V> __global__ void ushort_(int *x) { *x = V; }
template <short V> __global__ void short_(int *x) { *x = V; }
template <unsigned V> __global__ void uint_(unsigned *x) { *x = V; }
template <long long V> __global__ void llong(long long *x) { *x = V; }
template <unsigned long long V> __global__ void ullong(unsigned long long *x) { *x = V; }
template <char16_t V> __global__ void char16(int *x) { *x = V; }
template <char32_t V> __global__ void char32(unsigned *x) { *x = V; }
template <wchar_t V> __global__ void wide(int *x) { *x = V; }
template <bool V> __global__ void flag(int *x) { *x = V; }
template <small V> __global__ void scoped(int *x) { *x = (int)V; }
template <plain V> __global__ void unscoped(int *x) { *x = (int)V; }
template <ns::wide V> __global__ void spaced(long long *x) { *x = (long long)V; }
template <class T, T V> __global__ void dependent(T *x) { *x = V; }
template <auto V> __global__ void deduced(int *x) { *x = sizeof V + V; }
template <int *V> __global__ void pointer(int *x) { *x = V == nullptr; }
template <decltype(nullptr) V> __global__ void null(int *x) { *x = V == nullptr; }
template <unsigned char... V> __global__ void pack(int *x) { *x = (0 + ... + V); }
void launch(int *x, unsigned *u, long long *l, unsigned long long *m, unsigned char *c, short *s)
{
    uchar<200><<<1, 1>>>(x);
    schar<-56><<<1, 1>>>(x);
    chars<'a'><<<1, 1>>>(x);
    chars<'\xc8'><<<1, 1>>>(x);
    ushort_<65535><<<1, 1>>>(x);
    short_<-32768><<<1, 1>>>(x);
    uint_<4000000000u><<<1, 1>>>(u);
    llong<-9223372036854775807LL - 1><<<1, 1>>>(l);
    ullong<18446744073709551615ull><<<1, 1>>>(m);
    char16<u'\xffff'><<<1, 1>>>(x);
    char32<U'\xffffffff'><<<1, 1>>>(u);
    wide<L'x'><<<1, 1>>>(x);
    flag<true><<<1, 1>>>(x);
    scoped<small::high><<<1, 1>>>(x);
    scoped<(small)7><<<1, 1>>>(x);
    unscoped<minus><<<1, 1>>>(x);
    spaced<ns::wide::least><<<1, 1>>>(l);
    spaced<(ns::wide)-5><<<1, 1>>>(l);
    dependent<unsigned char, 200><<<1, 1>>>(c);
    dependent<short, -7><<<1, 1>>>(s);
    deduced<5u><<<1, 1>>>(x);
    deduced<'a'><<<1, 1>>>(x);
    deduced<(unsigned char)200><<<1, 1>>>(x);
    deduced<small::high == small::low><<<1, 1>>>(x);
    pointer<nullptr><<<1, 1>>>(x);
    null<nullptr><<<1, 1>>>(x);
    pack<200, 1><<<1, 1>>>(x);
}
