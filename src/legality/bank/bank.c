/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefronts of one access to shared memory, by the model of its target. */
#include "legality/bank/bank.h"

#include <string.h>

enum { WORD = 4, LANES_STEP = 4 };

typedef uint32_t four __attribute__((vector_size(16)));

static inline zl_bank_keys keys_of(const zl_banked *b, const uint32_t *addresses, uint32_t least)
{
    uint32_t bytes = b->access->bytes, align = b->access->align;
    uint32_t unit = bytes < least ? least : align < bytes ? align < least ? least : align : bytes;
    return (zl_bank_keys){.addresses = addresses,
                          .shift = (uint32_t)__builtin_ctz(unit),
                          .each = bytes > unit ? bytes / unit : 1};
}

/* What addresses of one part have in common, four lanes at a time. */
typedef struct scanned {
    uint32_t bits, off; /* bits of active addresses; not 0: a lane is inactive */
} scanned;

static inline uint32_t joined(four f) { return f[0] | f[1] | f[2] | f[3]; }

static scanned scan(const uint32_t *addresses, uint32_t lanes)
{
    four bits = {0}, off = {0}, address;
    for (uint32_t l = 0; l < lanes; l += LANES_STEP) {
        memcpy(&address, addresses + l, sizeof address);
        four inactive = (four)(address == ZLAY_BANK_INACTIVE);
        bits |= address & ~inactive;
        off |= inactive;
    }
    return (scanned){joined(bits), joined(off)};
}

/* Whether an active lane asks for bytes past the last. Aligned lanes of as many bytes do not. */
static bool is_past(const zl_bank_access *a, const uint32_t *addresses, uint32_t lanes)
{
    uint32_t last = UINT32_MAX - (a->bytes - 1);
    for (uint32_t l = 0; a->align < a->bytes && l < lanes; l++)
        if (addresses[l] != ZLAY_BANK_INACTIVE && addresses[l] > last) return true;
    return false;
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
    bool alone = sparse(active, 1) || sparse(active, 2);
    out->ideal += phases_of(b->model, active, 2);
    out->distinct += phases_of(b->model, active, alone ? 2 : 1);
}

static void count_part(zlay_bank *out, const zl_banked *b, const uint32_t *addresses,
                       uint64_t active, bool distinct)
{
    uint32_t step = merges(b, addresses) ? 2 : 1, first = out->phases;
    zl_bank_keys keys = keys_of(b, addresses, WORD);
    keys.ways = b->model->banks * WORD >> keys.shift;
    keys.lanes = step * b->lanes / b->model->count;
    keys.distinct = distinct || b->model->serves == ZL_SERVES_LANES;
    for (uint32_t i = 0; i < b->model->count; i += step) {
        uint64_t lanes = active & (b->model->phases[i] | b->model->phases[i + step - 1]);
        if (lanes) out->phase[out->phases++] = lanes;
    }
    out->wavefronts += zl_bank_wavefronts(&keys, out->phase + first, out->phases - first);
    if (b->model->serves == ZL_SERVES_PAIRS) {
        put_least(out, b, active);
        return;
    }
    out->ideal += out->phases - first;
    out->distinct += out->phases - first;
}

uint32_t zl_bank_without_conflict(const zl_banked *b, const uint32_t *addresses)
{
    const zl_bank_model *m = b->model;
    const uint64_t active = active_lanes(addresses, b->lanes, false);
    uint32_t step = merges(b, addresses) ? 2 : 1, wavefronts = 0;
    zl_bank_keys keys = keys_of(b, addresses, WORD);
    keys.ways = m->banks * WORD >> keys.shift;
    keys.distinct = m->serves == ZL_SERVES_LANES;
    if (keys.each > 1 || b->access->parts > 1) return 0;
    for (uint32_t i = 0; i < m->count; i += step) {
        uint64_t lanes = active & (m->phases[i] | m->phases[i + step - 1]);
        if (lanes && !zl_bank_is_free(&keys, lanes)) return 0;
        wavefronts += lanes != 0;
    }
    return wavefronts;
}

/* Two lanes that write one byte. */
static bool races(const zl_banked *b, const uint32_t *addresses, uint64_t active)
{
    zl_bank_keys keys = keys_of(b, addresses, 1);
    return zl_bank_repeats(&keys, active, b->access->parts > 1 ? addresses + b->lanes : NULL);
}

/* Rows are all there and no others; a lane has both of its addresses or none. */
static bool fits(uint64_t *active, const zl_banked *b, const uint32_t *addresses, size_t count)
{
    const zl_bank_access *a = b->access;
    if (count != (size_t)b->lanes * a->parts) return false;
    for (uint32_t p = 0; p < a->parts; p++, addresses += b->lanes) {
        scanned seen = scan(addresses, b->lanes);
        uint64_t here = active_lanes(addresses, b->lanes, !seen.off);
        if (seen.bits & (a->align - 1) || is_past(a, addresses, b->lanes)) return false;
        if (p && here != *active) return false;
        *active = here;
    }
    return !a->rows || *active == UINT64_MAX >> (64 - a->rows);
}

zlay_status zlay_bank_conflicts(zlay_bank *out, const zlay_target *target, int32_t access,
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
    out->race = b.access->stores && races(&b, addresses, active);
    bool distinct = b.access->stores && b.access->align >= WORD && !out->race;
    for (uint32_t p = 0; b.model && p < b.access->parts; p++)
        count_part(out, &b, addresses + p * b.lanes, active, distinct);
    for (uint32_t p = out->phases; p < ZLAY_BANK_PHASES; p++) out->phase[p] = 0;
    return ZLAY_OK;
}

__attribute__((cold)) zl_bank_keys zl_bank_keys_of(const zl_banked *b, const uint32_t *addresses)
{
    zl_bank_keys keys = keys_of(b, addresses, WORD);
    keys.ways = b->model->banks * WORD >> keys.shift;
    keys.lanes = b->lanes;
    keys.distinct = b->model->serves == ZL_SERVES_LANES;
    return keys;
}
