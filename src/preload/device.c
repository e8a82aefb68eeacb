/* SPDX-License-Identifier: Apache-2.0 */
/* Which target's rules hold: that of ZLAY_EXPLAIN_TARGET, else of the device of the calling
 * thread's context, else of device 0, as the driver that the program has loaded says; sm_90a
 * where none says. */
#define _GNU_SOURCE
#include "preload/preload.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef zl_cu_result device_function(int *device);
typedef zl_cu_result attribute_function(int *value, zl_cu_enum attribute, int device);

static const zlay_target *named(const char *name)
{
    const zlay_target *target;
    return zlay_target_find(&target, name, strlen(name)) ? NULL : target;
}

/* sm_90a before sm_90: maps exist on both. */
static const zlay_target *of_capability(int major, int minor)
{
    char name[32];
    snprintf(name, sizeof name, "sm_%d%da", major, minor);
    const zlay_target *target = named(name);
    if (target) return target;
    name[strlen(name) - 1] = 0;
    return named(name);
}

static const zlay_target *of_device(void)
{
    void *library = dlopen(ZL_DRIVER_PATH, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return NULL;
    device_function *current = NULL;
    attribute_function *attribute = NULL;
    void *found = dlsym(library, "cuCtxGetDevice");
    memcpy(&current, &found, sizeof found);
    found = dlsym(library, "cuDeviceGetAttribute");
    memcpy(&attribute, &found, sizeof found);
    int device = 0, major = 0, minor = 0;
    if (!current || current(&device)) device = 0;
    const bool known =
        attribute && !attribute(&major, ZL_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) &&
        !attribute(&minor, ZL_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    dlclose(library);
    return known ? of_capability(major, minor) : NULL;
}

const zlay_target *zl_told_target(void)
{
    static _Atomic(const zlay_target *) known;
    const zlay_target *target = atomic_load(&known);
    if (target) return target;
    const char *name = getenv("ZLAY_EXPLAIN_TARGET");
    target = name ? named(name) : NULL;
    if (!target) target = of_device();
    if (target) atomic_store(&known, target);
    return target ? target : named("sm_90a");
}
