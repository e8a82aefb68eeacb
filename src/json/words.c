/* SPDX-License-Identifier: Apache-2.0 */
/* Names of numbers, as batch.md writes them, and behind them those of cuda.h. */
#include "json/json.h"

const zl_named zl_types[] = {
#define TYPE(number, name, bits) {name, ZLAY_TYPE_##number},
#include "target/types.def"
#undef TYPE
    {"b6p2x16", ZLAY_TYPE_U6_ALIGN16},
#define CUDA_TYPE(name, number) {name, number},
#include "base/cuda.def"
    {NULL, 0}};
const zl_named zl_kinds[] = {{"f16", ZLAY_KIND_F16},           {"tf32", ZLAY_KIND_TF32},
                             {"f8f6f4", ZLAY_KIND_F8F6F4},     {"i8", ZLAY_KIND_I8},
                             {"mxf8f6f4", ZLAY_KIND_MXF8F6F4}, {"mxf4", ZLAY_KIND_MXF4},
                             {"mxf4nvf4", ZLAY_KIND_MXF4NVF4}, {NULL, 0}};
const zl_named zl_edges[] = {
    {"weak", ZLAY_EDGE_WEAK}, {"strong", ZLAY_EDGE_STRONG}, {NULL, 0}};
