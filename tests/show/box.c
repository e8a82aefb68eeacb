/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of boxes in shared memory: each element's place by the formula of the PTX ISA, and of im2col mode
 * by what the model's copy writes. */
#include "ctx.h"
#include "heap.h"

#include <inttypes.h>
#include <stdbool.h>

enum { RANK = 3, SMEM = 1 << 16, CHUNK = 16, LINE = 128 };

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const zlay_tensormap *map, const int32_t *at,
                        uint32_t smem)
{
    const zlay_show_box_request r = {.size = sizeof r, .smem = smem, .map = map, .coordinate = at};
    return zlay_show_box(ctx, out, &r);
}

/* ---- what a picture says of each byte --------------------------------------------------------- */

typedef struct said {
    char label[40];
    uint32_t from;  /* first byte of its box */
    bool marked, there;
} said;

/* The bytes of `size` from the address `first` on; a byte has one box at most. */
static void read_picture(said *out, const zlay_picture *picture, uint32_t size)
{
    zlay_panel panel;
    zlay_box box;
    memset(out, 0, size * sizeof *out);
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 0), ZLAY_OK);
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, picture, 0, i); i++) {
        uint32_t unit = LINE / panel.columns, from = box.row * LINE + box.column * unit;
        for (uint32_t b = from; b < from + box.width * unit; b++) {
            assert_true(b < size && !out[b].there);
            snprintf(out[b].label, sizeof out[b].label, "%s", box.label);
            out[b].from = from;
            out[b].marked = box.marked;
            out[b].there = true;
        }
    }
}

/* PTX ISA, Swizzling Modes: 16 bytes go to where the number of the line of 128 bytes is XORed in. */
static uint32_t swizzled(uint32_t address, int32_t swizzle)
{
    static const uint32_t mask[] = {0, 1, 3, 7};
    return address ^ (address / LINE & mask[swizzle]) * CHUNK;
}

/* Every element of the box, by brute force. */
static void places_are_right(const said *bytes, const zlay_tensormap *m, const int32_t *at, uint32_t smem)
{
    uint32_t es = zlay_tensormap_type_bits(m->type) / 8, row = 0, count[RANK] = {m->box[0], 1, 1}, seen = 0, there = 0;
    uint32_t pitch = m->swizzle ? (uint32_t)CHUNK << m->swizzle : m->box[0] * es;
    for (uint32_t i = 1; i < m->rank; i++) count[i] = (m->box[i] + m->step[i] - 1) / m->step[i];
    for (uint32_t z = 0; z < count[2]; z++)
        for (uint32_t y = 0; y < count[1]; y++, row++)
            for (uint32_t x = 0; x < count[0]; x++) {
                int64_t c[RANK] = {at[0] + (int64_t)x, 0, 0}, got[RANK] = {0};
                bool inside = true;
                if (m->rank > 1) c[1] = at[1] + (int64_t)y * m->step[1];
                if (m->rank > 2) c[2] = at[2] + (int64_t)z * m->step[2];
                for (uint32_t i = 0; i < m->rank; i++) inside &= c[i] >= 0 && (uint64_t)c[i] < m->extent[i];
                uint32_t byte = swizzled(smem + row * pitch + x * es, m->swizzle) - smem;
                for (uint32_t b = byte; b < byte + es; b++, seen++) assert_true(bytes[b].there);
                assert_int_equal(bytes[byte].marked, !inside);
                if (!inside) {
                    assert_string_equal(bytes[byte].label, m->oob ? "nan" : "0");
                    continue;
                }
                int fields = sscanf(bytes[byte].label, "%" SCNd64 ",%" SCNd64 ",%" SCNd64, &got[0], &got[1], &got[2]);
                assert_int_equal(fields, m->rank);
                got[0] += (byte - bytes[byte].from) / es;
                for (uint32_t i = 0; i < m->rank; i++) assert_int_equal(got[i], c[i]);
            }
    for (uint32_t b = 0; b < SMEM; b++) there += bytes[b].there;
    assert_int_equal(there, seen);
}

static bool draw(zlay_tensormap *m, int32_t *at, uint64_t *seed, const zlay_target *target)
{
    static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_F64};
    zlay_verdict verdict;
    *m = (zlay_tensormap){.rank = (uint32_t)test_range(seed, 1, RANK), .type = types[test_range(seed, 0, 3)]};
    uint32_t es = zlay_tensormap_type_bits(m->type) / 8;
    uint64_t stride = 0;
    m->swizzle = (int32_t)test_range(seed, 0, 3);
    m->oob = m->type != ZLAY_TYPE_U8 && test_range(seed, 0, 1);
    for (uint32_t i = 0; i < m->rank; i++) {
        m->extent[i] = (uint64_t)test_range(seed, 1, 40);
        m->box[i] = (uint32_t)test_range(seed, 1, i ? 6 : 8) * (i ? 1 : CHUNK / es);
        m->step[i] = i ? (uint32_t)test_range(seed, 1, 2) : 1;
        at[i] = (int32_t)test_range(seed, -3, 5) * (i ? 1 : (int32_t)(CHUNK / es));
        stride = i ? stride * m->extent[i] : (m->extent[0] * es + CHUNK - 1) / CHUNK * CHUNK;
        if (i + 1 < m->rank) m->stride[i] = stride;
    }
    assert_int_equal(zlay_tensormap_check(&verdict, NULL, 0, target, m), ZLAY_OK);
    return verdict.answer == ZLAY_YES;
}

