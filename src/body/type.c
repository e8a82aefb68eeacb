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

const char *const zl_round_words[ZL_ROUNDS] = {"", "rz", "rm", "rp"};

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

double zl_decimal_value(const zl_decimal *d)
{
    double value = d->infinite ? (double)INFINITY : (double)d->mantissa, power = 1;
    if (d->infinite) return d->mantissa < 0 ? -value : value;
    for (int32_t i = d->exponent < 0 ? -d->exponent : d->exponent; i > 0; i--) power *= 10;
    return d->exponent < 0 ? value / power : value * power;
}
