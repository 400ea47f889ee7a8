#ifndef RK_CONVERT_UNIT_UNIT_H
#define RK_CONVERT_UNIT_UNIT_H

#include "base/file.h"
#include "base/vec.h"
#include "convert/text/edits.h"
#include "convert/text/lex.h"
#include "convert/unit/convert.h"
#include "rkernel_lib/catalog/catalog.h"

#include <clang-c/Index.h>

#define RK_NONE SIZE_MAX

/* Sources. */

/** An `#include` of a project header in a project file. */
typedef struct {
    size_t token;  /**< the directive's index in the including file's tokens */
    size_t target; /**< index in rk_unit.files */
    bool nested;   /**< inside braces: its text lands in what is open there */
} rk_include;

/** A file of the user's project: the source, or a header that it includes. */
typedef struct {
    const char *path;       /**< as the compiler opens it */
    uint64_t device, inode; /**< which tell a file whatever its name */
    rk_bytes bytes;
    bool expanded;    /**< `bytes` are not the disk's: expand.h */
    bool precompiled; /**< with the headers of libraries, where there are such: headers.h */
    rk_tokens tokens;
    RK_VEC(rk_include) includes;
    bool nested;  /**< some include of it is inside braces: it gets no namespace of its own */
    bool touched; /**< edited beyond its includes: it goes into the source's namespace */
    const char *out_name; /**< its name in the output folder */
    const char *guard;    /**< of a touched header: the macro that lets it be read once, or NULL */
    rk_edits edits;
    rk_bytes output; /**< edited text */
    rk_bytes
        cpu; /**< of an rKernel's source: the same with what a CPU needs besides (facts/undefined.h) */
} rk_source_file;

/** A place in the project's text. */
typedef struct {
    size_t file; /**< index in rk_unit.files, RK_NONE when it is in none */
    size_t offset;
} rk_where;

/* Functions, as the analysis leaves them: plain data, no cursors. */

/** Why a function cannot be converted, or what its user should know. */
typedef struct {
    rk_severity severity; /**< RK_REFUSED or RK_WARNING */
    const char *code;
    rk_place place;
    const char *message, *hint;
} rk_unit_problem;

/** A use of another function. */
typedef struct {
    size_t callee;               /**< index in rk_unit.functions */
    size_t at;                   /**< expansion offset in the caller's file */
    size_t loop_begin, loop_end; /**< the outermost loop around it, both 0 if none */
    rk_where name;               /**< the callee's name, or a functor call's `(` */
    size_t open;                 /**< offset of the argument list, in the name's file */
    bool editable; /**< it is called by that name, so that an argument can be put in */
    bool argument; /**< it is an argument of a template there */
    size_t param;  /**< the template parameter of the caller that the name is, RK_NONE if none */
    bool value;    /**< in text that must ask for the context by itself: initial_values.h */
    bool range;    /**< by a loop over the range that is between `name` and `open` */
} rk_call;

typedef enum { RK_EVENT_RETURN, RK_EVENT_BARRIER, RK_EVENT_WARP } rk_event_kind;

/** A return, barrier or warp operation, by where it is. */
typedef struct {
    rk_event_kind kind;
    size_t at;                   /**< expansion offset in the function's file */
    size_t loop_begin, loop_end; /**< the outermost loop around it, both 0 if none */
    bool top_level;              /**< `if (c) return;` as a statement of the function's body */
    rk_where word;               /**< a return's `return`, in a macro's text where one makes it */
    bool leaves;                 /**< it becomes rk__ctx.leave(), filled by rk_decide */
    size_t condition, condition_end; /**< its text, without the parentheses, when top_level */
} rk_event;

/** A declaration statement of shared memory inside a function. */
typedef struct {
    size_t begin, end; /**< the statement with its semicolon */
    bool dynamic;
    bool barrier;                 /**< static: of libcu++, ended with the rTask */
    const char *fields;           /**< static: the members that stand for it */
    RK_VEC(const char *) names;   /**< its variables */
    RK_VEC(const char *) members; /**< static: what each is called in the part */
    const char *declares, *type; /**< dynamic: "float *x", "<float>", of the pointer in its place */
} rk_shared;

/** A replacement in the project's text that a conversion of the function needs. */
typedef struct {
    size_t file, offset, length;
    const char *text;
} rk_text_edit;

