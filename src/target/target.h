/* SPDX-License-Identifier: Apache-2.0 */
/* A target: its architecture, the class of its tensor maps, and what it has. The rows are targets.def; limits that go with an
 * architecture are rows of limits.def. */
#ifndef ZL_TARGET_H
#define ZL_TARGET_H

#include "base/base.h"
#include <zlay/target.h>

typedef enum zl_target_class {
    ZL_CLASS_NONE = 1, /* no tensor maps */
    ZL_CLASS_SM90 = 2, /* the class whose driver was measured */
    ZL_CLASS_SM100 = 4,
    ZL_CLASS_SM103 = 8,
    ZL_CLASS_SM110 = 16,
    ZL_CLASS_SM120 = 32,
    ZL_CLASS_GFX = 64
} zl_target_class;

enum {
    ZL_HAS_CP_ASYNC = 1,
    ZL_HAS_TMA = 2,
    ZL_HAS_CLUSTER = 4,
    ZL_HAS_WGMMA = 8,
    ZL_HAS_TCGEN05 = 16,
    ZL_HAS_LD_12 = 32, /* a thread loads 12 bytes at once, global and shared */
    ZL_HAS_LD_32 = 64, /* 32 bytes, global only */
    ZL_HAS_FNUZ = 128, /* its fp8 formats have no negative zero */
    ZL_HAS_DIRECT = 256, /* a lane's load of 4 bytes writes shared memory */
    ZL_HAS_DIRECT_16 = 512, /* of 16 bytes too */
    ZL_HAS_CVT_BF16 = 1024, /* an instruction rounds two f32 to bf16 */
    ZL_HAS_CVT_FP8 = 2048 /* a wave's instruction rounds two f32 to e4m3 or e5m2 */
};

struct zlay_target {
    const char *name;
    zl_target_class cls;
    uint32_t arch; /* 90 of sm_90a; 0x942 of gfx942 */
    char suffix;   /* 'a', 'f' or 0 */
    uint64_t smem;
    uint32_t features; /* ZL_HAS_* */
};

/* The driver that was asked about tensor maps. */
#define ZL_DRIVER "580.159.04"

/* Whether the class's driver was measured, so that its own verdict is known. */
static inline bool zl_measured(const zlay_target *target) { return target->cls == ZL_CLASS_SM90; }

/* The row of limits.def that the target's architecture has. */
const zlay_target_summary *zl_target_limits(const zlay_target *target);

/* The end of a block's shared addresses: what it may have behind what the system keeps. */
uint64_t zl_smem_window(const zlay_target *target);

#endif
