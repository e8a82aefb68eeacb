/* SPDX-License-Identifier: Apache-2.0 */
/* Names of numbers, as batch.md writes them, and behind them those of cuda.h. */
#include "json/json.h"

const zl_named zl_types[] = {
#define TYPE(number, name, bits) {name, ZLAY_TYPE_##number},
#include "target/types.def"
#undef TYPE
    {"b6p2x16", ZLAY_TYPE_U6_ALIGN16},
#define CUDA_TYPE(name, number) {name, number},
#include "target/cuda.def"
    {NULL, 0}};
const zl_named zl_kinds[] = {{"f16", ZLAY_KIND_F16},           {"tf32", ZLAY_KIND_TF32},
                             {"f8f6f4", ZLAY_KIND_F8F6F4},     {"i8", ZLAY_KIND_I8},
                             {"mxf8f6f4", ZLAY_KIND_MXF8F6F4}, {"mxf4", ZLAY_KIND_MXF4},
                             {"mxf4nvf4", ZLAY_KIND_MXF4NVF4}, {NULL, 0}};
const zl_named zl_majors[] = {{"K", ZLAY_MAJOR_K}, {"MN", ZLAY_MAJOR_MN}, {NULL, 0}};
const zl_named zl_map_swizzles[] = {
    {"none", 0},         {"32B", 1},          {"64B", 2},
    {"128B", 3},         {"128B_atom32B", 4}, {"128B_atom32B_flip8B", 5},
    {"128B_atom64B", 6}, {"128B_base32B", 4},
#define CUDA_SWIZZLE(name, number) {name, number},
#include "target/cuda.def"
    {NULL, 0}};
const zl_named zl_swizzles[] = {{"none", ZLAY_SWIZZLE_NONE}, {"32B", ZLAY_SWIZZLE_32B},
                                {"64B", ZLAY_SWIZZLE_64B},   {"128B", ZLAY_SWIZZLE_128B},
                                {"128B_base32B", 4},         {NULL, 0}};
const zl_named zl_edges[] = {
    {"weak", ZLAY_EDGE_WEAK}, {"strong", ZLAY_EDGE_STRONG}, {NULL, 0}};
