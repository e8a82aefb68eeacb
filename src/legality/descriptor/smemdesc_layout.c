/* SPDX-License-Identifier: Apache-2.0 */
/* What a matrix descriptor reads, as a layout (PTX ISA 9.1, wgmma, "Strides", and tcgen05,
 * "Canonical layouts", which have the same forms).
 *
 * In chunks of 16 bytes, let `along` number those of the contiguous dimension and `across` the
 * other dimension; a swizzled row holds `row` of them.  Every canonical layout is start + across %
 * 8 * 16 row + across / 8 * group + along % row * 16 + along / row * next with group SBO and next
 * LBO; MN-major without a swizzle they change places. In atoms of 32 bytes groups are of 4, not 8
 * (CUTLASS, make_umma_desc, 128B_BASE32B). */
#include "algebra/ops/cute.h"
#include "base/request.h"
#include "algebra/text/format.h"
#include "base/arith.h"
#include "legality/descriptor/smemdesc.h"
#include <zlay/pieces.h>

#include <stdio.h>
#include <string.h>

const zl_desc_pattern zl_desc_patterns[ZL_DESC_PATTERNS] = {
    {0, 4, 3, 1, 8}, {1, 4, 3, 2, 8}, {2, 4, 3, 4, 8}, {3, 4, 3, 8, 8}, {2, 5, 2, 8, 4}};

enum { EIGHT = 8, CHUNK = 16, LINE = 128, K_BITS = 256, MN_MOST = 256, FAR = 1 << 24 };
enum { SLOTS_K = 32, SPLIT_K = 96, NARROW_K_MAJOR = 478 };

typedef struct form {
    const zlay_smemdesc_operand *of;
    uint32_t bits, elements; /* of an element; in a chunk */
    const zl_desc_pattern *pattern;
    uint32_t row;            /* chunks */
    uint32_t group, next;    /* bytes */
    bool k_major;
} form;

static form form_of(const zlay_smemdesc_operand *o)
{
    form f = {.of = o, .group = o->desc.sbo, .next = o->desc.lbo};
    f.bits = zl_desc_bits(o->type, o->k);
    f.elements = 8 * CHUNK / f.bits;
    f.pattern = &zl_desc_patterns[o->desc.swizzle];
    f.row = f.pattern->chunks;
    f.k_major = o->major == ZLAY_MAJOR_K;
    if (!f.k_major && !o->desc.swizzle) f.group = o->desc.lbo, f.next = o->desc.sbo;
    return f;
}

/* ---- what may be asked --------------------------------------------------------- */

static zlay_status refuse(zlay_ctx *ctx, int32_t number)
{
    zlay_rule rule = {.id = "", .text = ""};
    zlay_rule_info(&rule, number);
    return zl_fail(ctx, ZLAY_NONE, "%s: %s", rule.id, rule.text);
}

static zlay_status wgmma_type(zlay_ctx *ctx, const zlay_target *target, int32_t type, int32_t major)
{
    zlay_reason first = {0};
    zlay_verdict verdict;
    uint32_t bits = zlay_type_bits(type);
    bool integer = type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8 || type == ZLAY_TYPE_B1;
    zlay_mma mma = {.m = 64, .n = 8, .k = bits ? K_BITS / bits : 0, .a = type, .b = type};
    mma.d = integer ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32;
    mma.a_major = major;
    zlay_status status = zlay_mma_check(&verdict, &first, 1, target, &mma);
    return status || verdict.answer == ZLAY_YES ? status : refuse(ctx, first.rule);
}

/* Packed operands of mxf4 have K of 64 and more, so 32 are kind f8f6f4's in slots. */
uint32_t zl_desc_bits(int32_t type, uint32_t k)
{
    uint32_t bits = zlay_type_bits(type);
    bool packed = type == ZLAY_TYPE_U4_ALIGN8 || (type == ZLAY_TYPE_E2M1 && k != SLOTS_K);
    return (bits == 4 || bits == 6) && !packed ? 8 : bits;
}

bool zl_desc_split(int32_t type, uint32_t k)
{
    return zl_desc_bits(type, k) == 4 && k == SPLIT_K;
}

