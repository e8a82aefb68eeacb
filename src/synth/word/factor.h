/* SPDX-License-Identifier: Apache-2.0 */
/* layout.factor inside: the request as bits, and the family of layouts that hardware descriptors
 * make, from which L_desc is taken. */
#ifndef ZL_SYNTH_FACTOR_H
#define ZL_SYNTH_FACTOR_H

#include "synth/word/bits.h"
#include "synth/word/word.h"

#include <zlay/mma.h>
#include <zlay/smemdesc.h>
#include <zlay/tensormap.h>

typedef enum zl_desc_kind {
    ZL_DESC_LANDING,
    ZL_DESC_CORE,
    ZL_DESC_WARP,
    ZL_DESC_WGMMA
} zl_desc_kind;

typedef struct zl_desc_row {
    const char *name;
    zl_desc_kind kind;
    int32_t number;
    uint32_t registers, bits;
    const char *instruction;
} zl_desc_row;

enum { ZL_TILE_MODES = 8, ZL_DESC_MOST = 32 };

const zl_desc_row *zl_desc_row_at(size_t i); /* NULL past the last */

/* A fragment as bits: (value, lane, warp) -> (row, column). */
typedef struct zl_fragment {
    bool there;
    uint32_t value, thread, rows, columns; /* bits */
    zl_affine map;                         /* thread low -> row low, as the makers have it */
} zl_fragment;

typedef struct zl_factoring {
    zlay_ctx *ctx;
    const zlay_target *target;
    uint32_t elem_bits;
    uint32_t modes, mode_bits[ZL_TILE_MODES];
    zl_affine layout; /* L */
    bool threads;     /* slots are (register, lane, ..) and no shared offset */
    zl_slots slots;   /* of elements: `reg` has the parts of a register too, `byte` is 0 */
    zl_fragment fragment[ZL_DESC_MOST];
} zl_factoring;

/* The fragment of a row as bits; nothing is written where the target or the type has none. */
zlay_status zl_fragment_of(zl_factoring *f, size_t row);

/* L_desc of a row, with the mode `first` contiguous (or as rows); false: the tile has no such
 * layout. */
bool zl_desc_map(zl_affine *out, const zl_factoring *f, size_t row, uint32_t first);

/* log2 of the elements that a register holds. */
uint32_t zl_factoring_part(const zl_factoring *f);

/* The word of a residual. */
zlay_status zl_factoring_word(const zl_factoring *f, zl_word *out, const zl_affine *residual, const zl_word_aim *aim);

#endif
