/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the rows in rules, for those who include rows: rule.c as data, a subject as code. */
#ifndef ZL_ROWS_H
#define ZL_ROWS_H

#include "rules/bounds.h"
#include "rules/constants.h"
#include "rules/rule.h"

enum {
#define CLASSES(name, text, classes) name = classes,
#include "target/classes.def"
#undef CLASSES
};

/* Where each row stands in zl_rules. */
typedef enum zl_rule_row {
#define RULES(file, version)
#define RULE(number, id, ...) ZL_ROW_##id,
#include "rules/rules.def"
#undef RULES
#undef RULE
} zl_rule_row;

/* A bound below 0. */
#define NEGATIVE(n) (UINT64_MAX - (n) + 1)

/* Who enforces a row, and the classes on which it is noted and refuses nothing. */
#define BY_DRIVER           ZLAY_BY_DRIVER, 0
#define BY_DOCUMENT         ZLAY_BY_DOCUMENT, 0
#define BY_ASSEMBLER        ZLAY_BY_ASSEMBLER, 0
#define BY_HARDWARE         ZLAY_BY_HARDWARE, 0
#define BY_REFUTED          ZLAY_BY_DOCUMENT, ANY_TARGET
#define BY_REFUTED_SM90     ZLAY_BY_DOCUMENT, ON_SM90
#define BY_PRACTICE         ZLAY_BY_PRACTICE, 0
#define BY_CONFLICT         ZLAY_BY_PRACTICE, ANY_TARGET
#define BY_ADVICE           ZLAY_BY_ADVICE, ANY_TARGET

#endif
