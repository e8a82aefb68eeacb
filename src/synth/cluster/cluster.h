/* SPDX-License-Identifier: Apache-2.0 */
/* The value behind zlay_exchange: which registers stay in their block of a cluster, and which go
 * to another one. */
#ifndef ZL_CLUSTER_H
#define ZL_CLUSTER_H

#include "algebra/layout/layout.h"
#include <zlay/cluster.h>

struct zlay_exchange {
    zlay_allocator alloc;
    zlay_exchange_summary info;
    zlay_layout *route, *source, *dest; /* the last two copies of the request's */
    zlay_layout *served;                /* source after the route */
};

#endif
