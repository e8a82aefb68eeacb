/* SPDX-License-Identifier: Apache-2.0 */
/* wgmma.mma_async m64nN, both operands from shared memory.
 *
 * The canonical layouts of the PTX ISA ("Strides") have one form.  In 16-byte chunks, let `along` number the chunks of the contiguous dimension and `across` the other
 * dimension; a swizzled row holds `chunks`:
 *     byte = across % 8 * 16 * chunks + across / 8 * group + along % chunks * 16
 *          + along / chunks * next
 * with group SBO and next LBO, but for MN-major without a swizzle, where they change places.
 * K-major with a swizzle never reaches `next`, which is why LBO is ignored there. */
#include "sim/sim.h"

#include <string.h>

enum { ROWS = 64, COLUMNS_MOST = 256, DEPTH_MOST = 32, CHUNK = 16, EIGHT = 8, K_BYTES = 32 };

typedef struct operand {
    uint64_t start, group, next;
    uint32_t chunks, base;
    int32_t swizzle, type;
    uint32_t bytes; /* of an element */
    bool mn_major;
} operand;

/* Bits 13-0 start, 29-16 LBO, 45-32 SBO, each in 16 bytes; 51-49 base offset; 63-62 swizzle. */
static operand operand_decode(uint64_t desc, int32_t major, int32_t type)
{
    static const int32_t swizzles[] = {ZLAY_SWIZZLE_NONE, ZLAY_SWIZZLE_128B, ZLAY_SWIZZLE_64B,
                                       ZLAY_SWIZZLE_32B};
    uint64_t lbo = (desc >> 16 & 0x3fff) * CHUNK, sbo = (desc >> 32 & 0x3fff) * CHUNK;
    operand o = {.start = (desc & 0x3fff) * CHUNK, .group = sbo, .next = lbo};
    o.swizzle = swizzles[desc >> 62];
    o.chunks = zl_sim_span(o.swizzle) / CHUNK;
    o.base = (uint32_t)(desc >> 49 & 7);
    o.mn_major = major == ZLAY_MAJOR_MN;
    o.type = type;
    o.bytes = zlay_type_bits(type) / 8;
    if (o.mn_major && !o.swizzle) {
        o.group = lbo;
        o.next = sbo;
    }
    return o;
}

/* Row 0 of the pattern stands at line `base` of memory; eight lines more keep the sum positive. */
static uint64_t chunk_address(const operand *o, uint32_t along, uint32_t across)
{
    uint64_t row = (uint64_t)CHUNK * o->chunks, lines = (uint64_t)128 * (EIGHT - o->base);
    uint64_t address = o->start + across % EIGHT * row + along % o->chunks * CHUNK +
                       across / EIGHT * o->group + along / o->chunks * o->next;
    return zl_sim_swizzle(address + lines, o->swizzle) - lines;
}

static void chunk_read(float *to, size_t stride, const operand *o, const uint8_t *bytes)
{
    for (size_t i = 0; i * o->bytes < CHUNK; i++)
        to[i * stride] = zl_sim_element(o->type, bytes + i * o->bytes);
}

/* Element (mn, k) goes to out[mn * by_mn + k * by_k] for mn in a block of eight; blocks are
 * 8 * depth apart. */
static bool operand_gather(float *out, size_t by_mn, size_t by_k, uint32_t mn,
                           const zlay_sim_smem *smem, const operand *o)
{
    uint32_t depth = K_BYTES / o->bytes, each = CHUNK / o->bytes;
    uint32_t contiguous = o->mn_major ? mn : depth, other = o->mn_major ? depth : mn;
    for (uint32_t across = 0; across < other; across++)
        for (uint32_t along = 0; along < contiguous / each; along++) {
            uint64_t address = chunk_address(o, along, across);
            if (!zl_sim_in_smem(smem, address, CHUNK)) return false;
            uint32_t r = o->mn_major ? along * each : across,
                     k = o->mn_major ? across : along * each;
            float *to = out + (size_t)(r / EIGHT) * EIGHT * depth + r % EIGHT * by_mn + k * by_k;
            chunk_read(to, o->mn_major ? by_mn : by_k, o, smem->bytes + (address - smem->origin));
        }
    return true;
}

