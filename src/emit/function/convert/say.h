/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a conversion, said by the words' printer. */
#ifndef ZL_EMIT_FUNCTION_CONVERT_SAY_H
#define ZL_EMIT_FUNCTION_CONVERT_SAY_H

#include "emit/function/convert/convert.h"
#include "emit/ptx/word.h"

/* Moves inside lanes: words that a thread chooses by its number, then bytes that change places. */
void zl_trip_say_lane(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step);

/* Words from other lanes, whose parts may come from one lane each. */
void zl_trip_say_shuffle(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step);

/* One of the pieces that go through shared memory is written, and read into `next`. */
void zl_trip_say_store(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step, uint32_t piece);
void zl_trip_say_load(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step, uint32_t piece);

/* An access of its width at an address and an offset, to up to four registers. */
void zl_trip_say_access(zl_speaker *s, const zl_trip_step *step, uint32_t place, uint32_t offset,
                        const uint32_t z[4]);

/* A part of a word in the low bits of a register, and a part that joins those below it. */
uint32_t zl_trip_say_part(zl_speaker *s, uint32_t word, uint32_t byte);
uint32_t zl_trip_say_join(zl_speaker *s, uint32_t below, uint32_t part, uint32_t byte);

void zl_trip_say_sync(zl_speaker *s, const zl_trip_step *step);

/* All steps of layouts that are not linear over F2. */
void zl_points_say(zl_speaker *s, const zl_trip_text *t);

#endif
