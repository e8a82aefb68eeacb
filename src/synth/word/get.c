/* SPDX-License-Identifier: Apache-2.0 */
/* word.synth: reads slots and map from the request, searches for the least word, and gives access
 * to its steps, each as a layout. */
#include "synth/word/bits.h"
#include "synth/word/word.h"

#include <string.h>

_Static_assert(ZLAY_STEP_LOAD == (int)ZL_STEP_LOAD && ZLAY_STEP_MATRIX == (int)ZL_STEP_MATRIX,
               "zlay/factor.h numbers the rows of words.def");

static zlay_status slots_of(zlay_ctx *ctx, zl_slots *out, const zlay_slots *in)
{
    for (size_t i = 0; i < ZL_COUNT(in->reserved); i++)
        if (in->reserved[i]) return zl_fail(ctx, ZLAY_EINVAL, "slots: a reserved word is not 0");
    *out = (zl_slots){in->byte_bits, in->register_bits, in->lane_bits, in->warp_bits,
                      in->block_bits};
    return ZLAY_OK;
}

static zlay_status synth(zlay_ctx *ctx, zlay_word *word, const zlay_slots *in,
                         const zlay_layout *map)
{
    zl_slots slots;
    zl_affine affine, back;
    zlay_status status = slots_of(ctx, &slots, in);
    if (!status) status = zl_slots_check(ctx, &slots);
    if (!status) status = zl_bits_of(ctx, &affine, map, "the map");
    if (status) return status;
    if (affine.bits != zl_slots_bits(&slots))
        return zl_fail(ctx, ZLAY_EINVAL, "map: has %llu points, and there are 2^%u slots",
                       (unsigned long long)zlay_layout_size(map), zl_slots_bits(&slots));
    if (zl_affine_support(&affine) >> affine.bits || !zl_map_invert(&back, &affine))
        return zl_fail(ctx, ZLAY_NONE, "map: is no bijection of the 2^%u slots", affine.bits);
    return zl_word_find(ctx, &word->word, &slots, &affine, &zl_word_least);
}

zlay_status zl_word_new(zlay_ctx *ctx, zlay_word **out)
{
    zlay_word *word = zl_alloc(ctx, 1, sizeof *word);
    if (!word) return ZLAY_ENOMEM;
    word->alloc = zl_allocator(ctx);
    *out = word;
    return ZLAY_OK;
}

zlay_status zlay_word_synth(zlay_ctx *ctx, zlay_word **out, const zlay_slots *slots,
                            const zlay_layout *map)
{
    zlay_word *word;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !slots || !map) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_word_new(ctx, &word);
    if (status) return zl_leave(ctx, status);
    status = synth(ctx, word, slots, map);
    if (status) zlay_word_free(word);
    else *out = word;
    return zl_leave(ctx, status);
}

void zlay_word_free(zlay_word *word)
{
    if (!word) return;
    zlay_allocator alloc = word->alloc;
    zl_free(&alloc, word, sizeof *word);
}

zlay_status zlay_word_info(zlay_word_summary *out, const zlay_word *word)
{
    if (!out || !word) return ZLAY_EINVAL;
    const zl_word *w = &word->word;
    *out = (zlay_word_summary){
        w->count, w->rounds, w->instructions, w->lower_rounds, w->lower_instructions, w->optimal};
    return ZLAY_OK;
}

zlay_status zlay_word_slots(zlay_slots *out, const zlay_word *word)
{
    if (!out || !word) return ZLAY_EINVAL;
    const zl_slots *s = &word->word.slots;
    *out = (zlay_slots){s->byte, s->reg, s->lane, s->warp, s->block, {0, 0, 0}};
    return ZLAY_OK;
}

zlay_status zlay_word_step_nth(zlay_word_step *out, const zlay_word *word, uint32_t i)
{
    if (!out || !word) return ZLAY_EINVAL;
    if (i >= word->word.count) return ZLAY_NONE;
    const zl_word_step *step = &word->word.step[i];
    memset(out, 0, sizeof *out);
    out->generator = (int32_t)step->id;
    out->rounds = zl_step_row_of(step->id)->rounds;
    out->instructions = step->instructions;
    out->bits = step->map.bits;
    out->constant = step->map.constant;
    memcpy(out->basis, step->map.basis, step->map.bits * sizeof *out->basis);
    return ZLAY_OK;
}

const char *zlay_word_op(int32_t generator)
{
    bool known = generator >= 0 && generator < ZL_STEPS;
    return known ? zl_step_row_of((zl_step_id)generator)->op : NULL;
}

const char *zlay_word_form(int32_t generator)
{
    bool known = generator >= 0 && generator < ZL_STEPS;
    return known ? zl_step_row_of((zl_step_id)generator)->form : NULL;
}
