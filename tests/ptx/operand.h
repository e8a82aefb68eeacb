/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of products as their descriptors say, and products of them. Written from PTX ISA 9.1: "Matrix
 * Descriptor Format", "Strides", "Shared Memory Layout and Swizzling", and for tcgen05 "Shared memory
 * descriptor"; nothing is shared with what packs descriptors or with the models of src/sim. */
#ifndef TEST_PTX_OPERAND_H
#define TEST_PTX_OPERAND_H

#include "ptx/machine.h"
#include "ptx/number.h"

enum { PX_ROWS = 256, PX_DEPTH = 64, PX_K_BYTES = 32 };

typedef struct px_factor { /* as its descriptor has it; bytes */
    uint32_t start, leading, stride, span, lines; /* span: of a swizzled row, 16: none; lines: that the swizzle takes */
    uint32_t base;
    bool across; /* the rows are contiguous, not K */
    int type;
} px_factor;

/* Of A by rows, of B by columns of the product; whole numbers too, which a float holds. */
typedef struct px_rows_of {
    float at[PX_ROWS][PX_DEPTH];
} px_rows_of;
typedef struct px_columns {
    float at[PX_DEPTH][PX_ROWS];
} px_columns;

static inline uint32_t px_bytes_of(int type) { return zlay_type_bits(type) / 8; }

/* Bits 61 to 63 of tcgen05's descriptors, 62 and 63 of wgmma's: bytes of a swizzled row. */
static inline uint32_t px_span(uint64_t desc, bool later)
{
    static const uint32_t early_span[] = {16, 128, 64, 32}, later_span[] = {16, 0, 128, 0, 64, 0, 32, 0};
    return later ? later_span[desc >> 61] : early_span[desc >> 62];
}

/* `later`: of tcgen05, where bits 46 to 48 are 1. */
static inline bool px_factor_read(px_machine *m, px_factor *f, uint64_t desc, bool later, bool across, int type)
{
    uint64_t fixed = later ? 0x1ff1c000c000c000ull : 0x3ff1c000c000c000ull, must = later ? 1ull << 46 : 0;
    *f = (px_factor){.start = (uint32_t)(desc & 0x3fff) * 16, .leading = (uint32_t)(desc >> 16 & 0x3fff) * 16,
                     .stride = (uint32_t)(desc >> 32 & 0x3fff) * 16, .span = px_span(desc, later),
                     .base = (uint32_t)(desc >> 49 & 7), .across = across, .type = type};
    f->lines = f->span == 128 ? 8 : f->span == 64 ? 4 : f->span == 32 ? 2 : 1;
    if ((desc & fixed) != must || !f->span)
        return px_fault(m, "a descriptor 0x%016llx", (unsigned long long)desc);
    return true;
}

/* The address of element (row, k), before the swizzle. */
static inline uint32_t px_factor_at(const px_factor *f, uint32_t row, uint32_t k)
{
    uint32_t bytes = px_bytes_of(f->type), along = (f->across ? row : k) * bytes, other = f->across ? k : row;
    uint32_t eights = other / 8, rest = other % 8 * f->span;
    if (!f->across && f->span == 16) return f->start + eights * f->stride + rest + along / 16 * f->leading + along % 16;
    if (!f->across) return f->start + eights * f->stride + rest + along;
    if (f->span == 16) return f->start + eights * f->leading + rest + along / 16 * f->stride + along % 16;
    return f->start + eights * f->stride + rest + along / f->span * f->leading + along % f->span;
}

/* Bits 4 on change by those from 7 on, of the address that a pattern of `base` lines less begins at. */
static inline uint32_t px_swizzled(const px_factor *f, uint32_t at)
{
    return at ^ ((at / 128 - f->base) & (f->lines - 1)) << 4;
}

