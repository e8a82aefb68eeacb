/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/runtime.h - libzlay-runtime: the CUDA driver and the HIP runtime, found
 *  with dlopen.  Nothing of them is linked; on a machine without one zlay_device_open
 *  or zlay_device_open_hip answers ZLAY_EDRIVER and says why.
 *
 *  A run of a plan, in order: zlay_device_open; zlay_kernel_load of the text that
 *  zlay_emit_ptx printed; for each matrix zlay_device_allocate and zlay_device_upload;
 *  zlay_kernel_bind, zlay_kernel_launch, zlay_device_wait; zlay_device_download; and
 *  all of it freed, the device last.  examples/gemm/gemm.c does that.  What a kernel has
 *  beside the matrices (offsets of groups, scales, arrays of an epilogue) zlay_kernel_set
 *  gives it before the launch; examples/grouped_gemm does that.
 */
#ifndef ZLAY_RUNTIME_H
#define ZLAY_RUNTIME_H

#include <zlay/emit_pipe.h>
#include <zlay/emit_ragged.h>
#include <zlay/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An opened driver with one device.  For one thread at a time. */
typedef struct zlay_device zlay_device;

/** What a device is. */
typedef struct zlay_device_summary {
    char name[96];
    int32_t driver;        /* as 13000; of HIP as 50221153 */
    int32_t cc_major, cc_minor; /* of HIP 9 and 4 for gfx942 */
    int32_t processors;    /* multiprocessors */
    int32_t smem_optin;    /* most dynamic shared memory of a block, bytes */
    int32_t l2;            /* bytes */
} zlay_device_summary;

/** Open a device.
 *
 *  Returns: ZLAY_OK; ZLAY_EDRIVER no driver, no such device, or a driver call
 *           failed: the message has its name and number; ZLAY_ENOMEM;
 *           ZLAY_EINVAL.
 *  In:      ordinal  of the device, from 0.
 */
ZLAY_API zlay_status zlay_device_open(zlay_ctx *ctx, zlay_device **out, int32_t ordinal);

/** Open a device of the HIP runtime.  Returns, In: as zlay_device_open. */
ZLAY_API zlay_status zlay_device_open_hip(zlay_ctx *ctx, zlay_device **out, int32_t ordinal);

/** Close a device: of CUDA its primary context is released.  NULL is allowed. */
ZLAY_API void zlay_device_close(zlay_device *device);

/** What the device is.  Returns ZLAY_OK, ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_device_info(zlay_device_summary *out, const zlay_device *device);

/** Encode a tensor map by the driver.
 *
 *  Returns: ZLAY_OK; ZLAY_EDRIVER refused; ZLAY_ENOTSUP a device of HIP;
 *           ZLAY_EINVAL; the driver is asked whatever zlay's own check says.
 *  Out:     out  128 bytes, written only on success.
 */
ZLAY_API zlay_status zlay_device_encode_tensormap(zlay_ctx *ctx, void *out, zlay_device *device,
                                                  const zlay_tensormap *map);

/** Allocate device memory; `*out` is its address, 0 on failure.  Returns
 *  ZLAY_OK; ZLAY_EDRIVER; ZLAY_EINVAL a NULL, or no bytes. */
ZLAY_API zlay_status zlay_device_allocate(zlay_ctx *ctx, uint64_t *out, zlay_device *device,
                                          uint64_t bytes);

/** Free device memory; 0 is allowed. */
ZLAY_API void zlay_device_free(zlay_device *device, uint64_t address);

/** Copy to and from the device, until the copy is done.  Returns ZLAY_OK;
 *  ZLAY_EDRIVER; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_device_upload(zlay_ctx *ctx, zlay_device *device, uint64_t to,
                                        const void *from, uint64_t bytes);
ZLAY_API zlay_status zlay_device_download(zlay_ctx *ctx, void *to, zlay_device *device,
                                          uint64_t from, uint64_t bytes);

/** A kernel of any image, loaded on a device. */
typedef struct zlay_module zlay_module;

/** Blocks of a grid, threads of a block, bytes of dynamic shared memory. */
typedef struct zlay_launch {
    uint32_t grid[3], block[3]; /* each at least 1 */
    uint32_t smem;
    uint32_t reserved; /* 0 */
} zlay_launch;

/** Load a kernel of an image.
 *
 *  Returns: ZLAY_OK; ZLAY_EDRIVER refused, as code of another target is: with the
 *           driver's log; ZLAY_EINVAL an image that is cut short, or of another
 *           vendor; ZLAY_ENOMEM.
 *  In:      image  `length` bytes: PTX text or a cubin; of HIP a code object.
 *           name   the kernel's, 0-terminated.
 *           smem   the most dynamic shared memory of its launches, bytes.
 */
