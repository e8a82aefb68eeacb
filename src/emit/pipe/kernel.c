/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the frame of a pipe's kernel: arguments, register declarations, the setup, the branch of
 * every warp to its role, and the loops of the roles. All warps of a block run the setup; then each
 * role is a block of code that only its warps enter. A role of one elected thread is entered by
 * elect.sync. */
#include "emit/pipe/iteration.h"

#include <stdio.h>
#include <string.h>
#include <zlay/target.h>

enum { ARGUMENTS = 512, NAMES_A_LINE = 12 };

static const char *const words[] = {
    "tid",    "warp",   "lane",  "rank", "ctaid", "rtid",    "rwarp",  "instance", "pos",
    "slot",   "parity", "at",    "to",   "far",   "near",    "off",    "tries",    "smem",
    "low",    "high",   "index", "peer", "taddr", "leading", "w0",     "w1",       "w2",
    "w3",     "x0",     "x1",    "x2",   "x3",    "x4",      "count0", "count1",   "count2",
    "count3", "end0",   "end1",  "end2", "end3"};
static const char *const longs[] = {"gp", "gq", "wide", "map", "da", "db"};
static const char *const halves[] = {"mask", "v0", "v1", "v2",  "v3",  "v4",  "v5",  "v6", "v7",
                                     "v8",   "v9", "v10", "v11", "v12", "v13", "v14", "v15"};
static const char *const flags[] = {"one", "leader", "more", "done", "wrap"};

/* So many to a line. */
static void declare(zl_pipe_text *k, const char *type, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i % NAMES_A_LINE == 0)
            zl_putf(k->out, k->c ? "    [[maybe_unused]] %s " : "    .reg %s ", type);
        bool last = i + 1 == count || (i + 1) % NAMES_A_LINE == 0;
        zl_putf(k->out, last ? "%s;\n" : "%s, ", names[i]);
    }
}

/* Rings, bases of descriptors, barriers of an instance and places of writes, as many as a role keeps. */
static void declare_kept(zl_pipe_text *k)
{
    for (uint32_t i = 0; i < k->rings_most; i++)
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t slot%u, phase%u, last%u;"
                           : ".reg .b32 slot%u, phase%u, last%u;", i, i, i);
    for (uint32_t i = 0; i < k->bases_most; i++)
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t base%u;" : ".reg .b32 base%u;", i);
    for (uint32_t i = 0; i < k->own_bars_most; i++)
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t own%u;" : ".reg .b32 own%u;", i);
    for (uint32_t i = 0; i < k->puts_most; i++)
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t put%u;" : ".reg .b32 put%u;", i);
}

/* The addresses of tensor maps. */
static void declare_maps(zl_pipe_text *k)
{
    zlay_pipe_argument list[ARGUMENTS];
    uint32_t count = zl_pt_arguments(k, list, ARGUMENTS);
    for (uint32_t i = 0; i < count && i < ARGUMENTS; i++)
        if (list[i].kind == ZLAY_ARGUMENT_MAP && zl_pt_map_used(k, i))
            zl_pt_line(k, k->c ? "uint64_t at_%s;" : ".reg .b64 at_%s;", list[i].name);
}

/* Computes them; one thread has the maps fetched before they are used. */
static void fetch_maps(zl_pipe_text *k)
{
    zlay_pipe_argument list[ARGUMENTS];
    uint32_t count = zl_pt_arguments(k, list, ARGUMENTS);
    for (uint32_t i = 0; i < count && i < ARGUMENTS; i++) {
        char name[96];
        if (list[i].kind != ZLAY_ARGUMENT_MAP || !zl_pt_map_used(k, i)) continue;
        snprintf(name, sizeof name, "at_%.92s", list[i].name);
        zl_op(k, ARGUMENT, name, list[i].name);
        zl_say(k, "one", "tma.prefetch_desc", 0, name);
    }
}

/* Whether halves of registers are moved: by threads of a plan, or into a stage. */
static bool has_halves(const zl_pipe_text *k)
{
    bool has = zl_pt_arguments_bound(k);
    for (uint32_t i = 0; i < k->placed_count; i++) has |= k->placed[i].halves;
    return has;
}

static void declare_all(zl_pipe_text *k)
{
    declare(k, k->c ? "uint32_t" : ".b32", words, ZL_COUNT(words));
    declare(k, k->c ? "uint64_t" : ".b64", longs, ZL_COUNT(longs));
    declare(k, k->c ? "uint16_t" : ".b16", halves, has_halves(k) ? ZL_COUNT(halves) : 1);
    declare(k, k->c ? "uint32_t" : ".pred", flags, ZL_COUNT(flags));
    for (uint32_t i = 0; i < k->pipe->params_count; i++)
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t trips_%s;" : ".reg .b32 trips_%s;", k->pipe->params[i].name);
    zl_pt_iterations_declare(k);
    zl_pt_counts_declare(k);
    declare_maps(k);
    declare_kept(k);
    zl_pt_tiles_declare(k);
    zl_pt_units_declare(k);
    zl_pt_sequences_declare(k);
    zl_pt_rows_declare(k);
}

