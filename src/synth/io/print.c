/* SPDX-License-Identifier: Apache-2.0 */
/* An answer as a table: the choice, what each tensor moves, the bounds and by which argument, and what else there was. */
#include "synth/io/io.h"

static void bytes_put(zl_text *out, uint64_t bytes) { zl_putf(out, " %12llu.%03llu", (unsigned long long)(bytes / 1000000), (unsigned long long)(bytes / 1000 % 1000)); }

static void choice_put(zl_text *out, const zlay_io_choice *c)
{
    if (c->fused) zl_putf(out, "%s, ", c->fused == ZLAY_IO_FUSED ? "one kernel" : "two kernels");
    zl_putf(out, "tile %u x %u", c->tile_m, c->tile_n);
    if (c->fused) zl_putf(out, ", %u columns of G at a time%s", c->tile_h, c->held ? ", rows of A stay" : "");
    zl_putf(out, ", bands of %u rows of tiles: %llu tiles, %u bytes of shared memory, %u of sums", c->band, (unsigned long long)c->tiles, c->smem,
            c->sums);
}

static void tensors_put(zl_text *out, const zlay_io_answer *a)
{
    zl_puts(out, "MB                        read          written          left in L2               L2\n");
    for (uint32_t i = 0; i < a->tensors_count; i++) {
        const zlay_io_tensor *t = &a->tensor[i];
        zl_putf(out, "%-12s", t->name);
        bytes_put(out, t->read);
        bytes_put(out, t->written);
        zl_puts(out, "   ");
        bytes_put(out, t->left);
        bytes_put(out, t->l2);
        zl_puts(out, "\n");
    }
}

/* `block`: the bound is of blocks of so many sums or queries; 0: of all. */
static void bound_put(zl_text *out, const char *level, uint64_t block, uint64_t bytes, uint64_t bound, uint32_t by)
{
    static const char *const texts[] = {"", "each tensor moves once", "the sums of a block", "what all memories of the chip hold", "the queries of a block"};
    zl_putf(out, "%-14s", level);
    bytes_put(out, bytes);
    zl_puts(out, " MB; no plan ");
    if (block) zl_putf(out, "of blocks of %llu %s ", (unsigned long long)block, by == ZLAY_IO_SUMS ? "sums" : "queries");
    zl_puts(out, "moves less than");
    bytes_put(out, bound);
    zl_putf(out, " (%s)\n", texts[by]);
}

static void answer_put(zl_text *out, const void *value)
{
    const zlay_io_answer *a = value;
    choice_put(out, &a->best);
    zl_putf(out, "\nthe least of %llu tiles and orders, %llu of them run through the model of an L2 of %llu bytes; the others are excluded by bounds\n\n",
            (unsigned long long)a->grid, (unsigned long long)a->run, (unsigned long long)a->machine.l2);
    tensors_put(out, a);
    zl_puts(out, "\n");
    bound_put(out, "global memory", 0, a->best.hbm, a->hbm_bound, a->hbm_by);
    bound_put(out, "L2", a->l2_block, a->best.l2, a->l2_bound, a->l2_by);
    zl_putf(out, "cycles %llu\n", (unsigned long long)zl_ceil_div(a->best.cost, 1000));
    if (!a->best.fused) return;
    if (!a->other.tiles) {
        zl_puts(out, "the other kind was not wanted, or does not fit\n");
        return;
    }
    zl_puts(out, "against ");
    choice_put(out, &a->other);
    zl_putf(out, "; cycles %llu\n", (unsigned long long)zl_ceil_div(a->other.cost, 1000));
}

zlay_status zlay_io_print(zlay_buf *out, const zlay_io_answer *answer)
{
    if (!out || !answer || answer->hbm_by > ZLAY_IO_QUERIES || answer->l2_by > ZLAY_IO_QUERIES || answer->tensors_count > ZLAY_IO_TENSORS)
        return ZLAY_EINVAL;
    return zl_print(out, answer_put, answer);
}
