/* SPDX-License-Identifier: Apache-2.0 */
/* Copy, concatenation and split of groups of rows, or of columns. All rows are one list of units, each 16 aligned bytes of the target, and
 * blocks take parts of that list in turn, so that neither short rows nor unequal groups leave threads idle. 256 groups at a
 * time, a block bounds the offsets by a maximum over those before, and numbers the units by a sum; a thread finds the group
 * of a unit by bisection. A unit is made of two aligned 16 bytes of the source, shifted together. */
#include "emit/function/ragged/ragged.h"

#include "base/arith.h"

enum { LOADS = 4, CHUNK = LOADS * ZL_ROWS_THREADS };

typedef unsigned long long ull;

/* ---- numbers --------------------------------------------------------------------------------- */

/* A row may begin anywhere behind a multiple of align: units between the multiples around it. */
static uint64_t units_of(uint64_t bytes, uint32_t align)
{
    return zl_ceil_div(bytes + align - 1, align) * (align / ZL_ROWS_UNIT);
}

/* Long rows count units from whole lines, so that a warp's stores are whole lines too; of short ones that
 * would be mostly units without bytes. */
static uint32_t align_of(uint64_t bytes)
{
    enum { LINE = 128, SHARE = 16 };
    if (bytes >= LINE * SHARE) return LINE;
    return bytes >= ZL_ROWS_SECTOR * SHARE ? ZL_ROWS_SECTOR : ZL_ROWS_UNIT;
}

/* The most rows that are moved: of a group of columns, all of them. */
static uint64_t rows_of(const zlay_rows_kernel *k)
{
    if (zl_rows_joins(k)) return k->target_rows;
    if (zl_rows_splits(k)) return k->source_rows;
    return zl_umin(k->source_rows, k->target_rows);
}

/* What no offset passes. */
static uint64_t most_of(const zl_rows_text *t)
{
    return t->columns ? t->asked.row_bytes / t->asked.element_bytes : rows_of(&t->asked);
}

static uint64_t span_of(const zl_rows_text *t)
{
    return zl_umin(UINT64_C(1) << zl_log2_up(t->asked.groups), ZL_ROWS_THREADS);
}

void zl_rows_copy_plan(zl_rows_text *t, zlay_rows_launch *launch)
{
    const zlay_rows_kernel *k = &t->asked;
    t->columns = k->kind == ZLAY_ROWS_CONCATENATE_COLUMNS || k->kind == ZLAY_ROWS_SPLIT_COLUMNS;
    uint64_t rows = rows_of(k), groups = zl_umin(k->groups, most_of(t));
    t->dense = k->source_pitch == k->row_bytes && k->target_pitch == k->row_bytes;
    uint64_t run = t->dense ? k->row_bytes * (rows / k->groups) :
                   t->columns ? k->row_bytes / k->groups : k->row_bytes;
    t->align = align_of(run);
    uint64_t more = groups * units_of(1, t->align);
    uint64_t units = t->dense   ? units_of(rows * k->row_bytes, t->align) + more :
                     t->columns ? zl_umul_sat(rows, units_of(k->row_bytes, t->align) + more) :
                                  rows * units_of(k->row_bytes, t->align);
    t->chunks = zl_ceil_div(units, CHUNK) + zl_ceil_div(k->groups, ZL_ROWS_THREADS) - 1;
    uint32_t counts = zl_rows_count_type(t)[8] ? 8 : 4, lists = k->kind == ZLAY_ROWS_COPY ? 2 : 1;
    launch->shared = (ZL_ROWS_THREADS + 1) * counts +
                     ZL_ROWS_THREADS * (16 + 4 * lists + (t->dense ? 8 : 0));
    if (t->columns) launch->shared += ZL_ROWS_THREADS * (16 + counts + (counts == 4 ? 4 : 0));
}

/* ---- the text -------------------------------------------------------------------------------- */

