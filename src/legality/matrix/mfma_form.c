/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_mma_info: mnemonic, registers, passes and modifiers of a form that exists. */
#include "legality/matrix/mfma.h"

#include <string.h>

enum { GFX90A = ZL_GFX90A, GFX942 = ZL_GFX942, GFX950 = ZL_GFX950, GFX1250 = ZL_GFX1250 };
enum { FROM_GFX942 = GFX942 | GFX950, ANY_MFMA = GFX90A | FROM_GFX942 };
enum { REGISTER = 32, CYCLES = 4, TOLD_PRODUCT = 32 * 64 };

/* What rows ask of a form. */
typedef enum asks {
    FORM_ANY,
    FORM_TWO_BF16, /* bf16 whose A fills two registers */
    FORM_TOLD,     /* f8f6f4 */
    FORM_TOLD_8,   /* the same, A or B of 8 bits */
    FORM_TALL,     /* more rows than columns */
    FORM_DOUBLE,   /* f64 */
    FORM_MANY,     /* several blocks */
    FORM_SLOW      /* f32, or several blocks */
} asks;

static const struct {
    int32_t type;
    const char *mfma, *wmma;
    int32_t format;
} words[] = {
#define MFMA_WORD(type, mfma, wmma, format) {ZLAY_TYPE_##type, mfma, wmma, format},
#include "legality/matrix/mfma_words.def"
#undef MFMA_WORD
};

static const struct {
    uint32_t targets, sparse;
    asks form;
    const char *text;
} names[] = {
#define MFMA_NAME(targets, sparse, form, text) {targets, sparse, FORM_##form, text},
#include "legality/matrix/mfma_names.def"
#undef MFMA_NAME
};

static const struct {
    uint32_t targets, m;
    asks form;
    uint32_t passes;
} passes[] = {
#define MFMA_PASSES(targets, m, form, passes) {targets, m, FORM_##form, passes},
#include "legality/matrix/mfma_passes.def"
#undef MFMA_PASSES
};