/* Bytes may be MN-major there, 4 bytes in atoms of 32 bytes, which nothing else has. */
static zlay_status tcgen05_type(zlay_ctx *ctx, const zlay_target *target, int32_t type,
                                int32_t major, int32_t swizzle)
{
    static const int32_t types[] = {
        ZLAY_TYPE_F16,        ZLAY_TYPE_BF16,       ZLAY_TYPE_TF32, ZLAY_TYPE_E4M3,
        ZLAY_TYPE_E5M2,       ZLAY_TYPE_S8,         ZLAY_TYPE_U8,   ZLAY_TYPE_E2M3,
        ZLAY_TYPE_E3M2,       ZLAY_TYPE_E2M1,       ZLAY_TYPE_U4_ALIGN8,
        ZLAY_TYPE_U4_ALIGN16, ZLAY_TYPE_U6_ALIGN16};
    bool known = false, words = zlay_type_bits(type) == 32;
    for (size_t i = 0; i < ZL_COUNT(types); i++) known |= types[i] == type;
    bool atoms = words && major == ZLAY_MAJOR_MN;
    bool narrow = zlay_type_bits(type) < 8;
    if (!known || (major != ZLAY_MAJOR_K && major != ZLAY_MAJOR_MN))
        return zl_fail(ctx, ZLAY_ENOTSUP, "type: layouts of type %d, major %d, are not known on %s",
                       type, major, target->name);
    if (narrow && major == ZLAY_MAJOR_MN) return refuse(ctx, NARROW_K_MAJOR);
    if (atoms == (swizzle == ZL_ATOM_32B)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_NONE,
                   "DESC_CANONICAL: elements of 32 bits, and no others, are MN-major in atoms of "
                   "32 bytes");
}

zlay_status zl_desc_type_check(zlay_ctx *ctx, const zlay_target *target, int32_t type,
                               int32_t major, int32_t swizzle)
{
    if (target->features & ZL_HAS_TCGEN05) return tcgen05_type(ctx, target, type, major, swizzle);
    return wgmma_type(ctx, target, type, major);
}

static zlay_status fields_check(zlay_ctx *ctx, const zlay_target *target,
                                const zlay_smemdesc_operand *o)
{
    zlay_reason first = {0};
    zlay_verdict verdict;
    zlay_status status = zlay_smemdesc_check(&verdict, &first, 1, target, &o->desc);
    return status || verdict.answer == ZLAY_YES ? status : refuse(ctx, first.rule);
}

/* A dense K is 256 bits, and that of B beside a sparse A 512; b1 has no sparse form. */
static bool extents_fit(const zlay_smemdesc_operand *o)
{
    uint64_t bits = zl_umul_sat(o->k, zl_desc_bits(o->type, o->k));
    bool doubled = bits == 2 * K_BITS && o->type != ZLAY_TYPE_B1;
    return o->mn && o->mn % EIGHT == 0 && o->mn <= MN_MOST && (bits == K_BITS || doubled);
}

static zlay_status operand_check(zlay_ctx *ctx, const zlay_target *target,
                                 const zlay_smemdesc_operand *o)
{
    if (!target || !o || !zl_is_zero(o->reserved, sizeof o->reserved)) return ZLAY_EINVAL;
    if (!(target->features & (ZL_HAS_WGMMA | ZL_HAS_TCGEN05)))
        return zl_fail(ctx, ZLAY_ENOTSUP, "target: %s has no matrix descriptors", target->name);
    zlay_status status = fields_check(ctx, target, o);
    if (!status) status = zl_desc_type_check(ctx, target, o->type, o->major, o->desc.swizzle);
    bool moved = o->desc.swizzle == ZL_ATOM_32B && o->desc.base_offset;
    if (!status && (o->desc.swizzle > ZL_ATOM_32B || o->desc.lbo_mode || moved))
        status = zl_fail(ctx, ZLAY_ENOTSUP,
                         "base_offset, lbo_mode: no document says what is read with an absolute "
                         "lbo, or with a base offset and atoms of 32 bytes");
    if (!status && zl_desc_split(o->type, o->k))
        status = zl_fail(ctx, ZLAY_ENOTSUP, "k: no document says how rows of %u are split", o->k);
    if (!status && !extents_fit(o))
        status = zl_fail(ctx, ZLAY_EINVAL, "mn, k: %u x %u are no operand of wgmma", o->mn, o->k);
    return status;
}

/* ---- the layout ----------------------------------------------------------------- */

static uint32_t rows_over(uint32_t n, uint32_t each) { return (n + each - 1) / each; }

/* The modes of one coordinate as text, those of extent 1 left out. */
typedef struct modes {
    char shape[64], stride[64];
    uint32_t count;
} modes;

static void mode_add(modes *m, uint32_t extent, uint32_t stride)
{
    const char *between = m->count ? "," : "";
    size_t shape = strlen(m->shape), step = strlen(m->stride);
    if (extent == 1) return;
    snprintf(m->shape + shape, sizeof m->shape - shape, "%s%u", between, extent);
    snprintf(m->stride + step, sizeof m->stride - step, "%s%u", between, stride);
    m->count++;
}

static zlay_status swizzled(zlay_ctx *ctx, zlay_layout **out, const form *f, uint32_t start,
                            const modes *mn, const modes *k)
{
    const char *open[] = {mn->count > 1 ? "(" : "", k->count > 1 ? "(" : ""};
    const char *close[] = {mn->count > 1 ? ")" : "", k->count > 1 ? ")" : ""};
    return zl_layout_format(ctx, out, "Sw<%u,%u,%u> o %u o (%s%s%s,%s%s%s):(%s%s%s,%s%s%s)",
                            f->pattern->bits, f->pattern->base, f->pattern->shift, start, open[0],
                            mn->shape, close[0], open[1], k->shape, close[1], open[0], mn->stride,
                            close[0], open[1], k->stride, close[1]);
}