ZLAY_API zlay_status zlay_module_load(zlay_ctx *ctx, zlay_module **out, zlay_device *device,
                                      const void *image, size_t length, const char *name,
                                      uint32_t smem);

/** Free a kernel; its device must still be open.  NULL is allowed. */
ZLAY_API void zlay_module_free(zlay_module *module);

/** Launch a kernel on a CUstream or hipStream_t (NULL: the default stream);
 *  returns without waiting.
 *
 *  Returns: ZLAY_OK; ZLAY_EDRIVER; ZLAY_EINVAL a grid or block without threads.
 *  In:      arguments  `bytes`, one after the other, each at a multiple of the
 *                      largest power of two, at most 128, that divides its size.
 */
ZLAY_API zlay_status zlay_module_launch(zlay_ctx *ctx, zlay_module *module,
                                        const zlay_launch *launch, const void *arguments,
                                        size_t bytes, void *stream);

/** Run a kernel `count` times between two events: milliseconds of all of them.
 *  Returns as zlay_module_launch; ZLAY_EINVAL also a count of 0. */
ZLAY_API zlay_status zlay_module_measure(zlay_ctx *ctx, float *milliseconds, zlay_module *module,
                                         const zlay_launch *launch, const void *arguments,
                                         size_t bytes, uint32_t count);

/** A kernel of a plan, loaded on a device. */
typedef struct zlay_kernel zlay_kernel;

/** Load the PTX, cubin or code object of a plan: module, shared memory opt-in; of a
 *  plan that repacks operands (docs/gemm.md) its copies too.  Where the plan needs a
 *  workspace the kernel has one of its own, which is cleared where launches expect it;
 *  then its launches must follow one another on one stream.
 *
 *  Returns: ZLAY_OK; ZLAY_EDRIVER with the driver's log; ZLAY_ENOTSUP the
 *           device is another than the plan's target, or the kernel has more than
 *           58 arguments behind those of A, B and D; ZLAY_EINVAL; ZLAY_ENOMEM.
 *  In:      image  `length` bytes of PTX text or of a cubin; of HIP of a code
 *                  object, assembled from zlay_emit_assembly's text; `name` the
 *                  kernel's, 0-terminated.
 */
ZLAY_API zlay_status zlay_kernel_load(zlay_ctx *ctx, zlay_kernel **out, zlay_device *device,
                                      const zlay_plan *plan, const void *image, size_t length,
                                      const char *name);

/** A kernel of attention: the plan, what zlay_emit_attention answered, and its text or a
 *  cubin or code object of it. */
typedef struct zlay_attention_kernel {
    uint32_t size;      /* sizeof(zlay_attention_kernel) */
    uint32_t reserved0; /* 0 */
    const zlay_attention_plan *plan;
    const zlay_pipe_launch *launch;
    const zlay_pipe_argument *arguments; /* as many as `launch` says */
    const void *image;
    size_t length;
    const char *name;
    uint64_t reserved[4]; /* 0 */
} zlay_attention_kernel;

/** Load the kernel of a plan of attention.  Its tensors and scalars are set by
 *  zlay_kernel_set; n_N is set, and of `sequences` the counter next_tile, which is a
 *  workspace of the kernel's own as zlay_kernel_load has it.  The merge of a plan with
 *  splits is a kernel of its own (zlay_attention_merge).
 *
 *  Returns: as zlay_kernel_load; ZLAY_EINVAL also arguments that are not the plan's.
 *  In:      request  as above; nothing of it is kept.
 */
ZLAY_API zlay_status zlay_kernel_load_attention(zlay_ctx *ctx, zlay_kernel **out,
                                                zlay_device *device,
                                                const zlay_attention_kernel *request);

/** A kernel that moves rows: what zlay_emit_rows was asked and answered, and a cubin or code
 *  object of its text. */
typedef struct zlay_rows_image {
    uint32_t size;      /* sizeof(zlay_rows_image) */
    uint32_t reserved0; /* 0 */
    const zlay_rows_kernel *rows;
    const zlay_rows_launch *launch;
    const void *image;
    size_t length;
    uint64_t reserved[4]; /* 0 */
} zlay_rows_image;

/** Load a kernel that moves rows; its name in the image is that of `rows`, which in C++ is
 *  compiled as extern "C".  Its parameters are set by their names (zlay_rows_argument_nth),
 *  lists of offsets that the host knows by zlay_kernel_set_offsets or _lengths, which ask
 *  them against the rows of their tensor.  A launch has four times as many blocks as the device
 *  runs at once, of more than 512 groups as many, and never more than have work.
 *  Returns: as zlay_kernel_load.
 *  In:      request  as above; nothing of it is kept.
 */
ZLAY_API zlay_status zlay_kernel_load_rows(zlay_ctx *ctx, zlay_kernel **out, zlay_device *device,
                                           const zlay_rows_image *request);

