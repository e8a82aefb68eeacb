/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a plan of attention for people: tile, roles, what its maps and its shared memory are asked by the rules, copies, where
 * everything lies, and what a product's access to a stage costs in banks. */
#include "base/arith.h"
#include "legality/launch/smem.h"
#include "legality/matrix/matrix.h"
#include "legality/tensormap/tensormap.h"
#include "synth/attention/attention.h"

#include <string.h>
#include <zlay/bank.h>
#include <zlay/block.h>

enum { LANES = 32, ROWS = 8 };

static const char *const tensors = "qkvolps", *const tensor_names[] = {"Q", "K", "V", "O", "log-sum-exp", "parts", "log-sum-exp of parts"};

static const char *name_of(char tensor) { return tensor_names[strchr(tensors, tensor) - tensors]; }

static zl_attention_form form_of(const zlay_attention_plan *p)
{
    return (zl_attention_form){p->info.tile_m, p->info.tile_n, p->info.stages, p->overlap};
}

static void put_ask(zl_text *out, const zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    zl_putf(out, "plan: O = softmax(Q K^T) V, %llu queries, %llu keys, batch %llu, %llu heads of %u", (unsigned long long)a->queries,
            (unsigned long long)a->keys, (unsigned long long)a->batch, (unsigned long long)a->heads, a->head);
    if (a->kv_heads != a->heads) zl_putf(out, ", %llu of K and V", (unsigned long long)a->kv_heads);
    if (a->causal) zl_puts(out, ", causal");
    if (a->window) zl_putf(out, ", window %llu", (unsigned long long)a->window);
    if (a->sequences) zl_putf(out, ", %llu packed sequences", (unsigned long long)a->sequences);
    zl_putf(out, ", %s to %s, %s\n", zlay_type_name(a->type), zlay_type_name(a->o_type), zlay_target_name(p->target));
}

static void put_roles(zl_text *out, const zlay_attention_plan *p)
{
    const zlay_attention_summary *i = &p->info;
    zl_putf(out, "  tile %u queries x %u keys; grid %llu x %llu x %llu; %llu tiles of keys at most; %u stages\n", i->tile_m, i->tile_n,
            (unsigned long long)i->grid[0], (unsigned long long)i->grid[1], (unsigned long long)i->grid[2], (unsigned long long)i->tiles, i->stages);
    zl_putf(out, "  %u threads: ", i->threads);
    if (p->wave.lanes) zl_puts(out, "waves that load, multiply by MFMA, and store\n");
    else if (p->tmem) zl_puts(out, "a warp that copies, two that issue tcgen05.mma, a warpgroup of the softmax; sums in tensor memory\n");
    else
        zl_putf(out, "one producer warpgroup, %u consumer warpgroup%s of 64 queries, wgmma; the softmax runs %s\n", i->tile_m / p->rows,
                i->tile_m == p->rows ? "" : "s", p->overlap ? "beside the product of the tile before" : "between the products");
    if (p->split) zl_putf(out, "  keys in %llu runs, whose results a second kernel merges\n", (unsigned long long)p->ask.splits);
    if (p->ask.causal) zl_putf(out, "  masked: the last %u tiles of keys of a block%s\n", p->masked, p->masked_last ? ", and the first of its window" : "");
}

static void put_rules(zl_text *out, const zlay_attention_plan *p, uint64_t smem)
{
    zl_rule_lines at = {out, 0, 1};
    zlay_tensormap map;
    zl_putf(out, "\nlegality rules of %s (version %u)\n", zlay_target_name(p->target), zlay_rules_version());
    for (uint32_t i = 0; i < p->moves_count; i++)
        for (uint32_t m = 0; !zlay_move_map_nth(&map, p->moves[i].move, m); m++) {
            zl_subject s = {&zl_tensormap_form, p->target, &map};
            map.address = 0; /* the tensor's is added */
            zl_putf(out, "  %s, tensor map\n", p->moves[i].name);
            zl_walk(&s, zl_rule_line, &at);
        }
    zl_subject room = {&zl_smem_form, p->target, &smem};
    zl_puts(out, "  shared memory\n");
    if (!p->wave.lanes) zl_walk(&room, zl_rule_line, &at);
}

