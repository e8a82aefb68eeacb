/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/cute.hpp - layouts of CuTe (CUTLASS 4) as zlay's, and back.  C++17; the
 *  folders of cute/layout.hpp and of the CUDA toolkit's headers are the caller's.
 *
 *  A worked example.  A tile of 64 x 64 with the 128-byte swizzle of 16-bit
 *  elements, and a matrix whose pitch is known at run time:
 *
 *      auto tile = cute::composition(cute::Swizzle<3, 3, 3>{}, cute::Int<0>{},
 *          cute::make_layout(cute::make_shape(cute::Int<64>{}, cute::Int<64>{}),
 *                            cute::make_stride(cute::Int<64>{}, cute::Int<1>{})));
 *      zlay::cute_text(tile);               // Sw<3,3,3> o 0 o (64,64):(64,1)
 *      zlay::layout l = zlay::cute_layout(ctx, tile);
 *
 *      auto matrix = zlay::cute_from<zlay::cute_flat<2>>(ctx, "(4096,512):(512,1)");
 *      // cute::Layout with dynamic extents 4096, 512 and strides 512, 1
 *      zlay::cute_visit(ctx, l, [](auto a) { ... }); // a has the rank of l, 1 to 5
 *
 *  The nesting of a layout of CuTe is its type, so the way back asks for a type.
 *  cute_flat<R> has R modes, all dynamic; cute_dynamic<L> the nesting of L, all
 *  dynamic.  Any other type does as well: where it has static integers, or a
 *  Swizzle, the layout has to have the same.  A layout of another nesting, other
 *  static integers, numbers that its integers do not hold, and a layout that is
 *  not strided or swizzled are refused by ZLAY_NONE.
 *
 *  Strides that are no integers (CuTe's ScaledBasis, of coordinate tensors) have no
 *  text here: they do not compile.  Of a swizzle of pointers (smem_ptr_flag_bits<N>)
 *  CuTe's bits count bytes, zlay's elements: Sw<3,4,3> of 16 bits is Sw<3,3,3>.
 */
#ifndef ZLAY_CUTE_HPP
#define ZLAY_CUTE_HPP

#include <zlay/zlay.hpp>

#include <cute/layout.hpp>
#include <cute/layout_composed.hpp>
#include <cute/pointer_flagged.hpp>
#include <cute/swizzle.hpp>
#include <cute/swizzle_layout.hpp>

#include <charconv>
#include <cstdint>
#include <limits>

namespace zlay {

namespace detail {

template <int B, int M, int S, class Offset, class Inner>
using swizzled = cute::ComposedLayout<cute::Swizzle<B, M, S>, Offset, Inner>;
template <int B, int M, int S, int N, class Inner>
using of_pointers = swizzled<B, M, S, cute::smem_ptr_flag_bits<N>, Inner>;

template <class T> void write(std::string &out, const T &value);

template <class T, std::size_t... I>
void write_entries(std::string &out, const T &tuple, std::index_sequence<I...>)
{
    ((out += I ? "," : "(", write(out, cute::get<I>(tuple))), ...);
}

/* An integer as text, a tuple as its entries in parentheses. */
template <class T> void write(std::string &out, const T &value)
{
    if constexpr (cute::is_tuple<T>::value) {
        write_entries(out, value, std::make_index_sequence<cute::tuple_size<T>::value>{});
        out += ")";
    } else {
        static_assert(cute::is_integral<T>::value,
                      "zlay's texts have integers, tuples of them, swizzles of strided layouts");
        if constexpr (cute::is_static<T>::value) out += std::to_string(T::value);
        else out += std::to_string(value);
    }
}

template <class S, class D> void write(std::string &out, const cute::Layout<S, D> &a)
{
    write(out, a.shape());
    out += ":";
    write(out, a.stride());
}

inline std::string swizzle_text(int bits, int base, int shift)
{
    return "Sw<" + std::to_string(bits) + "," + std::to_string(base) + "," +
           std::to_string(shift) + "> o ";
}

template <int B, int M, int S, class Offset, class Inner>
void write(std::string &out, const swizzled<B, M, S, Offset, Inner> &a)
{
    out += swizzle_text(B, M, S);
    write(out, a.offset());
    out += " o ";
    write(out, a.layout_b());
}

template <int B, int M, int S, int N, class Inner>
void write(std::string &out, const of_pointers<B, M, S, N, Inner> &a)
{
    out += swizzle_text(B, M, S);
    out += "smem_ptr[" + std::to_string(N) + "b](unset) o ";
    write(out, a.layout_b());
}

/* Reads the canonical text of a layout by the type that it is to have.  `good` is false
 * from the first byte on that does not fit. */
struct cute_reader {
    std::string_view rest;
    bool good = true;

    void skip(std::string_view word)
    {
        good = good && rest.substr(0, word.size()) == word;
        if (good) rest.remove_prefix(word.size());
    }
    std::int64_t number()
    {
        std::int64_t value = 0;
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        good = good && read.ec == std::errc();
        if (good) rest.remove_prefix(std::size_t(read.ptr - rest.data()));
        return value;
    }
    template <class T> T integer()
    {
        const std::int64_t value = number();
        if constexpr (cute::is_static<T>::value) {
            good = good && value == std::int64_t(T::value);
            return {};
        } else {
            good = good && std::int64_t(T(value)) == value && (value >= 0 || std::is_signed_v<T>);
            return T(value);
        }
    }
};

template <class T> struct read_as {
    static T from(cute_reader &in) { return in.integer<T>(); }
};

/* A tuple of one entry may stand without parentheses.  Braces order the reading. */
template <class... T> struct read_as<cute::tuple<T...>> {
    static cute::tuple<T...> from(cute_reader &in)
    {
        const bool open = sizeof...(T) != 1 || in.rest.substr(0, 1) == "(";
        bool first = true;
        const auto entry = [&](auto type) {
            if (open) in.skip(first ? "(" : ",");
            first = false;
            return decltype(type)::from(in);
        };
        const cute::tuple<T...> made{entry(read_as<T>{})...};
        if (open) in.skip(")");
        return made;
    }
};

template <class S, class D> struct read_as<cute::Layout<S, D>> {
    static cute::Layout<S, D> from(cute_reader &in)
    {
        const S shape = read_as<S>::from(in);
        in.skip(":");
        const D stride = read_as<D>::from(in);
        return cute::Layout<S, D>(shape, stride);
    }
};

/* What stands before the strided layout; returns the offset.  Sw<0,M,S> is the identity: zlay
 * prints the layout without it, and then without an offset of 0. */
template <class Offset> Offset read_before(cute_reader &in, int bits, int base, int shift)
{
    cute_reader zero{"0", in.good};
    const bool written = bits || in.rest.find(" o ") != in.rest.npos;
    if (bits) in.skip(swizzle_text(bits, base, shift));
    cute_reader &from = written ? in : zero;
    const Offset offset = read_as<Offset>::from(from);
    if (written) in.skip(" o ");
    in.good = in.good && from.good;
    return offset;
}

template <int B, int M, int S, class Offset, class Inner>
struct read_as<swizzled<B, M, S, Offset, Inner>> {
    using type = swizzled<B, M, S, Offset, Inner>;
    static type from(cute_reader &in)
    {
        const Offset offset = read_before<Offset>(in, B, M, S);
        return type({}, offset, read_as<Inner>::from(in));
    }
};

/* Bits of bytes become bits of elements. */
template <int B, int M, int S, int N, class Inner>
struct read_as<of_pointers<B, M, S, N, Inner>> {
    using type = of_pointers<B, M, S, N, Inner>;
    static type from(cute_reader &in)
    {
        int base = M;
        for (int bits = N; bits > 8; bits /= 2) base--;
        for (int bits = N; bits < 8; bits *= 2) base++;
        read_before<cute::Int<0>>(in, B, base, S);
        return type({}, {}, read_as<Inner>::from(in));
    }
};

/* The same nesting with int64_t in every place. */
template <class T> struct dynamic {
    using type = std::int64_t;
};
template <class... T> struct dynamic<cute::tuple<T...>> {
    using type = cute::tuple<typename dynamic<T>::type...>;
};
template <class S, class D> struct dynamic<cute::Layout<S, D>> {
    using type = cute::Layout<typename dynamic<S>::type, typename dynamic<D>::type>;
};
template <int B, int M, int S, class Offset, class Inner>
struct dynamic<swizzled<B, M, S, Offset, Inner>> {
    using type = swizzled<B, M, S, std::int64_t, typename dynamic<Inner>::type>;
};
template <int B, int M, int S, int N, class Inner>
struct dynamic<of_pointers<B, M, S, N, Inner>> {
    using type = of_pointers<B, M, S, N, typename dynamic<Inner>::type>;
};

template <std::size_t> struct entry {
    using type = std::int64_t;
};
template <class I> struct flat;
template <std::size_t... I> struct flat<std::index_sequence<I...>> {
    using entries = cute::tuple<typename entry<I>::type...>;
    using type = cute::Layout<entries, entries>;
};

} // namespace detail

/** A layout of R flat modes whose extents and strides are int64_t. */
template <std::size_t R> using cute_flat = typename detail::flat<std::make_index_sequence<R>>::type;

/** The nesting and the swizzle of L; extents, strides and offset are int64_t. */
template <class L> using cute_dynamic = typename detail::dynamic<std::remove_cv_t<L>>::type;

/** The text of a layout of CuTe, which zlay_layout_parse reads. */
template <class L> std::string cute_text(const L &a)
{
    std::string out;
    detail::write(out, a);
    return out;
}

/** zlay's layout of a layout of CuTe.  Returns: as zlay_layout_parse. */
template <class L> result<layout> try_cute_layout(const context &ctx, const L &a)
{
    return ctx.try_make(zlay_layout_parse, cute_text(a));
}

/** CuTe's layout, of type L, of a layout of zlay.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the layout is none of that type; else as
 *           zlay_layout_print.
 */
template <class L> result<std::remove_cv_t<L>> try_cute_from(const zlay_layout *a)
{
    using plain = std::remove_cv_t<L>;
    const result<std::string> text = try_text(zlay_layout_print, a);
    if (!text) return {text.status, ""};
    detail::cute_reader in{*text};
    result<plain> out{ZLAY_OK, "", detail::read_as<plain>::from(in)};
    if (in.good && in.rest.empty()) return out;
    return {ZLAY_NONE, "another nesting, swizzle or static integer, or a number too large"};
}

namespace detail {
/* Of the rank R, or a greater one up to Most. */
template <std::size_t R, std::size_t Most, class F> zlay_status visit(const zlay_layout *a, F &f)
{
    const auto read = try_cute_from<cute_flat<R>>(a);
    if (read) f(*read);
    if constexpr (R < Most)
        if (read.status == ZLAY_NONE) return visit<R + 1, Most>(a, f);
    return read.status;
}
} // namespace detail

/** The same of a text.  Returns: as zlay_layout_parse, try_cute_from. */
template <class L>
result<std::remove_cv_t<L>> try_cute_from(const context &ctx, std::string_view text)
{
    const result<layout> read = ctx.try_make(zlay_layout_parse, text);
    if (!read) return {read.status, read.message};
    return try_cute_from<L>(*read);
}

/** Call `f` with CuTe's layout of a layout whose rank is known at run time only: flattened,
 *  cute_flat<R> for its R modes, R from 1 to Most.  `f` is compiled for each R.
 *
 *  Returns: ZLAY_OK `f` was called; ZLAY_NONE more modes than Most, a swizzle, an offset or
 *           another kind; else as zlay_layout_flatten.
 */
template <std::size_t Most = 5, class F>
zlay_status cute_visit(const context &ctx, const zlay_layout *a, F &&f)
{
    const result<layout> flat = ctx.try_make(zlay_layout_flatten, a);
    if (!flat) return flat.status;
    return detail::visit<1, Most>(*flat, f);
}

#ifdef __cpp_exceptions
template <class L> layout cute_layout(const context &ctx, const L &a)
{
    return try_cute_layout(ctx, a).value();
}
template <class L> auto cute_from(const zlay_layout *a) { return try_cute_from<L>(a).value(); }
template <class L> auto cute_from(const context &ctx, std::string_view text)
{
    return try_cute_from<L>(ctx, text).value();
}
#endif

} // namespace zlay
#endif
