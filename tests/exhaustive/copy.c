/* SPDX-License-Identifier: Apache-2.0 */
/* A small world of tensor copies: zlay's answer is yes exactly where the CPU model, which was compared with an H200, raises no
 * fault and moves the bytes that the fields say. */
#include "legality.h"

#include <zlay/sim.h>

enum { ORIGIN = 1024, SHARED = 8192, GLOBAL = 8192 };

static uint8_t shared[SHARED], global[GLOBAL];

static const struct {
    int32_t type;
    uint32_t size;
} types[] = {{ZLAY_TYPE_U8, 1}, {ZLAY_TYPE_BF16, 2}, {ZLAY_TYPE_U32, 4},
             {ZLAY_TYPE_F32, 4}, {ZLAY_TYPE_U64, 8}, {ZLAY_TYPE_F64, 8}};

static const char *const ids[] = {"tma.load.2d", "tma.store.2d", "tma.reduce.add.2d",
                                  "tma.reduce.xor.2d"};
enum { TYPES = sizeof types / sizeof *types, IDS = sizeof ids / sizeof *ids };

static zlay_tensormap map_of(int type, int32_t swizzle, uint64_t bytes)
{
    zlay_tensormap m = legal_map();
    uint32_t row = swizzle ? 16u << swizzle : 48;
    m.type = types[type].type;
    m.swizzle = swizzle;
    m.extent[0] = bytes / types[type].size;
    m.extent[1] = 8;
    m.stride[0] = 256;
    m.box[0] = row / types[type].size;
    m.box[1] = 4;
    return m;
}

/* What the model makes of it; a reduction that it does not know is a fault of the hardware. */
static int32_t fault_of(const zlay_issue *c, const zlay_tensormap *m)
{
    int32_t fault = 0, at[2] = {c->coordinate[0], c->coordinate[1]};
    uint32_t bytes = 0, address = (uint32_t)c->smem;
    zlay_sim_smem smem = {shared, SHARED, ORIGIN};
    zlay_sim_global tensor = {global, GLOBAL};
    zlay_status status;
    switch (c->kind) {
    case ZLAY_COPY_TENSOR_LOAD:
        status = zlay_sim_tensor_load(&fault, &bytes, &smem, &tensor, &(zlay_sim_copy){.map = m, .coordinate = at, .address = address});
        break;
    case ZLAY_COPY_TENSOR_STORE:
        status = zlay_sim_tensor_store(&fault, &bytes, &smem, &tensor, &(zlay_sim_copy){.map = m, .coordinate = at, .address = address});
        break;
    default:
        status = zlay_sim_tensor_reduce(&fault, &bytes, &smem, &tensor, &(zlay_sim_copy){.map = m, .coordinate = at, .address = address}, c->op);
        if (status == ZLAY_EINVAL) return ZLAY_FAULT_COORDINATE;
    }
    assert_int_equal(status, ZLAY_OK);
    return fault;
}

/* Bytes that lie behind a row and stay as they are: a store of a ragged row changes them. */
static bool spills(const zlay_issue *c, const zlay_tensormap *m, uint32_t size)
{
    return c->kind != ZLAY_COPY_TENSOR_LOAD && m->extent[0] * size % 16 != 0;
}

static uint64_t asked, legal;

static void one(const zlay_issue *c, const zlay_tensormap *m, uint32_t size)
{
    zlay_verdict v;
    assert_int_equal(zlay_copy_check(&v, NULL, 0, target_of("sm_90a"), c, m), ZLAY_OK);
    bool fine = !fault_of(c, m) && !spills(c, m, size);
    asked++;
    legal += fine;
    if ((v.answer == ZLAY_YES) != fine)
        fail_msg("kind %d op %d type %d swizzle %d at %d, %d to %llu: answer %d", c->kind, c->op,
                 m->type, m->swizzle, c->coordinate[0], c->coordinate[1],
                 (unsigned long long)c->smem, v.answer);
}

static void every_copy(void **state)
{
    (void)state;
    uint64_t s = test_seed("exhaustive/copy");
    int64_t every = test_hours() ? 1 : test_exhaustive() ? 2 : 400;
    for (int id = 0; id < IDS; id++)
        for (int type = 0; type < TYPES; type++)
            for (int32_t swizzle = 0; swizzle <= 3; swizzle++)
                for (uint64_t bytes = 128; bytes <= 160; bytes += 8)
                    for (int32_t x = -40; x <= 40; x++)
                        for (int32_t y = -2; y <= 9; y++)
                            for (uint32_t at = 0; at <= 512; at += 16) {
                                zlay_issue c;
                                if (test_range(&s, 0, every - 1)) continue;
                                zlay_issue_find(&c, ids[id], strlen(ids[id]));
                                zlay_tensormap m = map_of(type, swizzle, bytes);
                                c.coordinate[0] = x;
                                c.coordinate[1] = y;
                                c.smem = ORIGIN + at;
                                one(&c, &m, types[type].size);
                            }
    printf("%llu copies, %llu legal\n", (unsigned long long)asked, (unsigned long long)legal);
    assert_true(legal > asked / 1000 && legal < asked / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_copy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
