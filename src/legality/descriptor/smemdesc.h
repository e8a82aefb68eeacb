/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of shared-memory matrix descriptors: one an architecture. */
#ifndef ZL_SMEMDESC_H
#define ZL_SMEMDESC_H

#include "rules/rule.h"
#include "base/words.h"

#include <zlay/smemdesc.h>

extern const zl_subject_form zl_smemdesc_form; /* its value: a zlay_smemdesc */
#include "legality/descriptor/smemdesc_bits.h"

/* Where the bits of a member, of 32 bits, stand. */
typedef struct zl_desc_place {
    const char *name;
    uint32_t at, width;
    size_t member;
} zl_desc_place;

/* `pack` answers false where a field does not fit. */
typedef struct zl_desc_format {
    bool (*pack)(uint64_t *out, const zlay_smemdesc *fields);
    void (*unpack)(zlay_smemdesc *out, uint64_t desc);
    const zl_desc_place *places;
    size_t count;
} zl_desc_format;

extern const zl_desc_format zl_desc_sm90, zl_desc_sm100;

/* The fields of a descriptor in the target's format, which it has; returns how many. */
size_t zl_desc_bit_fields(zl_bit_field *out, const zlay_target *target,
                          const zlay_smemdesc *fields);

/* The patterns of ZLAY_SWIZZLE_NONE to _128B and 4, 128 bytes in atoms of 32: Sw<bits, base, shift>
 * over bytes, chunks of 16 bytes in a row, and rows that a group has. */
enum { ZL_ATOM_32B = 4, ZL_DESC_PATTERNS };
typedef struct zl_desc_pattern {
    uint32_t bits, base, shift, chunks, rows;
} zl_desc_pattern;
extern const zl_desc_pattern zl_desc_patterns[ZL_DESC_PATTERNS];

/* Whether instructions read operands of a type, major-ness and swizzle through descriptors: ZLAY_OK,
 * or ZLAY_NONE with the rule of one that has it as A; ctx may be NULL. */
zlay_status zl_desc_type_check(zlay_ctx *ctx, const zlay_target *target, int32_t type,
                               int32_t major, int32_t swizzle);

#endif
