#include "rkernel_lib/include/rk/cuda/cuda_random.h"
#include "rkernel_lib/include/rk/cuda/cuda_sobol.h"

#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/**
 * The first direction numbers of dimensions 2 to 337 (S. Joe and F. Y. Kuo, Constructing Sobol sequences with
 * better two-dimensional projections, 2008, set D(6)). The i-th is odd and below 2^i: its upper i - 1 bits, one
 * after another from the lowest. Their polynomials are the primitive ones in ascending order.
 */
/* clang-format off */
static const uint64_t first_numbers[RK_SOBOL_KNOWN - 1] = {
    0x0, 0x1, 0x1, 0x0, 0xa, 0x35, 0x214, 0x94, 0x26e, 0x4, 0x148, 0x3d5, 0x60e3, 0x2ab8, 0x6371,
    0x8f8, 0x31b9, 0x7a54, 0x199eef, 0x111db7, 0xfc4f2, 0xd3025, 0x1ac531, 0x7fb51, 0xf526c,
    0x11184d, 0x2436, 0xea597, 0xa3b22, 0xd82f5, 0x4758f, 0x116889, 0x342d4, 0x1ef81e, 0xc79a6,
    0x86c53, 0xf4c1bf9, 0x60ff7fd, 0xf931569, 0x91d769, 0x2d416be, 0x4f03f0f, 0xcc09641, 0x9c72a64,
    0xb96402f, 0x47391cb, 0x1bdcdef, 0xe183d42, 0xb0e56c8, 0x469221f, 0xd5eff51, 0x84d5552,
    0xefacba395, 0x2209b006b, 0xab045ce10, 0xf96679f11, 0x5b68fa168, 0xb5e78392c, 0xbf06a5a7c,
    0x6e894a7df, 0x29dfb9ec8, 0x5018d9ff4, 0x80569df32, 0x92f9f6aa8, 0xa14ee0d6e, 0x410341a14,
    0xedfb00ef6, 0x5940d505, 0xf3fe31bf2, 0x3f5b67c83, 0x767fea40a, 0x90f293edc, 0xf5b7d6a2c,
    0xacd031810, 0x1007cf03a, 0x57cf454e9, 0x18fefb5c1, 0x98aba7b4d, 0x4af8e040c, 0x4f0c3f092,
    0x708da14e8, 0x8765e7753, 0x393ace165, 0xd147f5ac6, 0x256da0ad2, 0xe279094fe, 0xe01a7990f,
    0x7589ce79, 0xbd9124000, 0xf10c755f9, 0xd7835364e, 0xaec25c48b, 0x943a9b51b, 0x4ef032162,
    0x6abc8733f, 0x6c5326d06, 0x7c705b673, 0xeffc0d6cd, 0x6c74b0954, 0x497a84b9b, 0xe56fe2908b9,
    0xf343fefcc96, 0x12b6cf958d19, 0x7bb5e01dd32, 0x170044221a77, 0x1529f281f655, 0x18a672a3ffcc,
    0x54f82e0cda6, 0x1c4cf1382299, 0x3f526f1bc47, 0x1a765774f82c, 0x1117604f933, 0xead05efb9de,
    0xc06a3919321, 0xaa133995ff5, 0x113b6adf73ca, 0x161e19d0f187, 0x1e2d659a1a98, 0x464e76b6624,
    0x17240096d99f, 0x11d4b8d0f2c7, 0x4ebb6b75e2a, 0x1c95432aa953, 0x138e34396dcc, 0x129ac2e72c25,
    0x126a19a7609f, 0x166823dfd09b, 0x1f84043d2e1f, 0x983dce54d72, 0x24732f787a2, 0x81dc15d3821,
    0x169dbd3f4eb1, 0x1821859cfe0e, 0x241f6b94177, 0x58da86ff194, 0xf1d02f77f5a, 0xb18be03ac2,
    0x12f6d6426f3a, 0x99c4faca4d9, 0x1a84a46f0b, 0xceef2d02330, 0x16b6aa18e35e, 0x1ac7d28a8ac5,
    0x1a1bf569f95b, 0x1cdfc0670dba, 0xfade9cbbc87, 0x12e39922541a, 0x1f4e3d3d80b3, 0x1a525f20a592,
    0x126b2f96a41f, 0xcd8bc5b3020, 0x255f86ef2f9, 0xaebffc9abbc, 0x1ea6396f5a53, 0x468daf935,
    0x1e99a6953369, 0x15aedfc8e6b, 0x1cf8915ecea6, 0xda97f2bd1f6, 0x167cc62384d8, 0x1d421387bc637b,
    0xc6f13ba95ac6f, 0x2e46a59e5b20fc, 0x59916c98662174, 0x4dbd85ed70f801, 0x68e6cd6dc24236,
    0x419b02e5c3876a, 0x60abdba23e531f, 0x3a0478ccb4563, 0x59e71ab01e459, 0x35d7b95e7c0352,
    0x7efbd45fe13b3b, 0x102fd1c1b1181, 0x363a3432870c66, 0xd7c638d9ee326, 0x384a36c84a9ece,
    0x56b63ee7afe98a, 0xf7de5a772b8fa, 0x5b4318597b3368, 0x5dd6a0590d08bf, 0x72b2f4ee51d507,
    0x7eaeeb1a10333, 0x695c086dc24ac0, 0x7b1149b12cbbca, 0x5f94fed2646c97, 0x662c5da1abc406,
    0x18445a386aad8e, 0x2006dd6196b10f, 0x7fa4e8ac9db992, 0x4077153103738d, 0x5fb537f1b7ab93,
    0x4b1e01e465093f, 0xdfb1e55c871f5, 0x4305821bffd638, 0x64a9225c650ef8, 0x13f72209454df7,
    0x2c7038a5991aef, 0x76630dccb5367f, 0xc45f059a53389, 0x69751e46541756, 0x30d1b14c100b11,
    0x4575bcd4dc1d51, 0x1fc941babde962, 0x252ad528bc4d40, 0x6c4a2280d9212f, 0x285c53809cd681,
    0x1daeb4fc5d310e, 0x67d32f2cee2961, 0x5f22a2cdec6f5e, 0x54a95df32b524c, 0x4305d9c8fd4031,
    0x5dcbcbc610149e, 0x4d60b31417c681, 0x362d439a77c864, 0x3055328bc6c833, 0x31e4d6e98f82a,
    0x4778c7aa58ff18, 0x1108d2340dd56c, 0x64abdb1fb90514, 0x53776186357eb8, 0x121657f2be1374,
    0x5871d26de42751, 0x6c91361fbf758c, 0x2f3e5c268c35bb, 0xfd7ddf6a8d6fd, 0x262cbf826406ad,
    0x7cafd0b11c3df6, 0x1f627d39879c7e, 0x7c5cdfcaa5b266, 0x2b82b42dfe36a4, 0x5b57e9f63aa514,
    0xbb6c55640b24a, 0x2468915d52d82, 0x431d9a6fd33338, 0x7f4987f2edba22, 0x5f3d5f46627fa3,
    0x252a9b8af63cff, 0x298b77dcf18b37, 0x642a00f232b28b, 0x216a4050500160, 0x17ef2bd2a41a4c,
    0x46d89f493511b5, 0x6f694618096481, 0x7f15ce3b4ef27a, 0xc85ea29101347, 0x21b22f2044aff9,
    0x33fa75c5301d76, 0x770ff970f26cdd, 0x254c0c60eb28e5, 0x4f1b9ffdd21acf, 0x5a1e710b92642a,
    0x8e12a92657663, 0x27f3d3aa64c3c6, 0x7aeaeb152e9888, 0x3d7af3084d0650, 0x2703056696d131,
    0x426732385ce0cc, 0x2f511f82cbd616, 0x2760f7cbfefabd, 0x79e543fb828e27, 0x3163e0e3021574,
    0x38d688a6353f8, 0x5708420d088f4d, 0x3fc04438ed27f1, 0x26fde4799c8bf6, 0x1bbd7941e7272c,
    0x2ba0cef51f9693, 0x2c186611383f2a, 0x7f5ba62cf297d4, 0x5d80899e672d28, 0x4eb0599e9bd56c,
    0xd9d2abe5aa816, 0x5bd2bca83f2868, 0x32a4bc25084d15, 0x7e50884dee80de, 0x308417b552d09,
    0x7be954e0622e6d, 0x410a90e68509d1, 0x1df60375504080, 0x64a04b5734518, 0x4cd9557c4c821c,
    0x2db0f77b954afb, 0xf2db906dbecd9, 0x683aa81d88ea2e, 0x4431a24115fc21, 0x4048393380514a,
    0x572d2cda1b5b44, 0x6bed0a9bebc72d, 0x6e66caffb702bc, 0x1ea699c9b28c6b, 0x42bc8e2a191153,
    0x63d6b518dfd9c2, 0x69aaa2448fc01b, 0x3b43126ead4df5, 0x786966b0d823f4, 0x46a7ddc5d6c806,
    0x5b3d72845a0b27, 0x1f5fc0dd0357ef, 0x182fd50e87c03e, 0x78739fbb086893, 0x75272e41fdf8ee,
    0x421ba4ec8d0a7c, 0x3f0d47c70cc427, 0x276ac3b9a96a9d, 0x75729fb45b3ddd, 0x1f760c98304703,
    0x1f33c16982c25f, 0x2be10f35c70553, 0x6ddcfc1b3aeaba, 0x1689e5792cda9a, 0x7ad8d86f2398d8,
    0x2730cdd72e4252, 0x419665c3c64c63, 0x62c860399ac8cf, 0x4dcf448296d0ce, 0x11acbc951a0ce4,
    0x3b5e1604c76f66, 0x32fcac93fae70c, 0x2172be4324f8ce, 0x7366b7799a66c7, 0x78e16f7313af52,
    0x5b5f3f784ddd68, 0x68b7db1117677a, 0x3e208f97738409, 0x31fe65310b55c0, 0x7e7c8f11d66348,
    0x263a914072948a, 0x1fa8d807a9f0c9, 0x84955de5c2f6b, 0x15054e14d97d32, 0x198cf72c2b744f,
    0x171ac155d1a54d, 0xf75f7813cc267, 0x431f6e79a544ad, 0x4a4222e53b1f0f, 0x3865343857289d
};
/* clang-format on */

