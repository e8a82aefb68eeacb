/* SPDX-License-Identifier: Apache-2.0 */
/* Refuter of ragged.map.
 *
 * Small ragged tensors of one to six dimensions, any ragged dimension, any element, also where addresses end: every cell of tiles of groups,
 * empty, first and last ones too, that begin before, in and after their group, is loaded and stored by the CPU model through the one map.
 * A load has the group's elements and 0; a store writes the group's elements of the tile and no other byte of memory. Maps are proved
 * again. NONE is answered exactly where dimensions, 16 bytes or both ends of a group forbid it. */
#include "ctx.h"

#include <stdbool.h>
#include <stdlib.h>

enum { CASES = 3000, TILES = 12, MEMORY = 1 << 17, SMEM = 1 << 16, RANK = 6, ROOM = 4096, TILE = 1 << 13 };

typedef zlay_ragged_map_request request;

typedef struct world {
    zlay_ctx *ctx;
    request r;
    zlay_ragged_map ragged;
    uint64_t front, bytes; /* of memory before the tensor, and in all */
    uint32_t element;
    uint8_t memory[MEMORY], want[MEMORY], smem[SMEM], seen[SMEM];
    unsigned made, none, moved, refused;
} world;

static uint64_t stride_of(const world *w, uint32_t i) { return i ? w->r.stride[i - 1] : w->element; }
static uint32_t per_16(const world *w) { return 16 / w->element; }

/* ---- tensors -------------------------------------------------------------------------------------------------------------- */

static uint64_t draw_address(uint64_t *s)
{
    if (test_range(s, 0, 2)) return 16 * (uint64_t)test_range(s, 1 << 14, 1 << 20);
    return ((uint64_t)1 << 57) - 16 * (uint64_t)test_range(s, MEMORY / 16, MEMORY);
}

static uint64_t smem_bytes(const world *w)
{
    uint64_t bytes = w->r.swizzle ? 16u << w->r.swizzle : w->element * w->r.box[0];
    for (uint32_t i = 1; i < w->r.rank; i++) bytes *= w->r.box[i];
    return bytes;
}

static void draw_sizes(uint64_t *s, world *w)
{
    request *r = &w->r;
    uint64_t at = w->element;
    for (uint32_t i = 0; i < r->rank; i++) {
        bool ragged = i == r->dim;
        uint64_t unit = !i ? per_16(w) : 1;
        r->extent[i] = (uint64_t)test_range(s, 1, ragged ? 14 : 3) * unit;
        if (!i && !test_range(s, 0, 2)) r->extent[i] = (uint64_t)test_range(s, 1, 40);
        r->box[i] = (uint32_t)((uint64_t)test_range(s, 1, ragged ? 6 : 3) * unit);
        if (i && !ragged && test_range(s, 0, 1)) r->box[i] = 1;
        at = at * r->extent[i] + 15;
        at = at / 16 * 16 + 16 * (uint64_t)(test_range(s, 0, 1) ? 0 : test_range(s, 0, 3));
        if (i + 1 < r->rank) r->stride[i] = at;
    }
    w->bytes = at;
}

static void draw_request(uint64_t *s, world *w)
{
    static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_F64};
    request *r = &w->r;
    do {
        int kind = (int)test_range(s, 0, 3);
        *r = (request){.size = sizeof *r, .rank = (uint32_t)test_range(s, 1, RANK), .type = types[kind]};
        w->element = 1u << kind;
        r->dim = (uint32_t)test_range(s, 0, r->rank - 1);
        r->copies = (uint32_t)test_range(s, 1, 3);
        r->base = (int32_t)test_range(s, 0, 2);
        r->address = draw_address(s);
        draw_sizes(s, w);
        for (r->swizzle = (int32_t)test_range(s, 0, 3); r->swizzle && (16u << r->swizzle) < w->element * r->box[0];) r->swizzle--;
    } while (w->bytes > MEMORY / 2 || smem_bytes(w) > TILE);
}

