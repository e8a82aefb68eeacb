/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/zlay.hpp - the C API from C++17: owners that free what they hold, and
 *  errors as exceptions or as results, whichever the caller takes.
 *
 *  A worked example.  (6,2):(8,2) composed with (4,3):(3,1), and its text:
 *
 *      zlay::context ctx;
 *      zlay::layout a = ctx.make(zlay_layout_parse, "(6,2):(8,2)");
 *      zlay::layout b = ctx.make(zlay_layout_parse, "(4,3):(3,1)");
 *      zlay::layout c = ctx.make(zlay_layout_compose, a, b);
 *      std::string text = zlay::text(zlay_layout_print, c);
 *      // ((2,2),3):((24,2),8)
 *
 *  No function of the C API is declared again.  `make` takes any function that
 *  begins `zlay_status f(zlay_ctx *, T **out, ...)`, `value` one whose output is
 *  a `T *`, `text` one that prints to a `zlay_buf *`; the arguments are those
 *  behind the output, in the order of the C header.  An owner stands for its
 *  pointer.  A string stands for its bytes and their length where the function
 *  takes both, and for its bytes where it takes a 0-terminated name.
 *
 *  Each has a twin that throws nothing: try_make, try_value, try_text return a
 *  zlay::result, which has the status, the message and the value.  Without
 *  exceptions (-fno-exceptions) only the twins are there.
 *
 *  A moved-from owner holds NULL, and a moved-from context has no ctx: every
 *  function of the C API answers ZLAY_EINVAL to that.  Owners are movable, not
 *  copyable.  Threads: as the C API, docs/threading.md.
 */
#ifndef ZLAY_ZLAY_HPP
#define ZLAY_ZLAY_HPP

#include <zlay/runtime.h>
#include <zlay/zlay.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zlay {

/** Frees an object of the C API: a specialisation for each type. */
template <class T> struct free_of;

/** Holds one object of the C API, or NULL, and frees it at the end. */
template <class T> class owned {
public:
    using type = T;
    owned() noexcept = default;
    explicit owned(T *held) noexcept : held_(held) {}
    owned(owned &&other) noexcept : held_(other.release()) {}
    owned &operator=(owned &&other) noexcept
    {
        reset(other.release());
        return *this;
    }
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    ~owned() { reset(); }

    T *get() const noexcept { return held_; }
    operator const T *() const noexcept { return held_; }
    explicit operator bool() const noexcept { return held_ != nullptr; }

    /** The object is the caller's from now on. */
    T *release() noexcept { return std::exchange(held_, nullptr); }

    /** Frees what is held, and holds another. */
    void reset(T *other = nullptr) noexcept
    {
        if (T *old = std::exchange(held_, other)) free_of<T>::call(old);
    }

    /** For a `T **out` of the C API: frees what is held first. */
    T **out() noexcept
    {
        reset();
        return &held_;
    }

private:
    T *held_ = nullptr;
};

/* The names of owners: of a C type, and the function that ends it. */
#define ZLAY_HPP_OWNED(NAME, TYPE, FREE) \
    template <> struct free_of<TYPE> { \
        static void call(TYPE *held) noexcept { FREE(held); } \
    }; \
    using NAME = owned<TYPE>;

ZLAY_HPP_OWNED(attention, zlay_attention_plan, zlay_attention_free)
ZLAY_HPP_OWNED(body, zlay_body, zlay_body_free)
ZLAY_HPP_OWNED(convert, zlay_convert, zlay_convert_free)
ZLAY_HPP_OWNED(bare_ctx, zlay_ctx, zlay_ctx_free)
ZLAY_HPP_OWNED(device, zlay_device, zlay_device_close)
ZLAY_HPP_OWNED(exchange, zlay_exchange, zlay_exchange_free)
ZLAY_HPP_OWNED(factor, zlay_factor, zlay_factor_free)
ZLAY_HPP_OWNED(facts, zlay_facts, zlay_facts_free)
ZLAY_HPP_OWNED(fill, zlay_fill, zlay_fill_free)
ZLAY_HPP_OWNED(hier, zlay_hier, zlay_hier_free)
ZLAY_HPP_OWNED(kernel, zlay_kernel, zlay_kernel_free)
ZLAY_HPP_OWNED(layout, zlay_layout, zlay_layout_free)
ZLAY_HPP_OWNED(device_module, zlay_module, zlay_module_free)
ZLAY_HPP_OWNED(move, zlay_move, zlay_move_free)
ZLAY_HPP_OWNED(normal, zlay_normal, zlay_normal_free)
ZLAY_HPP_OWNED(picture, zlay_picture, zlay_picture_free)
ZLAY_HPP_OWNED(pipe, zlay_pipe, zlay_pipe_free)
ZLAY_HPP_OWNED(pipe_builder, zlay_pipe_builder, zlay_pipe_builder_free)
ZLAY_HPP_OWNED(plan, zlay_plan, zlay_plan_free)
ZLAY_HPP_OWNED(radix, zlay_radix, zlay_radix_free)
ZLAY_HPP_OWNED(region, zlay_region, zlay_region_free)
ZLAY_HPP_OWNED(tiling, zlay_tiling, zlay_tiling_free)
ZLAY_HPP_OWNED(roles, zlay_roles, zlay_roles_free)
ZLAY_HPP_OWNED(schedule, zlay_schedule, zlay_schedule_free)
ZLAY_HPP_OWNED(structure, zlay_structure, zlay_structure_free)
ZLAY_HPP_OWNED(stage, zlay_stage, zlay_stage_free)
ZLAY_HPP_OWNED(swizzle, zlay_swizzle, zlay_swizzle_free)
ZLAY_HPP_OWNED(transfer, zlay_transfer, zlay_transfer_free)
ZLAY_HPP_OWNED(variants, zlay_variants, zlay_variants_free)
ZLAY_HPP_OWNED(tuning, zlay_tuning, zlay_tuning_free)
ZLAY_HPP_OWNED(wave, zlay_wave, zlay_wave_free)
ZLAY_HPP_OWNED(weights, zlay_weights_plan, zlay_weights_free)
ZLAY_HPP_OWNED(word, zlay_word, zlay_word_free)
ZLAY_HPP_OWNED(zmat, zlay_zmat, zlay_zmat_free)
#undef ZLAY_HPP_OWNED

