/* SPDX-License-Identifier: Apache-2.0 */
/* Reads intervals of shared memory as im2col copies. Such a copy takes rows of channels; its
 * pixels begin anywhere in a line and go on through lines, planes and images, a *walk*. The
 * corners of the map's bounding box are 0, so each dimension of pixels is walked whole. The search
 * cuts the sequence of row addresses into lines, level by level, with the longest first line and
 * with a first line of one entry. */
#include "synth/tensormap/several/cover.h"

#include <string.h>

enum { LEVELS = 4, RANK_LEAST = 3, PIXELS_MOST = 1024, TRIES_MOST = 4096 };

/* ---- walks ----------------------------------------------------------------------------------- */

typedef struct walk {
    zlay_ctx *ctx;
    uint32_t levels;
    int64_t extent[LEVELS], stride[LEVELS], skip[LEVELS]; /* strides in chunks */
} walk;

static uint64_t run_of(const int64_t *at, uint64_t count)
{
    uint64_t n = count > 1 ? 2 : 1;
    while (n < count && at[n] - at[n - 1] == at[1] - at[0]) n++;
    return n;
}

/* What is left to walk at a level, and the lines that are tried next: the first line has `first`
 * entries, the others `length`. */
typedef struct frame {
    uint64_t count, length, options;
    int64_t at[PIXELS_MOST];
} frame;

static void frame_begin(frame *f)
{
    f->length = 0;
    f->options = 2;
}

static int64_t step_of(const frame *f, uint64_t first)
{
    if (first > 1) return f->at[1] - f->at[0];
    return f->count > 2 ? f->at[2] - f->at[1] : 0;
}

static bool lines_hold(const walk *w, const frame *f, uint64_t first, uint64_t length, int64_t step)
{
    uint64_t i = 1, end = first;
    int64_t next = f->at[0] + step;
    for (; i < f->count; i++, next += step) {
        if (i == end) {
            next = f->at[i];
            end += length;
        }
        if (f->at[i] != next) break;
    }
    return zl_charge(w->ctx, i) == ZLAY_OK && i >= f->count;
}

/* What begins each line is what the next level walks. */
static bool lines_take(walk *w, frame *next, const frame *f, uint64_t first, uint64_t length,
                       int64_t step)
{
    int64_t skip = (int64_t)(length - first);
    if (step < 0 || !lines_hold(w, f, first, length, step)) return false;
    next->count = 1;
    next->at[0] = f->at[0] - skip * step;
    for (uint64_t i = first; i < f->count; i += length) next->at[next->count++] = f->at[i];
    w->extent[w->levels] = (int64_t)length;
    w->stride[w->levels] = step;
    w->skip[w->levels] = skip;
    return true;
}

/* Two lines: long enough that the second one begins no earlier than the first, unless they stay
 * where they are; then the next level begins in its midst. */
static bool two_lines(walk *w, frame *next, const frame *f, uint64_t first)
{
    uint64_t rest = f->count - first, length = rest > first ? rest : first;
    int64_t jump = f->at[first] - f->at[0], step = step_of(f, first);
    if (first == 1 && rest == 1 && jump < 0) step = -jump;
    int64_t back = jump + (int64_t)(length - first) * step;
    if (back < 0 && step > 0) length += (uint64_t)((-back + step - 1) / step);
    return lines_take(w, next, f, first, length, step);
}

/* Entries of the second line at most, where there are more lines. */
static uint64_t second_most(const frame *f, uint64_t first)
{
    int64_t step = step_of(f, first);
    uint64_t end = first + 1;
    while (end < f->count && f->at[end] - f->at[end - 1] == step) end++;
    return end - first;
}

/* The next way to cut a level into lines: the longest first line and then one entry, each with two
 * lines and then with more. */