static const struct {
    uint32_t targets, sparse;
    asks form;
    int32_t cbsz, blgp;
} modifiers[] = {
#define MFMA_MODIFIERS(targets, sparse, form, cbsz, blgp)                                          \
    {targets, sparse, FORM_##form, ZLAY_MODIFIER_##cbsz, ZLAY_MODIFIER_##blgp},
#include "legality/matrix/mfma_modifiers.def"
#undef MFMA_MODIFIERS
};

bool zl_mfma_told(const zlay_target *target, const zlay_mma *mma)
{
    uint32_t bit = zl_mfma_target(target);
    bool shape = bit == GFX950 ? mma->m * mma->k == TOLD_PRODUCT
                               : bit == GFX1250 && mma->k == 128 && mma->m == mma->n;
    return shape && !mma->sparse && zlay_type_bits(mma->a) <= 8 && mma->d == ZLAY_TYPE_F32;
}

static bool has_form(asks form, const zlay_target *target, const zlay_mma *mma,
                     const zlay_mma_form *f)
{
    bool eight = zlay_type_bits(mma->a) == 8 || zlay_type_bits(mma->b) == 8;
    switch (form) {
    case FORM_TWO_BF16: return mma->a == ZLAY_TYPE_BF16 && f->a_registers == 2;
    case FORM_TOLD: return zl_mfma_told(target, mma);
    case FORM_TOLD_8: return zl_mfma_told(target, mma) && eight;
    case FORM_TALL: return mma->m > mma->n;
    case FORM_DOUBLE: return mma->a == ZLAY_TYPE_F64;
    case FORM_MANY: return f->blocks > 1;
    case FORM_SLOW: return mma->a == ZLAY_TYPE_F32 || f->blocks > 1;
    default: return true;
    }
}

/* ---- the mnemonic -------------------------------------------------------------------------- */

typedef struct naming {
    const zlay_target *target;
    const zlay_mma *mma;
    const zlay_mma_form *form;
    bool wmma;
} naming;

static const char *word_of(int32_t type, bool wmma)
{
    for (size_t i = 0; i < ZL_COUNT(words); i++)
        if (words[i].type == type) return wmma ? words[i].wmma : words[i].mfma;
    return "";
}

static int32_t format_of(int32_t type)
{
    for (size_t i = 0; i < ZL_COUNT(words); i++)
        if (words[i].type == type) return words[i].format;
    return -1;
}

static void put_operands(zl_text *out, const naming *n)
{
    const char *a = word_of(n->mma->a, n->wmma), *b = word_of(n->mma->b, n->wmma);
    bool floats = zlay_type_bits(n->mma->a) == 8 && (a[0] == 'f' || a[0] == 'b');
    zl_puts(out, a);
    if (floats) zl_putf(out, "_%s", b);
}

static void put_part(zl_text *out, char part, const naming *n)
{
    const zlay_mma *m = n->mma;
    switch (part) {
    case 'd': zl_puts(out, word_of(m->d, n->wmma)); return;
    case 's': zl_putf(out, "%ux%ux%u", m->m, m->n, m->k); return;
    case 'a': put_operands(out, n); return;
    case 'b':
        if (n->form->blocks > 1) zl_putf(out, "_%ub", n->form->blocks);
        return;
    default:
        if (m->scale_vec == ZLAY_SCALE_BLOCK32) zl_puts(out, "scale_");
        if (m->scale_vec == ZLAY_SCALE_BLOCK16) zl_puts(out, "scale16_");
    }
}

static void name_form(zlay_mma_form *f, const zlay_target *target, const zlay_mma *mma)
{
    uint32_t bit = zl_mfma_target(target);
    naming n = {target, mma, f, bit == GFX1250};
    zl_text text = {f->name, sizeof f->name - 1, 0};
    size_t i = 0;
    while (!(names[i].targets & bit) || names[i].sparse != mma->sparse ||
           !has_form(names[i].form, target, mma, f))
        i++;
    for (const char *at = names[i].text; *at; at++)
        if (*at == '%') put_part(&text, *++at, &n);
        else zl_put(&text, at, 1);
}

/* ---- registers, passes, modifiers ------------------------------------------------------------ */

static uint32_t registers_of(uint64_t elements, int32_t type, uint32_t lanes)
{
    return (uint32_t)(elements * zlay_type_bits(type) / (lanes * REGISTER));
}

static void count_registers(zlay_mma_form *f, const zlay_mma *mma)
{
    uint32_t sparse = 1 + mma->sparse, bits = mma->k * mma->m / f->lanes;
    f->a_registers = registers_of((uint64_t)mma->m * mma->k / sparse * f->blocks, mma->a, f->lanes);
    f->b_registers = registers_of((uint64_t)mma->n * mma->k * f->blocks, mma->b, f->lanes);
    f->d_registers = registers_of((uint64_t)mma->m * mma->n * f->blocks, mma->d, f->lanes);
    if (!mma->sparse) return;
    f->index_registers = (bits + REGISTER - 1) / REGISTER;
    f->abid_most = bits < REGISTER ? REGISTER / bits - 1 : 0;
}

static void find_passes(zlay_mma_form *f, const zlay_target *target, const zlay_mma *mma)
{
    uint32_t bit = zl_mfma_target(target);
    for (size_t i = 0; i < ZL_COUNT(passes) && !f->passes; i++)
        if (passes[i].targets & bit && passes[i].m == mma->m &&
            has_form(passes[i].form, target, mma, f))
            f->passes = passes[i].passes;
    f->cycles = CYCLES * f->passes;
}

static void find_modifiers(zlay_mma_form *f, const zlay_target *target, const zlay_mma *mma)
{
    uint32_t bit = zl_mfma_target(target);
    size_t i = 0;
    while (!(modifiers[i].targets & bit) || modifiers[i].sparse != mma->sparse ||
           !has_form(modifiers[i].form, target, mma, f))
        i++;
    f->cbsz = modifiers[i].cbsz;
    f->blgp = modifiers[i].blgp;
    if (f->cbsz == ZLAY_MODIFIER_BROADCAST) {
        f->cbsz_most = (uint32_t)__builtin_ctz(f->blocks);
        f->abid_most = f->blocks - 1;
    }
    if (f->cbsz == ZLAY_MODIFIER_INDEX) f->cbsz_most = 1;
    f->a_format = f->b_format = -1;
    if (!zl_mfma_told(target, mma)) return;
    f->a_format = format_of(mma->a);
    f->b_format = format_of(mma->b);
}

zlay_status zlay_mma_info(zlay_mma_form *out, const zlay_target *target, const zlay_mma *mma)
{
    zlay_verdict verdict;
    if (!out || !target || !mma) return ZLAY_EINVAL;
    if (mma->instruction != ZLAY_MMA_MFMA) return ZLAY_ENOTSUP;
    zlay_status status = zlay_mma_check(&verdict, NULL, 0, target, mma);
    if (status) return status;
    if (verdict.answer != ZLAY_YES) return ZLAY_NONE;
    zlay_mma_form f = {.lanes = zl_target_limits(target)->lanes, .aligned = 2};
    f.blocks = zl_mfma_blocks(target, mma);
    f.accumulators = zl_mfma_target(target) != GFX1250;
    count_registers(&f, mma);
    find_passes(&f, target, mma);
    find_modifiers(&f, target, mma);
    name_form(&f, target, mma);
    *out = f;
    return ZLAY_OK;
}
