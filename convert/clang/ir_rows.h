#ifndef RK_CONVERT_CLANG_IR_ROWS_H
#define RK_CONVERT_CLANG_IR_ROWS_H

#include "convert/clang/ir.h"

/* What writing and reading the text form share: names and columns. The lists end with NULL. */

extern const char *const rk_ir_kind_names[],
    *const rk_ir_op_names[], *const rk_ir_type_names[], *const rk_ir_role_names[],
                                                            *const rk_ir_flag_names[];

/** A column of rk_ir_id, and the table whose rows it names. */
typedef struct {
    const char *name;
    size_t offset;
    enum { RK_IR_IN_NODES, RK_IR_IN_DECLS, RK_IR_IN_TYPES } of;
} rk_ir_column;

extern const rk_ir_column rk_ir_node_columns[], rk_ir_decl_columns[], rk_ir_type_columns[];

rk_ir_id *rk_ir_cell(void *row, const rk_ir_column *column);

#endif
