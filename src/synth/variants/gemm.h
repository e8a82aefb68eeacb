/* SPDX-License-Identifier: Apache-2.0 */
/* A GEMM with unknown sizes while its candidates are made; all of it is working memory of the call. */
#ifndef ZL_SYNTH_VARIANTS_GEMM_H
#define ZL_SYNTH_VARIANTS_GEMM_H

#include "synth/variants/variants.h"

enum { ZL_OPERANDS = 3, ZL_DERIVED_FACTS = 80 };

/* The least alignment of rows of each operand, bytes; 16 is the most that counts. */
typedef struct zl_profile {
    uint32_t align[ZL_OPERANDS];
} zl_profile;

/* What the planner chooses, for which shapes, bit by bit. */
typedef struct zl_tiling {
    uint32_t tile[3], splits;
    bool swap, stream;
    zl_profile profile;
    uint64_t shapes;
} zl_tiling;

typedef struct zl_facts_list {
    const char *text[ZL_DERIVED_FACTS];
    uint32_t count;
} zl_facts_list;

typedef struct zl_derived {
    zlay_ctx *ctx;
    const zlay_target *target;
    const zlay_variants_gemm *asked;
    zlay_gemm *base;
    zl_unknowns *u; /* with the ranges of all facts */
    uint32_t element[ZL_OPERANDS]; /* bytes */
    zl_tiling *tiling;
    zlay_variant *candidate;
    uint32_t *of; /* the tiling of a candidate */
    uint32_t tilings, candidates;
} zl_derived;

/* ---- gemm_sizes.c ---------------------------------------------------------------------------- */

/* Sizes are ZLAY_VARIANTS_M..: the field of a request; whether a size is said; its range; the unknown that it is, NULL: a
 * number; those of an operand: what is in a row, rows, and from one row to the next. */
uint64_t *zl_derived_field(zlay_gemm *g, int size);
bool zl_derived_has(const zl_derived *d, int size);
zlay_range zl_derived_range(const zl_derived *d, int size);
const char *zl_derived_name(const zl_derived *d, int size);
int zl_derived_inner(const zl_derived *d, int operand);
int zl_derived_outer(const zl_derived *d, int operand);
int zl_derived_pitch(const zl_derived *d, int operand);

/* The request with the numbers of a shape; the same with rows that are aligned as the profile says and no better. */
zlay_gemm zl_derived_at(const zl_derived *d, uint32_t shape);
zlay_gemm zl_derived_exact(const zl_derived *d, uint32_t shape, const zl_profile *p);

/* The alignment of a shape, and that of all shapes of the facts; whether a shape has at least that of a profile. */
zl_profile zl_derived_profile(const zl_derived *d, uint32_t shape);
zl_profile zl_derived_least(const zl_derived *d);
bool zl_profile_has(const zl_profile *shape, const zl_profile *p);

/* One fact more. */
zlay_status zl_facts_put(const zl_derived *d, zl_facts_list *list, const char *format, ...) ZL_PRINTF(3, 4);

/* A tiling more, or shapes more of one that is there; the request with a tiling's choices. */
zlay_status zl_derived_put(zl_derived *d, const zl_tiling *t, uint64_t shapes);
zlay_gemm zl_derived_fixed(const zl_derived *d, const zlay_gemm *gemm, const zl_tiling *t);

/* ---- gemm_rules.c ---------------------------------------------------------------------------- */

/* The facts of the request with ranges of sizes; what bounds products of sizes, for the tiles that the planner chooses; what a
 * choice needs beside both. */
zlay_status zl_derived_facts(zl_derived *d, zl_facts_list *out);
zlay_status zl_derived_products(zl_derived *d, zl_facts_list *out);
zlay_status zl_derived_guard(const zl_derived *d, zl_facts_list *out, const zl_tiling *t);

/* ---- gemm_waste.c ---------------------------------------------------------------------------- */

/* Products and sums of a plan for a shape that no element of D has; every tile that the planner takes, with the shapes where
 * it wastes least. */
uint64_t zl_derived_waste(const zl_derived *d, uint32_t shape, const zlay_plan_summary *info);
zlay_status zl_derived_tiles(zl_derived *d);

#endif
