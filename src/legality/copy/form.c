/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of copies: ids, modes and reductions as the rows of copies.def have them. */
#include "legality/copy/copy.h"

#include <string.h>

/* ---- modes and targets ---------------------------------------------------------- */

enum { CTA = 1 << ZLAY_SPACE_CTA, CLUSTER = 1 << ZLAY_SPACE_CLUSTER, ANY = CTA | CLUSTER };

typedef enum target_set { TMA, LATER, FAMILY } target_set;

static const struct {
    int32_t kind, mode;
    uint32_t spaces;
    target_set on;
} modes[] = {
#define COPY_MODE(kind, mode, space, where) {ZLAY_COPY_##kind, ZLAY_COPY_##mode, space, where},
#include "legality/copy/copies.def"
};

static bool target_is(const zlay_target *target, target_set set)
{
    if (!(target->features & ZL_HAS_TMA)) return false;
    switch (set) {
    case TMA: return true;
    case LATER: return target->cls != ZL_CLASS_SM90;
    default: return (target->features & ZL_HAS_TCGEN05) != 0;
    }
}

static bool space_in(int32_t space, uint32_t set)
{
    return space >= 0 && space <= ZLAY_SPACE_CLUSTER && set >> space & 1;
}

bool zl_mode_exists(const zlay_issue *issue)
{
    for (size_t i = 0; i < ZL_COUNT(modes); i++)
        if (modes[i].kind == issue->kind && modes[i].mode == issue->mode) return true;
    return false;
}

bool zl_mode_on(const zlay_issue *issue, const zlay_target *target)
{
    for (size_t i = 0; i < ZL_COUNT(modes); i++)
        if (modes[i].kind == issue->kind && modes[i].mode == issue->mode &&
            (modes[i].spaces == ANY || space_in(issue->space, modes[i].spaces)) &&
            target_is(target, modes[i].on))
            return true;
    return false;
}

bool zl_kind_on(int32_t kind, const zlay_target *target)
{
    if (zl_is_in(kind, KIND(CP_ASYNC))) return (target->features & ZL_HAS_CP_ASYNC) != 0;
    if (zl_is_in(kind, ZL_KINDS_TENSOR | ZL_KINDS_BULK | ZL_KINDS_PEER))
        return target_is(target, TMA);
    return true;
}

/* ---- reductions ----------------------------------------------------------------- */

enum {
    U32 = 1 << ZLAY_TYPE_U32,
    S32 = 1 << ZLAY_TYPE_S32,
    U64 = 1 << ZLAY_TYPE_U64,
    S64 = 1 << ZLAY_TYPE_S64,
    F16 = 1 << ZLAY_TYPE_F16,
    BF16 = 1 << ZLAY_TYPE_BF16,
    F32 = 1 << ZLAY_TYPE_F32,
    F64 = 1 << ZLAY_TYPE_F64
};

static const struct {
    int32_t op;
    uint32_t tensor, bulk, peer, async;
} reduces[] = {
#define COPY_REDUCES(op, tensor, bulk, peer, async) {ZLAY_REDUCE_##op, tensor, bulk, peer, async},
#include "legality/copy/copies.def"
};

static uint32_t types_of(size_t row, int32_t kind)
{
    switch (kind) {
    case ZLAY_COPY_TENSOR_REDUCE: return reduces[row].tensor;
    case ZLAY_COPY_BULK_REDUCE: return reduces[row].bulk;
    case ZLAY_COPY_BULK_REDUCE_PEER: return reduces[row].peer;
    default: return reduces[row].async;
    }
}

bool zl_reduces(const zlay_issue *issue, int32_t type)
{
    for (size_t i = 0; i < ZL_COUNT(reduces); i++)
        if (reduces[i].op == issue->op)
            return type >= 0 && type < 32 && types_of(i, issue->kind) >> type & 1;
    return false;
}

/* ---- ids ------------------------------------------------------------------------ */

typedef enum id_part {
    KIND,
    MODE,
    RANK,
    SPACE,
    GROUP,
    OP,
    TYPE,
    WIDTH,
    TIMES,
    GIVEN,
    NOTHING
} id_part;

enum {
    ACCESSES = KIND(THREAD_LOAD) | KIND(THREAD_STORE),
    TENSORS = ZL_KINDS_TENSOR,
    BULKS = ZL_KINDS_BULK,
    LOADS = ZL_KINDS_LOAD,
    REDUCES = ZL_KINDS_REDUCE,
    TYPED = ZL_KINDS_TYPED
};

