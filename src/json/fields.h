/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a request as rows of a table. A row has the field's name, whether the request needs
 * it, its kind, and where its value lies in a struct; the kind reads the value from JSON and prints
 * it back. One walk over the rows checks the names of a request, one reads it, one prints a struct,
 * and one lists the names for help and documents. A field that is absent leaves the struct alone,
 * so what the struct held before is the default. */
#ifndef ZL_JSON_FIELDS_H
#define ZL_JSON_FIELDS_H

#include "json/op.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct zl_field zl_field;

/* How a value is read into `to`, and printed from there; print is NULL where no answer has it. */
typedef struct zl_kind {
    zlay_status (*read)(zl_call *call, const json_t *object, const zl_field *field, void *to);
    json_t *(*print)(zl_call *call, const zl_field *field, const void *from);
    bool part; /* the rows of the table `of`, in the same object */
} zl_kind;

enum { ZL_MAY, ZL_NEEDS };

struct zl_field {
    const char *name;
    int needs; /* ZL_NEEDS: a request without the field is refused */
    const zl_kind *kind;
    size_t at;      /* the value's offset in the struct */
    const void *of; /* the words of a name, or the table of a part */
    uint32_t count; /* the most entries of a list, or the bit that a bit sets */
    uint32_t given; /* the bits that are set in the table's `given` where the field is there */
};

struct zl_fields {
    const zl_field *row;
    size_t count;
    size_t given; /* the offset of the word that says which fields are there */
};

#define ZL_FIELDS(rows) {(rows), sizeof(rows) / sizeof *(rows), 0}
#define ZL_FIELDS_GIVEN(rows, type, member)                                                        \
    {(rows), sizeof(rows) / sizeof *(rows), offsetof(type, member)}

/* Integers; names of a table of words, or integers; true, false or an integer; true sets a bit. */
extern const zl_kind zl_as_u32, zl_as_u64, zl_as_word, zl_as_switch, zl_as_bit;

/* How zl_as_word reads, for a kind that prints otherwise. */
zlay_status zl_read_word(zl_call *call, const json_t *object, const zl_field *field, void *to);

/* A target, a layout under the request's facts, which the caller frees, and a text (zl_span). */
extern const zl_kind zl_as_target, zl_as_layout, zl_as_text;

/* At most `count` integers of 32 bits; printed: exactly `count`. Exactly two of them. */
extern const zl_kind zl_as_list32, zl_as_pair32;

/* The rows of another table in the same object; and a field that its operation reads itself. */
extern const zl_kind zl_as_part, zl_as_own;

/* Where a value lies, and the row that the table of an operation on a target begins with:
 * {"bytes", ZL_NEEDS, &zl_as_u32, ZL_AT(asked, access.bytes)}. */
#define ZL_AT(type, member) .at = offsetof(type, member)
#define ZL_TARGET(type) {"target", ZL_NEEDS, &zl_as_target, ZL_AT(type, target)}

/* A number of 32 bits that may be there, under the name of its member. */
#define ZL_NUMBER(type, member)                                                                    \
    {#member, ZL_MAY, &zl_as_u32, offsetof(type, member), NULL, 0, 0}

/* The fields of the operation that is called, or of an object in its request. */
zlay_status zl_read(zl_call *call, void *out);
zlay_status zl_read_object(zl_call *call, const json_t *object, const zl_fields *fields, void *out);

/* EINVAL names a key that no row has, or a needed field that is missing. */
zlay_status zl_names_check(zl_call *call, const json_t *object, const char *what,
                           const zl_fields *fields);

/* The rows' values, in their order. */
void zl_put_fields(zl_call *call, json_t *object, const zl_fields *fields, const void *from);

#endif