static const char turn[] =
    "/* 16 bytes from `shift` on of the 32 of both. */\n"
    "static __device__ __forceinline__ __attribute__((unused)) void @_turn(unsigned (&out)[4], const unsigned (&w)[2][4], unsigned shift)\n"
    "{\n"
    "    unsigned a[6], b[5];\n"
    "#pragma unroll\n"
    "    for (unsigned i = 0u; i < 6u; i++) a[i] = shift & 8u ? w[(i + 2u) / 4u][(i + 2u) % 4u] : w[i / 4u][i % 4u];\n"
    "#pragma unroll\n"
    "    for (unsigned i = 0u; i < 5u; i++) b[i] = shift & 4u ? a[i + 1u] : a[i];\n"
    "#pragma unroll\n"
    "    for (unsigned i = 0u; i < 4u; i++) out[i] = @_join(b[i], b[i + 1u], shift & 3u);\n"
    "}\n"
    "/* An offset, at least the one before and at most the rows of the tensor. */\n"
    "static __device__ __forceinline__ __attribute__((unused)) unsigned @_bounded(int offset, unsigned least, unsigned most)\n"
    "{\n"
    "    return offset < (int)least ? least : offset > (int)most ? most : (unsigned)offset;\n"
    "}\n";

/* Units of 32 bits of a group of columns: its row is found by a product. */
static bool divides_by_product(const zl_rows_text *t)
{
    return t->columns && !zl_rows_count_type(t)[8];
}

/* Prints a line for each list of offsets; $ stands for what its names begin with. */
static void lists_put(zl_text *out, const zl_rows_text *t, const char *line)
{
    bool both = t->asked.kind == ZLAY_ROWS_COPY;
    zl_rows_lines(out, t, line, both ? "source_" : "");
    if (both) zl_rows_lines(out, t, line, "target_");
}

static void constants_put(zl_text *out, const zl_rows_text *t)
{
    const zlay_rows_kernel *k = &t->asked;
    zl_putf(out, "    typedef %s count;\n    const unsigned groups = %lluu, span = %lluu, align = %uu;\n",
            zl_rows_count_type(t), (ull)k->groups, (ull)span_of(t), (unsigned)t->align);
    if (t->columns) zl_putf(out, "    const unsigned all_rows = %lluu, element = %uu;\n    const unsigned long long ",
                            (ull)rows_of(k), (unsigned)k->element_bytes);
    else zl_putf(out, "    const unsigned long long row_bytes = %lluull, ", (ull)k->row_bytes);
    bool source = !zl_rows_joins(k) || !(t->dense || t->columns);
    bool target = !zl_rows_splits(k) || !(t->dense || t->columns);
    if (source) zl_putf(out, "source_pitch = %lluull%s", (ull)k->source_pitch, target ? ", " : "");
    if (target) zl_putf(out, "target_pitch = %lluull", (ull)k->target_pitch);
    zl_puts(out, ";\n");
    if (k->kind == ZLAY_ROWS_COPY)
        zl_putf(out, "    const unsigned source_most = %lluu, target_most = %lluu;\n",
                (ull)k->source_rows, (ull)k->target_rows);
    else zl_putf(out, "    const unsigned most = %lluu;\n", (ull)most_of(t));
    if (!t->dense && !t->columns)
        zl_putf(out, "    const count row_units = %lluull;\n", (ull)units_of(k->row_bytes, t->align));
}

static void head_put(zl_text *out, const zl_rows_text *t)
{
    static const char *const parameters[] = {
        [ZLAY_ROWS_COPY] = "void *target, const void *source, const int *target_offsets, const int *source_offsets",
        [ZLAY_ROWS_CONCATENATE] = "void *target, const void *const *sources, const int *offsets",
        [ZLAY_ROWS_SPLIT] = "void *const *targets, const void *source, const int *offsets",
        [ZLAY_ROWS_CONCATENATE_COLUMNS] = "void *target, const void *const *sources, const int *offsets, const unsigned long long *pitches",
        [ZLAY_ROWS_SPLIT_COLUMNS] = "void *const *targets, const void *source, const int *offsets, const unsigned long long *pitches",
    };
    zl_rows_lines(out, t, "extern \"C\" __global__ void __launch_bounds__(256) @(", "");
    zl_putf(out, "%s)\n{\n", parameters[t->asked.kind]);
    constants_put(out, t);
    zl_puts(out, "    __shared__ const unsigned char *from[256];\n    __shared__ unsigned char *to[256];\n"
                 "    __shared__ count first[257];\n");
    if (t->dense) zl_puts(out, "    __shared__ unsigned long long bytes[256];\n");
    if (t->columns) zl_puts(out, "    __shared__ unsigned long long bytes[256], pitch[256];\n    __shared__ count row_units[256];\n");
    if (divides_by_product(t)) zl_puts(out, "    __shared__ unsigned inverse[256];\n");
    lists_put(out, t, "    __shared__ unsigned $end[256];\n");
}

