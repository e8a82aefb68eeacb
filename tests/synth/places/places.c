/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a tile program: the example of zlay/places.h, FlashAttention-3's and -4's places of P, costs of the machine, what is refused by field, what
 * has no place and why, capacities, limits and failing memory. */
#include "ctx.h"
#include "heap.h"

#include <zlay/machine.h>

enum { A, B, D };

/* One product of a block on Hopper; `loop` repeats it. */
typedef struct product {
    zlay_places_value value[3];
    zlay_places_operation operation[1];
    zlay_places_request r;
} product;

static void product_of(product *x, uint32_t loop)
{
    *x = (product){.value = {{.name = "A", .rows = 128, .columns = 64, .bits = 16, .times = 8, .depth = 4, .from = ZLAY_PLACE_GLOBAL},
                             {.name = "B", .rows = 128, .columns = 64, .bits = 16, .times = 8, .depth = 4, .from = ZLAY_PLACE_GLOBAL},
                             {.name = "D", .rows = 128, .columns = 128, .bits = 32, .to = ZLAY_PLACE_GLOBAL}},
                   .operation = {{.form = "product", .reads = 2, .writes = 1, .read = {A, B}, .write = {D}}},
                   .r = {.size = sizeof x->r, .values = 3, .operations = 1, .loop_count = loop, .threads = 256}};
    x->r.value = x->value;
    x->r.operation = x->operation;
}

static zlay_places found(zlay_ctx *ctx, const char *target, const zlay_places_request *r)
{
    zlay_places p;
    zlay_status status = zlay_places_find(ctx, &p, target_of(target), r);
    if (status) fail_msg("%s: %s", zlay_status_name(status), zlay_ctx_message(ctx));
    assert_int_equal(p.optimal, 1);
    assert_int_equal(p.cost, p.lower_bound);
    return p;
}

static void test_example(void **state)
{
    product x;
    product_of(&x, 1);
    zlay_places p = found(*state, "sm_90a", &x.r);
    assert_string_equal(zlay_places_form_name(p.operation[0].form), "wgmma");
    assert_int_equal(p.value[A].has, ZLAY_PLACE_GLOBAL | ZLAY_PLACE_SHARED);
    assert_int_equal(p.value[B].has, ZLAY_PLACE_GLOBAL | ZLAY_PLACE_SHARED);
    assert_int_equal(p.value[D].home, ZLAY_PLACE_REGISTER);
    assert_int_equal(p.value[D].end, ZLAY_PLACE_GLOBAL);
    assert_int_equal(p.value[D].source[4], ZLAY_PLACE_REGISTER);
    assert_int_equal(p.smem, 2 * 4 * 128 * 64 * 2);
    assert_int_equal(p.registers, 64);
    assert_int_equal(p.value[A].may, ZLAY_PLACE_GLOBAL | ZLAY_PLACE_SHARED | ZLAY_PLACE_REGISTER);
    p = found(*state, "sm_100a", &x.r);
    assert_string_equal(zlay_places_form_name(p.operation[0].form), "tcgen05.mma");
    assert_int_equal(p.value[D].home, ZLAY_PLACE_TENSOR);
    assert_int_equal(p.tmem, 128);
    assert_string_equal(zlay_places_move_name(target_of("sm_100a"), ZLAY_PLACE_TENSOR, ZLAY_PLACE_REGISTER), "tcgen05.ld");
    assert_null(zlay_places_move_name(target_of("sm_90a"), ZLAY_PLACE_TENSOR, ZLAY_PLACE_REGISTER));
    assert_null(zlay_places_move_name(NULL, ZLAY_PLACE_TENSOR, ZLAY_PLACE_REGISTER));
    assert_null(zlay_places_move_name(target_of("sm_90a"), 3, ZLAY_PLACE_REGISTER));
    assert_null(zlay_place_name(3));
    assert_null(zlay_places_form_name(99));
}

