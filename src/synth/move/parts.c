/* SPDX-License-Identifier: Apache-2.0 */
/* What a move by threads says of its parts. */
#include "synth/move/move.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts ---------------------------------------------------------------------------- */

zlay_status zlay_move_part_nth(zlay_move_part *out, const zlay_move *move, uint32_t i)
{
    if (!out || !move) return ZLAY_EINVAL;
    if (i >= move->info.parts) return ZLAY_NONE;
    *out = move->parts[i].part;
    return ZLAY_OK;
}

zlay_status zlay_move_mode_nth(zlay_move_mode *out, const zlay_move *move, uint32_t part,
                               uint32_t i)
{
    if (!out || !move) return ZLAY_EINVAL;
    if (part >= move->info.parts || i >= move->parts[part].part.modes) return ZLAY_NONE;
    *out = move->parts[part].mode[i];
    return ZLAY_OK;
}

zlay_status zlay_move_digit_nth(zlay_move_digit *out, const zlay_move *move, uint32_t part,
                                uint32_t i)
{
    if (!out || !move) return ZLAY_EINVAL;
    if (part >= move->info.parts || i >= move->parts[part].part.digits) return ZLAY_NONE;
    *out = move->parts[part].digit[i];
    return ZLAY_OK;
}

const zlay_layout *zlay_move_threads(const zlay_move *move, uint32_t part)
{
    return move && part < move->info.parts ? move->parts[part].threads : NULL;
}

zlay_status zlay_move_swizzle_info(zlay_move_swizzle *out, const zlay_move *move, int32_t side)
{
    if (!out || !move || side < ZLAY_SIDE_SOURCE || side > ZLAY_SIDE_DEST) return ZLAY_EINVAL;
    *out = move->swizzle[side];
    return ZLAY_OK;
}

zlay_status zlay_move_widest_info(zlay_move_widest *out, const zlay_move *move)
{
    if (!out || !move) return ZLAY_EINVAL;
    *out = move->widest;
    return ZLAY_OK;
}

/* ---- names ---------------------------------------------------------------------------- */

typedef struct step_asked {
    const zlay_move *move;
    const zl_move_part *part;
    uint32_t mode;
    int32_t side;
} step_asked;

static int64_t number_of(const step_asked *a, uint32_t mode)
{
    const zlay_move_mode *m = &a->part->mode[mode];
    return a->side ? m->dest : m->source;
}

static bool is_named(const char *step) { return step[strspn(step, "-0123456789")]; }

/* So many times a product of names, as "2*ld" or "-ld". */
static void times_write(zl_text *out, uint64_t times, const char *step)
{
    bool minus = *step == '-';
    step += minus;
    const char *names = step + strspn(step, "0123456789*");
    if (names != step) times *= strtoull(step, NULL, 10);
    zl_puts(out, minus ? " - " : " + ");
    if (times > 1) zl_putf(out, "%llu*", (unsigned long long)times);
    zl_puts(out, names);
}

/* The offset of the tile and, times their steps, the coordinates at which the part begins. */
static void offset_write(zl_text *out, const step_asked *a)
{
    const zl_move_names *names = a->move->names;
    const char *first = names->offset[a->side];
    int64_t number = *first ? 0 : names->sample[a->side];
    for (uint32_t k = 0; k < a->part->part.modes; k++)
        if (!is_named(names->step[a->side][k]))
            number += (int64_t)a->part->first[k] * number_of(a, k);
    if (!*first) zl_putf(out, "%lld", (long long)number);
    else if (!number) zl_puts(out, first);
    else zl_putf(out, "%s %c %lld", first, number < 0 ? '-' : '+',
                 (long long)(number < 0 ? -number : number));
    for (uint32_t k = 0; k < a->part->part.modes; k++)
        if (a->part->first[k] && is_named(names->step[a->side][k]))
            times_write(out, a->part->first[k], names->step[a->side][k]);
}

static void step_write(zl_text *out, const void *value)
{
    const step_asked *a = value;
    const zl_move_names *names = a->move->names;
    bool offset = a->mode == a->part->part.modes;
    if (names && offset) offset_write(out, a);
    else if (names) zl_puts(out, names->step[a->side][a->mode]);
    else if (!offset) zl_putf(out, "%lld", (long long)number_of(a, a->mode));
    else zl_putf(out, "%lld", (long long)(a->side ? a->part->part.dest : a->part->part.source));
}

zlay_status zlay_move_step_print(zlay_buf *out, const zlay_move *move, uint32_t part,
                                 uint32_t mode, int32_t side)
{
    if (!out || !move || side < ZLAY_SIDE_SOURCE || side > ZLAY_SIDE_DEST) return ZLAY_EINVAL;
    if (part >= move->info.parts || mode > move->parts[part].part.modes) return ZLAY_NONE;
    step_asked asked = {move, &move->parts[part], mode, side};
    return zl_print(out, step_write, &asked);
}

static void wider_write(zl_text *out, const void *value) { zl_puts(out, value); }

zlay_status zlay_move_wider(zlay_buf *guard, uint32_t *width, const zlay_move *move)
{
    if (!guard || !width || !move) return ZLAY_EINVAL;
    if (!move->names || !move->names->wider) return ZLAY_NONE;
    zlay_status status = zl_print(guard, wider_write, move->names->guard);
    if (!status) *width = move->names->wider;
    return status;
}
