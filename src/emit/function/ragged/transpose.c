/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes of rows of any count and pitch. A block brings a tile to shared memory by aligned 16 bytes, as they lie in
 * the source, and stores it by 16 bytes of the target, each made of as many elements of a column. Rows of the target begin
 * anywhere, so a tile has in each of them the same whole sectors of 32 bytes counted from the one where the row begins:
 * in the source it is a parallelogram, and every row is loaded that one of its columns needs. One more unit
 * of 16 bytes behind as many rows as a unit of the target has elements lets the reads of a warp be of different banks. */
#include "emit/function/ragged/ragged.h"

#include "base/arith.h"

typedef unsigned long long ull;

static uint64_t columns_of(const zl_rows_text *t) { return t->asked.target_rows; }

static uint32_t per_unit(const zl_rows_text *t) { return ZL_ROWS_UNIT / t->asked.element_bytes; }

/* Rows of the source before the tile's first that a row of the target may need. */
static uint32_t before_of(const zl_rows_text *t) { return ZL_ROWS_SECTOR / t->asked.element_bytes - 1; }

static uint32_t loaded_rows(const zl_rows_text *t) { return t->tile.source + before_of(t); }

/* Units of a row of the tile in shared memory, which begins anywhere. */
static uint32_t row_units(const zl_rows_text *t)
{
    return t->tile.target * t->asked.element_bytes / ZL_ROWS_UNIT + 1;
}

static uint32_t shared_of(const zl_rows_text *t)
{
    return (loaded_rows(t) * row_units(t) + loaded_rows(t) / per_unit(t) + 1) * ZL_ROWS_UNIT;
}

/* A warp reads elements of 8 units of 4 rows of the target at once. By the unit behind every 16 bytes of a column, the units are
 * of 8 different groups of 4 banks. In its group an element of the k-th row has the word k (1 - s p) and what is common to
 * all, where s and p are the pitches in elements and these rows are `apart` columns of the source from each other. Those
 * are 4 different words where s p is even. Where it is odd, the k-th row is read from its k-th word on, which adds s k. */
static uint32_t apart_of(const zl_rows_text *t)
{
    return t->asked.element_bytes < 4 ? 4 / t->asked.element_bytes : 1;
}

static bool turns(const zl_rows_text *t)
{
    uint64_t element = t->asked.element_bytes;
    return t->asked.source_pitch / element % 2 && t->asked.target_pitch / element % 2;
}

/* Tiles along a row of the target. */
static uint64_t across_of(const zl_rows_text *t)
{
    uint64_t element = t->asked.element_bytes;
    return zl_ceil_div(t->asked.source_rows * element + ZL_ROWS_SECTOR - element, t->tile.source * element);
}

void zl_rows_transpose_plan(zl_rows_text *t, zlay_rows_launch *launch)
{
    static const zl_rows_tile tiles[] = {[1] = {256, 128}, [2] = {128, 128}, [4] = {64, 64}, [8] = {64, 32}};
    t->tile = tiles[t->asked.element_bytes];
    t->chunks = across_of(t) * zl_ceil_div(columns_of(t), t->tile.target);
    launch->shared = shared_of(t);
}

static void constants_put(zl_text *out, const zl_rows_text *t)
{
    const zlay_rows_kernel *k = &t->asked;
    unsigned loads = (unsigned)zl_ceil_div((uint64_t)loaded_rows(t) * row_units(t), ZL_ROWS_THREADS);
    unsigned units = t->tile.source * k->element_bytes / ZL_ROWS_UNIT;
    zl_putf(out, "    typedef %s count;\n    const long long rows = %llull, columns = %llull;\n", zl_rows_count_type(t),
            (ull)k->source_rows, (ull)k->target_rows);
    zl_putf(out, "    const unsigned long long source_pitch = %lluull, target_pitch = %lluull;\n",
            (ull)k->source_pitch, (ull)k->target_pitch);
    zl_putf(out, "    const count across = %lluull, tiles = %lluull;\n", (ull)across_of(t), (ull)t->chunks);
    zl_putf(out, "    const unsigned element = %uu, tile_rows = %uu, tile_columns = %uu, rows_before = %uu, loaded = %uu;\n",
            (unsigned)k->element_bytes, (unsigned)t->tile.source, (unsigned)t->tile.target, (unsigned)before_of(t),
            (unsigned)loaded_rows(t));
    zl_putf(out, "    const unsigned apart = %uu, row_units = %uu, loads = %uu, units = %uu, stores = %uu;\n",
            (unsigned)apart_of(t), (unsigned)row_units(t), loads, units, units * t->tile.target / ZL_ROWS_THREADS);
    zl_putf(out, "    __shared__ __attribute__((aligned(16))) unsigned char tile[%u];\n", (unsigned)shared_of(t));
}

