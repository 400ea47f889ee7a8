#ifndef RK_CONVERT_LAUNCHES_HARVEST_INTERNAL_H
#define RK_CONVERT_LAUNCHES_HARVEST_INTERNAL_H

#include "convert/clang/ast.h"
#include "convert/clang/template_args.h"
#include "convert/cuda/cuda_names.h"
#include "convert/launches/cexpr.h"
#include "convert/launches/harvest.h"

/**
 * A value that is no expression of the function's parameters, at a point of the program: what a
 * name of rk_cexpr is, or is a member of. One for each value, so that two names are equal only when
 * they stand for the same one.
 */
typedef struct rk_cexpr_input {
    rk_input_kind kind;
    const char *of; /**< as the source writes it */
    const char *file;
    int line;
    const rk_cexpr *first, *again, *next; /**< of a loop's variable; NULL until the loop was run */
    bool constant;                        /**< of a loop's variable: it is always `first` */
    const char *why;                      /**< of an open value */
    const char *key;                      /**< which tells what is read, with the version */
    const struct rk_henv *version;        /**< the last change before it was read */
    const void *run;                      /**< of the function that reads it */
} rk_cexpr_input;

typedef struct rk_hinputs rk_hinputs;
typedef struct rk_hnames rk_hnames;

/** What an expression of host code stands for. */
typedef enum {
    RK_HV_UNKNOWN,  /**< `reason` says why */
    RK_HV_SCALAR,   /**< `sym` */
    RK_HV_POINTER,  /**< `name` + `sym` elements of `element` bytes; the null pointer: name NULL */
    RK_HV_STRUCT,   /**< `fields` */
    RK_HV_OBJECT,   /**< a parameter of class type, or a member of one, that is `name` */
    RK_HV_FUNCTION, /**< `cursor`, as a value */
    RK_HV_CASES,    /**< one of several functions: `cases` */
    RK_HV_LAMBDA,   /**< `cursor`, made where `made` holds */
    RK_HV_ARRAY     /**< a braced list: `fields` without names; elements may be addresses */
} rk_hv_kind;

typedef struct rk_hv {
    rk_hv_kind kind;
    const char *reason;
    const rk_cexpr *sym;
    const char *name;
    const rk_cexpr_input *input; /**< of an object or a pointer that is no parameter */
    int64_t element;
    const struct rk_hv_field *fields; /**< in order of declaration */
    const struct rk_hv_case *cases;
    const struct rk_henv *made;
    CXCursor cursor; /**< of a function, of its reference's expression, or of a braced list */
} rk_hv;

typedef struct rk_hv_field {
    const char *name;
    rk_hv value;
    const struct rk_hv_field *next;
} rk_hv_field;

/** A function that a value may be. */
typedef struct rk_hv_case {
    const rk_cexpr *when; /**< NULL: when is not known */
    rk_hv function;
    const struct rk_hv_case *next;
} rk_hv_case;

/** What variables hold at a point of the program: the newest entry of a variable is its value. */
typedef struct rk_henv {
    CXCursor variable;
    rk_hv value;
    bool escaped; /**< its address was taken: no later value is known */
    /** The newest entries that may change variables outside of the function, and memory. */
    const struct rk_henv *globals, *memory;
    const struct rk_henv *next;
} rk_henv;

/** A conjunct of the condition under which a point is reached. */
typedef struct rk_hpath {
    const rk_cexpr *condition;
    const struct rk_hpath *next; /**< the one before it */
} rk_hpath;

/** The state of the program at a point. */
typedef struct {
    const rk_henv *env;
    const rk_hpath *path;
    bool partial;   /**< reaching this point also depends on what is no expression */
    bool ended;     /**< it is not reached: return, throw, exit or break come before */
    bool failed;    /**< it is not reached because the program has ended, by exit or the like */
    bool broke;     /**< some way has left by a break of the innermost loop or switch */
    bool continued; /**< some way has left by a continue */
    int leaks;      /**< how often some way has left, and another gone on */
    int exits;      /**< how often some way has left the function */
} rk_hstate;

/** One return of a helper that is run for its value. */
typedef struct rk_hreturn {
    rk_hv value;
    const rk_hpath *path;
    const struct rk_hreturn *next; /**< the one before it */
} rk_hreturn;

