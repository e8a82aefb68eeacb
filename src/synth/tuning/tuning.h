/* SPDX-License-Identifier: Apache-2.0 */
/* Records of measurements, and the line of one. */
#ifndef ZL_SYNTH_TUNING_H
#define ZL_SYNTH_TUNING_H

#include "base/base.h"
#include <zlay/tuning.h>

enum { ZL_TUNING_LINE = ZLAY_TUNING_KEY + ZLAY_TUNING_CHOICE + 512 };

struct zlay_tuning {
    zlay_allocator alloc;
    zlay_tuning_record *record; /* by ascending keys */
    size_t count, room;
};

/* The line of a record, ZL_TUNING_LINE bytes; the record of a line, or why it is none. */
void zl_tuning_line_put(char *line, const zlay_tuning_record *record);
const char *zl_tuning_line_read(zlay_tuning_record *out, const char *line, size_t length);

/* Whether a record is better than another of the same key. */
bool zl_tuning_better(const zlay_tuning_record *a, const zlay_tuning_record *b);

/* Whether a record's key is that of a request, whose device may be any; with its shape, or with its class alone. */
bool zl_tuning_matches(const char *record, const char *key, bool shape);

/* An extent rounded up to 2^e or 3 * 2^e. */
uint64_t zl_tuning_class(uint64_t extent);

#endif
