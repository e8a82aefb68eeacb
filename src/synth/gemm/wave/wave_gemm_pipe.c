/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a plan of waves as text and has it parsed and proved. Tiles of K are loaded
 * some stages ahead; fragments are read from shared memory one step ahead of the products that
 * need them; waves meet once a tile; and each wait counter is set to what the next step alone
 * needs. The emitter prints this pipe and nothing else. */
#include "pipe/order/verify.h"
#include "synth/gemm/plan.h"

#include <string.h>

enum { QUEUE = 4, TEXT = 32 };

/* How a tile of K is named: from the loop's counter, from the end N, or, without a loop, by its
 * number. */
typedef enum base { COUNTER, END, NUMBER } base;

typedef struct writer {
    zl_text *out;
    zl_wave_sets *sets; /* the sets that the text has named so far, in order */
    const zlay_plan *plan;
    const zlay_wave_gemm *w;
    uint64_t tiles, ahead;
    bool met;
    uint32_t loads, issued; /* loads of a tile; loads issued so far */
    uint32_t last[QUEUE];   /* direct loads: the number of a tile's last load, by its stage */
    uint32_t load_last[64]; /* loads to registers: the number of each load's last issue */
} writer;

/* Prints a stage: "S[(i+1) % 2]", "S[(N-1) % 2]" or "S[3]". */
static void put_stage(writer *x, base from, int64_t add)
{
    uint32_t stages = x->plan->info.stages;
    static const char *const names[] = {"i", "N"};
    if (from == NUMBER)
        zl_putf(x->out, "S[%lld]", (long long)(add % stages));
    else if (add)
        zl_putf(x->out, "S[(%s%+lld) %% %u]", names[from], (long long)add, stages);
    else
        zl_putf(x->out, "S[%s %% %u]", names[from], stages);
}

/* Names a set of registers. The parser numbers accumulators by their first mention, as this
 * does. */
static void put_set(writer *x, int32_t operand, uint32_t number)
{
    static const char letters[] = {[ZLAY_OPERAND_A] = 'A',
                                   [ZLAY_OPERAND_B] = 'B',
                                   [ZLAY_OPERAND_D] = 'C',
                                   [ZL_WAVE_LOADED] = 'G',
                                   [ZL_WAVE_RESULT] = 'R',
                                   [ZL_WAVE_TOTAL] = 'T',
                                   [ZL_WAVE_PLACE_A] = 'P',
                                   [ZL_WAVE_PLACE_B] = 'Q'};
    zl_wave_sets *sets = x->sets;
    uint32_t i = 0;
    while (i < sets->count && (sets->at[i].operand != operand || sets->at[i].number != number)) i++;
    if (i == sets->count && i < ZL_WAVE_SETS)
        sets->at[sets->count++] = (zl_wave_set){operand, number};
    zl_put(x->out, &letters[operand], 1);
    if (operand < ZLAY_OPERAND_D || operand == ZL_WAVE_LOADED) zl_putf(x->out, "%u", number);
}

static uint32_t load_bytes(const writer *x) { return x->plan->info.stage_bytes / x->loads; }

/* ---- loads ---------------------------------------------------------------------------- */

static void load(writer *x, uint32_t i)
{
    zl_putf(x->out, "load %u -> ", load_bytes(x));
    put_set(x, ZL_WAVE_LOADED, i);
    zl_puts(x->out, "\n");
    x->load_last[i] = ++x->issued;
}

/* The last load of a tile.  The loop is counted as one iteration, because every iteration begins
 * with the same loads in flight. */
static uint32_t *tile_last(writer *x, base from, int64_t tile)
{
    return &x->last[(from == END ? (int64_t)x->tiles + tile : tile) % QUEUE];
}

/* Loads an operand straight to shared memory; the two operands are the parts of a stage. */
static void load_part(writer *x, uint32_t operand, base from, int64_t tile)
{
    uint32_t loads = operand == ZLAY_OPERAND_A ? x->w->loads_a : x->w->loads_b;
    zl_putf(x->out, "load %u -> ", loads * load_bytes(x));
    put_stage(x, from, tile);
    zl_putf(x->out, " part %u times %u\n", operand, loads);
    x->issued += loads;
    *tile_last(x, from, tile) = x->issued;
}