static const struct {
    const char *text;
    int32_t kind, mode;
    uint32_t width;
} ids[] = {
#define COPY_ID(text, kind, mode, width) {text, ZLAY_COPY_##kind, ZLAY_COPY_##mode, width},
#include "legality/copy/copies.def"
};

static const struct {
    const char *text;
    id_part part;
    int32_t value;
    uint32_t kinds;
} words[] = {
#define COPY_WORD(text, part, value, kinds) {text, part, value, kinds},
#include "legality/copy/copies.def"
};

static void apply(zlay_issue *issue, id_part part, int32_t value)
{
    switch (part) {
    case KIND: issue->kind = value; break;
    case MODE: issue->mode = value; break;
    case RANK: issue->rank = (uint32_t)value; break;
    case SPACE: issue->space = value; break;
    case GROUP: issue->cta_group = value; break;
    case OP: issue->op = value; break;
    case TYPE: issue->type = value; break;
    case WIDTH: issue->width = (uint32_t)value; break;
    case TIMES: issue->width *= (uint32_t)value; break;
    case GIVEN: issue->given |= (uint32_t)value; break;
    case NOTHING: break;
    }
}

static bool word_read(zlay_issue *issue, uint32_t *seen, const char *word, size_t length)
{
    for (size_t i = 0; i < ZL_COUNT(words); i++) {
        if (strlen(words[i].text) != length || memcmp(words[i].text, word, length)) continue;
        uint32_t once = words[i].part < TIMES ? 1u << words[i].part : 0;
        if (!zl_is_in(issue->kind, words[i].kinds)) continue;
        if (*seen & once) return false;
        *seen |= once;
        apply(issue, words[i].part, words[i].value);
        return true;
    }
    return false;
}

/* The row that an id begins with, whole words; 0: none.  Returns the length of its text. */
static size_t base_find(zlay_issue *issue, const char *id, size_t length)
{
    for (size_t i = 0; i < ZL_COUNT(ids); i++) {
        size_t base = strlen(ids[i].text);
        if (base > length || memcmp(ids[i].text, id, base)) continue;
        if (base < length && id[base] != '.') continue;
        *issue = (zlay_issue){.kind = ids[i].kind, .mode = ids[i].mode, .width = ids[i].width};
        return base;
    }
    return 0;
}

/* What an id leaves unsaid: rows of four are of a matrix, loads go to the cluster's window, which
 * every PTX version has, and reductions without a name add. */
static void complete(zlay_issue *issue, uint32_t seen)
{
    bool rows4 = zl_is_in(issue->mode, MODE(GATHER4) | MODE(SCATTER4));
    if (rows4 && !(seen & 1u << RANK)) issue->rank = 2;
    if (zl_is_in(issue->kind, ZL_KINDS_LOAD) && !(seen & 1u << SPACE))
        issue->space = ZLAY_SPACE_CLUSTER;
    if (zl_is_in(issue->kind, ZL_KINDS_REDUCE) && !issue->op) issue->op = ZLAY_REDUCE_ADD;
    if (zl_is_in(issue->kind, ZL_KINDS_TYPED) && !(seen & 1u << TYPE))
        issue->type = ZLAY_TYPE_U32;
    if (issue->kind == ZLAY_COPY_REDUCE_ASYNC) issue->width = zlay_type_bits(issue->type) / 8;
    if (issue->mode == ZLAY_COPY_IM2COL && issue->kind != ZLAY_COPY_TENSOR_LOAD &&
        issue->kind != ZLAY_COPY_TENSOR_PREFETCH)
        issue->mode = ZLAY_COPY_IM2COL_NO_OFFS;
}

zlay_status zlay_issue_find(zlay_issue *out, const char *id, size_t length)
{
    zlay_issue issue;
    uint32_t seen = 0;
    if (!out || !id) return ZLAY_EINVAL;
    size_t at = base_find(&issue, id, length);
    if (!at) return ZLAY_NONE;
    while (at < length) {
        size_t from = ++at;
        while (at < length && id[at] != '.') at++;
        if (!word_read(&issue, &seen, id + from, at - from)) return ZLAY_NONE;
    }
    complete(&issue, seen);
    *out = issue;
    return ZLAY_OK;
}