/** a * b modulo a polynomial of this degree over GF(2). */
static uint32_t multiply(uint32_t a, uint32_t b, uint32_t polynomial, int degree)
{
    uint32_t product = 0;
    for (; b; b >>= 1) {
        product ^= b & 1 ? a : 0;
        a <<= 1;
        a ^= a >> degree & 1 ? polynomial : 0;
    }
    return product;
}

/** Whether the powers of x modulo the polynomial are all that is not zero. */
static bool is_primitive(uint32_t polynomial, int degree)
{
    const uint32_t x = degree > 1 ? 2 : 2 ^ polynomial;
    uint32_t power = x, order = 1;
    for (; power != 1 && power != 0 && order < UINT32_C(1) << degree; order++)
        power = multiply(power, x, polynomial, degree);
    return power == 1 && order == (UINT32_C(1) << degree) - 1;
}

/** The next primitive polynomial after *polynomial, which it becomes. */
static int next_polynomial(uint32_t *polynomial)
{
    int degree;
    do {
        *polynomial += 2;
        degree = 31 - __builtin_clz(*polynomial);
    } while (!is_primitive(*polynomial, degree));
    return degree;
}

/** The direction vectors of one dimension. */
static void make_dimension(uint64_t v[64], uint64_t packed, uint32_t polynomial, int degree)
{
    for (int i = 0; i < 64; i++) {
        if (i < degree) {
            v[i] = ((packed & ((UINT64_C(1) << i) - 1)) << 1 | 1) << (63 - i);
            packed >>= i;
            continue;
        }
        v[i] = v[i - degree] ^ v[i - degree] >> degree;
        for (int k = 1; k < degree; k++)
            v[i] ^= polynomial >> (degree - k) & 1 ? v[i - k] : 0;
    }
}

