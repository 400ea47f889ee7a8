#include "convert/resources.h"
void rk_resources_measure(rk_unit *unit)
{
    (void)unit;
}
