/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the data movement of a plan as a CUDA C header: a function for every instruction form
 * that the kernel uses, and on top of them the plan's copies, descriptors and matrix
 * instruction. */
#include "emit/ptx/header.h"
#include "pipe/language/pipe.h"

#include <string.h>

/* Prints a prefix, the header's name and `_what`. */
static void put_name(zl_emit *e, const char *prefix, const char *what)
{
    zl_puts(e->out, prefix);
    zl_put(e->out, e->name, e->name_length);
    zl_putf(e->out, "_%s", what);
}

static const char *type_of(char operand) { return operand == 'd' ? "uint64_t" : "uint32_t"; }

/* Prints the parameters of a form's function; constants are template parameters instead. */
static void put_arguments(zl_emit *e, const zl_phrase *form)
{
    const char *comma = "";
    for (size_t i = 0; form->operands[i]; i++) {
        if (strchr("np", form->operands[i])) continue;
        zl_putf(e->out, "%s%s a%zu", comma, type_of(form->operands[i]), i);
        comma = ", ";
    }
}

static void put_constraints(zl_emit *e, const zl_phrase *form)
{
    const char *comma = "";
    zl_puts(e->out, " :: ");
    for (size_t i = 0; form->operands[i]; i++) {
        char c = form->operands[i];
        zl_putf(e->out, "%s\"%c\"(a%zu)", comma, c == 'd' ? 'l' : c, i);
        comma = ", ";
    }
    zl_puts(e->out, " : \"memory\");\n}\n");
}

/* The one form with a result: whether the phase of that parity is over. */
static void put_try_wait(zl_emit *e, const zl_phrase *form)
{
    zl_puts(e->out, "[[maybe_unused]] static __device__ __forceinline__ bool ");
    put_name(e, "zl_", form->name);
    zl_puts(e->out, "(uint32_t bar, uint32_t parity)\n{\n    uint32_t done;\n    asm volatile(\"{ "
                    ".reg .pred %p; ");
    for (const char *c = form->text; *c; c++) {
        if (*c != '%') zl_put(e->out, c, 1);
        else zl_puts(e->out, *++c == '0' ? "%p" : *c == '1' ? "%1" : "%2");
    }
    zl_puts(
        e->out,
        " selp.u32 %0, 1, 0, %p; }\" : \"=r\"(done) : \"r\"(bar), \"r\"(parity) : \"memory\");\n"
        "    return done != 0;\n}\n");
}

/* Prints a form as an inline function around its asm. */
static void put_form(zl_emit *e, zl_form_id id)
{
    const zl_phrase *form = zl_phrase_get(e, id);
    if (id == ZL_FORM_MBAR_TRY_WAIT) {
        put_try_wait(e, form);
        return;
    }
    if (strchr(form->operands, 'n'))
        zl_putf(e->out, "template <int a%zu> ", strcspn(form->operands, "n"));
    zl_puts(e->out, "[[maybe_unused]] static __device__ __forceinline__ void ");
    put_name(e, "zl_", form->name);
    zl_puts(e->out, "(");
    put_arguments(e, form);
    zl_puts(e->out, ")\n{\n    asm volatile(\"");
    zl_puts(e->out, form->text);
    zl_puts(e->out, "\"");
    put_constraints(e, form);
}

/* Prints the function that waits until a phase is over. */
static void put_wait(zl_emit *e)
{
    zl_puts(e->out, "[[maybe_unused]] static __device__ __forceinline__ void ");
    put_name(e, "zl_", "wait(uint32_t bar, uint32_t parity)\n{\n    while (!");
    put_name(e, "zl_", "mbar_try_wait(bar, parity)) {}\n}\n");
}

static void put_constant(zl_emit *e, const char *name, uint64_t value)
{
    zl_puts(e->out, "[[maybe_unused]] static constexpr uint32_t ");
    put_name(e, "zl_", name);
    zl_putf(e->out, " = %llu;\n", (unsigned long long)value);
}

