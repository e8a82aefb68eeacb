/* SPDX-License-Identifier: Apache-2.0 */
/* copy.synth of tensors whose extents and strides are names, held against numbers: at each choice of
 * numbers every tile's accesses are made one by one, as digits, texts and edges say, and afterwards each
 * cell of the tensor lies where the layouts with those numbers put it, and nothing else was touched. */
#include "blocks/blocks.h"
#include "expression.h"
#include "tiles/copy_synth.h"
#include "tiles/tiled.h"

#include <zlay/symbol.h>

/* ---- with numbers --------------------------------------------------------------------------------- */

enum { CELLS = 1 << 16, UNTOUCHED = -1, VALUES = 4 };

typedef struct family {
    const char *layout[2]; /* NULL: one tile, in shared memory */
    const char *extent[AXES];
} family;

enum { BULK_FAMILY = 0 };
static const family families[] = {
    {{NULL, "(M,K):(lb,1)"}, {"M", "K"}},
    {{"(M,K):(ld,1)", NULL}, {"M", "K"}},
    {{"(K,M):(1,ld)", NULL}, {"K", "M"}},
    {{"2*ld o (M,K):(ld,1)", NULL}, {"M", "K"}},
    {{"8 o (M,K):(ld,1)", NULL}, {"M", "K"}},
    {{"3 o (M,K):(ld,1)", NULL}, {"M", "K"}},
    {{"(M,40):(40,1)", NULL}, {"M", "40"}},
    {{"(B,M,K):(M*ld,ld,1)", NULL}, {"B", "M", "K"}},
    {{"(M,K):(ld,2)", NULL}, {"M", "K"}},
    {{NULL, "(K,M):(1,lb)"}, {"K", "M"}},
    {{"(M,K):(ld,1)", "(M,K):(lb,1)"}, {"M", "K"}},
    {{"(M,K):(ld,1)", "(M,K):(1,60)"}, {"M", "K"}},
    {{"(20,K):(ld,1)", "(20,K):(lb,1)"}, {"20", "K"}},
};

typedef struct world {
    const family *family;
    tiled ask;
    char tile[TEXT], facts[TEXT];
    int64_t lo[NAMES], hi[NAMES], mod[NAMES], value[WORDS];
    const zlay_move *move;
    zlay_layout *at[2]; /* with numbers */
    int64_t extent[AXES], trips[AXES];
    int32_t source[CELLS], dest[CELLS];
    char *text;                   /* of the function; NULL: it is not executed */
    uint64_t points, accesses, executed;
} world;

static int64_t evaluated(const world *w, const char *text)
{
    return expression_value(text, WORDS, words, w->value);
}

static void facts_draw(uint64_t *s, world *w)
{
    static const int64_t mods[] = {1, 1, 2, 4, 8, 8, 16}, most[NAMES] = {50, 60, 3, 80, 80};
    char *at = w->facts;
    for (int i = 0; i < NAMES; i++) {
        w->mod[i] = w->ask.path == ZLAY_PATH_BULK ? 16 : mods[test_range(s, 0, 6)];
        w->lo[i] = i < 3 ? 1 : 60;
        w->hi[i] = most[i] < w->mod[i] ? w->mod[i] : most[i];
        at += sprintf(at, "%s%s mod %lld = 0;%lld <= %s <= %lld", i ? ";" : "", words[i], (long long)w->mod[i],
                      (long long)w->lo[i], words[i], (long long)w->hi[i]);
    }
}

