/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of a machine: work over the rate of the units that do it (the roofline of Williams, Waterman and Patterson, 2009). */
#include "target/roofline.h"
#include "base/arith.h"
#include "base/base.h"

enum { MILLI = 1000, PER_KHZ = 1000000 /* ns of a cycle, at one kHz */ };

/* a * b / c, rounded down; a product that passes 64 bits is divided first. */
static uint64_t scaled(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t product;
    if (zl_umul(a, b, &product)) return product / c;
    return zl_umul_sat(a / c, b);
}

/* A number of the machine that time is divided by: a caller's machine may have any. */
static zlay_status rate_get(uint64_t *out, const zlay_machine *machine, int32_t fact)
{
    int64_t value;
    zlay_status status = zlay_machine_get(&value, machine, fact);
    if (status) return status;
    *out = (uint64_t)value;
    return value > 0 ? ZLAY_OK : ZLAY_EINVAL;
}

static zlay_status cycles_ns(uint64_t *ns, const zlay_machine *machine, int32_t clock, uint64_t milli)
{
    uint64_t khz;
    zlay_status status = rate_get(&khz, machine, clock);
    if (status) return status;
    *ns = scaled(milli, PER_KHZ / MILLI, khz);
    return ZLAY_OK;
}

zlay_status zl_roofline_form(uint64_t *ns, const zlay_machine *machine, const zlay_machine_form *form, uint64_t work, uint64_t each)
{
    int64_t units;
    uint64_t processors;
    zlay_status status = rate_get(&processors, machine, ZLAY_MACHINE_PROCESSORS);
    if (!status) status = zlay_machine_unit_count(&units, machine, form->unit);
    if (!status && (units < 1 || form->units < 1 || form->occupancy_milli < 1 || !each)) status = ZLAY_EINVAL;
    if (status) return status;
    uint64_t own = scaled(work / each, (uint64_t)form->occupancy_milli, processors);
    return cycles_ns(ns, machine, ZLAY_MACHINE_CLOCK_MOST_KHZ, scaled(own, (uint64_t)form->units, (uint64_t)units));
}

zlay_status zl_roofline_dram(uint64_t *ns, const zlay_machine *machine, uint64_t bytes)
{
    uint64_t rate;
    zlay_status status = rate_get(&rate, machine, ZLAY_MACHINE_DRAM_KILOCYCLE);
    return status ? status : cycles_ns(ns, machine, ZLAY_MACHINE_CLOCK_KHZ, scaled(bytes, (uint64_t)MILLI * MILLI, rate));
}

zlay_status zl_roofline_said(zlay_ctx *ctx, zlay_status status, const zlay_machine *machine)
{
    const char *name = zlay_target_name(machine->target);
    if (status == ZLAY_NONE) return zl_fail(ctx, status, "%s: the machine lacks a clock or a rate", name);
    return status == ZLAY_EINVAL ? zl_fail(ctx, status, "machine: a number of units, a clock or a rate is below 1") : status;
}
