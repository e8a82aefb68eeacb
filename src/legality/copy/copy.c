/* SPDX-License-Identifier: Apache-2.0 */
/* Issued copies as a subject of rules. */
#include "base/request.h"
#include "legality/copy/copy.h"
#include "base/arith.h"
#include "legality/tensormap/size.h"
#include "rules/bounds.h"

#include <string.h>

enum { AXES = ZLAY_TILE_AXES, DIMS = 5, BARRIER_BYTES = 8, FLIP_8B = 5 };

#define MASK_GIVEN  (ZLAY_GIVEN_MULTICAST | ZLAY_GIVEN_CTA_MASK)

static const zl_issue *issued(const zl_subject *s) { return s->value; }

/* ---- what a copy is ------------------------------------------------------------- */

static bool rows_of_four(const zlay_issue *c)
{
    return zl_is_in(c->mode, MODE(GATHER4) | MODE(SCATTER4));
}

uint32_t zl_coordinates(const zlay_issue *c)
{
    if (rows_of_four(c)) return DIMS;
    return c->rank < DIMS ? c->rank : DIMS;
}

static uint64_t box_bytes(const zlay_issue *c, const zlay_tensormap *map)
{
    return zl_umul_sat(zl_box_bytes(map), rows_of_four(c) ? 4 : 1);
}

bool zl_issue_bytes(uint64_t *out, const zlay_issue *c, const zlay_tensormap *map)
{
    if (zl_is_in(c->kind, ZL_KINDS_TENSOR)) {
        if (zl_is_in(c->mode, MODE(IM2COL_W) | MODE(IM2COL_W128))) return false;
        *out = box_bytes(c, map);
    } else {
        *out = zl_is_in(c->kind, ZL_KINDS_BULK) ? c->bytes : c->width;
    }
    return true;
}

static uint64_t smem_end(const zl_issue *s)
{
    const zlay_issue *c = &s->issue;
    if (!zl_is_in(c->kind, ZL_KINDS_TENSOR)) return zl_uadd_sat(c->smem, c->bytes);
    return zl_uadd_sat(c->smem, zl_umul_sat(zl_box_smem(s->map), rows_of_four(c) ? 4 : 1));
}

static uint64_t mask_blocks(uint64_t mask)
{
    uint64_t blocks = 0;
    for (; mask; mask >>= 1) blocks++;
    return blocks;
}

/* The types and swizzles that sm_120 does not bring to a cluster. */
static bool plain_sm120(const zlay_tensormap *m)
{
    return m->type < ZLAY_TYPE_U4_ALIGN8 && m->swizzle <= ZLAY_SWIZZLE_128B;
}

/* The corners of a box that is stored lie inside the tensor. */
static bool corners_inside(const zlay_tensormap *m)
{
    for (uint32_t i = 0; i < ZL_COUNT(m->lower); i++)
        if (m->lower[i] < 0 || m->upper[i] > 0) return false;
    return true;
}

/* ---- starts of tiles -------------------------------------------------------------- */

static uint64_t legal_map(const zl_subject *s)
{
    zlay_verdict v;
    zlay_status status = zlay_tensormap_check(&v, NULL, 0, s->target, issued(s)->map);
    return !status && v.answer == ZLAY_YES;
}

/* Where the first box starts in its row, then what the i-th tile axis that moves it adds. */
static int64_t start_x(const zl_issue *s, uint32_t i)
{
    int64_t x = s->issue.coordinate[0];
    for (uint32_t axis = 0; s->advance && axis < AXES && i > 0; axis++) {
        if (!s->advance[0][axis]) continue;
        x = s->advance[0][axis];
        i--;
    }
    return x;
}

static uint32_t starts_count(const zl_issue *s)
{
    uint32_t count = 1;
    for (uint32_t axis = 0; s->advance && axis < AXES; axis++)
        count += s->advance[0][axis] != 0;
    return count;
}

/* ---- quantities -------------------------------------------------------------------- */

