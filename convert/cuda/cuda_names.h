#ifndef RK_CONVERT_CUDA_CUDA_NAMES_H
#define RK_CONVERT_CUDA_CUDA_NAMES_H

#include "base/diag.h"

#include <stddef.h>

/*
 * What names of CUDA, of its libraries and of C's mean: one row for each function, variable and type that the converter
 * treats in a way of its own. Nothing else in convert/ compares text with such a name.
 */

/** Uses of CUDA's built-ins; the first ones have a row. */
typedef enum {
    RK_USE_THREAD_IDX = 1 << 0,
    RK_USE_BLOCK_IDX = 1 << 1,
    RK_USE_BLOCK_DIM = 1 << 2,
    RK_USE_GRID_DIM = 1 << 3,
    RK_USE_SYNC = 1 << 4,
    RK_USE_SYNC_COUNT = 1 << 5,
    RK_USE_SYNC_AND = 1 << 6,
    RK_USE_SYNC_OR = 1 << 7,
    RK_USE_SHFL = 1 << 8,
    RK_USE_SHFL_UP = 1 << 9,
    RK_USE_SHFL_DOWN = 1 << 10,
    RK_USE_SHFL_XOR = 1 << 11,
    RK_USE_BALLOT = 1 << 12,
    RK_USE_ANY = 1 << 13,
    RK_USE_ALL = 1 << 14,
    RK_USE_ACTIVEMASK = 1 << 15,
    RK_USE_SYNCWARP = 1 << 16,
    RK_USE_MATCH_ANY = 1 << 17,
    RK_USE_MATCH_ALL = 1 << 18,
    RK_USE_REDUCE_ADD = 1 << 19,
    RK_USE_REDUCE_MIN = 1 << 20,
    RK_USE_REDUCE_MAX = 1 << 21,
    RK_USE_REDUCE_AND = 1 << 22,
    RK_USE_REDUCE_OR = 1 << 23,
    RK_USE_REDUCE_XOR = 1 << 24,
    RK_USE_LDG = 1 << 25,
    RK_USE_GROUP_WARP =
        1 << 26, /**< a warp operation of a cooperative group of lanes, or on matrices */
    RK_USE_STATIC_SHARED = 1 << 27,
    RK_USE_DYNAMIC_SHARED = 1 << 28,
    RK_USE_CONTEXT = 1 << 29,   /**< names the context in its text */
    RK_USE_GROUP_SYNC = 1 << 30 /**< a barrier through cooperative groups */
} rk_use;

#define RK_USE_PLACES (RK_USE_THREAD_IDX | RK_USE_BLOCK_IDX | RK_USE_BLOCK_DIM | RK_USE_GRID_DIM)
#define RK_USE_BARRIERS                                                                            \
    (RK_USE_GROUP_SYNC | RK_USE_SYNC | RK_USE_SYNC_COUNT | RK_USE_SYNC_AND | RK_USE_SYNC_OR)
#define RK_USE_REDUCING (RK_USE_SYNC_COUNT | RK_USE_SYNC_AND | RK_USE_SYNC_OR)
#define RK_USE_WARPS (((RK_USE_LDG - 1) & ~(RK_USE_SHFL - 1)) | RK_USE_GROUP_WARP)

/** Where a name is looked for; a row may be of several. */
typedef enum {
    RK_IN_PLAIN = 1,  /**< functions and variables by their name alone, whatever is around them */
    RK_IN_TYPES = 2,  /**< types by their name alone */
    RK_IN_GROUPS = 4, /**< functions and types of cooperative_groups */
    RK_IN_GROUP = 8,  /**< methods of its classes */
    RK_IN_LIBCU = 16, /**< all of namespace cuda but cuda::ptx */
    RK_IN_PTX = 32,   /**< cuda::ptx */
    RK_IN_STD = 64,   /**< std, but not cuda::std */
    RK_IN_CUB = 128,  /**< cub */
    RK_IN_MATRICES = 256 /**< nvcuda */
} rk_cuda_space;

#define RK_IN_COOPERATIVE (RK_IN_GROUPS | RK_IN_GROUP)
#define RK_IN_CUDA (RK_IN_LIBCU | RK_IN_PTX)

