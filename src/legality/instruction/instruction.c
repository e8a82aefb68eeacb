/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction forms with their constants as a subject of rules. */
#include "rules/bounds.h"
#include "rules/constants.h"
#include "isa/form.h"
#include "legality/instruction/replace.h"


/* The constants of the form that were given, each with the quantity whose rules it keeps. */
typedef struct asked {
    zl_isa_form form;
    uint32_t ptx, count;
    zl_quantity kind[ZLAY_CONSTANTS_MOST];
    int64_t value[ZLAY_CONSTANTS_MOST];
} asked;

static const int64_t *given(const asked *a, zl_quantity kind)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (a->kind[i] == kind) return &a->value[i];
    return NULL;
}

static bool was_given(zl_quantity kind, const zl_subject *s)
{
    return given(s->value, kind) != NULL;
}

/* Whether the documents give a form to a target that the assembler gives it to. */
static bool said_on(const zl_isa_form *form, const zlay_target *target)
{
    return zl_form_on(form, target, true) || !zl_form_on(form, target, false);
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const asked *a = s->value;
    (void)i;
    switch (q) {
    case ZL_Q_INSTR_ON: return zl_form_on(&a->form, s->target, false);
    case ZL_Q_INSTR_SAID: return said_on(&a->form, s->target);
    case ZL_Q_INSTR_PTX: return a->ptx;
    default: return (uint64_t)*given(a, q);
    }
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    const asked *a = s->value;
    bool has_ptx = zl_form_ptx(&a->form, false) != 0;
    return a->ptx != 0 && has_ptx == (g == ZL_G_PTX_GIVEN);
}

/* The least power of two that is no less; 2^62 of greater numbers. */
static uint64_t next_power(int64_t value)
{
    return zl_next_power(value > 1 ? (uint64_t)value : 1, 1, 1ull << 62);
}

static uint64_t columns(const asked *a)
{
    const int64_t *n = given(a, ZL_Q_TMEM_COLUMNS);
    if (!n) n = given(a, ZL_Q_TMEM_FREED);
    return n ? next_power(*n) : 0;
}

/* Where the documents ask for a later version than the assembler; else none. */
static uint64_t said_ptx(const zl_isa_form *form)
{
    uint32_t said = zl_form_ptx(form, true);
    return said > zl_form_ptx(form, false) ? said : 0;
}

/* What no row has is no gfx target, and has no room. */
static const struct {
    uint32_t arch;
    int64_t vgprs, sgprs, buffer, taken, global_least, global_last;
} rooms[] = {
#define GFX(arch, vgprs, sgprs, buffer, taken, least, last)                                        \
    {arch, vgprs, sgprs, buffer, taken, least, last},
#include "target/gfx.def"
    {0, 0, 0, 0, 0, 0, 0}};

/* The last first register of so many in a row; fields of VGPRs have room for no more than FIRST_LAST. */
enum { FIRST_LAST = 255 };

static uint64_t last_sgpr(int64_t sgprs, int64_t count) { return (uint64_t)(sgprs - count); }

static uint64_t last_vgpr(int64_t vgprs, int64_t count)
{
    uint64_t last = (uint64_t)(vgprs - count);
    return last < FIRST_LAST ? last : FIRST_LAST;
}

static uint64_t gfx_bound(int32_t name, const zlay_target *target)
{
    size_t i = 0;
    while (rooms[i].arch && (target->cls != ZL_CLASS_GFX || rooms[i].arch != target->arch)) i++;
    switch (name) {
#define BOUND(name)
#define SGPRS(name, count) case name: return last_sgpr(rooms[i].sgprs, count);
#define VGPRS(name, count) case name: return last_vgpr(rooms[i].vgprs, count);
#include "rules/bounds/instruction.def"
    case BUFFER_LAST: return (uint64_t)rooms[i].buffer;
    case BUFFER_TAKEN: return (uint64_t)rooms[i].taken;
    case GLOBAL_LEAST: return (uint64_t)rooms[i].global_least;
    default: return (uint64_t)rooms[i].global_last;
    }
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    const asked *a = s->value;
    (void)i;
    switch (name) {
    case ELEMTYPE_MOST: return zl_elemtype_last(s->target, a->ptx);
    case SWIZZLE_MOST: return zl_swizzle_last(s->target, a->ptx);
    case FORM_PTX: return zl_form_ptx_on(&a->form, s->target);
    case SAID_PTX: return said_ptx(&a->form);
    case TARGET_PTX: return zl_target_ptx(s->target);
    case PTX_KNOWN: return zl_ptx_known(a->ptx);
    case POWER_OF_TWO: return columns(a);
    default: return gfx_bound(name, s->target);
    }
}

