/* SPDX-License-Identifier: Apache-2.0 */
/* Nested tuples as text, whatever their entries are: brackets before and behind each leaf. Nothing
 * recurses. */
#ifndef ZL_TUPLE_H
#define ZL_TUPLE_H

#include "base/scan.h"

typedef struct zl_tuple {
    zl_cursor *c;
    bool strides; /* along the leaves that are there, else new ones */
    size_t leaf;
    uint32_t open, depth; /* brackets before this leaf; all that are open */
} zl_tuple;

zlay_status zl_tuple_open(zl_tuple *t);

/* Behind a leaf; the next one is then at hand. `close` is how many brackets stand there, or with
 * strides how many the extents have. More leaves come while depth is not 0. */
zlay_status zl_tuple_close(zl_tuple *t, uint32_t *close);

zlay_status zl_tuple_incongruent(const zl_tuple *t);

#endif
