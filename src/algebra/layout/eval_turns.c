/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of bits: found from a layout's modes, or from bases over F2, and run on vectors of indices
 * as wide as the processor has them, which is asked at each call; see eval_turns.h. */
#include "algebra/layout/eval_turns.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define ZL_VECTORS 1
#endif

/* ---- moves of a layout ----------------------------------------------------------------------- */

/* False where there is no room. */
static bool put(zl_turns *m, uint64_t turn, uint64_t mask)
{
    size_t i = 0;
    while (i < m->count && m->turn[i] != turn) i++;
    if (i == ZL_TURNS_MOST) return false;
    if (i == m->count) m->turn[m->count] = turn, m->mask[m->count++] = 0;
    m->mask[i] ^= mask;
    return true;
}

/* Modes of 2^n points and a stride of 2^k whose bits, and those of the offset, are apart. */
static bool put_modes(zl_turns *m, const zlay_layout *a)
{
    unsigned bit = 0;
    uint64_t taken = (uint64_t)a->offset;
    for (size_t i = 0; i < a->modes; i++) {
        uint64_t shape = (uint64_t)a->mode[i].shape, stride = (uint64_t)a->mode[i].stride;
        if (shape & (shape - 1)) return false;
        if (shape == 1) continue;
        unsigned bits = (unsigned)__builtin_ctzll(shape);
        if (stride & (stride - 1)) return false;
        if (stride) {
            unsigned to = (unsigned)__builtin_ctzll(stride);
            uint64_t mask = (shape - 1) << to;
            if (mask & taken || !put(m, (to - bit) & 63, mask)) return false;
            taken |= mask;
        }
        bit += bits;
    }
    m->constant = (uint64_t)a->offset;
    return true;
}

/* The bits that the swizzle reads, moved once more. */
static bool put_swizzle(zl_turns *m, zl_swizzle s)
{
    uint64_t before[ZL_TURNS_MOST];
    size_t count = m->count;
    int distance = s.shift < 0 ? -s.shift : s.shift;
    uint64_t mask = (((uint64_t)1 << s.bits) - 1) << s.base;
    uint64_t turn = (uint64_t)(s.shift < 0 ? distance : 64 - distance);
    for (size_t i = 0; i < count; i++) before[i] = m->mask[i];
    for (size_t i = 0; i < count; i++) {
        uint64_t from = before[i];
        uint64_t to = s.shift < 0 ? (from & mask) << distance : from >> distance & mask;
        if (to && !put(m, (m->turn[i] + turn) & 63, to)) return false;
    }
    m->constant = (uint64_t)zl_swizzle_at(s, (int64_t)m->constant);
    return true;
}

static bool put_bases(zl_turns *m, const zlay_layout *a)
{
    unsigned bits = zl_dim_bits(a->f2.in, a->f2.ins);
    for (unsigned k = 0; k < bits; k++)
        for (uint64_t rest = a->f2.basis[k]; rest; rest &= rest - 1)
            if (!put(m, ((unsigned)__builtin_ctzll(rest) - k) & 63, rest & -rest)) return false;
    return true;
}

/* ---- as many indices at a time as a vector holds --------------------------------------------- */

static uint64_t value_at(const zl_turns *m, uint64_t index)
{
    uint64_t value = m->constant;
    for (size_t k = 0; k < m->count; k++) {
        unsigned turn = (unsigned)m->turn[k];
        value ^= (index << turn | index >> (-turn & 63)) & m->mask[k];
    }
    return value;
}

enum { BLOCK = 16 };

/* Loops of one length, which compilers make vectors of. */
static void run_plain(int64_t *values, const zl_turns *m, const uint64_t *index, uint64_t first,
                      size_t count)
{
    uint64_t x[BLOCK], sum[BLOCK];
    size_t at = 0;
    for (; count - at >= BLOCK; at += BLOCK) {
        for (size_t i = 0; i < BLOCK; i++) x[i] = index ? index[at + i] : first + at + i;
        for (size_t i = 0; i < BLOCK; i++) sum[i] = m->constant;
        for (size_t k = 0; k < m->count; k++) {
            unsigned turn = (unsigned)m->turn[k];
            uint64_t mask = m->mask[k];
            for (size_t i = 0; i < BLOCK; i++)
                sum[i] ^= (x[i] << turn | x[i] >> (-turn & 63)) & mask;
        }
        memcpy(values + at, sum, sizeof sum);
    }
    for (; at < count; at++)
        values[at] = (int64_t)value_at(m, index ? index[at] : first + at);
}

