/* SPDX-License-Identifier: Apache-2.0 */
/* A libamdhip64 without a device, as fake-cuda.c is a libcuda. Prototypes are written from HIP's
 * manual, not from the library's table. */
#include "fake-cuda.h"

#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static fake_state fake;
static char module_handle, function_handle;
static int device_set;
static char memory[1 << 20]; /* one block, which every allocation is */

EXPORT fake_state *fake_control(void);
fake_state *fake_control(void) { return &fake; }

static int called(const char *name)
{
    if (fake.calls < FAKE_CALLS) fake.called[fake.calls] = name;
    return ++fake.calls == fake.fail_at;
}

#define ENTER()                                                                                    \
    if (called(__func__)) return FAKE_ERROR
#define ENTER_ON_DEVICE()                                                                          \
    do {                                                                                           \
        if (device_set != 7) fake.mistakes++;                                                      \
        ENTER();                                                                                   \
    } while (0)

EXPORT int hipInit(unsigned flags)
{
    device_set = 0;
    ENTER();
    return flags ? FAKE_INVALID : 0;
}

EXPORT int hipDriverGetVersion(int *version)
{
    ENTER();
    *version = 50221153;
    return 0;
}

EXPORT const char *hipGetErrorName(int error)
{
    if (fake.nameless) return NULL;
    return error == FAKE_ERROR ? "hipErrorUnknown" : "hipErrorInvalidValue";
}

EXPORT int hipDeviceGet(int *device, int ordinal)
{
    ENTER();
    if (ordinal) return FAKE_INVALID;
    *device = 7;
    return 0;
}

EXPORT int hipDeviceGetName(char *name, int room, int device)
{
    ENTER();
    if (device != 7) return FAKE_INVALID;
    memset(name, 'x', (size_t)room);
    memcpy(name, "Imaginary", 10);
    return 0;
}

EXPORT int hipDeviceGetAttribute(int *value, int attribute, int device)
{
    static const struct {
        int attribute, value;
    } values[] = {{19, 4 << 20}, {23, 9}, {61, 4}, {63, 304}, {74, 65536}};
    ENTER();
    if (device != 7) return FAKE_INVALID;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].attribute == attribute) {
            *value = values[i].value;
            return 0;
        }
    return FAKE_INVALID;
}

EXPORT int hipSetDevice(int device)
{
    ENTER();
    device_set = device;
    return 0;
}

EXPORT int hipDeviceSynchronize(void)
{
    ENTER_ON_DEVICE();
    return 0;
}

EXPORT int hipMalloc(void **address, size_t bytes)
{
    *address = (void *)1;
    ENTER_ON_DEVICE();
    if (bytes > sizeof memory) return FAKE_INVALID;
    *address = memory;
    fake.memory++;
    return 0;
}

EXPORT int hipFree(void *address)
{
    fake.memory--;
    if (address != memory) fake.mistakes++;
    ENTER_ON_DEVICE();
    return 0;
}

EXPORT int hipMemcpyHtoD(void *to, void *from, size_t bytes)
{
    ENTER_ON_DEVICE();
    memcpy(to, from, bytes);
    return 0;
}

EXPORT int hipMemcpyDtoH(void *to, void *from, size_t bytes)
{
    ENTER_ON_DEVICE();
    memcpy(to, from, bytes);
    return 0;
}

EXPORT int hipModuleLoadData(void **module, const void *image)
{
    *module = (void *)1;
    ENTER_ON_DEVICE();
    memcpy(fake.image, image, 20);
    fake.modules++;
    *module = &module_handle;
    return 0;
}

EXPORT int hipModuleUnload(void *module)
{
    if (module != &module_handle || fake.modules < 1) fake.mistakes++;
    fake.modules--;
    ENTER_ON_DEVICE();
    return 0;
}

EXPORT int hipModuleGetFunction(void **function, void *module, const char *name)
{
    ENTER_ON_DEVICE();
    if (module != &module_handle) fake.mistakes++;
    strncpy(fake.kernel, name, sizeof fake.kernel - 1);
    *function = &function_handle;
    return 0;
}

EXPORT int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z,
                                 unsigned shared_bytes, void *stream, void **parameters,
                                 void **extra)
{
    ENTER_ON_DEVICE();
    if (function != &function_handle || parameters) fake.mistakes++;
    fake.launch = (fake_launch){.grid = grid_x, .block = block_x, .shared_bytes = shared_bytes,
                                .other = grid_y * grid_z * block_y * block_z, .stream = stream};
    if (!fake_unpack(&fake.launch, extra, FAKE_HIP_LAUNCH_END)) fake.mistakes++;
    fake.launches++;
    return 0;
}

EXPORT int hipEventCreate(void **event)
{
    *event = (void *)1;
    ENTER_ON_DEVICE();
    *event = malloc(1);
    fake.events++;
    return 0;
}

EXPORT int hipEventDestroy(void *event)
{
    if (fake.events < 1) fake.mistakes++;
    fake.events--;
    free(event);
    ENTER_ON_DEVICE();
    return 0;
}

EXPORT int hipEventRecord(void *event, void *stream)
{
    ENTER_ON_DEVICE();
    if (!event || stream) fake.mistakes++;
    return 0;
}

EXPORT int hipEventSynchronize(void *event)
{
    ENTER_ON_DEVICE();
    if (!event) fake.mistakes++;
    return 0;
}

EXPORT int hipEventElapsedTime(float *milliseconds, void *begin, void *end)
{
    *milliseconds = -1;
    ENTER_ON_DEVICE();
    if (begin == end) fake.mistakes++;
    *milliseconds = 2.5f;
    return 0;
}
