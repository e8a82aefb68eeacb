/* SPDX-License-Identifier: Apache-2.0 */
/* plan.gemm: the plan of a GEMM as an answer. */
#include "json/json.h"

#include <string.h>

/* ---- the request ------------------------------------------------------------------ */

static const zl_named orders[] = {
    {"row", ZLAY_ORDER_ROW}, {"col", ZLAY_ORDER_COLUMN}, {"column", ZLAY_ORDER_COLUMN}, {NULL, 0}};
/* K is the second index of A and the first of B. */
static const zl_named a_majors[] = {{"K", ZLAY_ORDER_ROW}, {"MN", ZLAY_ORDER_COLUMN}, {NULL, 0}};
static const zl_named b_majors[] = {{"K", ZLAY_ORDER_COLUMN}, {"MN", ZLAY_ORDER_ROW}, {NULL, 0}};

static zlay_status read_tile(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_gemm *out = to;
    const json_t *tile = json_object_get(object, field->name);
    uint32_t *const extents[] = {&out->tile_m, &out->tile_n, &out->tile_k};
    if (!json_is_array(tile) || json_array_size(tile) != ZL_COUNT(extents))
        return zl_wrong(call, "tile", "a list of three integers");
    for (size_t i = 0; i < ZL_COUNT(extents); i++) {
        uint64_t extent;
        if (!zl_json_u64(json_array_get(tile, i), &extent) || !extent || extent > UINT32_MAX)
            return zl_wrong(call, "tile", "a list of three integers in [1, 2^32)");
        *extents[i] = (uint32_t)extent;
    }
    return ZLAY_OK;
}

static const zl_field_kind as_gemm_tile = {.read = read_tile, .type = "integers"};
typedef zlay_gemm as_gemm_tile_type;

/* u8 has the number that means the default in zlay_gemm. */
static zlay_status read_type(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    int32_t *type = to;
    zlay_status status = zl_read_word(call, object, field, to);
    if (!status && *type < 0) return zl_wrong(call, field->name, "a type");
    if (!status && *type == ZLAY_TYPE_U8) *type = ZLAY_GEMM_U8;
    return status;
}

static const zl_field_kind as_gemm_type = {.read = read_type, .type = "word"};
typedef int32_t as_gemm_type_type;

/* "auto", or how many blocks. */
static zlay_status read_split(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const char *word = json_string_value(json_object_get(object, field->name));
    if (!word) return zl_as_u32.read(call, object, field, to);
    *(uint32_t *)to = ZLAY_SPLIT_AUTO;
    return strcmp(word, "auto") ? zl_wrong(call, field->name, "an integer, or auto") : ZLAY_OK;
}

static const zl_field_kind as_gemm_split = {.read = read_split, .type = "integer"};
typedef uint32_t as_gemm_split_type;

static const zl_named scales[] = {
    {"none", ZLAY_SCALES_NONE}, {"1x128", ZLAY_SCALES_LINE}, {"128x128", ZLAY_SCALES_BLOCK},
    {"1x32", ZLAY_SCALES_LINE_32}, {"1x16", ZLAY_SCALES_LINE_16},
    {NULL, 0}};

/* Of repack, swap and stream_k, whose numbers are the same. */
static const zl_named choices[] = {
    {"never", ZLAY_REPACK_NEVER}, {"auto", ZLAY_REPACK_AUTO}, {"always", ZLAY_REPACK_ALWAYS},
    {NULL, 0}};

static const zl_named multicasts[] = {
    {"none", ZLAY_MULTICAST_NONE}, {"auto", ZLAY_MULTICAST_AUTO},
    {"a", ZLAY_MULTICAST_A}, {"b", ZLAY_MULTICAST_B}, {NULL, 0}};

static const zl_named raggeds[] = {{"rows", ZLAY_RAGGED_ROWS}, {"k", ZLAY_RAGGED_K}, {NULL, 0}};

