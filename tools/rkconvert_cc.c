#include "rkconvert_tool.h"

#include "convert/cc/cc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: rkconvert cc [options] <file>... [options of nvcc and of the host compiler]\n"
    "\n"
    "Stands where a Makefile says nvcc, and builds for the CPU: .cu files are converted, everything is\n"
    "compiled by the host compiler ($CXX, else clang++, else c++) and linked with the runtime.\n"
    "\n"
    "  --drop-in        replace each launch by a vDevice that runs it as rKernels\n"
    "  --veus N         with --drop-in: N vEUs, whatever RK_VEUS says at run time\n"
    "  --entries        export the launching functions, for rammer run --legacy; with -shared\n"
    "  --check WHAT     find memory errors, races, uninitialised reads: memory, race, init, all\n"
    "  -o, -c, -dc, -dlink, -lib, -E, -M, -MD, -MMD, -MF, -I, -D, -U, -L, -l, -O, -g, -G, -std, -x,\n"
    "  -isystem, -include, -shared, -ccbin, -Xcompiler, -Xlinker, -odir, -optf, @file, -v, -dryrun,\n"
    "  -keep            as nvcc has them\n"
    "  -arch, -gencode, -code, -Xptxas, -rdc, -use_fast_math, --expt-*, ...\n"
    "                   taken, and without effect\n"
    "  -ptx, -cubin, -fatbin\n"
    "                   refused: they ask for code of a GPU\n"
    "  anything else goes to the host compiler\n"
    "\n"
    "exit: 0; the host compiler's status; 2 for what cannot be converted\n"
    "\n"
    "examples:\n"
    "  rkconvert cc app.cu -o app\n"
    "  rkconvert cc --drop-in --veus 8 a.cu b.cpp -o app -lcublas\n"
    "  make NVCC='rkconvert cc'\n";

int rk_tool_cc(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return 0;
        }
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    rk_cc_options options;
    const char **args = RK_NEW_ARRAY(arena, const char *, (size_t)argc + 1);
    for (int i = 1; i < argc; i++)
        args[i - 1] = argv[i];
    int status = 2;
    if (rk_cc_read(&options, args, (size_t)argc - 1, arena, diag)) {
        options.home = rk_tool_home(arena);
        status = rk_cc_run(&options, arena, diag);
    }
    rk_diag_print(diag, 0, stderr, isatty(STDERR_FILENO));
    rk_arena_free(arena);
    return status;
}
