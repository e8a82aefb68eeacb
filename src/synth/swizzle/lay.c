/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a basis over F2 into the answer: a layout (strided, strided with a swizzle, or over F2),
 * the tensor copies and matrix instructions that can use it, and the costs.  The wavefronts are
 * counted again at the addresses of the first instance, and must equal those of the search. */
#include "algebra/find/find.h"
#include "legality/descriptor/smemdesc.h"
#include "synth/swizzle/ask.h"

#include <string.h>
#include <zlay/tensormap.h>

enum { BYTE = 8, BOX_MOST = 256, CHUNK_BITS = 128, MAP_RANK = 5, GROUP = 8, ALIGN = 1024 };

/* ---- the hardware that can use it ------------------------------------------------ */

/* An element type of each width, for tensor maps and for matrix instructions; -1: none. */
typedef struct width {
    uint32_t bits;
    int32_t tensor, matrix;
} width;

static const width widths[] = {{8, ZLAY_TYPE_U8, ZLAY_TYPE_E4M3},
                               {16, ZLAY_TYPE_U16, ZLAY_TYPE_BF16},
                               {32, ZLAY_TYPE_U32, ZLAY_TYPE_TF32},
                               {64, ZLAY_TYPE_U64, ZLAY_TYPE_F64}};

static width width_of(uint32_t bits)
{
    for (size_t i = 0; i < ZL_COUNT(widths); i++)
        if (widths[i].bits == bits) return widths[i];
    return (width){bits, -1, -1};
}

/* Appends a dimension of a map over a dense tensor, whose strides are rounded up to 16 bytes. */
static void dimension_put(zlay_tensormap *map, uint64_t *bytes, uint64_t extent, uint64_t box)
{
    const uint64_t granule = CHUNK_BITS / BYTE;
    if (map->rank) map->stride[map->rank - 1] = *bytes;
    map->extent[map->rank] = extent;
    map->box[map->rank] = (uint32_t)(box < BOX_MOST ? box : BOX_MOST);
    map->step[map->rank++] = 1;
    *bytes = (*bytes * extent + granule - 1) / granule * granule;
}

bool zl_tensor_writes(const zl_asked *a, uint32_t mode, int32_t swizzle)
{
    zlay_tensormap map = {.address = ALIGN, .swizzle = swizzle};
    zlay_verdict verdict;
    uint64_t span = swizzle ? (uint64_t)(CHUNK_BITS << swizzle) / a->elem_bits : a->shape[mode];
    uint64_t bytes = a->elem_bits / BYTE;
    map.type = width_of(a->elem_bits).tensor;
    if (map.type < 0 || !(a->target->features & ZL_HAS_TMA)) return false;
    dimension_put(&map, &bytes, a->shape[mode], span);
    for (uint32_t i = 0; i < a->rank; i++) {
        if (i == mode || a->shape[i] == 1) continue;
        if (map.rank == MAP_RANK) return false;
        dimension_put(&map, &bytes, a->shape[i], a->shape[i]);
    }
    return !zlay_tensormap_check(&verdict, NULL, 0, a->target, &map) &&
           verdict.answer == ZLAY_YES;
}

/* The canonical layouts of matrix operands are groups of eight rows of one swizzled span.  K is
 * taken as the contiguous mode, because every type allows that. */
bool zl_matrix_reads(const zl_asked *a, uint32_t mode, int32_t swizzle)
{
    uint64_t rows = a->size / a->shape[mode];
    int32_t type = width_of(a->elem_bits).matrix;
    uint32_t modes = 0;
    for (uint32_t i = 0; i < a->rank; i++) modes += a->shape[i] > 1;
    if (!(a->target->features & (ZL_HAS_WGMMA | ZL_HAS_TCGEN05)) || swizzle == ZLAY_SWIZZLE_NONE)
        return false;
    return modes == 2 && rows % GROUP == 0 &&
           !zl_desc_type_check(NULL, a->target, type, ZLAY_MAJOR_K, swizzle);
}

/* The mode with this number among the modes of more than one element. */
static uint32_t mode_of(const zl_asked *a, uint32_t wide)
{
    uint32_t i = 0;
    while (a->shape[i] == 1 || wide-- > 0) i++;
    return i;
}

