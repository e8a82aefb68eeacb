/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a transfer's kernel in PTX (zlay_emit_transfer): parameters, which item of the copy each
 * thread or block has, and the addresses of that item on both sides. The number of an item is split
 * by mixed radix over the loops of the plan, and each digit times its stride is added. Sides that
 * share no loops are computed apart: by their modes, by an XOR of basis vectors (linear over F2),
 * or from a table. */
#include "emit/move/copy.h"

#include <string.h>

typedef unsigned long long ull;

static void tables(zl_kernel_text *k);

/* Prints the head of a module. */
static void head(zl_kernel_text *k)
{
    const zlay_transfer_summary *info = &k->t->info;
    zl_emit *e = &k->e;
    zl_putf(e->out, "// zlay %s: %llu bytes by %llu blocks of %u threads, %u bytes an access\n",
            zlay_version(), (ull)info->bytes, (ull)info->blocks, info->threads, info->width);
    zl_putf(e->out, ".version %u.%u\n.target %s\n.address_size 64\n\n", e->ptx / 10, e->ptx % 10,
            zlay_target_name(info->target));
}

/* Prints the kernel's name and parameters. Names of the text that a kernel could also have begin
 * with `$`, which no kernel's name does. */
static void begin(zl_kernel_text *k)
{
    const zlay_transfer_summary *info = &k->t->info;
    zl_emit *e = &k->e;
    tables(k);
    zl_puts(e->out, ".visible .entry ");
    zl_put(e->out, e->name, e->name_length);
    zl_puts(e->out, "(\n    .param .u64 ptr_source,\n    .param .u64 ptr_dest)\n");
    zl_putf(e->out, "    .maxntid %u, 1, 1\n{\n", info->threads);
    if (info->smem) zl_emit_line(e, ".shared .align 128 .b8 $smem[%u];", info->smem);
}

/* Declares the registers and loads the two pointers and the thread's numbers. */
static void setup(zl_kernel_text *k)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, ".reg .pred p, q;");
    zl_emit_line(e, ".reg .b16 h<16>;");
    zl_emit_line(e, ".reg .b32 tid, block, smem, z, w<16>;");
    zl_emit_line(e, ".reg .b64 source, dest, from, to, x, y, d;");
    zl_emit_line(e, ".reg .%s item, digit;", k->unit[1] == '3' ? "b32" : "b64");
    zl_emit_line(e, "ld.param.u64 source, [ptr_source];");
    zl_emit_line(e, "cvta.to.global.u64 source, source;");
    zl_emit_line(e, "ld.param.u64 dest, [ptr_dest];");
    zl_emit_line(e, "cvta.to.global.u64 dest, dest;");
    zl_emit_line(e, "mov.u32 tid, %%tid.x;");
    zl_emit_line(e, "mov.u32 block, %%ctaid.x;");
    if (k->t->info.smem) zl_emit_line(e, "mov.u32 smem, $smem;");
}

/* Whether a block takes an item; else a thread does. */
static bool by_block(const zlay_transfer_summary *info)
{
    return info->tile[0] || info->path == ZLAY_PATH_BULK;
}

void zl_kernel_item(zl_kernel_text *k, uint32_t access, const char *away)
{
    const zlay_transfer_summary *info = &k->t->info;
    zl_emit *e = &k->e;
    bool wide = k->unit[1] == '6';
    uint64_t each = (uint64_t)info->threads * info->accesses;
    if (by_block(info)) {
        zl_emit_line(e, wide ? "cvt.u64.u32 item, block;" : "mov.u32 item, block;");
        return;
    }
    zl_emit_line(e, "add.u32 z, tid, %u;", access * info->threads);
    if (wide) {
        zl_emit_line(e, "cvt.u64.u32 item, z;");
        zl_emit_line(e, "mad.wide.u32 item, block, %llu, item;", (ull)each);
    } else {
        zl_emit_line(e, "mad.lo.u32 item, block, %llu, z;", (ull)each);
    }
    if (info->items % each == 0) return;
    zl_emit_line(e, "setp.ge.%s p, item, %llu;", k->unit, (ull)info->items);
    zl_emit_line(e, "@p bra %s;", away);
}

/* digit = item mod extent, item /= extent; the last digit is what is left. */
static void take(zl_kernel_text *k, const char *out, uint64_t extent, bool last)
{
    const char *widen = k->unit[1] == '3' ? "cvt.u64.u32" : "mov.u64";
    zl_emit *e = &k->e;
    if (extent == 1) {
        zl_emit_line(e, "mov.u64 %s, 0;", out);
        return;
    }
    if (last) {
        zl_emit_line(e, "%s %s, item;", widen, out);
        return;
    }
    zl_emit_line(e, "rem.%s digit, item, %llu;", k->unit, (ull)extent);
    zl_emit_line(e, "div.%s item, item, %llu;", k->unit, (ull)extent);
    zl_emit_line(e, "%s %s, digit;", widen, out);
}

