/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ZL_CONVERT_WORD_H
#define ZL_CONVERT_WORD_H

#include "synth/convert.h"

/* Of a bijection: for each register bit of dst the functional of threads that is added to it behind
 * the shuffles, so that the selects before and behind are the fewest; false: there are none. */
bool zl_selects_choose(uint64_t *behind, const zl_conversion *c);

#endif
