/* SPDX-License-Identifier: Apache-2.0 */
/* Plans which slot of a cluster serves each slot of dest when registers change blocks. With the
 * place x inside a block and the block y, source is S x + T y over F2. The slot d of dest, in block
 * b, is served from block b + c and place x where
 *     S x + T c = dest(d) + T b.
 * The system is solved by elimination, with the columns of S before those of T. Then c is 0 exactly
 * where the right side lies in the image of S, that is, where the block itself holds the element.
 * So an element crosses blocks only if it must, and the number of crossings is the least. */
#include "algebra/f2/f2.h"
#include "algebra/decide/certificate.h"
#include "synth/cluster/cluster.h"

#include <string.h>
#include <zlay/decide.h>
#include <zlay/f2.h>

enum { DIMS = 16, BITS = 64, WORD = 4, BEFORE = 32 };

static const char block_name[] = "block";

/* An F2 layout taken apart. */
typedef struct parts {
    zlay_dim in[DIMS], out[DIMS];
    uint64_t basis[BITS * DIMS]; /* a row of `outs` a bit */
    size_t ins, outs;
    size_t block;      /* which input */
    uint32_t bits, from, to; /* of all inputs; the block's are [from, to) */
} parts;

static uint32_t log2_of(uint64_t size)
{
    return size ? (uint32_t)__builtin_ctzll(size) : BITS;
}

static zlay_status take_apart(zlay_ctx *ctx, parts *p, const zlay_layout *a, const char *name)
{
    if (!a || zlay_layout_kind(a) != ZLAY_LAYOUT_F2 || zlay_f2_in_count(a) > DIMS ||
        zlay_layout_out_count(a) > DIMS)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: no F2 layout of at most %d inputs and outputs", name,
                       DIMS);
    *p = (parts){.ins = zlay_f2_in_count(a),
                 .outs = zlay_layout_out_count(a),
                 .bits = zlay_f2_bits(a)};
    p->block = p->ins;
    for (size_t i = 0, bit = 0; i < p->ins; i++) {
        zlay_f2_in_nth(&p->in[i], a, i);
        uint32_t wide = log2_of(p->in[i].size);
        if (!strcmp(p->in[i].name, block_name)) {
            p->block = i;
            p->from = (uint32_t)bit;
            p->to = (uint32_t)bit + wide;
        }
        bit += wide;
    }
    for (size_t i = 0; i < p->outs; i++) zlay_f2_out_nth(&p->out[i], a, i);
    for (uint32_t bit = 0; bit < p->bits; bit++)
        zlay_f2_basis(p->basis + bit * p->outs, p->outs, a, bit);
    if (p->block < p->ins) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "%s: it has no input 'block'", name);
}

static zlay_status put_together(zlay_ctx *ctx, zlay_layout **out, const parts *p)
{
    const zlay_f2_bases bases = {.size = sizeof bases, .ins = p->ins, .outs = p->outs,
                                 .in = p->in, .out = p->out, .basis = p->basis};
    return zl_f2_new(ctx, out, &bases);
}

static zlay_status match(zlay_ctx *ctx, const parts *source, const parts *dest)
{
    if (source->in[source->block].size != dest->in[dest->block].size)
        return zl_fail(ctx, ZLAY_EINVAL, "source has %llu blocks and dest %llu",
                       (unsigned long long)source->in[source->block].size,
                       (unsigned long long)dest->in[dest->block].size);
    if (source->to - source->from > 4)
        return zl_fail(ctx, ZLAY_EINVAL, "block: a cluster has at most 16");
    bool same = source->outs == dest->outs;
    for (size_t i = 0; same && i < source->outs; i++)
        same = !strcmp(source->out[i].name, dest->out[i].name) &&
               source->out[i].size == dest->out[i].size;
    return same ? ZLAY_OK : zl_fail(ctx, ZLAY_EINVAL, "source and dest have other outputs");
}

/* Source with the block as its last input, so that elimination uses the block's columns last. */
static zlay_status block_last(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *source,
                              const parts *p)
{
    const char *names[DIMS];
    size_t count = 0;
    for (size_t i = 0; i < p->ins; i++)
        if (i != p->block) names[count++] = p->in[i].name;
    names[count++] = block_name;
    return zl_f2_transpose_ins(ctx, out, source, names, count);
}

/* The right side of the system: dest(d) + T b, over the slots of dest. */
static zlay_status relative(zlay_ctx *ctx, zlay_layout **out, const parts *source,
                            const parts *dest)
{
    parts p = *dest;
    for (uint32_t i = 0; i < p.to - p.from; i++)
        for (size_t o = 0; o < p.outs; o++)
            p.basis[(p.from + i) * p.outs + o] ^=
                source->basis[(source->from + i) * source->outs + o];
    return put_together(ctx, out, &p);
}

/* Makes the route: adds the block's own rank b to c, so that the result is the serving block. */
static zlay_status own_block(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *offset)
{
    parts p;
    zlay_status status = take_apart(ctx, &p, offset, "route");
    for (uint32_t i = 0; !status && i < p.to - p.from; i++)
        p.basis[(p.from + i) * p.outs + p.outs - 1] ^= (uint64_t)1 << i;
    return status ? status : put_together(ctx, out, &p);
}

/* Counts the pairs of an element and a block that dest wants, 2^rank; those that cross blocks, by
 * the rank of c; the set of all c; and the shared memory that the exchange takes. */
