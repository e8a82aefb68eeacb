/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_now.h"
#include "use_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static cuda_result encode(const cuda_now *cuda, const zlay_tensormap *m, void *bits)
{
    uint64_t extent[64] = {0}, stride[64] = {0};
    uint32_t box[64] = {0}, step[64] = {0};
    int lower[8] = {0}, upper[8] = {0};
    memcpy(extent, m->extent, sizeof m->extent);
    memcpy(stride, m->stride, sizeof m->stride);
    memcpy(box, m->box, sizeof m->box);
    memcpy(step, m->step, sizeof m->step);
    memcpy(lower, m->lower, sizeof m->lower);
    memcpy(upper, m->upper, sizeof m->upper);
    void *at = (void *)(uintptr_t)m->address;
    unsigned t = (unsigned)m->type, il = (unsigned)m->interleave, sw = (unsigned)m->swizzle,
             l2 = (unsigned)m->l2, oob = (unsigned)m->oob;
    if (m->mode == 0)
        return cuda->cuTensorMapEncodeTiled(bits, t, m->rank, at, extent, stride, box, step, il, sw,
                                            l2, oob);
    if (m->mode == 1)
        return cuda->cuTensorMapEncodeIm2col(bits, t, m->rank, at, extent, stride, lower, upper,
                                             m->channels, m->pixels, step, il, sw, l2, oob);
    return cuda->cuTensorMapEncodeIm2colWide(bits, t, m->rank, at, extent, stride, lower[0],
                                             upper[0], m->channels, m->pixels, step, il,
                                             (unsigned)m->wide_mode, sw, l2, oob);
}

static void record(const cuda_now *cuda, const char *folder, int mode, uint64_t seed, uint64_t count)
{
    char path[512];
    uint8_t *bits = calloc(1, count / 8 + 1);
    uint64_t taken = 0, written = 0, refused = 0, other = 0;
    for (uint64_t i = 0; i < count; i++) {
        _Alignas(128) unsigned char out[128];
        memset(out, 0x5a, sizeof out);
        zlay_tensormap m = map_draw(mode, seed, i);
        cuda_result e = encode(cuda, &m, out);
        taken += e == 0;
        refused += e != 0;
        other += e > 1;
        int same = 1;
        for (int k = 0; k < 128; k++) same &= out[k] == 0x5a;
        written += e && !same;
        if (!e) bits[i / 8] |= (uint8_t)(1 << i % 8);
    }
    snprintf(path, sizeof path, "%s/answers-%d-%llu", folder, mode, (unsigned long long)seed);
    FILE *f = fopen(path, "wb");
    if (f) fwrite(bits, 1, count / 8 + 1, f), fclose(f);
    printf("mode %d: %llu taken, %llu refused (%llu not by 1), %llu of them written\n", mode,
           (unsigned long long)taken, (unsigned long long)refused, (unsigned long long)other,
           (unsigned long long)written);
    free(bits);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    uint64_t maps = argc > 2 ? strtoull(argv[2], NULL, 0) : 1000;
    uint64_t uses = argc > 3 ? strtoull(argv[3], NULL, 0) : 100;
    cuda_now cuda;
    use_result *r = calloc(uses, sizeof *r);
    int done = use_run(r, 1, uses);
    uint64_t faults = 0, refused = 0, late = 0;
    for (uint64_t i = 0; i < uses; i++)
        faults += r[i].fault != 0, refused += r[i].refused != 0, late += r[i].landed == 0;
    printf("uses: done %d, %llu faults, %llu refused, %llu not landed\n", done,
           (unsigned long long)faults, (unsigned long long)refused, (unsigned long long)late);
    char path[512];
    snprintf(path, sizeof path, "%s/uses", folder);
    FILE *f = fopen(path, "wb");
    if (f) fwrite(r, sizeof *r, uses, f), fclose(f);
    if (!cuda_open(&cuda)) return 1;
    for (int mode = 0; mode < 3; mode++) record(&cuda, folder, mode, 1, maps);
    record(&cuda, folder, 1, 2, maps);
    record(&cuda, folder, 2, 2, maps);
    zlay_tensormap m = map_draw(0, 1, 8);
    _Alignas(128) unsigned char out[256];
    for (int i = 8; encode(&cuda, &m, out) && i < 1000; i++) m = map_draw(0, 1, (uint64_t)i);
    printf("fits: %u; at +16 %u, +32 %u\n", encode(&cuda, &m, out), encode(&cuda, &m, out + 16),
           encode(&cuda, &m, out + 32));
    cuda.cuCtxSetCurrent(NULL);
    printf("no context: %u\n", encode(&cuda, &m, out));
    return 0;
}
