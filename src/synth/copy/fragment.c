/* SPDX-License-Identifier: Apache-2.0 */
/* Plans copies between memory and fragments: the layout says which thread holds which element, so
 * only the access is chosen.
 *
 * A slot is register + registers * thread, so the modes by rising steps of the slot are those of
 * the registers and then those of the threads. ldmatrix and stmatrix move matrices of eight rows
 * of 16 bytes; lane l has 4 bytes of row l / 4, or transposed the column l / 4 of rows 2 (l mod
 * 4) and the next one (PTX ISA 9.1, ldmatrix). */
#include "synth/copy/copy.h"

#include <stdio.h>
#include <string.h>
#include <zlay/block.h>

enum { WARP = 32, ROWS = 8, ROW_BYTES = 16, WORD_BITS = 32, MATRICES = 4 };

static int memory_of(const zl_copy *c) { return c->key == ZL_SOURCE ? ZL_DEST : ZL_SOURCE; }

/* ---- who holds what ----------------------------------------------------------------- */

/* Checks that a thread has enough registers. */
static zlay_status held_check(const zl_copy *c)
{
    uint64_t words = zl_umul_sat(c->request.registers, c->bits) / WORD_BITS;
    uint32_t registers = words > UINT32_MAX ? UINT32_MAX : (uint32_t)words;
    zlay_block block = {.threads = 1, .registers = registers, .cluster = {1, 1, 1}};
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_rule rule;
    zlay_status status = zlay_block_check(&verdict, &reason, 1, c->target, &block);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, reason.rule);
    if (status) return status;
    return zl_fail(c->ctx, ZLAY_NONE, "%s: %s, the fragments take %llu", rule.id, rule.text,
                   (unsigned long long)words);
}

/* Checks that the modes of registers and threads have no gap from slot 0 on. */
static zlay_status dense_check(const zl_copy *c)
{
    int64_t next = 1;
    for (uint32_t k = 0; k < c->tile.modes; k++) {
        if (c->tile.mode[k].step[c->key] != next) next = 0;
        if (next) next *= (int64_t)c->tile.mode[k].extent;
    }
    if (!next || c->tile.offset[c->key] || c->tile.swizzle[c->key].bits ||
        (uint64_t)next % c->request.registers)
        return zl_fail(c->ctx, ZLAY_ENOTSUP,
                       "the fragments are not dense: registers times threads "
                       "are to be the slots 0, 1, ..");
    return ZLAY_OK;
}

static bool is_register(const zl_copy *c, uint32_t mode)
{
    return (uint64_t)c->tile.mode[mode].step[c->key] < c->request.registers;
}

/* The lanes' bits in the modes of the threads. */
static zlay_status lanes_of(const zl_copy *c, zl_copy_lane_bits *out)
{
    memset(out, 0, sizeof *out);
    uint64_t left = c->warp;
    for (uint32_t k = 0; k < c->tile.modes; k++) {
        uint64_t extent = c->tile.mode[k].extent;
        if (is_register(c, k) || left == 1) continue;
        if (extent % left && left % extent)
            return zl_fail(c->ctx, ZLAY_ENOTSUP, "a warp ends inside a mode of %llu threads",
                           (unsigned long long)extent);
        uint64_t lanes = extent < left ? extent : left;
        left /= lanes;
        for (; lanes > 1; lanes /= 2) {
            out->mode[out->count++] = (uint8_t)k;
            out->bits[k]++;
        }
    }
    return ZLAY_OK;
}

static void part_fill(const zl_copy *c, zl_move_part *p)
{
    *p = (zl_move_part){
        .part = {.modes = c->tile.modes, .elements = c->tile.points, .accesses = 1}};
    p->part.source = c->tile.offset[ZL_SOURCE];
    p->part.dest = c->tile.offset[ZL_DEST];
    p->part.threads = (uint32_t)(c->tile.points / c->request.registers);
    p->part.kind = c->signal             ? ZLAY_COPY_STORE_ASYNC
                   : c->key == ZL_DEST ? ZLAY_COPY_THREAD_LOAD
                                       : ZLAY_COPY_THREAD_STORE;
    for (uint32_t k = 0; k < c->tile.modes; k++) {
        const zl_copy_mode *m = &c->tile.mode[k];
        int32_t level = is_register(c, k) ? ZLAY_DIGIT_VALUE : ZLAY_DIGIT_THREAD;
        p->mode[k] = (zlay_move_mode){m->extent, m->step[ZL_SOURCE], m->step[ZL_DEST]};
        if (m->extent > 1) p->digit[p->part.digits++] = (zlay_move_digit){level, k, m->extent, 1};
    }
}

/* ---- loads and stores of a thread ------------------------------------------------------- */