static void put_constants(zl_emit *e)
{
    const zlay_plan_summary *i = &e->plan->info;
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        {"tile_m", i->tile_m},         {"tile_n", i->tile_n},
        {"tile_k", i->tile_k},         {"tiles_m", i->tiles_m},
        {"tiles_n", i->tiles_n},       {"tiles_k", i->tiles_k},
        {"stages", i->stages},         {"threads", i->threads},
        {"consumers", i->consumers},   {"smem", i->smem},
        {"smem_a", i->smem_a},         {"pitch_a", i->pitch_a},
        {"smem_b", i->smem_b},         {"pitch_b", i->pitch_b},
        {"smem_d", i->smem_d},         {"pitch_d", i->pitch_d},
        {"smem_bar", i->smem_bar},     {"expect_bytes", i->expect_bytes},
        {"full_count", i->full_count}, {"empty_count", i->empty_count},
        {"k_steps", i->k_steps},       {"passes", i->passes},
        {"pass_n", i->pass_n},
    };
    for (size_t r = 0; r < ZL_COUNT(rows); r++) put_constant(e, rows[r].name, rows[r].value);
}

/* Prints a coordinate of a copy: a constant plus multiples of the tile indices. */
static void put_place(zl_emit *e, const zlay_copy *copy, int dim)
{
    static const char *const tile[3] = {"tm", "tn", "kt"};
    zl_putf(e->out, "%d", copy->coordinate[dim]);
    for (int axis = 0; axis < 3; axis++)
        if (copy->advance[dim][axis])
            zl_putf(e->out, " + %s * %d", tile[axis], copy->advance[dim][axis]);
}

static void put_tensor_load(zl_emit *e, int32_t operand)
{
    const zl_operand *o = &e->plan->operand[operand];
    zl_puts(e->out, "/* One thread: the boxes of a stage, to its shared address, signalling its "
                    "full barrier. */\n"
                    "[[maybe_unused]] static __device__ __forceinline__ void ");
    put_name(e, "zl_", operand == ZLAY_OPERAND_A ? "load_a" : "load_b");
    zl_puts(e->out, "(const void *map, uint32_t stage, uint32_t bar, int tm, int tn, int kt)\n{\n"
                    "    (void)tm, (void)tn, (void)kt;\n");
    for (uint32_t i = 0; i < o->copies_count; i++) {
        zl_puts(e->out, "    ");
        put_name(e, "zl_", "tensor_load");
        zl_putf(e->out, "(stage + %u, (uint64_t)map, (uint32_t)(", o->copies[i].smem);
        put_place(e, &o->copies[i], 0);
        zl_puts(e->out, "), (uint32_t)(");
        put_place(e, &o->copies[i], 1);
        zl_puts(e->out, "), bar);\n");
    }
    zl_puts(e->out, "}\n");
}

static void put_tensor_store(zl_emit *e)
{
    const zl_operand *o = &e->plan->operand[ZLAY_OPERAND_D];
    zl_puts(e->out, "/* One thread: a pass of a consumer's staging to its rows of D. */\n"
                    "[[maybe_unused]] static __device__ __forceinline__ void ");
    put_name(e, "zl_",
             "store_d(const void *map, uint32_t staging, uint32_t consumer, uint32_t pass, int tm, "
             "int tn)\n{\n");
    for (uint32_t i = 0; i < o->copies_count; i++) {
        zl_puts(e->out, "    ");
        put_name(e, "zl_", "tensor_store");
        zl_puts(e->out, "((uint64_t)map, (uint32_t)(");
        put_place(e, &o->copies[i], 0);
        zl_putf(e->out, ") + min(pass * %u, %uu), (uint32_t)(", e->plan->info.pass_n,
                e->plan->info.tile_n - e->plan->info.pass_n);
        put_place(e, &o->copies[i], 1);
        zl_putf(e->out, ") + consumer * %u, staging + %u);\n", e->plan->info.mma.m,
                o->copies[i].smem);
    }
    zl_puts(e->out, "}\n");
}

/* Prints the loop by which 128 threads move one box: swizzled shared address, zero filled past the
 * matrix. */
