#ifndef RK_CONVERT_CLANG_IR_H
#define RK_CONVERT_CLANG_IR_H

#include "base/vec.h"
#include "convert/clang/ir_kinds.h"
#include "convert/unit/unit.h"

/*
 * Our own tree of a translation unit: rows of plain numbers in flat tables, made from libclang's cursors once (lower.h)
 * or read from a text (ir_text.h). What libclang does not say is made good there, and passes are loops over the rows.
 *
 * Nodes are in preorder: the children of a node are the one after it, the one at that one's end, and so on until its
 * own end. The body of a function, and the initial value of a member, are trees of their own, which are made when they
 * are first asked for, each once. Row 0 of each table is of kind RK_IR_NONE and stands for what is not there, so that
 * one may ask on without a test.
 */

/** The row of a node, declaration or type in its table; 0 for none. */
typedef uint32_t rk_ir_id;

#define RK_IR_ENUM(name, clang) RK_IR_##name,

/** Kinds of nodes and declarations; each group ends with the one for what has no row of its own. */
typedef enum {
    RK_IR_NONE,
    RK_IR_DECLARATIONS(RK_IR_ENUM) /* until RK_IR_OTHER_DECLARATION */
    RK_IR_REFERENCES(RK_IR_ENUM)   /* until RK_IR_OTHER_REFERENCE */
    RK_IR_EXPRESSIONS(RK_IR_ENUM)  /* until RK_IR_OTHER_EXPRESSION */
    RK_IR_STATEMENTS(RK_IR_ENUM)   /* until RK_IR_OTHER_STATEMENT */
    RK_IR_ATTRIBUTES(RK_IR_ENUM)   /* until RK_IR_OTHER_ATTRIBUTE */
} rk_ir_kind;

#define RK_IR_OP_ENUM(name, clang) RK_IR_OP_##name,

/** Operators of RK_IR_UNARY, RK_IR_BINARY and RK_IR_COMPOUND_ASSIGN. */
typedef enum {
    RK_IR_OP_NONE,
    RK_IR_UNARY_OPERATORS(RK_IR_OP_ENUM) RK_IR_BINARY_OPERATORS(RK_IR_OP_ENUM)
} rk_ir_op;

#define RK_IR_TYPE_ENUM(name, clang) RK_IR_TYPE_##name,

typedef enum { RK_IR_TYPE_NONE, RK_IR_TYPES(RK_IR_TYPE_ENUM) RK_IR_TYPE_OTHER } rk_ir_type_kind;

#define RK_IR_ROLE_ENUM(name, text) RK_IR_ROLE_##name,

typedef enum { RK_IR_ROLE_NONE, RK_IR_ROLES(RK_IR_ROLE_ENUM) } rk_ir_role;

#define RK_IR_FLAG_BIT(name, text) RK_IR_BIT_##name,
#define RK_IR_FLAG_ENUM(name, text) RK_IR_##name = 1 << RK_IR_BIT_##name,

enum { RK_IR_FLAGS(RK_IR_FLAG_BIT) RK_IR_FLAG_COUNT };

/** Bits of rk_ir_decl.flags. */
enum { RK_IR_FLAGS(RK_IR_FLAG_ENUM) };

/** A place in the project's text; `file` counts from 1, 0 for none. */
typedef struct {
    uint32_t file, offset;
} rk_ir_spot;

/** Where the text of a node begins and ends, and its own place: the name, or the operator. */
typedef struct {
    rk_ir_spot begin, end, at;
} rk_ir_extent;

/** Whether libclang's constant evaluation was asked about an expression, and what it said. */
typedef enum {
    RK_IR_UNASKED,
    RK_IR_NOT_CONSTANT,
    RK_IR_INTEGER_VALUE,
    RK_IR_FLOATING_VALUE
} rk_ir_known;

typedef struct {
    uint8_t kind;    /**< rk_ir_kind */
    uint8_t op;      /**< rk_ir_op */
    uint8_t role;    /**< rk_ir_role */
    uint8_t known;   /**< rk_ir_known: rk_ir_constant */
    uint16_t slot;   /**< of an argument: which one, from 0 */
    bool hidden;     /**< its head has a statement before a `;` that libclang does not show */
    rk_ir_id parent; /**< 0: the root of a tree */
    rk_ir_id end;    /**< the node after the last one below it */
    rk_ir_id type;
    rk_ir_id decl;  /**< what it refers to; of a declaration, itself */
    rk_ir_id value; /**< in rk_ir.values, when `known` says so */
    rk_ir_id implicit,
        implicit_end;      /**< in rk_ir.implicit: rk_ir_implicit; `implicit` 0: unasked */
    rk_ir_extent spelled;  /**< where the text was written, which may be in a macro */
    rk_ir_extent expanded; /**< where it is once macros are expanded */
} rk_ir_node;

