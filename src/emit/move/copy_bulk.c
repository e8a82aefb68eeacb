/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the body of a transfer that moves runs of rows by cp.async.bulk, one block a run: into
 * shared memory, a wait on an mbarrier, and out again. A bulk copy moves multiples of 16 bytes; the
 * bytes behind them are moved by threads. */
#include "emit/move/copy.h"

enum { TRIES = 1 << 22 }; /* of a wait whose every try suspends the thread: seconds */

/* z = bytes of run x: the last of a row may be shorter. */
static void run_bytes(zl_kernel_text *k, uint32_t last)
{
    zl_emit_line(&k->e, "setp.eq.u64 q, x, %llu;", (unsigned long long)zl_row_items(k->t) - 1);
    zl_emit_line(&k->e, "selp.b32 z, %u, %u, q;", last, k->t->info.width);
}

/* The last bytes of a row, fewer than 16, are copied element by element, one a thread. */
static void rest(zl_kernel_text *k, uint32_t last)
{
    uint32_t elem = zl_elem(k->t), bytes = (uint32_t)(zl_row_bytes(k->t) % ZL_CHUNK);
    zl_emit *e = &k->e;
    if (!bytes) return;
    zl_emit_line(e, "setp.lt.and.u32 p, tid, %u, q;", bytes / elem);
    zl_emit_line(e, "mul.wide.u32 y, tid, %u;", elem);
    zl_emit_line(e, "add.s64 d, from, y;");
    zl_kernel_access(k, "@p ", ZL_LD_GLOBAL, elem, "d", last, 0);
    zl_emit_line(e, "add.s64 d, to, y;");
    zl_kernel_access(k, "@p ", ZL_ST_GLOBAL, elem, "d", last, 0);
}

/* Waits until the run has landed, or traps. */
static void wait(zl_kernel_text *k)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, ".reg .b32 tries;");
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

/* One thread does it all, and no thread writes the run's shared memory otherwise, so the waits
 * order it. */
void zl_kernel_bulk(zl_kernel_text *k)
{
    uint64_t body = zl_row_bytes(k->t) / ZL_CHUNK * ZL_CHUNK;
    uint32_t run = k->t->info.width, last = (uint32_t)(body - (zl_row_items(k->t) - 1) * run);
    zl_emit *e = &k->e;
    zl_emit_line(e, ".shared .align 8 .b64 $bar;");
    zl_emit_line(e, ".reg .b32 bar;");
    zl_kernel_item(k, 0, "$finish");
    zl_kernel_digits(k, zl_row_items(k->t), 0);
    zl_kernel_addresses(k);
    zl_emit_line(e, "mad.lo.s64 from, x, %u, from;", run);
    zl_emit_line(e, "mad.lo.s64 to, x, %u, to;", run);
    run_bytes(k, last);
    rest(k, last);
    zl_emit_line(e, "setp.ne.u32 p, tid, 0;");
    zl_emit_line(e, "@p bra $finish;");
    zl_emit_line(e, "mov.u32 bar, $bar;");
    zl_emit_form(e, "", ZL_FORM_MBAR_INIT, (const char *const[]){"bar", "1"});
    zl_emit_form(e, "", ZL_FORM_FENCE_MBAR_INIT, NULL);
    zl_emit_form(e, "", ZL_FORM_MBAR_ARRIVE_EXPECT, (const char *const[]){"bar", "z"});
    zl_emit_form(e, "", ZL_FORM_BULK_LOAD, (const char *const[]){"smem", "from", "z", "bar"});
    wait(k);
    zl_emit_form(e, "", ZL_FORM_BULK_STORE, (const char *const[]){"to", "smem", "z"});
    zl_emit_form(e, "", ZL_FORM_BULK_COMMIT, NULL);
    zl_emit_form(e, "", ZL_FORM_BULK_WAIT, (const char *const[]){"0"});
}