static const char load[] =
    "    const unsigned long long from = (unsigned long long)source;\n"
    "    for (count t = blockIdx.x; t < tiles; t += gridDim.x) {\n"
    "        const unsigned long long along = t % across, strip = t / across;\n"
    "        const long long row0 = (long long)(along * tile_rows) - rows_before, column0 = (long long)(strip * tile_columns);\n"
    "        const long long column1 = columns - column0 < tile_columns ? columns : column0 + tile_columns;\n"
    "        unsigned w[loads][4];\n"
    "#pragma unroll\n"
    "        for (unsigned n = 0u; n < loads; n++) {\n"
    "            const unsigned i = threadIdx.x + 256u * n, r = i / row_units;\n"
    "            const long long row = row0 + r;\n"
    "            const unsigned long long begin = from + row * source_pitch;\n"
    "            const unsigned long long at = ((begin + column0 * element) & ~15ull) + 16u * (i % row_units);\n"
    "            w[n][0] = w[n][1] = w[n][2] = w[n][3] = 0u;\n"
    "            if (r < loaded && row >= 0 && row < rows && at < begin + column1 * element) @_load(w[n], at);\n"
    "        }\n"
    "#pragma unroll\n"
    "        for (unsigned n = 0u; n < loads; n++) {\n"
    "            const unsigned i = threadIdx.x + 256u * n, r = i / row_units;\n"
    "            if (r < loaded) @_keep(tile + 16u * (i + r * element / 16u), w[n]);\n"
    "        }\n"
    "        __syncthreads();\n"
    "        const unsigned tile_at = (unsigned)(from + row0 * source_pitch + column0 * element);\n";

static const char store[] =
    "#pragma unroll 2\n"
    "        for (unsigned n = 0u; n < stores; n++) {\n"
    "            const unsigned v = threadIdx.x + 256u * n, far = v / 32u;\n"
    "            const unsigned j = v % 8u + far % (units / 8u) * 8u, fours = far / (units / 8u), k = v / 8u % 4u;\n"
    "            const unsigned c = fours % apart + apart * k + fours / apart * apart * 4u;\n"
    "            unsigned low, high, out[4] = {};\n"
    "            if (column0 + c >= columns) continue;\n"
    "            unsigned char *const row_to = (unsigned char *)target + (column0 + c) * target_pitch;\n"
    "            const unsigned before = (unsigned)(unsigned long long)row_to & 31u;\n"
    "            const long long place = (long long)(along * (tile_rows * element)) + 16u * j - before;\n"
    "            @_range(low, high, place, rows * element);\n"
    "            if (low >= high) continue;\n"
    "            const unsigned r0 = rows_before + 16u * j / element - before / element, turn = ";

static const char gather[] =
    "#pragma unroll\n"
    "            for (unsigned e = 0u; e < 16u / element; e++) {\n"
    "                const unsigned r = r0 + (e + turn) % (16u / element), shift = (tile_at + r * (unsigned)source_pitch) & 15u;\n"
    "                const unsigned char *const at = tile + 16u * (r * row_units + r * element / 16u) + shift + c * element;\n";

/* The words of a unit that were read from word `words` on. */
static const char back[] =
    "static __device__ __forceinline__ __attribute__((unused)) void @_back(unsigned (&w)[4], unsigned words)\n"
    "{\n"
    "    const unsigned a = words & 1u ? w[3] : w[0], b = words & 1u ? w[0] : w[1], c = words & 1u ? w[1] : w[2], d = words & 1u ? w[2] : w[3];\n"
    "    w[0] = words & 2u ? c : a, w[1] = words & 2u ? d : b, w[2] = words & 2u ? a : c, w[3] = words & 2u ? b : d;\n"
    "}\n";

/* An element to its place in the registers of a unit. */
static const char *const element_lines[] = {
    [1] = "                out[e / 4u] |= (unsigned)*at << 8u * (e % 4u);\n",
    [2] = "                out[e / 2u] |= @_read_2(at) << 16u * (e % 2u);\n",
    [4] = "                out[e] = @_read_4(at);\n",
    [8] = "                @_read_8(out[2u * e], out[2u * e + 1u], at);\n",
};

void zl_rows_transpose_put(zl_text *out, const zl_rows_text *t)
{
    if (turns(t)) zl_rows_lines(out, t, back, "");
    zl_rows_lines(out, t, "extern \"C\" __global__ void __launch_bounds__(256) @(void *target, const void *source)\n{\n", "");
    constants_put(out, t);
    zl_rows_lines(out, t, load, "");
    zl_rows_lines(out, t, store, "");
    zl_puts(out, turns(t) ? t->asked.element_bytes == 8 ? "k % 2u;\n" : "k * (4u / element);\n" : "0u;\n");
    zl_puts(out, gather);
    zl_rows_lines(out, t, element_lines[t->asked.element_bytes], "");
    zl_puts(out, "            }\n");
    if (turns(t)) zl_rows_lines(out, t, "            @_back(out, turn * element / 4u);\n", "");
    zl_rows_lines(out, t, "            @_part(row_to + place, out[0], out[1], out[2], out[3], low, high);\n        }\n"
                          "        __syncthreads();\n    }\n}\n", "");
}
