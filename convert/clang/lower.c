#include "convert/clang/lower.h"

#include "convert/clang/ast.h"
#include "convert/clang/implicit.h"
#include "convert/clang/lower_heads.h"
#include "convert/unit/sources.h"

enum { BUCKETS = 1 << 12 };

/** The rows of a table by what they are looked up by: of each bucket the last row, of each row the one before it. */
typedef struct {
    rk_ir_id heads[BUCKETS];
    RK_VEC(rk_ir_id) before;
} row_index;

struct rk_lowering {
    rk_unit *unit;
    rk_ir_table node_cursors, decl_cursors; /**< CXCursor, by the same ids as the tree's rows */
    rk_ir_table clang_types;                /**< CXType */
    row_index decl_index, type_index;
    rk_cursors implicit_values; /**< of rk_ir.implicit, by the same index; null for functions */
    rk_cursors root_cursors;    /**< of `roots`, by the same index */
    RK_VEC(rk_ir_id) roots;     /**< trees that cursors led to: rk_lower_cursor */
    CXFile file;                /**< the last one that was looked up */
    uint32_t file_number;
    CXSourceLocation location; /**< the last one that was looked up */
    rk_ir_spot spelled, expanded;
    bool inside; /**< the node is below a function */
};

static rk_ir_id declaration(rk_ir *ir, CXCursor cursor);
static rk_ir_id type_row(rk_ir *ir, CXType type);

/* Kinds. */

static rk_ir_kind kind_of(enum CXCursorKind kind)
{
    switch ((int)kind) {
#define KIND(name, clang)                                                                          \
    case CXCursor_##clang:                                                                         \
        return RK_IR_##name;
        RK_IR_DECLARATIONS(KIND)
        RK_IR_REFERENCES(KIND)
        RK_IR_EXPRESSIONS(KIND)
        RK_IR_STATEMENTS(KIND)
        RK_IR_ATTRIBUTES(KIND)
#undef KIND
    default:
        return clang_isExpression(kind)    ? RK_IR_OTHER_EXPRESSION
               : clang_isStatement(kind)   ? RK_IR_OTHER_STATEMENT
               : clang_isReference(kind)   ? RK_IR_OTHER_REFERENCE
               : clang_isAttribute(kind)   ? RK_IR_OTHER_ATTRIBUTE
               : clang_isDeclaration(kind) ? RK_IR_OTHER_DECLARATION
                                           : RK_IR_NONE;
    }
}

static rk_ir_op operator_of(CXCursor cursor, rk_ir_kind kind)
{
    if (kind == RK_IR_UNARY)
        switch ((int)clang_getCursorUnaryOperatorKind(cursor)) {
#define OPERATOR(name, clang)                                                                      \
    case CXUnaryOperator_##clang:                                                                  \
        return RK_IR_OP_##name;
            RK_IR_UNARY_OPERATORS(OPERATOR)
#undef OPERATOR
        }
    if (kind == RK_IR_BINARY || kind == RK_IR_COMPOUND_ASSIGN)
        switch ((int)clang_getCursorBinaryOperatorKind(cursor)) {
#define OPERATOR(name, clang)                                                                      \
    case CXBinaryOperator_##clang:                                                                 \
        return RK_IR_OP_##name;
            RK_IR_BINARY_OPERATORS(OPERATOR)
#undef OPERATOR
        }
    return RK_IR_OP_NONE;
}

static rk_ir_type_kind type_kind_of(enum CXTypeKind kind)
{
    switch ((int)kind) {
#define KIND(name, clang)                                                                          \
    case CXType_##clang:                                                                           \
        return RK_IR_TYPE_##name;
        RK_IR_TYPES(KIND)
#undef KIND
    default:
        return RK_IR_TYPE_OTHER;
    }
}

/* Rows by what they are of. */

static void index_row(row_index *index, uint64_t hash, rk_ir_id row, rk_arena *arena)
{
    while (index->before.count <= row)
        rk_push(arena, &index->before);
    index->before.items[row] = index->heads[hash % BUCKETS];
    index->heads[hash % BUCKETS] = row;
}