typedef struct {
    uint8_t kind; /**< rk_ir_kind */
    uint8_t of;   /**< of a function's template: the kind of function that it makes; else `kind` */
    bool looked;  /**< `definition` was asked for */
    uint32_t flags;
    const char *name; /**< "" for none */
    rk_ir_id parent;  /**< the declaration around it, of namespaces, classes and functions */
    rk_ir_id type;
    rk_ir_id definition; /**< rk_ir_definition */
    rk_ir_id body;    /**< its tree, of a definition, or of a member's initial value: rk_ir_body */
    rk_ir_id pattern; /**< the template that it is an instance or a specialisation of */
    uint32_t list,
        list_end;  /**< in rk_ir.lists: types of parameters; of RK_IR_OVERLOADS, its declarations */
    bool counted;  /**< it has parameters, none among them: it is a function but no template */
    rk_ir_spot at; /**< of its name, macros expanded */
} rk_ir_decl;

typedef struct {
    uint8_t kind;               /**< rk_ir_type_kind */
    bool is_const, is_volatile; /**< as it is written; ask the canonical type for what it means */
    rk_ir_id canonical, pointee, element, result;
    rk_ir_id decl;       /**< of a class, enumeration or typedef */
    const char *text;    /**< as it is written */
    int64_t size, align; /**< of shared variables, in bytes; 0: not asked, or none */
} rk_ir_type;

/** What runs at a node without a name in the text: a function, or the initial value of a member. */
typedef struct {
    rk_ir_id decl; /**< 0: it is a value */
    rk_ir_id root; /**< of the value, once it was made: rk_ir_implicit_value */
} rk_ir_implicit_use;

typedef union {
    int64_t integer;
    double floating;
} rk_ir_value;

/** Rows that never move; each page is of rk_ir_page_rows. */
typedef struct {
    RK_VEC(void *) pages;
    uint32_t count;
    size_t row; /**< bytes */
} rk_ir_table;

enum { RK_IR_PAGE_ROWS = 512 };

/** What fills rows that are asked for later; NULL when all is there. */
typedef struct rk_lowering rk_lowering;

typedef struct rk_ir {
    rk_arena *arena;
    rk_ir_table nodes, decls, types;
    RK_VEC(rk_ir_id) lists;
    RK_VEC(rk_ir_value) values;
    RK_VEC(rk_ir_implicit_use) implicit;
    RK_VEC(rk_ir_id) roots; /**< of all trees, in the order in which they were made */
    rk_ir_id project;       /**< the declarations of the project's files: rk_ir_project */
    rk_lowering *lowering;
    struct rk_reach_table
        *reach[2]; /**< what its functions do, once that was asked: facts/reach.h */
} rk_ir;

/* Making. */

/** An empty tree with its rows 0. */
rk_ir *rk_ir_new(rk_arena *arena);

/** Adds a zeroed row and returns its id. */
rk_ir_id rk_ir_add(rk_ir *ir, rk_ir_table *table);

/** A row of a table. */
static inline void *rk_ir_row(const rk_ir_table *table, rk_ir_id id)
{
    return (char *)table->pages.items[id / RK_IR_PAGE_ROWS] + id % RK_IR_PAGE_ROWS * table->row;
}

/* Reading. */

static inline rk_ir_node *rk_ir_at(const rk_ir *ir, rk_ir_id node)
{
    return rk_ir_row(&ir->nodes, node);
}

static inline rk_ir_decl *rk_ir_decl_at(const rk_ir *ir, rk_ir_id decl)
{
    return rk_ir_row(&ir->decls, decl);
}

static inline rk_ir_type *rk_ir_type_at(const rk_ir *ir, rk_ir_id type)
{
    return rk_ir_row(&ir->types, type);
}

static inline rk_ir_kind rk_ir_kind_of(const rk_ir *ir, rk_ir_id node)
{
    return rk_ir_at(ir, node)->kind;
}

