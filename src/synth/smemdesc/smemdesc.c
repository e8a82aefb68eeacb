/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix descriptors of wgmma and tcgen05 from a shared layout.
 *
 * In chunks of 16 bytes, let `along` number the chunks of the contiguous dimension of
 * one instruction and `across` the other dimension; a swizzled row holds `chunks` of them.  The PTX
 * ISA's canonical layouts ("Strides") read
 *     start + across % 8 * 16 * chunks + along % chunks * 16
 *           + across / 8 * group + along / chunks * next
 * with group and next from SBO and LBO.  In colexicographic order each unknown is met alone and
 * once before it is met again: `start` at the first element of a step, `group` at across = 8,
 * `next` at along = chunks.  So it is learnt there, and every later coordinate confirms or refutes
 * it; what is refuted has no descriptor, for no other value was possible.
 *
 * A layout of final places is tried under each pattern and each row at which one can begin: a
 * pattern undoes itself, so the places go back to those before it. Groups are of four in atoms of
 * 32 bytes. */
#include "base/request.h"
#include "legality/descriptor/smemdesc.h"
#include "synth/smemdesc/smemdesc.h"

#include <string.h>

enum { EIGHT = 8, CHUNK = 16, CHUNK_BITS = 128, LINE = 128 };
enum { BLOCK = 256, INSTRUCTION = 256 /* rows at most */ };
#define UNLEARNT (INT64_MIN / 4)
enum { FIELD_END = 1 << 18 }; /* a field is 14 bits of 16 bytes */

/* Why a coordinate is out of reach. */
typedef struct reason {
    const char *rule, *text;
} reason;

/* Of each field: off its granule, out of its range. */
enum { START, LBO, SBO };
static const reason of_field[][2] = {
    [START] = {{"DESC_START_16", "the instruction's first element is on no multiple of 16 bytes"},
               {"DESC_START_MOST", "the instruction's first element is not in [0, 2^18)"}},
    [LBO] = {{"DESC_LBO_16", "lbo would be no multiple of 16 bytes"},
             {"DESC_LBO_MOST", "lbo would not be in [0, 2^18)"}},
    [SBO] = {{"DESC_SBO_16", "sbo would be no multiple of 16 bytes"},
             {"DESC_SBO_MOST", "sbo would not be in [0, 2^18)"}},
};

static const reason not_canonical = {
    "DESC_CANONICAL", "the fields that the coordinates before it fix read another offset"};

typedef struct search {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_smemdesc_request request;
    struct {
        zlay_smemdesc *fields;
        uint32_t *start;
        size_t room, *count;
    } out;
    bool final;               /* places are those behind the swizzle, which is to be found */
    int32_t swizzle;          /* as tried, as what follows */
    const zl_desc_pattern *pattern;
    uint32_t base;            /* line of the pattern's row 0 */
    uint64_t reached;         /* coordinates that were confirmed */
    int64_t bits;             /* of an element */
    uint64_t mn, k;           /* extents of the tile */
    uint64_t steps_mn, count; /* instructions along MN, and in all */
    int64_t chunks;
    int chunks_log, rows_log; /* of chunks of a row and rows of a group */
    int element_log;          /* of elements of a chunk */
    int64_t *start; /* of each step; -1: not learnt yet, as group and next */
    int64_t group, next;
    int64_t part[INSTRUCTION]; /* along MN of an instruction: bits of its address */
} search;

/* A coordinate of the tile, and where it stands in the instruction that reads it. */
typedef struct place {
    uint64_t mn, k, step;
    int64_t along, across, element;
    int64_t offset, address; /* elements as the layout says; shared address in bits, saturated */
} place;

/* Where the walk is: the place, its step along K, and what it has of an instruction. */
typedef struct walk {
    uint64_t mn, k, step_mn, step_k;
    uint32_t in_mn, in_k;
} walk;

