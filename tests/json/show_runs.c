/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for pictures of pipes, fragments, ragged groups, schedules and places: what the answer has, and what is refused. */
#include "json_ask.h"
#include "test.h"

#define RING(wait)                                                                                                     \
    "\"pipe\": \"pipe ring\\nparam N 0..\\nsmem A[2] 16\\nbar full[2] count 1\\nbar empty[2] count 32\\ninit full\\n" \
    "init empty\\nfence mbarrier_init\\nsync cta\\nrole p warps 0..0 elect\\nfor i in 0..N\\n" wait                    \
    "expect full[i % 2] 16\\narrive full[i % 2]\\ncopy tensor 16 -> A[i % 2] signal full[i % 2]\\nend\\nend\\n"        \
    "role c warps 1..1\\nfor i in 0..N\\nwait full[i % 2] parity i / 2 % 2\\nread A[i % 2]\\n"                         \
    "arrive empty[i % 2] threads\\nend\\nend\\n\""
#define RIGHT RING("wait empty[i % 2] parity (i / 2 + 1) % 2\\n")

static zlay_ctx *new_ctx(void)
{
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static void test_pipe(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    const char *right = "{\"op\": \"show.pipe\", \"trips\": 1, " RIGHT "}";
    says(ctx, right, "ok.title", "\"pipe ring: N = 1\"");
    says(ctx, right, "ok.panels.0.kind", "\"steps\"");
    says(ctx, right, "ok.panels.0.rows.1", "\"c\"");
    says(ctx, right, "ok.panels.0.boxes.0",
         "{\"column\": 0, \"row\": 0, \"label\": \"wait empty\", \"shade\": 0, \"key\": 0, \"step\": 0, \"tip\": "
         "\"line 12: wait empty[i % 2] parity (i / 2 + 1) % 2; i = 0; empty[0] before its first phase\"}");
    says(ctx, right, "ok.notes", "[\"yes: correct for every trip count\"]");
    mentions(ctx, "{\"op\": \"show.pipe\", \"form\": \"text\", " RIGHT "}", "ok.text", "|copy A");
    mentions(ctx, "{\"op\": \"show.pipe\", \"form\": \"text\", " RING("") "}", "ok.text", "!");
    says(ctx, "{\"op\": \"show.pipe\", \"steps\": 3, " RIGHT "}", "ok.notes.1", "\"the run goes on behind step 2\"");
    says(ctx, "{\"op\": \"show.pipe\", \"trips\": 201, " RIGHT "}", "error", "\"EINVAL\"");
    says(ctx, "{\"op\": \"show.pipe\", \"pipe\": \"pipe\"}", "error", "\"EINVAL\"");
    says(ctx, "{\"op\": \"show.pipe\", \"rows\": 1, " RIGHT "}", "error", "\"EINVAL\"");
    says(ctx, "{\"op\": \"show.tmem\", " RIGHT "}", "message", "\"pipe ring has no tensor memory\"");
    zlay_ctx_free(ctx);
}

static void test_fragments(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
#define WGMMA "{\"op\": \"show.fragment\", \"target\": \"sm_90a\", \"instruction\": \"wgmma\", \"m\": 64, \"n\": "
    says(ctx, WGMMA "16, \"k\": 16, \"fragment\": \"D\"}", "ok.title", "\"D of wgmma m64n16k16 bf16\"");
    says(ctx, WGMMA "16, \"k\": 16, \"fragment\": \"D\"}", "ok.panels.0.boxes.1.label", "\"T4V0\"");
    says(ctx, WGMMA "12, \"k\": 16, \"fragment\": \"D\"}", "none.rule", NULL);
    says(ctx, WGMMA "16, \"k\": 16, \"fragment\": \"E\"}", "error", "\"EINVAL\"");
    says(ctx, "{\"op\": \"show.warp\", \"fragment\": \"A\", \"bits\": 16, \"registers\": 4}", "ok.notes.1",
         "\"a register has 2 values, the first in its low bits\"");
    says(ctx, "{\"op\": \"show.registers\", \"shape\": \"16x64b\", \"size\": 1}", "ok.panels.0.boxes.1.label",
         "\"T4V0\"");
    says(ctx, "{\"op\": \"show.registers\", \"shape\": \"path_d\", \"size\": 16}", "message",
         "\"shape: not one of ld and st\"");
    zlay_ctx_free(ctx);
}

static void test_ragged(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
#define RAGGED "{\"op\": \"show.ragged\", \"rows\": {\"lengths\": [200, 0, 70]}, \"tiles\": [{\"rows\": 128}]"
    says(ctx, RAGGED "}", "ok.panels.0.boxes.0",
         "{\"column\": 0, \"row\": 0, \"label\": \"200 of 2*128\", \"shade\": 0, \"key\": 0, \"marked\": true, \"tip\": "
         "\"group 0, rows 0..199: 2 of tile 0, 56 cells wasted\"}");
    says(ctx, RAGGED "}", "ok.panels.0.rows", "[\"group 0\", \"group 1\", \"group 2\"]");
    says(ctx, RAGGED "}", "ok.notes.0", "\"270 cells are valid, 384 are computed in 3 tiles\"");
    says(ctx, RAGGED ", \"each\": true}", "error", "\"EINVAL\"");
    zlay_ctx_free(ctx);
}

static void test_schedule(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
#define LOOP "{\"op\": \"show.schedule\", \"ops\": [{\"name\": \"a\", \"unit\": \"u\", \"cycles\": 2, \"latency\": 2}], \"edges\": []"
    says(ctx, LOOP ", \"units\": {\"u\": 1}}", "ok.panels.0.boxes.0",
         "{\"column\": 0, \"row\": 0, \"width\": 2, \"label\": \"a\", \"shade\": 0, \"key\": 0, \"step\": 0, \"tip\": "
         "\"cycles 0..1, stage 0: a\"}");
    says(ctx, LOOP ", \"units\": {\"u\": 1}, \"iterations\": 3}", "ok.panels.1.name", "\"the first 3 iterations\"");
    says(ctx, LOOP ", \"units\": {\"u\": 1}}", "ok.panels.1.rows", "[\"\", \"u\"]");
    says(ctx, LOOP ", \"units\": {\"u\": 0}}", "none", "\"no schedule: 'a' uses unit 'u', of which there are 0\"");
    says(ctx, LOOP ", \"units\": {\"v\": 1}}", "error", "\"EINVAL\"");
    says(ctx, LOOP ", \"units\": {\"u\": 1}, \"columns\": 5000}", "error", "\"EINVAL\"");
    says(ctx, LOOP ", \"units\": {\"u\": 1}, \"rows\": 1}", "error", "\"EINVAL\"");
    zlay_ctx_free(ctx);
}

static void test_places(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
#define TILES                                                                                                          \
    "{\"op\": \"show.places\", \"target\": \"sm_90a\", \"values\": [{\"name\": \"A\", \"rows\": 64, \"columns\": 64, \"bits\": 16, " \
    "\"from\": \"global\"}, {\"name\": \"B\", \"rows\": 64, \"columns\": 64, \"bits\": 16, \"to\": \"global\"}], \"operations\": " \
    "[{\"form\": \"map\", \"reads\": [\"A\"], \"writes\": [\"B\"]}]"
    says(ctx, TILES "}", "ok.title", "\"places of 2 values on sm_90a\"");
    says(ctx, TILES "}", "ok.panels.0.rows", "[\"A\", \"B\"]");
    says(ctx, TILES "}", "ok.panels.0.columns", "[\"register\", \"shared\", \"cluster\", \"tensor_memory\", \"global\"]");
    says(ctx, TILES "}", "ok.panels.1.name", "\"registers of a thread\"");
    mentions(ctx, TILES ", \"form\": \"text\"}", "ok.text", "begins");
    mentions(ctx, TILES ", \"registers\": 1}", "none", "value 'A' has no place");
    says(ctx, TILES ", \"colours\": 1}", "error", "\"EINVAL\"");
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pipe), cmocka_unit_test(test_fragments),
                                       cmocka_unit_test(test_ragged), cmocka_unit_test(test_schedule),
                                       cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
