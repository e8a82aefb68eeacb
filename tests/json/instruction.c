/* SPDX-License-Identifier: Apache-2.0 */
/* instruction.check and target.show as a line in and a line out. */
#include "answer.h"

#define CHECK "{\"op\":\"instruction.check\",\"target\":"

/* Each answer has these words. */
static const char *const rows[][2] = {
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
    answers_have(*state, rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, begin, end);
}
