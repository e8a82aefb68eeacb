/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a cluster's kernel while it is printed. The exchange of registers
 * (cluster_exchange.c) and the multicast load (cluster_multicast.c) print their bodies into it. */
#ifndef ZL_EMIT_CLUSTER_H
#define ZL_EMIT_CLUSTER_H

#include "emit/emit.h"

typedef struct zl_cluster_text {
    zl_emit e;
    const zlay_target *target;
    uint32_t blocks;
    const char *parameters; /* the text between the parentheses */
    void (*body)(struct zl_cluster_text *k);
    const void *plan;
} zl_cluster_text;

enum { ZL_CLUSTER_THREADS = 128 };

/* Check the name and the forms, find the oldest PTX version, print. */
zlay_status zl_cluster_print(zlay_ctx *ctx, zlay_buf *out, zl_cluster_text *k, const char *name,
                             size_t length);

/* All threads of all blocks meet. */
void zl_cluster_meet(zl_cluster_text *k);

/* Thread 0 expects z bytes at the mbarrier `bar`, for its first phase. */
void zl_cluster_expect(zl_cluster_text *k);

/* Every thread waits for the first phase of `bar`, or traps. */
void zl_cluster_wait(zl_cluster_text *k);

/* Begin and end a loop over words in which threads take turns: `at` is the number of the word, of
 * [0, count). */
void zl_cluster_loop(zl_cluster_text *k, const char *label, uint64_t count);
void zl_cluster_next(zl_cluster_text *k, const char *label, uint64_t count);

#endif
