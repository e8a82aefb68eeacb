/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the events of a pipe's kernel that are not copies, products or meetings: mbarrier operations,
 * fences, flags, tensor map updates, commits and waits of groups. Events that are one instruction
 * without an address are rows of says.def. Where blocks of a cluster access each other's memory, the
 * mbarriers at which they arrive have release and acquire at cluster scope. */
#include "emit/pipe/pipe.h"

#include <stdio.h>

enum { ALL, ONE, MAP_BYTES = 128, FLAG_BYTES = 4, ADDRESS_BYTES = 8, WARP = 32, BAR_BYTES = 8 };

static const struct {
    zl_event_kind kind;
    int32_t scope;
    const char *id;
    int by, number;
} says[] = {
#define SAY(kind, scope, id, by, number) {ZL_EV_##kind, scope, id, by, number},
#include "emit/pipe/says.def"
#undef SAY
};

/* Prints an event that says.def has; false: it has no row. */
static bool say_row(zl_pipe_text *k, const zl_event *event)
{
    char room[24];
    for (size_t i = 0; i < ZL_COUNT(says); i++) {
        if (says[i].kind != event->kind || says[i].scope != event->scope) continue;
        zl_pt_number(room, (uint64_t)event->count);
        zl_say(k, says[i].by == ONE ? zl_pt_one(k) : NULL, says[i].id, 0, room);
        return true;
    }
    return false;
}

/* ---- mbarriers --------------------------------------------------------------------- */

/* The first thread of each warp initialises the barrier of its warp's number: an instruction initialises one. */
static void say_init(zl_pipe_text *k, const zl_event *event)
{
    char count[24], room[24];
    const zl_bar *bar = &k->pipe->bars[event->bar];
    zl_pt_number(count, (uint64_t)bar->count);
    for (uint32_t s = 0; s < bar->stages; s += k->threads / WARP) {
        zl_op(k, LT, "done", "warp", zl_pt_number(room, bar->stages - s));
        zl_op(k, BOTH, "done", "done", "leader");
        zl_op(k, MAD, "at", "warp", zl_pt_number(room, BAR_BYTES), "smem");
        zl_op(k, ADD, "at", "at", zl_pt_number(room, k->bar_at[event->bar] + s * BAR_BYTES));
        zl_say(k, "done", "mbar.init", 0, "at", count);
    }
}

/* The bytes that an event expects: fewer where the last instance has no rows of the tile, or slices have none. */
static const char *expected(zl_pipe_text *k, char room[24], const zl_event *event)
{
    char fewer[24];
    zl_pt_number(room, (uint64_t)event->count);
    if (zl_pt_tiles_slice(k)) {
        zl_op(k, MOV, "w0", room);
        zl_op(k, SUB, "w0", "w0", "absent");
        return "w0";
    }
    if (!zl_pt_tiles_spared(k)) return room;
    zl_op(k, PICK, "w0", zl_pt_number(fewer, (uint64_t)event->count - k->plan->tiles.spared), room, "idle");
    return "w0";
}

static void say_expect(zl_pipe_text *k, const zl_event *event)
{
    char bytes[24];
    zl_pt_bar(k, "at");
    zl_say(k, zl_pt_one(k), "mbar.expect_tx", 0, "at", expected(k, bytes, event));
}

/* Whether an arrival at the same barrier stands directly behind the expectation. */
bool zl_pt_joins(const zl_pipe_text *k, const zl_event *event)
{
    const zl_event *next = event + 1;
    if (!k->role || next >= &k->pipe->events[k->role->end]) return false;
    return zl_events_join(event, next) && !zl_pt_fragment(k, event) && !zl_pt_fragment(k, next);
}

/* Prints both as one instruction. */
void zl_pt_expect_arrive(zl_pipe_text *k, const zl_event *event)
{
    char bytes[24];
    k->event = event;
    zl_pt_line(k, "// lines %u, %u", event->line, event[1].line);
    zl_pt_sequences_tell(k, &event[1]);
    zl_pt_bar(k, "at");
    zl_say(k, zl_pt_one(k),
           zl_bar_is_clustered(k->pipe, event->bar) ? "mbar.arrive.expect_tx.release.cluster" : "mbar.arrive.expect_tx", 0,
           "at", expected(k, bytes, event));
}

/* The predicate of the threads that arrive; NULL: all that run the event. */
static const char *arriving(const zl_pipe_text *k, const zl_event *event)
{
    if (event->scope == ZL_BY_THREADS) return NULL;
    if (event->scope == ZL_BY_WARPS && !zl_pt_lone(k)) return "leader";
    return zl_pt_one(k);
}

