/* SPDX-License-Identifier: Apache-2.0 */
/* A conversion's plan, request parsed, against what a user writes for one: holders from a table of
 * all slots, and a row padded by 0 to 4 words, whichever counts fewest wavefronts over all
 * addresses.  Random permutations of the tensor's bits; then any bijections inside a warp, which
 * are words. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { DRAWN = 16, SLOTS = 1 << 14, LANES = 32, PADS = 5 };

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    int32_t store, load; /* accesses of one element */
    unsigned bits, registers, next, bytes;
    bool general;
    zlay_layout *src[DRAWN], *dst[DRAWN];
    uint64_t ours[DRAWN], theirs[DRAWN];
    int64_t value[2][SLOTS];
    uint32_t holder[SLOTS];
} state;

static bool ours(void *value)
{
    state *s = value;
    zlay_convert *plan;
    zlay_convert_summary info;
    unsigned i = s->next++ % DRAWN;
    zlay_convert_request r = {
        .size = sizeof r, .elem_bits = 8 * s->bytes, .src = s->src[i], .dst = s->dst[i]};
    if (zlay_convert_synth(s->ctx, &plan, s->target, &r)) return false;
    zlay_convert_info(&info, plan);
    s->ours[i] = info.store + info.load;
    zlay_convert_free(plan);
    return true;
}

static bool count(const state *s, int side, uint64_t pad, uint64_t *sum)
{
    uint32_t address[LANES];
    zlay_bank bank;
    unsigned registers = 1u << s->registers;
    uint64_t block = (uint64_t)registers * LANES, slots = (uint64_t)1 << s->bits;
    for (uint64_t warp = 0; warp < slots; warp += block)
        for (unsigned r = 0; r < registers; r++) {
            for (unsigned l = 0; l < LANES; l++) {
                uint64_t at = (uint64_t)s->value[side][warp + l * registers + r];
                address[l] = (uint32_t)(at * s->bytes + at * s->bytes / 128 * pad * 4);
            }
            if (zlay_bank_conflicts(&bank, s->target, side ? s->load : s->store, address, LANES))
                return false;
            *sum += bank.wavefronts;
        }
    return true;
}

static bool by_table(void *value)
{
    state *s = value;
    unsigned i = s->next++ % DRAWN;
    uint64_t slots = (uint64_t)1 << s->bits, least = UINT64_MAX;
    for (int side = 0; side < 2; side++)
        if (zlay_layout_eval_many(s->value[side], NULL, side ? s->dst[i] : s->src[i], NULL, 0,
                                  slots))
            return false;
    for (uint64_t x = 0; x < slots; x++) s->holder[s->value[0][x]] = (uint32_t)x;
    for (uint64_t pad = 0; pad < PADS; pad++) {
        uint64_t sum = 0;
        if (!count(s, 0, pad, &sum) || !count(s, 1, pad, &sum)) return false;
        least = sum < least ? sum : least;
    }
    s->theirs[i] = least;
    return true;
}

static zlay_layout *draw(state *s, uint64_t *x)
{
    uint64_t basis[64];
    zlay_layout *out = NULL;
    zlay_dim in[3] = {{.name = "register"}, {.name = "lane"}, {.name = "warp"}};
    zlay_dim to = {.name = "x", .size = (uint64_t)1 << s->bits};
    in[0].size = (uint64_t)1 << s->registers;
    in[1].size = LANES;
    in[2].size = to.size / LANES / in[0].size;
    for (unsigned k = 0; k < s->bits; k++) basis[k] = (uint64_t)1 << k;
    for (unsigned k = s->bits; k > 1; k--) {
        *x = *x * 6364136223846793005u + 1442695040888963407u;
        unsigned j = (unsigned)((*x >> 33) % k);
        uint64_t was = basis[k - 1];
        basis[k - 1] = basis[j];
        basis[j] = was;
    }
    for (unsigned n = 0; s->general && n < 8 * s->bits; n++) {
        unsigned i = (unsigned)(bench_drawn(x) % s->bits), j = (unsigned)(bench_drawn(x) % s->bits);
        if (i != j) basis[i] ^= basis[j];
    }
    zlay_f2_bases b = {sizeof b, 0, 3, 1, in, &to, basis};
    return zlay_f2_new(s->ctx, &out, &b) ? NULL : out;
}

/* Where ours takes shared memory, it takes no more wavefronts than the padded rows; a quick run has
 * not come to all of them. */
static bool agrees(const state *s)
{
    for (int i = 0; i < DRAWN; i++)
        if (s->theirs[i] && s->ours[i] > s->theirs[i]) return false;
    return true;
}

