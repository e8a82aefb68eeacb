/* SPDX-License-Identifier: Apache-2.0 */
/* Reads intervals of shared memory as im2col copies. Such a copy takes rows of channels; its
 * pixels begin anywhere in a line and go on through lines, planes and images, which is called a
 * *walk*. The corners of the map's bounding box are 0, so a walk passes each dimension of pixels
 * from end to end. A depth-first search cuts the sequence of row addresses into lines, level by
 * level; at each level it tries the longest first line and a first line of one entry. */
#include "synth/tensormap/several/cover.h"

#include <string.h>

enum { LEVELS = 4, RANK_LEAST = 3, PIXELS_MOST = 1024, TRIES_MOST = 4096 };

/* ---- walks ----------------------------------------------------------------------------------- */

typedef struct walk {
    zlay_ctx *ctx;
    uint32_t levels;
    int64_t extent[LEVELS], stride[LEVELS], skip[LEVELS]; /* strides in chunks */
} walk;

/* The length of the arithmetic progression with which the entries begin. */
static uint64_t run_of(const int64_t *at, uint64_t count)
{
    uint64_t n = count > 1 ? 2 : 1;
    while (n < count && at[n] - at[n - 1] == at[1] - at[0]) n++;
    return n;
}

/* A level of the search: the entries that are left to walk, the length of lines that is tried next,
 * and the choices of the first line that are left. */
typedef struct frame {
    uint64_t count, length, options;
    uint64_t run;    /* entries of the longest first line */
    uint64_t breaks; /* lengths that lines may have divide it */
    const int64_t *at;
    int64_t room[PIXELS_MOST];
} frame;

static void frame_begin(frame *f)
{
    f->length = 0;
    f->options = 2;
    f->run = run_of(f->at, f->count);
}

static int64_t step_of(const frame *f, uint64_t first)
{
    if (first > 1) return f->at[1] - f->at[0];
    return f->count > 2 ? f->at[2] - f->at[1] : 0;
}

/* The greatest common divisor of distances, in 32 bits, whose division is quicker. */
static uint64_t common(uint64_t a, uint64_t b)
{
    uint32_t one = (uint32_t)a, two = (uint32_t)b;
    while (one) {
        uint32_t rest = two % one;
        two = one;
        one = rest;
    }
    return two;
}

/* Where the steps break behind the first line, lines begin: so their length divides the distance of
 * each break from its end. Returns the greatest common divisor; below `least` a multiple of it. */
static uint64_t breaks_of(const walk *w, const frame *f, uint64_t first, uint64_t least)
{
    uint64_t all = 0, i = first + 1;
    const uint64_t count = f->count;
    const int64_t *at = f->at, step = step_of(f, first);
    while (i < count && (!all || all >= least)) {
        while (i < count && at[i] - at[i - 1] == step) i++;
        if (i < count) all = common(all, i++ - first);
    }
    return zl_charge(w->ctx, i - first) == ZLAY_OK ? all : 1;
}

/* Cuts a level into lines; the first entries of the lines are the entries of the next level. */
static bool lines_take(walk *w, frame *next, const frame *f, uint64_t first, uint64_t length,
                       int64_t step)
{
    int64_t skip = (int64_t)(length - first);
    if (step < 0 || f->breaks % length) return false;
    next->at = next->room;
    next->count = 1;
    next->room[0] = f->at[0] - skip * step;
    for (uint64_t i = first; i < f->count; i += length) next->room[next->count++] = f->at[i];
    w->extent[w->levels] = (int64_t)length;
    w->stride[w->levels] = step;
    w->skip[w->levels] = skip;
    return true;
}

/* Cuts a level into two lines, so long that the second line does not begin before the first.  Where
 * the step is 0 that cannot be, and the next level begins in the middle. */
static bool two_lines(walk *w, frame *next, const frame *f, uint64_t first)
{
    uint64_t rest = f->count - first, length = rest > first ? rest : first;
    int64_t jump = f->at[first] - f->at[0], step = step_of(f, first);
    if (first == 1 && rest == 1 && jump < 0) step = -jump;
    int64_t back = jump + (int64_t)(length - first) * step;
    if (back < 0 && step > 0) length += (uint64_t)((-back + step - 1) / step);
    return lines_take(w, next, f, first, length, step);
}

/* The most entries that the second line can have. */
static uint64_t second_most(const frame *f, uint64_t first)
{
    int64_t step = step_of(f, first);
    uint64_t end = first + 1;
    while (end < f->count && f->at[end] - f->at[end - 1] == step) end++;
    return end - first;
}

/* Cuts a level into lines in the next possible way: first with the longest first line, then with
 * one of one entry; each first with two lines, then with more. */
