/* SPDX-License-Identifier: Apache-2.0 */
/* A transfer's kernel while it is printed. A transfer moves a whole tensor in global memory; its
 * items are vectors, runs or tiles, and each thread or block takes one. copy.c prints the frame and
 * finds the addresses of an item; the bodies are in copy_rows.c, copy_tile.c and copy_bulk.c. */
#ifndef ZL_EMIT_COPY_H
#define ZL_EMIT_COPY_H

#include "emit/emit.h"
#include "synth/transfer/transfer.h"

typedef enum zl_move_access {
    ZL_LD_GLOBAL,
    ZL_ST_GLOBAL,
    ZL_LD_SHARED,
    ZL_ST_SHARED,
    ZL_LD_PEER, /* shared memory of another block of the cluster */
    ZL_ST_PEER
} zl_move_access;

/* The form of an access of so many bytes, a power of two that the space has. */
zl_form_id zl_access_form(zl_move_access what, uint32_t bytes);

typedef struct zl_kernel_text {
    zl_emit e;
    const zlay_transfer *t;
    const char *unit; /* of item numbers: "u32", or "u64" where they need it */
} zl_kernel_text;

/* Print a transfer's kernel behind others of a module; the oldest PTX version that has its forms. */
uint32_t zl_transfer_put(zl_text *out, const zlay_transfer *transfer, const char *name,
                         size_t length);

/* The bodies: `item` holds the number of the vector, run or tile. */
void zl_kernel_threads(zl_kernel_text *k);
void zl_kernel_realign(zl_kernel_text *k);
void zl_kernel_async(zl_kernel_text *k);
void zl_kernel_bulk(zl_kernel_text *k);
void zl_kernel_transpose(zl_kernel_text *k);
void zl_kernel_matrix(zl_kernel_text *k);

/* item = the access-th of the thread's items; a thread that has none goes on at `away`. */
void zl_kernel_item(zl_kernel_text *k, uint32_t access, const char *away);

/* Take `item` apart: the place along the first loop, in units of `unit` elements of which there are
 * `count`, goes to `x`, that along a turned loop to `y`; from and to are the offsets that all other
 * loops add, in elements. */
void zl_kernel_digits(zl_kernel_text *k, uint64_t count, uint64_t turned);

/* from and to of sides that are apart, in elements, from the index `item`. */
void zl_kernel_apart(zl_kernel_text *k);

/* offset += digit * stride */
void zl_kernel_add(zl_kernel_text *k, const char *offset, const char *digit, int64_t stride);

/* from and to: element offsets become addresses. */
void zl_kernel_addresses(zl_kernel_text *k);


/* Load or store `bytes` at address + more with registers from w<first> on; one or two bytes are in
 * h<first>. */
void zl_kernel_access(zl_kernel_text *k, const char *guard, zl_move_access what, uint32_t bytes,
                      const char *address, uint32_t more, uint32_t first);

#endif