static place place_of(const search *s, const walk *w)
{
    const bool k_major = s->request.major == ZLAY_MAJOR_K;
    int64_t contiguous = k_major ? w->in_k : w->in_mn;
    return (place){.mn = w->mn,
                   .k = w->k,
                   .step = w->step_mn + w->step_k * s->steps_mn,
                   .along = contiguous >> s->element_log,
                   .element = contiguous & ((1 << s->element_log) - 1),
                   .across = k_major ? w->in_mn : w->in_k};
}

static void walk_on(walk *w, const search *s)
{
    if (++w->in_mn == s->request.mma_mn) w->in_mn = 0, w->step_mn++;
    if (++w->mn < s->mn) return;
    w->mn = w->step_mn = 0;
    w->k++;
    if (++w->in_k == s->request.mma_k) w->in_k = 0, w->step_k++;
}

/* Bits of an address before the swizzle; the pattern is moved by whole rounds of eight lines. */
static int64_t unswizzled(const search *s, int64_t bits)
{
    const zl_desc_pattern *p = s->pattern;
    int64_t lines = LINE * (int64_t)(EIGHT - s->base), bytes = bits / 8 + lines;
    if (!s->final || bits < 0) return bits;
    int64_t from = bytes >> (p->base + p->shift) & ((1 << p->bits) - 1);
    return ((bytes ^ from << p->base) - lines) * 8 + bits % 8;
}

/* No descriptor reaches an offset of 2^30 elements, so what lies further stands for that. */
static void place_value(place *p, const search *s, int64_t offset)
{
    const int64_t far = (int64_t)1 << 30;
    int64_t near = offset > far ? far : offset < -far ? -far : offset;
    p->offset = offset;
    p->address = unswizzled(s, (int64_t)s->request.address * 8 + near * s->bits);
}

static zlay_status refuse(const search *s, const reason *why, const place *p)
{
    return zl_fail(s->ctx, ZLAY_NONE, "%s: coordinate (%llu, %llu), element offset %lld: %s",
                   why->rule, (unsigned long long)p->mn, (unsigned long long)p->k,
                   (long long)p->offset, why->text);
}

static zlay_status learn(const search *s, int64_t *field, int64_t bits, const place *p, int name)
{
    if (bits % CHUNK_BITS) return refuse(s, &of_field[name][0], p);
    if (bits < 0 || bits / 8 >= FIELD_END) return refuse(s, &of_field[name][1], p);
    *field = bits / 8;
    return ZLAY_OK;
}

/* MN-major without a swizzle, LBO and SBO change places. */
static bool exchanged(const search *s)
{
    return s->request.major == ZLAY_MAJOR_MN && s->swizzle == ZLAY_SWIZZLE_NONE;
}

static zlay_status confirm(search *s, const place *p)
{
    const int64_t row = CHUNK * s->chunks, inside = (p->along & (s->chunks - 1)) * CHUNK;
    const int64_t in_group = p->across & ((1 << s->rows_log) - 1);
    int64_t *start = &s->start[p->step], groups = p->across >> s->rows_log;
    int64_t nexts = p->along >> s->chunks_log;
    int64_t fixed = (in_group * row + inside) * 8 + p->element * s->bits;
    zlay_status status = ZLAY_OK;
    if (*start < 0) status = learn(s, start, p->address - fixed, p, START);
    int64_t rest = p->address - *start * 8 - fixed;
    if (!status && groups && s->group < 0)
        status = learn(s, &s->group, rest, p, exchanged(s) ? LBO : SBO);
    if (!status && nexts && s->next < 0)
        status = learn(s, &s->next, rest, p, exchanged(s) ? SBO : LBO);
    if (status) return status;
    if (rest == (groups * s->group + nexts * s->next) * 8) return ZLAY_OK;
    return refuse(s, &not_canonical, p);
}

/* ---- runs of elements that are confirmed together ------------------------------------------ */

/* Bits that a coordinate within the instruction adds to an address. A sum with UNLEARNT, which stands
 * where a field has not been learnt, is no address. */
static int64_t part_of(const search *s, int64_t i, bool contiguous)
{
    int64_t along = i >> s->element_log, nexts = along >> s->chunks_log, groups = i >> s->rows_log;
    if (contiguous ? nexts && s->next < 0 : groups && s->group < 0) return UNLEARNT;
    if (contiguous)
        return ((along & (s->chunks - 1)) * CHUNK + nexts * s->next) * 8 +
               (i & ((1 << s->element_log) - 1)) * s->bits;
    return ((i & ((1 << s->rows_log) - 1)) * CHUNK * s->chunks + groups * s->group) * 8;
}

