/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a conversion, said by the words' printer. */
#ifndef ZL_EMIT_FUNCTION_CONVERT_SAY_H
#define ZL_EMIT_FUNCTION_CONVERT_SAY_H

#include "emit/function/convert.h"
#include "emit/ptx/word.h"

/* Moves inside lanes: words that a thread chooses by its number, then bytes that change places. */
void zl_trip_say_lane(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step);

/* One of the pieces that go through shared memory is written, and read into `next`. */
void zl_trip_say_store(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step, uint32_t piece);
void zl_trip_say_load(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step, uint32_t piece);

#endif
