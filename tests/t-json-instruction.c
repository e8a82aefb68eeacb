/* SPDX-License-Identifier: Apache-2.0 */
/* instruction.check and target.show as a line in and a line out. */
#include "test.h"

#include <string.h>
#include <zlay/json.h>
#include <zlay/zlay.h>

static const char *ask(const char *line)
{
    static char text[1 << 14];
    zlay_ctx *ctx = NULL;
    zlay_buf out = {text, sizeof text, 0};
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zlay_json_call(ctx, &out, line, strlen(line)), ZLAY_OK);
    zlay_ctx_free(ctx);
    return text;
}

#define CHECK "{\"op\":\"instruction.check\",\"target\":"

/* Each answer has these words. */
static const struct {
    const char *line, *words;
} rows[] = {
    {CHECK "\"sm_90\",\"instruction\":\"tma.load.tile.2d\"}", "\"answer\":\"yes\""},
    {CHECK "\"sm_80\",\"instruction\":\"tma.load.tile.2d\"}", "\"rule\":\"INSTR_TARGET\""},
    {CHECK "\"gfx942\",\"instruction\":\"tma.load.tile.2d\"}", "\"rule\":\"INSTR_TARGET\""},
    {CHECK "\"sm_90a\",\"instruction\":\"tma.load.tile.2d.cta\",\"ptx\":\"8.5\"}",
     "\"field\":\"ptx\",\"index\":null,\"value\":85,\"relation\":\"range\",\"bound\":[86,"},
    {CHECK "\"sm_90a\",\"instruction\":\"tma.load.tile.2d.cta\",\"ptx\":86}", "\"answer\":\"yes\""},
    {CHECK "\"sm_90a\",\"instruction\":\"setmaxnreg.dec\",\"registers\":44}",
     "\"set\":[{\"field\":\"registers\",\"index\":null,\"value\":48}]"},
    {CHECK "\"sm_90a\",\"instruction\":\"bulk.wait\",\"groups\":-1}", "\"value\":-1"},
    {CHECK "\"sm_90a\",\"instruction\":\"cp.async.wait_all\"}", "\"id\":\"cp_async.wait_all\""},
    {CHECK "\"sm_90a\",\"instruction\":\"bulk.wait\"}",
     "\"text\":\"cp.async.bulk.wait_group groups;\",\"ptx\":\"8.0\""},
    {CHECK "\"sm_90a\",\"instruction\":\"bulk.wait\",\"bytes\":1}",
     "\"EINVAL\",\"message\":\"field 'bytes'"},
    {CHECK "\"sm_90a\",\"instruction\":\"bulk.await\"}", "field 'instruction': no form"},
    {CHECK "\"sm_90a\",\"instruction\":\"bulk.wait\",\"ptx\":\"eight\"}", "field 'ptx'"},
    {CHECK "\"sm_90a\",\"instruction\":\"bulk.wait\",\"groups\":\"many\"}", "field 'groups'"},
    {"{\"op\":\"target.show\",\"target\":\"sm_100f\"}", "\"suffix\":\"f\""},
    {"{\"op\":\"target.show\",\"target\":\"sm_100f\"}", "\"ptx\":\"8.8\""},
    {"{\"op\":\"target.show\",\"target\":\"sm_90a\"}",
     "\"features\":[\"cp_async\",\"tma\",\"cluster\",\"wgmma\"]"},
    {"{\"op\":\"target.show\",\"target\":\"gfx950\"}", "\"banks\":64"},
    {"{\"op\":\"target.show\",\"target\":\"gfx950\"}", "\"ptx\":null"},
};

static void answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *said = ask(rows[i].line);
        if (!strstr(said, rows[i].words))
            fail_msg("%s\n  answers %s\n  without %s", rows[i].line, said, rows[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
