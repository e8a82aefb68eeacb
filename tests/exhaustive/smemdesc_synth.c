/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of small tiles, decided again by every value that the fields can take. */
#include "tiles/smemdesc.h"

/* The least index at which a tile of 16 x 16 leaves what start, group and next read, or 256. */
static int first_miss(const int64_t *offset, bool k_major, int64_t chunks, int64_t start,
                      int64_t group, int64_t next)
{
    for (int i = 0; i < 256; i++) {
        int mn = i % 16, k = i / 16, contiguous = k_major ? k : mn, across = k_major ? mn : k;
        int64_t along = contiguous / 8, row = 16 * chunks;
        int64_t read = start + across % 8 * row + across / 8 * group + along % chunks * 16 +
                       along / chunks * next + contiguous % 8 * 2;
        if (read != 2 * offset[i]) return i;
    }
    return 256;
}

/* The furthest first miss over all fields below 640 bytes: where the proof has to point. */
static int furthest(const int64_t *offset, bool k_major, int64_t chunks)
{
    int best = -1;
    for (int64_t start = 0; start < 64; start += 16)
        for (int64_t group = 0; group < 640; group += 16)
            for (int64_t next = 0; next < 640; next += 16) {
                int miss = first_miss(offset, k_major, chunks, start, group, next);
                if (miss > best) best = miss;
            }
    return best;
}

/* Random layouts of 16 x 16, some canonical, decided by trying every value of every field. */
static void test_every_field_tried(void **state)
{
    static const int steps[] = {1, 2, 4, 8, 16, 24, 32, 40, 64, 128, 160};
    uint64_t seed = test_seed("every field tried");
    zlay_ctx *ctx = *state;
    uint64_t found = 0, refusals = 0;
    for (uint64_t i = 0; i < test_iterations(400); i++) {
        char text[128];
        int64_t offset[256];
        int32_t major = (int32_t)(i % 2), swizzle = (int32_t)(i / 2 % 4);
        int row = 8 << swizzle, s[4] = {1, 8, row, 64};
        for (int j = 0; j < 4; j++)
            if (test_range(&seed, 0, 5) == 0 || j == 3) s[j] = steps[test_range(&seed, 0, 10)];
        int flat = (int)test_range(&seed, 0, 2) ? 0 : 8;
        if (major == ZLAY_MAJOR_K)
            snprintf(text, sizeof text, "%d o ((8,2),(8,2)):((%d,%d),(%d,%d))", flat, s[2], s[3],
                     s[0], s[1]);
        else
            snprintf(text, sizeof text, "%d o ((8,2),(8,2)):((%d,%d),(%d,%d))", flat, s[0], s[1],
                     s[2], s[3]);
        zlay_layout *layout = read_layout(ctx, text);
        for (uint64_t x = 0; x < 256; x++)
            assert_int_equal(zlay_layout_eval(&offset[x], 1, layout, x), ZLAY_OK);
        zlay_layout_free(layout);
        int miss = furthest(offset, major == ZLAY_MAJOR_K, 1 << swizzle);
        answer a = ask(ctx, request_of(major, swizzle, 16, 0), text);
        assert_int_equal(a.status, miss == 256 ? ZLAY_OK : ZLAY_NONE);
        found += miss == 256;
        refusals += miss != 256;
        int mn = -1, k = -1;
        const char *at = strstr(zlay_ctx_message(ctx), "coordinate (");
        if (miss == 256) continue;
        assert_non_null(at);
        assert_int_equal(sscanf(at, "coordinate (%d, %d)", &mn, &k), 2);
        if (mn + 16 * k != miss)
            fail_msg("%s: first miss %d, said %s", text, miss, zlay_ctx_message(ctx));
    }
    assert_true(found > 20 && refusals > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_field_tried)};
    return cmocka_run_group_tests(tests, begin, end);
}
