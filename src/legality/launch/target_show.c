/* SPDX-License-Identifier: Apache-2.0 */
/* What a target is and gives. */
#include "isa/form.h"

static const struct {
    zl_target_class cls;
    const char *name;
} classes[] = {{ZL_CLASS_NONE, "no tensor maps"}, {ZL_CLASS_SM90, "sm_90"},
               {ZL_CLASS_SM100, "sm_100"},        {ZL_CLASS_SM103, "sm_103"},
               {ZL_CLASS_SM110, "sm_110"},        {ZL_CLASS_SM120, "sm_120"},
               {ZL_CLASS_GFX, "gfx"}};

static const char *class_name(zl_target_class cls)
{
    for (size_t i = 0; i < ZL_COUNT(classes); i++)
        if (classes[i].cls == cls) return classes[i].name;
    return "";
}

zlay_status zlay_target_info(zlay_target_summary *out, const zlay_target *target)
{
    zlay_target_summary info;
    if (!out || !target) return ZLAY_EINVAL;
    info = *zl_target_limits(target);
    info.suffix = target->suffix;
    info.cls = class_name(target->cls);
    info.ptx = zl_target_ptx(target);
    info.smem = target->smem;
    info.smem_multiprocessor = zl_smem_window(target);
    *out = info;
    return ZLAY_OK;
}

static const struct {
    uint32_t bit;
    const char *name;
} features[] = {{ZL_HAS_CP_ASYNC, "cp_async"},
                {ZL_HAS_TMA, "tma"},
                {ZL_HAS_CLUSTER, "cluster"},
                {ZL_HAS_WGMMA, "wgmma"},
                {ZL_HAS_TCGEN05, "tcgen05"}};

const char *zlay_target_feature_nth(const zlay_target *target, size_t i)
{
    for (size_t k = 0; target && k < ZL_COUNT(features); k++)
        if (target->features & features[k].bit && !i--) return features[k].name;
    return NULL;
}
