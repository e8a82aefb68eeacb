/* SPDX-License-Identifier: Apache-2.0 */
/* Causal attention of packed sequences by the public runtime: every row of a sequence is compared with a softmax in double, rows of no
 * sequence and memory beside the result must stay as they are, and the same launch again leaves the same bits. */
#define _DEFAULT_SOURCE /* mkdtemp, unistd.h */
#include "groups_world.h"

enum { TOKENS = 700, HEADS = 2, HEAD = 128, SEQUENCES = 5 };
static const uint64_t starts[SEQUENCES + 1] = {2, 2, 200, 201, 500, 690};

typedef struct attention {
    zlay_attention_plan *plan;
    zlay_pipe_launch launch;
    zlay_pipe_argument arguments[32];
    char *text;
    size_t length;
    zlay_kernel *kernel;
    uint16_t *tensor[4], *first; /* q, k, v; the result between its margins, and that of the first launch */
    uint64_t at[4];
} attention;

enum { CELLS = TOKENS * HEADS * HEAD, ALL = CELLS + 2 * BESIDE };

static void attention_print(world *w, attention *a)
{
    const zlay_attention asked = {.size = sizeof asked, .heads = HEADS, .head = HEAD, .queries = TOKENS, .keys = TOKENS, .causal = 1, .sequences = SEQUENCES};
    must(w, zlay_attention_synth(w->ctx, &a->plan, w->target, &asked), "plan of attention");
    const zlay_attention_emit emit = {.size = sizeof emit, .plan = a->plan, .name = "attention", .name_length = 9};
    zlay_buf text = {NULL, 0, 0};
    if (zlay_emit_attention(w->ctx, &text, NULL, NULL, 0, &emit) != ZLAY_EROOM) die(w, "PTX of attention");
    text.room = text.need + 1;
    text.text = a->text = taken(text.room);
    must(w, zlay_emit_attention(w->ctx, &text, &a->launch, a->arguments, 32, &emit), "PTX of attention");
    a->length = text.need;
}

static void attention_load(world *w, attention *a)
{
    static const char *const names[] = {"q", "k", "v", "o"};
    const float scale = (float)(1 / log(2.0) / sqrt((double)HEAD));
    const zlay_attention_kernel request = {.size = sizeof request, .plan = a->plan, .launch = &a->launch, .arguments = a->arguments,
                                           .image = a->text, .length = a->length, .name = "attention"};
    must(w, zlay_kernel_load_attention(w->ctx, &a->kernel, w->device, &request), "load of attention");
    for (int t = 0; t < 4; t++) {
        a->tensor[t] = t < 3 ? normals(w, CELLS) : taken(ALL * sizeof(uint16_t));
        a->at[t] = placed(w, t < 3 ? a->tensor[t] : NULL, (t < 3 ? CELLS : ALL) * sizeof(uint16_t));
        uint64_t address = a->at[t] + (t < 3 ? 0 : BESIDE * sizeof(uint16_t));
        must(w, zlay_kernel_set(w->ctx, a->kernel, names[t], &address, sizeof address), names[t]);
    }
    a->first = taken(ALL * sizeof *a->first);
    must(w, zlay_kernel_set(w->ctx, a->kernel, "x_scale", &scale, sizeof scale), "scale");
    must(w, zlay_kernel_set_offsets(w->ctx, a->kernel, "read_q_starts", starts, SEQUENCES + 1), "starts");
}

static double cell(const attention *a, int tensor, uint64_t token, uint64_t head, uint64_t x)
{
    return (double)bf16_value(a->tensor[tensor][(tensor == 3 ? BESIDE : 0) + (token * HEADS + head) * HEAD + x]);
}

/* Elements of a row that are far from the softmax of its scores times V: bf16 keeps 8 bits of it, and of the weights. */
static uint64_t row_wrong(const attention *a, uint64_t begin, uint64_t token, uint64_t head)
{
    double sum[HEAD] = {0}, all = 0;
    uint64_t wrong = 0;
    for (uint64_t key = begin; key <= token; key++) {
        double score = 0;
        for (uint64_t x = 0; x < HEAD; x++) score += cell(a, 0, token, head, x) * cell(a, 1, key, head, x);
        double weight = exp(score / sqrt((double)HEAD));
        all += weight;
        for (uint64_t x = 0; x < HEAD; x++) sum[x] += weight * cell(a, 2, key, head, x);
    }
    for (uint64_t x = 0; x < HEAD; x++) wrong += !(fabs(cell(a, 3, token, head, x) - sum[x] / all) < 0.02);
    return wrong;
}

static void attention_run(const world *w, const attention *a, uint16_t *out)
{
    for (uint64_t i = 0; i < ALL; i++) out[i] = CANARY;
    must(w, zlay_device_upload(w->ctx, w->device, a->at[3], out, ALL * sizeof *out), "canaries");
    must(w, zlay_kernel_launch(w->ctx, a->kernel, NULL), "launch of attention");
    must(w, zlay_device_wait(w->ctx, w->device), "wait");
    must(w, zlay_device_download(w->ctx, out, w->device, a->at[3], ALL * sizeof *out), "download");
}

static void attention_judged(world *w, attention *a)
{
    uint64_t wrong = 0, touched = 0;
    char says[160] = "", what[40];
    attention_run(w, a, a->tensor[3]);
    for (uint64_t s = 0; s < SEQUENCES; s++)
        for (uint64_t token = starts[s]; token < starts[s + 1]; token++)
            for (uint64_t h = 0; h < HEADS; h++) wrong += row_wrong(a, starts[s], token, h);
    for (uint64_t i = 0; i < ALL; i++) {
        bool inside = i >= BESIDE + starts[0] * HEADS * HEAD && i < BESIDE + starts[SEQUENCES] * HEADS * HEAD;
        touched += !inside && a->tensor[3][i] != CANARY;
    }
    if (wrong || touched)
        snprintf(says, sizeof says, "%llu elements wrong, %llu changed that are of no sequence", (unsigned long long)wrong, (unsigned long long)touched);
    tell(w, "packed attention", "offsets of the host", says);
    *says = 0;
    for (unsigned i = 0; i < w->launches && !*says; i++) {
        attention_run(w, a, a->first);
        if (memcmp(a->first, a->tensor[3], ALL * sizeof *a->first)) snprintf(says, sizeof says, "launch %u has other bits", i);
    }
    snprintf(what, sizeof what, "%u launches, equal bits", w->launches);
    tell(w, "packed attention", what, says);
}

void attention_tried(world *w, bool dry)
{
    attention a = {.text = NULL};
    attention_print(w, &a);
    if (!dry) {
        attention_load(w, &a);
        attention_judged(w, &a);
    }
    zlay_kernel_free(a.kernel);
    for (int t = 0; t < 4; t++) {
        if (w->device) zlay_device_free(w->device, a.at[t]);
        free(a.tensor[t]);
    }
    zlay_attention_free(a.plan);
    free(a.first);
    free(a.text);
}