static void put_thread_body(zl_emit *e, const zl_operand *o, uint32_t i)
{
    const zlay_copy *copy = &o->copies[i];
    uint32_t mask = (1u << o->map.swizzle) - 1;
    zl_putf(e->out, "    for (uint32_t at = thread * %u; at < %u; at += 128 * %u) {\n", o->width,
            copy->bytes, o->width);
    zl_puts(e->out, "        long long x = ");
    put_place(e, copy, 0);
    zl_putf(e->out, " + (int)(at %% %u / %u), y = ", o->span, o->element);
    put_place(e, copy, 1);
    zl_putf(e->out,
            " + (int)(at / %u);\n        uint32_t to = stage + %u + (at ^ (at >> 7 & %u) << 4);\n",
            o->span, copy->smem, mask);
    zl_putf(e->out, "        long long left = y < %lldLL ? (%lldLL - x) * %u : 0;\n",
            (long long)o->map.extent[1], (long long)o->map.extent[0], o->element);
    zl_putf(
        e->out,
        "        const char *from = (const char *)base + (left > 0 ? y * %lldLL + x * %u : 0);\n",
        (long long)o->map.stride[0], o->element);
    if (o->kind == ZLAY_COPY_CP_ASYNC) {
        zl_puts(e->out, "        ");
        put_name(e, "zl_",
                 o->width == 16  ? "cp_async_16"
                 : o->width == 8 ? "cp_async_8"
                                 : "cp_async_4");
        zl_putf(e->out, "(to, (uint64_t)from, (uint32_t)(left < 0 ? 0 : left < %u ? left : %u));\n",
                o->width, o->width);
    } else {
        zl_putf(e->out,
                "        uint16_t value = left > 0 ? *(const uint%u_t *)from : 0;\n"
                "        asm volatile(\"st.shared.b%u [%%0], %%1;\" :: \"r\"(to), "
                "\"h\"(value) : \"memory\");\n",
                8 * o->element, 8 * o->element);
    }
    zl_puts(e->out, "    }\n");
}

static void put_thread_load(zl_emit *e, int32_t operand)
{
    const zl_operand *o = &e->plan->operand[operand];
    zl_puts(e->out, "/* 128 threads, numbered by `thread`: the boxes of a stage, zero-filled; then "
                    "commit, wait, fence_proxy, arrive. */\n"
                    "[[maybe_unused]] static __device__ __forceinline__ void ");
    put_name(e, "zl_", operand == ZLAY_OPERAND_A ? "load_a" : "load_b");
    zl_puts(e->out,
            "(const void *base, uint32_t stage, uint32_t thread, int tm, int tn, int kt)\n{\n"
            "    (void)tm, (void)tn, (void)kt;\n");
    for (uint32_t i = 0; i < o->copies_count; i++) put_thread_body(e, o, i);
    zl_puts(e->out, "}\n");
}

static void put_desc(zl_emit *e, int32_t operand)
{
    uint64_t bits = 0;
    zlay_smemdesc_pack(&bits, e->plan->info.target, &e->plan->desc[operand]);
    zl_puts(e->out, "/* The matrix descriptor of a K step, from the shared address of the operand "
                    "in its stage. */\n"
                    "[[maybe_unused]] static __device__ __forceinline__ uint64_t ");
    put_name(e, "zl_", operand == ZLAY_OPERAND_A ? "desc_a" : "desc_b");
    zl_puts(e->out, operand == ZLAY_OPERAND_A
                        ? "(uint32_t stage, uint32_t step, uint32_t consumer)\n{\n"
                        : "(uint32_t stage, uint32_t step)\n{\n");
    zl_putf(e->out, "    return 0x%016llxull + ((stage + step * %u", (unsigned long long)bits,
            e->plan->step_start[operand]);
    if (operand == ZLAY_OPERAND_A) zl_putf(e->out, " + consumer * %u", e->plan->consumer_start);
    zl_puts(e->out, ") >> 4);\n}\n");
}