/* Costs that are not given are those of the machine: given, they lead to the same. */
/* Two tiles of Q serve eight rounds: V has no room where Q lies, though each has a room of its own in a round. */
static void test_few_tiles(void **state)
{
    enum { K, Q, V, S, P, O };
    zlay_places_value value[] = {{.name = "K", .rows = 64, .columns = 64, .bits = 16, .times = 8, .from = ZLAY_PLACE_REGISTER},
                                 {.name = "Q", .rows = 64, .columns = 64, .bits = 16, .times = 2, .from = ZLAY_PLACE_GLOBAL},
                                 {.name = "V", .rows = 64, .columns = 64, .bits = 16, .times = 8, .from = ZLAY_PLACE_GLOBAL},
                                 {.name = "S", .rows = 64, .columns = 64, .bits = 32, .times = 8},
                                 {.name = "P", .rows = 64, .columns = 64, .bits = 16, .times = 8},
                                 {.name = "O", .rows = 64, .columns = 64, .bits = 32, .to = ZLAY_PLACE_GLOBAL}};
    const zlay_places_operation operation[] = {{.form = "product", .reads = 2, .writes = 1, .read = {K, Q}, .write = {S}},
                                               {.form = "map", .reads = 1, .writes = 1, .read = {S}, .write = {P}},
                                               {.form = "product", .reads = 2, .writes = 1, .read = {P, V}, .write = {O}}};
    zlay_places_request r = {.size = sizeof r, .values = 6, .operations = 3, .loop_count = 3, .value = value, .operation = operation};
    zlay_places p = found(*state, "sm_90a", &r);
    assert_true(p.value[Q].smem != p.value[V].smem);
    assert_int_equal(p.smem, 2 * 64 * 64 * 2);
    r.smem = 64 * 64 * 2;
    assert_int_equal(zlay_places_find(*state, &p, target_of("sm_90a"), &r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "16384 bytes of shared memory"));
    value[Q].times = 8;
    p = found(*state, "sm_90a", &r);
    assert_int_equal(p.value[Q].smem, p.value[V].smem);
}

#define TILE(NAME, ...) {.name = NAME, .rows = 64, .columns = 64, .bits = 16, .times = 8, __VA_ARGS__}

/* The first round of a loop would take a sum from the others: one that no round makes anew is no sum of tcgen05. */
static void test_sum_of_all_rounds(void **state)
{
    enum { F, G, C, R };
    zlay_places_value value[] = {TILE("F", .from = ZLAY_PLACE_GLOBAL), TILE("G", .from = ZLAY_PLACE_GLOBAL),
                                 {.name = "C", .rows = 64, .columns = 64, .bits = 32, .from = ZLAY_PLACE_GLOBAL}, TILE("R", .to = ZLAY_PLACE_GLOBAL)};
    const zlay_places_operation operation[] = {{.form = "product", .reads = 3, .writes = 1, .read = {F, G, C}, .write = {R}}};
    zlay_places_request r = {.size = sizeof r, .values = 4, .operations = 1, .loop_count = 1, .value = value, .operation = operation};
    zlay_places p;
    for (value[C].times = 1; value[C].times < 8; value[C].times++) {
        assert_int_equal(zlay_places_find(*state, &p, target_of("sm_100a"), &r), ZLAY_NONE);
        assert_non_null(strstr(zlay_ctx_message(*state), "value 'C' has no place: operation 0 (tcgen05.mma) adds to it where it lies"));
        found(*state, "sm_90a", &r);
    }
    found(*state, "sm_100a", &r);
    r.loop_count = 0;
    value[C].times = 1;
    found(*state, "sm_100a", &r);
}

/* K is read before the loop and in it, Z is made before it: V, which is read behind them in each round, has no room of theirs. */
static void test_before_the_loop(void **state)
{
    enum { F, K, Z, V, S, O, U };
    const zlay_places_value value[] = {TILE("F", .from = ZLAY_PLACE_REGISTER), TILE("K", .from = ZLAY_PLACE_GLOBAL), TILE("Z", .to = 0),
                                       TILE("V", .from = ZLAY_PLACE_GLOBAL), TILE("S", .to = 0), TILE("O", .to = 0), TILE("U", .to = ZLAY_PLACE_GLOBAL)};
    const zlay_places_operation operation[] = {{.form = "product", .reads = 2, .writes = 1, .read = {F, K}, .write = {Z}},
                                               {.form = "product", .reads = 2, .writes = 1, .read = {F, K}, .write = {S}},
                                               {.form = "product", .reads = 2, .writes = 1, .read = {F, Z}, .write = {O}},
                                               {.form = "product", .reads = 2, .writes = 1, .read = {F, V}, .write = {U}}};
    const zlay_places_request r = {.size = sizeof r, .values = 7, .operations = 4, .loop_first = 1, .loop_count = 3, .value = value, .operation = operation};
    zlay_places p = found(*state, "sm_90a", &r);
    assert_true(p.value[K].smem != p.value[V].smem && p.value[Z].smem != p.value[V].smem && p.value[K].smem != p.value[Z].smem);
    assert_int_equal(p.smem, 3 * 64 * 64 * 2);
}

