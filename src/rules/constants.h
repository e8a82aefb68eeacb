/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of rules/constants.def, for rows and for subjects. */
#ifndef ZL_CONSTANTS_H
#define ZL_CONSTANTS_H

#include <zlay/tmem.h>

enum {
#define RULES(file, version)
#define CONSTANT(name, value) name = value,
#include "rules/rows/constants.def"
#undef RULES
};

_Static_assert((int)TENSOR_COLUMNS == (int)ZLAY_TMEM_COLUMNS, "tmem.h counts the columns too");
_Static_assert((int)TENSOR_COLUMN_LAST == (int)TENSOR_COLUMNS - 1, "columns count from 0");

#endif
