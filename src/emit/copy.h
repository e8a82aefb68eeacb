/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a transfer's kernel, and the pieces that print it. */
#ifndef ZL_EMIT_COPY_H
#define ZL_EMIT_COPY_H

#include "emit/emit.h"
#include "synth/transfer.h"

typedef struct zl_copy_text {
    zl_emit e;
    const zlay_transfer *t;
    const char *unit; /* of item numbers: "u32", or "u64" where they need it */
} zl_copy_text;

/* The bodies: `item` holds the number of the vector, run or tile. */
void zl_copy_threads(zl_copy_text *k);
void zl_copy_realign(zl_copy_text *k);
void zl_copy_async(zl_copy_text *k);
void zl_copy_bulk(zl_copy_text *k);
void zl_copy_transpose(zl_copy_text *k);
void zl_copy_matrix(zl_copy_text *k);

/* item = the access-th of the thread's items; whoever has none goes on at `away`. */
void zl_copy_item(zl_copy_text *k, uint32_t access, const char *away);

/* Take `item` apart: the place along the first loop, in units of `unit` elements of which there are
 * `count`, goes to `x`, that along a turned loop to `y`; from and to are the offsets that all other
 * loops add, in elements. */
void zl_copy_digits(zl_copy_text *k, uint64_t count, uint64_t turned);

/* offset += digit * stride */
void zl_copy_add(zl_copy_text *k, const char *offset, const char *digit, int64_t stride);

/* from and to: element offsets become addresses. */
void zl_copy_addresses(zl_copy_text *k);

typedef enum zl_access { ZL_LD_GLOBAL, ZL_ST_GLOBAL, ZL_LD_SHARED, ZL_ST_SHARED } zl_access;

/* Load or store `bytes` at address + more with registers from w<first> on; one or two bytes are in
 * h<first>. */
void zl_copy_access(zl_copy_text *k, const char *guard, zl_access what, uint32_t bytes,
                    const char *address, uint32_t more, uint32_t first);

#endif
