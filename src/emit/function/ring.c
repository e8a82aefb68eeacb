/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_ring: the mbarriers of a pipe that is proved, as functions: what initialises them, the
 * address of a slot, and those waits, arrivals and expectations that the pipe makes. Index e of a ring
 * of s slots uses slot e mod s in phase e / s, of which a wait sees the lowest bit (docs/pipe.md). The
 * functions are rows of ring.def. */
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
    int32_t language;
} ring_text;

static bool is_ptx(const ring_text *t) { return t->language == ZLAY_TEXT_PTX; }

/* ---- what the pipe does --------------------------------------------------------------------- */

/* Whether some event of a kind is of the barrier; `flip` of a wait; `afar`: it is another block's. */
static bool has(const zlay_pipe *pipe, uint32_t bar, zl_event_kind kind, int32_t flip, bool afar)
{
    for (uint32_t i = 0; i < pipe->events_count; i++) {
        const zl_event *e = &pipe->events[i];
        bool same = e->kind == kind && e->bar == (int32_t)bar && e->flip == flip;
        if (same && afar == (e->cta != ZL_CTA_OWN)) return true;
    }
    return false;
}

/* Whether an expectation at the barrier is one instruction with the arrival behind it, or is none. */
static bool expects(const zlay_pipe *pipe, uint32_t bar, bool joined)
{
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        for (uint32_t i = pipe->roles[r].begin; i < pipe->roles[r].end; i++) {
            const zl_event *e = &pipe->events[i];
            bool joins = i + 1 < pipe->roles[r].end && zl_events_join(e, e + 1);
            if (e->kind == ZL_EV_EXPECT && e->bar == (int32_t)bar && joins == joined) return true;
        }
    return false;
}

/* Whether an arrival or a copy signals the barrier of another block. */
static bool reaches(const zlay_pipe *pipe, uint32_t bar)
{
    for (uint32_t i = 0; i < pipe->events_count; i++) {
        const zl_event *e = &pipe->events[i];
        bool afar = e->cta != ZL_CTA_OWN || e->bar_cta != ZL_CTA_OWN;
        if (e->bar == (int32_t)bar && afar) return true;
    }
    return false;
}

static uint32_t place_of(const zlay_pipe *pipe, uint32_t bar)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < bar; i++) slots += pipe->bars[i].stages;
    return slots * SLOT_BYTES;
}

/* ---- functions ------------------------------------------------------------------------------ */

static const char *const functions[][2] = {
#define FUNCTION(id, ptx, cuda) {ptx, cuda},
#include "emit/function/ring.def"
};
enum {
#define FUNCTION(id, ptx, cuda) id,
#include "emit/function/ring.def"
};

static const char c_head[] = "static __device__ __forceinline__ __attribute__((unused)) ";

/* Finds the address of the slot of e. */
static void begin_ptx(zl_text *out, const ring_text *t, uint32_t bar)
{
    zl_putf(out, "    .reg .b32 %%bars, %%e, %%at;\n    ld.param.b32 %%bars, [bars];\n"
            "    ld.param.b32 %%e, [e];\n    rem.u32 %%at, %%e, %u;\n"
            "    mad.lo.u32 %%at, %%at, %u, %%bars;\n    add.u32 %%at, %%at, %u;\n",
            (unsigned)t->pipe->bars[bar].stages, SLOT_BYTES, (unsigned)place_of(t->pipe, bar));
}

/* What a placeholder of ring.def stands for; false: it is none. */
static bool placeholder_put(zl_text *out, const ring_text *t, uint32_t b, int32_t flip, char which)
{
    const zl_bar *bar = &t->pipe->bars[b];
    bool clustered = zl_bar_is_clustered(t->pipe, (int32_t)b);
    switch (which) {
    case 'f':
        zl_put(out, t->name, t->length);
        zl_putf(out, "_%s", bar->name);
        return true;
    case 's': zl_putf(out, "%u", (unsigned)bar->stages); return true;
    case 'p': zl_putf(out, "%u", (unsigned)place_of(t->pipe, b)); return true;
    case 'b': begin_ptx(out, t, b); return true;
    case 'v': zl_puts(out, flip ? "_before" : ""); return true;
    case 'o':
        zl_puts(out, !flip ? "" : is_ptx(t) ? "    add.u32 %parity, %parity, 1;\n" : " + 1u");
        return true;
    case 'r': zl_puts(out, clustered ? ".release.cluster" : ""); return true;
    case 'a': zl_puts(out, clustered ? ".acquire.cluster" : ""); return true;
    default: return false;
    }
}

