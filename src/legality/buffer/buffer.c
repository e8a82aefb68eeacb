/* SPDX-License-Identifier: Apache-2.0 */
/* Buffer resources: a subject of rules, their bits, and what an access reaches. */
#include "base/request.h"
#include "rules/bounds.h"
#include "rules/constants.h"
#include "rules/rule.h"
#include "legality/buffer/words.h"

#include <zlay/buffer.h>

/* ---- fields ------------------------------------------------------------------------ */

enum { GFX9 = 1, GFX12 = 2 };

typedef struct bits {
    uint32_t target;
    zl_quantity quantity;
    uint32_t at, width;
    const char *name, *means;
} bits;

#define QUANTITY_base          ZL_Q_BUF_BASE
#define QUANTITY_records       ZL_Q_BUF_RECORDS
#define QUANTITY_stride        ZL_Q_BUF_STRIDE
#define QUANTITY_swizzle       ZL_Q_BUF_SWIZZLE
#define QUANTITY_cache_swizzle ZL_Q_BUF_CACHE_SWIZZLE
#define QUANTITY_index_stride  ZL_Q_BUF_INDEX_STRIDE
#define QUANTITY_add_tid       ZL_Q_BUF_ADD_TID
#define QUANTITY_dst_sel       ZL_Q_BUF_DST_SEL
#define QUANTITY_num_format    ZL_Q_BUF_NUM_FORMAT
#define QUANTITY_data_format   ZL_Q_BUF_DATA_FORMAT
#define QUANTITY_user_vm       ZL_Q_BUF_USER_VM
#define QUANTITY_nv            ZL_Q_BUF_NV
#define QUANTITY_flags         ZL_Q_BUF_FLAGS
#define QUANTITY_type          ZL_Q_BUF_TYPE

static const bits rows[] = {
#define BITS(target, field, at, width, means) {target, QUANTITY_##field, at, width, #field, means},
#define WORD3(target, word)
#include "legality/buffer/buffer.def"
};

static const uint32_t raw_words[] = {
#define BITS(target, field, at, width, means)
#define WORD3(target, word) [target] = word,
#include "legality/buffer/buffer.def"
};

static uint32_t kind_of(const zlay_target *target)
{
    if (target->cls != ZL_CLASS_GFX) return 0;
    return target->arch >= 0x1000 ? GFX12 : GFX9;
}

static uint32_t *word_of(zlay_buffer *b, zl_quantity q)
{
    switch (q) {
    case ZL_Q_BUF_STRIDE: return &b->stride;
    case ZL_Q_BUF_SWIZZLE: return &b->swizzle;
    case ZL_Q_BUF_CACHE_SWIZZLE: return &b->cache_swizzle;
    case ZL_Q_BUF_INDEX_STRIDE: return &b->index_stride;
    case ZL_Q_BUF_ADD_TID: return &b->add_tid;
    case ZL_Q_BUF_DST_SEL: return &b->dst_sel;
    case ZL_Q_BUF_NUM_FORMAT: return &b->num_format;
    case ZL_Q_BUF_DATA_FORMAT: return &b->data_format;
    case ZL_Q_BUF_USER_VM: return &b->user_vm;
    case ZL_Q_BUF_NV: return &b->nv;
    case ZL_Q_BUF_FLAGS: return &b->flags;
    case ZL_Q_BUF_OTHER: return &b->other;
    default: return &b->type;
    }
}

static uint64_t field_of(const zlay_buffer *b, zl_quantity q)
{
    zlay_buffer copy = *b;
    if (q == ZL_Q_BUF_BASE) return b->base;
    return q == ZL_Q_BUF_RECORDS ? b->records : *word_of(&copy, q);
}

static void set_field(zlay_buffer *b, zl_quantity q, uint64_t value)
{
    if (q == ZL_Q_BUF_BASE) b->base = value;
    else if (q == ZL_Q_BUF_RECORDS) b->records = value;
    else *word_of(b, q) = (uint32_t)value;
}

enum { WORDS = 4, LAST = 3 };

/* The last word as its fields make it, those beyond their bits cut. */
static uint32_t last_word(uint32_t kind, const zlay_buffer *b)
{
    uint32_t word[WORDS] = {0};
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->target == kind) zl_words_put(word, r->at, r->width, field_of(b, r->quantity));
    return word[LAST] | b->other;
}

/* ---- rules -------------------------------------------------------------------------- */

