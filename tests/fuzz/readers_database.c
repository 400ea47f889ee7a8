/* The converter's reader, apart: its headers and the scheduler's are never included together. */
#include "convert/run/database.h"
#include "readers_database.h"

bool read_database(const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_database database;
    return rk_database_read(&database, path, arena, diag);
}
