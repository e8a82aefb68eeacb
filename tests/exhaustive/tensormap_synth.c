/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth against the search of least.h on small tensors: a move is found exactly where one exists,
 * and has as few copies, bytes, maps and dimensions; each is replayed in the CPU model, byte by byte.
 *
 * The tensors: one to three modes, one of them contiguous, extents up to 6 (the contiguous one in elements, or
 * in 16 bytes), pitches of 0 to 4 times 16 bytes, overlapping ones included; elements of 2 and 4 bytes; tiles
 * that divide them; shared memory compact in every order of the modes, or free. */
#include "tiles/least.h"
#include "tiles/move_model.h"
#include "tiles/tile_draw.h"

typedef struct world {
    zlay_ctx *ctx;
    const zlay_target *target;
    search *search;
    model *model;
    uint64_t asked, found, none, open, unequal, skipped, deep, columns, maps, one_in, seed;
} world;

/* Requests that differ are written down, and counted at the end. */
static void differ(world *w, const tile_ask *a, const char *why)
{
    if (w->unequal++ < 20) printf("  %s: %s\n", why, ask_text(a));
}

/* ---- places ------------------------------------------------------------------------------- */

enum { ABOVE = 1 << 20 }; /* so that no source is below 0 */

/* What each 16 bytes of shared memory want of a tile; false: bytes that no copy brings there. */
static bool want_places(wanted *out, const tile_ask *a, const int64_t *t)
{
    static int64_t byte[16 * PLACES];
    for (int i = 0; i < 16 * PLACES; i++) byte[i] = NOWHERE;
    for (int64_t cell = 0; cell < ask_cells(a); cell++) {
        int64_t from, to = tile_at(&a->smem, cell) * a->bytes;
        assert_true(ask_global(&from, a, t, cell));
        for (int i = 0; i < a->bytes; i++) byte[to + i] = ABOVE + from * a->bytes + i;
    }
    out->places = 16 * PLACES;
    while (byte[out->places - 1] == NOWHERE) out->places--;
    out->places = (out->places + 15) / 16;
    for (int p = 0; p < out->places; p++) {
        int there = 0;
        for (int i = 0; i < 16; i++) there += byte[16 * p + i] != NOWHERE;
        out->from[p] = there ? byte[16 * p] / 16 : NOWHERE;
        if (!there) continue;
        if (byte[16 * p] == NOWHERE || byte[16 * p] % 16) return false;
        for (int i = 1; i < 16; i++) {
            bool past = p + 1 == out->places && byte[16 * p + i] == NOWHERE;
            if (!past && byte[16 * p + i] != byte[16 * p] + i) return false;
        }
    }
    return true;
}

/* The sources of a tile, each 16 bytes once; -1: some are of the tile in part, or twice. */
static int want_sources(wanted *out, const tile_ask *a, const int64_t *t)
{
    enum { REACH = 4096 };
    static uint8_t taken[16 * REACH];
    int result = 0;
    memset(taken, 0, sizeof taken);
    for (int64_t cell = 0; cell < ask_cells(a); cell++) {
        int64_t from;
        assert_true(ask_global(&from, a, t, cell));
        for (int i = 0; i < a->bytes; i++) taken[from * a->bytes + i]++;
    }
    out->places = 0;
    for (int c = 0; c < REACH; c++) {
        int count = 0;
        for (int i = 0; i < 16; i++) {
            count += taken[16 * c + i] > 0;
            if (taken[16 * c + i] > 1) result = -1;
        }
        if (count && count < 16) result = -1;
        if (count && out->places < PLACES) out->from[out->places++] = c;
    }
    return result;
}

/* ---- one request --------------------------------------------------------------------------- */

/* Another choice of as many copies and bytes has fewer maps or dimensions: those are not searched, and rare. */
static void differ_in_maps(const world *w, const tile_ask *a, const char *why)
{
    if (w->maps < 20) printf("  %s: %s\n", why, ask_text(a));
}

/* What a move holds, as the search counts. */
typedef struct counted {
    least l;
    bool columns; /* by im2col too */
    char text[160];
} counted;

static counted count_of(const zlay_move *move, const least *other)
{
    counted c = {{0}, false, ""};
    zlay_move_summary info;
    zlay_move_info(&info, move);
    c.l = (least){true, true, (int)info.copies, (int)info.bytes, (int)info.maps, 0};
    for (uint32_t i = 0; i < info.maps; i++) {
        zlay_tensormap m;
        zlay_move_map_nth(&m, move, i);
        c.columns |= m.mode != 0;
        if ((int)m.rank > c.l.rank) c.l.rank = (int)m.rank;
    }
    snprintf(c.text, sizeof c.text, "%d copies, %d bytes, %d maps, rank %d; the search: %d, %d, %d, %d",
             c.l.issues, c.l.bytes, c.l.maps, c.l.rank, other->issues, other->bytes, other->maps,
             other->rank);
    return c;
}

