/* SPDX-License-Identifier: Apache-2.0 */
/* variants.gemm: the fewest variants of a GEMM with unknown sizes, of those that the planner makes,
 * and their selector. */
#include "json/synth/variants.h"

#include <string.h>

/* What plan.gemm takes, with names of unknowns in the place of sizes. */
typedef struct gemm_symbolic {
    zl_gemm_asked asked;
    zl_texts texts;
    json_t *copy;
} gemm_symbolic;

static const zl_named sizes[] = {{"m", ZLAY_VARIANTS_M},
                                 {"n", ZLAY_VARIANTS_N},
                                 {"k", ZLAY_VARIANTS_K},
                                 {"lda", ZLAY_VARIANTS_LDA},
                                 {"ldb", ZLAY_VARIANTS_LDB},
                                 {"ldd", ZLAY_VARIANTS_LDD},
                                 {NULL, 0}};

static zlay_status read_gemm(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    gemm_symbolic *out = to;
    const json_t *symbolic = json_object_get(object, field->name);
    if (!json_is_object(symbolic))
        return zl_wrong(call, field->name, "an object, as plan.gemm has it");
    if (!(out->copy = json_deep_copy(symbolic))) return ZLAY_ENOMEM;
    if (!zl_texts_take(&out->texts, symbolic, out->copy, sizes)) return ZLAY_ENOMEM;
    const json_t *request = call->request;
    zlay_status status = zl_names_check(call, out->copy, field->name, &zl_gemm_fields);
    call->request = out->copy;
    if (!status) status = zl_read_object(call, out->copy, &zl_gemm_fields, &out->asked);
    call->request = request;
    return status;
}

static void drop_gemm(zl_call *call, const zl_field *field, void *from)
{
    (void)call, (void)field;
    json_decref(((gemm_symbolic *)from)->copy);
}

static const zl_field_kind as_gemm = {.read = read_gemm, .drop = drop_gemm, .type = "object"};
typedef gemm_symbolic as_gemm_type;

typedef struct gemm_asked {
    zl_service service;
    gemm_symbolic gemm;
    int32_t cost;
} gemm_asked;

static const zl_named costs[] = {
    {"time", ZLAY_VARIANTS_TIME}, {"waste", ZLAY_VARIANTS_WASTE}, {NULL, 0}};

static const zl_field variants_gemm_rows[] = {
    ZL_PART(zl_service_fields, gemm_asked, service),
    {"gemm", ZL_NEEDS, ZL_AT(as_gemm, gemm_asked, gemm)},
    {"cost", ZL_MAY, ZL_AT(zl_as_word, gemm_asked, cost), .of = costs},
};
static const gemm_asked gemm_usual = {
    .gemm.asked.gemm = {.swap = ZLAY_SWAP_AUTO, .stream_k = ZLAY_STREAM_AUTO}};
const zl_fields zl_variants_gemm_fields = {ZL_ROWS(variants_gemm_rows, gemm_asked),
                                           .start = &gemm_usual};

/* The unknowns that sizes are; a size that is one has no number. */
static zlay_status sizes_read(zl_call *call, zlay_variants_gemm *out, zlay_gemm *gemm,
                              const gemm_asked *a)
{
    uint64_t *const field[] = {&gemm->m, &gemm->n, &gemm->k, &gemm->lda, &gemm->ldb, &gemm->ldd};
    for (uint32_t i = 0; i < a->gemm.texts.count; i++) {
        const char *name = a->gemm.texts.at[i].text;
        int32_t size = a->gemm.texts.at[i].field;
        uint32_t of = 0;
        while (of < a->service.unknowns.count && strcmp(a->service.unknowns.text[of], name)) of++;
        if (of == a->service.unknowns.count)
            return zl_wrong(call, sizes[size].name, "a number or one of 'unknowns'");
        out->of[size] = of + 1;
        *field[size] = 0;
    }
    return ZLAY_OK;
}

static void put_choices(zl_call *call, json_t *value, const void *from, uint32_t i,
                        const zlay_variants_item *item)
{
    const zlay_gemm *g = (const zlay_gemm *)from + i;
    const uint32_t tile[] = {g->tile_m, g->tile_n, g->tile_k};
    (void)item;
    zl_put_value(call, value, "tile", zl_json_list32(call, tile, 3));
    if (!g->split_k) return; /* the target's plans have none of the others either */
    zl_put_value(call, value, "split_k", json_integer(g->split_k));
    zl_put_value(call, value, "swap", json_string(g->swap ? "always" : "never"));
    zl_put_value(call, value, "stream_k", json_string(g->stream_k ? "always" : "never"));
}

zlay_status zl_op_variants_gemm(zl_call *call, const void *value)
{
    const gemm_asked *a = value;
    zlay_gemm gemm, choice[ZLAY_VARIANTS_MOST];
    zlay_variants_gemm request = {.size = sizeof request, .cost = a->cost, .gemm = &gemm};
    zlay_variants *variants = NULL;
    zlay_status status = zl_gemm_request(call, &gemm, &a->gemm.asked);
    if (!status) status = sizes_read(call, &request, &gemm, a);
    if (!status) status = zl_service_read(call, &request.shapes, &a->service);
    if (!status)
        status =
            zlay_variants_gemm_choose(call->ctx, &variants, choice, a->gemm.asked.target, &request);
    if (!status)
        status = zl_put_variants(call, &request.shapes, variants, &a->service, put_choices, choice);
    zlay_variants_free(variants);
    return status;
}