/** What a declaration's attributes say; those of a template stand behind its parameters. */
static enum CXChildVisitResult read_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    uint32_t *flags = data;
    switch ((int)clang_getCursorKind(cursor)) {
    case CXCursor_CUDAGlobalAttr:
        *flags |= RK_IR_KERNEL;
        break;
    case CXCursor_CUDADeviceAttr:
        *flags |= RK_IR_DEVICE;
        break;
    case CXCursor_CUDAHostAttr:
        *flags |= RK_IR_HOST;
        break;
    case CXCursor_CUDASharedAttr:
        *flags |= RK_IR_SHARED;
        break;
    case CXCursor_CUDAConstantAttr:
        *flags |= RK_IR_CONSTANT;
        break;
    case CXCursor_TemplateTypeParameter:
    case CXCursor_NonTypeTemplateParameter:
    case CXCursor_TemplateTemplateParameter:
        break;
    default:
        return clang_isAttribute(clang_getCursorKind(cursor)) ? CXChildVisit_Continue
                                                              : CXChildVisit_Break;
    }
    return CXChildVisit_Continue;
}

static uint32_t flags_of(CXCursor cursor, rk_ir_kind kind)
{
    uint32_t flags = rk_ast_is_system(cursor) ? RK_IR_SYSTEM : 0;
    if (rk_ir_is_function(kind) || kind == RK_IR_VARIABLE)
        clang_visitChildren(cursor, read_attribute, &flags);
    if (!(flags & RK_IR_SYSTEM) && clang_isCursorDefinition(cursor))
        flags |= RK_IR_DEFINED;
    switch ((int)clang_Cursor_getStorageClass(cursor)) {
    case CX_SC_Extern:
        flags |= RK_IR_EXTERN;
        break;
    case CX_SC_Static:
        flags |= RK_IR_STATIC;
        break;
    }
    const struct {
        bool holds;
        uint32_t flag;
    } rest[] = {{clang_CXXMethod_isStatic(cursor), RK_IR_STATIC_METHOD},
                {clang_CXXMethod_isVirtual(cursor), RK_IR_VIRTUAL},
                {clang_CXXMethod_isPureVirtual(cursor), RK_IR_PURE},
                {clang_CXXMethod_isConst(cursor), RK_IR_CONST_METHOD},
                {clang_Cursor_isBitField(cursor), RK_IR_BIT_FIELD},
                {clang_Cursor_isAnonymous(cursor), RK_IR_ANONYMOUS}};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        flags |= rest[i].holds ? rest[i].flag : 0;
    return flags;
}

/** The types of a function's parameters, or the declarations that a name may mean. */
static void read_list(rk_ir *ir, rk_ir_decl *d, CXCursor cursor)
{
    const bool overloads = d->kind == RK_IR_OVERLOADS;
    const int count = overloads                    ? (int)clang_getNumOverloadedDecls(cursor)
                      : rk_ir_is_function(d->kind) ? clang_Cursor_getNumArguments(cursor)
                                                   : -1;
    rk_ir_id *rows = RK_NEW_ARRAY(ir->arena, rk_ir_id, count > 0 ? (size_t)count : 0);
    for (int i = 0; i < count; i++)
        rows[i] =
            overloads
                ? declaration(ir, clang_getOverloadedDecl(cursor, (unsigned)i))
                : type_row(ir, clang_getCursorType(clang_Cursor_getArgument(cursor, (unsigned)i)));
    d->counted = count >= 0;
    d->list = (uint32_t)ir->lists.count;
    for (int i = 0; i < count; i++)
        *rk_push(ir->arena, &ir->lists) = rows[i];
    d->list_end = (uint32_t)ir->lists.count;
}

static rk_ir_spot spot_of(rk_lowering *l, CXFile file, unsigned offset)
{
    if (file != l->file) {
        const size_t index = rk_sources_find(l->unit, file);
        l->file = file;
        l->file_number = index == RK_NONE ? 0 : (uint32_t)index + 1;
    }
    return (rk_ir_spot){l->file_number, offset};
}

static rk_ir_id add_declaration(rk_ir *ir, CXCursor cursor)
{
    rk_lowering *l = ir->lowering;
    const rk_ir_id id = rk_ir_add(ir, &ir->decls);
    rk_ir_add(ir, &l->decl_cursors);
    *(CXCursor *)rk_ir_row(&l->decl_cursors, id) = cursor;
    index_row(&l->decl_index, clang_hashCursor(cursor), id, ir->arena);
    rk_ir_decl *d = rk_ir_decl_at(ir, id);
    CXFile file;
    unsigned offset;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, &offset);
    d->kind = (uint8_t)kind_of(clang_getCursorKind(cursor));
    d->of = d->kind == RK_IR_FUNCTION_TEMPLATE
                ? (uint8_t)kind_of(clang_getTemplateCursorKind(cursor))
                : d->kind;
    d->name = rk_ast_name(cursor, ir->arena);
    d->at = spot_of(l, file, offset);
    d->flags = flags_of(cursor, d->kind);
    d->type = type_row(ir, clang_getCursorType(cursor));
    d->parent = declaration(ir, clang_getCursorSemanticParent(cursor));
    if (rk_ir_is_function(d->kind))
        d->pattern = declaration(ir, clang_getSpecializedCursorTemplate(cursor));
    read_list(ir, d, cursor);
    return id;
}

