/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps from layouts: numbers counted by hand, random requests through the CPU model, and
 * requests that no copy can serve. */
#include "ctx.h"
#include "heap.h"
#include "tiles/tensormap_synth.h"

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
    /* One cell, and seven more over. */
    {"bf16", "1:1", "1", NULL, 1, 1, 1, {8}, {1}, {0}, 16, 16},
    /* One cell of eight: those past the tensor's edge lie at any step, so at one. */
    {"f32", "1:1", "8", "8:1", 1, 1, 1, {8}, {1}, {0}, 32, 32},
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
    g->r.source = g->source = read_layout(ctx, source);
    g->r.smem = g->smem = read_layout(ctx, smem);
    if (strchr(tile, ':') || strchr(tile, '{')) g->r.tile = g->tile = read_layout(ctx, tile);
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
    zlay_move_summary info;
    zlay_tensormap map;
    given_make(&g, w->ctx, h->type, h->source, h->tile, h->smem);
    if (zlay_tensormap_synth(w->ctx, &move, w->target, &g.r))
        fail_msg("%s: %s", h->source, zlay_ctx_message(w->ctx));
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    assert_int_equal(info.maps, h->maps);
    assert_int_equal(info.copies, h->copies);
    assert_int_equal(info.bytes, h->bytes);
    assert_int_equal(info.reserved_bytes, h->reserved);
    assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
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

/* ---- swizzles of sm_100 ------------------------------------------------------------------------ */

/* PTX ISA 9.1, "Swizzling Modes": which chunk of a row of 128 bytes stands where, of atoms of 32 and
 * of 64 bytes. */
static void test_atoms(void **unused)
{
    (void)unused;
    static const struct {
        int32_t swizzle;
        const char *smem;
        uint8_t lines, at[4][8];
    } rows[] = {
        {4, "Sw<2,4,2> o 0 o (64,64):(64,1)", 4,
         {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3},
          {6, 7, 4, 5, 2, 3, 0, 1}}},
        {6, "Sw<1,5,1> o 0 o (64,64):(64,1)", 2,
         {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}}},
    };
    synth_world *w = synth_world_new("sm_100a");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        given g;
        zlay_move *move;
        zlay_tensormap map;
        given_make(&g, w->ctx, "bf16", "(256,256):(256,1)", "64,64", rows[i].smem);
        assert_int_equal(zlay_tensormap_synth(w->ctx, &move, w->target, &g.r), ZLAY_OK);
        assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
        assert_int_equal(map.swizzle, rows[i].swizzle);
        assert_int_equal(map.box[0], 64);
        assert_int_equal(map.box[1], 64);
        for (uint64_t c = 0; c < 4096; c++) {
            uint64_t row = c % 64, column = c / 64;
            int64_t at;
            assert_int_equal(zlay_layout_eval(&at, 1, g.smem, c), ZLAY_OK);
            assert_int_equal(at, row * 64 + rows[i].at[row % rows[i].lines][column / 8] * 8u +
                                     column % 8);
        }
        zlay_move_free(move);
        given_free(&g);
    }
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
    test_shuffle(state, order, rank);
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

/* ---- shared layouts in any order -------------------------------------------------------------- */

typedef struct part {
    int mode;
    uint64_t extent, place;
} part;

/* The tile's modes cut in two here and there, and the parts laid out in any order that begins with
 * a row; holes after rows, and a swizzle where rows have its span. */
static int parts_draw(part *parts, uint64_t *state, int rank, const uint64_t *tile, int row)
{
    int count = 0;
    for (int i = 0; i < rank; i++) {
        uint64_t low = tile[i];
        if (test_range(state, 0, 1))
            for (uint64_t d = i == row ? 8 : 2; d < tile[i]; d += i == row ? 8 : 1)
                if (tile[i] % d == 0) low = d;
        parts[count++] = (part){i, low, 0};
        if (low < tile[i]) parts[count++] = (part){i, tile[i] / low, 0};
    }
    return count;
}

static void parts_place(part *parts, int count, uint64_t *state, int row, uint64_t hole)
{
    int order[16];
    uint64_t place = 1;
    for (int i = 0; i < count; i++) order[i] = i;
    test_shuffle(state, order, count);
    for (int i = 0, first = 0; i < count; i++) {
        if (parts[order[i]].mode != row || first++) continue;
        int least = order[i];
        for (int k = 0; k < count; k++)
            if (parts[k].mode == row && k < least) least = k;
        for (int k = 0; k < count; k++)
            if (order[k] == least) order[k] = order[0];
        order[0] = least;
    }
    for (int i = 0; i < count; i++) {
        parts[order[i]].place = place;
        place *= parts[order[i]].extent;
        if (!i) place += hole;
    }
}

