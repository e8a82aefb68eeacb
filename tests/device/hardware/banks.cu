/* SPDX-License-Identifier: Apache-2.0 */
/* One warp, one access, one launch a pattern: what ncu counts for it. `banks FIRST LAST COUNT [START]` runs COUNT patterns of the
 * classes FIRST to LAST. */
#include "../../support/tiles/bank_patterns.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum klass {
#define BANK_CLASS(name, instruction, bytes, lanes, operation) name,
#include "banks.def"
#undef BANK_CLASS
    CLASSES
};

template <int N> struct type_of;
template <> struct type_of<2> { using type = unsigned short; };
template <> struct type_of<4> { using type = unsigned; };
template <> struct type_of<8> { using type = unsigned long long; };
#define T_OF(c) type_of<(c)[sizeof(c) - 2] == 'h' ? 2 : (c)[sizeof(c) - 2] == 'r' ? 4 : 8>::type

#define LD1(text, c) if (on) { T_OF(c) v; asm volatile(text : c(v) : "r"(at) : "memory"); sum += v; }
#define LD2(text, c) if (on) { T_OF(c) v, w; asm volatile(text " {%0, %1}, [%2];" : c(v), c(w) : "r"(at) : "memory"); sum += v + w; }
#define LD4(text, c) if (on) { T_OF(c) v, w, x, y; asm volatile(text " {%0, %1, %2, %3}, [%4];" : c(v), c(w), c(x), c(y) : "r"(at) : "memory"); sum += v + w + x + y; }
#define LDQ(text) if (on) { unsigned long long v, w; asm volatile("{ .reg .b128 q; " text " q, [%2]; mov.b128 {%0, %1}, q; }" : "=l"(v), "=l"(w) : "r"(at) : "memory"); sum += v + w; }
#define ST1(text, c) if (on) { T_OF(c) v = (T_OF(c))lane; asm volatile(text :: "r"(at), c(v) : "memory"); }
#define ST2(text, c) if (on) { T_OF(c) v = (T_OF(c))lane; asm volatile(text " [%0], {%1, %2};" :: "r"(at), c(v), c(v) : "memory"); }
#define ST4(text, c) if (on) { T_OF(c) v = (T_OF(c))lane; asm volatile(text " [%0], {%1, %2, %3, %4};" :: "r"(at), c(v), c(v), c(v), c(v) : "memory"); }
#define STQ(text) if (on) asm volatile("{ .reg .b128 q; .reg .b64 h; mov.b64 h, %1; mov.b128 q, {h, h}; " text " [%0], q; }" :: "r"(at), "l"((unsigned long long)lane) : "memory");
#define LDM1(t) { unsigned v; asm volatile("ldmatrix.sync.aligned.m8n8.x1" t ".shared.b16 {%0}, [%1];" : "=r"(v) : "r"(at) : "memory"); sum += v; }
#define LDM2(t) { unsigned v, w; asm volatile("ldmatrix.sync.aligned.m8n8.x2" t ".shared.b16 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "r"(at) : "memory"); sum += v + w; }
#define LDM4(t) { unsigned v, w, x, y; asm volatile("ldmatrix.sync.aligned.m8n8.x4" t ".shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "r"(at) : "memory"); sum += v + w + x + y; }
#define STM1(t) asm volatile("stmatrix.sync.aligned.m8n8.x1" t ".shared.b16 [%0], {%1};" :: "r"(at), "r"(lane) : "memory");
#define STM2(t) asm volatile("stmatrix.sync.aligned.m8n8.x2" t ".shared.b16 [%0], {%1, %1};" :: "r"(at), "r"(lane) : "memory");
#define STM4(t) asm volatile("stmatrix.sync.aligned.m8n8.x4" t ".shared.b16 [%0], {%1, %1, %1, %1};" :: "r"(at), "r"(lane) : "memory");
#define CP(how, n) if (on) asm volatile("cp.async." how ".shared.global [%0], [%1], " #n "; cp.async.wait_all;" :: "r"(at), "l"(source + lane * n) : "memory");
#define RED(text, c) if (on) asm volatile(text :: "r"(at), c(lane) : "memory");
#define ATOM(text) if (on) { unsigned v; asm volatile(text : "=r"(v) : "r"(at), "r"(lane) : "memory"); sum += v; }

