/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps from layouts: numbers counted by hand, random requests through the CPU model, and
 * requests that no copy can serve. */
#include "heap.h"
#include "tensormap_synth.h"

/* ---- by hand ---------------------------------------------------------------------------- */

typedef struct hand {
    const char *type, *source, *tile, *smem; /* a tile with a colon is a layout */
    uint32_t maps, copies, rank, box[5];
    uint64_t extent[5], stride[4], bytes, reserved;
} hand;

static const hand hands[] = {
    /* One swizzled row is the tile's row. */
    {"bf16", "(4096,4096):(4096,1)", "128,64", "Sw<3,3,3> o 0 o (128,64):(64,1)", 1, 1, 2,
     {64, 128}, {4096, 4096}, {8192}, 16384, 16384},
    /* The header's example. */
    {"bf16", "(4096,4096):(4096,1)", "128,128", "Sw<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))", 1, 1,
     3, {64, 128, 2}, {64, 4096, 64}, {8192, 128}, 32768, 32768},
    /* Rows of 64 elements padded to 72 arrive as boxes of 72, the last 8 columns over. */
    {"bf16", "(1024,512):(512,1)", "128,64", "(128,64):(72,1)", 1, 1, 2, {72, 128}, {512, 1024},
     {1024}, 18432, 18432},
    /* 512 columns of bf16 are 256 of u32. */
    {"bf16", "(1024,4096):(4096,1)", "32,512", NULL, 1, 1, 2, {256, 32}, {2048, 1024}, {8192},
     32768, 32768},
    /* A tile of 64 whole rows is one run of 65536 bytes: 256 u64 and 32 of these. */
    {"f32", "(512,256):(256,1)", "64,256", NULL, 1, 1, 2, {256, 32}, {256, 256}, {2048}, 65536,
     65536},
    /* Rows of three elements are filled up to 16 bytes. */
    {"bf16", "(64,3):(8,1)", "16,3", NULL, 1, 1, 2, {8, 16}, {3, 64}, {16}, 256, 256},
    /* Broadcast rows: a stride of 0. */
    {"f32", "(32,64):(0,1)", "32,64", NULL, 1, 1, 2, {64, 32}, {64, 32}, {0}, 8192, 8192},
};

static void shape_read(zlay_tensormap_request *r, const char *text)
{
    for (char *end; *text; text = *end ? end + 1 : end)
        r->shape[r->axes++] = strtoull(text, &end, 10);
}

typedef struct given {
    zlay_tensormap_request r;
    zlay_layout *source, *tile, *smem;
} given;

static void given_make(given *g, zlay_ctx *ctx, const char *type, const char *source,
                       const char *tile, const char *smem)
{
    memset(g, 0, sizeof *g);
    g->r.size = sizeof g->r;
    assert_int_equal(zlay_type_find(&g->r.type, type, strlen(type)), ZLAY_OK);
    g->r.source = g->source = synth_layout(ctx, source);
    g->r.smem = g->smem = synth_layout(ctx, smem);
    if (strchr(tile, ':') || strchr(tile, '{')) g->r.tile = g->tile = synth_layout(ctx, tile);
    else shape_read(&g->r, tile);
}

static void given_free(given *g)
{
    zlay_layout_free(g->source);
    zlay_layout_free(g->tile);
    zlay_layout_free(g->smem);
}

static void check_hand(synth_world *w, uint64_t *state, const hand *h)
{
    given g;
    zlay_move *move;
    zlay_move_info info;
    zlay_tensormap map;
    given_make(&g, w->ctx, h->type, h->source, h->tile, h->smem);
    if (zlay_tensormap_synth(w->ctx, &move, w->target, &g.r))
        fail_msg("%s: %s", h->source, zlay_ctx_message(w->ctx));
    assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
    assert_int_equal(info.maps, h->maps);
    assert_int_equal(info.copies, h->copies);
    assert_int_equal(info.bytes, h->bytes);
    assert_int_equal(info.reserved_bytes, h->reserved);
    assert_int_equal(zlay_move_map(&map, move, 0), ZLAY_OK);
    assert_int_equal(map.rank, h->rank);
    for (uint32_t i = 0; i < h->rank; i++) {
        assert_int_equal(map.box[i], h->box[i]);
        assert_int_equal(map.extent[i], h->extent[i]);
        if (i) assert_int_equal(map.stride[i - 1], h->stride[i - 1]);
    }
    synth_check(w, state, move, &g.r, 2);
    zlay_move_free(move);
    given_free(&g);
}

