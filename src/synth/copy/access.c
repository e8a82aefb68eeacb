/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what one access of a warp takes: sectors and lines of global memory, or wavefronts of
 * shared memory by the bank model. */
#include "synth/copy/access.h"

static uint64_t byte_at(const zl_counting *n, int64_t element)
{
    int64_t at = zl_swizzle_at(n->c->tile.swizzle[n->side], element);
    return (uint64_t)at * n->c->bits / 8;
}

/* The set of aligned blocks that accesses read or write; most blocks come in ascending order. */
typedef struct touched {
    uint32_t count;
    uint64_t most, block[2 * ZL_LANES_MOST + 2];
} touched;

static void touch(touched *t, uint64_t address, uint64_t bytes, uint32_t log)
{
    for (uint64_t b = address >> log; b <= (address + bytes - 1) >> log; b++) {
        uint32_t i = t->count;
        while (i && b <= t->most && t->block[i - 1] != b) i--;
        if (i && b <= t->most) continue;
        t->block[t->count++] = b;
        if (b > t->most || t->count == 1) t->most = b;
    }
}

/* The bytes from the first to the last that a lane accesses: whole words for a realigned load. */
static void span(const zl_counting *n, int64_t element, uint64_t *address, uint64_t *bytes)
{
    uint64_t width = n->side == ZL_SOURCE ? n->part->part.source_width : n->part->part.width;
    *address = byte_at(n, element);
    *bytes = width;
    if (n->side == ZL_DEST || !n->part->part.realign) return;
    uint64_t from = *address & ~(width - 1), to = (*address + 2 * width - 1) & ~(width - 1);
    *address = from;
    *bytes = to - from;
}

/* ---- runs ------------------------------------------------------------------------------ */

bool zl_copy_has_runs(const zl_counting *n)
{
    return n->way->path != ZLAY_PATH_BULK && !n->c->tile.swizzle[n->side].bits &&
           n->c->side[n->side].space == ZLAY_MOVE_GLOBAL;
}

static void starts_sort(zl_counting *n)
{
    for (uint32_t i = 0; i < n->active; i++) {
        uint32_t to = i;
        for (; to && n->run[to - 1] > n->offset[i]; to--) n->run[to] = n->run[to - 1];
        n->run[to] = n->offset[i];
    }
}

void zl_copy_runs(zl_counting *n)
{
    int64_t v = n->way->vector[n->side];
    n->runs = 0;
    starts_sort(n);
    for (uint32_t i = 0; i < n->active; i++) {
        int64_t start = n->run[i], end = start + v;
        uint32_t last = n->runs ? n->runs - 1 : 0;
        if (n->runs && start <= n->run[last] + n->length[last]) {
            if (end > n->run[last] + n->length[last]) n->length[last] = end - n->run[last];
            continue;
        }
        n->run[n->runs] = start;
        n->length[n->runs++] = v;
    }
}

/* Counts blocks run by run. What realigned loads read beside a run lies in the run's first and
 * last blocks. */
static uint32_t blocks_of_runs(const zl_counting *n, int64_t base, uint32_t log)
{
    int64_t bits = n->c->bits, next = INT64_MIN;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->runs; i++) {
        int64_t from = ((base + n->run[i]) * bits) >> 3;
        int64_t first = from >> log, last = (from + n->length[i] * bits / 8 - 1) >> log;
        if (first < next) first = next;
        if (last < first) continue;
        count += (uint32_t)(last - first + 1);
        next = last + 1;
    }
    return count;
}

static uint32_t blocks_touched(const zl_counting *n, int64_t base, uint32_t log)
{
    uint64_t address, bytes;
    touched t;
    if (zl_copy_has_runs(n)) return blocks_of_runs(n, base, log);
    t.count = 0;
    t.most = 0;
    for (uint32_t i = 0; i < n->active; i++) {
        span(n, base + n->offset[i], &address, &bytes);
        touch(&t, address, bytes, log);
    }
    return t.count;
}

/* The blocks of a bulk copy, which is counted by itself. */
static uint64_t blocks_of_bulk(const zl_counting *n, int64_t base, uint32_t log)
{
    uint64_t sum = 0, address, bytes;
    for (uint32_t i = 0; i < n->active; i++) {
        span(n, base + n->offset[i], &address, &bytes);
        sum += ((address + bytes - 1) >> log) - (address >> log) + 1;
    }
    return sum;
}

/* The wavefronts of one access. Where no row of the table has the target's, they are those of the
 * target that ranks candidates, or as many as the bytes fill. */
static uint32_t bank_count(zl_counting *n, const uint32_t *address, uint32_t bytes)
{
    zlay_bank bank;
    if (zlay_bank_conflicts(&bank, n->c->target, n->way->bank[n->side], address, n->c->warp) ==
            ZLAY_OK &&
        bank.answer == ZLAY_YES)
        return bank.wavefronts;
    n->uncounted = true;
    if (zlay_bank_conflicts(&bank, n->c->ranked, n->way->bank[n->side], address, n->c->warp) ==
            ZLAY_OK &&
        bank.answer == ZLAY_YES)
        return bank.wavefronts;
    return (bytes + n->c->bank_bytes - 1) / n->c->bank_bytes;
}

/* Counts wavefronts; `second` counts, for the lanes that need it, the word after the one in which
 * the address lies. */
static uint32_t wavefronts(zl_counting *n, int64_t base, bool second)
{
    uint32_t address[ZL_LANES_MOST], any = 0;
    uint32_t width = n->side == ZL_SOURCE ? n->part->part.source_width : n->part->part.width;
    for (uint32_t i = 0; i < n->c->warp; i++) address[i] = ZLAY_BANK_INACTIVE;
    for (uint32_t i = 0; i < n->active; i++) {
        uint64_t at, bytes;
        span(n, base + n->offset[i], &at, &bytes);
        if (second && bytes <= width) continue;
        address[n->lane[i]] = (uint32_t)(at + (second ? width : 0));
        any++;
    }
    return any ? bank_count(n, address, any * width) : 0;
}

void zl_copy_access(zl_counting *n, int64_t base, uint64_t times)
{
    bool bulk = n->way->path == ZLAY_PATH_BULK;
    bool twice = n->side == ZL_SOURCE && n->part->part.realign;
    n->instructions += times * (bulk ? n->active : 1u + twice);
    if (n->c->side[n->side].space == ZLAY_MOVE_GLOBAL) {
        n->sectors += times * (bulk ? blocks_of_bulk(n, base, ZL_SECTOR)
                                    : blocks_touched(n, base, ZL_SECTOR));
        if (n->lines_too)
            n->lines += times * (bulk ? blocks_of_bulk(n, base, ZL_LINE)
                                      : blocks_touched(n, base, ZL_LINE));
    } else if (!bulk && n->way->bank[n->side] >= 0) {
        n->wavefronts += times * wavefronts(n, base, false);
        if (twice) n->wavefronts += times * wavefronts(n, base, true);
    }
}
