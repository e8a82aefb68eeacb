/* SPDX-License-Identifier: Apache-2.0 */
/* The 64 bits of a tcgen05 shared-memory descriptor (PTX ISA 9.1, Shared memory descriptor). */
#include "legality/descriptor/smemdesc.h"
#include "legality/descriptor/smemdesc_bits.h"

#include <stddef.h>

enum {
#define DESC_SM100(field, at, width) AT_##field = at,
#include "legality/descriptor/smemdesc.def"
};

static const zl_desc_place places[] = {
#define DESC_SM100(field, at, width) {#field, at, width, offsetof(zlay_smemdesc, field)},
#include "legality/descriptor/smemdesc.def"
};

#define FITS     (FOURTEEN << 4) /* of 14 bits of 16 bytes */
#define VERSION  (1ull << 46)    /* 0b001 in three bits that no field has */

/* The bits that fields have. */
static const uint64_t used = 0
#define DESC_SM100(field, at, width) | ((1ull << (width)) - 1) << (at)
#include "legality/descriptor/smemdesc.def"
    ;

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
                (uint32_t)f->lbo_mode < 2 && !(f->other & used);
    *out = ((uint64_t)f->start >> 4 << AT_start | (uint64_t)f->lbo >> 4 << AT_lbo |
            (uint64_t)f->sbo >> 4 << AT_sbo | (uint64_t)f->base_offset << AT_base_offset |
            (uint64_t)f->lbo_mode << AT_lbo_mode | (uint64_t)code << AT_swizzle | VERSION) ^
           f->other;
    return fits;
}

static void unpack(zlay_smemdesc *out, uint64_t desc)
{
    *out = (zlay_smemdesc){.start = zl_desc_bytes(desc, AT_start),
                           .lbo = zl_desc_bytes(desc, AT_lbo),
                           .sbo = zl_desc_bytes(desc, AT_sbo),
                           .base_offset = (uint32_t)(desc >> AT_base_offset & 7),
                           .swizzle = swizzles[desc >> AT_swizzle],
                           .lbo_mode = (int32_t)(desc >> AT_lbo_mode & 1),
                           .other = (desc ^ VERSION) & ~used};
}

const zl_desc_format zl_desc_sm100 = {pack, unpack, places, ZL_COUNT(places)};
