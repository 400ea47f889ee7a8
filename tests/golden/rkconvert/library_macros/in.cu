// A library's macros, whose text is not the project's: they open its namespaces, name them, and stand before `::name`.
#include "arena.h"
namespace net
{
class blob;
enum mode { TRAIN };
}
OPEN_PROTOBUF
template <> ::net::blob *arena::make<::net::blob>(arena *);
template <> struct is_enum< ::net::mode> {
    static constexpr bool value = true;
};
CLOSE_PROTOBUF
OPEN_PROTOBUF
struct extra {
    int n;
};
CLOSE_PROTOBUF
namespace net
{
class blob {
    MUST_USE ::net::blob *release();
    ::google::protobuf::arena *owner;
};
__device__ int level(google::protobuf::extra e)
{
    return NOTE(3).level + e.n + google::protobuf::is_enum<mode>::value;
}
__global__ void k(int *y)
{
    y[threadIdx.x] = level({2});
}
void go(int *y)
{
    k<<<1, 32>>>(y);
}
}
