// SPDX-License-Identifier: Apache-2.0
// CuTe's own run-time algebra in C++, for bench/cute_cpp.c: composition and coalesce of layouts of rank 4 whose extents and strides are
// known at run time only.  CuTe's complement, and with it logical_divide, takes no such layout of more than one mode.
#include <cute/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

template <class T> using four = cute::tuple<T, T, T, T>;
template <class T> using layout = cute::Layout<four<T>, four<T>>;

template <class T> layout<T> made(const int64_t *shape, const int64_t *stride)
{
    return cute::make_layout(cute::make_shape(T(shape[0]), T(shape[1]), T(shape[2]), T(shape[3])),
                             cute::make_stride(T(stride[0]), T(stride[1]), T(stride[2]), T(stride[3])));
}

std::vector<layout<int>> narrow_a, narrow_b;
std::vector<layout<int64_t>> wide_a, wide_b;

// The result in memory of its own, as zlay's is.
template <class L> void compose(const L &a, const L &b)
{
    auto *made = new auto(cute::composition(a, b));
    asm volatile("" : : "r"(made) : "memory");
    delete made;
}

} // namespace

extern "C" void bench_cute_add(const int64_t *a_shape, const int64_t *a_stride, const int64_t *b_shape, const int64_t *b_stride)
{
    narrow_a.push_back(made<int>(a_shape, a_stride)), narrow_b.push_back(made<int>(b_shape, b_stride));
    wide_a.push_back(made<int64_t>(a_shape, a_stride)), wide_b.push_back(made<int64_t>(b_shape, b_stride));
}

extern "C" void bench_cute_clear(void)
{
    narrow_a.clear(), narrow_b.clear(), wide_a.clear(), wide_b.clear();
}

extern "C" void bench_cute_compose(size_t i, int wide)
{
    if (wide) compose(wide_a[i], wide_b[i]);
    else compose(narrow_a[i], narrow_b[i]);
}

extern "C" int64_t bench_cute_at(size_t i, int64_t index)
{
    return cute::composition(wide_a[i], wide_b[i])(index);
}
