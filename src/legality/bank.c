/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefronts of a warp's access to shared memory. Measured on an H200 (32 banks of 4 bytes): 4-byte
 * accesses go in one phase of 32 lanes, 8-byte ones in two of 16, 16-byte ones (and the rows of
 * ldmatrix and stmatrix) in four of 8; a phase takes as many wavefronts as the most distinct words
 * that it asks of one bank. */
#include "legality/rule.h"

enum { LANES = 32, BANKS = 32, WORD = 4 };

/* Distinct words of a phase in one bank: lanes that ask for the same word are served together. */
static uint32_t words_in_bank(const uint32_t *addresses, uint32_t first, uint32_t lanes,
                              uint32_t words, uint32_t bank)
{
    uint32_t seen[LANES * 4], count = 0;
    for (uint32_t lane = first; lane < first + lanes; lane++) {
        if (addresses[lane] == UINT32_MAX) continue;
        for (uint32_t w = 0; w < words; w++) {
            uint32_t word = addresses[lane] / WORD + w, i = 0;
            if (word % BANKS != bank) continue;
            while (i < count && seen[i] != word) i++;
            if (i == count) seen[count++] = word;
        }
    }
    return count;
}

static uint32_t phase_wavefronts(const uint32_t *addresses, uint32_t first, uint32_t lanes,
                                 uint32_t words)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < BANKS; bank++) {
        uint32_t count = words_in_bank(addresses, first, lanes, words, bank);
        if (count > most) most = count;
    }
    return most;
}

static bool aligned(const uint32_t *addresses, uint32_t width)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (addresses[lane] != UINT32_MAX && addresses[lane] % width) return false;
    return true;
}

/* Any active phase takes one wavefront at best: all its lanes may ask for one word. */
zlay_status zlay_bank_count(uint32_t *wavefronts, uint32_t *ideal, int32_t *phase,
                            const zlay_target *target, uint32_t width, const uint32_t *addresses)
{
    if (!wavefronts || !ideal || !target || !addresses) return ZLAY_EINVAL;
    if (width != 4 && width != 8 && width != 16)
        return width == 1 || width == 2 ? ZLAY_NONE : ZLAY_EINVAL;
    if (!aligned(addresses, width)) return ZLAY_EINVAL;
    if (target->cls != ZL_CLASS_SM90) return ZLAY_NONE;
    uint32_t words = width / WORD, lanes = LANES / words, sum = 0, active = 0;
    for (uint32_t first = 0; first < LANES; first += lanes) {
        uint32_t count = phase_wavefronts(addresses, first, lanes, words);
        sum += count;
        active += count > 0;
    }
    for (uint32_t lane = 0; phase && lane < LANES; lane++)
        phase[lane] = addresses[lane] == UINT32_MAX ? -1 : (int32_t)(lane / lanes);
    *wavefronts = sum;
    *ideal = active;
    return ZLAY_OK;
}
