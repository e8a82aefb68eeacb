/* SPDX-License-Identifier: Apache-2.0 */
/* The 64 bits of a wgmma shared-memory descriptor (PTX ISA 9.1, Matrix Descriptor Format). */
#include "legality/descriptor/smemdesc.h"
#include "legality/descriptor/smemdesc_bits.h"

#include <stddef.h>

enum {
#define DESC_SM90(field, at, width) AT_##field = at,
#include "legality/descriptor/smemdesc.def"
};

static const zl_desc_place places[] = {
#define DESC_SM90(field, at, width) {#field, at, width, offsetof(zlay_smemdesc, field)},
#include "legality/descriptor/smemdesc.def"
};

#define FITS (FOURTEEN << 4) /* of 14 bits of 16 bytes */

/* The bits that fields have. */
static const uint64_t used = 0
#define DESC_SM90(field, at, width) | ((1ull << (width)) - 1) << (at)
#include "legality/descriptor/smemdesc.def"
    ;

/* The field's numbers run the other way than the tensor map's: c stands for 4 - c, and 0 for 0. */
static uint64_t turned(uint64_t swizzle) { return (4 - swizzle) & 3; }

static bool pack(uint64_t *out, const zlay_smemdesc *f)
{
    bool fits = !((f->start | f->lbo | f->sbo) & ~FITS) && f->base_offset < 8 &&
                (uint32_t)f->swizzle < 4 && !f->lbo_mode && !(f->other & used);
    *out = (uint64_t)f->start >> 4 << AT_start | (uint64_t)f->lbo >> 4 << AT_lbo |
           (uint64_t)f->sbo >> 4 << AT_sbo | (uint64_t)f->base_offset << AT_base_offset |
           turned((uint64_t)f->swizzle) << AT_swizzle | f->other;
    return fits;
}

static void unpack(zlay_smemdesc *out, uint64_t desc)
{
    *out = (zlay_smemdesc){.start = zl_desc_bytes(desc, AT_start),
                           .lbo = zl_desc_bytes(desc, AT_lbo),
                           .sbo = zl_desc_bytes(desc, AT_sbo),
                           .base_offset = (uint32_t)(desc >> AT_base_offset & 7),
                           .swizzle = (int32_t)turned(desc >> AT_swizzle),
                           .other = desc & ~used};
}

const zl_desc_format zl_desc_sm90 = {pack, unpack, places, ZL_COUNT(places)};
