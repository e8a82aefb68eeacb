/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks at launch as a subject of rules. */
#include "base/arith.h"
#include "base/request.h"
#include "rules/bounds.h"
#include "rules/constants.h"
#include "rules/rule.h"

#include <zlay/block.h>

enum {
    AXES = 3,
    GROUPS = 8,
    GROUP = 128,      /* threads of a warpgroup */
    GRANULE = 8,      /* registers of a thread */
    WARPS_TOGETHER = 4, /* warps whose registers are given at once */
    STATIC = 49152,
    ALL_FLAGS = 2 * ZLAY_BLOCK_UNFIXED - 1
};

static const zlay_block *block_of(const zl_subject *s) { return s->value; }

static uint64_t register_file(const zlay_block *b)
{
    uint64_t warps =
        zl_round_up(zl_round_up(b->threads, WARP_THREADS) / WARP_THREADS, WARPS_TOGETHER);
    return zl_umul_sat(warps * WARP_THREADS, zl_round_up(b->registers, GRANULE));
}

static uint64_t blocks(const zlay_block *b)
{
    uint64_t product = 1;
    for (int i = 0; i < AXES; i++) product = zl_umul_sat(product, b->cluster[i]);
    return product;
}

/* Warpgroups of the block that the fields have; the last may be a part of one. */
static uint32_t groups(const zlay_block *b)
{
    uint64_t count = zl_round_up(b->threads, GROUP) / GROUP;
    return count < GROUPS ? (uint32_t)count : GROUPS;
}

/* Registers of all threads once every warpgroup has what it asks for. */
static uint64_t pool(const zlay_block *b)
{
    uint64_t registers = 0;
    for (uint32_t i = 0; i < groups(b); i++) {
        uint64_t each = b->setmaxnreg[i] ? b->setmaxnreg[i] : zl_round_up(b->registers, GRANULE);
        registers = zl_uadd_sat(registers, each * GROUP);
    }
    return registers;
}

static bool nvidia(const zlay_target *t) { return (t->features & ZL_HAS_CP_ASYNC) != 0; }

static bool moves_registers(const zlay_target *t)
{
    return t->features & ZL_HAS_TMA && t->suffix != 0;
}

/* A warpgroup that asks for nothing breaks no rule of those that do. */
static uint64_t asked(const zlay_block *b, uint32_t i)
{
    return b->setmaxnreg[i] ? b->setmaxnreg[i] : SETMAXNREG_LEAST;
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_block *b = block_of(s);
    switch (q) {
    case ZL_Q_BLOCK_THREADS: return b->threads;
    case ZL_Q_BLOCK_REGISTERS: return b->registers;
    case ZL_Q_BLOCK_FILE: return register_file(b);
    case ZL_Q_BLOCK_STATIC: return b->smem_static;
    case ZL_Q_BLOCK_SMEM: return zl_uadd_sat(b->smem_static, b->smem_dynamic);
    case ZL_Q_BLOCK_CLUSTERS: return (s->target->features & ZL_HAS_CLUSTER) != 0;
    case ZL_Q_BLOCK_BLOCKS: return blocks(b);
    case ZL_Q_BLOCK_GRID: return b->grid[i];
    case ZL_Q_BLOCK_HAS_SETMAXNREG: return moves_registers(s->target);
    case ZL_Q_BLOCK_FIXED: return !(b->flags & ZLAY_BLOCK_UNFIXED);
    case ZL_Q_BLOCK_SETMAXNREG: return asked(b, i);
    case ZL_Q_BLOCK_WARPS: return b->setmaxnreg[i] ? b->warps[i] : WARPS_TOGETHER;
    default: return pool(b);
    }
}

static uint32_t count(zl_entries entries, const zl_subject *s)
{
    switch (entries) {
    case ZL_ENTRIES_EACH: return AXES;
    case ZL_ENTRIES_ASKING: return groups(block_of(s));
    default: return 1;
    }
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    const zlay_block *b = block_of(s);
    bool asked_for = b->flags & ZLAY_BLOCK_CLUSTER, odd = b->flags & ZLAY_BLOCK_NON_PORTABLE;
    bool clusters = asked_for && s->target->features & ZL_HAS_CLUSTER;
    bool sets = b->flags & ZLAY_BLOCK_SETMAXNREG;
    switch (g) {
    case ZL_G_ON_NVIDIA: return nvidia(s->target);
    case ZL_G_REGISTERS_KNOWN: return b->registers > 0 && nvidia(s->target);
    case ZL_G_IN_CLUSTERS: return asked_for;
    case ZL_G_IN_PORTABLE: return clusters && !odd;
    case ZL_G_IN_NON_PORTABLE: return clusters && odd;
    case ZL_G_IN_GRIDS: return asked_for && b->flags & ZLAY_BLOCK_GRID;
    case ZL_G_SETS_REGISTERS: return sets;
    default: return sets && b->registers > 0;
    }
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    const zlay_block *block = block_of(s);
    const zlay_target_summary *gives = zl_target_limits(s->target);
    switch (name) {
    case BLOCK_REGISTERS_MOST: return gives->registers;
    case BLOCK_FILE_SIZE: return gives->register_file;
    case BLOCK_CLUSTER_PORTABLE: return gives->cluster;
    case BLOCK_CLUSTER_MOST: return gives->cluster_most;
    case BLOCK_STATIC_MOST: return s->target->suffix == 'a' ? s->target->smem : STATIC;
    case BLOCK_CLUSTER_SIDE: return block->cluster[i] ? block->cluster[i] : 1;
    default:
        return zl_umul_sat((uint64_t)groups(block) * GROUP, zl_round_up(block->registers, GRANULE));
    }
}

static const zl_subject_form subject_form = {
    .kind = ZL_SUBJECT_BLOCK, .value = value, .count = count, .guard = guard, .bound = bound,
    .fix = zl_fix_own};

zlay_status zlay_block_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                             const zlay_target *target, const zlay_block *block)
{
    if (!out || !target || !block || (room && !reasons) || block->flags & ~(uint32_t)ALL_FLAGS ||
        !zl_is_zero(block->reserved, sizeof block->reserved))
        return ZLAY_EINVAL;
    zl_subject s = {&subject_form, target, block};
    return zl_check(out, reasons, room, &s, false);
}
