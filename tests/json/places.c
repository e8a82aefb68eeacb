/* SPDX-License-Identifier: Apache-2.0 */
/* places.find as a request: what it answers, and which field is at fault. */
#include "answer.h"

#define FIND "{\"op\":\"places.find\",\"target\":\"sm_90a\","
#define VALUES "\"values\":[{\"name\":\"A\",\"rows\":128,\"columns\":64,\"bits\":16,\"times\":8,\"from\":\"global\",\"same\":\"x\"}," \
               "{\"name\":\"B\",\"rows\":128,\"columns\":64,\"bits\":16,\"times\":8,\"from\":\"global\",\"same\":[\"y\"]}," \
               "{\"name\":\"D\",\"rows\":128,\"columns\":128,\"bits\":32,\"to\":[\"global\",\"cluster\"]}]"
#define PRODUCT ",\"operations\":[{\"form\":\"product\",\"reads\":[\"A\",\"B\"],\"writes\":[\"D\"]}],\"loop\":[0,0]"
#define PROGRAM FIND VALUES PRODUCT

static const char *const rows[][2] = {
    {PROGRAM "}", "{\"ok\":{\"values\":[{\"name\":\"A\",\"may\":[\"register\",\"shared\",\"global\"],\"home\":\"global\",\"has\":[\"shared\",\"global\"],"
                  "\"moves\":[{\"from\":\"global\",\"to\":\"shared\",\"by\":\"tensor copy\"}],\"bytes\":16384,\"smem\":0},"},
    {PROGRAM "}", "\"operations\":[{\"form\":\"wgmma\",\"reads\":[\"shared\",\"shared\"],\"writes\":[\"register\"]}]"},
    {PROGRAM "}", "\"optimal\":true,\"moves\":3,\"moved\":{\"register\":131072,\"shared\":524288,\"cluster\":0,\"tensor_memory\":0,\"global\":327680}"},
    {PROGRAM ",\"grid\":[8,8],\"cluster\":2}",
     "\"multicast\":[{\"cta\":0,\"cta_mask\":3,\"row\":0,\"rows\":64},{\"cta\":1,\"cta_mask\":3,\"row\":64,\"rows\":64}]"},
    {PROGRAM ",\"grid\":[8,8],\"cluster\":2}", "\"cluster\":[1,2,1],\"global_read\":12582912,\"global_alone\":16777216"},
    {PROGRAM ",\"cost\":[0,0,0,0,0]}", "\"cost\":0"},
    {PROGRAM ",\"registers\":100}", "{\"none\":\"value 'D' has no place: it needs 128 registers of a thread, of 100\"}"},
    {PROGRAM ",\"cost\":[0,0,0,0]}", "field 'cost' is not five integers"},
    {PROGRAM ",\"cost\":[0,0,0,0,\"x\"]}", "field 'cost' is not five integers"},
    {PROGRAM ",\"grid\":[1,2,3,4]}", "field 'grid'"},
    {PROGRAM ",\"colour\":1}", "'colour'"},
    {FIND VALUES PRODUCT ",\"loop\":[0,1]}", "byte"},
    {FIND VALUES ",\"operations\":[{\"form\":\"product\",\"reads\":[\"A\",\"B\"],\"writes\":[\"D\"]}],\"loop\":[0,1]}", "field 'loop' is not the first and the last"},
    {FIND VALUES ",\"operations\":[{\"form\":\"product\",\"reads\":[\"A\",\"E\"],\"writes\":[\"D\"]}]}", "field 'reads': no value is called 'E'"},
    {FIND VALUES ",\"operations\":[{\"form\":\"product\",\"reads\":[\"A\",7],\"writes\":[\"D\"]}]}", "field 'reads' is not a list of names"},
    {FIND VALUES ",\"operations\":[{\"form\":\"product\",\"reads\":\"A\",\"writes\":[\"D\"]}]}", "field 'reads'"},
    {FIND VALUES ",\"operations\":[{\"form\":\"map\",\"reads\":[\"A\",\"A\",\"A\",\"A\",\"A\",\"A\",\"A\"],\"writes\":[\"D\"]}]}", "names more than 6 values"},
    {FIND VALUES ",\"operations\":[]}", "field 'operations'"},
    {FIND VALUES ",\"operations\":[{\"form\":\"products\",\"reads\":[\"A\",\"B\"],\"writes\":[\"D\"]}]}", "none is called 'products'; did you mean 'product'?"},
    {FIND "\"values\":[{\"name\":\"A\",\"rows\":1,\"columns\":1,\"bits\":8,\"from\":\"l2\"}]" PRODUCT "}", "field 'from' is not register, shared"},
    {FIND "\"values\":[{\"name\":\"A\",\"rows\":1,\"columns\":1,\"bits\":8,\"from\":\"global\",\"same\":\"w\"}]" PRODUCT "}", "field 'same' is not x, y or z"},
    {FIND "\"values\":[{\"name\":\"A\",\"rows\":1,\"columns\":1,\"bits\":8,\"from\":[\"global\",\"shared\"]},{\"name\":\"A\",\"rows\":1,\"columns\":1,\"bits\":8}]" PRODUCT "}",
     "field 'values': entries 0 and 1 have one name"},
    {FIND "\"values\":[{\"name\":\"A\",\"rows\":0,\"columns\":1,\"bits\":8}]" PRODUCT "}", "field 'rows'"},
    {FIND "\"values\":[{\"name\":\"A\",\"columns\":1,\"bits\":8}]" PRODUCT "}", "field 'rows' is missing"},
};

static void answers(void **state) { answers_have(*state, rows, sizeof rows / sizeof *rows); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, begin, end);
}
