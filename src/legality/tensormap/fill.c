/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a prepared tensor map in: each open entry is computed exactly in 128 bits, compared with its range,
 * and put into the words. The ranges hold what the rules leave of each entry, so a value that they have
 * passes every rule; what they refuse is judged by the full check, which gives the reasons. */
#include "legality/tensormap/fill.h"
#include "legality/tensormap/symbolic.h"

#include <string.h>

enum { KEY_BYTES = 4 }; /* of the rules' version */

/* An entry at values of the names; false: outside [-2^63, 2^64). A term is below 2^121, so the sum fits. */
static inline bool entry_value(uint64_t *out, const zl_fill_entry *e, const int64_t *value)
{
    zl_i128 sum = e->constant;
    for (uint32_t i = 0; i < e->terms; i++)
        sum += (zl_i128)e->term[i].times * value[e->term[i].name];
    *out = (uint64_t)sum;
    return sum >= INT64_MIN && sum <= (zl_i128)UINT64_MAX;
}

static inline bool is_in(uint64_t value, const zl_field_range *range)
{
    return value >= range->lo && value <= range->hi && !(value & (range->unit - 1));
}

/* The words, where every entry is in its range; what is not leaves them as they were. */
static bool fill_words(uint64_t *words, const zlay_fill *f, const int64_t *value)
{
    uint64_t entry[ZL_FILL_ENTRIES];
    for (uint32_t i = 0; i < f->entries; i++)
        if (!entry_value(&entry[i], &f->entry[i], value) || !is_in(entry[i], &f->entry[i].range))
            return false;
    memcpy(words, f->words, sizeof f->words);
    for (uint32_t i = 0; i < f->entries; i++)
        for (uint32_t p = 0; p < f->entry[i].places; p++)
            zl_bits_put(words, &f->entry[i].place[p], entry[i]);
    return true;
}

zlay_status zlay_fill_map(zlay_tensormap *out, const zlay_fill *f, const int64_t *value)
{
    if (!out || !f || (f->names && !value)) return ZLAY_EINVAL;
    zlay_tensormap map = f->map;
    for (uint32_t i = 0; i < f->entries; i++) {
        const zl_fill_entry *e = &f->entry[i];
        if (!entry_value(zl_map_entry(&map, e->field, e->index), e, value)) return ZLAY_EOVERFLOW;
    }
    *out = map;
    return ZLAY_OK;
}

zlay_status zlay_fill_write(uint64_t *words, zlay_verdict *verdict, zlay_reason *reasons, size_t room,
                            const zlay_fill *f, const int64_t *value)
{
    zlay_tensormap map;
    if (!words || !f || (f->names && !value) || (room && !reasons)) return ZLAY_EINVAL;
    bool legal = fill_words(words, f, value);
    if (legal && !verdict) return ZLAY_OK;
    zlay_status status = zlay_fill_map(&map, f, value);
    if (!status && verdict) status = zlay_tensormap_check(verdict, reasons, room, f->target, &map);
    return status ? status : legal ? ZLAY_OK : ZLAY_NONE;
}

zlay_status zlay_fill_key(uint8_t *key, const uint64_t *words)
{
    if (!key || !words) return ZLAY_EINVAL;
    for (uint32_t i = 0; i < ZLAY_FILL_KEY - KEY_BYTES; i++)
        key[i] = (uint8_t)(words[i / 8] >> i % 8 * 8);
    for (uint32_t i = 0; i < KEY_BYTES; i++)
        key[ZLAY_FILL_KEY - KEY_BYTES + i] = (uint8_t)(zlay_rules_version() >> i * 8);
    return ZLAY_OK;
}

size_t zlay_fill_name_count(const zlay_fill *f) { return f ? f->names : 0; }

const char *zlay_fill_name_nth(const zlay_fill *f, size_t i)
{
    return f && i < f->names ? f->name[i].text : NULL;
}

void zlay_fill_free(zlay_fill *f)
{
    if (!f) return;
    zlay_allocator alloc = f->alloc;
    zl_free(&alloc, f, sizeof *f);
}