#define AT(kind, member) ZL_AT(kind, zl_gemm_asked, member)
static const zl_field gemm_rows[] = {
    ZL_TARGET(zl_gemm_asked),
    {"m", ZL_NEEDS, AT(zl_as_some64, gemm.m)},
    {"n", ZL_NEEDS, AT(zl_as_some64, gemm.n)},
    {"k", ZL_NEEDS, AT(zl_as_some64, gemm.k)},
    {"a_type", ZL_MAY, AT(as_gemm_type, gemm.a_type), .of = zl_types},
    {"b_type", ZL_MAY, AT(as_gemm_type, gemm.b_type), .of = zl_types},
    {"d_type", ZL_MAY, AT(as_gemm_type, gemm.d_type), .of = zl_types},
    {"a_order", ZL_MAY, AT(zl_as_word, gemm.a_order), .of = orders},
    {"b_order", ZL_MAY, AT(zl_as_word, gemm.b_order), .of = orders},
    {"d_order", ZL_MAY, AT(zl_as_word, gemm.d_order), .of = orders},
    {"a_major", ZL_MAY, AT(zl_as_word, major[ZL_OF_A]), .of = a_majors},
    {"b_major", ZL_MAY, AT(zl_as_word, major[ZL_OF_B]), .of = b_majors},
    {"lda", ZL_MAY, AT(zl_as_some64, gemm.lda)},
    {"ldb", ZL_MAY, AT(zl_as_some64, gemm.ldb)},
    {"ldd", ZL_MAY, AT(zl_as_some64, gemm.ldd)},
    {"tile", ZL_MAY, AT(as_gemm_tile, gemm)},
    {"stages", ZL_MAY, AT(zl_as_u32, gemm.stages)},
    {"epilogue", ZL_MAY, AT(zl_as_text, epilogue)},
    {"a_scales", ZL_MAY, AT(zl_as_word, gemm.a_scales), .of = scales},
    {"b_scales", ZL_MAY, AT(zl_as_word, gemm.b_scales), .of = scales},
    {"d_scales", ZL_MAY, AT(zl_as_word, gemm.d_scales), .of = scales},
    {"repack", ZL_MAY, AT(zl_as_word, gemm.repack), .of = choices},
    {"split_k", ZL_MAY, AT(as_gemm_split, gemm.split_k)},
    {"multicast", ZL_MAY, AT(zl_as_word, gemm.multicast), .of = multicasts},
    {"swap", ZL_MAY, AT(zl_as_word, gemm.swap), .of = choices},
    {"stream_k", ZL_MAY, AT(zl_as_word, gemm.stream_k), .of = choices},
    {"groups", ZL_MAY, AT(zl_as_u32, gemm.groups)},
    {"ragged", ZL_MAY, AT(zl_as_word, gemm.ragged), .of = raggeds},
    {"band", ZL_MAY, AT(zl_as_u32, gemm.band)},
};
const zl_fields zl_gemm_fields = {ZL_ROWS(gemm_rows, zl_gemm_asked)};
#undef AT

/* An operand's order by one field or the other; where both say one, they say the same. */
static zlay_status order_of(zl_call *call, const char *letter, int32_t *order, int32_t by_major)
{
    if (*order && by_major && *order != by_major)
        return zl_fail(call->ctx, ZLAY_EINVAL, "fields '%s_order' and '%s_major' disagree", letter,
                       letter);
    if (by_major) *order = by_major;
    return ZLAY_OK;
}

zlay_status zl_gemm_request(zl_call *call, zlay_gemm *out, const zl_gemm_asked *a)
{
    *out = a->gemm;
    out->size = sizeof *out;
    out->epilogue = a->epilogue.text;
    out->epilogue_length = a->epilogue.length;
    zlay_status status = order_of(call, "a", &out->a_order, a->major[ZL_OF_A]);
    return status ? status : order_of(call, "b", &out->b_order, a->major[ZL_OF_B]);
}

zlay_status zl_gemm_made(zl_call *call, zlay_plan **out, const zl_gemm_asked *a)
{
    zlay_gemm gemm;
    zlay_status status = zl_gemm_request(call, &gemm, a);
    return status ? status : zlay_gemm_synth(call->ctx, out, a->target, &gemm);
}

/* ---- the plan ---------------------------------------------------------------------- */

enum { GEMM_AXES = 3 };

static void put_operands(zl_call *call, json_t *value, const zlay_plan *plan)
{
    json_t *maps = json_array(), *copies = json_array(), *smem = json_array();
    for (int32_t operand = ZLAY_OPERAND_A; operand <= ZLAY_OPERAND_D; operand++) {
        zlay_tensormap map;
        zlay_copy copy;
        const zlay_layout *layout = zlay_plan_smem(plan, operand);
        if (layout) zl_put_item(call, smem, zl_json_layout(call, layout));
        if (zlay_plan_map(&map, plan, operand)) continue;
        zl_put_item(call, maps, zl_json_tensormap(call, &map));
        for (uint32_t i = 0; zlay_plan_copy_nth(&copy, plan, operand, i) == ZLAY_OK; i++)
            zl_put_item(call, copies, zl_json_copy(call, &copy, map.rank, GEMM_AXES));
    }
    zl_put_value(call, value, "maps", maps);
    zl_put_value(call, value, "copies", copies);
    zl_put_value(call, value, "smem_layouts", smem);
}

