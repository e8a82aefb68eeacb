/* SPDX-License-Identifier: Apache-2.0 */
/* Tries free choices of the shared layout that leave holes.
 *
 * A map has five dimensions, so a tile of more axes needs one copy for each cell of the axes that
 * are left, unless two axes are read as one dimension. Where the step of an axis is a multiple of
 * the step of the axis before, one dimension counts both, and what lies between the cells of the
 * tile is copied into holes of shared memory. Where holes may not be written, the axes with the
 * fewest cells are counted by copies, and each copy begins on 128 bytes. Each choice is answered
 * as a request with that layout, and the least answer is taken. */
#include "synth/tensormap/symbolic/symbolic.h"
#include <stdio.h>
#include <zlay/block.h>

enum { AXES = 12, TRIES = 4 };

/* The axes of a tile by ascending steps, the row first, and a choice of pitches in shared
 * memory. */
typedef struct pitches {
    zl_tm *t;
    uint32_t count, list[ZL_TM_AXES];
    int64_t row;             /* bytes of a row, up to whole 16 or a span */
    int64_t pitch[ZL_TM_AXES];
} pitches;

static const zl_tm_axis *axis_of(const pitches *p, uint32_t i) { return &p->t->axis[p->list[i]]; }

/* Whether the tile is of the supported form: a row of adjacent elements, and more axes than a map
 * has, without edges, with positive steps of whole 16 bytes, and with at most a box of cells. */
static bool begin(pitches *p, zl_tm *t)
{
    p->t = t;
    p->count = zl_tm_order(t, p->list);
    if (p->count <= ZL_TM_RANK || p->count > AXES || axis_of(p, 0)->stride != (int64_t)t->element) return false;
    for (uint32_t i = 0; i < p->count; i++) {
        const zl_tm_axis *a = axis_of(p, i);
        if (a->clipped || a->stride <= 0 || a->down || a->tile > ZL_BOX_MOST) return false;
        if (i && (a->stride % ZL_CHUNK || a->stride < axis_of(p, i - 1)->stride)) return false;
    }
    int64_t span = t->swizzle ? zl_tm_span(t->swizzle) : ZL_CHUNK;
    int64_t bytes = (int64_t)axis_of(p, 0)->tile * (int64_t)t->element;
    p->row = (bytes + span - 1) / span * span;
    p->pitch[p->list[0]] = (int64_t)t->element;
    return !t->swizzle || bytes <= span;
}

/* The bytes of the layout in which, for each bit i of the mask, axis i is counted by the dimension
 * of axis i - 1.  0: it has more than five dimensions, or one of more steps than a box. */
static int64_t joined(pitches *p, uint32_t mask)
{
    int64_t place = p->row, steps = 0;
    uint32_t rank = 1;
    for (uint32_t i = 1; i < p->count; i++) {
        const zl_tm_axis *a = axis_of(p, i), *before = axis_of(p, i - 1);
        int64_t ratio = a->stride / before->stride, cells = (int64_t)a->tile;
        bool join = mask >> i & 1, fits = i > 1 && a->stride % before->stride == 0;
        if (join && (!fits || ratio < (int64_t)before->tile)) return 0;
        if (join && !zl_mul(p->pitch[p->list[i - 1]], ratio, &p->pitch[p->list[i]])) return 0;
        if (!join) p->pitch[p->list[i]] = place;
        if (!join) steps = cells, rank++;
        else if (!zl_mul(ratio, cells - 1, &ratio) || !zl_add(steps, ratio, &steps)) return 0;
        if (steps > ZL_BOX_MOST || rank > ZL_TM_RANK) return 0;
        if (!zl_mul(p->pitch[p->list[i]], cells - 1, &ratio)) return 0;
        place = join ? place + ratio : place * cells;
        if (place <= 0 || (uint64_t)place > zlay_smem_capacity(p->t->target)) return 0;
    }
    return place;
}

/* Takes the choice with the fewest bytes above `*than`; false: there is none. */
static bool next_joined(pitches *p, int64_t *than)
{
    uint32_t best = 0;
    int64_t least = INT64_MAX;
    for (uint32_t mask = 0; mask < 1u << p->count; mask += 2) {
        int64_t bytes = joined(p, mask);
        if (bytes <= *than || bytes >= least) continue;
        least = bytes;
        best = mask;
    }
    *than = least;
    return least < INT64_MAX && joined(p, best);
}

/* Takes the choice in which copies count the axes with the fewest cells; these axes come last. */
static bool apart(pitches *p)
{
    uint32_t counted = 0, left = p->count;
    int64_t place = p->row;
    for (; left > ZL_TM_RANK; left--) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < p->count; i++)
            if (!(counted >> i & 1) && (!least || axis_of(p, i)->tile <= axis_of(p, least)->tile)) least = i;
        counted |= 1u << least;
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        if (pass) place = (place + ZL_LINE - 1) / ZL_LINE * ZL_LINE;
        for (uint32_t i = 1; i < p->count; i++) {
            if ((counted >> i & 1) != pass) continue;
            p->pitch[p->list[i]] = place;
            place *= (int64_t)axis_of(p, i)->tile;
            if ((uint64_t)place > zlay_smem_capacity(p->t->target)) return false;
        }
    }
    return counted;
}

/* Whether a move is the least there can be: one copy that brings no more than the tile. */
static bool is_least(const zl_tm *t, const zlay_move *move)
{
    uint64_t bytes = t->cells * t->element;
    return move->info.copies == 1 && move->info.bytes == (bytes + ZL_CHUNK - 1) / ZL_CHUNK * ZL_CHUNK;
}

/* Answers the request with these pitches, and keeps the answer where it is less than `*out`. */
static zlay_status answer_try(pitches *p, zlay_move **out)
{
    zl_tm *t = p->t;
    zlay_move *move = NULL;
    zlay_layout *smem = NULL;
    zlay_tensormap_request r = t->request;
    zlay_status status = zl_tm_lay(t, &smem, p->pitch);
    r.smem = smem;
    r.swizzle_given = 0;
    r.residual = 0;
    if (!status) status = zl_tm_synth(t->ctx, &move, t->target, &r, 0);
    if (!status && zl_tm_less(move, *out)) {
        zlay_move *was = *out;
        move->info.optimal = is_least(t, move);
        *out = move;
        move = was;
        zlay_layout_free(t->smem);
        t->smem = smem;
        smem = NULL;
    }
    zlay_move_free(move);
    zlay_layout_free(smem);
    return status == ZLAY_ENOMEM ? status : ZLAY_OK;
}

static bool several(const zlay_move *move) { return !move || move->info.copies > 1; }

static zlay_status all_try(pitches *p, zlay_move **out)
{
    int64_t than = 0;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < TRIES && several(*out) && !status && !p->t->request.keep_holes; i++) {
        if (!next_joined(p, &than)) break;
        status = answer_try(p, out);
    }
    if (!status && several(*out) && apart(p)) status = answer_try(p, out);
    return status;
}

zlay_status zl_tm_pitches(zl_tm *t, zlay_move **out, zlay_status status)
{
    enum { TEXT = 512 };
    pitches p;
    char why[TEXT];
    bool open = status == ZLAY_ELIMIT, many = !status && (*out)->info.copies > 1;
    if ((!open && !many) || t->own || t->irregular || t->spread || t->store || !begin(&p, t)) return status;
    snprintf(why, TEXT, "%s", zlay_ctx_message(t->ctx));
    zlay_status tried = all_try(&p, out);
    if (tried || *out) return tried;
    return zl_fail(t->ctx, status, "%s", why);
}
