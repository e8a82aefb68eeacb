/* SPDX-License-Identifier: Apache-2.0 */
/* target.show: what a target is and gives. */
#include "json/json.h"

static json_t *features_value(zl_call *call, const zlay_target *target)
{
    json_t *list = json_array();
    const char *name;
    for (size_t i = 0; (name = zlay_target_feature_nth(target, i)) != NULL; i++)
        zl_put_item(call, list, json_string(name));
    return list;
}

static json_t *ptx_value(uint32_t version)
{
    char text[16];
    if (!version) return json_null();
    snprintf(text, sizeof text, "%u.%u", (unsigned)(version / 10), (unsigned)(version % 10));
    return json_string(text);
}

static void put_counts(zl_call *call, const zlay_target_summary *info)
{
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {{"smem", info->smem},
                {"smem_multiprocessor", info->smem_multiprocessor},
                {"lanes", info->lanes},
                {"threads", info->threads},
                {"registers", info->registers},
                {"register_file", info->register_file},
                {"banks", info->banks},
                {"bank_bytes", info->bank_bytes},
                {"cluster", info->cluster},
                {"cluster_most", info->cluster_most},
                {"smem_granule", info->smem_granule}};
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        zl_put_value(call, call->value, rows[i].key, zl_json_uint(rows[i].value));
}

typedef struct about {
    const zlay_target *target;
} about;

static const zl_field about_rows[] = {ZL_TARGET(about)};
const zl_fields zl_target_fields = {ZL_ROWS(about_rows, about)};

zlay_status zl_op_target_show(zl_call *call, const void *asked)
{
    const zlay_target *target = ((const about *)asked)->target;
    zlay_target_summary info;
    zlay_status status = zlay_target_info(&info, target);
    if (status) return status;
    char suffix[2] = {(char)info.suffix, 0};
    call->value = json_object();
    zl_put_value(call, call->value, "name", json_string(zlay_target_name(target)));
    zl_put_value(call, call->value, "class", json_string(info.cls));
    zl_put_value(call, call->value, "architecture", zl_json_uint(info.architecture));
    zl_put_value(call, call->value, "suffix", json_string(suffix));
    zl_put_value(call, call->value, "features", features_value(call, target));
    zl_put_value(call, call->value, "ptx", ptx_value(info.ptx));
    put_counts(call, &info);
    return ZLAY_OK;
}
