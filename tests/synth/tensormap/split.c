/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that edges keep from one box: numbers by hand, random ones against the search over chunks and through
 * the CPU model, and the lemma that a swizzled copy is alone with its swizzle. */
#include "synth/tensormap/several/cover.h"

#include "tiles/tensormap_synth.h"

typedef struct request {
    zlay_tensormap_request r;
    char source[160], smem[256];
    zlay_layout *layout[2];
} request;

static void request_make(request *q, zlay_ctx *ctx)
{
    q->r.size = sizeof q->r;
    q->layout[0] = read_layout(ctx, q->source);
    q->layout[1] = read_layout(ctx, q->smem[0] ? q->smem : NULL);
    q->r.source = q->layout[0];
    q->r.smem = q->layout[1];
}

static void request_free(request *q)
{
    zlay_layout_free(q->layout[0]);
    zlay_layout_free(q->layout[1]);
}

/* ---- by hand -------------------------------------------------------------------------------- */

/* The edge of 4104 columns is at no whole span of 64, that of 4095 rows at no whole granule. */
static void test_hands(void **unused)
{
    static const struct {
        const char *source, *smem;
        uint64_t tile[3];
        uint32_t axes, copies, rank, box[3];
    } rows[] = {
        {"(4096,4104):(4104,1)", "Sw<3,3,3> o 0 o (128,(64,4)):(64,(1,8192))", {128, 256}, 2, 4, 2,
         {64, 128, 0}},
        {"(1001,64):(64,1)", "(384,64):(64,1)", {384, 64}, 2, 2, 2, {64, 192, 0}},
        {"(4095,4104):(4104,1)", "Sw<3,3,3> o 0 o (512,(64,2)):(64,(1,32768))", {512, 128}, 2, 4, 2,
         {64, 256, 0}},
        {"(5,4095,4104):(16805880,4104,1)", "Sw<3,3,3> o 0 o (2,32,(64,8)):(2048,64,(1,4096))",
         {2, 32, 512}, 3, 8, 3, {64, 32, 2}},
    };
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("hands");
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        request q = {{.type = ZLAY_TYPE_BF16, .axes = rows[i].axes}, "", "", {NULL, NULL}};
        zlay_move *move;
        zlay_move_summary info;
        zlay_tensormap map;
        strcpy(q.source, rows[i].source);
        strcpy(q.smem, rows[i].smem);
        memcpy(q.r.shape, rows[i].tile, sizeof rows[i].tile);
        request_make(&q, w->ctx);
        assert_int_equal(zlay_tensormap_synth(w->ctx, &move, w->target, &q.r), ZLAY_OK);
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
        assert_int_equal(info.copies, rows[i].copies);
        assert_int_equal(info.maps, 1);
        assert_int_equal(info.optimal, 0); /* edges: no bound is proved */
        assert_int_equal(map.rank, rows[i].rank);
        for (uint32_t k = 0; k < rows[i].rank; k++) assert_int_equal(map.box[k], rows[i].box[k]);
        if (i < 2) synth_check(w, &state, move, &q.r, 1);
        zlay_move_free(move);
        request_free(&q);
    }
    synth_world_free(w);
}

/* ---- from the other end, and apart ------------------------------------------------------------- */

/* 16 rows of 256 bytes, the last one first: tiles of 12 rows are memory's rows 4 to 15 and -8 to 3.  In
 * shared memory from its end too they are one copy, whose coordinate goes 12 rows back from tile to
 * tile; in the order of the index they are 12. */
static void test_down(void **unused)
{
    static const struct {
        const char *smem;
        uint32_t copies;
        int32_t first, advance;
    } rows[] = {
        {"704 o (12,64):(-64,1)", 1, 4, -12},
        {"(12,64):(64,1)", 12, 15, -12},
        {NULL, 1, 4, -12},
    };
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("down");
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        request q = {{.type = ZLAY_TYPE_F32, .axes = 2, .shape = {12, 64}}, "960 o (16,64):(-64,1)",
                     "", {NULL, NULL}};
        zlay_move *move;
        zlay_move_summary info;
        zlay_tensormap map;
        zlay_copy copy;
        if (rows[i].smem) strcpy(q.smem, rows[i].smem);
        request_make(&q, w->ctx);
        assert_int_equal(zlay_tensormap_synth(w->ctx, &move, w->target, &q.r), ZLAY_OK);
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
        assert_int_equal(zlay_move_copy_nth(&copy, move, 0), ZLAY_OK);
        assert_int_equal(info.copies, rows[i].copies);
        int64_t scale = (int64_t)map.stride[0] / 256;
        assert_int_equal(copy.coordinate[1] * scale, rows[i].first);
        assert_int_equal(copy.advance[1][0] * scale, rows[i].advance);
        synth_check(w, &state, move, &q.r, 2);
        zlay_move_free(move);
        request_free(&q);
    }
    synth_world_free(w);
}