/* Equal to the search of tiled maps; by im2col with fewer copies, or as many and no more bytes. */
static void judge(world *w, const tile_ask *a, const counted *c, const least *l)
{
    bool as_few = l->exists && c->l.issues == l->issues && c->l.bytes == l->bytes;
    bool as_simple = c->l.maps == l->maps && c->l.rank <= l->rank;
    bool same = as_few && (!l->whole || as_simple);
    bool smaller = c->l.issues == l->issues && c->l.bytes < l->bytes;
    bool fewer = !l->exists || c->l.issues < l->issues || smaller || (as_few && c->l.maps < l->maps);
    if (same) return;
    if (c->columns && fewer) w->columns++;
    else if (as_few) w->maps++, differ_in_maps(w, a, c->text);
    else differ(w, a, c->text);
}

static void refused(world *w, const tile_ask *a, zlay_status status, const least *l)
{
    char why[512];
    bool open = status == ZLAY_ELIMIT || status == ZLAY_ENOTSUP;
    w->open += open;
    if (open && (!l || !l->exists || l->issues > 1)) return;
    snprintf(why, sizeof why, "status %d, %s; the search: %d copies", status, zlay_ctx_message(w->ctx),
             l ? l->issues : 0);
    if (status != ZLAY_NONE || (l && l->exists)) differ(w, a, why);
}

/* Hold a request against what the search of tiled maps found, NULL: replay it only. */
static void compare(world *w, const tile_ask *a, const least *l)
{
    zlay_move *move = NULL;
    static const least none;
    if (l && !l->exists && !l->whole) l = NULL, w->deep++;
    zlay_status status = ask_synth(w->ctx, &move, w->target, a);
    w->asked++;
    w->found += status == ZLAY_OK;
    w->none += status == ZLAY_NONE;
    if (status) {
        refused(w, a, status, l);
        return;
    }
    counted c = count_of(move, l ? l : &none);
    if (!move_replay(w->model, a, move)) differ(w, a, w->model->why);
    else if (l) judge(w, a, &c, l);
    zlay_move_free(move);
}

static void ask(world *w, const tile_ask *a)
{
    wanted want;
    int64_t t[TILE_MODES] = {0};
    least l = {.whole = true}; /* none, where no copy brings some bytes */
    if (a->free_smem) {
        bool whole = want_sources(&want, a, t) == 0 && want.places <= 24;
        w->skipped += !whole;
        if (whole) l = least_anywhere(w->search, w->target, &want);
        compare(w, a, whole ? &l : NULL);
        return;
    }
    bool good = true;
    for (int m = 0; m < a->source.modes && good; m++) {
        t[m] = ask_tiles(a, m) > 1;
        good = want_places(&want, a, t);
        t[m] = 0;
    }
    good = good && want_places(&want, a, t);
    if (good) l = least_of(w->search, w->target, &want);
    compare(w, a, &l);
}

/* ---- the world ------------------------------------------------------------------------------- */

static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};

static void smems(world *w, tile_ask *a)
{
    int modes = a->source.modes, perms = modes == 1 ? 1 : modes == 2 ? 2 : 6;
    if (ask_cells(a) * a->bytes > 16 * PLACES) return;
    for (int p = 0; p < perms; p++) {
        int order[3];
        for (int i = 0; i < modes; i++) order[i] = orders[p][i];
        a->free_smem = false;
        tile_compact(&a->smem, a->shape, order, modes);
        ask(w, a);
    }
    a->free_smem = true;
    a->swizzle = -1;
    ask(w, a);
}

/* Tiles that divide the tensor along each mode.  With every order of shared memory the first mode may as well
 * be the contiguous one: of three modes the whole world is that, and others are a sample. */
static void tiles(world *w, tile_ask *a, int unit, int contiguous)
{
    int modes = a->source.modes;
    for (int64_t n = 0; n < 216; n++) {
        int64_t rest = n;
        bool good = true;
        for (int i = 0; i < 3; i++, rest /= 6) {
            int64_t s = (rest % 6 + 1) * (i == contiguous ? unit : 1);
            if (i >= modes) good &= rest % 6 == 0;
            else good &= s <= a->source.shape[i] && a->source.shape[i] % s == 0;
            if (i < modes) a->shape[i] = s;
        }
        if (good) smems(w, a);
    }
}

static void tensors(world *w, int modes, int bytes, int contiguous, bool whole)
{
    int unit = whole ? 16 / bytes : 1;
    int64_t count = 1;
    tile_ask a;
    memset(&a, 0, sizeof a);
    a.type = bytes == 2 ? ZLAY_TYPE_BF16 : ZLAY_TYPE_F32;
    a.bytes = bytes;
    a.source.modes = modes;
    for (int i = 0; i < modes; i++) count *= i == contiguous ? 6 : 30;
    for (int64_t n = 0; n < count; n++) {
        int64_t rest = n;
        for (int i = 0; i < modes; i++) {
            bool inner = i == contiguous;
            a.source.shape[i] = (rest % 6 + 1) * (inner ? unit : 1);
            rest /= 6;
            a.source.stride[i] = inner ? 1 : rest % 5 * 16 / bytes;
            if (!inner) rest /= 5;
        }
        if (test_range(&w->seed, 0, (int64_t)w->one_in - 1) == 0) tiles(w, &a, unit, contiguous);
    }
}

