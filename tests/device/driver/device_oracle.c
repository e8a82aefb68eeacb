/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver and the device do with random tensor maps, against what zlay says that they do.
 *
 *   device-oracle [--maps N] [--uses N] [--seed N] [--keep FOLDER]
 *
 * N maps of each mode are encoded, N legal ones used in a copy; --keep writes a sample of the answers, and
 * the hash of each use's bytes, as tests/data/ has them.  Ends with `N passed, N failed`. */
#include "device/rig/cuda_now.h"
#include "sample.h"
#include "use_model.h"

#include <zlay/tensormap_bits.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MODES = 3, ROOM = 64, SHOWN = 5 };

typedef struct oracle {
    uint64_t maps, uses, seed;
    const char *folder;
    cuda_now cuda;
    const zlay_target *target;
    uint64_t passed, failed;
} oracle;

static void verdict(oracle *o, uint64_t good, uint64_t bad)
{
    o->passed += good;
    o->failed += bad;
    fflush(stdout);
}

static FILE *kept(const oracle *o, const char *name, int number)
{
    char path[512];
    if (!o->folder) return NULL;
    snprintf(path, sizeof path, "%s/%s-%d-%llu", o->folder, name, number,
             (unsigned long long)o->seed);
    return fopen(path, "wb");
}

/* ---- the encode calls ---------------------------------------------------------------- */

/* The driver reads `rank` entries of each array, whatever the rank is: it is given room. */
static cuda_result encode(const cuda_now *cuda, const zlay_tensormap *m, void *bits)
{
    uint64_t extent[ROOM] = {0}, stride[ROOM] = {0};
    uint32_t box[ROOM] = {0}, step[ROOM] = {0};
    int lower[ROOM] = {0}, upper[ROOM] = {0};
    memcpy(extent, m->extent, sizeof m->extent);
    memcpy(stride, m->stride, sizeof m->stride);
    memcpy(box, m->box, sizeof m->box);
    memcpy(step, m->step, sizeof m->step);
    memcpy(lower, m->lower, sizeof m->lower);
    memcpy(upper, m->upper, sizeof m->upper);
    void *at = (void *)(uintptr_t)m->address;
    unsigned type = (unsigned)m->type, interleave = (unsigned)m->interleave;
    unsigned swizzle = (unsigned)m->swizzle, l2 = (unsigned)m->l2, oob = (unsigned)m->oob;
    if (m->mode == 0)
        return cuda->cuTensorMapEncodeTiled(bits, type, m->rank, at, extent, stride, box, step,
                                            interleave, swizzle, l2, oob);
    if (m->mode == 1)
        return cuda->cuTensorMapEncodeIm2col(bits, type, m->rank, at, extent, stride, lower, upper,
                                             m->channels, m->pixels, step, interleave, swizzle, l2,
                                             oob);
    return cuda->cuTensorMapEncodeIm2colWide(bits, type, m->rank, at, extent, stride, lower[0],
                                             upper[0], m->channels, m->pixels, step, interleave,
                                             (unsigned)m->wide_mode, swizzle, l2, oob);
}

static void show(const zlay_tensormap *m)
{
    printf("  rank %u type %d address %llx interleave %d swizzle %d l2 %d oob %d wide %d;", m->rank,
           m->type, (unsigned long long)m->address, m->interleave, m->swizzle, m->l2, m->oob,
           m->wide_mode);
    for (uint32_t i = 0; i < 5; i++)
        printf(" [extent %llx stride %llx box %x step %x]", (unsigned long long)m->extent[i],
               (unsigned long long)(i ? m->stride[i - 1] : 0), m->box[i], m->step[i]);
    printf(" channels %u pixels %u", m->channels, m->pixels);
    for (uint32_t i = 0; i < 3; i++) printf(" %d..%d", m->lower[i], m->upper[i]);
    printf("\n");
}

static bool changed(const unsigned char *bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bits[i] != 0x5a) return true;
    return false;
}

/* The 128 bytes that zlay writes for a legal map, against the driver's; 1 where there are any, 2 where
 * they are the same and hold the map. */
static int bits_agree(const oracle *o, const zlay_tensormap *m, const void *bits)
{
    uint64_t own[16], theirs[16], left[16], any = 0;
    zlay_tensormap again;
    if (zlay_tensormap_pack(own, o->target, m)) return 0;
    memcpy(theirs, bits, sizeof theirs);
    if (zlay_tensormap_unpack(&again, left, o->target, theirs)) return 1;
    for (size_t i = 0; i < 16; i++) any |= left[i] | (own[i] ^ theirs[i]);
    return any ? 1 : 2;
}

