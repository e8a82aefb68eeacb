/* SPDX-License-Identifier: Apache-2.0 */
/* The checks: a walk over the rules of a subject that keeps what is broken. */
#include "legality/rule.h"

#include <string.h>

static const zlay_target targets[] = {
#define TARGET(name, cls, smem, wgmma) {name, ZL_CLASS_##cls, smem, wgmma},
#include "legality/targets.def"
#undef TARGET
};

zlay_status zlay_target_find(const zlay_target **out, const char *name, size_t length)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!name) return ZLAY_EINVAL;
    for (size_t i = 0; i < ZL_COUNT(targets); i++)
        if (strlen(targets[i].name) == length && !memcmp(targets[i].name, name, length))
            *out = &targets[i];
    return *out ? ZLAY_OK : ZLAY_NONE;
}

const char *zlay_target_name(const zlay_target *target) { return target ? target->name : NULL; }

const zlay_target *zlay_target_at(size_t i) { return i < ZL_COUNT(targets) ? &targets[i] : NULL; }

static const char *const fields[ZLAY_FIELD_COUNT + 1] = {
    "none",        "mode",       "type",       "rank",  "address", "extent", "stride", "box",
    "step",        "interleave", "swizzle",    "l2",    "oob",     "start",  "lbo",    "sbo",
    "base_offset", "m",          "n",          "k",     "a",       "b",      "d",      "major",
    "target",      "smem",       "coordinate", "bytes", "count",
};

const char *zlay_field_name(int32_t field)
{
    return field >= 0 && field <= ZLAY_FIELD_COUNT ? fields[field] : NULL;
}

typedef struct collector {
    zlay_verdict verdict;
    zlay_reason *reasons;
    size_t room;
    bool by_driver;
} collector;

static void collect(void *arg, const zlay_reason *reason, bool held)
{
    collector *c = arg;
    if (held) return;
    if (c->verdict.reasons < c->room) c->reasons[c->verdict.reasons] = *reason;
    c->verdict.reasons++;
    c->verdict.broken += !reason->noted;
    c->verdict.noted += reason->noted != 0;
    c->by_driver |= reason->by == ZLAY_BY_DRIVER && !reason->noted;
}

static bool all_zero(const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (words[i]) return false;
    return true;
}

static zlay_status check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                         const zl_subject *subject, bool driver)
{
    collector c = {.reasons = reasons, .room = reasons ? room : 0};
    bool measured = zl_measured(subject->target);
    if (c.room) zl_walk(subject, collect, &c);
    else zl_walk_bare(subject, collect, &c);
    c.verdict.answer = c.verdict.broken ? ZLAY_NO : ZLAY_YES;
    c.verdict.basis = measured ? ZLAY_BASIS_MEASURED : ZLAY_BASIS_DOCUMENTED;
    if (driver && measured)
        c.verdict.driver = c.by_driver ? ZLAY_DRIVER_REFUSES : ZLAY_DRIVER_ACCEPTS;
    *out = c.verdict;
    return ZLAY_OK;
}

zlay_status zlay_tensormap_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                 const zlay_target *target, const zlay_tensormap *map)
{
    if (!out || !target || !map || (room && !reasons) ||
        !all_zero(map->reserved, ZL_COUNT(map->reserved)))
        return ZLAY_EINVAL;
    if (map->mode == 1 || map->mode == 2) return ZLAY_ENOTSUP;
    zl_subject s = {ZL_SUBJECT_TMAP, target, map};
    return check(out, reasons, room, &s, true);
}

zlay_status zlay_smemdesc_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                const zlay_target *target, const zlay_smemdesc *f)
{
    if (!out || !target || !f || (room && !reasons) ||
        !all_zero(f->reserved, ZL_COUNT(f->reserved)))
        return ZLAY_EINVAL;
    zl_subject s = {ZL_SUBJECT_DESC, target, f};
    return check(out, reasons, room, &s, false);
}

/* The types of wgmma's other forms: not covered yet, so neither YES nor NO. */
static bool other_form(const zlay_mma *mma)
{
    static const int32_t types[] = {ZLAY_TMAP_F16, ZLAY_TMAP_TF32, ZLAY_TMAP_TF32_FTZ,
                                    ZLAY_TMAP_U8};
    bool a = false, b = false;
    for (size_t i = 0; i < ZL_COUNT(types); i++) {
        a |= mma->a == types[i];
        b |= mma->b == types[i];
    }
    return a && b;
}

zlay_status zlay_mma_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                           const zlay_target *target, const zlay_mma *mma)
{
    if (!out || !target || !mma || (room && !reasons) ||
        !all_zero(mma->reserved, ZL_COUNT(mma->reserved)))
        return ZLAY_EINVAL;
    if (target->wgmma && other_form(mma)) return ZLAY_ENOTSUP;
    zl_subject s = {ZL_SUBJECT_MMA, target, mma};
    return check(out, reasons, room, &s, false);
}

zlay_status zlay_smem_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                            const zlay_target *target, uint64_t bytes)
{
    if (!out || !target || (room && !reasons)) return ZLAY_EINVAL;
    zl_subject s = {ZL_SUBJECT_SMEM, target, &bytes};
    return check(out, reasons, room, &s, false);
}

uint64_t zlay_smem_capacity(const zlay_target *target) { return target ? target->smem : 0; }
