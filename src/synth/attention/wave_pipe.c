/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of attention by waves. Every wave loads a part of each tile of keys and values to
 * registers, and puts it into shared memory one tile later, into the stage that no wave reads: so
 * the loads of a tile run beside the products and the softmax of the tile before, and the waves meet
 * once a tile. Fragments are read one step ahead of the products that need them. Tiles of keys go
 * from the last to the first, as on other targets, with the same bodies. */
#include "synth/attention/attention.h"

typedef const zlay_attention_plan plan_t;
const char *const zl_attention_sets[ZL_AW_SETS] = {"GK", "GV", "A0", "A1", "B0", "B1", "Q",
                                                   "S",  "P",  "O",  "R",  "m",  "l",  "a"};

static void put_loads(zl_text *out, plan_t *p, const char *indent)
{
    const zl_attention_wave *w = &p->wave;
    for (int i = 0; i < 2; i++)
        zl_putf(out, "%sload %u -> %s times %u\n", indent, w->smem[i],
                zl_attention_sets[ZL_AW_KEYS_LOADED + i], w->loads[i]);
}

static void put_stores(zl_text *out, plan_t *p, const char *indent, const char *at)
{
    const zl_attention_wave *w = &p->wave;
    zl_putf(out, "%swaitcount memory 0\n", indent);
    for (int i = 0; i < 2; i++) {
        uint32_t times = w->smem[i] / (p->info.threads * 16);
        zl_putf(out, "%sput %s -> %c[(%s) %% %u] %u times %u\n", indent, zl_attention_sets[ZL_AW_KEYS_LOADED + i],
                "KV"[i], at, p->info.stages, w->smem[i], times);
    }
}

static void put_fetch(zl_text *out, plan_t *p, const char *indent, const char *at, int of, uint32_t step)
{
    zl_putf(out, "%sfetch %c[(%s) %% %u] -> %s times %u\n", indent, "KV"[of], at, p->info.stages,
            zl_attention_sets[(of == ZL_KEYS ? ZL_AW_KEYS : ZL_AW_VALUES) + step % 2], p->wave.blocks[of]);
}

/* The products of a tile of keys, or of values: reads run one step ahead. */
static void put_products(zl_text *out, plan_t *p, const char *indent, const char *at, int of)
{
    const zl_attention_wave *w = &p->wave;
    put_fetch(out, p, indent, at, of, 0);
    for (uint32_t step = 0; step < w->steps[of]; step++) {
        bool more = step + 1 < w->steps[of];
        if (more) put_fetch(out, p, indent, at, of, step + 1);
        zl_putf(out, "%swaitcount shared %u\n", indent, more ? w->blocks[of] : 0);
        if (of == ZL_KEYS) zl_putf(out, "%smma A%u, Q -> S%s\n", indent, step % 2, step ? "" : " fresh");
        else zl_putf(out, "%smma B%u, P -> O\n", indent, step % 2);
    }
}

static void put_tile(zl_text *out, plan_t *p, const char *indent, const char *at)
{
    put_products(out, p, indent, at, ZL_KEYS);
    zl_attention_softmax_put(out, p, indent, at);
    zl_putf(out, "%suse O, a body rescale\n%suse S, P body narrow\n", indent, indent);
    put_products(out, p, indent, at, ZL_VALUES);
}

static void put_meeting(zl_text *out, const char *indent)
{
    zl_putf(out, "%swaitcount shared 0\n%ssync cta\n", indent, indent);
}

static void put_role(zl_text *out, plan_t *p)
{
    const zl_attention_wave *w = &p->wave;
    zl_putf(out, "role waves warps 0..%u\n", w->waves - 1);
    zl_putf(out, "  load %u -> Q times %u\n", p->info.threads * 16 * w->steps[ZL_KEYS], w->steps[ZL_KEYS]);
    put_loads(out, p, "  ");
    zl_puts(out, "  use O, m, l body begin\n");
    put_stores(out, p, "  ", "0");
    zl_puts(out, "  for i in 1..N\n");
    put_loads(out, p, "    ");
    put_meeting(out, "    ");
    put_tile(out, p, "    ", "i - 1");
    put_stores(out, p, "    ", "i");
    zl_puts(out, "  end\n");
    put_meeting(out, "  ");
    put_tile(out, p, "  ", "N - 1");
    zl_putf(out, "  use O, R, l body finish\n  send R -> O[0] times %u\nend\n", w->blocks[ZL_VALUES] * 4);
}

void zl_attention_wave_put(zl_text *out, const void *plan)
{
    plan_t *p = plan;
    zl_putf(out, "pipe attention\nparam N 1..\nsmem K[%u] %u\nsmem V[%u] %u\nglobal O[1]\n", p->info.stages,
            p->wave.smem[ZL_KEYS], p->info.stages, p->wave.smem[ZL_VALUES]);
    zl_attention_bodies_put(out, p);
    put_role(out, p);
}
