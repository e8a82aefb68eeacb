/* SPDX-License-Identifier: Apache-2.0 */
/* The 128 bytes of a tensor map, field by field. */
#include "legality/tensormap/bits.h"
#include "target/target.h"

#include <string.h>
#include <zlay/tensormap_bits.h>

enum { WORDS = ZL_MAP_WORDS, NO_TYPE = -1 };
enum { TYPE_AT = 71, TYPE_BITS = 4, ROUNDS_AT = 80, LOWER_AT = 448, UPPER_AT = 464 };
enum { BYTES_AT = 512, BYTES_BITS = 18, PLAIN_AT = 580, SWIZZLED_AT = 584 };

typedef enum field {
    MODE,
    RANK,
    ADDRESS,
    INTERLEAVE,
    SWIZZLE,
    OOB,
    L2,
    STRIDE,
    EXTENT,
    STEP,
    BOX,
    CHANNELS,
    PIXELS
} field;

static const struct {
    const char *name, *means;
    const zl_named *words; /* NULL: numbers */
    bool listed;
} known[] = {
    [MODE] = {"mode", "the call that wrote the map", zl_map_modes, false},
    [RANK] = {"rank", "dimensions", NULL, false},
    [ADDRESS] = {"address", "of the tensor, bytes", NULL, false},
    [INTERLEAVE] = {"interleave", "slices", zl_map_interleaves, false},
    [SWIZZLE] = {"swizzle", "pattern of shared memory", zl_map_swizzles, false},
    [OOB] = {"oob", "fill outside the tensor; none: zeros", zl_map_fills, false},
    [L2] = {"l2", "bytes fetched to L2", zl_map_promotions, false},
    [STRIDE] = {"stride", "bytes", NULL, true},
    [EXTENT] = {"extent", "elements", NULL, true},
    [STEP] = {"step", "elements", NULL, true},
    [BOX] = {"box", "elements", NULL, true},
    [CHANNELS] = {"channels", "elements of a pixel", NULL, false},
    [PIXELS] = {"pixels", "pixels of a copy", NULL, false},
};

static const struct bits {
    field field;
    uint32_t entry;
    zl_bits_place place;
} rows[] = {
#define BITS(field, entry, less, shift, at, width) {field, entry, {less, shift, at, width}},
#include "legality/tensormap/bits.def"
#undef BITS
};

/* The hardware numbers types in its own way, and one bit more rounds f32 to tf32. */
static const struct {
    int32_t type;
    uint32_t code, rounds;
} codes[] = {
    {ZLAY_TYPE_U8, 0, 0},      {ZLAY_TYPE_U16, 1, 0},  {ZLAY_TYPE_U32, 2, 0},
    {ZLAY_TYPE_S32, 3, 0},     {ZLAY_TYPE_U64, 4, 0},  {ZLAY_TYPE_S64, 5, 0},
    {ZLAY_TYPE_F16, 6, 0},     {ZLAY_TYPE_F32, 7, 0},  {ZLAY_TYPE_F32_FTZ, 8, 0},
    {ZLAY_TYPE_F64, 9, 0},     {ZLAY_TYPE_BF16, 10, 0}, {ZLAY_TYPE_TF32, 7, 1},
    {ZLAY_TYPE_TF32_FTZ, 8, 1},
};

/* The corners of rank - 2 dimensions share 16 bits. */
static const uint32_t corner_width[ZL_DIMS + 1] = {[3] = 16, [4] = 8, [5] = 5};

const char *zlay_tensormap_bits_source(void)
{
    return "driver " ZL_DRIVER " (CUDA 13.0) on an NVIDIA H200, sm_90";
}

/* ---- bits --------------------------------------------------------------------- */

static void put(uint64_t *words, uint32_t at, uint32_t width, uint64_t value)
{
    zl_bits_put(words, &(zl_bits_place){0, 0, at, width}, value);
}

static uint64_t take(const uint64_t *words, uint32_t at, uint32_t width)
{
    return words[at / 64] >> at % 64 & zl_bits_mask(width);
}

static uint64_t taken(const uint64_t *words, const zl_bits_place *p)
{
    return (take(words, p->at, p->width) << p->shift) + p->less;
}

/* ---- fields ------------------------------------------------------------------- */

static uint64_t value_of(const zlay_tensormap *m, const struct bits *row)
{
    switch (row->field) {
    case MODE: return m->mode != 0;
    case RANK: return m->rank;
    case ADDRESS: return m->address;
    case INTERLEAVE: return (uint64_t)m->interleave;
    case SWIZZLE: return (uint64_t)m->swizzle;
    case OOB: return (uint64_t)m->oob;
    case L2: return (uint64_t)m->l2;
    case STRIDE: return m->stride[row->entry];
    case EXTENT: return m->extent[row->entry];
    case STEP: return m->step[row->entry];
    case BOX: return m->box[row->entry];
    case CHANNELS: return m->channels;
    default: return m->pixels;
    }
}

