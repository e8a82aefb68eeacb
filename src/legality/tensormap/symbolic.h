/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps under facts, for those that have a map as a part too. */
#ifndef ZL_MAP_SYMBOLIC_H
#define ZL_MAP_SYMBOLIC_H

#include "legality/tensormap/tensormap.h"
#include "rules/symbolic/given.h"

extern const zl_given_form zl_map_symbolic;
extern const zl_given_box zl_map_box;
bool zl_map_asks(zl_condition *c, const zl_rule *rule, const zl_given *g, uint32_t i);

/* The address, or an entry of the extents or strides; NULL: another field, or no such entry. */
uint64_t *zl_map_entry(zlay_tensormap *map, int32_t field, uint32_t i);

/* Whether a text is of a map, any is, and some box is one. */
bool zl_of_map(const zlay_given *text);
bool zl_map_symbolic_any(const zl_given *g);
bool zl_box_symbolic(const zl_given *g);

/* A condition on the bytes of a box is one on its only text that counts, where no step divides it. */
void zl_box_single(zl_condition *c, const zl_given *g);

#endif
