/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a wave computes once: its tile of queries and the number of its tiles of keys, the
 * buffer resources of its head, and the offsets and addresses of its lanes. A resource begins at the
 * head and ends behind the head's last row, so rows outside read zero and their stores are dropped;
 * those of K and V begin at the last tile of keys and are moved down tile by tile. */
#include "base/arith.h"
#include "emit/gcn/attention/attention.h"
#include "synth/wave/wave.h"

#include <stdio.h>

enum { CHUNK = 16, GRANULE = 4 };
static const zlay_attention_strides *strides_of(const zl_aw *a, uint32_t operand)
{
    const zlay_attention *ask = &a->p->ask;
    const zlay_attention_strides *all[] = {&ask->q, &ask->k, &ask->v, &ask->o};
    return all[operand];
}

static bool of_keys(uint32_t operand) { return operand == ZL_AS_K || operand == ZL_AS_V; }

static const char *const pointers[ZL_AW_POINTERS] = {"ptr_q", "ptr_k", "ptr_v", "ptr_o"};

zlay_status zl_aw_argument_nth(zl_wave_argument *out, const zlay_attention_plan *p, uint32_t i)
{
    uint32_t number = ZL_AW_POINTERS;
    *out = (zl_wave_argument){.written = i == ZL_AS_O, .bytes = 8, .at = 8 * i};
    if (i < ZL_AW_POINTERS) snprintf(out->name, sizeof out->name, "%s", pointers[i]);
    if (i < ZL_AW_POINTERS) return ZLAY_OK;
    for (uint32_t s = 0; s < ZL_AW_SCALARS; s++) {
        int32_t type;
        const char *name = zl_attention_scalar(p, s, &type);
        if (!name || number++ != i) continue;
        *out = (zl_wave_argument){.scalar = true, .type = type, .bytes = 4,
                                  .at = 8 * ZL_AW_POINTERS + 4 * (i - ZL_AW_POINTERS)};
        snprintf(out->name, sizeof out->name, "x_%s", name);
        return ZLAY_OK;
    }
    return ZLAY_NONE;
}

static void arguments(zl_aw *a)
{
    zl_wave_argument argument;
    for (uint32_t i = 0; i < ZL_AW_POINTERS; i += 2)
        zl_wave_line(&a->t, "s_load_dwordx4 s[%u:%u], s[0:1], 0x%x", ZL_AS_POINTER + 2 * i,
                     ZL_AS_POINTER + 2 * i + 3, 8 * i);
    for (uint32_t i = 0, n = ZL_AW_POINTERS; i < ZL_AW_SCALARS; i++) {
        int32_t type;
        if (!zl_attention_scalar(a->p, i, &type)) continue;
        zl_aw_argument_nth(&argument, a->p, n++);
        zl_wave_line(&a->t, "s_load_dword s%u, s[0:1], 0x%x", ZL_AS_SCALAR + i, argument.at);
    }
}

/* The block's tile of queries, causal the last first; and the tiles of keys that it sees. */
static void tiles(zl_aw *a)
{
    zl_wave_text *t = &a->t;
    const zlay_attention_plan *p = a->p;
    if (!p->ask.causal) {
        zl_wave_line(t, "s_mov_b32 s%d, s%d", ZL_AS_TILE, ZL_AS_BLOCK);
        zl_wave_line(t, "s_mov_b32 s%d, 0x%llx", ZL_AS_COUNT, (unsigned long long)p->info.tiles);
        return;
    }
    zl_wave_line(t, "s_sub_u32 s%d, 0x%llx, s%d", ZL_AS_TILE, (unsigned long long)p->info.grid[0] - 1, ZL_AS_BLOCK);
    zl_wave_line(t, "s_mul_i32 s%d, s%d, 0x%x", ZL_AS_COUNT, ZL_AS_TILE, p->count_times);
    zl_wave_line(t, "s_add_u32 s%d, s%d, 0x%x", ZL_AS_COUNT, ZL_AS_COUNT, p->count_add);
    zl_wave_line(t, "s_lshr_b32 s%d, s%d, %u", ZL_AS_COUNT, ZL_AS_COUNT, zl_log2(p->info.tile_n));
    zl_wave_line(t, "s_min_u32 s%d, s%d, 0x%llx", ZL_AS_COUNT, ZL_AS_COUNT, (unsigned long long)p->info.tiles);
}

/* The head of keys of the block's head; the quotient by a reciprocal is exact below 2^16. */
static void head(zl_aw *a)
{
    uint32_t group = (uint32_t)(a->p->ask.heads / a->p->ask.kv_heads);
    if (group == 1) zl_wave_line(&a->t, "s_mov_b32 s%d, s%d", ZL_AS_HEAD, ZL_AS_BLOCK + 1);
    else
        zl_wave_line(&a->t, "s_mul_hi_u32 s%d, s%d, 0x%llx", ZL_AS_HEAD, ZL_AS_BLOCK + 1,
                     (((unsigned long long)1 << 32) + group - 1) / group);
}