/* Rows of 64 bytes under the 64-byte swizzle, whose edge falls inside one: each is a copy, and begins
 * with a line. */
static void test_apart(void **unused)
{
    request q = {{.type = ZLAY_TYPE_BF16, .axes = 1, .shape = {128}, .swizzle = 2, .swizzle_given = 1},
                 "122:1", "", {NULL, NULL}};
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("apart");
    zlay_move *move;
    zlay_move_summary info;
    (void)unused;
    request_make(&q, w->ctx);
    assert_int_equal(zlay_tensormap_synth(w->ctx, &move, w->target, &q.r), ZLAY_OK);
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    assert_int_equal(info.copies, 4);
    for (uint32_t i = 0; i < 4; i++) {
        zlay_copy copy;
        assert_int_equal(zlay_move_copy_nth(&copy, move, i), ZLAY_OK);
        assert_int_equal(copy.smem, 128 * i);
        assert_int_equal(copy.bytes, 64);
    }
    synth_check(w, &state, move, &q.r, 0);
    zlay_move_free(move);
    request_free(&q);
    synth_world_free(w);
}

/* ---- random ones ----------------------------------------------------------------------------- */

static uint64_t pick(uint64_t *s, const uint64_t *from, int64_t count)
{
    return from[test_range(s, 0, count - 1)];
}

enum { PARTS = 8 };

/* Digits of shared memory: mode, extent and place. */
typedef struct part {
    uint32_t mode;
    uint64_t extent, place;
} part;

/* A row of the span, the rest of its mode, the other modes cut in two or not, in any order. */
static uint32_t parts_draw(part *p, uint64_t *s, const uint64_t *tile, uint32_t axes, uint64_t row)
{
    uint32_t n = 0;
    p[n++] = (part){axes - 1, row, 1};
    if (tile[axes - 1] > row) p[n++] = (part){axes - 1, tile[axes - 1] / row, 0};
    for (uint32_t i = 0; i + 1 < axes; i++) {
        uint64_t low = tile[i] % 2 == 0 && test_range(s, 0, 5) == 0 ? tile[i] / 2 : tile[i];
        p[n++] = (part){i, low, 0};
        if (low < tile[i]) p[n++] = (part){i, 2, 0};
    }
    return n;
}

static void smem_draw(request *q, uint64_t *s, uint64_t row, int swizzle, uint32_t element)
{
    part p[PARTS];
    uint32_t order[PARTS], n = parts_draw(p, s, q->r.shape, q->r.axes, row);
    uint64_t place = row;
    bool panels = q->r.shape[q->r.axes - 1] > row && n > 2;
    int at = 0, base = element == 1 ? 4 : element == 2 ? 3 : element == 4 ? 2 : 1;
    for (uint32_t i = 0; i < n; i++) order[i] = i && panels ? i % (n - 1) + 1 : i;
    for (uint32_t i = n - 1; i > 1; i--) {
        uint32_t k = (uint32_t)test_range(s, 1, i), was = order[i];
        if (test_range(s, 0, 2)) continue;
        order[i] = order[k];
        order[k] = was;
    }
    for (uint32_t i = 1; i < n; i++) {
        p[order[i]].place = place;
        place *= p[order[i]].extent;
    }
    if (swizzle) at += sprintf(q->smem, "Sw<%d,%d,3> o 0 o ", swizzle, base);
    for (int what = 0; what < 2; what++) {
        at += sprintf(q->smem + at, what ? ":(" : "(");
        for (uint32_t m = 0; m < q->r.axes; m++) {
            int first = 1;
            at += sprintf(q->smem + at, m ? ",(" : "(");
            for (uint32_t i = 0; i < n; i++) {
                if (p[i].mode != m) continue;
                at += sprintf(q->smem + at, first ? "%llu" : ",%llu",
                              (unsigned long long)(what ? p[i].place : p[i].extent));
                first = 0;
            }
            at += sprintf(q->smem + at, ")");
        }
        at += sprintf(q->smem + at, ")");
    }
}