static void world_draw(uint64_t *s, world *w)
{
    static const uint32_t bits[] = {8, 16, 16, 32};
    static const int32_t paths[] = {0, 0, ZLAY_PATH_THREADS, ZLAY_PATH_REALIGN, ZLAY_PATH_CP_ASYNC, ZLAY_PATH_BULK};
    tiled *a = &w->ask;
    w->family = &families[test_range(s, 0, (int64_t)(sizeof families / sizeof *families) - 1)];
    *a = (tiled){.facts = w->facts, .bits = bits[test_range(s, 0, 3)],
                 .path = paths[test_range(s, 0, 5)]};
    if (a->path == ZLAY_PATH_BULK) w->family = &families[BULK_FAMILY];
    facts_draw(s, w);
    uint64_t cells = 1, order[AXES], pad = (uint64_t)test_range(s, 0, 1) * 8;
    for (; a->axes < AXES && w->family->extent[a->axes]; a->axes++) {
        a->tile[a->axes] = (uint64_t)test_range(s, 1, 2) << test_range(s, 0, 4);
        if (a->path == ZLAY_PATH_BULK) a->tile[a->axes] *= a->axes ? 16 : 1;
        else if (test_range(s, 0, 4) == 0) a->tile[a->axes] = (uint64_t)test_range(s, 1, 12);
    }
    char *at = w->tile + sprintf(w->tile, "(");
    for (uint32_t i = 0; i < a->axes; i++) at += sprintf(at, "%s%llu", i ? "," : "", (unsigned long long)a->tile[i]);
    at += sprintf(at, "):(");
    for (uint32_t i = a->axes; i-- > 0; cells = cells * a->tile[i] + pad) order[i] = cells;
    for (uint32_t i = 0; i < a->axes; i++)
        at += sprintf(at, "%s%llu", i ? "," : "", (unsigned long long)order[i]);
    sprintf(at, ")");
    for (int side = 0; side < 2; side++) {
        bool tensor = w->family->layout[side] != NULL;
        a->layout[side] = tensor ? w->family->layout[side] : w->tile;
        a->space[side] = tensor ? ZLAY_MOVE_GLOBAL : ZLAY_MOVE_SHARED;
    }
}

static void values_draw(uint64_t *s, world *w)
{
    for (int i = 0; i < NAMES; i++) {
        int64_t first = (w->lo[i] + w->mod[i] - 1) / w->mod[i] * w->mod[i];
        w->value[i] = first + w->mod[i] * test_range(s, 0, w->hi[i] < first ? 0 : (w->hi[i] - first) / w->mod[i]);
    }
}

static void numbers_put(zlay_ctx *ctx, world *w)
{
    for (int side = 0; side < 2; side++) {
        zlay_layout *a = read_layout(ctx, w->ask.layout[side]);
        const char *name[NAMES];
        int64_t value[NAMES];
        size_t count = 0;
        for (size_t i = 0; zlay_layout_param_nth(a, i); i++)
            for (int k = 0; k < NAMES; k++)
                if (!strcmp(words[k], zlay_layout_param_nth(a, i))) {
                    name[count] = words[k];
                    value[count++] = w->value[k];
                }
        assert_int_equal(zlay_layout_bind(ctx, &w->at[side], a, count, name, value), ZLAY_OK);
        zlay_layout_free(a);
    }
    for (uint32_t k = 0; k < w->ask.axes; k++) {
        w->extent[k] = evaluated(w, w->family->extent[k]);
        w->trips[k] = (w->extent[k] + (int64_t)w->ask.tile[k] - 1) / (int64_t)w->ask.tile[k];
        assert_int_equal(evaluated(w, axis_text(w->move, k, ZLAY_AXIS_TRIPS)), w->trips[k]);
        assert_int_equal(evaluated(w, axis_text(w->move, k, ZLAY_AXIS_EXTENT)), w->extent[k]);
    }
}

/* The offset of a cell of a tile in a layout: of a tensor, of the cell that it is there; -1: it is none. */
static int64_t cell_at(const world *w, int side, uint64_t cell)
{
    bool tensor = w->family->layout[side] != NULL;
    uint64_t index = 0, step = 1;
    int64_t offset;
    for (uint32_t k = 0; k < w->ask.axes; k++) {
        uint64_t at = cell % w->ask.tile[k];
        cell /= w->ask.tile[k];
        int64_t whole = w->value[NAMES + k] * (int64_t)w->ask.tile[k] + (int64_t)at;
        if (whole >= w->extent[k]) return -1;
        index += (tensor ? (uint64_t)whole : at) * step;
        step *= tensor ? (uint64_t)w->extent[k] : w->ask.tile[k];
    }
    assert_int_equal(zlay_layout_eval(&offset, 1, w->at[side], index), ZLAY_OK);
    return offset;
}

/* Elements from the first tile to the one at hand. */
static int64_t tile_at(const world *w, int side)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < w->ask.axes; k++)
        sum += w->value[NAMES + k] * evaluated(w, axis_text(w->move, k, side ? ZLAY_AXIS_DEST : ZLAY_AXIS_SOURCE));
    return sum;
}

