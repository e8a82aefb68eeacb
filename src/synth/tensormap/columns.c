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

static uint64_t pitch_of(const zl_chain *h)
{
    return h->swizzle ? zl_tm_span(h->swizzle) / ZL_CHUNK : h->row;
}

/* The global chunk of a chunk in the order before the swizzle; false: the tile ends there, or does
 * not want it. */
static bool key_read(int64_t *key, const zl_chain *h, uint64_t at)
{
    const int64_t *plain = h->c->plain[h->swizzle];
    bool there = at < h->c->count;
    if (there) *key = plain ? plain[at] : *zl_chunk_key(h->c, h->swizzle, at, &there);
    return there;
}

/* Reads where the rows from `from` up to `to` begin. Returns how many rows there are then: less than
 * `to` where the tile ends, or where a row is not adjacent in global memory. */
static uint64_t rows_read(int64_t *key, const zl_chain *h, uint64_t from, uint64_t to)
{
    int64_t next;
    for (uint64_t r = from, at = h->start + from * pitch_of(h); r < to; r++, at += pitch_of(h)) {
        if (!key_read(&key[r], h, at)) return r;
        for (uint64_t i = 1; i < h->row; i++)
            if (!key_read(&next, h, at + i) || next != key[r] + (int64_t)i) return r;
    }
    return to;
}

uint64_t zl_columns_chunks(const zl_chain *h, uint64_t rows)
{
    return (rows - 1) * pitch_of(h) + h->row;
}

bool zl_columns_box(zl_tm_box *out, const zl_chain *h, uint64_t rows)
{
    int64_t key[PIXELS_MOST];
    const zl_chunks *c = h->c;
    walk w = {.ctx = c->t->ctx};
    bool ended = false;
    if (c->width > 1 || rows > PIXELS_MOST || rows_read(key, h, 0, rows) < rows ||
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
                                          (int64_t)pitch_of(h) * ZL_CHUNK, ZL_TM_NO_AXIS, 1, 1};
        out->skip[l + 1] = (uint64_t)w.skip[l];
    }
    return true;
}

bool zl_columns_ends(const zl_chain *h, uint64_t rows)
{
    return rows * pitch_of(h) % ZL_LINE_CHUNKS == 0;
}

/* Any part of a walk from its beginning is a walk: doubling finds one that is too long, bisection the
 * longest. Rows are read no further than that takes. */
uint64_t zl_columns_rows(const zl_chain *h, uint64_t least, bool *ended)
{
    int64_t key[PIXELS_MOST];
    uint64_t low = least ? least : 1, high = PIXELS_MOST, half, read;
    walk w = {.ctx = h->c->t->ctx};
    if (low > high || (read = rows_read(key, h, 0, low)) < low) return 0;
    if (low > 1 && !walk_any(&w, key, low, ended)) return 0;
    while (low < high) {
        uint64_t most = 2 * low < PIXELS_MOST ? 2 * low + 1 : PIXELS_MOST;
        if (read < most && read < high && (read = rows_read(key, h, read, most)) < most) high = read;
        half = high > 2 * low ? 2 * low : (low + high + 1) / 2;
        if (low == high) break;
        if (walk_any(&w, key, half, ended)) low = half;
        else high = half - 1;
    }
    return low;
}

void zl_chunks_columns(const zl_chunks *c, uint64_t line, bool narrow, zl_chain_visit *visit, void *env)
{
    for (int32_t z = ZLAY_SWIZZLE_NONE; c->width == 1 && !c->t->tiled && z < ZL_SWIZZLES; z++) {
        uint64_t span = zl_tm_span(z) / ZL_CHUNK, run = 1;
        zl_chain h = {.c = c, .start = line * ZL_LINE_CHUNKS, .swizzle = z};
        int64_t first, next;
        if (!zl_chunks_use(c, z) || !key_read(&first, &h, h.start)) continue;
        for (; !z || run < span; run++)
            if (!key_read(&next, &h, h.start + run) || next != first + (int64_t)run) break;
        for (h.row = run < ZL_LINE ? run : ZL_LINE; h.row; h.row = z && !narrow && h.row > 1 ? 1 : h.row - 1)
            if (z || run % h.row == 0) visit(env, &h);
    }
}
