/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of a GEMM of which some are unknown: ranges, shapes, and how rows of the operands are aligned; and the list of
 * the planner's choices. */
#include "synth/variants/gemm.h"
#include "target/target.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { GRANULE = 16 /* bytes of a tensor copy */ };

/* ---- sizes ----------------------------------------------------------------------------------- */

/* A size of a shape; the fields that an order says are the rows of an operand, and what is in one. */
uint64_t *zl_derived_field(zlay_gemm *g, int size)
{
    uint64_t *const field[] = {&g->m, &g->n, &g->k, &g->lda, &g->ldb, &g->ldd};
    return field[size];
}

static const int by_row[][2] = {{ZLAY_VARIANTS_K, ZLAY_VARIANTS_M}, {ZLAY_VARIANTS_N, ZLAY_VARIANTS_K}, {ZLAY_VARIANTS_N, ZLAY_VARIANTS_M}};

static bool is_row(const zlay_gemm *g, int operand)
{
    if (operand == ZLAY_OPERAND_B) return g->b_order == ZLAY_ORDER_ROW;
    return (operand == ZLAY_OPERAND_A ? g->a_order : g->d_order) != ZLAY_ORDER_COLUMN;
}

static int inner_of(const zlay_gemm *g, int operand) { return by_row[operand][!is_row(g, operand)]; }
static int outer_of(const zlay_gemm *g, int operand) { return by_row[operand][is_row(g, operand)]; }

bool zl_derived_has(const zl_derived *d, int size) { return d->asked->of[size] || *zl_derived_field(d->base, size); }

/* The size from one row to the next: what is in a row, where rows are dense. */
static int pitch_of(const zl_derived *d, int operand)
{
    return zl_derived_has(d, ZLAY_VARIANTS_LDA + operand) ? ZLAY_VARIANTS_LDA + operand : inner_of(d->base, operand);
}

zlay_range zl_derived_range(const zl_derived *d, int size)
{
    uint32_t of = d->asked->of[size];
    return of ? d->u->at[of - 1].range : zl_range_constant((int64_t)*zl_derived_field(d->base, size));
}

/* The request with the numbers of a shape. */
zlay_gemm zl_derived_at(const zl_derived *d, uint32_t shape)
{
    zlay_gemm g = *d->base;
    const int64_t *value = d->asked->shapes.value + (size_t)shape * d->u->count;
    for (int size = 0; size < ZLAY_VARIANTS_SIZES; size++)
        if (d->asked->of[size]) *zl_derived_field(&g, size) = (uint64_t)value[d->asked->of[size] - 1];
    return g;
}

/* ---- alignments ------------------------------------------------------------------------------ */

static uint32_t aligned(uint64_t bytes)
{
    uint64_t all = bytes | GRANULE;
    return (uint32_t)(all & (~all + 1));
}

static uint64_t address_of(const zlay_gemm *g, int operand)
{
    return operand == ZLAY_OPERAND_A ? g->a_address : operand == ZLAY_OPERAND_B ? g->b_address : g->d_address;
}

/* A store writes whole rows of D, so what is in a row counts too. */
static zl_profile profile_of(const zl_derived *d, const uint64_t divisor[ZLAY_VARIANTS_SIZES])
{
    zl_profile p;
    for (int o = 0; o < ZL_OPERANDS; o++) {
        uint64_t rows = divisor[pitch_of(d, o)] | (o == ZLAY_OPERAND_D ? divisor[inner_of(d->base, o)] : 0);
        p.align[o] = aligned(rows * d->element[o] | address_of(d->base, o));
    }
    return p;
}

zl_profile zl_derived_profile(const zl_derived *d, uint32_t shape)
{
    uint64_t value[ZLAY_VARIANTS_SIZES];
    zlay_gemm g = zl_derived_at(d, shape);
    for (int size = 0; size < ZLAY_VARIANTS_SIZES; size++) value[size] = *zl_derived_field(&g, size);
    return profile_of(d, value);
}