static int64_t step_at(const world *w, uint32_t part, uint32_t mode, int side)
{
    char text[TEXT];
    zlay_buf out = {text, sizeof text, 0};
    assert_int_equal(zlay_move_step_print(&out, w->move, part, mode, side), ZLAY_OK);
    return evaluated(w, text);
}

typedef struct hand {
    seen_part p;
    int64_t base[2], step[2][DIMS_MOST];
    char edge[TEXT];
} hand;

/* The coordinates of a value of an access; false: beyond a mode. */
static bool coordinates(world *w, const hand *h, uint64_t v, uint64_t t, uint64_t a)
{
    uint64_t left[] = {0, v, t, a};
    assert_true(h->p.part.modes <= COORDINATES);
    int64_t *c = &w->value[NAMES + AXES];
    for (uint32_t k = 0; k < COORDINATES; k++) c[k] = 0;
    for (uint32_t i = 0; i < h->p.part.digits; i++) {
        const zlay_move_digit *d = &h->p.digit[i];
        c[d->mode] += (int64_t)(left[d->level] % d->extent * d->step);
        left[d->level] /= d->extent;
    }
    if (left[1] || left[2] || left[3]) return false;
    for (uint32_t k = 0; k < h->p.part.modes; k++)
        if ((uint64_t)c[k] >= h->p.mode[k].extent) return false;
    return true;
}

static int64_t place_in(const world *w, const hand *h, int side)
{
    int64_t at = h->base[side];
    for (uint32_t k = 0; k < h->p.part.modes; k++) at += w->value[NAMES + AXES + k] * h->step[side][k];
    return at;
}

/* One access of a thread: made as a whole or not at all, aligned, each element where both layouts say. */
static void access_make(world *w, const hand *h, uint64_t t, uint64_t a)
{
    bool made = false;
    for (uint64_t v = 0; v < h->p.values; v++) {
        if (!coordinates(w, h, v, t, a)) {
            assert_true(!v);
            return;
        }
        bool on = !*h->edge || evaluated(w, h->edge);
        if (!v) made = on;
        assert_int_equal(on, made);
        if (!on) continue;
        int64_t from = place_in(w, h, 0), to = place_in(w, h, 1);
        uint64_t load = h->p.part.source_width * 8 / w->ask.bits, store = h->p.part.width * 8 / w->ask.bits;
        if (!v && h->p.part.kind <= ZLAY_COPY_THREAD_STORE) {
            assert_true(h->p.part.realign || (uint64_t)from % load == 0);
            assert_int_equal((uint64_t)to % store, 0);
        }
        assert_in_range(from, 0, CELLS - 1);
        assert_in_range(to, 0, CELLS - 1);
        assert_int_not_equal(w->source[from], UNTOUCHED);
        w->dest[to] = w->source[from];
        w->accesses += !v;
    }
}

static void tile_make(world *w)
{
    zlay_move_summary info;
    zlay_move_info(&info, w->move);
    for (uint32_t i = 0; i < info.parts; i++) {
        hand h = {.p = part_of(w->move, i)};
        strcpy(h.edge, text_read(edge_of, w->move, i, 0));
        for (int side = 0; side < 2; side++) {
            h.base[side] = step_at(w, i, h.p.part.modes, side) + tile_at(w, side);
            for (uint32_t k = 0; k < h.p.part.modes; k++) h.step[side][k] = step_at(w, i, k, side);
        }
        for (uint64_t a = 0; a < h.p.part.accesses; a++)
            for (uint64_t t = 0; t < h.p.part.threads; t++) access_make(w, &h, t, a);
    }
}

/* ---- the printed function ------------------------------------------------------------------------- */

enum { FROM = 1 << 24, TO = 1 << 26, SMEM_FROM = 0x1000, SMEM_TO = SMEM_FROM, SMEM = 0xe000, FILL = 0x5a };

static void bytes_of(const world *w, uint8_t *out, const int32_t *cells)
{
    uint32_t bytes = w->ask.bits / 8;
    for (uint64_t i = 0; i < CELLS; i++)
        for (uint32_t b = 0; b < bytes; b++)
            out[i * bytes + b] = cells[i] == UNTOUCHED ? (uint8_t)FILL : (uint8_t)((uint32_t)cells[i] * 2654435761u >> 8 * b);
}

