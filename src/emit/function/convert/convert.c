/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_convert: the plan of a conversion between register layouts as a function, step by step:
 * moves inside lanes, shuffles, and trips through shared memory, of which each takes the registers of one
 * piece: they are stored, all threads wait, they are loaded, and before the next piece all wait again. */
#include "emit/function/aligned.h"
#include "emit/function/convert/say.h"
#include "emit/function/function.h"

#include <zlay/emit_function.h>

#include <string.h>

typedef struct convert_text {
    const zl_trip_text *trip;
    const zlay_convert *plan;
    int32_t language;
    const char *name;
    size_t length;
    zl_word word; /* the slots, without steps */
    zl_word_lines *lines;
} convert_text;

/* ---- what is printed ------------------------------------------------------------------------ */

static bool is_matrix(const zl_trip_step *step)
{
    return step->op == ZLAY_CONVERT_LDMATRIX || step->op == ZLAY_CONVERT_STMATRIX ||
           step->generator == ZLAY_STEP_MATRIX;
}

/* A shuffle takes each part of a word from one register, the same in every lane. */
static bool is_shuffle(const zl_trip_text *t, const zl_trip_step *step)
{
    unsigned inner = t->parts + t->words;
    uint64_t inside = ((uint64_t)1 << inner) - 1;
    for (unsigned k = inner; k < step->map.bits; k++)
        if (step->map.basis[k] & inside) return false;
    return true;
}

static zlay_status target_check(zlay_ctx *ctx, const zlay_convert *plan, int32_t language)
{
    zlay_convert_summary plan_info;
    zlay_target_summary info = {0};
    zlay_convert_info(&plan_info, plan);
    zlay_target_info(&info, plan_info.target);
    if ((language == ZLAY_TEXT_HIP) == !info.ptx) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP, "plan: it is one of %s, which this language does not serve",
                   zlay_target_name(plan_info.target));
}

/* HIP has no matrices that lanes share and no memory of other blocks. */
static bool has_text(const zl_trip_text *t, const zl_trip_step *step, int32_t language)
{
    bool shuffle = step->op == ZLAY_CONVERT_SHFL && step->generator < 0 && !t->points;
    bool far = step->op == ZLAY_CONVERT_DSMEM || step->meeting == ZL_MEETS_CLUSTER;
    if (language == ZLAY_TEXT_HIP && (is_matrix(step) || far)) return false;
    return !shuffle || is_shuffle(t, step);
}

static zlay_status trip_check(zlay_ctx *ctx, const zl_trip_text *t, int32_t language)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (!has_text(t, &t->step[i], language))
            return zl_fail(ctx, ZLAY_ENOTSUP, "plan: step %u is no instruction of this language",
                           (unsigned)i);
    return ZLAY_OK;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* A store, a barrier and a load, piece by piece. */
static void pieces_say(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *store)
{
    const zl_trip_step *sync = store + 1, *load = store + 2;
    for (uint32_t i = 0; i < t->pieces; i++) {
        zl_trip_say_store(s, t, store, i);
        zl_trip_say_sync(s, sync);
        zl_trip_say_load(s, t, load, i);
        if (i + 1 < t->pieces) zl_trip_say_sync(s, sync);
    }
    for (uint32_t r = 1u << load->words; r < 1u << t->words; r++) s->next[r] = s->next[0];
    memcpy(s->held, s->next, sizeof s->held);
}

/* Steps of layouts that are linear over F2. */
static bool is_store(const zl_trip_step *step)
{
    return step->op == ZLAY_CONVERT_STORE || step->op == ZLAY_CONVERT_STMATRIX;
}

static void move_say(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step)
{
    if (step->op == ZLAY_CONVERT_NOP) return;
    if (step->op == ZLAY_CONVERT_SHFL && step->generator < 0) zl_trip_say_shuffle(s, t, step);
    else if (step->generator < 0) zl_trip_say_lane(s, t, step);
    else zl_say_back(s, (zl_step_id)step->generator, &step->map);
}

/* The word behind, without what elements do not fill. */
static uint32_t result_say(zl_speaker *s, const zl_trip_text *t, uint32_t r)
{
    uint32_t out = s->held[r];
    if (t->rest && r + 1 == t->to) zl_word_say(s, ZL_SAY_MASK, "zzx", out = zl_say_value(s), s->held[r], t->rest);
    return out;
}

static void body(zl_speaker *s, const convert_text *c)
{
    const zl_trip_text *t = c->trip;
    for (uint32_t r = 0; r < t->from; r++) {
        s->held[r] = zl_say_value(s);
        zl_word_say(s, ZL_SAY_TAKE, "zuus", s->held[r], r * ZL_WORD_BYTES, r, "from");
    }
    for (uint32_t r = t->from; r < ZL_REGISTERS; r++) s->held[r] = s->held[0];
    if (t->points) zl_points_say(s, t);
    for (uint32_t i = 0; i < t->count && !t->points; i++)
        if (is_store(&t->step[i])) pieces_say(s, t, &t->step[i]), i += 2;
        else move_say(s, t, &t->step[i]);
    for (uint32_t r = 0; r < t->to; r++)
        zl_word_say(s, ZL_SAY_GIVE, "zuus", result_say(s, t, r), r * ZL_WORD_BYTES, r, "to");
}

static zl_speaker speaker(zl_text *out, const convert_text *c)
{
    const zl_trip_text *t = c->trip;
    return (zl_speaker){.out = out, .lines = c->lines, .language = c->language, .word = &c->word, .bytes = t->parts,
                        .regs = t->words, .inner = t->parts + t->words};
}