static void every_element_has_its_place(void **state)
{
    static said bytes[SMEM];
    uint64_t seed = test_seed("show.box"), shown = 0;
    const zlay_target *target;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    for (uint64_t n = 0; n < test_cases(200); n++) {
        zlay_tensormap m;
        int32_t at[RANK] = {0};
        zlay_picture *picture = NULL;
        uint32_t smem = 1024 * (uint32_t)test_range(&seed, 0, 3) + LINE * (uint32_t)test_range(&seed, 0, 7);
        if (!draw(&m, at, &seed, target)) continue;
        assert_int_equal(show(*state, &picture, &m, at, smem), ZLAY_OK);
        read_picture(bytes, picture, SMEM);
        places_are_right(bytes, &m, at, smem);
        zlay_picture_free(picture);
        shown++;
    }
    assert_true(shown > 50);
}

/* ---- im2col ------------------------------------------------------------------------------------- */

/* Elements that are their own numbers, copied by the model: the label of a place is what stands there. */
static void columns_are_as_the_model_copies(void **state)
{
    enum { C = 8, W = 5, H = 4, N = 2 };
    static uint32_t tensor[N][H][W][C];
    static uint32_t copied[SMEM / 4];
    static said bytes[SMEM];
    const zlay_tensormap m = {.rank = 4, .mode = 1, .type = ZLAY_TYPE_F32, .extent = {C, W, H, N}, .channels = C, .pixels = 32,
                              .stride = {4 * C, 4 * C * W, 4 * C * W * H}, .step = {1, 1, 1, 1}, .lower = {-1, -1}, .upper = {-1, -1}, .swizzle = 1};
    const int32_t at[] = {0, -1, -1, 0};
    const uint16_t offset[] = {1, 2};
    zlay_sim_smem smem = {(uint8_t *)copied, sizeof copied, 0};
    const zlay_sim_global global = {(uint8_t *)tensor, sizeof tensor};
    const zlay_sim_copy copy = {&m, at, offset, 0, 0};
    const zlay_show_box_request r = {.size = sizeof r, .map = &m, .coordinate = at, .offset = offset};
    zlay_picture *picture = NULL;
    int32_t fault;
    uint32_t count, inside = 0;
    for (uint32_t i = 0; i < N * H * W * C; i++) ((uint32_t *)tensor)[i] = i + 1;
    assert_int_equal(zlay_sim_tensor_load(&fault, &count, &smem, &global, &copy), ZLAY_OK);
    assert_int_equal(fault, 0);
    assert_int_equal(zlay_show_box(*state, &picture, &r), ZLAY_OK);
    read_picture(bytes, picture, SMEM);
    for (uint32_t b = 0; b < count; b += 4) {
        unsigned c, w, h, n;
        assert_true(bytes[b].there);
        if (bytes[b].marked) {
            assert_int_equal(copied[b / 4], 0);
            continue;
        }
        assert_int_equal(sscanf(bytes[b].label, "%u,%u,%u,%u", &c, &w, &h, &n), 4);
        assert_int_equal(copied[b / 4], tensor[n][h][w][c + (b - bytes[b].from) / 4]);
        inside++;
    }
    assert_true(inside > 100 && inside < count / 4);
    zlay_picture_free(picture);
}

/* ---- misuse --------------------------------------------------------------------------------------- */

static const zlay_tensormap plain = {.rank = 2, .type = ZLAY_TYPE_BF16, .extent = {100, 70}, .stride = {208}, .box = {64, 8},
                                     .step = {1, 1}, .swizzle = ZLAY_SWIZZLE_128B};

static void misuse(void **state)
{
    const int32_t at[] = {0, 0}, off[] = {4, 0};
    zlay_picture *picture = NULL;
    zlay_tensormap wide = plain;
    zlay_show_box_request r = {.size = sizeof r, .map = &plain, .coordinate = at, .reserved = {1}};
    assert_int_equal(zlay_show_box(*state, &picture, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_show_box(NULL, &picture, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_show_box(*state, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_show_box(*state, &picture, NULL), ZLAY_EINVAL);
    assert_int_equal(show(*state, &picture, NULL, at, 0), ZLAY_EINVAL);
    assert_int_equal(show(*state, &picture, &plain, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(show(*state, &picture, &plain, at, 64), ZLAY_EINVAL);
    assert_non_null(strstr(zlay_ctx_message(*state), "716"));
    assert_int_equal(show(*state, &picture, &plain, off, 0), ZLAY_EINVAL);
    assert_non_null(strstr(zlay_ctx_message(*state), "715"));
    assert_int_equal(show(*state, &picture, &plain, at, UINT32_MAX - LINE + 1), ZLAY_EINVAL);
    wide.box[0] = 128;
    assert_int_equal(show(*state, &picture, &wide, at, 0), ZLAY_EINVAL);
    assert_null(picture);
}

static zlay_status one(zlay_ctx *ctx, void *given)
{
    const int32_t at[] = {64, 66};
    zlay_picture *picture = NULL;
    zlay_status status = show(ctx, &picture, given, at, 0);
    zlay_picture_free(picture);
    return status;
}

static void limits_and_memory(void **state)
{
    zlay_tensormap map = plain;
    heap h;
    zlay_limits limits = {.size = sizeof limits, .points = 7};
    zlay_ctx *few = NULL, *ctx = heap_open(&h, NULL);
    (void)state;
    assert_int_equal(zlay_ctx_new(&few, NULL, &limits), ZLAY_OK);
    assert_int_equal(one(few, &map), ZLAY_ELIMIT);
    zlay_ctx_free(few);
    assert_int_equal(heap_fails_each(&h, ctx, one, &map), ZLAY_OK);
    assert_true(h.calls > 3);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_has_its_place),
        cmocka_unit_test(columns_are_as_the_model_copies),
        cmocka_unit_test(misuse),
        cmocka_unit_test(limits_and_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
