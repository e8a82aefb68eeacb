/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to shared memory by name and number, and how a target serves them. */
#include "legality/bank/bank.h"

#include <string.h>

enum {
#define BANK_TARGET(name, arch) INDEX_##name,
#include "legality/bank/targets.def"
#undef BANK_TARGET
};

enum {
#define BANK_TARGET(name, arch) name = 1u << INDEX_##name,
#include "legality/bank/targets.def"
#undef BANK_TARGET
#define BANK_SET(name, targets) name = targets,
#include "legality/bank/sets.def"
#undef BANK_SET
};

static const uint32_t machines[] = {
#define BANK_TARGET(name, arch) arch,
#include "legality/bank/targets.def"
#undef BANK_TARGET
};

enum {
#define GROUP(name, gap) GROUP_##name,
#include "legality/bank/groups.def"
#undef GROUP
};

static const char *const gaps[] = {
#define GROUP(name, gap) gap,
#include "legality/bank/groups.def"
#undef GROUP
};

static const zl_bank_access accesses[] = {
#define ACCESS(number, group, name, bytes, align, rows, parts, unit, stores, targets)              \
    {number, GROUP_##group, name, bytes, align, rows, parts, unit, stores, targets},
#include "legality/bank/accesses.def"
#undef ACCESS
};

static const struct {
    const char *name, *of;
} aliases[] = {
#define ALIAS(name, of) {name, of},
#include "legality/bank/aliases.def"
#undef ALIAS
};

#define PHASES(name, ...) static const uint64_t phases_##name[] = {__VA_ARGS__};
#include "legality/bank/phases.def"
#undef PHASES

#define NCU                                                                                        \
    "Nsight Compute 2025.3, l1tex__data_pipe_lsu_wavefronts_mem_shared; H200, driver 580.159.04"
#define GUIDE                                                                                      \
    "CUDA Programming Guide 13, Shared Memory: 32 banks of 4 bytes, one word for all that ask for it"
#define SHARK   "AMD SHARK, docs/empirical-lds: conflicts counted on MI300X and MI350X"
#define KITTENS "HipKittens, analysis/paper_experiments/phases: conflicts counted on MI350X"

static const zl_bank_model models[] = {
#define MODEL(group, targets, phases, banks, serves, basis, source)                                \
    {GROUP_##group, targets, phases_##phases, ZL_COUNT(phases_##phases), banks,                    \
     ZL_SERVES_##serves, ZLAY_BASIS_##basis, source},
#include "legality/bank/models.def"
#undef MODEL
};

static bool same(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && !memcmp(name, text, length);
}

static const zl_bank_access *named(const char *name, size_t length)
{
    for (size_t i = 0; i < ZL_COUNT(accesses); i++)
        if (same(accesses[i].name, name, length)) return &accesses[i];
    return NULL;
}

/* Loads and stores take types of any kind, and the bits alone count. */
static const zl_bank_access *typed(const char *name, size_t length)
{
    char plain[32];
    size_t type = length;
    if (length >= sizeof plain || length < 12 || memcmp(name + 2, ".shared.", 8)) return NULL;
    memcpy(plain, name, length);
    while (type > 0 && name[type - 1] != '.') type--;
    if (type == length || !strchr("usf", name[type])) return NULL;
    plain[type] = 'b';
    return named(plain, length);
}

zlay_status zlay_bank_find(int32_t *out, const char *name, size_t length)
{
    if (!out || !name) return ZLAY_EINVAL;
    for (size_t i = 0; i < ZL_COUNT(aliases); i++)
        if (same(aliases[i].name, name, length)) {
            name = aliases[i].of;
            length = strlen(name);
        }
    const zl_bank_access *access = named(name, length);
    if (!access) access = typed(name, length);
    if (!access) return ZLAY_NONE;
    *out = access->number;
    return ZLAY_OK;
}

size_t zlay_bank_count(void)
{
    return ZL_COUNT(accesses);
}

zlay_status zlay_bank_nth(int32_t *out, size_t i)
{
    if (!out) return ZLAY_EINVAL;
    if (i >= ZL_COUNT(accesses)) return ZLAY_NONE;
    *out = accesses[i].number;
    return ZLAY_OK;
}

static const zl_bank_model *model_of(uint32_t group, uint32_t bit)
{
    for (size_t i = 0; i < ZL_COUNT(models); i++)
        if (models[i].group == group && models[i].targets & bit) return &models[i];
    return NULL;
}

enum {
#define ACCESS(number, group, name, bytes, align, rows, parts, unit, stores, targets) ROW_##number,
#include "legality/bank/accesses.def"
#undef ACCESS
};

/* 1 + row of a number; 0 where there is none. */
static const uint8_t row_of[] = {
#define ACCESS(number, group, name, bytes, align, rows, parts, unit, stores, targets)              \
    [number] = ROW_##number + 1,
#include "legality/bank/accesses.def"
#undef ACCESS
};

static const zl_bank_access *numbered(int32_t number)
{
    bool has = number >= 0 && (size_t)number < ZL_COUNT(row_of) && row_of[number];
    return has ? &accesses[row_of[number] - 1] : NULL;
}

zlay_status zl_banked_of(zl_banked *out, const zlay_target *target, int32_t access)
{
    out->access = numbered(access);
    if (!out->access) return ZLAY_EINVAL;
    for (uint32_t i = 0; i < ZL_COUNT(machines); i++)
        if (machines[i] == target->arch && out->access->targets >> i & 1) {
            out->lanes = zl_target_limits(target)->lanes;
            out->model = model_of(out->access->group, 1u << i);
            return ZLAY_OK;
        }
    return ZLAY_NONE;
}

zlay_status zlay_bank_info(zlay_bank_access *out, const zlay_target *target, int32_t access)
{
    zl_banked banked;
    if (!out || !target) return ZLAY_EINVAL;
    zlay_status status = zl_banked_of(&banked, target, access);
    if (status) return status;
    const zl_bank_access *a = banked.access;
    memset(out, 0, sizeof *out);
    out->number = a->number;
    out->lanes = banked.lanes;
    out->rows = a->rows ? a->rows : banked.lanes;
    out->parts = a->parts;
    out->bytes = a->bytes;
    out->align = a->align;
    out->unit = a->unit;
    out->stores = a->stores;
    out->name = a->name;
    out->basis = banked.model ? banked.model->basis : 0;
    out->source = banked.model ? banked.model->source : NULL;
    out->gap = banked.model ? NULL : gaps[a->group];
    return ZLAY_OK;
}

const zlay_target *zl_bank_alike(const zlay_target *target)
{
    static const char measured[] = "sm_90", counted[] = "gfx950";
    const zlay_target *alike = NULL;
    zlay_target_summary info = {0};
    zlay_target_info(&info, target);
    if (info.ptx) zlay_target_find(&alike, measured, sizeof measured - 1);
    else zlay_target_find(&alike, counted, sizeof counted - 1);
    return alike;
}
