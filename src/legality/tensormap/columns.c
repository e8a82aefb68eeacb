/* SPDX-License-Identifier: Apache-2.0 */
/* Columns cut into issues. The pixels of a column lie one after another in shared memory, so fewer
 * pixels an issue fill the same places when each issue begins on 128 bytes; fewer channels do where
 * a pixel is one row of the swizzle and wider ones are read as panels. */
#include "rules/constants.h"
#include "base/arith.h"
#include "legality/tensormap/repair.h"

typedef struct choice {
    uint32_t channels, pixels, fields;
    int32_t keeps;
    uint64_t more, issues; /* channels brought beyond those asked for */
} choice;

static bool legal(zlay_tensormap *map, const zlay_target *target, int32_t field)
{
    zl_subject s = {&zl_tensormap_form, target, map};
    return zl_holds(&s, field, -1);
}

static int32_t channels_keep(const zlay_tensormap *map, uint32_t asked)
{
    if (map->channels == asked) return ZLAY_KEEPS_ALL;
    uint64_t span = map->interleave ? 0 : zl_span(map->swizzle);
    bool panels = span && zl_row_bytes(map) == span && asked % map->channels == 0;
    return panels && zl_box_smem(map) % SMEM_ALIGN == 0 ? ZLAY_KEEPS_ALL : ZLAY_KEEPS_BYTES;
}

static int32_t pixels_keep(const zlay_tensormap *map, uint32_t asked)
{
    bool placed = map->pixels == asked || zl_box_smem(map) % SMEM_ALIGN == 0;
    return placed ? ZLAY_KEEPS_ALL : ZLAY_KEEPS_BYTES;
}

static bool better(const choice *a, const choice *b)
{
    if (!b->fields && b->issues) return false;
    if (!b->issues || a->fields != b->fields) return !b->issues || a->fields < b->fields;
    if (a->keeps != b->keeps) return a->keeps < b->keeps;
    return a->more != b->more ? a->more < b->more : a->issues < b->issues;
}

/* Pixels as asked where they are legal, else the most that divide them and are. */
static bool pixels_fit(zlay_tensormap *map, const zlay_target *target, uint32_t asked)
{
    uint32_t most = asked < PIXELS_MOST ? asked : PIXELS_MOST;
    map->pixels = asked;
    if (legal(map, target, ZLAY_FIELD_PIXELS)) return true;
    for (map->pixels = most; map->pixels > 0; map->pixels--)
        if (asked % map->pixels == 0 && legal(map, target, ZLAY_FIELD_PIXELS)) return true;
    return false;
}

static void consider(choice *best, zlay_tensormap *map, const zlay_target *target,
                     const zlay_tensormap *from)
{
    if (!legal(map, target, ZLAY_FIELD_CHANNELS) || !pixels_fit(map, target, from->pixels)) return;
    int32_t keeps = channels_keep(map, from->channels), pixels = pixels_keep(map, from->pixels);
    choice c = {map->channels, map->pixels, 0, keeps > pixels ? keeps : pixels, 0, 0};
    c.more = zl_ceil_div(from->channels, c.channels) * c.channels - from->channels;
    c.fields = (uint32_t)(map->channels != from->channels) + (map->pixels != from->pixels);
    c.issues = zl_umul_sat(zl_ceil_div(from->channels, c.channels),
                           from->pixels ? zl_ceil_div(from->pixels, c.pixels) : 1);
    if (better(&c, best)) *best = c;
}

bool zl_columns_mend(zlay_tensormap *map, const zlay_target *target, int32_t *keeps,
                     uint64_t *issues)
{
    zlay_tensormap from = *map;
    choice best = {0, 0, UINT32_MAX, 0, 0, 0};
    if (!from.channels || (!from.pixels && zl_column_pixels(&from) == 0)) return false;
    consider(&best, map, target, &from);
    for (uint32_t c = CHANNELS_MOST; c > 0 && best.fields; c--) {
        map->channels = c;
        if (c != from.channels) consider(&best, map, target, &from);
    }
    *map = from;
    if (!best.issues) return false;
    map->channels = best.channels;
    map->pixels = best.pixels;
    *keeps = best.keeps;
    *issues = best.issues;
    return true;
}

static bool channels_fix(zlay_tensormap *map, const zlay_target *target, uint32_t asked)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (map->channels = CHANNELS_MOST; asked && map->channels > 0; map->channels--) {
        uint64_t more = zl_ceil_div(asked, map->channels) * map->channels - asked;
        if (more >= least || !legal(map, target, ZLAY_FIELD_CHANNELS)) continue;
        least = more;
        best = map->channels;
    }
    map->channels = best;
    return best > 0;
}

void zl_columns_fix(zlay_reason *r, const zl_subject *s)
{
    zlay_tensormap map = *(const zlay_tensormap *)s->value;
    uint32_t channels = map.channels, pixels = map.pixels;
    if (r->field == ZLAY_FIELD_PIXELS) {
        if (pixels && pixels_fit(&map, s->target, pixels))
            zl_give(r, pixels_keep(&map, pixels), map.pixels, zl_ceil_div(pixels, map.pixels));
    } else if (channels_fix(&map, s->target, channels))
        zl_give(r, channels_keep(&map, channels), map.channels,
                zl_ceil_div(channels, map.channels));
}
