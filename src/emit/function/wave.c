/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_wave: the plan of an operand's tile (zlay/wave.h) as functions of HIP: from global memory to
 * shared memory, by registers or straight, and from there to the registers of the matrix instruction.
 *
 * Places are bits: threads, loads, K and the elements of an access are powers of two, and the swizzle XORs
 * bits of the row onto bits of the column. So the column of thread t in load l is that of t in load 0 XOR
 * that of thread 0 in load l, which is a number, and likewise the column of a lane in a read. What depends
 * on the thread or on the lane is therefore one function each, of which the values are known. */
#include "emit/function/function.h"
#include "emit/function/line.h"
#include "synth/wave/wave.h"

#include <zlay/emit_function.h>

enum { LOADS_MOST = 256, HELD_MOST = 256, WORD = 4 };

/* Address spaces of AMDGPU, and what the types in them are called. */
typedef enum memory { GLOBAL = 1, SHARED = 3 } memory;
static const char *const names[] = {[GLOBAL] = "global", [SHARED] = "shared"};

typedef struct wave_text {
    const zlay_wave *wave;
    const zlay_wave_summary *info;
    const char *name;
    size_t length;
    zl_address_text column, first;
} wave_text;

static uint32_t bytes_of(const wave_text *t, uint64_t elements)
{
    return (uint32_t)elements * (t->info->elem_bits / 8);
}

/* Registers that an access fills: one is narrower than a register, or fills some. */
static uint32_t words_of(uint32_t bytes) { return bytes > WORD ? bytes / WORD : 1; }

static uint32_t held_of(const zlay_wave_summary *i) { return i->loads * words_of(i->load_bytes); }

/* The first element of the tile that thread 0 loads, by the number of the load. */
static uint32_t load_element(const zlay_wave_summary *i, uint32_t load)
{
    return zl_wave_swizzled(i, load * i->threads * i->load_elements);
}

/* Reads of a lane that fill the registers of whole instructions: of one, or of those that one read fills. */
static uint32_t group_reads(const wave_text *t)
{
    return t->wave->merged * t->info->step_registers * WORD / t->info->read_bytes;
}

static uint32_t groups_of(const wave_text *t) { return t->info->steps / t->wave->merged; }

/* ---- pieces of text -------------------------------------------------------------------------- */

static void name_put(zl_text *out, const wave_text *t, const char *what)
{
    zl_put(out, t->name, t->length);
    zl_puts(out, what);
}

static void begin_put(zl_text *out, const wave_text *t, const char *what)
{
    zl_puts(out, "static __device__ __forceinline__ __attribute__((unused)) void ");
    name_put(out, t, what);
}

/* The type of a byte of a memory. */
static void bytes_put(zl_text *out, memory at)
{
    zl_putf(out, "    typedef __attribute__((address_space(%d))) char %s_bytes;\n", at, names[at]);
}

/* That, and the type of what an access moves; it may alias, for the caller's elements are of another type. */
static void types_put(zl_text *out, uint32_t bytes, memory at)
{
    const char *word = bytes == 1 ? "unsigned char" : bytes == 2 ? "unsigned short" : "unsigned";
    zl_putf(out, "    typedef %s words __attribute__((", word);
    if (bytes > WORD) zl_putf(out, "ext_vector_type(%u), ", (unsigned)words_of(bytes));
    zl_putf(out, "may_alias));\n    typedef __attribute__((address_space(%d))) words %s_words;\n", at,
            names[at]);
    bytes_put(out, at);
}

/* `(a ^ 16u)`, or `a` where the number is 0. */
static void xor_put(zl_text *out, const char *a, uint32_t number)
{
    if (number) zl_putf(out, "(%s ^ %uu)", a, (unsigned)number);
    else zl_puts(out, a);
}

/* ---- global memory --------------------------------------------------------------------------- */

/* Where load l of a thread begins: in a row that the matrix has. */
static void from_put(zl_text *out, const wave_text *t, uint32_t load)
{
    uint32_t element = load_element(t->info, load);
    unsigned rows = element / t->info->depth;
    if (rows) zl_putf(out, "from + ((row + %uu < last ? row + %uu : last) * row_bytes + ", rows, rows);
    else zl_puts(out, "from + ((row < last ? row : last) * row_bytes + ");
    xor_put(out, "column", bytes_of(t, element % t->info->depth));
    zl_puts(out, ")");
}