/* The most that a field may be: 0 where the target has not the field. */
static uint64_t room_of(const zlay_target *target, zl_quantity q)
{
    uint32_t kind = kind_of(target);
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->target == kind && r->quantity == q) return (1ull << r->width) - 1;
    return 0;
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    (void)i;
    if (q == ZL_Q_BUF_WORD3) return last_word(kind_of(s->target), s->value);
    return q == ZL_Q_BUF_TARGET ? kind_of(s->target) != 0 : field_of(s->value, q);
}

/* Bit 62 is a bit of the stride there, or cache swizzle: sources differ. */
static bool has_stride15(const zlay_target *target)
{
    return target->cls == ZL_CLASS_GFX && (target->arch == 0x942 || target->arch == 0x950);
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    const zlay_buffer *b = s->value;
    uint32_t kind = kind_of(s->target);
    switch (g) {
    case ZL_G_BUF_STRIDE15: return has_stride15(s->target);
    case ZL_G_BUF_RAW: return kind && !b->stride;
    case ZL_G_BUF_GFX9: return kind == GFX9;
    default: return kind != 0;
    }
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    (void)i;
    switch (name) {
#define ROOM(name, quantity) case name: return room_of(s->target, ZL_Q_##quantity);
#include "rules/bounds/buffer.def"
    default: return 0;
    }
}

/* The data format of a raw buffer. */
static uint64_t raw_format(const zlay_target *target)
{
    zlay_buffer raw = {0};
    zlay_buffer_raw(&raw, target);
    return raw.data_format;
}

static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (rule->quantity == ZL_Q_BUF_WORD3) zl_give(r, rule->keeps, raw_format(s->target), 1);
    else if (rule->quantity != ZL_Q_BUF_TARGET) zl_fix_plain(r, rule, s);
}

static const zl_subject_form subject_form = {
    .kind = ZL_SUBJECT_BUFFER, .value = value, .guard = guard, .bound = bound, .fix = fix};

zlay_status zlay_buffer_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                              const zlay_target *target, const zlay_buffer *b)
{
    if (!out || !target || !b || b->reserved || (room && !reasons)) return ZLAY_EINVAL;
    zl_subject s = {&subject_form, target, b};
    return zl_check(out, reasons, room, &s, false);
}

/* ---- bits --------------------------------------------------------------------------- */

/* Bits of the last word that fields have. */
static uint32_t owned(uint32_t kind)
{
    uint32_t word[WORDS] = {0};
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->target == kind) zl_words_put(word, r->at, r->width, UINT64_MAX);
    return word[LAST];
}

static bool fits(const zlay_target *target, const zlay_buffer *b)
{
    for (int q = ZL_Q_BUF_BASE; q <= ZL_Q_BUF_TYPE; q++)
        if (field_of(b, (zl_quantity)q) > room_of(target, (zl_quantity)q)) return false;
    return !(b->other & owned(kind_of(target)));
}

zlay_status zlay_buffer_pack(zlay_buffer_words *out, const zlay_target *target,
                             const zlay_buffer *b)
{
    zlay_buffer_words words = {{0}};
    if (!out || !target || !b || b->reserved) return ZLAY_EINVAL;
    uint32_t kind = kind_of(target);
    if (!kind) return ZLAY_ENOTSUP;
    if (!fits(target, b)) return ZLAY_EINVAL;
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->target == kind) zl_words_put(words.word, r->at, r->width, field_of(b, r->quantity));
    words.word[LAST] |= b->other;
    *out = words;
    return ZLAY_OK;
}

zlay_status zlay_buffer_unpack(zlay_buffer *out, const zlay_target *target,
                               const zlay_buffer_words *words)
{
    zlay_buffer b = {0};
    if (!out || !target || !words) return ZLAY_EINVAL;
    uint32_t kind = kind_of(target);
    if (!kind) return ZLAY_ENOTSUP;
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->target == kind) set_field(&b, r->quantity, zl_words_get(words->word, r->at, r->width));
    b.other = words->word[LAST] & ~owned(kind);
    *out = b;
    return ZLAY_OK;
}

zlay_status zlay_buffer_raw(zlay_buffer *out, const zlay_target *target)
{
    if (!out || !target) return ZLAY_EINVAL;
    return zlay_buffer_unpack(out, target,
                              &(zlay_buffer_words){.word[LAST] = raw_words[kind_of(target)]});
}

size_t zl_buffer_bit_fields(zl_bit_field *out, const zlay_target *target, const zlay_buffer *b)
{
    size_t count = 0;
    for (const bits *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->target == kind_of(target))
            out[count++] = (zl_bit_field){.name = r->name,
                                          .entry = -1,
                                          .at = r->at,
                                          .width = r->width,
                                          .value = (int64_t)field_of(b, r->quantity),
                                          .means = r->means};
    return count;
}

