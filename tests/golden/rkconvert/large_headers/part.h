#ifndef PART_H
#define PART_H
enum { part_size = 8 };
#endif