static void set_value(zlay_tensormap *m, const struct bits *row, uint64_t v)
{
    switch (row->field) {
    case MODE: m->mode = (int32_t)v; return;
    case RANK: m->rank = (uint32_t)v; return;
    case ADDRESS: m->address = v; return;
    case INTERLEAVE: m->interleave = (int32_t)v; return;
    case SWIZZLE: m->swizzle = (int32_t)v; return;
    case OOB: m->oob = (int32_t)v; return;
    case L2: m->l2 = (int32_t)v; return;
    case STRIDE: m->stride[row->entry] |= v; return;
    case EXTENT: m->extent[row->entry] = v; return;
    case STEP: m->step[row->entry] = (uint32_t)v; return;
    case BOX: m->box[row->entry] = (uint32_t)v; return;
    case CHANNELS: m->channels = (uint32_t)v; return;
    default: m->pixels = (uint32_t)v;
    }
}

static bool present(const zlay_tensormap *m, const struct bits *row)
{
    switch (row->field) {
    case STRIDE: return row->entry + 1 < m->rank;
    case EXTENT:
    case STEP: return row->entry < m->rank;
    case BOX: return !m->mode && row->entry < m->rank;
    case CHANNELS:
    case PIXELS: return m->mode != 0;
    default: return true;
    }
}

/* Dimensions that have corners, each in so many bits; 0 of them where the rank has none. */
static uint32_t corners(const zlay_tensormap *m, uint32_t *width)
{
    *width = m->mode && m->rank <= ZL_DIMS ? corner_width[m->rank] : 0;
    return *width ? m->rank - 2 : 0;
}

static int32_t sign_extended(uint64_t value, uint32_t width)
{
    uint64_t sign = (uint64_t)1 << (width - 1);
    return (int32_t)((int64_t)(value ^ sign) - (int64_t)sign);
}

/* ---- what the driver derives ----------------------------------------------------- */

static uint64_t box_bytes(const zlay_tensormap *m)
{
    uint64_t bytes = zl_map_bits(m->type) / 8;
    if (m->mode) return zl_umul_sat(bytes, zl_umul_sat(m->channels, m->pixels));
    for (uint32_t i = 0; i < zl_dims(m); i++)
        bytes = zl_umul_sat(bytes, m->step[i] ? m->box[i] / m->step[i] : 0);
    return bytes;
}

static void put_derived(uint64_t *words, const zlay_tensormap *m)
{
    uint32_t swizzle = (uint32_t)m->swizzle;
    put(words, BYTES_AT, BYTES_BITS, box_bytes(m));
    put(words, swizzle ? SWIZZLED_AT + swizzle - 1 : PLAIN_AT, 1, 1);
}

/* ---- whole maps --------------------------------------------------------------- */

void zl_bits_write(uint64_t *words, const zlay_tensormap *m)
{
    uint32_t width, dims = corners(m, &width);
    memset(words, 0, WORDS * sizeof *words);
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (present(m, &rows[i])) zl_bits_put(words, &rows[i].place, value_of(m, &rows[i]));
    for (size_t i = 0; i < ZL_COUNT(codes); i++)
        if (codes[i].type == m->type) {
            put(words, TYPE_AT, TYPE_BITS, codes[i].code);
            put(words, ROUNDS_AT, 1, codes[i].rounds);
        }
    for (uint32_t i = 0; i < dims; i++) {
        put(words, LOWER_AT + i * width, width, (uint64_t)m->lower[i]);
        put(words, UPPER_AT + i * width, width, (uint64_t)m->upper[i]);
    }
    put_derived(words, m);
}

uint32_t zl_bits_places(zl_bits_place *out, int32_t of, uint32_t entry)
{
    field f = of == ZLAY_FIELD_ADDRESS ? ADDRESS : of == ZLAY_FIELD_EXTENT ? EXTENT : STRIDE;
    uint32_t count = 0;
    for (size_t i = 0; i < ZL_COUNT(rows) && count < ZL_PLACES_MOST; i++)
        if (rows[i].field == f && rows[i].entry == entry) out[count++] = rows[i].place;
    return count;
}

static int32_t type_of(const uint64_t *words)
{
    uint64_t code = take(words, TYPE_AT, TYPE_BITS), rounds = take(words, ROUNDS_AT, 1);
    for (size_t i = 0; i < ZL_COUNT(codes); i++)
        if (codes[i].code == code && codes[i].rounds == rounds) return codes[i].type;
    return NO_TYPE;
}