/* A launch costs the profiler 80 ms, so it runs five patterns: the k-th one 64^k times, by 64 blocks where k is 4. No access takes
 * 63 wavefronts, so the digits of the sum to the base 64 are those of each, above what an idle launch counts. The step is 0, which
 * the assembler does not know: it takes no access out of the loop. */
enum { DIGITS = 5, SPREAD = 64, BLOCKS = SPREAD + DIGITS - 1 };

template <int C> __global__ void __launch_bounds__(32)
run(const unsigned *patterns, int first, unsigned step,
        const char *source, unsigned long long *out);

#define BANK_CLASS(name, instruction, bytes, lanes, operation)                                     \
    template <> __global__ void __launch_bounds__(32)                                              \
    run<name>(const unsigned *patterns, int first, unsigned step, const char *source,              \
              unsigned long long *out)                                                             \
    {                                                                                              \
        extern __shared__ char memory[];                                                           \
        unsigned digit = blockIdx.x < SPREAD ? DIGITS - 1 : blockIdx.x - SPREAD;                   \
        unsigned times = 1u << 6 * (digit < DIGITS - 1 ? digit : DIGITS - 2);                      \
        unsigned lane = threadIdx.x, offset = patterns[(first + digit) * BANK_LANES + lane];       \
        bool on = offset != (unsigned)BANK_OFF;                                                    \
        unsigned at = (unsigned)__cvta_generic_to_shared(memory) + (on ? offset : 0);              \
        unsigned long long sum = 0;                                                                \
        _Pragma("unroll 1") for (unsigned n = 0; n < times; n++, at += step) { operation }         \
        out[lane] = sum;                                                                           \
    }
#include "banks.def"
#undef BANK_CLASS

__global__ void __launch_bounds__(32) idle(unsigned long long *out) { out[threadIdx.x] = 0; }

static void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}

/* The last launch of a class may want patterns past the last. */
enum { BANK_ROOM = BANK_PATTERNS + DIGITS };

typedef void kernel(const unsigned *, int, unsigned, const char *, unsigned long long *);
static const struct {
    const char *name;
    unsigned bytes, lanes;
    kernel *entry;
} classes[] = {
#define BANK_CLASS(name, instruction, bytes, lanes, operation) {instruction, bytes, lanes, run<name>},
#include "banks.def"
#undef BANK_CLASS
};

static void run_class(int c, int start, int count, unsigned *patterns, const char *source,
                      unsigned long long *out)
{
    static unsigned host[BANK_ROOM * BANK_LANES];
    int collective = c >= LDM_X1 && c <= STM_X4_TRANS;
    memset(host, 0xff, sizeof host);
    for (int i = 0; i < count; i++)
        bank_pattern(host + i * BANK_LANES, (unsigned)c, (unsigned)(start + i), classes[c].bytes,
                     classes[c].lanes, collective);
    check(cudaMemcpy(patterns, host, sizeof host, cudaMemcpyHostToDevice), "copy");
    check(cudaFuncSetAttribute((const void *)classes[c].entry,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, BANK_SPAN + 1024),
          "shared memory");
    for (int i = 0; i < count; i += DIGITS)
        classes[c].entry<<<BLOCKS, 32, BANK_SPAN + 1024>>>(patterns, i, 0, source, out);
    check(cudaGetLastError(), classes[c].name);
    check(cudaDeviceSynchronize(), classes[c].name);
}

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 0, last = argc > 2 ? atoi(argv[2]) : CLASSES - 1;
    int count = argc > 3 ? atoi(argv[3]) : BANK_PATTERNS, start = argc > 4 ? atoi(argv[4]) : 0;
    unsigned *patterns;
    char *source;
    unsigned long long *out;
    if (first < 0 || last >= CLASSES || count < 1 || count > BANK_PATTERNS) return 2;
    check(cudaMalloc(&patterns, BANK_ROOM * BANK_LANES * 4), "memory");
    check(cudaMalloc(&source, 4096), "memory");
    check(cudaMalloc(&out, 4096), "memory");
    idle<<<BLOCKS, 32>>>(out);
    check(cudaDeviceSynchronize(), "idle");
    for (int c = first; c <= last; c++) run_class(c, start, count, patterns, source, out);
    return 0;
}