/* What the function leaves of the destination, as bytes, the tile's accesses made alone. */
static void function_run(world *w, uint8_t *from, uint8_t *to)
{
    zlay_move_summary info;
    uint64_t bytes = w->ask.bits / 8, room = CELLS * bytes;
    zlay_move_info(&info, w->move);
    pm_machine *m = pm_new(w->text);
    m->returns = true;
    pm_begin(m, 0, 1, (info.threads + 31) / 32 * 32);
    uint8_t *side[2] = {from, to};
    for (int s = 0; s < 2; s++) {
        bool shared = w->ask.space[s] == ZLAY_MOVE_SHARED;
        uint64_t at = shared ? (s ? SMEM_TO : SMEM_FROM) : (uint64_t)(s ? TO : FROM);
        if (shared) memcpy(m->shared[0] + at, side[s], SMEM);
        else m->memory[m->memories++] = (pm_memory){at, room, side[s]};
        at += (uint64_t)tile_at(w, s) * bytes;
        for (uint32_t i = 0; i < m->threads; i++) pm_set(m, i, s ? "ptr_dest" : "ptr_source", at);
    }
    for (uint32_t i = 0; i < m->threads; i++) {
        for (uint32_t k = 0; k < w->ask.axes; k++) {
            char left[16];
            snprintf(left, sizeof left, "left_%u", k);
            pm_set(m, i, left, (uint64_t)(w->extent[k] - w->value[NAMES + k] * (int64_t)w->ask.tile[k]));
        }
        for (int k = 0; k < NAMES; k++) {
            char name[16];
            snprintf(name, sizeof name, "name_%s", words[k]);
            pm_set(m, i, name, (uint64_t)w->value[k]);
        }
    }
    pm_go(m);
    for (uint32_t i = 0; i < m->threads; i++) pm_land_all(m, &m->thread[i]);
    if (w->ask.space[1] == ZLAY_MOVE_SHARED) memcpy(to, m->shared[0] + SMEM_TO, SMEM);
    pm_free(m);
}

/* The function does to bytes what the accesses, made one by one, did to cells. */
static void function_compare(world *w, const int32_t *before)
{
    static uint8_t from[CELLS * 4], to[CELLS * 4], want[CELLS * 4];
    bytes_of(w, from, w->source);
    bytes_of(w, to, before);
    bytes_of(w, want, w->dest);
    function_run(w, from, to);
    for (uint64_t i = 0; i < CELLS * (w->ask.bits / 8); i++)
        if (to[i] != want[i])
            fail_msg("byte %llu: the function of tile (%lld,%lld) of %s to %s under %s", (unsigned long long)i,
                     (long long)w->value[NAMES], (long long)w->value[NAMES + 1], w->ask.layout[0], w->ask.layout[1], w->facts);
    w->executed++;
}

static bool last_tile(const world *w)
{
    for (uint32_t k = 0; k < w->ask.axes; k++)
        if (w->value[NAMES + k] + 1 < w->trips[k]) return false;
    return true;
}

static bool small_enough(const world *w)
{
    int64_t offset;
    for (int s = 0; s < 2; s++)
        for (uint64_t i = 0; w->ask.space[s] == ZLAY_MOVE_SHARED && i < zlay_layout_size(w->at[s]); i++)
            if (zlay_layout_eval(&offset, 1, w->at[s], i) || (offset + 16) * w->ask.bits / 8 > SMEM) return false;
    return true;
}

static bool next_tile(world *w)
{
    for (uint32_t k = 0; k < w->ask.axes; k++) {
        if (++w->value[NAMES + k] < w->trips[k]) return true;
        w->value[NAMES + k] = 0;
    }
    return false;
}

static uint64_t tile_cells(const world *w)
{
    uint64_t cells = 1;
    for (uint32_t k = 0; k < w->ask.axes; k++) cells *= w->ask.tile[k];
    return cells;
}

