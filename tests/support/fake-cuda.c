/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 without a device: it counts what is alive, remembers what it was asked, fails the
 * call that it is told to fail, and like the real one writes a tensor map even when it refuses it.
 * Device memory is host memory, so that copies copy.  Prototypes are written from cuda.h's manual,
 * not from the library's table. */
#include "fake-cuda.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static fake_state fake = {.cc_major = 9};
static void *blocks[64]; /* allocated and not freed */
static char context_handle, module_handle, function_handle;

EXPORT fake_state *fake_control(void);
fake_state *fake_control(void) { return &fake; }

static int called(const char *name)
{
    if (fake.calls < FAKE_CALLS) fake.called[fake.calls] = name;
    return ++fake.calls == fake.fail_at;
}

#define ENTER()                                                                                    \
    if (called(__func__)) return FAKE_ERROR
#define ENTER_IN_CONTEXT()                                                                         \
    do {                                                                                           \
        if (!fake.pushed) fake.mistakes++;                                                         \
        ENTER();                                                                                   \
    } while (0)

EXPORT int cuInit(unsigned flags)
{
    ENTER();
    return flags ? FAKE_INVALID : 0;
}

EXPORT int cuDriverGetVersion(int *version)
{
    ENTER();
    *version = 13000;
    return 0;
}

EXPORT int cuGetErrorName(int error, const char **name)
{
    if (fake.nameless) return FAKE_INVALID;
    *name = error == FAKE_ERROR     ? "CUDA_ERROR_UNKNOWN"
            : error == FAKE_BAD_PTX ? "CUDA_ERROR_INVALID_PTX"
                                    : "CUDA_ERROR_INVALID_VALUE";
    return 0;
}

EXPORT int cuDeviceGet(int *device, int ordinal)
{
    ENTER();
    if (ordinal) return FAKE_INVALID;
    *device = 7;
    return 0;
}

EXPORT int cuDeviceGetName(char *name, int room, int device)
{
    ENTER();
    if (device != 7) return FAKE_INVALID;
    memset(name, 'x', (size_t)room);
    memcpy(name, "Imaginary", 10);
    return 0;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    ENTER();
    if (device != 7) return FAKE_INVALID;
    switch (attribute) {
    case 16:
        *value = 5;
        return 0;
    case 38:
        *value = 1 << 20;
        return 0;
    case 75:
        *value = fake.cc_major;
        return 0;
    case 76:
        *value = 0;
        return 0;
    case 97:
        *value = 232448;
        return 0;
    default:
        return FAKE_INVALID;
    }
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = (void *)1;
    ENTER();
    if (device != 7) return FAKE_INVALID;
    fake.contexts++;
    *context = &context_handle;
    return 0;
}

static int block_swap(void *from, void *to)
{
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (blocks[i] == from) {
            blocks[i] = to;
            return 1;
        }
    return 0;
}

/* The last release takes a context's memory with it; fake.memory still tells what nobody freed. */
static void blocks_free(void)
{
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
    if (device != 7 || fake.contexts < 1) fake.mistakes++;
    if (!--fake.contexts) blocks_free();
    ENTER();
    return 0;
}

EXPORT int cuCtxPushCurrent_v2(void *context)
{
    ENTER();
    if (context != &context_handle || !fake.contexts) fake.mistakes++;
    fake.pushed++;
    return 0;
}

EXPORT int cuCtxPopCurrent_v2(void **context)
{
    if (!fake.pushed) fake.mistakes++;
    fake.pushed--;
    *context = &context_handle;
    ENTER();
    return 0;
}

EXPORT int cuCtxSynchronize(void)
{
    ENTER_IN_CONTEXT();
    return 0;
}

EXPORT int cuMemAlloc_v2(unsigned long long *address, size_t bytes)
{
    *address = 1;
    ENTER_IN_CONTEXT();
    void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!memory || !block_swap(NULL, memory)) {
        free(memory);
        return 2;
    }
    fake.memory++;
    *address = (uintptr_t)memory;
    return 0;
}

EXPORT int cuMemFree_v2(unsigned long long address)
{
    fake.memory--;
    if (!block_swap((void *)(uintptr_t)address, NULL)) fake.mistakes++;
    else free((void *)(uintptr_t)address);
    ENTER_IN_CONTEXT();
    return 0;
}

EXPORT int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes)
{
    ENTER_IN_CONTEXT();
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

EXPORT int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes)
{
    ENTER_IN_CONTEXT();
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return 0;
}

EXPORT int cuMemsetD8_v2(unsigned long long to, unsigned char byte, size_t bytes)
{
    ENTER_IN_CONTEXT();
    memset((void *)(uintptr_t)to, byte, bytes);
    return 0;
}

static void log_write(unsigned count, const int *options, void **values)
{
    char *log = NULL;
    size_t room = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == 5) log = values[i];
        if (options[i] == 6) room = (size_t)(uintptr_t)values[i];
    }
    if (log && room) strncpy(log, fake.ptx_log, room);
}

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                              void **values)
{
    *module = (void *)1;
    ENTER_IN_CONTEXT();
    if (fake.ptx_log) {
        log_write(count, options, values);
        return FAKE_BAD_PTX;
    }
    strncpy(fake.image, image, sizeof fake.image - 1);
    fake.modules++;
    *module = &module_handle;
    return 0;
}