static bool print_row(state *s, bool json)
{
    bench_work *const work[] = {ours, by_table};
    char name[64];
    double median[2];
    bool right = true;
    uint64_t x = 20240607;
    memset(s->src, 0, sizeof s->src);
    memset(s->dst, 0, sizeof s->dst);
    memset(s->theirs, 0, sizeof s->theirs);
    for (int i = 0; i < DRAWN && right; i++)
        right = (s->src[i] = draw(s, &x)) && (s->dst[i] = draw(s, &x));
    snprintf(name, sizeof name, "convert, %u-bit elements, %u bits%s", 8 * s->bytes, s->bits,
             s->general ? ", in a warp" : "");
    right = right && bench_times(work, 2, s, median) && agrees(s);
    if (right)
        bench_line(name, median[0], "us", "a table and padded rows counted", median[1] / median[0],
                   json);
    for (int i = 0; i < DRAWN; i++) {
        zlay_layout_free(s->src[i]);
        zlay_layout_free(s->dst[i]);
    }
    return right;
}

static bool growth(state *s, unsigned bytes, const char *store, const char *load, bool json)
{
    bool right = !zlay_bank_find(&s->store, store, strlen(store)) &&
                 !zlay_bank_find(&s->load, load, strlen(load));
    s->bytes = bytes;
    for (s->bits = 8; right && s->bits <= 14; s->bits += 2) {
        s->registers = s->bits < 12 ? (s->bits - 5) / 2 + 1 : s->bits - 9;
        right = print_row(s, json);
    }
    return right;
}

static bool in_warp(state *s, unsigned bytes, const char *store, const char *load, bool json)
{
    bool right = !zlay_bank_find(&s->store, store, strlen(store)) &&
                 !zlay_bank_find(&s->load, load, strlen(load));
    s->bytes = bytes;
    s->general = true;
    for (s->bits = 6; right && s->bits <= 9; s->bits++) {
        s->registers = s->bits - 5;
        right = print_row(s, json);
    }
    s->general = false;
    return right;
}

/* ---- registers that are no power of two, and many of them --------------------------------------------------------------- */

typedef struct many {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_layout *src, *dst;
    uint64_t smem;
} many;

/* Too little room is said as well. */
static bool many_work(void *value)
{
    many *m = value;
    zlay_convert_request r = {.size = sizeof r, .elem_bits = 32, .src = m->src, .dst = m->dst, .smem = m->smem};
    zlay_convert *plan;
    zlay_status status = zlay_convert_synth(m->ctx, &plan, m->target, &r);
    zlay_convert_free(plan);
    return status == (m->smem ? ZLAY_ELIMIT : ZLAY_OK);
}

static bool many_rows(state *s, bool json)
{
    static const int64_t registers[] = {96, 1000, 4096, 12288}; /* 16384 pass the default of limits.work */
    static const char to[] = "(4,32,4):(128,1,32)";
    bool right = true;
    for (size_t i = 0; i < 2 * sizeof registers / sizeof *registers && right; i++) {
        many m = {.ctx = s->ctx, .target = s->target, .smem = i % 2 ? 1024 : 0};
        char text[64], name[96];
        snprintf(text, sizeof text, "(%lld,32,4):(1,2,128)", (long long)registers[i / 2]);
        right = !zlay_layout_parse(s->ctx, &m.src, text, strlen(text)) && !zlay_layout_parse(s->ctx, &m.dst, to, strlen(to));
        double time = right ? bench_time(many_work, &m) : -1;
        snprintf(name, sizeof name, "convert %s%s", text, m.smem ? ", 1 KiB of room: none" : "");
        right = time >= 0;
        if (right) bench_line(name, time / 1000, "ms", "a budget of 2 s", 2e6 / time, json);
        zlay_layout_free(m.src);
        zlay_layout_free(m.dst);
    }
    return right;
}

bool bench_convert(zlay_ctx *ctx, bool json)
{
    static state s;
    s.ctx = ctx;
    return !zlay_target_find(&s.target, "sm_90a", 6) &&
           growth(&s, 4, "st.shared.b32", "ld.shared.b32", json) &&
           growth(&s, 2, "st.shared.b16", "ld.shared.b16", json) &&
           in_warp(&s, 4, "st.shared.b32", "ld.shared.b32", json) &&
           in_warp(&s, 2, "st.shared.b16", "ld.shared.b16", json) &&
           in_warp(&s, 1, "st.shared.b8", "ld.shared.b8", json) && many_rows(&s, json);
}