static void encode_mode(oracle *o, int32_t mode)
{
    static const char *const names[] = {"tiled", "im2col", "im2col wide"};
    uint64_t taken = 0, wrong = 0, written = 0, packed[3] = {0};
    sample some = {.file = kept(o, "answers", mode)};
    for (uint64_t i = 0; i < o->maps; i++) {
        _Alignas(128) unsigned char bits[128];
        zlay_verdict said;
        zlay_tensormap m = map_draw(mode, o->seed, i);
        memset(bits, 0x5a, sizeof bits);
        bool takes = encode(&o->cuda, &m, bits) == 0;
        if (some.file) sample_add(&some, o->target, mode, i, &m, takes);
        zlay_status status = zlay_tensormap_check(&said, NULL, 0, o->target, &m);
        bool agrees = !status && (said.driver == ZLAY_DRIVER_ACCEPTS) == takes &&
                      said.driver != ZLAY_DRIVER_UNKNOWN && (takes || said.answer == ZLAY_NO);
        taken += takes;
        int same = takes ? bits_agree(o, &m, bits) : 0;
        if (same == 1 && packed[1] < SHOWN)
            printf("map %llu has other bits\n", (unsigned long long)i), show(&m);
        packed[same]++;
        written += !takes && changed(bits, sizeof bits);
        if (!agrees && wrong++ < SHOWN) printf("map %llu, taken %d\n", (unsigned long long)i, takes), show(&m);
    }
    if (some.file) fclose(some.file);
    printf("%s: %llu maps, %llu taken, %llu refused ones written all the same, %llu disagree\n",
           names[mode], (unsigned long long)o->maps, (unsigned long long)taken,
           (unsigned long long)written, (unsigned long long)wrong);
    printf("%s: of the legal ones zlay writes %llu as the driver, %llu otherwise\n", names[mode],
           (unsigned long long)packed[2], (unsigned long long)packed[1]);
    verdict(o, o->maps - wrong, wrong);
    verdict(o, packed[2], packed[1]);
}

/* Joint repairs of maps that are refused, put to the driver. */
static void repairs_encode(oracle *o, int32_t mode)
{
    enum { ONE_IN = 100 };
    uint64_t kinds[ZLAY_KEEPS_NOTHING + 1] = {0}, wrong = 0, count = 0;
    for (uint64_t i = 0; i < o->maps; i += ONE_IN) {
        _Alignas(128) unsigned char bits[128];
        zlay_verdict said;
        zlay_tensormap m = map_draw(mode, o->seed, i), repaired;
        int32_t keeps = 0;
        uint64_t split;
        if (zlay_tensormap_check(&said, NULL, 0, o->target, &m) || said.answer == ZLAY_YES) continue;
        zlay_status status = zlay_tensormap_repair(&repaired, &keeps, &split, o->target, &m);
        kinds[status ? 0 : keeps]++;
        if (status) continue;
        count++;
        if (encode(&o->cuda, &repaired, bits)) wrong++, show(&repaired);
    }
    printf("mode %d: repairs of random illegal maps: all %llu, bytes %llu, values %llu, none %llu; %llu "
           "refused by the driver\n", mode, (unsigned long long)kinds[1], (unsigned long long)kinds[2],
           (unsigned long long)kinds[3], (unsigned long long)kinds[0], (unsigned long long)wrong);
    verdict(o, count - wrong, wrong);
}

/* ---- uses ------------------------------------------------------------------------------ */

static const char *use_wrong(const use_result *was, const use_result *is, const use_case *u)
{
    if (was->refused) return "the driver refuses the map";
    if (was->fault != is->fault) return "another fault";
    if (was->fault) return NULL;
    if (memcmp(was->bytes, is->bytes, USE_SMEM)) return "other bytes";
    if (!is->landed || was->landed != 1) return "another count of bytes";
    return u->kind < USE_STORE && was->late ? "the barrier counts more bytes" : NULL;
}

static void use_judge(oracle *o, const use_result *was, uint64_t i, uint64_t *good, uint64_t *bad)
{
    static use_result is;
    use_case u = use_draw(o->seed, i);
    const char *why = "the model refuses the map";
    if (use_model(&is, &u, was->base ? was->base : 1024)) why = use_wrong(was, &is, &u);
    *(why ? bad : good) += 1;
    if (!why || *bad > SHOWN) return;
    printf("use %llu, kind %d: %s (fault %u, %u)\n", (unsigned long long)i, u.kind, why, was->fault,
           is.fault);
    show(&u.map);
}

