/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth into shared memory that is swizzled by atoms of 32 and 64 bytes, with and without halves of 16
 * bytes that change places: bit matrices drawn at random, replayed in the CPU model and held to the search. */
#include "tiles/least.h"
#include "tiles/tensormap_synth.h"

enum { BITS_MOST = 12, OUTER_MOST = 5, ATOM_32 = 4, FLIP = 5, ATOM_64 = 6 };

/* A tile of 2^bits[m] cells along each mode; the place of a cell is the XOR of `base` of its bits, in bytes. */
typedef struct drawn {
    int32_t type;
    int modes, bits[3], total;
    int64_t bytes, stride[3]; /* of an element; elements */
    int64_t base[BITS_MOST];
    bool wrong; /* by no swizzle */
} drawn;

typedef struct world {
    synth_world *synth;
    search *search;
    uint64_t state, found, none, by_flip, compared;
} world;

/* PTX ISA 9.1, 5.5.7, on an address. */
static int64_t swizzled(int64_t at, int32_t swizzle)
{
    int64_t line = at / 128, half = swizzle == FLIP && line % 2 ? 8 : 0;
    return (at ^ (int64_t)flip_of(swizzle, (int)line) * 16) ^ half;
}

static drawn draw(uint64_t *s)
{
    static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_U64};
    static const int32_t likes[] = {FLIP, FLIP, FLIP, ATOM_32, ATOM_64, 3, 0};
    drawn d = {.modes = (int)test_range(s, 2, 3)};
    int log = (int)test_range(s, 0, 3), order[BITS_MOST];
    int32_t swizzle = likes[test_range(s, 0, 6)];
    d.type = types[log];
    d.bytes = (int64_t)1 << log;
    d.bits[0] = 7 - log;
    if (test_range(s, 0, 3) == 0) d.bits[0] -= (int)test_range(s, 1, 2);
    d.stride[0] = 1;
    d.total = d.bits[0];
    int64_t row = (int64_t)1 << d.bits[0], unit = 16 / d.bytes;
    for (int m = 1; m < d.modes; m++) {
        d.bits[m] = (int)test_range(s, 0, m == 1 ? 4 : 2);
        if (d.total + d.bits[m] > d.bits[0] + OUTER_MOST) d.bits[m] = d.bits[0] + OUTER_MOST - d.total;
        d.stride[m] = row + unit * test_range(s, 0, 3);
        row = d.stride[m] << d.bits[m];
        d.total += d.bits[m];
    }
    for (int i = 0; i < d.total; i++) order[i] = i;
    for (int i = d.total - 1; i > d.bits[0] && test_range(s, 0, 1); i--) {
        int k = (int)test_range(s, d.bits[0], i), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
    for (int i = 0; i < d.total; i++) {
        int64_t at = i < d.bits[0] ? d.bytes << i : (int64_t)128 << (i - d.bits[0]);
        d.base[order[i]] = swizzled(at, swizzle);
    }
    d.wrong = d.total > d.bits[0] && test_range(s, 0, 7) == 0;
    if (d.wrong) d.base[d.bits[0] + test_range(s, 0, d.total - d.bits[0] - 1)] ^= 8;
    return d;
}

static void texts(const drawn *d, char *source, char *smem)
{
    int bit = 0;
    char *at = smem + sprintf(smem, "f2{");
    for (int side = 0; side < 2; side++) {
        source += sprintf(source, side ? ":(" : "(");
        for (int m = 0; m < d->modes; m++)
            source += sprintf(source, "%s%lld", m ? "," : "",
                              side ? (long long)d->stride[m] : (long long)2 << d->bits[m]);
        source += sprintf(source, ")");
    }
    for (int m = 0; m < d->modes; m++) {
        at += sprintf(at, "%sm%d:", m ? "; " : "", m);
        for (int i = 0; i < d->bits[m]; i++) at += sprintf(at, " (%lld)", (long long)(d->base[bit++] / d->bytes));
    }
    sprintf(at, " -> y: %d}", 1 << 17);
}

/* What each 16 bytes want of tile 0; false: they are no 16 of the tensor, in order or with halves swapped. */
static bool want_places(wanted *out, const drawn *d)
{
    static int64_t byte[16 * PLACES];
    out->places = 0;
    for (int i = 0; i < 16 * PLACES; i++) byte[i] = NOWHERE;
    for (int64_t cell = 0; cell < (int64_t)1 << d->total; cell++) {
        int64_t to = 0, from = 0, rest = cell;
        for (int i = 0; i < d->total; i++) to ^= cell >> i & 1 ? d->base[i] : 0;
        for (int m = 0; m < d->modes; m++, rest >>= d->bits[m - 1])
            from += (rest & (((int64_t)1 << d->bits[m]) - 1)) * d->stride[m];
        for (int i = 0; i < d->bytes; i++) byte[to + i] = from * d->bytes + i;
        if (to / 16 >= out->places) out->places = (int)(to / 16) + 1;
    }
    for (int p = 0; p < out->places; p++) {
        const int64_t *b = &byte[16 * p];
        bool swapped = b[0] != NOWHERE && b[0] % 16 == 8;
        for (int i = 1; i < 16; i++) {
            int64_t want = b[0] == NOWHERE ? NOWHERE : swapped && i >= 8 ? b[0] - 16 + i : b[0] + i;
            if (b[i] != want) return false;
        }
        if (b[0] != NOWHERE && b[0] % 8) return false;
        out->from[p] = b[0] == NOWHERE ? NOWHERE : b[0] / 16 | (swapped ? FLIPPED : 0);
    }
    return true;
}

