/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces from matrices and conditions. */
#include "algebra/presburger/pieces.h"
#include "algebra/presburger/claims.h"
#include "algebra/presburger/text/map.h"
#include "algebra/presburger/text/parse.h"

#include <stdio.h>
#include <string.h>

typedef struct builder {
    zl_map_reader p;
    zl_claims claims;
    zl_cases before; /* guards of the pieces so far */
    const uint64_t *box;
} builder;

static zlay_status declare_coordinates(builder *m, size_t dims)
{
    zlay_status status = ZLAY_OK;
    zl_name *name = zl_scratch(m->p.w.ctx, dims, sizeof *name);
    if (!name) return ZLAY_ENOMEM;
    for (size_t i = 0; i < dims && !status; i++) {
        snprintf(name[i].text, sizeof name[i].text, "x%zu", i);
        m->p.c =
            (zl_cursor){.ctx = m->p.w.ctx, .text = name[i].text, .length = strlen(name[i].text)};
        status = zl_reader_declare(&m->p, name[i].text, strlen(name[i].text), i);
    }
    return status;
}

static zlay_status begin(builder *m, zlay_ctx *ctx, size_t dims, const uint64_t *box, size_t outs)
{
    uint64_t most = zl_limits(ctx)->dims;
    *m = (builder){.box = box};
    zl_world_begin(&m->p.w, ctx, 0, dims, NULL);
    m->claims = (zl_claims){&m->p.w, outs, 0, 0, NULL};
    if (dims > most || outs > most)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.dims is %llu and there are %zu",
                       (unsigned long long)most, dims > outs ? dims : outs);
    for (size_t i = 0; i < dims; i++)
        if (!box[i] || box[i] > INT64_MAX)
            return zl_fail(ctx, ZLAY_EINVAL, "extent %zu of the box is not in [1, 2^63)", i);
    return declare_coordinates(m, dims);
}

static zlay_status read_guard(builder *m, zl_cases *all, const char *text, size_t length)
{
    zl_cases more;
    size_t first = m->p.w.count;
    zlay_status status = zl_cursor_begin(&m->p.c, m->p.w.ctx, text, length);
    m->p.c.mark = '\'';
    if (!status) status = zl_read_formula(&m->p, &more);
    if (!status) status = zl_cursor_end(&m->p.c);
    if (!status) status = zl_cursor_place(&m->p.c, zl_read_close(&m->p, &more, first), 0);
    return status ? status : zl_cursor_place(&m->p.c, zl_cases_and(&m->p.w, all, &more), 0);
}

static zlay_status value_row(builder *m, const zl_row **out, const int64_t *a, int64_t b)
{
    zl_quasi *form = zl_quasi_new(&m->p.w);
    if (!form) return ZLAY_ENOMEM;
    zl_quasi_set(form, b);
    for (size_t d = 0; d < m->p.w.dims; d++) zl_quasi_put(form, d, a[d]);
    *out = zl_row_new(&m->p.w, form, false);
    zl_quasi_drop(&m->p.w, form);
    return *out ? ZLAY_OK : ZLAY_ENOMEM;
}

/* What the guards say, where no guard of a piece before holds.  Each is taken away by itself: most
 * contradict the guards and leave them as they are, where what all of them leave of the box would
 * fall into more and more parts. */
static zlay_status take_cases(builder *m, zl_cases *here, const zl_cases *guard)
{
    zl_world *w = &m->p.w;
    zlay_status status = zl_cases_true(w, here);
    if (!status) status = zl_cases_and(w, here, guard);
    for (size_t i = 0; i < m->before.count && !status; i++)
        status = zl_cases_without(w, here, &m->before.at[i]);
    for (size_t i = 0; i < guard->count && !status; i++) {
        zl_guard copy = {0};
        status = zl_guard_put_all(w, &copy, &guard->at[i]);
        if (!status) status = zl_cases_put(w, &m->before, copy);
    }
    return status;
}

static zlay_status put_piece(builder *m, const zlay_piece *piece)
{
    zl_cases guard, here;
    size_t outs = m->claims.outs, dims = m->p.w.dims;
    const zl_row **value = zl_scratch(m->p.w.ctx, outs, sizeof *value);
    zlay_status status = value ? zl_cases_true(&m->p.w, &guard) : ZLAY_ENOMEM;
    for (size_t i = 0; i < piece->guards && !status; i++)
        status = read_guard(m, &guard, piece->guard[i], strlen(piece->guard[i]));
    for (size_t r = 0; r < outs && !status; r++)
        status = value_row(m, &value[r], piece->a ? piece->a + r * dims : NULL, piece->b[r]);
    if (!status) status = take_cases(m, &here, &guard);
    for (size_t i = 0; i < here.count && !status; i++)
        status = zl_claims_put(&m->claims, (zl_claim){here.at[i], value});
    return status;
}

static zlay_status finish(builder *m, zlay_layout **out)
{
    const zl_claims_frame frame = {m->box, NULL};
    zlay_status status = zl_claims_bound(&m->claims, m->box);
    return status ? status : zl_claims_layout(&m->claims, out, &frame);
}

static bool is_whole(size_t dims, const uint64_t *box, size_t outs, size_t count,
                     const zlay_piece *piece)
{
    if ((dims && !box) || !outs || !count || !piece) return false;
    for (size_t i = 0; i < count; i++) {
        if ((dims && !piece[i].a) || !piece[i].b || (piece[i].guards && !piece[i].guard))
            return false;
        for (size_t g = 0; g < piece[i].guards; g++)
            if (!piece[i].guard[g]) return false;
    }
    return true;
}

zlay_status zl_layout_new_pieces(zlay_ctx *ctx, zlay_layout **out, size_t dims,
                                 const uint64_t *box, size_t outs, size_t count,
                                 const zlay_piece *piece)
{
    builder m;
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    if (!is_whole(dims, box, outs, count, piece))
        return zl_fail(ctx, ZLAY_EINVAL, "a piece, the box or a guard is NULL");
    zlay_status status = begin(&m, ctx, dims, box, outs);
    for (size_t i = 0; i < count && !status; i++) status = put_piece(&m, &piece[i]);
    if (!status) status = finish(&m, out);
    return zl_leave_part(ctx, mark, status);
}

zlay_status zlay_layout_new_pieces(zlay_ctx *ctx, zlay_layout **out, size_t dims,
                                   const uint64_t *box, size_t outs, size_t count,
                                   const zlay_piece *piece)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    return zl_leave(ctx, zl_layout_new_pieces(ctx, out, dims, box, outs, count, piece));
}

zlay_status zl_condition_parse(zlay_ctx *ctx, zlay_layout **out, size_t dims, const uint64_t *box,
                               const char *text, size_t length)
{
    builder m;
    zl_cases guard;
    const zl_row **value;
    zl_quasi *zero;
    zl_mark mark = zl_scratch_mark(ctx);
    zlay_status status = begin(&m, ctx, dims, box, 1);
    if (!status) status = zl_cases_true(&m.p.w, &guard);
    if (!status) status = read_guard(&m, &guard, text, length);
    value = status ? NULL : zl_scratch(m.p.w.ctx, 1, sizeof *value);
    zero = value ? zl_quasi_new(&m.p.w) : NULL;
    if (zero) value[0] = zl_row_new(&m.p.w, zero, false);
    if (!status && (!zero || !value[0])) status = ZLAY_ENOMEM;
    for (size_t i = 0; !status && i < guard.count; i++)
        status = zl_claims_put(&m.claims, (zl_claim){guard.at[i], value});
    if (!status) status = finish(&m, out);
    zl_scratch_release(ctx, mark);
    return status;
}