static bool lines_next(walk *w, frame *next, frame *f)
{
    for (; f->options; f->options--, f->length = 0) {
        uint64_t run = run_of(f->at, f->count), first = f->options == 2 ? run : 1;
        if (first == f->count || (f->options == 1 && run == 1)) continue;
        if (!f->length) {
            uint64_t rest = f->count - first, most = second_most(f, first) + 1;
            f->length = rest < most ? rest : most;
            if (two_lines(w, next, f, first)) return true;
        }
        while (f->length > (first > 2 ? first : 2))
            if (lines_take(w, next, f, first, --f->length, step_of(f, first))) return true;
    }
    return false;
}

static bool walk_ends(walk *w, const frame *f)
{
    if (run_of(f->at, f->count) != f->count) return false;
    w->extent[w->levels] = (int64_t)f->count;
    w->stride[w->levels] = f->count > 1 ? f->at[1] - f->at[0] : 0;
    w->skip[w->levels] = 0;
    return w->stride[w->levels] >= 0;
}

/* `*ended` where not all ways were tried. */
static bool walk_any(walk *w, const int64_t *key, uint64_t count, bool *ended)
{
    frame f[LEVELS];
    uint32_t tries = 0;
    memcpy(f[0].at, key, count * sizeof *key);
    f[0].count = count;
    frame_begin(&f[0]);
    for (w->levels = 0;;) {
        frame *at = &f[w->levels];
        if (at->options == 2 && !at->length && walk_ends(w, at)) break;
        *ended |= tries >= TRIES_MOST || zl_charge(w->ctx, 1);
        bool more = w->levels + 1 < LEVELS && tries++ < TRIES_MOST && lines_next(w, at + 1, at);
        if (!more && !w->levels) return false;
        if (!more) w->levels--;
        else frame_begin(&f[++w->levels]);
    }
    w->levels++;
    return true;
}

/* ---- maps ---------------------------------------------------------------------------------- */

static bool columns_spread(const zl_tm *t, const zl_tm_box *box)
{
    bool whole = box->digit[0].extent == ZL_SPREAD_ROW && box->global % t->unit == 0;
    for (uint32_t i = 1; i < box->digits; i++) whole = whole && box->digit[i].global % t->unit == 0;
    return whole && t->may[box->swizzle];
}

bool zl_tm_columns_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *box)
{
    uint64_t bytes = box->digit[0].extent * t->element;
    uint32_t type = t->element;
    memset(out, 0, sizeof *out);
    while (bytes / type > ZL_BOX_MOST && type < ZL_ELEMENT_MOST) type *= 2;
    if (bytes / type > ZL_BOX_MOST || box->shared % ZL_LINE || box->digits > ZL_TM_RANK)
        return false;
    if (t->spread && !columns_spread(t, box)) return false;
    out->t = t;
    out->rank = box->digits < RANK_LEAST ? RANK_LEAST : box->digits;
    out->swizzle = box->swizzle;
    out->pixels = box->pixels;
    out->bytes = type;
    out->type = type == t->element ? t->type : type == 2 ? ZLAY_TYPE_U16
                : type == 4 ? ZLAY_TYPE_U32 : ZLAY_TYPE_U64;
    out->pitch = box->swizzle ? zl_tm_span(box->swizzle) : (uint32_t)bytes;
    for (uint32_t i = 0; i < out->rank; i++) {
        const zl_tm_digit *d = &box->digit[i];
        out->dim[i] = (zl_tm_dim){.box = 1, .real = 1, .step = 1, .axis = ZL_TM_NO_AXIS, .unit = 1,
                                  .per = 1, .walks = i};
        if (!i || i >= box->digits) continue;
        out->dim[i].real = d->extent;
        out->dim[i].stride = (uint64_t)d->global;
    }
    out->dim[0].box = out->dim[0].real = bytes / type;
    out->dim[0].stride = type;
    return true;
}

/* ---- candidates ---------------------------------------------------------------------------- */

static bool rows_read(int64_t *key, const zl_chain *h, uint64_t pitch, uint64_t rows)
{
    const zl_chunks *c = h->c;
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t i = 0; i < h->row; i++) {
            bool there;
            uint64_t at = h->start + r * pitch + i;
            if (at >= c->count) return false;
            const int64_t *k = zl_chunk_key(c, h->swizzle, at, &there);
            if (!i) key[r] = k[0];
            if (!there || k[0] != key[r] + (int64_t)i) return false;
        }
    return true;
}

