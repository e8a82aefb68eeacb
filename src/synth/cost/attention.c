/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a plan of attention: a block for each tile of queries, each with its tiles of keys.
 * Where blocks have different numbers of tiles, causal, they are dealt to processors evenly: the
 * longest come first. */
#include "synth/cost/cost.h"
#include "synth/attention/attention.h"

enum { ROWS = 64 /* of a warpgroup's product */ };

/* The scores, and the result, whose first factor is in registers. */
static void products_of(const zlay_attention_plan *p, zlay_pipe_product out[2])
{
    uint32_t bits = zlay_type_bits(p->ask.type), k = 256 / (bits ? bits : 16);
    uint32_t panels = p->panels ? p->panels : 1;
    out[0] = (zlay_pipe_product){.name = "S",
                                 .op = ZLAY_OP_WGMMA,
                                 .type = p->ask.type,
                                 .m = ROWS,
                                 .n = (int32_t)p->info.tile_n,
                                 .k = (int32_t)k,
                                 .count = p->ask.head / panels / k};
    out[1] = (zlay_pipe_product){.name = "O",
                                 .op = ZLAY_OP_WGMMA_REGISTERS,
                                 .type = p->ask.type,
                                 .m = ROWS,
                                 .n = (int32_t)p->ask.head,
                                 .k = (int32_t)k,
                                 .count = p->info.tile_n / k};
}

/* Bytes of Q, K, V and O, each once. */
static uint64_t operand_bytes(const zlay_attention *a)
{
    uint64_t rows = zl_umul_sat(2 * a->heads, a->queries),
             keys = zl_umul_sat(2 * a->kv_heads, a->keys);
    return zl_umul_sat(zl_umul_sat(zl_uadd_sat(rows, keys), a->batch),
                       (uint64_t)a->head * zlay_type_bits(a->type) / 8);
}

/* Tiles of keys of all blocks of a head, and those of the block that has most. */
static void count_tiles(const zlay_attention_plan *p, uint64_t *all, uint64_t *most)
{
    uint64_t blocks = p->info.grid[0], tiles = p->info.tiles;
    *most = tiles;
    *all = zl_umul_sat(blocks, tiles);
    if (!p->ask.causal) return;
    *all = *most = 0;
    for (uint64_t x = 0; x < blocks; x++) {
        uint64_t own = zl_umin((x * p->count_times + p->count_add) / p->info.tile_n, tiles);
        uint64_t gone = x * p->count_times + p->count_add;
        if (p->count_behind && gone > p->count_behind)
            own -= zl_umin(own, (gone - p->count_behind) / p->info.tile_n);
        *all = zl_uadd_sat(*all, own);
        *most = zl_umax(*most, own);
    }
}

/* Blocks in waves; where they differ all trips over all processors, and a block's ends for each
 * wave. */
static zlay_status deal(zlay_ctx *ctx, zlay_kernel_cost *out, const zlay_attention_plan *p,
                        int64_t processors, int64_t between, int64_t most, uint64_t all)
{
    uint64_t heads = zl_umul_sat(p->info.grid[1], p->info.grid[2]);
    zl_i128 ends = (zl_i128)out->cycles - (zl_i128)out->trip_cycles * most + between;
    zl_i128 trips = (zl_i128)out->trip_cycles * most * out->waves;
    if (p->ask.causal)
        trips = ((zl_i128)out->trip_cycles * zl_umul_sat(all, heads) + processors - 1) / processors;
    zl_i128 cycles = ends * out->waves + trips;
    if (cycles > INT64_MAX / 4 || trips > INT64_MAX / 4)
        return zl_fail(ctx, ZLAY_EOVERFLOW, "cycles pass 63 bits");
    out->tile_cycles = out->cycles;
    out->cycles = (int64_t)cycles;
    return ZLAY_OK;
}

static zlay_status cycles_of(zlay_ctx *ctx, zlay_kernel_cost *out, const zlay_machine *machine,
                             const zlay_attention_plan *p)
{
    zlay_pipe_product products[2];
    int64_t processors, between;
    uint64_t all, most;
    zl_block_cost b = {.machine = machine,
                       .pipe = p->pipe,
                       .products = products,
                       .products_count = 2,
                       .outer = -1};
    if (p->tmem || p->split || p->merges || p->ask.sequences || zl_attention_differ(&p->ask) ||
        !p->moves_count || !p->pipe)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "the time of plans with splits, sequences of different lengths or without "
                       "wgmma is not known");
    b.inner = zl_kernel_param(p->pipe, "N");
    if (b.inner < 0) return zl_fail(ctx, ZLAY_ENOTSUP, "the plan's pipe has no param N");
    products_of(p, products);
    zlay_status status = zl_charge(ctx, p->info.grid[0]);
    if (status) return status;
    count_tiles(p, &all, &most);
    uint64_t blocks = zl_umin(
        zl_umul_sat(p->info.grid[0], zl_umul_sat(p->info.grid[1], p->info.grid[2])), INT64_MAX / 8);
    status = zl_kernel_fact(ctx, &processors, machine, ZLAY_MACHINE_PROCESSORS, &out->facts);
    if (!status)
        status = zl_kernel_fact(ctx, &between, machine, ZLAY_MACHINE_BLOCK_CYCLES, &out->facts);
    if (!status) status = zl_kernel_share(ctx, &b.share, machine, (int64_t)blocks, &out->facts);
    if (status) return status;
    out->waves = (int64_t)zl_ceil_div(blocks, (uint64_t)processors);
    status = zl_block_cycles(ctx, &b, 1, (int64_t)zl_umax(most, 1), out);
    if (status) return status;
    out->bound = b.bound;
    out->facts |= b.facts;
    out->ops |= b.ops;
    status = deal(ctx, out, p, processors, between, (int64_t)most, all);
    return status ? status : zl_kernel_finish(ctx, out, machine, operand_bytes(&p->ask));
}

zlay_status zlay_attention_cycles(zlay_ctx *ctx, zlay_kernel_cost *out, const zlay_machine *machine,
                                  const zlay_attention_plan *plan)
{
    zlay_kernel_cost cost = {.bound = -1};
    if (!ctx || !out || !machine || !plan) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = cycles_of(ctx, &cost, machine, plan);
    if (!status) *out = cost;
    return zl_leave(ctx, status);
}