/* An index is inside when it and the complement of its distance to the end have no top bit. */
static bool inside_plain(const uint64_t *index, uint64_t size, size_t count)
{
    uint64_t outside = 0;
    size_t i = 0;
    for (; count - i >= BLOCK; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++) outside |= index[i + k] | ~(index[i + k] - size);
    for (; i < count; i++) outside |= index[i] | ~(index[i] - size);
    return !(outside >> 63);
}

#if ZL_VECTORS

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f")))

AVX2 static inline __m256i moved_256(const zl_turns *m, __m256i x)
{
    __m256i sum = _mm256_set1_epi64x((long long)m->constant);
    for (size_t k = 0; k < m->count; k++) {
        __m256i left = _mm256_sll_epi64(x, _mm_cvtsi64_si128((long long)m->turn[k]));
        __m256i right = _mm256_srl_epi64(x, _mm_cvtsi64_si128((long long)(64 - m->turn[k])));
        __m256i both = _mm256_or_si256(left, right);
        __m256i mask = _mm256_set1_epi64x((long long)m->mask[k]);
        sum = _mm256_xor_si256(sum, _mm256_and_si256(both, mask));
    }
    return sum;
}

AVX2 static void turn_256(int64_t *values, const zl_turns *m, const uint64_t *index, uint64_t first,
                         size_t count)
{
    size_t at = 0;
    __m256i x = _mm256_add_epi64(_mm256_set1_epi64x((long long)first),
                                 _mm256_setr_epi64x(0, 1, 2, 3));
    for (; count - at >= 4; at += 4) {
        if (index) x = _mm256_loadu_si256((const __m256i *)(const void *)(index + at));
        _mm256_storeu_si256((__m256i *)(void *)(values + at), moved_256(m, x));
        if (!index) x = _mm256_add_epi64(x, _mm256_set1_epi64x(4));
    }
    for (; at < count; at++)
        values[at] = (int64_t)value_at(m, index ? index[at] : first + at);
}

/* AVX2 has no rotations; one shift does where all bits of a turn move in one direction. */
enum { SPLIT_MOST = 2 };

typedef struct split {
    size_t left, right;
    uint64_t constant, straight, left_by[SPLIT_MOST], left_mask[SPLIT_MOST], right_by[SPLIT_MOST],
        right_mask[SPLIT_MOST];
} split;

static bool split_of(split *out, const zl_turns *m)
{
    *out = (split){.constant = m->constant};
    for (size_t k = 0; k < m->count; k++) {
        uint64_t turn = m->turn[k], mask = m->mask[k], low = ((uint64_t)1 << turn) - 1;
        if (!turn) {
            out->straight = mask;
        } else if (!(mask & low) && out->left < SPLIT_MOST) {
            out->left_by[out->left] = turn;
            out->left_mask[out->left++] = mask;
        } else if (!(mask & ~low) && out->right < SPLIT_MOST) {
            out->right_by[out->right] = 64 - turn;
            out->right_mask[out->right++] = mask;
        } else {
            return false;
        }
    }
    return true;
}

/* Masks stay in registers, as `left` and `right` are constants. */
AVX2 static inline __attribute__((always_inline)) __m256i
moved_by_256(__m256i x, const split *p, size_t left, size_t right)
{
    __m256i sum = _mm256_and_si256(x, _mm256_set1_epi64x((long long)p->straight));
#pragma GCC unroll 2
    for (size_t k = 0; k < left; k++) {
        __m256i moved = _mm256_sll_epi64(x, _mm_cvtsi64_si128((long long)p->left_by[k]));
        __m256i mask = _mm256_set1_epi64x((long long)p->left_mask[k]);
        sum = _mm256_xor_si256(sum, _mm256_and_si256(moved, mask));
    }
#pragma GCC unroll 2
    for (size_t k = 0; k < right; k++) {
        __m256i moved = _mm256_srl_epi64(x, _mm_cvtsi64_si128((long long)p->right_by[k]));
        __m256i mask = _mm256_set1_epi64x((long long)p->right_mask[k]);
        sum = _mm256_xor_si256(sum, _mm256_and_si256(moved, mask));
    }
    return _mm256_xor_si256(sum, _mm256_set1_epi64x((long long)p->constant));
}

