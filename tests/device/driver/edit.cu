/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor map a block, edited on the device by the function that zlay prints (edit.sh writes it to rows.h): each block takes
 * group after group of a ragged matrix, edits its map to the group's address and rows, stores a tile of 64 rows through it and
 * loads the tile again. The map's bounds check has to cut both at the group's end. Every byte of memory is compared, canaries
 * before and behind too, and the 128 bytes of each edited map with those that the same text writes on the host. Then edits alone
 * are timed. Every wait of a kernel ends. Ends with `N passed, N failed`. */
#include "rows.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { ROWS = 64, COLUMNS = 64, TILE = ROWS * COLUMNS, BLOCKS = 132, GROUPS = 4096, AROUND = 1 << 14, SPINS = 1 << 20, ROUNDS = 2000 };
enum { CANARY = 0x5a5a, PITCH = COLUMNS };

static __host__ __device__ uint16_t value_of(unsigned group, unsigned row, unsigned column)
{
    unsigned x = group * 2654435761u + row * 40503u + column * 977u;
    return (uint16_t)((x ^ x >> 15) | 1);
}

/* Waits for phase 0 or 1 a bounded time. */
static __device__ bool landed(unsigned bar, unsigned parity)
{
    for (int i = 0; i < SPINS; i++) {
        unsigned done;
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(bar), "r"(parity) : "memory");
        if (done) return true;
    }
    return false;
}

static __global__ void __launch_bounds__(128) move(unsigned char *maps, const unsigned char *from, uint16_t *at, const int *offset,
                                                   const int *length, unsigned *wrong)
{
    __shared__ __align__(1024) uint16_t out[TILE], in[TILE];
    __shared__ __align__(128) unsigned char edited[128];
    __shared__ __align__(8) unsigned long long bar;
    const unsigned bar_at = (unsigned)__cvta_generic_to_shared(&bar);
    const unsigned out_at = (unsigned)__cvta_generic_to_shared(out), in_at = (unsigned)__cvta_generic_to_shared(in);
    unsigned char *map = maps + 128 * blockIdx.x;
    unsigned parity = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" :: "r"(bar_at) : "memory");
    __syncthreads();
    for (unsigned g = blockIdx.x; g < GROUPS; g += gridDim.x) {
        for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x) out[i] = value_of(g, i / COLUMNS, i % COLUMNS), in[i] = CANARY;
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        if (threadIdx.x < 32) {
            int made = rows_edit(map, edited, from, (long long)(at + (size_t)offset[g] * PITCH), length[g], PITCH);
            if (made != (length[g] > 0) && threadIdx.x == 0) atomicAdd(wrong, 1);
            if (made && threadIdx.x == 0) {
                rows_acquire(map);
                asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %1}], [%2];\n"
                             "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"
                             :: "l"(map), "r"(0), "r"(out_at) : "memory");
                asm volatile("fence.proxy.async;" ::: "memory");
                asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(bar_at), "r"(TILE * 2) : "memory");
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];"
                             :: "r"(in_at), "l"(map), "r"(0), "r"(bar_at) : "memory");
            }
        }
        if (length[g] > 0) {
            if (!landed(bar_at, parity) && threadIdx.x == 0) atomicAdd(wrong + 1, 1);
            parity ^= 1;
            for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x)
                if (in[i] != ((int)(i / COLUMNS) < length[g] ? out[i] : 0)) atomicAdd(wrong + 2, 1);
        }
        __syncthreads();
    }
}

/* Edits of a map a block and nothing else; `acquire` too. */
static __global__ void edits(unsigned char *maps, const unsigned char *from, long long at, bool acquire)
{
    __shared__ __align__(128) unsigned char edited[128];
    for (int i = 0; i < ROUNDS; i++) {
        if (!rows_edit(maps + 128 * blockIdx.x, edited, from, at, 1 + i, PITCH)) return;
        if (acquire) rows_acquire(maps + 128 * blockIdx.x);
        __syncwarp();
    }
}

static bool cuda_did(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) printf("%s: %s\n", what, cudaGetErrorString(e));
    return e == cudaSuccess;
}