static uint64_t of_map(zl_quantity q, const zl_issue *s)
{
    static const zlay_tensormap none;
    const zlay_tensormap *m = s->map ? s->map : &none;
    switch (q) {
    case ZL_Q_COPY_MAP_MODE: return zl_number(m->mode);
    case ZL_Q_COPY_TYPE: return zl_number(m->type);
    case ZL_Q_COPY_CORNERS: return corners_inside(m);
    case ZL_Q_COPY_BOX1: return m->box[1];
    case ZL_Q_COPY_INTERLEAVE: return zl_number(m->interleave);
    case ZL_Q_COPY_PLAIN_SM120: return plain_sm120(m);
    case ZL_Q_COPY_FLIP: return m->swizzle == FLIP_8B;
    case ZL_Q_COPY_ROW_BYTES:
        return zl_umul_sat(m->extent[0], zlay_tensormap_type_bits(m->type)) / 8;
    case ZL_Q_COPY_PITCH: return m->stride[0];
    default: return s->map ? m->address : s->issue.source;
    }
}

static uint64_t of_cluster(zl_quantity q, const zlay_issue *c)
{
    switch (q) {
    case ZL_Q_COPY_MASK: return c->cta_mask;
    case ZL_Q_COPY_MASK_BLOCKS: return mask_blocks(c->cta_mask);
    case ZL_Q_COPY_CLUSTER: return c->cluster;
    case ZL_Q_COPY_CTA: return c->cta;
    case ZL_Q_COPY_PEER: return c->peer;
    case ZL_Q_COPY_PEER_OTHER: return c->peer != c->cta;
    case ZL_Q_COPY_BARRIER: return c->barrier;
    case ZL_Q_COPY_BARRIER_END: return zl_uadd_sat(c->barrier, BARRIER_BYTES);
    case ZL_Q_COPY_EXPECT: return c->expect;
    default: return c->count;
    }
}

/* What the instruction's form is, and whether the target has it. */
static uint64_t of_form(zl_quantity q, const zl_subject *s)
{
    const zlay_issue *c = &issued(s)->issue;
    switch (q) {
    case ZL_Q_COPY_KIND: return zl_number(c->kind);
    case ZL_Q_COPY_ON_TARGET: return zl_kind_on(c->kind, s->target);
    case ZL_Q_COPY_HAS_MODE: return zl_mode_exists(c);
    case ZL_Q_COPY_MODE_ON: return zl_mode_on(c, s->target);
    case ZL_Q_COPY_LOADS: return zl_is_in(c->kind, ZL_KINDS_LOAD);
    case ZL_Q_COPY_RANK: return c->rank;
    case ZL_Q_COPY_MODE: return zl_number(c->mode);
    case ZL_Q_COPY_SPACE: return zl_number(c->space);
    case ZL_Q_COPY_GROUP: return zl_number(c->cta_group);
    case ZL_Q_COPY_OP: return zl_number(c->op);
    case ZL_Q_COPY_MASKS_BYTES:
        return c->kind == ZLAY_COPY_BULK_STORE && s->target->features & ZL_HAS_TMA &&
               s->target->cls != ZL_CLASS_SM90;
    default:
        return zl_reduces(c, zl_is_in(c->kind, ZL_KINDS_TENSOR) ? issued(s)->map->type : c->type);
    }
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zl_issue *issue = issued(s);
    const zlay_issue *c = &issue->issue;
    if (q >= ZL_Q_COPY_KIND && q <= ZL_Q_COPY_OP_TYPE) return of_form(q, s);
    if (q >= ZL_Q_COPY_MAP_MODE && q <= ZL_Q_COPY_ADDRESS) return of_map(q, issue);
    if (q >= ZL_Q_COPY_MASK && q <= ZL_Q_COUNT) return of_cluster(q, c);
    switch (q) {
    case ZL_Q_COPY_MAP: return legal_map(s);
    case ZL_Q_COPY_X: return (uint64_t)(int64_t)c->coordinate[0];
    case ZL_Q_COPY_X_BYTES:
        return (uint64_t)start_x(issue, i) * (zlay_tensormap_type_bits(issue->map->type) / 8);
    case ZL_Q_COPY_AT: return zl_number(c->coordinate[i]);
    case ZL_Q_COPY_OFFSET: return zl_number(c->offset[i]);
    case ZL_Q_COPY_HALO: return zl_number(c->offset[0]);
    case ZL_Q_COPY_W_OFFSET: return zl_number(c->offset[1]);
    case ZL_Q_COPY_BYTES:
    case ZL_Q_COPY_SIZE: return c->bytes;
    case ZL_Q_COPY_SMEM: return c->smem;
    case ZL_Q_COPY_SMEM_END: return smem_end(issue);
    case ZL_Q_COPY_SOURCE: return c->source;
    case ZL_Q_COPY_WIDTH: return c->width;
    case ZL_Q_COPY_TAKEN: return c->taken;
    case ZL_Q_COPY_BYTE_MASK: return c->byte_mask;
    default: return issue->phase;
    }
}