/* Eight columns of one row stay in registers while k ascends; GCC vectorises loops of a fixed
 * length at -O2. */
static void row_multiply(float *restrict acc, const float *restrict a, const float *restrict b,
                         uint32_t depth)
{
    float sum[EIGHT];
    for (int j = 0; j < EIGHT; j++) sum[j] = acc[j];
    for (uint32_t k = 0; k < depth; k++)
        for (uint32_t j = 0; j < EIGHT; j++) sum[j] += a[k] * b[k * EIGHT + j];
    for (int j = 0; j < EIGHT; j++) acc[j] = sum[j];
}

static int32_t added(int32_t acc, float sum, bool saturate)
{
    int64_t total = (int64_t)acc + (int64_t)sum;
    if (saturate) return total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : (int32_t)total;
    return (int32_t)(uint32_t)(uint64_t)total;
}

/* Eight columns of one row into those of D. 32 products of bytes are whole numbers that a float holds. */
static void row_add(void *acc, const float *a, const float *b, const zlay_mma *mma)
{
    float zero[EIGHT] = {0}, *real = acc;
    int32_t *whole = acc;
    bool integer = mma->d == ZLAY_TYPE_S32;
    row_multiply(integer ? zero : real, a, b, mma->k);
    for (int j = 0; integer && j < EIGHT; j++) whole[j] = added(whole[j], zero[j], mma->saturate);
    for (int j = 0; mma->d == ZLAY_TYPE_F16 && j < EIGHT; j++) real[j] = zl_sim_half(real[j]);
}

static bool modelled(const zlay_mma *mma)
{
    bool bits = mma->a == ZLAY_TYPE_B1 || mma->b == ZLAY_TYPE_B1;
    return !bits && !mma->sparse && mma->a_source == ZLAY_SOURCE_SMEM && mma->n <= COLUMNS_MOST;
}

static zlay_status mma_check(const zlay_mma *mma)
{
    static const char name[] = "sm_90a";
    const zlay_target *target;
    zlay_verdict verdict;
    zlay_status status = zlay_target_find(&target, name, sizeof name - 1);
    if (!status) status = zlay_mma_check(&verdict, NULL, 0, target, mma);
    if (status || mma->instruction != ZLAY_MMA_WGMMA || verdict.answer != ZLAY_YES)
        return ZLAY_EINVAL;
    return modelled(mma) ? ZLAY_OK : ZLAY_EINVAL;
}

static void negate(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) values[i] = -values[i];
}

zlay_status zlay_sim_wgmma(int32_t *fault, void *acc, const zlay_sim_smem *smem,
                           const zlay_mma *mma, uint64_t desc_a, uint64_t desc_b, int32_t scale_d)
{
    float a[ROWS * DEPTH_MOST], b[COLUMNS_MOST * DEPTH_MOST];
    if (!fault || !acc || !zl_sim_smem_valid(smem) || !mma) return ZLAY_EINVAL;
    zlay_status status = mma_check(mma);
    if (status) return status;
    operand oa = operand_decode(desc_a, mma->a_major, mma->a);
    operand ob = operand_decode(desc_b, mma->b_major, mma->b);
    bool inside = operand_gather(a, mma->k, 1, ROWS, smem, &oa) &&
                  operand_gather(b, 1, EIGHT, mma->n, smem, &ob);
    *fault = inside ? ZLAY_FAULT_NONE : ZLAY_FAULT_ACCESS;
    if (*fault) return ZLAY_OK;
    if (mma->negate_a != mma->negate_b) negate(a, (size_t)ROWS * mma->k);
    if (!scale_d) memset(acc, 0, sizeof(float) * ROWS * mma->n);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < mma->n; c += EIGHT)
            row_add((float *)acc + (size_t)r * mma->n + c, a + r * mma->k, b + c * mma->k, mma);
    return ZLAY_OK;
}
