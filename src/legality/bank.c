/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefronts of one access to shared memory, by the model of its target. */
#include "legality/bank.h"

#include <string.h>

enum { WORD = 4, LANES_STEP = 4, KEYS_MOST = ZLAY_BANK_LANES * 3, CHAINS = 64, WARP = 32 };

/* An access as it is counted: keys are whole lanes where these fill aligned banks, else words. */
typedef struct counted {
    const uint32_t *addresses; /* of one part */
    uint32_t shift;            /* log2 of the bytes of a key */
    uint32_t keys;             /* of a lane */
    uint32_t ways;             /* keys that the banks hold side by side */
    bool apart;                /* lanes of one word are served one by one */
} counted;

static void count_begin(counted *c, const zl_banked *b)
{
    uint32_t bytes = b->access->bytes, align = b->access->align;
    c->shift = (uint32_t)__builtin_ctz(bytes < WORD || align < bytes ? WORD : bytes);
    c->keys = align < bytes ? bytes / WORD : 1;
    c->ways = b->model->banks * WORD >> c->shift;
    c->apart = b->model->serves == ZL_SERVES_LANES;
}

/* Keys of one place, each once unless lanes are served apart. */
static uint32_t put_once(uint32_t *place, uint32_t held, uint32_t key, bool apart)
{
    uint32_t i = apart ? held : 0;
    while (i < held && place[i] != key) i++;
    place[i] = key;
    return i < held ? held : held + 1;
}

/* The most keys that lanes ask of one place. */
static uint32_t phase_wavefronts(const counted *c, uint64_t lanes)
{
    uint32_t places[ZLAY_BANK_LANES][ZLAY_BANK_LANES], most = 0;
    uint8_t held[ZLAY_BANK_LANES] = {0};
    for (; lanes; lanes &= lanes - 1) {
        uint32_t key = c->addresses[__builtin_ctzll(lanes)] >> c->shift;
        for (uint32_t i = 0; i < c->keys; i++) {
            uint32_t way = (key + i) & (c->ways - 1);
            uint32_t now = put_once(places[way], held[way], key + i, c->apart);
            held[way] = (uint8_t)now;
            most = now > most ? now : most;
        }
    }
    return most;
}

/* What addresses of one part have in common, four lanes at a time. */
typedef uint32_t four __attribute__((vector_size(16)));

typedef struct scanned {
    uint32_t bits, off; /* bits of active addresses; not 0: a lane is inactive */
} scanned;

static scanned scan(const uint32_t *addresses, uint32_t lanes)
{
    four bits = {0}, off = {0}, address;
    for (uint32_t l = 0; l < lanes; l += LANES_STEP) {
        memcpy(&address, addresses + l, sizeof address);
        four inactive = (four)(address == ZLAY_BANK_INACTIVE);
        bits |= address & ~inactive;
        off |= inactive;
    }
    return (scanned){bits[0] | bits[1] | bits[2] | bits[3], off[0] | off[1] | off[2] | off[3]};
}

static uint64_t active_lanes(const uint32_t *addresses, uint32_t lanes, bool all)
{
    uint64_t mask = 0;
    if (all) return UINT64_MAX >> (64 - lanes);
    for (uint32_t l = 0; l < lanes; l++)
        mask |= (uint64_t)(addresses[l] != ZLAY_BANK_INACTIVE) << l;
    return mask;
}

/* Whether each lane and lane ^ step, as far as both are active, have one address. */
static bool paired(const uint32_t *addresses, uint32_t lanes, uint32_t step)
{
    uint32_t apart = 0;
    for (uint32_t block = 0; block < lanes; block += 4)
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t l = block + i * (3 - step);
            uint32_t one = addresses[l], other = addresses[l + step];
            apart |= (one != other) & (one != ZLAY_BANK_INACTIVE) & (other != ZLAY_BANK_INACTIVE);
        }
    return !apart;
}

/* Whether active lanes alone are never both of a pair: then any addresses are paired. */
static bool sparse(uint64_t active, uint32_t step)
{
    static const uint64_t lows[] = {0, 0x5555555555555555, 0x3333333333333333};
    return !(active & active >> step & lows[step]);
}

