/* SPDX-License-Identifier: Apache-2.0 */
/* Places of attention's values and of a chain of products, with every shape of a cluster and with none, against the 10 ms that a
 * kernel generator can spare a kernel. */
#include "bench.h"

#include <string.h>

enum { CHAIN = 4, BUDGET = 10 * 1000 * 1000, G = ZLAY_PLACE_GLOBAL };

typedef struct program {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_places_value value[ZLAY_PLACES_VALUES];
    zlay_places_operation operation[ZLAY_PLACES_OPERATIONS];
    zlay_places_request r;
} program;

static bool find(void *value)
{
    program *s = value;
    zlay_places p;
    return !zlay_places_find(s->ctx, &p, s->target, &s->r) && p.optimal && p.cost == p.lower_bound;
}

static uint32_t put(program *s, uint32_t columns, uint32_t bits, uint64_t times, uint32_t from)
{
    s->value[s->r.values] = (zlay_places_value){.rows = 128, .columns = columns, .bits = bits, .times = times, .from = from,
                                                .depth = from && times > 1 ? 2 : 1, .same = from && times > 1};
    return s->r.values++;
}

static void use(program *s, const char *form, uint32_t reads, const uint32_t *read, uint32_t write)
{
    zlay_places_operation *op = &s->operation[s->r.operations++];
    *op = (zlay_places_operation){.form = form, .reads = reads, .writes = 1, .write = {write}};
    memcpy(op->read, read, reads * sizeof *read);
}

static void begin(program *s, uint32_t cluster)
{
    s->r = (zlay_places_request){.size = sizeof s->r, .threads = 256, .cluster = cluster, .grid = {64, 16, 1}, .value = s->value,
                                 .operation = s->operation};
}

/* Attention: nine values, five operations, four of them repeated. */
static void attention(program *s, uint32_t cluster)
{
    begin(s, cluster);
    uint32_t q = put(s, 128, 16, 1, G), k = put(s, 128, 16, 64, G), v = put(s, 128, 16, 64, G), scores = put(s, 128, 32, 64, 0), p = put(s, 128, 16, 64, 0),
             scale = put(s, 1, 32, 64, 0), scaled = put(s, 128, 32, 64, 0), o = put(s, 128, 32, 64, 0), out = put(s, 128, 16, 1, 0);
    s->value[out].to = G;
    use(s, "product", 2, (uint32_t[]){q, k}, scores);
    use(s, "map", 1, (uint32_t[]){scores}, p);
    s->operation[1].write[s->operation[1].writes++] = scale;
    use(s, "map", 2, (uint32_t[]){o, scale}, scaled);
    use(s, "product", 3, (uint32_t[]){p, v, scaled}, o);
    use(s, "map", 1, (uint32_t[]){o}, out);
    s->r.loop_count = 4;
}

/* Products one behind the other, a body after each: thirteen values. */
static void chain(program *s, uint32_t cluster)
{
    begin(s, cluster);
    uint32_t x = put(s, 64, 16, 1, G);
    for (int i = 0; i < CHAIN; i++) {
        uint32_t w = put(s, 64, 16, 1, G), sum = put(s, 64, 32, 1, 0), next = put(s, 64, 16, 1, 0);
        use(s, "product", 2, (uint32_t[]){x, w}, sum);
        use(s, "map", 1, (uint32_t[]){sum}, next);
        x = next;
    }
    s->value[x].to = G;
}

bool bench_places(zlay_ctx *ctx, bool json)
{
    static program s;
    bool right = true;
    s.ctx = ctx;
    if (zlay_target_find(&s.target, "sm_90a", 6)) return false;
    attention(&s, 1);
    right = bench_each("places.find, attention, sm_90a, one block", "10 ms", find, NULL, BUDGET, 1, &s, json) && right;
    attention(&s, 8);
    right = bench_each("places.find, attention, sm_90a, clusters of up to 8", "10 ms", find, NULL, BUDGET, 1, &s, json) && right;
    if (zlay_target_find(&s.target, "sm_100a", 7)) return false;
    right = bench_each("places.find, attention, sm_100a, clusters of up to 8", "10 ms", find, NULL, BUDGET, 1, &s, json) && right;
    chain(&s, 8);
    return bench_each("places.find, 4 products and bodies, sm_100a, clusters of up to 8", "10 ms", find, NULL, BUDGET, 1, &s, json) && right;
}
