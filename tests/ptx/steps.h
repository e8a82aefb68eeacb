/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions: a row each, by their opcode as it is written. */
#ifndef TEST_PTX_STEPS_H
#define TEST_PTX_STEPS_H

#include "ptx/arithmetic.h"
#include "ptx/warps.h"

static const px_row px_rows[] = {
    {"prefetch.tensormap", px_nothing, 0}, {"trap", px_trap, 0}, {"ret", px_ret, 0},
    {"griddepcontrol.wait", px_nothing, 0}, {"griddepcontrol.launch_dependents", px_nothing, 0},
    {"setmaxnreg.inc.sync.aligned.u32", px_setmaxnreg, PX_TOGETHER},
    {"setmaxnreg.dec.sync.aligned.u32", px_setmaxnreg, PX_TOGETHER},
    {"ld.param.u32", px_ld_param, 0}, {"ld.param.u64", px_ld_param, 0},
    {"ld.shared.b8", px_ld_shared, 0}, {"ld.shared.b16", px_ld_shared, 0}, {"ld.shared.b32", px_ld_shared, 0}, {"ld.shared.v4.b32", px_ld_shared, 0},
    {"ld.shared::cluster.v4.b32", px_ld_shared, 0},
    {"ld.shared.v2.b32", px_ld_shared, 0}, {"st.shared.v2.b32", px_st_shared, 0},
    {"st.shared.b8", px_st_shared, 0}, {"st.shared.b16", px_st_shared, 0}, {"st.shared.b32", px_st_shared, 0}, {"st.shared.v4.b32", px_st_shared, 0},
    {"st.shared::cluster.b32", px_st_shared, 0}, {"st.shared::cluster.v4.b32", px_st_shared, 0},
    {"ld.global.b16", px_ld_global, 0}, {"ld.global.b64", px_ld_global, 0}, {"ld.global.v4.b32", px_ld_global, 0},
    {"ld.global.b8", px_ld_global, 0}, {"ld.global.b32", px_ld_global, 0}, {"ld.global.v2.b32", px_ld_global, 0},
    {"ld.global.nc.b8", px_ld_global, 0}, {"ld.global.nc.u8", px_ld_global, 0}, {"ld.global.nc.s8", px_ld_signed, 0},
    {"ld.global.nc.b16", px_ld_global, 0}, {"ld.global.nc.b32", px_ld_global, 0}, {"ld.global.nc.b64", px_ld_global, 0},
    {"ld.global.nc.v2.b32", px_ld_global, 0}, {"ld.global.nc.v4.b32", px_ld_global, 0},
    {"st.global.b8", px_st_global, 0}, {"st.global.b64", px_st_global, 0}, {"st.global.v2.b32", px_st_global, 0},
    {"st.global.b16", px_st_global, 0}, {"st.global.b32", px_st_global, 0}, {"st.global.v4.b32", px_st_global, 0},
    {"ld.acquire.gpu.global.b32", px_ld_acquire, 0}, {"red.release.gpu.global.add.u32", px_red, 0},
    {"stmatrix.sync.aligned.m8n8.x2.shared.b16", px_stmatrix2, PX_TOGETHER},
    {"stmatrix.sync.aligned.m8n8.x4.shared.b16", px_stmatrix4, PX_TOGETHER},
    {"stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", px_stmatrix2t, PX_TOGETHER},
    {"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", px_stmatrix4t, PX_TOGETHER},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16", px_ldmatrix2, PX_TOGETHER},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", px_ldmatrix4, PX_TOGETHER},
    {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", px_ldmatrix2t, PX_TOGETHER},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", px_ldmatrix4t, PX_TOGETHER},
    {"mma.sync.aligned.m16n8k", px_sync_mma, PX_TOGETHER},
    {"cp.async.ca.shared.global", px_cp_async, 0}, {"cp.async.cg.shared.global", px_cp_async, 0},
    {"cp.async.commit_group", px_cp_commit, 0}, {"cp.async.wait_group", px_cp_wait, 0},
    {"mbarrier.init.shared::cta.b64", px_init, 0},
    {"fence.mbarrier_init.release.cluster", px_init_fence, 0},
    {"mbarrier.arrive.shared::cta.b64", px_mbarrier_arrive, 0},
    {"mbarrier.arrive.release.cluster.shared::cta.b64", px_mbarrier_arrive, 0},
    {"mbarrier.arrive.shared::cluster.b64", px_mbarrier_arrive, 0},
    {"mbarrier.arrive.release.cluster.shared::cluster.b64", px_mbarrier_arrive, 0},
    {"mbarrier.arrive.expect_tx.shared::cta.b64", px_arrive_expect, 0},
    {"mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64", px_arrive_expect, 0},
    {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64", px_expect_tx, 0},
    {"mbarrier.try_wait.parity.shared::cta.b64", px_try_wait, 0},
    {"mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64", px_try_wait, 0},
    {"mapa.shared::cluster.u32", px_mapa, 0},
    {"bar.sync", px_bar_sync, 0}, {"bar.arrive", px_bar_arrive, 0}, {"bar.warp.sync", px_warp_sync, PX_TOGETHER},
    {"elect.sync", px_elect, PX_TOGETHER},
    {"shfl.sync.up.b32", px_shfl, PX_TOGETHER}, {"shfl.sync.down.b32", px_shfl, PX_TOGETHER},
    {"shfl.sync.bfly.b32", px_shfl, PX_TOGETHER}, {"shfl.sync.idx.b32", px_shfl, PX_TOGETHER},
    {"barrier.cluster.arrive.release", px_cluster_arrive, 0}, {"barrier.cluster.arrive.release.aligned", px_cluster_arrive, 0},
    {"barrier.cluster.arrive.relaxed", px_cluster_arrive, 0}, {"barrier.cluster.arrive.relaxed.aligned", px_cluster_arrive, 0},
    {"barrier.cluster.wait.acquire", px_cluster_wait, 0}, {"barrier.cluster.wait.acquire.aligned", px_cluster_wait, 0},
    {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", px_tensor_load, 0},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster", px_tensor_load, 0},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster", px_tensor_load, 0},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", px_tensor_load, 0},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", px_tensor_load, 0},
    {"cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", px_tensor_load, 0},
    {"cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", px_tensor_load, 0},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2", px_tensor_load, 0},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2", px_tensor_load, 0},
    {"cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group", px_tensor_store, 0},
    {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", px_tensor_store, 0},
    {"cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group", px_tensor_store, 0},
    {"cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group", px_tensor_store, 0},
    {"cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group", px_tensor_store, 0},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", px_bulk_load, 0},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster", px_bulk_load, 0},
    {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", px_peer_copy, 0},
    {"cp.async.bulk.global.shared::cta.bulk_group", px_bulk_store, 0},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", px_bulk_store, 0},
    {"cp.async.bulk.commit_group", px_bulk_commit, 0},
    {"cp.async.bulk.wait_group.read", px_bulk_read, 0}, {"cp.async.bulk.wait_group", px_bulk_wait, 0},
    {"fence.proxy.async", px_fence_proxy, 0}, {"fence.proxy.async.shared::cta", px_fence_proxy, 0},
    {"tensormap.replace.tile.global_address.global.b1024.b64", px_replace, 0},
    {"fence.proxy.tensormap::generic.release.gpu", px_map_release, 0},
    {"fence.proxy.tensormap::generic.acquire.gpu", px_map_acquire, 0},
    {"wgmma.fence.sync.aligned", px_wgmma_fence, 0},
    {"wgmma.mma_async.sync.aligned.m64n", px_wgmma, PX_TOGETHER},
    {"wgmma.commit_group.sync.aligned", px_wgmma_commit, PX_TOGETHER},
    {"wgmma.wait_group.sync.aligned", px_wgmma_wait, PX_TOGETHER},
    {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", px_alloc, PX_TOGETHER},
    {"tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32", px_alloc, PX_TOGETHER},
    {"tcgen05.dealloc.cta_group::1.sync.aligned.b32", px_dealloc, PX_TOGETHER},
    {"tcgen05.dealloc.cta_group::2.sync.aligned.b32", px_dealloc, PX_TOGETHER},
    {"tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned", px_relinquish, PX_TOGETHER},
    {"tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned", px_relinquish, PX_TOGETHER},
    {"tcgen05.mma.cta_group::1.kind::f16", px_tensor_mma, 0}, {"tcgen05.mma.cta_group::2.kind::f16", px_tensor_mma, 0},
    {"tcgen05.mma.cta_group::1.kind::tf32", px_tensor_mma, 0}, {"tcgen05.mma.cta_group::1.kind::f8f6f4", px_tensor_mma, 0},
    {"tcgen05.mma.cta_group::1.kind::i8", px_tensor_mma, 0}, {"tcgen05.mma.cta_group::2.kind::i8", px_tensor_mma, 0},
    {"tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32", px_tensor_mma, 0},
    {"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32", px_tensor_mma, 0},
    {"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16", px_tensor_mma, 0},
    {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64", px_tensor_commit, 0},
    {"tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64", px_tensor_commit, 0},
    {"tcgen05.ld.sync.aligned.32x32b.x", px_tensor_ld, PX_TOGETHER},
    {"tcgen05.st.sync.aligned.32x32b.x", px_tensor_st, PX_TOGETHER},
    {"tcgen05.wait::ld.sync.aligned", px_tensor_wait_ld, PX_TOGETHER}, {"tcgen05.wait::st.sync.aligned", px_tensor_wait_st, PX_TOGETHER},
    {"tcgen05.cp.cta_group::1.128x256b", px_tensor_cp, 0}, {"tcgen05.cp.cta_group::2.128x256b", px_tensor_cp, 0},
    {"tcgen05.cp.cta_group::1.32x128b.warpx4", px_tensor_cp, 0}, {"tcgen05.cp.cta_group::2.32x128b.warpx4", px_tensor_cp, 0},
    {"tcgen05.fence::before_thread_sync", px_tensor_before, 0}, {"tcgen05.fence::after_thread_sync", px_tensor_after, 0},
};

/* A row of products, or of loads and stores of tensor memory, stands for all their shapes. */
static inline const px_row *px_row_of(const char *op)
{
    for (size_t i = 0; i < sizeof px_rows / sizeof *px_rows; i++) {
        bool shapes = px_rows[i].step == px_wgmma || px_rows[i].step == px_tensor_ld || px_rows[i].step == px_sync_mma || px_rows[i].step == px_tensor_st;
        if (shapes ? !strncmp(op, px_rows[i].op, strlen(px_rows[i].op)) : !strcmp(op, px_rows[i].op)) return &px_rows[i];
    }
    for (size_t i = 0; i < PX_ARITHMETIC; i++)
        if (!strcmp(op, px_arithmetic[i].op)) return &px_arithmetic[i];
    return NULL;
}

#endif