static void put_map(zl_text *out, const char *name, char tensor, const zlay_tensormap *m)
{
    zl_putf(out, "  %-4s %s: rank %u, extent {", name, name_of(tensor), m->rank);
    for (uint32_t d = 0; d < m->rank; d++) zl_putf(out, "%s%llu", d ? ", " : "", (unsigned long long)m->extent[d]);
    zl_puts(out, "}, stride {");
    for (uint32_t d = 0; d + 1 < m->rank; d++) zl_putf(out, "%s%llu", d ? ", " : "", (unsigned long long)m->stride[d]);
    zl_puts(out, "} bytes, box {");
    for (uint32_t d = 0; d < m->rank; d++) zl_putf(out, "%s%u", d ? ", " : "", m->box[d]);
    zl_putf(out, "}, swizzle %d bytes\n", m->swizzle ? 16 << m->swizzle : 0);
}

static void put_copies(zl_text *out, const zlay_attention_plan *p)
{
    zlay_move_summary info;
    zlay_tensormap map;
    if (p->moves_count) zl_puts(out, "\ncopies (elements; dimension 0 innermost)\n");
    for (uint32_t i = 0; i < p->moves_count; i++) {
        const zl_bound_move *m = &p->moves[i];
        for (uint32_t k = 0; !zlay_move_map_nth(&map, m->move, k); k++) put_map(out, m->name, m->tensor, &map);
        if (!zlay_move_info(&info, m->move))
            zl_putf(out, "       %u cop%s of a tile, %llu bytes\n", info.copies, info.copies == 1 ? "y" : "ies", (unsigned long long)info.bytes);
    }
}

static void put_shared(zl_text *out, const zlay_attention_plan *p, uint64_t smem)
{
    uint64_t row = (uint64_t)p->ask.head * zlay_type_bits(p->ask.type) / 8;
    zl_putf(out, "\nshared memory, %llu of %llu bytes\n", (unsigned long long)smem, (unsigned long long)zlay_smem_capacity(p->target));
    zl_putf(out, "  Q %llu bytes; K and V %llu bytes a stage each, %u stages; results %u bytes a warpgroup; then barriers\n",
            (unsigned long long)(p->info.tile_m * row), (unsigned long long)(p->info.tile_n * row), p->info.stages,
            p->rows * 128 * (zl_attention_at_once(p, p->info.tile_n) ? 2 : 1));
    if (p->tmem) return;
    zl_attention_form f = form_of(p);
    uint32_t group = p->info.tile_m / ZL_ATTENTION_COLUMNS;
    zl_putf(out, "  registers of a consumer's thread: %u by count (scores %u, result %u%s), of %u\n", zl_attention_form_registers(p, &f), f.tile_n / 2,
            p->ask.head / 2, p->overlap ? ", weights beside them" : "", zl_attention_budgets[group].consumer);
}

/* Eight rows of 16 bytes of a tile, as a product reads them. */
static void put_banks(zl_text *out, const zlay_attention_plan *p)
{
    int32_t access;
    if (p->moves_count && zlay_bank_find(&access, "ldmatrix.x1", 11) == ZLAY_OK) zl_puts(out, "\nshared-memory banks\n");
    for (uint32_t i = 0; i < p->moves_count; i++) {
        const zlay_layout *smem = zlay_move_smem(p->moves[i].move);
        uint32_t address[LANES], bytes = zlay_type_bits(p->ask.type) / 8;
        zlay_bank bank;
        int64_t offset;
        bool read = smem && strchr("qkv", p->moves[i].tensor);
        for (uint32_t lane = 0; read && lane < LANES; lane++) {
            address[lane] = UINT32_MAX;
            if (lane < ROWS && !zlay_layout_eval(&offset, 1, smem, lane)) address[lane] = (uint32_t)offset * bytes;
        }
        if (read && !zlay_bank_conflicts(&bank, p->target, access, address, LANES) && bank.answer == ZLAY_YES)
            zl_putf(out, "  %-4s eight rows of 16 bytes as a product reads     %u wavefronts, ideal %u\n", p->moves[i].name, bank.wavefronts, bank.distinct);
    }
}

static void explain_write(zl_text *out, const void *value)
{
    const zlay_attention_plan *p = value;
    zl_attention_form f = form_of(p);
    uint64_t smem = p->wave.lanes || p->merges ? 0 : zl_attention_form_smem(p, &f);
    put_ask(out, p);
    put_roles(out, p);
    put_rules(out, p, smem);
    put_copies(out, p);
    if (smem) put_shared(out, p, smem);
    put_banks(out, p);
}

zlay_status zlay_attention_print(zlay_buf *out, const zlay_attention_plan *plan)
{
    return plan ? zl_print(out, explain_write, plan) : ZLAY_EINVAL;
}