/* ---- heads --------------------------------------------------------------------------- */

static const char *type_of(const zl_pipe_text *k, int32_t kind)
{
    if (kind == ZLAY_ARGUMENT_COUNT || kind == ZLAY_ARGUMENT_SCALAR) return k->c ? "uint32_t" : ".u32";
    return k->c ? "uint64_t" : ".u64";
}

static void put_arguments(zl_pipe_text *k)
{
    zlay_pipe_argument list[ARGUMENTS];
    uint32_t count = zl_pt_arguments(k, list, ARGUMENTS);
    const char *comma = "";
    for (uint32_t i = 0; i < count && i < ARGUMENTS; i++) {
        zl_putf(k->out, "%s\n    ", comma);
        comma = ",";
        if (list[i].kind != ZLAY_ARGUMENT_MAP)
            zl_putf(k->out, k->c ? "%s %s" : ".param %s %s", type_of(k, list[i].kind),
                    list[i].name);
        else if (k->c)
            zl_putf(k->out, "const __grid_constant__ %.*s_map %s", (int)k->ask->name_length,
                    k->ask->name, list[i].name);
        else zl_putf(k->out, ".param .align 128 .b8 %s[128]", list[i].name);
    }
}

static void head_ptx(zl_pipe_text *k)
{
    zl_putf(k->out, "// zlay %s: pipe %s\n.version %u.%u\n.target %s\n.address_size 64\n\n",
            zlay_version(), k->pipe->name, k->ptx / 10, k->ptx % 10,
            zlay_target_name(k->ask->target));
    zl_putf(k->out, ".extern .shared .align %d .b8 $smem[];\n\n.visible .entry %.*s(", ZL_PT_ALIGN,
            (int)k->ask->name_length, k->ask->name);
    put_arguments(k);
    zl_putf(k->out, ")\n    .maxntid %u, 1, 1\n", k->threads);
    if (k->pipe->registers) zl_putf(k->out, "    .maxnreg %u\n", k->pipe->registers);
    else zl_puts(k->out, "    .minnctapersm 1\n");
    if (zl_pt_blocks(k) > 1) zl_putf(k->out, "    .reqnctapercluster %u, 1, 1\n", zl_pt_blocks(k));
    zl_puts(k->out, "{\n");
}

static void head_c(zl_pipe_text *k)
{
    int length = (int)k->ask->name_length;
    const char *name = k->ask->name;
    zl_putf(k->out, "// zlay %s: pipe %s, %s\n#include <stdint.h>\n\n", zlay_version(),
            k->pipe->name, zlay_target_name(k->ask->target));
    zl_putf(k->out, "struct %.*s_map { alignas(64) unsigned char bytes[128]; };\n", length, name);
    zl_putf(k->out, "extern __shared__ __align__(%d) unsigned char %.*s_smem[];\n\n", ZL_PT_ALIGN,
            length, name);
    zl_pt_function_head(k);
    zl_puts(k->out, "extern \"C\" __global__ void ");
    if (k->pipe->registers) zl_putf(k->out, "__maxnreg__(%u) ", k->pipe->registers);
    else zl_putf(k->out, "__launch_bounds__(%u, 1) ", k->threads);
    if (zl_pt_blocks(k) > 1) zl_putf(k->out, "__cluster_dims__(%u, 1, 1) ", zl_pt_blocks(k));
    zl_putf(k->out, "%.*s(", length, name);
    put_arguments(k);
    zl_puts(k->out, ")\n{\n");
}

/* smem = the start of dynamic shared memory, as a shared address. */
static void put_smem(zl_pipe_text *k)
{
    if (k->c)
        zl_pt_line(k, "smem = (uint32_t)__cvta_generic_to_shared(%.*s_smem);",
                   (int)k->ask->name_length, k->ask->name);
    else zl_pt_line(k, "mov.u32 smem, $smem;");
    zl_pt_keep(k, "smem");
}

/* ctaid = the block's number along x, or as many from the last down. */
static void put_block(zl_pipe_text *k)
{
    zl_op(k, BLOCK, "ctaid", "");
    if (!k->ask->descending) return;
    zl_op(k, GRID, "w0");
    zl_op(k, SUB, "ctaid", "w0", "ctaid");
    zl_op(k, SUB, "ctaid", "ctaid", "1");
}