static zlay_status count(zlay_ctx *ctx, zlay_exchange *x, const zlay_layout *offset,
                         const parts *dest)
{
    zlay_layout *both = NULL, *across = NULL;
    parts p = *dest;
    uint32_t wanted = 0, crossing = 0;
    if (p.outs == DIMS) return zl_fail(ctx, ZLAY_EINVAL, "dest has %d outputs", DIMS);
    p.out[p.outs] = (zlay_dim){.size = p.in[p.block].size};
    memcpy(p.out[p.outs].name, "zl_rank", sizeof "zl_rank");
    for (uint32_t bit = 0; bit < p.bits; bit++) {
        bool own = bit >= p.from && bit < p.to;
        memcpy(p.basis + bit * (p.outs + 1), dest->basis + bit * p.outs,
               p.outs * sizeof *p.basis);
        p.basis[bit * (p.outs + 1) + p.outs] = own ? (uint64_t)1 << (bit - p.from) : 0;
    }
    p.outs++;
    const char *ins[DIMS], *const outs[] = {block_name};
    for (size_t i = 0; i < p.ins; i++) ins[i] = p.in[i].name;
    zlay_status status = put_together(ctx, &both, &p);
    if (!status) status = zlay_f2_rank(&wanted, both);
    if (!status) status = zl_f2_sublayout(ctx, &across, offset, ins, p.ins, outs, 1);
    if (!status) status = zlay_f2_rank(&crossing, across);
    zlay_layout_free(both);
    if (!status && wanted >= BITS - 1)
        status = zl_fail(ctx, ZLAY_EOVERFLOW, "2^%u pairs of an element and a block", wanted);
    if (!status) {
        x->info.wanted = (uint64_t)1 << wanted;
        x->info.crossing = x->info.wanted - (x->info.wanted >> crossing);
        x->info.partners = 1;
        x->info.smem = WORD * ((x->source->size + x->info.wanted) / x->info.blocks) + BEFORE;
    }
    for (uint32_t bit = 0; !status && bit < p.bits; bit++) {
        uint64_t step = 0;
        zlay_f2_basis(&step, 1, across, bit);
        for (uint32_t from = 0; from < 16; from++)
            if (x->info.partners >> from & 1) x->info.partners |= 1u << (from ^ step);
    }
    zlay_layout_free(across);
    return status;
}

static zlay_status decide(zlay_ctx *ctx, zlay_exchange *x)
{
    zlay_status status = zl_f2_composition(ctx, &x->served, x->source, x->route);
    return status ? status : zl_certificate_equal(ctx, x->served, x->dest, 0);
}

static zlay_status solve(zlay_ctx *ctx, zlay_exchange *x, const parts *source, const parts *dest)
{
    zlay_layout *turned = NULL, *wish = NULL, *offset = NULL;
    zlay_status status = block_last(ctx, &turned, x->source, source);
    if (!status) status = relative(ctx, &wish, source, dest);
    if (!status) status = zl_f2_lstsq(ctx, &offset, turned, wish);
    if (!status) status = own_block(ctx, &x->route, offset);
    if (!status) status = count(ctx, x, offset, dest);
    zlay_layout_free(turned);
    zlay_layout_free(wish);
    zlay_layout_free(offset);
    return status ? status : decide(ctx, x);
}

static zlay_status fill(zlay_ctx *ctx, zlay_exchange *x, const zlay_layout *source,
                        const zlay_layout *dest)
{
    parts from, to;
    zlay_status status = take_apart(ctx, &from, source, "source");
    if (!status) status = take_apart(ctx, &to, dest, "dest");
    if (!status) status = match(ctx, &from, &to);
    if (!status) status = put_together(ctx, &x->source, &from);
    if (!status) status = put_together(ctx, &x->dest, &to);
    if (status) return status;
    x->info.blocks = 1u << (from.to - from.from);
    return solve(ctx, x, &from, &to);
}

zlay_status zlay_exchange_synth(zlay_ctx *ctx, zlay_exchange **out, const zlay_layout *source,
                                const zlay_layout *dest)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_exchange *x = zl_alloc(ctx, 1, sizeof *x);
    if (!x) return zl_leave(ctx, ZLAY_ENOMEM);
    x->alloc = zl_allocator(ctx);
    status = zl_leave(ctx, zl_whole(ctx, fill(ctx, x, source, dest)));
    if (status) zlay_exchange_free(x);
    else *out = x;
    return status;
}

void zlay_exchange_free(zlay_exchange *x)
{
    if (!x) return;
    zlay_layout_free(x->route);
    zlay_layout_free(x->source);
    zlay_layout_free(x->dest);
    zlay_layout_free(x->served);
    zlay_allocator alloc = x->alloc;
    zl_free(&alloc, x, sizeof *x);
}

zlay_status zlay_exchange_info(zlay_exchange_summary *out, const zlay_exchange *x)
{
    if (!out || !x) return ZLAY_EINVAL;
    *out = x->info;
    return ZLAY_OK;
}

const zlay_layout *zlay_exchange_route(const zlay_exchange *x) { return x ? x->route : NULL; }

zlay_status zlay_exchange_certificate(const zlay_layout **a, const zlay_layout **b,
                                      const zlay_exchange *x)
{
    if (!a || !b || !x) return ZLAY_EINVAL;
    *a = x->served;
    *b = x->dest;
    return ZLAY_OK;
}
