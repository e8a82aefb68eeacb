/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor descriptors: a subject of rules, and their bits. */
#include "base/request.h"
#include "rules/bounds.h"
#include "rules/constants.h"
#include "base/arith.h"
#include "rules/rule.h"
#include "legality/buffer/words.h"

#include <stddef.h>
#include <string.h>
#include <zlay/tdm.h>

/* ---- fields ------------------------------------------------------------------------ */

enum { DIMS = 5, STRIDES = 4, ROWS = 16, RESTS = 3, ELEMENT_CODES = 3, REPEATS_MOST = 255 };

/* What groups 2 and 3 hold, and sets of it. */
enum { IN_PLAIN = 1, IN_REPEAT = 2, IN_ROWS16 = 4, IN_ROWS32 = 8 };
enum { IN_DENSE = IN_PLAIN | IN_REPEAT, IN_ANY = IN_DENSE | IN_ROWS16 | IN_ROWS32 };

typedef struct bits {
    zl_quantity quantity;
    uint32_t index, in, at, width;
    size_t offset, size; /* in the struct */
} bits;

static const bits rows[] = {
#define TDM(quantity, field, index, in, at, width)                                                 \
    {ZL_Q_TDM_##quantity, index, IN_##in, at, width, offsetof(zlay_tdm, field),                    \
     sizeof(((zlay_tdm *)0)->field)},
#include "legality/buffer/tdm.def"
};

static bool has_tdm(const zlay_target *target)
{
    return target->cls == ZL_CLASS_GFX && target->arch == 0x1250;
}

static uint32_t use_of(const zlay_tdm *d)
{
    if (d->gather) return d->index32 ? IN_ROWS32 : IN_ROWS16;
    return d->iterate ? IN_REPEAT : IN_PLAIN;
}

static uint64_t field_of(const zlay_tdm *d, const bits *row)
{
    uint64_t wide;
    uint32_t narrow;
    const char *at = (const char *)d + row->offset;
    if (row->size == sizeof wide) return memcpy(&wide, at, sizeof wide), wide;
    return memcpy(&narrow, at, sizeof narrow), narrow;
}

static void set_field(zlay_tdm *d, const bits *row, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    char *at = (char *)d + row->offset;
    if (row->size == sizeof value) memcpy(at, &value, sizeof value);
    else memcpy(at, &narrow, sizeof narrow);
}

static const bits *row_of(zl_quantity q, uint32_t i, uint32_t in)
{
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->quantity == q && r->index == i && r->in & in) return r;
    return NULL;
}

/* The most that a field may be: 0 where the descriptor has no bits for it. */
static uint64_t room_of(const zlay_tdm *d, zl_quantity q, uint32_t i)
{
    const bits *row = row_of(q, i, use_of(d));
    return row ? (1ull << row->width) - 1 : 0;
}

/* ---- rules -------------------------------------------------------------------------- */

static uint64_t row_bytes(const zlay_tdm *d)
{
    return (uint64_t)d->tile[0] << (d->element & ELEMENT_CODES);
}

/* Bytes behind the last one of the first tile in LDS. */
static uint64_t lds_end(const zlay_tdm *d)
{
    uint64_t bytes = row_bytes(d), most = 1ull << 40;
    for (uint32_t i = 1; i < d->rank && i < DIMS; i++) bytes = zl_umul_sat(bytes, d->tile[i]);
    if (!bytes || bytes > most) return bytes ? most : d->lds;
    uint64_t skips = d->pad ? (bytes - 1) / (8ull << (d->pad_interval & 7)) : 0;
    return d->lds + bytes + skips * 4 * (d->pad_amount + 1ull);
}

static uint32_t peers(uint32_t mask)
{
    uint32_t count = 0;
    for (; mask; mask &= mask - 1) count++;
    return count;
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_tdm *d = s->value;
    switch (q) {
    case ZL_Q_TDM_TARGET: return has_tdm(s->target);
    case ZL_Q_TDM_RANK: return d->rank;
    case ZL_Q_TDM_STORE: return d->store;
    case ZL_Q_TDM_ROW_BYTES: return row_bytes(d);
    case ZL_Q_TDM_LDS_END: return lds_end(d);
    case ZL_Q_TDM_ROWS: return d->tile[1];
    case ZL_Q_TDM_PEERS: return peers(d->mask);
    case ZL_Q_TDM_GATHER_BITS: return d->gather != d->index32;
    default: return field_of(d, row_of(q, i, IN_ANY));
    }
}

