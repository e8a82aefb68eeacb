/* SPDX-License-Identifier: Apache-2.0 */
/* Which role runs an operation. Registers belong to a thread, so operations that access one register are of one part (union-find).
 * Copies in, and products into tensor memory, are issued by one thread each for all. A role that computes issues what its registers
 * bind to it alone: products of wgmma; such a role stores as well, else stores have a role of their own. Parts are packed
 * into the fewest roles that compute for no longer than the interval, by a search over all partitions. */
#include "synth/roles/roles.h"

#include <stdio.h>
#include <string.h>

enum { PARTS = 12, REGISTER_FILE = 65536, WARPGROUP = 128, SENDER = 24 /* registers of a thread that copies */ };

/* ---- parts -------------------------------------------------------------------------------------- */

static int32_t root(const int32_t *of, int32_t x)
{
    while (of[x] != x) x = of[x];
    return x;
}

void zl_tp_parts(zl_tp *p)
{
    int32_t of[ZL_TP_OPS], last[ZL_TP_VALUES];
    memset(last, -1, sizeof last);
    for (int32_t o = 0; o < (int32_t)p->ops; o++) of[o] = o;
    for (int32_t o = 0; o < (int32_t)p->ops; o++)
        for (uint32_t i = 0; i < p->op[o].operands; i++) {
            int32_t v = p->op[o].operand[i].value;
            if (p->value[v].space != ZL_TP_REGISTERS) continue;
            if (last[v] >= 0) of[root(of, o)] = root(of, last[v]);
            last[v] = o;
        }
    for (int32_t o = 0; o < (int32_t)p->ops; o++) p->op[o].part = root(of, o);
}

static bool computes(const zl_tp *p, const zl_tp_op *op)
{
    return op->kind != ZL_TP_COPY && op->kind != ZL_TP_STORE && (op->kind != ZL_TP_MMA || !p->tmem);
}

/* ---- the fewest roles ----------------------------------------------------------------------------- */

typedef struct mask {
    uint64_t word[(ZL_TP_VALUES + 63) / 64];
} mask;

/* Parts, and what each role has of them: cycles, and values in memory. */
typedef struct bins {
    zl_tp *p;
    int32_t part[PARTS];
    int64_t cycles[PARTS], used[PARTS];
    bool alone[PARTS]; /* its products' sums take the registers */
    mask values[PARTS], held[PARTS];
    uint32_t parts, of[PARTS], best_of[PARTS], best, shared;
} bins;

/* Puts values into a role; answers how many it has not had. */
static uint32_t hold(mask *held, const mask *values)
{
    uint32_t more = 0;
    for (size_t i = 0; i < ZL_COUNT(held->word); i++) {
        more += (uint32_t)__builtin_popcountll(values->word[i] & ~held->word[i]);
        held->word[i] |= values->word[i];
    }
    return more;
}

/* Part i joins a role or begins one. The fewest roles count first, then the fewest values of all roles, which are what roles have
 * to hand to each other; what is no better than the best is not tried on. */
static zlay_status pack(bins *k, uint32_t i, uint32_t roles, uint32_t shared)
{
    zlay_status status = zl_charge(k->p->ctx, 1);
    if (status || roles > k->best || (roles == k->best && shared >= k->shared)) return status;
    if (i == k->parts) {
        k->best = roles, k->shared = shared;
        memcpy(k->best_of, k->of, sizeof k->of);
        return ZLAY_OK;
    }
    for (uint32_t r = 0; !status && r <= roles && r < PARTS; r++) {
        bool taken = r < roles && (k->alone[i] || k->used[r] < 0 || k->used[r] + k->cycles[i] > k->p->ii);
        if (taken) continue;
        const int64_t before = r < roles ? k->used[r] : 0;
        const mask held = r < roles ? k->held[r] : (mask){{0}};
        k->held[r] = held;
        k->used[r] = k->alone[i] ? -1 : before + k->cycles[i];
        k->of[i] = r;
        status = pack(k, i + 1, roles + (r == roles), shared + hold(&k->held[r], &k->values[i]));
        k->used[r] = before, k->held[r] = held;
    }
    return status;
}

static void part_add(bins *k, uint32_t i, const zl_tp_op *op)
{
    k->alone[i] |= op->kind == ZL_TP_MMA;
    if (op->section == ZL_TP_LOOP && op->kind != ZL_TP_MMA) k->cycles[i] += op->cycles;
    for (uint32_t v = 0; v < op->operands; v++) {
        int32_t value = op->operand[v].value;
        if (k->p->value[value].space != ZL_TP_REGISTERS) k->values[i].word[value / 64] |= 1ull << value % 64;
    }
}

static zlay_status parts_count(bins *k)
{
    zl_tp *p = k->p;
    for (uint32_t o = 0; o < p->ops; o++) {
        const zl_tp_op *op = &p->op[o];
        uint32_t i = 0;
        if (!computes(p, op)) continue;
        while (i < k->parts && k->part[i] != op->part) i++;
        if (i == PARTS) return zl_fail(p->ctx, ZLAY_ELIMIT, "line %u: operations have more than %d parts that share no registers", op->line, PARTS);
        if (i == k->parts) k->part[k->parts++] = op->part;
        part_add(k, i, op);
    }
    k->best = k->parts + 1;
    return pack(k, 0, 0, 0);
}

