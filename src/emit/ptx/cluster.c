/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the frame that kernels of a cluster share: parameters, shared memory with one mbarrier,
 * meetings of all blocks, waits, and loops in which threads take words in turn. The body is the
 * caller's. */
#include "emit/ptx/cluster.h"

#include <string.h>
#include <zlay/instruction.h>

enum { TRIES = 1 << 22 }; /* of a wait whose every try suspends the thread: seconds */

static void kernel(zl_cluster_text *k)
{
    zl_emit *e = &k->e;
    zl_putf(e->out, "// zlay %s: %u blocks\n", zlay_version(), k->blocks);
    zl_putf(e->out, ".version %u.%u\n.target %s\n.address_size 64\n\n", e->ptx / 10, e->ptx % 10,
            zlay_target_name(k->target));
    zl_puts(e->out, ".extern .shared .align 1024 .b8 $smem[];\n\n.visible .entry ");
    zl_put(e->out, e->name, e->name_length);
    zl_putf(e->out, "(%s)\n    .maxntid %d, 1, 1\n    .reqnctapercluster %u, 1, 1\n{\n",
            k->parameters, ZL_CLUSTER_THREADS, k->blocks);
    zl_emit_line(e, ".reg .pred p, q, one;");
    zl_emit_line(e, ".reg .b32 tid, rank, smem, bar, tries, at, z, w<8>;");
    zl_emit_line(e, ".reg .b64 from, to, d;");
    zl_emit_line(e, "mov.u32 tid, %%tid.x;");
    zl_emit_line(e, "mov.u32 rank, %%cluster_ctarank;");
    zl_emit_line(e, "mov.u32 smem, $smem;");
    zl_emit_line(e, "setp.eq.u32 one, tid, 0;");
    k->body(k);
    zl_puts(e->out, "    ret;\n}\n");
}

static uint32_t kernel_counted(zl_text *out, const void *value)
{
    zl_cluster_text k = *(const zl_cluster_text *)value;
    k.e.out = out;
    kernel(&k);
    return k.e.ptx;
}

static void kernel_write(zl_text *out, const void *value) { kernel_counted(out, value); }

static zlay_status form_check(zlay_ctx *ctx, const zlay_target *target, const char *id)
{
    zlay_instruction asked = {0};
    zlay_verdict verdict;
    zlay_status status = zlay_instruction_find(&asked.form, id, strlen(id));
    if (!status) status = zlay_instruction_check(&verdict, NULL, 0, target, &asked);
    if (status || verdict.answer == ZLAY_YES) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "target %s: it has no %s", zlay_target_name(target), id);
}

zlay_status zl_cluster_print(zlay_ctx *ctx, zlay_buf *out, zl_cluster_text *k, const char *name,
                             size_t length)
{
    zlay_status status = zl_name_check(ctx, name, length);
    if (!status) status = form_check(ctx, k->target, "mapa");
    if (status) return status;
    k->e.ptx = zl_ptx_least(kernel_counted, k, k->target);
    k->e.name = name;
    k->e.name_length = length;
    return zl_print(out, kernel_write, k);
}

void zl_cluster_meet(zl_cluster_text *k)
{
    zl_emit_form(&k->e, "", ZL_FORM_CLUSTER_ARRIVE, NULL);
    zl_emit_form(&k->e, "", ZL_FORM_CLUSTER_WAIT, NULL);
}

void zl_cluster_expect(zl_cluster_text *k)
{
    zl_emit *e = &k->e;
    zl_emit_form(e, "@one ", ZL_FORM_MBAR_INIT, (const char *const[]){"bar", "1"});
    zl_emit_form(e, "@one ", ZL_FORM_FENCE_MBAR_INIT, NULL);
    zl_emit_form(e, "@one ", ZL_FORM_MBAR_ARRIVE_EXPECT, (const char *const[]){"bar", "z"});
}

void zl_cluster_wait(zl_cluster_text *k)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "mov.u32 tries, 0;");
    zl_puts(e->out, "$wait:\n");
    zl_emit_form(e, "", ZL_FORM_MBAR_TRY_WAIT, (const char *const[]){"p", "bar", "0"});
    zl_emit_line(e, "@p bra $landed;");
    zl_emit_line(e, "add.u32 tries, tries, 1;");
    zl_emit_line(e, "setp.lt.u32 p, tries, %d;", TRIES);
    zl_emit_line(e, "@p bra $wait;");
    zl_emit_line(e, "trap;");
    zl_puts(e->out, "$landed:\n");
}

void zl_cluster_loop(zl_cluster_text *k, const char *label, uint64_t count)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "mov.u32 at, tid;");
    zl_emit_line(e, "setp.ge.u32 p, at, %llu;", (unsigned long long)count);
    zl_emit_line(e, "@p bra $%s_end;", label);
    zl_putf(e->out, "$%s:\n", label);
}

void zl_cluster_next(zl_cluster_text *k, const char *label, uint64_t count)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "add.u32 at, at, %d;", ZL_CLUSTER_THREADS);
    zl_emit_line(e, "setp.lt.u32 p, at, %llu;", (unsigned long long)count);
    zl_emit_line(e, "@p bra $%s;", label);
    zl_putf(e->out, "$%s_end:\n", label);
}