/* Of the next 256 groups: where each ends, by a maximum over those before, and its rows, or columns. */
static void ends_put(zl_text *out, const zl_rows_text *t)
{
    lists_put(out, t, "    unsigned $last = @_bounded($offsets[0], 0u, $most);\n");
    zl_puts(out, "    count chunk = blockIdx.x;\n    for (unsigned base = 0u; base < groups; base += 256u) {\n"
                 "        const unsigned i = threadIdx.x, group = base + i;\n");
    lists_put(out, t, "        $end[i] = group < groups ? @_bounded($offsets[group + 1u], $last, $most) : $last;\n");
    zl_puts(out, "        __syncthreads();\n        for (unsigned back = 1u; back < span; back *= 2u) {\n");
    lists_put(out, t, "            const unsigned $before = $end[i >= back ? i - back : i];\n");
    zl_puts(out, "            __syncthreads();\n");
    lists_put(out, t, "            if ($before > $end[i]) $end[i] = $before;\n");
    zl_puts(out, "            __syncthreads();\n        }\n");
    lists_put(out, t, t->columns ? "        const unsigned $begin = i ? $end[i - 1u] : $last, columns = $end[i] - $begin;\n" :
                                   "        const unsigned $begin = i ? $end[i - 1u] : $last, $rows = $end[i] - $begin;\n");
    if (t->asked.kind == ZLAY_ROWS_COPY)
        zl_puts(out, "        const unsigned rows = source_rows < target_rows ? source_rows : target_rows;\n");
}

/* Rows of a group of columns: a pitch is at least their bytes, so that no byte of a target is two rows'. */
static const char of_group[] =
    "        bytes[i] = (unsigned long long)columns * element;\n"
    "        pitch[i] = group < groups ? pitches[group] : 0u;\n"
    "        if (pitch[i] < bytes[i]) pitch[i] = bytes[i];\n"
    "        row_units[i] = (count)((bytes[i] + 2u * align - 2u) / align * (align / 16u));\n"
    "        first[i + 1u] = columns ? all_rows * row_units[i] : 0u;\n";

/* And where each begins in memory and in the list of units, by a sum. */
static void units_put(zl_text *out, const zl_rows_text *t)
{
    static const char *const places[] = {
        [ZLAY_ROWS_COPY] = "        from[i] = (const unsigned char *)source + source_begin * source_pitch;\n"
                           "        to[i] = (unsigned char *)target + target_begin * target_pitch;\n",
        [ZLAY_ROWS_CONCATENATE] = "        from[i] = group < groups ? (const unsigned char *)sources[group] : 0;\n"
                                  "        to[i] = (unsigned char *)target + begin * target_pitch;\n",
        [ZLAY_ROWS_SPLIT] = "        from[i] = (const unsigned char *)source + begin * source_pitch;\n"
                            "        to[i] = group < groups ? (unsigned char *)targets[group] : 0;\n",
        [ZLAY_ROWS_CONCATENATE_COLUMNS] = "        from[i] = group < groups ? (const unsigned char *)sources[group] : 0;\n"
                                          "        to[i] = (unsigned char *)target + (unsigned long long)begin * element;\n",
        [ZLAY_ROWS_SPLIT_COLUMNS] = "        from[i] = (const unsigned char *)source + (unsigned long long)begin * element;\n"
                                    "        to[i] = group < groups ? (unsigned char *)targets[group] : 0;\n",
    };
    zl_puts(out, places[t->asked.kind]);
    if (t->dense)
        zl_puts(out, "        bytes[i] = rows * row_bytes;\n"
                     "        first[i + 1u] = rows ? (count)((bytes[i] + 2u * align - 2u) / align * (align / 16u)) : 0u;\n");
    else if (t->columns) zl_puts(out, of_group);
    else zl_puts(out, "        first[i + 1u] = rows * row_units;\n");
    if (divides_by_product(t)) zl_puts(out, "        inverse[i] = columns ? 0xffffffffu / row_units[i] : 0u;\n");
    zl_puts(out, "        if (!i) first[0] = 0u;\n        __syncthreads();\n"
                 "        for (unsigned back = 1u; back < span; back *= 2u) {\n"
                 "            const count before = i >= back ? first[i + 1u - back] : 0u;\n            __syncthreads();\n"
                 "            first[i + 1u] += before;\n            __syncthreads();\n        }\n");
    lists_put(out, t, "        $last = $end[span - 1u];\n");
}

