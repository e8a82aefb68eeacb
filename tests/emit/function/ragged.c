/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that move rows: the host's compiler compiles them, and their threads run as coroutines. Each byte of the
 * targets and around them is compared with what plain loops move. Of CUDA C every access is recorded: a valid byte is
 * stored once and no other is, the sectors that are touched are those of valid bytes, and each 16 bytes that are loaded have
 * one of the source. Lists of offsets decrease and pass the tensors, too. nvcc and clang take the texts. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "ctx.h"
#include "heap.h"
#include "random.h"

#include <dlfcn.h>
#include <zlay/emit_ragged.h>

enum { KERNELS = 200, TEXT = 1 << 15, ROOM = 1 << 20, MARGIN = 4096, GROUPS_MOST = 1000, SECTOR = 32 };

static zlay_rows_kernel kernels[KERNELS];
static zlay_rows_launch launches[KERNELS];
static char *texts[KERNELS], names[KERNELS][16];
static int count;

/* ---- the kernels ------------------------------------------------------------------------------------ */

static void add(zlay_ctx *ctx, zlay_rows_kernel k)
{
    assert_true(count < KERNELS);
    k.size = sizeof k;
    k.name_length = (size_t)sprintf(names[count], "f%d", count);
    k.name = names[count];
    texts[count] = malloc(TEXT);
    assert_non_null(texts[count]);
    zlay_buf buf = {texts[count], TEXT, 0};
    if (zlay_emit_rows(ctx, &buf, &launches[count], &k)) fail_msg("%s", zlay_ctx_message(ctx));
    kernels[count++] = k;
}

static void add_groups(zlay_ctx *ctx, int32_t language, uint64_t *seed)
{
    static const uint64_t bytes[] = {1, 2, 3, 5, 15, 16, 17, 31, 33, 63, 64, 129, 255, 511, 513, 1000, 2002, 2049, 8190};
    static const uint64_t groups[] = {1, 2, 3, 7, 8, 33, 256, 257, 700};
    enum { LISTS = sizeof groups / sizeof *groups };
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int32_t kind = ZLAY_ROWS_COPY; kind <= ZLAY_ROWS_SPLIT; kind++) {
            uint64_t most = (ROOM - 2 * MARGIN) / (bytes[i] + 40), rows = (uint64_t)test_range(seed, 1, most < 400 ? (int64_t)most : 400);
            bool dense = test_range(seed, 0, 2) == 0;
            zlay_rows_kernel k = {.kind = kind, .language = language, .groups = groups[test_range(seed, 0, LISTS - 1)], .row_bytes = bytes[i]};
            if (kind != ZLAY_ROWS_CONCATENATE) k.source_rows = rows;
            if (kind != ZLAY_ROWS_SPLIT) k.target_rows = kind == ZLAY_ROWS_COPY && !dense ? (uint64_t)test_range(seed, 1, (int64_t)rows) : rows;
            k.source_pitch = dense ? 0 : bytes[i] + (uint64_t)test_range(seed, 0, 40);
            k.target_pitch = dense ? 0 : bytes[i] + (uint64_t)test_range(seed, 0, 40);
            add(ctx, k);
        }
}

static bool is_columns(const zlay_rows_kernel *k) { return k->kind >= ZLAY_ROWS_CONCATENATE_COLUMNS; }
static bool is_joined(const zlay_rows_kernel *k) { return k->kind == ZLAY_ROWS_CONCATENATE || k->kind == ZLAY_ROWS_CONCATENATE_COLUMNS; }
static bool is_split(const zlay_rows_kernel *k) { return k->kind == ZLAY_ROWS_SPLIT || k->kind == ZLAY_ROWS_SPLIT_COLUMNS; }

