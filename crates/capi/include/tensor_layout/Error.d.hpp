#ifndef TENSOR_LAYOUT_Error_D_HPP
#define TENSOR_LAYOUT_Error_D_HPP

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "diplomat_runtime.hpp"
namespace tensor_layout {
struct Span;
class ErrorKind;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Error;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The reason that a call has no answer.
 */
class Error {
public:

  /**
   * The kind. Cost: no allocation.
   */
  inline tensor_layout::ErrorKind kind() const;

  /**
   * The problem, in one line without a final stop, as long as the error lives. Cost: written at the first call
   * for any of the texts.
   */
  inline std::string_view message() const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The remedy, if one is known.
   */
  inline std::optional<std::string_view> help() const DIPLOMAT_LIFETIME_BOUND;

  /**
   * All that is known, for people: the message, the text with a caret below the fault, the help.
   */
  inline std::string_view report() const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The bytes of the text at fault, if the error is about a text.
   */
  inline std::optional<tensor_layout::Span> span() const;

    inline const tensor_layout::capi::Error* AsFFI() const;
    inline tensor_layout::capi::Error* AsFFI();
    inline static const tensor_layout::Error* FromFFI(const tensor_layout::capi::Error* ptr);
    inline static tensor_layout::Error* FromFFI(tensor_layout::capi::Error* ptr);
    inline static void operator delete(void* ptr);
private:
    Error() = delete;
    Error(const tensor_layout::Error&) = delete;
    Error(tensor_layout::Error&&) noexcept = delete;
    Error operator=(const tensor_layout::Error&) = delete;
    Error operator=(tensor_layout::Error&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Error_D_HPP
