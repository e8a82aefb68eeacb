/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the banks that an access to shared memory asks for, phase by phase: in a wavefront each
 * bank serves one of the words that lanes ask of it. */
#include "legality/bank/bank.h"
#include "show/picture.h"

#include <zlay/show_hardware.h>

#include <inttypes.h>
#include <stdio.h>

enum { WORD = 4, LABEL = 16, LABEL_MOST = 7, TIP = 320, LANE_BITS = 64 };
enum { KEYS_MOST = ZLAY_BANK_LANES * 3 };

/* A key, its lanes, and the wavefront of its phase that serves it. */
typedef struct served {
    uint32_t key, way, wavefront;
    uint64_t lanes;
} served;

/* A phase: what its banks serve. */
typedef struct phase {
    const zl_bank_keys *keys;
    uint64_t lanes;
    served key[KEYS_MOST];
    uint32_t count;
    uint32_t asked[ZLAY_BANK_LANES]; /* keys of each way */
} phase;

static void ask(phase *p, uint32_t key, uint32_t lane)
{
    uint32_t way = key & (p->keys->ways - 1);
    uint64_t bit = (uint64_t)1 << lane;
    for (uint32_t i = 0; i < p->count && !p->keys->distinct; i++)
        if (p->key[i].key == key) {
            p->key[i].lanes |= bit;
            return;
        }
    p->key[p->count++] = (served){key, way, p->asked[way]++, bit};
}

static void ask_all(phase *p)
{
    for (uint64_t rest = p->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(rest);
        uint32_t first = p->keys->addresses[lane] >> p->keys->shift;
        for (uint32_t i = 0; i < p->keys->each; i++) ask(p, first + i, lane);
    }
}

/* ---- labels -------------------------------------------------------------------------------- */

/* Lanes as ranges: 0-3,8. Returns the length of all of them. */
static size_t lanes_text(char *out, size_t room, uint64_t rest)
{
    zl_text text = {out, room - 1, 0};
    for (const char *between = ""; rest; between = ",") {
        uint32_t first = (uint32_t)__builtin_ctzll(rest), last = first;
        while (last + 1 < LANE_BITS && rest >> (last + 1) & 1) last++;
        zl_putf(&text, "%s%u", between, (unsigned)first);
        if (last > first) zl_putf(&text, "-%u", (unsigned)last);
        rest = last + 1 < LANE_BITS ? rest >> (last + 1) << (last + 1) : 0;
    }
    out[text.need < room ? text.need : room - 1] = 0;
    return text.need;
}

static void label_of(char out[LABEL], uint64_t lanes)
{
    if (lanes_text(out, LABEL, lanes) > LABEL_MOST)
        snprintf(out, LABEL, "%d+%d", __builtin_ctzll(lanes), __builtin_popcountll(lanes) - 1);
}

static void put_served(zl_sketch *s, const phase *p, const served *k, uint32_t before)
{
    char label[LABEL], lanes[TIP / 2], tip[TIP];
    uint32_t bytes = 1u << p->keys->shift;
    lanes_text(lanes, sizeof lanes, k->lanes);
    label_of(label, k->lanes);
    snprintf(tip, sizeof tip, "%" PRIu32 " bytes at 0x%" PRIx64 ": lanes %s", bytes,
             (uint64_t)k->key << p->keys->shift, lanes);
    const zlay_box box = {.row = k->wavefront,
                          .column = k->way,
                          .width = 1,
                          .shade = zl_sketch_shade(__builtin_ctzll(k->lanes)),
                          .marked = p->asked[k->way] > 1,
                          .key = __builtin_ctzll(k->lanes),
                          .step = (int64_t)before + k->wavefront,
                          .label = label,
                          .tip = tip};
    zl_sketch_box(s, &box);
}

/* ---- phases -------------------------------------------------------------------------------- */

/* Returns the wavefronts of the phase. */
static uint32_t put_phase(zl_sketch *s, phase *p, uint32_t number, uint32_t before)
{
    uint32_t wide = (1u << p->keys->shift) / WORD, ways = p->keys->ways,
             rows = zl_bank_wavefronts(p->keys, &p->lanes, 1);
    char lanes[TIP / 2];
    lanes_text(lanes, sizeof lanes, p->lanes);
    zl_sketch_panel(s, ZLAY_PANEL_CELLS, ways, rows, "phase %u: lanes %s", (unsigned)number, lanes);
    for (uint32_t i = 0; i < ways; i++) {
        if (wide == 1) zl_sketch_column(s, i, "%u", (unsigned)i);
        else zl_sketch_column(s, i, "%u-%u", (unsigned)(i * wide), (unsigned)(i * wide + wide - 1));
    }
    for (uint32_t w = 0; w < rows; w++) zl_sketch_row(s, w, "%u", (unsigned)(before + w));
    ask_all(p);
    for (uint32_t i = 0; i < p->count && !s->status; i++) put_served(s, p, &p->key[i], before);
    return rows;
}

/* Both parts of an access have the same lanes and so as many phases. */
static zlay_status put_phases(zl_sketch *s, const zlay_bank *bank, const zl_banked *b,
                              const uint32_t *addresses)
{
    uint32_t each = bank->phases / b->access->parts, before = 0;
    phase *p = zl_scratch(s->ctx, 1, sizeof *p);
    if (!p) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < bank->phases && !s->status; i++) {
        const zl_bank_keys keys = zl_bank_keys_of(b, addresses + i / each * b->lanes);
        *p = (phase){.keys = &keys, .lanes = bank->phase[i]};
        before += put_phase(s, p, i, before);
    }
    return s->status;
}

static zlay_status refuse(zlay_ctx *ctx, zlay_status status, const zlay_target *target)
{
    if (status == ZLAY_NONE)
        return zl_fail(ctx, status, "%s has no such access", zlay_target_name(target));
    return zl_fail(ctx, status, "the addresses do not fit the access");
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const zlay_target *target,
                        int32_t access, const uint32_t *addresses, size_t count)
{
    zlay_bank bank;
    zl_banked b;
    zlay_bank_access info;
    zlay_status status = zlay_bank_conflicts(&bank, target, access, addresses, count);
    if (!status) status = zl_banked_of(&b, target, access);
    if (!status) status = zlay_bank_info(&info, target, access);
    if (status) return refuse(ctx, status, target);
    if (bank.answer != ZLAY_YES)
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s of %s: not known %s", info.name,
                       zlay_target_name(target), info.gap);
    if (!bank.phases) return zl_fail(ctx, ZLAY_EINVAL, "no lane is active");
    zl_sketch s = zl_sketch_begin(ctx, "%s on %s", info.name, zlay_target_name(target));
    if (!s.status) s.status = put_phases(&s, &bank, &b, addresses);
    zl_sketch_note(
        &s, "%u wavefronts; these lanes take at least %u, and %u where no two share an address",
        (unsigned)bank.wavefronts, (unsigned)bank.ideal, (unsigned)bank.distinct);
    if (bank.race) zl_sketch_note(&s, "a race: two lanes write one byte");
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_banks(zlay_ctx *ctx, zlay_picture **out, const zlay_target *target,
                            int32_t access, const uint32_t *addresses, size_t count)
{
    if (!ctx || !out || !target || !addresses) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, show(ctx, out, target, access, addresses, count));
}