/* The parts of the coordinates along MN, with the fields as they are known now. */
static void parts_read(search *s)
{
    for (uint32_t i = 0; i < s->request.mma_mn; i++)
        s->part[i] = part_of(s, i, s->request.major != ZLAY_MAJOR_K);
}

/* How many elements from the walk on, in one column of one instruction, lie where the fields say. */
static uint64_t run_of(const search *s, const walk *w, const int64_t *offset, const uint8_t *there,
                       uint64_t most)
{
    const uint64_t far = (uint64_t)1 << 30;
    int64_t start = s->start[w->step_mn + w->step_k * s->steps_mn];
    int64_t in_k = part_of(s, w->in_k, s->request.major == ZLAY_MAJOR_K);
    uint64_t left = s->request.mma_mn - w->in_mn, count = 0;
    if (start < 0 || s->final) return 0;
    int64_t first = start * 8 + in_k - (int64_t)s->request.address * 8;
    const int64_t *part = s->part + w->in_mn;
    if (left < most) most = left;
    while (count < most && there[count] && (uint64_t)offset[count] + far <= 2 * far &&
           offset[count] * s->bits == first + part[count])
        count++;
    return count;
}

/* The walk behind a run that is not empty. */
static void walk_behind(walk *w, const search *s, uint64_t run)
{
    w->in_mn += (uint32_t)run - 1;
    w->mn += run - 1;
    walk_on(w, s);
}

/* Confirms the element where the walk is by itself, which may learn a field. */
static zlay_status confirm_one(search *s, walk *at, int64_t offset)
{
    int64_t group = s->group, next = s->next;
    place p = place_of(s, at);
    place_value(&p, s, offset);
    zlay_status status = confirm(s, &p);
    if (s->group != group || s->next != next) parts_read(s);
    walk_on(at, s);
    return status;
}

static zlay_status confirm_block(search *s, walk *at, uint64_t first)
{
    int64_t offset[BLOCK];
    uint8_t there[BLOCK];
    uint64_t left = s->mn * s->k - first, count = left < BLOCK ? left : BLOCK, i = 0;
    zlay_status status =
        zlay_layout_eval_many(offset, there, s->request.layout, NULL, first, (size_t)count);
    while (!status && i < count) {
        uint64_t run = run_of(s, at, offset + i, there + i, count - i);
        if (!run && !there[i])
            return zl_fail(s->ctx, ZLAY_NONE, "layout: has no value at index %llu",
                           (unsigned long long)(first + i));
        if (run) walk_behind(at, s, run);
        else status = confirm_one(s, at, offset[i]);
        i += run ? run : 1;
        s->reached = first + i - 1;
    }
    return status;
}

static zlay_status confirm_all(search *s)
{
    walk at = {0, 0, 0, 0, 0, 0};
    zlay_status status = ZLAY_OK;
    for (uint64_t i = 0; i < s->count; i++) s->start[i] = -1;
    s->group = s->next = -1;
    parts_read(s);
    for (uint64_t i = 0; !status && i < s->mn * s->k; i += BLOCK)
        status = confirm_block(s, &at, i);
    return status;
}

/* ---- the patterns that are tried -------------------------------------------------------- */

static void try_pattern(search *s, int32_t swizzle, uint32_t base)
{
    s->swizzle = swizzle;
    s->base = base;
    s->pattern = &zl_desc_patterns[swizzle];
    s->chunks = s->pattern->chunks;
    s->chunks_log = __builtin_ctz(s->pattern->chunks);
    s->rows_log = __builtin_ctz(s->pattern->rows);
}

/* Lines at which row 0 of a pattern can stand. */
static uint32_t lines_of(int32_t swizzle)
{
    return swizzle > ZLAY_SWIZZLE_NONE && swizzle < ZL_ATOM_32B ? 1u << swizzle : 1;
}