/** What a function does on the device. */
typedef enum {
    RK_DOES_WAIT = 1 << 0,    /**< threads wait for each other, or may */
    RK_DOES_MEET = 1 << 1,    /**< it is a barrier of the block or of less, and nothing else */
    RK_DOES_ASK = 1 << 2,     /**< it asks which thread this is */
    RK_DOES_RAW = 1 << 3,     /**< it means the whole vEU where a library's own text has it */
    RK_DOES_RANK = 1 << 4,    /**< it makes a group, or tells ranks and sizes, and nothing else */
    RK_DOES_COMPUTE = 1 << 5, /**< a number of numbers, cheap enough to work out again */
    RK_DOES_GRID = 1 << 6,    /**< it makes a group of the grid, or is a class of such */
    RK_DOES_BLOCK = 1 << 7,   /**< it makes the block's group, or is its class */
    RK_DOES_READ = 1 << 8,    /**< it reads memory through its argument */
    RK_DOES_LOOK = 1 << 9,    /**< it reads memory that other threads write meanwhile */
    RK_DOES_CHANGE =
        1 << 10, /**< it changes memory that other threads see, though its object is const */
    RK_DOES_PAUSE = 1 << 11,  /**< it fences, sleeps or lets others go on */
    RK_DOES_TIME = 1 << 12,   /**< it tells the time */
    RK_DOES_FENCE = 1 << 13,  /**< other blocks see what was written before */
    RK_DOES_ATOMIC = 1 << 14, /**< an atomic operation on memory, or what may have one */
    RK_DOES_MODIFY = 1 << 15, /**< atomicAdd and its like: (address, value, ...) */
    RK_DOES_SUM = 1 << 16,    /**< one of those that adds or subtracts */
    RK_DOES_STEP = 1 << 17,   /**< one that counts up or down */
    RK_DOES_EXCHANGE = 1 << 18,
    RK_DOES_COMPARE = 1 << 19, /**< it exchanges what it compares */
    RK_DOES_COUNT = 1 << 20,   /**< one that blocks count themselves with */
    RK_DOES_WRAP = 1 << 21,    /**< one that is back at 0 behind its bound */
    RK_DOES_GIVEN = 1 << 22    /**< a library asks it of the group that it was given */
} rk_cuda_does;

/** What a function does on the host. */
typedef enum {
    RK_HOST_CUDA = 1 << 0,      /**< it reaches the device */
    RK_HOST_CONFIGURE = 1 << 1, /**< the call that `<<<...>>>` stands for */
    RK_HOST_LAUNCH = 1 << 2,    /**< it launches a kernel that is an argument */
    RK_HOST_NODE = 1 << 3,      /**< so does what it adds to a graph, or sets there */
    RK_HOST_EXTENDED = 1 << 4,  /**< the configuration is a struct */
    RK_HOST_LISTED = 1 << 5,    /**< and the arguments are an array of pointers */
    RK_HOST_ASK = 1 << 6,       /**< it tells of the device */
    RK_HOST_KEEP =
        1 << 7, /**< it keeps addresses that it is given, or writes there after it returned */
    RK_HOST_END = 1 << 8,      /**< it does not return */
    RK_HOST_COPY = 1 << 9,     /**< it copies to or fills memory of the device */
    RK_HOST_MANAGED = 1 << 10, /**< it allocates what host and device both see */
    RK_HOST_DECLARED = 1 << 11, /**< the compiler declares it where it is first used */
    RK_HOST_LOOKED_UP = 1 << 12 /**< drop-ins have one that looks for the launcher of the kernel's address */
} rk_cuda_host;

/** What a name is, of types and of words. */
typedef enum {
    RK_IS_TEXTURE = 1 << 0,    /**< a texture or surface reference */
    RK_IS_STATUS = 1 << 1,     /**< what calls of the API return */
    RK_IS_PROPERTIES = 1 << 2, /**< what the host is told of a device */
    RK_IS_DIMENSIONS = 1 << 3, /**< dim3 */
    RK_IS_MEETING =
        1 << 4, /**< threads meet at one in shared memory; its constructor does nothing */
    RK_IS_BARRIER = 1 << 5,    /**< a meeting that nothing ends but the kernel */
    RK_IS_OPERATOR = 1 << 6,   /**< an operation for reductions, which knows nothing of groups */
    RK_IS_GROUP_WORD = 1 << 7, /**< text that has the word uses cooperative groups */
    RK_IS_TILED = 1 << 8,      /**< its first template argument is a number of threads */
    RK_IS_COLLECTIVE = 1 << 9, /**< of CUB: rk/cub/ has what stands in for it */
    RK_IS_OPERAND = 1 << 10    /**< of CUB: so it has, for text that uses nothing else of CUB */
} rk_cuda_is;

