/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.replace as a subject of rules, and the numbers that it takes for a map. */
#include "base/request.h"
#include "legality/instruction/replace.h"
#include "rules/bounds.h"
#include "rules/constants.h"
#include "isa/form.h"

#include <zlay/replace.h>

enum { ALL_FLAGS = 2 * ZLAY_REPLACE_FENCES - 1 };

/* Greatest values that the target decides. */
#define ELEMTYPES (UINT64_MAX - 1)
#define SWIZZLES  (UINT64_MAX - 2)

static const struct {
    uint32_t entries;
    uint64_t least, most, multiple;
} fields[ZLAY_REPLACE_FIELDS] = {
#define REPLACE_FIELD(name, word, entries, least, most, multiple)                                  \
    [ZLAY_REPLACE_##name] = {entries, least, most, multiple},
#include "legality/instruction/replaces.def"
};

static const zlay_replace *replace_of(const zl_subject *s) { return s->value; }

static bool exists(int32_t field) { return field > 0 && field < ZLAY_REPLACE_FIELDS; }

/* Fields whose value is a constant of the instruction. */
static bool word(int32_t field)
{
    return field >= ZLAY_REPLACE_ELEMTYPE && field < ZLAY_REPLACE_FIELDS;
}

static bool after_sm90(const zlay_target *t) { return t->cls != ZL_CLASS_SM90; }

static bool on_target(const zl_subject *s)
{
    const zlay_target *t = s->target;
    bool known = t->features & ZL_HAS_TMA && t->suffix != 0;
    return known && (after_sm90(t) || replace_of(s)->field != ZLAY_REPLACE_SWIZZLE_ATOMICITY);
}

uint64_t zl_elemtype_last(const zlay_target *target, uint32_t ptx)
{
    bool packed = zl_target_in(target, ON_SUFFIX) && (!ptx || ptx >= 87);
    return packed ? MAP_TYPES_LAST : MAP_PLAIN_TYPES_LAST;
}

uint64_t zl_swizzle_last(const zlay_target *target, uint32_t ptx)
{
    bool has_96 = zl_target_in(target, ON_96B) && (!ptx || ptx >= 88);
    return has_96 ? MAP_SWIZZLES_LAST : MAP_PLAIN_SWIZZLES_LAST;
}

static uint64_t greatest(const zl_subject *s)
{
    uint64_t most = fields[replace_of(s)->field].most;
    if (most == ELEMTYPES) return zl_elemtype_last(s->target, 0);
    return most == SWIZZLES ? zl_swizzle_last(s->target, 0) : most;
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_replace *r = replace_of(s);
    (void)i;
    switch (q) {
    case ZL_Q_REPLACE_FIELD: return zl_number(r->field);
    case ZL_Q_REPLACE_ON_TARGET: return on_target(s);
    case ZL_Q_REPLACE_MODE: return zl_number(r->mode);
    case ZL_Q_REPLACE_ORD: return r->ord;
    case ZL_Q_REPLACE_VALUE: return r->value;
    case ZL_Q_REPLACE_FENCE: return r->fence;
    case ZL_Q_REPLACE_RELEASED: return (r->flags & ZLAY_REPLACE_RELEASED) != 0;
    default: return (r->flags & ZLAY_REPLACE_ACQUIRED) != 0;
    }
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    const zlay_replace *r = replace_of(s);
    if (g == ZL_G_REPLACE_FENCED) return r->flags & ZLAY_REPLACE_FENCES;
    if (!exists(r->field)) return false;
    switch (g) {
    case ZL_G_REPLACE_KNOWN: return fields[r->field].entries > 0;
    case ZL_G_REPLACE_STRIDES: return r->field == ZLAY_REPLACE_GLOBAL_STRIDE;
    case ZL_G_REPLACE_NUMBERS: return !word(r->field);
    default: return word(r->field);
    }
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    const zlay_replace *r = replace_of(s);
    (void)i;
    switch (name) {
    case REPLACE_LAST_FIELD: return ZLAY_REPLACE_FIELDS - 1;
    case REPLACE_LEAST: return fields[r->field].least;
    case REPLACE_MOST: return greatest(s);
    default: return fields[r->field].multiple;
    }
}

static const zl_subject_form subject_form = {
    .kind = ZL_SUBJECT_REPLACE, .value = value, .guard = guard, .bound = bound, .fix = zl_fix_own};

zlay_status zlay_replace_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                               const zlay_target *target, const zlay_replace *replace)
{
    if (!out || !target || !replace || (room && !reasons) ||
        replace->flags & ~(uint32_t)ALL_FLAGS ||
        !zl_is_zero(replace->reserved, sizeof replace->reserved))
        return ZLAY_EINVAL;
    zl_subject s = {&subject_form, target, replace};
    return zl_check(out, reasons, room, &s, false);
}