static bool uses_run(oracle *o)
{
    uint64_t good = 0, bad = 0, faults = 0;
    use_result *results = calloc(o->uses, sizeof *results);
    if (!results || !use_run(results, use_draw, o->seed, o->uses)) {
        free(results);
        return false;
    }
    FILE *hashes = kept(o, "uses", 0);
    for (uint64_t i = 0; i < o->uses; i++) {
        const use_result *r = &results[i];
        use_judge(o, r, i, &good, &bad);
        faults += r->fault != 0;
        if (hashes)
            fprintf(hashes, "USE(%llu, %u, 0x%016llx)\n", (unsigned long long)i, r->fault,
                    (unsigned long long)(r->fault ? 0 : use_hash(r->bytes)));
    }
    if (hashes) fclose(hashes);
    free(results);
    printf("uses: %llu copies, %llu as the model, %llu not; %llu faults among them\n",
           (unsigned long long)o->uses, (unsigned long long)good, (unsigned long long)bad,
           (unsigned long long)faults);
    verdict(o, good, bad);
    return true;
}

/* A copy ends without a fault exactly where the map is legal, and no map that the driver refuses is. */
static bool edges_run(oracle *o)
{
    static use_result results[USE_EDGES];
    uint64_t bad = 0, faults = 0;
    if (!use_run(results, use_edge, o->seed, USE_EDGES)) return false;
    for (uint64_t i = 0; i < USE_EDGES; i++) {
        use_case u = use_edge(o->seed, i);
        zlay_verdict said;
        zlay_tensormap_check(&said, NULL, 0, o->target, &u.map);
        const use_result *r = &results[i];
        bool agrees = (said.driver == ZLAY_DRIVER_REFUSES) == (r->refused != 0) &&
                      (said.answer == ZLAY_YES) == (!r->refused && !r->fault);
        faults += r->fault != 0;
        bad += !agrees;
        if (!agrees) printf("edge %llu: refused %u, fault %u\n", (unsigned long long)i, r->refused, r->fault), show(&u.map);
    }
    printf("edges: %d copies, %llu faults, %llu not as said\n", USE_EDGES, (unsigned long long)faults,
           (unsigned long long)bad);
    verdict(o, USE_EDGES - bad, bad);
    return true;
}

/* ---- times -------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds of one map: the driver's and zlay's, in turn over the same 64 legal maps of a rank. */
static void times(oracle *o, uint32_t rank)
{
    enum { MAPS = 64, ROUNDS = 200 };
    static zlay_tensormap maps[MAPS];
    _Alignas(128) unsigned char bits[128];
    zlay_verdict said;
    uint32_t count = 0, yes = 0;
    double theirs = 1e18, ours = 1e18;
    for (uint64_t i = 0; count < MAPS && i < 100000; i++) {
        maps[count] = map_draw(0, o->seed, i);
        zlay_tensormap_check(&said, NULL, 0, o->target, &maps[count]);
        count += maps[count].rank == rank && said.driver == ZLAY_DRIVER_ACCEPTS;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double a = now();
        for (uint32_t i = 0; i < count; i++) yes += encode(&o->cuda, &maps[i], bits) == 0;
        double b = now();
        for (uint32_t i = 0; i < count; i++)
            yes += !zlay_tensormap_check(&said, NULL, 0, o->target, &maps[i]);
        double c = now();
        if (b - a < theirs) theirs = b - a;
        if (c - b < ours) ours = c - b;
    }
    printf("rank %u: the driver %.0f ns, zlay %.0f ns a map%s\n", rank, theirs / count, ours / count,
           yes == 2 * count * ROUNDS ? "" : " (wrong answers)");
}

int main(int argc, char **argv)
{
    oracle o = {.maps = 1000000, .uses = 4096, .seed = 1};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--maps")) o.maps = strtoull(argv[i + 1], NULL, 0);
        else if (!strcmp(argv[i], "--uses")) o.uses = strtoull(argv[i + 1], NULL, 0);
        else if (!strcmp(argv[i], "--seed")) o.seed = strtoull(argv[i + 1], NULL, 0);
        else if (!strcmp(argv[i], "--keep")) o.folder = argv[i + 1];
    }
    if (zlay_target_find(&o.target, "sm_90a", 6)) return 2;
    bool used = uses_run(&o) && edges_run(&o); /* before this process has a context: it forks */
    if (!used) printf("uses: they did not run\n");
    if (!cuda_open(&o.cuda)) return 1;
    for (int32_t mode = 0; mode < MODES; mode++) encode_mode(&o, mode);
    for (int32_t mode = 0; mode < 2; mode++) repairs_encode(&o, mode);
    for (uint32_t rank = 1; rank <= 5; rank++) times(&o, rank);
    printf("%llu passed, %llu failed\n", (unsigned long long)o.passed,
           (unsigned long long)o.failed + !used);
    return o.failed || !used;
}