/* What the facts say of all shapes. */
zl_profile zl_derived_least(const zl_derived *d)
{
    uint64_t divisor[ZLAY_VARIANTS_SIZES];
    for (int size = 0; size < ZLAY_VARIANTS_SIZES; size++) divisor[size] = zl_range_divisor(zl_derived_range(d, size));
    return profile_of(d, divisor);
}

bool zl_profile_has(const zl_profile *shape, const zl_profile *p)
{
    for (int o = 0; o < ZL_OPERANDS; o++)
        if (shape->align[o] < p->align[o]) return false;
    return true;
}

/* The request of a shape whose rows are aligned as the profile says and no better. */
zlay_gemm zl_derived_exact(const zl_derived *d, uint32_t shape, const zl_profile *p)
{
    zlay_gemm g = zl_derived_at(d, shape);
    zl_profile here = zl_derived_profile(d, shape);
    for (int o = 0; o < ZL_OPERANDS; o++)
        if (here.align[o] > p->align[o]) *zl_derived_field(&g, ZLAY_VARIANTS_LDA + o) = *zl_derived_field(&g, pitch_of(d, o)) + p->align[o] / d->element[o];
    return g;
}

int zl_derived_inner(const zl_derived *d, int operand) { return inner_of(d->base, operand); }
int zl_derived_outer(const zl_derived *d, int operand) { return outer_of(d->base, operand); }
int zl_derived_pitch(const zl_derived *d, int operand) { return pitch_of(d, operand); }

/* ---- choices ---------------------------------------------------------------------------------- */

/* Plans by other instructions than wgmma have none of split_k, swap and stream_k. */
zlay_gemm zl_derived_fixed(const zl_derived *d, const zlay_gemm *gemm, const zl_tiling *t)
{
    zlay_gemm g = *gemm;
    g.tile_m = t->tile[0], g.tile_n = t->tile[1], g.tile_k = t->tile[2];
    g.split_k = d->target->features & ZL_HAS_WGMMA ? t->splits : 0;
    g.swap = t->swap ? ZLAY_SWAP_ALWAYS : ZLAY_SWAP_NEVER;
    g.stream_k = t->stream ? ZLAY_STREAM_ALWAYS : ZLAY_STREAM_NEVER;
    return g;
}

static bool same_tiling(const zl_tiling *a, const zl_tiling *b)
{
    return !memcmp(a->tile, b->tile, sizeof a->tile) && a->splits == b->splits && a->swap == b->swap && a->stream == b->stream &&
           !memcmp(&a->profile, &b->profile, sizeof a->profile);
}

zlay_status zl_derived_put(zl_derived *d, const zl_tiling *t, uint64_t shapes)
{
    uint32_t i = 0;
    while (i < d->tilings && !same_tiling(&d->tiling[i], t)) i++;
    if (i == ZLAY_VARIANTS_CANDIDATES)
        return zl_fail(d->ctx, ZLAY_ELIMIT, "the planner chooses more than %d tilings", ZLAY_VARIANTS_CANDIDATES);
    if (i == d->tilings) d->tiling[d->tilings++] = *t, d->tiling[i].shapes = 0;
    d->tiling[i].shapes |= shapes;
    return ZLAY_OK;
}

/* ---- facts ------------------------------------------------------------------------------------ */

const char *zl_derived_name(const zl_derived *d, int size)
{
    uint32_t of = d->asked->of[size];
    return of ? d->u->at[of - 1].name.text : NULL;
}

zlay_status zl_facts_put(const zl_derived *d, zl_facts_list *list, const char *format, ...)
{
    enum { ROOM = 256 };
    char *text = zl_scratch(d->ctx, ROOM, 1);
    if (!text) return ZLAY_ENOMEM;
    if (list->count == ZL_DERIVED_FACTS) return zl_fail(d->ctx, ZLAY_ELIMIT, "facts: more than %d", ZL_DERIVED_FACTS);
    va_list args;
    va_start(args, format);
    vsnprintf(text, ROOM, format, args);
    va_end(args);
    list->text[list->count++] = text;
    return ZLAY_OK;
}
