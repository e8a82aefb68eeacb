/* SPDX-License-Identifier: Apache-2.0 */
/* Targets and element types by their names. */
#include "target/target.h"

#include <string.h>

enum {
    CP_ASYNC = ZL_HAS_CP_ASYNC,
    TMA = ZL_HAS_TMA,
    CLUSTER = ZL_HAS_CLUSTER,
    WGMMA = ZL_HAS_WGMMA,
    TCGEN05 = ZL_HAS_TCGEN05,
    LD_12 = ZL_HAS_LD_12,
    LD_32 = ZL_HAS_LD_32,
    FNUZ = ZL_HAS_FNUZ,
    DIRECT = ZL_HAS_DIRECT,
    DIRECT_16 = ZL_HAS_DIRECT_16,
    CVT_BF16 = ZL_HAS_CVT_BF16,
    CVT_FP8 = ZL_HAS_CVT_FP8
};

static const zlay_target targets[] = {
#define TARGET(name, cls, arch, suffix, smem, features)                                            \
    {name, ZL_CLASS_##cls, arch, suffix, smem, features},
#include "target/targets.def"
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

const char *zlay_target_driver(const zlay_target *target)
{
    return target && zl_measured(target) ? ZL_DRIVER : NULL;
}

size_t zlay_target_count(void)
{
    return ZL_COUNT(targets);
}

const zlay_target *zlay_target_nth(size_t i)
{
    return i < ZL_COUNT(targets) ? &targets[i] : NULL;
}

const char *zlay_basis_name(int32_t basis)
{
    static const char *const names[] = {NULL, "documented", "measured", "reckoned"};
    return basis > 0 && (size_t)basis < ZL_COUNT(names) ? names[basis] : NULL;
}

uint64_t zlay_target_widths(const zlay_target *target, int32_t shared)
{
    uint64_t usual = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 16;
    if (target && target->features & ZL_HAS_LD_12) usual |= 1u << 12;
    if (target && target->features & ZL_HAS_LD_32 && !shared) usual |= 1ull << 32;
    return usual;
}

uint64_t zlay_target_direct(const zlay_target *target)
{
    uint64_t widths = 0;
    if (target && target->features & ZL_HAS_DIRECT) widths |= 1u << 4;
    if (target && target->features & ZL_HAS_DIRECT_16) widths |= 1u << 16;
    return widths;
}

int32_t zlay_target_type(const zlay_target *target, int32_t type)
{
    if (!target || !(target->features & ZL_HAS_FNUZ)) return type;
    return type == ZLAY_TYPE_E4M3   ? ZLAY_TYPE_E4M3_FNUZ
           : type == ZLAY_TYPE_E5M2 ? ZLAY_TYPE_E5M2_FNUZ
                                    : type;
}

/* ---- limits ---------------------------------------------------------------------------- */

static const zlay_target_summary limits[] = {
#define LIMITS(arch, width, most_threads, own, file, bank_count, blocks, most_blocks, granule)     \
    {.architecture = arch,                                                                         \
     .lanes = width,                                                                               \
     .threads = most_threads,                                                                      \
     .registers = own,                                                                             \
     .register_file = file,                                                                        \
     .banks = bank_count,                                                                          \
     .bank_bytes = 4,                                                                              \
     .cluster = blocks,                                                                            \
     .cluster_most = most_blocks,                                                                  \
     .smem_granule = granule},
#include "target/limits.def"
#undef LIMITS
};

const zlay_target_summary *zl_target_limits(const zlay_target *target)
{
    size_t i = 0;
    while (i + 1 < ZL_COUNT(limits) && limits[i].architecture != target->arch) i++;
    return &limits[i];
}

enum { RESERVED_SMEM = 1024 }; /* bytes that the system keeps of each block's */

uint64_t zl_smem_window(const zlay_target *t)
{
    return t->smem + (t->features & ZL_HAS_CP_ASYNC ? RESERVED_SMEM : 0);
}

/* ---- element types --------------------------------------------------------------------- */

static const struct {
    int32_t type;
    uint32_t bits;
    const char *name;
} types[] = {
#define TYPE(number, name, bits) {ZLAY_TYPE_##number, bits, name},
#include "target/types.def"
#undef TYPE
};

zlay_status zlay_type_find(int32_t *out, const char *name, size_t length)
{
    if (!out || !name) return ZLAY_EINVAL;
    for (size_t i = 0; i < ZL_COUNT(types); i++)
        if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length)) {
            *out = types[i].type;
            return ZLAY_OK;
        }
    return ZLAY_NONE;
}

const char *zlay_type_name(int32_t type)
{
    for (size_t i = 0; i < ZL_COUNT(types); i++)
        if (types[i].type == type) return types[i].name;
    return NULL;
}

static const uint8_t type_bits[] = {
#define TYPE(number, name, bits) [ZLAY_TYPE_##number] = bits,
#include "target/types.def"
#undef TYPE
};

uint32_t zlay_type_bits(int32_t type)
{
    return type >= 0 && (size_t)type < ZL_COUNT(type_bits) ? type_bits[type] : 0;
}