static void parts_print(char *text, const part *parts, int count, int rank, const char *before)
{
    int n = sprintf(text, "%s", before);
    for (int what = 0; what < 2; what++) {
        n += sprintf(text + n, what ? ":(" : "(");
        for (int m = 0; m < rank; m++) {
            n += sprintf(text + n, m ? ",(" : "(");
            for (int i = 0, first = 1; i < count; i++)
                if (parts[i].mode == m) {
                    n += sprintf(text + n, first ? "%llu" : ",%llu",
                                 (unsigned long long)(what ? parts[i].place : parts[i].extent));
                    first = 0;
                }
            n += sprintf(text + n, ")");
        }
        n += sprintf(text + n, ")");
    }
}

/* bf16 of rank 1 to 3, rows of whole 16 bytes, steps up or down; extents that tiles divide or not.
 */
static void draw_two(draw *d, uint64_t *state)
{
    int rank = (int)test_range(state, 1, 3), row = (int)test_range(state, 0, rank - 1);
    uint64_t extent[3], tile[3], pitch = 1;
    int64_t stride[3], offset = 0;
    part parts[16];
    char before[32] = "";
    d->type = "bf16";
    for (int i = 0; i < rank; i++) {
        tile[i] = (uint64_t)test_range(state, 1, i == row ? 8 : 12) * (i == row ? 8 : 1);
        extent[i] = tile[i] * (uint64_t)test_range(state, 1, 3);
        if (test_range(state, 0, 2) == 0) extent[i] += (uint64_t)test_range(state, 1, 7);
    }
    for (int i = 0; i < rank; i++) {
        int k = i ? (i <= row ? i - 1 : i) : row;
        stride[k] = (int64_t)pitch;
        pitch = (pitch * extent[k] + 7) / 8 * 8 + 8 * (uint64_t)test_range(state, 0, 1);
        if (k != row && test_range(state, 0, 5) == 0) {
            offset += stride[k] * (int64_t)(extent[k] - 1);
            stride[k] = -stride[k];
        }
    }
    int n = offset ? sprintf(d->source, "%lld o (", (long long)offset) : sprintf(d->source, "("), t = 0;
    for (int i = 0; i < rank; i++) n += sprintf(d->source + n, i ? ",%llu" : "%llu", (unsigned long long)extent[i]);
    n += sprintf(d->source + n, "):(");
    for (int i = 0; i < rank; i++) n += sprintf(d->source + n, i ? ",%lld" : "%lld", (long long)stride[i]);
    sprintf(d->source + n, ")");
    for (int i = 0; i < rank; i++) t += sprintf(d->tile + t, i ? ",%llu" : "%llu", (unsigned long long)tile[i]);
    int count = parts_draw(parts, state, rank, tile, row), swizzle = (int)test_range(state, 0, 4);
    bool holes = test_range(state, 0, 3) == 0;
    parts_place(parts, count, state, row, holes ? 8 * (uint64_t)test_range(state, 1, 7) : 0);
    if (swizzle && swizzle < 4) sprintf(before, "Sw<%d,3,3> o 0 o ", swizzle);
    parts_print(d->smem, parts, count, rank, before);
}

static void test_shared_layouts(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("shared layouts"), count = test_iterations(240), of[4] = {0};
    for (uint64_t i = 0; i < count; i++) {
        draw d;
        given g;
        zlay_move *move;
        zlay_move_summary info;
        draw_two(&d, &state);
        given_make(&g, w->ctx, d.type, d.source, d.tile, d.smem);
        g.r.keep_holes = (uint32_t)test_range(&state, 0, 1);
        zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &g.r);
        if (status < 0 && status != ZLAY_ELIMIT)
            fail_msg("%s by %s to %s: %s", d.source, d.tile, d.smem, zlay_ctx_message(w->ctx));
        if (!status) {
            if (getenv("SHOW")) printf("%s by %s to %s %u\n", d.source, d.tile, d.smem, g.r.keep_holes);
            assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
            synth_check(w, &state, move, &g.r, 2);
        }
        of[status == ZLAY_NONE ? 0 : status ? 1 : info.copies == 1 ? 2 : 3]++;
        zlay_move_free(move);
        given_free(&g);
    }
    printf("shared layouts: %llu have none, %llu not decided, %llu in one copy, %llu in several\n",
           (unsigned long long)of[0], (unsigned long long)of[1], (unsigned long long)of[2],
           (unsigned long long)of[3]);
    assert_true(of[2] > count / 8 && of[3] > count / 40);
    synth_world_free(w);
}

