/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the places of a tile program as tables: values with the places that they have and what
 * brings them there, operations with their forms, and what is taken of each memory. */
#include "synth/places/place.h"

#include <string.h>

enum { WIDTH = 24 };

typedef struct printed {
    const zlay_places *places;
    const zlay_target *target;
    const zlay_places_request *request;
} printed;

static void pad(zl_text *out, size_t begin, size_t width)
{
    zl_puts(out, " ");
    while (out->need - begin < width) zl_puts(out, " ");
}

static void put_name(zl_text *out, const printed *s, uint32_t v)
{
    const char *name = s->request->value[v].name;
    if (name) zl_puts(out, name);
    else zl_putf(out, "%u", v);
}

/* Moves in the order in which they can be made: a place behind its source. */
static void put_moves(zl_text *out, const printed *s, const zlay_places_home *home)
{
    uint32_t done = home->home, before = 0;
    while (done != before) {
        before = done;
        for (uint32_t i = 0; i < ZL_PLACES; i++) {
            uint32_t place = 1u << i, from = home->source[i];
            if (!from || done & place || !(done & from)) continue;
            zl_putf(out, "%s%s -> %s by %s", done == home->home ? "" : "; ", zlay_place_name(from),
                    zlay_place_name(place), zlay_places_move_name(s->target, from, place));
            if (home->blocks > 1 && from == ZLAY_PLACE_GLOBAL && place == ZLAY_PLACE_SHARED)
                zl_putf(out, " for %u blocks", home->blocks);
            done |= place;
        }
    }
    if (done == home->home) zl_puts(out, "stays");
}

static void put_lies(zl_text *out, const zlay_places_home *home)
{
    if (home->smem != UINT32_MAX) zl_putf(out, "; shared at %u", home->smem);
    if (home->remote != UINT32_MAX) zl_putf(out, "; in another block at %u", home->remote);
    if (home->column != UINT32_MAX) zl_putf(out, "; from column %u on", home->column);
}

static void put_values(zl_text *out, const printed *s)
{
    for (uint32_t v = 0; v < s->places->values; v++) {
        const zlay_places_home *home = &s->places->value[v];
        size_t begin = out->need;
        put_name(out, s, v);
        pad(out, begin, 8);
        zl_puts(out, zlay_place_name(home->home));
        pad(out, begin, WIDTH);
        put_moves(out, s, home);
        put_lies(out, home);
        zl_puts(out, "\n");
    }
}

static void put_list(zl_text *out, const printed *s, const uint32_t *value, const uint32_t *place,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) zl_puts(out, ", ");
        put_name(out, s, value[i]);
        zl_putf(out, " in %s", zlay_place_name(place[i]));
    }
}

static void put_operations(zl_text *out, const printed *s)
{
    for (uint32_t o = 0; o < s->places->operations; o++) {
        const zlay_places_operation *op = &s->request->operation[o];
        const zlay_places_use *use = &s->places->operation[o];
        zl_putf(out, "%s: ", zlay_places_form_name(use->form));
        put_list(out, s, op->read, use->read, op->reads);
        zl_puts(out, " -> ");
        put_list(out, s, op->write, use->write, op->writes);
        zl_puts(out, "\n");
    }
}

static void write_places(zl_text *out, const void *value)
{
    const printed *s = value;
    const zlay_places *p = s->places;
    put_values(out, s);
    put_operations(out, s);
    zl_putf(out, "shared memory %llu bytes, registers %u a thread, tensor memory %u columns\n",
            (unsigned long long)p->smem, p->registers, p->tmem);
    if (p->cluster[0] * p->cluster[1] * p->cluster[2] > 1)
        zl_putf(out, "cluster %u x %u x %u\n", p->cluster[0], p->cluster[1], p->cluster[2]);
    if (p->global_alone)
        zl_putf(out, "read from L2 by the grid: %llu bytes, of %llu without a cluster\n",
                (unsigned long long)p->global_read, (unsigned long long)p->global_alone);
    zl_putf(out, "%u moves, %llu.%06llu cycles of a block; ", p->moves,
            (unsigned long long)(p->cost / 1000000), (unsigned long long)(p->cost % 1000000));
    if (p->optimal) zl_puts(out, "no choice that fits costs less\n");
    else
        zl_putf(out, "none below %llu.%06llu\n", (unsigned long long)(p->lower_bound / 1000000),
                (unsigned long long)(p->lower_bound % 1000000));
}

zlay_status zlay_places_print(zlay_buf *buf, const zlay_places *places, const zlay_target *target,
                              const zlay_places_request *request)
{
    if (!places || !target || !request || !request->value || !request->operation ||
        places->values != request->values || places->operations != request->operations ||
        places->values > ZLAY_PLACES_VALUES || places->operations > ZLAY_PLACES_OPERATIONS)
        return ZLAY_EINVAL;
    const printed s = {places, target, request};
    return zl_print(buf, write_places, &s);
}