static void load_parts(writer *x, base from, int64_t tile)
{
    for (uint32_t operand = 0; operand < 2; operand++) load_part(x, operand, from, tile);
}

static void load_tile(writer *x, int64_t tile)
{
    if (x->w->direct) load_parts(x, NUMBER, tile);
    for (uint32_t i = 0; !x->w->direct && i < x->loads; i++) load(x, i);
}

/* Waits for one load to registers, and puts its values into shared memory. */
static void put(writer *x, uint32_t i, base from, int64_t tile)
{
    zl_putf(x->out, "waitcount memory %u\nput ", x->issued - x->load_last[i]);
    put_set(x, ZL_WAVE_LOADED, i);
    zl_puts(x->out, " -> ");
    put_stage(x, from, tile);
    zl_putf(x->out, " %u part %u\n", load_bytes(x), i);
}

/* Puts all loads of a tile, and issues the loads of the next one: registers are free for a load as
 * soon as their values are put. */
static void put_tile(writer *x, base from, int64_t tile, bool more)
{
    for (uint32_t i = 0; i < x->loads; i++) {
        put(x, i, from, tile);
        if (more) load(x, i);
    }
}

/* ---- a tile of K ------------------------------------------------------------------------ */

static void fetch(writer *x, uint32_t read, base from, int64_t tile)
{
    const uint32_t blocks[] = {x->w->blocks_m, x->w->blocks_n};
    for (int operand = 0; operand < 2; operand++) {
        zl_puts(x->out, "fetch ");
        put_stage(x, from, tile);
        zl_puts(x->out, " -> ");
        put_set(x, operand, read % 2);
        zl_putf(x->out, " times %u\n", blocks[operand]);
    }
}

/* The products of one read, into the sums. */
static void multiply(writer *x, uint32_t read)
{
    zl_puts(x->out, "mma ");
    put_set(x, ZLAY_OPERAND_A, read % 2);
    zl_puts(x->out, ", ");
    put_set(x, ZLAY_OPERAND_B, read % 2);
    zl_puts(x->out, " -> ");
    put_set(x, ZLAY_OPERAND_D, 0);
    zl_puts(x->out, zl_gemm_scaled(x->plan) && !read ? " fresh\n" : "\n");
}

/* Begins the sums with scales of all steps, or adds those of a step. */
static void scale(writer *x, bool begins)
{
    zl_puts(x->out, "use ");
    put_set(x, ZL_WAVE_TOTAL, 0);
    if (!begins) {
        zl_puts(x->out, ", ");
        put_set(x, ZLAY_OPERAND_D, 0);
    }
    for (int o = 0; o < 2; o++) {
        if (!zl_gemm_promoted(x->plan->scales[o])) continue;
        zl_puts(x->out, ", ");
        put_set(x, ZL_WAVE_PLACE_A + o, 0);
    }
    const char *group = x->plan->info.groups ? ", tile.group" : "";
    if (begins) zl_putf(x->out, " body scales_begin at tile.row, tile.column%s\n", group);
    else zl_puts(x->out, " body scales_add\n");
}

/* The meeting of all waves, after each has fetched the present stage and its part of the next stage
 * is complete. */
static void meet(writer *x, base from, int64_t tile)
{
    if (x->w->direct)
        zl_putf(x->out, "waitcount memory %u\n", x->issued - *tile_last(x, from, tile));
    if (!x->w->direct || x->met) zl_puts(x->out, "waitcount shared 0\n");
    zl_puts(x->out, "sync cta\n");
    x->met = true;
}

typedef struct left {
    bool load, next; /* there is a tile `ahead` tiles later; there is a next tile */
} left;

/* The events of one tile: reads one step ahead of the products, and loads `ahead` tiles ahead. */
static void tile(writer *x, base from, int64_t at, left more)
{
    uint32_t reads = x->w->reads;
    for (uint32_t read = 0; read < reads; read++) {
        bool last = read + 1 == reads;
        if (last && more.next)
            meet(x, from, at + 1);
        else
            zl_puts(x->out, "waitcount shared 0\n");
        if (!last)
            fetch(x, read + 1, from, at);
        else if (more.next)
            fetch(x, 0, from, at + 1);
        if (x->w->direct && !read && more.load) load_parts(x, from, at + (int64_t)x->ahead);
        if (!x->w->direct && read + 2 == reads && more.next) put_tile(x, from, at + 1, more.load);
        multiply(x, read);
    }
    if (zl_gemm_scaled(x->plan)) scale(x, false);
}