/* K-major; eight elements of b1 share a byte, two of packed 4-bit types. */
static zlay_status rows_of_k(zlay_ctx *ctx, zlay_layout **out, const form *f, uint32_t start)
{
    const zlay_smemdesc_operand *o = f->of;
    uint32_t part = f->bits < 8 ? 8 / f->bits : 1, inner = zl_min32(o->k, f->row * f->elements);
    modes mn = {.count = 0}, k = {.count = 0};
    mode_add(&mn, EIGHT, CHUNK * f->row);
    mode_add(&mn, o->mn / EIGHT, f->group);
    mode_add(&k, part, 0);
    mode_add(&k, inner / part, f->bits * part / 8);
    mode_add(&k, o->k / inner, f->next);
    return swizzled(ctx, out, f, start, &mn, &k);
}

/* MN-major; a last row that is not full is cut. */
static zlay_status rows_of_mn(zlay_ctx *ctx, zlay_layout **out, const form *f, uint32_t start)
{
    const zlay_smemdesc_operand *o = f->of;
    uint32_t inner = zl_min32(o->mn, f->row * f->elements), rows = rows_over(o->mn, inner);
    modes mn = {.count = 0}, k = {.count = 0};
    zlay_layout *whole = NULL;
    mode_add(&mn, inner, f->bits / 8);
    mode_add(&mn, rows, f->next);
    mode_add(&k, f->pattern->rows, CHUNK * f->row);
    mode_add(&k, o->k / f->pattern->rows, f->group);
    zlay_status status = swizzled(ctx, &whole, f, start, &mn, &k);
    if (status || rows * inner == o->mn) {
        *out = whole;
        return status;
    }
    zlay_slice cut = {.mode = 0, .begin = 0, .end = (int64_t)o->mn, .step = 1};
    status = zl_layout_slice(ctx, out, whole, &cut);
    zlay_layout_free(whole);
    return status;
}

/* Row 0 of the pattern stands `base_offset` lines after one of memory's: addresses are swizzled as
 * if they lay so many lines before where they do, and eight later. */
static zlay_status move_back(zlay_ctx *ctx, zlay_layout **out, zlay_layout *moved, uint32_t lines)
{
    zlay_layout *back = NULL;
    zlay_status status = zl_layout_format(ctx, &back, "-%u o %u:1", LINE * lines, (unsigned)FAR);
    if (!status) status = zl_layout_compose(ctx, out, back, moved);
    zlay_layout_free(back);
    zlay_layout_free(moved);
    return status;
}

static zlay_status layout_of(zlay_ctx *ctx, zlay_layout **out, const zlay_target *target,
                             const zlay_smemdesc_operand *operand)
{
    zlay_layout *read = NULL;
    zlay_status status = operand_check(ctx, target, operand);
    if (status) return status;
    form f = form_of(operand);
    uint32_t base = operand->desc.swizzle ? operand->desc.base_offset : 0;
    uint32_t lines = base ? EIGHT - base : 0, start = operand->desc.start + LINE * lines;
    status = f.k_major ? rows_of_k(ctx, &read, &f, start) : rows_of_mn(ctx, &read, &f, start);
    if (status) return status;
    if (lines) return move_back(ctx, out, read, lines);
    *out = read;
    return ZLAY_OK;
}

zlay_status zlay_smemdesc_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_target *target,
                                 const zlay_smemdesc_operand *operand)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    status = zl_leave(ctx, zl_whole(ctx, layout_of(ctx, out, target, operand)));
    if (!status) return ZLAY_OK;
    zlay_layout_free(*out);
    *out = NULL;
    return status;
}

/* ---- the advance ----------------------------------------------------------------- */

zlay_status zlay_smemdesc_advance(uint64_t *out, const zlay_target *target,
                                  const zlay_smemdesc_operand *operand, uint32_t mn, uint32_t k)
{
    if (!out) return ZLAY_EINVAL;
    zlay_status status = operand_check(NULL, target, operand);
    if (status) return status;
    form f = form_of(operand);
    uint32_t contiguous = f.k_major ? k : mn, across = f.k_major ? mn : k;
    uint32_t extent = f.k_major ? operand->k : operand->mn;
    uint32_t along = contiguous / f.elements, inside = along % f.row;
    if (across % f.pattern->rows || contiguous % f.elements) return ZLAY_NONE;
    if (inside && inside + rows_over(extent, f.elements) > f.row) return ZLAY_NONE;
    *out = (uint64_t)(across / f.pattern->rows) * f.group + along % f.row * CHUNK +
           (uint64_t)(along / f.row) * f.next;
    return ZLAY_OK;
}
