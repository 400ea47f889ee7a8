#include "decode.h"

bool decode_matrix(decoder *d)
{
    (void)d;
    return false;
}