void zl_kernel_add(zl_kernel_text *k, const char *offset, const char *digit, int64_t stride)
{
    if (!stride) return;
    zl_emit_line(&k->e, "mad.lo.s64 %s, %s, %lld, %s;", offset, digit, (long long)stride, offset);
}

void zl_kernel_digits(zl_kernel_text *k, uint64_t count, uint64_t turned)
{
    const zlay_transfer *t = k->t;
    zl_emit_line(&k->e, "mov.s64 from, %lld;", (long long)t->from.offset);
    zl_emit_line(&k->e, "mov.s64 to, %lld;", (long long)t->to.offset);
    take(k, "x", count, t->loops == 1);
    for (uint32_t i = 1; i < t->loops; i++) {
        bool last = i + 1 == t->loops;
        if (turned && i == t->turn) {
            take(k, "y", turned, last);
            continue;
        }
        take(k, "d", (uint64_t)t->loop[i].extent, last);
        zl_kernel_add(k, "from", "d", t->loop[i].from);
        zl_kernel_add(k, "to", "d", t->loop[i].to);
    }
}

/* offset += what the modes of a strided side make of `rest`, which they use up. */
static void strided(zl_kernel_text *k, const char *offset, const zlay_layout *a)
{
    zl_emit_line(&k->e, "mov.%s item, rest;", k->unit);
    for (size_t i = 0; i < a->modes; i++) {
        take(k, "d", (uint64_t)a->mode[i].shape, i + 1 == a->modes);
        zl_kernel_add(k, offset, "d", a->mode[i].stride);
    }
}

/* offset ^= the basis vector of every bit of `rest` that is 1. */
static void by_bits(zl_kernel_text *k, const char *offset, const zlay_layout *a)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "%s d, rest;", k->unit[1] == '3' ? "cvt.u64.u32" : "mov.u64");
    for (uint32_t bit = 0; (uint64_t)1 << bit < a->size; bit++) {
        zl_emit_line(e, "shr.u64 x, d, %u;", bit);
        zl_emit_line(e, "and.b64 x, x, 1;");
        zl_emit_line(e, "mul.lo.s64 x, x, %llu;", (ull)a->f2.basis[bit]);
        zl_emit_line(e, "xor.b64 %s, %s, x;", offset, offset);
    }
}

static const char *const side_names[] = {[ZL_FROM] = "source", [ZL_TO] = "dest"};

/* Whether a side's offsets are read from a table. */
static bool is_listed(const zlay_layout *a) { return a && !a->modes && a->kind != ZLAY_LAYOUT_F2; }

static int64_t entry(const void *env, uint64_t n)
{
    int64_t value = 0;
    zl_value(env, n, &value);
    return value;
}

static void tables(zl_kernel_text *k)
{
    for (int side = ZL_FROM; side <= ZL_TO; side++) {
        const zlay_layout *a = k->t->apart[side];
        if (is_listed(a)) zl_emit_table(&k->e, side_names[side], 0, a->size, entry, a);
    }
}

/* offset = the entry of `rest` in the side's table. */
static void from_table(zl_kernel_text *k, const char *offset, int side)
{
    zl_emit_line(&k->e, "%s d, rest;", k->unit[1] == '3' ? "cvt.u64.u32" : "mov.u64");
    zl_emit_entry(&k->e, offset, side_names[side], 0, "d");
}

void zl_kernel_apart(zl_kernel_text *k)
{
    static const char *const names[] = {[ZL_FROM] = "from", [ZL_TO] = "to"};
    zl_emit_line(&k->e, ".reg .%s rest;", k->unit[1] == '3' ? "b32" : "b64");
    zl_emit_line(&k->e, "mov.%s rest, item;", k->unit);
    for (int side = ZL_FROM; side <= ZL_TO; side++) {
        const zlay_layout *a = k->t->apart[side];
        zl_emit_line(&k->e, "mov.s64 %s, %lld;", names[side], a->modes ? (long long)a->offset : 0);
        if (is_listed(a)) from_table(k, names[side], side);
        else if (a->modes) strided(k, names[side], a);
        else by_bits(k, names[side], a);
    }
}

void zl_kernel_addresses(zl_kernel_text *k)
{
    zl_emit_swizzle(&k->e, "from", "d", k->t->from.swizzle);
    zl_emit_swizzle(&k->e, "to", "d", k->t->to.swizzle);
    zl_emit_line(&k->e, "mad.lo.s64 from, from, %u, source;", zl_elem(k->t));
    zl_emit_line(&k->e, "mad.lo.s64 to, to, %u, dest;", zl_elem(k->t));
}

