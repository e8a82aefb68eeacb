/* SPDX-License-Identifier: Apache-2.0 */
/* Which targets and PTX versions have a form. */
#include "isa/form.h"

#include <string.h>

/* ---- sets of targets ------------------------------------------------------------ */

static const struct {
    uint32_t bit, arch;
} bases[] = {{BASE_80, 80}, {BASE_89, 89}, {BASE_90, 90}, {BASE_100, 100}},
  onlies[] = {{ONLY_90, 90},   {ONLY_100, 100}, {ONLY_103, 103},
              {ONLY_110, 110}, {ONLY_120, 120}, {ONLY_121, 121}},
  families[] = {{FAMILY_100, 100}, {FAMILY_103, 103}, {FAMILY_110, 110}, {FAMILY_120, 120}},
  gfx[] = {{GFX_90A, 0x90a}, {GFX_942, 0x942}, {GFX_950, 0x950}, {GFX_1250, 0x1250}};

static uint32_t of_gfx(const zlay_target *t)
{
    uint32_t set = 0;
    for (size_t i = 0; i < ZL_COUNT(gfx); i++)
        if (t->arch == gfx[i].arch) set |= gfx[i].bit;
    return set;
}

static uint32_t properties(const zlay_target *t)
{
    uint32_t set = 0;
    if (t->cls == ZL_CLASS_GFX) return of_gfx(t);
    for (size_t i = 0; i < ZL_COUNT(bases); i++)
        if (t->arch >= bases[i].arch) set |= bases[i].bit;
    for (size_t i = 0; i < ZL_COUNT(onlies); i++)
        if (t->suffix == 'a' && t->arch == onlies[i].arch) set |= onlies[i].bit;
    for (size_t i = 0; i < ZL_COUNT(families); i++)
        if (t->suffix && t->arch / 10 == families[i].arch / 10 && t->arch >= families[i].arch)
            set |= families[i].bit;
    return set;
}

bool zl_target_in(const zlay_target *target, uint32_t sets)
{
    return (properties(target) & sets) != 0;
}

static const char *set_text(uint32_t on)
{
#define SET(name, text, properties)                                                                \
    if (on == name) return text;
#include "isa/forms/sets.def"
#undef SET
    return "";
}

/* ---- versions ------------------------------------------------------------------- */

static const struct {
    uint32_t first, last;
} versions[] = {
#define VERSIONS(first, last) {first, last},
#define TARGET_VERSION(arch, suffix, version)
#define SET_VERSION(set, arch, version)
#include "isa/forms/versions.def"
};

static const struct {
    uint32_t arch;
    char suffix;
    uint32_t version;
} target_versions[] = {
#define VERSIONS(first, last)
#define TARGET_VERSION(arch, suffix, version) {arch, suffix, version},
#define SET_VERSION(set, arch, version)
#include "isa/forms/versions.def"
};

static const struct {
    uint32_t set, arch, version;
} set_versions[] = {
#define VERSIONS(first, last)
#define TARGET_VERSION(arch, suffix, version)
#define SET_VERSION(set, arch, version) {set, arch, version},
#include "isa/forms/versions.def"
};

uint32_t zl_ptx_known(uint32_t version)
{
    uint32_t below = versions[0].first;
    for (size_t i = 0; i < ZL_COUNT(versions); i++) {
        if (version < versions[i].first)
            return i && version - below < versions[i].first - version ? below : versions[i].first;
        if (version <= versions[i].last) return version;
        below = versions[i].last;
    }
    return below;
}

uint32_t zl_target_ptx(const zlay_target *t)
{
    for (size_t i = 0; i < ZL_COUNT(target_versions); i++)
        if (t->cls != ZL_CLASS_GFX && target_versions[i].arch == t->arch &&
            target_versions[i].suffix == t->suffix)
            return target_versions[i].version;
    return 0;
}

/* ---- targets and versions of a form ------------------------------------------------ */

static bool heard(uint32_t cell, bool says) { return says || !(cell & ZL_SAYS); }

uint32_t zl_form_ptx(const zl_isa_form *form, bool says)
{
    uint32_t ptx = form->pattern->ptx;
    for (uint32_t i = 0; i < form->count; i++) {
        uint32_t cell = form->choice[i]->ptx, version = cell & ~ZL_SAYS;
        if (heard(cell, says) && version > ptx) ptx = version;
    }
    return ptx;
}

uint32_t zl_form_ptx_on(const zl_isa_form *form, const zlay_target *target)
{
    uint32_t ptx = zl_form_ptx(form, false);
    for (size_t i = 0; i < ZL_COUNT(set_versions); i++)
        if (target->cls != ZL_CLASS_GFX && target->arch == set_versions[i].arch &&
            form->pattern->on == set_versions[i].set && ptx < set_versions[i].version)
            ptx = set_versions[i].version;
    return ptx;
}

bool zl_form_on(const zl_isa_form *form, const zlay_target *target, bool says)
{
    uint32_t has = properties(target);
    bool on = (form->pattern->on & has) != 0 && !(says && form->pattern->unsaid);
    for (uint32_t i = 0; i < form->count; i++) {
        uint32_t cell = form->choice[i]->on;
        on &= !cell || !heard(cell, says) || (cell & has) != 0;
    }
    return on;
}

/* The narrowest set that the row or a choice names. */
static const char *targets_text(const zl_isa_form *form)
{
    uint32_t on = form->pattern->on;
    if (form->pattern->unsaid) return "none by the documents; ptxas 13.0 takes it";
    for (uint32_t i = 0; i < form->count; i++)
        if (form->choice[i]->on) on = form->choice[i]->on & ~ZL_SAYS;
    return set_text(on);
}

zlay_status zlay_instruction_info(zlay_form *out, uint32_t number)
{
    zl_isa_form form;
    zl_isa_token token;
    if (!out) return ZLAY_EINVAL;
    if (!zl_form_of(&form, number)) return ZLAY_NONE;
    memset(out, 0, sizeof *out);
    out->ptx = zl_form_ptx(&form, true);
    out->targets = targets_text(&form);
    zl_form_reader reader = zl_form_read(&form);
    while (zl_token_next(&reader, &token)) out->operands += token.cls != 0;
    return ZLAY_OK;
}