/* Of tf32 the upper 19 bits count: PTX ISA 9.1, "Alternate Floating-Point Data Formats". */
static inline float px_number(const uint8_t *from, int type)
{
    uint32_t bits = 0;
    memcpy(&bits, from, px_bytes_of(type));
    switch (type) {
    case ZLAY_TYPE_S8: return (float)(int8_t)*from;
    case ZLAY_TYPE_U8: return (float)*from;
    case ZLAY_TYPE_E4M3: return (float)px_value(&px_e4m3, bits);
    case ZLAY_TYPE_E5M2: return (float)px_value(&px_e5m2, bits);
    case ZLAY_TYPE_F16: return (float)px_value(&px_f16, bits);
    case ZLAY_TYPE_TF32: return px_float(bits & 0xffffe000);
    default: return px_float(bits << 16);
    }
}

/* Numbers of 4 bits have two bits of exponent and one of fraction, and no others: PTX ISA 9.1, "Alternate Floating-Point Data Formats". */
static inline float px_half_byte(uint32_t bits)
{
    static const float size[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    return bits & 8 ? -size[bits & 7] : size[bits & 7];
}

/* How many numbers 32 bytes of K are. */
static inline uint32_t px_depth_of(int type) { return type == ZLAY_TYPE_E2M1 ? 2 * PX_K_BYTES : PX_K_BYTES / px_bytes_of(type); }

/* The same of rows of numbers of 4 bits, the even one in the lower half of a byte. */
static inline bool px_gather_halves(px_machine *m, float *out, uint32_t by_row, uint32_t by_k, const px_factor *f, int block,
                                    uint32_t first, uint32_t rows)
{
    px_factor bytes = *f;
    bytes.type = ZLAY_TYPE_U8;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t k = 0; k < PX_K_BYTES; k++) {
            uint32_t at = px_swizzled(&bytes, px_factor_at(&bytes, first + r, k));
            if (at < PX_ORIGIN || at >= PX_ORIGIN + PX_SMEM) return px_fault(m, "a product reads outside");
            uint32_t two = m->block[block].view[at - PX_ORIGIN];
            out[r * by_row + 2 * k * by_k] = px_half_byte(two & 15);
            out[r * by_row + (2 * k + 1) * by_k] = px_half_byte(two >> 4);
        }
    return true;
}

/* So many rows become numbers, as the proxy sees them, by_row and by_k apart. 16 bytes along a line stay together in a swizzle. */
static inline bool px_gather(px_machine *m, float *out, uint32_t by_row, uint32_t by_k, const px_factor *f, int block,
                             uint32_t first, uint32_t rows)
{
    uint32_t bytes = px_bytes_of(f->type);
    if (f->type == ZLAY_TYPE_E2M1) return px_gather_halves(m, out, by_row, by_k, f, block, first, rows);
    uint32_t depth = PX_K_BYTES / bytes, each = 16 / bytes, apart = f->across ? by_row : by_k;
    assert_true(!f->across || (first % each == 0 && rows % each == 0));
    for (uint32_t r = 0; r < rows; r += f->across ? each : 1)
        for (uint32_t k = 0; k < depth; k += f->across ? 1 : each) {
            uint32_t at = px_swizzled(f, px_factor_at(f, first + r, k));
            if (at < PX_ORIGIN || at + 16 > PX_ORIGIN + PX_SMEM) return px_fault(m, "a product reads outside");
            for (uint32_t i = 0; i < each; i++)
                out[r * by_row + k * by_k + i * apart] = px_number(m->block[block].view + (at - PX_ORIGIN) + i * bytes, f->type);
        }
    return true;
}

/* Sums of a row of A with all columns, eight at a time: a loop of a fixed length GCC vectorises. */
static inline void px_row_sums(float *restrict sum, const float *restrict a, const px_columns *restrict b, uint32_t depth, uint32_t columns)
{
    for (uint32_t c = 0; c < columns; c += 8) {
        float eight[8] = {0};
        for (uint32_t k = 0; k < depth; k++)
            for (uint32_t j = 0; j < 8; j++) eight[j] += a[k] * b->at[k][c + j];
        memcpy(sum + c, eight, sizeof eight);
    }
}

/* A sum onto what there was: of floats, or of whole numbers as they are stored. */
static inline uint32_t px_added(uint32_t was, float sum, int type, bool adds)
{
    float old;
    if (type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8) return (uint32_t)(int32_t)sum + (adds ? was : 0);
    memcpy(&old, &was, 4);
    sum += adds ? old : 0;
    memcpy(&was, &sum, 4);
    return was;
}

#endif