static uint64_t rows_most(int64_t *key, const zl_chain *h, uint64_t pitch)
{
    zl_chain at = *h;
    uint64_t rows = 0;
    for (; rows < PIXELS_MOST && rows_read(key + rows, &at, pitch, 1); rows++) at.start += pitch;
    return rows;
}

bool zl_columns_box(zl_tm_box *out, const zl_chain *h, uint64_t rows)
{
    int64_t key[PIXELS_MOST];
    const zl_chunks *c = h->c;
    uint64_t pitch = h->swizzle ? zl_tm_span(h->swizzle) / ZL_CHUNK : h->row;
    walk w = {.ctx = c->t->ctx};
    bool ended = false;
    if (c->width > 1 || rows > PIXELS_MOST || !rows_read(key, h, pitch, rows) ||
        zl_charge(w.ctx, rows * h->row) || !walk_any(&w, key, rows, &ended))
        return false;
    memset(out, 0, sizeof *out);
    out->swizzle = h->swizzle;
    out->pixels = (uint32_t)rows;
    out->digits = w.levels + 1;
    out->shared = (int64_t)h->start * ZL_CHUNK;
    out->global = key[0] * ZL_CHUNK;
    out->digit[0] = (zl_tm_digit){h->row * ZL_CHUNK / c->t->element, c->t->element, c->t->element,
                                  ZL_TM_NO_AXIS, 1, 1};
    for (uint32_t l = 0; l < w.levels; l++) {
        out->digit[l + 1] = (zl_tm_digit){(uint64_t)w.extent[l], w.stride[l] * ZL_CHUNK,
                                          (int64_t)pitch * ZL_CHUNK, ZL_TM_NO_AXIS, 1, 1};
        out->skip[l + 1] = (uint64_t)w.skip[l];
    }
    return true;
}

/* The longest walk of rows of so many chunks, and those that end with a line before it: any part of
 * a walk from its beginning is one. */
static void rows_visit(const zl_chain *h, zl_columns_visit *visit, void *env, bool *ended)
{
    int64_t key[PIXELS_MOST];
    uint64_t pitch = h->swizzle ? zl_tm_span(h->swizzle) / ZL_CHUNK : h->row;
    uint64_t low = 1, high = rows_most(key, h, pitch), half = 2;
    walk w = {.ctx = h->c->t->ctx};
    while (low < high) {
        if (half > high) half = high;
        if (walk_any(&w, key, half, ended)) low = half;
        else high = half - 1;
        half = high > 2 * low ? 2 * low : (low + high + 1) / 2;
    }
    for (uint64_t rows = 2; rows <= low && high; rows++)
        if (rows == low || rows * pitch % ZL_LINE_CHUNKS == 0) visit(env, h, rows);
}

void zl_chunks_columns(const zl_chunks *c, uint64_t line, zl_columns_visit *visit, void *env,
                       bool *ended)
{
    for (int32_t z = ZLAY_SWIZZLE_NONE; c->width == 1 && !c->t->tiled && z < ZL_SWIZZLES; z++) {
        uint64_t span = zl_tm_span(z) / ZL_CHUNK, run = 1;
        zl_chain h = {.c = c, .start = line * ZL_LINE_CHUNKS, .swizzle = z};
        bool there;
        const int64_t *first = zl_chunk_key(c, z, h.start, &there);
        if (!there || !zl_chunks_use(c, z)) continue;
        for (; h.start + run < c->count && (!z || run < span); run++) {
            const int64_t *next = zl_chunk_key(c, z, h.start + run, &there);
            if (!there || next[0] != first[0] + (int64_t)run) break;
        }
        for (h.row = run < ZL_LINE ? run : ZL_LINE; h.row; h.row--)
            if (z || run % h.row == 0) rows_visit(&h, visit, env, ended);
    }
}