/** What a call has returned, told by rk_hrun.call. */
typedef struct rk_hresult {
    CXCursor call;
    rk_hv value;
    const struct rk_hresult *next; /**< the one before it */
} rk_hresult;

/** The interpretation of one function's body. */
typedef struct rk_hrun {
    rk_arena *arena;
    /** Called at each launch with the state before it; NULL while a helper is run for its value. */
    void (*launch)(struct rk_hrun *run, CXCursor call, const rk_hstate *state);
    /**
     * Called at each call that is no launch, its operands run: may change the state, and may tell the
     * call's value. Loops are then run turn by turn for as long as their test is known; NULL: calls
     * have no effect but on what they are passed.
     */
    bool (*call)(struct rk_hrun *run, CXCursor call, rk_hstate *state, rk_hv *value);
    const rk_hresult *results; /**< what `call` told, newest first */
    /** The definition of a function that the unit has none of; NULL: there is none. */
    CXCursor (*defined)(const struct rk_hrun *run, CXCursor function);
    /** Called at each call that is no launch, where there is no `call`: may run what is called. */
    void (*enter)(struct rk_hrun *run, CXCursor call, const rk_hstate *state);
    void *user;
    rk_hinputs *inputs; /**< values that are no expressions become inputs; NULL: they are unknown */
    const void *root;   /**< of this run: helpers have their own */
    CXCursor whole;     /**< the call that the expression being run is, or null */
    const rk_henv *before; /**< the values before it, which are its arguments' */
    bool helper;           /**< a helper is run for its value */
    bool uncalled; /**< in a lambda with parameters, as it is made and not as it is called */
    const rk_hreturn *returns; /**< those of the helper, newest first */
    bool lost;                 /**< the helper may return what is not among `returns` */
    CXCursor body;             /**< the function's */
    bool making;               /**< a constructor is run: members of `this` are the new object's */
    bool counting;             /**< a loop is run turn by turn, those in it are not */
    int loops;                 /**< how many loops are around the statement */
    int depth;                 /**< of helper calls */
} rk_hrun;

/** The definition of a function, of the unit or of another that the run knows; null if there is none. */
CXCursor rk_h_definition(const rk_hrun *run, CXCursor function);

/** Whether two cursors are the same declaration; redeclarations of a variable count as one, in all units. */
bool rk_h_same(CXCursor a, CXCursor b);

/** Whether two cursors are the same expression, reached from whichever parent. */
bool rk_h_same_expression(CXCursor a, CXCursor b);

/** Without parentheses, implicit conversions and other wrappers around one expression. */
CXCursor rk_h_unwrap(rk_arena *arena, CXCursor cursor);

/** The canonical type, references removed. */
CXType rk_h_plain_type(CXType type);

/** The type of an array's elements, canonical; of anything else an invalid one. */
CXType rk_h_element_type(CXType type);

bool rk_h_is_dim3(CXType type);

/** A pointer to a function. */
bool rk_h_is_function_pointer(CXType type);

/** The scalar C type of a libclang type, references removed; RK_CTYPE_OTHER for dependent ones. */
rk_ctype rk_h_ctype(CXType type);

