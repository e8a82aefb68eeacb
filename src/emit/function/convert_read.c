/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the plan of a conversion into slots of words, whose bits stand together, and offsets in bytes.
 * What no function has is refused: layouts that are not linear over F2, several blocks, several
 * trips through shared memory, and registers that do not fill a word of 32 bits. */
#include "emit/function/convert.h"

#include "synth/convert/convert.h"

#include <string.h>

typedef struct reader {
    zlay_ctx *ctx;
    const zlay_convert *plan;
    zl_trip_text *out;
    unsigned halves;    /* 1: an element is two words */
    unsigned registers; /* bits of elements in the field of a slot */
} reader;

static unsigned count_of(uint64_t bits, zl_level level)
{
    uint64_t field = bits & zl_level_mask(level);
    return field ? 64 - (unsigned)__builtin_clzll(field) - zl_level_low[level] : 0;
}

static uint64_t field_of(uint64_t slot, zl_level level)
{
    return (slot & zl_level_mask(level)) >> zl_level_low[level];
}

/* A conversion's slot as a slot of words. */
static uint64_t packed(const reader *r, uint64_t slot)
{
    unsigned inner = r->halves + r->registers;
    return field_of(slot, ZL_REGISTER) << r->halves | field_of(slot, ZL_LANE) << inner |
           field_of(slot, ZL_WARP) << (inner + r->out->lanes);
}

/* The place of bit k of a slot of words in a conversion's slot; the half of an element has none. */
static uint64_t place_of(const reader *r, unsigned k)
{
    unsigned inner = r->halves + r->registers;
    if (k < inner) return zl_bit(k - r->halves);
    k -= inner;
    if (k < r->out->lanes) return zl_bit(zl_level_low[ZL_LANE] + k);
    return zl_bit(zl_level_low[ZL_WARP] + k - r->out->lanes);
}

static unsigned bits_of(const reader *r)
{
    return r->halves + r->registers + r->out->lanes + r->out->warps;
}

/* ---- maps ----------------------------------------------------------------------------------- */

static void moves_read(const reader *r, zl_affine *out, const zl_bitmap *back)
{
    for (unsigned k = 0; k < out->bits; k++) {
        if (k < r->halves) out->basis[k] = 1;
        else if (back->has & place_of(r, k))
            out->basis[k] = packed(r, back->to[__builtin_ctzll(place_of(r, k))]);
    }
}

/* Offsets are elements in the plan. */
static void offsets_read(const reader *r, zl_affine *out, const zl_bitmap *map)
{
    uint64_t bytes = r->plan->info.elem_bits / 8;
    for (unsigned k = 0; k < out->bits; k++) {
        if (k < r->halves) out->basis[k] = 4;
        else if (map->has & place_of(r, k))
            out->basis[k] = (map->to[__builtin_ctzll(place_of(r, k))] & ~ZL_BLOCKS) * bytes;
    }
}

static bool is_store(int32_t op) { return op == ZLAY_CONVERT_STORE || op == ZLAY_CONVERT_STMATRIX; }
static bool is_load(int32_t op) { return op == ZLAY_CONVERT_LOAD || op == ZLAY_CONVERT_LDMATRIX; }

static bool is_read(const zl_convert_step *from)
{
    if (from->map[0] || from->map[1] || from->info.op == ZLAY_CONVERT_DSMEM) return false;
    return from->info.op == ZLAY_CONVERT_SYNC || from->info.op == ZLAY_CONVERT_NOP ||
           (is_store(from->info.op) ? from->has_forward : from->has_back);
}

/* Bits of the words of a step: of those that it stores, else of those behind it. */
static zlay_status words_read(const reader *r, uint32_t *out, uint64_t bits)
{
    unsigned elements = count_of(bits, ZL_REGISTER), parts = r->out->parts;
    if (elements < parts)
        return zl_fail(r->ctx, ZLAY_ENOTSUP, "plan: 2^%u elements of %u bits do not fill a register",
                       elements, (unsigned)r->plan->info.elem_bits);
    *out = elements - parts + r->halves;
    return ZLAY_OK;
}