static world world_new(const char *name)
{
    world w = {.seed = test_seed(name), .target = target_of("sm_90a"), .model = model_new(7)};
    w.search = calloc(1, sizeof *w.search);
    assert_non_null(w.search);
    w.search->align = 16;
    w.search->without = WITHOUT_COLUMNS;
    assert_int_equal(zlay_ctx_new(&w.ctx, NULL, NULL), ZLAY_OK);
    return w;
}

static void world_end(world *w, const char *name)
{
    printf("%s: %llu requests, %llu moves, %llu none, %llu open, %llu free ones with a part of 16 "
           "bytes and %llu deep ones replayed only; %llu by im2col; %llu of a map more; %llu unequal\n", name, (unsigned long long)w->asked,
           (unsigned long long)w->found, (unsigned long long)w->none, (unsigned long long)w->open,
           (unsigned long long)w->skipped, (unsigned long long)w->deep,
           (unsigned long long)w->columns, (unsigned long long)w->maps, (unsigned long long)w->unequal);
    assert_true(w->maps * 1000 <= w->asked);
    assert_int_equal(w->unequal, 0);
    zlay_ctx_free(w->ctx);
    free(w->search);
    free(w->model);
}

static bool divides(const tile_ask *a)
{
    bool all = true;
    for (int i = 0; i < a->source.modes && !a->by_layout; i++)
        all &= a->source.shape[i] % a->shape[i] == 0;
    return all;
}

/* Larger ones, replayed: edges, steps, flips, swizzles, every type.  Without edges they are searched too. */
static void drawn(void **state)
{
    uint64_t searches = 0;
    world w = world_new("drawn");
    (void)state;
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        tile_ask a = tile_drawn(w.seed, i);
        bool searched = !a.free_smem && divides(&a);
        if (searched) ask(&w, &a);
        else compare(&w, &a, NULL);
        searches += searched;
    }
    assert_true(w.found > w.asked / 4 && searches > w.asked / 10);
    printf("of these %llu are searched\n", (unsigned long long)searches);
    world_end(&w, "drawn");
}

/* Whether the search with im2col has fewer copies than a request got, or some where it got none. */
static bool fewer_by_columns(world *w, const tile_ask *a, const wanted *want)
{
    zlay_move *move = NULL;
    zlay_move_summary info = {0};
    w->search->without = 0;
    least l = least_of(w->search, w->target, want);
    w->search->without = WITHOUT_COLUMNS;
    zlay_status status = ask_synth(w->ctx, &move, w->target, a);
    if (!status) zlay_move_info(&info, move);
    zlay_move_free(move);
    return l.exists && (status || (int)info.copies > l.issues);
}

static void irregular_world(const char *name, bool swizzled)
{
    world w = world_new(name);
    uint64_t columns = 0, fewer = 0;
    for (uint64_t i = 0; i < test_cases(800); i++) {
        wanted want;
        least l = {.whole = true}; /* none, where no copy brings some bytes */
        int64_t t[TILE_MODES] = {0};
        tile_ask a;
        draw_irregular(&w.seed, &a, ZLAY_TYPE_BF16, swizzled);
        if (tile_size(&a.tile) * a.bytes > 16 * 64 || tile_spread(&a.smem) * a.bytes > 16 * PLACES) continue;
        bool good = want_places(&want, &a, t);
        if (good) l = least_of(w.search, w.target, &want);
        compare(&w, &a, &l);
        if (!good) continue;
        columns++;
        fewer += fewer_by_columns(&w, &a, &want);
    }
    assert_int_equal(fewer, 0);
    printf("of %llu that are searched with im2col too, %llu have fewer copies by it than the move, or are none\n",
           (unsigned long long)columns, (unsigned long long)fewer);
    world_end(&w, name);
}

static void irregular(void **state)
{
    (void)state;
    irregular_world("irregular", false);
}

static void irregular_swizzled(void **state)
{
    (void)state;
    irregular_world("irregular, swizzled", true);
}

static void whole_world(void **state)
{
    world w = world_new("tensors");
    (void)state;
    for (int modes = 1; modes <= 3; modes++) {
        uint64_t every[] = {1, 1, test_exhaustive() ? 1 : 16, test_hours() ? 1 : test_exhaustive() ? 12 : 900};
        for (int bytes = 2; bytes <= 4; bytes *= 2)
            for (int contiguous = 0; contiguous < modes; contiguous++) {
                w.one_in = every[modes] * (test_exhaustive() && modes == 3 && contiguous ? 24 : 1);
                for (int whole = 0; whole < 2; whole++) tensors(&w, modes, bytes, contiguous, whole);
            }
    }
    world_end(&w, "tensors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_world), cmocka_unit_test(drawn),
                                       cmocka_unit_test(irregular), cmocka_unit_test(irregular_swizzled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