static uint32_t count(zl_entries entries, const zl_subject *s)
{
    const zl_issue *issue = issued(s);
    uint32_t rank = issue->issue.rank;
    switch (entries) {
    case ZL_ENTRIES_EACH: return zl_coordinates(&issue->issue);
    case ZL_ENTRIES_OFFSETS: return rank < 3 ? 0 : rank > DIMS ? DIMS - 2 : rank - 2;
    case ZL_ENTRIES_STARTS: return starts_count(issue);
    case ZL_ENTRIES_STATED: return issue->issue.bytes > 0;
    default: return 1;
    }
}

/* ---- guards ------------------------------------------------------------------------ */

typedef enum map_trait {
    ANY_MAP,
    MEASURABLE,
    PLAIN_MAP,
    F64_MAP,
    SWIZZLE_16,
    PACKED_P64,
    PACKED_GAPS,
    PACKED_DENSE,
    TO_CLUSTER,
    WIDE
} map_trait;

static bool map_is(map_trait trait, const zlay_tensormap *m)
{
    if (!m) return false;
    switch (trait) {
    case MEASURABLE: return m->mode == 0 || m->mode == 1;
    case PLAIN_MAP: return !m->interleave && zlay_tensormap_type_bits(m->type) % 8 == 0;
    case F64_MAP: return m->type == ZLAY_TYPE_F64;
    case SWIZZLE_16: return m->swizzle >= ZLAY_SWIZZLE_32B && m->swizzle <= ZLAY_SWIZZLE_128B;
    case PACKED_P64: return m->type == ZLAY_TYPE_U4_ALIGN16;
    case PACKED_GAPS: return m->type == ZLAY_TYPE_U4_ALIGN16 || m->type == ZLAY_TYPE_U6_ALIGN16;
    default: return m->type == ZLAY_TYPE_U4_ALIGN8;
    }
}

static bool holds(const zl_subject *s, uint32_t kinds, uint32_t modes, uint32_t given,
                  map_trait trait)
{
    const zlay_issue *c = &issued(s)->issue;
    if (kinds && !zl_is_in(c->kind, kinds)) return false;
    if (modes && !zl_is_in(c->mode, modes)) return false;
    if ((c->given & given) != given) return false;
    switch (trait) {
    case ANY_MAP: return true;
    case WIDE: return c->width > 0;
    case TO_CLUSTER: return s->target->cls == ZL_CLASS_SM120 && c->space == ZLAY_SPACE_CLUSTER;
    default: return map_is(trait, issued(s)->map);
    }
}

#define MODES_KNOWN                                                                                \
    (MODE(TILE) | MODE(GATHER4) | MODE(SCATTER4) | MODE(IM2COL) | MODE(IM2COL_NO_OFFS))
#define MODES_IM2COL (MODE(IM2COL) | MODE(IM2COL_W) | MODE(IM2COL_W128) | MODE(IM2COL_NO_OFFS))

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    switch (g) {
#define COPY_GUARD(name, kinds, modes, given, trait)                                               \
    case ZL_G_##name: return holds(s, kinds, modes, given, trait);
#include "rules/guards/copy.def"
    default: return false;
    }
}

/* ---- bounds ------------------------------------------------------------------------ */

/* The least power of two from `least` to `most` that is no less than a width. */
static uint64_t width_from(uint64_t least, uint64_t most, uint32_t width)
{
    while (least < most && least < width) least *= 2;
    return least;
}

static bool after_sm90(const zlay_target *t)
{
    return t->features & ZL_HAS_TMA && t->cls != ZL_CLASS_SM90;
}

static uint64_t map_mode(int32_t mode)
{
    if (zl_is_in(mode, MODE(IM2COL) | MODE(IM2COL_NO_OFFS))) return 1;
    return zl_is_in(mode, MODE(IM2COL_W) | MODE(IM2COL_W128)) ? 2 : 0;
}

/* PTX ISA 9.1, im2col mode: 16, 8 and 5 bits an offset. */
static uint64_t offset_most(uint32_t rank)
{
    return rank <= 3 ? 0xffff : rank == 4 ? 0xff : 0x1f;
}

