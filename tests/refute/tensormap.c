/* SPDX-License-Identifier: Apache-2.0 */
/* A refuter of tensormap.synth: on random small requests every plan is run byte by byte in the CPU model, and
 * every `none` and `optimal` is held against all copies of a small world (brute_tile.h), any number of them for
 * `none`, as many as the plan has for `optimal`.  10,000 in `make test`. */
#include "tiles/brute_tile.h"
#include "test.h"

#include <string.h>

static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_F64};

typedef struct drawn {
    char source[128], smem[128];
    bool free_smem;
    int modes;
    int64_t stride[MODES];
    uint64_t box[MODES];
    zlay_tensormap_request r;
} drawn;

static uint64_t size_draw(uint64_t *state, uint64_t small)
{
    static const uint64_t large[] = {12, 16, 31, 32, 33, 96, 100, 1000};
    if (test_range(state, 0, 5)) return (uint64_t)test_range(state, 1, (int64_t)small);
    return large[test_range(state, 0, 7)];
}

static int layout_print(char *out, const char *before, const drawn *d, const uint64_t *shape, const int64_t *stride)
{
    int n = sprintf(out, "%s(", before);
    for (int k = 0; k < d->modes; k++) n += sprintf(out + n, k ? ",%llu" : "%llu", (unsigned long long)shape[k]);
    n += sprintf(out + n, "):(");
    for (int k = 0; k < d->modes; k++) n += sprintf(out + n, k ? ",%lld" : "%lld", (long long)stride[k]);
    return n + sprintf(out + n, ")");
}

/* Modes one inside the other in a random order, with gaps. */
static void strides_draw(int64_t *stride, const drawn *d, const uint64_t *shape, uint64_t *state, int element)
{
    int order[MODES] = {0, 1, 2};
    int64_t next = 1;
    for (int k = d->modes - 1; k > 0; k--) {
        int j = (int)test_range(state, 0, k), was = order[k];
        order[k] = order[j];
        order[j] = was;
    }
    for (int k = 0; k < d->modes; k++) {
        stride[order[k]] = next;
        next *= (int64_t)shape[order[k]];
        int how = (int)test_range(state, 0, 4), unit = 16 / element;
        if (how == 1) next += test_range(state, 1, 4);
        if (how >= 2) next = (next + unit - 1) / unit * unit + (how == 4 ? unit : 0);
    }
}

/* Shared steps in the order of the source's, or as they are there. */
static void smem_draw(drawn *d, uint64_t *state, int element)
{
    int64_t stride[MODES] = {0};
    bool same = test_range(state, 0, 2) == 0;
    if (same) memcpy(stride, d->stride, sizeof stride);
    for (int64_t next = 1, k = 0; !same && k < d->modes; k++) {
        int least = -1;
        for (int i = 0; i < d->modes; i++)
            if (!stride[i] && (least < 0 || d->stride[i] < d->stride[least])) least = i;
        stride[least] = next;
        next *= (int64_t)d->r.shape[least];
        int how = (int)test_range(state, 0, 4), unit = 16 / element;
        if (how >= 2) next = (next + unit - 1) / unit * unit + (how == 4 ? unit : 0);
        if (how == 1 && test_range(state, 0, 1)) while ((next - d->stride[least]) % unit) next++;
    }
    d->free_smem = test_range(state, 0, 5) == 0;
    static const char *const swizzle[] = {"", "", "", "", "Sw<1,%d,3> o 0 o ", "Sw<3,%d,3> o 0 o "};
    char before[32];
    int chunk = 0;
    while (element << chunk < 16) chunk++;
    snprintf(before, sizeof before, swizzle[test_range(state, 0, 5)], chunk);
    layout_print(d->smem, before, d, d->r.shape, stride);
}

static int draw(drawn *d, uint64_t *state)
{
    memset(d, 0, sizeof *d);
    d->modes = test_range(state, 0, 5) ? 2 : test_range(state, 0, 1) ? 1 : 3;
    d->r.size = sizeof d->r;
    d->r.type = types[test_range(state, 0, 3)];
    int element = (int)zlay_type_bits(d->r.type) / 8;
    for (int k = 0; k < d->modes; k++) {
        d->box[k] = size_draw(state, 12);
        uint64_t tile = test_range(state, 0, 2) ? size_draw(state, 8) : d->box[k];
        if (tile > d->box[k] && test_range(state, 0, 5)) tile = d->box[k];
        d->r.shape[k] = tile;
    }
    d->r.axes = (uint32_t)d->modes;
    d->r.edge = test_range(state, 0, 2) ? ZLAY_EDGE_STRONG : ZLAY_EDGE_WEAK;
    strides_draw(d->stride, d, d->box, state, element);
    layout_print(d->source, "", d, d->box, d->stride);
    smem_draw(d, state, element);
    return element;
}

