/* SPDX-License-Identifier: Apache-2.0 */
/* zlay plan stage: chooses how the stages of a product's ring lie, what fills them and which
 * barriers tell of it, and prints the answer with the numbers that follow from it.  The request
 * of stage.synth is made from the tile and from fields, NAME=VALUE or --NAME=VALUE. */
#include "cli/cli.h"
#include "target/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    LDMATRIX_ROWS = 16,
    CHUNK = 16,
    CHUNKS = 2,
    WGMMA_ROWS = 64,
    TCGEN05_ROWS = 128,
    SYNC_ROWS = 16,
    SYNC_COLUMNS = 8,
    WGMMA_K = 32,
    FIELDS_MOST = 24,
    ALIGN = 128,
    NAME_MOST = 24,
    LAYOUTS_MOST = 8 * ZLAY_STAGE_TILES
};

typedef struct side {
    const char *swizzle, *layout, *primitive, *order;
    uint64_t pitch;
    uint32_t align;
} side;

typedef struct staged {
    zlay_ctx *ctx;
    const zlay_target *target;
    int32_t type;
    uint64_t m, n, k;
    uint32_t pipe, dram, cycles;
    const char *type_name, *reads, *share, *barriers;
    side of[2];
    zlay_stage_request request;
    zlay_stage_tile tile[ZLAY_STAGE_TILES];
    zlay_stage_tensor tensor[ZLAY_STAGE_TILES][2];
    zlay_stage_access access[ZLAY_STAGE_TILES][2];
    zlay_layout *made[LAYOUTS_MOST];
    uint32_t made_count, extent[ZLAY_STAGE_TILES][3];
} staged;

/* ---- fields -------------------------------------------------------------------------- */

typedef struct named_field {
    const char *name;
    const char **text; /* one of the three */
    uint64_t *wide;
    uint32_t *small;
} named_field;