/* ---- roles -------------------------------------------------------------------------------------- */

static int32_t role_of(zl_tp *p, int32_t kind)
{
    static const char *const names[] = {"loads", "products", "computes", "stores"};
    for (uint32_t r = 0; r < p->roles; r++)
        if (p->role[r].kind == kind) return (int32_t)r;
    p->role[p->roles] = (zl_tp_role){.kind = kind, .warps = 1};
    snprintf(p->role[p->roles].name, sizeof p->role[0].name, "%s", names[kind]);
    return (int32_t)p->roles++;
}

static void computing_roles(zl_tp *p, const bins *k)
{
    const uint32_t first = p->roles;
    for (uint32_t r = 0; k->parts && r < k->best; r++) {
        p->role[p->roles] = (zl_tp_role){.kind = ZL_TP_COMPUTES, .warps = 4 * (zl_tp_expands(p) ? 1 : p->instances)};
        if (k->best > 1) snprintf(p->role[p->roles].name, sizeof p->role[0].name, "computes%u", r);
        else snprintf(p->role[p->roles].name, sizeof p->role[0].name, "computes");
        p->roles++;
    }
    for (uint32_t o = 0; o < p->ops; o++)
        for (uint32_t i = 0; computes(p, &p->op[o]) && i < k->parts; i++)
            if (p->op[o].part == k->part[i]) p->op[o].role = (int32_t)(first + k->best_of[i]);
}

/* A stage that is stored was written by threads, whose role stores it where it issues products as well. */
static zlay_status stores_assign(zl_tp *p)
{
    for (uint32_t o = 0; o < p->ops; o++) {
        zl_tp_op *op = &p->op[o];
        if (op->kind != ZL_TP_STORE) continue;
        for (uint32_t w = 0; w < p->ops; w++)
            if (p->op[w].kind == ZL_TP_WRITE && zl_tp_access(&p->op[w], op->operand[0].value)) op->role = p->op[w].role;
        if (op->role < 0) return zl_fail(p->ctx, ZLAY_EINVAL, "line %u: '%s' is stored and never written", op->line, p->value[op->operand[0].value].name);
        if (p->tmem) op->role = -1;
    }
    for (uint32_t o = 0; o < p->ops; o++)
        if (p->op[o].role < 0) p->op[o].role = role_of(p, ZL_TP_STORES);
    return ZLAY_OK;
}

static bool has_tmem(const zl_tp *p)
{
    for (uint32_t v = 0; v < p->values; v++)
        if (p->value[v].space == ZL_TP_TMEM) return true;
    return false;
}

/* Warps: threads of one warp first, then warpgroups. Tensor memory is freed by the whole warp that stores. */
static zlay_status warps_assign(zl_tp *p)
{
    uint32_t next = 0;
    if (has_tmem(p)) (void)role_of(p, ZL_TP_STORES);
    for (uint32_t r = 0; r < p->roles; r++)
        if (p->role[r].kind != ZL_TP_COMPUTES) p->role[r].first_warp = next++;
    next = (next + 3) / 4 * 4;
    for (uint32_t r = 0; r < p->roles; r++)
        if (p->role[r].kind == ZL_TP_COMPUTES) p->role[r].first_warp = next, next += p->role[r].warps;
    p->warps = next;
    if (next > 32) return zl_fail(p->ctx, ZLAY_NONE, "the roles take %u warps, and a block has 32", next);
    return ZLAY_OK;
}

/* Products of wgmma keep their sums in registers, which the role of the copies gives. */
static void registers_assign(zl_tp *p)
{
    uint32_t groups = p->warps / 4, computing = 0;
    for (uint32_t r = 0; r < p->roles; r++) computing += p->role[r].kind == ZL_TP_COMPUTES ? p->role[r].warps / 4 : 0;
    if (p->tmem || groups != computing + 1 || computing == 0) return;
    p->launch = REGISTER_FILE / (groups * WARPGROUP) / 8 * 8;
    if (p->launch > 240) p->launch = 240;
    p->compute = (p->launch * groups - SENDER) / computing / 8 * 8;
    if (p->compute > 256) p->compute = 256;
}

zlay_status zl_tp_assign(zl_tp *p)
{
    bins k = {.p = p};
    zlay_status status = parts_count(&k);
    if (status) return status;
    for (uint32_t o = 0; o < p->ops; o++) {
        if (p->op[o].kind == ZL_TP_COPY) p->op[o].role = role_of(p, ZL_TP_LOADS);
        else if (p->op[o].kind == ZL_TP_MMA && p->tmem) p->op[o].role = role_of(p, ZL_TP_PRODUCTS);
    }
    if (p->roles + k.best + 1 > ZL_TP_ROLES) return zl_fail(p->ctx, ZLAY_ELIMIT, "more than %d roles", ZL_TP_ROLES);
    computing_roles(p, &k);
    status = stores_assign(p);
    if (!status) status = warps_assign(p);
    if (!status) registers_assign(p);
    return status;
}
