/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a block with many trips, and of a kernel of many blocks. A steady loop takes the same
 * for each trip more, so a block is run with few trips, once in one tile and once in two, and what
 * a trip and a tile more take is added for the others. */
#include "synth/cost/cost.h"

#include <string.h>

int32_t zl_kernel_param(const zlay_pipe *pipe, const char *name)
{
    for (uint32_t k = 0; k < pipe->params_count; k++)
        if (!strcmp(pipe->params[k].name, name)) return (int32_t)k;
    return -1;
}

zlay_status zl_kernel_fact(zlay_ctx *ctx, int64_t *out, const zlay_machine *machine, int32_t fact,
                           uint64_t *facts)
{
    if (zlay_machine_get(out, machine, fact) || *out < 1)
        return zl_fail(ctx, ZLAY_NONE, "%s: no document and no measurement says %s",
                       zlay_target_name(machine->target), zlay_machine_fact_name(fact));
    if (machine->facts[fact].basis != ZLAY_BASIS_MEASURED) *facts |= 1ull << fact;
    return ZLAY_OK;
}

/* The time of one run. */
static zlay_status run(zlay_ctx *ctx, zl_block_cost *b, int64_t tiles, int64_t trips,
                       zlay_pipe_cost *out)
{
    int64_t values[ZL_PIPE_NAMES];
    for (uint32_t k = 0; k < b->pipe->params_count; k++) values[k] = b->pipe->params[k].least;
    values[b->inner] = trips;
    if (b->outer >= 0) values[b->outer] = tiles;
    const zlay_pipe_cost_request ask = {.size = sizeof ask,
                                        .params_count = b->pipe->params_count,
                                        .machine = b->machine,
                                        .params = values,
                                        .products = b->products,
                                        .products_count = b->products_count,
                                        .share_kilocycle = b->share,
                                        .steady = b->pipe->params[b->inner].name};
    zlay_status status = zl_pipe_cycles(ctx, out, b->pipe, &ask);
    if (status) return status;
    b->facts |= out->facts;
    b->ops |= out->ops;
    b->bound = out->bound;
    return ZLAY_OK;
}

/* a * b + c, or EOVERFLOW. */
static zlay_status add_times(zlay_ctx *ctx, int64_t *c, int64_t a, int64_t b)
{
    int64_t product;
    if (zl_mul(a, b, &product) && zl_add(*c, product, c)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EOVERFLOW, "cycles pass 63 bits");
}

zlay_status zl_block_cycles(zlay_ctx *ctx, zl_block_cost *b, int64_t tiles, int64_t trips,
                            zlay_kernel_cost *out)
{
    zlay_pipe_cost one, two = {0};
    int64_t own = zl_min(trips, ZL_COST_TRIPS), more = trips - own;
    zlay_status status = run(ctx, b, 1, own, &one);
    if (status) return status;
    int64_t first = one.cycles;
    status = add_times(ctx, &first, more, zl_max(one.interval, 0));
    out->trip_cycles = zl_max(one.interval, 0);
    out->tile_cycles = first;
    out->cycles = first;
    if (status || tiles < 2 || b->outer < 0) return status;
    status = run(ctx, b, 2, own, &two);
    if (status) return status;
    int64_t second = two.cycles - one.cycles;
    status = add_times(ctx, &second, more, zl_max(two.interval - one.interval, 0));
    if (!status) status = add_times(ctx, &out->cycles, second, tiles - 1);
    out->tile_cycles = second;
    out->trip_cycles = zl_max(two.interval - one.interval, 0);
    return status;
}

zlay_status zl_kernel_share(zlay_ctx *ctx, uint64_t *out, const zlay_machine *machine,
                            int64_t blocks, uint64_t *facts)
{
    int64_t l2, processors;
    bool known = machine->facts[ZLAY_MACHINE_L2_TOGETHER_KILOCYCLE].basis;
    int32_t rate = known ? ZLAY_MACHINE_L2_TOGETHER_KILOCYCLE : ZLAY_MACHINE_L2_KILOCYCLE;
    zlay_status status = zl_kernel_fact(ctx, &l2, machine, rate, facts);
    if (!status) status = zl_kernel_fact(ctx, &processors, machine, ZLAY_MACHINE_PROCESSORS, facts);
    if (!status) *out = (uint64_t)zl_max(l2 / zl_max(zl_min(processors, blocks), 1), 1);
    return status;
}

zlay_status zl_kernel_finish(zlay_ctx *ctx, zlay_kernel_cost *out, const zlay_machine *machine,
                             uint64_t bytes)
{
    int64_t dram, near, far, khz, launch;
    zlay_status status =
        zl_kernel_fact(ctx, &dram, machine, ZLAY_MACHINE_DRAM_KILOCYCLE, &out->facts);
    if (!status) status = zl_kernel_fact(ctx, &near, machine, ZLAY_MACHINE_L2_CYCLES, &out->facts);
    if (!status) status = zl_kernel_fact(ctx, &far, machine, ZLAY_MACHINE_DRAM_CYCLES, &out->facts);
    if (!status) status = zl_kernel_fact(ctx, &khz, machine, ZLAY_MACHINE_CLOCK_KHZ, &out->facts);
    if (!status)
        status = zl_kernel_fact(ctx, &launch, machine, ZLAY_MACHINE_LAUNCH_NS, &out->facts);
    if (status) return status;
    zl_i128 sent = -zl_floor_div_128(-(zl_i128)bytes * 1000, dram);
    if (sent > INT64_MAX / 4) return zl_fail(ctx, ZLAY_EOVERFLOW, "cycles pass 63 bits");
    out->dram_cycles = (int64_t)sent;
    if (out->dram_cycles > out->cycles) out->bound = -1;
    if (!zl_add(zl_max(out->cycles, out->dram_cycles), zl_max(far - near, 0), &out->cycles))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "cycles pass 63 bits");
    zl_i128 ns = -zl_floor_div_128(-(zl_i128)out->cycles * 1000000, khz) + launch;
    if (ns > INT64_MAX) return zl_fail(ctx, ZLAY_EOVERFLOW, "nanoseconds pass 63 bits");
    out->ns = (int64_t)ns;
    return ZLAY_OK;
}