static bool thread_way(const zl_copy *c, zl_copy_way *w, uint32_t log)
{
    int memory = memory_of(c);
    uint32_t bits = 8u << log, v = bits % c->bits ? 0 : bits / c->bits;
    uint64_t widths = zlay_target_widths(c->target, zl_is_shared(c->side[memory].space));
    bool run = c->tile.modes && c->tile.mode[0].step[memory] == 1 && is_register(c, 0);
    *w = (zl_copy_way){.path = c->signal ? ZLAY_PATH_STORE_ASYNC : ZLAY_PATH_THREADS};
    if (c->signal && !zl_copy_sends((uint64_t)1 << log)) return false;
    w->run[0] = w->run[1] = run ? 0 : c->tile.modes;
    if (v < c->least || !(widths >> (1u << log) & 1)) return false;
    if (v > 1 && (!run || c->tile.mode[0].extent % v)) return false;
    if (!zl_copy_aligned(c, memory, w->run[0], v) || c->tile.offset[memory] % (int64_t)v)
        return false;
    w->vector[memory] = v;
    w->vector[c->key] = c->bits < WORD_BITS ? WORD_BITS / c->bits : 1;
    zl_copy_bank(c, w);
    for (uint32_t k = 0; k < ZL_PART_MODES; k++)
        w->block[k] = k < c->tile.modes && is_register(c, k) ? c->tile.mode[k].extent : 1;
    return true;
}

static zlay_status by_threads(const zl_copy *c, zl_copy_plan *plan, uint32_t log,
                              const zl_copy_lane_bits *lanes)
{
    zl_move_part *p = &plan->part[0];
    plan->count = 1;
    part_fill(c, p);
    if (p->part.threads > c->limit)
        return zl_fail(c->ctx, ZLAY_EINVAL,
                       "threads: the fragments are those of %u, the most are "
                       "%u",
                       p->part.threads, c->limit);
    if (!thread_way(c, &plan->way, log)) return ZLAY_NONE;
    p->part.source_width = zl_copy_bytes(c, plan->way.vector[ZL_SOURCE]);
    p->part.width = zl_copy_bytes(c, plan->way.vector[ZL_DEST]);
    zl_copy_count(c, &plan->way, p, lanes, ZL_COUNT_ALL);
    plan->cost = zl_copy_cost(&plan->way, p);
    plan->bound = zl_copy_bound(c, &plan->way, c->tile.points, c->sectors);
    return ZLAY_OK;
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* The byte in memory of a value of a thread. */
static int64_t byte_of(const zl_copy *c, const zl_move_part *p, uint64_t value, uint64_t thread)
{
    int memory = memory_of(c);
    int64_t at = memory == ZL_SOURCE ? p->part.source : p->part.dest;
    for (uint32_t k = 0; k < p->part.modes; k++) {
        uint64_t *left = is_register(c, k) ? &value : &thread;
        at += (int64_t)(*left % p->mode[k].extent) *
              (memory == ZL_SOURCE ? p->mode[k].source : p->mode[k].dest);
        *left /= p->mode[k].extent;
    }
    return zl_swizzle_at(c->tile.swizzle[memory], at) * (int64_t)c->bits / 8;
}

static int64_t row_of(const zl_copy *c, const zl_move_part *p, uint64_t warp, uint64_t word,
                      uint32_t k)
{
    if (p->part.transposed) return byte_of(c, p, 2 * word + k % 2, warp * WARP + k / 2);
    return byte_of(c, p, word * (WORD_BITS / c->bits), warp * WARP + 4 * k);
}

/* Whether the lanes hold, of one matrix, the elements that the instruction gives them. */
static bool is_matrix(const zl_copy *c, const zl_move_part *p, uint64_t warp, uint64_t word)
{
    uint32_t each = WORD_BITS / c->bits, bytes = c->bits / 8;
    int64_t row[ROWS];
    for (uint32_t k = 0; k < ROWS; k++) {
        row[k] = row_of(c, p, warp, word, k);
        if (row[k] % ROW_BYTES) return false;
    }
    for (uint32_t lane = 0; lane < WARP; lane++)
        for (uint32_t j = 0; j < each; j++) {
            int64_t wanted = p->part.transposed ? row[2 * (lane % 4) + j] + 2 * (lane / 4)
                                                : row[lane / 4] + 4 * (lane % 4) + j * bytes;
            if (byte_of(c, p, word * each + j, warp * WARP + lane) != wanted) return false;
        }
    return true;
}

static bool all_matrices(const zl_copy *c, const zl_move_part *p)
{
    uint64_t words = (uint64_t)c->request.registers * c->bits / WORD_BITS;
    for (uint64_t warp = 0; warp < p->part.threads / WARP; warp++)
        for (uint64_t word = 0; word < words; word++)
            if (!is_matrix(c, p, warp, word)) return false;
    return true;
}

static uint32_t matrix_wavefronts(const zl_copy *c, zl_move_part *p, uint64_t warp, uint64_t word,
                                  uint32_t count)
{
    const zlay_target *const targets[] = {c->target, c->ranked};
    uint32_t address[WARP];
    char name[32];
    int32_t number;
    zlay_bank bank;
    snprintf(name, sizeof name, "%s.x%u%s", c->key == ZL_DEST ? "ldmatrix" : "stmatrix", count,
             p->part.transposed ? ".trans" : "");
    for (uint32_t l = 0; l < WARP; l++)
        address[l] = l < count * ROWS ? (uint32_t)row_of(c, p, warp, word + l / ROWS, l % ROWS)
                                      : ZLAY_BANK_INACTIVE;
    if (zlay_bank_find(&number, name, strlen(name))) return 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (zlay_bank_conflicts(&bank, targets[i], number, address, WARP) == ZLAY_OK &&
            bank.answer == ZLAY_YES)
            return bank.wavefronts;
        p->part.uncounted = 1;
    }
    return 0;
}

