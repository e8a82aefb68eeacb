/* SPDX-License-Identifier: Apache-2.0 */
#include "copies.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------ */

enum {
#define FORM(name, id, cluster, text) FORM_##name,
#include "copies.def"
};
static const struct {
    const char *name, *id;
    unsigned cluster;
    const char *text;
} forms[] = {
#define FORM(name, id, cluster, text) {#name, id, cluster, text},
#include "copies.def"
};

enum { NO_MAP, BF16, BF16_64, BF16_32, BF16_NO, BF16_3D, IM2COL, CORNERS, IL16, IL32, RAGGED, STEP2,
       U8, U32, S32, U64, S64, F16, F32, F64 };
static const struct {
    int32_t type;
    uint32_t rank;
    uint64_t extent[3], stride[2];
    uint32_t box[3], step1;
    int32_t interleave, swizzle;
} maps[] = {
    [BF16] = {ZLAY_TYPE_BF16, 2, {256, 512}, {512}, {64, 64}, 1, 0, 3},
    [BF16_64] = {ZLAY_TYPE_BF16, 2, {256, 512}, {512}, {32, 64}, 1, 0, 2},
    [BF16_32] = {ZLAY_TYPE_BF16, 2, {256, 512}, {512}, {16, 64}, 1, 0, 1},
    [BF16_NO] = {ZLAY_TYPE_BF16, 2, {256, 512}, {512}, {64, 64}, 1, 0, 0},
    [BF16_3D] = {ZLAY_TYPE_BF16, 3, {256, 64, 8}, {512, 32768}, {64, 64, 1}, 1, 0, 3},
    [IM2COL] = {ZLAY_TYPE_BF16, 3, {256, 64, 8}, {512, 32768}, {64, 64, 1}, 1, 0, 3},
    [CORNERS] = {ZLAY_TYPE_BF16, 3, {256, 64, 8}, {512, 32768}, {64, 64, 1}, 1, 0, 3},
    [IL16] = {ZLAY_TYPE_BF16, 3, {64, 16, 4}, {1024, 32768}, {16, 1, 2}, 1, 1, 0},
    [IL32] = {ZLAY_TYPE_BF16, 3, {32, 16, 4}, {1024, 32768}, {16, 1, 2}, 1, 2, 1},
    [RAGGED] = {ZLAY_TYPE_BF16, 2, {100, 512}, {512}, {64, 64}, 1, 0, 3},
    [STEP2] = {ZLAY_TYPE_U32, 2, {128, 512}, {512}, {16, 9}, 2, 0, 0},
    [U8] = {ZLAY_TYPE_U8, 2, {512, 512}, {512}, {128, 64}, 1, 0, 3},
    [U32] = {ZLAY_TYPE_U32, 2, {128, 512}, {512}, {32, 64}, 1, 0, 3},
    [S32] = {ZLAY_TYPE_S32, 2, {128, 512}, {512}, {32, 64}, 1, 0, 3},
    [U64] = {ZLAY_TYPE_U64, 2, {64, 512}, {512}, {16, 64}, 1, 0, 3},
    [S64] = {ZLAY_TYPE_S64, 2, {64, 512}, {512}, {16, 64}, 1, 0, 3},
    [F16] = {ZLAY_TYPE_F16, 2, {256, 512}, {512}, {64, 64}, 1, 0, 3},
    [F32] = {ZLAY_TYPE_F32, 2, {128, 512}, {512}, {32, 64}, 1, 0, 3},
    [F64] = {ZLAY_TYPE_F64, 2, {64, 512}, {512}, {16, 64}, 1, 0, 3},
};

