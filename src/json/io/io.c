/* SPDX-License-Identifier: Apache-2.0 */
/* io.gemm, io.attention and io.chain: the tile and order of tiles that move the fewest bytes. */
#include "json/json.h"

#include <zlay/io.h>

/* ---- the machine --------------------------------------------------------------------------- */

static const zl_field machine_rows[] = {
    {"l2", ZL_MAY, ZL_AT(zl_as_some64, zlay_io_machine, l2)},
    {"hbm_rate", ZL_MAY, ZL_AT(zl_as_some64, zlay_io_machine, hbm_rate)},
    {"l2_rate", ZL_MAY, ZL_AT(zl_as_some64, zlay_io_machine, l2_rate)},
    {"flop_rate", ZL_MAY, ZL_AT(zl_as_some64, zlay_io_machine, flop_rate)},
    {"processors", ZL_MAY, ZL_AT(zl_as_some32, zlay_io_machine, processors)},
    {"smem", ZL_MAY, ZL_AT(zl_as_some32, zlay_io_machine, smem)},
    {"spread", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_machine, spread)},
};
static const zl_fields machine_fields = {ZL_ROWS(machine_rows, zlay_io_machine)};
typedef zlay_io_machine machine_fields_type;

static const zl_field taken_rows[] = {
    {"l2", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_machine, l2)},
    {"hbm_rate", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_machine, hbm_rate)},
    {"l2_rate", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_machine, l2_rate)},
    {"processors", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_machine, processors)},
    {"smem", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_machine, smem)},
    {"spread", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_machine, spread)},
};
static const zl_field flop_rows[] = {
    {"flop_rate", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_machine, flop_rate)},
};
static const zl_fields flop_fields = {ZL_ROWS(flop_rows, zlay_io_machine)};
static const zl_fields taken_fields = {ZL_ROWS(taken_rows, zlay_io_machine)};

/* ---- the answer ---------------------------------------------------------------------------- */

static const zl_field choice_rows[] = {
    {"tile_m", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_choice, tile_m)},
    {"tile_n", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_choice, tile_n)},
    {"tile_k", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_choice, tile_k)},
    {"band", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_choice, band)},
    {"smem", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_choice, smem)},
    {"sums", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_choice, sums)},
    {"tiles", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_choice, tiles)},
    {"flops", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_choice, flops)},
    {"hbm", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_choice, hbm)},
    {"left", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_choice, left)},
    {"l2", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_choice, l2)},
};
static const zl_field chain_rows[] = {
    {"tile_h", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_choice, tile_h)},
    {"held", ZL_MAY, ZL_AT(zl_as_u32, zlay_io_choice, held)},
};
static const zl_fields of_chain = {ZL_ROWS(chain_rows, zlay_io_choice)};
static const zl_fields choice_fields = {ZL_ROWS(choice_rows, zlay_io_choice)};

static const zl_field tensor_rows[] = {
    {"bytes", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_tensor, bytes)},
    {"read", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_tensor, read)},
    {"written", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_tensor, written)},
    {"left", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_tensor, left)},
    {"l2", ZL_MAY, ZL_AT(zl_as_u64, zlay_io_tensor, l2)},
};
static const zl_fields tensor_fields = {ZL_ROWS(tensor_rows, zlay_io_tensor)};

static const char *kind_of(const zlay_io_choice *c)
{
    return c->fused == ZLAY_IO_FUSED ? "fused" : "separate";
}

static json_t *choice_value(zl_call *call, const zlay_io_choice *c)
{
    json_t *value = json_object();
    if (c->fused) zl_put_value(call, value, "kernels", json_string(kind_of(c)));
    if (c->fused) zl_put_fields(call, value, &of_chain, c);
    zl_put_fields(call, value, &choice_fields, c);
    zl_put_value(call, value, "cycles", zl_json_uint(c->cost / 1000 + (c->cost % 1000 != 0)));
    return value;
}

static json_t *bound_value(zl_call *call, uint64_t bytes, uint32_t by, uint64_t block)
{
    static const char *const names[] = {"", "compulsory", "sums", "capacity", "queries"};
    json_t *value = json_object();
    zl_put_value(call, value, "bytes", zl_json_uint(bytes));
    zl_put_value(call, value, "by", json_string(names[by]));
    if (block) zl_put_value(call, value, "block", zl_json_uint(block));
    return value;
}