static void add_columns(zlay_ctx *ctx, int32_t language, uint64_t *seed)
{
    static const uint64_t bytes[] = {8, 16, 24, 64, 120, 248, 1000, 2048, 8200, 40000};
    static const uint64_t groups[] = {1, 2, 3, 5, 8, 33, 256, 257, 700};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int32_t kind = ZLAY_ROWS_CONCATENATE_COLUMNS; kind <= ZLAY_ROWS_SPLIT_COLUMNS; kind++) {
            bool joined = kind == ZLAY_ROWS_CONCATENATE_COLUMNS;
            uint64_t most = (ROOM - 2 * MARGIN) / (2 * bytes[i] + 120), rows = (uint64_t)test_range(seed, 1, most < 100 ? (int64_t)most : 100);
            uint64_t pitch = test_range(seed, 0, 1) ? bytes[i] + (uint64_t)test_range(seed, 0, 40) : 0;
            add(ctx, (zlay_rows_kernel){.kind = kind, .language = language, .groups = groups[test_range(seed, 0, 8)], .row_bytes = bytes[i], .element_bytes = 1u << test_range(seed, 0, 3),
                                        .source_rows = joined ? 0 : rows, .target_rows = joined ? rows : 0, .source_pitch = joined ? 0 : pitch, .target_pitch = joined ? pitch : 0});
        }
}

/* Tensors of so many rows that units are counted by 64 bits; the lists have few. */
static bool is_long(const zlay_rows_kernel *k) { return k->source_rows == INT32_MAX || k->target_rows == INT32_MAX || (is_columns(k) && k->row_bytes >> 32); }

static void add_long(zlay_ctx *ctx, int32_t language)
{
    for (int32_t kind = ZLAY_ROWS_COPY; kind <= ZLAY_ROWS_SPLIT; kind++)
        for (uint64_t more = 0; more < 6; more += 5)
            add(ctx, (zlay_rows_kernel){.kind = kind, .language = language, .groups = 5, .row_bytes = 1001, .source_pitch = 1001 + more, .target_pitch = 1001 + more / 2,
                                        .source_rows = kind == ZLAY_ROWS_CONCATENATE ? 0 : INT32_MAX, .target_rows = kind == ZLAY_ROWS_SPLIT ? 0 : INT32_MAX});
    assert_non_null(strstr(texts[count - 1], "typedef unsigned long long count"));
    for (int32_t kind = ZLAY_ROWS_CONCATENATE_COLUMNS; kind <= ZLAY_ROWS_SPLIT_COLUMNS; kind++) {
        bool joined = kind == ZLAY_ROWS_CONCATENATE_COLUMNS;
        add(ctx, (zlay_rows_kernel){.kind = kind, .language = language, .groups = 5, .row_bytes = UINT64_C(8) * INT32_MAX, .element_bytes = 8,
                                    .source_rows = !joined, .target_rows = joined});
        assert_non_null(strstr(texts[count - 1], "typedef unsigned long long count"));
    }
}

