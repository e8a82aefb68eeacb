/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the numbers in maps and descriptors, as batch.md writes them: the numbers of cuda.h and
 * of PTX, which the enumerators of zlay/mma.h, smemdesc.h and tensormap.h have too. */
#include "base/words.h"

const char *zl_word_of(const zl_named *words, int32_t number)
{
    for (size_t i = 0; words[i].name; i++)
        if (words[i].number == number) return words[i].name;
    return NULL;
}

const zl_named zl_majors[] = {{"K", 0}, {"MN", 1}, {NULL, 0}};
const zl_named zl_map_swizzles[] = {
    {"none", 0},         {"32B", 1},          {"64B", 2},
    {"128B", 3},         {"128B_atom32B", 4}, {"128B_atom32B_flip8B", 5},
    {"128B_atom64B", 6}, {"128B_base32B", 4},
#define CUDA_SWIZZLE(name, number) {name, number},
#include "base/cuda.def"
    {NULL, 0}};
const zl_named zl_swizzles[] = {{"none", 0}, {"32B", 1},          {"64B", 2},
                                {"128B", 3}, {"128B_base32B", 4}, {NULL, 0}};
const zl_named zl_map_modes[] = {{"tiled", 0}, {"im2col", 1}, {"im2col_wide", 2}, {NULL, 0}};
const zl_named zl_map_interleaves[] = {
    {"none", 0}, {"16B", 1}, {"32B", 2},
#define CUDA_INTERLEAVE(name, number) {name, number},
#include "base/cuda.def"
    {NULL, 0}};
const zl_named zl_map_promotions[] = {
    {"none", 0}, {"64B", 1}, {"128B", 2}, {"256B", 3},
#define CUDA_L2(name, number) {name, number},
#include "base/cuda.def"
    {NULL, 0}};
const zl_named zl_map_fills[] = {
    {"none", 0}, {"zero", 0}, {"nan", 1},
#define CUDA_OOB(name, number) {name, number},
#include "base/cuda.def"
    {NULL, 0}};
const zl_named zl_lbo_modes[] = {{"relative", 0}, {"absolute", 1}, {NULL, 0}};