static void put_front(zl_call *call, const zlay_io_answer *a)
{
    json_t *front = json_array();
    for (uint32_t i = 0; i < a->front_count && i < ZLAY_IO_FRONT; i++)
        zl_put_item(call, front, choice_value(call, &a->front[i]));
    zl_put_value(call, call->value, "front", front);
    zl_put_value(call, call->value, "front_count", json_integer(a->front_count));
}

static void put_crossover(zl_call *call, const zlay_io_answer *a)
{
    json_t *wins = json_array();
    for (int e = 0; e < 64; e++)
        if (a->fused_at >> e & 1) zl_put_item(call, wins, zl_json_uint((uint64_t)1 << e));
    zl_put_value(call, call->value, "fused_at", wins);
}

static zlay_status print_answer(zlay_ctx *ctx, zlay_buf *out, const void *answer)
{
    (void)ctx;
    return zlay_io_print(out, answer);
}

static void put_all(zl_call *call, const zlay_io_answer *a, bool front)
{
    json_t *tensors = json_object(), *machine = json_object();
    for (uint32_t t = 0; t < a->tensors_count; t++) {
        json_t *one = json_object();
        zl_put_fields(call, one, &tensor_fields, &a->tensor[t]);
        zl_put_value(call, tensors, a->tensor[t].name, one);
    }
    zl_put_fields(call, machine, &taken_fields, &a->machine);
    if (a->best.fused) zl_put_fields(call, machine, &flop_fields, &a->machine);
    zl_put_value(call, call->value, "best", choice_value(call, &a->best));
    if (a->best.fused)
        zl_put_value(call, call->value, "other",
                     a->other.tiles ? choice_value(call, &a->other) : json_null());
    zl_put_value(call, call->value, "tensors", tensors);
    zl_put_value(call, call->value, "hbm_bound", bound_value(call, a->hbm_bound, a->hbm_by, 0));
    zl_put_value(call, call->value, "l2_bound",
                 bound_value(call, a->l2_bound, a->l2_by, a->l2_block));
    zl_put_value(call, call->value, "optimal", json_true());
    zl_put_value(call, call->value, "grid", zl_json_uint(a->grid));
    zl_put_value(call, call->value, "run", zl_json_uint(a->run));
    zl_put_value(call, call->value, "machine", machine);
    if (front) put_front(call, a);
}

/* What a request of any of the three has beside its sizes. */
typedef struct form {
    bool text, front, crossover;
} form;

static zlay_status answer(zl_call *call, zlay_status status, const zlay_io_answer *a, form is)
{
    if (status) return status;
    call->value = json_object();
    if (is.text) return zl_put_printed(call, "text", print_answer, a);
    put_all(call, a, is.front);
    if (is.crossover) put_crossover(call, a);
    return ZLAY_OK;
}

/* ---- requests -------------------------------------------------------------------------------- */

typedef struct gemm_io {
    const zlay_target *target;
    zlay_io_gemm ask;
    bool text;
} gemm_io;

#define AT(kind, member) ZL_AT(kind, gemm_io, ask.member)
static const zl_field gemm_rows[] = {
    ZL_TARGET(gemm_io),
    {"m", ZL_NEEDS, AT(zl_as_some64, m)},
    {"n", ZL_NEEDS, AT(zl_as_some64, n)},
    {"k", ZL_NEEDS, AT(zl_as_some64, k)},
    {"type", ZL_MAY, AT(zl_as_word, type), .of = zl_types},
    {"a_type", ZL_MAY, AT(zl_as_word, a_type), .of = zl_types},
    {"b_type", ZL_MAY, AT(zl_as_word, b_type), .of = zl_types},
    {"d_type", ZL_MAY, AT(zl_as_word, d_type), .of = zl_types},
    {"tile_m", ZL_MAY, AT(zl_as_some32, tile_m)},
    {"tile_n", ZL_MAY, AT(zl_as_some32, tile_n)},
    {"tile_k", ZL_MAY, AT(zl_as_some32, tile_k)},
    {"band", ZL_MAY, AT(zl_as_some32, band)},
    {"stages", ZL_MAY, AT(zl_as_some32, stages)},
    {"front", ZL_MAY, AT(zl_as_bit, front), .count = 1},
    {"text", ZL_MAY, ZL_AT(zl_as_flag, gemm_io, text)},
    ZL_PART(machine_fields, gemm_io, ask.machine),
};
#undef AT
const zl_fields zl_io_gemm_fields = {ZL_ROWS(gemm_rows, gemm_io)};

zlay_status zl_op_io_gemm(zl_call *call, const void *value)
{
    const gemm_io *a = value;
    zlay_io_gemm ask = a->ask;
    zlay_io_answer found;
    ask.size = sizeof ask;
    zlay_status status = zlay_io_gemm_plan(call->ctx, &found, a->target, &ask);
    return answer(call, status, &found, (form){a->text, ask.front, false});
}

