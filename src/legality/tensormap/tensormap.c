/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps as a subject of rules. Products saturate: a hostile map is NO, never an overflow.
 * A map is checked inside loops. So its rows of rules are code that counts what is broken, in which
 * relation, bounds, quantity and guard are constants; as data they are walked only for reasons,
 * and only those in which the code found something broken. */
#include "legality/tensormap/fetch.h"
#include "legality/tensormap/repair.h"
#include "rules/rows.h"
#include "legality/tensormap/step.h"

#include <string.h>

enum { WRAPS_BEYOND = 62, MARK_WORDS = 2 };

/* Loops over the dimensions of a map take most of the time of its check. */
#define UNROLLED _Pragma("GCC unroll 5")
#define INLINED  static inline __attribute__((always_inline))

INLINED bool columns(const zlay_tensormap *m) { return m->mode == 1 || m->mode == 2; }

INLINED uint64_t shared_bytes(const zlay_tensormap *m, uint64_t elements)
{
    return elements * zl_smem_bits(m->type) / 8;
}

/* floor(box / step) over all dimensions, times the element size. */
static uint64_t footprint(const zlay_tensormap *map)
{
    uint64_t bits = zl_map_bits(map->type);
    UNROLLED
    for (uint32_t i = 0, count = zl_dims(map); i < count; i++)
        bits = zl_umul_sat(bits, zl_steps(map->box[i], map->step[i]));
    return bits == UINT64_MAX ? bits : bits / 8;
}

static uint64_t column_bytes(const zlay_tensormap *m)
{
    uint64_t bits = zl_umul_sat(m->channels * zl_map_bits(m->type), m->pixels);
    return bits == UINT64_MAX ? bits : bits / 8;
}

/* 6-bit types: no swizzle, 128 bytes, its 32- and 64-byte atoms without the flip; 4-bit ones not
 * the last; wide maps those of 64 and 128 bytes and the 32-byte atom. */
static bool swizzle_is_one_of(const zlay_tensormap *m, uint32_t set)
{
    return m->swizzle >= 0 && m->swizzle < 32 && set >> m->swizzle & 1;
}

static uint64_t wide_swizzle(const zlay_tensormap *m)
{
    bool gaps = m->type == ZLAY_TYPE_U4_ALIGN16 || m->type == ZLAY_TYPE_U6_ALIGN16;
    return swizzle_is_one_of(m, gaps ? 0x18 : 0x1c);
}

static uint64_t packed_swizzle(const zlay_tensormap *m)
{
    return swizzle_is_one_of(m, m->type == ZLAY_TYPE_U6_ALIGN16 ? 0x59 : 0x19);
}

INLINED int64_t corner(const zlay_tensormap *m, const int32_t *corners, uint32_t i)
{
    return m->mode == 2 && i > 0 ? 0 : corners[i];
}

INLINED uint64_t area(const zlay_tensormap *m, uint32_t i)
{
    uint64_t extent = m->extent[i + (m->interleave == 0)];
    if (extent >> WRAPS_BEYOND) return INT64_MAX;
    return (uint64_t)((int64_t)extent + corner(m, m->upper, i) - corner(m, m->lower, i));
}

INLINED uint64_t area_wrapped(const zlay_tensormap *m, uint32_t i)
{
    uint64_t extent = m->extent[i + (m->interleave == 0)];
    int32_t end = (int32_t)(uint32_t)(extent + (uint64_t)corner(m, m->upper, i));
    return (uint64_t)(end - corner(m, m->lower, i));
}

/* Bytes of a row of the box that the tensor has. */
static uint64_t row_asked(const zlay_tensormap *m)
{
    uint64_t count = m->box[0] < m->extent[0] ? m->box[0] : m->extent[0];
    return count * zl_map_bits(m->type) / 8;
}

