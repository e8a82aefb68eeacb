/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_rows: checks a request against what addresses and offsets of 32 bits can count, fills in the pitches of dense
 * rows and prints the kernel. */
#include "emit/function/ragged/ragged.h"

#include "base/arith.h"
#include "base/request.h"
#include "emit/function/function.h"

static const uint64_t rows_most = INT32_MAX, bytes_most = UINT64_C(1) << 62;

typedef struct rows_field {
    const char *name;
    uint64_t value;
    uint32_t kinds; /* that have it */
} rows_field;

enum {
    COPY = 1 << ZLAY_ROWS_COPY,
    CONCATENATE = 1 << ZLAY_ROWS_CONCATENATE,
    SPLIT = 1 << ZLAY_ROWS_SPLIT,
    TRANSPOSE = 1 << ZLAY_ROWS_TRANSPOSE,
    JOIN_COLUMNS = 1 << ZLAY_ROWS_CONCATENATE_COLUMNS,
    SPLIT_COLUMNS = 1 << ZLAY_ROWS_SPLIT_COLUMNS,
    COLUMNS = JOIN_COLUMNS | SPLIT_COLUMNS,
    GROUPED = COPY | CONCATENATE | SPLIT | COLUMNS
};

/* A field is there exactly where its kind has it, and counts are those of 32 bits. */
static zlay_status field_check(zlay_ctx *ctx, const zlay_rows_kernel *k, const rows_field *f,
                               uint64_t most)
{
    bool has = zl_is_in(k->kind, f->kinds);
    if (!has && f->value)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: this kind has none, so it is 0", f->name);
    if (has && !f->value) return zl_fail(ctx, ZLAY_EINVAL, "%s: there is none", f->name);
    if (f->value > most)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu is above %llu", f->name,
                       (unsigned long long)f->value, (unsigned long long)most);
    return ZLAY_OK;
}

static zlay_status fields_check(zlay_ctx *ctx, const zlay_rows_kernel *k)
{
    const rows_field counts[] = {
        {"groups", k->groups, GROUPED},
        {"source_rows", k->source_rows, COPY | SPLIT | TRANSPOSE | SPLIT_COLUMNS},
        {"target_rows", k->target_rows, COPY | CONCATENATE | TRANSPOSE | JOIN_COLUMNS},
    };
    const rows_field row_bytes = {"row_bytes", k->row_bytes, GROUPED};
    const rows_field element = {"element_bytes", k->element_bytes, TRANSPOSE | COLUMNS};
    zlay_status status = ZLAY_OK;
    if (!zl_is_in(k->kind, GROUPED | TRANSPOSE))
        return zl_fail(ctx, ZLAY_EINVAL, "kind: %d is not one of ZLAY_ROWS_*", (int)k->kind);
    for (size_t i = 0; !status && i < ZL_COUNT(counts); i++)
        status = field_check(ctx, k, &counts[i], rows_most);
    if (!status) status = field_check(ctx, k, &row_bytes, bytes_most);
    if (!status) status = field_check(ctx, k, &element, 8);
    if (!status && k->element_bytes && !zl_is_power_of_two(k->element_bytes))
        status = zl_fail(ctx, ZLAY_EINVAL, "element_bytes: %u is not 1, 2, 4 or 8",
                         (unsigned)k->element_bytes);
    return status;
}

/* Rows of one side: their bytes, the pitch, and that of which no sum of addresses overflows. */
static zlay_status side_check(zlay_ctx *ctx, const char *name, uint64_t *pitch, uint64_t row_bytes,
                              uint64_t rows, uint32_t element_bytes)
{
    if (!*pitch) *pitch = row_bytes;
    if (*pitch < row_bytes)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu is less than the %llu bytes of a row", name,
                       (unsigned long long)*pitch, (unsigned long long)row_bytes);
    if (element_bytes && *pitch % element_bytes)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu is no multiple of element_bytes", name,
                       (unsigned long long)*pitch);
    if (zl_umul_sat(*pitch, rows) > bytes_most)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu rows of %llu bytes are more than 2^62", name,
                       (unsigned long long)rows, (unsigned long long)*pitch);
    return ZLAY_OK;
}

/* Columns are counted by 32 bits, rows have whole ones, and the blocks' pitches are the launch's. */
static zlay_status columns_check(zlay_ctx *ctx, zlay_rows_kernel *k)
{
    bool joins = zl_rows_joins(k);
    if (k->row_bytes % k->element_bytes)
        return zl_fail(ctx, ZLAY_EINVAL, "row_bytes: %llu is no multiple of element_bytes",
                       (unsigned long long)k->row_bytes);
    if (k->row_bytes / k->element_bytes > rows_most)
        return zl_fail(ctx, ZLAY_EINVAL, "row_bytes: %llu columns are above %llu",
                       (unsigned long long)(k->row_bytes / k->element_bytes),
                       (unsigned long long)rows_most);
    if (joins ? k->source_pitch : k->target_pitch)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: this kind has none, so it is 0",
                       joins ? "source_pitch" : "target_pitch");
    return side_check(ctx, joins ? "target_pitch" : "source_pitch",
                      joins ? &k->target_pitch : &k->source_pitch, k->row_bytes,
                      joins ? k->target_rows : k->source_rows, 0);
}