static uint64_t idle_of(const reader *r, const zlay_convert_step *info)
{
    uint64_t slot = 0;
    for (int l = 0; l < ZL_LEVELS; l++) slot |= info->idle[l] << zl_level_low[l];
    return packed(r, slot);
}

static zlay_status step_read(const reader *r, zl_trip_step *out, const zl_convert_step *from)
{
    bool store = is_store(from->info.op), sync = from->info.op == ZLAY_CONVERT_SYNC;
    if (!is_read(from))
        return zl_fail(r->ctx, ZLAY_ENOTSUP,
                       "plan: a step between blocks, or of layouts that are not linear over F2");
    *out = (zl_trip_step){.op = from->info.op, .generator = from->info.generator,
                          .width = from->info.width, .map.bits = bits_of(r)};
    out->transposed = strstr(from->info.name, ".trans") != NULL;
    out->block = !strcmp(from->info.name, "bar.sync") || !strcmp(from->info.name, "s_barrier");
    out->idle = store ? idle_of(r, &from->info) : 0;
    if (sync || out->op == ZLAY_CONVERT_NOP) return ZLAY_OK;
    if (store) offsets_read(r, &out->map, &from->forward);
    else if (is_load(from->info.op)) offsets_read(r, &out->map, &from->back);
    else moves_read(r, &out->map, &from->back);
    return words_read(r, &out->words, store ? from->before : from->after);
}

/* ---- plans ---------------------------------------------------------------------------------- */

/* The bits that slots have anywhere in the plan. */
static uint64_t slots_of(const zlay_convert *plan)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < plan->info.steps; i++) {
        const zl_convert_step *s = &plan->step[i];
        if (s->info.op == ZLAY_CONVERT_SYNC) continue;
        bits |= (s->offset_before ? 0 : s->before) | (s->offset_after ? 0 : s->after);
    }
    return bits;
}

static zlay_status plan_check(zlay_ctx *ctx, const zlay_convert *plan)
{
    zlay_target_summary info;
    zlay_target_info(&info, plan->info.target);
    if (!plan->info.steps || plan->info.steps > ZL_TRIP_STEPS || plan->info.trips > 1 ||
        (slots_of(plan) & ZL_BLOCKS))
        return zl_fail(ctx, ZLAY_ENOTSUP, "plan: no function has %s",
                       plan->info.trips > 1 ? "several trips through shared memory" :
                                              "several blocks, or no step");
    if (1u << count_of(slots_of(plan), ZL_LANE) != info.lanes)
        return zl_fail(ctx, ZLAY_ENOTSUP, "plan: it has 2^%u lanes, a warp of %s has %u",
                       count_of(slots_of(plan), ZL_LANE), zlay_target_name(plan->info.target),
                       (unsigned)info.lanes);
    return ZLAY_OK;
}

zlay_status zl_trip_text_of(zlay_ctx *ctx, zl_trip_text *out, const zlay_convert *plan)
{
    uint64_t bits = slots_of(plan);
    uint32_t elements = plan->info.elem_bits;
    zlay_status status = plan_check(ctx, plan);
    if (status) return status;
    memset(out, 0, sizeof *out);
    reader r = {ctx, plan, out, elements == 64, count_of(bits, ZL_REGISTER)};
    out->parts = elements == 8 ? 2 : elements == 16;
    out->lanes = count_of(bits, ZL_LANE);
    out->warps = count_of(bits, ZL_WARP);
    out->smem = plan->info.smem;
    status = words_read(&r, &out->words, bits);
    if (!status) status = words_read(&r, &out->from, plan->step[0].before);
    for (uint32_t i = 0; !status && i < plan->info.steps; i++)
        status = step_read(&r, &out->step[out->count++], &plan->step[i]);
    if (status) return status;
    const zl_trip_step *last = &out->step[out->count - 1];
    out->to = last->op == ZLAY_CONVERT_NOP ? out->from : last->words;
    return ZLAY_OK;
}