static size_t fields_of(named_field *out, staged *p)
{
    zlay_stage_request *r = &p->request;
    const named_field rows[] = {{"type", &p->type_name, NULL, NULL},
                                {"reads", &p->reads, NULL, NULL},
                                {"share", &p->share, NULL, NULL},
                                {"barriers", &p->barriers, NULL, NULL},
                                {"m", NULL, &p->m, NULL},
                                {"n", NULL, &p->n, NULL},
                                {"k", NULL, &p->k, NULL},
                                {"pipe", NULL, NULL, &p->pipe},
                                {"dram", NULL, NULL, &p->dram},
                                {"smem", NULL, &r->smem, NULL},
                                {"cycles", NULL, NULL, &p->cycles},
                                {"depth", NULL, NULL, &r->depth},
                                {"threads", NULL, NULL, &r->threads},
                                {"registers", NULL, NULL, &r->registers},
                                {"cluster", NULL, NULL, &r->cluster},
                                {"copy_rate", NULL, NULL, &r->rates.copy},
                                {"l2_rate", NULL, NULL, &r->rates.l2},
                                {"dram_rate", NULL, NULL, &r->rates.dram},
                                {"shared_rate", NULL, NULL, &r->rates.shared},
                                {"issue_rate", NULL, NULL, &r->rates.issue},
                                {"copy_each", NULL, NULL, &r->rates.copy_each},
                                {"copy_cycles", NULL, NULL, &r->rates.copy_cycles},
                                {"load_cycles", NULL, NULL, &r->rates.load_cycles},
                                {"far_cycles", NULL, NULL, &r->rates.far_cycles}};
    memcpy(out, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

static size_t side_fields(named_field *out, side *s)
{
    const named_field rows[] = {
        {"swizzle", &s->swizzle, NULL, NULL},     {"layout", &s->layout, NULL, NULL},
        {"primitive", &s->primitive, NULL, NULL}, {"order", &s->order, NULL, NULL},
        {"pitch", NULL, &s->pitch, NULL},         {"align", NULL, NULL, &s->align}};
    memcpy(out, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

/* Reads digits up to `end`; false: there are none, or the number is above `most`. */
static bool digits_read(uint64_t *out, const char *text, const char **end, uint64_t most)
{
    for (*out = 0, *end = text; **end >= '0' && **end <= '9'; ++*end) {
        uint64_t digit = (uint64_t)(**end - '0');
        if (*out > (most - digit) / 10) return false;
        *out = *out * 10 + digit;
    }
    return *end != text;
}

/* False: the value is no number where one is wanted. */
static bool field_set(const named_field *f, const char *value)
{
    const char *end;
    uint64_t number;
    if (f->text) *f->text = value;
    if (f->text) return *value;
    if (!digits_read(&number, value, &end, f->small ? UINT32_MAX : INT64_MAX) || *end) return false;
    if (f->wide) *f->wide = number;
    else *f->small = (uint32_t)number;
    return true;
}

/* Sets the fields of a name: of the request, of side a or b, or of both sides; how many; -1: a
 * bad value. */
static int name_set(staged *p, const char *name, size_t length, const char *value)
{
    named_field rows[FIELDS_MOST];
    size_t count = fields_of(rows, p);
    int set = 0;
    for (size_t i = 0; i < count; i++)
        if (strlen(rows[i].name) == length && !memcmp(rows[i].name, name, length))
            set = field_set(&rows[i], value) ? set + 1 : -1;
    for (int s = 0; s < 2 && set >= 0; s++) {
        const char *own = length > 2 && name[1] == '.' ? name + 2 : name;
        if (own != name && name[0] != "ab"[s]) continue;
        count = side_fields(rows, &p->of[s]);
        for (size_t i = 0; i < count && set >= 0; i++)
            if (strlen(rows[i].name) == length - (size_t)(own - name) &&
                !memcmp(rows[i].name, own, strlen(rows[i].name)))
                set = field_set(&rows[i], value) ? set + 1 : -1;
    }
    return set;
}

static bool fields_read(staged *p, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *name = argv[i] + (strncmp(argv[i], "--", 2) ? 0 : 2),
                   *value = strchr(name, '=');
        int set = value ? name_set(p, name, (size_t)(value - name), value + 1) : 0;
        if (set > 0) continue;
        fprintf(stderr, "zlay: plan stage: %s '%s'\n",
                set ? "no such value:" : "no such field:", argv[i]);
        return false;
    }
    return true;
}

/* Tiles as 128x128x64,256x128x64; false, and said. */
static bool tiles_read(staged *p, const char *text)
{
    for (p->request.count = 0; p->request.count < ZLAY_STAGE_TILES;) {
        uint32_t *e = p->extent[p->request.count++], count = 0;
        uint64_t extent;
        while (count < 3 && digits_read(&extent, text, &text, UINT32_MAX) && extent) {
            e[count++] = (uint32_t)extent;
            if (count < 3 && *text++ != 'x') break;
        }
        if (count < 3 || (*text && *text != ',')) break;
        if (!*text++) return true;
    }
    fprintf(stderr, "zlay: plan stage: tiles are MxNxK, at most %d of them with commas between\n",
            ZLAY_STAGE_TILES);
    return false;
}

static bool word_of(int32_t *out, const char *what, const char *const *words, const char *text)
{
    for (*out = 0; words[*out]; ++*out)
        if (!strcmp(words[*out], text)) return true;
    fprintf(stderr, "zlay: plan stage: %s=%s: one of", what, text);
    for (int i = 0; words[i]; i++) fprintf(stderr, " %s", words[i]);
    fputs("\n", stderr);
    return false;
}

/* ---- the request -------------------------------------------------------------------------- */

static zlay_status strided(staged *p, const zlay_layout **out, size_t rank, const int64_t *shape,
                           const int64_t *stride)
{
    zlay_status status =
        zlay_layout_new_strided(p->ctx, &p->made[p->made_count], rank, shape, stride, 0);
    if (!status) *out = p->made[p->made_count++];
    return status;
}

/* All instructions ldmatrix.x4 that read a tile of lines once; by transposed matrices where K is
 * not contiguous. */
static zlay_status ldmatrix_of(staged *p, zlay_stage_access *out, int64_t rows, int64_t k,
                               bool k_major)
{
    const char *name = k_major ? "ldmatrix.x4" : "ldmatrix.x4.trans";
    int64_t vector = CHUNK * 8 / (int64_t)zlay_type_bits(p->type), line = k_major ? k : rows,
            lines = k_major ? rows : k;
    int64_t along = k_major ? rows : 1, across = k_major ? 1 : rows;
    int64_t shape[] = {LDMATRIX_ROWS, CHUNKS, vector, line / (CHUNKS * vector),
                       lines / LDMATRIX_ROWS};
    int64_t stride[] = {across, vector * along, along, CHUNKS * vector * along,
                        LDMATRIX_ROWS * across};
    if (line % (CHUNKS * vector) || lines % LDMATRIX_ROWS) {
        fprintf(stderr, "zlay: plan stage: ldmatrix reads tiles of whole %d x %" PRId64 "\n",
                LDMATRIX_ROWS, CHUNKS * vector);
        return ZLAY_EINVAL;
    }
    zlay_status status = zlay_bank_find(&out->access, name, strlen(name));
    return status ? status : strided(p, &out->layout, sizeof shape / sizeof *shape, shape, stride);
}

static bool choices_read(zlay_stage_tensor *t, const side *s)
{
    static const char *const swizzles[] = {"none", "32B", "64B", "128B", NULL},
                             *const ways[] = {"tensor", "bulk", "cp.async", "threads", NULL};
    int32_t way;
    t->swizzle_fixed = s->swizzle != NULL;
    if (s->swizzle && !word_of(&t->swizzle, "swizzle", swizzles, s->swizzle)) return false;
    if (s->primitive && !word_of(&way, "primitive", ways, s->primitive)) return false;
    if (s->primitive) t->primitives = 1u << way;
    t->align = s->align ? s->align : ALIGN;
    return true;
}

/* A of a tile, or B: its tensor, its tile and what reads it. */
static zlay_status tensor_make(staged *p, uint32_t i, int s)
{
    static const char *const names[] = {"A", "B"};
    const side *x = &p->of[s];
    zlay_stage_tensor *t = &p->tensor[i][s];
    bool k_major = !x->order || !strcmp(x->order, "k");
    int64_t rows = (int64_t)(s ? p->n : p->m), k = (int64_t)p->k,
            pitch = x->pitch  ? (int64_t)x->pitch
                    : k_major ? k
                              : rows;
    int64_t shape[] = {rows, k}, stride[] = {k_major ? pitch : 1, k_major ? 1 : pitch};
    uint32_t *e = p->extent[i];
    *t = (zlay_stage_tensor){.name = names[s],
                             .type = p->type,
                             .from_dram = p->dram != 0,
                             .shape = {e[s], e[2]},
                             .count = 1,
                             .accesses = &p->access[i][s]};
    t->shared = p->share && (!strcmp(p->share, "both") || (p->share[0] == "ab"[s] && !p->share[1]));
    if (!choices_read(t, x)) return ZLAY_EINVAL;
    zlay_status status = strided(p, &t->source, 2, shape, stride);
    bool tmem = !strcmp(p->reads, "tcgen05");
    p->access[i][s] = (zlay_stage_access){.access = tmem ? ZLAY_STAGE_TCGEN05 : ZLAY_STAGE_WGMMA};
    if (!status && !strcmp(p->reads, "ldmatrix"))
        status = ldmatrix_of(p, &p->access[i][s], e[s], e[2], k_major);
    if (!status && x->layout) {
        status = zlay_layout_parse(p->ctx, &p->made[p->made_count], x->layout, strlen(x->layout));
        if (!status) t->smem = p->made[p->made_count++];
    }
    return status;
}

/* Cycles of the tensor cores for a tile: the request's, or where the machine says what instructions
 * take, those; else 0. */
static uint32_t product_cycles(const staged *p, const uint32_t *e)
{
    static zlay_machine machine;
    zlay_machine_form form;
    int64_t units;
    int32_t k = WGMMA_K * 8 / (int32_t)zlay_type_bits(p->type);
    bool tmem = !strcmp(p->reads, "tcgen05"), sync = !strcmp(p->reads, "ldmatrix");
    int32_t op = tmem ? ZLAY_OP_TCGEN05 : sync ? ZLAY_OP_MMA_SYNC : ZLAY_OP_WGMMA;
    int32_t m = tmem ? TCGEN05_ROWS : sync ? SYNC_ROWS : WGMMA_ROWS,
            n = sync ? SYNC_COLUMNS : (int32_t)e[1];
    if (p->cycles) return p->cycles;
    if (zlay_machine_find(&machine, p->target) ||
        zlay_machine_unit_count(&units, &machine, ZLAY_UNIT_TENSOR) ||
        zlay_machine_form_find(&form, &machine, op, p->type, m, n, k))
        return 0;
    uint64_t count = (uint64_t)(e[0] / (uint32_t)m) * (e[1] / (uint32_t)n) * (e[2] / (uint32_t)k);
    uint64_t milli = count * (uint64_t)form.occupancy_milli * (uint64_t)form.units;
    return (uint32_t)((milli + 1000 * (uint64_t)units - 1) / (1000 * (uint64_t)units));
}

/* False, and said: a word that is none. */
static bool words_read(staged *p)
{
    static const char *const barriers[] = {"stage", "tensor", NULL},
                             *const reads[] = {"wgmma", "tcgen05", "ldmatrix", NULL},
                             *const shares[] = {"none", "a", "b", "both", NULL},
                             *const orders[] = {"k", "mn", NULL};
    int32_t word;
    if (zlay_type_find(&p->type, p->type_name, strlen(p->type_name))) {
        fprintf(stderr, "zlay: plan stage: no type is called '%s'\n", p->type_name);
        return false;
    }
    if (p->dram > 1 || p->pipe > 1) {
        fputs("zlay: plan stage: dram and pipe are 0 or 1\n", stderr);
        return false;
    }
    if (!word_of(&word, "reads", reads, p->reads)) return false;
    if (p->share && !word_of(&word, "share", shares, p->share)) return false;
    for (int s = 0; s < 2; s++)
        if (p->of[s].order && !word_of(&word, "order", orders, p->of[s].order)) return false;
    if (!p->barriers) return true;
    p->request.barriers_fixed = 1;
    return word_of(&p->request.barriers, "barriers", barriers, p->barriers);
}

static zlay_status request_make(staged *p)
{
    p->request.tiles = p->tile;
    for (uint32_t i = 0; i < p->request.count; i++) {
        const uint32_t *e = p->extent[i];
        uint64_t work = ((uint64_t)e[0] * e[1] * e[2] + 255) / 256;
        p->tile[i] = (zlay_stage_tile){.work = (uint32_t)work,
                                       .cycles = product_cycles(p, e),
                                       .count = 2,
                                       .tensors = p->tensor[i]};
        for (int s = 0; s < 2; s++) {
            zlay_status status = tensor_make(p, i, s);
            if (status) return status;
        }
    }
    return ZLAY_OK;
}

/* ---- the command --------------------------------------------------------------------------- */

static int stage_plan(staged *p)
{
    zlay_stage *stage = NULL;
    if (!words_read(p)) return ZL_EXIT_ERROR;
    zlay_status status = request_make(p);
    if (!status) status = zlay_stage_synth(p->ctx, &stage, p->target, &p->request);
    int exit = status ? zl_cli_say(p->ctx, status, "plan stage")
                      : zl_stage_print(p->ctx, stage, p->extent, p->pipe);
    zlay_stage_free(stage);
    while (p->made_count) zlay_layout_free(p->made[--p->made_count]);
    return exit;
}

int zl_plan_stage(zlay_ctx *ctx, int argc, char **argv)
{
    static staged p;
    p = (staged){.ctx = ctx,
                 .m = 4096,
                 .n = 4096,
                 .k = 4096,
                 .type_name = "bf16",
                 .request = {.size = sizeof p.request}};
    if (argc < 2) {
        fprintf(stderr, "zlay: plan stage TARGET MxNxK[,..] [FIELD=VALUE ...]\n");
        return ZL_EXIT_ERROR;
    }
    if (zlay_target_find(&p.target, argv[0], strlen(argv[0]))) return zl_no_target(argv[0]);
    p.reads = p.target->features & ZL_HAS_TCGEN05 ? "tcgen05" : "wgmma";
    if (!tiles_read(&p, argv[1]) || !fields_read(&p, argc - 2, argv + 2)) return ZL_EXIT_ERROR;
    return stage_plan(&p);
}
