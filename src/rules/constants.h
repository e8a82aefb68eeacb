/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of rules/constants.def, for rows and for subjects. */
#ifndef ZL_CONSTANTS_H
#define ZL_CONSTANTS_H

enum {
#define RULES(file, version)
#define CONSTANT(name, value) name = value,
#include "rules/rows/constants.def"
#undef RULES
};

#endif
