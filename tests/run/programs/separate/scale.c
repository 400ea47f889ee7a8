#include "scale.h"

float chosen_factor(int step)
{
    return (float)(step * step) / 4.0f + 0.5f;
}
