/* SPDX-License-Identifier: Apache-2.0 */
/* Confirms a pattern of a matrix descriptor, element by element (smemdesc.c says what the fields are). In
 * colexicographic order each unknown field is met alone before it is met again: there it is learnt, and
 * every later element confirms or refutes it. Elements of one column of an instruction differ only by
 * what the row adds, so they are confirmed in runs. */
#include "synth/smemdesc/search.h"

enum { EIGHT = 8, CHUNK = ZL_DESC_CHUNK, CHUNK_BITS = 128, LINE = ZL_DESC_LINE, BLOCK = 256 };
enum { FIELD_END = 1 << 18 }; /* a field is 14 bits of 16 bytes */
#define UNLEARNT (INT64_MIN / 4)

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

static place place_of(const zl_desc_search *s, const walk *w)
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

static inline void walk_on(walk *w, const zl_desc_search *s)
{
    if (++w->in_mn == s->request.mma_mn) w->in_mn = 0, w->step_mn++;
    if (++w->mn < s->mn) return;
    w->mn = w->step_mn = 0;
    w->k++;
    if (++w->in_k == s->request.mma_k) w->in_k = 0, w->step_k++;
}

/* Bits of an address before the swizzle; the pattern is moved by whole rounds of eight lines. */
static inline int64_t unswizzled(const zl_desc_search *s, int64_t bits)
{
    const zl_desc_pattern *p = s->pattern;
    int64_t lines = LINE * (int64_t)(EIGHT - s->base), bytes = bits / 8 + lines;
    if (!s->final || bits < 0) return bits;
    int64_t from = bytes >> (p->base + p->shift) & ((1 << p->bits) - 1);
    return ((bytes ^ from << p->base) - lines) * 8 + bits % 8;
}

/* No descriptor reaches an offset of 2^30 elements, so what lies further stands for that. */
static void place_value(place *p, const zl_desc_search *s, int64_t offset)
{
    const int64_t far = (int64_t)1 << 30;
    int64_t near = offset > far ? far : offset < -far ? -far : offset;
    p->offset = offset;
    p->address = unswizzled(s, (int64_t)s->request.address * 8 + near * s->bits);
}

static zlay_status refuse(const zl_desc_search *s, const reason *why, const place *p)
{
    return zl_fail(s->ctx, ZLAY_NONE, "%s: coordinate (%llu, %llu), element offset %lld: %s",
                   why->rule, (unsigned long long)p->mn, (unsigned long long)p->k,
                   (long long)p->offset, why->text);
}

static zlay_status learn(const zl_desc_search *s, int64_t *field, int64_t bits, const place *p, int name)
{
    if (bits % CHUNK_BITS) return refuse(s, &of_field[name][0], p);
    if (bits < 0 || bits / 8 >= FIELD_END) return refuse(s, &of_field[name][1], p);
    *field = bits / 8;
    return ZLAY_OK;
}

static zlay_status confirm(zl_desc_search *s, const place *p)
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
        status = learn(s, &s->group, rest, p, zl_desc_exchanged(s) ? LBO : SBO);
    if (!status && nexts && s->next < 0)
        status = learn(s, &s->next, rest, p, zl_desc_exchanged(s) ? SBO : LBO);
    if (status) return status;
    if (rest == (groups * s->group + nexts * s->next) * 8) return ZLAY_OK;
    return refuse(s, &not_canonical, p);
}

/* ---- runs of elements that are confirmed together ------------------------------------------ */

/* Bits that a coordinate within the instruction adds to an address. A sum with UNLEARNT, which stands
 * where a field has not been learnt, is no address. */
static int64_t part_of(const zl_desc_search *s, int64_t i, bool contiguous)
{
    int64_t along = i >> s->element_log, nexts = along >> s->chunks_log, groups = i >> s->rows_log;
    if (contiguous ? nexts && s->next < 0 : groups && s->group < 0) return UNLEARNT;
    if (contiguous)
        return ((along & (s->chunks - 1)) * CHUNK + nexts * s->next) * 8 +
               (i & ((1 << s->element_log) - 1)) * s->bits;
    return ((i & ((1 << s->rows_log) - 1)) * CHUNK * s->chunks + groups * s->group) * 8;
}

/* The parts of the coordinates along MN, with the fields as they are known now. */
static void parts_read(zl_desc_search *s)
{
    for (uint32_t i = 0; i < s->request.mma_mn; i++)
        s->part[i] = part_of(s, i, s->request.major != ZLAY_MAJOR_K);
}

/* How many elements from the walk on, in one column of one instruction, lie where the fields say. */
static uint64_t run_of(const zl_desc_search *s, const walk *w, const int64_t *offset, const uint8_t *there,
                       uint64_t most)
{
    const uint64_t far = (uint64_t)1 << 30;
    int64_t start = s->start[w->step_mn + w->step_k * s->steps_mn];
    if (start < 0) return 0;
    int64_t in_k = part_of(s, w->in_k, s->request.major == ZLAY_MAJOR_K);
    uint64_t left = s->request.mma_mn - w->in_mn, count = 0;
    int64_t first = start * 8 + in_k, address = (int64_t)s->request.address * 8;
    const int64_t *part = s->part + w->in_mn;
    if (left < most) most = left;
    while (count < most && there[count] && (uint64_t)offset[count] + far <= 2 * far &&
           unswizzled(s, address + offset[count] * s->bits) == first + part[count])
        count++;
    return count;
}

/* The walk behind a run that is not empty. */
static void walk_behind(walk *w, const zl_desc_search *s, uint64_t run)
{
    w->in_mn += (uint32_t)run - 1;
    w->mn += run - 1;
    walk_on(w, s);
}

/* Confirms the element where the walk is by itself, which may learn a field. */
static zlay_status confirm_one(zl_desc_search *s, walk *at, int64_t offset)
{
    int64_t group = s->group, next = s->next;
    place p = place_of(s, at);
    place_value(&p, s, offset);
    zlay_status status = confirm(s, &p);
    if (s->group != group || s->next != next) parts_read(s);
    walk_on(at, s);
    return status;
}

static zlay_status confirm_block(zl_desc_search *s, walk *at, uint64_t first)
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

zlay_status zl_desc_confirm(zl_desc_search *s)
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