static void reach_fill(zlay_swizzle *s, const zl_asked *a, const zl_swizzle_found *found)
{
    int32_t swizzle = (int32_t)found->form.swizzle;
    s->info.tensor = s->info.tensor_mode = s->info.matrix = -1;
    if (!found->formed) return;
    uint32_t mode = mode_of(a, found->form.mode);
    if (!zl_tensor_writes(a, mode, swizzle)) return;
    s->info.tensor = swizzle;
    s->info.tensor_mode = (int32_t)mode;
    if (zl_matrix_reads(a, mode, swizzle)) s->info.matrix = swizzle;
}

/* ---- layouts --------------------------------------------------------------------- */

static bool is_single(uint64_t bits) { return !(bits & (bits - 1)); }

/* Reads a swizzle from sums of two bits: the source bits are XORed onto bits `shift` below them.
 * False: a sum has other bits, or two sums have different shifts. */
static bool sources_of(uint64_t *sources, int32_t *shift, const zl_affine *map)
{
    uint64_t alone = 0;
    *sources = 0;
    *shift = 0;
    for (uint32_t i = 0; i < map->bits; i++)
        if (is_single(map->basis[i])) alone |= map->basis[i];
    for (uint32_t i = 0; i < map->bits; i++) {
        uint64_t pair = map->basis[i], source = pair & ~alone, onto = pair & alone;
        if (is_single(pair)) continue;
        if (!source || !onto || !is_single(source) || !is_single(onto)) return false;
        int32_t by = __builtin_ctzll(source) - __builtin_ctzll(onto);
        if (*sources && by != *shift) return false;
        *shift = by;
        *sources |= source;
    }
    return true;
}

/* The swizzle that makes the map from a map of single bits; false: there is none. */
static bool swizzle_of(zl_swizzle *out, const zl_affine *map)
{
    uint64_t sources;
    int32_t shift;
    if (!sources_of(&sources, &shift, map)) return false;
    *out = (zl_swizzle){0, 0, 0};
    if (!sources) return true;
    int32_t low = __builtin_ctzll(sources), bits = __builtin_popcountll(sources);
    if (sources >> low != (UINT64_C(1) << bits) - 1) return false;
    *out = (zl_swizzle){bits, shift > 0 ? low - shift : low, shift};
    return (shift > 0 ? shift : -shift) >= bits;
}

static zlay_status box_of(zl_modes *box, const zl_asked *a)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < a->rank && !status; i++)
        status = zl_modes_leaf(box, (int64_t)a->shape[i], 0);
    if (!status && a->rank > 1) zl_modes_wrap(box, 0);
    return status;
}

/* Makes a strided layout with a swizzle.  The strided part is the swizzle applied to the map,
 * because a swizzle is its own inverse. */
static zlay_status swizzled_make(zlay_swizzle *s, const zl_asked *a, const zl_affine *map,
                                 const zl_modes *box, zl_swizzle swizzle)
{
    zl_affine inner = {.bits = map->bits};
    zl_modes m;
    zlay_layout *strided;
    for (uint32_t i = 0; i < map->bits; i++)
        inner.basis[i] = (uint64_t)zl_swizzle_at(swizzle, (int64_t)map->basis[i]);
    zlay_status status = zl_find_strided_affine(a->ctx, &strided, &inner, box);
    if (status) return status;
    zl_modes_begin(&m, a->ctx);
    status = zl_modes_append(&m, strided->mode, strided->modes);
    if (!status) status = zl_layout_strided(a->ctx, &s->layout, &m, swizzle);
    zl_modes_end(&m);
    zlay_layout_free(strided);
    return status;
}