/* ---- numbers of a map ------------------------------------------------------------------ */

/* PTX ISA 9.1, Table 33, by the driver's numbers of types; an H200's maps agree for 1, 6 and 9. */
static const uint8_t elemtypes[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12, 13, 14, 15};

/* Swizzles 4 to 6 are 128 bytes with the atoms 1 to 3. */
static bool swizzle_number(uint64_t *out, int32_t swizzle, bool atom)
{
    if (swizzle < 0 || swizzle > 6) return false;
    *out = atom ? (swizzle > 3 ? (uint64_t)swizzle - 3 : 0) : swizzle > 3 ? 3 : (uint64_t)swizzle;
    return true;
}

static bool word_of(uint64_t *out, const zlay_tensormap *map, int32_t field)
{
    bool typed = map->type >= 0 && (size_t)map->type < ZL_COUNT(elemtypes);
    switch (field) {
    case ZLAY_REPLACE_ELEMTYPE:
        if (typed) *out = elemtypes[map->type];
        return typed;
    case ZLAY_REPLACE_SWIZZLE_MODE: return swizzle_number(out, map->swizzle, false);
    case ZLAY_REPLACE_SWIZZLE_ATOMICITY: return swizzle_number(out, map->swizzle, true);
    case ZLAY_REPLACE_INTERLEAVE_LAYOUT: *out = (uint64_t)map->interleave; break;
    default: *out = (uint64_t)map->oob;
    }
    return *out <= fields[field].most;
}

static void number_of(uint64_t *out, const zlay_tensormap *map, int32_t field, uint32_t ord)
{
    switch (field) {
    case ZLAY_REPLACE_GLOBAL_ADDRESS: *out = map->address; break;
    case ZLAY_REPLACE_RANK: *out = map->rank - 1; break;
    case ZLAY_REPLACE_BOX_DIM: *out = map->box[ord]; break;
    case ZLAY_REPLACE_GLOBAL_DIM: *out = map->extent[ord]; break;
    case ZLAY_REPLACE_GLOBAL_STRIDE: *out = map->stride[ord]; break;
    default: *out = map->step[ord];
    }
}

zlay_status zlay_replace_from_tensormap(zlay_replace *out, const zlay_tensormap *map, int32_t field,
                                        uint32_t ord)
{
    uint64_t number = 0;
    if (!out || !map || !exists(field)) return ZLAY_EINVAL;
    uint32_t entries = field == ZLAY_REPLACE_GLOBAL_STRIDE ? map->rank - 1 : map->rank;
    if (map->rank < 1 || map->rank > 5 || map->mode) return ZLAY_NONE;
    if (fields[field].entries ? ord >= entries : ord > 0) return ZLAY_NONE;
    if (!word(field)) number_of(&number, map, field, ord);
    else if (!word_of(&number, map, field)) return ZLAY_NONE;
    *out = (zlay_replace){.field = field, .ord = ord, .value = number};
    return ZLAY_OK;
}
