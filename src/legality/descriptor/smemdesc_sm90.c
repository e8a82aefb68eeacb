/* SPDX-License-Identifier: Apache-2.0 */
/* The 64 bits of a wgmma shared-memory descriptor (PTX ISA 9.1, Matrix Descriptor Format). */
#include "legality/descriptor/smemdesc.h"
#include "legality/descriptor/smemdesc_bits.h"

enum { START_AT = 0, LBO_AT = 16, SBO_AT = 32, BASE_AT = 49, SWIZZLE_AT = 62 };

#define FITS (FOURTEEN << 4) /* of 14 bits of 16 bytes */
#define USED                                                                                       \
    (FOURTEEN << START_AT | FOURTEEN << LBO_AT | FOURTEEN << SBO_AT | 7ull << BASE_AT |            \
     3ull << SWIZZLE_AT)

/* The field's numbers run the other way than the tensor map's: c stands for 4 - c, and 0 for 0. */
static uint64_t turned(uint64_t swizzle) { return (4 - swizzle) & 3; }

static bool pack(uint64_t *out, const zlay_smemdesc *f)
{
    bool fits = !((f->start | f->lbo | f->sbo) & ~FITS) && f->base_offset < 8 &&
                (uint32_t)f->swizzle < 4 && !f->lbo_mode && !(f->other & USED);
    *out = (uint64_t)f->start >> 4 << START_AT | (uint64_t)f->lbo >> 4 << LBO_AT |
           (uint64_t)f->sbo >> 4 << SBO_AT | (uint64_t)f->base_offset << BASE_AT |
           turned((uint64_t)f->swizzle) << SWIZZLE_AT | f->other;
    return fits;
}

static void unpack(zlay_smemdesc *out, uint64_t desc)
{
    *out = (zlay_smemdesc){.start = zl_desc_bytes(desc, START_AT),
                           .lbo = zl_desc_bytes(desc, LBO_AT),
                           .sbo = zl_desc_bytes(desc, SBO_AT),
                           .base_offset = (uint32_t)(desc >> BASE_AT & 7),
                           .swizzle = (int32_t)turned(desc >> SWIZZLE_AT),
                           .other = desc & ~USED};
}

const zl_desc_format zl_desc_sm90 = {pack, unpack};