/* What a thread's loads share. */
static void thread_put(zl_text *out, const wave_text *t)
{
    uint32_t threads = t->info->depth / t->info->load_elements;
    zl_puts(out, "    global_bytes *const from = (global_bytes *)tile;\n    const unsigned row = thread");
    if (threads > 1) zl_putf(out, " / %uu", (unsigned)threads);
    zl_puts(out, ", last = rows - 1u, column = ");
    name_put(out, t, "_column(thread);\n");
}

static void load_put(zl_text *out, const wave_text *t)
{
    uint32_t words = words_of(t->info->load_bytes);
    begin_put(out, t, "_load");
    zl_putf(out, "(unsigned (&r)[%u], const void *tile, unsigned row_bytes, unsigned rows, unsigned thread)\n{\n",
            (unsigned)held_of(t->info));
    types_put(out, t->info->load_bytes, GLOBAL);
    thread_put(out, t);
    for (uint32_t l = 0; l < t->info->loads; l++) {
        if (words > 1) zl_putf(out, "    const words v%u = ", (unsigned)l);
        else zl_putf(out, "    r[%u] = ", (unsigned)l);
        zl_puts(out, "*(const global_words *)(");
        from_put(out, t, l);
        zl_puts(out, ");\n");
        for (uint32_t w = 0; words > 1 && w < words; w++)
            zl_putf(out, "%sr[%u] = v%u[%u]%s", w ? ", " : "    ", (unsigned)(l * words + w),
                    (unsigned)l, (unsigned)w, w + 1 < words ? "" : ";\n");
    }
    zl_puts(out, "}\n");
}

static void store_put(zl_text *out, const wave_text *t)
{
    uint32_t bytes = t->info->load_bytes, words = words_of(bytes);
    begin_put(out, t, "_store");
    zl_putf(out, "(void *shared, const unsigned (&r)[%u], unsigned thread)\n{\n",
            (unsigned)held_of(t->info));
    types_put(out, bytes, SHARED);
    zl_putf(out, "    shared_bytes *const to = (shared_bytes *)shared + thread * %uu;\n", (unsigned)bytes);
    for (uint32_t l = 0; l < t->info->loads; l++) {
        zl_putf(out, "    *(shared_words *)(to + %uu) = (words)%s", (unsigned)(l * t->info->threads * bytes),
                words > 1 ? "{" : "");
        for (uint32_t w = 0; w < words; w++)
            zl_putf(out, "%sr[%u]", w ? ", " : "", (unsigned)(l * words + w));
        zl_puts(out, words > 1 ? "};\n" : ";\n");
    }
    zl_puts(out, "}\n");
}

/* A load straight to shared memory puts the lanes of a wave one behind the other from an address on that
 * all of them have. */
