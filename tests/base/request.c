/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that grow: every size from 0 to one past the struct, and every single byte that is not 0,
 * compared with the copy of the first `size` bytes. */
#include "base/request.h"
#include "test.h"

#include <string.h>

typedef struct sample {
    uint32_t size, reserved0;
    uint64_t value, reserved[2];
    uint32_t last, more;
} sample;

enum { LEAST = offsetof(sample, reserved) };

static const zl_request_form form = {
    "sample", sizeof(sample), LEAST, {ZL_RESERVED(sample, reserved0), ZL_RESERVED(sample, reserved)}};

/* Whether a byte belongs to a reserved member. */
static bool is_reserved(size_t at)
{
    return (at >= offsetof(sample, reserved0) && at < offsetof(sample, value)) ||
           (at >= offsetof(sample, reserved) && at < offsetof(sample, last));
}

static void every_size_and_byte(void **state)
{
    for (uint32_t size = 0; size <= sizeof(sample) + 1; size++)
        for (size_t at = sizeof(uint32_t); at < sizeof(sample); at++) {
            unsigned char in[sizeof(sample)] = {0}, out[sizeof(sample)], wanted[sizeof(sample)] = {0};
            memcpy(in, &size, sizeof size);
            in[at] = 0x80;
            memset(out, 0xff, sizeof out);
            bool fits = size >= LEAST && size <= sizeof(sample);
            bool good = fits && !(at < size && is_reserved(at));
            assert_int_equal(zl_request_read(*state, out, in, &form), good ? ZLAY_OK : ZLAY_EINVAL);
            const char *named = !fits ? "size:" : at < offsetof(sample, value) ? "reserved0:" : "reserved:";
            if (!good) assert_memory_equal(zlay_ctx_message(*state), named, strlen(named));
            if (!fits) continue;
            memcpy(wanted, in, size);
            assert_memory_equal(out, wanted, sizeof out);
        }
}

static void without_a_context(void **state)
{
    sample in = {.size = sizeof in, .value = 7}, out;
    (void)state;
    assert_int_equal(zl_request_read(NULL, &out, &in, &form), ZLAY_OK);
    assert_int_equal(out.value, 7);
    in.size = 0;
    assert_int_equal(zl_request_read(NULL, &out, &in, &form), ZLAY_EINVAL);
    assert_int_equal(out.value, 0);
}

int main(void)
{
    zlay_ctx *ctx;
    if (zlay_ctx_new(&ctx, NULL, NULL)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_size_and_byte, ctx),
        cmocka_unit_test_prestate(without_a_context, ctx),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zlay_ctx_free(ctx);
    return failed;
}
