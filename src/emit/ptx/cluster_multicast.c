/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a kernel in which the blocks of a cluster load a shared tile once: each block issues the
 * tensor copy of its slice with a mask, and the hardware writes it to all blocks of the mask
 * (multicast). Then every block writes what it received to global memory, so that a test can
 * compare. Shared memory is filled with a pattern before, which shows bytes that no copy wrote. */
#include "emit/ptx/cluster.h"

enum { UNTOUCHED = 0x5a5a5a5a, WORD = 4 };

typedef struct printed {
    char text[7][16]; /* coordinates, mask, shared address */
} printed;

static const char *number(char text[16], int64_t value)
{
    zl_text out = {text, 15, 0};
    zl_putf(&out, "%lld", (long long)value);
    text[out.need] = 0;
    return text;
}

/* Prints the copy of one slice; thread 0 of block `cta` issues it. */
static void issue(zl_cluster_text *k, const zlay_issue *i)
{
    static const zl_form_id forms[] = {ZL_FORM_MULTICAST_1D, ZL_FORM_MULTICAST_2D,
                                       ZL_FORM_MULTICAST_3D, ZL_FORM_MULTICAST_4D,
                                       ZL_FORM_MULTICAST_5D};
    printed text;
    const char *operands[9] = {"w0", "from"};
    zl_emit *e = &k->e;
    zl_emit_line(e, "setp.eq.and.u32 p, rank, %u, one;", i->cta);
    zl_emit_line(e, "add.u32 w0, smem, %llu;", (unsigned long long)i->smem);
    for (uint32_t d = 0; d < i->rank; d++) operands[2 + d] = number(text.text[d], i->coordinate[d]);
    operands[2 + i->rank] = "bar";
    operands[3 + i->rank] = number(text.text[5], (int64_t)i->cta_mask);
    zl_emit_form(e, "@p ", forms[i->rank - 1], operands);
}

/* Fills the tile in shared memory with the pattern. */
static void fill(zl_cluster_text *k, const zlay_multicast *m, uint64_t words)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "mov.u32 w0, %d;", UNTOUCHED);
    zl_cluster_loop(k, "fill", words);
    zl_emit_line(e, "mad.lo.u32 z, at, %d, smem;", WORD);
    zl_emit_line(e, "add.u32 z, z, %u;", m->smem);
    zl_emit_form(e, "", ZL_FORM_ST_SHARED_4, (const char *const[]){"z", "w0"});
    zl_cluster_next(k, "fill", words);
    zl_emit_form(e, "", ZL_FORM_FENCE_PROXY, NULL);
}

/* Copies the tile from shared to global memory. */
static void show(zl_cluster_text *k, const zlay_multicast *m, uint64_t words)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "mul.wide.u32 d, rank, %llu;", (unsigned long long)(words * WORD));
    zl_emit_line(e, "add.s64 to, to, d;");
    zl_cluster_loop(k, "show", words);
    zl_emit_line(e, "mad.lo.u32 z, at, %d, smem;", WORD);
    zl_emit_line(e, "add.u32 z, z, %u;", m->smem);
    zl_emit_form(e, "", ZL_FORM_LD_SHARED_4, (const char *const[]){"w0", "z"});
    zl_emit_line(e, "mad.wide.u32 d, at, %d, to;", WORD);
    zl_emit_form(e, "", ZL_FORM_ST_GLOBAL_4, (const char *const[]){"d", "w0"});
    zl_cluster_next(k, "show", words);
}

/* Blocks meet after every mbarrier is initialised and every pattern written, and again before
 * any exits, since slices of others land in its shared memory. */
static void body(zl_cluster_text *k)
{
    const zlay_multicast *m = k->plan;
    uint64_t words = (uint64_t)m->slices * m->slice_bytes / WORD;
    zl_emit *e = &k->e;
    zlay_issue i;
    zl_emit_line(e, "mov.b64 from, tensor;");
    zl_emit_line(e, "cvta.param.u64 from, from;");
    zl_emit_line(e, "ld.param.u64 to, [ptr_to];");
    zl_emit_line(e, "cvta.to.global.u64 to, to;");
    zl_emit_line(e, "add.u32 bar, smem, %u;", m->barrier);
    fill(k, m, words);
    zl_emit_line(e, "mov.u32 z, %u;", m->expect);
    zl_cluster_expect(k);
    zl_cluster_meet(k);
    for (uint32_t s = 0; zlay_multicast_issue(&i, m, s) == ZLAY_OK; s++) issue(k, &i);
    zl_emit_line(e, "mov.u32 z, 1;");
    zl_emit_line(e, "shl.b32 z, z, rank;");
    zl_emit_line(e, "and.b32 z, z, %u;", m->cta_mask);
    zl_emit_line(e, "setp.eq.u32 p, z, 0;");
    zl_emit_line(e, "@p bra $landed;");
    zl_cluster_wait(k);
    show(k, m, words);
    zl_cluster_meet(k);
}

zlay_status zlay_emit_multicast(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                                const zlay_multicast *multicast, const char *name, size_t length)
{
    if (!out || !target || !multicast || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zl_cluster_text k = {.target = target, .blocks = multicast->cluster, .body = body,
                         .plan = multicast,
                         .parameters = "\n    .param .align 128 .b8 tensor[128],\n"
                                       "    .param .u64 ptr_to"};
    bool valid = multicast->map.rank >= 1 && multicast->map.rank <= 5;
    status = valid ? zl_cluster_print(ctx, out, &k, name, length)
                   : zl_fail(ctx, ZLAY_EINVAL, "multicast: a map of rank %u", multicast->map.rank);
    return zl_leave(ctx, status);
}