static rk_ir_id declaration(rk_ir *ir, CXCursor cursor)
{
    rk_lowering *l = ir->lowering;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (!clang_isDeclaration(kind) && kind != CXCursor_OverloadedDeclRef)
        return 0;
    rk_ir_id row = l->decl_index.heads[clang_hashCursor(cursor) % BUCKETS];
    for (; row; row = l->decl_index.before.items[row])
        if (clang_equalCursors(*(CXCursor *)rk_ir_row(&l->decl_cursors, row), cursor))
            return row;
    return add_declaration(ir, cursor);
}

static rk_ir_id type_row(rk_ir *ir, CXType type)
{
    rk_lowering *l = ir->lowering;
    if (type.kind == CXType_Invalid)
        return 0;
    const uint64_t hash = rk_hash(type.data, sizeof type.data, 0);
    rk_ir_id row = l->type_index.heads[hash % BUCKETS];
    for (; row; row = l->type_index.before.items[row])
        if (clang_equalTypes(*(CXType *)rk_ir_row(&l->clang_types, row), type))
            return row;
    row = rk_ir_add(ir, &ir->types);
    rk_ir_add(ir, &l->clang_types);
    *(CXType *)rk_ir_row(&l->clang_types, row) = type;
    index_row(&l->type_index, hash, row, ir->arena);
    rk_ir_type *t = rk_ir_type_at(ir, row);
    t->kind = (uint8_t)type_kind_of(type.kind);
    t->is_const = clang_isConstQualifiedType(type);
    t->is_volatile = clang_isVolatileQualifiedType(type);
    t->text = rk_ast_text(clang_getTypeSpelling(type), ir->arena);
    t->canonical = type_row(ir, clang_getCanonicalType(type));
    t->pointee = type_row(ir, clang_getPointeeType(type));
    t->element = type_row(ir, clang_getArrayElementType(type));
    t->result = type_row(ir, clang_getResultType(type));
    t->decl = declaration(ir, clang_getTypeDeclaration(type));
    return row;
}

/* Nodes. */

/** Where a location is; a node has several that are the same. */
static void read_location(rk_lowering *l, CXSourceLocation at, rk_ir_spot *spelled,
                          rk_ir_spot *expanded)
{
    if (!clang_equalLocations(at, l->location)) {
        CXFile file;
        unsigned offset;
        l->location = at;
        clang_getSpellingLocation(at, &file, NULL, NULL, &offset);
        l->spelled = spot_of(l, file, offset);
        clang_getExpansionLocation(at, &file, NULL, NULL, &offset);
        l->expanded = spot_of(l, file, offset);
    }
    *spelled = l->spelled;
    *expanded = l->expanded;
}

static void read_places(rk_lowering *l, rk_ir_node *n, CXCursor cursor)
{
    const CXSourceRange range = clang_getCursorExtent(cursor);
    read_location(l, clang_getRangeEnd(range), &n->spelled.end, &n->expanded.end);
    read_location(l, clang_getRangeStart(range), &n->spelled.begin, &n->expanded.begin);
    read_location(l, clang_getCursorLocation(cursor), &n->spelled.at, &n->expanded.at);
}

static CXCursor *cursor_at(const rk_ir *ir, rk_ir_id node)
{
    return rk_ir_row(&ir->lowering->node_cursors, node);
}

static void read_arguments(rk_ir *ir, rk_ir_id call, CXCursor cursor)
{
    const int count = clang_Cursor_getNumArguments(cursor);
    for (int i = 0; i < count; i++) {
        const CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
        RK_IR_EACH(ir, child, call)
        {
            rk_ir_node *n = rk_ir_at(ir, child);
            if (n->role != RK_IR_ROLE_NONE || !clang_equalCursors(*cursor_at(ir, child), argument))
                continue;
            n->role = RK_IR_ROLE_ARGUMENT;
            n->slot = (uint16_t)i;
            break;
        }
    }
}