/** A call that did not end with ZLAY_OK.  Its text is a copy, cut at 511 bytes,
 *  so that an error is made without memory. */
class error : public std::exception {
public:
    error(zlay_status status, const char *message) noexcept : status_(status)
    {
        std::snprintf(text_, sizeof text_, "%s%s%s", zlay_status_name(status), *message ? ": " : "",
                      message);
    }
    const char *what() const noexcept override { return text_; }
    zlay_status status() const noexcept { return status_; }

private:
    zlay_status status_;
    char text_[512];
};

/** What became of a call, and its value. */
template <class T> struct result {
    zlay_status status = ZLAY_OK;
    const char *message = ""; /* the ctx's, until its next call */
    T held{};                 /* default-made unless status is ZLAY_OK */

    explicit operator bool() const noexcept { return status == ZLAY_OK; }
    T &operator*() noexcept { return held; }
    const T &operator*() const noexcept { return held; }

#ifdef __cpp_exceptions
    /** The value, moved out; throws zlay::error where there is none. */
    T value() &&
    {
        if (status != ZLAY_OK) throw error(status, message);
        return std::move(held);
    }
#endif
};

/* How arguments become those of a C function. */
namespace detail {

template <class... P> struct params {};

template <class A>
inline constexpr bool is_text = std::is_convertible_v<const A &, std::string_view>;
template <class A> struct is_owned : std::false_type {};
template <class T> struct is_owned<owned<T>> : std::true_type {};

template <class P, class A> P one(A &&a)
{
    using plain = std::decay_t<A>;
    if constexpr (is_owned<plain>::value) return a.get();
    else if constexpr (std::is_same_v<plain, std::string> && std::is_same_v<P, const char *>)
        return a.c_str();
    else {
        static_assert(!std::is_same_v<plain, std::string_view>,
                      "this function takes a 0-terminated text: pass a std::string");
        return static_cast<P>(std::forward<A>(a));
    }
}

/* Whether a parameter and the next are the bytes of a text and their length; what is behind. */
template <class P, class... Q> struct bytes_and_length : std::false_type {};
template <class... Q>
struct bytes_and_length<const char *, std::size_t, Q...> : std::true_type {
    using rest = params<Q...>;
};

template <class Call, class... More> zlay_status pass(params<>, Call call, More &&...)
{
    static_assert(sizeof...(More) == 0, "more arguments than the C function has");
    return call();
}

template <class P, class... Q, class Call> zlay_status pass(params<P, Q...>, Call)
{
    static_assert(sizeof(P) == 0, "fewer arguments than the C function has");
    return ZLAY_EINVAL;
}

template <class P, class... Q, class Call, class A, class... As>
zlay_status pass(params<P, Q...>, Call call, A &&a, As &&...as)
{
    if constexpr (bytes_and_length<P, Q...>::value && is_text<std::decay_t<A>>) {
        const std::string_view text(a);
        return pass(typename bytes_and_length<P, Q...>::rest{},
                    [&](auto... more) { return call(text.data(), text.size(), more...); },
                    std::forward<As>(as)...);
    } else {
        P p = one<P>(std::forward<A>(a));
        return pass(params<Q...>{}, [&](auto... more) { return call(p, more...); },
                    std::forward<As>(as)...);
    }
}

/* The text that `print` writes to a buffer: asked once more where 4 KiB are too few. */
template <class Print> zlay_status printed(std::string &out, Print print)
{
#ifdef __cpp_exceptions
    try {
#endif
        for (std::size_t room = 4096;;) {
            out.resize(room);
            zlay_buf buf = {out.data(), room, 0};
            const zlay_status status = print(&buf);
            if (status == ZLAY_EROOM && buf.need >= room) {
                room = buf.need + 1;
                continue;
            }
            out.resize(status ? 0 : buf.need);
            return status;
        }
#ifdef __cpp_exceptions
    } catch (const std::exception &) {
        out.clear();
        return ZLAY_ENOMEM;
    }
#endif
}

} // namespace detail

