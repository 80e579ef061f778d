#ifndef TENSOR_LAYOUT_Machine_D_HPP
#define TENSOR_LAYOUT_Machine_D_HPP

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
namespace capi { struct Error; }
class Error;
namespace capi { struct Level; }
class Level;
namespace capi { struct Machine; }
class Machine;
namespace capi { struct Memory; }
class Memory;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Machine;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A tree of levels with sizes and memories.
 */
class Machine {
public:

  /**
   * Reads the name of a preset, `mn-core` or `mn-core-2`, or levels with their sizes from the root down, such as
   * `L2B=4,PE=4`. Cost: a few microseconds.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>> parse(std::string_view text);

  /**
   * Reads the text of a TOML file. Cost: linear in the text.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>> from_toml(std::string_view toml);

  /**
   * A copy that lives on its own. Cost: an allocation per level and per memory.
   */
  inline std::unique_ptr<tensor_layout::Machine> clone() const;

  /**
   * The machine with another bandwidth: the long words that enter or leave one unit of `level` per step. Cost: as
   * `clone`.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>> with_bandwidth(const tensor_layout::Level& level, uint64_t words) const;

  /**
   * The name of the preset, that of the TOML file, or the text. Cost: no allocation.
   */
  inline std::string_view name() const DIPLOMAT_LIFETIME_BOUND;

  /**
   * Returns whether two machines are equal. Cost: linear in the levels and memories.
   */
  inline bool equals(const tensor_layout::Machine& other) const;

  /**
   * The number of leaves.
   */
  inline uint64_t units() const;

  /**
   * The bits of a long word.
   */
  inline uint64_t word_bits() const;

  /**
   * The number of levels.
   */
  inline size_t level_count() const;

  /**
   * The level of this number, from the root down; null beyond the last. It lives as long as the machine.
   */
  inline tensor_layout::diplomat::maybe_null<const tensor_layout::Level*> level(size_t at) const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The number of units of a level in one unit of the next higher level.
   */
  inline std::optional<uint64_t> level_size(const tensor_layout::Level& level) const;

  /**
   * The number of memories.
   */
  inline size_t memory_count() const;

  /**
   * The memory of this number; null beyond the last. It lives as long as the machine.
   */
  inline tensor_layout::diplomat::maybe_null<const tensor_layout::Memory*> memory(size_t at) const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The memory of this name; null if there is none. It lives as long as the machine.
   */
  inline tensor_layout::diplomat::maybe_null<const tensor_layout::Memory*> memory_named(std::string_view name) const DIPLOMAT_LIFETIME_BOUND;

    inline const tensor_layout::capi::Machine* AsFFI() const;
    inline tensor_layout::capi::Machine* AsFFI();
    inline static const tensor_layout::Machine* FromFFI(const tensor_layout::capi::Machine* ptr);
    inline static tensor_layout::Machine* FromFFI(tensor_layout::capi::Machine* ptr);
    inline static void operator delete(void* ptr);
private:
    Machine() = delete;
    Machine(const tensor_layout::Machine&) = delete;
    Machine(tensor_layout::Machine&&) noexcept = delete;
    Machine operator=(const tensor_layout::Machine&) = delete;
    Machine operator=(tensor_layout::Machine&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Machine_D_HPP