/* A trip count is a number of the request, the tiles of the block, or an argument. */
static void trip_count(zl_pipe_text *k, int32_t param)
{
    char trips[80], n[80], room[24];
    zl_pt_trips(trips, k->pipe->params[param].name);
    snprintf(n, sizeof n, "n_%.64s", k->pipe->params[param].name);
    if (zl_pt_fixed(k, param))
        zl_op(k, MOV, trips, zl_pt_number(room, (uint64_t)zl_pt_bounds_of(k, param).least));
    else if (zl_pt_tiles_counted(k, param)) zl_pt_tiles_count(k, trips);
    else if (k->pipe->params[param].of < 0) zl_op(k, LOAD32, trips, n);
}

/* Whether the target has clusters, and with them a rank of the block. */
static bool has_clusters(const zl_pipe_text *k)
{
    zlay_target_summary info = {0};
    zlay_target_info(&info, k->ask->target);
    return info.cluster_most > 0;
}

/* warp = the warp's number, by a shuffle from lane 0: so ptxas knows that it is one for the whole warp, and with it the branch to the
 * role and the instance, and keeps descriptors, slots and addresses in uniform registers. */
static void put_warp(zl_pipe_text *k)
{
    zl_op(k, SHR, "warp", "tid", "5");
    zl_say(k, NULL, "shfl.idx", 1, "warp", "warp", "0", "31", "-1");
}

/* Prints what every thread knows: its numbers in the block and the trip counts. */
static void begin(zl_pipe_text *k)
{
    zl_op(k, TID, "tid");
    put_warp(k);
    zl_op(k, AND, "lane", "tid", "31");
    put_block(k);
    zl_pt_units_leave(k);
    if (has_clusters(k)) zl_op(k, RANK, "rank");
    else zl_op(k, MOV, "rank", "0");
    zl_op(k, EQ, "leader", "lane", "0");
    zl_op(k, EQ, "one", "tid", "0");
    zl_op(k, MOV, "rtid", "tid");
    put_smem(k);
    for (uint32_t i = 0; i < k->pipe->params_count; i++) trip_count(k, (int32_t)i);
    if (!zl_pt_sequences_of(k)) zl_pt_counts(k);
    fetch_maps(k);
}

/* ---- roles ------------------------------------------------------------------------------- */

/* The registers of a loop at this depth, and how it runs. */
typedef struct loop_text {
    char counter[16], last[16], step[24], number[24];
    zl_pt_range range; /* of the counter, or of the number of a tile */
} loop_text;

static void loop_text_of(zl_pipe_text *k, loop_text *t, const zl_event *loop)
{
    snprintf(t->counter, sizeof t->counter, "count%u", k->loops);
    snprintf(t->last, sizeof t->last, "end%u", k->loops);
    zl_pt_number(t->step, loop->step > 0 ? (uint64_t)loop->step : 1);
    t->range = zl_pt_tiles_loop(k, loop)
                   ? zl_pt_turns_range(k, t->number)
                   : (zl_pt_range){t->counter, t->step, t->last, zl_pt_runs(k, loop), false};
}

/* Its counter runs in a register of the loop's depth, from its first position to its last. */
static void count_begin(zl_pipe_text *k, const loop_text *t, const zl_event *loop)
{
    zl_pos from = loop->at[0], to = loop->bar_at;
    if (zl_pt_relative(loop)) from.loop = from.times = to.loop = to.times = -1;
    zl_pt_pos(k, &to);
    zl_op(k, MOV, t->last, "pos");
    zl_pt_keep(k, t->last);
    zl_pt_pos(k, &from);
    zl_op(k, MOV, t->counter, "pos");
}

static void loop_begin(zl_pipe_text *k, const zl_event *loop)
{
    loop_text t;
    bool tiles = zl_pt_tiles_loop(k, loop);
    loop_text_of(k, &t, loop);
    if (tiles) zl_op(k, MOV, t.counter, "0");
    else count_begin(k, &t, loop);
    if (tiles) zl_pt_turns_first(k);
    k->loop[k->loops] = loop;
    zl_pt_rings_begin(k, loop);
    zl_pt_iterations_begin(k, loop);
    zl_pt_while(k, &t.range);
    if (tiles) zl_pt_turns_place(k);
    k->loops++;
    zl_pt_iteration_begin(k, loop);
}

static void loop_end(zl_pipe_text *k, const zl_event *loop)
{
    loop_text t;
    zl_pt_rings_turn(k, loop);
    zl_pt_iteration_end(k, loop);
    k->loops--;
    loop_text_of(k, &t, loop);
    if (zl_pt_tiles_loop(k, loop)) {
        zl_op(k, ADD, t.counter, t.counter, t.step);
        zl_pt_turns_next(k);
    }
    zl_pt_while_end(k, &t.range);
    zl_pt_rings_end(k, loop);
}