/* Four vectors are read before one is written: a read that follows a write 4 KiB apart waits. */
AVX2 static inline __attribute__((always_inline)) void
four_by_256(int64_t *values, const uint64_t *index, const split *p, size_t left, size_t right)
{
    __m256i x[4];
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
        x[i] = _mm256_loadu_si256((const __m256i *)(const void *)(index + 4 * i));
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++, values += 4)
        _mm256_storeu_si256((__m256i *)(void *)values, moved_by_256(x[i], p, left, right));
}

/* Whole vectors; returns how many values that are. */
AVX2 static inline __attribute__((always_inline)) size_t
split_256(int64_t *values, const split *given, const uint64_t *index, uint64_t first, size_t count,
          size_t left, size_t right)
{
    const split p = *given;
    size_t at = 0;
    __m256i x = _mm256_add_epi64(_mm256_set1_epi64x((long long)first),
                                 _mm256_setr_epi64x(0, 1, 2, 3));
    for (; index && count - at >= 16; at += 16)
        four_by_256(values + at, index + at, &p, left, right);
    for (; index && count - at >= 4; at += 4) {
        x = _mm256_loadu_si256((const __m256i *)(const void *)(index + at));
        _mm256_storeu_si256((__m256i *)(void *)(values + at), moved_by_256(x, &p, left, right));
    }
    for (; count - at >= 4; at += 4) {
        _mm256_storeu_si256((__m256i *)(void *)(values + at), moved_by_256(x, &p, left, right));
        x = _mm256_add_epi64(x, _mm256_set1_epi64x(4));
    }
    return at;
}

AVX2 static size_t split_of_256(int64_t *values, const split *p, const uint64_t *index,
                                uint64_t first, size_t count)
{
#define SPLIT(l, r) case (l) * 3 + (r): return split_256(values, p, index, first, count, l, r);
    switch (p->left * 3 + p->right) {
        SPLIT(0, 0) SPLIT(0, 1) SPLIT(0, 2) SPLIT(1, 0) SPLIT(1, 1) SPLIT(1, 2)
        SPLIT(2, 0) SPLIT(2, 1) SPLIT(2, 2)
    default: return 0;
    }
#undef SPLIT
}

static void run_256(int64_t *values, const zl_turns *m, const uint64_t *index, uint64_t first,
                    size_t count)
{
    split p;
    size_t done = split_of(&p, m) ? split_of_256(values, &p, index, first, count) : 0;
    if (done < count)
        turn_256(values + done, m, index ? index + done : NULL, first + done, count - done);
}

/* Of indices below a power of two no bit from it on is set, so they are first put together. */
AVX2 static bool inside_256(const uint64_t *index, uint64_t size, size_t count)
{
    __m256i some = _mm256_setzero_si256(), more = some, outside;
    __m256i end = _mm256_set1_epi64x((long long)size - 1);
    size_t i = 0;
    for (; !(size & (size - 1)) && count - i >= 16; i += 16) {
        const __m256i *at = (const __m256i *)(const void *)(index + i);
        __m256i low = _mm256_or_si256(_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1));
        __m256i high = _mm256_or_si256(_mm256_loadu_si256(at + 2), _mm256_loadu_si256(at + 3));
        some = _mm256_or_si256(some, low);
        more = _mm256_or_si256(more, high);
    }
    some = _mm256_or_si256(some, more);
    outside = _mm256_or_si256(some, _mm256_sub_epi64(end, some));
    for (; count - i >= 4; i += 4) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(index + i));
        outside = _mm256_or_si256(outside, _mm256_or_si256(x, _mm256_sub_epi64(end, x)));
    }
    return !_mm256_movemask_pd(_mm256_castsi256_pd(outside)) &&
           inside_plain(index + i, size, count - i);
}

enum { XOR_AND = 0x6a, OR_OR = 0xfe }; /* (a & b) ^ c, a | b | c */

/* Turns and masks stay in registers where `moved` is a constant. */
AVX512 static inline __attribute__((always_inline)) __m512i
moved_512(__m512i x, __m512i sum, const __m512i *turn, const __m512i *mask, size_t moved)
{
#pragma GCC unroll 6
    for (size_t k = 0; k < moved; k++)
        sum = _mm512_ternarylogic_epi64(_mm512_rolv_epi64(x, turn[k]), mask[k], sum, XOR_AND);
    return sum;
}