/* One to three modes, the last one contiguous: rows and batches that tiles divide or not, rows of
 * several spans or of one, in shared memory by panels. */
static void draw(request *q, uint64_t *s)
{
    static const int32_t types[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_U8, ZLAY_TYPE_F32,
                                    ZLAY_TYPE_U4_ALIGN16};
    static const uint64_t rows[] = {3, 4, 8, 16, 16, 24, 32, 40, 64, 96, 300, 320, 384, 512, 514, 768};
    static const uint32_t elements[] = {2, 1, 4, 1};
    int64_t type = test_range(s, 0, 15) ? test_range(s, 0, 2) : 3;
    int swizzle = (int)test_range(s, 0, 3), n = 0;
    uint32_t element = elements[type], axes = (uint32_t)test_range(s, 1, 3), last = axes - 1;
    uint64_t span = (uint64_t)(swizzle ? 16 << swizzle : 16 * test_range(s, 1, 8)) / element;
    uint64_t extent[3], pitch = 1, stride[3];
    if (type == 3) swizzle = swizzle < 2 ? 0 : 3;
    if (type == 3) span = 128;
    memset(q, 0, sizeof *q);
    q->r.type = types[type];
    q->r.axes = axes;
    q->r.edge = test_range(s, 0, 4) ? ZLAY_EDGE_STRONG : ZLAY_EDGE_WEAK;
    q->r.shape[last] = span * (uint64_t)test_range(s, 1, swizzle ? 5 : 24);
    for (uint32_t i = 0; i < last; i++)
        q->r.shape[i] = i ? pick(s, rows, 5) : pick(s, rows, 16);
    for (uint32_t i = axes; i-- > 0;) {
        uint64_t unit = i < last ? 1 : type == 3 ? 128 : 16 / element;
        extent[i] = q->r.shape[i] * (uint64_t)test_range(s, 1, 3);
        if (test_range(s, 0, 2)) extent[i] += (uint64_t)test_range(s, 1, 9) * unit;
        if (i == last && type < 3 && test_range(s, 0, 3) == 0) extent[i] += (uint64_t)test_range(s, 0, 5);
        stride[i] = pitch;
        pitch *= extent[i];
        pitch = (pitch + 16 / element - 1) / (16 / element) * (16 / element);
        if (type == 3) pitch = (pitch + 127) / 128 * 128;
        if (i && type < 3 && test_range(s, 0, 3) == 0) pitch += 16 / element;
    }
    for (int what = 0; what < 2; what++) {
        n += sprintf(q->source + n, what ? ":(" : "(");
        for (uint32_t i = 0; i < axes; i++)
            n += sprintf(q->source + n, i ? ",%llu" : "%llu",
                         (unsigned long long)(what ? stride[i] : extent[i]));
        n += sprintf(q->source + n, ")");
    }
    if (test_range(s, 0, 4)) smem_draw(q, s, swizzle ? span : q->r.shape[last], swizzle, element);
    else q->r.swizzle_given = swizzle > 0;
    q->r.swizzle = q->r.swizzle_given ? swizzle : 0;
}

typedef struct counts {
    uint32_t copies, maps, rank, optimal;
    uint64_t bytes;
} counts;

static counts count_of(const zlay_move *move)
{
    zlay_move_summary info;
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    counts c = {info.copies, info.maps, 0, info.optimal, info.bytes};
    for (uint32_t i = 0; i < info.maps; i++) {
        zlay_tensormap map;
        assert_int_equal(zlay_move_map_nth(&map, move, i), ZLAY_OK);
        if (map.rank > c.rank) c.rank = map.rank;
    }
    return c;
}

