#include "convert/rkernel/resources.h"

#include <criterion/criterion.h>

static const char log_text[] =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'rk__probe_2' for 'sm_80'\n"
    "ptxas info    : Function properties for rk__probe_2\n"
    "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 1 barriers, 1024 bytes smem, 380 bytes cmem[0]\n"
    "ptxas info    : Compiling entry function 'rk__probe_0' for 'sm_80'\n"
    "ptxas info    : Function properties for rk__probe_0\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 16 registers, used 0 barriers, 352 bytes cmem[0]\n";

Test(convert_resources, reads_each_entry)
{
    rk_resources out[3] = {0};
    const bool wanted[3] = {true, false, true};
    cr_assert(rk_resources_parse(out, wanted, 3, log_text));
    cr_assert_eq(out[0].registers, 16);
    cr_assert_eq(out[0].shared, 0);
    cr_assert_eq(out[0].spill_bytes, 0);
    cr_assert_eq(out[2].registers, 255);
    cr_assert_eq(out[2].shared, 1024);
    cr_assert_eq(out[2].spill_bytes, 12);
}

Test(convert_resources, misses_what_is_not_there)
{
    rk_resources out[4] = {0};
    const bool wanted[4] = {true, true, true, false};
    cr_assert_not(rk_resources_parse(out, wanted, 4, log_text));
    cr_assert_not(rk_resources_parse(out, wanted, 1, ""));
    const bool none[1] = {false};
    cr_assert(rk_resources_parse(out, none, 1, ""));
}