static uint32_t count(zl_entries entries, const zl_subject *s)
{
    (void)s;
    switch (entries) {
    case ZL_ENTRIES_EACH: return DIMS;
    case ZL_ENTRIES_STRIDES: return STRIDES;
    case ZL_ENTRIES_OFFSETS: return ROWS;
    default: return RESTS;
    }
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    const zlay_tdm *d = s->value;
    if (!has_tdm(s->target)) return false;
    switch (g) {
    case ZL_G_TDM_GATHERS: return d->gather;
    case ZL_G_TDM_REPEATS: return use_of(d) == IN_REPEAT;
    case ZL_G_TDM_PADS: return d->pad;
    case ZL_G_TDM_STORES: return d->store;
    case ZL_G_TDM_CASTS: return d->mask;
    case ZL_G_TDM_ALONE: return !d->mask;
    default: return true;
    }
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    const zlay_tdm *d = s->value;
    switch (name) {
#define BOUND(name)
#define ROOM(name, quantity) case name: return room_of(d, ZL_Q_##quantity, i);
#include "rules/bounds/tdm.def"
    case TDM_TILE_LEAST: return i < d->rank;
    case TDM_TILE_MOST: return i < d->rank ? room_of(d, ZL_Q_TDM_TILE, i) : 0;
    case TDM_ROWS_MOST: return d->index32 ? ROWS / 2 : ROWS;
    default: return use_of(d) == IN_REPEAT ? REPEATS_MOST : 0;
    }
}

static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (rule->keeps == ZLAY_KEEPS_ALL) zl_fix_plain(r, rule, s);
    else r->fix_keeps = rule->keeps;
}

static const zl_subject_form subject_form = {
    .kind = ZL_SUBJECT_TDM, .value = value, .count = count, .guard = guard, .bound = bound,
    .fix = fix};

zlay_status zlay_tdm_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                           const zlay_target *target, const zlay_tdm *d)
{
    if (!out || !target || !d || (room && !reasons)) return ZLAY_EINVAL;
    if (!zl_is_zero(d->reserved, sizeof d->reserved)) return ZLAY_EINVAL;
    zl_subject s = {&subject_form, target, d};
    zlay_status status = zl_check(out, reasons, room, &s, false);
    if (!status && !out->broken && out->conflicts) out->answer = ZLAY_UNDECIDED;
    return status;
}

/* ---- bits --------------------------------------------------------------------------- */

static bool fits(const zlay_tdm *d)
{
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (field_of(d, r) > room_of(d, r->quantity, r->index)) return false;
    return true;
}

zlay_status zlay_tdm_pack(zlay_tdm_words *out, const zlay_target *target, const zlay_tdm *d)
{
    zlay_tdm_words words = {{0}};
    if (!out || !target || !d || !zl_is_zero(d->reserved, sizeof d->reserved)) return ZLAY_EINVAL;
    if (!has_tdm(target)) return ZLAY_ENOTSUP;
    if (!fits(d)) return ZLAY_EINVAL;
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->in & use_of(d)) zl_words_put(words.word, r->at, r->width, field_of(d, r));
    *out = words;
    return ZLAY_OK;
}

static uint32_t rank_of(const zlay_tdm *d)
{
    uint32_t rank = DIMS;
    while (rank > 1 && !d->tile[rank - 1]) rank--;
    return rank;
}

/* Rows of every use come before those of one in the table, and say which use it is. */
zlay_status zlay_tdm_unpack(zlay_tdm *out, const zlay_target *target, const zlay_tdm_words *words)
{
    zlay_tdm d = {0};
    if (!out || !target || !words) return ZLAY_EINVAL;
    if (!has_tdm(target)) return ZLAY_ENOTSUP;
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->in & use_of(&d)) set_field(&d, r, zl_words_get(words->word, r->at, r->width));
    d.rank = rank_of(&d);
    *out = d;
    return ZLAY_OK;
}