static void direct_put(zl_text *out, const wave_text *t)
{
    uint32_t bytes = t->info->load_bytes;
    begin_put(out, t, "_load");
    zl_puts(out, "(void *shared, const void *tile, unsigned row_bytes, unsigned rows, unsigned thread)\n{\n");
    bytes_put(out, GLOBAL);
    bytes_put(out, SHARED);
    zl_putf(out, "    const unsigned wave = (unsigned)__builtin_amdgcn_readfirstlane((int)thread) / %uu;\n"
            "    shared_bytes *const to = (shared_bytes *)shared + wave * %uu;\n",
            (unsigned)t->wave->operand.lanes, (unsigned)(t->wave->operand.lanes * bytes));
    thread_put(out, t);
    for (uint32_t l = 0; l < t->info->loads; l++) {
        zl_puts(out, "    __builtin_amdgcn_global_load_lds(");
        from_put(out, t, l);
        zl_putf(out, ", to + %uu, %u, 0, 0);\n", (unsigned)(l * t->info->threads * bytes), (unsigned)bytes);
    }
    zl_puts(out, "}\n");
    begin_put(out, t, "_wait");
    zl_puts(out, "(void)\n{\n    asm volatile(\"s_waitcnt vmcnt(0)\" ::: \"memory\");\n}\n");
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* What read i of a group brings: word w of it is of an instruction and of a place among its registers. */
static void take_put(zl_text *out, const wave_text *t, uint32_t i)
{
    uint32_t each = t->info->step_registers, words = words_of(t->info->read_bytes);
    if (words > 1) zl_putf(out, "    const words v%u = *(const shared_words *)(from + ", (unsigned)i);
    else zl_putf(out, "    r[%u][%u] = *(const shared_words *)(from + ", (unsigned)(i / each), (unsigned)(i % each));
    xor_put(out, "at", bytes_of(t, zl_wave_read_element(t->wave, 0, i)));
    zl_puts(out, ");\n");
    for (uint32_t w = 0; words > 1 && w < words; w++) {
        uint32_t r = i * words + w;
        zl_putf(out, "%sr[%u][%u] = v%u[%u]%s", w ? ", " : "    ", (unsigned)(r / each), (unsigned)(r % each),
                (unsigned)i, (unsigned)w, w + 1 < words ? "" : ";\n");
    }
}

static void unused_put(zl_text *out, const char *parameter) { zl_putf(out, "    (void)%s;\n", parameter); }

static void read_put(zl_text *out, const wave_text *t)
{
    const zlay_wave_summary *i = t->info;
    uint32_t reads = group_reads(t), groups = groups_of(t);
    begin_put(out, t, "_read");
    zl_putf(out, "(unsigned (&r)[%u][%u], const void *shared, unsigned lane, unsigned part, "
            "unsigned block, unsigned step)\n{\n", (unsigned)t->wave->merged, (unsigned)i->step_registers);
    types_put(out, i->read_bytes, SHARED);
    zl_puts(out, "    shared_bytes *const from = (shared_bytes *)shared");
    if (i->parts > 1) zl_putf(out, " + part * %uu", (unsigned)i->part_bytes);
    if (i->blocks > 1) zl_putf(out, " + block * %uu", (unsigned)i->block_bytes);
    zl_puts(out, ";\n    const unsigned at = ");
    name_put(out, t, "_first(lane)");
    if (groups > 1) zl_putf(out, " ^ step * %uu", (unsigned)bytes_of(t, zl_wave_read_element(t->wave, 0, reads)));
    zl_puts(out, ";\n");
    if (i->parts == 1) unused_put(out, "part");
    if (i->blocks == 1) unused_put(out, "block");
    if (groups == 1) unused_put(out, "step");
    for (uint32_t read = 0; read < reads; read++) take_put(out, t, read);
    zl_puts(out, "}\n");
}

/* ---- the comment ------------------------------------------------------------------------------ */

static void layout_put(zl_text *out, const zlay_layout *a) { a->table->print(out, a); }

static void comment(zl_text *out, const wave_text *t)
{
    const zlay_wave_summary *i = t->info;
    zlay_mma_form form = {.name = ""};
    zlay_mma_info(&form, i->target, &t->wave->mma);
    zl_putf(out, "/* zlay %s: operand %s of %s on %s: a tile of %u rows by %u of K, for %u threads.\n"
            "   `tile` is its first element, in global memory; rows are row_bytes apart, both multiples of %u, and %u row_bytes\n"
            "   are below 2^32. The matrix has `rows` rows from there on, at least 1; the last one stands for those behind it.\n"
            "   `shared` has ", zlay_version(),
            t->wave->fragment == ZLAY_FRAGMENT_A ? "A" : "B", form.name, zlay_target_name(i->target),
            (unsigned)i->rows, (unsigned)i->depth, (unsigned)i->threads, (unsigned)i->load_bytes,
            (unsigned)i->rows);
    name_put(out, t, "_smem");
    zl_putf(out, " bytes at a multiple of %u; element (k, row) lies at element ",
            (unsigned)(i->load_bytes > i->read_bytes ? i->load_bytes : i->read_bytes));
    layout_put(out, t->wave->layout[ZLAY_WAVE_PLACE]);
    zl_puts(out, ".\n   ");
    name_put(out, t, "_load ");
    zl_putf(out, "has %u loads of %u bytes", (unsigned)i->loads, (unsigned)i->load_bytes);
    if (i->direct) {
        zl_puts(out, " straight to shared memory, for which ");
        name_put(out, t, "_wait waits; then a barrier.\n   ");
    } else {
        zl_puts(out, "; ");
        name_put(out, t, "_store puts what they brought into shared memory; then a barrier.\n   ");
    }
    name_put(out, t, "_read: r[i] is the operand ");
    if (t->wave->merged > 1) zl_putf(out, "of step %u step + i", (unsigned)t->wave->merged);
    else zl_puts(out, "of step `step`");
    zl_putf(out, " of %u along K, of the rows from %u (block + %u part) on;\n"
            "   lane < %u, part < %u, block < %u, step < %u.", (unsigned)i->steps, (unsigned)t->wave->operand.side,
            (unsigned)i->blocks, (unsigned)t->wave->operand.lanes, (unsigned)i->parts, (unsigned)i->blocks,
            (unsigned)groups_of(t));
    if (t->wave->merged > 1) {
        zl_puts(out, "\n   K of the instructions -> k of the tile, the same for A and B: ");
        layout_put(out, t->wave->layout[ZLAY_WAVE_ORDER]);
        zl_puts(out, ".");
    }
    zl_puts(out, " */\n");
}

static void wave_write(zl_text *out, const void *value)
{
    const wave_text *t = value;
    comment(out, t);
    zl_puts(out, "static constexpr __attribute__((unused)) unsigned ");
    name_put(out, t, "_smem");
    zl_putf(out, " = %uu;\n", (unsigned)t->info->smem);
    zl_address_put(out, &t->column, "_column");
    if (t->info->direct) {
        direct_put(out, t);
    } else {
        load_put(out, t);
        store_put(out, t);
    }
    zl_address_put(out, &t->first, "_first");
    read_put(out, t);
}

/* ---- the request ------------------------------------------------------------------------------ */

static zlay_status wave_check(zlay_ctx *ctx, const zlay_wave_summary *i, int32_t language)
{
    if (language != ZLAY_TEXT_HIP)
        return zl_fail(ctx, ZLAY_ENOTSUP, "language: the plan is one of %s, whose language is HIP",
                       zlay_target_name(i->target));
    if (i->loads > LOADS_MOST || (!i->direct && held_of(i) > HELD_MOST))
        return zl_fail(ctx, ZLAY_ENOTSUP, "threads: a function takes %d loads and %d registers of a thread "
                       "at most; the plan has %u of %u bytes", LOADS_MOST, HELD_MOST, (unsigned)i->loads,
                       (unsigned)i->load_bytes);
    return i->read_bytes >= WORD
               ? ZLAY_OK
               : zl_fail(ctx, ZLAY_ENOTSUP, "mma: a read of %u bytes fills no register", (unsigned)i->read_bytes);
}

/* Bytes of a row in which each thread begins its first load. */
static zlay_status columns_table(zlay_ctx *ctx, zl_table *out, const wave_text *t)
{
    zlay_status status = zl_table_new(ctx, out, t->info->threads);
    for (uint32_t i = 0; !status && i < t->info->threads; i++) {
        uint32_t element = zl_wave_swizzled(t->info, i * t->info->load_elements);
        zl_table_set(out, i, bytes_of(t, element % t->info->depth));
    }
    return status;
}

/* Bytes of shared memory with which each lane begins. */
static zlay_status firsts_table(zlay_ctx *ctx, zl_table *out, const wave_text *t)
{
    zlay_status status = zl_table_new(ctx, out, t->wave->operand.lanes);
    for (uint32_t i = 0; !status && i < t->wave->operand.lanes; i++)
        zl_table_set(out, i, bytes_of(t, zl_wave_swizzled(t->info, zl_wave_read_element(t->wave, i, 0))));
    return status;
}

static zlay_status wave_print(zlay_ctx *ctx, zlay_buf *out, wave_text *t)
{
    zl_table columns = {0}, firsts = {0};
    zl_line_function column = {0}, first = {0};
    zlay_status status = columns_table(ctx, &columns, t);
    if (!status) status = zl_line_function_of(ctx, &column, &columns);
    if (!status) status = firsts_table(ctx, &firsts, t);
    if (!status) status = zl_line_function_of(ctx, &first, &firsts);
    t->column = (zl_address_text){&column.address, &column.form, ZLAY_TEXT_HIP, t->name, t->length};
    t->first = (zl_address_text){&first.address, &first.form, ZLAY_TEXT_HIP, t->name, t->length};
    if (!status) status = zl_print(out, wave_write, t);
    zl_line_function_free(&first);
    zl_line_function_free(&column);
    zl_table_free(&firsts);
    zl_table_free(&columns);
    return status;
}

zlay_status zlay_emit_wave(zlay_ctx *ctx, zlay_buf *out, const zlay_wave *wave, int32_t language,
                           const char *name, size_t length)
{
    if (!out || !wave || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    wave_text t = {.wave = wave, .info = &wave->info, .name = name, .length = length};
    status = zl_function_check(ctx, language, name, length);
    if (!status) status = wave_check(ctx, t.info, language);
    return zl_leave(ctx, status ? status : wave_print(ctx, out, &t));
}
