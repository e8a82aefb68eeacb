/* SPDX-License-Identifier: Apache-2.0 */
/* The 32 bits of an instruction descriptor, as the rows of idesc.def have them. */
#include "legality/tcgen05/tcgen05.h"

#include <string.h>

typedef enum table { PLAIN, MXF8, MXF4 } table;

static table table_of(int32_t kind)
{
    if (zl_is_in(kind, T5_PLAIN)) return PLAIN;
    return kind == ZLAY_KIND_MXF8F6F4 ? MXF8 : MXF4;
}

/* ---- types --------------------------------------------------------------------------- */

#define NO_CODE UINT32_MAX
enum { TYPES = 64, CODES = 8, WIDTHS = 7 };

/* 1 + code of a type, 1 + type of a code; 0 where there is none. */
static const uint8_t operand_codes[][TYPES] = {
#define T5_OPERAND(kind, type, code) [ZLAY_KIND_##kind][ZLAY_TYPE_##type] = 1 + code,
#include "legality/tcgen05/tcgen05.def"
};
static const uint8_t operands[][CODES] = {
#define T5_OPERAND(kind, type, code) [ZLAY_KIND_##kind][code] = 1 + ZLAY_TYPE_##type,
#include "legality/tcgen05/tcgen05.def"
};
static const uint8_t sum_codes[][TYPES] = {
#define T5_SUM(kind, type, code) [ZLAY_KIND_##kind][ZLAY_TYPE_##type] = 1 + code,
#include "legality/tcgen05/tcgen05.def"
};
static const uint8_t sums[][CODES] = {
#define T5_SUM(kind, type, code) [ZLAY_KIND_##kind][code] = 1 + ZLAY_TYPE_##type,
#include "legality/tcgen05/tcgen05.def"
};

/* The code that a number behind ZLAY_IDESC_CODE is; NO_CODE where the kind has a type for it. */
static uint32_t raw_code(const uint8_t *types, int32_t type)
{
    bool raw = type >= ZLAY_IDESC_CODE && type < ZLAY_IDESC_CODE + CODES;
    return raw && !types[type - ZLAY_IDESC_CODE] ? (uint32_t)type - ZLAY_IDESC_CODE : NO_CODE;
}

/* A type by its code, a code by its type; NO_CODE where the kind has none. */
static inline uint32_t code_of(const uint8_t *codes, const uint8_t *types, int32_t type)
{
    uint32_t after = (uint32_t)type < TYPES ? codes[type] : 0;
    return __builtin_expect(after != 0, 1) ? after - 1 : raw_code(types, type);
}

static inline uint32_t operand_code(int32_t kind, int32_t type)
{
    return code_of(operand_codes[kind], operands[kind], type);
}

static inline uint32_t sum_code(int32_t kind, int32_t type)
{
    return code_of(sum_codes[kind], sums[kind], type);
}

static inline int32_t operand_type(int32_t kind, uint32_t code)
{
    uint8_t type = operands[kind][code];
    return type ? type - 1 : ZLAY_IDESC_CODE + (int32_t)code;
}

static inline int32_t sum_type(int32_t kind, uint32_t code)
{
    uint8_t type = sums[kind][code];
    return type ? type - 1 : ZLAY_IDESC_CODE + (int32_t)code;
}

bool zl_t5_operand(int32_t kind, int32_t type)
{
    return zl_is_in(kind, T5_EVERY) && type >= 0 && type < TYPES && operand_codes[kind][type];
}

bool zl_t5_sum(int32_t kind, int32_t type)
{
    return zl_is_in(kind, T5_EVERY) && type >= 0 && type < TYPES && sum_codes[kind][type];
}

/* ---- numbers and codes -------------------------------------------------------------- */

static inline uint32_t counted(uint32_t value, uint32_t unit)
{
    return value % unit ? NO_CODE : value / unit;
}

static inline uint32_t shift_code(uint32_t columns)
{
    return columns == 32 ? 3 : columns <= 16 ? counted(columns, 8) : NO_CODE;
}

static inline uint32_t scale_code(int32_t type)
{
    if (type == ZLAY_TYPE_UE8M0) return 1;
    return type == ZLAY_TYPE_UE4M3 ? 0 : NO_CODE;
}

static inline uint32_t k_code(uint32_t k) { return k == 96 ? 1 : k ? NO_CODE : 0; }

#define TO_1(value)       (value)
#define TO_8(value)       counted(value, 8)
#define TO_16(value)      counted(value, 16)
#define TO_128(value)     counted(value, 128)
#define TO_MAJOR(value)   (uint32_t)(value)
#define TO_SHIFT(value)   shift_code(value)
#define TO_SCALE(value)   scale_code(value)
#define TO_K96(value)     k_code(value)
#define TO_OPERAND(value) operand_code(f->kind, value)
#define TO_SUM(value)     sum_code(f->kind, value)