/* What five dimensions and 16 bytes forbid. */
static bool is_none(const world *w)
{
    const request *r = &w->r;
    uint32_t shared = 0, all = r->rank + (r->base == ZLAY_RAGGED_SHIFT ? 1 : 2);
    if (r->base == ZLAY_RAGGED_ANY && r->copies == ZLAY_RAGGED_STORE) all = r->rank + 1;
    for (uint32_t i = 1; i < r->rank; i++) shared += i != r->dim && r->box[i] == 1;
    if (all > 5 && all - 5 > shared) return true;
    if (!r->dim) return r->extent[0] % per_16(w) || r->box[0] % per_16(w);
    return r->copies & ZLAY_RAGGED_STORE && r->extent[0] * w->element % 16;
}

/* ---- cells ---------------------------------------------------------------------------------------------------------------- */

/* The n-th cell of the tile: its index in it, and its byte of shared memory, `skip` later. */
static uint32_t cell(const world *w, uint32_t n, uint32_t *index, uint32_t base)
{
    uint64_t pitch = w->element, at = base;
    for (uint32_t i = 0; i < w->r.rank; i++) {
        index[i] = n % w->r.box[i];
        n /= w->r.box[i];
        at += index[i] * pitch;
        pitch = i || !w->r.swizzle ? pitch * w->r.box[i] : 16u << w->r.swizzle;
    }
    return (uint32_t)(at ^ (at >> 7 & ((1u << w->r.swizzle) - 1)) << 4);
}

/* Where the tensor has the cell; false: the group has none. */
static bool inside(const world *w, const zlay_ragged_tile *t, const uint32_t *index, uint64_t *at)
{
    *at = w->front;
    for (uint32_t i = 0; i < w->r.rank; i++) {
        int64_t c = t->at[i] + index[i];
        if (c < 0 || (uint64_t)c >= (i == w->r.dim ? t->length : w->r.extent[i])) return false;
        *at += ((uint64_t)c + (i == w->r.dim ? t->offset : 0)) * stride_of(w, i);
    }
    return true;
}

static uint32_t cells(const world *w)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < w->r.rank; i++) n *= w->r.box[i];
    return n;
}

static void check_load(world *w, const zlay_ragged_tile *t)
{
    static const uint8_t zero[8];
    uint32_t index[RANK];
    uint64_t at;
    for (uint32_t n = 0; n < cells(w); n++) {
        uint32_t place = cell(w, n, index, ROOM);
        const uint8_t *want = inside(w, t, index, &at) ? w->memory + at : zero;
        if (memcmp(w->smem + place, want, w->element)) fail_msg("rank %u dim %u: cell %u of a load", w->r.rank, w->r.dim, n);
    }
}

static void expect_store(world *w, const zlay_ragged_tile *t)
{
    uint32_t index[RANK];
    uint64_t at;
    memcpy(w->want, w->memory, w->bytes);
    for (uint32_t n = 0; n < cells(w); n++) {
        uint32_t place = cell(w, n, index, ROOM);
        if (inside(w, t, index, &at)) memcpy(w->want + at, w->smem + place, w->element);
    }
}

/* ---- copies --------------------------------------------------------------------------------------------------------------- */

static uint64_t pitch_of_dim(const world *w)
{
    uint64_t pitch = w->element;
    for (uint32_t i = 0; i < w->r.dim; i++) pitch = i || !w->r.swizzle ? pitch * w->r.box[i] : 16u << w->r.swizzle;
    return pitch;
}

/* Whether no copy can be right: a load that both ends cut, a store off its place. */
static bool at_none(const world *w, const zlay_ragged_tile *t)
{
    int64_t row = t->at[w->r.dim], box = w->r.box[w->r.dim], end = row + box < (int64_t)t->length ? row + box : (int64_t)t->length;
    if (row >= 0 || end <= 0) return false;
    if (t->copy == ZLAY_RAGGED_LOAD) return end < row + box;
    return (uint64_t)-row * pitch_of_dim(w) % (w->r.swizzle ? 128u << w->r.swizzle : 128) != 0;
}

