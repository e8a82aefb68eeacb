/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

enum { SOME = 24, MANY = 250, REASONS_READ = 64, SEVERAL = SAMPLE_KEYS - 1 };

/* The driver's rule that alone is broken; 0: none is, SEVERAL: more are. */
static uint32_t key_of(const zlay_target *target, const zlay_tensormap *map)
{
    zlay_reason reasons[REASONS_READ];
    zlay_verdict v;
    uint32_t key = 0;
    if (zlay_tensormap_check(&v, reasons, REASONS_READ, target, map)) return SEVERAL;
    for (uint32_t i = 0; i < v.reasons && i < REASONS_READ; i++) {
        if (reasons[i].by != ZLAY_BY_DRIVER || reasons[i].noted) continue;
        if (key && key != (uint32_t)reasons[i].rule) return SEVERAL;
        key = (uint32_t)reasons[i].rule;
    }
    return key < SEVERAL ? key : SEVERAL;
}

void sample_add(sample *s, const zlay_target *target, int32_t mode, uint64_t i,
                const zlay_tensormap *map, int taken)
{
    uint32_t key = key_of(target, map), most = key == 0 || key == SEVERAL ? MANY : SOME;
    if (s->taken[key]++ >= most) return;
    fprintf(s->file, "ANSWER(%d, %llu, %d)\n", mode, (unsigned long long)i, taken != 0);
}
