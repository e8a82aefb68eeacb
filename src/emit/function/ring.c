/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_ring: the mbarriers of a pipe that is proved, as functions: what initialises them, the
 * address of a slot, and those waits, arrivals and expectations that the pipe makes. Index e of a ring
 * of s slots uses slot e mod s in phase e / s, of which a wait sees the lowest bit (docs/pipe.md). */
#include "emit/function/function.h"
#include "pipe/language/pipe.h"
#include "pipe/order/verify.h"

#include <string.h>
#include <zlay/emit_function.h>

enum { SLOT_BYTES = 8, OLDEST = 90 };

typedef struct ring_text {
    const zlay_pipe *pipe;
    const zlay_target *target;
    const char *name;
    size_t length;
} ring_text;

/* ---- what the pipe does --------------------------------------------------------------------- */

/* Whether some event of a kind is of the barrier; `flip` of a wait, -1: any. */
static bool has(const zlay_pipe *pipe, uint32_t bar, zl_event_kind kind, int32_t flip)
{
    for (uint32_t i = 0; i < pipe->events_count; i++) {
        const zl_event *e = &pipe->events[i];
        if (e->kind == kind && e->bar == (int32_t)bar && (flip < 0 || e->flip == flip)) return true;
    }
    return false;
}

static uint32_t place_of(const zlay_pipe *pipe, uint32_t bar)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < bar; i++) slots += pipe->bars[i].stages;
    return slots * SLOT_BYTES;
}

/* ---- text ----------------------------------------------------------------------------------- */

/* The beginning of a function: `TYPE NAME_BAR_WHAT(PARAMETERS)`. */
static void head(zl_text *out, const ring_text *t, const char *type, const char *bar,
                 const char *what, const char *parameters)
{
    zl_putf(out, "static __device__ __forceinline__ __attribute__((unused)) %s ", type);
    zl_put(out, t->name, t->length);
    zl_putf(out, "%s%s%s(unsigned bars%s)\n{\n", *bar ? "_" : "", bar, what, parameters);
}

static void slot_put(zl_text *out, const ring_text *t, const char *bar)
{
    zl_put(out, t->name, t->length);
    zl_putf(out, "_%s(bars, e)", bar);
}

static void init_put(zl_text *out, const ring_text *t)
{
    head(out, t, "void", "", "_init", "");
    for (uint32_t b = 0; b < t->pipe->bars_count; b++)
        for (uint32_t s = 0; s < t->pipe->bars[b].stages; s++)
            zl_putf(out, "    asm volatile(\"mbarrier.init.shared::cta.b64 [%%0], %lld;\" :: "
                    "\"r\"(bars + %uu) : \"memory\");\n", (long long)t->pipe->bars[b].count,
                    (unsigned)(place_of(t->pipe, b) + s * SLOT_BYTES));
    zl_puts(out, "    asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");\n}\n");
}

static void address_put(zl_text *out, const ring_text *t, uint32_t b)
{
    const zl_bar *bar = &t->pipe->bars[b];
    head(out, t, "unsigned", bar->name, "", ", unsigned e");
    zl_putf(out, "    return bars + %uu + e %% %uu * %uu;\n}\n", (unsigned)place_of(t->pipe, b),
            (unsigned)bar->stages, SLOT_BYTES);
}

static void wait_put(zl_text *out, const ring_text *t, uint32_t b, int32_t flip)
{
    const zl_bar *bar = &t->pipe->bars[b];
    head(out, t, "void", bar->name, flip ? "_wait_before" : "_wait", ", unsigned e");
    zl_putf(out, "    const unsigned parity = (e / %uu%s) & 1u;\n    unsigned done;\n    do {\n"
            "        asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%%1], "
            "%%2; selp.b32 %%0, 1, 0, p; }\"\n                     : \"=r\"(done) : \"r\"(",
            (unsigned)bar->stages, flip ? " + 1u" : "");
    slot_put(out, t, bar->name);
    zl_puts(out, "), \"r\"(parity) : \"memory\");\n    } while (!done);\n}\n");
}

