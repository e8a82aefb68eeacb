/* SPDX-License-Identifier: Apache-2.0 */
/* cutlass_host.cu: a host of CUTLASS 4 asks zlay before it makes a tensor map, and makes the same map by zlay.
 * It gives 1,000 pairs of a global layout and a shared layout, of 8 kinds, to CuTe's make_tma_copy and, as texts by
 * zlay/cute.hpp, to zlay_tensormap_synth; 1,000 matrices that no tensor map can bring are refused by zlay alone,
 * where CuTe's asserts end the program or the driver refuses without a reason.
 * Build: nvcc -gencode arch=compute_90a,code=sm_90a -std=c++17 --expt-relaxed-constexpr -I<CUTLASS>/include cutlass_host.cu -lzlay -ldl
 * Run: ./cutlass_host   It prints one line, `1000 of 1000 maps equal ...`, and ends with status 0 where that is so.
 * With a driver, 128 bytes that it wrote for CuTe's arguments are compared with 128 bytes that zlay wrote for its own
 * plan. Without one zlay writes both, so that the arguments are compared: equal words mean equal arguments. */
#define CUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL 1
#include <cuda.h>

#include <cute/tensor.hpp>

#include <cute/atom/copy_traits_sm90_tma.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>

#include <zlay/cute.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <random>

using namespace cute;

namespace {

const zlay_target *hopper;

/* The driver's function where there is a driver; else NULL. */
using encode_tiled = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                                  const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                  CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
encode_tiled find_driver()
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    const auto init = library ? reinterpret_cast<CUresult (*)(unsigned)>(dlsym(library, "cuInit")) : nullptr;
    if (!init || init(0) != CUDA_SUCCESS) return nullptr;
    return reinterpret_cast<encode_tiled>(dlsym(library, "cuTensorMapEncodeTiled"));
}
encode_tiled by_driver;

} // namespace

/* What CuTe calls: this program is not linked with libcuda. */
extern "C" CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                           const cuuint64_t *extent, const cuuint64_t *stride, const cuuint32_t *box,
                                           const cuuint32_t *step, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                           CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill)
{
    if (by_driver) return by_driver(out, type, rank, address, extent, stride, box, step, interleave, swizzle, l2, fill);
    static_assert(sizeof *extent == 8 && sizeof *box == 4, "the widths of cuda.h");
    zlay_tensormap map;
    uint64_t words[16];
    if (zlay_tensormap_from_tiled(&map, type, rank, address, reinterpret_cast<const uint64_t *>(extent),
                                  reinterpret_cast<const uint64_t *>(stride), box, step, interleave, swizzle, l2, fill) ||
        zlay_tensormap_pack(words, hopper, &map))
        return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(out, words, sizeof *out);
    return CUDA_SUCCESS;
}

namespace {

/* zlay's element types by CuTe's. */
template <class T> constexpr int32_t type_of = -1;
template <> constexpr int32_t type_of<half_t> = ZLAY_TYPE_F16;
template <> constexpr int32_t type_of<bfloat16_t> = ZLAY_TYPE_BF16;
template <> constexpr int32_t type_of<float> = ZLAY_TYPE_F32;
template <> constexpr int32_t type_of<double> = ZLAY_TYPE_F64;
template <> constexpr int32_t type_of<uint8_t> = ZLAY_TYPE_U8;

/* Counts, and where random numbers come from. */
struct tally {
    zlay::context ctx;
    std::mt19937 draw{18};
    int asked = 0, equal = 0, refused = 0;