/* What L2 fetches for a row: a sector or what the promotion makes of it, up to the next row. */
static uint64_t half_fetch(const zlay_tensormap *m)
{
    uint64_t bytes = zl_l2_fetch(m->l2);
    return zl_l2_half(m->stride[0] < bytes ? m->stride[0] : bytes);
}

/* Whether some stride is less than what the dimensions before it take up, one in the other. */
static bool unnested(const zlay_tensormap *m)
{
    uint64_t bits = zl_umul_sat(m->extent[0], zl_map_bits(m->type));
    uint64_t inside = bits / 8 + (bits % 8 != 0);
    uint32_t strides = m->interleave == 0 && m->rank ? zl_dims(m) - 1 : 0;
    UNROLLED
    for (uint32_t i = 0; i < strides; i++) {
        if (m->stride[i] < inside) return true;
        inside = zl_umul_sat(m->stride[i], m->extent[i + 1]);
    }
    return false;
}

/* A stride of 0 is a broadcast, and a dimension of one element steps over nothing. */
static uint64_t stepped_over(const zlay_tensormap *m, uint32_t i)
{
    return m->stride[i] && m->extent[i + 1] > 1 ? zl_covered(m, i, m->stride[i]) : 0;
}

INLINED uint64_t number(int32_t value) { return value < 0 ? UINT64_MAX : (uint64_t)value; }

INLINED uint64_t value_of(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_tensormap *m = s->value;
    switch (q) {
    case ZL_Q_HAS_TMAP: return (s->target->features & ZL_HAS_TMA) != 0;
    case ZL_Q_HAS_WIDE: return s->target->cls != ZL_CLASS_SM90;
    case ZL_Q_HAS_WIDE_128: return s->target->cls != ZL_CLASS_SM120;
    case ZL_Q_MODE: return number(m->mode);
    case ZL_Q_TYPE: return number(m->type);
    case ZL_Q_RANK: return m->rank;
    case ZL_Q_ADDRESS: return m->address;
    case ZL_Q_EXTENT0:
    case ZL_Q_EXTENT: return m->extent[i];
    case ZL_Q_STRIDE: return m->stride[i];
    case ZL_Q_BOX0:
    case ZL_Q_BOX: return m->box[i];
    case ZL_Q_BOX0_BYTES: return shared_bytes(m, m->box[0]);
    case ZL_Q_STEP0:
    case ZL_Q_STEP: return m->step[i];
    case ZL_Q_FOOTPRINT: return footprint(m);
    case ZL_Q_INTERLEAVE: return number(m->interleave);
    case ZL_Q_SWIZZLE: return number(m->swizzle);
    case ZL_Q_PACKED_SWIZZLE: return packed_swizzle(m);
    case ZL_Q_WIDE_SWIZZLE: return wide_swizzle(m);
    case ZL_Q_L2: return number(m->l2);
    case ZL_Q_OOB: return number(m->oob);
    case ZL_Q_LOWER: return (uint64_t)(int64_t)m->lower[i];
    case ZL_Q_UPPER: return (uint64_t)(int64_t)m->upper[i];
    case ZL_Q_AREA: return area(m, i);
    case ZL_Q_AREA_WRAPPED: return area_wrapped(m, i);
    case ZL_Q_CHANNELS: return m->channels;
    case ZL_Q_CHANNEL_BYTES: return shared_bytes(m, m->channels);
    case ZL_Q_PIXELS: return m->pixels;
    case ZL_Q_COLUMN_BYTES: return column_bytes(m);
    case ZL_Q_WIDE_MODE: return number(m->wide_mode);
    case ZL_Q_ROW_ASKED: return row_asked(m);
    case ZL_Q_SLICES: return m->box[m->rank - 2];
    default: return zl_box_smem(m);
    }
}