static const char chunk_begin[] =
    "        const count units = first[span], chunks = (units + 1023u) / 1024u;\n"
    "        for (; chunk < chunks; chunk += gridDim.x) {\n"
    "            unsigned w[4][2][4] = {}, low[4], high[4], shift[4], g = 0u;\n"
    "            unsigned char *at[4];\n"
    "            count unit = chunk * 1024u + i;\n"
    "            for (unsigned step = span / 2u; step; step /= 2u)\n"
    "                if (first[g + step] <= unit) g += step;\n"
    "#pragma unroll\n"
    "            for (unsigned n = 0u; n < 4u; n++, unit += 256u) {\n"
    "                low[n] = high[n] = shift[n] = 0u, at[n] = 0;\n"
    "                if (unit >= units) continue;\n"
    "                while (unit >= first[g + 1u]) g++;\n";

static const char of_dense[] =
    "                const count within = unit - first[g];\n"
    "                unsigned char *const row_to = to[g];\n"
    "                unsigned long long place = (unsigned long long)from[g];\n"
    "                const long long length = (long long)bytes[g];\n";

static const char of_rows[] =
    "                const count row = (unit - first[g]) / row_units, within = unit - first[g] - row * row_units;\n"
    "                unsigned char *const row_to = to[g] + row * target_pitch;\n"
    "                unsigned long long place = (unsigned long long)from[g] + row * source_pitch;\n"
    "                const long long length = (long long)row_bytes;\n";

/* The row of a unit, by a product that is the quotient or one less: of d row units it is n floor((2^32 - 1) / d) / 2^32,
 * which is less than n / d by no more than n / 2^32, below 1. */
static const char by_product[] =
    "                const count units_in = unit - first[g], each = row_units[g];\n"
    "                count row = (count)((unsigned long long)units_in * inverse[g] >> 32), within = units_in - row * each;\n"
    "                if (within >= each) row++, within -= each;\n";

static const char by_quotient[] =
    "                const count units_in = unit - first[g], row = units_in / row_units[g], within = units_in - row * row_units[g];\n";

static const char of_joined[] =
    "                unsigned char *const row_to = to[g] + row * target_pitch;\n"
    "                unsigned long long place = (unsigned long long)from[g] + row * pitch[g];\n"
    "                const long long length = (long long)bytes[g];\n";

static const char of_split[] =
    "                unsigned char *const row_to = to[g] + row * pitch[g];\n"
    "                unsigned long long place = (unsigned long long)from[g] + row * source_pitch;\n"
    "                const long long length = (long long)bytes[g];\n";

static void row_put(zl_text *out, const zl_rows_text *t)
{
    if (!t->columns) {
        zl_puts(out, t->dense ? of_dense : of_rows);
        return;
    }
    zl_puts(out, divides_by_product(t) ? by_product : by_quotient);
    zl_puts(out, zl_rows_joins(&t->asked) ? of_joined : of_split);
}

static const char chunk_end[] =
    "                const unsigned before = (unsigned)(unsigned long long)row_to & (align - 1u);\n"
    "                const long long begin_at = 16ll * within - before;\n"
    "                @_range(low[n], high[n], begin_at, length);\n"
    "                if (low[n] >= high[n]) continue;\n"
    "                at[n] = row_to + begin_at;\n"
    "                place += begin_at;\n"
    "                shift[n] = (unsigned)place & 15u;\n"
    "                place -= shift[n];\n"
    "                if (low[n] + shift[n] < 16u) @_load(w[n][0], place);\n"
    "                if (high[n] + shift[n] > 16u) @_load(w[n][1], place + 16u);\n"
    "            }\n"
    "#pragma unroll\n"
    "            for (unsigned n = 0u; n < 4u; n++) {\n"
    "                unsigned out[4];\n"
    "                @_turn(out, w[n], shift[n]);\n"
    "                @_part(at[n], out[0], out[1], out[2], out[3], low[n], high[n]);\n"
    "            }\n"
    "        }\n"
    "        chunk -= chunks;\n"
    "        __syncthreads();\n"
    "    }\n"
    "}\n";

void zl_rows_copy_put(zl_text *out, const zl_rows_text *t)
{
    zl_rows_lines(out, t, turn, "");
    head_put(out, t);
    ends_put(out, t);
    units_put(out, t);
    zl_puts(out, chunk_begin);
    row_put(out, t);
    zl_rows_lines(out, t, chunk_end, "");
}