/** Marks a variable's initial value; sizes are of shared memory alone, since some types have none that clang survives. */
static void read_variable(rk_ir *ir, rk_ir_id variable, CXCursor cursor)
{
    const CXCursor value = clang_Cursor_getVarDeclInitializer(cursor);
    RK_IR_EACH(ir, child, variable)
    if (!clang_Cursor_isNull(value) && clang_equalCursors(*cursor_at(ir, child), value))
        rk_ir_at(ir, child)->role = RK_IR_ROLE_VALUE;
    const rk_ir_node *n = rk_ir_at(ir, variable);
    if (!(rk_ir_decl_at(ir, n->decl)->flags & RK_IR_SHARED))
        return;
    rk_ir_type *type = rk_ir_type_at(ir, n->type);
    const long long size = rk_ast_size_of(clang_getCursorType(cursor));
    const long long align = size > 0 ? clang_Type_getAlignOf(clang_getCursorType(cursor)) : 0;
    type->size = align > 0 ? size : 0;
    type->align = align > 0 ? align : 0;
}

typedef struct {
    rk_ir *ir;
    rk_ir_id parent;
} below;

static rk_ir_id lower(rk_ir *ir, CXCursor cursor, rk_ir_id parent, bool leaf);

static enum CXChildVisitResult lower_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    const below *b = data;
    const bool function = rk_ast_is_function(clang_getCursorKind(cursor));
    lower(b->ir, cursor, b->parent,
          function && !b->ir->lowering->inside && clang_isCursorDefinition(cursor));
    return CXChildVisit_Continue;
}

/** Adds the row of a cursor alone. */
static rk_ir_id add_node(rk_ir *ir, CXCursor cursor, rk_ir_id parent)
{
    rk_lowering *l = ir->lowering;
    const rk_ir_id id = rk_ir_add(ir, &ir->nodes);
    rk_ir_add(ir, &l->node_cursors);
    *cursor_at(ir, id) = cursor;
    rk_ir_node *n = rk_ir_at(ir, id);
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    n->kind = (uint8_t)kind_of(kind);
    n->op = (uint8_t)operator_of(cursor, n->kind);
    n->parent = parent;
    n->end = id + 1;
    n->type = type_row(ir, clang_getCursorType(cursor));
    if (clang_isDeclaration(kind))
        n->decl = declaration(ir, cursor);
    else if (clang_isExpression(kind) || clang_isReference(kind))
        n->decl = declaration(ir, clang_getCursorReferenced(cursor));
    read_places(l, n, cursor);
    return id;
}

static rk_ir_id lower(rk_ir *ir, CXCursor cursor, rk_ir_id parent, bool leaf)
{
    rk_lowering *l = ir->lowering;
    const rk_ir_id id = add_node(ir, cursor, parent);
    rk_ir_node *n = rk_ir_at(ir, id);
    const bool inside = l->inside;
    if (leaf)
        return id;
    l->inside |= rk_ir_is_function(n->kind);
    clang_visitChildren(cursor, lower_child, &(below){ir, id});
    l->inside = inside;
    n->end = ir->nodes.count;
    if (n->kind == RK_IR_CALL)
        read_arguments(ir, id, cursor);
    else if (n->kind == RK_IR_VARIABLE)
        read_variable(ir, id, cursor);
    else if (rk_ir_is_function(n->kind) && !rk_ir_decl_at(ir, n->decl)->body &&
             (parent == 0 || rk_ir_decl_at(ir, n->decl)->flags & RK_IR_DEFINED))
        rk_ir_decl_at(ir, n->decl)->body = id;
    rk_lower_heads(ir, id, l->unit);
    return id;
}

static rk_ir_id lower_root(rk_ir *ir, CXCursor cursor)
{
    ir->lowering->inside = true;
    const rk_ir_id root = lower(ir, cursor, 0, false);
    ir->lowering->inside = false;
    *rk_push(ir->arena, &ir->roots) = root;
    return root;
}

/* What is asked for. */

static rk_ir *open_tree(rk_unit *unit)
{
    rk_ir *ir = rk_ir_new(unit->arena);
    rk_lowering *l = RK_NEW(unit->arena, rk_lowering);
    ir->lowering = l;
    l->unit = unit;
    l->node_cursors.row = l->decl_cursors.row = sizeof(CXCursor);
    l->clang_types.row = sizeof(CXType);
    l->location = clang_getNullLocation();
    rk_ir_add(ir, &l->node_cursors);
    rk_ir_add(ir, &l->decl_cursors);
    rk_ir_add(ir, &l->clang_types);
    *cursor_at(ir, 0) = clang_getNullCursor();
    *(CXCursor *)rk_ir_row(&l->decl_cursors, 0) = clang_getNullCursor();
    *rk_push(ir->arena, &l->implicit_values) = clang_getNullCursor();
    return ir;
}