/** The first child; 0 without. */
static inline rk_ir_id rk_ir_first(const rk_ir *ir, rk_ir_id node)
{
    return node && rk_ir_at(ir, node)->end > node + 1 ? node + 1 : 0;
}

/** The next child of the same parent; 0 after the last. */
static inline rk_ir_id rk_ir_next(const rk_ir *ir, rk_ir_id node)
{
    const rk_ir_node *n = rk_ir_at(ir, node);
    return n->parent && n->end < rk_ir_at(ir, n->parent)->end ? n->end : 0;
}

/** For each child, in order. */
#define RK_IR_EACH(ir, child, node)                                                                \
    for (rk_ir_id child = rk_ir_first(ir, node); child; child = rk_ir_next(ir, child))

size_t rk_ir_child_count(const rk_ir *ir, rk_ir_id node);

/** Child `i` from 0; 0 when there are not so many. */
rk_ir_id rk_ir_child(const rk_ir *ir, rk_ir_id node, size_t i);

/** The first child of that role, or kind; 0 without. */
rk_ir_id rk_ir_child_as(const rk_ir *ir, rk_ir_id node, rk_ir_role role);
rk_ir_id rk_ir_child_of(const rk_ir *ir, rk_ir_id node, rk_ir_kind kind);

/** Argument `slot` of a call; 0 when the text has none. */
rk_ir_id rk_ir_argument(const rk_ir *ir, rk_ir_id call, size_t slot);

/** What is inside the parentheses and the conversions that no text makes. */
rk_ir_id rk_ir_unwrap(const rk_ir *ir, rk_ir_id expression);

/** The declaration that a node refers to, as a row. */
static inline const rk_ir_decl *rk_ir_target(const rk_ir *ir, rk_ir_id node)
{
    return rk_ir_decl_at(ir, rk_ir_at(ir, node)->decl);
}

/** The canonical type, of an id of a type, of a node, of a declaration. */
static inline const rk_ir_type *rk_ir_canonical(const rk_ir *ir, rk_ir_id type)
{
    return rk_ir_type_at(ir, rk_ir_type_at(ir, type)->canonical);
}

static inline const rk_ir_type *rk_ir_type_of(const rk_ir *ir, rk_ir_id node)
{
    return rk_ir_canonical(ir, rk_ir_at(ir, node)->type);
}

static inline bool rk_ir_is_expression(rk_ir_kind kind)
{
    return kind > RK_IR_OTHER_REFERENCE && kind <= RK_IR_OTHER_EXPRESSION;
}

/** A function, a template of one, or a kind of method. */
static inline bool rk_ir_is_function(rk_ir_kind kind)
{
    return kind >= RK_IR_FUNCTION && kind <= RK_IR_CONVERSION;
}

static inline bool rk_ir_is_loop(rk_ir_kind kind)
{
    return kind == RK_IR_WHILE || kind == RK_IR_DO || kind == RK_IR_FOR;
}

/** Whether the declaration is inside a function. */
bool rk_ir_is_local(const rk_ir *ir, const rk_ir_decl *decl);

/** The place as one of the unit's files. */
static inline rk_where rk_ir_where(rk_ir_spot spot)
{
    return (rk_where){spot.file ? spot.file - 1 : RK_NONE, spot.offset};
}

/* What is made when it is first asked for. */

/** The definition of a function, variable or class; 0 when it is not seen. */
rk_ir_id rk_ir_definition(rk_ir *ir, rk_ir_id decl);

/** The tree of a function's definition, from the node of the declaration itself; 0 without one. */
rk_ir_id rk_ir_body(rk_ir *ir, rk_ir_id decl);

/**
 * The project's declarations: a RK_IR_UNIT with those of the project's files below it. Functions that are
 * defined there are nodes without children: rk_ir_body has them.
 */
rk_ir_id rk_ir_project(rk_ir *ir);

/** What runs at a node without being named there: rk_ir.implicit from *first to before *end. */
void rk_ir_implicit(rk_ir *ir, rk_ir_id node, uint32_t *first, uint32_t *end);

/** The tree of the value of a use. */
rk_ir_id rk_ir_implicit_value(rk_ir *ir, uint32_t use);

/** What is known of the value of an expression when it is compiled; `*out` when it is a number. */
rk_ir_known rk_ir_constant(rk_ir *ir, rk_ir_id node, rk_ir_value *out);

/** Asks for all that the project's functions lead to, so that nothing is left to ask. */
void rk_ir_complete(rk_ir *ir);

#endif
