/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the bodies of transfers that move vectors along rows: loads and stores, through shared
 * memory by cp.async, or, where the sides are aligned differently, two aligned words shifted
 * together (shf). The elements behind a row's last whole vector are moved one by one. */
#include "emit/move/copy.h"

typedef long long ll;

static uint32_t vector(const zlay_transfer *t) { return t->info.width / zl_elem(t); }

/* Whether a row ends inside a vector. */
static bool has_tail(const zlay_transfer *t) { return zl_row_bytes(t) % t->info.width != 0; }

/* Addresses of vector x of the row. */
static void vector_addresses(zl_kernel_text *k)
{
    const zl_loop *row = &k->t->loop[0];
    if (k->t->apart[0]) {
        zl_kernel_apart(k);
        zl_kernel_addresses(k);
        return;
    }
    zl_kernel_digits(k, zl_row_items(k->t), 0);
    zl_kernel_add(k, "from", "x", row->from * vector(k->t));
    zl_kernel_add(k, "to", "x", row->to * vector(k->t));
    zl_kernel_addresses(k);
}

/* left = bytes of the row from vector x on. */
static void left(zl_kernel_text *k, const char *name)
{
    zl_emit_line(&k->e, "mul.lo.s64 %s, x, %u;", name, k->t->info.width);
    zl_emit_line(&k->e, "sub.s64 %s, %lld, %s;", name, (ll)zl_row_bytes(k->t), name);
}

/* ---- straight -------------------------------------------------------------------- */

void zl_kernel_threads(zl_kernel_text *k)
{
    uint32_t width = k->t->info.width, elem = zl_elem(k->t);
    zl_emit *e = &k->e;
    zl_kernel_item(k, 0, "$finish");
    vector_addresses(k);
    if (has_tail(k->t)) {
        left(k, "y");
        zl_emit_line(e, "setp.lt.s64 p, y, %u;", width);
        zl_emit_line(e, "@p bra $tail;");
    }
    zl_kernel_access(k, "", ZL_LD_GLOBAL, width, "from", 0, 0);
    zl_kernel_access(k, "", ZL_ST_GLOBAL, width, "to", 0, 0);
    if (!has_tail(k->t)) return;
    zl_emit_line(e, "bra $finish;");
    zl_puts(e->out, "$tail:\n");
    for (uint32_t at = 0; at < zl_row_bytes(k->t) % width; at += elem) {
        zl_kernel_access(k, "", ZL_LD_GLOBAL, elem, "from", at, 0);
        zl_kernel_access(k, "", ZL_ST_GLOBAL, elem, "to", at, 0);
    }
}

/* ---- cp.async: every access first, then every store ------------------------------- */

/* Issues the copy of the thread's i-th vector to its place in shared memory. */
static void async_issue(zl_kernel_text *k, uint32_t i)
{
    zl_form_id form = k->t->info.width == 16  ? ZL_FORM_CP_ASYNC_16
                      : k->t->info.width == 8 ? ZL_FORM_CP_ASYNC_8
                                              : ZL_FORM_CP_ASYNC_4;
    zl_emit *e = &k->e;
    char label[16];
    zl_text name = {label, sizeof label - 1, 0};
    zl_putf(&name, "$issued%u", i);
    label[name.need] = 0;
    zl_emit_line(e, "mov.s64 left%u, 0;", i);
    zl_kernel_item(k, i, label);
    vector_addresses(k);
    zl_emit_line(e, "mov.u64 to%u, to;", i);
    char rest[] = "left0";
    rest[4] = (char)('0' + i);
    left(k, rest);
    zl_emit_line(e, "min.s64 y, left%u, %u;", i, k->t->info.width);
    zl_emit_line(e, "cvt.u32.u64 z, y;");
    zl_emit_line(e, "add.u32 w0, slot, %u;", i * k->t->info.threads * k->t->info.width);
    zl_emit_form(e, "", form, (const char *const[]){"w0", "from", "z"});
    zl_putf(e->out, "%s:\n", label);
}

/* Stores the thread's i-th vector, once it has landed. */
static void async_store(zl_kernel_text *k, uint32_t i)
{
    uint32_t width = k->t->info.width, elem = zl_elem(k->t), at = i * k->t->info.threads * width;
    zl_emit *e = &k->e;
    char to[] = "to0";
    to[2] = (char)('0' + i);
    zl_emit_line(e, "setp.ge.s64 p, left%u, %u;", i, width);
    zl_kernel_access(k, "@p ", ZL_LD_SHARED, width, "slot", at, 0);
    zl_kernel_access(k, "@p ", ZL_ST_GLOBAL, width, to, 0, 0);
    if (!has_tail(k->t)) return;
    zl_emit_line(e, "setp.gt.s64 q, left%u, 0;", i);
    zl_emit_line(e, "setp.lt.and.s64 q, left%u, %u, q;", i, width);
    for (uint32_t more = 0; more < zl_row_bytes(k->t) % width; more += elem) {
        zl_kernel_access(k, "@q ", ZL_LD_SHARED, elem, "slot", at + more, 0);
        zl_kernel_access(k, "@q ", ZL_ST_GLOBAL, elem, to, more, 0);
    }
}

