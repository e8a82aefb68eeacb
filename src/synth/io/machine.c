/* SPDX-License-Identifier: Apache-2.0 */
/* What a target's tiles may be, and the machine's figures: capacities and rates. */
#include "synth/io/io.h"
#include "target/target.h"

#include <zlay/block.h>

zlay_status zl_io_tiles_of(zlay_ctx *ctx, zl_io_tiles *out, const zlay_target *target)
{
    static const struct {
        uint32_t feature;
        zl_io_tiles tiles;
    } rows[] = {
#define IO_TILES(feature, m, m_most, m_step, n, n_most, n_step, sums, pairs, on_chip)                                                  \
    {ZL_HAS_##feature, {m, m_most, m_step, n, n_most, n_step, sums, pairs, on_chip}},
#include "synth/io/tiles.def"
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (target->features & rows[i].feature) {
            *out = rows[i].tiles;
            return ZLAY_OK;
        }
    return zl_fail(ctx, ZLAY_ENOTSUP, "target %s: tiles of wgmma, tcgen05 and mma.sync are known", target->name);
}

zlay_status zl_io_machine_of(zlay_ctx *ctx, zlay_io_machine *out, const zlay_target *target, const zlay_io_machine *given)
{
    const zlay_io_machine usual = {.l2 = 50 << 20, .hbm_rate = 2400000, .l2_rate = 4200000, .processors = 132};
    *out = *given;
    if (!out->smem) out->smem = (uint32_t)zlay_smem_capacity(target);
    if (!out->l2) out->l2 = usual.l2;
    if (!out->hbm_rate) out->hbm_rate = usual.hbm_rate;
    if (!out->l2_rate) out->l2_rate = usual.l2_rate;
    if (!out->processors) out->processors = usual.processors;
    if (out->processors > 4096) return zl_fail(ctx, ZLAY_EINVAL, "machine: %u processors, of 4096 at most", out->processors);
    return ZLAY_OK;
}
