/* SPDX-License-Identifier: Apache-2.0 */
/* wgmma as a probe: which address of shared memory each element of an operand is read from.
 *
 * Shared memory holds numbers that say where they lie, some bits of it a round, because an element has
 * few exact integers.  The other operand has a single 1 in each row, so every element of D is one
 * element of the operand that is asked about; the rounds together are its address. */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <zlay/zlay.h>

enum {
    PROBE_ORIGIN = 1024,          /* where a block's own shared memory begins */
    PROBE_BYTES = 200 * 1024,     /* of it */
    PROBE_ONES_B = PROBE_ORIGIN,  /* rows with one 1, as B, as B beside a sparse A, as A */
    PROBE_ONES_SPARSE = PROBE_ONES_B + 8 * 1024,
    PROBE_ONES_A = PROBE_ONES_SPARSE + 2 * 1024,
    PROBE_FREE = PROBE_ORIGIN + 19 * 1024, /* what is asked about lies from here on */
    PROBE_END = PROBE_ORIGIN + PROBE_BYTES,
    PROBE_THREADS = 128
};

/* What of an instruction is looked at. */
enum { PROBE_A, PROBE_B, PROBE_REGISTERS, PROBE_METADATA };

typedef struct probe_form {
    zlay_mma mma;
    int what;
} probe_form;

/* One block: descriptors, four registers of A a thread, and one of metadata; addresses. */
typedef struct probe_job {
    uint64_t desc_a, desc_b, registers, metadata;
} probe_job;

typedef struct probe_type {
    int32_t type;
    const char *name;
    uint32_t bits, digit, rounds; /* of an element; of its address that one round tells */
} probe_type;

extern const probe_type probe_types[];
enum { PROBE_TYPES = 8 };
const probe_type *probe_type_of(int32_t type);

/* Every form as one PTX module of entries probe0, probe1, ... */
char *probe_text(const probe_form *forms, size_t count);

/* The bits of a small integer in a type, and back from a sum. */
uint32_t probe_encode(int32_t type, uint32_t value);
uint32_t probe_decode(int32_t d, uint32_t word, uint32_t half);

/* Shared memory of one round. */
void probe_image(uint8_t *bytes, const probe_type *type, uint32_t round);

/* K of an element of B that the 1 of row s of a sparse A meets; pairs: 0 or 1. */
uint32_t probe_sparse_k(int32_t type, uint32_t s, uint32_t pair);

/* The descriptor of PROBE_ONES_*, `rows` of `chunks` 16 bytes, by the format in words. */
uint64_t probe_ones(uint32_t at, uint32_t rows);

#endif