/* A ring that no memory holds: the answer names what was tried, not a form. */
static void test_no_memory_holds(void **state)
{
    product x;
    zlay_places p;
    product_of(&x, 1);
    x.value[B].depth = UINT32_MAX;
    assert_int_equal(zlay_places_find(*state, &p, target_of("sm_90a"), &x.r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "no choice of places fits in 8320000 bytes of shared memory"));
}

/* tcgen05.mma adds to a sum where it lies: that sum is not there for another reader. */
static void test_sum_read_again(void **state)
{
    enum { F, G, C, R, H };
    const zlay_places_value value[] = {{.name = "F", .rows = 128, .columns = 64, .bits = 16, .from = ZLAY_PLACE_GLOBAL},
                                       {.name = "G", .rows = 64, .columns = 64, .bits = 16, .from = ZLAY_PLACE_GLOBAL},
                                       {.name = "C", .rows = 128, .columns = 64, .bits = 32, .from = ZLAY_PLACE_GLOBAL},
                                       {.name = "R", .rows = 128, .columns = 64, .bits = 32, .to = ZLAY_PLACE_TENSOR | ZLAY_PLACE_GLOBAL},
                                       {.name = "H", .rows = 128, .columns = 64, .bits = 32, .to = ZLAY_PLACE_TENSOR | ZLAY_PLACE_GLOBAL}};
    const zlay_places_operation operation[] = {{.form = "product", .reads = 3, .writes = 1, .read = {F, G, C}, .write = {R}},
                                               {.form = "product", .reads = 3, .writes = 1, .read = {F, G, C}, .write = {H}}};
    const zlay_places_request r = {.size = sizeof r, .values = 5, .operations = 2, .value = value, .operation = operation};
    zlay_places p;
    assert_int_equal(zlay_places_find(*state, &p, target_of("sm_100a"), &r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "value 'C' has no place: operation 0 (tcgen05.mma) adds to it where it lies"));
    found(*state, "sm_90a", &r);
}

static void test_machine(void **state)
{
    zlay_machine machine;
    product x;
    int64_t shared = 0;
    product_of(&x, 1);
    zlay_places own = found(*state, "sm_90a", &x.r);
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_90a")), ZLAY_OK);
    assert_int_equal(zlay_machine_get(&shared, &machine, ZLAY_MACHINE_SHARED_KILOCYCLE), ZLAY_OK);
    x.r.has_cost = 1;
    x.r.cost[1] = (uint32_t)((1000000000 + shared - 1) / shared);
    x.r.cost[4] = 0;
    zlay_places rest = found(*state, "sm_90a", &x.r);
    uint64_t global = (2ull * 8 * 128 * 64 * 2) + 128 * 128 * 4;
    assert_true(own.cost > rest.cost);
    assert_int_equal((own.cost - rest.cost) % global, 0);
    x.r.cost[4] = (uint32_t)((own.cost - rest.cost) / global);
    assert_int_equal(found(*state, "sm_90a", &x.r).cost, own.cost);
    assert_int_equal(own.moved[4], global);
}

/* ---- attention ---- */

enum { Q, K, V, SCORES, P, SCALE, SCALED, O, OUT, VALUES, OPERATIONS = 5 };

typedef struct attention {
    zlay_places_value value[VALUES];
    zlay_places_operation operation[OPERATIONS];
    zlay_places_request r;
} attention;