/* The tile as the search takes it; false: it is no sum of digits. */
static bool tile_of(zl_tm *t, const request *q, const synth_world *w)
{
    memset(t, 0, sizeof *t);
    t->ctx = w->ctx;
    t->target = w->target;
    t->request = q->r;
    t->request.address_align = 16;
    assert_int_equal(zl_tm_type(t), ZLAY_OK);
    zl_tm_swizzles(t);
    t->modes = q->r.axes;
    t->cells = 1;
    for (uint32_t i = 0; i < t->modes; i++) t->cells *= q->r.shape[i];
    if (zl_tm_axes(t)) return false;
    t->origin = t->base;
    return (q->r.smem ? zl_tm_digits(t) : zl_tm_free(t)) == ZLAY_OK;
}

static bool searched(counts *out, const zl_tm *t)
{
    zl_chunks c;
    zl_cover found = {0};
    zlay_move *move = NULL;
    zl_mark mark = zl_scratch_mark(t->ctx);
    zlay_status status = zl_chunks_make(&c, t);
    if (!status) status = zl_chunks_cover(&c, &found);
    if (!status) status = zl_tm_maps(t, &move, found.box, found.boxes);
    if (!status) *out = count_of(move);
    if (!status) out->optimal = found.least;
    zlay_move_free(move);
    zl_scratch_release(t->ctx, mark);
    return !status;
}

typedef struct tally {
    uint64_t split, equal, better, other, open;
} tally;

static void compare(synth_world *w, uint64_t *s, const request *q, const zl_tm *t, tally *n)
{
    zlay_move *move;
    counts other = {0};
    if (zlay_tensormap_synth(w->ctx, &move, w->target, &q->r))
        fail_msg("%s to %s: %s", q->source, q->smem, zlay_ctx_message(w->ctx));
    counts mine = count_of(move);
    n->split++;
    assert_int_equal(mine.optimal, 0);
    bool bytes = zlay_type_bits(q->r.type) >= 8, small = zlay_layout_size(q->r.source) < 1 << 18;
    if (bytes && small && test_range(s, 0, 3) == 0) synth_check(w, s, move, &q->r, 0);
    zlay_move_free(move);
    if (!searched(&other, t)) fail_msg("%s to %s: not found by the search", q->source, q->smem);
    bool same = mine.copies == other.copies && mine.bytes == other.bytes && other.optimal;
    bool as_simple = mine.maps == other.maps && mine.rank == other.rank;
    bool simpler = mine.maps < other.maps || (mine.maps == other.maps && mine.rank < other.rank);
    n->equal += same && as_simple;
    n->better += same && simpler;
    if (same && (as_simple || simpler)) return;
    printf("%s by (%llu,%llu,%llu) to %s: %u copies, %llu bytes, %u maps, rank %u; searched %u, %llu, %u, %u, optimal %u\n",
           q->source, (unsigned long long)q->r.shape[0], (unsigned long long)q->r.shape[1],
           (unsigned long long)q->r.shape[2], q->smem, mine.copies, (unsigned long long)mine.bytes,
           mine.maps, mine.rank, other.copies, (unsigned long long)other.bytes, other.maps, other.rank,
           other.optimal);
    n->other++;
}

static void test_search(void **unused)
{
    synth_world *w = synth_world_new("sm_100a");
    uint64_t state = test_seed("search");
    tally n = {0};
    (void)unused;
    for (uint64_t i = 0; i < test_iterations(2500); i++) {
        static zl_tm t;
        zl_tm_split split;
        request q;
        draw(&q, &state);
        uint64_t bytes = q.r.type == ZLAY_TYPE_F32 ? 4 : q.r.type == ZLAY_TYPE_BF16 ? 2 : 1;
        for (uint32_t k = 0; k < q.r.axes; k++) bytes *= q.r.shape[k];
        if (bytes > 16384) continue;
        request_make(&q, w->ctx);
        if (tile_of(&t, &q, w)) {
            zl_tm_box box;
            zl_tm_map map;
            zl_tm_whole(&t, &box);
            zl_tm_merge(&t, &box);
            zlay_move *probe = NULL;
            bool one = zl_tm_map_of(&map, &t, &box) && zl_tm_map_advance(&map);
            bool even = !one && zl_tm_split_of(&split, &t) && !zl_tm_split_move(&t, &probe, &split);
            zlay_move_free(probe);
            if (even) compare(w, &state, &q, &t, &n);
            else n.open += !one;
        }
        zlay_layout_free(t.smem);
        t.smem = NULL;
        request_free(&q);
    }
    printf("several copies: %llu in closed form (%llu as searched, %llu with fewer maps or dimensions), "
           "%llu left to the search\n", (unsigned long long)n.split, (unsigned long long)n.equal,
           (unsigned long long)n.better, (unsigned long long)n.open);
    assert_int_equal(n.other, 0);
    assert_true(n.split > 20);
    synth_world_free(w);
}