/* ---- resources -------------------------------------------------------------------------- */

/* Adds a number of strides to the address in s%to. */
static void step(zl_aw *a, uint32_t to, uint32_t number, uint64_t bytes)
{
    uint32_t s = ZL_S_SCRATCH;
    zl_wave_line(&a->t, "s_mul_i32 s%u, s%u, 0x%llx", s, number, (unsigned long long)bytes);
    zl_wave_line(&a->t, "s_mul_hi_u32 s%u, s%u, 0x%llx", s + 1, number, (unsigned long long)bytes);
    zl_wave_line(&a->t, "s_add_u32 s%u, s%u, s%u", to, to, s);
    zl_wave_line(&a->t, "s_addc_u32 s%u, s%u, s%u", to + 1, to + 1, s + 1);
}

/* To the last tile of keys of the block. */
static void last_tile(zl_aw *a, uint32_t to, uint64_t bytes)
{
    uint32_t s = ZL_S_SCRATCH;
    zl_wave_line(&a->t, "s_sub_u32 s%u, s%d, 1", s, ZL_AS_COUNT);
    zl_wave_line(&a->t, "s_mul_i32 s%u, s%u, 0x%llx", s, s, (unsigned long long)bytes);
    zl_wave_line(&a->t, "s_add_u32 s%u, s%u, s%u", to, to, s);
    zl_wave_line(&a->t, "s_addc_u32 s%u, s%u, 0", to + 1, to + 1);
    zl_wave_line(&a->t, "s_sub_u32 s%u, s%u, s%u", to + 2, to + 2, s);
}

static void resource(zl_aw *a, uint32_t operand)
{
    const zlay_attention *ask = &a->p->ask;
    const zlay_attention_strides *o = strides_of(a, operand);
    uint32_t to = zl_aw_resource(operand), from = ZL_AS_POINTER + 2 * operand, element = a->w->element;
    bool keys = of_keys(operand);
    uint64_t rows = keys ? ask->keys : ask->queries;
    zl_wave_line(&a->t, "s_mov_b64 s[%u:%u], s[%u:%u]", to, to + 1, from, from + 1);
    if (ask->batch > 1) step(a, to, ZL_AS_BLOCK + 2, o->batch * element);
    if (ask->heads > 1) step(a, to, keys ? ZL_AS_HEAD : ZL_AS_BLOCK + 1, o->head * element);
    zl_wave_line(&a->t, "s_mov_b32 s%u, 0x%llx", to + 2,
                 (unsigned long long)(((rows - 1) * o->row + ask->head) * element));
    if (keys) last_tile(a, to, a->p->info.tile_n * o->row * element);
    zl_wave_line(&a->t, "s_and_b32 s%u, s%u, 0xffff", to + 1, to + 1);
    zl_wave_line(&a->t, "s_mov_b32 s%u, 0x%x", to + 3, a->t.raw);
}

/* ---- lanes ------------------------------------------------------------------------------ */

/* v1 = the thread's row of so many chunks, v2 = its chunk. */
static void divided(zl_aw *a, uint32_t chunks)
{
    zl_wave_line(&a->t, "v_lshrrev_b32 v1, %u, v0", zl_log2(chunks));
    zl_wave_line(&a->t, "v_and_b32 v2, 0x%x, v0", chunks - 1);
}

/* v2 ^= the swizzle of row v1, in chunks. */
static void swizzle(zl_aw *a)
{
    const zlay_wave_summary *i = &a->w->keys->info;
    if (!i->swizzle_bits) return;
    uint32_t row = i->swizzle_base + i->swizzle_shift - zl_log2(i->depth);
    zl_wave_line(&a->t, "v_bfe_u32 v3, v1, %u, %u", row, i->swizzle_bits);
    zl_wave_line(&a->t, "v_lshlrev_b32 v3, %u, v3", i->swizzle_base - zl_log2(CHUNK / a->w->element));
    zl_wave_line(&a->t, "v_xor_b32 v2, v3, v2");
}

/* Loads of keys: chunks of rows, each the one that belongs at the thread's place in shared memory. */
static void key_loads(zl_aw *a)
{
    const zlay_wave_summary *i = &a->w->keys->info;
    uint64_t row = a->p->ask.k.row * a->w->element;
    uint32_t to = a->w->offset[ZL_KEYS];
    zl_wave_line(&a->t, "s_mov_b32 s%d, 0x%llx", ZL_S_SCRATCH, (unsigned long long)row);
    for (uint32_t j = 0; j < a->w->loads[ZL_KEYS]; j++) {
        divided(a, i->depth * a->w->element / CHUNK);
        if (j) zl_wave_line(&a->t, "v_add_u32 v1, 0x%x, v1", j * i->load_rows);
        swizzle(a);
        zl_wave_line(&a->t, "v_mul_lo_u32 v1, v1, s%d", ZL_S_SCRATCH);
        zl_wave_line(&a->t, "v_lshl_add_u32 v%u, v2, %u, v1", to + j, zl_log2(CHUNK));
    }
}