INLINED uint32_t count_of(zl_entries entries, const zl_subject *s)
{
    const zlay_tensormap *m = s->value;
    uint32_t spatial = zl_dims(m) > 2 ? zl_dims(m) - 2 : 0;
    switch (entries) {
    case ZL_ENTRIES_FIRST: return m->rank > 0;
    case ZL_ENTRIES_EACH: return zl_dims(m);
    case ZL_ENTRIES_STRIDES: return zl_dims(m) ? zl_dims(m) - 1 : 0;
    case ZL_ENTRIES_CORNERS: return m->mode == 2 ? 1 : spatial;
    case ZL_ENTRIES_AREAS: return spatial;
    case ZL_ENTRIES_SLICE: return m->rank > 2 && m->rank <= ZL_DIMS;
    default: return 1;
    }
}

/* Which box, span and corners a map of columns or boxes answers to. */
INLINED bool span_is(const zlay_tensormap *m, int32_t least, int32_t most)
{
    return (m->interleave == 0) & (m->swizzle >= least) & (m->swizzle <= most);
}

INLINED bool corners_are(const zlay_tensormap *m, uint32_t rank)
{
    return m->mode == 1 ? m->rank == rank : m->mode == 2 && rank == 3;
}

INLINED bool guard_of(zl_rule_guard g, const zl_subject *s)
{
    const zlay_tensormap *m = s->value;
    bool tiled = !columns(m), wide = m->mode == 2;
    bool packed16 = m->type == ZLAY_TYPE_U4_ALIGN16 || m->type == ZLAY_TYPE_U6_ALIGN16;
    switch (g) {
    case ZL_G_ALWAYS: return true;
    case ZL_G_TILED: return tiled;
    case ZL_G_TILED_PLAIN: return tiled && m->interleave == 0;
    case ZL_G_TILED_INTERLEAVED: return tiled && m->interleave != 0;
    case ZL_G_TILED_PACKED16: return tiled && packed16;
    case ZL_G_TILED_PACKED8: return tiled && m->type == ZLAY_TYPE_U4_ALIGN8;
    case ZL_G_TILED_32: return tiled && span_is(m, 1, 1);
    case ZL_G_TILED_64: return tiled && span_is(m, 2, 2);
    case ZL_G_TILED_128: return tiled && span_is(m, 3, 6);
    case ZL_G_COLUMNS: return !tiled;
    case ZL_G_COLUMNS_PACKED16: return !tiled && packed16;
    case ZL_G_COLUMNS_32: return !tiled && span_is(m, 1, 1);
    case ZL_G_COLUMNS_64: return !tiled && span_is(m, 2, 2);
    case ZL_G_COLUMNS_128: return !tiled && span_is(m, 3, 6);
    case ZL_G_COLUMNS_SLICE_16: return !tiled && m->interleave == 1;
    case ZL_G_COLUMNS_SLICE_32: return !tiled && m->interleave == 2;
    case ZL_G_CORNERS_3: return corners_are(m, 3);
    case ZL_G_CORNERS_4: return corners_are(m, 4);
    case ZL_G_CORNERS_5: return corners_are(m, 5);
    case ZL_G_WIDE: return wide;
    case ZL_G_WIDE_4: return wide && m->rank == 4;
    case ZL_G_WIDE_5: return wide && m->rank == 5;
    case ZL_G_WIDE_128: return wide && m->wide_mode == 1;
    case ZL_G_PIXELS_COUNT: return !tiled && !(wide && m->wide_mode == 1);
    case ZL_G_PLAIN: return m->interleave == 0;
    case ZL_G_INTERLEAVED: return m->interleave != 0;
    case ZL_G_COARSE: return m->interleave == 2 || packed16;
    case ZL_G_PACKED16: return packed16;
    case ZL_G_PACKED8: return m->type == ZLAY_TYPE_U4_ALIGN8;
    case ZL_G_SWIZZLED: return m->swizzle != ZLAY_SWIZZLE_NONE;
    case ZL_G_FILLS_NAN: return m->oob == 1;
    case ZL_G_INTERLEAVE_32: return m->interleave == 2;
    case ZL_G_UNNESTED: return unnested(m);
    case ZL_G_ROWS_APART: return tiled && m->interleave == 0 && zl_dims(m) > 1 && m->box[1] > 1;
    case ZL_G_TYPE_U4: return m->type == ZLAY_TYPE_U4_ALIGN16;
    default: return m->type == ZLAY_TYPE_U6_ALIGN16;
    }
}

