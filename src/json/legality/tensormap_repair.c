/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.repair: one repair of a whole map, and what it costs the caller. */
#include "json/json.h"

static const char *kind_of(int32_t keeps, uint64_t split)
{
    switch (keeps) {
    case ZLAY_KEEPS_ALL: return split > 1 ? "split" : "same";
    case ZLAY_KEEPS_BYTES: return "bytes";
    case ZLAY_KEEPS_VALUES: return "relayout";
    default: return "path";
    }
}

/* The rule that no change of fields meets: the first broken one without a repair of its own, else
 * the first. */
static zlay_status none(zl_call *call, const zlay_target *target, const zlay_tensormap *map)
{
    zlay_reason reasons[ZL_REASONS_MOST], *which = NULL;
    zlay_verdict v;
    zlay_rule rule = {.id = "", .text = ""};
    zlay_status status = zlay_tensormap_check(&v, reasons, ZL_REASONS_MOST, target, map);
    if (status) return status;
    for (uint32_t i = 0; i < v.reasons && i < ZL_REASONS_MOST; i++) {
        bool kept = reasons[i].fix_keeps != ZLAY_KEEPS_NONE_GIVEN &&
                    reasons[i].fix_keeps != ZLAY_KEEPS_NOTHING;
        if (reasons[i].noted || (which && (kept || which->fix_keeps == ZLAY_KEEPS_NONE_GIVEN)))
            continue;
        which = &reasons[i];
    }
    if (which) zlay_rule_info(&rule, which->rule);
    call->rule = which ? which->rule : 0;
    return zl_fail(call->ctx, ZLAY_NONE, "no change of the map's fields passes: %s, %s", rule.id,
                   rule.text);
}

zlay_status zl_op_tensormap_repair(zl_call *call, const void *value)
{
    const zl_map_asked *a = value;
    zlay_tensormap repaired;
    int32_t keeps;
    uint64_t split;
    zlay_status status = zlay_tensormap_repair(&repaired, &keeps, &split, a->target, &a->map);
    if (status == ZLAY_NONE) return none(call, a->target, &a->map);
    if (status) return status;
    call->value = json_object();
    zl_put_value(call, call->value, "kind", json_string(kind_of(keeps, split)));
    zl_put_value(call, call->value, "keeps", zl_json_word(zl_keeps, keeps));
    zl_put_value(call, call->value, "split", zl_json_uint(split));
    zl_put_value(call, call->value, "pitch",
                 zl_json_int((int64_t)(repaired.stride[0] - a->map.stride[0])));
    zl_put_value(call, call->value, "map", zl_json_tensormap(call, &repaired));
    return ZLAY_OK;
}
