/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the word of a residual of layout.factor. Slots of elements become slots of 32-bit words:
 * an element is a part of a word, or two words. Where threads hold the tile, the word is that of
 * word.synth; where the tile has landed in shared memory, it is load, sync, store. */
#include "synth/word/factor.h"

enum { WORD_BITS = 32 };

uint32_t zl_factoring_part(const zl_factoring *f)
{
    return f->elem_bits < WORD_BITS ? (uint32_t)__builtin_ctz(WORD_BITS / f->elem_bits) : 0;
}

/* Makes slots of words from slots of elements: the parts of a register are taken from the lowest
 * register bits, and an element of two registers adds one register bit. */
static bool word_slots(zl_slots *out, unsigned *more, const zl_factoring *f)
{
    uint32_t part = zl_factoring_part(f);
    *more = f->elem_bits > WORD_BITS ? 1 : 0;
    *out = f->slots;
    if (out->reg < part) return false;
    out->byte = part;
    out->reg = out->reg - part + *more;
    return true;
}

static void widen(zl_affine *map, unsigned more)
{
    for (unsigned k = map->bits; k-- > 0 && more;) map->basis[k + more] = map->basis[k] << more;
    for (unsigned k = 0; k < more; k++) map->basis[k] = (uint64_t)1 << k;
    map->constant <<= more;
    map->bits += more;
}

zlay_status zl_factoring_word(const zl_factoring *f, zl_word *out, const zl_affine *residual, const zl_word_aim *aim)
{
    zl_affine map = *residual;
    zl_slots slots;
    unsigned more;
    if (!word_slots(&slots, &more, f))
        return zl_fail(f->ctx, ZLAY_ENOTSUP, "layout: a lane has less than one register");
    widen(&map, more);
    zlay_status status = zl_slots_check(f->ctx, &slots);
    if (status) return status;
    if (f->threads) return zl_word_find(f->ctx, out, &slots, &map, aim);
    zl_word_landed(out, &slots, &map);
    return ZLAY_OK;
}