rk_ir *rk_ir_of(rk_unit *unit)
{
    if (!unit->ir)
        unit->ir = open_tree(unit);
    return unit->ir;
}

rk_ir_id rk_lower_root(rk_ir *ir, CXCursor cursor)
{
    rk_lowering *l = ir->lowering;
    for (size_t i = 0; i < l->root_cursors.count; i++)
        if (clang_equalCursors(l->root_cursors.items[i], cursor))
            return l->roots.items[i];
    *rk_push(ir->arena, &l->root_cursors) = cursor;
    return *rk_push(ir->arena, &l->roots) = lower_root(ir, cursor);
}

rk_ir_id rk_lower_declaration(rk_ir *ir, CXCursor cursor)
{
    return declaration(ir, cursor);
}

CXCursor rk_lower_node_cursor(const rk_ir *ir, rk_ir_id node)
{
    return *cursor_at(ir, node);
}

CXCursor rk_lower_declaration_cursor(const rk_ir *ir, rk_ir_id decl)
{
    return *(CXCursor *)rk_ir_row(&ir->lowering->decl_cursors, decl);
}

void rk_lower_definition(rk_ir *ir, rk_ir_id decl)
{
    rk_ir_decl_at(ir, decl)->definition =
        declaration(ir, clang_getCursorDefinition(rk_lower_declaration_cursor(ir, decl)));
}

void rk_lower_body(rk_ir *ir, rk_ir_id definition)
{
    lower_root(ir, rk_lower_declaration_cursor(ir, definition));
}

typedef struct {
    rk_ir *ir;
    rk_last_file last;
} project;

static enum CXChildVisitResult lower_ours(CXCursor cursor, CXCursor parent, CXClientData data)
{
    project *p = data;
    if (rk_sources_ours(p->ir->lowering->unit, cursor, &p->last))
        lower_child(cursor, parent, &(below){p->ir, p->ir->project});
    return CXChildVisit_Continue;
}

void rk_lower_project(rk_ir *ir)
{
    const CXCursor unit = clang_getTranslationUnitCursor(ir->lowering->unit->tu);
    ir->project = add_node(ir, unit, 0);
    clang_visitChildren(unit, lower_ours, &(project){.ir = ir});
    rk_ir_at(ir, ir->project)->end = ir->nodes.count;
    *rk_push(ir->arena, &ir->roots) = ir->project;
}

static void add_implicit(CXCursor found, void *data)
{
    rk_ir *ir = data;
    const bool value = clang_isExpression(clang_getCursorKind(found));
    *rk_push(ir->arena, &ir->implicit) =
        (rk_ir_implicit_use){value ? 0 : declaration(ir, found), 0};
    *rk_push(ir->arena, &ir->lowering->implicit_values) = value ? found : clang_getNullCursor();
}

void rk_lower_implicit(rk_ir *ir, rk_ir_id node)
{
    const uint32_t first = (uint32_t)ir->implicit.count;
    rk_implicit_find(*cursor_at(ir, node), ir->arena, add_implicit, ir);
    rk_ir_node *n = rk_ir_at(ir, node);
    n->implicit = first;
    n->implicit_end = (uint32_t)ir->implicit.count;
}

void rk_lower_implicit_value(rk_ir *ir, uint32_t use)
{
    const CXCursor value = ir->lowering->implicit_values.items[use];
    if (!clang_Cursor_isNull(value)) {
        const rk_ir_id root = rk_lower_root(ir, value);
        ir->implicit.items[use].root = root;
    }
}

void rk_lower_constant(rk_ir *ir, rk_ir_id node)
{
    rk_ir_node *n = rk_ir_at(ir, node);
    n->known = RK_IR_NOT_CONSTANT;
    CXEvalResult value = clang_Cursor_Evaluate(*cursor_at(ir, node));
    if (!value)
        return;
    const CXEvalResultKind kind = clang_EvalResult_getKind(value);
    if (kind == CXEval_Int || kind == CXEval_Float) {
        n->known = kind == CXEval_Int ? RK_IR_INTEGER_VALUE : RK_IR_FLOATING_VALUE;
        n->value = (rk_ir_id)ir->values.count;
        rk_ir_value *v = rk_push(ir->arena, &ir->values);
        if (kind == CXEval_Int)
            v->integer = clang_EvalResult_getAsLongLong(value);
        else
            v->floating = clang_EvalResult_getAsDouble(value);
    }
    clang_EvalResult_dispose(value);
}