static void judge(world *w, const zlay_move *move, const least *l, const char *smem)
{
    zlay_move_summary info;
    zlay_tensormap map;
    int rank = 0;
    bool columns = false;
    zlay_move_info(&info, move);
    for (uint32_t i = 0; zlay_move_map_nth(&map, move, i) == ZLAY_OK; i++) {
        if ((int)map.rank > rank) rank = (int)map.rank;
        columns |= map.mode != 0;
        w->by_flip += map.swizzle == FLIP;
    }
    if (columns || !l->whole) return;
    w->compared++;
    if (!l->exists || (int)info.copies != l->issues || (int)info.bytes != l->bytes || (int)info.maps != l->maps ||
        rank != l->rank)
        fail_msg("%s: %u copies, %llu bytes, %u maps, rank %d; the search: %d, %d, %d, %d", smem, info.copies,
                 (unsigned long long)info.bytes, info.maps, rank, l->issues, l->bytes, l->maps, l->rank);
}

static void one(world *w, const drawn *d)
{
    char from[256], to[512];
    zlay_move *move = NULL;
    wanted want;
    least l = {.whole = true};
    texts(d, from, to);
    zlay_layout *source = read_layout(w->synth->ctx, from), *smem = read_layout(w->synth->ctx, to);
    zlay_tensormap_request r = {.size = sizeof r, .type = d->type, .source = source, .smem = smem,
                                .axes = (uint32_t)d->modes, .keep_holes = 1};
    for (int m = 0; m < d->modes; m++) r.shape[m] = (uint64_t)1 << d->bits[m];
    bool good = want_places(&want, d);
    if (good) l = least_of(w->search, w->synth->target, &want);
    zlay_status status = zlay_tensormap_synth(w->synth->ctx, &move, w->synth->target, &r);
    w->found += status == ZLAY_OK;
    w->none += status == ZLAY_NONE;
    if (status != ZLAY_OK && status != ZLAY_NONE) fail_msg("%s: %s", to, zlay_ctx_message(w->synth->ctx));
    if (status == ZLAY_NONE && l.exists) fail_msg("%s: %s", to, zlay_ctx_message(w->synth->ctx));
    if (!status) synth_check(w->synth, &w->state, move, &r, 1);
    if (!status) judge(w, move, &l, to);
    zlay_move_free(move);
    zlay_layout_free(source);
    zlay_layout_free(smem);
}

static void drawn_matrices(void **unused)
{
    (void)unused;
    world w = {.synth = synth_world_new("sm_100a"), .search = calloc(1, sizeof *w.search), .state = test_seed("matrices")};
    assert_non_null(w.search);
    w.search->align = 16;
    w.search->swizzles = ATOM_64;
    w.search->without = WITHOUT_COLUMNS;
    uint64_t count = test_iterations(300);
    for (uint64_t i = 0; i < count; i++) {
        drawn d = draw(&w.state);
        one(&w, &d);
    }
    printf("%llu requests, %llu moves, %llu none, %llu maps that swap halves, %llu held to the search\n",
           (unsigned long long)count, (unsigned long long)w.found, (unsigned long long)w.none,
           (unsigned long long)w.by_flip, (unsigned long long)w.compared);
    assert_true(w.by_flip * 6 > count && w.compared * 4 > count && w.none);
    free(w.search);
    synth_world_free(w.synth);
}

/* Chosen places; their map has the swizzle that was asked for, on sm_90 there is none. */
static void chosen(void **unused)
{
    (void)unused;
    static const uint64_t shapes[][2] = {{8, 32}, {9, 64}, {3, 16}, {64, 96}};
    uint64_t state = 3;
    synth_world *w = synth_world_new("sm_100a"), *old = synth_world_new("sm_90a");
    zlay_layout *source = read_layout(w->ctx, "(130,100):(104,1)");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_F32, .source = source, .axes = 2,
                                    .shape = {shapes[i][0], shapes[i][1]}, .swizzle = FLIP, .swizzle_given = 1};
        zlay_move *move;
        zlay_tensormap map;
        zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &r);
        if (status) fail_msg("%s", zlay_ctx_message(w->ctx));
        for (uint32_t k = 0; zlay_move_map_nth(&map, move, k) == ZLAY_OK; k++) assert_int_equal(map.swizzle, FLIP);
        synth_check(w, &state, move, &r, 3);
        zlay_move_free(move);
        assert_int_equal(zlay_tensormap_synth(w->ctx, &move, old->target, &r), ZLAY_NONE);
        assert_non_null(strstr(zlay_ctx_message(w->ctx), "TMAP_SWIZZLE_SM90"));
    }
    zlay_layout_free(source);
    synth_world_free(w);
    synth_world_free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_matrices), cmocka_unit_test(chosen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