/** A lambda: its capture list and what its text uses. */
typedef struct {
    size_t open; /**< offset of its `[` */
    size_t body, end;
    unsigned uses;
    RK_VEC(size_t) callees;     /**< functions that its text calls */
    RK_VEC(const char *) names; /**< shared arrays that its text names */
} rk_lambda;

/** A declaration of a function, or its definition, in the text. */
typedef struct {
    size_t file;
    size_t begin; /**< first byte of the declaration, template head and attributes included */
    size_t name;  /**< offset of its name */
    size_t end;   /**< its body's `{` or its `;` */
} rk_declaration;

/** A parameter of a function template. */
typedef struct {
    const char *name; /**< "" if it has none */
    bool pack;
    bool is_class; /**< a function's class stands for it, filled by rk_decide */
} rk_template_param;

/** A parameter of a kernel. */
typedef struct {
    const char *name; /**< "" if it has none */
    bool pack;
    size_t end; /**< offset after its declarator, where a name may be put */
} rk_parameter;

/** A kernel that gave way to its phases: phases.h. */
typedef struct {
    const char *name, *scope;
    size_t count;
} rk_phased;

/** What text does besides using built-ins. */
typedef enum {
    RK_TEXT_FENCES = 1,         /**< __threadfence: it may tell which block is last */
    RK_TEXT_NAMED_BARRIERS = 2, /**< has assembly with barriers of its own numbers */
    RK_TEXT_BARE_SHARED =
        4, /**< has dynamic shared memory, but cannot take the context: see rk__::bare_shared */
    RK_TEXT_BARE_ALONE = 8, /**< and does not ask for the context by itself */
    RK_TEXT_ASKS = 16       /**< asks for the context by itself: ambient.h */
} rk_text_does;

/** A function of the project, by its definition. */
typedef struct {
    const char *name;
    const char *own_name; /**< of a kernel: one that no other kernel of its scope has, by which the
                                    converted text names it; else as `name` */
    const char *scope;    /**< enclosing namespaces and classes: "a::b::", "" at file scope */
    const char *spaces;   /**< the enclosing namespaces, "a b", "-" for one without a name */
    const char *spaces_prefix; /**< the same in front of a name: "a::b::" */
    const rk_phased *phased;   /**< the kernel that it is a phase of, or stands for; NULL: none */
    size_t phase;              /**< which one; RK_NONE: it stands for them, and goes away */
    rk_place place;
    rk_declaration definition;
    size_t end;                    /**< after its body's `}` */
    RK_VEC(rk_declaration) others; /**< its other declarations in the project */
    bool kernel, device, host;
    bool is_template;
    bool method, is_static, is_virtual;
    bool special;       /**< constructor, destructor, conversion, operator other than () */
    bool local_class;   /**< a member of a class inside a function */
    bool in_class;      /**< defined inside its class */
    const char *access; /**< of a method that is not public: "private", "protected"; else NULL */
    bool class_template;
    bool specialisation;
    size_t specialises; /**< the function template whose explicit specialisation it is, RK_NONE */
    const char *special_args; /**< for which arguments: "<int>"; NULL where one has no name */
    bool from_macro;
    bool is_constexpr;
    bool c_linkage; /**< in an extern "C" block */
    bool launches;  /**< holds a <<<>>> */
    bool slots;     /**< each parameter is a pointer or a scalar of at most 8 bytes */
    bool meets;     /**< declares barriers or pipelines of libcu++ in shared memory */
    bool has_goto;
    bool recursive; /**< it, or an instance of it, reaches itself by calls */
    bool overloads; /**< functions for devices of system headers have its name, at global scope, too */
    RK_VEC(const char *)
    kept;                /**< variables that it names and that keep their value between runs */
    unsigned uses;       /**< rk_use bits of its own text */
    unsigned value_uses; /**< of what must ask for the context by itself: initial_values.h */
    unsigned does;       /**< rk_text_does bits of its own text */
    int dims;            /**< highest dimension of threadIdx or blockIdx that its text reads */
    RK_VEC(rk_call) calls;
    RK_VEC(rk_event) events;
    RK_VEC(rk_shared) shared;
    RK_VEC(const char *) hoists;      /**< locals that its shared memory's types name */
    RK_VEC(const char *) opened; /**< what its body says with `using` and these types need */
    RK_VEC(rk_template_param) params; /**< of its template */
    RK_VEC(rk_parameter) parameters;  /**< of a kernel */
    RK_VEC(const char *) file_shared; /**< declarations to put at its entry for file-scope arrays */
    RK_VEC(const char *) file_names;  /**< those arrays */
    RK_VEC(const char *) file_parts;  /**< the parts of those that are static, qualified */
    RK_VEC(rk_lambda) lambdas;
    RK_VEC(rk_unit_problem) problems;
    RK_VEC(rk_text_edit)
    file_edits; /**< statements of those arrays, and what declares their parts instead */
    RK_VEC(rk_text_edit) edits; /**< what the walk found to replace when it takes the context */
    RK_VEC(rk_text_edit) other_edits; /**< the same in its other declarations */
    RK_VEC(rk_text_edit) value_edits; /**< what makes its values ask, whatever becomes of it */
    /* filled by rk_decide */
    bool taken;         /**< some use of it is no call that could pass the context */
    bool needs_context; /**< as a parameter */
    bool ambient;       /**< no call can pass it: its text asks for it by itself (ambient.h) */
    bool reached;       /**< by a converted kernel */
    bool refused;
    bool removed;        /**< its text is disabled in the output */
    bool named;          /**< host code that is disabled: text that stays names it */
    bool early_return;   /**< a barrier may follow a return */
    bool warp_returns;   /**< a warp operation may follow a return that is not at top level */
    bool has_class;      /**< it is a template argument: a class stands for it there */
    bool left_out;       /**< a kernel that --kernel does not name */
    unsigned reach;      /**< rk_use bits of all that it reaches: spread.h */
    unsigned reach_does; /**< rk_text_does bits of all that it reaches */
    int reach_dims;
    const char *part; /**< name of its struct of shared memory, NULL if it has none */
    bool split; /**< its rKernel has a form for a whole block; see convert/fission/fission.h */
    bool no_launcher; /**< filled by rk_drop_in_prepare: launches keep to the kernel itself */
} rk_function;

