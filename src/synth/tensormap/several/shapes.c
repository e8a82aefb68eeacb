/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates boxes over holes.
 *
 * Where a line begins with a chunk that the tile does not want, or such chunks stand between
 * others, the differences of keys do not say how long the modes of a box are. So all lengths are
 * tried, the inner ones first. Each chunk that the tile wants is one linear equation in the box's
 * first key and its steps. Lengths whose equations contradict each other are no box, and no
 * lengths that begin with them are; the system is kept in echelon form by exact elimination. Boxes
 * of few dimensions come first. The number of steps is limited for each pass and for all lines
 * together; `*ended` says that not all lengths were tried. */
#include "synth/tensormap/several/cover.h"

#include <string.h>

enum { KEYS = 4, UNKNOWNS = ZL_TM_RANK, PASS_STEPS = 1 << 11, ROW_MOST = 128 };

/* Equations of the first key and of the ways of levels 1 to 4: `pivot` is the unknown that stands in no
 * later one. */
typedef struct equations {
    uint32_t count, pivot[UNKNOWNS];
    int64_t of[UNKNOWNS][UNKNOWNS], right[UNKNOWNS][KEYS];
} equations;

/* Whether a box of so many chunks is found. */
typedef struct sought {
    uint64_t least;
    bool found;
} sought;

typedef struct work {
    zl_chain h;
    uint64_t end;    /* behind the last chunk that is wanted */
    uint64_t chunk, least; /* one that boxes are to bring, and chunks that they then have; 0: any boxes */
    uint32_t deep;   /* levels of this pass: boxes of few dimensions come first */
    uint64_t steps, most; /* of it */
    uint64_t *left;  /* of all lines */
    bool ended;
    sought *sought;  /* of it */
    zl_chain_visit *visit;
    void *env;
    equations at[ZL_TM_RANK + 1]; /* as each level found them */
} work;

/* ---- equations ------------------------------------------------------------------------------ */

static int64_t common(const int64_t *of, const int64_t *right)
{
    uint64_t all = 0;
    for (int i = 0; i < UNKNOWNS; i++) all = zl_gcd(all, (uint64_t)(of[i] < 0 ? -of[i] : of[i]));
    for (int i = 0; i < KEYS; i++) all = zl_gcd(all, (uint64_t)(right[i] < 0 ? -right[i] : right[i]));
    return all ? (int64_t)all : 1;
}

static bool take(int64_t *to, int64_t times, int64_t from, int64_t by)
{
    int64_t one, two;
    return zl_mul(*to, times, &one) && zl_mul(from, by, &two) && zl_sub(one, two, to);
}

/* Take an earlier equation from this one so often that its pivot goes; false: past 63 bits. */
static bool reduce(const equations *e, uint32_t k, int64_t *of, int64_t *right)
{
    int64_t by = of[e->pivot[k]], times = e->of[k][e->pivot[k]];
    bool fits = true;
    if (!by) return true;
    for (int i = 0; i < UNKNOWNS; i++) fits = fits && take(&of[i], times, e->of[k][i], by);
    for (int i = 0; i < KEYS; i++) fits = fits && take(&right[i], times, e->right[k][i], by);
    int64_t all = fits && times != 1 ? common(of, right) : 1;
    if (all == 1) return fits;
    for (int i = 0; i < UNKNOWNS; i++) of[i] /= all;
    for (int i = 0; i < KEYS; i++) right[i] /= all;
    return fits;
}

/* One equation more; false: it contradicts the others.  Past 63 bits the search ends. */
static bool add(work *w, equations *e, int64_t *of, int64_t *right)
{
    for (uint32_t k = 0; k < e->count; k++)
        if (!reduce(e, k, of, right)) return w->ended = true, false;
    for (uint32_t i = 0; i < UNKNOWNS; i++) {
        if (!of[i]) continue;
        e->pivot[e->count] = i;
        memcpy(e->of[e->count], of, sizeof e->of[0]);
        memcpy(e->right[e->count++], right, sizeof e->right[0]);
        return true;
    }
    for (int i = 0; i < KEYS; i++)
        if (right[i]) return false;
    return true;
}

