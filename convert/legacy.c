#include "convert/legacy.h"
#include "convert/sources.h"
#include "convert/parse.h"
bool rk_legacy_convert(rk_unit *unit)
{
    return rk_sources_read(unit) && rk_parse_source(unit);
}
