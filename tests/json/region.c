/* SPDX-License-Identifier: Apache-2.0 */
/* region.cover, region.check, tiling.cover and tiling.check as requests: what they answer, and which field is at fault. */
#include "answer.h"

#define COVER "{\"op\":\"region.cover\","
#define CHECK "{\"op\":\"region.check\","
#define TILES ",\"tiles\":[{\"rows\":128},{\"rows\":64},{\"rows\":16}]"
#define ONE ",\"tiles\":[{\"rows\":128,\"columns\":256}]"
#define TILING "{\"op\":\"tiling.cover\","
#define SQUARES ",\"tiles\":[{\"rows\":2,\"columns\":2},{\"rows\":1,\"columns\":1}]"

static const char *const rows[][2] = {
    {COVER "\"rows\":{\"lengths\":[200,0,70],\"read_on\":true},\"row_bytes\":1" TILES "}",
     "{\"ok\":{\"parts\":[{\"group\":0,\"tile\":0,\"row\":0,\"rows\":128,\"pieces\":1},"
     "{\"group\":0,\"tile\":1,\"row\":128,\"rows\":64,\"pieces\":1},"
     "{\"group\":0,\"tile\":2,\"row\":192,\"rows\":8,\"pieces\":1},"
     "{\"group\":2,\"tile\":1,\"row\":200,\"rows\":64,\"pieces\":1},"
     "{\"group\":2,\"tile\":2,\"row\":264,\"rows\":6,\"pieces\":1}],\"pieces\":5,\"valid\":270,"
     "\"cells\":288,\"waste\":18,\"cost\":288,\"lower_bound\":288,\"optimal\":true,\"madds\":0,"
     "\"wasted_madds\":0,\"loaded_bytes\":278,\"wasted_bytes\":8}}"},
    {COVER "\"rows\":{\"offsets\":[0,200,270]},\"columns\":600,\"depth\":64" ONE "}",
     "{\"ok\":{\"parts\":[{\"group\":0,\"tile\":0,\"row\":0,\"rows\":200,\"column\":0,\"columns\":600,"
     "\"pieces\":6},{\"group\":1,\"tile\":0,\"row\":200,\"rows\":70,\"column\":0,\"columns\":600,"
     "\"pieces\":3}],\"pieces\":9,\"valid\":162000,\"cells\":294912,\"waste\":132912,"},
    {COVER "\"rows\":{\"lengths\":[9],\"offsets\":[3],\"align\":8,\"read_on\":true},\"each\":true,"
     "\"tiles\":[{\"rows\":8}]}",
     "{\"ok\":{\"each\":[{\"group\":0,\"tile\":0,\"row\":3,\"rows\":5,\"tile_row\":0},"
     "{\"group\":0,\"tile\":0,\"row\":8,\"rows\":4,\"tile_row\":8}],\"pieces\":2,"},
    {COVER "\"rows\":64,\"columns\":{\"lengths\":[3,300]}" ONE "}", "\"pieces\":3,"},
    {COVER "\"rows\":{\"offsets\":[3,9],\"align\":8},\"tiles\":[{\"rows\":8}]}", "{\"none\":\"rows: group 0 begins at 3"},
    {COVER "\"rows\":{\"lengths\":[1000000]},\"each\":true,\"tiles\":[{\"rows\":1}]}", "limit pieces 4096: the answer has 1000000 pieces"},
    {COVER "\"rows\":{\"lengths\":[]}" TILES "}", "field 'lengths'"},
    {COVER "\"rows\":{\"lengths\":7}" TILES "}", "field 'lengths'"},
    {COVER "\"rows\":{\"lengths\":[7,\"x\"]}" TILES "}", "field 'lengths': entry 1 is no integer"},
    {COVER "\"rows\":{\"lengths\":[7,-2]}" TILES "}", "rows.lengths[1]: -2 is not 0 to 2^31 - 1"},
    {COVER "\"rows\":{\"lengths\":[7,2147483648]}" TILES "}", "rows.lengths[1]: 2147483648 is not 0 to 2^31 - 1"},
    {COVER "\"rows\":{\"offsets\":[0,9,4]}" TILES "}", "rows.offsets[2]: 4 is below the entry before it, 9"},
    {COVER "\"rows\":{\"offsets\":[4]}" TILES "}", "field 'offsets'"},
    {COVER "\"rows\":{\"lengths\":[4,5],\"offsets\":[4]}" TILES "}", "field 'offsets' is not as many entries"},
    {COVER "\"rows\":{\"lengths\":[4,5],\"colour\":1}" TILES "}", "'colour'"},
    {COVER "\"rows\":{\"lengths\":[4,5]},\"columns\":{\"lengths\":[4]}" TILES "}", "field 'columns'"},
    {COVER "\"rows\":{\"lengths\":[4,5]},\"columns\":{\"lengths\":[4,-1]}" TILES "}", "columns.lengths[1]: -1"},
    {COVER "\"rows\":{}" TILES "}", "rows.lengths: there are none"},
    {COVER "\"rows\":0" TILES "}", "field 'rows'"},
    {COVER "\"rows\":\"many\"" TILES "}", "field 'rows'"},
    {COVER "\"rows\":{\"lengths\":[4]},\"tiles\":[]}", "field 'tiles'"},
    {COVER "\"rows\":{\"lengths\":[4]},\"tiles\":[{\"rows\":0}]}", "tile[0].rows: 0"},
    {COVER "\"rows\":{\"lengths\":[4]},\"tiles\":[{\"rows\":8,\"cost\":0}]}", "field 'cost'"},
    {COVER "\"rows\":{\"lengths\":[4]}}", "field 'tiles' is missing"},
    {CHECK "\"rows\":{\"lengths\":[200,70]}" TILES ",\"parts\":[{\"group\":0,\"tile\":0,\"row\":0,\"rows\":200},"
     "{\"group\":1,\"tile\":1,\"row\":200,\"rows\":70}]}",
     "{\"ok\":{\"answer\":\"yes\",\"pieces\":4,\"valid\":270,\"cells\":384,\"waste\":114,\"cost\":384,\"madds\":0,"},
    {CHECK "\"rows\":{\"lengths\":[200,70]}" TILES ",\"parts\":[{\"group\":0,\"tile\":0,\"row\":0,\"rows\":200},"
     "{\"group\":1,\"tile\":1,\"row\":200,\"rows\":69}]}",
     "{\"ok\":{\"answer\":\"no\",\"witness\":{\"group\":1,\"row\":269,\"column\":0,\"parts\":0}}}"},
    {CHECK "\"rows\":{\"lengths\":[20]}" TILES ",\"parts\":[{\"group\":0,\"tile\":0,\"row\":0,\"rows\":12},"
     "{\"group\":0,\"tile\":2,\"row\":10,\"rows\":10}]}", "\"witness\":{\"group\":0,\"row\":10,\"column\":0,\"parts\":2}"},
    {CHECK "\"rows\":{\"lengths\":[20]}" TILES ",\"parts\":[{\"group\":1,\"tile\":0,\"row\":0,\"rows\":20}]}", "parts[0].group: there is no such group"},
    {CHECK "\"rows\":{\"lengths\":[20]}" TILES ",\"parts\":[{\"group\":0,\"tile\":0,\"rows\":20}]}", "field 'row' is missing"},
    {TILING "\"bands\":[{\"rows\":4,\"end\":1,\"end_step\":1}],\"depth\":3" SQUARES "}",
     "\"pieces\":7,\"valid\":10,\"cells\":10,\"waste\":0,\"cost\":10,\"lower_bound\":10,\"optimal\":true,\"madds\":30,"},
    {TILING "\"lengths\":[0,3]" SQUARES "}",
     "{\"ok\":{\"each\":[{\"group\":0,\"tile\":1,\"row\":1,\"column\":0},{\"group\":0,\"tile\":1,\"row\":1,\"column\":1},"
     "{\"group\":0,\"tile\":1,\"row\":1,\"column\":2}],\"pieces\":3,"},
    {TILING "\"lengths\":[3],\"bands\":[{\"rows\":4,\"end\":1}]" SQUARES "}", "field 'bands'"},
    {"{\"op\":\"tiling.cover\"" SQUARES "}", "field 'bands'"},
    {TILING "\"lengths\":[3,-1]" SQUARES "}", "field 'lengths': entry 1 is below 0"},
    {TILING "\"lengths\":[3],\"tiles\":[{\"rows\":2}]}", "field 'columns' is missing"},
    {TILING "\"lengths\":[1],\"tiles\":[{\"rows\":2,\"columns\":1,\"row_step\":3}]}", "\"optimal\":true"},
    {TILING "\"lengths\":[1,1,1],\"tiles\":[{\"rows\":2,\"columns\":1,\"row_step\":3}]}", "\"none\""},
    {"{\"op\":\"tiling.check\",\"lengths\":[2,2]" SQUARES ",\"each\":[{\"tile\":0,\"row\":0,\"column\":0}]}",
     "{\"ok\":{\"answer\":\"yes\",\"pieces\":1,\"valid\":4,"},
    {"{\"op\":\"tiling.check\",\"lengths\":[2,3]" SQUARES ",\"each\":[{\"tile\":0,\"row\":0,\"column\":0}]}",
     "{\"ok\":{\"answer\":\"no\",\"witness\":{\"group\":0,\"row\":1,\"column\":2,\"parts\":0}}}"},
};

static void answers(void **state) { answers_have(*state, rows, sizeof rows / sizeof *rows); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, begin, end);
}