/* Whether the k-th pattern, one row after the other, is one to try. */
static bool may_try(search *s, int32_t swizzle, uint32_t base)
{
    const zlay_smemdesc fields = {.swizzle = swizzle};
    const zlay_smemdesc_request *r = &s->request;
    uint64_t desc;
    uint32_t at_start = r->address / LINE % lines_of(swizzle);
    if (zlay_smemdesc_pack(&desc, s->target, &fields)) return false;
    if (zl_desc_type_check(NULL, s->target, r->type, r->major, swizzle)) return false;
    if (r->pattern_at_start == 2) return true;
    if (!r->pattern_at_start || !swizzle) return base == 0;
    return swizzle < ZL_ATOM_32B && r->address % LINE == 0 && base == at_start;
}

/* The first pattern that reads the layout; else the message is of one that reads most of it. */
static zlay_status find(search *s)
{
    int32_t best = -1;
    uint32_t best_base = 0;
    uint64_t most = 0;
    for (int32_t swizzle = 0; swizzle < ZL_DESC_PATTERNS; swizzle++)
        for (uint32_t base = 0; base < lines_of(swizzle); base++) {
            if (!may_try(s, swizzle, base)) continue;
            try_pattern(s, swizzle, base);
            zlay_status status = confirm_all(s);
            if (status != ZLAY_NONE) return status;
            if (best >= 0 && s->reached <= most) continue;
            best = swizzle, best_base = base, most = s->reached;
        }
    if (best < 0)
        return zl_fail(s->ctx, ZLAY_NONE, "DESC_CANONICAL: no swizzle goes with the type");
    try_pattern(s, best, best_base);
    return confirm_all(s);
}

static zlay_status confirm_any(search *s)
{
    const zlay_smemdesc_request *r = &s->request;
    if (s->final) return find(s);
    try_pattern(s, r->swizzle, 0);
    if (r->pattern_at_start) s->base = r->address / LINE % lines_of(r->swizzle);
    return confirm_all(s);
}

/* CUTLASS encodes 1 where the hardware reads no offset, and so do we. */
static void fields_fill(zlay_smemdesc *out, const search *s)
{
    uint32_t group = s->group < 0 ? CHUNK : (uint32_t)s->group;
    uint32_t next = s->next < 0 ? CHUNK : (uint32_t)s->next;
    memset(out, 0, sizeof *out);
    out->sbo = exchanged(s) ? next : group;
    out->lbo = exchanged(s) ? group : next;
    out->swizzle = s->swizzle;
    out->base_offset = s->base;
}

/* The rules of the target decide over the finished fields. */
static zlay_status fields_check(const search *s, const zlay_smemdesc *fields)
{
    zlay_verdict verdict;
    zlay_reason first = {0};
    zlay_rule rule;
    zlay_status status = zlay_smemdesc_check(&verdict, &first, 1, s->target, fields);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, first.rule);
    return status ? status : zl_fail(s->ctx, ZLAY_NONE, "%s: %s", rule.id, rule.text);
}

static zlay_status pattern_check(const search *s)
{
    const zlay_smemdesc_request *r = &s->request;
    const zlay_smemdesc fields = {.swizzle = r->swizzle};
    zlay_status status = r->swizzle > 0 ? fields_check(s, &fields) : ZLAY_OK;
    if (status) return status;
    if (r->pattern_at_start == 1 && r->swizzle == ZL_ATOM_32B)
        return zl_fail(s->ctx, ZLAY_ENOTSUP,
                       "pattern_at_start: base offsets of atoms of 32 bytes are not known");
    if (r->pattern_at_start == 1 && r->swizzle > 0 && r->address % LINE)
        return zl_fail(s->ctx, ZLAY_NONE,
                       "DESC_BASE_OFFSET: address %u: a pattern that begins off a "
                       "multiple of 128 bytes is no whole row away",
                       r->address);
    return ZLAY_OK;
}