INLINED uint64_t named(int32_t name, const zl_subject *s, uint32_t i)
{
    const zlay_tensormap *m = s->value;
    switch (name) {
    case SMEM_OF_TARGET: return s->target->smem;
    case EXTENT_OF_DIMENSION: return m->extent[i];
    case BYTES_STEPPED_OVER: return stepped_over(m, i);
    default: return half_fetch(m);
    }
}

INLINED uint64_t bound_of(uint64_t b, const zl_subject *s, uint32_t i)
{
    return zl_bound_named(b) ? named(zl_bound_name(b), s, i) : b;
}

/* ---- as data ------------------------------------------------------------------------- */

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i) { return value_of(q, s, i); }
static uint32_t count(zl_entries entries, const zl_subject *s) { return count_of(entries, s); }
static bool guard(zl_rule_guard g, const zl_subject *s)
{
    return guard_of(g, s);
}
static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i) { return named(name, s, i); }

const zl_subject_form zl_tensormap_form = {
    .kind = ZL_SUBJECT_TMAP, .value = value, .count = count, .guard = guard, .bound = bound,
    .fix = zl_tensormap_fix};

/* ---- as code -------------------------------------------------------------------------- */

/* How many entries are broken, and which rows have some: bit `row % 64` of word `row / 64`. */
typedef struct tally {
    uint32_t broken, noted, by_driver;
    uint64_t marks[MARK_WORDS];
} tally;

INLINED zl_entries entries_of(zl_quantity q)
{
    switch (q) {
#define QUANTITY(name, subject, field, entries)                                                    \
    case ZL_Q_##name: return ZL_ENTRIES_##entries;
#include "rules/quantities/tensormap.def"
#undef QUANTITY
    default: return ZL_ENTRIES_NEVER;
    }
}

/* Whether a quantity is one number of the map that costs less than a guard: of a row that asks it no
 * branch depends on the guard, which maps of one loop meet by turns. */
INLINED bool is_plain(zl_quantity q)
{
    return q == ZL_Q_ADDRESS || q == ZL_Q_BOX0_BYTES || q == ZL_Q_TYPE || q == ZL_Q_INTERLEAVE || q == ZL_Q_SWIZZLE;
}

INLINED uint32_t broken_of(const zl_subject *s, bool on, zl_quantity q, int32_t relation,
                           uint64_t lo, uint64_t hi, zl_rule_guard when)
{
    uint32_t broken = 0;
    if (on && is_plain(q))
        return count_of(entries_of(q), s) & guard_of(when, s) &
               !zl_relation_holds(relation, value_of(q, s, 0), bound_of(lo, s, 0), bound_of(hi, s, 0));
    if (!on || !guard_of(when, s)) return 0;
    uint32_t entries = count_of(entries_of(q), s);
    UNROLLED
    for (uint32_t i = 0; i < entries; i++)
        broken += !zl_relation_holds(relation, value_of(q, s, i), bound_of(lo, s, i),
                                     bound_of(hi, s, i));
    return broken;
}

static void count_row(tally *t, const zl_subject *s, uint32_t row, uint32_t broken, int32_t by,
                      uint32_t noted)
{
    uint32_t cls = (uint32_t)s->target->cls;
    t->marks[row / 64] |= 1ull << row % 64;
    if (noted & cls) t->noted += broken;
    else t->broken += broken;
    if (by == ZLAY_BY_DRIVER && cls == ZL_CLASS_SM90) t->by_driver += broken;
}

/* Guards that no tiled map meets, and those that only tiled maps meet. */
#define OF_COLUMNS(guard) ((guard) >= ZL_G_COLUMNS && (guard) <= ZL_G_PIXELS_COUNT)
#define OF_TILED(guard)   ((guard) >= ZL_G_TILED && (guard) <= ZL_G_TILED_128)