static zl_pt_events events;

/* A loop, from its first event to its last. */
static void loop_print(zl_pipe_text *k, const zl_event *loop)
{
    loop_begin(k, loop);
    zl_pt_loop_body(k, loop, events);
    loop_end(k, loop);
}

static void events(zl_pipe_text *k, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        const zl_event *event = &k->pipe->events[i];
        if (event->kind == ZL_EV_FOR) loop_print(k, event), i = (uint32_t)event->match;
        else if (zl_pt_is_idle(k, event)) continue;
        else if (zl_pt_joins(k, event)) zl_pt_expect_arrive(k, event), i++;
        else zl_pt_event(k, event);
    }
}

static void role_events(zl_pipe_text *k)
{
    zl_pt_units_begin(k);
    zl_pt_bases(k);
    zl_pt_own_bars(k);
    zl_pt_puts(k);
    zl_pt_loads(k);
    zl_pt_rows_begin(k);
    events(k, k->role->begin, k->role->end);
}

/* setmaxnreg is run by whole warpgroups, so it stands before one thread is elected; nothing
 * that waits may precede it. */
static void lone_registers(zl_pipe_text *k)
{
    const zl_role *role = k->role;
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *event = &k->pipe->events[i];
        k->event = event;
        if (event->kind != ZL_EV_SETMAXNREG) continue;
        for (uint32_t j = role->begin; j < i; j++)
            if (k->pipe->events[j].kind != ZL_EV_GRIDDEP &&
                k->pipe->events[j].kind != ZL_EV_SETMAXNREG)
                zl_pt_fail(k, "setmaxnreg of a role of one thread stands before all but griddep");
        char room[24];
        zl_say(k, NULL, event->scope == ZL_REGS_INC ? "setmaxnreg.inc" : "setmaxnreg.dec", 0,
               zl_pt_number(room, (uint64_t)event->count));
    }
}

/* Prints a role that one thread runs: the elected one of the first warp. */
static void role_elected(zl_pipe_text *k)
{
    lone_registers(k);
    zl_op(k, EQ, "one", "rwarp", "0");
    zl_pt_when(k, "one");
    zl_say(k, NULL, "elect", 2, "leading", "one", "-1");
    zl_pt_when(k, "one");
    role_events(k);
    zl_pt_when_end(k);
    zl_pt_when_end(k);
}

/* Prints a role behind a test of the warp's number, and of the block's rank where it names one. */
static void role(zl_pipe_text *k, const zl_role *role)
{
    char first[24], last[24], each[24], rank[24];
    k->role = role;
    k->rings = 0;
    zl_pt_line(k, "// role %s", role->name);
    zl_pt_number(first, role->first_warp);
    zl_op(k, LT, "more", "warp", zl_pt_number(last, role->last_warp + 1));
    if (role->first_warp) zl_op(k, BELOW, "more", first, "warp");
    if (role->cta >= 0 && zl_pt_blocks(k) > 1) zl_op(k, SAME, "more", "rank", zl_pt_number(rank, (uint64_t)role->cta));
    zl_pt_when(k, "more");
    if (!k->c) zl_pt_line(k, "{");
    if (!zl_pt_tiles_slice(k)) zl_pt_sums_declare(k);
    zl_op(k, SUB, "rwarp", "warp", first);
    zl_op(k, DIV, "instance", "rwarp", zl_pt_number(each, role->each));
    zl_op(k, REM, "rwarp", "rwarp", each);
    zl_op(k, MAD, "rtid", "rwarp", "32", "lane");
    zl_op(k, EQ, "one", "rtid", "0");
    if (role->elect) role_elected(k);
    else role_events(k);
    zl_op(k, RETURN, "");
    if (!k->c) zl_pt_line(k, "}");
    zl_pt_when_end(k);
    k->role = NULL;
}

void zl_pt_kernel_head(zl_pipe_text *k)
{
    k->indent = k->loops = 0;
    if (k->c) head_c(k);
    else head_ptx(k);
    declare_all(k);
}

void zl_pt_kernel_body(zl_pipe_text *k)
{
    k->labels = k->opened = k->indent = k->loops = 0;
    begin(k);
    for (uint32_t i = 0; i < k->pipe->setup; i++) zl_pt_event(k, &k->pipe->events[i]);
    for (uint32_t i = 0; i < k->pipe->roles_count; i++)
        if (zl_pt_units_printed(k, &k->pipe->roles[i])) role(k, &k->pipe->roles[i]);
    zl_op(k, RETURN, "");
    zl_puts(k->out, "}\n");
}