static unsigned compare_maps(const unsigned char *maps, const uint16_t *at, const int *offset, const int *length)
{
    unsigned wrong = 0;
    for (unsigned b = 0; b < BLOCKS; b++) {
        unsigned long long words[16];
        unsigned g = b + (GROUPS - 1 - b) / BLOCKS * BLOCKS;
        while (!length[g]) g -= BLOCKS;
        if (!rows(words, (long long)(at + (size_t)offset[g] * PITCH), length[g], PITCH) || memcmp(words, maps + 128 * b, 128)) wrong++;
    }
    return wrong;
}

static void time_edits(unsigned char *maps, const unsigned char *from, long long at)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int round = 0; round < 6; round++) {
        float ms = 0;
        cudaEventRecord(begin);
        edits<<<BLOCKS, 32>>>(maps, from, at, round & 1);
        cudaEventRecord(end);
        if (!cuda_did(cudaEventSynchronize(end), "edits")) return;
        cudaEventElapsedTime(&ms, begin, end);
        if (round >= 2) printf("an edit of 3 entries%s: %.0f ns a block, %d blocks\n", round & 1 ? " and its acquire" : "", ms * 1e6 / ROUNDS, BLOCKS);
    }
}

int main()
{
    static int offset[GROUPS], length[GROUPS];
    unsigned seed = 12345, total = 0, wrong[3] = {0}, bytes_wrong = 0;
    for (int g = 0; g < GROUPS; g++) {
        seed = seed * 1664525u + 1013904223u;
        offset[g] = (int)total;
        length[g] = g < BLOCKS ? ROWS : (int)((seed >> 16) % (ROWS + 1));
        total += (unsigned)length[g];
    }
    size_t count = (size_t)total * PITCH + 2 * AROUND;
    uint16_t *memory = (uint16_t *)malloc(count * 2), *device, *at;
    static unsigned char maps[128 * BLOCKS];
    unsigned char *device_maps, *from;
    int *device_offset, *device_length;
    unsigned *device_wrong;
    unsigned long long words[16];
    for (size_t i = 0; i < count; i++) memory[i] = CANARY;
    if (!cuda_did(cudaMalloc(&device, count * 2), "memory") || !cuda_did(cudaMalloc(&device_maps, sizeof maps), "memory") ||
        !cuda_did(cudaMalloc(&from, 128), "memory") || !cuda_did(cudaMalloc(&device_offset, sizeof offset), "memory") ||
        !cuda_did(cudaMalloc(&device_length, sizeof length), "memory") || !cuda_did(cudaMalloc(&device_wrong, sizeof wrong), "memory"))
        return 1;
    at = device + AROUND;
    if (!rows(words, (long long)at, 1, PITCH)) return 1;
    cudaMemcpy(device, memory, count * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(from, words, 128, cudaMemcpyHostToDevice);
    cudaMemcpy(device_offset, offset, sizeof offset, cudaMemcpyHostToDevice);
    cudaMemcpy(device_length, length, sizeof length, cudaMemcpyHostToDevice);
    cudaMemset(device_wrong, 0, sizeof wrong);
    move<<<BLOCKS, 128>>>(device_maps, from, at, device_offset, device_length, device_wrong);
    if (!cuda_did(cudaDeviceSynchronize(), "move")) return 1;
    cudaMemcpy(memory, device, count * 2, cudaMemcpyDeviceToHost);
    cudaMemcpy(maps, device_maps, sizeof maps, cudaMemcpyDeviceToHost);
    cudaMemcpy(wrong, device_wrong, sizeof wrong, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < AROUND; i++) bytes_wrong += (memory[i] != CANARY) + (memory[count - 1 - i] != CANARY);
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < length[g] * COLUMNS; i++)
            bytes_wrong += memory[AROUND + (size_t)offset[g] * PITCH + i] != value_of((unsigned)g, (unsigned)i / COLUMNS, (unsigned)i % COLUMNS);
    unsigned maps_wrong = compare_maps(maps, at, offset, length);
    printf("%d groups, %u rows: %u elements of memory wrong, %u of loads, %u waits that did not end, %u edits judged wrongly, %u maps whose bytes differ\n",
           GROUPS, total, bytes_wrong, wrong[2], wrong[1], wrong[0], maps_wrong);
    time_edits(device_maps, from, (long long)at);
    unsigned failed = (bytes_wrong != 0) + (wrong[2] != 0) + (wrong[1] != 0) + (wrong[0] != 0) + (maps_wrong != 0);
    printf("%u passed, %u failed\n", 5 - failed, failed);
    return failed != 0;
}
