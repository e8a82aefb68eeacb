/* SPDX-License-Identifier: Apache-2.0 */
/* Other systems' texts: each with the text of zlay for the same function, written out by hand. */
#include "base/base.h"
#include "layouts/layout.h"

static const struct {
    const char *text, *same;
} good[] = {
    /* Printed by Triton 3.6.0. */
    {"\n - register=1 -> (0, 1)\n   register=2 -> (0, 2)\n - lane=1 -> (0, 4)\n   lane=2 -> (1, 0)\n"
     " - warp is a size 1 dimension\nwhere out dims are: [dim0 (size 2), dim1 (size 8)]",
     "f2{register: (0,1) (0,2); lane: (0,4) (1,0); warp: -> dim0: 2, dim1: 8}"},
    {"\n(empty layout with out-dims [x (size 1)])", "f2{-> x: 1}"},
    {"#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [1, 0]], warp = [[2, 0], [4, 0]], block = []}>",
     "f2{register: (0,1) (8,0); lane: (0,2) (1,0); warp: (2,0) (4,0); block: -> dim0: 16, dim1: 4}"},
    {"#linear = #ttg.linear<{register = [[1]], lane = []}>", "f2{register: (1); lane: -> dim0: 2}"},
    {"memref<8x64xf32>", "(8,64):(64,1)"},
    {"memref<f32>", "1:0"},
    {"memref<4x2xvector<4xf32>, 3>", "(4,2):(2,1)"},
    {"memref<8x64xbf16, strided<[64, 1], offset: 7>>", "7 o (8,64):(64,1)"},
    {"memref<8xf32, strided<[-1], offset: 7>, #gpu.address_space<workgroup>>", "7 o 8:-1"},
    {"(_8,_4):(_1,_8)", "(8,4):(1,8)"},
};

static const struct {
    const char *text, *says;
} bad[] = {
    {" - register=2 -> (0)\nwhere out dims are: [x (size 2)]", "not that of 2^0"},
    {" - register=1 -> (0)", "where out dims are:"},
    {" - register=1 -> (2)\nwhere out dims are: [x (size 2)]", "2 is not below the size of x"},
    {"(empty layout)", "with out-dims"},
    {"#ttg.blocked<{sizePerThread = [1]}>", "#ttg.linear"},
    {"#ttg.linear<{register = []}>", "a basis"},
    {"#ttg.linear<{register = [[0, 1], [1]]}>", "bases of one length"},
    {"memref<?x64xf32>", "a size that is known"},
    {"memref<8x64xf32, strided<[64, ?]>>", "a size that is known"},
    {"memref<8x64xf32, strided<[64]>>", "','"},
    {"memref<8x64x>", "an element type"},
    {"memref<8x64xf32", "'>'"},
    {"memref<8xf32, affine_map<(d0) -> (d1)>>", "d1 is none of 1 dimensions"},
    {"memref<8xf32, affine_map<(d0, d1) -> (d1)>>", "')'"},
    {"memref<8xf32, affine_map<(d0) -> (d0 floordiv )>>", "a dimension"},
};

static zlay_layout *import(zlay_ctx *ctx, const char *text)
{
    zlay_layout *made;
    if (zlay_layout_import(ctx, &made, text, strlen(text)))
        fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    return made;
}

static void texts_are_read(void **state)
{
    for (size_t i = 0; i < ZL_COUNT(good); i++) {
        char text[1024], want[1024];
        zlay_layout *made = import(*state, good[i].text), *same = read_layout(*state, good[i].same);
        assert_string_equal(layout_text(text, made), layout_text(want, same));
        zlay_layout_free(same);
        zlay_layout_free(made);
    }
}

static void faults_are_named(void **state)
{
    for (size_t i = 0; i < ZL_COUNT(bad); i++) {
        zlay_layout *made = (void *)1;
        zlay_status status = zlay_layout_import(*state, &made, bad[i].text, strlen(bad[i].text));
        if (status != ZLAY_EINVAL || made || !strstr(zlay_ctx_message(*state), bad[i].says))
            fail_msg("%s: %d, %s", bad[i].text, (int)status, zlay_ctx_message(*state));
    }
}

/* A prefix of a good text is never read past its end; the sanitizers watch. */
static void prefixes_are_safe(void **state)
{
    for (size_t i = 0; i < ZL_COUNT(good); i++)
        for (size_t length = 0; length < strlen(good[i].text); length++) {
            char *text = malloc(length + 1);
            zlay_layout *made;
            memcpy(text, good[i].text, length);
            zlay_layout_import(*state, &made, text, length);
            zlay_layout_free(made);
            free(text);
        }
}

static void nests_no_deeper_than_the_limit(void **state)
{
    static char text[200100];
    zlay_layout *made;
    size_t length = (size_t)sprintf(text, "memref<8xf32, affine_map<(d0) -> (");
    memset(text + length, '(', 200000);
    assert_int_equal(zlay_layout_import(*state, &made, text, length + 200000), ZLAY_ELIMIT);
    assert_null(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_read), cmocka_unit_test(faults_are_named),
        cmocka_unit_test(prefixes_are_safe), cmocka_unit_test(nests_no_deeper_than_the_limit),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
