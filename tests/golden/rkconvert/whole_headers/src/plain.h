#include <time.h>
typedef struct {
    float x, y;
} point;
float plain_host(point *p);