typedef struct attention_io {
    const zlay_target *target;
    zlay_io_attention ask;
    bool text;
} attention_io;

#define AT(kind, member) ZL_AT(kind, attention_io, ask.member)
static const zl_field attention_rows[] = {
    ZL_TARGET(attention_io),
    {"head", ZL_NEEDS, AT(zl_as_some32, head)},
    {"queries", ZL_NEEDS, AT(zl_as_some64, queries)},
    {"keys", ZL_NEEDS, AT(zl_as_some64, keys)},
    {"batch", ZL_MAY, AT(zl_as_some64, batch)},
    {"heads", ZL_MAY, AT(zl_as_some64, heads)},
    {"kv_heads", ZL_MAY, AT(zl_as_some64, kv_heads)},
    {"type", ZL_MAY, AT(zl_as_word, type), .of = zl_types},
    {"causal", ZL_MAY, AT(zl_as_bit, causal), .count = 1},
    {"tile_m", ZL_MAY, AT(zl_as_some32, tile_m)},
    {"tile_n", ZL_MAY, AT(zl_as_some32, tile_n)},
    {"band", ZL_MAY, AT(zl_as_some32, band)},
    {"stages", ZL_MAY, AT(zl_as_some32, stages)},
    {"front", ZL_MAY, AT(zl_as_bit, front), .count = 1},
    {"text", ZL_MAY, ZL_AT(zl_as_flag, attention_io, text)},
    ZL_PART(machine_fields, attention_io, ask.machine),
};
#undef AT
const zl_fields zl_io_attention_fields = {ZL_ROWS(attention_rows, attention_io)};

zlay_status zl_op_io_attention(zl_call *call, const void *value)
{
    const attention_io *a = value;
    zlay_io_attention ask = a->ask;
    zlay_io_answer found;
    ask.size = sizeof ask;
    zlay_status status = zlay_io_attention_plan(call->ctx, &found, a->target, &ask);
    return answer(call, status, &found, (form){a->text, ask.front, false});
}

typedef struct chain_io {
    const zlay_target *target;
    zlay_io_chain ask;
    bool text;
} chain_io;

static const zl_named kinds[] = {{"best", ZLAY_IO_BEST},
                                 {"separate", ZLAY_IO_SEPARATE},
                                 {"fused", ZLAY_IO_FUSED},
                                 {NULL, 0}};

static zlay_status read_kind(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    int32_t kind = ZLAY_IO_BEST;
    zlay_status status = zl_read_word(call, object, field, &kind);
    *(uint32_t *)to = (uint32_t)kind;
    return status;
}
static const zl_field_kind as_kind = {.read = read_kind, .type = "text"};
typedef uint32_t as_kind_type;

#define AT(kind, member) ZL_AT(kind, chain_io, ask.member)
static const zl_field chain_io_rows[] = {
    ZL_TARGET(chain_io),
    {"m", ZL_NEEDS, AT(zl_as_some64, m)},
    {"k", ZL_NEEDS, AT(zl_as_some64, k)},
    {"h", ZL_NEEDS, AT(zl_as_some64, h)},
    {"n", ZL_NEEDS, AT(zl_as_some64, n)},
    {"gated", ZL_MAY, AT(zl_as_bit, gated), .count = 1},
    {"kernels", ZL_MAY, AT(as_kind, fused), .of = kinds},
    {"type", ZL_MAY, AT(zl_as_word, type), .of = zl_types},
    {"stages", ZL_MAY, AT(zl_as_some32, stages)},
    {"crossover", ZL_MAY, AT(zl_as_bit, crossover), .count = 1},
    {"front", ZL_MAY, AT(zl_as_bit, front), .count = 1},
    {"text", ZL_MAY, ZL_AT(zl_as_flag, chain_io, text)},
    ZL_PART(machine_fields, chain_io, ask.machine),
};
#undef AT
const zl_fields zl_io_chain_fields = {ZL_ROWS(chain_io_rows, chain_io)};

zlay_status zl_op_io_chain(zl_call *call, const void *value)
{
    const chain_io *a = value;
    zlay_io_chain ask = a->ask;
    zlay_io_answer found;
    ask.size = sizeof ask;
    zlay_status status = zlay_io_chain_plan(call->ctx, &found, a->target, &ask);
    return answer(call, status, &found, (form){a->text, ask.front, ask.crossover});
}
