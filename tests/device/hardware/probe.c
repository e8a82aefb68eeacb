/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const probe_type probe_types[] = {
    {ZLAY_TYPE_F16, "f16", 16, 8, 3},   {ZLAY_TYPE_BF16, "bf16", 16, 8, 3},
    {ZLAY_TYPE_TF32, "tf32", 32, 8, 2}, {ZLAY_TYPE_E4M3, "e4m3", 8, 4, 5},
    {ZLAY_TYPE_E5M2, "e5m2", 8, 3, 6},  {ZLAY_TYPE_S8, "s8", 8, 6, 3},
    {ZLAY_TYPE_U8, "u8", 8, 6, 3},      {ZLAY_TYPE_B1, "b1", 1, 1, 21},
};

const probe_type *probe_type_of(int32_t type)
{
    for (int i = 0; i < PROBE_TYPES; i++)
        if (probe_types[i].type == type) return &probe_types[i];
    return NULL;
}

/* ---- numbers ------------------------------------------------------------------- */

/* Sign 0, `exponent` bits with their bias, `fraction` bits: exact where the value has no more. */
static uint32_t float_bits(uint32_t value, uint32_t fraction, uint32_t bias)
{
    uint32_t top = 0;
    if (!value) return 0;
    while (value >> (top + 1)) top++;
    uint32_t rest = value - (1u << top);
    rest = top > fraction ? rest >> (top - fraction) : rest << (fraction - top);
    return (top + bias) << fraction | rest;
}

uint32_t probe_encode(int32_t type, uint32_t value)
{
    switch (type) {
    case ZLAY_TYPE_F16: return float_bits(value, 10, 15);
    case ZLAY_TYPE_BF16: return float_bits(value, 7, 127);
    case ZLAY_TYPE_TF32: return float_bits(value, 23, 127);
    case ZLAY_TYPE_E4M3: return float_bits(value, 3, 7);
    case ZLAY_TYPE_E5M2: return float_bits(value, 2, 15);
    default: return value;
    }
}

static uint32_t half_value(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 31, rest = 1024 + (bits & 1023);
    if (!exponent) return 0;
    return exponent >= 25 ? rest << (exponent - 25) : rest >> (25 - exponent);
}

uint32_t probe_decode(int32_t d, uint32_t word, uint32_t half)
{
    float value;
    if (d == ZLAY_TYPE_S32) return word;
    if (d == ZLAY_TYPE_F16) return half_value(half ? word >> 16 : word & 0xffff);
    memcpy(&value, &word, sizeof value);
    return value >= 0 && value < 1e6f ? (uint32_t)value : UINT32_MAX;
}

/* ---- shared memory -------------------------------------------------------------- */

static void put(uint8_t *bytes, const probe_type *t, uint64_t bit, uint32_t value)
{
    uint32_t word = probe_encode(t->type, value);
    uint8_t *at = bytes + (bit / 8 - PROBE_ORIGIN);
    if (t->bits == 1) *at = (uint8_t)((*at & ~(1u << bit % 8)) | word << bit % 8);
    else memcpy(at, &word, t->bits / 8);
}

/* Row r, element k of a matrix K-major without swizzle whose columns of chunks lie one after
 * another. */
static void put_one(uint8_t *bytes, const probe_type *t, uint32_t at, uint32_t rows, uint32_t r,
                    uint32_t k)
{
    uint32_t bit = k * t->bits;
    uint64_t byte = at + r * 16 + (uint64_t)(bit / 128) * rows * 16;
    put(bytes, t, 8 * byte + bit % 128, 1);
}

uint64_t probe_ones(uint32_t at, uint32_t rows)
{
    return (uint64_t)(at / 16) | (uint64_t)rows << 16 | (uint64_t)8 << 32;
}

uint32_t probe_sparse_k(int32_t type, uint32_t s, uint32_t pair)
{
    return type == ZLAY_TYPE_TF32 ? 2 * s + pair : s / 2 * 4 + s % 2 + 2 * pair;
}

