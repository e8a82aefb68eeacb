/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by threads that are refused, bad calls, and memory that ends. */
#include "tiles/copy_synth.h"
#include "heap_layouts.h"

enum { G = ZLAY_MOVE_GLOBAL, S = ZLAY_MOVE_SHARED, P = ZLAY_MOVE_PEER };

/* ---- what is refused ---------------------------------------------------------------- */

typedef struct refused {
    const char *from, *to, *said;
    zlay_copy_request r;
    zlay_status status;
} refused;

#define SIDES(a, b) .source = {NULL, a, 0, 16}, .dest = {NULL, b, 0, 16}

static void test_refused(void **state)
{
    static const refused rows[] = {
        {"8:1",
         "8:0",
         "dest.layout: points 0 and 1 have one offset, 0",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EINVAL},
        {"(4,4):(1,4)",
         "(4,4):(1,3)",
         "dest.layout: points 3 and 4 have one offset, 3",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EINVAL},
        {"8:1",
         "9:1",
         "dest.layout: has 9 points, the source 8",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EINVAL},
        {"8:1",
         "-1 o 8:1",
         "dest.layout: offset -1 is below 0",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EINVAL},
        {"(65536,2):(1,65536)",
         "(65536,2):(1,65536)",
         "SMEM_BLOCK: dest.layout ends at byte 262144",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_NONE},
        {"8:1",
         "8:1",
         "source.align: 2 is no multiple of an element's 4 bytes",
         {.elem_bits = 32, .source = {NULL, G, 0, 2}, .dest = {NULL, S, 0, 16}},
         ZLAY_EINVAL},
        {"8:1", "8:1", "elem_bits: 24", {.elem_bits = 24, SIDES(G, S)}, ZLAY_EINVAL},
        {"8:1", "8:1", "elem_bits: 0", {SIDES(G, S)}, ZLAY_EINVAL},
        {"8:1", "8:1", "dest.space: 9", {.elem_bits = 16, SIDES(G, 9)}, ZLAY_EINVAL},
        {"8:1",
         "8:1",
         "threads: 1025",
         {.elem_bits = 16, .threads = 1025, SIDES(G, S)},
         ZLAY_EINVAL},
        {"8:1", "8:1", "path: 1", {.elem_bits = 16, .path = 1, SIDES(G, S)}, ZLAY_EINVAL},
        {"8:1", "8:1", "path: 7", {.elem_bits = 16, .path = 7, SIDES(G, S)}, ZLAY_EINVAL},
        {"8:1",
         "8:1",
         "registers: 4 with no side",
         {.elem_bits = 16, .registers = 4, SIDES(G, S)},
         ZLAY_EINVAL},
        {"8:1",
         "8:1",
         "registers: 0 with a side",
         {.elem_bits = 16, SIDES(S, ZLAY_MOVE_REGISTER)},
         ZLAY_EINVAL},
        {"8:1",
         "8:2",
         "the fragments are not dense",
         {.elem_bits = 16, .registers = 4, SIDES(S, ZLAY_MOVE_REGISTER)},
         ZLAY_ENOTSUP},
        {"8:2",
         "8:1",
         "no access of this path",
         {.elem_bits = 16, .path = ZLAY_PATH_BULK, SIDES(G, S)},
         ZLAY_NONE},
        {"3:1", "3:1", "no access moves 4-bit", {.elem_bits = 4, SIDES(G, S)}, ZLAY_NONE},
        {"8:1", "8:1", "reserved", {.elem_bits = 16, SIDES(G, S), .reserved = {0, 1}}, ZLAY_EINVAL},
        {"8:4611686018427387904",
         "8:1",
         "source.layout",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EOVERFLOW},
        {"8:1",
         "8:1",
         "signal: 1, where a peer's barrier alone counts bytes",
         {.elem_bits = 16, .signal = 1, SIDES(G, S)},
         ZLAY_EINVAL},
        {"8:1",
         "8:1",
         "signal: 2",
         {.elem_bits = 16, .signal = 2, SIDES(S, ZLAY_MOVE_PEER)},
         ZLAY_EINVAL},
        {"7:1",
         "7:1",
         "no access moves 16-bit elements",
         {.elem_bits = 16, .signal = 1, SIDES(S, ZLAY_MOVE_PEER)},
         ZLAY_NONE},
        {"(256,32):(1,256)",
         "(256,32):(1,256)",
         "BLOCK_REGISTERS: a thread has at most 255 registers, the fragments take 256",
         {.elem_bits = 32, .registers = 256, SIDES(S, ZLAY_MOVE_REGISTER)},
         ZLAY_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_copy_request r = rows[i].r;
        zlay_move *move = (zlay_move *)&r;
        zlay_layout *from = NULL, *to = read_layout(*state, rows[i].to);
        r.size = sizeof r;
        if (zlay_layout_parse(*state, &from, rows[i].from, strlen(rows[i].from))) {
            zlay_layout_free(to);
            continue;
        }
        r.source.layout = from;
        r.dest.layout = to;
        zlay_status status = zlay_copy_synth(*state, &move, target_of("sm_90a"), &r);
        if (status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].said))
            fail_msg("%s -> %s: %s, %s", rows[i].from, rows[i].to, zlay_status_name(status),
                     zlay_ctx_message(*state));
        assert_null(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
}

static void test_bad_calls(void **state)
{
    zlay_move *move = NULL;
    zlay_move_summary info;
    zlay_layout *layout = read_layout(*state, "64:1");
    zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, SIDES(G, S)};
    const zlay_target *target = target_of("sm_90a");
    assert_int_equal(zlay_copy_synth(*state, &move, target, &r), ZLAY_EINVAL);
    r.source.layout = r.dest.layout = layout;
    assert_int_equal(zlay_copy_synth(*state, NULL, target, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_synth(*state, &move, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_synth(*state, &move, target, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_synth(NULL, &move, target, &r), ZLAY_EINVAL);
    r.size++;
    assert_int_equal(zlay_copy_synth(*state, &move, target, &r), ZLAY_EINVAL);
    r.size = (uint32_t)offsetof(zlay_copy_request, source);
    assert_int_equal(zlay_copy_synth(*state, &move, target, &r), ZLAY_EINVAL); /* no sides */
    assert_null(move);
    assert_int_equal(zlay_move_info(&info, NULL), ZLAY_EINVAL);
    zlay_move_free(NULL);
    zlay_layout_free(layout);
}

/* ---- memory ------------------------------------------------------------------------- */

static const struct {
    const char *from, *to;
    zlay_copy_request r;
} starved[] = {
    {"(60,9):(1,129)", "(60,9):(1,128)", {.elem_bits = 16, SIDES(G, S)}},
    {"(64,9):(1,ld)", "(64,9):(1,64)", {.elem_bits = 16, SIDES(G, S)}},
    {"{ [j,i] -> [9i + j] : 0 <= i < 5 and 0 <= j < 8 and i + j < 10 }",
     "(8,5):(1,8)",
     {.elem_bits = 32, SIDES(G, S)}},
    {"((8,2),(2,4,2)):((64,512),(1,2,8))",
     "((8,2),(2,4,2)):((32,2),(1,8,4))",
     {.elem_bits = 16, .registers = 8, SIDES(S, ZLAY_MOVE_REGISTER)}},
};

static zlay_status moved(zlay_ctx *ctx, void *given)
{
    const operands *of = given;
    zlay_copy_request r = starved[of->row].r;
    zlay_move *move = NULL;
    r.size = sizeof r;
    r.source.layout = of->a;
    r.dest.layout = of->b;
    zlay_status status = zlay_copy_synth(ctx, &move, target_of("sm_90a"), &r);
    assert_true(!status == !!move);
    zlay_move_free(move);
    return status;
}

static void test_each_allocation_fails_once(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof starved / sizeof starved[0]; i++) {
        heap h;
        assert_int_equal(layouts_fail_each(&h, NULL, moved, i, starved[i].from, starved[i].to), ZLAY_OK);
        assert_true(h.calls >= 5);
    }
}


int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_each_allocation_fails_once),
    };
    return cmocka_run_group_tests_name("copy-refused", tests, begin, end);
}