static void add_transposes(zlay_ctx *ctx, int32_t language, uint64_t *seed)
{
    static const uint64_t sizes[][2] = {{1, 1}, {3, 5}, {16, 16}, {17, 33}, {64, 64}, {131, 67}, {300, 130}, {255, 129}, {1, 300}, {300, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t element = 1; element <= 8; element *= 2) {
            zlay_rows_kernel k = {.kind = ZLAY_ROWS_TRANSPOSE, .language = language, .element_bytes = element, .source_rows = sizes[i][0], .target_rows = sizes[i][1]};
            bool dense = test_range(seed, 0, 2) == 0;
            k.source_pitch = dense ? 0 : element * (sizes[i][1] + (uint64_t)test_range(seed, 0, 9));
            k.target_pitch = dense ? 0 : element * (sizes[i][0] + (uint64_t)test_range(seed, 0, 9));
            add(ctx, k);
        }
}

static void drop_all(void)
{
    while (count) free(texts[--count]);
}

/* ---- what they move ---------------------------------------------------------------------------------- */

/* Memory of a side, of which `valid` are bytes of rows; what the kernel recorded in it. */
typedef struct window {
    uint8_t bytes[ROOM], valid[ROOM], stored[ROOM];
    uint16_t block[ROOM]; /* that stored a byte */
    uint8_t *base; /* of the tensor; of several, of the first */
} window;
static window from __attribute__((aligned(4096))), to __attribute__((aligned(4096)));
static uint8_t expected[ROOM];
static int32_t lists[2][GROUPS_MOST + 1]; /* of the target, of the source */
static void *addresses[GROUPS_MOST];
static uint64_t pitches[GROUPS_MOST]; /* of groups of columns */

static bool is_grouped(const zlay_rows_kernel *k) { return k->kind != ZLAY_ROWS_TRANSPOSE; }

static uint64_t pitch_of(const zlay_rows_kernel *k, int side)
{
    uint64_t pitch = side ? k->source_pitch : k->target_pitch, other = side ? k->target_rows : k->source_rows;
    return pitch ? pitch : is_grouped(k) ? k->row_bytes : other * k->element_bytes;
}

static uint64_t list_most(const zlay_rows_kernel *k, int side)
{
    if (is_columns(k)) return k->row_bytes / k->element_bytes;
    if (is_joined(k)) return k->target_rows;
    if (is_split(k)) return k->source_rows;
    return side ? k->source_rows : k->target_rows;
}

/* Most lists ascend; the others have any numbers. */
static void draw_lists(const zlay_rows_kernel *k, uint64_t *seed)
{
    bool wild = !is_long(k) && test_range(seed, 0, 3) == 0;
    for (int side = 0; side < 2; side++) {
        int64_t most = is_long(k) ? 200 : (int64_t)list_most(k, side), last = test_range(seed, 0, 1) ? 0 : test_range(seed, 0, most);
        int64_t step = 2 * most / (int64_t)k->groups + 1;
        for (uint64_t g = 0; g <= k->groups; g++) {
            lists[side][g] = (int32_t)last;
            last = wild ? test_range(seed, -most - 2, 2 * most + 2) : last + test_range(seed, 0, step);
            if (!wild && last > most) last = most;
            if (wild && test_range(seed, 0, 9) == 0) last = test_range(seed, 0, 1) ? INT32_MAX : INT32_MIN;
        }
    }
}

/* Moves a row, or an element of a transpose, in the expected memory. */
static void move(uint8_t *target, const uint8_t *source, uint64_t bytes)
{
    assert_true(target >= to.bytes + MARGIN && target + bytes <= to.bytes + ROOM - MARGIN);
    assert_true(source >= from.bytes + MARGIN && source + bytes <= from.bytes + ROOM - MARGIN);
    for (uint64_t b = 0; b < bytes; b++) {
        assert_int_equal(to.valid[target - to.bytes + (ptrdiff_t)b], 0);
        expected[target - to.bytes + (ptrdiff_t)b] = source[b];
        to.valid[target - to.bytes + (ptrdiff_t)b] = from.valid[source - from.bytes + (ptrdiff_t)b] = 1;
    }
}

static int64_t bounded(int64_t offset, int64_t least, int64_t most) { return offset < least ? least : offset > most ? most : offset; }

static void move_groups(const zlay_rows_kernel *k, uint64_t *seed)
{
    bool one = k->kind != ZLAY_ROWS_COPY;
    int64_t at[2] = {bounded(lists[0][0], 0, (int64_t)list_most(k, 0)), bounded(lists[1][0], 0, (int64_t)list_most(k, 1))}, next[2], packed = 0;
    for (uint64_t g = 0; g < k->groups; g++) {
        for (int side = 0; side < 2; side++) next[side] = bounded(lists[side][g + 1], at[side], (int64_t)list_most(k, side));
        int64_t rows[2] = {next[0] - at[0], next[1] - at[1]}, least = one || rows[0] < rows[1] ? rows[0] : rows[1];
        uint8_t *target = to.base + (uint64_t)at[0] * pitch_of(k, 0), *source = from.base + (uint64_t)at[1] * pitch_of(k, 1);
        if (k->kind == ZLAY_ROWS_CONCATENATE) addresses[g] = source = from.base + packed;
        if (k->kind == ZLAY_ROWS_SPLIT) least = rows[1], addresses[g] = target = to.base + packed;
        for (int64_t r = 0; r < least; r++) move(target + (uint64_t)r * pitch_of(k, 0), source + (uint64_t)r * pitch_of(k, 1), k->row_bytes);
        packed += least * (int64_t)pitch_of(k, k->kind == ZLAY_ROWS_CONCATENATE) + (k->groups < 40 ? test_range(seed, 0, 40) : 0);
        at[0] = next[0], at[1] = next[1];
    }
}

/* The rows of a group's own tensor lie apart, one behind the other, or as near as a pitch that is too small may bring them. */
static void move_columns(const zlay_rows_kernel *k, uint64_t *seed)
{
    bool joined = is_joined(k);
    uint64_t rows = joined ? k->target_rows : k->source_rows, packed = 0, element = k->element_bytes;
    int64_t most = (int64_t)list_most(k, 0), at = bounded(lists[!joined][0], 0, most);
    for (uint64_t g = 0; g < k->groups; g++) {
        int64_t next = bounded(lists[!joined][g + 1], at, most);
        uint64_t bytes = (uint64_t)(next - at) * element, pitch = bytes + (k->groups < 40 ? (uint64_t)test_range(seed, 0, 40) : 0);
        uint8_t *own = (joined ? from.base : to.base) + packed, *wide = (joined ? to.base : from.base) + (uint64_t)at * element;
        addresses[g] = own;
        pitches[g] = pitch == bytes && bytes ? (uint64_t)test_range(seed, 0, (int64_t)bytes) : pitch;
        for (uint64_t r = 0; r < rows; r++) {
            uint8_t *there = wide + r * pitch_of(k, !joined), *here = own + r * pitch;
            move(joined ? there : here, joined ? here : there, bytes);
        }
        packed += rows * pitch + (k->groups < 40 ? (uint64_t)test_range(seed, 0, 40) : 0);
        at = next;
    }
}

static void move_turned(const zlay_rows_kernel *k)
{
    for (uint64_t r = 0; r < k->source_rows; r++)
        for (uint64_t c = 0; c < k->target_rows; c++)
            move(to.base + c * pitch_of(k, 0) + r * k->element_bytes, from.base + r * pitch_of(k, 1) + c * k->element_bytes, k->element_bytes);
}

static void prepare(const zlay_rows_kernel *k, uint64_t *seed, unsigned source_shift, unsigned target_shift)
{
    unsigned unit = is_grouped(k) ? 1 : k->element_bytes;
    memset(&to, 0, sizeof to);
    memset(from.valid, 0, ROOM);
    for (int i = 0; i < ROOM; i++) from.bytes[i] = (uint8_t)test_random(seed);
    memset(to.bytes, 0x5a, ROOM);
    memset(expected, 0x5a, ROOM);
    to.base = to.bytes + MARGIN + target_shift / unit * unit;
    from.base = from.bytes + MARGIN + source_shift / unit * unit;
    if (!is_grouped(k)) {
        move_turned(k);
        return;
    }
    draw_lists(k, seed);
    if (is_columns(k)) move_columns(k, seed);
    else move_groups(k, seed);
}

/* ---- the host's compiler ----------------------------------------------------------------------------- */

static const char preamble[] =
    "#include \"lanes.h\"\n"
    "static void *argument[4];\n"
    "extern \"C\" {\n"
    "unsigned char *to_begin, *to_stored; unsigned short *to_block; const unsigned char *from_begin, *from_valid; unsigned long long room, outside, empty;\n"
    "}\n"
    "template <class type> static void __stcg(type *at, type value)\n"
    "{\n"
    "    unsigned long long place = (unsigned char *)at - to_begin;\n"
    "    if (place + sizeof value > room || place % sizeof value) { outside++; return; }\n"
    "    memcpy(at, &value, sizeof value);\n"
    "    for (unsigned long long b = 0; b < sizeof value; b++) to_stored[place + b]++, to_block[place + b] = (unsigned short)blockIdx.x;\n"
    "}\n"
    "static uint4 __ldg(const uint4 *at)\n"
    "{\n"
    "    unsigned long long place = (const unsigned char *)at - from_begin, any = 0;\n"
    "    if (place + 16 > room || place % 16) { outside++; return uint4{0, 0, 0, 0}; }\n"
    "    for (int b = 0; b < 16; b++) any += from_valid[place + b];\n"
    "    empty += !any;\n"
    "    return *at;\n"
    "}\n";

static void put_run(FILE *file, int i)
{
    static const char *const calls[] = {
        [ZLAY_ROWS_COPY] = "argument[0], argument[1], (const int *)argument[2], (const int *)argument[3]",
        [ZLAY_ROWS_CONCATENATE] = "argument[0], (const void *const *)argument[1], (const int *)argument[2]",
        [ZLAY_ROWS_SPLIT] = "(void *const *)argument[0], argument[1], (const int *)argument[2]",
        [ZLAY_ROWS_TRANSPOSE] = "argument[0], argument[1]",
        [ZLAY_ROWS_CONCATENATE_COLUMNS] = "argument[0], (const void *const *)argument[1], (const int *)argument[2], (const unsigned long long *)argument[3]",
        [ZLAY_ROWS_SPLIT_COLUMNS] = "(void *const *)argument[0], argument[1], (const int *)argument[2], (const unsigned long long *)argument[3]",
    };
    fprintf(file, "%sstatic void call_%d(unsigned *, unsigned, void *) { f%d(%s); }\n", texts[i], i, i, calls[kernels[i].kind]);
    fprintf(file, "extern \"C\" void run_%d(void **given, unsigned blocks)\n{\n    memcpy(argument, given, sizeof argument);\n    lanes_launch(call_%d, blocks, %u);\n}\n",
            i, i, launches[i].threads);
}

static void *library(void)
{
    char folder[] = "/tmp/zlay-rows-XXXXXX", path[64], command[500];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(preamble, file);
    for (int i = 0; i < count; i++) put_run(file, i);
    fclose(file);
    snprintf(command, sizeof command,
             "cd %s && ${CXX:-c++} -std=c++17 -O1 -fno-strict-aliasing -Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-unused-function -I$OLDPWD/tests/support -fPIC -shared -o c.so c.cpp", folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/c.so", folder);
    void *found = dlopen(path, RTLD_NOW);
    if (!found) fail_msg("%s", dlerror());
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return found;
}

static void set(void *library, const char *name, const void *value)
{
    const void **variable = dlsym(library, name);
    assert_non_null(variable);
    *variable = value;
}

static unsigned long long *number(void *library, const char *name)
{
    unsigned long long *variable = dlsym(library, name);
    assert_non_null(variable);
    return variable;
}

/* Sectors that have a byte which counts. */
static uint64_t sectors(const uint8_t *counts)
{
    uint64_t n = 0;
    for (int i = 0; i < ROOM; i += SECTOR) {
        int any = 0;
        for (int b = 0; b < SECTOR; b++) any |= counts[i + b];
        n += any != 0;
    }
    return n;
}

/* Whole sectors of a row of a transpose that two tiles store parts of, where each tile has a block. */
static int parted_sectors(const zlay_rows_kernel *k)
{
    int n = 0;
    for (uint64_t row = 0; row < k->target_rows; row++) {
        uint8_t *begin = to.base + row * pitch_of(k, 0), *end = begin + k->source_rows * k->element_bytes;
        for (uint8_t *at = begin + (SECTOR - (uintptr_t)begin % SECTOR) % SECTOR; at + SECTOR <= end; at += SECTOR)
            for (int b = 1; b < SECTOR; b++) n += to.block[at - to.bytes] != to.block[at - to.bytes + b];
    }
    return n;
}

static void check(void *found, int i, uint64_t *seed, unsigned source_shift, unsigned target_shift, unsigned blocks)
{
    const zlay_rows_kernel *k = &kernels[i];
    char name[24];
    snprintf(name, sizeof name, "run_%d", i);
    union { void *object; void (*run)(void **, unsigned); } function = {dlsym(found, name)};
    assert_non_null(function.object);
    prepare(k, seed, source_shift, target_shift);
    void *given[4] = {is_split(k) ? (void *)addresses : to.base, is_joined(k) ? (void *)addresses : from.base, lists[is_split(k)], is_columns(k) ? (void *)pitches : lists[1]};
    function.run(given, blocks);
    if (memcmp(to.bytes, expected, ROOM)) fail_msg("kind %d, %u blocks, shifts %u and %u: bytes differ\n%s", k->kind, blocks, source_shift, target_shift, texts[i]);
    if (k->language == ZLAY_TEXT_HIP) return;
    if (memcmp(to.stored, to.valid, ROOM)) fail_msg("kind %d: a byte is not stored once\n%s", k->kind, texts[i]);
    assert_int_equal(sectors(to.stored), sectors(to.valid));
    if (!is_grouped(k) && blocks == launches[i].blocks) assert_int_equal(parted_sectors(k), 0);
    assert_int_equal(*number(found, "outside"), 0);
    assert_int_equal(*number(found, "empty"), 0);
}

static void on_the_host(zlay_ctx *ctx, int32_t language)
{
    uint64_t seed = test_seed("rows");
    add_groups(ctx, language, &seed);
    add_transposes(ctx, language, &seed);
    add_columns(ctx, language, &seed);
    add_long(ctx, language);
    void *found = library();
    set(found, "to_begin", to.bytes), set(found, "to_stored", to.stored), set(found, "to_block", to.block);
    set(found, "from_begin", from.bytes), set(found, "from_valid", from.valid);
    *number(found, "room") = ROOM;
    unsigned runs = 0, each = language == ZLAY_TEXT_CUDA ? 5 : 2;
    for (int i = 0; i < count; i++)
        for (unsigned n = 0; n < each; n++, runs++) {
            unsigned blocks = is_grouped(&kernels[i]) || n ? (unsigned)test_range(&seed, 1, 4) : (unsigned)launches[i].blocks;
            check(found, i, &seed, runs % 16, runs / 16 % 32 + 32 * (unsigned)test_range(&seed, 0, 3), blocks);
        }
    print_message("%d kernels, %u runs\n", count, runs);
    assert_true(language != ZLAY_TEXT_CUDA || runs >= 16 * 32);
    dlclose(found);
    drop_all();
}

static void cuda_values(void **state) { on_the_host(*state, ZLAY_TEXT_CUDA); }
static void hip_values(void **state) { on_the_host(*state, ZLAY_TEXT_HIP); }

/* ---- compilers ---------------------------------------------------------------------------------------- */

/* What the headers of HIP define. */
static const char hip_head[] =
    "#define __global__ __attribute__((global))\n#define __shared__ __attribute__((shared))\n#define __launch_bounds__(n) __attribute__((launch_bounds(n)))\n"
    "#define __syncthreads() __builtin_amdgcn_s_barrier()\nstruct place { unsigned x; };\n#define threadIdx (place{__builtin_amdgcn_workitem_id_x()})\n"
    "#define blockIdx (place{__builtin_amdgcn_workgroup_id_x()})\n#define gridDim (place{__builtin_amdgcn_grid_size_x() / 256u})\n";

/* The kernels of a real size, in one text. */
static char *all_texts(zlay_ctx *ctx, int32_t language)
{
    static const zlay_rows_kernel real[] = {
        {.kind = ZLAY_ROWS_COPY, .groups = 64, .source_rows = 40000, .target_rows = 40000, .row_bytes = 8190, .target_pitch = 8194},
        {.kind = ZLAY_ROWS_COPY, .groups = 300, .source_rows = 40000, .target_rows = 40000, .row_bytes = 2002},
        {.kind = ZLAY_ROWS_COPY, .groups = 1, .source_rows = INT32_MAX, .target_rows = INT32_MAX, .row_bytes = 14338},
        {.kind = ZLAY_ROWS_CONCATENATE, .groups = 64, .target_rows = 40000, .row_bytes = 2002, .source_pitch = 2006},
        {.kind = ZLAY_ROWS_SPLIT, .groups = 1000, .source_rows = INT32_MAX, .row_bytes = 130, .target_pitch = 134},
        {.kind = ZLAY_ROWS_TRANSPOSE, .source_rows = 4095, .target_rows = 8191, .element_bytes = 1},
        {.kind = ZLAY_ROWS_TRANSPOSE, .source_rows = 4095, .target_rows = 8191, .element_bytes = 2},
        {.kind = ZLAY_ROWS_TRANSPOSE, .source_rows = 4095, .target_rows = 8191, .element_bytes = 4},
        {.kind = ZLAY_ROWS_TRANSPOSE, .source_rows = INT32_MAX, .target_rows = 1 << 27, .element_bytes = 8},
        {.kind = ZLAY_ROWS_CONCATENATE_COLUMNS, .groups = 64, .target_rows = 40000, .row_bytes = 8190, .element_bytes = 2, .target_pitch = 8194},
        {.kind = ZLAY_ROWS_CONCATENATE_COLUMNS, .groups = 300, .target_rows = INT32_MAX, .row_bytes = 16388, .element_bytes = 4},
        {.kind = ZLAY_ROWS_SPLIT_COLUMNS, .groups = 3, .source_rows = 40000, .row_bytes = 12288, .element_bytes = 2},
    };
    size_t at = strlen(hip_head);
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        zlay_rows_kernel k = real[i];
        k.language = language;
        add(ctx, k);
        at += strlen(texts[i]);
    }
    char *whole = malloc(at + 1);
    assert_non_null(whole);
    strcpy(whole, language == ZLAY_TEXT_HIP ? hip_head : "");
    for (int i = 0; i < count; i++) strcat(whole, texts[i]);
    drop_all();
    return whole;
}

static void by_nvcc(void **state)
{
    need_compiler();
    char *whole = all_texts(*state, ZLAY_TEXT_CUDA), name[] = "/tmp/zlay-cuda-XXXXXX", command[500];
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs(whole, file);
    fclose(file);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        snprintf(command, sizeof command,
                 ASSEMBLER_PATH "nvcc -Werror all-warnings -x cu -std=c++17 -arch=%s -cubin -Xptxas -v -o /dev/null %s 2>&1 | "
                 "awk '/rror|[1-9][0-9]* bytes (stack|spill)/ {print >\"/dev/stderr\"; bad = 1} /Used [0-9]+ registers/ {done++} END {exit bad || done != 12}'", targets[i], name);
        assert_int_equal(system(command), 0);
    }
    unlink(name);
    free(whole);
}