/* One number of each unknown, 0 where nothing says; false: no whole numbers, or ways down. */
static bool solve(const equations *e, uint32_t key, int64_t value[UNKNOWNS])
{
    memset(value, 0, UNKNOWNS * sizeof *value);
    for (uint32_t k = e->count; k-- > 0;) {
        int64_t left = e->right[k][key], part;
        for (uint32_t i = 0; i < UNKNOWNS; i++)
            if (i != e->pivot[k] && (!zl_mul(e->of[k][i], value[i], &part) || !zl_sub(left, part, &left)))
                return false;
        if (left % e->of[k][e->pivot[k]]) return false;
        value[e->pivot[k]] = left / e->of[k][e->pivot[k]];
    }
    for (uint32_t i = 1; i < UNKNOWNS; i++)
        if (value[i] < 0) return false;
    return true;
}

/* ---- levels --------------------------------------------------------------------------------- */

static uint64_t unit_of(const zl_chain *h, uint32_t level)
{
    if (!level) return 1;
    uint64_t row = h->swizzle && !h->slice ? zl_tm_span(h->swizzle) / ZL_CHUNK : h->extent[0];
    return level == 1 ? row : h->unit[level - 1] * h->extent[level - 1];
}

/* A step of the row: the next chunk, also along what counts adjacent elements. */
static void row_way(const zl_chunks *c, int64_t *way)
{
    memset(way, 0, c->width * sizeof *way);
    way[0] = 1;
    for (uint32_t k = 1; k < c->width; k++)
        if (c->t->axis[c->axis[k - 1]].stride == c->t->element)
            way[k] = ZL_CHUNK / (int64_t)c->t->element;
}

/* One step of the pass, of all lines and of the ctx. */
static bool step(work *w)
{
    if (++w->steps > w->most || (w->left && !*w->left) || zl_charge(w->h.c->t->ctx, 1)) return false;
    if (w->left) --*w->left;
    return true;
}

/* What the chunk at `i` of a box says; false: it contradicts what others say. */
static bool chunk_add(work *w, equations *e, uint32_t level, uint64_t i)
{
    const zl_chain *h = &w->h;
    bool there;
    int64_t of[UNKNOWNS] = {1}, right[KEYS] = {0}, row;
    uint64_t rest = i, unit = unit_of(h, 1);
    if (w->deep && !step(w)) return w->ended = true, false;
    if (h->start + i >= h->c->count) return false;
    const int64_t *key = zl_chunk_key(h->c, h->swizzle, h->start + i, &there);
    if (i % unit >= h->extent[0]) return true;
    if (!there) return !h->c->there[zl_chunk_place(h->start + i, h->swizzle)];
    for (uint32_t l = level; l > 0; l--) {
        of[l] = (int64_t)(rest / h->unit[l]);
        rest %= h->unit[l];
    }
    row = (int64_t)rest;
    for (uint32_t k = 0; k < h->c->width; k++) right[k] = key[k] - row * h->way[0][k];
    return add(w, e, of, right);
}

static bool ways_find(zl_chain *h, const equations *e)
{
    int64_t value[UNKNOWNS];
    for (uint32_t k = 0; k < h->c->width; k++) {
        if (!solve(e, k, value)) return false;
        h->first[k] = value[0];
        for (uint32_t l = 1; l < h->levels; l++) h->way[l][k] = value[l];
    }
    return true;
}

/* All lengths so far, and all of this level that they allow. */
static void offer(work *w, uint32_t level)
{
    zl_chain *h = &w->h;
    if (h->extent[level] * h->unit[level] < w->least) return;
    h->levels = level + 1;
    for (uint32_t l = 0; l < ZL_TM_RANK; l++)
        h->shape[l] = l <= level ? (uint16_t)h->extent[l] : 0;
    if (!ways_find(h, &w->at[level])) {
        w->ended |= w->at[level].count < h->levels;
        return;
    }
    zl_chain_trim(h);
    w->visit(w->env, h);
}