static json_t *certificates_value(zl_call *call, const zlay_plan *plan)
{
    json_t *list = json_array();
    const zlay_layout *a, *b;
    for (uint32_t i = 0; zlay_plan_certificate(&a, &b, plan, i) == ZLAY_OK; i++)
        zl_put_item(call, list, zl_json_pair(call, a, b));
    return list;
}

static json_t *descriptors_value(zl_call *call, const zlay_plan *plan,
                                 const zlay_plan_summary *info, int32_t operand)
{
    json_t *list = json_array();
    for (uint32_t consumer = 0; consumer < (operand ? 1 : info->consumers); consumer++)
        for (uint32_t step = 0; step < info->k_steps; step++) {
            zlay_smemdesc fields;
            uint64_t desc;
            if (zlay_plan_desc(&fields, plan, operand, consumer, step)) continue;
            fields.start += operand ? info->smem_b : info->smem_a;
            if (zlay_smemdesc_pack(&desc, info->target, &fields) == ZLAY_OK)
                zl_put_item(call, list, zl_json_bits(desc, 16));
        }
    return list;
}

static const zl_field info_rows[] = {
    ZL_NUMBER(zlay_plan_summary, stages),
    ZL_NUMBER(zlay_plan_summary, threads),
    ZL_NUMBER(zlay_plan_summary, consumers),
    ZL_NUMBER(zlay_plan_summary, splits),
    ZL_NUMBER(zlay_plan_summary, cluster),
    ZL_NUMBER(zlay_plan_summary, stream_blocks),
    ZL_NUMBER(zlay_plan_summary, groups),
    {"clusters", ZL_MAY, ZL_AT(zl_as_u64, zlay_plan_summary, clusters)},
    ZL_NUMBER(zlay_plan_summary, band),
    ZL_NUMBER(zlay_plan_summary, smem),
    ZL_NUMBER(zlay_plan_summary, stage_bytes),
    {"bytes", ZL_MAY, ZL_AT(zl_as_u32, zlay_plan_summary, expect_bytes)},
    {"full_count", ZL_MAY, ZL_AT(zl_as_u32, zlay_plan_summary, full_count)},
    {"empty_count", ZL_MAY, ZL_AT(zl_as_u32, zlay_plan_summary, empty_count)},
};
static const zl_fields info_fields = ZL_FIELDS(info_rows);

static void put_info(zl_call *call, json_t *value, const zlay_plan_summary *info)
{
    const uint64_t size[] = {info->m, info->n, info->k};
    const uint64_t tiles[] = {info->tiles_m, info->tiles_n, info->tiles_k};
    zl_put_value(call, value, "size", zl_json_list(call, size, ZL_COUNT(size)));
    zl_put_value(call, value, "swapped", json_boolean(info->swapped));
    zl_put_value(call, value, "d_order", zl_json_word(orders, info->d_order));
    zl_put_value(call, value, "tile",
                 zl_json_three(call, info->tile_m, info->tile_n, info->tile_k));
    zl_put_value(call, value, "tiles", zl_json_list(call, tiles, ZL_COUNT(tiles)));
    zl_put_fields(call, value, &info_fields, info);
}

static const zl_field wave_rows[] = {
    ZL_NUMBER(zlay_wave_gemm, lanes), ZL_NUMBER(zlay_wave_gemm, waves_m),
    ZL_NUMBER(zlay_wave_gemm, waves_n), ZL_NUMBER(zlay_wave_gemm, blocks_m),
    ZL_NUMBER(zlay_wave_gemm, blocks_n), ZL_NUMBER(zlay_wave_gemm, reads),
    ZL_NUMBER(zlay_wave_gemm, read_products), ZL_NUMBER(zlay_wave_gemm, loads_a),
    ZL_NUMBER(zlay_wave_gemm, loads_b), ZL_NUMBER(zlay_wave_gemm, ahead),
    ZL_NUMBER(zlay_wave_gemm, store_bytes), ZL_NUMBER(zlay_wave_gemm, registers),
    ZL_NUMBER(zlay_wave_gemm, accumulators),
};
static const zl_fields wave_fields = ZL_FIELDS(wave_rows);

/* A plan whose matrix instructions read registers. */
static void put_wave(zl_call *call, json_t *value, const zlay_plan *plan)
{
    zlay_wave_gemm w;
    if (zlay_plan_wave(&w, plan)) return;
    json_t *wave = json_object();
    zl_put_fields(call, wave, &wave_fields, &w);
    zl_put_value(call, wave, "direct", json_boolean(w.direct));
    zl_put_value(call, wave, "wavefronts",
                 w.read_wavefronts == ZLAY_WAVE_GEMM_UNKNOWN ? json_null()
                                                        : json_integer(w.read_wavefronts));
    zl_put_value(call, value, "wave", wave);
}

