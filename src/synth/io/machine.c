/* SPDX-License-Identifier: Apache-2.0 */
/* What a target's tiles may be, and the machine's figures: capacities and rates. */
#include "synth/io/io.h"
#include "target/target.h"

#include <zlay/block.h>
#include <zlay/machine.h>

zlay_status zl_io_tiles_of(zlay_ctx *ctx, zl_io_tiles *out, const zlay_target *target)
{
    static const struct {
        uint32_t feature;
        zl_io_tiles tiles;
    } rows[] = {
#define IO_TILES(feature, m, m_most, m_step, n, n_most, n_step, sums, fused, pairs, on_chip)                                           \
    {ZL_HAS_##feature, {m, m_most, m_step, n, n_most, n_step, sums, fused, pairs, on_chip}},
#include "synth/io/tiles.def"
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (target->features & rows[i].feature) {
            *out = rows[i].tiles;
            return ZLAY_OK;
        }
    return zl_fail(ctx, ZLAY_ENOTSUP, "target %s: tiles of wgmma, tcgen05 and mma.sync are known", target->name);
}

/* Of L2 operands have five eighths, and processors differ in pace by a hundredth: so the model comes closest to what Nsight Compute
 * counts on an H200 (docs/io.md). */
enum { L2_FASTER = 2, L2_EIGHTHS = 5, SPREAD = 10, SPREAD_MOST = 500, PROCESSORS_MOST = 4096 };

/* A figure that the request leaves open, from the target's rows; 0: not known. */
static uint64_t figure(const zlay_machine *m, int32_t fact, uint64_t request)
{
    int64_t value;
    if (request || zlay_machine_get(&value, m, fact)) return request;
    return value > 0 ? (uint64_t)value : 0;
}

zlay_status zl_io_machine_of(zlay_ctx *ctx, zlay_io_machine *out, const zlay_target *target, const zlay_io_machine *request)
{
    zlay_machine m;
    zlay_status status = zlay_machine_find(&m, target);
    if (status && status != ZLAY_NONE) return status;
    *out = *request;
    out->l2 = request->l2 ? request->l2 : figure(&m, ZLAY_MACHINE_L2_BYTES, 0) / 8 * L2_EIGHTHS;
    out->hbm_rate = figure(&m, ZLAY_MACHINE_DRAM_KILOCYCLE, request->hbm_rate);
    out->l2_rate = figure(&m, ZLAY_MACHINE_L2_KILOCYCLE, request->l2_rate);
    uint64_t processors = figure(&m, ZLAY_MACHINE_PROCESSORS, request->processors);
    if (!out->smem) out->smem = (uint32_t)zlay_smem_capacity(target);
    if (!out->l2_rate) out->l2_rate = zl_umul_sat(out->hbm_rate, L2_FASTER);
    const char *open = !out->l2 ? "l2" : !out->hbm_rate ? "hbm_rate" : !processors ? "processors" : NULL;
    if (open) return zl_fail(ctx, ZLAY_ENOTSUP, "machine.%s: not known of %s; the request may say it", open, target->name);
    if (!out->spread) out->spread = SPREAD;
    if (out->reserved || out->spread > SPREAD_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "machine.spread: %u, of %d at most; reserved words are 0", out->spread, SPREAD_MOST);
    if (processors > PROCESSORS_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "machine.processors: %llu, of %d at most", (unsigned long long)processors, PROCESSORS_MOST);
    out->processors = (uint32_t)processors;
    return ZLAY_OK;
}

uint64_t zl_io_l2_whole(const zlay_target *target, const zlay_io_machine *request)
{
    zlay_machine m;
    if (request->l2 || zlay_machine_find(&m, target)) return request->l2;
    return figure(&m, ZLAY_MACHINE_L2_BYTES, 0);
}