static void test_hands(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("hands");
    for (size_t i = 0; i < sizeof hands / sizeof hands[0]; i++) check_hand(w, &state, &hands[i]);
    synth_world_free(w);
}

/* ---- random requests ----------------------------------------------------------------------- */

typedef struct draw {
    char source[256], tile[64], smem[256];
    const char *type;
} draw;

/* A dense tensor of rank 1 to 4 in some order of its modes, rows padded to 16 bytes or a little
 * more, tiles of any size; shared memory free, or dense in some order with or without swizzle. */
static void draw_one(draw *d, uint64_t *state)
{
    static const char *const types[] = {"u8", "bf16", "f32", "f64", "e4m3", "u16"};
    static const uint32_t bytes[] = {1, 2, 4, 8, 1, 2};
    size_t type = (size_t)test_range(state, 0, 5);
    int rank = (int)test_range(state, 1, 4), order[4] = {0, 1, 2, 3};
    uint64_t extent[4], tile[4], stride[4], at[4], pitch = 1, place = 1, unit = 16 / bytes[type];
    d->type = types[type];
    for (int i = rank - 1; i > 0; i--) {
        int k = (int)test_range(state, 0, i), o = order[i];
        order[i] = order[k];
        order[k] = o;
    }
    for (int i = 0; i < rank; i++) {
        int o = order[i];
        extent[o] = (uint64_t)test_range(state, 1, i ? 12 : 80);
        tile[o] = (uint64_t)test_range(state, 1, i ? 6 : 4) * (i ? 1 : unit);
        if (test_range(state, 0, 2) == 0) extent[o] = tile[o] * (uint64_t)test_range(state, 1, 3);
        stride[o] = pitch;
        at[o] = place;
        pitch *= extent[o];
        place *= tile[o];
        if (!i) pitch = (pitch + unit - 1) / unit * unit;
        if (i && test_range(state, 0, 3) == 0) pitch += unit;
    }
    int n = 0, s = 0, t = 0;
    n += sprintf(d->source + n, "(");
    for (int i = 0; i < rank; i++) n += sprintf(d->source + n, i ? ",%llu" : "%llu", (unsigned long long)extent[i]);
    n += sprintf(d->source + n, "):(");
    for (int i = 0; i < rank; i++) n += sprintf(d->source + n, i ? ",%llu" : "%llu", (unsigned long long)stride[i]);
    sprintf(d->source + n, ")");
    for (int i = 0; i < rank; i++) t += sprintf(d->tile + t, i ? ",%llu" : "%llu", (unsigned long long)tile[i]);
    d->smem[0] = 0;
    if (test_range(state, 0, 1)) return;
    s += sprintf(d->smem + s, "(%s):(", d->tile);
    for (int i = 0; i < rank; i++) s += sprintf(d->smem + s, i ? ",%llu" : "%llu", (unsigned long long)at[i]);
    sprintf(d->smem + s, ")");
}

static void test_random_requests(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("random"), made = 0, none = 0, count = test_iterations(400);
    for (uint64_t i = 0; i < count; i++) {
        draw d;
        given g;
        zlay_move *move;
        draw_one(&d, &state);
        given_make(&g, w->ctx, d.type, d.source, d.tile, d.smem[0] ? d.smem : NULL);
        zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &g.r);
        if (status < 0 && status != ZLAY_ENOTSUP)
            fail_msg("%s by %s to %s: %s", d.source, d.tile, d.smem, zlay_ctx_message(w->ctx));
        if (!status) synth_check(w, &state, move, &g.r, 2);
        made += !status;
        none += status != ZLAY_OK;
        zlay_move_free(move);
        given_free(&g);
    }
    printf("random requests: %llu moves, %llu have none\n", (unsigned long long)made,
           (unsigned long long)none);
    assert_true(made > count / 2);
    synth_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hands),
        cmocka_unit_test(test_random_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