static void attention_of(attention *x)
{
    static const zlay_places_value values[] = {
        {.name = "Q", .rows = 128, .columns = 128, .bits = 16, .from = ZLAY_PLACE_GLOBAL},
        {.name = "K", .rows = 128, .columns = 128, .bits = 16, .depth = 2, .times = 64, .from = ZLAY_PLACE_GLOBAL, .same = 1},
        {.name = "V", .rows = 128, .columns = 128, .bits = 16, .depth = 2, .times = 64, .from = ZLAY_PLACE_GLOBAL, .same = 1},
        {.name = "S", .rows = 128, .columns = 128, .bits = 32, .times = 64},
        {.name = "P", .rows = 128, .columns = 128, .bits = 16, .times = 64},
        {.name = "scale", .rows = 128, .columns = 1, .bits = 32, .times = 64},
        {.name = "O_scaled", .rows = 128, .columns = 128, .bits = 32, .times = 64},
        {.name = "O", .rows = 128, .columns = 128, .bits = 32, .times = 64},
        {.name = "out", .rows = 128, .columns = 128, .bits = 16, .to = ZLAY_PLACE_GLOBAL}};
    static const zlay_places_operation operations[] = {
        {.form = "product", .reads = 2, .writes = 1, .read = {Q, K}, .write = {SCORES}},
        {.form = "map", .reads = 1, .writes = 2, .read = {SCORES}, .write = {P, SCALE}},
        {.form = "map", .reads = 2, .writes = 1, .read = {O, SCALE}, .write = {SCALED}},
        {.form = "product", .reads = 3, .writes = 1, .read = {P, V, SCALED}, .write = {O}},
        {.form = "map", .reads = 1, .writes = 1, .read = {O}, .write = {OUT}}};
    memcpy(x->value, values, sizeof values);
    memcpy(x->operation, operations, sizeof operations);
    x->r = (zlay_places_request){.size = sizeof x->r, .values = VALUES, .operations = OPERATIONS, .loop_count = 4,
                                 .threads = 256, .grid = {64, 16, 1}, .value = x->value, .operation = x->operation};
}

static void test_attention(void **state)
{
    attention x;
    uint32_t mask, first, rows;
    attention_of(&x);
    zlay_places p = found(*state, "sm_90a", &x.r);
    assert_int_equal(p.value[P].has, ZLAY_PLACE_REGISTER);
    assert_int_equal(p.operation[3].read[0], ZLAY_PLACE_REGISTER);
    assert_int_equal(p.value[K].blocks, 8);
    assert_int_equal(p.cluster[0] * p.cluster[1] * p.cluster[2], 8);
    assert_int_equal(zlay_places_mask(&mask, &first, &rows, &p, &x.r, K, 3), ZLAY_OK);
    assert_int_equal(mask, 255);
    assert_int_equal(first, 3 * 16);
    assert_int_equal(rows, 16);
    assert_int_equal(zlay_places_mask(&mask, &first, &rows, &p, &x.r, Q, 3), ZLAY_NONE);
    assert_int_equal(zlay_places_mask(&mask, &first, &rows, &p, &x.r, K, 8), ZLAY_EINVAL);
    assert_int_equal(zlay_places_mask(&mask, &first, &rows, &p, &x.r, VALUES, 0), ZLAY_EINVAL);
    p = found(*state, "sm_100a", &x.r);
    assert_int_equal(p.value[P].has, ZLAY_PLACE_REGISTER | ZLAY_PLACE_TENSOR);
    assert_int_equal(p.operation[3].read[0], ZLAY_PLACE_TENSOR);
    assert_int_equal(p.value[O].column, p.value[SCALED].column);
    assert_int_equal(p.tmem, 512);
    x.r.cluster = 1;
    p = found(*state, "sm_100a", &x.r);
    assert_int_equal(p.global_read, p.global_alone);
}

/* A row count that no group divides: one block copies for all. */
static void test_whole_tiles(void **state)
{
    attention x;
    uint32_t mask, first, rows;
    attention_of(&x);
    for (int v = 0; v < VALUES; v++) x.value[v].rows = 127;
    zlay_places p = found(*state, "sm_90a", &x.r);
    assert_int_equal(p.value[K].blocks, 8);
    assert_int_equal(zlay_places_mask(&mask, &first, &rows, &p, &x.r, K, 0), ZLAY_OK);
    assert_int_equal(rows, 127);
    assert_int_equal(zlay_places_mask(&mask, &first, &rows, &p, &x.r, K, 1), ZLAY_NONE);
}