static uint64_t plain[RK_SOBOL_KNOWN][64], scrambled64[RK_SOBOL_KNOWN][64];

/** Mixes lower bits into each bit of a dimension's vectors: they stay independent of each other. */
static void scramble(uint64_t to[64], const uint64_t from[64], uint32_t dimension)
{
    uint64_t column[64];
    rk_philox random;
    rk_philox_init(&random, dimension, 0, 0);
    for (int b = 0; b < 64; b++) {
        const uint64_t high = rk_philox_next(&random), low = rk_philox_next(&random);
        column[b] = UINT64_C(1) << b | ((high << 32 | low) & ((UINT64_C(1) << b) - 1));
    }
    for (int i = 0; i < 64; i++) {
        to[i] = 0;
        for (int b = 0; b < 64; b++)
            to[i] ^= from[i] >> b & 1 ? column[b] : 0;
    }
}

/** A table of all dimensions whose unknown ones cannot be read. */
static void *make_table(size_t element)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t known = (RK_SOBOL_KNOWN * element + page - 1) / page * page;
    unsigned char *place = mmap(NULL, known + RK_SOBOL_DIMENSIONS * element, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED || mprotect(place, known, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    return place + known - RK_SOBOL_KNOWN * element;
}

static struct {
    uint32_t (*vectors32)[32];
    uint64_t (*vectors64)[64];
} tables[2];
static uint32_t *constants32;
static uint64_t *constants64;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_tables(void)
{
    rk_philox random;
    rk_philox_init(&random, RK_SOBOL_DIMENSIONS, 0, 0);
    for (size_t d = 0; d < RK_SOBOL_KNOWN; d++) {
        for (int s = 0; s < 2; s++) {
            const uint64_t *from = s ? scrambled64[d] : plain[d];
            for (int i = 0; i < 64 && tables[s].vectors64; i++)
                tables[s].vectors64[d][i] = from[i];
            for (int i = 0; i < 32 && tables[s].vectors32; i++)
                tables[s].vectors32[d][i] = (uint32_t)(from[i] >> 32);
        }
        const uint64_t high = rk_philox_next(&random), low = rk_philox_next(&random);
        if (constants32)
            constants32[d] = (uint32_t)high;
        if (constants64)
            constants64[d] = high << 32 | low;
    }
}

static void make_tables(void)
{
    uint32_t polynomial = 1;
    for (int i = 0; i < 64; i++)
        plain[0][i] = UINT64_C(1) << (63 - i);
    for (size_t d = 1; d < RK_SOBOL_KNOWN; d++) {
        const int degree = next_polynomial(&polynomial);
        make_dimension(plain[d], first_numbers[d - 1], polynomial, degree);
    }
    for (uint32_t d = 0; d < RK_SOBOL_KNOWN; d++)
        scramble(scrambled64[d], plain[d], d);
    for (int s = 0; s < 2; s++) {
        tables[s].vectors32 = make_table(sizeof *tables[s].vectors32);
        tables[s].vectors64 = make_table(sizeof *tables[s].vectors64);
    }
    constants32 = make_table(sizeof *constants32);
    constants64 = make_table(sizeof *constants64);
    fill_tables();
}

uint32_t (*rk_sobol_vectors32(bool scrambled))[32]
{
    pthread_once(&once, make_tables);
    return tables[scrambled].vectors32;
}

uint64_t (*rk_sobol_vectors64(bool scrambled))[64]
{
    pthread_once(&once, make_tables);
    return tables[scrambled].vectors64;
}

uint32_t *rk_sobol_constants32(void)
{
    pthread_once(&once, make_tables);
    return constants32;
}

uint64_t *rk_sobol_constants64(void)
{
    pthread_once(&once, make_tables);
    return constants64;
}

double rk_normal_quantile(double p)
{
    if (p > 0.5)
        return -rk_normal_quantile(1 - p);
    const double t = sqrt(-2 * log(p)); /* Hastings' estimate, then Halley's method */
    double y = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 3; i++) {
        const double error = 0.5 * erfc(y * 0.70710678118654752) - p;
        const double slope = 0.39894228040143268 * exp(-y * y / 2);
        y += error / (slope - y / 2 * error);
    }
    return -y;
}