/** The value of a function without a ctx: `zlay_status f(T *out, ...)`. */
template <class T, class... P, class... A>
result<T> try_value(zlay_status (*function)(T *, P...), A &&...args)
{
    result<T> out;
    out.status = detail::pass(detail::params<P...>{},
                              [&](auto... all) { return function(&out.held, all...); },
                              std::forward<A>(args)...);
    return out;
}

/** The text of a function without a ctx: `zlay_status f(zlay_buf *, ...)`. */
template <class... P, class... A>
result<std::string> try_text(zlay_status (*function)(zlay_buf *, P...), const A &...args)
{
    result<std::string> out;
    out.status = detail::printed(out.held, [&](zlay_buf *buf) {
        return detail::pass(detail::params<P...>{},
                            [&](auto... all) { return function(buf, all...); }, args...);
    });
    return out;
}

/** A request, a question or the like, all zero but for its `size`. */
template <class R> R sized() noexcept
{
    R made{};
    made.size = sizeof(R);
    return made;
}

/** A ctx, and calls with it. */
class context {
public:
    context(context &&) noexcept = default;
    context &operator=(context &&) noexcept = default;

    static result<context> try_new(const zlay_limits *limits = nullptr,
                                   const zlay_allocator *alloc = nullptr) noexcept
    {
        result<context> made{ZLAY_OK, "", context(empty{})};
        made.status = zlay_ctx_new(made.held.held_.out(), alloc, limits);
        return made;
    }

    zlay_ctx *get() const noexcept { return held_.get(); }
    explicit operator bool() const noexcept { return bool(held_); }
    const char *message() const noexcept { return zlay_ctx_message(held_.get()); }

    /** The object that a function makes: `zlay_status f(zlay_ctx *, T **, ...)`. */
    template <class T, class... P, class... A>
    result<owned<T>> try_make(zlay_status (*function)(zlay_ctx *, T **, P...), A &&...args) const
    {
        result<owned<T>> out;
        return told(out, detail::pass(detail::params<P...>{}, [&](auto... all) {
            return function(get(), out.held.out(), all...);
        }, std::forward<A>(args)...));
    }

    /** The value that a function writes: `zlay_status f(zlay_ctx *, T *, ...)`. */
    template <class T, class... P, class... A>
    result<T> try_value(zlay_status (*function)(zlay_ctx *, T *, P...), A &&...args) const
    {
        result<T> out;
        return told(out, detail::pass(detail::params<P...>{}, [&](auto... all) {
            return function(get(), &out.held, all...);
        }, std::forward<A>(args)...));
    }

    /** The text that a function prints: `zlay_status f(zlay_ctx *, zlay_buf *, ...)`. */
    template <class... P, class... A>
    result<std::string> try_text(zlay_status (*function)(zlay_ctx *, zlay_buf *, P...),
                                 const A &...args) const
    {
        result<std::string> out;
        return told(out, detail::printed(out.held, [&](zlay_buf *buf) {
            return detail::pass(detail::params<P...>{}, [&](auto... all) {
                return function(get(), buf, all...);
            }, args...);
        }));
    }

#ifdef __cpp_exceptions
    explicit context(const zlay_limits *limits = nullptr, const zlay_allocator *alloc = nullptr)
        : context(try_new(limits, alloc).value())
    {
    }
    template <class F, class... A> auto make(F *function, A &&...args) const
    {
        return try_make(function, std::forward<A>(args)...).value();
    }
    template <class F, class... A> auto value(F *function, A &&...args) const
    {
        return try_value(function, std::forward<A>(args)...).value();
    }
    template <class F, class... A> std::string text(F *function, const A &...args) const
    {
        return try_text(function, args...).value();
    }
#endif

private:
    struct empty {};
    explicit context(empty) noexcept {}
    template <class T> result<T> told(result<T> &out, zlay_status status) const
    {
        out.status = status;
        out.message = status ? message() : "";
        return std::move(out);
    }
    bare_ctx held_;
};

#ifdef __cpp_exceptions
template <class F, class... A> auto value(F *function, A &&...args)
{
    return try_value(function, std::forward<A>(args)...).value();
}
template <class F, class... A> std::string text(F *function, const A &...args)
{
    return try_text(function, args...).value();
}

/** A target by its name, as "sm_90a"; it lives as long as the program. */
inline const zlay_target *target(std::string_view name)
{
    return value(zlay_target_find, name);
}
#endif

} // namespace zlay
#endif