static void move(world *w, const zlay_ragged_tile *t)
{
    int32_t coordinate[5] = {0}, fault;
    uint32_t skip, bytes;
    zlay_status status = zlay_ragged_map_at(w->ctx, coordinate, &skip, &w->ragged, t);
    if (status == ZLAY_NONE) w->refused++;
    assert_int_equal(status, at_none(w, t) ? ZLAY_NONE : ZLAY_OK);
    if (status) return;
    zlay_sim_smem smem = {w->smem, SMEM, 0};
    zlay_sim_global global = {w->memory, w->bytes};
    zlay_sim_copy copy = {.map = &w->ragged.map, .coordinate = coordinate, .address = (uint32_t)(ROOM + skip * pitch_of_dim(w))};
    bool load = t->copy == ZLAY_RAGGED_LOAD;
    if (!load) expect_store(w, t);
    status = load ? zlay_sim_tensor_load(&fault, &bytes, &smem, &global, &copy) : zlay_sim_tensor_store(&fault, &bytes, &smem, &global, &copy);
    assert_int_equal(status, ZLAY_OK);
    if (fault) fail_msg("fault %d: rank %u dim %u base %d", fault, w->r.rank, w->r.dim, w->ragged.base);
    if (load) check_load(w, t);
    else assert_memory_equal(w->memory, w->want, w->bytes);
    w->moved++;
}

static void draw_tile(uint64_t *s, world *w, zlay_ragged_tile *t)
{
    uint32_t copies = w->r.copies, dim = w->r.dim, unit = dim ? 1 : per_16(w);
    uint64_t total = w->r.extent[dim] / unit, from = (uint64_t)test_range(s, 0, (int64_t)total);
    *t = (zlay_ragged_tile){.copy = copies == 3 ? (uint32_t)test_range(s, 1, 2) : copies};
    t->offset = from * unit;
    t->length = (uint64_t)test_range(s, 0, (int64_t)(total - from)) * unit;
    for (uint32_t i = 0; i < w->r.rank; i++) {
        bool shared = i && i != dim && w->ragged.place[i] == w->ragged.offset;
        int64_t step = !i ? (int64_t)per_16(w) : 1, low = t->copy == ZLAY_RAGGED_LOAD ? -2 : 0;
        t->at[i] = shared ? test_range(s, 0, (int64_t)w->r.extent[i] - 1) : test_range(s, low, (int64_t)w->r.extent[i] / step + 1) * step;
    }
    int64_t box = w->r.box[dim] / unit, length = (int64_t)t->length / unit;
    t->at[dim] = test_range(s, -box - 1, length + 1) * unit;
    if (!test_range(s, 0, 2)) t->at[dim] = test_range(s, 0, length) * unit;
}

static void case_run(uint64_t *s, world *w)
{
    zlay_answer answer = ZLAY_NO;
    zlay_ragged_tile tile;
    draw_request(s, w);
    zlay_status status = zlay_ragged_map_synth(w->ctx, &w->ragged, target_of("sm_90a"), &w->r);
    if ((status == ZLAY_NONE) != is_none(w) || (status && status != ZLAY_NONE))
        fail_msg("%s: rank %u dim %u base %d", zlay_ctx_message(w->ctx), w->r.rank, w->r.dim, w->r.base);
    w->none += status == ZLAY_NONE;
    if (status) return;
    w->made++;
    assert_int_equal(zlay_ragged_map_prove(w->ctx, &answer, &w->ragged), ZLAY_OK);
    if (answer != ZLAY_YES) fail_msg("%s", zlay_ctx_message(w->ctx));
    w->front = w->r.address - w->ragged.map.address;
    w->bytes += w->front;
    assert_true(w->bytes <= MEMORY);
    for (uint64_t i = 0; i < w->bytes; i++) w->memory[i] = (uint8_t)(test_random(s) | 1);
    for (uint32_t i = 0; i < SMEM; i++) w->smem[i] = (uint8_t)(test_random(s) | 1);
    for (int i = 0; i < TILES; i++) {
        draw_tile(s, w, &tile);
        move(w, &tile);
    }
}

static void test_groups(void **state)
{
    static world w;
    uint64_t seed = test_seed("ragged");
    w.ctx = *state;
    for (uint64_t i = 0; i < test_cases(CASES); i++) case_run(&seed, &w);
    printf("%u maps, %u none; %u tiles moved, %u refused\n", w.made, w.none, w.moved, w.refused);
    assert_true(w.made && w.none && w.moved && w.refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_groups, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