/* ---- as fields ----------------------------------------------------------------- */

static zl_bit_field row_field(const zlay_tensormap *m, const struct bits *row)
{
    const zl_named *words = known[row->field].words;
    zl_bit_field f = {.name = known[row->field].name,
                      .entry = known[row->field].listed ? (int32_t)row->entry : -1,
                      .at = row->place.at,
                      .width = row->place.width,
                      .less = row->place.less,
                      .shift = row->place.shift,
                      .value = (int64_t)value_of(m, row),
                      .means = known[row->field].means};
    if (words) f.word = zl_word_of(words, (int32_t)f.value);
    f.nothing = words && !f.word;
    return f;
}

static size_t put_corners(zl_bit_field *out, const zlay_tensormap *m)
{
    uint32_t width, dims = corners(m, &width);
    for (uint32_t i = 0; i < dims; i++) {
        zl_bit_field low = {.name = "lower", .entry = (int32_t)i, .at = LOWER_AT + i * width,
                            .width = width, .value = m->lower[i],
                            .means = "corner of the bounding box"};
        out[i] = out[dims + i] = low;
        out[dims + i].name = "upper";
        out[dims + i].at = UPPER_AT + i * width;
        out[dims + i].value = m->upper[i];
    }
    return (size_t)2 * dims;
}

/* What no row has: the type, and what put_derived writes. */
static size_t put_others(zl_bit_field *out, const zlay_tensormap *m)
{
    const char *name = zlay_type_name(m->type);
    const zl_bit_field type = {.name = "type", .entry = -1, .at = TYPE_AT, .width = TYPE_BITS,
                               .value = m->type, .word = name, .means = "of an element",
                               .nothing = !name},
                       plain = {.name = "plain", .entry = -1, .at = PLAIN_AT, .width = 1,
                                .value = !m->swizzle, .means = "derived: no swizzle"};
    out[0] = out[1] = type;
    out[1].at = ROUNDS_AT;
    out[1].width = 1;
    out[1].means = "1: f32 is rounded to tf32";
    out[2] = out[3] = plain;
    out[2].name = "bytes";
    out[2].at = BYTES_AT;
    out[2].width = BYTES_BITS;
    out[2].value = (int64_t)box_bytes(m);
    out[2].means = "derived: of the box";
    out[4] = plain;
    out[4].name = "swizzled";
    out[4].at = SWIZZLED_AT;
    out[4].width = 3;
    out[4].value = m->swizzle;
    out[4].word = zl_word_of(zl_map_swizzles, m->swizzle);
    out[4].means = "derived: a bit for each swizzle";
    return 5;
}

size_t zl_map_bit_fields(zl_bit_field *out, const zlay_tensormap *m)
{
    size_t count = 0;
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (present(m, &rows[i])) out[count++] = row_field(m, &rows[i]);
    count += put_others(out + count, m);
    return count + put_corners(out + count, m);
}

zlay_status zlay_tensormap_pack(uint64_t *words, const zlay_target *target,
                                const zlay_tensormap *map)
{
    zlay_verdict verdict;
    if (!words || !target || !map) return ZLAY_EINVAL;
    if (!zl_measured(target)) return ZLAY_ENOTSUP;
    zlay_status status = zlay_tensormap_check(&verdict, NULL, 0, target, map);
    if (status || verdict.answer != ZLAY_YES) return ZLAY_EINVAL;
    zl_bits_write(words, map);
    return ZLAY_OK;
}

/* The rows of mode and rank come first: they say which others there are. */
zlay_status zlay_tensormap_unpack(zlay_tensormap *out, uint64_t *unexplained,
                                  const zlay_target *target, const uint64_t *words)
{
    uint64_t own[WORDS];
    uint32_t width, dims;
    if (!out || !unexplained || !target || !words) return ZLAY_EINVAL;
    if (!zl_measured(target)) return ZLAY_ENOTSUP;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        const struct bits *row = &rows[i];
        if (present(out, row)) set_value(out, row, taken(words, &row->place));
    }
    out->type = type_of(words);
    dims = corners(out, &width);
    for (uint32_t i = 0; i < dims; i++) {
        out->lower[i] = sign_extended(take(words, LOWER_AT + i * width, width), width);
        out->upper[i] = sign_extended(take(words, UPPER_AT + i * width, width), width);
    }
    zl_bits_write(own, out);
    for (size_t i = 0; i < WORDS; i++) unexplained[i] = words[i] ^ own[i];
    return ZLAY_OK;
}