EXPORT int cuModuleUnload(void *module)
{
    if (module != &module_handle || fake.modules < 1) fake.mistakes++;
    fake.modules--;
    ENTER_IN_CONTEXT();
    return 0;
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
    ENTER_IN_CONTEXT();
    if (module != &module_handle) fake.mistakes++;
    strncpy(fake.kernel, name, sizeof fake.kernel - 1);
    *function = fake.function = &function_handle;
    return 0;
}

EXPORT int cuFuncSetAttribute(void *function, int attribute, int value)
{
    ENTER_IN_CONTEXT();
    if (function != &function_handle || attribute != 8) fake.mistakes++;
    fake.dynamic_smem = value;
    return 0;
}

/* Maps are aligned by their addresses, of which the first is 16 modulo 128. */
EXPORT int cuFuncGetParamInfo(void *function, size_t number, size_t *offset, size_t *size)
{
    ENTER_IN_CONTEXT();
    if (function != &function_handle) fake.mistakes++;
    if (!fake.maps || number >= 6) return FAKE_INVALID;
    *size = number < 3 ? 128 : 8;
    *offset = number < 3 ? 112 + 128 * number : 496 + 8 * (number - 3);
    return 0;
}

EXPORT int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, void *stream, void **parameters, void **extra)
{
    ENTER_IN_CONTEXT();
    if (function != &function_handle || !extra == !parameters) fake.mistakes++;
    fake_launch *launch = &fake.launch;
    *launch = (fake_launch){grid_x, block_x, shared_bytes, grid_y * grid_z * block_y * block_z,
                            stream, {{0}},   {0},          0,
                            {0},    0,          {{0}}};
    if (extra && !fake_unpack(launch, extra, FAKE_LAUNCH_END)) fake.mistakes++;
    for (int i = 0; parameters && i < FAKE_ARGUMENTS && fake.bytes[i]; i++) memcpy(launch->each[i], parameters[i], fake.bytes[i]);
    for (int i = 0; parameters && !*fake.bytes && i < 3; i++) {
        memcpy(launch->map[i], parameters[i], 128);
        memcpy(&launch->address[i], parameters[3 + i], 8);
    }
#ifdef FAKE_WRITES /* a product whose results differ from launch to launch */
    if (parameters) *(unsigned char *)(uintptr_t)launch->address[2] = (unsigned char)(fake.launches + 1);
#endif
    if (parameters && fake.workspace) memcpy(&launch->workspace, parameters[6], 8);
    fake.history[fake.launches % FAKE_HISTORY] = *launch;
    fake.launches++;
    return 0;
}

EXPORT int cuEventCreate(void **event, unsigned flags)
{
    *event = (void *)1;
    ENTER_IN_CONTEXT();
    if (flags) return FAKE_INVALID;
    *event = malloc(1);
    fake.events++;
    return 0;
}

EXPORT int cuEventDestroy_v2(void *event)
{
    if (fake.events < 1) fake.mistakes++;
    fake.events--;
    free(event);
    ENTER_IN_CONTEXT();
    return 0;
}

EXPORT int cuEventRecord(void *event, void *stream)
{
    ENTER_IN_CONTEXT();
    if (!event || stream) fake.mistakes++;
    return 0;
}

EXPORT int cuEventSynchronize(void *event)
{
    ENTER_IN_CONTEXT();
    if (!event) fake.mistakes++;
    return 0;
}

EXPORT int cuEventElapsedTime(float *milliseconds, void *begin, void *end)
{
    *milliseconds = -1;
    ENTER_IN_CONTEXT();
    if (begin == end) fake.mistakes++;
    *milliseconds = 2.5f;
    return 0;
}

EXPORT int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
                                  const uint64_t *extent, const uint64_t *stride,
                                  const uint32_t *box, const uint32_t *step, int interleave,
                                  int swizzle, int l2, int oob)
{
    fake_encode seen = {.type = (unsigned)type,
                        .rank = rank,
                        .interleave = (unsigned)interleave,
                        .swizzle = (unsigned)swizzle,
                        .l2 = (unsigned)l2,
                        .oob = (unsigned)oob,
                        .address = (uintptr_t)address};
    if ((uintptr_t)map % 128) return FAKE_INVALID;
    memset(map, 0xee, 128);
    ENTER_IN_CONTEXT();
    for (uint32_t i = 0; i < rank; i++) {
        seen.extent[i] = extent[i];
        seen.box[i] = box[i];
        seen.step[i] = step[i];
        if (i + 1 < rank) seen.stride[i] = stride[i];
    }
    fake.encode = seen;
    memset(map, 0x11, 128);
    memcpy(map, &address, sizeof address);
    return fake.refuse_encode ? FAKE_INVALID : 0;
}