static void function_put(zl_text *out, const ring_text *t, uint32_t bar, int id, int32_t flip)
{
    zl_puts(out, is_ptx(t) ? ".func " : c_head);
    for (const char *c = functions[id][!is_ptx(t)]; *c; c++) {
        if (*c == '$' && placeholder_put(out, t, bar, flip, c[1])) c++;
        else zl_put(out, c, 1);
    }
    zl_puts(out, is_ptx(t) ? "    ret;\n}\n" : "}\n");
}

static void init_put(zl_text *out, const ring_text *t)
{
    const char *line = is_ptx(t)
        ? "    mbarrier.init.shared::cta.b64 [%%bars+%u], %lld;\n"
        : "    asm volatile(\"mbarrier.init.shared::cta.b64 [%%0+%u], %lld;\" :: \"r\"(bars) : \"memory\");\n";
    zl_putf(out, "%s", is_ptx(t) ? ".func " : c_head);
    zl_puts(out, is_ptx(t) ? "" : "void ");
    zl_put(out, t->name, t->length);
    zl_puts(out, is_ptx(t) ? "_init(.param .b32 bars)\n{\n    .reg .b32 %bars;\n    ld.param.b32 %bars, [bars];\n"
                           : "_init(unsigned bars)\n{\n");
    for (uint32_t b = 0; b < t->pipe->bars_count; b++)
        for (uint32_t s = 0; s < t->pipe->bars[b].stages; s++)
            zl_putf(out, line, (unsigned)(place_of(t->pipe, b) + s * SLOT_BYTES),
                    (long long)t->pipe->bars[b].count);
    zl_puts(out, is_ptx(t) ? "    fence.mbarrier_init.release.cluster;\n    ret;\n}\n"
                           : "    asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");\n}\n");
}

static void comment(zl_text *out, const ring_text *t)
{
    const zlay_pipe *p = t->pipe;
    zl_putf(out, "/* zlay %s: the barriers of pipe %s, proved for every trip count: %u bytes of shared "
            "memory, whose\n   shared address is `bars`, at a multiple of 8.\n   One thread%s calls ",
            zlay_version(), p->name, (unsigned)place_of(p, p->bars_count),
            p->blocks > 1 ? " of each block" : "");
    zl_put(out, t->name, t->length);
    zl_putf(out, "_init, and all threads%s meet behind it.\n   Arrivals of a phase:",
            p->blocks > 1 ? " of the cluster" : "");
    for (uint32_t b = 0; b < p->bars_count; b++)
        zl_putf(out, "%s %s[%u] %lld", b ? "," : "", p->bars[b].name, (unsigned)p->bars[b].stages,
                (long long)p->bars[b].count);
    zl_puts(out, ". */\n");
}

static void ring_write(zl_text *out, const void *value)
{
    const ring_text *t = value;
    const zlay_pipe *p = t->pipe;
    comment(out, t);
    init_put(out, t);
    for (uint32_t b = 0; b < p->bars_count; b++) {
        function_put(out, t, b, ADDRESS, 0);
        if (reaches(p, b)) function_put(out, t, b, PEER, 0);
        for (int32_t flip = 0; flip < 2; flip++)
            if (has(p, b, ZL_EV_WAIT, flip, false)) function_put(out, t, b, WAIT, flip);
        if (has(p, b, ZL_EV_ARRIVE, 0, false)) function_put(out, t, b, ARRIVE, 0);
        if (has(p, b, ZL_EV_ARRIVE, 0, true)) function_put(out, t, b, ARRIVE_AT, 0);
        if (expects(p, b, false)) function_put(out, t, b, EXPECT, 0);
        if (expects(p, b, true)) function_put(out, t, b, ARRIVE_EXPECT, 0);
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

static zlay_status ring_check(zlay_ctx *ctx, const ring_text *t)
{
    zlay_target_summary info = {0};
    zlay_status status = zl_function_check(ctx, t->language, t->name, t->length);
    zlay_target_info(&info, t->target);
    if (status) return status;
    if (t->language == ZLAY_TEXT_HIP || !info.ptx || info.architecture < OLDEST)
        return zl_fail(ctx, ZLAY_ENOTSUP, "a ring is printed as CUDA C or PTX of sm_90 and later");
    if (!t->pipe->bars_count)
        return zl_fail(ctx, ZLAY_ENOTSUP, "pipe: it has no barrier in shared memory");
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
    const ring_text text = {pipe, target, name, length, language};
    status = ring_check(ctx, &text);
    return zl_leave(ctx, status ? status : zl_print(out, ring_write, &text));
}
