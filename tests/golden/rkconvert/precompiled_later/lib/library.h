#ifndef LIBRARY_H
#define LIBRARY_H
#ifndef BLOCK
#define BLOCK 32
#endif
namespace library
{
constexpr int block = BLOCK;
}
#define LIBRARY_READ
#define narrow wide
#endif