/* Prints an arrival at an mbarrier of this or another block. */
static void arrive_at(zl_pipe_text *k, const zl_event *event, bool remote, const char *bar)
{
    char id[64], times[24];
    snprintf(id, sizeof id, "mbar.arrive%s%s%s", remote ? ".remote" : "",
             event->times > 1 ? ".count" : "", zl_bar_is_clustered(k->pipe, event->bar) ? ".release.cluster" : "");
    zl_say(k, arriving(k, event), id, 0, bar, zl_pt_number(times, event->times));
}

/* Prints the arrivals of an event: here, at one other block, or at all blocks in turn. */
static void say_arrive(zl_pipe_text *k, const zl_event *event)
{
    zl_pt_bar(k, "at");
    if (event->cta == ZL_CTA_OWN) {
        arrive_at(k, event, false, "at");
        return;
    }
    uint32_t blocks = event->cta == ZL_CTA_ALL ? k->pipe->blocks : 1;
    for (uint32_t b = 0; b < blocks; b++) {
        zl_pt_peer(k, "far", "at", b);
        arrive_at(k, event, true, "far");
    }
}

/* Prints a wait for a phase: its parity is (position / stages + flip) % 2. */
static void say_wait(zl_pipe_text *k, const zl_event *event)
{
    char room[24];
    zl_pt_bar(k, "at");
    const char *parity =
        zl_pt_parity(k, room, &event->parity, k->pipe->bars[event->bar].stages, event->flip);
    zl_pt_try(k);
    zl_say(k, NULL, zl_bar_is_clustered(k->pipe, event->bar) ? "mbar.try_wait.parity.acquire.cluster" : "mbar.try_wait.parity",
           1, "done", "at", parity);
    zl_pt_try_end(k);
    zl_pt_sequences_hear(k, event);
}

/* Products in tensor memory by pairs of blocks are committed for both. */
static void say_commit(zl_pipe_text *k, const zl_event *event)
{
    char id[64], mask[24];
    bool pair = k->pipe->tmems_count > 0 && k->pipe->tmems[0].pair;
    zl_pt_bar(k, "at");
    snprintf(id, sizeof id, "tcgen05.commit.cg%d%s", pair ? 2 : 1,
             event->multicast ? ".multicast" : "");
    if (event->multicast) zl_op(k, MASK, "mask", zl_pt_number(mask, event->multicast));
    zl_say(k, zl_pt_one(k), id, 0, "at", "mask");
}

/* ---- fences, flags, maps --------------------------------------------------------------- */

/* Whether the pipe has generic accesses of global memory or of other blocks, which a fence must
 * cover too. */
static bool shares_memory(const zl_pipe_text *k)
{
    const zlay_pipe *pipe = k->pipe;
    if (k->plan && k->plan->units) return false; /* no copy reads the sums in the workspace */
    for (uint32_t i = 0; i < pipe->others_count; i++)
        if (pipe->others[i].sort == ZL_OTHER_GLOBAL) return true;
    return pipe->blocks > 1;
}

/* Prints the fence that makes updated tensor maps visible to tensor copies, for each stage of each
 * map. */
static void fence_maps(zl_pipe_text *k)
{
    char bytes[24];
    zl_pt_number(bytes, MAP_BYTES);
    for (uint32_t i = 0; i < k->pipe->others_count; i++) {
        const zl_other *other = &k->pipe->others[i];
        if (other->sort != ZL_OTHER_MAP || !zl_pt_pointer(k, ZL_PT_OTHER, i)) continue;
        for (uint32_t s = 0; s < other->stages; s++) {
            const zl_pos at = {-1, -1, -1, s, 0};
            zl_pt_other(k, "map", (int32_t)i, &at, MAP_BYTES);
            zl_say(k, NULL, "fence.tensormap.acquire.gpu", 0, "map", bytes);
        }
    }
}

static void say_fence(zl_pipe_text *k, const zl_event *event)
{
    if (event->scope == ZL_FENCE_TENSORMAP) fence_maps(k);
    else
        zl_say_plain(k, NULL,
                     shares_memory(k) ? "fence.proxy.async" : "fence.proxy.async.shared_cta");
}

/* Prints an addition to a counter in global memory, with release. */
static void say_raise(zl_pipe_text *k, const zl_event *event)
{
    char times[24];
    zl_pt_other(k, "gp", event->other, &event->other_at, FLAG_BYTES);
    zl_op(k, MOV, "w0", zl_pt_number(times, event->times));
    zl_say(k, zl_pt_one(k), "red.release.gpu.g.add.u32", 0, "gp", "w0");
}

static void await(zl_pipe_text *k, const zl_event *event)
{
    char least[24];
    zl_pt_try(k);
    zl_say(k, NULL, "ld.acquire.gpu.g.b32", 1, "w0", "gp");
    zl_op(k, GE, "done", "w0", zl_pt_number(least, (uint64_t)event->count));
    zl_pt_try_end(k);
}

