/* SPDX-License-Identifier: Apache-2.0 */
/* The checks: a walk over the rules of a subject that keeps what is broken. */
#include "rules/rule.h"

static const char *const fields[] = {
    [ZLAY_FIELD_NONE] = "none",
    [ZLAY_FIELD_MODE] = "mode",
    [ZLAY_FIELD_TYPE] = "type",
    [ZLAY_FIELD_RANK] = "rank",
    [ZLAY_FIELD_ADDRESS] = "address",
    [ZLAY_FIELD_EXTENT] = "extent",
    [ZLAY_FIELD_STRIDE] = "stride",
    [ZLAY_FIELD_BOX] = "box",
    [ZLAY_FIELD_STEP] = "step",
    [ZLAY_FIELD_INTERLEAVE] = "interleave",
    [ZLAY_FIELD_SWIZZLE] = "swizzle",
    [ZLAY_FIELD_L2] = "l2",
    [ZLAY_FIELD_OOB] = "oob",
    [ZLAY_FIELD_START] = "start",
    [ZLAY_FIELD_LBO] = "lbo",
    [ZLAY_FIELD_SBO] = "sbo",
    [ZLAY_FIELD_BASE_OFFSET] = "base_offset",
    [ZLAY_FIELD_M] = "m",
    [ZLAY_FIELD_N] = "n",
    [ZLAY_FIELD_K] = "k",
    [ZLAY_FIELD_A] = "a",
    [ZLAY_FIELD_B] = "b",
    [ZLAY_FIELD_D] = "d",
    [ZLAY_FIELD_MAJOR] = "major",
    [ZLAY_FIELD_TARGET] = "target",
    [ZLAY_FIELD_SMEM] = "smem",
    [ZLAY_FIELD_COORDINATE] = "coordinate",
    [ZLAY_FIELD_BYTES] = "bytes",
    [ZLAY_FIELD_COUNT] = "count",
    [ZLAY_FIELD_INSTRUCTION] = "instruction",
    [ZLAY_FIELD_SPACE] = "space",
    [ZLAY_FIELD_CTA_GROUP] = "cta_group",
    [ZLAY_FIELD_OFFSET] = "offset",
    [ZLAY_FIELD_EXPECT] = "expect",
    [ZLAY_FIELD_SOURCE] = "source",
    [ZLAY_FIELD_TAKEN] = "taken",
    [ZLAY_FIELD_CTA_MASK] = "cta_mask",
    [ZLAY_FIELD_BYTE_MASK] = "byte_mask",
    [ZLAY_FIELD_CLUSTER] = "cluster",
    [ZLAY_FIELD_CTA] = "cta",
    [ZLAY_FIELD_PEER] = "peer",
    [ZLAY_FIELD_BARRIER] = "barrier",
    [ZLAY_FIELD_OP] = "op",
    [ZLAY_FIELD_SEM] = "sem",
    [ZLAY_FIELD_SCOPE] = "scope",
    [ZLAY_FIELD_PARITY] = "parity",
    [ZLAY_FIELD_PHASE] = "phase",
    [ZLAY_FIELD_NAME] = "name",
    [ZLAY_FIELD_FIELD] = "field",
    [ZLAY_FIELD_ORD] = "ord",
    [ZLAY_FIELD_VALUE] = "value",
    [ZLAY_FIELD_FENCE] = "fence",
    [ZLAY_FIELD_THREADS] = "threads",
    [ZLAY_FIELD_REGISTERS] = "registers",
    [ZLAY_FIELD_SMEM_STATIC] = "smem_static",
    [ZLAY_FIELD_GRID] = "grid",
    [ZLAY_FIELD_SETMAXNREG] = "setmaxnreg",
    [ZLAY_FIELD_WARPS] = "warps",
    [ZLAY_FIELD_LOWER] = "lower",
    [ZLAY_FIELD_UPPER] = "upper",
    [ZLAY_FIELD_CHANNELS] = "channels",
    [ZLAY_FIELD_PIXELS] = "pixels",
    [ZLAY_FIELD_WIDE_MODE] = "wide_mode",
    [ZLAY_FIELD_KIND] = "kind",
    [ZLAY_FIELD_A_SOURCE] = "a_source",
    [ZLAY_FIELD_A_MAJOR] = "a_major",
    [ZLAY_FIELD_B_MAJOR] = "b_major",
    [ZLAY_FIELD_SPARSE] = "sparse",
    [ZLAY_FIELD_SELECTOR] = "selector",
    [ZLAY_FIELD_WS] = "ws",
    [ZLAY_FIELD_SCALE_VEC] = "scale_vec",
    [ZLAY_FIELD_ASHIFT] = "ashift",
    [ZLAY_FIELD_COLLECTOR] = "collector",
    [ZLAY_FIELD_NEGATE_A] = "negate_a",
    [ZLAY_FIELD_NEGATE_B] = "negate_b",
    [ZLAY_FIELD_SATURATE] = "saturate",
    [ZLAY_FIELD_BLOCKS] = "blocks",
    [ZLAY_FIELD_BIT_OP] = "bit_op",
    [ZLAY_FIELD_STRICT] = "strict",
    [ZLAY_FIELD_PTX] = "ptx",
    [ZLAY_FIELD_LBO_MODE] = "lbo_mode",
    [ZLAY_FIELD_RESERVED] = "reserved",
    [ZLAY_FIELD_MAX_SHIFT] = "max_shift",
    [ZLAY_FIELD_SCALE_TYPE] = "scale_type",
    [ZLAY_FIELD_SF_A_ID] = "sf_a_id",
    [ZLAY_FIELD_SF_B_ID] = "sf_b_id",
    [ZLAY_FIELD_COLUMNS] = "columns",
    [ZLAY_FIELD_GROUPS] = "groups",
    [ZLAY_FIELD_SCALE] = "scale",
    [ZLAY_FIELD_SIZE] = "size",
    [ZLAY_FIELD_SHAPE] = "shape",
    [ZLAY_FIELD_NUM] = "num",
    [ZLAY_FIELD_PACK] = "pack",
    [ZLAY_FIELD_HALF_SPLIT] = "half_split",
    [ZLAY_FIELD_FORMAT] = "format",
    [ZLAY_FIELD_REDUCE] = "reduce",
    [ZLAY_FIELD_DATA] = "data",
    [ZLAY_FIELD_DATA1] = "data1",
    [ZLAY_FIELD_RESOURCE] = "resource",
    [ZLAY_FIELD_SOFFSET] = "soffset",
    [ZLAY_FIELD_SADDR] = "saddr",
    [ZLAY_FIELD_OFFSET0] = "offset0",
    [ZLAY_FIELD_OFFSET1] = "offset1",
    [ZLAY_FIELD_GROUP0] = "group0",
    [ZLAY_FIELD_GROUP1] = "group1",
    [ZLAY_FIELD_GROUP2] = "group2",
    [ZLAY_FIELD_GROUP3] = "group3",
    [ZLAY_FIELD_VMCNT] = "vmcnt",
    [ZLAY_FIELD_EXPCNT] = "expcnt",
    [ZLAY_FIELD_LGKMCNT] = "lgkmcnt",
    [ZLAY_FIELD_BASE] = "base",
    [ZLAY_FIELD_RECORDS] = "records",
    [ZLAY_FIELD_CACHE_SWIZZLE] = "cache_swizzle",
    [ZLAY_FIELD_INDEX_STRIDE] = "index_stride",
    [ZLAY_FIELD_ADD_TID] = "add_tid",
    [ZLAY_FIELD_DST_SEL] = "dst_sel",
    [ZLAY_FIELD_NUM_FORMAT] = "num_format",
    [ZLAY_FIELD_DATA_FORMAT] = "data_format",
    [ZLAY_FIELD_USER_VM] = "user_vm",
    [ZLAY_FIELD_NV] = "nv",
    [ZLAY_FIELD_FLAGS] = "flags",
    [ZLAY_FIELD_OTHER] = "other",
    [ZLAY_FIELD_C] = "c",
    [ZLAY_FIELD_SCALE_A] = "scale_a",
    [ZLAY_FIELD_SCALE_B] = "scale_b",
    [ZLAY_FIELD_CBSZ] = "cbsz",
    [ZLAY_FIELD_ABID] = "abid",
    [ZLAY_FIELD_BLGP] = "blgp",
    [ZLAY_FIELD_LDS] = "lds",
    [ZLAY_FIELD_TILE] = "tile",
    [ZLAY_FIELD_ELEMENT] = "element",
    [ZLAY_FIELD_STORE] = "store",
    [ZLAY_FIELD_PAD] = "pad",
    [ZLAY_FIELD_PAD_INTERVAL] = "pad_interval",
    [ZLAY_FIELD_PAD_AMOUNT] = "pad_amount",
    [ZLAY_FIELD_MASK] = "mask",
    [ZLAY_FIELD_EARLY] = "early",
    [ZLAY_FIELD_BARRIER_AT] = "barrier_at",
    [ZLAY_FIELD_ITERATE] = "iterate",
    [ZLAY_FIELD_LDS_STEP] = "lds_step",
    [ZLAY_FIELD_GLOBAL_STEP] = "global_step",
    [ZLAY_FIELD_REPEATS] = "repeats",
    [ZLAY_FIELD_GATHER] = "gather",
    [ZLAY_FIELD_INDEX32] = "index32",
    [ZLAY_FIELD_ROW] = "row",
    [ZLAY_FIELD_RESTORE] = "restore",
    [ZLAY_FIELD_STORE_BIT] = "store_bit",
    [ZLAY_FIELD_TH] = "th",
};