/* Levels from this one on, where those below stand: one block more as long as nothing contradicts. */
static void grow(work *w, uint32_t level)
{
    zl_chain *h = &w->h;
    uint64_t unit = h->unit[level] = unit_of(h, level), n = 1;
    equations *e = &w->at[level];
    *e = w->at[level - 1];
    for (; n <= UINT16_MAX && h->start + n * unit < w->end; n++) {
        equations more = *e;
        bool follows = true;
        for (uint64_t i = n * unit; follows && i < (n + 1) * unit; i++)
            follows = chunk_add(w, &more, level, i);
        if (!follows) break;
        *e = more;
        h->extent[level] = n + 1;
        if (level < w->deep) grow(w, level + 1);
    }
    h->extent[level] = n;
    if (n > 1 && level == w->deep) offer(w, level);
}

/* Rows of so many chunks, where they were one shorter; false: one contradicts itself. */
static bool row_longer(work *w, uint64_t row)
{
    zl_chain *h = &w->h;
    h->extent[0] = row;
    return chunk_add(w, &w->at[0], 0, row - 1);
}

static void row_begin(work *w)
{
    w->at[0] = (equations){0};
    w->h.unit[0] = 1;
    row_way(w->h.c, w->h.way[0]);
}

static void rows_grow(work *w, uint64_t most)
{
    zl_chain *h = &w->h;
    w->steps = 0;
    row_begin(w);
    for (uint64_t row = 1; row <= most && !w->ended && row_longer(w, row); row++) {
        if (h->slice && row < most) continue;
        if (!h->slice) h->row = row;
        if (!w->deep) offer(w, 0);
        else grow(w, 1);
    }
}

/* ---- all of a line -------------------------------------------------------------------------- */

static uint64_t end_of(const zl_chunks *c)
{
    uint64_t end = c->count;
    while (end && !c->there[end - 1]) end--;
    return end;
}

/* All boxes of a swizzle and of as many levels as the pass has. */
static void depth_grow(work *w)
{
    uint64_t span = zl_tm_span(w->h.swizzle) / ZL_CHUNK;
    bool ended = w->ended;
    w->h.slice = 0;
    w->ended = false;
    rows_grow(w, w->h.swizzle ? span : ROW_MOST);
    ended |= w->ended;
    w->h.row = span;
    for (w->h.slice = 1; w->h.c->slices && w->h.slice <= 2 && (uint64_t)w->h.slice < span; w->h.slice++) {
        w->ended = false;
        rows_grow(w, (uint64_t)w->h.slice);
        ended |= w->ended;
    }
    w->ended = ended;
}

static void swizzles_grow(work *w)
{
    for (int32_t z = ZLAY_SWIZZLE_NONE; z < ZL_SWIZZLES; z++) {
        if (!zl_chunks_use(w->h.c, z)) continue;
        w->h.swizzle = z;
        if (w->least) w->end = zl_chunk_place(w->chunk, z) + 1;
        if (w->least) w->least = w->sought->least = w->end - w->h.start;
        depth_grow(w);
    }
}

bool zl_chunks_over_holes(const zl_chunks *c)
{
    return c->holes && !c->keep && c->t->request.smem;
}

void zl_chunks_shapes(const zl_chunks *c, uint64_t line, zl_chain_visit *visit, void *env, uint64_t *left,
                      bool *ended)
{
    work w = {.h = {.c = c, .start = line * ZL_LINE_CHUNKS}, .end = end_of(c), .most = PASS_STEPS,
              .left = left, .visit = visit, .env = env};
    *ended |= c->width > KEYS || c->swaps;
    if (c->width > KEYS || c->swaps) return;
    for (w.deep = 0; w.deep < ZL_TM_RANK; w.deep++) swizzles_grow(&w);
    *ended |= w.ended;
}

/* ---- no box --------------------------------------------------------------------------------- */

/* The digits of a chunk of a box, and the byte of its row. */
static void digits_of(const zl_chain *h, uint64_t i, uint32_t byte, uint64_t digit[ZL_TM_RANK])
{
    for (uint32_t l = h->levels; l-- > 1;) {
        digit[l] = i / h->unit[l];
        i %= h->unit[l];
    }
    digit[0] = i * ZL_CHUNK + byte;
}