/* Tiles at both ends of each mode, and next to them. */
static void tiles_fill(brute *b, const drawn *d)
{
    uint64_t some[MODES][3];
    int count[MODES] = {1, 1, 1};
    for (int k = 0; k < d->modes; k++) {
        b->count[k] = (d->box[k] + d->r.shape[k] - 1) / d->r.shape[k];
        b->way[k] = (int64_t)d->r.shape[k] * d->stride[k] * b->element;
        count[k] = b->count[k] > 2 ? 3 : (int)b->count[k];
        for (int i = 0; i < count[k]; i++) some[k][i] = i == 2 ? b->count[k] - 1 : (uint64_t)i;
    }
    for (int t = 0; t < count[0] * count[1] * count[2]; t++) {
        int rest = t;
        for (int k = 0; k < d->modes; k++) {
            b->tile[b->tiles][k] = some[k][rest % count[k]];
            rest /= count[k];
        }
        b->tiles++;
    }
}

typedef struct tally {
    uint64_t moves, none, undecided, held, cut;
} tally;

/* What the small world has to say. */
static void held(const drawn *d, const zlay_layout *smem, zlay_status status, const zlay_move_summary *info, tally *t)
{
    static brute b;
    int bytes = 0;
    memset(&b, 0, sizeof b);
    b.r = &d->r;
    b.modes = d->modes;
    b.element = (int)zlay_type_bits(d->r.type) / 8;
    b.high = 0;
    for (int k = 0; k < d->modes; k++) b.high += (int64_t)(d->box[k] - 1) * d->stride[k];
    b.high = ((b.high + 1) * b.element + 15) / 16 * 16 - 1;
    tiles_fill(&b, d);
    if (!brute_read(&b, smem, d->stride, d->box)) return;
    for (int k = 0; k < d->modes; k++)
        if (b.count[k] > 1 && b.way[k] % 16) return;
    brute_find(&b);
    int most = status ? PLACES : (int)info->copies, fewest = brute_fewest(&b, most, &bytes);
    t->cut += b.cut || fewest < 0;
    t->held++;
    if (status && fewest > 0)
        fail_msg("%s type %d tile (%llu,%llu,%llu) to %s edge %d: none, but %d copies of %d bytes do", d->source,
                 d->r.type, (unsigned long long)d->r.shape[0], (unsigned long long)d->r.shape[1],
                 (unsigned long long)d->r.shape[2], d->smem, d->r.edge, fewest, bytes);
    if (!status && fewest > 0 && (fewest < (int)info->copies || bytes < (int)info->bytes))
        fail_msg("%s type %d tile (%llu,%llu,%llu) to %s edge %d: optimal is said of %u copies of %llu bytes, %d of %d do",
                 d->source, d->r.type, (unsigned long long)d->r.shape[0], (unsigned long long)d->r.shape[1],
                 (unsigned long long)d->r.shape[2], d->smem, d->r.edge, info->copies,
                 (unsigned long long)info->bytes, fewest, bytes);
}

static void one(synth_world *w, uint64_t *state, tally *t)
{
    drawn d;
    zlay_layout *smem;
    zlay_move *move = NULL;
    zlay_move_summary info = {0};
    int element = draw(&d, state);
    (void)element;
    zlay_layout *source = read_layout(w->ctx, d.source);
    smem = read_layout(w->ctx, d.smem);
    d.r.source = source;
    d.r.smem = d.free_smem ? NULL : smem;
    zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &d.r);
    if (status == ZLAY_EINVAL || status == ZLAY_ENOTSUP) goto end;
    if (status < 0 && status != ZLAY_ELIMIT)
        fail_msg("%s to %s: %d %s", d.source, d.smem, status, zlay_ctx_message(w->ctx));
    t->undecided += status == ZLAY_ELIMIT;
    t->none += status == ZLAY_NONE;
    t->moves += status == ZLAY_OK;
    if (!status) {
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        if (getenv("SHOW")) printf("%s type %d to %s edge %d\n", d.source, d.r.type, d.smem, d.r.edge), fflush(stdout);
        synth_check(w, state, move, &d.r, 2);
        if (info.optimal) held(&d, zlay_move_smem(move), status, &info, t);
    } else if (status == ZLAY_NONE && !d.free_smem) {
        held(&d, smem, status, &info, t);
    }
end:
    zlay_move_free(move);
    zlay_layout_free(smem);
    zlay_layout_free(source);
}

