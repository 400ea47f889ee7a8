/* The converter's readers, apart: its headers and the scheduler's are never included together. */
#include "readers_database.h"
#include "convert/run/database.h"
#include "convert/unit/convert.h"

bool read_database(const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_database database;
    return rk_database_read(&database, path, arena, diag);
}

bool read_tree(const char *path, rk_arena *arena, rk_diag *diag)
{
    return rk_convert_load_ir(path, arena, diag) != NULL;
}