static void by_clang(void **state)
{
    if (!has_hip_compiler()) skip();
    char *whole = all_texts(*state, ZLAY_TEXT_HIP);
    assert_true(compiles_hip("gfx90a gfx942 gfx950", whole));
    free(whole);
}

/* ---- requests ----------------------------------------------------------------------------------------- */

static const zlay_rows_kernel good = {.size = sizeof good, .kind = ZLAY_ROWS_COPY, .language = ZLAY_TEXT_CUDA, .groups = 2, .source_rows = 10, .target_rows = 10, .row_bytes = 6,
                                      .name = "f", .name_length = 1};
static const zlay_rows_kernel turned = {.size = sizeof turned, .kind = ZLAY_ROWS_TRANSPOSE, .language = ZLAY_TEXT_CUDA, .source_rows = 10, .target_rows = 10, .element_bytes = 4,
                                        .name = "f", .name_length = 1};

static void refuses(zlay_ctx *ctx, const zlay_rows_kernel *k, zlay_status status, const char *says)
{
    char text[8];
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_emit_rows(ctx, &buf, NULL, k), status);
    if (says && !strstr(zlay_ctx_message(ctx), says)) fail_msg("'%s' does not say '%s'", zlay_ctx_message(ctx), says);
}

static const zlay_rows_kernel beside = {.size = sizeof beside, .kind = ZLAY_ROWS_SPLIT_COLUMNS, .language = ZLAY_TEXT_CUDA, .groups = 2, .source_rows = 10, .row_bytes = 24, .element_bytes = 4,
                                        .name = "f", .name_length = 1};