rk_hv rk_hv_unknown(rk_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
rk_hv rk_hv_scalar(const rk_cexpr *sym);
/** A parameter, or a member of one, of that type. */
rk_hv rk_hv_of_name(rk_arena *arena, const char *name, CXType type);
/** The same of an input; a pointer's value is then no argument of a launch. */
rk_hv rk_hv_of_input(rk_arena *arena, const rk_cexpr_input *input, const char *name, CXType type);
/** dim3(x, y, z); NULL is 1. */
rk_hv rk_hv_dim3(rk_arena *arena, const rk_cexpr *x, const rk_cexpr *y, const rk_cexpr *z);
/** A member's value. */
rk_hv rk_hv_field_of(rk_arena *arena, rk_hv value, const char *name, CXType type);
/** A struct with another value of one member; unknown where it is no RK_HV_STRUCT. */
rk_hv rk_hv_with_field(rk_arena *arena, rk_hv whole, const char *name, rk_hv value);
/** `condition ? a : b`; a condition that is not known, NULL, gives functions cases, and else nothing. */
rk_hv rk_hv_choice(rk_arena *arena, const rk_cexpr *condition, rk_hv a, rk_hv b);
/** C's conversion to `type`. */
rk_hv rk_hv_convert(rk_arena *arena, rk_hv value, CXType type);

/** The value of an expression; its side effects are left to the executor. */
rk_hv rk_h_eval(rk_hrun *run, const rk_henv *env, CXCursor expr);
/** `a op b` after C's usual conversions. */
rk_hv rk_h_binary(rk_arena *arena, const char *op, rk_hv a, rk_hv b);
/** A constructor's or a braced list's value, for dim3 and structs without constructors. */
rk_hv rk_h_construct(rk_hrun *run, const rk_henv *env, CXCursor expr, CXType type);

/** What a constructor makes: from its initialisers, those of the class, and its body. */
rk_hv rk_h_made_object(rk_hrun *run, const rk_henv *env, CXCursor constructor, const CXCursor *args,
                       size_t count, CXType type);

/** A member's initialiser in its class; false if there is none. */
bool rk_h_field_initialiser(CXCursor *out, rk_arena *arena, CXCursor field);

/** Whether an lvalue is a member of the object whose method this is, `n` or `this->n`. */
bool rk_h_is_own_member(rk_arena *arena, CXCursor lvalue);

/** Makes a variable's value unknown; `escaped`: for good. */
const rk_henv *rk_henv_lose(rk_arena *arena, const rk_henv *env, CXCursor variable, bool escaped,
                            const char *reason);

/** A variable's value from here on, whatever happened to it before. */
const rk_henv *rk_henv_bind(rk_arena *arena, const rk_henv *env, CXCursor variable, rk_hv value);

/** An entry that may change what is outside of the function, and memory. */
const rk_henv *rk_henv_touch(rk_arena *arena, const rk_henv *env, bool globals);

/** Whether a variable with internal or no linkage keeps its first value, as far as the unit shows. */
bool rk_h_never_changes(rk_hrun *run, CXCursor variable);

/**
 * Runs the body of the function that a call means, or of the lambda that it is a call of, with its parameters bound to
 * the arguments: `run->launch` hears of its launches. Nothing of it is left in `state`. False when there is no body.
 */
bool rk_h_enter_call(rk_hrun *run, CXCursor call, const rk_hstate *state);

/** Whether a call is one of a lambda whose text is known. */
bool rk_h_is_lambda_call(rk_hrun *run, CXCursor call, const rk_henv *env);

/** Whether a variable lives outside of the function: globals, static members, static locals, members of `this`. */
bool rk_h_is_global(CXCursor variable);

/** Values of variables. */
const rk_henv *rk_henv_find(const rk_henv *env, CXCursor variable);
const rk_henv *rk_henv_set(rk_arena *arena, const rk_henv *env, CXCursor variable, rk_hv value);

/** The local variable or parameter that an lvalue is, or is part of; false if it is none. */
bool rk_h_root(CXCursor *out, rk_arena *arena, CXCursor lvalue);

/** The values of variables after a statement or expression that may change them in any order. */
const rk_henv *rk_h_lose_changed(rk_hrun *run, const rk_henv *env, CXCursor node);

/** The values after an expression that is evaluated once; calls leave inputs in what they are lent. */
const rk_henv *rk_h_after(rk_hrun *run, const rk_henv *env, CXCursor node);

/** What the address that a call is given is of, `&x`; false for anything else. */
bool rk_h_address_operand(CXCursor *out, rk_arena *arena, CXCursor argument);

/** Whether a call is a launch `<<<...>>>`, and the call that is its configuration. */
bool rk_h_is_launch(rk_arena *arena, CXCursor call, CXCursor *configuration);

/** Whether a call is one that gives a node of a CUDA graph a kernel. */
bool rk_h_is_node_call(rk_arena *arena, CXCursor call);

/** The rk_cuda_host bits of a function, or of what a call calls. */
unsigned rk_h_host(rk_arena *arena, CXCursor function);

/** Whether a call is cudaLaunchKernel or one of its kin. */
bool rk_h_is_launch_call(rk_arena *arena, CXCursor call);

/** The parts of a launch, as values. */
typedef struct {
    rk_hv callee, grid, block, shared;
    rk_hv *args;
    size_t arg_count;
    const char *stream; /**< as the source writes it; NULL: the default one */
    const char *texts
        [3]; /**< of grid, block and shared bytes, as the source writes them; NULL: it does not */
} rk_hlaunch;

rk_hlaunch rk_h_launch_parts(rk_hrun *run, CXCursor call, const rk_henv *env);

/** The instance that a launch's callee is; null when it is not known, or has no name. */
CXCursor rk_h_instance(rk_arena *arena, rk_hv callee);

/**
 * A value of class type with its members apart, where its type shows them; each of an unknown one
 * is unknown. `missing` is the reason for those that are not set, NULL: they are as they were.
 */
rk_hv rk_h_expand(rk_arena *arena, rk_hv value, CXType type, const char *missing);

/** Whether a type is a fixed array of pointers to data, whose elements are followed as members are. */
bool rk_h_is_pointer_array(CXType type);

/** An array of pointers with the first elements, and the `others`. */
rk_hv rk_h_pointer_array(rk_arena *arena, CXType type, const rk_hv *values, size_t count,
                         rk_hv others);

/**
 * What an lvalue is a part of, and that part's name: the field of a struct, or an element, with a known index, of
 * an array of pointers. False for anything else.
 */
bool rk_h_part(CXCursor *whole, const char **name, rk_hrun *run, const rk_henv *env,
               CXCursor lvalue);

/** What a part is called by itself: a field its own name, an element of `d` "d_0". */
const char *rk_h_part_name(rk_arena *arena, const char *whole, const char *name);

/** The value of an element, with a known index, of an array of pointers that is followed. */
bool rk_h_pointer_element(rk_hv *out, rk_hrun *run, const rk_henv *env, CXCursor subscript);

/** Runs a function's body from the given values of its parameters. */
rk_hstate rk_h_run(rk_hrun *run, CXCursor body, rk_hstate state);

/**
 * The value of the returns of a function that was run to its `end`; unknown when more than its
 * arguments decide it, or it does not return one.
 */
rk_hv rk_h_returned(rk_hrun *run, const rk_hstate *end, const char *name);

/**
 * The value that a call of a function with this definition returns. Unknown when it depends on more
 * than its arguments.
 */
rk_hv rk_h_call_value(rk_hrun *run, const rk_henv *env, CXCursor function, const rk_hv *args,
                      size_t count);

/** Whether a call of the function may change variables that are not its own. */
bool rk_h_may_write(rk_hrun *run, CXCursor function);

/** Whether a call's i-th argument may be changed through a reference parameter. */
bool rk_h_by_reference(CXCursor function, size_t i, bool known);

/** Text of the cursor's extent, on one line. */
const char *rk_h_source(rk_arena *arena, CXCursor cursor);

/** Remembers whether functions write; -1 when it is not known yet. */
int rk_hinputs_writes(const rk_hinputs *inputs, CXCursor function);

/** Remembers whether variables keep their first values; -1 when it is not known yet. */
int rk_hinputs_constant(const rk_hinputs *inputs, CXCursor variable);
void rk_hinputs_set_constant(rk_hinputs *inputs, CXCursor variable, bool constant);

void rk_hinputs_set_writes(rk_hinputs *inputs, CXCursor function, bool writes);

/** Remembers whether functions never return; -1 when it is not known yet. */
int rk_hinputs_ends(const rk_hinputs *inputs, CXCursor function);
void rk_hinputs_set_ends(rk_hinputs *inputs, CXCursor function, bool ends);

rk_hinputs *rk_hinputs_new(rk_arena *arena);

/** A new input, read at `at`. */
rk_cexpr_input *rk_hinput_new(rk_hrun *run, rk_input_kind kind, CXCursor at, const char *of);

/** The input that was read before, where nothing can have changed it; otherwise a new one. */
rk_cexpr_input *rk_hinput_of(rk_hrun *run, rk_input_kind kind, CXCursor at, const char *of,
                             const char *key, const rk_henv *version);

/** What the inputs of one launch are called, beside its function's parameters. */
rk_hnames *rk_hnames_new(rk_arena *arena, const rk_param *params, size_t param_count);
void rk_hnames_add(rk_hnames *names, const rk_cexpr *e);

/** Whether a text is what the expression parser takes for one name. */
bool rk_hnames_is_name(const char *text);
char *rk_hnames_print(rk_hnames *names, const rk_cexpr *e);
const rk_launch_input *rk_hnames_inputs(size_t *count, rk_hnames *names);

#endif
