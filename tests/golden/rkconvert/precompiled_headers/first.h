#ifndef FIRST_H
#define FIRST_H
#include <library.h>
#endif