/* ---- what is refused ---- */

typedef void change(product *x);
static void no_rows(product *x) { x->value[A].rows = 0; }
static void wide(product *x) { x->value[A].bits = 65; }
static void nowhere(product *x) { x->value[A].from = 0; }
static void two_places(product *x) { x->value[A].from = 3; }
static void far(product *x) { x->value[D].to = 32; }
static void not_global(product *x) { x->value[A].from = ZLAY_PLACE_SHARED, x->value[A].same = 1; }
static void written_twice(product *x) { x->operation[0].writes = 2, x->operation[0].write[1] = D; }
static void written_input(product *x) { x->value[D].from = ZLAY_PLACE_GLOBAL; }
static void no_form(product *x) { x->operation[0].form = "prodct"; }
static void null_form(product *x) { x->operation[0].form = NULL; }
static void few(product *x) { x->operation[0].reads = 1; }
static void beyond(product *x) { x->operation[0].read[0] = 9; }
static void own(product *x) { x->operation[0].read[0] = D; }
static void early(product *x) { x->operation[0].reads = 3, x->operation[0].read[2] = D, x->r.loop_count = 0; }
static void long_loop(product *x) { x->r.loop_count = 2; }
static void no_memory(product *x) { x->r.smem = 1 << 20; }
static void odd_columns(product *x) { x->r.tmem = 96; }
static void many_registers(product *x) { x->r.registers = 256; }
static void large_cluster(product *x) { x->r.cluster = 17; }
static void dear(product *x) { x->r.has_cost = 1, x->r.cost[0] = 1 << 20; }
static void no_values(product *x) { x->r.values = 0; }
static void no_operations(product *x) { x->r.operations = 25; }
static void null_values(product *x) { x->r.value = NULL; }
static void reserved(product *x) { x->r.reserved[1] = 1; }
static void huge(product *x) { x->value[A].rows = x->value[A].columns = UINT32_MAX; }
static void often(product *x) { x->value[A].times = 1ull << 40; }
static void read_often(product *x) { x->value[A].times = 1 << 21, x->value[B].rows = 1 << 16, x->value[B].times = 1; }
static void large_sum(product *x) { x->value[D].columns = 1024; }
static void no_tensor(product *x) { x->operation[0].form = "tcgen05.mma"; }
static void tight(product *x) { x->r.smem = 1 << 15, x->r.registers = 66; }
static void to_tensor(product *x) { x->value[D].to = ZLAY_PLACE_TENSOR; }
static void to_cluster(product *x) { x->value[D].to = ZLAY_PLACE_CLUSTER; }

