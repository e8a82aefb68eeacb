/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the plan of a conversion into slots of words, whose bits stand together, and offsets in bytes.
 * Bits that a slot of the plan has not, parts of a register that no element fills and threads that
 * hold nothing, are bits of slots here: they stay where they are, and have no part in an access. */
#include "emit/function/convert/convert.h"

#include "synth/convert/convert.h"

#include <string.h>

typedef struct reader {
    const zlay_convert *plan;
    zl_trip_text *out;
    unsigned halves;    /* 1: an element is two words */
    unsigned registers; /* bits of elements in the field of a slot */
    unsigned inner;     /* bits of parts and words */
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
    const zl_trip_text *t = r->out;
    return field_of(slot, ZL_REGISTER) << r->halves | field_of(slot, ZL_LANE) << r->inner |
           field_of(slot, ZL_WARP) << (r->inner + t->lanes) |
           field_of(slot, ZL_BLOCK) << (r->inner + t->lanes + t->warps);
}

/* The place of bit k of a slot of words in a conversion's slot; 0: it has none. */
static uint64_t place_of(const reader *r, unsigned k)
{
    const zl_trip_text *t = r->out;
    if (k < r->inner)
        return k >= r->halves && k - r->halves < r->registers ? zl_bit(k - r->halves) : 0;
    k -= r->inner;
    if (k < t->lanes) return zl_bit(zl_level_low[ZL_LANE] + k);
    k -= t->lanes;
    return k < t->warps ? zl_bit(zl_level_low[ZL_WARP] + k) :
                          zl_bit(zl_level_low[ZL_BLOCK] + k - t->warps);
}

static unsigned bits_of(const reader *r)
{
    return r->inner + r->out->lanes + r->out->warps + r->out->blocks;
}

/* The parts and the lanes and warps of which a plan's slots have no bit. */
static uint64_t lacking(const reader *r, uint64_t has)
{
    unsigned words = r->inner - r->out->parts, blocks = r->out->blocks;
    uint64_t bits = 0;
    for (unsigned k = 0; k < bits_of(r) - blocks; k++) {
        bool is_word = k >= r->out->parts && k < r->out->parts + words;
        if (!is_word && !(has & place_of(r, k))) bits |= zl_bit(k);
    }
    return bits;
}

/* ---- maps ----------------------------------------------------------------------------------- */

static void moves_read(const reader *r, zl_affine *out, const zl_bitmap *back)
{
    for (unsigned k = 0; k < out->bits; k++) {
        uint64_t place = place_of(r, k);
        bool stays = k < r->halves || k < r->out->parts || k >= r->inner;
        if (back->has & place) out->basis[k] = packed(r, back->to[__builtin_ctzll(place)]);
        else if (stays) out->basis[k] = zl_bit(k);
    }
}

/* Offsets are elements in the plan, of the memory of a block that is named beside them. */
static void offsets_read(const reader *r, zl_affine *out, const zl_bitmap *map, bool remote)
{
    uint64_t bytes = r->plan->info.elem_bits / 8;
    for (unsigned k = 0; k < out->bits; k++) {
        uint64_t place = place_of(r, k), to = map->has & place ? map->to[__builtin_ctzll(place)] : 0;
        out->basis[k] = k < r->halves ? 4 : (to & ~ZL_BLOCKS) * bytes;
        if (remote) out->basis[k] |= field_of(to, ZL_BLOCK) << ZL_RANK;
    }
}

static bool is_store(int32_t op) { return op == ZLAY_CONVERT_STORE || op == ZLAY_CONVERT_STMATRIX; }
static bool is_load(int32_t op)
{
    return op == ZLAY_CONVERT_LOAD || op == ZLAY_CONVERT_LDMATRIX || op == ZLAY_CONVERT_DSMEM;
}

/* Bits of the words that these bits of a plan's slots fill. */
static uint32_t words_of(const reader *r, uint64_t bits)
{
    unsigned elements = count_of(bits, ZL_REGISTER) + r->halves, parts = r->out->parts;
    return elements > parts ? elements - parts : 0;
}

static uint64_t idle_of(const reader *r, const zl_convert_step *from)
{
    uint64_t slot = 0;
    for (int l = 0; l < ZL_LEVELS; l++) slot |= from->info.idle[l] << zl_level_low[l];
    return packed(r, slot) | lacking(r, from->before);
}