/* What the tile at hand puts into the source, if that is one tile, and takes back out of the destination. */
static void tile_compare(world *w)
{
    uint64_t right = 0;
    if (!w->family->layout[0]) {
        memset(w->source, 0xff, sizeof w->source);
        for (uint64_t i = 0; i < tile_cells(w); i++)
            if (cell_at(w, 0, i) >= 0) w->source[cell_at(w, 0, i)] = (int32_t)cell_at(w, 1, i) + 7;
    }
    if (!w->family->layout[1]) memset(w->dest, 0xff, sizeof w->dest);
    static int32_t before[CELLS];
    memcpy(before, w->dest, sizeof before);
    tile_make(w);
    if (w->text && last_tile(w) && small_enough(w)) function_compare(w, before);
    for (uint64_t i = 0; i < tile_cells(w); i++) {
        int64_t from = cell_at(w, 0, i), to = cell_at(w, 1, i);
        if (to < 0) continue;
        if (w->dest[to] != w->source[from])
            fail_msg("cell %llu of tile (%lld,%lld) of %s to %s under %s", (unsigned long long)i,
                     (long long)w->value[NAMES], (long long)w->value[NAMES + 1], w->ask.layout[0], w->ask.layout[1], w->facts);
        right++;
    }
    if (w->family->layout[1]) return;
    for (uint64_t i = 0; i < CELLS; i++) right -= w->dest[i] != UNTOUCHED;
    assert_int_equal(right, 0);
}

/* The cells of the tensor are numbered, all else is not to be read or written. */
static void tensors_compare(zlay_ctx *ctx, world *w)
{
    int64_t offset;
    uint64_t cells = 0;
    numbers_put(ctx, w);
    memset(w->source, 0xff, sizeof w->source);
    memset(w->dest, 0xff, sizeof w->dest);
    for (uint64_t i = 0; w->family->layout[0] && i < zlay_layout_size(w->at[0]); i++) {
        assert_int_equal(zlay_layout_eval(&offset, 1, w->at[0], i), ZLAY_OK);
        assert_in_range(offset, 0, CELLS - 1);
        w->source[offset] = (int32_t)i;
    }
    for (uint32_t k = 0; k < AXES; k++) w->value[NAMES + k] = 0;
    do tile_compare(w);
    while (next_tile(w));
    for (uint64_t i = 0; w->family->layout[1] && i < CELLS; i++) cells += w->dest[i] != UNTOUCHED;
    if (w->family->layout[1]) assert_int_equal(cells, zlay_layout_size(w->at[1]));
    for (int side = 0; side < 2; side++) zlay_layout_free(w->at[side]);
    w->points++;
}

static void as_with_numbers(void **state)
{
    uint64_t s = test_seed("synth/copy/unknowns"), moves = 0, wide = 0, refused = 0, paths[16] = {0};
    world *w = calloc(1, sizeof *w);
    zlay_ctx *ctx = *state;
    assert_non_null(w);
    for (uint64_t i = 0; i < test_iterations(250); i++) {
        zlay_move *move = NULL;
        zlay_move_summary info;
        world_draw(&s, w);
        zlay_status status = tiled_synth(ctx, &move, "sm_90a", &w->ask);
        refused += status == ZLAY_NONE;
        if (status && (status != ZLAY_NONE || !w->ask.path))
            fail_msg("%s to %s: %s", w->ask.layout[0], w->ask.layout[1], zlay_ctx_message(ctx));
        if (status) continue;
        moves++;
        zlay_move_info(&info, move);
        wide += info.width * 8 > w->ask.bits;
        paths[info.path]++;
        w->move = move;
        w->text = i % 2 ? NULL : function_of(ctx, move);
        for (int k = 0; k < VALUES; k++) {
            values_draw(&s, w);
            tensors_compare(ctx, w);
        }
        free(w->text);
        zlay_move_free(move);
    }
    printf("%llu moves, %llu of them by more than an element, %llu without the path asked for; %llu tensors, %llu accesses, %llu functions\n",
           (unsigned long long)moves, (unsigned long long)wide, (unsigned long long)refused,
           (unsigned long long)w->points, (unsigned long long)w->accesses, (unsigned long long)w->executed);
    printf("bulk %llu, cp.async %llu, threads %llu, realigned %llu\n", (unsigned long long)paths[ZLAY_PATH_BULK],
           (unsigned long long)paths[ZLAY_PATH_CP_ASYNC], (unsigned long long)paths[ZLAY_PATH_THREADS],
           (unsigned long long)paths[ZLAY_PATH_REALIGN]);
    assert_true(moves > 60 && wide > 30 && paths[ZLAY_PATH_REALIGN] && paths[ZLAY_PATH_CP_ASYNC] && paths[ZLAY_PATH_BULK] && w->executed > 50);
    free(w);
}

/* ptxas takes what is printed of tiles with edges. */

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_with_numbers)};
    return cmocka_run_group_tests(tests, begin, end);
}
