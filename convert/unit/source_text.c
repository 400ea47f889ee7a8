#include "convert/text/edits.h"
#include "convert/unit/sources.h"

bool rk_sources_expand(rk_source_file *file, rk_edits *edits)
{
    size_t size, conflict[2];
    if (!edits->list.count)
        return false;
    char *text = rk_edits_apply(edits, file->bytes.data, file->bytes.size, &size, conflict);
    if (!text)
        return false;
    file->bytes = (rk_bytes){text, size};
    file->expanded = true;
    return true;
}