/** The threads of a cooperative group. */
typedef enum {
    RK_GROUP_NONE,
    RK_GROUP_BLOCK,
    RK_GROUP_LANES,
    RK_GROUP_ANY,   /**< known at run time, or by a template argument that is not seen */
    RK_GROUP_GRID,  /**< has ranks, and no barrier in an rTask */
    RK_GROUP_GRIDS, /**< of several devices */
    RK_GROUP_CLUSTER
} rk_cuda_group;

/** What a name of cooperative groups waits for, with the group that it is called on or with. */
typedef enum {
    RK_WAITS_UNKNOWN, /**< no rKernel has it */
    RK_WAITS_NOT,
    RK_WAITS_GROUP, /**< a barrier of the group's threads */
    RK_WAITS_LANES  /**< an exchange, which only groups of lanes have */
} rk_cuda_waits;

/** What becomes of a host's call in a graph. */
typedef enum {
    RK_GRAPH_OTHER, /**< it is as any function */
    RK_GRAPH_ALLOCATE,
    RK_GRAPH_COPY,
    RK_GRAPH_FILL,
    RK_GRAPH_WAIT,
    RK_GRAPH_IGNORE,
    RK_GRAPH_REFUSE
} rk_cuda_graph;

/** What a function does through a pointer. */
enum { RK_ARG_READS = 1, RK_ARG_WRITES = 2 };

/** Why a name cannot stay in an rKernel, or what its user should know. */
typedef struct {
    rk_severity severity; /**< RK_REFUSED or RK_WARNING */
    const char *code, *message, *hint;
} rk_cuda_refusal;

/** What one name means. What is not said of it is 0. */
typedef struct {
    const char *name; /**< or a prefix that ends in `*` */
    unsigned in;      /**< rk_cuda_space bits */
    unsigned does;    /**< rk_cuda_does bits */
    unsigned host;    /**< rk_cuda_host bits */
    unsigned is;      /**< rk_cuda_is bits */
    rk_use use;       /**< of the built-in; 0 of any other name */
    const char
        *text; /**< of a built-in, the context's member for it: "thread_idx()", "shfl"; of a group's
                           function, what takes the place of it and its `(`, NULL: rk__::groups::name */
    const rk_cuda_refusal *refusal;
    rk_cuda_group group;
    rk_cuda_waits waits;
    rk_cuda_graph graph;
    unsigned char args[2]; /**< what it does through its first arguments: RK_ARG_... */
    const char *expr;      /**< the function of rk_expr that it is */
    int expr_args;
    bool expr_exact;     /**< so is its result in float */
    const char *element; /**< of a vector or a number: the C++ type of its elements */
} rk_cuda_name;

/** A namespace that has rows, and what all of its functions do. */
typedef struct {
    const char *name;
    rk_cuda_space in;
    unsigned does;
    rk_use use;
} rk_cuda_namespace;

/**
 * The row of a name in any of the spaces `in`: its own, or of the prefixes that fit the longest one's. A row of zeros, whose
 * name is "", where there is none.
 */
const rk_cuda_name *rk_cuda_find(unsigned in, const char *name);

/** The same of a text that does not end behind the name. */
const rk_cuda_name *rk_cuda_find_text(unsigned in, const char *name, size_t length);

/** The rk_cuda_does bits of a function: those of its name alone, of its name in `space`, and of all that is there. */
unsigned rk_cuda_effects(unsigned space, const char *name);

/** The built-in that has this use; NULL of a use that is no built-in's. */
const rk_cuda_name *rk_cuda_of_use(rk_use use);

/** The namespace of that name; NULL when nothing is known of it. */
const rk_cuda_namespace *rk_cuda_namespace_find(const char *name);

/** The namespace of a space; NULL of RK_IN_PLAIN and RK_IN_TYPES. Methods of groups are in RK_IN_GROUPS' one. */
const rk_cuda_namespace *rk_cuda_namespace_of(unsigned in);

/** All rows, in the order of their names. */
const rk_cuda_name *rk_cuda_names(size_t *count);

#endif