/* The opcode of a wgmma with its shape and types. */
static void put_wgmma_name(zl_text *out, const zlay_mma *mma)
{
    zl_putf(out, "wgmma.mma_async.sync.aligned.m%un%uk%u.%s.%s.%s", mma->m, mma->n, mma->k,
            zlay_type_name(mma->d), zlay_type_name(mma->a), zlay_type_name(mma->b));
}

/* What follows its scale of D: signs of A and B, which integers have not, then which of them are transposed, which 16 bits
 * alone have. */
static void put_wgmma_end(zl_text *out, const zlay_mma *mma)
{
    bool transposes = zlay_type_bits(mma->a) == 16;
    if (!zl_gemm_integer(mma->a)) zl_puts(out, ", 1, 1");
    if (transposes) zl_putf(out, ", %d, %d", mma->a_major, mma->b_major);
}

static void put_mma(zl_emit *e)
{
    const zlay_mma *mma = &e->plan->info.mma;
    uint32_t count = mma->n / 2;
    bool whole = mma->d == ZLAY_TYPE_S32;
    zl_puts(e->out, "[[maybe_unused]] static __device__ __forceinline__ void ");
    put_name(e, "zl_", "mma");
    zl_putf(e->out, "(%s (&d)[%u], uint64_t a, uint64_t b, int accumulate)\n{\n",
            whole ? "int32_t" : "float", count);
    zl_putf(e->out,
            "    asm volatile(\"{ .reg .pred %%%%p; setp.ne.b32 %%%%p, %%%u, 0; \"\n        \"",
            count + 2);
    put_wgmma_name(e->out, mma);
    zl_puts(e->out, " {\"\n        \"");
    for (uint32_t i = 0; i < count; i++) zl_putf(e->out, i ? ", %%%u" : "%%%u", i);
    zl_putf(e->out, "}, %%%u, %%%u, %%%%p", count, count + 1);
    put_wgmma_end(e->out, mma);
    zl_puts(e->out, "; }\"\n        : ");
    for (uint32_t i = 0; i < count; i++)
        zl_putf(e->out, "%s\"+%c\"(d[%u])", i ? ", " : "", whole ? 'r' : 'f', i);
    zl_puts(e->out, "\n        : \"l\"(a), \"l\"(b), \"r\"(accumulate) : \"memory\");\n}\n");
}

/* ---- forms --------------------------------------------------------------------------------- */

enum { ANY = -1 };

/* The form of an event. */
static const struct {
    zl_event_kind kind;
    int32_t scope;
    zl_form_id form;
} rows[] = {
    {ZL_EV_INIT,       ANY,                ZL_FORM_MBAR_INIT},
    {ZL_EV_ARRIVE,     ANY,                ZL_FORM_MBAR_ARRIVE},
    {ZL_EV_WAIT,       ANY,                ZL_FORM_MBAR_TRY_WAIT},
    {ZL_EV_COPY,       ANY,                ZL_FORM_TENSOR_LOAD_2D},
    {ZL_EV_STORE,      ANY,                ZL_FORM_TENSOR_STORE_2D},
    {ZL_EV_SYNC,       ANY,                ZL_FORM_BAR_SYNC},
    {ZL_EV_COMMIT,     ZL_GROUP_WGMMA,     ZL_FORM_WGMMA_COMMIT},
    {ZL_EV_COMMIT,     ZL_GROUP_BULK,      ZL_FORM_BULK_COMMIT},
    {ZL_EV_COMMIT,     ZL_GROUP_CPASYNC,   ZL_FORM_CP_ASYNC_COMMIT},
    {ZL_EV_WAITGROUP,  ZL_GROUP_WGMMA,     ZL_FORM_WGMMA_WAIT},
    {ZL_EV_WAITGROUP,  ZL_GROUP_BULK,      ZL_FORM_BULK_WAIT},
    {ZL_EV_WAITGROUP,  ZL_GROUP_BULK_READ, ZL_FORM_BULK_WAIT_READ},
    {ZL_EV_WAITGROUP,  ZL_GROUP_CPASYNC,   ZL_FORM_CP_ASYNC_WAIT},
    {ZL_EV_FENCE,      ZL_FENCE_WGMMA,     ZL_FORM_WGMMA_FENCE},
    {ZL_EV_FENCE,      ZL_FENCE_PROXY,     ZL_FORM_FENCE_PROXY},
    {ZL_EV_FENCE,      ZL_FENCE_MBARRIER,  ZL_FORM_FENCE_MBAR_INIT},
    {ZL_EV_SETMAXNREG, ZL_REGS_INC,        ZL_FORM_SETMAXNREG_INC},
    {ZL_EV_SETMAXNREG, ZL_REGS_DEC,        ZL_FORM_SETMAXNREG_DEC},
};