/** A kernel instance, from launches. */
typedef struct {
    size_t function;
    const char *id;
    const char *const *args;     /**< canonical template arguments */
    const char *const *out_args; /**< the same as the rKernel takes them: classes for functions */
    size_t arg_count;
    const char *const *types; /**< of the kernel's parameters, canonical */
    const size_t *sizes;      /**< in bytes, of the parameters */
    size_t type_count;
    const char *const *parts; /**< types of the parts of its frame, its own first */
    size_t part_count;
    const rk_param *params; /**< with roles */
    const rk_launch *launches;
    size_t launch_count;
    bool atomics, float_atomics;
    /* filled by the check */
    const char *symbol;     /**< "rk__in_gemm::gemm<32, 8>" */
    const char *frame;      /**< "gemm_rk__frame<32, 8>" in the namespace, NULL if none */
    const char *frame_type; /**< "rk__in_gemm::gemm_rk__frame<32, 8>" */
    int64_t frame_size, frame_align;
    int64_t max_threads, min_blocks;
    rk_resources *resources;
    size_t resource_count;
} rk_instance;

/** An instance of a kernel template as the compiler names it: "ns::k<float, 3>". */
typedef struct {
    const char *name;
    bool shown; /**< it is in unit->instances, unless its kernel has no place there */
} rk_listed;

/** A macro without parameters. */
typedef struct {
    const char *name, *text;
} rk_macro;

/** A name taken in the output folder, and the file whose text is there. */
typedef struct {
    const char *name, *path;
    const char *base; /**< the name that was wanted */
} rk_output_name;

typedef RK_VEC(rk_output_name) rk_output_names;

/** A file that a conversion writes. */
typedef struct {
    const char *path;
    bool there; /**< it was there already; `bytes` is empty */
    rk_bytes bytes;
} rk_output;

/** Where text is: in a file, from the first byte to the one after the last. */
typedef struct {
    size_t file, begin, end;
} rk_range;

/** An operand in device code that a function is put around: convert/facts/undefined.h. */
typedef struct {
    rk_range at;
    const char *before; /**< " ::rk__::rk__to<int>(" */
    bool instance;      /**< only instances of a template show that it is needed */
    bool guessed;       /**< in a template: nothing is known of the types of either side */
} rk_undefined;