/* Each thread reads back what it brought itself, so its own wait orders the two. */
void zl_kernel_async(zl_kernel_text *k)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, ".reg .b64 to<%u>, left<%u>;", k->t->info.accesses, k->t->info.accesses);
    zl_emit_line(e, ".reg .b32 slot;");
    zl_emit_line(e, "mad.lo.u32 slot, tid, %u, smem;", k->t->info.width);
    for (uint32_t i = 0; i < k->t->info.accesses; i++) async_issue(k, i);
    zl_emit_form(e, "", ZL_FORM_CP_ASYNC_COMMIT, NULL);
    zl_emit_form(e, "", ZL_FORM_CP_ASYNC_WAIT, (const char *const[]){"0"});
    for (uint32_t i = 0; i < k->t->info.accesses; i++) async_store(k, i);
}

/* ---- realigned -------------------------------------------------------------------- */

/* y = where chunk x begins in its row, negative where the row starts inside it; to is the chunk's
 * address, a multiple of 16. */
static void chunk(zl_kernel_text *k)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "shl.b64 y, x, 4;");
    if (k->t->row_shift) {
        zl_emit_line(e, "and.b64 d, to, 15;");
        zl_emit_line(e, "sub.s64 y, y, d;");
    }
    zl_emit_line(e, "add.s64 to, to, y;");
}

/* The two aligned words that hold the chunk's source bytes; one that holds none is not read. */
static void words(zl_kernel_text *k)
{
    unsigned long long row = zl_row_bytes(k->t);
    zl_emit *e = &k->e;
    zl_emit_line(e, ".reg .b32 shift;");
    zl_emit_line(e, ".reg .b64 word, next, end;");
    zl_emit_line(e, "add.s64 word, from, y;");
    zl_emit_line(e, "and.b64 d, word, 15;");
    zl_emit_line(e, "cvt.u32.u64 shift, d;");
    zl_emit_line(e, "sub.s64 word, word, d;");
    zl_emit_line(e, "add.s64 next, word, 16;");
    zl_emit_line(e, "add.s64 end, from, %llu;", row);
    for (uint32_t i = 0; i < 8; i++) zl_emit_line(e, "mov.b32 w%u, 0;", i);
    zl_emit_line(e, "setp.gt.u64 p, next, from;");
    zl_emit_line(e, "setp.lt.and.u64 p, word, end, p;");
    zl_emit_line(e, "setp.ne.u32 q, shift, 0;");
    zl_emit_line(e, "setp.lt.and.u64 q, next, end, q;");
    zl_kernel_access(k, "@p ", ZL_LD_GLOBAL, ZL_CHUNK, "word", 0, 0);
    zl_kernel_access(k, "@q ", ZL_LD_GLOBAL, ZL_CHUNK, "next", 0, 4);
}

/* w0..w3 = the 16 bytes from byte `shift` of w0..w7: by two words, by one, by bytes. */
static void shift(zl_kernel_text *k)
{
    zl_emit *e = &k->e;
    for (uint32_t words = 2; words; words--) {
        zl_emit_line(e, "and.b32 z, shift, %u;", 4 * words);
        zl_emit_line(e, "setp.ne.u32 p, z, 0;");
        for (uint32_t i = 0; i < 4 + words; i++)
            if (i + words < 8) zl_emit_line(e, "selp.b32 w%u, w%u, w%u, p;", i, i + words, i);
    }
    zl_emit_line(e, "shl.b32 z, shift, 3;");
    for (uint32_t i = 0; i < 4; i++)
        zl_emit_line(e, "shf.r.wrap.b32 w%u, w%u, w%u, z;", i, i, i + 1);
}

/* Stores one element of a chunk where it lies inside the row. */
static void element_store(zl_kernel_text *k, uint32_t at)
{
    uint32_t elem = zl_elem(k->t), first = at / 4;
    zl_emit *e = &k->e;
    zl_emit_line(e, "setp.ge.s64 p, y, %lld;", -(ll)at);
    zl_emit_line(e, "setp.lt.and.s64 p, y, %lld, p;", (ll)zl_row_bytes(k->t) - (ll)at);
    if (elem < 4) {
        zl_emit_line(e, "shr.u32 z, w%u, %u;", first, at % 4 * 8);
        zl_emit_line(e, "cvt.u16.u32 h0, z;");
        first = 0;
    }
    zl_kernel_access(k, "@p ", ZL_ST_GLOBAL, elem, "to", at, first);
}

void zl_kernel_realign(zl_kernel_text *k)
{
    ll row = (ll)zl_row_bytes(k->t);
    bool whole = !k->t->row_shift && row % ZL_CHUNK == 0;
    zl_emit *e = &k->e;
    zl_kernel_item(k, 0, "$finish");
    zl_kernel_digits(k, zl_row_items(k->t), 0);
    zl_kernel_addresses(k);
    chunk(k);
    words(k);
    shift(k);
    if (whole) {
        zl_kernel_access(k, "", ZL_ST_GLOBAL, ZL_CHUNK, "to", 0, 0);
        return;
    }
    zl_emit_line(e, "setp.ge.s64 p, y, 0;");
    zl_emit_line(e, "setp.le.and.s64 p, y, %lld, p;", row - ZL_CHUNK);
    zl_kernel_access(k, "@p ", ZL_ST_GLOBAL, ZL_CHUNK, "to", 0, 0);
    zl_emit_line(e, "@p bra $finish;");
    for (uint32_t at = 0; at < ZL_CHUNK; at += zl_elem(k->t)) element_store(k, at);
}