AVX512 static inline __attribute__((always_inline)) void
run_512_of(int64_t *values, const zl_turns *m, const uint64_t *index, uint64_t first, size_t count,
           size_t moved)
{
    __m512i turn[ZL_TURNS_MOST], mask[ZL_TURNS_MOST];
    __m512i sum = _mm512_set1_epi64((long long)m->constant);
    __m512i x = _mm512_add_epi64(_mm512_set1_epi64((long long)first),
                                 _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    size_t at = 0;
#pragma GCC unroll 6
    for (size_t k = 0; k < moved; k++) {
        turn[k] = _mm512_set1_epi64((long long)m->turn[k]);
        mask[k] = _mm512_set1_epi64((long long)m->mask[k]);
    }
    for (; count - at >= 8; at += 8) {
        if (index) x = _mm512_loadu_si512(index + at);
        _mm512_storeu_si512(values + at, moved_512(x, sum, turn, mask, moved));
        if (!index) x = _mm512_add_epi64(x, _mm512_set1_epi64(8));
    }
    if (at == count) return;
    __mmask8 there = (__mmask8)((1u << (count - at)) - 1);
    if (index) x = _mm512_maskz_loadu_epi64(there, index + at);
    _mm512_mask_storeu_epi64(values + at, there, moved_512(x, sum, turn, mask, moved));
}

AVX512 static void run_512(int64_t *values, const zl_turns *m, const uint64_t *index,
                           uint64_t first, size_t count)
{
    switch (m->count) {
    case 1: run_512_of(values, m, index, first, count, 1); return;
    case 2: run_512_of(values, m, index, first, count, 2); return;
    case 3: run_512_of(values, m, index, first, count, 3); return;
    case 4: run_512_of(values, m, index, first, count, 4); return;
    case 5: run_512_of(values, m, index, first, count, 5); return;
    case 6: run_512_of(values, m, index, first, count, 6); return;
    default: run_512_of(values, m, index, first, count, m->count);
    }
}

AVX512 static bool inside_512(const uint64_t *index, uint64_t size, size_t count)
{
    __m512i some = _mm512_setzero_si512(), more = some, end = _mm512_set1_epi64((long long)size);
    size_t i = 0;
    for (; !(size & (size - 1)) && count - i >= 32; i += 32) {
        const uint64_t *at = index + i;
        some = _mm512_ternarylogic_epi64(some, _mm512_loadu_si512(at), _mm512_loadu_si512(at + 8),
                                         OR_OR);
        more = _mm512_ternarylogic_epi64(more, _mm512_loadu_si512(at + 16),
                                         _mm512_loadu_si512(at + 24), OR_OR);
    }
    __mmask8 outside = _mm512_cmpge_epu64_mask(_mm512_or_si512(some, more), end);
    for (; count - i >= 8; i += 8)
        outside |= _mm512_cmpge_epu64_mask(_mm512_loadu_si512(index + i), end);
    __mmask8 rest = (__mmask8)((1u << (count - i)) - 1);
    __m512i x = _mm512_maskz_loadu_epi64(rest, index + i);
    return !(outside | _mm512_mask_cmpge_epu64_mask(rest, x, end));
}

#endif

const zl_turns_way zl_turns_ways[] = {
    {run_plain, inside_plain, 4},
#if ZL_VECTORS
    {run_256, inside_256, 8},
    {run_512, inside_512, ZL_TURNS_MOST},
#endif
};

/* The compiler's library read what the processor has before main. */
size_t zl_turns_ways_here(void)
{
#if ZL_VECTORS
    if (__builtin_cpu_supports("avx512f")) return 3;
    if (__builtin_cpu_supports("avx2")) return 2;
#endif
    return 1;
}

static const zl_turns_way *way(void) { return &zl_turns_ways[zl_turns_ways_here() - 1]; }

bool zl_turns_of(zl_turns *out, const zlay_layout *a, size_t count)
{
    size_t most = way()->most;
    out->count = 0;
    out->constant = 0;
    if (a->modes && (!put_modes(out, a) || (a->swizzle.bits && !put_swizzle(out, a->swizzle))))
        return false;
    if (!a->modes && !put_bases(out, a)) return false;
    return out->count <= most && (count > BLOCK || out->count <= BLOCK);
}

void zl_turns_many(int64_t *values, const zl_turns *m, const uint64_t *index, uint64_t first,
                   size_t count)
{
    way()->run(values, m, index, first, count);
}

bool zl_all_below(const uint64_t *index, uint64_t size, size_t count)
{
    return way()->inside(index, size, count);
}
