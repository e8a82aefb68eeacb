/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefronts of one access to shared memory, by the model of its target. */
#include "legality/bank.h"

#include <string.h>

enum { WORD = 4 };

/* A set of keys by open addressing; 0 is an empty place, so keys are kept plus one. */
typedef struct key_set {
    uint32_t mask, places[512];
} key_set;

static void set_begin(key_set *set, uint32_t keys)
{
    uint32_t places = 16;
    while (places < 2 * keys) places *= 2;
    set->mask = places - 1;
    memset(set->places, 0, places * sizeof *set->places);
}

/* False: it was there. */
static bool set_add(key_set *set, uint32_t key)
{
    uint32_t i = (key * 0x9e3779b1u >> 16) & set->mask;
    for (; set->places[i]; i = (i + 1) & set->mask)
        if (set->places[i] == key + 1) return false;
    set->places[i] = key + 1;
    return true;
}

/* An access as it is counted: keys are whole lanes where these fill aligned banks, else words. */
typedef struct counted {
    const uint32_t *addresses; /* of one part */
    uint32_t unit;             /* bytes of a key */
    uint32_t keys;             /* of a lane */
    uint32_t ways;             /* keys that the banks hold side by side */
    bool apart;                /* lanes of one word are served one by one */
} counted;

static void count_begin(counted *c, const zl_banked *b)
{
    uint32_t bytes = b->access->bytes, align = b->access->align;
    c->unit = bytes < WORD || align < bytes ? WORD : bytes;
    c->keys = align < bytes ? bytes / WORD : 1;
    c->ways = b->model->banks * WORD / c->unit;
    c->apart = b->model->serves == ZL_SERVES_LANES;
}

/* The most keys that lanes ask of one place, distinct ones where words are served once. */
static uint32_t phase_wavefronts(const counted *c, uint64_t lanes)
{
    uint8_t held[ZLAY_BANK_LANES] = {0}, most = 0;
    key_set set;
    set_begin(&set, (uint32_t)__builtin_popcountll(lanes) * c->keys);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t key = c->addresses[__builtin_ctzll(lanes)] / c->unit;
        for (uint32_t i = 0; i < c->keys; i++, key++) {
            if (!set_add(&set, key) && !c->apart) continue;
            uint8_t count = ++held[key & (c->ways - 1)];
            if (count > most) most = count;
        }
    }
    return most;
}

static uint64_t active_lanes(const uint32_t *addresses, uint32_t lanes)
{
    uint64_t mask = 0;
    for (uint32_t l = 0; l < lanes; l++)
        mask |= (uint64_t)(addresses[l] != ZLAY_BANK_INACTIVE) << l;
    return mask;
}

/* Whether each lane and lane ^ step, as far as both are active, have one address. */
static bool paired(const uint32_t *addresses, uint64_t active, uint32_t lanes, uint32_t step)
{
    uint32_t apart = 0;
    for (uint32_t l = 0; l < lanes; l++) {
        uint32_t both = (uint32_t)(active >> l & active >> (l ^ step) & 1);
        apart |= both & (addresses[l] != addresses[l ^ step]);
    }
    return !apart;
}

/* Whether active lanes alone are never both of a pair: then any addresses are paired. */
static bool sparse(uint64_t active, uint32_t step)
{
    static const uint64_t lows[] = {0, 0x5555555555555555, 0x3333333333333333};
    return !(active & active >> step & lows[step]);
}

static bool merges(const zl_banked *b, const uint32_t *addresses, uint64_t active)
{
    return b->model->serves == ZL_SERVES_PAIRS &&
           (paired(addresses, active, b->lanes, 1) || paired(addresses, active, b->lanes, 2));
}

static uint32_t phases_of(const zl_bank_model *m, uint64_t active, uint32_t step)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i += step)
        count += (active & (m->phases[i] | m->phases[i + step - 1])) != 0;
    return count;
}

/* One address for all is the least; without shared ones only lanes that are alone go by pairs. */
static void put_least(zlay_bank *out, const zl_banked *b, uint64_t active)
{
    bool pairs = b->model->serves == ZL_SERVES_PAIRS;
    bool alone = sparse(active, 1) || sparse(active, 2);
    out->ideal += phases_of(b->model, active, pairs ? 2 : 1);
    out->distinct += phases_of(b->model, active, pairs && alone ? 2 : 1);
}

static void count_part(zlay_bank *out, const zl_banked *b, const uint32_t *addresses)
{
    counted c = {.addresses = addresses};
    uint64_t active = active_lanes(addresses, b->lanes);
    uint32_t step = merges(b, addresses, active) ? 2 : 1;
    count_begin(&c, b);
    for (uint32_t i = 0; i < b->model->count; i += step) {
        uint64_t lanes = active & (b->model->phases[i] | b->model->phases[i + step - 1]);
        if (!lanes) continue;
        out->phase[out->phases++] = lanes;
        out->wavefronts += phase_wavefronts(&c, lanes);
    }
    put_least(out, b, active);
}

/* Two lanes that write one byte; both parts of a lane are its own. */
static bool races(const zl_banked *b, const uint32_t *addresses, uint32_t count)
{
    uint32_t bytes = b->access->bytes, unit = b->access->align < bytes ? WORD : bytes;
    key_set set;
    set_begin(&set, count * (bytes / unit));
    for (uint32_t l = 0; l < count; l++) {
        if (addresses[l] == ZLAY_BANK_INACTIVE) continue;
        bool again = l >= b->lanes && addresses[l] == addresses[l - b->lanes];
        for (uint32_t i = 0; i < bytes / unit; i++)
            if (!set_add(&set, addresses[l] / unit + i) && !again) return true;
    }
    return false;
}

static bool lane_fits(const zl_banked *b, const uint32_t *addresses, uint32_t lane)
{
    const zl_access *a = b->access;
    bool off = addresses[lane] == ZLAY_BANK_INACTIVE;
    if (a->rows && off != (lane >= a->rows)) return false;
    for (uint32_t p = 0; p < a->parts; p++) {
        uint32_t address = addresses[p * b->lanes + lane];
        if ((address == ZLAY_BANK_INACTIVE) != off) return false;
        if (!off && (address % a->align || address > UINT32_MAX - (a->bytes - 1))) return false;
    }
    return true;
}

static bool fits(const zl_banked *b, const uint32_t *addresses, size_t count)
{
    if (count != (size_t)b->lanes * b->access->parts) return false;
    for (uint32_t lane = 0; lane < b->lanes; lane++)
        if (!lane_fits(b, addresses, lane)) return false;
    return true;
}

zlay_status zlay_bank_count(zlay_bank *out, const zlay_target *target, int32_t access,
                            const uint32_t *addresses, size_t count)
{
    zl_banked b;
    if (!out || !target || !addresses) return ZLAY_EINVAL;
    zlay_status status = zl_banked_of(&b, target, access);
    if (status) return status;
    if (!fits(&b, addresses, count)) return ZLAY_EINVAL;
    memset(out, 0, sizeof *out);
    out->answer = b.model ? ZLAY_YES : ZLAY_UNDECIDED;
    if (b.access->stores) out->race = races(&b, addresses, (uint32_t)count);
    if (!b.model) return ZLAY_OK;
    out->basis = b.model->basis;
    for (uint32_t p = 0; p < b.access->parts; p++) count_part(out, &b, addresses + p * b.lanes);
    return ZLAY_OK;
}
