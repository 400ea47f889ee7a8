#ifndef HEAD_H
#define HEAD_H
#include "part.h"
inline int rows()
{
    return ROWS * part_size;
}
ON_DEVICE inline int column()
{
    return threadIdx.x % part_size;
}
enum { rows_of_block = ROWS };
template <class Work> void for_each_type(Work work)
{
    work(1);
    work(1.0f);
}
#endif