/* The form of what threads do to an operand: cp.async of its width, or stores of sums. */
static zl_form_id form_by_threads(const zl_emit *e, const zl_event *event)
{
    const zl_operand *o = &e->plan->operand[event->smem[0]];
    if (event->acc >= 0)
        return o->element == 4 ? ZL_FORM_ST_SHARED_8 : o->element == 2 ? ZL_FORM_STMATRIX_X4 : ZL_FORM_ST_SHARED_2;
    return o->width == 16  ? ZL_FORM_CP_ASYNC_16
           : o->width == 8 ? ZL_FORM_CP_ASYNC_8
                           : ZL_FORM_CP_ASYNC_4;
}

/* Finds the forms of the events of the plan's pipe; an expectation and the arrival of one thread behind it are one. */
static void find_used(zl_emit *e)
{
    const zlay_pipe *pipe = e->plan->pipe;
    for (uint32_t i = 0; i < pipe->events_count; i++) {
        const zl_event *event = &pipe->events[i];
        for (size_t r = 0; r < ZL_COUNT(rows); r++)
            if (rows[r].kind == event->kind && (rows[r].scope == ANY || rows[r].scope == event->scope))
                e->used[rows[r].form] = true;
        const zl_event *next = i + 1 < pipe->events_count ? event + 1 : event;
        bool joins = next->kind == ZL_EV_ARRIVE && next->scope == ZL_BY_ONE;
        if (event->kind == ZL_EV_EXPECT)
            e->used[joins ? ZL_FORM_MBAR_ARRIVE_EXPECT : ZL_FORM_MBAR_EXPECT] = true;
        if (event->kind == ZL_EV_CPASYNC || (event->kind == ZL_EV_WRITE && event->acc >= 0))
            e->used[form_by_threads(e, event)] = true;
    }
    for (int o = 0; o < 3; o++)
        if (zl_by_tensor(&e->plan->operand[o])) e->used[ZL_FORM_TENSOR_PREFETCH] = true;
    /* The kernel ends when stores have read their source; a caller may go on. */
    if (zl_by_tensor(&e->plan->operand[ZLAY_OPERAND_D])) e->used[ZL_FORM_BULK_WAIT] = true;
}

static void header(zl_emit *e)
{
    find_used(e);
    zl_putf(e->out,
            "/* zlay %s: data movement of a GEMM, %s; compile as CUDA C++ for that target. "
            "*/\n#include <stdint.h>\n\n",
            zlay_version(), zlay_target_name(e->plan->info.target));
    put_name(e, "#ifndef ZL_", "H\n");
    put_name(e, "#define ZL_", "H\n");
    put_constants(e);
    for (int id = 0; id < ZL_FORMS; id++)
        if (e->used[id]) put_form(e, (zl_form_id)id);
    put_wait(e);
    for (int32_t operand = 0; operand < 2; operand++) {
        if (zl_by_tensor(&e->plan->operand[operand])) put_tensor_load(e, operand);
        else put_thread_load(e, operand);
        put_desc(e, operand);
    }
    put_mma(e);
    if (zl_by_tensor(&e->plan->operand[ZLAY_OPERAND_D])) put_tensor_store(e);
    zl_puts(e->out, "#endif\n");
}

void zl_header_write(zl_text *out, const void *value)
{
    zl_emit e = *(const zl_emit *)value;
    e.out = out;
    header(&e);
}