static void arrive_put(zl_text *out, const ring_text *t, uint32_t b, bool expects)
{
    const zl_bar *bar = &t->pipe->bars[b];
    head(out, t, "void", bar->name, expects ? "_arrive_expect" : "_arrive",
         expects ? ", unsigned e, unsigned bytes" : ", unsigned e");
    zl_putf(out, "    asm volatile(\"mbarrier.arrive%s.shared::cta.b64 _, [%%0]%s;\" :: \"r\"(",
            expects ? ".expect_tx" : "", expects ? ", %1" : "");
    slot_put(out, t, bar->name);
    zl_puts(out, expects ? "), \"r\"(bytes) : \"memory\");\n}\n" : ") : \"memory\");\n}\n");
}

static void comment(zl_text *out, const ring_text *t)
{
    const zlay_pipe *p = t->pipe;
    zl_putf(out, "/* zlay %s: the barriers of pipe %s, proved for every trip count: %u bytes of shared "
            "memory, whose\n   shared address is `bars`, at a multiple of 8. One thread calls ",
            zlay_version(), p->name, (unsigned)place_of(p, p->bars_count));
    zl_put(out, t->name, t->length);
    zl_puts(out, "_init, and all threads meet behind\n   it. Arrivals of a phase:");
    for (uint32_t b = 0; b < p->bars_count; b++)
        zl_putf(out, "%s %s[%u] %lld", b ? "," : "", p->bars[b].name, (unsigned)p->bars[b].stages,
                (long long)p->bars[b].count);
    zl_puts(out, ". */\n");
}

static void ring_write(zl_text *out, const void *value)
{
    const ring_text *t = value;
    comment(out, t);
    init_put(out, t);
    for (uint32_t b = 0; b < t->pipe->bars_count; b++) {
        address_put(out, t, b);
        for (int32_t flip = 0; flip < 2; flip++)
            if (has(t->pipe, b, ZL_EV_WAIT, flip)) wait_put(out, t, b, flip);
        if (has(t->pipe, b, ZL_EV_ARRIVE, -1)) arrive_put(out, t, b, false);
        if (has(t->pipe, b, ZL_EV_EXPECT, -1)) arrive_put(out, t, b, true);
    }
}

/* ---- the request ---------------------------------------------------------------------------- */

/* Two functions have one name where a barrier is called init, or as another one and a word. */
static zlay_status names_check(zlay_ctx *ctx, const zlay_pipe *pipe)
{
    for (uint32_t i = 0; i < pipe->bars_count; i++) {
        const char *name = pipe->bars[i].name;
        bool clashes = !strcmp(name, "init");
        for (uint32_t k = 0; k < pipe->bars_count; k++) {
            size_t length = strlen(pipe->bars[k].name);
            clashes = clashes || (!strncmp(name, pipe->bars[k].name, length) && name[length] == '_');
        }
        if (clashes)
            return zl_fail(ctx, ZLAY_ENOTSUP, "pipe: the functions of barrier '%s' clash", name);
    }
    return ZLAY_OK;
}

static zlay_status ring_check(zlay_ctx *ctx, const ring_text *t, int32_t language)
{
    zlay_target_summary info = {0};
    zlay_status status = zl_function_check(ctx, language, t->name, t->length);
    zlay_target_info(&info, t->target);
    if (status) return status;
    if (language != ZLAY_TEXT_CUDA || !info.ptx || info.architecture < OLDEST)
        return zl_fail(ctx, ZLAY_ENOTSUP, "a ring is printed as CUDA C of sm_90 and later");
    if (!t->pipe->bars_count || t->pipe->blocks > 1)
        return zl_fail(ctx, ZLAY_ENOTSUP, "pipe: it has %s",
                       t->pipe->bars_count ? "several blocks" : "no barrier in shared memory");
    status = names_check(ctx, t->pipe);
    return status ? status : zl_verify_yes(ctx, t->pipe);
}

zlay_status zlay_emit_ring(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                           const zlay_pipe *pipe, int32_t language, const char *name,
                           size_t length)
{
    if (!out || !target || !pipe || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    const ring_text text = {pipe, target, name, length};
    status = ring_check(ctx, &text, language);
    return zl_leave(ctx, status ? status : zl_print(out, ring_write, &text));
}
