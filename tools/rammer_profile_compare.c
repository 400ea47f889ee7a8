#include "rammer_profile.h"
#include "sched/profile/profile_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rk_profile_print_costs(const rk_profile_file *file, const rk_device *device, rk_tool *tool)
{
    rk_grid grid = {.arena = tool->arena, .align = "lrr"};
    rk_grid_add(&grid, "cost");
    rk_grid_add(&grid, "measured");
    rk_grid_add(&grid, "descriptor");
    for (int i = 0; i < RK_COST_COUNT; i++) {
        const double given = rk_profile_device_cost(device, (rk_cost_kind)i);
        if (file->costs[i] <= 0)
            continue;
        rk_grid_add(&grid, "%s", rk_cost_names[i]);
        rk_grid_add(&grid, "%.1f", file->costs[i]);
        if (i == RK_COST_BARRIER)
            rk_grid_add(&grid, "-");
        else
            rk_grid_add(&grid, "%.1f", given);
    }
    rk_grid_print(&grid);
}

/** One measured time and the model's answer. */
typedef struct {
    const rk_profile_entry *entry;
    double modelled, measured;
} pair;

/** The pairs of one kernel. */
typedef struct {
    const char *kernel;
    size_t count;
    double logs;  /**< sum of ln(modelled / measured) */
    double worst; /**< modelled / measured, the farthest from 1 */
} kernel_row;

typedef RK_VEC(kernel_row) row_vec;

static void add_pair(kernel_row *row, const pair *p)
{
    const double ratio = p->modelled / p->measured;
    row->logs += log(ratio);
    if (row->count++ == 0 || fabs(log(ratio)) > fabs(log(row->worst)))
        row->worst = ratio;
}

/* Spearman's rank correlation. */

typedef struct {
    double value;
    size_t index;
} ranked;

static int by_value(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/** ranks[i]: the place of values[i] in rising order; equal values share the mean of their places. */
static void rank(double *ranks, ranked *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && values[end].value == values[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            ranks[values[k].index] = (double)(i + end - 1) / 2;
    }
}

/** Pearson's correlation of the ranks; 0 when either side does not vary. */
static double correlation(const double *a, const double *b, size_t count)
{
    const double mean = ((double)count - 1) / 2;
    double aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < count; i++) {
        aa += (a[i] - mean) * (a[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
        ab += (a[i] - mean) * (b[i] - mean);
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static double rank_correlation(const pair *pairs, size_t count, rk_arena *arena)
{
    ranked *values = RK_NEW_ARRAY(arena, ranked, count + 1);
    double *modelled = RK_NEW_ARRAY(arena, double, count + 1);
    double *measured = RK_NEW_ARRAY(arena, double, count + 1);
    for (size_t i = 0; i < count; i++)
        values[i] = (ranked){pairs[i].modelled, i};
    rank(modelled, values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = (ranked){pairs[i].measured, i};
    rank(measured, values, count);
    return correlation(modelled, measured, count);
}

/* Reports. */

static void add_row(rk_grid *grid, const kernel_row *row)
{
    rk_grid_add(grid, "%s", row->kernel);
    rk_grid_add(grid, "%zu", row->count);
    rk_grid_add(grid, "%.2f", exp(row->logs / (double)row->count));
    rk_grid_add(grid, "%.2f", row->worst);
}

static void print_rows(const row_vec *rows, const kernel_row *all, rk_tool *tool)
{
    rk_grid grid = {.arena = tool->arena, .align = "lrrr"};
    rk_grid_add(&grid, "kernel");
    rk_grid_add(&grid, "measured");
    rk_grid_add(&grid, "model over measured, mean");
    rk_grid_add(&grid, "worst");
    for (size_t i = 0; i < rows->count; i++)
        add_row(&grid, &rows->items[i]);
    add_row(&grid, all);
    rk_grid_print(&grid);
}

static int compare(const rk_profile_file *file, const rk_device *device, rk_tool *tool)
{
    pair *pairs = RK_NEW_ARRAY(tool->arena, pair, file->entry_count + 1);
    row_vec rows = {0};
    kernel_row all = {.kernel = "all"};
    for (size_t i = 0; i < file->entry_count; i++) {
        const rk_profile_entry *e = &file->entries[i];
        rk_rtask_parts parts;
        pairs[i] =
            (pair){e, rk_work_model(&parts, &e->work, device), fmax(e->busy_ns, e->alone_ns)};
        if (rows.count == 0 || strcmp(rows.items[rows.count - 1].kernel, e->work.kernel) != 0)
            *rk_push(tool->arena, &rows) = (kernel_row){.kernel = e->work.kernel};
        add_pair(&rows.items[rows.count - 1], &pairs[i]);
        add_pair(&all, &pairs[i]);
    }
    printf("%s: measured on %s (%s), %s\nmodelled for the descriptor '%s'\n\n", file->path,
           file->device, file->machine, file->measured, device->name);
    if (all.count) {
        print_rows(&rows, &all, tool);
        printf("\nrank correlation of modelled and measured times (Spearman): %.3f\n\n",
               rank_correlation(pairs, file->entry_count, tool->arena));
    }
    rk_profile_print_costs(file, device, tool);
    return RK_EXIT_GOOD;
}

int rk_profile_compare(const rk_texts *arguments, const rk_profile_options *options, rk_tool *tool)
{
    if (arguments->count != 2) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U003", (rk_place){0},
                    "write it as in: rammer profile compare cpu.json",
                    "`rammer profile compare` takes one profile");
        return RK_EXIT_USAGE;
    }
    const rk_profile_file *file =
        rk_profile_file_read(arguments->items[1], tool->arena, tool->diag);
    if (!file)
        return RK_EXIT_REFUSED;
    const char *name = options->plan.device ? options->plan.device : file->device;
    const rk_device *device =
        rk_device_read(name, rk_tool_share(tool, "devices"), tool->arena, tool->diag);
    if (!device || !rk_profile_fits_device(file, device, tool->diag))
        return RK_EXIT_REFUSED;
    return compare(file, device, tool);
}