static bool merges(const zl_banked *b, const uint32_t *addresses)
{
    return b->model->serves == ZL_SERVES_PAIRS &&
           (paired(addresses, b->lanes, 1) || paired(addresses, b->lanes, 2));
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

static void count_part(zlay_bank *out, const zl_banked *b, const uint32_t *addresses,
                       uint64_t active)
{
    counted c = {.addresses = addresses};
    uint32_t step = merges(b, addresses) ? 2 : 1;
    count_begin(&c, b);
    for (uint32_t i = 0; i < b->model->count; i += step) {
        uint64_t group = b->model->phases[i] | b->model->phases[i + step - 1];
        uint64_t lanes = active & group;
        if (!lanes) continue;
        out->phase[out->phases++] = lanes;
        out->wavefronts += phase_wavefronts(&c, lanes);
    }
    put_least(out, b, active);
}

/* Keys that lanes wrote, chained by a few bits of them; place 0 ends a chain. */
typedef struct written {
    uint32_t count, key[KEYS_MOST + 1];
    uint8_t head[CHAINS], next[KEYS_MOST + 1];
} written;

/* False: it was there. */
static bool write_once(written *w, uint32_t key)
{
    uint32_t chain = key * 0x9e3779b1u >> 26;
    for (uint32_t i = w->head[chain]; i; i = w->next[i])
        if (w->key[i] == key) return false;
    w->key[++w->count] = key;
    w->next[w->count] = w->head[chain];
    w->head[chain] = (uint8_t)w->count;
    return true;
}

/* Two active lanes of one address, each compared with those behind it, four at a time. */
static bool meets(const uint32_t *addresses, uint32_t lanes)
{
    uint32_t behind[WARP + LANES_STEP];
    four met = {0}, other;
    memcpy(behind, addresses, lanes * sizeof *behind);
    for (uint32_t i = 0; i < LANES_STEP; i++) behind[lanes + i] = ZLAY_BANK_INACTIVE;
    for (uint32_t l = 0; l < lanes; l++) {
        uint32_t a = addresses[l];
        if (a == ZLAY_BANK_INACTIVE) continue;
        for (uint32_t i = l + 1; i < lanes; i += LANES_STEP) {
            memcpy(&other, behind + i, sizeof other);
            met |= (four)(other == (four){a, a, a, a});
        }
    }
    return (met[0] | met[1] | met[2] | met[3]) != 0;
}

/* Two lanes that write one byte; the second address of a lane may be its first. */
static bool races(const zl_banked *b, const uint32_t *addresses, uint32_t count)
{
    uint32_t shift = (uint32_t)__builtin_ctz(b->access->align), keys = b->access->bytes >> shift;
    written w;
    if (keys == 1 && count == b->lanes && count <= WARP) return meets(addresses, count);
    w.count = 0;
    memset(w.head, 0, sizeof w.head);
    for (uint32_t l = 0; l < count; l++) {
        bool own = l >= b->lanes && addresses[l] == addresses[l - b->lanes];
        if (addresses[l] == ZLAY_BANK_INACTIVE || own) continue;
        for (uint32_t i = 0; i < keys; i++)
            if (!write_once(&w, (addresses[l] >> shift) + i)) return true;
    }
    return false;
}

/* An aligned address leaves room for its bytes; one that is aligned to less may not. */
static bool leaves_room(const zl_access *a, const uint32_t *addresses, uint32_t lanes)
{
    for (uint32_t l = 0; a->align < a->bytes && l < lanes; l++)
        if (addresses[l] > UINT32_MAX - (a->bytes - 1) && addresses[l] != ZLAY_BANK_INACTIVE)
            return false;
    return true;
}

/* Rows are all there and no others; a lane has both of its addresses or none. */
static bool fits(uint64_t *active, const zl_banked *b, const uint32_t *addresses, size_t count)
{
    const zl_access *a = b->access;
    if (count != (size_t)b->lanes * a->parts) return false;
    for (uint32_t p = 0; p < a->parts; p++, addresses += b->lanes) {
        scanned seen = scan(addresses, b->lanes);
        uint64_t here = active_lanes(addresses, b->lanes, !seen.off);
        if (seen.bits & (a->align - 1) || (p && here != *active)) return false;
        if (!leaves_room(a, addresses, b->lanes)) return false;
        *active = here;
    }
    return !a->rows || *active == UINT64_MAX >> (64 - a->rows);
}

zlay_status zlay_bank_count(zlay_bank *out, const zlay_target *target, int32_t access,
                            const uint32_t *addresses, size_t count)
{
    zl_banked b;
    uint64_t active = 0;
    if (!out || !target || !addresses) return ZLAY_EINVAL;
    zlay_status status = zl_banked_of(&b, target, access);
    if (status) return status;
    if (!fits(&active, &b, addresses, count)) return ZLAY_EINVAL;
    out->answer = b.model ? ZLAY_YES : ZLAY_UNDECIDED;
    out->basis = b.model ? b.model->basis : 0;
    out->wavefronts = out->ideal = out->distinct = out->phases = out->reserved = 0;
    out->race = b.access->stores && races(&b, addresses, (uint32_t)count);
    for (uint32_t p = 0; b.model && p < b.access->parts; p++)
        count_part(out, &b, addresses + p * b.lanes, active);
    for (uint32_t p = out->phases; p < ZLAY_BANK_PHASES; p++) out->phase[p] = 0;
    return ZLAY_OK;
}