static bool lines_next(walk *w, frame *next, frame *f)
{
    for (; f->options; f->options--, f->length = 0) {
        uint64_t first = f->options == 2 ? f->run : 1, least = first > 2 ? first : 2;
        if (first == f->count || (f->options == 1 && f->run == 1)) continue;
        if (!f->length) {
            f->breaks = breaks_of(w, f, first, least);
            if (f->breaks && f->breaks < least) continue;
            uint64_t rest = f->count - first, most = second_most(f, first) + 1;
            f->length = rest < most ? rest : most;
            if (two_lines(w, next, f, first)) return true;
        }
        while (f->length > least)
            if (lines_take(w, next, f, first, --f->length, step_of(f, first))) return true;
    }
    return false;
}

/* Whether the entries of a level are one progression, the last level of a walk. */
static bool walk_ends(walk *w, const frame *f)
{
    if (f->run != f->count) return false;
    w->extent[w->levels] = (int64_t)f->count;
    w->stride[w->levels] = f->count > 1 ? f->at[1] - f->at[0] : 0;
    w->skip[w->levels] = 0;
    return w->stride[w->levels] >= 0;
}

/* Finds a walk through the entries; *ended is set where a limit ended the search. */
static bool walk_any(walk *w, const int64_t *key, uint64_t count, bool *ended)
{
    frame f[LEVELS];
    uint32_t tries = 0;
    f[0].at = key;
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

/* The global chunk that a shared chunk wants, in the order before the swizzle; false: the tile ends
 * before it, or does not want it. */
static bool key_read(int64_t *key, const zl_chain *h, uint64_t at)
{
    const int64_t *plain = h->c->plain[h->swizzle];
    bool there = at < h->c->count;
    if (there) *key = plain ? plain[at] : *zl_chunk_key(h->c, h->swizzle, at, &there);
    return there;
}

/* Whether a row is there and adjacent in global memory; where it begins. */
static bool row_read(int64_t *key, const zl_chain *h, uint64_t at)
{
    int64_t next;
    const uint32_t *adjacent = h->c->adjacent[h->swizzle];
    if (adjacent) {
        if (at >= h->c->count) return false;
        *key = h->c->plain[h->swizzle][at];
        return adjacent[at] >= h->row;
    }
    if (!key_read(key, h, at)) return false;
    for (uint64_t i = 1; i < h->row; i++)
        if (!key_read(&next, h, at + i) || next != *key + (int64_t)i) return false;
    return true;
}

/* Rows that are read so far, and how they differ from the rows before. A step of a walk is that of
 * the level whose place goes on, and the levels below go back to their beginnings by as much each
 * time: so a walk has no more different steps than levels. */
typedef struct row_list {
    const zl_chain *h;
    uint64_t read, steps;
    int64_t step[LEVELS], key[PIXELS_MOST];
} row_list;

static void rows_begin(row_list *r, const zl_chain *h)
{
    r->h = h;
    r->read = r->steps = 0;
}

/* Whether a walk may take a step more. */
static bool step_fits(row_list *r, int64_t step)
{
    for (uint64_t i = 0; i < r->steps; i++)
        if (r->step[i] == step) return true;
    if (r->steps == LEVELS) return false;
    r->step[r->steps++] = step;
    return true;
}

/* Reads where the rows up to `to` begin. Returns how many rows there are then: less than `to` where
 * the tile ends, a row is not adjacent in global memory, or no walk goes on. */
static uint64_t rows_read(row_list *r, uint64_t to)
{
    uint64_t pitch = pitch_of(r->h), n = r->read;
    for (uint64_t at = r->h->start + n * pitch; n < to; n++, at += pitch)
        if (!row_read(&r->key[n], r->h, at) || (n && !step_fits(r, r->key[n] - r->key[n - 1])))
            break;
    return r->read = n;
}

uint64_t zl_columns_chunks(const zl_chain *h, uint64_t rows)
{
    return (rows - 1) * pitch_of(h) + h->row;
}

uint64_t zl_columns_least(const zl_chain *h, uint64_t chunks)
{
    uint64_t pitch = pitch_of(h), rest = chunks > h->row + pitch ? chunks - h->row - pitch : 0;
    return 2 + (rest + pitch - 1) / pitch;
}

/* Makes the box of so many rows; more rows than before are read on. */
static bool rows_box(zl_tm_box *out, row_list *r, uint64_t count)
{
    const zl_chain *h = r->h;
    const zl_chunks *c = h->c;
    walk w = {.ctx = c->t->ctx};
    bool ended = false;
    if (c->width > 1 || count > PIXELS_MOST || rows_read(r, count) < count ||
        zl_charge(w.ctx, count * h->row) || !walk_any(&w, r->key, count, &ended))
        return false;
    memset(out->skip, 0, sizeof out->skip);
    memset(out->cell, 0, sizeof out->cell);
    out->swizzle = h->swizzle;
    out->interleave = 0;
    out->pixels = (uint32_t)count;
    out->digits = w.levels + 1;
    out->shared = (int64_t)h->start * ZL_CHUNK;
    out->global = r->key[0] * ZL_CHUNK;
    out->digit[0] = (zl_tm_digit){h->row * ZL_CHUNK / c->t->element, c->t->element, c->t->element,
                                  ZL_TM_NO_AXIS, 1, 1};
    for (uint32_t l = 0; l < w.levels; l++) {
        out->digit[l + 1] = (zl_tm_digit){(uint64_t)w.extent[l], w.stride[l] * ZL_CHUNK,
                                          (int64_t)pitch_of(h) * ZL_CHUNK, ZL_TM_NO_AXIS, 1, 1};
        out->skip[l + 1] = (uint64_t)w.skip[l];
    }
    return true;
}

bool zl_columns_box(zl_tm_box *out, const zl_chain *h, uint64_t count)
{
    row_list r;
    rows_begin(&r, h);
    return rows_box(out, &r, count);
}

void zl_columns_boxes(const zl_chain *h, uint64_t rows, uint64_t by, zl_walk_visit *visit,
                      void *env)
{
    row_list r;
    zl_tm_box box;
    rows_begin(&r, h);
    for (; rows_box(&box, &r, rows); rows += by) visit(env, h, &box);
}

uint64_t zl_columns_line(const zl_chain *h)
{
    return ZL_LINE_CHUNKS / zl_gcd(ZL_LINE_CHUNKS, pitch_of(h));
}

bool zl_columns_ends(const zl_chain *h, uint64_t rows)
{
    return rows * pitch_of(h) % ZL_LINE_CHUNKS == 0;
}

/* Any part of a walk from its beginning is a walk: steps that double from the least on find one that
 * is too long, bisection the longest. Rows are read no further than that takes. */
uint64_t zl_columns_rows(const zl_chain *h, uint64_t least, bool *ended)
{
    row_list r;
    uint64_t low = least ? least : 1, high = PIXELS_MOST, by = 1;
    walk w = {.ctx = h->c->t->ctx};
    rows_begin(&r, h);
    if (low > high || rows_read(&r, low) < low) return 0;
    if (low > 1 && !walk_any(&w, r.key, low, ended)) return 0;
    while (low < high) {
        uint64_t next = by && low + by < high ? low + by : by ? high : (low + high + 1) / 2;
        uint64_t read = r.read < next ? rows_read(&r, next) : next;
        if (read < next) {
            high = read;
            by = 0;
        } else if (walk_any(&w, r.key, next, ended)) {
            low = next;
            by *= 2;
        } else {
            high = next - 1;
            by = 0;
        }
    }
    return low;
}

/* The next narrower row of the widths; 0: none. */
static uint64_t row_next(uint64_t row, int32_t swizzle, zl_widths widths)
{
    if (!swizzle || widths == ZL_WIDTHS_ALL) return row - 1;
    return widths == ZL_WIDTHS_ENDS && row > 1;
}

/* Chunks from the beginning of a walk on that are adjacent in global memory, at most so many. */
static uint64_t adjacent_from(const zl_chain *h, int64_t first, uint64_t most)
{
    const uint32_t *adjacent = h->c->adjacent[h->swizzle];
    uint64_t run = 1;
    int64_t next;
    if (adjacent) return adjacent[h->start] < most ? adjacent[h->start] : most;
    while (run < most && key_read(&next, h, h->start + run) && next == first + (int64_t)run) run++;
    return run;
}

void zl_chunks_columns(const zl_chunks *c, uint64_t line, zl_widths widths, zl_chain_visit *visit,
                       void *env)
{
    zl_chain h = {.c = c, .start = line * ZL_LINE_CHUNKS};
    for (int32_t z = ZLAY_SWIZZLE_NONE; c->width == 1 && !c->t->tiled && z < ZL_SWIZZLES; z++) {
        uint64_t span = zl_tm_span(z) / ZL_CHUNK;
        int64_t first;
        h.swizzle = z;
        if (!zl_chunks_use(c, z) || !key_read(&first, &h, h.start)) continue;
        uint64_t run = adjacent_from(&h, first, z ? span : c->count);
        if (z && widths == ZL_WIDTHS_SPAN && run < span) continue;
        for (h.row = run < ZL_LINE ? run : ZL_LINE; h.row; h.row = row_next(h.row, z, widths))
            if (z || run % h.row == 0) visit(env, &h);
    }
}