/* One thread waits and clears the counter; the others wait for it where they meet. */
static void await_and_clear(zl_pipe_text *k, const zl_event *event)
{
    const char *one = zl_pt_one(k);
    if (one && (event[1].kind != ZL_EV_SYNC || event[1].scope != ZL_SYNC_ROLE))
        zl_pt_fail(k, "`clear` is printed where `sync role` follows, for one thread waits");
    if (one) zl_pt_when(k, one);
    await(k, event);
    zl_op(k, MOV, "w0", "0");
    zl_say(k, NULL, "st.g.b32", 0, "gp", "w0");
    if (one) zl_pt_when_end(k);
}

/* Prints the wait until a counter in global memory has reached a value, with acquire. */
static void say_await(zl_pipe_text *k, const zl_event *event)
{
    zl_pt_other(k, "gp", event->other, &event->other_at, FLAG_BYTES);
    if (event->clear) await_and_clear(k, event);
    else await(k, event);
}

/* The map of index e takes address e of a table, and is released to others. */
static void say_update(zl_pipe_text *k, const zl_event *event)
{
    char base[80];
    const zl_other *other = &k->pipe->others[event->map];
    zl_pt_other(k, "map", event->map, &event->map_at, MAP_BYTES);
    snprintf(base, sizeof base, "%s%.64s", zl_pt_prefix[ZL_PT_BASE], other->name);
    zl_op(k, LOAD64, "gp", base);
    char bytes[24];
    zl_pt_pos(k, &event->map_at);
    zl_op(k, FURTHER, "gp", "pos", zl_pt_number(bytes, ADDRESS_BYTES));
    zl_say(k, NULL, "ld.g.b64", 1, "gq", "gp");
    zl_say(k, zl_pt_one(k), "tmap.replace.global_address.global", 0, "map", "gq");
    zl_say_plain(k, zl_pt_one(k), "fence.tensormap.release.gpu");
}

/* Prints the caller's text in the place of an event, with the stage's address in `at`. */
static void say_fragment(zl_pipe_text *k, const zl_event *event, const char *text)
{
    if (event->smem[0] >= 0) zl_pt_stage(k, "at", event->smem[0], &event->at[0]);
    zl_pt_line(k, "{");
    zl_puts(k->out, text);
    zl_puts(k->out, "\n");
    zl_pt_line(k, "}");
}

static void refuse_queue(zl_pipe_text *k, const zl_event *event)
{
    zl_pt_fail(k, "%s works on a queue, and %s has none", zl_forms[event->kind].word,
               zlay_target_name(k->ask->target));
}

static void say_other(zl_pipe_text *k, const zl_event *event)
{
    switch (event->kind) {
    case ZL_EV_INIT: say_init(k, event); break;
    case ZL_EV_EXPECT: say_expect(k, event); break;
    case ZL_EV_ARRIVE: say_arrive(k, event); break;
    case ZL_EV_WAIT: say_wait(k, event); break;
    case ZL_EV_COPY: zl_pt_copy(k, event); break;
    case ZL_EV_STORE:
    case ZL_EV_REDUCE: zl_pt_store(k, event); break;
    case ZL_EV_COMMIT: say_commit(k, event); break;
    case ZL_EV_CPASYNC:
    case ZL_EV_READ:
    case ZL_EV_WRITE: zl_pt_threads(k, event); break;
    case ZL_EV_LDMATRIX:
    case ZL_EV_STMATRIX: zl_pt_matrix(k, event); break;
    case ZL_EV_FENCE: say_fence(k, event); break;
    case ZL_EV_MMA: zl_pt_mma(k, event); break;
    case ZL_EV_SYNC:
    case ZL_EV_JOIN:
    case ZL_EV_MEET: zl_pt_meet(k, event); break;
    case ZL_EV_UPDATE: say_update(k, event); break;
    case ZL_EV_RAISE: say_raise(k, event); break;
    case ZL_EV_AWAIT: say_await(k, event); break;
    case ZL_EV_USE: zl_pt_body(k, event); break;
    case ZL_EV_FETCH: zl_pt_put(k, event); break;
    case ZL_EV_WAITCOUNT: break; /* registers of a load are waited for where they are read */
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_PUT: refuse_queue(k, event); break;
    default: zl_pt_tmem(k, event); break;
    }
}

void zl_pt_event(zl_pipe_text *k, const zl_event *event)
{
    const zlay_pipe_fragment *fragment = zl_pt_fragment(k, event);
    k->event = event;
    if (event->joined) return;
    zl_pt_line(k, "// line %u", event->line);
    bool spared = zl_pt_tiles_spared(k) && event->kind == ZL_EV_COPY && event->part;
    if (spared) zl_pt_when(k, "busy");
    if (fragment) say_fragment(k, event, fragment->text);
    else if (event->kind == ZL_EV_SETMAXNREG && zl_pt_lone(k)) return;
    else if (!say_row(k, event) && !zl_pt_tiles_message(k, event)) say_other(k, event);
    if (spared) zl_pt_when_end(k);
}
