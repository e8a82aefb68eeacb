/* SPDX-License-Identifier: Apache-2.0 */
/* Types and forms of a body's operations, as rows of types.def and ops.def, and the decimal
 * numbers of its text. A number keeps its decimal form, so that printing is exact; its value is
 * exact arithmetic on numbers that a double holds (Clinger's fast path, "How to read floating
 * point numbers accurately", 1990). */
#include "body/body.h"

#include <math.h>
#include <string.h>

static const struct {
    int32_t type;
    const char *name;
    uint32_t bits, class;
} types[] = {
#define BODY_TYPE(id, name, bits, class) {ZLAY_TYPE_##id, name, bits, ZL_BODY_##class},
#include "body/types.def"
#undef BODY_TYPE
};

enum {
    NONE = ZL_BODY_NONE,
    FLOAT = ZL_BODY_FLOAT,
    HALF = ZL_BODY_HALF,
    INT = ZL_BODY_INT,
    CONDITION = ZL_BODY_CONDITION
};

const zl_body_form zl_body_forms[ZL_BODY_OPS] = {
#define BODY_OP(id, word, kind, args, takes, does) {word, ZL_BODY_##kind, args, takes},
#include "body/ops.def"
#undef BODY_OP
};

const char *const zl_round_words[ZL_ROUNDS] = {"", "rz", "rm", "rp", "biased", "scaled"};

uint32_t zl_body_class(int32_t type)
{
    if (type == ZL_BODY_BOOL) return ZL_BODY_CONDITION;
    for (size_t i = 0; i < ZL_COUNT(types); i++)
        if (types[i].type == type) return types[i].class;
    return 0;
}

const char *zl_body_type_name(int32_t type)
{
    for (size_t i = 0; i < ZL_COUNT(types); i++)
        if (types[i].type == type) return types[i].name;
    return type == ZL_BODY_BOOL ? "a condition" : "a number";
}

bool zl_body_type_find(int32_t *out, const char *word, size_t length)
{
    for (size_t i = 0; i < ZL_COUNT(types); i++)
        if (strlen(types[i].name) == length && !memcmp(types[i].name, word, length)) {
            *out = types[i].type;
            return true;
        }
    return false;
}

uint32_t zl_biased(int32_t from, int32_t to)
{
    return (to == ZLAY_TYPE_F16 ? 1024u : 128u) + (from == ZLAY_TYPE_S4 ? 8u : 0u);
}

int32_t zl_scaled(int32_t from, int32_t to)
{
    if (from == ZLAY_TYPE_UE8M0) return 62;
    return to == ZLAY_TYPE_F16 ? -14 : -126;
}

double zl_decimal_value(const zl_decimal *d)
{
    double value = d->infinite ? (double)INFINITY : (double)d->mantissa, power = 1;
    if (d->infinite) return d->mantissa < 0 ? -value : value;
    for (int32_t i = d->exponent < 0 ? -d->exponent : d->exponent; i > 0; i--) power *= 10;
    return d->exponent < 0 ? value / power : value * power;
}

static const struct {
    const char *word;
    int32_t sort;
} sorts[] = {{"matrix", ZLAY_BODY_MATRIX}, {"row", ZLAY_BODY_ROW},
             {"column", ZLAY_BODY_COLUMN}, {"part", ZLAY_BODY_PART},
             {"scalar", ZLAY_BODY_SCALAR}, {"index", ZLAY_BODY_INDEX},
             {"global", ZLAY_BODY_GLOBAL}, {"shared", ZLAY_BODY_SHARED},
             {"output", ZLAY_BODY_OUTPUT}};

const char *zl_body_sort_word(int32_t sort)
{
    for (size_t i = 0; i < ZL_COUNT(sorts); i++)
        if (sorts[i].sort == sort) return sorts[i].word;
    return "";
}

uint32_t zl_body_sort_shape(int32_t sort)
{
    switch (sort) {
    case ZLAY_BODY_MATRIX: return ZL_ON_BOTH;
    case ZLAY_BODY_ROW: return ZL_ON_ROW;
    case ZLAY_BODY_COLUMN: return ZL_ON_COLUMN;
    case ZLAY_BODY_PART: return ZL_ON_ROW | ZL_ON_LANE;
    default: return 0;
    }
}

int32_t zl_body_sort_take(zl_cursor *at)
{
    zl_cursor before = *at;
    for (size_t i = 0; i < ZL_COUNT(sorts); i++) {
        if (zl_cursor_keyword(at, sorts[i].word) && zl_cursor_peek(at) != '=') return sorts[i].sort;
        *at = before;
    }
    return 0;
}