/* What a tile has inside the tensor, as an interval of each digit; false: a byte of it that lies outside is
 * in all of them. */
static bool tile_fits(const zl_chain *h, uint64_t chunks, const zl_ends *ends)
{
    uint64_t low[ZL_TM_RANK], high[ZL_TM_RANK] = {0}, at[ZL_TM_RANK];
    memset(low, 0xff, sizeof low);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < chunks; i++) {
            uint64_t place = zl_chunk_place(h->start + i, h->swizzle);
            uint32_t mask = place < h->c->count ? pass ? ends[place].out : ends[place].in : 0;
            if (h->levels > 1 && i % h->unit[1] >= h->extent[0]) continue;
            for (uint32_t byte = 0; mask >> byte; byte++) {
                bool inside = mask >> byte & 1;
                digits_of(h, i, byte, at);
                for (uint32_t l = 0; l < h->levels && inside && !pass; l++) {
                    if (at[l] < low[l]) low[l] = at[l];
                    if (at[l] > high[l]) high[l] = at[l];
                }
                for (uint32_t l = 0; l < h->levels; l++)
                    inside = inside && at[l] >= low[l] && at[l] <= high[l];
                if (pass && inside) return false;
            }
        }
    return true;
}

/* An index of a map lies in the tensor or not, whatever the others are: so the bytes of a copy that do are a
 * product of intervals, in every tile. */
static void chunk_found(void *env, const zl_chain *h)
{
    sought *s = env;
    uint32_t level = h->levels - 1;
    uint64_t unit = h->unit[level], chunks = (s->least + unit - 1) / unit * unit;
    bool fits = true;
    if (!level) chunks = h->extent[0];
    for (uint32_t k = 0; k < h->c->tiles && fits; k++)
        fits = zl_charge(h->c->t->ctx, chunks) || tile_fits(h, chunks, h->c->ends + k * h->c->count);
    s->found |= fits;
}

bool zl_chunks_no_shape(const zl_chunks *c, uint64_t chunk, uint64_t *left)
{
    sought s = {.found = c->width > KEYS || c->swaps};
    for (uint64_t start = 0; start <= chunk && !s.found; start += ZL_LINE_CHUNKS) {
        work w = {.h = {.c = c, .start = start}, .chunk = chunk, .least = 1, .sought = &s,
                  .most = *left, .left = left, .visit = chunk_found, .env = &s};
        for (w.deep = 0; w.deep < ZL_TM_RANK && !s.found; w.deep++) swizzles_grow(&w);
        s.found |= w.ended;
    }
    return !s.found;
}

bool zl_chain_shape(zl_chain *h)
{
    work w = {.h = *h};
    uint32_t level = 0;
    row_begin(&w);
    for (uint64_t row = 1; row <= h->shape[0]; row++)
        if (!row_longer(&w, row)) return false;
    for (level = 1; level < ZL_TM_RANK && h->shape[level]; level++) {
        w.at[level] = w.at[level - 1];
        uint64_t unit = w.h.unit[level] = unit_of(&w.h, level);
        w.h.extent[level] = h->shape[level];
        for (uint64_t i = unit; i < unit * h->shape[level]; i++)
            if (!chunk_add(&w, &w.at[level], level, i)) return false;
    }
    w.h.levels = level;
    if (!ways_find(&w.h, &w.at[level - 1])) return false;
    zl_chain_trim(&w.h);
    *h = w.h;
    return true;
}

void zl_chain_trim(zl_chain *h)
{
    uint64_t row = h->extent[0], last = 0, all = h->unit[h->levels - 1] * h->extent[h->levels - 1];
    bool there;
    h->row_wanted = 0;
    if (h->swizzle || h->slice || row == all || !h->c->holes) return;
    for (uint64_t i = 0; i < all && last + 1 < row; i++) {
        zl_chunk_key(h->c, 0, h->start + i, &there);
        if (there && i % row > last) last = i % row;
    }
    h->row_wanted = last + 1;
}
