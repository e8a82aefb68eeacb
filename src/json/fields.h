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

/* A text of the request, which lives as long as the request. */
typedef struct zl_json_text {
    const char *text;
    size_t length;
} zl_json_text;

/* How a value is read into `to`, and printed from there; print is NULL where no answer has it. A
 * kind of values that hold memory has `drop`, which is called for every row of the table, read or
 * not. Kinds that are `late` are read after all the others: a layout takes time and memory, and a
 * wrong number is refused before it is read. `type` is what the value is, in one word, for hosts
 * that write signatures; NULL: the operation's page says it. */
typedef struct zl_field_kind {
    zlay_status (*read)(zl_call *call, const json_t *object, const zl_field *field, void *to);
    json_t *(*print)(zl_call *call, const zl_field *field, const void *from);
    void (*drop)(zl_call *call, const zl_field *field, void *from);
    bool late;
    bool part; /* the rows of the table `of`, in the same object */
    bool open; /* of a part: none of its fields is needed */
    const char *type;
} zl_field_kind;

enum { ZL_MAY, ZL_NEEDS };

struct zl_field {
    const char *name;
    int needs; /* ZL_NEEDS: a request without the field is refused */
    const zl_field_kind *kind;
    size_t at;      /* the value's offset in the struct */
    const void *of; /* the words of a name, or the table of a part or of a list's objects */
    uint32_t count; /* the most entries of a list, or the bit that a bit sets */
    uint32_t present; /* the bits that are set in the table's `present` where the field is there */
};

struct zl_fields {
    const zl_field *row;
    size_t count;
    size_t size;       /* of the struct */
    const void *start; /* what the struct holds before it is read; NULL: zeros */
    size_t present;    /* the offset of the word that says which fields are there */
    const char *what;  /* what messages call an object of a list; NULL: as the list's field */
    /* Texts that stand in the place of numbers go from the request into the struct, and numbers in
     * their places of `copy`, which is then read; false: no memory; NULL: the request is read. */
    bool (*take)(const json_t *request, json_t *copy, void *asked);
};

/* A table for a struct of a type; an operation's struct has at most ZL_ASKED_MOST bytes. */
enum { ZL_ASKED_MOST = 12 << 10 };
#define ZL_ROWS(rows, type)                                                                        \
    .row = (rows), .count = sizeof(rows) / sizeof *(rows),                                         \
    .size = sizeof(type) + 0 * sizeof(char[sizeof(type) > ZL_ASKED_MOST ? -1 : 1])

/* The kind of a row and its member. A kind K has the typedef K_type, the type that it reads into, a
 * pointer to the first entry where it reads a list: a member of another type does not compile. */