static void test_refuter(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("refuter of tensor maps"), count = test_cases(10000);
    tally t = {0};
    for (uint64_t i = 0; i < count; i++) one(w, &state, &t);
    printf("tensor maps: %llu requests, %llu moves, %llu none, %llu undecided; %llu claims held to all copies, %llu "
           "of them in part\n", (unsigned long long)count, (unsigned long long)t.moves, (unsigned long long)t.none,
           (unsigned long long)t.undecided, (unsigned long long)t.held, (unsigned long long)t.cut);
    assert_true(t.moves > count / 10 && t.none > count / 10 && t.held > count / 10);
    synth_world_free(w);
}

/* ---- several copies with edges ------------------------------------------------------------------ */

/* A matrix whose edges fall inside of tiles, and a tile whose rows, or pairs of rows, stand in another order: so
 * it takes several copies. */
static void edges_draw(drawn *d, uint64_t *state)
{
    static const int32_t wide[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_F64};
    memset(d, 0, sizeof *d);
    d->modes = 2;
    d->r.size = sizeof d->r;
    d->r.type = wide[test_range(state, 0, 2)];
    d->r.axes = 2;
    int64_t unit = 16 * 8 / (int64_t)zlay_type_bits(d->r.type);
    int64_t row = unit << test_range(state, 0, 3), rows = test_range(state, 1, 2) * 32 * unit / row;
    if (rows > 8) rows = 8;
    int64_t inner = rows % 2 || test_range(state, 0, 1) ? 1 : 2, outer = rows / inner;
    d->r.shape[0] = (uint64_t)rows;
    d->r.shape[1] = (uint64_t)row;
    d->box[0] = (uint64_t)(rows + test_range(state, 0, rows));
    d->box[1] = (uint64_t)(test_range(state, 0, 1) ? row : row + test_range(state, 1, row));
    d->stride[1] = 1;
    d->stride[0] = ((int64_t)d->box[1] + unit - 1) / unit * unit + unit * test_range(state, 0, 1);
    d->r.edge = test_range(state, 0, 3) ? ZLAY_EDGE_STRONG : ZLAY_EDGE_WEAK;
    layout_print(d->source, "", d, d->box, d->stride);
    bool down = test_range(state, 0, 3), over = inner > 1 && test_range(state, 0, 1);
    int64_t near = over ? row * outer : row, far = over ? row : row * inner, begin = down ? far * (outer - 1) : 0;
    char before[32] = "";
    int chunk = 0;
    while (unit >> chunk > 1) chunk++;
    if (test_range(state, 0, 2))
        snprintf(before, sizeof before, "Sw<%d,%d,%d> o ", (int)test_range(state, 1, 2),
                 chunk + (int)test_range(state, 0, 2), (int)test_range(state, 2, 3));
    sprintf(d->smem, "%s%lld o ((%lld,%lld),%lld):((%lld,%lld),1)", before, (long long)begin, (long long)inner,
            (long long)outer, (long long)row, (long long)near, (long long)(down ? -far : far));
}

/* Of several copies with edges `optimal` is never said, for a walk of pixels may clip an edge too: what is said
 * of one copy, and `none`, is held to all copies, and every plan is run. */
static void test_edges(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("tensor maps with edges"), count = test_cases(2000);
    tally t = {0};
    uint64_t several = 0;
    for (uint64_t i = 0; i < count; i++) {
        drawn d;
        zlay_move *move = NULL;
        zlay_move_summary info = {0};
        edges_draw(&d, &state);
        zlay_layout *source = read_layout(w->ctx, d.source), *smem = read_layout(w->ctx, d.smem);
        d.r.source = source;
        d.r.smem = smem;
        zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &d.r);
        t.none += status == ZLAY_NONE;
        if (!status) {
            assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
            synth_check(w, &state, move, &d.r, 2);
            t.moves++;
            bool edges = d.box[0] % d.r.shape[0] || d.box[1] % d.r.shape[1];
            several += info.copies > 1 && edges;
            if (info.copies > 1 && edges && info.optimal)
                fail_msg("%s tile (%llu,%llu) to %s: optimal is said of %u copies", d.source,
                         (unsigned long long)d.r.shape[0], (unsigned long long)d.r.shape[1], d.smem, info.copies);
        }
        if ((!status && info.optimal) || status == ZLAY_NONE) held(&d, smem, status, &info, &t);
        zlay_move_free(move);
        zlay_layout_free(smem);
        zlay_layout_free(source);
    }
    printf("with edges: %llu requests, %llu moves, %llu none; %llu claims held to all copies, %llu of them in part; %llu "
           "moves of several copies with edges\n", (unsigned long long)count, (unsigned long long)t.moves,
           (unsigned long long)t.none, (unsigned long long)t.held, (unsigned long long)t.cut,
           (unsigned long long)several);
    assert_true(several > count / 40 && t.held > count / 4);
    synth_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refuter), cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
