/* SPDX-License-Identifier: Apache-2.0 */
/* Who else reaches an answer: tensor copies in the CPU model write it, matrix descriptors read it. */
#include "plans/swizzle_request.h"

#include <zlay/sim.h>
#include <zlay/smemdesc_synth.h>

/* ---- tensor copies ---------------------------------------------------------------------- */

enum { ORIGIN = 1024, ROWS_MOST = 256, SMEM = 1 << 17 };

static int32_t type_of(uint32_t bits) { return bits == 8 ? ZLAY_TYPE_U8 : bits == 16 ? ZLAY_TYPE_U16 : bits == 32 ? ZLAY_TYPE_U32 : ZLAY_TYPE_U64; }

/* A tensor whose contiguous mode is the answer's; element i of the tile holds the number i. */
static void copies_write(const asked *a, const zlay_swizzle *s, const zlay_swizzle_summary *info)
{
    static uint8_t tensor[SMEM], smem[SMEM];
    unsigned mode = (unsigned)info->tensor_mode, other = 1 - mode;
    uint64_t bytes = a->request.elem_bits / 8, row = a->shape[mode], rows = a->shape[other];
    uint64_t span = info->tensor ? (16u << info->tensor) / bytes : row;
    zlay_tensormap map = {.address = 4096, .rank = 2, .type = type_of(a->request.elem_bits), .swizzle = info->tensor};
    zlay_sim_smem shared = {smem, SMEM, ORIGIN};
    zlay_sim_global global = {tensor, row * rows * bytes};
    map.extent[0] = row, map.extent[1] = rows, map.stride[0] = row * bytes;
    map.box[0] = (uint32_t)span, map.box[1] = (uint32_t)(rows < ROWS_MOST ? rows : ROWS_MOST);
    map.step[0] = map.step[1] = 1;
    for (uint64_t i = 0; i < row * rows; i++) {
        uint64_t at[2] = {i % a->shape[0], i / a->shape[0]};
        memcpy(tensor + (at[other] * row + at[mode]) * bytes, &i, bytes);
    }
    memset(smem, 0xff, sizeof smem);
    for (uint64_t panel = 0; panel < row / span; panel++)
        for (uint64_t r = 0; r < rows; r += map.box[1]) {
            const int32_t coordinate[2] = {(int32_t)(panel * span), (int32_t)r};
            uint32_t moved, address = (uint32_t)(ORIGIN + (panel * rows + r) * span * bytes);
            int32_t fault = -1;
            assert_int_equal(zlay_sim_tensor_load(&fault, &moved, &shared, &global, &(zlay_sim_copy){.map = &map, .coordinate = coordinate, .address = address}), ZLAY_OK);
            assert_int_equal(fault, 0);
        }
    for (uint64_t i = 0; i < row * rows; i++)
        assert_memory_equal(smem + (uint64_t)value_of(zlay_swizzle_layout(s), i) * bytes, &i, bytes);
}

/* ---- matrix descriptors -------------------------------------------------------------------- */

/* The answer without its swizzle is canonical for wgmma, K the contiguous mode and, of 16 bits, MN as well. */
static void descriptors_read(const asked *a, const zlay_swizzle *s, const zlay_swizzle_summary *info)
{
    char text[512], *from, flipped[512];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_smemdesc fields;
    uint32_t start[256];
    size_t count;
    zlay_smemdesc_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .major = info->tensor_mode ? ZLAY_MAJOR_K : ZLAY_MAJOR_MN, .swizzle = info->matrix, .mma_mn = 8, .mma_k = 16, .address = ORIGIN};
    zlay_layout *plain = NULL;
    assert_int_equal(zlay_layout_print(&buf, zlay_swizzle_layout(s)), ZLAY_OK);
    from = strstr(text, " o 0 o ");
    assert_non_null(from);
    snprintf(flipped, sizeof flipped, "%s", from + 7);
    assert_int_equal(zlay_layout_parse(a->ctx, &plain, flipped, strlen(flipped)), ZLAY_OK);
    r.layout = plain;
    if (zlay_smemdesc_synth(a->ctx, &fields, start, 256, &count, a->target, &r)) fail_msg("%s: %s", text, zlay_ctx_message(a->ctx));
    zlay_layout_free(plain);
}

/* Rows of 16 bytes along either mode, read by ldmatrix and written by 16-byte stores. */
static void forms_are_reached(void **state)
{
    uint64_t seed = test_seed("synth/swizzle/reach"), reached[4] = {0}, matrices = 0;
    zlay_ctx *ctx = *state;
    for (uint64_t n = 0; n < test_iterations(60); n++) {
        static const uint64_t extents[] = {16, 32, 64, 96, 128, 160};
        uint64_t shape[2] = {extents[test_range(&seed, 0, 5)], extents[test_range(&seed, 0, 5)]};
        asked a = asked_begin(ctx, "sm_90a", 16, 2, shape);
        unsigned mode = (unsigned)test_range(&seed, 0, 1);
        long long along = mode ? (long long)shape[0] : 1, across = mode ? 1 : (long long)shape[0];
        char text[128];
        snprintf(text, sizeof text, "((8,2,2),8):((%lld,%lld,0),%lld)", across, 8 * along, along);
        asked_put(&a, "ldmatrix.x4", text);
        unsigned chunks = 2u << test_range(&seed, 0, 2);
        if (shape[mode] >= 8 * chunks && shape[1 - mode] >= 32 / chunks) {
            snprintf(text, sizeof text, "((%u,%u),8):((%lld,%lld),%lld)", chunks, 32 / chunks, 8 * along, across, along);
            asked_put(&a, "st.shared.v4.b32", text);
        }
        zlay_swizzle *s = synth(&a);
        if (!s) fail_msg("%s", zlay_ctx_message(ctx));
        zlay_swizzle_summary info = checked(&a, s);
        assert_true(info.optimal);
        if (info.tensor >= 0) {
            copies_write(&a, s, &info);
            reached[info.tensor]++;
        }
        if (info.matrix >= 0) {
            assert_int_equal(info.matrix, info.tensor);
            descriptors_read(&a, s, &info);
            matrices++;
        }
        zlay_swizzle_free(s);
        asked_end(&a);
    }
    printf("none %llu, 32B %llu, 64B %llu, 128B %llu; %llu read by wgmma\n", (unsigned long long)reached[0], (unsigned long long)reached[1], (unsigned long long)reached[2], (unsigned long long)reached[3], (unsigned long long)matrices);
    assert_true(reached[1] && reached[2] && reached[3] && matrices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_are_reached)};
    return cmocka_run_group_tests(tests, begin, end);
}