static zlay_status layout_make(zlay_swizzle *s, const zl_asked *a, const zl_asked_f2 *f,
                               const zl_swizzle_found *found)
{
    zl_affine map = {.bits = f->problem.bits};
    zl_modes box;
    zl_swizzle swizzle;
    memcpy(map.basis, found->basis, map.bits * sizeof *map.basis);
    zl_modes_begin(&box, a->ctx);
    zlay_status status = box_of(&box, a);
    if (!status && swizzle_of(&swizzle, &map))
        status = swizzle.bits ? swizzled_make(s, a, &map, &box, swizzle)
                              : zl_find_strided_affine(a->ctx, &s->layout, &map, &box);
    else if (!status) status = zl_make_f2(a->ctx, &s->layout, &map, &box, NULL, NULL);
    zl_modes_end(&box);
    return status;
}

/* ---- costs ----------------------------------------------------------------------- */

/* The byte addresses of the lanes in the first instance. */

static void addresses_of(uint32_t *out, const zl_asked *a, const zl_asked_access *x,
                         const zl_affine *map, const uint64_t *basis)
{
    for (uint32_t l = 0; l < x->banked.lanes; l++) out[l] = ZLAY_BANK_INACTIVE;
    out[0] = (uint32_t)(zl_xor_of(basis, map->constant) * a->elem_bits / BYTE);
    for (uint32_t b = 0; 1u << b < x->lanes; b++) {
        uint32_t step = (uint32_t)(zl_xor_of(basis, map->basis[b]) * a->elem_bits / BYTE);
        for (uint32_t l = 0; l < 1u << b; l++) out[l | 1u << b] = out[l] ^ step;
    }
}

/* Counts an access at the addresses of its first instance; all instances take as many. */
static zlay_status cost_fill(zlay_swizzle *s, const zl_asked *a, const zl_asked_f2 *f,
                             const zl_swizzle_found *found, uint32_t i)
{
    const zl_asked_access *x = &a->access[i];
    uint32_t addresses[ZLAY_BANK_LANES];
    zlay_bank bank;
    addresses_of(addresses, a, x, &f->map[i], found->basis);
    zlay_status status =
        zlay_bank_conflicts(&bank, a->target, x->banked.access->number, addresses, x->banked.lanes);
    if (status || bank.wavefronts * x->instances != found->wavefronts[i])
        return zl_fail(a->ctx, ZLAY_EINTERNAL,
                       "access %u: %u wavefronts counted; please report this request", i,
                       status ? 0 : bank.wavefronts);
    s->cost[i] = (zlay_swizzle_cost){found->wavefronts[i], bank.ideal * x->instances,
                                     found->bound[i], x->instances};
    return ZLAY_OK;
}

/* The XORs that the offset takes: the terms of all bits beyond the first of each. */
static uint32_t xors_of(const uint64_t *basis, uint32_t bits)
{
    uint32_t terms = 0;
    for (uint32_t i = 0; i < bits; i++) terms += (uint32_t)__builtin_popcountll(basis[i]);
    return terms - bits;
}

zlay_status zl_swizzle_lay(zlay_swizzle *s, const zl_asked *a, const zl_asked_f2 *f,
                           const zl_swizzle_found *found)
{
    static const int32_t methods[] = {[ZL_BY_FORM] = ZLAY_SWIZZLE_FORM,
                                      [ZL_BY_COMPLEMENT] = ZLAY_SWIZZLE_COMPLEMENT,
                                      [ZL_BY_SEARCH] = ZLAY_SWIZZLE_SEARCH};
    static const int32_t proofs[] = {[ZL_PROVED_NOT] = ZLAY_SWIZZLE_LEAST_UNKNOWN,
                                     [ZL_PROVED_F2] = ZLAY_SWIZZLE_LEAST_F2,
                                     [ZL_PROVED_LEAST] = ZLAY_SWIZZLE_LEAST_ANY};
    zlay_status status = layout_make(s, a, f, found);
    for (uint32_t i = 0; i < a->count && !status; i++) status = cost_fill(s, a, f, found, i);
    if (status) return status;
    s->info.size = a->size;
    s->info.wavefronts = found->sum;
    s->info.lower_bound = found->least;
    s->info.method = methods[found->method];
    s->info.least = proofs[found->proved];
    s->info.optimal = found->proved == ZL_PROVED_LEAST;
    s->info.xors = xors_of(found->basis, f->problem.bits);
    reach_fill(s, a, found);
    return ZLAY_OK;
}
