/* SPDX-License-Identifier: Apache-2.0 */
/* The 64 bits of a tcgen05 shared-memory descriptor (PTX ISA 9.1, Shared memory descriptor). */
#include "legality/descriptor/smemdesc.h"
#include "legality/descriptor/smemdesc_bits.h"

enum { START_AT = 0, LBO_AT = 16, SBO_AT = 32, BASE_AT = 49, MODE_AT = 52, SWIZZLE_AT = 61 };

#define FITS     (FOURTEEN << 4) /* of 14 bits of 16 bytes */
#define VERSION  (1ull << 46)    /* 0b001 in three bits that no field has */
#define USED                                                                                       \
    (FOURTEEN << START_AT | FOURTEEN << LBO_AT | FOURTEEN << SBO_AT | 7ull << BASE_AT |            \
     1ull << MODE_AT | 7ull << SWIZZLE_AT)

/* Codes by the tensor map's numbers, and back; one without a swizzle is ZLAY_SWIZZLE_CODE + it. */
static const uint8_t codes[] = {0, 6, 4, 2, 1};
static const uint16_t swizzles[] = {0, 4, 3, ZLAY_SWIZZLE_CODE + 3, 2, ZLAY_SWIZZLE_CODE + 5,
                                    1, ZLAY_SWIZZLE_CODE + 7};

static uint32_t code_of(int32_t swizzle)
{
    if (swizzle >= 0 && swizzle < (int32_t)ZL_COUNT(codes)) return codes[swizzle];
    uint32_t code = (uint32_t)swizzle - ZLAY_SWIZZLE_CODE;
    return code < 8 && swizzles[code] == (uint32_t)swizzle ? code : 8;
}

static bool pack(uint64_t *out, const zlay_smemdesc *f)
{
    uint32_t code = code_of(f->swizzle);
    bool fits = !((f->start | f->lbo | f->sbo) & ~FITS) && f->base_offset < 8 && code < 8 &&
                (uint32_t)f->lbo_mode < 2 && !(f->other & USED);
    *out = ((uint64_t)f->start >> 4 << START_AT | (uint64_t)f->lbo >> 4 << LBO_AT |
            (uint64_t)f->sbo >> 4 << SBO_AT | (uint64_t)f->base_offset << BASE_AT |
            (uint64_t)f->lbo_mode << MODE_AT | (uint64_t)code << SWIZZLE_AT | VERSION) ^ f->other;
    return fits;
}

static void unpack(zlay_smemdesc *out, uint64_t desc)
{
    *out = (zlay_smemdesc){.start = zl_desc_bytes(desc, START_AT),
                           .lbo = zl_desc_bytes(desc, LBO_AT),
                           .sbo = zl_desc_bytes(desc, SBO_AT),
                           .base_offset = (uint32_t)(desc >> BASE_AT & 7),
                           .swizzle = swizzles[desc >> SWIZZLE_AT],
                           .lbo_mode = (int32_t)(desc >> MODE_AT & 1),
                           .other = (desc ^ VERSION) & ~USED};
}

const zl_desc_format zl_desc_sm100 = {pack, unpack};