const char *zlay_field_name(int32_t field)
{
    return field >= 0 && (size_t)field < ZL_COUNT(fields) ? fields[field] : NULL;
}

void zl_collect(zl_collector *c, const zlay_reason *reason)
{
    if (c->verdict.reasons < c->room) c->reasons[c->verdict.reasons] = *reason;
    c->verdict.reasons++;
    c->verdict.broken += !reason->noted;
    c->verdict.noted += reason->noted && reason->noted != ZLAY_NOTED_CONFLICT;
    c->verdict.conflicts += reason->noted == ZLAY_NOTED_CONFLICT;
    c->by_driver |= reason->by == ZLAY_BY_DRIVER && !reason->noted;
}

static void collect(void *arg, const zlay_reason *reason, bool held)
{
    if (!held) zl_collect(arg, reason);
}

zlay_status zl_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                     const zl_subject *subject, bool driver)
{
    zl_collector c = {.reasons = reasons, .room = reasons ? room : 0};
    bool measured = zl_measured(subject->target);
    if (c.room) zl_walk(subject, collect, &c);
    else zl_walk_bare(subject, collect, &c);
    c.verdict.answer = c.verdict.broken ? ZLAY_NO : ZLAY_YES;
    c.verdict.basis = measured ? ZLAY_BASIS_MEASURED : ZLAY_BASIS_DOCUMENTED;
    if (driver && measured)
        c.verdict.driver = c.by_driver ? ZLAY_DRIVER_REFUSES : ZLAY_DRIVER_ACCEPTS;
    *out = c.verdict;
    return ZLAY_OK;
}