#define FROM_1(code)       (code)
#define FROM_8(code)       (code) * 8
#define FROM_16(code)      (code) * 16
#define FROM_128(code)     (code) * 128
#define FROM_MAJOR(code)   (int32_t)(code)
#define FROM_SHIFT(code)   ((code) == 3 ? 32 : (code) * 8)
#define FROM_SCALE(code)   ((code) ? ZLAY_TYPE_UE8M0 : ZLAY_TYPE_UE4M3)
#define FROM_K96(code)     ((code) * 96)
#define FROM_OPERAND(code) operand_type(f->kind, code)
#define FROM_SUM(code)     sum_type(f->kind, code)

/* ---- rows ------------------------------------------------------------------------------ */

/* The codes of each width, which are looked at together. */
static inline void put(uint32_t *word, uint32_t *codes, uint32_t code, int at, int width)
{
    *word |= code << at;
    codes[width] |= code;
}

static inline uint32_t get(uint32_t word, int at, int width)
{
    return word >> at & ((1u << width) - 1);
}

static inline bool put_rows(uint32_t *word, const zlay_idesc *f, table rows)
{
    uint32_t codes[WIDTHS] = {0};
#define IDESC(table, field, at, width, unit)                                                       \
    if (rows == table) put(word, codes, TO_##unit(f->field), at, width);
#include "legality/tcgen05/idesc.def"
    return !(codes[1] >> 1 | codes[2] >> 2 | codes[3] >> 3 | codes[5] >> 5 | codes[6] >> 6);
}

static inline void get_rows(zlay_idesc *f, uint32_t word, table rows)
{
#define IDESC(table, field, at, width, unit)                                                       \
    if (rows == table) f->field = FROM_##unit(get(word, at, width));
#include "legality/tcgen05/idesc.def"
}

static inline uint32_t used(table rows)
{
    uint32_t bits = 0;
#define IDESC(table, field, at, width, unit)                                                       \
    if (rows == table) bits |= ((1u << (width)) - 1) << (at);
#include "legality/tcgen05/idesc.def"
    return bits;
}

/* Whether the fields of the other tables say nothing. */
static inline bool others_empty(const zlay_idesc *f, table rows)
{
    if (rows == PLAIN) return !(f->k | (uint32_t)f->scale_type | f->sf_a_id | f->sf_b_id);
    if (f->sparse_id | f->saturate | f->max_shift || f->d != ZLAY_TYPE_F32) return false;
    return rows == MXF4 || !f->k;
}

/* Field by field: clearing the whole struct first took as long as all the rest. */
static inline void others_clear(zlay_idesc *f, table rows)
{
    f->k = f->sf_a_id = f->sf_b_id = 0;
    f->scale_type = 0;
    if (rows == PLAIN) return;
    f->sparse_id = f->saturate = f->max_shift = 0;
    f->d = ZLAY_TYPE_F32;
}

static inline zlay_status pack(uint32_t *out, const zlay_idesc *f, table rows)
{
    uint32_t word = f->must_be_zero;
    bool fits = put_rows(&word, f, rows);
    if (!fits || f->must_be_zero & used(rows) || !others_empty(f, rows)) return ZLAY_EINVAL;
    *out = word;
    return ZLAY_OK;
}


/* Each table apart: together they keep more values than there are registers. */
#define PACK(name, rows)                                                                           \
    static __attribute__((noinline)) zlay_status name(uint32_t *out, const zlay_idesc *f)          \
    {                                                                                              \
        return pack(out, f, rows);                                                                 \
    }
PACK(pack_plain, PLAIN)
PACK(pack_mxf8, MXF8)
PACK(pack_mxf4, MXF4)
#undef PACK

zlay_status zlay_idesc_pack(uint32_t *out, const zlay_idesc *f)
{
    if (!out || !f || !zl_is_in(f->kind, T5_EVERY) ||
        f->reserved[0] | f->reserved[1] | f->reserved[2] | f->reserved[3] | f->reserved[4])
        return ZLAY_EINVAL;
    switch (table_of(f->kind)) {
    case PLAIN: return pack_plain(out, f);
    case MXF8: return pack_mxf8(out, f);
    default: return pack_mxf4(out, f);
    }
}

static inline void unpack(zlay_idesc *f, uint32_t word, table rows)
{
    others_clear(f, rows);
    get_rows(f, word, rows);
    f->must_be_zero = word & ~used(rows);
    for (size_t i = 0; i < ZL_COUNT(f->reserved); i++) f->reserved[i] = 0;
}

zlay_status zlay_idesc_unpack(zlay_idesc *out, int32_t kind, uint32_t desc)
{
    if (!out || !zl_is_in(kind, T5_EVERY)) return ZLAY_EINVAL;
    out->kind = kind;
    switch (table_of(kind)) {
    case PLAIN: unpack(out, desc, PLAIN); break;
    case MXF8: unpack(out, desc, MXF8); break;
    default: unpack(out, desc, MXF4);
    }
    return ZLAY_OK;
}

/* ---- descriptors of instructions ---------------------------------------------------------- */

static int32_t scale_type_of(const zlay_mma *mma)
{
    bool sixteen = mma->scale_vec == ZLAY_SCALE_4X || mma->scale_vec == ZLAY_SCALE_BLOCK16;
    if (!zl_is_in(mma->kind, T5_SCALED)) return 0;
    return sixteen && mma->kind == ZLAY_KIND_MXF4NVF4 ? ZLAY_TYPE_UE4M3 : ZLAY_TYPE_UE8M0;
}

zlay_status zlay_idesc_from_mma(zlay_idesc *out, const zlay_mma *mma)
{
    if (!out || !mma || mma->instruction != ZLAY_MMA_TCGEN05 || !zl_is_in(mma->kind, T5_EVERY))
        return ZLAY_EINVAL;
    *out = (zlay_idesc){.kind = mma->kind,
                        .a = mma->a,
                        .b = mma->b,
                        .d = mma->d,
                        .m = mma->m,
                        .n = mma->n,
                        .k = zl_is_in(mma->kind, T5_FOURS) && mma->k == 96 ? 96 : 0,
                        .a_major = mma->a_major,
                        .b_major = mma->b_major,
                        .sparse = mma->sparse,
                        .negate_a = mma->negate_a,
                        .negate_b = mma->negate_b,
                        .saturate = mma->saturate,
                        .scale_type = scale_type_of(mma)};
    return ZLAY_OK;
}

/* ---- fields as bits ------------------------------------------------------------------------ */

typedef enum unit {
    OF_1,
    OF_8,
    OF_16,
    OF_128,
    OF_MAJOR,
    OF_SHIFT,
    OF_SCALE,
    OF_K96,
    OF_OPERAND,
    OF_SUM
} unit;

static const struct {
    uint32_t shift;
    const char *means;
} units[] = {
    [OF_1] = {0, ""},
    [OF_8] = {3, "elements"},
    [OF_16] = {4, "elements"},
    [OF_128] = {7, "elements"},
    [OF_MAJOR] = {0, "the contiguous dimension"},
    [OF_SHIFT] = {0, "columns, of .ws"},
    [OF_SCALE] = {0, "type of scale factors"},
    [OF_K96] = {0, "1: K is 96"},
    [OF_OPERAND] = {0, "type of the operand"},
    [OF_SUM] = {0, "type of the sum"},
};

static const struct {
    const char *field, *means;
} plain[] = {
    {"sparse", "1: A is sparse"},
    {"sparse_id", "sparsity selector"},
    {"saturate", "1: sums of kind i8 saturate"},
    {"negate_a", "1: the operand is -A"},
    {"negate_b", "1: the operand is -B"},
    {"sf_a_id", "byte of A's scale factors"},
    {"sf_b_id", "byte of B's scale factors"},
};

static void name_value(zl_bit_field *out, unit u)
{
    for (size_t i = 0; i < ZL_COUNT(plain) && u == OF_1; i++)
        if (!strcmp(plain[i].field, out->name)) out->means = plain[i].means;
    if (u == OF_MAJOR) out->word = zl_word_of(zl_majors, (int32_t)out->value);
    if (u == OF_SCALE || u == OF_OPERAND || u == OF_SUM) {
        out->word = zlay_type_name((int32_t)out->value);
        out->nothing = !out->word;
    }
}

size_t zl_idesc_bit_fields(zl_bit_field *out, const zlay_idesc *f)
{
    size_t count = 0;
    const table has = table_of(f->kind);
    const struct {
        table table;
        unit unit;
        zl_bit_field field;
    } rows[] = {
#define IDESC(table, field, at, width, unit)                                                       \
    {table, OF_##unit, {#field, -1, at, width, 0, units[OF_##unit].shift, (int64_t)f->field,      \
                        NULL, units[OF_##unit].means, false}},
#include "legality/tcgen05/idesc.def"
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        if (rows[i].table != has) continue;
        out[count] = rows[i].field;
        name_value(&out[count++], rows[i].unit);
    }
    return count;
}