static void test_refused(void **state)
{
    static const struct {
        change *make;
        zlay_status status;
        const char *word;
    } rows[] = {
        {no_rows, ZLAY_EINVAL, "value 'A', rows and columns"}, {wide, ZLAY_EINVAL, "bits"}, {nowhere, ZLAY_EINVAL, "no operation writes it"},
        {two_places, ZLAY_EINVAL, "from is one place"}, {far, ZLAY_EINVAL, "to is a set"}, {not_global, ZLAY_EINVAL, "same is of values"},
        {written_twice, ZLAY_EINVAL, "written twice"}, {written_input, ZLAY_EINVAL, "has `from`"}, {no_form, ZLAY_EINVAL, "did you mean 'product'"},
        {null_form, ZLAY_EINVAL, "operation 0 has no form"}, {few, ZLAY_EINVAL, "does not take 1 operands"}, {beyond, ZLAY_EINVAL, "reads value 9, of 3"},
        {own, ZLAY_EINVAL, "reads what it writes"}, {early, ZLAY_EINVAL, "before it is written"}, {long_loop, ZLAY_EINVAL, "loop"},
        {no_memory, ZLAY_EINVAL, "smem"}, {odd_columns, ZLAY_EINVAL, "tmem"}, {many_registers, ZLAY_EINVAL, "registers"},
        {large_cluster, ZLAY_EINVAL, "cluster: there are fewer blocks in one (target sm_90a)"}, {dear, ZLAY_EINVAL, "cost"}, {no_values, ZLAY_EINVAL, "values: 0"},
        {no_operations, ZLAY_EINVAL, "operations: 25"}, {null_values, ZLAY_EINVAL, "NULL"}, {reserved, ZLAY_EINVAL, "reserved"},
        {huge, ZLAY_EOVERFLOW, "value 0"}, {often, ZLAY_EOVERFLOW, "2^36"}, {read_often, ZLAY_EOVERFLOW, "2^43"},
        {large_sum, ZLAY_NONE, "value 'D' has no place: it needs 512 registers of a thread, of 255"},
        {no_tensor, ZLAY_NONE, "operation 0: sm_90a has no tcgen05.mma"},
        {tight, ZLAY_NONE, "no choice of places fits; what would do: 131072 bytes of shared memory, of 32768; or 192 registers of a thread, of 66"},
        {to_tensor, ZLAY_NONE, "value 'D' has no place: sm_90a has no tensor_memory"},
        {to_cluster, ZLAY_NONE, "value 'D' has no place: no cluster of several blocks divides the grid"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        product x;
        zlay_places p;
        product_of(&x, 1);
        rows[i].make(&x);
        zlay_status status = zlay_places_find(*state, &p, target_of("sm_90a"), &x.r);
        if (status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].word))
            fail_msg("row %zu: %s, %s", i, zlay_status_name(status), zlay_ctx_message(*state));
    }
    assert_int_equal(zlay_places_find(*state, NULL, target_of("sm_90a"), NULL), ZLAY_EINVAL);
}

/* ---- limits ---- */

/* What a search that ends early says holds: the bound is below the best, the choice not. */
static void test_limit(void **state)
{
    attention x;
    uint32_t cut = 0, ended = 0;
    attention_of(&x);
    uint64_t best = found(*state, "sm_100a", &x.r).cost;
    for (uint64_t points = 1; points < 300; points += 3) {
        zlay_ctx *ctx;
        zlay_places p;
        zlay_limits limits = {.size = sizeof limits, .points = points};
        assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
        zlay_status status = zlay_places_find(ctx, &p, target_of("sm_100a"), &x.r);
        if (status) assert_int_equal(status, ZLAY_ELIMIT);
        else assert_true(p.cost >= best && p.lower_bound <= best && (!p.optimal || p.cost == best));
        ended += status != ZLAY_OK;
        cut += !status && !p.optimal;
        zlay_ctx_free(ctx);
    }
    assert_true(cut && ended);
}

static zlay_status find(zlay_ctx *ctx, void *given)
{
    zlay_places p;
    attention *x = given;
    return zlay_places_find(ctx, &p, target_of("sm_90a"), &x->r);
}

static void test_memory(void **state)
{
    heap h;
    attention x;
    (void)state;
    attention_of(&x);
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, find, &x), ZLAY_OK);
    heap_close(&h, ctx);
}

static void test_print(void **state)
{
    char text[4096];
    zlay_buf small = {text, 8, 0}, buf = {text, sizeof text, 0};
    product x;
    product_of(&x, 1);
    zlay_places p = found(*state, "sm_90a", &x.r);
    const zlay_target *target = target_of("sm_90a");
    assert_int_equal(zlay_places_print(&small, &p, target, &x.r), ZLAY_EROOM);
    assert_int_equal(zlay_places_print(&buf, &p, target, &x.r), ZLAY_OK);
    assert_int_equal(small.need, buf.need);
    assert_non_null(strstr(text, "wgmma: A in shared, B in shared -> D in register\n"));
    p.values = 2;
    assert_int_equal(zlay_places_print(&buf, &p, target, &x.r), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example), cmocka_unit_test(test_few_tiles), cmocka_unit_test(test_sum_read_again), cmocka_unit_test(test_no_memory_holds), cmocka_unit_test(test_sum_of_all_rounds),
        cmocka_unit_test(test_before_the_loop),
        cmocka_unit_test(test_machine), cmocka_unit_test(test_attention), cmocka_unit_test(test_whole_tiles),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_limit), cmocka_unit_test(test_memory), cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
