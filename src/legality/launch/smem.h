/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory of a block as a subject of rules. */
#ifndef ZL_SMEM_H
#define ZL_SMEM_H

#include "rules/rule.h"

extern const zl_subject_form zl_smem_form; /* its value: the bytes, a uint64_t */

#endif