void probe_image(uint8_t *bytes, const probe_type *t, uint32_t round)
{
    const uint64_t first = (uint64_t)PROBE_FREE * 8 / t->bits,
                   end = (uint64_t)PROBE_END * 8 / t->bits;
    uint32_t depth = 256 / t->bits, mask = (1u << t->digit) - 1;
    memset(bytes, 0, PROBE_BYTES);
    for (uint32_t r = 0; r < depth; r++) put_one(bytes, t, PROBE_ONES_B, depth, r, r);
    for (uint32_t r = 0; r < depth && t->bits > 1; r++)
        put_one(bytes, t, PROBE_ONES_SPARSE, depth < 8 ? 8 : depth, r,
                probe_sparse_k(t->type, r, 0));
    for (uint32_t part = 0; part < 4; part++)
        for (uint32_t r = 0; r < 64 && part * 64 + r < depth; r++)
            put_one(bytes, t, PROBE_ONES_A + part * 2048, 64, r, part * 64 + r);
    for (uint64_t i = first; i < end; i++)
        put(bytes, t, i * t->bits, (uint32_t)(i >> round * t->digit) & mask);
}

/* ---- kernels --------------------------------------------------------------------- */

typedef struct text {
    char *at;
    size_t length, room;
} text;

static void add(text *t, const char *format, ...)
{
    va_list args;
    if (t->room - t->length < 8192) {
        t->room = 2 * t->room + 65536;
        t->at = realloc(t->at, t->room);
        if (!t->at) abort();
    }
    va_start(args, format);
    t->length += (size_t)vsnprintf(t->at + t->length, t->room - t->length, format, args);
    va_end(args);
}

static uint32_t sums(const zlay_mma *m) { return m->d == ZLAY_TYPE_F16 ? m->n / 4 : m->n / 2; }

static void add_sums(text *t, const zlay_mma *m)
{
    add(t, "{");
    for (uint32_t i = 0; i < sums(m); i++) add(t, i ? ", d%u" : "d%u", i);
    add(t, "}");
}

static void add_instruction(text *t, const zlay_mma *m)
{
    bool half = m->a == ZLAY_TYPE_F16 || m->a == ZLAY_TYPE_BF16, reg = m->a_source != 0;
    add(t, "    wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s.%s%s ", m->sparse ? ".sp" : "", m->n,
        m->k, zlay_type_name(m->d), zlay_type_name(m->a), zlay_type_name(m->b),
        m->a == ZLAY_TYPE_B1 ? ".and.popc" : "");
    add_sums(t, m);
    add(t, reg ? ", {a0, a1, a2, a3}, db" : ", da, db");
    if (m->sparse) add(t, ", meta, %u", m->selector);
    add(t, ", no");
    if (m->d != ZLAY_TYPE_S32) add(t, ", 1, 1");
    if (half && !reg) add(t, ", %d", m->a_major);
    if (half) add(t, ", %d", m->b_major);
    add(t, ";\n");
}

static const char entry_head[] =
    "    .reg .pred p, no; .reg .b64 image, jobs, out, a, da, db, regs, metas;\n"
    "    .reg .b32 tid, i, s, w0, w1, w2, w3, a0, a1, a2, a3, meta, block, base;\n"
    "    ld.param.u64 image, [p_image]; ld.param.u64 jobs, [p_jobs]; ld.param.u64 out, [p_out];\n"
    "    mov.u32 tid, %tid.x; mov.u32 block, %ctaid.x; mov.u32 base, smem; shl.b32 i, tid, 4;\n"
    "fill: setp.ge.u32 p, i, 204800; @p bra filled;\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, image; ld.global.v4.b32 {w0, w1, w2, w3}, [a];\n"
    "    add.u32 s, base, i; st.shared.v4.b32 [s], {w0, w1, w2, w3}; add.u32 i, i, 2048; bra "
    "fill;\n"
    "filled: fence.proxy.async.shared::cta; bar.sync 0;\n"
    "    mul.wide.u32 a, block, 32; add.u64 a, a, jobs;\n"
    "    ld.global.v2.b64 {da, db}, [a]; ld.global.v2.b64 {regs, metas}, [a+16];\n"
    "    mul.wide.u32 a, tid, 16; add.u64 a, a, regs; ld.global.v4.b32 {a0, a1, a2, a3}, [a];\n"
    "    mul.wide.u32 a, tid, 4; add.u64 a, a, metas; ld.global.b32 meta, [a];\n"
    "    setp.ne.u32 no, tid, tid;\n"
    "    wgmma.fence.sync.aligned;\n";

