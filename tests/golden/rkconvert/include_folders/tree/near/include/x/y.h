#include <x/z.h>