/* ---- accesses ------------------------------------------------------------------------ */

/* What one source says of the first byte of an access; the readings of a buffer stand side by side,
 * and where they differ nothing is decided. */
typedef struct reading {
    bool outside, across; /* across: the first byte is inside, and the last is not */
} reading;

static reading read_limit(uint64_t first, uint64_t bytes, uint64_t end)
{
    return (reading){first >= end, first < end && first + bytes > end};
}

/* Bytes against bytes, as gem5 has it: what the SGPR adds is taken from the records. */
static reading by_bytes(const zlay_buffer *b, const zlay_buffer_access *a)
{
    uint64_t first = (uint64_t)a->offset + a->imm + (uint64_t)b->stride * a->index;
    return read_limit(first, a->bytes, b->records > a->soffset ? b->records - a->soffset : 0);
}

/* Bytes against bytes, the SGPR left out, as LLVM has it. */
static reading by_offset(const zlay_buffer *b, const zlay_buffer_access *a)
{
    return read_limit((uint64_t)a->offset + a->imm, a->bytes, b->records);
}

/* Indices against records, offsets against the stride. */
static reading by_index(const zlay_buffer *b, const zlay_buffer_access *a)
{
    reading r = read_limit((uint64_t)a->offset + a->imm, a->bytes, b->stride);
    r.outside |= a->index >= b->records;
    r.across &= !r.outside;
    return r;
}

#define GEM5  "gem5, arch/amdgpu/vega, op_encodings.hh, after the Vega ISA, 8.1.5"
#define LLVM  "LLVM 22, IntrinsicsAMDGPU.td: the SGPR is not in the bounds"
#define NAMES "gem5 takes the SGPR's offset from the records, LLVM leaves it out of the bounds"
#define UNITS "gem5 counts bytes of a buffer with a stride and no swizzle, others count indices"
#define HALF  "no public source says what becomes of an access that lies across the end"
#define ELEM  "no public source says how large an element of a swizzled buffer is"
#define LANES "the lane is added to the index, and data_format may be bits of the stride"
#define BIT62 "bit 62 is cache swizzle or a bit of the stride, as sources differ"
#define NEWER "no public source says what gfx1250 holds to be outside"

static void undecided(zlay_buffer_reach *out, const char *gap)
{
    *out = (zlay_buffer_reach){.answer = ZLAY_UNDECIDED, .gap = gap};
}

/* Two readings, and the gap where they differ. */
static void settle(zlay_buffer_reach *out, reading one, reading other, const char *gap,
                   uint64_t address)
{
    if (one.outside != other.outside || one.across != other.across) undecided(out, gap);
    else if (one.across) undecided(out, HALF);
    else if (one.outside) *out = (zlay_buffer_reach){.answer = ZLAY_NO, .source = GEM5 "; " LLVM};
    else *out = (zlay_buffer_reach){ZLAY_YES, 0, address, GEM5 "; " LLVM, NULL};
}

static void reach_swizzled(zlay_buffer_reach *out, const zlay_buffer *b,
                           const zlay_buffer_access *a)
{
    if (by_index(b, a).outside) *out = (zlay_buffer_reach){.answer = ZLAY_NO, .source = GEM5};
    else undecided(out, ELEM);
}

static bool is_asked(const zlay_buffer_access *a)
{
    return a && a->bytes && a->bytes <= 16 && zl_is_zero(a->reserved, sizeof a->reserved);
}

zlay_status zlay_buffer_reaches(zlay_buffer_reach *out, const zlay_target *target,
                                const zlay_buffer *b, const zlay_buffer_access *a)
{
    if (!out || !target || !b || b->reserved || !is_asked(a)) return ZLAY_EINVAL;
    uint32_t kind = kind_of(target);
    if (!kind) return ZLAY_ENOTSUP;
    if (!fits(target, b) || b->type) return ZLAY_EINVAL;
    uint64_t room = room_of(target, ZL_Q_BUF_BASE);
    uint64_t rest = (uint64_t)a->soffset + a->offset + a->imm;
    uint64_t address = (b->base + rest + (uint64_t)b->stride * a->index) & room;
    if (kind == GFX12) undecided(out, NEWER);
    else if (b->add_tid) undecided(out, LANES);
    else if (b->cache_swizzle && has_stride15(target)) undecided(out, BIT62);
    else if (b->stride && b->swizzle) reach_swizzled(out, b, a);
    else if (b->stride) settle(out, by_bytes(b, a), by_index(b, a), UNITS, address);
    else settle(out, by_bytes(b, a), by_offset(b, a), NAMES, address);
    return ZLAY_OK;
}