static void add_entry(text *t, const zlay_mma *m, size_t number)
{
    const char *of = m->d == ZLAY_TYPE_F32 ? "f32" : "b32";
    add(t, ".visible .entry probe%zu(.param .u64 p_image, .param .u64 p_jobs, .param .u64 p_out)\n",
        number);
    add(t, "    .reqntid 128\n{\n    .reg .%s d<%u>;\n%s", of, sums(m), entry_head);
    add_instruction(t, m);
    add(t,
        "    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;\n"
        "    mad.lo.u32 i, block, 128, tid; mul.wide.u32 a, i, %u; add.u64 a, a, out;\n",
        4 * sums(m));
    for (uint32_t i = 0; i < sums(m); i++) add(t, "    st.global.b32 [a+%u], d%u;\n", 4 * i, i);
    add(t, "    setp.eq.u32 p, base, 1024; @p bra end; trap;\nend: ret;\n}\n");
}

/* One warp: a lane has eight words at p_in, four of A and two of B, or 32 lanes x 4 words of
 * matrices. */
static const char warp_head[] =
    "(.param .u64 p_in, .param .u64 p_out) .reqntid 32\n{\n"
    "    .reg .b64 in, out, a; .reg .b32 tid, a0, a1, a2, a3, b0, b1, s, n;\n"
    "    .reg .b32 d0, d1, d2, d3; .reg .f32 f0, f1, f2, f3, z;\n"
    "    .shared .align 16 .b8 tile[512];\n"
    "    ld.param.u64 in, [p_in]; ld.param.u64 out, [p_out]; mov.u32 tid, %tid.x;\n"
    "    mov.b32 z, 0f00000000; mov.b32 n, 0;\n"
    "    mul.wide.u32 a, tid, 32; add.u64 a, a, in; ld.global.v4.b32 {a0, a1, a2, a3}, [a];\n"
    "    ld.global.v2.b32 {b0, b1}, [a+16]; mov.u32 s, tile; mad.lo.u32 s, tid, 16, s;\n"
    "    st.shared.v4.b32 [s], {a0, a1, a2, a3}; bar.warp.sync 0xffffffff;\n"
    "    mul.wide.u32 a, tid, 16; add.u64 a, a, out;\n";

static const char *const warp_bodies[] = {
    "    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {f0, f1, f2, f3}, {a0, a1, a2, a3}, "
    "{b0, b1}, {z, z, z, z};\n",
    "    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {f0, f1, f2, f3}, {a0, a1, a2, a3}, "
    "{b0, b1}, {z, z, z, z};\n",
    "    mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, "
    "{b0, b1}, {n, n, n, n};\n",
    "    mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {d0, d1, d2, d3}, "
    "{a0, a1, a2, a3}, {b0, b1}, {n, n, n, n};\n",
    "    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {d0, d1, d2, d3}, [s];\n",
    "    ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {d0, d1, d2, d3}, [s];\n",
};

static void add_warps(text *t)
{
    for (size_t i = 0; i < sizeof warp_bodies / sizeof *warp_bodies; i++) {
        const char *of = i < 2 ? "f" : "d";
        add(t, ".visible .entry warp%zu", i);
        add(t, "%s", warp_head);
        add(t, "%s", warp_bodies[i]);
        add(t, "    st.global.v4.b32 [a], {%s0, %s1, %s2, %s3};\n    ret;\n}\n", of, of, of, of);
    }
}

char *probe_text(const probe_form *forms, size_t count)
{
    text t = {NULL, 0, 0};
    add(&t, ".version 8.4\n.target sm_90a\n.address_size 64\n"
            ".extern .shared .align 1024 .b8 smem[];\n");
    for (size_t i = 0; i < count; i++) add_entry(&t, &forms[i].mma, i);
    add_warps(&t);
    return t.at;
}
