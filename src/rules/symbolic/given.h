/* SPDX-License-Identifier: Apache-2.0 */
/* A subject of which some fields are linear texts over names: what each row asks of them is a
 * condition on one linear form, and the conditions that the facts leave open are the guard. */
#ifndef ZL_GIVEN_H
#define ZL_GIVEN_H

#include "algebra/facts/form.h"
#include "rules/rule.h"

enum { ZL_GIVEN_MOST = 15, ZL_CONDITIONS_MOST = 160, ZL_GIVEN_NONE = UINT8_MAX };

typedef enum zl_asks {
    ZL_ASKS_RANGE,    /* lo <= form <= hi; INT64_MIN and INT64_MAX are no bounds */
    ZL_ASKS_MULTIPLE, /* floor(form / divisor) is a multiple of lo */
    ZL_ASKS_EQUAL,    /* form is lo */
    ZL_ASKS_WRAPPED,  /* form, wrapped to 32 signed bits, is at least lo */
    ZL_ASKS_FOOTPRINT,
    ZL_ASKS_SMEM,     /* products over the box, at most hi */
    ZL_ASKS_COPIED,   /* lo <= form + times (bytes that a copy of the box counts) <= hi */
    ZL_ASKS_PLACED    /* the same of the bytes that the box takes in shared memory */
} zl_asks;

/* form = scale a + times b + offset, a and b numbers of given texts; ZL_GIVEN_NONE adds nothing. What
 * adds bytes of a box has no b. */
typedef struct zl_condition {
    int32_t asks;
    uint8_t a, b, reserved[2];
    int64_t scale, times, offset, divisor, lo, hi;
} zl_condition;

/* What the facts say of a condition. */
typedef enum zl_state { ZL_HOLDS, ZL_BROKEN, ZL_OPEN } zl_state;

/* One factor of a product: elements of the box along a dimension, rounded up but for the footprint. */
typedef struct zl_factor {
    uint8_t text; /* ZL_GIVEN_NONE: the number */
    uint64_t number;
    uint32_t step, up;
} zl_factor;

typedef struct zl_given zl_given;
typedef struct zl_given_form zl_given_form;

/* Products over a box: so many factors, their unit in bits, what the facts say of the product, and the range of its bytes. */
typedef struct zl_given_box {
    uint32_t (*factors)(const zl_given *g);
    zl_factor (*factor)(const zl_given *g, const zl_condition *c, uint32_t i);
    uint64_t (*unit)(const zl_given *g, const zl_condition *c);
    zlay_status (*state)(zl_state *out, zl_given *g, const zl_condition *c);
    zlay_status (*bytes)(zlay_range *out, zl_given *g, const zl_condition *c);
} zl_given_box;

/* The row of a quantity that asks a part of the subject as a whole; where texts are in the part, the part's own rows answer. */
typedef struct zl_given_part {
    zl_quantity row;
    const zl_given_form *form;
    const zl_subject_form *subject;
    bool (*asked)(const zl_given *g);
} zl_given_part;

/* What a kind of subject answers about its texts. */
struct zl_given_form {
    const char *entries; /* those that may be given, in words */
    bool driver;         /* the measured driver's own verdict is part of the head */
    bool (*take)(zl_given *g, const zlay_given *text); /* its entry becomes 1; false: no entry */
    /* The least and the greatest value that the entry's type has, where that is asked. */
    bool (*typed)(int64_t *lo, int64_t *hi, const zl_given *g, const zlay_given *text);
    /* Whether the entry of a row is about what is given, and the condition then. */
    bool (*asks)(zl_condition *c, const zl_rule *rule, const zl_given *g, uint32_t i);
    bool (*repairs)(const zl_given *g, int32_t field); /* no text has a say in the field's repair */
    const zl_given_box *box;   /* NULL: its conditions have no products */
    const zl_given_part *part; /* NULL: it has none */
};

struct zl_given {
    zlay_ctx *ctx;
    const zl_given_form *form;
    zl_subject subject;   /* its texts are 1 */
    struct zlay_tensormap *map; /* the part that `part` asks, or the subject itself; or NULL */
    struct zl_issue *issue;     /* the subject, where that is an issued copy */
    const zlay_given *text;
    uint32_t count, opened;
    const zlay_facts *facts;
    zl_unknowns names;
    int64_t *coefficient; /* a row a text, the constant behind the names */
    int64_t *line;        /* one row for a condition's form */
    zl_condition open[ZL_CONDITIONS_MOST];
};

/* The names and the coefficients of the texts, in working memory of the call. */
zlay_status zl_symbolic_read(zl_given *g);

/* The check, a part of a call: form, subject, texts and facts are set, the rest is 0. */
zlay_status zl_given_check(zl_given *g, zlay_verdict *out, zlay_reason *reasons, size_t room,
                           zlay_buf *guard);
/* Whether the arguments of a question beside its subject are such. */
bool zl_symbolic_askable(const zlay_verdict *out, const zlay_reason *reasons, size_t room,
                      const zlay_buf *guard);

/* The text given for an entry of a field. */
uint8_t zl_given_at(const zl_given *g, int32_t field, uint32_t index);
const int64_t *zl_symbolic_row(const zl_given *g, uint8_t text);

int64_t zl_bounded(uint64_t value);
/* What a row asks of the quantity that a text is. */
zl_condition zl_condition_of(const zl_rule *rule, const zl_given *g, uint32_t i, uint8_t text);

/* What the facts say of a condition, and of its form. */
zlay_status zl_condition_state(zl_state *out, zlay_range *range, zl_given *g,
                               const zl_condition *c);

/* A condition's form into g->line; false: it does not fit 64 bits. */
bool zl_condition_line(const zl_given *g, const zl_condition *c);

/* The range of the form in g->line, and what it says of lo <= form <= hi. */
zlay_status zl_line_range(zlay_range *out, const zl_given *g);
zl_state zl_state_of(zlay_range range, int64_t lo, int64_t hi);

/* The open conditions as an expression of C. */
void zl_guard_write(zl_text *out, const void *given);

#endif