#define ZL_SAME(expected, value) 0 * sizeof(_Generic((value), expected: 0))
#define ZL_AT(as, type, member)                                                                    \
    .kind = &as, .at = offsetof(type, member) + ZL_SAME(as##_type, ((type *)0)->member)

/* A row whose kind reads into the whole struct, and one of the rows of another table, over a member
 * or over the same struct; a table T has the typedef T_type. */
#define ZL_WHOLE(as, type) .kind = &as, .at = ZL_SAME(as##_type, *(type *)0)
#define ZL_PART(table, type, member)                                                               \
    {"", ZL_MAY, &zl_as_part,                                                                      \
     offsetof(type, member) + ZL_SAME(table##_type, ((type *)0)->member), &table, 0, 0}
#define ZL_PART_WHOLE(table, type)                                                                 \
    {"", ZL_MAY, &zl_as_part, ZL_SAME(table##_type, *(type *)0), &table, 0, 0}

/* A list of at most as many integers as the member has; printed: all of them. */
#define ZL_LIST(type, member)                                                                      \
    ZL_AT(zl_as_list32, type, member),                                                             \
        .count = sizeof((type *)0)->member / sizeof(uint32_t)

/* Integers; those of at least 1; names of a table of words, or integers; true, false or an integer;
 * true sets a bit. */
extern const zl_field_kind zl_as_u32, zl_as_u64, zl_as_i64, zl_as_some32, zl_as_some64, zl_as_word,
    zl_as_switch, zl_as_bit;
typedef uint32_t zl_as_u32_type, zl_as_some32_type, zl_as_switch_type, zl_as_bit_type;
typedef uint64_t zl_as_u64_type, zl_as_some64_type;
typedef int64_t zl_as_i64_type;
typedef int32_t zl_as_word_type;

/* How zl_as_word reads, for a kind that prints otherwise. */
zlay_status zl_read_word(zl_call *call, const json_t *object, const zl_field *field, void *to);

/* True or false; a text; a text up to its first 0; a target; the request's facts; a list that its
 * operation walks itself. */
extern const zl_field_kind zl_as_flag, zl_as_text, zl_as_string, zl_as_target, zl_as_facts,
    zl_as_json_list;
typedef bool zl_as_flag_type;
typedef zl_json_text zl_as_text_type;
typedef const char *zl_as_string_type;
typedef const zlay_target *zl_as_target_type;
typedef const zlay_facts *zl_as_facts_type;
typedef const json_t *zl_as_json_list_type;

/* A layout under the request's facts; a layout as it is. */
extern const zl_field_kind zl_as_layout, zl_as_plain_layout;
typedef const zlay_layout *zl_as_layout_type, *zl_as_plain_layout_type;
void zl_drop_layout(zl_call *call, const zl_field *field, void *from);

/* At most `count` objects, each read as the table `of` says into an entry of `row`. Where the field
 * is needed at least one object is; where it is not, a longer list is a limit (ELIMIT). */
typedef struct zl_objects {
    void *row;
    uint32_t count;
} zl_objects;
extern const zl_field_kind zl_as_objects;
typedef zl_objects zl_as_objects_type;

/* At most `count` integers of 32 bits; printed: exactly `count`. Exactly two of them. */
extern const zl_field_kind zl_as_list32, zl_as_pair32;
typedef uint32_t *zl_as_list32_type, *zl_as_pair32_type;

/* The rows of another table in the same object; a field that another row or the operation reads:
 * of any type, an integer, a text, an object, objects; fields of another table that the operation
 * reads where it asks for them. */
extern const zl_field_kind zl_as_part, zl_as_own, zl_as_own_integer, zl_as_own_text,
    zl_as_own_object, zl_as_own_objects, zl_as_others;
#define ZL_OWN_OF(kind, name, needs) {name, needs, &kind, 0, NULL, 0, 0}
#define ZL_OWN(name, needs) ZL_OWN_OF(zl_as_own, name, needs)
#define ZL_OTHERS(table) {"", ZL_MAY, &zl_as_others, 0, &table, 0, 0}

/* The row that the table of an operation on a target begins with. */
#define ZL_TARGET(type) {"target", ZL_NEEDS, ZL_AT(zl_as_target, type, target)}

#define ZL_FIELDS(rows) {.row = (rows), .count = sizeof(rows) / sizeof *(rows)}
#define ZL_FIELDS_PRESENT(rows, type, member)                                                      \
    {.row = (rows), .count = sizeof(rows) / sizeof *(rows), .present = offsetof(type, member)}

/* A number of 32 bits that may be there, under the name of its member. */
#define ZL_NUMBER(type, member) {#member, ZL_MAY, ZL_AT(zl_as_u32, type, member)}

/* What an object's fields say, beginning with the table's start; then the memory that they hold is
 * given back by zl_drop, whatever the reading returned. */
zlay_status zl_read_fresh(zl_call *call, const json_t *object, const zl_fields *fields, void *out);
void zl_drop(zl_call *call, const zl_fields *fields, void *asked);

/* The fields that are there, over what the struct holds. */
zlay_status zl_read_object(zl_call *call, const json_t *object, const zl_fields *fields, void *out);

/* EINVAL names a key that no row has, or a needed field that is missing. */
zlay_status zl_names_check(zl_call *call, const json_t *object, const char *what,
                           const zl_fields *fields);

/* The rows' values, in their order. */
void zl_put_fields(zl_call *call, json_t *object, const zl_fields *fields, const void *from);

#endif