/* ---- what no copy brings ----------------------------------------------------------------------- */

typedef struct refusal {
    const char *type, *source, *tile, *smem;
    zlay_status status;
    const char *word; /* that the message has */
} refusal;

static const refusal refusals[] = {
    /* A pitch of 200 bytes is no multiple of 16: the second row begins 8 bytes into its 16. */
    {"bf16", "(100,100):(100,1)", "64,64", "(64,64):(64,1)", ZLAY_NONE,
     "TMAP_STRIDE_16: byte 2 of the tile"},
    /* Transposed: neighbours in shared memory are rows apart in global memory. */
    {"bf16", "(64,64):(64,1)", "64,64", "(64,64):(1,64)", ZLAY_NONE, "TMAP_BOX0_16: byte"},
    /* The tile begins 2 bytes into its 16. */
    {"bf16", "1 o (64,64):(64,1)", "8,16", "(8,16):(16,1)", ZLAY_NONE, "COPY_COORDINATE_16: byte 0"},
    /* Tiles of 50 elements begin at multiples of 100 bytes. */
    {"bf16", "(64,128):(128,1)", "8,50", "(8,50):(56,1)", ZLAY_NONE, "COPY_COORDINATE_16: byte 0"},
    /* Rows from right to left begin 14 bytes into their 16. */
    {"bf16", "511 o (64,512):(512,-1)", "64,64", "(64,64):(72,1)", ZLAY_NONE,
     "COPY_COORDINATE_16: byte 0"},
    {"bf16", "(512,512):(512,1)", "512,512", NULL, ZLAY_NONE, "SMEM_BLOCK: byte 232448"},
    {"bf16", "(512,512):(512,1)", "8,8", "(8,8):(100000,1)", ZLAY_NONE, "SMEM_BLOCK"},
    {"bf16", "(64,64):(64,1)", "8,8", "(8,8):(0,1)", ZLAY_EINVAL, "one place"},
    {"bf16", "(64,64):(64,1)", "8,8", "(8,8):(4,1)", ZLAY_EINVAL, "one place"},
    {"bf16", "(64,64):(64,1)", "8,8", "(8,4):(8,1)", ZLAY_EINVAL, "smem: has 32"},
    {"bf16", "(64,64):(64,1)", "8", NULL, ZLAY_EINVAL, "tile: has 1"},
    {"bf16", "(64,64):(64,1)", "8,0", NULL, ZLAY_EINVAL, "tile: entry 1"},
    {"bf16", "(64,64):(64,1)", "(8,8):(64,1)", "(8,8):(-8,1)", ZLAY_EINVAL, "smem: "},
    {"bf16", "(64,64):(64,1)", "(8,8):(600,1)", NULL, ZLAY_EINVAL, "outside the source"},
    {"e3m2", "(64,64):(64,1)", "8,64", NULL, ZLAY_ENOTSUP, "u8"},
    {"bf16", "(4611686018427387904,2):(1,4611686018427387904)", "64,1", NULL, ZLAY_EOVERFLOW, "2^63"},
};

static void check_refusal(zlay_ctx *ctx, const zlay_target *target, const refusal *row)
{
    given g;
    zlay_move *move = (zlay_move *)(uintptr_t)1;
    given_make(&g, ctx, row->type, row->source, row->tile, row->smem);
    zlay_status status = zlay_tensormap_synth(ctx, &move, target, &g.r);
    if (status != row->status || !strstr(zlay_ctx_message(ctx), row->word))
        fail_msg("%s by %s: %s, %s", row->source, row->tile, zlay_status_name(status),
                 zlay_ctx_message(ctx));
    assert_null(move);
    given_free(&g);
}

static void test_refusals(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        check_refusal(w->ctx, w->target, &refusals[i]);
    synth_world_free(w);
}