const copy_case copy_cases[] = {
#define COPY(name, form, map, x, y, smem, barrier, bytes, operand, outcome)                        \
    {name, FORM_##form, map, x, y, smem, barrier, bytes, operand, outcome},
#include "copies.def"
};
const size_t copy_cases_count = ZL_COUNT(copy_cases);

/* ---- kernels ---------------------------------------------------------------------- */

/* Every block brings its image to shared memory, makes a barrier and tells it what it will receive;
 * thread 0 of block 0 issues the copy; each block waits, for so many clocks, and gives its image
 * back. */
static const char head[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".extern .shared .align 1024 .b8 dyn[];\n"
    ".visible .entry run(.param .align 128 .b8 p_map[128], .param .u64 p_global, .param .u64 p_image,\n"
    "    .param .u64 p_result, .param .u32 p_x, .param .u32 p_y, .param .u32 p_smem, .param .u32 p_bar,\n"
    "    .param .u32 p_expect0, .param .u32 p_expect1, .param .u32 p_op) %s\n{\n"
    "    .shared .align 16 .b8 bars[64];\n"
    "    .reg .pred p, q, lead, done; .reg .b64 tm, g, image, result, a, c0, c1; .reg .b16 h;\n"
    "    .reg .b32 p0, p1, op, sm, bar, own, t0, t1, t2, t3, tid, rank, s;\n"
    "    mov.b64 tm, p_map; cvta.param.u64 tm, tm; ld.param.u64 g, [p_global]; ld.param.u64 image, [p_image];\n"
    "    ld.param.u64 result, [p_result]; ld.param.u32 p0, [p_x]; ld.param.u32 p1, [p_y]; ld.param.u32 op, [p_op];\n"
    "    cvt.u16.u32 h, op; mov.u32 tid, %%tid.x; mov.u32 rank, %%cluster_ctarank;\n"
    "    mul.wide.u32 a, rank, 49152; add.u64 image, image, a; mul.wide.u32 a, rank, 16; add.u64 result, result, a;\n"
    "    ld.param.u32 t0, [p_smem]; mov.u32 sm, dyn; add.u32 sm, sm, t0;\n"
    "    ld.param.u32 t0, [p_bar]; mov.u32 own, bars; add.u32 bar, own, t0;\n"
    "    setp.eq.u32 lead, tid, 0; mov.u32 s, tid;\n"
    "fill: shl.b32 t0, s, 2; cvt.u64.u32 a, t0; add.u64 a, a, image; ld.global.u32 t1, [a]; mov.u32 t2, dyn; add.u32 t2, t2, t0;\n"
    "    st.shared.u32 [t2], t1; add.u32 s, s, 128; setp.lt.u32 p, s, 12288; @p bra fill;\n"
    "    @lead mbarrier.init.shared::cta.b64 [own], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;\n"
    "    ld.param.u32 t0, [p_expect0]; setp.ne.u32 p, rank, 0; @p ld.param.u32 t0, [p_expect1];\n"
    "    bar.sync 0; @lead mbarrier.arrive.expect_tx.shared::cta.b64 _, [own], t0;\n"
    "    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "    setp.eq.and.u32 q, rank, 0, lead; @!q bra wait;\n    {\n    ";
static const char tail[] =
    "\n    }\n"
    "wait: mov.u64 c0, %clock64;\n"
    "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [own], 0; @done bra over;\n"
    "    mov.u64 c1, %clock64; sub.u64 c1, c1, c0; setp.lt.u64 p, c1, 4000000; @p bra again;\n"
    "over: selp.u32 t0, 1, 0, done; mov.u32 t1, dyn; @lead st.global.v2.u32 [result], {t0, t1};\n"
    "    mov.u64 c0, %clock64;\n"
    "rest: mov.u64 c1, %clock64; sub.u64 c1, c1, c0; setp.lt.u64 p, c1, 200000; @p bra rest;\n"
    "    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mov.u32 s, tid;\n"
    "give: shl.b32 t0, s, 2; cvt.u64.u32 a, t0; add.u64 a, a, image; mov.u32 t2, dyn; add.u32 t2, t2, t0; ld.shared.u32 t1, [t2];\n"
    "    st.global.u32 [a], t1; add.u32 s, s, 128; setp.lt.u32 p, s, 12288; @p bra give;\n"
    "    ret;\n}\n";

static void kernel_text(char *text, size_t room, int form)
{
    static const char pair[] = ".reqnctapercluster 2, 1, 1";
    int at = snprintf(text, room, head, forms[form].cluster > 1 ? pair : "");
    at += snprintf(text + at, room - (size_t)at, "%s", forms[form].text);
    snprintf(text + at, room - (size_t)at, "%s", tail);
}

int copy_texts(const char *folder)
{
    static char text[16384], path[512];
    for (size_t i = 0; i < ZL_COUNT(forms); i++) {
        snprintf(path, sizeof path, "%s/%s.ptx", folder, forms[i].name);
        FILE *file = fopen(path, "w");
        if (!file) return 2;
        kernel_text(text, sizeof text, (int)i);
        fputs(text, file);
        fclose(file);
    }
    return 0;
}

/* ---- operands ---------------------------------------------------------------------- */

static zlay_tensormap map_of(int which, uint64_t address)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.address = address;
    m.type = maps[which].type;
    m.rank = maps[which].rank;
    m.mode = which == IM2COL || which == CORNERS;
    m.channels = m.pixels = m.mode ? 64 : 0;
    if (which == CORNERS) m.lower[0] = -1, m.upper[0] = 1;
    m.interleave = maps[which].interleave;
    m.swizzle = maps[which].swizzle;
    for (uint32_t i = 0; i < m.rank; i++) {
        m.extent[i] = maps[which].extent[i];
        m.box[i] = m.mode ? 0 : maps[which].box[i];
        m.step[i] = i == 1 ? maps[which].step1 : 1;
        if (i) m.stride[i - 1] = maps[which].stride[i - 1];
    }
    return m;
}

typedef zl_cu_result encode_im2col(struct CUtensorMap_st *, zl_cu_enum, uint32_t, void *,
                                   const uint64_t *, const uint64_t *, const int *, const int *,
                                   uint32_t, uint32_t, const uint32_t *, zl_cu_enum, zl_cu_enum,
                                   zl_cu_enum, zl_cu_enum);

static void map_encode(copy_rig *r, void *out, const copy_case *c, const zlay_tensormap *m)
{
    if (!m->mode) {
        if (zlay_device_encode_tensormap(r->ctx, out, r->device, m)) rig_die("encode", c->name);
        return;
    }
    encode_im2col *encode = NULL;
    *(void **)&encode = dlsym(r->device->driver.library, "cuTensorMapEncodeIm2col");
    if (zl_device_enter(r->ctx, r->device)) rig_die("context", c->name);
    if (!encode || encode(out, (zl_cu_enum)m->type, 3, (void *)(uintptr_t)m->address, m->extent,
                          m->stride, m->lower, m->upper, m->channels, m->pixels, m->step, 0, 3, 0, 0))
        rig_die("encode", c->name);
    zl_device_leave(r->ctx, r->device, ZLAY_OK);
}

static bool form_is(const copy_case *c, const char *name)
{
    return !strcmp(forms[c->form].name, name);
}

static bool to_peer(const copy_case *c)
{
    return form_is(c, "s2s") || form_is(c, "st_async") || form_is(c, "red_async");
}

/* What the barrier of a block is told. */
static uint32_t expected(const copy_case *c, uint32_t rank)
{
    if (form_is(c, "multicast")) return c->operand >> rank & 1 ? c->bytes : 0;
    if (to_peer(c)) return (uint32_t)c->y == rank || (c->y > 1 && !rank) ? c->bytes : 0;
    return rank ? 0 : c->bytes;
}

static void issue_of(zlay_issue *out, const copy_case *c)
{
    const char *id = forms[c->form].id;
    if (zlay_issue_find(out, id, strlen(id))) rig_die(id, "no such copy");
    bool tensor = c->map != NO_MAP, loads = c->bytes > 0 || form_is(c, "g2s");
    out->smem = 1024 + c->smem;
    out->coordinate[0] = tensor ? c->x : 0;
    out->coordinate[1] = tensor ? c->y : 0;
    if (!tensor && !to_peer(c)) out->source = (uint32_t)c->x;
    if (!tensor && !out->width) out->bytes = c->operand;
    out->taken = c->operand;
    out->offset[0] = (int32_t)c->operand;
    out->cta_mask = c->operand;
    out->barrier = c->barrier;
    out->expect = c->bytes;
    out->cluster = forms[c->form].cluster;
    out->peer = (uint32_t)c->y;
    out->given |= ZLAY_GIVEN_CLUSTER | ZLAY_GIVEN_CTA;
    if (loads) out->given |= ZLAY_GIVEN_BARRIER | ZLAY_GIVEN_EXPECT;
    if (to_peer(c)) out->given |= ZLAY_GIVEN_PEER;
    if (out->given & ZLAY_GIVEN_MULTICAST) out->given |= ZLAY_GIVEN_CTA_MASK;
}

/* What tensormap.replace writes in a form's map; 0: none. */
static int32_t changed_field(const copy_case *c)
{
    static const struct {
        const char *form;
        int32_t field;
    } rows[] = {{"set_box1", ZLAY_REPLACE_BOX_DIM},
                {"set_dim0", ZLAY_REPLACE_GLOBAL_DIM},
                {"set_stride0", ZLAY_REPLACE_GLOBAL_STRIDE},
                {"set_address", ZLAY_REPLACE_GLOBAL_ADDRESS},
                {"set_swizzle", ZLAY_REPLACE_SWIZZLE_MODE}};
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (form_is(c, rows[i].form)) return rows[i].field;
    return 0;
}

static zlay_tensormap changed(const copy_case *c, const zlay_tensormap *from)
{
    zlay_tensormap m = *from;
    switch (changed_field(c)) {
    case ZLAY_REPLACE_BOX_DIM: m.box[1] = c->operand; break;
    case ZLAY_REPLACE_GLOBAL_DIM: m.extent[0] = c->operand; break;
    case ZLAY_REPLACE_GLOBAL_STRIDE: m.stride[0] = c->operand; break;
    case ZLAY_REPLACE_GLOBAL_ADDRESS: m.address += c->operand; break;
    case ZLAY_REPLACE_SWIZZLE_MODE: m.swizzle = 0; break;
    default: break;
    }
    return m;
}

/* Whether the change itself is legal, and tensormap.replace given what zlay would give it. */
static bool change_holds(const copy_case *c, const zlay_tensormap *map, const zlay_target *target)
{
    zlay_replace r;
    zlay_verdict v;
    int32_t field = changed_field(c);
    if (!field) return true;
    if (zlay_replace_from_tensormap(&r, map, field, field == ZLAY_REPLACE_BOX_DIM)) return false;
    r.flags = ZLAY_REPLACE_FENCES | ZLAY_REPLACE_RELEASED | ZLAY_REPLACE_ACQUIRED;
    r.fence = 128;
    return !zlay_replace_check(&v, NULL, 0, target, &r) && v.answer == ZLAY_YES;
}

static void judge(copy_seen *seen, const copy_case *c, const zlay_tensormap *map)
{
    zlay_issue issue;
    zlay_verdict v;
    zlay_reason reasons[64];
    zlay_rule rule = {.id = ""};
    const zlay_target *target;
    zlay_target_find(&target, "sm_90a", 6);
    issue_of(&issue, c);
    if (zlay_copy_check(&v, reasons, 64, target, &issue, c->map == NO_MAP ? NULL : map))
        rig_die("check", c->name);
    for (uint32_t i = 0; i < v.reasons && i < 64; i++)
        if (!reasons[i].noted && !rule.id[0]) zlay_rule_info(&rule, reasons[i].rule);
    seen->answer = change_holds(c, map, target) ? v.answer : ZLAY_NO;
    snprintf(seen->rule, sizeof seen->rule, "%s", rule.id);
}

/* ---- the model ------------------------------------------------------------------------ */

typedef struct world {
    uint8_t global[COPY_GLOBAL], shared[COPY_BLOCKS][COPY_SHARED];
} world;

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Numbers of a type, or any bytes. */
static void fill(uint8_t *bytes, size_t size, int32_t type, uint64_t *state)
{
    for (size_t i = 0; i < size; i += 4) {
        uint32_t v = next(state) << 1 ^ next(state);
        float f = (float)((int32_t)next(state) - (1 << 30)) / (float)(1 << 27);
        if (type == ZLAY_TYPE_F32) memcpy(&v, &f, 4);
        if (type == ZLAY_TYPE_BF16) v &= 0xbfffbfff, v |= 0x38003800, v &= ~0x07000700u;
        if (type == ZLAY_TYPE_F16) v &= 0xbfffbfff;
        memcpy(bytes + i, &v, 4);
    }
}

static void model_tensor(world *w, const copy_case *c, const zlay_tensormap *map, uint32_t origin)
{
    int32_t fault = 0, at[5] = {c->x, c->y};
    uint32_t bytes = 0;
    zlay_issue issue;
    issue_of(&issue, c);
    uint64_t on = changed_field(c) == ZLAY_REPLACE_GLOBAL_ADDRESS ? c->operand : 0;
    zlay_sim_global global = {w->global + on, sizeof w->global - on};
    for (uint32_t rank = 0; rank < COPY_BLOCKS; rank++) {
        zlay_sim_smem shared = {w->shared[rank], COPY_SHARED, origin};
        bool receives = form_is(c, "multicast") ? c->operand >> rank & 1 : !rank;
        if (!receives) continue;
        if (map->mode && issue.kind == ZLAY_COPY_TENSOR_LOAD)
            zlay_sim_tensor_load(&fault, &bytes, &shared, &global, &(zlay_sim_copy){.map = map, .coordinate = at, .offset = &(uint16_t){(uint16_t)c->operand}, .address = origin + c->smem});
        else if (issue.kind == ZLAY_COPY_TENSOR_LOAD)
            zlay_sim_tensor_load(&fault, &bytes, &shared, &global, &(zlay_sim_copy){.map = map, .coordinate = at, .address = origin + c->smem});
        if (issue.kind == ZLAY_COPY_TENSOR_STORE)
            zlay_sim_tensor_store(&fault, &bytes, &shared, &global, &(zlay_sim_copy){.map = map, .coordinate = at, .address = origin + c->smem});
        if (issue.kind == ZLAY_COPY_TENSOR_REDUCE)
            zlay_sim_tensor_reduce(&fault, &bytes, &shared, &global, &(zlay_sim_copy){.map = map, .coordinate = at, .address = origin + c->smem}, issue.op);
    }
}

static void model_bulk(world *w, const copy_case *c)
{
    uint8_t *s = w->shared[0] + c->smem, *g = w->global + c->x;
    uint32_t size = c->operand, words[2] = {0x11223344, 0x55667788}, v;
    if (form_is(c, "g2s")) memcpy(s, g, size);
    if (form_is(c, "s2g")) memcpy(g, s, size);
    if (form_is(c, "s2s") && c->y < 2) memmove(w->shared[c->y] + c->smem, s, size);
    if (form_is(c, "ld16")) memcpy(s, g, 16);
    if (form_is(c, "st_async") && c->y < 2) memcpy(w->shared[c->y] + c->smem, words, 8);
    if (form_is(c, "cp16") || form_is(c, "cp8")) {
        uint32_t width = form_is(c, "cp16") ? 16 : 8;
        memset(s, 0, width);
        memcpy(s, g, size < width ? size : width);
    }
    if (form_is(c, "red_async") && c->y < 2) {
        memcpy(&v, w->shared[c->y] + c->smem, 4);
        v += 7;
        memcpy(w->shared[c->y] + c->smem, &v, 4);
    }
    for (uint32_t i = 0; form_is(c, "bulk_add") && i < size; i += 4) {
        memcpy(&v, s + i, 4);
        memcpy(words, g + i, 4);
        v += words[0];
        memcpy(g + i, &v, 4);
    }
}

static uint32_t differ(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint32_t count = 0;
    for (size_t i = 0; i < size; i++) count += a[i] != b[i];
    return count;
}

/* ---- running -------------------------------------------------------------------------- */

void copy_rig_open(copy_rig *r)
{
    if (zlay_ctx_new(&r->ctx, NULL, NULL)) rig_die("ctx", "no memory");
    if (zlay_device_open(r->ctx, &r->device, 0))
        rig_die("no device", zlay_ctx_message(r->ctx));
    zlay_status status = zlay_device_allocate(r->ctx, &r->global, r->device, COPY_GLOBAL);
    if (!status)
        status = zlay_device_allocate(r->ctx, &r->shared, r->device, COPY_BLOCKS * COPY_SHARED);
    if (!status) status = zlay_device_allocate(r->ctx, &r->result, r->device, 4096);
    if (status) rig_die("device memory", zlay_ctx_message(r->ctx));
}

static struct CUfunc_st *load(copy_rig *r, const copy_case *c)
{
    static char text[16384];
    const zl_driver *d = &r->device->driver;
    struct CUmod_st *module;
    struct CUfunc_st *run;
    kernel_text(text, sizeof text, c->form);
    if (d->cuModuleLoadDataEx(&module, text, 0, NULL, NULL) ||
        d->cuModuleGetFunction(&run, module, "run") ||
        d->cuFuncSetAttribute(run, ZL_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536))
        rig_die("kernel", forms[c->form].name);
    return run;
}

static int launch(copy_rig *r, const copy_case *c, void *map)
{
    const zl_driver *d = &r->device->driver;
    uint64_t global = r->global + (c->map == NO_MAP ? (uint64_t)c->x : 0);
    uint32_t x = (uint32_t)c->x, y = (uint32_t)c->y, smem = c->smem, barrier = c->barrier,
             op = c->operand, expect0 = expected(c, 0), expect1 = expected(c, 1);
    void *parameters[] = {map, &global, &r->shared, &r->result, &x, &y, &smem, &barrier,
                          &expect0, &expect1, &op};
    if (zl_device_enter(r->ctx, r->device)) rig_die("context", c->name);
    struct CUfunc_st *run = load(r, c);
    zl_cu_result error = d->cuLaunchKernel(run, forms[c->form].cluster, 1, 1, 128, 1, 1, 65536,
                                           NULL, parameters, NULL);
    if (!error) error = d->cuCtxSynchronize();
    zl_device_leave(r->ctx, r->device, ZLAY_OK);
    return (int)error;
}

static void must(copy_rig *r, zlay_status status, const copy_case *c)
{
    if (status) rig_die(c->name, zlay_ctx_message(r->ctx));
}

void copy_run(copy_rig *r, const copy_case *c, copy_seen *seen)
{
    static world before, after;
    uint32_t result[8] = {0};
    uint64_t state = 1;
    _Alignas(128) uint8_t encoded[128] = {0};
    zlay_tensormap map = map_of(c->map, r->global);
    zlay_tensormap used = changed(c, &map);
    judge(seen, c, &used);
    fill(before.global, sizeof before.global, map.type, &state);
    fill(before.shared[0], sizeof before.shared, map.type, &state);
    if (c->map != NO_MAP) map_encode(r, encoded, c, &map);
    must(r, zlay_device_upload(r->ctx, r->device, r->global, before.global, COPY_GLOBAL), c);
    must(r, zlay_device_upload(r->ctx, r->device, r->shared, before.shared, sizeof before.shared),
         c);
    must(r, zlay_device_upload(r->ctx, r->device, r->result, result, sizeof result), c);
    must(r, zlay_device_upload(r->ctx, r->device, r->result + 1024, encoded, sizeof encoded), c);
    seen->base.error = launch(r, c, encoded);
    if (seen->base.error) return;
    must(r, zlay_device_download(r->ctx, after.global, r->device, r->global, COPY_GLOBAL), c);
    must(r, zlay_device_download(r->ctx, after.shared, r->device, r->shared, sizeof after.shared), c);
    must(r, zlay_device_download(r->ctx, result, r->device, r->result, sizeof result), c);
    seen->done[0] = result[0];
    seen->done[1] = forms[c->form].cluster > 1 ? result[4] : 1;
    if (c->map == NO_MAP) model_bulk(&before, c);
    else model_tensor(&before, c, &used, result[1]);
    seen->global_wrong = differ(before.global, after.global, COPY_GLOBAL);
    seen->shared_wrong = differ(before.shared[0], after.shared[0], sizeof before.shared);
}