#define REFUSES(of, change, says)                                                                                                                              \
    do {                                                                                                                                                       \
        zlay_rows_kernel k = of;                                                                                                                               \
        k.change;                                                                                                                                              \
        refuses(ctx, &k, ZLAY_EINVAL, says);                                                                                                                   \
    } while (0)

static void refused(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_rows_kernel ptx = good;
    char text[1];
    zlay_buf buf = {text, 0, 0};
    ptx.language = ZLAY_TEXT_PTX;
    refuses(ctx, &good, ZLAY_EROOM, NULL);
    refuses(ctx, &turned, ZLAY_EROOM, NULL);
    refuses(ctx, &ptx, ZLAY_ENOTSUP, "language: ");
    assert_int_equal(zlay_emit_rows(ctx, NULL, NULL, &good), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_rows(ctx, &buf, NULL, NULL), ZLAY_EINVAL);
    REFUSES(good, size = 8, "size");
    REFUSES(good, reserved[3] = 1, "reserved");
    REFUSES(good, name = NULL, "name: ");
    REFUSES(good, name = "1", "name");
    REFUSES(good, kind = 6, "kind: 6");
    REFUSES(good, kind = -1, "kind: -1");
    REFUSES(good, language = 3, "language: 3");
    REFUSES(good, groups = 0, "groups: there is none");
    REFUSES(good, groups = 1u << 31, "groups: 2147483648 is above 2147483647");
    REFUSES(good, source_rows = 1u << 31, "source_rows: 2147483648");
    REFUSES(good, target_rows = 1u << 31, "target_rows: 2147483648");
    REFUSES(good, row_bytes = 0, "row_bytes: there is none");
    REFUSES(good, row_bytes = UINT64_MAX, "row_bytes: ");
    REFUSES(good, row_bytes = UINT64_C(1) << 60, "source_pitch: 10 rows");
    REFUSES(good, source_pitch = 5, "source_pitch: 5 is less");
    REFUSES(good, target_pitch = 5, "target_pitch: 5 is less");
    REFUSES(good, target_pitch = UINT64_MAX, "target_pitch: 10 rows");
    REFUSES(good, element_bytes = 2, "element_bytes: this kind has none");
    REFUSES(good, kind = ZLAY_ROWS_CONCATENATE, "source_rows: this kind has none");
    REFUSES(good, kind = ZLAY_ROWS_SPLIT, "target_rows: this kind has none");
    REFUSES(turned, groups = 1, "groups: this kind has none");
    REFUSES(turned, row_bytes = 40, "row_bytes: this kind has none");
    REFUSES(turned, element_bytes = 3, "element_bytes: 3");
    REFUSES(turned, element_bytes = 16, "element_bytes: 16");
    REFUSES(turned, element_bytes = 0, "element_bytes: there is none");
    REFUSES(turned, source_pitch = 42, "source_pitch: 42 is no multiple");
    REFUSES(turned, target_pitch = 39, "target_pitch: 39 is less");
    refuses(ctx, &beside, ZLAY_EROOM, NULL);
    REFUSES(beside, row_bytes = 22, "row_bytes: 22 is no multiple of element_bytes");
    REFUSES(beside, row_bytes = UINT64_C(1) << 33, "row_bytes: 2147483648 columns are above");
    REFUSES(beside, element_bytes = 0, "element_bytes: there is none");
    REFUSES(beside, element_bytes = 3, "element_bytes: 3 is not");
    REFUSES(beside, target_rows = 10, "target_rows: this kind has none");
    REFUSES(beside, target_pitch = 24, "target_pitch: this kind has none");
    REFUSES(beside, source_pitch = 23, "source_pitch: 23 is less");
    REFUSES(beside, source_pitch = UINT64_MAX, "source_pitch: 10 rows");
    REFUSES(beside, kind = ZLAY_ROWS_CONCATENATE_COLUMNS, "source_rows: this kind has none");
}

static zlay_status print_given(zlay_ctx *ctx, void *given)
{
    zlay_buf buf = {given, TEXT, 0};
    zlay_status status = zlay_emit_rows(ctx, &buf, NULL, &beside);
    buf.need = 0;
    return status ? status : zlay_emit_rows(ctx, &buf, NULL, &turned);
}

static void memory(void **state)
{
    static char text[TEXT];
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    assert_int_equal(heap_fails_each(&h, ctx, print_given, text), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cuda_values), cmocka_unit_test(hip_values), cmocka_unit_test(by_nvcc), cmocka_unit_test(by_clang), cmocka_unit_test(refused), cmocka_unit_test(memory)};
    return cmocka_run_group_tests_name("ragged kernels", tests, begin, end);
}
