/* SPDX-License-Identifier: Apache-2.0 */
/* Refuter of ragged.map.
 *
 * Small ragged tensors of one to six dimensions, any ragged dimension, any element, also where addresses end: every cell of tiles of groups,
 * empty, first and last ones too, that begin before, in and after their group, is loaded and stored by the CPU model through the one map.
 * A load has the group's elements and 0; a store writes the group's elements of the tile and no other byte of memory. Maps are proved
 * again. NONE is answered exactly where dimensions, 16 bytes or both ends of a group forbid it. */
#include "ctx.h"
#include "plans/ragged_world.h"

enum { CASES = 3000, TILES = 12 };

static void move(ragged_world *w, const zlay_ragged_tile *t)
{
    int32_t coordinate[5] = {0}, fault;
    uint32_t skip, bytes;
    zlay_status status = zlay_ragged_map_at(w->ctx, coordinate, &skip, &w->ragged, t);
    if (status == ZLAY_NONE) w->refused++;
    assert_int_equal(status, ragged_at_none(w, t) ? ZLAY_NONE : ZLAY_OK);
    if (status) return;
    zlay_sim_smem smem = {w->smem, RAGGED_SMEM, 0};
    zlay_sim_global global = {w->memory, w->bytes};
    zlay_sim_copy copy = {.map = &w->ragged.map, .coordinate = coordinate, .address = (uint32_t)(RAGGED_ROOM + skip * ragged_pitch(w))};
    bool load = t->copy == ZLAY_RAGGED_LOAD;
    if (!load) ragged_expect_store(w, t);
    status = load ? zlay_sim_tensor_load(&fault, &bytes, &smem, &global, &copy) : zlay_sim_tensor_store(&fault, &bytes, &smem, &global, &copy);
    assert_int_equal(status, ZLAY_OK);
    if (fault) fail_msg("fault %d: rank %u dim %u base %d", fault, w->r.rank, w->r.dim, w->ragged.base);
    if (load) assert_true(ragged_check_load(w, t));
    else assert_memory_equal(w->memory, w->want, w->bytes);
    w->moved++;
}

static void case_run(uint64_t *s, ragged_world *w)
{
    zlay_answer answer = ZLAY_NO;
    zlay_ragged_tile tile;
    ragged_draw(s, w);
    zlay_status status = zlay_ragged_map_synth(w->ctx, &w->ragged, target_of("sm_90a"), &w->r);
    if ((status == ZLAY_NONE) != ragged_none(w) || (status && status != ZLAY_NONE))
        fail_msg("%s: rank %u dim %u base %d", zlay_ctx_message(w->ctx), w->r.rank, w->r.dim, w->r.base);
    w->none += status == ZLAY_NONE;
    if (status) return;
    w->made++;
    assert_int_equal(zlay_ragged_map_prove(w->ctx, &answer, &w->ragged), ZLAY_OK);
    if (answer != ZLAY_YES) fail_msg("%s", zlay_ctx_message(w->ctx));
    w->front = w->r.address - w->ragged.map.address;
    w->bytes += w->front;
    assert_true(w->bytes <= RAGGED_MEMORY);
    for (uint64_t i = 0; i < w->bytes; i++) w->memory[i] = (uint8_t)(test_random(s) | 1);
    for (uint32_t i = 0; i < RAGGED_SMEM; i++) w->smem[i] = (uint8_t)(test_random(s) | 1);
    for (int i = 0; i < TILES; i++) {
        ragged_tile_draw(s, w, &tile);
        move(w, &tile);
    }
}

static void test_groups(void **state)
{
    static uint8_t memory[2][RAGGED_MEMORY];
    static ragged_world w;
    uint64_t seed = test_seed("ragged");
    w = (ragged_world){.ctx = *state, .memory = memory[0], .want = memory[1]};
    for (uint64_t i = 0; i < test_cases(CASES); i++) case_run(&seed, &w);
    printf("%u maps, %u none; %u tiles moved, %u refused\n", w.made, w.none, w.moved, w.refused);
    assert_true(w.made && w.none && w.moved && w.refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_groups, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