    int64_t below(int64_t end) { return int64_t(draw() % uint64_t(end)); }
    int64_t pitch(int64_t least, int64_t granule) { return (least + granule - 1) / granule * granule + below(9) * granule; }
};

/* The move of one tile by zlay: source and place as CuTe has them. */
template <class T, class Gmem, class Smem> zlay::result<zlay::move> planned(tally &t, const Gmem &gmem, const Smem &smem)
{
    const zlay::layout source = zlay::cute_layout(t.ctx, gmem), place = zlay::cute_layout(t.ctx, smem);
    auto request = zlay::sized<zlay_tensormap_request>();
    request.type = type_of<T>;
    request.source = source;
    request.smem = place;
    request.axes = uint32_t(zlay_layout_box(request.shape, ZLAY_TILE_AXES, place));
    return t.ctx.try_make(zlay_tensormap_synth, hopper, &request);
}

/* The 128 bytes of the one map of a move, of a tensor at an address. */
bool packed(uint64_t *words, const zlay_move *move, uint64_t address)
{
    const auto info = zlay::value(zlay_move_info, move);
    auto map = zlay::value(zlay_move_map_nth, move, 0);
    map.address += address;
    map.l2 = CU_TENSOR_MAP_L2_PROMOTION_L2_128B; /* CuTe's for every tile; zlay's is no wider than the box */
    return info.maps == 1 && info.copies == 1 && !zlay_tensormap_pack(words, hopper, &map);
}

template <class T, class Gmem, class Smem> void compare(tally &t, const Gmem &gmem, const Smem &smem)
{
    T *address = reinterpret_cast<T *>(0x7f0000000000 + 16 * t.below(1 << 20));
    const auto move = planned<T>(t, gmem, smem);
    uint64_t words[16];
    t.asked++;
    if (!move || !packed(words, *move, reinterpret_cast<uint64_t>(address))) {
        std::fprintf(stderr, "%s to %s: %s\n", zlay::cute_text(gmem).c_str(), zlay::cute_text(smem).c_str(),
                     move ? "not one copy" : move.message);
        return;
    }
    const auto copy = make_tma_copy(SM90_TMA_LOAD{}, make_tensor(make_gmem_ptr(address), gmem), smem);
    const bool same = !std::memcmp(copy.get_tma_descriptor(), words, sizeof words);
    if (!same) std::fprintf(stderr, "%s to %s: other words\n", zlay::cute_text(gmem).c_str(), zlay::cute_text(smem).c_str());
    t.equal += same;
}

/* A matrix whose pitch is no multiple of 16 bytes: zlay has no map, and its message the rule. */
template <class T, class Gmem, class Smem> void refuse(tally &t, const Gmem &gmem, const Smem &smem)
{
    const auto move = planned<T>(t, gmem, smem);
    t.refused += move.status == ZLAY_NONE && *move.message;
}

/* 125 matrices, the contiguous side `Inner`, and as many whose pitch is one element too long. */
template <class T, int Inner, class Smem> void matrices(tally &t, const Smem &smem)
{
    for (int i = 0; i < 125; i++) {
        const int64_t m = 64 + t.below(5000), n = 64 + t.below(5000), granule = 16 / int64_t(sizeof(T));
        const int64_t pitch = t.pitch(Inner ? n : m, granule);
        const auto gmem = [&](int64_t p) {
            if constexpr (Inner) return make_layout(make_shape(m, n), make_stride(p, Int<1>{}));
            else return make_layout(make_shape(m, n), make_stride(Int<1>{}, p));
        };
        compare<T>(t, gmem(pitch), smem);
        refuse<T>(t, gmem(pitch + 1), smem);
    }
}

/* 125 tensors of rank 3: batches of matrices. Odd sides and gaps between them leave nothing that zlay could merge into rank 2. */
template <class T, class Smem> void batches(tally &t, const Smem &smem)
{
    for (int i = 0; i < 125; i++) {
        const int64_t m = 65 + 2 * t.below(450), n = 65 + 2 * t.below(450), l = 2 + t.below(60), granule = 16 / int64_t(sizeof(T));
        const int64_t pitch = t.pitch(n, granule), plane = t.pitch(pitch * m + 1, granule);
        const auto gmem = [&](int64_t p) { return make_layout(make_shape(m, n, l), make_stride(pitch, Int<1>{}, p)); };
        compare<T>(t, gmem(plane), smem);
        refuse<T>(t, gmem(plane + 1), smem);
    }
}

void all(tally &t)
{
    matrices<half_t, 1>(t, tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128, _64>{}));
    matrices<bfloat16_t, 0>(t, tile_to_shape(GMMA::Layout_MN_SW128_Atom<bfloat16_t>{}, Shape<_64, _64>{}));
    matrices<float, 1>(t, tile_to_shape(GMMA::Layout_K_SW64_Atom<float>{}, Shape<_128, _16>{}));
    matrices<uint8_t, 1>(t, tile_to_shape(GMMA::Layout_K_SW32_Atom<uint8_t>{}, Shape<_64, _32>{}));
    matrices<double, 0>(t, make_layout(Shape<_32, _16>{}));
    matrices<float, 1>(t, make_layout(Shape<_64, _32>{}, LayoutRight{}));
    batches<half_t>(t, make_layout(Shape<_16, _8, _2>{}, Stride<_8, _1, _128>{}));
    batches<uint8_t>(t, make_layout(Shape<_32, _64, _1>{}, LayoutRight{}));
}

} // namespace

int main()
{
    tally t;
    hopper = zlay::target("sm_90a");
    by_driver = find_driver();
    if (by_driver) cudaFree(nullptr); // the driver encodes where a context is current
    all(t);
    std::printf("%d of %d maps equal CuTe's in %s; %d of %d pitches that are none refused\n", t.equal, t.asked,
                by_driver ? "the bits that the driver wrote" : "all arguments (no driver)", t.refused, t.asked);
    return t.equal != t.asked || t.refused != t.asked;
}