/* Fields of the request, one wrong at a time. */
static void test_fields(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    const struct {
        size_t offset;
        uint32_t value;
        zlay_status status;
        const char *word;
    } rows[] = {
        {offsetof(zlay_tensormap_request, size), 0, ZLAY_EINVAL, "size"},
        {offsetof(zlay_tensormap_request, size), 1000, ZLAY_EINVAL, "size"},
        {offsetof(zlay_tensormap_request, type), 99, ZLAY_EINVAL, "type"},
        {offsetof(zlay_tensormap_request, axes), 0, ZLAY_EINVAL, "tile"},
        {offsetof(zlay_tensormap_request, axes), 9, ZLAY_EINVAL, "tile"},
        {offsetof(zlay_tensormap_request, address_align), 8, ZLAY_NONE, "TMAP_ADDRESS_16"},
        {offsetof(zlay_tensormap_request, swizzle_given), 2, ZLAY_EINVAL, "swizzle_given"},
        {offsetof(zlay_tensormap_request, edge), 3, ZLAY_EINVAL, "edge"},
        {offsetof(zlay_tensormap_request, keep_holes), 2, ZLAY_EINVAL, "keep_holes"},
        {offsetof(zlay_tensormap_request, residual), 2, ZLAY_EINVAL, "residual"},
        {offsetof(zlay_tensormap_request, reserved), 1, ZLAY_EINVAL, "reserved"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        given g;
        zlay_move *move;
        given_make(&g, w->ctx, "bf16", "(64,64):(64,1)", "8,64", NULL);
        memcpy((char *)&g.r + rows[i].offset, &rows[i].value, sizeof rows[i].value);
        assert_int_equal(zlay_tensormap_synth(w->ctx, &move, w->target, &g.r), rows[i].status);
        if (!strstr(zlay_ctx_message(w->ctx), rows[i].word)) fail_msg("%s", zlay_ctx_message(w->ctx));
        given_free(&g);
    }
    synth_world_free(w);
}

/* ---- what is left over ----------------------------------------------------------------------------- */

/* The landed tile, moved place by place, is the tile that was asked for. */
static void test_residual(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("residual");
    given g;
    zlay_move *move;
    given_make(&g, w->ctx, "bf16", "(64,64):(64,1)", "16,8", "(16,8):(1,16)");
    g.r.residual = 1;
    assert_int_equal(zlay_tensormap_synth(w->ctx, &move, w->target, &g.r), ZLAY_OK);
    synth_check(w, &state, move, &g.r, 1);
    assert_non_null(zlay_move_residual(move));
    for (uint64_t i = 0; i < 128; i++) {
        int64_t landed, wanted, moved;
        assert_int_equal(zlay_layout_eval(&landed, 1, zlay_move_smem(move), i), ZLAY_OK);
        assert_int_equal(zlay_layout_eval(&wanted, 1, g.smem, i), ZLAY_OK);
        assert_int_equal(
            zlay_layout_eval(&moved, 1, zlay_move_residual(move), (uint64_t)landed), ZLAY_OK);
        assert_int_equal(moved, wanted);
    }
    zlay_move_free(move);
    given_free(&g);
    synth_world_free(w);
}

/* ---- memory that ends -------------------------------------------------------------------------------- */

static void test_memory(void **unused)
{
    (void)unused;
    static const hand rows[] = {
        {.type = "bf16", .source = "(4096,4096):(4096,1)", .tile = "128,64"},
        {.type = "bf16", .source = "(1001,64):(64,1)", .tile = "384,64", .smem = "(384,64):(64,1)"},
        {.type = "bf16", .source = "(64,64):(64,1)", .tile = "(8,16):(1,64)", .smem = "(8,16):(16,1)"},
        {.type = "bf16", .source = "Sw<1,3,3> o 0 o (64,64):(64,1)", .tile = "8,64",
         .smem = "(8,64):(64,1)"},
        {.type = "bf16", .source = "(64,64):(64,1)", .tile = "16,8", .smem = "(16,8):(1,16)"},
        {.type = "f16", .source = "(8,2,2,2,2,2):(1,16,48,144,432,1296)", .tile = "8,2,2,2,2,2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        heap h;
        zlay_ctx *ctx = heap_open(&h, NULL);
        given g;
        given_make(&g, ctx, rows[i].type, rows[i].source, rows[i].tile, rows[i].smem);
        g.r.residual = 1;
        assert_int_equal(heap_fails_each(&h, ctx, synth_moved, &g.r), ZLAY_OK);
        given_free(&g);
        heap_close(&h, ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hands),
        cmocka_unit_test(test_atoms),
        cmocka_unit_test(test_random_requests),
        cmocka_unit_test(test_shared_layouts),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_residual),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
