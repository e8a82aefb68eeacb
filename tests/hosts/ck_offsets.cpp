// SPDX-License-Identifier: Apache-2.0
// Writes tests/data/ck_offsets.txt: tensor descriptors of CK-Tile by CK's own headers, a line each: kind, parameters, points, and
// a hash (FNV-1a) of all offsets, the first coordinate fastest.  Run by tools/ck_offsets.sh where CK_ROOT is a checkout.
#include "ck_tile/core/config.hpp"
#include "ck_tile/core/tensor/tensor_coordinate.hpp"
#include "ck_tile/core/tensor/tensor_descriptor.hpp"

#include <cstdint>
#include <cstdio>
#include <random>

using namespace ck_tile;

static std::mt19937 source(18);
static int below(int end) { return int(source() % unsigned(end)); }
static int power(int least, int most) { return 1 << (least + below(most - least + 1)); }

static uint64_t hash;
static void add(int64_t offset)
{
    for (int i = 0; i < 8; i++) hash = (hash ^ (uint64_t(offset) >> 8 * i & 255)) * 1099511628211u;
}

template <class D> static void all2(const D &d)
{
    const int m = d.get_length(number<0>{}), n = d.get_length(number<1>{});
    hash = 14695981039346656037u;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) add(d.calculate_offset(make_tuple(i, j)));
    std::printf(" %d %016llx\n", m * n, static_cast<unsigned long long>(hash));
}

template <class D> static void all4(const D &d)
{
    const int a = d.get_length(number<0>{}), b = d.get_length(number<1>{}), c = d.get_length(number<2>{}), e = d.get_length(number<3>{});
    hash = 14695981039346656037u;
    for (int l = 0; l < e; l++)
        for (int k = 0; k < c; k++)
            for (int j = 0; j < b; j++)
                for (int i = 0; i < a; i++) add(d.calculate_offset(make_tuple(i, j, k, l)));
    std::printf(" %d %016llx\n", a * b * c * e, static_cast<unsigned long long>(hash));
}

static void strided()
{
    const int m = 1 + below(40), n = 1 + below(40), p = n + below(20), q = 1 + below(3);
    std::printf("strided %d %d %d %d", m, n, p, q);
    all2(make_naive_tensor_descriptor(make_tuple(m, n), make_tuple(p, q)));
}

static void packed()
{
    const int a = 1 + below(6), b = 1 + below(6), c = 1 + below(6), d = 1 + below(6);
    std::printf("packed %d %d %d %d", a, b, c, d);
    all4(make_naive_tensor_descriptor_packed(make_tuple(a, b, c, d)));
}

static void padded()
{
    const int m = 1 + below(40), n = 1 + below(40), p = n + below(20), more = below(9), wide = below(9);
    std::printf("right_pad %d %d %d %d %d", m, n, p, more, wide);
    all2(transform_tensor_descriptor(make_naive_tensor_descriptor(make_tuple(m, n), make_tuple(p, 1)),
                                     make_tuple(make_right_pad_transform(m, more), make_right_pad_transform(n, wide)),
                                     make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{})));
}

// LDS as CK's GEMMs have it: (K0, M, KPack) with a row of padding, merged to (M, K).
static void lds()
{
    const int k0 = 1 + below(8), m = 1 + below(60), pack = power(0, 4);
    std::printf("lds %d %d %d", k0, m, pack);
    all2(transform_tensor_descriptor(make_naive_tensor_descriptor(make_tuple(k0, m, pack), make_tuple((m + 1) * pack, pack, 1)),
                                     make_tuple(make_pass_through_transform(m), make_merge_transform(make_tuple(k0, pack))),
                                     make_tuple(sequence<1>{}, sequence<0, 2>{}), make_tuple(sequence<0>{}, sequence<1>{})));
}

// LDS without padding: K0 is XORed with the row, then merged to (M, K).
static void lds_xor()
{
    const int m = power(3, 6), k0 = power(0, 3), pack = power(0, 4);
    std::printf("lds_xor %d %d %d", m, k0, pack);
    const auto plain = make_naive_tensor_descriptor(make_tuple(m, k0, pack), make_tuple(k0 * pack, pack, 1));
    const auto turned = transform_tensor_descriptor(plain, make_tuple(make_xor_transform(make_tuple(m, k0)), make_pass_through_transform(pack)),
                                                    make_tuple(sequence<0, 1>{}, sequence<2>{}), make_tuple(sequence<0, 1>{}, sequence<2>{}));
    all2(transform_tensor_descriptor(turned, make_tuple(make_pass_through_transform(m), make_merge_transform(make_tuple(k0, pack))),
                                     make_tuple(sequence<0>{}, sequence<1, 2>{}), make_tuple(sequence<0>{}, sequence<1>{})));
}

static void unmerged()
{
    const int m0 = 1 + below(6), m1 = 1 + below(8), k0 = 1 + below(6), k1 = 1 + below(8), p = k0 * k1 + below(9);
    std::printf("unmerge %d %d %d %d %d", m0, m1, k0, k1, p);
    all4(transform_tensor_descriptor(make_naive_tensor_descriptor(make_tuple(m0 * m1, k0 * k1), make_tuple(p, 1)),
                                     make_tuple(make_unmerge_transform(make_tuple(m0, m1)), make_unmerge_transform(make_tuple(k0, k1))),
                                     make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0, 1>{}, sequence<2, 3>{})));
}

// The image of a convolution as the matrix of its implicit GEMM: rows (n, ho, wo), columns (y, x, c).
static void convolution()
{
    const int n = 1 + below(3), ho = 1 + below(4), wo = 1 + below(4), y = 1 + below(3), x = 1 + below(3), c = 1 + below(4);
    const int sy = 1 + below(3), sx = 1 + below(3), dy = 1 + below(2), dx = 1 + below(2);
    const int hi = (ho - 1) * sy + (y - 1) * dy + 1, wi = (wo - 1) * sx + (x - 1) * dx + 1;
    std::printf("convolution %d %d %d %d %d %d %d %d %d %d", n, ho, wo, y, x, c, sy, sx, dy, dx);
    const auto image = make_naive_tensor_descriptor_packed(make_tuple(n, hi, wi, c));
    const auto windows = transform_tensor_descriptor(
        image, make_tuple(make_pass_through_transform(n), make_embed_transform(make_tuple(y, ho), make_tuple(dy, sy)),
                          make_embed_transform(make_tuple(x, wo), make_tuple(dx, sx)), make_pass_through_transform(c)),
        make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}, sequence<3>{}),
        make_tuple(sequence<0>{}, sequence<1, 2>{}, sequence<3, 4>{}, sequence<5>{}));
    all2(transform_tensor_descriptor(windows, make_tuple(make_merge_transform(make_tuple(n, ho, wo)), make_merge_transform(make_tuple(y, x, c))),
                                     make_tuple(sequence<0, 2, 4>{}, sequence<1, 3, 5>{}), make_tuple(sequence<0>{}, sequence<1>{})));
}

int main()
{
    void (*const kinds[])() = {strided, packed, padded, lds, lds_xor, unmerged, convolution, lds_xor};
    for (int i = 0; i < 1000; i++) kinds[i % 8]();
}