static const struct {
    zl_form_id by[6]; /* bytes 1, 2, 4, 8, 16, 32 */
} accesses[] = {
    [ZL_LD_GLOBAL] = {{ZL_FORM_LD_GLOBAL_1, ZL_FORM_LD_GLOBAL_2, ZL_FORM_LD_GLOBAL_4,
                       ZL_FORM_LD_GLOBAL_8, ZL_FORM_LD_GLOBAL_16, ZL_FORM_LD_GLOBAL_32}},
    [ZL_ST_GLOBAL] = {{ZL_FORM_ST_GLOBAL_1, ZL_FORM_ST_GLOBAL_2, ZL_FORM_ST_GLOBAL_4,
                       ZL_FORM_ST_GLOBAL_8, ZL_FORM_ST_GLOBAL_16, ZL_FORM_ST_GLOBAL_32}},
    [ZL_LD_SHARED] = {{ZL_FORM_LD_SHARED_1, ZL_FORM_LD_SHARED_2, ZL_FORM_LD_SHARED_4,
                       ZL_FORM_LD_SHARED_8, ZL_FORM_LD_SHARED_16}},
    [ZL_ST_SHARED] = {{ZL_FORM_ST_SHARED_1, ZL_FORM_ST_SHARED_2, ZL_FORM_ST_SHARED_4,
                       ZL_FORM_ST_SHARED_8, ZL_FORM_ST_SHARED_16}},
    [ZL_LD_PEER] = {{ZL_FORM_LD_PEER_1, ZL_FORM_LD_PEER_2, ZL_FORM_LD_PEER_4, ZL_FORM_LD_PEER_8,
                     ZL_FORM_LD_PEER_16}},
    [ZL_ST_PEER] = {{ZL_FORM_ST_PEER_1, ZL_FORM_ST_PEER_2, ZL_FORM_ST_PEER_4, ZL_FORM_ST_PEER_8,
                     ZL_FORM_ST_PEER_16}},
};

zl_form_id zl_access_form(zl_move_access what, uint32_t bytes)
{
    return accesses[what].by[__builtin_ctz(bytes)];
}

/* A name with a number behind it, in `room`. */
static const char *printed(char room[24], const char *format, const char *name, uint32_t number)
{
    zl_text text = {room, 23, 0};
    zl_puts(&text, name);
    zl_putf(&text, "%s%u", format, number);
    room[text.need] = 0;
    return room;
}

void zl_kernel_access(zl_kernel_text *k, const char *guard, zl_move_access what, uint32_t bytes,
                      const char *address, uint32_t more, uint32_t first)
{
    char names[9][24];
    const char *operands[9];
    uint32_t count = bytes < 4 ? 1 : bytes / 4;
    bool load = what == ZL_LD_GLOBAL || what == ZL_LD_SHARED;
    for (uint32_t i = 0; i < count; i++)
        operands[i + !load] = printed(names[i], "", bytes < 4 ? "h" : "w", first + i);
    operands[load ? count : 0] = more ? printed(names[8], "+", address, more) : address;
    zl_emit_form(&k->e, guard, zl_access_form(what, bytes), operands);
}

static void kernel(zl_kernel_text *k)
{
    static void (*const bodies[])(zl_kernel_text *) = {
        [ZLAY_PATH_THREADS] = zl_kernel_threads,     [ZLAY_PATH_REALIGN] = zl_kernel_realign,
        [ZLAY_PATH_CP_ASYNC] = zl_kernel_async,      [ZLAY_PATH_BULK] = zl_kernel_bulk,
        [ZLAY_PATH_TRANSPOSE] = zl_kernel_transpose, [ZLAY_PATH_MATRIX] = zl_kernel_matrix};
    begin(k);
    setup(k);
    bodies[k->t->info.path](k);
    zl_puts(k->e.out, "$finish:\n    ret;\n}\n");
}

static uint32_t kernel_counted(zl_text *out, const void *value)
{
    zl_kernel_text k = *(const zl_kernel_text *)value;
    k.e.out = out;
    head(&k);
    kernel(&k);
    return k.e.ptx;
}

static void kernel_write(zl_text *out, const void *value) { kernel_counted(out, value); }

static zl_kernel_text text_of(const zlay_transfer *transfer, const char *name, size_t length)
{
    const zlay_transfer_summary *info = &transfer->info;
    bool wide = info->blocks * info->threads * info->accesses > UINT32_MAX;
    zl_kernel_text k = {.t = transfer, .unit = wide ? "u64" : "u32"};
    k.e.name = name;
    k.e.name_length = length;
    return k;
}

uint32_t zl_transfer_put(zl_text *out, const zlay_transfer *transfer, const char *name, size_t length)
{
    zl_kernel_text k = text_of(transfer, name, length);
    k.e.out = out;
    kernel(&k);
    return k.e.ptx;
}

zlay_status zlay_emit_transfer(zlay_ctx *ctx, zlay_buf *out, const zlay_transfer *transfer,
                               const char *name, size_t length)
{
    if (!out || !transfer || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_name_check(ctx, name, length);
    if (status) return zl_leave(ctx, status);
    zl_kernel_text k = text_of(transfer, name, length);
    k.e.ptx = zl_ptx_least(kernel_counted, &k, transfer->info.target);
    return zl_leave(ctx, zl_print(out, kernel_write, &k));
}