/* The arrays of scales that the kernel reads or stores. */
static void put_scales(zl_call *call, json_t *value, const zlay_plan *plan)
{
    static const char *const array[] = {"read_sa", "read_sb", "write_sd"};
    static const char *const mapped[] = {"tensor_sa", "tensor_sb", NULL};
    json_t *list = json_array();
    zlay_scales s;
    zlay_tensormap map;
    for (int32_t operand = ZLAY_OPERAND_A; operand <= ZLAY_OPERAND_D; operand++) {
        if (zlay_plan_scales(&s, plan, operand)) continue;
        json_t *item = json_object();
        bool by_map =
            mapped[operand] && !zlay_plan_map(&map, plan, ZLAY_OPERAND_SCALES_A + operand);
        zl_put_value(call, item, "argument", json_string((by_map ? mapped : array)[operand]));
        zl_put_value(call, item, "type", json_string(zlay_type_name(s.type)));
        zl_put_value(call, item, "shape", zl_json_list(call, s.shape, ZL_COUNT(s.shape)));
        zl_put_value(call, item, "block", zl_json_list32(call, s.block, ZL_COUNT(s.block)));
        if (by_map) zl_put_value(call, item, "map", zl_json_tensormap(call, &map));
        zl_put_item(call, list, item);
    }
    if (json_array_size(list)) zl_put_value(call, value, "scales", list);
    else json_decref(list);
}

/* One copy: what a launch of it needs, and where its workspace lies. */
static json_t *repack_value(zl_call *call, const zlay_repack *r, int32_t operand,
                            const zl_json_text *name)
{
    static const char letters[] = "abd";
    zlay_transfer_summary info;
    json_t *item = json_object();
    if (zlay_transfer_info(&info, r->transfer)) return item;
    zl_put_value(call, item, "operand", json_sprintf("%c", "ABD"[operand]));
    if (name)
        zl_put_value(call, item, "kernel",
                     json_sprintf("%.*s_%c", (int)name->length, name->text, letters[operand]));
    zl_put_value(call, item, "when", json_string(r->behind ? "behind" : "before"));
    zl_put_value(call, item, "grid", zl_json_three(call, (uint32_t)info.blocks, 1, 1));
    zl_put_value(call, item, "threads", json_integer(info.threads));
    zl_put_value(call, item, "offset", json_integer((json_int_t)r->offset));
    zl_put_value(call, item, "bytes", json_integer((json_int_t)r->bytes));
    zl_put_value(call, item, "pitch", json_integer((json_int_t)r->pitch));
    return item;
}

void zl_put_repack(zl_call *call, json_t *value, const zlay_plan *plan, const zl_json_text *name)
{
    json_t *list = json_array();
    zlay_plan_summary info;
    zlay_repack r;
    for (int32_t operand = ZLAY_OPERAND_A; operand <= ZLAY_OPERAND_D; operand++)
        if (!zlay_plan_repack(&r, plan, operand))
            zl_put_item(call, list, repack_value(call, &r, operand, name));
    if (!zlay_plan_info(&info, plan) && info.workspace)
        zl_put_value(call, value, "workspace", json_integer((json_int_t)info.workspace));
    if (json_array_size(list)) zl_put_value(call, value, "repack", list);
    else json_decref(list);
}

static zlay_status print_rules(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    (void)ctx;
    return zlay_plan_rules(out, value);
}

zlay_status zl_op_plan_gemm(zl_call *call, const void *asked)
{
    zlay_plan *plan = NULL;
    zlay_plan_summary info;
    zlay_status status = zl_gemm_made(call, &plan, asked);
    if (!status) status = zlay_plan_info(&info, plan);
    if (!status) {
        call->value = json_object();
        put_info(call, call->value, &info);
        put_operands(call, call->value, plan);
        zl_put_value(call, call->value, "desc_a",
                     descriptors_value(call, plan, &info, ZLAY_OPERAND_A));
        zl_put_value(call, call->value, "desc_b",
                     descriptors_value(call, plan, &info, ZLAY_OPERAND_B));
        zl_put_value(call, call->value, "certificates", certificates_value(call, plan));
        put_wave(call, call->value, plan);
        put_scales(call, call->value, plan);
        zl_put_repack(call, call->value, plan, NULL);
        status = zl_put_printed(call, "pipe", zl_print_pipe, zlay_plan_pipe(plan));
    }
    if (!status) status = zl_put_printed(call, "rules", print_rules, plan);
    zlay_plan_free(plan);
    return status;
}
