/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of a GEMM, and their text. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- the request ------------------------------------------------------------------ */

static const zl_named orders[] = {
    {"row", ZLAY_ORDER_ROW}, {"col", ZLAY_ORDER_COLUMN}, {"column", ZLAY_ORDER_COLUMN}, {NULL, 0}};
/* K is the second index of A and the first of B. */
static const zl_named a_majors[] = {{"K", ZLAY_ORDER_ROW}, {"MN", ZLAY_ORDER_COLUMN}, {NULL, 0}};
static const zl_named b_majors[] = {{"K", ZLAY_ORDER_COLUMN}, {"MN", ZLAY_ORDER_ROW}, {NULL, 0}};

static zlay_status read_order(zl_call *call, const char *order, const char *major,
                              const zl_named *majors, int32_t *out)
{
    int32_t by_major = 0;
    zlay_status status = zl_get_word(call, call->request, order, orders, out);
    if (!status && majors) status = zl_get_word(call, call->request, major, majors, &by_major);
    if (status) return status;
    if (*out && by_major && *out != by_major)
        return zl_fail(call->ctx, ZLAY_EINVAL, "fields '%s' and '%s' disagree", order, major);
    if (by_major) *out = by_major;
    return ZLAY_OK;
}

static zlay_status read_tile(zl_call *call, zlay_gemm *out)
{
    const json_t *tile = json_object_get(call->request, "tile");
    uint32_t *const extents[] = {&out->tile_m, &out->tile_n, &out->tile_k};
    if (!tile) return ZLAY_OK;
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

static zlay_status read_sizes(zl_call *call, zlay_gemm *out)
{
    const struct {
        const char *name;
        uint64_t *to;
    } sizes[] = {{"m", &out->m},     {"n", &out->n},     {"k", &out->k},
                 {"lda", &out->lda}, {"ldb", &out->ldb}, {"ldd", &out->ldd}};
    for (size_t i = 0; i < ZL_COUNT(sizes); i++) {
        zlay_status status = zl_get_u64(call, call->request, sizes[i].name, sizes[i].to);
        if (status) return status;
        if (!*sizes[i].to && json_object_get(call->request, sizes[i].name))
            return zl_wrong(call, sizes[i].name, "an integer of at least 1");
    }
    return ZLAY_OK;
}

static zlay_status read_gemm(zl_call *call, zlay_gemm *out)
{
    *out = (zlay_gemm){.size = sizeof *out};
    zlay_status status = read_sizes(call, out);
    if (!status) status = read_order(call, "a_order", "a_major", a_majors, &out->a_order);
    if (!status) status = read_order(call, "b_order", "b_major", b_majors, &out->b_order);
    if (!status) status = read_order(call, "d_order", NULL, NULL, &out->d_order);
    if (!status) status = read_tile(call, out);
    return status ? status : zl_get_u32(call, call->request, "stages", &out->stages);
}

static zlay_status plan_make(zl_call *call, zlay_plan **out)
{
    const zlay_target *target;
    zlay_gemm gemm = {0};
    *out = NULL;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_gemm(call, &gemm);
    return status ? status : zlay_gemm_synth(call->ctx, out, target, &gemm);
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

static json_t *three(zl_call *call, uint64_t x, uint64_t y, uint64_t z)
{
    json_t *list = json_array();
    zl_put_item(call, list, zl_json_uint(x));
    zl_put_item(call, list, zl_json_uint(y));
    zl_put_item(call, list, zl_json_uint(z));
    return list;
}

static const zl_field info_rows[] = {
    ZL_NUMBER(zlay_plan_summary, stages),
    ZL_NUMBER(zlay_plan_summary, threads),
    ZL_NUMBER(zlay_plan_summary, consumers),
    ZL_NUMBER(zlay_plan_summary, smem),
    ZL_NUMBER(zlay_plan_summary, stage_bytes),
    {"bytes", ZL_MAY, ZL_AT(zl_as_u32, zlay_plan_summary, expect_bytes)},
    {"full_count", ZL_MAY, ZL_AT(zl_as_u32, zlay_plan_summary, full_count)},
    {"empty_count", ZL_MAY, ZL_AT(zl_as_u32, zlay_plan_summary, empty_count)},
};
static const zl_fields info_fields = ZL_FIELDS(info_rows);

static void put_info(zl_call *call, json_t *value, const zlay_plan_summary *info)
{
    zl_put_value(call, value, "size", three(call, info->m, info->n, info->k));
    zl_put_value(call, value, "swapped", json_boolean(info->swapped));
    zl_put_value(call, value, "tile", three(call, info->tile_m, info->tile_n, info->tile_k));
    zl_put_value(call, value, "tiles", three(call, info->tiles_m, info->tiles_n, info->tiles_k));
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

static zlay_status print_ladder(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    (void)ctx;
    return zlay_plan_ladder(out, value);
}

static zlay_status put_printed(zl_call *call, const char *key, zl_printer *print, const void *value)
{
    zlay_status status;
    json_t *text = zl_json_printed(call, print, value, &status);
    if (!status) zl_put_value(call, call->value, key, text);
    return status;
}

zlay_status zl_op_plan_gemm(zl_call *call)
{
    zlay_plan *plan;
    zlay_plan_summary info;
    zlay_status status = plan_make(call, &plan);
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
        status = put_printed(call, "pipe", zl_print_pipe, zlay_plan_pipe(plan));
    }
    if (!status) status = put_printed(call, "ladder", print_ladder, plan);
    zlay_plan_free(plan);
    return status;
}

/* ---- emit -------------------------------------------------------------------------- */

typedef struct named_plan {
    const zlay_plan *plan;
    zl_json_text name;
} named_plan;

static zlay_status print_ptx(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const named_plan *p = value;
    return zlay_emit_ptx(ctx, out, p->plan, p->name.text, p->name.length);
}

static zlay_status print_assembly(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const named_plan *p = value;
    return zlay_emit_assembly(ctx, out, p->plan, p->name.text, p->name.length);
}

static zlay_status print_header(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const named_plan *p = value;
    return zlay_emit_header(ctx, out, p->plan, p->name.text, p->name.length);
}

enum { POINTERS = 3 }; /* the first argument that is one */

/* What a caller passes to the kernel, in the kernel's order. */
static json_t *arguments_value(zl_call *call, bool waves)
{
    static const struct {
        const char *name, *type;
        int bytes;
    } arguments[] = {{"tensor_a", "CUtensorMap", 128},
                     {"tensor_b", "CUtensorMap", 128},
                     {"tensor_d", "CUtensorMap", 128},
                     {"ptr_a", "u64", 8},
                     {"ptr_b", "u64", 8},
                     {"ptr_d", "u64", 8}};
    json_t *list = json_array();
    for (size_t i = waves ? POINTERS : 0; i < ZL_COUNT(arguments); i++) {
        json_t *one = json_object();
        zl_put_value(call, one, "name", json_string(arguments[i].name));
        zl_put_value(call, one, "type", json_string(arguments[i].type));
        zl_put_value(call, one, "bytes", json_integer(arguments[i].bytes));
        zl_put_item(call, list, one);
    }
    return list;
}

/* The kernel says itself which version it needs. */
static json_t *version_of(const char *text)
{
    static const char key[] = ".version ";
    const char *found = strstr(text, key);
    if (!found) return json_null();
    found += strlen(key);
    return json_stringn(found, strcspn(found, "\n"));
}

static zlay_status version_check(zl_call *call, const json_t *needed)
{
    zl_json_text asked = {0};
    zlay_status status = zl_get_text(call, call->request, "ptx", &asked);
    const char *version = json_string_value(needed);
    if (status || !asked.text || !version) return status;
    if (!strcmp(asked.text, version)) return ZLAY_OK;
    return zl_fail(call->ctx, ZLAY_ENOTSUP,
                   "field 'ptx': the text is printed for %s, the least that it needs", version);
}

zlay_status zl_put_kernel(zl_call *call, json_t *text, const char *language)
{
    bool ptx = text && !strcmp(language, "ptx");
    json_t *version = ptx ? version_of(json_string_value(text)) : json_null();
    zlay_status status = version_check(call, version);
    call->value = json_object();
    zl_put_value(call, call->value, "text", text);
    zl_put_value(call, call->value, "language", json_string(language));
    zl_put_value(call, call->value, "ptx", version);
    return status;
}

static zlay_status emit_plan(zl_call *call, const named_plan *p, bool kernel)
{
    zlay_plan_summary info;
    zlay_status status = zlay_plan_info(&info, p->plan);
    zlay_wave_launch launch;
    bool waves = !zlay_plan_launch(&launch, p->plan);
    zl_printer *print = !kernel ? print_header : waves ? print_assembly : print_ptx;
    json_t *text = status ? NULL : zl_json_printed(call, print, p, &status);
    if (status) return status;
    status = zl_put_kernel(call, text, !kernel ? "cuda" : waves ? "assembly" : "ptx");
    zl_put_value(call, call->value, "smem", json_integer(info.smem));
    zl_put_value(call, call->value, "threads", json_integer(info.threads));
    zl_put_value(call, call->value, "cluster", three(call, 1, 1, 1));
    if (waves)
        zl_put_value(call, call->value, "grid",
                     three(call, launch.grid[0], launch.grid[1], launch.grid[2]));
    zl_put_value(call, call->value, "arguments", arguments_value(call, waves));
    return status;
}

zlay_status zl_op_emit(zl_call *call)
{
    zl_json_text what = {0};
    named_plan p = {0};
    zlay_plan *plan = NULL;
    zlay_status status = zl_get_text(call, call->request, "what", &what);
    if (!status) status = zl_get_text(call, call->request, "name", &p.name);
    if (status) return status;
    if (!strcmp(what.text, "copy")) return zl_emit_copy(call, false);
    if (!strcmp(what.text, "transpose")) return zl_emit_copy(call, true);
    if (!strcmp(what.text, "move")) return zl_emit_function(call);
    if (!strcmp(what.text, "pipe")) return zl_emit_pipe(call);
    if (!strcmp(what.text, "snippets")) return zl_emit_asm(call);
    bool kernel = !strcmp(what.text, "gemm");
    if (!kernel && strcmp(what.text, "header"))
        return zl_fail(call->ctx, ZLAY_ENOTSUP,
                       "field 'what': 'gemm', 'header', 'copy', 'transpose', 'move', 'pipe' "
                       "and 'snippets' are done");
    status = zl_fields_check(call, call->request, "emit", "target what name m n k",
                             "a_order b_order d_order a_major b_major lda ldb ldd tile stages ptx");
    if (!status) status = plan_make(call, &plan);
    p.plan = plan;
    if (!status) status = emit_plan(call, &p, kernel);
    zlay_plan_free(plan);
    return status;
}
