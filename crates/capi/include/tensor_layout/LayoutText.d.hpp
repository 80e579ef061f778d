#ifndef TENSOR_LAYOUT_LayoutText_D_HPP
#define TENSOR_LAYOUT_LayoutText_D_HPP

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
namespace capi {
    struct LayoutText;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A layout as text.
 */
class LayoutText {
public:

  /**
   * The text, as long as the handle lives.
   */
  inline std::string_view text() const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The parts that the notation cannot express and the text leaves out, such as padding; without any, the text describes the
   * same map.
   */
  inline std::optional<std::string_view> left_out() const DIPLOMAT_LIFETIME_BOUND;

    inline const tensor_layout::capi::LayoutText* AsFFI() const;
    inline tensor_layout::capi::LayoutText* AsFFI();
    inline static const tensor_layout::LayoutText* FromFFI(const tensor_layout::capi::LayoutText* ptr);
    inline static tensor_layout::LayoutText* FromFFI(tensor_layout::capi::LayoutText* ptr);
    inline static void operator delete(void* ptr);
private:
    LayoutText() = delete;
    LayoutText(const tensor_layout::LayoutText&) = delete;
    LayoutText(tensor_layout::LayoutText&&) noexcept = delete;
    LayoutText operator=(const tensor_layout::LayoutText&) = delete;
    LayoutText operator=(tensor_layout::LayoutText&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_LayoutText_D_HPP