static zl_trip_meeting meeting_of(const char *name)
{
    if (!strcmp(name, "barrier.cluster")) return ZL_MEETS_CLUSTER;
    return !strcmp(name, "bar.sync") || !strcmp(name, "s_barrier") ? ZL_MEETS_BLOCK : ZL_MEETS_WARP;
}

static void step_read(const reader *r, zl_trip_step *out, const zl_convert_step *from)
{
    int32_t op = out->op;
    bool store = is_store(op);
    uint64_t parts = zl_bit(r->out->parts) - 1;
    out->map.bits = bits_of(r);
    if (op == ZLAY_CONVERT_SYNC || op == ZLAY_CONVERT_NOP) return;
    out->words = words_of(r, store ? from->before : from->after);
    if (store) out->idle = idle_of(r, from);
    else if (is_load(op)) out->idle = lacking(r, from->after) & parts;
    if (store) offsets_read(r, &out->map, &from->forward, false);
    else if (is_load(op)) offsets_read(r, &out->map, &from->back, op == ZLAY_CONVERT_DSMEM);
    else moves_read(r, &out->map, &from->back);
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

static uint64_t extent_of(const zlay_convert *plan, zl_level level)
{
    return zl_umax(plan->side[ZL_SRC].extent[level], plan->side[ZL_DST].extent[level]);
}

static uint32_t words_for(const zlay_convert *plan, int side)
{
    uint64_t bits = plan->side[side].extent[ZL_REGISTER] * plan->info.elem_bits;
    return (uint32_t)zl_ceil_div(bits, 32);
}

/* Reads the extents, the limits and the kinds of steps, which every plan has. */
static zlay_status shape_read(zlay_ctx *ctx, zl_trip_text *out, const zlay_convert *plan)
{
    enum { REGISTERS_MOST = 255, THREADS_MOST = 1024 };
    zlay_target_summary info;
    zlay_target_info(&info, plan->info.target);
    uint32_t elements = plan->info.elem_bits;
    uint64_t last = plan->side[ZL_DST].extent[ZL_REGISTER] * elements % 32;
    out->lanes = zl_log2(info.lanes);
    out->parts = elements == 8 ? 2 : elements == 16;
    out->warps_all = extent_of(plan, ZL_WARP);
    out->blocks_all = extent_of(plan, ZL_BLOCK);
    out->smem = plan->info.smem;
    out->pieces = plan->info.trips > 1 ? (uint32_t)plan->info.trips : 1;
    if (extent_of(plan, ZL_REGISTER) * elements > REGISTERS_MOST * 32 ||
        out->warps_all << out->lanes > THREADS_MOST)
        return zl_fail(ctx, ZLAY_ENOTSUP, "plan: a function takes %d registers and %d threads at most",
                       REGISTERS_MOST, THREADS_MOST);
    out->from = words_for(plan, ZL_SRC);
    out->to = words_for(plan, ZL_DST);
    out->rest = last ? ((uint32_t)1 << last) - 1 : 0;
    for (uint32_t i = 0; i < plan->info.steps; i++) {
        const zl_convert_step *from = &plan->step[i];
        out->points = out->points || from->map[0] || from->map[1];
        if (is_load(from->info.op)) out->rest = 0; /* parts are loaded one by one, with zeros above */
        out->step[out->count++] = (zl_trip_step){.op = from->info.op, .generator = from->info.generator,
                                                 .width = from->info.width,
                                                 .transposed = strstr(from->info.name, ".trans") != NULL,
                                                 .meeting = meeting_of(from->info.name)};
    }
    return ZLAY_OK;
}

zlay_status zl_trip_text_of(zlay_ctx *ctx, zl_trip_text *out, const zlay_convert *plan)
{
    uint64_t bits = slots_of(plan);
    zlay_status status = shape_read(ctx, out, plan);
    if (status || out->points) return status ? status : zl_points_text_of(ctx, out, plan);
    reader r = {plan, out, plan->info.elem_bits == 64, count_of(bits, ZL_REGISTER), 0};
    out->warps = count_of(bits, ZL_WARP);
    out->blocks = count_of(bits, ZL_BLOCK);
    out->words = words_of(&r, bits);
    r.inner = out->parts + out->words;
    for (uint32_t i = 0; i < plan->info.steps; i++) step_read(&r, &out->step[i], &plan->step[i]);
    return ZLAY_OK;
}
