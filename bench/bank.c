/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefronts of one access, against the loops that a user writes for it: the words of each phase by their banks. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 256, LANES_MOST = ZLAY_BANK_LANES };

static const struct {
    const char *target, *access;
    uint32_t phase, banks; /* lanes of a phase, one after the other */
} rows[] = {
    {"sm_90", "ld.shared.b32", 32, 32},  {"sm_90", "st.shared.v2.b32", 16, 32},
    {"sm_90", "ldmatrix.x4", 8, 32},     {"gfx942", "ds_read_b64", 16, 32},
    {"gfx950", "ds_read_b32", 64, 64},   {"gfx942", "ds_write_b128", 8, 32},
    {"gfx950", "ds_read_b64", 32, 64},   {"sm_90", "st.shared.v4.b32", 8, 32},
    {"gfx942", "ds_read_b32", 32, 32},   {"gfx950", "ds_write_b64", 16, 32},
};

typedef struct state {
    const zlay_target *target;
    zlay_bank_access access;
    uint32_t phase, banks;
    uint32_t addresses[MANY][LANES_MOST], ours[MANY], theirs[MANY];
} state;

static bool ours(void *value)
{
    state *s = value;
    zlay_bank bank;
    for (int i = 0; i < MANY; i++) {
        if (zlay_bank_conflicts(&bank, s->target, s->access.number, s->addresses[i], s->access.lanes))
            return false;
        s->ours[i] = bank.wavefronts;
    }
    return true;
}

static uint32_t phase_by_hand(const state *s, const uint32_t *addresses)
{
    uint32_t words[64][LANES_MOST], count[64] = {0}, most = 0;
    for (uint32_t l = 0; l < s->phase; l++)
        for (uint32_t w = 0; w < s->access.bytes / 4; w++) {
            uint32_t word = addresses[l] / 4 + w, bank = word % s->banks, i = 0;
            while (i < count[bank] && words[bank][i] != word) i++;
            if (i < count[bank]) continue;
            words[bank][count[bank]++] = word;
            if (count[bank] > most) most = count[bank];
        }
    return most;
}

static bool by_hand(void *value)
{
    state *s = value;
    for (int i = 0; i < MANY; i++) {
        s->theirs[i] = 0;
        for (uint32_t l = 0; l < s->access.lanes; l += s->phase)
            s->theirs[i] += phase_by_hand(s, s->addresses[i] + l);
    }
    return true;
}

/* Strides, exclusive ors and random words, a third each. */
static void draw(state *s)
{
    uint64_t x = 20240607;
    for (uint32_t i = 0; i < MANY; i++)
        for (uint32_t l = 0; l < LANES_MOST; l++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            uint32_t place = i % 3 == 0   ? l * (1 + i % 33)
                             : i % 3 == 1 ? (l ^ (l >> 3 & 7)) + l / 8 * 8 * (i % 5)
                                          : (uint32_t)(x >> 40) % (8u << i % 8);
            s->addresses[i][l] = place * s->access.align;
        }
}

static bool print_row(state *s, bool json)
{
    bench_work *const work[] = {ours, by_hand};
    char name[64];
    double median[2];
    draw(s);
    snprintf(name, sizeof name, "bank count, %s %s", zlay_target_name(s->target), s->access.name);
    if (!bench_times(work, 2, s, median) || memcmp(s->ours, s->theirs, sizeof s->ours))
        return false;
    bench_line(name, 1000 * median[0] / (double)MANY, "ns", "its phases in plain loops",
               median[1] / median[0], json);
    return true;
}

bool bench_bank(zlay_ctx *ctx, bool json)
{
    static state s;
    bool right = true;
    (void)ctx;
    for (size_t i = 0; right && i < sizeof rows / sizeof *rows; i++) {
        int32_t number;
        right = !zlay_target_find(&s.target, rows[i].target, strlen(rows[i].target)) &&
                !zlay_bank_find(&number, rows[i].access, strlen(rows[i].access)) &&
                !zlay_bank_info(&s.access, s.target, number);
        s.phase = rows[i].phase;
        s.banks = rows[i].banks;
        right = right && print_row(&s, json);
    }
    return right;
}
