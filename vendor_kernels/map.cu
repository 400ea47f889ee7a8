// Expressions of elements, interpreted: a stack of numbers and a list of steps.
#include "plan.cuh"

#define MAP_STACK 12
#define MAP_OPERANDS 4

// The functions by their numbers; sched/ops/map_code.h has the same list.
enum {
    MAP_NUMBER, MAP_OPERAND, MAP_COORDINATE, MAP_DUP, MAP_ADD, MAP_SUB, MAP_MUL, MAP_DIV, MAP_MOD,
    MAP_FMOD, MAP_POW, MAP_MIN, MAP_MAX, MAP_AND, MAP_OR, MAP_XOR, MAP_EQ, MAP_LT, MAP_LE,
    MAP_BITAND, MAP_BITOR, MAP_BITXOR, MAP_SHL, MAP_SHR, MAP_NEG, MAP_ABS, MAP_SIGN, MAP_NOT,
    MAP_BITNOT, MAP_WHERE, MAP_FLOOR, MAP_CEIL, MAP_ROUND, MAP_TRUNC, MAP_ISNAN, MAP_ISINF, MAP_EXP,
    MAP_LOG, MAP_SQRT, MAP_SIN, MAP_COS, MAP_TAN, MAP_ASIN, MAP_ACOS, MAP_ATAN, MAP_SINH, MAP_COSH,
    MAP_TANH, MAP_ASINH, MAP_ACOSH, MAP_ATANH, MAP_ERF, MAP_SIGMOID, MAP_EXPM1, MAP_LOG1P
};

