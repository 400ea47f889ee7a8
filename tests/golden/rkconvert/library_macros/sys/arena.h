#pragma once
namespace google
{
struct note {
    int level;
};
#define NOTE(n) google::note{n}
namespace protobuf
{
struct arena {
    template <class T> static T *make(arena *);
};
template <class T> struct is_enum {
    static constexpr bool value = false;
};
}
}
#define OPEN_PROTOBUF                                                                                                  \
    namespace google                                                                                                   \
    {                                                                                                                  \
    namespace protobuf                                                                                                 \
    {
#define CLOSE_PROTOBUF                                                                                                 \
    }                                                                                                                  \
    }
#define MUST_USE [[nodiscard]]
