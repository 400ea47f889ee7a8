#include "convert/fission/fission_internal.h"

bool rk_fission_refuse(rk_fission *f, CXCursor at, const char *why)
{
    if (!f->why) {
        f->why = why;
        f->line = rk_ast_place(clang_getCursorLocation(at), f->arena).line;
    }
    return false;
}