/* ---- the lemma -------------------------------------------------------------------------------- */

enum { LINES = 9, CHUNKS = 8 * LINES, EARLIER = 96 };

/* Places along the axis of adjacent elements, in units of 16 bytes; `open[i]`: nothing is known of
 * the way from i to the next. */
typedef struct walk {
    int64_t at[CHUNKS];
    uint8_t open[CHUNKS];
    int count, offset; /* entries that the loop had before */
} walk;

/* Whether steps within blocks of n are one number, 0 or more. */
static bool blocks_step(const walk *w, int n)
{
    int64_t step = -1;
    for (int i = 0; i + 1 < w->count; i++) {
        int64_t way = w->at[i + 1] - w->at[i];
        if (w->open[i] || (w->offset + i + 1) % n == 0) continue;
        if (way < 0 || (step >= 0 && way != step)) return false;
        step = way;
    }
    return true;
}

static walk blocks_of(const walk *w, int n)
{
    walk out = {.offset = (w->offset + n - 1) / n};
    for (int i = (n - w->offset % n) % n; i + n <= w->count; i += n) {
        out.at[out.count] = w->at[i];
        for (int k = i; k < i + n; k++) out.open[out.count] |= w->open[k];
        out.count++;
    }
    return out;
}

/* Whether a nested loop of steps that are not negative goes so. */
static bool nested(const walk *w)
{
    if (w->count < 2 || blocks_step(w, w->offset + w->count + 1)) return true;
    for (int n = 2; n <= w->offset + w->count; n++) {
        if (!blocks_step(w, n)) continue;
        walk next = blocks_of(w, n);
        if (nested(&next)) return true;
    }
    return false;
}

/* Nine lines of the tile's swizzle in the order before another one: rows of that one ascend. */
static bool readable(int32_t mine, int32_t other, int first, int earlier, int jump)
{
    walk w = {.count = CHUNKS, .offset = 8 * earlier};
    int span = (int)zl_tm_span(mine) / 16, row = other ? (int)zl_tm_span(other) / 16 : 1;
    for (int i = 0; i < CHUNKS; i++) {
        uint64_t line = (uint64_t)(first + i / 8);
        w.at[i] = (int64_t)(((uint64_t)(i % 8) ^ zl_tm_flip(mine, line) ^ zl_tm_flip(other, line)) %
                            (uint64_t)span);
        w.open[i] = i == 8 * jump - 1;
    }
    for (int i = 0; i + 1 < CHUNKS; i++)
        if ((i + 1) % row && w.at[i + 1] != w.at[i] + 1) return false;
    if (row == 1) return nested(&w);
    walk rows = blocks_of(&w, row);
    return nested(&rows);
}

static void test_lemma(void **unused)
{
    uint64_t asked = 0;
    (void)unused;
    for (int32_t mine = 1; mine < ZL_SWIZZLES; mine++)
        for (int32_t other = 0; other < ZL_SWIZZLES; other++)
            for (int first = 0; first < 8; first++)
                for (int earlier = 0; earlier < EARLIER; earlier++)
                    for (int jump = 0; jump < LINES; jump++) {
                        if (mine == ZL_SWIZZLE_FLIP || other == ZL_SWIZZLE_FLIP) continue;
                        asked++;
                        if (readable(mine, other, first, earlier, jump) != (mine == other))
                            fail_msg("swizzles %d and %d, line %d, %d before, jump at %d", mine, other,
                                     first, earlier, jump);
                    }
    printf("%llu ways to read nine lines by a swizzle\n", (unsigned long long)asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hands), cmocka_unit_test(test_down),
                                       cmocka_unit_test(test_apart), cmocka_unit_test(test_search),
                                       cmocka_unit_test(test_lemma)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