#define RULES(file, version)
#define RULE(number, id, quantity, relation, lo, hi, when, by, field, targets, keeps, source,      \
             text)                                                                                 \
    _Static_assert((uint32_t)ZL_ROW_##id < 64 * MARK_WORDS, "each row has its mark");              \
    _Static_assert(MET_BY(ZL_G_##when), "a row of the other mode stands in the other file");       \
    broken = broken_of(s, ((targets) & cls) != 0, ZL_Q_##quantity, ZLAY_REL_##relation, (uint64_t)(lo),           \
                       (uint64_t)(hi), ZL_G_##when);                                               \
    if (broken) count_row(t, s, ZL_ROW_##id, broken, BY_##by);

INLINED void column_rows(tally *t, const zl_subject *s, uint32_t cls)
{
    uint32_t broken;
#define MET_BY OF_COLUMNS
#include "rules/rows/im2col.def"
#undef MET_BY
}

INLINED void tiled_rows(tally *t, const zl_subject *s, uint32_t cls)
{
    uint32_t broken;
#define MET_BY OF_TILED
#include "rules/rows/tiled.def"
#undef MET_BY
}

INLINED void rows(tally *t, const zl_subject *s, uint32_t cls)
{
    uint32_t broken;
    if (columns(s->value)) column_rows(t, s, cls);
    else tiled_rows(t, s, cls);
#define MET_BY(guard) true
#include "rules/rows/tensormap.def"
#undef MET_BY
}

#undef RULE

/* A row that is noted refuses nothing. */
INLINED bool refuses(const zl_subject *s, uint32_t targets, int32_t by, uint32_t noted,
                     zl_rule_guard g)
{
    (void)by;
    return targets & ~noted & (uint32_t)s->target->cls && guard_of(g, s);
}

#define RULE(number, id, quantity, relation, lo, hi, when, by, field, targets, keeps, source,      \
             text)                                                                                 \
    if (ZL_Q_##quantity == ZL_Q_STRIDE && refuses(s, targets, BY_##by, ZL_G_##when))               \
        zl_narrow(&range, ZLAY_REL_##relation, bound_of((uint64_t)(lo), s, i),                     \
                  bound_of((uint64_t)(hi), s, i));

zl_field_range zl_stride_range(const zl_subject *s, uint32_t i)
{
    zl_field_range range = ZL_RANGE_ALL;
#include "rules/rows/tensormap.def"
#include "rules/rows/tiled.def"
#include "rules/rows/im2col.def"
    return range;
}

#undef RULES
#undef RULE

static void verdict_of(zlay_verdict *out, const tally *t, bool measured)
{
    memset(out, 0, sizeof *out);
    out->answer = t->broken ? ZLAY_NO : ZLAY_YES;
    out->basis = measured ? ZLAY_BASIS_MEASURED : ZLAY_BASIS_DOCUMENTED;
    if (measured) out->driver = t->by_driver ? ZLAY_DRIVER_REFUSES : ZLAY_DRIVER_ACCEPTS;
    out->reasons = t->broken + t->noted;
    out->broken = t->broken;
    out->noted = t->noted;
}

zlay_status zlay_tensormap_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                 const zlay_target *target, const zlay_tensormap *map)
{
    if (!out || !target || !map || (room && !reasons) || !zl_map_unreserved(map))
        return ZLAY_EINVAL;
    zl_subject s = {&zl_tensormap_form, target, map};
    tally t = {.broken = 0};
    if (target->cls == ZL_CLASS_SM90) rows(&t, &s, ZL_CLASS_SM90);
    else rows(&t, &s, (uint32_t)target->cls);
    verdict_of(out, &t, zl_measured(target));
    if (out->reasons) zl_reasons(reasons, room, &s, t.marks, MARK_WORDS);
    return ZLAY_OK;
}