/** What reading a source and its headers may take, before a process of its own does more with them. */
typedef struct {
    double deadline;                                       /**< of rk_seconds */
    size_t memory;                                         /**< bytes of the unit's arena */
    enum { RK_READ_ALL, RK_READ_LATE, RK_READ_LARGE } end; /**< which of the two was passed */
} rk_read_limits;

/** An access to volatile memory; `bits`: of a bit field, which no reference names. */
typedef struct {
    rk_range text;
    bool bits;
} rk_volatile_access;

/** Text for a loop that waits: wait_loops.c. */
typedef struct {
    rk_where at;
    int rank;
    const char *text;
} rk_wait_text;

/** A name that the project declares at global scope. */
typedef struct {
    const char *name;
    bool function, type; /**< some declaration is; a namespace counts as a type */
    bool system;         /**< a system header declares it there, too */
    bool device;         /**< and for devices */
    bool space;          /**< it is a namespace */
} rk_global;

typedef RK_VEC(rk_source_file *) rk_source_files;

/** One source on its way through the converter. */
typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    const rk_convert_options *options;
    const char *pch;     /**< precompiled prelude, or NULL */
    const char *headers; /**< the same with the first headers of the source (headers.h), or NULL */
    bool headers_fit;    /**< the source was parsed with it, without errors */
    const char *path;
    rk_read_limits *limits;     /**< of reading it, or NULL */
    const char *stem;           /**< of the output: "gemm" */
    const char *ident;          /**< the stem as an identifier: "gemm" */
    const char *space;          /**< "rk_gemm" */
    const char *catalog_source; /**< how the catalog names it */
    const char *defines;        /**< "#define"s for the user's -D, "" if there is none */
    const char *undefines;      /**< and their "#undef"s */
    bool lines; /**< the text asks for the place that it is in: converted text says where it was */
    rk_output_names *names;   /**< of all sources of the run */
    bool own_headers;         /**< its touched headers are no other source's: they have its name */
    rk_source_files before;   /**< those of the reading before, when expand.h changed some */
    RK_VEC(rk_phased) phased; /**< kernels that the text has the phases of */
    /* What a reading, and what comes after it, found: rk_sources_forget. */
    rk_source_files files; /**< [0] is the source */
    CXIndex index;
    CXTranslationUnit tu;
    struct rk_ir *ir;        /**< our own tree of `tu`, once it was asked for: clang/lower.h */
    RK_VEC(rk_macro) macros; /**< of those files, once rk_sources_macro was asked */
    bool macros_listed;
    bool device_seen; /**< the analysis has what the device's compilation sees, too (branches.h) */
    RK_VEC(rk_function *) functions;
    RK_VEC(rk_where) macro_uses;      /**< of macros that declare shared memory: clang/expand.h */
    RK_VEC(rk_global) globals;        /**< the project's names at global scope: scopes.h */
    RK_VEC(rk_range) outside;         /**< text that stays at global scope */
    RK_VEC(rk_range) external;        /**< declarations of variables that keep their linkage */
    RK_VEC(const char *) spaces;      /**< the namespaces that the project's text opens: "a::b" */
    RK_VEC(const char *) both;        /**< those of them that system headers open, too */
    RK_VEC(rk_text_edit) value_edits; /**< whoever reaches them: members' initial values,
                                           `.nc` of assembly */
    RK_VEC(rk_function *) declared;   /**< kernels that another unit defines, by each declaration */
    struct rk_drop_in *drop_in;       /**< what rk_drop_in_prepare found, or NULL */
    RK_VEC(rk_instance) instances;
    RK_VEC(rk_listed) listed; /**< instances as the compiler names them (instantiated.h) */
    RK_VEC(rk_convert_launch) launches;
    RK_VEC(rk_convert_kernel) program_kernels; /**< of a program for the CPU */
    RK_VEC(rk_wait_text) waits;       /**< of a program for the CPU: what its loops that wait get */
    RK_VEC(rk_volatile_access) steps; /**< of a program for the CPU: accesses to volatile memory */
    RK_VEC(rk_undefined) undefined;   /**< operands of device code, for the CPU */
    struct rk_macros *macro_texts;    /**< of the project, once facts/undefined_range.c read them */
    RK_VEC(rk_where) stepped;         /**< the `{` of kernels that reach one */
    RK_VEC(struct rk_fission_plan *) fissions; /**< of kernels, once rk_fission_find looked */
    const char *kernels_text; /**< of a program for the CPU: how each kernel runs */
} rk_unit;

#endif