static zlay_status pitches_check(zlay_ctx *ctx, zlay_rows_kernel *k)
{
    if (zl_is_in(k->kind, COLUMNS)) return columns_check(ctx, k);
    bool turned = k->kind == ZLAY_ROWS_TRANSPOSE;
    uint64_t rows = zl_umax(k->source_rows, k->target_rows); /* a list's group may have all */
    uint64_t source = turned ? k->target_rows * k->element_bytes : k->row_bytes;
    uint64_t target = turned ? k->source_rows * k->element_bytes : k->row_bytes;
    zlay_status status =
        side_check(ctx, "source_pitch", &k->source_pitch, source,
                   k->kind == ZLAY_ROWS_CONCATENATE ? rows : k->source_rows, k->element_bytes);
    return status ? status :
                    side_check(ctx, "target_pitch", &k->target_pitch, target,
                               k->kind == ZLAY_ROWS_SPLIT ? rows : k->target_rows, k->element_bytes);
}

static void comment(zl_text *out, const zl_rows_text *t)
{
    static const char *const what[] = {
        [ZLAY_ROWS_COPY] = "copies groups of rows",
        [ZLAY_ROWS_CONCATENATE] = "makes one tensor of the rows of several",
        [ZLAY_ROWS_SPLIT] = "makes several tensors of the rows of one",
        [ZLAY_ROWS_TRANSPOSE] = "transposes a matrix",
        [ZLAY_ROWS_CONCATENATE_COLUMNS] = "makes one tensor of the columns of several",
        [ZLAY_ROWS_SPLIT_COLUMNS] = "makes several tensors of the columns of one",
    };
    zl_putf(out, "/* zlay %s: %s. Blocks have %u threads, a grid any size. */\n", zlay_version(),
            what[t->asked.kind], (unsigned)ZL_ROWS_THREADS);
}

static void rows_write(zl_text *out, const void *value)
{
    const zl_rows_text *t = value;
    comment(out, t);
    zl_rows_head(out, t);
    if (t->asked.kind == ZLAY_ROWS_TRANSPOSE) zl_rows_transpose_put(out, t);
    else zl_rows_copy_put(out, t);
}

static zlay_status rows_check(zlay_ctx *ctx, zlay_rows_kernel *k)
{
    zlay_status status = k->name ? zl_function_check(ctx, k->language, k->name, k->name_length) :
                                   zl_fail(ctx, ZLAY_EINVAL, "name: it is NULL");
    if (!status && k->language == ZLAY_TEXT_PTX)
        status = zl_fail(ctx, ZLAY_ENOTSUP, "language: rows are moved by CUDA C or HIP");
    if (!status) status = fields_check(ctx, k);
    return status ? status : pitches_check(ctx, k);
}

const char *zlay_rows_argument_nth(int32_t kind, size_t i)
{
    static const char *const names[][4] = {
        [ZLAY_ROWS_COPY] = {"target", "source", "target_offsets", "source_offsets"},
        [ZLAY_ROWS_CONCATENATE] = {"target", "sources", "offsets"},
        [ZLAY_ROWS_SPLIT] = {"targets", "source", "offsets"},
        [ZLAY_ROWS_TRANSPOSE] = {"target", "source"},
        [ZLAY_ROWS_CONCATENATE_COLUMNS] = {"target", "sources", "offsets", "pitches"},
        [ZLAY_ROWS_SPLIT_COLUMNS] = {"targets", "source", "offsets", "pitches"},
    };
    bool known = zl_is_in(kind, GROUPED | TRANSPOSE) && i < ZL_COUNT(names[0]);
    return known ? names[kind][i] : NULL;
}

zlay_status zlay_emit_rows(zlay_ctx *ctx, zlay_buf *out, zlay_rows_launch *launch,
                           const zlay_rows_kernel *kernel)
{
    static const zl_request_form form = {
        "zlay_rows_kernel", sizeof(zlay_rows_kernel), offsetof(zlay_rows_kernel, reserved),
        {ZL_RESERVED(zlay_rows_kernel, reserved)}};
    zl_rows_text text = {.align = 1};
    zlay_rows_launch needs = {.threads = ZL_ROWS_THREADS};
    if (!out || !kernel) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &text.asked, kernel, &form);
    if (!status) status = rows_check(ctx, &text.asked);
    if (status) return zl_leave(ctx, status);
    if (text.asked.kind == ZLAY_ROWS_TRANSPOSE) zl_rows_transpose_plan(&text, &needs);
    else zl_rows_copy_plan(&text, &needs);
    needs.blocks = text.chunks;
    if (launch) *launch = needs;
    return zl_leave(ctx, zl_print(out, rows_write, &text));
}