static void matrix_count(const zl_copy *c, zl_move_part *p)
{
    uint64_t words = (uint64_t)c->request.registers * c->bits / WORD_BITS, waves = 0;
    for (uint64_t warp = 0; warp < p->part.threads / WARP; warp++)
        for (uint64_t word = 0; word < words;) {
            uint32_t count = MATRICES;
            while (word + count > words) count /= 2;
            waves += matrix_wavefronts(c, p, warp, word, count);
            p->part.instructions++;
            word += count;
        }
    if (c->key == ZL_DEST) p->part.wavefronts_load = waves;
    else p->part.wavefronts_store = waves;
}

static bool target_has(const zl_copy *c)
{
    const char *name = c->key == ZL_DEST ? "ldmatrix.x4" : "stmatrix.x4";
    int32_t number;
    zlay_bank_access access;
    return zlay_bank_find(&number, name, strlen(name)) == ZLAY_OK &&
           zlay_bank_info(&access, c->target, number) == ZLAY_OK;
}

static bool by_matrices(const zl_copy *c, zl_copy_plan *plan, uint32_t transposed)
{
    zl_move_part *p = &plan->part[0];
    int memory = memory_of(c);
    uint64_t bits = (uint64_t)c->request.registers * c->bits;
    part_fill(c, p);
    p->part.transposed = transposed;
    p->part.matrices = MATRICES;
    if (c->side[memory].space != ZLAY_MOVE_SHARED || !target_has(c)) return false;
    if (c->bits < 8 || c->bits > WORD_BITS || bits % WORD_BITS || p->part.threads % WARP)
        return false;
    if ((transposed && c->bits != 16) || c->side[memory].align % ROW_BYTES || !all_matrices(c, p))
        return false;
    plan->count = 1;
    plan->way = (zl_copy_way){.path = ZLAY_PATH_MATRIX};
    plan->way.vector[0] = plan->way.vector[1] = ROW_BYTES * 8 / c->bits;
    p->part.source_width = p->part.width = ROW_BYTES;
    matrix_count(c, p);
    plan->cost = zl_copy_cost(&plan->way, p);
    plan->bound = plan->cost;
    return true;
}

/* ---- the least --------------------------------------------------------------------------------
 */

static void keep(zl_copy_plan *best, const zl_copy_plan *next, uint64_t *bound)
{
    if (next->bound < *bound) *bound = next->bound;
    if (next->cost < best->cost) *best = *next;
}

zlay_status zl_copy_fragments(const zl_copy *c, zl_copy_plan *best, zl_copy_plan *next)
{
    zl_copy_lane_bits lanes;
    uint64_t bound = UINT64_MAX;
    zlay_status status = held_check(c);
    if (!status) status = dense_check(c);
    if (!status) status = lanes_of(c, &lanes);
    int32_t path = c->signal ? ZLAY_PATH_STORE_ASYNC : ZLAY_PATH_THREADS;
    for (uint32_t log = ZL_WIDTH_MOST + 1; !status && log-- && zl_copy_path_asked(c, path);) {
        status = by_threads(c, next, log, &lanes);
        if (!status) keep(best, next, &bound);
        if (status == ZLAY_NONE) status = ZLAY_OK;
    }
    for (uint32_t t = 0; !status && t < 2 && zl_copy_path_asked(c, ZLAY_PATH_MATRIX); t++)
        if (by_matrices(c, next, t)) keep(best, next, &bound);
    if (status) return status;
    best->bound = bound;
    return best->cost < UINT64_MAX ? ZLAY_OK
                                   : zl_fail(c->ctx, ZLAY_NONE, "no access moves these fragments");
}
