/* SPDX-License-Identifier: Apache-2.0 */
/* Registers and modifiers of a matrix instruction as a subject of rules. */
#include "legality/matrix/mfma.h"
#include "rules/bounds.h"

typedef struct asked {
    const zlay_mma_operands *operands;
    zlay_mma_form form;
    bool exists;
} asked;

/* First registers of several; one may begin anywhere. */
static uint64_t first_of(const zlay_mma_tuple *t) { return t->count > 1 ? t->first : 0; }

static uint64_t last_of(const zlay_mma_tuple *t)
{
    return t->count ? (uint64_t)t->first + t->count - 1 : t->first;
}

static bool same(const zlay_mma_tuple *a, const zlay_mma_tuple *b)
{
    return a->first == b->first && a->count == b->count;
}

/* C and D of one file that have some registers in common and not all. */
static bool overlaps(const asked *a)
{
    const zlay_mma_tuple *c = &a->operands->c, *d = &a->operands->d;
    if (a->operands->mma.sparse || c->file != d->file || same(c, d)) return false;
    return c->first <= last_of(d) && d->first <= last_of(c);
}

static uint64_t register_of(const zlay_mma_tuple *t)
{
    return t->file == ZLAY_FILE_VGPR && t->count == 1 ? t->first : UINT64_MAX;
}

static uint64_t of_tuples(zl_quantity q, const zlay_mma_operands *o)
{
    switch (q) {
    case ZL_Q_OPERANDS_A_COUNT: return o->a.count;
    case ZL_Q_OPERANDS_B_COUNT: return o->b.count;
    case ZL_Q_OPERANDS_C_COUNT: return o->c.count;
    case ZL_Q_OPERANDS_D_COUNT: return o->d.count;
    case ZL_Q_OPERANDS_A_FIRST: return first_of(&o->a);
    case ZL_Q_OPERANDS_B_FIRST: return first_of(&o->b);
    case ZL_Q_OPERANDS_C_FIRST: return first_of(&o->c);
    case ZL_Q_OPERANDS_D_FIRST: return first_of(&o->d);
    case ZL_Q_OPERANDS_A_LAST: return last_of(&o->a);
    case ZL_Q_OPERANDS_B_LAST: return last_of(&o->b);
    case ZL_Q_OPERANDS_C_LAST: return last_of(&o->c);
    default: return last_of(&o->d);
    }
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const asked *a = s->value;
    const zlay_mma_operands *o = a->operands;
    (void)i;
    switch (q) {
    case ZL_Q_OPERANDS_FORM: return a->exists;
    case ZL_Q_OPERANDS_A_FILE: return zl_number(o->a.file);
    case ZL_Q_OPERANDS_B_FILE: return zl_number(o->b.file);
    case ZL_Q_OPERANDS_C_FILE: return zl_number(o->c.file);
    case ZL_Q_OPERANDS_D_FILE: return zl_number(o->d.file);
    case ZL_Q_OPERANDS_WIDE: return overlaps(a) && o->d.count > 4;
    case ZL_Q_OPERANDS_NARROW: return overlaps(a) && o->d.count <= 4;
    case ZL_Q_OPERANDS_SCALE_A: return register_of(&o->scale_a);
    case ZL_Q_OPERANDS_SCALE_B: return register_of(&o->scale_b);
    case ZL_Q_OPERANDS_CBSZ: return o->cbsz;
    case ZL_Q_OPERANDS_ABID: return o->abid;
    case ZL_Q_OPERANDS_BLGP: return o->blgp;
    default: return of_tuples(q, o);
    }
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    const asked *a = s->value;
    bool told = a->exists && a->form.cbsz == ZLAY_MODIFIER_FORMAT;
    switch (g) {
    case ZL_G_OPERANDS_HERE: return a->exists;
    case ZL_G_OPERANDS_C: return a->exists && a->operands->c.file != ZLAY_FILE_CONSTANT;
    case ZL_G_OPERANDS_SCALED: return a->exists && a->operands->mma.scale_vec != ZLAY_SCALE_NONE;
    case ZL_G_OPERANDS_TOLD: return told;
    default: return a->exists && !told;
    }
}

/* The last block among those that cbsz takes together. */
static uint64_t last_abid(const asked *a)
{
    uint32_t cbsz = a->operands->cbsz, most = a->form.abid_most;
    if (a->form.cbsz == ZLAY_MODIFIER_INDEX) return cbsz ? 15 : most;
    return cbsz < 5 && (1u << cbsz) - 1 < most ? (1u << cbsz) - 1 : most;
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    const asked *a = s->value;
    const zlay_mma_form *f = &a->form;
    bool sparse = a->operands->mma.sparse;
    (void)i;
    switch (name) {
    case OPERANDS_A: return f->a_registers;
    case OPERANDS_B: return f->b_registers;
    case OPERANDS_C_OR_INDEX: return sparse ? f->index_registers : f->d_registers;
    case OPERANDS_D: return f->d_registers;
    case OPERANDS_FILES: return f->accumulators ? ZLAY_FILE_AGPR : ZLAY_FILE_VGPR;
    case OPERANDS_FILE_OF_D: return sparse ? ZLAY_FILE_VGPR : zl_number(a->operands->d.file);
    case OPERANDS_CBSZ_LAST: return f->cbsz_most;
    case OPERANDS_ABID_LAST: return last_abid(a);
    case OPERANDS_BLGP_LAST: return f->blgp == ZLAY_MODIFIER_LANES ? 7 : 0;
    case OPERANDS_BLGP_TAKEN: return f->blgp == ZLAY_MODIFIER_NEGATE ? 0 : 7;
    case OPERANDS_A_FORMAT: return zl_number(f->a_format);
    default: return zl_number(f->b_format);
    }
}

static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (rule->quantity != ZL_Q_OPERANDS_FORM) zl_fix_plain(r, rule, s);
}

static const zl_subject_form subject_form = {
    .kind = ZL_SUBJECT_OPERANDS, .value = value, .guard = guard, .bound = bound, .fix = fix};

zlay_status zlay_mma_operands_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                    const zlay_target *target, const zlay_mma_operands *operands)
{
    if (!out || !target || !operands || (room && !reasons) || operands->reserved) return ZLAY_EINVAL;
    asked a = {.operands = operands};
    zlay_status status = zlay_mma_info(&a.form, target, &operands->mma);
    if (status == ZLAY_EINVAL || status == ZLAY_ENOTSUP) return status;
    a.exists = !status;
    zl_subject s = {&subject_form, target, &a};
    return zl_check(out, reasons, room, &s, false);
}