static uint64_t values_together(const zl_subject *s)
{
    bool half = issued(s)->map->type == ZLAY_TYPE_U6_ALIGN16 &&
                issued(s)->issue.kind == ZLAY_COPY_TENSOR_STORE &&
                s->target->cls == ZL_CLASS_SM103 && s->target->suffix == 'a';
    return half ? 64 : 128;
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    const zl_issue *issue = issued(s);
    const zlay_issue *c = &issue->issue;
    (void)i;
    switch (name) {
    case COPY_LAST_KIND: return ZLAY_COPY_KINDS - 1;
    case COPY_WIDTH_BYTES: return c->width;
    case COPY_BOX_BYTES: return box_bytes(c, issue->map);
    case CP_ASYNC_BYTES:
    case ASYNC_BYTES: return width_from(4, 16, c->width);
    case LD_ST_BYTES: return width_from(1, after_sm90(s->target) ? 32 : 16, c->width);
    case COPY_MAP_RANK: return issue->map->rank;
    case COPY_MODE_WANTED: return map_mode(c->mode);
    case COPY_GROUPS: return s->target->features & ZL_HAS_TCGEN05 ? 2 : 0;
    case COPY_BLOCKS: return c->cluster;
    case COPY_LAST_BLOCK: return c->cluster ? c->cluster - 1 : 0;
    case COPY_OFFSET_MOST: return offset_most(c->rank);
    case COPY_HALO_MOST: return c->mode == ZLAY_COPY_IM2COL_W ? 511 : 31;
    case COPY_PATTERN: return (uint64_t)128 << issue->map->swizzle;
    case COPY_SIZE_BYTES: return c->bytes;
    default: return values_together(s);
    }
}

const zl_subject_form zl_copy_form = {
    .kind = ZL_SUBJECT_COPY, .value = value, .count = count, .guard = guard, .bound = bound,
    .fix = zl_fix_own};

/* ---- the check ---------------------------------------------------------------------- */

void zl_issue_of(zl_issue *out, const zlay_tensormap *map, const zlay_copy *copy, uint64_t expect,
                 uint64_t total)
{
    *out = (zl_issue){.map = map, .advance = copy->advance, .phase = expect};
    zlay_issue *c = &out->issue;
    c->kind = copy->kind;
    c->mode = copy->mode;
    c->cta_mask = copy->cta_mask;
    c->rank = map->rank;
    c->width = copy->width;
    c->bytes = copy->bytes;
    c->smem = copy->smem;
    c->count = total;
    c->given = total ? ZLAY_GIVEN_COUNT | PHASE_GIVEN : 0;
    if (copy->cta_mask) c->given |= ZLAY_GIVEN_CTA_MASK | ZLAY_GIVEN_MULTICAST;
    for (uint32_t i = 0; i < DIMS; i++) c->coordinate[i] = copy->coordinate[i];
    memcpy(c->offset, copy->offset, sizeof c->offset);
}

bool zl_issue_askable(const zlay_issue *issue, const zlay_tensormap *map)
{
    const uint32_t all = 2 * ZLAY_GIVEN_CTA_MASK - 1;
    if (!issue || issue->given & ~all) return false;
    if (!zl_is_zero(issue->reserved, sizeof issue->reserved)) return false;
    if (map && !zl_is_zero(map->reserved, sizeof map->reserved)) return false;
    return map || !zl_is_in(issue->kind, ZL_KINDS_TENSOR);
}

zl_issue zl_issue_asked(const zlay_issue *issue, const zlay_tensormap *map)
{
    zl_issue asked = {.map = map, .issue = *issue, .phase = issue->expect};
    if (issue->given & ZLAY_GIVEN_EXPECT) asked.issue.given |= PHASE_GIVEN;
    return asked;
}

zlay_status zlay_copy_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                            const zlay_target *target, const zlay_issue *issue,
                            const zlay_tensormap *map)
{
    if (!out || !target || (room && !reasons) || !zl_issue_askable(issue, map)) return ZLAY_EINVAL;
    zl_issue asked = zl_issue_asked(issue, map);
    zl_subject s = {&zl_copy_form, target, &asked};
    return zl_check(out, reasons, room, &s, false);
}

zlay_status zlay_copy_bytes(uint64_t *out, const zlay_issue *issue, const zlay_tensormap *map)
{
    uint64_t bytes;
    if (!out || !zl_issue_askable(issue, map)) return ZLAY_EINVAL;
    if (!zl_issue_bytes(&bytes, issue, map)) return ZLAY_NONE;
    *out = bytes;
    return ZLAY_OK;
}
