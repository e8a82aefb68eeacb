/* SPDX-License-Identifier: Apache-2.0 */
/* Names of numbers, and the fields of a descriptor in its bits. */
#ifndef ZL_BASE_WORDS_H
#define ZL_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name of a number, in a table that a row without name ends. */
typedef struct zl_named {
    const char *name;
    int32_t number;
} zl_named;

/* The first name of a number; NULL: it has none. */
const char *zl_word_of(const zl_named *words, int32_t number);

extern const zl_named zl_majors[];
/* Of tensor maps. */
extern const zl_named zl_map_modes[], zl_map_interleaves[], zl_map_swizzles[], zl_map_promotions[],
    zl_map_fills[];
/* Of matrix descriptors. */
extern const zl_named zl_swizzles[], zl_lbo_modes[];

/* A field, and the value of which it has bits: (value - less) >> shift. */
typedef struct zl_bit_field {
    const char *name;   /* as zlay_field_name has it, where rules name the field */
    int32_t entry;      /* of a list; -1: the field is none */
    uint32_t at, width; /* its bits, from those of the first word on */
    uint32_t less, shift;
    int64_t value;
    const char *word;  /* the value's name; NULL: it is a number */
    const char *means; /* what the value is */
    bool nothing;      /* no value has these bits */
} zl_bit_field;

enum { ZL_BIT_FIELDS_MOST = 64 };

#endif