/* ---- repairs -------------------------------------------------------------------- */

static int64_t clamped(int64_t value, int64_t lo, int64_t hi)
{
    return value < lo ? lo : value > hi ? hi : value;
}

/* The nearest value to `value` that one rule takes. */
static int64_t moved(const zl_rule *rule, const zl_subject *s, int64_t value)
{
    int64_t lo = (int64_t)zl_bound(rule->lo, s, 0), hi = (int64_t)zl_bound(rule->hi, s, 0);
    bool power = zl_bound_is(rule->lo, POWER_OF_TWO);
    switch (rule->relation) {
    case ZLAY_REL_MULTIPLE: return (value + (value > INT64_MAX - lo ? 0 : lo - 1)) / lo * lo;
    case ZLAY_REL_EQUAL: return power ? (int64_t)next_power(value) : lo;
    default: return clamped(value, lo, hi);
    }
}

/* Bounds are multiples and powers themselves: ranges first and last leave what every rule takes. */
static int64_t settled(zl_quantity quantity, const zl_subject *s, int64_t value)
{
    for (int pass = 0; pass < 3; pass++)
        for (const zl_rule *rule = zl_rules; rule < zl_rules + zl_rules_count; rule++)
            if (rule->quantity == quantity && (pass == 1) == (rule->relation != ZLAY_REL_SIGNED) &&
                (rule->when == ZL_G_ALWAYS || guard(rule->when, s)))
                value = moved(rule, s, value);
    return value;
}

static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (rule->field == ZLAY_FIELD_TARGET) return;
    zl_give(r, rule->keeps, (uint64_t)settled(rule->quantity, s, (int64_t)r->value), 1);
}

static const zl_subject_form subject_form = {
    .kind = ZL_SUBJECT_INSTR, .value = value, .guard = guard, .bound = bound, .fix = fix,
    .given = was_given};

/* ---- the question --------------------------------------------------------------- */

/* Put one constant beside the operand that has its field; false: none has, or it is there. */
static bool put_constant(asked *a, const zlay_constant *c)
{
    zl_form_reader reader = zl_form_read(&a->form);
    zl_isa_token token;
    if (c->reserved || !c->field) return false;
    while (zl_token_next(&reader, &token)) {
        if (!token.kind || zl_constant_field(&token) != c->field) continue;
        zl_quantity kind = zl_constant_kind(&token);
        if (given(a, kind)) return false;
        a->kind[a->count] = kind;
        a->value[a->count++] = c->value;
        return true;
    }
    return false;
}

static bool put_all(asked *a, const zlay_instruction *in)
{
    if (in->reserved || in->count > ZLAY_CONSTANTS_MOST || !zl_form_of(&a->form, in->form))
        return false;
    a->ptx = in->ptx;
    for (uint32_t i = 0; i < in->count; i++)
        if (!put_constant(a, &in->constant[i])) return false;
    return true;
}

zlay_status zlay_instruction_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                   const zlay_target *target, const zlay_instruction *instruction)
{
    asked a = {.count = 0};
    if (!out || !target || !instruction || (room && !reasons) || !put_all(&a, instruction))
        return ZLAY_EINVAL;
    zl_subject s = {&subject_form, target, &a};
    return zl_check(out, reasons, room, &s, false);
}
