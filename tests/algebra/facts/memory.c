/* SPDX-License-Identifier: Apache-2.0 */
/* The k-th allocation fails, for every k: facts, expressions, radices, vector widths, requests. */
#include "heap.h"
#include "layouts/layout.h"

#include <zlay/facts.h>
#include <zlay/json.h>
#include <zlay/radix.h>

typedef zlay_status work(zlay_ctx *ctx, const char *text);

static zlay_status facts(zlay_ctx *ctx, const char *text)
{
    const char *texts[2] = {text, "x mod 8 = 4"};
    size_t length[2] = {strlen(text), 11};
    zlay_facts *out = (zlay_facts *)texts;
    zlay_status status = zlay_facts_parse(ctx, &out, 2, texts, length);
    if (status) assert_null(out);
    zlay_facts_free(out);
    return status;
}

static zlay_status expression(zlay_ctx *ctx, const char *text)
{
    zlay_range range = {7, 7, 7, 7};
    zlay_status status = zlay_facts_eval(ctx, &range, NULL, text, strlen(text));
    if (status) assert_true(range.lo == 7 && range.mod == 7);
    return status;
}

static zlay_status radix(zlay_ctx *ctx, const char *text)
{
    uint64_t shape[] = {3, 5, strtoull(text, NULL, 10)};
    zlay_radix *out = (zlay_radix *)shape;
    zlay_status status = zlay_radix_new(ctx, &out, 3, shape, -5, 1000);
    if (status) assert_null(out);
    zlay_radix_free(out);
    return status;
}

static zlay_status vector(zlay_ctx *ctx, const char *text)
{
    const uint32_t path[] = {0};
    zlay_vector_request request = {sizeof request, 1, 16, 0, path, 1};
    uint64_t bytes = 7;
    zlay_layout *a = NULL;
    zlay_status status = zlay_layout_parse(ctx, &a, text, strlen(text));
    if (!status) status = zlay_layout_vector_width(ctx, &bytes, a, &request, NULL);
    if (status) assert_int_equal(bytes, 7);
    zlay_layout_free(a);
    return status;
}

/* A line's answer is a failure only where memory ends; what is asked for is in the line. */
static zlay_status request(zlay_ctx *ctx, const char *text)
{
    static char answer[1 << 16];
    zlay_buf out = {answer, sizeof answer, 0};
    zlay_status status = zlay_json_call(ctx, &out, text, strlen(text));
    if (!status && strstr(answer, "ENOMEM")) return ZLAY_ENOMEM;
    return status ? status : strstr(answer, "\"ok\"") ? ZLAY_OK : ZLAY_EINVAL;
}

#define MANY "(2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2)"

#define TENSOR(stride)                                                                             \
    "{\"op\":\"tensormap.check\",\"target\":\"sm_90\",\"map\":{\"mode\":0,\"type\":9,\"rank\":2,"         \
    "\"address\":4096,\"extent\":[64,\"M\"],\"stride\":[\"" stride "\"],\"box\":[64,\"M\"],"            \
    "\"step\":[1,1],\"interleave\":0,\"swizzle\":3,\"l2\":0,\"oob\":0},\"facts\":[\"1 <= M <= 99\"]}"

static const struct { work *work; const char *text; zlay_status status; } rows[] = {
    {facts, "1 <= x <= 100", ZLAY_OK},
    {facts, "a=1 and b=2 and c=3 and d=4 and e=5 and f=6 and g=7 and h=8 and i=9", ZLAY_OK},
    {facts, "x = 3", ZLAY_EINVAL},
    {facts, "x = y", ZLAY_OK},
    {facts, "x ? 3", ZLAY_EINVAL},
    {expression, "min(x, y, 3) * (z - 4)", ZLAY_OK},
    {expression, "x / 0", ZLAY_EINVAL},
    {radix, "7", ZLAY_OK},
    {radix, "0", ZLAY_EINVAL},
    {vector, MANY, ZLAY_OK},
    {vector, "f2{a: (1) (2); b: (4) -> x: 8}", ZLAY_OK},
    {request, "{\"op\":\"facts.of\",\"expression\":\"2*ld\",\"facts\":[\"ld mod 8 = 4\",\"ld > 9\"]}", ZLAY_OK},
    {request, "{\"op\":\"facts.of\",\"expression\":\"2*ld\",\"facts\":[\"ld mod 8 = 9\"]}", ZLAY_EINVAL},
    {request, "{\"op\":\"facts.of\",\"expression\":\"2*ld\",\"facts\":[3]}", ZLAY_EINVAL},
    {request, "{\"op\":\"radix.divmod\",\"shape\":[3,[5,7]],\"range\":[\"-5\",99],\"name\":\"f\"}", ZLAY_OK},
    {request, "{\"op\":\"radix.divmod\",\"shape\":[3,[5,7]],\"range\":[5,4]}", ZLAY_EINVAL},
    {request, TENSOR("2*K"), ZLAY_OK},
    {request, TENSOR("128"), ZLAY_OK},
    {request, TENSOR("K*M"), ZLAY_EINVAL},
    {request, "{\"op\":\"layout.vector_width\",\"layout\":\"(8,4)\",\"mode\":[0],\"elem_bytes\":2,"
              "\"base_align\":16,\"target\":\"gfx942\",\"space\":\"shared\"}", ZLAY_OK},
};

static zlay_status work_of(zlay_ctx *ctx, void *row)
{
    return rows[*(size_t *)row].work(ctx, rows[*(size_t *)row].text);
}

static void check(size_t r)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_status status = heap_fails_each(&h, ctx, work_of, &r);
    if (status != rows[r].status)
        fail_msg("row %d: %s, %s", (int)r, zlay_status_name(status), zlay_ctx_message(ctx));
    heap_close(&h, ctx);
}

static void every_allocation(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) check(r);
}


int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
