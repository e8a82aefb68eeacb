/* SPDX-License-Identifier: Apache-2.0 */
/* Places a tile in shared memory: rows one after the other, whose chunks are XORed with bits of
 * the row's number.  A chunk is as long as the wider access, or several of these.  All such
 * swizzles are tried; the fewest wavefronts of the reads count first, then the shortest chunks,
 * then the fewest bits. */
#include "synth/wave/wave.h"

enum { SHIFTS = 8 };

static uint32_t log2_of(uint32_t n) { return (uint32_t)__builtin_ctz(n); }

uint32_t zl_wave_read_element(const zlay_wave *w, uint32_t lane, uint32_t read)
{
    const zl_wave_operand *o = &w->operand;
    uint32_t elements = w->info.read_bytes * 8 / w->info.elem_bits;
    uint32_t stretch = o->run * w->merged, in = stretch / elements, runs = o->each / o->run;
    uint32_t k = lane / o->side * o->part_k * w->merged + read % in * elements +
                 read / in % runs * o->jump_k + read / in / runs * o->k * w->merged;
    return lane % o->side * w->info.depth + k;
}

/* Rows after which the swizzle repeats. */
static uint32_t period_of(const zlay_wave_summary *i)
{
    uint32_t high = i->swizzle_bits + i->swizzle_base + i->swizzle_shift;
    return i->swizzle_bits ? 1u << high >> log2_of(i->depth) : 1;
}

static bool count_read(zlay_bank *out, const zlay_wave *w, const zlay_target *target,
                       uint32_t block, uint32_t read)
{
    const zlay_wave_summary *i = &w->info;
    uint32_t address[ZLAY_BANK_LANES], first = block * w->operand.side * i->depth;
    for (uint32_t lane = 0; lane < w->operand.lanes; lane++)
        address[lane] = zl_wave_swizzled(i, first + zl_wave_read_element(w, lane, read)) *
                        (i->elem_bits / 8);
    return !zlay_bank_conflicts(out, target, i->read, address, w->operand.lanes) &&
           out->answer == ZLAY_YES;
}

/* Counts the wavefronts of all reads of all parts on a target; false: its phases are unknown.
 * Where reads differ by the XOR of one step, one read is counted for all, because the XOR permutes
 * the banks in the same way for all lanes; blocks beyond the swizzle's period repeat the
 * others. */
static bool count_reads(uint32_t *wavefronts, uint32_t *ideal, const zlay_wave *w,
                        const zlay_target *target)
{
    const zlay_wave_summary *i = &w->info;
    uint32_t period = period_of(i), side = w->operand.side, blocks = i->blocks * i->parts;
    uint32_t apart = period > side ? period / side : 1, reads = i->read_xor ? 1 : i->reads;
    *wavefronts = *ideal = 0;
    for (uint32_t b = 0; b < apart && b < blocks; b++)
        for (uint32_t r = 0; r < reads; r++) {
            uint32_t alike = (blocks - b + apart - 1) / apart * (i->reads / reads);
            zlay_bank bank;
            if (!count_read(&bank, w, target, b, r)) return false;
            *wavefronts += bank.wavefronts * alike;
            *ideal += bank.distinct * alike;
        }
    return true;
}

/* Whether a target has waves of the same size, and its phases of this read are known. */
static bool same_wave(const zlay_wave *w, const zlay_target *target)
{
    zlay_target_summary info;
    zlay_bank_access access;
    return !zlay_target_info(&info, target) && info.lanes == w->operand.lanes &&
           !zlay_bank_info(&access, target, w->info.read) && !access.gap;
}

/* Wavefronts above the ideal; where this target's phases are unknown, the sum over similar targets
 * that are known. */
static uint32_t excess(const zlay_wave *w)
{
    uint32_t wavefronts, ideal, sum = 0;
    const zlay_target *target;
    if (count_reads(&wavefronts, &ideal, w, w->info.target)) return wavefronts - ideal;
    for (size_t i = 0; (target = zlay_target_nth(i)); i++)
        if (same_wave(w, target) && count_reads(&wavefronts, &ideal, w, target))
            sum += wavefronts - ideal;
    return sum;
}

/* Tries all swizzles that XOR bits of the row's number onto the bits of an offset from `base`
 * on. */
static void try_swizzles(zlay_wave *w, zlay_wave_summary *best, uint32_t *least, uint32_t base)
{
    zlay_wave_summary *i = &w->info;
    uint32_t row = log2_of(i->depth), above = row > base ? row - base : 0;
    for (uint32_t bits = 0; bits <= above && *least; bits++)
        for (uint32_t shift = 0; shift < (bits ? SHIFTS : 1) && *least; shift++) {
            i->swizzle_bits = bits;
            i->swizzle_base = base;
            i->swizzle_shift = bits ? above + shift : 0;
            uint32_t here = excess(w);
            if (here < *least) *least = here, *best = *i;
        }
}

/* Tries chunks of the wider access first; longer ones are taken only where they need fewer
 * wavefronts. */
static void choose_swizzle(zlay_wave *w)
{
    zlay_wave_summary *i = &w->info, best = *i;
    uint32_t bytes = i->elem_bits / 8, least = UINT32_MAX, row = log2_of(i->depth);
    uint32_t chunk = log2_of((i->load_bytes > i->read_bytes ? i->load_bytes : i->read_bytes) / bytes);
    try_swizzles(w, &best, &least, chunk);
    for (uint32_t base = chunk + 1; base < row && least; base++) try_swizzles(w, &best, &least, base);
    *i = best;
}

/* Counts the stores: threads store consecutive places, whatever the swizzle is. */
static void count_stores(zlay_wave *w)
{
    zlay_wave_summary *i = &w->info;
    uint32_t address[ZLAY_BANK_LANES], lanes = w->operand.lanes;
    zlay_bank bank;
    i->stores_counted = ZLAY_YES;
    if (i->direct) return;
    for (uint32_t lane = 0; lane < lanes; lane++) address[lane] = lane * i->load_bytes;
    if (zlay_bank_conflicts(&bank, i->target, i->store, address, lanes) ||
        bank.answer != ZLAY_YES) {
        i->stores_counted = ZLAY_UNDECIDED;
        return;
    }
    i->store_wavefronts = bank.wavefronts * (i->threads / lanes) * i->loads;
    i->store_ideal = bank.distinct * (i->threads / lanes) * i->loads;
}

/* Sets the bytes from one block, part and read to the next; read_xor is 0 where reads do not follow
 * each other by one step. */
static void find_steps(zlay_wave *w)
{
    zlay_wave_summary *i = &w->info;
    uint32_t bytes = i->elem_bits / 8, step;
    i->block_bytes = w->operand.side * i->depth * bytes;
    i->part_bytes = i->block_bytes * i->blocks;
    step = i->reads > 1 ? zl_wave_read_element(w, 0, 1) * bytes : 0;
    for (uint32_t r = 0; r < i->reads; r++)
        if (zl_wave_read_element(w, 0, r) * bytes != r * step) step = 0;
    i->read_xor = step;
}

zlay_status zl_wave_place(zlay_wave *w)
{
    zlay_wave_summary *i = &w->info;
    find_steps(w);
    choose_swizzle(w);
    i->load_steady = i->load_rows && i->load_rows % period_of(i) == 0;
    i->reads_counted = count_reads(&i->read_wavefronts, &i->read_ideal, w, i->target)
                           ? ZLAY_YES
                           : ZLAY_UNDECIDED;
    if (i->reads_counted != ZLAY_YES) i->read_wavefronts = i->read_ideal = 0;
    count_stores(w);
    return ZLAY_OK;
}
