#include "emit/backend.h"

#include <string.h>

const rk_backend *rk_backend_find(const char *name)
{
    for (size_t i = 0; i < rk_backend_count; i++) {
        if (strcmp(rk_backends[i]->name, name) == 0)
            return rk_backends[i];
    }
    return NULL;
}