/* Loads of values: four elements of each of four rows, and so for each group of rows of the thread. */
static void value_loads(zl_aw *a)
{
    uint64_t row = a->p->ask.v.row * a->w->element;
    uint32_t to = a->w->offset[ZL_VALUES], beside = a->p->ask.head / GRANULE;
    uint32_t rows = a->p->info.threads / beside * GRANULE;
    divided(a, beside);
    zl_wave_line(&a->t, "s_mov_b32 s%d, 0x%llx", ZL_S_SCRATCH, (unsigned long long)(row * GRANULE));
    zl_wave_line(&a->t, "v_mul_lo_u32 v1, v1, s%d", ZL_S_SCRATCH);
    zl_wave_line(&a->t, "v_lshl_add_u32 v%u, v2, %u, v1", to, zl_log2(GRANULE * a->w->element));
    for (uint32_t j = 1; j < a->w->loads[ZL_VALUES]; j++)
        zl_wave_line(&a->t, "v_add_u32 v%u, 0x%llx, v%u", to + j,
                     (unsigned long long)((j / GRANULE * rows + j % GRANULE) * row), to);
}

/* Reads of keys: the lane's row and part in a block, and the XOR of each read. */
static void key_reads(zl_aw *a)
{
    const zlay_wave_summary *i = &a->w->keys->info;
    uint32_t side = a->w->mma.m, to = a->w->read[ZL_KEYS];
    zl_wave_line(&a->t, "v_and_b32 v1, %u, v0", side - 1);
    zl_wave_line(&a->t, "v_bfe_u32 v2, v0, %u, %u", zl_log2(side), zl_log2(a->w->lanes / side));
    swizzle(a);
    zl_wave_line(&a->t, "v_lshlrev_b32 v2, %u, v2", zl_log2(CHUNK));
    zl_wave_line(&a->t, "v_lshl_add_u32 v%u, v1, %u, v2", to, zl_log2(i->depth * a->w->element));
    for (uint32_t r = 1; r < a->w->steps[ZL_KEYS]; r++)
        zl_wave_line(&a->t, "v_xor_b32 v%u, 0x%x, v%u", to + r, r * i->read_xor, to);
}

/* Reads of values: the lane's element and group of keys. */
static void value_reads(zl_aw *a)
{
    uint32_t side = a->w->mma.m, granule = GRANULE * a->w->element, to = a->w->read[ZL_VALUES];
    zl_wave_line(&a->t, "v_and_b32 v1, %u, v0", side - 1);
    zl_wave_line(&a->t, "v_bfe_u32 v2, v0, %u, %u", zl_log2(side), zl_log2(a->w->lanes / side));
    zl_wave_line(&a->t, "v_lshlrev_b32 v%u, %u, v1", to, zl_log2(granule));
    zl_wave_line(&a->t, "v_lshl_add_u32 v%u, v2, %u, v%u", to, zl_log2(a->p->ask.head * granule), to);
}

/* The offset of the lane's query in Q, with the lane's part of a row. */
static void query(zl_aw *a)
{
    uint32_t side = a->w->mma.n, to = a->w->query;
    zl_wave_line(&a->t, "s_mul_i32 s%d, s%d, 0x%x", ZL_S_SCRATCH, ZL_AS_TILE, a->p->info.tile_m);
    zl_wave_line(&a->t, "v_add_u32 v%u, s%d, v%d", to, ZL_S_SCRATCH, ZL_GB_ROW);
    zl_wave_line(&a->t, "s_mov_b32 s%d, 0x%llx", ZL_S_SCRATCH,
                 (unsigned long long)(a->p->ask.q.row * a->w->element));
    zl_wave_line(&a->t, "v_mul_lo_u32 v%u, v%u, s%d", to, to, ZL_S_SCRATCH);
    zl_wave_line(&a->t, "v_bfe_u32 v1, v0, %u, %u", zl_log2(side), zl_log2(a->w->lanes / side));
    zl_wave_line(&a->t, "v_lshl_add_u32 v%u, v1, %u, v%u", to, zl_log2(CHUNK), to);
}

void zl_aw_setup(zl_aw *a)
{
    arguments(a);
    zl_wave_line(&a->t, "v_and_b32 v0, 0x3ff, v0");
    zl_gb_constants(&a->t);
    tiles(a);
    head(a);
    key_loads(a);
    value_loads(a);
    key_reads(a);
    value_reads(a);
    zl_wave_line(&a->t, "v_lshlrev_b32 v%u, %u, v0", a->w->write, zl_log2(CHUNK));
    zl_aw_coordinates(a, &a->use->elements);
    query(a);
    zl_wave_line(&a->t, "s_waitcnt lgkmcnt(0)");
    for (uint32_t i = 0; i < ZL_AW_POINTERS; i++) resource(a, i);
}
