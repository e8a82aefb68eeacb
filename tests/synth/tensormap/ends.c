/* SPDX-License-Identifier: Apache-2.0 */
/* When tensormap.synth stays undecided.  Of random plain requests (a matrix of rows, a pitch, a tile, shared rows of a
 * pitch or free) at most 1 % do.  And limits.work ends a request or changes nothing: under every limit the answer is
 * ELIMIT, or that of the request without one. */
#include "tiles/tensormap_synth.h"
#include "test.h"

enum { REQUESTS = 400, LAYOUT_TEXT = 96 };

/* ---- plain requests ---------------------------------------------------------------------------- */

static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 72, 96, 100, 127, 128,
                                129, 200, 256, 500, 512, 1000, 1024, 4096};
static const int64_t tiles[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 100, 128};
static const int64_t gaps[] = {0, 1, 2, 3, 4, 8, 12, 16, 24};
static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F16, ZLAY_TYPE_F32, ZLAY_TYPE_E4M3, ZLAY_TYPE_F64};

#define DRAWN(list, state) (list)[test_range(state, 0, (int64_t)(sizeof(list) / sizeof *(list)) - 1)]

typedef struct plain {
    char source[LAYOUT_TEXT], smem[LAYOUT_TEXT];
    zlay_tensormap_request r;
} plain;

static int64_t padded(int64_t row, uint64_t *state)
{
    static const int64_t whole[] = {1, 8, 16, 128};
    if (!test_range(state, 0, 2)) return row + DRAWN(gaps, state);
    int64_t to = DRAWN(whole, state);
    return (row + to - 1) / to * to;
}

static uint64_t tile_of(int64_t extent, uint64_t *state)
{
    int64_t tile = DRAWN(tiles, state);
    return (uint64_t)(tile > extent && test_range(state, 0, 9) < 7 ? extent : tile);
}

/* Rows as they lie in the matrix, without gaps, or with some; none: free. */
static void smem_draw(plain *p, int64_t pitch, uint64_t *state)
{
    int64_t row = (int64_t)p->r.shape[1], how = test_range(state, 0, 9);
    p->smem[0] = 0;
    if (how < 4) return;
    int64_t of = how < 6 ? row : how == 6 && pitch >= row ? pitch : row + DRAWN(gaps, state);
    snprintf(p->smem, sizeof p->smem, "(%lld,%lld):(%lld,1)", (long long)p->r.shape[0], (long long)row, (long long)of);
}

static void plain_draw(plain *p, uint64_t *state)
{
    int64_t rows = DRAWN(sizes, state), columns = DRAWN(sizes, state), pitch = padded(columns, state);
    p->r = (zlay_tensormap_request){.size = sizeof p->r, .type = DRAWN(types, state), .axes = 2};
    p->r.shape[0] = tile_of(rows, state);
    p->r.shape[1] = tile_of(columns, state);
    if (!test_range(state, 0, 2)) p->r.edge = test_range(state, 0, 1) ? ZLAY_EDGE_STRONG : ZLAY_EDGE_WEAK;
    snprintf(p->source, sizeof p->source, "(%lld,%lld):(%lld,1)", (long long)rows, (long long)columns, (long long)pitch);
    smem_draw(p, pitch, state);
}

static void limit(synth_world *w, uint64_t work)
{
    zlay_limits limits = {.size = sizeof limits, .work = work};
    assert_int_equal(zlay_ctx_set_limits(w->ctx, &limits), ZLAY_OK);
}

/* Under so many steps; 0: the default. */
static zlay_status answer(synth_world *w, zlay_move **move, plain *p, uint64_t work)
{
    zlay_layout *source, *smem;
    limit(w, 0);
    p->r.source = source = read_layout(w->ctx, p->source);
    p->r.smem = smem = p->smem[0] ? read_layout(w->ctx, p->smem) : NULL;
    limit(w, work);
    zlay_status status = zlay_tensormap_synth(w->ctx, move, w->target, &p->r);
    zlay_layout_free(source);
    zlay_layout_free(smem);
    return status;
}

/* ---- how many ----------------------------------------------------------------------------------- */

static void test_share(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t seed = test_seed("plain requests"), count = 0, undecided = 0, moves = 0, none = 0;
    for (uint64_t k = 0; k < 3; k++) {
        uint64_t state = seed + k;
        for (int i = 0; i < REQUESTS; i++) {
            plain p;
            zlay_move *move;
            plain_draw(&p, &state);
            zlay_status status = answer(w, &move, &p, 0);
            if (status != ZLAY_OK && status != ZLAY_NONE && status != ZLAY_ELIMIT)
                fail_msg("%s to %s: %d %s", p.source, p.smem, status, zlay_ctx_message(w->ctx));
            count++;
            moves += status == ZLAY_OK;
            none += status == ZLAY_NONE;
            undecided += status == ZLAY_ELIMIT;
            zlay_move_free(move);
        }
    }
    printf("plain requests: %llu, %llu moves, %llu none, %llu undecided\n", (unsigned long long)count,
           (unsigned long long)moves, (unsigned long long)none, (unsigned long long)undecided);
    assert_true(moves > count / 5 && none > count / 5);
    assert_true(undecided * 100 <= count);
    synth_world_free(w);
}

/* ---- limits.work -------------------------------------------------------------------------------- */

static void same(synth_world *w, plain *p, zlay_status whole, const zlay_move_summary *want, uint64_t *ended, uint64_t work)
{
    zlay_move *move;
    zlay_move_summary info = {0};
    zlay_status status = answer(w, &move, p, work);
    if (status == ZLAY_ELIMIT && strstr(zlay_ctx_message(w->ctx), "limits.work")) {
        assert_null(move);
        ++*ended;
        return;
    }
    if (status != whole)
        fail_msg("%s to %s: %d, under work %llu %d: %s", p->source, p->smem, whole, (unsigned long long)work, status,
                 zlay_ctx_message(w->ctx));
    if (!status) assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    assert_int_equal(info.copies, want->copies);
    assert_int_equal(info.bytes, want->bytes);
    assert_int_equal(info.optimal, want->optimal);
    zlay_move_free(move);
}

/* Requests over holes among them, whose search takes the most steps. */
static void test_work(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("limits of work"), ended = 0, long_ones = 0;
    for (int i = 0; i < REQUESTS / 2; i++) {
        plain p;
        zlay_move *move;
        zlay_move_summary want = {0};
        plain_draw(&p, &state);
        zlay_status whole = answer(w, &move, &p, 0);
        if (!whole) assert_int_equal(zlay_move_info(&want, move), ZLAY_OK);
        zlay_move_free(move);
        for (uint64_t work = 1 << 8; work < 1 << 18; work += work / 4) {
            uint64_t before = ended;
            same(w, &p, whole, &want, &ended, work);
            if (ended == before) break;
            long_ones += work >= 1 << 14;
        }
    }
    printf("limits of work: %llu requests ended, %llu of them after 2^14 steps\n", (unsigned long long)ended,
           (unsigned long long)long_ones);
    assert_true(ended > 20 && long_ones > 5);
    synth_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_share), cmocka_unit_test(test_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