static zlay_status tile_read(search *s, uint64_t mn)
{
    const zlay_smemdesc_request *r = &s->request;
    uint64_t size = zlay_layout_size(r->layout);
    if (zlay_layout_out_count(r->layout) != 1)
        return zl_fail(s->ctx, ZLAY_ENOTSUP, "layout: has several output dimensions");
    if (size > zl_limits(s->ctx)->points)
        return zl_fail(s->ctx, ZLAY_ELIMIT, "points: the layout has %llu, the limit is %llu",
                       (unsigned long long)size, (unsigned long long)zl_limits(s->ctx)->points);
    if (!mn || size % mn || mn % r->mma_mn || size / mn % r->mma_k)
        return zl_fail(s->ctx, ZLAY_EINVAL, "layout: %llu points are no (MN, K) of whole %u x %u",
                       (unsigned long long)size, r->mma_mn, r->mma_k);
    s->mn = mn;
    s->k = size / mn;
    s->steps_mn = mn / r->mma_mn;
    s->count = s->steps_mn * (s->k / r->mma_k);
    s->final = r->swizzle == ZLAY_SWIZZLE_FIND;
    s->bits = zl_desc_bits(r->type, r->mma_k);
    s->element_log = __builtin_ctz(CHUNK_BITS / (uint32_t)s->bits);
    return ZLAY_OK;
}

static zlay_status search_run(search *s)
{
    zlay_smemdesc found;
    s->start = zl_scratch(s->ctx, s->count, sizeof *s->start);
    if (!s->start) return ZLAY_ENOMEM;
    zlay_status status = confirm_any(s);
    if (!status) {
        fields_fill(&found, s);
        status = fields_check(s, &found);
    }
    if (!status) *s->out.fields = found;
    for (uint64_t i = 0; !status && i < s->count; i++) s->out.start[i] = (uint32_t)s->start[i];
    return status;
}

static zlay_status synth(search *s, uint64_t mn)
{
    zlay_smemdesc none;
    if (zlay_smemdesc_unpack(&none, s->target, 0) == ZLAY_ENOTSUP)
        return zl_fail(s->ctx, ZLAY_ENOTSUP, "target: %s has no matrix descriptors",
                       zlay_target_name(s->target));
    zlay_status status = zl_desc_request_check(s->ctx, s->target, &s->request);
    if (!status) status = pattern_check(s);
    if (!status) status = tile_read(s, mn);
    if (!status && s->out.room < s->count)
        status = zl_fail(s->ctx, ZLAY_EROOM, "room: %zu of the %llu steps", s->out.room,
                         (unsigned long long)s->count);
    if (!status) status = search_run(s);
    if (!status || status == ZLAY_EROOM) *s->out.count = (size_t)s->count;
    return status;
}

/* The index of (0, 1) is the extent of the first mode, whatever the kind of the layout; 0 where it
 * has no such coordinate. */
static zlay_status first_extent(uint64_t *out, zlay_ctx *ctx, const zlay_layout *layout)
{
    static const char second[] = "(0,1)";
    zlay_status status = zlay_layout_index(ctx, out, layout, second, sizeof second - 1);
    if (status == ZLAY_ENOMEM || status == ZLAY_EBUSY) return status;
    if (status) *out = 0;
    return ZLAY_OK;
}

zlay_status zlay_smemdesc_synth(zlay_ctx *ctx, zlay_smemdesc *fields, uint32_t *start, size_t room,
                                size_t *count, const zlay_target *target,
                                const zlay_smemdesc_request *request)
{
    static const zl_request_form form = {"zlay_smemdesc_request",
                                         sizeof(zlay_smemdesc_request),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_smemdesc_request, reserved)}};
    if (!ctx || !fields || !count || !target || !request || (room && !start)) return ZLAY_EINVAL;
    search s = {.ctx = ctx, .target = target, .out = {fields, start, room, count}};
    uint64_t mn = 0;
    zl_mark mark;
    zlay_status status = zl_enter_whole(ctx, &mark);
    if (status) return status;
    status = zl_request_read(ctx, &s.request, request, &form);
    if (!status && s.request.layout) status = first_extent(&mn, ctx, s.request.layout);
    if (!status) status = synth(&s, mn);
    return zl_leave_whole(ctx, mark, status);
}