/* ---- the function --------------------------------------------------------------------------- */

static bool is_access(int32_t op) { return op == ZLAY_CONVERT_STORE || op == ZLAY_CONVERT_LOAD; }

/* HIP has no vector types without its headers. */
static void types_put(zl_text *out, const zl_trip_text *t)
{
    for (uint32_t n = 2; n <= 4; n += 2) {
        bool used = false;
        for (uint32_t i = 0; i < t->count; i++)
            used = used || (is_access(t->step[i].op) && t->step[i].width == n * 4);
        if (used)
            zl_putf(out, "    typedef unsigned words%u __attribute__((ext_vector_type(%u)));\n",
                    (unsigned)n, (unsigned)n);
    }
}

static void head_c(zl_text *out, const convert_text *c)
{
    zl_puts(out, "static __device__ __forceinline__ __attribute__((unused)) void ");
    zl_put(out, c->name, c->length);
    zl_putf(out, "(unsigned (&to)[%u], const unsigned (&from)[%u], unsigned thread%s)\n{\n",
            (unsigned)c->trip->to, (unsigned)c->trip->from, c->trip->smem ? ", void *shared" : "");
    if (c->language == ZLAY_TEXT_HIP) types_put(out, c->trip);
    zl_puts(out, "    (void)thread;\n");
}

static void head_ptx(zl_text *out, const convert_text *c)
{
    zl_text nowhere = {NULL, 0, 0};
    zl_speaker s = speaker(&nowhere, c);
    body(&s, c);
    zl_putf(out, ".func (.param .align 16 .b8 result[%u]) ", (unsigned)ZL_WORD_BYTES * c->trip->to);
    zl_put(out, c->name, c->length);
    zl_putf(out, "(.param .align 16 .b8 source[%u], .param .b32 thread%s)\n{\n",
            (unsigned)ZL_WORD_BYTES * c->trip->from, c->trip->smem ? ", .param .b32 shared" : "");
    zl_putf(out, "    .reg .b32 %%z<%u>, %%lin, %%shared;\n    .reg .pred %%q<%u>;\n",
            (unsigned)s.values + 1, (unsigned)s.predicates + 1);
    zl_puts(out, "    ld.param.b32 %lin, [thread];\n");
    if (c->trip->smem) zl_puts(out, "    ld.param.b32 %shared, [shared];\n");
}

/* The threads that call the function together. */
static const char *callers(const zl_trip_text *t)
{
    zl_trip_meeting most = ZL_MEETS_WARP;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->step[i].meeting > most) most = t->step[i].meeting;
    return most == ZL_MEETS_CLUSTER ? "cluster" : most == ZL_MEETS_BLOCK ? "block" : "warp";
}

static void comment(zl_text *out, const convert_text *c)
{
    const zl_trip_text *t = c->trip;
    const zlay_layout *from = NULL, *to = NULL;
    zlay_convert_summary info;
    zlay_convert_info(&info, c->plan);
    zlay_convert_certificate(&from, &to, c->plan);
    zl_putf(out, "/* zlay %s: a conversion on %s, elements of %u bits, %u threads, in %u steps. "
            "Registers\n   then hold\n   ", zlay_version(), zlay_target_name(info.target),
            (unsigned)info.elem_bits, (unsigned)((t->warps_all * t->blocks_all) << t->lanes), (unsigned)t->count);
    if (to) to->table->print(out, to);
    if (t->smem)
        zl_putf(out, "\n   %llu bytes of shared memory, at a multiple of 16; all threads of the %s call it.",
                (unsigned long long)t->smem, callers(t));
    zl_puts(out, " */\n");
}

static void convert_write(zl_text *out, const void *value)
{
    const convert_text *c = value;
    bool ptx = c->language == ZLAY_TEXT_PTX;
    comment(out, c);
    (ptx ? head_ptx : head_c)(out, c);
    zl_speaker s = speaker(out, c);
    body(&s, c);
    zl_puts(out, ptx ? "    ret;\n}\n" : "}\n");
    zl_aligned_put(out, c->language, c->name, c->length, &(zl_aligned_pointer){"shared", true, 16},
                   c->trip->smem > 0);
}

/* What stands between head and end. */
static void body_write(zl_text *out, const void *value)
{
    const convert_text *c = value;
    zl_speaker s = speaker(out, c);
    body(&s, c);
}

zlay_status zlay_emit_convert(zlay_ctx *ctx, zlay_buf *out, const zlay_convert *plan,
                              int32_t language, const char *name, size_t length)
{
    if (!out || !plan || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zl_trip_text *trip = zl_scratch(ctx, 1, sizeof *trip);
    if (!trip) return zl_leave(ctx, ZLAY_ENOMEM);
    status = zl_function_check(ctx, language, name, length);
    if (!status) status = target_check(ctx, plan, language);
    if (!status) status = zl_trip_text_of(ctx, trip, plan);
    if (!status) status = trip_check(ctx, trip, language);
    zl_word_lines lines = {0};
    convert_text text = {trip, plan, language, name, length, {.count = 0}, &lines};
    text.word.slots = (zl_slots){trip->parts, trip->words, trip->lanes, trip->warps, trip->blocks};
    if (!status) status = zl_word_lines_find(ctx, &lines, body_write, &text);
    return zl_leave(ctx, status ? status : zl_print(out, convert_write, &text));
}