/** Free a kernel; its device must still be open.  NULL is allowed. */
ZLAY_API void zlay_kernel_free(zlay_kernel *kernel);

/** Encode the maps for three device addresses, which must be aligned as those
 *  of the plan.  The maps stay in the kernel for the launches that follow.
 *  Returns ZLAY_OK, ZLAY_EDRIVER; ZLAY_EINVAL also a kernel of attention, whose tensors
 *  zlay_kernel_set gives. */
ZLAY_API zlay_status zlay_kernel_bind(zlay_ctx *ctx, zlay_kernel *kernel, uint64_t a, uint64_t b,
                                      uint64_t d);

/** Give a kernel one of its arguments behind those of A, B and D: what
 *  zlay_plan_argument_nth lists, or zlay_emit_attention.  It stays for the launches
 *  that follow.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL no argument has this name, or it has other bytes; an
 *           address that is 0, or no multiple of its elements' bytes, of a tensor of 16;
 *           an argument that the plan sets, or that is the workspace; ZLAY_EDRIVER a map
 *           was refused, and the tensor counts as not set.
 *  In:      name   the argument's, 0-terminated, as "offsets", "read_sa" or "x_scale".
 *                  Maps are set by their tensor: "q", "k", "v", "o" and the other
 *                  letters of zlay_attention_move_nth, "sa" and "sb" of block scales.
 *           value  `bytes` of it: of a tensor and of a pointer a uint64_t, the address
 *                  on the device; else the scalar.
 */
ZLAY_API zlay_status zlay_kernel_set(zlay_ctx *ctx, zlay_kernel *kernel, const char *name,
                                     const void *value, uint32_t bytes);

/** Give a kernel offsets that the host knows: they are checked, and copied to memory that
 *  the kernel owns.  Where only the device knows them zlay_kernel_set gives their address,
 *  and the kernel bounds each itself.  Waits for launches that were made before.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL no offsets have this name, `count` is not the plan's
 *           number of groups and one more, an offset is less than the one before, more
 *           than 2^31 - 1, or more than the plan's rows (its m; its k of ZLAY_RAGGED_K; its
 *           queries or keys; those of a tensor of rows): the message names it; ZLAY_EDRIVER;
 *           ZLAY_ENOMEM.
 *  In:      name     "offsets" of groups; "read_q_starts" or "read_k_starts" of
 *                    `sequences`; a list of a kernel that moves rows.
 *           offsets  `count` of them.
 */
ZLAY_API zlay_status zlay_kernel_set_offsets(zlay_ctx *ctx, zlay_kernel *kernel, const char *name,
                                             const uint64_t *offsets, size_t count);

/** The same, from how many rows each group has; the first begins at row 0.
 *  Returns as zlay_kernel_set_offsets, with `count` the number of groups; ZLAY_EINVAL also
 *  lengths that add up to 2^64 or more. */
ZLAY_API zlay_status zlay_kernel_set_lengths(zlay_ctx *ctx, zlay_kernel *kernel, const char *name,
                                             const uint64_t *lengths, size_t count);

/** Let a kernel use a workspace of the caller's in place of its own: kernels that run at
 *  the same time need one each.  It is cleared where launches expect that, and lives as
 *  long as the kernel uses it.  A kernel that repacks operands must be bound again.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL the plan needs none, an address that is 0 or no multiple
 *           of 256, fewer bytes than the plan needs; ZLAY_EDRIVER; ZLAY_ENOMEM.
 *  In:      address  on the device, of `bytes`.
 */
ZLAY_API zlay_status zlay_kernel_set_workspace(zlay_ctx *ctx, zlay_kernel *kernel, uint64_t address,
                                               uint64_t bytes);

/** Launch on the given CUstream (NULL: the default stream) without waiting: the
 *  product, and before and behind it the copies that repack operands.  A grid has as
 *  many blocks as the device has processors, or fewer where the plan has less work.
 *  Returns ZLAY_OK; ZLAY_EDRIVER; ZLAY_EINVAL a NULL, a kernel never bound, or an
 *  argument that was not set. */
ZLAY_API zlay_status zlay_kernel_launch(zlay_ctx *ctx, zlay_kernel *kernel, void *stream);

/** Wait for everything.  Returns ZLAY_OK; ZLAY_EDRIVER names what failed;
 *  ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_device_wait(zlay_ctx *ctx, zlay_device *device);

/** Run a kernel `count` times between two events: milliseconds of all of them.
 *  Returns as zlay_kernel_launch; ZLAY_EINVAL also a count of 0. */
ZLAY_API zlay_status zlay_kernel_measure(zlay_ctx *ctx, float *milliseconds, zlay_kernel *kernel,
                                         uint32_t count);

#ifdef __cplusplus
}
#endif
#endif