// Functions of one real number; s is the suffix of the type's functions.
#define DEFINE_REAL(T, s)                                                                          \
    __device__ T function_of(int f, T x)                                                           \
    {                                                                                              \
        switch (f) {                                                                               \
        case MAP_NEG: return -x;                                                                   \
        case MAP_ABS: return fabs##s(x);                                                           \
        case MAP_SIGN: return is_nan(x) ? x : (T)((x > 0) - (x < 0));                              \
        case MAP_FLOOR: return floor##s(x);                                                        \
        case MAP_CEIL: return ceil##s(x);                                                          \
        case MAP_ROUND: return rint##s(x);                                                         \
        case MAP_TRUNC: return trunc##s(x);                                                        \
        case MAP_ISNAN: return is_nan(x);                                                          \
        case MAP_ISINF: return !is_nan(x) && is_nan(x - x);                                        \
        case MAP_EXP: return exp##s(x);                                                            \
        case MAP_LOG: return log##s(x);                                                            \
        case MAP_SQRT: return sqrt##s(x);                                                          \
        case MAP_SIN: return sin##s(x);                                                            \
        case MAP_COS: return cos##s(x);                                                            \
        case MAP_TAN: return tan##s(x);                                                            \
        case MAP_ASIN: return asin##s(x);                                                          \
        case MAP_ACOS: return acos##s(x);                                                          \
        case MAP_ATAN: return atan##s(x);                                                          \
        case MAP_SINH: return sinh##s(x);                                                          \
        case MAP_COSH: return cosh##s(x);                                                          \
        case MAP_TANH: return tanh##s(x);                                                          \
        case MAP_ASINH: return asinh##s(x);                                                        \
        case MAP_ACOSH: return acosh##s(x);                                                        \
        case MAP_ATANH: return atanh##s(x);                                                        \
        case MAP_ERF: return erf##s(x);                                                            \
        case MAP_SIGMOID: return (T)1 / ((T)1 + exp##s(-x));                                       \
        case MAP_EXPM1: return expm1##s(x);                                                        \
        case MAP_LOG1P: return log1p##s(x);                                                        \
        default: return x == 0;                                                                    \
        }                                                                                          \
    }                                                                                              \
    __device__ T function_of(int f, T x, T y)                                                      \
    {                                                                                              \
        T rest;                                                                                    \
        switch (f) {                                                                               \
        case MAP_ADD: return x + y;                                                                \
        case MAP_SUB: return x - y;                                                                \
        case MAP_MUL: return x * y;                                                                \
        case MAP_DIV: return x / y;                                                                \
        case MAP_MOD:                                                                              \
            rest = fmod##s(x, y);                                                                  \
            return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;                           \
        case MAP_FMOD: return fmod##s(x, y);                                                       \
        case MAP_POW: return pow##s(x, y);                                                         \
        case MAP_MIN: return is_nan(x) || x < y ? x : y;                                           \
        case MAP_MAX: return is_nan(x) || x > y ? x : y;                                           \
        case MAP_AND: return x != 0 && y != 0;                                                     \
        case MAP_OR: return x != 0 || y != 0;                                                      \
        case MAP_XOR: return (x != 0) != (y != 0);                                                 \
        case MAP_EQ: return x == y;                                                                \
        case MAP_LT: return x < y;                                                                 \
        default: return x <= y;                                                                    \
        }                                                                                          \
    }
DEFINE_REAL(float, f)
DEFINE_REAL(double, )

// What integers divide by 0 is 0, and the least one by -1 is itself.
__device__ Word quotient(Word x, Word y)
{
    return y == 0 ? 0 : y == -1 ? (Word)(0 - (Natural)x) : x / y;
}
__device__ Natural quotient(Natural x, Natural y) { return y == 0 ? 0 : x / y; }
__device__ Word remainder_of(Word x, Word y, bool of_divisor)
{
    const Word rest = y == 0 || y == -1 ? 0 : x % y;
    return of_divisor && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
__device__ Natural remainder_of(Natural x, Natural y, bool) { return y == 0 ? 0 : x % y; }
__device__ bool is_negative(Word x) { return x < 0; }
__device__ bool is_negative(Natural) { return false; }

__device__ Natural power_of(Natural x, Natural n)
{
    Natural result = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}

// Nothing is left of what is shifted by 64 or more, but the sign of a signed number.
__device__ Natural shifted_left(Natural x, Natural by) { return by > 63 ? 0 : x << by; }
__device__ Natural shifted_right(Natural x, Natural by) { return by > 63 ? 0 : x >> by; }
__device__ Word shifted_right(Word x, Word by)
{
    return x >> ((Natural)by < 63 ? (int)by : 63);
}

#define DEFINE_INTEGER(T)                                                                          \
    __device__ T function_of(int f, T x)                                                           \
    {                                                                                              \
        switch (f) {                                                                               \
        case MAP_NEG: return (T)(0 - (Natural)x);                                                  \
        case MAP_ABS: return is_negative(x) ? (T)(0 - (Natural)x) : x;                             \
        case MAP_SIGN: return is_negative(x) ? (T)-1 : (T)(x != 0);                                \
        case MAP_BITNOT: return ~x;                                                                \
        default: return x == 0;                                                                    \
        }                                                                                          \
    }                                                                                              \
    __device__ T function_of(int f, T x, T y)                                                      \
    {                                                                                              \
        switch (f) {                                                                               \
        case MAP_ADD: return (T)((Natural)x + (Natural)y);                                         \
        case MAP_SUB: return (T)((Natural)x - (Natural)y);                                         \
        case MAP_MUL: return (T)((Natural)x * (Natural)y);                                         \
        case MAP_DIV: return quotient(x, y);                                                       \
        case MAP_MOD: return remainder_of(x, y, true);                                             \
        case MAP_FMOD: return remainder_of(x, y, false);                                           \
        case MAP_POW:                                                                              \
            if (!is_negative(y))                                                                   \
                return (T)power_of((Natural)x, (Natural)y);                                        \
            return x == 1 ? 1 : x == (T)-1 ? ((y & 1) ? (T)-1 : 1) : 0;                            \
        case MAP_MIN: return x < y ? x : y;                                                        \
        case MAP_MAX: return x < y ? y : x;                                                        \
        case MAP_AND: return x && y;                                                               \
        case MAP_OR: return x || y;                                                                \
        case MAP_XOR: return !x != !y;                                                             \
        case MAP_EQ: return x == y;                                                                \
        case MAP_LT: return x < y;                                                                 \
        case MAP_LE: return x <= y;                                                                \
        case MAP_BITAND: return x & y;                                                             \
        case MAP_BITOR: return x | y;                                                              \
        case MAP_BITXOR: return x ^ y;                                                             \
        case MAP_SHL: return (T)shifted_left((Natural)x, (Natural)y);                              \
        default: return shifted_right(x, y);                                                       \
        }                                                                                          \
    }
DEFINE_INTEGER(Word)
DEFINE_INTEGER(Natural)

__device__ __forceinline__ float number_of(Word bits, float)
{
    return (float)__longlong_as_double(bits);
}
__device__ __forceinline__ double number_of(Word bits, double) { return __longlong_as_double(bits); }
__device__ __forceinline__ Word number_of(Word bits, Word) { return bits; }
__device__ __forceinline__ Natural number_of(Word bits, Natural) { return (Natural)bits; }

// One step of the expression, on a stack whose next free place is `top`; returns the new one.
template <class T>
__device__ __forceinline__ int map_step(T *stack, int top, int f, Word argument)
{
    if (f == MAP_NUMBER) {
        stack[top] = number_of(argument, T());
        return top + 1;
    }
    if (f == MAP_DUP) {
        stack[top] = stack[top - 1];
        return top + 1;
    }
    if (f == MAP_WHERE) {
        stack[top - 3] = stack[top - 3] != 0 ? stack[top - 2] : stack[top - 1];
        return top - 2;
    }
    if (f >= MAP_ADD && f <= MAP_SHR) {
        stack[top - 2] = function_of(f, stack[top - 2], stack[top - 1]);
        return top - 1;
    }
    stack[top - 1] = function_of(f, stack[top - 1]);
    return top;
}

struct Operands {
    const void *at[MAP_OPERANDS];
};

// Element i of the result. Lists: types, shape, steps, strides of each operand.
template <class T>
__device__ void map_element(const Word *plan, const Operands &operands, void *y, int i)
{
    const Word *types = plan_list(plan, 0);
    const Word *shape = plan_list(plan, 1);
    const int rank = plan_count(plan, 1);
    const Word *steps = plan_list(plan, 2);
    const int count = plan_count(plan, 2);
    T stack[MAP_STACK + 1];
    int top = 0;
    for (int s = 0; s < count; s += 2) {
        const int f = (int)steps[s];
        const int argument = (int)steps[s + 1];
        if (f == MAP_OPERAND) {
            const Word at = offset_of(i, rank, shape, plan_list(plan, 3 + argument));
            stack[top++] = load_as<T>(operands.at[argument], (int)types[1 + argument], at);
        } else if (f == MAP_COORDINATE) {
            Word c = i;
            for (int d = rank - 1; d > argument; d--)
                c /= shape[d];
            stack[top++] = (T)(c % shape[argument]);
        } else {
            top = map_step(stack, top, f, steps[s + 1]);
        }
    }
    store_as(y, (int)types[1 + MAP_OPERANDS], i, stack[0]);
}

__global__ void
map(const Word *plan, const void *a, const void *b, const void *c, const void *d, void *y, int n)
{
    const int i = blockIdx.x * PLAN_THREADS + threadIdx.x;
    if (i >= n)
        return;
    const Operands operands = {{a, b, c, d}};
    switch ((int)plan_list(plan, 0)[0]) {
    case IN_F32:
        map_element<float>(plan, operands, y, i);
        return;
    case IN_F64:
        map_element<double>(plan, operands, y, i);
        return;
    case IN_I64:
        map_element<Word>(plan, operands, y, i);
        return;
    default:
        map_element<Natural>(plan, operands, y, i);
        return;
    }
}

void launch_map(const Word *plan, const void *a, const void *b, const void *c, const void *d,
                void *y, int n, cudaStream_t stream)
{
    map<<<ceil_div(n, PLAN_THREADS), PLAN_THREADS, 0, stream>>>(plan, a, b, c, d, y, n);
}
