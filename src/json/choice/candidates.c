/* SPDX-License-Identifier: Apache-2.0 */
/* plan.candidates, attention.candidates: the ways to plan a request, each as the fields that fix
 * it, and the bound. */
#include "json/json.h"

#include <zlay/candidates.h>

static const char *const choices[] = {"never", "auto", "always"}, *const multicasts[] = {
                                                                      "none", "auto", "a", "b"};

static const zl_field terms_rows[] = {
    {"waves", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, waves)},
    {"at_once", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, at_once)},
    {"last", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, last)},
    {"steps", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, steps)},
    {"step_ps", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, step_ps)},
    {"products_ps", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, products_ps)},
    {"arrival_ps", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, arrival_ps)},
    {"l2_ps", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, l2_ps)},
    {"outside_ps", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, outside_ps)},
    {"beside_ps", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, beside_ps)},
    {"ends_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, ends_ns)},
    {"exchange_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, exchange_ns)},
    {"stream_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, stream_ns)},
    {"blocks_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, blocks_ns)},
    {"power_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, power_ns)},
    {"dram_bytes", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, dram_bytes)},
    {"dram_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, dram_ns)},
    {"start_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_gemm_terms, start_ns)},
};
static const zl_fields terms_fields = {ZL_ROWS(terms_rows, zlay_gemm_terms)};

/* The terms of a model; null where it has none. */
static void put_terms(zl_call *call, json_t *value, const zl_fields *fields, const void *terms,
                      bool modelled)
{
    json_t *item = modelled ? json_object() : json_null();
    if (modelled) zl_put_fields(call, item, fields, terms);
    zl_put_value(call, value, "terms", item);
}

static json_t *candidate_value(zl_call *call, const zlay_gemm_candidate *c)
{
    const zlay_gemm *g = &c->gemm;
    json_t *value = json_object();
    zl_put_value(call, value, "tile", zl_json_three(call, g->tile_m, g->tile_n, g->tile_k));
    zl_put_value(call, value, "stages", json_integer(c->stages));
    zl_put_value(call, value, "multicast", json_string(multicasts[g->multicast]));
    zl_put_value(call, value, "swap", json_string(choices[g->swap]));
    zl_put_value(call, value, "stream_k", json_string(choices[g->stream_k]));
    zl_put_value(call, value, "split_k", json_integer(g->split_k ? g->split_k : 1));
    zl_put_value(call, value, "smem", json_integer(c->smem));
    zl_put_value(call, value, "blocks", json_integer((json_int_t)c->blocks));
    zl_put_value(call, value, "ns", c->ns ? json_integer((json_int_t)c->ns) : json_null());
    put_terms(call, value, &terms_fields, &c->terms, c->ns != 0);
    return value;
}

static void put_bound(zl_call *call, json_t *value, zlay_status status, const zlay_roofline *bound)
{
    json_t *item = status ? json_null() : json_object();
    if (!status) {
        zl_put_value(call, item, "ns", json_integer((json_int_t)bound->ns));
        zl_put_value(call, item, "products_ns", json_integer((json_int_t)bound->products_ns));
        if (bound->exponents)
            zl_put_value(call, item, "exponents_ns", json_integer((json_int_t)bound->exponents_ns));
        zl_put_value(call, item, "bytes_ns", json_integer((json_int_t)bound->bytes_ns));
    }
    zl_put_value(call, value, "bound", item);
}

zlay_status zl_op_plan_candidates(zl_call *call, const void *asked)
{
    const zl_gemm_asked *a = asked;
    zlay_gemm_candidate *list;
    size_t count;
    zlay_gemm gemm;
    zlay_status status = zl_gemm_request(call, &gemm, a);
    if (!status) status = zlay_gemm_candidates(call->ctx, NULL, 0, &count, a->target, &gemm);
    if (status) return status;
    zlay_allocator alloc = zl_allocator(call->ctx);
    size_t room = count;
    list = zl_alloc(call->ctx, room, sizeof *list);
    if (!list) return ZLAY_ENOMEM;
    status = zlay_gemm_candidates(call->ctx, list, room, &count, a->target, &gemm);
    json_t *values = json_array();
    for (size_t i = 0; i < count && !status; i++)
        zl_put_item(call, values, candidate_value(call, &list[i]));
    call->value = json_object();
    zl_put_value(call, call->value, "candidates", values);
    zlay_machine machine;
    zlay_roofline bound;
    zlay_machine_find(&machine, a->target);
    put_bound(call, call->value, zlay_gemm_bound(call->ctx, &bound, &machine, &gemm), &bound);
    zl_free(&alloc, list, room * sizeof *list);
    return status;
}

/* ---- attention ----------------------------------------------------------------------------- */

static const char *const overlaps[] = {"auto", "never", "always"};

static const zl_field form_terms_rows[] = {
    {"waves", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, waves)},
    {"at_once", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, at_once)},
    {"last", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, last)},
    {"tiles_milli", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, tiles_milli)},
    {"tile_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, tile_ns)},
    {"products_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, products_ns)},
    {"softmax_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, softmax_ns)},
    {"shown_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, shown_ns)},
    {"block_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, block_ns)},
    {"longest_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, longest_ns)},
    {"tail_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, tail_ns)},
    {"dram_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, dram_ns)},
    {"start_ns", ZL_MAY, ZL_AT(zl_as_u64, zlay_attention_terms, start_ns)},
};
static const zl_fields form_terms_fields = {ZL_ROWS(form_terms_rows, zlay_attention_terms)};

static json_t *form_value(zl_call *call, const zlay_attention_candidate *c)
{
    const zlay_attention *a = &c->attention;
    const uint64_t tile[] = {a->tile_m, a->tile_n};
    json_t *value = json_object();
    zl_put_value(call, value, "tile", zl_json_list(call, tile, ZL_COUNT(tile)));
    zl_put_value(call, value, "stages", json_integer(a->stages));
    zl_put_value(call, value, "overlap", json_string(overlaps[a->overlap]));
    zl_put_value(call, value, "smem", json_integer(c->smem));
    zl_put_value(call, value, "registers", json_integer(c->registers));
    zl_put_value(call, value, "blocks", json_integer((json_int_t)c->blocks));
    zl_put_value(call, value, "ns", c->ns ? json_integer((json_int_t)c->ns) : json_null());
    put_terms(call, value, &form_terms_fields, &c->terms, c->ns != 0);
    return value;
}

zlay_status zl_op_attention_candidates(zl_call *call, const void *asked)
{
    const zl_attention_asked *a = asked;
    zlay_attention ask = a->ask;
    size_t count;
    ask.size = sizeof ask;
    zlay_status status = zlay_attention_candidates(call->ctx, NULL, 0, &count, a->target, &ask);
    if (status) return status;
    size_t room = count;
    zlay_attention_candidate *list = zl_alloc(call->ctx, room, sizeof *list);
    zlay_allocator alloc = zl_allocator(call->ctx);
    if (!list) return ZLAY_ENOMEM;
    status = zlay_attention_candidates(call->ctx, list, room, &count, a->target, &ask);
    json_t *values = json_array();
    for (size_t i = 0; i < count && !status; i++)
        zl_put_item(call, values, form_value(call, &list[i]));
    call->value = json_object();
    zl_put_value(call, call->value, "candidates", values);
    zlay_machine machine;
    zlay_roofline bound;
    zlay_machine_find(&machine, a->target);
    put_bound(call, call->value, zlay_attention_bound(call->ctx, &bound, &machine, &ask), &bound);
    zl_free(&alloc, list, room * sizeof *list);
    return status;
}