/* ---- all of K ---------------------------------------------------------------------------- */

static void begin(writer *x)
{
    uint64_t most = x->w->direct ? x->ahead : 1;
    for (uint64_t i = 0; i < x->tiles && i < most; i++) load_tile(x, (int64_t)i);
    if (zl_gemm_scaled(x->plan)) {
        scale(x, true);
    } else {
        zl_puts(x->out, "use ");
        put_set(x, ZLAY_OPERAND_D, 0);
        zl_puts(x->out, "\n");
    }
    if (!x->w->direct) put_tile(x, NUMBER, 0, x->tiles > 1);
    meet(x, NUMBER, 0);
    fetch(x, 0, NUMBER, 0);
}

static void loop(writer *x)
{
    zl_putf(x->out, "for i in 0..N-%llu\n", (unsigned long long)x->ahead);
    tile(x, COUNTER, 0, (left){true, true});
    zl_puts(x->out, "end\n");
}

static void declare(writer *x, bool loops)
{
    const zlay_plan_summary *info = &x->plan->info;
    zl_puts(x->out, "pipe gemm\n");
    if (loops) zl_putf(x->out, "param N %llu..\n", (unsigned long long)x->ahead + 1);
    zl_putf(x->out, "smem S[%u] %u\nglobal D[1]\n", info->stages, info->stage_bytes);
    zl_wave_scales_bodies(x->out, x->plan);
    zl_body_put(x->out, zl_wave_body(x->plan));
    zl_putf(x->out, "role waves warps 0..%u\n", x->w->waves_m * x->w->waves_n - 1);
}

/* The last tiles, after which no further tile is loaded. */
static void ends(writer *x, bool loops)
{
    uint64_t rest = x->tiles < x->ahead ? x->tiles : x->ahead;
    for (uint64_t i = rest; i-- > 0;)
        tile(x, loops ? END : NUMBER, loops ? -(int64_t)i - 1 : (int64_t)(x->tiles - 1 - i),
             (left){false, i > 0});
}

static uint32_t count_of(const zlay_body *body, int32_t sort)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < body->operands_count; i++) count += body->operands[i].sort == sort;
    return count;
}

/* The body makes elements of D of the sums, in place or in other registers, and they are stored. */
static void leave(writer *x)
{
    const zlay_body *body = zl_wave_body(x->plan);
    int32_t sums = zl_gemm_scaled(x->plan) ? ZL_WAVE_TOTAL : ZLAY_OPERAND_D;
    int32_t result = count_of(body, ZLAY_BODY_MATRIX) > 1 ? ZL_WAVE_RESULT : sums;
    zl_puts(x->out, "use ");
    put_set(x, sums, 0);
    if (result != sums) {
        zl_puts(x->out, ", ");
        put_set(x, result, 0);
    }
    uint32_t indices = count_of(body, ZLAY_BODY_INDEX);
    zl_putf(x->out, " body %s%s%s\nsend ", body->name, indices ? " at tile.row, tile.column" : "",
            indices > 2 ? ", tile.group" : "");
    put_set(x, result, 0);
    zl_putf(x->out, " -> D[0] times %u\nend\n", x->w->stores);
}

/* Prints the pipe; value: a writer that has no text yet. */
static void pipe_write(zl_text *out, const void *value)
{
    writer x = *(const writer *)value;
    const zlay_plan *plan = x.plan;
    x.out = out;
    x.sets->count = 0;
    bool loops = plan->info.tiles_k > x.w->ahead;
    x.ahead = x.w->ahead;
    x.tiles = loops ? x.ahead + 1 : plan->info.tiles_k;
    x.loads = zl_wave_loads(x.w);
    declare(&x, loops);
    begin(&x);
    if (loops) loop(&x);
    ends(&x, loops);
    leave(&x);
}

zlay_status zl_wave_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan)
{
    const writer x = {.sets = &plan->wave.sets, .plan = plan, .w = &plan->wave.shape};
    return zl_pipe_proved(ctx, &plan->pipe, pipe_write, &x);
}
